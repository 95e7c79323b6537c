"""Every path to the scores of a corpus, and the same scores by the slow oracle."""

import math

import oracle

from sari.sari_scorer import Scorer, compute


def by_compute(corpus, **options):
    return compute(**corpus, **options, details=True)


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
PATHS = dict.fromkeys((by_compute, by_compare, by_candidates), details_by_the_oracle) | {by_risk: risk_by_the_oracle}
