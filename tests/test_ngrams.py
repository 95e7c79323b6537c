"""Tokens in, numbered n-grams out: by hand, and beside slow obvious versions on any segments."""

import numpy as np
import oracle
import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from word_lists import segments, shared_and_predictions, tokens_of, tokens_of_texts, words_of

from sari.ngrams import (
    Sources,
    are_first,
    in_source_in_order,
    known_ngrams,
    look_up,
    numbered_ngrams,
    occurrences,
    running_total,
)


def found_in_order(ngrams, asked):
    """Tell of the n-grams of predictions at these places whether their words stand in the source in that order."""
    lengths = ngrams.tokens.lengths[ngrams.tokens.sources]
    sources = Sources(lengths, ngrams.unigrams[: lengths.sum()])
    return in_source_in_order(ngrams.predicted(), sources, np.array(asked, np.int64)).tolist()


# ---- By hand --------------------------------------------------------------------------------------------------------


def test_parts_of_the_texts():
    tokens = tokens_of([["a"], ["b"]], [[["a"], ["c"], ["d"]], [["b"]]], [["a"], ["b"]])
    assert tokens.nrefs.tolist() == [3, 1]
    assert (tokens.sources, tokens.references) == (slice(0, 2), slice(2, 6))
    assert tokens.predictions() == slice(6, 8)


def test_numbers_of_every_order():
    # a b a | a c, b a a | a c a
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    found = list(numbered_ngrams(tokens, 4))
    assert [ngrams.order for ngrams in found] == [1, 2, 3]  # no text has four words
    assert [ngrams.numbers.tolist() for ngrams in found] == [
        [0, 1, 0, 0, 2, 1, 0, 0, 0, 2, 0],
        [0, 1, 2, 1, 3, 2, 4],  # ab ba | ac, ba aa | ac ca
        [0, 1, 2],  # aba | baa | aca
    ]
    assert [ngrams.bounds.tolist() for ngrams in found] == [[0, 3, 5, 8, 11], [0, 2, 3, 5, 7], [0, 1, 1, 2, 3]]
    assert [ngrams.known.tolist() for ngrams in found] == [[0, 2, 3], [0, 2, 4], [0, 1, 2]]
    assert [ngrams.in_sources for ngrams in found] == [2, 2, 1]
    assert [ngrams.in_sources_or_references for ngrams in found] == [3, 4, 2]
    assert all(ngrams.unigrams is found[0].numbers for ngrams in found)


def test_ngrams_of_some_of_the_texts():
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    _, bigrams, _ = numbered_ngrams(tokens, 3)
    every = slice(0, 4)
    assert bigrams.of(tokens.sources).tolist() == [0, 1]
    assert bigrams.of(tokens.references).tolist() == [2, 1, 3]
    assert bigrams.of(tokens.predictions()).tolist() == [2, 4]
    assert bigrams.sizes(every).tolist() == [2, 1, 2, 2]
    assert bigrams.first_tokens(every).tolist() == [0, 1, 3, 5, 6, 8, 9]
    assert bigrams.first_tokens(tokens.references).tolist() == [3, 5, 6]


def test_the_same_words_of_two_segments_are_two_ngrams():
    tokens = tokens_of([["a"], ["a"]], [[["a"]], [["b"]]], [["a"], ["b"]])
    (unigrams,) = numbered_ngrams(tokens, 1)
    assert unigrams.numbers.tolist() == [0, 1, 0, 2, 0, 2]
    assert unigrams.known.tolist() == [0, 1, 2, 2, 3]


def test_texts_without_a_word_have_one_order_of_nothing():
    (unigrams,) = numbered_ngrams(tokens_of([[]], [[[], []]], [[]]), 4)
    assert (unigrams.numbers.tolist(), unigrams.bounds.tolist()) == ([], [0, 0, 0, 0, 0])
    assert (unigrams.in_sources, unigrams.in_sources_or_references) == (0, 0)


def test_no_segments():
    (unigrams,) = numbered_ngrams(tokens_of([], [], []), 4)
    assert (unigrams.numbers.tolist(), unigrams.bounds.tolist(), unigrams.known.tolist()) == ([], [0], [0])


def test_occurrences_of_the_first_few():
    assert occurrences(np.array([0, 2, 2, 5]), 3).tolist() == [1, 0, 2]
    assert occurrences(np.array([], np.int64), 2).tolist() == [0, 0]
    assert occurrences(np.array([4]), 0).tolist() == []


