"""Scores as files to keep: CSV for a spreadsheet, JSON for a program, LaTeX for a paper."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from report import tables
from report.answers import Corpus, Row


def as_csv(corpus: Corpus) -> str:
    """Return a line of names and a line per segment, the references each in a column of their own.

    The first column after the texts names the signature, so that the scores never stand alone.
    """
    most = max(len(row.references) for row in corpus.rows)
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    names = [f"reference_{number}" for number in range(1, most + 1)]
    writer.writerow([*Row._fields[:-1], *names, "signature"])
    for row in corpus.rows:
        gap = [""] * (most - len(row.references))
        writer.writerow([*row[:-1], *row.references, *gap, corpus.result["signature"]])
    return target.getvalue()


def as_json(corpus: Corpus) -> str:
    """Return the signature, the scores, the figures by order, the notes, and the segments with scores and texts."""
    result = corpus.result
    return json.dumps(
        {
            "signature": result["signature"],
            "scores": {name: result[name] for name in Row._fields[1:5]},
            "orders": result["orders"],
            "notes": corpus.notes,
            "segments": [row._asdict() for row in corpus.rows],
        },
        ensure_ascii=False,
        indent=1,
    )


#: How a corpus is written, by the ending of the file.
DOWNLOADS: dict[str, Callable[[Corpus], str]] = {".csv": as_csv, ".json": as_json}


def as_report(compared: dict[str, Any], variant: str) -> tables.Report:
    """Return compared systems, with details, as the report that the command line would give."""
    segments, signature = compared["segments"], compared["signature"]
    results = [
        tables.result_of(name, variant, segments, signature, found) for name, found in compared["systems"].items()
    ]
    how = {name: compared[name] for name in ("confidence", "method", "resamples", "seed", "baseline")}
    return tables.Report(results, notes=compared["notes"], resampling=tables.Resampling(**how))


#: How compared systems are written, by the ending of the file.
COMPARISON_DOWNLOADS: dict[str, Callable[[tables.Report], str]] = {
    ".csv": lambda report: tables.as_csv(report, False) + "\n",
    ".json": lambda report: tables.as_json(report, False) + "\n",
    ".tex": lambda report: tables.as_latex(report, False) + "\n",
}
