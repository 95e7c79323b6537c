"""What BLEU is made of, segment by segment, for any number of systems against references that are prepared once.

The numbers are those of sacreBLEU's `sentence_score`, over tokens as they are: an n-gram counts as often as it occurs
in the reference that has it most, and the closest reference, of two as close the shorter, gives its length (Papineni
et al. 2002).
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from sari.inputs import validate_references, validate_texts
from sari.ngrams import Known, Ngrams, Tokens, known_ngrams, look_up, numbered_ngrams, occurrences
from sari.ranges import running_total
from sari.tokenization import Text, Vocabulary, encode_known, encode_to_know

MAX_ORDER = 4

_TOKENS = Text("none", lowercase=False, splits_on_space=False)
# Few enough that the references of any corpus are numbered in little memory.
_CHUNK_SEGMENTS = 250


class BleuReferences:
    """References, ready for the predictions of any number of systems.

    >>> references = BleuReferences([["the cat sat .", "a cat ."], ["a dog barked ."]])
    >>> references.counts(["the cat sat .", "a dog ."]).tolist()[1]
    [3, 4, 3, 1, 0, 0, 3, 2, 1, 0]
    """

    def __init__(self, references):
        """Prepare references: per segment a list of texts, of any length, or one text."""
        rows = validate_references(references)
        self.segments = len(rows)
        self._chunks = [_prepared(rows[begin : begin + _CHUNK_SEGMENTS]) for begin in self._begins]

    @property
    def _begins(self) -> range:
        """Where each chunk of segments begins."""
        return range(0, self.segments, _CHUNK_SEGMENTS)

    def counts(self, predictions) -> np.ndarray:
        """Return what the BLEU of any of the segments is made of: int64[segments, 10], which adds up.

        Lengths of prediction and closest reference, and matching and all n-grams of four orders.

        Raises:
            ValueError: for predictions that are not one for each segment.
        """
        predictions = validate_texts("predictions", predictions)
        if len(predictions) != self.segments:
            raise ValueError(f"references: got {self.segments} rows, wanted {len(predictions)}, as many as predictions")
        parts = [predictions[begin : begin + _CHUNK_SEGMENTS] for begin in self._begins]
        none = np.empty((0, 2 + 2 * MAX_ORDER), np.int64)
        return np.concatenate([none, *(_counts(*pair) for pair in zip(parts, self._chunks, strict=True))])


class _Chunk(NamedTuple):
    """The references of some segments.

    Attributes:
        vocabulary: their tokens.
        lengths: int64[segment, reference]: the tokens of each, from the shortest; the last again where there are fewer.
        known: their n-grams.
        most: of each order: how often the reference that has most of it has each n-gram.
    """

    vocabulary: Vocabulary
    lengths: np.ndarray
    known: Known
    most: list[np.ndarray]


def _prepared(rows: Sequence[Sequence[str]]) -> _Chunk:
    ids, lengths, vocabulary = encode_to_know([(list(chain.from_iterable(rows)), _TOKENS)])
    nrefs = np.array(list(map(len, rows)), np.int64)
    no_source = np.zeros(len(rows), np.int64)
    tokens = Tokens(ids, np.concatenate([no_source, lengths]), nrefs)
    ngrams = numbered_ngrams(tokens, MAX_ORDER)
    columns = np.minimum(np.arange(nrefs.max()), nrefs[:, None] - 1)
    by_reference = lengths[columns + running_total(nrefs)[:-1, None]]
    return _Chunk(vocabulary, np.sort(by_reference, axis=1), known_ngrams(ngrams), _most(ngrams))


def _most(ngrams: Ngrams) -> list[np.ndarray]:
    """Return, of each order, how often each n-gram occurs in the reference that has most of it."""
    texts, found = ngrams.tokens.references, []
    for numbers, sizes, pairs in zip(ngrams.of(texts), ngrams.sizes(texts), ngrams.pairs, strict=True):
        reference = np.arange(len(sizes)).repeat(sizes)
        held, times = np.unique(numbers * len(sizes) + reference, return_counts=True)
        most = np.zeros(len(pairs), np.int64)
        np.maximum.at(most, held // len(sizes), times)
        found.append(most)
    return found


def _counts(predictions: Sequence[str], chunk: _Chunk) -> np.ndarray:
    ids, lengths = encode_known(predictions, _TOKENS, chunk.vocabulary)
    segments = np.arange(len(predictions))
    counts = np.zeros((len(predictions), 2 + 2 * MAX_ORDER), np.int64)
    counts[:, 0] = lengths
    closest = np.abs(chunk.lengths - lengths[:, None]).argmin(axis=1)  # the first of those as close, the shortest
    counts[:, 1] = chunk.lengths[segments, closest]
    slots = look_up(ids, lengths, segments, chunk.known, MAX_ORDER).slots
    # One prediction for each segment: the slots of n-grams that references have are their numbers.
    for order, (own, most, bounds) in enumerate(zip(slots, chunk.most, chunk.known.of_references, strict=False)):
        matches = running_total(np.minimum(occurrences(own, len(most)), most))
        counts[:, 2 + order] = matches[bounds[1:]] - matches[bounds[:-1]]
    counts[:, 2 + MAX_ORDER :] = np.maximum(lengths[:, None] - np.arange(MAX_ORDER), 0)
    return counts
