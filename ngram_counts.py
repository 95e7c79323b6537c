"""Numbered n-grams in, counts out: what was kept, deleted and added, for every segment, n-gram order and operation.

Every count of a segment is a sum over a contiguous range of its n-grams, in an order that depends on its texts alone;
and what sources and references have to say is the same for all predictions.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .countings import COUNTINGS, Amounts, Counting, rules_of, weigh_holders
from .ngrams import (
    Known,
    Ngrams,
    Predicted,
    Sources,
    Tokens,
    are_first,
    in_source_in_order,
    known_ngrams,
    look_up,
    numbered_ngrams,
    occurrences,
    running_total,
)
from .variants import OPERATIONS

_KEEP, _ADD = OPERATIONS.index("keep"), OPERATIONS.index("add")


class _Wanted(NamedTuple):
    """What sources and references say: of each order of each segment, the orders one behind the other.

    Attributes:
        in_source: for each distinct n-gram of each source, how much of it is there, on the scale of the references.
        in_references: how much of it references hold.
        kept_by_references, deleted_by_references: how much of it they keep and delete.
        scale: for each segment, the number to multiply source and prediction by to compare them with references.
        in_sources: for each segment, the distinct n-grams of its source.
        recall: float64[operation, segment]: the denominators of recall.
    """

    in_source: np.ndarray
    in_references: np.ndarray
    kept_by_references: np.ndarray
    deleted_by_references: np.ndarray
    scale: np.ndarray
    in_sources: np.ndarray
    recall: np.ndarray


class _Done(NamedTuple):
    """What predictions have of the n-grams of one order; of several, one behind the other.

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
        known: the n-grams of each order.
        wanted: what sources and references say of them.
        sources: the tokens of the sources.
        nrefs: int64[segment]: references of each segment.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
    """

    known: list[Known]
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
    orders = list(numbered_ngrams(tokens, max_order))
    wanted, counts = _wanted(orders, rules), []
    for system in range(tokens.systems):
        done = [_done(ngrams.predicted(system), ngrams.sources, rules) for ngrams in orders]
        counts.append(_by_prediction(_sums(wanted, _behind(done), rules), len(orders), max_order))
    return counts[0] if len(counts) == 1 else np.concatenate(counts)


def share(tokens: Tokens, *, counting: str, max_order: int, source_weight: int | None = None) -> Shared:
    """Count what all predictions have in common; see `count_ngrams`.

    Args:
        tokens: of sources and references alone.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
        source_weight: as in `count_ngrams`.
    """
    orders = list(numbered_ngrams(tokens, max_order))
    firsts = [len(tokens.nrefs), *(len(ngrams.pairs) for ngrams in orders)]
    known = [known_ngrams(ngrams, first) for ngrams, first in zip(orders, firsts, strict=False)]
    wanted = _wanted(orders, rules_of(counting, source_weight))
    return Shared(known, wanted, orders[0].sources, tokens.nrefs, counting, max_order)


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
    rules = COUNTINGS[shared.counting]
    done = [
        _done(predicted, shared.sources, rules)
        for predicted in look_up(ids, lengths, owners, shared.known, shared.max_order)
    ]
    wanted = _of_owners(shared.wanted, len(shared.known), len(done), owners)
    return _by_prediction(_sums(wanted, _behind(done), rules), len(done), shared.max_order)


def count_each_by_each(
    tokens: Tokens, *, counting: str, max_order: int, source_weight: int | None = None
) -> np.ndarray:
    """Count what each of some candidates kept, deleted and added, with each of them as the only reference.

    Args:
        tokens: of one source, and of the candidates as its references.
        counting: a key of `COUNTINGS`.
        max_order: the longest n-grams.
        source_weight: as in `count_ngrams`; 1 where it is None, as there is one reference.

    Returns:
        float64[candidate, reference, order, operation, 4]: see `count_ngrams`.
    """
    rules, candidates = COUNTINGS[counting], int(tokens.nrefs[0])
    orders = list(numbered_ngrams(tokens, max_order))
    in_sources = np.array([ngrams.in_sources for ngrams in orders])
    in_source = np.concatenate([occurrences(ngrams.of(tokens.sources), ngrams.in_sources) for ngrams in orders])
    occurring, hits = zip(*(_of_candidates(ngrams, rules) for ngrams in orders), strict=True)
    in_candidate = np.concatenate(occurring, axis=1)
    in_reference = rules.weigh_one(in_candidate)
    if rules.sets:
        in_source, in_candidate = np.minimum(in_source, 1), np.minimum(in_candidate, 1)
    scale = np.array([source_weight or 1])
    in_source, in_candidate = in_source * scale, in_candidate * scale
    kept, by_reference = np.minimum(in_source, in_candidate), np.minimum(in_source, in_reference)
    deleted, deleted_by_reference = in_source - kept, in_source - by_reference
    amounts = Amounts(kept[:, None], deleted[:, None], by_reference, deleted_by_reference, in_reference, scale)
    shape = (candidates, candidates, len(orders))

    def sums(rows: Sequence[np.ndarray], *shape: int) -> np.ndarray:
        ranges = np.tile(in_sources, int(np.prod(shape)) // len(orders))
        return _segment_sums(_ravelled(rows), ranges).reshape(-1, *shape)

    counts = np.zeros((candidates, candidates, max_order, len(OPERATIONS), 4))
    filled = counts[:, :, : len(orders)]
    correct = sums(rules.correct(amounts), *shape)
    filled[..., :_ADD, ::2] = np.moveaxis(correct, 0, -1).reshape(*shape, _ADD, 2)
    whole = sums([rules.whole(row, scale) for row in (kept, deleted)], *shape[1:])
    filled[..., :_ADD, 1] = np.moveaxis(whole, 0, -1)[:, None]
    asked = sums(
        [rule(row, scale) for rule, row in zip(rules.wanted, (by_reference, deleted_by_reference), strict=True)],
        *shape[1:],
    )
    filled[..., :_ADD, 3] = np.moveaxis(asked, 0, -1)
    both, added = np.stack([row[0] for row in hits], axis=-1), np.stack([row[1] for row in hits], axis=-1)
    filled[..., _ADD, ::2], filled[..., _ADD, 1], filled[..., _ADD, 3] = both[..., None], added[:, None], added
    filled[..., _ADD, 2] = both
    if rules.keep_recall_over_union:
        filled[..., _KEEP, 3] = in_sources + added
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
    rules = rules_of(counting, source_weight)
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


def _wanted(orders: list[Ngrams], rules: Counting) -> _Wanted:
    rows = []
    for ngrams in orders:
        tokens = ngrams.tokens
        weights = rules.weigh(ngrams, occurrences(ngrams.of(tokens.references), ngrams.in_sources))
        in_source = occurrences(ngrams.of(tokens.sources), ngrams.in_sources)
        sizes = ngrams.known[1:] - ngrams.known[:-1]
        segments = len(tokens.nrefs)
        rows.append((in_source, weights.in_references, weights.scale, sizes[:segments], sizes[segments:]))
    # The orders one behind the other, so that each step below is one call for all of them.
    in_source, in_references, scale, in_sources, to_add = map(np.concatenate, zip(*rows, strict=True))
    each = _each(scale, in_sources)
    in_source = (np.minimum(in_source, 1) if rules.sets else in_source) * each
    kept = np.minimum(in_source, in_references)
    deleted = in_source - kept
    denominators = rules.wanted[0](kept, each), rules.wanted[1](deleted, each)
    recall = np.concatenate([_segment_sums(denominators, in_sources), [to_add]])
    if rules.keep_recall_over_union:
        recall[_KEEP] = in_sources + to_add
    return _Wanted(in_source, in_references, kept, deleted, scale, in_sources, recall)


def _done(predicted: Predicted, sources: Sources, rules: Counting) -> _Done:
    slots, texts, in_sources = predicted.slots, predicted.texts, predicted.in_sources
    added = (slots >= in_sources).nonzero()[0]
    added = added[are_first(slots[added] - in_sources)]
    hits = added[slots[added] < predicted.in_sources_or_references]
    if rules.strikes_subsequences:
        hits = hits[~in_source_in_order(predicted, sources, hits)]
    in_source = np.minimum(slots, in_sources)  # all others are one
    counted = (np.bincount(texts[places], minlength=len(predicted.owners)) for places in (hits, added))
    return _Done(occurrences(in_source, in_sources), *counted)


def _of_candidates(ngrams: Ngrams, rules: Counting) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return of the references of the only segment, taken for candidates, what they hold.

    Returns:
        int64[candidate, n-gram]: how often each holds each distinct n-gram of the source; int64[candidate, reference]:
        how many n-grams each adds that each other one has; int64[candidate]: how many it adds.
    """
    candidates, in_sources = int(ngrams.tokens.nrefs[0]), ngrams.in_sources
    numbers, sizes = ngrams.of(ngrams.tokens.references), ngrams.sizes(ngrams.tokens.references)
    texts = np.arange(candidates).repeat(sizes)
    ours, new = (numbers < in_sources).nonzero()[0], (numbers >= in_sources).nonzero()[0]
    holds = np.bincount(texts[ours] * in_sources + numbers[ours], minlength=candidates * in_sources)
    adds = np.zeros((candidates, ngrams.in_sources_or_references - in_sources), np.float32)
    adds[texts[new], numbers[new] - in_sources] = 1
    hits = adds
    if rules.strikes_subsequences:
        struck = new[in_source_in_order(ngrams.candidates(), ngrams.sources, new)]
        hits = adds.copy()
        hits[texts[struck], numbers[struck] - in_sources] = 0
    return holds.reshape(candidates, in_sources), (hits @ adds.T, adds.sum(axis=1))


