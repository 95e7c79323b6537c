"""Many segments: data sets, streams, and other metrics beside; always the same numbers as `compute`."""

import datasets
import evaluate
from programs import example_corpus, with_system

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
