"""States, which collect the statistics of segments for streams and shards, and their bytes."""

import json
import pickle
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from itertools import chain, zip_longest
from math import prod
from numbers import Integral
from operator import methodcaller, ne
from threading import Lock
from types import FunctionType
from typing import Any, Literal, overload

import numpy as np

from .aggregation import DetailedResult, Result, SentenceScores, SignedResult
from .corpus_statistics import LARGEST_SUMMAND, MOST_SEGMENTS, CorpusStatistics, score_columns
from .data_warnings import give_warnings
from .languages import is_code
from .messages import RefusedTypeError, RefusedValueError, count_of, fault, short_repr
from .ngram_statistics import RATIO_PARTS, SegmentCounts
from .significance import SEED, resolve_resampling
from .text_checks import TEXT_COLUMNS, TextSample, layout_warnings
from .validation import Columns, check_flags, columns_of_batch, common_number, validate_columns, validate_texts
from .variants import OPERATIONS, OPTIONS, VERSION

_CHECKSUM = sha256().digest_size
#: The options that may be Python code.
_FUNCTIONS = [name for name, option in OPTIONS.items() if option.kind == "function"]


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

    The scores of merged states are exactly those of the whole, in any order. What is kept of every segment, with
    `sentences` or `resampling`, stands in the order of the names of shards or, without names, in the order of merging.
    Intervals depend on this order. Unless one of both is set, the size of a state does not depend on the number of
    segments. A state can be pickled, and sent as bytes: see `to_bytes`.
    """

    def __init__(self, scorer: Any, statistics: CorpusStatistics):
        """Begin with statistics, of no segments at first; see `Scorer.state`."""
        self.scorer: Any = scorer
        self._statistics = statistics
        self._lock = Lock()  # several threads may update one state

    def __repr__(self) -> str:
        shards = f", shards={len(self.shards)}" if self.shards else ""
        return f"State({self.scorer!r}, segments={self.segments}{shards})"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call("read_state", data=self.to_bytes())

    @property
    def segments(self) -> int:
        """How many segments were seen."""
        return self._statistics.segments

    @property
    def shards(self) -> dict[str, int]:
        """How many segments were seen of each shard, by its name; numbers in names are sorted as numbers."""
        return self._statistics.shards_in_order()

    def signature(self) -> str:
        """Return the line that names every choice that the scores depend on."""
        return self._statistics.signature()

    def update(self, *, sources: Any, predictions: Any, references: Any, ids: Any = None) -> None:
        """Add segments. A batch of no segments is allowed.

        Args:
            sources, predictions, references: as in `Scorer.compute`.
            ids: what errors call the segments: their numbers in a file, for example, or a column of names. None for
                their numbers in the batch, from 0.

        Raises:
            ValueError: for bad input, in one line; no segment is added then. Also after other shards were merged.
        """
        columns = validate_columns(sources, predictions, references, ids=ids)
        self._add_batch(columns, sentences=self._statistics.keeps_sentences)

    def score_batch(self, batch: Mapping[str, Any], ids: Any = None) -> SentenceScores:
        """Add the rows of a batch, and return the scores of each row alone, as `Scorer.score_batch` does.

        Args:
            batch: columns "sources", "predictions" and "references".
            ids: as in `update`.
        """
        columns = validate_columns(*columns_of_batch(batch), ids=ids)
        return self._add_batch(columns, sentences=True).sentences()

    def _add_batch(self, columns: Columns, *, sentences: bool) -> CorpusStatistics:
        """Add checked texts, and return their statistics, with the scores of each segment if these are wanted."""
        ours = self._statistics
        scored = score_columns(columns, ours.variant, sentences=sentences, rows=ours.keeps_rows)
        batch = scored if ours.keeps_sentences else replace(scored, keeps_sentences=False, sentence_parts=())
        with self._lock:
            names = list(self._statistics.shards)
            if len(names) > 1:
                got = f"a batch after {count_of(len(names), 'shard')} were merged"
                raise RefusedValueError(fault("state", got, "it before, in the state of its shard"))
            merged = self._statistics.merge(batch)
            self._statistics = replace(merged, shards=dict.fromkeys(names, merged.segments))
        give_warnings(layout_warnings(columns.sources, columns.references))
        return scored

    def merge(self, other: "State") -> None:
        """Add the segments of another state of the same signature.

        Raises:
            TypeError: for what is not a state.
            ValueError: where signatures differ, or what is kept, or callables that differ or cannot be compared; for a
                shard that was merged before; and where only one of both has names of shards.
        """
        theirs = _statistics_of("other", other)
        with self._lock:
            _check_mergeable("other", theirs, self._statistics)
            self._statistics = self._statistics.merge(theirs)

    @overload
    def compute(
        self,
        *,
        details: Literal[False] = ...,
        confidence: None = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> Result: ...

    @overload
    def compute(
        self,
        *,
        details: Literal[True],
        confidence: float | None = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> DetailedResult: ...

    @overload
    def compute(
        self,
        *,
        details: bool = ...,
        confidence: float,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> DetailedResult: ...

    @overload
    def compute(
        self,
        *,
        details: bool = ...,
        confidence: float | None = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> Result | DetailedResult: ...

    def compute(
        self,
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int | None = None,
        seed: int = SEED,
    ) -> Any:
        """Return the scores of all segments so far, as `Scorer.compute` does.

        Sentence scores are among the details only if the state was made with `sentences=True`; intervals need a state
        made with `resampling=True`.

        Raises:
            ValueError: if there are no segments.
        """
        check_flags(details=details)
        resampling = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
        if resampling.has_intervals and not self._statistics.keeps_rows:
            raise RefusedValueError(fault("confidence", "a state without resampling=True", "one with it"))
        statistics = self._statistics.in_order()
        result = statistics.result(details=details, resampling=resampling)
        give_warnings(statistics.warnings(resampling))
        signed: Any = SignedResult(result, statistics.signature())
        return signed

    def to_bytes(self) -> bytes:
        """Return the state as bytes that any machine can read: see `Scorer.read_state`.

        The bytes begin with a line of JSON: version, signature, options, shards, and what warnings need. The sums
        follow as int64 and, if something of every segment is kept, this as float64, both in little-endian order. The
        SHA-256 checksum of all this is at the end. Shards with names, merged in any order, have the same bytes.
        """
        statistics = self._statistics.in_order()
        options = {"variant": statistics.variant.name, **self.scorer.options}
        callables = [name for name, value in options.items() if is_code(value)]
        head = {
            "state": VERSION,
            "signature": statistics.signature(),
            "options": {name: value for name, value in options.items() if name not in callables},
            "callables": callables,
            "sentences": statistics.keeps_sentences,
            "resampling": statistics.keeps_rows,
            "segments": statistics.segments,
            "shards": list(statistics.shards.items()),
            **statistics.sample._asdict(),
            "nrefs": sorted(statistics.sample.nrefs),
        }
        # The numbers that JSON does not know are those of numpy, as options.
        line = json.dumps(head, default=lambda number: int(number) if isinstance(number, Integral) else float(number))
        totals = np.asarray(statistics.totals, "<i8").tobytes() if statistics.segments else b""
        parts = (part.astype("<f8").tobytes() for part in statistics.sentence_parts + statistics.row_parts)
        content = b"".join([line.encode(), b"\n", totals, *parts])
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


def merge_states(states: Iterable[State | bytes], scorer: Any) -> State:
    """Return the state of the segments of any number of states: see `Scorer.merge_states`."""
    merged = None
    for place, state in enumerate(_read_bytes(one, scorer) for one in states):
        if merged is None:
            _statistics_of(f"states[{place}]", state)  # refuses what is no state
            merged = copy(state)
        else:
            merged.merge(state)
    return scorer.state() if merged is None else merged


def _read_bytes(state: Any, scorer: Any) -> Any:
    """Return the state that bytes hold; anything else as it is."""
    return read_state(state, scorer) if isinstance(state, bytes | bytearray | memoryview) else state


def statistics_of_systems(states: Mapping[str, Any], scorer: Any) -> dict[str, CorpusStatistics]:
    """Return the statistics of systems, by name, from their states, whose segments have the same sources.

    Raises:
        TypeError: for what is not a state.
        ValueError: where options, shards, numbers of segments or references, or sampled sources differ.
    """
    if not isinstance(states, Mapping) or not states:
        raise RefusedValueError(fault("states", short_repr(states), "a dict of names and states"))
    systems = {}
    for name, state in states.items():
        place = f"states[{short_repr(name)}]"
        statistics = systems[name] = _statistics_of(place, _read_bytes(state, scorer)).in_order()
        first = next(iter(systems.values()))
        _check_same_options(place, statistics, first)
        _check_same(place, _segments_in_words(statistics), _segments_in_words(first))
        keys, others = (sorted({key for key, *_ in corpus.sample.texts}) for corpus in (statistics, first))
        if any(map(ne, keys, others)):  # with several outputs of a source, a sample has fewer sources than the other
            raise RefusedValueError(fault(place, "a state of other sources", "those of the first system"))
    return systems


def _segments_in_words(statistics: CorpusStatistics) -> list[str]:
    shards = [f"{count} in shard {name}" for name, count in statistics.shards.items()]
    nrefs = common_number(statistics.sample.nrefs)
    return [count_of(statistics.segments, "segment"), *shards, f"references: {nrefs}"]


def _statistics_of(name: str, state: Any) -> CorpusStatistics:
    """Return the statistics of a state, also of one of another copy of this module, as a loaded metric has it."""
    statistics = getattr(state, "_statistics", None)
    if statistics is None:
        raise RefusedTypeError(fault(name, type(state).__name__, "a State"))
    return statistics


def _check_mergeable(name: str, other: CorpusStatistics, ours: CorpusStatistics) -> None:
    """Refuse statistics that cannot be added to others."""
    _check_same_options(name, other, ours)
    if bool(other.shards) != bool(ours.shards) and other.segments and ours.segments:
        raise RefusedValueError(fault(name, "shards of which only some have names", "a name for each, or for none"))
    if again := other.shards.keys() & ours.shards.keys():
        raise RefusedValueError(fault(name, f"shard {short_repr(min(again))} a second time", "each shard once"))


def _check_same_options(name: str, got: CorpusStatistics, expected: CorpusStatistics) -> None:
    _check_same(name, _description(got), _description(expected))
    for option in _FUNCTIONS:
        if not _is_same(getattr(expected.variant, option), getattr(got.variant, option)):
            raise RefusedValueError(
                fault(name, f"a state whose {option} differs or cannot be compared", "the same one")
            )


def _description(statistics: CorpusStatistics) -> list[str]:
    """Return what has to be the same in statistics that merge: parts of the signature, and what is kept."""
    kept = [f"sentences={statistics.keeps_sentences}", f"resampling={statistics.keeps_rows}"]
    return [*statistics.variant.signature().split("|"), *kept]


def _check_same(name: str, got: list[str], expected: list[str]) -> None:
    """Refuse a state by the first part of its signature or description that is not as expected."""
    for part, wanted in zip_longest(got, expected, fillvalue=""):
        if part != wanted:
            raise RefusedValueError(fault(name, f"a state with {short_repr(part)}", short_repr(wanted)))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two callables, or what they hold, are equal, or copies of one from different processes.

    The signature does not tell apart functions without a name of their own, such as lambdas. Functions are compared by
    code, defaults and closures, but not by the values of global names; other objects, also those of bound methods, by
    their pickles. What cannot be compared is not the same.
    """
    with suppress(Exception):  # whatever an object of somebody else raises
        if one == other:
            return True
    with suppress(Exception):
        if isinstance(one, FunctionType):
            return all(map(_is_same, _code_and_data(one), _code_and_data(other)))
        return pickle.dumps(one) == pickle.dumps(other)
    return False


