"""Score Parquet or JSON Lines files with Ray Data, on all processes of a machine or of a cluster.

    python examples/ray_score.py segments.jsonl scored --variant easse

The input has columns `source`, `prediction` and `references`, or the plurals. The output is a new folder of Parquet
files with the same rows, and for each row its own "sari", "keep", "delete" and "add", in percent. The rows are in the
same order, unless a process was lost on the way. The score of the corpus is printed. It is exact for every variant:
each batch becomes a state, and states are merged.

A Parquet file or folder is read by all processes. A JSON Lines file must fit into the memory of one. On a cluster, the
files and this project need the same path on every machine.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import ray

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("sources", "predictions", "references")
#: Other names that columns may have.
ALIASES = {"source": "sources", "prediction": "predictions", "output": "predictions", "reference": "references"}
ADDED = ("sari", "keep", "delete", "add")


def load_sari(variant: str):
    """Return a `sari.sari_scorer.Scorer`, in any process of the cluster."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from as_package import make_importable

    make_importable()
    from sari.sari_scorer import Scorer

    return Scorer(variant)


class Worker:
    """SARI in a process of its own."""

    def __init__(self, variant: str):
        self._sari = load_sari(variant)


class RowScorer(Worker):
    """Adds the scores of each row to a batch."""

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Return the batch with four more columns."""
        for name, scores in self._sari.score_batch(batch).items():
            batch = batch.append_column(name, pa.array(scores, pa.float64()))
        return batch


class BatchCounter(Worker):
    """Reduces a batch to the statistics from which the score of the corpus is computed."""

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Return one row: the bytes of the batch's state."""
        state = self._sari.state()
        state.update(**{name: batch[name] for name in COLUMNS})
        return pa.table({"state": [state.to_bytes()]})


def read(path: str) -> ray.data.Dataset:
    """Return the rows of a JSON Lines file, of a Parquet file, or of a folder of Parquet files."""
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    if Path(path).is_dir() or path.endswith(".parquet"):
        rows = ray.data.read_parquet(path)
    else:
        with open(path, encoding="utf-8") as file:
            objects = [json.loads(line) for line in file if line.strip()]
        if not objects:
            raise ValueError(f"{path}: got no rows, expected at least one")
        table = pa.Table.from_struct_array(pa.array(objects))
        rows = ray.data.from_arrow([table[begin : begin + 1000] for begin in range(0, len(table), 1000)])
    found = rows.columns() or []
    names = [ALIASES.get(name, name) for name in found]
    if missing := [name for name in COLUMNS if names.count(name) != 1]:
        raise ValueError(f"{path}: got columns {', '.join(found)}, expected one of each: {', '.join(missing)}")
    if taken := [name for name in ADDED if name in names]:
        raise ValueError(f"{path}: got columns {', '.join(taken)}, expected other names: the output has these")
    return rows.rename_columns(names)


def mapped(rows: ray.data.Dataset, worker: type, variant: str, *, workers: int, batch_size: int) -> ray.data.Dataset:
    """Return what the workers make of batches of rows, in the order of the rows."""
    return rows.map_batches(
        worker,
        fn_constructor_args=[variant],
        batch_size=batch_size,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=workers),
    )


def corpus_state(states: ray.data.Dataset, variant: str):
    """Return the merged state of all batches: `compute()` gives the score, `signature` names the variant."""
    sari = load_sari(variant)
    total = sari.state()
    for row in states.iter_rows():
        total.merge(sari.read_state(row["state"]))
    return total


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description="Score Parquet or JSON Lines files with SARI and Ray Data.")
    parser.add_argument("input", help="columns source, prediction and references (a list or one), or the plurals")
    parser.add_argument("output", help="a new folder for Parquet files")
    parser.add_argument("--variant", default="hf", help="which SARI (default: hf)")
    parser.add_argument("--workers", type=int, default=2, help="how many processes score (default: 2)")
    parser.add_argument("--batch-size", type=int, default=4096, help="rows that are scored at once (default: 4096)")
    parser.add_argument("--address", help="a running Ray cluster (default: one on this machine, for this run)")
    options = parser.parse_args(arguments)
    resources = {"address": options.address} if options.address else {"num_cpus": options.workers + 1}
    how = {"workers": options.workers, "batch_size": options.batch_size}
    try:
        load_sari(options.variant)
        with ray.init(**resources, include_dashboard=None if options.address else False, log_to_driver=False):
            rows = read(str(Path(options.input).absolute()))
            target = str(Path(options.output).absolute())  # the processes of a cluster run in other folders
            mapped(rows, RowScorer, options.variant, **how).write_parquet(target, mode="error")
            state = corpus_state(mapped(rows, BatchCounter, options.variant, **how), options.variant)
    except (ImportError, OSError, ValueError) as error:
        print(f"ray_score.py: error: {error}", file=sys.stderr)
        return 2
    print(f"{state.compute()['sari']:.2f}  {state.segments} segments  {state.signature}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
