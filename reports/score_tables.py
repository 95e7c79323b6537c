"""The tables of a `ScoreReport`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.paragraph import methods_paragraph
from sari.reports.score_report import ScoreReport, SystemScores, best_scores, score_fields
from sari.reports.tables import (
    HIGHER,
    HIGHER_IS_BETTER,
    LOWER,
    Cell,
    Table,
    TableColumn,
    TableReport,
    brackets,
    cells,
    make_table,
)
from sari.variants import OPERATIONS, SCORES, SIGNIFICANT
from sari.variants import Figure as Ratio

if TYPE_CHECKING:  # slow to import
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
_Record = dict[str, Any]


def tabulate_scores(
    report: ScoreReport,
    *,
    by_order: bool = False,
    digits: int = 2,
    show: Sequence[str] | None = None,
    all_intervals: bool = False,
) -> TableReport:
    """Return the tables of a report, for any format: one of scores, one of tested differences, and those asked for.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
        digits: decimals of scores in the tables.
        show: the columns of scores and differences, by names in `SHOWN` and of measures; None for all.
        all_intervals: whether the scores of each operation of several systems have intervals, too.

    Raises:
        ValueError: for unknown columns.
    """
    several = len(report.systems) > 1
    _check_show(report, show)
    tables = [_score_table(report, digits, show, all_intervals=all_intervals)]
    tables += _difference_table(report, digits, show)
    tables += [_order_table(result, several, digits) for result in report.results if by_order]
    tables += _reference_tables(report, digits)
    for standing in report.published:
        if standing.rows:
            own = _scores_by(report, standing.variant)
            tables.append(standing.table(own, digits, names_variant=len(report.variants) > 1))
        else:
            tables[0].notes.append(standing.reason)
    tables += _measure_tables(report, show)
    if report.explanations:
        tables.append(_explanation_table(report.explanations, digits))
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


def _noted_once(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables without the notes that an earlier one has."""
    told: set[str] = set()
    for table in tables:
        notes, methods = ([note for note in own if note not in told] for own in (table.notes, table.methods))
        told.update(notes + methods)
        yield replace(table, notes=notes, methods=methods)


class _Figure(NamedTuple):
    """A figure of records: of outputs, or of pairs of systems.

    Attributes:
        name: among those that callers may choose.
        column: its column in the table of scores.
        key: in records, where its interval has the same key with "_low" and "_high".
        form, unit: how it is written.
    """

    name: str
    column: TableColumn
    key: str
    form: str = ""
    unit: str = ""

    def text(self, record: _Record) -> str:
        """Return the figure of a record, or an empty text if the record has none."""
        if self.key == "ranks":
            ranks = record["first_rank"], record["last_rank"]
            return "" if None in ranks else "-".join(dict.fromkeys(map(str, ranks)))
        value = record[self.key]
        return "" if value is None else f"{value:{self.form}}{self.unit}"

    def interval(self, record: _Record) -> str:
        """Return its interval, or an empty text if the record has none."""
        low, high = (record.get(f"{self.key}_{end}") for end in ("low", "high"))
        form = self.form.lstrip("+")
        return "" if low is None else f"[{low:{form}}, {high:{form}}]"

    def mark(self, record: _Record) -> str:
        """Return whether the figure is significantly higher or lower than that of the system compared with."""
        p_value = record.get(f"{self.key}_corrected_p_value")
        if p_value is None or p_value >= SIGNIFICANT:
            return ""
        return HIGHER if record[f"{self.key}_difference"] > 0 else LOWER

    def difference(self, record: _Record) -> Cell:
        """Return the difference of the systems of a record in this figure."""
        own = self._replace(key=f"{self.key}_difference", form=f"+{self.form}", unit="")
        return Cell(own.text(record), mark=self.mark(record), interval=own.interval(record))


