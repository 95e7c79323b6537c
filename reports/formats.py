"""Write tables as text, JSON, Markdown, LaTeX or CSV, and sentence scores as TSV, CSV or JSON Lines.

Scores, agreement with ratings, published figures and reports are a `TableReport`, which each of `TABLE_FORMATS` writes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.tables import LOWER, Cell, Piece, Table, TableColumn, TableReport, warning_in_words
from sari.validation import visible
from sari.variants import SCORES

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import SentenceScores
    from sari.validation import SystemColumns


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


# ---- Text and Markdown ----------------------------------------------------------------------------------------------


def as_text(report: TableReport, layout: Layout) -> str:
    """Return tables for a terminal, with ^ at the best scores, then signatures, notes and warnings."""
    blocks = [_text_table(table, layout.width) + table.best_note("^") for table in report.tables]
    notes = dict.fromkeys(note for table in report.tables for note in (*table.notes, *table.methods))
    blocks += [report.signatures, _wrapped([*notes], layout.width)]
    blocks.append(_wrapped([f"Warning: {warning_in_words(row)}" for row in report.warnings], layout.width))
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _wrapped(sentences: Sequence[str], width: int) -> list[str]:
    """Return lines of at most this width; signatures, paths and addresses are never broken."""
    whole: dict[str, Any] = {"subsequent_indent": "  ", "break_long_words": False, "break_on_hyphens": False}
    return [line for sentence in sentences for line in wrap(visible(sentence), width, **whole)]


_RULE = "=" * 50


def _scores_of_one(table: Table) -> list[str]:
    """Return the scores of one system in the layout that programs read: SARI, then what it is the mean of."""
    (_, first), *others = table.rows
    rows = [("  SARI:", first), *((f"    - {name.text}:", cell) for name, cell in others)]
    widest = max(len(cell.text) for _, cell in rows)
    lines = [f"{label:<15}{cell.text:<{widest}}  {cell.interval}".rstrip() for label, cell in rows]
    return [_RULE, "SARI Score Results", _RULE, f"Number of samples: {table.segments}", "", *lines, _RULE]


# The gap between columns, and the narrowest column of words in a table that is too wide for the terminal.
_GAP, _NARROWEST = 2, 12


def _text_table(table: Table, width: int) -> list[str]:
    """Return a line for the title, the header and each row, and an empty line around rows that stand apart.

    In a table that is too wide, the cells of words are broken into lines, between words.
    """
    from tabulate import SEPARATING_LINE
    from wcwidth import wcswidth

    if table.segments is not None:
        return _scores_of_one(table)
    rows: list[Any] = _text_cells(table)
    longest = [max(map(wcswidth, column)) for column in zip(*rows, strict=True)]
    for number in range(len(table.rows) - 1, 0, -1):
        if (number in table.apart) != (number - 1 in table.apart):
            rows.insert(number + 1, SEPARATING_LINE)
    widths: list[int | None] = [None] * len(table.columns)
    words = [place for place, column in enumerate(table.columns) if column.is_text]
    if words and sum(longest) + _GAP * (len(longest) - 1) > width:
        left = width - sum(own + _GAP for place, own in enumerate(longest) if place not in words)
        for place in words:
            whole = max(wcswidth(word) for row in table.rows for word in row[place].text.split() or [""])
            widths[place] = max(_NARROWEST, whole, left // len(words) - _GAP)
    lines = _aligned(table, rows, tablefmt="plain", maxcolwidths=widths)
    return [visible(table.title), *lines] if table.title else lines


def _text_cells(table: Table) -> list[list[str]]:
    """Return the header and the rows. Marks and intervals stand below each other; a header is above the figures."""
    columns = []
    for column, own in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        texts = [_one_line(cell.text) for cell in own]
        marks = [cell.mark + "^" * cell.best for cell in own]
        figure, mark, interval = (max(map(len, part)) for part in (texts, marks, [cell.interval for cell in own]))
        heading = _one_line(column.heading)
        if interval:
            heading = heading.rjust(figure).ljust(figure + mark + 1 + interval)
            texts = [
                f"{text:>{figure}}{sign:<{mark}} {cell.interval:>{interval}}"
                for text, sign, cell in zip(texts, marks, own, strict=True)
            ]
        elif mark:
            heading += " " * mark
            texts = [f"{text}{sign:<{mark}}" for text, sign in zip(texts, marks, strict=True)]
        columns.append([heading, *texts])
    return list(map(list, zip(*columns, strict=True)))


def as_markdown(report: TableReport, _layout: Layout) -> str:
    """Return tables as Markdown, the best scores in bold."""
    blocks = list(map(_markdown_table, report.tables))
    blocks.append("\n".join(f"`{line}`  " for line in report.signatures))
    blocks.append("\n".join(f"> Warning: {_escaped_markdown(warning_in_words(row))}  " for row in report.warnings))
    return "\n\n".join(filter(None, blocks))


def _markdown_table(table: Table) -> str:
    """Return a table as Markdown, below its title and above its notes."""

    def shown(cell: Cell, column: TableColumn) -> str:
        text = _escaped_markdown(cell.text) if column.is_text else cell.text  # brackets of intervals are no links
        mark = f"{_escaped_markdown(cell.mark)} {cell.interval}".rstrip()
        return (f"**{text}**" if cell.best else text) + mark

    header = [_escaped_markdown(column.heading) for column in table.columns]
    rows = [[shown(*cell) for cell in zip(row, table.columns, strict=True)] for row in table.rows]
    lines = _aligned(table, rows, headers=header, tablefmt="pipe")
    notes = [f"- {_escaped_markdown(note)}" for note in table.notes_with("bold:")]
    return "\n\n".join(filter(None, [_escaped_markdown(table.title), "\n".join(lines), "\n".join(notes)]))


def _aligned(table: Table, rows: list[list[str]], **how: Any) -> list[str]:
    """Return the lines of a table in a format of tabulate."""
    from tabulate import tabulate

    alignment = ["left" if column.is_text else "right" for column in table.columns]
    text = tabulate(rows, colalign=alignment, disable_numparse=True, preserve_whitespace=True, **how)
    return [line.rstrip() for line in text.splitlines()]


def _escaped_markdown(text: object) -> str:
    """Return a text that Markdown shows unchanged, also in a table."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", _one_line(str(text)))


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


