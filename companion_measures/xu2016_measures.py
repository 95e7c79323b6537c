"""Measures of Xu et al. 2016, "Optimizing Statistical Machine Translation for Text Simplification", table 5.

https://aclanthology.org/Q16-1029. The paper does not compute what its equation 3 says. FKBLEU is the root of
iBLEU × sigmoid(FK(source) − FK(output)), as the text says ("geometric mean") and the figures show; the equation has no
root, and the other sign. All columns of the table are means of sentences, by the Joshua that the authors released
(GradeLevelBLEU.java and BLEU.java of ppdb-simplification-release-joshua5.0, in
https://github.com/Sanqiang/text_simplification at 9632eee, run by its JoshuaEval.java). Computed like that, all 24
figures of FK, BLEU, iBLEU and FKBLEU come out to the digit.
"""

import re
from functools import lru_cache

import numpy as np

from sari.companion_measures.columns import check_alpha, texts_and_references
from sari.companion_measures.translation import bleu_counts, smoothed_precisions
from sari.validation import validate_columns

_REMEMBERED = 1 << 17
_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"}
_MARKS = re.compile(r"""([!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])""")
# A period or comma, unless digits stand on both sides; a hyphen after a digit.
_BETWEEN = re.compile(r"(?<![0-9])([.,])|([.,])(?![0-9])|(?<=[0-9])(-)")
_OTHER_WHITESPACE = re.compile(r"[^\S \t\n\x0b\f\r]")
_JOSHUA_SYLLABLE, _JOSHUA_SILENT_E = re.compile("[^aeiouy]*[aeiouy]+"), re.compile("[^aeiou]e$")


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


def fk_scores(predictions) -> np.ndarray:
    """Return the Flesch–Kincaid grade of each prediction, from 0 to 25: float64[segments]."""
    return np.clip(_grades(list(map(joshua_tokens, predictions))), 0, 25)


def _grades(words: list[list[str]]) -> np.ndarray:
    """Return the grades of single sentences, which GradeLevelBLEU.java does not cut off at 25."""
    counts = np.array([(len(row), sum(map(joshua_syllables, row))) for row in words], np.float64).reshape(-1, 2).T
    grades = 0.39 * counts[0] + 11.8 * counts[1] / np.maximum(counts[0], 1) - 15.19
    return np.where(counts[0] > 0, np.maximum(grades, 0), 0)


def _bleu(counts: np.ndarray, reference_lengths: np.ndarray) -> np.ndarray:
    """Return Joshua's BLEU, from 0 to 1, of each row of counts."""
    length = counts[:, 0]
    short = np.minimum(0, 1 - reference_lengths / np.maximum(length, 1))
    bleu = np.exp(short + np.log(smoothed_precisions(counts)).mean(axis=1))
    return np.where((length == 0) & (reference_lengths > 0), 0.0, bleu)


@lru_cache(_REMEMBERED)
def joshua_syllables(word: str) -> int:
    """Return Joshua's count: vowel groups without a silent e, at least one in each part between hyphens.

    Only lowercase vowels count.

    >>> joshua_syllables("simplification"), joshua_syllables("thirty-five"), joshua_syllables(".")
    (5, 3, 1)
    """
    parts = word.split("-") if word != "-" else [word]
    while parts and not parts[-1]:  # as Java splits
        parts.pop()
    return sum(max(len(_JOSHUA_SYLLABLE.findall(part)) - bool(_JOSHUA_SILENT_E.search(part)), 1) for part in parts)


def joshua_tokens(text: str, *, normalize: bool = True) -> list[str]:
    """Split a text into tokens as JoshuaEval does: at ASCII whitespace, and marks from words.

    Args:
        text: any text.
        normalize: whether marks are split from words; if not, only whitespace splits.

    >>> joshua_tokens("It's 3.5 (or 4-5).")
    ["It's", '3.5', '(', 'or', '4', '-', '5', ')', '.']
    """
    if normalize:
        for entity, mark in _ENTITIES.items():
            text = text.replace(entity, mark)
        text = _BETWEEN.sub(r" \g<0> ", _MARKS.sub(r" \1 ", text))
    return _OTHER_WHITESPACE.sub("\ufffc", text).split()
