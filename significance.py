"""Intervals and p-values by resampling segments: bootstrap, approximate randomization, and Holm's correction.

Intervals come from the percentile bootstrap. The tests are the rows of `TESTS`. Tables, legends and the app take the
words for both from here.

A score is a function of sums over segments: of sentence scores, or of counts. A resample is a row of whole numbers: how
often each segment is drawn. Many resamples are a matrix, and its product with the rows of the segments holds all sums.
Of large corpora, blocks of neighbouring segments are drawn. The rows are first rounded to a grid. It is too fine to
change a score, and coarse enough for float64 to add without rounding, so that the product is the same on any machine.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .data_warnings import ResamplingWarning
from .messages import count_of
from .validation import check_choice, check_share, check_whole_number

#: The bootstrap and its intervals are reliable from this number of segments on: see docs/statistics.md.
ENOUGH_SEGMENTS = 100

#: A difference is significant if its corrected p-value is below this.
SIGNIFICANT = 0.05

# Whole numbers up to 2**53 are exact in float64; differences of two sums need one bit more than a sum.
_EXACT_BITS = 52

# Cells of the matrix that is held at a time: 16 MB.
_CELLS = 1 << 21

#: The default seed of all random draws.
SEED = 12345

#: The default number of draws, with which the second decimal of an interval of scores is hardly a matter of chance; the
#: number for what takes long; and the largest one.
RESAMPLES, FEWEST_RESAMPLES = 10_000, 1_000
MOST_RESAMPLES = 1_000_000
# Segments of a system in all resamples together, by default: about two seconds.
_RESAMPLED = 50_000_000
# More segments are drawn in blocks of neighbours, so that time and memory do not grow with them.
_MOST_BLOCKS = 10_000

# A p-value from n draws is at least 1 / (n + 1), and m times that after a correction for m comparisons. With this many
# draws per comparison, a difference can still be significant.
_DRAWS_PER_COMPARISON = 40

#: For type checkers, the names of tests.
TestName = Literal["randomization", "bootstrap"]

#: By the name of a field, such as "p_values", figures by the names of scores.
NamedFigures = dict[str, dict[str, Any]]


# ---- Samples --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Segments to resample. All systems get the same draws, so that their scores can be compared pair by pair.

    Attributes:
        rows: float64[segment, system, ...]: the numbers that are summed over segments; or the same by block.
        statistic: a function from sums, float64[resample, system, ...], to scores, float64[resample, system, score].
        seed: the seed of numpy's PCG64.
    """

    rows: np.ndarray
    statistic: Callable[[np.ndarray], np.ndarray]
    seed: int
    _drawn: dict[int, np.ndarray] = field(default_factory=dict, init=False)  # by the number of resamples

    @cached_property
    def blocks(self) -> np.ndarray:
        """What is drawn: see `in_blocks`."""
        return in_blocks(self.rows)

    @cached_property
    def scores(self) -> np.ndarray:
        """The scores of all segments, each taken once: float64[system, score]."""
        grid, exponent = _on_grid(self.blocks, mixes_systems=True)
        return self.statistic(np.ldexp(grid.sum(axis=0), exponent)[None])[0]

    def resampled(self, resamples: int) -> np.ndarray:
        """Return the scores of each bootstrap resample: float64[resample, system, score].

        >>> sample = Sample(np.array([[[1.0]], [[1.0]]]), lambda sums: sums / 2, seed=1)
        >>> sample.resampled(3).tolist()
        [[[1.0]], [[1.0]], [[1.0]]]
        """
        if resamples not in self._drawn:
            grid, exponent = _on_grid(self.blocks, mixes_systems=False)
            draws = bootstrap_draws(len(grid), resamples, self.seed)
            parts = [self.statistic(np.ldexp(_product(weights, grid), exponent)) for weights in draws]
            self._drawn[resamples] = np.concatenate(parts)
        return self._drawn[resamples]

    def bootstrapped(self, resampling: "Resampling") -> np.ndarray:
        """Return the scores of the resamples for intervals: float64[resample, system, score]."""
        return self.resampled(resampling.resamples_for(len(self.rows)))

    def intervals(self, resampling: "Resampling") -> np.ndarray:
        """Return the two ends of the interval of each score, float64[2, system, score]; this needs a confidence."""
        return resampling.ends(self.bootstrapped(resampling))

    def differences(self, pairs: np.ndarray) -> np.ndarray:
        """Return the differences of the scores of each pair of systems: float64[pair, score]."""
        return self.scores[pairs[:, 0]] - self.scores[pairs[:, 1]]

    def difference_intervals(self, pairs: np.ndarray, resampling: "Resampling") -> np.ndarray:
        """Return the two ends of the interval of each difference, float64[2, pair, score], as `intervals` does."""
        drawn = self.bootstrapped(resampling)
        return resampling.ends(drawn[:, pairs[:, 0]] - drawn[:, pairs[:, 1]])

    def named_intervals(self, names: Sequence[str], resampling: "Resampling") -> list[NamedFigures]:
        """Return the intervals of each system as a field; none without a confidence, or of a single segment.

        Args:
            names: of the scores.
            resampling: how intervals are computed.
        """
        if not self._has_intervals(resampling):
            return [{} for _ in self.scores]
        return [{"confidence_intervals": _by_name(names, ends.T)} for ends in self.intervals(resampling).swapaxes(0, 1)]

    def named_tests(
        self, names: Sequence[str], pairs: Sequence[tuple[int, int]], resampling: "Resampling"
    ) -> list[NamedFigures]:
        """Return the differences, p-values and intervals of pairs of systems as fields; `resampling` needs a method.

        Args:
            names: of the scores.
            pairs: the places of two systems each.
            resampling: how intervals and tests are computed.
        """
        places = np.array(pairs, np.int64)
        differences = self.differences(places)
        p_values = np.ones_like(differences)  # no test applies to a single segment
        if len(self.rows) > 1:
            p_values = TESTS[str(resampling.method)].p_values(self, places, resampling.trials_for(len(pairs)))
        fields = {"differences": differences, "p_values": p_values, "corrected_p_values": holm(p_values)}
        if self._has_intervals(resampling):
            fields["difference_intervals"] = np.moveaxis(self.difference_intervals(places, resampling), 0, -1)
        return [{field: _by_name(names, values[row]) for field, values in fields.items()} for row in range(len(pairs))]

    def _has_intervals(self, resampling: "Resampling") -> bool:
        return resampling.has_intervals and len(self.rows) > 1

    def swapped(self, pairs: np.ndarray, trials: int) -> Iterator[np.ndarray]:
        """Let the two systems of each pair swap blocks with probability one half; all pairs swap the same ones.

        Yields:
            For some trials at a time, the scores of the first system minus those of the second after swapping:
            float64[trial, pair, score].
        """
        grid, exponent = _on_grid(self.blocks, mixes_systems=True)
        segments = len(grid)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        (ones, others), systems = pairs.T, grid.sum(axis=0)

        def draw(size: int) -> np.ndarray:
            words = generator.integers(0, 1 << 64, size=(size, -(-segments // 64)), dtype=np.uint64)
            return np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=segments, bitorder="little")

        cells = max(segments, len(pairs) * systems[0].size)
        for swaps in _chunks(draw, cells, trials):
            swapped = _product(swaps, grid)
            gained = swapped[:, others] - swapped[:, ones]
            after = self.statistic(np.ldexp(systems[ones] + gained, exponent))
            yield after - self.statistic(np.ldexp(systems[others] - gained, exponent))


def _by_name(names: Sequence[str], values: np.ndarray) -> dict[str, Any]:
    return dict(zip(names, values.tolist(), strict=True))


def in_blocks(rows: np.ndarray) -> np.ndarray:
    """Sum neighbouring rows, float64[segment, ...], into at most 10,000 blocks of one size; the last may be smaller.

    >>> in_blocks(np.ones((10_001, 1)))[[0, -1]].tolist()
    [[2.0], [1.0]]
    """
    size = _block_size(len(rows))
    return rows if size <= 1 else np.add.reduceat(rows, np.arange(0, len(rows), size, dtype=np.int64))


def _block_size(segments: int) -> int:
    return -(-segments // _MOST_BLOCKS)


def _on_grid(rows: np.ndarray, *, mixes_systems: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows as whole numbers, and the power of two that is their unit, for each feature of each system.

    With swapping, both systems are resampled on one scale. Otherwise no system's scores depend on the others.
    """
    largest = len(rows) * np.abs(rows).max(axis=(0, 1) if mixes_systems else 0)
    exponent = np.frexp(largest)[1] - _EXACT_BITS
    return np.rint(np.ldexp(rows, -exponent)), exponent


def _chunks(draw: Callable[[int], np.ndarray], cells: int, resamples: int) -> Iterator[np.ndarray]:
    """Yield what `draw` returns for some resamples at a time, of `cells` cells each. Their number changes no draw."""
    size = max(1, _CELLS // cells)
    for begin in range(0, resamples, size):
        yield draw(min(size, resamples - begin))


def _product(weights: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Sum the segments of a grid with the weights of each resample: float64[resample, system, ...], exact."""
    sums = weights.astype(np.float64) @ grid.reshape(len(grid), -1)
    return sums.reshape(len(weights), *grid.shape[1:])


# ---- Methods --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method of resampling in words.

    Attributes:
        title: its name, with a capital letter.
        draws: the word for one of its draws.
    """

    title: str
    draws: str

    def describe(self, draws: int | None, seed: int, *, over: str = "") -> str:
        """Return the method in words, with the number of draws and the seed.

        >>> BOOTSTRAP.describe(1000, seed=1, over="segments")
        'percentile bootstrap over segments, 1,000 resamples, seed 1'
        """
        title = self.title[0].lower() + self.title[1:]
        return f"{title}{over and f' over {over}'}, {count_of(draws or 0, self.draws)}, seed {seed}"


@dataclass(frozen=True, kw_only=True)
class PairedTest(Method):
    """A method to test whether two systems differ.

    Attributes:
        null_hypothesis: what holds of the two systems if they do not differ.
        p_values: a function of a sample, pairs and the number of draws. It returns two-sided p-values: float64[pair,
            score].
    """

    null_hypothesis: str
    p_values: Callable[[Sample, np.ndarray, int], np.ndarray]


#: The method of all intervals.
BOOTSTRAP = Method(title="Percentile bootstrap", draws="resample")


def bootstrap_draws(segments: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Draw as many segments as there are, with replacement, again and again.

    Yields:
        How often each segment is drawn, int64[resample, segment], for some resamples at a time.

    >>> [weights.sum(axis=1).tolist() for weights in bootstrap_draws(5, 2, seed=1)]
    [[5, 5]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))

    def draw(size: int) -> np.ndarray:
        drawn = generator.integers(0, segments, size=(size, segments))
        drawn += segments * np.arange(size, dtype=np.int64)[:, None]
        return np.bincount(drawn.ravel(), minlength=size * segments).reshape(size, segments)

    return _chunks(draw, segments, resamples)


def bootstrap_p_values(sample: Sample, pairs: np.ndarray, resamples: int) -> np.ndarray:
    """Return the two-sided p-values of the differences of pairs of systems, int[pair, 2]: float64[pair, score].

    The differences of resamples are moved so that their mean is 0, as if the null hypothesis held. The p-value is the
    share of them that is at least as far from 0 as the difference itself. SacreBLEU (2.6.0, significance.py,
    `_paired_bs_test`) takes absolute values before it moves them, which makes the test one-sided: at 5%, it calls one
    in ten pairs of equal systems different, and this test one in twenty.
    """
    drawn = sample.resampled(resamples)
    differences = drawn[:, pairs[:, 0]] - drawn[:, pairs[:, 1]]
    as_far = np.abs(differences - differences.mean(axis=0)) >= np.abs(sample.differences(pairs))
    return _p_value(as_far.sum(axis=0), resamples)


def randomization_p_values(sample: Sample, pairs: np.ndarray, trials: int) -> np.ndarray:
    """Return the two-sided p-values of the differences of pairs of systems, int[pair, 2]: float64[pair, score].

    As sacreBLEU 2.6.0, significance.py, `_paired_ar_test`; Noreen 1989, Computer Intensive Methods.
    """
    size = np.abs(sample.differences(pairs))
    return _p_value(sum((np.abs(chunk) >= size).sum(axis=0) for chunk in sample.swapped(pairs, trials)), trials)


def _p_value(as_far: np.ndarray | int, draws: int) -> np.ndarray:
    """Return (c + 1) / (n + 1), as sacreBLEU 2.6.0, significance.py, `_compute_p_value`: never 0.

    Here c is the number of draws that are at least as far from 0 as the difference, as in Phipson and Smyth 2010 and in
    scipy. SacreBLEU counts only those that are farther, so that a system differs from itself with p = 1 / (n + 1).
    """
    return (np.asarray(as_far) + 1) / (draws + 1)


#: The paired tests by name, the default first.
TESTS: dict[str, PairedTest] = {
    "randomization": PairedTest(
        title="Paired approximate randomization",
        draws="trial",
        null_hypothesis="each output could as well be the other system's",
        p_values=randomization_p_values,
    ),
    "bootstrap": PairedTest(
        title="Paired bootstrap",
        draws="resample",
        null_hypothesis="two systems have the same score over all texts of which the segments are a sample",
        p_values=bootstrap_p_values,
    ),
}


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values, float64[comparison, ...], with the correction of Holm (1979), each column separately.

    It controls the family-wise error rate: the smallest of m p-values is multiplied by m, the next one by m - 1, and so
    on. None becomes smaller than the one before it, or larger than 1.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, axis=0, kind="stable")
    factors = np.arange(len(p_values), 0, -1, dtype=np.int64).reshape(-1, *[1] * (p_values.ndim - 1))
    ascending = np.maximum.accumulate(np.take_along_axis(p_values, order, axis=0) * factors, axis=0)
    corrected = np.empty_like(ascending)
    np.put_along_axis(corrected, order, np.minimum(ascending, 1.0), axis=0)
    return corrected


# ---- Options --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How intervals and p-values are computed.

    Attributes:
        confidence: the level of the intervals; None for no intervals.
        method: the paired test, a key of `TESTS`; None for no test.
        resamples: how many draws intervals and tests take each; None for numbers that depend on that of the segments,
            and on that of the comparisons.
        seed: the seed of the random numbers.
    """

    confidence: float | None
    method: str | None
    resamples: int | None
    seed: int

    def resamples_for(self, segments: int) -> int:
        """Return the number of resamples for a number of segments. It is the same for the number of their blocks.

        >>> resampling = resolve_resampling(confidence=0.95)
        >>> [resampling.resamples_for(segments) for segments in (1_000, 10_000, 12_000, 6_000, 1_000_000)]
        [10000, 5000, 8333, 8333, 5000]
        """
        blocks = -(-segments // _block_size(segments))
        return self.resamples or min(RESAMPLES, _RESAMPLED // blocks)

    def trials_for(self, comparisons: int) -> int:
        """Return the number of draws of the test for a number of comparisons.

        >>> [resolve_resampling().trials_for(comparisons) for comparisons in (25, 250, 251)]
        [10000, 10000, 10040]
        """
        return self.resamples or max(RESAMPLES, _DRAWS_PER_COMPARISON * comparisons)

    def ends(self, drawn: np.ndarray) -> np.ndarray:
        """Return the percentile interval of resampled scores, float64[resample, ...]: its two ends, float64[2, ...].

        Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3. This needs a confidence.

        >>> resolve_resampling(confidence=0.5).ends(np.arange(101.0)).tolist()
        [25.0, 75.0]
        """
        assert self.confidence is not None
        tail = (1 - self.confidence) / 2
        return np.quantile(drawn, [tail, 1 - tail], axis=0)

    @property
    def has_intervals(self) -> bool:
        """Whether there are intervals to compute."""
        return self.confidence is not None

    @property
    def is_wanted(self) -> bool:
        """Whether there are intervals or tests to compute."""
        return self.has_intervals or self.method is not None


def resolve_resampling(
    *, confidence: Any = None, method: Any = None, resamples: Any = None, seed: Any = SEED
) -> Resampling:
    """Check the options of intervals and tests; `resamples` is the number of draws for both, None for their defaults.

    Raises:
        ValueError, TypeError: for a value that is not valid.
    """
    if method is not None:
        check_choice("method", method, TESTS)
    if confidence is not None:
        confidence = check_share("confidence", confidence, ends=False)
    if resamples is not None:
        resamples = check_whole_number("resamples", resamples, least=1, most=MOST_RESAMPLES)
    seed = check_whole_number("seed", seed, least=0)
    return Resampling(confidence=confidence, method=method, resamples=resamples, seed=seed)


#: Neither intervals nor tests.
NO_RESAMPLING = resolve_resampling()


def resampling_warnings(
    segments: int, smallest_p_value: float = 0.0, *, unit: str = "segment"
) -> Iterator[ResamplingWarning]:
    """Yield warnings about too few segments, or too few resamples, for intervals and tests.

    `smallest_p_value` is the smallest corrected p-value that the tests can give, and `unit` the word for what is drawn.
    """
    if segments < ENOUGH_SEGMENTS:
        message = f"with fewer than {ENOUGH_SEGMENTS} {unit}s intervals are too narrow and p-values unreliable"
        yield ResamplingWarning(f"{message}; a single one has no interval, and p-value 1", count_of(segments, unit))
    if smallest_p_value >= SIGNIFICANT:
        message = "no difference can be significant with so few resamples for so many comparisons"
        yield ResamplingWarning(message, f"the smallest possible corrected p-value is {smallest_p_value:.2f}")
