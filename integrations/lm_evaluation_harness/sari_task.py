"""SARI for tasks of lm-evaluation-harness: each segment becomes a triple, and the triples of the corpus a score.

Of metrics that it does not know the harness makes no standard error; `sari.compute(..., confidence=0.95)` makes
intervals of the logged samples.
"""

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import datasets

from sari.sari_scorer import Scorer

#: Which SARI; say so in a paper, or give the signature that `Scorer(VARIANT).signature(nrefs)` returns.
VARIANT = "easse"
DATA = Path(__file__).resolve().parents[1] / "data" / "test.jsonl"

#: A segment: source, prediction, references.
Triple = tuple[str, str, tuple[str, ...]]


def load(**_: Any) -> dict[str, datasets.Dataset]:
    """Return the data set, with columns "source" and "references"; `datasets.load_dataset` of one's own goes here."""
    return {"test": datasets.Dataset.from_json(str(DATA))}


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Triple]:
    """Return what the corpus scores are made of, for each of them the same."""
    triple = (doc["source"], results[0].strip(), tuple(doc["references"]))
    return dict.fromkeys(("sari", "keep", "delete", "add"), triple)


def sari(triples: Iterable[Triple]) -> float:
    """Return SARI of the corpus in percent."""
    return _scores(tuple(triples))["sari"]


def keep(triples: Iterable[Triple]) -> float:
    """Return its score of what was kept."""
    return _scores(tuple(triples))["keep"]


def delete(triples: Iterable[Triple]) -> float:
    """Return its score of what was deleted."""
    return _scores(tuple(triples))["delete"]


def add(triples: Iterable[Triple]) -> float:
    """Return its score of what was added."""
    return _scores(tuple(triples))["add"]


@functools.lru_cache(maxsize=1)
def _scores(triples: tuple[Triple, ...]) -> Any:
    sources, predictions, references = map(list, zip(*triples, strict=True))
    return Scorer(VARIANT).compute(sources=sources, predictions=predictions, references=list(map(list, references)))
