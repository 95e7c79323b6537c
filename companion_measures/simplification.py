"""Measures of simplification to report with SARI: how outputs differ from sources and from references.

The measures are those of Narayan and Gardent 2014 (tables 3 and 4, https://aclanthology.org/P14-1041) and of EASSE's
quality estimation (Alva-Manchego et al. 2019, https://github.com/feralvam/easse, commit 6a4352e, which takes its
features from https://github.com/facebookresearch/text-simplification-evaluation, commit dea8863).

Texts are taken as they are: tokens are split at whitespace, and case counts. Tokenize and lowercase the texts first
if you ask for it. Each function returns one number per segment, in a numpy array.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import eq
from typing import Any

import numpy as np
import regex

from sari.companion_measures.columns import best_of_references, check_length
from sari.languages import PUNKT, SCRIPTS
from sari.tokenization import count_sentences
from sari.validation import validate_texts

# A sentence ends at its marks, and the quotes and brackets that close after them. Marks that words and numbers have,
# too, need whitespace after them; others do not. A run of marks is looked at once, from its start.
_END = regex.compile(
    r"""(?<![.!?…․])[.!?…․]++["'”’»)\]]*+(?=\s|$)"""
    r"""|[[\p{Sentence_Terminal}།༎]--[.!?․．]]++[」』”’）"'»)\]]*+|．(?!\d)"""
    rf"|(?<=[{SCRIPTS['Greek'].letters}]);(?=\s|$)"
    # The next sentence may follow a mark without a space, but web addresses and names have marks, too.
    r"|(?<=\p{L}{2})[.!?](?=\p{Lu}\p{Ll})",
    regex.V1,
)
_TOKEN = regex.compile(r"\S+")
_LONGEST_WORD = 40  # longer ones are no abbreviations
_ABBREVIATIONS = {
    *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "rev", "hon", "gov", "sen", "rep"),
    *("gen", "col", "lt", "sgt", "capt", "vs", "ca", "fig", "vol"),
}


def sentence_counts(texts: Any) -> np.ndarray:
    """Return how many sentences each text has: int64[segments].

    A sentence ends at a full stop, exclamation or question mark before whitespace, before the end of the text, and
    before a capitalized word that follows without a space ("end.The"). Other marks that Unicode calls the end of a
    sentence (Sentence_Terminal, such as 。 and ।) end it wherever they stand, and so does a semicolon after Greek. A
    full stop of an abbreviation, initial or web address does not end it, nor one after a title ("mr ."). Text after the
    last end is a sentence if it has a letter or digit. An empty text has no sentence.

    >>> sentence_counts(["One . Two .", "It ended.It began .", "Mr. T. Smith, U.S., of wikipedia.org", ""]).tolist()
    [2, 2, 1, 0]
    """
    return np.fromiter((len(split_sentences(text)) for text in validate_texts("texts", texts)), np.int64)


