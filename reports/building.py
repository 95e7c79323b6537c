"""Reports, gathered: what is known of the scored systems, companion measures, lengths of sources, and examples."""

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
from sari.reports.measuring import MeasuredSet, MeasuredSystems, SideData
from sari.reports.score_report import ScoreReport
from sari.significance import Resampling, resolve_resampling
from sari.state import CorpusStatistics
from sari.validation import SystemColumns
from sari.variants import Variant

_LENGTHS = 5


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
        scored: what is printed of the systems, where it has more than scores: tests, baselines, why variants differ.
        side_data: what some measures need beside the texts, such as dependency trees of the first references.
        resampling: how intervals around the scores are made; None for no intervals. Its seed also chooses segments.
        measures: among `MEASURES`, to compute.
        advance: called again and again while it works, `steps` times, with what begins.

    Raises:
        ValueError: for trees that are not those of the first references.
    """
    some = next(iter(statistics.values()))
    resampling = resampling or resolve_resampling()
    test_set = MeasuredSet(columns.sources, columns.references, some.variant, side_data)
    lengths = group_by_length(test_set.sources)
    first = [row[0] for row in columns.references]
    others = [row[1:] for row in columns.references]
    beside = dict(statistics)
    beside[SOURCE] = _scored(columns.sources, columns.sources, columns.references, some.variant)
    if all(others):
        beside[REFERENCE] = _scored(columns.sources, first, others, some.variant)
    measured = test_set.measure({**columns.predictions, SOURCE: columns.sources}, measures, advance=advance)
    of_reference = test_set.measure({REFERENCE: first}, measures, first_references=True, advance=advance)
    systems = _systems(measured, beside, resampling, lengths)
    reference = _systems(of_reference, beside, resolve_resampling(), lengths)
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
        systems=systems[:-1],
        beside=[replace(systems[-1], intervals=None, measure_intervals=None), *reference],
        examples=choose_examples(
            columns, some.variant, systems[:-1], systems[-1], seed=resampling.seed, advance=advance
        ),
        scored=scored,
    )


def steps(systems: int, measures: Sequence[Measure] = REPORTED_MEASURES) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return 2 * len(measures) + example_groups(systems)


def _scored(sources: list[str], outputs: list[str], references: list[list[str]], variant: Variant) -> CorpusStatistics:
    return score_systems(SystemColumns(sources, {"": outputs}, references), variant, sentences=True, rows=True)[""]


def _systems(
    measured: MeasuredSystems,
    statistics: Mapping[str, CorpusStatistics],
    resampling: Resampling,
    lengths: list[tuple[Length, list[int]]],
) -> list[System]:
    """Describe measured systems; the only reference itself has no scores.

    Args:
        measured: their companion measures.
        statistics: by system.
        resampling: how intervals are made.
        lengths: classes of lengths, each with the places of its segments.
    """
    values, intervals = measured.values(), measured.intervals(resampling)
    systems = []
    for place, name in enumerate(measured.systems):
        corpus = statistics.get(name)
        rows = {measure: table[:, place] for measure, table in measured.rows.items()}
        means = {measure.name: rows[measure.name][:, 0] for measure in measured.measures if not measure.of_sums}
        result = corpus.result(details=True, resampling=resampling) if corpus else None
        systems.append(
            System(
                name=name,
                scores=corpus.scores() if corpus else None,
                intervals=result.get("confidence_intervals") if result else None,
                orders=result["orders"] if result else [],
                sentences=result["sentences"] if result else None,
                measures={measure.name: values[name].get(measure.name) for measure in MEASURES},
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
