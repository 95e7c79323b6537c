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
from contextlib import closing, suppress
from itertools import chain
from typing import Any, NamedTuple

from sari.text_files.errors import FileError, faults_in
from sari.text_files.reading import LineFile
from sari.validation import Columns, fault, shortened, shown, validate_columns, validate_texts

_REFERENCE = re.compile(r"references?([ _.]?\d+)?")
_USUAL = re.compile(rf"source|prediction|output|system|ratings?|{_REFERENCE.pattern}", re.IGNORECASE)


class OutputTable(NamedTuple):
    """The texts of a table, and for each row the system and the rating; None where the table has no such column."""

    texts: Columns
    systems: list[str] | None
    ratings: list[float] | None


def read_table(
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
    ending = _ending(path)
    is_json = ending not in ("csv", "tsv")
    with closing(LineFile(path, encoding)) as file, faults_in(file.name):
        rows = list(_objects(file) if is_json else _separated_rows(file, tabs=ending == "tsv", usual=columns is None))
        if not rows:
            raise ValueError(f"no rows, expected at least one{'' if is_json else ' below the first line'}")
        names = list(dict.fromkeys(chain.from_iterable(rows)))
        several = [] if is_json else [name for name in names if _REFERENCE.fullmatch(name)]
        source, output, *others = _text_columns(names, columns, several or ["references"])
        references = [_row_references([row.get(name) for name in others], blank=is_json) for row in rows]
        return OutputTable(
            validate_columns([row.get(source) for row in rows], [row.get(output) for row in rows], references),
            _system_column(rows) if "system" in names else None,
            _rating_column(rows, names, rating, file.name),
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
    with closing(LineFile(path, encoding)) as file:
        ratings = [_finite_number(line, f"{file.name}:{file.lines}") for line in file]
        if len(ratings) != wanted:
            plural = "" if len(ratings) == 1 else "s"
            raise FileError(f"{file.name}: the file has {len(ratings)} line{plural}, expected {wanted} as in {model}")
        return ratings


def read_numbers(path: str, encoding: str = "utf-8") -> dict[str, list[float]]:
    """Read columns of numbers by their names.

    Args:
        path: a file of tab-separated columns whose first line has the names, or a .jsonl file with the names as keys.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for anything else in it.
    """
    with closing(LineFile(path, encoding)) as file:
        columns: dict[str, list[float]] = {}
        for row in _objects(file) if _ending(path) == "jsonl" else _separated_rows(file, tabs=True):
            for name, value in row.items():
                columns.setdefault(name, []).append(_finite_number(value, f"{file.name}:{file.lines}"))
        if not columns:
            raise file.error("no numbers, expected one in each column for each segment")
        return columns


def _ending(path: str) -> str:
    return path.lower().removesuffix(".gz").rpartition(".")[2]


def _finite_number(value: object, place: str) -> float:
    """Return a finite number of a file, or raise FileError."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str | int | float) and not isinstance(value, bool) and math.isfinite(float(value)):
            return float(value)
    raise FileError(fault(place, shown(value), "a number"))


def _separated_rows(file: LineFile, *, tabs: bool, usual: bool = False) -> Iterator[dict[str, str]]:
    """Yield rows of cells by the names in the first line; raise FileError for names that come twice, and other rows.

    Args:
        file: is read.
        tabs: whether tabs separate cells, without quotes; else the file is CSV.
        usual: whether usual names are taken in any case.
    """
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


# ---- Columns of a table ---------------------------------------------------------------------------------------------


def _text_columns(names: list[str], columns: Sequence[str] | None, references: list[str]) -> Sequence[str]:
    """Return the columns of sources, outputs and references, or raise ValueError for one that is not there.

    Args:
        names: of all columns.
        columns: as in `read_table`; None for the usual, with these references.
    """
    expected = "source, prediction (or output) and references" if columns is None else ", ".join(columns)
    if columns is None:
        columns = ["source", _one_of("prediction", "output", names), *references]
    missing = next((name for name in columns if name not in names), None)
    if missing is not None:
        raise ValueError(f"no column {missing!r} among {shortened(', '.join(names)) or 'none'}, expected {expected}")
    return columns


def _one_of(name: str, other: str, names: list[str]) -> str:
    """Return which of two names for the same column is there; the first if none is."""
    if name in names and other in names:
        raise ValueError(f"columns: got {name} and {other}, expected one of them")
    return other if other in names else name


def _row_references(cells: Sequence[Any], *, blank: bool) -> list[Any]:
    """Return the references in the cells of a row; blank ones count only in JSON."""
    texts = [text for cell in cells for text in (cell if isinstance(cell, list) else [cell])]
    return texts if blank else [text for text in texts if text.strip()]


def _system_column(rows: Sequence[dict[str, Any]]) -> list[str]:
    systems = [row.get("system") for row in rows]
    for number, name in enumerate(systems):
        if not isinstance(name, str) or not name.strip():
            raise ValueError(fault(f"system[{number}]", shown(name), "the name of a system"))
    return validate_texts("system", systems)


def _rating_column(
    rows: Sequence[dict[str, Any]], names: list[str], rating: str | None, file: str
) -> list[float] | None:
    name = _one_of("ratings", "rating", names) if rating is None else rating
    if name in names:
        return [_finite_number(row.get(name), f"{file}: {name}[{number}]") for number, row in enumerate(rows)]
    if rating is None:
        return None
    raise ValueError(f"no column {rating!r} among {shortened(', '.join(names))}, expected ratings there")
