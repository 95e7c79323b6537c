"""Files of public repositories, and tables of this project.

Files are named by patterns that begin with the owner and the name of the repository on GitHub, such as
"feralvam/easse/easse/resources/data/test_sets/asset/asset.test.simp.*": a folder of checkouts has it as "easse".
"""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from sari.messages import RefusedValueError, count_of, fault
from sari.text_files.reading import read_lines
from sari.validation import Columns

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

_EASSE = "feralvam/easse/easse/resources/data/test_sets"
_TOKENIZED = f"{_EASSE}/turkcorpus/legacy/test.8turkers.tok"
_MEDICAL = "ZurichNLP/BLESS/model_outputs_and_evals/ground_truth/med-easi-test.jsonl"

#: The repositories, and the commit of each from which the stored figures were computed.
REPOSITORIES = Path(__file__).with_name("repositories.csv")

#: The public test sets: patterns of sources and references. ASSET and TurkCorpus have the same sources.
TEST_SETS = {
    "ASSET": (f"{_EASSE}/asset/asset.test.orig", f"{_EASSE}/asset/asset.test.simp.*"),
    "TurkCorpus": (
        f"{_EASSE}/turkcorpus/test.truecase.detok.orig",
        f"{_EASSE}/turkcorpus/test.truecase.detok.simp.*",
    ),
    "TurkCorpus (tokenized)": (f"{_TOKENIZED}.norm", f"{_TOKENIZED}.turk.*"),
    "PWKP": (f"{_EASSE}/pwkp/pwkp.test.orig", f"{_EASSE}/pwkp/pwkp.test.simp"),
    "Med-EASi": (_MEDICAL, _MEDICAL),
}

_read_json = partial(pd.read_json, dtype=False, precise_float=True)

#: Readers of tables, by the ending of the file. All cells of comma-separated values are text.
_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": partial(pd.read_csv, dtype=str, keep_default_na=False, encoding="utf-8-sig"),
    ".json": _read_json,
    ".jsonl": partial(_read_json, lines=True),
    ".xlsx": pd.read_excel,  # needs openpyxl
}


def read_table(path: Path) -> pd.DataFrame:
    """Return a table of comma-separated values, JSON, JSON Lines or Excel."""
    return _READERS[path.suffix](path)


def find_files(folder: Path, pattern: str) -> list[Path]:
    """Return the paths of the files that a pattern matches, sorted.

    Raises:
        FileNotFoundError: if there is none.
    """
    owner, name, file = pattern.split("/", 2)
    _check_commit(folder / name, f"{owner}/{name}")
    paths = [path for path in sorted((folder / name).glob(file)) if path.is_file()]
    if not paths:
        raise FileNotFoundError(f"{folder}: no {name}/{file}, expected a checkout of https://github.com/{owner}/{name}")
    return paths


