"""States: batches and shards that merge to the whole, as bytes, in pickles and in other processes, and refusals."""

import json
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from threading import Lock

import numpy as np
import pytest
from conftest import ROOT
from four_segments import COPIES, TEXTS, own_tokenizer, repeated, rows, run, state_of
from refusals import refuses

from sari.corpus_statistics import score_columns
from sari.sari_scorer import Scorer
from sari.validation import validate_columns
from sari.variants import VERSION, resolve_variant

OPTIONED = {"variant": "easse", "tokenize": "intl", "zero_division": 0.5, "sentences": True}
INTERVALS = {"confidence": 0.9, "resamples": 20, "seed": 2}


def test_a_state_has_the_results_of_the_scorer(scorer):
    """Sentence scores and intervals only if it keeps what they need."""
    whole = scorer.compute(**TEXTS, details=True)
    state = state_of(scorer, TEXTS)
    assert state.compute(details=True) == {name: value for name, value in whole.items() if name != "sentences"}
    assert state_of(scorer, TEXTS, sentences=True).compute(details=True) == whole
    assert state_of(scorer, TEXTS, resampling=True).compute(**INTERVALS) == scorer.compute(**TEXTS, **INTERVALS)
    with refuses(ValueError, "confidence: got a state without resampling=True, expected one with it"):
        state.compute(**INTERVALS)
    assert repr(Scorer("paper").state()) == "State(Scorer(variant='paper'), segments=0)"


@pytest.mark.parametrize(
    ("method", "arguments", "lacks"),
    [("sentences", (), "sentences"), ("rows", (), "rows"), ("scores_of", ([0],), "rows")],
)
def test_what_is_not_kept_is_refused(method, arguments, lacks):
    corpus = score_columns(validate_columns(**TEXTS), resolve_variant())
    with refuses(ValueError, f"statistics: got keeps_{lacks}=False, expected keeps_{lacks}=True"):
        getattr(corpus, method)(*arguments)


# ---- Merging --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "others", "got", "expected"),
    [
        ({}, {"zero_division": 0}, "variant:hf+zero", "variant:hf"),
        ({"lowercase": False}, {"deletion": "f1"}, "variant:hf+del", "variant:hf+case"),
        *(
            ({name: kept}, {name: not kept}, f"{name}={not kept}", f"{name}={kept}")
            for name in ("sentences", "resampling")
            for kept in (True, False)
        ),
    ],
)
def test_states_that_differ_do_not_merge(scorer, options, others, got, expected):
    state = state_of(scorer, rows(0), **options)
    before = state.compute(details=True)
    with refuses(ValueError, f"other: got a state with '{got}', expected '{expected}'"):
        state.merge(state_of(scorer, rows(1), **others))
    assert (state.segments, state.compute(details=True)) == (1, before)
    with refuses(TypeError, "other: got str, expected a State"):
        state.merge("state")


def cut_at(length):
    return lambda text: text[:length]


def cut_by(until):
    def cut(text, *, until=until):
        return text[:until]

    return cut


class Cutter:
    def __init__(self, length):
        self.length = length

    def __call__(self, text):
        return text[: self.length]


LOCKED = Cutter(Lock())  # it cannot be pickled


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (cut_at(3), cut_at(3), cut_at(2)),
        (cut_by(until=3), cut_by(until=3), cut_by(until=2)),
        (cut_at(cut_at(3)), cut_at(cut_at(3)), cut_at(cut_at(2))),
        (cut_at(np.arange(3)), cut_at(np.arange(3)), cut_at(np.arange(2))),
        (Cutter(3), Cutter(3), Cutter(2)),
        (Cutter(3).__call__, Cutter(3).__call__, Cutter(2).__call__),
        (LOCKED, LOCKED, Cutter(Lock())),
        (cut_at(LOCKED), cut_at(LOCKED), cut_at(Cutter(Lock()))),
        (lambda text: text.upper(), lambda text: text.upper(), lambda text: text.title()),
        (lambda *text: text, lambda *text: text, lambda text: text),
        (partial(str.replace, "a"), partial(str.replace, "a"), partial(str.split, "a")),
    ],
)
def test_functions_of_one_name_are_told_apart(scorer, one, same, other):
    state = scorer.with_options(tokenize=one).state()
    state.merge(scorer.with_options(tokenize=same).state())
    with refuses(ValueError, "other: got a state whose tokenize differs or cannot be compared, expected the same one"):
        state.merge(scorer.with_options(tokenize=other).state())


def test_threads_update_one_state(scorer):
    """Nothing is lost when threads update and merge at once."""
    state, interval = scorer.state(sentences=True), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for place in range(100):
                pool.submit(state.update, **rows(place % 4))
                pool.submit(state.merge, state_of(scorer, rows(place % 4), sentences=True))
    finally:
        sys.setswitchinterval(interval)
    assert (state.segments, state.compute()) == (200, scorer.compute(**repeated(50)))


