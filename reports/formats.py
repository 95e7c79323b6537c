"""Write tables as text, JSON, Markdown, LaTeX or CSV, and sentence scores as TSV or JSON Lines.

Scores, agreement with ratings, published figures and reports are a `TableReport`, which each of `TABLE_FORMATS` writes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.tables import LOWER, Cell, Table, TableColumn, TableReport, split_table, warning_in_words
from sari.variants import SCORES

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import SentenceScores


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How tables are laid out.

    Attributes:
        width: the columns of the terminal, for text.
        booktabs: whether LaTeX tables have the rules of the package booktabs.
        paper_columns: the columns of the paper that LaTeX tables fit, 1 or 2; None for both.
        caption, label: of the first LaTeX table.
    """

    width: int = 100
    booktabs: bool = False
    paper_columns: int | None = None
    caption: str | None = None
    label: str | None = None


# ---- Text and Markdown ----------------------------------------------------------------------------------------------


def as_text(report: TableReport, layout: Layout) -> str:
    """Return tables for a terminal, with ^ at the best scores, then signatures, notes and warnings."""
    blocks = [block for table in report.tables for block in _text_blocks(table, layout.width)]
    notes = dict.fromkeys(note for table in report.tables for note in table.notes_with("^"))
    blocks += [report.signatures, _wrapped([*notes], layout.width)]
    blocks.append(_wrapped([f"Warning: {warning_in_words(row)}" for row in report.warnings], layout.width))
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _wrapped(sentences: Sequence[str], width: int) -> list[str]:
    """Return lines of at most this width; signatures, paths and addresses are never broken."""
    whole: dict[str, Any] = {"subsequent_indent": "  ", "break_long_words": False, "break_on_hyphens": False}
    return [line for sentence in sentences for line in wrap(sentence, width, **whole)]


_RULE = "=" * 50


def _scores_of_one(table: Table) -> list[str]:
    """Return the scores of one system in the layout that programs read: SARI, then what it is the mean of."""
    (_, first), *others = table.rows
    rows = [("  SARI:", first), *((f"    - {name.text}:", cell) for name, cell in others)]
    widest = max(len(cell.text) for _, cell in rows)
    lines = [f"{label:<15}{cell.text:<{widest}}  {cell.interval}".rstrip() for label, cell in rows]
    return [_RULE, "SARI Score Results", _RULE, f"Number of samples: {table.segments}", "", *lines, _RULE]


# The gaps between columns, in spaces: the first one with which a table fits. The narrowest column whose cells are
# broken into lines.
_GAPS, _NARROWEST = (2, 1), 12


