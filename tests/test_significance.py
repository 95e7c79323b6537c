"""Intervals and p-values: against scipy on the same statistic, against slow sums, and under a null hypothesis."""

import numpy as np
import pytest
import scipy.stats
from refusals import refuses

from sari import significance

METHODS = list(significance.TESTS)
PAIR = np.array([[1, 0]])


def mean(sums, segments):
    """Return the statistic of sentence-level variants."""
    return sums / segments


def ratio(sums):
    """Return a statistic like those of corpus-level variants: numerators over denominators."""
    return sums[..., 0:1] / sums[..., 1:2]


def scores_of(systems, segments, seed):
    return np.random.default_rng(seed).gamma(3, 10, size=(segments, systems, 1))


def counts_of(systems, segments, seed):
    """Return good and all n-grams of each segment."""
    draws = np.random.default_rng(seed)
    everything = draws.integers(5, 40, size=(segments, 1))
    good = draws.binomial(everything, 0.4 + 0.05 * np.arange(systems))
    return np.stack([good, np.broadcast_to(everything, good.shape)], axis=-1).astype(float)


def drawn(kind, systems, segments, seed):
    """Return rows of one kind, and the statistic for it."""
    if kind == "mean":
        return scores_of(systems, segments, seed), lambda sums: mean(sums, segments)
    return counts_of(systems, segments, seed), ratio


def p_value(rows, statistic, method, resamples, seed=1):
    """Return the p-value of the second system against the first."""
    sample = significance.Sample(rows, statistic, seed)
    return significance.TESTS[method].p_values(sample, PAIR, resamples)[0, 0]


def bootstrap(rows, statistic, resamples, seed):
    """Return the scores of each resample."""
    return significance.Sample(rows, statistic, seed).resampled(resamples)


def swapped(rows, pairs, trials, seed):
    """Return the differences of sums of pairs after swapping, of all trials."""
    return np.concatenate([*significance.Sample(rows, lambda sums: sums, seed).swapped(np.array(pairs), trials)])


# ---- The draws ------------------------------------------------------------------------------------------------------


def test_randomization_swaps_segments_with_the_baseline():
    """With powers of ten a sum tells which segments were swapped: each about half of the time, and the same for all."""
    rows = np.zeros((6, 3, 1))
    rows[:, 1, 0] = rows[:, 2, 0] = 10.0 ** np.arange(6)
    differences = swapped(rows, [(1, 0), (2, 0), (0, 1), (2, 1)], 2_000, seed=1)
    kept = (differences[:, 0, 0] + 111_111) / 2  # of the first system's; the rest is its difference
    assert np.array_equal(differences[:, 0], differences[:, 1])
    assert np.array_equal(differences[:, 0], -differences[:, 2])
    assert not differences[:, 3].any()
    digits = np.array([[int(digit) for digit in f"{int(one):06d}"] for one in kept])
    assert set(digits.ravel()) == {0, 1}
    assert np.all(abs(digits.mean(axis=0) - 0.5) < 0.05)


def test_resamples_are_drawn_in_one_go():
    """However many are held in memory at a time: these are too many for once."""
    rows = counts_of(1, 3_000, seed=4)
    drawn = np.random.default_rng(9).integers(0, len(rows), size=(1_500, len(rows)))
    assert np.array_equal(bootstrap(rows, lambda sums: sums, len(drawn), 9), rows[drawn].sum(axis=1))


def test_swaps_are_the_same_however_many_pairs_there_are():
    rows = scores_of(2, 101, seed=4)
    many = swapped(rows, [(0, 1)] * (1 << 18), 20, seed=9)  # too many for once
    assert np.array_equal(many[:, ::99_999], np.repeat(swapped(rows, [(0, 1)], 20, seed=9), 3, axis=1))