@cache
def _check_commit(checkout: Path, repository: str) -> None:
    """Say on standard error if a checkout has another commit than the one that stored figures were computed from."""
    git = ["git", "--git-dir", str(checkout / ".git"), "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    expected = read_table(REPOSITORIES).set_index("repository")["commit"].get(repository, "")
    if commit and not (expected and commit.startswith(expected)):
        print(f"{checkout}: commit {commit[:7]}, the stored figures are from {expected or 'none'}", file=sys.stderr)


def read_columns(path: Path) -> Columns:
    """Return texts from a file: lines, which are taken for any column, JSON Lines as in BLESS, or JSON as in APIO.

    Of several outputs of a segment the first is taken.
    """
    if path.suffix == ".jsonl":
        rows = read_table(path)
        first = [output if isinstance(output, str) else output[0] for output in rows["model_output"]]
        return Columns(rows["source"].tolist(), first, rows["references"].tolist())
    if path.suffix == ".json":
        rows = read_table(path)
        return Columns(rows["text"].tolist(), [], rows.filter(regex=r"^ref\d$").to_numpy().tolist())
    lines = list(read_lines(str(path)))
    return Columns(lines, lines, [[line] for line in lines])


def read_test_set(folder: Path, sources: str, references: str) -> tuple[list[str], list[list[str]]]:
    """Return the sources of a file, and the references of each in the files of patterns separated by spaces."""
    texts = read_columns(find_files(folder, sources)[0]).sources
    columns = [
        column
        for pattern in references.split()
        for column in read_runs(folder, pattern, texts, column="references").values()
    ]
    return texts, [[text for cell in row for text in cell] for row in zip(*columns, strict=True)]


def read_runs(
    folder: Path, pattern: str, sources: Sequence[str], *, column: str = "predictions"
) -> dict[str, list[Any]]:
    """Return a column of each file of a pattern, by path: the outputs, or the references of each segment.

    Raises:
        ValueError: if a file has not as many segments as there are sources.
    """
    runs = {str(path): getattr(read_columns(path), column) for path in find_files(folder, pattern)}
    for path, texts in runs.items():
        if len(texts) != len(sources):
            raise RefusedValueError(
                fault(path, count_of(len(texts), "segment"), f"{len(sources):,}, as many as sources")
            )
    return runs


def formatted(pattern: str, *columns: pd.Series) -> list[str]:
    """Return a text for each row of columns of numbers, which may be stored as text; empty where one is missing.

    >>> formatted("{:.1f}–{:.1f}", pd.Series(["1.25", ""]), pd.Series(["2", "3"]))
    ['1.2–2.0', '']
    """
    return [pattern.format(*map(float, row)) if all(row) else "" for row in zip(*columns, strict=True)]


def aligned(table: pd.DataFrame) -> str:
    """Return a table of texts as Markdown, with columns of numbers at the right.

    >>> print(aligned(pd.DataFrame({"system": ["ours"], "sari": ["40.1"]})))
    | system   |   sari |
    |:---------|-------:|
    | ours     |   40.1 |
    """
    numbers = [table[name].str.match(r"[−-]?\.?\d|$").all() for name in table]
    sides = ["right" if is_number else "left" for is_number in numbers]
    return str(table.to_markdown(index=False, disable_numparse=True, colalign=sides))


def with_tables(page: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return a page with new tables between `<!-- table: NAME -->` and `<!-- end -->`."""

    def new_table(match: re.Match[str]) -> str:
        return f"{match[1]}{aligned(tables[match[2]])}\n{match[3]}"

    return re.sub(r"(<!-- table: (.*) -->\n)(?s:.*?)(<!-- end -->)", new_table, page)


@dataclass(frozen=True)
class Study:
    """What is computed from checkouts and stored.

    Attributes:
        file: that has the rows.
        tables: from rows to tables by name.
        compute: from a folder of checkouts to rows.
        pages: with the tables.
        is_of_another: whether the file belongs to another study, which alone writes it.
        draw: writes a picture of the rows; None for no picture.
    """

    file: Path
    tables: Callable[[pd.DataFrame], Mapping[str, pd.DataFrame]]
    compute: Callable[[Path], pd.DataFrame]
    pages: Sequence[Path] = ()
    is_of_another: bool = False
    draw: Callable[[pd.DataFrame], None] | None = None

    def run(self, folder: Path | None, *, store: bool) -> None:
        """Compute the rows, or read the stored ones without a folder, and print or store what is made from them.

        Raises:
            OSError, ValueError: if checkouts lack a file, or files do not go together.
        """
        rows = read_table(self.file) if folder is None else self.compute(folder).fillna("")
        named = self.tables(rows)
        for name, table in named.items():
            print(f"\n{name}\n\n{aligned(table)}")
        if store:
            if not self.is_of_another:
                rows.to_csv(self.file, index=False, lineterminator="\n")
            for page in self.pages:
                page.write_text(with_tables(page.read_text(encoding="utf-8"), named), encoding="utf-8")
            if self.draw is not None:
                self.draw(rows)
