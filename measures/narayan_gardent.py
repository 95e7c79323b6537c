"""Tables 3 to 5 of Narayan and Gardent 2014: how each column is measured, and what the paper says of its systems."""

from collections.abc import Callable
from typing import NamedTuple

from sari.measures import simplification

PAPER = "https://aclanthology.org/P14-1041"


class Column(NamedTuple):
    """A measure of the tables.

    Attributes:
        title: its name.
        digits: how many are printed after the point.
        measure: from sources, outputs and references to a number.
        published: the paper's figures, by the names of the systems' files in lower case.
    """

    title: str
    digits: int
    measure: Callable[[list[str], list[str], list[str]], float]
    published: dict[str, float]

    def cell(self, system: str, sources: list[str], outputs: list[str], references: list[str]) -> str:
        """Return what is measured, with the paper's figure of a system in brackets, a dash where it has none."""
        published = self.published.get(system.lower())
        beside = "–" if published is None else f"{published:.{self.digits}f}"
        return f"{self.measure(sources, outputs, references):.{self.digits}f} ({beside})"


COLUMNS = (
    Column(
        "split %",
        0,
        lambda sources, outputs, _: 100 * simplification.splits(sources, outputs).mean(),
        {"zhu": 80, "woodsend": 63, "hybrid": 10, "reference": 28},
    ),
    Column(
        "sentences",
        2,
        lambda _, outputs, __: simplification.sentence_counts(outputs).mean(),
        {"zhu": 1.80, "woodsend": 2.05, "hybrid": 1.10, "reference": 1.30},
    ),
    Column(
        "edits from source",
        2,
        lambda sources, outputs, _: simplification.edit_distances(sources, outputs).mean(),
        {"zhu": 7.87, "woodsend": 8.63, "hybrid": 6.32, "reference": 12.24},
    ),
    Column(
        "no edit",
        0,
        lambda sources, outputs, _: (simplification.edit_distances(sources, outputs) == 0).sum(),
        {"zhu": 2, "woodsend": 24, "hybrid": 4, "reference": 3},
    ),
    Column(
        "edits to reference",
        2,
        lambda _, outputs, references: simplification.edit_distances(outputs, references).mean(),
        {"zhu": 14.64, "woodsend": 16.03, "hybrid": 11.53, "reference": 0},
    ),
    Column(
        "BLEU",
        1,
        lambda _, outputs, references: simplification.bleu(outputs, references),
        {"zhu": 37.4, "woodsend": 42, "hybrid": 53.6, "reference": 100},
    ),
)
