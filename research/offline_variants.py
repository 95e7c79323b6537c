"""Variants whose split of sentences needs no download."""

import re
from typing import Any

from sari.variants import VARIANTS, Variant, resolve_variant

# The end of a sentence; the space after it may be missing: "by heat.it melts".
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[^\W\d_][.!?])(?=[^\W\d_])")


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, which end in a mark before a space or between two letters.

    >>> split_sentences("It has 2.5 parts. One is made by heat.it melts.")
    ['It has 2.5 parts.', 'One is made by heat.', 'it melts.']
    """
    return [part for part in _SENTENCE_END.split(text) if part.strip()]


def offline_variant(name: str, **options: Any) -> Variant:
    """Return a variant with options; where it counts sentences, they are those of `split_sentences`."""
    if VARIANTS[name].penalties != "none":
        options["sentence_splitter"] = split_sentences
    return resolve_variant(name, **options)
