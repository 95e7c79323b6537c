"""Token ids in, counts out: what was kept, deleted and added, for every segment, n-gram order and operation.

N-grams are numbered by first appearance, and the texts stand in the order sources, predictions, references. So the
n-grams of the sources come first, then those that predictions (and perhaps references) hold but sources do not, then
those that only references hold; within each of the three, segment by segment. Every count of a segment is a sum over
a contiguous range, in an order that depends on that segment's texts alone.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

OPERATIONS = ("keep", "delete", "add")
_KEEP_RECALL_DENOMINATOR = 3

#: The id of the empty token: what stands between two spaces, or in an empty text, where texts are split on spaces.
EMPTY = 0


class _Order(NamedTuple):
    """The n-grams of one order, each known by its number among the distinct n-grams of all segments.

    Attributes:
        n: the order.
        grams: the numbers of the n-grams of all texts, one text after the other.
        bounds: for each text, and after the last, where its n-grams begin in `grams`.
        known: how many distinct n-grams stand before each source, before each prediction, before the references of each
            segment, and in all.
        unigrams: for each token, its number among the distinct unigrams.
        ids, lengths, nrefs: as given to `count`.
    """

    n: int
    grams: np.ndarray
    bounds: np.ndarray
    known: np.ndarray
    unigrams: np.ndarray
    ids: np.ndarray
    lengths: np.ndarray
    nrefs: np.ndarray


class _Tables(NamedTuple):
    """What is counted of the n-grams of one order.

    Attributes:
        in_source, in_prediction, in_references: for each distinct n-gram of each source, how much of it is there.
        scale: for each segment, the number to multiply source and prediction by to compare them with references.
        old: for each segment, the distinct n-grams of its source.
        hits, matches: for each distinct n-gram that is only in predictions, and perhaps in references, whether it
            counts as well added, and whether it is in references.
        new: for each segment, the distinct n-grams that are in its prediction but not in its source.
        missed: for each segment, the distinct n-grams that are only in its references.
    """

    in_source: np.ndarray
    in_prediction: np.ndarray
    in_references: np.ndarray
    scale: np.ndarray
    old: np.ndarray
    hits: np.ndarray
    matches: np.ndarray
    new: np.ndarray
    missed: np.ndarray


class _Amounts(NamedTuple):
    """For each distinct n-gram of each source, how much of it the prediction and the references keep and delete."""

    kept: np.ndarray
    gone: np.ndarray
    meant_kept: np.ndarray
    meant_gone: np.ndarray
    references: np.ndarray
    scale: np.ndarray


class _Counting(NamedTuple):
    """One way to count: a row of `COUNTINGS`.

    Attributes:
        sets: whether source and prediction are sets of n-grams; otherwise repeated ones count as often as they occur.
        weigh: from an order and the occurrences in references of each n-gram of the sources to what they weigh, and
            to the scale of each segment.
        tally: from amounts to the eight rows that are summed over a segment: for keep and delete, numerator and
            denominator of precision, numerator and denominator of recall.
        keep_recall_over_union: whether keep recall divides by the n-grams of source or references, not of both.
        strikes_subsequences: whether an added n-gram whose tokens stand in the source, in that order, is no hit.
    """

    sets: bool
    weigh: Callable[[_Order, np.ndarray], tuple[np.ndarray, np.ndarray]]
    tally: Callable[[_Amounts], tuple[np.ndarray, ...]]
    keep_recall_over_union: bool = False
    strikes_subsequences: bool = False


def count(ids: np.ndarray, lengths: np.ndarray, nrefs: np.ndarray, *, counting: str, max_order: int) -> np.ndarray:
    """Count what each prediction kept, deleted and added, and what the references did.

    Args:
        ids: token ids of all texts, one after the other: all sources, all predictions, then the references of the
            first segment, of the second, and so on. int64, from 1 to 2**31, or `EMPTY`.
        lengths: tokens of each text, in that order.
        nrefs: references of each segment, at least 1 each.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.

    Returns:
        float64[segment, order, operation, 4]: numerator and denominator of precision, numerator and denominator of
        recall. Operations are in the order of `OPERATIONS`.

    One source `a b`, its prediction `a c` and its reference `a c`:

    >>> ids, lengths, nrefs = np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), np.array([1])
    >>> count(ids, lengths, nrefs, counting="pooled", max_order=1)
    array([[[[1., 1., 1., 1.],
             [1., 1., 1., 1.],
             [1., 1., 1., 1.]]]])
    """
    how = COUNTINGS[counting]
    # The orders one behind the other, so that each step below is one call for all of them.
    orders = min(max_order, int(lengths.max()) or 1)  # no text has longer n-grams
    by_order = [_tables(order, how) for order in _orders(ids, lengths, nrefs, orders)]
    tables = _Tables(*map(np.concatenate, zip(*by_order, strict=True)))
    keep_and_delete = _segment_sums(how.tally(_amounts(tables, how)), tables.old)
    hits, matches = _segment_sums((tables.hits, tables.matches), tables.new)
    wanted = matches + tables.missed
    counts = np.concatenate([keep_and_delete, [hits, tables.new, hits, wanted]])
    if how.keep_recall_over_union:
        counts[_KEEP_RECALL_DENOMINATOR] = tables.old + wanted
    counts = counts.reshape(len(OPERATIONS), 4, orders, len(nrefs)).transpose(3, 2, 0, 1)
    return np.concatenate([counts, np.zeros((len(nrefs), max_order - orders, len(OPERATIONS), 4))], axis=1)


def _orders(ids: np.ndarray, lengths: np.ndarray, nrefs: np.ndarray, max_order: int) -> Iterator[_Order]:
    """Yield the n-grams of every order; each is known by the (n-1)-gram that it begins with and its last token."""
    segments = np.arange(len(nrefs))
    segment = np.concatenate([segments, segments, np.repeat(segments, nrefs)])
    vocabulary = int(ids.max(initial=0)) + 1
    grams = unigrams = _numbered(np.repeat(segment, lengths), ids, vocabulary)
    last = ids  # the last token of each n-gram
    groups = np.concatenate([np.arange(2 * len(nrefs)), 2 * len(nrefs) + _running_total(nrefs)])
    for n in range(1, max_order + 1):
        sizes = np.maximum(lengths - (n - 1), 0)
        bounds = _running_total(sizes)
        yield _Order(n, grams, bounds, _known(grams, bounds[groups]), unigrams, ids, lengths, nrefs)
        if n < max_order:
            goes_on = np.ones(len(grams), bool)
            goes_on[bounds[1:][sizes > 0] - 1] = False
            last = last[1:][goes_on[:-1]]
            grams = _numbered(grams[goes_on], last, vocabulary)


def _numbered(first: np.ndarray, second: np.ndarray, limit: int) -> np.ndarray:
    """Give pairs numbers in the order of their first appearance; `second` is below `limit`."""
    pairs = first * limit + second
    if (int(first.max(initial=0)) + 1) * limit < 1 << 31:
        pairs = pairs.astype(np.int32)  # half the memory to look things up in
    return pd.factorize(pairs)[0]


def _known(grams: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Count the distinct n-grams before each of the bounds: they are numbered as they appear."""
    known = np.zeros(len(bounds), np.int64)
    filled = bounds[1:] > bounds[:-1]
    known[1:][filled] = np.maximum.reduceat(grams, bounds[:-1][filled]) + 1
    return np.maximum.accumulate(known)


