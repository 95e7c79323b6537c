"""The tables of a `ScoreReport`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.paragraph import methods_paragraph
from sari.reports.score_report import ScoredOutputs, ScoreReport, SystemScores, score_fields
from sari.reports.tables import HIGHER, LOWER, Cell, Table, TableColumn, TableReport, brackets, cells, make_table
from sari.variants import OPERATIONS, SCORES, SIGNIFICANT
from sari.variants import Figure as Ratio

if TYPE_CHECKING:  # slow to import
    from sari.companion_measures.registry import Measure
    from sari.comparison import VariantDifference

#: The columns of scores and differences besides companion measures, by the names that `tabulate_scores` takes.
SHOWN = (*SCORES, "intervals", "difference", "p", "group", "ranks")
#: What people call the scores.
LABELS = {"sari": "SARI", "keep": "Keep", "delete": "Delete", "add": "Add"}
#: What the baselines are.
BASELINE_SUMMARIES = {
    "copy": "the sources as outputs",
    "empty": "outputs without words",
    "unrelated": "references of other segments",
    "references": "mean of the references, each scored against the others",
    "reference 1": "the first references, scored against the others",
}
_GROUP_NOTE = "Group: a new one starts where every system above is significantly better than every system below"
_RANKS_NOTE = "Ranks: best and worst that the tests allow"
# A record of a report; a row of the table of scores with its record; a column of a table with what stands in it.
_Record = dict[str, Any]
_Row = tuple[ScoredOutputs, _Record]
_Column = tuple[TableColumn, Sequence[str | Cell]]


def tabulate_scores(
    report: ScoreReport,
    *,
    by_order: bool = False,
    digits: int = 2,
    show: Collection[str] | None = None,
    all_intervals: bool = False,
) -> TableReport:
    """Return the tables of a report, for any format: one of scores, one of tested differences, and those asked for.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
        digits: decimals of scores in the tables.
        show: the columns of scores and differences, by names that `check_show` takes; None for all.
        all_intervals: whether the scores of each operation of several systems have intervals, too.
    """
    several = len(report.systems) > 1
    show = {*SHOWN, *(measure.name for measure in report.measures)} if show is None else show
    tables = [_score_table(report, digits, show, all_intervals=all_intervals)]
    tables += _difference_table(report, digits, show)
    tables += [_order_table(result, several, digits) for result in report.results if by_order]
    tables += _reference_tables(report, digits)
    for standing in report.published:
        if standing.rows:
            results = [result for result in report.results if result.variant == standing.variant]
            own = {result.name: result.scores["sari"] for result in results}
            tables.append(standing.table(own, digits, names_variant=len(report.variants) > 1))
        else:
            tables[0].notes.append(standing.reason)
    tables += _measure_tables(report, show)
    if report.explanations:
        tables.append(tabulate_steps(report.explanations, digits))
    return TableReport(
        tables=list(_noted_once(tables)),
        signatures=report.signatures,
        warnings=report.warnings,
        paragraph=methods_paragraph(report, digits),
        records=[
            record for record in report.records if record["sari"] is not None or record["compared_with"] is not None
        ],
        fields=score_fields(report),
    )


def check_show(show: Iterable[str], measures: Iterable[Measure]) -> None:
    """Refuse names that are neither in `SHOWN` nor those of measures (ValueError)."""
    names = [*SHOWN, *(measure.name for measure in measures)]
    for name in show:
        if name not in names:
            raise ValueError(f"show: got {name!r}, expected some of {', '.join(names)}")


def _noted_once(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables without the notes that an earlier one has."""
    told: set[str] = set()
    for table in tables:
        notes, methods = ([note for note in own if note not in told] for own in (table.notes, table.methods))
        told.update(notes + methods)
        yield replace(table, notes=notes, methods=methods)


class _Figure(NamedTuple):
    """A figure of outputs, or of pairs of systems: a score or a companion measure.

    Attributes:
        name: in records.
        label: for people.
        form, unit: how it is written.
        better: "↑" or "↓" where it is known which values are better.
    """

    name: str
    label: str
    form: str
    unit: str = ""
    better: str = ""

    def cell(self, record: _Record, *, has_interval: bool, best: bool = False, has_mark: bool = True) -> Cell:
        """Return the figure of a record; an empty cell if the record has none."""
        value = record[self.name]
        text = "" if value is None else f"{value:{self.form}}{self.unit}"
        return Cell(text, best, self._mark(record) * has_mark, self._interval(record, self.name) * has_interval)

    def difference(self, record: _Record, *, has_mark: bool = True) -> Cell:
        """Return the difference of the systems of a record; an empty cell if they were not tested."""
        value, interval = record[f"{self.name}_difference"], self._interval(record, f"{self.name}_difference")
        text = "" if value is None else f"{value:+{self.form}}{self.unit}"
        return Cell(text, mark=self._mark(record) * has_mark, interval=interval)

    def _interval(self, record: _Record, name: str) -> str:
        low, high = (record[f"{name}_{end}"] for end in ("low", "high"))
        return "" if low is None else f"[{low:{self.form}}, {high:{self.form}}]"

    def _mark(self, record: _Record) -> str:
        """Return whether the figure is significantly higher or lower than that of the system compared with."""
        p_value = record[f"{self.name}_corrected_p_value"]
        if p_value is None or p_value >= SIGNIFICANT:
            return ""
        return HIGHER if record[f"{self.name}_difference"] > 0 else LOWER


