"""SARI for tasks of lm-evaluation-harness: each segment becomes a row of texts, and the rows of the corpus a score.

The variant is an argument: `--metadata '{"variant": "paper"}'`. Of metrics that it does not know the harness makes no
standard error; docs/recipes.md makes intervals of the samples that it logs.
"""

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import datasets

from sari import Scorer

DATA = Path(__file__).resolve().parents[1] / "data" / "test.jsonl"

#: A segment: variant, source, prediction, references.
Segment = tuple[str, str, str, tuple[str, ...]]


def load(variant: str = "easse", **_: Any) -> dict[str, datasets.Dataset]:
    """Return the data set, with columns "source", "references" and "variant"; your own is loaded here."""
    rows = datasets.Dataset.from_json(str(DATA))
    return {"test": rows.add_column("variant", [variant] * len(rows))}


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Segment]:
    """Return what the corpus scores are made of, for each of them the same."""
    segment = (doc["variant"], doc["source"], results[0].strip(), tuple(doc["references"]))
    return dict.fromkeys(("sari", "keep", "delete", "add"), segment)


def sari(segments: Iterable[Segment]) -> float:
    """Return SARI of the corpus in percent."""
    return _scores(tuple(segments))["sari"]


def keep(segments: Iterable[Segment]) -> float:
    """Return its score of what was kept."""
    return _scores(tuple(segments))["keep"]


def delete(segments: Iterable[Segment]) -> float:
    """Return its score of what was deleted."""
    return _scores(tuple(segments))["delete"]


def add(segments: Iterable[Segment]) -> float:
    """Return its score of what was added."""
    return _scores(tuple(segments))["add"]


@functools.lru_cache(maxsize=1)
def _scores(segments: tuple[Segment, ...]) -> Any:
    variants, sources, predictions, references = map(list, zip(*segments, strict=True))
    columns = {"sources": sources, "predictions": predictions, "references": list(map(list, references))}
    return Scorer(variants[0]).compute(**columns)
