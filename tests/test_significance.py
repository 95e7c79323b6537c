"""Intervals and p-values: against scipy on the same statistic, against slow sums, and under a null hypothesis."""

import numpy as np
import pytest
import scipy.stats
from refusals import refuses

from sari.significance import TESTS, Sample, holm, resampling_warnings, resolve_resampling

METHODS = list(TESTS)


def ratio(sums):
    """Return a statistic like those of corpus-level variants: numerators over denominators."""
    return sums[..., 0:1] / sums[..., 1:2]


def same(sums):
    """Return the sums themselves as the statistic."""
    return sums


def counts_of(systems, segments, seed):
    """Return good and all n-grams of each segment."""
    draws = np.random.default_rng(seed)
    everything = draws.integers(5, 40, size=(segments, 1))
    good = draws.binomial(everything, 0.4 + 0.05 * np.arange(systems))
    return np.stack([good, np.broadcast_to(everything, good.shape)], axis=-1).astype(float)


def p_value(rows, method, resamples, seed=1):
    """Return the p-value of the second system against the first."""
    return TESTS[method].p_values(Sample(rows, ratio, seed), np.array([[1, 0]]), resamples)[0, 0]


def swapped(rows, pairs, trials):
    """Return the differences of sums of pairs after swapping, of all trials."""
    return np.concatenate([*Sample(rows, same, 9).swapped(np.array(pairs), trials)])


def test_randomization_swaps_segments_with_the_baseline():
    """With powers of ten a sum tells which segments were swapped: each about half of the time, and the same for all."""
    rows = np.zeros((6, 3, 1))
    rows[:, 1, 0] = rows[:, 2, 0] = 10.0 ** np.arange(6)
    differences = swapped(rows, [(1, 0), (2, 0), (0, 1), (2, 1)], 2_000)
    kept = (differences[:, 0, 0] + 111_111) / 2  # of the first system's; the rest is its difference
    assert np.array_equal(differences[:, 0], differences[:, 1])
    assert np.array_equal(differences[:, 0], -differences[:, 2])
    assert not differences[:, 3].any()
    digits = np.array([[int(digit) for digit in f"{int(one):06d}"] for one in kept])
    assert set(digits.ravel()) == {0, 1}
    assert np.all(abs(digits.mean(axis=0) - 0.5) < 0.05)


def test_draws_are_the_same_however_many_are_held_at_a_time():
    """These are too many resamples, and too many pairs, for once."""
    rows = counts_of(2, 3_000, seed=4)
    drawn = np.random.default_rng(9).integers(0, len(rows), size=(1_500, len(rows)))
    assert np.array_equal(Sample(rows, same, 9).resampled(len(drawn)), rows[drawn].sum(axis=1))
    many = swapped(rows[:101], [(0, 1)] * (1 << 18), 20)
    assert np.array_equal(many[:, ::99_999], np.repeat(swapped(rows[:101], [(0, 1)], 20), 3, axis=1))


def test_order_changes_no_bit():
    """Plain sums of float64 would be rounded differently in another order, or with other systems."""
    rows = (counts_of(3, 101, seed=4) / 7) ** 5
    whole = Sample(rows, same, 9)
    assert np.array_equal(Sample(rows[::-1], same, 9).scores, whole.scores)
    assert np.array_equal(Sample(rows[:, :1], same, 9).resampled(50), whole.resampled(50)[:, :1])
    assert np.allclose(whole.scores, rows.sum(axis=0), rtol=1e-13)


def test_numbers_that_every_machine_must_get():
    rows = counts_of(2, 20, seed=0)
    intervals = Sample(rows, ratio, 12345).intervals(resolve_resampling(confidence=0.95, resamples=200))
    assert intervals[:, :, 0].round(6).tolist() == [[0.376105, 0.395453], [0.460039, 0.485198]]
    assert [p_value(rows, method, 999) for method in ("randomization", "bootstrap")] == [0.742, 0.644]


def test_intervals_against_scipy():
    rows = counts_of(1, 60, 5)

    def of_segments(chosen, axis):
        assert axis == -1
        return ratio(rows[chosen.astype(int), 0].sum(axis=-2))[..., 0]

    expected = scipy.stats.bootstrap(
        [np.arange(60)], of_segments, n_resamples=20_000, confidence_level=0.9, method="percentile", rng=0
    )
    sample = Sample(rows, ratio, 1)
    found = sample.intervals(resolve_resampling(confidence=0.9, resamples=20_000))[:, 0, 0]
    assert found == pytest.approx(np.array(expected.confidence_interval), abs=0.06 * expected.standard_error)
    assert sample.resampled(20_000).std() == pytest.approx(expected.standard_error, rel=0.05)


