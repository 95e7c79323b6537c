"""Token ids in, numbered n-grams out: the n-grams of every order, each known by a number.

Texts stand in columns: the sources, the references, and the predictions of each system. The n-grams of all orders are
numbered together as they first appear: column by column, in a column order by order, and in an order segment by
segment. So those of the sources come first, then those that references hold but sources do not, then those that only
predictions hold; and within each, those of one order of one segment stand together.
"""

from itertools import islice, pairwise, repeat
from typing import NamedTuple

import numpy as np

from .ranges import running_total
from .tokenization import FEW, Distinct, factorize

#: The id of the empty token: what stands between two spaces, or in an empty text, where texts are split on spaces.
EMPTY = 0

#: The columns of texts; of the last, the first of those that hold predictions.
SOURCES, REFERENCES, PREDICTIONS = range(3)


class Tokens(NamedTuple):
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


class Ngrams(NamedTuple):
    """The n-grams of every order, each known by its number among all distinct ones.

    Attributes:
        tokens: as given to `numbered_ngrams`.
        numbers: int64: the n-grams of all texts: column by column, in a column order by order, and in an order text by
            text.
        bounds: where in `numbers` each order of each column begins, and the last one ends.
        first_seen: int64[column, order, segment]: how many distinct n-grams appear there for the first time.
        in_sources: how many the sources have.
    """

    tokens: Tokens
    numbers: np.ndarray
    bounds: list[int]
    first_seen: np.ndarray
    in_sources: int

    @property
    def orders(self) -> int:
        """How many orders there are."""
        return self.first_seen.shape[1]

    @property
    def distinct(self) -> int:
        """How many distinct n-grams there are."""
        return int(np.add.reduce(self.first_seen.ravel()))

    def of(self, column: int) -> np.ndarray:
        """Return the n-grams of a column, of all orders, by their numbers."""
        return self.numbers[self.bounds[column * self.orders] : self.bounds[(column + 1) * self.orders]]

    def of_order(self, order: int, column: int) -> np.ndarray:
        """Return the n-grams of an order, of a column, by their numbers."""
        place = column * self.orders + order - 1
        return self.numbers[self.bounds[place] : self.bounds[place + 1]]

    def occurrences(self, column: int, asked_for: int) -> np.ndarray:
        """Return how often the first so many n-grams occur in a column: int64[asked_for]."""
        return occurrences(self.of(column), asked_for)

    def sizes(self, texts: slice) -> np.ndarray:
        """Return how many n-grams each of consecutive texts has: int64[order, text]."""
        return _sizes(self.tokens.lengths[texts], self.orders)

    def first_tokens(self, order: int) -> np.ndarray:
        """Return where, among all tokens, each n-gram of an order begins."""
        texts = texts_of_ngrams(self.tokens.lengths, order)
        return _first_tokens(self.tokens.lengths, order, np.arange(len(texts)), texts)

    @property
    def sources(self) -> "Sources":
        """The tokens of the sources."""
        return Sources(self.tokens.lengths[self.tokens.sources], self.of_order(1, SOURCES))

    def predicted(self, system: int = 0) -> "Predicted":
        """Return the n-grams of the predictions of a system."""
        return Predicted(self.of(PREDICTIONS + system), self.in_sources, self.first_seen[REFERENCES:])

    def words_of_system(self, system: int = 0) -> "Words":
        """Return the tokens of the predictions of a system."""
        return self._words(PREDICTIONS + system, self.tokens.predictions(system), np.arange(len(self.tokens.nrefs)))

    def words_of_candidates(self) -> "Words":
        """Return the tokens of the references of the only segment, taken for predictions."""
        texts = self.tokens.references
        return self._words(REFERENCES, texts, np.zeros(texts.stop - texts.start, np.int64))

    def _words(self, column: int, texts: slice, owners: np.ndarray) -> "Words":
        unigrams = self.of_order(1, column)
        begin = int(self.tokens.lengths[: texts.start].sum())
        return Words(owners, self.tokens.lengths[texts], self.tokens.ids[begin : begin + len(unigrams)], unigrams)


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
        return texts_of_ngrams(self.lengths, order)


class Predicted(NamedTuple):
    """The n-grams of predictions.

    There is a slot for each distinct n-gram of each one's source, order by order. Behind them stand those of all
    others, in columns whose ranges, one for each order of each prediction, follow each other: first the n-grams that
    only references hold, then those that neither holds, in one column or several.

    Attributes:
        slots: of each n-gram, order by order and in an order one prediction after the other.
        in_sources: how many slots are for n-grams of sources.
        others: int64[column, order, prediction]: how many are in each of the ranges behind them.
    """

    slots: np.ndarray
    in_sources: int
    others: np.ndarray


class Apart(NamedTuple):
    """The n-grams of every order, each order numbered apart: in the order of their first appearance.

    Attributes:
        numbers: of each order: of the n-grams of all texts, one text after the other.
        pairs: of each order: for each distinct n-gram, its (n-1)-gram (or segment, of a unigram) times `seconds`, plus
            its last token.
        seconds: more than any id.
        bounds: int64[order, text + 1]: where the n-grams of each text begin in `numbers`, and the last ones end.
        known: int64[order, group + 1]: how many distinct n-grams stand before each source, before the references of
            each segment, and before each prediction, and in all of them.
    """

    numbers: list[np.ndarray]
    pairs: list[Distinct]
    seconds: int
    bounds: np.ndarray
    known: np.ndarray


