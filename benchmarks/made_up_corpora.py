"""Make up corpora, the same for the same seed: large ones like real texts, and small ones of hostile texts.

    python benchmarks/made_up_corpora.py FOLDER SEGMENTS REFERENCES SYSTEMS

writes sources, references and outputs of systems as text files.
"""

import random
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.validation import Columns  # noqa: E402

# ---- Like real texts ------------------------------------------------------------------------------------------------

_SYLLABLES = ("ba", "co", "den", "el", "fri", "gon", "ha", "is", "ju", "ker", "lum", "mo", "nar", "os", "pra", "qui")
_WORDS = 8_000


def made_up(
    segments: int, *, references: int, tokens: int, seed: int = 1, sentence_tokens: int | None = None
) -> Columns:
    """Make a corpus whose n-grams repeat as in real texts; predictions and references are edited copies of the sources.

    Args:
        segments: the number of segments.
        references: the number of references of each segment.
        tokens: the mean number of tokens of a source; the other texts are a little shorter.
        seed: the seed of the random numbers.
        sentence_tokens: the number of tokens of a sentence; None for one sentence, however long.
    """
    draws = np.random.default_rng(seed)
    words = _vocabulary(draws)
    frequencies = 1 / np.arange(10, _WORDS + 10)
    lengths = draws.integers(max(2, tokens * 2 // 3), tokens * 4 // 3 + 1, segments)
    flat = draws.choice(_WORDS, lengths.sum(), p=frequencies / frequencies.sum())
    sources = np.split(flat, np.cumsum(lengths)[:-1])
    return Columns(
        [_text(words, source, sentence_tokens) for source in sources],
        [_text(words, _edited(source, draws), sentence_tokens) for source in sources],
        [[_text(words, _edited(source, draws), sentence_tokens) for _ in range(references)] for source in sources],
    )


def _vocabulary(draws: np.random.Generator) -> list[str]:
    """Make words; frequent ones are short, and some of the most frequent ones are punctuation."""
    words = [*",", *"'-", "the", "of", "a"]
    while len(words) < _WORDS:
        syllables = draws.choice(_SYLLABLES, draws.integers(1, 2 + len(words) // 1_500 + 1))
        words.append("".join(syllables))
    return words


def _edited(tokens: np.ndarray, draws: np.random.Generator) -> np.ndarray:
    """Delete a tenth of the tokens and replace another tenth."""
    fate = draws.random(len(tokens))
    replaced = np.where(fate < 0.2, draws.integers(0, _WORDS // 4, len(tokens)), tokens)
    kept = replaced[fate > 0.1]
    return kept if len(kept) else tokens[:1]


def _text(words: Sequence[str], tokens: np.ndarray, sentence_tokens: int | None) -> str:
    step = sentence_tokens or len(tokens)
    sentences = (tokens[begin : begin + step] for begin in range(0, len(tokens), step))
    return " ".join(" ".join([words[token] for token in sentence]).capitalize() + "." for sentence in sentences)


def write_texts(folder: Path, segments: int, references: int, systems: int) -> None:
    """Write made-up texts, line by line; the outputs of systems are made as references are."""
    names = ["sources", *(f"references{n}" for n in range(references)), *(f"outputs{n}" for n in range(systems))]
    with ExitStack() as stack:
        files = [stack.enter_context(open(folder / f"{name}.txt", "w", encoding="utf-8")) for name in names]
        for begin in range(0, segments, 10_000):  # a part at a time, for memory
            part = min(10_000, segments - begin)
            corpus = made_up(part, references=references + systems, tokens=22, seed=begin)
            for file, column in zip(files, [corpus.sources, *zip(*corpus.references, strict=True)], strict=True):
                file.writelines(f"{text}\n" for text in column)


# ---- Hostile texts --------------------------------------------------------------------------------------------------


# Tokens of up to 8 bytes fit a machine word and longer ones do not: lengths around 8 and 16 with common beginnings, in
# one-byte and in wider characters, and zero bytes, which fixed-width arrays drop from the end.
LENGTHS = [
    stem[:n] + end for stem in ("abcdefgh" * 3, "橋éя" * 8) for n in (3, 7, 8, 15, 16, 24) for end in ("", "x", "y")
]

ZEROS = ["a\0", "a\0\0", "\0", "\0a", "abcdefgh\0", "ÿ", "ÿÿÿÿ", "abcdefg\xff"]

ENTITIES = ["&amp;", "&amp;lt;", "&lt;", "&quot;", "&amp;amp;quot;", "&gt"]
ENTITIES += ["<skipped>", "<ski<skipped>pped>", "-\n", "&amp-\n;"]

# Lowercasing may depend on the neighbours (final sigma), change the length (İ, ẞ) or leave the script (Kelvin sign).
SCRIPTS = ["İ", "İstanbul", "ΑΣ", "ΣΑΣ", "Σ", "ΑΣ'", "\u212a", "k", "ſ", "ẞ", "ß", "ﬁ", "ǅ", "É", "E\u0301"]

# Flags, skin tones, families and keycaps are several characters that show as one.
EMOJI = ["😀", "👍🏽", "🇩🇪", "👩\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "\U0001f3f4\U000e0067\U000e007f"]

WHITESPACE = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2009\u2028\u2029\u202f\u205f\u3000"

# First and last of ranges: all but surrogates, controls, Latin, lone combining marks, Arabic, Thai, invisible
# characters and directions, kana and Chinese, Hangul and its single letters, wide forms, symbols beyond 16 bits.
RANGES = [
    (0x0001, 0xD7FF),
    (0xE000, 0xFFFF),
    (0x10000, 0x10FFFF),
    (0x0000, 0x001F),
    (0x007F, 0x00FF),
    (0x0300, 0x036F),
    (0x0600, 0x06FF),
    (0x0E01, 0x0E5B),
    (0x200B, 0x200F),
    (0x2010, 0x206F),
    (0x20D0, 0x20F0),
    (0x3000, 0x30FF),
    (0x4E00, 0x9FFF),
    (0x1100, 0x11FF),
    (0xAC00, 0xD7A3),
    (0xFE00, 0xFE2F),
    (0xFF01, 0xFFEF),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x2A6DF),
]

#: Functions from a source of random numbers to a piece of text.
_PIECES: tuple[Callable[[random.Random], str], ...] = (
    *[lambda draw: draw.choice(("a", "b", "c", "the", "The", "cat"))] * 4,
    lambda draw: draw.choice(LENGTHS),
    lambda draw: draw.choice(ZEROS),
    lambda draw: draw.choice(ENTITIES),
    lambda draw: draw.choice(SCRIPTS),
    lambda draw: draw.choice(EMOJI),
    *[lambda draw: "".join(draw.choices("0159.,,..--aA ", k=draw.randint(1, 8)))] * 2,
    lambda draw: "".join(draw.choices("".join(map(chr, range(32, 127))), k=draw.randint(1, 4))),
    lambda draw: "".join(chr(draw.randint(*draw.choice(RANGES))) for _ in range(draw.randint(1, 3))),
    lambda draw: draw.choice(LENGTHS) * draw.choice((1, 10, 1_000)) if draw.random() < 0.02 else "b",
)
_SEPARATORS = (*[" "] * 20, "", "", "  ", "   ", *WHITESPACE)


def hostile(draw: random.Random, most: int = 100) -> Columns:
    """Make a corpus of at most so many hostile segments, over few pieces, so that n-grams repeat.

    Texts have whitespace of every kind, punctuation marks, digits, entities, tokens of all lengths, many scripts, emoji
    and lone combining marks; some are empty. Segments have different numbers of references.
    """
    segments = min(draw.choice((1, 1, 2, 4, 8, 8, 16, 16, 16, 32, 64, 100)), most)
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
    return Columns(sources, predictions, references)


if __name__ == "__main__":
    write_texts(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
