r"""Read tables: JSON Lines, JSON arrays, CSV and TSV whose first line names the columns, .xlsx and .parquet.

A table of outputs has the columns `source`, `prediction` (or `output`), `references`, and optionally `system`, in any
case. Callers may name other columns, and one of ratings. Instead of `references` there may be
`reference_1`, `reference_2` and so on. A cell of references is a text, or in JSON and Parquet a list of texts; one
without a text is no reference. Cells of CSV (with , or ;) and TSV may be quoted. Further columns are ignored.
"""

import csv
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sari.text_files.errors import FileError, faults_in
from sari.text_files.reading import LineFile, line_faults
from sari.validation import (
    Columns,
    SystemColumns,
    fault,
    one_line,
    shortened,
    shown,
    validate_columns,
    validate_texts,
    visible,
)

_JSON = "a JSON object in each line"
_TABLE_COLUMNS = (
    "source, prediction (or output) and references (or reference_1, reference_2, ...), or other columns by name"
)
_USUAL_NAMES = {"output": "prediction", "rating": "ratings"}
_USUAL = re.compile(r"source|prediction|output|system|ratings?|references?([ _.]?\d+)?", re.IGNORECASE)
#: The functions of pandas that read files with these endings, and their arguments.
_READ_BY_PANDAS: dict[str, tuple[str, dict[str, Any]]] = {
    ".xlsx": ("read_excel", {"keep_default_na": False, "dtype": str}),
    ".parquet": ("read_parquet", {}),
}
_Checked = TypeVar("_Checked")

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
        rows: dict[str, dict[Any, int]] = {}  # by system and segment; a segment may stand there several times
        times: Counter[Any] = Counter()
        systems = list(map(visible, self.systems or [name] * len(self.places)))
        texts = zip(systems, self.texts.sources, self.texts.references, strict=True)
        for row, (system, source, references) in enumerate(texts):
            segment = (system, source, *sorted(references))
            rows.setdefault(system, {})[(*segment[1:], times[segment])] = row
            times[segment] += 1
        first, segments = next(iter(rows.items()))
        for system, others in rows.items():
            unshared = others.keys() ^ segments.keys()
            for row in (row for segment, row in chain(others.items(), segments.items()) if segment in unshared):
                got = f"a source and references that {shown(first)} and {shown(system)} do not have equally often"
                raise FileError(fault(self.places[row], got, "the same for each system"))
        outputs = {
            system: [self.texts.predictions[by_segment[segment]] for segment in segments]
            for system, by_segment in rows.items()
        }
        sources = [self.texts.sources[row] for row in segments.values()]
        return SystemColumns(sources, outputs, [self.texts.references[row] for row in segments.values()])


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
    table, expected = _read_table(path, encoding), _TABLE_COLUMNS if columns is None else ", ".join(columns)
    names = dict.fromkeys(map(_usual_name, table.header))
    rename = _usual_name if columns is None else str
    with faults_in(table.name):
        if columns is None:
            several = [name for name in names if name.startswith("reference") and _USUAL.fullmatch(name)]
            columns = ["source", "prediction", *(["references"] if "references" in names or not several else several)]
        source, output, *others = table.columns(columns, rename, expected)
        places = {column: place for place, column in enumerate(others)}
        # Rows of JSON may have different columns: each row is asked for those that it has.
        kept = (sorted(row.keys() & places.keys(), key=places.__getitem__) for row in table.rows)
        references = [_row_references([row[name] for name in own]) for row, own in zip(table.rows, kept, strict=True)]
        texts = table.checked(validate_columns, table.cells(source), table.cells(output), references)
        systems = ratings = None
        if "system" in names:
            (system,) = table.columns(["system"], _usual_name, "")
            systems = table.checked(_validate_names, table.cells(system))
        if rating is not None:
            (column,) = table.columns([rename(rating)], rename, "ratings there")
            ratings = _finite_numbers(rating, table.places, table.cells(column))
    return OutputTable(texts, systems, ratings, table.places)


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
        path: of a table.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for anything else in it.
    """
    table = _read_table(path, encoding)
    with faults_in(table.name):
        columns = table.columns(table.header, str, "")
        return {name: _finite_numbers(name, table.places, table.cells(name)) for name in columns}


def _validate_names(column: list[Any]) -> list[str]:
    names = validate_texts("system", column)
    if not all(map(str.strip, names)):
        raise ValueError("system: got a blank, expected a name")
    return names


def _usual_name(name: str) -> str:
    """Return the name of a column in lower case, and the first of two usual names, if it is a usual one."""
    return _USUAL_NAMES.get(name.lower(), name.lower()) if _USUAL.fullmatch(name) else name


class _Table(NamedTuple):
    """The rows of a file, at least one.

    Attributes:
        name: of the file.
        header: the names of the columns.
        places: the file and line, or number, of each row, for messages.
        rows: cells by column.
    """

    name: str
    header: list[str]
    places: list[str]
    rows: list[dict[str, Any]]

    def columns(self, names: Sequence[str], rename: Callable[[str], str], expected: str) -> list[str]:
        """Return the columns whose names are these after `rename`, which sees each name of the header once."""
        renamed = defaultdict[str, list[str]](list)
        for column in self.header:
            renamed[rename(column)].append(column)
        for name in names:
            if len(renamed[name]) > 1:
                raise ValueError(fault("columns", " and ".join(renamed[name]), "one of them"))
            if not renamed[name]:
                among = shortened(", ".join(self.header)) or "none"
                raise ValueError(one_line(f"no column {name!r} among {among}, expected {expected}"))
        return [renamed[name][0] for name in names]

    def cells(self, column: str) -> list[Any]:
        """Return the cells of a column, None where a JSON object lacks it."""
        return [row.get(column) for row in self.rows]

    def checked(self, check: Callable[..., _Checked], *columns: list[Any]) -> _Checked:
        """Return what a function makes of columns; errors name the line of the row."""
        try:
            return check(*columns)
        except ValueError:
            for place, *cells in zip(self.places, *columns, strict=True):
                try:
                    check(*([cell] for cell in cells))
                except ValueError as error:
                    raise FileError(f"{place}: {str(error).replace('[0]', '', 1)}") from None
            raise


def _read_table(path: str, encoding: str) -> _Table:
    """Read a file by the reader of its kind: pandas by the ending, JSON by its first character, else CSV or TSV."""
    ending = Path(path).suffix.lower()
    if ending in _READ_BY_PANDAS:
        table = _read_by_pandas(path, *_READ_BY_PANDAS[ending])
    else:
        file = LineFile(path, encoding)
        lines = list(file)
        begin = next(filter(None, map(str.strip, lines)), "")[:1]
        named = path.lower().removesuffix(".gz")
        if begin in ("[", "{") or named.endswith((".json", ".jsonl")):
            table = _read_json(file.name, lines, is_array=begin == "[")
        else:
            table = _read_separated(file.name, lines, tabs=named.endswith(".tsv"))
    if not table.rows:
        raise FileError(f"{table.name}: no rows, expected at least one")
    return table


def _read_by_pandas(path: str, function: str, options: dict[str, Any]) -> _Table:
    import pandas as pd  # here, since it is slow to import

    try:
        frame = getattr(pd, function)(path, **options)
    except Exception as error:  # whatever the libraries of pandas raise
        raise FileError(
            one_line(f"{path}: {error or type(error).__name__}, expected a table, or save it as CSV")
        ) from None
    frame = frame.astype(object).where(frame.notna(), None).rename(columns=str)
    rows = frame.to_dict("records")
    places = [f"{path}: row {number}" for number in range(1, len(rows) + 1)]
    return _Table(path, list(frame.columns), places, rows)


def _read_separated(name: str, lines: list[str], *, tabs: bool) -> _Table:
    """Read CSV or TSV: where the name does not tell, a tab separates cells if there is one in the first line."""
    first = next(iter(lines), "")
    separator = "\t" if tabs or "\t" in first else max(",;", key=first.count)
    rows = _tab_rows(name, lines) if separator == "\t" else _quoted_rows(name, lines, separator)
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    for line, row in rows:
        if len(row) != len(header):
            raise FileError(f"{name}:{line}: got {len(row)} cells, expected {len(header)} (as in the first line)")
    cells = [dict(zip(header, row, strict=True)) for _, row in rows[1:]]
    return _Table(name, header, [f"{name}:{line}" for line, _ in rows[1:]], cells)


_Rows = list[tuple[int, list[str]]]


def _quoted_rows(name: str, lines: Iterable[str], separator: str) -> _Rows:
    """Return the rows that are not blank, with the numbers of their lines."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    rows, begin = [], 1
    try:
        for row in reader:
            rows.append((begin, row))
            begin = reader.line_num + 1
    except csv.Error as error:
        raise FileError(f"{name}:{reader.line_num}: not CSV: {error}") from None
    return [(number, row) for number, row in rows if row]


