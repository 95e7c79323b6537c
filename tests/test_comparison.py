"""Systems, candidates and variants beside each other: each as if alone, baselines, and what explains a difference."""

import itertools
import json
import tracemalloc
from pathlib import Path

import numpy as np
import oracle
import pytest
from four_segments import TEXTS
from programs import example_corpus, with_system
from refusals import refuses

from sari.aggregation import SCORES
from sari.comparison import baseline_scores
from sari.sari_scorer import Scorer
from sari.significance import TESTS, holm
from sari.variants import VARIANTS, read_signature, resolve_variant

METHODS = list(TESTS)
ROWS = [json.loads(line) for line in (Path(__file__).parent / "data" / "corpora.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def corpus():
    """Return segments in one corpus, hard cases among them."""
    columns = ("sources", "predictions", "references")
    return {name: [text for row in ROWS[:6] for text in row[name]] for name in columns}


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


def test_baselines_need_two_references_of_every_segment():
    references = [["a", "b", "c"], ["d"]]
    assert list(baseline_scores(["a", "d"], references, resolve_variant())) == ["copy", "empty", "unrelated"]
    references = [["a", "b", "c"], ["d", "e"]]
    people = ["references", "reference 1", "reference 2"]
    assert list(baseline_scores(["a", "d"], references, resolve_variant())) == ["copy", "empty", "unrelated", *people]


# ---- From one variant to another ------------------------------------------------------------------------------------


def test_what_is_neither_variant_nor_scorer_is_refused(corpus):
    for other in (None, 5, "papers"):
        with pytest.raises((TypeError, ValueError), match=f"^other: got {other!r}, expected one of hf, "):
            Scorer().explain_difference(other, **corpus)


@pytest.fixture(scope="module")
def by_variant(sari, corpus):
    """Return what `compute` says of the corpus under every variant."""
    return {variant: sari.compute(**corpus, variant=variant, details=True) for variant in VARIANTS}


@pytest.mark.parametrize(("first", "last"), list(itertools.permutations(VARIANTS, 2)))
def test_every_way_starts_and_ends_at_the_scores_of_compute(sari, corpus, by_variant, first, last):
    found = sari.with_options(variant=first).explain_difference(last, **corpus)
    steps = found["steps"]
    ends = {"a": (first, steps[0]), "b": (last, steps[-1])}
    for end, (variant, step) in ends.items():
        scores = by_variant[variant]
        assert {name: step[name] for name in SCORES} == {name: scores[name] for name in SCORES}
        assert found[f"variant_{end}"] == variant
        assert found[f"signature_{end}"] == scores["signature"]
    assert steps[0]["choice"] is steps[0]["before"] is steps[0]["after"] is steps[0]["change"] is None
    choices = [step["choice"] for step in steps[1:]]
    known = ["text", "zero division", "counting", "n-grams", "level", "deletion", "addition", "averaging"]
    known.insert(len(known) if VARIANTS[last].penalties != "none" else 0, "penalties")
    assert choices == [choice for choice in known if choice in choices]
    for before, step in itertools.pairwise(steps):
        assert step["before"] != step["after"]
        assert step["change"] == step["sari"] - before["sari"]
    assert json.loads(json.dumps(found)) == found


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
    for name, scores in found["systems"].items():
        alone = sari.compute(
            **with_system(examples, name), variant=variant, confidence=0.95, resamples=300, details=True
        )
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
    """Three systems that differ and a twin: the twins share a group and their ranks, the others have their own."""
    copies = {name: texts * 20 for name, texts in examples["predictions"].items()}
    systems = {"copy": examples["sources"] * 20, **copies, "twin": list(copies["deleting"])}
    columns = {"sources": examples["sources"] * 20, "references": examples["references"] * 20, "predictions": systems}
    found = sari.with_options(variant="easse").compare(**columns, method=method, all_pairs=True, resamples=999)
    assert json.loads(json.dumps(found)) == found
    assert (found["baseline"], found["comparisons"]) == (None, 6)
    ranked = {name: (row["group"], row["rank"]) for name, row in found["systems"].items()}
    assert ranked == {"rewriting": (1, [1, 1]), "deleting": (2, [2, 3]), "twin": (2, [2, 3]), "copy": (3, [4, 4])}
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
    assert peak < 120e6 < 2_000 * 10_000 * 8


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
        ({"baseline": "x"}, ValueError, "baseline: got 'x', expected one of deleting, rewriting"),
        ({"predictions": {"x": ["a"]}}, ValueError, "predictions['x']: got 1 rows, expected 10 (as in sources)"),
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


def test_a_source_may_have_no_candidate(scorer):
    texts = {"sources": ["a b", "a c"], "references": ["a", "c"]}
    found = scorer.with_options(variant="easse").score_candidates(**texts, candidates=[[], ["c"]])
    assert found == [[], [pytest.approx(oracle.score(["a c"], ["c"], [["c"]], variant="easse")["sari"])]]


def test_a_bad_baseline_is_refused_before_texts_are_tokenized(scorer):
    tokenized = []
    with refuses(ValueError, "baseline: got 'x', expected one of a, b"):
        scorer.with_options(tokenize=lambda text: tokenized.append(text) or text).compare(
            sources=["a"], predictions={"a": ["a"], "b": ["a"]}, references=["a"], baseline="x"
        )
    assert tokenized == []


def test_candidates_are_tokenized_once(scorer):
    tokenized = []
    texts = [f"a {number}" for number in range(8)]
    scorer.with_options(tokenize=lambda text: tokenized.append(text) or text, variant="easse").minimum_bayes_risk(
        sources=["a b"], candidates=[texts]
    )
    assert sorted(tokenized) == sorted(["a b", *texts])


# ---- The variant of a printed figure --------------------------------------------------------------------------------

#: Options that are not varied, so that a search takes no time.
KNOWN = {"tokenize": "13a", "lowercase": True}


def find(figure, corpus, **options):
    return Scorer(**options).find_variant(figure, **corpus, progress=False)


@pytest.fixture(scope="module")
def printed():
    """Return the example corpus with one system."""
    return with_system(example_corpus(), "rewriting")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "dsari"])