def test_intervals_of_differences_are_those_of_the_differences_alone():
    """For sums, the difference of two systems has the interval of one that has their differences as scores."""
    rows, resampling = counts_of(3, 40, 5), resolve_resampling(confidence=0.8, resamples=500)
    pairs = np.array([[1, 0], [2, 0], [1, 2]])
    alone = Sample(rows[:, pairs[:, 0]] - rows[:, pairs[:, 1]], same, 1)
    found = Sample(rows, same, 1).difference_intervals(pairs, resampling)
    assert found == pytest.approx(alone.intervals(resampling), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_randomization_against_scipy(seed):
    """Scipy goes through all 2**9 ways to swap; ours are drawn, so that the p-value varies by at most 0.005 or so."""
    rows = counts_of(2, 9, seed)
    both = np.concatenate([rows[:, 0], rows[:, 1]])

    def difference(one, other):
        return (ratio(both[one].sum(axis=0)) - ratio(both[other].sum(axis=0)))[0]

    exact = scipy.stats.permutation_test(
        (np.arange(9), np.arange(9, 18)),
        difference,
        permutation_type="samples",
        vectorized=False,
        n_resamples=np.inf,
    )
    assert p_value(rows, "randomization", 100_000) == pytest.approx(exact.pvalue, abs=0.006)


@pytest.mark.parametrize("method", METHODS)
def test_equal_systems_differ_in_five_percent(method):
    """The outputs for each segment are dealt at random to two systems: significant at 5% about 5% of the time."""
    segments, trials = 120, 600
    draws = np.random.default_rng(8)
    low = 0
    for trial in range(trials):
        rows = counts_of(2, segments, trial)
        is_turned = draws.random(segments) < 0.5
        rows[is_turned] = rows[is_turned, ::-1]
        low += p_value(rows, method, 199, seed=trials + trial) <= 0.05
    assert 0.03 < low / trials < 0.075


def test_holm_against_its_definition():
    """It is the largest of its own and smaller p-values, times the number of those that are not smaller."""
    draws = np.random.default_rng(0)
    for number in [1, 2, 5, 19] * 40:
        p_values = draws.uniform(size=number).round(2) ** 3
        products = [p_value * (p_values >= p_value).sum() for p_value in p_values]
        expected = [max(np.extract(p_values <= p_value, products)) for p_value in p_values]
        assert holm(p_values[:, None])[:, 0] == pytest.approx(np.minimum(expected, 1))


def test_large_corpora_are_drawn_in_blocks():
    """Intervals are as wide as those of single segments, also of rows that are blocks already."""
    scores = np.random.default_rng(1).normal(50, 20, 25_001)
    sample = Sample(scores[:, None, None], lambda sums: sums / len(scores), seed=1)
    resampling = resolve_resampling(confidence=0.95)
    assert len(sample.blocks) == 8_334
    assert sample.scores[0] == pytest.approx([scores.mean()])
    low, high = sample.intervals(resampling)[:, 0, 0]
    assert high - low == pytest.approx(2 * 1.96 * scores.std() / 25_001**0.5, rel=0.05)
    in_blocks = Sample(sample.blocks, sample.statistic, seed=1)  # as several systems are kept
    assert np.array_equal(in_blocks.intervals(resampling), sample.intervals(resampling))
    assert len(in_blocks.bootstrapped(resampling)) == resampling.resamples_for(len(scores))


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("method", "ar", f"one of {', '.join(METHODS)}"),
        ("confidence", 0, "a number between 0 and 1"),
        ("confidence", 1, "a number between 0 and 1"),
        ("resamples", 0, "a whole number of at least 1"),
        ("resamples", 10**9, "a whole number of at most 1000000"),
        ("seed", -1, "a whole number of at least 0"),
    ],
)
def test_bad_options(option, value, expected):
    with refuses(ValueError, f"{option}: got {value!r}, expected {expected}"):
        resolve_resampling(**{option: value})


@pytest.mark.parametrize(("given", "warned"), [((99,), 1), ((100,), 0), ((100, 0.05), 1), ((100, 0.049), 0)])
def test_too_few_segments_or_resamples_are_a_warning(given, warned):
    assert len([*resampling_warnings(*given)]) == warned
