"""The tables of a `ScoreReport`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from sari.reports.paragraph import methods_paragraph
from sari.reports.score_report import Figures, ScoreReport, ScoreRow, score_fields, score_records
from sari.reports.tables import HIGHER, LOWER, Cell, Table, TableColumn, TableReport, brackets, cells, make_table
from sari.validation import fault
from sari.variants import OPERATIONS, SCORES, SIGNIFICANT
from sari.variants import Figure as Ratio

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import OrderFigures
    from sari.companion_measures.registry import Measure
    from sari.variant_comparison import VariantDifference

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
#: The decimals of scores, for which those of measures are meant.
DIGITS = 2
_GROUP_NOTE = "Group: a new one starts where every system above is significantly better than every system below"
_RANKS_NOTE = "Ranks: best and worst that the tests allow"
# A column with its cells.
_Column = tuple[TableColumn, Sequence[str | Cell]]


def tabulate_scores(
    report: ScoreReport,
    *,
    by_order: bool = False,
    digits: int = DIGITS,
    show: Collection[str] | None = None,
    all_intervals: bool = False,
) -> TableReport:
    """Return the tables of a report, for any format: one of scores, one of tested differences, and those asked for.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
        digits: decimals of scores in the tables; with more than `DIGITS`, measures have as many more than theirs.
        show: the columns of scores and differences, by names that `check_show` takes; None for all.
        all_intervals: whether the scores of each operation of several systems have intervals, too.

    Raises:
        ValueError: where nothing is left to show.
    """
    names = {*SHOWN, *(measure.name for measure in report.measures)} if show is None else show
    tables = [
        *_score_table(report, digits, names, all_intervals=all_intervals),
        *_difference_table(report, digits, names),
        *(_order_table(report, row, digits) for row in report.results if by_order),
        *_reference_tables(report, digits),
        *_published_tables(report, digits),
        *_measure_table(report, digits, names),
    ]
    if report.explanations:
        tables.append(tabulate_steps(report.explanations, digits))
    if not tables:
        raise ValueError(fault("show", ", ".join(names), "a score, measure or difference that there is"))
    reasons = [standing.reason for standing in report.published if standing.reason]
    tables[0] = replace(tables[0], notes=[*tables[0].notes, *reasons])
    return TableReport(
        tables=list(_noted_once(tables)),
        signatures=report.signatures + report.measure_signatures,
        warnings=report.warnings,
        paragraph=methods_paragraph(report, digits),
        records=partial(score_records, report),
        fields=partial(score_fields, report),
    )


def check_show(show: Iterable[str], measures: Iterable[Measure]) -> None:
    """Refuse names that are neither in `SHOWN` nor those of measures (ValueError)."""
    names = [*SHOWN, *(measure.name for measure in measures)]
    for name in show:
        if name not in names:
            raise ValueError(f"show: got {name!r}, expected some of {', '.join(names)}")


def _noted_once(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables without the notes that an earlier one has."""
    known: set[str] = set()
    for table in tables:
        notes = [note for note in table.notes if note not in known]
        methods = [note for note in table.methods if note not in known]
        known.update(notes + methods)
        yield replace(table, notes=notes, methods=methods)


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

    def score(self, row: ScoreRow, *, has_interval: bool, best: bool = False, has_mark: bool = True) -> Cell:
        """Return the score of a row; an empty cell if the row has none."""
        intervals = row.confidence_intervals if has_interval else {}
        return self._cell(row.scores, intervals, best=best, mark=self._mark(row) if has_mark else "")

    def difference(self, row: ScoreRow, *, has_mark: bool) -> Cell:
        """Return the difference of the systems of a row; an empty cell if they were not tested."""
        mark = self._mark(row) if has_mark else ""
        return self._cell(row.differences, row.difference_intervals, sign="+", mark=mark)

    def _cell(self, values: Figures, intervals: Figures, *, sign: str = "", best: bool = False, mark: str = "") -> Cell:
        if self.name not in values:
            return Cell("")
        text = f"{values[self.name]:{sign}.{self.digits}f}{self.unit}"
        ends = ", ".join(f"{end:.{self.digits}f}" for end in intervals.get(self.name, ()))
        return Cell(text, best, mark, f"[{ends}]" if ends else "")

    def _mark(self, row: ScoreRow) -> str:
        """Return whether the figure is significantly higher or lower than that of the system compared with."""
        if not _is_significant(row, self.name):
            return ""
        return HIGHER if row.differences[self.name] > 0 else LOWER


def _is_significant(row: ScoreRow, name: str) -> bool:
    return row.corrected_p_values.get(name, 1) < SIGNIFICANT


def _score_figures(digits: int) -> list[_Figure]:
    return [_Figure(name, LABELS[name], digits) for name in SCORES]


