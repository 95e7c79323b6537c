"""Predictions looked up among sources and references, beside a slow obvious version on any segments."""

import numpy as np
import oracle
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from word_lists import segments, shared_and_predictions

from sari.lookups import known_ngrams, look_up
from sari.ngrams import numbered_ngrams


@given(columns=segments(), data=st.data())
@runs(40)
def test_slots_of_predictions_that_are_looked_up(columns, data):
    """Each prediction has a slot for each n-gram of its source and of its references, and for each of its own."""
    sources, references, texts = columns
    owners = data.draw(st.lists(st.integers(0, len(sources) - 1), max_size=5))
    predictions = [texts[data.draw(st.integers(0, len(texts) - 1))] for _ in owners]
    tokens, ids, lengths = shared_and_predictions(sources, references, predictions)
    ngrams, known = known_ngrams(tokens, 4)
    assert ngrams.numbers.tolist() == numbered_ngrams(tokens, 4).numbers.tolist()
    found, words = look_up(ids, lengths, np.array(owners, np.int64), known, 4)
    orders = range(1, found.others.shape[1] + 1)
    slots, sizes = {}, []
    for order in orders:
        for place, owner in enumerate(owners):
            for gram in oracle.ngrams(sources[owner], order):
                slots.setdefault((place, gram), len(slots))
    assert found.in_sources == len(slots)
    for order in orders:
        for place, owner in enumerate(owners):
            before = len(slots)
            for gram in (gram for text in references[owner] for gram in oracle.ngrams(text, order)):
                slots.setdefault((place, gram), len(slots))
            sizes.append(len(slots) - before)
    more = []
    for order in orders:
        for place, text in enumerate(predictions):
            before = len(slots)
            more += [slots.setdefault((place, gram), len(slots)) for gram in oracle.ngrams(text, order)]
            sizes.append(len(slots) - before)
    assert found.slots.tolist() == more
    assert found.others.ravel().tolist() == sizes
    assert words.lengths.tolist() == list(map(len, predictions))
