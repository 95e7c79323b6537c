"""The ways to count: what occurrences in references weigh, and what n-grams add to the counts of their segment."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .ngrams import REFERENCES, Ngrams

# From amounts and the scale that they are on to what is summed over a segment.
_Denominator = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Amounts(NamedTuple):
    """For each distinct n-gram of each source, how much of it the prediction and the references keep and delete.

    The scale may be a single one for all.
    """

    kept: np.ndarray
    deleted: np.ndarray
    kept_by_references: np.ndarray
    deleted_by_references: np.ndarray
    in_references: np.ndarray
    scale: np.ndarray


class Weights(NamedTuple):
    """What the occurrences of n-grams in references weigh.

    Attributes:
        in_references: for each n-gram, how much of it they hold.
        scale: for each order of each segment, the orders one behind the other, how much they would hold of an n-gram
            that each of them held once.
        asked: likewise, how many references have a say.
    """

    in_references: np.ndarray
    scale: np.ndarray
    asked: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Counting:
    """One way to count: a row of `COUNTINGS`.

    Attributes:
        weigh: from n-grams, and how many are asked for, the first ones, to what they weigh in references.
        correct: from amounts to four rows that are summed over a segment: for keep and delete, the numerators of
            precision and recall.
        whole: from what was kept, or deleted, and the scale to the denominator of precision.
        wanted: from what references keep, and from what they delete, to the denominators of recall.
        sets: whether source and prediction are sets of n-grams; otherwise repeated ones count as often as they occur.
        keep_recall_over_union: whether keep recall divides by the n-grams of source or references, not of both.
        strikes_subsequences: whether an added n-gram whose tokens stand in the source, in that order, is no hit.
    """

    weigh: Callable[[Ngrams, int], Weights]
    correct: Callable[[Amounts], tuple[np.ndarray, ...]]
    whole: _Denominator
    wanted: tuple[_Denominator, _Denominator]
    sets: bool = False
    keep_recall_over_union: bool = False
    strikes_subsequences: bool = False

    def weigh_one(self, occurrences: np.ndarray) -> np.ndarray:
        """Return what occurrences in a reference weigh where it is the only one; the scale is 1 then."""
        return occurrences if self.weigh is _occurrences_in_all else np.minimum(occurrences, 1)


def _occurrences_in_all(ngrams: Ngrams, asked_for: int) -> Weights:
    in_references = ngrams.occurrences(REFERENCES, asked_for)
    nrefs = np.concatenate([ngrams.tokens.nrefs] * ngrams.orders)
    return Weights(in_references, scale=nrefs, asked=nrefs)


def _presence_in_any(ngrams: Ngrams, asked_for: int) -> Weights:
    in_references, nrefs, _ = _occurrences_in_all(ngrams, asked_for)
    return Weights(np.minimum(in_references, 1), scale=np.ones_like(nrefs), asked=nrefs)


def weigh_holders(ngrams: Ngrams, asked_for: int) -> Weights:
    """Count the references that hold each n-gram, on the scale of those that are long enough to hold any."""
    nrefs, sizes = ngrams.tokens.nrefs, ngrams.sizes(ngrams.tokens.references)
    held = [_held(ngrams.of_order(order, REFERENCES), own, asked_for) for order, own in enumerate(sizes, start=1)]
    holders = np.bincount(np.concatenate(held), minlength=asked_for)
    long_enough = np.add.reduceat(sizes > 0, nrefs.cumsum() - nrefs, axis=1, dtype=np.int64)
    scale = np.maximum(long_enough, 1).ravel()
    return Weights(holders, scale=scale, asked=scale)


def _held(numbers: np.ndarray, sizes: np.ndarray, asked_for: int) -> np.ndarray:
    """Return those of the n-grams of references that are asked for, of each reference each once."""
    reference = np.repeat(np.arange(len(sizes)), sizes)
    asked = (numbers < asked_for).nonzero()[0]
    return pd.unique(numbers[asked] << 32 | reference[asked]) >> 32


def _pooled(amounts: Amounts) -> tuple[np.ndarray, ...]:
    kept_correctly = np.minimum(amounts.kept, amounts.kept_by_references)
    deleted_correctly = np.minimum(amounts.deleted, amounts.deleted_by_references)
    return kept_correctly, kept_correctly, deleted_correctly, deleted_correctly


def _pooled_shares(amounts: Amounts) -> tuple[np.ndarray, ...]:
    kept, _, deleted, _ = _pooled(amounts)
    kept, deleted = kept / amounts.scale, deleted / amounts.scale
    return kept, kept, deleted, deleted


def _by_type(amounts: Amounts) -> tuple[np.ndarray, ...]:
    """Average over distinct n-grams, as the authors' SARI.py does."""
    kept_correctly = np.minimum(amounts.kept, amounts.kept_by_references)
    precision = _share(kept_correctly, amounts.kept)
    return (precision, _share(kept_correctly, amounts.kept_by_references), *_deleted_by_type(amounts))


def _by_type_keep_recall_pooled(amounts: Amounts) -> tuple[np.ndarray, ...]:
    """Average over distinct n-grams, but sum up for keep recall, as Hugging Face does."""
    kept_correctly = np.minimum(amounts.kept, amounts.kept_by_references)
    return (_share(kept_correctly, amounts.kept), kept_correctly, *_deleted_by_type(amounts))


def _deleted_by_type(amounts: Amounts) -> tuple[np.ndarray, ...]:
    """Average deletions over distinct n-grams.

    The delete recall of the authors' script, which its SARI leaves out, has the numerator of the precision: ours too.
    """
    share = _share(np.maximum(amounts.deleted - amounts.in_references, 0), amounts.deleted)
    return share, share


def _share(good: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return good / np.maximum(whole, 1)


def _as_it_is(amount: np.ndarray, _scale: np.ndarray) -> np.ndarray:
    return amount


def _of_scale(amount: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return amount / scale


def _is_some(amount: np.ndarray, _scale: np.ndarray) -> np.ndarray:
    return amount > 0


_BY_TYPE: dict[str, Any] = {"weigh": _occurrences_in_all, "whole": _is_some}
COUNTINGS = {
    "hf": Counting(**_BY_TYPE, correct=_by_type_keep_recall_pooled, wanted=(_as_it_is, _is_some)),
    "xu2016": Counting(**_BY_TYPE, correct=_by_type, wanted=(_is_some, _is_some)),
    "lens": Counting(**_BY_TYPE, correct=_by_type, wanted=(_is_some, _is_some), strikes_subsequences=True),
    "pooled": Counting(weigh=_occurrences_in_all, correct=_pooled, whole=_as_it_is, wanted=(_as_it_is, _as_it_is)),
    "weighted_sets": Counting(
        weigh=weigh_holders, correct=_pooled_shares, whole=_of_scale, wanted=(_of_scale, _of_scale), sets=True
    ),
    "sets": Counting(
        weigh=_presence_in_any,
        correct=_pooled,
        whole=_as_it_is,
        wanted=(_as_it_is, _as_it_is),
        sets=True,
        keep_recall_over_union=True,
    ),
}


def rules_of(counting: str, source_weight: int | None) -> Counting:
    """Return a row of `COUNTINGS`, with a weight of its own for source and prediction where there is one."""
    rules = COUNTINGS[counting]
    if source_weight is None:
        return rules

    def weigh(ngrams: Ngrams, asked_for: int) -> Weights:
        weights = rules.weigh(ngrams, asked_for)
        return weights._replace(scale=np.full_like(weights.scale, source_weight))

    return replace(rules, weigh=weigh)
