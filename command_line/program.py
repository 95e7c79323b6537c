"""`score.py`: read files, and print scores, their agreement with ratings, the explanation of a line, or an error."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from sari.command_line.arguments import PROGRAM, check_rules, parse
from sari.command_line.options import OptionError, Options, in_options, refusals, warning_in_options
from sari.command_line.process import refuse, say
from sari.reports.formats import TABLE_FORMATS
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.reports.tables import TableReport
from sari.text_files.errors import FileError
from sari.text_files.named_sets import read_outputs, read_test_set
from sari.text_files.reading import Segment, batches, check_readable, gather, read_texts
from sari.text_files.table_files import OutputTable, read_output_table
from sari.text_files.writing import STANDARD_OUTPUT, check_writable
from sari.validation import Columns, SystemColumns, fault
from sari.variants import Variant, resolve_variant

if TYPE_CHECKING:  # what `--help` need not wait for
    from sari.data_warnings import WarningRow


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line and return its status: 0, or 2 for bad input, with an error on standard error.

    Args:
        arguments: of the command line; None for those of this process.
        program: the name at the start of errors.
    """
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # what matters of its tokenizers is an error, of one line
    options = parse(arguments, program)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more of them only wait for each other
    if options.dataset is None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing else needs the network
    try:
        with refusals():
            answer, messages = _answer(options)
    except (FileError, OptionError) as error:
        return refuse(program, str(error))
    if options.sentences != STANDARD_OUTPUT:  # which has the scores of segments instead
        print(answer, flush=True)
    written = [f"{path}: written" for path in options.written_paths if not options.quiet]
    for message in [*messages, *written]:
        say(program, message)
    return 0


def _answer(options: Options) -> tuple[str, list[str]]:
    """Return what to print, and the lines for standard error, and write the files of `--sentences` and `--report`.

    Raises:
        FileError: for a file that cannot be read or written.
        OptionError: for options that the metric refuses, or packages that are missing.
    """
    for path in options.input_paths:
        check_readable(path)
    for path in options.written_paths:
        check_writable(path, options.input_paths)
    if options.echo is not None:
        return _echoed(options), []
    segments, table = _read_segments(options)
    read = batches(segments)
    read = chain([next(read)], read)  # before slow imports, so that most faults of files are reported at once
    if options.explain is not None:
        return _explanation(options, read), []
    if options.find_variant is not None:
        return _formatted(_variant_search(options, read), options)
    if options.ratings is not None:
        from sari.command_line.rating_agreement import agree

        return _formatted(agree(options, read, table), options)
    from sari.command_line.score_files import score_files

    report = score_files(options, read)
    if options.quiet:
        report = replace(report, warnings=[])
    if options.score_only:
        signatures = [] if options.quiet else report.signatures
        return _scores_alone(report, options), [*signatures, *_warning_lines(report.warnings)]
    tables = tabulate_scores(report, by_order=options.by_order, digits=options.width, show=options.show)
    return _formatted(tables, options)


def _read_segments(options: Options) -> tuple[Iterable[Segment], OutputTable | None]:
    """Return the segments of the files, set the names of systems, and return the table, if there is one."""
    if options.table is not None:
        rating = options.ratings[0] if options.ratings is not None else None
        table = read_output_table(options.table, columns=options.columns, rating=rating, encoding=options.encoding)
        columns = SystemColumns(table.texts.sources, {"": table.texts.predictions}, table.texts.references)
        options.systems = options.file_systems
        if options.ratings is None:
            columns = table.by_system(*options.systems)
            options.systems = list(columns.predictions)
        check_rules(options)
        outputs = zip(*columns.predictions.values(), strict=True)
        return map(Segment, columns.sources, outputs, columns.references), table
    if options.dataset is not None:
        split = options.split or "test"
        files = {"outputs": options.output_paths, "encoding": options.encoding}
        return read_outputs(options.dataset, split=split, columns=options.columns, **files), None
    texts = (options.sources, options.output_paths, options.references)
    return read_texts(*texts, encoding=options.encoding, tab_separated=options.tab_separated), None


