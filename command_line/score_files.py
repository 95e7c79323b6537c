"""Score text files, with tests, baselines and measures; make sentence scores and reports."""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from sari.command_line.choices import Choices, LeftOutWarning, resolve_choices
from sari.command_line.input_rows import with_own_measures
from sari.command_line.options import Options
from sari.command_line.progress_bar import step_bar
from sari.comparison import compare_corpora
from sari.corpus_statistics import CorpusStatistics, score_systems
from sari.data_warnings import merge_warnings, warning_rows
from sari.reports.building import complete_report
from sari.reports.by_references import scores_by_references
from sari.reports.formats import SENTENCE_FORMATS, format_of_ending
from sari.reports.score_report import BASELINES, ScoreReport, report_of
from sari.reports.score_tables import check_show, tabulate_scores
from sari.signatures import signature_warnings
from sari.significance import resampling_warnings
from sari.text_files.output_rows import SystemOutputs
from sari.validation import SystemColumns
from sari.variant_comparison import explain_difference
from sari.variants import resolve_variant

#: The statistics of systems by their names.
Scored = dict[str, CorpusStatistics]


def score_files(options: Options, outputs: SystemOutputs) -> tuple[ScoreReport, dict[str, Iterable[str]]]:
    """Score systems; return the report, and the lines of the files of `--report` and `--sentences` by their paths.

    Args:
        options: of the command line.
        outputs: of the systems.

    Raises:
        FileError: for a file that cannot be read.
        ValueError, TypeError: for options that the metric refuses.
        ImportError: for packages that are missing.
    """
    if options.report is not None and Path(options.report).suffix == ".html":
        import_module("sari.reports.report_page")  # packages that are missing are refused before anything is scored
    choices = resolve_choices(options)
    check_show(options.show or (), choices.measures)
    outputs = with_own_measures(outputs, options)
    report, first = _scored(outputs, options, choices)
    doubts = [*outputs.warnings, *signature_warnings(options.signature, report.signatures[0])]
    report = replace(report, warnings=[*report.warnings, *choices.left_out, *warning_rows(doubts)])
    report = _with_more(report, outputs.columns, options, choices)
    if options.by is not None:
        report = _with_subsets(report, outputs, options, choices)
    files: dict[str, Iterable[str]] = {}
    if options.report is not None:
        files[options.report] = [_document(first, report, outputs, options, choices)]
    if options.sentences is not None:
        sentences = {name: statistics.sentences() for name, statistics in first.items()}
        rows_of = SENTENCE_FORMATS[Path(options.sentences).suffix or ".tsv"]
        files[options.sentences] = rows_of(sentences, outputs)
    return report, files


def _scored(
    outputs: SystemOutputs, options: Options, choices: Choices, *, is_subset: bool = False
) -> tuple[ScoreReport, Scored]:
    """Return the scores of systems, baselines and measures, and the statistics by the first variant."""
    columns, resampling, quiet = outputs.columns, choices.resampling, is_subset or options.quiet
    kept = {"sentences": bool(options.report or options.sentences), "rows": resampling.is_wanted}
    scored = {}
    with step_bar("Scoring", len(choices.variants), quiet=quiet) as advance:
        for name, variant in choices.variants.items():
            advance(name)
            scored[name] = score_systems(columns, variant, **kept)
    comparisons = {
        name: compare_corpora(systems, resampling=resampling, details=True, all_pairs=options.all_pairs)
        for name, systems in scored.items()
    }
    named = options.baselines or []
    with step_bar("Measuring", 1 + len(choices.measures), quiet=quiet) as advance:
        report = complete_report(
            report_of(columns, comparisons, scored),
            choices.variants,
            choices.measuring(outputs),
            measures=choices.measures,
            baselines=BASELINES[:-1] if options.baselines == [] else named,
            has_test_set=not is_subset and (options.report is not None or options.format == "latex"),
            has_published=not is_subset and options.published,
            advance=advance,
        )
    if {"references", "each"}.intersection(named) and not any(
        row.name.startswith("reference") for row in report.baselines
    ):
        left_out = LeftOutWarning("references have no scores: every segment needs at least two")
        report = replace(report, warnings=[*report.warnings, *warning_rows([left_out])])
    return report, next(iter(scored.values()))


def _with_subsets(report: ScoreReport, outputs: SystemOutputs, options: Options, choices: Choices) -> ScoreReport:
    """Add the report of each subset; of its warnings, those about intervals and tests."""
    parts, subsets, doubts = outputs.subsets(), {}, {}
    with step_bar("Subsets", len(parts), quiet=options.quiet) as advance:
        for value, part in parts.items():
            advance(value)
            subsets[value], _ = _scored(part, options, choices, is_subset=True)
            few = resampling_warnings(subsets[value].rows[0].segments) if choices.resampling.is_wanted else ()
            doubts[f"{options.by} {value}"] = few
    warnings = [*report.warnings, *warning_rows(merge_warnings(doubts))]
    return replace(report, warnings=warnings, subset_column=options.by, subsets=subsets)


def _with_more(report: ScoreReport, columns: SystemColumns, options: Options, choices: Choices) -> ScoreReport:
    """Add the explanations and the scores by references that the options ask for."""
    explanations = []
    if options.why is not None:
        first, other = next(iter(choices.variants.values())), resolve_variant(options.why, **options.choices)
        explanations = [(name, explain_difference(columns.of(name), first, other)) for name in columns.predictions]
    by_references = []
    for variant in choices.variants.values() if options.by_references else ():
        by_references += scores_by_references(columns, variant, seed=choices.resampling.seed)
    return replace(report, explanations=explanations, by_references=by_references)


def _document(
    statistics: Scored, report: ScoreReport, outputs: SystemOutputs, options: Options, choices: Choices
) -> str:
    """Return a report of the systems as text, in the format that the path of `--report` ends in.

    Raises:
        ImportError: for packages that are missing.
    """
    from sari.reports import building, report_page

    style: dict[str, Any] = {"by_order": options.by_order, "digits": options.width, "show": options.show}
    with step_bar("Report", len(statistics) + 2, quiet=options.quiet) as advance:
        places: dict[str, Any] = {"seed": choices.resampling.seed, "names": outputs.names}
        report = building.build_report(statistics, report, outputs.columns, choices.settings, **places, advance=advance)
        advance("pictures and pages")
        ending = Path(options.report).suffix
        if ending == ".html":
            return report_page.report_as_html(report, **style)
        return format_of_ending(ending).write(replace(tabulate_scores(report, **style), **options.first_table))
