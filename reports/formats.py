"""Write tables and the scores of sentences in every format.

Scores, agreement with ratings, published figures and reports are a `TableReport`, which each of `TABLE_FORMATS` writes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from sari.messages import escape_unprintable, in_one_line
from sari.reports.latex import as_latex
from sari.reports.tables import Cell, Table, TableReport, warning_in_words
from sari.variants import SCORES

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import SentenceScores
    from sari.text_files.output_rows import SystemOutputs


# ---- Text and Markdown ----------------------------------------------------------------------------------------------

# The widest column of words in text, in columns of a terminal: longer words are broken into lines.
_WIDEST = 50


def as_text(report: TableReport) -> str:
    """Return tables for a terminal, with ^ at the best scores, then signatures, notes and warnings."""
    blocks = [_text_table(table) for table in report.tables]
    notes = dict.fromkeys(chain(*(table.notes_with("^") for table in report.tables), report.methods))
    warnings = [f"Warning: {warning_in_words(row)}" for row in report.warnings]
    blocks += [report.signatures, *(list(map(escape_unprintable, lines)) for lines in (notes, warnings))]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


_RULE = "=" * 50


def _scores_of_one(table: Table) -> list[str]:
    """Return the scores of one system in the layout that programs read: SARI, then what it is the mean of."""
    rows = [("  SARI:" if name.text == "SARI" else f"    - {name.text}:", cells) for name, *cells in table.rows]
    widest = max(len(cells[0].text) for _, cells in rows)
    lines = [f"{label:<15}" + "  ".join(f"{cell.text:<{widest}}" for cell in cells) for label, cells in rows]
    return [
        *(_RULE, "SARI Score Results", _RULE, f"Number of samples: {table.segments}", ""),
        *map(str.rstrip, lines),
        _RULE,
    ]


def _text_table(table: Table) -> list[str]:
    """Return a line for the title, the header and each row, and an empty line around rows that stand apart."""
    from tabulate import SEPARATING_LINE

    if table.segments is not None:
        return _scores_of_one(table)
    columns = map(_text_column, table.headings, zip(*table.rows, strict=True))
    rows: list[Any] = [list(row) for row in zip(*columns, strict=True)]
    for number in range(len(table.rows) - 1, 0, -1):
        if (number in table.apart) != (number - 1 in table.apart):
            rows.insert(number + 1, SEPARATING_LINE)
    widths = [_WIDEST] * table.texts + [None] * (len(table.headings) - table.texts)
    lines = _aligned(table, rows, tablefmt="plain", maxcolwidths=widths)
    return [escape_unprintable(table.title), *lines] if table.title else lines


def _text_column(heading: str, cells: Sequence[Cell]) -> list[str]:
    """Return a heading and the cells below it, with room for marks behind all of them."""
    marks = [cell.mark + ("^" if cell.best else "") for cell in cells]
    room = max(map(len, marks))
    texts = [in_one_line(cell.text) + mark.ljust(room) for cell, mark in zip(cells, marks, strict=True)]
    return [in_one_line(heading) + " " * room, *texts]


def as_markdown(report: TableReport) -> str:
    """Return tables as Markdown, the best scores in bold."""
    blocks = list(map(_markdown_table, report.tables))
    blocks.append("\n".join(f"- {_escaped_markdown(line)}" for line in report.methods))
    blocks.append("\n".join(f"`{line}`  " for line in report.signatures))
    blocks.append("\n".join(f"> Warning: {_escaped_markdown(warning_in_words(row))}  " for row in report.warnings))
    return "\n\n".join(filter(None, blocks))


def _markdown_table(table: Table) -> str:
    """Return a table as Markdown, below its title and above its notes."""
    rows = []
    for cells in table.rows:
        words = [_escaped_markdown(cell.text) for cell in cells[: table.texts]]
        numbers = [cell.text for cell in cells[table.texts :]]  # brackets of intervals are no links
        bold = [f"**{text}**" if cell.best else text for text, cell in zip(words + numbers, cells, strict=True)]
        rows.append([text + _escaped_markdown(cell.mark) for text, cell in zip(bold, cells, strict=True)])
    lines = _aligned(table, rows, headers=list(map(_escaped_markdown, table.headings)), tablefmt="pipe")
    notes = [f"- {_escaped_markdown(note)}" for note in table.notes_with("bold:")]
    return "\n\n".join(filter(None, [_escaped_markdown(table.title), "\n".join(lines), "\n".join(notes)]))


def _aligned(table: Table, rows: list[list[str]], **options: Any) -> list[str]:
    """Return the lines of a table in a format of tabulate."""
    from tabulate import tabulate

    alignment = ["left"] * table.texts + ["right"] * (len(table.headings) - table.texts)
    text = tabulate(rows, colalign=alignment, disable_numparse=True, preserve_whitespace=True, **options)
    return [line.rstrip() for line in text.splitlines()]


def _escaped_markdown(text: object) -> str:
    """Return a text that Markdown shows unchanged, also in a table, and in which it makes no links."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&]|:(?=//)|(?<=\bwww)\.)", r"\\\1", in_one_line(str(text)))


