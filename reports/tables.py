"""Tables as plain data, which `formats` writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.validation import value_in_python

if TYPE_CHECKING:  # slow to import
    from sari.data_warnings import WarningRow


def warning_in_words(row: WarningRow) -> str:
    """Return a warning as a sentence.

    >>> advice = {"option": "tokenize", "values": ["zh", "char"]}
    >>> warning_in_words({"category": "", "message": "outputs are Chinese", "detail": "", "advice": advice})
    'outputs are Chinese: set tokenize="zh" or "char"'
    """
    said = f"{row['message']} ({row['detail']})" if row["detail"] else row["message"]
    return f"{said}: set {value_in_python(**row['advice'])}" if row["advice"] else said


def brackets(confidence: float, method: str) -> str:
    """Return the note on intervals."""
    return f"[ ]: {100 * confidence:g}% CI, {method}"


class Cell(NamedTuple):
    """What a row has in a column.

    Attributes:
        text: a figure or words.
        best: whether it is the best of its column.
        mark: a sign that notes explain, such as HIGHER.
        interval: of the figure; may be empty.
        small: a remark in small.
    """

    text: str
    best: bool = False
    mark: str = ""
    interval: str = ""
    small: str = ""


#: The marks of figures that are significantly higher, or lower, than others.
HIGHER, LOWER = "*", "†"


@dataclass(frozen=True)
class TableColumn:
    """A column.

    Attributes:
        heading: the cell above the others.
        is_text: whether the cells are words, which are aligned to the left; numbers are aligned to the right.
        is_group: whether rows with the same cell form a group, which LaTeX puts below a heading of its own.
        share: of the width of a line, where LaTeX breaks the cells into lines; 0 for as wide as the cells are. Text
            breaks these cells only in tables that are too wide.
        notes: the sentences that explain it.
    """

    heading: str
    is_text: bool = False
    is_group: bool = False
    share: float = 0
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: above the table; may be empty.
        columns: at least one; each part of a split table repeats the leading columns of words.
        rows: of cells, one for each column.
        apart: the numbers of the rows that are set apart from the others, such as baselines.
        notes: the sentences that explain it, besides those of columns.
        best: what the mark of the best cells means; empty if no cell has it.
        segments: their number, if the rows are the scores of one system, which text prints in a layout of its own.
    """

    title: str
    columns: list[TableColumn]
    rows: list[list[Cell]]
    apart: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    best: str = ""
    segments: int | None = None

    def notes_with(self, mark: str) -> list[str]:
        """Return all notes, each once; the last explains the mark of the best cells in a format."""
        notes = dict.fromkeys([*self.notes, *chain.from_iterable(column.notes for column in self.columns)])
        return [*notes, *[f"{mark} {self.best}"] * bool(self.best)]


@dataclass(frozen=True, kw_only=True)
class TableReport:
    """Everything that a format can write: tables and what belongs to them.

    Attributes:
        tables: for people, with rounded figures.
        signatures: of the scores in the tables.
        warnings: about the data, the variant and the resamples.
        records: the figures at full precision, as at least one row; all rows have the same keys.
        fields: the figures in the schema of JSON.
    """

    tables: list[Table]
    signatures: list[str] = field(default_factory=list)
    warnings: list[WarningRow] = field(default_factory=list)
    records: list[dict[str, Any]]
    fields: dict[str, Any]


def cells(rows: Iterable[Iterable[str | Cell]]) -> list[list[Cell]]:
    """Return rows of texts and cells as rows of cells."""
    return [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]


def make_table(title: str, headings: Sequence[str], rows: Iterable[Iterable[str | Cell]], *, texts: int = 1) -> Table:
    """Return a table of headings and rows, whose first columns are words and whose others are numbers."""
    columns = [TableColumn(heading, is_text=number < texts) for number, heading in enumerate(headings)]
    return Table(title, columns, cells(rows))


def select_rows(table: Table, numbers: Sequence[int]) -> Table:
    """Return a table with some of the rows."""
    apart = [place for place, number in enumerate(numbers) if number in table.apart]
    return replace(table, rows=[table.rows[number] for number in numbers], apart=apart)


def select_columns(table: Table, numbers: Sequence[int]) -> Table:
    """Return a table with some of the columns."""
    rows = [[row[number] for number in numbers] for row in table.rows]
    return replace(table, columns=[table.columns[number] for number in numbers], rows=rows)


def split_table(table: Table, widths: Sequence[float], limit: float, most: int | None = None) -> list[Table]:
    """Split a table into parts that are no wider than a limit and have no more than a number of rows.

    Each part has the leading columns of words, or else the first column, and at least one more, however wide. Rows that
    are empty in a part are left out there. Rows are split between groups where there are such. The first part has the
    notes, but those of columns are with the first part that has the column.

    Args:
        table: to split.
        widths: of the columns.
        limit: of the sum of the widths in a part.
        most: of the rows in a part; None for all.

    >>> header = [TableColumn("System", is_text=True), TableColumn("a"), TableColumn("b")]
    >>> for part in split_table(Table("p", header, cells([["x", "1", ""], ["y", "2", "3"]])), [1, 1, 1], limit=2):
    ...     print(part.title, [column.heading for column in part.columns], [row[0].text for row in part.rows])
    p (1 of 2) ['System', 'a'] ['x', 'y']
    p (2 of 2) ['System', 'b'] ['y']
    """
    narrow = _split_columns(table, widths, limit)
    parts = [part for each in narrow for part in _split_rows(each, most or len(table.rows))]
    if len(parts) == 1:
        return [table]
    split, told = [], set[str]()
    for number, part in enumerate(parts, 1):
        columns = [replace(own, notes=[note for note in own.notes if note not in told]) for own in part.columns]
        told.update(chain.from_iterable(own.notes for own in columns))
        title = f"{part.title} ({number} of {len(parts)})".strip()
        best = table.best * any(cell.best for row in part.rows for cell in row)
        split.append(replace(part, title=title, columns=columns, notes=table.notes * (number == 1), best=best))
    return split


def _split_columns(table: Table, widths: Sequence[float], limit: float) -> list[Table]:
    first = max(1, next((number for number, column in enumerate(table.columns) if not column.is_text), 1))
    parts: list[list[int]] = [[]]
    for number in range(first, len(table.columns)):
        if parts[-1] and sum(widths[place] for place in (*range(first), *parts[-1], number)) > limit:
            parts.append([])
        parts[-1].append(number)
    if len(parts) == 1:
        return [table]
    tables = [select_columns(table, [*range(first), *numbers]) for numbers in parts]
    return [
        select_rows(part, [number for number, row in enumerate(part.rows) if any(cell.text for cell in row[first:])])
        for part in tables
    ]


def _split_rows(table: Table, most: int) -> list[Table]:
    groups = [
        [cell.text for cell, column in zip(row, table.columns, strict=True) if column.is_group] for row in table.rows
    ]
    starts = [0]
    while len(groups) - starts[-1] > most:
        possible = range(starts[-1] + 1, starts[-1] + most + 1)
        starts.append(max((row for row in possible if groups[row] != groups[row - 1]), default=possible[-1]))
    return [select_rows(table, range(*ends)) for ends in pairwise([*starts, len(groups)])]
