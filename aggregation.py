"""Counts in, scores out: precision, recall and F1 of each order and operation, penalties, and SARI.

Functions keep the leading dimensions of their arguments: the counts of one segment, of a corpus, or of many. Scores are
shares from 0 to 1, except where a docstring says percent.
"""

from collections.abc import Mapping
from math import exp
from typing import Any, NotRequired

import numpy as np
from typing_extensions import TypedDict  # before Python 3.12 pydantic, and FastAPI with it, takes no other

from .ngram_statistics import SegmentCounts
from .variants import OPERATIONS, SCORES, Variant

FIGURES = ("precision", "recall", "f1")

# Sums are fixed-point numbers with 60 bits after the point, so that neither order nor grouping changes them. Each is
# kept as three int64: the whole part, and the two halves of the bits after the point.
_BITS, _LIMB_BITS = 60, 30

_TINY = float(np.finfo(float).tiny)

# That of numpy differs between processors in the last bit.
_EXP = np.vectorize(exp, otypes=[float])


def precision_recall_f1(counts: np.ndarray, *, zero_division: float) -> np.ndarray:
    """Return precision, recall and F1.

    Args:
        counts: float64[..., 4]: numerator and denominator of precision, numerator and denominator of recall.
        zero_division: the value of a precision or recall whose denominator is 0.

    Returns:
        float64[..., 3], from 0 to 1.

    >>> precision_recall_f1(np.array([[1.0, 2.0, 1.0, 1.0], [0.0, 0.0, 0.0, 3.0]]), zero_division=1)
    array([[0.5       , 1.        , 0.66666667],
           [1.        , 0.        , 0.        ]])
    """
    numerators, denominators = counts[..., 0::2], counts[..., 1::2]
    out = np.empty((*counts.shape[:-1], len(FIGURES)))
    out[..., :2] = zero_division
    np.divide(numerators, denominators, out=out[..., :2], where=denominators > 0)
    out[..., 2] = _f1(out[..., 0], out[..., 1])
    return out


def select_score(figures: np.ndarray, variant: Variant) -> np.ndarray:
    """Select, of float64[..., operation, 3], the figure that is the score of each operation."""
    chosen = np.empty(figures.shape[:-1])
    for place, name in enumerate(("f1", variant.deletion, variant.addition)):
        chosen[..., place] = figures[..., place, FIGURES.index(name)]
    return chosen


def penalty_factors(lengths: np.ndarray, sentences: np.ndarray) -> dict[str, np.ndarray]:
    """Return the penalties of documents that differ from their references in size (Sun, Jin and Wan 2021, D-SARI).

    Args:
        lengths: int64[..., 3]: the lengths of source, prediction and, on average, references; at least 1.
        sentences: int64[..., 2]: the sentences of the prediction and, on average, references. Where neither has any,
            the authors' script divides by zero; here the factor is 1.

    Returns:
        A dict by the names of `variants.PenaltyFactor`: float64[...], above 0 and up to 1.

    >>> factors = penalty_factors(np.array([[20, 8, 10], [20, 14, 10]]), np.array([[1, 2], [0, 0]]))
    >>> {name: factor.round(3).tolist() for name, factor in factors.items()}
    {'shortness': [0.779, 1.0], 'verbosity': [1.0, 0.67], 'sentences': [0.607, 1.0]}
    """
    source, output, references = np.moveaxis(lengths, -1, 0)
    of_output, of_references = np.moveaxis(sentences, -1, 0)
    exponents = {
        "shortness": np.minimum(output - references, 0) / output,
        "verbosity": np.minimum(references - output, 0) / np.maximum(source - references, 1),
        "sentences": -np.abs(of_output - of_references) / sentences.max(axis=-1).clip(1),
    }
    return {name: _EXP(exponent) for name, exponent in exponents.items()}


def sari_scores(operations: np.ndarray) -> np.ndarray:
    """Return SARI, the mean of the operations, and the operations, in percent: float64[..., 4], as `SCORES`."""
    return 100 * np.concatenate([operations.mean(axis=-1, keepdims=True), operations], axis=-1)


