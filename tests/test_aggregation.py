"""Counts in, scores out: by hand, and sums that are exact whatever their order."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sari.aggregation import as_summed, exact_sums, exact_value, precision_recall_f1, score_counts
from sari.sari_scorer import Scorer
from sari.variants import SCORES, VARIANTS


@pytest.mark.parametrize(
    ("zero_division", "nothing", "no_recall"),
    [(0, [0, 0, 0], [1, 0, 0]), (0.25, [0.25, 0.25, 0.25], [1, 0.25, 0.4]), (1, [1, 1, 1], [1, 1, 1])],
)
def test_zero_divided_by_zero(zero_division, nothing, no_recall):
    counts = np.array([[0, 0, 0, 0], [3, 3, 0, 0]], float)
    assert precision_recall_f1(counts, zero_division=zero_division).tolist() == [nothing, no_recall]


#: Precision and recall of keep are 1 and 1/2, of delete 1/4 and 3/4, of add 1/2 and 1/2; then
#: 1/2 and 1, 3/4 and 1/4, 0 and 1.
COUNTS = [[[2, 2, 1, 2], [1, 4, 3, 4], [1, 2, 1, 2]], [[1, 2, 2, 2], [3, 4, 1, 4], [0, 1, 1, 1]]]


@pytest.mark.parametrize(
    ("averaging", "deletion", "addition", "expected"),
    [
        ("scores", "precision", "f1", [2 / 3, 0.5, 0.25]),
        ("scores", "f1", "precision", [2 / 3, 0.375, 0.25]),
        # Means first: keep 3/4 and 3/4, delete 1/2 and 1/2, add 1/4 and 3/4.
        ("ratios", "precision", "f1", [0.75, 0.5, 0.375]),
        ("ratios", "f1", "precision", [0.75, 0.5, 0.25]),
    ],
)
def test_scores_of_operations(averaging, deletion, addition, expected):
    variant = replace(VARIANTS["easse"], averaging=averaging, deletion=deletion, addition=addition)
    _, found = score_counts(np.array(COUNTS, float), variant)
    assert found.tolist() == pytest.approx(expected, rel=1e-15)


# From 2**-8 on no bit of a float64 is finer than 2**-60.
numbers = st.one_of(st.just(0.0), st.floats(2**-8, 1e9))


@given(values=st.lists(numbers, min_size=1, max_size=30), divisor=st.integers(1, 1_000))
def test_sums_are_exact_until_they_are_rounded_once(values, divisor):
    total = exact_value(exact_sums(np.array(values)[:, None]), divisor)
    assert total.tolist() == [float(sum(map(Fraction, values)) / divisor)]


def test_there_is_room_for_a_billion_segments():
    row = np.array([[1_000.0, 1 - 2.0**-53, 0.1]])
    assert exact_value(exact_sums(row) << 30, 1 << 30).tolist() == row[0].tolist()


@given(value=st.floats(0, 1))
def test_a_value_as_it_is_summed(value):
    assert as_summed(np.array([value])).tolist() == exact_value(exact_sums(np.array([[value]]))).tolist()


@pytest.mark.parametrize("variant", ["hf", "easse", "t2t"])
def test_a_tiny_score_of_a_segment_is_the_one_that_it_has_alone(variant):
    """The add score is finer than the unit of exact sums."""
    long = " ".join(f"w{number}" for number in range(901))
    text = {"sources": ["a"], "predictions": ["w1 x y z"], "references": [[long]]}
    result = Scorer(variant, level="sentence", zero_division=0.0).compute(**text, details=True)
    assert 0 < result["add"] < 100 / 256
    assert {name: [result[name]] for name in SCORES} == result["sentences"]
