"""Write tables as text, JSON, Markdown, LaTeX or CSV, and sentence scores as TSV or JSON Lines.

Scores, agreement with ratings, published figures and reports are a `TableReport`, which each of `FORMATS` writes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.tables import Cell, Table, TableColumn, TableReport, split_table
from sari.variants import SCORES

if TYPE_CHECKING:  # what `--help` need not wait for
    from sari.scores import SentenceScores


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
    label: str | None = None


# ---- Text and Markdown ----------------------------------------------------------------------------------------------


def as_text(report: TableReport, layout: Layout) -> str:
    """Return tables for a terminal, with ^ at the best scores, then signatures and warnings."""
    blocks: list[list[str]] = []
    for part in chain.from_iterable(fit_table(table, layout.width) for table in report.tables):
        blocks.append([part.title] * bool(part.title) + _text_table(part))
        blocks.append(_wrapped(part.notes_with("^"), layout.width))
    blocks += [report.signatures, _wrapped([f"Warning: {message}" for message in report.warnings], layout.width)]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _wrapped(sentences: Sequence[str], width: int) -> list[str]:
    """Return lines of at most this width; signatures, paths and addresses are never broken."""
    whole: dict[str, Any] = {"subsequent_indent": "  ", "break_long_words": False, "break_on_hyphens": False}
    return [line for sentence in sentences for line in wrap(sentence, width, **whole)]


# Spaces between two columns, and the narrowest column whose cells are broken into lines.
_GAP, _NARROWEST = 2, 12


def _text_table(table: Table) -> list[str]:
    """Return a line for the header and each row, and an empty line around rows that stand apart."""
    lines = _aligned(table, _text_cells(table), tablefmt="plain")
    for number in range(len(table.rows) - 1, 0, -1):
        if (number in table.apart) != (number - 1 in table.apart):
            lines.insert(number + 1, "")
    return lines


def _text_cells(table: Table) -> list[list[str]]:
    """Return the header and the rows, with spaces in the place of missing marks."""
    columns = []
    for column, own in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        marks = ["", *("*" * cell.significant + "^" * cell.best for cell in own)]
        texts = [column.heading, *(cell.text if column.share else _one_line(cell.text) for cell in own)]
        widest = max(map(len, marks))
        columns.append([text + mark.ljust(widest) for text, mark in zip(texts, marks, strict=True)])
    return list(map(list, zip(*columns, strict=True)))


def _text_widths(table: Table) -> list[int]:
    """Return the width of each column on a terminal."""
    from wcwidth import wcswidth

    columns = zip(*_text_cells(table), strict=True)
    return [max(wcswidth(line) for text in own for line in (text.splitlines() or [""])) + _GAP for own in columns]


def fit_table(table: Table, width: int) -> list[Table]:
    """Return a table in parts whose lines have at most so many characters.

    Sentences in a table that is too wide are broken into lines of one width; what stays too wide is split.
    """
    limit, widths = width + _GAP, _text_widths(table)
    sentences = [number for number, column in enumerate(table.columns) if column.share]
    if sentences and sum(widths) > limit:
        left = limit - sum(width for number, width in enumerate(widths) if number not in sentences)
        broken = max(left // len(sentences) - _GAP, _NARROWEST)
        rows = [
            [
                cell._replace(text="\n".join(wrap(cell.text, broken))) if column.share else cell
                for cell, column in zip(row, table.columns, strict=True)
            ]
            for row in table.rows
        ]
        table = replace(table, rows=rows)
    return split_table(table, _text_widths(table), limit)


def as_markdown(report: TableReport, _layout: Layout) -> str:
    """Return tables as Markdown, the best scores in bold."""
    blocks = list(map(markdown_table, report.tables))
    blocks.append("\n".join(f"`{line}`  " for line in report.signatures))
    blocks.append("\n".join(f"> Warning: {escaped_markdown(message)}  " for message in report.warnings))
    return "\n\n".join(filter(None, blocks))


def markdown_table(table: Table) -> str:
    """Return a table as Markdown, below its title and above its notes."""

    def shown(cell: Cell, column: TableColumn) -> str:
        text = escaped_markdown(cell.text) if column.is_text else cell.text  # brackets of intervals are no links
        remark = f" ({escaped_markdown(cell.small)})" if cell.small else ""
        return (f"**{text}**" if cell.best else text) + r"\*" * cell.significant + remark

    header = [escaped_markdown(column.heading) for column in table.columns]
    rows = [[shown(*cell) for cell in zip(row, table.columns, strict=True)] for row in table.rows]
    lines = _aligned(table, rows, headers=header, tablefmt="pipe")
    notes = [f"- {escaped_markdown(note)}" for note in table.notes_with("bold:")]
    return "\n\n".join(filter(None, [escaped_markdown(table.title), "\n".join(lines), "\n".join(notes)]))


def _aligned(table: Table, rows: list[list[str]], **how: Any) -> list[str]:
    """Return the lines of a table in a format of tabulate."""
    from tabulate import tabulate

    alignment = ["left" if column.is_text else "right" for column in table.columns]
    text = tabulate(rows, colalign=alignment, disable_numparse=True, preserve_whitespace=True, **how)
    return [line.rstrip() for line in text.splitlines()]


def escaped_markdown(text: object) -> str:
    """Return a text that Markdown shows unchanged, also in a table."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", _one_line(str(text)))


