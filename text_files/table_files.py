r"""Read tables: JSON Lines, and CSV and TSV whose first line names the columns.

A table of outputs has the columns `source`, `prediction` (or `output`), `references`, and optionally `system` and
`ratings` (or `rating`); CSV and TSV have them in any case. Callers may name other columns. In JSON Lines `references`
is a string or a list; CSV and TSV may have `reference_1`, `reference_2` and so on, of which empty ones are left out.
CSV may have quoted cells (RFC 4180); in TSV quotes are text. Further columns are ignored.
"""

import csv
import json
import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from sari.text_files.errors import FileError, faults_in
from sari.text_files.reading import LineFile, line_faults
from sari.validation import Columns, fault, shortened, shown, validate_columns, validate_texts

_JSON_LINES = "a JSON object in each line, or a name that ends in .csv or .tsv"
_TABLE_COLUMNS = "source, prediction (or output) and references (or reference_1, reference_2, ...)"
_USUAL_NAMES = {"output": "prediction", "rating": "ratings"}
_USUAL = re.compile(r"source|prediction|output|system|ratings?|references?([ _.]?\d+)?", re.IGNORECASE)


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
    kind, expected = _kind(path, "jsonl"), _TABLE_COLUMNS if columns is None else ", ".join(columns)
    file = LineFile(path, encoding)
    rename = str if columns is not None else _usual_key if kind == "jsonl" else _usual_name
    with faults_in(file.name):
        header, cells = _read_cells(file, kind, rename)
        if columns is None:
            several = [name for name in cells if name.startswith("reference") and _USUAL.fullmatch(name)]
            columns = ["source", "prediction", *(several if several and kind != "jsonl" else ["references"])]
        source, output, *others = (_column(cells, header, name, expected) for name in columns)
        references = [_row_references(row, blank=kind == "jsonl") for row in zip(*others, strict=True)]
        texts = validate_columns(source, output, references)
        systems = validate_texts("system", cells["system"]) if "system" in cells else None
        if rating is None and "ratings" not in cells:
            return OutputTable(texts, systems, None)
        rating = rename(rating or "ratings")
        numbers = _column(cells, header, rating, "ratings there")
        return OutputTable(texts, systems, _finite_numbers(f"{file.name}: {rating}", numbers))


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
        path: a file of tab-separated columns whose first line has the names, or a .csv or .jsonl file.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for anything else in it.
    """
    file = LineFile(path, encoding)
    with faults_in(file.name):
        _, cells = _read_cells(file, _kind(path, "tsv"), str)
    return {name: _finite_numbers(f"{file.name}: {name}", column) for name, column in cells.items()}


def _kind(path: str, otherwise: str) -> str:
    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    return ending if ending in ("csv", "tsv", "jsonl") else otherwise


def _usual_key(name: str) -> str:
    """Return the first of two usual names; the names of JSON are exact."""
    return _USUAL_NAMES.get(name, name)


def _usual_name(name: str) -> str:
    """Return the name of a column in lower case, and the first of two usual names, if it is a usual one."""
    return _usual_key(name.lower()) if _USUAL.fullmatch(name) else name


def _read_cells(file: LineFile, kind: str, rename: Callable[[str], str]) -> tuple[list[str], dict[str, list[Any]]]:
    """Return the names in a file, and the columns of the table by name; cells that a JSON object lacks are None.

    Args:
        file: is read.
        kind: "csv", "tsv" (without quotes) or "jsonl".
        rename: applied to the names of columns.
    """
    header, rows = _json_rows(file) if kind == "jsonl" else _separated_rows(file, tabs=kind == "tsv")
    if not rows:
        raise ValueError(f"no rows, expected at least one{'' if kind == 'jsonl' else ' below the first line'}")
    names = list(map(rename, header))
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        same = [own for own, name in zip(header, names, strict=True) if name == twice]
        raise ValueError(fault("columns", " and ".join(same), "one of them"))
    return header, dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _separated_rows(file: LineFile, *, tabs: bool) -> tuple[list[str], list[list[str]]]:
    """Return the names in the first line, and the other rows; raise FileError for rows of another length."""
    lines = (line.split("\t") for line in file) if tabs else csv.reader((f"{line}\n" for line in file), strict=True)
    rows: list[list[str]] = []
    try:
        names = [name.strip() for name in next(lines, [])]
        for row in filter(None, lines):
            if len(row) != len(names):
                raise file.error(f"got {len(row)} cells, expected {len(names)} (as in the first line)")
            rows.append(row)
    except csv.Error as error:
        raise file.error(f"not CSV: {error}") from None
    return names, rows


def _json_rows(file: LineFile) -> tuple[list[str], list[list[Any]]]:
    """Return the keys of all JSON objects, and their values; raise FileError for lines that hold something else."""
    rows: list[dict[str, Any]] = []
    for line in filter(str.strip, file):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # not JSON, numbers of too many digits, too many brackets
            raise file.error(f"not JSON: {error}, expected {_JSON_LINES}") from None
        if not isinstance(row, dict):
            raise file.error(f"got {shown(row)}, expected {_JSON_LINES}")
        rows.append(row)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    return names, [[row.get(name) for name in names] for row in rows]


def _column(cells: dict[str, list[Any]], header: Sequence[str], name: str, expected: str) -> list[Any]:
    if name not in cells:
        raise ValueError(f"no column {name!r} among {shortened(', '.join(header)) or 'none'}, expected {expected}")
    return cells[name]


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