def _score_table(report: ScoreReport, digits: int, show: Sequence[str] | None, *, all_intervals: bool) -> Table:
    """Return a row for each system, baseline and variant; a single one has a row for each score instead.

    The differences from a baseline system are columns, too, where there are no measures.
    """
    figures = [figure for figure in _score_figures(report, digits) if show is None or figure.name in show]
    has_intervals = show is None or "intervals" in show
    number, systems = report.results[0].segments, len(report.results)
    title = f"SARI of {number:,} segment{'s' * (number != 1)}"
    outputs = report.records[: systems + len(report.baselines)]
    rows = [(place, record) for place, record in enumerate(outputs) if record["sari"] is not None]
    if len(rows) == 1:
        ((_, record),) = rows
        columns = [TableColumn("Score", is_text=True), TableColumn(record["system"])]
        lines = [
            [Cell(figure.column.heading), Cell(figure.text(record), interval=figure.interval(record) * has_intervals)]
            for figure in figures
        ]
        return Table(title, columns, lines, notes=_interval_notes(report, lines), segments=number)
    rows.sort(key=lambda row: report.variants.index(row[1]["variant"]))
    has_systems = len({record["system"] for _, record in rows}) > 1
    has_variants = len(report.variants) > 1
    columns = [TableColumn("System", is_text=True)] * has_systems
    columns += [TableColumn("Variant", is_text=True, is_group=has_systems)] * has_variants
    table = [[Cell(record["system"])] * has_systems + [Cell(record["variant"])] * has_variants for _, record in rows]
    best: dict[tuple[str, str], list[float]] = {
        (variant, name): best_scores([result for result in report.results if result.variant == variant], name)
        for variant in report.variants
        for name in SCORES
    }
    for figure in figures:
        of_operation = figure.name in OPERATIONS
        columns.append(figure.column)
        for (place, record), line in zip(rows, table, strict=True):
            # Baselines do not compete, nor do copies of the source.
            competes = place < systems and figure.name in SCORES and not report.results[place].copies
            is_best = competes and record[figure.key] in best[record["variant"], figure.key]
            interval = figure.interval(record) if has_intervals and (all_intervals or not of_operation) else ""
            line.append(Cell(figure.text(record), is_best, "" if of_operation else figure.mark(record), interval))
    if _has_differences_in_columns(report):
        sari = next(_score_figures(report, digits))
        headings, _ = _tested(report, show)
        columns += map(TableColumn, headings)
        for (_, record), line in zip(rows, table, strict=True):
            line += [cell._replace(mark="") for cell in _tested_cells(sari, record, report, show)]
    apart = [number for number, (place, _) in enumerate(rows) if place >= systems]
    notes, methods = _mark_notes(report, table), _test_notes(report)
    outside = list(_outside_competition(report))
    is_best = any(cell.best for line in table for cell in line)
    best_cell = f"the best of the column{' among the systems that compete' * bool(outside)}" * is_best
    return Table(title, columns, table, apart, [*_interval_notes(report, table), *notes, *outside], methods, best_cell)


def _has_differences_in_columns(report: ScoreReport) -> bool:
    return bool(report.resampling and report.resampling.comparisons and not report.pairs and not report.measures)