def _measure_figures(report: ScoreReport, digits: int) -> list[_Figure]:
    return [
        _Figure(row.name, row.label, max(row.digits + digits - DIGITS, 0), row.unit, row.better)
        for row in report.measures
    ]


# ---- Scores ---------------------------------------------------------------------------------------------------------


def _score_table(report: ScoreReport, digits: int, show: Collection[str], *, all_intervals: bool) -> Iterator[Table]:
    """Yield the table with a row for each system, baseline and variant; a single one has a row for each score instead.

    The differences from a baseline system are columns, too, where there are no measures.
    """
    figures = [figure for figure in _score_figures(digits) if figure.name in show]
    segments = report.rows[0].segments
    title = f"SARI of {segments:,} segment{'' if segments == 1 else 's'}"
    rows = [row for row in (*report.results, *report.baselines) if "sari" in row.scores]
    rows.sort(key=lambda row: report.variants.index(row.variant))
    if len(rows) == 1:
        if figures:
            yield replace(_rows_of_figures(report, title, "Score", figures, rows, show), segments=segments)
        return
    columns = list(_score_columns(report, rows, figures, show, all_intervals=all_intervals))
    methods = _test_notes(report)
    if report.pairs and "group" in show:
        columns.append((TableColumn("Group"), [str(row.group or "") for row in rows]))
        methods.append(_GROUP_NOTE)
    if report.pairs and "ranks" in show:
        columns.append((TableColumn("Ranks"), ["-".join(map(str, dict.fromkeys(row.rank or []))) for row in rows]))
        methods.append(_RANKS_NOTE)
    if _has_differences_in_columns(report):
        sari = _score_figures(digits)[0]
        columns += _tested_columns(report, show, [(sari, row) for row in rows], has_marks=False)
    if not columns:
        return
    has_systems = len({row.name for row in rows}) > 1
    if len(report.variants) > 1:
        columns.insert(
            0,
            (TableColumn("Variant", is_text=True, is_group=has_systems), [report.titles[row.variant] for row in rows]),
        )
    if has_systems:
        columns.insert(0, (TableColumn("System", is_text=True), [row.name for row in rows]))
    outside = list(_outside_competition(report))
    table = _table_of_columns(report, title, columns)
    best = ""
    if any(cell.best for line in table.rows for cell in line):
        best = "the best of the column among the systems that compete" if outside else "the best of the column"
    yield replace(
        table,
        apart=[place for place, row in enumerate(rows) if row.kind == "baseline"],
        notes=[*table.notes, *outside, *_verdicts(report)],
        methods=methods,
        best=best,
    )


def _score_columns(
    report: ScoreReport,
    rows: Sequence[ScoreRow],
    figures: Iterable[_Figure],
    show: Collection[str],
    *,
    all_intervals: bool,
) -> Iterator[_Column]:
    """Yield the columns of scores; SARI has its mark, and intervals unless all scores have them."""
    for figure in figures:
        is_sari, best = figure.name == "sari", _best_scores(report, figure.name)
        has_interval = "intervals" in show and (all_intervals or is_sari)
        scores = [
            figure.score(
                row,
                has_interval=has_interval,
                best=row.competes and row.scores[figure.name] == best.get(row.variant),
                has_mark=is_sari,
            )
            for row in rows
        ]
        yield TableColumn(figure.label, better="↑"), scores


def _rows_of_figures(
    report: ScoreReport,
    title: str,
    heading: str,
    figures: Sequence[_Figure],
    rows: Sequence[ScoreRow],
    show: Collection[str],
) -> Table:
    """Return a table with a row for each figure and a column for each row of the report."""
    labels = [f"{figure.label} {figure.better}".rstrip() for figure in figures]
    columns: list[_Column] = [(TableColumn(heading, is_text=True), labels)]
    for row in rows:
        scores = [figure.score(row, has_interval="intervals" in show) for figure in figures]
        columns.append((TableColumn(row.name), scores))
    return _table_of_columns(report, title, columns)


def _table_of_columns(report: ScoreReport, title: str, columns: Sequence[_Column]) -> Table:
    """Return a table of columns, with the notes about its intervals and marks."""
    headings, parts = zip(*columns, strict=True)
    rows = cells(zip(*parts, strict=True))
    return Table(title, list(headings), rows, notes=[*_interval_notes(report, rows), *_mark_notes(report, rows)])


def _best_scores(report: ScoreReport, name: str) -> dict[str, float]:
    """Return the highest of a score among several systems that compete, by variant."""
    competing: dict[str, list[float]] = {}
    for row in report.results:
        if row.competes:
            competing.setdefault(row.variant, []).append(row.scores[name])
    return {variant: max(scores) for variant, scores in competing.items() if len(scores) > 1}


