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

# Hostile texts give every reason to doubt a score.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def by_compute(columns, **options):
    return compute(**columns, **options, details=True)


def by_compare(columns, **options):
    """Score the predictions together with two other systems."""
    first = [row[0] for row in columns["references"]]
    systems = {"copy": columns["sources"], "these": columns["predictions"], "reference": first}
    comparison = Scorer(**options).compare(
        **{**columns, "predictions": systems}, method=None, confidence=None, details=True
    )
    return comparison["systems"]["these"]


def by_candidates(columns, **options):
    """Score each prediction among the references as other candidates."""
    texts = {"sources": columns["sources"], "references": columns["references"]}
    scores = Scorer(**options).score_candidates(**texts, candidates=candidates_of(columns))
    return {"sentences": {"sari": [row[0] for row in scores]}}


def by_risk(columns, **options):
    """Score a prediction and the references, with each of the others as the only reference."""
    chosen = Scorer(**options).minimum_bayes_risk(sources=columns["sources"], candidates=candidates_of(columns))
    return {"expected": chosen["expected"]}


def candidates_of(columns):
    return [[output, *row] for output, row in zip(columns["predictions"], columns["references"], strict=True)]


def risk_by_the_oracle(columns, **options):
    expected = []
    for source, row in zip(columns["sources"], candidates_of(columns), strict=True):
        expected.append([])
        for place, text in enumerate(row):
            others = [[other] for other in [*row[:place], *row[place + 1 :]]]
            alone = oracle.details([source] * len(others), [text] * len(others), others, **options)["sentences"]
            expected[-1].append(math.fsum(alone["sari"]) / len(others))
    return {"expected": expected}


def candidates_by_the_oracle(columns, **options):
    return {"sentences": {"sari": oracle.details(**columns, **options)["sentences"]["sari"]}}


#: The paths, and what returns the same by the oracle.
PATHS = dict.fromkeys((by_compute, by_compare), lambda columns, **options: oracle.details(**columns, **options))
PATHS |= {by_candidates: candidates_by_the_oracle, by_risk: risk_by_the_oracle}


@every_variant
@given(data=st.data())
@runs(30)
def test_every_path_to_scores(variant, data):
    """With and without options: `EXAMPLES=100` makes a hundred times as many corpora."""
    path = data.draw(st.sampled_from(list(PATHS)))
    corpus, options = data.draw(hostile()), data.draw(options_of(variant))
    ours, right = numbers(path(corpus, **options)), numbers(PATHS[path](corpus, **options))
    assert ours == pytest.approx(right, abs=1e-9, rel=0)


@every_variant
def test_all_that_texts_can_lack(sari, variant):
    some = ["", " ", "a", "a b c d e"]
    rows = [(source, prediction, [reference]) for source in some for prediction in some for reference in some]
    rows += [("a b", "a", ["", "a"]), ("a b", "a", ["", ""]), ("a b c d", "a b", ["a", "a b", "a b c", "a b c d"])]
    assert_agrees(sari, corpus_of(rows), variant=variant)
    assert_agrees(
        sari, corpus_of(rows), variant=variant, level="sentence", deletion="f1", zero_division=0.25, max_order=9
    )


@pytest.mark.parametrize("variant", ["hf", "lens", "t2t"])
def test_large_segments(sari, variant):
    """One that is larger than chunks of work, one with a token too long for columns, and one with many references."""
    rng = random.Random(3)
    words = [f"w{n}" if n % 3 else f"a-longer-word-{n}" for n in range(36_000)]
    output, reference = (" ".join(edited(rng, words, words[:50], rate=0.01)) for _ in range(2))
    endless = "endless" * 100_000
    rows = [
        (" ".join(words), output, [reference]),
        (f"a {endless} b", f"a {endless}x b", [f"{endless}x b", f"{endless} b"]),
        edited_row(rng, list("abcdefgh"), 12, references=300),
    ]
    assert_agrees(sari, corpus_of(rows), variant=variant)


def test_segments_with_few_words_in_common(sari):
    # The number of bigrams times that of words, by which trigrams are numbered, does not fit 32 bits.
    rng = random.Random(8)
    words = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)] + list(map(str, range(2_600)))
    texts = [" ".join(rng.choices(words, k=200)) for _ in range(600)]
    rows = [(source, output, [text]) for source, output, text in zip(texts[::3], texts[1::3], texts[2::3], strict=True)]
    assert_agrees(sari, corpus_of(rows), variant="hf", tokenize="none")


@every_variant
def test_segments_of_a_large_corpus(sari, variant):
    got = details(sari, LARGE, variant=variant)["sentences"]
    some = slice(None, None, 50)
    expected = oracle.details(*(column[some] for column in LARGE.values()), variant=variant)["sentences"]
    assert {name: len(got[name]) for name in NAMES} == dict.fromkeys(NAMES, len(LARGE["sources"]))
    for name in NAMES:
        assert got[name][some] == pytest.approx(expected[name], abs=1e-9, rel=0)
