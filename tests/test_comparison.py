"""Several systems or variants side by side: each as if alone, baselines, and the way from a variant to another."""

import itertools
import json
import tracemalloc
from pathlib import Path

import numpy as np
import oracle
import pytest
from four_segments import TEXTS, repeated, state_of
from programs import example_corpus, with_system
from refusals import refuses

from sari.comparing import baseline_scores, compare, explain_difference, score_systems
from sari.inputs import Columns, SystemColumns
from sari.options import resolve_resampling, resolve_settings
from sari.resampling import TESTS, holm
from sari.scoring import Scorer
from sari.variants import VARIANTS

SCORES = ("sari", "keep", "delete", "add")
METHODS = list(TESTS)
ROWS = [json.loads(line) for line in (Path(__file__).parent / "data" / "corpora.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def corpus():
    """Return segments in one corpus, hard cases among them."""
    columns = ("sources", "predictions", "references")
    return {name: [text for row in ROWS[:6] for text in row[name]] for name in columns}


# ---- Several systems ------------------------------------------------------------------------------------------------

SYSTEMS = {"ours": TEXTS["predictions"], "copies": TEXTS["sources"], "upside down": TEXTS["predictions"][::-1]}
COLUMNS = SystemColumns(TEXTS["sources"], SYSTEMS, TEXTS["references"])


@pytest.mark.parametrize("variant", VARIANTS)
def test_systems_are_scored_as_if_alone(variant):
    states = score_systems(COLUMNS, resolve_settings(variant), sentences=True, resampling=True)
    assert list(states) == list(SYSTEMS)
    for name, state in states.items():
        alone = state_of(Scorer(), {**TEXTS, "predictions": SYSTEMS[name]}, variant=variant, sentences=True)
        assert (state.segments, state.signature) == (4, alone.signature)
        assert state.compute(details=True) == alone.compute(details=True)
        assert list(map(str, state.warnings())) == list(map(str, alone.warnings()))


def test_comparisons_of_states():
    resampling = resolve_resampling(confidence=0.9, method="bootstrap", resamples=50, seed=7)
    columns = SystemColumns(
        repeated(5)["sources"], {name: texts * 5 for name, texts in SYSTEMS.items()}, repeated(5)["references"]
    )
    states = score_systems(columns, resolve_settings("easse"), resampling=True)
    found = compare(states, baseline="copies", resampling=resampling)
    head = {name: value for name, value in found.items() if name != "systems"}
    assert head == {
        "baseline": "copies",
        "method": "bootstrap",
        "confidence": 0.9,
        "resamples": 50,
        "trials": 50,
        "seed": 7,
        "comparisons": 2,
        "segments": 20,
        "signature": states["copies"].signature,
    }
    scores = {name: oracle.score(**{**TEXTS, "predictions": texts}, variant="easse") for name, texts in SYSTEMS.items()}
    for name, result in found["systems"].items():
        assert {score: result[score] for score in SCORES} == pytest.approx(scores[name])
        assert all(low <= result[score] <= high for score, (low, high) in result["confidence_intervals"].items())
        if name == "copies":
            assert not {"differences", "p_values"} & result.keys()
            continue
        expected = {score: scores[name][score] - scores["copies"][score] for score in SCORES}
        assert result["differences"] == pytest.approx(expected)
        assert all(0 < result["p_values"][score] <= 1 for score in SCORES)


def test_a_baseline_is_one_of_the_systems():
    states = score_systems(COLUMNS, resolve_settings())
    nothing = resolve_resampling()
    assert compare(states, resampling=nothing)["baseline"] == "ours"
    with refuses(ValueError, "baseline: got 'theirs', wanted one of ours, copies, upside down"):
        compare(states, baseline="theirs", resampling=nothing)


def test_systems_of_no_segments():
    states = score_systems(SystemColumns([], {"ours": []}, []), resolve_settings())
    with refuses(ValueError, "sources, predictions, references: got no segments, wanted at least one"):
        compare(states, resampling=resolve_resampling())


# ---- Baselines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_baselines_by_the_oracle(variant):
    sources, references = TEXTS["sources"], TEXTS["references"]
    found = baseline_scores(sources, references, resolve_settings(variant))
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


def test_baselines_need_two_references_of_every_segment():
    references = [["a", "b", "c"], ["d"]]
    assert list(baseline_scores(["a", "d"], references, resolve_settings())) == ["copy", "empty", "unrelated"]
    references = [["a", "b", "c"], ["d", "e"]]
    people = ["references", "reference 1", "reference 2"]
    assert list(baseline_scores(["a", "d"], references, resolve_settings())) == ["copy", "empty", "unrelated", *people]


def test_baselines_at_the_doors(scorer):
    texts = {"sources": TEXTS["sources"], "references": TEXTS["references"]}
    found = scorer.baselines(**texts, variant="easse", max_order=2)
    assert found == baseline_scores(*texts.values(), resolve_settings("easse", max_order=2))
    assert scorer.compute(**TEXTS, variant="easse", max_order=2, baselines=True)["baselines"] == found


def test_baselines_of_no_segments():
    with refuses(ValueError, "sources, references: got no segments, wanted at least one"):
        baseline_scores([], [], resolve_settings())


# ---- From one variant to another ------------------------------------------------------------------------------------


def test_the_door_adds_nothing_to_the_way(scorer, corpus):
    settings = [resolve_settings(name) for name in ("hf", "easse")]
    assert scorer.explain_difference(**corpus) == explain_difference(Columns(**corpus), *settings)


def test_no_way_without_segments():
    with refuses(ValueError, "sources, predictions, references: got no segments, wanted at least one"):
        explain_difference(Columns([], [], []), resolve_settings("hf"), resolve_settings("set"))


@pytest.fixture(scope="module")
def by_variant(sari, corpus):
    """Return what `compute` says of the corpus under every variant."""
    return {variant: sari.compute(**corpus, variant=variant, details=True) for variant in VARIANTS}


@pytest.mark.parametrize(("first", "last"), list(itertools.permutations(VARIANTS, 2)))
def test_every_way_starts_and_ends_at_the_scores_of_compute(sari, corpus, by_variant, first, last):
    found = sari.explain_difference(**corpus, variant_a=first, variant_b=last)
    steps = found["steps"]
    ends = {"a": (first, steps[0]), "b": (last, steps[-1])}
    for end, (variant, step) in ends.items():
        scores = by_variant[variant]
        assert {name: step[name] for name in SCORES} == {name: scores[name] for name in SCORES}
        assert found[f"variant_{end}"] == variant
        assert found[f"signature_{end}"] == scores["signature"]
    assert steps[0]["choice"] is steps[0]["before"] is steps[0]["after"] is steps[0]["change"] is None
    choices = [step["choice"] for step in steps[1:]]
    known = ["text", "zero division", "counting", "level", "deletion", "addition", "averaging"]
    known.insert(len(known) if last == "dsari" else 0, "penalties")
    assert choices == [choice for choice in known if choice in choices]
    for before, step in itertools.pairwise(steps):
        assert step["before"] != step["after"]
        assert step["change"] == step["sari"] - before["sari"]
    assert json.loads(json.dumps(found)) == found


def test_steps_between_are_options_that_compute_has(sari, corpus):
    steps = sari.explain_difference(**corpus)["steps"]
    assert [step["choice"] for step in steps] == [None, "text", "zero division", "counting", "level", "deletion"]
    same = {
        "counting": {"variant": "easse", "level": "sentence", "deletion": "precision"},
        "level": {"variant": "easse", "deletion": "precision"},
        "deletion": {"variant": "easse"},
    }
    for step in steps:
        if step["choice"] in same:
            scores = sari.compute(**corpus, **same[step["choice"]])
            assert {name: step[name] for name in SCORES} == scores


def test_zero_division_step(sari):
    """Without empty texts the first step of hf to easse changes nothing, and the second is an option of hf."""
    columns = {"sources": ["a b c", "d e"], "predictions": ["a b c", "d f"], "references": [["a"], ["d e f"]]}
    start, text, zero, *_ = sari.explain_difference(**columns)["steps"]
    assert text["change"] == 0.0
    assert {name: zero[name] for name in SCORES} == sari.compute(**columns, zero_division=0)
    assert start["sari"] == sari.compute(**columns)["sari"]


def test_from_a_variant_to_itself_is_no_step(sari, corpus):
    (start,) = sari.explain_difference(**corpus, variant_a="paper", variant_b="paper")["steps"]
    assert start["sari"] == sari.compute(**corpus, variant="paper")["sari"]


def test_options_hold_for_both_ends(sari, corpus):
    found = sari.explain_difference(**corpus, tokenize="none", max_order=2, deletion="f1", threads=1)
    assert "deletion" not in [step["choice"] for step in found["steps"]]
    last = sari.compute(**corpus, variant="easse", tokenize="none", max_order=2, deletion="f1")
    assert found["steps"][-1]["sari"] == last["sari"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant_b": "bleu"}, ValueError, "variant: got 'bleu', wanted one of "),
        ({"tokenize": "13b"}, ValueError, "tokenize: got '13b', wanted "),
        ({"predictions": []}, ValueError, "predictions: got 0 rows, wanted "),
        ({"sources": [], "predictions": [], "references": []}, ValueError, "sources, predictions, references: got no "),
    ],
)
def test_refusals(sari, corpus, options, error, message):
    with pytest.raises(error) as raised:
        sari.explain_difference(**{**corpus, **options})
    assert str(raised.value).startswith(message)


# ---- Through the metric ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def examples():
    return example_corpus()


@pytest.mark.parametrize("variant", ["hf", "xu2016", "easse_legacy", "paper", "set"])
@pytest.mark.parametrize("method", METHODS)
def test_compare_is_compute_of_each_system(sari, examples, variant, method):
    found = sari.compare(**examples, variant=variant, method=method, resamples=300, details=True)
    assert json.loads(json.dumps(found)) == found
    assert {key: found[key] for key in list(found)[:8]} == {
        "baseline": "deleting",
        "method": method,
        "confidence": 0.95,
        "resamples": 300,
        "trials": 300,
        "seed": 12345,
        "comparisons": 1,
        "segments": 10,
    }
    for name, scores in found["systems"].items():
        alone = sari.compute(
            **with_system(examples, name), variant=variant, confidence=0.95, resamples=300, details=True
        )
        extra = {key: scores[key] for key in ("differences", "p_values", "corrected_p_values") if key in scores}
        assert scores == alone | extra
        assert bool(extra) == (name != "deleting")
        assert found["signature"] == alone["signature"]
    first, second = found["systems"].values()
    assert second["differences"] == {name: second[name] - first[name] for name in SCORES}
    turned = sari.compare(**examples, variant=variant, method=method, resamples=300, baseline="rewriting")["systems"]
    assert turned["deleting"]["p_values"] == second["p_values"]
    assert "p_values" not in turned["rewriting"]


@pytest.mark.parametrize("method", METHODS)
def test_each_system_with_each(sari, examples, method):
    """Three systems that differ and a twin: the twins share a group and their ranks, the others have their own."""
    copies = {name: texts * 20 for name, texts in examples["predictions"].items()}
    systems = {"copy": examples["sources"] * 20, **copies, "twin": list(copies["deleting"])}
    columns = {"sources": examples["sources"] * 20, "references": examples["references"] * 20, "predictions": systems}
    found = sari.compare(**columns, variant="easse", method=method, all_pairs=True, resamples=999)
    assert json.loads(json.dumps(found)) == found
    assert (found["baseline"], found["comparisons"]) == (None, 6)
    ranked = {name: (row["group"], row["rank"]) for name, row in found["systems"].items()}
    assert ranked == {"rewriting": (1, [1, 1]), "deleting": (2, [2, 3]), "twin": (2, [2, 3]), "copy": (3, [4, 4])}
    p_values = np.array([[pair["p_values"][name] for name in SCORES] for pair in found["pairs"]])
    corrected = [[pair["corrected_p_values"][name] for name in SCORES] for pair in found["pairs"]]
    assert np.array_equal(holm(p_values), corrected)
    for pair in found["pairs"]:
        one, other = pair["systems"]
        alone = sari.compare(
            **{**columns, "predictions": {name: systems[name] for name in (other, one)}},
            variant="easse",
            method=method,
            resamples=999,
        )["systems"][one]
        assert (pair["differences"], pair["p_values"]) == (alone["differences"], alone["p_values"])


@pytest.mark.parametrize("method", METHODS)
def test_a_system_does_not_differ_from_itself(sari, examples, method):
    outputs = examples["predictions"]["deleting"]
    found = sari.compare(
        **{**examples, "predictions": {"a": outputs, "b": list(outputs)}}, method=method, resamples=200
    )
    assert found["systems"]["b"]["differences"] == dict.fromkeys(SCORES, 0.0)
    assert found["systems"]["b"]["p_values"] == dict.fromkeys(SCORES, 1.0)


def test_compare_without_statistics_and_with_default_resamples(sari, examples):
    found = sari.compare(**examples, method=None, confidence=None)
    assert all(list(scores) == list(SCORES) for scores in found["systems"].values())
    for method, trials in {"bootstrap": 1_000, "randomization": 10_000}.items():
        found = sari.compare(**examples, method=method)
        assert (found["resamples"], found["trials"]) == (1_000, trials)
    found = sari.compare(**examples)
    assert (found["method"], found["trials"]) == ("randomization", 10_000)


def test_sources_and_references_are_tokenized_once(sari, examples):
    seen = []

    def tokenize(text):
        seen.append(text)
        return text

    sari.compare(**examples, tokenize=tokenize, lowercase=False, variant="easse", resamples=10)
    texts = [*examples["sources"], *(text for column in examples["predictions"].values() for text in column)]
    texts += [text for row in examples["references"] for text in row]
    assert sorted(seen) == sorted(texts)


def test_memory_of_a_comparison_is_bounded(sari, examples):
    """More resamples of more segments than a matrix of them all could hold in this many bytes."""
    many = {
        "sources": examples["sources"] * 200,
        "references": examples["references"] * 200,
        "predictions": {f"{name}{n}": texts * 200 for name, texts in examples["predictions"].items() for n in range(2)},
    }
    tracemalloc.start()
    sari.compare(**many, variant="easse", resamples=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120e6 < 2_000 * 10_000 * 8


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "ar"}, ValueError, "method: got 'ar', wanted one of randomization, bootstrap, or None"),
        ({"all_pairs": 1}, TypeError, "all_pairs: got 1, wanted True or False"),
        (
            {"all_pairs": True, "baseline": "deleting"},
            ValueError,
            "baseline: got 'deleting' with all_pairs=True, wanted None",
        ),
        (
            {"all_pairs": True, "method": None},
            ValueError,
            "method: got None with all_pairs=True, wanted one of randomization, bootstrap",
        ),
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
def test_bad_comparisons(sari, examples, changes, error, message):
    with pytest.raises(error) as raised:
        sari.compare(**{**examples, **changes})
    assert str(raised.value) == message


# ---- Candidates as each other's references --------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_the_best_candidate_is_best_against_all_others(variant):
    source, candidates = "the large cat sat", ["the big cat sat", "a cat sat", "the big cat", "the large cat sat"]
    sources = [source] * (len(candidates) - 1)
    expected = []
    for place, text in enumerate(candidates):
        others = [[other] for other in candidates[:place] + candidates[place + 1 :]]
        columns = {"sources": sources, "predictions": [text] * len(others), "references": others}
        expected.append(np.mean(Scorer().compute(**columns, variant=variant, details=True)["sentences"]["sari"]))
    found = Scorer().minimum_bayes_risk(sources=[source], candidates=[candidates], variant=variant)
    assert found["expected"] == [pytest.approx(expected, rel=1e-12)]
    assert found["places"] == [int(np.argmax(expected))]
    assert found["texts"] == [candidates[found["places"][0]]]


def test_of_equal_candidates_the_first_is_chosen():
    three = ["e c d a c b", "a c", "a"]
    found = Scorer().minimum_bayes_risk(
        sources=["e d b e a d"], candidates=[[*three, *three, three[0]]], variant="easse"
    )
    assert found["places"] == [0]
    assert found["expected"][0][:3] == found["expected"][0][3:6]
