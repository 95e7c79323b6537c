"""SARI inside other tools: the real ones, with their dummy models, and the number of `compute`."""

import importlib
import json
import os
import pickle
import subprocess
import sys

import lighteval.pipeline
import lm_eval
import pytest
import torch
import torchmetrics
from conftest import ROOT
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.dummy.dummy_model import DummyModelConfig
from lighteval.tasks.registry import Registry
from lm_eval.tasks import TaskManager

from sari.sari_scorer import Scorer

FOLDER = ROOT / "integrations"
sys.path.append(str(FOLDER))
sari_torchmetrics = importlib.import_module("sari_torchmetrics")

ROWS = [json.loads(line) for line in (FOLDER / "data" / "test.jsonl").read_text(encoding="utf-8").splitlines()]
SOURCES = [row["source"] for row in ROWS]
REFERENCES = [row["references"] for row in ROWS]
OUTPUTS = (ROOT / "examples" / "outputs.txt").read_text(encoding="utf-8").splitlines()

pytestmark = pytest.mark.filterwarnings("ignore")


def expected(predictions, variant, **options):
    return Scorer(variant, **options).compute(sources=SOURCES, predictions=predictions, references=REFERENCES)


def plain(scores):
    return {name: score.item() for name, score in scores.items()}


# ---- torchmetrics ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_torchmetrics_in_batches(variant):
    metric = sari_torchmetrics.SariMetric(variant)
    for place in range(0, len(SOURCES), 3):
        batch = slice(place, place + 3)
        found = metric(SOURCES[batch], OUTPUTS[batch], REFERENCES[batch])  # `forward` returns the batch's own
        assert plain(found) == Scorer(variant).compute(
            sources=SOURCES[batch], predictions=OUTPUTS[batch], references=REFERENCES[batch]
        )
    assert plain(metric.compute()) == expected(OUTPUTS, variant)
    assert metric.signature == Scorer(variant).signature(nrefs=2)
    metric.set_dtype(torch.float32)
    assert [(state.dtype, state.dim()) for state in metric.packed] == [(torch.uint8, 1)]  # so that any device holds it
    again = pickle.loads(pickle.dumps(metric))
    assert plain(again.compute()) == expected(OUTPUTS, variant)
    metric.reset()
    metric.update(SOURCES[:1], OUTPUTS[:1], REFERENCES[:1])
    assert plain(metric.compute()) == Scorer(variant).compute(
        sources=SOURCES[:1], predictions=OUTPUTS[:1], references=REFERENCES[:1]
    )


def test_torchmetrics_among_others_and_with_options():
    collection = torchmetrics.MetricCollection(
        {
            "easse": sari_torchmetrics.SariMetric("easse"),
            "cased": sari_torchmetrics.SariMetric(scoring={"lowercase": False}),
        }
    )
    collection.update(SOURCES, OUTPUTS, REFERENCES)
    found = collection.compute()
    assert found["easse_sari"].item() == expected(OUTPUTS, "easse")["sari"]
    assert found["cased_sari"].item() == expected(OUTPUTS, "easse", lowercase=False)["sari"]
    callables = sari_torchmetrics.SariMetric(scoring={"tokenize": str.lower, "lowercase": False})
    callables.update(SOURCES, OUTPUTS, REFERENCES)
    scoring = {"tokenize": str.lower, "lowercase": False}
    assert plain(callables.compute()) == expected(OUTPUTS, "easse", **scoring)
    with pytest.raises(ValueError, match=r"^variant: got 'bleu', expected one of hf, xu2016"):
        sari_torchmetrics.SariMetric("bleu")


PROCESS = """
import json, sys
sys.path[:0] = sys.argv[4:6]
from as_package import make_importable
make_importable()
import torch.distributed as dist
from sari_torchmetrics import SariMetric

rank, store, columns = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
found, rows = [], len(columns[0])
for variant, of_first in (("hf", 7), ("easse", 7), ("easse", rows)):  # in the end the second process has no rows
    metric = SariMetric(variant)
    for place in range(0, of_first, 2) if rank == 0 else range(of_first, rows, 2):
        end = min(place + 2, of_first if rank == 0 else rows)
        metric.update(*(column[place:end] for column in columns))
    found.append({name: score.item() for name, score in metric.compute().items()})
print(json.dumps(found))
dist.destroy_process_group()
"""


def test_torchmetrics_in_two_processes(tmp_path):
    columns = json.dumps([SOURCES, OUTPUTS, REFERENCES])
    command = [sys.executable, "-c", PROCESS]
    folders = [str(ROOT), str(FOLDER)]
    processes = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "store"), columns, *folders], stdout=-1, stderr=-1)
        for rank in range(2)
    ]
    try:
        for process in processes:
            output, error = process.communicate(timeout=240)
            assert process.returncode == 0, error.decode()
            found = json.loads(output.splitlines()[-1])
            assert found == [expected(OUTPUTS, variant) for variant in ("hf", "easse", "easse")]
    finally:
        for process in processes:
            process.kill()


# ---- The harnesses ---------------------------------------------------------------------------------------------------


def test_lm_evaluation_harness():
    results = lm_eval.simple_evaluate(
        model="dummy",
        tasks=["sari_example"],
        task_manager=TaskManager(include_path=str(FOLDER / "lm_evaluation_harness"), include_defaults=False),
    )
    found = results["results"]["sari_example"]
    scores = expected(["lol"] * len(SOURCES), "easse")
    assert {name: found[f"{name},none"] for name in scores} == scores
    assert found["sample_len"] == len(SOURCES)


def test_lighteval(tmp_path, monkeypatch):
    # Of lighteval's own tasks, all of which it imports first, some ask the network then.
    for own in ("_load_from_files", "_load_from_subdirs"):
        monkeypatch.setattr(Registry, own, staticmethod(lambda *_: {}))
    parameters = lighteval.pipeline.PipelineParameters(
        launcher_type=lighteval.pipeline.ParallelismManager.NONE,
        custom_tasks_directory=str(FOLDER / "sari_lighteval.py"),
    )
    pipeline = lighteval.pipeline.Pipeline(
        tasks="sari_example",
        pipeline_parameters=parameters,
        evaluation_tracker=EvaluationTracker(output_dir=str(tmp_path)),
        model_config=DummyModelConfig(cache_dir=str(tmp_path / "cache")),
    )
    pipeline.evaluate()
    found = pipeline.get_results()["results"]["sari_example:0"]
    assert {name: found[name] for name in ("sari", "keep", "delete", "add")} == expected(
        ["random baseline"] * len(SOURCES), "easse"
    )
    assert os.environ["HF_HUB_OFFLINE"] == "1"  # all of it without the network
