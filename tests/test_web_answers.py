"""What the app answers: scores are the metric's, and every variant has its say."""

from itertools import combinations

import pytest
from programs import example_corpus, score_of
from report_corpus import Page

from sari.companion_measures.registry import Settings
from sari.comparison import baseline_scores
from sari.reports.score_report import BASELINES, ScoreRow
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
    rows = answers.rank_under_variants(systems_of_lists(*columns.values()), variants, steps.append)
    assert list(dict.fromkeys(row.variant for row in rows)) == list(variants) == steps
    for variant in variants:
        wanted = Scorer(variant, lowercase=False).compare(**columns, method="randomization", all_pairs=True)
        found = [row for row in rows if row.variant == variant]
        scores = {row.name: row.scores["sari"] for row in found if row.kind == "system"}
        assert scores == {name: result["sari"] for name, result in wanted["systems"].items()}
        assert [row.name for row in found if row.copies] == ["copying"]
        pairs = {(row.name, row.against): row.corrected_p_values for row in found if row.kind == "pair"}
        assert pairs == {tuple(pair["systems"]): pair["corrected_p_values"] for pair in wanted["pairs"]}


def test_pairs_that_change_places():
    scores = {
        "easse": {"a": 39.0, "b": 35.5, "c": 35.2, "d": 20.0, "copy": 60.0},
        "set": {"a": 30.0, "b": 26.8, "c": 26.95, "d": 20.0, "copy": 60.0},
        "hf": {"a": 39.1, "b": 47.7, "c": 39.1 - rendering.TIE, "d": 20.0, "copy": 60.0},
        "t2t": {"a": 39.1, "b": 38.0, "c": 39.3, "d": 20.0, "copy": 60.0},
        "lens": {"a": 39.0, "b": 39.05, "c": 39.08, "d": 20.0, "copy": 60.0},  # all tied
    }
    rows = []
    for variant, of_variant in scores.items():
        shared = {"variant": variant, "segments": 9, "signature": ""}
        values = {"sari": 0.01 if variant in ("easse", "hf") else 0.2}
        rows += [
            ScoreRow(name=name, scores={"sari": sari}, copies=name == "copy", **shared)
            for name, sari in of_variant.items()
        ]
        rows += [
            ScoreRow(kind="pair", name=one, against=other, corrected_p_values=values, **shared)
            for one, other in combinations(of_variant, 2)
        ]
    page = Page(rendering.ranking(rows, "easse")).words
    assert "3 of 6 pairs of systems change places, 1 significantly." in page
    sentences = [
        "a is above b under 3 of 5 variants (easse, set, t2t), significantly under 1; "
        "below it under 1 of 5 variants (hf), significantly under 1.",
        "b is above c under 2 of 5 variants (easse, hf), significantly under 2; "
        "below it under 2 of 5 variants (set, t2t), significantly under 0.",  # more oppose it than the next one
        "a is above c under 3 of 5 variants (easse, set, hf), significantly under 2; "
        "below it under 1 of 5 variants (t2t), significantly under 0.",
    ]
    assert " ".join(sentences) in page
    assert "copy mostly copies the source" in page
    assert "hf 60.00 (1) 39.10 (3) 47.70 (2) 39.00 (4) 20.00 (5)" in page
    assert page.count("chosen") == page.count("easse chosen") == 1
