"""Token ids in, counts out: the n-grams of sources, predictions and references, and the formulas of SARI.

A counting is one function: the formula of a paper or script. Its arguments are the distinct n-grams of the source
(`old`) and those that the source lacks (`new`), with the number of times that the source (s), the prediction (p) and
all references together (r) hold each. It returns numerators and denominators for each n-gram. Their sums over a segment
are its counts; the single numbers explain its score. An n-gram that none of them holds adds nothing: among those that
the source lacks are the n-grams of other systems.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from .tokenization import Tokens, running_total
from .variants import OPERATIONS, Variant

# ---- The formulas ---------------------------------------------------------------------------------------------------

#: The last dimension of counts.
RATIO_PARTS = PRECISION_NUMERATOR, PRECISION_DENOMINATOR, RECALL_NUMERATOR, RECALL_DENOMINATOR = tuple(range(4))


class Ratios(NamedTuple):
    """The numerators and denominators of one operation, for each n-gram.

    Attributes:
        right: the numerator of precision; also that of recall, unless there is another one.
        done: the denominator of precision: what the prediction does.
        wanted: the denominator of recall: what the references do.
        recalled: the numerator of recall, if it is another one.
    """

    right: np.ndarray
    done: np.ndarray
    wanted: np.ndarray
    recalled: np.ndarray | None = None


class Counts(NamedTuple):
    """The numbers that a counting returns for one n-gram order.

    Attributes:
        keep, delete: those of each n-gram of the source.
        add: those of each n-gram that the source lacks.
        keep_recall_of_new: what each n-gram that the source lacks adds to the denominator of the recall of keep; None
            if it adds nothing.
    """

    keep: Ratios
    delete: Ratios
    add: Ratios
    keep_recall_of_new: np.ndarray | None = None


@dataclass(frozen=True)
class Ngrams:
    """Distinct n-grams of one order: those of the sources, or those that the sources lack.

    Attributes:
        s, p, r: int64[ngram]: how often the source, the prediction, and all references together hold each.
        segments: int64[ngram]: the segment of each n-gram.
        order: all n-grams of this order.
        part: which of these they are.
    """

    s: np.ndarray
    p: np.ndarray
    r: np.ndarray
    segments: np.ndarray
    order: "Order"
    part: slice

    @property
    def m(self) -> np.ndarray | int:
        """The factor of occurrences in source and prediction: the number of references, or 8 for `star`."""
        return self.order.weight if isinstance(self.order.weight, int) else self.order.weight[self.segments]

    @property
    def holders(self) -> np.ndarray:
        """How many references hold the n-gram."""
        return self.order.holders[self.part]

    @property
    def long_references(self) -> np.ndarray:
        """How many references are long enough to hold any n-gram of the order; 1 where none is."""
        return self.order.long_references[self.segments]

    def left_over(self, candidates: np.ndarray) -> np.ndarray:
        """Return which of the candidates deleting words from the source can leave; both are bool[ngram]."""
        left = np.zeros(len(candidates), bool)
        places = np.arange(len(self.order.segments), dtype=np.int64)[self.part]
        left[candidates] = [self.order.is_left_over(ngram) for ngram in places[candidates].tolist()]
        return left


def hf(old: Ngrams, new: Ngrams) -> Counts:
    """Count as Hugging Face does: as `xu2016`, but the recall of keep sums occurrences.

    https://github.com/huggingface/evaluate, metrics/sari/sari.py (a7dd338), SARIngram.
    """
    counts = xu2016(old, new)
    should = np.minimum(old.m * old.s, old.r)
    good = np.minimum(old.m * old.p, should)
    return counts._replace(keep=counts.keep._replace(wanted=should, recalled=good))


def xu2016(old: Ngrams, new: Ngrams) -> Counts:
    """Count as the authors' script does: each distinct n-gram has one vote, the share of its occurrences that is right.

    https://github.com/cocoxu/simplification, SARI.py (3557046), SARIngram. The script also computes a recall of delete,
    with the numerator of the precision, but does not use it.
    """
    s, p, r = old.m * old.s, old.m * old.p, old.r
    kept, should = np.minimum(s, p), np.minimum(s, r)
    good = np.minimum(kept, r)
    gone = s - kept
    right = _ratio(np.maximum(gone - r, 0), gone)
    return Counts(
        keep=Ratios(_ratio(good, kept), kept > 0, should > 0, _ratio(good, should)),
        delete=Ratios(right, gone > 0, s > r),
        add=_added(new),
    )


def kriz(old: Ngrams, new: Ngrams) -> Counts:
    """Count as `xu2016` does, but references that hold no more of an n-gram than is kept agree that the rest goes.

    https://github.com/rekriz11/sockeye-recipes, SARI/sari.py (644363b), SARIngram, which computes this recall of
    delete, too.
    """
    s, p, r = old.m * old.s, old.m * old.p, old.r
    gone, surplus = np.maximum(s - p, 0), np.maximum(s - r, 0)
    right = np.maximum(gone - np.maximum(r - p, 0), 0)
    delete = Ratios(_ratio(right, gone), gone > 0, surplus > 0, _ratio(right, surplus))
    return xu2016(old, new)._replace(delete=delete)


def lens(old: Ngrams, new: Ngrams) -> Counts:
    """Count as `xu2016` does, but give no credit for an added n-gram that arises by deleting words from the source.

    https://github.com/cocoxu/simplification, modified-sari.py (3557046), SARIngram.
    """
    counts = xu2016(old, new)
    hit = counts.add.right
    return counts._replace(add=counts.add._replace(right=hit & ~new.left_over(hit)))


def easse(old: Ngrams, new: Ngrams) -> Counts:
    """Count every occurrence: equations 1 to 6 of Xu et al. 2016, as EASSE and Joshua's STAR.java compute them.

    https://github.com/feralvam/easse, easse/sari.py (6a4352e), compute_ngram_stats.
    """
    s, p, r = old.m * old.s, old.m * old.p, old.r
    kept, should = np.minimum(s, p), np.minimum(s, r)
    gone, surplus = s - kept, s - should
    good, right = np.minimum(kept, should), np.minimum(gone, surplus)
    return Counts(keep=Ratios(good, kept, should), delete=Ratios(right, gone, surplus), add=_added(new))


def t2t(old: Ngrams, new: Ngrams) -> Counts:
    """Count n-grams as sets; the weight of a reference n-gram is the share of the references that hold it.

    https://github.com/tensorflow/tensor2tensor, utils/sari_hook.py (bafdc1b6), get_sari_score. References that are too
    short to have n-grams of the order do not count.
    """
    kept = old.p > 0
    weight = old.holders / old.long_references
    dropped = (old.long_references - old.holders) / old.long_references
    good, right = weight * kept, dropped * ~kept
    return Counts(keep=Ratios(good, kept, weight), delete=Ratios(right, ~kept, dropped), add=_added(new))


def sets(old: Ngrams, new: Ngrams) -> Counts:
    """Count n-grams as sets, with the references united; the recall of keep divides by source and references united."""
    kept, wanted = old.p > 0, old.r > 0
    good, right = kept & wanted, ~kept & ~wanted
    everything = np.ones_like(wanted)
    return Counts(
        keep=Ratios(good, kept, everything),
        delete=Ratios(right, ~kept, ~wanted),
        add=_added(new),
        keep_recall_of_new=new.r > 0,
    )


def _added(new: Ngrams) -> Ratios:
    """Count added n-grams as sets: those of the prediction and of any reference that the source lacks."""
    added, wanted = new.p > 0, new.r > 0
    return Ratios(added & wanted, added, wanted)


def _ratio(good: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return the share of the whole that is good; 0 where the whole is 0."""
    return good / np.maximum(whole, 1)