def _tab_rows(name: str, lines: list[str]) -> _Rows:
    r"""Return the rows of TSV, whose quotes are text unless they quote cells.

    pandas, `csv` and spreadsheets quote every cell that holds a quote, and double the quote; spreadsheets also quote
    every cell with a comma; R quotes all cells, the names of columns, too.
    """
    plain = [(number, line.split("\t")) for number, line in enumerate(lines, 1) if line]
    try:
        quoted = _quoted_rows(name, lines, "\t")
    except FileError:  # quotes within texts
        return plain
    if len(quoted) != len(plain) or not (_is_even(quoted) and _is_even(plain)):  # cells hold tabs or line breaks
        return quoted if _is_even(quoted) else plain
    cells = [(number, cell) for number, row in plain for cell in row]
    enclosed = [(number, cell) for number, cell in cells if cell.startswith('"')]
    others = [cell for _, cell in cells if not cell.startswith('"')]
    if any('"' in cell for cell in others):
        return plain
    if any(number == plain[0][0] or '""' in cell[1:-1] for number, cell in enclosed):
        return quoted
    for number, cell in enclosed:
        if "," in cell and not any("," in other for other in others):  # by a spreadsheet, or a text in quotes
            raise FileError(fault(f"{name}:{number}", shown(cell), "CSV or JSON, which say whether quotes are text"))
    return plain


