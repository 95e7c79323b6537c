"""What became of the n-grams of one segment: who holds them, and what each adds to the counts of SARI."""

from typing import NamedTuple

import numpy as np

from sari.ngram_statistics import COUNTINGS, NgramTable
from sari.variants import OPERATIONS, Variant


class Ngram(NamedTuple):
    """An n-gram and what is known of it.

    Attributes:
        tokens: the n-gram.
        source, output, references: how often the source, the output and all references hold it; for variants that
            count presence, 0 or 1 for source and output, and the number of references that hold it.
        scale: the factor that makes counts of source and output comparable with those of the references: `nrefs`, but
            for variants with another one.
        holders: the number of references that hold it.
        nrefs: the number of references, without those that the variant ignores because they are too short.
        counts: what it adds to the four counts of each operation.
        rule: see `ngram_statistics.Counting`.
    """

    tokens: tuple[str, ...]
    source: int
    output: int
    references: int
    scale: int
    holders: int
    nrefs: int
    counts: dict[str, tuple[float, float, float, float]]
    rule: str

    def credit(self, operation: str) -> float:
        """Return the share of precision that it earns, where the output did the operation."""
        numerator, denominator = self.counts[operation][:2]
        return numerator / denominator

    def agreeing(self, operation: str) -> int:
        """Return how many references did the same."""
        return self.nrefs - self.holders if operation == "delete" else self.holders


def ngrams_of_table(table: NgramTable, variant: Variant, nrefs: int) -> list[Ngram]:
    """Return the n-grams of one order: those of the source, then those of the output, then those of references."""
    counting = COUNTINGS[variant.counting]
    nrefs = table.long_references if counting.skips_short_references else nrefs
    scale, in_texts = table.weight, [table.in_source, table.in_prediction, table.in_references]
    if counting.as_sets:
        scale, in_texts = nrefs, [np.minimum(table.in_source, 1), np.minimum(table.in_prediction, 1), table.holders]
    rows = zip(table.ngrams, *(column.tolist() for column in (*in_texts, table.holders, table.counts)), strict=True)
    ngrams = []
    for tokens, source, output, references, holders, counts in rows:
        by_operation = dict(zip(OPERATIONS, map(tuple, counts), strict=True))
        ngrams.append(Ngram(tokens, source, output, references, scale, holders, nrefs, by_operation, counting.rule))
    return sorted(ngrams, key=lambda ngram: not (ngram.source or ngram.output))
