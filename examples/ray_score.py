"""Score Parquet files with Ray Data, in the processes of a machine or of a cluster.

    python examples/ray_score.py segments.parquet scored easse

The input has columns sources, predictions and references. The new folder gets the same rows with their own scores. Each
batch also becomes a state of a few bytes; the merged states give exactly the score of the corpus, for every variant.
"""

import sys
from pathlib import Path

import pyarrow as pa
import ray


def load_scorer(variant):
    """Import SARI in any process; where it is installed, `from sari import Scorer` is enough."""
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    from as_package import make_importable

    make_importable()
    from sari import Scorer

    return Scorer(variant)


def add_scores(batch, variant):
    """Return a batch with the columns sari, keep, delete and add."""
    for name, scores in load_scorer(variant).score_batch(batch).items():
        batch = batch.append_column(name, pa.array(scores))
    return batch


def make_state(batch, variant):
    """Return one row: the statistics of a batch as bytes."""
    state = load_scorer(variant).state()
    state.update(sources=batch["sources"], predictions=batch["predictions"], references=batch["references"])
    return pa.table({"state": [state.to_bytes()]})


def main(source, target, variant):
    """Write the scores of the rows, and print the score of the corpus."""
    segments = ray.data.read_parquet(source)
    how = {"fn_kwargs": {"variant": variant}, "batch_format": "pyarrow", "batch_size": 4096}
    segments.map_batches(add_scores, **how).write_parquet(target)
    scorer, states = load_scorer(variant), segments.map_batches(make_state, **how)
    corpus = sum(scorer.read_state(row["state"]) for row in states.iter_rows())
    print(f"{corpus.compute()['sari']:.2f}  {corpus.segments} segments  {corpus.signature()}")


if __name__ == "__main__":
    main(*(str(Path(path).absolute()) for path in sys.argv[1:3]), sys.argv[3])