def _is_even(rows: _Rows) -> bool:
    return len({len(row) for _, row in rows}) < 2


def _read_json(name: str, lines: list[str], *, is_array: bool) -> _Table:
    texts = {name: "\n".join(lines)} if is_array else {f"{name}:{number}": line for number, line in enumerate(lines, 1)}
    rows = {}
    for place, text in texts.items():
        if text.strip():
            try:
                rows[place] = json.loads(text)
            except (ValueError, RecursionError) as error:  # not JSON, numbers of too many digits, too many brackets
                raise FileError(one_line(f"{place}: not JSON: {error}, expected {_JSON}")) from None
    if is_array:
        rows = {f"{name}: row {number}": row for number, row in enumerate(rows[name], 1)}
    for place, row in rows.items():
        if not isinstance(row, dict):
            raise FileError(fault(place, shown(row), _JSON))
    return _Table(name, list(dict.fromkeys(chain.from_iterable(rows.values()))), [*rows], [*rows.values()])


def _row_references(cells: Sequence[Any]) -> list[Any]:
    """Return the references in the cells of a row, each a text or a list; a cell without text is none."""
    lists = [cell.tolist() if hasattr(cell, "tolist") else cell for cell in cells]  # numpy's arrays in Parquet
    filled = [cell for cell in lists if cell is not None and str(cell).strip()]
    return [text for cell in filled for text in (cell if isinstance(cell, list) else [cell])]


def _finite_numbers(name: str, places: Sequence[str], column: Sequence[object]) -> list[float]:
    return [_finite_number(f"{place}: {name}", value) for place, value in zip(places, column, strict=True)]


def _finite_number(place: str, value: object) -> float:
    """Return a finite number of a file, or raise FileError."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str | int | float) and not isinstance(value, bool) and math.isfinite(float(value)):
            return float(value)
    raise FileError(fault(place, shown(value), "a number"))
