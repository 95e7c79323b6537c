"""Token ids in, counts out: the n-grams of sources, predictions and references, and the formulas of SARI.

A counting is one function: the formula of a paper or script. Its arguments are the distinct n-grams of the source
(`old`) and those that the source lacks (`new`), with the number of times that the source (s), the prediction (p) and
all references together (r) hold each. It returns numerators and denominators for each n-gram. Their sums over a segment
are its counts; the single numbers explain its score. Denominators of recall do not depend on the prediction, and
n-grams that neither source nor prediction holds add to nothing else; so prepared segments sum them once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from .tokenization import Predictions, Tokens, even_runs, running_total
from .variants import OPERATIONS, Variant

# ---- The formulas ---------------------------------------------------------------------------------------------------

#: For each n-gram, or summed: numerator and denominator of precision, numerator and denominator of recall.
Ratios = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
RATIO_PARTS = PRECISION_NUMERATOR, PRECISION_DENOMINATOR, RECALL_NUMERATOR, RECALL_DENOMINATOR = tuple(range(4))


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


@dataclass(frozen=True, eq=False)
class Ngrams:
    """Distinct n-grams of one order, segment by segment, and how often the texts of their segments hold them.

    Attributes:
        s, p, r: int64[ngram]: occurrences in the source, in the prediction, and in all references together.
        rows: int64[ngram]: the row of counts to which each n-gram belongs: one for each prediction.
        owners: int64[ngram]: the segment of each n-gram.
        order: all n-grams of this order.
        index: the places of these n-grams in `order`; -1 for those that only a prediction holds.
    """

    s: np.ndarray
    p: np.ndarray
    r: np.ndarray
    rows: np.ndarray
    owners: np.ndarray
    order: "_Order"
    index: np.ndarray

    @property
    def m(self) -> np.ndarray | int:
        """The factor of occurrences in source and prediction: the number of references, or 8 for `star`."""
        return self.order.weight if isinstance(self.order.weight, int) else self.order.weight[self.owners]

    @property
    def holders(self) -> np.ndarray:
        """How many references hold the n-gram."""
        return np.append(self.order.holders, 0)[self.index]  # -1 is the place of the 0

    @property
    def long_references(self) -> np.ndarray:
        """How many references are long enough to hold any n-gram of the order; 1 where none is."""
        return self.order.long_references[self.owners]

    def left_over(self, asked: np.ndarray) -> np.ndarray:
        """Return which n-grams, of those in `asked`, deleting words from the source can leave: bool[ngram]."""
        found = np.zeros(len(asked), bool)
        found[asked] = [self.order.is_left_over(ngram) for ngram in self.index[asked].tolist()]
        return found


def hf(old: Ngrams, new: Ngrams) -> Counts:
    """Count as Hugging Face does: as `xu2016`, but the recall of keep sums occurrences.

    https://github.com/huggingface/evaluate, metrics/sari/sari.py (a7dd338), SARIngram.
    """
    counts = xu2016(old, new)
    should = np.minimum(old.m * old.s, old.r)
    good = np.minimum(old.m * old.p, should)
    return counts._replace(keep=(*counts.keep[:2], good, should))


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
        keep=(_ratio(good, kept), kept > 0, _ratio(good, should), should > 0),
        delete=(right, gone > 0, right, s > r),
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
    delete = (_ratio(right, gone), gone > 0, _ratio(right, surplus), surplus > 0)
    return xu2016(old, new)._replace(delete=delete)


def lens(old: Ngrams, new: Ngrams) -> Counts:
    """Count as `xu2016` does, but give no credit for an added n-gram that arises by deleting words from the source.

    https://github.com/cocoxu/simplification, modified-sari.py (3557046), SARIngram.
    """
    counts = xu2016(old, new)
    hit, added, _, wanted = counts.add
    hit = hit & ~new.left_over(hit)
    return counts._replace(add=(hit, added, hit, wanted))


def easse(old: Ngrams, new: Ngrams) -> Counts:
    """Count every occurrence: equations 1 to 6 of Xu et al. 2016, as EASSE and Joshua's STAR.java compute them.

    https://github.com/feralvam/easse, easse/sari.py (6a4352e), compute_ngram_stats.
    """
    s, p, r = old.m * old.s, old.m * old.p, old.r
    kept, should = np.minimum(s, p), np.minimum(s, r)
    gone, surplus = s - kept, s - should
    good, right = np.minimum(kept, should), np.minimum(gone, surplus)
    return Counts(keep=(good, kept, good, should), delete=(right, gone, right, surplus), add=_added(new))


def t2t(old: Ngrams, new: Ngrams) -> Counts:
    """Count n-grams as sets; the weight of a reference n-gram is the share of the references that hold it.

    https://github.com/tensorflow/tensor2tensor, utils/sari_hook.py (bafdc1b6), get_sari_score. References that are too
    short to have n-grams of the order do not count.
    """
    kept = old.p > 0
    weight = old.holders / old.long_references
    dropped = (old.long_references - old.holders) / old.long_references
    good, right = weight * kept, dropped * ~kept
    return Counts(keep=(good, kept, good, weight), delete=(right, ~kept, right, dropped), add=_added(new))


def sets(old: Ngrams, new: Ngrams) -> Counts:
    """Count n-grams as sets, with the references united; the recall of keep divides by source and references united."""
    kept, wanted = old.p > 0, old.r > 0
    good, right = kept & wanted, ~kept & ~wanted
    everything = np.ones_like(wanted)
    return Counts(
        keep=(good, kept, good, everything),
        delete=(right, ~kept, right, ~wanted),
        add=_added(new),
        keep_recall_of_new=new.r > 0,
    )


def _added(new: Ngrams) -> Ratios:
    """Count added n-grams as sets: those of the prediction and of any reference that the source lacks."""
    added, wanted = new.p > 0, new.r > 0
    hit = added & wanted
    return hit, added, hit, wanted


def _ratio(good: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return good / np.maximum(whole, 1)


class Counting(NamedTuple):
    """A row of `COUNTINGS`.

    Attributes:
        formula: a function from the n-grams of the source, and those that the source lacks, to counts.
        as_sets: whether repeated n-grams count once; explanations say so.
        skips_short_references: whether references without n-grams of an order do not count; explanations say so.
        rule: why an n-gram earns more or less than the share of the references that agree, for explanations.
    """

    formula: Callable[[Ngrams, Ngrams], Counts]
    as_sets: bool = False
    skips_short_references: bool = False
    rule: str = "This variant has a rule of its own"


COUNTINGS = {
    "hf": Counting(hf),
    "xu2016": Counting(xu2016),
    "kriz": Counting(kriz),
    "lens": Counting(lens, rule="Deleting words from the source is enough to get it"),
    "easse": Counting(easse),
    "t2t": Counting(t2t, as_sets=True, skips_short_references=True),
    "sets": Counting(sets, as_sets=True, rule="In this variant, one reference that keeps it is enough"),
}


# ---- Counting segments ----------------------------------------------------------------------------------------------


_KEEP, _ADD = OPERATIONS.index("keep"), OPERATIONS.index("add")
_TOKENS_AT_ONCE = 1 << 15

# What no prediction changes, and the rest.
_SHARED, _OF_PREDICTIONS = RATIO_PARTS[RECALL_DENOMINATOR:], RATIO_PARTS[:RECALL_DENOMINATOR]


class Sizes(NamedTuple):
    """The lengths of the texts of segments, for penalties.

    Attributes:
        lengths: int64[row, 3]: the tokens of the source, of the prediction, and of the references on average,
            rounded down; at least 1.
        sentences: int64[row, 2]: the sentences of the prediction, and of the references on average, rounded down.
    """

    lengths: np.ndarray
    sentences: np.ndarray


class SegmentCounts(NamedTuple):
    """Counts of segments, or of predictions where a segment has several: a row for each.

    Attributes:
        counts: float64[row, order, operation, 4]: numerator and denominator of precision, numerator and
            denominator of recall; operations are in the order of `OPERATIONS`.
        sizes: the lengths of the texts; None where no penalty needs them.
    """

    counts: np.ndarray
    sizes: Sizes | None = None


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
    shape = (len(tokens.nrefs), variant.max_order, len(OPERATIONS), len(RATIO_PARTS))
    counts = {counting: np.empty(shape) for counting in countings}
    for order in _orders(tokens, variant):
        ngrams = order.of_segments()
        for counting, own in counts.items():
            _sum(counting, *ngrams, own[:, order.n - 1], RATIO_PARTS)
    texts = tokens.references
    sentences = None if tokens.sentences is None else tokens.sentences[texts.stop - texts.start :]
    sizes = _sizes(tokens, tokens.lengths[texts.stop :], sentences)
    return {counting: SegmentCounts(own, sizes) for counting, own in counts.items()}


class PreparedSegments:
    """Sources and references whose n-grams are numbered once, for any number of predictions."""

    def __init__(self, tokens: Tokens, variant: Variant):
        """Assign numbers to the n-grams of each order."""
        self.tokens, self.variant, self.orders = tokens, variant, list(_orders(tokens, variant))

    @cached_property
    def counts(self) -> np.ndarray:
        """The counts, of which only the denominators of recall are known: no prediction changes them."""
        counts = np.empty((len(self.tokens.nrefs), self.variant.max_order, len(OPERATIONS), len(RATIO_PARTS)))
        for order in self.orders:
            _sum(self.variant.counting, *order.of_segments(), counts[:, order.n - 1], _SHARED)
        return counts


def count_predictions(prepared: PreparedSegments, predictions: Predictions, owners: np.ndarray) -> SegmentCounts:
    """Count the n-grams of predictions, any number for each prepared segment, as `count_ngrams` does.

    Args:
        prepared: sources and references.
        predictions: their tokens.
        owners: int64[prediction]: the segment of each prediction.
    """
    tokens, ends = prepared.tokens, running_total(predictions.lengths)
    # In runs, so that memory does not grow with the number of predictions, and fits into the processor's cache.
    counts = [
        _count_run(prepared, predictions.ids[ends[run.start] : ends[run.stop]], predictions.lengths[run], owners[run])
        for run in even_runs(tokens.lengths[owners] + predictions.lengths, _TOKENS_AT_ONCE)
    ]
    return SegmentCounts(np.concatenate(counts), _sizes(tokens, predictions.lengths, predictions.sentences, owners))


def _count_run(prepared: PreparedSegments, ids: np.ndarray, lengths: np.ndarray, owners: np.ndarray) -> np.ndarray:
    counts = prepared.counts[owners]
    numbered = _numbered(ids, lengths, np.arange(len(owners)), prepared.variant.max_order)
    known = owners  # the numbers of the predictions' (n-1)-grams among the prepared ones; at first, the segments
    for order, own in zip(prepared.orders, numbered, strict=True):
        prefixes, last = np.divmod(own.pairs, own.base)
        known = order.look_up(known[prefixes], last)
        ngrams = order.of_predictions(own, known, owners)
        _sum(prepared.variant.counting, *ngrams, counts[:, order.n - 1], _OF_PREDICTIONS)
    return counts


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
        old, new = order.of_segments()
        counts = _counts_of_ngrams(old, new, variant)
        yield NgramTable(
            ngrams=[order.strings(ngram) for ngram in range(len(counts))],
            in_source=np.append(old.s, new.s),
            in_prediction=np.append(old.p, new.p),
            in_references=np.append(old.r, new.r),
            holders=np.append(old.holders, new.holders),
            long_references=int(order.long_references[0]),
            weight=int(np.ravel(order.weight)[0]),
            counts=counts,
        )


def ngram_shares(tokens: Tokens, variant: Variant) -> Iterator[tuple[np.ndarray, Callable[[int], tuple[str, ...]]]]:
    """Yield the precision that each distinct n-gram of segments earns, order by order.

    Yields:
        float64[ngram, operation], from 0 to 1, and a function from the number of an n-gram to its tokens. N-grams of
        sources come first, then those that only references hold: their numbers do not depend on the predictions. Then
        come those that only predictions hold, which earn nothing.
    """
    for order in _orders(tokens, variant):
        counts = _counts_of_ngrams(*order.of_segments(), variant)
        right, whole = counts[..., PRECISION_NUMERATOR], counts[..., PRECISION_DENOMINATOR]
        yield np.divide(right, whole, out=np.zeros_like(right), where=whole > 0), order.strings


def _counts_of_ngrams(old: Ngrams, new: Ngrams, variant: Variant) -> np.ndarray:
    """Return what each n-gram adds to the counts of its segment: float64[ngram, operation, 4]."""
    found, sources = COUNTINGS[variant.counting].formula(old, new), len(old.s)
    counts = np.zeros((sources + len(new.s), len(OPERATIONS), 4))
    counts[:sources, :_ADD] = np.moveaxis(np.array([found.keep, found.delete], float), -1, 0)
    counts[sources:, _ADD] = np.array(found.add, float).T
    if found.keep_recall_of_new is not None:
        counts[sources:, _KEEP, RECALL_DENOMINATOR] = found.keep_recall_of_new
    return counts


def _sum(counting: str, old: Ngrams, new: Ngrams, sums: np.ndarray, parts: Sequence[int]) -> None:
    """Sum these parts of the ratios that the formula returns for n-grams, row by row: float64[row, operation, 4]."""
    found = COUNTINGS[counting].formula(old, new)
    for operation, (ratios, ngrams) in enumerate(((found.keep, old), (found.delete, old), (found.add, new))):
        for part in parts:
            if part == RECALL_NUMERATOR and ratios[part] is ratios[PRECISION_NUMERATOR]:  # most have one; sum it once
                sums[:, operation, part] = sums[:, operation, PRECISION_NUMERATOR]
            else:
                sums[:, operation, part] = np.bincount(ngrams.rows, ratios[part], minlength=len(sums))
    if found.keep_recall_of_new is not None and RECALL_DENOMINATOR in parts:
        sums[:, _KEEP, RECALL_DENOMINATOR] += np.bincount(new.rows, found.keep_recall_of_new, minlength=len(sums))


def _sizes(
    tokens: Tokens, lengths: np.ndarray, sentences: np.ndarray | None, owners: np.ndarray | slice = slice(None)
) -> Sizes | None:
    """Return the lengths of texts, given those of the predictions; `owners` are the segments of predictions."""
    if tokens.sentences is None or sentences is None:
        return None
    at_least_1, texts = np.maximum(tokens.lengths, 1), tokens.references
    of_references = _means_of_references(at_least_1[texts], tokens.nrefs)
    sentences_of_references = _means_of_references(tokens.sentences[: texts.stop - texts.start], tokens.nrefs)
    return Sizes(
        np.stack([at_least_1[: texts.start][owners], np.maximum(lengths, 1), of_references[owners]], axis=-1),
        np.stack([sentences, sentences_of_references[owners]], axis=-1),
    )


def _means_of_references(numbers: np.ndarray, nrefs: np.ndarray) -> np.ndarray:
    """Return the means over the references of each segment, rounded down."""
    return np.add.reduceat(numbers, nrefs.cumsum() - nrefs) // nrefs


# ---- Numbering n-grams ----------------------------------------------------------------------------------------------


class _Numbered(NamedTuple):
    """The n-grams of one order in some texts, numbered in the order of their first appearance.

    Attributes:
        numbers: int64[occurrence]: the number of each n-gram, text by text.
        pairs: int[ngram]: the number of its (n-1)-gram, or of a unigram's segment, times `base`, plus its last token.
        base: more than any token.
        owners: int64[ngram]: its segment.
    """

    numbers: np.ndarray
    pairs: np.ndarray
    base: int
    owners: np.ndarray


def _numbered(ids: np.ndarray, lengths: np.ndarray, segments: np.ndarray, max_order: int) -> Iterator[_Numbered]:
    """Yield the n-grams of texts, order by order; n-grams of different segments have different numbers.

    Args:
        ids, lengths: the tokens of all texts, one text after another, and how many each text has.
        segments: int64[text]: the segment of each text.
        max_order: the highest order.
    """
    prefix, last = segments.repeat(lengths), ids.astype(np.int32)
    base, owners = int(ids.max(initial=0)) + 1, np.arange(int(segments.max(initial=0)) + 1)
    for order in range(1, max_order + 1):
        if order > 1:
            sizes = _ngrams_of_texts(lengths, order - 1)
            goes_on = np.ones(len(prefix), bool)
            goes_on[sizes[sizes > 0].cumsum() - 1] = False  # no token follows the last (n-1)-gram of a text
            prefix, last = prefix[goes_on], last[1:][goes_on[:-1]]
        kind = np.int32 if len(owners) * base < 1 << 31 else np.int64  # half the memory, where it suffices
        pairs = np.multiply(prefix, base, dtype=kind, casting="unsafe")
        pairs += last
        prefix, pairs = pd.factorize(pairs)
        owners = owners.take(pairs // base)
        yield _Numbered(prefix, pairs, base, owners)


def _ngrams_of_texts(lengths: np.ndarray, order: int) -> np.ndarray:
    """Return how many n-grams texts of these lengths have."""
    return np.maximum(lengths - (order - 1), 0)


def _orders(tokens: Tokens, variant: Variant) -> Iterator["_Order"]:
    """Yield the n-grams of segments, order by order."""
    segments = np.arange(len(tokens.nrefs))
    has_predictions = len(tokens.lengths) > tokens.references.stop
    of_texts = np.concatenate([segments, segments.repeat(tokens.nrefs), *[segments] * has_predictions])
    nrefs = set(tokens.nrefs.tolist())
    weight = variant.source_weight or (nrefs.pop() if len(nrefs) == 1 else tokens.nrefs)
    for n, numbered in enumerate(_numbered(tokens.ids, tokens.lengths, of_texts, variant.max_order), 1):
        yield _Order(n, tokens, numbered, weight)


class _Order:
    """The n-grams of one order of some segments.

    Those of the sources stand first, then those that only references hold, then those that only predictions hold. Each
    of these three parts goes segment by segment.

    Attributes:
        n: the order.
        tokens: the tokens of the texts.
        numbered: the n-grams.
        weight: int64[segment], or one for all segments: see `Ngrams.m`.
        s: int64[ngram]: occurrences in sources, of the n-grams of sources.
        r: int64[ngram]: occurrences in references, of the n-grams of sources and references.
        source_sizes: int64[segment]: how many n-grams each source has.
    """

    def __init__(self, n: int, tokens: Tokens, numbered: _Numbered, weight: np.ndarray | int):
        self.n, self.tokens, self.numbered, self.weight = n, tokens, numbered, weight
        texts, sizes = tokens.references, _ngrams_of_texts(tokens.lengths, n)
        first = int(sizes[: texts.start].sum())
        second = first + int(sizes[texts].sum())
        self._in_references, self._in_predictions = numbered.numbers[first:second], numbered.numbers[second:]
        self.s = np.bincount(numbered.numbers[:first])
        self.r = np.bincount(self._in_references, minlength=len(self.s))
        self.source_sizes = np.bincount(numbered.owners[: len(self.s)], minlength=len(tokens.nrefs))

    def of_segments(self) -> tuple[Ngrams, Ngrams]:
        """Return the n-grams of the sources, and those that they lack; each segment has one prediction."""
        owners = self.numbered.owners
        s, p, r = np.zeros((3, len(owners)), np.int64)
        s[: len(self.s)] = self.s
        p[:] = np.bincount(self._in_predictions, minlength=len(owners))
        r[: len(self.r)] = self.r
        places, parts = np.arange(len(owners)), (slice(len(self.s)), slice(len(self.s), None))
        old, new = (Ngrams(s[part], p[part], r[part], owners[part], owners[part], self, places[part]) for part in parts)
        return old, new

    def of_predictions(self, own: _Numbered, known: np.ndarray, owners: np.ndarray) -> tuple[Ngrams, Ngrams]:
        """Return the n-grams of sources, and those of predictions that they lack.

        N-grams of references alone are left out: they add to nothing but denominators of recall.

        Args:
            own: the n-grams of the predictions, which are not among the texts, numbered as if each were a segment.
            known: int64[ngram]: their numbers in this order; -1 where neither sources nor references hold them.
            owners: int64[prediction]: the segment of each prediction.
        """
        times, texts = np.bincount(own.numbers, minlength=len(own.owners)), own.owners
        in_sources = (known >= 0) & (known < len(self.s))
        kept, added = in_sources.nonzero()[0], (~in_sources).nonzero()[0]
        index, shift = _gathered(running_total(self.source_sizes), owners)
        p = np.zeros(len(index), np.int64)
        p[known[kept] + shift[texts[kept]]] = times[kept]
        rows = np.arange(len(owners)).repeat(self.source_sizes[owners])
        old = Ngrams(self.s[index], p, self.r[index], rows, owners[rows], self, index)
        index, rows = known[added], texts[added]
        r = np.append(self.r, 0)[index]  # -1 is the place of the 0
        new = Ngrams(np.zeros(len(index), np.int64), times[added], r, rows, owners[rows], self, index)
        return old, new

    def look_up(self, prefixes: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return the numbers of n-grams in this order; -1 where neither sources nor references hold them.

        Args:
            prefixes: int64[ngram]: the numbers of their (n-1)-grams in the order before, or -1.
            last: int64[ngram]: their last tokens.
        """
        base = self.numbered.base
        pairs = prefixes * base + last
        pairs[(prefixes < 0) | (last >= base)] = -1
        return self._index.get_indexer(pairs)

    def strings(self, ngram: int) -> tuple[str, ...]:
        """Return the tokens of an n-gram."""
        place = int(self._place_of[ngram])
        return self.tokens.spans.strings(place, place + self.n)

    def is_left_over(self, ngram: int) -> bool:
        """Return whether deleting words from the source, as it is written, leaves an n-gram that references hold.

        As in modified-sari.py, empty tokens are not words, the words must also stand in n-grams of the source, and a
        source without n-grams of the order has no words.
        """
        words = " ".join(self.strings(ngram)).split()
        segment = int(self.numbered.owners[ngram])
        if words and self.tokens.lengths[segment] < self.n:
            return False
        rest = iter(self.tokens.written_sources[segment])
        in_order = all(word in rest for word in words)  # each search begins after the word before
        return in_order and self.tokens.source_words[segment].issuperset(words)

    @cached_property
    def holders(self) -> np.ndarray:
        """How many references hold each n-gram: int64[ngram]."""
        sizes = _ngrams_of_texts(self.tokens.lengths[self.tokens.references], self.n)
        texts = np.arange(len(sizes)).repeat(sizes)
        held = pd.unique(self._in_references.astype(np.int64) << 32 | texts) >> 32
        return np.bincount(held, minlength=len(self.numbered.owners))

    @cached_property
    def long_references(self) -> np.ndarray:
        """How many references are long enough to hold any n-gram of the order, at least 1: int64[segment]."""
        nrefs, long = self.tokens.nrefs, self.tokens.lengths[self.tokens.references] >= self.n
        return np.maximum(np.add.reduceat(long, nrefs.cumsum() - nrefs, dtype=np.int64), 1)

    @cached_property
    def _place_of(self) -> np.ndarray:
        """Where an occurrence of each n-gram begins among the tokens: int64[ngram]."""
        lengths = self.tokens.lengths
        left = self.tokens.starts[1:].repeat(lengths) - np.arange(len(self.tokens.ids))  # tokens left in the text
        place_of = np.empty(len(self.numbered.owners), np.int64)
        place_of[self.numbered.numbers] = np.flatnonzero(left >= self.n)
        return place_of

    @cached_property
    def _index(self) -> pd.Index:
        """The n-grams by their pairs."""
        return pd.Index(self.numbered.pairs.astype(np.int64))


def _gathered(starts: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate the index ranges of segments; also return offsets.

    Args:
        starts: where the n-grams of each segment begin, and where the last ones end: int64[segment + 1].
        owners: the segments to concatenate.

    Returns:
        The indices, and the offset of each owner: an index stands at index + offset in the result.
    """
    sizes = (starts[1:] - starts[:-1])[owners]
    shift = running_total(sizes)[:-1] - starts[:-1][owners]
    return np.arange(int(sizes.sum())) - shift.repeat(sizes), shift
