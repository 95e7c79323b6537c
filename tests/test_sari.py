"""The metric as a module of `evaluate`: loading, storing segments, errors, copies, and several processes."""

import ast
import doctest
import importlib
import inspect
import json
import re
import shutil
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import datasets
import evaluate
import numpy as np
import oracle
import pytest
from conftest import ROOT
from four_segments import COPIES, NAMES, NO_SEGMENTS, SCORES, TEXTS, Breaks, load, repeated, rows, run, state_of
from refusals import refuses

from sari.sari_scorer import Scorer
from sari.variants import OPTIONS, VERSION


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return an empty folder for cache files; where another metric has a file, `evaluate` soon takes another one."""
    monkeypatch.setattr(evaluate.EvaluationModule._create_cache_file, "__defaults__", (0.01,))  # not after a second
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


@pytest.fixture
def metric(cache):
    """Return a metric with a cache folder of its own."""
    return load(cache_dir=str(cache))


def files_in(cache):
    return [path.name for path in cache.rglob("*.arrow")]


# ---- Loading --------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Return a folder named `sari` with the repository's modules in it."""
    (tmp_path / "sari").mkdir()
    for file in ROOT.glob("*.py"):
        shutil.copy(file, tmp_path / "sari")
    return tmp_path / "sari"


def test_folders_and_scripts_are_loaded_as_they_are_now(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    for path in (str(folder), "sari", "./sari/sari.py"):
        assert evaluate.load(path).compute(**TEXTS) == pytest.approx(SCORES)
    text = (folder / "variants.py").read_text(encoding="utf-8")
    (folder / "variants.py").write_text(text.replace(f'VERSION = "{VERSION}"', 'VERSION = "9.8.7"'), encoding="utf-8")
    assert evaluate.load("sari").signature().endswith("|version:9.8.7")


def test_without_sacrebleu_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ImportError, match="pip install sacrebleu"):
        load()


def test_info(sari):
    assert all((sari.description, sari.citation, sari.inputs_description, sari.homepage, sari.license))
    assert all(name in sari.inputs_description for name in inspect.signature(sari._compute).parameters)
    assert all(
        f": {', '.join(option.choices)}." in sari.inputs_description for option in OPTIONS.values() if option.choices
    )
    assert len(sari.codebase_urls) > 5
    assert all(re.fullmatch(r"https://\S+[^\s,.]", url) for url in [*sari.codebase_urls, *sari.reference_urls])