def _code_and_data(function: FunctionType) -> list[Any]:
    code = function.__code__.replace(co_firstlineno=1, co_linetable=b"")  # wherever it is written
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [code, function.__defaults__, function.__kwdefaults__, *cells]


def read_state(data: Any, scorer: Any) -> State:
    """Return the state that `State.to_bytes` wrote; see `Scorer.read_state`."""
    data = bytes(data) if isinstance(data, bytes | bytearray | memoryview) else b""
    content, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
    if sha256(content).digest() != checksum:
        raise RefusedValueError(fault("data", "bytes that are not a complete state", "those of State.to_bytes"))
    line, _, body = content.partition(b"\n")
    head = _checked_head(line)
    # Code is never taken from the bytes, which may be somebody else's.
    code = [*head["callables"], *(name for name, value in head["options"].items() if is_code(value))]
    callables = {name: scorer.options.get(name) for name in code}
    for name, value in callables.items():
        if not is_code(value):
            wanted = f"the one that the state was made with: Scorer({name}=...).read_state(data)"
            raise RefusedValueError(fault(name, short_repr(value), wanted))
    scorer = scorer.with_options(**{**dict.fromkeys(OPTIONS), **head["options"], **callables})
    empty = CorpusStatistics(
        variant=scorer.variant,
        keeps_sentences=head["sentences"],
        keeps_rows=head["resampling"],
        sample=_checked_sample(head),
        shards=dict(head["shards"]),
    )
    _check_same("data", head["signature"].split("|"), empty.signature().split("|"))
    return State(scorer, _with_numbers(empty, head["segments"], body))


