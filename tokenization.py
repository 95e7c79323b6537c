"""Texts in, token ids out: a whole batch at a time, without a Python loop over tokens.

A batch becomes one buffer of UTF-8 bytes in which the byte 0xFF, which UTF-8 never uses, stands before, between and
after the texts. Tokens are spans of that buffer. Two tokens get the same id if and only if their bytes are the same.
"""

import importlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

Tokenizer = str | Callable[[str], str]

#: Distinct values: of few, a list.
Distinct = np.ndarray | list[int]


class _External(NamedTuple):
    """A tokenizer of another package: the class, the method to call, and what to install where it is missing."""

    module: str
    name: str
    install: str
    method: str = "__call__"
    options: tuple[tuple[str, object], ...] = ()


_EXTERNAL = {
    "intl": _External("sacrebleu.tokenizers.tokenizer_intl", "TokenizerV14International", "sacrebleu"),
    "char": _External("sacrebleu.tokenizers.tokenizer_char", "TokenizerChar", "sacrebleu"),
    "zh": _External("sacrebleu.tokenizers.tokenizer_zh", "TokenizerZh", "sacrebleu"),
    "ja-mecab": _External("sacrebleu.tokenizers.tokenizer_ja_mecab", "TokenizerJaMecab", "sacrebleu[ja]"),
    "ko-mecab": _External("sacrebleu.tokenizers.tokenizer_ko_mecab", "TokenizerKoMecab", "sacrebleu[ko]"),
    "spm": _External("sacrebleu.tokenizers.tokenizer_spm", "TokenizerSPM", "sentencepiece"),
    "flores101": _External("sacrebleu.tokenizers.tokenizer_spm", "Flores101Tokenizer", "sentencepiece"),
    "flores200": _External("sacrebleu.tokenizers.tokenizer_spm", "Flores200Tokenizer", "sentencepiece"),
    "spBLEU-1K": _External("sacrebleu.tokenizers.tokenizer_spm", "spBLEU1KTokenizer", "sentencepiece"),
    "moses": _External(
        "sacremoses", "MosesTokenizer", "sacremoses", "tokenize", (("return_str", True), ("escape", False))
    ),
}

#: Every name that `tokenize` takes; "none" leaves the text as it is. "13a" and "none" are done here, on bytes.
TOKENIZERS = ("13a", "none", *_EXTERNAL)

# Classes of bytes for the 13a rules, as bits. The separator 0xFF counts as whitespace.
_SPACE, _ALONE, _MARK, _DIGIT, _DASH = 1, 2, 4, 8, 16
_SEPARATOR = b"\xff"
_PADDING = b"\xff" * 8
_WHITESPACE = bytes([*range(9, 14), *range(28, 33), 0xFF])
_NON_ASCII_WHITESPACE = re.compile(r"[^\S\x00-\x7f]")


def _class_table(**members: bytes) -> bytes:
    bits = {"space": _SPACE, "alone": _ALONE, "mark": _MARK, "digit": _DIGIT, "dash": _DASH}
    table = np.zeros(256, np.uint8)
    for name, characters in members.items():
        table[np.frombuffer(characters, np.uint8)] |= bits[name]
    return table.tobytes()


_PLAIN = _class_table(space=_WHITESPACE)
_13A = _class_table(
    space=_WHITESPACE, alone=b'!"\x23$%&()*+/:;<=>?@[\\]^_`{|}~', mark=b".,", digit=b"0123456789", dash=b"-"
)
_ENTITY = re.compile(rb"&(?:quot|amp|lt|gt);")
_ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))

#: So few values are numbered faster one by one than by calls of pandas and Arrow.
FEW = 256

# A token of n < 8 bytes fills its 64-bit word up with 0xFF, which no token holds.
_FILL = np.array([(1 << 64) - (1 << 8 * n) for n in range(9)], np.uint64)
_FILL[8] = 0


class Vocabulary(NamedTuple):
    """The tokens that have ids already: made by `encode_to_know`, for `encode_known`.

    Attributes:
        words: of each token, in the order of their ids, from 1.
        long: the tokens of more than 8 bytes, of which words hold the place in here.
    """

    words: pd.Index
    long: pa.Array


class Text(NamedTuple):
    """How texts become tokens: see `variants.Variant` for the fields."""

    tokenize: Tokenizer
    lowercase: bool
    splits_on_space: bool


