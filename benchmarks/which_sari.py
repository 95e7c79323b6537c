"""Write docs/which_sari.md from docs/which_sari.csv and docs/which_sari.md.j2. `python benchmarks/which_sari.py`.

The CSV file is what `python . reproduce people FOLDER --format csv` writes. The template has the words of the page, and
takes all figures and tables from that file.
"""

import argparse
import csv
import sys
from pathlib import Path

from jinja2 import Environment, StrictUndefined

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from as_package import make_importable  # noqa: E402

make_importable()
from sari.human_ratings.variant_agreement import PEOPLE  # noqa: E402
from sari.published.outcomes import Outcome  # noqa: E402
from sari.reports.formats import FORMATS, Layout  # noqa: E402
from sari.reports.reproduction import tabulate_outcomes  # noqa: E402
from sari.reports.tables import TableReport  # noqa: E402

DOCS = ROOT / "docs"
FIGURES, TEMPLATE, PAGE = DOCS / "which_sari.csv", DOCS / "which_sari.md.j2", DOCS / "which_sari.md"


def read_figures(path: Path = FIGURES) -> list[Outcome]:
    """Return the figures of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        return [
            Outcome(
                **{name: row[name] for name in ("name", "published", "recipe", "heading", "column")},
                ours=float(row["ours"]),
                interval=(float(row["low"]), float(row["high"])) if row["low"] else None,
            )
            for row in csv.DictReader(file)
        ]


def by_place(outcomes: list[Outcome]) -> dict[tuple[str, str, str], Outcome]:
    """Return figures by heading, column and row; the heading is without its group, the column without its size."""
    return {(each.heading.split(": ")[0], each.column.split(" (")[0], each.name): each for each in outcomes}


def render() -> str:
    """Return the page."""
    outcomes = read_figures()
    places, tables = by_place(outcomes), {}
    for table in tabulate_outcomes(PEOPLE, outcomes).tables:
        table.notes.clear()
        text = FORMATS["markdown"].write(TableReport(tables=[table], records=[], fields={}), Layout())
        tables[table.title] = text.removeprefix(table.title).strip()

    def value(heading: str, column: str, name: str) -> str:
        return places[heading, column, name].shown

    def interval(heading: str, column: str, name: str) -> str:
        outcome = places[heading, column, name]
        return f"{outcome.shown} {outcome.shown_interval}"

    environment = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)  # Markdown
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(table=tables.__getitem__, value=value, interval=interval)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(render(), encoding="utf-8")
