"""Tokens in, numbered n-grams out: by hand, and beside slow obvious versions on any segments."""

from unittest.mock import patch

import numpy as np
import oracle
import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from word_lists import segments, tokens_of, tokens_of_texts, words_of

from sari import ngrams as module
from sari.ngrams import (
    PREDICTIONS,
    REFERENCES,
    SOURCES,
    Tokens,
    are_first,
    in_source_in_order,
    numbered_ngrams,
    occurrences,
)


def found_in_order(ngrams, order, asked):
    """Tell of the n-grams of predictions at these places whether their words stand in the source in that order."""
    words, places = ngrams.words_of_system(), np.array(asked, np.int64)
    return in_source_in_order(words, ngrams.sources, order, places).tolist()


def numbered_in_both_ways(tokens, max_order):
    """Return the n-grams as few of them are numbered, and see that they are numbered alike where there are many."""
    few = numbered_ngrams(tokens, max_order)
    with patch.object(module, "FEW", 0):
        many = numbered_ngrams(tokens, max_order)
    assert few.numbers.tolist() == many.numbers.tolist()
    assert few.first_seen.tolist() == many.first_seen.tolist()
    assert (few.bounds, few.in_sources) == (many.bounds, many.in_sources)
    return few


# ---- By hand --------------------------------------------------------------------------------------------------------


def test_parts_of_the_texts():
    tokens = tokens_of([["a"], ["b"]], [[["a"], ["c"], ["d"]], [["b"]]], [["a"], ["b"]])
    assert tokens.nrefs.tolist() == [3, 1]
    assert (tokens.sources, tokens.references) == (slice(0, 2), slice(2, 6))
    assert tokens.predictions() == slice(6, 8)


def test_numbers_of_every_order():
    # a b a | a c, b a a | a c a
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    found = numbered_in_both_ways(tokens, 4)
    assert found.orders == 3  # no text has four words
    assert found.of(SOURCES).tolist() == [0, 1, 0, 2, 3, 4]  # a b | ab ba | aba
    assert found.of(REFERENCES).tolist() == [0, 5, 1, 0, 0, 6, 3, 7, 8]  # c | ac aa | baa
    assert found.of(PREDICTIONS).tolist() == [0, 5, 0, 6, 9, 10]  # nothing | ca | aca
    assert found.first_seen.tolist() == [[[2], [2], [1]], [[1], [2], [1]], [[0], [1], [1]]]
    assert (found.in_sources, found.distinct) == (5, 11)


def test_ngrams_of_one_order():
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    found = numbered_ngrams(tokens, 3)
    assert found.of_order(2, REFERENCES).tolist() == [6, 3, 7]
    assert found.of_order(3, PREDICTIONS).tolist() == [10]
    assert found.sizes(slice(0, 4)).tolist() == [[3, 2, 3, 3], [2, 1, 2, 2], [1, 0, 1, 1]]
    assert found.first_tokens(2).tolist() == [0, 1, 3, 5, 6, 8, 9]
    assert found.occurrences(REFERENCES, 6).tolist() == [3, 1, 0, 1, 0, 1]


def test_words():
    tokens = tokens_of_texts("a b a", ["a c", "b a a"], "a c a")
    found = numbered_ngrams(tokens, 3)
    assert found.sources.unigrams.tolist() == [0, 1, 0]
    words = found.words_of_candidates()
    assert (words.lengths.tolist(), words.unigrams.tolist()) == ([2, 3], [0, 5, 1, 0, 0])
    assert words.texts(2).tolist() == [0, 1, 1]
    assert words.ids.tolist() == tokens.ids[3:8].tolist()


def test_two_systems():
    tokens = tokens_of([["a"]], [[["b"]]], [["a"], ["c"]])
    both = Tokens(tokens.ids, tokens.lengths, np.array([1]))
    found = numbered_in_both_ways(both, 2)
    assert [found.of(column).tolist() for column in range(4)] == [[0], [1], [0], [2]]
    assert found.predicted(1).slots.tolist() == [2]
    assert found.words_of_system(1).ids.tolist() == tokens.ids[3:].tolist()


def test_the_same_words_of_two_segments_are_two_ngrams():
    tokens = tokens_of([["a"], ["a"]], [[["a"]], [["b"]]], [["a"], ["b"]])
    found = numbered_in_both_ways(tokens, 1)
    assert found.numbers.tolist() == [0, 1, 0, 2, 0, 2]
    assert found.first_seen.tolist() == [[[1, 1]], [[0, 1]], [[0, 0]]]


def test_texts_without_a_word_have_one_order_of_nothing():
    found = numbered_in_both_ways(tokens_of([[]], [[[], []]], [[]]), 4)
    assert (found.numbers.tolist(), found.bounds) == ([], [0, 0, 0, 0])
    assert (found.orders, found.in_sources, found.distinct) == (1, 0, 0)


def test_no_segments():
    found = numbered_in_both_ways(tokens_of([], [], []), 4)
    assert (found.numbers.tolist(), found.bounds, found.in_sources) == ([], [0, 0, 0], 0)


def test_occurrences_of_the_first_few():
    assert occurrences(np.array([0, 2, 2, 5]), 3).tolist() == [1, 0, 2]
    assert occurrences(np.array([], np.int64), 2).tolist() == [0, 0]
    assert occurrences(np.array([4]), 0).tolist() == []


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
    assert found_in_order(numbered_ngrams(tokens, 2), 2, range(len(expected))) == expected


def test_words_of_another_segments_source_are_not_in_this_one():
    tokens = tokens_of([["a", "b"], ["b", "c"]], [[["x"]]] * 2, [["b", "c"], ["b", "c"]])
    assert found_in_order(numbered_ngrams(tokens, 2), 2, range(2)) == [False, True]


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
    found = numbered_in_both_ways(tokens_of(sources, references, predictions), 4)
    rows = [[[text] for text in sources], references, [[text] for text in predictions]]
    longest = max(len(text) for column in rows for row in column for text in row)
    assert found.orders == max(1, min(4, longest))
    seen, first_seen, numbers, bounds = {}, [], [], [0]
    for column in rows:
        for order in range(1, found.orders + 1):
            for segment, row in enumerate(column):
                before = len(seen)
                for text in row:
                    numbers += [seen.setdefault((segment, gram), len(seen)) for gram in oracle.ngrams(text, order)]
                first_seen.append(len(seen) - before)
            bounds.append(len(numbers))
    assert (found.numbers.tolist(), found.bounds) == (numbers, bounds)
    assert found.first_seen.ravel().tolist() == first_seen
    texts = [text for column in rows for row in column for text in row]
    expected = [[len(oracle.ngrams(text, order)) for text in texts] for order in range(1, found.orders + 1)]
    assert found.sizes(slice(0, len(texts))).tolist() == expected


@given(columns=segments(), data=st.data())
@runs(40)
def test_in_the_order_of_the_source(columns, data):
    sources, references, predictions = columns
    ngrams = numbered_ngrams(tokens_of(sources, references, predictions), 4)
    for order in range(1, ngrams.orders + 1):
        grams = [
            (gram, source)
            for text, source in zip(predictions, sources, strict=True)
            for gram in oracle.ngrams(text, order)
        ]
        asked = [place for place in range(len(grams)) if data.draw(st.booleans())]
        assert found_in_order(ngrams, order, asked) == [oracle.is_left_over(*grams[place]) for place in asked]


def test_words_between_spaces():
    assert words_of("a _ b") == ["a", "", "b"]
