"""Scores, comparisons and reports of input that `inputs` has checked, as plain data."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sari import comparison
from sari.aggregation import Scores
from sari.companion_measures.registry import MEASURES, Settings
from sari.corpus_statistics import CorpusStatistics, score_columns, score_systems
from sari.reports import building, report_page
from sari.reports.measuring import Measuring
from sari.reports.score_report import BASELINES, ScoreReport, ScoreRow, report_of
from sari.significance import resolve_resampling
from sari.validation import Columns, SystemColumns
from sari.variants import Variant
from sari.web.inputs import errors_refused
from sari.web.samples import samples

#: The confidence of intervals, and the paired test where none is chosen.
CONFIDENCE, METHOD = 0.95, "randomization"
#: The companion measures next to SARI, as far as this server has what they need.
_MEASURES = [measure for measure in MEASURES if measure.name in ("bleu", "fkgl") and not measure.missing]

#: How often `report_scores` calls `advance`.
SCORE_STEPS = 1 + len(_MEASURES)

Advance = Callable[[str], object]


def score_segment_baselines(segment: Columns, variant: Variant) -> dict[str, Scores]:
    """Score the baselines of a segment; see `comparison.baseline_scores`.

    A single segment has no neighbour to take an unrelated text from: the output of an example stands for it.
    """
    scores = comparison.baseline_scores(segment.sources, segment.references, variant)
    unrelated = next(sample.prediction for sample in samples() if [sample.source] != segment.sources)
    return {**scores, "unrelated": score_columns(segment._replace(predictions=[unrelated]), variant).scores()}


class ComparedSystems(NamedTuple):
    """Compared systems: their texts and variant, the statistics of each, their comparison, and the report of these."""

    columns: SystemColumns
    variant: Variant
    statistics: dict[str, CorpusStatistics]
    result: comparison.SystemComparison
    report: ScoreReport


def compare_systems(
    columns: SystemColumns, variant: Variant, *, baseline: str | None = None, method: str = METHOD
) -> ComparedSystems:
    """Compare systems with a baseline, the first where it is None, by a paired test; `method` is in `TESTS`."""
    with errors_refused():
        resampling = resolve_resampling(confidence=CONFIDENCE, method=method)
        statistics = score_systems(columns, variant, sentences=True, rows=True)
        result = comparison.compare_corpora(statistics, baseline=baseline, resampling=resampling, details=True)
    report = report_of(columns, {variant.label: result}, {variant.label: statistics})
    return ComparedSystems(columns, variant, statistics, result, report)


def report_scores(compared: ComparedSystems, settings: Settings, advance: Advance) -> ScoreReport:
    """Return the report of compared systems with baselines, published systems, BLEU and FKGL.

    `advance` is called with the name of each step that begins.
    """
    columns, variant = compared.columns, compared.variant
    resampling = resolve_resampling(confidence=CONFIDENCE, method=compared.result["method"])
    return building.complete_report(
        compared.report,
        {variant.label: variant},
        Measuring(columns, resampling, settings),
        measures=_MEASURES,
        baselines=BASELINES[:-1],
        has_published=True,
        advance=advance,
    )


def write_report(compared: ComparedSystems, settings: Settings, advance: Advance) -> str:
    """Return the page of HTML that `score.py --report` writes, in `SCORE_STEPS`, two more, and one for each system."""
    report = report_scores(compared, settings, advance)
    seed = compared.result["seed"]
    report = building.build_report(compared.statistics, report, compared.columns, settings, seed=seed, advance=advance)
    advance("pictures and pages")
    return report_page.report_as_html(report)


def rank_under_variants(columns: SystemColumns, variants: Mapping[str, Variant], advance: Advance) -> list[ScoreRow]:
    """Return the rows of all systems and of all pairs of them under several variants, by name."""
    resampling = resolve_resampling(method=METHOD)
    rows = []
    for name, variant in variants.items():
        advance(name)
        statistics = score_systems(columns, variant, rows=True)
        result = comparison.compare_corpora(statistics, resampling=resampling, all_pairs=True)
        rows += report_of(columns, {name: result}, {name: statistics}).rows
    return rows
