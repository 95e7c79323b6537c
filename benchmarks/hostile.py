"""Corpora of hostile texts, the same for the same seed.

Whitespace of every kind, marks, digits, entities, tokens of all lengths, scripts, emoji, lone combining marks, empty
texts, and references that differ in number.
"""

import random
from collections.abc import Callable

from sari.benchmarks.corpora import Corpus
from sari.tests.hostile_pieces import EMOJI, ENTITIES, LENGTHS, RANGES, SCRIPTS, WHITESPACE, ZEROS


def _any_character(draw: random.Random) -> str:
    return chr(draw.randint(*draw.choice(RANGES)))


#: Functions from a source of chance to a piece of text.
_PIECES: tuple[Callable[[random.Random], str], ...] = (
    *[lambda draw: draw.choice(("a", "b", "c", "the", "The", "cat"))] * 4,
    lambda draw: draw.choice(LENGTHS),
    lambda draw: draw.choice(ZEROS),
    lambda draw: draw.choice(ENTITIES),
    lambda draw: draw.choice(SCRIPTS),
    lambda draw: draw.choice(EMOJI),
    *[lambda draw: "".join(draw.choices("0159.,,..--aA ", k=draw.randint(1, 8)))] * 2,
    lambda draw: "".join(draw.choices("".join(map(chr, range(32, 127))), k=draw.randint(1, 4))),
    lambda draw: "".join(_any_character(draw) for _ in range(draw.randint(1, 3))),
    lambda draw: draw.choice(LENGTHS) * draw.choice((1, 10, 1_000)) if draw.random() < 0.02 else "b",
)
_SEPARATORS = (*[" "] * 20, "", "", "  ", "   ", *WHITESPACE)


def hostile(draw: random.Random) -> Corpus:
    """Return a corpus over few pieces, so that n-grams repeat within and between texts."""
    segments = draw.choice((1, 1, 2, 4, 8, 8, 16, 16, 16, 32, 64, 100))
    vocabulary = [draw.choice(_PIECES)(draw) for _ in range(draw.randint(1, 6))]
    separators = draw.choice(((" ",), _SEPARATORS))
    lengths = (0, 1, 2, 3, 3, 4, 4, 5, 6, 7) if draw.random() < 0.98 else (0, 20, 40)
    nrefs = (1, 1, 1, 2, 2, 3, 4) if draw.random() < 0.98 else (1, 12)

    def text() -> str:
        length = draw.choice(lengths)
        words, between = draw.choices(vocabulary, k=length), draw.choices(separators, k=length)
        made = "".join(map("".join, zip(words, between, strict=True)))
        return made if draw.random() < 0.1 else made.rstrip(" ")

    sources = [text() for _ in range(segments)]
    predictions = [source if draw.random() < 0.1 else text() for source in sources]
    references = [[text() for _ in range(draw.choice(nrefs))] for _ in sources]
    return Corpus(sources, predictions, references)
