"""Print the tables of Narayan and Gardent 2014 from files that one has, with the paper's figures beside.

    sari reproduce --sources S --references R --outputs Zhu.txt Woodsend.txt Hybrid.txt

Texts are lowercased first. A file's name says which system it is; systems of which the paper has no figures, or other
outputs than these files, are measured all the same.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sari.files.errors import FileError
from sari.files.reading import open_texts

PROGRAM = "reproduce"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for bad input, said on standard error."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--sources", metavar="FILE", required=True, help="the test sentences, tokenized, one per line")
    parser.add_argument("--references", metavar="FILE", required=True, help="their simplifications by people")
    parser.add_argument("--outputs", metavar="FILE", required=True, nargs="+", help="a file per system")
    options = parser.parse_args(arguments)
    try:
        systems = {Path(path).name.split(".")[0]: _read(options, path) for path in options.outputs}
        systems["reference"] = _read(options, options.references)
    except FileError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 2
    print(_table(systems))
    return 0


def _read(options: argparse.Namespace, outputs: str) -> tuple[list[str], list[str], list[str]]:
    """Return lowercased sources, outputs and references."""
    with closing(open_texts(options.sources, outputs, [options.references])) as corpus:
        batches = list(corpus.batches())
    rows = [
        (source.lower(), output.lower(), reference.lower())
        for batch in batches
        for source, (output,), (reference,) in zip(*batch.values(), strict=True)
    ]
    sources, texts, references = zip(*rows, strict=True)
    return list(sources), list(texts), list(references)


def _table(systems: dict[str, tuple[list[str], list[str], list[str]]]) -> str:
    from sari.measures.narayan_gardent import COLUMNS, PAPER

    rows = [["", *(column.title for column in COLUMNS)]]
    rows += [[name, *(column.cell(name, *texts) for column in COLUMNS)] for name, texts in systems.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return "\n".join([*lines, "", f"In brackets, Narayan and Gardent 2014: {PAPER}"])
