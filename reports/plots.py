"""Draw the pictures of reports, as SVG. Systems differ in colour and in dashes, which also show without colours."""

import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

# The colours of systems are Okabe and Ito's, which people with any kind of colour vision can distinguish, without their
# yellow, which is too pale for white pages. Dark pages invert all of them.
_INK, _GRID = "#1d2530", "#e3e6ea"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("-", "--", "-.", ":")
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "figure.facecolor": "none",  # the page's
    "svg.hashsalt": "sari",  # the same picture, to the byte, from the same numbers
    "svg.fonttype": "none",  # letters stay letters, so that names in any script show
    "text.parse_math": False,  # a name may hold dollars
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK),
    "grid.color": _GRID,
}
_BINS = 20
# Inches: width and height of a picture, height of a line of the legend below it, and width of a letter there.
_WIDTH, _HEIGHT, _LINE, _LETTER = 6.4, 3.0, 0.19, 0.075
# Letters that the line next to a name in a legend takes, and the longest name.
_SAMPLE, _LONGEST = 7, 70
# A legend of more systems than this stands below the picture.
_INSIDE = 4


def histogram(values: Mapping[str, Sequence[float]], label: str, *, limits: tuple[float, float] | None = None) -> str:
    """Return a histogram of segments by value: a line per system, or bars for a single system.

    Args:
        values: for each system a number per segment.
        label: what the numbers are.
        limits: the ends of the axis. Without limits the axis ends at the 99th percentile; the last bar also counts all
            higher values, and the label says so.
    """
    numbers = {name: np.asarray(column, np.float64) for name, column in values.items()}
    low, high = limits or _limits(np.concatenate(list(numbers.values())))
    edges = np.linspace(low, high, _BINS + 1)
    figure, axes = _figure(values)
    for column, style in zip(numbers.values(), _styles(), strict=False):
        counts, _ = np.histogram(np.clip(column, low, high), edges)
        if len(numbers) == 1:
            axes.stairs(counts, edges, fill=True, color=style["color"])
        else:
            axes.stairs(counts, edges, linewidth=1.8, **style)
    axes.set_xlabel(f"{label}{rest_of(values) if limits is None else ''}")
    axes.set_ylabel("segments")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _svg(figure, axes, numbers)


def rest_of(values: Mapping[str, Sequence[float]]) -> str:
    """Return the remark about the last bar of a histogram without limits; empty if no value is higher than the axis.

    >>> rest_of({"a": [*range(300)]}), rest_of({"a": [1, 2]})
    ('; the last bar holds all from 282 on', '')
    """
    every = np.concatenate([np.asarray(column, np.float64) for column in values.values()])
    low, high = _limits(every)
    return f"; the last bar holds all from {high - (high - low) / _BINS:.3g} on" if every.max() > high else ""


def lines(values: Mapping[str, Sequence[float]], classes: Sequence[str], *, x: str, y: str) -> str:
    """Return a chart with a line per system over classes.

    Args:
        values: for each system a number per class.
        classes: what the classes are called.
        x, y: what the axes are called.
    """
    figure, axes = _figure(values)
    for column, style in zip(values.values(), _styles(), strict=False):
        axes.plot(range(len(classes)), column, marker="o", linewidth=1.8, **style)
    axes.set_xticks(range(len(classes)), classes)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.margins(y=0.15)
    return _svg(figure, axes, values)


def _limits(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(np.quantile(values, 0.99, method="higher"))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _styles() -> Iterable[dict[str, Any]]:
    return ({"color": colour, "linestyle": dash} for colour, dash in zip(cycle(_COLOURS), cycle(_DASHES), strict=False))


def _legend_columns(names: Sequence[str]) -> int:
    """Return how many names fit side by side below a picture."""
    return max(1, int(_WIDTH / _LETTER) // (max(map(len, names)) + _SAMPLE))


def _figure(names: Iterable[str]) -> tuple[Figure, Axes]:
    shown = list(map(_shown, names))
    lines_below = 0 if len(shown) <= _INSIDE else -(-len(shown) // _legend_columns(shown)) + 1
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, _HEIGHT + _LINE * lines_below), layout="constrained")
        return figure, figure.subplots()


def _shown(name: str) -> str:
    """Return a name for a legend: matplotlib hides names that begin with an underscore."""
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return f" {name}" if name.startswith("_") else name


def _svg(figure: Figure, axes: Axes, names: Iterable[str]) -> str:
    shown = list(map(_shown, names))
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        if len(shown) > 1:
            how: Any = {"handles": [*axes.lines, *axes.patches], "labels": shown, "frameon": False, "fontsize": 9}
            if len(shown) <= _INSIDE:
                axes.legend(**how)
            else:
                figure.legend(**how, loc="outside lower center", ncols=_legend_columns(shown))
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
