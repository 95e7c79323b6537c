"""Write tables and the paragraph for a paper as LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from sari.reports.tables import (
    LOWER,
    Cell,
    Layout,
    Piece,
    Table,
    TableColumn,
    TableReport,
    in_one_line,
    warning_in_words,
)
from sari.validation import visible

# A table with more characters in a row stands across the page, and one with more rows is split.
_COLUMN, _ROWS = 60, 26
# What works with packages and without them: graphicx makes wide tables smaller, natbib has the two ways to cite.
_WITHOUT_PACKAGES = r"\providecommand{\resizebox}[3]{#3}\providecommand{\citep}{\cite}"
_ESCAPES = {
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
    floats = [part for table in tables for part in _split_rows(table)]
    packages = "graphicx, booktabs" if layout.booktabs else "graphicx"
    blocks = [f"% Packages: {packages}; natbib for citations in parentheses.\n{_WITHOUT_PACKAGES}"]
    blocks += [_float(table, layout, number) for number, table in enumerate(floats, 1)]
    if report.paragraph:
        blocks.append(_paragraph(report.paragraph))
    footnotes = " ".join(piece.text for piece in report.paragraph if piece.kind == "footnote")
    comments = [f"Warning: {warning_in_words(row)}" for row in report.warnings]
    signatures = [line for line in report.signatures if line not in footnotes]
    if signatures:
        comments += [
            "For the appendix:",
            *(rf"{{\raggedright\footnotesize {_breakable(line)}\par}}" for line in signatures),
        ]
    return "\n\n".join([*blocks, "\n".join(f"% {in_one_line(line)}" for line in comments)]).rstrip()


def _paragraph(pieces: Sequence[Piece]) -> str:
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
    return sum(max(len(_heading(column)), *map(width, cells)) + 2 for column, cells in columns if not column.is_group)


def _split_rows(table: Table) -> list[Table]:
    """Split a long table into parts, between groups where there are such; the last has the notes."""
    groups = [
        [cell.text for cell, column in zip(row, table.columns, strict=True) if column.is_group] for row in table.rows
    ]
    starts = [0]
    while len(groups) - starts[-1] > _ROWS:
        possible = range(starts[-1] + 1, starts[-1] + _ROWS + 1)
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
            notes=table.notes if number == len(parts) else [],
            best=table.best if any(cell.best for row in rows for cell in row) else "",
        )
        for number, (begin, rows) in enumerate(parts, 1)
    ]


def _float(table: Table, layout: Layout, number: int) -> str:
    environment = "table" if _characters(table) <= _COLUMN else "table*"
    lines = [rf"\begin{{{environment}}}[t]", r"\centering\small\setlength{\tabcolsep}{3pt}"]
    lines.append(r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%")
    lines += _tabular(table, booktabs=layout.booktabs)
    lines[-1] += "}"
    notes = [*table.notes, *table.best_note("Bold:")]
    if notes:
        text = " ".join(f"{_breakable(note).removesuffix('.')}." for note in notes)
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {text}}}")
    if table.title:
        lines.append(rf"\caption{{{_breakable(table.title)}}}")
    lines.append(rf"\label{{{layout.label}{f'-{number}' if number > 1 else ''}}}")
    return "\n".join([*lines, rf"\end{{{environment}}}"])


def _heading(column: TableColumn) -> str:
    return f"{column.heading} {column.better}".rstrip()


def _tabular(table: Table, *, booktabs: bool) -> list[str]:
    """Return a table with a rule before rows that are set apart, and headings above groups of rows.

    An interval is a column of its own, below the heading of its figure.
    """
    top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if booktabs else (r"\hline",) * 3
    shown = [number for number, column in enumerate(table.columns) if not column.is_group]
    groups = next((number for number, column in enumerate(table.columns) if column.is_group), None)
    ranged = [number for number in shown if any(row[number].interval for row in table.rows)]
    alignment, headings = "", []
    for number in shown:
        column = table.columns[number]
        heading = _escaped(_heading(column))
        alignment += "l" if column.is_text else "r"
        if any(row[number].mark for row in table.rows):
            alignment += r"@{\hspace{8pt}}"
        if number in ranged:
            alignment += "r"
        headings.append(rf"\multicolumn{{2}}{{c}}{{{heading}}}" if number in ranged else heading)
    lines = [rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}", top, rf"{' & '.join(headings)} \\"]

    def section(number: int) -> tuple[str, bool]:
        return "" if groups is None else table.rows[number][groups].text, number in table.apart

    previous = None
    for (name, _), numbers in groupby(range(len(table.rows)), key=section):
        lines.append(middle)
        if name and name != previous:
            span = len(shown) + len(ranged)
            lines.append(rf"\multicolumn{{{span}}}{{@{{}}l@{{}}}}{{\textit{{{_escaped(name)}}}}} \\")
        previous = name
        for number in numbers:
            row = [table.rows[number][place] for place in shown]
            columns = [table.columns[place] for place in shown]
            lines.append(_row(row, columns, [place in ranged for place in shown]))
    return [*lines, bottom, r"\end{tabular}"]


def _row(row: Sequence[Cell], columns: Sequence[TableColumn], ranged: Sequence[bool]) -> str:
    texts = []
    for cell, column, has_interval in zip(row, columns, ranged, strict=True):
        text = _escaped(cell.text) if column.is_text else _figures(cell.text)
        text = rf"\textbf{{{text}}}" if cell.best else text
        if cell.mark:
            mark = cell.mark.replace(LOWER, r"\dagger")
            text += rf"\rlap{{$^{{{mark}}}$}}"
        texts.append(text)
        if has_interval:
            texts.append(_figures(cell.interval))
    # LaTeX would read a bracket or a star as an argument of the end of the row before.
    begin = "{}" if texts[0].startswith(("[", "*")) else ""
    return rf"{begin}{' & '.join(texts)} \\"


def _escaped(text: str) -> str:
    text = visible(re.sub(r"\s+", " ", text))
    return "".join(_ESCAPES.get(character, character) for character in text).replace("--", "-{}-")


def _breakable(text: str) -> str:
    """Return a text in which LaTeX may break what is longer than a line: signatures, addresses and names of files."""
    return re.sub(r"(\$\|\$|/|\\_)", r"\1\\allowbreak{}", _escaped(text))


def _figures(text: str) -> str:
    """Return figures with true minus signs, and dashes between ranks.

    >>> _figures("[-1.5, 2]"), _figures("1-3")
    ('[$-$1.5, 2]', '1--3')
    """
    return re.sub(r"(?<![\d-])-(?=\d)", "$-$", re.sub(r"(?<=\d)-(?=\d)", "--", _escaped(text)))
