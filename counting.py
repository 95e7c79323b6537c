"""Checked texts in, counts out: chunk by chunk, in threads, and once for what several systems share."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .ngram_counts import NgramAmounts, count_ngrams, ngram_amounts
from .ngrams import Tokens
from .options import Settings
from .sentences import count_sentences
from .tokenization import Text, apply_tokenizer, encode, split_into_tokens

# Texts are counted in chunks of about this many characters: small enough to bound memory, large enough that the cost of
# calling numpy does not matter, and that threads hardly ever wait for each other.
_CHUNK_CHARACTERS = 400_000
_BLOCK_SEGMENTS = 4096

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# To free a large block teaches glibc's malloc to keep blocks of up to its size for the next chunk, instead of returning
# them to the system and getting them back page by page (see "dynamic mmap threshold" in malloc(3)). No page is touched.
np.empty(1 << 24, np.uint8)


class SegmentCounts(NamedTuple):
    """What is known of segments once they are counted: one row each.

    Attributes:
        counts: float64[segment, order, operation, 4]: see `ngram_counts.count_ngrams`.
        lengths: int64[segment, 3]: the tokens of the source, of the prediction, and of the references on average,
            rounded down; a text of none counts as one, as where texts are split on spaces.
        sentences: int64[segment, 2]: the sentences of the prediction, and of the references on average, rounded down;
            None where no penalties ask for them.
    """

    counts: np.ndarray
    lengths: np.ndarray
    sentences: np.ndarray | None = None


class PreparedChunk(NamedTuple):
    """Sources and references of some segments, with what Python tokenizers have to do already done.

    Attributes:
        rows: which segments these are.
        sources, source_text: the texts, and what is left to do to make tokens of them.
        references, text: likewise; the references of the first segment, of the second, and so on.
        nrefs: int64[segment]: how many references each segment has.
        sentences: int64[segment]: of the references on average, rounded down; None where no penalties ask for them.
        prediction_text: how predictions become tokens.
    """

    rows: slice
    sources: Sequence[str]
    source_text: Text
    references: Sequence[str]
    text: Text
    nrefs: np.ndarray
    sentences: np.ndarray | None
    prediction_text: Text


class NgramTable(NamedTuple):
    """The n-grams of one segment: for each order what they are, and what each adds to the counts."""

    ngrams: list[list[tuple[str, ...]]]
    amounts: list[NgramAmounts]


def prepare(
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: Settings,
    systems: Sequence[Sequence[str]] = (),
) -> Iterator[PreparedChunk]:
    """Yield sources and references in chunks, ready for `count_systems`, which may take the same chunks again.

    Args:
        sources, references: that have been checked.
        settings: how they become tokens.
        systems: the predictions of each system, if they are known, so that chunks with them are of about one size.
    """
    for rows in _cut(sources, references, systems or [sources]):
        nrefs = np.fromiter(map(len, references[rows]), np.int64)
        flat = list(chain.from_iterable(references[rows]))
        of_references, text = apply_tokenizer(flat, settings.text)
        of_sources, source_text = apply_tokenizer(sources[rows], settings.source_text)
        sentences = _sentences(flat, settings)
        if sentences is not None:
            sentences = _means(sentences, nrefs)
        yield PreparedChunk(rows, of_sources, source_text, of_references, text, nrefs, sentences, settings.text)


def count_systems(
    chunks: Iterable[PreparedChunk], systems: Sequence[Sequence[str]], settings: Settings
) -> Iterator[list[SegmentCounts]]:
    """Yield the counts of each system's predictions, chunk by chunk.

    Args:
        chunks: sources and references, prepared with the same settings.
        systems: the predictions of each system, that have been checked.
        settings: how to count.
    """

    def parts(chunk: PreparedChunk) -> tuple[list[tuple[Sequence[str], Text]], np.ndarray, list[np.ndarray | None]]:
        # Tokenizers that are Python code gain nothing from threads.
        texts = list(chain.from_iterable(predictions[chunk.rows] for predictions in systems))
        predictions, text = apply_tokenizer(texts, chunk.prediction_text)
        sentences = _sentences_of_systems(texts, chunk, len(systems), settings)
        if chunk.source_text == text:
            return [([*chunk.sources, *chunk.references, *predictions], text)], chunk.nrefs, sentences
        return [(chunk.sources, chunk.source_text), ([*chunk.references, *predictions], text)], chunk.nrefs, sentences

    def counted(
        chunk: tuple[list[tuple[Sequence[str], Text]], np.ndarray, list[np.ndarray | None]],
    ) -> list[SegmentCounts]:
        texts, nrefs, sentences = chunk
        tokens = Tokens(*encode(texts), nrefs, len(systems))
        counts = count_ngrams(tokens, **_how_to_count(settings))
        return [SegmentCounts(*row) for row in zip(counts, _lengths(tokens), sentences, strict=True)]

    return _in_threads(counted, map(parts, chunks), settings.threads_here)


def count_columns(
    sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], settings: Settings
) -> Iterator[SegmentCounts]:
    """Yield the counts of one system's predictions, chunk by chunk."""
    chunks = prepare(sources, references, settings, [predictions])
    return (counts for (counts,) in count_systems(chunks, [predictions], settings))