def _score_table(report: ScoreReport, digits: int, show: Collection[str], *, all_intervals: bool) -> Table:
    """Return a row for each system, baseline and variant; a single one has a row for each score instead.

    The differences from a baseline system are columns, too, where there are no measures.
    """
    figures = [figure for figure in _score_figures(digits) if figure.name in show]
    number = report.results[0].segments
    title = f"SARI of {number:,} segment{'s' * (number != 1)}"
    rows: list[_Row] = list(zip([*report.results, *report.baselines], report.records, strict=False))
    rows = [row for row in rows if "sari" in row[0].scores]
    rows.sort(key=lambda row: report.variants.index(row[0].variant))
    records = [record for _, record in rows]
    if len(rows) == 1:
        return replace(_rows_of_figures(report, title, "Score", figures, records, show), segments=number)
    columns: list[_Column] = []
    has_systems = len({row.name for row, _ in rows}) > 1
    if has_systems:
        columns.append((TableColumn("System", is_text=True), [row.name for row, _ in rows]))
    if len(report.variants) > 1:
        columns.append((TableColumn("Variant", is_text=True, is_group=has_systems), [row.variant for row, _ in rows]))
    for figure in figures:
        is_sari, best = figure.name == "sari", _best_scores(report, figure.name)
        has_interval = "intervals" in show and (all_intervals or is_sari)
        shown = [
            figure.cell(
                record,
                has_interval=has_interval,
                best=_competes(row) and record[figure.name] == best.get(row.variant),
                has_mark=is_sari,
            )
            for row, record in rows
        ]
        columns.append((TableColumn(figure.label, better="↑"), shown))
    methods = _test_notes(report)
    if report.pairs and "group" in show:
        columns.append((TableColumn("Group"), [str(record["group"] or "") for record in records]))
        methods.append(_GROUP_NOTE)
    if report.pairs and "ranks" in show:
        columns.append((TableColumn("Ranks"), list(map(_ranks, records))))
        methods.append(_RANKS_NOTE)
    if _has_differences_in_columns(report):
        sari = _score_figures(digits)[0]
        columns += _tested_columns(report, show, [(sari, record) for record in records], has_marks=False)
    outside = list(_outside_competition(report))
    table = _table_of_columns(report, title, columns)
    is_best = any(cell.best for line in table.rows for cell in line)
    return replace(
        table,
        apart=[place for place, (row, _) in enumerate(rows) if not isinstance(row, SystemScores)],
        notes=[*table.notes, *outside],
        methods=methods,
        best=f"the best of the column{' among the systems that compete' * bool(outside)}" * is_best,
    )


def _score_figures(digits: int) -> list[_Figure]:
    return [_Figure(name, LABELS[name], f".{digits}f") for name in SCORES]


def _measure_figures(report: ScoreReport, show: Collection[str]) -> list[_Figure]:
    """Return the measures of outputs."""
    measures = [own for own in report.measures if own.name in show]
    return [_Figure(own.name, own.label, f".{own.digits}f", own.unit, own.better) for own in measures]


def _rows_of_figures(
    report: ScoreReport,
    title: str,
    heading: str,
    figures: Sequence[_Figure],
    records: Sequence[_Record],
    show: Collection[str],
) -> Table:
    """Return a row for each figure and a column for each record."""
    columns: list[_Column] = [
        (TableColumn(heading, is_text=True), [f"{figure.label} {figure.better}".rstrip() for figure in figures])
    ]
    for record in records:
        shown = [figure.cell(record, has_interval="intervals" in show) for figure in figures]
        columns.append((TableColumn(record["system"]), shown))
    return _table_of_columns(report, title, columns)


