"""Read texts from a folder of checkouts, each under the name of its repository.

Files are named by patterns that begin with the owner and the name of the repository on GitHub, such as
"feralvam/easse/easse/resources/data/test_sets/asset/asset.test.simp.*": the folder has the checkout as "easse".
"""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from sari.text_files.errors import FileError
from sari.text_files.reading import LineFile


class TextRow(NamedTuple):
    """What a file has for a segment. A line of text is taken for any of the three."""

    source: str
    output: str
    references: list[str]


def find_files(folder: Path, pattern: str) -> list[Path]:
    """Return the paths of the files that a pattern matches, sorted.

    Raises:
        FileError: if there is none.
    """
    owner, name, file = pattern.split("/", 2)
    found = [path for path in sorted((folder / name).glob(file)) if path.is_file()]
    if not found:
        raise FileError(f"{folder}: no {name}/{file} in it, expected a checkout of https://github.com/{owner}/{name}")
    return found


def read_rows(path: Path) -> list[TextRow]:
    """Return the segments of a file: lines of text, objects in JSON Lines as in BLESS, or a list in JSON as in APIO.

    Of several outputs of a segment the first is taken.

    Raises:
        FileError: if the file cannot be read or is not as expected.
    """
    with closing(LineFile(str(path))) as file:
        lines = list(file)
    try:
        if path.suffix == ".jsonl":
            return [_row_of_bless(json.loads(line)) for line in lines]
        if path.suffix == ".json":
            return [_row_of_apio(row) for row in json.loads("\n".join(lines))]
    except (ValueError, LookupError, TypeError) as error:
        raise FileError(f"{path}: not as expected: {str(error)[:80]}") from None
    return [TextRow(line, line, [line]) for line in lines]


def _row_of_bless(row: dict[str, Any]) -> TextRow:
    output = row["model_output"]
    return TextRow(row["source"], output if isinstance(output, str) else output[0], row["references"])


def _row_of_apio(row: dict[str, str]) -> TextRow:
    return TextRow(row["text"], "", [row[f"ref{number}"] for number in range(10)])


def read_test_set(folder: Path, sources: str, references: str) -> tuple[list[str], list[list[str]]]:
    """Return the sources of a file, and the references of each in the files of patterns separated by spaces.

    Raises:
        FileError: if a file is missing, cannot be read or has not as many segments as the sources.
    """
    texts = [row.source for row in read_rows(find_files(folder, sources)[0])]
    paths = [path for pattern in references.split() for path in find_files(folder, pattern)]
    columns = [[row.references for row in _read_as_long(path, texts)] for path in paths]
    return texts, [[text for own in row for text in own] for row in zip(*columns, strict=True)]


def read_runs(folder: Path, outputs: str, sources: Sequence[str]) -> dict[str, list[str]]:
    """Return the outputs of each file of a pattern, by path; errors are those of `read_test_set`."""
    runs = {}
    for path in find_files(folder, outputs):
        rows = _read_as_long(path, sources)
        runs[str(path)] = [row.output for row in rows]
        for number, (row, source) in enumerate(zip(rows, sources, strict=True), 1):
            if path.suffix == ".jsonl" and row.source.split() != source.split():
                raise FileError(f"{path}:{number}: got another source than the test set has")
    return runs


def _read_as_long(path: Path, sources: Sequence[str]) -> list[TextRow]:
    rows = read_rows(path)
    if len(rows) != len(sources):
        raise FileError(f"{path}: got {len(rows)} segments, expected {len(sources)}, as many as sources")
    return rows


def read_table(folder: Path, file: str, names: list[str]) -> pd.DataFrame:
    """Return columns of a table: comma-separated values with all cells as text, JSON, JSON Lines or Excel.

    Raises:
        FileError: if the file is missing.
        KeyError, ValueError: if it lacks one of the columns or cannot be read.
        ImportError: if the package that reads Excel files is missing.
    """
    (path,) = find_files(folder, file)
    return _TABLE_READERS[path.suffix](path)[names]


_TABLE_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": partial(pd.read_csv, dtype=str, keep_default_na=False, encoding="utf-8-sig"),
    ".json": partial(pd.read_json, dtype=False, precise_float=True),
    ".jsonl": partial(pd.read_json, dtype=False, precise_float=True, lines=True),
    ".xlsx": pd.read_excel,  # needs openpyxl
}
