"""Find the n-grams that one system gains and loses against another, over a whole corpus."""

from collections import defaultdict
from collections.abc import Mapping
from heapq import nsmallest
from typing import NamedTuple

import numpy as np

from sari.ngram_statistics import ngram_shares
from sari.reports.tables import Table, make_table
from sari.tokenization import encode_corpus
from sari.validation import SystemColumns
from sari.variants import OPERATIONS, Variant

# The n-grams of each list, and the least difference.
_MOST, _TINY = 10, 1e-9
# English words without a meaning of their own.
_WORDS = """
    a an the and or but nor so yet if as than that which who whom whose this these those it its he him his she her
    they them their we us our you your i me my of in on at to by for from with without into onto over under about
    after before between during through is are was were be been being am do does did has have had will would shall
    should can could may might must not no there here also then when where while 's 't
"""
_FUNCTION_WORDS = frozenset(_WORDS.split())


class NgramDifference(NamedTuple):
    """An n-gram and an operation, with the credits that a system and the baseline earn by it."""

    text: str
    operation: str
    system: float
    baseline: float

    @property
    def gain(self) -> float:
        """The credit that the system earns in addition."""
        return self.system - self.baseline


def ngram_differences(columns: SystemColumns, variant: Variant, baseline: str) -> dict[str, list[NgramDifference]]:
    """Find the n-grams by which systems earn most more, and most less, than a baseline.

    The credit of an n-gram in a segment is the share of precision that it earns there, from 0 to 1.

    Args:
        columns: checked texts.
        variant: how they are scored.
        baseline: the name of a system.

    Returns:
        For each system but the baseline its largest gains and its largest losses.
    """
    credits: dict[str, defaultdict[tuple[str, str], np.ndarray]] = {
        name: defaultdict(lambda: np.zeros(2)) for name in columns.predictions if name != baseline
    }
    systems = list(columns.predictions)
    for tokens in encode_corpus(columns, variant):
        for shares, strings in ngram_shares(tokens, variant):
            earned = dict(zip(systems, shares, strict=True))
            for name, sums in credits.items():
                both = np.stack([earned[name], earned[baseline]], axis=-1)
                for ngram, operation in np.argwhere(np.abs(both[..., 0] - both[..., 1]) > _TINY).tolist():
                    words = strings(ngram)
                    if any(map(_is_content, words)):
                        sums[" ".join(words), OPERATIONS[operation]] += both[ngram, operation]
    return {name: _largest(sums) for name, sums in credits.items()}


def tabulate_ngrams(differences: Mapping[str, list[NgramDifference]], baseline: str) -> list[Table]:
    """Return a table for each system, with what it gains first; none for systems without differences."""
    return [
        make_table(
            f"{name} against {baseline}",
            ["N-gram", "Operation", "Difference", name, baseline],
            [[row.text, row.operation, f"{row.gain:+.2f}", f"{row.system:.2f}", f"{row.baseline:.2f}"] for row in rows],
            texts=2,
        )
        for name, rows in differences.items()
        if rows
    ]


def _largest(credits: Mapping[tuple[str, str], np.ndarray]) -> list[NgramDifference]:
    """Return the largest gains, then the largest losses; of equal ones, those of short n-grams come first."""
    rows = [NgramDifference(*key, *values.tolist()) for key, values in credits.items()]
    largest = []
    for sign in (1, -1):
        better = [row for row in rows if sign * row.gain > _TINY]
        largest += nsmallest(_MOST, better, key=lambda row: (-abs(row.gain), row.text.count(" "), row))
    return largest


def _is_content(token: str) -> bool:
    """Return whether a token is a word with a meaning of its own.

    >>> [_is_content(token) for token in ("The", "cat", ",", "2")]
    [False, True, False, True]
    """
    return any(map(str.isalnum, token)) and token.lower() not in _FUNCTION_WORDS
