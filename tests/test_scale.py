"""Many segments: data sets, streams, other metrics beside, and a cluster; always the same numbers as `compute`."""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import datasets
import evaluate
import pyarrow.parquet
import pytest
import ray
from refusals import refuses

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = str(ROOT / "examples")
sys.path.append(EXAMPLES)

import ray_score  # noqa: E402

SCORES = ["sari", "keep", "delete", "add"]
SEGMENTS = 500
BATCH = 64


def make_rows(segments=SEGMENTS):
    """Return segments that all differ."""
    examples = ROOT / "examples"
    names = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")
    texts = [(examples / name).read_text(encoding="utf-8").splitlines() for name in names]
    rows = []
    for number in range(segments):
        source, output, *references = (column[number % len(column)] for column in texts)
        rows.append(
            {
                "number": number,
                "sources": f"{source} It is number {number} of {number % 7}.",
                "predictions": f"{output} It is {number}." if number % 3 else source,
                "references": [f"{text} It is {number % 5}." for text in references[: 1 + number % 2]],
            }
        )
    return rows


ROWS = make_rows()
COLUMNS = {name: [row[name] for row in ROWS] for name in ("sources", "predictions", "references")}


# ---- Data sets -------------------------------------------------------------------------------------------------------


def test_map_in_two_processes(sari):
    scored = datasets.Dataset.from_list(ROWS).map(sari.score_batch, batched=True, batch_size=BATCH, num_proc=2)
    expected = sari.compute(**COLUMNS, details=True)["sentences"]
    assert {name: scored[name][:] for name in SCORES} == expected
    assert scored["number"][:] == list(range(SEGMENTS))


def test_a_stream_and_its_corpus_score(sari):
    state = sari.state(variant="easse")
    stream = datasets.IterableDataset.from_generator(lambda: iter(ROWS))
    found = list(stream.map(sari.score_batch, batched=True, batch_size=BATCH))
    assert [row["sari"] for row in found] == sari.compute(**COLUMNS, details=True)["sentences"]["sari"]
    for batch in stream.iter(batch_size=BATCH):
        state.update(**{name: batch[name] for name in COLUMNS})
    assert state.compute() == sari.compute(**COLUMNS, variant="easse")


# ---- Other metrics beside --------------------------------------------------------------------------------------------

OTHER = """
import datasets
import evaluate


class Other(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {"exact": sum(text in row for text, row in zip(predictions, references, strict=True))}
"""


def test_combined_with_a_metric_that_takes_no_sources(sari, tmp_path):
    (tmp_path / "other_metric.py").write_text(OTHER, encoding="utf-8")
    combined = evaluate.combine([sari, evaluate.load(str(tmp_path / "other_metric.py"))])
    texts = {**COLUMNS, "references": [[*row["references"], row["predictions"]][:2] for row in ROWS]}
    combined.add(**{name: column[0] for name, column in texts.items()})
    combined.add_batch(**{name: column[1:] for name, column in texts.items()})
    exact = sum(row["predictions"] in references for row, references in zip(ROWS, texts["references"], strict=True))
    assert 0 < exact < SEGMENTS
    assert combined.compute() == {**sari.compute(**texts), "exact": exact}


# ---- A cluster -------------------------------------------------------------------------------------------------------


#: Ray ends processes that have nothing to do for a second, and starts others a moment later.
KEPT = {"RAY_idle_worker_killing_time_threshold_ms": "60000"}


@pytest.fixture(scope="module")
def cluster():
    """Start Ray once for all tests, and return its address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", EXAMPLES)  # the processes of the cluster import `ray_score` too
        for name, value in KEPT.items():
            patch.setenv(name, value)
        with ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False) as context:
            yield context.address_info["gcs_address"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with the same rows in files of both kinds."""
    folder, rows = tmp_path_factory.mktemp("rows"), datasets.Dataset.from_list(ROWS)
    rows.to_json(str(folder / "rows.jsonl"))
    rows.to_parquet(str(folder / "rows.parquet"))
    return folder


def killed_once(worker, folder):
    """Return a worker of which one process kills itself in the midst of the work, at the third batch that begins."""

    class KilledOnce(worker):
        def __call__(self, batch):
            (folder / secrets.token_hex(8)).touch()
            if len(list(folder.iterdir())) >= 3:
                with suppress(FileExistsError):
                    (folder / "killed").touch(exist_ok=False)
                    os.kill(os.getpid(), signal.SIGKILL)
            return super().__call__(batch)

    return KilledOnce


SETTINGS = {"workers": 2, "batch_size": BATCH}


def read(file):
    """Return the rows in as many pieces as a large file would have."""
    return ray_score.read(str(file)).repartition(4)


@pytest.mark.usefixtures("cluster")
def test_rows_on_a_cluster_that_loses_a_process(sari, files, tmp_path):
    traces, scored = tmp_path / "traces", tmp_path / "scored"
    traces.mkdir()
    scorer = killed_once(ray_score.Scorer, traces)
    ray_score.write_scores(read(files / "rows.jsonl"), str(scored), scorer=scorer, **SETTINGS)
    found = pyarrow.parquet.read_table(scored).to_pylist()
    assert [row["number"] for row in found] == list(range(SEGMENTS))
    expected = sari.compute(**COLUMNS, details=True)["sentences"]
    assert {name: [row[name] for row in found] for name in SCORES} == expected
    assert (traces / "killed").exists()
    assert sorted(tmp_path.iterdir()) == [scored, traces]


