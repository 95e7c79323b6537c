"""Which segments a report shows: the ones that their titles promise."""

import pytest
from report_corpus import REFERENCES, SOURCES, built, document_of_two

SINGLE = {
    "sources": ["He came and he saw it .", "a b c d", "one two three", "same old text", "to be deleted"],
    "systems": {"s": ["He came . He saw it .", "a", "one new words", "same old text", ""]},
    "references": [["a"]] * 5,
}


document = pytest.fixture(document_of_two, scope="module")


def test_best_and_worst_segments(document):
    for system in document.systems:
        groups = {group.title: group.segments for group in document.examples}
        scores = system.sentences["sari"]
        best, worst = (
            [example.number - 1 for example in groups[f"{which} segments of {system.name}"]]
            for which in ("Best", "Worst")
        )
        assert len(best) == len(worst) == 4
        assert [scores[place] for place in best] == sorted(scores, reverse=True)[:4]
        assert [scores[place] for place in worst] == sorted(scores)[:4]


def test_texts_and_scores_are_those_of_the_segment(document):
    for group in document.examples:
        for example in group.segments:
            assert example.source == SOURCES[example.number - 1]
            assert example.references == REFERENCES[example.number - 1]
            for name, found in example.outputs.items():
                (system,) = (system for system in document.systems if system.name == name)
                assert found.scores["sari"] == pytest.approx(system.sentences["sari"][example.number - 1])


@pytest.mark.parametrize(
    ("title", "numbers", "note"),
    [
        ("Most splits", [1], "1 → 2 sentences"),
        ("Strongest compression", [2, 1], "compression ratio 0.143"),
        ("Most rewritten", [3, 1], "words added: 0.667"),
    ],
)
def test_segments_that_stand_out(title, numbers, note):
    """Without those to which it does not apply: copies, and empty outputs, which compress nothing."""
    (group,) = (group for group in built(**SINGLE).examples if group.title == title)
    assert [example.number for example in group.segments] == numbers
    assert group.segments[0].note == note


@pytest.mark.parametrize(("systems", "segments"), [(1, 8), (2, 4), (7, 2), (20, 1)])
def test_many_systems_show_fewer_segments_each(systems, segments):
    many = [f"number {number} ." for number in range(9)]
    found = built(sources=many, systems={f"s{n}": many for n in range(systems)}, references=[["a"]] * 9)
    assert {len(group.segments) for group in found.examples} == {segments}


def test_the_seed_chooses_the_random_segments():
    many = [f"number {number} ." for number in range(60)]
    how = {"sources": many, "systems": {"a": many}, "references": [[text] for text in many]}
    chosen = [[example.number for example in built(**how, seed=seed).examples[0].segments] for seed in (1, 1, 2)]
    assert chosen[0] == chosen[1] != chosen[2]
    assert chosen[0] == sorted(set(chosen[0]))
