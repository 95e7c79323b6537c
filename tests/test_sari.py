"""The front door: loading, storing, options, details, states, other processes and what `evaluate` does with metrics."""

import copy
import inspect
import json
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
from importlib.metadata import version

import cloudpickle
import datasets
import dill
import evaluate
import numpy as np
import oracle
import pyarrow as pa
import pytest
from conftest import ROOT

from sari.tokenization import TOKENIZERS
from sari.variants import VARIANTS, VERSION

NAMES = ("sari", "keep", "delete", "add")
OPTIONS = ("variant", "level", "deletion", "zero_division", "tokenize", "lowercase", "max_order", "threads")

TEXTS = {
    "sources": ["Nearly 40 bridges were still standing.", "The old cat sat down.", "He came, saw, and won.", "No."],
    "predictions": ["Nearly 40 bridges were counted.", "the cat sat.", "He came. He saw. He won.", ""],
    "references": [
        ["Nearly 40 bridges were counted.", "40 bridges were standing later."],
        ["A cat sat down.", "The cat sat."],
        ["He came and saw. He won.", "He won."],
        ["No!", "Nope."],
    ],
}
SCORES = oracle.score(**TEXTS)


def refuses(kind, message):
    return pytest.raises(kind, match=rf"\A{re.escape(message)}\Z")


def load(**options):
    return evaluate.load(str(ROOT / "sari.py"), **options)


@pytest.fixture
def cache(tmp_path):
    """Return an empty folder for cache files."""
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


@pytest.fixture
def metric(cache):
    """Return a metric with a cache folder of its own."""
    return load(cache_dir=str(cache))


def files_in(cache):
    return [path.name for path in cache.rglob("*.arrow")]


def rows(*numbers):
    """Return some of the segments as columns."""
    return {name: [column[number] for number in numbers] for name, column in TEXTS.items()}


def segment(number):
    """Return one segment as `add` takes it."""
    return {name[:-1]: column[number] for name, column in TEXTS.items()}


def run(program, *arguments, **environment):
    """Run a program in a fresh process and return what it printed, as JSON."""
    process = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


# ---- Loading --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder named `sari` with the repository's modules in it."""
    folder = tmp_path_factory.mktemp("elsewhere") / "sari"
    folder.mkdir()
    for file in ROOT.glob("*.py"):
        shutil.copy(file, folder)
    return folder


