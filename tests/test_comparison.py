"""Systems and candidates beside each other: each as if alone, and baselines."""

import json
import tracemalloc

import numpy as np
import oracle
import pytest
from four_segments import TEXTS
from programs import example_corpus, with_system
from refusals import refuses

from sari.aggregation import SCORES
from sari.comparison import baseline_scores, rank_systems
from sari.significance import TESTS, holm
from sari.variants import VARIANTS, resolve_variant

METHODS = list(TESTS)


# ---- Baselines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_baselines_by_the_oracle(variant):
    sources, references = TEXTS["sources"], TEXTS["references"]
    found = baseline_scores(sources, references, resolve_variant(variant))
    assert list(found) == ["copy", "empty", "unrelated", "references", "reference 1", "reference 2"]

    def scores(predictions, references):
        return pytest.approx(oracle.score(sources, predictions, references, variant=variant))

    assert found["copy"] == scores(sources, references)
    assert found["empty"] == scores([""] * 4, references)
    assert found["unrelated"] == scores([row[0] for row in [*references[1:], references[0]]], references)
    first, second = zip(*references, strict=True)
    assert found["reference 1"] == scores(first, [[text] for text in second])
    assert found["reference 2"] == scores(second, [[text] for text in first])
    means = {name: (found["reference 1"][name] + found["reference 2"][name]) / 2 for name in SCORES}
    assert found["references"] == pytest.approx(means)


@pytest.mark.parametrize(
    ("references", "people"),
    [
        ([["a", "b", "c"], ["d"]], []),
        ([["a", "b", "c"], ["d", "e"]], ["references", "reference 1", "reference 2"]),
        ([[*"abcdefghijk"]] * 2, ["references", *(f"reference {number}" for number in range(1, 11))]),
    ],
)
def test_baselines_are_at_most_ten_references_that_every_segment_has(references, people):
    assert list(baseline_scores(["a", "d"], references, resolve_variant())) == ["copy", "empty", "unrelated", *people]


# ---- By the metric ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def examples():
    return example_corpus()


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
@pytest.mark.filterwarnings("ignore:the variant .* copies can rank first:UserWarning")
@pytest.mark.parametrize("variant", ["hf", "xu2016", "easse_legacy", "paper", "set"])
@pytest.mark.parametrize("method", METHODS)
def test_compare_is_compute_of_each_system(sari, examples, variant, method):
    found = sari.with_options(variant=variant).compare(**examples, method=method, resamples=300, details=True)
    assert json.loads(json.dumps(found)) == found
    assert {key: found[key] for key in list(found)[:9]} == {
        "baseline": "deleting",
        "method": method,
        "confidence": 0.95,
        "intervals": "bootstrap",
        "resamples": 300,
        "trials": 300,
        "seed": 12345,
        "comparisons": 1,
        "segments": 10,
    }
    intervals = {"confidence": 0.95, "resamples": 300, "details": True}
    for name, scores in found["systems"].items():
        alone = sari.compute(**with_system(examples, name), variant=variant, **intervals)
        of_test = ("differences", "difference_intervals", "p_values", "corrected_p_values")
        extra = {key: scores[key] for key in of_test if key in scores}
        assert scores == alone | extra
        assert bool(extra) == (name != "deleting")
        for score, (low, high) in scores.get("difference_intervals", {}).items():
            assert low <= scores["differences"][score] <= high
        assert found["signature"] == alone["signature"]
    first, second = found["systems"].values()
    assert second["differences"] == {name: second[name] - first[name] for name in SCORES}
    turned = sari.with_options(variant=variant).compare(**examples, method=method, resamples=300, baseline="rewriting")[
        "systems"
    ]
    assert turned["deleting"]["p_values"] == second["p_values"]
    assert "p_values" not in turned["rewriting"]


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
@pytest.mark.parametrize("method", METHODS)
def test_each_system_with_each(sari, examples, method):
    """Of the systems that differ each has its group; a twin, and one that differs in a text, share that of another."""
    copies = {name: texts * 20 for name, texts in examples["predictions"].items()}
    systems = {"copy": examples["sources"] * 20, **copies, "twin": list(copies["deleting"])}
    systems["near"] = [*copies["deleting"][:-1], copies["rewriting"][-1]]
    columns = {"sources": examples["sources"] * 20, "references": examples["references"] * 20, "predictions": systems}
    found = sari.with_options(variant="easse").compare(**columns, method=method, all_pairs=True, resamples=999)
    assert json.loads(json.dumps(found)) == found
    assert (found["baseline"], found["comparisons"]) == (None, 10)
    ranked = {name: (row["group"], row["rank"]) for name, row in found["systems"].items()}
    alike = dict.fromkeys(("deleting", "twin", "near"), (2, [2, 4]))
    assert ranked == {"rewriting": (1, [1, 1]), **alike, "copy": (3, [5, 5])}
    assert not any("signature" in row for row in found["systems"].values())  # nor other details
    p_values = np.array([[pair["p_values"][name] for name in SCORES] for pair in found["pairs"]])
    corrected = [[pair["corrected_p_values"][name] for name in SCORES] for pair in found["pairs"]]
    assert np.array_equal(holm(p_values), corrected)
    for pair in found["pairs"]:
        one, other = pair["systems"]
        alone = sari.with_options(variant="easse").compare(
            **{**columns, "predictions": {name: systems[name] for name in (other, one)}}, method=method, resamples=999
        )["systems"][one]
        assert (pair["differences"], pair["p_values"]) == (alone["differences"], alone["p_values"])
        if {one, other} == {"deleting", "twin"}:
            assert (set(pair["differences"].values()), set(pair["p_values"].values())) == ({0.0}, {1.0})


