"""Scores with 1, 2, … of the references: they show how much a score depends on the number of references."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from sari.aggregation import Scores, named_scores
from sari.corpus_statistics import score_systems
from sari.significance import SEED
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
    columns: SystemColumns, variant: Variant, *, subsets: int = 10, seed: int = SEED
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
    counts: dict[str, list[ReferenceCount]] = {name: [] for name in columns.predictions}
    for number in range(1, width + 1):
        scored = []
        for subset in _subsets(width, number, subsets, generator):
            references = [[row[place] for place in subset] for row in columns.references]
            scored.append(score_systems(columns._replace(references=references), variant))
        for name, rows in counts.items():
            scores = [systems[name].scores() for systems in scored]
            table = np.array([[row[score] for score in SCORES] for row in scores])
            spread = (table.mean(axis=0), table.std(axis=0), table.min(axis=0), table.max(axis=0))
            rows.append(ReferenceCount(name, variant.label, number, len(scored), *map(named_scores, spread)))
    return [row for rows in counts.values() for row in rows]


def _subsets(width: int, number: int, wanted: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """Return all subsets of a size, or as many different random ones as are wanted."""
    if comb(width, number) <= wanted:
        return list(combinations(range(width), number))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < wanted:
        drawn.add(tuple(sorted(generator.permutation(width)[:number].tolist())))
    return sorted(drawn)
