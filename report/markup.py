"""Explanations and scores as HTML: the only place that knows what the page looks like; its style is in page.css.

Every text that a visitor may have written goes through `_text`, which escapes it.
"""

import html
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from report.explanation import MARKS, OPERATIONS, Explanation, Gram, Token
from report.tables import SIGNIFICANT
from variants import VARIANTS

NAMES = {"sari": "SARI", "keep": "Keep", "delete": "Delete", "add": "Add"}
_FIGURES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_LEGEND = {name: meaning for name, meaning in MARKS.items() if name != "kept"}
_SHOWN_GRAMS = 60
_BINS = 20
_TICKS = 5
_RANDOM = {"bootstrap": "resamples", "randomization": "random swaps"}


def refusal(message: str) -> str:
    """Return a line that says what is wanted."""
    return f'<p class="sari-refusal" role="status">{_text(message)}</p>'


def scores(values: Mapping[str, float], note: str = "") -> str:
    """Return SARI, large, and the operations beside it as bars; values in percent."""
    bars = "".join(_bar(NAMES[name], values[name], name) for name in OPERATIONS)
    note = note or "SARI is the mean of the three. More is better, 100 is the most."
    return (
        '<section class="sari-scores" aria-label="Scores">'
        f'<div class="sari-total"><span>SARI</span><strong>{values["sari"]:.2f}</strong></div>'
        f'<div class="sari-bars">{bars}</div><p>{_text(note)}</p></section>'
    )


def texts(found: Explanation) -> str:
    """Return source, output and what the output missed, with every token marked, and the legend."""
    missed = _tokens(found.missed) if found.missed else '<p class="sari-none">Nothing.</p>'
    return (
        '<section class="sari-texts" aria-label="Marked texts">'
        f"<h3>Source</h3>{_tokens(found.source)}"
        f"<h3>Output</h3>{_tokens(found.output) if found.output else '<p class=sari-none>No words.</p>'}"
        f"<h3>Missed additions</h3>{missed}"
        f"{_legend()}"
        '<p class="sari-hint">Hover over, tap or tab to a word to see why. Straight lines are for what earns at least '
        "half of the credit, as a rule because at least half of the references agree.</p></section>"
    )


def orders(rows: Sequence[Mapping[str, Any]], variant: str) -> str:
    """Return a table per operation: precision, recall and F1 of every n-gram order, with what counts in bold."""
    row = VARIANTS[variant]
    counting = {"keep": "f1", "delete": row.deletion, "add": row.addition}
    tables = "".join(_order_table(rows, operation, counting[operation]) for operation in OPERATIONS)
    return f'<section class="sari-orders" aria-label="Figures by n-gram order">{tables}</section>'


def grams(found: Explanation) -> str:
    """Return for every n-gram order and operation the n-grams and what they add to precision and recall."""
    parts = []
    for order, by_operation in enumerate(found.grams, 1):
        lists = "".join(_gram_list(operation, by_operation[operation]) for operation in OPERATIONS)
        opened = " open" if order == 1 else ""
        parts.append(f"<details{opened}><summary>{_size(order)}</summary>{lists}</details>")
    return f'<section class="sari-grams">{"".join(parts)}</section>'


def given(source: str, output: str, references: Iterable[str]) -> str:
    """Return the texts that were scored, unmarked."""
    rows = [("Source", source), ("Output", output), *(("Reference", reference) for reference in references)]
    items = "".join(f"<dt>{label}</dt><dd>{_text(value) or '–'}</dd>" for label, value in rows)
    return f'<div class="sari-page"><h3>The texts</h3><dl class="sari-given">{items}</dl></div>'


def comparison(results: Mapping[str, Mapping[str, float]], summaries: Mapping[str, str]) -> str:
    """Return the scores of one input under several variants, their spread first, the highest score on top."""
    ranked = sorted(results, key=lambda name: -results[name]["sari"])
    low, high = results[ranked[-1]]["sari"], results[ranked[0]]["sari"]
    items = "".join(_variant(name, results[name], summaries[name]) for name in ranked)
    return (
        '<section class="sari-variants" aria-label="Scores under every variant">'
        f'<p class="sari-spread"><strong>{high - low:.1f}</strong> points between the highest and the lowest SARI '
        f"of the same texts: {low:.1f} under <b>{ranked[-1]}</b>, {high:.1f} under <b>{ranked[0]}</b>.</p>"
        f"<ul>{items}</ul></section>"
    )


