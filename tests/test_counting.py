"""Checked texts in, counts out: the same to the last bit in chunks of any size, in threads, and with other systems."""

import random

import numpy as np
import oracle
import pytest
from four_segments import TEXTS, Breaks, own_tokenizer

from sari import counting
from sari.counting import count_columns, count_systems, count_together, ngram_table, prepare
from sari.ngram_counts import count_ngrams
from sari.ngrams import Tokens
from sari.options import resolve_settings
from sari.variants import OPERATIONS, VARIANTS

every_variant = pytest.mark.parametrize("variant", VARIANTS)


def sentence(rng):
    return " ".join(rng.choice(["The", "cat", "sat,", "a", "b", "é", ""]) for _ in range(rng.randrange(12)))


def segments(number=60):
    """Return sources, the predictions of three systems, and references, all of few words."""
    rng = random.Random(number)
    references = [[sentence(rng) for _ in range(rng.randrange(1, 4))] for _ in range(number)]
    columns = [[sentence(rng) for _ in range(number)] for _ in range(4)]
    return columns[0], columns[1:], references


#: What asks for the sizes of texts.
PENALIZED = {"level": "sentence", "penalties": "dsari", "sentence_splitter": str.splitlines}
SOURCES, SYSTEMS, REFERENCES = segments()
PREDICTIONS = SYSTEMS[0]


def joined(chunks):
    """Return the counts, lengths and sentences of all chunks as they lie in memory, and how many chunks there are."""
    rows = [(chunk.counts, *(chunk.sizes or ())) for chunk in chunks]
    return *(np.concatenate(column).tobytes() for column in zip(*rows, strict=True)), len(rows)


def counted(settings, predictions=PREDICTIONS):
    return joined(count_columns(SOURCES, predictions, REFERENCES, settings))


# ---- One system -----------------------------------------------------------------------------------------------------


@every_variant
def test_counts_are_the_oracles(variant):
    (chunk,) = count_columns(SOURCES, PREDICTIONS, REFERENCES, resolve_settings(variant))
    _, expected = oracle.counted(SOURCES, PREDICTIONS, REFERENCES, variant=variant)
    assert chunk.counts.shape == (len(SOURCES), 4, len(OPERATIONS), 4)
    for counts, orders in zip(chunk.counts.tolist(), expected, strict=True):
        for rows, order in zip(counts, orders, strict=True):
            for name, row in zip(OPERATIONS, rows, strict=True):
                assert row == pytest.approx(list(map(float, order[name])), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "lengths"),
    [
        ({"variant": "easse"}, [[4, 1, 2], [1, 2, 1]]),
        ({"variant": "easse_legacy"}, [[3, 1, 2], [1, 2, 1]]),  # sources are only split
        ({"variant": "hf"}, [[4, 1, 2], [1, 2, 1]]),
        ({"variant": "hf", "tokenize": "none"}, [[3, 1, 2], [1, 2, 1]]),
        ({"variant": "easse", "tokenize": "char"}, [[5, 1, 4], [1, 2, 1]]),
    ],
    ids=str,
)
def test_lengths_are_numbers_of_tokens(options, lengths):
    """Of the source, of the prediction, and of references on average, rounded down; an empty text counts as one."""
    columns = ["a b cc.", ""], ["a", "b c"], [["a b", "c d ee"], ["x"]]
    (chunk,) = count_columns(*columns, resolve_settings(**options, **PENALIZED))
    if options.get("tokenize") == "char":
        lengths[0][2] = (2 + 4) // 2
    assert chunk.sizes.lengths.tolist() == lengths
    assert chunk.sizes.lengths.dtype == np.int64


def test_sizes_are_for_penalties_alone():
    (chunk,) = count_columns(["a"], ["a"], [["a"]], resolve_settings("easse"))
    assert chunk.sizes is None


def test_lengths_of_each_system():
    columns = ["a b"], [["c"]]
    systems = [[""], ["a"], ["a b c"]]
    settings = resolve_settings("easse", **PENALIZED)
    (chunk,) = count_systems(prepare(*columns, settings, systems), systems, settings)
    assert [counts.sizes.lengths.tolist() for counts in chunk] == [[[2, 1, 1]], [[2, 1, 1]], [[2, 3, 1]]]


def test_no_segments():
    assert list(count_columns([], [], [], resolve_settings())) == []
    assert list(prepare([], [], resolve_settings())) == []


# ---- Chunks and threads ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{"tokenize": own_tokenizer}, {"tokenize": "intl", "lowercase": False}, {}], ids=["own", "intl", "plain"]
)
@every_variant
def test_neither_chunks_nor_threads_change_a_bit(monkeypatch, variant, options):
    *whole, chunks = counted(resolve_settings(variant, **options, threads=1))
    assert chunks == 1
    for characters in (1, 50, 1_000):
        monkeypatch.setattr(counting, "_CHUNK_CHARACTERS", characters)
        for threads in (1, 3):
            *found, chunks = counted(resolve_settings(variant, **options, threads=threads))
            assert found == whole
            assert chunks > 2


def test_blocks_change_nothing(monkeypatch):
    *whole, _ = counted(resolve_settings())
    monkeypatch.setattr(counting, "_BLOCK_SEGMENTS", 7)
    *found, chunks = counted(resolve_settings())
    assert (found, chunks) == (whole, 9)


