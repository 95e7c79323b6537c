"""A scored corpus as a file to keep: CSV for a spreadsheet, JSON for a program."""

import csv
import io
import json
from collections.abc import Callable

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
    """Return the signature, the scores, the figures by order, and the segments with scores and texts."""
    result = corpus.result
    return json.dumps(
        {
            "signature": result["signature"],
            "scores": {name: result[name] for name in Row._fields[1:5]},
            "orders": result["orders"],
            "segments": [row._asdict() for row in corpus.rows],
        },
        ensure_ascii=False,
        indent=1,
    )


#: How a corpus is written, by the ending of the file.
DOWNLOADS: dict[str, Callable[[Corpus], str]] = {".csv": as_csv, ".json": as_json}
