"""Sums over ranges, beside slices that are summed one by one."""

from unittest.mock import patch

import numpy as np
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st

from sari import ranges as module
from sari.ranges import even_runs, ranges_of, running_total, sums_of_ranges


def test_running_totals():
    assert running_total(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert running_total(np.array([], np.int64)).tolist() == [0]


@given(sizes=st.lists(st.integers(0, 9), max_size=30), wanted=st.integers(1, 20))
@runs(60)
def test_runs_are_of_about_one_size(sizes, wanted):
    runs_found = list(even_runs(np.array(sizes, np.int64), wanted))
    assert [place for run in runs_found for place in range(run.start, run.stop)] == list(range(len(sizes)))
    assert all(run.start < run.stop for run in runs_found) or not sizes
    number = max(1, round(sum(sizes) / wanted))
    assert len(runs_found) <= number
    assert all(sum(sizes[run]) <= sum(sizes) / number + max(sizes) for run in runs_found if sizes)


@given(parts=st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=6))
@runs(60)
def test_each_range_has_its_sum(parts):
    row = np.array([number for part in parts for number in part], np.int64)
    ranges = ranges_of(np.array(list(map(len, parts)), np.int64))
    halves = row / 2
    rows = [row, halves, row > 2, row]
    found = sums_of_ranges(rows, ranges)
    with patch.object(module, "_FEW", 0):
        assert sums_of_ranges(rows, ranges).tolist() == found.tolist()
    totals = [sum(part) for part in parts]
    assert found.tolist() == [
        totals,
        [total / 2 for total in totals],
        [sum(number > 2 for number in part) for part in parts],
        totals,
    ]