def _tables(order: _Order, how: _Counting) -> _Tables:
    segments = len(order.nrefs)
    old, new = order.known[segments], order.known[2 * segments]
    in_references = _occurrences(order, 2 * segments, len(order.lengths), new)
    held, scale = how.weigh(order, in_references[:old])
    hits = matches = in_references[old:new] > 0
    if how.strikes_subsequences:
        hits = matches & ~_in_source_in_order(order)
    sizes = order.known[1:] - order.known[:-1]
    return _Tables(
        in_source=_occurrences(order, 0, segments, old),
        in_prediction=_occurrences(order, segments, 2 * segments, old),
        in_references=held,
        scale=scale,
        old=sizes[:segments],
        hits=hits,
        matches=matches,
        new=sizes[segments : 2 * segments],
        missed=sizes[2 * segments :],
    )


def _occurrences(order: _Order, first: int, last: int, distinct: int) -> np.ndarray:
    """Count how often the first `distinct` n-grams occur in the texts from `first` to before `last`."""
    grams = order.grams[order.bounds[first] : order.bounds[last]]
    return np.bincount(grams, minlength=distinct)[:distinct]


def _amounts(tables: _Tables, how: _Counting) -> _Amounts:
    source, prediction, references = tables.in_source, tables.in_prediction, tables.in_references
    if how.sets:
        source, prediction = np.minimum(source, 1), np.minimum(prediction, 1)
    scale = np.repeat(tables.scale, tables.old)
    source = source * scale
    kept, meant_kept = np.minimum(source, prediction * scale), np.minimum(source, references)
    return _Amounts(kept, source - kept, meant_kept, source - meant_kept, references, scale)


def _segment_sums(rows: tuple[np.ndarray, ...], sizes: np.ndarray) -> np.ndarray:
    """Sum the rows over consecutive ranges of these sizes: float64[row, range]."""
    sums = np.zeros((len(rows), len(sizes)))
    filled = sizes > 0
    begins = _running_total(sizes)[:-1][filled]
    for line, row in zip(sums, rows, strict=True):  # at once for all of them, numpy would not let go of the lock
        line[filled] = np.add.reduceat(row, begins, dtype=np.int64 if row.dtype == bool else None)
    return sums


def _running_total(sizes: np.ndarray) -> np.ndarray:
    totals = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=totals[1:])
    return totals