def check_tokenizer(tokenize: Tokenizer) -> None:
    """Refuse a tokenizer that is unknown (ValueError), of the wrong type (TypeError) or not installed (ImportError).

    >>> check_tokenizer("13b")
    Traceback (most recent call last):
    ...
    ValueError: tokenize: got '13b', wanted a callable or one of 13a, none, intl, char, zh, ja-mecab, ko-mecab, spm, \
flores101, flores200, spBLEU-1K, moses
    """
    valid = f"a callable or one of {', '.join(TOKENIZERS)}"
    if not isinstance(tokenize, str):
        if not callable(tokenize):
            raise TypeError(f"tokenize: got {tokenize!r}, wanted {valid}")
    elif tokenize not in TOKENIZERS:
        raise ValueError(f"tokenize: got {tokenize!r}, wanted {valid}")
    elif tokenize in _EXTERNAL:
        _external(tokenize)


def describe_tokenizer(tokenize: Tokenizer) -> str:
    """Return the tokenizer's name for a signature, with its version where sacreBLEU's own does not fix it.

    >>> describe_tokenizer("13a"), describe_tokenizer(str.title)
    ('13a', 'custom.str.title')
    """
    if not isinstance(tokenize, str):
        return f"custom.{getattr(tokenize, '__qualname__', type(tokenize).__qualname__)}"
    if tokenize not in _EXTERNAL:
        return tokenize
    if _EXTERNAL[tokenize].module == "sacremoses":
        return f"{tokenize}-{version('sacremoses')}"
    return _external(tokenize).signature()


def apply_tokenizer(texts: Sequence[str], text: Text) -> tuple[Sequence[str], Text]:
    """Run a tokenizer that is Python code over texts; what is left to do is in the `Text` that is returned.

    The tokenizers that are done on bytes ("13a" and "none") are left for `encode`, which may run in another thread.
    """
    tokenize = text.tokenize
    if tokenize in ("13a", "none"):
        return texts, text
    if text.lowercase:
        texts = [one.lower() for one in texts]
    if callable(tokenize):
        return [_called(tokenize, one) for one in texts], text._replace(tokenize="none", lowercase=False)
    external = _external(tokenize)
    row = _EXTERNAL[tokenize]
    method, options = getattr(external, row.method), dict(row.options)
    return (
        [" ".join(method(one, **options).split()) for one in texts],
        text._replace(tokenize="none", lowercase=False),
    )


def encode(parts: Sequence[tuple[Sequence[str], Text]]) -> tuple[np.ndarray, np.ndarray]:
    """Turn texts into token ids.

    Args:
        parts: lists of texts, each with the way its texts become tokens ("13a" or "none").

    Returns:
        The ids of all tokens in order (int64, from 1, equal for equal tokens across parts; 0 for the empty token), and
        the number of tokens of each text (int64). Ids hold for this call only.

    >>> encode([(["The cat, the mat.", ""], Text("13a", lowercase=True, splits_on_space=False))])
    (array([1, 2, 3, 1, 4, 5]), array([6, 0]))
    """
    return _encoded(parts)[:2]


def encode_to_know(parts: Sequence[tuple[Sequence[str], Text]]) -> tuple[np.ndarray, np.ndarray, Vocabulary]:
    """Turn texts into token ids as `encode` does, and return also what `encode_known` needs to go on."""
    ids, lengths, words, long = _encoded(parts)
    if isinstance(long, list):
        long = pa.array(long, pa.large_binary())
    return ids, lengths, Vocabulary(pd.Index(np.asarray(words, np.int64)), long)


