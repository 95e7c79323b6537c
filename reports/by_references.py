"""Scores with 1, 2, … of the references: they show how much a score depends on the number of references."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from sari.aggregation import Scores, named_scores
from sari.comparison import score_systems
from sari.validation import SystemColumns
from sari.variants import SCORES, Variant


@dataclass(frozen=True)
class ReferenceCount:
    """The scores of a system with a number of references.

    Attributes:
        name: of the system.
        variant: under which it was scored.
        references: their number.
        subsets: the number of subsets of so many references that were scored.
        mean, deviation, lowest, highest: of each score over the subsets, in percent; `deviation` is the standard one.
    """

    name: str
    variant: str
    references: int
    subsets: int
    mean: Scores
    deviation: Scores
    lowest: Scores
    highest: Scores


def scores_by_references(
    columns: SystemColumns, variant: Variant, *, subsets: int = 10, seed: int = 12345
) -> list[ReferenceCount]:
    """Score systems with 1, 2, … of the references, which are the same for all systems.

    Args:
        columns: checked texts of at least one segment. If segments have different numbers of references, the first ones
            that all of them have are used.
        variant: to score by.
        subsets: the number of random subsets of each size, at least one; all subsets if there are no more.
        seed: of the random subsets.

    Returns:
        For each system a row for each number of references, from one to all.

    >>> from sari.variants import resolve_variant
    >>> columns = SystemColumns(["a b c"], {"s": ["a b"]}, [["a b", "a"]])
    >>> rows = scores_by_references(columns, resolve_variant("easse", max_order=1))
    >>> [(row.references, row.subsets, round(row.mean["sari"], 2), round(row.deviation["sari"], 2)) for row in rows]
    [(1, 2, 55.56, 11.11), (2, 1, 55.24, 0.0)]
    """
    width = min(map(len, columns.references))
    generator = np.random.Generator(np.random.PCG64(seed))
    found: list[ReferenceCount] = []
    for number in range(1, width + 1):
        places = _subsets(width, number, subsets, generator)
        scored = [_scores_of_subset(columns, variant, subset) for subset in places]
        for name in columns.predictions:
            table = np.array([[scores[name][score] for score in SCORES] for scores in scored])
            spread = (table.mean(axis=0), table.std(axis=0), table.min(axis=0), table.max(axis=0))
            found.append(ReferenceCount(name, variant.label, number, len(places), *map(named_scores, spread)))
    systems = list(columns.predictions)
    return sorted(found, key=lambda row: systems.index(row.name))


def _subsets(width: int, number: int, wanted: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """Return all subsets of a size, or as many different random ones as are wanted."""
    if comb(width, number) <= wanted:
        return list(combinations(range(width), number))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < wanted:
        drawn.add(tuple(sorted(generator.permutation(width)[:number].tolist())))
    return sorted(drawn)


def _scores_of_subset(columns: SystemColumns, variant: Variant, places: tuple[int, ...]) -> dict[str, Scores]:
    references = [[row[place] for place in places] for row in columns.references]
    systems = score_systems(columns._replace(references=references), variant)
    return {name: corpus.scores() for name, corpus in systems.items()}
