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
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from sari.text_files.errors import FileError
from sari.text_files.reading import Corpus, LineFile, Segment

#: How much of the names of columns errors show.
_MOST_CHARACTERS = 60
_REFERENCE = re.compile(r"references?([ _.]?\d+)?")
_USUAL = re.compile(rf"source|prediction|output|system|ratings?|{_REFERENCE.pattern}", re.IGNORECASE)


class TableRow(NamedTuple):
    """An output with its texts, and the system and the rating where the table has them."""

    source: str
    prediction: str
    references: list[str]
    system: str | None
    rating: float | None


def open_table(path: str, *, columns: Sequence[str] | None = None, encoding: str = "utf-8") -> Corpus:
    """Open a table of the outputs of one system.

    Args:
        path: of CSV or TSV if it ends so (before `.gz`), else of JSON Lines.
        columns: the names of the columns of sources, of outputs, and of references, one or more; None for the usual.
        encoding: of the file, in lower case.

    Raises:
        FileError: at once for a file that cannot be opened, and while reading for a fault in it.
    """
    file = LineFile(path, encoding)
    return Corpus([file], (segment for _, segment in _rows(file, columns)))


def read_table(
    path: str, *, columns: Sequence[str] | None = None, rating: str | None = None, encoding: str = "utf-8"
) -> Iterator[TableRow]:
    """Yield the rows of a table, with systems and ratings.

    Args:
        path, columns, encoding: as in `open_table`.
        rating: the column of the rating, which has to be there; None for "ratings" or "rating", where it is there.

    Raises:
        FileError: for a fault of the file.
    """
    with closing(LineFile(path, encoding)) as file:
        for row, texts in _rows(file, columns):
            yield _row_of(row, texts, file.error, rating)


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
        ratings = [_number(line, file.error) for line in file]
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
        is_json = _ending(path) == "jsonl"
        columns: dict[str, list[float]] = {}
        for row in _objects(file) if is_json else _named_cells((line.split("\t") for line in file), file.error):
            for name, value in row.items():
                columns.setdefault(name, []).append(_number(value, file.error))
        if not columns:
            raise file.error("no numbers, expected one in each column for each segment")
        return columns


def _ending(path: str) -> str:
    return path.lower().removesuffix(".gz").rpartition(".")[2]


