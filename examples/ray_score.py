"""Score Parquet files with Ray Data, in two processes of a machine or of a cluster.

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


class RowScorer:
    """Adds the scores of each row to a batch; a process makes one, and calls it for each batch."""

    def __init__(self, variant):
        self.scorer = load_scorer(variant)

    def __call__(self, batch):
        """Return the batch with the columns sari, keep, delete and add."""
        for name, scores in self.scorer.score_batch(batch).items():
            batch = batch.append_column(name, pa.array(scores))
        return batch


class BatchState(RowScorer):
    """Turns a batch into its statistics."""

    def __call__(self, batch):
        """Return one row: the bytes of a state."""
        state = self.scorer.state()
        state.update(**{name: batch[name] for name in ("sources", "predictions", "references")})
        return pa.table({"state": [state.to_bytes()]})


def main(source, target, variant):
    """Write the scores of the rows, and print the score of the corpus."""
    how = {"fn_constructor_args": [variant], "batch_format": "pyarrow", "batch_size": 4096}
    how["compute"] = ray.data.ActorPoolStrategy(size=2)
    segments = ray.data.read_parquet(source)
    segments.map_batches(RowScorer, **how).write_parquet(target)
    scorer, states = load_scorer(variant), segments.map_batches(BatchState, **how)
    corpus = sum(scorer.read_state(row["state"]) for row in states.iter_rows())
    print(f"{corpus.compute()['sari']:.2f}  {corpus.segments} segments  {corpus.signature}")


if __name__ == "__main__":
    main(*(str(Path(path).absolute()) for path in sys.argv[1:3]), sys.argv[3])
