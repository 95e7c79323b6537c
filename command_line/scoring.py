"""Scores of the files that the options name: one system batch by batch, or several held in memory and compared."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from sari.command_line.corpus import loaded_metric, open_corpus
from sari.command_line.noting import merged, notes_of
from sari.command_line.options import Options, refusals
from sari.command_line.progress import reading_bar
from sari.files.reading import Batch, Columns, gather
from sari.files.writing import check_writable, write_whole
from sari.report.formats import SENTENCE_FORMATS
from sari.report.results import (
    Baseline,
    Difference,
    Result,
    ScoreReport,
    resampling_of,
    result_of,
    without_comparison,
)


class Scored(NamedTuple):
    """What is printed, and the sentence scores of the first system by their names, where they are wanted."""

    report: ScoreReport
    sentences: dict[str, list[float]]


def score(options: Options) -> ScoreReport:
    """Score the files that the options name, in one pass, and write sentence scores and a report where they are wanted.

    Raises:
        FileError: for a file that cannot be read or written.
        OptionError: for options that the metric refuses, or packages that are missing.
    """
    for path in filter(None, (options.sentences, options.report)):
        check_writable(path, [*options.input_paths, *filter(None, [options.trees])])
    with closing(open_corpus(options)) as corpus:
        batches = corpus.batches()
        first = next(batches)  # read before the metric loads, so that most faults of files show at once
        metric = loaded_metric()
        with reading_bar(corpus) as show_progress:
            read = _shown(chain([first], batches), show_progress)
            if options.wants_only_scores:
                scored = _scored_alone(metric, read, options)
            else:
                columns = gather(read, options.systems)
                scored = _compared(metric, columns, options)
    if options.sentences:
        write_whole(options.sentences, SENTENCE_FORMATS[Path(options.sentences).suffix](scored.sentences))
    if options.report:
        from sari.command_line.documents import write_document

        write_document(metric, columns, options)
    return scored.report


def _shown(batches: Iterator[Batch], show_progress: Callable[[], object]) -> Iterator[Batch]:
    for batch in batches:
        yield batch
        show_progress()


def _scored_alone(metric, batches: Iterator[Batch], options: Options) -> Scored:
    """Score one system batch by batch."""
    settings = {"sentences": options.sentences is not None, "threads": options.threads, **options.choices}
    with refusals():
        states = {variant: metric.state(variant=variant, **settings) for variant in options.variants}
    for batch in batches:
        (predictions,) = zip(*batch["predictions"], strict=True)
        for state in states.values():
            state.update(sources=batch["sources"], predictions=predictions, references=batch["references"])
    (name,) = options.systems
    details: dict[str, dict[str, Any]] = {}
    notes: dict[str, list[dict[str, str]]] = {}
    for variant, state in states.items():
        with notes_of(metric) as notes[variant]:
            details[variant] = state.compute(details=True)
    results = [
        result_of(name, variant, states[variant].segments, scores["signature"], scores)
        for variant, scores in details.items()
    ]
    report = ScoreReport(results, notes=without_comparison(merged(notes)))
    return Scored(report, details[options.variants[0]].get("sentences", {}))


def _compared(metric, columns: Columns, options: Options) -> Scored:
    """Score all systems, with what else is wanted."""
    comparisons: dict[str, dict[str, Any]] = {}
    baselines: list[Baseline] = []
    notes: dict[str, list[dict[str, str]]] = {}
    how = {name: getattr(options, name) for name in ("method", "confidence", "resamples", "seed", "threads")}
    with refusals():
        for variant in options.variants:
            with notes_of(metric) as notes[variant]:
                comparisons[variant] = metric.compare(
                    **columns, variant=variant, **how, details=True, **options.choices
                )
            if options.baselines:
                baselines += _baselines(metric, columns, variant, options)
        explanations = _differences(metric, columns, options.why, options) if options.why is not None else []
    results = [result for variant, comparison in comparisons.items() for result in _results(variant, comparison)]
    last = comparisons[options.variants[-1]]
    resampling = None if options.confidence is None and options.method is None else resampling_of(last)
    report = ScoreReport(results, baselines, explanations, merged(notes), resampling)
    return Scored(report, next(iter(last["systems"].values()))["sentences"])


def _results(variant: str, comparison: dict[str, Any]) -> list[Result]:
    return [
        result_of(name, variant, comparison["segments"], comparison["signature"], details)
        for name, details in comparison["systems"].items()
    ]


def _baselines(metric, columns: Columns, variant: str, options: Options) -> list[Baseline]:
    texts = {"sources": columns["sources"], "references": columns["references"]}
    rows = metric.baselines(**texts, variant=variant, threads=options.threads, **options.choices)
    return [Baseline(name, variant, scores) for name, scores in rows.items()]


def _differences(metric, columns: Columns, other: str, options: Options) -> list[Difference]:
    texts = {"sources": columns["sources"], "references": columns["references"]}
    how = {"variant_a": options.variant, "variant_b": other, "threads": options.threads, **options.choices}
    return [
        Difference(name, **metric.explain_difference(**texts, predictions=predictions, **how))
        for name, predictions in columns["predictions"].items()
    ]