class Counting(NamedTuple):
    """A row of `COUNTINGS`.

    Attributes:
        formula: a function from the n-grams of the source, and those that the source lacks, to counts.
        in_words: what sets it apart, in a few words.
        as_sets: whether repeated n-grams count once; explanations say so.
        skips_short_references: whether references without n-grams of an order do not count; explanations say so.
        rule: why an n-gram earns more or less than the share of the references that agree, for explanations.
    """

    formula: Callable[[Ngrams, Ngrams], Counts]
    in_words: str
    as_sets: bool = False
    skips_short_references: bool = False
    rule: str = "This variant has a rule of its own"


COUNTINGS = {
    "hf": Counting(hf, "means over n-gram types, keep recall pooled"),
    "xu2016": Counting(xu2016, "means over n-gram types"),
    "kriz": Counting(kriz, "means over n-gram types, kept n-grams do not count against deletion"),
    "lens": Counting(
        lens,
        "means over n-gram types, no credit for additions that deleting words made",
        rule="Deleting words from the source is enough to get it",
    ),
    "easse": Counting(easse, "all n-grams pooled"),
    "t2t": Counting(t2t, "n-gram sets, references weighed", as_sets=True, skips_short_references=True),
    "sets": Counting(
        sets,
        "n-gram sets, references united",
        as_sets=True,
        rule="In this variant, one reference that keeps it is enough",
    ),
}