@lru_cache(1 << 15)  # the sources of several systems are the same
def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences that `sentence_counts` counts, in time proportional to the text.

    Marks without a letter or digit go with the sentence before them.

    >>> split_sentences("One. Two ... (a)!")
    ('One.', 'Two ...', '(a)!')
    """
    cased = text != text.lower()
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    ends, place = [], 0
    for match in _END.finditer(text):
        while place < len(tokens) and tokens[place][1] < match.end():
            place += 1
        if _is_end(text, match, tokens, place, cased):
            ends.append(match.end())
    spans: list[list[int]] = []
    for begin, end in pairwise([0, *ends, len(text)]):
        if any(map(str.isalnum, text[begin:end])):
            spans.append([begin, end])
        elif spans:
            spans[-1][1] = end
    return tuple(text[begin:end].strip() for begin, end in spans)


def _is_end(text: str, match: regex.Match, tokens: list[tuple[int, int]], place: int, cased: bool) -> bool:
    """Return whether a mark, which stands in the token at a place, ends a sentence; the last of a text always does."""
    start, end = match.span()
    is_alone = tokens[place][0] == start
    if not match[0].startswith(".") or end == tokens[-1][1] or (is_alone and not place):
        return True
    first, last = tokens[place - 1] if is_alone else (tokens[place][0], start)
    word = text[max(first, last - _LONGEST_WORD) : last].lstrip("\"'“‘(«[").lower()
    if word in _ABBREVIATIONS:
        return False
    if is_alone:
        return True
    following = text[end] if end < tokens[place][1] else text[tokens[place + 1][0]]
    is_initial = len(word) == 1 and word.isalpha()
    return not (is_initial or (cased and following.islower()) or text.rfind(".", first, last) >= 0)


def splits(sources: Any, predictions: Any) -> np.ndarray:
    """Return which predictions have more sentences than their sources: bool[segments].

    >>> splits(["He came and he saw .", "He came ."], ["He came . He saw .", "He came ."])
    array([ True, False])
    """
    return _of_pairs(
        lambda source, output: len(split_sentences(output)) > len(split_sentences(source)), sources, predictions
    ).astype(bool)


def sentence_ratios(sources: Any, predictions: Any) -> np.ndarray:
    """Return the sentences of each prediction per sentence of its source: float64[segments], 0 for an empty source.

    EASSE calls the mean "Sentence splits". The sentences are those of NLTK's Punkt, of lowercased 13a tokens in EASSE.

    Raises:
        ImportError: without NLTK's Punkt.

    >>> sentence_ratios(["he came and he saw .", ""], ["he came . he saw .", "he left ."])
    array([2., 0.])
    """
    sources, predictions = validate_texts("sources", sources), validate_texts("predictions", predictions)
    check_length("predictions", predictions, sources, "sources")
    before, after = (count_sentences(texts, PUNKT) for texts in (sources, predictions))
    return np.where(before > 0, after / np.maximum(before, 1), 0.0)


def token_f1_scores(predictions: Any, references: Any) -> np.ndarray:
    """Return the F1 of the tokens of each prediction against the best reference, in percent: float64[segments].

    The order of tokens does not matter. EASSE's `corpus_f1_token` is the mean.

    Args:
        predictions: one text per segment.
        references: per segment one text or a list of at least one.

    >>> token_f1_scores(["a b c", ""], [["b a", "c d e f"], ["a"]]).tolist()
    [80.0, 0.0]
    """
    return best_of_references(max, _token_f1, predictions, references).astype(np.float64)


def _token_f1(output: Sequence[str], reference: Sequence[str]) -> float:
    common = (Counter(output) & Counter(reference)).total()
    return 200 * common / (len(output) + len(reference)) if common else 0.0


def edit_distances(texts: Any, references: Any) -> np.ndarray:
    """Return how many tokens must be inserted, deleted or substituted to turn one text into the other: int64[segments].

    This is Levenshtein's distance over tokens; with several references, the smallest.

    Args:
        texts: one text per segment, such as the sources.
        references: per segment one text, such as the predictions, or a list of at least one.

    >>> edit_distances(["a b c", "a b c"], [["a b c", "x"], ["c b a d"]]).tolist()
    [0, 3]
    """
    from rapidfuzz.distance import Levenshtein  # here, since the other measures do not need it

    return best_of_references(min, Levenshtein.distance, texts, references, "texts").astype(np.int64)


def equal_tokens(texts: Any, references: Any) -> np.ndarray:
    """Return which texts have the tokens of a reference, in the same order: bool[segments].

    >>> equal_tokens(["a b", "a b"], [["x", "a  b"], ["b a"]])
    array([ True, False])
    """
    return best_of_references(any, eq, texts, references, "texts").astype(bool)


def compression_ratios(sources: Any, predictions: Any) -> np.ndarray:
    """Return characters of the prediction per character of the source: float64[segments], 0 for an empty source.

    >>> compression_ratios(["abcd", "ab"], ["ab", "abc"])
    array([0.5, 1.5])
    """
    return _of_pairs(lambda source, output: len(output) / len(source) if source else 0.0, sources, predictions)


def levenshtein_similarities(sources: Any, predictions: Any) -> np.ndarray:
    """Return how similar the characters of source and prediction are, from 0 to 1: float64[segments].

    It is 1 − (insertions + deletions) / (characters of both), with the fewest insertions and deletions. EASSE calls
    the function `ratio` of the package Levenshtein.

    >>> levenshtein_similarities(["abcd", "ab"], ["abc", "ab"]).round(3)
    array([0.857, 1.   ])
    """
    from rapidfuzz.distance import Indel

    return _of_pairs(Indel.normalized_similarity, sources, predictions)


def exact_copies(sources: Any, predictions: Any) -> np.ndarray:
    """Return which predictions are their sources, to the last character: bool[segments].

    EASSE compares lowercased 13a tokens. For warnings, `text_checks.is_copy` ignores more differences.

    >>> exact_copies(["a's", "a's"], ["a's", "a’s"])
    array([ True, False])
    """
    return _of_pairs(eq, sources, predictions).astype(bool)


def added_proportions(sources: Any, predictions: Any) -> np.ndarray:
    """Return the share of tokens that were added: float64[segments], from 0 to 1.

    It is the number of tokens of the prediction that the source does not have (or not as often), divided by the number
    of tokens of the longer of the two; 0 if both are empty. EASSE tokenizes once more for the denominator, which
    changes nothing in texts that 13a has tokenized.

    >>> added_proportions(["a b b"], ["a b c c"])
    array([0.5])
    """
    return _of_pairs(lambda source, output: _beyond(output, source), sources, predictions)


def deleted_proportions(sources: Any, predictions: Any) -> np.ndarray:
    """Return the share of tokens that were deleted, counted as in `added_proportions`: float64[segments].

    >>> deleted_proportions(["a b b"], ["a b c c"])
    array([0.25])
    """
    return _of_pairs(_beyond, sources, predictions)


def _beyond(text: str, other: str) -> float:
    """Return the share of the text's tokens that the other text does not have, of the tokens of the longer one."""
    tokens, others = text.split(), other.split()
    return (Counter(tokens) - Counter(others)).total() / max(len(tokens), len(others), 1)


def _of_pairs(function: Callable[[str, str], float], sources: Any, predictions: Any) -> np.ndarray:
    sources, predictions = validate_texts("sources", sources), validate_texts("predictions", predictions)
    check_length("predictions", predictions, sources, "sources")
    return np.fromiter(map(function, sources, predictions), np.float64)
