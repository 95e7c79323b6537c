"""FK, BLEU, iBLEU and FKBLEU of Xu et al. 2016, "Optimizing Statistical Machine Translation for Text Simplification".

The columns of its table 5 (https://aclanthology.org/Q16-1029) are means of sentences, by the Joshua that the authors
released: GradeLevelBLEU.java, BLEU.java and JoshuaEval.java of ppdb-simplification-release-joshua5.0, in
https://github.com/Sanqiang/text_simplification at 9632eee. FKBLEU is the root of iBLEU × sigmoid(FK(source) −
FK(output)), as the text says ("geometric mean") and the figures show; equation 3 has no root, and the other sign.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sari.companion_measures.translation import bleu_counts, smoothed_precisions

_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"}
_MARKS = re.compile(r"""([!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])""")
# A period or comma, unless digits stand on both sides; a hyphen after a digit.
_BETWEEN = re.compile(r"(?<![0-9])([.,])|([.,])(?![0-9])|(?<=[0-9])(-)")
_OTHER_WHITESPACE = re.compile(r"[^\S \t\n\x0b\f\r]")
_SYLLABLE, _SILENT_E = re.compile("[^aeiouy]*[aeiouy]+"), re.compile("[^aeiou]e$")

#: The weight of the references in iBLEU.
_ALPHA = 0.9


def joshua_tokens(text: str, *, normalize: bool = True) -> list[str]:
    """Split a text into tokens at ASCII whitespace, and with `normalize` marks from words.

    >>> joshua_tokens("It's 3.5 (or 4-5).")
    ["It's", '3.5', '(', 'or', '4', '-', '5', ')', '.']
    """
    if normalize:
        for entity, mark in _ENTITIES.items():
            text = text.replace(entity, mark)
        text = _BETWEEN.sub(r" \g<0> ", _MARKS.sub(r" \1 ", text))
    return _OTHER_WHITESPACE.sub("\ufffc", text).split()


@lru_cache(1 << 17)
def joshua_syllables(word: str) -> int:
    """Return the number of vowel groups without a silent e, at least one in each part between hyphens.

    >>> joshua_syllables("simplification"), joshua_syllables("thirty-five"), joshua_syllables(".")
    (5, 3, 1)
    """
    parts = word.split("-") if word != "-" else [word]
    while parts and not parts[-1]:  # as Java splits
        parts.pop()
    return sum(max(len(_SYLLABLE.findall(part)) - bool(_SILENT_E.search(part)), 1) for part in parts)


def joshua_grades(rows: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the Flesch–Kincaid grade of each row of tokens, a sentence: float64[rows], at least 0.

    >>> joshua_grades([["simplification", "."], ["the", "cat"], []]).round(2).tolist()
    [20.99, 0.0, 0.0]
    """
    words = np.array([len(row) for row in rows])
    syllables = np.array([sum(map(joshua_syllables, row)) for row in rows])
    grades = 0.39 * words + 11.8 * syllables / np.maximum(words, 1) - 15.19
    return np.where(words > 0, np.maximum(grades, 0), 0.0)


def fk_scores(_sources: Sequence[str], outputs: Sequence[str], _references: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the grade of each output, at most 25: float64[segments]."""
    return np.minimum(joshua_grades([joshua_tokens(text) for text in outputs]), 25)


def bleu_scores(_sources: Sequence[str], outputs: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the BLEU of each output in percent: float64[segments].

    >>> bleu_scores(["", ""], ["the cat sat on the mat .", "a dog"], [["the cat sat on the mat ."], ["a cat"]]).round(2)
    array([100.  ,  70.71])
    """
    counts = bleu_counts(list(map(_normalized, outputs)), [list(map(_normalized, row)) for row in references])
    return 100 * _bleu(counts, counts[:, 1])


def ibleu_scores(sources: Sequence[str], outputs: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
    """Return 0.9 × BLEU against the references − 0.1 × BLEU against the source, in percent: float64[segments].

    BLEU's brevity penalty takes the mean length of the references, rounded down. Marks are split from the words of
    outputs and references, not from those of sources.

    >>> ibleu_scores(["a b c d e f"], ["a b c d e"], [["a b c d e"]]).round(2)
    array([81.81])
    """
    tokens, targets = list(map(_normalized, outputs)), [list(map(_normalized, row)) for row in references]
    lengths = [sum(max(len(text.split()), 1) for text in row) // len(row) for row in targets]
    near = _bleu(bleu_counts(tokens, targets), np.array(lengths))
    copied = bleu_counts(tokens, [" ".join(joshua_tokens(text, normalize=False)) for text in sources])
    return 100 * (_ALPHA * near - (1 - _ALPHA) * _bleu(copied, copied[:, 1]))


def fkbleu_scores(sources: Sequence[str], outputs: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
    """Return √(iBLEU × sigmoid(FK(source) − FK(output))) of each segment, in percent: float64[segments].

    It is 0 where Joshua has no number: for a negative iBLEU and for an empty output.

    >>> fkbleu_scores(["a b c d e f g"], ["a b c d e f g"], [["a b c d e f g"]]).round(2)
    array([63.25])
    """
    near = ibleu_scores(sources, outputs, references) / 100
    words = list(map(joshua_tokens, outputs))
    eased = joshua_grades(words) - joshua_grades([joshua_tokens(text, normalize=False) for text in sources])
    sigmoid = 1 / (1 + np.exp(np.minimum(eased, 700.0)))  # beyond 700, exp would overflow
    empty = np.array([not row for row in words])
    return 100 * np.sqrt(np.where(empty, 0, np.maximum(near, 0)) * sigmoid)


@lru_cache(1 << 10)  # several systems have the same references
def _normalized(text: str) -> str:
    return " ".join(joshua_tokens(text))


def _bleu(counts: np.ndarray, reference_lengths: np.ndarray) -> np.ndarray:
    """Return Joshua's BLEU, from 0 to 1, of each row of counts."""
    length = counts[:, 0]
    short = np.minimum(0, 1 - reference_lengths / np.maximum(length, 1))
    bleu = np.exp(short + np.log(smoothed_precisions(counts)).mean(axis=1))
    return np.where((length == 0) & (reference_lengths > 0), 0.0, bleu)