# ---- LaTeX ----------------------------------------------------------------------------------------------------------

# Characters of a row: in more than the first, a table stands across the page; in more than the second, its intervals
# stand in lines of their own. The rows of a float, also with such lines, and the floats that LaTeX keeps waiting.
_COLUMN, _PAGE, _FLOAT_ROWS, _FLOAT_ROWS_OF_TWO, _FLOATS = 60, 137, 26, 18, 48
# What works with packages and without them: graphicx makes wide tables smaller, natbib has the two ways to cite.
_WITHOUT_PACKAGES = r"\providecommand{\resizebox}[3]{#3}\providecommand{\citep}{\cite}"
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
        "†": r"$\dagger$",
        "–": r"\textendash{}",
        "…": r"\ldots{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "→": r"$\rightarrow$",
    },
}


def as_latex(report: TableReport, layout: Layout) -> str:
    """Return tables as LaTeX, with the best scores in bold, then how the scores were computed, as a paragraph.

    Tables are floats: in a column, or across the page if their rows are long. What is still wider becomes smaller by
    the package graphicx. Warnings are comments, and so are the signatures that no footnote has.
    """
    first, *others = report.tables
    tables = [first if layout.caption is None else replace(first, title=layout.caption), *others]
    floats = [part for table in tables for part in _split_rows(table, _rows_of_float(table))]
    packages = "graphicx, booktabs" if layout.booktabs else "graphicx"
    blocks = [f"% Packages: {packages}; natbib for citations in parentheses.\n{_WITHOUT_PACKAGES}"]
    for number, table in enumerate(floats, 1):
        blocks.append(_latex_float(table, layout, number))
        if number % _FLOATS == 0:
            blocks[-1] += "\n\\clearpage"
    if report.paragraph:
        blocks.append(_latex_paragraph(report.paragraph))
    footnotes = " ".join(piece.text for piece in report.paragraph if piece.kind == "footnote")
    comments = [f"Warning: {warning_in_words(row)}" for row in report.warnings]
    signatures = [line for line in report.signatures if line not in footnotes]
    if signatures:
        comments += [
            "For the appendix:",
            *(rf"{{\raggedright\footnotesize {_breakable(line)}\par}}" for line in signatures),
        ]
    return "\n\n".join([*blocks, "\n".join(f"% {_one_line(line)}" for line in comments)]).rstrip()


def _latex_paragraph(pieces: Sequence[Piece]) -> str:
    forms = {"words": "{}", "name": r"\textit{{{}}}", "footnote": r"\footnote{{\raggedright {}.}}"}
    return "".join(
        rf"\citep{{{piece.text}}}" if piece.kind == "citation" else forms[piece.kind].format(_breakable(piece.text))
        for piece in pieces
    ).replace(r" \citep", r"~\citep")


def _characters(table: Table) -> int:
    """Return the characters of the longest row, with two for the space between columns."""

    def width(cell: Cell) -> int:
        return len(cell.text) + bool(cell.interval) + len(cell.interval)

    columns = zip(table.columns, zip(*table.rows, strict=True), strict=True)
    return sum(max(len(_latex_heading(column)), *map(width, own)) + 2 for column, own in columns if not column.is_group)


