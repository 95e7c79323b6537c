"""Score text files, with tests, baselines and measures; make sentence scores and reports."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sari.command_line.arguments import BASELINES
from sari.command_line.choices import Choices, LeftOutWarning, resolve_choices
from sari.command_line.options import Options
from sari.command_line.progress_bar import step_bar
from sari.comparison import baseline_scores, compare_corpora
from sari.corpus_statistics import CorpusStatistics, score_systems
from sari.data_warnings import warning_rows
from sari.reports.by_references import scores_by_references
from sari.reports.formats import SENTENCE_FORMATS, format_of_ending
from sari.reports.published_systems import find_standing
from sari.reports.score_report import ScoreReport, report_of
from sari.reports.score_tables import check_show, tabulate_scores
from sari.signatures import signature_warnings
from sari.validation import SystemColumns
from sari.variant_comparison import explain_difference
from sari.variants import resolve_variant


def score_files(options: Options, columns: SystemColumns) -> tuple[ScoreReport, dict[str, Iterable[str]]]:
    """Score systems; return the report, and the lines of the files of `--report` and `--sentences` by their paths.

    Args:
        options: of the command line.
        columns: the texts.

    Raises:
        FileError: for a file that cannot be read.
        ValueError, TypeError: for options that the metric refuses.
        ImportError: for packages that are missing.
    """
    choices = resolve_choices(options)
    check_show(options.show or (), choices.measures)
    kept = {"sentences": bool(options.report or options.sentences), "rows": choices.resampling.is_wanted}
    scored = {}
    with step_bar("Scoring", len(choices.variants), quiet=options.quiet) as advance:
        for name, variant in choices.variants.items():
            advance(name)
            scored[name] = score_systems(columns, variant, **kept)
    comparisons = {
        name: compare_corpora(systems, resampling=choices.resampling, details=True, all_pairs=options.all_pairs)
        for name, systems in scored.items()
    }
    report = report_of(columns, comparisons, scored)
    first = next(iter(scored.values()))
    doubts = choices.left_out + warning_rows(signature_warnings(options.signature, report.signatures[0]))
    report = _with_more(replace(report, warnings=report.warnings + doubts), columns, options, choices)
    if choices.measures:
        from sari.reports.measuring import Measuring, chosen_tokenizer

        measuring = Measuring(
            columns, choices.resampling, chosen_tokenizer(choices.variants.values()), choices.side_data
        )
        with step_bar("Measuring", len(choices.measures), quiet=options.quiet) as advance:
            report = measuring.add(report, choices.measures, advance=advance)
    files: dict[str, Iterable[str]] = {}
    if options.report is not None:
        files[options.report] = [_document(first, report, columns, options, choices.resampling.seed)]
    if options.sentences is not None:
        sentences = {name: statistics.sentences() for name, statistics in first.items()}
        rows_of = SENTENCE_FORMATS[Path(options.sentences).suffix or ".tsv"]
        files[options.sentences] = rows_of(sentences, columns)
    return report, files


def _with_more(report: ScoreReport, columns: SystemColumns, options: Options, choices: Choices) -> ScoreReport:
    """Add the baselines, explanations and scores by references that the options ask for."""
    variants, _, resampling, _, _ = choices
    sources, _, references = columns
    names, warnings = options.baselines or [], list(report.warnings)
    for label, variant in variants.items() if names else ():
        scored = baseline_scores(sources, references, variant, resampling)
        known = {name: row for name, row in scored.items() if ("each" if name[-1].isdigit() else name) in names}
        report = report.with_baselines(label, known)
    of_people = {"references", "each"}.intersection(names) and names != [*BASELINES[:-1]]
    if of_people and not any(row.name.startswith("reference") for row in report.baselines):
        left_out = LeftOutWarning("references have no scores: every segment needs at least two")
        warnings += warning_rows([left_out])
    explanations = []
    if options.why is not None:
        first, other = next(iter(variants.values())), resolve_variant(options.why, **options.choices)
        explanations = [(name, explain_difference(columns.of(name), first, other)) for name in columns.predictions]
    by_references = []
    for variant in variants.values() if options.by_references else ():
        by_references += scores_by_references(columns, variant, seed=resampling.seed)
    looked_up = variants.values() if options.published or options.report or options.format == "latex" else ()
    standings = [find_standing(sources, references, variant) for variant in looked_up]
    return replace(
        report,
        warnings=warnings,
        test_set=(standings[0].test_set or None) if standings else None,
        explanations=explanations,
        by_references=by_references,
        published=standings if options.published else [],
    )


def _document(
    statistics: dict[str, CorpusStatistics], report: ScoreReport, columns: SystemColumns, options: Options, seed: int
) -> str:
    """Return a report of the systems as text, in the format that the path of `--report` ends in.

    Raises:
        ImportError: for packages that are missing.
    """
    from sari.reports import building, report_page

    style: dict[str, Any] = {"by_order": options.by_order, "digits": options.width, "show": options.show}
    with step_bar("Report", len(statistics) + 2, quiet=options.quiet) as advance:
        report = building.build_report(statistics, report, columns, seed=seed, advance=advance)
        advance("pictures and pages")
        ending = Path(options.report).suffix
        if ending == ".html":
            return report_page.report_as_html(report, **style)
        return format_of_ending(ending).write(replace(tabulate_scores(report, **style), **options.first_table))
