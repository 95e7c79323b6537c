"""The statistics of a corpus, from which its scores are computed, and states, which collect them batch by batch."""

import json
import pickle
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import prod
from numbers import Integral
from operator import methodcaller
from threading import Lock
from typing import Any

import numpy as np

from .aggregation import (
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
from .data_warnings import SariWarning, give_warnings
from .languages import is_code
from .messages import fault, short_repr
from .ngram_statistics import RATIO_PARTS, SegmentCounts, count_ngrams
from .significance import Resampling, Sample, check_resampling, resolve_resampling
from .text_checks import NO_TEXTS, TextSample, check_corpus, take_sample
from .tokenization import encode_corpus
from .validation import Columns, SystemColumns, check_flags, validate_columns
from .variants import CHANGES, OPERATIONS, OPTIONS, SCORES, VERSION, Variant

_CHECKSUM = sha256().digest_size


@dataclass(frozen=True, kw_only=True, eq=False)
class CorpusStatistics:
    """The statistics of scored segments. Those of parts merge to exactly those of the whole, in any order.

    Attributes:
        variant: by which segments are scored.
        keeps_sentences: whether the scores of every segment are kept.
        keeps_rows: whether the row of every segment is kept, from which resampling computes scores.
        sample: a sample of the texts.
        segments: the number of segments.
        totals: the exact sums of `aggregation.summands`; 0 where there are no segments.
        parts: float64[segment, ...] each: the rows if they are kept, else the scores if they are kept. A row is the
            counts of a segment or, at the level "sentence", its scores in percent.
    """

    variant: Variant
    keeps_sentences: bool = False
    keeps_rows: bool = False
    sample: TextSample = NO_TEXTS
    segments: int = 0
    totals: Any = 0
    parts: tuple[np.ndarray, ...] = ()

    def merge(self, other: "CorpusStatistics") -> "CorpusStatistics":
        """Return the statistics of the segments of both, in this order."""
        return replace(
            self,
            sample=self.sample.merge(other.sample),
            segments=self.segments + other.segments,
            totals=self.totals + other.totals,
            parts=self.parts + other.parts,
        )

    def including(self, counted: SegmentCounts) -> "CorpusStatistics":
        """Return the statistics with further segments, given their counts; `sample` has to have their texts already."""
        parts = self.parts
        if self.keeps_sentences or self.keeps_rows:
            parts += (counted.counts if self.keeps_counts else segment_scores(counted, self.variant),)
        return replace(
            self,
            segments=self.segments + len(counted.counts),
            totals=self.totals + exact_sums(summands(counted, self.variant)),
            parts=parts,
        )

    @property
    def signature(self) -> str:
        """The line that names every choice that the scores depend on."""
        return self.variant.signature(self.sample.nrefs)

    @property
    def copies_sources(self) -> bool:
        """Whether most predictions are copies of their sources."""
        return self.sample.mostly_copies()

    @property
    def keeps_counts(self) -> bool:
        """Whether `parts` are counts."""
        return self.keeps_rows and self.variant.level == "corpus"

    @property
    def part_shape(self) -> tuple[int, ...]:
        """The shape of a segment in `parts`."""
        return (self.variant.max_order, len(OPERATIONS), len(RATIO_PARTS)) if self.keeps_counts else (len(SCORES),)

    def with_numbers(self, data: bytes) -> "CorpusStatistics":
        """Return statistics of as many segments with the sums and the parts that a state was written with."""
        nothing = SegmentCounts(np.zeros((1, self.variant.max_order, len(OPERATIONS), len(RATIO_PARTS))))
        sums = exact_sums(summands(nothing, self.variant)).shape if self.segments else (0,)
        rows = (self.segments if self.keeps_sentences or self.keeps_rows else 0, *self.part_shape)
        size = 8 * (prod(sums) + prod(rows))
        if len(data) != size:
            raise ValueError(fault("data", f"a state with {len(data)} bytes of numbers", str(size)))
        totals = np.frombuffer(data, "<i8", prod(sums)).astype(np.int64).reshape(sums)
        part = np.frombuffer(data, "<f8", offset=8 * prod(sums)).astype(float).reshape(rows)
        if (totals < 0).any() or (totals > _LARGEST_SUM).any() or not np.isfinite(part).all() or (part < 0).any():
            raise ValueError(fault("data", "a state with numbers out of range", "counts, and scores in percent"))
        return replace(self, totals=totals if self.segments else 0, parts=(part,) if len(part) else ())

    def scores(self) -> Scores:
        """Return the four scores, in percent."""
        return named_scores(sari_scores(self._scored[1]))

    def orders(self) -> list[OrderFigures]:
        """Return the figures of each n-gram order, in percent."""
        figures, _ = self._scored
        scores = select_score(figures, self.variant)
        percent = 100 * np.concatenate([figures, scores[..., None]], axis=-1)
        rows: list[Any] = []
        for order, operations in enumerate(percent.tolist(), start=1):
            named = [dict(zip((*FIGURES, "score"), row, strict=True)) for row in operations]
            rows.append({"order": order, **dict(zip(OPERATIONS, named, strict=True))})
        return rows

    def sentences(self) -> SentenceScores:
        """Return the scores of each segment, scored alone; this needs `keeps_sentences`."""
        kept = np.concatenate([np.empty((0, *self.part_shape)), *self.parts])
        return named_scores((segment_scores(SegmentCounts(kept), self.variant) if self.keeps_counts else kept).T)

    def rows(self) -> np.ndarray:
        """Return the row of each segment, float64[segment, ...]; this needs `keeps_rows`."""
        if not self.keeps_rows:
            raise ValueError(fault("confidence", "a state without resampling=True", "one with it"))
        return np.concatenate(self.parts)

    def scores_of_sums(self, sums: np.ndarray, segments: int | np.ndarray | None = None) -> np.ndarray:
        """Return the four scores of sums of rows, float64[..., as a row], in percent: float64[..., 4].

        `segments` is the number of rows in each sum; None for the number of all segments.
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
        result: Any = self.scores()
        if resampling is not None and resampling.confidence is not None:
            sample = Sample(self.rows()[:, None], self.scores_of_sums, resampling.seed)  # of one system
            result.update(sample.named_intervals(SCORES, resampling)[0])
        if details:
            result["signature"] = self.signature
            result["orders"] = self.orders()
            if self.keeps_sentences:
                result["sentences"] = self.sentences()
        return result

    def warnings(self, resampling: Resampling | None = None) -> list[SariWarning]:
        """Return the warnings about data and variant, and about confidence intervals if they are wanted."""
        has_intervals = resampling is not None and resampling.confidence is not None
        return [*check_corpus(self.sample, self.variant), *(check_resampling(self.segments) if has_intervals else ())]

    @cached_property
    def _scored(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.segments:
            raise ValueError(fault("sources, predictions, references", "no segments", "at least one"))
        return score_totals(self.totals, self.segments, self.variant)


def score_corpus(
    counted: Iterable[SegmentCounts],
    variant: Variant,
    sample: TextSample,
    *,
    sentences: bool = False,
    rows: bool = False,
) -> CorpusStatistics:
    """Score segments from the counts of each chunk; `variant` is the one that they were counted by.

    `sentences` and `rows` say what to keep of every segment: see `keeps_sentences` and `keeps_rows`.
    """
    corpus = CorpusStatistics(variant=variant, keeps_sentences=sentences, keeps_rows=rows, sample=sample)
    for chunk in counted:
        corpus = corpus.including(chunk)
    return corpus


def score_systems(
    columns: SystemColumns, variant: Variant, *, sentences: bool = False, rows: bool = False
) -> dict[str, CorpusStatistics]:
    """Encode, count and score the checked texts of several systems; other arguments are those of `score_corpus`."""
    systems = {
        name: score_corpus((), variant, take_sample(*columns.of(name)), sentences=sentences, rows=rows)
        for name in columns.predictions
    }
    for tokens in encode_corpus(columns.sources, columns.references, columns.predictions.values(), variant):
        counted = count_ngrams(tokens, variant).of_systems(len(systems))
        systems = {name: systems[name].including(counts) for name, counts in zip(systems, counted, strict=True)}
    return systems


def score_columns(
    columns: Columns, variant: Variant, *, sentences: bool = False, rows: bool = False
) -> CorpusStatistics:
    """Encode, count and score checked texts, as `score_systems` does."""
    systems = SystemColumns(columns.sources, {"": columns.predictions}, columns.references)
    return score_systems(systems, variant, sentences=sentences, rows=rows)[""]


# ---- States ---------------------------------------------------------------------------------------------------------


class MadeByScorer:
    """What a method of a scorer makes. It is pickled as the call of that method, on a scorer of the same options.

    A class that `evaluate` loaded cannot be pickled by its name: another process knows it only after `evaluate.load`,
    which unpickling the scorer calls.
    """

    scorer: Any

    def _as_call(self, method: str, **arguments: Any) -> tuple[Any, ...]:
        """Return what `__reduce__` returns, given the name of the method and its arguments."""
        return methodcaller(method, **arguments), (self.scorer.with_options(),)


class State(MadeByScorer):
    """The statistics of the segments seen so far, for streams and shards.

    States of shards merge to exactly the state of the whole, in any order. A state can be pickled, and sent as bytes:
    see `to_bytes`. Unless `sentences` or `resampling` is set, its size does not depend on the number of segments.
    """

    def __init__(self, scorer: Any, statistics: CorpusStatistics):
        """Begin with statistics, of no segments at first; see `Scorer.state`."""
        self.scorer, self._statistics = scorer, statistics
        self._lock = Lock()  # several threads may update one state

    def __repr__(self) -> str:
        return f"State({self.scorer!r}, segments={self.segments})"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call("read_state", data=self.to_bytes())

    @property
    def segments(self) -> int:
        """How many segments were seen."""
        return self._statistics.segments

    def signature(self) -> str:
        """Return the line that names every choice that the scores depend on."""
        return self._statistics.signature

    def update(self, *, sources: Any, predictions: Any, references: Any) -> None:
        """Add segments; the arguments are those of `Scorer.compute`. A batch of no segments is allowed.

        Raises:
            ValueError: for bad input, in one line; no segment is added then.
        """
        columns = validate_columns(sources, predictions, references)
        kept = self._statistics
        self._add(score_columns(columns, kept.variant, sentences=kept.keeps_sentences, rows=kept.keeps_rows))

    def _add(self, statistics: CorpusStatistics) -> None:
        with self._lock:
            self._statistics = self._statistics.merge(statistics)

    def merge(self, other: "State") -> None:
        """Add the segments of another state of the same signature. Their sentence scores follow those of this state.

        Raises:
            TypeError: for what is not a state.
            ValueError: where signatures differ, or callables, or what is kept.
        """
        given: Any = other
        if not isinstance(given, State):
            if type(given).__name__ != State.__name__ or not hasattr(given, "to_bytes"):
                raise TypeError(fault("other", type(given).__name__, "a State"))
            other = read_state(given.to_bytes(), self.scorer)  # of another copy of the module
        mine, added = self._statistics, other._statistics
        for expected, part in zip(_parts_to_merge(mine), _parts_to_merge(added), strict=False):
            if part != expected:
                raise ValueError(fault("other", f"a state with {part}", expected))
        for name in CHANGES:
            one, another = getattr(mine.variant, name), getattr(added.variant, name)
            if one != another and _identity(one) != _identity(another):
                raise ValueError(fault("other", f"a state with another {name} of the same name", "the same one"))
        self._add(added)

    def compute(
        self,
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int | None = None,
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

        The bytes begin with a line of JSON: version, signature, options, and what warnings need. The sums follow as
        int64 and, if something of every segment is kept, this as float64, both in little-endian order. The SHA-256
        checksum of all this is at the end.
        """
        kept = self._statistics
        options = {"variant": kept.variant.name, **self.scorer.options}
        callables = [name for name, value in options.items() if is_code(value)]
        head = {
            "state": VERSION,
            "signature": kept.signature,
            "options": {name: value for name, value in options.items() if name not in callables},
            "callables": callables,
            "sentences": kept.keeps_sentences,
            "resampling": kept.keeps_rows,
            "segments": kept.segments,
            **kept.sample._asdict(),
            "nrefs": sorted(kept.sample.nrefs),
        }
        # The numbers that JSON does not know are those of numpy, as options.
        line = json.dumps(head, default=lambda number: int(number) if isinstance(number, Integral) else float(number))
        totals = np.asarray(kept.totals, "<i8").tobytes() if kept.segments else b""
        content = b"".join([line.encode(), b"\n", totals, *(part.astype("<f8").tobytes() for part in kept.parts)])
        return content + sha256(content).digest()

    def __copy__(self) -> "State":
        return State(self.scorer, self._statistics)  # neither is ever changed in place

    def __add__(self, other: "State") -> "State":
        """Return the state of the segments of both, as `merge` does, for `functools.reduce` and `sum`."""
        both = copy(self)
        both.merge(other)
        return both

    def __radd__(self, other: Any) -> "State":
        return copy(self) if other == 0 else NotImplemented  # `sum` begins with 0


def _parts_to_merge(statistics: CorpusStatistics) -> list[str]:
    """Return what has to be the same in statistics that merge: parts of the signature, and what is kept."""
    kept = [f"sentences={statistics.keeps_sentences}", f"resampling={statistics.keeps_rows}"]
    return [*statistics.variant.signature().split("|"), *kept]


def _identity(value: Any) -> Any:
    """Return what is equal for equal values of an option, also for copies of a callable from another process."""
    if code := getattr(value, "__code__", None):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return code.co_code, code.co_consts, code.co_names, value.__defaults__, cells
    try:
        return pickle.dumps(value)
    except Exception:  # whatever an object of somebody else raises
        return type(value)


def read_state(data: bytes, scorer: Any) -> State:
    """Return the state that `State.to_bytes` wrote; see `Scorer.read_state`."""
    given = bytes(data) if isinstance(data, bytes | bytearray | memoryview) else b""
    content, checksum = given[:-_CHECKSUM], given[-_CHECKSUM:]
    if sha256(content).digest() != checksum:
        raise ValueError(fault("data", "bytes that are not a complete state", "those of State.to_bytes"))
    line, _, body = content.partition(b"\n")
    head = _checked_head(line)
    # Code is never taken from the bytes, which may be somebody else's.
    code = [*head["callables"], *(name for name, value in head["options"].items() if is_code(value))]
    callables = {name: scorer.options.get(name) for name in code}
    for name, given_here in callables.items():
        if not is_code(given_here):
            wanted = f"the one that the state was made with: Scorer({name}=...).read_state(data)"
            raise ValueError(fault(name, short_repr(given_here), wanted))
    scorer = scorer.with_options(**{**dict.fromkeys(OPTIONS), **head["options"], **callables})
    texts = tuple((key, source, output, tuple(row)) for key, source, output, row in head["texts"])
    read = CorpusStatistics(
        variant=scorer.variant,
        keeps_sentences=head["sentences"],
        keeps_rows=head["resampling"],
        sample=TextSample(texts, tuple(head["empty"]), frozenset(head["nrefs"])),
        segments=head["segments"],
    )
    for got, wanted in zip(head["signature"].split("|"), read.signature.split("|"), strict=False):
        if got != wanted:
            raise ValueError(fault("data", f"a state with {short_repr(got)} in its signature", short_repr(wanted)))
    return State(scorer, read.with_numbers(body))


def _checked_head(line: bytes) -> dict[str, Any]:
    """Return the first line of a state, or refuse it: others may have written it."""
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict):
        raise ValueError(fault("data", "bytes that are not a state", "those of State.to_bytes"))
    if head.get("state") != VERSION:
        raise ValueError(fault("data", f"a state of version {short_repr(head.get('state'))}", f"one of {VERSION}"))
    for name, is_valid in _HEAD.items():
        if name not in head or not is_valid(head[name]):
            raise ValueError(
                fault("data", f"a state with {name} {short_repr(head.get(name))}", "what State.to_bytes writes")
            )
    _, *columns = zip(*head["texts"], strict=True) if head["texts"] else ([], [], [], [])
    validate_columns(*map(list, columns))
    segments, texts = head["segments"], len(head["texts"])
    if texts > segments or bool(segments) != bool(texts) or bool(segments) != bool(head["nrefs"]):
        raise ValueError(fault("data", f"a state of {segments} segments with {texts} sampled ones", "some of them"))
    return head


def _is_number(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < 1 << 53


def _is_text_row(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 4 and _is_number(row[0])


#: The largest number of a state: those of a billion segments are smaller, and several can be added without overflow.
_LARGEST_SUM = 1 << 60
#: What stands in the first line of a state, and whether a value can stand there.
_HEAD: dict[str, Callable[[Any], bool]] = {
    "signature": lambda value: isinstance(value, str),
    "options": lambda value: isinstance(value, dict) and value.keys() <= OPTIONS.keys(),
    "callables": lambda value: (
        isinstance(value, list) and all(name in ("tokenize", "sentence_splitter") for name in value)
    ),
    "sentences": lambda value: isinstance(value, bool),
    "resampling": lambda value: isinstance(value, bool),
    "segments": _is_number,
    "nrefs": lambda value: isinstance(value, list) and all(_is_number(number, least=1) for number in value),
    "texts": lambda value: isinstance(value, list) and all(map(_is_text_row, value)),
    "empty": lambda value: isinstance(value, list) and len(value) == 3 and all(map(_is_number, value)),
}