def difference(found: Mapping[str, Any]) -> str:
    """Return the walk from one variant to another as a table: every choice and what it does to SARI."""
    first, *steps = found["steps"]
    one, other = _text(found["variant_a"]), _text(found["variant_b"])
    last = found["steps"][-1]["sari"]
    if not steps:
        return note(f"{found['variant_a']} and {found['variant_b']} are the same.")
    rows = "".join(
        f'<tr><th scope="row">{_text(step["choice"])}</th><td>{_text(step["before"])}</td>'
        f"<td>{_text(step['after'])}</td><td>{step['sari']:.2f}</td><td>{_signed(step['change'])}</td></tr>"
        for step in steps
    )
    heads = ("Choice", "From", "To", "SARI", "Change")
    body = (
        f"<caption>From {one} to {other}, one choice at a time</caption><thead>{_heads(heads)}</thead>"
        f'<tbody><tr><th scope="row">{one}</th><td></td><td></td><td>{first["sari"]:.2f}</td><td></td></tr>{rows}'
        f'<tr class="total"><th scope="row">{other}</th><td></td><td></td><td>{last:.2f}</td>'
        f"<td>{_signed(last - first['sari'])}</td></tr></tbody>"
    )
    return _scrolling(body, "sari-steps", "Why the two differ")


def systems(found: Mapping[str, Any], variant: str) -> str:
    """Return compared systems: a table of scores, a plot of their intervals, the tests in words, and the notes."""
    number = found["segments"]
    title = f"{number:,} {'segment' if number == 1 else 'segments'} under {_text(variant)}"
    return (
        f'<div class="sari-page">{_system_table(found, title)}{_system_plot(found)}{_tests(found)}'
        f"{notes(found['notes'])}</div>"
    )


def notes(found: Iterable[Mapping[str, str]]) -> str:
    """Return what there is to note about a score, or nothing."""
    items = "".join(f"<li><b>Note:</b> {_text(one['message'])}.</li>" for one in found)
    return f'<ul class="sari-notes" aria-label="Notes">{items}</ul>' if items else ""


def corpus(
    result: Mapping[str, Any], sentences: Sequence[float], variant: str, noted: Iterable[Mapping[str, str]] = ()
) -> str:
    """Return the scores of a corpus, its notes, the histogram of its sentences' SARI, and the figures by order."""
    number = len(sentences)
    note = f"{number:,} {'segment' if number == 1 else 'segments'} under {variant}."
    return (
        f'<div class="sari-page">{scores(result, note)}{notes(noted)}<h3>Sentence scores</h3>{_histogram(sentences)}'
        f"<h3>By n-gram order</h3>{orders(result['orders'], variant)}</div>"
    )


def signature(line: str) -> str:
    """Return the signature, small."""
    return f'<p class="sari-signature"><code>{_text(line)}</code></p>'


def note(message: str) -> str:
    """Return a remark."""
    return f'<p class="sari-note">{_text(message)}</p>'


def head(limit: str) -> str:
    """Return the head of the page."""
    return (
        '<header class="sari-head"><h1>SARI, explained</h1><p>SARI scores text simplification: it rewards an output '
        "for what it <b>keeps</b>, <b>deletes</b> and <b>adds</b> as people do in their references. See word by word "
        f"why an output gets its score, under every published variant. {_text(limit)}</p></header>"
    )


def _text(value: object) -> str:
    return html.escape(str(value), quote=True)


def _bar(label: str, value: float, kind: str) -> str:
    return (
        f'<div class="sari-bar"><span>{label}</span>'
        f'<span class="sari-track" role="meter" aria-label="{label}" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{value:.2f}"><i class="{kind}" style="width:{value:.2f}%"></i></span>'
        f"<b>{value:.2f}</b></div>"
    )


def _tokens(tokens: Iterable[Token]) -> str:
    return f'<div class="sari-text" role="list">{" ".join(map(_token, tokens))}</div>'


