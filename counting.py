"""Checked texts in, counts out: chunk by chunk, in threads, and once for what several systems share."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .candidate_counts import count_each_by_each
from .ngram_counts import (
    NgramAmounts,
    Shared,
    count_ngrams,
    count_predictions,
    ngram_amounts,
    share,
)
from .ngrams import Tokens
from .options import Settings
from .ranges import even_runs
from .sentences import count_sentences
from .tokenization import (
    Text,
    Vocabulary,
    apply_tokenizer,
    encode,
    encode_known,
    encode_to_know,
    split_into_tokens,
)

# Texts are counted in chunks of about this many characters: small enough to bound memory, large enough that the cost of
# calling numpy does not matter, and that threads hardly ever wait for each other.
_CHUNK_CHARACTERS = 400_000
_BLOCK_SEGMENTS = 4096
_FEW_SEGMENTS = 64

# So few systems are numbered together with sources and references faster than looked up among them.
_FEW_SYSTEMS = 8

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# To free a large block teaches glibc's malloc to keep blocks of up to its size for the next chunk, instead of returning
# them to the system and getting them back page by page (see "dynamic mmap threshold" in malloc(3)). No page is touched.
np.empty(1 << 24, np.uint8)


class Sizes(NamedTuple):
    """How long the texts of segments are: what penalties are made of.

    Attributes:
        lengths: int64[segment, 3]: the tokens of the source, of the prediction, and of the references on average,
            rounded down; a text of none counts as one, as where texts are split on spaces.
        sentences: int64[segment, 2]: the sentences of the prediction, and of the references on average, rounded down.
    """

    lengths: np.ndarray
    sentences: np.ndarray


class SegmentCounts(NamedTuple):
    """What is known of segments once they are counted: one row each.

    Attributes:
        counts: float64[segment, order, operation, 4]: see `ngram_counts.count_ngrams`.
        sizes: of their texts; None where no penalties ask for them.
    """

    counts: np.ndarray
    sizes: Sizes | None = None

    def of(self, segments: slice) -> "SegmentCounts":
        """Return what is known of some of the segments."""
        sizes = None if self.sizes is None else Sizes(*(column[segments] for column in self.sizes))
        return SegmentCounts(self.counts[segments], sizes)


class Chunk(NamedTuple):
    """Some segments, with what Python tokenizers have to do already done.

    Attributes:
        rows: which segments these are.
        parts: sources, references and perhaps predictions, each with what is left to do to make tokens of them.
        nrefs: int64[segment]: how many references each segment has.
        sentences: int64[segment] each: those of the references on average, rounded down, and perhaps those of the
            predictions; none where no penalties ask for them.
    """

    rows: slice
    parts: list[tuple[Sequence[str], Text]]
    nrefs: np.ndarray
    sentences: list[np.ndarray]


class PreparedChunk(NamedTuple):
    """Sources and references of some segments, counted as far as they go without predictions.

    Attributes:
        rows: which segments these are.
        vocabulary: their tokens.
        shared: what they say of n-grams.
        lengths: int64[segment, 2]: the tokens of the source, and of the references on average, rounded down.
        sentences: as in `Chunk`.
    """

    rows: slice
    vocabulary: Vocabulary
    shared: Shared
    lengths: np.ndarray
    sentences: list[np.ndarray]


class Predictions(NamedTuple):
    """Predictions, with what Python code has to do already done.

    Attributes:
        texts, text: and what is left to do to make tokens of them.
        sentences: int64[prediction]; None where no penalties ask for them.
    """

    texts: Sequence[str]
    text: Text
    sentences: np.ndarray | None


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
        settings: how to count.
        systems: the predictions of each system, if they are known, so that chunks with them are of about one size.
    """

    def prepared(chunk: Chunk) -> PreparedChunk:
        ids, lengths, vocabulary = encode_to_know(chunk.parts)
        tokens = Tokens(ids, lengths, chunk.nrefs)
        return PreparedChunk(
            chunk.rows, vocabulary, share(tokens, **_how_to_count(settings)), _lengths(tokens), chunk.sentences
        )

    return _in_threads(prepared, _chunks(sources, references, settings, systems or [sources]), settings.threads_here)