def _echoed(options: Options) -> str:
    """Return the sources of a test set, or its references with tabs between them, a line for each segment."""
    sources, references = read_test_set(options.dataset, split=options.split or "test", columns=options.columns)
    rows = references if options.echo == "references" else [[source] for source in sources]
    return "\n".join("\t".join(" ".join(text.split()) for text in row) for row in rows)


def _scores_alone(report: ScoreReport, options: Options) -> str:
    """Return a line with the SARI of each system by each variant, and with their names where there are several."""
    lines = []
    for row in report.results:
        line = f"{row.scores['sari']:.{options.width}f}"
        if len(report.variants) > 1:
            line += f"\t{row.name}\t{row.variant}" if len(report.systems) > 1 else f"\t{row.variant}"
        lines.append(line)
    return "\n".join(lines)


def _formatted(report: TableReport, options: Options) -> tuple[str, list[str]]:
    """Return tables in the format of the options, and their warnings, which text leaves to standard error."""
    printed = replace(report, warnings=[]) if options.format == "text" else report
    return TABLE_FORMATS[options.format].write(printed, options.layout), _warning_lines(report.warnings)


def _warning_lines(warnings: Iterable[WarningRow]) -> list[str]:
    return [f"warning: {warning_in_options(row)}" for row in warnings]


def _variant_search(options: Options, batches: Iterable[list[Segment]]) -> TableReport:
    """Search for the variant of the figure of `--find-variant`; several outputs are runs whose mean was printed."""
    from sari.reports.variant_search import tabulate_search
    from sari.sari_scorer import Scorer

    columns = gather(batches, options.systems)
    scorer = Scorer(**options.choices, variant=options.variant[0] if options.variant else None)
    search = scorer.find_variant(options.find_variant, **columns._asdict(), progress=not options.quiet)
    search["left_out"] = list(map(in_options, search["left_out"]))
    return tabulate_search(search, columns, digits=options.width)


def _explanation(options: Options, batches: Iterable[list[Segment]]) -> str:
    """Return the explanations of the lines of `--explain`: as JSON, or as text with colours on a terminal."""
    from sari.reports import terminal
    from sari.reports.explanation import explain

    (system,) = options.systems
    variant = resolve_variant(options.variants[0], **options.choices)
    columns = gather(batches, [system]).of(system)
    explained = {
        number: explain(
            source=columns.sources[number - 1],
            prediction=columns.predictions[number - 1],
            references=columns.references[number - 1],
            variant=variant,
        )
        for number in _lines_to_explain(options, columns, variant)
    }
    if options.format == "json":
        return terminal.explanations_as_json(list(explained.values()))
    return "\n\n".join(
        terminal.explanation_as_text(
            explanation,
            title=f"Line {number} of {system}",
            by_order=options.by_order,
            digits=options.width,
            colours=sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        )
        for number, explanation in explained.items()
    )


def _lines_to_explain(options: Options, columns: Columns, variant: Variant) -> list[int]:
    """Return the numbers of lines, each once, in the order of `--explain`."""
    from sari.corpus_statistics import score_columns

    lines = range(1, len(columns.sources) + 1)
    words = ", ".join(" ".join(map(str, values)) for values in options.explain)
    matches = re.findall(r"(worst|best)(?: (\d+))?|(\d+)", words)
    requests = [(which, int(count or line or 1)) for which, count, line in matches]
    ranked: dict[str, list[int]] = {}
    if "worst" in words or "best" in words:
        scores = score_columns(columns, variant, sentences=True).sentences()["sari"]
        ranked["worst"] = sorted(lines, key=lambda line: scores[line - 1])
        ranked["best"] = sorted(lines, key=lambda line: -scores[line - 1])
    chosen: list[int] = []
    for which, number in requests:
        if number > len(lines):
            raise ValueError(fault("--explain", number, f"at most {len(lines)}, the number of lines"))
        chosen += ranked[which][:number] if which else [number]
    return list(dict.fromkeys(chosen))
