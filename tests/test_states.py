"""States: batches and shards that merge to the whole, as bytes, in pickles and in other processes, and refusals."""

import json
import os
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from itertools import permutations, product
from operator import methodcaller
from threading import Lock
from zlib import crc32

import numpy as np
import pytest
from conftest import ROOT
from four_segments import COPIES, TEXTS, Breaks, own_tokenizer, repeated, rows, run, state_of
from refusals import refuses

from sari.sari_scorer import Scorer
from sari.variants import VERSION

OPTIONED = {"variant": "easse", "tokenize": "intl", "zero_division": 0.5, "sentences": True}
INTERVALS = {"confidence": 0.9, "resamples": 20}


def test_a_state_has_the_results_of_the_scorer(scorer):
    """Sentence scores and intervals only if it keeps what they need."""
    whole = scorer.compute(**TEXTS, details=True)
    state = state_of(scorer, TEXTS)
    assert state.compute(details=True) == {name: value for name, value in whole.items() if name != "sentences"}
    assert state_of(scorer, TEXTS, sentences=True).compute(details=True) == whole
    for options in (INTERVALS, {**INTERVALS, "seed": 2}):
        assert state_of(scorer, TEXTS, resampling=True).compute(**options) == scorer.compute(**TEXTS, **options)
    with scorer.collect_warnings() as collected:
        state_of(scorer, TEXTS, resampling=True).compute(**INTERVALS)
    assert [type(warning).__name__ for warning in collected] == ["EmptyTextsWarning", "ResamplingWarning"]
    with refuses(ValueError, "confidence: got a state without resampling=True, expected one with it"):
        state.compute(**INTERVALS)
    with refuses(ValueError, "statistics: got keeps_sentences=False, expected keeps_sentences=True"):
        state._statistics.sentences()
    assert repr(Scorer("paper").state()) == "State(Scorer(variant='paper'), segments=0)"


def test_a_batch_is_added_and_has_the_scores_of_its_rows(scorer):
    for kept in ({}, {"sentences": True}, {"resampling": True}):
        state = scorer.state(**kept)
        found = [state.score_batch(rows(*numbers), ids=numbers) for numbers in ([0], [1, 2, 3])]
        assert found == [scorer.score_batch(rows(0)), scorer.score_batch(rows(1, 2, 3))]
        assert state.to_bytes() == state_of(scorer, TEXTS, **kept).to_bytes()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("sources", None, "sources[{}]: got a missing value (None), expected str"),
        ("predictions", 5, "predictions[{}]: got int, expected str"),
        ("references", [], "references[{}]: got no reference, expected at least one"),
        ("references", ["a", None], "references[{}][1]: got a missing value (None), expected str"),
        ("references", 5, "references[{}]: got int, expected a list of str or one str"),
        ("references", ['["a", null]'], "references[{}][1]: got a missing value (None), expected str"),
    ],
)
def test_a_bad_row_is_named_by_its_id(scorer, column, value, message):
    batch = rows(0, 1, 2)
    batch[column][2] = value
    for ids, name in (
        ([7, 8, 9], "9"),
        (np.array(["a", "b", "c"]), "'c'"),
        (range(4, 7), "6"),
        (None, "2"),
        ([7], "2"),
    ):
        for add in (partial(scorer.state().update, **batch), partial(scorer.score_batch, batch)):
            with refuses(ValueError, message.format(name)):
                add(ids=ids)
    with refuses(ValueError, "ids: got 1 row, expected 3 (as in sources)"):
        scorer.state().update(**rows(0, 1, 2), ids=[7])


def test_a_failed_update_leaves_the_state_as_it_was(scorer):
    state = scorer.with_options(tokenize=Breaks(1_500, RuntimeError("out of words"))).state(sentences=True)
    state.update(**TEXTS)
    before = state.compute(details=True)
    with refuses(ValueError, "tokenize: the tokenizer raised RuntimeError: out of words"):
        state.update(**repeated(200))
    assert (state.segments, state.compute(details=True)) == (4, before)


# ---- Merging --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "others", "got", "expected"),
    [
        ({}, {"zero_division": 0}, "variant:hf+zero", "variant:hf"),
        ({"lowercase": False}, {"deletion": "f1"}, "variant:hf+del", "variant:hf+case"),
        ({"sentences": True}, {}, "sentences=False", "sentences=True"),
        ({}, {"resampling": True}, "resampling=True", "resampling=False"),
    ],
)
def test_states_that_differ_do_not_merge(scorer, options, others, got, expected):
    state = state_of(scorer, rows(0), **options)
    with refuses(ValueError, f"other: got a state with '{got}', expected '{expected}'"):
        state.merge(state_of(scorer, rows(1), **others))
    assert state.segments == 1
    with refuses(TypeError, "other: got str, expected a State"):
        state.merge("state")


