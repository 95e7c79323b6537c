"""Token ids in, numbered n-grams out: the n-grams of every order, each known by a number.

N-grams are numbered by first appearance, and the texts stand in the order sources, references, predictions. So the
n-grams of the sources come first, then those that references hold but sources do not, within both segment by segment,
then those that only predictions hold.

Predictions that come later, or of which a segment has several, are looked up among the n-grams of sources and
references, which are numbered once; see `Known` and `look_up`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from .ranges import running_total
from .tokenization import FEW, Distinct, factorize

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

    @property
    def sources(self) -> slice:
        """Which of the texts are the sources."""
        return slice(0, len(self.nrefs))

    @property
    def references(self) -> slice:
        """Which of the texts are the references of all segments."""
        return slice(len(self.nrefs), len(self.nrefs) + int(np.add.reduce(self.nrefs)))

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return (len(self.lengths) - self.references.stop) // max(len(self.nrefs), 1)

    def predictions(self, system: int = 0) -> slice:
        """Return which of the texts are the predictions of a system."""
        first = self.references.stop + system * len(self.nrefs)
        return slice(first, first + len(self.nrefs))


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The n-grams of every order, each known by its number among the distinct ones of its order.

    Texts make groups: each source, the references of each segment, and each prediction is one.

    Attributes:
        tokens: as given to `numbered_ngrams`.
        bounds: int64[order, text + 1]: where the n-grams of each text begin in `numbers`, and the last ones end.
        seconds: more than any id.
        numbers: of each order: of the n-grams of all texts, one text after the other.
        known: int64[order, group + 1]: how many distinct n-grams stand before each group, and in all of them.
        pairs: of each order: for each distinct n-gram, its (n-1)-gram (or segment, of a unigram) times `seconds`, plus
            its last token.
    """

    tokens: Tokens
    bounds: np.ndarray
    seconds: int
    numbers: list[np.ndarray]
    known: np.ndarray
    pairs: list[Distinct]

    @property
    def orders(self) -> int:
        """How many orders there are."""
        return len(self.numbers)

    @cached_property
    def in_sources(self) -> list[int]:
        """How many distinct n-grams sources have, of each order."""
        return self.known[:, len(self.tokens.nrefs)].tolist()

    @property
    def in_sources_or_references(self) -> list[int]:
        """How many distinct n-grams sources and references have, of each order."""
        return self.known[:, 2 * len(self.tokens.nrefs)].tolist()

    @cached_property
    def first_seen(self) -> np.ndarray:
        """How many distinct n-grams no text before has: int64[order, column, segment].

        The columns are the sources, the references, and the predictions of each system.
        """
        return (self.known[:, 1:] - self.known[:, :-1]).reshape(self.orders, -1, len(self.tokens.nrefs))

    def of(self, texts: slice) -> list[np.ndarray]:
        """Return the n-grams of consecutive texts, by their numbers, of each order."""
        begins, ends = self.bounds[:, texts.start].tolist(), self.bounds[:, texts.stop].tolist()
        return [row[begin:end] for row, begin, end in zip(self.numbers, begins, ends, strict=True)]

    def occurrences(self, texts: slice, asked_for: Sequence[int]) -> np.ndarray:
        """Return how often the first so many n-grams of each order occur in consecutive texts, order behind order."""
        return np.concatenate(list(map(occurrences, self.of(texts), asked_for)))

    def sizes(self, texts: slice) -> np.ndarray:
        """Return how many n-grams each of consecutive texts has: int64[order, text]."""
        return self.bounds[:, texts.start + 1 : texts.stop + 1] - self.bounds[:, texts]

    def first_tokens(self, order: int) -> np.ndarray:
        """Return where, among all tokens, each n-gram of an order begins."""
        lengths = self.tokens.lengths
        return _first_tokens(lengths, order, np.arange(len(self.numbers[order - 1])), _texts(lengths, order))

    @property
    def sources(self) -> "Sources":
        """The tokens of the sources."""
        sources = self.tokens.sources
        return Sources(self.tokens.lengths[sources], self.numbers[0][: self.bounds[0, sources.stop]])

    def predicted(self, system: int = 0) -> "Predicted":
        """Return the n-grams of the predictions of a system."""
        texts = self.tokens.predictions(system)
        words = self.words(texts, np.arange(len(self.tokens.nrefs)))
        return Predicted(words, self.of(texts), self.in_sources, self.first_seen[:, 1:])

    def words(self, texts: slice, owners: np.ndarray) -> "Words":
        """Return the tokens of consecutive texts, taken for predictions of these segments."""
        begin, end = int(self.bounds[0, texts.start]), int(self.bounds[0, texts.stop])
        return Words(owners, self.tokens.lengths[texts], self.tokens.ids[begin:end], self.numbers[0][begin:end])


