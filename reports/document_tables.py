"""The tables of a report: what is printed of its systems, with the intervals and companion measures of the report."""

from dataclasses import replace

from sari.reports.companions import Measure
from sari.reports.document import Document, System
from sari.reports.score_report import ResamplingSummary, ScoredOutputs, ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.reports.tables import TableReport


def tabulate_document(document: Document, scored: ScoreReport) -> TableReport:
    """Return the tables of a report, which any of `formats.FORMATS` can write.

    Args:
        document: the report.
        scored: what is printed of its systems.
    """
    systems = {system.name: system for system in document.systems}
    variant = scored.results[0].variant
    measures = document.measures
    beside = [
        ScoredOutputs(name=system.name, variant=variant, scores=system.scores, measures=_values(system, measures))
        for system in document.beside
        if system.scores is not None
    ]
    report = replace(
        scored,
        results=[
            replace(
                result,
                confidence_intervals=systems[result.name].intervals,
                measures=_values(systems[result.name], measures),
                measure_intervals=systems[result.name].measure_intervals,
            )
            for result in scored.results
        ],
        baselines=scored.baselines or beside,
        measures=measures,
        warnings=document.warnings,
        resampling=_with_intervals(scored.resampling, document),
    )
    return tabulate_scores(report, by_order=document.by_order, digits=document.digits)


def _values(system: System, measures: list[Measure]) -> dict[str, float]:
    values = {measure.name: system.measures[measure.name] for measure in measures}
    return {name: value for name, value in values.items() if value is not None}


def _with_intervals(resampling: ResamplingSummary | None, document: Document) -> ResamplingSummary:
    plain = ResamplingSummary(
        confidence=None, method=None, resamples=None, trials=None, seed=document.seed, comparisons=0, baseline=None
    )
    return replace(resampling or plain, confidence=document.confidence, resamples=document.resamples)
