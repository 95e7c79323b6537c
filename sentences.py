"""How many sentences a text has: by NLTK's English Punkt, or by what a user brings along."""

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

SentenceSplitter = str | Callable[[str], Sequence[str]]

#: The name that `sentence_splitter` takes.
PUNKT = "punkt"

_HOW_TO_GET_PUNKT = (
    f"sentence_splitter: {PUNKT!r} needs NLTK and its data: pip install nltk && python -m nltk.downloader punkt_tab; "
    "or give a callable from a text to the list of its sentences"
)

# A mark, whitespace, and what begins with a letter or a digit, looked at whole where it is ASCII. Where a word of ASCII
# characters and a space stand before the mark, whether Punkt breaks there depends on the two words alone, and where it
# does, what stands before and behind is split independently.
_BREAK = re.compile(r"[.?!][ \t\n\r\x0b\x0c]+(?=[A-Za-z0-9])(?=([!-~]+(?![^ \t\n\r\x0b\x0c]))?)")
_ASCII_WORD = re.compile(r"[\x22-\x2d\x2f-\x3e\x40-\x7e]+")
_WHITESPACE = " \t\n\r\x0b\x0c"
_MARKS = re.compile("[.?!]")
_REMEMBERED = 1 << 16


def check_splitter(splitter: SentenceSplitter) -> None:
    """Refuse a splitter that is unknown (ValueError), of the wrong type (TypeError) or not installed (ImportError).

    >>> check_splitter("nltk")
    Traceback (most recent call last):
    ...
    ValueError: sentence_splitter: got 'nltk', wanted 'punkt' or a callable from a text to the list of its sentences
    """
    wanted = f"wanted {PUNKT!r} or a callable from a text to the list of its sentences"
    if isinstance(splitter, str):
        if splitter != PUNKT:
            raise ValueError(f"sentence_splitter: got {splitter!r}, {wanted}")
        _punkt()
    elif not callable(splitter):
        raise TypeError(f"sentence_splitter: got {splitter!r}, {wanted}")


def describe_splitter(splitter: SentenceSplitter) -> str:
    """Return the splitter's name for a signature; Punkt's with the version of NLTK.

    >>> describe_splitter(str.splitlines)
    'custom.str.splitlines'
    """
    if isinstance(splitter, str):
        return f"{splitter}-{version('nltk')}"
    return f"custom.{getattr(splitter, '__qualname__', type(splitter).__qualname__)}"


def count_sentences(texts: Iterable[str], splitter: SentenceSplitter) -> np.ndarray:
    r"""Count the sentences of each text: int64[text].

    >>> count_sentences(["One line.", "Two\nlines."], str.splitlines)
    array([1, 2])
    """
    count = _punkt().count if isinstance(splitter, str) else lambda text: _called(splitter, text)
    return np.fromiter(map(count, texts), np.int64)


class _Punkt:
    """Counts what NLTK's `sent_tokenize` finds, most of it without NLTK, which takes many times as long.

    A text is cut where there can be no doubt; pieces with marks that are not decided are left to NLTK.
    """

    def __init__(self, tokenizer: Any):
        parameters = tokenizer._params
        self._sentences: Callable[[str], list[str]] = tokenizer.tokenize
        self._breaks = lru_cache(_REMEMBERED)(tokenizer.text_contains_sentbreak)
        self._doubtful = parameters.abbrev_types | {first for first, _ in parameters.collocations}

    def count(self, text: str) -> int:
        """Count the sentences of a text."""
        sentences, begin, kept = 0, 0, 0
        for match in _BREAK.finditer(text):
            breaks = self._decided(text, begin, match)
            if breaks:
                sentences += self._count_piece(text[begin : match.start() + 1], kept)
                begin, kept = match.end(), 0
            elif breaks is not None:
                kept += 1
        return sentences + self._count_piece(text[begin:], kept)

    def _decided(self, text: str, begin: int, match: re.Match[str]) -> bool | None:
        """Tell whether a sentence ends at a mark; None where that does not depend on the words at the mark alone."""
        mark = match.start()
        word = text[text.rfind(" ", begin, mark) + 1 or begin : mark]
        if not word:
            return True if "." not in self._doubtful or text[mark] != "." else None
        if word.isascii() and word.isalpha() and (text[mark] != "." or self._is_plain(word)):
            return True
        if match[1] and _ASCII_WORD.fullmatch(word):
            return self._breaks(f"{word}{match[0]}{match[1]}")
        return None

    def _is_plain(self, word: str) -> bool:
        """Tell whether a word with a period behind it always ends a sentence: no initial, and no abbreviation."""
        return len(word) > 1 and word.lower() not in self._doubtful

    def _count_piece(self, piece: str, kept: int) -> int:
        """Count the sentences of a piece, of whose marks so many are known to end none."""
        if len(_MARKS.findall(piece, 0, len(piece.rstrip(_WHITESPACE)) - 1)) > kept:
            return len(self._sentences(piece))
        return 1 if piece.rstrip() else 0


@cache
def _punkt() -> _Punkt:
    try:
        return _Punkt(importlib.import_module("nltk.tokenize").PunktTokenizer("english"))
    except (ImportError, AttributeError, LookupError):  # the class came with NLTK 3.9
        raise ImportError(_HOW_TO_GET_PUNKT) from None


def _called(splitter: Callable[[str], Sequence[str]], text: str) -> int:
    sentences = splitter(text)
    if isinstance(sentences, str) or not isinstance(sentences, Sequence):
        got = type(sentences).__name__
        raise TypeError(f"sentence_splitter: the callable returned {got}, wanted a list of the text's sentences")
    return len(sentences)
