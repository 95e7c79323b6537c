"""Print the tables of Narayan and Gardent 2014 from files that one has, with the paper's figures beside.

    python reproduce.py --sources S --references R --outputs Zhu.txt Woodsend.txt Hybrid.txt

Texts are lowercased first. A file's name says which system it is; systems of which the paper has no figures, or other
outputs than these files, are measured all the same.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from report import text_files

PAPER = "https://aclanthology.org/P14-1041"


class Column(NamedTuple):
    """A measure, how it is printed, and what tables 3 to 5 of the paper say of systems by the names of their files."""

    title: str
    digits: int
    measure: Callable
    published: dict[str, float]


def columns() -> list[Column]:
    """Return the columns of the table; each measure takes sources, outputs and references."""
    from report import simplification as measures

    return [
        Column(
            "split %",
            0,
            lambda sources, outputs, _: 100 * measures.splits(sources, outputs).mean(),
            {"zhu": 80, "woodsend": 63, "hybrid": 10, "reference": 28},
        ),
        Column(
            "sentences",
            2,
            lambda _, outputs, __: measures.sentence_counts(outputs).mean(),
            {"zhu": 1.80, "woodsend": 2.05, "hybrid": 1.10, "reference": 1.30},
        ),
        Column(
            "edits from source",
            2,
            lambda sources, outputs, _: measures.edit_distances(sources, outputs).mean(),
            {"zhu": 7.87, "woodsend": 8.63, "hybrid": 6.32, "reference": 12.24},
        ),
        Column(
            "no edit",
            0,
            lambda sources, outputs, _: (measures.edit_distances(sources, outputs) == 0).sum(),
            {"zhu": 2, "woodsend": 24, "hybrid": 4, "reference": 3},
        ),
        Column(
            "edits to reference",
            2,
            lambda _, outputs, references: measures.edit_distances(outputs, references).mean(),
            {"zhu": 14.64, "woodsend": 16.03, "hybrid": 11.53, "reference": 0},
        ),
        Column(
            "BLEU",
            1,
            lambda _, outputs, references: measures.bleu(outputs, references),
            {"zhu": 37.4, "woodsend": 42, "hybrid": 53.6, "reference": 100},
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for bad input, said on standard error."""
    parser = argparse.ArgumentParser(prog="reproduce.py", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--sources", metavar="FILE", required=True, help="the test sentences, tokenized, one per line")
    parser.add_argument("--references", metavar="FILE", required=True, help="their simplifications by people")
    parser.add_argument("--outputs", metavar="FILE", required=True, nargs="+", help="a file per system")
    options = parser.parse_args(arguments)
    try:
        systems = {Path(path).name.split(".")[0]: _read(options, path) for path in options.outputs}
        systems["reference"] = _read(options, options.references)
    except text_files.FileError as error:
        print(f"reproduce.py: error: {error}", file=sys.stderr)
        return 2
    print(_table(systems))
    return 0


def _read(options: argparse.Namespace, outputs: str) -> tuple[list[str], list[str], list[str]]:
    """Return lowercased sources, outputs and references."""
    with closing(text_files.open_texts(options.sources, outputs, [options.references])) as corpus:
        batches = list(corpus.batches())
    rows = [
        (source.lower(), output.lower(), reference.lower())
        for batch in batches
        for source, (output,), (reference,) in zip(*batch.values(), strict=True)
    ]
    sources, texts, references = zip(*rows, strict=True)
    return list(sources), list(texts), list(references)


def _table(systems: dict[str, tuple[list[str], list[str], list[str]]]) -> str:
    shown = columns()
    rows = [["", *(column.title for column in shown)]]
    for name, texts in systems.items():
        rows.append([name, *(_cell(column, name, texts) for column in shown)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return "\n".join([*lines, "", f"In brackets, Narayan and Gardent 2014: {PAPER}"])


def _cell(column: Column, name: str, texts: tuple[list[str], list[str], list[str]]) -> str:
    published = column.published.get(name.lower())
    beside = "–" if published is None else f"{published:.{column.digits}f}"
    return f"{column.measure(*texts):.{column.digits}f} ({beside})"


if __name__ == "__main__":
    sys.exit(main())
