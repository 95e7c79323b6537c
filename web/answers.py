"""Scores, explanations, comparisons and agreement with ratings, of input checked against the limits, as plain data.

Every public function raises RefusedError past the limits of `inputs` and for what the metric refuses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from sari import comparison
from sari.aggregation import Result, Scores, named_scores
from sari.corpus_statistics import CorpusStatistics, score_columns
from sari.data_warnings import WarningRow, check_resampling, warning_rows
from sari.human_ratings.correlation_report import AgreementReport
from sari.human_ratings.rated_outputs import RatedOutputs, rated_scores, report_agreement
from sari.reports import building, report_page
from sari.reports.by_references import ReferenceCount, scores_by_references
from sari.reports.explanation import Explanation, explain
from sari.reports.score_report import Length, ScoredOutputs, ScoreReport, resampling_of, results_of
from sari.reports.score_tables import BASELINE_SUMMARIES
from sari.significance import resolve_resampling
from sari.validation import Columns, SystemColumns, validate_columns
from sari.variants import SCORES, SIGNIFICANT, Variant
from sari.web.inputs import MAX_CHARACTERS, MAX_SEGMENTS, RefusedError, check_limit, check_references, errors_refused
from sari.web.samples import samples

_CONFIDENCE = 0.95
#: How many wins, and how many losses, of a system are shown.
_SHOWN = 5
#: Resamples, and rows in all of them: the more rows, the fewer resamples.
_RESAMPLES, _FEWEST, _ROWS = 1_000, 100, 10_000_000
#: The coefficient whose intervals would take minutes.
_PLAIN = ("kendall",)
#: Subsets of each number of references, segments in all of them, and the most references that are looked at.
_SUBSETS, _SEGMENTS, _WIDTH = 10, 200_000, 10
#: Segments whose n-grams are compared at once, how many n-grams are shown, and what counts as no difference.
_AT_ONCE, _NGRAMS, _TINY = 500, 10, 1e-9
#: Words of English without a meaning of their own.
_WORDS = """
    a an the and or but nor so yet if as than that which who whom whose this these those it its he him his she her
    they them their we us our you your i me my of in on at to by for from with without into onto over under about
    after before between during through is are was were be been being am do does did has have had will would shall
    should can could may might must not no there here also then when where while 's 't
"""
_FUNCTION_WORDS = frozenset(_WORDS.split())


class ScoredSegment(NamedTuple):
    """A segment of a corpus: its number from 1, its scores in percent, and its texts."""

    line: int
    sari: float
    keep: float
    delete: float
    add: float
    source: str
    output: str
    references: list[str]


class ScoredCorpus(NamedTuple):
    """A scored corpus: the metric's result with details, a row for each segment, and the warnings."""

    result: Result
    rows: list[ScoredSegment]
    warnings: list[WarningRow]


class ComparedSystems(NamedTuple):
    """Compared systems.

    Attributes:
        variant: how they were scored.
        statistics: of each system.
        result: what `comparison.compare` returns.
        warnings: about data and variant.
        by_length: for each class of source lengths SARI of each system.
    """

    variant: str
    statistics: dict[str, CorpusStatistics]
    result: comparison.SystemComparison
    warnings: list[WarningRow]
    by_length: list[tuple[Length, dict[str, float]]]

    @property
    def scores(self) -> dict[str, list[float]]:
        """SARI of every segment, by system; it needs a result with details."""
        return {name: system["sentences"]["sari"] for name, system in self.result["systems"].items()}

    @property
    def report(self) -> ScoreReport:
        """The report that the command line would give; it needs a result with details."""
        results = results_of(self.variant, self.result, self.statistics)
        return ScoreReport(results, warnings=self.warnings, resampling=resampling_of(self.result))


@errors_refused()
def explain_segment(source: str, output: str, references: Sequence[str], variant: Variant) -> Explanation:
    """Explain the SARI of one segment."""
    segment = _segment(source, output, references)
    return explain(
        source=segment.sources[0],
        prediction=segment.predictions[0],
        references=segment.references[0],
        variant=variant,
    )