def _text_blocks(table: Table, width: int) -> list[list[str]]:
    """Return the lines of a table, in parts whose lines have at most so many characters.

    Sentences in a table that is too wide are broken into lines of one width. What is still too wide has narrower gaps,
    and what stays too wide is split.
    """
    if table.segments is not None:
        return [_scores_of_one(table)]
    widths = _text_widths(table)
    sentences = [number for number, column in enumerate(table.columns) if column.share]
    if sentences and sum(widths) + _GAPS[0] * (len(widths) - 1) > width:
        others = [width for number, width in enumerate(widths) if number not in sentences]
        left = width + _GAPS[0] - sum(others) - _GAPS[0] * len(others)
        table = _with_broken_cells(table, max(left // len(sentences) - _GAPS[0], _NARROWEST))
        widths = _text_widths(table)
    fits = (gap for gap in _GAPS if sum(widths) + gap * (len(widths) - 1) <= width and not sentences)
    gap = next(fits, _GAPS[0])
    parts = split_table(table, [own + gap for own in widths], width + gap)
    return [[part.title] * bool(part.title) + _text_table(part, gap) for part in parts]


def _with_broken_cells(table: Table, width: int) -> Table:
    rows = [
        [
            cell._replace(text="\n".join(wrap(cell.text, width))) if column.share else cell
            for cell, column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    ]
    return replace(table, rows=rows)


def _text_table(table: Table, gap: int) -> list[str]:
    """Return a line for the header and each row, and an empty line around rows that stand apart."""
    from tabulate import simple_separated_format

    # Only the named formats know cells of several lines.
    tablefmt = "plain" if gap == _GAPS[0] else simple_separated_format(" " * gap)
    lines = _aligned(table, _text_cells(table), tablefmt=tablefmt)
    for number in range(len(table.rows) - 1, 0, -1):
        if (number in table.apart) != (number - 1 in table.apart):
            lines.insert(number + 1, "")
    return lines


def _text_cells(table: Table) -> list[list[str]]:
    """Return the header and the rows. Marks and intervals stand below each other; a header is above the figures."""
    columns = []
    for column, own in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        texts = [cell.text if column.share else _one_line(cell.text) for cell in own]
        marks = [cell.mark + "^" * cell.best for cell in own]
        figure, mark, interval = (max(map(len, part)) for part in (texts, marks, [cell.interval for cell in own]))
        heading = column.heading
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


def _text_widths(table: Table) -> list[int]:
    """Return the width of each column on a terminal."""
    from wcwidth import wcswidth

    columns = zip(*_text_cells(table), strict=True)
    return [max(wcswidth(line) for text in own for line in (text.splitlines() or [""])) for own in columns]


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
        remark = f" ({_escaped_markdown(cell.small)})" if cell.small else ""
        mark = f"{_escaped_markdown(cell.mark)} {cell.interval}".rstrip()
        return (f"**{text}**" if cell.best else text) + mark + remark

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
    return " ".join(text.split())


# ---- LaTeX ----------------------------------------------------------------------------------------------------------

# Widths in points of letters at 10 pt: the larger one of Computer Modern's and Times's.
_LETTER_WIDTHS = {
    ",.:;il ": 2.8,
    "j!'-[]_`f|": 3.4,
    "()rstI†": 4.0,
    "cez": 4.5,
    "0123456789": 5.0,
    '?"$*/\\^ago{}~J': 5.1,
    "Sbdhknpquvxy": 5.6,
    "EFLPZ": 6.8,
    "mM#%&@+=−<>×÷√": 9.2,
    "W": 10.3,
}
_OTHER_LETTERS = 8.0
# The space between columns, also after figures with a mark, which takes up no width of its own.
_SPACE, _AFTER_MARKS = 5.0, 8.0


class _Line(NamedTuple):
    """A line of a paper: its width in points, and the width of letters, and of bold ones, those of 10 pt being 1."""

    width: float
    letters: float
    bold: float


class _FloatSize(NamedTuple):
    """A way to print a table: for which papers, in a column or across the page, the size of letters, and the lines."""

    columns: tuple[int | None, ...]
    environment: str
    font: str
    lines: tuple[_Line, ...]


def _sized(
    columns: Sequence[int | None], environment: str, font: str, *lines: tuple[float, float, float]
) -> _FloatSize:
    return _FloatSize(tuple(columns), environment, font, tuple(_Line(*line) for line in lines))


# Lines of ACL's style, in Times, and of articles of 11 pt, both with two columns; of articles of 10, 11 and 12 pt with
# one. The first size in which a table fits all lines is taken, and tables that do not fit in the last one are split.
_FLOAT_SIZES = (
    _sized((2, None), "table", r"\small", (219, 1.0, 1.0), (229, 1.0, 1.15)),
    _sized((2, None), "table", r"\footnotesize", (219, 0.9, 0.9), (229, 0.93, 1.07)),
    _sized((2,), "table*", r"\small", (455, 1.0, 1.0), (469, 1.0, 1.15)),
    _sized((2,), "table*", r"\footnotesize", (455, 0.9, 0.9), (469, 0.93, 1.07)),
    _sized((1, None), "table*", r"\small", (345, 0.93, 1.07), (360, 1.0, 1.15), (390, 1.1, 1.26)),
    _sized((1, None), "table*", r"\footnotesize", (345, 0.85, 0.98), (360, 0.93, 1.07), (390, 1.0, 1.15)),
    _sized((1, None), "table*", r"\scriptsize", (345, 0.8, 0.92), (360, 0.85, 0.98)),
)
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
        "†": r"$\dagger$",
        "–": r"\textendash{}",
        "…": r"\ldots{}",
    },
}


def as_latex(report: TableReport, layout: Layout) -> str:
    """Return tables as LaTeX that fits the columns or the page of a paper, with the best scores in bold.

    Tables are floats and need no package except for `booktabs`. They are in a column where they fit, also in smaller
    letters, and else across the page; wider ones are split. Signatures and warnings are comments.
    """
    first, *others = report.tables
    sizes = [size for size in _FLOAT_SIZES if layout.paper_columns in size.columns]
    widest = sizes[-1].lines[-1]
    parts = [
        part
        for table in [first if layout.caption is None else replace(first, title=layout.caption), *others]
        for part in split_table(table, _latex_widths(table, widest), widest.width + _SPACE, _ROWS)
    ]
    blocks = [
        _latex_float(table, sizes, layout, number) + "\n\\clearpage" * (number % _FLOATS == 0)
        for number, table in enumerate(parts, 1)
    ]
    comments = [*report.signatures, *(f"Warning: {warning_in_words(row)}" for row in report.warnings)]
    return "\n\n".join([*blocks, "\n".join(f"% {_one_line(line)}" for line in comments)]).rstrip()


def _latex_float(table: Table, sizes: Sequence[_FloatSize], layout: Layout, number: int) -> str:
    fitting = (
        size for size in sizes if all(sum(_latex_widths(table, line)) <= line.width + _SPACE for line in size.lines)
    )
    size = next(fitting, sizes[-1])
    lines = [rf"\begin{{{size.environment}}}[t]"]
    lines += [rf"\centering{size.font}\setlength{{\tabcolsep}}{{{_SPACE / 2:g}pt}}"]
    lines += _latex_tabular(table, booktabs=layout.booktabs)
    if table.notes_with("Bold:"):
        text = " ".join(f"{_breakable(note).removesuffix('.')}." for note in table.notes_with("Bold:"))
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {text}}}")
    if table.title:
        lines.append(rf"\caption{{{_breakable(table.title)}}}")
    if layout.label is not None:
        lines.append(rf"\label{{{layout.label}{f'-{number}' if number > 1 else ''}}}")
    return "\n".join([*lines, rf"\end{{{size.environment}}}"])