@pytest.mark.parametrize(
    ("p_value", "difference", "ranks"),
    [(0.049, 1.0, [[1, 1], [2, 2]]), (0.05, 1.0, [[1, 2], [1, 2]]), (0.001, 0.0, [[1, 2], [1, 2]])],
)
def test_ranks_are_apart_if_a_difference_is_significant(p_value, difference, ranks):
    results = {"a": {}, "b": {}}
    pair = {"corrected_p_values": {"sari": p_value}, "differences": {"sari": difference}}
    rank_systems(results, [{"systems": ["a", "b"], **pair}])
    assert [row["rank"] for row in results.values()] == ranks


def test_memory_of_a_comparison_is_bounded(sari, examples):
    """More resamples of more segments than a matrix of them all could hold in this many bytes."""
    many = {
        "sources": examples["sources"] * 200,
        "references": examples["references"] * 200,
        "predictions": {f"{name}{n}": texts * 200 for name, texts in examples["predictions"].items() for n in range(2)},
    }
    tracemalloc.start()
    sari.with_options(variant="easse").compare(**many, resamples=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120e6  # a matrix of draws has 160e6


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"all_pairs": 1}, TypeError, "all_pairs: got 1, expected True or False"),
        (
            {"all_pairs": True, "baseline": "deleting"},
            ValueError,
            "baseline: got 'deleting' with all_pairs=True, expected None",
        ),
        (
            {"all_pairs": True, "method": None},
            ValueError,
            f"method: got None with all_pairs=True, expected one of {', '.join(TESTS)}",
        ),
        ({"predictions": {"x": ["a"]}}, ValueError, "predictions['x']: got 1 row, expected 10 (as in sources)"),
        (
            {"sources": [], "predictions": {"x": []}, "references": []},
            ValueError,
            "sources, predictions, references: got no segments, expected at least one",
        ),
    ],
)
def test_bad_comparisons(sari, examples, changes, error, message):
    with refuses(error, message):
        sari.compare(**{**examples, **changes})


# ---- Candidates -----------------------------------------------------------------------------------------------------


def test_a_bad_baseline_is_refused_before_texts_are_tokenized(scorer):
    tokenized = []
    with refuses(ValueError, "baseline: got 'x', expected one of a, b"):
        scorer.with_options(tokenize=lambda text: tokenized.append(text) or text).compare(
            sources=["a"], predictions={"a": ["a"], "b": ["a"]}, references=["a"], baseline="x"
        )
    assert tokenized == []


def test_a_single_candidate_has_no_expected_score(scorer):
    with refuses(ValueError, "candidates[0]: got 1, expected at least 2"):
        scorer.minimum_bayes_risk(sources=["a"], candidates=[["a"]])


def test_candidates_are_tokenized_once(scorer):
    tokenized = []
    texts = [f"a {number}" for number in range(8)]
    scorer.with_options(tokenize=lambda text: tokenized.append(text) or text, variant="easse").minimum_bayes_risk(
        sources=["a b"], candidates=[texts]
    )
    assert sorted(tokenized) == sorted(["a b", *texts])


def test_any_number_of_candidates_is_scored_as_each_alone(scorer, monkeypatch):
    monkeypatch.setattr("sari.tokenization._CHUNK_CHARACTERS", 300)
    scorer = scorer.with_options(variant="dsari", sentence_splitter=str.split)
    words = list("abcdef")
    sources, references = ["a b c", "b c d", "c d", "d"], [["a b", "a c"], ["b"], ["d e", "c d"], ["e"]]
    candidates = [[" ".join(words[: place % 7]) for place in range(size)] for size in (19, 1, 0, 8)]
    alone = [
        [scorer.sentence_score(source, text, people)["sari"] for text in row]
        for source, people, row in zip(sources, references, candidates, strict=True)
    ]
    assert scorer.score_candidates(sources=sources, candidates=candidates, references=references) == alone


def test_systems_are_scored_as_each_alone(scorer, monkeypatch):
    monkeypatch.setattr("sari.tokenization._CHUNK_CHARACTERS", 60)
    scorer = scorer.with_options(variant="dsari", sentence_splitter=str.split)
    texts = {"sources": ["a b c", "b c d", "c d", "d"] * 2, "references": [["a b", "a c"], ["b"], ["d e"], ["e"]] * 2}
    systems = {"abcde"[size:]: [" ".join("abcde"[:size])] * 8 for size in range(1, 6)}
    comparison = scorer.compare(**texts, predictions=systems, baseline="", method=None, confidence=None, details=True)
    assert comparison["baseline"] == ""  # the name of a system
    for name, predictions in systems.items():
        assert comparison["systems"][name] == scorer.compute(**texts, predictions=predictions, details=True)