def test_load_by_folder_and_by_script(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (folder, folder, folder / "sari.py", folder / "sari.py", ROOT / "sari.py"):
        assert evaluate.load(str(path)).compute(**TEXTS) == pytest.approx(SCORES)


def test_load_by_relative_path(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    for path in ("sari", "sari/sari.py", "./sari", "../" + folder.parent.name + "/sari"):
        assert evaluate.load(path).compute(**TEXTS) == pytest.approx(SCORES)
    monkeypatch.chdir(folder)
    assert evaluate.load("sari.py").compute(**TEXTS) == pytest.approx(SCORES)


def test_load_in_a_fresh_process_without_network(folder, tmp_path):
    program = (
        "import json, os, sys\n"
        "os.chdir('/')\n"
        "import evaluate\n"
        "texts = json.loads(sys.argv[1])\n"
        "print(json.dumps([evaluate.load(path).compute(**texts) for path in sys.argv[2:]]))\n"
    )
    paths = [folder, folder, folder / "sari.py"]
    results = run(program, json.dumps(TEXTS), *paths, HF_HOME=str(tmp_path / "home"), HF_HUB_OFFLINE="1")
    assert results == [pytest.approx(SCORES)] * 3


def test_an_edited_copy_is_loaded_as_edited(folder, tmp_path):
    other = tmp_path / "sari"
    shutil.copytree(folder, other)
    text = (other / "variants.py").read_text(encoding="utf-8")
    (other / "variants.py").write_text(text.replace(f'VERSION = "{VERSION}"', 'VERSION = "9.8.7"'), encoding="utf-8")
    assert evaluate.load(str(other)).signature().endswith("|version:9.8.7")
    assert evaluate.load(str(folder)).signature().endswith(f"|version:{VERSION}")


def test_info(sari):
    assert sari.info.module_name == sari.name == "sari"
    assert sari.module_type == "metric"
    assert all((sari.description, sari.citation, sari.inputs_description, sari.homepage, sari.license))
    assert all(name in sari.inputs_description for name in (*TEXTS, *OPTIONS, "details"))
    assert [set(features) for features in sari.features] == [set(TEXTS)] * 2
    assert all(re.fullmatch(r"https://\S+[^\s,.]", url) for url in [*sari.codebase_urls, *sari.reference_urls])
    assert "xu-etal-2016" in sari.citation
    assert str(sari).startswith('EvaluationModule(name: "sari"')


def test_variants_say_what_they_are(sari):
    assert list(sari.variants) == list(VARIANTS) == list(oracle.VARIANTS)
    assert all("\n" not in line and len(line) > 20 for line in sari.variants.values())
    assert len(set(sari.variants.values())) == len(sari.variants)


@pytest.mark.parametrize("variant", oracle.VARIANTS)
def test_scores(sari, variant):
    scores = sari.compute(**TEXTS, variant=variant)
    assert list(scores) == list(NAMES)
    assert set(map(type, scores.values())) == {float}
    assert scores == pytest.approx(oracle.score(**TEXTS, variant=variant))


def test_the_default_is_hugging_faces(sari):
    # What its documentation says of an example whose n-grams repeat as these do, to the digits that it gives.
    scores = sari.compute(
        sources=["Nearly 40 bridges were still standing ."],
        predictions=["Nearly 40 we later ran off ."],
        references=[
            [
                "Nearly 40 bridges were still counted .",
                "Nearly 40 bridges were later standing .",
                "40 bridges were later standing .",
            ]
        ],
    )
    assert scores["sari"] == pytest.approx(26.953601953601954, abs=1e-9)
    assert sari.compute(**TEXTS) == sari.compute(**TEXTS, variant="hf")


def test_arguments_have_names(sari):
    with pytest.raises(TypeError):
        sari.compute(TEXTS["sources"], TEXTS["predictions"], TEXTS["references"])
    with pytest.raises(TypeError):
        sari.state("easse")


# ---- Storing, then computing ----------------------------------------------------------------------------------------


def one_by_one(metric):
    for number in range(4):
        metric.add(**segment(number))


def one_by_one_under_the_columns_names(metric):
    for number in range(4):
        metric.add(**{name: column[number] for name, column in TEXTS.items()})


def in_batches(metric):
    metric.add_batch(**rows(0))
    metric.add_batch(**rows(1, 2, 3))


def both_ways(metric):
    metric.add(**segment(0))
    metric.add_batch(**rows(1, 2))
    metric.add(**segment(3))


def with_empty_batches(metric):
    for number in range(4):
        metric.add_batch(**rows())
        metric.add_batch(**rows(number))
    metric.add_batch(**rows())


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize(
    "store", [one_by_one, one_by_one_under_the_columns_names, in_batches, both_ways, with_empty_batches]
)
def test_stored_segments_are_the_whole(sari, cache, store, in_memory):
    metric = load(cache_dir=str(cache), keep_in_memory=in_memory)
    for options in ({}, {"variant": "easse", "details": True}):
        store(metric)
        assert len(metric) == 4
        assert bool(files_in(cache)) is not in_memory
        assert metric.compute(**options) == sari.compute(**TEXTS, **options)
        assert len(metric) == 0
        assert files_in(cache) == []


@pytest.mark.parametrize("in_memory", [False, True])
def test_compute_adds_to_what_is_stored(sari, cache, in_memory):
    metric = load(cache_dir=str(cache), keep_in_memory=in_memory)
    metric.add_batch(**rows(0, 1))
    assert metric.compute(**rows(2, 3), details=True) == sari.compute(**TEXTS, details=True)
    metric.add(**segment(0))
    assert metric.compute(**rows()) == sari.compute(**rows(0))
    assert files_in(cache) == []


@pytest.mark.parametrize("in_memory", [False, True])
def test_nothing_stored(cache, in_memory):
    metric = load(cache_dir=str(cache), keep_in_memory=in_memory)
    for _ in range(2):
        metric.add_batch(**rows())
        with refuses(ValueError, "sources, predictions, references: got no segments, wanted at least one"):
            metric.compute()
        assert metric.compute(**TEXTS) == pytest.approx(SCORES)
    assert files_in(cache) == []


def test_compute_adds_what_can_be_read_only_once(metric, sari):
    metric.add_batch(**rows(0, 1))
    assert metric.compute(**{name: iter(column) for name, column in rows(2, 3).items()}) == sari.compute(**TEXTS)


def test_two_metrics_do_not_mix(cache):
    one, two = load(cache_dir=str(cache)), load(cache_dir=str(cache))
    one.add(**segment(0))
    two.add(**segment(1))
    one.add_batch(**rows(2, 3))
    assert two.compute() == pytest.approx(oracle.score(**rows(1)))
    assert one.compute() == pytest.approx(oracle.score(**rows(0, 2, 3)))


def test_single_and_several_references_may_be_stored_together(metric):
    metric.add(source="a b", prediction="a", reference="a c")
    metric.add_batch(sources=["a b"], predictions=["a"], references=["a"])
    metric.add_batch(sources=["a b"], predictions=["a"], references=[["a", "b"]])
    assert metric.compute() == pytest.approx(oracle.score(["a b"] * 3, ["a"] * 3, [["a c"], ["a"], ["a", "b"]]))


def test_combined_with_other_metrics(sari):
    scores = evaluate.combine([sari, load()]).compute(**TEXTS)
    assert scores == pytest.approx({f"sari_{i}_{name}": score for i in range(2) for name, score in SCORES.items()})


# ---- The configuration ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_configuration_is_the_default_variant(sari, variant):
    """Of every door that takes one."""
    metric = load(config_name=variant)
    assert metric.compute(**TEXTS, details=True) == sari.compute(**TEXTS, variant=variant, details=True)
    assert metric.compute(**TEXTS, variant="set") == sari.compute(**TEXTS, variant="set")
    assert metric.score_batch(TEXTS) == sari.score_batch(TEXTS, variant=variant)
    assert metric.signature() == metric.state().signature == sari.signature(variant=variant)
    references = {name: TEXTS[name] for name in ("sources", "references")}
    assert metric.baselines(**references) == sari.baselines(**references, variant=variant)
    systems = {**references, "predictions": {"one": TEXTS["predictions"]}, "method": None, "confidence": None}
    assert metric.compare(**systems) == sari.compare(**systems, variant=variant)
    assert metric.tokens(**TEXTS) == sari.tokens(**TEXTS, variant=variant)
    metric.add_batch(**TEXTS)
    assert metric.compute() == sari.compute(**TEXTS, variant=variant)


@pytest.mark.parametrize("name", ["nonsense", "HF", 3, ["easse"]])
def test_an_unknown_configuration_is_refused(name):
    with refuses(ValueError, f"config_name: got {name!r}, wanted one of {', '.join(VARIANTS)}"):
        load(config_name=name)


def test_no_configuration_is_the_default(sari):
    for name in (None, "default"):
        assert load(config_name=name).compute(**TEXTS) == sari.compute(**TEXTS)


def test_variants_combined(sari):
    both = evaluate.combine({"ours": load(config_name="easse"), "theirs": sari}, force_prefix=True)
    expected = {"ours": sari.compute(**TEXTS, variant="easse"), "theirs": SCORES}
    found = both.compute(**TEXTS)
    assert found == pytest.approx(
        {f"{module}_{name}": score for module, scores in expected.items() for name, score in scores.items()}
    )


# ---- Options --------------------------------------------------------------------------------------------------------

TOKENIZER = f"wanted a callable or one of {', '.join(TOKENIZERS)}"
WHOLE = "wanted a whole number of at least 1"
SHARE = "wanted a number from 0 to 1"
VARIANT = f"wanted one of {', '.join(VARIANTS)}"
LEVEL = "wanted one of sentence, corpus"
DELETION = "wanted one of precision, f1"

BAD_OPTIONS = [
    ("variant", "bleu", ValueError, VARIANT),
    ("variant", "HF", ValueError, VARIANT),
    ("variant", "", ValueError, VARIANT),
    ("variant", None, TypeError, VARIANT),
    ("variant", ["hf"], TypeError, VARIANT),
    ("level", "document", ValueError, LEVEL),
    ("level", 1, TypeError, LEVEL),
    ("deletion", "recall", ValueError, DELETION),
    ("deletion", True, TypeError, DELETION),
    ("zero_division", 1.5, ValueError, SHARE),
    ("zero_division", -0.1, ValueError, SHARE),
    ("zero_division", 100, ValueError, SHARE),
    ("zero_division", float("nan"), ValueError, SHARE),
    ("zero_division", float("inf"), ValueError, SHARE),
    ("zero_division", "1", TypeError, SHARE),
    ("zero_division", True, TypeError, SHARE),
    ("tokenize", "13b", ValueError, TOKENIZER),
    ("tokenize", 13, TypeError, TOKENIZER),
    ("tokenize", b"13a", TypeError, TOKENIZER),
    ("lowercase", 1, TypeError, "wanted True or False"),
    ("lowercase", "yes", TypeError, "wanted True or False"),
    ("max_order", 0, ValueError, WHOLE),
    ("max_order", -4, ValueError, WHOLE),
    ("max_order", 4.0, TypeError, WHOLE),
    ("max_order", True, TypeError, WHOLE),
    ("max_order", "4", TypeError, WHOLE),
    ("threads", 0, ValueError, WHOLE),
    ("threads", -1, ValueError, WHOLE),
    ("threads", 1.0, TypeError, WHOLE),
    ("threads", True, TypeError, WHOLE),
    ("threads", "all", TypeError, WHOLE),
]


@pytest.mark.parametrize(("name", "value", "kind", "wanted"), BAD_OPTIONS)
def test_bad_options(metric, cache, name, value, kind, wanted):
    message = f"{name}: got {value!r}, {wanted}"
    with refuses(kind, message):
        metric.compute(**TEXTS, **{name: value})
    with refuses(kind, message):
        metric.state(**{name: value})
    with refuses(kind, message):
        metric.score_batch(TEXTS, **{name: value})
    if name != "threads":
        with refuses(kind, message):
            metric.signature(**{name: value})
    # What is stored is still there when the options are put right.
    metric.add_batch(**TEXTS)
    with refuses(kind, message):
        metric.compute(**{name: value})
    assert len(metric) == 4
    assert metric.compute() == pytest.approx(SCORES)
    assert files_in(cache) == []


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_bad_details(metric, value):
    metric.add_batch(**TEXTS)
    with refuses(TypeError, f"details: got {value!r}, wanted True or False"):
        metric.compute(details=value)
    assert metric.compute() == pytest.approx(SCORES)


DOORS = {
    "compute": lambda metric, **options: metric.compute(**TEXTS, **options),
    "state": lambda metric, **options: metric.state(**options),
    "signature": lambda metric, **options: metric.signature(**options),
    "score_batch": lambda metric, **options: metric.score_batch(TEXTS, **options),
}


@pytest.mark.parametrize(
    ("door", "name"),
    [
        *((door, name) for door in DOORS for name in ("lower_case", "source")),
        *(("compute", "sentences"), ("signature", "details"), ("state", "details")),
        *(("score_batch", "details"), ("score_batch", "sentences")),
    ],
)
def test_unknown_options(metric, door, name):
    """The name that came and those that are valid, and nothing of how the metric is built inside."""
    with pytest.raises(TypeError) as error:
        DOORS[door](metric, **{name: True})
    message = str(error.value)
    assert "\n" not in message
    assert name in message
    assert "customized" not in message
    assert "evaluate_modules" not in message
    assert all(option in message for option in ("variant", "max_order"))


def test_misspelt_columns(metric):
    with pytest.raises(TypeError) as error:
        metric.compute(source=TEXTS["sources"], predictions=TEXTS["predictions"], references=TEXTS["references"])
    assert "source" in str(error.value)
    assert "customized" not in str(error.value)
    with pytest.raises(TypeError) as error:
        metric.add(source="a", prediction="b", reference="c", weight=2)
    assert "weight" in str(error.value)
    assert "columns()" not in str(error.value)


def test_options_left_at_none_are_the_variants_own(sari):
    nothing = dict.fromkeys(("level", "deletion", "zero_division", "tokenize", "lowercase", "threads"))
    for variant in VARIANTS:
        assert sari.compute(**TEXTS, variant=variant, **nothing) == sari.compute(**TEXTS, variant=variant)


@pytest.mark.parametrize(
    "options",
    [
        {"level": "corpus"},
        {"deletion": "f1"},
        {"zero_division": 0},
        {"tokenize": "none"},
        {"tokenize": "char"},
        {"lowercase": False},
        {"max_order": 2},
    ],
    ids=str,
)
def test_options_are_heard(sari, options):
    scores = sari.compute(**TEXTS, **options)
    assert scores == pytest.approx(oracle.score(**TEXTS, **options))
    assert scores != pytest.approx(SCORES)


def test_numbers_of_numpy_are_numbers(sari):
    assert sari.compute(**TEXTS, zero_division=np.float64(0.5)) == sari.compute(**TEXTS, zero_division=0.5)
    assert sari.compute(**TEXTS, max_order=np.int64(2)) == sari.compute(**TEXTS, max_order=2)
    assert sari.compute(**TEXTS, threads=np.int64(2)) == sari.compute(**TEXTS)
    assert sari.compute(**TEXTS, zero_division=np.float32(0.5)) == sari.compute(**TEXTS, zero_division=0.5)


# ---- Tokenizers that fail -------------------------------------------------------------------------------------------


class Breaks:
    """A tokenizer that fails at its nth text."""

    def __init__(self, at, failure):
        self.at, self.failure = at, failure

    def __call__(self, text):
        self.at -= 1
        if self.at:
            return text
        if isinstance(self.failure, BaseException):
            raise self.failure
        return self.failure


NO_TEXT = "tokenize: the callable returned NoneType, wanted a str with tokens apart by spaces"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (RuntimeError("out of words"), RuntimeError, "out of words"),
        (KeyboardInterrupt(), KeyboardInterrupt, ""),
        (None, TypeError, NO_TEXT),
    ],
)
def test_a_tokenizer_that_fails_midway(metric, cache, failure, kind, message, threads):
    many = {name: column * 700 for name, column in TEXTS.items()}
    for at in (1, 5_000):
        with refuses(kind, message):
            metric.compute(**many, tokenize=Breaks(at, failure), threads=threads)
        metric.add_batch(**many)
        with refuses(kind, message):
            metric.compute(tokenize=Breaks(at, failure), threads=threads)
        assert len(metric) == 0
        assert files_in(cache) == []
        metric.add_batch(**TEXTS)
        assert metric.compute() == pytest.approx(SCORES)
        assert metric.compute(**TEXTS) == pytest.approx(SCORES)