def count_systems(
    chunks: Iterable[PreparedChunk], systems: Sequence[Sequence[str]], settings: Settings
) -> Iterator[list[SegmentCounts]]:
    """Yield the counts of each system's predictions, chunk by chunk.

    Args:
        chunks: sources and references, prepared with the same settings.
        systems: the predictions of each system, that have been checked.
        settings: how to count.
    """

    def predictions(chunk: PreparedChunk) -> tuple[PreparedChunk, Predictions]:
        # What is Python code gains nothing from threads.
        return chunk, _predictions(list(chain.from_iterable(texts[chunk.rows] for texts in systems)), settings)

    def counted(item: tuple[PreparedChunk, Predictions]) -> list[SegmentCounts]:
        chunk, texts = item
        owners = np.tile(np.arange(len(chunk.lengths)), len(systems))
        return _by_system(count_owned(chunk, texts, owners), len(systems))

    return _in_threads(counted, map(predictions, chunks), settings.threads_here)


def count_owned(chunk: PreparedChunk, predictions: Predictions, owners: np.ndarray) -> SegmentCounts:
    """Return the counts of predictions of segments of a chunk, any number of each.

    Args:
        chunk: the segments.
        predictions: of these segments.
        owners: the segment of each.
    """
    ids, lengths = encode_known(predictions.texts, predictions.text, chunk.vocabulary)
    counts = count_predictions(ids, lengths, owners, chunk.shared)
    if predictions.sentences is None:
        return SegmentCounts(counts)
    return SegmentCounts(counts, _sizes(chunk.lengths, chunk.sentences[0], lengths, predictions.sentences, owners))


def count_together(
    sources: Sequence[str],
    systems: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    settings: Settings,
) -> Iterator[list[SegmentCounts]]:
    """Yield the counts of each system's predictions, chunk by chunk; arguments as in `prepare` and `count_systems`."""
    if len(systems) > _FEW_SYSTEMS:
        return count_systems(prepare(sources, references, settings, systems), systems, settings)

    def counted(chunk: Chunk) -> list[SegmentCounts]:
        tokens = Tokens(*encode(chunk.parts), chunk.nrefs)
        counts = count_ngrams(tokens, **_how_to_count(settings))
        sizes = None
        if chunk.sentences:
            owners = np.tile(np.arange(len(chunk.nrefs)), len(systems))
            lengths, (of_references, own) = tokens.lengths[tokens.references.stop :], chunk.sentences
            sizes = _sizes(_lengths(tokens), of_references, lengths, own, owners)
        return _by_system(SegmentCounts(counts, sizes), len(systems))

    return _in_threads(counted, _chunks(sources, references, settings, systems, systems), settings.threads_here)


def count_columns(
    sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], settings: Settings
) -> Iterator[SegmentCounts]:
    """Yield the counts of one system's predictions, chunk by chunk."""
    return (counts for (counts,) in count_together(sources, [predictions], references, settings))


def count_candidates(
    sources: Sequence[str],
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    settings: Settings,
) -> Iterator[SegmentCounts]:
    """Yield the counts of candidates, any number for each source, chunk by chunk and source by source."""
    for chunk in prepare(sources, references, settings, [list(map("".join, candidates))]):
        rows = candidates[chunk.rows]
        texts = list(chain.from_iterable(rows))
        if texts:
            owners = np.arange(len(rows)).repeat(list(map(len, rows)))
            yield count_owned(chunk, _predictions(texts, settings), owners)


def count_against_each_other(source: str, candidates: Sequence[str], settings: Settings) -> SegmentCounts:
    """Return the counts of candidates, each with each as the only reference: for a segment, a candidate and another."""
    parts = [apply_tokenizer([source], settings.source_text), apply_tokenizer(candidates, settings.text)]
    tokens = Tokens(*encode(parts), np.array([len(candidates)]))
    counts = count_each_by_each(tokens, **_how_to_count(settings))
    sentences = _sentences(candidates, settings)
    if sentences is None:
        return SegmentCounts(counts)
    of_source, *own = np.maximum(tokens.lengths, 1)
    ours, theirs = np.meshgrid(own, own, indexing="ij")
    lengths = np.stack([np.full_like(ours, of_source), ours, theirs], axis=-1)
    return SegmentCounts(counts, Sizes(lengths, np.stack(np.meshgrid(sentences, sentences, indexing="ij"), axis=-1)))


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


