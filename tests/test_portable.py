"""States that travel: as bytes, in pickles, to other copies of the metric on other machines."""

import json
import os
import pickle
import shutil
from importlib.metadata import version

import numpy as np
import pytest
from conftest import ROOT
from four_segments import TEXTS, own_tokenizer, rows, run, state_of
from refusals import refuses
from test_sari import each_copy, folder
from test_state import OPTIONED

from sari.scoring import Scorer
from sari.variants import VERSION

__all__ = ["folder"]

TRAVELLING = [
    {},
    OPTIONED,
    {"variant": "easse", "resampling": True},
    {"sentences": True, "resampling": True, "max_order": np.int64(2)},
    {"zero_division": np.float32(0.5), "tokenize": "moses"},
    {"variant": "set", "tokenize": own_tokenizer},
]
each_state = pytest.mark.parametrize("options", TRAVELLING, ids=lambda options: " ".join(options) or "none")


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
    told = list(map(str, whole.warnings()))
    assert told
    assert list(map(str, read.warnings())) == told
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


NO_STATE = "data: got bytes that are no state or not all of one, wanted those of State.to_bytes"


@pytest.mark.parametrize("damaged", [b"", b"{}\n", b"[1]", "x", None, slice(-8), slice(20)], ids=str)
def test_bytes_that_are_no_state_are_refused(sari, damaged):
    data = state_of(sari, TEXTS, sentences=True).to_bytes()
    with refuses(ValueError, NO_STATE):
        sari.read_state(data[damaged] if isinstance(damaged, slice) else damaged)
    with refuses(ValueError, NO_STATE):
        sari.read_state(data.replace(b'"state"', b'"other"'))


HEAD = json.loads(Scorer().state().to_bytes())
HEADS = [{name: value for name, value in HEAD.items() if name != missing} for missing in HEAD]
HEADS += [{**HEAD, name: value} for name in HEAD for value in (None, ["x"], [[0.5]]) if name != "state"]
HEADS += [{**HEAD, name: "x"} for name in ("segments", "copied", "totals", "observed", "nrefs", "keeps", "another")]


@pytest.mark.parametrize("head", HEADS)
def test_heads_of_another_form_are_refused(head):
    with refuses(ValueError, NO_STATE):
        Scorer().read_state(json.dumps(head).encode() + b"\n")


@pytest.mark.parametrize(
    "tampered",
    [
        {"totals": [[1 << 63, 0], [0, 0], [0, 0]]},
        {"totals": [[1, 2], [3], [4, 5]]},
        {"totals": 0},
        {"segments": -4},
        {"segments": 3},
        {"copied": 5},
        {"shapes": {"rows": [4, 4], "sentences": [0]}},
        {"shapes": {"sentences": [16], "rows": [0]}},
        {"shapes": {"sentences": [float("inf")], "rows": [0]}},
        {"keeps": {"sentences": True, "resampling": True}},
    ],
    ids=str,
)
def test_numbers_of_another_size_are_refused(tampered):
    head, _, numbers = state_of(Scorer(), TEXTS, sentences=True).to_bytes().partition(b"\n")
    with refuses(ValueError, NO_STATE):
        Scorer().read_state(json.dumps({**json.loads(head), **tampered}).encode() + b"\n" + numbers)


def test_states_of_other_versions_and_signatures_are_refused(sari):
    data = state_of(sari, TEXTS).to_bytes()
    with refuses(ValueError, f"data: got a state of version 0.1, wanted one of {VERSION}"):
        sari.read_state(data.replace(f'"state": "{VERSION}"'.encode(), b'"state": "0.1"'))
    ours = f"sacrebleu:{version('sacrebleu')}"
    signature = sari.signature(nrefs=2)
    with refuses(
        ValueError, f"data: got a state of {signature.replace(ours, 'sacrebleu:2.0')}, wanted one of {signature}"
    ):
        sari.read_state(data.replace(ours.encode(), b"sacrebleu:2.0"))
    custom, other = (state_of(sari, TEXTS, tokenize=tokenize) for tokenize in (own_tokenizer, str.lower))
    with refuses(ValueError, f"data: got a state of {custom.signature}, wanted one of {other.signature}"):
        sari.read_state(custom.to_bytes(), tokenize=str.lower)
    with refuses(ValueError, "tokenize: got None, wanted the callable that the state was made with"):
        sari.read_state(custom.to_bytes())


@each_copy
@each_state
def test_states_copy(sari, options, copied):
    state = state_of(sari, TEXTS, **options)
    other = copied(state)
    assert other.compute(details=True) == state.compute(details=True)
    other.merge(state)
    assert (state.segments, other.segments) == (4, 8)


ELSEWHERE = """
import json, pickle, sys
from pathlib import Path
import evaluate

script, inbox, outbox, texts, options = *map(Path, sys.argv[1:4]), *map(json.loads, sys.argv[4:6])
state = evaluate.load(str(script)).state(**options)
if inbox.exists():
    state.merge(pickle.loads(inbox.read_bytes()))
state.update(**texts)
outbox.write_bytes(pickle.dumps(state))
print(json.dumps([state.compute(details=True), sys.modules["sari.state"].__name__]))
"""


def test_pickled_states_of_two_machines(sari, folder, monkeypatch, tmp_path):
    """Each has a copy and a cache of its own, and what the first one had is gone when the second one reads."""
    first, second = tmp_path / "first", tmp_path / "second"
    for home in (first, second):
        shutil.copytree(folder, home / "sari")
    arguments = [tmp_path / "state", tmp_path / "state"]
    (tmp_path / "sari").mkdir()  # any folder of that name where they run is no package
    monkeypatch.chdir(tmp_path)
    for home, texts in [(first, rows(0, 1)), (second, rows(2, 3))]:
        found, module = run(
            ELSEWHERE, home / "sari", *arguments, json.dumps(texts), json.dumps(OPTIONED), HF_HOME=str(home / "cache")
        )
        assert module.startswith("evaluate_modules.")  # nothing of this checkout, nor an installed package
        shutil.rmtree(home)
    assert found == state_of(sari, TEXTS, **OPTIONED).compute(details=True)
    # And here the package opens it, of which the metric's states are another copy.
    state = sari.state(**OPTIONED)
    state.merge(pickle.loads((tmp_path / "state").read_bytes()))
    assert state.compute(details=True) == found


WITHOUT_EVALUATE = """
import json, pickle, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from as_package import make_importable

make_importable()
sys.modules["evaluate"] = None
state = pickle.loads(Path(sys.argv[2]).read_bytes())
print(json.dumps(pickle.loads(pickle.dumps(state)).compute(details=True)))
"""


@pytest.mark.parametrize("is_there", [True, False], ids=["its file is there", "its file is gone"])
def test_pickled_states_of_the_metric_open_without_evaluate(sari, tmp_path, is_there):
    state, file = state_of(sari, TEXTS, **OPTIONED), tmp_path / "state"
    data = pickle.dumps(state, protocol=0)
    path = sari.loader.args[0]
    assert path.encode() in data
    file.write_bytes(data if is_there else data.replace(path.encode(), b"/no/such/sari.py"))
    assert run(WITHOUT_EVALUATE, ROOT, file) == state.compute(details=True)
