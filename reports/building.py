"""Complete a report: baselines, measures and published systems; for its page, scores by length and shown segments."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sari.companion_measures.registry import Measure, Settings
from sari.comparison import baseline_scores
from sari.corpus_statistics import CorpusStatistics
from sari.reports.measuring import Measuring
from sari.reports.ngram_differences import ngram_differences
from sari.reports.published_systems import find_standing
from sari.reports.score_report import Length, ScoreReport
from sari.reports.shown_segments import choose_segments
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns
from sari.variants import SCORES, Text, Variant

_LENGTHS = 5


def complete_report(
    report: ScoreReport,
    variants: Mapping[str, Variant],
    measuring: Measuring,
    *,
    measures: Sequence[Measure] = (),
    baselines: Collection[str] = (),
    has_test_set: bool = False,
    has_published: bool = False,
    advance: Callable[[str], object] = lambda _: None,
) -> ScoreReport:
    """Return a report of compared systems with what is reported next to them.

    Args:
        report: the scores of systems.
        variants: by which they were scored, by label.
        measuring: their texts, and how they are measured.
        measures: the companion measures.
        baselines: some of `BASELINES`.
        has_test_set: whether the report names the test set, if the texts are of one that is known.
        has_published: whether it has the published systems of this test set.
        advance: called with the name of each step that begins: the baselines, then each measure.
    """
    sources, _, references = measuring.columns
    advance("baselines")
    for label, variant in variants.items() if baselines else ():
        scored = baseline_scores(sources, references, variant, measuring.resampling)
        wanted = {name: row for name, row in scored.items() if ("each" if name[-1].isdigit() else name) in baselines}
        report = report.with_baselines(label, wanted)
    if has_test_set or has_published:
        standings = [find_standing(sources, references, variant) for variant in variants.values()]
        published = standings if has_published else []
        report = replace(report, test_set=standings[0].test_set or None, published=published)
    return measuring.add(report, measures, advance=advance) if measures else report


def build_report(
    statistics: Mapping[str, CorpusStatistics],
    report: ScoreReport,
    columns: SystemColumns,
    settings: Settings,
    *,
    seed: int,
    names: Mapping[str, Sequence[int | str]] | None = None,
    advance: Callable[[str], object] = lambda _: None,
) -> ScoreReport:
    """Return a report of scored systems with everything that its page shows.

    Args:
        statistics: of each system, by name, made with `sentences=True` and `rows=True`.
        report: the scores by one variant.
        columns: the texts that were scored.
        settings: of companion measures.
        seed: of the random segments.
        names: of rows by system, as `SystemOutputs.names` has them; None where rows have no names.
        advance: called with the name of each step that begins: the n-grams, then each system.
    """
    variant = next(iter(statistics.values())).variant
    lengths, classes = group_by_length(columns.sources, variant)
    rows = []
    for row in report.rows:
        if row.kind == "system":
            corpus = statistics[row.name]
            by_length = list(map(corpus.scores_of, classes))
            of_lengths: dict[str, Any] = {score: [scores[score] for scores in by_length] for score in SCORES}
            row = replace(row, lengths=of_lengths, sentences={**corpus.sentences()})
        rows.append(row)
    report = replace(report, rows=rows, lengths=lengths)
    advance("N-grams gained and lost")
    ngrams = ngram_differences(columns, variant, report.baseline_system or report.systems[0])
    chosen: dict[str, Any] = {"seed": seed, "names": names or {}, "advance": advance}
    segments = choose_segments(columns, variant, report.results, Text(tokenize=settings.tokenize), **chosen)
    return replace(report, ngrams=ngrams, segments=segments)


def group_by_length(sources: Sequence[str], variant: Variant) -> tuple[list[Length], list[list[int]]]:
    """Return classes of about the same size by the number of tokens of sources, and the segments of each."""
    tokens = np.array(list(map(len, split_into_tokens(sources, variant.source_text))))
    longest = np.unique(np.quantile(tokens, np.linspace(0, 1, _LENGTHS + 1)[1:], method="closest_observation"))
    places = np.searchsorted(longest, tokens)
    classes = [np.flatnonzero(places == number) for number in range(len(longest))]
    lengths = [Length(int(tokens[one].min()), int(tokens[one].max()), len(one)) for one in classes]
    return lengths, [one.tolist() for one in classes]
