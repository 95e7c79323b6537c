"""Agreement with ratings: against scipy, and against pairs, resamples and p-values written out."""

import math
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sari.human_ratings.correlation import OF_ROWS, OF_SYSTEMS, Agreement, SystemRows, agreement, with_correction
from sari.significance import bootstrap_draws

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}

pytestmark = pytest.mark.filterwarnings("ignore:An input array is constant")


def pearson_within(scores, ratings, items):
    rows = {}
    for score, rating, item in zip(scores, ratings, items, strict=True):
        rows.setdefault(item, []).append((score, rating))
    columns = [np.transpose(own) for own in rows.values()]
    found = [np.corrcoef(*own)[0, 1] for own in columns if np.ptp(own, axis=1).all()]
    return np.mean(found) if found else np.nan


def accuracy_within(scores, ratings, items):
    """Try every threshold on every pair."""
    rows = list(zip(scores, ratings, items, strict=True))
    pairs = [(a[0] - b[0], a[1] - b[1], a[2]) for a, b in combinations(rows, 2) if a[2] == b[2]]

    def accuracy(threshold):
        right = {}
        for score, rating, item in pairs:
            tied = abs(score) <= threshold
            right.setdefault(item, []).append(rating == 0 if tied else score * rating > 0)
        return np.mean([np.mean(of_item) for of_item in right.values()])

    return max(map(accuracy, {0, *(abs(score) for score, *_ in pairs)}))


def slow(coefficient, scores, ratings, items=None):
    """Return a coefficient of two columns, nan where one is flat."""
    if coefficient in SCIPY:
        return SCIPY[coefficient](scores, ratings).statistic if len(scores) > 1 else np.nan
    return {"pearson_within": pearson_within, "accuracy": accuracy_within}[coefficient](scores, ratings, items)


@pytest.mark.parametrize("coefficient", OF_ROWS)
def test_values_intervals_and_p_values(coefficient):
    """All rows of a source are drawn together, and all scores see the same draws; "rare" is flat in some of them."""
    rng = np.random.default_rng(3)
    one, other = rng.integers(0, 12, (2, 40)).astype(float)  # with ties
    ratings = np.round(one + rng.normal(0, 4, 40))
    scores = {"one": one, "rare": np.where(np.arange(40) == 0, 0.3, 0.1), "other": other, "flat": np.full(40, 0.1)}
    groups = np.arange(40) % 9
    options = {"coefficient": coefficient, "baseline": "other", "groups": [f"source {group}" for group in groups]}
    found = agreement(scores, ratings, confidence=0.9, resamples=30, seed=5, **options)
    counts = np.concatenate(list(bootstrap_draws(9, resamples=30, seed=5)))
    drawn = []
    for times in counts:  # a source that is drawn twice is two sources
        rows = [(row, (group, n)) for group in range(9) for n in range(times[group]) for row in range(group, 40, 9)]
        places, items = [row for row, _ in rows], [item for _, item in rows]
        drawn.append({name: slow(coefficient, scores[name][places], ratings[places], items) for name in scores})
    drawn = pd.DataFrame(drawn)
    for name in ("one", "rare", "other"):
        assert found[name].value == pytest.approx(slow(coefficient, scores[name], ratings, groups), abs=1e-12)
        assert found[name].interval == pytest.approx(drawn[name].quantile([0.05, 0.95]).tolist(), abs=1e-12)
    if coefficient != "accuracy":
        assert math.isnan(found["flat"].value)
        assert found["flat"].interval is None
    differences = drawn["one"] - drawn["other"]
    one, other = found["one"], found["other"]
    assert one.difference == one.value - other.value
    assert one.difference_interval == pytest.approx(differences.quantile([0.05, 0.95]).tolist(), abs=1e-12)
    assert one.p_value == pytest.approx(2 * stats.norm.cdf(-abs(one.difference) / differences.std(ddof=0)))
    assert other.difference is other.p_value is None
    alone = agreement(scores, ratings, **options)["one"]
    assert (alone.value, alone.interval, alone.p_value) == (one.value, None, None)


@pytest.mark.parametrize("coefficient", OF_SYSTEMS)
def test_systems_agree_by_their_means(coefficient):
    """Of sources with the outputs of five systems, in any order; one source lacks two of them, one system is flat."""
    rng = np.random.default_rng(8)
    rows = pd.DataFrame({"source": np.repeat(np.arange(30), 5), "system": [*range(5)] * 30})
    rows[["score", "rating"]] = rows[["system"]].to_numpy() + rng.normal(0, 2, (150, 2))
    rows = rows.drop([36, 39]).sample(frac=1, random_state=1)
    scores = {"mean": rows["score"], "sums": SystemRows(rows["score"].to_numpy()), "flat": np.ones(148)}
    how = {"groups": rows["source"], "confidence": 0.9, "resamples": 30, "seed": 4, "coefficient": coefficient}
    found = agreement(scores, rows["rating"], systems=rows["system"], **how)

    def wanted(rows, systems):
        """Systems that are drawn twice are there twice, and are not compared with themselves."""
        table = np.array([rows[rows[:, 1] == system][:, 2:].mean(axis=0) for system in systems])
        if coefficient != "accuracy":
            return slow(coefficient, *table.T)
        pairs = [(a, b) for a, b in combinations(range(len(systems)), 2) if systems[a] != systems[b]]
        signs = np.sign([table[a] - table[b] for a, b in pairs])
        return np.mean(signs[:, 0] == signs[:, 1])

    assert found["mean"] == found["sums"]
    numbers = rows["system"].unique()  # in order of appearance
    table = rows.to_numpy()
    assert found["mean"].value == pytest.approx(wanted(table, sorted(numbers)), abs=1e-9)
    order = rows["source"].unique()
    of_sources, of_systems = (np.concatenate([*bootstrap_draws(n, 30, s)]) for n, s in ((30, 4), (5, 5)))
    drawn = []
    for sources, systems in zip(of_sources, of_systems, strict=True):
        own = np.concatenate([table[table[:, 0] == source] for source in np.repeat(order, sources)])
        drawn.append(wanted(own, np.repeat(numbers, systems).tolist()))
    assert found["mean"].interval == pytest.approx(np.quantile(drawn, [0.05, 0.95]), abs=1e-9)


