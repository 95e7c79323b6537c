"""Every path to the scores of a corpus, and the same scores by the slow oracle of the tests."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sari.corpus_statistics import score_corpus
from sari.data_warnings import take_sample
from sari.ngram_statistics import SegmentCounts, count_ngrams, ngram_tables
from sari.sari_scorer import Scorer, compute
from sari.tests import oracle
from sari.tokenization import encode_chunk
from sari.validation import Columns
from sari.variants import resolve_variant


def _by_compute(corpus: Columns, **options: Any) -> Any:
    return compute(**corpus._asdict(), **options)


def _by_states(corpus: Columns, **options: Any) -> Any:
    """Score the corpus in pieces, whose states merge."""
    whole = Scorer(**options).state(sentences=True)
    step = max(1, len(corpus.sources) // 3)
    for begin in range(0, len(corpus.sources), step):
        state = Scorer(**options).state(sentences=True)
        state.update(**{name: column[begin : begin + step] for name, column in corpus._asdict().items()})
        whole.merge(state)
    return whole.compute(details=True)


def _by_prepared(corpus: Columns, **options: Any) -> Any:
    prepared = Scorer(**options).prepare(sources=corpus.sources, references=corpus.references)
    return prepared.compute(corpus.predictions, details=True)


def _by_compare(corpus: Columns, **options: Any) -> Any:
    """Score the predictions together with two other systems."""
    systems = {"copy": corpus.sources, "these": corpus.predictions, "reference": [row[0] for row in corpus.references]}
    columns = corpus._replace(predictions=systems)._asdict()  # type: ignore[arg-type]
    compared = Scorer(**options).compare(**columns, method=None, confidence=None, details=True)
    return compared["systems"]["these"]


def _by_candidates(corpus: Columns, **options: Any) -> Any:
    texts: dict[str, Any] = {"sources": corpus.sources, "references": corpus.references}
    scores = Scorer(**options).score_candidates(**texts, candidates=_candidates(corpus))
    return {"sentences": {"sari": [row[0] for row in scores]}}


def _by_explanation(corpus: Columns, **options: Any) -> Any:
    """Add up the counts of the single n-grams of each segment."""
    variant = resolve_variant(**options)
    counted = []
    for source, prediction, references in zip(*corpus, strict=True):
        tokens = encode_chunk([source], [references], [prediction], variant)
        counts = np.array([table.counts.sum(axis=0) for table in ngram_tables(tokens, variant)])
        counted.append(SegmentCounts(counts[None], count_ngrams(tokens, variant).sizes))
    scored = score_corpus(counted, variant, take_sample(*corpus), sentences=True)
    return {**scored.scores(), "sentences": scored.sentences()}


def _by_risk(corpus: Columns, **options: Any) -> Any:
    """Score a prediction and the references, with each of the others as the only reference."""
    chosen = Scorer(**options).minimum_bayes_risk(sources=corpus.sources, candidates=_candidates(corpus))
    return {"expected": chosen["expected"]}


def _candidates(corpus: Columns) -> list[list[str]]:
    return [[prediction, *row] for prediction, row in zip(corpus.predictions, corpus.references, strict=True)]


def _oracle_of_risk(corpus: Columns, **options: Any) -> Any:
    expected = []
    for source, candidates in zip(corpus.sources, _candidates(corpus), strict=True):
        rows = []
        for place, candidate in enumerate(candidates):
            others = [*candidates[:place], *candidates[place + 1 :]]
            columns = [source] * len(others), [candidate] * len(others), [[other] for other in others]
            rows.append(math.fsum(oracle.sentences(*columns, **options)["sari"]) / len(others))
        expected.append(rows)
    return {"expected": expected}


class ScoringPath(NamedTuple):
    """A way to score a corpus.

    Attributes:
        weight: how often it is taken, in comparison with the others.
        ours: from a corpus and options to nested numbers.
        right: the same by the oracle; it may return more.
        most: the largest number of segments.
    """

    weight: int
    ours: Callable[..., Any]
    right: Callable[..., Any] = lambda corpus, **options: oracle.details(*corpus, **options)
    most: int = 100


PATHS = {
    "compute": ScoringPath(3, _by_compute),
    "details": ScoringPath(4, partial(_by_compute, details=True)),
    "states": ScoringPath(6, _by_states),
    "prepared": ScoringPath(4, _by_prepared),
    "compare": ScoringPath(2, _by_compare),
    "candidates": ScoringPath(2, _by_candidates),
    "explanation": ScoringPath(1, _by_explanation, most=4),
    "risk": ScoringPath(1, _by_risk, _oracle_of_risk, most=4),
}