# ---- Data -----------------------------------------------------------------------------------------------------------


def as_csv(report: TableReport) -> str:
    """Return the records, at full precision."""
    return _csv_text(report.records())


#: Columns of CSV with names that a stranger may have chosen, and how formulas of spreadsheets begin.
_CSV_NAMES = ("system", "compared_with")
_FORMULAS = tuple("=+-@＝＋－＠")


def _csv_text(rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> str:
    """Return a header, which the longest row has, and the rows, whose names no spreadsheet takes for formulas."""
    file, longest = io.StringIO(), max(rows, key=len)
    writer = csv.DictWriter(file, list(longest), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        names = {key: f"'{row[key]}" for key in _CSV_NAMES if str(row.get(key)).startswith(_FORMULAS)}
        writer.writerow({**row, **names})
    return file.getvalue().removesuffix("\n")


def as_json(report: TableReport) -> str:
    """Return the fields."""
    return json.dumps(report.fields(), indent=2, ensure_ascii=False, allow_nan=False)


class TableFormat(NamedTuple):
    """A format: the ending of its files, and the function that writes it."""

    ending: str
    write: Callable[[TableReport], str]


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


def sentences_as_tsv(scores: Mapping[str, SentenceScores], outputs: SystemOutputs | None = None) -> Iterator[str]:
    """Yield a header and a row per segment, in one text, without texts."""
    rows = [{name: cell for name, cell in row.items() if name not in _TEXTS} for row in _sentence_rows(scores, outputs)]
    yield _csv_text(rows, delimiter="\t")


def sentences_as_csv(scores: Mapping[str, SentenceScores], outputs: SystemOutputs) -> Iterator[str]:
    """Yield a header and a row per segment, in one text; each reference is a column."""
    rows = []
    for row in _sentence_rows(scores, outputs):
        references = row.pop("references", [])
        rows.append({**row, **{f"reference_{place}": text for place, text in enumerate(references, 1)}})
    yield _csv_text(rows)


def sentences_as_jsonl(scores: Mapping[str, SentenceScores], outputs: SystemOutputs) -> Iterator[str]:
    """Yield a JSON object per segment.

    >>> from sari.text_files.output_rows import OutputRow, SystemOutputs
    >>> scores = {"a": {name: [50.0] for name in SCORES}}
    >>> (line,) = sentences_as_jsonl(scores, SystemOutputs({"a": [OutputRow(None, "a", "é", "e", ["è"])]}))
    >>> line.partition('"add": 50.0, ')[2]
    '"source": "é", "output": "e", "references": ["è"]}'
    """
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in _sentence_rows(scores, outputs))


#: The fields of rows that are texts.
_TEXTS = ("source", "output", "references")


def _sentence_rows(
    scores: Mapping[str, SentenceScores], outputs: SystemOutputs | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the scores of each segment, with what is known of it.

    These are its system if there are several, its number, from 1, the name of its row or document and its subset if it
    has any, its four scores, and its texts.
    """
    for name, of_system in scores.items():
        for place, figures in enumerate(zip(*(of_system[score] for score in SCORES), strict=True)):
            row: dict[str, Any] = {"system": name} if len(scores) > 1 else {}
            row["segment"] = place + 1
            output = None if outputs is None else outputs.rows[name][place]
            if output is not None:
                row |= {} if output.name is None else {"row": output.name}
                row |= {"subset": output.subset} if output.subset else {}
            row |= dict(zip(SCORES, figures, strict=True))
            if output is not None:
                row |= {"source": output.source, "output": output.prediction, "references": output.references}
            yield row


#: The formats of sentence scores, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[..., Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".csv": sentences_as_csv,
    ".jsonl": sentences_as_jsonl,
}
