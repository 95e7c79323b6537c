"""What is remembered of texts beside their counts: a small sample, and how many are empty.

The sample is of pairs of neighbouring segments, spread over all there are, so that its size does not grow with them.
"""

from itertools import chain
from typing import NamedTuple

#: One or two neighbouring segments: sources, predictions, references.
Pair = tuple[list[str], list[str], list[list[str]]]

_PAIRS = 16
_CHARACTERS = 2_000


class Observed(NamedTuple):
    """What is remembered of texts, beside their counts.

    Attributes:
        sample: a few pairs of segments.
        empty: how many predictions are empty.
    """

    sample: list[Pair]
    empty: int

    def with_those_of(self, other: "Observed") -> "Observed":
        """Return what is remembered of the texts of both."""
        return Observed(subsample(self.sample + other.sample), self.empty + other.empty)


def observe_texts(sources: list[str], predictions: list[str], references: list[list[str]]) -> Observed:
    """Return what is to be remembered of checked texts."""
    empty = sum(not text or text.isspace() for text in predictions)
    return Observed(sample(sources, predictions, references), empty)


def sample(sources: list[str], predictions: list[str], references: list[list[str]]) -> list[Pair]:
    """Take a few pairs of neighbouring segments, spread evenly, and of long texts the beginning.

    >>> sample(["a", "b", "c"], ["A", "B", "C"], [["1"], ["2"], ["3"]])
    [(['a', 'b'], ['A', 'B'], [['1'], ['2']]), (['c'], ['C'], [['3']])]
    """
    step = max(2, -(-len(sources) // _PAIRS))
    places = [slice(first, first + 2) for first in range(0, len(sources), step)]
    return [
        (_begun(sources[place]), _begun(predictions[place]), list(map(_begun, references[place]))) for place in places
    ]


def subsample(pairs: list[Pair]) -> list[Pair]:
    """Halve a sample that has grown out of bounds, so that it stays spread over all there was."""
    while len(pairs) > 2 * _PAIRS:
        pairs = pairs[::2]
    return pairs


def flattened(pairs: list[Pair]) -> Pair:
    """Return a sample as sources, predictions and references.

    >>> flattened(sample(["a", "b", "c"], ["A", "B", "C"], [["1"], ["2"], ["3"]]))
    (['a', 'b', 'c'], ['A', 'B', 'C'], [['1'], ['2'], ['3']])
    """
    sources, predictions, references = (list(chain.from_iterable(column)) for column in zip(*pairs, strict=True))
    return sources, predictions, references


def _begun(texts: list[str]) -> list[str]:
    return [text[:_CHARACTERS] for text in texts]
