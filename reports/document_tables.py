"""The tables of a report: the printed scores, with the intervals and companion measures of the report."""

from dataclasses import replace

from sari.reports.companions import MEASURES, Measure
from sari.reports.document import Document, System
from sari.reports.score_report import ResamplingSummary, ScoredOutputs, ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.reports.tables import TableReport


def tabulate_document(document: Document, scored: ScoreReport) -> TableReport:
    """Return the tables of a report, for any format of `formats.FORMATS`.

    Args:
        document: the report.
        scored: the printed scores of its systems.
    """
    known = [measure for measure in MEASURES if any(own.measures[measure.name] is not None for own in document.systems)]
    names = {measure.name for measure in known}
    systems = {system.name: system for system in document.systems}
    variant = scored.results[0].variant
    beside = [
        ScoredOutputs(name=system.name, variant=variant, scores=system.scores, measures=_values(system, known))
        for system in document.beside
        if system.scores is not None
    ]
    report = replace(
        scored,
        results=[
            replace(
                result,
                confidence_intervals=systems[result.name].intervals,
                measures={**(result.measures or {}), **_values(systems[result.name], known)},
                measure_intervals=_intervals(result, systems[result.name]),
            )
            for result in scored.results
        ],
        baselines=scored.baselines or beside,
        measures=[*known, *(measure for measure in scored.measures if measure.name not in names)],
        warnings=document.warnings,
        resampling=_with_intervals(scored.resampling, document),
    )
    return tabulate_scores(report, by_order=document.by_order, digits=document.digits)


def _values(system: System, measures: list[Measure]) -> dict[str, float]:
    values = {measure.name: system.measures[measure.name] for measure in measures}
    return {name: value for name, value in values.items() if value is not None}


def _intervals(result: ScoredOutputs, system: System) -> dict[str, tuple[float, float]] | None:
    if system.measure_intervals is None:
        return None
    return {**(result.measure_intervals or {}), **system.measure_intervals}


def _with_intervals(resampling: ResamplingSummary | None, document: Document) -> ResamplingSummary:
    plain = ResamplingSummary(
        confidence=None, method=None, resamples=None, trials=None, seed=document.seed, comparisons=0, baseline=None
    )
    return replace(resampling or plain, confidence=document.confidence, resamples=document.resamples)
