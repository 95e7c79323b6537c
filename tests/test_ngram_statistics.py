"""Numbered n-grams in, counts out: by hand, by the oracle, and the same to the last bit in any company."""

from unittest.mock import patch

import numpy as np
import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from word_lists import ORACLES, segments, shared_and_predictions, tokens_of, tokens_of_texts

from sari import ngram_counts as module
from sari.countings import COUNTINGS
from sari.ngram_counts import (
    count_copies,
    count_ngrams,
    count_predictions,
    ngram_amounts,
    share,
)
from sari.variants import OPERATIONS

every_counting = pytest.mark.parametrize("counting", COUNTINGS)
MAX_ORDER = 4

# ---- By hand --------------------------------------------------------------------------------------------------------

# Of a b a the prediction keeps both a's and deletes b; two references hold a three times, b once and c once.
BY_HAND = {
    "pooled": [[3, 4, 3, 4], [1, 2, 1, 2], [1, 1, 1, 1]],
    "hf": [[0.75, 1, 3, 4], [0.5, 1, 0.5, 2], [1, 1, 1, 1]],
    "xu2016": [[0.75, 1, 1, 2], [0.5, 1, 0.5, 2], [1, 1, 1, 1]],
    "lens": [[0.75, 1, 1, 2], [0.5, 1, 0.5, 2], [1, 1, 1, 1]],
    "weighted_sets": [[1, 1, 1, 1.5], [0.5, 1, 0.5, 0.5], [1, 1, 1, 1]],
    "sets": [[1, 1, 1, 3], [0, 1, 0, 0], [1, 1, 1, 1]],
}


@every_counting
def test_unigrams_by_hand(counting):
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    assert count_ngrams(tokens, counting=counting, max_order=1).tolist() == [[BY_HAND[counting]]]


def test_longer_ngrams_by_hand():
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    counts = count_ngrams(tokens, counting="pooled", max_order=4)
    assert counts.dtype == np.float64
    assert counts[0, 1:].tolist() == [
        [[0, 0, 0, 1], [3, 4, 3, 3], [1, 2, 1, 2]],
        [[0, 0, 0, 0], [2, 2, 2, 2], [0, 1, 0, 1]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    ]


def test_what_deleting_alone_brings_about():
    tokens = tokens_of_texts("a x b", ["a b"], "a b")
    for counting, hits in {"xu2016": 1, "lens": 0}.items():
        bigrams = count_ngrams(tokens, counting=counting, max_order=2)[0, 1]
        assert bigrams[2].tolist() == [hits, 1, hits, 1]


def test_references_too_short_have_no_say():
    tokens = tokens_of_texts("a b", ["a", "a b"], "a b")
    unigrams, bigrams = count_ngrams(tokens, counting="weighted_sets", max_order=2)[0]
    assert unigrams[0].tolist() == [1.5, 2, 1.5, 1.5]
    assert bigrams[0].tolist() == [1, 1, 1, 1]


@every_counting
def test_nothing_counts_as_nothing(counting):
    empty = tokens_of([[]], [[[]]], [[]])
    assert not count_ngrams(empty, counting=counting, max_order=3).any()


@pytest.mark.parametrize(
    ("source", "prediction", "copies"),
    [("a b a", "a b a", 1), ("a b", "a", 0), ("a b", "a b c", 0), ("a b", "b a", 0), ("a a", "a", 0), ("", "", 1)],
)
@every_counting
def test_copies(counting, source, prediction, copies):
    tokens = tokens_of_texts(source, ["c d"], prediction)
    assert count_copies(count_ngrams(tokens, counting=counting, max_order=4)) == copies


def test_copies_among_several_segments():
    tokens = tokens_of([["a"], ["b"], ["c"]], [[["x"]]] * 3, [["a"], ["a"], ["c"]])
    assert count_copies(count_ngrams(tokens, counting="pooled", max_order=4)) == 2


def test_amounts_by_hand():
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    unigrams, bigrams, *rest = ngram_amounts(tokens, counting="pooled", max_order=4)
    assert unigrams.places.tolist() == [0, 1, 4]  # a, b, c
    assert unigrams.in_source.tolist() == [2, 1, 0]
    assert unigrams.in_prediction.tolist() == [2, 0, 1]
    assert unigrams.in_references.tolist() == [3, 1, 1]
    assert unigrams.holders.tolist() == [2, 1, 1]
    assert (unigrams.scale, unigrams.asked) == (2, 2)
    assert unigrams.counts.tolist() == [
        [[3, 4, 3, 3], [0, 0, 0, 1], [0, 0, 0, 0]],
        [[0, 0, 0, 1], [1, 2, 1, 1], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]],
    ]
    assert bigrams.places.tolist() == [0, 1, 3, 6, 9]  # ab ba | ac aa | ca
    assert [len(order.places) for order in rest] == [3, 0]


