"""Gather the contents of a report: scores, companion measures, classes of source lengths, and examples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from sari.companion_measures.registry import MEASURES, REPORTED_MEASURES, Measure
from sari.comparison import score_systems
from sari.corpus_statistics import CorpusStatistics
from sari.reports.document import Document, Length, System
from sari.reports.examples import choose_examples, example_groups
from sari.reports.measuring import MeasuredSet, MeasuredSystems, SideData, without_trees
from sari.reports.ngram_differences import ngram_differences, tabulate_ngrams
from sari.reports.score_report import ResamplingSummary, ScoredOutputs, ScoreReport
from sari.significance import Resampling, resolve_resampling
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns
from sari.variants import OPTIONS, Variant

_LENGTHS = 5
# The key of baselines. No system has this name, so side data have no numbers for it.
_BESIDE = "\0"


def build_document(
    columns: SystemColumns,
    statistics: Mapping[str, CorpusStatistics],
    scored: ScoreReport,
    *,
    resampling: Resampling,
    side_data: SideData | None = None,
    measures: Sequence[Measure] = REPORTED_MEASURES,
    advance: Callable[[str], object] = lambda _: None,
) -> Document:
    """Gather the report of scored systems.

    Args:
        columns: checked texts.
        statistics: of each system, by name, made with `sentences=True` and `rows=True`.
        scored: the scores by one variant, with the warnings, tests, baselines and explanations to show.
        resampling: how intervals are computed. Its seed also chooses random segments.
        side_data: what some measures need in addition to the texts, such as dependency trees of the first references.
        measures: to compute, in the order of `MEASURES`, then those of the user.
        advance: called `steps` times, with the name of each step that begins.

    Raises:
        ValueError: for trees that are not those of the first references.
    """
    some = next(iter(statistics.values()))
    test_set = MeasuredSet(columns.sources, columns.references, some.variant, side_data)
    lengths = group_by_length(columns.sources, some.variant)
    measured = test_set.measure(columns.predictions, measures, advance=advance)
    systems = _systems(measured, statistics, measures, resampling, lengths)

    def baseline(name: str, outputs: list[str], references: list[list[str]], own_set: MeasuredSet) -> System:
        own = columns._replace(predictions={_BESIDE: outputs}, references=references)
        own_statistics = score_systems(own, some.variant, sentences=True, rows=True) if all(references) else {}
        own_measures = own_set.measure(own.predictions, measures, advance=advance)
        (system,) = _systems(own_measures, own_statistics, measures, resolve_resampling(), lengths)
        return replace(system, name=name)

    first, others = [row[0] for row in columns.references], [row[1:] for row in columns.references]
    source = baseline("copy", columns.sources, columns.references, test_set)
    of_others = MeasuredSet(columns.sources, others, some.variant, without_trees(side_data))
    reference = baseline("reference 1", first, others, of_others)
    nrefs = list(map(len, columns.references))
    compared_with = (scored.resampling and scored.resampling.baseline) or scored.results[0].name
    advance("N-grams gained and lost")
    ngrams = ngram_differences(columns, some.variant, compared_with)
    return Document(
        scored=_with_measures(scored, measured.measures, systems, [source, reference], resampling),
        references=(min(nrefs), max(nrefs)),
        tokens=", ".join(row.words(getattr(some.variant, name)) for name, row in OPTIONS.items() if row.step == "text"),
        lengths=[length for length, _ in lengths],
        systems=systems,
        baselines=[source, reference],
        ngrams=tabulate_ngrams(ngrams, compared_with),
        examples=choose_examples(columns, some.variant, systems, source, seed=resampling.seed, advance=advance),
    )


def steps(systems: int, measures: Sequence[Measure] = REPORTED_MEASURES) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return 3 * len(measures) + 1 + example_groups(systems)


def _systems(
    measured: MeasuredSystems,
    statistics: Mapping[str, CorpusStatistics],
    measures: Sequence[Measure],
    resampling: Resampling,
    lengths: list[tuple[Length, list[int]]],
) -> list[System]:
    """Describe measured systems; the only reference itself has no scores.

    Args:
        measured: their companion measures.
        statistics: by system.
        measures: those that were asked for.
        resampling: how intervals are computed.
        lengths: classes of lengths, each with the places of its segments.
    """
    values, intervals = measured.values(), measured.intervals(resampling)
    systems = []
    for place, name in enumerate(measured.systems):
        corpus = statistics.get(name)
        rows = {measure: table[:, place] for measure, table in measured.rows.items()}
        means = {measure.name: rows[measure.name][:, 0] for measure in measured.measures if not measure.adds_up}
        result = corpus.result(details=True, resampling=resampling) if corpus else None
        of_lengths: list[dict[str, Any]] = (
            [
                {
                    **corpus.scores_of(places),
                    **{measure.name: measure.value(rows[measure.name][places]) for measure in measured.measures},
                }
                for _, places in lengths
            ]
            if corpus
            else []
        )
        systems.append(
            System(
                name=name,
                scores=corpus.scores() if corpus else None,
                intervals=result.get("confidence_intervals") if result else None,
                orders=result["orders"] if result else [],
                sentences=result["sentences"] if result else None,
                measures={measure.name: values[name].get(measure.name) for measure in (*MEASURES, *measures)},
                measure_intervals=None if intervals is None else intervals[name],
                rows={measure: column.tolist() for measure, column in means.items()},
                lengths=of_lengths,
            )
        )
    return systems


def _with_measures(
    scored: ScoreReport, measures: list[Measure], systems: list[System], baselines: list[System], how: Resampling
) -> ScoreReport:
    """Add the intervals and measures of the systems, and baselines."""
    by_name = {system.name: system for system in systems}
    results = [
        replace(
            result,
            confidence_intervals=by_name[result.name].intervals,
            measures=by_name[result.name].known_measures,
            measure_intervals=by_name[result.name].measure_intervals,
        )
        for result in scored.results
    ]
    variant, rows = results[0].variant, {row.name: row for row in scored.baselines}
    for system in baselines:
        row = rows.get(system.name) or ScoredOutputs(name=system.name, variant=variant, scores=system.scores)
        rows[system.name] = replace(row, measures=system.known_measures)
    resampling = replace(
        scored.resampling or ResamplingSummary(seed=how.seed),
        confidence=how.confidence,
        resamples=how.resamples_for(scored.results[0].segments),
    )
    return replace(scored, results=results, baselines=list(rows.values()), measures=measures, resampling=resampling)


def group_by_length(sources: Sequence[str], variant: Variant) -> list[tuple[Length, list[int]]]:
    """Cut the segments into classes of about the same size by the number of tokens of their sources."""
    tokens = np.array(list(map(len, split_into_tokens(sources, variant.source_text))))
    quantiles = np.quantile(tokens, np.linspace(0, 1, _LENGTHS + 1), method="closest_observation")
    *starts, longest = np.unique(quantiles).tolist()
    classes = []
    for begin, end in pairwise([*(starts or [longest]), longest + 1]):
        rows = ((tokens >= begin) & (tokens < end)).nonzero()[0].tolist()
        classes.append((Length(begin, end - 1, len(rows)), rows))
    return classes
