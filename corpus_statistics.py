"""The statistics of a corpus, from which its scores, details and intervals are computed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
from .data_warnings import SariWarning
from .messages import RefusedValueError, fault
from .ngram_statistics import SegmentCounts, count_ngrams
from .significance import NO_RESAMPLING, Resampling, Sample, resampling_warnings
from .text_checks import NO_TEXTS, TextSample, corpus_warnings, take_sample
from .tokenization import encode_corpus
from .validation import Columns, SystemColumns
from .variants import OPERATIONS, SCORES, Variant

#: What a segment adds to a sum is smaller. So many segments have sums below 2**62, of which two can be added.
LARGEST_SUMMAND, MOST_SEGMENTS = 1 << 30, 1 << 32


@dataclass(frozen=True, kw_only=True)
class CorpusStatistics:
    """The statistics of scored segments. The scores of merged parts are exactly those of the whole, in any order.

    What is kept of every segment stands in the order of merging.

    Attributes:
        variant: by which segments are scored.
        keeps_sentences: whether the scores of every segment are kept.
        keeps_rows: whether the row of every segment is kept.
        segments: the number of segments.
        totals: int64[3, ...], the exact sums of `aggregation.summands`; 0 where there are no segments.
        sentence_parts: float64[segment, score] each: the scores of segments, each scored alone, in percent.
        row_parts: float[segment, ...] each: the rows of segments, which resampling sums. A row is the counts of a
            segment or, at the level "sentence", its scores in percent.
        sample: a sample of the texts, on which warnings and the signature depend. `with_counts` leaves it as it is.
        shards: the number of segments of each shard that has a name, in the order of merging.
    """

    variant: Variant
    keeps_sentences: bool = False
    keeps_rows: bool = False
    segments: int = 0
    totals: Any = 0
    sentence_parts: tuple[np.ndarray, ...] = ()
    row_parts: tuple[np.ndarray, ...] = ()
    sample: TextSample = NO_TEXTS
    shards: Mapping[str, int] = field(default_factory=dict)

    def merge(self, other: "CorpusStatistics") -> "CorpusStatistics":
        """Return the statistics of the segments of both, in this order.

        Raises:
            ValueError: for more than `MOST_SEGMENTS`, whose sums could be too large for int64.
        """
        segments = self.segments + other.segments
        if segments > MOST_SEGMENTS:
            raise RefusedValueError(fault("state", f"{segments:,} segments", f"at most {MOST_SEGMENTS:,}"))
        return replace(
            self,
            segments=segments,
            totals=self.totals + other.totals,
            sentence_parts=self.sentence_parts + other.sentence_parts,
            row_parts=self.row_parts + other.row_parts,
            sample=self.sample.merge(other.sample),
            shards={**self.shards, **other.shards},
        )

    def shards_in_order(self) -> dict[str, int]:
        """Return the number of segments of each shard, in the order of the names; numbers in them count as numbers."""
        return {name: self.shards[name] for name in sorted(self.shards, key=_in_natural_order)}

    def in_order(self) -> "CorpusStatistics":
        """Return the statistics, with what is kept of every segment in the order of the names of its shards."""
        shards = self.shards_in_order()
        if list(shards) == list(self.shards):
            return self
        ends = dict(zip(self.shards, np.cumsum([*self.shards.values()], dtype=np.int64), strict=True))
        order = np.concatenate([np.arange(ends[name] - count, ends[name]) for name, count in shards.items()])
        kept = {"sentence_parts": self.sentence_parts, "row_parts": self.row_parts}
        in_order: Any = {name: (np.concatenate(parts)[order],) for name, parts in kept.items() if parts}
        return replace(self, shards=shards, **in_order)

    def with_counts(self, counted: SegmentCounts) -> "CorpusStatistics":
        """Return the statistics with further segments, given their counts."""
        variant = self.variant
        scores = (segment_scores(counted, variant),) if self.keeps_sentences else ()
        rows = (_rows_to_resample(counted, variant),) if self.keeps_rows else ()
        return replace(
            self,
            segments=self.segments + len(counted.counts),
            totals=self.totals + exact_sums(summands(counted, variant)),
            sentence_parts=self.sentence_parts + scores,
            row_parts=self.row_parts + rows,
        )

    def signature(self) -> str:
        """Return the line that names every choice that the scores depend on."""
        return self.variant.signature(self.sample.nrefs)

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
        self._check_kept("keeps_sentences")
        return named_scores(np.concatenate([np.empty((0, len(SCORES))), *self.sentence_parts]).T)

    def rows(self) -> np.ndarray:
        """Return the row of each segment, float64[segment, ...]; this needs `keeps_rows`, and a segment."""
        self._check_kept("keeps_rows")
        return np.concatenate(self.row_parts, dtype=np.float64)

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

    def result(self, *, details: bool = False, resampling: Resampling = NO_RESAMPLING) -> Result:
        """Return the scores, with details and, which needs `keeps_rows`, confidence intervals if they are wanted."""
        result: Any = self.scores()
        if resampling.has_intervals:
            segments = Sample(self.rows()[:, None], self.scores_of_sums, resampling.seed)  # of one system
            result.update(segments.named_intervals(SCORES, resampling)[0])
        if details:
            result["signature"] = self.signature()
            result["orders"] = self.orders()
            if self.keeps_sentences:
                result["sentences"] = self.sentences()
        return result

    def warnings(self, resampling: Resampling = NO_RESAMPLING) -> list[SariWarning]:
        """Return the warnings about data and variant, and about confidence intervals if they are wanted."""
        about_intervals = resampling_warnings(self.segments) if resampling.has_intervals else ()
        return [*corpus_warnings(self.sample, self.variant), *about_intervals]

    def _check_kept(self, name: str) -> None:
        if not getattr(self, name):
            raise RefusedValueError(fault("statistics", f"{name}=False", f"{name}=True"))

    @cached_property
    def _scored(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.segments:
            raise RefusedValueError(fault("sources, predictions, references", "no segments", "at least one"))
        return score_totals(self.totals, self.segments, self.variant)


def _in_natural_order(name: str) -> tuple[list[Any], str]:
    """Return the key by which names are sorted, with numbers in them as numbers.

    >>> sorted(["part-10", "part-9", "a"], key=_in_natural_order)
    ['a', 'part-9', 'part-10']
    """
    parts = re.split(r"([0-9]+)", name)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], name


def _rows_to_resample(counted: SegmentCounts, variant: Variant) -> np.ndarray:
    """Return the rows of segments: see `CorpusStatistics`. Those that float32 holds exactly take half the memory."""
    rows = counted.counts if variant.level == "corpus" else segment_scores(counted, variant)
    small = rows.astype(np.float32)
    return small if np.array_equal(small, rows) else rows


def score_corpora(
    counted: Iterable[SegmentCounts],
    variant: Variant,
    samples: Mapping[str, TextSample],
    *,
    sentences: bool = False,
    rows: bool = False,
) -> dict[str, CorpusStatistics]:
    """Score the segments of systems from the counts of each chunk.

    Args:
        counted: the counts, of chunk after chunk.
        variant: the one that segments were counted by.
        samples: for each system a sample of the texts of all segments.
        sentences, rows: what to keep of every segment: see `CorpusStatistics`.
    """
    systems = {
        name: CorpusStatistics(variant=variant, keeps_sentences=sentences, keeps_rows=rows, sample=sample)
        for name, sample in samples.items()
    }
    for chunk in counted:
        parts = chunk.of_systems(len(systems))
        systems = {name: systems[name].with_counts(part) for name, part in zip(systems, parts, strict=True)}
    return systems


def score_corpus(
    counted: Iterable[SegmentCounts], variant: Variant, sample: TextSample, **kept: bool
) -> CorpusStatistics:
    """Score the segments of one system, as `score_corpora` does."""
    return score_corpora(counted, variant, {"": sample}, **kept)[""]


def score_systems(columns: SystemColumns, variant: Variant, **kept: bool) -> dict[str, CorpusStatistics]:
    """Encode, count and score the checked texts of several systems; `kept` is for `score_corpora`."""
    samples = {name: take_sample(*columns.of(name)) for name in columns.predictions}
    counted = (count_ngrams(tokens, variant) for tokens in encode_corpus(columns, variant))
    return score_corpora(counted, variant, samples, **kept)


def score_columns(columns: Columns, variant: Variant, **kept: bool) -> CorpusStatistics:
    """Encode, count and score checked texts, as `score_systems` does."""
    return score_systems(columns.as_one_system(), variant, **kept)[""]
