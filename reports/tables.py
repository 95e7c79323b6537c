"""Tables as plain data, which `formats` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.messages import advised

if TYPE_CHECKING:  # slow to import
    from sari.data_warnings import WarningRow


def warning_in_words(row: WarningRow) -> str:
    """Return a warning as a sentence.

    >>> advice = {"option": "tokenize", "values": ["zh", "char"]}
    >>> warning_in_words({"category": "", "message": "outputs are Chinese", "detail": "", "advice": advice})
    'outputs are Chinese: set tokenize to zh or char'
    """
    said = f"{row['message']} ({row['detail']})" if row["detail"] else row["message"]
    return advised(said, **row["advice"]) if row["advice"] else said


def interval_heading(confidence: float | None) -> str:
    """Return the heading of a column of intervals, empty without a level.

    >>> interval_heading(0.95)
    '95% CI'
    """
    return "" if confidence is None else f"{100 * confidence:g}% CI"


def interval_text(ends: Iterable[float], digits: int) -> str:
    """Return an interval in brackets, empty without ends.

    >>> interval_text([-1, 2.5], 2), interval_text([], 2)
    ('[-1.00, 2.50]', '')
    """
    text = ", ".join(f"{end:.{digits}f}" for end in ends)
    return f"[{text}]" if text else ""


class Cell(NamedTuple):
    """What a row has in a column.

    Attributes:
        text: a figure or words.
        best: whether it is the best of its column.
        mark: a sign that notes explain, such as HIGHER.
        small: a remark in small, which pages show.
    """

    text: str
    best: bool = False
    mark: str = ""
    small: str = ""


#: The marks of figures that are significantly higher, or lower, than others.
HIGHER, LOWER = "*", "†"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: above the table; may be empty.
        headings: of the columns, at least one.
        rows: of cells, one for each column.
        texts: the number of columns of words, which come first and are aligned to the left; the others are numbers.
        apart: the numbers of the rows that are set apart from the others, such as baselines.
        notes: the sentences that explain its marks and rows.
        best: what the mark of the best cells means; may be empty if there are none.
        segments: their number, if the rows are the scores of one system, which text prints in a layout of its own.
    """

    title: str
    headings: list[str]
    rows: list[list[Cell]]
    texts: int
    apart: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    best: str = ""
    segments: int | None = None

    def notes_with(self, mark: str) -> list[str]:
        """Return all notes, with what a format marks the best cells by if there are such cells."""
        has_best = any(cell.best for row in self.rows for cell in row)
        return [*self.notes, f"{mark} {self.best}"] if has_best else self.notes


@dataclass(frozen=True, kw_only=True)
class TableReport:
    """Everything that a format can write: tables and what belongs to them.

    Attributes:
        tables: for people, with rounded figures.
        methods: sentences that say how the figures were computed, which LaTeX leaves to the paragraph.
        signatures: of SARI, and of the measures in the tables.
        warnings: about the data, the variant and the resamples.
        paragraph: how the scores were computed, for a paper, which LaTeX adds: see `methods_paragraph`.
        records: returns the figures at full precision, as at least one row; all rows have the same keys.
        fields: returns the figures in the schema of JSON.
        captions: of the first tables in LaTeX; that of a table without one is its title.
        label: of the first table in LaTeX.
    """

    tables: list[Table]
    methods: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    warnings: list[WarningRow] = field(default_factory=list)
    paragraph: str = ""
    records: Callable[[], list[dict[str, Any]]]
    fields: Callable[[], dict[str, Any]]
    captions: tuple[str, ...] = ()
    label: str = "tab:sari"


def make_table(
    title: str, headings: Sequence[str], rows: Iterable[Iterable[str | Cell]], *, texts: int = 1, **more: Any
) -> Table:
    """Return a table of texts and cells; `more` are other fields of the table."""
    cells = [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    return Table(title, list(headings), cells, texts, **more)


def table_of_columns(
    title: str, columns: Iterable[tuple[str, Sequence[str | Cell]]], *, texts: int = 1, **more: Any
) -> Table:
    """Return a table of headings with the cells below them; columns of empty texts are left out."""
    filled = [(heading, cells) for heading, cells in columns if not {*cells} <= {"", Cell("")}]
    headings, cells = zip(*filled, strict=True)
    return make_table(title, headings, zip(*cells, strict=True), texts=texts, **more)
