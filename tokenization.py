"""Texts in, token ids out: a whole batch at a time. Built-in tokenizers need no Python loop over tokens.

A batch becomes one buffer of UTF-8 bytes, with the byte 0xFF, which UTF-8 never uses, before, between and after the
texts. Tokens are spans of that buffer. Two tokens get the same id if and only if their bytes are the same.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from .languages import BUILT_IN_TOKENIZERS, SentenceSplitter, function_of
from .messages import RefusedTypeError, RefusedValueError, fault, short_line, short_repr
from .validation import SystemColumns, is_column
from .variants import Text, Variant

# Texts are encoded in chunks of about this many characters: small enough to bound memory, and large enough that the
# cost of calling numpy does not matter.
_CHUNK_CHARACTERS = 400_000
_FEW_SEGMENTS = 64

# Classes of bytes for the 13a rules, as bits. The separator 0xFF counts as whitespace. Marks, digits and dashes have
# neighbouring bits, so that a shift by one compares a digit with the mark or dash beside it.
_SPACE, _ALONE, _MARK, _DIGIT, _DASH = 1, 2, 4, 8, 16
# The end of the buffer: from each token on, 8 bytes are read as its key.
_PADDING = b"\xff" * 8
_WHITESPACE = bytes([*range(9, 14), *range(28, 33), 0xFF])
_NON_ASCII_WHITESPACE = re.compile(r"[^\S\x00-\x7f]")


def _class_table(classes: dict[int, bytes]) -> bytes:
    """Return a table for `bytes.translate`, from each byte to its class; other bytes have none."""
    table = np.zeros(256, np.uint8)
    for bit, characters in classes.items():
        table[np.frombuffer(characters, np.uint8)] = bit
    return table.tobytes()


_CLASSES_PLAIN = _class_table({_SPACE: _WHITESPACE})
_CLASSES_13A = _class_table(
    {_SPACE: _WHITESPACE, _ALONE: b'!"#$%&()*+/:;<=>?@[\\]^_`{|}~', _MARK: b".,", _DIGIT: b"0123456789", _DASH: b"-"}
)
# The entities that 13a replaces by characters, in this order; they are looked for together, since few texts have any.
_ENTITIES_13A = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
_ENTITY_13A = re.compile(b"&(?:quot|amp|lt|gt);")

# The key of a token of n <= 8 bytes is filled up with 0xFF, which no token holds.
_FILL = np.array([(1 << 64) - (1 << 8 * n) for n in range(9)], np.uint64)
# Keys are multiplied by an odd number, which keeps them different, and is another one in each process: the hash table
# of pandas has no secret of its own, and words that fill one place of it can be made.
_SECRET = np.uint64(int.from_bytes(os.urandom(8)) | 1)


class Spans(NamedTuple):
    """Tokens as spans of a buffer: the UTF-8 bytes of all texts, and where each token starts and ends in it."""

    data: bytes
    starts: np.ndarray
    ends: np.ndarray

    def strings(self, first: int, stop: int) -> tuple[str, ...]:
        """Return consecutive tokens as text."""
        pairs = zip(self.starts[first:stop].tolist(), self.ends[first:stop].tolist(), strict=True)
        return tuple(self.data[start:end].decode() for start, end in pairs)


@dataclass(frozen=True)
class Tokens:
    """The tokens of some segments: all sources, all references segment by segment, and all predictions, by system.

    Attributes:
        ids: int64[token]: equal for equal tokens, from 0.
        lengths: int64[text]: how many tokens each text has.
        nrefs: int64[segment]: how many references each segment has, at least 1.
        spans: the tokens as text.
        sources: the raw sources.
        source_text: how sources become tokens.
        sentences: int64[text but sources]: how many sentences each reference and each prediction has; None where no
            penalty needs them.
    """

    ids: np.ndarray
    lengths: np.ndarray
    nrefs: np.ndarray
    spans: Spans
    sources: Sequence[str]
    source_text: Text
    sentences: np.ndarray | None

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each text starts among the tokens, and where the last one ends: int64[text + 1]."""
        return running_total(self.lengths)

    @cached_property
    def references(self) -> slice:
        """Which texts are references."""
        return slice(len(self.nrefs), len(self.nrefs) + int(self.nrefs.sum()))

    @property
    def predictions(self) -> list[slice]:
        """Which texts are the predictions of each system."""
        segments, first = len(self.nrefs), self.references.stop
        return [slice(start, start + segments) for start in range(first, len(self.lengths), segments)]

    @cached_property
    def source_words(self) -> list[set[str]]:
        """The words of the tokens of each source: tokens split at whitespace."""
        bounds = pairwise(self.starts[: len(self.nrefs) + 1].tolist())
        return [set(" ".join(self.spans.strings(first, stop)).split()) for first, stop in bounds]

    @cached_property
    def written_places(self) -> list[dict[str, list[int]]]:
        """Where each word of the sources stands, as it is written: not lowercased, and split at whitespace."""
        sources = []
        for words in split_into_tokens(self.sources, replace(self.source_text, lowercase=False, splits_on_space=False)):
            places: dict[str, list[int]] = {}
            for place, word in enumerate(words):
                places.setdefault(word, []).append(place)
            sources.append(places)
        return sources


