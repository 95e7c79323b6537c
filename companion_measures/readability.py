"""How hard texts are to read: Flesch–Kincaid grades, each as published, and the ranks of words by frequency.

Kincaid et al. 1975 do not define what a word, a syllable and a sentence are. The implementations that papers use differ
by two grades on the same text, so each of them is a row of data.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from string import punctuation

import numpy as np

from sari.companion_measures.simplification import sentence_counts
from sari.companion_measures.words import (
    dictionary_syllables,
    easse_syllables,
    has_letter_or_digit,
    joshua_syllables,
    joshua_tokens,
)
from sari.tokenization import Text, count_sentences, split_into_tokens
from sari.validation import check_choice, validate_texts
from sari.variants import PUNKT

#: How many words of a table of frequencies EASSE has ranks for.
RANKED_WORDS = 50_000

_13A = Text(tokenize="13a", lowercase=False)


@dataclass(frozen=True, kw_only=True)
class Grade:
    """A Flesch–Kincaid grade as published: 0.39 × words / sentences + 11.8 × syllables / words − constant.

    Attributes:
        counts: from texts to words, syllables and sentences of each: int64[segments, 3].
        by_segment: whether it is the mean of the grades of single segments; else that of all sums.
        constant: what is subtracted.
        lowest, highest: values outside are moved to them.
    """

    counts: Callable[[Sequence[str]], np.ndarray]
    by_segment: bool = False
    constant: float = 15.59
    lowest: float = -np.inf
    highest: float = np.inf

    def of_sums(self, counts: np.ndarray) -> np.ndarray:
        """Return the grades of sums of words, syllables and sentences, 0 of no word: float64[...] of int64[..., 3]."""
        words, syllables, sentences = np.moveaxis(np.asarray(counts, np.float64), -1, 0)
        some = np.maximum(words, 1)
        grades = 0.39 * words / np.maximum(sentences, 1) + 11.8 * syllables / some - self.constant
        return np.where(words > 0, np.clip(grades, self.lowest, self.highest), 0.0)


def _counts(
    texts: Sequence[str], split: Callable[[str], list[str]], syllables: Callable[[str], int], sentences: np.ndarray
) -> np.ndarray:
    rows = [(len(words), sum(map(syllables, words))) for words in map(split, texts)]
    return np.column_stack([np.array(rows, np.int64).reshape(-1, 2), sentences])


def _words(text: str) -> list[str]:
    return list(filter(has_letter_or_digit, text.split()))


def _dictionary_counts(texts: Sequence[str]) -> np.ndarray:
    return _counts(texts, _words, dictionary_syllables, sentence_counts(texts))


def _easse_counts(texts: Sequence[str]) -> np.ndarray:
    tokens = list(map(" ".join, split_into_tokens(list(texts), _13A)))
    return _counts(tokens, str.split, easse_syllables, count_sentences(tokens, PUNKT))


def _joshua_counts(texts: Sequence[str]) -> np.ndarray:
    return _counts(texts, joshua_tokens, joshua_syllables, np.ones(len(texts), np.int64))


#: The grades by name, ours first.
GRADES = {
    # Kincaid et al. 1975, Derivation of New Readability Formulas. Words have a letter or digit; syllables are those of
    # syllapy's dictionary; sentences end at their marks.
    "kincaid": Grade(counts=_dictionary_counts),
    # https://github.com/feralvam/easse, fkgl.py (6a4352e). Words are 13a tokens, marks included; syllables are counted
    # by patterns; sentences are Punkt's.
    "easse": Grade(counts=_easse_counts, lowest=0),
    # https://github.com/Sanqiang/text_simplification, FleschKincaid.java (9632eee), as in Joshua 5. Words are tokens,
    # marks included; syllables are vowel groups; a segment is a sentence.
    "xu2016": Grade(counts=_joshua_counts, by_segment=True, constant=15.19, lowest=0, highest=25),
}


def flesch_kincaid_counts(texts, *, variant: str = "kincaid") -> np.ndarray:
    """Return the counts that grades are computed from: words, syllables and sentences of each text, int64[segments, 3].

    Args:
        texts: one text per segment.
        variant: a name in `GRADES`.

    >>> flesch_kincaid_counts(["the cat sat .", "it rained . it stopped ."]).tolist()
    [[3, 3, 1], [4, 5, 2]]
    """
    return _grade(variant).counts(validate_texts("texts", texts))


def flesch_kincaid_grades(texts, *, variant: str = "kincaid") -> np.ndarray:
    """Return the grade of each text by itself: float64[segments]; arguments as in `flesch_kincaid_counts`.

    >>> flesch_kincaid_grades(["the cat sat on the mat .", "simplification ."], variant="xu2016").round(2).tolist()
    [0.0, 20.99]
    """
    return _grade(variant).of_sums(flesch_kincaid_counts(texts, variant=variant))


def flesch_kincaid_of_sums(sums: np.ndarray, *, variant: str = "kincaid") -> np.ndarray:
    """Return the grades of sums of `flesch_kincaid_counts`: float64[...] of int64[..., 3]."""
    return _grade(variant).of_sums(sums)


def flesch_kincaid_grade(texts, *, variant: str = "kincaid") -> float:
    """Return the grade level of texts: 0.39 × words / sentences + 11.8 × syllables / words − 15.59.

    Kincaid et al. 1975, over all texts together; with "xu2016" the mean of the grades of single texts. Texts without
    words have the grade 0. It is made for English.

    Args:
        texts: one text per segment.
        variant: how words, syllables and sentences are counted, a name in `GRADES`: "kincaid", our way; "easse", which
            takes raw texts and needs NLTK's Punkt; "xu2016", the FK of Xu et al. 2016, table 5.

    Raises:
        ImportError: for "easse" without NLTK or its data.

    >>> texts = ["the cat sat on the mat .", "forty bridges were still open that winter ."]
    >>> round(flesch_kincaid_grade(texts), 2), round(flesch_kincaid_grade(texts, variant="xu2016"), 2)
    (2.38, 2.82)
    """
    grade, counts = _grade(variant), flesch_kincaid_counts(texts, variant=variant)
    if grade.by_segment:
        return float(grade.of_sums(counts).mean()) if len(counts) else 0.0
    return float(grade.of_sums(counts.sum(axis=0)))


def _grade(variant: str) -> Grade:
    check_choice("variant", variant, GRADES)
    return GRADES[variant]


def word_ranks(texts, ranks: Mapping[str, int], stop_words: Collection[str]) -> np.ndarray:
    """Return how rare the words of each text are, EASSE's lexical complexity score: float64[segments].

    It is the third quartile of log(1 + rank) over the words that have a rank and are neither marks nor stop words. A
    text without such words has log(1 + number of ranks). EASSE's CLI lowercases texts and splits them by 13a first.

    Args:
        texts: one text per segment.
        ranks: of words, from 0 for the most frequent one, as `read_ranks` returns them.
        stop_words: words that do not count, in lower case.

    >>> word_ranks(["the cat sat .", "it ."], {"the": 0, "cat": 1, "sat": 2}, {"the", "it"}).round(3).tolist()
    [0.997, 1.386]
    """
    rows = []
    for text in validate_texts("texts", texts):
        words = [word for word in text.split() if word in ranks and word not in punctuation]
        counted = [ranks[word] for word in words if word.lower() not in stop_words]
        rows.append(np.quantile(np.log1p(counted), 0.75) if counted else np.log1p(len(ranks)))
    return np.array(rows, np.float64)


def read_ranks(path: str | Path) -> dict[str, int]:
    """Read a table of frequencies: a word in each line, the most frequent first; what follows a tab is ignored.

    EASSE's is tseval/resources/various/enwiki_frequency_table.tsv of
    https://github.com/facebookresearch/text-simplification-evaluation. Only the first 50,000 words count.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for one that is not UTF-8, or has no word.
    """
    words = read_words(path, RANKED_WORDS)
    return {word: rank for rank, word in enumerate(words)}


def read_stop_words(path: str | Path) -> frozenset[str]:
    """Read words in lower case, as `read_words` does."""
    return frozenset(map(str.lower, read_words(path)))


def nltk_stop_words() -> frozenset[str]:
    """Return NLTK's English stop words.

    Raises:
        ImportError: where NLTK or its data are missing.
    """
    try:
        return frozenset(import_module("nltk.corpus").stopwords.words("english"))
    except (ImportError, LookupError):
        raise ImportError("NLTK's stop words: pip install nltk && python -m nltk.downloader stopwords") from None


def read_words(path: str | Path, most: int | None = None) -> list[str]:
    """Read the words that lines begin with, up to a tab; errors as in `read_ranks`."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [line.rstrip("\n").partition("\t")[0] for line in islice(file, most)]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error.reason} at byte {error.start}, expected UTF-8") from None
    if not any(lines):
        raise ValueError(f"{path}: got no word, expected one in each line")
    return lines
