"""The picture of an explained score: it is sound, whatever the texts hold, and its lines fit."""

import xml.etree.ElementTree as ET

import pytest
from report_corpus import explained

from sari.web import picture

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script> & \"' ]]> \x00\x1b\ufffe"


def parts(explanation):
    """Return the texts of a picture, and the words among them with their attributes."""
    root = ET.fromstring(picture.draw(explanation))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "title", "rect", "text", "tspan"}
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")], list(root.iter(f"{SVG}tspan"))


def test_a_picture_shows_the_scores_and_every_word_with_its_mark():
    explanation = explained(
        "the big cat sat down", "the cat sat there", ["the big cat sat", "a cat sat"], variant="easse"
    )
    texts, words = parts(explanation)
    for name, score in explanation.scores.items():
        assert f"{score:.2f}" in texts, name
    assert explanation.signature in texts
    first = explanation.edits[0]
    assert any(first.text in text and f"costs {-first.points:.1f}" in text for text in texts)
    struck = [word.text for word in words if "line-through" in word.get("text-decoration", "")]
    assert struck[:2] == ["big", "down"]
    assert next(word for word in words if word.text == "+there").get("text-decoration") == "underline"
    assert "the big cat sat down" in texts
    assert "the cat sat +there" in texts


@pytest.mark.parametrize("text", [HOSTILE, "", "猫" * 500, "W" * 500, "word " * 400], ids=range(5))
def test_a_picture_of_any_text_is_sound(text):
    explanation = explained(f"a {text}", text, [text, "b", "c", "d"], tokenize="none")
    texts, _ = parts(explanation)
    assert max(len(text) for text in texts if not text.startswith("SARI|")) < 90


def test_no_word_is_lost_where_lines_break():
    source = " ".join(f"w{number}" for number in range(200))
    texts, _ = parts(explained(source, source, ["w1"], tokenize="none"))
    assert source in " ".join(texts)