def encode_corpus(columns: SystemColumns, variant: Variant) -> Iterator[Tokens]:
    """Yield the tokens of checked texts, chunk by chunk; the variant says how texts become tokens."""
    sources, references, predictions = columns.sources, columns.references, columns.predictions.values()
    if len(sources) > _FEW_SEGMENTS:
        _keep_freed_memory()
    characters = np.array([sum(map(len, row)) for row in references], np.int64)
    for column in (sources, *predictions):
        characters += np.fromiter(map(len, column), np.int64, len(column))
    for rows in even_runs(characters, _CHUNK_CHARACTERS) if sources else ():
        outputs = [text for column in predictions for text in column[rows]]
        yield encode_chunk(sources[rows], references[rows], outputs, variant)


@cache
def _keep_freed_memory() -> None:
    """Make glibc keep freed memory for the next chunk, which saves 5 to 30% of the time of `compute`.

    Once a block of this size was freed, malloc(3) raises its thresholds for returning memory to the system ("dynamic
    mmap threshold"). No page of the block is touched.
    """
    np.empty(1 << 24, np.uint8)


def encode_chunk(
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    predictions: Sequence[str],
    variant: Variant,
) -> Tokens:
    """Return the tokens of some segments.

    Args:
        sources, references: one row per segment.
        predictions: one per segment, of the first system, then of the next one, and so on.
        variant: how texts become tokens.

    >>> from .variants import VARIANTS
    >>> tokens = encode_chunk(["The cat, the mat."], [["A cat."]], ["The cat."], VARIANTS["easse"])
    >>> tokens.ids.tolist(), tokens.lengths.tolist()
    ([0, 1, 2, 0, 3, 4, 5, 1, 4, 0, 1, 4], [6, 3, 3])
    """
    texts = [*chain.from_iterable(references), *predictions]
    parts = [apply_tokenizer(sources, variant.source_text), apply_tokenizer(texts, variant.text)]
    keys, lengths, spans = _keys_of_tokens(parts)
    ids, _ = pd.factorize(keys)
    nrefs = np.fromiter(map(len, references), np.int64, len(references))
    sentences = _sentence_counts(texts, variant)
    return Tokens(ids, lengths, nrefs, spans, sources, variant.source_text, sentences)


def split_into_tokens(texts: Sequence[str], steps: Text) -> list[list[str]]:
    """Return the tokens of each text as strings.

    >>> split_into_tokens(["The cat, the mat.", ""], Text(tokenize="13a"))
    [['the', 'cat', ',', 'the', 'mat', '.'], []]
    """
    spans, counts = _spans_of_parts([apply_tokenizer(texts, steps)])
    return [list(spans.strings(start, stop)) for start, stop in pairwise(running_total(counts).tolist())]


