"""Agreement with ratings: against scipy, against a bootstrap written out, and on the data that settle least squares."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sari.human_ratings.correlation import COEFFICIENTS, SystemRows, agreement
from sari.significance import bootstrap_draws

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}

each_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS)


def columns(rows=40, seed=3):
    """Scores with ties, and ratings that go along with the first of them."""
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 12, (2, rows)).astype(float)
    return {"one": one, "other": other}, np.round(one + rng.normal(0, 4, rows))


@each_coefficient
def test_values_are_those_of_scipy(coefficient):
    scores, ratings = columns()
    found = agreement(scores, ratings, coefficient=coefficient, baseline="other")
    for name, column in scores.items():
        wanted = SCIPY[coefficient](column, ratings).statistic
        assert found[name].value == pytest.approx(wanted, abs=1e-12)
        assert found[name].interval is None
    assert found["one"].difference == found["one"].value - found["other"].value
    assert found["other"].difference is None


@each_coefficient
def test_intervals_are_those_of_a_bootstrap_written_out(coefficient):
    """All rows of a source are drawn together, and both scores see the same draws."""
    scores, ratings = columns()
    groups = [f"source {place % 9}" for place in range(len(ratings))]
    how = {"confidence": 0.9, "resamples": 60, "seed": 5}
    found = agreement(scores, ratings, groups=groups, coefficient=coefficient, baseline="other", **how)
    drawn = {name: [] for name in scores}
    for counts in np.concatenate(list(bootstrap_draws(9, resamples=60, seed=5))):
        rows = [row for source, count in enumerate(counts) for row in list(range(source, 40, 9)) * count]
        for name, column in scores.items():
            drawn[name].append(SCIPY[coefficient](column[rows], ratings[rows]).statistic)
    for name in scores:
        assert found[name].interval == pytest.approx(np.quantile(drawn[name], [0.05, 0.95]), abs=1e-12)
    differences = np.subtract(drawn["one"], drawn["other"])
    assert found["one"].difference_interval == pytest.approx(np.quantile(differences, [0.05, 0.95]), abs=1e-12)


@each_coefficient
def test_scores_that_are_all_the_same_have_no_agreement(coefficient):
    found = agreement({"same": [1.0] * 5}, [1, 2, 3, 4, 5], coefficient=coefficient, confidence=0.95)["same"]
    assert math.isnan(found.value)
    assert found.interval is None


@pytest.mark.filterwarnings("ignore:An input array is")
@each_coefficient
def test_draws_whose_scores_are_all_the_same_say_nothing(coefficient):
    ratings, scores = np.arange(6.0), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.3])
    found = agreement({"a": scores}, ratings, coefficient=coefficient, confidence=0.9, resamples=80, seed=2)["a"]
    rows = [np.repeat(np.arange(6), counts) for counts in next(bootstrap_draws(6, resamples=80, seed=2))]
    drawn = [SCIPY[coefficient](scores[own], ratings[own]).statistic for own in rows]
    assert np.isnan(drawn).any()
    assert found.interval == pytest.approx(np.nanquantile(drawn, [0.05, 0.95]), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "ratings", "options", "message"),
    [
        ({"a": [1, 2]}, [1], {}, "ratings: got 1, expected at least two"),
        ({"a": [1, 2, 3]}, [1, 2], {}, "a: got 3 rows, expected 2 (as in ratings)"),
        ({"a": [1, float("nan")]}, [1, 2], {}, "a[1]: got nan, expected a finite number"),
        ({"a": [1, 2]}, ["good", "bad"], {}, "ratings: got a value that is no number, expected numbers"),
        ({"a": [[1], [2]]}, [1, 2], {}, "a: got 2 dimensions, expected one number per row"),
        ({}, [1, 2], {}, "scores: got none, expected at least one column of numbers"),
        ({"a": [1, 2]}, [1, 2], {"coefficient": "phi"}, "coefficient: got 'phi', expected "),
        ({"a": [1, 2]}, [1, 2], {"baseline": "b"}, "baseline: got 'b', expected "),
        ({"a": [1, 2]}, [1, 2], {"groups": [1]}, "groups: got 1 row, expected 2 (as in ratings)"),
        ({"a": [1, 2]}, [1, 2], {"groups": [1, 1]}, "groups: got one group, expected at least two to draw from"),
        ({"a": [1, 2]}, [1, 2], {"systems": [1, 1]}, "systems: got 1, expected at least two"),
        ({"a": [1, 2]}, [1, 2], {"confidence": 2}, "confidence: got 2, expected a number between 0 and 1"),
    ],
)
def test_refusals(scores, ratings, options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        agreement(scores, ratings, **{"confidence": 0.9, **options})


@each_coefficient
def test_systems_agree_by_their_means(coefficient):
    """Of sources with the outputs of five systems, in any order; one source lacks two of them, one system is flat."""
    rng = np.random.default_rng(8)
    rows = pd.DataFrame([(source, system) for source in range(30) for system in range(5)], columns=["source", "system"])
    rows[["score", "rating"]] = rows[["system"]].to_numpy() + rng.normal(0, 2, (150, 2))
    rows = rows.drop([36, 39]).sample(frac=1, random_state=1)
    scores = {"mean": rows["score"], "sums": SystemRows(rows["score"].to_numpy()), "flat": np.ones(148)}
    how = {"groups": rows["source"], "confidence": 0.9, "resamples": 50, "seed": 4, "coefficient": coefficient}
    found = agreement(scores, rows["rating"], systems=rows["system"], **how)

    def wanted(rows):
        return SCIPY[coefficient](*rows.groupby("system")[["score", "rating"]].mean().to_numpy().T).statistic

    assert found["mean"] == found["sums"]
    assert found["mean"].value == pytest.approx(wanted(rows), abs=1e-9)
    assert math.isnan(found["flat"].value)
    sources = [own for _, own in rows.groupby("source", sort=False)]
    drawn = [
        wanted(pd.concat([own for own, count in zip(sources, counts, strict=True) for _ in range(count)]))
        for counts in np.concatenate(list(bootstrap_draws(30, resamples=50, seed=4)))
    ]
    assert found["mean"].interval == pytest.approx(np.quantile(drawn, [0.05, 0.95]), abs=1e-9)