def _one_line(text: str) -> str:
    return " ".join(text.split())


# ---- LaTeX ----------------------------------------------------------------------------------------------------------

# Widths in points at 10 pt, which is \small in papers of 11 pt: a column of two, and the narrowest page, that of an
# article with one column; the space between columns of a table; and letters of Computer Modern, rounded up.
_COLUMN, _PAGE, _SPACE = 210.0, 350.0, 5.0
_LETTER_WIDTHS = {
    "ijlf.,:;|'![] ": 3.1,
    "rstI()": 4.0,
    "cez": 4.5,
    "ago0123456789*": 5.0,
    "bdhknpquvxyJS": 5.6,
    "mwMW%+=<>−": 10.3,
}
# Rows that fit on a page, and floats that LaTeX keeps waiting.
_ROWS, _FLOATS = 24, 48
_LATEX_ESCAPES = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": "$<$", ">": "$>$", "|": "$|$", '"': r"\char34{}"},
    **{
        "−": "$-$",
        "×": r"$\times$",
        "÷": r"$\div$",
        "√": r"$\surd$",
        "²": "$^2$",
        "–": r"\textendash{}",
        "…": r"\ldots{}",
    },
}


def as_latex(report: TableReport, layout: Layout) -> str:
    """Return tables as LaTeX that fits the columns or the page of a paper, with the best scores in bold.

    Tables are floats and need no package except for `booktabs`. Wide tables span both columns of the page; wider ones
    are split, with the notes below the last part. Signatures and warnings are comments.
    """
    first, *others = report.tables
    parts = [
        part
        for table in [first if layout.caption is None else replace(first, title=layout.caption), *others]
        for part in split_table(table, _latex_widths(table, _PAGE), _PAGE + _SPACE, _ROWS)
    ]
    blocks = [
        _latex_float(table, layout, number) + "\n\\clearpage" * (number % _FLOATS == 0)
        for number, table in enumerate(parts, 1)
    ]
    comments = [*report.signatures, *(f"Warning: {message}" for message in report.warnings)]
    return "\n\n".join([*blocks, "\n".join(f"% {_one_line(line)}" for line in comments)]).rstrip()


def _latex_float(table: Table, layout: Layout, number: int) -> str:
    fits = sum(_latex_widths(table, _COLUMN)) <= _COLUMN + _SPACE
    environment = "table" if fits else "table*"
    lines = [rf"\begin{{{environment}}}[t]", rf"\centering\small\setlength{{\tabcolsep}}{{{_SPACE / 2:g}pt}}"]
    lines += _latex_tabular(table, booktabs=layout.booktabs)
    if table.notes_with("Bold:"):
        text = " ".join(f"{_breakable(note).removesuffix('.')}." for note in table.notes_with("Bold:"))
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {text}}}")
    if table.title:
        lines.append(rf"\caption{{{_breakable(table.title)}}}")
    if layout.label is not None:
        lines.append(rf"\label{{{layout.label}{f'-{number}' if number > 1 else ''}}}")
    return "\n".join([*lines, rf"\end{{{environment}}}"])


def _latex_tabular(table: Table, *, booktabs: bool) -> list[str]:
    """Return a table with a rule before rows that are set apart, and headings above groups of rows."""
    top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if booktabs else (r"\hline",) * 3
    shown = [number for number, column in enumerate(table.columns) if not column.is_group]
    groups = next((number for number, column in enumerate(table.columns) if column.is_group), None)
    columns = [table.columns[number] for number in shown]
    alignment = "".join(
        rf"p{{{column.share}\linewidth}}" if column.share else "l" if column.is_text else "r" for column in columns
    )
    header = " & ".join(_escaped_latex(column.heading) for column in columns)
    lines = [rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}", top, rf"{header} \\"]

    def section(number: int) -> tuple[str, bool]:
        return "" if groups is None else table.rows[number][groups].text, number in table.apart

    previous = None
    for (name, _), numbers in groupby(range(len(table.rows)), key=section):
        lines.append(middle)
        if name and name != previous:
            lines.append(rf"\multicolumn{{{len(columns)}}}{{@{{}}l@{{}}}}{{\textit{{{_escaped_latex(name)}}}}} \\")
        previous = name
        lines += [_latex_row(table, number, shown) for number in numbers]
    return [*lines, bottom, r"\end{tabular}"]


