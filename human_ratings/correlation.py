"""Agreement of scores with ratings by people, with intervals and p-values.

Outputs for one source are not independent: they share its length, its topic and its references. So the bootstrap draws
sources, each with all its rows (a cluster bootstrap, Davison and Hinkley 1997, section 3.8). For scores of systems it
draws systems, too, since another study would have rated others. All scores see the same draws, so that the difference
of two scores has an interval and a p-value, too: two overlapping intervals do not show that two scores agree equally
well.

The p-value of a difference is that of a normal distribution with the standard deviation of the resampled differences:
many comparisons need p-values that are smaller than a share of the resamples can be.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sari.companion_measures.columns import check_length
from sari.messages import RefusedValueError, fault
from sari.significance import SEED, Resampling, Sample, bootstrap_draws, holm, resolve_resampling
from sari.validation import check_choice

Numbers = Sequence[float] | np.ndarray

# Digits of a column's largest number that are no rounding errors. Means that are equal in theory have to be equal.
_EXACT_DIGITS = 12
# A sum of squares below this share of what all rows have is a rounding error.
_FLAT = 1e-10
# A difference of coefficients that is a rounding error.
_NO_DIFFERENCE = 1e-12
# Cells of a matrix of drawn pairs that is held at a time: 16 MB.
_CELLS = 1 << 21


@dataclass(frozen=True)
class Agreement:
    """How one score agrees with ratings.

    Attributes:
        value: the coefficient; nan where it is not defined, as if all scores or all ratings are the same.
        interval: its two ends; None without a confidence, and where the value is nan.
        difference: from the coefficient of the baseline; None for the baseline itself and without a baseline.
        difference_interval: the two ends of the difference's interval.
        p_value: of the difference; None where it has no interval.
        corrected_p_value: with Holm's correction: see `with_correction`.
    """

    value: float
    interval: tuple[float, float] | None = None
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None
    p_value: float | None = None
    corrected_p_value: float | None = None


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
    items: Sequence[Hashable] | None = None,
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
        items: the item of each row, within which "pearson_within" and "accuracy" compare rows; all rows of an item are
            of one group. None: the groups.
        systems: the system of each row, to compare the scores of whole systems with the means of their ratings. None:
            rows are compared.
        coefficient: a key of `OF_ROWS` or, with `systems`, of `OF_SYSTEMS`.
        baseline: the name of the score that the others are compared with; None for no comparison.
        confidence: the level of intervals; None for none, and for no p-values.
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
    check_choice("coefficient", coefficient, OF_ROWS if systems is None else OF_SYSTEMS)
    if baseline is not None:
        check_choice("baseline", baseline, scores)
    if not scores:
        raise RefusedValueError(fault("scores", "none", "at least one column of numbers"))
    target = _as_numbers(ratings, "ratings")
    if len(target) < 2:
        raise RefusedValueError(fault("ratings", len(target), "at least two"))
    of_groups = _numbers_of("groups", groups, target)
    if confidence is not None and not of_groups.any():
        raise RefusedValueError(fault("groups", "one group", "at least two to draw from"))
    if systems is None:
        columns = [_as_numbers(numbers, name) for name, numbers in scores.items()]
        for name, column in zip(scores, columns, strict=True):
            check_length(name, column, target, "ratings")
        table = _without_rounding_errors(np.stack([*columns, target]))
        of_items = of_groups if items is None else _numbers_of("items", items, target)
        values, drawn = _of_rows(OF_ROWS[coefficient](table, of_groups, of_items), of_groups, resampling)
    else:
        of_systems = _numbers_of("systems", systems, target)
        if not of_systems.any():
            raise RefusedValueError(fault("systems", 1, "at least two"))
        samples = []
        for name, numbers in (*scores.items(), ("ratings", target)):
            summed = numbers if isinstance(numbers, SystemRows) else SystemRows(_as_numbers(numbers, name))
            check_length(name, summed.rows, target, "ratings")
            samples.append(_sample_of_groups(summed, of_groups, of_systems, resampling.seed))
        values, drawn = _of_systems(OF_SYSTEMS[coefficient], samples, resampling)
    return dict(zip(scores, _agreements(values, drawn, [*scores], baseline, resampling), strict=True))


def with_correction(agreements: Sequence[Agreement]) -> list[Agreement]:
    """Return agreements, of which those with p-values have Holm's correction for all of them.

    >>> [one.corrected_p_value for one in with_correction([Agreement(1.0, p_value=p) for p in (0.25, None, 0.125)])]
    [0.25, None, 0.25]
    """
    p_values = np.array([np.nan if one.p_value is None else one.p_value for one in agreements])
    tested = np.flatnonzero(~np.isnan(p_values))
    corrected = dict(zip(tested.tolist(), holm(p_values[tested]).tolist(), strict=True))
    return [replace(one, corrected_p_value=corrected.get(place)) for place, one in enumerate(agreements)]


# ---- Columns --------------------------------------------------------------------------------------------------------


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


def _numbers_of(name: str, groups: Sequence[Hashable] | None, ratings: np.ndarray) -> np.ndarray:
    """Return the number of each row's group, from 0, in order of appearance; `name` is the argument's in errors."""
    if groups is None:
        return np.arange(len(ratings))
    check_length(name, groups, ratings, "ratings")
    return pd.factorize(pd.Series(list(groups), dtype=object), use_na_sentinel=False)[0]


def _without_rounding_errors(table: np.ndarray) -> np.ndarray:
    """Round each row of a table, float64[..., row, column], to some digits of its largest number.

    Rounding errors would break ties: 10.3 / 3 is not always the mean of three numbers with the sum 10.3.

    >>> _without_rounding_errors(np.array([[0.1 + 0.2, 0.3]])).tolist()
    [[0.3, 0.3]]
    """
    largest = np.nanmax(np.abs(table), axis=-1, keepdims=True, initial=0, where=~np.isnan(table))
    scale = 10.0 ** (_EXACT_DIGITS - np.ceil(np.log10(np.where(largest > 0, largest, 1))))
    return np.rint(table * scale) / scale


# ---- Draws ----------------------------------------------------------------------------------------------------------

#: From numbers of draws of each group, int64[draw, group], to coefficients, float64[draw, score].
Weighted = Callable[[np.ndarray], np.ndarray]


def _of_rows(weighted: Weighted, groups: np.ndarray, resampling: Resampling) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of all rows, float64[score], and of each draw of groups, float64[draw, score]."""
    number = int(groups.max()) + 1
    values = weighted(np.ones((1, number), np.int64))[0]
    if resampling.confidence is None:
        return values, np.empty((0, len(values)))
    draws = bootstrap_draws(number, resampling.resamples_for(number), resampling.seed)
    return values, np.concatenate(list(map(weighted, draws)))


