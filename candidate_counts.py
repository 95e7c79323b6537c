"""Numbered n-grams in, counts out, for candidates that are each other's references: see `ngram_counts`."""

from collections.abc import Sequence

import numpy as np

from .countings import COUNTINGS, Amounts, Counting
from .ngrams import REFERENCES, SOURCES, Ngrams, Tokens, in_source_in_order, numbered_ngrams
from .ranges import ranges_of, running_total, sums_of_ranges
from .variants import OPERATIONS

_KEEP, _ADD = OPERATIONS.index("keep"), OPERATIONS.index("add")


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
    ngrams = numbered_ngrams(tokens, max_order)
    orders, in_sources = ngrams.orders, ngrams.first_seen[SOURCES, :, 0]
    in_source = ngrams.occurrences(SOURCES, ngrams.in_sources)
    occurring, hits = zip(*(_of_candidates(ngrams, order, rules) for order in range(1, orders + 1)), strict=True)
    in_candidate = np.concatenate(occurring, axis=1)
    in_reference = rules.weigh_one(in_candidate)
    if rules.sets:
        in_source, in_candidate = np.minimum(in_source, 1), np.minimum(in_candidate, 1)
    scale = np.array([source_weight or 1])
    in_source, in_candidate = in_source * scale, in_candidate * scale
    kept, by_reference = np.minimum(in_source, in_candidate), np.minimum(in_source, in_reference)
    deleted, deleted_by_reference = in_source - kept, in_source - by_reference
    amounts = Amounts(kept[:, None], deleted[:, None], by_reference, deleted_by_reference, in_reference, scale)
    shape = (candidates, candidates, orders)

    def sums(rows: Sequence[np.ndarray], *shape: int) -> np.ndarray:
        ranges = ranges_of(np.tile(in_sources, int(np.prod(shape)) // orders))
        return sums_of_ranges(_ravelled(rows), ranges).reshape(-1, *shape)

    counts = np.zeros((candidates, candidates, max_order, len(OPERATIONS), 4))
    filled = counts[:, :, :orders]
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
    if rules.keep_recall_over_union:
        filled[..., _KEEP, 3] = in_sources + added
    return counts


def _of_candidates(ngrams: Ngrams, order: int, rules: Counting) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return of the references of the only segment, taken for candidates, what they hold.

    Returns:
        int64[candidate, n-gram]: how often each holds each distinct n-gram of the source; int64[candidate, reference]:
        how many n-grams each adds that each other one has; int64[candidate]: how many it adds.
    """
    candidates, (in_source, not_in_source) = int(ngrams.tokens.nrefs[0]), ngrams.first_seen[:, order - 1, 0].tolist()
    begins = running_total(ngrams.first_seen.ravel())
    words = ngrams.words_of_candidates()
    numbers, texts = ngrams.of_order(order, REFERENCES), words.texts(order)
    ours, new = (numbers < ngrams.in_sources).nonzero()[0], (numbers >= ngrams.in_sources).nonzero()[0]
    kept, added = numbers[ours] - begins[order - 1], numbers[new] - begins[ngrams.orders + order - 1]
    holds = np.bincount(texts[ours] * in_source + kept, minlength=candidates * in_source)
    adds = np.zeros((candidates, not_in_source), bool)
    adds[texts[new], added] = True
    hits = adds
    if rules.strikes_subsequences:
        struck = in_source_in_order(words, ngrams.sources, order, new)
        hits = adds.copy()
        hits[texts[new[struck]], added[struck]] = False
    return holds.reshape(candidates, in_source), (_in_common(hits, adds), adds.sum(axis=1))


def _in_common(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Count in how many columns a row of one mask and a row of another are both set: int64[row, row].

    The product of matrices that this is would take all cores.
    """
    counts = np.zeros((len(ours), len(theirs)), np.int64)
    for own, other in zip(_words_of_bits(ours).T, _words_of_bits(theirs).T, strict=True):
        counts += np.bitwise_count(own[:, None] & other)
    return counts


def _words_of_bits(mask: np.ndarray) -> np.ndarray:
    """Return the rows of a mask as words of 64 bits: uint64[row, word]."""
    words = np.zeros((len(mask), -(-mask.shape[1] // 64)), np.uint64)
    bits = np.packbits(mask, axis=1)
    words.view(np.uint8)[:, : bits.shape[1]] = bits
    return words


def _ravelled(rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the rows in one dimension; one that stands there twice stays one."""
    once = {id(row): row.ravel() for row in rows}
    return [once[id(row)] for row in rows]
