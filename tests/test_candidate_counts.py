"""Candidates counted with each other as references, beside each of them counted alone."""

import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from word_lists import segments, tokens_of

from sari.candidate_counts import count_each_by_each
from sari.countings import COUNTINGS
from sari.ngram_counts import count_ngrams

every_counting = pytest.mark.parametrize("counting", COUNTINGS)


@every_counting
@given(columns=segments(), max_order=st.integers(1, 6))
@runs(40)
def test_candidates_are_references_of_each_other(counting, columns, max_order):
    sources, references, _ = columns
    candidates = [text for row in references for text in row]
    together = count_each_by_each(tokens_of(sources[:1], [candidates]), counting=counting, max_order=max_order)
    assert together.shape == (len(candidates), len(candidates), max_order, 3, 4)
    for text, row in zip(candidates, together, strict=True):
        for reference, counts in zip(candidates, row, strict=True):
            one = tokens_of(sources[:1], [[reference]], [text])
            assert counts.tobytes() == count_ngrams(one, counting=counting, max_order=max_order).tobytes()
