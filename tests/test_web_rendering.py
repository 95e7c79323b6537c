"""Answers as HTML: that they show what was found, and escape what visitors wrote."""

import json
import re
from html import unescape

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
    found = words(rendering.answer(explanation, VARIANTS["easse"], {"copy": SCORES}))
    assert "Chinese" in found


def test_the_page_knows_where_every_ngram_is():
    explanation = explained(source="a b c", prediction="a b x", references=["a b", "<x> b"], tokenize="none")
    (data,) = re.findall(r'<span class="sari-data" hidden>(.*?)</span>', rendering.texts(explanation))
    orders = json.loads(unescape(data))
    assert [len(order) for order in orders] == [sum(map(len, grams.values())) for grams in explanation.grams]
    kept = explanation.grams[1]["keep"][0]
    assert kept.text == "a b"
    found = {"operation": "keep", "mark": "right", "why": kept.why}
    assert orders[1][0] == {**found, "places": {"s": [0], "o": [0], "r0.": [0]}}


@pytest.mark.parametrize("written", [repr, rendering.texts])
def test_references_add_their_own_texts_alone(written):
    """No n-gram has an entry for each reference: four times the references make about four times as much."""
    of_100, of_400 = (
        len(written(explained("a b", "a c", [f"w{number} a x{number}" for number in range(size)])))
        for size in (100, 400)
    )
    assert of_400 < 4.5 * of_100


@pytest.mark.parametrize(
    ("variant", "options"), [("hf", {}), ("easse", {}), ("paper", {}), ("dsari", {}), ("hf", {"max_order": 1})]
)
def test_arithmetic_comes_out(variant, options):
    explanation = explained(
        "The big cat sat .", "The cat sat .", ["A cat sat .", "The cat was here ."], variant=variant, **options
    )
    found = words(rendering.answer(explanation, VARIANTS[variant], {"copy": SCORES}))
    assert f"= {explanation.scores['sari']:.2f}" in found
    assert ("of single words" in found) == ("max_order" in options)
    for operation in ("keep", "delete", "add"):
        line = re.search(rf"{operation.title()} = (.*?) = ([\d.]+)(?: |,|$)", found)
        assert line is not None
        if "F1 of precision" not in line[1]:
            parts = [float(part) for part in re.findall(r"[\d.]+", line[1].partition(" / ")[0])]
            assert round(sum(parts) / len(parts), 2) == pytest.approx(float(line[2]), abs=0.011)


@pytest.mark.parametrize(
    ("score", "others", "said"),
    [
        (40.0, {"copy": 50.4, "empty": 20.0}, ["Not above", "50"]),
        (60.0, {"copy": 50.0, "empty": 55.0}, ["Above", "55"]),
        (60.0, {"copy": 50.0, "references": 70.0}, ["Above", "50", "below people", "70"]),
        (70.0, {"copy": 50.0, "references": 70.0}, ["Above", "50", "at or above people", "70"]),
    ],
)
def test_what_a_score_is_held_against(score, others, said):
    verdict = rendering.verdict(score, {name: {"sari": value} for name, value in others.items()})
    assert re.findall(r"\d+|(?:[Nn]ot |at or )?\b(?:[Aa]bove|[Bb]elow)\b(?: people)?", verdict) == said
