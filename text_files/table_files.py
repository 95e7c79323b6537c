r"""Read tables: JSON Lines, and CSV and TSV whose first line names the columns.

A table of outputs has the columns `source`, `prediction` (or `output`), `references` (or `reference`, `reference_1`,
`reference_2` and so on), and optionally `system` and `ratings` (or `rating`). Callers may name other columns of texts.
Further columns are ignored. JSON Lines have these names as keys, with a string or a list as `references`. CSV may have
quoted cells (RFC 4180); in TSV quotes are text. In both, case does not matter in the usual names, and empty references
are left out.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from sari.text_files.errors import FileError, faults_in
from sari.text_files.reading import LineFile, line_faults
from sari.validation import Columns, fault, shortened, shown, validate_columns, validate_texts

_REFERENCE = re.compile(r"references?([ _.]?\d+)?")
_USUAL = re.compile(rf"source|prediction|output|system|ratings?|{_REFERENCE.pattern}", re.IGNORECASE)


class OutputTable(NamedTuple):
    """The texts of a table, and for each row the system and the rating; None where the table has no such column."""

    texts: Columns
    systems: list[str] | None
    ratings: list[float] | None


def read_output_table(
    path: str, *, columns: Sequence[str] | None = None, rating: str | None = None, encoding: str = "utf-8"
) -> OutputTable:
    """Read a table of outputs.

    Args:
        path: of CSV or TSV if it ends so (before `.gz`), else of JSON Lines.
        columns: the names of the columns of sources, of outputs, and of references, one or more; None for the usual.
        rating: the column of ratings, which has to be there; None for "ratings" or "rating", where it is there.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for a fault in it.
    """
    kind = _kind(path, "jsonl")
    file = LineFile(path, encoding)
    with faults_in(file.name):
        cells = _read_cells(file, kind, usual=columns is None)
        if columns is None:
            several = [] if kind == "jsonl" else list(filter(_REFERENCE.fullmatch, cells))
            columns = ["source", _one_of("prediction", "output", cells), *(several or ["references"])]
            expected = "source, prediction (or output) and references"
        else:
            expected = ", ".join(columns)
        source, output, *others = (_column(cells, name, expected) for name in columns)
        references = [_row_references(row, blank=kind == "jsonl") for row in zip(*others, strict=True)]
        texts = validate_columns(source, output, references)
        systems = validate_texts("system", cells["system"]) if "system" in cells else None
        usual = _one_of("ratings", "rating", cells)
        if rating is None and usual not in cells:
            return OutputTable(texts, systems, None)
        name = rating or usual
        return OutputTable(
            texts, systems, _finite_numbers(f"{file.name}: {name}", _column(cells, name, "ratings there"))
        )


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
    file = LineFile(path, encoding)
    ratings = [_finite_number(f"{file.name}:{file.lines}", line) for line in file]
    if len(ratings) != wanted:
        raise line_faults([file], wanted, model)
    return ratings


def read_numbers(path: str, encoding: str = "utf-8") -> dict[str, list[float]]:
    """Read columns of numbers by their names.

    Args:
        path: a file of tab-separated columns whose first line has the names, or a .jsonl file with the names as keys.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for anything else in it.
    """
    file = LineFile(path, encoding)
    with faults_in(file.name):
        cells = _read_cells(file, _kind(path, "tsv"))
        return {name: _finite_numbers(f"{file.name}: {name}", column) for name, column in cells.items()}


def _kind(path: str, otherwise: str) -> str:
    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    return ending if ending in ("csv", "tsv", "jsonl") else otherwise


def _read_cells(file: LineFile, kind: str, *, usual: bool = False) -> dict[str, list[Any]]:
    """Return the columns of a table by name; cells that a JSON object lacks are None.

    Args:
        file: is read.
        kind: "csv", "tsv" (without quotes) or "jsonl".
        usual: whether usual names of CSV and TSV are taken in any case.
    """
    rows = list(_objects(file) if kind == "jsonl" else _separated_rows(file, tabs=kind == "tsv", usual=usual))
    if not rows:
        raise ValueError(f"no rows, expected at least one{'' if kind == 'jsonl' else ' below the first line'}")
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(chain.from_iterable(rows))}


def _separated_rows(file: LineFile, *, tabs: bool, usual: bool) -> Iterator[dict[str, str]]:
    """Yield rows of cells by the names in the first line; raise FileError for names that come twice, and other rows."""
    try:
        lines = (line.split("\t") for line in file) if tabs else csv.reader((f"{line}\n" for line in file), strict=True)
        names = [name.strip() for name in next(lines, [])]
        names = [name.lower() if usual and _USUAL.fullmatch(name) else name for name in names]
        twice = next((name for name in names if name and names.count(name) > 1), None)
        if twice is not None:
            raise file.error(f"the column {twice!r} came twice, expected it once")
        for row in filter(None, lines):
            if len(row) != len(names):
                raise file.error(f"got {len(row)} cells, expected {len(names)} (as in the first line)")
            yield dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise file.error(f"not CSV: {error}") from None


def _objects(file: LineFile) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of lines that are not blank; raise FileError for anything else."""
    for line in filter(str.strip, file):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # not JSON, numbers of too many digits, too many brackets
            raise file.error(f"not JSON: {error}, expected a JSON object") from None
        if not isinstance(row, dict):
            raise file.error(f"got {shown(row)}, expected a JSON object")
        yield row


def _column(cells: dict[str, list[Any]], name: str, expected: str) -> list[Any]:
    if name not in cells:
        raise ValueError(f"no column {name!r} among {shortened(', '.join(cells)) or 'none'}, expected {expected}")
    return cells[name]


def _one_of(name: str, other: str, cells: dict[str, list[Any]]) -> str:
    """Return which of two names for the same column is there; the first if none is."""
    if name in cells and other in cells:
        raise ValueError(f"columns: got {name} and {other}, expected one of them")
    return other if other in cells else name


def _row_references(cells: Sequence[Any], *, blank: bool) -> list[Any]:
    """Return the references in the cells of a row; blank ones count only in JSON."""
    texts = [text for cell in cells for text in (cell if isinstance(cell, list) else [cell])]
    return texts if blank else [text for text in texts if text.strip()]


def _finite_numbers(place: str, column: Sequence[object]) -> list[float]:
    return [_finite_number(f"{place}[{row}]", value) for row, value in enumerate(column)]


def _finite_number(place: str, value: object) -> float:
    """Return a finite number of a file, or raise FileError."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str | int | float) and not isinstance(value, bool) and math.isfinite(float(value)):
            return float(value)
    raise FileError(fault(place, shown(value), "a number"))
