"""Made-up corpora of any size, the same for the same seed, whose n-grams repeat about as those of real texts do."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

_SYLLABLES = ("ba", "co", "den", "el", "fri", "gon", "ha", "is", "ju", "ker", "lum", "mo", "nar", "os", "pra", "qui")
_WORDS = 8_000


class Corpus(NamedTuple):
    """Segments as the metric takes them."""

    sources: list[str]
    predictions: list[str]
    references: list[list[str]]

    @property
    def columns(self) -> dict[str, Any]:
        """The arguments that the metric takes them as."""
        return self._asdict()

    def first(self, segments: int) -> "Corpus":
        """Return the first segments."""
        return Corpus(self.sources[:segments], self.predictions[:segments], self.references[:segments])


def made_up(
    segments: int, *, references: int, tokens: int, seed: int = 1, sentence_tokens: int | None = None
) -> Corpus:
    """Make a corpus in which outputs and references are edited copies of the sources.

    Args:
        segments: how many.
        references: per segment.
        tokens: per source, on average; the other texts are a little shorter.
        seed: of the random numbers.
        sentence_tokens: how many tokens make a sentence; None for one sentence, however long.
    """
    random = np.random.default_rng(seed)
    words = _vocabulary(random)
    frequencies = 1 / np.arange(10, _WORDS + 10)
    lengths = random.integers(max(2, tokens * 2 // 3), tokens * 4 // 3 + 1, segments)
    flat = random.choice(_WORDS, lengths.sum(), p=frequencies / frequencies.sum())
    sources = np.split(flat, np.cumsum(lengths)[:-1])
    return Corpus(
        [_text(words, source, sentence_tokens) for source in sources],
        [_text(words, _edited(source, random), sentence_tokens) for source in sources],
        [[_text(words, _edited(source, random), sentence_tokens) for _ in range(references)] for source in sources],
    )


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Make words that are the shorter the more frequent they are, with some punctuation among the most frequent."""
    words = [*",", *"'-", "the", "of", "a"]
    while len(words) < _WORDS:
        syllables = random.choice(_SYLLABLES, random.integers(1, 2 + len(words) // 1_500 + 1))
        words.append("".join(syllables))
    return words


def _edited(tokens: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Delete a tenth of the tokens and replace another tenth."""
    fate = random.random(len(tokens))
    replaced = np.where(fate < 0.2, random.integers(0, _WORDS // 4, len(tokens)), tokens)
    kept = replaced[fate > 0.1]
    return kept if len(kept) else tokens[:1]


def _text(words: Sequence[str], tokens: np.ndarray, sentence_tokens: int | None) -> str:
    step = sentence_tokens or len(tokens)
    sentences = (tokens[begin : begin + step] for begin in range(0, len(tokens), step))
    return " ".join(" ".join([words[token] for token in sentence]).capitalize() + "." for sentence in sentences)
