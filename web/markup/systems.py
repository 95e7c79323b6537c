"""Compared systems: a table of scores, a plot of their intervals, and the tests in words.

All of them take a report of one variant that has intervals and, where there are several systems, tests.
"""

from collections.abc import Collection
from math import ceil, floor, log10

from sari.report.results import SIGNIFICANT, Resampling, Result, ScoreReport
from sari.variants import OPERATIONS, Score
from sari.web.markup.elements import NAMES, escaped, heads, note, scrolling, signed, warnings

_TICKS = 5


def systems(report: ScoreReport, copies: Collection[str] = ()) -> str:
    """Return compared systems: what there is to doubt, a table of scores, a plot of intervals, the tests in words.

    Args:
        report: of one variant.
        copies: the systems that copy the sources, which win nothing.
    """
    resampling = report.resampling
    assert resampling is not None
    first, number = report.results[0], report.results[0].segments
    title = f"{number:,} {'segment' if number == 1 else 'segments'} under {escaped(first.variant)}"
    return (
        f'<div class="sari-page">{_copying(copies)}{warnings(report.warnings)}'
        f"{_table(report.results, resampling, title, copies)}{_plot(report.results, resampling)}"
        f"{_tests(report.results, resampling, copies)}</div>"
    )


def _copying(copies: Collection[str]) -> str:
    """Say first which systems copy the sources: their scores are no merit."""
    names = ", ".join(f"<b>{escaped(name)}</b>" for name in copies)
    does = "copies" if len(copies) == 1 else "copy"
    said = f"{names} mostly {does} the source: out of competition, whatever the score."
    return f'<p class="sari-refusal">{said}</p>' if copies else ""


def _table(results: list[Result], resampling: Resampling, title: str, copies: Collection[str]) -> str:
    """Return a row for each system; the best of a column is bold, and said; copies of the source do not compete."""
    rivals = [result for result in results if result.name not in copies]
    best = {name: max(result.scores[name] for result in rivals) for name in NAMES} if len(rivals) > 1 else {}
    rows = "".join(
        _row(result, {} if result.name in copies else best, resampling.baseline, result.name in copies)
        for result in results
    )
    interval = f"{_percent(resampling)} interval"
    names = ("System", "SARI", interval, *(NAMES[name] for name in OPERATIONS), "Difference", "p")
    table = f"<caption>{title}</caption><thead>{heads(names, sortable=True)}</thead><tbody>{rows}</tbody>"
    legend = f"Bold: the best of the column. *: significant at {SIGNIFICANT:.0%}."
    if len(results) > 2:
        legend += f" p: corrected for {len(results) - 1} comparisons (Holm 1979)."
    return scrolling(table, "sari-systems sari-sortable", "Scores of the systems") + (
        note(legend) if len(results) > 1 else ""
    )


def _row(result: Result, best: dict[Score, float], baseline: str | None, copies: bool) -> str:
    """Return a system's row; `best` has the best score of each column, where systems compete."""
    low, high = _interval(result)
    between = f"{low:.2f} to {high:.2f}" if result.confidence_intervals else ""
    test = "<td></td><td></td>"
    if result.differences is not None and result.corrected_p_values is not None:
        p_value = result.corrected_p_values["sari"]
        star = "*" * (p_value < SIGNIFICANT and not copies)
        test = f"<td>{signed(result.differences['sari'])}</td><td>{p_value:.4f}{star}</td>"
    of_baseline = " <small>baseline</small>" if best and result.name == baseline else ""
    of_baseline += " <small>copies the source</small>" if copies else ""
    sari, *operations = (_score(result.scores[name], best.get(name)) for name in NAMES)
    return (
        f'<tr><th scope="row">{escaped(result.name)}{of_baseline}</th>{sari}'
        f"<td>{between}</td>{''.join(operations)}{test}</tr>"
    )


def _score(score: float, best: float | None) -> str:
    if best is None or score < best:
        return f"<td>{score:.2f}</td>"
    return f'<td><b>{score:.2f}</b><span class="sari-unseen"> best</span></td>'


