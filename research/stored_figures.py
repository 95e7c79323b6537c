"""Figures in `docs` that `python . reproduce NAME FOLDER --store` computed, and the pages made from them."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from scipy import stats

from sari.reports.formats import TABLE_FORMATS, Layout
from sari.reports.published_systems import FILE, PublishedSystem, published_systems, systems_csv
from sari.reports.tables import Table, TableReport, make_table
from sari.research.outcome_tables import tabulate_outcomes
from sari.research.outcomes import Begin, Outcome
from sari.research.popular_papers import PAPERS
from sari.research.public_systems import PUBLIC_OUTPUTS, TEST_SETS
from sari.research.system_table import RANKED, score_public_systems
from sari.research.variant_agreement import PEOPLE
from sari.variants import VARIANTS, read_signature

DOCS = FILE.parent
PEOPLE_CSV = DOCS / "which_sari.csv"
PAPERS_CSV = DOCS / "papers.csv"
README = DOCS.parent / "README.md"

#: The variants that the tables of systems show, the one that they are sorted by first.
SHOWN_VARIANTS = (RANKED, "set", "hf", "xu2016")
#: The variants in the picture, neighbours as similar as can be, and the test set that it shows.
DRAWN, DRAWN_SET = ("easse", "lasertagger", "set", "paper", "xu2016", "hf"), "ASSET"
#: Systems that the picture names, with a colour that most colour-blind people can distinguish (Okabe and Ito 2008).
NAMED = {
    "GPT-4o": "#0072b2",
    "gpt-3.5-turbo": "#56b4e9",
    "MUSS (WikiLarge + mined)": "#009e73",
    "ACCESS": "#cc79a7",
    "flan-ul2": "#d55e00",
    "t5-xl-lm-adapt": "#e69f00",
    "references, one by one": "#000000",
    "sources, copied": "#000000",
}

_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    autoescape=lambda name: bool(name) and ".svg" in str(name),
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


# ---- Which SARI agrees with people ----------------------------------------------------------------------------------


def people_csv(folder: Path, begin: Begin) -> str:
    """Return the correlations of every variant on every collection, as comma-separated values."""
    return TABLE_FORMATS["csv"].write(tabulate_outcomes(PEOPLE, PEOPLE.compute(folder, begin)), Layout()) + "\n"


def read_figures(path: Path = PEOPLE_CSV) -> list[Outcome]:
    """Return the figures of a file that `people_csv` wrote."""
    with open(path, encoding="utf-8", newline="") as file:
        return [
            Outcome(
                **{name: row[name] for name in ("name", "published", "recipe", "heading", "column")},
                ours=float(row["ours"]),
                interval=(float(row["low"]), float(row["high"])) if row["low"] else None,
            )
            for row in csv.DictReader(file)
        ]


def by_place(outcomes: Iterable[Outcome]) -> dict[tuple[str, str, str], Outcome]:
    """Return figures by heading, column and row; the heading is without its group, the column without its size."""
    return {(each.heading.split(": ")[0], each.column.split(" (")[0], each.name): each for each in outcomes}


def not_computed(stored: Iterable[str]) -> list[str]:
    """Return the variants that stored figures lack."""
    known = set(stored)
    return [name for name in VARIANTS if name not in known]


def people_pages() -> dict[str, str]:
    """Return the page about ratings by people."""
    outcomes = read_figures()
    places, tables = by_place(outcomes), {}
    for table in tabulate_outcomes(PEOPLE, outcomes).tables:
        table.notes.clear()
        tables[table.title] = _markdown(table)

    def value(heading: str, column: str, name: str) -> str:
        return places[heading, column, name].shown

    def interval(heading: str, column: str, name: str) -> str:
        outcome = places[heading, column, name]
        return f"{outcome.shown} {outcome.shown_interval}"

    page = _PAGES.get_template("which_sari.md.j2").render(
        table=tables.__getitem__,
        value=value,
        interval=interval,
        missing=not_computed(outcome.name for outcome in outcomes),
    )
    return {"which_sari.md": page}


def _markdown(table: Table) -> str:
    text = TABLE_FORMATS["markdown"].write(TableReport(tables=[table], records=[], fields={}), Layout())
    return text.removeprefix(table.title).strip()


# ---- Where systems stand --------------------------------------------------------------------------------------------


def system_pages() -> dict[str, str]:
    """Return the page about systems, and the picture of their ranks."""
    rows = published_systems()
    by_set = {
        test_set.name: [row for row in rows if row.test_set == test_set.name]
        for test_set in TEST_SETS
        if any(row.test_set == test_set.name for row in rows)
    }
    variants = list(dict.fromkeys(name for row in rows for name in row.scores))
    stored = {row.name for row in rows}
    page = _PAGES.get_template("systems.md.j2").render(
        test_sets=[test_set for test_set in TEST_SETS if test_set.name in by_set],
        rows=by_set,
        table=lambda name: _markdown(_system_table(by_set[name])),
        taus=lambda name: _markdown(_tau_table(by_set[name], variants)),
        tau=lambda name, *pair: f"{taus(by_set[name], pair)[pair]:.2f}",
        tau_in=lambda address, name, *pair: f"{taus(_of(by_set[name], address), pair)[pair]:.2f}",
        outputs=[(outputs, [name for name in outputs.systems if name in stored]) for outputs in PUBLIC_OUTPUTS],
        systems=lambda name: _systems(by_set[name]),
        people=lambda name, variant: _score_of(by_set[name], "people", variant),
        copies=lambda name, variant: _score_of(by_set[name], "copy", variant),
        missing=not_computed(variants),
    )
    return {"systems.md": page, "systems.svg": _drawn(by_set[DRAWN_SET])}


def _of(rows: Sequence[PublishedSystem], repository: str) -> list[PublishedSystem]:
    return [row for row in rows if row.repository.endswith(repository)]


def _systems(rows: Sequence[PublishedSystem]) -> list[PublishedSystem]:
    return [row for row in rows if row.kind == "system"]


def _score_of(rows: Sequence[PublishedSystem], kind: str, variant: str) -> str:
    return next(f"{row.scores[variant].value:.1f}" for row in rows if row.kind == kind)


def taus(rows: Sequence[PublishedSystem], variants: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return Kendall's tau of the scores of systems under each pair of variants."""
    scores = {name: [row.scores[name].value for row in _systems(rows)] for name in variants}
    return {
        (one, other): float(stats.kendalltau(scores[one], scores[other]).statistic)
        for one, other in combinations(variants, 2)
    }


