"""Token ids in, numbered n-grams out: the n-grams of every order, each known by a number.

N-grams are numbered by first appearance, and the texts stand in the order sources, references, predictions. So the
n-grams of the sources come first, then those that references hold but sources do not, within both segment by segment,
then those that only predictions hold.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

#: The id of the empty token: what stands between two spaces, or in an empty text, where texts are split on spaces.
EMPTY = 0


class Tokens(NamedTuple):
    """The tokens of some segments and of what one system, or several, made of them.

    Attributes:
        ids: int64, from 1 to 2**31, or `EMPTY`: the tokens of all texts, one text after the other: all sources, the
            references of the first segment, of the second, and so on, all predictions of the first system, and so on.
        lengths: int64: the tokens of each text, in that order.
        nrefs: int64[segment]: references of each segment, at least 1 each.
        systems: how many there are.
    """

    ids: np.ndarray
    lengths: np.ndarray
    nrefs: np.ndarray
    systems: int = 1

    @property
    def sources(self) -> slice:
        """Which of the texts are the sources."""
        return slice(0, len(self.nrefs))

    @property
    def references(self) -> slice:
        """Which of the texts are the references of all segments."""
        return slice(len(self.nrefs), len(self.lengths) - self.systems * len(self.nrefs))

    def predictions(self, system: int) -> slice:
        """Return which of the texts are the predictions of a system."""
        first = self.references.stop + system * len(self.nrefs)
        return slice(first, first + len(self.nrefs))


class Ngrams(NamedTuple):
    """The n-grams of one order, each known by its number among the distinct n-grams of all segments.

    Attributes:
        order: of the n-grams.
        tokens: as given to `numbered_ngrams`.
        numbers: of the n-grams of all texts, one text after the other.
        bounds: for each text, and after the last, where its n-grams begin in `numbers`.
        known: how many distinct n-grams stand before each source, before the references of each segment, and before
            the predictions.
        unigrams: for each token, its number among the distinct unigrams.
    """

    order: int
    tokens: Tokens
    numbers: np.ndarray
    bounds: np.ndarray
    known: np.ndarray
    unigrams: np.ndarray

    @property
    def in_sources(self) -> int:
        """How many distinct n-grams sources have."""
        return int(self.known[len(self.tokens.nrefs)])

    @property
    def in_sources_or_references(self) -> int:
        """How many distinct n-grams sources and references have."""
        return int(self.known[-1])

    def of(self, texts: slice) -> np.ndarray:
        """Return the n-grams of consecutive texts, by their numbers."""
        return self.numbers[self.bounds[texts.start] : self.bounds[texts.stop]]

    def sizes(self, texts: slice) -> np.ndarray:
        """Return how many n-grams each of consecutive texts has."""
        return self.bounds[texts.start + 1 : texts.stop + 1] - self.bounds[texts]

    def first_tokens(self, texts: slice) -> np.ndarray:
        """Return where, among all tokens, each n-gram of consecutive texts begins."""
        lengths, sizes = self.tokens.lengths[texts], self.sizes(texts)
        begins = np.cumsum(lengths) - lengths + self.tokens.lengths[: texts.start].sum()
        return np.arange(sizes.sum()) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)


def numbered_ngrams(tokens: Tokens, max_order: int) -> Iterator[Ngrams]:
    """Yield the n-grams of every order that any text has, at least of the first.

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> [ngrams.numbers.tolist() for ngrams in numbered_ngrams(tokens, 4)]
    [[0, 1, 0, 2, 0, 2], [0, 1, 1]]
    """
    ids, lengths, nrefs, systems = tokens
    segments = np.arange(len(nrefs))
    segment = np.concatenate([segments, np.repeat(segments, nrefs), *[segments] * systems])
    vocabulary = int(ids.max(initial=0)) + 1
    last = ids.astype(np.int32)  # the last token of each n-gram
    numbers, distinct = _numbered(np.repeat(segment, lengths), len(nrefs), last, vocabulary)
    unigrams = numbers
    groups = np.concatenate([segments, len(nrefs) + running_total(nrefs)])
    orders = min(max_order, int(lengths.max(initial=0)) or 1)
    for order in range(1, orders + 1):
        sizes = np.maximum(lengths - (order - 1), 0)
        bounds = running_total(sizes)
        yield Ngrams(order, tokens, numbers, bounds, _known(numbers, bounds[groups]), unigrams)
        if order < orders:
            goes_on = np.ones(len(numbers), bool)
            goes_on[bounds[1:][sizes > 0] - 1] = False
            last = last[1:][goes_on[:-1]]
            numbers, distinct = _numbered(numbers[goes_on], distinct, last, vocabulary)


def occurrences(numbers: np.ndarray, distinct: int) -> np.ndarray:
    """Count how often each of the first `distinct` n-grams occurs: int64[distinct]."""
    return np.bincount(numbers, minlength=distinct)[:distinct]


def are_first(numbers: np.ndarray) -> np.ndarray:
    """Tell of each n-gram whether the same one stands nowhere before it: bool[n-gram].

    >>> are_first(np.array([3, 1, 3, 0]))
    array([ True,  True, False,  True])
    """
    places = np.arange(len(numbers))
    first = np.empty(int(numbers.max(initial=-1)) + 1, np.int64)
    first[numbers[::-1]] = places[::-1]  # of several places, the last one written stays
    return first[numbers] == places


def in_source_in_order(ngrams: Ngrams, texts: slice, asked: np.ndarray) -> np.ndarray:
    """Tell of n-grams of predictions whether their tokens stand in the source, in that order, perhaps with gaps.

    Looks each token up in the sorted list of all (unigram, place) pairs of the sources, behind the one before it. As in
    modified-sari.py (https://github.com/cocoxu/simplification, 3557046), empty tokens are passed over, and only sources
    long enough to have n-grams are looked at. (That script also splits tokens at whitespace other than spaces, which is
    not done here.)

    Args:
        ngrams: of one order.
        texts: the predictions of a system.
        asked: bool[n-gram]: of their n-grams, those that are asked for.

    Returns:
        bool: one for each that is asked for.
    """
    ids, lengths, _, _ = ngrams.tokens
    of_sources = lengths[ngrams.tokens.sources]
    listed = ngrams.unigrams[: of_sources.sum()] << 32 | np.arange(of_sources.sum())
    listed = np.append(np.sort(listed), -1)
    begins = ngrams.first_tokens(texts)[asked]
    there, place, words = np.ones(len(begins), bool), np.full(len(begins), -1), np.zeros(len(begins), bool)
    for step in range(ngrams.order):
        word = ids[begins + step] != EMPTY
        unigram = ngrams.unigrams[begins + step]
        match = listed[np.searchsorted(listed[:-1], unigram << 32 | place + 1)]
        there &= (match >> 32 == unigram) | ~word
        place = np.where(word, match & 0xFFFFFFFF, place)
        words |= word
    long_enough = np.repeat(of_sources >= ngrams.order, ngrams.sizes(texts))[asked]
    return there & (long_enough | ~words)


def running_total(sizes: np.ndarray) -> np.ndarray:
    """Return 0 and the sums of the first, of the first two, and so on.

    >>> running_total(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    totals = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=totals[1:])
    return totals


def _numbered(first: np.ndarray, firsts: int, second: np.ndarray, seconds: int) -> tuple[np.ndarray, int]:
    """Give pairs numbers in the order of their first appearance; return these, and how many pairs are distinct.

    Args:
        first, second: the pairs; `first` is below `firsts`, `second` below `seconds`.
    """
    # Half the memory to look things up in, where there is room enough.
    kind = np.int32 if firsts * seconds < 1 << 31 else np.int64
    pairs = np.multiply(first, seconds, dtype=kind, casting="unsafe")
    pairs += second
    numbers, uniques = pd.factorize(pairs)
    return numbers, len(uniques)


def _known(numbers: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Count the distinct n-grams before each of the bounds: they are numbered as they appear."""
    known = np.zeros(len(bounds), np.int64)
    filled = bounds[1:] > bounds[:-1]
    known[1:][filled] = np.maximum.reduceat(numbers[: bounds[-1]], bounds[:-1][filled]) + 1
    return np.maximum.accumulate(known)
