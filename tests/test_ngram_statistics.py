"""Token ids in, counts out: by hand, and the same numbers in all uses of a counting."""

from collections import Counter
from dataclasses import replace

import numpy as np
import oracle
import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st

from sari.ngram_statistics import COUNTINGS, count_ngrams, ngram_tables
from sari.tokenization import encode_chunk
from sari.variants import VARIANTS, resolve_variant


def variant_of(counting, **options):
    """Return a variant with a counting, whose tokens stand between single spaces, as they are written."""
    plain = resolve_variant("xu2016", lowercase=False, **options)
    if counting == "star":
        return replace(plain, counting="easse", source_weight=8)
    return replace(plain, counting=counting)


def count(variant, sources, references, predictions):
    return count_ngrams(encode_chunk(sources, references, predictions, variant), variant)


# Over so few words that n-grams repeat; surplus spaces are empty tokens, and a tab keeps two words in one token.
texts = st.text("aab Bc \t", max_size=12)
references = st.lists(texts, min_size=1, max_size=3)


@st.composite
def segments(draw):
    rows = draw(st.lists(st.tuples(texts, references, texts), min_size=1, max_size=4))
    return tuple(map(list, zip(*rows, strict=True)))


# Of a b a the prediction keeps both a's and deletes b; two references hold a three times, b once and c once.
BY_HAND = {
    "easse": [[3, 4, 3, 4], [1, 2, 1, 2], [1, 1, 1, 1]],
    "star": [[3, 16, 3, 4], [7, 8, 7, 20], [1, 1, 1, 1]],
    "hf": [[0.75, 1, 3, 4], [0.5, 1, 0.5, 2], [1, 1, 1, 1]],
    "xu2016": [[0.75, 1, 1, 2], [0.5, 1, 0.5, 2], [1, 1, 1, 1]],
    "kriz": [[0.75, 1, 1, 2], [0.5, 1, 1, 2], [1, 1, 1, 1]],
    "lens": [[0.75, 1, 1, 2], [0.5, 1, 0.5, 2], [1, 1, 1, 1]],
    "t2t": [[1, 1, 1, 1.5], [0.5, 1, 0.5, 0.5], [1, 1, 1, 1]],
    "sets": [[1, 1, 1, 3], [0, 1, 0, 0], [1, 1, 1, 1]],
}


every_counting = pytest.mark.parametrize("counting", ["star", *COUNTINGS])


@every_counting
def test_unigrams_by_hand(counting):
    counts = count(variant_of(counting, max_order=1), ["a b a"], [["a c", "b a a"]], ["a c a"]).counts
    assert counts.tolist() == [[BY_HAND.get(counting)]]
    assert counting in {"star", *(row.counting for row in VARIANTS.values())}  # and so the oracle has it


@pytest.mark.parametrize(
    ("tokenize", "source", "added", "hits", "new"),
    [
        ("none", "a x b", "a b", 0, 1),
        ("none", "a x b", "b a", 1, 1),
        ("none", "a b", "a a", 1, 1),  # one a is not two
        ("none", "a x B", "a b", 1, 1),  # the source is searched as it is written
        ("none", "a x\tb", "a b", 0, 1),  # words stand between any whitespace
        ("none", "a x b", "a ", 0, 1),  # an empty token is no word
        ("none", "a", "a ", 1, 1),  # the source has no bigrams, and so no words
        ("none", "a", " ", 0, 1),  # but two empty tokens have no word that it could lack
        # Words are those of the tokenizer.
        ("13a", "One, two.", "one two.", 1, 1),  # "One" is not "one"
        ("13a", "one, two.", "one two.", 0, 1),
        ("13a", "a &AMP; b", "a ; b", 2, 2),  # as it is written the entity is three tokens, in lower case it is one
    ],
)
def test_what_deleting_words_leaves_over_is_not_credited(tokenize, source, added, hits, new):
    counts = count(resolve_variant("lens", tokenize=tokenize), [source], [[added]], [added]).counts
    assert counts[0, 1, 2].tolist() == [hits, new, hits, new]


#: With the sizes that penalties want.
PENALIZED = {"penalties": "dsari", "sentence_splitter": str.split}


@every_counting
@given(source=texts, references=references, prediction=texts)
@runs(30)
def test_tables_sum_up_to_the_counts(counting, source, references, prediction):
    variant = variant_of(counting)
    tokens = encode_chunk([source], [references], [prediction], variant)
    tables = list(ngram_tables(tokens, variant))
    sums = np.stack([table.counts.sum(axis=0) for table in tables])
    assert sums == pytest.approx(count_ngrams(tokens, variant).counts[0], rel=1e-12)

    columns = [text.split(" ") for text in (source, *references, prediction)]
    for order, table in enumerate(tables, start=1):
        of_source, *of_references, of_prediction = (Counter(oracle.ngrams(words, order)) for words in columns)
        everything = [of_source, *of_references, of_prediction]
        assert table.ngrams == list(dict.fromkeys(gram for ngrams in everything for gram in ngrams))
        assert table.in_source.tolist() == [of_source[gram] for gram in table.ngrams]
        assert table.in_prediction.tolist() == [of_prediction[gram] for gram in table.ngrams]
        assert table.in_references.tolist() == [sum(r[gram] for r in of_references) for gram in table.ngrams]
        assert table.holders.tolist() == [sum(gram in r for r in of_references) for gram in table.ngrams]
        assert table.long_references == max(1, sum(map(bool, of_references)))
        assert table.weight == (8 if counting == "star" else len(references))


@pytest.mark.parametrize(
    ("options", "lengths"),
    [
        ({"variant": "easse"}, [[4, 1, 2], [1, 2, 1]]),
        ({"variant": "easse_legacy"}, [[3, 1, 2], [1, 2, 1]]),  # sources are only split
        ({"variant": "easse", "tokenize": "char"}, [[5, 1, 3], [1, 2, 1]]),
    ],
    ids=str,
)
def test_lengths_are_numbers_of_tokens(options, lengths):
    """Of source, prediction and references on average, rounded down; an empty text counts as one."""
    variant = resolve_variant(**options, level="sentence", **PENALIZED)
    counted = count(variant, ["a b cc.", ""], [["a b", "c d ee"], ["x"]], ["a", "b c"])
    assert counted.sizes.lengths.tolist() == lengths


def test_sentences_are_those_of_the_splitter():
    variant = resolve_variant("dsari", sentence_splitter=str.splitlines)
    counted = count(variant, ["a\na"], [["b\nb\nb", "c"]], ["d\ne\nf"])
    assert counted.sizes.sentences.tolist() == [[3, 2]]
    assert count(VARIANTS["easse"], ["a"], [["a"]], ["a"]).sizes is None