# ---- Counting segments ----------------------------------------------------------------------------------------------


_KEEP = OPERATIONS.index("keep")


class Sizes(NamedTuple):
    """The lengths of the texts of segments, for penalties.

    Attributes:
        lengths: int64[segment, 3]: the tokens of the source, of the prediction, and of the references on average,
            rounded down; at least 1.
        sentences: int64[segment, 2]: the sentences of the prediction, and of the references on average, rounded down.
    """

    lengths: np.ndarray
    sentences: np.ndarray


class SegmentCounts(NamedTuple):
    """Counts of segments: those of the first system, then those of the next one, and so on.

    Attributes:
        counts: float64[segment, order, operation, 4]: numerator and denominator of precision, numerator and
            denominator of recall; operations are in the order of `OPERATIONS`.
        sizes: the lengths of the texts; None where no penalty needs them.
    """

    counts: np.ndarray
    sizes: Sizes | None = None

    def of_systems(self, systems: int) -> list["SegmentCounts"]:
        """Return the counts of each system."""
        if systems == 1:
            return [self]
        counts = np.split(self.counts, systems)
        if self.sizes is None:
            return list(map(SegmentCounts, counts))
        sizes = zip(*(np.split(column, systems) for column in self.sizes), strict=True)
        return [SegmentCounts(part, Sizes(*columns)) for part, columns in zip(counts, sizes, strict=True)]


def count_ngrams(tokens: Tokens, variant: Variant) -> SegmentCounts:
    """Count the n-grams that the predictions of segments, and their references, keep, delete and add.

    One source `a b`, its reference `a c` and its prediction `a c`:

    >>> from .tokenization import encode_chunk
    >>> from .variants import resolve_variant
    >>> variant = resolve_variant("easse", max_order=1)
    >>> count_ngrams(encode_chunk(["a b"], [["a c"]], ["a c"], variant), variant).counts
    array([[[[1., 1., 1., 1.],
             [1., 1., 1., 1.],
             [1., 1., 1., 1.]]]])
    """
    return count_by_each(tokens, variant, [variant.counting])[variant.counting]


def count_by_each(tokens: Tokens, variant: Variant, countings: Iterable[str]) -> dict[str, SegmentCounts]:
    """Count as `count_ngrams` does, by several countings in place of that of the variant. N-grams are numbered once."""
    segments, systems = len(tokens.nrefs), len(tokens.predictions)
    shape = (systems * segments, variant.max_order, len(OPERATIONS), len(RATIO_PARTS))
    sums_by_counting = {counting: np.empty(shape) for counting in countings}
    for order in _orders(tokens, variant):
        for system in range(systems):
            old, new = order.parts(system)
            rows = slice(system * segments, (system + 1) * segments)
            for counting, sums in sums_by_counting.items():
                of_ngrams = COUNTINGS[counting].formula(old, new)
                _sum(of_ngrams, old.segments, new.segments, sums[rows, order.n - 1])
    sizes = _sizes(tokens)
    return {counting: SegmentCounts(sums, sizes) for counting, sums in sums_by_counting.items()}