def test_a_failing_tokenizer_leaves_the_state_as_it_was(sari):
    state = sari.state(sentences=True, tokenize=Breaks(7_000, RuntimeError("out of words")))
    state.update(**TEXTS)
    before = state.compute(details=True)
    with refuses(RuntimeError, "out of words"):
        state.update(**{name: column * 700 for name, column in TEXTS.items()})
    assert (state.segments, state.compute(details=True)) == (4, before)


def test_what_memory_held_is_gone_after_a_failure(cache):
    metric = load(cache_dir=str(cache), keep_in_memory=True)
    metric.add_batch(**TEXTS)
    with refuses(TypeError, NO_TEXT):
        metric.compute(tokenize=Breaks(3, None))
    metric.add_batch(**TEXTS)
    assert metric.compute() == pytest.approx(SCORES)


# ---- Details --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_order", [1, 4])
@pytest.mark.parametrize("variant", oracle.VARIANTS)
def test_details(sari, variant, max_order):
    options = {"variant": variant, "max_order": max_order}
    result = sari.compute(**TEXTS, **options, details=True)
    assert list(result) == [*NAMES, "signature", "orders", "sentences"]
    assert {name: result[name] for name in NAMES} == sari.compute(**TEXTS, **options)
    assert result["signature"] == sari.signature(nrefs=2, **options)

    assert [row["order"] for row in result["orders"]] == list(range(1, max_order + 1))
    for row, expected in zip(result["orders"], oracle.orders(**TEXTS, **options), strict=True):
        assert list(row) == ["order", "keep", "delete", "add"]
        for operation in NAMES[1:]:
            assert list(row[operation]) == ["precision", "recall", "f1", "score"]
            assert set(map(type, row[operation].values())) == {float}
            assert row[operation] == pytest.approx(expected[operation])

    assert list(result["sentences"]) == list(NAMES)
    assert all(len(column) == 4 and set(map(type, column)) == {float} for column in result["sentences"].values())
    for name, column in oracle.sentences(**TEXTS, **options).items():
        assert result["sentences"][name] == pytest.approx(column)
    assert json.loads(json.dumps(result)) == result


