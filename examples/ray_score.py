"""Score a folder of Parquet files with Ray, in the processes of a machine or of a cluster, in one pass.

    python examples/ray_score.py segments scored easse

The files have columns sources, predictions and references. The new folder gets files of the same names, whose rows also
have their own scores; a second run writes them anew. Both folders may be addresses, such as s3://bucket/segments. Each
file is a task, and a shard of the corpus: a task that ran again is not counted twice, and the score, to the last bit,
is that of one process. SARI has to be installed on every machine of the cluster.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import ray
from pyarrow.fs import FileSelector, FileSystem

from sari import Scorer

BATCH = 1000
SCORES = ("sari", "keep", "delete", "add")


@ray.remote
def score_file(source: str, target: str, shard: str, variant: str) -> bytes:
    """Write the rows of a file with their scores, and return the state of the file."""
    (from_files, source), (to_files, target) = FileSystem.from_uri(source), FileSystem.from_uri(target)
    state, first, unfinished = Scorer(variant).state(shard=shard), 0, f"{target}.unfinished"
    with from_files.open_input_file(source) as opened, to_files.open_output_stream(unfinished) as written:
        rows = pq.ParquetFile(opened)
        schema = pa.schema([*rows.schema_arrow, *(pa.field(name, pa.float64()) for name in SCORES)])
        with pq.ParquetWriter(written, schema) as writer:
            for batch in rows.iter_batches(BATCH):
                scores = state.score_batch(batch, ids=range(first, first + len(batch)))
                writer.write_batch(
                    pa.record_batch([*batch.columns, *(pa.array(scores[name]) for name in SCORES)], schema)
                )
                first += len(batch)
    to_files.move(unfinished, target)
    return state.to_bytes()


@ray.remote
def merge(*states: bytes) -> bytes:
    """Return the state of several shards; tasks merge them in a tree, so that no process has all of them."""
    return Scorer().merge_states(states).to_bytes()


def main(source: str, target: str, variant: str) -> None:
    """Write the scores of the rows, and print the score of the corpus."""
    source, target = (path if "://" in path else Path(path).absolute().as_uri() for path in (source, target))
    (files, folder), (to_files, new_folder) = FileSystem.from_uri(source), FileSystem.from_uri(target)
    to_files.create_dir(new_folder)
    names = sorted(info.base_name for info in files.get_file_info(FileSelector(folder)) if info.extension == "parquet")
    states = [score_file.remote(f"{source}/{name}", f"{target}/{name}", name, variant) for name in names]
    while len(states) > 1:
        states = [merge.remote(*states[place : place + 16]) for place in range(0, len(states), 16)]
    corpus = Scorer(variant).merge_states(ray.get(states))
    if not corpus.segments:
        sys.exit(f"{source}: got no rows, expected Parquet files with some")
    print(f"{corpus.compute()['sari']:.2f}  {corpus.segments} segments  {corpus.signature()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