def _behind(done: list[_Done]) -> _Done:
    """Return what there is of each order, one behind the other."""
    return _Done(*map(np.concatenate, zip(*done, strict=True)))


def _of_owners(wanted: _Wanted, known: int, orders: int, owners: np.ndarray) -> _Wanted:
    """Return for each prediction what its segment says.

    Args:
        wanted: of each segment, in so many orders as are `known`.
        orders: how many are wanted; of those that are not known, sources and references say nothing.
        owners: the segment of each prediction.
    """
    segments = len(wanted.scale) // known
    if orders > known:
        more = np.zeros((orders - known) * segments, np.int64)
        wanted = wanted._replace(
            scale=np.concatenate([wanted.scale, more + 1]),
            in_sources=np.concatenate([wanted.in_sources, more]),
            recall=np.concatenate([wanted.recall, np.zeros((len(wanted.recall), len(more)))], axis=1),
        )
    if len(owners) == segments and (owners == np.arange(segments)).all():
        return wanted
    ranges = (np.arange(orders)[:, None] * segments + owners).ravel()
    begins, sizes = running_total(wanted.in_sources)[ranges], wanted.in_sources[ranges]
    places = np.arange(sizes.sum()) + (begins - (sizes.cumsum() - sizes)).repeat(sizes)
    return _Wanted(
        in_source=wanted.in_source[places],
        in_references=wanted.in_references[places],
        kept_by_references=wanted.kept_by_references[places],
        deleted_by_references=wanted.deleted_by_references[places],
        scale=wanted.scale[ranges],
        in_sources=sizes,
        recall=wanted.recall.take(ranges, axis=1),
    )


