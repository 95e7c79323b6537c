"""Many segments: data sets, streams, other metrics beside, and a cluster; always the same numbers as `compute`."""

import sys

import datasets
import evaluate
import pyarrow.parquet
import pytest
import ray
from programs import ROOT, example_corpus, with_system

EXAMPLES = str(ROOT / "examples")
sys.path.append(EXAMPLES)

import ray_score  # noqa: E402

SCORES = ["sari", "keep", "delete", "add"]
SEGMENTS = 500
BATCH = 64


def make_rows():
    """Return segments that all differ."""
    texts = with_system(example_corpus(), "deleting")
    rows = []
    for number in range(SEGMENTS):
        source, output, references = (column[number % len(column)] for column in texts.values())
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


def test_the_score_of_a_stream(sari):
    state = sari.with_options(variant="easse").state()
    stream = datasets.IterableDataset.from_generator(lambda: iter(ROWS))
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


@pytest.fixture(scope="module")
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", EXAMPLES)  # the processes of the cluster import `ray_score` too
        with ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False):
            yield


@pytest.mark.usefixtures("cluster")
def test_parquet_files_on_a_cluster(sari, tmp_path, capsys):
    """The example prints the score of the corpus, and writes the rows with their scores."""
    (tmp_path / "rows").mkdir()
    for name, part in (("a", range(150)), ("b", range(150, SEGMENTS))):
        datasets.Dataset.from_list(ROWS).select(part).to_parquet(str(tmp_path / "rows" / f"{name}.parquet"))
    ray_score.main(str(tmp_path / "rows"), str(tmp_path / "scored"), "easse")
    score = sari.compute(**COLUMNS, variant="easse")["sari"]
    printed = capsys.readouterr().out.splitlines()[-1]  # Ray prints there too
    assert printed.startswith(f"{score:.2f}  {SEGMENTS} segments  SARI|variant:easse|nrefs:var|")
    found = pyarrow.parquet.read_table(tmp_path / "scored").sort_by("number").to_pylist()
    assert [row["number"] for row in found] == list(range(SEGMENTS))
    expected = sari.compute(**COLUMNS, variant="easse", details=True)["sentences"]
    assert {name: [row[name] for row in found] for name in SCORES} == expected
