"""Read tables: JSON Lines, JSON arrays, separated values whose first line names the columns, .xlsx and .parquet.

What the columns mean is a matter of `output_tables`.
"""

import csv
import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, count, starmap
from pathlib import Path
from typing import Any, NamedTuple

from sari.messages import RefusedValueError, count_of, fault, short_line, short_repr, truncate
from sari.text_files.errors import FileError, reason
from sari.text_files.reading import TABLE_ENDINGS, name_of, read_lines, read_parallel, refuse_stand_in

#: What is read of JSON, and said of what else tables are exported as.
_ROWS = "a JSON array of rows, or a row per line"
#: A cell of tab-separated values in quotes, with doubled quotes within; what needs them; and one with escaped quotes.
_QUOTED_CELL = re.compile(r'(?<![^\t\n])"([^"]*+(?:""[^"]*+)*+)"(?![^\t\n])')
_NEEDS_QUOTES = re.compile(r'["\t\n]')
_ESCAPED_QUOTES = re.compile(r'(?<![^\t\n])"[^\t\n]*\\"[^\t\n]*')

csv.field_size_limit(2**31 - 1)  # documents are longer than the default of 131,072 characters


class TableRow(NamedTuple):
    """The cells of a row, by column, and its number.

    The number is that of its line in the file; in JSON arrays, .xlsx and .parquet it counts the rows.
    """

    number: int
    cells: dict[str, Any]


class Table(NamedTuple):
    """The rows of a file.

    Attributes:
        name: of the file, for messages.
        columns: their names, each once.
        rows: at least one. Those of JSON may lack columns.
        has_lines: whether the numbers of rows are those of lines.
    """

    name: str
    columns: list[str]
    rows: list[TableRow]
    has_lines: bool

    def place(self, number: object) -> str:
        """Return the name of a row in messages."""
        return f"{self.name}:{number}" if self.has_lines else f"{self.name}: row {number}"

    def cells(self, column: str) -> list[Any]:
        """Return the cells of a column, None where a row lacks it.

        Raises:
            FileError: where no row has it.
        """
        if column not in self.columns:
            raise missing_column(self.name, column, self.columns)
        return [row.cells.get(column) for row in self.rows]

    def numbers(self, column: str, *, has_gaps: bool = False) -> list[float]:
        """Return the numbers of a column, as `cells` does; an empty cell of one that may have gaps is nan."""
        if column not in self.columns and os.path.isfile(column):
            wanted = "a column: the numbers of a table are its columns; files go with text files"
            raise FileError(fault(self.name, f"the file {short_repr(column)}", wanted))
        places = (f"{self.place(row.number)}: {column}" for row in self.rows)
        return list(map(_rating if has_gaps else _finite_number, places, self.cells(column)))

    def checked(self, check: Callable[..., Any], *columns: list[Any], names: Mapping[str, str]) -> Any:
        """Return what a function makes of columns; errors name the row, and columns as the file does by `names`."""
        try:
            return check(*columns)
        except RefusedValueError:
            for row, *cells in zip(self.rows, *columns, strict=True):
                try:
                    check(*([cell] for cell in cells))
                except RefusedValueError as error:
                    column, _, what = str(error).partition("[0]")
                    raise FileError(f"{self.place(row.number)}: {names.get(column, column)}{what}") from None
            raise


def read_table(path: str, encoding: str = "utf-8") -> Table:
    """Read a table.

    Where the ending is none of those that pandas reads, the first line tells JSON from separated values.

    Args:
        path: of the file.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, for one without rows, and for a column that stands there twice.
    """
    name, by_pandas = name_of(path), TABLE_ENDINGS.get(Path(path).suffix.lower())
    if by_pandas is not None:
        header, rows, has_lines = _read_by_pandas(name, path, *by_pandas)
    else:
        lines = list(read_lines(path, encoding))
        first = next(filter(None, map(str.strip, lines)), "")
        if first.startswith("<") and first.endswith(">"):
            raise FileError(fault(name, "HTML or XML", _ROWS))
        header, rows, has_lines = (_read_json if first.startswith(("[", "{")) else _read_separated)(name, lines, first)
    if not rows:
        raise FileError(f"{name}: no rows, expected at least one")
    for column in filter(None, header):
        if header.count(column) > 1:
            raise FileError(fault(name, f"columns {short_repr(column)} and {short_repr(column)}", "one of them"))
    return Table(name, list(dict.fromkeys(header)), rows, has_lines)


