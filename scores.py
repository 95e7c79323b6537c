"""Counts in, scores out: precisions, recalls and F1 of every order and operation, and the scores made of them.

Scores here are shares from 0 to 1, and functions keep the leading dimensions of what they are given: the counts of
one segment, of a corpus, or of many.
"""

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np

FIGURES = ("precision", "recall", "f1")

# Sums have 60 bits behind the point and are kept as integers: exact, so that neither order nor grouping changes them.
# What stands before the point, and each half of the bits behind it, has a sum of its own, whose int64 has room for more
# segments than there are.
_BITS, _LIMB_BITS = 60, 30

_TINY = float(np.finfo(float).tiny)


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


def select_score(figures: np.ndarray, *, deletion: str, addition: str) -> np.ndarray:
    """Pick, of float64[..., operation, 3], each operation's figure that counts: float64[..., operation]."""
    chosen = np.empty(figures.shape[:-1])
    for place, name in enumerate(("f1", deletion, addition)):
        chosen[..., place] = figures[..., place, FIGURES.index(name)]
    return chosen


def operation_scores(figures: np.ndarray, *, averaging: str, deletion: str, addition: str) -> np.ndarray:
    """Return the scores of keep, delete and add.

    Args:
        figures: float64[..., order, operation, 3].
        averaging: "scores" averages each order's score, "ratios" averages precisions and recalls and then makes F1.
        deletion: the figure that counts for delete, "precision" or "f1".
        addition: the figure that counts for add.

    Returns:
        float64[..., operation], from 0 to 1.
    """
    means = _mean(figures, axis=-3)
    if averaging == "ratios":
        means[..., 2] = _f1(means[..., 0], means[..., 1])
    return select_score(means, deletion=deletion, addition=addition)


def penalty_factors(lengths: np.ndarray, sentences: np.ndarray) -> dict[str, np.ndarray]:
    """Return what documents are multiplied by for being unlike references in size, as Sun, Jin and Wan 2021 define it.

    Args:
        lengths: int64[..., 3]: of source, prediction and, on average, references; at least 1.
        sentences: int64[..., 2]: of the prediction and, on average, references. Where neither has any, the authors'
            script divides by zero; here nothing is penalized.

    Returns:
        By the names of `variants.PENALTY_FACTORS` float64[...], above 0 and up to 1.

    >>> factors = penalty_factors(np.array([[20, 8, 10], [20, 14, 10]]), np.array([[1, 2], [0, 0]]))
    >>> {name: factor.round(3).tolist() for name, factor in factors.items()}
    {'shortness': [0.779, 1.0], 'verbosity': [1.0, 0.67], 'sentences': [0.607, 1.0]}
    """
    shape = lengths.shape[:-1]
    source, output, references = lengths.reshape(-1, 3).T.tolist()
    ours, theirs = sentences.reshape(-1, 2).T.tolist()
    exponents = {
        "shortness": [min(o - r, 0) / o for o, r in zip(output, references, strict=True)],
        "verbosity": [min(r - o, 0) / max(s - r, 1) for s, o, r in zip(source, output, references, strict=True)],
        "sentences": [-abs(o - r) / max(o, r, 1) for o, r in zip(ours, theirs, strict=True)],
    }
    return {name: np.array(list(map(exp, row)), float).reshape(shape) for name, row in exponents.items()}


def penalized(operations: np.ndarray, factors: Mapping[str, np.ndarray], chosen: Sequence[Sequence[str]]) -> np.ndarray:
    """Multiply the scores of operations, float64[..., operation], each by its chosen factors."""
    multiplied = operations.copy()
    for place, names in enumerate(chosen):
        for name in names:
            multiplied[..., place] *= factors[name]
    return multiplied


def sari_scores(operations: np.ndarray) -> np.ndarray:
    """Put SARI, the mean of the operations, in front, and make percents: float64[..., 4], as `variants.SCORES`."""
    return 100 * np.concatenate([_mean(operations, axis=-1)[..., None], operations], axis=-1)


def exact_sums(rows: np.ndarray) -> np.ndarray:
    """Sum over the first dimension without rounding, in units of `exact_value`.

    Args:
        rows: float64[n, ...], none negative; what is finer than 2**-60 is rounded off before it is added.

    Returns:
        int64[3, ...], which add up exactly whatever the order.

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
    """Turn exact sums into float64, each rounded once, after dividing by `divisor`."""
    unit, limbs = divisor << _BITS, zip(*totals.reshape(3, -1).tolist(), strict=True)
    values = [((first << _BITS) + (second << _LIMB_BITS) + third) / unit for first, second, third in limbs]
    return np.array(values, float).reshape(totals.shape[1:])


def as_summed(values: np.ndarray) -> np.ndarray:
    """Return what is left of values of at most 1 in exact sums: each as the exact value of its own sum."""
    return np.floor(values * float(1 << _BITS)) / float(1 << _BITS)


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    """Return what numpy's own returns, which takes several times as long for the few values of a segment."""
    return np.add.reduce(values, axis=axis) / values.shape[axis]


def _f1(precision: np.ndarray, recall: np.ndarray) -> np.ndarray:
    return 2 * precision * recall / np.maximum(precision + recall, _TINY)
