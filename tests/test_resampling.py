"""Intervals and p-values: against scipy on the same statistic, against slow sums, and under a null hypothesis."""

import json
import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.stats
from conftest import ROOT

from sari import resampling

SCORES = ("sari", "keep", "delete", "add")
METHODS = list(resampling.P_VALUES)


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


def p_value(rows, statistic, method, resamples, seed=1):
    """Return the p-value of the second system against the first."""
    scores = resampling.observed(rows, statistic)
    if method == "bootstrap":
        drawn = resampling.bootstrap(rows, statistic, resamples=resamples, seed=seed)
        differences = drawn - drawn[:, [0]]
    else:
        after, baselines = resampling.randomization(rows, statistic, baseline=0, resamples=resamples, seed=seed)
        differences = after - baselines
    return resampling.P_VALUES[method](differences, scores - scores[0])[1, 0]


# ---- The draws ------------------------------------------------------------------------------------------------------


def test_bootstrap_sums_what_was_drawn():
    rows = scores_of(2, 7, seed=0)
    drawn = resampling.bootstrap(rows, lambda sums: sums, resamples=5, seed=3)
    draws = np.random.Generator(np.random.PCG64(3)).integers(0, 7, size=(5, 7))
    assert drawn == pytest.approx(np.stack([rows[chosen].sum(axis=0) for chosen in draws]), rel=1e-14)


def test_randomization_swaps_segments_with_the_baseline():
    """With powers of ten a sum tells which segments were swapped: each about half of the time, and the same for all."""
    rows = np.zeros((6, 3, 1))
    rows[:, 1, 0] = rows[:, 2, 0] = 10.0 ** np.arange(6)
    after, baselines = resampling.randomization(rows, lambda sums: sums, baseline=0, resamples=2_000, seed=1)
    kept = after[:, 1, 0]
    assert np.array_equal(kept, after[:, 2, 0])
    assert np.array_equal(111_111 - kept, baselines[:, 1, 0])
    assert not after[:, 0].any()
    digits = np.array([[int(digit) for digit in f"{int(one):06d}"] for one in kept])
    assert set(digits.ravel()) == {0, 1}
    assert np.all(abs(digits.mean(axis=0) - 0.5) < 0.05)


@pytest.mark.parametrize("method", METHODS)
def test_memory_chunks_and_order_of_addition_change_nothing(monkeypatch, method):
    """To the last bit, on sums that plain float64 would round differently in another order."""
    rows = scores_of(3, 101, seed=4) ** 5

    def run(rows):
        if method == "bootstrap":
            return resampling.bootstrap(rows, lambda sums: sums, resamples=50, seed=9)
        return np.concatenate(resampling.randomization(rows, lambda sums: sums, baseline=1, resamples=50, seed=9), 1)

    whole = run(rows)
    product = resampling._product

    def backwards(weights, grid):
        return product(weights[:, ::-1], grid[::-1])

    def one_by_one(weights, grid):
        total = np.zeros((len(weights), *grid.shape[1:]))
        for weight, row in zip(weights.T.astype(float), grid, strict=True):
            total += np.multiply.outer(weight, row)
        return total

    for other in (backwards, one_by_one):
        monkeypatch.setattr(resampling, "_product", other)
        assert np.array_equal(run(rows), whole)
    monkeypatch.setattr(resampling, "_product", product)
    for cells in (1, 250, 1_000):
        monkeypatch.setattr(resampling, "_CELLS", cells)
        assert np.array_equal(run(rows), whole)
    assert np.allclose(resampling.observed(rows, lambda sums: sums), rows.sum(axis=0), rtol=1e-13)


def test_numbers_that_every_machine_must_get():
    rows = counts_of(2, 20, seed=0)
    drawn = resampling.bootstrap(rows, ratio, resamples=200, seed=12345)
    assert resampling.interval(drawn, confidence=0.95)[:, :, 0].round(6).tolist() == [
        [0.376105, 0.395453],
        [0.460039, 0.485198],
    ]
    assert [p_value(rows, ratio, method, 999) for method in METHODS] == [0.644, 0.742]


# ---- Against scipy --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mean", "ratio"])
def test_intervals_against_scipy(kind):
    segments = 60
    rows = scores_of(1, segments, 5) if kind == "mean" else counts_of(1, segments, 5)
    statistic = ratio if kind == "ratio" else lambda sums: mean(sums, segments)

    def of_segments(chosen, axis):
        assert axis == -1
        return statistic(rows[chosen.astype(int), 0].sum(axis=-2))[..., 0]

    places = (np.arange(segments),)
    expected = scipy.stats.bootstrap(
        places, of_segments, n_resamples=20_000, confidence_level=0.9, method="percentile", batch=2_000, rng=0
    )
    drawn = resampling.bootstrap(rows, statistic, resamples=20_000, seed=1)[:, 0, 0]
    found = resampling.interval(drawn, confidence=0.9)
    assert found == pytest.approx(np.array(expected.confidence_interval), abs=0.06 * expected.standard_error)
    assert drawn.std() == pytest.approx(expected.standard_error, rel=0.05)


