"""Scores, comparisons and reports of input that `inputs` has checked, as plain data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from sari import comparison
from sari.aggregation import Scores, named_scores
from sari.companion_measures.registry import MEASURES
from sari.corpus_statistics import CorpusStatistics, score_columns, score_systems
from sari.reports import building, report_page
from sari.reports.measuring import Measuring, chosen_tokenizer
from sari.reports.published_systems import find_standing
from sari.reports.score_report import ScoreReport, report_of
from sari.reports.score_tables import BASELINE_SUMMARIES
from sari.significance import resolve_resampling
from sari.validation import Columns, SystemColumns
from sari.variants import SCORES, SIGNIFICANT, Variant
from sari.web.inputs import errors_refused
from sari.web.samples import samples

#: The confidence of intervals.
CONFIDENCE = 0.95
#: The companion measures next to SARI, as far as this server has what they need.
_MEASURES = [measure for measure in MEASURES if measure.name in ("bleu", "fkgl") and not measure.missing]

#: Systems whose SARI differs by less are tied.
TIE = 0.1

Advance = Callable[[str], object]


def score_segment_baselines(segment: Columns, variant: Variant) -> dict[str, Scores]:
    """Score the baselines of a segment; see `comparison.baseline_scores`.

    The baselines are the segments of one corpus, and each is scored alone. A single segment has no neighbour to take
    an unrelated text from: the output of an example stands for it.
    """
    systems = comparison.baseline_columns(segment.sources, segment.references)
    outputs = {name: columns.of(name) for columns in systems for name in columns.predictions}
    unrelated = next(sample.prediction for sample in samples() if sample.source != segment.sources[0])
    outputs["unrelated"] = segment._replace(predictions=[unrelated])
    corpus = Columns(*(list(chain.from_iterable(column)) for column in zip(*outputs.values(), strict=True)))
    sentences = score_columns(corpus, variant, sentences=True).sentences()
    values = np.array([sentences[name] for name in SCORES]).T
    scores = {name: named_scores(row) for name, row in zip(outputs, values, strict=True)}
    people = values[[name.startswith("reference ") for name in outputs]]
    return {**scores, "references": named_scores(people.mean(axis=0))} if len(people) else scores


class ComparedSystems(NamedTuple):
    """Compared systems: the statistics of each, with what `comparison.compare_corpora` returns, and their report."""

    statistics: dict[str, CorpusStatistics]
    result: comparison.SystemComparison
    report: ScoreReport


def compare_systems(
    columns: SystemColumns, variant: Variant, *, baseline: str | None = None, method: str = "randomization"
) -> ComparedSystems:
    """Compare systems with a baseline, the first where it is None, by a paired test; `method` is in `TESTS`."""
    with errors_refused():
        resampling = resolve_resampling(confidence=CONFIDENCE, method=method)
        statistics = score_systems(columns, variant, sentences=True, rows=True)
        result = comparison.compare_corpora(statistics, baseline=baseline, resampling=resampling, details=True)
    return ComparedSystems(statistics, result, report_of({variant.label: result}, {variant.label: statistics}))


def report_scores(columns: SystemColumns, variant: Variant, compared: ComparedSystems, advance: Advance) -> ScoreReport:
    """Return the report of compared systems with baselines, published systems, BLEU and FKGL.

    Args:
        columns, variant: what was compared.
        compared: the systems.
        advance: called with the name of each step that begins.
    """
    advance("baselines")
    report = _with_baselines(columns, variant, compared)
    return _measuring(columns, variant, compared).add(report, _MEASURES, advance=advance)


def write_report(columns: SystemColumns, variant: Variant, compared: ComparedSystems, advance: Advance) -> str:
    """Return the page of HTML that `score.py --report` writes; the arguments are those of `report_scores`."""
    report = report_scores(columns, variant, compared, advance)
    report = building.build_report(compared.statistics, report, columns, seed=compared.result["seed"], advance=advance)
    advance("pictures and pages")
    return report_page.report_as_html(report)


def report_steps(systems: int) -> int:
    """Return how often `write_report` calls `advance`."""
    return 2 + len(_MEASURES) + building.steps(systems)


def _with_baselines(columns: SystemColumns, variant: Variant, compared: ComparedSystems) -> ScoreReport:
    scores = comparison.baseline_scores(columns.sources, columns.references, variant)
    baselines = {name: result for name, result in scores.items() if name in BASELINE_SUMMARIES}
    published = [find_standing(columns.sources, columns.references, variant)]
    return replace(compared.report.with_baselines({variant.label: baselines}), published=published)


def _measuring(columns: SystemColumns, variant: Variant, compared: ComparedSystems) -> Measuring:
    resampling = resolve_resampling(confidence=CONFIDENCE, method=compared.result["method"])
    return Measuring(columns, resampling, chosen_tokenizer([variant]))


class RankedVariant(NamedTuple):
    """The comparison of all pairs of systems under a variant.

    Attributes:
        variant: its name.
        scores: SARI by system.
        significant: the pairs of systems that differ significantly, corrected for the number of pairs.
    """

    variant: str
    scores: dict[str, float]
    significant: set[frozenset[str]]


class PairRanking(NamedTuple):
    """What variants say of two systems.

    Attributes:
        higher, lower: the systems, in their order under the chosen variant.
        agreeing, opposing: the variants under which the first is higher, and those under which the second is.
        agreeing_significantly, opposing_significantly: those of them with a significant difference.
    """

    higher: str
    lower: str
    agreeing: list[str]
    opposing: list[str]
    agreeing_significantly: list[str]
    opposing_significantly: list[str]

    @property
    def reverses(self) -> bool:
        """Whether variants rank the systems in both orders."""
        return bool(self.agreeing and self.opposing)

    @property
    def reverses_significantly(self) -> bool:
        """Whether a variant ranks the systems significantly in one order, and another in the other."""
        return bool(self.agreeing_significantly and self.opposing_significantly)


def rank_under_variants(
    columns: SystemColumns, variants: Mapping[str, Variant], *, method: str, advance: Advance
) -> list[RankedVariant]:
    """Compare all pairs of systems under several variants, by name; `method` is in `TESTS`."""
    resampling = resolve_resampling(method=method)
    ranked = []
    for name, variant in variants.items():
        advance(name)
        statistics = score_systems(columns, variant, rows=True)
        result = comparison.compare_corpora(statistics, resampling=resampling, all_pairs=True)
        scores = {system: result["systems"][system]["sari"] for system in columns.predictions}
        pairs = (pair for pair in result["pairs"] if pair["corrected_p_values"]["sari"] < SIGNIFICANT)
        ranked.append(RankedVariant(name, scores, {frozenset(pair["systems"]) for pair in pairs}))
    return ranked


def rank_pairs(ranked: Sequence[RankedVariant], chosen: str, names: Sequence[str]) -> list[PairRanking]:
    """Return what the variants say of every pair of systems, first of those that most variants rank otherwise.

    Args:
        ranked: the comparisons under all variants.
        chosen: the variant whose order is compared with those of the others.
        names: the systems that compete.
    """
    scores = next(row.scores for row in ranked if row.variant == chosen)
    pairs = []
    for one, other in combinations(sorted(names, key=lambda name: -scores[name]), 2):
        above = [row for row in ranked if row.scores[one] - row.scores[other] >= TIE]
        below = [row for row in ranked if row.scores[other] - row.scores[one] >= TIE]
        significant = ([row for row in rows if {one, other} in row.significant] for rows in (above, below))
        pairs.append(PairRanking(one, other, *([row.variant for row in rows] for rows in (above, below, *significant))))
    return sorted(pairs, key=lambda pair: (-len(pair.opposing_significantly), -len(pair.opposing)))
