"""What there is to show of scores, whatever the format: tables as rows of cells, and the lines that explain them."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from sari.report.results import SIGNIFICANT, Baseline, Difference, Result, ScoreReport
from sari.variants import OPERATIONS, SCORES, Figure, Score

#: The columns that hold words; all others hold figures.
WORDS = ("System", "Variant", "Operation", "Choice", "From", "To", "Figure", "Differs", "Recipe", "Measure", "Term")

_METHODS = {
    "bootstrap": "paired bootstrap, {resamples} resamples",
    "randomization": "paired approximate randomization, {resamples} trials",
}


class Cell(NamedTuple):
    """A text, whether it is the best of its column, and whether its difference is significant."""

    text: str
    best: bool = False
    significant: bool = False


class Table(NamedTuple):
    """A table with a title, which may be empty."""

    title: str
    header: list[str]
    rows: list[list[Cell]]


Row = Result | Baseline


def score_list(result: Result) -> list[str]:
    """Return the scores of a single result, one in a line."""
    labels = ("  SARI:", "    - Keep:", "    - Delete:", "    - Add:")
    return [
        f"{label:<15}{result.scores[name]:.2f}  {_interval(result, name)}".rstrip()
        for label, name in zip(labels, SCORES, strict=True)
    ]


def score_table(report: ScoreReport) -> Table:
    """Return the table of scores; columns that would say the same in every row, or nothing at all, are left out."""
    by_variant = report.variants.index
    rows: list[Row] = sorted([*report.results, *report.baselines], key=lambda row: by_variant(row.variant))
    columns = _name_columns(rows) | _score_columns(report)
    return Table("", list(columns), [[cell(row) for cell in columns.values()] for row in rows])


def further_tables(report: ScoreReport, by_order: bool) -> list[Table]:
    """Return the tables that were asked for besides: figures by n-gram order, and why variants differ."""
    several = len(report.systems) > 1
    orders = [_order_table(result, several) for result in report.results if by_order]
    references = _reference_tables(report)
    return orders + references + [_difference_table(difference, several) for difference in report.explanations]


def legend(report: ScoreReport, *, best: str) -> list[str]:
    """Return the lines that explain the table of scores; `best` is how it marks the best of a column."""
    lines = _resampling_legend(report)
    if len(report.systems) > 1:
        lines += [f"{best} the best system of the column"]
    if report.baselines:
        lines += ["copy: the sources as outputs; empty: no words"]
        if len(report.baselines) > 2 * len({row.variant for row in report.baselines}):
            lines += ["reference: each scored against the other references; references: their mean"]
    return lines


def _name_columns(rows: list[Row]) -> dict[str, Callable[[Row], Cell]]:
    columns: dict[str, Callable[[Row], Cell]] = {}
    if len({row.name for row in rows}) > 1 or len(rows) == 1:
        columns["System"] = lambda row: Cell(row.name)
    if len({row.variant for row in rows}) > 1:
        columns["Variant"] = lambda row: Cell(row.variant)
    return columns


def _score_columns(report: ScoreReport) -> dict[str, Callable[[Row], Cell]]:
    score, resampling = _score_cells(report), report.resampling
    columns: dict[str, Callable[[Row], Cell]] = {"SARI": partial(score, name="sari")}
    if resampling and resampling.confidence is not None:
        columns[f"{_percent(resampling.confidence)} CI"] = lambda row: Cell(_interval(row, "sari"))
    for name in OPERATIONS:
        columns[name.title()] = partial(score, name=name)
    if resampling and resampling.method is not None:
        columns["Diff."] = lambda row: Cell(_statistic(row, "differences", "+.2f"))
        columns["p"] = lambda row: Cell(_statistic(row, "p_values", ".4f"))
    return columns


def _score_cells(report: ScoreReport) -> Callable[..., Cell]:
    """Return what makes a cell of a row's score; baselines do not compete for the best."""
    rivals = len(report.systems) > 1
    best = {
        (variant, name): max(result.scores[name] for result in report.results if result.variant == variant)
        for variant in report.variants
        for name in SCORES
    }

    def cell(row: Row, name: Score) -> Cell:
        is_best = rivals and isinstance(row, Result) and row.scores[name] == best[row.variant, name]
        p_values = row.p_values if isinstance(row, Result) else None
        significant = name == "sari" and p_values is not None and p_values["sari"] < SIGNIFICANT
        return Cell(f"{row.scores[name]:.2f}", is_best, significant)

    return cell


