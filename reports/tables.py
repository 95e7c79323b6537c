"""Tables as plain data, which `formats` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sari.validation import value_in_python, visible

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


def in_one_line(text: str) -> str:
    r"""Return a text in one line, in which all characters are visible.

    >>> in_one_line("a\x1b  b")
    'a\\x1b b'
    """
    return visible(" ".join(text.split()))


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
        small: a remark in small, which pages show.
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
        better: "↑", "↓" or empty, which LaTeX adds to the heading.
    """

    heading: str
    is_text: bool = False
    is_group: bool = False
    better: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: above the table; may be empty.
        columns: at least one.
        rows: of cells, one for each column.
        apart: the numbers of the rows that are set apart from the others, such as baselines.
        notes: the sentences that explain it.
        methods: the sentences that say how its figures were computed, which LaTeX leaves to the paragraph.
        best: what the mark of the best cells means; empty if no cell has it.
        segments: their number, if the rows are the scores of one system, which text prints in a layout of its own.
    """

    title: str
    columns: list[TableColumn]
    rows: list[list[Cell]]
    apart: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    best: str = ""
    segments: int | None = None

    def notes_with(self, mark: str) -> list[str]:
        """Return all notes, each once; the last explains the mark of the best cells in a format."""
        return [*dict.fromkeys([*self.notes, *self.methods]), *self.best_note(mark)]

    def best_note(self, mark: str) -> list[str]:
        """Return the note about the mark of the best cells in a format, if there are such cells."""
        return [f"{mark} {self.best}"] * bool(self.best)


class Piece(NamedTuple):
    """A part of a paragraph: words, the name of a system or variant, the key of a citation, or a footnote."""

    text: str
    kind: Literal["words", "name", "citation", "footnote"] = "words"


@dataclass(frozen=True, kw_only=True)
class TableReport:
    """Everything that a format can write: tables and what belongs to them.

    Attributes:
        tables: for people, with rounded figures.
        signatures: of the scores in the tables.
        warnings: about the data, the variant and the resamples.
        paragraph: how the scores were computed, for a paper, which LaTeX adds.
        records: returns the figures at full precision, as at least one row; all rows have the same keys.
        fields: returns the figures in the schema of JSON.
    """

    tables: list[Table]
    signatures: list[str] = field(default_factory=list)
    warnings: list[WarningRow] = field(default_factory=list)
    paragraph: list[Piece] = field(default_factory=list)
    records: Callable[[], list[dict[str, Any]]]
    fields: Callable[[], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How tables are laid out.

    Attributes:
        width: the columns of the terminal, for text.
        booktabs: whether LaTeX tables have the rules of the package booktabs.
        caption, label: of the first LaTeX table.
    """

    width: int = 100
    booktabs: bool = False
    caption: str | None = None
    label: str = "tab:sari"


def cells(rows: Iterable[Iterable[str | Cell]]) -> list[list[Cell]]:
    """Return rows of texts and cells as rows of cells."""
    return [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]


def make_table(title: str, headings: Sequence[str], rows: Iterable[Iterable[str | Cell]], *, texts: int = 1) -> Table:
    """Return a table of headings and rows, whose first columns are words and whose others are numbers."""
    columns = [TableColumn(heading, is_text=number < texts) for number, heading in enumerate(headings)]
    return Table(title, columns, cells(rows))