def _with_numbers(empty: CorpusStatistics, segments: int, data: bytes) -> CorpusStatistics:
    """Return statistics of so many segments with their numbers, in the order in which `State.to_bytes` writes them."""
    counts = np.zeros((1, empty.variant.max_order, len(OPERATIONS), len(RATIO_PARTS)))
    one = empty.with_counts(SegmentCounts(counts))  # a segment without n-grams, whose numbers have the same shapes
    kept = one.sentence_parts + one.row_parts
    shapes = [one.totals.shape if segments else (0,), *((segments, *part.shape[1:]) for part in kept)]
    size = 8 * sum(map(prod, shapes))
    if len(data) != size:
        raise RefusedValueError(fault("data", f"a state with {len(data)} bytes of numbers", str(size)))
    stream = BytesIO(data)
    totals = _read_numbers(stream, "<i8", shapes[0], most=segments * LARGEST_SUMMAND)
    parts = tuple(_read_numbers(stream, "<f8", shape, most=LARGEST_SUMMAND) for shape in shapes[1:])
    of_sentences = len(one.sentence_parts)
    return replace(
        empty,
        segments=segments,
        totals=totals if segments else 0,
        sentence_parts=parts[:of_sentences],
        row_parts=parts[of_sentences:],
    )


def _read_numbers(stream: BytesIO, kind: str, shape: tuple[int, ...], most: int) -> np.ndarray:
    """Read numbers in little-endian order as those of this machine."""
    numbers = np.frombuffer(stream.read(8 * prod(shape)), kind).reshape(shape)
    if not ((numbers >= 0) & (numbers <= most)).all():
        raise RefusedValueError(fault("data", "a state with numbers out of range", "counts, and scores in percent"))
    return numbers.astype(numbers.dtype.newbyteorder("="))


