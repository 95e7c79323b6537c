"""States: batches and shards that merge to the whole, as bytes, in pickles and in other processes, and refusals."""

import json
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from hashlib import sha256
from importlib.metadata import version
from operator import add

import numpy as np
import pytest
from conftest import ROOT
from four_segments import (
    COPIES,
    NAMES,
    TEXTS,
    own_tokenizer,
    repeated,
    rows,
    run,
    state_of,
)
from refusals import refuses

from sari.aggregation import SCORES
from sari.sari_scorer import Scorer
from sari.variants import VERSION

OPTIONED = {"variant": "easse", "tokenize": "intl", "zero_division": 0.5, "sentences": True}


def test_details_of_a_state(scorer):
    state = scorer.state()
    state.update(**TEXTS)
    assert state.compute() == scorer.compute(**TEXTS)
    assert list(state.compute(details=True)) == [*NAMES, "signature", "orders"]
    state = scorer.state(sentences=True)
    state.update(**TEXTS)
    assert state.compute(details=True) == scorer.compute(**TEXTS, details=True)


# ---- Merging --------------------------------------------------------------------------------------------------------


def test_states_of_other_options_do_not_merge(scorer):
    state = state_of(scorer, rows(0))
    before = state.compute(details=True)
    for options, differ in (
        ({"zero_division": 0}, "variant:hf+zero, expected variant:hf"),
        ({"lowercase": False, "deletion": "f1"}, "variant:hf+case+del, expected variant:hf"),
    ):
        with refuses(ValueError, f"other: got a state with {differ}"):
            state.merge(state_of(scorer, rows(1), **options))
    assert (state.segments, state.compute(details=True)) == (1, before)


def test_states_that_keep_other_things_do_not_merge(scorer):
    for name in ("sentences", "resampling"):
        for kept in (True, False):
            with refuses(ValueError, f"other: got a state with {name}={not kept}, expected {name}={kept}"):
                scorer.state(**{name: kept}).merge(scorer.state(**{name: not kept}))
    for other in (None, {}, "state"):
        with refuses(TypeError, f"other: got {type(other).__name__}, expected a State"):
            scorer.state().merge(other)


class OwnTokenizer:
    def __call__(self, text):
        return text.replace("-", " ")


def test_states_of_equal_signatures_merge_after_pickling(scorer):
    options = {"variant": "easse", "tokenize": OwnTokenizer()}
    whole = state_of(scorer, rows(0, 1), **options)
    whole.merge(pickle.loads(pickle.dumps(state_of(scorer, rows(2, 3), **options))))
    assert whole.compute(details=True) == state_of(scorer, TEXTS, **options).compute(details=True)


def cut_at(length):
    return lambda text: text[:length]


def test_states_of_other_functions_of_one_name_do_not_merge(scorer):
    functions = [lambda text: text.upper(), lambda text: text.title(), cut_at(1), cut_at(2)]
    functions += [partial(str.replace, "a"), partial(str.split, "a")]
    for place, one in enumerate(functions):
        state = scorer.with_options(tokenize=one).state()
        other = functions[place ^ 1]
        with refuses(ValueError, "other: got a state with another tokenize of the same name, expected the same one"):
            state.merge(scorer.with_options(tokenize=other).state())
    a, b = cut_at(3), cut_at(3)
    scorer.with_options(tokenize=a).state().merge(scorer.with_options(tokenize=b).state())


def test_a_state_says_what_it_is():
    assert repr(Scorer("paper").state()) == "State(Scorer(variant='paper'), segments=0)"


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
    whole = scorer.compute(**{name: column * 50 for name, column in TEXTS.items()})
    assert (state.segments, state.compute()) == (200, whole)


def test_a_read_state_has_the_options_of_its_scorer(scorer):
    read = Scorer("paper", max_order=2).read_state(state_of(scorer, TEXTS, variant="easse", lowercase=False).to_bytes())
    assert read.scorer.options == {"variant": "easse", "lowercase": False}


def test_states_of_metric_and_package_merge(sari):
    for one, other in ((sari, Scorer()), (Scorer(), sari)):
        state = state_of(one, rows(0, 1), **OPTIONED)
        state.merge(state_of(other, rows(2, 3), **OPTIONED))
        assert state.compute(details=True) == state_of(one, TEXTS, **OPTIONED).compute(details=True)