def shards_of(scorer, *names, **options):
    """Return a state for each name, of one segment each."""
    return [state_of(scorer, rows(place), shard=name, **options) for place, name in enumerate(names)]


def test_shards_with_names_merge_in_any_order(scorer):
    """To one state: that of the texts in the order of the names, in which 10 is after 9."""
    kept = {"sentences": True, "resampling": True}
    whole = state_of(scorer, TEXTS, **kept)
    for order in permutations(shards_of(scorer, "part-2", "part-9", "part-10", "q", **kept)):
        merged = scorer.merge_states(order)
        assert results(merged) == results(whole)
        assert merged.to_bytes() == scorer.merge_states(map(methodcaller("to_bytes"), order[::-1])).to_bytes()
        assert merged.shards == {"part-2": 1, "part-9": 1, "part-10": 1, "q": 1}
    assert [state.segments for state in order] == [1] * 4
    assert repr(order[0]) == f"State({scorer!r}, segments=1, shards=1)"
    with refuses(
        ValueError, "state: got a batch after 4 shards were merged, expected it before, in the state of its shard"
    ):
        merged.update(**rows(0))


def test_a_shard_merges_once(scorer):
    one, other, *_ = shards_of(scorer, "one", "other", "?", "?")
    with refuses(ValueError, "other: got shard 'one' a second time, expected each shard once"):
        scorer.merge_states([one, other, one])
    for pair in ([one, state_of(scorer, rows(1))], [state_of(scorer, rows(1)), one]):
        with refuses(
            ValueError, "other: got shards of which only some have names, expected a name for each, or for none"
        ):
            scorer.merge_states(pair)
    assert scorer.merge_states([scorer.state(), one, scorer.state()]).shards == {"one": 1}
    with refuses(TypeError, "shard: got 17, expected a str"):
        scorer.state(shard=17)


def test_merging_of_no_states_and_of_others(scorer):
    assert (scorer.merge_states([]).segments, scorer.merge_states([]).scorer) == (0, scorer)
    for states, got in (("x", "str"), ([1], "int")):
        with refuses(TypeError, f"states[0]: got {got}, expected a State"):
            scorer.merge_states(states)


def test_more_segments_than_sums_can_hold_are_refused(scorer):
    state = state_of(scorer, repeated(1 << 10))
    while state.segments < 1 << 32:
        state = state + state
    assert scorer.read_state(state.to_bytes()).compute() == scorer.compute(**TEXTS)
    with refuses(ValueError, "state: got 8,589,934,592 segments, expected at most 4,294,967,296"):
        state + state


@pytest.mark.parametrize("options", [{}, {"baseline": "other"}, {"all_pairs": True, "confidence": None}])
def test_states_of_systems_are_compared(scorer, options):
    """As their texts are, whatever the order of shards."""
    systems = {"one": TEXTS["predictions"], "other": TEXTS["sources"], "third": ["No."] * 4}
    options = {"resamples": 50, "details": True, **options}
    states = {}
    for system, outputs in systems.items():
        shards = [scorer.state(resampling=True, sentences=True, shard=name) for name in "abcd"]
        for place, shard in enumerate(shards):
            shard.update(**{**rows(place), "predictions": [outputs[place]]})
        states[system] = scorer.merge_states(shards[:: (-1) ** len(states)])
    with scorer.collect_warnings() as expected:
        whole = scorer.compare(**{**TEXTS, "predictions": systems}, **options)
    with scorer.collect_warnings() as collected:
        assert scorer.compare_states(states, **options) == whole
        assert scorer.compare_states({name: one.to_bytes() for name, one in states.items()}, **options) == whole
    assert list(map(str, collected)) == list(map(str, expected)) * 2


