"""Answers as HTML: that they show what was found, and escape what visitors wrote."""

import json
import re
from html import unescape

import numpy as np
import pytest
from report_corpus import Page, explained

from sari.variants import VARIANTS
from sari.web import rendering

HOSTILE = "<img src=x onerror=alert(1)> & \"'</p>"
SCORES = {"sari": 50.126, "keep": 100.0, "delete": 50.378, "add": 0.0}


def words(html):
    """Return the text of HTML that is sound and has nothing of visitors in its elements."""
    page = Page(html)
    assert not page.faults
    assert not {"img", "script", "i>"} & set(page.tags)
    return page.words


def test_texts_of_visitors_are_shown_as_they_are():
    explanation = explained(source=HOSTILE, prediction=f"{HOSTILE} x", references=[HOSTILE], tokenize="none")
    found = words(rendering.texts(explanation))
    assert all(token.text in found for token in explanation.source)
    given = rendering.variant_scores({"easse": SCORES}, {"easse": VARIANTS["easse"]}, [("Output", HOSTILE)])
    for html in (rendering.refusal(HOSTILE), rendering.note(HOSTILE), given):
        assert HOSTILE in words(html)


def test_text_that_is_not_split_into_words_is_doubted():
    texts = "这只很大的猫坐在旧垫子上", "这只大猫坐在垫子上", ["这只大猫坐在垫子上"]
    explanation = explained(*texts, variant="easse")
    assert "Chinese" in words(rendering.answer(explanation, VARIANTS["easse"], {"copy": SCORES}))


@pytest.mark.parametrize(
    ("references", "names"), [(["a b d"], ["Reference"]), (["a b d", "a b"], ["Reference 1", "Reference 2"])]
)
def test_texts_and_choices_have_names(references, names):
    explanation = explained("a b", "a c", references)
    marked = rendering.texts(explanation)
    assert {"Source", "Output", *names} <= set(re.findall('aria-label="(.*?)"', marked))
    answer = rendering.answer(explanation, VARIANTS["easse"], {"copy": SCORES})
    tries = re.findall('aria-label="try it: the output (.*?)"', answer)
    assert tries == ["with “b”", "with “d”", "without “a”"]
    assert f"Deleting “b” costs {-explanation.costs[0].points:.1f}" in words(answer)
    assert f"Keeping “a” earns {explanation.earnings[0].points:.1f}" in words(answer)
    assert f"Costs {-explanation.costs[0].points:.2f}." in marked


@pytest.mark.parametrize(("output", "is_said"), [("a b c", True), ("c b a", True), ("a b", False), ("a b c d", False)])
def test_an_output_that_repeats_a_reference_is_told(output, is_said):
    answer = words(rendering.answer(explained("x y", output, ["a b c", "x"]), VARIANTS["easse"], {"copy": SCORES}))
    assert ("nearly all words of a reference" in answer) == is_said
    assert "does not see meaning" in answer


def test_the_page_knows_where_every_ngram_is():
    explanation = explained(source="a b c", prediction="a b x", references=["a b", "<x> b"], tokenize="none")
    (data,) = re.findall(r'<span class="sari-data" hidden>(.*?)</span>', rendering.texts(explanation))
    orders = json.loads(unescape(data))
    assert [len(order) for order in orders] == [sum(map(len, grams.values())) for grams in explanation.grams]
    kept = explanation.grams[1]["keep"][0]
    assert kept.text == "a b"
    found = {"operation": "keep", "mark": "right", "why": kept.why}
    assert orders[1][0] == {**found, "places": {"s": [0], "o": [0], "r0.": [0]}}


def test_references_add_their_own_texts_alone():
    """No n-gram has an entry for each reference: four times the references make about four times as much."""
    segments = (explained("a b", "a c", [f"w{place} a x{place}" for place in range(size)]) for size in (100, 400))
    of_100, of_400 = (len(rendering.texts(explanation)) for explanation in segments)
    assert of_400 < 4.5 * of_100


@pytest.mark.parametrize(
    ("variant", "options"), [("hf", {}), ("easse", {}), ("paper", {}), ("dsari", {}), ("hf", {"max_order": 1})]
)
def test_arithmetic_comes_out(variant, options):
    texts = "The big cat sat .", "The big cat sat here now .", ["A cat sat .", "The cat was here ."]
    explanation = explained(*texts, variant=variant, **options)
    found = words(rendering.answer(explanation, VARIANTS[variant], {"copy": SCORES}))
    assert f"= {explanation.scores['sari']:.2f}" in found
    assert ("of single words" in found) == ("max_order" in options)
    assert ("for length" in found) == (variant == "dsari")
    # Name = (part + part) / 2 = mean, and in variants with a penalty: times factor for length = score
    means = re.findall(r"(\w+) = \(?([\d.+ ]+)\)? / \d = ([\d.]+)(?:, times ([\d.]+) for length = ([\d.]+))?", found)
    assert len(means) == (2 if variant == "paper" else 4)
    for name, parts, mean, factor, score in means:
        assert np.mean([float(part) for part in parts.split(" + ")]) == pytest.approx(float(mean), abs=0.011)
        assert float(mean) * float(factor or 1) == pytest.approx(float(score or mean), abs=0.05)
        assert explanation.scores[name.lower()] == pytest.approx(float(score or mean), abs=0.005)


@pytest.mark.parametrize(
    ("score", "baselines", "pattern"),
    [
        (40.0, {"copy": 50.4, "empty": 20.0}, r"^Not above .*copy.* \(50\)\.$"),
        (60.0, {"copy": 50.0, "empty": 55.0}, r"^Above .*without words \(55\), the best of"),
        (60.0, {"copy": 50.0, "references": 70.0}, r"^Above .* \(50\); below people \(70\)\.$"),
        (70.0, {"copy": 50.0, "references": 70.0}, r"^Above .* \(50\); at or above people \(70\)\.$"),
    ],
)
def test_what_a_score_is_held_against(score, baselines, pattern):
    assert re.search(pattern, rendering.verdict(score, {name: {"sari": value} for name, value in baselines.items()}))