def _tau_table(rows: Sequence[PublishedSystem], variants: Sequence[str]) -> Table:
    found = taus(rows, variants)
    cells = [[f"{found[one, other]:.2f}" if (one, other) in found else "" for other in variants] for one in variants]
    return make_table(
        "", ["", *variants[1:]], [[name, *own[1:]] for name, own in zip(variants[:-1], cells[:-1], strict=True)]
    )


def _system_table(rows: Sequence[PublishedSystem]) -> Table:
    """Return systems and baselines by score, with ranks, intervals, runs, and shares of empty and long outputs."""
    headings = ["System", "Year", "Runs", "Rank", RANKED, "95% CI", "runs from–to"]
    headings += [*SHOWN_VARIANTS[1:], "empty", "long"]
    table = []
    for row in sorted(rows, key=lambda row: -row.scores[RANKED].value):
        score, is_system = row.scores[RANKED], row.kind == "system"
        table.append(
            [
                row.name if is_system else f"baseline: {row.name}",
                row.year,
                str(row.runs) if is_system else "",
                "–".join(map(str, row.ranks)) if row.ranks else "",
                f"{score.value:.2f}",
                _ends(score.low, score.high),
                _ends(score.least, score.most),
                *(f"{row.scores[name].value:.2f}" for name in SHOWN_VARIANTS[1:]),
                f"{100 * row.empty:.0f}%" if is_system else "",
                f"{100 * row.long:.0f}%" if is_system else "",
            ]
        )
    return make_table("", headings, table)


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.1f}–{high:.1f}"