@pytest.mark.parametrize(("coefficient", "value"), [("spearman", math.nan), ("kendall", math.nan), ("accuracy", 0)])
def test_rounding_errors_break_no_ties(coefficient, value):
    """Three ratings of four systems each sum to 10.3, in floating point to two different numbers."""
    ratings = [[3.1, 3.4, 3.8], [3.8, 3.4, 3.1], [3.3, 3.4, 3.6], [3.6, 3.3, 3.4]]
    assert len({sum(row) for row in ratings}) > 1
    columns = {"systems": np.repeat(range(4), 3), "groups": [0, 1, 2] * 4}
    found = agreement({"a": np.repeat([1, 2, 3, 4], 3)}, np.ravel(ratings), coefficient=coefficient, **columns)["a"]
    assert found.value == pytest.approx(value, nan_ok=True)


def test_items_are_compared_within_and_groups_are_drawn():
    """Two items of one source: their rows are not compared with each other, and are drawn together."""
    scores, ratings, items = [1, 2, 30, 20, 5, 6], [1, 2, 1, 2, 1, 2], ["a", "a", "b", "b", "c", "c"]
    how = {"coefficient": "accuracy", "items": items, "groups": [0, 0, 0, 0, 1, 1], "confidence": 0.9}
    found = agreement({"x": scores}, ratings, **how)["x"]
    assert found.value == pytest.approx(2 / 3)
    assert found.interval == pytest.approx((0.5, 1))


def test_equal_scores_are_called_different_in_one_of_twenty():
    """Two scores are the ratings with errors of the same size, of outputs that share the errors of their source."""
    rng, found = np.random.default_rng(1), []
    for _ in range(300):
        of_sources, of_rows = rng.normal(size=(3, 60, 1)), rng.normal(size=(3, 60, 5))
        ratings, *scores = (of_sources + of_rows + [[[1]], [[0]], [[0]]] * rng.normal(size=60)[:, None]).reshape(3, -1)
        columns = {"a": scores[0] + ratings, "b": scores[1] + ratings}
        how = {"groups": np.repeat(np.arange(60), 5), "baseline": "a", "confidence": 0.95, "resamples": 200}
        found.append(agreement(columns, ratings, **how)["b"].p_value)
    assert 0.02 < np.mean(np.array(found) < 0.05) < 0.08
    assert 0.4 < np.mean(np.array(found) < 0.5) < 0.6


def test_correction_is_holms():
    p_values = [0.01, 0.04, None, 0.03]
    found = with_correction([Agreement(1.0, p_value=p) for p in p_values])
    assert [one.corrected_p_value for one in found] == [pytest.approx(0.03), pytest.approx(0.06), None, 0.06]


@pytest.mark.parametrize(
    ("scores", "ratings", "options", "message"),
    [
        ({"a": [1, 2]}, [1], {}, "ratings: got 1, expected at least two"),
        ({"a": [1, 2, 3]}, [1, 2], {}, "a: got 3 rows, expected 2 (as in ratings)"),
        ({"a": [1, float("nan")]}, [1, 2], {}, "a[1]: got nan, expected a finite number"),
        ({"a": [1, 2]}, ["good", "bad"], {}, "ratings: got a value that is no number, expected numbers"),
        ({"a": [[1], [2]]}, [1, 2], {}, "a: got 2 dimensions, expected one number per row"),
        ({}, [1, 2], {}, "scores: got none, expected at least one column of numbers"),
        ({"a": [1, 2]}, [1, 2], {"baseline": "b"}, "baseline: got 'b', expected "),
        ({"a": [1, 2]}, [1, 2], {"groups": [1]}, "groups: got 1 row, expected 2 (as in ratings)"),
        ({"a": [1, 2]}, [1, 2], {"groups": [1, 1]}, "groups: got one group, expected at least two to draw from"),
        ({"a": [1, 2]}, [1, 2], {"systems": [1, 1]}, "systems: got 1, expected at least two"),
        ({"a": [1, 2]}, [1, 2], {"systems": [1, 2], "coefficient": "pearson_within"}, "coefficient: got "),
    ],
)
def test_refusals(scores, ratings, options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        agreement(scores, ratings, **{"confidence": 0.9, **options})
