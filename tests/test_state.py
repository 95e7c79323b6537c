"""States: batches and shards that merge to the whole, here and in other processes, and what they refuse."""

import json
import multiprocessing
import pickle

import pytest
from conftest import ROOT
from four_segments import (
    NAMES,
    TEXTS,
    WITHOUT_TRANSFORMERS,
    Breaks,
    own_tokenizer,
    repeated,
    rows,
    run,
    state_of,
    updated,
)
from refusals import refuses

from sari.inputs import Columns
from sari.options import resolve_settings
from sari.scoring import Scorer
from sari.state import State
from sari.variants import SCORES, VARIANTS

# ---- Details --------------------------------------------------------------------------------------------------------


def test_details_of_a_state(scorer):
    state = scorer.state()
    state.update(**TEXTS)
    assert state.compute() == scorer.compute(**TEXTS)
    assert list(state.compute(details=True)) == [*NAMES, "signature", "orders"]
    state = scorer.state(sentences=True)
    state.update(**TEXTS)
    assert state.compute(details=True) == scorer.compute(**TEXTS, details=True)


# ---- Merging --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{"variant": "set"}, {"level": "corpus"}, {"tokenize": "none"}, {"zero_division": 0}, {"max_order": 3}],
    ids=str,
)
def test_states_of_other_options_do_not_merge(scorer, options):
    state, other = state_of(scorer, rows(0)), state_of(scorer, rows(1), **options)
    before = state.compute(details=True)
    with refuses(ValueError, f"other: got a state of {other.signature}, wanted one of {state.signature}"):
        state.merge(other)
    assert (state.segments, state.compute(details=True)) == (1, before)


def test_what_keeps_states_of_the_same_signature_apart_is_said(scorer):
    with_sentences, without = scorer.state(sentences=True), scorer.state()
    for state, other in [(with_sentences, without), (without, with_sentences)]:
        with pytest.raises(ValueError, match=r"^other: .*\bsentences\b"):
            state.merge(other)


class Hyphens:
    """A tokenizer that is another one after a pickle."""

    def __call__(self, text):
        return own_tokenizer(text)


def test_callables_that_are_others_after_a_pickle_do_not_merge(scorer):
    state = state_of(scorer, rows(0), tokenize=Hyphens())
    other = pickle.loads(pickle.dumps(state))
    with pytest.raises(ValueError, match=r"^other: got a state with another callable as tokenize, wanted the same one"):
        state.merge(other)
    same = state_of(scorer, rows(0), tokenize=own_tokenizer)
    same.merge(pickle.loads(pickle.dumps(same)))
    assert same.segments == 2


@pytest.mark.parametrize("other", [None, {}, "state"])
def test_only_states_merge(scorer, other):
    with refuses(TypeError, f"other: got {type(other).__name__}, wanted a State"):
        scorer.state().merge(other)


def test_merging_leaves_the_other_as_it_was(scorer):
    one, two = state_of(scorer, rows(0, 1), sentences=True), state_of(scorer, rows(2), sentences=True)
    before = two.compute(details=True)
    one.merge(two)
    one.update(**rows(3))
    assert two.compute(details=True) == before
    assert one.compute(details=True) == scorer.compute(**TEXTS, details=True)


def test_an_empty_state_adds_nothing(scorer):
    state = state_of(scorer, TEXTS)
    state.merge(scorer.state())
    assert state.compute() == scorer.compute(**TEXTS)
    empty = scorer.state()
    empty.merge(state)
    assert empty.compute() == scorer.compute(**TEXTS)


def test_a_failing_tokenizer_leaves_the_state_as_it_was(scorer):
    state = scorer.state(sentences=True, tokenize=Breaks(7_000, RuntimeError("out of words")))
    state.update(**TEXTS)
    before = state.compute(details=True)
    with refuses(RuntimeError, "out of words"):
        state.update(**repeated(700))
    assert (state.segments, state.compute(details=True)) == (4, before)


# ---- What is checked, and what is not -------------------------------------------------------------------------------


def test_there_is_no_add(scorer):
    """What `evaluate` calls `add` is `update`, of columns, and what has been counted is accumulated."""
    assert not hasattr(scorer.state(), "add")


def test_checked_columns_are_taken_as_they_are():
    checked, unchecked = State(resolve_settings()), State(resolve_settings())
    checked.update_checked(Columns(**TEXTS))
    unchecked.update(**TEXTS)
    assert checked.compute(details=True) == unchecked.compute(details=True)


@pytest.mark.parametrize("texts", [TEXTS, tuple(TEXTS.values()), list(TEXTS.values())], ids=["dict", "tuple", "list"])
def test_only_columns_count_as_checked(texts):
    state = state_of(Scorer(), rows(0), sentences=True)
    before = state.compute(details=True)
    with pytest.raises(AttributeError):
        state.update_checked(texts)
    assert (state.segments, state.compute(details=True)) == (1, before)


# ---- Some of the segments -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [[0], [3], [1, 2], [0, 2, 3], [2, 0], [0, 1, 2, 3]], ids=str)
@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_of_some_segments_are_those_of_them_alone(scorer, variant, places):
    state = state_of(scorer, TEXTS, variant=variant, resampling=True)
    alone = state_of(scorer, rows(*places), variant=variant)
    assert state.scores_of(places) == pytest.approx(alone.scores(), rel=1e-12)


