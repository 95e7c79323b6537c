"""Numbered n-grams in, counts out: what was kept, deleted and added, for every segment, n-gram order and operation.

Every count of a segment is a sum over a contiguous range of its n-grams, in an order that depends on its texts alone;
and what sources and references have to say is the same for all predictions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from .ngrams import Ngrams, Tokens, are_first, in_source_in_order, numbered_ngrams, occurrences, running_total
from .variants import OPERATIONS

_KEEP_RECALL_DENOMINATOR = 3


class _Wanted(NamedTuple):
    """What sources and references say of the n-grams of one order; of several, one behind the other.

    Attributes:
        in_source: for each distinct n-gram of each source, how much of it is there.
        in_references: how much of it references hold.
        scale: for each segment, the number to multiply source and prediction by to compare them with references.
        in_sources: for each segment, the distinct n-grams of its source.
        to_add: for each segment, the distinct n-grams of its references that its source lacks.
    """

    in_source: np.ndarray
    in_references: np.ndarray
    scale: np.ndarray
    in_sources: np.ndarray
    to_add: np.ndarray


class _Done(NamedTuple):
    """What the predictions of one system have of the n-grams of one order; of several, one behind the other.

    Attributes:
        in_prediction: for each distinct n-gram of each source, how much of it is there.
        added: for each n-gram, whether it is the first of its kind and its source lacks it.
        hits: for each n-gram, whether it is also well added.
        sizes: for each segment, the n-grams of its prediction.
    """

    in_prediction: np.ndarray
    added: np.ndarray
    hits: np.ndarray
    sizes: np.ndarray


class _Amounts(NamedTuple):
    """For each distinct n-gram of each source, how much of it the prediction and the references keep and delete.

    The scale may be a single one for all.
    """

    kept: np.ndarray
    deleted: np.ndarray
    kept_by_references: np.ndarray
    deleted_by_references: np.ndarray
    in_references: np.ndarray
    scale: np.ndarray


class _Weights(NamedTuple):
    """What the occurrences of n-grams in references weigh.

    Attributes:
        in_references: for each n-gram, how much of it they hold.
        scale: for each segment, how much they would hold of an n-gram that each of them held once.
        asked: for each segment, how many references have a say.
    """

    in_references: np.ndarray
    scale: np.ndarray
    asked: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Counting:
    """One way to count: a row of `COUNTINGS`.

    Attributes:
        weigh: from n-grams and the occurrences in references of the first of them to what they weigh.
        tally: from amounts to the eight rows that are summed over a segment: for keep and delete, numerator and
            denominator of precision, numerator and denominator of recall.
        sets: whether source and prediction are sets of n-grams; otherwise repeated ones count as often as they occur.
        keep_recall_over_union: whether keep recall divides by the n-grams of source or references, not of both.
        strikes_subsequences: whether an added n-gram whose tokens stand in the source, in that order, is no hit.
    """

    weigh: Callable[[Ngrams, np.ndarray], _Weights]
    tally: Callable[[_Amounts], tuple[np.ndarray, ...]]
    sets: bool = False
    keep_recall_over_union: bool = False
    strikes_subsequences: bool = False


class NgramAmounts(NamedTuple):
    """The distinct n-grams of one order of one segment: those of the source, then of the references, then the rest.

    Attributes:
        places: int64[n-gram]: where each begins, for the first time, among the tokens.
        in_source, in_prediction: int64[n-gram]: how much of it source and prediction hold, as the counting has it.
        in_references: int64[n-gram]: how much of it references hold, on the scale `scale`.
        holders: int64[n-gram]: how many references hold it.
        scale: what source and prediction are multiplied by to compare them with references.
        asked: how many references have a say.
        counts: float64[n-gram, operation, 4]: what each adds to the counts of the segment; see `count_ngrams`.
    """

    places: np.ndarray
    in_source: np.ndarray
    in_prediction: np.ndarray
    in_references: np.ndarray
    holders: np.ndarray
    scale: int
    asked: int
    counts: np.ndarray


def count_ngrams(tokens: Tokens, *, counting: str, max_order: int, source_weight: int | None = None) -> np.ndarray:
    """Count what each prediction kept, deleted and added, and what the references did.

    Args:
        tokens: of the segments.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
        source_weight: what source and prediction are multiplied by to compare them with references; where it is None,
            what the counting says: as a rule their number.

    Returns:
        float64[system, segment, order, operation, 4]: numerator and denominator of precision, numerator and
        denominator of recall. Operations are in the order of `OPERATIONS`.

    One source `a b`, its reference `a c` and its prediction `a c`:

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> count_ngrams(tokens, counting="pooled", max_order=1)
    array([[[[[1., 1., 1., 1.],
              [1., 1., 1., 1.],
              [1., 1., 1., 1.]]]]])
    """
    rules = _rules(counting, source_weight)
    orders = list(numbered_ngrams(tokens, max_order))
    # The orders one behind the other, so that each step below is one call for all of them.
    wanted = _Wanted(*map(np.concatenate, zip(*(_wanted(ngrams, rules) for ngrams in orders), strict=True)))
    segments = len(tokens.nrefs)
    counts = np.zeros((tokens.systems, segments, max_order, len(OPERATIONS), 4))
    for system in range(tokens.systems):
        texts = tokens.predictions(system)
        done = _Done(*map(np.concatenate, zip(*(_done(ngrams, texts, rules) for ngrams in orders), strict=True)))
        sums = _sums(wanted, done, rules).reshape(len(OPERATIONS), 4, len(orders), segments)
        counts[system, :, : len(orders)] = sums.transpose(3, 2, 0, 1)
    return counts


def ngram_amounts(
    tokens: Tokens, *, counting: str, max_order: int, source_weight: int | None = None
) -> list[NgramAmounts]:
    """Return what each n-gram of one segment, of one system, adds to its counts, for each order.

    Arguments are those of `count_ngrams`.

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> (unigrams,) = ngram_amounts(tokens, counting="pooled", max_order=1)
    >>> unigrams.places.tolist(), unigrams.holders.tolist(), unigrams.counts[:, 2].tolist()
    ([0, 1, 3], [1, 0, 1], [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    """
    rules = _rules(counting, source_weight)
    amounts = [_ngram_amounts(ngrams, rules) for ngrams in numbered_ngrams(tokens, max_order)]
    none = np.zeros(0, np.int64)
    nothing = NgramAmounts(none, none, none, none, none, 1, 1, np.zeros((0, len(OPERATIONS), 4)))
    return amounts + [nothing] * (max_order - len(amounts))


def count_copies(counts: np.ndarray) -> int:
    """Count the segments whose prediction has the n-grams of its source, none less and none new.

    Args:
        counts: float64[segment, order, operation, 4]; an order of which neither has n-grams says nothing.
    """
    return int((counts[:, :, 1:, 1] == 0).all(axis=(1, 2)).sum())


def _rules(counting: str, source_weight: int | None) -> Counting:
    """Return a row of `COUNTINGS`, with a weight of its own for source and prediction where there is one."""
    rules = COUNTINGS[counting]
    if source_weight is None:
        return rules

    def weigh(ngrams: Ngrams, in_references: np.ndarray) -> _Weights:
        weights = rules.weigh(ngrams, in_references)
        return weights._replace(scale=np.full_like(weights.scale, source_weight))

    return replace(rules, weigh=weigh)


def _wanted(ngrams: Ngrams, rules: Counting) -> _Wanted:
    tokens = ngrams.tokens
    weights = rules.weigh(ngrams, occurrences(ngrams.of(tokens.references), ngrams.in_sources))
    sizes = ngrams.known[1:] - ngrams.known[:-1]
    return _Wanted(
        in_source=occurrences(ngrams.of(tokens.sources), ngrams.in_sources),
        in_references=weights.in_references,
        scale=weights.scale,
        in_sources=sizes[: len(tokens.nrefs)],
        to_add=sizes[len(tokens.nrefs) :],
    )


def _done(ngrams: Ngrams, texts: slice, rules: Counting) -> _Done:
    numbers = ngrams.of(texts)
    added = are_first(numbers) & (numbers >= ngrams.in_sources)
    hits = added & (numbers < ngrams.in_sources_or_references)
    if rules.strikes_subsequences:
        hits[hits] = ~in_source_in_order(ngrams, texts, hits)
    in_source = np.minimum(numbers, ngrams.in_sources)  # all others are one
    return _Done(occurrences(in_source, ngrams.in_sources), added, hits, ngrams.sizes(texts))


def _sums(wanted: _Wanted, done: _Done, rules: Counting) -> np.ndarray:
    """Return the sums over each segment: float64[3 operations * 4, orders * segments]."""
    same = (wanted.scale == wanted.scale[0]).all()
    scale = wanted.scale[:1] if same else np.repeat(wanted.scale, wanted.in_sources)
    amounts = _amounts(wanted.in_source, done.in_prediction, wanted.in_references, scale, rules)
    keep_and_delete = _segment_sums(rules.tally(amounts), wanted.in_sources)
    added, hits = _segment_sums((done.added, done.hits), done.sizes)
    sums = np.concatenate([keep_and_delete, [hits, added, hits, wanted.to_add]])
    if rules.keep_recall_over_union:
        sums[_KEEP_RECALL_DENOMINATOR] = wanted.in_sources + wanted.to_add
    return sums


def _amounts(
    in_source: np.ndarray, in_prediction: np.ndarray, in_references: np.ndarray, scale: np.ndarray, rules: Counting
) -> _Amounts:
    if rules.sets:
        in_source, in_prediction = np.minimum(in_source, 1), np.minimum(in_prediction, 1)
    in_source = in_source * scale
    kept, by_references = np.minimum(in_source, in_prediction * scale), np.minimum(in_source, in_references)
    return _Amounts(kept, in_source - kept, by_references, in_source - by_references, in_references, scale)


def _segment_sums(rows: tuple[np.ndarray, ...], sizes: np.ndarray) -> np.ndarray:
    """Sum the rows over consecutive ranges of these sizes: float64[row, range]."""
    sums = np.zeros((len(rows), len(sizes)))
    filled = sizes > 0
    begins = running_total(sizes)[:-1][filled]
    summed: dict[int, np.ndarray] = {}  # a row that stands there twice is summed once
    for line, row in zip(sums, rows, strict=True):  # at once for all of them, numpy would not let go of the lock
        if id(row) not in summed:
            summed[id(row)] = np.add.reduceat(row, begins, dtype=np.int64 if row.dtype == bool else None)
        line[filled] = summed[id(row)]
    return sums


def _ngram_amounts(ngrams: Ngrams, rules: Counting) -> NgramAmounts:
    """Return what `_sums` sums up, n-gram by n-gram, of the only segment."""
    tokens, distinct = ngrams.tokens, int(ngrams.numbers.max(initial=-1)) + 1
    in_texts = occurrences(ngrams.of(tokens.references), distinct)
    weights = rules.weigh(ngrams, in_texts)
    in_source = occurrences(ngrams.of(tokens.sources), distinct)
    in_prediction = occurrences(ngrams.of(tokens.predictions(0)), distinct)
    scale = np.full(distinct, weights.scale[0])
    amounts = _amounts(in_source, in_prediction, weights.in_references, scale, rules)
    counts = np.zeros((distinct, len(OPERATIONS), 4))
    counts[:, :2] = np.stack(rules.tally(amounts), axis=-1).reshape(-1, 2, 4)
    new = in_source == 0
    counts[new, :2] = 0
    added, to_add = new & (in_prediction > 0), new & (in_texts > 0)
    hits = added & to_add & ~_struck(ngrams, distinct, rules)
    counts[:, 2] = np.stack([hits, added, hits, to_add], axis=-1)
    if rules.keep_recall_over_union:
        counts[:, 0, 3] = ~new | to_add
    every = slice(0, len(tokens.lengths))
    return NgramAmounts(
        places=ngrams.first_tokens(every)[are_first(ngrams.numbers)],
        in_source=np.minimum(in_source, 1) if rules.sets else in_source,
        in_prediction=np.minimum(in_prediction, 1) if rules.sets else in_prediction,
        in_references=weights.in_references,
        holders=_holders(ngrams, in_texts).in_references,
        scale=int(weights.scale[0]),
        asked=int(weights.asked[0]),
        counts=counts,
    )


def _struck(ngrams: Ngrams, distinct: int, rules: Counting) -> np.ndarray:
    """Tell of each distinct n-gram whether it is in the prediction and yet can be no hit."""
    struck = np.zeros(distinct, bool)
    if rules.strikes_subsequences:
        texts = ngrams.tokens.predictions(0)
        every = np.ones(ngrams.sizes(texts).sum(), bool)
        struck[ngrams.of(texts)] = in_source_in_order(ngrams, texts, every)
    return struck


def _occurrences_in_all(ngrams: Ngrams, in_references: np.ndarray) -> _Weights:
    nrefs = ngrams.tokens.nrefs
    return _Weights(in_references, scale=nrefs, asked=nrefs)


def _presence_in_any(ngrams: Ngrams, in_references: np.ndarray) -> _Weights:
    nrefs = ngrams.tokens.nrefs
    return _Weights(np.minimum(in_references, 1), scale=np.ones_like(nrefs), asked=nrefs)


def _holders(ngrams: Ngrams, in_references: np.ndarray) -> _Weights:
    """Count the references that hold each n-gram, on the scale of those that are long enough to hold any."""
    nrefs, texts, distinct = ngrams.tokens.nrefs, ngrams.tokens.references, len(in_references)
    sizes = ngrams.sizes(texts)
    numbers, reference = ngrams.of(texts), np.repeat(np.arange(len(sizes)), sizes)
    asked_for = (numbers < distinct).nonzero()[0]
    pairs = pd.unique(numbers[asked_for] << 32 | reference[asked_for])
    long_enough = np.add.reduceat(sizes > 0, np.cumsum(nrefs) - nrefs, dtype=np.int64)
    scale = np.maximum(long_enough, 1)
    return _Weights(np.bincount(pairs >> 32, minlength=distinct), scale=scale, asked=scale)


def _pooled(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    kept, deleted, kept_by_references, deleted_by_references, *_ = amounts
    kept_correctly = np.minimum(kept, kept_by_references)
    deleted_correctly = np.minimum(deleted, deleted_by_references)
    return (
        *(kept_correctly, kept, kept_correctly, kept_by_references),
        *(deleted_correctly, deleted, deleted_correctly, deleted_by_references),
    )


def _pooled_shares(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    return tuple(row / amounts.scale for row in _pooled(amounts))


def _by_type(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    """Average over distinct n-grams, as the authors' SARI.py does."""
    kept_correctly, meant = np.minimum(amounts.kept, amounts.kept_by_references), amounts.kept_by_references
    precision = _share(kept_correctly, amounts.kept), amounts.kept > 0
    return (*precision, _share(kept_correctly, meant), meant > 0, *_deleted_by_type(amounts))


def _by_type_keep_recall_pooled(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    """Average over distinct n-grams, but sum up for keep recall, as Hugging Face does."""
    kept_correctly = np.minimum(amounts.kept, amounts.kept_by_references)
    precision = _share(kept_correctly, amounts.kept), amounts.kept > 0
    return (*precision, kept_correctly, amounts.kept_by_references, *_deleted_by_type(amounts))


def _deleted_by_type(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    """Average deletions over distinct n-grams.

    The delete recall of the authors' script, which its SARI leaves out, has the numerator of the precision: ours too.
    """
    share = _share(np.maximum(amounts.deleted - amounts.in_references, 0), amounts.deleted)
    return share, amounts.deleted > 0, share, amounts.deleted_by_references > 0


def _share(good: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return good / np.maximum(whole, 1)


COUNTINGS = {
    "hf": Counting(weigh=_occurrences_in_all, tally=_by_type_keep_recall_pooled),
    "xu2016": Counting(weigh=_occurrences_in_all, tally=_by_type),
    "lens": Counting(weigh=_occurrences_in_all, tally=_by_type, strikes_subsequences=True),
    "pooled": Counting(weigh=_occurrences_in_all, tally=_pooled),
    "weighted_sets": Counting(weigh=_holders, tally=_pooled_shares, sets=True),
    "sets": Counting(weigh=_presence_in_any, tally=_pooled, sets=True, keep_recall_over_union=True),
}