class Known(NamedTuple):
    """The n-grams that sources and references have, ready to look up those of predictions among them.

    Attributes:
        indexes: of each order: the pairs of `Ngrams`, in the order of the n-grams' numbers.
        seconds: what they are made with.
        of_sources, of_references: int64[order, segment + 1]: how many distinct n-grams stand before each source, and
            before the references of each segment, and behind the last.
    """

    indexes: list[pd.Index]
    seconds: int
    of_sources: np.ndarray
    of_references: np.ndarray


class Sources(NamedTuple):
    """The tokens of the sources: how many each has, and the number of each among the distinct unigrams."""

    lengths: np.ndarray
    unigrams: np.ndarray


class Words(NamedTuple):
    """The tokens of predictions.

    Attributes:
        owners: for each prediction, its segment.
        lengths: for each prediction, its tokens.
        ids, unigrams: for each token, its id, and its number among the distinct unigrams.
    """

    owners: np.ndarray
    lengths: np.ndarray
    ids: np.ndarray
    unigrams: np.ndarray

    def texts(self, order: int) -> np.ndarray:
        """Return the prediction of each n-gram of an order."""
        return _texts(self.lengths, order)


class Predicted(NamedTuple):
    """The n-grams of predictions.

    There is a slot for each distinct n-gram of each one's source. Behind them stand those of all others, in columns
    whose ranges, one for each prediction, follow each other: first the n-grams that only references hold, then those
    that neither holds, in one column or several.

    Attributes:
        words: their tokens.
        slots: of each order: of each n-gram of one prediction after the other.
        in_sources: of each order: how many slots are for n-grams of sources.
        others: int64[order, column, prediction]: how many are in each of the ranges behind them.
    """

    words: Words
    slots: list[np.ndarray]
    in_sources: list[int]
    others: np.ndarray


def numbered_ngrams(tokens: Tokens, max_order: int) -> Ngrams:
    """Return the n-grams of every order that any text has, at least of the first.

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> [numbers.tolist() for numbers in numbered_ngrams(tokens, 4).numbers]
    [[0, 1, 0, 2, 0, 2], [0, 1, 1]]
    """
    orders = orders_of(tokens.lengths, max_order)
    bounds = np.zeros((orders, len(tokens.lengths) + 1), np.int64)
    np.maximum(tokens.lengths - np.arange(orders)[:, None], 0).cumsum(axis=1, out=bounds[:, 1:])
    seconds = int(np.maximum.reduce(tokens.ids, initial=0)) + 2  # one more: all tokens of predictions that come later
    number = _number_one_by_one if len(tokens.ids) < FEW else _number_at_once
    return Ngrams(tokens, bounds, seconds, *number(tokens, bounds, seconds))


def orders_of(lengths: np.ndarray, max_order: int) -> int:
    """Return the longest n-grams that texts of these lengths have, at least 1."""
    return min(max_order, int(np.maximum.reduce(lengths, initial=0)) or 1)


def known_ngrams(ngrams: Ngrams) -> Known:
    """Return the n-grams of sources and references, without predictions, ready to look others up among them."""
    segments, indexes = len(ngrams.tokens.nrefs), []
    firsts = [segments, *map(len, ngrams.pairs)]
    for first, pairs in zip(firsts, ngrams.pairs, strict=False):
        kind = np.int32 if (first + 1) * ngrams.seconds < 1 << 31 else np.int64
        indexes.append(pd.Index(np.asarray(pairs, kind)))
    return Known(indexes, ngrams.seconds, ngrams.known[:, : segments + 1], ngrams.known[:, segments:])


