"""Every path to the scores of a corpus, and the same scores by the slow oracle."""

import math

import numpy as np
import oracle
from hostile_texts import cut

from sari.corpus_statistics import score_corpus
from sari.ngram_statistics import SegmentCounts, count_ngrams, ngram_tables
from sari.sari_scorer import Scorer, compute
from sari.text_checks import take_sample
from sari.tokenization import encode_chunk
from sari.variants import resolve_variant


def by_compute(corpus, **options):
    return compute(**corpus, **options, details=True)


def by_states(corpus, **options):
    """Score the corpus in pieces, whose states merge."""
    whole = Scorer(**options).state(sentences=True)
    for piece in cut(corpus, 3):
        state = Scorer(**options).state(sentences=True)
        state.update(**piece)
        whole.merge(state)
    return whole.compute(details=True)


def by_compare(corpus, **options):
    """Score the predictions together with two other systems."""
    first = [row[0] for row in corpus["references"]]
    systems = {"copy": corpus["sources"], "these": corpus["predictions"], "reference": first}
    columns = {**corpus, "predictions": systems}
    return Scorer(**options).compare(**columns, method=None, confidence=None, details=True)["systems"]["these"]


def by_candidates(corpus, **options):
    texts = {"sources": corpus["sources"], "references": corpus["references"]}
    scores = Scorer(**options).score_candidates(**texts, candidates=candidates_of(corpus))
    return {"sentences": {"sari": [row[0] for row in scores]}}


def by_explanation(corpus, **options):
    """Add up the counts of the single n-grams of each segment."""
    variant = resolve_variant(**options)
    counted = []
    for source, prediction, references in zip(*corpus.values(), strict=True):
        tokens = encode_chunk([source], [references], [prediction], variant)
        counts = np.array([table.counts.sum(axis=0) for table in ngram_tables(tokens, variant)])
        counted.append(SegmentCounts(counts[None], count_ngrams(tokens, variant).sizes))
    scored = score_corpus(counted, variant, take_sample(*corpus.values()), sentences=True)
    return {**scored.scores(), "sentences": scored.sentences()}


def by_risk(corpus, **options):
    """Score a prediction and the references, with each of the others as the only reference."""
    texts = {"sources": corpus["sources"], "candidates": candidates_of(corpus)}
    return {"expected": Scorer(**options).minimum_bayes_risk(**texts)["expected"]}


def candidates_of(corpus):
    return [[output, *row] for output, row in zip(corpus["predictions"], corpus["references"], strict=True)]


def risk_by_the_oracle(corpus, **options):
    expected = []
    for source, candidates in zip(corpus["sources"], candidates_of(corpus), strict=True):
        rows = []
        for place, candidate in enumerate(candidates):
            others = [*candidates[:place], *candidates[place + 1 :]]
            columns = [source] * len(others), [candidate] * len(others), [[other] for other in others]
            rows.append(math.fsum(oracle.sentences(*columns, **options)["sari"]) / len(others))
        expected.append(rows)
    return {"expected": expected}


def details_by_the_oracle(corpus, **options):
    return oracle.details(**corpus, **options)


#: The paths, and what returns the same by the oracle, and perhaps more.
_WITH_DETAILS = (by_compute, by_states, by_compare, by_candidates, by_explanation)
PATHS = dict.fromkeys(_WITH_DETAILS, details_by_the_oracle) | {by_risk: risk_by_the_oracle}