def _tested_columns(
    report: ScoreReport, show: Collection[str], rows: Sequence[tuple[_Figure, _Record]], *, has_marks: bool = True
) -> list[_Column]:
    """Return the columns of differences and p-values that are shown."""
    columns: list[_Column] = []
    if "difference" in show:
        shown = [figure.difference(record, has_mark=has_marks) for figure, record in rows]
        columns.append((TableColumn("Diff."), shown))
    if "p" in show:
        is_corrected = report.resampling is not None and report.resampling.comparisons > 1
        for heading, name in (("p", "p_value"), ("corr. p", "corrected_p_value"))[: 1 + is_corrected]:
            values = [record[f"{figure.name}_{name}"] for figure, record in rows]
            columns.append((TableColumn(heading), ["" if value is None else f"{value:.4f}" for value in values]))
    return columns


def _table_of_columns(report: ScoreReport, title: str, columns: Sequence[_Column]) -> Table:
    """Return a table of columns, with the notes about its intervals and marks."""
    headings, parts = zip(*columns, strict=True)
    rows = cells(zip(*parts, strict=True))
    return Table(title, list(headings), rows, notes=[*_interval_notes(report, rows), *_mark_notes(report, rows)])


def _competes(row: ScoredOutputs) -> bool:
    """Return whether outputs can be the best: baselines do not compete, nor do systems that copy their sources."""
    return isinstance(row, SystemScores) and not row.copies


def _best_scores(report: ScoreReport, name: str) -> dict[str, float]:
    """Return the highest of a score among several systems that compete, by variant."""
    competing: dict[str, list[float]] = {}
    for row in filter(_competes, report.results):
        competing.setdefault(row.variant, []).append(row.scores[name])
    return {variant: max(scores) for variant, scores in competing.items() if len(scores) > 1}


def _ranks(record: _Record) -> str:
    ends = [str(record[name]) for name in ("first_rank", "last_rank") if record[name] is not None]
    return "-".join(dict.fromkeys(ends))


def _has_differences_in_columns(report: ScoreReport) -> bool:
    return bool(report.resampling and report.resampling.comparisons and not report.pairs and not report.measures)


def _outside_competition(report: ScoreReport) -> Iterator[str]:
    """Yield the notes about rows that do not compete: baselines, and systems that copy their sources."""
    about = [
        f"{row.name}, {BASELINE_SUMMARIES[row.name]}"
        for row in report.baselines
        if "sari" in row.scores and row.name in BASELINE_SUMMARIES
    ]
    if about:
        yield f"Baselines: {'; '.join(dict.fromkeys(about))}"
    copying = dict.fromkeys(result.name for result in report.results if result.copies and len(report.systems) > 1)
    if copying:
        yield f"Out of competition, since most outputs copy their sources: {', '.join(copying)}"