def _rows_of_float(table: Table) -> int:
    return _FLOAT_ROWS_OF_TWO if _characters(table) > _PAGE else _FLOAT_ROWS


def _split_rows(table: Table, most: int) -> list[Table]:
    """Split a table into parts of so many rows, between groups where there are such; the last has the notes."""
    groups = [
        [cell.text for cell, column in zip(row, table.columns, strict=True) if column.is_group] for row in table.rows
    ]
    starts = [0]
    while len(groups) - starts[-1] > most:
        possible = range(starts[-1] + 1, starts[-1] + most + 1)
        starts.append(max((row for row in possible if groups[row] != groups[row - 1]), default=possible[-1]))
    if len(starts) == 1:
        return [table]
    parts = [(begin, table.rows[begin:end]) for begin, end in pairwise([*starts, len(groups)])]
    return [
        replace(
            table,
            title=f"{table.title} ({number} of {len(parts)})".strip(),
            rows=rows,
            apart=[row - begin for row in table.apart if begin <= row < begin + len(rows)],
            notes=table.notes * (number == len(parts)),
            best=table.best * any(cell.best for row in rows for cell in row),
        )
        for number, (begin, rows) in enumerate(parts, 1)
    ]


def _latex_float(table: Table, layout: Layout, number: int) -> str:
    environment = "table" if _characters(table) <= _COLUMN else "table*"
    lines = [rf"\begin{{{environment}}}[t]", r"\centering\small\setlength{\tabcolsep}{3pt}"]
    lines.append(r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%")
    lines += _latex_tabular(table, booktabs=layout.booktabs, in_two=_characters(table) > _PAGE)
    lines[-1] += "}"
    notes = [*table.notes, *table.best_note("Bold:")]
    if notes:
        text = " ".join(f"{_breakable(note).removesuffix('.')}." for note in notes)
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {text}}}")
    if table.title:
        lines.append(rf"\caption{{{_breakable(table.title)}}}")
    lines.append(rf"\label{{{layout.label}{f'-{number}' if number > 1 else ''}}}")
    return "\n".join([*lines, rf"\end{{{environment}}}"])


def _latex_heading(column: TableColumn) -> str:
    return f"{column.heading} {column.better}".rstrip()


def _latex_tabular(table: Table, *, booktabs: bool, in_two: bool) -> list[str]:
    """Return a table with a rule before rows that are set apart, and headings above groups of rows.

    An interval is a column of its own, below the heading of its figure; with `in_two`, it is below its figure.
    """
    top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if booktabs else (r"\hline",) * 3
    shown = [number for number, column in enumerate(table.columns) if not column.is_group]
    groups = next((number for number, column in enumerate(table.columns) if column.is_group), None)
    ranged = [number for number in shown if not in_two and any(row[number].interval for row in table.rows)]
    alignment, headings = "", []
    for number in shown:
        column = table.columns[number]
        heading = _escaped_latex(_latex_heading(column))
        mark = r"@{\hspace{8pt}}" * any(row[number].mark for row in table.rows)
        alignment += ("l" if column.is_text else "r") + mark + "r" * (number in ranged)
        headings.append(rf"\multicolumn{{2}}{{c}}{{{heading}}}" if number in ranged else heading)
    lines = [rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}", top, rf"{' & '.join(headings)} \\"]

    def section(number: int) -> tuple[str, bool]:
        return "" if groups is None else table.rows[number][groups].text, number in table.apart

    previous = None
    for (name, _), numbers in groupby(range(len(table.rows)), key=section):
        lines.append(middle)
        if name and name != previous:
            span = len(shown) + len(ranged)
            lines.append(rf"\multicolumn{{{span}}}{{@{{}}l@{{}}}}{{\textit{{{_escaped_latex(name)}}}}} \\")
        previous = name
        for number in numbers:
            row = [table.rows[number][place] for place in shown]
            columns = [table.columns[place] for place in shown]
            lines.append(_latex_row(row, columns, [place in ranged for place in shown]))
            if in_two and any(cell.interval for cell in row):
                lines.append(" & ".join(rf"\scriptsize {_latex_figures(cell.interval)}" for cell in row) + r" \\")
    return [*lines, bottom, r"\end{tabular}"]


def _latex_row(row: Sequence[Cell], columns: Sequence[TableColumn], ranged: Sequence[bool]) -> str:
    texts = []
    for cell, column, has_interval in zip(row, columns, ranged, strict=True):
        text = _escaped_latex(cell.text) if column.is_text else _latex_figures(cell.text)
        text = rf"\textbf{{{text}}}" if cell.best else text
        mark = cell.mark.replace(LOWER, r"\dagger")
        texts += [text + rf"\rlap{{$^{{{mark}}}$}}" * bool(mark)] + [_latex_figures(cell.interval)] * has_interval
    # LaTeX would read a bracket or a star as an argument of the end of the row before.
    return "{}" * texts[0].startswith(("[", "*")) + rf"{' & '.join(texts)} \\"