def _number(value: object, error: Callable[[str], FileError]) -> float:
    """Return a finite number of a file, or raise FileError; `error` makes it from a message."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str | int | float) and not isinstance(value, bool) and math.isfinite(float(value)):
            return float(value)
    raise error(f"got {value!r}, expected a number")


# ---- Rows of any format ---------------------------------------------------------------------------------------------


def _rows(file: LineFile, columns: Sequence[str] | None) -> Iterator[tuple[dict[str, Any], Segment]]:
    """Yield each row by the names of its columns, and its texts."""
    ending = _ending(file.name)
    is_json = ending not in ("csv", "tsv")
    found = _keyed(file, columns) if is_json else _separated(file, columns, tabs=ending == "tsv")
    is_empty = True
    for row, (source, prediction, *people) in found:
        references = [text for name in people for text in _references(row[name], name, file.error)]
        references = [text for text in references if is_json or text.strip()]
        if not references:
            raise file.error("no reference in the row, expected at least one")
        texts = _text(row[source], source, file.error), _text(row[prediction], prediction, file.error)
        yield row, Segment(texts[0], texts[1:], references)
        is_empty = False
    if is_empty:
        raise FileError(f"{file.name}: no rows, expected at least one{'' if is_json else ' below the first line'}")


def _columns_of(
    names: Collection[str], references: Sequence[str], columns: Sequence[str] | None, error: Callable[[str], FileError]
) -> Sequence[str]:
    """Return the columns of sources, outputs and references, or raise FileError for one that is not among the names.

    Args:
        names: of all columns.
        references: the columns of references where `columns` is None.
        columns: as in `open_table`.
        error: makes the error from a message.
    """
    expected = "source, prediction (or output) and references" if columns is None else ", ".join(columns)
    if columns is None:
        outputs = [name for name in ("prediction", "output") if name in names]
        if len(outputs) > 1:
            raise error('both "prediction" and "output" came, expected one of them')
        columns = ["source", *(outputs or ["prediction"]), *(references or ["references"])]
    missing = next((name for name in columns if name not in names), None)
    if missing is not None:
        among = ", ".join(names) or "none"
        among = among if len(among) <= _MOST_CHARACTERS else f"{among[:_MOST_CHARACTERS]}…"
        raise error(f'no "{missing}" among {among}, expected {expected}')
    return columns


def _row_of(row: dict[str, Any], texts: Segment, error: Callable[[str], FileError], rating: str | None) -> TableRow:
    """Return a row with its system and rating; `rating` is the column of the latter, where it must have one."""
    system = row.get("system")
    if system is not None and (not isinstance(system, str) or not system.strip()):
        raise error(f"system: got {system!r}, expected the name of a system")
    given = [name for name in (("ratings", "rating") if rating is None else (rating,)) if name in row]
    if rating is not None and not given:
        raise error(f'no "{rating}" in the row, expected a rating there')
    if len(given) > 1:
        raise error("both ratings and rating came, expected one of them")
    source, (prediction,), references = texts
    return TableRow(source, prediction, references, system, _number(row[given[0]], error) if given else None)


# ---- CSV and TSV ----------------------------------------------------------------------------------------------------


def _separated(
    file: LineFile, columns: Sequence[str] | None, *, tabs: bool
) -> Iterator[tuple[dict[str, Any], Sequence[str]]]:
    """Yield rows of cells by the names in the first line, each with the columns of its texts."""
    cells = (line.split("\t") for line in file) if tabs else _csv_rows(file)
    names = [name.strip() for name in next(cells, [])]
    if columns is None:
        names = [name.lower() if _USUAL.fullmatch(name) else name for name in names]
    columns = _columns_of(names, [name for name in names if _REFERENCE.fullmatch(name)], columns, file.error)
    for row in _named_cells(chain([names], cells), file.error):
        yield row, columns


def _csv_rows(file: LineFile) -> Iterator[list[str]]:
    try:
        yield from filter(None, csv.reader((f"{line}\n" for line in file), strict=True))
    except csv.Error as error:
        raise file.error(f"not CSV: {error}") from None


def _named_cells(rows: Iterator[list[str]], error: Callable[[str], FileError]) -> Iterator[dict[str, str]]:
    """Yield rows of cells by the names in the first row; raise FileError for names that come twice, and other rows."""
    names = next(rows, [])
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise error(f"the column {twice!r} came twice, expected it once")
    for row in rows:
        if len(row) != len(names):
            raise error(f"got {len(row)} cells, expected {len(names)} (as in the first line)")
        yield dict(zip(names, row, strict=True))


# ---- JSON -----------------------------------------------------------------------------------------------------------


def _keyed(file: LineFile, columns: Sequence[str] | None) -> Iterator[tuple[dict[str, Any], Sequence[str]]]:
    """Yield JSON objects, each with the keys of its texts."""
    for row in _objects(file):
        yield row, _columns_of(row, ["references"], columns, file.error)


def _objects(file: LineFile) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of lines, the last of which may be blank; raise FileError for anything else."""
    blank = False
    for line in file:
        if blank:
            raise FileError(f"{file.name}:{file.lines - 1}: blank, expected a JSON object")
        blank = not line.strip()
        if not blank:
            yield _object(line, file.error)


def _object(line: str, error: Callable[[str], FileError]) -> dict:
    """Return the JSON object of a line.

    Args:
        line: the text.
        error: makes the error from a message, such as `LineFile.error`.

    Raises:
        FileError: if the line is not an object, or a key comes twice.
    """
    try:
        record = json.loads(line, object_pairs_hook=partial(_unlike_keys, error=error))
    except json.JSONDecodeError as fault:
        raise error(f"not JSON: {fault.msg} at column {fault.colno}, expected a JSON object") from None
    except (ValueError, RecursionError):  # a number of too many digits, brackets nested too deep
        raise error("JSON that is too large to read, expected a JSON object") from None
    if not isinstance(record, dict):
        raise error(f"got {_kind(record)}, expected a JSON object")
    return record


def _unlike_keys(pairs: list[tuple[str, object]], error: Callable[[str], FileError]) -> dict[str, object]:
    """Return an object, and refuse a key that comes twice, of which `json` would keep the last."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise error(f"the key {json.dumps(twice)} came twice in one object, expected it once")
    return dict(pairs)


def _references(value: object, name: str, error: Callable[[str], FileError]) -> list[str]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise error(f'"{name}" is {_kind(value)}, expected a string or a list of strings')
    return [_text(text, f"{name} item {number}", error) for number, text in enumerate(value, 1)]


def _text(value: object, name: str, error: Callable[[str], FileError]) -> str:
    if not isinstance(value, str):
        raise error(f'"{name}" is {_kind(value)}, expected a string')
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as fault:
        raise error(f'"{name}" has the lone surrogate U+{ord(value[fault.start]):04X}, expected Unicode text') from None
    return value


def _kind(value: object) -> str:
    """Return the type of a JSON value, in words."""
    names = {type(None): "null", bool: "true or false", int: "a number", float: "a number", str: "a string"}
    return {**names, list: "a list", dict: "an object"}[type(value)]
