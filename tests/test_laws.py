"""The laws that every variant obeys, on any texts."""

import pickle
import random

import pytest
from conftest import runs
from four_segments import state_of
from hostile_texts import (
    NAMES,
    corpus_of,
    cut,
    details,
    edited_row,
    every_variant,
    hostile,
    options_of,
    without_sentences,
)
from hypothesis import given
from hypothesis import strategies as st

from sari.data_warnings import collect_warnings
from sari.sari_scorer import Scorer
from sari.variants import LEVELS

# Hostile texts give every reason to doubt a score.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@every_variant
@given(data=st.data())
@runs(6)
def test_the_order_of_segments_and_references_changes_nothing(variant, data):
    corpus, options = data.draw(hostile()), data.draw(options_of(variant))
    order = data.draw(st.permutations(range(len(corpus["sources"]))))
    shuffled = {name: [column[place] for place in order] for name, column in corpus.items()}
    shuffled["references"] = [data.draw(st.permutations(row)) for row in shuffled["references"]]
    before, after = (details(Scorer(), texts, **options) for texts in (corpus, shuffled))
    before["sentences"] = {name: [scores[place] for place in order] for name, scores in before["sentences"].items()}
    assert after == before


@every_variant
@given(data=st.data())
@runs(6)
def test_shards_are_the_whole(variant, data):
    """Scores, details and warnings, whatever the batches, merged in any order."""
    times, options = data.draw(st.sampled_from([1, 4])), data.draw(options_of(variant))
    corpus = {name: column * times for name, column in data.draw(hostile()).items()}
    scorer = Scorer(**options)
    whole = scorer.compute(**corpus, details=True)
    _, warned = with_warnings(state_of(scorer, corpus, sentences=True).compute)  # compute also looks at rows as a whole
    shards = [state_of(scorer, batch, sentences=True) for batch in cut(corpus, data.draw(st.integers(1, 3)))]
    assert with_warnings(sum(pickle.loads(pickle.dumps(shard)) for shard in shards).compute) == (whole, warned)
    result, own = with_warnings(sum(data.draw(st.permutations(shards))).compute)
    assert without_sentences(result) == without_sentences(whole)
    assert sorted(map(sorted, result["sentences"].values())) == sorted(map(sorted, whole["sentences"].values()))
    assert own == warned


def with_warnings(compute):
    """Return details, and the warnings about them as data."""
    with collect_warnings() as collected:
        result = compute(details=True)
    return result, [warning.as_dict() for warning in collected]


@pytest.mark.parametrize("level", LEVELS)
@every_variant
def test_large_shards_are_the_whole_in_any_order(variant, level):
    """Many terms with many denominators, whose sum as floats would depend on the order."""
    rng = random.Random(5)
    corpus = corpus_of([edited_row(rng, list("abcdefghij"), 12, references=rng.randrange(1, 12)) for _ in range(100)])
    scorer = Scorer(variant, level=level, penalties="none")
    backwards = sum(state_of(scorer, batch) for batch in reversed(cut(corpus, 7)))
    assert backwards.compute(details=True) == without_sentences(scorer.compute(**corpus, details=True))


#: For `star` a reference weighs an eighth of the source; `set` wants all of source and reference to be kept.
BELOW_100 = {"star": {"keep", "delete"}, "set": {"keep"}}


@every_variant
def test_the_only_reference_is_a_perfect_output(sari, variant):
    texts = {"sources": ["a b c d e f g h"], "predictions": ["a b c d w x y z"], "references": ["a b c d w x y z"]}
    found = sari.compute(**texts, variant=variant)
    assert {name for name in NAMES[1:] if found[name] != 100} == BELOW_100.get(variant, set())