def _escaped_latex(text: str) -> str:
    text = visible(re.sub(r"\s+", " ", text))
    return "".join(_LATEX_ESCAPES.get(character, character) for character in text).replace("--", "-{}-")


def _breakable(text: str) -> str:
    """Return a text in which LaTeX may break what is longer than a line: signatures, addresses and names of files."""
    return re.sub(r"(\$\|\$|/|\\_)", r"\1\\allowbreak{}", _escaped_latex(text))


def _latex_figures(text: str) -> str:
    """Return figures with true minus signs, and dashes between ranks.

    >>> _latex_figures("[-1.5, 2]"), _latex_figures("1-3")
    ('[$-$1.5, 2]', '1--3')
    """
    return re.sub(r"(?<![\d-])-(?=\d)", "$-$", re.sub(r"(?<=\d)-(?=\d)", "--", _escaped_latex(text)))


# ---- Data -----------------------------------------------------------------------------------------------------------


def as_csv(report: TableReport, _layout: Layout) -> str:
    """Return the records, at full precision."""
    return _csv_text(report.records())


#: Columns of CSV with names that a stranger may have chosen.
_CSV_NAMES = ("system", "compared_with")


def _csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a header, which the longest row has, and the rows, whose names no spreadsheet takes for formulas."""
    file, longest = io.StringIO(), max(rows, key=len)
    writer = csv.DictWriter(file, list(longest), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        names = {key: f"'{row[key]}" for key in _CSV_NAMES if str(row.get(key)).startswith(("=", "+", "-", "@"))}
        writer.writerow({**row, **names})
    return file.getvalue().removesuffix("\n")


def as_json(report: TableReport, _layout: Layout) -> str:
    """Return the fields."""
    return json.dumps(report.fields(), indent=2, allow_nan=False)


class TableFormat(NamedTuple):
    """A format: the ending of its files, and the function that writes it."""

    ending: str
    write: Callable[[TableReport, Layout], str]


#: The formats of tables, by name.
TABLE_FORMATS = {
    "text": TableFormat(".txt", as_text),
    "json": TableFormat(".json", as_json),
    "markdown": TableFormat(".md", as_markdown),
    "latex": TableFormat(".tex", as_latex),
    "csv": TableFormat(".csv", as_csv),
}


def format_of_ending(ending: str) -> TableFormat:
    """Return the format of files with this ending."""
    return next(row for row in TABLE_FORMATS.values() if row.ending == ending)


# ---- Sentence scores ------------------------------------------------------------------------------------------------


def sentences_as_tsv(scores: Mapping[str, SentenceScores], _columns: SystemColumns | None = None) -> Iterator[str]:
    """Yield a header and a line per segment, without texts."""
    for number, row in enumerate(_sentence_rows(scores)):
        if number == 0:
            yield "\t".join(row)
        yield "\t".join(_one_line(str(value)) for value in row.values())


def sentences_as_csv(scores: Mapping[str, SentenceScores], columns: SystemColumns | None = None) -> Iterator[str]:
    """Yield a header and a row per segment, in one text; each reference is a column."""
    rows = []
    for row in _sentence_rows(scores, columns):
        references = row.pop("references", [])
        rows.append({**row, **{f"reference_{place}": text for place, text in enumerate(references, 1)}})
    yield _csv_text(rows)


def sentences_as_jsonl(scores: Mapping[str, SentenceScores], columns: SystemColumns | None = None) -> Iterator[str]:
    """Yield a JSON object per segment."""
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in _sentence_rows(scores, columns))


def _sentence_rows(
    scores: Mapping[str, SentenceScores], columns: SystemColumns | None = None
) -> Iterator[dict[str, Any]]:
    """Yield for each segment its system if there are several, its number, from 1, its four scores, and its texts."""
    for name, own in scores.items():
        whose = {"system": name} if len(scores) > 1 else {}
        for number, row in enumerate(zip(*(own[score] for score in SCORES), strict=True), 1):
            texts: dict[str, Any] = {}
            if columns is not None:
                texts = {"source": columns.sources[number - 1], "output": columns.predictions[name][number - 1]}
                texts["references"] = columns.references[number - 1]
            yield {**whose, "segment": number, **dict(zip(SCORES, row, strict=True)), **texts}


#: The formats of sentence scores, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[..., Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".csv": sentences_as_csv,
    ".jsonl": sentences_as_jsonl,
}
