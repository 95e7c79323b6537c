"""The scores of systems and what belongs to them: all that tables and reports show, as plain data.

They are also written as CSV records and in the schema of JSON.

JSON has one schema, whatever was asked for::

    {"systems": [{"name": str, "variant": str, "segments": int, "signature": str,
                  "scores": {"sari": float, "keep": float, "delete": float, "add": float, MEASURE: float, ...},
                  "orders": [{"order": int, "keep": {"precision": float, "recall": float, "f1": float, "score": float},
                              "delete": {...}, "add": {...}}, ...],
                  "confidence_intervals": {"sari": [float, float], ...},
                  "differences": {"sari": float, ...}, "p_values": {"sari": float, ...},
                  "corrected_p_values": {"sari": float, ...}, "difference_intervals": {"sari": [float, float], ...},
                  "group": int, "rank": [int, int], "copies": true,
                  "lengths": {"sari": [float, ...], ...}, "sentences": {"sari": [float, ...], ...}}, ...],
     "baselines": [{"name": str, "variant": str, "scores": {...}, "confidence_intervals": {...}}, ...],
     "explanations": [{"name": str, "variant_a": str, "variant_b": str, "signature_a": str, "signature_b": str,
                       "steps": [{"choice": str, "before": str, "after": str, "sari": float, "keep": float,
                                  "delete": float, "add": float, "change": float}, ...]}, ...],
     "by_references": [{"name": str, "variant": str, "references": int, "subsets": int, "mean": {"sari": float, ...},
                        "deviation": {...}, "lowest": {...}, "highest": {...}}, ...],
     "published": [{"variant": str, "test_set": str, "reason": str,
                    "rows": [{"test_set": str, "variant": str, "name": str, "kind": str, "year": str,
                              "publication": str, "runs": int, "sari": float, "low": float | null,
                              "high": float | null}, ...]}, ...],
     "warnings": [{"category": str, "message": str, "detail": str,
                   "advice": {"option": str, "values": [str | bool, ...]} | null}, ...],
     "resampling": {"confidence": float, "method": str, "resamples": int, "trials": int, "seed": int,
                    "comparisons": int, "baseline": str, "intervals": str},
     "pairs": [{"variant": str, "systems": [str, str], "differences": {...}, "p_values": {...},
                "corrected_p_values": {...}, "difference_intervals": {...}}, ...],
     "measures": [{"name": str, "label": str, "about": str, "digits": int, "unit": str}, ...],
     "test_set": str,
     "lengths": [{"shortest": int, "longest": int, "segments": int}, ...],
     "ngrams": {SYSTEM: [{"text": str, "operation": str, "system": float, "baseline": float}, ...], ...},
     "segments": [{"number": int, "source": str, "references": [str, ...], "reasons": [str, ...],
                   "outputs": {SYSTEM: EXPLANATION, ...}}, ...]}

with one entry of "systems" per system and variant, and all scores in percent at full precision. Every field with
scores also has those of the companion measures, by their names: MEASURE. From "confidence_intervals" on, fields without
a value are left out. Only reports have "lengths", "sentences", "ngrams" and "segments"; "lengths" has a number for each
class of lengths. EXPLANATION has the fields of `explanation.Explanation`, but for the n-grams, the figures of each
order, the tokens of references, the line of changes, the warnings and edited outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sari.reports.tables import warning_in_words
from sari.variants import SCORES

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import OrderFigures, Result
    from sari.companion_measures.registry import Measure
    from sari.comparison import SystemComparison, VariantDifference
    from sari.corpus_statistics import CorpusStatistics
    from sari.data_warnings import WarningRow
    from sari.reports.by_references import ReferenceCount
    from sari.reports.explanation import Explanation
    from sari.reports.ngram_differences import NgramDifference
    from sari.reports.published_systems import Standing
    from sari.significance import PairedTest

#: Scores of SARI and companion measures by their names, or what belongs to each of them.
Figures = Mapping[str, Any]

_OF_MEASURES = ("name", "label", "about", "digits", "unit")
_OF_TESTS = ("differences", "p_values", "corrected_p_values")
_OF_RESAMPLING = ("method", "resamples", "trials", "seed", "comparisons")
_OF_INTERVALS = ("low", "high")
# The columns of a companion measure begin with its name and end with these.
_ENDINGS = ("", "_low", "_high", "_difference", "_difference_low", "_difference_high", "_p_value", "_corrected_p_value")

#: The columns that records always have.
RECORD_KEYS = (
    *("system", "compared_with", "variant", "segments", *SCORES),
    *(f"{score}_{end}" for score in SCORES for end in _OF_INTERVALS),
    *(f"{score}_{what.removesuffix('s')}" for what in _OF_TESTS for score in SCORES),
    *(f"{score}_difference_{end}" for score in SCORES for end in _OF_INTERVALS),
    *("group", "first_rank", "last_rank", *_OF_RESAMPLING, "signature", "warnings"),
)


@dataclass(frozen=True, kw_only=True)
class ScoredOutputs:
    """The scores of outputs by one variant, in percent, and companion measures of the same tokens, with intervals.

    Baselines have only these; systems are `SystemScores`. A segment's only reference has measures, but not SARI.
    """

    name: str
    variant: str
    scores: Figures
    confidence_intervals: Figures = field(default_factory=dict)

    @classmethod
    def of_baseline(cls, name: str, variant: str, result: Result) -> ScoredOutputs:
        """Return the result of a baseline, as `comparison.baseline_scores` has it."""
        scores: dict[str, float] = {score: result[score] for score in SCORES}
        intervals = result.get("confidence_intervals", {})
        return cls(name=name, variant=variant, scores=scores, confidence_intervals=intervals)


@dataclass(frozen=True, kw_only=True)
class SystemScores(ScoredOutputs):
    """The scores of a system, and its differences from the baseline of the tests.

    `copies` says whether most of its outputs copy their sources: such a system is not the best, whatever its scores.
    For reports, `lengths` has the scores of each class of lengths, and `sentences` the scores of each segment, without
    measures that are no mean over segments.
    """

    segments: int
    signature: str
    orders: list[OrderFigures]
    differences: Figures = field(default_factory=dict)
    p_values: Figures = field(default_factory=dict)
    corrected_p_values: Figures = field(default_factory=dict)
    difference_intervals: Figures = field(default_factory=dict)
    group: int | None = None
    rank: list[int] | None = None
    copies: bool = False
    lengths: Figures = field(default_factory=dict)
    sentences: Figures = field(default_factory=dict)


@dataclass(frozen=True)
class PairTest:
    """Two systems compared by one variant: the scores of the first minus those of the second."""

    variant: str
    systems: list[str]
    differences: Figures
    p_values: Figures
    corrected_p_values: Figures
    difference_intervals: Figures = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ResamplingSummary:
    """How intervals and p-values were computed.

    Attributes:
        confidence: the level of the intervals; None without intervals.
        method: of the tests, a name in `significance.TESTS`; None without tests.
        resamples, trials: the number of draws for the intervals, and for the tests.
        seed: of the draws.
        comparisons: the number for which p-values are corrected.
        baseline: the system with which the others are compared; None if each is compared with each.
        intervals: the method of the intervals; None without intervals.
    """

    confidence: float | None = None
    method: str | None = None
    resamples: int | None = None
    trials: int | None = None
    seed: int
    comparisons: int = 0
    baseline: str | None = None
    intervals: str | None = "bootstrap"

    @property
    def test(self) -> PairedTest:
        """The test."""
        from sari.significance import TESTS  # here, since it is slow to import

        return TESTS[str(self.method)]


@dataclass(frozen=True)
class Length:
    """A class of segments by the number of tokens in their sources, both ends included."""

    shortest: int
    longest: int
    segments: int


@dataclass(frozen=True)
class ShownSegment:
    """A segment: its number, from 1, its texts, why it is shown, and the explained outputs of systems."""

    number: int
    source: str
    references: list[str]
    reasons: list[str]
    outputs: dict[str, Explanation]


@dataclass(frozen=True)
class ScoreReport:
    """Everything to show about scored systems.

    Attributes:
        results: at least one, all of the same segments.
        baselines: by the same variants.
        explanations: the name of each system, and the difference between two variants.
        by_references: the scores of systems with 1, 2, … of the references.
        published: what is published about the test set, under each variant.
        warnings: about data and variants.
        resampling: None without intervals and tests.
        pairs: of systems, if each is compared with each.
        measures: the companion measures of the results.
        test_set: its name; empty if it is unknown.
        lengths: the classes of source lengths, for reports.
        ngrams: those that systems gain and lose against the baseline of the tests, or the first system, for reports.
        segments: those that stand out, and random ones, for reports.
    """

    results: list[SystemScores]
    baselines: list[ScoredOutputs] = field(default_factory=list)
    explanations: list[tuple[str, VariantDifference]] = field(default_factory=list)
    by_references: list[ReferenceCount] = field(default_factory=list)
    published: list[Standing] = field(default_factory=list)
    warnings: list[WarningRow] = field(default_factory=list)
    resampling: ResamplingSummary | None = None
    pairs: list[PairTest] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    test_set: str = ""
    lengths: list[Length] = field(default_factory=list)
    ngrams: dict[str, list[NgramDifference]] = field(default_factory=dict)
    segments: list[ShownSegment] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        """The names of the systems, each once."""
        return list(dict.fromkeys(result.name for result in self.results))

    @property
    def variants(self) -> list[str]:
        """The names of the variants, each once."""
        return list(dict.fromkeys(result.variant for result in self.results))

    @property
    def signatures(self) -> list[str]:
        """The signature of each variant; systems share it."""
        return list(dict.fromkeys(result.signature for result in self.results))

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """A record per system, baseline and variant, and one per pair if each system was compared with each.

        The keys are always `RECORD_KEYS`, followed by those of companion measures.
        """
        keys = [*RECORD_KEYS, *(f"{measure.name}{ending}" for measure in self.measures for ending in _ENDINGS)]
        shared = dict.fromkeys(keys) | {
            "segments": self.results[0].segments,
            "warnings": " ".join(map(warning_in_words, self.warnings)),
            **{name: getattr(self.resampling, name, None) for name in _OF_RESAMPLING},
        }
        signatures = {result.variant: result.signature for result in self.results}
        baseline = self.resampling and self.resampling.baseline
        records = []
        for row in [*self.results, *self.baselines]:
            record = shared | {"system": row.name, "variant": row.variant, "signature": signatures[row.variant]}
            record |= {**row.scores, **_interval_fields(row.confidence_intervals)}
            if isinstance(row, SystemScores):
                record |= _test_fields(row) | {"compared_with": baseline if row.p_values else None, "group": row.group}
                record |= dict(zip(("first_rank", "last_rank"), row.rank or (), strict=False))
            records.append(record)
        for pair in self.pairs:
            one, other = pair.systems
            record = shared | {"system": one, "compared_with": other, "variant": pair.variant}
            records.append(record | {"signature": signatures[pair.variant]} | _test_fields(pair))
        return records


def report_of(
    comparisons: Mapping[str, SystemComparison], statistics: Mapping[str, Mapping[str, CorpusStatistics]]
) -> ScoreReport:
    """Return the report of compared systems, with the warnings about them.

    Args:
        comparisons: with details, by variant.
        statistics: of the same systems, by variant and by name.
    """
    from sari.comparison import comparison_warnings  # here, since they are slow to import
    from sari.data_warnings import merge_warnings, warning_rows

    first = next(iter(comparisons.values()))
    is_tested = first["segments"] > 1  # a single segment has neither intervals nor tests
    optional = ("confidence_intervals", "difference_intervals", "group", "rank") + _OF_TESTS * is_tested
    results, pairs, warnings = [], [], {}
    for variant, comparison in comparisons.items():
        for name, result in comparison["systems"].items():
            known: dict[str, Any] = {key: value for key, value in result.items() if key in optional}
            known |= {"scores": {score: result[score] for score in SCORES}, "orders": result["orders"]}
            known |= {"segments": comparison["segments"], "signature": comparison["signature"]}
            known |= {"copies": statistics[variant][name].copies_sources}
            results.append(SystemScores(name=name, variant=variant, **known))
        pairs += [PairTest(variant, **pair) for pair in comparison.get("pairs", ()) if is_tested]
        warnings[variant] = comparison_warnings({**statistics[variant]}, comparison)
    resampling = None
    if is_tested and (first["confidence"] is not None or first["method"] is not None):
        names = {own.name for own in fields(ResamplingSummary)}
        values: dict[str, Any] = {key: value for key, value in first.items() if key in names}
        resampling = ResamplingSummary(**values | {"resamples": first["confidence"] and first["resamples"]})
    return ScoreReport(results, warnings=warning_rows(merge_warnings(warnings)), resampling=resampling, pairs=pairs)


def score_fields(report: ScoreReport) -> dict[str, Any]:
    """Return a report in the schema above."""
    found = asdict(report)
    found["measures"] = [{name: getattr(measure, name) for name in _OF_MEASURES} for measure in report.measures]
    found["explanations"] = [{"name": name, **difference} for name, difference in report.explanations]
    found["ngrams"] = {name: [row._asdict() for row in rows] for name, rows in report.ngrams.items()}
    for segment in found["segments"]:
        for explanation in segment["outputs"].values():
            for name in ("grams", "orders", "references", "changes", "warnings"):
                del explanation[name]
            for edit in explanation["edits"]:
                del edit["output"]
    systems, baselines, pairs = (list(map(_filled, found.pop(name))) for name in ("results", "baselines", "pairs"))
    return {"systems": systems, **_filled({"baselines": baselines, **found, "pairs": pairs})}


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not False and value not in (None, [], {}, "")}


def _interval_fields(intervals: Figures, what: str = "") -> dict[str, float]:
    return {
        f"{name}{what}_{end}": value
        for name, ends in intervals.items()
        for end, value in zip(_OF_INTERVALS, ends, strict=True)
    }


def _test_fields(row: SystemScores | PairTest) -> dict[str, float]:
    fields = {
        f"{name}_{what.removesuffix('s')}": value for what in _OF_TESTS for name, value in getattr(row, what).items()
    }
    return fields | _interval_fields(row.difference_intervals, "_difference")
