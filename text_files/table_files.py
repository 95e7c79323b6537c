r"""Read tables: JSON Lines, JSON arrays, separated values whose first line names the columns, .xlsx and .parquet.

A table of outputs has the columns `source`, `prediction` (or `output`), `references`, and optionally `system`, in any
case. Callers may name other columns, and one of ratings. Instead of `references` there may be
`reference_1`, `reference_2` and so on. A cell of references is a text, or in JSON and Parquet a list of texts; one
without a text is no reference. Further columns are ignored.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from sari.messages import count_of, escape_unprintable, fault, short_line, short_repr, truncate
from sari.text_files.errors import FileError, reason
from sari.text_files.reading import TABLE_ENDINGS, name_of, read_lines, read_parallel, refuse_stand_in
from sari.validation import Columns, SystemColumns, validate_columns, validate_texts

_JSON = "a JSON object in each line"
_TABLE_COLUMNS = (
    "source, prediction (or output) and references (or reference_1, reference_2, ...), or other columns by name"
)
_USUAL_NAMES = {"output": "prediction", "rating": "ratings"}
_USUAL = re.compile(r"source|prediction|output|system|ratings?|references?([ _.]?\d+)?", re.IGNORECASE)
#: A cell of tab-separated values in quotes, with doubled quotes within; what needs them; and one with escaped quotes.
_QUOTED_CELL = re.compile(r'(?<![^\t\n])"([^"]*+(?:""[^"]*+)*+)"(?![^\t\n])')
_NEEDS_QUOTES = re.compile(r'["\t\n]')
_ESCAPED_QUOTES = re.compile(r'(?<![^\t\n])"[^\t\n]*\\"[^\t\n]*')
_Rows = dict[str, dict[str, Any]]

csv.field_size_limit(2**31 - 1)  # documents are longer than the default of 131,072 characters


class OutputTable(NamedTuple):
    """The texts of a table, and for each row the system and the rating; None where the table has no such column.

    `places` has the file and the line of each row, for messages.
    """

    texts: Columns
    systems: list[str] | None
    ratings: list[float] | None
    places: list[str]

    def by_system(self, name: str) -> SystemColumns:
        """Return the outputs of each system; without a column of systems, of the only one, which has this name.

        Systems and segments stand in the order of the table. The rows of a system may have any order.

        Raises:
            FileError: for systems without the same sources and references.
        """
        sources, predictions, references = self.texts
        systems = list(map(escape_unprintable, self.systems or [name] * len(sources)))
        rows: dict[str, dict[Any, int]] = {system: {} for system in systems}
        times: Counter[Any] = Counter()
        for row, (system, source, people) in enumerate(zip(systems, sources, references, strict=True)):
            segment = (source, *sorted(people))
            times[system, segment] += 1  # a segment may stand there several times
            rows[system][segment, times[system, segment]] = row
        first, segments = next(iter(rows.items()))
        for system, others in rows.items():
            unshared = segments.keys() ^ others.keys()
            if unshared:
                row = min((segments | others)[segment] for segment in unshared)
                pair = f"{short_repr(first)} and {short_repr(system)}"
                got = f"a source and references that {pair} do not have equally often"
                raise FileError(fault(self.places[row], got, "the same for each system"))
        outputs = {system: [predictions[others[segment]] for segment in segments] for system, others in rows.items()}
        shared = segments.values()
        return SystemColumns([sources[row] for row in shared], outputs, [references[row] for row in shared])


def read_output_table(
    path: str, *, columns: Sequence[str] | None = None, rating: str | None = None, encoding: str = "utf-8"
) -> OutputTable:
    """Read a table of outputs.

    Args:
        path: of a table.
        columns: the names of the columns of sources, of outputs, and of references, one or more; None for the usual.
        rating: the column of ratings; None for none.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for a fault in it.
    """
    rename = _usual_name if columns is None else str
    table, expected = _read_table(path, encoding, rename), ", ".join(columns or [_TABLE_COLUMNS])
    if columns is None:
        several = [name for name in table.columns if name.startswith("reference") and _USUAL.fullmatch(name)]
        references = several if several and "references" not in table.columns else ["references"]
        columns = ["source", "prediction", *references]
    source, output, *others = (table.column(name, expected) for name in columns)
    places = {column: place for place, column in enumerate(others)}
    people = [
        references_in(row[name] for name in sorted(row.keys() & places.keys(), key=places.__getitem__))
        for row in table.rows.values()  # of JSON, rows may have different columns
    ]
    texts = table.checked(validate_columns, table.cells(source), table.cells(output), people)
    systems = ratings = None
    for column in table.columns.values():
        if column.lower() == "system" and column not in (source, output, *others):
            systems = table.checked(partial(validate_texts, "system"), table.cells(column))
    if rating is not None:
        ratings = table.numbers(table.column(rename(rating), "ratings there"))
    return OutputTable(texts, systems, ratings, list(table.rows))


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
    (lines,) = read_parallel([path], encoding, like=(model, wanted))
    return [_finite_number(f"{name_of(path)}:{number}", line) for number, line in enumerate(lines, 1)]


def read_numbers(path: str, encoding: str = "utf-8") -> dict[str, list[float]]:
    """Read columns of numbers by their names.

    Args:
        path: of a table.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for anything else in it.
    """
    table = _read_table(path, encoding, str)
    return {name: table.numbers(name) for name in table.columns}


def missing_column(place: str, column: str, columns: Iterable[str], expected: str) -> FileError:
    """Return the fault of a table or data set that lacks a column, with those that it has."""
    among = truncate(", ".join(columns)) or "none"
    return FileError(short_line(f"{place}: no column {column!r} among {among}, expected {expected}"))


def references_in(cells: Iterable[Any]) -> list[Any]:
    """Return the references in the cells of a row, each a text or a list; a cell without text is none."""
    lists = [cell.tolist() if hasattr(cell, "tolist") else cell for cell in cells]  # numpy's arrays in Parquet
    filled = [cell for cell in lists if cell is not None and str(cell).strip()]
    return [text for cell in filled for text in (cell if isinstance(cell, list) else [cell])]


def _usual_name(name: str) -> str:
    """Return the name of a column in lower case, and the first of two usual names, if it is a usual one."""
    return _USUAL_NAMES.get(name.lower(), name.lower()) if _USUAL.fullmatch(name) else name


class _Table(NamedTuple):
    """The rows of a file.

    Attributes:
        name: of the file.
        columns: as the file names them, by the names that are asked for.
        rows: cells by column, by the file and line, or number, of each row, for messages.
    """

    name: str
    columns: dict[str, str]
    rows: _Rows

    def column(self, name: str, expected: str) -> str:
        """Return a column as the file names it; `expected` is for the message where there is none."""
        if name not in self.columns:
            raise missing_column(self.name, name, self.columns.values(), expected)
        return self.columns[name]

    def cells(self, column: str) -> list[Any]:
        """Return the cells of a column, None where a JSON object lacks it."""
        return [row.get(column) for row in self.rows.values()]

    def numbers(self, column: str) -> list[float]:
        """Return the numbers of a column."""
        return [_finite_number(f"{place}: {column}", row.get(column)) for place, row in self.rows.items()]

    def checked(self, check: Callable[..., Any], *columns: list[Any]) -> Any:
        """Return what a function makes of columns; errors name the line of the row."""
        try:
            return check(*columns)
        except ValueError:
            for place, *cells in zip(self.rows, *columns, strict=True):
                try:
                    check(*([cell] for cell in cells))
                except ValueError as error:
                    raise FileError(f"{place}: {str(error).replace('[0]', '', 1)}") from None
            raise


def _read_table(path: str, encoding: str, rename: Callable[[str], str]) -> _Table:
    """Read a file with at least one row, whose columns have different names after `rename`.

    Where the ending is none of those that pandas reads, the first line tells JSON from separated values.
    """
    name, by_pandas = name_of(path), TABLE_ENDINGS.get(Path(path).suffix.lower())
    if by_pandas is not None:
        header, rows = _read_by_pandas(name, path, *by_pandas)
    else:
        lines = list(read_lines(path, encoding))
        first = next(filter(None, map(str.strip, lines)), "")
        header, rows = (_read_json if first.startswith(("[", "{")) else _read_separated)(name, lines, first)
    if not rows:
        raise FileError(f"{name}: no rows, expected at least one")
    columns: dict[str, str] = {}
    for column in header:
        if column and rename(column) in columns:
            raise FileError(
                fault(name, f"columns {short_repr(columns[rename(column)])} and {short_repr(column)}", "one of them")
            )
        columns[rename(column)] = column
    return _Table(name, columns, rows)


def _read_by_pandas(name: str, path: str, function: str, options: dict[str, Any]) -> tuple[list[str], _Rows]:
    import pandas as pd  # here, since it is slow to import

    try:
        refuse_stand_in(path)
        content = getattr(pd, function)(path, **options)
    except FileError:
        raise
    except Exception as error:  # whatever the libraries of pandas raise
        raise FileError(short_line(f"{name}: {reason(error)}, expected a table, or save it as CSV")) from None
    sheets = content if isinstance(content, dict) else {"": content}
    filled = {title: sheet for title, sheet in sheets.items() if not sheet.empty}
    if len(filled) > 1:
        raise FileError(fault(name, f"sheets {', '.join(map(short_repr, filled))}", "a file with one of them"))
    frame = next(iter((filled or sheets).values())).rename(columns=str).astype(object)
    rows = frame.where(frame.notna(), None).to_dict("records")
    return list(frame), {f"{name}: row {number}": row for number, row in enumerate(rows, 1)}


def _read_separated(name: str, lines: list[str], first: str) -> tuple[list[str], _Rows]:
    """Read values that a tab separates, if there is one in the first line, or else commas, semicolons or bars."""
    separator = "\t" if "\t" in first else max(",;|", key=first.count)
    is_quoted = separator != "\t" or _quotes_cells(name, "\n".join(lines))
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        strict=True,
    )
    rows = {}
    try:
        header = [cell.strip() for cell in next(filter(None, reader), ())]
        for cells in filter(None, reader):
            place = f"{name}:{reader.line_num - sum(cell.count(chr(10)) for cell in cells)}"
            if len(cells) != len(header):
                raise FileError(
                    f"{place}: got {count_of(len(cells), 'cell')}, expected {len(header)} (as in the first line)"
                )
            rows[place] = dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise FileError(f"{name}:{reader.line_num}: not CSV: {error}") from None
    return header, rows


def _quotes_cells(name: str, text: str) -> bool:
    """Return whether the quotes of tab-separated values quote cells, or are part of the texts.

    pandas, `csv` and spreadsheets quote every cell that holds a quote, and double the quote; R quotes all cells, the
    names of columns, too. So one quote elsewhere says that all are text.

    Raises:
        FileError: where no cell needs its quotes, or backslashes stand before quotes within.
    """
    is_plain = '"' in _QUOTED_CELL.sub("", text)
    are_needed = text.startswith('"') or any(map(_NEEDS_QUOTES.search, _QUOTED_CELL.findall(text)))
    doubtful = (_ESCAPED_QUOTES if is_plain else _QUOTED_CELL).search(text)
    if doubtful and (is_plain or not are_needed):
        place = f"{name}:{text.count(chr(10), 0, doubtful.start()) + 1}"
        raise FileError(fault(place, short_repr(doubtful[0]), "CSV or JSON, which say whether quotes are text"))
    return not is_plain


def _read_json(name: str, lines: list[str], first: str) -> tuple[list[str], _Rows]:
    """Read JSON Lines, or an array."""
    if first.startswith("["):
        rows = {f"{name}: row {number}": row for number, row in enumerate(_json(name, "\n".join(lines)), 1)}
    else:
        texts = {f"{name}:{number}": line for number, line in enumerate(lines, 1) if line.strip()}
        rows = {place: _json(place, line) for place, line in texts.items()}
    for place, row in rows.items():
        if not isinstance(row, dict):
            raise FileError(fault(place, short_repr(row), _JSON))
    return list(dict.fromkeys(chain.from_iterable(rows.values()))), rows


def _json(place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # not JSON, numbers of too many digits, too many brackets
        raise FileError(short_line(f"{place}: not JSON: {error}, expected {_JSON}")) from None


def _finite_number(place: str, value: object) -> float:
    """Return a finite number of a file, or raise FileError."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str | int | float) and not isinstance(value, bool) and math.isfinite(float(value)):
            return float(value)
    raise FileError(fault(place, short_repr(value), "a number"))