def ngram_table(source: str, prediction: str, references: Sequence[str], settings: Settings) -> NgramTable:
    """Return the n-grams of one segment and what each adds to its counts.

    >>> from .options import resolve_settings
    >>> table = ngram_table("a b", "a c", ["a c"], resolve_settings("easse", max_order=1))
    >>> table.ngrams, table.amounts[0].counts[:, 0].tolist()
    ([[('a',), ('b',), ('c',)]], [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    """
    parts = [apply_tokenizer([source], settings.source_text), apply_tokenizer([*references, prediction], settings.text)]
    tokens = Tokens(*encode(parts), np.array([len(references)]))
    amounts = ngram_amounts(tokens, **_how_to_count(settings))
    split = [split_into_tokens(texts, text) for texts, text in parts]
    words = list(chain.from_iterable(chain.from_iterable(split)))
    ngrams = [
        [tuple(words[place : place + order]) for place in row.places.tolist()] for order, row in enumerate(amounts, 1)
    ]
    return NgramTable(ngrams, amounts)


def _how_to_count(settings: Settings) -> dict[str, Any]:
    variant = settings.variant
    return {"counting": variant.counting, "max_order": variant.max_order, "source_weight": variant.source_weight}


def _lengths(tokens: Tokens) -> Iterator[np.ndarray]:
    """Yield for each system the tokens of each segment's texts: int64[segment, 3]."""
    lengths = np.maximum(tokens.lengths, 1)
    of_sources = lengths[tokens.sources]
    of_references = _means(lengths[tokens.references], tokens.nrefs)
    for system in range(tokens.systems):
        yield np.stack([of_sources, lengths[tokens.predictions(system)], of_references], axis=-1)


def _sentences(texts: Sequence[str], settings: Settings) -> np.ndarray | None:
    """Return how many sentences each text has; None where no penalties ask for them."""
    if settings.penalties is None:
        return None
    if settings.penalties.of_tokens:
        texts = list(map(" ".join, split_into_tokens(texts, settings.text)))
    return count_sentences(texts, settings.variant.sentence_splitter)


def _sentences_of_systems(
    texts: Sequence[str], chunk: PreparedChunk, systems: int, settings: Settings
) -> list[np.ndarray | None]:
    """Return for each system the sentences of its predictions and of references: int64[segment, 2], or None."""
    counted = _sentences(texts, settings)
    if counted is None or chunk.sentences is None:
        return [None] * systems
    return [np.stack([own, chunk.sentences], axis=-1) for own in counted.reshape(systems, -1)]


def _means(numbers: np.ndarray, nrefs: np.ndarray) -> np.ndarray:
    """Return the means over each segment's references, rounded down."""
    return np.add.reduceat(numbers, np.cumsum(nrefs) - nrefs) // nrefs


def _cut(
    sources: Sequence[str], references: Sequence[Sequence[str]], systems: Sequence[Sequence[str]]
) -> Iterator[slice]:
    """Cut the segments into chunks of about the same number of characters."""
    for begin in range(0, len(sources), _BLOCK_SEGMENTS):
        block = slice(begin, begin + _BLOCK_SEGMENTS)
        nrefs = np.fromiter(map(len, references[block]), np.int64)
        of_references = np.fromiter(map(len, chain.from_iterable(references[block])), np.int64)
        sizes = np.add.reduceat(of_references, np.cumsum(nrefs) - nrefs)
        for column in (sources, *systems):
            sizes += np.fromiter(map(len, column[block]), np.int64)
        characters = np.cumsum(sizes)
        chunks = max(1, round(int(characters[-1]) / _CHUNK_CHARACTERS))
        chunk = characters * chunks // (characters[-1] + 1)
        edges = [0, *((chunk[1:] != chunk[:-1]).nonzero()[0] + 1).tolist(), len(nrefs)]
        for first, last in pairwise(edges):
            yield slice(begin + first, begin + last)


def _in_threads(function: Callable[[_Item], _Result], items: Iterable[_Item], threads: int) -> Iterator[_Result]:
    """Map a function over items in threads, in order, with no more items under way than it takes to keep them busy."""
    items = iter(items)
    first = list(islice(items, 2))
    items = chain(first, items)
    if threads == 1 or len(first) < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[Future[_Result]] = deque()
        for item in items:
            under_way.append(pool.submit(function, item))
            if len(under_way) > 2 * threads:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