def _drawn(rows: Sequence[PublishedSystem]) -> str:
    """Return a picture of ranks: a column for each variant, and a line for each system and baseline."""
    variants = [name for name in DRAWN if name in rows[0].scores]
    shown = [row for row in rows if row.kind != "unrelated"]
    orders = {name: sorted(shown, key=lambda row: -row.scores[name].value) for name in variants}
    ranks = {row.name: [orders[name].index(row) for name in variants] for row in shown}
    labels: dict[str, float] = {}
    for name in sorted(NAMED.keys() & ranks.keys(), key=lambda name: ranks[name][-1]):  # none on top of another
        labels[name] = max(ranks[name][-1], *(place + 3 for place in labels.values()), 0)
    return _PAGES.get_template("systems.svg.j2").render(
        labels=labels,
        variants=variants,
        ranks=sorted(ranks.items(), key=lambda item: item[0] in NAMED),
        named=NAMED,
        baselines=[row.name for row in shown if row.kind != "system"],
        number=len(shown),
        test_set=DRAWN_SET,
        taus=[f"{taus(rows, variants)[pair]:.2f}" for pair in pairwise(variants)],
    )


def systems_text(folder: Path, begin: Begin) -> str:
    """Return the scores of public outputs as comma-separated values."""
    return systems_csv(score_public_systems(folder, begin))


# ---- Values from popular papers --------------------------------------------------------------------------------------


def papers_csv(folder: Path, begin: Begin) -> str:
    """Return the figures of popular papers and ours, as comma-separated values."""
    return TABLE_FORMATS["csv"].write(tabulate_outcomes(PAPERS, PAPERS.compute(folder, begin)), Layout()) + "\n"


def metric_card() -> dict[str, str]:
    """Return the README with the table of figures of popular papers."""
    outcomes = {outcome.name: outcome for outcome in read_figures(PAPERS_CSV)}
    rows = []
    for figure in PAPERS.figures:
        outcome = outcomes[figure.name]
        variant = read_signature(outcome.recipe)["variant"]
        rows.append((figure, PAPERS.tables[figure.table].paper, variant, outcome))
    table = _PAGES.get_template("papers.md.j2").render(rows=rows)
    before, heading, after = README.read_text(encoding="utf-8").partition("\n#### Values from popular papers\n")
    return {
        "../README.md": before + heading + re.sub(r"^(\|.*\n)+", lambda _: table, after, count=1, flags=re.MULTILINE)
    }


# ---- All ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredFigures:
    """Figures that are stored, and what is made from them.

    Attributes:
        file: of the figures.
        compute: from the folder of the repositories to the text of the file.
        pages: returns the pages made from the file, by name.
    """

    file: Path
    compute: Callable[[Path, Begin], str]
    pages: Callable[[], Mapping[str, str]]

    def store(self, folder: Path | None, begin: Begin) -> list[Path]:
        """Write the figures, if there is a folder to compute them from, and the pages; return the paths."""
        written = []
        if folder is not None:
            self.file.write_text(self.compute(folder, begin), encoding="utf-8")
            published_systems.cache_clear()
            written.append(self.file)
        for name, text in self.pages().items():
            path = (DOCS / name).resolve()
            path.write_text(text, encoding="utf-8")
            written.append(path)
        return written


STORED: dict[str, StoredFigures] = {
    "people": StoredFigures(PEOPLE_CSV, people_csv, people_pages),
    "systems": StoredFigures(FILE, systems_text, system_pages),
    "papers": StoredFigures(PAPERS_CSV, papers_csv, metric_card),
}
