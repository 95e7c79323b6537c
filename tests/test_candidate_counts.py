"""Candidates counted with each other as references, beside each of them counted alone."""

from itertools import product

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
    # The pairs as segments of one corpus, which, as test_ngram_counts.py shows, are each counted as if alone.
    texts, others = zip(*product(candidates, repeat=2), strict=True)
    pairs = tokens_of(sources[:1] * len(texts), [[other] for other in others], texts)
    assert together.tobytes() == count_ngrams(pairs, counting=counting, max_order=max_order).tobytes()