def _tested(report: ScoreReport, show: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return the headings of differences and p-values that are shown, and the keys of the p-values."""
    comparisons = report.resampling.comparisons if report.resampling else 0
    keys = {"p_value": "p", "corrected_p_value": "corr. p"} if comparisons > 1 else {"p_value": "p"}
    keys = keys if show is None or "p" in show else {}
    return ["Diff."] * (show is None or "difference" in show) + list(keys.values()), list(keys)


def _tested_cells(figure: _Figure, record: _Record, report: ScoreReport, show: Sequence[str] | None) -> list[Cell]:
    """Return the difference of a record in a figure and its p-values, empty where it was not tested."""
    headings, keys = _tested(report, show)
    if record.get(f"{figure.key}_difference") is None:
        return [Cell("")] * len(headings)
    p_values = [Cell(f"{record[f'{figure.key}_{key}']:.4f}") for key in keys]
    return [figure.difference(record)] * ("Diff." in headings) + p_values


def _outside_competition(report: ScoreReport) -> Iterator[str]:
    """Yield the notes about rows that do not compete: baselines, and systems that copy their sources."""
    about = [
        f"{row.name}, {BASELINE_SUMMARIES[row.name]}"
        for row in report.baselines
        if row.scores and row.name in BASELINE_SUMMARIES
    ]
    if about:
        yield f"Baselines: {'; '.join(dict.fromkeys(about))}"
    copying = dict.fromkeys(result.name for result in report.results if result.copies and len(report.systems) > 1)
    if copying:
        yield f"Out of competition, since most outputs copy their sources: {', '.join(copying)}"


def _check_show(report: ScoreReport, show: Sequence[str] | None) -> None:
    """Refuse names of columns that the report does not have."""
    resampling = report.resampling
    names = [*(figure.name for figure in _score_figures(report, 0)), *(own.name for own in report.measures)]
    names += ["intervals"] * bool(resampling and resampling.confidence is not None)
    names += ["difference", "p"] * bool(resampling and resampling.comparisons)
    unknown = next((name for name in show or () if name not in names), None)
    if unknown is not None:
        raise ValueError(f"show: got {unknown!r}, expected some of {', '.join(dict.fromkeys(names))}")


def _score_figures(report: ScoreReport, digits: int) -> Iterator[_Figure]:
    """Yield the scores of outputs, and what follows from tests of all pairs."""
    for name in SCORES:
        yield _Figure(name, TableColumn(LABELS[name], better=HIGHER_IS_BETTER), name, f".{digits}f")
    if report.pairs:
        group = "Group: a new one starts where every system above is significantly better than every system below"
        yield _Figure("group", TableColumn("Group", notes=[group]), "group")
        yield _Figure("ranks", TableColumn("Ranks", notes=["Ranks: best and worst that the tests allow"]), "ranks")


def _measure_figures(report: ScoreReport, show: Sequence[str] | None = None) -> list[_Figure]:
    """Return the measures of outputs."""
    return [
        _Figure(own.name, TableColumn(own.label), own.name, f".{own.digits}f", own.unit)
        for own in report.measures
        if show is None or own.name in show
    ]


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
    words = {HIGHER: f"{HIGHER} significantly higher", LOWER: f"{LOWER} significantly lower"}
    told = [words[mark] for mark in words if mark in marks]
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


def _difference_table(report: ScoreReport, digits: int, show: Sequence[str] | None) -> Iterator[Table]:
    """Yield the table of tested differences in SARI and measures between pairs of systems, if it is wanted.

    With all pairs, the system with the higher SARI comes first.
    """
    headings, _ = _tested(report, show)
    compared = [record for record in report.records if record["compared_with"]]
    if report.resampling is None or _has_differences_in_columns(report) or not compared or not headings:
        return
    figures = [next(_score_figures(report, digits)), *_measure_figures(report)]
    figures = [figure for figure in figures if show is None or figure.name in show] or figures
    has_variants = len(report.variants) > 1
    rows = []
    for figure in figures:
        for record in compared:
            if record[f"{figure.key}_difference"] is not None:
                names = [record["system"], *[record["compared_with"]] * bool(report.pairs)]
                names += [*[record["variant"]] * has_variants, figure.column.heading]
                rows.append([*map(Cell, names), *_tested_cells(figure, record, report, show)])
    columns = [TableColumn(name, is_text=True) for name in ("System", *["Against"] * bool(report.pairs))]
    columns += [TableColumn("Variant", is_text=True)] * has_variants
    columns.append(TableColumn("Score", is_text=True, is_group=len(figures) > 1 and len(compared) > 1))
    columns += map(TableColumn, headings)
    baseline = report.resampling.baseline
    title = f"Differences from {baseline}" if baseline else "Differences between systems"
    notes = [*_interval_notes(report, rows), *_mark_notes(report, rows)]
    yield Table(title, columns, rows, notes=notes, methods=_test_notes(report))


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


def _scores_by(report: ScoreReport, variant: str) -> dict[str, float]:
    return {result.name: result.scores["sari"] for result in report.results if result.variant == variant}


def _measure_tables(report: ScoreReport, show: Sequence[str] | None) -> Iterator[Table]:
    """Yield tables with the measures as rows; variants with the same values share a table."""
    figures = _measure_figures(report, show)
    has_intervals = show is None or "intervals" in show
    names = [figure.name for figure in figures]
    groups: dict[str, tuple[list[str], list[_Record]]] = {}
    for variant in report.variants if names else ():
        of_variant = (record for record in report.records if record["variant"] == variant)
        outputs = [record for record in of_variant if {record[name] for name in names} != {None}]
        values = [[record[name] for name in names] for record in outputs]
        groups.setdefault(repr(values), ([], outputs))[0].append(variant)
    for variants, outputs in groups.values():
        rows = [
            [
                Cell(figure.column.heading),
                *(
                    Cell(figure.text(row), mark=figure.mark(row), interval=figure.interval(row) * has_intervals)
                    for row in outputs
                ),
            ]
            for figure in figures
        ]
        title = "Companion measures" + (f": tokens of {', '.join(variants)}" if len(report.variants) > 1 else "")
        table = make_table(title, ["Measure", *(record["system"] for record in outputs)], rows)
        about = [f"{own.label}: {own.about}" for own in report.measures if own.name in names]
        notes = [*_interval_notes(report, rows), *_mark_notes(report, rows)]
        yield replace(table, notes=notes, methods=[*_test_notes(report), *about])


def _explanation_table(explanations: Sequence[tuple[str, VariantDifference]], digits: int) -> Table:
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