def test_states_of_metric_and_package_merge(sari):
    for one, other in ((sari, Scorer()), (Scorer(), sari)):
        state = state_of(one, rows(0, 1), **OPTIONED)
        state.merge(state_of(other, rows(2, 3), **OPTIONED))
        assert state.compute(details=True) == state_of(one, TEXTS, **OPTIONED).compute(details=True)


def test_states_can_be_added(scorer):
    parts = [state_of(scorer, rows(number), sentences=True) for number in range(4)]
    added = parts[0] + parts[1] + (parts[2] + parts[3])
    assert added.compute(details=True) == scorer.compute(**TEXTS, details=True)
    assert [part.segments for part in parts] == [1] * 4
    with pytest.raises(TypeError):
        1 + parts[0]


# ---- As bytes -------------------------------------------------------------------------------------------------------

each_state = pytest.mark.parametrize(
    "options",
    [
        {},
        OPTIONED,
        {"variant": "easse", "resampling": True},
        {"sentences": True, "resampling": True, "max_order": np.int64(2)},
        {"zero_division": np.float32(0.5), "tokenize": "moses"},
        {"variant": "set", "tokenize": own_tokenizer},
        {"variant": "dsari", "sentence_splitter": str.splitlines},
    ],
    ids=lambda options: " ".join(options) or "none",
)


def results(state):
    """Return all that a state says, and the warnings about it."""
    intervals = INTERVALS if "resampling=True" in repr(state.to_bytes()) else {}
    with Scorer().collect_warnings() as collected:
        scores = state.compute(details=True, **intervals)
    return scores, [(type(warning).__name__, str(warning)) for warning in collected]


@each_state
def test_bytes_are_the_whole_state(sari, options):
    callables = {name: value for name, value in options.items() if callable(value)}
    half, other, whole = (state_of(sari, texts, **options) for texts in (rows(0, 1), rows(2, 3), TEXTS))
    data = half.to_bytes()
    for scorer in (sari.with_options(**callables), Scorer("paper", **callables)):
        read = scorer.read_state(data)
        assert read.to_bytes() == data
        assert (read.scorer.variant.options, results(read)) == (half.scorer.variant.options, results(half))
    read = sari.with_options(**callables).read_state(data)
    read.merge(other)
    empty = sari.with_options(**callables).read_state(state_of(sari, rows(), **options).to_bytes())
    empty.merge(whole)
    one_reference = state_of(sari, {**rows(0), "references": ['["[]"]']}, **options)
    assert results(sari.with_options(**callables).read_state(one_reference.to_bytes())) == results(one_reference)
    assert results(read) == results(empty) == results(whole)
    other.merge(half)
    assert other.segments == 4


def test_bytes_hold_nothing_of_this_machine(sari):
    """Nor do they grow with the segments, if nothing of single segments is kept."""
    small, large = (state_of(sari, repeated(times), variant="easse").to_bytes() for times in (100, 2_000))
    assert len(large) - len(small) < 1_000
    line, _, _ = small.partition(b"\n")
    assert json.loads(line)["state"] == VERSION
    for path in (str(ROOT), os.environ["HF_HOME"]):
        assert path.encode() not in line


def signed(content):
    """Return bytes with the checksum of a state behind them."""
    return content + sha256(content).digest()


def forged(data, **changes):
    """Return the bytes of a state with other values in its head, and a checksum that fits."""
    line, _, numbers = data[:-32].partition(b"\n")
    return signed(json.dumps({**json.loads(line), **changes}).encode() + b"\n" + numbers)


OURS, OF_THIS = f"sacrebleu:{version('sacrebleu')}", f"version:{VERSION}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"state": "', b'"state": "0', f"a state of version '0{VERSION}', expected one of {VERSION}"),
        (OURS.encode(), b"sacrebleu:2.0", f"a state with 'sacrebleu:2.0', expected '{OURS}'"),
        (f'|{OF_THIS}"'.encode(), b'"', f"a state with '', expected '{OF_THIS}'"),
        (f'|{OF_THIS}"'.encode(), f'|{OF_THIS}|x:1"'.encode(), "a state with 'x:1', expected ''"),
        (b'"segments": 4', b'"segments": 5', "a state with 1064 bytes of numbers, expected 1096"),
        (b'"segments": 4', b'"segments": 3', "a state of 3 segments with 4 sampled ones, expected some of them"),
        (b'"segments": 4', b'"segments": true', "a state with segments True, expected what State.to_bytes writes"),
        (b'"segments": 4', b'"segments": -1', "a state with segments -1, expected what State.to_bytes writes"),
        (b'"segments": 4, ', b"", "a state with segments None, expected what State.to_bytes writes"),
        (b'"nrefs": [2]', b'"nrefs": ["2"]', "a state with nrefs ['2'], expected what State.to_bytes writes"),
        (b"{", b"[{", "bytes that are not a state, expected those of State.to_bytes"),
    ],
)
def test_bytes_of_other_states_are_refused(sari, old, new, message):
    data = state_of(sari, TEXTS, sentences=True).to_bytes()[:-32]
    assert sari.read_state(signed(data)).segments == 4
    with refuses(ValueError, f"data: got {message}"):
        sari.read_state(signed(data.replace(old, new, 1)))


