"""Correlations of scores with ratings by people, with intervals.

Outputs for one source are not independent: they share its length, its topic and its references. So the bootstrap draws
sources, each with all its rows (a cluster bootstrap, Davison and Hinkley 1997, section 3.8). All scores see the same
draws, so that the difference of two scores has an interval, too: two overlapping intervals do not show that two scores
agree equally well.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sari.companion_measures.columns import Numbers, check_numbers
from sari.significance import Resampling, Sample, resolve_resampling
from sari.variants import check_choice

# Cells of the matrix of draws and rows that is held at a time: 16 MB.
_CELLS = 1 << 21


@dataclass(frozen=True)
class Agreement:
    """How one score agrees with ratings.

    Attributes:
        value: the coefficient, from −1 to 1; nan if the scores, or the ratings, are all the same.
        interval: its two ends; None without a confidence.
        difference: from the coefficient of the baseline; None for the baseline itself and without a baseline.
        difference_interval: the two ends of the difference's interval.
    """

    value: float
    interval: tuple[float, float] | None = None
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None


def correlation(scores: Numbers, ratings: Numbers, *, coefficient: str = "pearson") -> float:
    """Return how scores and ratings correlate, as scipy computes it.

    Args:
        scores, ratings: a number each, at least two.
        coefficient: "pearson", "spearman" or "kendall" (tau-b).

    Returns:
        From −1 to 1; nan if one of them is constant.

    Raises:
        ValueError: if the columns are not numbers or differ in length.

    >>> round(correlation([1, 2, 3, 5], [10, 20, 40, 30]), 3), correlation([1, 2, 3], [1, 4, 9], coefficient="kendall")
    (0.68, 1.0)
    """
    columns, target = check_numbers({"scores": scores}, ratings)
    check_choice("coefficient", coefficient, COEFFICIENTS)
    return _correlation(columns["scores"], target, coefficient)


def agreement(
    scores: Mapping[str, Numbers],
    ratings: Numbers,
    *,
    groups: Sequence[Hashable] | None = None,
    coefficient: str = "pearson",
    baseline: str | None = None,
    confidence: float | None = None,
    resamples: int = 1_000,
    seed: int = 12345,
) -> dict[str, Agreement]:
    """Return how each of several scores agrees with the same ratings.

    Args:
        scores: by name, a number for each row.
        ratings: a number for each row.
        groups: the group of each row, such as its source; rows of a group are drawn together. None: each row is a
            group.
        coefficient: "pearson", "spearman" or "kendall".
        baseline: the name of the score that the others are compared with; None for no comparison.
        confidence: the level of intervals; None for none.
        resamples: the number of resamples.
        seed: of the random numbers.

    Raises:
        ValueError, TypeError: if columns are not numbers or differ in length, if a name is unknown, or for intervals
            with a single group.

    >>> better = agreement({"a": [1, 2, 3, 4], "b": [1, 2, 4, 3]}, [10, 20, 30, 40], baseline="b")["a"]
    >>> round(better.value, 3), round(better.difference, 3)
    (1.0, 0.2)
    """
    how = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
    columns, target = check_numbers(scores, ratings)
    _check_names(coefficient, baseline, scores)
    values = {name: _correlation(column, target, coefficient) for name, column in columns.items()}
    drawn: dict[str, list[np.ndarray]] = {name: [] for name in columns}
    if how.confidence is not None:
        for weights in _row_draws(_numbers_of(groups, len(target)), how):
            for name, column in columns.items():
                drawn[name].append(COEFFICIENTS[coefficient][1](column, target, weights))
    return _agreements(values, drawn, baseline, how)


class SystemRows(NamedTuple):
    """The rows that scores of systems are computed from.

    Attributes:
        rows: float64[row, ...]: they are summed by system.
        statistic: from sums, float64[draw, system, ...], and numbers of rows, float64[draw, system], to scores,
            float64[draw, system].
    """

    rows: np.ndarray
    statistic: Callable[[np.ndarray, np.ndarray], np.ndarray]


def system_agreement(
    scores: Mapping[str, SystemRows],
    ratings: Numbers,
    systems: Sequence[Hashable],
    *,
    groups: Sequence[Hashable] | None = None,
    coefficient: str = "pearson",
    baseline: str | None = None,
    confidence: float | None = None,
    resamples: int = 1_000,
    seed: int = 12345,
) -> dict[str, Agreement]:
    """Return how scores of whole systems agree with the means of their ratings.

    Intervals come from resamples of sources, each with all its rows; the systems stay the same.

    Args:
        scores: by name, the rows of each score.
        ratings: a number for each row.
        systems: the system of each row.
        groups, coefficient, baseline, confidence, resamples, seed: as in `agreement`.

    Raises:
        ValueError, TypeError: as in `agreement`, and if there are fewer than two systems.
    """
    how = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
    _check_names(coefficient, baseline, scores)
    _, target = check_numbers({"systems": np.zeros(len(systems))}, ratings)
    cells = _numbers_of(groups, len(target)), _numbers_of(systems, len(target))
    shape = tuple(int(numbers.max()) + 1 for numbers in cells)
    if shape[1] < 2:
        raise ValueError(f"systems: got {shape[1]}, wanted at least two")
    values, drawn = {}, {}
    for name, (rows, statistic) in scores.items():
        summands = np.column_stack([rows.reshape(len(target), -1), target, np.ones(len(target))])
        table = np.zeros((*shape, summands.shape[1]))
        np.add.at(table, cells, summands)
        both = partial(_score_and_rating, statistic=statistic, shape=rows.shape[1:])
        own = both(table.sum(axis=0)[None])[0]
        values[name] = _correlation(own[:, 0], own[:, 1], coefficient)
        if how.confidence is not None:
            samples = Sample(table, both, how.seed).resampled(how.interval_method, how.resamples)
            once = np.ones(samples.shape[:2], np.int64)
            drawn[name] = [COEFFICIENTS[coefficient][1](samples[..., 0], samples[..., 1], once)]
    return _agreements(values, drawn, baseline, how)


def _score_and_rating(
    sums: np.ndarray, statistic: Callable[[np.ndarray, np.ndarray], np.ndarray], shape: tuple[int, ...]
) -> np.ndarray:
    """Return the score and the mean rating of each system from sums; nan for a system that was not drawn."""
    counts = sums[..., -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums[..., -2] / counts
    scores = statistic(sums[..., :-2].reshape(*sums.shape[:2], *shape), np.maximum(counts, 1))
    return np.stack([np.where(counts > 0, scores, np.nan), means], axis=-1)


def pairwise_agreement(
    scores: Numbers, judgements: Any, groups: Sequence[Hashable], *, threshold: float = 0.0
) -> float:
    """Return Kendall's tau as in WMT: over pairs of rows of one group on which most raters agree.

    Maddela et al. 2023 (LENS), section 5, after Freitag et al. 2021. Equal scores count as discordant.

    Args:
        scores: a number for each row.
        judgements: float[row, rater].
        groups: the group of each row; only rows of one group are compared.
        threshold: a rater prefers one of two rows if their judgements differ by more than this.

    Returns:
        (concordant − discordant) ÷ (concordant + discordant), from −1 to 1; nan without such pairs.

    >>> pairwise_agreement([1, 2, 3], [[10], [20], [15]], ["a", "a", "a"])
    0.3333333333333333
    """
    columns, _ = check_numbers({"scores": scores}, [0.0] * len(scores))
    table, own, signs = np.asarray(judgements, np.float64), columns["scores"], []
    for rows in pd.Series(range(len(own))).groupby(_numbers_of(groups, len(own))):
        for one, other in combinations(rows[1], 2):
            gaps, half = table[one] - table[other], table.shape[1] / 2
            verdict = int((gaps > threshold).sum() > half) - int((gaps < -threshold).sum() > half)
            if verdict:
                signs.append(1 if verdict * (own[one] - own[other]) > 0 else -1)
    return float(np.mean(signs)) if signs else float("nan")


def _pearson_of_draws(scores: np.ndarray, ratings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    one, other = (_centred(values, weights) for values in (scores, ratings))
    squares = (weights * one**2).sum(axis=1) * (weights * other**2).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return (weights * one * other).sum(axis=1) / np.sqrt(squares)


def _centred(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return values less the mean of each draw, float64[draw, row]; exactly 0 if all that are drawn are the same."""
    values = np.broadcast_to(values, weights.shape)
    first = (weights > 0).argmax(axis=1)[:, None]
    shifted = values - np.take_along_axis(values, first, axis=1)
    return shifted - (weights * shifted).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)


