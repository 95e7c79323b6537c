"""Linear models: on the data that settle least squares, against scipy, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from sari.human_ratings.linear_models import linear_model

# Longley 1967, with the values that NIST certifies (https://www.itl.nist.gov/div898/strd/lls/data/Longley.shtml).
LONGLEY = """
60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962
"""
CERTIFIED = {
    "intercept": (-3482258.63459582, 890420.383607373),
    "x1": (15.0618722713733, 84.9149257747669),
    "x2": (-0.0358191792925910, 0.0334910077722432),
    "x3": (-2.02022980381683, 0.488399681651699),
    "x4": (-1.03322686717359, 0.214274163161675),
    "x5": (-0.0511041056535807, 0.226073200069370),
    "x6": (1829.15146461355, 455.478499142212),
}


def test_least_squares_are_the_certified_ones():
    y, *xs = np.array([line.split() for line in LONGLEY.split("\n") if line], float).T
    model = linear_model({f"x{number}": x for number, x in enumerate(xs, 1)}, y)
    found = {term.name: (term.coefficient, term.standard_error) for term in model.terms}
    assert {name: pytest.approx(row, rel=1e-8) for name, row in CERTIFIED.items()} == found
    assert (model.r_squared, model.f) == pytest.approx((0.995479004577296, 330.285339234588), rel=1e-9)
    assert model.rows == 16


def test_one_measure_is_scipys_regression():
    one, ratings = np.random.default_rng(3).normal(0, 4, (2, 40))
    model, wanted = linear_model({"one": one}, ratings), stats.linregress(one, ratings)
    slope = model.terms[1]
    assert (slope.coefficient, slope.standard_error) == pytest.approx((wanted.slope, wanted.stderr))
    assert (slope.p_value, model.p_value) == pytest.approx((wanted.pvalue, wanted.pvalue))
    assert model.r_squared == pytest.approx(wanted.rvalue**2)
    assert model.adjusted_r_squared < model.r_squared


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ({"a": [1, 2, 3, 4], "b": [2, 4, 6, 8]}, "measures: got a, b, expected none that the others determine"),
        ({"a": [1, 1, 1, 1]}, "a: got the same value in every row, expected values that vary"),
        ({name: [1, 2, 4, 8] for name in "abc"}, "ratings: got 4, expected at least 5 for 3 measures"),
    ],
)
def test_models_that_cannot_be_are_refused(measures, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        linear_model(measures, [1, 3, 2, 4])
