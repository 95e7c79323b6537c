"""The laws that every variant obeys, on any texts, and what the definitions give for simple systems."""

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import oracle
import pytest
from conftest import runs
from four_segments import state_of
from hostile_texts import (
    LARGE,
    NAMES,
    corpus_of,
    cut,
    details,
    details_of_large,
    edited_row,
    every_variant,
    hostile,
    numbers,
    options_of,
    without_sentences,
)
from hypothesis import given
from hypothesis import strategies as st

from sari.data_warnings import collect_warnings
from sari.sari_scorer import Scorer

# Hostile texts give every reason to doubt a score.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

VARIANTS = list(oracle.VARIANTS)

# ---- Laws -----------------------------------------------------------------------------------------------------------


@every_variant
@given(data=st.data())
@runs(6)
def test_the_order_of_segments_changes_nothing(variant, data):
    corpus, options = data.draw(hostile()), data.draw(options_of(variant))
    order = data.draw(st.permutations(range(len(corpus["sources"]))))
    shuffled = {name: [column[i] for i in order] for name, column in corpus.items()}
    before, after = (details(Scorer(), texts, **options) for texts in (corpus, shuffled))
    assert without_sentences(after) == without_sentences(before)
    for name in NAMES:
        assert after["sentences"][name] == [before["sentences"][name][i] for i in order]


@every_variant
@given(data=st.data())
@runs(6)
def test_the_order_of_references_changes_nothing(variant, data):
    corpus, options = data.draw(hostile()), data.draw(options_of(variant))
    shuffled = {**corpus, "references": [data.draw(st.permutations(row)) for row in corpus["references"]]}
    assert details(Scorer(), shuffled, **options) == details(Scorer(), corpus, **options)


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "star"])
@given(data=st.data())
@runs(6)
def test_a_reference_given_twice_weighs_no_more_than_once(variant, data):
    # What counts is the share of the references, in all variants but one.
    corpus, options = data.draw(hostile()), data.draw(options_of(variant))
    doubled = {**corpus, "references": [references * 2 for references in corpus["references"]]}
    once, twice = (numbers(details(Scorer(), texts, **options)) for texts in (corpus, doubled))
    assert twice == pytest.approx(once, abs=1e-9, rel=0)


@every_variant
@given(data=st.data())
@runs(6)
def test_shards_are_the_whole(variant, data):
    """Scores, details and warnings, whatever the batches: merged, in any order, or updated from threads."""
    times, options = data.draw(st.sampled_from([1, 4])), data.draw(options_of(variant))
    corpus = {name: column * times for name, column in data.draw(hostile()).items()}
    scorer = Scorer(**options)
    whole = scorer.compute(**corpus, details=True)
    _, warned = with_warnings(state_of(scorer, corpus, sentences=True).compute)  # compute also looks at rows as a whole
    batches = cut(corpus, data.draw(st.integers(1, 3)))
    shards = [state_of(scorer, batch, sentences=True) for batch in batches]
    assert with_warnings(sum(pickle.loads(pickle.dumps(shard)) for shard in shards).compute) == (whole, warned)
    updated = scorer.state(sentences=True)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda batch: updated.update(**batch), batches))
    for state in (sum(data.draw(st.permutations(shards))), updated):
        result, own = with_warnings(state.compute)
        assert without_sentences(result) == without_sentences(whole)
        assert sorted(map(sorted, result["sentences"].values())) == sorted(map(sorted, whole["sentences"].values()))
        assert own == warned


def with_warnings(compute):
    """Return details, and the warnings about them as data."""
    with collect_warnings() as collected:
        result = compute(details=True)
    return result, [warning.as_dict() for warning in collected]


@pytest.mark.parametrize("variant", ["hf", "easse", "paper", "t2t", "dsari"])
def test_large_shards_are_the_whole_in_any_order(sari, variant):
    # Enough terms that an ordinary sum of floats would depend on their order.
    whole = without_sentences(details_of_large(sari, variant))
    shards = [state_of(sari, batch, sentences=True, variant=variant) for batch in cut(LARGE, 300)]
    merged = sum(random.Random(1).sample(shards, len(shards)))
    assert without_sentences(merged.compute(details=True)) == whole


