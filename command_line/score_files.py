"""Score text files, with tests, baselines and measures; make sentence scores and reports."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sari.command_line.arguments import BASELINES
from sari.command_line.choices import Choices, LeftOutWarning, resolve_choices
from sari.command_line.input_rows import with_own_measures
from sari.command_line.options import Options
from sari.command_line.progress_bar import step_bar
from sari.comparison import baseline_scores, compare_corpora
from sari.corpus_statistics import CorpusStatistics, score_systems
from sari.data_warnings import merge_warnings, warning_rows
from sari.reports.by_references import scores_by_references
from sari.reports.formats import SENTENCE_FORMATS, format_of_ending
from sari.reports.published_systems import find_standing
from sari.reports.score_report import ScoreReport, report_of
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
    choices = resolve_choices(options)
    check_show(options.show or (), choices.measures)
    outputs = with_own_measures(outputs, options)
    report, first = _scored(outputs, options, choices, quiet=options.quiet)
    doubts = [*outputs.warnings, *signature_warnings(options.signature, report.signatures[0])]
    report = replace(report, warnings=[*report.warnings, *choices.left_out, *warning_rows(doubts)])
    report = _with_more(report, outputs.columns, options, choices)
    if options.by is not None:
        report = _with_subsets(report, outputs, options, choices)
    files: dict[str, Iterable[str]] = {}
    if options.report is not None:
        files[options.report] = [_document(first, report, outputs, options, choices.resampling.seed)]
    if options.sentences is not None:
        sentences = {name: statistics.sentences() for name, statistics in first.items()}
        rows_of = SENTENCE_FORMATS[Path(options.sentences).suffix or ".tsv"]
        files[options.sentences] = rows_of(sentences, outputs)
    return report, files


def _scored(outputs: SystemOutputs, options: Options, choices: Choices, *, quiet: bool) -> tuple[ScoreReport, Scored]:
    """Return the scores of systems, baselines and measures, and the statistics by the first variant."""
    columns, resampling = outputs.columns, choices.resampling
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
    report = _with_baselines(report_of(columns, comparisons, scored), columns, options, choices)
    if choices.measures:
        with step_bar("Measuring", len(choices.measures), quiet=quiet) as advance:
            report = choices.measuring(outputs).add(report, choices.measures, advance=advance)
    return report, next(iter(scored.values()))


def _with_baselines(report: ScoreReport, columns: SystemColumns, options: Options, choices: Choices) -> ScoreReport:
    """Add the baselines that the options ask for."""
    names = options.baselines or []
    for label, variant in choices.variants.items() if names else ():
        scored = baseline_scores(columns.sources, columns.references, variant, choices.resampling)
        known = {name: row for name, row in scored.items() if ("each" if name[-1].isdigit() else name) in names}
        report = report.with_baselines(label, known)
    of_people = {"references", "each"}.intersection(names) and names != [*BASELINES[:-1]]
    if of_people and not any(row.name.startswith("reference") for row in report.baselines):
        left_out = LeftOutWarning("references have no scores: every segment needs at least two")
        report = replace(report, warnings=[*report.warnings, *warning_rows([left_out])])
    return report


def _with_subsets(report: ScoreReport, outputs: SystemOutputs, options: Options, choices: Choices) -> ScoreReport:
    """Add the report of each subset; of its warnings, those about intervals and tests."""
    parts, subsets, doubts = outputs.subsets(), {}, {}
    with step_bar("Subsets", len(parts), quiet=options.quiet) as advance:
        for value, part in parts.items():
            advance(value)
            subsets[value], _ = _scored(part, options, choices, quiet=True)
            few = resampling_warnings(subsets[value].rows[0].segments) if choices.resampling.is_wanted else ()
            doubts[f"{options.by} {value}"] = few
    warnings = [*report.warnings, *warning_rows(merge_warnings(doubts))]
    return replace(report, warnings=warnings, subset_column=options.by, subsets=subsets)


def _with_more(report: ScoreReport, columns: SystemColumns, options: Options, choices: Choices) -> ScoreReport:
    """Add the explanations, scores by references and published systems that the options ask for."""
    explanations = []
    if options.why is not None:
        first, other = next(iter(choices.variants.values())), resolve_variant(options.why, **options.choices)
        explanations = [(name, explain_difference(columns.of(name), first, other)) for name in columns.predictions]
    by_references = []
    for variant in choices.variants.values() if options.by_references else ():
        by_references += scores_by_references(columns, variant, seed=choices.resampling.seed)
    looked_up = choices.variants.values() if options.published or options.report or options.format == "latex" else ()
    standings = [find_standing(columns.sources, columns.references, variant) for variant in looked_up]
    return replace(
        report,
        test_set=(standings[0].test_set or None) if standings else None,
        explanations=explanations,
        by_references=by_references,
        published=standings if options.published else [],
    )


def _document(statistics: Scored, report: ScoreReport, outputs: SystemOutputs, options: Options, seed: int) -> str:
    """Return a report of the systems as text, in the format that the path of `--report` ends in.

    Raises:
        ImportError: for packages that are missing.
    """
    from sari.reports import building, report_page

    style: dict[str, Any] = {"by_order": options.by_order, "digits": options.width, "show": options.show}
    with step_bar("Report", len(statistics) + 2, quiet=options.quiet) as advance:
        report = building.build_report(
            statistics, report, outputs.columns, seed=seed, names=outputs.names, advance=advance
        )
        advance("pictures and pages")
        ending = Path(options.report).suffix
        if ending == ".html":
            return report_page.report_as_html(report, **style)
        return format_of_ending(ending).write(replace(tabulate_scores(report, **style), **options.first_table))
