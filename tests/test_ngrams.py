"""Tokens in, numbered n-grams out: by hand, and beside slow obvious versions on any segments."""

import numpy as np
import oracle
import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from word_lists import segments, tokens_of, tokens_of_texts, words_of

from sari.ngrams import are_first, in_source_in_order, numbered_ngrams, occurrences, running_total

# ---- By hand --------------------------------------------------------------------------------------------------------


def test_parts_of_the_texts():
    tokens = tokens_of([["a"], ["b"]], [[["a"], ["c"], ["d"]], [["b"]]], [["a"], ["b"]], [["c"], ["d"]])
    assert tokens.nrefs.tolist() == [3, 1]
    assert (tokens.sources, tokens.references) == (slice(0, 2), slice(2, 6))
    assert [tokens.predictions(system) for system in range(2)] == [slice(6, 8), slice(8, 10)]


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
    assert bigrams.of(tokens.predictions(0)).tolist() == [2, 4]
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
    texts = tokens.predictions(0)
    assert in_source_in_order(bigrams, texts, np.ones(len(expected), bool)).tolist() == expected


def test_words_of_another_segments_source_are_not_in_this_one():
    tokens = tokens_of([["a", "b"], ["b", "c"]], [[["x"]]] * 2, [["b", "c"], ["b", "c"]])
    _, bigrams = numbered_ngrams(tokens, 2)
    assert in_source_in_order(bigrams, tokens.predictions(0), np.ones(2, bool)).tolist() == [False, True]


# ---- Slow and obvious -----------------------------------------------------------------------------------------------


@given(numbers=st.lists(st.integers(0, 9)))
@runs(40)
def test_first_of_their_kind(numbers):
    expected = [number not in numbers[:place] for place, number in enumerate(numbers)]
    assert are_first(np.array(numbers, np.int64)).tolist() == expected


@given(columns=segments(systems=2))
@runs(40)
def test_numbers_follow_the_first_appearance(columns):
    sources, references, *systems = columns
    tokens = tokens_of(sources, references, *systems)
    pairs = [*enumerate(sources), *((n, text) for n, row in enumerate(references) for text in row)]
    pairs += [pair for system in systems for pair in enumerate(system)]
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


@given(columns=segments(systems=2), data=st.data())
@runs(40)
def test_in_the_order_of_the_source(columns, data):
    sources, references, *systems = columns
    tokens = tokens_of(sources, references, *systems)
    for ngrams in numbered_ngrams(tokens, 4):
        for system, predictions in enumerate(systems):
            grams = [
                (gram, source)
                for text, source in zip(predictions, sources, strict=True)
                for gram in oracle.ngrams(text, ngrams.order)
            ]
            asked = data.draw(st.lists(st.booleans(), min_size=len(grams), max_size=len(grams)))
            expected = [oracle.is_left_over(*pair) for pair, wanted in zip(grams, asked, strict=True) if wanted]
            found = in_source_in_order(ngrams, tokens.predictions(system), np.array(asked, bool))
            assert found.tolist() == expected


def test_words_between_spaces():
    assert words_of("a _ b") == ["a", "", "b"]
