"""What the scripts share: rows in files, tables in pages of `docs`, and options."""

import argparse
import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from sari.text_files.errors import FileError

DOCS = Path(__file__).resolve().parent.parent / "docs"

#: A row of a file, by column.
Row = dict[str, str]


def read_csv(path: Path) -> list[Row]:
    """Return the rows of a file of comma-separated values."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows that have the same columns."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def as_markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is words and whose others are numbers.

    >>> print(as_markdown(["system", "sari"], [["ours", "40.1"]]))
    | system   |   sari |
    |:---------|-------:|
    | ours     |   40.1 |
    """
    sides = ["left", *["right"] * (len(headings) - 1)]
    return tabulate(rows, headings, tablefmt="pipe", colalign=sides, disable_numparse=True)


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    r"""Return a page with new tables between `<!-- table: NAME -->` and `<!-- end -->`.

    >>> with_tables("<!-- table: a -->\nold\n<!-- end -->\n", {"a": "new"})
    '<!-- table: a -->\nnew\n<!-- end -->\n'
    """
    for name, table in tables.items():
        before, start, after = page.partition(f"<!-- table: {name} -->\n")
        _, end, rest = after.partition("<!-- end -->")
        page = f"{before}{start}{table}\n{end}{rest}"
    return page


def run(
    description: str | None,
    *,
    file: Path,
    page: str,
    compute: Callable[[Path], list[Row]],
    tables: Callable[[list[Row]], dict[str, str]],
) -> list[Row]:
    """Run a script: print the tables of a page, computed or stored, or write them, and the computed rows.

    Args:
        description: of the script.
        file: that has the rows.
        page: of `docs` that has the tables.
        compute: from a folder of checkouts to rows.
        tables: from rows to tables by name, as Markdown.

    Returns:
        The rows if tables were written.

    Raises:
        SystemExit: with the status 2 for bad use, and for files that are missing or not as expected.
    """
    parser = argparse.ArgumentParser(description=str(description).splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="with checkouts of the repositories")
    parser.add_argument("--store", action="store_true", help=f"write {file.name}, if computed, and docs/{page}")
    options = parser.parse_args()
    try:
        rows = compute(options.folder) if options.folder else read_csv(file)
    except (FileError, ImportError) as error:
        parser.error(str(error))
    if not options.store:
        print("\n\n".join(tables(rows).values()))
        return []
    if options.folder:
        write_csv(file, rows)
    path = DOCS / page
    path.write_text(with_tables(path.read_text(encoding="utf-8"), tables(rows)), encoding="utf-8")
    return rows