def apply_tokenizer(texts: Sequence[str], steps: Text) -> tuple[Sequence[str], Text]:
    """Apply a tokenizer that is Python code; return the texts and the steps that remain.

    Those that are built in are left to `_spans`, which works on the bytes of all texts at once.
    """
    tokenize = steps.tokenize
    if tokenize in BUILT_IN_TOKENIZERS:
        return texts, steps
    if steps.lowercase:
        texts = [one.lower() for one in texts]
    function = function_of("tokenize", tokenize)
    join = function if isinstance(function, _CachedTokenizer) else partial(_joined_tokens, function)
    return list(map(join, texts)), replace(steps, tokenize="none", lowercase=False)


class _CachedTokenizer:
    """A tokenizer that is Python code, and sees a text once; its tokens are checked, and apart by spaces."""

    def __init__(self, tokenize: Callable[[str], Any]):
        self._tokens = cache(partial(_joined_tokens, tokenize))

    def __call__(self, text: str) -> str:
        """Return the tokens of a text."""
        return self._tokens(text)


def with_caches(variant: Variant) -> Variant:
    """Return a variant that scores the same, whose tokenizer and splitter, if they are Python code, see a text once."""
    if variant.tokenize not in BUILT_IN_TOKENIZERS:
        variant = replace(variant, tokenize=_CachedTokenizer(function_of("tokenize", variant.tokenize)))
    if variant.has_penalties:
        split = function_of("sentence_splitter", variant.sentence_splitter)
        variant = replace(variant, sentence_splitter=cache(split))
    return variant


def running_total(sizes: np.ndarray) -> np.ndarray:
    """Return 0 and the sums of the first size, of the first two, and so on.

    >>> running_total(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    totals = np.zeros(len(sizes) + 1, np.int64)
    sizes.cumsum(out=totals[1:])
    return totals


def even_runs(sizes: np.ndarray, wanted: int) -> Iterator[slice]:
    """Cut consecutive items into runs of about equal size, which is near the wanted one if all items are small.

    An item is not cut, so that a run with a large one is larger.

    >>> list(even_runs(np.array([3, 1, 1, 3, 4, 4]), 8)), list(even_runs(np.array([10, 1, 1]), 5))
    ([slice(0, 4, None), slice(4, 6, None)], [slice(0, 3, None)])
    """
    ends = sizes.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    run = ends * max(1, round(total / wanted)) // (total + 1)
    edges = (run[1:] != run[:-1]).nonzero()[0] + 1
    for begin, end in pairwise([0, *edges.tolist(), len(sizes)]):
        yield slice(begin, end)


def _joined_tokens(tokenize: Callable[[str], Any], text: str) -> str:
    """Return the tokens of a text, apart by spaces; a tokenizer returns them so, or one by one, as text or spaCy's."""
    tokens = _returned("tokenize", tokenize, text, "tokenizer")
    if not isinstance(tokens, str):
        wanted = "a str with spaces between tokens or a list of str"
        tokens = " ".join(_listed("tokenize", tokens if is_column(tokens) else [tokens], "tokenizer", wanted))
    try:
        tokens.encode()
    except UnicodeEncodeError:
        raise RefusedValueError(fault("tokenize", "a lone surrogate from the tokenizer", "valid Unicode")) from None
    return tokens


def _returned(option: str, function: Callable[[str], Any], text: str, kind: str) -> Any:
    """Return what a tokenizer or splitter returns for a text; what it raises becomes an error that names the option."""
    try:
        return function(text)
    except Exception as error:  # whatever code of somebody else raises
        raised = ": ".join(filter(None, [type(error).__name__, str(error)]))
        raise RefusedValueError(short_line(f"{option}: the {kind} raised {raised}")) from error


def _listed(option: str, parts: Iterable[Any], kind: str, wanted: str) -> list[str]:
    """Return the parts of a text that a function returned, which are text or spaCy's; refuse others."""
    texts = [getattr(part, "text", part) for part in parts]
    for text in texts:
        if not isinstance(text, str):
            raise RefusedTypeError(fault(option, f"{short_repr(text)} from the {kind}", wanted))
    return texts


