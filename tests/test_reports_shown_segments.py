"""Which segments a report shows: those that stand out, each once, with its reasons and the outputs of all systems."""

import re

import pytest
from report_corpus import REFERENCES, SOURCES, built, report_of_two

from sari.reports import shown_segments

SINGLE = {
    "sources": ["He came and he saw it .", "a b c d", "one two three", "same old text", "to be deleted"],
    "systems": {"s": ["He came . He saw it .", "a", "one new words", "same old text", ""]},
    "references": [["a"]] * 5,
}


report = pytest.fixture(report_of_two, scope="module")


def test_of_long_texts_few_segments_are_shown(monkeypatch):
    numbers = []
    for words in (1, 60, 1_000):
        monkeypatch.setattr(shown_segments, "_WORDS", words)
        numbers.append(len(built(sources=SOURCES, systems={"x": SOURCES}, references=REFERENCES).segments))
    assert numbers[0] == 1 < numbers[1] < numbers[2] == len(SOURCES)


def having(report, reason):
    """Return the numbers of the segments that are shown for a reason."""
    return {segment.number for segment in report.segments if any(own.startswith(reason) for own in segment.reasons)}


def test_the_best_the_worst_and_the_biggest_gains_are_shown(report):
    first, second = report.results
    for system in (first, second):
        order = sorted(range(len(SOURCES)), key=lambda place: -system.sentences["sari"][place])
        assert having(report, f"best of {system.name}") == {place + 1 for place in order[:2]}
        assert having(report, f"worst of {system.name}") == {place + 1 for place in order[-2:]}
    gains = [two - one for one, two in zip(first.sentences["sari"], second.sentences["sari"], strict=True)]
    assert gains.index(max(gains)) + 1 in having(report, f"{second.name} most above {first.name}")


def test_each_segment_stands_once_with_all_systems(report):
    numbers = [segment.number for segment in report.segments]
    assert numbers == sorted(set(numbers))
    for segment in report.segments:
        place = segment.number - 1
        assert (bool(segment.reasons), segment.source, segment.references) == (True, SOURCES[place], REFERENCES[place])
        scores = [segment.outputs[system.name].scores["sari"] for system in report.results]
        assert scores == pytest.approx([system.sentences["sari"][place] for system in report.results])


@pytest.mark.parametrize(
    ("title", "numbers", "note"),
    [
        ("most splits", {1}, "(sentences: +1)"),
        ("strongest compression", {1, 2}, "(86% fewer characters)"),
        ("most rewritten", {1, 3}, "(words added: 0.667)"),
    ],
)
def test_segments_that_stand_out(title, numbers, note):
    """Without those to which it does not apply: copies, and empty outputs, which compress nothing."""
    found = built(**SINGLE)
    assert having(found, title) == numbers
    assert having(found, f"{title} {note}")


def test_of_many_systems_each_segment_shows_those_for_which_it_was_chosen():
    many = [f"number {number} ." for number in range(9)]
    systems = {f"s{number}": [*many[:number], "x", *many[number + 1 :]] for number in range(7)}
    found = built(sources=many, systems=systems, references=[["x"]] * 9)
    random, *_ = (segment for segment in found.segments if "random" in segment.reasons)
    assert list(random.outputs) == list(systems)
    for segment in found.segments:
        assert set(re.findall(r"\bof (s\d)", "; ".join(segment.reasons))) <= set(segment.outputs)


def test_the_seed_chooses_the_random_segments():
    many = [f"number {number} ." for number in range(60)]
    how = {"sources": many, "systems": {"a": many}, "references": [[text] for text in many]}
    one, same, other = (having(built(**how, seed=seed), "random") for seed in (1, 1, 2))
    assert one == same != other
    assert len(one) == 8