class NgramTable(NamedTuple):
    """The distinct n-grams of one order of one segment, and what each adds to the counts.

    Attributes:
        ngrams: their tokens: those of the source, then of the references, then of the prediction.
        in_source, in_prediction, in_references: int64[ngram]: occurrences.
        holders: int64[ngram]: how many references hold each.
        long_references: how many references are long enough to hold any n-gram of the order; 1 where none is.
        weight: the factor of occurrences in source and prediction.
        counts: float64[ngram, operation, 4]: what each adds to the counts of the segment: see `SegmentCounts`.
    """

    ngrams: list[tuple[str, ...]]
    in_source: np.ndarray
    in_prediction: np.ndarray
    in_references: np.ndarray
    holders: np.ndarray
    long_references: int
    weight: int
    counts: np.ndarray


def ngram_tables(tokens: Tokens, variant: Variant) -> Iterator[NgramTable]:
    """Yield the n-grams of one segment, order by order, with what each adds to its counts.

    >>> from .tokenization import encode_chunk
    >>> from .variants import resolve_variant
    >>> variant = resolve_variant("easse", max_order=1)
    >>> (table,) = ngram_tables(encode_chunk(["a b"], [["a c"]], ["a c"], variant), variant)
    >>> table.ngrams, table.counts[:, 0].tolist()
    ([('a',), ('b',), ('c',)], [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    """
    for order in _orders(tokens, variant):
        old, new = order.parts()
        counts = _counts_of_ngrams(old, new, variant)
        yield NgramTable(
            ngrams=[order.strings(ngram) for ngram in range(len(counts))],
            in_source=np.append(old.s, new.s),
            in_prediction=np.append(old.p, new.p),
            in_references=np.append(old.r, new.r),
            holders=np.append(old.holders, new.holders),
            long_references=int(order.long_references[0]),
            weight=int(order.weight),  # a number, since one segment has one number of references
            counts=counts,
        )


def ngram_shares(tokens: Tokens, variant: Variant) -> Iterator[tuple[np.ndarray, Callable[[int], tuple[str, ...]]]]:
    """Yield the precision that each distinct n-gram of segments earns, order by order.

    Yields:
        float64[system, ngram, operation], from 0 to 1, and a function from the number of an n-gram to its tokens.
    """
    for order in _orders(tokens, variant):
        systems = range(len(tokens.predictions))
        counts = np.stack([_counts_of_ngrams(*order.parts(system), variant) for system in systems])
        right, whole = counts[..., PRECISION_NUMERATOR], counts[..., PRECISION_DENOMINATOR]
        yield np.divide(right, whole, out=np.zeros_like(right), where=whole > 0), order.strings


def _counts_of_ngrams(old: Ngrams, new: Ngrams, variant: Variant) -> np.ndarray:
    """Return what each n-gram adds to the counts of its segment: float64[ngram, operation, 4]."""
    counts = np.empty((len(old.s) + len(new.s), len(OPERATIONS), len(RATIO_PARTS)))
    rows = np.arange(len(counts), dtype=np.int64)
    _sum(COUNTINGS[variant.counting].formula(old, new), rows[: len(old.s)], rows[len(old.s) :], counts)
    return counts