def _of_systems(
    of_table: "OfTable", samples: Sequence[Sample], resampling: Resampling
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of systems, float64[score], and of each draw of groups and systems.

    A system that is drawn twice is there twice, and is not compared with itself.
    """
    table = _without_rounding_errors(np.stack([sample.scores[:, 0] for sample in samples]))
    systems = table.shape[1]
    values = of_table(table, np.ones(systems, np.int64))
    if resampling.confidence is None:
        return values, np.empty((0, len(values)))
    drawn = np.stack([sample.bootstrapped(resampling)[..., 0] for sample in samples], axis=1)
    times = np.concatenate([*bootstrap_draws(systems, len(drawn), resampling.seed + 1)])
    pairs = zip(_without_rounding_errors(drawn), times, strict=True)
    return values, np.stack([of_table(*_rated(table, drawn_times)) for table, drawn_times in pairs])


def _rated(table: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the systems that were drawn, and have ratings in the drawn groups; and how often each was."""
    known = (times > 0) & ~np.isnan(table).any(axis=0)
    return table[:, known], times[known]


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


def _agreements(
    values: np.ndarray, drawn: np.ndarray, names: list[str], baseline: str | None, resampling: Resampling
) -> Iterator[Agreement]:
    """Yield the agreement of each score, given its coefficients in the data and in each draw."""
    other = None if baseline is None else names.index(baseline)
    for place, value in enumerate(values.tolist()):
        found = Agreement(value, _interval_ends(drawn[:, place : place + 1], resampling))
        if other is not None and place != other:
            difference, differences = value - float(values[other]), drawn[:, [place]] - drawn[:, [other]]
            ends = _interval_ends(differences, resampling)
            p_value = (
                None if ends is None or np.isnan(difference) else _p_value(difference, float(np.nanstd(differences)))
            )
            found = replace(found, difference=difference, difference_interval=ends, p_value=p_value)
        yield found


def _interval_ends(drawn: np.ndarray, resampling: Resampling) -> tuple[float, float] | None:
    """Return the interval of a coefficient. Draws in which it is not defined are left out."""
    known = drawn[~np.isnan(drawn)]
    if resampling.confidence is None or not len(known):
        return None
    low, high = (resampling.ends(known).round(_EXACT_DIGITS) + 0.0).tolist()  # never -0
    return low, high


def _p_value(difference: float, error: float) -> float:
    """Return the two-sided p-value of a difference with a standard error."""
    if abs(difference) < _NO_DIFFERENCE:
        return 1.0
    return float(2 * stats.norm.sf(abs(difference) / error)) if error > 0 else 0.0


# ---- Coefficients of rows -------------------------------------------------------------------------------------------
# Functions of a table, float64[score, row], whose last row holds the ratings, and of the group and item of each row.


def _pearson_of_rows(table: np.ndarray, groups: np.ndarray, _: np.ndarray) -> Weighted:
    sums = _moments(table, groups)
    return lambda weights: _pearson_of_moments(np.tensordot(weights.astype(float), sums, 1))


def _moments(table: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return what Pearson's correlation is computed from, summed by group: float64[group, score, 6].

    That is the number of rows, and with x for a score and y for the ratings, x, y, xx, yy and xy. All columns are
    first moved and scaled so that they have the mean 0 and the variance 1, or are 0 if they are flat.
    """
    varies = np.ptp(table, axis=1, keepdims=True) > 0
    centred = np.where(varies, table - table.mean(axis=1, keepdims=True), 0)
    scaled = centred / np.where(varies, centred.std(axis=1, keepdims=True), 1)
    x, y = scaled[:-1], np.broadcast_to(scaled[-1], scaled[:-1].shape)
    moments = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1)
    sums = np.zeros((int(groups.max()) + 1, len(x), 6))
    np.add.at(sums, groups, moments.swapaxes(0, 1))
    return sums


def _pearson_of_moments(sums: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation from sums, float64[..., 6]; nan where scores or ratings are all the same."""
    number, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        x_spread, y_spread = xx - x * x / number, yy - y * y / number
        varies = (x_spread > _FLAT * number) & (y_spread > _FLAT * number)
        return np.where(varies, (xy - x * y / number) / np.sqrt(x_spread * y_spread), np.nan).clip(-1, 1)


def _pearson_within(table: np.ndarray, groups: np.ndarray, items: np.ndarray) -> Weighted:
    """Return the mean over items of Pearson's correlation of their rows; items without one are left out."""
    of_items = _pearson_of_moments(_moments(table, items))
    is_defined, of_groups = ~np.isnan(of_items), _group_of_items(groups, items)

    def mean(weights: np.ndarray) -> np.ndarray:
        drawn = weights[:, of_groups].astype(float)
        with np.errstate(invalid="ignore"):
            return (drawn @ np.where(is_defined, of_items, 0)) / (drawn @ is_defined)

    return mean


def _group_of_items(groups: np.ndarray, items: np.ndarray) -> np.ndarray:
    return groups[np.unique(items, return_index=True)[1]]


def _of_drawn_rows(of_table: "OfTable", table: np.ndarray, groups: np.ndarray, _: np.ndarray) -> Weighted:
    """Return a coefficient of a table for rows, which are repeated as often as their groups are drawn."""
    return lambda weights: np.stack([of_table(table, drawn[groups]) for drawn in weights])


def _accuracy_within(table: np.ndarray, groups: np.ndarray, items: np.ndarray) -> Weighted:
    """Return the pairwise accuracy with ties, of pairs of rows of an item, averaged over items.

    A pair is right if score and ratings put the same row first, or if both call the rows equal. A score calls rows
    equal if it differs by no more than a threshold, which is chosen for each score, and in each draw, so that most
    pairs are right: acc_eq with tie calibration of Deutsch et al. 2023 (https://aclanthology.org/2023.emnlp-main.798),
    as in the WMT metrics tasks since 2023.
    """
    rows = pd.Series(np.arange(len(items))).groupby(items).agg(list)
    pairs = np.array([pair for of_item in rows for pair in combinations(of_item, 2)], np.int64).reshape(-1, 2)
    items_of_pairs, groups_of_pairs = items[pairs[:, 0]], groups[pairs[:, 0]]
    number = np.bincount(items_of_pairs, minlength=len(rows))
    share = 1 / number[items_of_pairs, None]
    compared = np.bincount(_group_of_items(groups, items)[number > 0], minlength=int(groups.max()) + 1)
    differences = _without_rounding_errors(table[:, pairs[:, 0]] - table[:, pairs[:, 1]])
    of_scores = [_calibrated(column, np.sign(differences[-1])) for column in differences[:-1]]
    step = max(1, _CELLS // max(len(pairs), 1))

    def accuracy(weights: np.ndarray) -> np.ndarray:
        parts = [weights[begin : begin + step].T[groups_of_pairs] * share for begin in range(0, len(weights), step)]
        right = [np.stack([of_score(part) for of_score in of_scores], axis=-1) for part in parts]
        with np.errstate(invalid="ignore"):
            return np.concatenate(right) / (weights @ compared)[:, None]

    return accuracy


def _calibrated(differences: np.ndarray, ratings: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from weights of pairs, float64[pair, draw], to the weight of those that are right."""
    sizes = np.abs(differences)
    order = np.argsort(sizes, kind="stable")
    ties, agrees = (ratings == 0).astype(float), (np.sign(differences) * ratings > 0).astype(float)
    gains = (ties - agrees)[order, None]  # what is won where a pair becomes a tie
    # How many pairs are ties by each threshold: those that are equal, and then all up to each size.
    numbers = np.union1d(np.count_nonzero(sizes == 0), np.flatnonzero(np.diff(sizes[order], append=np.inf)) + 1)

    def right(weights: np.ndarray) -> np.ndarray:
        won = np.cumsum(weights[order] * gains, axis=0)
        return agrees @ weights + np.pad(won, ((1, 0), (0, 0)))[numbers].max(axis=0)

    return right


# ---- Coefficients of tables -----------------------------------------------------------------------------------------

#: A function of a table, float64[score, row], whose last row holds the ratings, and of how often each row is there,
#: int64[row], to coefficients, float64[score].
OfTable = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _correlations(correlation: Callable[[np.ndarray], np.ndarray], table: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the correlation of each score with the ratings; nan where one of them is the same in every row."""
    table = np.repeat(table, times, axis=1)
    if not table.size:
        return np.full(len(table) - 1, np.nan)
    varies = np.ptp(table, axis=1) > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(varies[:-1] & varies[-1], correlation(table), np.nan)


def _pearson(table: np.ndarray) -> np.ndarray:
    return np.atleast_2d(np.corrcoef(table))[-1, :-1]


def _spearman(table: np.ndarray) -> np.ndarray:
    return _pearson(stats.rankdata(table, axis=1))


def _kendall(table: np.ndarray) -> np.ndarray:
    return np.array([stats.kendalltau(scores, table[-1]).statistic for scores in table[:-1]])


def _accuracy(table: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the share of pairs of rows that score and ratings put in the same order, or both call equal.

    Kocmi et al. 2021, https://aclanthology.org/2021.wmt-1.57.
    """
    one, other = np.triu_indices(table.shape[1], 1)
    signs, weights = np.sign(table[:, one] - table[:, other]), times[one] * times[other]
    if not len(weights):
        return np.full(len(table) - 1, np.nan)
    return (signs[:-1] == signs[-1]) @ weights / weights.sum()


#: The coefficients of systems by name.
OF_SYSTEMS: dict[str, OfTable] = {
    "pearson": partial(_correlations, _pearson),
    "spearman": partial(_correlations, _spearman),
    "kendall": partial(_correlations, _kendall),
    "accuracy": _accuracy,
}

#: The coefficients of rows by name. The last two compare rows of an item alone.
OF_ROWS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Weighted]] = {
    "pearson": _pearson_of_rows,
    "spearman": partial(_of_drawn_rows, OF_SYSTEMS["spearman"]),
    "kendall": partial(_of_drawn_rows, OF_SYSTEMS["kendall"]),
    "pearson_within": _pearson_within,
    "accuracy": _accuracy_within,
}
