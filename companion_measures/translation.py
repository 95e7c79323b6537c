"""Measures of machine translation, as sacreBLEU computes them over given tokens: BLEU, iBLEU, chrF and TER.

Scores of corpora are computed from sums of the counts of segments: `bleu_of_sums` from sums of `bleu_counts`.
"""

from collections import Counter
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, TER
from sacrebleu.metrics.helpers import extract_all_char_ngrams

from sari.companion_measures.columns import texts_and_references
from sari.validation import check_share, validate_columns

# The orders of character n-grams that chrF compares.
_ORDERS = 6


def bleu(predictions: Any, references: Any, *, tokenize: str = "none", **options: Any) -> float:
    """Return the corpus BLEU of predictions in percent, as sacreBLEU computes it (Papineni et al. 2002, Post 2018).

    Args:
        predictions: one text per segment.
        references: per segment a list of texts, of any length, or one text.
        tokenize: sacreBLEU's tokenizer; "none" takes tokens as they are.
        options: more options of `sacrebleu.metrics.BLEU`, such as `lowercase` or `smooth_method`.

    >>> bleu(["the cat sat on the mat ."], [["the cat sat on the mat .", "a cat sat there ."]])
    100.00000000000004
    """
    predictions, references = texts_and_references(predictions, references)
    metric = BLEU(**{"tokenize": tokenize, "force": True, **options})
    return metric.corpus_score(predictions, list(zip_longest(*references))).score if predictions else 0.0


def bleu_counts(predictions: Any, references: Any) -> np.ndarray:
    """Return the counts of each segment from which BLEU is computed: int64[segment, 10]; they add up.

    The columns are the length of the prediction, the length of the closest reference (the shorter of two equally close
    ones), the matching n-grams of orders 1 to 4, and all n-grams of the prediction of orders 1 to 4.

    Args:
        predictions, references: as in `bleu`.

    >>> texts = ["the cat sat .", "a dog ."], [["the cat sat .", "a cat ."], ["a dog barked ."]]
    >>> counts = bleu_counts(*texts)
    >>> counts.tolist()[0]
    [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]
    >>> round(float(bleu_of_sums(counts.sum(axis=0))), 2), round(bleu(*texts), 2)
    (74.08, 74.08)
    """
    predictions, references = texts_and_references(predictions, references)
    rows = [_segment_counts(text, tuple(row)) for text, row in zip(predictions, references, strict=True)]
    return np.array(rows, np.int64).reshape(-1, 10)


def bleu_of_sums(sums: np.ndarray) -> np.ndarray:
    """Return the corpus BLEU in percent, float64[...], of sums of `bleu_counts`, float64[..., 10].

    This is sacreBLEU's `compute_bleu` for thousands of resamples at once.

    >>> bleu_of_sums(np.array([[4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [4, 4, 2, 0, 0, 0, 4, 3, 2, 1]])).round(2).tolist()
    [100.0, 19.0]
    """
    length, reference_length = sums[..., 0], sums[..., 1]
    matches, totals = np.split(sums[..., 2:].astype(np.float64), 2, axis=-1)
    some = (totals > 0).all(axis=-1) & (matches > 0).any(axis=-1)
    short = np.minimum(0, 1 - reference_length / np.maximum(length, 1))
    # As bleu-1.04.pl: the first order without a match counts half a match, the next a quarter, and so on.
    unmatched = (matches == 0) & (totals > 0)
    smoothed = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=-1), matches)
    precisions = np.where(totals > 0, smoothed / np.maximum(totals, 1), 1.0)
    return np.where(some, 100 * np.exp(short + np.log(precisions).mean(axis=-1)), 0.0)


def ibleu(sources: Any, predictions: Any, references: Any, *, alpha: float = 0.9, **options: Any) -> float:
    """Return alpha × BLEU against the references − (1 − alpha) × BLEU against the source, in percent.

    Equation 1 of Xu et al. 2016, after Sun and Zhou 2012. The value lies between −100 × (1 − alpha) and 100 × alpha.

    Args:
        sources, predictions, references: as in the metric.
        alpha: the weight of the references, from 0 to 1.
        options: as in `bleu`.

    >>> round(ibleu(["a b c d e f"], ["a b c d e"], ["a b c d e"]), 2)
    81.81
    """
    sources, predictions, references = validate_columns(sources, predictions, references)
    check_share("alpha", alpha)
    return alpha * bleu(predictions, references, **options) - (1 - alpha) * bleu(predictions, sources, **options)