def _checked_head(line: bytes) -> dict[str, Any]:
    """Return the first line of a state, or refuse it: others may have written it."""
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict):
        raise RefusedValueError(fault("data", "bytes that are not a state", "those of State.to_bytes"))
    if head.get("state") != VERSION:
        raise RefusedValueError(
            fault("data", f"a state of version {short_repr(head.get('state'))}", f"one of {VERSION}")
        )
    for name, is_valid in _HEAD.items():
        if name not in head or not is_valid(head[name]):
            raise RefusedValueError(
                fault("data", f"a state with {name} {short_repr(head.get(name))}", "what State.to_bytes writes")
            )
    segments, shards = head["segments"], dict(head["shards"])
    if head["shards"] and (sum(shards.values()) != segments or len(shards) != len(head["shards"])):
        raise RefusedValueError(
            fault("data", f"a state of {count_of(segments, 'segment')} with other shards", "their shards")
        )
    return head


def _checked_sample(head: dict[str, Any]) -> TextSample:
    """Return the sample in the first line of a state, or refuse one that no texts have."""
    texts = tuple((key, source, output, tuple(row)) for key, source, output, row in head["texts"])
    ends, missing = (tuple(tuple(row) for row in head[name]) for name in ("ends", "missing"))
    sample, segments = TextSample(texts, ends, missing, frozenset(head["nrefs"])), head["segments"]
    parts = [segments, texts, ends, sample.nrefs]  # a state has all of them, or none
    if len(texts) > segments or any(parts) != all(parts):
        got = f"a state of {count_of(segments, 'segment')} with {len(texts)} sampled ones"
        raise RefusedValueError(fault("data", got, "some of them"))
    if not sample.is_possible():
        raise RefusedValueError(fault("data", "a state with texts that are no sample", "what State.to_bytes writes"))
    return sample


def _is_number(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < 1 << 53


def _is_shard(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and _is_number(row[1])


def _are_rows(rows: Any, *kinds: type) -> bool:
    """Return whether something is a list of rows, as JSON has them, of whole numbers, texts and lists of texts."""
    if not isinstance(rows, list) or any(not isinstance(row, list) or [*map(type, row)] != [*kinds] for row in rows):
        return False
    values = list(chain.from_iterable(rows))
    lists = [value for value in values if isinstance(value, list)]
    texts = [value for value in values if isinstance(value, str)]
    with suppress(RefusedValueError, RefusedTypeError):
        validate_texts("texts", [*texts, *chain.from_iterable(lists)])
        return all(lists) and all(_is_number(value) for value in values if isinstance(value, int))
    return False


#: What stands in the first line of a state, and whether a value can stand there.
_HEAD: dict[str, Callable[[Any], bool]] = {
    "signature": lambda value: isinstance(value, str),
    "options": lambda value: isinstance(value, dict) and value.keys() <= OPTIONS.keys(),
    "callables": lambda value: isinstance(value, list) and all(name in _FUNCTIONS for name in value),
    "sentences": lambda value: isinstance(value, bool),
    "resampling": lambda value: isinstance(value, bool),
    "segments": lambda value: _is_number(value) and value <= MOST_SEGMENTS,
    "shards": lambda value: isinstance(value, list) and all(map(_is_shard, value)),
    "nrefs": lambda value: isinstance(value, list) and all(_is_number(number, least=1) for number in value),
    "texts": lambda value: _are_rows(value, int, str, str, list),
    "ends": lambda value: _are_rows(value, int, str, str),
    "missing": lambda value: _are_rows(value, str, str, int) and {row[0] for row in value} <= {*TEXT_COLUMNS},
}
