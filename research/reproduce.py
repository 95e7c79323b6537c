"""Published tables computed again: `sari reproduce`, and `sari reproduce NAME FOLDER`."""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from sari.command_line.arguments import Parser
from sari.command_line.process import refuse
from sari.command_line.progress_bar import step_bar
from sari.reports.formats import TABLE_FORMATS, Layout
from sari.text_files.errors import FileError

_PROGRAM = "sari reproduce"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 where all figures come out, 1 where some differ in the digits that were printed, 2 for bad use.
    """
    options = _parser().parse_args(arguments)
    from sari.research.catalogue import TABLES
    from sari.research.outcome_tables import catalogue_lines, tabulate_outcomes
    from sari.research.stored_figures import STORED

    if options.name is None:
        print("\n".join(catalogue_lines(TABLES.values())))
        return 0
    if options.name not in TABLES:
        return refuse(_PROGRAM, f"got {options.name!r}, expected a name that {_PROGRAM} lists")
    table, folder = TABLES[options.name], options.folder
    if options.store and options.name not in STORED:
        return refuse(_PROGRAM, f"--store: got {options.name}, expected one of {', '.join(STORED)}")
    if folder is None and not options.store:
        expected = ", ".join(repository.address for repository in table.repositories)
        return refuse(_PROGRAM, f"{options.name}: got no folder, expected one with a checkout of {expected}")
    if folder is not None and not Path(folder).is_dir():
        return refuse(_PROGRAM, f"{folder}: no such folder")
    try:
        with step_bar(options.name, table.steps) as begin:
            if options.store:
                paths = STORED[options.name].store(Path(folder) if folder else None, begin)
                print("\n".join(map(str, paths)))
                return 0
            outcomes = table.compute(Path(folder), begin)
    except (FileError, ValueError, TypeError, ImportError) as error:
        return refuse(_PROGRAM, str(error))
    layout = Layout(width=shutil.get_terminal_size((Layout.width, 24)).columns)
    print(TABLE_FORMATS[options.format].write(tabulate_outcomes(table, outcomes), layout))
    return int(any(outcome.differs for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=_PROGRAM,
        description="Compute published tables again; without arguments, list them. The status is 0 where all figures "
        "come out, 1 where some differ in the digits that were printed, 2 for bad use.",
        allow_abbrev=False,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="which table")
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        help="a checkout of the repository that the list names, or the folder that holds several by their own names",
    )
    parser.add_argument(
        "--format", choices=TABLE_FORMATS, default="text", help="how to print the figures (default: text)"
    )
    parser.add_argument(
        "--store",
        action="store_true",
        help="write the figures of people, systems or papers to docs, and the pages; without FOLDER, only the pages",
    )
    return parser