def test_details_of_a_state(sari):
    state = sari.state()
    state.update(**TEXTS)
    assert state.compute() == sari.compute(**TEXTS)
    assert list(state.compute(details=True)) == [*NAMES, "signature", "orders"]
    state = sari.state(sentences=True)
    state.update(**TEXTS)
    assert state.compute(details=True) == sari.compute(**TEXTS, details=True)


# ---- Signatures -----------------------------------------------------------------------------------------------------


def fields(signature):
    name, *pairs = signature.split("|")
    assert name == "SARI"
    return dict(pair.split(":", 1) for pair in pairs)


DEFAULT = {
    "variant": "hf",
    "nrefs": "?",
    "case": "lc",
    "tok": "13a",
    "order": "4",
    "level": "sentence",
    "del": "precision",
    "zero": "1",
    "sacrebleu": version("sacrebleu"),
    "version": VERSION,
}


def test_signature(sari):
    assert list(fields(sari.signature()).items()) == list(DEFAULT.items())


def own_tokenizer(text):
    return text.replace("-", " - ")


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ({"nrefs": 9}, {"nrefs": "9"}),
        ({"nrefs": "var"}, {"nrefs": "var"}),
        ({"lowercase": False}, {"case": "mixed"}),
        ({"tokenize": "intl"}, {"tok": "intl"}),
        ({"tokenize": "moses"}, {"tok": f"moses-{version('sacremoses')}"}),
        ({"tokenize": own_tokenizer}, {"tok": "custom.own_tokenizer"}),
        ({"max_order": 2}, {"order": "2"}),
        ({"level": "corpus"}, {"level": "corpus"}),
        ({"deletion": "f1"}, {"del": "f1"}),
        ({"zero_division": 0}, {"zero": "0"}),
        ({"zero_division": 0.25}, {"zero": "0.25"}),
        ({"variant": "paper"}, {"variant": "paper", "level": "corpus", "zero": "0"}),
        (
            {"variant": "easse_legacy"},
            {"variant": "easse_legacy", "case": "mixed", "level": "corpus", "del": "f1", "zero": "0"},
        ),
        ({"variant": "lens"}, {"variant": "lens", "tok": "none", "zero": "0"}),
        # As if nothing had been said
        ({"variant": "hf", "tokenize": "13a", "zero_division": 1.0, "lowercase": True, "max_order": 4}, {}),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", str(value)),  # an address differs from worker to worker
)
def test_each_option_shows_in_its_field(sari, options, changes):
    assert fields(sari.signature(**options)) == {**DEFAULT, **changes}


