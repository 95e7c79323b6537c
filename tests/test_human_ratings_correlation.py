"""Agreement with ratings: against scipy and a bootstrap written out."""

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


@pytest.mark.filterwarnings("ignore:An input array is constant")
@each_coefficient
def test_values_and_intervals_are_those_of_scipy(coefficient):
    """All rows of a source are drawn together, and all scores see the same draws; "rare" is flat in some of them."""
    draws = np.random.default_rng(3)
    one, other = draws.integers(0, 12, (2, 40)).astype(float)  # with ties
    ratings = np.round(one + draws.normal(0, 4, 40))
    scores = {"one": one, "rare": np.where(np.arange(40) == 0, 0.3, 0.1), "other": other, "flat": np.full(40, 0.1)}
    groups = [f"source {place % 9}" for place in range(40)]
    options = {"coefficient": coefficient, "baseline": "other"}
    found = agreement(scores, ratings, groups=groups, confidence=0.9, resamples=60, seed=5, **options)
    sources = [np.arange(source, 40, 9) for source in range(9)]
    counts = np.concatenate(list(bootstrap_draws(9, resamples=60, seed=5)))
    rows = [np.concatenate([sources[place] for place in np.repeat(np.arange(9), drawn)]) for drawn in counts]
    drawn = {name: [SCIPY[coefficient](scores[name][own], ratings[own]).statistic for own in rows] for name in scores}
    for name in ("one", "rare", "other"):
        assert found[name].value == pytest.approx(SCIPY[coefficient](scores[name], ratings).statistic, abs=1e-12)
        assert found[name].interval == pytest.approx(np.nanquantile(drawn[name], [0.05, 0.95]), abs=1e-12)
    assert math.isnan(found["flat"].value)
    assert found["flat"].interval is None
    assert found["one"].difference == found["one"].value - found["other"].value
    differences = np.subtract(drawn["one"], drawn["other"])
    assert found["one"].difference_interval == pytest.approx(np.quantile(differences, [0.05, 0.95]), abs=1e-12)
    assert found["other"].difference is None
    assert agreement(scores, ratings, **options)["one"].interval is None
    assert agreement(scores, ratings, groups=np.arange(40) % 2, confidence=0.9, **options)["one"].interval


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
    ],
)
def test_refusals(scores, ratings, options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        agreement(scores, ratings, **{"confidence": 0.9, **options})


@each_coefficient
def test_systems_agree_by_their_means(coefficient):
    """Of sources with the outputs of five systems, in any order; one source lacks two of them, one system is flat."""
    rng = np.random.default_rng(8)
    rows = pd.DataFrame({"source": np.repeat(np.arange(30), 5), "system": [*range(5)] * 30})
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
    counts = np.concatenate(list(bootstrap_draws(30, resamples=50, seed=4)))
    drawn = [wanted(pd.concat([sources[place] for place in np.repeat(np.arange(30), row)])) for row in counts]
    assert found["mean"].interval == pytest.approx(np.quantile(drawn, [0.05, 0.95]), abs=1e-9)
