"""A small sample of the texts of a corpus, and what is counted of all of them, from which warnings are made."""

import re
from collections.abc import Sequence
from functools import lru_cache
from heapq import nsmallest
from itertools import chain, permutations
from operator import add, sub
from typing import NamedTuple
from zlib import crc32

from .languages import SCRIPTS

# The size of a sample: segments, and characters of each text.
_SAMPLED_SEGMENTS, _SAMPLED_CHARACTERS = 32, 2_000
# References that fit sources better as one list per annotator share so much more of their words with them.
_TRANSPOSED_MARGIN = 0.2

# A word is a run of letters and digits; a letter, in scripts without spaces between words.
_SPACED = "".join(row.letters for row in SCRIPTS.values() if row.spaces)
_UNSPACED = "".join(row.letters for row in SCRIPTS.values() if not row.spaces)
_WORD = re.compile(f"[{_UNSPACED}]|[{_SPACED}\\d\u0300-\u036f]+")

#: A segment of a sample: its key, its source, its prediction and its references.
Sampled = tuple[int, str, str, tuple[str, ...]]


class TextSample(NamedTuple):
    """A sample of texts, and what else warnings need besides counts. Samples of parts merge to that of the whole.

    Attributes:
        texts: a few different segments, those with the smallest keys. A key is a checksum of source and prediction,
            so that the sample depends on the texts alone, whatever their order.
        blank: how many segments have no text at all.
        empty_sources, empty_outputs, empty_references: how many of these are empty in other segments.
        copies: how many predictions are copies of their sources: see `is_copy`.
        nrefs: the numbers of references that segments have.
    """

    texts: tuple[Sampled, ...]
    blank: int
    empty_sources: int
    empty_outputs: int
    empty_references: int
    copies: int
    nrefs: frozenset[int]

    def merge(self, other: "TextSample") -> "TextSample":
        """Return the sample of the texts of both."""
        (texts, *counts, nrefs), (others, *their_counts, their_nrefs) = self, other
        return TextSample._make([_smallest({*texts, *others}), *map(add, counts, their_counts), nrefs | their_nrefs])

    def columns(self) -> tuple[list[str], list[str], list[list[str]]]:
        """Return the sources, predictions and references of the segments, in the order of their keys.

        >>> take_sample(["a", "b", "b"], ["A", "B", "B"], [["1"], ["2"], ["2"]]).columns()
        (['a', 'b'], ['A', 'B'], [['1'], ['2']])
        """
        _, sources, predictions, references = zip(*self.texts, strict=True)
        return list(sources), list(predictions), list(map(list, references))


NO_TEXTS = TextSample((), 0, 0, 0, 0, 0, frozenset())


def take_sample(sources: list[str], predictions: list[str], references: list[list[str]]) -> TextSample:
    """Take a sample of checked texts; of long texts the middle is left out.

    >>> take_sample(["a"], ["A"], [["1"]]).texts
    ((1021589791, 'a', 'A', ('1',)),)
    """
    keys = list(map(crc32, map(str.encode, predictions), map(crc32, map(str.encode, sources))))
    wanted = set(nsmallest(_SAMPLED_SEGMENTS, set(keys)))
    found = {
        (key, _cut(sources[place]), _cut(predictions[place]), tuple(map(_cut, references[place])))
        for place, key in enumerate(keys)
        if key in wanted
    }
    rows = zip(sources, predictions, references, strict=True)
    blank = [len(row) for source, output, row in rows if not (source or output or any(row))]
    empty = _empty(sources), _empty(predictions), _empty(list(chain.from_iterable(references)))
    in_others = map(sub, empty, (len(blank), len(blank), sum(blank)))
    copies, nrefs = sum(map(is_copy, sources, predictions)), frozenset(map(len, references))
    return TextSample._make([_smallest(found), len(blank), *in_others, copies, nrefs])


def _empty(texts: list[str]) -> int:
    return texts.count("") + sum(map(str.isspace, texts))


def _smallest(segments: set[Sampled]) -> tuple[Sampled, ...]:
    return tuple(sorted(segments)[:_SAMPLED_SEGMENTS])


def _cut(text: str) -> str:
    half = _SAMPLED_CHARACTERS // 2
    return text if len(text) <= 2 * half else f"{text[:half]} {text[-half:]}"


def is_copy(source: str, output: str) -> bool:
    """Return whether an output equals its source, but for whitespace, case, and ’ for '.

    >>> is_copy("It’s HERE .", "it's here."), is_copy("a b", "b a")
    (True, False)
    """
    if source == output:
        return True
    source, output = source.lower(), output.lower()
    if source.count("e") != output.count("e"):  # so for most outputs; without this line `compute` takes 4 to 6% more
        return False
    one, other = ("".join(text.split()).replace("’", "'") for text in (source, output))
    return one == other


def mostly_copies(sample: TextSample, segments: int) -> bool:
    """Return whether most predictions of so many segments are copies of their sources."""
    return 2 * sample.copies > segments


def repeated_outputs(sources: Sequence[str], outputs: Sequence[str]) -> list[bool]:
    """Return which outputs have a text that, but for whitespace and case, is also the output of another source.

    >>> repeated_outputs(["a", "b", "c", "c"], ["Sorry.", "sorry. ", "x", "x"])
    [True, True, False, False]
    """
    texts = [" ".join(output.lower().split()) for output in outputs]
    sources_of: dict[str, set[str]] = {}
    for source, text in zip(sources, texts, strict=True):
        sources_of.setdefault(text, set()).add(source)
    return [text != "" and len(sources_of[text]) > 1 for text in texts]


def is_transposed(sources: Sequence[str], references: Sequence[Sequence[str]]) -> bool:
    """Return whether as many references as segments fit the sources better as one list per annotator."""
    gains = [
        likeness(sources[one], references[other][one]) - likeness(sources[one], references[one][other])
        for one, other in permutations(range(len(sources)), 2)
    ]
    return bool(gains) and sum(gains) > _TRANSPOSED_MARGIN * len(gains)


def likeness(one: str, other: str) -> float:
    """Return the share of words in common: the coefficient of Dice."""
    words, others = _distinct(one), _distinct(other)
    return 2 * len(words & others) / (len(words) + len(others) or 1)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; of scripts without spaces, each letter is one."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=1_000)  # a text is compared with several
def _distinct(text: str) -> frozenset[str]:
    return frozenset(words_of(text))