def _plot(results: list[Result], resampling: Resampling) -> str:
    """Return the scores as dots on their intervals; the baseline's dot is a square, on a dashed line."""
    percent, baseline = _percent(resampling), resampling.baseline
    values = [value for result in results for value in (result.scores["sari"], *_interval(result))]
    ticks = _ticks(min(values), max(values))
    compared_with = next(result.scores["sari"] for result in results if result.name == baseline)
    lines = "".join(f'<i class="tick" style="left:{_place(tick, ticks)}"></i>' for tick in ticks)
    lines += f'<i class="against" style="left:{_place(compared_with, ticks)}"></i>'
    numbers = "".join(f'<span style="left:{_place(tick, ticks)}">{tick:g}</span>' for tick in ticks)
    rows = "".join(_plotted(result, resampling, ticks, lines) for result in results)
    several = f" The square and the dashed line stand for the baseline, {escaped(baseline)}."
    against = several if len(results) > 1 else ""
    return (
        f'<figure class="sari-intervals"><ul aria-label="SARI with {percent} intervals">{rows}</ul>'
        f'<div class="axis" aria-hidden="true"><span class="track">{numbers}</span></div>'
        f"<figcaption>SARI and its {percent} interval, from a bootstrap over segments.{against} The scale runs from "
        f"{ticks[0]:g} to {ticks[-1]:g}.</figcaption></figure>"
    )


def _plotted(result: Result, resampling: Resampling, ticks: list[float], lines: str) -> str:
    """Return a system's row of the plot; `lines` are those that all rows share."""
    sari, (low, high) = result.scores["sari"], _interval(result)
    kind = "of-baseline" if result.name == resampling.baseline else "of-system"
    width = 100 * (high - low) / (ticks[-1] - ticks[0])
    label = f"{sari:.2f}"
    if result.confidence_intervals:
        label += f", {_percent(resampling)} interval from {low:.2f} to {high:.2f}"
    return (
        f'<li><span class="name">{escaped(result.name)}</span>'
        f'<span class="track" role="img" aria-label="{label}">{lines}'
        f'<i class="range" style="left:{_place(low, ticks)};width:{width:.2f}%"></i>'
        f'<i class="{kind}" style="left:{_place(sari, ticks)}"></i></span><b aria-hidden="true">{sari:.2f}</b></li>'
    )


def _place(value: float, ticks: list[float]) -> str:
    return f"{100 * (value - ticks[0]) / (ticks[-1] - ticks[0]):.2f}%"


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


def _tests(results: list[Result], resampling: Resampling, copies: Collection[str]) -> str:
    others = [result for result in results if result.name != resampling.baseline]
    if not others or resampling.method is None:
        return note("One system alone is not tested: add the outputs of another.")
    tested = {result.name: _test(result, resampling) for result in others}
    copying = "It copies the source, so the difference is no progress."
    items = "".join(f"<li>{said} {copying if name in copies else ''}</li>" for name, said in tested.items())
    draws = f"{resampling.trials:,} {resampling.test.draws}"
    how = f"{resampling.test.title}, two-sided, {draws}, seed {resampling.seed}."
    if len(others) > 1:
        how += f" What is significant follows the p-values corrected for {len(others)} comparisons (Holm 1979)."
    return f'<h2>Is it chance?</h2><ul class="sari-tests">{items}</ul>{note(how)}'


def _test(result: Result, resampling: Resampling) -> str:
    """Return in words how far a system is from the baseline, and how often chance would bring it as far."""
    assert result.differences is not None
    assert result.p_values is not None
    assert result.corrected_p_values is not None
    assert resampling.trials is not None
    points, p_value = result.differences["sari"], result.p_values["sari"]
    corrected = result.corrected_p_values["sari"]
    one, other = f"<b>{escaped(result.name)}</b>", f"<b>{escaped(resampling.baseline)}</b>"
    if points == 0:
        return f"SARI of {one} is the same as that of {other}."
    size = f"{abs(points):.2f}" if abs(points) >= 0.005 else "less than 0.01"
    said = f"SARI of {one} is {size} {'higher' if points > 0 else 'lower'} than that of {other}"
    if result.segments == 1:
        return f"{said}; a single segment cannot tell whether that is chance."
    often = round(p_value * (resampling.trials + 1)) - 1  # the p-value counts the data themselves as one
    of_all = f"{often:,}" if often else "none"
    significant = "" if corrected < SIGNIFICANT else "not "
    of_several = f", corrected {corrected:.4f}" if resampling.comparisons > 1 else ""
    return (
        f"{said}; chance alone made a difference as large in {of_all} of {resampling.trials:,} "
        f"{resampling.test.draws} (p = {p_value:.4f}{of_several}): <strong>{significant}significant at "
        f"{SIGNIFICANT:.0%}</strong>."
    )


def _interval(result: Result) -> list[float]:
    """Return the interval, or where there is none, of a single segment, the score alone."""
    sari = result.scores["sari"]
    return [sari, sari] if result.confidence_intervals is None else result.confidence_intervals["sari"]


def _percent(resampling: Resampling) -> str:
    assert resampling.confidence is not None
    return f"{100 * resampling.confidence:g}%"