def test_order_changes_no_bit():
    """Plain sums of float64 would be rounded differently in another order, or with other systems."""
    rows = scores_of(3, 101, seed=4) ** 5
    whole = significance.Sample(rows, lambda sums: sums, 9)
    assert np.array_equal(significance.Sample(rows[::-1], whole.statistic, 9).scores, whole.scores)
    assert np.array_equal(bootstrap(rows[:, :1], whole.statistic, 50, 9), whole.resampled(50)[:, :1])
    assert np.allclose(whole.scores, rows.sum(axis=0), rtol=1e-13)


def test_numbers_that_every_machine_must_get():
    rows = counts_of(2, 20, seed=0)
    how = significance.resolve_resampling(confidence=0.95, resamples=200)
    assert significance.Sample(rows, ratio, 12345).intervals(how)[:, :, 0].round(6).tolist() == [
        [0.376105, 0.395453],
        [0.460039, 0.485198],
    ]
    expected = {"randomization": 0.742, "bootstrap": 0.644}
    assert {method: p_value(rows, ratio, method, 999) for method in expected} == expected


# ---- Against scipy --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mean", "ratio"])
def test_intervals_against_scipy(kind):
    segments = 60
    rows, statistic = drawn(kind, 1, segments, 5)

    def of_segments(chosen, axis):
        assert axis == -1
        return statistic(rows[chosen.astype(int), 0].sum(axis=-2))[..., 0]

    places = (np.arange(segments),)
    expected = scipy.stats.bootstrap(
        places, of_segments, n_resamples=20_000, confidence_level=0.9, method="percentile", batch=2_000, rng=0
    )
    how = significance.resolve_resampling(confidence=0.9, resamples=20_000)
    sample = significance.Sample(rows, statistic, 1)
    found = sample.intervals(how)[:, 0, 0]
    assert found == pytest.approx(np.array(expected.confidence_interval), abs=0.06 * expected.standard_error)
    assert sample.resampled(20_000).std() == pytest.approx(expected.standard_error, rel=0.05)


def test_intervals_of_differences_are_those_of_the_differences_alone():
    """For means, the difference of two systems has the interval of one that has their differences as scores."""
    rows, how = scores_of(3, 40, 5), significance.resolve_resampling(confidence=0.8, resamples=500)
    pairs = np.array([[1, 0], [2, 0], [1, 2]])
    found = significance.Sample(rows, lambda sums: mean(sums, 40), 1).difference_intervals(pairs, how)
    alone = rows[:, pairs[:, 0]] - rows[:, pairs[:, 1]]
    assert found == pytest.approx(significance.Sample(alone, lambda sums: mean(sums, 40), 1).intervals(how), rel=1e-12)


@pytest.mark.parametrize("kind", ["mean", "ratio"])
@pytest.mark.parametrize("seed", range(4))
def test_randomization_against_scipy(kind, seed):
    """Scipy goes through all 2**9 ways to swap; ours are drawn, so that the p-value varies by at most 0.005 or so."""
    segments = 9
    rows, statistic = drawn(kind, 2, segments, seed)
    both = np.concatenate([rows[:, 0], rows[:, 1]])

    def difference(one, other):
        return (statistic(both[one].sum(axis=0)) - statistic(both[other].sum(axis=0)))[0]

    exact = scipy.stats.permutation_test(
        (np.arange(segments), segments + np.arange(segments)),
        difference,
        permutation_type="samples",
        vectorized=False,
        n_resamples=np.inf,
    )
    assert p_value(rows, statistic, "randomization", 100_000) == pytest.approx(exact.pvalue, abs=0.006)


# ---- Under the null hypothesis --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mean", "ratio"])
@pytest.mark.parametrize("method", METHODS)
def test_equal_systems_differ_in_five_percent(method, kind):
    """The outputs for each segment are dealt at random to two systems: significant at 5% about 5% of the time."""
    segments, trials = 120, 600
    draws = np.random.default_rng(8)
    low = 0
    for trial in range(trials):
        rows, statistic = drawn(kind, 2, segments, trial)
        is_turned = draws.random(segments) < 0.5
        rows[is_turned] = rows[is_turned, ::-1]
        low += p_value(rows, statistic, method, 199, seed=trials + trial) <= 0.05
    assert 0.03 < low / trials < 0.075