@errors_refused()
def score_segment_baselines(source: str, references: Sequence[str], variant: Variant) -> dict[str, Scores]:
    """Score the baselines of a segment; see `comparison.baseline_scores`.

    The baselines are the segments of one corpus, and each is scored alone. A single segment has no neighbour to take
    an unrelated text from: the output of an example stands for it.
    """
    segment = _segment(source, "", references)
    systems = comparison.baseline_columns(segment.sources, segment.references)
    outputs = {name: columns.of(name) for columns in systems for name in columns.predictions}
    unrelated = next(sample.prediction for sample in samples() if sample.source != source)
    outputs["unrelated"] = segment._replace(predictions=[unrelated])
    corpus = Columns(*(list(chain.from_iterable(column)) for column in zip(*outputs.values(), strict=True)))
    sentences = score_columns(corpus, variant, sentences=True).sentences()
    values = np.array([sentences[name] for name in SCORES]).T
    scores = {name: named_scores(row) for name, row in zip(outputs, values, strict=True)}
    people = values[[name.startswith("reference ") for name in outputs]]
    return {**scores, "references": named_scores(people.mean(axis=0))} if len(people) else scores


@errors_refused()
def score_corpus_baselines(columns: Columns | SystemColumns, variant: Variant) -> dict[str, Scores]:
    """Score the baselines of a corpus; see `comparison.baseline_scores`."""
    return comparison.baseline_scores(columns.sources, columns.references, variant)


@errors_refused()
def score_variants(
    source: str, output: str, references: Sequence[str], variants: Mapping[str, Variant]
) -> dict[str, Scores]:
    """Return the scores of one segment under several variants, by name."""
    return score_corpus_variants(_segment(source, output, references), variants)


@errors_refused()
def segment_warnings(source: str, output: str, references: Sequence[str], variant: Variant) -> list[WarningRow]:
    """Return the warnings about one segment and the variant."""
    return warning_rows(score_columns(_segment(source, output, references), variant).warnings())


@errors_refused()
def explain_segment_difference(
    source: str, output: str, references: Sequence[str], *, variant_a: Variant, variant_b: Variant
) -> comparison.VariantDifference:
    """Explain why two variants score one segment differently; see `comparison.explain_difference`."""
    segment = _segment(source, output, references)
    return comparison.explain_difference(segment, variant_a, variant_b)


@errors_refused()
def score_each_segment(columns: Columns, variant: Variant) -> ScoredCorpus:
    """Score a corpus."""
    check_limit(len(columns.sources), MAX_SEGMENTS, "segments")
    corpus = score_columns(columns, variant, sentences=True)
    result = corpus.result(details=True)
    sentences = result["sentences"]
    scores = zip(sentences["sari"], sentences["keep"], sentences["delete"], sentences["add"], strict=True)
    texts = zip(*columns, strict=True)
    rows = [
        ScoredSegment(line, *values, *text) for line, (values, text) in enumerate(zip(scores, texts, strict=True), 1)
    ]
    return ScoredCorpus(result, rows, warning_rows(corpus.warnings()))


@errors_refused()
def score_corpus_variants(columns: Columns, variants: Mapping[str, Variant]) -> dict[str, Scores]:
    """Return the scores of a corpus under several variants, by name."""
    check_limit(len(columns.sources), MAX_SEGMENTS, "segments")
    return {name: score_columns(columns, variant).scores() for name, variant in variants.items()}


def find_extremes(compared: ComparedSystems) -> dict[str, dict[str, list[int]]]:
    """Return for each system but the baseline the places of its biggest wins and losses, next to the baseline."""
    baseline = compared.scores[str(compared.result["baseline"])]
    found = {}
    for name, own in compared.scores.items():
        if name != compared.result["baseline"]:
            gains = [score - other for score, other in zip(own, baseline, strict=True)]
            order = sorted(range(len(gains)), key=lambda place: -gains[place])
            wins = [place for place in order[:_SHOWN] if gains[place] > 0]
            losses = [place for place in order[: -_SHOWN - 1 : -1] if gains[place] < 0]
            found[name] = {"Biggest wins": wins, "Biggest losses": losses}
    return found