def score_counts(counts: np.ndarray, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Compute the figures and the scores of operations from counts, float64[..., order, operation, 4].

    This is equation 7 of Xu et al. 2016, where `averaging` is "ratios".

    Returns:
        float64[..., order, operation, 3]: precision, recall and F1; and float64[..., operation]: the score of the means
        over orders, in which F1 is the mean of F1 or, where `averaging` is "ratios", F1 of the means.
    """
    figures = precision_recall_f1(counts, zero_division=variant.zero_division)
    means = figures.mean(axis=-3)
    if variant.averaging == "ratios":
        means[..., 2] = _f1(means[..., 0], means[..., 1])
    return figures, select_score(means, variant)


def figures_of_segments(counted: SegmentCounts, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Compute the figures and the scores of operations of segments, each scored alone, with their penalties."""
    figures, operations = score_counts(counted.counts, variant)
    if counted.sizes is not None:
        rules, factors = variant.penalty_rules, penalty_factors(*counted.sizes)
        for place, names in enumerate((rules.keep, rules.delete, rules.add)):
            for name in names:
                operations[..., place] *= factors[name]
    return figures, as_summed(operations) if variant.level == "sentence" else operations


def segment_scores(counted: SegmentCounts, variant: Variant) -> np.ndarray:
    """Return the four scores of segments, each scored alone, in percent: float64[..., 4]."""
    return sari_scores(figures_of_segments(counted, variant)[1])


def summands(counted: SegmentCounts, variant: Variant) -> np.ndarray:
    """Return the numbers that are summed over the segments of a corpus: float64[segment, ...].

    At the level "corpus" they are the counts; at the level "sentence" the figures of each order, followed by the scores
    of operations.
    """
    if variant.level == "corpus":
        return counted.counts
    figures, operations = figures_of_segments(counted, variant)
    return np.concatenate([figures.reshape(len(figures), -1), operations], axis=1)


def score_totals(totals: np.ndarray, segments: int, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Return the figures, float64[order, operation, 3], and the scores of operations, float64[operation], of a corpus.

    `totals` are the exact sums of the `summands` of its segments.
    """
    if variant.level == "corpus":
        return score_counts(exact_value(totals), variant)
    means = exact_value(totals, segments)
    figures, operations = means[: -len(OPERATIONS)], means[-len(OPERATIONS) :]
    return figures.reshape(-1, len(OPERATIONS), len(FIGURES)), operations


def exact_sums(rows: np.ndarray) -> np.ndarray:
    """Round each number down to a multiple of 2**-60, and sum exactly over the first dimension: see `exact_value`.

    Args:
        rows: float64[n, ...], none negative.

    Returns:
        int64[3, ...]: sums that can be added in any order.

    >>> np.array_equal(exact_sums(np.full(3, 0.1)), 3 * exact_sums(np.array([0.1])))
    True
    """
    limbs = np.empty((3, *rows.shape), np.int64)
    limbs[0] = rows
    limbs[2] = (rows - limbs[0]) * float(1 << _BITS)
    limbs[1] = limbs[2] >> _LIMB_BITS
    limbs[2] &= (1 << _LIMB_BITS) - 1
    return np.add.reduce(limbs, axis=1)


def exact_value(totals: np.ndarray, divisor: int = 1) -> np.ndarray:
    """Divide the numbers of `exact_sums` by `divisor` and return float64; each is rounded once."""
    unit = divisor << _BITS
    limbs = zip(*(part.ravel().tolist() for part in totals), strict=True)
    values = [((whole << _BITS) + (upper << _LIMB_BITS) + lower) / unit for whole, upper, lower in limbs]
    return np.array(values, float).reshape(totals.shape[1:])


def as_summed(values: np.ndarray) -> np.ndarray:
    """Round values down as `exact_sums` does, so that a segment has the score of a corpus that has no other segment."""
    return np.floor(values * float(1 << _BITS)) / float(1 << _BITS)


def _f1(precision: np.ndarray, recall: np.ndarray) -> np.ndarray:
    """Return the harmonic mean, and 0 where both are 0."""
    return 2 * precision * recall / np.maximum(precision + recall, _TINY)


# ---- Results --------------------------------------------------------------------------------------------------------


class Scores(TypedDict):
    """SARI and its operations, in percent."""

    sari: float
    keep: float
    delete: float
    add: float


#: The lower and the upper end of the interval of each score.
Intervals = dict[str, list[float]]

#: The scores of each segment, each scored alone.
SentenceScores = dict[str, list[float]]

#: The figures of one operation and one order, in percent; "score" is the figure that is its score.
OperationFigures = dict[str, float]


class OrderFigures(TypedDict):
    """The figures of one n-gram order."""

    order: int
    keep: OperationFigures
    delete: OperationFigures
    add: OperationFigures


class Result(Scores):
    """Scores, and the other results that were requested."""

    confidence_intervals: NotRequired[Intervals]
    signature: NotRequired[str]
    orders: NotRequired[list[OrderFigures]]
    sentences: NotRequired[SentenceScores]
    baselines: NotRequired[Mapping[str, Scores]]


class SignedResult(dict[str, Any]):
    """A result that is printed with its signature. Otherwise it is a dict, as which it is copied and pickled.

    >>> SignedResult({"sari": 50.0}, "SARI|variant:easse")
    {'sari': 50.0}  # SARI|variant:easse
    """

    def __init__(self, result: Mapping[str, Any], signature: str):
        super().__init__(result)
        self.signature = signature

    def __repr__(self) -> str:
        return f"{super().__repr__()}  # {self.signature}"

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class DetailedResult(Scores):
    """Scores and other results, of which those are there that were requested."""

    confidence_intervals: Intervals
    signature: str
    orders: list[OrderFigures]
    sentences: SentenceScores
    baselines: Mapping[str, Scores]


class TokenData(TypedDict):
    """A token of an explanation: see `reports.reasons.Token`."""

    text: str
    mark: str
    why: str
    credit: float | None


class EditData(TypedDict):
    """A choice of the output that is undone: see `reports.word_edits.Edit`."""

    choice: str
    text: str
    at: tuple[str | int, int]
    points: float
    sari: float
    output: str


class SegmentExplanation(TypedDict):
    """Why a segment gets its score: see `reports.explanation.Explanation`."""

    variant: str
    signature: str
    scores: Scores
    penalties: list[dict[str, Any]]
    orders: list[OrderFigures]
    source: list[TokenData]
    output: list[TokenData]
    references: list[list[TokenData]]
    missed: list[TokenData]
    grams: list[dict[str, list[dict[str, Any]]]]
    sentences: list[dict[str, Any]]
    edits: list[EditData]
    warnings: list[dict[str, Any]]


def named_scores(scores: np.ndarray) -> Any:
    """Return an array of four scores, or of four rows, as a dict by their names."""
    return dict(zip(SCORES, scores.tolist(), strict=True))