# ---- Tests ----------------------------------------------------------------------------------------------------------


def _has_differences_in_columns(report: ScoreReport) -> bool:
    return bool(report.resampling and report.resampling.comparisons and not report.pairs and not report.measures)


def _tested_columns(
    report: ScoreReport, show: Collection[str], rows: Sequence[tuple[_Figure, ScoreRow]], *, has_marks: bool = True
) -> list[_Column]:
    """Return the columns of differences and p-values that are shown."""
    columns: list[_Column] = []
    of = "" if has_marks or "sari" in show else "SARI "
    if "difference" in show:
        differences = [figure.difference(row, has_mark=has_marks) for figure, row in rows]
        columns.append((TableColumn(f"{of}Diff."), differences))
    if "p" in show:
        columns.append((TableColumn(f"{of}p"), [_p_value(row.p_values.get(figure.name)) for figure, row in rows]))
        if report.resampling is not None and report.resampling.comparisons > 1:
            corrected = [_p_value(row.corrected_p_values.get(figure.name)) for figure, row in rows]
            columns.append((TableColumn("corr. p"), corrected))
    return columns


def _p_value(value: float | None) -> str:
    """Return a p-value as papers print it: few draws cannot tell small ones apart.

    >>> _p_value(0.0123), _p_value(1 / 10_001), _p_value(None)
    ('0.0123', '<0.001', '')
    """
    if value is None:
        return ""
    return "<0.001" if value < 0.001 else f"{value:.4f}"


def _difference_table(report: ScoreReport, digits: int, show: Collection[str]) -> Iterator[Table]:
    """Yield the table of tested differences in SARI and measures between pairs of systems, if it is wanted.

    With all pairs, the system with the higher SARI comes first.
    """
    compared = report.pairs or [row for row in report.results if row.against]
    if _has_differences_in_columns(report) or not compared or {"difference", "p"}.isdisjoint(show):
        return
    figures = [_score_figures(digits)[0], *_measure_figures(report, digits)]
    figures = [figure for figure in figures if figure.name in show] or figures
    rows = [(figure, row) for figure in figures for row in compared if figure.name in row.differences]
    columns: list[_Column] = [(TableColumn("System", is_text=True), [row.name for _, row in rows])]
    if report.pairs:
        columns.append((TableColumn("Against", is_text=True), [str(row.against) for _, row in rows]))
    if len(report.variants) > 1:
        columns.append((TableColumn("Variant", is_text=True), [report.titles[row.variant] for _, row in rows]))
    is_group = len(figures) > 1 and len(compared) > 1
    columns.append((TableColumn("Score", is_text=True, is_group=is_group), [figure.label for figure, _ in rows]))
    columns += _tested_columns(report, show, rows)
    baseline = report.baseline_system
    title = f"Differences from {baseline}" if baseline else "Differences between systems"
    yield replace(_table_of_columns(report, title, columns), methods=_test_notes(report))


def _verdicts(report: ScoreReport) -> Iterator[str]:
    """Yield for each system by how many variants it is higher and lower than the baseline of the tests."""
    if len(report.variants) < 2:
        return
    for name in report.systems:
        rows = [row for row in report.results if row.name == name and row.against]
        higher, lower = ([row for row in rows if sign * row.differences["sari"] > 0] for sign in (1, -1))
        significant = [sum(_is_significant(row, "sari") for row in part) for part in (higher, lower)]
        if rows:
            yield (
                f"{name} against {rows[0].against}: higher by {len(higher)} of {len(rows)} variants, significantly by "
                f"{significant[0]}; lower by {len(lower)}, significantly by {significant[1]}"
            )


# ---- Notes ----------------------------------------------------------------------------------------------------------


def _outside_competition(report: ScoreReport) -> Iterator[str]:
    """Yield the notes about rows that do not compete: baselines, and systems that copy their sources."""
    about = [
        f"{row.name}, {BASELINE_SUMMARIES[row.name]}"
        for row in report.baselines
        if "sari" in row.scores and row.name in BASELINE_SUMMARIES
    ]
    if about:
        yield f"Baselines: {'; '.join(dict.fromkeys(about))}"
    copying = dict.fromkeys(row.name for row in report.results if row.copies)
    if copying and len(report.systems) > 1:
        yield f"Out of competition, since most outputs copy their sources: {', '.join(copying)}"