def test_states_of_other_segments_are_not_compared(scorer):
    one, kept = state_of(scorer, TEXTS, resampling=True), {"resampling": True}
    others = {**TEXTS, "sources": ["A b c d"] * 4}
    for states, got in (
        ({}, "states: got {}, expected a dict of names and states"),
        ({"a": state_of(scorer, TEXTS)}, "states: got states without resampling=True, expected states with it"),
        ({"a": "x"}, "states['a']: got str, expected a State"),
        (
            {"a": one, "b": state_of(scorer, rows(0), **kept)},
            "states['b']: got a state with '1 segment', expected '4 segments'",
        ),
        (
            {"a": one, "b": state_of(scorer, TEXTS, shard="x", **kept)},
            "states['b']: got a state with '4 in shard x', expected 'references: 2'",
        ),
        (
            {"a": one, "b": state_of(scorer, others, **kept)},
            "states['b']: got a state of other sources, expected those of the first system",
        ),
    ):
        with refuses((ValueError, TypeError), got):
            scorer.compare_states(states)


def cut_at(length):
    def cut(text, *, until=length):
        return text[:until]

    return cut


def upper(function):
    return lambda text: function(text).upper()


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
        (cut_at(np.arange(3)), cut_at(np.arange(3)), cut_at(np.arange(2))),
        (upper(cut_at(3)), upper(cut_at(3)), upper(cut_at(2))),
        (Cutter(3), Cutter(3), Cutter(2)),
        (LOCKED, LOCKED, Cutter(Lock())),
        (lambda text: text.upper(), lambda text: text.upper(), lambda text: text.title()),
    ],
    ids=["keyword", "array", "closure", "object", "lock", "code"],
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


def test_states_can_be_added(sari):
    """Those of the metric and of the package, too."""
    whole = state_of(sari, TEXTS, **OPTIONED).compute(details=True)
    for one, other in ((sari, Scorer()), (Scorer(), sari)):
        parts = [state_of(one, rows(0), **OPTIONED), state_of(other, rows(1, 2, 3), **OPTIONED)]
        assert sum(parts).compute(details=True) == whole
        assert [part.segments for part in parts] == [1, 3]
        with pytest.raises(TypeError):
            1 + parts[0]


# ---- As bytes -------------------------------------------------------------------------------------------------------


def results(state):
    """Return all that a state says, and the warnings about it."""
    intervals = INTERVALS if b'"resampling": true' in state.to_bytes() else {}
    with state.scorer.collect_warnings() as collected:
        scores = state.compute(details=True, **intervals)
    return scores, [(type(warning).__name__, str(warning)) for warning in collected]


@pytest.mark.parametrize(
    "options",
    [
        OPTIONED,
        {"sentences": True, "resampling": True, "max_order": np.int64(2)},
        {"zero_division": np.float32(0.5), "resampling": True},
        {"variant": "set", "tokenize": own_tokenizer},
        {"variant": "dsari", "sentence_splitter": str.splitlines},
    ],
    ids=" ".join,
)
def test_bytes_are_the_whole_state(sari, options):
    callables = {name: value for name, value in options.items() if callable(value)}
    texts = {**rows(0, 1), "references": ['["[]"]'] * 2}  # what is read from JSON is not read again
    half, whole = state_of(sari, texts, **options), state_of(sari, TEXTS, **options)
    for scorer in (sari.with_options(**callables), Scorer("paper", **callables)):
        read = scorer.read_state(half.to_bytes())
        assert read.to_bytes() == half.to_bytes()
        assert (read.scorer.variant.options, results(read)) == (half.scorer.variant.options, results(half))
        empty = scorer.read_state(state_of(sari, rows(), **options).to_bytes())
        empty.merge(half)
        assert results(empty) == results(half)
    read.merge(whole)
    half.merge(whole)
    assert results(read) == results(half)


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
        (b'"segments": 4, ', b"", "a state with segments None, expected what State.to_bytes writes"),
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
    for content in (b"[" * 100_000, b"\xff"):
        with refuses(ValueError, "data: got bytes that are not a state, expected those of State.to_bytes"):
            sari.read_state(signed(content))
    for changes, sampled in (({"texts": []}, 0), ({"nrefs": []}, 4), ({"ends": []}, 4)):
        with refuses(ValueError, f"data: got a state of 4 segments with {sampled} sampled ones, expected some of them"):
            sari.read_state(forged(data, **changes))
    sums, number_and_checksum = state_of(sari, TEXTS).to_bytes(), 8 + 32
    for state, number, kind in ((data, -1, "<f8"), (data, np.nan, "<f8"), (sums, -1, "<i8"), (sums, 1 << 62, "<i8")):
        with refuses(ValueError, "data: got a state with numbers out of range, expected counts, and scores in percent"):
            sari.read_state(signed(state[:-number_and_checksum] + np.array(number, kind).tobytes()))