def _order_table(result: Result, several: bool) -> Table:
    figures: tuple[Figure, ...] = ("precision", "recall", "f1", "score")
    rows = [
        [Cell(str(row["order"])), Cell(operation), *(Cell(f"{row[operation][name]:.2f}") for name in figures)]
        for row in result.orders
        for operation in OPERATIONS
    ]
    title = f"By order: {result.variant}" + (f", {result.name}" if several else "")
    return Table(title, ["Order", "Operation", "Precision", "Recall", "F1", "Score"], rows)


def _reference_tables(report: ScoreReport) -> list[Table]:
    """Return for each system and variant its scores by number of references."""
    tables: dict[tuple[str, str], list[list[Cell]]] = {}
    for row in report.by_references:
        own = row.mean["sari"], row.deviation["sari"], row.lowest["sari"], row.highest["sari"]
        figures = [f"{value:.2f}" for value in (*own, *(row.mean[name] for name in OPERATIONS))]
        cells = [Cell(text) for text in (str(row.references), str(row.subsets), *figures)]
        tables.setdefault((row.name, row.variant), []).append(cells)
    header = ["References", "Subsets", "SARI", "Std. dev.", "Lowest", "Highest", *map(str.title, OPERATIONS)]
    several = len(report.systems) > 1
    return [
        Table(f"By number of references: {variant}" + (f", {name}" if several else ""), header, rows)
        for (name, variant), rows in tables.items()
    ]


def _difference_table(difference: Difference, several: bool) -> Table:
    start, *steps = difference.steps
    whose = f", {difference.name}" if several else ""
    title = f"From {difference.variant_a} to {difference.variant_b}, one choice at a time{whose}"
    rows = [[difference.variant_a, "", "", f"{start['sari']:.2f}", ""]]
    rows += [
        [
            step["choice"] or "",
            step["before"] or "",
            step["after"] or "",
            f"{step['sari']:.2f}",
            f"{step['change']:+.2f}",
        ]
        for step in steps
    ]
    last = difference.steps[-1]["sari"]
    rows += [[difference.variant_b, "", "", f"{last:.2f}", f"{last - start['sari']:+.2f}"]]
    return Table(title, ["Choice", "From", "To", "SARI", "Change"], [[Cell(text) for text in row] for row in rows])


def _resampling_legend(report: ScoreReport) -> list[str]:
    lines: list[str] = []
    resampling = report.resampling
    if resampling and resampling.confidence is not None:
        lines += [
            f"{_percent(resampling.confidence)} CI: percentile bootstrap over segments, {resampling.resamples} "
            f"resamples, seed {resampling.seed}"
        ]
    if resampling and resampling.method is not None:
        method = _METHODS[resampling.method].format(resamples=resampling.resamples)
        lines += [
            f"Diff., p: SARI against {resampling.baseline}; two-sided, {method}, seed {resampling.seed}",
            f"Null hypothesis: a system and {resampling.baseline} are equally good, and differ by chance",
            f"* the null hypothesis is rejected: p < {SIGNIFICANT:g}",
        ]
    return lines


def _interval(row: Row, name: Score) -> str:
    if isinstance(row, Baseline) or row.confidence_intervals is None:
        return ""
    low, high = row.confidence_intervals[name]
    return f"[{low:.2f}, {high:.2f}]"


def _statistic(row: Row, name: str, form: str) -> str:
    """Return the difference or p-value of a row's SARI; baselines, and the system compared with, have none."""
    values = getattr(row, name, None)
    return format(values["sari"], form) if values else ""


def _percent(share: float) -> str:
    return f"{100 * share:g}%"
