"""Measures of Xu et al. 2016, "Optimizing Statistical Machine Translation for Text Simplification", table 5.

https://aclanthology.org/Q16-1029. The paper does not compute what its equation 3 says. FKBLEU is the root of
iBLEU × sigmoid(FK(source) − FK(output)), as the text says ("geometric mean") and the figures show; the equation has no
root, and the other sign. All columns of the table are means of sentences, by the Joshua that the authors released
(GradeLevelBLEU.java and BLEU.java of ppdb-simplification-release-joshua5.0, in
https://github.com/Sanqiang/text_simplification at 9632eee, run by its JoshuaEval.java). Computed like that, all 24
figures of FK, BLEU, iBLEU and FKBLEU come out to the digit.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from sari.companion_measures.columns import check_alpha, texts_and_references
from sari.companion_measures.readability import GRADES
from sari.companion_measures.translation import bleu_counts, smoothed_precisions
from sari.companion_measures.words import joshua_syllables, joshua_tokens
from sari.validation import validate_columns


def bleu_scores(predictions, references) -> np.ndarray:
    """Return the BLEU of each prediction in percent, as Joshua computes it: float64[segments].

    Precisions are those of `translation.smoothed_precisions`.

    Args:
        predictions: one text per segment.
        references: per segment a list of texts, of any length, or one text.

    >>> bleu_scores(["the cat sat on the mat .", "a dog"], ["the cat sat on the mat .", "a cat"]).round(2).tolist()
    [100.0, 70.71]
    """
    predictions, references = texts_and_references(predictions, references)
    counts = bleu_counts(list(map(_normalized, predictions)), [list(map(_normalized, row)) for row in references])
    return 100 * _bleu(counts, counts[:, 1])


def ibleu_scores(sources, predictions, references, *, alpha: float = 0.9) -> np.ndarray:
    """Return alpha × BLEU against the references − (1 − alpha) × BLEU against the source, in percent, of each segment.

    BLEU's brevity penalty takes the mean length of the references, rounded down. Marks are split from the words of
    predictions and references, not from those of sources.

    Args:
        sources, predictions, references: as in the metric.
        alpha: the weight of the references, from 0 to 1.

    Returns:
        float64[segments].

    >>> ibleu_scores(["a b c d e f"], ["a b c d e"], ["a b c d e"]).round(2).tolist()
    [81.81]
    """
    sources, predictions, references = validate_columns(sources, predictions, references)
    check_alpha(alpha)
    targets = [list(map(_normalized, row)) for row in references]
    lengths = [sum(max(len(text.split()), 1) for text in row) // len(row) for row in targets]
    near = _bleu(bleu_counts(list(map(_normalized, predictions)), targets), np.array(lengths, np.int64))
    copied = bleu_counts(list(map(_normalized, predictions)), [" ".join(_source_tokens(text)) for text in sources])
    return 100 * (alpha * near - (1 - alpha) * _bleu(copied, copied[:, 1]))


def fkbleu_scores(sources, predictions, references, *, alpha: float = 0.9) -> np.ndarray:
    """Return √(iBLEU × sigmoid(FK(source) − FK(prediction))) of each segment, in percent: float64[segments].

    It rises if an output is easier to read than its source. It is 0 where Joshua has no number: for a negative iBLEU
    and for an empty output.

    Args:
        sources, predictions, references, alpha: as in `ibleu_scores`.

    >>> fkbleu_scores(["a b c d e f g"], ["a b c d e f g"], ["a b c d e f g"]).round(2).tolist()
    [63.25]
    """
    sources, predictions, references = validate_columns(sources, predictions, references)
    near = ibleu_scores(sources, predictions, references, alpha=alpha) / 100
    words = list(map(joshua_tokens, predictions))
    eased = _grades(words) - _grades(list(map(_source_tokens, sources)))
    sigmoid = 1 / (1 + np.exp(np.minimum(eased, 700.0)))  # beyond 700, exp would overflow
    empty = np.array([not row for row in words], bool)
    return 100 * np.sqrt(np.where(empty, 0, np.maximum(near, 0)) * sigmoid)


@lru_cache(1 << 10)  # several systems have the same references
def _normalized(text: str) -> str:
    return " ".join(joshua_tokens(text))


def _source_tokens(text: str) -> list[str]:
    return joshua_tokens(text, normalize=False)


def _grades(words: list[list[str]]) -> np.ndarray:
    """Return the grades of single sentences, which GradeLevelBLEU.java does not cut off at 25."""
    rows = [(len(row), sum(map(joshua_syllables, row)), 1) for row in words]
    return replace(GRADES["xu2016"], highest=np.inf).of_sums(np.array(rows, np.int64).reshape(-1, 3))


def _bleu(counts: np.ndarray, reference_lengths: np.ndarray) -> np.ndarray:
    """Return Joshua's BLEU, from 0 to 1, of each row of counts."""
    length = counts[:, 0]
    short = np.minimum(0, 1 - reference_lengths / np.maximum(length, 1))
    bleu = np.exp(short + np.log(smoothed_precisions(counts)).mean(axis=1))
    return np.where((length == 0) & (reference_lengths > 0), 0.0, bleu)
