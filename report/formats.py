"""Scores as text, JSON, Markdown, LaTeX or CSV, and sentence scores as TSV or JSONL.

Every format takes results of any number of systems and variants. JSON has one schema, whatever was asked for::

    {"systems": [{"name": str, "variant": str, "segments": int, "signature": str,
                  "scores": {"sari": float, "keep": float, "delete": float, "add": float},
                  "orders": [{"order": int, "keep": {"precision": float, "recall": float, "f1": float, "score": float},
                              "delete": {...}, "add": {...}}, ...],
                  "confidence_intervals": {"sari": [float, float], ...},
                  "differences": {"sari": float, ...}, "p_values": {"sari": float, ...}}, ...],
     "baselines": [{"name": str, "variant": str, "scores": {...}}, ...],
     "explanations": [{"name": str, "variant_a": str, "variant_b": str, "signature_a": str, "signature_b": str,
                       "steps": [{"choice": str, "before": str, "after": str, "sari": float, "keep": float,
                                  "delete": float, "add": float, "change": float}, ...]}, ...],
     "by_references": [{"name": str, "variant": str, "references": int, "subsets": int, "mean": {"sari": float, ...},
                        "deviation": {...}, "lowest": {...}, "highest": {...}}, ...],
     "warnings": [{"category": str, "message": str}, ...],
     "resampling": {"confidence": float, "method": str, "resamples": int, "seed": int, "baseline": str}}

with one entry of "systems" per system and variant, and all scores in percent at full precision. From
"confidence_intervals" on, what was not asked for, and warnings where there are none, are left out.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sari.report.results import Baseline, Result, ScoreReport
from sari.report.tables import WORDS, Cell, Table, further_tables, legend, score_list, score_table
from sari.variants import SCORES

if TYPE_CHECKING:  # what `--help` need not wait for
    from sari.state import SentenceScores

_RULE = "=" * 50
_TITLE = "SARI Score Results"


def as_text(report: ScoreReport, by_order: bool) -> str:
    """Return a report for people: one result as a list of its scores, several as a table; the signatures come last.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
    """
    results = report.results
    lines = [_RULE, _TITLE, _RULE, f"Number of samples: {results[0].segments}", ""]
    alone = len(results) == 1 and not report.baselines
    lines += score_list(results[0]) if alone else aligned(score_table(report))
    lines += [_RULE]
    explained = legend(report, best="^")
    lines += explained
    tables = further_tables(report, by_order)
    for table in tables:
        lines += ["", table.title, *aligned(table)]
    lines += [""] if tables or explained else []
    lines += report.signatures
    lines += [""] if report.warnings else []
    lines += [f"Warning: {row['message']}" for row in report.warnings]
    return "\n".join(lines)


def as_json(report: ScoreReport, _by_order: bool) -> str:
    """Return a report in the schema above, which always has the orders."""
    fields = asdict(report)
    systems = [_without_nothing(result) for result in fields.pop("results")]
    return json.dumps({"systems": systems, **_without_nothing(fields)}, indent=2, allow_nan=False)


def as_markdown(report: ScoreReport, by_order: bool) -> str:
    """Return a report as Markdown, the best scores in bold."""
    blocks = [markdown_table(score_table(report))]
    explained = legend(report, best="bold:")
    if explained:
        blocks.append("\n".join(f"- {_escaped_markdown(line)}" for line in explained))
    blocks += [f"{table.title}\n\n{markdown_table(table)}" for table in further_tables(report, by_order)]
    blocks.append("\n".join(f"`{line}`  " for line in report.signatures))
    if report.warnings:
        blocks.append("\n".join(f"> Warning: {_escaped_markdown(row['message'])}  " for row in report.warnings))
    return "\n\n".join(blocks)


def as_latex(report: ScoreReport, by_order: bool) -> str:
    """Return a report as LaTeX tables that need no package, the best scores in bold; all else is in comments."""
    blocks = [latex_table(score_table(report))]
    blocks += [f"% {table.title}\n{latex_table(table)}" for table in further_tables(report, by_order)]
    comments = [*legend(report, best="bold:"), *report.signatures]
    comments += [f"Warning: {row['message']}" for row in report.warnings]
    return "\n\n".join([*blocks, "\n".join(f"% {line}" for line in comments)])


def as_csv(report: ScoreReport, _by_order: bool) -> str:
    """Return a row per system, baseline and variant at full precision, the columns the same whatever was asked for."""
    ends = [f"{score}_{end}" for score in SCORES for end in ("low", "high")]
    of_test = [f"{score}_{what}" for what in ("difference", "p_value") for score in SCORES]
    header = ["system", "variant", "segments", *SCORES, *ends, *of_test, "signature", "warnings"]
    shared = {"segments": report.results[0].segments, "warnings": " ".join(row["message"] for row in report.warnings)}
    signatures = {result.variant: result.signature for result in report.results}
    file = io.StringIO()
    writer = csv.DictWriter(file, header, lineterminator="\n")
    writer.writeheader()
    rows: list[Result | Baseline] = [*report.results, *report.baselines]
    for row in rows:
        cells = {"system": row.name, "variant": row.variant, **shared, **row.scores}
        writer.writerow({**cells, "signature": signatures[row.variant], **_statistics(row)})
    return file.getvalue().removesuffix("\n")


#: Each takes the report and whether precision, recall and F1 by order are wanted, and returns it as one text.
FORMATS: dict[str, Callable[[ScoreReport, bool], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}


def sentences_as_tsv(scores: SentenceScores) -> Iterator[str]:
    """Yield a line of names and a line per segment: its number, from 1, and its four scores."""
    yield "\t".join(("segment", *SCORES))
    for number, row in _sentences(scores):
        yield "\t".join(map(repr, (number, *row)))


def sentences_as_jsonl(scores: SentenceScores) -> Iterator[str]:
    """Yield a JSON object per segment: its number, from 1, and its four scores."""
    for number, row in _sentences(scores):
        yield json.dumps({"segment": number, **dict(zip(SCORES, row, strict=True))}, allow_nan=False)


#: How sentence scores are written, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[[SentenceScores], Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".jsonl": sentences_as_jsonl,
}


def _sentences(scores: SentenceScores) -> Iterator[tuple[int, tuple[float, ...]]]:
    return enumerate(zip(*(scores[name] for name in SCORES), strict=True), 1)


def _without_nothing(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _statistics(row: Result | Baseline) -> dict[str, Any]:
    """Return the cells of intervals and tests; those that a row does not have stay empty."""
    cells: dict[str, Any] = {}
    if isinstance(row, Result):
        for score in SCORES:
            if row.confidence_intervals is not None:
                cells[f"{score}_low"], cells[f"{score}_high"] = row.confidence_intervals[score]
            if row.differences is not None:
                cells[f"{score}_difference"] = row.differences[score]
            if row.p_values is not None:
                cells[f"{score}_p_value"] = row.p_values[score]
    return cells


# How each format writes a table


def aligned(table: Table) -> list[str]:
    """Return lines whose columns of figures stand to the right and whose columns of words stand to the left."""
    columns = [
        _column(name, [row[place] for row in table.rows], right=name not in WORDS)
        for place, name in enumerate(table.header)
    ]
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _column(name: str, cells: list[Cell], *, right: bool) -> list[str]:
    marks = ["*" * cell.significant + "^" * cell.best for cell in cells]
    room = max(map(len, marks), default=0)
    texts = [name + " " * room, *(cell.text + mark.ljust(room) for cell, mark in zip(cells, marks, strict=True))]
    width = max(map(len, texts))
    return [text.rjust(width) if right else text.ljust(width) for text in texts]


def markdown_table(table: Table) -> str:
    """Return a table as Markdown."""

    def shown(cell: Cell) -> str:
        text = _escaped_markdown(cell.text)
        return (f"**{text}**" if cell.best else text) + r"\*" * cell.significant

    rule = [":---" if name in WORDS else "---:" for name in table.header]
    rows = [table.header, rule, *([shown(cell) for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def latex_table(table: Table) -> str:
    """Return a table as LaTeX that needs no package."""

    def shown(cell: Cell) -> str:
        text = _escaped_latex(cell.text)
        return (rf"\textbf{{{text}}}" if cell.best else text) + "$^{*}$" * cell.significant

    alignment = "".join("l" if name in WORDS else "r" for name in table.header)
    header = " & ".join(map(_escaped_latex, table.header))
    rows = [" & ".join(map(shown, row)) for row in table.rows]
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\hline", rf"{header} \\", r"\hline"]
    return "\n".join([*lines, *(rf"{row} \\" for row in rows), r"\hline", r"\end{tabular}"])


def _escaped_markdown(text: str) -> str:
    return "".join(f"\\{character}" if character in r"\|*_`<>" else character for character in text)


def _escaped_latex(text: str) -> str:
    words = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    words |= {character: f"\\{character}" for character in "&%$#_{}"}
    return "".join(words.get(character, character) for character in text)
