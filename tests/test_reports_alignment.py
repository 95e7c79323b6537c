"""Words that are paired: phrases before words, and each word once."""

from collections import Counter
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sari.reports import alignment

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(source=WORDS, output=WORDS)
def test_as_many_words_are_paired_as_both_have(source, output):
    in_order = alignment.align(source, output)
    assert [*in_order] == sorted(in_order)
    assert [*in_order.values()] == sorted(in_order.values())
    pairs = alignment.pair_words(source, output, in_order)
    assert in_order.items() <= pairs.items()
    assert all(source[place] == output[other] for place, other in pairs.items())
    assert len(set(pairs.values())) == len(pairs) == (Counter(source) & Counter(output)).total()


@given(source=WORDS, output=WORDS)
def test_words_in_order_are_those_of_difflib(source, output):
    blocks = SequenceMatcher(None, source, output, False).get_matching_blocks()
    expected = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    assert [*alignment.align(source, output).items()] == expected


@pytest.mark.parametrize(
    ("source", "output", "wanted"),
    [
        ("x y a b", "a b x y", {0: 2, 1: 3}),
        ("a b c a b d", "a b d", {3: 0, 4: 1, 5: 2}),
        ("a a a", "a", {0: 0}),
        ("x " + "a " * 300, "a " * 300, {place + 1: place for place in range(300)}),
    ],
)
def test_phrases_come_first(source, output, wanted):
    assert alignment.align(source.split(), output.split()) == wanted


def test_equal_words_by_the_thousand_are_not_aligned():
    source, output = ["a"] * 5_000, ["a"] * 4_000
    assert alignment.align(source, output) == {}
    assert alignment.pair_words(source, output, {}) == {place: place for place in range(4_000)}


def test_steps_are_bounded(monkeypatch):
    """A word that is repeated between others parts texts into as many blocks as it has places."""
    monkeypatch.setattr(alignment, "_STEPS", 1_000)
    source, output = ([word for place in range(200) for word in ("a", f"{name}{place}")] for name in "xy")
    assert alignment.align(source, output) == {}
    shared = ["some", "words", "that", "both", "have"]
    assert len(alignment.align([*shared, *source[:20]], [*shared, *output[:20]])) == len(shared) + 10
    monkeypatch.setattr(alignment, "_STEPS", 23)  # 18 for the whole, 9 for what is before "pqr", and 3 for the rest
    assert alignment.align("aaapqryz", "aabpqrz") == {3: 3, 4: 4, 5: 5, 7: 6}