def _latex_tabular(table: Table, *, booktabs: bool) -> list[str]:
    """Return a table with a rule before rows that are set apart, and headings above groups of rows.

    An interval is a column of its own, below the heading of its figure.
    """
    top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if booktabs else (r"\hline",) * 3
    shown = [number for number, column in enumerate(table.columns) if not column.is_group]
    groups = next((number for number, column in enumerate(table.columns) if column.is_group), None)
    ranged = [number for number in shown if any(row[number].interval for row in table.rows)]
    alignment, headings = [], []
    for number in shown:
        column, cells = table.columns[number], [row[number] for row in table.rows]
        own = rf"p{{{column.share}\linewidth}}" if column.share else "l" if column.is_text else "r"
        own += rf"@{{\hspace{{{_AFTER_MARKS:g}pt}}}}" * any(cell.mark for cell in cells)
        heading = _escaped_latex(column.heading)
        alignment.append(own + "r" * (number in ranged))
        headings.append(rf"\multicolumn{{2}}{{c}}{{{heading}}}" if number in ranged else heading)
    ends = "" if alignment[-1].endswith("}") else "@{}"
    columns = len(shown) + len(ranged)
    lines = [rf"\begin{{tabular}}{{@{{}}{''.join(alignment)}{ends}}}", top, rf"{' & '.join(headings)} \\"]

    def section(number: int) -> tuple[str, bool]:
        return "" if groups is None else table.rows[number][groups].text, number in table.apart

    previous = None
    for (name, _), numbers in groupby(range(len(table.rows)), key=section):
        lines.append(middle)
        if name and name != previous:
            lines.append(rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{\textit{{{_escaped_latex(name)}}}}} \\")
        previous = name
        lines += [_latex_row(table, number, shown, ranged) for number in numbers]
    return [*lines, bottom, r"\end{tabular}"]


def _latex_row(table: Table, number: int, shown: Sequence[int], ranged: Sequence[int]) -> str:
    texts = []
    for place in shown:
        column, cell = table.columns[place], table.rows[number][place]
        text = _escaped_latex(cell.text) if column.is_text else _latex_figures(cell.text)
        text = rf"\textbf{{{text}}}" if cell.best else text
        mark = cell.mark.replace(LOWER, r"\dagger")
        text += rf"\rlap{{$^{{{mark}}}$}}" * bool(cell.mark)
        texts.append(r"\raggedright\hspace{0pt}" * bool(column.share) + text)  # so that first words are hyphenated, too
        texts += [_latex_figures(cell.interval)] * (place in ranged)
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


def _latex_widths(table: Table, line: _Line) -> list[float]:
    """Return the widths of columns on a line of a paper, in points, with the space after them."""
    widths = []
    for column, own in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        minus = "-" if column.is_text else "−"
        figures = [
            _latex_width(cell.text.replace("-", minus)) * (line.bold if cell.best else line.letters) for cell in own
        ]
        intervals = line.letters * max(_latex_width(cell.interval.replace("-", "−")) for cell in own)
        spaces = _SPACE * (1 + bool(intervals)) + (_AFTER_MARKS - _SPACE) * any(cell.mark for cell in own)
        heading = line.letters * _latex_width(column.heading) - (intervals and intervals + _SPACE)
        width = column.share * line.width or max(heading, *figures) + intervals
        widths.append(0 if column.is_group else width + spaces)
    return widths


def _latex_width(text: str) -> float:
    widths = _LETTER_WIDTHS.items()
    return sum(next((width for letters, width in widths if letter in letters), _OTHER_LETTERS) for letter in text)


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