@pytest.mark.usefixtures("cluster")
def test_corpus_score_on_a_cluster_that_loses_a_process(sari, files, tmp_path):
    counter = killed_once(ray_score.Counter, tmp_path)
    state = ray_score.corpus_state(read(files / "rows.parquet"), counter=counter, variant="easse", **SETTINGS)
    assert state.segments == SEGMENTS
    assert state.compute() == sari.compute(**COLUMNS, variant="easse")
    assert (tmp_path / "killed").exists()


def test_the_command(cluster, files, tmp_path):
    """It prints the score of the corpus, and writes the rows of a folder of Parquet files in order."""
    (tmp_path / "rows").mkdir()
    rows = pyarrow.parquet.read_table(files / "rows.parquet")
    for name, part in (("a", rows[:150]), ("b", rows[150:])):
        pyarrow.parquet.write_table(part, tmp_path / "rows" / f"{name}.parquet", row_group_size=100)
    command = [
        sys.executable,
        str(ROOT / "examples" / "ray_score.py"),
        str(tmp_path / "rows"),
        str(tmp_path / "scored"),
    ]
    command += ["--variant", "easse", "--workers", "2", "--address", cluster]
    done = subprocess.run(command, env=os.environ | KEPT, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.fullmatch(rf"\d+\.\d\d  {SEGMENTS} segments  SARI\|variant:easse\|nrefs:var\|.*\n", done.stdout)
    scored = pyarrow.parquet.read_table(tmp_path / "scored")
    assert scored["row"].to_pylist() == scored["number"].to_pylist() == list(range(SEGMENTS))


@pytest.mark.usefixtures("cluster")
def test_rows_of_json_come_out_as_they_came(tmp_path):
    """Text that looks like dates, whole numbers before others, and columns that come late or nowhere else."""
    day = "2020-01-01"
    rows = [{"source": day, "output": day, "references": [day], "day": {"is": [day]}, "number": 1}] * ray_score.ROWS
    rows += [{**rows[0], "number": 0.5, "late": day}]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    first, *_, last = sorted(ray_score.read(str(file)).take_all(), key=lambda row: row["row"])
    texts = {"sources": day, "predictions": day, "references": [day], "day": {"is": [day]}}
    assert first == {**texts, "number": 1.0, "late": None, "row": 0}
    assert last == {**texts, "number": 0.5, "late": day, "row": ray_score.ROWS}


# ---- Refusals --------------------------------------------------------------------------------------------------------

ROW = {"sources": "a", "predictions": "b", "references": ["c"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps({**ROW, "row": 1}), ": got a column 'row', wanted another name for it: the output adds one"),
        (json.dumps({**ROW, "add": 1}), ": got a column 'add', wanted another name for it: the output adds one"),
        (json.dumps({**ROW, "output": "b"}), ": got columns predictions, output, wanted one of them"),
        ('{"source": "a", "output": "b"}', ": got columns source, output, wanted also references"),
        ("", ": got no rows, wanted at least one"),
        ("no JSON", ":1: not JSON: Expecting value at column 1, wanted a JSON object"),
        ('{"n": "1"}\n{"n": 1}', ": n: Expected bytes, got a 'int' object"),
        (None, ": no such file or folder"),
    ],
)
def test_files_are_refused_by_name(tmp_path, text, message):
    file = tmp_path / "rows.jsonl"
    if text is not None:
        file.write_text(text)
    with refuses(ray_score.InputError, f"{file}{message}"):
        ray_score.read(str(file))


@pytest.mark.usefixtures("cluster")
def test_rows_are_refused_by_their_number_and_later_files_by_name(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps({**ROW, "sources": source}) for source in ("a", None)))
    with refuses(ray_score.InputError, "sources[1]: got NoneType, wanted str"):
        ray_score.write_scores(ray_score.read(str(file)), str(tmp_path / "scored"), workers=1, batch_size=1)
    assert list(tmp_path.iterdir()) == [file]
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, more in (("a", {}), ("b", {"row": 1})):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{**ROW, **more}]), folder / f"{name}.parquet")
    message = "got a column 'row', wanted another name for it: the output adds one"
    with refuses(ray_score.InputError, f"{folder / 'b.parquet'}: {message}"):
        ray_score.write_scores(ray_score.read(str(folder)), str(tmp_path / "scored"), workers=1, batch_size=1)


def test_arguments_are_refused(tmp_path, capsys):
    for option in ("--workers", "--batch-size"):
        assert ray_score.main(["rows.jsonl", str(tmp_path / "scored"), option, "0"]) == 2
        message = f"ray_score.py: error: {option}: got 0, wanted a whole number of at least 1\n"
        assert capsys.readouterr() == ("", message)
    assert ray_score.main(["rows.jsonl", str(tmp_path)]) == 2
    message = f"ray_score.py: error: {tmp_path}: exists already, wanted the name of a new folder\n"
    assert capsys.readouterr() == ("", message)