@pytest.mark.parametrize("characters", [1, 50, 1_000, 10**6])
def test_chunks_hold_every_segment_once(monkeypatch, characters):
    monkeypatch.setattr(counting, "_CHUNK_CHARACTERS", characters)
    monkeypatch.setattr(counting, "_BLOCK_SEGMENTS", 25)
    chunks = list(prepare(SOURCES, REFERENCES, resolve_settings(), SYSTEMS))
    assert [place for chunk in chunks for place in range(chunk.rows.start, chunk.rows.stop)] == [*range(len(SOURCES))]
    for chunk in chunks:
        assert chunk.shared.nrefs.tolist() == [len(row) for row in REFERENCES[chunk.rows]]


def test_chunks_come_as_they_are_asked_for(monkeypatch):
    """A long corpus is not prepared as a whole before the first counts of it are there."""
    monkeypatch.setattr(counting, "_CHUNK_CHARACTERS", 1)
    settings = resolve_settings(tokenize=Breaks(500, RuntimeError("out of words")), threads=2)
    columns = ["a"] * 400, ["b"] * 400, [["c"]] * 400
    chunks = count_columns(*columns, settings)
    assert next(chunks).counts.shape == (1, 4, 3, 4)
    with pytest.raises(RuntimeError, match="out of words"):
        list(chunks)


# ---- Several systems ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("characters", [50, 10**6])
@every_variant
def test_prepared_once_and_counted_twice(monkeypatch, variant, characters):
    settings = resolve_settings(variant)
    expected = [counted(settings, predictions) for predictions in SYSTEMS]
    monkeypatch.setattr(counting, "_CHUNK_CHARACTERS", characters)
    prepared = list(prepare(SOURCES, REFERENCES, settings))
    for predictions, alone in zip(SYSTEMS, expected, strict=True):
        again = joined(counts for (counts,) in count_systems(prepared, [predictions], settings))
        assert again[:-1] == alone[:-1]


@pytest.mark.parametrize("few", [1, 8])
@pytest.mark.parametrize("tokenize", ["13a", "none", own_tokenizer], ids=["13a", "none", "own"])
@every_variant
def test_several_systems_at_once_are_each_alone(monkeypatch, variant, tokenize, few):
    monkeypatch.setattr(counting, "_FEW_SYSTEMS", few)
    settings = resolve_settings(variant, tokenize=tokenize)
    together = list(count_together(SOURCES, SYSTEMS, REFERENCES, settings))
    for place, predictions in enumerate(SYSTEMS):
        found = joined(chunk[place] for chunk in together)
        assert found[:-1] == counted(settings, predictions)[:-1]


def test_sources_and_references_are_tokenized_once():
    seen = []
    settings = resolve_settings(tokenize=lambda text: seen.append(text) or text, lowercase=False)
    columns = ["s"], [["r", "q"]]
    prepared = list(prepare(*columns, settings))
    assert sorted(seen) == ["q", "r", "s"]
    for systems in ([["p"]], [["o"], ["n"]]):
        list(count_systems(prepared, systems, settings))
    assert seen[3:] == ["p", "o", "n"]


# ---- One segment, n-gram by n-gram ----------------------------------------------------------------------------------


@every_variant
def test_a_table_sums_up_to_the_counts(variant):
    settings = resolve_settings(variant)
    for source, prediction, references in zip(SOURCES, PREDICTIONS, REFERENCES, strict=True):
        table = ngram_table(source, prediction, references, settings)
        (chunk,) = count_columns([source], [prediction], [references], settings)
        sums = np.stack([order.counts.sum(axis=0) for order in table.amounts])
        assert sums == pytest.approx(chunk.counts[0], rel=1e-12)
        assert [len(order.counts) for order in table.amounts] == list(map(len, table.ngrams))
        assert all(len(set(ngrams)) == len(ngrams) for ngrams in table.ngrams)


def test_a_table_by_hand():
    table = ngram_table("A b.", "a c.", ["a c"], resolve_settings("easse", max_order=3))
    assert table.ngrams == [
        [("a",), ("b",), (".",), ("c",)],
        [("a", "b"), ("b", "."), ("a", "c"), ("c", ".")],
        [("a", "b", "."), ("a", "c", ".")],
    ]
    # The n-grams of the source, those that only references have, those that only the prediction has.
    assert [order.in_source.tolist() for order in table.amounts] == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0]]
    assert [order.in_references.tolist() for order in table.amounts] == [[1, 0, 0, 1], [0, 0, 1, 0], [0, 0]]
    assert [order.in_prediction.tolist() for order in table.amounts] == [[1, 0, 1, 1], [0, 0, 1, 1], [0, 1]]


@every_variant
def test_tables_of_texts_that_are_counted_elsewhere(variant):
    """The n-grams of a table are those of the oracle's tokens."""
    rules = oracle.VARIANTS[variant]
    for source, prediction, references in zip(*TEXTS.values(), strict=True):
        tokens = [oracle.tokens(source, rules, raw=rules.raw_sources)]
        tokens += [oracle.tokens(text, rules) for text in (*references, prediction)]
        found = ngram_table(source, prediction, references, resolve_settings(variant)).ngrams
        for order, ngrams in enumerate(found, start=1):
            expected = dict.fromkeys(gram for text in tokens for gram in oracle.ngrams(text, order))
            assert ngrams == list(expected)


def test_tokens_that_are_counted_are_those_that_are_numbered():
    """One segment by the floors below: ids of tokens, and their n-grams."""
    tokens = Tokens(np.array([1, 2, 1, 3, 1, 3]), np.array([2, 2, 2]), nrefs=np.array([1]))
    below = count_ngrams(tokens, counting="pooled", max_order=4)
    (chunk,) = count_columns(["a b"], ["a c"], [["a c"]], resolve_settings("easse"))
    assert chunk.counts.tobytes() == below.tobytes()
