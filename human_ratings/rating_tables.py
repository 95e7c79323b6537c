r"""Read ratings by people: a number per line, or a table of outputs with their ratings, as JSON Lines, CSV or TSV.

CSV may have quoted cells (RFC 4180); in TSV quotes are text. The first line names the columns: `source`,
`prediction` (or `output`), `references` (or `reference`, `reference_1`, `reference_2` and so on; empty references are
left out), and optionally `system` and `ratings` (or `rating`). Other columns are ignored. JSON Lines have the same
keys, with a list of `references`.
"""

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any, NamedTuple

from sari.text_files.errors import FileError
from sari.text_files.reading import LineFile, json_objects, named_cells, number, segment_of

_REFERENCE = re.compile(r"references?([ _.]?\d+)?")


class TableRow(NamedTuple):
    """An output with its texts, and the system and the rating where the table has them."""

    source: str
    prediction: str
    references: list[str]
    system: str | None
    rating: float | None


def read_ratings(path: str, wanted: int, model: str, *, encoding: str = "utf-8") -> list[float]:
    """Return the numbers of a file with one per line.

    Args:
        path: of the file.
        wanted: how many.
        model: the file that has as many lines.
        encoding: of the file.

    Raises:
        FileError: for a file that cannot be read, a line that is no number, and another number of lines.
    """
    with closing(LineFile(path, encoding)) as file:
        ratings = [number(line, file.error) for line in file]
        if len(ratings) != wanted:
            plural = "" if len(ratings) == 1 else "s"
            raise FileError(f"{file.name}: the file has {len(ratings)} line{plural}, expected {wanted} as in {model}")
        return ratings


def read_table(path: str) -> Iterator[TableRow]:
    """Yield the rows of a file, of CSV or TSV if its name ends so (before `.gz`), else of JSON Lines.

    Raises:
        FileError: for a fault of the file.
    """
    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    return _separated(path, tabs=ending == "tsv") if ending in ("csv", "tsv") else read_objects(path)


def read_objects(path: str, *, rating: str | None = None, encoding: str = "utf-8") -> Iterator[TableRow]:
    """Yield the rows of a file of JSON Lines.

    Args:
        path: of the file.
        rating: the key of the rating, which each object has to have; None for "ratings" or "rating", where it has one.
        encoding: of the file.

    Raises:
        FileError: for a fault of the file.
    """
    with closing(LineFile(path, encoding)) as file:
        for record in json_objects(file):
            yield _row_of(record, file.error, rating)
        if not file.lines:
            raise FileError(f"{file.name}: no lines, expected at least one")


def _separated(path: str, *, tabs: bool) -> Iterator[TableRow]:
    with closing(LineFile(path)) as file:
        rows = (line.split("\t") for line in file) if tabs else _csv_rows(file)
        names = [name.strip().lower() for name in next(rows, [])]
        for wanted in ("prediction", "output"), ("source",):
            if not set(wanted).intersection(names):
                among = ", ".join(names) or "none"
                raise file.error(f"no column {' or '.join(wanted)} among {among}, expected it in the first line")
        people = [name for name in names if _REFERENCE.fullmatch(name)]
        if not people:
            raise file.error(
                f"no column of references among {', '.join(names)}, expected references, or reference_1 ..."
            )
        for cells in named_cells(chain([names], rows), file.error):
            references = [cells[name] for name in people if cells[name].strip()]
            if not references:
                raise file.error("no reference in the row, expected at least one")
            yield _row_of({**cells, "references": references}, file.error)
        if file.lines < 2:
            raise FileError(f"{file.name}: no rows, expected at least one below the names of the columns")


def _csv_rows(file: LineFile) -> Iterator[list[str]]:
    try:
        yield from filter(None, csv.reader((f"{line}\n" for line in file), strict=True))
    except csv.Error as error:
        raise file.error(f"not CSV: {error}") from None


def _row_of(record: dict[str, Any], error: Callable[[str], FileError], rating: str | None = None) -> TableRow:
    """Return the row of an object; `rating` is the key of its rating, where it must have one."""
    source, (prediction,), references = segment_of(record, error)
    system = record.get("system")
    if system is not None and (not isinstance(system, str) or not system.strip()):
        raise error(f"system: got {system!r}, expected the name of a system")
    given = [name for name in (("ratings", "rating") if rating is None else (rating,)) if name in record]
    if rating is not None and not given:
        raise error(f'no "{rating}" in the object, expected a rating there')
    if len(given) > 1:
        raise error("both ratings and rating came, expected one of them")
    return TableRow(source, prediction, references, system, number(record[given[0]], error) if given else None)
