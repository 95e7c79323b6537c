"""Consecutive ranges of an array, given by their sizes: where they begin, and the sum of each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Ranges(NamedTuple):
    """Consecutive ranges, each with a sum of its own, which is 0 where it is empty.

    Attributes:
        sizes: of each.
        begins: of those that are not empty.
        filled: which ones these are: a mask, or a slice of all.
    """

    sizes: np.ndarray
    begins: np.ndarray
    filled: np.ndarray | slice


def running_total(sizes: np.ndarray) -> np.ndarray:
    """Return 0 and the sums of the first, of the first two, and so on.

    >>> running_total(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    totals = np.zeros(len(sizes) + 1, np.int64)
    sizes.cumsum(out=totals[1:])
    return totals


def ranges_of(sizes: np.ndarray) -> Ranges:
    """Return ranges of these sizes."""
    begins = sizes.cumsum()
    begins -= sizes
    if np.count_nonzero(sizes) == len(sizes):
        return Ranges(sizes, begins, slice(None))
    filled = sizes > 0
    return Ranges(sizes, begins[filled], filled)


def sums_of_ranges(rows: Sequence[np.ndarray], ranges: Ranges) -> np.ndarray:
    """Sum each row over ranges: float64[row, range]."""
    sums = np.zeros((len(rows), len(ranges.sizes)))
    summed: dict[int, np.ndarray] = {}  # a row that stands there twice is summed once
    for line, row in zip(sums, rows, strict=True):  # at once for all of them, numpy would not let go of the lock
        if id(row) not in summed:
            summed[id(row)] = np.add.reduceat(row, ranges.begins, dtype=np.int64 if row.dtype == bool else None)
        line[ranges.filled] = summed[id(row)]
    return sums