@every_variant
def test_large_shards_with_weights_of_many_denominators(sari, variant):
    # Corpus-level sums of fractions: thirds, sevenths and their like are where rounding depends on the order.
    rng = random.Random(5)
    corpus = corpus_of([edited_row(rng, list("abcdefghij"), 12, references=rng.randrange(1, 12)) for _ in range(100)])
    summed = {"variant": variant, "level": "corpus", "penalties": "none"}
    whole = details(sari, corpus, **summed)
    assert numbers(without_sentences(whole)) == pytest.approx(
        numbers(without_sentences(oracle.details(**corpus, **summed))), abs=1e-9, rel=0
    )
    backwards = sum(state_of(sari, batch, sentences=True, **summed) for batch in reversed(cut(corpus, 7)))
    assert without_sentences(backwards.compute(details=True)) == without_sentences(whole)


# ---- What the definitions give for simple systems -------------------------------------------------------------------


# Eight words, of which the reference has the first four: of order n both have 9 - n n-grams, 5 - n of them in common,
# which makes 13 - n in all.
SOURCE = "a b c d e f g h"
REFERENCE = "a b c d w x y z"
ORDERS = range(1, 5)


def percent(*values):
    """Return the mean of exact values as a percentage."""
    return float(100 * sum(map(Fraction, values)) / len(values))


def harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall)


def scores_of(sari, source, prediction, *references, **options):
    result = sari.compute(sources=[source], predictions=[prediction], references=[list(references)], **options)
    return tuple(result[name] for name in NAMES[1:])


UNION = percent(*(harmonic(1, Fraction(5 - n, 13 - n)) for n in ORDERS))


# A reference weighs an eighth of the source for `star`: what is kept is kept 8 times, and is wanted once.
EIGHTH = percent(harmonic(Fraction(1, 8), 1))


def deleted_by_star(deleted, kept):
    """Return the F1 of deleting all that the reference lacks: of what it has, 7 of 8 were to go as well."""
    return harmonic(1, Fraction(8 * deleted, 8 * deleted + 7 * kept))


STAR = (EIGHTH, percent(*(deleted_by_star(4, 5 - n) for n in ORDERS)), 100)
PERFECT = dict.fromkeys(VARIANTS, (100, 100, 100)) | {"set": (UNION, 100, 100), "star": STAR}

ZERO = {name: 100 * rules.zero_division for name, rules in oracle.VARIANTS.items()}

KEPT = [Fraction(5 - n, 9 - n) for n in ORDERS]
COPY = percent(*(harmonic(precision, 1) for precision in KEPT))
COPIES = dict.fromkeys(VARIANTS, (COPY, 0, 0)) | {
    # Nothing is deleted: 0/0, which is 1 in these, and where recall counts it is 0.
    "hf": (COPY, 100, 0),
    "kriz": (COPY, 100, 0),
    "t2t": (COPY, 100, 0),
    "paper": (percent(harmonic(sum(KEPT) / 4, 1)), 0, 0),
    "star": (percent(*(harmonic(precision / 8, 1) for precision in KEPT)), 0, 0),
    "set": (percent(*(harmonic(p, Fraction(5 - n, 13 - n)) for n, p in zip(ORDERS, KEPT, strict=True))), 0, 0),
}

NOTHING_TO_KEEP = {variant: (zero, 100, 100) for variant, zero in ZERO.items()}
NOTHING_TO_CHANGE = {variant: (EIGHTH if variant == "star" else 100, zero, zero) for variant, zero in ZERO.items()}

#: Source, prediction, the only reference, and the scores of operations by variant.
SIMPLE = {
    # All three operations have something to do. Only `set` wants what is in source and reference, united, to be kept.
    "perfect": (SOURCE, REFERENCE, REFERENCE, PERFECT),
    "perfect, nothing to keep": ("a b c d", "w x y z", "w x y z", NOTHING_TO_KEEP),
    "perfect, nothing to change": (SOURCE, SOURCE, SOURCE, NOTHING_TO_CHANGE),
    "a copy of the source": (SOURCE, SOURCE, REFERENCE, COPIES),
}


@every_variant
@pytest.mark.parametrize(("source", "prediction", "reference", "expected"), SIMPLE.values(), ids=SIMPLE)
def test_simple_systems(sari, variant, source, prediction, reference, expected):
    found = scores_of(sari, source, prediction, reference, variant=variant)
    assert found == pytest.approx(expected[variant], abs=1e-9, rel=0)


@every_variant
def test_a_perfect_copy_that_only_deletes(sari, variant):
    # "a c" and its like are new n-grams, which `lens` does not reward; there is no new word.
    copy = "a c e g i"
    _, delete, add = scores_of(sari, "a b c d e f g h i", copy, copy, variant=variant)
    assert delete == pytest.approx(percent(deleted_by_star(4, 5), 1, 1, 1) if variant == "star" else 100)
    orders_above_1 = 0 if variant == "lens" else 75
    assert add == pytest.approx(orders_above_1 + ZERO[variant] / 4)
