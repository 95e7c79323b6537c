"""Where a score stands among published systems: the scores of public outputs, and known test sets.

`docs/systems.csv` has the scores, which the package `research` computes. It has no texts: a test set is known by a
digest of its sources and references.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sari.reports.tables import Cell, Table, TableColumn
from sari.validation import shown
from sari.variants import VARIANTS, Variant

FILE = Path(__file__).resolve().parent.parent / "docs" / "systems.csv"

#: What a row is: a system, or a baseline: the copied sources, references of other segments, or the mean of each
#: reference scored with the others.
KINDS = ("system", "copy", "unrelated", "people")

# Scores that differ less are the same: the file has four decimals.
_SAME = 1e-4

_PLAIN = ("test_set", "texts", "kind", "name", "year", "publication")


class PublishedScore(NamedTuple):
    """A score under one variant.

    Attributes:
        value: the mean of the runs.
        low, high: the ends of its 95% interval; None for a baseline.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedSystem:
    """The scores of public outputs.

    Attributes:
        test_set: the name of the test set.
        texts: its digest: see `texts_digest`.
        kind: one of `KINDS`.
        name: of the system.
        year, publication: of the outputs; empty for a baseline.
        runs: the number of files of outputs.
        scores: by variant.
    """

    test_set: str
    texts: str
    kind: str
    name: str
    year: str = ""
    publication: str = ""
    runs: int = 1
    scores: dict[str, PublishedScore]


@dataclass(frozen=True)
class StandingRow:
    """A published system or baseline under one variant: see `PublishedSystem` and `PublishedScore`."""

    name: str
    kind: str
    year: str
    publication: str
    runs: int
    sari: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Standing:
    """What is published about a test set under a variant.

    Attributes:
        variant: its label.
        test_set: the name of the test set; empty if it is unknown.
        rows: systems and baselines, the highest score first.
        reason: why there are no rows; empty if there are.
    """

    variant: str
    test_set: str
    rows: list[StandingRow]
    reason: str = ""

    def in_words(self, score: float, *, names_variant: bool = False) -> str:
        """Return a sentence that says between which systems a score lies, and what people get."""
        if self.reason:
            return self.reason
        systems = [row for row in self.rows if row.kind == "system"]
        by = f" by {self.variant}" * names_variant
        same = [row.name for row in systems if abs(row.sari - score) < _SAME]
        if same:
            return f"On {self.test_set}, {score:.1f}{by} is the score of {' and '.join(same)}."
        above = [row for row in systems if row.sari >= score][-1:]
        below = [row for row in systems if row.sari < score][:1]
        named = " and ".join(f"{row.name} ({row.sari:.1f})" for row in below + above)
        where = "between" if above and below else "above every published system, the first of which is"
        if not below:
            where = "below every published system, the last of which is"
        people = "".join(f"; people get {row.sari:.1f}" for row in self.rows if row.kind == "people")
        return f"On {self.test_set}, {score:.1f}{by} lies {where} {named}{people}."

    def table(self, own: Mapping[str, float], digits: int = 2, *, names_variant: bool = False) -> Table:
        """Return the published rows and one's own systems, with their scores, by score, and a sentence for each."""
        rows = [
            (
                row.sari,
                [row.name, "" if row.kind == "system" else "baseline", row.year, _published_interval(row, digits)],
            )
            for row in self.rows
        ]
        rows += [(score, [name, "yours", "", ""]) for name, score in own.items()]
        rows.sort(key=lambda item: -item[0])
        columns = [
            TableColumn("System", is_text=True),
            TableColumn("", is_text=True),
            TableColumn("Year"),
            TableColumn("SARI"),
        ]
        body = [[*map(Cell, words), Cell(f"{score:.{digits}f}", interval=ends)] for score, (*words, ends) in rows]
        title = f"Published systems on {self.test_set}: {self.variant}"
        apart = [place for place, row in enumerate(body) if row[1].text == "yours"]
        notes = [self.in_words(score, names_variant=names_variant) for score in own.values()]
        return Table(title, columns, body, apart=apart, notes=notes)


def _published_interval(row: StandingRow, digits: int) -> str:
    return "" if row.low is None or row.high is None else f"[{row.low:.{digits}f}, {row.high:.{digits}f}]"


def name_test_set(sources: Sequence[str], references: Sequence[Sequence[str]]) -> str:
    """Return the name of a known test set, whatever its whitespace and the order of references; empty if unknown."""
    known = texts_digest(sources, references)
    return next((row.test_set for row in published_systems() if row.texts == known), "")


def find_standing(sources: Sequence[str], references: Sequence[Sequence[str]], variant: Variant) -> Standing:
    """Return what is published about a test set, which is known whatever its whitespace and the order of references.

    Args:
        sources, references: checked texts.
        variant: the options under which the user scores. Published scores have the options of a variant itself.
    """
    known, stored = texts_digest(sources, references), published_systems()
    systems = [row for row in stored if row.texts == known]
    test_set, name = systems[0].test_set if systems else "", variant.name
    scored = [(row, row.scores[name]) for row in systems if name in row.scores]
    if not systems:
        sets = ", ".join(dict.fromkeys(row.test_set for row in stored))
        reason = f"the texts are none of {sets}"
    elif not scored:
        reason = f"{test_set} has not been scored by {name}"
    elif changed := _changed_options(variant):
        reason = f"{test_set} was scored by {name} without {', '.join(changed)}"
    else:
        rows = [
            StandingRow(row.name, row.kind, row.year, row.publication, row.runs, score.value, score.low, score.high)
            for row, score in scored
        ]
        return Standing(variant.label, test_set, sorted(rows, key=lambda row: -row.sari))
    return Standing(variant.label, test_set, [], f"No published systems: {reason}.")


def _changed_options(variant: Variant) -> list[str]:
    """Return the options that differ from those of the variant itself, however sentences are split."""
    own = VARIANTS[variant.name].options
    return [
        f"{name}={shown(value)}"
        for name, value in variant.options.items()
        if value != own[name] and name != "sentence_splitter"
    ]


def texts_digest(sources: Iterable[str], references: Iterable[Sequence[str]]) -> str:
    """Return 16 hexadecimal digits for a test set: of the SHA-256 of its words, the references of a segment sorted.

    >>> texts_digest(["a b"], [["c", "d"]]) == texts_digest(["a  b "], [["d", "c"]])
    True
    """
    known = sha256()
    for source, row in zip(sources, references, strict=True):
        source, *row = (" ".join(text.split()) for text in (source, *row))
        known.update("".join(f"{text}\n" for text in (source, *sorted(row))).encode() + b"\0")
    return known.hexdigest()[:16]


@cache
def published_systems(path: Path = FILE) -> list[PublishedSystem]:
    """Return the rows of a file that research/systems.py wrote."""
    with open(path, encoding="utf-8", newline="") as file:
        return [_row_of(cells) for cells in csv.DictReader(file) if cells["texts"]]  # others are not scored yet


def _row_of(cells: dict[str, str]) -> PublishedSystem:
    def number(name: str) -> float | None:
        return float(cells[name]) if cells.get(name) else None

    scores = {
        variant: PublishedScore(float(cells[variant]), *(number(f"{variant} {end}") for end in ("low", "high")))
        for variant in cells
        if f"{variant} low" in cells and cells[variant]
    }
    return PublishedSystem(**{name: cells[name] for name in _PLAIN}, runs=int(cells["runs"]), scores=scores)