def look_up(ids: np.ndarray, lengths: np.ndarray, owners: np.ndarray, known: Known, max_order: int) -> Predicted:
    """Return the n-grams of predictions, of every order that any text has.

    Args:
        ids, lengths: the tokens of the predictions, and how many each has. Known tokens have the ids that they have in
            sources and references, others have higher ones.
        owners: int64[prediction]: the segment of each.
        known: of sources and references.
        max_order: the longest n-grams.
    """
    orders = max(orders_of(lengths, max_order), len(known.indexes))
    known = _with_orders(known, orders)
    in_sources, of_references, shifts = _places(known, owners)
    of_neither = np.zeros_like(of_references)
    texts = before = _texts(lengths, 1)
    last, numbers, slots = ids, owners[texts], []
    for order, index in enumerate(known.indexes):
        numbers, unknown = _looked_up(numbers, last, index, known.seconds)
        if order == 0:
            unigrams = numbers
        own = numbers + shifts[order].ravel()[2 * texts + (numbers < known.of_sources[order, -1])]
        new = factorize(before[unknown] << 32 | last[unknown])[0]
        own[unknown] = in_sources[order] + int(of_references[order].sum()) + new
        of_neither[order] = np.bincount(texts[unknown[are_first(new)]], minlength=len(lengths))
        slots.append(own)
        if order + 1 < orders:
            goes_on = (texts[1:] == texts[:-1]).nonzero()[0]
            last, numbers, before, texts = last[goes_on + 1], numbers[goes_on], own[goes_on], texts[goes_on]
    others = np.stack([of_references, of_neither], axis=1)
    return Predicted(Words(owners, lengths, ids, unigrams), slots, in_sources.tolist(), others)


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


def in_source_in_order(words: Words, sources: Sources, order: int, asked: np.ndarray) -> np.ndarray:
    """Tell of n-grams of predictions whether their tokens stand in the source, in that order, perhaps with gaps.

    Looks each token up in the sorted list of all (unigram, place) pairs of the sources, behind the one before it. As in
    modified-sari.py (https://github.com/cocoxu/simplification, 3557046), empty tokens are passed over, and only sources
    long enough to have n-grams are looked at. (That script also splits tokens at whitespace other than spaces, which is
    not done here.)

    Args:
        words: of the predictions.
        sources: of the segments.
        order: of the n-grams.
        asked: int64: the places of those that are asked for, among all of the predictions.

    Returns:
        bool: one for each that is asked for.
    """
    listed = sources.unigrams << 32 | np.arange(len(sources.unigrams))
    listed = np.append(np.sort(listed), -1)
    texts = words.texts(order)[asked]
    begins, owners = _first_tokens(words.lengths, order, asked, texts), words.owners[texts]
    there, place, filled = np.ones(len(begins), bool), np.full(len(begins), -1), np.zeros(len(begins), bool)
    for step in range(order):
        word = words.ids[begins + step] != EMPTY
        unigram = words.unigrams[begins + step]
        match = listed[np.searchsorted(listed[:-1], unigram << 32 | place + 1)]
        there &= (match >> 32 == unigram) | ~word
        place = np.where(word, match & 0xFFFFFFFF, place)
        filled |= word
    return there & ((sources.lengths >= order)[owners] | ~filled)


def _texts(lengths: np.ndarray, order: int) -> np.ndarray:
    """Return, for texts of these lengths, the text of each n-gram of an order."""
    return np.arange(len(lengths)).repeat(np.maximum(lengths - (order - 1), 0))


