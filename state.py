"""What is left of segments once they are counted: sums, from which scores are made, and which merge."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np

from .counting import SegmentCounts, count_columns, count_together
from .data_warnings import (
    ENOUGH,
    check_copying,
    check_data,
    check_resampling,
    check_unrelated,
    check_variant,
    give_warnings,
)
from .inputs import Columns, unrelated_texts, validate_columns
from .ngram_counts import count_copies
from .options import OPTIONS, Resampling, Settings, check_flags, resolve_resampling, settings_of
from .portable import NO_STATE, Packed, check_form, make_findable, pack, pickled_call, unpack
from .resampling import RESAMPLES, bootstrap, interval
from .results import OrderFigures, Result, Scores, SentenceScores, named_scores
from .samples import Observed, flattened, observe_texts
from .scores import (
    FIGURES,
    as_summed,
    exact_sums,
    exact_value,
    operation_scores,
    penalized,
    penalty_factors,
    precision_recall_f1,
    sari_scores,
    select_score,
)
from .variants import OPERATIONS, SCORES, VERSION, Variant

# A copy deletes and adds nothing well, so that its SARI is a third of its keep score; what has nothing to do with its
# source deletes well and does hardly anything else well. 0/0 = 1 adds little to that, but for the variants that reward
# copying. Above this a system scores higher than both.
_HIGHEST_OF_NEITHER = 35
# Under variants that reward copying nobody asks for copies, and unrelated texts score 18 to 23 on ASSET and PWKP.
_HIGHEST_OF_UNRELATED = 30
_DISTANCE_IN_SAMPLE = 2  # which is made of pairs of neighbours

#: What is kept of every segment, and the flag by which it is.
_KEPT = (("sentences", "sentences"), ("rows", "resampling"))

#: What `to_bytes` makes of a state: see `check_form`.
_HEAD = {
    "state": str,
    "signature": str,
    "options": dict,
    "keeps": {"sentences": bool, "resampling": bool},
    "segments": int,
    "copied": int,
    "nrefs": [int],
    "totals": (int, [[int]], [[[[int]]]]),  # of none, of scores and figures, of counts
    "observed": [[[[str], [str], [[str]]]], int],
    "shapes": {"sentences": [int], "rows": [int]},
}


class State:
    """What is left of the segments seen so far: sums, from which the scores are made, and a small sample of texts.

    States of shards merge to exactly the state of the whole, in whatever order, and travel: by `to_bytes`, or pickled.
    Unless `sentences` or `resampling` is set, their size does not depend on the number of segments.

    Attributes:
        settings: how segments are scored.
        segments: how many were seen.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        sentences: bool = False,
        resampling: bool = False,
        loader: partial[Any] | None = None,
    ):
        """Make an empty state.

        Args:
            settings: how to score.
            sentences: whether to keep the scores of every segment.
            resampling: whether to keep of every segment what confidence intervals are made of.
            loader: what loads, from the path that is its argument, something with a method `read_state`, in a process
                that does not know this module; None where `import sari` does.
        """
        check_flags(sentences=sentences, resampling=resampling)
        self.settings = settings
        self.segments = 0
        self._loader = loader
        self._keeps = {"sentences": sentences, "resampling": resampling}
        self._sentences: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []
        self._observed = Observed([], 0)
        self._copied = 0
        self._totals: Any = 0
        self._nrefs: set[int | str] = set()

    def update(self, *, sources: Any, predictions: Any, references: Any) -> None:
        """Add segments; the arguments are those of `compute`. A batch of no segments adds none.

        Raises:
            ValueError, TypeError: for bad input, in one line; nothing is added then.
        """
        self.update_checked(validate_columns(sources, predictions, references))

    def update_checked(self, columns: Columns) -> None:
        """Add segments that have been checked; all of them, or none should a tokenizer fail half-way."""
        kept = self._keeps
        self.merge(state_of(columns, self.settings, sentences=kept["sentences"], resampling=kept["resampling"]))

    def observe(self, columns: Columns) -> None:
        """Remember of texts what their counts do not tell; their counts go to `accumulate`."""
        self._nrefs |= set(map(len, columns.references))
        self._observed = self._observed.with_those_of(observe_texts(*columns))

    def accumulate(self, counted: SegmentCounts) -> None:
        """Add segments that have been counted with the same settings."""
        counts, variant = counted.counts, self.settings.variant
        summands, by_sentence = counts, variant.level == "sentence"
        if by_sentence or self._keeps["sentences"]:
            by_order, operations = _scored(counts, variant)
            operations = _penalized(operations, counted, self.settings)
            if by_sentence:
                summands = np.concatenate([by_order.reshape(len(operations), -1), operations], axis=1)
            if self._keeps["sentences"]:
                self._sentences.append(_scores_of_segments(operations, variant))
        if self._keeps["resampling"]:
            self._rows.append(_scores_of_segments(operations, variant) if by_sentence else counts)
        self._totals = self._totals + exact_sums(summands)
        self._copied += count_copies(counts)
        self.segments += len(counts)

    def merge(self, other: "State") -> None:
        """Add the segments of another state, which must have been made with the same options.

        Sentence scores of `other` follow those of this state.

        Raises:
            ValueError: where the options differ.
        """
        given: Any = other
        if not isinstance(given, State):
            if type(given).__name__ != State.__name__:
                raise TypeError(f"other: got {type(given).__name__}, wanted a State")
            other = read_state(given.to_bytes(), **given.callables)  # of another copy of this module
        for name, own in self._keeps.items():
            if other._keeps[name] != own:
                raise ValueError(f"other: got a state with {name}={other._keeps[name]}, wanted {name}={own}")
        if other.settings.variant != self.settings.variant:
            if other.settings.signature() == self.settings.signature():
                changed = ", ".join(
                    name for name, value in other.callables.items() if value != self.callables.get(name)
                )
                raise ValueError(
                    f"other: got a state with another callable as {changed}, wanted the same one; of another process "
                    "one that it can import, as a function of a module"
                )
            raise ValueError(f"other: got a state of {other.signature}, wanted one of {self.signature}")
        self._sentences = self._sentences + other._sentences
        self._rows = self._rows + other._rows
        self._observed = self._observed.with_those_of(other._observed)
        self._copied += other._copied
        self._totals = self._totals + other._totals
        self._nrefs = self._nrefs | other._nrefs
        self.segments += other.segments

    @property
    def signature(self) -> str:
        """The line that names every choice behind the scores."""
        return self.settings.signature(self._nrefs)

    def compute(
        self,
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int = RESAMPLES,
        seed: int = 12345,
    ) -> Result:
        """Return the scores of all segments so far, as `Sari.compute` does.

        Sentence scores are among the details only if the state was made with `sentences=True`, and intervals can be
        had only if it was made with `resampling=True`.

        Raises:
            ValueError: if there are no segments.
        """
        check_flags(details=details)
        resampling = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
        result = self.result(details=details, resampling=resampling)
        give_warnings([*self.warnings(), *self.warnings_of_intervals(resampling)])
        return result

    def result(self, *, details: bool, resampling: Resampling) -> Result:
        """Return what `compute` does, without a warning."""
        scores = self.scores()
        result = Result(sari=scores["sari"], keep=scores["keep"], delete=scores["delete"], add=scores["add"])
        if resampling.confidence is not None and len(rows := self.rows()[:, None]) > 1:  # one alone never varies
            drawn = bootstrap(rows, self.scores_of_sums, resamples=resampling.resamples, seed=resampling.seed)
            result["confidence_intervals"] = named_scores(interval(drawn[:, 0], confidence=resampling.confidence).T)
        if details:
            result["signature"] = self.signature
            result["orders"] = self.orders()
            if self._keeps["sentences"]:
                result["sentences"] = self.sentences()
        return result

    def restore(self, packed: Packed) -> None:
        """Take what `to_bytes` packed, in place of what there is.

        Raises:
            ValueError: where it is not of the size that a state of these settings has.
        """
        head, (sample, empty) = packed.head, packed.head["observed"]
        self._nrefs, self._copied, self.segments = set(head["nrefs"]), head["copied"], head["segments"]
        try:
            self._totals = np.array(head["totals"], np.int64)
        except (ValueError, OverflowError):  # not as many in each, or too large
            raise ValueError(NO_STATE) from None
        found = {"totals": self._totals.shape, **{name: array.shape for name, array in packed.arrays.items()}}
        if found != self._shapes() or not 0 <= self._copied <= self.segments:
            raise ValueError(NO_STATE)
        kept = (packed.arrays[name] for name, _ in _KEPT)
        self._sentences, self._rows = ([array] if array.size else [] for array in kept)
        self._observed = Observed([(pair[0], pair[1], pair[2]) for pair in sample], empty)

    def scores(self) -> Scores:
        """Return the four scores of all segments so far, in percent."""
        return named_scores(sari_scores(self._operations()))

    def scores_of(self, places: Sequence[int]) -> Scores:
        """Return the four scores of some of the segments; only of a state made with `resampling=True`.

        Args:
            places: of the segments, in the order in which they came.
        """
        sums = exact_value(exact_sums(self.rows()[places]))
        return named_scores(self.scores_of_sums(sums, segments=len(places)))

    def sentences(self) -> SentenceScores:
        """Return the scores of each segment; only of a state made with `sentences=True`."""
        scores = np.concatenate(self._sentences) if self._sentences else np.empty((0, len(SCORES)))
        return named_scores(scores.T)

    def rows(self) -> np.ndarray:
        """Return what is summed over segments, float64[segment, ...]; only of a state made with `resampling=True`."""
        if not self._keeps["resampling"]:
            raise ValueError("confidence: got a state without resampling=True, wanted one with it")
        return np.concatenate(self._rows)

    def scores_of_sums(self, sums: np.ndarray, segments: int | np.ndarray | None = None) -> np.ndarray:
        """Return the four scores of sums of `rows`, in percent: float64[..., 4].

        Args:
            sums: float64[..., as a row of `rows`].
            segments: of how many segments they are the sums; of all where it is None.
        """
        if self.settings.variant.level == "corpus":
            return sari_scores(_scored(sums, self.settings.variant)[1])
        return sums / (self.segments if segments is None else segments)

    def orders(self) -> list[OrderFigures]:
        """Return the figures of each n-gram order, in percent."""
        variant, by_order = self.settings.variant, self._figures()
        counting = select_score(by_order, deletion=variant.deletion, addition=variant.addition)
        named = np.concatenate([by_order, counting[..., None]], axis=-1) * 100
        names = (*FIGURES, "score")
        rows: Any = [
            {
                "order": order,
                **{name: dict(zip(names, row, strict=True)) for name, row in zip(OPERATIONS, rows, strict=True)},
            }
            for order, rows in enumerate(named.tolist(), start=1)
        ]
        return rows

    def warnings(self) -> list[Warning]:
        """Return what there is to say about data and variant."""
        variant = self.settings.variant
        found: list[Warning] = list(
            check_data(
                self._observed,
                segments=self.segments,
                copied=self._copied,
                tokenize=variant.tokenize,
                source_tokenize=variant.source_tokenize or variant.tokenize,
                lowercase=variant.lowercase,
            )
        )
        if variant.rewards_copying:
            found.append(check_variant(variant.name))
        size = len(flattened(self._observed.sample)[0]) if self.segments >= ENOUGH else 0
        highest = _HIGHEST_OF_UNRELATED if variant.rewards_copying else _HIGHEST_OF_NEITHER
        if size < ENOUGH or self.scores()["sari"] >= highest:
            return found
        own, copied, unrelated = self._scores_of_sample()
        if not variant.rewards_copying:
            found += check_copying(own, copied, size)
        found += check_unrelated(own, unrelated, size)
        return found

    def warnings_of_intervals(self, resampling: Resampling) -> list[Warning]:
        """Return what there is to say about intervals of these segments, if there are to be any."""
        return list(check_resampling(self.segments, intervals=resampling.confidence is not None, tests=False))

    def _scores_of_sample(self) -> list[float]:
        """Return the SARI of the predictions, of copied sources, and of unrelated texts, on the sample."""
        sources, predictions, references = flattened(self._observed.sample)
        texts = [predictions, sources, unrelated_texts(references, distance=_DISTANCE_IN_SAMPLE)]
        states = [State(self.settings) for _ in texts]
        for chunk in count_together(sources, texts, references, self.settings):
            for state, counts in zip(states, chunk, strict=True):
                state.accumulate(counts)
        return [state.scores()["sari"] for state in states]

    def _figures(self) -> np.ndarray:
        """Return the figures of all segments: float64[order, operation, 3]."""
        if self.settings.variant.level == "corpus":
            return _scored(self._summed(), self.settings.variant)[0]
        return self._summed(slice(-len(OPERATIONS))).reshape(-1, len(OPERATIONS), len(FIGURES))

    def _operations(self) -> np.ndarray:
        """Return the operations' scores of all segments: float64[operation]."""
        if self.settings.variant.level == "corpus":
            return _scored(self._summed(), self.settings.variant)[1]
        return self._summed(slice(-len(OPERATIONS), None))

    def _summed(self, columns: slice = slice(None)) -> np.ndarray:
        """Return the sums of counts, or the means of what segments have: figures, and behind them operations."""
        if not self.segments:
            raise ValueError("sources, predictions, references: got no segments, wanted at least one")
        return exact_value(self._totals[:, columns], 1 if self.settings.variant.level == "corpus" else self.segments)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the numbers in `to_bytes`."""
        variant = self.settings.variant
        counts: tuple[int, ...] = (variant.max_order, len(OPERATIONS), 4)
        summands, row = counts, counts
        if variant.level == "sentence":
            summands = (variant.max_order * len(OPERATIONS) * len(FIGURES) + len(OPERATIONS),)
            row = (len(SCORES),)
        of_segments = {"sentences": (len(SCORES),), "rows": row}
        shapes = {
            name: (self.segments, *of_segments[name]) if self.segments and self._keeps[kept] else (0,)
            for name, kept in _KEPT
        }
        return {"totals": (3, *summands) if self.segments else (), **shapes}

    @property
    def callables(self) -> dict[str, Callable[[str], Any]]:
        """The options that are no plain data, which `to_bytes` leaves out."""
        return {name: value for name, value in self.settings.options.items() if callable(value)}

    def to_bytes(self) -> bytes:
        """Return the state in a form that any machine can read: see `Scorer.read_state`.

        It is a line of JSON, with version and signature; and behind it, of a state that keeps something of every
        segment, float64 numbers, the lowest byte first.
        """
        head = {
            "state": VERSION,
            "signature": self.signature,
            "options": {name: value for name, value in self.settings.options.items() if name not in self.callables},
            "keeps": self._keeps,
            "segments": self.segments,
            "copied": int(self._copied),
            "nrefs": sorted(self._nrefs, key=str),
            "totals": np.asarray(self._totals).tolist(),
            "observed": self._observed,
        }
        kept = {"sentences": self._sentences, "rows": self._rows}
        return pack(head, {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in kept.items()})

    def __copy__(self) -> "State":
        return read_state(self.to_bytes(), **self.callables, loader=self._loader)

    def __deepcopy__(self, _memo: dict[int, Any]) -> "State":
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return pickled_call("state", methodcaller("read_state", self.to_bytes(), **self.callables), self._loader)


def state_of(
    columns: Columns,
    settings: Settings,
    *,
    counted: Iterable[SegmentCounts] | None = None,
    sentences: bool = False,
    resampling: bool = False,
) -> State:
    """Return the state of checked segments; `counted` are their counts, chunk by chunk, where somebody has them."""
    state = State(settings, sentences=sentences, resampling=resampling)
    state.observe(columns)
    for counts in count_columns(*columns, settings) if counted is None else counted:
        state.accumulate(counts)
    return state


def read_state(data: bytes, *, loader: partial[Any] | None = None, **callables: Callable[[str], Any] | None) -> State:
    """Return the state of which `State.to_bytes` made bytes; see `Scorer.read_state`."""
    packed = unpack(data, "state")
    head, given = packed.head, {name: value for name, value in callables.items() if value is not None}
    if head["state"] != VERSION:
        raise ValueError(f"data: got a state of version {head['state']}, wanted one of {VERSION}")
    check_form(head, _HEAD)
    state = State(settings_of({**head["options"], **given}), **head["keeps"], loader=loader)
    state.restore(packed)
    if state.signature != head["signature"]:
        if lacking := ", ".join(sorted(OPTIONS.keys() - head["options"].keys() - given.keys())):
            raise ValueError(f"{lacking}: got None, wanted the callable that the state was made with")
        raise ValueError(f"data: got a state of {head['signature']}, wanted one of {state.signature}")
    return state


def segment_scores(counted: SegmentCounts, settings: Settings) -> np.ndarray:
    """Return the four scores of segments, each scored alone, in percent: float64[..., 4].

    Args:
        counted: the segments, in any number of dimensions.
        settings: by which they were counted.
    """
    operations = _scored(counted.counts, settings.variant)[1]
    return _scores_of_segments(_penalized(operations, counted, settings), settings.variant)


make_findable(__name__)


def _scored(counts: np.ndarray, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Return figures, float64[..., order, operation, 3], and the operations' scores, float64[..., operation]."""
    by_order = precision_recall_f1(counts, zero_division=variant.zero_division)
    operations = operation_scores(
        by_order, averaging=variant.averaging, deletion=variant.deletion, addition=variant.addition
    )
    return by_order, operations


def _scores_of_segments(operations: np.ndarray, variant: Variant) -> np.ndarray:
    """Return the scores that segments have alone, to the last bit: averages over segments are made of exact sums."""
    return sari_scores(as_summed(operations) if variant.level == "sentence" else operations)


def _penalized(operations: np.ndarray, counted: SegmentCounts, settings: Settings) -> np.ndarray:
    """Return the operations' scores of segments, float64[..., operation], with the penalties there are."""
    penalties = settings.penalties
    if penalties is None or counted.sizes is None:
        return operations
    factors = penalty_factors(*counted.sizes)
    return penalized(operations, factors, (penalties.keep, penalties.delete, penalties.add))
