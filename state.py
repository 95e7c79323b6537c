"""The statistics of a corpus, from which its scores are computed, and states, which collect them batch by batch."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Integral
from operator import methodcaller
from typing import Any, cast

import numpy as np

from .data_warnings import NO_TEXTS, TextSample, check_corpus, check_resampling, give_warnings, take_sample
from .ngram_statistics import SegmentCounts, count_copies, count_ngrams
from .scores import (
    FIGURES,
    OrderFigures,
    Result,
    Scores,
    SentenceScores,
    exact_sums,
    exact_value,
    named_scores,
    sari_scores,
    score_counts,
    score_totals,
    segment_scores,
    select_score,
    summands,
)
from .significance import RESAMPLES, Resampling, Sample, resolve_resampling
from .tokenization import encode_corpus
from .validation import Columns, shown, validate_columns
from .variants import OPERATIONS, OPTIONS, SCORES, VERSION, Variant, check_flags, resolve_variant

_NO_SEGMENTS = "sources, predictions, references: got no segments, wanted at least one"
_NO_STATE = "data: got bytes that are not a complete state, wanted those of State.to_bytes"


@dataclass(frozen=True, kw_only=True, eq=False)
class CorpusStatistics:
    """The statistics of scored segments. Those of parts merge to exactly those of the whole, in any order.

    Attributes:
        variant: by which segments are scored.
        keeps_sentences: whether the scores of every segment are kept.
        keeps_rows: whether the row of every segment is kept, from which resampling computes scores.
        sample: a sample of the texts.
        segments: the number of segments.
        copies: how many predictions have exactly the n-grams of their sources.
        totals: the exact sums of `scores.summands`; 0 where there are no segments.
        parts: float64[segment, ...] each: the rows if they are kept, else the scores if they are kept. A row is the
            counts of a segment or, at the level "sentence", its scores in percent.
    """

    variant: Variant
    keeps_sentences: bool = False
    keeps_rows: bool = False
    sample: TextSample = NO_TEXTS
    segments: int = 0
    copies: int = 0
    totals: Any = 0
    parts: tuple[np.ndarray, ...] = ()

    def merge(self, other: "CorpusStatistics") -> "CorpusStatistics":
        """Return the statistics of the segments of both, in this order."""
        return replace(
            self,
            sample=self.sample.merge(other.sample),
            segments=self.segments + other.segments,
            copies=self.copies + other.copies,
            totals=self.totals + other.totals,
            parts=self.parts + other.parts,
        )

    @property
    def signature(self) -> str:
        """The line that names every choice behind the scores."""
        return self.variant.signature(self.sample.nrefs)

    @property
    def options(self) -> dict[str, Any]:
        """The options of a state with these statistics, by name."""
        return {**self.variant.options, "sentences": self.keeps_sentences, "resampling": self.keeps_rows}

    @property
    def keeps_counts(self) -> bool:
        """Whether `parts` are counts."""
        return self.keeps_rows and self.variant.level == "corpus"

    @property
    def part_shape(self) -> tuple[int, ...]:
        """The shape of a segment in `parts`."""
        return (self.variant.max_order, len(OPERATIONS), 4) if self.keeps_counts else (len(SCORES),)

    def scores(self) -> Scores:
        """Return the four scores, in percent."""
        return named_scores(sari_scores(self._scored[1]))

    def orders(self) -> list[OrderFigures]:
        """Return the figures of each n-gram order, in percent."""
        figures, _ = self._scored
        scores = select_score(figures, self.variant)
        percent = 100 * np.concatenate([figures, scores[..., None]], axis=-1)
        names = (*FIGURES, "score")
        rows: Any = [
            {
                "order": order,
                **{name: dict(zip(names, row, strict=True)) for name, row in zip(OPERATIONS, rows, strict=True)},
            }
            for order, rows in enumerate(percent.tolist(), start=1)
        ]
        return rows

    def sentences(self) -> SentenceScores:
        """Return the scores of each segment, scored alone; this needs `keeps_sentences`."""
        kept = np.concatenate([np.empty((0, *self.part_shape)), *self.parts])
        return named_scores((segment_scores(SegmentCounts(kept), self.variant) if self.keeps_counts else kept).T)

    def rows(self) -> np.ndarray:
        """Return the row of each segment, float64[segment, ...]; this needs `keeps_rows`."""
        if not self.keeps_rows:
            raise ValueError("confidence: got a state without resampling=True, wanted one with it")
        return np.concatenate(self.parts)

    def scores_of_sums(self, sums: np.ndarray, segments: int | np.ndarray | None = None) -> np.ndarray:
        """Return the four scores of sums of rows, in percent: float64[..., 4].

        Args:
            sums: float64[..., as a row].
            segments: the number of rows in each sum; None for the number of all segments.
        """
        if self.variant.level == "corpus":
            return sari_scores(score_counts(sums, self.variant)[1])
        return sums / (self.segments if segments is None else segments)

    def scores_of(self, places: Sequence[int]) -> Scores:
        """Return the four scores of some of the segments; this needs `keeps_rows`."""
        sums = exact_value(exact_sums(self.rows()[places]))
        return named_scores(self.scores_of_sums(sums, segments=len(places)))

    def result(self, *, details: bool = False, resampling: Resampling | None = None) -> Result:
        """Return the scores, with details and confidence intervals if they are wanted."""
        scores = self.scores()
        result = Result(sari=scores["sari"], keep=scores["keep"], delete=scores["delete"], add=scores["add"])
        confidence = None if resampling is None else resampling.confidence
        if resampling is not None and confidence is not None and len(rows := self.rows()[:, None]) > 1:
            intervals = Sample(rows, self.scores_of_sums, resampling.seed).intervals(resampling)
            result["confidence_intervals"] = named_scores(intervals[:, 0].T)
        if details:
            result["signature"] = self.signature
            result["orders"] = self.orders()
            if self.keeps_sentences:
                result["sentences"] = self.sentences()
        return result

    def warnings(self, resampling: Resampling | None = None) -> list[Warning]:
        """Return the warnings about data and variant, and about confidence intervals if they are wanted."""
        intervals = resampling is not None and resampling.confidence is not None
        return [
            *check_corpus(
                self.sample,
                self.variant,
                segments=self.segments,
                copies=self.copies,
                sari=self.scores()["sari"],
            ),
            *check_resampling(self.segments, intervals=intervals, tests=False),
        ]

    @cached_property
    def _scored(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.segments:
            raise ValueError(_NO_SEGMENTS)
        return score_totals(self.totals, self.segments, self.variant)


def score_corpus(
    counted: Iterable[SegmentCounts],
    variant: Variant,
    sample: TextSample,
    *,
    sentences: bool = False,
    rows: bool = False,
) -> CorpusStatistics:
    """Score counted segments.

    Args:
        counted: the counts of segments, chunk by chunk.
        variant: by which they were counted.
        sample: a sample of their texts.
        sentences, rows: what to keep of every segment: see `keeps_sentences` and `keeps_rows`.
    """
    corpus = CorpusStatistics(variant=variant, keeps_sentences=sentences, keeps_rows=rows, sample=sample)
    for chunk in counted:
        if sentences or rows:
            part = chunk.counts if corpus.keeps_counts else segment_scores(chunk, variant)
            corpus = replace(corpus, parts=(*corpus.parts, part))
        corpus = replace(
            corpus,
            segments=corpus.segments + len(chunk.counts),
            copies=corpus.copies + count_copies(chunk.counts),
            totals=corpus.totals + exact_sums(summands(chunk, variant)),
        )
    return corpus


def score_columns(
    columns: Columns, variant: Variant, *, sentences: bool = False, rows: bool = False
) -> CorpusStatistics:
    """Encode, count and score checked texts; other arguments are those of `score_corpus`."""
    chunks = encode_corpus(columns.sources, columns.references, columns.predictions, variant)
    counted = (count_ngrams(tokens, variant) for tokens in chunks)
    return score_corpus(counted, variant, take_sample(*columns), sentences=sentences, rows=rows)


# ---- States ---------------------------------------------------------------------------------------------------------


class State:
    """The statistics of the segments seen so far, for streams and shards.

    States of shards merge to exactly the state of the whole, in any order. A state can be pickled, and sent as bytes:
    see `to_bytes`. Unless `sentences` or `resampling` is set, its size does not depend on the number of segments.
    """

    def __init__(
        self,
        variant: Variant,
        *,
        sentences: bool = False,
        resampling: bool = False,
        pickle_factory: Callable[[], Any] | None = None,
    ):
        """Make an empty state; see `Scorer.state`.

        Args:
            variant: how to score.
            sentences, resampling: see `Scorer.state`.
            pickle_factory: a function that returns, in the process that unpickles the state, an object with the method
                `read_state`; None for the function of this module.
        """
        check_flags(sentences=sentences, resampling=resampling)
        self._statistics = CorpusStatistics(variant=variant, keeps_sentences=sentences, keeps_rows=resampling)
        self._pickle_factory = pickle_factory

    @property
    def segments(self) -> int:
        """How many segments were seen."""
        return self._statistics.segments

    @property
    def signature(self) -> str:
        """The line that names every choice behind the scores."""
        return self._statistics.signature

    def update(self, *, sources: Any, predictions: Any, references: Any) -> None:
        """Add segments; the arguments are those of `Scorer.compute`. A batch of no segments is allowed.

        Raises:
            ValueError: for bad input, in one line; no segment is added then.
        """
        columns = validate_columns(sources, predictions, references)
        kept = self._statistics
        scored = score_columns(columns, kept.variant, sentences=kept.keeps_sentences, rows=kept.keeps_rows)
        self._statistics = kept.merge(scored)

    def merge(self, other: "State") -> None:
        """Add the segments of another state of the same options. Their sentence scores follow those of this state.

        Raises:
            TypeError: for what is not a state.
            ValueError: where the options differ.
        """
        given: Any = other
        if not isinstance(given, State):
            if type(given).__name__ != State.__name__ or not hasattr(given, "to_bytes"):
                raise TypeError(f"other: got {type(given).__name__}, wanted a State")
            other = read_state(given.to_bytes(), **given._statistics.variant.callables)  # of another copy of the module
        own, theirs = self._statistics, other._statistics
        wanted = own.options
        for name, value in theirs.options.items():
            if value != wanted[name]:
                raise ValueError(f"other: got a state with {name}={shown(value)}, wanted {shown(wanted[name])}")
        self._statistics = own.merge(theirs)

    def compute(
        self,
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int = RESAMPLES,
        seed: int = 12345,
    ) -> Result:
        """Return the scores of all segments so far, as `Scorer.compute` does.

        Sentence scores are among the details only if the state was made with `sentences=True`; intervals need a state
        made with `resampling=True`.

        Raises:
            ValueError: if there are no segments.
        """
        check_flags(details=details)
        resampling = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
        result = self._statistics.result(details=details, resampling=resampling)
        give_warnings(self._statistics.warnings(resampling))
        return result

    def to_bytes(self) -> bytes:
        """Return the state as bytes that any machine can read: see `Scorer.read_state`.

        The bytes begin with a line of JSON that has version and signature. If the state keeps something of every
        segment, float64 numbers in little-endian order follow.
        """
        kept = self._statistics
        callables = kept.variant.callables
        head = {
            "state": VERSION,
            "signature": self.signature,
            "options": {name: value for name, value in kept.variant.options.items() if name not in callables},
            "keeps": [kept.keeps_sentences, kept.keeps_rows],
            "segments": kept.segments,
            "copies": kept.copies,
            "sample": [kept.sample.pairs, kept.sample.empty, sorted(kept.sample.nrefs)],
            "totals": np.asarray(kept.totals).tolist(),
        }
        line = json.dumps(head, default=lambda number: int(number) if isinstance(number, Integral) else float(number))
        return b"".join([line.encode(), b"\n", *(part.astype("<f8").tobytes() for part in kept.parts)])

    def __copy__(self) -> "State":
        copied = State.__new__(State)
        copied.__dict__.update(self.__dict__)  # what they hold is never changed in place
        return copied

    def __deepcopy__(self, _memo: dict[int, Any]) -> "State":
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        factory, callables = self._pickle_factory, self._statistics.variant.callables
        if factory is None:
            return partial(read_state, **cast(Any, callables)), (self.to_bytes(),)
        return pickled_call(factory, "read_state", self.to_bytes(), **callables)


def read_state(data: bytes, *, pickle_factory: Callable[[], Any] | None = None, **callables: Any) -> State:
    """Return the state that `State.to_bytes` wrote; see `Scorer.read_state`."""
    try:
        line, _, body = bytes(data).partition(b"\n")
        head = json.loads(line)
        made_by, signature, options = head["state"], head["signature"].split("|"), dict(head["options"])
        keeps_sentences, keeps_rows = head["keeps"]
        if not options.keys() <= OPTIONS.keys() or {type(keeps_sentences), type(keeps_rows)} != {bool}:
            raise ValueError(_NO_STATE)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(_NO_STATE) from None
    if made_by != VERSION:
        raise ValueError(f"data: got a state of version {shown(made_by)}, wanted one of {VERSION}")
    given = {name: value for name, value in callables.items() if value is not None}
    lacking = sorted(OPTIONS.keys() - options.keys() - given.keys())
    if not {"tokenize", "sentence_splitter"}.issuperset(lacking):
        raise ValueError(_NO_STATE)
    if lacking:
        raise ValueError(f"{lacking[0]}: got None, wanted the callable that the state was made with")
    variant = resolve_variant(**{**options, **given})
    state = State(variant, sentences=keeps_sentences, resampling=keeps_rows, pickle_factory=pickle_factory)
    try:
        state._statistics = _unpacked(head, body, state._statistics)
    except (ValueError, KeyError, TypeError, OverflowError, IndexError):
        raise ValueError(_NO_STATE) from None
    for got, wanted in zip(signature, state.signature.split("|"), strict=False):
        if got != wanted:
            raise ValueError(f"data: got a state with {shown(got)} in its signature, wanted {shown(wanted)}")
    return state


def _unpacked(head: Mapping[str, Any], body: bytes, empty: CorpusStatistics) -> CorpusStatistics:
    """Return the statistics in the bytes of a state; malformed ones raise errors of several types."""
    segments, copies, variant = head["segments"], head["copies"], empty.variant
    of_counts = (variant.max_order, len(OPERATIONS), 4)
    of_figures = (variant.max_order * len(OPERATIONS) * len(FIGURES) + len(OPERATIONS),)
    totals = np.array(head["totals"])
    wanted = (3, *(of_counts if variant.level == "corpus" else of_figures)) if segments else ()
    of_one_kind = {type(segments), type(copies)} == {int} and totals.dtype == np.int64
    if not of_one_kind or not 0 <= copies <= segments or totals.shape != wanted or (totals < 0).any():
        raise ValueError(_NO_STATE)
    kept = segments if empty.keeps_sentences or empty.keeps_rows else 0
    numbers = np.frombuffer(body, "<f8").astype(float).reshape(kept, *empty.part_shape)
    pairs, without_text, nrefs = head["sample"]
    texts: list[Any] = [tuple(validate_columns(*pair)) for pair in pairs]
    sample = TextSample(texts, int(without_text), frozenset(map(int, nrefs)))
    return replace(
        empty,
        sample=sample,
        segments=segments,
        copies=copies,
        totals=totals if segments else 0,
        parts=(numbers,) if kept else (),
    )


class _Made:
    """An object in whose place a factory makes another one when it is unpickled."""

    def __init__(self, factory: Callable[[], Any]):
        self._factory = factory

    def __reduce__(self) -> tuple[Any, ...]:
        return self._factory, ()


def pickled_call(factory: Callable[[], Any], method: str, *arguments: Any, **options: Any) -> tuple[Any, ...]:
    """Return the value of `__reduce__` for an object that a method of a scorer makes.

    Args:
        factory: a function that returns the scorer, in the process that unpickles the object.
        method: the name of the method.
        arguments, options: the arguments of the method.
    """
    return methodcaller(method, *arguments, **options), (_Made(factory),)
