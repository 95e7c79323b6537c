"""One segment: its texts with every token marked, and the n-grams behind each figure."""

from collections.abc import Iterable, Sequence

from sari.report.explanation import MARKS, Explanation, Gram, Token
from sari.variants import OPERATIONS
from sari.web.markup.elements import NAMES, escaped

_LEGEND = {name: meaning for name, meaning in MARKS.items() if name != "kept"}
_SHOWN_GRAMS = 60


def texts(explanation: Explanation) -> str:
    """Return source, output and what the output missed, with every token marked, and the legend."""
    missed = _tokens(explanation.missed) if explanation.missed else '<p class="sari-none">Nothing.</p>'
    return (
        '<section class="sari-texts" aria-label="Marked texts">'
        f"<h3>Source</h3>{_tokens(explanation.source)}"
        f"<h3>Output</h3>{_tokens(explanation.output) if explanation.output else '<p class=sari-none>No words.</p>'}"
        f"<h3>Missed additions</h3>{missed}"
        f"{_legend()}"
        '<p class="sari-hint">Hover over, tap or tab to a word to see why. Straight lines are for what earns at least '
        "half of the credit, as a rule because at least half of the references agree.</p></section>"
    )


def grams(explanation: Explanation) -> str:
    """Return for every n-gram order and operation the n-grams and what they add to precision and recall."""
    parts = []
    for order, by_operation in enumerate(explanation.grams, 1):
        lists = "".join(_gram_list(operation, by_operation[operation]) for operation in OPERATIONS)
        opened = " open" if order == 1 else ""
        parts.append(f"<details{opened}><summary>{_size(order)}</summary>{lists}</details>")
    return f'<section class="sari-grams">{"".join(parts)}</section>'


def _tokens(tokens: Iterable[Token]) -> str:
    return f'<div class="sari-text" role="list">{" ".join(map(_token, tokens))}</div>'


def _token(token: Token) -> str:
    shown = escaped(token.text) or "␣"
    spoken = f"{shown}, {MARKS[token.mark]}. {escaped(token.why)}"
    return (
        f'<span class="sari-token" role="listitem" tabindex="0" aria-label="{spoken}">{_marked(shown, token.mark)}'
        f'<span class="sari-why" aria-hidden="true"><b>{shown}</b> {escaped(token.why)}</span></span>'
    )


def _marked(shown: str, mark: str) -> str:
    """Wrap what is already escaped into the elements of its mark: outside right or wrong, inside what happened."""
    element = {"deleted": "del", "added": "ins"}.get(mark.split("-")[0], "span")
    return f'<span class="{mark}"><{element}>{shown}</{element}></span>'


def _legend() -> str:
    items = "".join(f"<li>{_marked('word', mark)} {meaning}</li>" for mark, meaning in _LEGEND.items())
    return f'<ul class="sari-legend" aria-label="Legend">{items}</ul>'


def _size(order: int) -> str:
    return "Single words" if order == 1 else f"{order} words in a row"


def _gram_list(operation: str, listed: Sequence[Gram]) -> str:
    sums = [sum(gram.counts[place] for gram in listed) for place in range(4)]
    chips = "".join(map(_gram, listed[:_SHOWN_GRAMS]))
    more = f"<li>and {len(listed) - _SHOWN_GRAMS:,} more</li>" if len(listed) > _SHOWN_GRAMS else ""
    return (
        f"<h4>{NAMES[operation]} <small>precision {sums[0]:.4g} of {sums[1]:.4g}, "
        f"recall {sums[2]:.4g} of {sums[3]:.4g}</small></h4>"
        f"<ul>{chips}{more}</ul>"
    )


def _gram(gram: Gram) -> str:
    count = f"{gram.agree}/{gram.references}"
    meaning = {"right": "right", "wrong": "wrong", "missed": "only in references"}[gram.mark]
    title = (
        f"{meaning}; {count} references agree; adds {gram.counts[0]:.4g} of {gram.counts[1]:.4g} to precision, "
        f"{gram.counts[2]:.4g} of {gram.counts[3]:.4g} to recall"
    )
    shown = escaped(gram.text) or "␣"
    return f'<li class="gram-{gram.mark}" title="{title}"><span>{shown}</span> <small>{count}</small></li>'