def _interval_notes(report: ScoreReport, rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the note on the intervals of rows, if they have any."""
    resampling = report.resampling
    if resampling is None or resampling.confidence is None or not any(cell.interval for row in rows for cell in row):
        return []
    from sari.significance import BOOTSTRAP  # here, since it is slow to import

    note = brackets(resampling.confidence, BOOTSTRAP.describe(resampling.resamples, resampling.seed, over="segments"))
    return [f"{note}; intervals of differences are not corrected" if resampling.comparisons > 1 else note]


def _test_notes(report: ScoreReport) -> list[str]:
    """Return how the tests were done, if there are tests."""
    resampling = report.resampling
    if resampling is None or not resampling.comparisons:
        return []
    method = resampling.test.describe(resampling.trials, resampling.seed)
    notes = [f"Tests: each system against {resampling.baseline or 'each'}; two-sided, {method}"]
    if resampling.comparisons > 1:
        within = ["variant"] * (len(report.variants) > 1) + ["figure"] * bool(report.measures)
        across = f" within each {' and '.join(within)}, not across them" if within else ""
        notes.append(f"Corrected p: for {resampling.comparisons} comparisons{across} (Holm 1979)")
    elif len(report.variants) > 1:
        notes.append("p-values are not corrected across variants")
    return [*notes, f"Null hypothesis: {resampling.test.null_hypothesis}"]


def _mark_notes(report: ScoreReport, rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the note on the marks of rows, if they have any."""
    marks = {cell.mark for row in rows for cell in row}
    words = {HIGHER: "higher", LOWER: "lower"}
    meanings = [f"{mark} significantly {word}" for mark, word in words.items() if mark in marks]
    if report.resampling is None or not meanings:
        return []
    than = report.resampling.baseline or "the second system"
    p_value = "corrected p" if report.resampling.comparisons > 1 else "p"
    return [f"{', '.join(meanings)} than {than}: {p_value} < {SIGNIFICANT:g}"]


# ---- What else was asked for ----------------------------------------------------------------------------------------


def _order_table(report: ScoreReport, row: ScoreRow, digits: int) -> Table:
    title = f"SARI by n-gram order: {report.titles[row.variant]}"
    return tabulate_orders(f"{title}, {row.name}" if len(report.systems) > 1 else title, row.orders, digits)


def tabulate_orders(title: str, orders: Sequence[OrderFigures], digits: int = DIGITS) -> Table:
    """Return precision, recall, F1 and score of every n-gram order and operation."""
    ratios: tuple[Ratio, ...] = ("precision", "recall", "f1", "score")
    rows = [
        [str(order["order"]), operation, *(f"{order[operation][name]:.{digits}f}" for name in ratios)]
        for order in orders
        for operation in OPERATIONS
    ]
    headings = ["Order", "Operation", *map(str.title, ratios)]
    table = make_table(title, headings, rows, texts=0)
    table.columns[1] = TableColumn("Operation", is_text=True)
    return table


def _reference_tables(report: ScoreReport, digits: int) -> Iterator[Table]:
    """Yield for each system and variant its scores by number of references."""
    headings = ["References", "Subsets", "SARI", "Std. dev.", "Lowest", "Highest", *map(str.title, OPERATIONS)]
    for (name, label), counts in groupby(report.by_references, key=lambda row: (row.name, row.variant)):
        rows = []
        for row in counts:
            of_sari = [scores["sari"] for scores in (row.mean, row.deviation, row.lowest, row.highest)]
            figures = [*of_sari, *(row.mean[operation] for operation in OPERATIONS)]
            rows.append([str(row.references), str(row.subsets), *(f"{value:.{digits}f}" for value in figures)])
        title = f"SARI by number of references: {report.titles[label]}"
        yield make_table(f"{title}, {name}" if len(report.systems) > 1 else title, headings, rows, texts=0)


def _published_tables(report: ScoreReport, digits: int) -> Iterator[Table]:
    """Yield for each variant the table of published systems and those of the report."""
    for standing in report.published:
        if standing.rows:
            scores = {row.name: row.scores["sari"] for row in report.results if row.variant == standing.variant}
            yield standing.table(scores, digits, names_variant=len(report.variants) > 1)


def _measure_table(report: ScoreReport, digits: int, show: Collection[str]) -> Iterator[Table]:
    """Yield the table with the measures as rows, which are the same under all variants."""
    figures = [figure for figure in _measure_figures(report, digits) if figure.name in show]
    rows = [row for row in (*report.results, *report.baselines) if row.variant == report.variants[0]]
    rows = [row for row in rows if any(figure.name in row.scores for figure in figures)]
    if rows:
        about = [f"{row.label}: {row.about}" for row in report.measures if row.name in show]
        table = _rows_of_figures(report, "Companion measures", "Measure", figures, rows, show)
        yield replace(table, methods=[*_test_notes(report), *about])


def tabulate_steps(explanations: Sequence[tuple[str, VariantDifference]], digits: int = DIGITS) -> Table:
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
