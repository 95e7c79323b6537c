"""Which segments a report shows: those that stand out, each once, with its reasons and the outputs of all systems."""

import re

import pytest
from report_corpus import REFERENCES, SOURCES, built, report_of_two

from sari.reports import shown_segments

report = pytest.fixture(report_of_two, scope="module")


def having(report, reason):
    """Return the numbers of the segments that are shown for a reason."""
    return {segment.number for segment in report.segments if any(own.startswith(reason) for own in segment.reasons)}


def test_of_long_texts_few_segments_are_shown(monkeypatch):
    numbers = []
    for words in (1, 60, 1_000):
        monkeypatch.setattr(shown_segments, "_WORDS", words)
        numbers.append(len(built(SOURCES, {"x": SOURCES}, REFERENCES).segments))
    assert numbers[0] == 1 < numbers[1] < numbers[2] == len(SOURCES)


def test_the_best_the_worst_and_the_biggest_gains_are_shown(report):
    first, second = report.results
    for system in (first, second):
        order = sorted(range(len(SOURCES)), key=lambda place: -system.sentences["sari"][place])
        assert having(report, f"best of {system.name}") == {place + 1 for place in order[:2]}
        assert having(report, f"worst of {system.name}") == {place + 1 for place in order[-2:]}
    gains = [two - one for one, two in zip(first.sentences["sari"], second.sentences["sari"], strict=True)]
    for side, gain in (("above", max(gains)), ("below", min(gains))):
        found = having(report, f"{second.name} most {side} {first.name} (by {abs(gain):.1f})")
        assert found == {gains.index(gain) + 1}


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
    sources = ["He came and he saw it .", "a b c d", "one two three", "same old text", "to be deleted"]
    outputs = ["He came . He saw it .", "a", "one new words", "same old text", ""]
    found = built(sources, {"s": outputs}, [["a"]] * 5)
    assert having(found, title) == numbers
    assert having(found, f"{title} {note}")
    assert not having(built(["他在家"], {"s": ["他在"]}, [["他"]], tokenize="zh"), "most rewritten")


def test_of_many_systems_each_segment_shows_those_for_which_it_was_chosen():
    many = [f"number {number} ." for number in range(9)]
    systems = {f"s{number}": [*many[:number], "x", *many[number + 1 :]] for number in range(7)}
    found = built(many, systems, [["x"]] * 9)
    for segment in found.segments:
        chosen = set(re.findall(r"\bof (s\d)|(s\d) most", "; ".join(segment.reasons)))
        expected = {*systems} if "random" in segment.reasons else {one or other for one, other in chosen}
        assert {*segment.outputs} == expected


def test_the_seed_chooses_the_random_segments():
    many = [f"number {number} ." for number in range(60)]
    systems, references = {"a": many}, [[text] for text in many]
    one, same, other = (having(built(many, systems, references, seed=seed), "random") for seed in (1, 1, 2))
    assert one == same != other
    assert len(one) == 8
