"""Gather the contents of a report: scores, companion measures, classes of source lengths, and examples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from sari.comparison import score_systems
from sari.data_warnings import WarningRow
from sari.reports.companions import MEASURES, REPORTED_MEASURES, Measure
from sari.reports.document import REFERENCE, SOURCE, Document, Length, System
from sari.reports.examples import choose_examples, example_groups
from sari.reports.measuring import MeasuredSet, MeasuredSystems, SideData, without_trees
from sari.reports.score_report import ScoreReport
from sari.significance import Resampling, resolve_resampling
from sari.state import CorpusStatistics
from sari.validation import SystemColumns
from sari.variants import Variant

_LENGTHS = 5
# The key of what stands beside the systems: no system has this name.
_BESIDE = "\0"


def build(
    columns: SystemColumns,
    statistics: Mapping[str, CorpusStatistics],
    *,
    warnings: Sequence[WarningRow] = (),
    scored: ScoreReport | None = None,
    side_data: SideData | None = None,
    resampling: Resampling | None = None,
    measures: Sequence[Measure] = REPORTED_MEASURES,
    advance: Callable[[str], object] = lambda _: None,
) -> Document:
    """Gather the report of scored systems.

    Args:
        columns: checked texts.
        statistics: of each system, by name, made with `sentences=True` and `rows=True`.
        warnings: about the texts.
        scored: what was asked for besides scores: tests, baselines, why variants differ; None for nothing.
        side_data: what some measures need beside the texts, such as dependency trees of the first references.
        resampling: how intervals are computed; None for no intervals. Its seed also chooses random segments.
        measures: to compute, in the order of `MEASURES`, then those of the user.
        advance: called `steps` times, with the name of each step that begins.

    Raises:
        ValueError: for trees that are not those of the first references.
    """
    some = next(iter(statistics.values()))
    resampling = resampling or resolve_resampling()
    test_set = MeasuredSet(columns.sources, columns.references, some.variant, side_data)
    lengths = group_by_length(test_set.sources)
    first = [row[0] for row in columns.references]
    others = [row[1:] for row in columns.references]
    measured = test_set.measure(columns.predictions, measures, advance=advance)
    of_source = test_set.measure({_BESIDE: columns.sources}, measures, advance=advance)
    against_others = MeasuredSet(columns.sources, others, some.variant, without_trees(side_data))
    of_reference = against_others.measure({_BESIDE: first}, measures, advance=advance)
    scored_source = {_BESIDE: _scored(columns.sources, columns.sources, columns.references, some.variant)}
    scored_reference = {_BESIDE: _scored(columns.sources, first, others, some.variant)} if all(others) else {}
    systems = _systems(measured, statistics, measures, resampling, lengths)
    (source,) = _systems(of_source, scored_source, measures, resolve_resampling(), lengths)
    (reference,) = _systems(of_reference, scored_reference, measures, resolve_resampling(), lengths)
    nrefs = list(map(len, columns.references))
    return Document(
        signature=some.signature,
        segments=some.segments,
        references=(min(nrefs), max(nrefs)),
        tokens=_in_words(some.variant),
        confidence=resampling.confidence,
        resamples=resampling.resamples,
        seed=resampling.seed,
        intervals=resampling.intervals,
        warnings=list(warnings),
        lengths=[length for length, _ in lengths],
        systems=systems,
        beside=[replace(source, name=SOURCE), replace(reference, name=REFERENCE)],
        measures=measured.measures,
        examples=choose_examples(columns, some.variant, systems, source, seed=resampling.seed, advance=advance),
        scored=scored,
    )


def steps(systems: int, measures: Sequence[Measure] = REPORTED_MEASURES) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return 3 * len(measures) + example_groups(systems)


def _scored(sources: list[str], outputs: list[str], references: list[list[str]], variant: Variant) -> CorpusStatistics:
    return score_systems(SystemColumns(sources, {"": outputs}, references), variant, sentences=True, rows=True)[""]


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
                lengths=[_of_class(corpus, measured, rows, places) for _, places in lengths] if corpus else [],
            )
        )
    return systems


def _of_class(
    corpus: CorpusStatistics, measured: MeasuredSystems, rows: Mapping[str, np.ndarray], places: list[int]
) -> dict[str, float]:
    """Return the scores and measures of a class of segments."""
    scores: dict[str, Any] = {**corpus.scores_of(places)}
    return scores | {measure.name: measure.value(rows[measure.name][places]) for measure in measured.measures}


def group_by_length(sources: Sequence[str]) -> list[tuple[Length, list[int]]]:
    """Cut the segments into classes of about the same size by the tokens of their sources."""
    tokens = np.array([len(text.split()) for text in sources])
    edges = np.unique(np.quantile(tokens, np.linspace(0, 1, _LENGTHS + 1), method="closest_observation"))
    edges[-1] += 1
    if len(edges) == 1:
        edges = np.array([edges[0] - 1, edges[0]])
    classes = []
    for begin, end in pairwise(edges.tolist()):
        rows = ((tokens >= begin) & (tokens < end)).nonzero()[0].tolist()
        if rows:
            classes.append((Length(begin, end - 1, len(rows)), rows))
    return classes


def _in_words(variant: Variant) -> str:
    tokenizer = variant.tokenize if isinstance(variant.tokenize, str) else "custom"
    return f"{tokenizer} tokens, {'lowercased' if variant.lowercase else 'with case'}"