def _latex_row(table: Table, number: int, shown: Sequence[int]) -> str:
    texts = []
    for place in shown:
        column, cell = table.columns[place], table.rows[number][place]
        text = _escaped_latex(cell.text) if column.is_text else _latex_figures(cell.text)
        text = (rf"\textbf{{{text}}}" if cell.best else text) + "$^{*}$" * cell.significant
        texts.append(r"\raggedright\hspace{0pt}" * bool(column.share) + text)  # so that first words are hyphenated, too
    line = " & ".join(texts)
    # LaTeX would read these as arguments of the end of the row before.
    return rf"{{}}{line} \\" if line.startswith(("[", "*")) else rf"{line} \\"


def _escaped_latex(text: str) -> str:
    return "".join(_LATEX_ESCAPES.get(character, character) for character in _one_line(text)).replace("--", "-{}-")


def _breakable(text: str) -> str:
    """Return a text in which LaTeX may break what is longer than a line: signatures, addresses and names of files."""
    return re.sub(r"(\$\|\$|/|\\_)", r"\1\\allowbreak{}", _escaped_latex(text))


def _latex_figures(text: str) -> str:
    """Return figures with true minus signs, and dashes between ranks.

    >>> _latex_figures("[-1.5, 2]"), _latex_figures("1-3")
    ('[$-$1.5, 2]', '1--3')
    """
    return re.sub(r"(?<![\d-])-(?=\d)", "$-$", re.sub(r"(?<=\d)-(?=\d)", "--", _escaped_latex(text)))


def _latex_widths(table: Table, line: float) -> list[float]:
    """Return the estimated widths of columns in points, with the space beside them, for a line of a width."""
    return [
        (column.share * line if column.share else max(map(_latex_width, [Cell(column.heading), *own]))) + _SPACE
        if not column.is_group
        else 0
        for column, own in zip(table.columns, zip(*table.rows, strict=True), strict=True)
    ]


def _latex_width(cell: Cell) -> float:
    widths = (
        next((width for letters, width in _LETTER_WIDTHS.items() if letter in letters), 8.0)
        for letter in f"{cell.text}{'*' * cell.significant}"
    )
    return sum(widths) * (1.15 if cell.best else 1)


# ---- Data -----------------------------------------------------------------------------------------------------------


def as_csv(report: TableReport, _layout: Layout) -> str:
    """Return the records, at full precision."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(report.records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(report.records)
    return file.getvalue().removesuffix("\n")


def as_json(report: TableReport, _layout: Layout) -> str:
    """Return the fields."""
    return json.dumps(report.fields, indent=2, allow_nan=False)


class TableFormat(NamedTuple):
    """A format: the ending of its files, and the function that writes it."""

    ending: str
    write: Callable[[TableReport, Layout], str]


#: The formats of tables, by their names for `--format`.
FORMATS = {
    "text": TableFormat(".txt", as_text),
    "json": TableFormat(".json", as_json),
    "markdown": TableFormat(".md", as_markdown),
    "latex": TableFormat(".tex", as_latex),
    "csv": TableFormat(".csv", as_csv),
}


def format_of_ending(ending: str) -> TableFormat:
    """Return the format of files with this ending."""
    return next(row for row in FORMATS.values() if row.ending == ending)


# ---- Sentence scores ------------------------------------------------------------------------------------------------


def sentences_as_tsv(scores: dict[str, SentenceScores]) -> Iterator[str]:
    """Yield a header and a line per segment."""
    for number, row in enumerate(_sentences(scores)):
        if number == 0:
            yield "\t".join(row)
        yield "\t".join(_one_line(str(value)) for value in row.values())


def sentences_as_jsonl(scores: dict[str, SentenceScores]) -> Iterator[str]:
    """Yield a JSON object per segment."""
    return (json.dumps(row, allow_nan=False) for row in _sentences(scores))


def _sentences(scores: dict[str, SentenceScores]) -> Iterator[dict[str, Any]]:
    """Yield for each segment its system if there are several, its number, from 1, and its four scores."""
    for name, own in scores.items():
        whose = {"system": name} if len(scores) > 1 else {}
        for number, row in enumerate(zip(*(own[score] for score in SCORES), strict=True), 1):
            yield {**whose, "segment": number, **dict(zip(SCORES, row, strict=True))}


#: The formats of sentence scores, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[[dict[str, SentenceScores]], Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".jsonl": sentences_as_jsonl,
}