def _first_tokens(lengths: np.ndarray, order: int, asked: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """Return, of texts of these lengths, where among all tokens n-grams of an order begin, which stand in `texts`."""
    fewer = running_total(np.minimum(lengths, order - 1))  # n-grams than tokens, in the texts before
    return asked + fewer[texts]


def _number_at_once(
    tokens: Tokens, bounds: np.ndarray, seconds: int
) -> tuple[list[np.ndarray], np.ndarray, list[Distinct]]:
    """Return the numbers, what is known, and the pairs of n-grams: see `Ngrams`."""
    ids, lengths, segments = tokens.ids, tokens.lengths, np.arange(len(tokens.nrefs))
    owners = np.concatenate([segments, segments.repeat(tokens.nrefs), *[segments] * tokens.systems])
    last = ids.astype(np.int32)  # the last token of each n-gram
    own, distinct = _numbered(owners.repeat(lengths), len(segments), last, seconds)
    numbers, pairs = [own], [distinct]
    for before in bounds[:-1]:
        goes_on = np.ones(len(own), bool)
        goes_on[before[1:][before[1:] > before[:-1]] - 1] = False  # behind the last n-gram of a text stands no token
        last = last[1:][goes_on[:-1]]
        own, distinct = _numbered(own[goes_on], len(distinct), last, seconds)
        numbers.append(own)
        pairs.append(distinct)
    return numbers, _known(numbers, bounds[:, _groups(tokens)]), pairs


def _number_one_by_one(
    tokens: Tokens, bounds: np.ndarray, seconds: int
) -> tuple[list[np.ndarray], np.ndarray, list[Distinct]]:
    """Return what `_number_at_once` does, faster if there are few tokens."""
    ids, segments = tokens.ids.tolist(), range(len(tokens.nrefs))
    groups = [*((segment, 1) for segment in segments), *enumerate(tokens.nrefs.tolist())]
    groups += [(segment, 1) for segment in segments] * tokens.systems
    places: list[dict[int, int]] = [{} for _ in bounds]
    numbers: list[list[int]] = [[] for _ in bounds]
    known, texts = [[0] * len(places)], pairwise(bounds[0].tolist())
    for segment, size in groups:
        for begin, end in islice(texts, size):
            own = [segment] * (end - begin)
            for order, (table, found) in enumerate(zip(places, numbers, strict=True)):
                pairs = zip(own, ids[begin + order : end], strict=False)
                own = [table.setdefault(first * seconds + last, len(table)) for first, last in pairs]
                found += own
        known.append(list(map(len, places)))
    return [np.array(row, np.int64) for row in numbers], np.array(known).T, list(map(list, places))


def _groups(tokens: Tokens) -> np.ndarray:
    """Return where, among the texts, the groups begin, and where the last one ends."""
    segments, texts = len(tokens.nrefs), len(tokens.lengths)
    of_references = segments + running_total(tokens.nrefs)
    return np.concatenate([np.arange(segments), of_references, np.arange(tokens.references.stop + 1, texts + 1)])


def _numbered(first: np.ndarray, firsts: int, second: np.ndarray, seconds: int) -> tuple[np.ndarray, Distinct]:
    """Give pairs numbers in the order of their first appearance; return these, and the distinct pairs.

    Args:
        first, second: the pairs; `first` is below `firsts`, `second` below `seconds`.
    """
    # Half the memory to look things up in, where there is room enough.
    kind = np.int32 if firsts * seconds < 1 << 31 else np.int64
    pairs = np.multiply(first, seconds, dtype=kind, casting="unsafe")
    pairs += second
    return factorize(pairs)


def _looked_up(first: np.ndarray, last: np.ndarray, index: pd.Index, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of pairs, and the places of those that are not known, whose number no n-gram has."""
    pairs = first.astype(index.dtype)
    pairs *= seconds
    pairs += np.minimum(last, seconds - 1).astype(index.dtype)  # no known pair has this one
    numbers = index.get_indexer(pairs)
    unknown = (numbers < 0).nonzero()[0]
    numbers[unknown] = len(index)
    return numbers, unknown


def _places(known: Known, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how the slots of predictions of these segments are laid out; see `Predicted`.

    Returns:
        int64[order]: how many slots are for n-grams of sources; int64[order, prediction]: how many for those that only
        references hold; and int64[order, prediction, 2]: what to add to numbers of such, and of those of sources.
    """
    of_sources, of_references = (
        bounds[:, owners + 1] - bounds[:, owners] for bounds in (known.of_sources, known.of_references)
    )
    in_sources = of_sources.sum(axis=1)
    first = of_sources.cumsum(axis=1) - of_sources - known.of_sources[:, owners]
    second = of_references.cumsum(axis=1) - of_references - known.of_references[:, owners] + in_sources[:, None]
    return in_sources, of_references, np.stack([second, first], axis=-1)


def _with_orders(known: Known, orders: int) -> Known:
    """Return what is known with so many orders: of more than sources and references have, nothing."""
    more = orders - len(known.indexes)
    if not more:
        return known
    nothing = np.zeros((more, known.of_sources.shape[1]), np.int64)
    bounds = (np.concatenate([bounds, nothing]) for bounds in (known.of_sources, known.of_references))
    return Known([*known.indexes, *[known.indexes[-1][:0]] * more], known.seconds, *bounds)


def _known(numbers: list[np.ndarray], bounds: np.ndarray) -> np.ndarray:
    """Count the distinct n-grams before each of the bounds, int64[order, bound]: they are numbered as they appear."""
    known = np.zeros(bounds.shape, np.int64)
    filled = bounds[:, 1:] > bounds[:, :-1]
    for own, begins, some, highest in zip(numbers, bounds[:, :-1], filled, known[:, 1:], strict=True):
        highest[some] = np.maximum.reduceat(own, begins[some]) + 1
    return np.maximum.accumulate(known, axis=1, out=known)
