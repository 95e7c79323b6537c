"""Numbered n-grams in, counts out: what was kept, deleted and added, for every segment, n-gram order and operation.

Every count of a segment is a sum over a contiguous range of its n-grams, in an order that depends on its texts alone;
and what sources and references have to say is the same for all predictions.
"""

from typing import NamedTuple

import numpy as np

from .countings import COUNTINGS, Amounts, Counting, Weights, rules_of, weigh_holders
from .lookups import Known, known_ngrams, look_up
from .ngrams import (
    PREDICTIONS,
    REFERENCES,
    SOURCES,
    Ngrams,
    Predicted,
    Sources,
    Tokens,
    Words,
    are_first,
    in_source_in_order,
    numbered_ngrams,
    occurrences,
)
from .ranges import Ranges, even_runs, ranges_of, running_total, sums_of_ranges
from .variants import OPERATIONS

_KEEP, _ADD = OPERATIONS.index("keep"), OPERATIONS.index("add")

# So many n-grams of predictions, of their sources and of their references are looked at in one go: few enough that
# memory does not grow with the number of candidates.
_SLOTS = 1 << 19


class _Wanted(NamedTuple):
    """What sources and references say: of each order of each segment, the orders one behind the other.

    Attributes:
        in_source: for each distinct n-gram of each source, how much of it is there, on the scale of the references.
        in_references: how much of it references hold.
        kept_by_references, deleted_by_references: how much of it they keep and delete.
        scale: for each, or one for all: what to multiply source and prediction by to compare them with references.
        ranges: for each segment, the distinct n-grams of its source.
        recall: float64[operation, segment]: the denominators of recall.
    """

    in_source: np.ndarray
    in_references: np.ndarray
    kept_by_references: np.ndarray
    deleted_by_references: np.ndarray
    scale: np.ndarray
    ranges: Ranges
    recall: np.ndarray


class _Done(NamedTuple):
    """What predictions have of n-grams, the orders one behind the other.

    Attributes:
        in_prediction: for each distinct n-gram of each one's source, how much of it is there.
        hits: for each prediction, the distinct n-grams that are well added.
        added: for each prediction, the distinct n-grams that its source lacks.
    """

    in_prediction: np.ndarray
    hits: np.ndarray
    added: np.ndarray


class Shared(NamedTuple):
    """All that predictions have in common, counted once: made by `share`, for `count_predictions`.

    Attributes:
        known: the n-grams.
        wanted: what sources and references say of them.
        sources: the tokens of the sources.
        nrefs: int64[segment]: references of each segment.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
    """

    known: Known
    wanted: _Wanted
    sources: Sources
    nrefs: np.ndarray
    counting: str
    max_order: int


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
    """Count what the predictions of one system, or several, kept, deleted and added, and what the references did.

    Args:
        tokens: of the segments.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
        source_weight: what source and prediction are multiplied by to compare them with references; where it is None,
            what the counting says: as a rule their number.

    Returns:
        float64[prediction, order, operation, 4]: numerator and denominator of precision, numerator and denominator of
        recall. Operations are in the order of `OPERATIONS`.

    One source `a b`, its reference `a c` and its prediction `a c`:

    >>> tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    >>> count_ngrams(tokens, counting="pooled", max_order=1)
    array([[[[1., 1., 1., 1.],
             [1., 1., 1., 1.],
             [1., 1., 1., 1.]]]])
    """
    rules = rules_of(counting, source_weight)
    ngrams = numbered_ngrams(tokens, max_order)
    wanted, counts = _wanted(ngrams, rules), []
    for system in range(tokens.systems):
        predicted = ngrams.predicted(system)
        struck = _struck(predicted, ngrams.words_of_system(system), ngrams.sources) if rules.strikes_subsequences else 0
        done = _done(predicted, struck)
        counts.append(_by_prediction(_sums(wanted, done, rules), ngrams.orders, max_order))
    return counts[0] if len(counts) == 1 else np.concatenate(counts)


