"""Explanations as text for a terminal or a file.

Brackets mark the words, as in wdiff; on terminals they also have colours.
"""

import dataclasses
import json
from collections.abc import Callable, Sequence

from wcwidth import wcswidth

from sari.messages import escape_unprintable, truncate
from sari.reports.explanation import UNSEEN, Explanation, Gram
from sari.reports.reasons import EMPTY, MARKS
from sari.reports.score_report import without_empty
from sari.reports.word_edits import Edit
from sari.variants import OPERATIONS, Figure

_SHAPES = {
    "kept": "{}",
    "kept-rightly": "{}",
    "kept-wrongly": "~{}~",
    "deleted-rightly": "[-{}-]",
    "deleted-wrongly": "[-~{}~-]",
    "added-rightly": "{{+{}+}}",
    "added-wrongly": "{{+~{}~+}}",
    "missed": "({})",
}
_SHOWN_MARKS = {name: meaning for name, meaning in MARKS.items() if name != "kept"}
_BOLD, _BLUE, _YELLOW, _MAGENTA = 1, 34, 33, 35
# What is kept rightly, as most of a text, has no colour.
_COLOUR_CODES = {"rightly": _BLUE, "right": _BLUE, "wrongly": _YELLOW, "wrong": _YELLOW, "missed": _MAGENTA}
_LABEL_WIDTH = 10
# How many choices are shown that cost most, and how many that earn most.
_SHOWN_EDITS = 5
# How many characters of a sentence are shown, and how many tokens have each its reason.
_SHOWN_TEXT, _SHOWN_REASONS = 80, 300


def explanation_as_text(
    explanation: Explanation,
    *,
    title: str,
    by_order: bool,
    digits: int,
    colours: bool,
) -> str:
    r"""Return an explanation for people.

    Args:
        explanation: what to show.
        title: the first line.
        by_order: whether to add the figures of each n-gram order, and the n-grams of each figure.
        digits: of scores and figures, after the point.
        colours: whether to add colours, as ANSI codes.

    >>> from sari.reports.explanation import explain
    >>> from sari.variants import resolve_variant
    >>> explanation = explain(
    ...     source="the large cat",
    ...     prediction="the cat softly",
    ...     references=["the big cat", "the cat"],
    ...     variant=resolve_variant("easse", max_order=1),
    ... )
    >>> text = explanation_as_text(explanation, title="Line 1", by_order=True, digits=1, colours=False)
    >>> print(text.partition("\n\nSARI compares")[0])
    Line 1
    SARI 66.7  keep 100.0  delete 100.0  add 0.0
    <BLANKLINE>
    Source    the [-large-] cat
    Output    the cat {+~softly~+}
    Missed    (big)
    <BLANKLINE>
      word        kept, as references do
      ~word~      kept, though references drop it
      [-word-]    deleted, as references do
      [-~word~-]  deleted, though references keep it
      {+word+}    added, as references do
      {+~word~+}  added, though no reference has it
      (word)      added by references, missed by the output
    <BLANKLINE>
    What choices of words cost and earn, in points of SARI
       -22.22  not adding “big”
       +22.22  keeping “the”
       +22.22  keeping “cat”
       +40.00  deleting “large”
    <BLANKLINE>
    Why
      the     Kept: both references keep it.
      large   Deleted: both references delete it too.
      cat     Kept: both references keep it.
      softly  Added, but none of the 2 references has it.
      big     Missed: 1 of 2 references adds it.
    <BLANKLINE>
    1-grams, keep: precision 100.0  recall 100.0  f1 100.0
      right     2/2  precision 2 of 2, recall 2 of 2  the
      right     2/2  precision 2 of 2, recall 2 of 2  cat
    <BLANKLINE>
    1-grams, delete: precision 100.0  recall 100.0  f1 100.0
      right     2/2  precision 2 of 2, recall 2 of 2  large
    <BLANKLINE>
    1-grams, add: precision 0.0  recall 0.0  f1 0.0
      wrong     0/2  precision 0 of 1, recall 0 of 0  softly
      missed    1/2  precision 0 of 0, recall 0 of 1  big
    """
    paint = _painted if colours else lambda text, *_: text
    ratios: tuple[Figure, ...] = ("precision", "recall", "f1")
    scores = "  ".join(f"{name} {explanation.scores[name]:.{digits}f}" for name in OPERATIONS)
    penalties = [f"  {penalty.sentence}" for penalty in explanation.penalties]
    lines = [title, paint(f"SARI {explanation.scores['sari']:.{digits}f}", _BOLD) + f"  {scores}", *penalties, ""]
    for label, tokens in (
        ("Source", explanation.source),
        ("Output", explanation.output),
        ("Missed", explanation.missed),
    ):
        words = " ".join(_shaped(token.text, token.mark, paint) for token in tokens)
        lines.append(f"{label:<{_LABEL_WIDTH}}{words}".rstrip())
    lines += ["", *(f"  {_shaped('word', mark, paint, pad=12)}{meaning}" for mark, meaning in _SHOWN_MARKS.items())]
    for name, edits in (("sentences", explanation.sentences), ("choices of words", explanation.edits)):
        if edits:
            lines += ["", f"What {name} cost and earn, in points of SARI", *_edits(edits)]
    lines += ["", "Why", *_reasons(explanation)]
    if by_order:
        for row, grams in zip(explanation.orders, explanation.grams, strict=True):
            for operation in OPERATIONS:
                figures = "  ".join(f"{name} {row[operation][name]:.{digits}f}" for name in ratios)
                lines += ["", f"{row['order']}-grams, {operation}: {figures}"]
                lines += [f"  {_gram(gram, paint)}" for gram in grams[operation]]
    return "\n".join([*lines, "", UNSEEN, "", explanation.signature])