def test_amounts_of_sets():
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    for counting, scale, in_references in [("sets", 1, [1, 1, 1]), ("weighted_sets", 2, [2, 1, 1])]:
        (unigrams,) = ngram_amounts(tokens, counting=counting, max_order=1)
        assert unigrams.in_source.tolist() == [1, 1, 0]
        assert unigrams.in_prediction.tolist() == [1, 0, 1]
        assert (unigrams.in_references.tolist(), unigrams.scale, unigrams.asked) == (in_references, scale, 2)


# ---- By the oracle --------------------------------------------------------------------------------------------------


@every_counting
@given(columns=segments())
@runs(40)
def test_counts_are_the_oracles(counting, columns):
    counts = count_ngrams(tokens_of(*columns), counting=counting, max_order=MAX_ORDER)
    for place, (source, references, prediction) in enumerate(zip(*columns, strict=True)):
        for order in range(MAX_ORDER):
            expected = ORACLES[counting](source, prediction, references, order + 1)
            found = dict(zip(OPERATIONS, counts[place, order].tolist(), strict=True))
            assert {name: pytest.approx(list(map(float, row)), rel=1e-12) for name, row in expected.items()} == found


# ---- In any company -------------------------------------------------------------------------------------------------


@every_counting
@given(columns=segments(systems=3))
@runs(40)
def test_several_systems_at_once_are_each_alone(counting, columns):
    sources, references, *systems = columns
    predictions = [text for system in systems for text in system]
    tokens, ids, lengths = shared_and_predictions(sources, references, predictions)
    shared = share(tokens, counting=counting, max_order=MAX_ORDER)
    owners = np.tile(np.arange(len(sources)), len(systems))
    together = np.split(count_predictions(ids, lengths, owners, shared), len(systems))
    for counts, predictions in zip(together, systems, strict=True):
        alone = count_ngrams(tokens_of(sources, references, predictions), counting=counting, max_order=MAX_ORDER)
        assert counts.tobytes() == alone.tobytes()


@every_counting
@given(columns=segments(), data=st.data())
@runs(40)
def test_any_number_of_predictions_of_each_segment(counting, columns, data):
    sources, references, texts = columns
    owners = data.draw(st.lists(st.integers(0, len(sources) - 1), max_size=6))
    predictions = [texts[data.draw(st.integers(0, len(texts) - 1))] for _ in owners]
    tokens, ids, lengths = shared_and_predictions(sources, references, predictions)
    shared = share(tokens, counting=counting, max_order=MAX_ORDER)
    together = count_predictions(ids, lengths, np.array(owners, np.int64), shared)
    assert together.shape == (len(owners), MAX_ORDER, 3, 4)
    with patch.object(module, "_SLOTS", 10):
        in_runs = count_predictions(ids, lengths, np.array(owners, np.int64), shared)
    assert in_runs.tobytes() == together.tobytes()
    for counts, owner, text in zip(together, owners, predictions, strict=True):
        one = tokens_of([sources[owner]], [references[owner]], [text])
        assert counts.tobytes() == count_ngrams(one, counting=counting, max_order=MAX_ORDER).tobytes()


@every_counting
@given(columns=segments(min_segments=2))
@runs(40)
def test_several_segments_at_once_are_each_alone(counting, columns):
    together = count_ngrams(tokens_of(*columns), counting=counting, max_order=MAX_ORDER)
    for place, counts in enumerate(together):
        one = tokens_of(*(column[place : place + 1] for column in columns))
        assert counts.tobytes() == count_ngrams(one, counting=counting, max_order=MAX_ORDER).tobytes()


@every_counting
@given(columns=segments(), order=st.integers(1, MAX_ORDER))
@runs(40)
def test_fewer_orders_are_the_first_of_more(counting, columns, order):
    tokens = tokens_of(*columns)
    few, many = (count_ngrams(tokens, counting=counting, max_order=n) for n in (order, 6))
    assert few.tobytes() == many[:, :order].tobytes()


@every_counting
@given(columns=segments())
@runs(40)
def test_amounts_sum_up_to_the_counts(counting, columns):
    for row in zip(*columns, strict=True):
        tokens = tokens_of(*([text] for text in row))
        counts = count_ngrams(tokens, counting=counting, max_order=MAX_ORDER)[0]
        amounts = ngram_amounts(tokens, counting=counting, max_order=MAX_ORDER)
        assert len(amounts) == MAX_ORDER
        sums = np.stack([order.counts.sum(axis=0) for order in amounts])
        assert sums == pytest.approx(counts, rel=1e-12)


@every_counting
@given(columns=segments())
@runs(40)
def test_holders_are_the_references_with_the_ngram(counting, columns):
    source, references, prediction = (column[0] for column in columns)
    words = [*source, *(word for text in references for word in text), *prediction]
    (unigrams,) = ngram_amounts(tokens_of([source], [references], [prediction]), counting=counting, max_order=1)
    distinct = [words[place] for place in unigrams.places.tolist()]
    assert distinct == list(dict.fromkeys(words))
    assert unigrams.holders.tolist() == [sum(word in text for text in references) for word in distinct]