def share(tokens: Tokens, *, counting: str, max_order: int, source_weight: int | None = None) -> Shared:
    """Count what all predictions have in common; see `count_ngrams`.

    Args:
        tokens: of sources and references alone.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
        source_weight: as in `count_ngrams`.
    """
    ngrams, known = known_ngrams(tokens, max_order)
    wanted = _wanted(ngrams, rules_of(counting, source_weight))
    return Shared(known, wanted, ngrams.sources, tokens.nrefs, counting, max_order)


def count_predictions(ids: np.ndarray, lengths: np.ndarray, owners: np.ndarray, shared: Shared) -> np.ndarray:
    """Count what each prediction kept, deleted and added: the same numbers as those of `count_ngrams`.

    Args:
        ids, lengths: the tokens of the predictions, and how many each has. Known tokens have the ids that they have in
            sources and references, others have higher ones.
        owners: int64[prediction]: the segment of each.
        shared: of sources and references.

    Returns:
        float64[prediction, order, operation, 4]: see `count_ngrams`.
    """
    known, ends = shared.known, running_total(lengths)
    slots = (known.of_sources[:, 1:] - known.of_sources[:, :-1]).sum(axis=0)
    slots += (known.of_references[:, 1:] - known.of_references[:, :-1]).sum(axis=0)
    runs = even_runs(slots[owners] + lengths * shared.max_order, _SLOTS)
    return np.concatenate(
        [_count_run(ids[ends[run.start] : ends[run.stop]], lengths[run], owners[run], shared) for run in runs]
    )


def _count_run(ids: np.ndarray, lengths: np.ndarray, owners: np.ndarray, shared: Shared) -> np.ndarray:
    rules = COUNTINGS[shared.counting]
    predicted, words = look_up(ids, lengths, owners, shared.known, shared.max_order)
    orders = predicted.others.shape[1]
    wanted = _of_owners(shared.wanted, len(shared.known.indexes), orders, owners)
    struck = _struck(predicted, words, shared.sources) if rules.strikes_subsequences else 0
    return _by_prediction(_sums(wanted, _done(predicted, struck), rules), orders, shared.max_order)


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
    ngrams, rules = numbered_ngrams(tokens, max_order), rules_of(counting, source_weight)
    distinct = ngrams.distinct
    weights, holders = rules.weigh(ngrams, distinct), weigh_holders(ngrams, distinct).in_references
    in_source, in_texts, in_prediction = (
        ngrams.occurrences(column, distinct) for column in (SOURCES, REFERENCES, PREDICTIONS)
    )
    if rules.sets:
        in_source, in_prediction = np.minimum(in_source, 1), np.minimum(in_prediction, 1)
    counts = _ngram_counts(ngrams, rules, weights, in_source, in_prediction, in_texts)
    amounts = []
    for order in range(1, ngrams.orders + 1):
        of_order = np.concatenate([ngrams.of_order(order, column) for column in range(len(ngrams.first_seen))])
        first = are_first(of_order)
        own = of_order[first]
        amounts.append(
            NgramAmounts(
                places=ngrams.first_tokens(order)[first],
                in_source=in_source[own],
                in_prediction=in_prediction[own],
                in_references=weights.in_references[own],
                holders=holders[own],
                scale=int(weights.scale[order - 1]),
                asked=int(weights.asked[order - 1]),
                counts=counts[own],
            )
        )
    none = np.zeros(0, np.int64)
    nothing = NgramAmounts(none, none, none, none, none, 1, 1, np.zeros((0, len(OPERATIONS), 4)))
    return amounts + [nothing] * (max_order - len(amounts))


def count_copies(counts: np.ndarray) -> int:
    """Count the segments whose prediction has the n-grams of its source, none less and none new.

    Args:
        counts: float64[segment, order, operation, 4]; an order of which neither has n-grams says nothing.
    """
    deletes_or_adds = np.logical_or.reduce(counts[:, :, 1:, 1], axis=(1, 2))
    return len(counts) - int(np.count_nonzero(deletes_or_adds))


