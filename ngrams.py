"""Token ids in, numbered n-grams out: the n-grams of every order, each known by a number.

N-grams are numbered by first appearance, and the texts stand in the order sources, references, predictions. So the
n-grams of the sources come first, then those that references hold but sources do not, within both segment by segment,
then those that only predictions hold.

Predictions that come later, or of which a segment has several, are looked up among the n-grams of sources and
references, which are numbered once; see `Known` and `look_up`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from .tokenization import factorize

#: The id of the empty token: what stands between two spaces, or in an empty text, where texts are split on spaces.
EMPTY = 0


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of some segments: of sources, of references, and of what any number of systems made of them.

    Attributes:
        ids: int64, from 1 to 2**31, or `EMPTY`: the tokens of all texts, one text after the other: all sources, the
            references of the first segment, of the second, and so on, all predictions of the first system, and so on.
        lengths: int64: the tokens of each text, in that order.
        nrefs: int64[segment]: references of each segment, at least 1 each.
    """

    ids: np.ndarray
    lengths: np.ndarray
    nrefs: np.ndarray

    @cached_property
    def sources(self) -> slice:
        """Which of the texts are the sources."""
        return slice(0, len(self.nrefs))

    @cached_property
    def references(self) -> slice:
        """Which of the texts are the references of all segments."""
        return slice(len(self.nrefs), len(self.nrefs) + int(self.nrefs.sum()))

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return (len(self.lengths) - self.references.stop) // max(len(self.nrefs), 1)

    def predictions(self, system: int = 0) -> slice:
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
        pairs: for each distinct n-gram, its (n-1)-gram (or segment, of a unigram) times `seconds`, plus its last token.
        seconds: what pairs are made with.
    """

    order: int
    tokens: Tokens
    numbers: np.ndarray
    bounds: np.ndarray
    known: np.ndarray
    unigrams: np.ndarray
    pairs: np.ndarray
    seconds: int

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
        return _first_tokens(self.tokens.lengths, texts, self.sizes(texts))

    @property
    def sources(self) -> "Sources":
        """The tokens of the sources."""
        lengths = self.tokens.lengths[self.tokens.sources]
        return Sources(lengths, self.unigrams[: int(lengths.sum())])

    def predicted(self, system: int = 0) -> "Predicted":
        """Return the n-grams of the predictions of a system."""
        return self._of_owners(self.tokens.predictions(system), np.arange(len(self.tokens.nrefs)))

    def candidates(self) -> "Predicted":
        """Return the n-grams of the references of the only segment, as if they were predictions of it."""
        return self._of_owners(self.tokens.references, np.zeros(int(self.tokens.nrefs[0]), np.int64))

    def _of_owners(self, texts: slice, owners: np.ndarray) -> "Predicted":
        lengths = self.tokens.lengths
        begin = int(lengths[: texts.start].sum())
        return Predicted(
            order=self.order,
            owners=owners,
            lengths=lengths[texts],
            ids=self.tokens.ids[begin:],
            unigrams=self.unigrams[begin:],
            texts=np.arange(len(owners)).repeat(self.sizes(texts)),
            slots=self.of(texts),
            in_sources=self.in_sources,
            in_sources_or_references=self.in_sources_or_references,
        )


class Known(NamedTuple):
    """The n-grams of one order that sources and references have, ready to look up those of predictions among them.

    Attributes:
        index: the pairs of `Ngrams`, in the order of the n-grams' numbers.
        firsts, seconds: the (n-1)-grams, or segments, and the tokens that pairs are made of are less than these.
        of_sources, of_references: for each segment, and after the last, how many distinct n-grams stand before its
            source, and before its references.
    """

    index: pd.Index
    firsts: int
    seconds: int
    of_sources: np.ndarray
    of_references: np.ndarray


class Sources(NamedTuple):
    """The tokens of the sources: how many each has, and the number of each among the distinct unigrams."""

    lengths: np.ndarray
    unigrams: np.ndarray


class Predicted(NamedTuple):
    """The n-grams of one order of predictions.

    Every prediction has a slot for each distinct n-gram of its source, then all of them have one for each that only
    its references hold, then one for each that neither holds.

    Attributes:
        order: of the n-grams.
        owners: for each prediction, its segment.
        lengths: for each prediction, its tokens.
        ids, unigrams: for each token of predictions, its id, and its number among the distinct unigrams.
        texts: for each n-gram, its prediction.
        slots: for each n-gram.
        in_sources: how many slots are for n-grams of sources.
        in_sources_or_references: how many are for those or for those of references.
    """

    order: int
    owners: np.ndarray
    lengths: np.ndarray
    ids: np.ndarray
    unigrams: np.ndarray
    texts: np.ndarray
    slots: np.ndarray
    in_sources: int
    in_sources_or_references: int


def numbered_ngrams(tokens: Tokens, max_order: int) -> Iterator[Ngrams]:
    """Yield the n-grams of every order that any text has, at least of the first.

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> [ngrams.numbers.tolist() for ngrams in numbered_ngrams(tokens, 4)]
    [[0, 1, 0, 2, 0, 2], [0, 1, 1]]
    """
    ids, lengths, nrefs = tokens.ids, tokens.lengths, tokens.nrefs
    segments = np.arange(len(nrefs))
    segment = np.concatenate([segments, segments.repeat(nrefs), *[segments] * tokens.systems])
    groups = np.concatenate([segments, len(nrefs) + running_total(nrefs)])
    seconds = int(ids.max(initial=0)) + 2  # one more than there are: of predictions that come later, all others
    last = ids.astype(np.int32)  # the last token of each n-gram
    numbers, pairs = _numbered(segment.repeat(lengths), len(nrefs), last, seconds)
    unigrams = numbers
    orders = orders_of(lengths, max_order)
    for order in range(1, orders + 1):
        sizes = np.maximum(lengths - (order - 1), 0)
        bounds = running_total(sizes)
        yield Ngrams(order, tokens, numbers, bounds, _known(numbers, bounds[groups]), unigrams, pairs, seconds)
        if order < orders:
            goes_on = _goes_on(sizes, bounds)
            last = last[1:][goes_on[:-1]]
            numbers, pairs = _numbered(numbers[goes_on], len(pairs), last, seconds)


def orders_of(lengths: np.ndarray, max_order: int) -> int:
    """Return the longest n-grams that texts of these lengths have, at least 1."""
    return min(max_order, int(lengths.max(initial=0)) or 1)


def known_ngrams(ngrams: Ngrams, firsts: int) -> Known:
    """Return the n-grams of sources and references, ready to look others up among them.

    Args:
        ngrams: of sources and references, without predictions.
        firsts: the distinct (n-1)-grams, or, of unigrams, the segments.
    """
    segments, known = len(ngrams.tokens.nrefs), ngrams.known
    kind = np.int32 if (firsts + 1) * ngrams.seconds < 1 << 31 else np.int64
    index = pd.Index(ngrams.pairs.astype(kind, copy=False))
    return Known(index, firsts, ngrams.seconds, known[: segments + 1], known[segments:])


def look_up(
    ids: np.ndarray, lengths: np.ndarray, owners: np.ndarray, known: Sequence[Known], max_order: int
) -> Iterator[Predicted]:
    """Yield the n-grams of predictions, of every order that any text has.

    Args:
        ids, lengths: the tokens of the predictions, and how many each has. Known tokens have the ids that they have in
            sources and references, others have higher ones.
        owners: int64[prediction]: the segment of each.
        known: of each order that any source or reference has.
        max_order: the longest n-grams.
    """
    orders = max(orders_of(lengths, max_order), len(known))
    texts = slots = np.arange(len(lengths)).repeat(lengths)
    last, numbers, unigrams = ids, owners[texts], ids
    for order in range(1, orders + 1):
        here = known[order - 1] if order <= len(known) else _nothing_known(known[-1])
        numbers, unknown = _looked_up(numbers, last, here)
        slots, in_sources, in_either = _slots(numbers, slots, last, unknown, texts, owners, here)
        unigrams = numbers if order == 1 else unigrams
        yield Predicted(order, owners, lengths, ids, unigrams, texts, slots, in_sources, in_either)
        if order < orders:
            goes_on = (texts[1:] == texts[:-1]).nonzero()[0]
            last, numbers, slots, texts = last[goes_on + 1], numbers[goes_on], slots[goes_on], texts[goes_on]


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


def in_source_in_order(predicted: Predicted, sources: Sources, asked: np.ndarray) -> np.ndarray:
    """Tell of n-grams of predictions whether their tokens stand in the source, in that order, perhaps with gaps.

    Looks each token up in the sorted list of all (unigram, place) pairs of the sources, behind the one before it. As in
    modified-sari.py (https://github.com/cocoxu/simplification, 3557046), empty tokens are passed over, and only sources
    long enough to have n-grams are looked at. (That script also splits tokens at whitespace other than spaces, which is
    not done here.)

    Args:
        predicted: of one order.
        sources: of the segments.
        asked: int64: the places of those of their n-grams that are asked for.

    Returns:
        bool: one for each that is asked for.
    """
    listed = sources.unigrams << 32 | np.arange(len(sources.unigrams))
    listed = np.append(np.sort(listed), -1)
    lengths, owner = predicted.lengths, predicted.owners[predicted.texts[asked]]
    sizes = np.maximum(lengths - (predicted.order - 1), 0)
    begins = _first_tokens(lengths, slice(0, len(lengths)), sizes)[asked]
    there, place, words = np.ones(len(begins), bool), np.full(len(begins), -1), np.zeros(len(begins), bool)
    for step in range(predicted.order):
        word = predicted.ids[begins + step] != EMPTY
        unigram = predicted.unigrams[begins + step]
        match = listed[np.searchsorted(listed[:-1], unigram << 32 | place + 1)]
        there &= (match >> 32 == unigram) | ~word
        place = np.where(word, match & 0xFFFFFFFF, place)
        words |= word
    return there & ((sources.lengths >= predicted.order)[owner] | ~words)


def running_total(sizes: np.ndarray) -> np.ndarray:
    """Return 0 and the sums of the first, of the first two, and so on.

    >>> running_total(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    totals = np.zeros(len(sizes) + 1, np.int64)
    sizes.cumsum(out=totals[1:])
    return totals


def _first_tokens(lengths: np.ndarray, texts: slice, sizes: np.ndarray) -> np.ndarray:
    own = lengths[texts]
    begins = own.cumsum() - own + lengths[: texts.start].sum()
    return np.arange(sizes.sum()) + (begins - (sizes.cumsum() - sizes)).repeat(sizes)


def _goes_on(sizes: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Tell of each n-gram whether a token of the same text stands behind it."""
    goes_on = np.ones(int(bounds[-1]), bool)
    goes_on[bounds[1:][sizes > 0] - 1] = False
    return goes_on


def _numbered(first: np.ndarray, firsts: int, second: np.ndarray, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Give pairs numbers in the order of their first appearance; return these, and the distinct pairs.

    Args:
        first, second: the pairs; `first` is below `firsts`, `second` below `seconds`.
    """
    # Half the memory to look things up in, where there is room enough.
    kind = np.int32 if firsts * seconds < 1 << 31 else np.int64
    pairs = np.multiply(first, seconds, dtype=kind, casting="unsafe")
    pairs += second
    return factorize(pairs)


def _looked_up(first: np.ndarray, last: np.ndarray, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of pairs, and the places of those that are not known, whose number no n-gram has."""
    kind = known.index.dtype
    pairs = first.astype(kind)
    pairs *= known.seconds
    pairs += np.minimum(last, known.seconds - 1).astype(kind)  # no known pair has this one
    numbers = known.index.get_indexer(pairs)
    unknown = (numbers < 0).nonzero()[0]
    numbers[unknown] = len(known.index)
    return numbers, unknown


def _slots(
    numbers: np.ndarray,
    before: np.ndarray,
    last: np.ndarray,
    unknown: np.ndarray,
    texts: np.ndarray,
    owners: np.ndarray,
    known: Known,
) -> tuple[np.ndarray, int, int]:
    """Return the slots of n-grams, how many are for those of sources, and how many for those or those of references.

    Args:
        numbers: of the n-grams.
        before: the slots of their (n-1)-grams, or, of unigrams, their predictions.
        last: their last tokens.
        unknown: the places of those that are not known.
        texts: for each n-gram, its prediction.
        owners: for each prediction, its segment.
        known: those of this order.
    """
    of_sources, sources = _shifts(known.of_sources, owners, 0)
    of_references, either = _shifts(known.of_references, owners, sources)
    shifts = np.stack([of_references, of_sources], axis=-1).ravel()
    slots = numbers + shifts[2 * texts + (numbers < known.of_sources[-1])]
    slots[unknown] = either + factorize(before[unknown] << 32 | last[unknown])[0]
    return slots, sources, either


def _shifts(bounds: np.ndarray, owners: np.ndarray, begin: int) -> tuple[np.ndarray, int]:
    """Return what to add to numbers to get slots that begin here, and where they end."""
    own = bounds[owners]
    ends = begin + (bounds[owners + 1] - own).cumsum()
    starts = np.concatenate([[begin], ends])
    return starts[:-1] - own, int(starts[-1])


def _nothing_known(known: Known) -> Known:
    nothing = np.zeros_like(known.of_sources)
    return Known(known.index[:0], 0, known.seconds, nothing, nothing)


def _known(numbers: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Count the distinct n-grams before each of the bounds: they are numbered as they appear."""
    known = np.zeros(len(bounds), np.int64)
    filled = bounds[1:] > bounds[:-1]
    known[1:][filled] = np.maximum.reduceat(numbers[: bounds[-1]], bounds[:-1][filled]) + 1
    return np.maximum.accumulate(known)