def _chunks(
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: Settings,
    sizes: Sequence[Sequence[str]],
    systems: Sequence[Sequence[str]] = (),
) -> Iterator[Chunk]:
    """Yield segments in chunks, with predictions of systems or none; `sizes` are the columns that measure chunks."""
    for rows in _cut(sources, references, sizes):
        nrefs = np.fromiter(map(len, references[rows]), np.int64)
        texts = [*chain.from_iterable(references[rows]), *chain.from_iterable(column[rows] for column in systems)]
        sentences = _sentences(texts, settings)
        parts = [apply_tokenizer(sources[rows], settings.source_text), apply_tokenizer(texts, settings.text)]
        if parts[0][1] == parts[1][1]:
            parts = [([*parts[0][0], *parts[1][0]], parts[0][1])]
        if sentences is None:
            yield Chunk(rows, parts, nrefs, [])
        else:
            of_references, own = np.split(sentences, [nrefs.sum()])
            yield Chunk(rows, parts, nrefs, [_means(of_references, nrefs), own])


def _predictions(texts: Sequence[str], settings: Settings) -> Predictions:
    return Predictions(*apply_tokenizer(texts, settings.text), _sentences(texts, settings))


def _how_to_count(settings: Settings) -> dict[str, Any]:
    variant = settings.variant
    return {"counting": variant.counting, "max_order": variant.max_order, "source_weight": variant.source_weight}


def _by_system(every: SegmentCounts, systems: int) -> list[SegmentCounts]:
    segments = len(every.counts) // systems
    return [every.of(slice(place, place + segments)) for place in range(0, len(every.counts), segments)]


def _lengths(tokens: Tokens) -> np.ndarray:
    """Return the tokens of each source, and of its references on average: int64[segment, 2]."""
    lengths = np.maximum(tokens.lengths, 1)
    return np.stack([lengths[tokens.sources], _means(lengths[tokens.references], tokens.nrefs)], axis=-1)


def _sizes(
    lengths: np.ndarray, sentences: np.ndarray, own_lengths: np.ndarray, own_sentences: np.ndarray, owners: np.ndarray
) -> Sizes:
    """Return the sizes of predictions of these segments, from those of the segments and their own."""
    of_sources, of_references = lengths[owners].T
    return Sizes(
        np.stack([of_sources, np.maximum(own_lengths, 1), of_references], axis=-1),
        np.stack([own_sentences, sentences[owners]], axis=-1),
    )


def _sentences(texts: Sequence[str], settings: Settings) -> np.ndarray | None:
    """Return how many sentences each text has; None where no penalties ask for them."""
    if settings.penalties is None:
        return None
    if settings.penalties.of_tokens:
        texts = list(map(" ".join, split_into_tokens(texts, settings.text)))
    return count_sentences(texts, settings.variant.sentence_splitter)


def _means(numbers: np.ndarray, nrefs: np.ndarray) -> np.ndarray:
    """Return the means over each segment's references, rounded down."""
    return np.add.reduceat(numbers, nrefs.cumsum() - nrefs) // nrefs


def _cut(
    sources: Sequence[str], references: Sequence[Sequence[str]], systems: Sequence[Sequence[str]]
) -> Iterator[slice]:
    """Cut the segments into chunks of about the same number of characters."""
    for begin in range(0, len(sources), _BLOCK_SEGMENTS):
        block = slice(begin, begin + _BLOCK_SEGMENTS)
        if len(sources[block]) <= _FEW_SEGMENTS:
            texts = chain(sources[block], *references[block], *(column[block] for column in systems))
            if sum(map(len, texts)) <= _CHUNK_CHARACTERS:
                yield slice(begin, begin + len(sources[block]))
                continue
        nrefs = np.fromiter(map(len, references[block]), np.int64)
        of_references = np.fromiter(map(len, chain.from_iterable(references[block])), np.int64)
        sizes = np.add.reduceat(of_references, np.cumsum(nrefs) - nrefs)
        for column in (sources, *systems):
            sizes += np.fromiter(map(len, column[block]), np.int64)
        for run in even_runs(sizes, _CHUNK_CHARACTERS):
            yield slice(begin + run.start, begin + run.stop)


def _in_threads(function: Callable[[_Item], _Result], items: Iterable[_Item], threads: int) -> Iterator[_Result]:
    """Map a function over items in threads, in order, with no more items under way than it takes to keep them busy."""
    items = iter(items)
    first = [] if threads == 1 else list(islice(items, 2))
    items = chain(first, items)
    if len(first) < 2:
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
