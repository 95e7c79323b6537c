"""Explanations as lines of text: marks, lines of a width, colours, and texts that cannot steer the terminal."""

import dataclasses
import json

from report_corpus import explained
from wcwidth import wcswidth

from sari.reports import terminal


def test_json_has_all_fields():
    explanation = explained(source="a b", prediction="b", references=["b", "a c"])
    (fields,) = json.loads(terminal.explanations_as_json([explanation]))
    empty = {"penalties", "sentences", "warnings"}
    assert {*fields} == {field.name for field in dataclasses.fields(explanation)} - empty
    assert fields["missed"] == [{"text": "c", "mark": "missed", "why": "Missed: 1 of 2 references adds it."}]


def test_documents_are_explained_by_sentence_first():
    """Of many words, only those whose choices are shown have their reasons."""
    sentences = [f"Word{place} other{place} words{place} things{place} stand ." for place in range(40)]
    source, output = " ".join(sentences), " ".join(sentences[:1] + sentences[2:])
    text = terminal.explanation_as_text(explained(source, output, [source], variant="easse"), title="x", by_order=False)
    assert len(text.splitlines()) < 60
    costs = text.partition("What sentences cost")[2].splitlines()[1]
    assert costs.endswith("deleting “Word1 other1 words1 things1 stand .”")


def test_texts_cannot_steer_the_terminal():
    found = explained(source="a \x1b[2J", prediction="", references=["a"], variant="xu2016")
    text = terminal.explanation_as_text(found, title="x", by_order=True)
    assert "[-\\x1b[2j-]" in text
    assert "{+~␣~+}" in text
    assert "\x1b" not in text


def test_words_of_wide_letters_are_aligned():
    found = explained("简化 b", "简化", ["简化 b"], tokenize="none")
    text = terminal.explanation_as_text(found, title="x", by_order=False)
    reasons = [line for line in text.splitlines() if " it" in line or "Deleted" in line]
    kept, deleted = (line for line in reasons if line.startswith(("  简化  ", "  b  ")))
    assert wcswidth(kept.partition("Kept")[0]) == wcswidth(deleted.partition("Deleted")[0])