def _buffer(texts: Sequence[str], steps: Text) -> bytes:
    """Return the texts as one buffer, lowercased, and with the replacements that 13a makes before it splits."""
    folded = [one if one.isascii() else _as_latin1(one, steps) for one in texts]
    data = "\xff".join(["", *folded, ""]).encode("latin-1")
    if steps.lowercase:
        data = data.lower()
    return _with_replacements_13a(data) if steps.tokenize == "13a" else data


def _with_replacements_13a(data: bytes) -> bytes:
    """Return a buffer with the replacements that 13a makes before it splits; most need no more than one search."""
    if b"<" in data:
        data = data.replace(b"<skipped>", b"")
    if b"\n" in data:
        data = data.replace(b"-\n", b"")
    if _ENTITY_13A.search(data):
        for entity, character in _ENTITIES_13A:
            data = data.replace(entity, character)
    return data


def _as_latin1(text: str, steps: Text) -> str:
    """Return a text whose characters are its UTF-8 bytes, so that joining texts stays at one byte per character."""
    if steps.lowercase:
        text = text.lower()
    if not text.isprintable() and not (steps.tokenize == "none" and steps.splits_on_space):
        # Of the printable characters only the ASCII space is whitespace.
        text = _NON_ASCII_WHITESPACE.sub(" ", text)
    return text.encode().decode("latin-1")


def _spans(data: bytes, steps: Text) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where tokens start and end (exclusive) in the buffer, and how many each text has."""
    if steps.tokenize == "none" and steps.splits_on_space:
        return _spans_between_spaces(data)
    is_13a = steps.tokenize == "13a"
    classes = np.frombuffer(data.translate(_CLASSES_13A if is_13a else _CLASSES_PLAIN), np.uint8)
    space = (classes & _SPACE).view(bool)
    # A token ends at whitespace. For 13a, as in sacreBLEU 2.6.0, it also ends at a byte that is a token by itself.
    edge, in_token = space | _alone_13a(classes) if is_13a else space, ~space
    bound = edge[1:] | edge[:-1]
    starts, ends = (bound & in_token[1:]).nonzero()[0] + 1, (bound & in_token[:-1]).nonzero()[0] + 1
    before = starts.searchsorted((np.frombuffer(data, np.uint8) == 0xFF).nonzero()[0])
    counts = before[1:] - before[:-1]
    if steps.splits_on_space and np.count_nonzero(counts) < len(counts):
        empty = (counts == 0).nonzero()[0]
        at = np.cumsum(counts)[empty]
        starts, ends = np.insert(starts, at, 0), np.insert(ends, at, 0)
        counts[empty] = 1
    return starts, ends, counts


def _spans_between_spaces(data: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what `_spans` does, for texts that are split at single spaces: empty tokens are tokens, too."""
    codes = np.frombuffer(data, np.uint8)
    bounds = ((codes == 0x20) | (codes == 0xFF)).nonzero()[0]
    counts = np.diff((codes[bounds] == 0xFF).nonzero()[0])
    return bounds[:-1] + 1, bounds[1:], counts


def _alone_13a(classes: np.ndarray) -> np.ndarray:
    """Return which bytes are tokens by themselves: symbols, most periods and commas, dashes after digits."""
    digit = classes & _DIGIT
    mark = classes & _MARK
    alone = classes & _ALONE
    within_number = digit[:-2] & digit[2:]
    within_number >>= 1  # from the bit of digits to that of marks
    alone[1:-1] |= mark[1:-1] & ~within_number
    after_digit = digit[:-1] << 1  # from the bit of digits to that of dashes
    alone[1:] |= after_digit & classes[1:]
    alone = alone.astype(bool)
    glued = _glued_to_number(mark, digit)
    if glued.size:
        alone[glued] = False
    return alone


