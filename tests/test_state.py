"""States: batches and shards that merge to the whole, as bytes, in pickles and in other processes, and refusals."""

import copy
import json
import multiprocessing
import os
import pickle
import shutil
from importlib.metadata import version

import cloudpickle
import dill
import numpy as np
import pytest
from conftest import ROOT
from four_segments import (
    NAMES,
    TEXTS,
    WITHOUT_TRANSFORMERS,
    Breaks,
    load,
    own_tokenizer,
    repeated,
    rows,
    run,
    state_of,
    updated,
)
from refusals import LONGEST, refuses

from sari.scorer import Scorer
from sari.scores import SCORES
from sari.state import State, score_columns
from sari.validation import Columns
from sari.variants import VARIANTS, VERSION, resolve_variant

OPTIONED = {"variant": "easse", "tokenize": "intl", "zero_division": 0.5, "sentences": True}


def test_what_a_state_shows():
    shown = [name for name in dir(State) if not name.startswith("_")]
    assert shown == ["compute", "merge", "segments", "signature", "to_bytes", "update"]


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
    ("options", "differ"),
    [
        ({"level": "corpus"}, "level 'corpus'"),
        ({"tokenize": "none"}, "tokenize 'none'"),
        ({"zero_division": 0}, "zero_division 0.0"),
        ({"max_order": 3}, "max_order 3"),
        ({"lowercase": False, "deletion": "f1"}, "deletion 'f1'; lowercase False"),
    ],
    ids=str,
)
def test_states_of_other_options_do_not_merge(scorer, options, differ):
    state, other = state_of(scorer, rows(0)), state_of(scorer, rows(1), **options)
    before = state.compute(details=True)
    with refuses(ValueError, f"other: got a state with other options ({differ}), wanted those of this state"):
        state.merge(other)
    assert (state.segments, state.compute(details=True)) == (1, before)


class Hyphens:
    """A tokenizer that is another one after a pickle."""

    def __call__(self, text):
        return own_tokenizer(text)

    def __repr__(self):
        return "hyphens" * 100


def test_states_of_quite_other_options_are_refused_in_a_line(scorer):
    other = scorer.state(tokenize=Hyphens(), penalties="dsari", sentence_splitter=Hyphens())
    with pytest.raises(ValueError, match=r"^other: got a state with other options \(tokenize hyphens") as error:
        scorer.state().merge(other)
    assert len(str(error.value)) <= LONGEST


def test_states_that_keep_other_things_do_not_merge(scorer):
    for name in ("sentences", "resampling"):
        with_it, without = scorer.state(**{name: True}), scorer.state()
        with refuses(ValueError, f"other: got a state with {name}=False, wanted {name}=True"):
            with_it.merge(without)
        with refuses(ValueError, f"other: got a state with {name}=True, wanted {name}=False"):
            without.merge(with_it)


def test_callables_that_are_others_after_a_pickle_do_not_merge(scorer):
    state = state_of(scorer, rows(0), tokenize=Hyphens())
    other = pickle.loads(pickle.dumps(state))
    with pytest.raises(ValueError, match=r"^other: got a state with other options \(tokenize "):
        state.merge(other)
    same = state_of(scorer, rows(0), tokenize=own_tokenizer)
    same.merge(pickle.loads(pickle.dumps(same)))
    assert same.segments == 2


@pytest.mark.parametrize("other", [None, {}, "state"])
def test_only_states_merge(scorer, other):
    with refuses(TypeError, f"other: got {type(other).__name__}, wanted a State"):
        scorer.state().merge(other)


def test_states_of_metric_and_package_merge(sari):
    for one, other in ((sari, Scorer()), (Scorer(), sari)):
        state = state_of(one, rows(0, 1), **OPTIONED)
        state.merge(state_of(other, rows(2, 3), **OPTIONED))
        assert state.compute(details=True) == state_of(one, TEXTS, **OPTIONED).compute(details=True)


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


# ---- Confidence intervals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_states_that_keep_rows_have_intervals(scorer, variant):
    whole = scorer.state(variant=variant, resampling=True)
    for half in (rows(0, 1), rows(2, 3)):
        whole.merge(pickle.loads(pickle.dumps(state_of(scorer, half, variant=variant, resampling=True))))
    asked = {"confidence": 0.9, "resamples": 50, "seed": 2}
    assert whole.compute(**asked) == scorer.compute(**TEXTS, variant=variant, **asked)
    with refuses(ValueError, "confidence: got a state without resampling=True, wanted one with it"):
        state_of(scorer, TEXTS, variant=variant).compute(confidence=0.9)