def test_what_evaluate_asks_of_its_own_modules(monkeypatch):
    """As huggingface/evaluate, tests/test_metric_common.py: no `**` parameter, and the module's examples run."""
    path = evaluate.loading.evaluation_module_factory(str(ROOT / "sari.py"), module_type="metric").module_path
    parameters = inspect.signature(evaluate.loading.import_main_class(path)._compute).parameters.values()
    assert inspect.Parameter.VAR_KEYWORD not in {parameter.kind for parameter in parameters}
    monkeypatch.chdir(ROOT.parent)
    monkeypatch.setattr(evaluate, "load", lambda path, load=evaluate.load: load(path.replace("path/to", str(ROOT))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = doctest.testmod(importlib.import_module(path))
    assert results.attempted > 1
    assert results.failed == 0


# ---- Storing, then computing ----------------------------------------------------------------------------------------


def one_by_one(metric):
    for number in range(3):
        metric.add(**{name[:-1]: column[number] for name, column in TEXTS.items()})
    metric.add(**{name: column[3] for name, column in TEXTS.items()})  # the names of the columns are taken too


def in_batches(metric):
    metric.add_batch(**rows(0))
    metric.add_batch(**rows())
    metric.add_batch(**rows(1, 2, 3))


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("store", [one_by_one, in_batches])
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
    read_once = {name: iter(column) for name, column in rows(2, 3).items()}
    assert metric.compute(**read_once, details=True) == sari.compute(**TEXTS, details=True)
    metric.add_batch(**rows(0))
    assert metric.compute(**rows()) == sari.compute(**rows(0))
    assert files_in(cache) == []


def test_references_of_any_kind_may_be_stored_together(metric):
    metric.add(source="a b", prediction="a", reference="a c")
    metric.add(source="a b", prediction="a", references=np.array(["a c", "a"]))
    metric.add_batch(sources=["a b"] * 2, predictions=["a"] * 2, references=["a", "b"])
    metric.add_batch(sources=["a b"], predictions=["a"], references=[["a", "b"]])
    references = [["a c"], ["a c", "a"], ["a"], ["b"], ["a", "b"]]
    assert metric.compute() == pytest.approx(oracle.score(["a b"] * 5, ["a"] * 5, references))


class Exact(evaluate.Metric):
    """The number of predictions that equal a reference."""

    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {"exact": sum(text in row for text, row in zip(predictions, references, strict=True))}


def test_combined_with_a_metric_that_takes_no_sources(metric):
    combined = evaluate.combine([metric, Exact()])
    combined.add(**{name: column[0] for name, column in TEXTS.items()})
    combined.add_batch(**rows(1, 2, 3))
    assert combined.compute() == {**metric.compute(**TEXTS), "exact": 1}


def test_two_variants_combined_have_their_names():
    combined = evaluate.combine([load(), load(variant="easse", level="sentence")]).compute(**TEXTS)
    names = [f"sari_{variant}_{score}" for variant in ("hf", "easse+level") for score in NAMES]
    assert list(combined) == names


# ---- `_compute` is the metric ---------------------------------------------------------------------------------------


def test_compute_ends_in_the_method_of_a_subclass(sari, cache):
    class Halved(type(sari)):
        """Half of the scores, and an argument of its own."""

        def _compute(self, sources, predictions, references, by=2):
            scores = super()._compute(sources, predictions, references, variant="easse")
            return {name: score / by for name, score in scores.items()}

    scores = sari.compute(**TEXTS, variant="easse")
    for metric in (Halved(cache_dir=str(cache)), Halved(cache_dir=str(cache), keep_in_memory=True)):
        for by in (2, 4):
            arguments = {"by": by} if by == 4 else {}
            halved = {name: score / by for name, score in scores.items()}
            assert metric.compute(**TEXTS, **arguments) == halved
            metric.add_batch(**rows(0, 1))
            assert metric.compute(**rows(2, 3), **arguments) == halved
        with refuses(
            TypeError, "details: got an unknown argument, expected one of sources, predictions, references, by"
        ):
            metric.compute(**TEXTS, details=True)

    class Returned(type(sari)):
        """Whatever it gets."""

        def _compute(self, **arguments):
            return arguments

    checked = {**TEXTS, "references": [["a"]] * 4}
    assert Returned().compute(**TEXTS | {"references": np.array(["a"] * 4)}, other=1) == {**checked, "other": 1}


def test_compute_of_the_module_may_be_called(sari):
    for options in ({}, {"variant": "easse", "details": True, "confidence": 0.9, "baselines": True}):
        assert sari._compute(**TEXTS, **options) == sari.compute(**TEXTS, **options)
    with refuses(ValueError, NO_TEXT):
        sari._compute(**BAD_TEXTS)


def test_a_result_is_printed_with_its_signature(caplog):
    """And what was loaded without a configuration says once which SARI it is."""
    metric, named = load(), load(config_name="hf")
    sys.modules[type(metric).__module__]._say_which_sari.cache_clear()
    results = [metric.compute(**TEXTS), metric._compute(**TEXTS), named.compute(**TEXTS)]
    results.append(state_of(Scorer("hf"), TEXTS).compute())
    for result in results:
        plain, signature = repr(result).split("  # ")
        assert ast.literal_eval(plain) == result == results[0]
        assert signature == result.signature == named.signature(2)
        for copied in COPIES.values():
            assert type(copied(result)) is dict
    messages = [record.getMessage() for record in caplog.records if record.name == "sari"]
    assert len(messages) == ("variant 'hf'" in messages[0]) == 1


# ---- The configuration ----------------------------------------------------------------------------------------------


def test_the_configuration_and_options_hold_for_all_methods(sari):
    metric, same = load(config_name="t2t", lowercase=False), Scorer("t2t", lowercase=False)
    assert metric.options == load(config_name="t2t", variant="t2t", lowercase=False).options == same.options
    assert metric.compute(**TEXTS, details=True) == same.compute(**TEXTS, details=True)
    assert metric.compute(**TEXTS, variant="set") == Scorer("set", lowercase=False).compute(**TEXTS)
    assert metric.signature() == metric.state().signature() == same.signature()
    assert metric.with_options(level="corpus").options == {**same.options, "level": "corpus"}
    metric.add_batch(**TEXTS)
    assert metric.compute() == same.compute(**TEXTS)
    assert load(variant="easse").signature() == sari.with_options(variant="easse").signature()


def test_what_evaluate_takes_is_taken():
    metric = load(trust_remote_code=True, keep_in_memory=True, revision=None)
    assert metric.compute(**TEXTS, trust_remote_code=True) == load().compute(**TEXTS)


def test_what_evaluate_load_refuses():
    for options, kind, message in (
        ({"config_name": "HF"}, ValueError, "variant: got 'HF'; did you mean 'hf'?"),
        (
            {"config_name": "t2t", "variant": "hf"},
            ValueError,
            "variant: got 'hf', expected 't2t' (as the configuration)",
        ),
        ({"lowercas": False}, TypeError, "lowercas: got an unknown argument; did you mean 'lowercase'?"),
    ):
        with refuses(kind, message):
            load(**options)


# ---- Errors ---------------------------------------------------------------------------------------------------------

LOADING = "num_process: got an unknown argument, expected evaluate.load(path, num_process=...)"
BAD_TEXTS = {"sources": ["a"], "predictions": [None], "references": ["a"]}
NO_TEXT = "predictions[0]: got a missing value (None), expected str"


def test_what_is_stored_outlives_a_refusal(metric, cache):
    metric.add_batch(**TEXTS)
    for kind, arguments, message in (
        (ValueError, {"variant": "HF"}, "variant: got 'HF'; did you mean 'hf'?"),
        (TypeError, {"details": 1}, "details: got 1, expected True or False"),
        (TypeError, {"num_process": 4}, LOADING),
        (TypeError, {"varaint": "easse"}, "varaint: got an unknown argument; did you mean 'variant'?"),
        (ValueError, {"resamples": 0}, "resamples: got 0, expected a whole number of at least 1"),
        (ValueError, {"sources": ["a"]}, "predictions: got nothing, expected a list with one str per segment"),
        (ValueError, BAD_TEXTS, NO_TEXT),
    ):
        with refuses(kind, message):
            metric.compute(**arguments)
        assert len(metric) == 4
    with refuses(ValueError, NO_TEXT):
        metric.add_batch(**BAD_TEXTS)
    with refuses(ValueError, "references[0][1]: got int, expected str"):
        metric.add(source="a", prediction="a", reference=["a", 5])
    with refuses(ValueError, "sources: got two values, as sources and as source, expected one"):
        metric.add(source="a", sources="a", prediction="b", reference="c")
    with pytest.raises(TypeError, match="weight"):
        metric.add(source="a", prediction="b", reference="c", weight=2)
    assert metric.compute() == pytest.approx(SCORES)
    assert files_in(cache) == []


def test_no_segments(metric):
    metric.add_batch(**dict.fromkeys(TEXTS, ()))
    with refuses(ValueError, NO_SEGMENTS):
        metric.compute()


def test_a_tokenizer_that_fails_midway(metric, cache):
    for one in (metric, load(cache_dir=str(cache), keep_in_memory=True)):
        one.add_batch(**repeated(700))
        lock = one.filelock
        with pytest.raises(KeyboardInterrupt):
            one.compute(tokenize=Breaks(5_000, KeyboardInterrupt()))
        assert lock is None or not lock.is_locked
        assert len(one) == 0
        assert files_in(cache) == []
        one.add_batch(**TEXTS)
        assert one.compute() == pytest.approx(SCORES)


def test_errors_leave_the_files_of_other_metrics_alone(metric, cache):
    other = load(cache_dir=str(cache))
    metric.add_batch(**TEXTS)
    metric.compute()
    other.add_batch(**TEXTS)  # into the file that `metric` has just let go
    metric.add_batch(**TEXTS)
    with refuses(ValueError, "tokenize: the tokenizer raised RuntimeError: out of words"):
        metric.compute(tokenize=Breaks(1, RuntimeError("out of words")))
    assert other.compute() == pytest.approx(SCORES)


# ---- The metric itself as an object ---------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_has_the_settings(sari, cache, copied):
    metric = load(config_name="easse", cache_dir=str(cache), keep_in_memory=True, experiment_id="ours")
    other = copied(metric)
    assert (other.config_name, other.keep_in_memory, other.experiment_id) == ("easse", True, "ours")
    assert other.data_dir == metric.data_dir
    assert other.compute(**TEXTS) == sari.compute(**TEXTS, variant="easse")
    metric.add_batch(**rows(0))
    with refuses(TypeError, "metric: got 1 stored segments, expected none: call compute() before a copy"):
        copied(metric)


# ---- Distributed evaluation -----------------------------------------------------------------------------------------


DISTRIBUTED = """
import json, sys
from pathlib import Path
import evaluate

path, cache, number, texts = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
half = slice(2, None) if number else slice(2)
shard = {name: column[half] for name, column in texts.items()}
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

stored = metric("stored")
stored.add(**{name[:-1]: column[0] for name, column in shard.items()})
stored.add_batch(**nothing)
stored.add_batch(**{name: column[1:] for name, column in shard.items()})
results["stored"] = stored.compute()

compute("corpus", **shard, variant="easse", details=True)
compute("second empty", **(nothing if number else texts))
compute("first empty", **(texts if number else nothing))
compute("none", **nothing)
compute("broken", **shard, tokenize=broken)
compute("second says nothing", **({} if number else texts))
results["left"] = [file.name for file in Path(cache).rglob("*.arrow")] if number == 0 else None
print(json.dumps(results))
"""


def test_two_processes(sari, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        texts = json.dumps(TEXTS)
        first, second = pool.map(lambda number: run(DISTRIBUTED, ROOT / "sari.py", tmp_path, number, texts), range(2))
    whole = sari.compute(**TEXTS)
    assert first == {
        "stored": whole,
        "corpus": sari.compute(**TEXTS, variant="easse", details=True),
        "second empty": whole,
        "first empty": whole,
        "none": f"RefusedValueError: {NO_SEGMENTS}",
        "broken": "RefusedValueError: tokenize: the tokenizer raised RuntimeError: out of words",
        "second says nothing": whole,
        "left": [],
    }
    assert set(second.values()) == {None}