def test_signatures_of_japanese_and_korean_say_the_dictionary(sari):
    assert re.fullmatch(r"ja-mecab-[\d.]+-IPA", fields(sari.signature(tokenize="ja-mecab"))["tok"])
    assert re.fullmatch(r"ko-mecab-[\d./a-z-]+-KO", fields(sari.signature(tokenize="ko-mecab"))["tok"])


def test_signatures_differ_where_scores_may(sari):
    zeros = [0.1234567, 0.1234568, 1e-9, 0]
    signatures = [sari.signature(zero_division=zero) for zero in zeros]
    assert len(set(signatures)) == len(zeros)


def test_signature_counts_references(sari):
    def nrefs(texts):
        return fields(sari.compute(**texts, details=True)["signature"])["nrefs"]

    assert nrefs(TEXTS) == "2"
    assert nrefs({**TEXTS, "references": ["a", "b", "c", "d"]}) == "1"
    assert nrefs({**TEXTS, "references": [["a"], ["b"], ["c"], ["d", "e"]]}) == "var"
    state = sari.state()
    assert fields(state.signature)["nrefs"] == "?"
    state.update(**TEXTS)
    assert fields(state.signature)["nrefs"] == "2"
    other = sari.state()
    other.update(sources=["a"], predictions=["a"], references=["a"])
    state.merge(other)
    assert fields(state.signature)["nrefs"] == fields(state.compute(details=True)["signature"])["nrefs"] == "var"