def _wanted(ngrams: Ngrams, rules: Counting) -> _Wanted:
    in_sources, to_add = ngrams.first_seen[SOURCES].ravel(), ngrams.first_seen[REFERENCES].ravel()
    weights = rules.weigh(ngrams, ngrams.in_sources)
    in_source = ngrams.occurrences(SOURCES, ngrams.in_sources)
    ranges, scale = ranges_of(in_sources), _each(weights.scale, in_sources)
    in_source = (np.minimum(in_source, 1) if rules.sets else in_source) * scale
    kept = np.minimum(in_source, weights.in_references)
    deleted = in_source - kept
    recall = np.empty((len(OPERATIONS), len(in_sources)))
    recall[:_ADD] = sums_of_ranges((rules.wanted[0](kept, scale), rules.wanted[1](deleted, scale)), ranges)
    recall[_ADD] = to_add
    if rules.keep_recall_over_union:
        recall[_KEEP] = in_sources + to_add
    return _Wanted(in_source, weights.in_references, kept, deleted, scale, ranges, recall)


def _done(predicted: Predicted, struck: np.ndarray | int) -> _Done:
    others, in_sources = predicted.others.ravel(), predicted.in_sources
    occurring = occurrences(predicted.slots, in_sources + int(np.add.reduce(others)))
    added = sums_of_ranges([occurring[in_sources:] > 0], ranges_of(others)).reshape(len(predicted.others), -1)
    return _Done(occurring[:in_sources], added[0] - struck, np.add.reduce(added, axis=0))


def _struck(predicted: Predicted, words: Words, sources: Sources) -> np.ndarray:
    """Count the n-grams, well added but for their words in the source, that are no hits: int64[order * prediction]."""
    struck, slots, end = [], predicted.slots, predicted.in_sources + int(predicted.others[0].sum())
    for order in range(1, predicted.others.shape[1] + 1):
        texts = words.texts(order)
        own, slots = slots[: len(texts)], slots[len(texts) :]
        hits = ((own >= predicted.in_sources) & (own < end)).nonzero()[0]
        hits = hits[are_first(own[hits] - predicted.in_sources)]
        hits = hits[in_source_in_order(words, sources, order, hits)]
        struck.append(np.bincount(texts[hits], minlength=len(words.owners)))
    return np.concatenate(struck)


def _of_owners(wanted: _Wanted, known: int, orders: int, owners: np.ndarray) -> _Wanted:
    """Return for each prediction what its segment says.

    Args:
        wanted: of each segment, in so many orders as are `known`.
        orders: how many are wanted; of those that are not known, sources and references say nothing.
        owners: the segment of each prediction.
    """
    segments = len(wanted.ranges.sizes) // known
    if orders > known:
        more = np.zeros((orders - known) * segments, np.int64)
        wanted = wanted._replace(
            ranges=ranges_of(np.concatenate([wanted.ranges.sizes, more])),
            recall=np.concatenate([wanted.recall, np.zeros((len(wanted.recall), len(more)))], axis=1),
        )
    if len(owners) == segments and (owners == np.arange(segments)).all():
        return wanted
    ranges = (np.arange(orders)[:, None] * segments + owners).ravel()
    begins, sizes = running_total(wanted.ranges.sizes)[ranges], wanted.ranges.sizes[ranges]
    places = np.arange(sizes.sum()) + (begins - (sizes.cumsum() - sizes)).repeat(sizes)
    return _Wanted(
        in_source=wanted.in_source[places],
        in_references=wanted.in_references[places],
        kept_by_references=wanted.kept_by_references[places],
        deleted_by_references=wanted.deleted_by_references[places],
        scale=wanted.scale if len(wanted.scale) == 1 else wanted.scale[places],
        ranges=ranges_of(sizes),
        recall=wanted.recall.take(ranges, axis=1),
    )