def test_the_variant_of_a_figure_comes_first(printed, variant):
    row = VARIANTS[variant]
    figure = f"{Scorer(variant).compute(**printed)['sari']:.2f}"
    hits = find(figure, printed, tokenize=row.tokenize, lowercase=row.lowercase)["hits"]
    published = [hit for hit in hits if hit["verdict"] == "as published"]
    assert {"variant": variant} in [hit["options"] for hit in published]
    assert hits[: len(published)] == published
    assert [hit["changes"] for hit in hits] == sorted(hit["changes"] for hit in hits)


def test_options_and_references_of_a_figure(printed):
    one_reference = {**printed, "references": [row[:1] for row in printed["references"]]}
    changed = Scorer("paper", level="sentence", zero_division=1)
    score = changed.compute(**one_reference)
    (hit,) = find(f"{score['sari']:.6f}", printed)["hits"]
    assert {name: hit[name] for name in SCORES} == pytest.approx(score)
    assert (hit["options"], hit["nrefs"], hit["changes"], hit["verdict"]) == (dict(changed.options), 1, 3, "doubtful")
    assert Scorer(**read_signature(hit["signature"])).compute(**one_reference) == score


def test_known_options_are_not_varied(printed):
    search = find(1, printed, variant="t2t", lowercase=False, tokenize=str.split)
    assert {(row["options"]["variant"], row["options"]["lowercase"]) for row in search["nearest"]} == {("t2t", False)}
    assert search["tried"] <= 2 * 2 * 2 * 2  # levels, deletions, zero divisions, references


def test_figures_that_are_cut_instead_of_rounded(printed):
    score = Scorer("easse").compute(**printed)["sari"]
    digits = next(digits for digits in range(1, 9) if f"{score:.{digits}f}" != str(score)[: 3 + digits])
    hits = find(str(score)[: 3 + digits], printed, **KNOWN)["hits"]
    assert (hits[0]["options"], hits[0]["verdict"]) == ({"variant": "easse"}, "as published, cut")


def test_without_a_hit_the_nearest_scores_are_returned(printed):
    search = find(99.9, printed, **KNOWN)
    distances = [row["sari"] - 99.9 for row in search["nearest"]]
    assert [row["distance"] for row in search["nearest"]] == pytest.approx(distances)
    assert (search["hits"], len(distances), distances) == ([], 5, sorted(distances, key=abs))


@pytest.mark.filterwarnings("ignore:.*same as their sources:UserWarning")
def test_a_figure_can_be_the_mean_of_runs(printed):
    runs = {"one": printed["predictions"], "two": printed["sources"]}
    both = Scorer("easse").compare(**{**printed, "predictions": runs}, method=None, confidence=None)["systems"]
    mean = sum(result["sari"] for result in both.values()) / 2
    hits = find(f"{mean:.4f}", {**printed, "predictions": runs}, **KNOWN)["hits"]
    assert hits[0]["options"] == {"variant": "easse"}


def test_hits_by_chance_and_what_tells_hits_apart(printed):
    few, many = (find(figure, printed, **KNOWN) for figure in ("60.00", "60"))
    assert few["tried"] == many["tried"] > 100
    assert few["hits_by_chance"] < 0.1 < 1 < many["hits_by_chance"] < 3
    assert len(many["hits"]) == 2
    assert many["distinct"] == {name: len({f"{hit[name]:.0f}" for hit in many["hits"]}) for name in SCORES[1:]}


def test_figures_need_segments():
    with refuses(ValueError, "sources, predictions, references: got no segments, expected at least one"):
        find(40, {"sources": [], "predictions": [], "references": []}, **KNOWN)


@pytest.mark.parametrize("figure", ["x", "", None, True, -1, 100.5, "nan", "1e1", "0.1234567890123456"])
def test_figures_are_scores_as_they_are_printed(printed, figure):
    with pytest.raises(ValueError, match=r"^figure: got .*, expected a score as it is printed, from 0 to 100"):
        find(figure, printed)
