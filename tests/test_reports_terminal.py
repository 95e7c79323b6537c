"""Explanations as lines of text: marks, lines of a width, and texts that cannot steer the terminal."""

import dataclasses
import json
import re

import pytest
from report_corpus import explained
from wcwidth import wcswidth

from sari.reports import terminal
from sari.reports.word_edits import Edit


def shown(explanation, **how):
    return terminal.explanation_as_text(explanation, title="x", digits=2, colours=False, **{"by_order": False, **how})


def test_json_has_all_fields():
    explanation = explained(source="a b", prediction="b", references=["b", "a c"])
    (fields,) = json.loads(terminal.explanations_as_json([explanation]))
    empty = {"penalties", "sentences", "warnings"}
    assert {*fields} == {field.name for field in dataclasses.fields(explanation)} - empty
    assert fields["missed"] == [{"text": "c", "mark": "missed", "why": "Missed: 1 of 2 references adds it."}]


@pytest.mark.parametrize(("number", "places"), [(10, [*range(10)]), (11, [0, 1, 2, 3, 4, "1 more", 6, 7, 8, 9, 10])])
def test_the_choices_that_cost_and_earn_most_are_shown(number, places):
    edits = [Edit("kept", f"w{place}", ("output", place), place - 6.5, 50.0, "") for place in range(number)]
    nothing = Edit("kept", "nothing", ("output", 13), 0.004, 50.0, "")
    text = shown(dataclasses.replace(explained("a", "a", ["a"]), edits=[*edits, nothing]))
    lines = text.partition("in points of SARI\n")[2].partition("\n\n")[0].splitlines()
    assert lines == [
        f"  ({place} between)" if place == "1 more" else f"  {place - 6.5:+7.2f}  keeping “w{place}”"
        for place in places
    ]


def test_documents_are_explained_by_sentence_first():
    """Of many words, only those whose choices are shown have their reasons."""
    sentences = [f"Word{place} other{place} words{place} things{place} stand ." for place in range(40)]
    source, output = " ".join(sentences), " ".join(sentences[:1] + sentences[2:])
    text = shown(explained(source, output, [source], variant="easse"))
    assert len(text.splitlines()) < 60
    costs = text.partition("What sentences cost")[2].splitlines()[1]
    assert costs.endswith("deleting “Word1 other1 words1 things1 stand .”")


def test_texts_cannot_steer_the_terminal():
    text = shown(explained(source="a \x1b[2J", prediction="", references=["a"], variant="xu2016"), by_order=True)
    assert re.findall(r"\[-\\x1b\[2j-\]|\{\+~␣~\+\}|\x1b", text) == ["[-\\x1b[2j-]", "{+~␣~+}"]


def test_words_of_wide_letters_are_aligned():
    text = shown(explained("简化 b", "简化", ["简化 b"], tokenize="none"))
    kept, deleted = re.findall(r"^  (?:简化|b)  .*", text, re.MULTILINE)
    assert wcswidth(kept.partition("Kept")[0]) == wcswidth(deleted.partition("Deleted")[0])