def _sum(counts: Counts, old_rows: np.ndarray, new_rows: np.ndarray, sums: np.ndarray) -> None:
    """Write the sums of what a formula returned for n-grams into `sums`: float64[row, operation, 4].

    `old_rows` and `new_rows` are int64[ngram]: into which row each n-gram of the source goes, and each that it lacks.
    """
    operations = ((counts.keep, old_rows), (counts.delete, old_rows), (counts.add, new_rows))
    for operation, (ratios, rows) in enumerate(operations):
        parts = sums[:, operation]
        parts[:, PRECISION_NUMERATOR] = parts[:, RECALL_NUMERATOR] = np.bincount(rows, ratios.right, len(sums))
        parts[:, PRECISION_DENOMINATOR] = np.bincount(rows, ratios.done, len(sums))
        parts[:, RECALL_DENOMINATOR] = np.bincount(rows, ratios.wanted, len(sums))
        if ratios.recalled is not None:
            parts[:, RECALL_NUMERATOR] = np.bincount(rows, ratios.recalled, len(sums))
    if counts.keep_recall_of_new is not None:
        sums[:, _KEEP, RECALL_DENOMINATOR] += np.bincount(new_rows, counts.keep_recall_of_new, len(sums))


def _sizes(tokens: Tokens) -> Sizes | None:
    """Return the lengths of texts; None where no penalty needs them."""
    if tokens.sentences is None:
        return None
    texts, segments, systems = tokens.references, len(tokens.nrefs), len(tokens.predictions)
    lengths = np.maximum(tokens.lengths, 1)
    of_sources, of_predictions = lengths[:segments], lengths[texts.stop :]
    of_references = _means_of_references(lengths[texts], tokens.nrefs)
    sentences, outputs = np.split(tokens.sentences, [texts.stop - texts.start])
    of_people = _means_of_references(sentences, tokens.nrefs)
    return Sizes(
        np.stack([np.tile(of_sources, systems), of_predictions, np.tile(of_references, systems)], axis=-1),
        np.stack([outputs, np.tile(of_people, systems)], axis=-1),
    )


def _means_of_references(numbers: np.ndarray, nrefs: np.ndarray) -> np.ndarray:
    """Return the means over the references of each segment, rounded down."""
    return np.add.reduceat(numbers, nrefs.cumsum() - nrefs) // nrefs


# ---- Numbering n-grams ----------------------------------------------------------------------------------------------


