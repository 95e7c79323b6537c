"""Score text files in one pass, with tests, baselines and measures; write sentence scores and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sari.command_line.arguments import BASELINES
from sari.command_line.options import OptionError, Options, in_options, needing, refusals
from sari.command_line.progress_bar import reading_bar, step_bar
from sari.command_line.side_data import ChosenMeasures, choose_measures
from sari.comparison import (
    VariantDifference,
    compare,
    comparison_warnings,
    explain_difference,
    score_baselines,
    score_systems,
)
from sari.corpus_statistics import CorpusStatistics, score_columns
from sari.data_warnings import (
    BaselineLeftOutWarning,
    VariantLeftOutWarning,
    WarningRow,
    merge_warnings,
    signature_warnings,
    warning_rows,
)
from sari.reports.by_references import scores_by_references
from sari.reports.formats import SENTENCE_FORMATS, format_of_ending
from sari.reports.published_systems import find_standing, name_test_set
from sari.reports.score_report import ScoredOutputs, ScoreReport, pairs_of, resampling_of, results_of
from sari.reports.score_tables import check_show, tabulate_scores
from sari.significance import Resampling, resolve_resampling
from sari.text_files.reading import Corpus, Segment, gather
from sari.text_files.writing import write_lines
from sari.validation import SystemColumns
from sari.variants import Variant, resolve_variant, resolve_variants

#: The default level of the intervals in reports.
_CONFIDENCE = 0.95


def score_files(options: Options, corpus: Corpus, batches: Iterable[list[Segment]]) -> ScoreReport:
    """Score files in one pass, and write the files of `--sentences` and `--report`.

    Args:
        options: of the command line.
        corpus: the files, for the progress bar.
        batches: all segments of the files.

    Raises:
        FileError: for a file that cannot be read or written.
        OptionError: for options that the metric refuses.
    """
    variants, left_out = chosen_variants(options)
    with refusals():
        resampling = resolve_resampling(**options.resampling)
        chosen = choose_measures(options)
        check_show(options.show or (), chosen.measures)
    columns = None
    with reading_bar(corpus, quiet=options.quiet) as show_progress:

        def read() -> Iterator[list[Segment]]:
            for batch in batches:
                yield batch
                show_progress()

        if options.wants_only_scores:
            scored = _score_batches(read(), variants, options)
        else:
            columns = gather(read(), options.systems)
            # A report shows scores by length of the source, which need a row for each segment.
            rows = resampling.is_wanted or options.report is not None
            scored = {
                name: score_systems(columns, variant, sentences=True, rows=rows) for name, variant in variants.items()
            }
    report = _compared(scored, resampling, options)
    first = next(iter(scored.values()))
    report = replace(report, warnings=report.warnings + left_out + warnings_of_signature(options, first))
    if columns is not None:
        report = _with_more(report, columns, variants, resampling, options, chosen)
    document = None
    if columns is not None and options.report is not None:
        document = _report_file(options.report, columns, first, report, options, chosen)
    if options.sentences is not None:
        sentences = {name: own.sentences() for name, own in first.items()}
        write_lines(options.sentences, SENTENCE_FORMATS[Path(options.sentences).suffix](sentences, columns))
    if document is not None:
        write_lines(options.report, [document])
    return report


def chosen_variants(options: Options) -> tuple[dict[str, Variant], list[WarningRow]]:
    """Return the variants to score by, by their labels, and warnings about those that the options rule out."""
    with refusals():
        if not options.all_variants:
            chosen = [resolve_variant(name, **options.choices) for name in options.variants]
            return {variant.label: variant for variant in chosen}, []
    found, left_out = resolve_variants(**options.choices)
    if not found:
        raise OptionError(in_options(next(iter(left_out.values()))))
    unavailable = resolve_variants()[1]  # for want of a package, whatever the options
    messages = [f"{name} is left out: {in_options(why)}" for name, why in left_out.items() if name not in unavailable]
    return {variant.label: variant for variant in found.values()}, warning_rows(map(VariantLeftOutWarning, messages))


def warnings_of_signature(options: Options, scored: Mapping[str, CorpusStatistics]) -> list[WarningRow]:
    """Return the warning about a printed signature that differs from that of the scores."""
    here = next(iter(scored.values())).signature
    return warning_rows(signature_warnings(options.signature, here)) if options.signature is not None else []


def _score_batches(
    batches: Iterable[list[Segment]], variants: dict[str, Variant], options: Options
) -> dict[str, dict[str, CorpusStatistics]]:
    """Score one system batch by batch, so that memory use does not depend on the size of the files."""
    sentences, (system,) = options.sentences is not None, options.systems
    scored = {name: CorpusStatistics(variant=variant, keeps_sentences=sentences) for name, variant in variants.items()}
    for batch in batches:
        columns = gather([batch], [system]).of(system)
        for name, variant in variants.items():
            scored[name] = scored[name].merge(score_columns(columns, variant, sentences=sentences))
    return {name: {system: corpus} for name, corpus in scored.items()}


def _compared(scored: dict[str, dict[str, CorpusStatistics]], resampling: Resampling, options: Options) -> ScoreReport:
    """Return the scores of systems by variant, with intervals and tests."""
    comparisons = {
        name: compare(systems, resampling=resampling, details=True, all_pairs=options.all_pairs)
        for name, systems in scored.items()
    }
    warnings = merge_warnings(
        {name: comparison_warnings(systems, comparisons[name]) for name, systems in scored.items()}
    )
    return ScoreReport(
        results=[row for name, comparison in comparisons.items() for row in results_of(name, comparison, scored[name])],
        warnings=warning_rows(warnings),
        resampling=resampling_of(next(iter(comparisons.values()))) if resampling.is_wanted else None,
        pairs=[pair for name, comparison in comparisons.items() for pair in pairs_of(name, comparison)],
    )


def _with_more(
    report: ScoreReport,
    columns: SystemColumns,
    variants: dict[str, Variant],
    resampling: Resampling,
    options: Options,
    chosen: ChosenMeasures,
) -> ScoreReport:
    """Add the baselines, explanations, scores by references and measures that the options ask for."""
    counted = variants.values() if options.by_references else ()
    is_named = options.format == "latex" or options.report is not None
    baselines = _baseline_rows(columns, variants, resampling, options.baselines)
    named = options.baselines != [*BASELINES[:-1]] and {"references", "each"} & set(options.baselines or ())
    if named and not any(row.name.startswith("reference") for row in baselines):
        left_out = BaselineLeftOutWarning("references have no scores: every segment needs at least two")
        report = replace(report, warnings=[*report.warnings, *warning_rows([left_out])])
    report = replace(
        report,
        baselines=baselines,
        test_set=name_test_set(columns.sources, columns.references) if is_named else "",
        explanations=_differences(columns, next(iter(variants.values())), options),
        by_references=[
            row for variant in counted for row in scores_by_references(columns, variant, seed=resampling.seed)
        ],
        published=[
            find_standing(columns.sources, columns.references, variant)
            for variant in (variants.values() if options.published else ())
        ],
    )
    if not options.wants_measures:
        return report
    from sari.reports.measuring import add_measures, measured_text

    measures, side_data = chosen
    steps = len(set(map(measured_text, variants.values()))) * len(measures)
    with refusals(), step_bar("Measuring", steps, quiet=options.quiet) as advance:
        return add_measures(report, columns, variants, measures, how=resampling, side_data=side_data, advance=advance)


def _baseline_rows(
    columns: SystemColumns, variants: dict[str, Variant], how: Resampling, wanted: list[str] | None
) -> list[ScoredOutputs]:
    """Score the baselines of the options; "each" means each of the references."""
    if wanted is None:
        return []
    return [
        ScoredOutputs(name=baseline, variant=name, **result)
        for name, variant in variants.items()
        for baseline, result in score_baselines(columns.sources, columns.references, variant, how).items()
        if ("each" if baseline.startswith("reference ") else baseline) in wanted
    ]


def _differences(columns: SystemColumns, variant: Variant, options: Options) -> list[tuple[str, VariantDifference]]:
    """Explain the difference to the variant of `--why`, for each system."""
    if options.why is None:
        return []
    with refusals():
        other = resolve_variant(options.why, **options.choices)
    return [(name, explain_difference(columns.of(name), variant, other)) for name in columns.predictions]


def _report_file(
    path: str,
    columns: SystemColumns,
    statistics: dict[str, CorpusStatistics],
    printed: ScoreReport,
    options: Options,
    chosen: ChosenMeasures,
) -> str:
    """Return the text of a report of the systems, in the format that the path ends in.

    Raises:
        OptionError: for options that the metric refuses, trees that do not fit, or packages that are missing.
    """
    with needing("report", "--report"):
        from sari.companion_measures.registry import MEASURES
        from sari.reports import building, report_page
    with refusals():
        resampling = resolve_resampling(**{**options.resampling, "confidence": options.confidence or _CONFIDENCE})
        report = printed
        if options.confidence is None:  # reports have intervals
            (name,) = printed.variants
            compared = _compared({name: statistics}, resampling, options)
            known = {row["category"] for row in compared.warnings}
            own = [row for row in printed.warnings if row["category"] not in known]
            fields = {field: getattr(compared, field) for field in ("results", "resampling", "pairs")}
            report = replace(printed, **fields, warnings=[*compared.warnings, *own])
        measures = [row for row in MEASURES if row in chosen.measures or not row.is_slow]
        measures += [row for row in chosen.measures if row not in MEASURES]
        with step_bar("Report", building.steps(len(statistics), measures) + 1, quiet=options.quiet) as advance:
            report = building.build_report(
                columns,
                statistics,
                report,
                side_data=chosen.side_data,
                resampling=resampling,
                measures=measures,
                advance=advance,
            )
            advance("pictures and pages")
            ending = Path(path).suffix
            if ending in report_page.REPORT_FORMATS:
                return report_page.REPORT_FORMATS[ending](report, by_order=options.by_order, digits=options.width)
            tables = tabulate_scores(report, by_order=options.by_order, digits=options.width)
            return format_of_ending(ending).write(tables, options.layout)
