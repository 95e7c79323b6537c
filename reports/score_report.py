"""The scores of systems and what belongs to them: all that tables, files and pages show, as plain data.

Every row of a report is a `ScoreRow`. `score_records` makes CSV records of a report, and `score_fields` its JSON.

JSON has one schema, whatever was asked for. A field without a value is left out, at every depth: it is never null, and
never an empty list or object::

    {"systems": [{"name": str, "variant": str, "segments": int, "signature": str,
                  "scores": {"sari": float, "keep": float, "delete": float, "add": float, MEASURE: float, ...},
                  "orders": [{"order": int, "keep": {"precision": float, "recall": float, "f1": float, "score": float},
                              "delete": {...}, "add": {...}}, ...],
                  "confidence_intervals": {"sari": [float, float], ...},
                  "against": str, "differences": {"sari": float, ...}, "difference_intervals": {"sari": [...], ...},
                  "p_values": {"sari": float, ...}, "corrected_p_values": {"sari": float, ...},
                  "group": int, "rank": [int, int], "copies": bool,
                  "lengths": {"sari": [float, ...], ...}, "sentences": {"sari": [float, ...], ...}}, ...],
     "baselines": [{"name": str, "variant": str, "scores": {...}, "confidence_intervals": {...}}, ...],
     "pairs": [{"variant": str, "systems": [str, str], "differences": {...}, "p_values": {...},
                "corrected_p_values": {...}, "difference_intervals": {...}}, ...],
     "explanations": [{"name": str, "variant_a": str, "variant_b": str, "signature_a": str, "signature_b": str,
                       "steps": [{"choice": str, "before": str, "after": str, "sari": float, "keep": float,
                                  "delete": float, "add": float, "change": float}, ...]}, ...],
     "by_references": [{"name": str, "variant": str, "references": int, "subsets": int, "mean": {"sari": float, ...},
                        "deviation": {...}, "lowest": {...}, "highest": {...}}, ...],
     "published": [{"variant": str, "test_set": str, "reason": str,
                    "rows": [{"test_set": str, "variant": str, "name": str, "kind": str, "year": str,
                              "publication": str, "runs": int, "sari": float}, ...]}, ...],
     "warnings": [{"category": str, "message": str, "detail": str,
                   "advice": {"option": str, "values": [str, ...]}}, ...],
     "resampling": {"confidence": float, "method": str, "resamples": int, "trials": int, "seed": int,
                    "comparisons": int, "baseline": str, "intervals": str},
     "measures": [{"name": str, "label": str, "about": str, "digits": int, "unit": str}, ...],
     "measure_signatures": [str, ...],
     "test_set": str,
     "lengths": [{"shortest": int, "longest": int, "segments": int}, ...],
     "ngrams": {SYSTEM: [{"text": str, "operation": str, "system": float, "baseline": float}, ...], ...},
     "segments": [{"number": int, "source": str, "references": [str, ...], "reasons": [str, ...],
                   "outputs": {SYSTEM: EXPLANATION, ...}, "rows": {SYSTEM: int or str, ...}}, ...],
     "subset_column": str,
     "subsets": [{"value": str, "systems": [...], "baselines": [...], "pairs": [...], ...}, ...]}

with one entry of "systems" per system and variant, and all scores in percent at full precision. Every field with
scores also has those of the companion measures, by their names: MEASURE. Only reports have "lengths", "sentences",
"ngrams" and "segments"; "lengths" has a number for each class of lengths. Each of "subsets" has the schema of the
whole, for its segments. EXPLANATION has the fields of
`explanation.Explanation`, but for the n-grams, the figures of each order, the tokens of references, the warnings
and edited outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from sari.messages import count_of
from sari.reports.tables import warning_in_words
from sari.variants import CHANGES, SCORES

if TYPE_CHECKING:  # slow to import
    from sari.aggregation import OrderFigures
    from sari.companion_measures.registry import Measure
    from sari.comparison import SystemComparison
    from sari.corpus_statistics import CorpusStatistics
    from sari.data_warnings import WarningRow
    from sari.reports.by_references import ReferenceCount
    from sari.reports.explanation import Explanation
    from sari.reports.ngram_differences import NgramDifference
    from sari.reports.published_systems import Standing
    from sari.significance import PairedTest
    from sari.validation import SystemColumns
    from sari.variant_comparison import VariantDifference
    from sari.variants import Variant

#: Up to so many systems or measures stand side by side in a table; so many systems are named in a title, and shown with
#: every segment of a report.
FEW = 4
#: Scores of SARI and companion measures by their names, or what belongs to each of them.
Figures = Mapping[str, Any]


#: The baselines that a report can have. The last is one for each column of references, on request alone.
BASELINES = ("copy", "empty", "unrelated", "perfect", "references", "each")


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """What is known of outputs under a variant; fields that are empty are unknown.

    Attributes:
        kind: "system" for outputs of a system, "baseline" for texts that stand for outputs, "pair" for two systems
            that are compared with each other, whose row has no scores.
        name: of the system or baseline, or of the first system of a pair.
        variant: the label of the variant.
        segments: their number.
        signature: every choice that the scores depend on.
        scores: in percent, and companion measures.
        confidence_intervals: of the scores, each with two ends.
        orders: precision, recall and F1 of each n-gram order, of a system.
        against: the other system of the tests.
        differences: the scores minus those of `against`, with `difference_intervals`.
        p_values, corrected_p_values: of the differences; corrected among the systems of one variant, by Holm.
        group, rank: among all systems, if each is compared with each; the best and the worst rank.
        copies: whether most outputs copy their sources: such a system is not the best, whatever its scores.
        lengths: the scores of each class of lengths, in reports.
        sentences: the scores of each segment, in reports, without measures that are no mean over segments.
    """

    kind: Literal["system", "baseline", "pair"] = "system"
    name: str
    variant: str
    segments: int
    signature: str
    scores: Figures = field(default_factory=dict)
    orders: list[OrderFigures] = field(default_factory=list)
    confidence_intervals: Figures = field(default_factory=dict)
    against: str | None = None
    differences: Figures = field(default_factory=dict)
    difference_intervals: Figures = field(default_factory=dict)
    p_values: Figures = field(default_factory=dict)
    corrected_p_values: Figures = field(default_factory=dict)
    group: int | None = None
    rank: list[int] | None = None
    copies: bool = False
    lengths: Figures = field(default_factory=dict)
    sentences: Figures = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name for people: that of a baseline says so, since a system may have the same name."""
        return f"baseline: {self.name}" if self.kind == "baseline" else self.name

    @property
    def competes(self) -> bool:
        """Whether the row can be the best: baselines do not compete, nor do systems that copy their sources."""
        return self.kind == "system" and not self.copies


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
    """A segment: its number, from 1, its texts, why it is shown, and the explained outputs of systems.

    `rows` has the names of its rows in a table, or of its document, by system.
    """

    number: int
    source: str
    references: list[str]
    reasons: list[str]
    outputs: dict[str, Explanation]
    rows: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreReport:
    """Everything to show about scored systems.

    Attributes:
        rows: of systems, at least one, then of pairs of systems and of baselines; all of the same segments.
        scored_by: the variants, by their labels.
        nrefs: the numbers of references that segments have.
        explanations: the name of each system, and the difference between two variants.
        by_references: the scores of systems with 1, 2, … of the references.
        published: what is published about the test set, under each variant.
        warnings: about data and variants.
        resampling: None without intervals and tests.
        measures: the companion measures of the rows.
        measure_signatures: their signatures, by name; measures computed elsewhere have none.
        test_set: its name; None if it is unknown.
        lengths: the classes of source lengths, for reports.
        ngrams: those that systems gain and lose against the baseline of the tests, or the first system, for reports.
        segments: those that stand out, and random ones, for reports.
        subset_column: the column of a table whose values part the segments; None without subsets.
        subsets: the scores of the segments of each value, by the value, computed as those of all segments.
    """

    rows: list[ScoreRow]
    scored_by: dict[str, Variant]
    nrefs: list[int]
    explanations: list[tuple[str, VariantDifference]] = field(default_factory=list)
    by_references: list[ReferenceCount] = field(default_factory=list)
    published: list[Standing] = field(default_factory=list)
    warnings: list[WarningRow] = field(default_factory=list)
    resampling: ResamplingSummary | None = None
    measures: list[Measure] = field(default_factory=list)
    measure_signatures: dict[str, str] = field(default_factory=dict)
    test_set: str | None = None
    lengths: list[Length] = field(default_factory=list)
    ngrams: dict[str, list[NgramDifference]] = field(default_factory=dict)
    segments: list[ShownSegment] = field(default_factory=list)
    subset_column: str | None = None
    subsets: Mapping[str, ScoreReport] = field(default_factory=dict)

    @property
    def results(self) -> list[ScoreRow]:
        """The rows of systems."""
        return [row for row in self.rows if row.kind == "system"]

    @property
    def baselines(self) -> list[ScoreRow]:
        """The rows of baselines."""
        return [row for row in self.rows if row.kind == "baseline"]

    @property
    def pairs(self) -> list[ScoreRow]:
        """The rows of pairs of systems, if each is compared with each."""
        return [row for row in self.rows if row.kind == "pair"]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, each once."""
        return list(dict.fromkeys(row.name for row in self.results))

    @property
    def size(self) -> str:
        """The number of segments, for people."""
        return count_of(self.rows[0].segments, "segment")

    @property
    def titles(self) -> dict[str, str]:
        """The names of the variants for people, by their labels: what was changed stands in parentheses."""
        return {
            label: f"{variant.name} ({', '.join(map(_change_in_words, variant.changes.items()))})"
            if variant.changes
            else label
            for label, variant in self.scored_by.items()
        }

    @property
    def baseline_system(self) -> str | None:
        """The system with which the tests compare the others; None without such tests."""
        return self.resampling.baseline if self.resampling else None

    @property
    def signatures(self) -> list[str]:
        """The signature of each variant; systems share it."""
        return list(dict.fromkeys(row.signature for row in self.rows if row.variant in self.scored_by))

    def with_baselines(self, variant: str, scored: Mapping[str, Mapping[str, Any]]) -> ScoreReport:
        """Return the report with rows of baselines under a variant, whose scores are given by name."""
        system = next(row for row in self.results if row.variant == variant)
        rows = [
            ScoreRow(
                kind="baseline",
                name=name,
                variant=variant,
                segments=system.segments,
                signature=system.signature,
                scores={score: result[score] for score in SCORES},
                confidence_intervals=result.get("confidence_intervals", {}),
            )
            for name, result in scored.items()
        ]
        return replace(self, rows=[*self.rows, *rows])


def _change_in_words(change: tuple[str, Any]) -> str:
    """Return an option of a variant and its value as titles of tables name them."""
    name, value = change
    if name == "deletion":
        return f"{value} of deletions"
    return str(value) if name in ("tokenize", "level") and isinstance(value, str) else CHANGES[name].words(value)


def report_of(
    columns: SystemColumns,
    comparisons: Mapping[str, SystemComparison],
    statistics: Mapping[str, Mapping[str, CorpusStatistics]],
) -> ScoreReport:
    """Return the report of compared systems, with the warnings about them.

    Args:
        columns: the texts.
        comparisons: with details, by variant.
        statistics: of the same systems, by variant and by name.
    """
    from sari.comparison import comparison_warnings  # here, since they are slow to import
    from sari.data_warnings import merge_warnings, warning_rows
    from sari.text_checks import are_mostly_copies

    sources, predictions, references = columns
    copying = {name for name, texts in predictions.items() if are_mostly_copies(sources, texts, references)}
    first = next(iter(comparisons.values()))
    rows, pairs, warnings = [], [], {}
    for variant, comparison in comparisons.items():
        of_variant: Any = {"variant": variant, "segments": comparison["segments"], "signature": comparison["signature"]}
        is_tested = comparison["segments"] > 1  # a single segment has neither intervals nor tests
        for name, result in comparison["systems"].items():
            details = _fields_in(result, _OF_SYSTEMS) | (_fields_in(result, _OF_TESTS) if is_tested else {})
            against = comparison["baseline"] if details.get("p_values") else None
            scores: dict[str, Any] = {score: result[score] for score in SCORES}
            of_system: Any = {"name": name, "copies": name in copying, "against": against}
            rows.append(ScoreRow(scores=scores, **of_system, **of_variant, **details))
        for pair in comparison.get("pairs", ()) if is_tested else ():
            name, against = pair["systems"]
            row = ScoreRow(kind="pair", name=name, against=against, **of_variant, **_fields_in(pair, _OF_TESTS))
            pairs.append(row)
        warnings[variant] = comparison_warnings({**statistics[variant]}, comparison)
    resampling = None
    if first["segments"] > 1 and (first["confidence"] is not None or first["method"] is not None):
        values = _fields_in(first, [each.name for each in fields(ResamplingSummary)])
        resampling = ResamplingSummary(**values | {"resamples": first["confidence"] and first["resamples"]})
    corpora = {variant: next(iter(systems.values())) for variant, systems in statistics.items()}
    return ScoreReport(
        [*rows, *pairs],
        scored_by={label: corpus.variant for label, corpus in corpora.items()},
        nrefs=sorted(next(iter(corpora.values())).sample.nrefs),
        warnings=warning_rows(merge_warnings(warnings)),
        resampling=resampling,
    )


_OF_SYSTEMS = ("orders", "confidence_intervals")
_OF_TESTS = ("differences", "difference_intervals", "p_values", "corrected_p_values", "group", "rank")


def _fields_in(result: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: result[name] for name in names if name in result}


# ---- JSON -----------------------------------------------------------------------------------------------------------

_OF_MEASURES = ("name", "label", "about", "digits", "unit")
# What rows do not say again, by their kinds: it stands in those of the systems.
_SHARED = ("kind", "segments", "signature", "copies")
_LEFT_OUT = {"system": ("kind",), "baseline": _SHARED, "pair": (*_SHARED, "name", "against")}


def score_fields(report: ScoreReport) -> dict[str, Any]:
    """Return a report in the schema above."""
    values = asdict(replace(report, rows=[], scored_by={}, nrefs=[], subsets={}))  # what is empty is left out
    values["subsets"] = [{"value": value, **score_fields(part)} for value, part in report.subsets.items()]
    values["measures"] = [{name: getattr(measure, name) for name in _OF_MEASURES} for measure in report.measures]
    values["measure_signatures"] = list(report.measure_signatures.values())
    values["explanations"] = [{"name": name, **difference} for name, difference in report.explanations]
    values["ngrams"] = {name: [row._asdict() for row in rows] for name, rows in report.ngrams.items()}
    for segment in values["segments"]:
        for explanation in segment["outputs"].values():
            for name in ("grams", "orders", "references", "warnings"):
                del explanation[name]
            for edit in (*explanation["edits"], *explanation["sentences"]):
                del edit["output"]
    parts = {
        "systems": list(map(_fields_of_row, report.results)),
        "baselines": list(map(_fields_of_row, report.baselines)),
        "pairs": [{"systems": [row.name, row.against], **_fields_of_row(row)} for row in report.pairs],
    }
    return without_empty({**parts, **values})


def _fields_of_row(row: ScoreRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name not in _LEFT_OUT[row.kind]}


def without_empty(value: Any) -> Any:
    """Return data without the fields that have no value: null, nan, or an empty list or object, at every depth.

    >>> without_empty({"a": None, "b": [{"c": {}, "d": 0, "e": ""}], "f": [], "g": float("nan")})
    {'b': [{'d': 0, 'e': ''}]}
    """
    if isinstance(value, Mapping):
        cleaned = {name: without_empty(each) for name, each in value.items()}
        # nan is not equal to itself.
        return {name: each for name, each in cleaned.items() if each not in (None, [], {}) and each == each}
    return list(map(without_empty, value)) if isinstance(value, list | tuple) else value


# ---- CSV ------------------------------------------------------------------------------------------------------------

_OF_RESAMPLING = ("method", "resamples", "trials", "seed", "comparisons")
# The columns of a score begin with its name. How they end, by the field of the row that they are from: an interval has
# two columns.
_ENDINGS = {
    "scores": [""],
    "confidence_intervals": ["_low", "_high"],
    "differences": ["_difference"],
    "difference_intervals": ["_difference_low", "_difference_high"],
    "p_values": ["_p_value"],
    "corrected_p_values": ["_corrected_p_value"],
}


def columns_of(name: str) -> list[str]:
    """Return the columns of records that a score or companion measure has."""
    return [f"{name}{ending}" for endings in _ENDINGS.values() for ending in endings]


#: The columns that records always have.
RECORD_KEYS = (
    *("system", "kind", "compared_with", "variant", "subset", "segments"),
    *(f"{score}{ending}" for endings in _ENDINGS.values() for score in SCORES for ending in endings),
    *("group", "first_rank", "last_rank", *_OF_RESAMPLING, "signature", "warnings"),
)


def score_records(report: ScoreReport) -> list[dict[str, Any]]:
    """Return a record for each row of a report.

    The keys are always `RECORD_KEYS`, followed by those of companion measures.
    """
    keys = [*RECORD_KEYS, *(column for measure in report.measures for column in columns_of(measure.name))]
    warnings = "\n".join(map(warning_in_words, report.warnings))
    parts = {"": report, **report.subsets}
    records = [record for subset, part in parts.items() for record in _records(part, subset=subset, warnings=warnings)]
    return [{key: record.get(key) for key in keys} for record in records]


def _records(report: ScoreReport, **more: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each row, with further fields."""
    shared = {name: getattr(report.resampling, name, None) for name in _OF_RESAMPLING} | more
    for row in [*report.results, *report.baselines, *report.pairs]:
        record = {name: getattr(row, name, None) for name in RECORD_KEYS}
        record |= {"system": row.title, "compared_with": row.against, **shared}
        record["first_rank"], record["last_rank"] = row.rank or (None, None)
        for field_name, endings in _ENDINGS.items():
            for name, value in getattr(row, field_name).items():
                values = value if len(endings) > 1 else [value]
                record |= {f"{name}{ending}": each for ending, each in zip(endings, values, strict=True)}
        yield record