# ---- Statistics of a corpus -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [[0], [3], [1, 2], [0, 2, 3], [2, 0], [2, 0, 2], [0, 1, 2, 3]], ids=str)
@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_of_some_segments_are_those_of_them_alone(variant, places):
    corpus = score_columns(Columns(**TEXTS), resolve_variant(variant), rows=True)
    alone = score_columns(Columns(**rows(*places)), resolve_variant(variant))
    assert corpus.scores_of(places) == pytest.approx(alone.scores(), rel=1e-12)


@pytest.mark.parametrize("variant", ["hf", "easse", "t2t"])
def test_a_tiny_score_of_a_segment_is_the_one_that_it_has_alone(variant):
    """The add score is finer than the unit of exact sums."""
    long = " ".join(f"w{number}" for number in range(901))
    text = {"sources": ["a"], "predictions": ["w1 x y z"], "references": [[long]]}
    found = Scorer().compute(**text, variant=variant, level="sentence", zero_division=0.0, details=True)
    assert 0 < found["add"] < 100 / 256
    assert {name: [found[name]] for name in SCORES} == found["sentences"]


def test_states_stay_small(scorer):
    small, large = (pickle.dumps(state_of(scorer, repeated(n))) for n in (100, 2_000))
    assert len(large) - len(small) < 1_000


# ---- As bytes -------------------------------------------------------------------------------------------------------

TRAVELLING = [
    {},
    OPTIONED,
    {"variant": "easse", "resampling": True},
    {"sentences": True, "resampling": True, "max_order": np.int64(2)},
    {"zero_division": np.float32(0.5), "tokenize": "moses"},
    {"variant": "set", "tokenize": own_tokenizer},
    {"variant": "dsari", "sentence_splitter": str.splitlines},
]
each_state = pytest.mark.parametrize("options", TRAVELLING, ids=lambda options: " ".join(options) or "none")


def warned(scorer, state):
    with scorer.collect_warnings() as collected:
        state.compute()
    return [(type(warning).__name__, str(warning)) for warning in collected]


@each_state
def test_bytes_are_the_whole_state(sari, options):
    callables = {name: value for name, value in options.items() if callable(value)}
    asked = {"details": True, **({"confidence": 0.9, "resamples": 20} if options.get("resampling") else {})}
    half, other = state_of(sari, rows(0, 1), **options), state_of(sari, rows(2, 3), **options)
    data = half.to_bytes()
    read = sari.read_state(data, **callables)
    assert read.to_bytes() == data
    assert read.compute(**asked) == half.compute(**asked)
    other.merge(read)
    assert other.segments == 4
    read.merge(state_of(sari, rows(2, 3), **options))
    whole = state_of(sari, TEXTS, **options)
    assert read.compute(**asked) == whole.compute(**asked)
    assert warned(sari, read) == warned(sari, whole) != []
    empty = sari.read_state(sari.state(**options).to_bytes(), **callables)
    empty.merge(whole)
    assert empty.compute(**asked) == whole.compute(**asked)


def test_bytes_are_plain_and_small(sari):
    """A line of JSON where nothing of single segments is kept, with numbers that no place rounds."""
    state = state_of(sari, TEXTS, variant="easse")
    head = json.loads(state.to_bytes())
    assert head["state"] == VERSION
    assert head["signature"] == state.signature
    assert np.array(head["totals"]).dtype in (object, np.int64)
    assert str(ROOT) not in state.to_bytes().decode()
    assert os.environ["HF_HOME"] not in state.to_bytes().decode()


NO_STATE = "data: got bytes that are not a complete state, wanted those of State.to_bytes"


@pytest.mark.parametrize("damaged", [b"", b"{}\n", b"[1]", "x", None, slice(-8), slice(20)], ids=str)
def test_bytes_that_are_no_state_are_refused(sari, damaged):
    data = state_of(sari, TEXTS, sentences=True).to_bytes()
    with refuses(ValueError, NO_STATE):
        sari.read_state(data[damaged] if isinstance(damaged, slice) else damaged)
    with refuses(ValueError, NO_STATE):
        sari.read_state(data.replace(b'"state"', b'"other"'))


HEAD = json.loads(state_of(Scorer(), TEXTS).to_bytes())
HEADS = [{name: value for name, value in HEAD.items() if name != missing} for missing in HEAD]
HEADS += [
    {**HEAD, name: value}
    for name in HEAD
    for value in (None, "x", 0.5, ["x"], [[0.5]], {"x": 1}, [True, "x"])
    if name != "state" and (name, value) != ("signature", "x")
]
HEADS += [
    {**HEAD, "totals": [[1 << 63] * 40, [0] * 40, [0] * 40]},
    {**HEAD, "totals": [[1, 2], [3], [4, 5]]},
    {**HEAD, "totals": 0},
    {**HEAD, "segments": -4},
    {**HEAD, "segments": 0},
    {**HEAD, "segments": True},
    {**HEAD, "copies": 5},
    {**HEAD, "copies": -1},
    {**HEAD, "keeps": [True, True]},
    {**HEAD, "keeps": [False]},
    {**HEAD, "sample": [[[["a"], ["b"]]], 0, [1]]},
    {**HEAD, "sample": [[[["a"], ["b"], [[]]]], 0, [1]]},
]


