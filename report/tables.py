"""Results as plain text or JSON: the only place that knows what a report looks like.

Every format takes results of any number of systems and variants. JSON has one schema, whatever was asked for::

    {"systems": [{"name": str, "variant": str, "segments": int, "signature": str,
                  "scores": {"sari": float, "keep": float, "delete": float, "add": float},
                  "orders": [{"order": int, "keep": {"precision": float, "recall": float, "f1": float, "score": float},
                              "delete": {...}, "add": {...}}, ...]}, ...]}

with one entry per system and variant, and all numbers in percent at full precision.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

SCORES = ("sari", "keep", "delete", "add")
OPERATIONS = SCORES[1:]

#: How the files of reports may end. They are written by `pages`, which is slow to load.
REPORT_ENDINGS = (".html", ".md", ".json")

_RULE = "=" * 50


@dataclass(frozen=True)
class Result:
    """The scores of one system under one variant, in percent."""

    name: str
    variant: str
    segments: int
    signature: str
    scores: dict[str, float]
    orders: list[dict]


def as_text(results: Sequence[Result], by_order: bool) -> str:
    """Return results for people: one as a list of its scores, several as a table; the signatures come last.

    Args:
        results: at least one, all of the same segments.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
    """
    lines = [_RULE, "SARI Score Results", _RULE, f"Number of samples: {results[0].segments}", ""]
    lines += _score_list(results[0].scores) if len(results) == 1 else _score_table(results)
    lines += [_RULE]
    for result in results if by_order else ():
        lines += ["", f"By order: {result.variant}", *_order_table(result.orders)]
    lines += [""] if by_order else []
    lines += [result.signature for result in results]
    return "\n".join(lines)


def as_json(results: Sequence[Result], _by_order: bool) -> str:
    """Return results in the schema above, which always has the orders."""
    return json.dumps({"systems": [asdict(result) for result in results]}, indent=2, allow_nan=False)


#: Each takes the results and whether precision, recall and F1 by order are wanted, and returns the report.
FORMATS: dict[str, Callable[[Sequence[Result], bool], str]] = {"text": as_text, "json": as_json}


def sentences_as_tsv(scores: dict[str, list[float]]) -> Iterator[str]:
    """Yield a line of names and a line per segment: its number, from 1, and its four scores."""
    yield "\t".join(("segment", *SCORES))
    for number, row in _sentences(scores):
        yield "\t".join(map(repr, (number, *row)))


def sentences_as_jsonl(scores: dict[str, list[float]]) -> Iterator[str]:
    """Yield a JSON object per segment: its number, from 1, and its four scores."""
    for number, row in _sentences(scores):
        yield json.dumps({"segment": number, **dict(zip(SCORES, row, strict=True))}, allow_nan=False)


#: How sentence scores are written, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[[dict[str, list[float]]], Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".jsonl": sentences_as_jsonl,
}


def _sentences(scores: dict[str, list[float]]) -> Iterator[tuple[int, tuple[float, ...]]]:
    return enumerate(zip(*(scores[name] for name in SCORES), strict=True), 1)


def _score_list(scores: dict[str, float]) -> list[str]:
    labels = ("  SARI:", "    - Keep:", "    - Delete:", "    - Add:")
    return [f"{label:<15}{scores[name]:.2f}" for label, name in zip(labels, SCORES, strict=True)]


def _score_table(results: Iterable[Result]) -> list[str]:
    header = ("Variant", "SARI", "Keep", "Delete", "Add")
    return _table(header, [(result.variant, *_figures(result.scores, SCORES)) for result in results])


def _order_table(orders: Iterable[dict]) -> list[str]:
    header = ("Order", "Operation", "Precision", "Recall", "F1", "Score")
    columns = ("precision", "recall", "f1", "score")
    cells = [
        (str(row["order"]), operation, *_figures(row[operation], columns)) for row in orders for operation in OPERATIONS
    ]
    return _table(header, cells)


def _figures(scores: dict[str, float], names: Iterable[str]) -> list[str]:
    return [f"{scores[name]:.2f}" for name in names]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines whose columns of figures stand to the right and whose columns of words stand to the left."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell[-1].isdigit() for cell in column[1:]) for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if figures else cell.ljust(width)
            for cell, width, figures in zip(cells, widths, right, strict=True)
        ).rstrip()
        for cells in (header, *rows)
    ]
