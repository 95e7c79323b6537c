"""Compute from public repositories what the project publishes, and print it.

    python research fetch FOLDER              brings the repositories into a folder, with git
    python research NAME                      prints the tables from the stored rows
    python research NAME FOLDER [--store]     computes the rows again
    python research NAME --store              writes the pages from the stored rows

FOLDER has checkouts of the repositories in research/repositories.csv, each under its own name.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari import research  # noqa: E402
from sari.command_line.process import run_program  # noqa: E402
from sari.messages import RefusedError  # noqa: E402
from sari.research import definitions, paired_tests, published, ratings, systems, variant_tables  # noqa: E402
from sari.research.fetch import fetch_repositories  # noqa: E402

STUDIES = {
    "published": published,
    "systems": systems,
    "ratings": ratings,
    "variant_tables": variant_tables,
    "paired_tests": paired_tests,
    "definitions": definitions,
}


def main(arguments: list[str] | None = None) -> int:
    """Run a study and return the status of the program."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("research", description=f"{__doc__}\n{research.__doc__}", formatter_class=layout)
    parser.add_argument("name", choices=["fetch", *STUDIES], metavar="NAME", help="what to print")
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="with checkouts; it is computed again")
    parser.add_argument("--store", action="store_true", help="write the files and pages")
    options = parser.parse_args(arguments)
    fetches = options.name == "fetch"
    if fetches and (options.folder is None or options.store):
        parser.error("fetch: expected FOLDER alone")
    if options.folder is not None and not (fetches or options.folder.is_dir()):
        parser.error(f"FOLDER: got {options.folder}, expected a folder with checkouts")
    try:
        if fetches:
            fetch_repositories(options.folder)
            return 0
        STUDIES[options.name].STUDY.run(options.folder, store=options.store)
    except (RefusedError, ImportError, FileNotFoundError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(run_program(main, "research"))