def test_states_can_be_added(scorer):
    parts = [state_of(scorer, rows(number), sentences=True) for number in range(4)]
    whole = scorer.compute(**TEXTS, details=True)
    for added in (sum(parts), reduce(add, parts), parts[0] + parts[1] + (parts[2] + parts[3])):
        assert added.compute(details=True) == whole
    assert [part.compute(details=True) for part in parts] == [scorer.compute(**rows(n), details=True) for n in range(4)]
    for wrong in (lambda: parts[0] + 1, lambda: 1 + parts[0]):
        with pytest.raises(TypeError):
            wrong()


# ---- Confidence intervals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_states_that_keep_rows_have_intervals(scorer, variant):
    whole = scorer.with_options(variant=variant).state(resampling=True)
    for half in (rows(0, 1), rows(2, 3)):
        whole.merge(pickle.loads(pickle.dumps(state_of(scorer, half, variant=variant, resampling=True))))
    asked = {"confidence": 0.9, "resamples": 50, "seed": 2}
    assert whole.compute(**asked) == scorer.with_options(variant=variant).compute(**TEXTS, **asked)
    with refuses(ValueError, "confidence: got a state without resampling=True, expected one with it"):
        state_of(scorer, TEXTS, variant=variant).compute(confidence=0.9)


# ---- Statistics of a corpus -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["hf", "easse", "t2t"])
def test_a_tiny_score_of_a_segment_is_the_one_that_it_has_alone(variant):
    """The add score is finer than the unit of exact sums."""
    long = " ".join(f"w{number}" for number in range(901))
    text = {"sources": ["a"], "predictions": ["w1 x y z"], "references": [[long]]}
    found = Scorer(variant, level="sentence", zero_division=0.0).compute(**text, details=True)
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
    scorer = sari.with_options(**callables)
    read = scorer.read_state(data)
    assert read.to_bytes() == data
    assert read.compute(**asked) == half.compute(**asked) == Scorer(**callables).read_state(data).compute(**asked)
    other.merge(read)
    assert other.segments == 4
    read.merge(state_of(sari, rows(2, 3), **options))
    whole = state_of(sari, TEXTS, **options)
    assert read.compute(**asked) == whole.compute(**asked)
    assert warned(sari, read) == warned(sari, whole) != []
    empty = scorer.read_state(state_of(sari, rows(), **options).to_bytes())
    empty.merge(whole)
    assert empty.compute(**asked) == whole.compute(**asked)


def test_bytes_are_a_line_of_json(sari):
    """With nothing of this machine, if nothing of single segments is kept."""
    state = state_of(sari, TEXTS, variant="easse")
    line, _ = state.to_bytes().split(b"\n", maxsplit=1)
    head = json.loads(line)
    assert (head["state"], head["signature"]) == (VERSION, state.signature())
    assert str(ROOT).encode() not in line
    assert os.environ["HF_HOME"].encode() not in line


NO_STATE = "data: got bytes that are not a complete state, expected those of State.to_bytes"


def signed(content):
    """Return bytes with the checksum of a state behind them."""
    return content + sha256(content).digest()


def test_bytes_that_are_no_state_are_refused(sari):
    data = state_of(sari, TEXTS, sentences=True).to_bytes()
    damaged = [b"", b"{}\n", "x", None, data[:-8], data + data[-8:], data[:20], data.replace(b"4", b"5", 1), data[1:]]
    for one in damaged:
        with refuses(ValueError, NO_STATE):
            sari.read_state(one)
    for one in (data[:-40], data[:-32] + bytes(8)):  # with a checksum that fits
        with pytest.raises(ValueError, match=r"^data: got a state with \d+ bytes of numbers, expected \d+$"):
            sari.read_state(signed(one))


def forged(data, **changes):
    """Return the bytes of a state with other values in its head, and a checksum that fits."""
    line, _, body = data[:-32].partition(b"\n")
    return signed(json.dumps({**json.loads(line), **changes}).encode() + b"\n" + body)


HOSTILE = [None, True, -1, 2.5, 1 << 70, "x", [], ["x"], [None], [[1, 2]], [[1, "a", "b", "c"]], {}, {"variant": ["x"]}]
HOSTILE += [{"variant": "easse", "level": 1}, [[1, "\ud800", "b", ["c"]]], [[1, "a", "b", []]], {"lowercase": 1}]


