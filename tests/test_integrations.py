"""SARI inside other tools: the real ones, with their dummy models, and the number of `compute`."""

import importlib
import json
import os
import pickle
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import lighteval.pipeline
import lm_eval
import pyarrow as pa
import pyarrow.parquet
import pytest
import ray
import torch
import torchmetrics
from conftest import ROOT
from dask.distributed import Client, as_completed
from four_segments import run
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.dummy.dummy_model import DummyModelConfig
from lighteval.tasks.registry import Registry
from lm_eval.tasks import TaskManager
from refusals import refuses

from sari.sari_scorer import Scorer

FOLDER = ROOT / "integrations"
sys.path.append(str(FOLDER))
sari_torchmetrics = importlib.import_module("sari_torchmetrics")

ROWS = [json.loads(line) for line in (FOLDER / "data" / "test.jsonl").read_text(encoding="utf-8").splitlines()]
SOURCES = [row["source"] for row in ROWS]
REFERENCES = [row["references"] for row in ROWS]
OUTPUTS = (ROOT / "examples" / "outputs.txt").read_text(encoding="utf-8").splitlines()
COLUMNS = {"sources": SOURCES, "predictions": OUTPUTS, "references": REFERENCES}

pytestmark = pytest.mark.filterwarnings("ignore")


def expected(variant="easse", rows=slice(None), predictions=OUTPUTS, **options):
    columns = {**COLUMNS, "predictions": predictions}
    return Scorer(variant, **options).compute(**{name: column[rows] for name, column in columns.items()})


# ---- torchmetrics ----------------------------------------------------------------------------------------------------


def test_torchmetrics_in_batches():
    metric = sari_torchmetrics.SariMetric("hf")
    with pytest.warns(UserWarning, match="before the ``update`` method"):
        assert torch.isnan(metric.compute())
    for place in range(0, len(SOURCES), 3):
        rows = slice(place, place + 3)
        batch = [column[rows] for column in COLUMNS.values()]
        assert metric(*batch).item() == expected("hf", rows)["sari"]  # `forward` returns the batch's own
    assert metric.signature() == Scorer("hf").signature(nrefs=2)
    metric.set_dtype(torch.float32)
    assert {(state.dtype, state.dim()) for state in metric.packed} == {(torch.uint8, 1)}  # so that any device holds it
    for same in (metric, pickle.loads(pickle.dumps(metric))):
        assert same.compute().item() == expected("hf")["sari"]
    figure, _ = metric.plot()
    assert figure.axes
    metric.reset()
    metric.update(*batch)
    assert metric.compute().item() == expected("hf", rows)["sari"]


def test_torchmetrics_merges_states():
    parts = [sari_torchmetrics.SariMetric(score="keep") for _ in range(2)]
    for part, rows in zip(parts, (slice(0, 4), slice(4, None)), strict=True):
        part.update(sources=SOURCES[rows], preds=OUTPUTS[rows], target=REFERENCES[rows])
    parts[0].merge_state(parts[1])
    assert parts[0].compute().item() == expected()["keep"]


def test_torchmetrics_among_others_and_with_options():
    kinds = {score: sari_torchmetrics.SariMetric(score=score) for score in ("sari", "keep", "delete", "add")}
    scoring = {"tokenize": str.lower, "lowercase": False}
    with_callable = sari_torchmetrics.SariMetric("hf", scoring=scoring)
    others = {"callable": with_callable, "bleu": torchmetrics.text.BLEUScore()}
    collection = torchmetrics.MetricCollection({**kinds, **others})
    collection.update(sources=SOURCES, preds=OUTPUTS, target=REFERENCES)
    scores = {name: score.item() for name, score in collection.compute().items()}
    assert {name: scores[name] for name in kinds} == expected()
    assert scores["callable"] == expected("hf", **scoring)["sari"]
    with refuses(ValueError, "score: got 'bleu', expected one of sari, keep, delete, add"):
        sari_torchmetrics.SariMetric(score="bleu")


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
    found.append(metric.compute().item())
