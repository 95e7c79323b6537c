"""Make up large corpora whose n-grams repeat as in real texts, the same for the same seed.

    python benchmarks/made_up_corpora.py FOLDER SEGMENTS REFERENCES SYSTEMS

writes sources, references and outputs of systems as text files.
"""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.validation import Columns  # noqa: E402

_SYLLABLES = ("ba", "co", "den", "el", "fri", "gon", "ha", "is", "ju", "ker", "lum", "mo", "nar", "os", "pra", "qui")
_WORDS = 8_000


def made_up(segments: int, *, references: int, tokens: int, seed: int = 1) -> Columns:
    """Make a corpus whose n-grams repeat as in real texts; predictions and references are edited copies of the sources.

    Args:
        segments: the number of segments.
        references: the number of references of each segment.
        tokens: the mean number of tokens of a source; the other texts are a little shorter.
        seed: the seed of the random numbers.
    """
    draws = np.random.default_rng(seed)
    words = _vocabulary(draws)
    frequencies = 1 / np.arange(10, _WORDS + 10)
    lengths = draws.integers(max(2, tokens * 2 // 3), tokens * 4 // 3 + 1, segments)
    flat = draws.choice(_WORDS, lengths.sum(), p=frequencies / frequencies.sum())
    sources = np.split(flat, np.cumsum(lengths)[:-1])
    return Columns(
        [_text(words, source) for source in sources],
        [_text(words, _edited(source, draws)) for source in sources],
        [[_text(words, _edited(source, draws)) for _ in range(references)] for source in sources],
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


def _text(words: Sequence[str], tokens: np.ndarray) -> str:
    return " ".join([words[token] for token in tokens]).capitalize() + "."


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


if __name__ == "__main__":
    write_texts(Path(sys.argv[1]), *map(int, sys.argv[2:5]))


def colliding_words(number: int) -> list[str]:
    """Return words of eight characters that are one another's neighbours in a hash table of pandas, up to 36,000.

    pandas hashes a key of 64 bits, here the bytes of a word, to `key >> 33 ^ key ^ key << 11` in 32 bits. For every
    four bytes there are two other four with which the hash is the wanted one; those of them that are printable, and no
    capitals, make words.
    """
    letters = np.array([code for code in range(33, 127) if not 65 <= code <= 90], np.uint32)
    low = letters[-36:-28]
    for place in (8, 16, 24):
        low = (low[:, None] | letters << np.uint32(place)).ravel()
    half = np.uint32(3120601668) ^ low ^ low << np.uint32(11)
    words: list[str] = []
    for bit in (0, 1):
        high = half << np.uint32(1) | np.uint32(bit)
        fits = (half >> np.uint32(31) == 0) & np.isin(high.view(np.uint8).reshape(-1, 4), letters).all(axis=1)
        pairs = np.stack([low[fits], high[fits]], axis=1).astype("<u4")
        words += [row.tobytes().decode() for row in pairs]
    return words[:number]