@pytest.mark.parametrize("variant", ["hf", "easse", "t2t"])
def test_a_tiny_score_of_a_segment_is_the_one_that_it_has_alone(variant):
    """The add score is finer than the unit of exact sums."""
    long = " ".join(f"w{number}" for number in range(901))
    text = {"sources": ["a"], "predictions": ["w1 x y z"], "references": [[long]]}
    found = Scorer().compute(**text, variant=variant, level="sentence", zero_division=0.0, details=True)
    assert 0 < found["add"] < 100 / 256
    assert {name: [found[name]] for name in SCORES} == found["sentences"]


def test_scores_of_segments_drawn_twice(scorer):
    state = state_of(scorer, TEXTS, resampling=True)
    assert state.scores_of([2, 0, 2]) == pytest.approx(state_of(scorer, rows(2, 0, 2)).scores(), rel=1e-12)


def test_scores_of_some_segments_of_merged_states(scorer):
    whole = scorer.state(variant="easse", resampling=True)
    for shard in (rows(0, 1), rows(2), rows(3)):
        whole.merge(state_of(scorer, shard, variant="easse", resampling=True))
    alone = state_of(scorer, rows(3, 1), variant="easse")
    assert whole.scores_of([3, 1]) == pytest.approx(alone.scores(), rel=1e-12)


def test_scores_of_some_segments_need_what_resampling_needs(scorer):
    with refuses(ValueError, "confidence: got a state without resampling=True, wanted one with it"):
        state_of(scorer, TEXTS).scores_of([0])


# ---- In other processes ---------------------------------------------------------------------------------------------


OPTIONED = {"variant": "easse", "tokenize": "intl", "zero_division": 0.5, "sentences": True}


def test_a_state_travels_to_a_fresh_process_and_back(sari, tmp_path):
    file = tmp_path / "state"
    file.write_bytes(pickle.dumps(state_of(sari, rows(0, 1), **OPTIONED)))
    program = (
        "import json, pickle, sys\n"
        "with open(sys.argv[1], 'rb') as file: state = pickle.load(file)\n"
        "state.update(**json.loads(sys.argv[2]))\n"
        "with open(sys.argv[1], 'wb') as file: pickle.dump(state, file)\n"
        "print(json.dumps(state.compute(details=True)))\n"
    )
    there = run(program, file, json.dumps(rows(2)), HF_HOME=str(tmp_path / "another home"))
    assert there == state_of(sari, rows(0, 1, 2), **OPTIONED).compute(details=True)
    state = pickle.loads(file.read_bytes())
    assert state.segments == 3
    assert state.compute(details=True) == there
    state.merge(state_of(sari, rows(3), **OPTIONED))
    assert state.compute(details=True) == state_of(sari, TEXTS, **OPTIONED).compute(details=True)


def test_a_state_made_in_a_fresh_process(sari, tmp_path):
    file = tmp_path / "state"
    program = (
        "import json, pickle, sys, evaluate\n"
        "state = evaluate.load(sys.argv[1]).state(**json.loads(sys.argv[4]))\n"
        "state.update(**json.loads(sys.argv[3]))\n"
        "with open(sys.argv[2], 'wb') as file: pickle.dump(state, file)\n"
        "print(state.segments)\n"
    )
    home = str(tmp_path / "another home")
    assert run(program, ROOT / "sari.py", file, json.dumps(rows(2, 3)), json.dumps(OPTIONED), HF_HOME=home) == 2
    whole = state_of(sari, rows(0, 1), **OPTIONED)
    whole.merge(pickle.loads(file.read_bytes()))
    assert whole.compute(details=True) == state_of(sari, TEXTS, **OPTIONED).compute(details=True)


def test_a_state_of_the_core_travels_to_a_process_without_evaluate(tmp_path):
    file = tmp_path / "state"
    file.write_bytes(pickle.dumps(state_of(Scorer(), rows(0, 1), **OPTIONED)))
    program = (
        "import json, pickle, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from as_package import make_importable; make_importable()\n"
        "with open(sys.argv[2], 'rb') as file: state = pickle.load(file)\n"
        "state.update(**json.loads(sys.argv[3]))\n"
        "with open(sys.argv[2], 'wb') as file: pickle.dump(state, file)\n"
        "print(json.dumps([state.compute(details=True), 'evaluate' in sys.modules]))\n"
    )
    whole = state_of(Scorer(), TEXTS, **OPTIONED).compute(details=True)
    assert run(program, ROOT, file, json.dumps(rows(2, 3))) == [whole, False]
    assert pickle.loads(file.read_bytes()).compute(details=True) == whole


def test_states_of_spawned_processes(sari, monkeypatch):
    monkeypatch.syspath_prepend(WITHOUT_TRANSFORMERS["PYTHONPATH"])
    options = {"tokenize": own_tokenizer, "sentences": True}
    tasks = [(sari.state(**options), rows(number)) for number in range(4)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        shards = pool.starmap(updated, tasks)
    whole = sari.state(**options)
    for shard in shards:
        whole.merge(shard)
    assert whole.compute(details=True) == state_of(sari, TEXTS, **options).compute(details=True)
    assert whole.signature == sari.signature(nrefs=2, tokenize=own_tokenizer)


def test_states_stay_small(scorer):
    small, large = (pickle.dumps(state_of(scorer, repeated(n))) for n in (100, 2_000))
    assert len(large) - len(small) < 1_000
