"""The tables of a `ScoreReport`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sari.messages import RefusedValueError, fault
from sari.reports.paragraph import methods_paragraph
from sari.reports.score_report import FEW, Figures, ScoreReport, ScoreRow, score_fields, score_records
from sari.reports.tables import (
    HIGHER,
    LOWER,
    Cell,
    Table,
    TableReport,
    interval_heading,
    interval_text,
    make_table,
    table_of_columns,
)
from sari.validation import check_choice
from sari.variants import OPERATIONS, SCORES
from sari.variants import Figure as Ratio

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import OrderFigures
    from sari.companion_measures.registry import Measure
    from sari.variant_comparison import VariantDifference

#: What people call the scores.
LABELS = {"sari": "SARI", "keep": "Keep", "delete": "Delete", "add": "Add"}
#: What the baselines are.
BASELINE_SUMMARIES = {
    "copy": "the sources as outputs",
    "empty": "outputs without words",
    "unrelated": "references of other segments",
    "perfect": "the first references, scored with all of them: how high a score can be",
    "references": "mean of the references (at most ten), each scored against the others",
    "reference 1": "the first references, scored against the others",
}
#: The decimals of scores, for which those of measures are meant.
DIGITS = 2
_Item = TypeVar("_Item")
# A heading with the cells below it.
_Column = tuple[str, Sequence[str | Cell]]


class _RowColumn(NamedTuple):
    """A column of the table of scores whose cells are no scores.

    Attributes:
        field: of the rows.
        heading: of the column.
        text: from a row to its cell; the column is left out where all are empty.
        note: what the column means.
    """

    field: str
    heading: str
    text: Callable[[ScoreRow], str]
    note: str


#: The columns that are no scores, by the names that `tabulate_scores` takes.
_ROW_COLUMNS = {
    "group": _RowColumn(
        "group",
        "Group",
        lambda row: str(row.group or ""),
        "Group: a new one starts where every system above is significantly better than every system below",
    ),
    "ranks": _RowColumn(
        "rank",
        "Ranks",
        lambda row: "-".join(map(str, dict.fromkeys(row.rank or []))),
        "Ranks: best and worst that the tests allow",
    ),
}
#: The columns of scores and differences besides companion measures, by the names that `tabulate_scores` takes.
SHOWN = (*SCORES, "intervals", "difference", "p", *_ROW_COLUMNS)


def tabulate_scores(
    report: ScoreReport, *, by_order: bool = False, digits: int = DIGITS, show: Collection[str] | None = None
) -> TableReport:
    """Return the tables of a report, for any format: one of scores, one of tested differences, and those asked for.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
        digits: decimals of scores in the tables; with more than `DIGITS`, measures have as many more than theirs.
        show: the columns of scores and differences, by names that `check_show` takes; None for all.

    Raises:
        ValueError: where nothing is left to show.
    """
    names = {*SHOWN, *(measure.name for measure in report.measures)} if show is None else {*show}
    shown = only_shown(report, names)
    scores = [_Figure(name, LABELS[name], digits) for name in SCORES]
    measures = [
        _Figure(row.name, row.label, max(row.digits + digits - DIGITS, 0), row.unit, row.better)
        for row in shown.measures
    ]
    tested = [figure for figure in (*scores, *measures) if figure.name in (show or ())] or [scores[0], *measures]
    of_scores = list(_score_table(shown, [figure for figure in scores if figure.name in names]))
    of_subsets = list(_subset_tables(shown, [figure for figure in (*scores, *measures) if figure.name in names]))
    of_differences = list(_difference_table(shown, tested, names))
    more = [
        *(
            tabulate_orders(_title(report, "n-gram order", row.name, row.variant), row.orders, digits)
            for row in report.results
            if by_order
        ),
        *_reference_tables(report, digits),
        *(standing.table(report.results, digits) for standing in report.published if standing.rows),
    ]
    of_measures = list(_measure_tables(shown, [figure for figure in measures if figure.name in names]))
    of_steps = [tabulate_steps(part, digits, number) for number, part in _parts(report.explanations)]
    tables = [*of_scores, *of_differences, *more, *of_measures, *of_subsets, *of_steps]
    if not tables:
        raise RefusedValueError(fault("show", ", ".join(names), "a score, measure or difference that there is"))
    if not (of_scores or of_subsets or more or of_steps or (of_differences and tested[0].name in SCORES)):
        shown = replace(shown, scored_by={})  # SARI is not shown
    return TableReport(
        tables=tables,
        methods=list(_methods(shown)),
        signatures=[*shown.signatures, *shown.measure_signatures.values()],
        warnings=report.warnings,
        paragraph=methods_paragraph(shown),
        records=partial(score_records, report),
        fields=partial(score_fields, report),
    )


def only_shown(report: ScoreReport, names: Collection[str]) -> ScoreReport:
    """Return a report with what is shown alone, so that notes, signatures and the paragraph are about nothing else."""
    lacking: dict[str, Any] = {column.field: None for name, column in _ROW_COLUMNS.items() if name not in names}
    draws = report.resampling
    if draws is not None and "intervals" not in names:
        draws = replace(draws, confidence=None)
        lacking |= {"confidence_intervals": {}, "difference_intervals": {}}
    # Tests of all pairs leave no marks at scores, as those against a baseline do.
    if draws is not None and not (draws.baseline or _has_differences(report, names) or {*_ROW_COLUMNS} & {*names}):
        draws = replace(draws, comparisons=0)
    measures = [row for row in report.measures if row.name in names]
    if not measures and _has_differences(report, names) and not {*SCORES} & {*names}:
        measures = report.measures  # those of the table of differences
    signatures = report.measure_signatures
    return replace(
        report,
        rows=[replace(row, **lacking) for row in report.rows],
        resampling=draws,
        measures=measures,
        measure_signatures={row.name: signatures[row.name] for row in measures if row.name in signatures},
        subsets={value: only_shown(part, names) for value, part in report.subsets.items()},
    )


def _has_differences(report: ScoreReport, names: Collection[str]) -> bool:
    """Return whether the table of differences is shown: if systems are tested, and it is among the names."""
    return any(row.against for row in report.rows) and not {"difference", "p"}.isdisjoint(names)


def check_show(show: Iterable[str], measures: Iterable[Measure]) -> None:
    """Refuse names that are neither in `SHOWN` nor those of measures (ValueError)."""
    names = [*SHOWN, *(measure.name for measure in measures)]
    for name in show:
        check_choice("show", name, names)


class _Figure(NamedTuple):
    """A score or a companion measure, and how people read it.

    Attributes:
        name: in the fields of rows.
        label: for people.
        digits, unit: how it is written.
        better: "↑" or "↓" where it is known which values are better.
    """

    name: str
    label: str
    digits: int
    unit: str = ""
    better: str = ""

    def score(self, row: ScoreRow, best: float | None = None) -> Cell:
        """Return the score of a row; an empty cell if the row has none."""
        is_best = row.competes and best is not None and row.scores[self.name] == best
        return self._cell(row, row.scores, "")._replace(best=is_best)

    def difference(self, row: ScoreRow) -> Cell:
        """Return the difference of the systems of a row."""
        return self._cell(row, row.differences, "+")

    def interval(self, intervals: Figures) -> str:
        """Return the interval of the score among others; empty if it has none."""
        return interval_text(intervals.get(self.name, ()), self.digits)

    def _cell(self, row: ScoreRow, values: Figures, sign: str) -> Cell:
        """Return a value with the mark of a significant difference from the system compared with."""
        if self.name not in values:
            return Cell("")
        mark = ""
        if _is_significant(row, self.name):
            mark = HIGHER if row.differences[self.name] > 0 else LOWER
        return Cell(f"{values[self.name]:{sign}.{self.digits}f}{self.unit}", mark=mark)


def _is_significant(row: ScoreRow, name: str) -> bool:
    return row.corrected_p_values.get(name, 1) < _significance_level()


def _significance_level() -> float:
    """Return the p-value below which a difference is significant."""
    from sari.significance import SIGNIFICANT  # here, since it is slow to import

    return SIGNIFICANT


# ---- Scores ---------------------------------------------------------------------------------------------------------


def _score_table(report: ScoreReport, figures: Sequence[_Figure]) -> Iterator[Table]:
    """Yield the table with a row for each system, baseline and variant; a single one has a row for each score instead.

    Of several rows, SARI alone has intervals, and not the scores of operations.
    """
    title = f"SARI of {report.size}"
    labels = list(report.scored_by)
    rows = sorted([*report.results, *report.baselines], key=lambda row: labels.index(row.variant))
    if len(rows) == 1:
        if figures:
            table = _table_of_figures(report, title, "Score", figures, rows)
            yield replace(table, segments=rows[0].segments)
        return
    columns = _figure_columns(report, figures, rows)
    columns += [(column.heading, list(map(column.text, rows))) for column in _row_columns(report)]
    if columns:
        outside = list(_outside_competition(report))
        best_of = "the best of the column" + (", without baselines and copying systems" if outside else "")
        yield _table(
            report,
            title,
            _name_columns(report, rows),
            columns,
            apart=[place for place, row in enumerate(rows) if row.kind == "baseline"],
            notes=[*outside, *_verdicts(report)],
            best=best_of,
        )


def _subset_tables(report: ScoreReport, figures: Sequence[_Figure]) -> Iterator[Table]:
    """Yield the table of scores, and those of measures, with a row for each subset of the segments and each system."""
    parts = {value: [*part.results, *part.baselines] for value, part in report.subsets.items()}
    column = str(report.subset_column)
    of_scores = [figure for figure in figures if figure.name in SCORES]
    of_measures = [figure for figure in figures if figure.name not in SCORES]
    titled = [("SARI", of_scores), *((f"Companion measures{number}", part) for number, part in _parts(of_measures))]
    for title, chosen in titled if parts else ():
        columns = _figure_columns(report, chosen, [*report.results, *report.baselines])
        of_parts = [_figure_columns(report.subsets[value], chosen, rows) for value, rows in parts.items()]
        joined: list[_Column] = [
            (heading, list(chain.from_iterable(part[place][1] for part in of_parts)))
            for place, (heading, _) in enumerate(columns)
        ]
        rows = list(chain.from_iterable(parts.values()))
        values = [value for value, rows_of_part in parts.items() for _ in rows_of_part]
        names: list[_Column] = [(column, values), *_name_columns(report, rows)]
        names.insert(1, ("Segments", [f"{row.segments:,}" for row in rows]))
        if joined:
            yield _table(report, f"{title} by {column}", names, joined, best="the best of the subset")


def _row_columns(report: ScoreReport) -> list[_RowColumn]:
    """Return the columns that are no scores, where any of several rows has a text for them."""
    rows = [*report.results, *report.baselines]
    return [column for column in _ROW_COLUMNS.values() if len(rows) > 1 and any(map(column.text, rows))]


def _name_columns(report: ScoreReport, rows: Sequence[ScoreRow]) -> list[_Column]:
    """Return the columns that tell rows apart."""
    columns: list[_Column] = []
    if len({row.title for row in rows}) > 1:
        columns.append(("System", [row.title for row in rows]))
    if len(report.scored_by) > 1:
        columns.append(("Variant", [report.titles[row.variant] for row in rows]))
    return columns


def _table(report: ScoreReport, title: str, names: list[_Column], figures: list[_Column], **more: Any) -> Table:
    """Return a table of names and figures, with a note about its marks."""
    table = table_of_columns(title, [*names, *figures], texts=len(names), **more)
    table.notes[:0] = _mark_notes(report, table)
    return table


def _table_of_figures(
    report: ScoreReport, title: str, heading: str, figures: Sequence[_Figure], rows: Sequence[ScoreRow]
) -> Table:
    """Return a table with a row for each figure and a column for each row of the report."""
    labels = [f"{figure.label} {figure.better}".rstrip() for figure in figures]
    columns: list[_Column] = []
    for row in rows:
        columns.append((row.title, [figure.score(row) for figure in figures]))
        columns.append((_interval_heading(report), [figure.interval(row.confidence_intervals) for figure in figures]))
    return _table(report, title, [(heading, labels)], columns)


def _figure_columns(report: ScoreReport, figures: Sequence[_Figure], rows: Sequence[ScoreRow]) -> list[_Column]:
    """Return columns for figures: the best scores are marked, and those of operations have no intervals."""
    columns: list[_Column] = []
    for figure in figures:
        best = _best_scores(report, figure.name) if figure.name in SCORES else {}
        columns.append(
            (f"{figure.label} {figure.better}".rstrip(), [figure.score(row, best.get(row.variant)) for row in rows])
        )
        if figure.name not in OPERATIONS:
            columns.append((_interval_heading(report), [figure.interval(row.confidence_intervals) for row in rows]))
    return columns


def _interval_heading(report: ScoreReport) -> str:
    return interval_heading(report.resampling.confidence if report.resampling else None)


def _best_scores(report: ScoreReport, name: str) -> dict[str, float]:
    """Return the highest of a score among several systems that compete, by variant."""
    competing: dict[str, list[float]] = {}
    for row in report.results:
        if row.competes:
            competing.setdefault(row.variant, []).append(row.scores[name])
    return {variant: max(scores) for variant, scores in competing.items() if len(scores) > 1}


def _difference_table(report: ScoreReport, figures: Sequence[_Figure], show: Collection[str]) -> Iterator[Table]:
    """Yield the table of tested differences between pairs of systems, if it is wanted.

    With all pairs, the system with the higher SARI comes first. Measures are the same under all variants.
    """
    if not _has_differences(report, show):
        return
    compared = [row for row in report.rows if row.against]
    tested = [
        (figure, row)
        for figure in figures
        for row in compared
        if figure.name in SCORES or row.variant == compared[0].variant
    ]
    rows = [row for _, row in tested]
    names: list[_Column] = [("System", [row.name for row in rows]), ("Against", [str(row.against) for row in rows])]
    if len(report.scored_by) > 1:
        of_scores = [report.titles[row.variant] if figure.name in SCORES else "" for figure, row in tested]
        names.append(("Variant", of_scores))
    names.append(("Score", [figure.label for figure, _ in tested]))
    columns: list[_Column] = []
    if "difference" in show:
        columns.append(("Diff.", [figure.difference(row) for figure, row in tested]))
        ends = [figure.interval(row.difference_intervals) for figure, row in tested]
        columns.append((_interval_heading(report), ends))
    if "p" in show:
        columns.append(("p", [_p_value_text(row.p_values[figure.name]) for figure, row in tested]))
        if report.resampling is not None and report.resampling.comparisons > 1:
            columns.append(("corr. p", [_p_value_text(row.corrected_p_values[figure.name]) for figure, row in tested]))
    yield _table(report, "Differences between systems", names, columns)


def _p_value_text(value: float) -> str:
    """Return a p-value as papers print it: few draws cannot tell small ones apart.

    >>> _p_value_text(0.0123), _p_value_text(1 / 10_001)
    ('0.0123', '<0.001')
    """
    return "<0.001" if value < 0.001 else f"{value:.4f}"


# ---- Notes ----------------------------------------------------------------------------------------------------------


def _verdicts(report: ScoreReport) -> Iterator[str]:
    """Yield for each system under how many variants it is higher and lower than the baseline of the tests."""
    if len(report.scored_by) < 2:
        return
    for name in report.systems:
        rows = [row for row in report.results if row.name == name and row.against]
        higher, lower = ([row for row in rows if sign * row.differences["sari"] > 0] for sign in (1, -1))
        significant = [sum(_is_significant(row, "sari") for row in part) for part in (higher, lower)]
        if rows:
            yield (
                f"{name} against {rows[0].against}: higher under {len(higher)} of {len(rows)} variants, significantly "
                f"under {significant[0]}; lower under {len(lower)}, significantly under {significant[1]}"
            )


def _outside_competition(report: ScoreReport) -> Iterator[str]:
    """Yield the notes about rows that do not compete: baselines, and systems that copy their sources."""
    baselines = dict.fromkeys(row.name for row in report.baselines if row.name in BASELINE_SUMMARIES)
    if baselines:
        yield f"Baselines: {'; '.join(f'{name}, {BASELINE_SUMMARIES[name]}' for name in baselines)}"
    copying = dict.fromkeys(row.name for row in report.results if row.copies)
    if copying and len(report.systems) > 1:
        yield f"Out of competition, since most outputs copy their sources: {', '.join(copying)}"


def _mark_notes(report: ScoreReport, table: Table) -> list[str]:
    """Return the note on the marks of a table, if it has any."""
    if report.resampling is None or not any(cell.mark for row in table.rows for cell in row):
        return []
    than = report.resampling.baseline or "the second system"
    p_value = "corrected p" if report.resampling.comparisons > 1 else "p"
    return [
        f"{HIGHER} significantly higher, {LOWER} significantly lower than {than}: {p_value} < {_significance_level():g}"
    ]


def _methods(report: ScoreReport) -> Iterator[str]:
    """Yield how the intervals, tests and measures of a report were computed, and why nothing published is shown."""
    from sari.significance import BOOTSTRAP  # here, since it is slow to import

    draws = report.resampling
    if draws is not None and draws.confidence is not None:
        corrected = "; those of differences are not corrected" if draws.comparisons > 1 else ""
        method = BOOTSTRAP.describe(draws.resamples, draws.seed, over="segments")
        yield f"{interval_heading(draws.confidence)}: {method}{corrected}"
    if draws is not None and draws.comparisons:
        method = draws.test.describe(draws.trials, draws.seed)
        yield f"Tests: each system against {draws.baseline or 'each'}; two-sided, {method}"
        if draws.comparisons > 1:
            parts = [*(["variant"] if len(report.scored_by) > 1 else []), *(["score"] if report.measures else [])]
            across = f" within each {' and '.join(parts)}, not across them" if parts else ""
            yield f"Corrected p: for {draws.comparisons} comparisons{across} (Holm 1979)"
        elif len(report.scored_by) > 1:
            yield "p-values are not corrected across variants"
        if report.subsets:
            yield f"Tests within the subsets by {report.subset_column} are not corrected across them"
        yield f"Null hypothesis: {draws.test.null_hypothesis}"
    yield from (column.note for column in _row_columns(report))
    yield from (f"{row.label}: {row.about}" for row in report.measures)
    yield from (standing.reason for standing in report.published if standing.reason)


# ---- What else was asked for ----------------------------------------------------------------------------------------


def _title(report: ScoreReport, by: str, name: str, variant: str) -> str:
    title = f"SARI by {by}: {report.titles[variant]}"
    return f"{title}, {name}" if len(report.systems) > 1 else title


def tabulate_orders(title: str, orders: Sequence[OrderFigures], digits: int = DIGITS) -> Table:
    """Return precision, recall, F1 and score of every n-gram order and operation."""
    ratios: tuple[Ratio, ...] = ("precision", "recall", "f1", "score")
    rows = [
        [str(order["order"]), operation, *(f"{order[operation][name]:.{digits}f}" for name in ratios)]
        for order in orders
        for operation in OPERATIONS
    ]
    return make_table(title, ["Order", "Operation", *map(str.title, ratios)], rows, texts=2)


def _reference_tables(report: ScoreReport, digits: int) -> Iterator[Table]:
    """Yield for each system and variant its scores by number of references."""
    headings = ["References", "Subsets", "SARI", "Std. dev.", "Lowest", "Highest", *map(str.title, OPERATIONS)]
    for (name, label), counts in groupby(report.by_references, key=lambda row: (row.name, row.variant)):
        rows = []
        for row in counts:
            of_sari = [scores["sari"] for scores in (row.mean, row.deviation, row.lowest, row.highest)]
            figures = [*of_sari, *(row.mean[operation] for operation in OPERATIONS)]
            rows.append([str(row.references), str(row.subsets), *(f"{value:.{digits}f}" for value in figures)])
        yield make_table(_title(report, "number of references", name, label), headings, rows, texts=0)


def _measure_tables(report: ScoreReport, figures: Sequence[_Figure]) -> Iterator[Table]:
    """Yield the table of measures, which are the same under all variants; of many systems, tables of some measures."""
    title = "Companion measures"
    rows = [row for row in (*report.results, *report.baselines) if row.variant == report.rows[0].variant]
    if len(rows) <= FEW and figures:
        yield _table_of_figures(report, title, "Measure", figures, rows)
        return
    apart = [place for place, row in enumerate(rows) if row.kind == "baseline"]
    names: list[_Column] = [("System", [row.title for row in rows])]
    for number, part in _parts(figures):
        yield _table(report, title + number, names, _figure_columns(report, part, rows), apart=apart)


def _parts(items: Sequence[_Item]) -> Iterator[tuple[str, Sequence[_Item]]]:
    """Yield items that stand side by side in a table, with what its title says if there are several tables."""
    starts = range(0, len(items), FEW)
    for number, start in enumerate(starts, 1):
        yield f" ({number} of {len(starts)})" if len(starts) > 1 else "", items[start : start + FEW]


def tabulate_steps(
    explanations: Sequence[tuple[str, VariantDifference]], digits: int = DIGITS, number: str = ""
) -> Table:
    """Return the steps from one variant to another, with SARI and its change for each system, if it has a name."""
    _, first = explanations[0]
    one, other = first["variant_a"], first["variant_b"]
    steps = [f"{step['choice']}: {step['before']} → {step['after']}" for step in first["steps"][1:]]
    columns: list[_Column] = [("Choice", [one, *steps, other])]
    for name, difference in explanations:
        scores = [step["sari"] for step in difference["steps"]]
        changes = [after - before for before, after in pairwise(scores)]
        columns.append((name or "SARI", [f"{score:.{digits}f}" for score in (*scores, scores[-1])]))
        columns.append(("Change", ["", *(f"{change:+.{digits}f}" for change in (*changes, scores[-1] - scores[0]))]))
    return table_of_columns(f"SARI from {one} to {other}, one choice at a time{number}", columns)
