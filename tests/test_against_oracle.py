"""The metric against the slow oracle: on hostile texts, with options, and on large inputs however they are cut."""

import math
import random
from itertools import product
from string import ascii_lowercase

import oracle
import pytest
from conftest import runs
from hostile_texts import (
    LARGE,
    NAMES,
    assert_agrees,
    corpus_of,
    details,
    edited,
    edited_row,
    every_variant,
    hostile,
    numbers,
    options_of,
)
from hypothesis import given
from hypothesis import strategies as st

from sari.sari_scorer import Scorer, compute
from sari.variants import PENALTIES

# Hostile texts give every reason to doubt a score.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# ---- Every path to the scores of a corpus, and the same scores by the oracle -----------------------------------------


def by_compute(corpus, **options):
    return compute(**corpus, **options, details=True)


def by_compare(corpus, **options):
    """Score the predictions together with two other systems."""
    first = [row[0] for row in corpus["references"]]
    systems = {"copy": corpus["sources"], "these": corpus["predictions"], "reference": first}
    columns = {**corpus, "predictions": systems}
    return Scorer(**options).compare(**columns, method=None, confidence=None, details=True)["systems"]["these"]


def by_candidates(corpus, **options):
    texts = {"sources": corpus["sources"], "references": corpus["references"]}
    scores = Scorer(**options).score_candidates(**texts, candidates=candidates_of(corpus))
    return {"sentences": {"sari": [row[0] for row in scores]}}


def by_risk(corpus, **options):
    """Score a prediction and the references, with each of the others as the only reference."""
    texts = {"sources": corpus["sources"], "candidates": candidates_of(corpus)}
    return {"expected": Scorer(**options).minimum_bayes_risk(**texts)["expected"]}


def candidates_of(corpus):
    return [[output, *row] for output, row in zip(corpus["predictions"], corpus["references"], strict=True)]


def risk_by_the_oracle(corpus, **options):
    def expected(source, candidates, place):
        others = [*candidates[:place], *candidates[place + 1 :]]
        columns = [source] * len(others), [candidates[place]] * len(others), [[other] for other in others]
        return math.fsum(oracle.sentences(*columns, **options)["sari"]) / len(others)

    rows = zip(corpus["sources"], candidates_of(corpus), strict=True)
    return {"expected": [[expected(source, row, place) for place in range(len(row))] for source, row in rows]}


def details_by_the_oracle(corpus, **options):
    return oracle.details(**corpus, **options)


#: The paths, and what returns the same by the oracle, and perhaps more.
PATHS = dict.fromkeys((by_compute, by_compare, by_candidates), details_by_the_oracle) | {by_risk: risk_by_the_oracle}


# ---- On hostile texts -----------------------------------------------------------------------------------------------


@every_variant
@given(data=st.data())
@runs(30)
def test_every_path_to_scores(variant, data):
    """With and without options: `EXAMPLES=100` makes a hundred times as many corpora."""
    path = data.draw(st.sampled_from(list(PATHS)))
    corpus, options = data.draw(hostile()), data.draw(options_of(variant))
    ours, right = numbers(path(corpus, **options)), numbers(PATHS[path](corpus, **options))
    assert ours == pytest.approx({place: right[place] for place in ours}, abs=1e-9, rel=0)


@pytest.mark.parametrize("penalties", [name for name in PENALTIES if name != "none"])
@given(corpus=hostile())
@runs(15)
def test_penalties_with_sentences_by_punkt(penalties, corpus):
    assert_agrees(Scorer(), corpus, variant="dsari", penalties=penalties)


@every_variant
def test_orders_longer_than_any_text(sari, variant):
    assert_agrees(sari, corpus_of([("a b", "a c", ["a c", "b"]), ("a", "", ["", ""])]), variant=variant, max_order=9)


@every_variant
def test_all_that_texts_can_lack(sari, variant):
    some = ["", " ", "a", "a b c d e"]
    rows = [(source, prediction, [reference]) for source in some for prediction in some for reference in some]
    rows += [("a b", "a", ["", "a"]), ("a b", "a", ["", ""]), ("a b c d", "a b", ["a", "a b", "a b c", "a b c d"])]
    assert_agrees(sari, corpus_of(rows), variant=variant)
    assert_agrees(sari, corpus_of(rows), variant=variant, level="sentence", deletion="f1", zero_division=0.25)


# ---- Large inputs ---------------------------------------------------------------------------------------------------


@every_variant
def test_documents_of_more_than_a_thousand_tokens(sari, variant):
    rng = random.Random(1)
    vocabulary = [f"{stem}{n}" for stem in ("w", "longer-word-") for n in range(40)] + [".", ",", "İ"]
    rows = [edited_row(rng, vocabulary, length, references=2) for length in (1_100, 3, 1_500)]
    assert_agrees(sari, corpus_of(rows), variant=variant)


@pytest.mark.parametrize("variant", ["hf"])
def test_tens_of_thousands_of_words_in_one_segment(sari, variant):
    rng = random.Random(3)
    tokens = [f"w{n}" if n % 3 else f"a-longer-word-{n}" for n in range(36_000)]
    versions = [" ".join(edited(rng, tokens, tokens[:50], rate=0.01)) for _ in range(2)]
    rows = [("w1 w2 w3", "w1 w3", ["w2 w3"]), (" ".join(tokens), versions[0], [versions[1]]), ("w1", "w2", ["w2"])]
    assert_agrees(sari, corpus_of(rows), variant=variant, tokenize="none")


def test_segments_with_few_words_in_common(sari):
    # The number of bigrams times that of words, by which trigrams are numbered, does not fit 32 bits.
    rng = random.Random(8)
    words = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)] + list(map(str, range(2_600)))
    texts = [" ".join(rng.choices(words, k=200)) for _ in range(600)]
    rows = [(source, output, [text]) for source, output, text in zip(texts[::3], texts[1::3], texts[2::3], strict=True)]
    assert_agrees(sari, corpus_of(rows), variant="hf", tokenize="none")


@pytest.mark.parametrize("variant", ["lens", "t2t"])
def test_one_endless_token_among_many_long_ones(sari, variant):
    # Tables with a column per byte of the longest token would not fit in memory.
    rng = random.Random(6)
    endless = "endless" * 100_000
    vocabulary = [f"some-rather-long-word-{n}" for n in range(500)]
    rows = [edited_row(rng, vocabulary, 20, references=2) for _ in range(50)]
    rows += [(f"a {endless} b", f"a {endless}x b", [f"{endless}x b", f"{endless} b"])]
    assert_agrees(sari, corpus_of(rows), variant=variant)


@every_variant
def test_hundreds_of_references(sari, variant):
    rng = random.Random(7)
    rows = [edited_row(rng, list("abcdefgh"), 12, references=n) for n in (1, 300, 2)]
    assert_agrees(sari, corpus_of(rows), variant=variant)


@every_variant
def test_segments_of_a_large_corpus(sari, variant):
    got = details(sari, LARGE, variant=variant)["sentences"]
    some = slice(None, None, 50)
    expected = oracle.sentences(*(column[some] for column in LARGE.values()), variant=variant)
    assert {name: len(got[name]) for name in NAMES} == dict.fromkeys(NAMES, len(LARGE["sources"]))
    for name in NAMES:
        assert got[name][some] == pytest.approx(expected[name], abs=1e-9, rel=0)
