"""Words that are paired: phrases before words, and each word once."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sari.reports import alignment

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(source=WORDS, output=WORDS)
def test_as_many_words_are_paired_as_both_have(source, output):
    for aligned in (alignment.align(source, output), alignment.align(source * 3, output)):
        left, right = (set(places) for places in zip(*aligned.pairs, strict=True)) if aligned.pairs else (set(), set())
        assert len(left) == len(right) == len(aligned.pairs)
    aligned = alignment.align(source, output)
    assert all(source[place] == output[other] for place, other in aligned.pairs)
    assert len(aligned.pairs) == (Counter(source) & Counter(output)).total()
    assert sorted(aligned.in_order, key=lambda pair: pair[1]) == aligned.in_order == sorted(aligned.in_order)


@pytest.mark.parametrize(
    ("source", "output", "wanted"),
    [
        ("x y a b", "a b x y", [(0, 2), (1, 3), (2, 0), (3, 1)]),
        ("a b c a b d", "a b d", [(3, 0), (4, 1), (5, 2)]),
        ("a a a", "a", [(0, 0)]),
    ],
)
def test_phrases_come_first(source, output, wanted):
    assert alignment.align(source.split(), output.split()).pairs == wanted


def test_equal_words_by_the_thousand_are_paired_in_turn():
    assert len(alignment.align(["a"] * 5_000, ["a"] * 4_000).pairs) == 4_000
    assert len(alignment.align(list(map(str, range(1_500))), list(map(str, range(1_500)))[::-1]).pairs) == 1_500