def explanations_as_json(explanations: Sequence[Explanation], rows: Sequence[int | str] = ()) -> str:
    """Return a list with the fields of each explanation as JSON; fields without a value are left out.

    Args:
        explanations: of segments.
        rows: the names of their rows in a table, or of their documents; none where they have no names.
    """
    fields = list(map(dataclasses.asdict, explanations))
    for of_segment, row in zip(fields, rows, strict=False):
        of_segment["row"] = row
    return json.dumps(without_empty(fields), indent=2, ensure_ascii=False, allow_nan=False)


def _painted(text: str, *codes: int) -> str:
    return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"


def _visible(text: str) -> str:
    """Return a token without control characters, and a sign for an empty one."""
    return escape_unprintable(text) or EMPTY


def _shaped(text: str, mark: str, paint: Callable[..., str], pad: int = 0) -> str:
    shape = _SHAPES[mark].format(_visible(text))
    kind = "" if mark == "kept-rightly" else mark.rpartition("-")[2]
    return (paint(shape, _COLOUR_CODES[kind]) if kind in _COLOUR_CODES else shape) + " " * (pad - wcswidth(shape))


def _edits(edits: Sequence[Edit]) -> list[str]:
    """Return the choices that cost most and those that earn most, each by what SARI would be without it."""
    choices = [edit for edit in edits if edit.counts]
    lines = [f"  {edit.points:+7.2f}  {edit.in_words(truncate(_visible(edit.text), _SHOWN_TEXT))}" for edit in choices]
    between = len(lines) - 2 * _SHOWN_EDITS
    return lines if between <= 0 else [*lines[:_SHOWN_EDITS], f"  ({between} more between)", *lines[-_SHOWN_EDITS:]]


def _reasons(explanation: Explanation) -> list[str]:
    """Return the reason of every token once, in the order of the texts; of documents, those of the shown choices."""
    tokens = [*explanation.source, *explanation.output, *explanation.missed]
    if len(tokens) > _SHOWN_REASONS:
        choices = [edit for edit in explanation.edits if edit.counts]
        words = {edit.text for edit in (*choices[:_SHOWN_EDITS], *choices[-_SHOWN_EDITS:])}
        tokens = [token for token in tokens if token.text in words]
    pairs = {(_visible(token.text), token.why): None for token in tokens}
    width = min(max((wcswidth(text) for text, _ in pairs), default=0), 24)
    return [f"  {text}{' ' * (width - wcswidth(text))}  {why}" for text, why in pairs]


def _gram(gram: Gram, paint: Callable[..., str]) -> str:
    precision, of_precision, recall, of_recall = gram.counts
    mark = f"{gram.mark:<7}"
    agree = f"{gram.agree}/{gram.references}"
    return (
        f"{paint(mark, _COLOUR_CODES[gram.mark])}{agree:>6}  precision {precision:.4g} of {of_precision:.4g}, "
        f"recall {recall:.4g} of {of_recall:.4g}  {_visible(gram.text)}"
    )
