"""Pictures for reports, as SVG: systems differ in colour and in the dash of their lines, so that paper tells too."""

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

# Okabe and Ito's colours, which stay apart for all kinds of colour vision, without the yellow, too pale for a line.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("-", "--", "-.", ":")
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e6ea",
    "svg.hashsalt": "sari",  # the same picture, to the byte, from the same numbers
    "svg.fonttype": "none",  # letters stay letters, so that names in any script show
    "text.parse_math": False,  # a name may hold dollars
}
_BINS = 20
# A legend of more systems than this stands beside the picture.
_INSIDE = 4


def histogram(values: Mapping[str, Sequence[float]], label: str, *, limits: tuple[float, float] | None = None) -> str:
    """Return how many segments have which value, in a line per system, or in bars for a single one.

    Args:
        values: for each system a number per segment.
        label: what the numbers are.
        limits: the ends of the axis; where there are none, all but the highest hundredth of the values fits in, and the
            last bar holds what lies beyond.
    """
    numbers = {name: np.asarray(column, np.float64) for name, column in values.items()}
    low, high = limits or _limits(np.concatenate(list(numbers.values())))
    edges = np.linspace(low, high, _BINS + 1)
    figure, axes = _figure()
    for column, style in zip(numbers.values(), _styles(), strict=False):
        counts, _ = np.histogram(np.clip(column, low, high), edges)
        if len(numbers) == 1:
            axes.stairs(counts, edges, fill=True, color=style["color"])
        else:
            axes.stairs(counts, edges, linewidth=1.8, **style)
    axes.set_xlabel(label)
    axes.set_ylabel("segments")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _svg(figure, axes, numbers)


def lines(values: Mapping[str, Sequence[float]], classes: Sequence[str], *, x: str, y: str) -> str:
    """Return a line per system over classes.

    Args:
        values: for each system a number per class.
        classes: what the classes are called.
        x, y: what the axes are called.
    """
    figure, axes = _figure()
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


def _figure() -> tuple[Figure, Axes]:
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(6.4, 3.0), layout="constrained")
        return figure, figure.subplots()


def _svg(figure: Figure, axes: Axes, names: Iterable[str]) -> str:
    names = [f" {name}" if name.startswith("_") else name for name in names]  # matplotlib hides labels that start so
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        if len(names) > 1:
            handles = [*axes.lines, *axes.patches]
            if len(names) <= _INSIDE:
                axes.legend(handles, names, frameon=False, fontsize=9)
            else:
                figure.legend(handles, names, frameon=False, fontsize=9, loc="outside right upper")
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