# ---- States in other processes --------------------------------------------------------------------------------------


def state_of(metric, texts, **options):
    state = metric.state(**options)
    state.update(**texts)
    return state


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


def updated(state, texts):
    state.update(**texts)
    return state


def test_states_of_spawned_processes(sari):
    options = {"tokenize": own_tokenizer, "sentences": True}
    tasks = [(sari.state(**options), rows(number)) for number in range(4)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        shards = pool.starmap(updated, tasks)
    whole = sari.state(**options)
    for shard in shards:
        whole.merge(shard)
    assert whole.compute(details=True) == state_of(sari, TEXTS, **options).compute(details=True)
    assert whole.signature == sari.signature(nrefs=2, tokenize=own_tokenizer)


def test_states_stay_small(sari):
    small, large = (pickle.dumps(state_of(sari, {k: v * n for k, v in TEXTS.items()})) for n in (100, 2_000))
    assert len(large) - len(small) < 1_000


def test_a_state_leaves_the_threads_to_the_machine_that_counts(sari, monkeypatch):
    pickled = []
    for cores in (1, 17):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)), raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        pickled.append(pickle.dumps(state_of(sari, TEXTS)))
    assert pickled[0] == pickled[1]


@pytest.mark.parametrize(
    "options",
    [{"variant": "set"}, {"level": "corpus"}, {"tokenize": "none"}, {"zero_division": 0}, {"max_order": 3}],
    ids=str,
)
def test_states_of_other_options_do_not_merge(sari, options):
    state, other = state_of(sari, rows(0)), state_of(sari, rows(1), **options)
    before = state.compute(details=True)
    with refuses(ValueError, f"other: got a state of {other.signature}, wanted one of {state.signature}"):
        state.merge(other)
    assert (state.segments, state.compute(details=True)) == (1, before)


