"""`score.py`: read files, and print scores, their agreement with ratings, the explanation of a line, or an error."""

import logging
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from sari.command_line.arguments import PROGRAM, parse
from sari.command_line.options import OptionError, Options, in_options, needing, refusals, warning_in_options
from sari.command_line.process import refuse, say
from sari.reports.formats import TABLE_FORMATS
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.reports.tables import TableReport
from sari.text_files.errors import FileError
from sari.text_files.named_sets import open_test_set
from sari.text_files.reading import Corpus, Segment, check_readable, gather, open_texts
from sari.text_files.table_files import OutputTable, read_output_table
from sari.text_files.writing import check_writable
from sari.validation import fault
from sari.variants import resolve_variant


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line and return its status: 0, or 2 for bad input, with an error on standard error.

    Args:
        arguments: of the command line; None for those of this process.
        program: the name at the start of errors.
    """
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # what matters of its tokenizers is an error, of one line
    options = parse(arguments, program)
    if options.dataset is None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing else needs the network
    try:
        answer, warnings = _answer(options)
    except (FileError, OptionError) as error:
        return refuse(program, str(error))
    print(answer, flush=True)
    written = [f"{path}: written" for path in options.written_paths if not options.quiet]
    for message in [*(f"warning: {warning}" for warning in warnings), *written]:
        say(program, message)
    return 0


def _answer(options: Options) -> tuple[str, list[str]]:
    """Return what to print, and the warnings, and write the files of `--sentences` and `--report`.

    Raises:
        FileError: for a file that cannot be read or written.
        OptionError: for options that the metric refuses, or packages that are missing.
    """
    for path in options.input_paths:
        check_readable(path)
    for path in options.written_paths:
        check_writable(path, options.input_paths)
    table = None
    if options.table is not None:
        rating = options.ratings[0] if options.ratings is not None else None
        table = read_output_table(options.table, columns=options.columns, rating=rating, encoding=options.encoding)
    corpus = _open_corpus(options, table)
    batches = corpus.batches()
    first = next(batches)  # read before slow imports, so that most faults of files are reported at once
    batches = chain([first], batches)
    if options.explain is not None:
        return _explanation(options, batches), []
    if options.find_variant is not None:
        return _formatted(_variant_search(options, batches), options)
    if options.ratings is not None:
        with needing("report", "--ratings"):
            from sari.command_line.rating_agreement import agree
        return _formatted(agree(options, batches, table), options)
    with refusals():
        from sari.command_line.score_files import score_files
    report = score_files(options, corpus, batches)
    if options.quiet:
        report = replace(report, warnings=[])
    with refusals():
        tables = tabulate_scores(report, by_order=options.by_order, digits=options.width, show=options.show)
    answer, warnings = _formatted(tables, options)
    return _scores_alone(report, options) if options.score_only else answer, warnings


def _open_corpus(options: Options, table: OutputTable | None) -> Corpus:
    """Open the files of texts, or the test set and the files of outputs, unless there is a table."""
    if table is not None:
        return Corpus([], (Segment(source, (output,), row) for source, output, row in zip(*table.texts, strict=True)))
    if options.dataset is not None:
        return open_test_set(
            options.dataset,
            split=options.split or "test",
            columns=options.columns,
            outputs=options.output_paths,
            encoding=options.encoding,
        )
    return open_texts(
        str(options.sources),
        options.output_paths,
        options.references or [],
        encoding=options.encoding,
        tab_separated=options.tab_separated,
    )


def _scores_alone(report: ScoreReport, options: Options) -> str:
    """Return a line with the SARI of each system by each variant, and with their names where there are several."""
    lines = []
    for result in report.results:
        names = [result.name] * (len(report.systems) > 1) + [result.variant]
        score = f"{result.scores['sari']:.{options.width}f}"
        lines.append("\t".join([score, *names]) if len(report.variants) > 1 else score)
    return "\n".join(lines)


def _formatted(report: TableReport, options: Options) -> tuple[str, list[str]]:
    """Return tables in the format of the options, and their warnings, which text leaves to standard error."""
    printed = replace(report, warnings=[]) if options.format == "text" else report
    return TABLE_FORMATS[options.format].write(printed, options.layout), list(map(warning_in_options, report.warnings))


def _variant_search(options: Options, batches: Iterable[list[Segment]]) -> TableReport:
    """Search for the variant of the figure of `--find-variant`; several outputs are runs whose mean was printed."""
    with refusals():
        from sari.reports.variant_search import tabulate_search
        from sari.sari_scorer import Scorer

        columns = gather(batches, options.systems)
        scorer = Scorer(**options.choices, variant=options.variant[0] if options.variant else None)
        search = scorer.find_variant(options.find_variant, **columns._asdict(), progress=not options.quiet)
    search["left_out"] = list(map(in_options, search["left_out"]))
    return tabulate_search(search, columns, digits=options.width)


def _explanation(options: Options, batches: Iterable[list[Segment]]) -> str:
    """Return the explanations of the lines of `--explain`: as JSON, or as text with colours on a terminal."""
    with refusals():
        from sari.corpus_statistics import score_columns
        from sari.reports import terminal
        from sari.reports.explanation import explain

        (system,) = options.systems
        variant = resolve_variant(options.variants[0], **options.choices)
        columns = gather(batches, [system]).of(system)
        numbers = dict.fromkeys(options.explain)
        if "worst" in numbers:
            scores = score_columns(columns, variant, sentences=True).sentences()["sari"]
            worst = 1 + scores.index(min(scores))
            numbers = dict.fromkeys(worst if number == "worst" else number for number in numbers)
        explained = {}
        for number in numbers:
            if number > len(columns.sources):
                raise ValueError(fault("--explain", number, f"a line from 1 to {len(columns.sources)}"))
            explained[number] = explain(
                source=columns.sources[number - 1],
                prediction=columns.predictions[number - 1],
                references=columns.references[number - 1],
                variant=variant,
            )
    if options.format == "json":
        return terminal.explanations_as_json(list(explained.values()))
    is_terminal = sys.stdout.isatty()
    return "\n\n".join(
        terminal.explanation_as_text(
            explanation,
            title=f"Line {number} of {system}",
            by_order=options.by_order,
            digits=options.width,
            colours=is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
            width=shutil.get_terminal_size().columns if is_terminal else None,
        )
        for number, explanation in explained.items()
    )
