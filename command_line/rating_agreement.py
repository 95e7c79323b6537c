"""Compute how the scores of text files agree with ratings by people: `score.py --ratings`."""

import numpy as np

from sari.command_line.choices import resolve_choices
from sari.command_line.options import Options, read_systems
from sari.command_line.progress_bar import step_bar
from sari.corpus_statistics import score_columns
from sari.data_warnings import merge_warnings, warning_rows
from sari.human_ratings.correlation import COEFFICIENTS, SystemRows
from sari.human_ratings.correlation_report import tabulate_agreement
from sari.human_ratings.rated_outputs import RatedOutputs, RatedScore, rated_scores, report_agreement
from sari.messages import RefusedValueError, fault
from sari.reports.measuring import MeasuredSystems, Measuring, chosen_tokenizer
from sari.reports.tables import TableReport
from sari.signatures import signature_warnings
from sari.significance import FEWEST_RESAMPLES, resampling_warnings
from sari.text_files.reading import name_of, stem
from sari.text_files.table_files import read_output_table, read_ratings
from sari.validation import SystemColumns


def agree(options: Options) -> TableReport:
    """Return the agreement of scores with ratings.

    Raises:
        FileError: for a file that cannot be read, and a rating that is no number.
        ValueError: for options that the metric refuses, unknown measures, and ratings that are all the same.
    """
    rated, columns = _rated_outputs(options)
    options.systems = list(columns.predictions)
    variants, left_out, resampling, measures, side_data = resolve_choices(options, resamples=FEWEST_RESAMPLES)
    if len(set(rated.ratings)) < 2:
        wanted = "different ones: no score can correlate with one number"
        raise RefusedValueError(fault("--ratings", f"{rated.ratings[0]:g} in every row", wanted))
    scored = {
        name: score_columns(rated.texts, variant, sentences=True, rows=True) for name, variant in variants.items()
    }
    scores = [score for corpus in scored.values() for score in rated_scores(corpus)]
    measuring = Measuring(columns, resampling, chosen_tokenizer(variants.values()), side_data)
    scores += _measure_scores(measuring.measure(measures))
    doubts = merge_warnings({name: corpus.warnings() for name, corpus in scored.items()})
    doubts += resampling_warnings(rated.sources) if resampling.confidence is not None else []
    doubts += signature_warnings(options.signature, next(iter(scored.values())).signature())
    warnings = [] if options.quiet else warning_rows(doubts) + left_out  # in JSON, too
    with step_bar("Resampling", len(rated.levels) * len(COEFFICIENTS), quiet=options.quiet) as advance:
        report = report_agreement(scores, rated, resampling, warnings=warnings, advance=advance)
    return tabulate_agreement(report)


def _rated_outputs(options: Options) -> tuple[RatedOutputs, SystemColumns]:
    """Return a row for each output of each system, and what is measured: these, or a table's as those of one system."""
    if options.table is not None:
        (rating,) = options.ratings
        table = read_output_table(options.table, columns=options.columns, rating=rating, encoding=options.encoding)
        sources, outputs, references = table.texts
        systems = table.systems or [""] * len(sources)
        columns = SystemColumns(sources, {stem(options.table): outputs}, references)
        return RatedOutputs(table.texts, systems, table.ratings or []), columns
    columns = read_systems(options)
    reading = {"model": name_of(options.sources or options.dataset), "encoding": options.encoding}
    ratings = [rating for path in options.ratings for rating in read_ratings(path, len(columns.sources), **reading)]
    return RatedOutputs.of_systems(columns, ratings), columns


def _measure_scores(measured: MeasuredSystems) -> list[RatedScore]:
    """Return the measures of each output, as if it were a whole corpus, and of systems."""
    scores = []
    for measure, numbers in measured.rows.items():
        rows, values_of = np.concatenate(numbers.swapaxes(0, 1)), measure.values_of_sums
        signature = measured.signatures.get(measure.name, "")
        scores.append(RatedScore("", measure.name, values_of(rows, 1), SystemRows(rows, values_of), signature))
    return scores