@pytest.mark.parametrize("kind", ["mean", "ratio"])
@pytest.mark.parametrize("seed", range(4))
def test_randomization_against_scipy(kind, seed):
    """Scipy goes through all 2**9 ways to swap; ours are drawn, so that the p-value varies by at most 0.005 or so."""
    segments = 9
    rows = scores_of(2, segments, seed) if kind == "mean" else counts_of(2, segments, seed)
    statistic = ratio if kind == "ratio" else lambda sums: mean(sums, segments)
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


@pytest.mark.parametrize("seed", range(4))
def test_paired_bootstrap_against_a_t_test(seed):
    """Of the mean of many differences the bootstrap says about what Student's test does."""
    segments = 200
    rows = scores_of(2, segments, seed)
    gains = rows[:, 1, 0] - rows[:, 0, 0]
    test = scipy.stats.ttest_1samp(gains, 0)
    found = p_value(rows, lambda sums: mean(sums, segments), "bootstrap", 20_000)
    assert found == pytest.approx(test.pvalue, abs=0.02)


# ---- Under the null hypothesis --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mean", "ratio"])
@pytest.mark.parametrize("method", METHODS)
def test_equal_systems_differ_in_five_percent(method, kind):
    """Two outputs of one system for each segment, dealt at random to two: significant at 5% about 5% of the time."""
    segments, trials = 120, 600
    draws = np.random.default_rng(8)
    low = 0
    for trial in range(trials):
        if kind == "mean":
            rows = scores_of(1, segments, trial) + draws.normal(0, 8, size=(segments, 2, 1))
            statistic = lambda sums: mean(sums, segments)  # noqa: E731
        else:
            everything = draws.integers(5, 40, size=(segments, 1))
            good = draws.binomial(everything, draws.beta(4, 4, size=(segments, 1)), size=(segments, 2))
            rows = np.stack([good, np.broadcast_to(everything, good.shape)], axis=-1).astype(float)
            statistic = ratio
        low += p_value(rows, statistic, method, 199, seed=trial) <= 0.05
    assert 0.03 < low / trials < 0.075


@pytest.mark.parametrize("method", METHODS)
def test_a_difference_in_every_segment_is_found(method):
    rows = scores_of(1, 50, 0) + np.array([[0.0], [3.0]])
    assert p_value(rows, lambda sums: mean(sums, 50), method, 999) == 1 / 1_000


# ---- Through the metric ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus():
    """Return the example corpus and its two systems."""
    read = {
        name: (ROOT / "examples" / f"{name}.txt").read_text().splitlines()
        for name in ("sources", "outputs", "outputs.rewriting", "references.0", "references.1")
    }
    references = list(map(list, zip(read["references.0"], read["references.1"], strict=True)))
    systems = {"deleting": read["outputs"], "rewriting": read["outputs.rewriting"]}
    return {"sources": read["sources"], "predictions": systems, "references": references}


def one(corpus, name):
    return {**corpus, "predictions": corpus["predictions"][name]}


def test_options_of_compute_hold_for_what_was_added_before(sari, corpus):
    columns = one(corpus, "rewriting")
    sari.add_batch(**{name: column[:4] for name, column in columns.items()})
    sari.add_batch(**{name: column[4:] for name, column in columns.items()})
    options = {"variant": "easse", "confidence": 0.9, "resamples": 50, "seed": 2, "baselines": True, "details": True}
    assert sari.compute(**options) == sari.compute(**columns, **options)