def _token(token: Token) -> str:
    shown = _text(token.text) or "␣"
    spoken = f"{shown}, {MARKS[token.mark]}. {_text(token.why)}"
    return (
        f'<span class="sari-token" role="listitem" tabindex="0" aria-label="{spoken}">{_marked(shown, token.mark)}'
        f'<span class="sari-why" aria-hidden="true"><b>{shown}</b> {_text(token.why)}</span></span>'
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


def _order_table(rows: Sequence[Mapping[str, Any]], operation: str, counting: str) -> str:
    head = "".join(f'<th scope="col"{_counts(name, counting)}>{label}</th>' for name, label in _FIGURES.items())
    body = "".join(
        f'<tr><th scope="row">{row["order"]}</th>'
        + "".join(f"<td{_counts(name, counting)}>{row[operation][name]:.2f}</td>" for name in _FIGURES)
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{NAMES[operation]} <small>counts: {_FIGURES[counting]}</small></caption>"
        f'<thead><tr><th scope="col">n</th>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _counts(name: str, counting: str) -> str:
    return ' class="counts"' if name == counting else ""


def _gram_list(operation: str, found: Sequence[Gram]) -> str:
    sums = [sum(gram.counts[place] for gram in found) for place in range(4)]
    chips = "".join(map(_gram, found[:_SHOWN_GRAMS]))
    more = f"<li>and {len(found) - _SHOWN_GRAMS:,} more</li>" if len(found) > _SHOWN_GRAMS else ""
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
    shown = _text(gram.text) or "␣"
    return f'<li class="gram-{gram.mark}" title="{title}"><span>{shown}</span> <small>{count}</small></li>'


def _variant(name: str, values: Mapping[str, float], summary: str) -> str:
    parts = ", ".join(f"{NAMES[operation].lower()} {values[operation]:.2f}" for operation in OPERATIONS)
    return f"<li>{_bar(name, values['sari'], 'sari')}<p>{_text(summary)}. <small>{parts}</small></p></li>"


def _histogram(values: Sequence[float]) -> str:
    width, height, step = 400, 120, 100 / _BINS
    counts = [0] * _BINS
    for value in values:
        counts[min(int(value / step), _BINS - 1)] += 1
    most = max(counts)
    bars = "".join(
        f'<rect x="{place * width / _BINS + 1:g}" y="{height - height * count / most:.1f}" '
        f'width="{width / _BINS - 2:g}" height="{height * count / most:.1f}">'
        f"<title>{place * step:g} to {(place + 1) * step:g}: {count}</title></rect>"
        for place, count in enumerate(counts)
    )
    ticks = "".join(
        f'<text x="{width * tick / 100:g}" y="{height + 16}" text-anchor="middle">{tick}</text>'
        for tick in range(0, 101, 20)
    )
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    label = f"SARI per sentence: from {ordered[0]:.1f} to {ordered[-1]:.1f}, median {median:.1f}"
    return (
        f'<figure class="sari-histogram"><svg viewBox="-12 -4 {width + 24} {height + 26}" role="img" '
        f'aria-label="{label}">{bars}<line x1="0" x2="{width}" y1="{height}" y2="{height}"/>{ticks}</svg>'
        f"<figcaption>{label}. The tallest bar has {most:,}.</figcaption></figure>"
    )


def _system_table(found: Mapping[str, Any], title: str) -> str:
    """Return a row for each system; the best of a column is bold, and said."""
    all_systems, baseline = found["systems"], found["baseline"]
    top = {name: max(system[name] for system in all_systems.values()) for name in NAMES}

    def score(system: Mapping[str, Any], name: str) -> str:
        shown = f"{system[name]:.2f}"
        if len(all_systems) == 1 or system[name] < top[name]:
            return f"<td>{shown}</td>"
        return f'<td><b>{shown}</b><span class="sari-unseen"> best</span></td>'

    def row(name: str, system: Mapping[str, Any]) -> str:
        low, high = system["confidence_intervals"]["sari"]
        test = "<td></td><td></td>"
        if name != baseline:
            p_value = system["p_values"]["sari"]
            star = "*" * (p_value < SIGNIFICANT)
            test = f"<td>{_signed(system['differences']['sari'])}</td><td>{p_value:.4f}{star}</td>"
        of_baseline = " <small>baseline</small>" if name == baseline and len(all_systems) > 1 else ""
        operations = "".join(score(system, operation) for operation in OPERATIONS)
        return (
            f'<tr><th scope="row">{_text(name)}{of_baseline}</th>{score(system, "sari")}'
            f"<td>{low:.2f} to {high:.2f}</td>{operations}{test}</tr>"
        )

    rows = "".join(row(name, system) for name, system in all_systems.items())
    interval = f"{100 * found['confidence']:g}% interval"
    heads = ("System", "SARI", interval, *(NAMES[name] for name in OPERATIONS), "Difference", "p")
    head = f"<caption>{title}</caption><thead>{_heads(heads)}</thead>"
    legend = f"Bold: the best of the column. *: significant at {SIGNIFICANT:.0%}." if len(all_systems) > 1 else ""
    return _scrolling(f"{head}<tbody>{rows}</tbody>", "sari-systems", "Scores of the systems") + (
        note(legend) if legend else ""
    )


def _system_plot(found: Mapping[str, Any]) -> str:
    """Return the scores as dots on their intervals; the baseline's dot is a square, on a dashed line."""
    percent, baseline = f"{100 * found['confidence']:g}%", found["baseline"]
    all_systems = found["systems"]
    ends = [end for system in all_systems.values() for end in system["confidence_intervals"]["sari"]]
    ends += [system["sari"] for system in all_systems.values()]
    ticks = _ticks(min(ends), max(ends))

    def place(value: float) -> str:
        return f"{100 * (value - ticks[0]) / (ticks[-1] - ticks[0]):.2f}%"

    def row(name: str, system: Mapping[str, Any]) -> str:
        low, high = system["confidence_intervals"]["sari"]
        kind = "of-baseline" if name == baseline else "of-system"
        width = 100 * (high - low) / (ticks[-1] - ticks[0])
        label = f"{system['sari']:.2f}, {percent} interval from {low:.2f} to {high:.2f}"
        return (
            f'<li><span class="name">{_text(name)}</span><span class="track" role="img" aria-label="{label}">{lines}'
            f'<i class="range" style="left:{place(low)};width:{width:.2f}%"></i>'
            f'<i class="{kind}" style="left:{place(system["sari"])}"></i></span><b aria-hidden="true">'
            f"{system['sari']:.2f}</b></li>"
        )

    lines = "".join(f'<i class="tick" style="left:{place(tick)}"></i>' for tick in ticks)
    lines += f'<i class="against" style="left:{place(all_systems[baseline]["sari"])}"></i>'
    numbers = "".join(f'<span style="left:{place(tick)}">{tick:g}</span>' for tick in ticks)
    rows = "".join(row(name, system) for name, system in all_systems.items())
    against = (
        f" The square and the dashed line stand for the baseline, {_text(baseline)}." if len(all_systems) > 1 else ""
    )
    return (
        f'<figure class="sari-intervals"><ul aria-label="SARI with {percent} intervals">{rows}</ul>'
        f'<div class="axis" aria-hidden="true"><span class="track">{numbers}</span></div>'
        f"<figcaption>SARI and its {percent} interval, from a bootstrap over segments.{against} The scale runs from "
        f"{ticks[0]:g} to {ticks[-1]:g}.</figcaption></figure>"
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers, evenly spaced, about so many as `_TICKS`, that low and high lie between.

    >>> _ticks(31.7, 44.2)
    [30.0, 35.0, 40.0, 45.0]
    >>> _ticks(50.0, 50.0)
    [49.0, 49.5, 50.0, 50.5, 51.0]
    """
    if high - low < 0.01:
        low, high = low - 1, high + 1
    rough = (high - low) / _TICKS
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [round(number * step, 6) for number in range(floor(low / step), ceil(high / step) + 1)]


def _tests(found: Mapping[str, Any]) -> str:
    others = {name: system for name, system in found["systems"].items() if name != found["baseline"]}
    if not others:
        return note("One system alone is not tested: add the outputs of another.")
    items = "".join(f"<li>{_test(name, system, found)}</li>" for name, system in others.items())
    method = {"bootstrap": "Paired bootstrap", "randomization": "Paired randomization"}[found["method"]]
    how = f"{method}, two-sided, {found['resamples']:,} {_RANDOM[found['method']]}, seed {found['seed']}."
    if len(others) > 1:
        how += f" Each of the {len(others)} differences is tested on its own."
    return f'<h3>Is it chance?</h3><ul class="sari-tests">{items}</ul>{note(how)}'


def _test(name: str, system: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return in words how far a system is from the baseline, and how often chance would bring it as far."""
    points, p_value = system["differences"]["sari"], system["p_values"]["sari"]
    one, other = f"<b>{_text(name)}</b>", f"<b>{_text(found['baseline'])}</b>"
    if points == 0:
        return f"SARI of {one} is the same as that of {other}."
    size = f"{abs(points):.2f}" if abs(points) >= 0.005 else "less than 0.01"
    said = f"SARI of {one} is {size} {'higher' if points > 0 else 'lower'} than that of {other}"
    if found["segments"] == 1:
        return f"{said}; a single segment cannot tell whether that is chance."
    often = round(p_value * (found["resamples"] + 1)) - 1  # the p-value counts the data themselves as one
    of_all = f"{often:,}" if often else "none"
    significant = "" if p_value < SIGNIFICANT else "not "
    return (
        f"{said}; chance alone made a difference as large in {of_all} of {found['resamples']:,} "
        f"{_RANDOM[found['method']]} (p = {p_value:.4f}): <strong>{significant}significant at "
        f"{SIGNIFICANT:.0%}</strong>."
    )


def _heads(names: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in names) + "</tr>"


def _scrolling(body: str, kind: str, label: str) -> str:
    """Return a table that scrolls by itself where the screen is too narrow."""
    return f'<div class="sari-table {kind}" role="region" aria-label="{label}" tabindex="0"><table>{body}</table></div>'


def _signed(number: float) -> str:
    """Return a difference with its sign, and none where it rounds to 0.

    >>> _signed(1.5), _signed(-0.001), _signed(-2)
    ('+1.50', '0.00', '\u22122.00')
    """
    if abs(number) < 0.005:
        return "0.00"
    return f"{number:+.2f}".replace("-", "−")