print(json.dumps(found))
dist.destroy_process_group()
"""


def test_torchmetrics_in_two_processes(tmp_path):
    arguments = [tmp_path / "store", json.dumps([SOURCES, OUTPUTS, REFERENCES]), ROOT, FOLDER]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda rank: run(PROCESS, rank, *arguments, PYTHONPATH=""), range(2)):
            assert found == [expected(name)["sari"] for name in ("hf", "easse", "easse")]


# ---- The harnesses ---------------------------------------------------------------------------------------------------


def test_lm_evaluation_harness():
    metadata = {"variant": "paper"}
    results = lm_eval.simple_evaluate(
        model="dummy",
        tasks=["sari_example"],
        task_manager=TaskManager(
            include_path=str(FOLDER / "lm_evaluation_harness"), include_defaults=False, metadata=metadata
        ),
        metadata=metadata,
    )
    found = results["results"]["sari_example"]
    scores = expected("paper", predictions=["lol"] * len(SOURCES))
    assert {name: found[f"{name},none"] for name in scores} == scores
    # The lines of docs/recipes.md read what the harness logs.
    logged = [(sample["doc"], sample["filtered_resps"]) for sample in results["samples"]["sari_example"]]
    assert logged == [({**row, "variant": "paper"}, ["lol"]) for row in ROWS]


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
    scores = expected(predictions=["random baseline"] * len(SOURCES))
    assert {name: found[name] for name in scores} == scores


# ---- A cluster -------------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Let the processes of clusters import SARI as where it is installed, and be of this Python."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "sari").symlink_to(ROOT)
    paths = [tmp_path / "site-packages", ROOT / "examples", ROOT / "tests"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)


@pytest.mark.usefixtures("installed")
def test_parquet_files_on_a_cluster(monkeypatch, tmp_path, capsys):
    """The example prints the score of the corpus, and writes the rows with their scores. So does a second run."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    folder, target = tmp_path / "rows", tmp_path / "scored"
    folder.mkdir()
    rows = pa.table({"number": range(len(SOURCES)), **COLUMNS})
    for name, part in {"a": rows.slice(0, 4), "empty": rows.slice(0, 0), "b": rows.slice(4)}.items():
        pyarrow.parquet.write_table(part, folder / f"{name}.parquet")
    right = Scorer("easse").compute(**COLUMNS, details=True)
    line = f"{right['sari']:.2f}  {len(SOURCES)} segments  SARI|variant:easse|nrefs:2|"
    with ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False):
        for _ in range(2):
            importlib.import_module("ray_score").main(str(folder), str(target), "easse")
            assert line in capsys.readouterr().out  # among lines of Ray, which it prints at any time
            found = pyarrow.parquet.read_table(target).sort_by("number").to_pydict()
            assert {name: found[name] for name in right["sentences"]} == right["sentences"]
            assert found["sources"] == SOURCES


def state_of_shard(place, marker):
    """Return the state of a segment; the process of the third one dies the first time."""
    state = Scorer().state(resampling=True, shard=f"shard {place}")
    state.update(**{name: column[place : place + 1] for name, column in COLUMNS.items()})
    if place == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return state


@pytest.mark.usefixtures("installed")
def test_a_worker_that_dies_changes_nothing(tmp_path):
    """States come in the order in which they are done, and have the intervals of one process."""
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        shards = client.map(state_of_shard, range(len(SOURCES)), marker=tmp_path / "died")
        states = [state for _, state in as_completed(shards, with_results=True)]
    assert (tmp_path / "died").exists()
    options = {"confidence": 0.95, "resamples": 100}
    assert Scorer().merge_states(states).compute(**options) == Scorer().compute(**COLUMNS, **options)


# ---- The page of recipes ---------------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8").replace("path/to/sari.py", str(ROOT / "sari.py"))
#: The recipes whose packages are here; those of other packages were run by hand, with the versions that the page names.
RECIPES = [
    "evaluate",
    "pandas",
    "Dask",
    "Spark",
    "Beam",
    "Ray",
    "torchmetrics",
    "lm-evaluation-harness",
    "inspect-ai",
    "langsmith",
    "FastAPI",
]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", RECIPES)
def test_recipes(monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    rows = zip(SOURCES, OUTPUTS, REFERENCES, strict=True)
    samples = [{"doc": {"source": one, "references": two}, "filtered_resps": [text]} for one, text, two in rows]
    path = tmp_path / "results" / "model" / "samples_sari_example_2026-11-27T00-00-00.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(map(json.dumps, samples)), encoding="utf-8")
    names = {**COLUMNS, "__name__": "__main__"}  # functions of a program, which clusters get with their code
    exec(re.search(rf"^## {name}\n.*?^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1], names)
    assert names["score"] == expected()["sari"]
