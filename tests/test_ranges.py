"""Sums over ranges, beside slices that are summed one by one."""

import numpy as np
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st

from sari.ranges import ranges_of, running_total, sums_of_ranges


def test_running_totals():
    assert running_total(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert running_total(np.array([], np.int64)).tolist() == [0]


@given(parts=st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=6))
@runs(60)
def test_each_range_has_its_sum(parts):
    row = np.array([number for part in parts for number in part], np.int64)
    ranges = ranges_of(np.array(list(map(len, parts)), np.int64))
    halves = row / 2
    found = sums_of_ranges([row, halves, row > 2, row], ranges)
    totals = [sum(part) for part in parts]
    assert found.tolist() == [
        totals,
        [total / 2 for total in totals],
        [sum(number > 2 for number in part) for part in parts],
        totals,
    ]
