"""The n-grams of predictions, looked up among those of sources and references, which are numbered once for all of them.

So it is for predictions that come later, and where a segment has several of them.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from .ngrams import (
    Ngrams,
    Predicted,
    Tokens,
    Words,
    are_first,
    numbered_apart,
    numbered_together,
    orders_of,
    texts_of_ngrams,
)
from .ranges import running_total
from .tokenization import factorize


class Known(NamedTuple):
    """The n-grams that sources and references have, ready to look up those of predictions among them.

    Here each order is numbered apart, from 0: those of the sources, then those that only references hold.

    Attributes:
        indexes: of each order: of each n-gram its (n-1)-gram (of a unigram, its segment) times `seconds`, plus its last
            token.
        seconds: more than any id.
        of_sources, of_references: int64[order, segment + 1]: how many distinct n-grams stand before each source, and
            before the references of each segment, and behind the last.
    """

    indexes: list[pd.Index]
    seconds: int
    of_sources: np.ndarray
    of_references: np.ndarray


def known_ngrams(tokens: Tokens, max_order: int) -> tuple[Ngrams, Known]:
    """Return the n-grams of sources and references, without predictions, also ready to look others up among them."""
    apart, segments, indexes = numbered_apart(tokens, orders_of(tokens.lengths, max_order)), len(tokens.nrefs), []
    firsts = [segments, *map(len, apart.pairs)]
    for first, pairs in zip(firsts, apart.pairs, strict=False):
        kind = np.int32 if (first + 1) * apart.seconds < 1 << 31 else np.int64
        indexes.append(pd.Index(np.asarray(pairs, kind)))
    known = Known(indexes, apart.seconds, apart.known[:, : segments + 1], apart.known[:, segments:])
    return numbered_together(tokens, apart), known


def look_up(
    ids: np.ndarray, lengths: np.ndarray, owners: np.ndarray, known: Known, max_order: int
) -> tuple[Predicted, Words]:
    """Return the n-grams of predictions, of every order that any text has, and their tokens.

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
    of_neither, free = np.zeros_like(of_references), in_sources + int(of_references.sum())
    texts = before = texts_of_ngrams(lengths, 1)
    last, numbers, slots = ids, owners[texts], []
    for order, index in enumerate(known.indexes):
        numbers, unknown = _looked_up(numbers, last, index, known.seconds)
        if order == 0:
            unigrams = numbers
        own = numbers + shifts[order].ravel()[2 * texts + (numbers < known.of_sources[order, -1])]
        new, distinct = factorize(before[unknown] << 32 | last[unknown])
        own[unknown] = free + new
        free += len(distinct)
        of_neither[order] = np.bincount(texts[unknown[are_first(new)]], minlength=len(lengths))
        slots.append(own)
        if order + 1 < orders:
            goes_on = (texts[1:] == texts[:-1]).nonzero()[0]
            last, numbers, before, texts = last[goes_on + 1], numbers[goes_on], own[goes_on], texts[goes_on]
    others = np.stack([of_references, of_neither])
    return Predicted(np.concatenate(slots), in_sources, others), Words(owners, lengths, ids, unigrams)


def _looked_up(first: np.ndarray, last: np.ndarray, index: pd.Index, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of pairs, and the places of those that are not known, whose number no n-gram has."""
    pairs = first.astype(index.dtype)
    pairs *= seconds
    pairs += np.minimum(last, seconds - 1).astype(index.dtype)  # no known pair has this one
    numbers = index.get_indexer(pairs)
    unknown = (numbers < 0).nonzero()[0]
    numbers[unknown] = len(index)
    return numbers, unknown


def _places(known: Known, owners: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """Return how the slots of predictions of these segments are laid out; see `Predicted`.

    Returns:
        How many slots are for n-grams of sources; int64[order, prediction]: how many for those that only references
        hold; and int64[order, prediction, 2]: what to add to numbers of such, and of those of sources.
    """
    of_sources, of_references = (
        bounds[:, owners + 1] - bounds[:, owners] for bounds in (known.of_sources, known.of_references)
    )
    begins = running_total(np.concatenate([of_sources, of_references]).ravel())
    first, second = begins[:-1].reshape(2, *of_sources.shape)
    shifts = np.stack([second - known.of_references[:, owners], first - known.of_sources[:, owners]], axis=-1)
    return int(begins[of_sources.size]), of_references, shifts


def _with_orders(known: Known, orders: int) -> Known:
    """Return what is known with so many orders: of more than sources and references have, nothing."""
    more = orders - len(known.indexes)
    if not more:
        return known
    nothing = np.zeros((more, known.of_sources.shape[1]), np.int64)
    bounds = (np.concatenate([bounds, nothing]) for bounds in (known.of_sources, known.of_references))
    return Known([*known.indexes, *[known.indexes[-1][:0]] * more], known.seconds, *bounds)
