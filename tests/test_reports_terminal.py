"""Explanations as lines of text: marks, lines of a width, colours, and texts that cannot steer the terminal."""

import dataclasses
import json

from report_corpus import explained

from sari.reports import terminal


def test_json_has_all_fields():
    explanation = explained(source="a b", prediction="b", references=["b", "a c"])
    fields = json.loads(terminal.explanation_as_json(explanation))
    assert list(fields) == [field.name for field in dataclasses.fields(explanation)]
    missed = {"text": "c", "mark": "missed", "why": "Missed: 1 of 2 references adds it.", "credit": None}
    assert fields["missed"] == [missed]


def test_texts_cannot_steer_the_terminal():
    found = explained(source="a \x1b[2J", prediction="", references=["a"], tokenize="none")
    text = terminal.explanation_as_text(found, title="x", by_order=True)
    assert "[-\\x1b[2j-]" in text
    assert "{+~␣~+}" in text
    assert "\x1b" not in text