def _sums(wanted: _Wanted, done: _Done, rules: Counting) -> np.ndarray:
    """Return the sums over each segment: float64[operation, 4, orders * segments]."""
    amounts = _amounts(wanted, done.in_prediction, rules)
    sums = np.empty((len(OPERATIONS), 4, len(wanted.scale)))
    rows = (
        *rules.correct(amounts),
        rules.whole(amounts.kept, amounts.scale),
        rules.whole(amounts.deleted, amounts.scale),
    )
    of_rows = _segment_sums(rows, wanted.in_sources)
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
    scale = _each(wanted.scale, wanted.in_sources)
    kept = np.minimum(in_prediction, 1) if rules.sets else in_prediction
    kept = np.minimum(wanted.in_source, kept * scale)
    return Amounts(
        kept,
        wanted.in_source - kept,
        wanted.kept_by_references,
        wanted.deleted_by_references,
        wanted.in_references,
        scale,
    )


def _each(scale: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the scale of each n-gram, or the only one that there is."""
    return scale[:1] if (scale == scale[:1]).all() else scale.repeat(sizes)


def _ravelled(rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the rows in one dimension; one that stands there twice stays one."""
    once = {id(row): row.ravel() for row in rows}
    return [once[id(row)] for row in rows]


def _segment_sums(rows: Sequence[np.ndarray], sizes: np.ndarray) -> np.ndarray:
    """Sum the rows over consecutive ranges of these sizes: float64[row, range]."""
    sums = np.zeros((len(rows), len(sizes)))
    filled = sizes > 0
    begins = (sizes.cumsum() - sizes)[filled]
    every = len(begins) == len(sizes)
    summed: dict[int, np.ndarray] = {}  # a row that stands there twice is summed once
    for line, row in zip(sums, rows, strict=True):  # at once for all of them, numpy would not let go of the lock
        if id(row) not in summed:
            summed[id(row)] = np.add.reduceat(row, begins, dtype=np.int64 if row.dtype == bool else None)
        line[... if every else filled] = summed[id(row)]
    return sums


def _ngram_amounts(ngrams: Ngrams, rules: Counting) -> NgramAmounts:
    """Return what `_sums` sums up, n-gram by n-gram, of the only segment."""
    tokens, distinct = ngrams.tokens, int(ngrams.numbers.max(initial=-1)) + 1
    in_texts = occurrences(ngrams.of(tokens.references), distinct)
    weights = rules.weigh(ngrams, in_texts)
    in_source = occurrences(ngrams.of(tokens.sources), distinct)
    in_prediction = occurrences(ngrams.of(tokens.predictions()), distinct)
    if rules.sets:
        in_source, in_prediction = np.minimum(in_source, 1), np.minimum(in_prediction, 1)
    scaled = in_source * weights.scale[0]
    kept_by_references = np.minimum(scaled, weights.in_references)
    wanted = _Wanted(
        *(scaled, weights.in_references, kept_by_references, scaled - kept_by_references),
        *(weights.scale, np.array([distinct]), np.zeros(0)),
    )
    amounts = _amounts(wanted, in_prediction, rules)
    counts = np.zeros((distinct, len(OPERATIONS), 4))
    counts[:, :_ADD, ::2] = np.stack(rules.correct(amounts), axis=-1).reshape(distinct, _ADD, 2)
    for place, row in enumerate((amounts.kept, amounts.deleted)):
        counts[:, place, 1] = rules.whole(row, amounts.scale)
    for place, row in enumerate((amounts.kept_by_references, amounts.deleted_by_references)):
        counts[:, place, 3] = rules.wanted[place](row, amounts.scale)
    new = in_source == 0
    counts[new, :_ADD] = 0
    added, to_add = new & (in_prediction > 0), new & (in_texts > 0)
    hits = added & to_add & ~_struck(ngrams, distinct, rules)
    counts[:, _ADD] = np.stack([hits, added, hits, to_add], axis=-1)
    if rules.keep_recall_over_union:
        counts[:, _KEEP, 3] = ~new | to_add
    every = slice(0, len(tokens.lengths))
    return NgramAmounts(
        places=ngrams.first_tokens(every)[are_first(ngrams.numbers)],
        in_source=in_source,
        in_prediction=in_prediction,
        in_references=weights.in_references,
        holders=weigh_holders(ngrams, in_texts).in_references,
        scale=int(weights.scale[0]),
        asked=int(weights.asked[0]),
        counts=counts,
    )


def _struck(ngrams: Ngrams, distinct: int, rules: Counting) -> np.ndarray:
    """Tell of each distinct n-gram whether it is in the prediction and yet can be no hit."""
    struck = np.zeros(distinct, bool)
    if rules.strikes_subsequences:
        predicted = ngrams.predicted()
        every = np.arange(len(predicted.slots))
        struck[predicted.slots] = in_source_in_order(predicted, ngrams.sources, every)
    return struck