# ---- Several comparisons -------------------------------------------------------------------------------------------


def test_holm_against_its_definition():
    """It is the largest of its own and smaller p-values, times the number of those that are not smaller."""
    draws = np.random.default_rng(0)
    for number in [1, 2, 5, 19] * 40:
        p_values = draws.uniform(size=number).round(2) ** 3
        products = [p_value * (p_values >= p_value).sum() for p_value in p_values]
        expected = [max(np.extract(p_values <= p_value, products)) for p_value in p_values]
        assert significance.holm(p_values[:, None])[:, 0] == pytest.approx(np.minimum(expected, 1))


def test_more_comparisons_get_more_draws():
    """As documented: more where more than 250 comparisons want them."""
    how = significance.resolve_resampling(method="bootstrap")
    assert list(map(how.trials_for, (25, 26, 250, 251))) == [10_000, 10_000, 10_000, 10_040]


def test_large_corpora_are_drawn_in_blocks():
    """Intervals are as wide as of single segments; a small difference is found, and one of nothing is not."""
    rng = np.random.default_rng(1)
    one = rng.normal(50, 20, 25_001)
    other = one + rng.normal(0, 5, 25_001)
    systems = [one, other - other.mean() + one.mean(), other - other.mean() + one.mean() + 0.2]
    rows = np.stack(systems, axis=1)[..., None]
    sample = significance.Sample(rows, lambda sums: sums / len(rows), seed=1)
    how = significance.resolve_resampling(confidence=0.95, method="randomization")
    assert len(sample.blocks) == 8_334
    assert sample.scores[:, 0] == pytest.approx(rows.mean(axis=0)[:, 0], abs=1e-9)
    low, high = sample.intervals(how)[:, 0, 0]
    assert high - low == pytest.approx(2 * 1.96 * one.std() / 25_001**0.5, rel=0.05)
    in_blocks = significance.Sample(sample.blocks, sample.statistic, seed=1)  # as several systems are kept
    assert np.array_equal(in_blocks.intervals(how), sample.intervals(how))
    assert len(in_blocks.bootstrapped(how)) == how.resamples_for(len(rows))
    equal, better = significance.TESTS["randomization"].p_values(sample, np.array([[0, 1], [0, 2]]), 999)[:, 0]
    assert equal > 0.5
    assert better < 0.01


# ---- Options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "ar"}, ValueError, f"method: got 'ar', expected one of {', '.join(METHODS)}"),
        ({"confidence": 0}, ValueError, "confidence: got 0, expected a number between 0 and 1"),
        ({"confidence": 1}, ValueError, "confidence: got 1, expected a number between 0 and 1"),
        ({"confidence": True}, TypeError, "confidence: got True, expected a number between 0 and 1"),
        ({"confidence": float("nan")}, ValueError, "confidence: got nan, expected a number between 0 and 1"),
        ({"resamples": 0}, ValueError, "resamples: got 0, expected a whole number of at least 1"),
        ({"resamples": 10**9}, ValueError, "resamples: got 1000000000, expected a whole number of at most 1000000"),
        ({"seed": -1}, ValueError, "seed: got -1, expected a whole number of at least 0"),
    ],
)
def test_bad_options(options, error, message):
    with refuses(error, message):
        significance.resolve_resampling(**options)


@pytest.mark.parametrize(("given", "warned"), [((99,), 1), ((100,), 0), ((100, 0.05), 1), ((100, 0.049), 0)])
def test_too_few_segments_or_resamples_are_a_warning(given, warned):
    assert len([*significance.resampling_warnings(*given)]) == warned
