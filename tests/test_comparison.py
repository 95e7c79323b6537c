"""Systems and candidates beside each other: each as if alone, and baselines."""

import inspect
import json
import re
import tracemalloc

import numpy as np
import oracle
import pytest
from four_segments import NO_SEGMENTS, TEXTS
from hostile_texts import NAMES
from programs import example_corpus, with_system
from refusals import refuses

from sari.comparison import baseline_scores, rank_systems
from sari.sari_scorer import Scorer
from sari.significance import TESTS, resolve_resampling
from sari.variants import VARIANTS, resolve_variant

# Copies and made-up texts are among the systems.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

METHODS = list(TESTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_baselines_by_the_oracle(variant):
    sources, references = TEXTS["sources"], TEXTS["references"]
    found = baseline_scores(sources, references, resolve_variant(variant))
    first, second = ([row[place] for row in references] for place in (0, 1))
    expected = {
        "copy": oracle.score(sources, sources, references, variant=variant),
        "empty": oracle.score(sources, [""] * 4, references, variant=variant),
        "unrelated": oracle.score(sources, first[1:] + first[:1], references, variant=variant),
        "perfect": oracle.score(sources, first, references, variant=variant),
        "reference 1": oracle.score(sources, first, [[text] for text in second], variant=variant),
        "reference 2": oracle.score(sources, second, [[text] for text in first], variant=variant),
    }
    people = oracle.means([expected["reference 1"], expected["reference 2"]])
    assert found == {name: pytest.approx(scores) for name, scores in {**expected, "references": people}.items()}


@pytest.mark.parametrize(
    ("references", "people"),
    [
        ([["a", "b", "c"], ["d"]], []),
        ([["a", "b", "c"], ["d", "e"]], ["references", "reference 1", "reference 2"]),
        ([[*"abcdefghijk"]] * 2, ["references", *(f"reference {number}" for number in range(1, 11))]),
    ],
)
def test_baselines_are_at_most_ten_references_that_every_segment_has(references, people):
    others = ["copy", "empty", "unrelated", "perfect"]
    assert list(baseline_scores(["a", "d"], references, resolve_variant())) == [*others, *people]


def test_a_single_segment_has_no_unrelated_text_and_no_interval():
    found = baseline_scores(["a b"], [["a", "b"]], resolve_variant(), resolve_resampling(confidence=0.9))
    names = ("copy", "empty", "perfect", "references", "reference 1", "reference 2")
    assert {name: [*scores] for name, scores in found.items()} == {name: [*NAMES] for name in names}


@pytest.fixture(scope="module")
def examples():
    """Return the example corpus; the third system, of copies, has an empty name."""
    corpus = example_corpus()
    return {**corpus, "predictions": {**corpus["predictions"], "": corpus["sources"]}}


@pytest.mark.parametrize(("variant", "method"), [(["easse", "dsari"][i % 2], name) for i, name in enumerate(METHODS)])
def test_compare_is_compute_of_each_system(scorer, monkeypatch, examples, variant, method):
    monkeypatch.setattr("sari.tokenization._CHUNK_CHARACTERS", 2_000)  # of ten segments about four
    scorer = scorer.with_options(variant=variant, sentence_splitter=str.split)
    options = {"confidence": 0.8, "resamples": 300, "seed": 7, "details": True}
    alone = {name: scorer.compute(**with_system(examples, name), **options) for name in examples["predictions"]}
    found = scorer.compare(**examples, method=method, baseline="", **options)
    assert json.loads(json.dumps(found)) == found
    systems = found.pop("systems")
    assert found == {
        "baseline": "",
        "method": method,
        "confidence": 0.8,
        "intervals": "bootstrap",
        "resamples": 300,
        "trials": 300,
        "seed": 7,
        "comparisons": 2,
        "segments": 10,
        "signature": alone[""]["signature"],
    }
    baseline, documented = systems.pop(""), set(re.findall(r'"(\w+)"', inspect.getdoc(Scorer.compare)))
    assert not (found.keys() | TESTS.keys()) - documented
    assert baseline == alone[""]
    for name, scores in systems.items():
        assert {field: scores[field] for field in alone[name]} == alone[name]
        assert not scores.keys() - alone[name].keys() - documented
        assert scores["p_values"].keys() == scores["corrected_p_values"].keys() == {*NAMES}
        for score, (low, high) in scores["difference_intervals"].items():
            assert scores["differences"][score] == scores[score] - baseline[score]
            assert low <= scores["differences"][score] <= high


def test_scores_alone(scorer, examples):
    found = scorer.compare(**examples, method=None, confidence=None)
    assert [set(scores) for scores in found["systems"].values()] == [set(NAMES)] * 3
    unused = ("method", "confidence", "intervals", "trials")
    assert {name: found[name] for name in (*unused, "comparisons")} == dict.fromkeys(unused) | {"comparisons": 0}


@pytest.mark.parametrize(("resamples", "is_told"), [(39, True), (40, False)])
def test_too_few_resamples_for_two_comparisons_are_a_warning(scorer, examples, resamples, is_told):
    with scorer.collect_warnings() as collected:
        scorer.compare(**examples, resamples=resamples)
    assert ("the smallest possible corrected p-value is 0.05" in [one.detail for one in collected]) == is_told


def test_many_comparisons_have_more_draws(examples, monkeypatch):
    monkeypatch.setattr("sari.significance._DRAWS_PER_COMPARISON", 10_000)
    found, more = (Scorer().compare(**examples, all_pairs=True, resamples=number) for number in (None, 30_000))
    assert [row["p_values"] for row in found["pairs"]] == [row["p_values"] for row in more["pairs"]]


@pytest.mark.parametrize("method", METHODS)
def test_each_system_with_each(sari, examples, method):
    """Of the systems that differ each has its group; a twin, and one that differs in a text, share that of another."""
    scorer = sari.with_options(variant="easse")
    columns = {name: examples[name] * 20 for name in ("sources", "references")}
    systems = {name: texts * 20 for name, texts in examples["predictions"].items()}
    near = [*systems["deleting"][:-1], systems["rewriting"][-1]]
    systems |= {"twin": systems["deleting"], "near": near}
    found = scorer.compare(**columns, predictions=systems, method=method, all_pairs=True, resamples=999)
    assert json.loads(json.dumps(found)) == found
    assert (found["baseline"], found["comparisons"]) == (None, 10)
    alike = dict.fromkeys(("deleting", "twin", "near"), (2, [2, 4]))
    ranked = {name: (row["group"], row["rank"]) for name, row in found["systems"].items()}
    assert ranked == {"rewriting": (1, [1, 1]), **alike, "": (3, [5, 5])}
    assert not any("signature" in row for row in found["systems"].values())  # nor other details
    pairs = {tuple(pair["systems"]): pair for pair in found["pairs"]}
    for (one, other), pair in pairs.items():
        two = {name: systems[name] for name in (other, one)}
        alone = scorer.compare(**columns, predictions=two, method=method, resamples=999)["systems"][one]
        assert (pair["differences"], pair["p_values"]) == (alone["differences"], alone["p_values"])
    twins = pairs["deleting", "twin"]
    assert (set(twins["differences"].values()), set(twins["p_values"].values())) == ({0.0}, {1.0})
    smallest = min(pairs.values(), key=lambda pair: pair["p_values"]["sari"])
    assert smallest["corrected_p_values"]["sari"] == pytest.approx(10 * smallest["p_values"]["sari"])


@pytest.mark.parametrize(
    ("p_value", "difference", "ranks"),
    [(0.049, 1.0, [[1, 1], [2, 2]]), (0.05, 1.0, [[1, 2], [1, 2]]), (0.001, 0.0, [[1, 2], [1, 2]])],
)
def test_ranks_are_apart_if_a_difference_is_significant(p_value, difference, ranks):
    results = {"a": {}, "b": {}}
    pair = {"corrected_p_values": {"sari": p_value}, "differences": {"sari": difference}}
    rank_systems(results, [{"systems": ["a", "b"], **pair}])
    assert [row["rank"] for row in results.values()] == ranks


def test_memory_of_a_comparison_is_bounded(scorer, examples):
    """More resamples of more segments than a matrix of them all could hold in this many bytes."""
    columns = {name: examples[name] * 200 for name in ("sources", "references")}
    systems = {name: texts * 200 for name, texts in examples["predictions"].items()}
    tracemalloc.start()
    scorer.with_options(variant="easse").compare(**columns, predictions=systems, resamples=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120e6  # a matrix of draws has 160e6


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        (TypeError, {"all_pairs": 1}, "all_pairs: got 1, expected True or False"),
        (ValueError, {"baseline": "x"}, "baseline: got 'x', expected one of deleting, rewriting,"),
        (ValueError, {"all_pairs": True, "baseline": ""}, "baseline: got '' with all_pairs=True, expected None"),
        (
            ValueError,
            {"all_pairs": True, "method": None},
            f"method: got None with all_pairs=True, expected one of {', '.join(TESTS)}",
        ),
        (ValueError, {"predictions": {"x": ["a"]}}, "predictions['x']: got 1 row, expected 10 (as in sources)"),
        (ValueError, {"sources": [], "predictions": {"x": []}, "references": []}, NO_SEGMENTS),
    ],
)
def test_bad_comparisons_are_refused_before_texts_are_tokenized(sari, examples, kind, changes, message):
    with refuses(kind, message):
        sari.with_options(tokenize=pytest.fail).compare(**{**examples, **changes})


def test_a_single_candidate_has_no_expected_score(scorer):
    with refuses(ValueError, "candidates[0]: got 1, expected at least 2"):
        scorer.minimum_bayes_risk(sources=["a"], candidates=[["a"]])


def test_expected_scores_are_means_and_candidates_are_tokenized_once(scorer):
    tokenized = []
    texts = ["a", "a c", "b c d", "a b c d"]
    chosen = scorer.with_options(tokenize=lambda text: tokenized.append(text) or text).minimum_bayes_risk(
        sources=["a b"], candidates=[texts]
    )
    assert sorted(tokenized) == sorted(["a b", *texts])
    scorer = scorer.with_options(tokenize="none")
    for place, text in enumerate(texts):
        others = [[other] for other in texts if other != text]
        scores = scorer.score_candidates(sources=["a b"] * 3, candidates=[[text]] * 3, references=others)
        assert chosen["expected"][0][place] == pytest.approx(np.mean(scores))


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
