"""Explanations as lines of text: marks, lines of a width, colours, and texts that cannot steer the terminal."""

import dataclasses
import json

import pytest
from report_corpus import explained

from sari.reports import terminal


@pytest.fixture(scope="module")
def explanation():
    return explained(source="the big cat sat", prediction="the cat sat up", references=["the cat sat", "a cat sat"])


def test_marks(explanation):
    lines = terminal.as_text(explanation, title="Title", by_order=False).splitlines()
    assert lines[0] == "Title"
    assert lines[1].startswith(f"SARI {explanation.scores['sari']:.2f}  keep ")
    assert lines[3:6] == ["Source    the [-big-] cat sat", "Output    the cat sat {+~up~+}", "Missed    (a)"]
    assert "  big  Deleted: both references delete it too." in lines
    assert lines[-1] == explanation.signature


def test_json_has_all_fields(explanation):
    fields = json.loads(terminal.as_json(explanation))
    assert list(fields) == [field.name for field in dataclasses.fields(explanation)]
    missed = {"text": "a", "mark": "missed", "why": "Missed: 1 of 2 references adds it.", "credit": None}
    assert fields["missed"] == [missed]


def test_texts_cannot_steer_the_terminal():
    found = explained(source="a \x1b[2J", prediction="", references=["a"], tokenize="none")
    text = terminal.as_text(found, title="x", by_order=True)
    assert "[-\\x1b[2j-]" in text
    assert "{+~␣~+}" in text
    assert "\x1b" not in text
