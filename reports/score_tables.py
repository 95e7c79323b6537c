"""The tables of a `ScoreReport`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.score_report import ScoreReport, SystemScores, score_fields, score_records
from sari.reports.tables import Cell, Table, TableColumn, TableReport, cells, make_table
from sari.variants import OPERATIONS, SCORES, SIGNIFICANT
from sari.variants import Figure as Ratio

if TYPE_CHECKING:  # slow to import
    from sari.comparison import VariantDifference

#: The columns of the table of scores besides companion measures, by the names that `--show` takes.
SHOWN = (*SCORES, "intervals", "difference", "p", "group", "ranks")
#: What people call the scores.
LABELS = {"sari": "SARI", "keep": "Keep", "delete": "Delete", "add": "Add"}
# Up to so many companion measures are columns beside the scores; more are rows of a separate table.
_MEASURES_IN_COLUMNS = 6
_Record = dict[str, Any]


def tabulate_scores(
    report: ScoreReport, *, by_order: bool = False, digits: int = 2, show: Sequence[str] | None = None
) -> TableReport:
    """Return the tables of a report, for any format.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
        digits: decimals of scores in the tables.
        show: the columns of the table of scores, by names in `SHOWN` and of measures; None for all.

    Raises:
        ValueError: for unknown columns.
    """
    records = score_records(report)
    several = len(report.systems) > 1
    tables = [_score_table(report, records, digits, show)]
    tables += [_order_table(result, several, digits) for result in report.results if by_order]
    tables += _difference_tables(report, records, digits)
    tables += _reference_tables(report, digits)
    if len(report.measures) > _MEASURES_IN_COLUMNS and show is None:
        tables += _measure_tables(report, records)
    tables += [_explanation_table(difference, name * several, digits) for name, difference in report.explanations]
    return TableReport(
        tables=tables,
        signatures=report.signatures,
        warnings=[row["message"] for row in report.warnings],
        records=records,
        fields=score_fields(report),
    )


class _Figure(NamedTuple):
    """A figure of records: of outputs, or of pairs of systems.

    Attributes:
        name: for `--show`.
        heading: the cell above its column.
        key: in records, where its interval has the same key with "_low" and "_high".
        form, unit: how it is written.
        continues: see `TableColumn`.
    """

    name: str
    heading: str
    key: str
    form: str = ""
    unit: str = ""
    continues: bool = False

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

    def is_significant(self, record: _Record) -> bool:
        """Return whether the systems of a record differ significantly in this figure."""
        p_value = record.get(f"{self.key}_corrected_p_value")
        return p_value is not None and p_value < SIGNIFICANT


def _score_table(report: ScoreReport, records: list[_Record], digits: int, show: Sequence[str] | None) -> Table:
    """Return a row for each system, baseline and variant; a single one has a row for each score instead."""
    figures = _chosen_figures(report, digits, show)
    interval = _interval_column(report) if show is None or "intervals" in show else []
    number = report.results[0].segments
    title, notes = f"SARI of {number:,} segment{'s' * (number != 1)}", _notes(report, records, figures)
    systems = len(report.results)
    rows = list(enumerate(records[: systems + len(report.baselines)]))
    if len(rows) == 1:
        columns = [TableColumn("Score", is_text=True), TableColumn(records[0]["system"]), *interval]
        lines = [[figure.heading, figure.text(records[0]), figure.interval(records[0])] for figure in figures]
        return Table(title, columns, cells(line[: len(columns)] for line in lines), notes=notes)
    rows.sort(key=lambda row: report.variants.index(row[1]["variant"]))
    has_systems = len({record["system"] for _, record in rows}) > 1
    has_variants, has_best = len(report.variants) > 1, len(report.systems) > 1
    columns = [TableColumn("System", is_text=True)] * has_systems
    columns += [TableColumn("Variant", is_text=True, is_group=has_systems)] * has_variants
    table = [[Cell(record["system"])] * has_systems + [Cell(record["variant"])] * has_variants for _, record in rows]
    best: dict[tuple[str, str], float] = {
        (variant, name): max(result.scores[name] for result in report.results if result.variant == variant)
        for variant in report.variants
        for name in SCORES
    }
    for figure in figures:
        intervals = interval if f"{figure.key}_low" in records[0] and figure.name not in OPERATIONS else []
        columns += [TableColumn(figure.heading, continues=figure.continues), *intervals]
        for (place, record), line in zip(rows, table, strict=True):
            competes = has_best and place < systems and figure.name in SCORES  # baselines do not compete
            is_best = competes and record[figure.key] == best[record["variant"], figure.key]
            is_significant = figure.name not in OPERATIONS and figure.is_significant(record)
            line.append(Cell(figure.text(record), is_best, is_significant))
            line += [Cell(figure.interval(record)) for _ in intervals]
    apart = [number for number, (place, _) in enumerate(rows) if place >= systems]
    return Table(title, columns, table, apart, notes, "the best system of the column" if has_best else "")


def _chosen_figures(report: ScoreReport, digits: int, show: Sequence[str] | None) -> list[_Figure]:
    names = [*SHOWN, *(measure.name for measure in report.measures)]
    unknown = next((name for name in show or () if name not in names), None)
    if unknown is not None:
        raise ValueError(f"--show: got {unknown!r}, wanted some of {', '.join(names)}")
    if show is None:
        show = names if len(report.measures) <= _MEASURES_IN_COLUMNS else SHOWN
    return [figure for figure in (*_score_figures(report, digits), *_measure_figures(report)) if figure.name in show]


def _score_figures(report: ScoreReport, digits: int) -> Iterator[_Figure]:
    for name in SCORES:
        yield _Figure(name, LABELS[name], name, f".{digits}f")
    if report.pairs:
        yield _Figure("group", "Group", "group")
        yield _Figure("ranks", "Ranks", "ranks")
    elif report.resampling and report.resampling.comparisons:
        yield _Figure("difference", "Diff.", "sari_difference", f"+.{digits}f")
        yield _Figure("p", "p", "sari_p_value", ".4f", continues=True)
        if report.resampling.comparisons > 1:
            yield _Figure("p", "corr. p", "sari_corrected_p_value", ".4f", continues=True)


def _measure_figures(report: ScoreReport) -> list[_Figure]:
    return [_Figure(own.name, own.heading, own.name, f".{own.digits}f", own.unit) for own in report.measures]


def _interval_column(report: ScoreReport) -> list[TableColumn]:
    """Return the column of intervals, if the report has them."""
    if report.resampling is None or report.resampling.confidence is None:
        return []
    return [TableColumn(f"{_percent(report.resampling.confidence)} CI", continues=True)]


def _order_table(result: SystemScores, several: bool, digits: int) -> Table:
    ratios: tuple[Ratio, ...] = ("precision", "recall", "f1", "score")
    rows = [
        [str(row["order"]), operation, *(f"{row[operation][name]:.{digits}f}" for name in ratios)]
        for row in result.orders
        for operation in OPERATIONS
    ]
    columns = [TableColumn("Order"), TableColumn("Operation", is_text=True), *map(TableColumn, map(str.title, ratios))]
    return Table(f"By order: {result.variant}" + (f", {result.name}" if several else ""), columns, cells(rows))


def _difference_tables(report: ScoreReport, records: list[_Record], digits: int) -> Iterator[Table]:
    """Yield for each variant the tested differences in SARI and measures between pairs of systems.

    The system with the higher SARI comes first. Differences in SARI from the first system are in the table of scores.
    """
    compared = records[len(report.results) + len(report.baselines) :]
    figures = [_Figure("sari", LABELS["sari"], "sari", f".{digits}f"), *_measure_figures(report)]
    if not report.pairs:
        compared, figures = [record for record in records if record["compared_with"]], figures[1:]
    interval = _interval_column(report)
    grouped = len(figures) > 1 and len(compared) > 1
    columns = [TableColumn(name, is_text=True) for name in ("System", "Against")]
    columns += [TableColumn("Score", is_text=True, is_group=grouped), TableColumn("Diff.")]
    columns += [*interval, *(TableColumn(name, continues=True) for name in ("p", "corr. p"))]
    for variant in report.variants:
        rows = []
        for figure in figures:
            difference = figure._replace(key=f"{figure.key}_difference", form=f"+{figure.form}", unit="")
            for record in compared:
                if record["variant"] == variant and record[difference.key] is not None:
                    names = [record["system"], record["compared_with"], figure.heading]
                    ends = [difference.interval(record)] * len(interval)
                    p_values = [f"{record[f'{figure.key}_{what}']:.4f}" for what in ("p_value", "corrected_p_value")]
                    own = Cell(difference.text(record), significant=figure.is_significant(record))
                    rows.append([*names, own, *ends, *p_values])
        if rows:
            title = "Differences" + (f": {variant}" if len(report.variants) > 1 else "")
            rejected = f"* the null hypothesis is rejected: corrected p < {SIGNIFICANT:g}"
            yield Table(title, columns, cells(rows), notes=[rejected])


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
        yield make_table(f"By number of references: {variant}{whose}", headings, rows, texts=0)


def _measure_tables(report: ScoreReport, records: list[_Record]) -> Iterator[Table]:
    """Yield tables with the measures as rows; variants with the same values share a table."""
    figures = _measure_figures(report)
    groups: dict[str, tuple[list[str], list[_Record]]] = {}
    for variant in report.variants:
        outputs = [record for record in records if record["variant"] == variant and _has_any(record, figures)]
        values = [[record[figure.key] for figure in figures] for record in outputs]
        groups.setdefault(repr(values), ([], outputs))[0].append(variant)
    notes = [f"{own.label}: {own.about}" for own in report.measures]
    for variants, outputs in groups.values():
        rows: list[list[str | Cell]] = []
        for own, figure in zip(report.measures, figures, strict=True):
            texts = (f"{figure.text(record)} {figure.interval(record)}".rstrip() for record in outputs)
            marks = map(figure.is_significant, outputs)
            rows.append([own.label, *(Cell(text, significant=mark) for text, mark in zip(texts, marks, strict=True))])
        title = "Companion measures" + (f": tokens of {', '.join(variants)}" if len(report.variants) > 1 else "")
        table = make_table(title, ["Measure", *(record["system"] for record in outputs)], rows)
        yield replace(table, notes=notes)


def _has_any(record: _Record, figures: Sequence[_Figure]) -> bool:
    return any(record[figure.key] is not None for figure in figures)


def _explanation_table(difference: VariantDifference, system: str, digits: int) -> Table:
    """Return the steps from one variant to another; the title names the system, if one is given."""
    one, other = difference["variant_a"], difference["variant_b"]
    start, *steps = difference["steps"]
    last = difference["steps"][-1]["sari"]
    rows = [[one, "", "", f"{start['sari']:.{digits}f}", ""]]
    for step in steps:
        words = [step["choice"] or "", step["before"] or "", step["after"] or ""]
        rows.append([*words, f"{step['sari']:.{digits}f}", f"{step['change']:+.{digits}f}"])
    rows.append([other, "", "", f"{last:.{digits}f}", f"{last - start['sari']:+.{digits}f}"])
    shares = {"Choice": 0.15, "From": 0.19, "To": 0.19}
    columns = [TableColumn(name, is_text=True, share=share) for name, share in shares.items()]
    title = f"From {one} to {other}, one choice at a time{f', {system}' if system else ''}"
    return Table(title, [*columns, TableColumn("SARI"), TableColumn("Change")], cells(rows))


# ---- Notes ----------------------------------------------------------------------------------------------------------

BASELINES = {
    "copy": "the sources as outputs",
    "empty": "outputs without words",
    "unrelated": "references of other segments",
    "references": "mean of the references, each scored against the others",
    "reference 1": "the first references, scored against the others",
}


def _notes(report: ScoreReport, records: list[_Record], figures: Sequence[_Figure]) -> list[str]:
    """Return the sentences that explain the table of scores."""
    resampling, shown = report.resampling, {figure.name for figure in figures}
    notes: list[str] = []
    if resampling and resampling.confidence is not None:
        method = resampling.interval_method.describe(resampling.resamples, resampling.seed, over="segments")
        notes += [f"{_percent(resampling.confidence)} CI: {method}"]
    if resampling and resampling.comparisons:
        method = f"two-sided, {resampling.test.describe(resampling.trials, resampling.seed)}"
        several, baseline = resampling.comparisons > 1 or bool(report.pairs), resampling.baseline
        rejected = f"{'corrected ' * several}p < {SIGNIFICANT:g}"
        if baseline is None:
            notes += [f"Diff., p: SARI of each system against each; {method}"]
            notes += [f"Group: ends where each system so far is significantly better than all that follow, {rejected}"]
            notes += ["Ranks: the best and the worst rank that the tests allow"]
        else:
            notes += [f"Diff., p: SARI against {baseline}; {method}"]
            notes += [f"Null hypothesis: a system and {baseline} are equally good, and differ by chance"]
        plural = "s" * (resampling.comparisons != 1)
        notes += [f"corr. p: corrected for {resampling.comparisons} comparison{plural} (Holm 1979)"] * several
        notes += [f"* the null hypothesis is rejected: {rejected}"]
        notes += ["* beside a measure: the same, by the same test"] * bool(report.measures)
        notes += list(filter(None, [records[0]["notes"]]))
    names = {row.name for row in report.baselines}
    notes += ["; ".join(f"{name}: {about}" for name, about in BASELINES.items() if name in names)] * bool(names)
    return notes + [f"{measure.heading}: {measure.about}" for measure in report.measures if measure.name in shown]


def _percent(share: float) -> str:
    return f"{100 * share:g}%"