@pytest.mark.parametrize("head", HEADS)
def test_heads_of_another_form_are_refused(head):
    with refuses(ValueError, NO_STATE):
        Scorer().read_state(json.dumps(head).encode() + b"\n")


def test_states_of_other_versions_and_signatures_are_refused(sari):
    data = state_of(sari, TEXTS).to_bytes()
    with refuses(ValueError, f"data: got a state of version '0.1', wanted one of {VERSION}"):
        sari.read_state(data.replace(f'"state": "{VERSION}"'.encode(), b'"state": "0.1"'))
    ours = f"sacrebleu:{version('sacrebleu')}"
    with refuses(ValueError, f"data: got a state of sacrebleu:2.0, wanted {ours}"):
        sari.read_state(data.replace(ours.encode(), b"sacrebleu:2.0"))
    custom = state_of(sari, TEXTS, tokenize=own_tokenizer)
    with refuses(ValueError, "data: got a state of tok:custom.own_tokenizer, wanted tok:custom.str.lower"):
        sari.read_state(custom.to_bytes(), tokenize=str.lower)
    with refuses(ValueError, "tokenize: got None, wanted the callable that the state was made with"):
        sari.read_state(custom.to_bytes())


# ---- Copies, pickles and other processes ----------------------------------------------------------------------------

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        module.__name__: lambda state, module=module: pickle.loads(module.dumps(state))
        for module in (pickle, dill, cloudpickle)
    },
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@each_state
def test_states_copy(scorer, options, copied):
    state = state_of(scorer, TEXTS, **options)
    other = copied(state)
    assert other.compute(details=True) == state.compute(details=True)
    other.merge(state)
    assert (state.segments, other.segments) == (4, 8)


THERE_AND_BACK = """
import json, pickle, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from as_package import make_importable

make_importable()
state = pickle.loads(Path(sys.argv[2]).read_bytes())
state.update(**json.loads(sys.argv[3]))
Path(sys.argv[2]).write_bytes(pickle.dumps(state))
print(json.dumps([state.compute(details=True), "evaluate" in sys.modules]))
"""


def test_pickled_states_open_in_a_new_process(scorer, tmp_path):
    """Those of the metric by loading its file, those of the package without `evaluate`."""
    file, home = tmp_path / "state", str(tmp_path / "another home")
    file.write_bytes(pickle.dumps(state_of(scorer, rows(0, 1), **OPTIONED)))
    expected = state_of(scorer, rows(0, 1, 2), **OPTIONED).compute(details=True)
    found = run(THERE_AND_BACK, ROOT, file, json.dumps(rows(2)), HF_HOME=home)
    assert found == [expected, type(scorer) is not Scorer]
    state = pickle.loads(file.read_bytes())
    assert state.segments == 3
    assert state.compute(details=True) == expected
    state.merge(state_of(scorer, rows(3), **OPTIONED))
    assert state.compute(details=True) == state_of(scorer, TEXTS, **OPTIONED).compute(details=True)


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


ELSEWHERE = """
import json, sys
from pathlib import Path
import evaluate

script, inbox, outbox, texts, options = *map(Path, sys.argv[1:4]), *map(json.loads, sys.argv[4:6])
sari = evaluate.load(str(script))
state = sari.state(**options)
if inbox.exists():
    state.merge(sari.read_state(inbox.read_bytes()))
state.update(**texts)
outbox.write_bytes(state.to_bytes())
print(json.dumps(state.compute(details=True)))
"""


def test_bytes_of_two_machines(sari, tmp_path):
    """Each has a copy and a cache of its own, and what the first one had is gone when the second one reads."""
    first, second = tmp_path / "first", tmp_path / "second"
    for home in (first, second):
        (home / "sari").mkdir(parents=True)
        for file in ROOT.glob("*.py"):
            shutil.copy(file, home / "sari")
    for home, texts in [(first, rows(0, 1)), (second, rows(2, 3))]:
        arguments = [home / "sari", tmp_path / "state", tmp_path / "state", json.dumps(texts), json.dumps(OPTIONED)]
        found = run(ELSEWHERE, *arguments, HF_HOME=str(home / "cache"))
        shutil.rmtree(home)
    assert found == state_of(sari, TEXTS, **OPTIONED).compute(details=True)
    assert sari.read_state((tmp_path / "state").read_bytes()).compute(details=True) == found
    assert load(config_name="easse").read_state((tmp_path / "state").read_bytes()).compute(details=True) == found