def _sums(wanted: _Wanted, done: _Done, rules: Counting) -> np.ndarray:
    """Return the sums over each segment: float64[operation, 4, orders * segments]."""
    amounts = _amounts(wanted, done.in_prediction, rules)
    sums = np.empty((len(OPERATIONS), 4, len(wanted.ranges.sizes)))
    rows = (
        *rules.correct(amounts),
        rules.whole(amounts.kept, amounts.scale),
        rules.whole(amounts.deleted, amounts.scale),
    )
    of_rows = sums_of_ranges(rows, wanted.ranges)
    sums[:_ADD, ::2] = of_rows[:4].reshape(_ADD, 2, -1)
    sums[:_ADD, 1] = of_rows[4:]
    sums[_ADD, ::2], sums[_ADD, 1] = done.hits, done.added
    sums[:, 3] = wanted.recall
    return sums


def _by_prediction(sums: np.ndarray, orders: int, max_order: int) -> np.ndarray:
    """Turn sums by operation, figure, order and prediction into counts: float64[prediction, order, operation, 4]."""
    sums = sums.reshape(*sums.shape[:2], orders, -1)
    counts = np.zeros((sums.shape[-1], max_order, *sums.shape[:2]))
    counts[:, :orders] = sums.transpose(3, 2, 0, 1)
    return counts


def _amounts(wanted: _Wanted, in_prediction: np.ndarray, rules: Counting) -> Amounts:
    kept = np.minimum(in_prediction, 1) if rules.sets else in_prediction
    kept = np.minimum(wanted.in_source, kept * wanted.scale)
    return Amounts(
        kept,
        wanted.in_source - kept,
        wanted.kept_by_references,
        wanted.deleted_by_references,
        wanted.in_references,
        wanted.scale,
    )


def _each(scale: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the scale of each n-gram, or the only one that there is."""
    return scale[:1] if np.count_nonzero(scale == scale[:1]) == len(scale) else scale.repeat(sizes)


def _ngram_counts(
    ngrams: Ngrams,
    rules: Counting,
    weights: Weights,
    in_source: np.ndarray,
    in_prediction: np.ndarray,
    in_texts: np.ndarray,
) -> np.ndarray:
    """Return what `_sums` sums up, n-gram by n-gram, of the only segment: float64[n-gram, operation, 4]."""
    sizes = ngrams.first_seen.ravel()
    scale = _each(np.tile(weights.scale, len(ngrams.first_seen)), sizes)
    scaled = in_source * scale
    kept = np.minimum(scaled, weights.in_references)
    wanted = _Wanted(scaled, weights.in_references, kept, scaled - kept, scale, ranges_of(sizes), np.zeros(0))
    amounts = _amounts(wanted, in_prediction, rules)
    counts = np.zeros((len(in_source), len(OPERATIONS), 4))
    counts[:, :_ADD, ::2] = np.stack(rules.correct(amounts), axis=-1).reshape(-1, _ADD, 2)
    for place, row in enumerate((amounts.kept, amounts.deleted)):
        counts[:, place, 1] = rules.whole(row, amounts.scale)
    for place, row in enumerate((amounts.kept_by_references, amounts.deleted_by_references)):
        counts[:, place, 3] = rules.wanted[place](row, amounts.scale)
    new = in_source == 0
    counts[new, :_ADD] = 0
    added, to_add = new & (in_prediction > 0), new & (in_texts > 0)
    hits = added & to_add
    if rules.strikes_subsequences:
        hits &= ~_are_struck(ngrams)
    counts[:, _ADD] = np.stack([hits, added, hits, to_add], axis=-1)
    if rules.keep_recall_over_union:
        counts[:, _KEEP, 3] = ~new | to_add
    return counts


def _are_struck(ngrams: Ngrams) -> np.ndarray:
    """Tell of each distinct n-gram whether it is in the prediction and yet can be no hit."""
    struck, words = np.zeros(ngrams.distinct, bool), ngrams.words_of_system()
    for order in range(1, ngrams.orders + 1):
        slots = ngrams.of_order(order, PREDICTIONS)
        struck[slots] = in_source_in_order(words, ngrams.sources, order, np.arange(len(slots)))
    return struck