@errors_refused()
def report_systems(
    systems: SystemColumns,
    variant: Variant,
    advance: Callable[[int, int, str], object],
    *,
    baseline: str | None = None,
    method: str | None = "randomization",
) -> str:
    """Return a page about systems: tests, companion measures, scores by length, examples.

    Args:
        systems, variant: as for `compare_systems`.
        advance: called with the number of a step that begins, from 0, how many there are, and what it does.
        baseline, method: as for `compare_systems`.
    """
    compared = compare_systems(systems, variant, baseline=baseline, method=method, details=True)
    total = building.steps(len(systems.predictions))
    numbers = iter(range(total))
    baselines = comparison.baseline_scores(systems.sources, systems.references, variant)
    rows = [ScoredOutputs(name=name, variant=variant.label, scores=scores) for name, scores in baselines.items()]
    document = building.build_report(
        systems,
        compared.statistics,
        replace(compared.report, baselines=[row for row in rows if row.name in BASELINE_SUMMARIES]),
        resampling=resolve_resampling(confidence=_CONFIDENCE),
        advance=lambda step: advance(next(numbers), total, step),
    )
    return report_page.report_as_html(document)


@errors_refused()
def compare_systems(
    systems: SystemColumns,
    variant: Variant,
    *,
    baseline: str | None = None,
    method: str | None = "randomization",
    resamples: int | None = None,
    details: bool = False,
) -> ComparedSystems:
    """Compare systems.

    Args:
        systems: what to compare, as the functions of `inputs` return it.
        variant: to score by.
        baseline, method, resamples, details: as those of `Sari.compare`.
    """
    check_limit(len(systems.sources), MAX_SEGMENTS, "segments")
    if baseline is not None and not isinstance(baseline, str):
        raise RefusedError(f"baseline: got {type(baseline).__name__}, expected the name of a system")
    resampling = resolve_resampling(confidence=_CONFIDENCE, method=method, resamples=resamples)
    statistics = comparison.score_systems(systems, variant, sentences=details, rows=True)
    result = comparison.compare(statistics, baseline=baseline, resampling=resampling, details=details)
    warnings = warning_rows(comparison.comparison_warnings(statistics, result))
    by_length = [
        (length, {name: corpus.scores_of(places)["sari"] for name, corpus in statistics.items()})
        for length, places in zip(*building.group_by_length(systems.sources, variant), strict=True)
    ]
    return ComparedSystems(variant.label, statistics, result, warnings, by_length)


class RankedVariant(NamedTuple):
    """What a variant says of systems.

    Attributes:
        variant: its name.
        scores: SARI by system.
        differences: by system, from the baseline.
        p_values: by system, corrected for the number of systems; empty without a test.
    """

    variant: str
    scores: dict[str, float]
    differences: dict[str, float]
    p_values: dict[str, float]

    def verdict(self, name: str) -> int:
        """Return 1 where a system is significantly better than the baseline, -1 where it is worse, else 0."""
        return int(np.sign(self.differences[name])) * (self.p_values.get(name, 1.0) < SIGNIFICANT)


@errors_refused()
def rank_under_variants(
    systems: SystemColumns,
    variants: Mapping[str, Variant],
    *,
    baseline: str,
    method: str | None = "randomization",
    advance: Callable[[int, int, str], object] = lambda *_: None,
) -> list[RankedVariant]:
    """Compare systems under several variants, to see whether the ranking holds.

    Args:
        systems: as for `compare_systems`.
        variants: by name.
        baseline, method: as for `compare_systems`.
        advance: as for `report_systems`.
    """
    how = resolve_resampling(method=method)
    ranked = []
    for number, (name, variant) in enumerate(variants.items()):
        advance(number, len(variants), name)
        statistics = comparison.score_systems(systems, variant, rows=True)
        own = comparison.compare(statistics, baseline=baseline, resampling=how)["systems"]
        others = {system: row for system, row in own.items() if system != baseline}
        scores = {system: row["sari"] for system, row in own.items()}
        differences = {system: row["sari"] - scores[baseline] for system, row in others.items()}
        tested = {system: row["corrected_p_values"]["sari"] for system, row in others.items() if method is not None}
        ranked.append(RankedVariant(name, scores, differences, tested))
    return ranked


