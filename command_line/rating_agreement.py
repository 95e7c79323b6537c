"""Compute how the scores of text files agree with ratings by people: `score.py --ratings`."""

from itertools import chain

import numpy as np

from sari.command_line.choices import resolve_choices
from sari.command_line.input_rows import RATINGS, read_systems, read_table, with_own_measures
from sari.command_line.options import Options
from sari.command_line.progress_bar import step_bar
from sari.corpus_statistics import score_columns
from sari.data_warnings import merge_warnings, warning_rows
from sari.human_ratings.correlation import SystemRows
from sari.human_ratings.correlation_report import tabulate_agreement
from sari.human_ratings.rated_outputs import (
    RatedOutputs,
    RatedScore,
    rated_scores,
    rating_warnings,
    report_agreement,
)
from sari.messages import RefusedValueError, fault
from sari.reports.measuring import MeasuredSystems
from sari.reports.tables import TableReport
from sari.signatures import signature_warnings
from sari.significance import FEWEST_RESAMPLES, resampling_warnings
from sari.text_files.output_rows import SystemOutputs
from sari.text_files.reading import name_of, stem
from sari.text_files.table_files import read_ratings
from sari.validation import Columns


def agree(options: Options) -> TableReport:
    """Return the agreement of scores with ratings.

    Raises:
        FileError: for a file that cannot be read, and a rating that is no number.
        ValueError: for options that the metric refuses, unknown measures, and ratings that are all the same.
    """
    every, rows = _rated_outputs(options)
    options.systems = list(rows.rows)
    choices = resolve_choices(options, resamples=FEWEST_RESAMPLES)
    resampling = choices.resampling
    is_rated = ~np.isnan(every.ratings)
    rated = every.where(is_rated)
    if len(set(rated.ratings)) < 2:
        got = f"{rated.ratings[0]:g} in every row" if rated.ratings else "no rating"
        raise RefusedValueError(fault("--ratings", got, "different ones: no score can correlate with one number"))
    kept = {"sentences": True, "rows": True}
    scored = {name: score_columns(rated.texts, variant, **kept) for name, variant in choices.variants.items()}
    scores = [score for corpus in scored.values() for score in rated_scores(corpus)]
    measured = choices.measuring(with_own_measures(rows, options)).measure(choices.measures)
    scores += _measure_scores(measured, is_rated)
    doubts = merge_warnings({name: corpus.warnings() for name, corpus in scored.items()})
    doubts += rating_warnings(every)
    doubts += resampling_warnings(rated.sources, unit="source") if resampling.confidence is not None else []
    doubts += signature_warnings(options.signature, next(iter(scored.values())).signature())
    doubts = [*rows.warnings, *doubts, *measured.warnings]
    warnings = [] if options.quiet else warning_rows(doubts) + choices.left_out  # in JSON, too
    steps = sum(map(len, rated.coefficients.values()))
    with step_bar("Resampling", steps, quiet=options.quiet) as advance:
        report = report_agreement(scores, rated, resampling, warnings=warnings, advance=advance)
    return tabulate_agreement(report)


def _rated_outputs(options: Options) -> tuple[RatedOutputs, SystemOutputs]:
    """Return a row for each output of each system, and what is measured: these, or a table's as those of one system."""
    if options.table is not None:
        table = read_table(options)
        rows = SystemOutputs({stem(options.table): table.rows})
    else:
        rows = read_systems(options)
        like = (name_of(options.dataset or options.sources[0]), rows.columns.sources)
        ratings = (read_ratings(path, like, encoding=options.encoding) for path in options.ratings)
        rows = rows.with_numbers(RATINGS, dict(zip(rows.rows, ratings, strict=True)))
    outputs = list(chain.from_iterable(rows.rows.values()))
    texts = Columns(*map(list, zip(*((row.source, row.prediction, row.references) for row in outputs), strict=True)))
    return RatedOutputs(texts, [row.system for row in outputs], [row.numbers[RATINGS] for row in outputs]), rows


def _measure_scores(measured: MeasuredSystems, is_rated: np.ndarray) -> list[RatedScore]:
    """Return the measures of each rated output, as if it were a whole corpus, and of systems."""
    scores = []
    for measure, numbers in measured.rows.items():
        rows, values_of = np.concatenate(numbers.swapaxes(0, 1))[is_rated], measure.values_of_sums
        signature = measured.signatures.get(measure.name, "")
        scores.append(RatedScore("", measure.name, values_of(rows, 1), SystemRows(rows, values_of), signature))
    return scores