def test_damaged_bytes_are_refused(sari):
    data = state_of(sari, TEXTS, sentences=True).to_bytes()
    damaged = [b"", b"{}\n", "x", None, data[:-8], data + data[-8:], data[:20], data.replace(b"4", b"5", 1), data[1:]]
    for one in damaged:
        with refuses(ValueError, "data: got bytes that are not a complete state, expected those of State.to_bytes"):
            sari.read_state(one)
    for changes, sampled in (({"texts": []}, 0), ({"nrefs": []}, 4)):
        with refuses(ValueError, f"data: got a state of 4 segments with {sampled} sampled ones, expected some of them"):
            sari.read_state(forged(data, **changes))
    sums = state_of(sari, TEXTS).to_bytes()
    for state, number, kind in ((data, -1, "<f8"), (data, np.nan, "<f8"), (sums, -1, "<i8"), (sums, 1 << 62, "<i8")):
        with refuses(ValueError, "data: got a state with numbers out of range, expected counts, and scores in percent"):
            sari.read_state(signed(state[:-40] + np.array(number, kind).tobytes()))


def test_callables_are_those_of_the_scorer(sari):
    data = state_of(sari, TEXTS, tokenize=own_tokenizer).to_bytes()
    got = "a state with 'tok:four_segments:own_tokenizer'"
    with refuses(ValueError, f"data: got {got}, expected 'tok:custom.str.lower'"):
        sari.with_options(tokenize=str.lower).read_state(data)


HOSTILE = [None, True, -1, 2.5, 1 << 70, "x", [], ["x"], [None], [[1, 2]], [[1, "a", "b", "c"]], {}, {"variant": ["x"]}]
HOSTILE += [{"variant": "easse", "level": 1}, [[1, "\ud800", "b", ["c"]]], [[1, "a", "b", []]], {"lowercase": 1}]
HOSTILE += [[["a", "a", "b", ["c"]]], [{}], [[1, "a", "b", ["c"], 5]], "1234"]


@pytest.mark.parametrize("keeps", [{}, {"sentences": True}, {"resampling": True}])
@pytest.mark.parametrize("variant", ["easse", "hf"])
def test_forged_states_are_refused_in_one_line(variant, keeps):
    """Or they are states, which compute and merge."""
    data = state_of(Scorer(variant), TEXTS, **keeps).to_bytes()
    bad = [forged(data, **{name: value}) for name in json.loads(data.partition(b"\n")[0]) for value in HOSTILE]
    for one in (*bad, *map(signed, (b"[" * 100_000, b"\xff", data[:-32] + b"\0"))):
        message = ""
        try:
            read = Scorer().read_state(one)
            assert (type(read.segments), read.segments) == (int, len(TEXTS["sources"]))
            read.merge(read)
            read.compute(details=True, **(INTERVALS if "resampling" in keeps else {}))
        except (ValueError, TypeError) as error:
            message = str(error)
        assert len(message) <= 200
        assert "\n" not in message


# ---- Copies, pickles and other processes ----------------------------------------------------------------------------


@each_state
def test_states_copy(scorer, options):
    state = state_of(scorer, TEXTS, **options)
    for copied in COPIES.values():
        other = copied(state)
        assert results(other) == results(state)
        other.merge(state)
        assert (state.segments, other.segments) == (4, 8)


THERE_AND_BACK = """
import json, pickle, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from as_package import make_importable

make_importable()
state, scorer = pickle.loads(Path(sys.argv[2]).read_bytes())
segment, texts = json.loads(sys.argv[3])
state.update(**segment)
Path(sys.argv[2]).write_bytes(pickle.dumps(state))
results = [state.compute(details=True), scorer.compute(**texts, details=True)]
print(json.dumps([*results, "evaluate" in sys.modules]))
"""


def test_pickles_open_in_a_new_process(scorer, tmp_path):
    """Those of the metric by loading its file, those of the package without `evaluate`."""
    file, another = tmp_path / "pickle", scorer.with_options(variant="easse", tokenize="intl", max_order=2)
    file.write_bytes(pickle.dumps([state_of(scorer, rows(0, 1), **OPTIONED), another]))
    home = str(tmp_path / "another home")
    there = run(THERE_AND_BACK, ROOT, file, json.dumps([rows(2), TEXTS]), HF_HOME=home)
    expected = state_of(scorer, rows(0, 1, 2), **OPTIONED).compute(details=True)
    assert there == [expected, another.compute(**TEXTS, details=True), type(scorer) is not Scorer]
    state = pickle.loads(file.read_bytes())
    state.merge(state_of(scorer, rows(3), **OPTIONED))
    assert state.compute(details=True) == state_of(scorer, TEXTS, **OPTIONED).compute(details=True)