def _in_source_in_order(order: _Order) -> np.ndarray:
    """Tell of each n-gram that predictions hold and sources do not whether its tokens stand in the source, in order.

    Looks each token up in the sorted list of all (unigram, place) pairs of the sources, behind the one before it. As in
    modified-sari.py, empty tokens are passed over, and only sources long enough to have n-grams are looked at. (That
    script also splits tokens at whitespace other than spaces, which is not done here.)
    """
    segments = len(order.nrefs)
    old, new = order.known[segments], order.known[2 * segments]
    begins = np.empty(new - old, np.int64)
    grams = order.grams[: order.bounds[2 * segments]]
    added = (grams >= old).nonzero()[0]
    begins[grams[added] - old] = _places(order)[added]

    source_tokens = order.lengths[:segments].sum()
    listed = np.append(np.sort(order.unigrams[:source_tokens] << 32 | np.arange(source_tokens)), -1)
    found, place, words = np.ones(len(begins), bool), np.full(len(begins), -1), np.zeros(len(begins), bool)
    for step in range(order.n):
        word = order.ids[begins + step] != EMPTY
        unigram = order.unigrams[begins + step]
        match = listed[np.searchsorted(listed[:-1], unigram << 32 | place + 1)]
        found &= (match >> 32 == unigram) | ~word
        place = np.where(word, match & 0xFFFFFFFF, place)
        words |= word
    sizes = order.known[segments + 1 : 2 * segments + 1] - order.known[segments : 2 * segments]
    long_enough = np.repeat(order.lengths[:segments] >= order.n, sizes)
    return found & (long_enough | ~words)


def _places(order: _Order) -> np.ndarray:
    """Return, for each n-gram in `order.grams`, the place of its first token among all tokens."""
    begins = np.cumsum(order.lengths) - order.lengths
    sizes = order.bounds[1:] - order.bounds[:-1]
    return np.arange(len(order.grams)) + np.repeat(begins - order.bounds[:-1], sizes)


def _occurrences_in_all(order: _Order, in_references: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return in_references, order.nrefs


def _presence_in_any(order: _Order, in_references: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.minimum(in_references, 1), np.ones_like(order.nrefs)


def _holders(order: _Order, in_references: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the references that hold each n-gram, on the scale of those that are long enough to hold any."""
    distinct = len(in_references)
    bounds = order.bounds[2 * len(order.nrefs) :]
    sizes = bounds[1:] - bounds[:-1]
    grams, reference = order.grams[bounds[0] :], np.repeat(np.arange(len(sizes)), sizes)
    in_source = (grams < distinct).nonzero()[0]
    pairs = pd.unique(grams[in_source] << 32 | reference[in_source])
    long_enough = np.add.reduceat(sizes > 0, np.cumsum(order.nrefs) - order.nrefs, dtype=np.int64)
    return np.bincount(pairs >> 32, minlength=distinct), np.maximum(long_enough, 1)


def _pooled(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    kept, gone, meant_kept, meant_gone, *_ = amounts
    well_kept, well_gone = np.minimum(kept, meant_kept), np.minimum(gone, meant_gone)
    return well_kept, kept, well_kept, meant_kept, well_gone, gone, well_gone, meant_gone


def _pooled_shares(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    return tuple(row / amounts.scale for row in _pooled(amounts))


def _by_type(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    """Average over distinct n-grams, as the authors' SARI.py does.

    The delete recall of that script, which its SARI leaves out, has the numerator of the precision; so has ours.
    """
    kept, gone, meant_kept, meant_gone, references, _ = amounts
    well_kept = np.minimum(kept, meant_kept)
    gone_share = _share(np.maximum(gone - references, 0), gone)
    return (
        *(_share(well_kept, kept), kept > 0, _share(well_kept, meant_kept), meant_kept > 0),
        *(gone_share, gone > 0, gone_share, meant_gone > 0),
    )


def _by_type_keep_recall_pooled(amounts: _Amounts) -> tuple[np.ndarray, ...]:
    """Average over distinct n-grams, but sum up for keep recall, as Hugging Face does."""
    rows = _by_type(amounts)
    return (*rows[:2], np.minimum(amounts.kept, amounts.meant_kept), amounts.meant_kept, *rows[4:])


def _share(good: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return good / np.maximum(whole, 1)


COUNTINGS = {
    "hf": _Counting(sets=False, weigh=_occurrences_in_all, tally=_by_type_keep_recall_pooled),
    "xu2016": _Counting(sets=False, weigh=_occurrences_in_all, tally=_by_type),
    "lens": _Counting(sets=False, weigh=_occurrences_in_all, tally=_by_type, strikes_subsequences=True),
    "pooled": _Counting(sets=False, weigh=_occurrences_in_all, tally=_pooled),
    "weighted_sets": _Counting(sets=True, weigh=_holders, tally=_pooled_shares),
    "sets": _Counting(sets=True, weigh=_presence_in_any, tally=_pooled, keep_recall_over_union=True),
}