def read_ratings(path: str, like: tuple[str, Sequence[str]], *, encoding: str = "utf-8") -> list[float]:
    """Return the numbers of a file with one per line; an empty line is nan.

    Args:
        path: of the file.
        like: the name and the lines of what has as many lines.
        encoding: of the file.

    Raises:
        FileError: for a file that cannot be read, a line that is no number, and another number of lines.
    """
    (lines,) = read_parallel([path], encoding, like=like)
    return [_rating(f"{name_of(path)}:{number}", line) for number, line in enumerate(lines, 1)]


def read_numbers(path: str, encoding: str = "utf-8") -> dict[str, list[float]]:
    """Read columns of numbers by their names.

    Args:
        path: of a table.
        encoding: of the file, in lower case.

    Raises:
        FileError: as `read_table` does, and for a cell that is no number.
    """
    table = read_table(path, encoding)
    return {name: table.numbers(name) for name in table.columns}


def missing_column(place: str, column: str, columns: Sequence[str]) -> FileError:
    """Return the fault of a table or data set that lacks a column, with those that it has."""
    among = truncate(", ".join(columns)) or "none"
    return FileError(short_line(f"{place}: no column {truncate(column)!r} among {among}"))


_Rows = tuple[list[str], list[TableRow], bool]


def _read_by_pandas(name: str, path: str, function: str, options: dict[str, Any]) -> _Rows:
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
    return list(frame), list(map(TableRow, count(1), rows)), False


def _read_separated(name: str, lines: list[str], first: str) -> _Rows:
    """Read values that a tab separates, if there is one in the first line, or else commas, semicolons or bars."""
    separator = "\t" if "\t" in first else max(",;|", key=first.count)
    is_quoted = separator != "\t" or _quotes_cells(name, "\n".join(lines))
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        strict=True,
    )
    rows = []
    try:
        header = [cell.strip() for cell in next(filter(None, reader), ())]
        for cells in filter(None, reader):
            number = reader.line_num - sum(cell.count("\n") for cell in cells)
            if any(cells[len(header) :]) or any(header[len(cells) :]):  # else empty columns at the end
                got = count_of(len(cells), "cell")
                raise FileError(f"{name}:{number}: got {got}, expected {len(header)} (as in the first line)")
            rows.append(TableRow(number, dict(zip(header, cells, strict=False))))
    except csv.Error as error:
        raise FileError(f"{name}:{reader.line_num}: not CSV: {error}") from None
    return header, rows, True


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


def _read_json(name: str, lines: list[str], first: str) -> _Rows:
    """Read JSON Lines, or an array."""
    is_array = first.startswith("[")
    if is_array:
        numbered = list(enumerate(_json(name, "\n".join(lines)), 1))
    elif _is_one_object(lines):
        raise FileError(fault(name, "a JSON object of columns or other values", _ROWS))
    else:
        texts = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        numbered = [(number, _json(f"{name}:{number}", line)) for number, line in texts]
    for number, row in numbered:
        if not isinstance(row, dict):
            place = f"{name}: row {number}" if is_array else f"{name}:{number}"
            raise FileError(fault(place, short_repr(row), _ROWS))
    rows = list(starmap(TableRow, numbered))
    return list(dict.fromkeys(chain.from_iterable(row.cells for row in rows))), rows, not is_array


def _is_one_object(lines: list[str]) -> bool:
    """Return whether JSON is a single object that is no row: in several lines, without a text, or with a table."""
    with suppress(ValueError, RecursionError):
        values = json.loads("\n".join(lines)).values()
        listed = chain.from_iterable(value for value in values if isinstance(value, list))
        has_table = any(isinstance(part, list | dict) for part in listed)
        return has_table or len(list(filter(str.strip, lines))) > 1 or not any(isinstance(one, str) for one in values)
    return False


def _json(place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # not JSON, numbers of too many digits, too many brackets
        raise FileError(short_line(f"{place}: not JSON: {error}, expected {_ROWS}")) from None


def _finite_number(place: str, value: object) -> float:
    """Return a finite number of a file, or raise FileError."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str | int | float) and not isinstance(value, bool) and math.isfinite(float(value)):
            return float(value)
    raise FileError(fault(place, short_repr(value), "a number"))


def _rating(place: str, value: object) -> float:
    """Return the rating in a cell or line, nan if there is none; anything else but a number raises FileError."""
    is_missing = value is None or str(value).strip().lower() in ("", "nan")
    return math.nan if is_missing else _finite_number(place, value)