def _glued_to_number(marks: np.ndarray, digit: np.ndarray) -> np.ndarray:
    """Return the marks that end a run of two or more and stay glued to the digits after them.

    The first of sacreBLEU's two expressions for periods and commas consumes marks in pairs with the character before
    them, so whether the last one is split off depends on the length of the run and on the character before it.
    """
    last = (marks[1:-1] & marks[:-2] & (digit[2:] >> 1)).nonzero()[0] + 1
    if not last.size:
        return last
    others = (marks == 0).nonzero()[0]
    before = others[np.searchsorted(others, last) - 1]
    odd = (last - before) % 2 == 1
    return last[odd == (digit[before] != 0)]


def _keys_of_tokens(parts: Sequence[tuple[Sequence[str], Text]]) -> tuple[np.ndarray, np.ndarray, Spans]:
    """Return a key of 64 bits for each token, equal for equal bytes.

    The key of a token of up to 8 bytes is made of these; that of a longer one of the byte 0xFE, which UTF-8 never uses,
    and its place in a dictionary of the long tokens. Keys differ from process to process.

    Returns:
        int64[token]: the keys; int64[text]: how many tokens each text has; and the tokens as text.
    """
    spans, counts = _spans_of_parts(parts)
    data, starts, ends = spans
    at_each_byte = np.ndarray(len(data) - 7, "<u8", data, strides=(1,))
    keys = at_each_byte[starts]
    lengths = ends - starts
    keys |= _FILL.take(lengths, mode="clip")
    long = (lengths > 8).nonzero()[0]
    if long.size:
        keys[long] = _dictionary(data, starts[long], lengths[long]) << 8 | 0xFE
    keys *= _SECRET
    return keys.view(np.int64), counts, spans


def _spans_of_parts(parts: Sequence[tuple[Sequence[str], Text]]) -> tuple[Spans, np.ndarray]:
    """Return the tokens of all parts as spans of one buffer, and how many each text has."""
    buffers = [_buffer(texts, steps) for texts, steps in parts]
    offsets = accumulate(map(len, buffers), initial=0)
    spans = [_spans(data, steps) for data, (_, steps) in zip(buffers, parts, strict=True)]
    moved = [(starts + offset, ends + offset) for offset, (starts, ends, _) in zip(offsets, spans, strict=False)]
    starts, ends = map(np.concatenate, zip(*moved, strict=True))
    counts = np.concatenate([lengths for *_, lengths in spans])
    return Spans(b"".join([*buffers, _PADDING]), starts, ends), counts


def _dictionary(data: bytes, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the places of tokens in a dictionary of them: uint64[token]."""
    offsets = running_total(lengths)
    places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1], dtype=np.int64)
    letters = np.frombuffer(data, np.uint8)[places]
    tokens = pa.Array.from_buffers(pa.large_binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(letters)])
    return np.asarray(tokens.dictionary_encode().indices).astype(np.uint64)


# ---- Sentences ------------------------------------------------------------------------------------------------------


def count_sentences(texts: Iterable[str], splitter: SentenceSplitter) -> np.ndarray:
    r"""Count the sentences of each text: int64[text].

    >>> count_sentences(["One line.", "Two\nlines."], str.splitlines).tolist()
    [1, 2]
    """
    split = function_of("sentence_splitter", splitter)
    counts = []
    for text in texts:
        sentences = _returned("sentence_splitter", split, text, "splitter")
        wanted = "a list of the text's sentences"
        if isinstance(sentences, str) or not isinstance(sentences, Sequence):
            raise RefusedTypeError(fault("sentence_splitter", f"{short_repr(sentences)} from the splitter", wanted))
        counts.append(len(_listed("sentence_splitter", sentences, "splitter", wanted)))
    return np.array(counts, np.int64)


def _sentence_counts(texts: Sequence[str], variant: Variant) -> np.ndarray | None:
    """Return how many sentences each text has; None where no penalty needs them."""
    if not variant.has_penalties:
        return None
    if variant.penalty_rules.of_tokens:
        texts = list(map(" ".join, split_into_tokens(texts, variant.text)))
    return count_sentences(texts, variant.sentence_splitter)