def test_running_totals():
    assert running_total(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert running_total(np.array([], np.int64)).tolist() == [0]


@pytest.mark.parametrize(
    ("source", "prediction", "expected"),
    [
        ("a x b", "a b", [True]),
        ("a x b", "b a", [False]),
        ("b a", "a b a", [False, True]),
        ("a b", "a a", [False]),  # one a is not two
        ("a a", "a a", [True]),
        ("a b", "a c", [False]),
        ("a b", "a _", [True]),  # empty tokens are passed over
        ("a b", "_ _", [True]),
        ("a", "a _", [False]),  # the source has no bigrams
        ("a", "_ _", [True]),
        ("_ _ a", "a _", [True]),
    ],
)
def test_bigrams_in_the_order_of_the_source(source, prediction, expected):
    tokens = tokens_of_texts(source, ["c"], prediction)
    _, bigrams = numbered_ngrams(tokens, 2)
    assert found_in_order(bigrams, range(len(expected))) == expected


def test_words_of_another_segments_source_are_not_in_this_one():
    tokens = tokens_of([["a", "b"], ["b", "c"]], [[["x"]]] * 2, [["b", "c"], ["b", "c"]])
    _, bigrams = numbered_ngrams(tokens, 2)
    assert found_in_order(bigrams, range(2)) == [False, True]


# ---- Slow and obvious -----------------------------------------------------------------------------------------------


@given(numbers=st.lists(st.integers(0, 9)))
@runs(40)
def test_first_of_their_kind(numbers):
    expected = [number not in numbers[:place] for place, number in enumerate(numbers)]
    assert are_first(np.array(numbers, np.int64)).tolist() == expected


@given(columns=segments())
@runs(40)
def test_numbers_follow_the_first_appearance(columns):
    sources, references, predictions = columns
    tokens = tokens_of(sources, references, predictions)
    pairs = [*enumerate(sources), *((n, text) for n, row in enumerate(references) for text in row)]
    pairs += enumerate(predictions)
    longest = max(len(text) for _, text in pairs)
    begins = [*range(len(sources)), *(tokens.references.start + running_total(tokens.nrefs)).tolist()]
    found = list(numbered_ngrams(tokens, 4))
    assert len(found) == max(1, min(4, longest))
    for order, ngrams in enumerate(found, start=1):
        seen, known, numbers = {}, [], []
        for place, (number, text) in enumerate(pairs):
            if place in begins:
                known.append(len(seen))
            numbers += [seen.setdefault((number, gram), len(seen)) for gram in oracle.ngrams(text, order)]
        assert ngrams.numbers.tolist() == numbers
        assert ngrams.known.tolist() == known
        assert ngrams.sizes(slice(0, len(pairs))).tolist() == [len(oracle.ngrams(text, order)) for _, text in pairs]


@given(columns=segments(), data=st.data())
@runs(40)
def test_in_the_order_of_the_source(columns, data):
    sources, references, predictions = columns
    for ngrams in numbered_ngrams(tokens_of(sources, references, predictions), 4):
        grams = [
            (gram, source)
            for text, source in zip(predictions, sources, strict=True)
            for gram in oracle.ngrams(text, ngrams.order)
        ]
        asked = [place for place in range(len(grams)) if data.draw(st.booleans())]
        assert found_in_order(ngrams, asked) == [oracle.is_left_over(*grams[place]) for place in asked]


@given(columns=segments(), data=st.data())
@runs(40)
def test_slots_of_predictions_that_are_looked_up(columns, data):
    """Each prediction has a slot for each n-gram of its source and of its references, and for each of its own."""
    sources, references, texts = columns
    owners = data.draw(st.lists(st.integers(0, len(sources) - 1), max_size=5))
    predictions = [texts[data.draw(st.integers(0, len(texts) - 1))] for _ in owners]
    tokens, ids, lengths = shared_and_predictions(sources, references, predictions)
    numbered = list(numbered_ngrams(tokens, 4))
    firsts = [len(sources), *(len(ngrams.pairs) for ngrams in numbered)]
    known = [known_ngrams(ngrams, first) for ngrams, first in zip(numbered, firsts, strict=False)]
    for order, found in enumerate(look_up(ids, lengths, np.array(owners, np.int64), known, 4), start=1):
        slots, in_sources, more = {}, 0, []
        for place, owner in enumerate(owners):
            for gram in oracle.ngrams(sources[owner], order):
                slots.setdefault((place, gram), len(slots))
        in_sources = len(slots)
        for place, owner in enumerate(owners):
            for gram in (gram for text in references[owner] for gram in oracle.ngrams(text, order)):
                slots.setdefault((place, gram), len(slots))
        in_either = len(slots)
        for place, text in enumerate(predictions):
            more += [slots.setdefault((place, gram), len(slots)) for gram in oracle.ngrams(text, order)]
        assert (found.in_sources, found.in_sources_or_references) == (in_sources, in_either)
        assert found.slots.tolist() == more


def test_words_between_spaces():
    assert words_of("a _ b") == ["a", "", "b"]
