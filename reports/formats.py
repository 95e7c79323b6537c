"""Write tables as text, JSON, Markdown, LaTeX or CSV, and sentence scores as TSV, CSV or JSON Lines.

Scores, agreement with ratings, published figures and reports are a `TableReport`, which each of `TABLE_FORMATS` writes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.reports.latex import as_latex
from sari.reports.tables import Cell, Layout, Table, TableColumn, TableReport, in_one_line, warning_in_words
from sari.validation import visible
from sari.variants import SCORES

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import SentenceScores
    from sari.validation import SystemColumns


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
    rows = [("  SARI:" if name.text == "SARI" else f"    - {name.text}:", cell) for name, cell in table.rows]
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
        left = width - sum(size + _GAP for place, size in enumerate(longest) if place not in words)
        for place in words:
            whole = max(wcswidth(word) for row in table.rows for word in row[place].text.split() or [""])
            widths[place] = max(_NARROWEST, whole, left // len(words) - _GAP)
    lines = _aligned(table, rows, tablefmt="plain", maxcolwidths=widths)
    return [visible(table.title), *lines] if table.title else lines


def _text_cells(table: Table) -> list[list[str]]:
    """Return the header and the rows. Marks and intervals stand below each other; a header is above the figures."""
    columns = []
    for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        texts = [in_one_line(cell.text) for cell in cells]
        marks = [cell.mark + "^" * cell.best for cell in cells]
        figure, mark, interval = (max(map(len, part)) for part in (texts, marks, [cell.interval for cell in cells]))
        heading = in_one_line(column.heading)
        if interval:
            heading = heading.rjust(figure).ljust(figure + mark + 1 + interval)
            texts = [
                f"{text:>{figure}}{sign:<{mark}} {cell.interval:>{interval}}"
                for text, sign, cell in zip(texts, marks, cells, strict=True)
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

    def cell_text(cell: Cell, column: TableColumn) -> str:
        text = _escaped_markdown(cell.text) if column.is_text else cell.text  # brackets of intervals are no links
        mark = f"{_escaped_markdown(cell.mark)} {cell.interval}".rstrip()
        return (f"**{text}**" if cell.best else text) + mark

    header = [_escaped_markdown(column.heading) for column in table.columns]
    rows = [[cell_text(*cell) for cell in zip(row, table.columns, strict=True)] for row in table.rows]
    lines = _aligned(table, rows, headers=header, tablefmt="pipe")
    notes = [f"- {_escaped_markdown(note)}" for note in table.notes_with("bold:")]
    return "\n\n".join(filter(None, [_escaped_markdown(table.title), "\n".join(lines), "\n".join(notes)]))


def _aligned(table: Table, rows: list[list[str]], **options: Any) -> list[str]:
    """Return the lines of a table in a format of tabulate."""
    from tabulate import tabulate

    alignment = ["left" if column.is_text else "right" for column in table.columns]
    text = tabulate(rows, colalign=alignment, disable_numparse=True, preserve_whitespace=True, **options)
    return [line.rstrip() for line in text.splitlines()]


def _escaped_markdown(text: object) -> str:
    """Return a text that Markdown shows unchanged, also in a table."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", in_one_line(str(text)))


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
        yield "\t".join(in_one_line(str(value)) for value in row.values())


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
    for name, of_system in scores.items():
        for place, figures in enumerate(zip(*(of_system[score] for score in SCORES), strict=True)):
            row: dict[str, Any] = {"system": name} if len(scores) > 1 else {}
            row |= {"segment": place + 1, **dict(zip(SCORES, figures, strict=True))}
            if columns is not None:
                row |= {"source": columns.sources[place], "output": columns.predictions[name][place]}
                row["references"] = columns.references[place]
            yield row


#: The formats of sentence scores, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[..., Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".csv": sentences_as_csv,
    ".jsonl": sentences_as_jsonl,
}