def ibleu_counts(sources: Any, predictions: Any, references: Any) -> np.ndarray:
    """Return the counts of each segment from which iBLEU is computed, int64[segment, 20]: see `bleu_counts`."""
    return np.hstack([bleu_counts(predictions, references), bleu_counts(predictions, sources)])


def ibleu_of_sums(sums: np.ndarray, *, alpha: float = 0.9) -> np.ndarray:
    """Return iBLEU in percent, float64[...], of sums of `ibleu_counts`, [..., 20]."""
    near, copied = map(bleu_of_sums, np.split(sums, 2, axis=-1))
    return alpha * near - (1 - alpha) * copied


def chrf_counts(predictions: Any, references: Any) -> np.ndarray:
    """Return the counts of each segment from which chrF is computed: int64[segment, 18]; they add up.

    The columns are, for each order from 1 to 6, the numbers of character n-grams of the prediction, of the reference
    with the highest chrF, and of those that match. Whitespace does not count.

    Args:
        predictions, references: as in `bleu`.

    >>> round(float(chrf_of_sums(chrf_counts(["the cat sat"], [["a cat sat", "x"]]))[0]), 2)
    67.23
    """
    predictions, references = texts_and_references(predictions, references)
    rows = []
    for text, row in zip(predictions, references, strict=True):
        counts = np.array([_matching_characters(text, reference) for reference in row], np.int64)
        rows.append(counts[chrf_of_sums(counts).argmax()])
    return np.array(rows, np.int64).reshape(-1, 3 * _ORDERS)


def chrf_of_sums(sums: np.ndarray) -> np.ndarray:
    """Return chrF2 in percent (Popović 2015), float64[...], of sums of `chrf_counts`, float64[..., 18]."""
    output, reference, matching = np.moveaxis(sums.reshape(*sums.shape[:-1], _ORDERS, 3).astype(np.float64), -1, 0)
    known = (output > 0) & (reference > 0)
    orders = np.maximum(known.sum(axis=-1), 1)
    precision = (known * matching / np.maximum(output, 1)).sum(axis=-1) / orders
    recall = (known * matching / np.maximum(reference, 1)).sum(axis=-1) / orders
    # In sacreBLEU's order of operations, so that equally near references are as equal as there.
    return 100 * (5 * precision * recall / np.maximum(4 * precision + recall, np.finfo(float).tiny))


def ter_counts(predictions: Any, references: Any) -> np.ndarray:
    """Return the edits of each segment and the mean length of its references: float64[segment, 2]; they add up.

    Args:
        predictions, references: as in `bleu`.

    >>> ter_counts(["the cat sat"], [["the cat sat down", "a cat sat"]]).tolist()
    [[1.0, 3.5]]
    """
    predictions, references = texts_and_references(predictions, references)
    ter = TER()
    scores = [ter.sentence_score(text, row) for text, row in zip(predictions, references, strict=True)]
    return np.array([(score.num_edits, score.ref_length) for score in scores], np.float64).reshape(-1, 2)


def ter_of_sums(sums: np.ndarray) -> np.ndarray:
    """Return TER in percent (Snover et al. 2006), float64[...], of sums of `ter_counts`, float64[..., 2]."""
    edits, length = sums[..., 0], sums[..., 1]
    return 100 * np.where(length > 0, edits / np.where(length > 0, length, 1), edits > 0)


# Systems are measured segment by segment, so that references are prepared once for all systems.
@lru_cache(64)
def _character_ngrams(text: str) -> list[Counter[str]]:
    return extract_all_char_ngrams(text, _ORDERS)


def _matching_characters(text: str, reference: str) -> list[int]:
    counts = []
    for ours, theirs in zip(_character_ngrams(text), _character_ngrams(reference), strict=True):
        counts += [ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()]
    return counts


@lru_cache(16)
def _bleu_of_references(references: tuple[str, ...]) -> BLEU:
    """Return BLEU with the references of one segment: a corpus of its own, since sacreBLEU counts corpora."""
    return BLEU(tokenize="none", force=True, references=[[text] for text in references])


@lru_cache(1 << 15)
def _segment_counts(prediction: str, references: tuple[str, ...]) -> list[int]:
    score = _bleu_of_references(references).corpus_score([prediction], None)
    return [score.sys_len, score.ref_len, *score.counts, *score.totals]
