"""Consecutive ranges of an array, given by their sizes: where they begin, and the sum of each."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

#: Rows so short are summed faster all at once than one by one.
_FEW = 1024


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


def even_runs(sizes: np.ndarray, wanted: int) -> Iterator[slice]:
    """Cut items of these sizes into runs of about the same size, so many that it is about the one that is wanted.

    >>> list(even_runs(np.array([3, 1, 1, 3, 4, 4]), 8))
    [slice(0, 4, None), slice(4, 6, None)]
    """
    ends = sizes.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    run = ends * max(1, round(total / wanted)) // (total + 1)
    edges = (run[1:] != run[:-1]).nonzero()[0] + 1
    for begin, end in pairwise([0, *edges.tolist(), len(sizes)]):
        yield slice(begin, end)


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
    if len(rows[0]) < _FEW:
        begins = (np.arange(len(rows))[:, None] * len(rows[0]) + ranges.begins).ravel()
        sums[:, ranges.filled] = np.add.reduceat(np.concatenate(rows, dtype=float), begins).reshape(len(rows), -1)
        return sums
    summed: dict[int, np.ndarray] = {}  # a row that stands there twice is summed once
    for line, row in zip(sums, rows, strict=True):  # at once for all of them, numpy would not let go of the lock
        if id(row) not in summed:
            summed[id(row)] = np.add.reduceat(row, ranges.begins, dtype=np.int64 if row.dtype == bool else None)
        line[ranges.filled] = summed[id(row)]
    return sums