@pytest.mark.parametrize("options", [{}, {"variant": "easse"}, {"variant": "hf", "level": "corpus"}])
def test_intervals_of_compute(sari, corpus, options):
    found = sari.compute(**one(corpus, "deleting"), confidence=0.9, resamples=500, seed=7, **options)
    plain = sari.compute(**one(corpus, "deleting"), **options)
    intervals = found.pop("confidence_intervals")
    assert found == plain
    assert list(intervals) == list(SCORES)
    assert all(low < plain[name] < high for name, (low, high) in intervals.items())
    again = sari.compute(**one(corpus, "deleting"), confidence=0.9, resamples=500, seed=7, threads=1, **options)
    assert again["confidence_intervals"] == intervals
    other = sari.compute(**one(corpus, "deleting"), confidence=0.9, resamples=500, seed=8, **options)
    assert other["confidence_intervals"] != intervals
    wider = sari.compute(**one(corpus, "deleting"), confidence=0.99, resamples=500, seed=7, **options)
    assert wider["confidence_intervals"]["sari"][0] < intervals["sari"][0]


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_intervals_resample_segments(sari, corpus, variant):
    """Each resample scored from its texts, as slowly as can be."""
    columns = one(corpus, "deleting")
    draws = np.random.Generator(np.random.PCG64(5)).integers(0, 10, size=(20, 10))
    resamples = [
        sari.compute(**{name: [column[place] for place in chosen] for name, column in columns.items()}, variant=variant)
        for chosen in draws
    ]
    found = sari.compute(**columns, variant=variant, confidence=0.8, resamples=20, seed=5)["confidence_intervals"]
    for name in SCORES:
        expected = np.quantile([scores[name] for scores in resamples], [0.1, 0.9])
        assert found[name] == pytest.approx(expected, rel=1e-9)


def test_one_segment_has_an_interval_of_no_width_and_no_significance(sari):
    columns = {"sources": ["a b c"], "references": ["a b"]}
    for variant in ("hf", "easse"):
        for method in METHODS:
            found = sari.compare(
                **columns, predictions={"x": ["a"], "y": ["a b"]}, variant=variant, method=method, resamples=99
            )["systems"]
            for scores in found.values():
                assert all(ends == [scores[name]] * 2 for name, ends in scores["confidence_intervals"].items())
            assert set(found["y"]["p_values"].values()) == {1.0}


@pytest.mark.parametrize("variant", ["hf", "xu2016", "easse_legacy", "paper", "set"])
@pytest.mark.parametrize("method", METHODS)
def test_compare_is_compute_of_each_system(sari, corpus, variant, method):
    found = sari.compare(**corpus, variant=variant, method=method, resamples=300, details=True)
    assert json.loads(json.dumps(found)) == found
    assert {key: found[key] for key in ("baseline", "method", "confidence", "resamples", "seed", "segments")} == {
        "baseline": "deleting",
        "method": method,
        "confidence": 0.95,
        "resamples": 300,
        "seed": 12345,
        "segments": 10,
    }
    for name, scores in found["systems"].items():
        alone = sari.compute(**one(corpus, name), variant=variant, confidence=0.95, resamples=300, details=True)
        extra = {key: scores[key] for key in ("differences", "p_values") if key in scores}
        assert scores == alone | extra
        assert bool(extra) == (name != "deleting")
        assert found["signature"] == alone["signature"]
    first, second = found["systems"].values()
    assert second["differences"] == {name: second[name] - first[name] for name in SCORES}
    turned = sari.compare(**corpus, variant=variant, method=method, resamples=300, baseline="rewriting")["systems"]
    assert turned["deleting"]["p_values"] == second["p_values"]
    assert "p_values" not in turned["rewriting"]


@pytest.mark.parametrize("method", METHODS)
def test_a_system_does_not_differ_from_itself(sari, corpus, method):
    outputs = corpus["predictions"]["deleting"]
    found = sari.compare(**{**corpus, "predictions": {"a": outputs, "b": list(outputs)}}, method=method, resamples=200)
    assert found["systems"]["b"]["differences"] == dict.fromkeys(SCORES, 0.0)
    assert found["systems"]["b"]["p_values"] == dict.fromkeys(SCORES, 1.0)


def test_compare_without_statistics_and_with_default_resamples(sari, corpus):
    found = sari.compare(**corpus, method=None, confidence=None)
    assert all(list(scores) == list(SCORES) for scores in found["systems"].values())
    assert sari.compare(**corpus)["resamples"] == 1_000
    assert sari.compare(**corpus, method="randomization")["resamples"] == 10_000


def test_sources_and_references_are_tokenized_once(sari, corpus):
    seen = []

    def tokenize(text):
        seen.append(text)
        return text

    sari.compare(**corpus, tokenize=tokenize, lowercase=False, variant="easse", resamples=10)
    texts = [*corpus["sources"], *(text for column in corpus["predictions"].values() for text in column)]
    texts += [text for row in corpus["references"] for text in row]
    assert sorted(seen) == sorted(texts)


