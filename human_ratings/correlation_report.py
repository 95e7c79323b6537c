"""How scores agree with ratings by people: the report as plain data, as tables, and in the schema of JSON.

JSON has one schema::

    {"ratings": int, "sources": int, "systems": [str, ...],
     "agreement": [{"level": "segments" or "systems", "variant": str, "measure": str, "signature": str,
                    "coefficients": {"pearson": {"value": float, "interval": [float, float], "difference": float,
                                                 "difference_interval": [float, float], "p_value": float,
                                                 "corrected_p_value": float}, ...}}, ...],
     "confidence": float, "resamples": int, "seed": int, "warnings": [WARNING, ...], "intervals": str}

in which a field without a value is left out: what was not asked for, and coefficients of scores or ratings that are all
the same.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sari.companion_measures.registry import MEASURES
from sari.data_warnings import WarningRow
from sari.human_ratings.correlation import Agreement
from sari.messages import count_of
from sari.reports.score_report import without_empty
from sari.reports.score_tables import LABELS
from sari.reports.tables import (
    HIGHER,
    LOWER,
    Cell,
    Table,
    TableReport,
    interval_heading,
    interval_text,
    table_of_columns,
)
from sari.significance import BOOTSTRAP, SIGNIFICANT

# The decimals of coefficients.
_DIGITS = 3

#: What tables call the coefficients.
COEFFICIENTS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "pearson_within": "Pearson within sources",
    "accuracy": "Pairwise accuracy",
}


@dataclass(frozen=True)
class AgreementRow:
    """The coefficients of a score at a level, "segments" or "systems"; the variant is empty for a measure."""

    level: str
    variant: str
    measure: str
    signature: str
    coefficients: dict[str, Agreement]


@dataclass(frozen=True)
class AgreementReport:
    """How scores agree with ratings.

    Attributes:
        rows: a row per score and level; the others are compared with the first score.
        ratings, sources: the numbers of ratings and of sources.
        systems: the names of the systems.
        confidence: the level of the intervals; None for none.
        resamples, seed: the options of the intervals.
        warnings: about the texts, the variant and the intervals.
        intervals: the method of the intervals.
    """

    rows: list[AgreementRow]
    ratings: int
    sources: int
    systems: list[str]
    confidence: float | None
    resamples: int
    seed: int
    warnings: list[WarningRow]
    intervals: str = "bootstrap"


def tabulate_agreement(report: AgreementReport) -> TableReport:
    """Return the tables of a report, with the data that the formats need."""
    return TableReport(
        tables=list(_tables(report)),
        signatures=list(dict.fromkeys(row.signature for row in report.rows if row.signature)),
        warnings=report.warnings,
        records=lambda: [_record(row, report) for row in report.rows],
        fields=lambda: _fields(report),
    )


def _fields(report: AgreementReport) -> dict[str, Any]:
    fields = asdict(report)
    return without_empty({"agreement": fields.pop("rows"), **fields})


def _record(row: AgreementRow, report: AgreementReport) -> dict[str, Any]:
    """Return a row at full precision; all options give the same keys."""
    record: dict[str, Any] = {"level": row.level, "variant": row.variant, "measure": row.measure}
    for name, one in row.coefficients.items():
        figures = (name, one.value, one.interval), (f"{name}_difference", one.difference, one.difference_interval)
        for label, value, interval in figures:
            record[label] = None if value is None or math.isnan(value) else value
            record[f"{label}_low"], record[f"{label}_high"] = interval or (None, None)
        record |= {f"{name}_p_value": one.p_value, f"{name}_corrected_p_value": one.corrected_p_value}
    return {**record, "ratings": report.ratings, "sources": report.sources, "signature": row.signature}


def _tables(report: AgreementReport) -> Iterator[Table]:
    """Yield a table for each level."""
    names_variants = len({row.variant for row in report.rows if row.variant}) > 1
    intervals = interval_heading(report.confidence)
    for level, number in (
        ("segments", count_of(report.ratings, "output")),
        ("systems", count_of(len(report.systems), "system")),
    ):
        rows = [row for row in report.rows if row.level == level]
        if not rows:
            continue
        cells = [(name, row) for name in rows[0].coefficients for row in rows]
        agreements = [row.coefficients[name] for name, row in cells]
        columns: list[tuple[str, list[str | Cell]]] = [("Coefficient", [COEFFICIENTS[name] for name, _ in cells])]
        columns += [("Variant", [row.variant for _, row in cells])] if names_variants else []
        columns.append(("Measure", [_label(row.measure) for _, row in cells]))
        columns.append(("Value", [_coefficient_text(one.value) for one in agreements]))
        columns.append((intervals, [interval_text(one.interval or (), _DIGITS) for one in agreements]))
        columns.append(("Diff.", list(map(_difference, agreements))))
        columns.append((intervals, [interval_text(one.difference_interval or (), _DIGITS) for one in agreements]))
        title = f"Agreement with the ratings of {number}"
        yield table_of_columns(title, columns, texts=3 if names_variants else 2, notes=_notes(report, level))


def _notes(report: AgreementReport, level: str) -> list[str]:
    first = report.rows[0]
    notes = [f"Diff.: from the coefficient of {_label(first.measure)} under {first.variant}"]
    names = {row.measure for row in report.rows}
    notes += [f"{measure.label}: {measure.about}" for measure in MEASURES if measure.name in names]
    if report.confidence is not None:
        over = f"{count_of(report.sources, 'source')}, each with all its outputs"
        over += " and over systems" * (level == "systems")
        method = BOOTSTRAP.describe(report.resamples, report.seed, over=over)
        notes.append(f"{interval_heading(report.confidence)}: {method}")
        notes.append(
            f"{HIGHER} significantly higher, {LOWER} significantly lower: p < {SIGNIFICANT:g}, by a normal "
            "distribution with the standard error of the resamples, with Holm's correction for this table"
        )
    return notes


def _difference(one: Agreement) -> Cell:
    is_significant = one.corrected_p_value is not None and one.corrected_p_value < SIGNIFICANT
    mark = (HIGHER if (one.difference or 0) > 0 else LOWER) if is_significant else ""
    return Cell(_coefficient_text(one.difference, "+"), mark=mark)


def _label(name: str) -> str:
    """Return the short name of a score or a measure."""
    return {**LABELS, **{measure.name: measure.label for measure in MEASURES}}.get(name, name)


def _coefficient_text(value: float | None, sign: str = "") -> str:
    return "" if value is None else "–" if math.isnan(value) else f"{value:{sign}z.{_DIGITS}f}"
