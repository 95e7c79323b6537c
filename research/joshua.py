"""FK, BLEU, iBLEU and FKBLEU of Xu et al. 2016, "Optimizing Statistical Machine Translation for Text Simplification".

The columns of its table 5 (https://aclanthology.org/Q16-1029) are means of sentences, by the Joshua that the authors
released: GradeLevelBLEU.java, BLEU.java and JoshuaEval.java of ppdb-simplification-release-joshua5.0, in
https://github.com/Sanqiang/text_simplification at 9632eee. FKBLEU is the root of iBLEU × sigmoid(FK(source) −
FK(output)), as the text says ("geometric mean") and the figures show; equation 3 has no root, and the other sign.
"""

import re
from collections.abc import Iterable

import numpy as np

from sari.companion_measures.translation import bleu_counts, smoothed_precisions
from sari.validation import Columns

# Marks; a period or comma, unless digits stand on both sides; a hyphen after a digit.
_APART = re.compile(r"""[!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]|(?<![0-9])[.,]|[.,](?![0-9])|(?<=[0-9])-""")
_SYLLABLE, _SILENT_E = re.compile("[^aeiouy]*[aeiouy]+"), re.compile("[^aeiou]e$")


def joshua_tokens(text: str) -> str:
    """Split marks from words by spaces.

    >>> joshua_tokens("It's 3.5 (or 4-5).").split()
    ["It's", '3.5', '(', 'or', '4', '-', '5', ')', '.']
    """
    return _APART.sub(r" \g<0> ", text.replace("&apos;", "'").replace("&quot;", '"').replace("&amp;", "&"))


def joshua_grades(texts: Iterable[str]) -> np.ndarray:
    """Return the Flesch–Kincaid grade of each text, one sentence of tokens: float64[texts], at least 0.

    >>> joshua_grades(["simplification .", "the cat", ""]).round(2).tolist()
    [20.99, 0.0, 0.0]
    """
    rows = [text.split() for text in texts]
    words = np.array([max(len(row), 1) for row in rows])
    syllables = np.array([sum(map(_syllables, row)) for row in rows])
    return np.maximum(0.39 * words + 11.8 * syllables / words - 15.19, 0)


def _syllables(word: str) -> int:
    """Return the number of vowel groups without a silent e, at least one in each part between hyphens."""
    parts = word.rstrip("-").split("-")  # as Java splits
    return sum(max(len(_SYLLABLE.findall(part)) - bool(_SILENT_E.search(part)), 1) for part in parts)


def joshua_scores(texts: Columns) -> dict[str, np.ndarray]:
    """Return FK, and BLEU, iBLEU and FKBLEU in percent, of each segment: float64[segments].

    The brevity penalty of iBLEU takes the mean length of the references, rounded down. Marks are not split from the
    words of sources. FKBLEU is 0 where iBLEU is negative.

    >>> scores = joshua_scores(Columns(["a b c d e f"], ["a b c d e"], [["a b c d e"]]))
    >>> {name: float(score[0].round(2)) for name, score in scores.items()}
    {'fk': 0.0, 'bleu': 100.0, 'ibleu': 81.81, 'fkbleu': 63.96}
    """
    outputs = list(map(joshua_tokens, texts.predictions))
    references = [list(map(joshua_tokens, row)) for row in texts.references]
    counts, copied = bleu_counts(outputs, references), bleu_counts(outputs, texts.sources)
    lengths = np.array([sum(len(text.split()) for text in row) // len(row) for row in references])
    ibleu = 0.9 * _joshua_bleu(counts, lengths) - 0.1 * _joshua_bleu(copied, copied[:, 1])
    grades = joshua_grades(outputs)
    sigmoid = 1 / (1 + np.exp(grades - joshua_grades(texts.sources)))
    return {
        "fk": np.minimum(grades, 25),
        "bleu": 100 * _joshua_bleu(counts, counts[:, 1]),
        "ibleu": 100 * ibleu,
        "fkbleu": 100 * np.sqrt(np.maximum(ibleu, 0) * sigmoid),
    }


def _joshua_bleu(counts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return Joshua's BLEU, from 0 to 1, of rows of counts and lengths of references."""
    short = np.minimum(0, 1 - lengths / np.maximum(counts[:, 0], 1))
    return np.exp(short + np.log(smoothed_precisions(counts)).mean(axis=1))