def _spearman_of_draws(scores: np.ndarray, ratings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return _pearson_of_draws(_ranks(scores, weights), _ranks(ratings, weights), weights)


def _ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the ranks of rows among those drawn, less a constant, float64[draw, row]; ties share their mean rank."""
    if values.ndim == 2:  # of systems, each drawn once
        return stats.rankdata(values, axis=1)
    distinct, inverse = np.unique(values, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[order], np.arange(len(distinct)))
    counts = np.add.reduceat(weights[:, order], starts, axis=1)
    return (np.cumsum(counts, axis=1) - counts / 2)[:, inverse]


def _kendall_of_draws(scores: np.ndarray, ratings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    draws = zip(*np.broadcast_arrays(scores, ratings, weights), strict=True)
    return np.array([_correlation(np.repeat(one, own), np.repeat(other, own), "kendall") for one, other, own in draws])


#: The coefficients by name: scipy's function of two columns, and a function of draws. That takes scores and ratings,
#: float64[row] or float64[draw, row], and how often each row was drawn, int64[draw, row]. It returns float64[draw], nan
#: for draws whose scores, or ratings, are all the same.
COEFFICIENTS: dict[str, tuple[Callable[..., Any], Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]]] = {
    "pearson": (stats.pearsonr, _pearson_of_draws),
    "spearman": (stats.spearmanr, _spearman_of_draws),
    "kendall": (stats.kendalltau, _kendall_of_draws),
}


def _check_names(coefficient: str, baseline: str | None, scores: Collection[str]) -> None:
    check_choice("coefficient", coefficient, COEFFICIENTS)
    if baseline is not None:
        check_choice("baseline", baseline, scores)


def _correlation(scores: np.ndarray, ratings: np.ndarray, coefficient: str) -> float:
    if not (np.ptp(scores) > 0 and np.ptp(ratings) > 0):  # all the same, or nan
        return float("nan")
    return float(COEFFICIENTS[coefficient][0](scores, ratings).statistic)


def _row_draws(numbers: np.ndarray, how: Resampling) -> Iterator[np.ndarray]:
    """Yield how often each row is drawn with its group, int64[draw, row], for some draws at a time."""
    groups, size = int(numbers.max()) + 1, max(1, _CELLS // len(numbers))
    if groups < 2:
        raise ValueError("groups: got a single one, wanted at least two to draw from")
    for chunk in how.interval_method.weights(groups, how.resamples, how.seed):
        for begin in range(0, len(chunk), size):
            yield chunk[begin : begin + size, numbers]


def _agreements(
    values: Mapping[str, float], drawn: Mapping[str, Sequence[np.ndarray]], baseline: str | None, how: Resampling
) -> dict[str, Agreement]:
    """Return the agreement of each score from its coefficient and the coefficients of its draws."""

    def ends(value: float, sample: np.ndarray) -> tuple[float, float] | None:
        if how.confidence is None:
            return None
        known = sample[~np.isnan(sample)]  # a draw whose rows are all the same says nothing
        if not len(known):
            return float("nan"), float("nan")
        low, high = how.ends(np.array(value), known).tolist()
        return low, high

    samples = {name: np.concatenate([np.empty(0), *drawn.get(name, ())]) for name in values}
    found = {name: Agreement(value, ends(value, samples[name])) for name, value in values.items()}
    if baseline is not None:
        for name in found.keys() - {baseline}:
            value, sample = values[name] - values[baseline], samples[name] - samples[baseline]
            found[name] = replace(found[name], difference=value, difference_interval=ends(value, sample))
    return found


def _numbers_of(groups: Sequence[Hashable] | None, rows: int) -> np.ndarray:
    """Return the number of each row's group, from 0, in order of appearance."""
    if groups is None:
        return np.arange(rows)
    if len(groups) != rows:
        raise ValueError(f"groups: got {len(groups)} rows, wanted {rows}, as many as ratings")
    return pd.factorize(pd.Series(list(groups), dtype=object), use_na_sentinel=False)[0]
