"""A plot of scores as dots on their intervals, which needs neither pictures nor scripts."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from sari.web.markup.elements import escaped

_TICKS = 5


class Dot(NamedTuple):
    """A score in a plot.

    Attributes:
        name: what it is the score of, as a visitor may have written it.
        value, low, high: it, and the ends of its interval.
        shown: the score, beside the plot.
        said: what stands for the row of the plot where it is not seen.
    """

    name: str
    value: float
    low: float
    high: float
    shown: str
    said: str


def plot(dots: Sequence[Dot], label: str, caption: str, against: str | None = None) -> str:
    """Return scores as dots on their intervals.

    Args:
        dots: at least one.
        label: of the plot.
        caption: HTML below it; the range of the scale is added.
        against: the name of the one whose dot is a square, on a dashed line.
    """
    ticks = _ticks(min(dot.low for dot in dots), max(dot.high for dot in dots))
    lines = "".join(f'<i class="tick" style="left:{_place(tick, ticks)}"></i>' for tick in ticks)
    lines += "".join(
        f'<i class="against" style="left:{_place(dot.value, ticks)}"></i>' for dot in dots if dot.name == against
    )
    numbers = "".join(f'<span style="left:{_place(tick, ticks)}">{_tick(tick)}</span>' for tick in ticks)
    rows = "".join(_row(dot, ticks, lines, dot.name == against) for dot in dots)
    return (
        f'<figure class="sari-intervals"><ul aria-label="{label}">{rows}</ul>'
        f'<div class="axis" aria-hidden="true"><span class="track">{numbers}</span></div>'
        f"<figcaption>{caption} The scale runs from {_tick(ticks[0])} to {_tick(ticks[-1])}.</figcaption></figure>"
    )


def _row(dot: Dot, ticks: list[float], lines: str, is_against: bool) -> str:
    """Return a row of the plot; `lines` are those that all rows share."""
    kind = "of-baseline" if is_against else "of-system"
    width = 100 * (dot.high - dot.low) / (ticks[-1] - ticks[0])
    return (
        f'<li><span class="name">{escaped(dot.name)}</span>'
        f'<span class="track" role="img" aria-label="{dot.said}">{lines}'
        f'<i class="range" style="left:{_place(dot.low, ticks)};width:{width:.2f}%"></i>'
        f'<i class="{kind}" style="left:{_place(dot.value, ticks)}"></i></span>'
        f'<b aria-hidden="true">{dot.shown}</b></li>'
    )


def _place(value: float, ticks: list[float]) -> str:
    return f"{100 * (value - ticks[0]) / (ticks[-1] - ticks[0]):.2f}%"


def _tick(value: float) -> str:
    return f"{value:g}".replace("-", "−")


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
