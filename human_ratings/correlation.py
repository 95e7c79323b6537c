"""Correlations of scores with ratings by people, with intervals.

Outputs for one source are not independent: they share its length, its topic and its references. So the bootstrap draws
sources, each with all its rows (a cluster bootstrap, Davison and Hinkley 1997, section 3.8). All scores see the same
draws, so that the difference of two scores has an interval, too: two overlapping intervals do not show that two scores
agree equally well.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sari.companion_measures.columns import check_length
from sari.messages import RefusedValueError, fault
from sari.significance import SEED, Resampling, Sample, bootstrap_draws, resolve_resampling
from sari.validation import check_choice

Numbers = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Agreement:
    """How one score agrees with ratings.

    Attributes:
        value: the coefficient, from −1 to 1; nan if the scores, or the ratings, are all the same.
        interval: its two ends; None without a confidence, and where the value is nan.
        difference: from the coefficient of the baseline; None for the baseline itself and without a baseline.
        difference_interval: the two ends of the difference's interval.
    """

    value: float
    interval: tuple[float, float] | None = None
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None


class SystemRows(NamedTuple):
    """The rows that scores of systems are computed from.

    Attributes:
        rows: float64[row, ...]: they are summed by system.
        statistic: from sums, float64[draw, system, ...], and numbers of rows, float64[draw, system], to scores,
            float64[draw, system].
    """

    rows: np.ndarray
    statistic: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.divide


def agreement(
    scores: Mapping[str, Numbers | SystemRows],
    ratings: Numbers,
    *,
    groups: Sequence[Hashable] | None = None,
    systems: Sequence[Hashable] | None = None,
    coefficient: str = "pearson",
    baseline: str | None = None,
    confidence: float | None = None,
    resamples: int = 1_000,
    seed: int = SEED,
) -> dict[str, Agreement]:
    """Return how each of several scores agrees with the same ratings.

    Args:
        scores: by name, a number for each row. With `systems`, these numbers are averaged; `SystemRows` are for scores
            of systems that are no averages.
        ratings: a number for each row.
        groups: the group of each row, such as its source; rows of a group are drawn together. None: each row is a
            group.
        systems: the system of each row, to compare the scores of whole systems with the means of their ratings. None:
            rows are compared.
        coefficient: "pearson", "spearman" or "kendall".
        baseline: the name of the score that the others are compared with; None for no comparison.
        confidence: the level of intervals; None for none.
        resamples: the number of resamples.
        seed: the seed of the random numbers.

    Raises:
        ValueError, TypeError: if columns are not numbers or differ in length, if a name is unknown, for a single
            system, or for intervals with a single group.

    >>> better = agreement({"a": [1, 2, 3, 4], "b": [1, 2, 4, 3]}, [10, 20, 30, 40], baseline="b")["a"]
    >>> round(better.value, 3), round(better.difference, 3)
    (1.0, 0.2)
    """
    resampling = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
    check_choice("coefficient", coefficient, COEFFICIENTS)
    if baseline is not None:
        check_choice("baseline", baseline, scores)
    if not scores:
        raise RefusedValueError(fault("scores", "none", "at least one column of numbers"))
    target = _as_numbers(ratings, "ratings")
    if len(target) < 2:
        raise RefusedValueError(fault("ratings", len(target), "at least two"))
    if systems is None:
        columns = {name: _as_numbers(numbers, name) for name, numbers in scores.items()}
        for name, column in columns.items():
            check_length(name, column, target, "ratings")
        table = np.stack([*columns.values(), target])
        draws = _draws_of_rows(table, _numbers_of("groups", groups, target), resampling)
    else:
        of_groups, of_systems = _numbers_of("groups", groups, target), _numbers_of("systems", systems, target)
        if not of_systems.any():
            raise RefusedValueError(fault("systems", 1, "at least two"))
        samples = []
        for name, numbers in (*scores.items(), ("ratings", target)):
            summed = numbers if isinstance(numbers, SystemRows) else SystemRows(_as_numbers(numbers, name))
            check_length(name, summed.rows, target, "ratings")
            samples.append(_sample_of_groups(summed, of_groups, of_systems, resampling.seed))
        table = np.stack([sample.scores[:, 0] for sample in samples])
        draws = _draws_of_systems(samples, resampling)
    values = dict(zip(scores, _correlations(table, coefficient).tolist(), strict=True))
    drawn = [] if resampling.confidence is None else [_correlations(each, coefficient) for each in draws]
    by_name = dict(zip(scores, np.reshape(drawn, (-1, len(scores))).T, strict=True))
    agreements = {name: Agreement(value, _interval_ends(by_name[name], resampling)) for name, value in values.items()}
    if baseline is not None:
        for name in agreements.keys() - {baseline}:
            value = values[name] - values[baseline]
            ends = _interval_ends(by_name[name] - by_name[baseline], resampling)
            agreements[name] = replace(agreements[name], difference=value, difference_interval=ends)
    return agreements


def _as_numbers(values: Any, name: str) -> np.ndarray:
    """Return a column of finite numbers, float64[row], or refuse it (ValueError)."""
    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise RefusedValueError(f"{name}: got a value that is no number, expected numbers") from None
    if column.ndim != 1:
        raise RefusedValueError(fault(name, f"{column.ndim} dimensions", "one number per row"))
    wrong = np.flatnonzero(~np.isfinite(column))
    if len(wrong):
        raise RefusedValueError(fault(f"{name}[{wrong[0]}]", str(column[wrong[0]]), "a finite number"))
    return column


def _draws_of_rows(table: np.ndarray, groups: np.ndarray, resampling: Resampling) -> Iterator[np.ndarray]:
    """Yield a table for each resample, with all rows of the drawn groups."""
    number = int(groups.max()) + 1
    if number < 2:
        raise RefusedValueError(fault("groups", "one group", "at least two to draw from"))
    for weights in bootstrap_draws(number, resampling.resamples_for(number), resampling.seed):
        for drawn in weights:
            yield np.repeat(table, drawn[groups], axis=1)


def _draws_of_systems(samples: Sequence[Sample], resampling: Resampling) -> Iterator[np.ndarray]:
    """Yield a table for each resample, with the scores of systems in the drawn groups."""
    yield from np.stack([sample.bootstrapped(resampling)[..., 0] for sample in samples], axis=1)


def _sample_of_groups(scores: SystemRows, groups: np.ndarray, systems: np.ndarray, seed: int) -> Sample:
    """Return the groups as a sample, in which a system that was not drawn has the score nan."""
    summands = np.column_stack([scores.rows.reshape(len(groups), -1), np.ones(len(groups))])
    table = np.zeros((int(groups.max()) + 1, int(systems.max()) + 1, summands.shape[1]))
    np.add.at(table, (groups, systems), summands)

    def statistic(sums: np.ndarray) -> np.ndarray:
        counts, shape = sums[..., -1], (*sums.shape[:2], *scores.rows.shape[1:])
        values = scores.statistic(sums[..., :-1].reshape(shape), np.maximum(counts, 1))
        return np.where(counts > 0, values, np.nan)[..., None]

    return Sample(table, statistic, seed)


def _interval_ends(drawn: np.ndarray, resampling: Resampling) -> tuple[float, float] | None:
    """Return the interval of a coefficient. Draws that are nan, because all rows are the same, are left out."""
    known = drawn[~np.isnan(drawn)]
    if resampling.confidence is None or not len(known):
        return None
    low, high = resampling.ends(known).tolist()
    return low, high


def _pearson(table: np.ndarray) -> np.ndarray:
    return np.corrcoef(table)[-1, :-1]


def _spearman(table: np.ndarray) -> np.ndarray:
    return _pearson(stats.rankdata(table, axis=1))


def _kendall(table: np.ndarray) -> np.ndarray:
    return np.array([stats.kendalltau(scores, table[-1]).statistic for scores in table[:-1]])


#: The coefficients by name: functions of a table, float64[score, row], whose last row holds the ratings. They return
#: the correlation of each score with the ratings.
COEFFICIENTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}


def _correlations(table: np.ndarray, coefficient: str) -> np.ndarray:
    """Return the correlation of each score with the ratings; nan where one of them is nan, or the same in every row."""
    varies = np.ptp(table, axis=1) > 0
    with np.errstate(invalid="ignore"):
        return np.where(varies[:-1] & varies[-1], COEFFICIENTS[coefficient](table), np.nan)


def _numbers_of(name: str, groups: Sequence[Hashable] | None, ratings: np.ndarray) -> np.ndarray:
    """Return the number of each row's group, from 0, in order of appearance; `name` is the argument's in errors."""
    if groups is None:
        return np.arange(len(ratings))
    check_length(name, groups, ratings, "ratings")
    return pd.factorize(pd.Series(list(groups), dtype=object), use_na_sentinel=False)[0]