def _interval_notes(report: ScoreReport, rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the note on the intervals of rows, if they have any."""
    resampling = report.resampling
    if resampling is None or resampling.confidence is None or not any(cell.interval for row in rows for cell in row):
        return []
    from sari.significance import BOOTSTRAP  # here, since it is slow to import

    about = BOOTSTRAP.describe(resampling.resamples, resampling.seed, over="segments")
    uncorrected = "; intervals of differences are not corrected" * (resampling.comparisons > 1)
    return [brackets(resampling.confidence, about) + uncorrected]


def _test_notes(report: ScoreReport) -> list[str]:
    """Return how the tests were done, if there are tests."""
    resampling = report.resampling
    if resampling is None or not resampling.comparisons:
        return []
    method = resampling.test.describe(resampling.trials, resampling.seed)
    notes = [f"Tests: each system against {resampling.baseline or 'each'}; two-sided, {method}"]
    if resampling.comparisons > 1:
        of_each = " of each variant" * (len(report.variants) > 1) + " in each figure" * bool(report.measures)
        notes.append(f"Corrected p: for {resampling.comparisons} comparisons{of_each} (Holm 1979)")
    return [*notes, f"Null hypothesis: {resampling.test.null_hypothesis}"]


def _mark_notes(report: ScoreReport, rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the note on the marks of rows, if they have any."""
    marks = {cell.mark for row in rows for cell in row}
    words = {HIGHER: "higher", LOWER: "lower"}
    told = [f"{mark} significantly {word}" for mark, word in words.items() if mark in marks]
    if report.resampling is None or not told:
        return []
    than = report.resampling.baseline or "the second system"
    corrected = "corrected " * (report.resampling.comparisons > 1)
    return [f"{', '.join(told)} than {than}: {corrected}p < {SIGNIFICANT:g}"]


def _order_table(result: SystemScores, several: bool, digits: int) -> Table:
    ratios: tuple[Ratio, ...] = ("precision", "recall", "f1", "score")
    rows = [
        [str(row["order"]), operation, *(f"{row[operation][name]:.{digits}f}" for name in ratios)]
        for row in result.orders
        for operation in OPERATIONS
    ]
    columns = [TableColumn("Order"), TableColumn("Operation", is_text=True), *map(TableColumn, map(str.title, ratios))]
    title = f"SARI by n-gram order: {result.variant}" + f", {result.name}" * several
    return Table(title, columns, cells(rows))


def _difference_table(report: ScoreReport, digits: int, show: Collection[str]) -> Iterator[Table]:
    """Yield the table of tested differences in SARI and measures between pairs of systems, if it is wanted.

    With all pairs, the system with the higher SARI comes first.
    """
    compared = [record for record in report.records if record["compared_with"]]
    if _has_differences_in_columns(report) or not compared or {"difference", "p"}.isdisjoint(show):
        return
    figures = [_score_figures(digits)[0], *_measure_figures(report, {measure.name for measure in report.measures})]
    figures = [figure for figure in figures if figure.name in show] or figures
    rows = [(figure, record) for figure in figures for record in compared]
    rows = [(figure, record) for figure, record in rows if record[f"{figure.name}_difference"] is not None]
    columns: list[_Column] = [(TableColumn("System", is_text=True), [record["system"] for _, record in rows])]
    if report.pairs:
        columns.append((TableColumn("Against", is_text=True), [record["compared_with"] for _, record in rows]))
    if len(report.variants) > 1:
        columns.append((TableColumn("Variant", is_text=True), [record["variant"] for _, record in rows]))
    is_group = len(figures) > 1 and len(compared) > 1
    columns.append((TableColumn("Score", is_text=True, is_group=is_group), [figure.label for figure, _ in rows]))
    columns += _tested_columns(report, show, rows)
    baseline = report.resampling and report.resampling.baseline
    title = f"Differences from {baseline}" if baseline else "Differences between systems"
    yield replace(_table_of_columns(report, title, columns), methods=_test_notes(report))


def _reference_tables(report: ScoreReport, digits: int) -> Iterator[Table]:
    """Yield for each system and variant its scores by number of references."""
    headings = ["References", "Subsets", "SARI", "Std. dev.", "Lowest", "Highest", *map(str.title, OPERATIONS)]
    for (name, variant), counts in groupby(report.by_references, key=lambda row: (row.name, row.variant)):
        rows = []
        for row in counts:
            of_sari = [scores["sari"] for scores in (row.mean, row.deviation, row.lowest, row.highest)]
            figures = [*of_sari, *(row.mean[operation] for operation in OPERATIONS)]
            rows.append([str(row.references), str(row.subsets), *(f"{value:.{digits}f}" for value in figures)])
        whose = f", {name}" if len(report.systems) > 1 else ""
        yield make_table(f"SARI by number of references: {variant}{whose}", headings, rows, texts=0)


def _measure_tables(report: ScoreReport, show: Collection[str]) -> Iterator[Table]:
    """Yield tables with the measures as rows; variants with the same values share a table."""
    figures = _measure_figures(report, show)
    names = [figure.name for figure in figures]
    groups: dict[str, tuple[list[str], list[_Record]]] = {}
    for variant in report.variants if names else ():
        of_variant = (record for record in report.records if record["variant"] == variant)
        outputs = [record for record in of_variant if {record[name] for name in names} != {None}]
        values = [[record[name] for name in names] for record in outputs]
        groups.setdefault(repr(values), ([], outputs))[0].append(variant)
    for variants, outputs in groups.values():
        title = "Companion measures" + (f": tokens of {', '.join(variants)}" if len(report.variants) > 1 else "")
        about = [f"{own.label}: {own.about}" for own in report.measures if own.name in names]
        table = _rows_of_figures(report, title, "Measure", figures, outputs, show)
        yield replace(table, methods=[*_test_notes(report), *about])


def tabulate_steps(explanations: Sequence[tuple[str, VariantDifference]], digits: int = 2) -> Table:
    """Return the steps from one variant to another, with SARI and its change for each system."""
    (_, first), *others = explanations
    one, other = first["variant_a"], first["variant_b"]
    steps = [[f"{step['choice']}: {step['before']} → {step['after']}"] for step in first["steps"][1:]]
    rows = [[one], *steps, [other]]
    for _, difference in explanations:
        for step, row in zip(difference["steps"], rows[:-1], strict=True):
            row += [f"{step['sari']:.{digits}f}", "" if step["change"] is None else f"{step['change']:+.{digits}f}"]
        start, last = difference["steps"][0]["sari"], difference["steps"][-1]["sari"]
        rows[-1] += [f"{last:.{digits}f}", f"{last - start:+.{digits}f}"]
    headings = ["SARI", "Change"] if not others else [cell for name, _ in explanations for cell in (name, "Change")]
    return make_table(f"SARI from {one} to {other}, one choice at a time", ["Choice", *headings], rows)
