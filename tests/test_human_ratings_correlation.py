"""Agreement with ratings: against scipy, against a bootstrap written out, and on the data that settle least squares."""

import math

import numpy as np
import pytest
from scipy import stats

from sari.human_ratings.correlation import (
    COEFFICIENTS,
    SystemRows,
    agreement,
    correlation,
    pairwise_agreement,
)
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
        assert (
            found[name].value
            == correlation(column, ratings, coefficient=coefficient)
            == pytest.approx(wanted, abs=1e-12)
        )
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
    assert all(map(math.isnan, found.interval))


@pytest.mark.filterwarnings("ignore:An input array is")
@each_coefficient
@pytest.mark.parametrize("outlier", [0.3, 1e9])
def test_draws_without_the_one_row_that_differs(coefficient, outlier):
    """Such draws say nothing where the rest is the same, and lose no digits where it nearly is."""
    ratings, rest = np.arange(6.0), [0.1, 0.1, 0.1, 0.1, 0.1 + 1e-3 * (outlier > 1)]
    scores = np.array([*rest, outlier])
    found = agreement({"a": scores}, ratings, coefficient=coefficient, confidence=0.9, resamples=80, seed=2)["a"]
    rows = [np.repeat(np.arange(6), counts) for counts in next(bootstrap_draws(6, resamples=80, seed=2))]
    drawn = [SCIPY[coefficient](scores[own], ratings[own]).statistic for own in rows]
    assert found.interval == pytest.approx(np.nanquantile(drawn, [0.05, 0.95]), abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": [1, 2]}, [1]), "ratings: got 1, wanted at least two"),
        (({"a": [1, 2, 3]}, [1, 2]), "a: got 3 rows, wanted 2, as many as ratings"),
        (({"a": [1, float("nan")]}, [1, 2]), r"a\[1\]: got nan, wanted a finite number"),
        (({"a": [1, 2]}, ["good", "bad"]), "ratings: got something else in it, wanted numbers"),
        (({"a": [[1], [2]]}, [1, 2]), "a: got 2 dimensions, wanted one number per row"),
        (({}, [1, 2]), "scores: got none, wanted at least one column of numbers"),
    ],
)
def test_bad_columns_are_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        agreement(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coefficient": "phi"}, "coefficient: got 'phi', wanted one of pearson, spearman, kendall"),
        ({"baseline": "b"}, "baseline: got 'b', wanted one of a"),
        ({"groups": [1]}, "groups: got 1 rows, wanted 3, as many as ratings"),
        ({"groups": [1, 1, 1]}, "groups: got a single one, wanted at least two to draw from"),
        ({"confidence": 2}, "confidence: got 2, wanted a number between 0 and 1"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        agreement({"a": [1, 2, 3]}, [1, 2, 3], **{"confidence": 0.9, **options})


@each_coefficient
def test_systems_agree_by_their_means(coefficient):
    """Of sources with the outputs of five systems, in any order; one source lacks two of them, one system is flat."""
    rng = np.random.default_rng(8)
    table, people = (np.arange(5.0) + rng.normal(0, 2, (30, 5)) for _ in range(2))
    kept = [(source, system) for source in range(30) for system in range(5) if (source, system) not in {(7, 1), (7, 4)}]
    sources, systems = np.array([kept[place] for place in rng.permutation(len(kept))]).T
    rows, ratings = table[sources, systems], people[sources, systems]
    scores = {
        "mean": rows,
        "flat": SystemRows(np.ones_like(rows)),
    }
    how = {"groups": sources.tolist(), "confidence": 0.9, "resamples": 50, "seed": 4}
    found = agreement(scores, ratings, systems=systems.tolist(), coefficient=coefficient, **how)
    with pytest.raises(ValueError, match=r"^systems: got 1, wanted at least two$"):
        agreement(scores, ratings, systems=["x"] * len(rows), coefficient=coefficient, **how)

    def wanted(counts):
        weights = counts[sources]
        means = [
            [np.average(column[systems == system], weights=weights[systems == system]) for system in range(5)]
            for column in (rows, ratings)
        ]
        return SCIPY[coefficient](*means).statistic

    assert found["mean"].value == pytest.approx(wanted(np.ones(30)), abs=1e-9)
    assert math.isnan(found["flat"].value)
    order = list(dict.fromkeys(sources.tolist()))
    drawn = []
    for counts in np.concatenate(list(bootstrap_draws(30, resamples=50, seed=4))):
        by_source = np.zeros(30)
        by_source[order] = counts
        drawn.append(wanted(by_source))
    assert found["mean"].interval == pytest.approx(np.quantile(drawn, [0.05, 0.95]), abs=1e-9)


def test_pairs_on_which_most_raters_agree():
    # a over b: both raters; a over c: one of two, no majority; b and c: within the threshold.
    judgements = [[90, 80], [50, 40], [60, 80], [10, 10]]
    groups = ["s", "s", "s", "t"]
    assert pairwise_agreement([3, 1, 2, 0], judgements, groups, threshold=5) == 1  # a > b and c > b
    assert pairwise_agreement([1, 3, 2, 0], judgements, groups, threshold=5) == -1
    assert pairwise_agreement([2, 2, 3, 0], judgements, groups, threshold=5) == 0  # a tie counts against
    assert math.isnan(pairwise_agreement([1, 2], [[1], [9]], ["s", "t"]))
