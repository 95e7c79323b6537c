"""Draw the pictures of reports and of the app, as SVG.

Systems differ in colour and in dashes, which also show without colours. The ground is transparent, and dark pages
invert all colours: `invert(1) hue-rotate(180deg)`.
"""

import base64
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

from sari.messages import escape_unprintable, truncate
from sari.reports.score_report import FEW, ScoreRow

# The colours of systems are Okabe and Ito's, which people with any kind of colour vision can distinguish, without their
# yellow, which is too pale for white pages.
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
# Inches: width and height of a picture, and height of a line in a picture of intervals.
_WIDTH, _HEIGHT, _LINE = 6.4, 3.0, 0.3
# The longest name that is shown.
_LONGEST = 70


def histogram(values: Mapping[str, Sequence[float]], label: str) -> str:
    """Return a histogram of segments by a score in percent: a line per system, or bars for a single system.

    Args:
        values: for each system a number per segment.
        label: what the numbers are.
    """
    edges = np.linspace(0, 100, _BINS + 1)
    figure, axes = _figure()
    for column, style in zip(values.values(), _styles(), strict=False):
        counts, _ = np.histogram(column, edges)
        if len(values) == 1:
            axes.stairs(counts, edges, fill=True, color=style["color"])
        else:
            axes.stairs(counts, edges, linewidth=1.8, **style)
    axes.set_xlabel(label)
    axes.set_ylabel("segments")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _svg(figure, axes, values)


def lines(values: Mapping[str, Sequence[float]], classes: Sequence[str], *, x: str, y: str) -> str:
    """Return a chart with a line per system over classes.

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


def intervals(rows: Sequence[ScoreRow], against: str | None) -> str:
    """Return SARI as dots on their intervals, one below the other; those of baselines are hollow.

    Args:
        rows: of systems and baselines.
        against: the name of the system whose SARI is a dashed line; None for none.
    """
    figure, axes = _figure(1.0 + _LINE * len(rows))
    for place, row in enumerate(rows):
        sari, colour = row.scores["sari"], "white" if row.kind == "baseline" else _COLOURS[0]
        ends = row.confidence_intervals.get("sari", [sari, sari])
        axes.plot(ends, [place, place], color=_COLOURS[0], linewidth=2.5, solid_capstyle="butt")
        axes.plot(sari, place, "o", color=_COLOURS[0], markerfacecolor=colour)
        if row.kind == "system" and row.name == against:
            axes.axvline(sari, color=_INK, linestyle="--", linewidth=1, zorder=0)
    axes.set_yticks(range(len(rows)), [_legend_name(row.title) for row in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("SARI")
    return _svg(figure, axes, ())


def data_url(svg: str) -> str:
    """Return a picture as the address of an image."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _styles() -> Iterable[dict[str, Any]]:
    return ({"color": colour, "linestyle": dash} for colour, dash in zip(cycle(_COLOURS), cycle(_DASHES), strict=False))


def _figure(height: float = _HEIGHT) -> tuple[Figure, Axes]:
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height))
        return figure, figure.subplots()


def _legend_name(name: str) -> str:
    """Return a name for a legend: SVG has no control characters, and matplotlib hides names that begin with "_"."""
    name = truncate(escape_unprintable(name), _LONGEST)
    return f" {name}" if name.startswith("_") else name


def _svg(figure: Figure, axes: Axes, names: Iterable[str]) -> str:
    """Return a figure, with a legend of several names: next to the axes where it is long."""
    legend = list(map(_legend_name, names))
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        if len(legend) > 1:
            position: Any = {} if len(legend) <= FEW else {"loc": "upper left", "bbox_to_anchor": (1.02, 1)}
            axes.legend([*axes.lines, *axes.patches], legend, frameon=False, fontsize=9, **position)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return file.getvalue()