def _orders(tokens: Tokens, variant: Variant) -> Iterator["Order"]:
    """Yield the n-grams of segments, order by order.

    An n-gram of order n is numbered by its first appearance among all pairs of the number of its first n - 1 tokens and
    its last token. Those of different segments have different numbers.
    """
    nrefs = set(tokens.nrefs.tolist())
    weight = variant.source_weight or (nrefs.pop() if len(nrefs) == 1 else tokens.nrefs)
    segments = np.arange(len(tokens.nrefs), dtype=np.int64)
    of_texts = [segments, segments.repeat(tokens.nrefs), *[segments] * len(tokens.predictions)]
    prefix = np.concatenate(of_texts).repeat(tokens.lengths)
    last, base = tokens.ids.astype(np.int32), int(tokens.ids.max(initial=0)) + 1
    for n in range(1, variant.max_order + 1):
        if n > 1:
            sizes = _ngrams_of_texts(tokens.lengths, n - 1)
            goes_on = np.ones(len(prefix), bool)
            goes_on[sizes[sizes > 0].cumsum() - 1] = False  # no token follows the last (n-1)-gram of a text
            prefix, last = prefix[goes_on], last[1:][goes_on[:-1]]
        kind = np.int32 if len(segments) * base < 1 << 31 else np.int64  # half the memory, where it suffices
        pairs = np.multiply(prefix, base, dtype=kind, casting="unsafe")
        pairs += last
        prefix, pairs = pd.factorize(pairs)
        segments = segments.take(pairs // base)
        yield Order(n, tokens, prefix, segments, weight)


def _ngrams_of_texts(lengths: np.ndarray, order: int) -> np.ndarray:
    """Return how many n-grams texts of these lengths have."""
    return np.maximum(lengths - (order - 1), 0)


class Order:
    """The n-grams of one order of some segments.

    Those of the sources stand first, then those that only references hold, then those that only predictions hold. Each
    of these three parts goes segment by segment.

    Attributes:
        n: the order.
        tokens: the tokens of the texts.
        numbers: int64[occurrence]: the number of each n-gram, text by text.
        segments: int64[ngram]: its segment.
        weight: int64[segment], or one for all segments: see `Ngrams.m`.
    """

    def __init__(self, n: int, tokens: Tokens, numbers: np.ndarray, segments: np.ndarray, weight: np.ndarray | int):
        self.n: int = n
        self.tokens: Tokens = tokens
        self.numbers: np.ndarray = numbers
        self.segments: np.ndarray = segments
        self.weight: np.ndarray | int = weight
        ends = running_total(_ngrams_of_texts(tokens.lengths, n))
        columns = [slice(0, len(tokens.nrefs)), tokens.references, *tokens.predictions]
        sources, self._in_references, *self._in_predictions = (
            numbers[ends[texts.start] : ends[texts.stop]] for texts in columns
        )
        self._s, self._r = self._count(sources), self._count(self._in_references)
        of_sources = int(np.count_nonzero(self._s))
        self._parts = slice(of_sources), slice(of_sources, None)

    def _count(self, numbers: np.ndarray) -> np.ndarray:
        """Return how often each n-gram is among these: int64[ngram]."""
        return np.bincount(numbers, minlength=len(self.segments))

    def parts(self, system: int = 0) -> tuple[Ngrams, Ngrams]:
        """Return the n-grams of the sources, and those that they lack, with the predictions of a system."""
        s, p, r = self._s, self._count(self._in_predictions[system]), self._r
        old, new = (Ngrams(s[part], p[part], r[part], self.segments[part], self, part) for part in self._parts)
        return old, new

    def strings(self, ngram: int) -> tuple[str, ...]:
        """Return the tokens of an n-gram."""
        place = int(self._place_of[ngram])
        return self.tokens.spans.strings(place, place + self.n)

    def is_left_over(self, ngram: int) -> bool:
        """Return whether deleting words from the source, as it is written, leaves an n-gram.

        As in modified-sari.py, empty tokens are not words, the words must also stand in n-grams of the source, and a
        source without n-grams of the order has no words.
        """
        words = " ".join(self.strings(ngram)).split()
        segment = int(self.segments[ngram])
        if words and self.tokens.lengths[segment] < self.n:
            return False
        last = -1
        for word in words:
            places = self.tokens.written_places[segment].get(word, [])
            following = bisect_right(places, last)
            if following == len(places):
                return False
            last = places[following]
        return self.tokens.source_words[segment].issuperset(words)

    @cached_property
    def holders(self) -> np.ndarray:
        """How many references hold each n-gram: int64[ngram]."""
        sizes = _ngrams_of_texts(self.tokens.lengths[self.tokens.references], self.n)
        texts = np.arange(len(sizes), dtype=np.int64).repeat(sizes)
        # An n-gram that a reference repeats counts once: both numbers as one, and the n-gram's number again.
        held = pd.unique(self._in_references.astype(np.int64) << 32 | texts) >> 32
        return np.bincount(held, minlength=len(self.segments))

    @cached_property
    def long_references(self) -> np.ndarray:
        """How many references are long enough to hold any n-gram of the order, at least 1: int64[segment]."""
        nrefs, long = self.tokens.nrefs, self.tokens.lengths[self.tokens.references] >= self.n
        return np.maximum(np.add.reduceat(long, nrefs.cumsum() - nrefs, dtype=np.int64), 1)

    @cached_property
    def _place_of(self) -> np.ndarray:
        """Where an occurrence of each n-gram begins among the tokens: int64[ngram]."""
        places = np.arange(len(self.tokens.ids), dtype=np.int64)
        tokens_left = self.tokens.starts[1:].repeat(self.tokens.lengths) - places  # in the text, from each token on
        place_of = np.empty(len(self.segments), np.int64)
        place_of[self.numbers] = np.flatnonzero(tokens_left >= self.n)
        return place_of
