"""Resample segments: intervals and p-values from rows of numbers that were counted once.

A score is a function of sums over segments: of sentence scores, or of a corpus's counts. So a resample is a row of
whole numbers (how often each segment is drawn), many resamples are a matrix, and its product with the segments' rows
holds all sums at once. The rows are first put on a grid so fine that it changes no score, and so coarse that float64
adds them without rounding: then a matrix product is the same, to the last bit, however a machine orders its additions.
"""

from collections.abc import Callable, Iterator

import numpy as np

#: How many draws each method makes unless told otherwise: what sacreBLEU makes.
RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}

# Whole numbers up to 2**53 are exact in float64; differences of two sums need one bit more than a sum.
_EXACT_BITS = 52

# Cells of the matrix that is held at a time: 16 MB.
_CELLS = 1 << 21

Statistic = Callable[[np.ndarray], np.ndarray]


def bootstrap(rows: np.ndarray, statistic: Statistic, *, resamples: int, seed: int) -> np.ndarray:
    """Draw as many segments as there are, with replacement, again and again.

    All systems see the same draws, so that their scores can be compared pair by pair.

    Args:
        rows: float64[segment, system, ...]: what is summed over segments.
        statistic: from sums, float64[resample, system, ...], to scores, float64[resample, system, score].
        resamples: how many times to draw.
        seed: of numpy's PCG64.

    Returns:
        float64[resample, system, score].

    >>> bootstrap(np.array([[[1.0]], [[1.0]]]), lambda sums: sums / 2, resamples=3, seed=1).tolist()
    [[[1.0]], [[1.0]], [[1.0]]]
    """
    grid, exponent = _on_grid(rows, mixes_systems=False)
    return _scores(grid, exponent, statistic, bootstrap_draws(len(rows), resamples=resamples, seed=seed))


def bootstrap_draws(segments: int, *, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Yield how often each segment is drawn, int64[resample, segment], for some resamples at a time.

    >>> [draw.sum(axis=1).tolist() for draw in bootstrap_draws(5, resamples=2, seed=1)]
    [[5, 5]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))

    def draw(size: int) -> np.ndarray:
        drawn = generator.integers(0, segments, size=(size, segments))
        drawn += segments * np.arange(size)[:, None]
        return np.bincount(drawn.ravel(), minlength=size * segments).reshape(size, segments)

    return _chunks(draw, segments, resamples)


def randomization(
    rows: np.ndarray, statistic: Statistic, *, baseline: int, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Let each system swap segments with the baseline, each with probability one half, again and again.

    Args:
        rows, statistic, resamples, seed: as in `bootstrap`.
        baseline: the number of the system that the others swap with.

    Returns:
        Twice float64[resample, system, score]: of each system after swapping, and of the baseline after it.
    """
    grid, exponent = _on_grid(rows, mixes_systems=True)
    segments = len(rows)
    generator = np.random.Generator(np.random.PCG64(seed))
    gains = grid[:, [baseline]] - grid
    systems = grid.sum(axis=0)
    baselines = systems[[baseline]]

    def draw(size: int) -> np.ndarray:
        words = generator.integers(0, 1 << 64, size=(size, -(-segments // 64)), dtype=np.uint64)
        return np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=segments, bitorder="little")

    after, baselines_after = [], []
    for swaps in _chunks(draw, segments, resamples):
        gained = _product(swaps, gains)
        after.append(statistic(np.ldexp(systems + gained, exponent)))
        baselines_after.append(statistic(np.ldexp(baselines - gained, exponent)))
    return np.concatenate(after), np.concatenate(baselines_after)


def observed(rows: np.ndarray, statistic: Statistic) -> np.ndarray:
    """Return the scores of the segments as they are, float64[system, score], on the grid of the other functions."""
    grid, exponent = _on_grid(rows, mixes_systems=True)
    return statistic(np.ldexp(grid.sum(axis=0), exponent)[None])[0]


def interval(scores: np.ndarray, *, confidence: float) -> np.ndarray:
    """Return the percentile interval of resampled scores: its two ends, float64[2, ...].

    Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3.

    >>> interval(np.arange(101.0), confidence=0.5).tolist()
    [25.0, 75.0]
    """
    tail = (1 - confidence) / 2
    return np.quantile(scores, [tail, 1 - tail], axis=0)


def bootstrap_p_value(differences: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """Return the two-sided p-value of a difference, given the differences in resamples.

    The differences of resamples are moved so that their mean is 0, as if the null hypothesis held; the p-value is the
    share of them that is farther from 0 than the difference itself. SacreBLEU (2.6.0, significance.py,
    `_paired_bs_test`) takes absolute values first and moves them then, which makes the test one-sided: it calls one
    in ten pairs of equal systems different at 5%, this one one in twenty.
    """
    return _p_value(np.abs(differences - differences.mean(axis=0)), difference)


def randomization_p_value(differences: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """Return the two-sided p-value of a difference, given the differences after random swaps.

    As sacreBLEU 2.6.0, significance.py, `_paired_ar_test`; Noreen 1989, Computer Intensive Methods.
    """
    return _p_value(np.abs(differences), difference)


#: By the names of `RESAMPLES`.
P_VALUES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "bootstrap": bootstrap_p_value,
    "randomization": randomization_p_value,
}


def _p_value(statistics: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """Return (c + 1) / (n + 1), as sacreBLEU 2.6.0, significance.py, `_compute_p_value`: never 0.

    C counts what is at least as far from 0 as the difference, as in Phipson and Smyth 2010 and in scipy. SacreBLEU
    counts only what is farther, by which a system differs from itself with p = 1 / (n + 1).
    """
    return ((statistics >= np.abs(difference)).sum(axis=0) + 1) / (len(statistics) + 1)


def _on_grid(rows: np.ndarray, *, mixes_systems: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows as whole numbers, and the power of two that is their unit: one for each feature of each system.

    Where systems are mixed, they share their units; where not, the scores of one do not depend on the others.
    """
    largest = len(rows) * np.abs(rows).max(axis=(0, 1) if mixes_systems else 0)
    exponent = np.frexp(largest)[1] - _EXACT_BITS
    return np.rint(np.ldexp(rows, -exponent)), exponent


def _chunks(draw: Callable[[int], np.ndarray], segments: int, resamples: int) -> Iterator[np.ndarray]:
    """Yield what `draw` returns for some resamples at a time; how many at a time does not change what is drawn."""
    size = max(1, _CELLS // segments)
    for begin in range(0, resamples, size):
        yield draw(min(size, resamples - begin))


def _scores(grid: np.ndarray, exponent: np.ndarray, statistic: Statistic, chunks: Iterator[np.ndarray]) -> np.ndarray:
    return np.concatenate([statistic(np.ldexp(_product(chunk, grid), exponent)) for chunk in chunks])


def _product(weights: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Sum the segments of a grid with the weights of each resample: float64[resample, system, ...], exact."""
    sums = weights.astype(np.float64) @ grid.reshape(len(grid), -1)
    return sums.reshape(len(weights), *grid.shape[1:])
