"""How scores agree with ratings by people: the report as plain data, as tables, and in the schema of JSON.

JSON has one schema::

    {"ratings": int, "sources": int, "systems": [str, ...],
     "agreement": [{"level": "segments" or "systems", "variant": str, "measure": str, "signature": str,
                    "coefficients": {"pearson": {"value": float, "interval": [float, float], "difference": float,
                                                 "difference_interval": [float, float]}, ...}}, ...],
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
from sari.reports.tables import Table, TableReport, interval_heading, interval_text, table_of_columns
from sari.significance import BOOTSTRAP

# The decimals of coefficients.
_DIGITS = 3


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
        columns = [("Variant", [row.variant for row in rows])] if names_variants else []
        columns.append(("Measure", [_label(row.measure) for row in rows]))
        for name in report.rows[0].coefficients:
            agreements = [row.coefficients[name] for row in rows]
            columns.append((name.title(), [_coefficient_text(one.value) for one in agreements]))
            columns.append((intervals, [interval_text(one.interval or (), _DIGITS) for one in agreements]))
        first = [next(iter(row.coefficients.values())) for row in rows]
        columns.append(("Diff.", [_coefficient_text(one.difference, "+") for one in first]))
        columns.append((intervals, [interval_text(one.difference_interval or (), _DIGITS) for one in first]))
        if rows:
            title = f"Agreement with the ratings of {number}"
            yield table_of_columns(title, columns, texts=2 if names_variants else 1, notes=_notes(report))


def _notes(report: AgreementReport) -> list[str]:
    first = report.rows[0]
    notes = [
        f"Diff.: {next(iter(first.coefficients)).title()} less that of {_label(first.measure)} under {first.variant}"
    ]
    names = {row.measure for row in report.rows}
    notes += [f"{measure.label}: {measure.about}" for measure in MEASURES if measure.name in names]
    if report.confidence is not None:
        over = f"{count_of(report.sources, 'source')}, each with all its outputs"
        method = BOOTSTRAP.describe(report.resamples, report.seed, over=over)
        notes.append(f"{interval_heading(report.confidence)}: {method}")
    return notes


def _label(name: str) -> str:
    """Return the short name of a score or a measure."""
    return {**LABELS, **{measure.name: measure.label for measure in MEASURES}}.get(name, name)


def _coefficient_text(value: float | None, sign: str = "") -> str:
    return "" if value is None else "–" if math.isnan(value) else f"{value:{sign}.{_DIGITS}f}"