def test_what_keeps_states_of_the_same_signature_apart_is_said(sari):
    with_sentences, without = sari.state(sentences=True), sari.state()
    for state, other in [(with_sentences, without), (without, with_sentences)]:
        with pytest.raises(ValueError, match=r"^other: .*\bsentences\b"):
            state.merge(other)


@pytest.mark.parametrize("other", [None, {}, "state"])
def test_only_states_merge(sari, other):
    with refuses(TypeError, f"other: got {type(other).__name__}, wanted a State"):
        sari.state().merge(other)


def test_merging_leaves_the_other_as_it_was(sari):
    one, two = state_of(sari, rows(0, 1), sentences=True), state_of(sari, rows(2), sentences=True)
    before = two.compute(details=True)
    one.merge(two)
    one.update(**rows(3))
    assert two.compute(details=True) == before
    assert one.compute(details=True) == sari.compute(**TEXTS, details=True)


def test_an_empty_state_adds_nothing(sari):
    state = state_of(sari, TEXTS)
    state.merge(sari.state())
    assert state.compute() == sari.compute(**TEXTS)
    empty = sari.state()
    empty.merge(state)
    assert empty.compute() == sari.compute(**TEXTS)


# ---- The metric itself as an object ---------------------------------------------------------------------------------


@pytest.mark.parametrize("pickler", [pickle, dill, cloudpickle])
def test_the_metric_pickles(sari, pickler):
    data = pickler.dumps(sari)
    assert pickle.loads(data).compute(**TEXTS) == pytest.approx(SCORES)
    again = pickle.loads(pickler.dumps(pickle.loads(data)))
    assert again.compute(**TEXTS) == pytest.approx(SCORES)
    assert pickler.dumps(sari) == data
    assert len(data) < 1_000


def test_the_metric_pickles_into_a_fresh_process(sari, tmp_path):
    file = tmp_path / "metric"
    file.write_bytes(pickle.dumps(sari.score_batch))
    program = (
        "import json, pickle, sys\n"
        "with open(sys.argv[1], 'rb') as file: score_batch = pickle.load(file)\n"
        "print(json.dumps(score_batch(json.loads(sys.argv[2]))))\n"
    )
    assert run(program, file, json.dumps(TEXTS), HF_HOME=str(tmp_path / "home")) == sari.score_batch(TEXTS)


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        module.__name__: lambda metric, module=module: pickle.loads(module.dumps(metric))
        for module in (pickle, dill, cloudpickle)
    },
}
each_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)


@each_copy
def test_the_metric_copies(sari, copied):
    assert copied(sari).compute(**TEXTS) == pytest.approx(SCORES)


@each_copy
@pytest.mark.parametrize("in_memory", [False, True])
def test_a_copy_has_what_was_stored_and_the_settings(sari, cache, copied, in_memory):
    metric = load(config_name="easse", cache_dir=str(cache), keep_in_memory=in_memory, experiment_id="ours")
    metric.add(**segment(0))
    metric.add_batch(**rows(1, 2))
    other = copied(metric)
    assert (len(metric), len(other)) == (3, 3)
    assert (other.config_name, other.keep_in_memory, other.experiment_id) == ("easse", in_memory, "ours")
    assert other.data_dir == metric.data_dir
    other.add(**segment(3))
    assert other.compute(details=True) == sari.compute(**TEXTS, variant="easse", details=True)
    assert metric.compute(details=True) == sari.compute(**rows(0, 1, 2), variant="easse", details=True)
    assert files_in(cache) == []


def test_segments_of_one_process_of_several_do_not_travel(cache):
    metric = load(cache_dir=str(cache), num_process=2, process_id=0)
    assert pickle.loads(pickle.dumps(metric)).num_process == 2
    metric.writer = [1]  # what `add` makes waits for the other process
    with refuses(TypeError, "metric: got stored segments of 2 processes, wanted compute() before"):
        pickle.dumps(metric)
    metric.writer = None


