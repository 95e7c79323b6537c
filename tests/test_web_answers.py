"""What the app answers: scores are the metric's, and every variant has its say."""

import re

import pytest
from programs import example_corpus
from report_corpus import Page

from sari.comparison import baseline_scores
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS, resolve_variants
from sari.web import answers, rendering
from sari.web.inputs import resolve_every_variant, segment_of, systems_of_lists


@pytest.mark.parametrize("variant", resolve_variants()[0])
@pytest.mark.parametrize("references", [["a cat sat"], ["a cat sat", "a", "the mat"]])
def test_baselines_of_a_segment_are_those_of_a_corpus_of_one(variant, references):
    found = answers.score_segment_baselines(segment_of("the cat sat", "", references), VARIANTS[variant])
    del found["unrelated"]
    corpus = baseline_scores(["the cat sat"], [references], VARIANTS[variant])
    assert found.keys() == corpus.keys()
    for name, scores in found.items():
        assert scores == pytest.approx(corpus[name], abs=1e-9)


def test_the_report_has_the_tests_that_were_chosen():
    columns = systems_of_lists(*example_corpus().values())
    steps = []
    compared = answers.compare_systems(columns, VARIANTS["easse"], baseline="rewriting", method="bootstrap")
    page = answers.write_report(columns, VARIANTS["easse"], compared, steps.append)
    facts = ("against rewriting", "paired bootstrap", "10,000 resamples", "deleting against rewriting")
    assert [fact for fact in facts if fact not in page] == []
    assert len(steps) == answers.report_steps(2)


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
@pytest.mark.filterwarnings("ignore:the variant .* copies can rank first:UserWarning")
@pytest.mark.filterwarnings("ignore:.*references of other segments have a higher SARI:UserWarning")
def test_whether_the_ranking_holds_is_what_each_variant_says():
    columns = example_corpus()
    columns["predictions"] = {**columns["predictions"], "copying": columns["sources"]}
    variants = resolve_every_variant({"lowercase": False})
    assert list(variants) == list(resolve_variants(lowercase=False)[0])
    steps = []
    ranked = answers.rank_under_variants(
        systems_of_lists(*columns.values()),
        variants,
        baseline="deleting",
        method="randomization",
        advance=steps.append,
    )
    assert [row.variant for row in ranked] == list(variants) == steps
    for row in ranked:
        wanted = Scorer(row.variant, lowercase=False).compare(**columns, baseline="deleting", method="randomization")[
            "systems"
        ]
        assert row.scores == {name: own["sari"] for name, own in wanted.items()}
        assert row.differences["copying"] == wanted["copying"]["sari"] - wanted["deleting"]["sari"]
        assert row.p_values == {name: wanted[name]["corrected_p_values"]["sari"] for name in row.differences}


def test_variants_that_reverse_a_verdict_are_named():
    p_values, scores = {"x": 0.001}, {"base": 40.0, "x": 41.0}
    rows = [
        answers.RankedVariant("easse", scores, {"x": 1.0}, p_values),
        answers.RankedVariant("star", scores, {"x": 0.4}, {"x": 0.5}),
        answers.RankedVariant("hf", scores, {"x": -1.7}, p_values),
    ]
    page = Page(rendering.ranking(rows, "easse", "base", [])).words
    assert re.search(r"\bx is significantly above base under easse\b.* 1 of 3\b.*\bhf reverses\b", page)
    page = Page(rendering.ranking(rows, "star", "base", [])).words
    assert re.search(r"\bx is not significantly .*\bbase under star\b.* 1 of 3\b", page)
    assert "reverse" not in page


def test_a_system_that_copies_the_source_is_not_ranked():
    p_values, scores = {"x": 0.001, "copy": 0.001}, {"base": 40.0, "x": 41.0, "copy": 60.0}
    rows = [answers.RankedVariant("hf", scores, {"x": 1.0, "copy": 20.0}, p_values)]
    page = Page(rendering.ranking(rows, "hf", "base", ["copy"])).words
    assert re.findall(r"\b(\w+) is significantly above", page) == ["x"]
    assert re.search(r"\bcopy\b.* copies the source\b.* out of competition", page)
