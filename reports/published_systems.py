"""Where a score stands among published systems: the scores of public outputs, and known test sets.

`docs/systems.csv` has the scores, which the package `research` computes. It has no texts: a test set is known by a
digest of its sources and references.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sari.messages import short_repr
from sari.reports.tables import Table, make_table
from sari.variants import VARIANTS, Variant

if TYPE_CHECKING:
    from sari.reports.score_report import ScoreRow

FILE = Path(__file__).resolve().parent.parent / "docs" / "systems.csv"

#: What a row is: a system; one that failed, since more than a quarter of its outputs are no simplifications; or a
#: baseline: the copied sources, references of other segments, or the mean of each reference scored with the others.
KINDS = ("system", "failed", "copy", "unrelated", "people")
_KIND_TITLES = {"system": "", "failed": "failed"}


@dataclass(frozen=True, kw_only=True)
class PublishedScore:
    """The score of public outputs under one variant.

    Attributes:
        test_set: the name of the test set.
        variant: the name of the variant.
        name: of the system.
        kind: one of `KINDS`.
        year, publication: of the outputs; empty for a baseline.
        runs: the number of files of outputs.
        sari: the mean of the runs.
    """

    test_set: str
    variant: str
    name: str
    kind: str
    year: str = ""
    publication: str = ""
    runs: int = 1
    sari: float


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
    rows: list[PublishedScore]
    reason: str = ""

    def table(self, results: Iterable[ScoreRow], digits: int) -> Table:
        """Return the published rows and those of a report under the variant, the highest score first."""
        rows = [(row.sari, row.name, _KIND_TITLES.get(row.kind, "baseline"), row.year) for row in self.rows]
        rows += [(row.scores["sari"], row.name, "yours", "") for row in results if row.variant == self.variant]
        rows.sort(key=lambda row: row[0], reverse=True)
        cells = [[name, kind, year, f"{score:.{digits}f}"] for score, name, kind, year in rows]
        apart = [place for place, (_, _, kind, _) in enumerate(rows) if kind == "yours"]
        failed = "failed: more than a quarter of the outputs are no simplifications of their sources"
        notes = [failed] if any(row.kind == "failed" for row in self.rows) else []
        title = f"Published systems on {self.test_set}: {self.variant}"
        return make_table(title, ["System", "", "Year", "SARI"], cells, texts=2, apart=apart, notes=notes)


def find_standing(sources: Sequence[str], references: Sequence[Sequence[str]], variant: Variant) -> Standing:
    """Return what is published about a test set, which is known whatever its whitespace and the order of references.

    Args:
        sources, references: checked texts.
        variant: the options under which the user scores. Published scores have the options of a variant itself.
    """
    scores, name = published_scores().get(texts_digest(sources, references), []), variant.name
    test_set = scores[0].test_set if scores else ""
    # How sentences are split is no reason to leave them out.
    changes = [f"{key}={short_repr(value)}" for key, value in variant.changes.items() if key != "sentence_splitter"]
    rows = sorted((row for row in scores if row.variant == name), key=lambda row: row.sari, reverse=True)
    if not scores:
        reason = f"the texts are none of {', '.join(rows[0].test_set for rows in published_scores().values())}"
    elif not rows:
        reason = f"{test_set} has not been scored by {name}"
    elif changes:
        reason = f"{test_set} was scored by {name} without {', '.join(changes)}"
    else:
        return Standing(variant.label, test_set, rows)
    return Standing(variant.label, test_set, [], f"No published systems: {reason}.")


def texts_digest(sources: Iterable[str], references: Iterable[Sequence[str]]) -> str:
    """Return 16 hexadecimal digits for a test set: of the SHA-256 of its words, the references of a segment sorted.

    >>> texts_digest(["a b"], [["c", "d"]]) == texts_digest(["a  b "], [["d", "c"]])
    True
    """
    digest = sha256()
    for source, row in zip(sources, references, strict=True):
        source, *row = (" ".join(text.split()) for text in (source, *row))
        digest.update("".join(f"{text}\n" for text in (source, *sorted(row))).encode() + b"\0")
    return digest.hexdigest()[:16]


@cache
def published_scores() -> dict[str, list[PublishedScore]]:
    """Return the scores that `python research systems` wrote, by the digest of the texts of the test set."""
    scores: dict[str, list[PublishedScore]] = {}
    with open(FILE, encoding="utf-8", newline="") as file:
        for cells in csv.DictReader(file):
            plain: dict[str, Any] = {name: cells[name] for name in ("test_set", "name", "kind", "year", "publication")}
            for variant in VARIANTS:
                if cells.get(variant):  # others are not scored yet
                    row = PublishedScore(**plain, runs=int(cells["runs"]), variant=variant, sari=float(cells[variant]))
                    scores.setdefault(cells["texts"], []).append(row)
    return scores
