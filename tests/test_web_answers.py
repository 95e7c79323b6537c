"""What the app answers: scores are the metric's, and every variant has its say."""

from itertools import combinations

import pytest
from programs import example_corpus, score_of
from report_corpus import Page

from sari.companion_measures.registry import Settings
from sari.comparison import baseline_scores
from sari.reports.score_report import BASELINES
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS, resolve_variants
from sari.web import answers, rendering
from sari.web.inputs import resolve_every_variant, resolve_options, segment_of, systems_of_lists
from sari.web.samples import samples


@pytest.mark.parametrize("variant", resolve_variants()[0])
@pytest.mark.parametrize("references", [["a cat sat"], ["a cat sat", "a", "the mat"]])
def test_baselines_of_a_segment_are_those_of_a_corpus_of_one(variant, references):
    found = answers.score_segment_baselines(segment_of("the cat sat", "", references), VARIANTS[variant])
    del found["unrelated"]
    corpus = baseline_scores(["the cat sat"], [references], VARIANTS[variant])
    assert found.keys() == corpus.keys()
    for name, scores in found.items():
        assert scores == pytest.approx(corpus[name], abs=1e-9)


def test_a_report_has_the_baselines_of_the_command_line():
    columns = systems_of_lists(*example_corpus().values())
    compared = answers.compare_systems(columns, VARIANTS["easse"])
    report = answers.report_scores(compared, Settings(), lambda _: None)
    assert [row.name for row in report.baselines] == list(BASELINES[:-1])
    assert [measure.name for measure in report.measures] == ["bleu", "fkgl"]


@pytest.mark.parametrize(("variant", "tokenizer"), [("xu2016", "none"), ("easse", "char"), ("xu2016", "13a")])
def test_measures_have_the_tokens_that_were_chosen(variant, tokenizer):
    """Also where the tokenizer is that of the variant."""
    columns = systems_of_lists(*example_corpus().values())
    options = {"variant": variant, "tokenize": tokenizer}
    compared = answers.compare_systems(columns, resolve_options(options))
    report = answers.report_scores(compared, Settings.of_options(options), lambda _: None)
    assert f"|tok:{tokenizer}|" in report.measure_signatures["bleu"]


def test_an_unrelated_text_is_of_another_example():
    first, other = samples()[0], next(sample for sample in samples() if sample.source != samples()[0].source)
    for source, text in ((first.source, other.prediction), (other.source, first.prediction)):
        found = answers.score_segment_baselines(segment_of(source, "", ["a"]), VARIANTS["easse"])["unrelated"]
        assert found["sari"] == score_of(Scorer(), source, text, ["a"])


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
@pytest.mark.filterwarnings("ignore:the variant .* copies can rank first:UserWarning")
def test_whether_the_ranking_holds_is_what_each_variant_says():
    columns = example_corpus()
    columns["predictions"] = {**columns["predictions"], "copying": columns["sources"]}
    variants = resolve_every_variant({"lowercase": False})
    assert list(variants) == list(resolve_variants(lowercase=False)[0])
    steps = []
    ranked = answers.rank_under_variants(systems_of_lists(*columns.values()), variants, steps.append)
    assert [row.variant for row in ranked] == list(variants) == steps
    for row in ranked:
        wanted = Scorer(row.variant, lowercase=False).compare(**columns, method="randomization", all_pairs=True)
        assert row.scores == {name: wanted["systems"][name]["sari"] for name in row.scores}
        for pair in wanted["pairs"]:
            is_significant = pair["corrected_p_values"]["sari"] < 0.05
            assert (frozenset(pair["systems"]) in row.significant) == is_significant


def test_pairs_that_change_places():
    scores = {
        "easse": {"a": 39.0, "b": 35.5, "c": 35.2, "d": 20.0, "copy": 60.0},
        "set": {"a": 30.0, "b": 26.8, "c": 26.95, "d": 20.0, "copy": 60.0},
        "hf": {"a": 39.1, "b": 47.7, "c": 39.1 - answers.TIE, "d": 20.0, "copy": 60.0},
        "t2t": {"a": 39.1, "b": 38.0, "c": 39.3, "d": 20.0, "copy": 60.0},
        "lens": {"a": 39.0, "b": 39.05, "c": 39.08, "d": 20.0, "copy": 60.0},  # all tied
    }
    pairs = set(map(frozenset, combinations(scores["hf"], 2)))
    rows = [
        answers.RankedVariant(name, row, pairs if name in ("easse", "hf") else set()) for name, row in scores.items()
    ]
    first, *others = answers.reversed_pairs(rows, ["a", "b", "c", "d"])
    above = {"easse": True, "set": False, "t2t": False}
    assert first == answers.RankedPair(("a", "b"), agreeing=above, opposing={"hf": True})
    assert first.reverses_significantly
    assert [(pair.systems, [*pair.agreeing], [*pair.opposing]) for pair in others] == [
        (("b", "c"), ["easse", "hf"], ["set", "t2t"]),  # more variants oppose it than the next one
        (("a", "c"), ["easse", "set", "hf"], ["t2t"]),
    ]
    assert not any(pair.reverses_significantly for pair in others)
    page = Page(rendering.ranking(rows, "easse", ["copy"])).words
    assert "3 of 6 pairs of systems change places, 1 significantly." in page
    assert "a is above b under 3 of 5 variants (easse, set, t2t), significantly under 1" in page
    assert "copy mostly copies the source" in page
    assert "hf 60.00 (1) 39.10 (3) 47.70 (2) 39.00 (4) 20.00 (5)" in page
    assert page.count("chosen") == page.count("easse chosen") == 1