def test_callables_are_those_of_the_scorer(sari):
    data = state_of(sari, TEXTS, tokenize=own_tokenizer).to_bytes()
    got = "a state with 'tok:four_segments:own_tokenizer'"
    with refuses(ValueError, f"data: got {got}, expected 'tok:custom.str.lower'"):
        sari.with_options(tokenize=str.lower).read_state(data)


#: Values for every field of the first line of a state.
HOSTILE = [None, True, -1, 2.5, 1 << 70, "x", "1234", {}, {"lowercase": 1}, {"variant": "easse", "level": 1}]
HOSTILE += [[], ["x"], [None], [{}], [0], [1], [[1, "a", "b"]], [[-1, "a", "b"]], [[1, "a", "\ud800"]]]
HOSTILE += [[["outputs", "", number]] for number in (1, -1, 1 << 53)] + [[["x", "", 1]]]
HOSTILE += [[[1, "a", "b", value]] for value in ("c", [], ["c"], ["\ud800"])]
HOSTILE += [[["a", "a", "b", ["c"]]], [[1, "a", "b", ["c"], 5]]]


def test_forged_states_are_refused_in_one_line():
    """Or they are states, which compute and merge."""
    data = state_of(Scorer("easse"), TEXTS, sentences=True).to_bytes()
    taken, refusals = [], []
    for name, value in product(json.loads(data.partition(b"\n")[0]), HOSTILE):
        try:
            state = Scorer().read_state(forged(data, **{name: value}))
            (state + state).compute(details=True)
        except (ValueError, TypeError) as error:
            refusals.append(str(error))
        else:
            taken.append((name, value))
    assert [message for message in refusals if len(message) > 200 or not re.fullmatch(r"\w+: got .+", message)] == []
    missing = [("ends", [[1, "a", "b"]]), ("missing", []), ("missing", [["outputs", "", 1]])]
    assert taken == [("options", {}), ("callables", []), ("sentences", True), ("shards", []), *missing]


def sampled(number, text="a", references=1):
    sources = [f"{row} {text}" for row in range(number)]
    return sorted([crc32(source.encode()), source, "b", ["c"] * references] for source in sources)


@pytest.mark.parametrize(
    "texts",
    [
        [[1, "a", "b", ["c"]]],
        sampled(33),
        sampled(12, "." * 4_000),
        sampled(2)[:1] * 2,
        sampled(1, references=2),
        sampled(2)[::-1],
    ],
    ids=["another key", "too many", "too long", "one twice", "more references", "another order"],
)
def test_a_state_has_texts_that_are_a_sample(texts):
    data = state_of(Scorer("easse"), {**repeated(20), "references": [["c"]] * 80}).to_bytes()
    assert Scorer().read_state(forged(data, texts=sampled(2))).segments == 80
    with refuses(ValueError, "data: got a state with texts that are no sample, expected what State.to_bytes writes"):
        Scorer().read_state(forged(data, texts=texts))


def test_a_state_of_somebody_else_starts_no_download(monkeypatch, tmp_path, caplog):
    """Its outputs are copies, which its variant may reward; to look closer would take the tokenizer."""
    pytest.importorskip("sentencepiece")
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    scorer = Scorer("easse_legacy", tokenize="flores200")
    head = {
        "options": scorer.options | {"variant": "easse_legacy"},
        "signature": scorer.variant.signature({1}),
        "texts": sorted([crc32(name.encode()), name, name, ["c"]] for name in "abcdefghijkl"),
        "nrefs": [1],
    }
    state = Scorer().read_state(forged(state_of(Scorer("easse_legacy"), repeated(3)).to_bytes(), **head))
    with Scorer().collect_warnings() as collected:
        state.compute(details=True)
    assert "RewardsCopyingWarning" in [type(warning).__name__ for warning in collected]
    assert (caplog.records, [*tmp_path.iterdir()]) == ([], [])


# ---- Copies, pickles and other processes ----------------------------------------------------------------------------


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_states_copy(scorer, copied):
    state = state_of(scorer, TEXTS, **OPTIONED, resampling=True)
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
    state.merge(state_of(Scorer(), rows(3), **OPTIONED))  # also of another copy of the module
    assert state.compute(details=True) == state_of(scorer, TEXTS, **OPTIONED).compute(details=True)
