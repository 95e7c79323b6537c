"""Words that are paired: phrases before words, and each word once."""

from collections import Counter
from difflib import SequenceMatcher

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


def test_frequent_words_are_aligned():
    """By default difflib ignores words that are frequent in long texts."""
    assert alignment.align(["x", *["a"] * 300], ["a"] * 300) == {place + 1: place for place in range(300)}


def test_equal_words_by_the_thousand_are_not_aligned():
    source, output = ["a"] * 5_000, ["a"] * 4_000
    assert alignment.align(source, output) == {}
    assert alignment.pair_words(source, output, {}) == {place: place for place in range(4_000)}


def test_steps_are_bounded(monkeypatch):
    """The whole takes 18 steps, what stands before "pqr" 9, and what follows 3."""
    found = {}
    for steps in (17, 18, 20, 21, 26, 27, 29, 30):
        monkeypatch.setattr(alignment, "_STEPS", steps)
        found[steps] = list(alignment.align("aaapqryz", "aabpqrz"))
    whole, before, after = [3, 4, 5], [0, 1], [7]
    assert (found[17], found[18], found[20]) == ([], whole, whole)
    assert found[21] == found[26] == whole + after
    assert found[27] == found[29] == before + whole
    assert found[30] == before + whole + after
    monkeypatch.setattr(alignment, "_STEPS", 14)  # 8 for the whole, and 6 for what follows "b", but 3 for "xp"
    assert alignment.align("byqxp", "bqpz") == {0: 0, 2: 1}