def encode_known(texts: Sequence[str], text: Text, known: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Turn texts into token ids: those of known tokens, and higher ones for others.

    >>> how = Text("13a", lowercase=True, splits_on_space=False)
    >>> *_, known = encode_to_know([(["The cat, the mat."], how)])
    >>> encode_known(["A mat, a cat."], how, known)
    (array([6, 4, 3, 6, 2, 5]), array([6]))
    """
    words, lengths, counts, _ = _words([(texts, text)], known.long)
    ids = known.words.get_indexer(words)
    unknown = (ids < 0).nonzero()[0]
    if unknown.size:
        ids[unknown] = len(known.words) + factorize(words[unknown])[0]
    return _numbered_from_1(ids, lengths), counts


def factorize(values: np.ndarray) -> tuple[np.ndarray, Distinct]:
    """Give values numbers in the order of their first appearance; return these, and the distinct values.

    >>> factorize(np.array([7, 5, 7]))
    (array([0, 1, 0]), [7, 5])
    """
    if len(values) > FEW:
        return pd.factorize(values)
    places: dict[int, int] = {}
    numbers = [places.setdefault(value, len(places)) for value in values.tolist()]
    return np.array(numbers, np.int64), list(places)


def split_into_tokens(texts: Sequence[str], text: Text) -> list[list[str]]:
    """Return the tokens of each text as strings: those that `encode` gives ids to.

    >>> split_into_tokens(["The cat, the mat.", ""], Text("13a", lowercase=True, splits_on_space=False))
    [['the', 'cat', ',', 'the', 'mat', '.'], []]
    """
    texts, text = apply_tokenizer(texts, text)
    data = _buffer(texts, text)
    starts, ends, counts = _spans(data, text)
    tokens = [data[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    bounds = np.cumsum(counts).tolist()
    return [tokens[bound - count : bound] for bound, count in zip(bounds, counts.tolist(), strict=True)]


@cache
def _external(name: str) -> Any:
    row = _EXTERNAL[name]
    try:
        return getattr(importlib.import_module(row.module), row.name)()
    except (ImportError, RuntimeError):
        raise ImportError(f"tokenize: {name!r} needs a package that is missing: pip install '{row.install}'") from None
    except Exception as error:
        # sacreBLEU downloads the models of its sentencepiece tokenizers on first use.
        reason = " ".join(str(error).split())
        raise ValueError(f"tokenize: {name!r} could not be set up: {reason or type(error).__name__}") from error


def _called(tokenize: Callable[[str], str], text: str) -> str:
    tokens = tokenize(text)
    if not isinstance(tokens, str):
        raise TypeError(
            f"tokenize: the callable returned {type(tokens).__name__}, wanted a str with tokens apart by spaces"
        )
    if not tokens.isascii():
        try:
            tokens.encode()
        except UnicodeEncodeError:
            raise ValueError("tokenize: the callable returned a lone surrogate, wanted valid Unicode") from None
    return tokens


def _buffer(texts: Sequence[str], text: Text) -> bytes:
    """Return the texts as one buffer, lowercased and with everything rewritten that 13a rewrites before it splits."""
    folded = [one if one.isascii() else _as_bytes(one, text) for one in texts]
    data = "\xff".join(["", *folded, ""]).encode("latin-1")
    if text.lowercase:
        data = data.lower()
    if text.tokenize == "13a":
        data = _rewritten_13a(data)
    return data


def _rewritten_13a(data: bytes) -> bytes:
    # Looking for one byte is many times faster than looking for several, and these are rare.
    if b"<" in data:
        data = data.replace(b"<skipped>", b"")
    if b"\n" in data:
        data = data.replace(b"-\n", b"")  # the other newlines are whitespace
    if b"&" in data and _ENTITY.search(data):
        for entity, character in _ENTITIES:
            data = data.replace(entity, character)
    return data


def _as_bytes(text: str, how: Text) -> str:
    """Return a text as a string of its UTF-8 bytes, so that joining texts stays at one byte per character."""
    if how.lowercase:
        text = text.lower()
    if not text.isprintable() and not (how.tokenize == "none" and how.splits_on_space):
        # Of the printable characters only the ASCII space is whitespace.
        text = _NON_ASCII_WHITESPACE.sub(" ", text)
    return text.encode().decode("latin-1")


def _spans(data: bytes, text: Text) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where tokens start and end (exclusive) in the buffer, and how many each text has."""
    if text.tokenize == "none" and text.splits_on_space:
        return _spans_between_spaces(data)
    starts, ends = _spans_13a(data) if text.tokenize == "13a" else _spans_between_whitespace(data)
    before = starts.searchsorted(_separators(data))
    counts = before[1:] - before[:-1]
    if text.splits_on_space and np.count_nonzero(counts) < len(counts):
        empty = (counts == 0).nonzero()[0]
        at = np.cumsum(counts)[empty]
        starts, ends = np.insert(starts, at, 0), np.insert(ends, at, 0)
        counts[empty] = 1
    return starts, ends, counts


def _separators(data: bytes) -> np.ndarray:
    return (np.frombuffer(data, np.uint8) == 0xFF).nonzero()[0]


def _spans_between_spaces(data: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    codes = np.frombuffer(data, np.uint8)
    bounds = ((codes == 0x20) | (codes == 0xFF)).nonzero()[0]
    counts = np.diff((codes[bounds] == 0xFF).nonzero()[0])
    return bounds[:-1] + 1, bounds[1:], counts


def _spans_between_whitespace(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    space = np.frombuffer(data.translate(_PLAIN), np.uint8).view(bool)
    word = ~space
    return _places(word[1:] & space[:-1]), _places(word[:-1] & space[1:])


def _spans_13a(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Split as sacreBLEU's tokenizer_13a and tokenizer_re do (sacrebleu 2.6.0), by shifted masks."""
    classes = np.frombuffer(data.translate(_13A), np.uint8)
    space = (classes & _SPACE).view(bool)
    edge, word = _alone_13a(classes) | space, ~space
    bound = edge[1:] | edge[:-1]
    return _places(bound & word[1:]), _places(bound & word[:-1])


def _places(mask: np.ndarray) -> np.ndarray:
    """Return where a mask that is shifted by one byte is set."""
    places = mask.nonzero()[0]
    places += 1
    return places


def _alone_13a(classes: np.ndarray) -> np.ndarray:
    """Return which bytes are tokens by themselves: symbols, most periods and commas, dashes after digits."""
    digit = classes & _DIGIT
    mark = classes & _MARK
    alone = classes & _ALONE
    within_number = digit[:-2] & digit[2:]
    within_number >>= 1  # the digit's bit onto the mark's
    inner, rest = alone[1:-1], alone[1:]
    inner |= mark[1:-1] & ~within_number
    after_digit = digit[:-1] << 1  # the digit's bit onto the dash's
    rest |= after_digit & classes[1:]
    alone = alone.astype(bool)
    glued = _glued_to_number(mark, digit)
    if glued.size:
        alone[glued] = False
    return alone


def _glued_to_number(marks: np.ndarray, digit: np.ndarray) -> np.ndarray:
    """Return the marks that end a run of two or more and stay glued to the digits behind them.

    The first of sacreBLEU's two expressions for periods and commas consumes marks in pairs with the character before
    them, so whether the last one is split off depends on the length of the run and on what stands before it.
    """
    last = (marks[1:-1] & marks[:-2] & (digit[2:] >> 1)).nonzero()[0] + 1
    if not last.size:
        return last
    others = (marks == 0).nonzero()[0]
    before = others[np.searchsorted(others, last) - 1]
    odd = (last - before) % 2 == 1
    return last[odd == (digit[before] != 0)]


def _encoded(parts: Sequence[tuple[Sequence[str], Text]]) -> tuple[np.ndarray, np.ndarray, Distinct, Any]:
    """Return ids, the tokens of each text, the word of each id, and the long tokens."""
    words, lengths, counts, long = _words(parts, None)
    ids, distinct = factorize(words)
    return _numbered_from_1(ids, lengths), counts, distinct, long


def _numbered_from_1(ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    ids += 1
    if np.count_nonzero(lengths) < len(lengths):
        ids[lengths == 0] = 0
    return ids


def _words(
    parts: Sequence[tuple[Sequence[str], Text]], known: pa.Array | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Any]:
    """Return a number for each token, equal for equal bytes.

    A token of up to 8 bytes is its own 64-bit word; a longer one is the byte 0xFE, which UTF-8 never uses, and its
    place in a dictionary of the long ones, which begins with those that are known.

    Returns:
        int64: the word of each token; how many bytes it has; the tokens of each text; and the dictionary.
    """
    data, starts, ends, counts = _tokenized(parts)
    at_each_byte = np.ndarray(len(data) - 7, "<u8", data, strides=(1,))
    words = at_each_byte[starts]
    lengths = ends - starts
    words |= _FILL.take(lengths, mode="clip")
    long = (lengths > 8).nonzero()[0]
    if long.size:
        places, known = _dictionary(data, starts[long], lengths[long], known)
        words[long] = places << 8 | 0xFE
    return words.view(np.int64), lengths, counts, known


def _tokenized(parts: Sequence[tuple[Sequence[str], Text]]) -> tuple[bytes, np.ndarray, np.ndarray, np.ndarray]:
    """Return one buffer, where tokens start and end in it, and how many each text has."""
    if len(parts) == 1:
        ((texts, text),) = parts
        data = _buffer(texts, text)
        return data + _PADDING, *_spans(data, text)
    buffers, starts, ends, counts, offset = [], [], [], [], 0
    for texts, text in parts:
        data = _buffer(texts, text)
        first, last, tokens = _spans(data, text)
        buffers.append(data)
        starts.append(first + offset)
        ends.append(last + offset)
        counts.append(tokens)
        offset += len(data)
    data = b"".join([*buffers, _PADDING])
    return data, np.concatenate(starts), np.concatenate(ends), np.concatenate(counts)


def _dictionary(data: bytes, starts: np.ndarray, lengths: np.ndarray, known: pa.Array | None) -> tuple[np.ndarray, Any]:
    if known is None and len(starts) <= FEW:
        listed: dict[bytes, int] = {}
        ends = (starts + lengths).tolist()
        spans = [data[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]
        return np.array([listed.setdefault(span, len(listed)) for span in spans], np.uint64), list(listed)
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    letters = np.frombuffer(data, np.uint8)[places]
    tokens = pa.Array.from_buffers(pa.large_binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(letters)])
    if known is not None:
        tokens = pa.concat_arrays([known, tokens])
    encoded = tokens.dictionary_encode()
    indices = np.asarray(encoded.indices)[-len(starts) :]
    return indices.astype(np.uint64), encoded.dictionary
