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
from sari.lookups import Known, known_ngrams, look_up
from sari.ngrams import REFERENCES, Ngrams, Tokens, occurrences
from sari.ranges import ranges_of, running_total, sums_of_ranges
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
        most: how often the reference that has most of it has each n-gram.
    """

    vocabulary: Vocabulary
    lengths: np.ndarray
    known: Known
    most: np.ndarray


def _prepared(rows: Sequence[Sequence[str]]) -> _Chunk:
    ids, lengths, vocabulary = encode_to_know([(list(chain.from_iterable(rows)), _TOKENS)])
    nrefs = np.array(list(map(len, rows)), np.int64)
    no_source = np.zeros(len(rows), np.int64)
    ngrams, known = known_ngrams(Tokens(ids, np.concatenate([no_source, lengths]), nrefs), MAX_ORDER)
    columns = np.minimum(np.arange(nrefs.max()), nrefs[:, None] - 1)
    by_reference = lengths[columns + running_total(nrefs)[:-1, None]]
    return _Chunk(vocabulary, np.sort(by_reference, axis=1), known, _most(ngrams))


def _most(ngrams: Ngrams) -> np.ndarray:
    """Return how often each n-gram occurs in the reference that has most of it."""
    most = np.zeros(ngrams.distinct, np.int64)
    for order, sizes in enumerate(ngrams.sizes(ngrams.tokens.references), start=1):
        reference = np.arange(len(sizes)).repeat(sizes)
        held, times = np.unique(ngrams.of_order(order, REFERENCES) * len(sizes) + reference, return_counts=True)
        np.maximum.at(most, held // len(sizes), times)
    return most


def _counts(predictions: Sequence[str], chunk: _Chunk) -> np.ndarray:
    ids, lengths = encode_known(predictions, _TOKENS, chunk.vocabulary)
    segments = np.arange(len(predictions))
    counts = np.zeros((len(predictions), 2 + 2 * MAX_ORDER), np.int64)
    counts[:, 0] = lengths
    closest = np.abs(chunk.lengths - lengths[:, None]).argmin(axis=1)  # the first of those as close, the shortest
    counts[:, 1] = chunk.lengths[segments, closest]
    predicted, _ = look_up(ids, lengths, segments, chunk.known, MAX_ORDER)
    # One prediction for each segment: the slots of n-grams that references have are their numbers.
    matches = np.minimum(occurrences(predicted.slots, len(chunk.most)), chunk.most)
    in_references = predicted.others[0]
    sums = sums_of_ranges([matches], ranges_of(in_references.ravel())).reshape(in_references.shape)
    counts[:, 2 : 2 + len(sums)] = sums.T
    counts[:, 2 + MAX_ORDER :] = np.maximum(lengths[:, None] - np.arange(MAX_ORDER), 0)
    return counts