def test_memory_of_a_comparison_is_bounded(sari, corpus):
    """More resamples of more segments than a matrix of them all could hold in this many bytes."""
    many = {
        "sources": corpus["sources"] * 200,
        "references": corpus["references"] * 200,
        "predictions": {f"{name}{n}": texts * 200 for name, texts in corpus["predictions"].items() for n in range(2)},
    }
    tracemalloc.start()
    sari.compare(**many, variant="easse", resamples=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120e6 < 2_000 * 10_000 * 8


def test_states_keep_rows_for_intervals_through_merging_and_pickling(sari, corpus):
    columns = one(corpus, "rewriting")
    for variant in ("hf", "easse"):
        whole = sari.state(variant=variant, resampling=True)
        for half in (slice(0, 4), slice(4, 10)):
            part = sari.state(variant=variant, resampling=True)
            part.update(**{name: column[half] for name, column in columns.items()})
            whole.merge(pickle.loads(pickle.dumps(part)))
        expected = sari.compute(**columns, variant=variant, confidence=0.95)
        assert whole.compute(confidence=0.95) == expected
    plain = sari.state()
    plain.update(**columns)
    with pytest.raises(ValueError, match=r"^confidence: got a state without resampling=True, wanted one with it$"):
        plain.compute(confidence=0.95)
    with pytest.raises(ValueError, match=r"^other: got a state with resampling=True, wanted resampling=False$"):
        plain.merge(sari.state(resampling=True))


def test_baselines(sari, corpus):
    columns = {name: corpus[name] for name in ("sources", "references")}
    for variant in ("hf", "easse_legacy"):
        found = sari.baselines(**columns, variant=variant)
        assert list(found) == ["copy", "empty", "unrelated", "references", "reference 1", "reference 2"]
        first, second = (list(column) for column in zip(*columns["references"], strict=True))
        sources = columns["sources"]
        by_hand = {
            "copy": (sources, columns["references"]),
            "empty": ([""] * 10, columns["references"]),
            "unrelated": ([*first[1:], first[0]], columns["references"]),
            "reference 1": (first, second),
            "reference 2": (second, first),
        }
        for name, (predictions, references) in by_hand.items():
            scores = sari.compute(sources=sources, predictions=predictions, references=references, variant=variant)
            assert found[name] == scores
        assert found["references"]["sari"] == (found["reference 1"]["sari"] + found["reference 2"]["sari"]) / 2
        with_scores = sari.compute(**one(corpus, "deleting"), variant=variant, baselines=True)
        assert with_scores.pop("baselines") == found
        assert with_scores == sari.compute(**one(corpus, "deleting"), variant=variant)
    assert list(sari.baselines(sources=["a", "b"], references=[["a"], ["b", "c"]])) == ["copy", "empty", "unrelated"]
    ragged = sari.baselines(sources=["a", "b"], references=[["a", "x"], ["b", "c", "d"]])
    assert list(ragged) == ["copy", "empty", "unrelated", "references", "reference 1", "reference 2"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"confidence": 95}, ValueError, "confidence: got 95, wanted a number between 0 and 1"),
        ({"confidence": True}, TypeError, "confidence: got True, wanted a number between 0 and 1"),
        ({"confidence": float("nan")}, ValueError, "confidence: got nan, wanted a number between 0 and 1"),
        ({"resamples": 0}, ValueError, "resamples: got 0, wanted a whole number of at least 1"),
        ({"resamples": 1e3}, TypeError, "resamples: got 1000.0, wanted a whole number of at least 1"),
        ({"seed": -1}, ValueError, "seed: got -1, wanted a whole number of at least 0"),
        ({"seed": "x"}, TypeError, "seed: got 'x', wanted a whole number of at least 0"),
    ],
)
def test_bad_options(sari, corpus, options, error, message):
    for call in (lambda: sari.compute(**one(corpus, "deleting"), **options), lambda: sari.compare(**corpus, **options)):
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value) == message


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "ar"}, ValueError, "method: got 'ar', wanted one of bootstrap, randomization, or None"),
        ({"baseline": "x"}, ValueError, "baseline: got 'x', wanted one of deleting, rewriting"),
        ({"predictions": {}}, ValueError, "predictions: got no system, wanted at least one"),
        ({"predictions": ["a"]}, TypeError, "predictions: got list, wanted a dict of names and lists of str"),
        ({"predictions": {1: ["a"]}}, TypeError, "predictions: got the name 1, wanted a str"),
        ({"predictions": {"x": ["a", None]}}, TypeError, "predictions['x'][1]: got NoneType, wanted str"),
        ({"predictions": {"x": ["a"]}}, ValueError, "predictions['x']: got 1 rows, wanted 10, as many as sources"),
        (
            {"sources": [], "predictions": {"x": []}, "references": []},
            ValueError,
            "sources, predictions, references: got no segments, wanted at least one",
        ),
    ],
)
def test_bad_comparisons(sari, corpus, changes, error, message):
    with pytest.raises(error) as raised:
        sari.compare(**{**corpus, **changes})
    assert str(raised.value) == message


def test_baselines_option_is_a_bool(sari, corpus):
    with pytest.raises(TypeError, match=r"^baselines: got 1, wanted True or False$"):
        sari.compute(**one(corpus, "deleting"), baselines=1)