@pytest.mark.parametrize("keeps", [{}, {"sentences": True}, {"resampling": True}])
@pytest.mark.parametrize("variant", ["easse", "hf"])
def test_forged_states_are_refused_in_one_line(variant, keeps):
    """Or they are states, which compute and merge."""
    state = state_of(Scorer(variant), TEXTS, **keeps)
    data = state.to_bytes()
    head = json.loads(data.partition(b"\n")[0])
    bad = [forged(data, **{name: value}) for name in head for value in HOSTILE]
    bad += [signed(data[:-32] + b"\0"), signed(data[:-40]), signed(b"[" * 100_000), signed(b"\xff"), signed(b"[]\n")]
    bad += [signed(data[:-40] + np.array(number, kind).tobytes()) for number, kind in ((-1, "<i8"), (np.nan, "<f8"))]
    for one in bad:
        said = ""
        try:
            read = Scorer().read_state(one)
            assert (type(read.segments), read.segments) == (int, len(TEXTS["sources"]))
            read.merge(read)
            read.compute(details=True, confidence=0.9 if "resampling" in keeps else None, resamples=10)
        except (ValueError, TypeError) as error:
            said = str(error)
        assert len(said) <= 200
        assert "\n" not in said


def test_states_whose_sums_would_overflow_are_refused(sari):
    data = state_of(sari, TEXTS).to_bytes()
    with refuses(ValueError, "data: got a state with numbers out of range, expected counts, and scores in percent"):
        sari.read_state(signed(data[:-40] + np.array(1 << 62, "<i8").tobytes()))


def test_states_of_other_versions_and_signatures_are_refused(sari):
    data = state_of(sari, TEXTS).to_bytes()[:-32]
    assert sari.read_state(signed(data)).segments == 4
    with refuses(ValueError, f"data: got a state of version '0.1', expected one of {VERSION}"):
        sari.read_state(signed(data.replace(f'"state": "{VERSION}"'.encode(), b'"state": "0.1"')))
    ours = f"sacrebleu:{version('sacrebleu')}"
    with refuses(ValueError, f"data: got a state with 'sacrebleu:2.0' in its signature, expected '{ours}'"):
        sari.read_state(signed(data.replace(ours.encode(), b"sacrebleu:2.0")))
    custom = state_of(sari, TEXTS, tokenize=own_tokenizer)
    tok = "tok:four_segments:own_tokenizer"
    message = f"data: got a state with {tok!r} in its signature, expected 'tok:custom.str.lower'"
    with refuses(ValueError, message):
        sari.with_options(tokenize=str.lower).read_state(custom.to_bytes())
    wanted = "the one that the state was made with: Scorer(tokenize=...).read_state(data)"
    with refuses(ValueError, f"tokenize: got None, expected {wanted}"):
        sari.read_state(custom.to_bytes())


# ---- Copies, pickles and other processes ----------------------------------------------------------------------------


@each_state
def test_states_copy(scorer, options):
    for copied in COPIES.values():
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
state, scorer = pickle.loads(Path(sys.argv[2]).read_bytes())
segment, texts = json.loads(sys.argv[3])
state.update(**segment)
Path(sys.argv[2]).write_bytes(pickle.dumps(state))
results = [state.compute(details=True), scorer.compute(**texts, details=True)]
print(json.dumps([*results, "evaluate" in sys.modules]))
"""


def test_pickles_open_in_a_new_process(scorer, tmp_path):
    """Those of the metric by loading its file, those of the package without `evaluate`."""
    file, home, options = tmp_path / "pickle", str(tmp_path / "another home"), {"variant": "easse", "tokenize": "intl"}
    another = scorer.with_options(**options, max_order=2)
    file.write_bytes(pickle.dumps([state_of(scorer, rows(0, 1), **OPTIONED), another]))
    found = run(THERE_AND_BACK, ROOT, file, json.dumps([rows(2), TEXTS]), HF_HOME=home)
    expected = state_of(scorer, rows(0, 1, 2), **OPTIONED).compute(details=True)
    assert found == [expected, another.compute(**TEXTS, details=True), type(scorer) is not Scorer]
    state = pickle.loads(file.read_bytes())
    assert state.compute(details=True) == expected
    state.merge(state_of(scorer, rows(3), **OPTIONED))
    assert state.compute(details=True) == state_of(scorer, TEXTS, **OPTIONED).compute(details=True)
