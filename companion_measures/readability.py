"""How hard texts are to read: EASSE's Flesch–Kincaid grade and the ranks of words by frequency.

Kincaid et al. 1975 do not define what a word, a syllable and a sentence are, so that implementations differ. Papers
report EASSE's.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from string import punctuation
from typing import Any

import numpy as np

from sari.data_warnings import SariWarning
from sari.languages import PUNKT
from sari.messages import RefusedImportError, fault, join_names
from sari.text_checks import ENOUGH
from sari.text_files.errors import FileError
from sari.text_files.reading import name_of, read_lines
from sari.tokenization import Text, count_sentences, split_into_tokens
from sari.validation import validate_texts

#: How many words of a table of frequencies EASSE has ranks for.
RANKED_WORDS = 50_000

_13A = Text(tokenize="13a")  # in lower case, which Punkt sees


_EASSE_WORDS = {
    word: syllables
    for syllables, words in {
        1: "the chummed peeped sheered flapped mimes ms st foamed brutes h'm gaped lb",
        2: "tottered moustaches bepatched caressed trespassed pencilled motioned poleman slandered sombre sidespring "
        "mr mrs dr sr jr truckle fringed clattered capered mangroves suavely reclined effaced quivered deafened "
        "unstained stammered gravesend 60 greyish messieurs effaces shivered",
        3: "shamefully disinterred sepulchre hemispheres veriest manoeuvred discoloured unexpressed",
        4: "satiated sailmaker etc sententiously",
        5: "particularized unostentatious",
        6: "propitiatory",
    }.items()
    for word in words.split()
}
_EASSE_ADDS = (
    *("ia", "riet", "dien", "iu", "io", "ii", "[aeiouy]bl$", "mbl$", "[aeiou]{3}", "^mc", "ism$"),
    *(r"(.)(?!\1)([aeiouy])\2l$", "[^l]llien", "^coad.", "^coag.", "^coal.", "^coax."),
    *(r"(.)(?!\1)[gq]ua(.)(?!\2)[aeiou]", "dnt$"),
)
_EASSE_SUBTRACTS = ("cial", "tia", "cius", "cious", "gui", "ion", "iou", "sia$", ".ely$")
_VOWELS = re.compile("[aeiouy]+")


def flesch_kincaid_counts(texts: Any) -> np.ndarray:
    """Return what the grade is computed from: words, syllables and sentences of each text, int64[segments, 3].

    Args:
        texts: one text per segment, as it came.

    Raises:
        ImportError: without NLTK's Punkt.

    >>> flesch_kincaid_counts(["The cat sat.", "It rained. It stopped."]).tolist()
    [[4, 3, 1], [6, 6, 2]]
    """
    tokens = list(map(" ".join, split_into_tokens(validate_texts("texts", texts), _13A)))
    rows = [(len(words), sum(map(easse_syllables, words))) for words in map(str.split, tokens)]
    return np.column_stack([np.array(rows, np.int64).reshape(-1, 2), count_sentences(tokens, PUNKT)])


def flesch_kincaid_of_sums(sums: np.ndarray) -> np.ndarray:
    """Return the grades of sums of `flesch_kincaid_counts`, 0 of no word: float64[...] of int64[..., 3]."""
    words, syllables, sentences = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
    grades = 0.39 * words / np.maximum(sentences, 1) + 11.8 * syllables / np.maximum(words, 1) - 15.59
    return np.maximum(grades, 0)


def flesch_kincaid_grade(texts: Any) -> float:
    """Return the grade level of texts together: 0.39 × words / sentences + 11.8 × syllables / words − 15.59.

    The formula of Kincaid et al. 1975, as EASSE's `corpus_fkgl` (6a4352e) computes it: words are 13a tokens, marks
    included, syllables are counted by patterns, sentences are Punkt's, and no grade is below 0. It is made for English.

    Args:
        texts: as in `flesch_kincaid_counts`.

    >>> round(flesch_kincaid_grade(["Forty bridges were still open that winter.", "A simplification is shorter."]), 2)
    5.1
    """
    return float(flesch_kincaid_of_sums(flesch_kincaid_counts(texts).sum(axis=0)))


@lru_cache(1 << 17)
def easse_syllables(word: str) -> int:
    """Return EASSE's count of a word: vowel groups without final e's, corrected by patterns. It may be 0 or negative.

    These are the rules of Greg Fast's Lingua::EN::Syllable, as in EASSE's easse/utils/text.py (6a4352e).

    >>> easse_syllables("simplification"), easse_syllables("there"), easse_syllables(".")
    (5, 1, 0)
    """
    word = word.lower().strip()
    if word in _EASSE_WORDS:
        return _EASSE_WORDS[word]
    word = word.rstrip("e")
    more, fewer = (sum(bool(re.search(rule, word)) for rule in rules) for rules in (_EASSE_ADDS, _EASSE_SUBTRACTS))
    return len(_VOWELS.findall(word)) + more - fewer


def word_ranks(texts: Any, ranks: Mapping[str, int], stop_words: Collection[str]) -> np.ndarray:
    """Return how rare the words of each text are, EASSE's lexical complexity score: float64[segments].

    It is the third quartile of log(1 + rank) over the words that have a rank and are neither marks nor stop words. A
    text without such words has log(1 + number of ranks). EASSE's CLI lowercases texts and splits them by 13a first.

    Args:
        texts: one text per segment.
        ranks: of words, from 0 for the most frequent one, as `read_ranks` returns them.
        stop_words: words that do not count, in lower case.

    >>> word_ranks(["The cat sat .", "it ."], {"The": 0, "cat": 1, "sat": 2}, {"the", "it"}).round(3).tolist()
    [0.997, 1.386]
    """
    rows = []
    for text in validate_texts("texts", texts):
        words = [word for word in text.split() if word in ranks and word not in punctuation]
        counted = [ranks[word] for word in words if word.lower() not in stop_words]
        rows.append(np.quantile(np.log1p(counted), 0.75) if counted else np.log1p(len(ranks)))
    return np.array(rows, np.float64)


def read_ranks(path: str | Path, encoding: str = "utf-8") -> dict[str, int]:
    """Read a table of frequencies: a word in each line, the most frequent first; what follows a tab is ignored.

    EASSE's is tseval/resources/various/enwiki_frequency_table.tsv of
    https://github.com/facebookresearch/text-simplification-evaluation. Only the first 50,000 words count.

    Raises:
        FileError: for a file that is no text in this encoding, or has no word.
    """
    return {word: rank for rank, word in enumerate(_read_words(path, encoding, RANKED_WORDS))}


def read_stop_words(path: str | Path, encoding: str = "utf-8") -> frozenset[str]:
    """Read words in lower case, with which lines begin, up to a tab; errors as in `read_ranks`."""
    return frozenset(map(str.lower, _read_words(path, encoding, None)))


def nltk_stop_words() -> frozenset[str]:
    """Return NLTK's English stop words.

    Raises:
        ImportError: where NLTK or its data are missing.
    """
    try:
        return frozenset(import_module("nltk.corpus").stopwords.words("english"))
    except (ImportError, LookupError):
        how = "pip install nltk && python -m nltk.downloader stopwords"
        raise RefusedImportError(f"stop_words: got nothing, expected a file, or NLTK's: {how}") from None


def _read_words(path: str | Path, encoding: str, most: int | None) -> list[str]:
    words = [line.partition("\t")[0] for line in islice(read_lines(str(path), encoding), most)]
    if not any(words):
        raise FileError(fault(name_of(str(path)), "no word", "one in each line"))
    return words


# Of the sources of public English test sets 82 to 97% have one of these words, of French and Spanish ones 1 to 2%.
_ENGLISH = re.compile(r"\b(the|of|and)\b", re.IGNORECASE)
_FEW_ENGLISH = 0.3


class EnglishMeasureWarning(SariWarning):
    """A measure for English is computed of other texts."""


def language_warnings(measures: Sequence[str], sources: Sequence[str]) -> Iterator[EnglishMeasureWarning]:
    """Yield a warning if there are measures for English alone, and the texts do not look English.

    >>> [str(one) for one in language_warnings(["FKGL"], ["Вот кошка."] * 10)]
    ['the texts do not look English, as they have to for FKGL']
    >>> list(language_warnings(["FKGL"], ["The cat."] * 10)), list(language_warnings(["FKGL"], ["Вот кошка."] * 9))
    ([], [])
    """
    if not measures or len(sources) < ENOUGH:
        return
    if sum(1 for source in sources if _ENGLISH.search(source)) < _FEW_ENGLISH * len(sources):
        yield EnglishMeasureWarning(f"the texts do not look English, as they have to for {join_names(measures, 'and')}")