def _segment(source: str, output: str, references: Sequence[str]) -> Columns:
    """Return one segment, or refuse what is missing."""
    try:
        (source,), (output,), (references,) = validate_columns([source], [output], [references or [""]])
    except (TypeError, ValueError) as error:
        named = str(error).replace("predictions[0]", "output").replace("sources[0]", "source")
        raise RefusedError(named.replace("references[0]", "references")) from error
    check_limit(len(source) + len(output) + sum(map(len, references)), MAX_CHARACTERS, "characters")
    check_references([references])
    if not source.strip():
        raise RefusedError("Please enter a source: the sentence to simplify.")
    if not any(reference.strip() for reference in references):
        raise RefusedError("Please enter at least one reference: a simplification written by a person, one per line.")
    return Columns([source], [output], [references])


def rate_corpus(columns: Columns, ratings: Sequence[float], variant: Variant) -> AgreementReport:
    """Return how SARI and its operations agree with the ratings of a corpus."""
    return rate_systems(
        SystemColumns(columns.sources, {"": columns.predictions}, columns.references), {"": ratings}, variant
    )


@errors_refused()
def rate_variants(
    columns: Columns, ratings: Sequence[float], variants: Mapping[str, Variant], first: str
) -> AgreementReport:
    """Return how SARI agrees with the ratings of a corpus under several variants.

    Args:
        columns: the segments.
        ratings: of the outputs.
        variants: by name.
        first: the variant that the others are compared with.
    """
    ordered = sorted(variants.values(), key=lambda variant: variant.name != first)
    return _report(RatedOutputs(columns, [""] * len(columns.sources), list(ratings)), ordered)


@errors_refused()
def rate_systems(systems: SystemColumns, ratings: Mapping[str, Sequence[float]], variant: Variant) -> AgreementReport:
    """Return how SARI and its operations agree with the ratings of systems' outputs; `ratings` by their names."""
    in_order = chain.from_iterable(ratings[name] for name in systems.predictions)
    return _report(RatedOutputs.of_systems(systems, in_order), [variant])


@errors_refused()
def count_references(columns: Columns, variant: Variant) -> list[ReferenceCount]:
    """Return the scores of a corpus with 1, 2, … of its references, of the first `_WIDTH` where there are more.

    A segment with a single one is refused.
    """
    check_limit(len(columns.sources), MAX_SEGMENTS, "segments")
    width = min(map(len, columns.references), default=0)
    if width < 2:
        raise RefusedError("Every segment needs at least two references for this.")
    columns = columns._replace(references=[row[:_WIDTH] for row in columns.references])
    subsets = min(_SUBSETS, max(1, _SEGMENTS // (len(columns.sources) * width)))
    systems = SystemColumns(columns.sources, {"": columns.predictions}, columns.references)
    return scores_by_references(systems, variant, subsets=subsets)


def _report(outputs: RatedOutputs, variants: Sequence[Variant]) -> AgreementReport:
    """Return how the scores of one variant agree, its operations among them, or SARI of several."""
    scores = []
    for variant in variants:
        found = rated_scores(score_columns(outputs.texts, variant, sentences=True, rows=True))
        scores += found if len(variants) == 1 else found[:1]
    resamples = min(_RESAMPLES, max(_FEWEST, _ROWS // len(outputs.ratings)))
    how = resolve_resampling(confidence=_CONFIDENCE if outputs.sources > 1 else None, resamples=resamples)
    warnings = check_resampling(outputs.sources, intervals=how.confidence is not None, tests=False)
    return report_agreement(scores, outputs, how, plain=_PLAIN, warnings=warning_rows(warnings))