# ---- Batches of a data set ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", oracle.VARIANTS)
def test_score_batch(sari, variant):
    scores = sari.score_batch(TEXTS, variant=variant)
    assert list(scores) == list(NAMES)
    assert scores == sari.compute(**TEXTS, variant=variant, details=True)["sentences"]
    for number in range(4):
        alone = sari.compute(**rows(number), variant=variant)
        assert {name: scores[name][number] for name in NAMES} == pytest.approx(alone)


def test_score_batch_passes_over_other_columns(sari):
    assert sari.score_batch({"id": [1, 2, 3, 4], **TEXTS}) == sari.score_batch(TEXTS)


@pytest.mark.parametrize("kind", [None, "numpy", "pandas", "arrow"])
def test_map_over_a_data_set(sari, kind):
    data = datasets.Dataset.from_dict({"id": list("abcd"), **TEXTS}).with_format(kind)
    options = {"batched": True, "batch_size": 3, "remove_columns": data.column_names}
    mapped = data.map(sari.score_batch, **options, fn_kwargs={"variant": "easse"})
    assert mapped.with_format(None).to_dict() == sari.score_batch(TEXTS, variant="easse")


def test_map_keeps_the_columns_and_is_cached(sari, tmp_path):
    datasets.Dataset.from_dict({"id": list("abcd"), **TEXTS}).save_to_disk(tmp_path / "data")
    data = datasets.load_from_disk(tmp_path / "data")
    mapped = data.map(sari.score_batch, batched=True)
    assert mapped.to_dict() == {"id": list("abcd"), **TEXTS, **sari.score_batch(TEXTS)}
    # The same function has the same fingerprint: a second run finds the result of the first.
    assert data.map(load().score_batch, batched=True).cache_files == mapped.cache_files


def test_map_in_several_processes(sari):
    data = datasets.Dataset.from_dict(TEXTS)
    mapped = data.map(sari.score_batch, batched=True, num_proc=2)
    assert {name: list(mapped[name]) for name in NAMES} == sari.score_batch(TEXTS)


def test_score_batch_of_an_arrow_table(sari):
    assert sari.score_batch(pa.table(TEXTS)) == sari.score_batch(TEXTS)


# ---- Distributed evaluation -----------------------------------------------------------------------------------------

DISTRIBUTED = """
import json, sys
from pathlib import Path
import evaluate

path, cache, number, texts = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
half = len(texts["sources"]) // 2
halves = [slice(half), slice(half, None)]
shard = {name: column[halves[number]] for name, column in texts.items()}
nothing = dict.fromkeys(texts, [])
results = {}

def metric(experiment):
    return evaluate.load(
        path, num_process=2, process_id=number, experiment_id=experiment, cache_dir=cache, timeout=15
    )

def broken(text):
    raise RuntimeError("out of words")

def compute(experiment, **arguments):
    try:
        results[experiment] = metric(experiment).compute(**arguments)
    except Exception as error:
        results[experiment] = f"{type(error).__name__}: {error}"

compute("whole", **shard, details=True)
compute("corpus", **shard, variant="easse")

stored = metric("stored")
stored.add(**{name[:-1]: column[0] for name, column in shard.items()})
stored.add_batch(**nothing)
stored.add_batch(**{name: column[1:] for name, column in shard.items()})
results["stored"] = stored.compute(details=True)

compute("second empty", **(nothing if number else texts))
compute("first empty", **(texts if number else nothing))
compute("none", **nothing)
compute("broken", **shard, tokenize=broken)
compute("second says nothing", **({} if number else texts))
results["left"] = [file.name for file in Path(cache).rglob("*.arrow")] if number == 0 else None
print(json.dumps(results))
"""


def test_two_processes(sari, tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", DISTRIBUTED, str(ROOT / "sari.py"), str(tmp_path), str(number), json.dumps(TEXTS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    try:
        (first, error), (second, _) = [process.communicate(timeout=90) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert first, error
    whole = sari.compute(**TEXTS)
    assert json.loads(first) == {
        "whole": sari.compute(**TEXTS, details=True),
        "corpus": sari.compute(**TEXTS, variant="easse"),
        "stored": sari.compute(**TEXTS, details=True),
        "second empty": whole,
        "first empty": whole,
        "none": "ValueError: sources, predictions, references: got no segments, wanted at least one",
        "broken": "RuntimeError: out of words",
        "second says nothing": whole,
        "left": [],
    }
    assert set(json.loads(second).values()) == {None}


# ---- What is written about it ---------------------------------------------------------------------------------------


def test_options_are_keyword_only(sari):
    for method in (sari.compute, sari.add, sari.add_batch, sari.state, sari.state().update, sari.state().compute):
        kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
        assert kinds <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