def numbered_ngrams(tokens: Tokens, max_order: int) -> Ngrams:
    """Return the n-grams of every order that any text has, at least of the first.

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> ngrams = numbered_ngrams(tokens, 4)
    >>> ngrams.numbers.tolist(), ngrams.bounds, ngrams.first_seen[:, :, 0].tolist()
    ([0, 1, 2, 0, 3, 4, 0, 3, 4], [0, 2, 3, 5, 6, 8, 9], [[2, 1], [1, 1], [0, 0]])
    """
    orders = orders_of(tokens.lengths, max_order)
    if len(tokens.ids) < FEW:
        return _number_one_by_one(tokens, orders)
    return numbered_together(tokens, numbered_apart(tokens, orders))


def orders_of(lengths: np.ndarray, max_order: int) -> int:
    """Return the longest n-grams that texts of these lengths have, at least 1."""
    return min(max_order, int(np.maximum.reduce(lengths, initial=0)) or 1)


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


def _sizes(lengths: np.ndarray, orders: int) -> np.ndarray:
    """Return how many n-grams texts of these lengths have: int64[order, text]."""
    return np.maximum(lengths - np.arange(orders)[:, None], 0)


def texts_of_ngrams(lengths: np.ndarray, order: int) -> np.ndarray:
    """Return, for texts of these lengths, the text of each n-gram of an order."""
    return np.arange(len(lengths)).repeat(np.maximum(lengths - (order - 1), 0))


def _first_tokens(lengths: np.ndarray, order: int, asked: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """Return, of texts of these lengths, where among all tokens n-grams of an order begin, which stand in `texts`."""
    fewer = running_total(np.minimum(lengths, order - 1))  # n-grams than tokens, in the texts before
    return asked + fewer[texts]


def _number_one_by_one(tokens: Tokens, orders: int) -> Ngrams:
    """Return what `numbered_together` does of `numbered_apart`, faster if there are few tokens.

    An n-gram is found by the number of its (n-1)-gram and its last token; a unigram by its segment, counted up to -1.
    """
    ids, nrefs = tokens.ids.tolist(), tokens.nrefs.tolist()
    segments, seconds = len(nrefs), max(ids, default=0) + 1
    ends = pairwise([0, *tokens.lengths.cumsum().tolist()])
    table: dict[int, int] = {}
    numbers: list[int] = []
    known, bounds = [0], [0]
    columns = [[1] * segments, nrefs, *[[1] * segments] * tokens.systems]
    for sizes in columns:
        column = [
            [[repeat(segment - segments), ids[begin:end]] for begin, end in islice(ends, size)]
            for segment, size in enumerate(sizes)
        ]
        for order in range(orders):
            for texts in column:
                for text in texts:
                    firsts, words = text
                    pairs = zip(firsts, words[order:], strict=False)
                    text[0] = [table.setdefault(first * seconds + last, len(table)) for first, last in pairs]
                    numbers += text[0]
                known.append(len(table))
            bounds.append(len(numbers))
    totals = np.array(known)
    first_seen = (totals[1:] - totals[:-1]).reshape(len(columns), orders, segments)
    return Ngrams(tokens, np.array(numbers, np.int64), bounds, first_seen, known[orders * segments])


def numbered_apart(tokens: Tokens, orders: int) -> Apart:
    """Return the n-grams of so many orders, each order numbered apart."""
    ids, lengths, segments = tokens.ids, tokens.lengths, np.arange(len(tokens.nrefs))
    bounds = np.zeros((orders, len(lengths) + 1), np.int64)
    _sizes(lengths, orders).cumsum(axis=1, out=bounds[:, 1:])
    seconds = int(np.maximum.reduce(ids, initial=0)) + 2  # one more: all tokens of predictions that come later
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
    return Apart(numbers, pairs, seconds, bounds, _known(numbers, bounds[:, _groups(tokens)]))


def numbered_together(tokens: Tokens, apart: Apart) -> Ngrams:
    """Return the n-grams with the orders numbered together."""
    orders, segments, columns = len(apart.numbers), len(tokens.nrefs), PREDICTIONS + tokens.systems
    first_seen = (apart.known[:, 1:] - apart.known[:, :-1]).reshape(orders, columns, segments).transpose(1, 0, 2).copy()
    distinct = np.add.reduce(first_seen, axis=2)
    begins = running_total(distinct.ravel())
    shifts = begins[:-1].reshape(distinct.shape) - (distinct.cumsum(axis=0) - distinct)
    texts = [0, segments, *range(tokens.references.stop, len(tokens.lengths) + 1, max(segments, 1))]
    ends = apart.bounds[:, texts]
    bounds = running_total((ends[:, 1:] - ends[:, :-1]).T.ravel()).tolist()
    numbers = np.empty(bounds[-1], np.int64)
    for order, own in enumerate(apart.numbers):
        together = shifts[:, order].repeat(distinct[:, order])
        together += np.arange(len(together))
        for column, (begin, end) in enumerate(pairwise(ends[order].tolist())):
            place = column * orders + order
            np.take(together, own[begin:end], out=numbers[bounds[place] : bounds[place + 1]], mode="clip")
    return Ngrams(tokens, numbers, bounds, first_seen, int(begins[orders]))


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


def _known(numbers: list[np.ndarray], bounds: np.ndarray) -> np.ndarray:
    """Count the distinct n-grams before each of the bounds, int64[order, bound]: they are numbered as they appear."""
    known = np.zeros(bounds.shape, np.int64)
    filled = bounds[:, 1:] > bounds[:, :-1]
    for own, begins, some, highest in zip(numbers, bounds[:, :-1], filled, known[:, 1:], strict=True):
        highest[some] = np.maximum.reduceat(own, begins[some]) + 1
    return np.maximum.accumulate(known, axis=1, out=known)
