"""Complete a report: scores and measures by length of the source, of each segment, and the segments that it shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from sari.companion_measures.registry import Measure
from sari.comparison import baseline_scores
from sari.corpus_statistics import CorpusStatistics
from sari.reports.measuring import Measuring
from sari.reports.ngram_differences import ngram_differences
from sari.reports.score_report import Length, ScoreReport
from sari.reports.shown_segments import choose_segments
from sari.tokenization import split_into_tokens
from sari.variants import SCORES, Variant

_LENGTHS = 5
#: The baselines of every report: the sources, and the first references, which have no scores where they are the only.
_IN_EVERY_REPORT = ("copy", "reference 1")


def build_report(
    statistics: Mapping[str, CorpusStatistics],
    report: ScoreReport,
    *,
    measuring: Measuring,
    measures: Sequence[Measure] = (),
    advance: Callable[[str], object] = lambda _: None,
) -> ScoreReport:
    """Return a report of scored systems with everything that its page shows.

    Args:
        statistics: of each system, by name, made with `sentences=True` and `rows=True`.
        report: the scores by one variant, with intervals and tests.
        measuring: of the same texts. The seed of its intervals and tests also chooses random segments.
        measures: to compute, in the order of `MEASURES`, then those of the user.
        advance: called `steps` times, with the name of each step that begins.

    Raises:
        ValueError: for a measure computed elsewhere that has not a number for each segment of each system.
    """
    columns, resampling = measuring.columns, measuring.resampling
    variant, (label,) = next(iter(statistics.values())).variant, report.variants
    lengths, classes = group_by_length(columns.sources, variant)
    known = {row.name for row in report.baselines}
    missing = [name for name in _IN_EVERY_REPORT if name not in known]
    if missing:
        scored: Mapping[str, Any] = baseline_scores(columns.sources, columns.references, variant, resampling)
        report = report.with_baselines({label: {name: scored.get(name, {}) for name in missing}})
    rows = []
    for row in report.rows:
        if row.kind == "system":
            corpus = statistics[row.name]
            by_length = list(map(corpus.scores_of, classes))
            of_lengths: dict[str, Any] = {score: [scores[score] for scores in by_length] for score in SCORES}
            row = replace(row, lengths=of_lengths, sentences={**corpus.sentences()})
        rows.append(row)
    report = measuring.add(replace(report, rows=rows), measures, classes=classes, advance=advance)
    computed = [measure for measure in measures if measure.name in report.results[0].scores]
    advance("N-grams gained and lost")
    ngrams = ngram_differences(columns, variant, report.baseline_system or report.systems[0])
    segments = choose_segments(columns, variant, report.results, seed=resampling.seed, advance=advance)
    return replace(report, measures=computed, lengths=lengths, ngrams=ngrams, segments=segments)


def steps(systems: int, measures: Sequence[Measure] = ()) -> int:
    """Return how often `build_report` calls `advance` for a number of systems."""
    return len(measures) + 1 + systems


def group_by_length(sources: Sequence[str], variant: Variant) -> tuple[list[Length], list[list[int]]]:
    """Return classes of about the same size by the number of tokens of sources, and the segments of each."""
    tokens = np.array(list(map(len, split_into_tokens(sources, variant.source_text))))
    quantiles = np.quantile(tokens, np.linspace(0, 1, _LENGTHS + 1), method="closest_observation")
    *starts, longest = np.unique(quantiles).tolist()
    lengths, classes = [], []
    for begin, end in pairwise([*(starts or [longest]), longest + 1]):
        classes.append(((tokens >= begin) & (tokens < end)).nonzero()[0].tolist())
        lengths.append(Length(begin, end - 1, len(classes[-1])))
    return lengths, classes
