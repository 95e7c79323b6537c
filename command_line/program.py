"""`score.py`: read files, and print scores, their agreement with ratings, the explanation of a line, or an error."""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sari.command_line.arguments import PROGRAM, check_rules, parse
from sari.command_line.input_rows import read_systems
from sari.command_line.options import Options, flag_of, in_options
from sari.command_line.process import refuse, refuse_missing, say
from sari.data_warnings import WarningRow, warning_rows
from sari.messages import RefusedError, RefusedValueError, escape_unprintable, fault
from sari.reports.formats import TABLE_FORMATS
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.reports.tables import TableReport, warning_in_words
from sari.signatures import signature_warnings
from sari.text_files.errors import FileError, OptionError
from sari.text_files.named_sets import load_test_set
from sari.text_files.output_rows import SystemOutputs
from sari.text_files.writing import STANDARD_OUTPUT, check_writable, write_files
from sari.validation import SystemColumns
from sari.variants import resolve_variant

#: The options that import what scoring does not need.
_IMPORTED_BY = {"jinja2": "--report", "matplotlib": "--report", "scipy": "--ratings"}


class _Answer(NamedTuple):
    """What to print, the lines for standard error, and the lines of files by their paths."""

    text: str | None
    messages: Sequence[str] = ()
    files: Mapping[str, Iterable[str]] = {}


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line and return its status: 0, or 2 for bad input, with an error on standard error.

    Args:
        arguments: of the command line; None for those of this process.
        program: the name at the start of errors.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more of them only wait for each other
    try:
        options = parse(arguments, program)
        answer = _answer(options) if options.printed is None else _Answer(options.printed)
        _give(answer, program, quiet=options.quiet)
    except OptionError as error:
        return refuse(program, f"{error}; give {flag_of(error.option)} {error.value}")
    except FileError as error:
        return refuse(program, str(error))
    except ModuleNotFoundError as error:
        option = _IMPORTED_BY.get(error.name or "", "")
        return refuse_missing(program, option, error, "report" if option else "")
    except RefusedError as error:
        return refuse(program, in_options(str(error)))
    return 0


def _give(answer: _Answer, program: str, *, quiet: bool) -> None:
    """Print an answer and write its files; where one of the two fails, the other is done all the same."""
    try:
        if answer.text is not None:
            print(answer.text, flush=True)
        for message in answer.messages:
            say(program, message)
    finally:
        write_files(answer.files, lambda message: None if quiet else say(program, message))


def _answer(options: Options) -> _Answer:
    """Read the files of the options, and do what these ask for.

    Raises:
        FileError: for a file that cannot be read, or one to write that cannot be written.
        ValueError, TypeError: for options that the metric refuses.
        ImportError: for packages that are missing.
    """
    for path in options.written_paths:
        check_writable(path, options.input_paths)
    if options.echo is not None:
        return _Answer(_echoed(options))
    if options.ratings is not None:
        from sari.command_line.rating_agreement import agree

        return _formatted(agree(options), options)
    outputs = read_systems(options)  # before slow imports, so that faults of files are reported at once
    options.systems = list(outputs.rows)
    check_rules(options)
    if options.explain is not None:
        text, warnings = _explanation(options, outputs)
        return _Answer(text, _messages(warnings, options))
    if options.find_variant is not None:
        found = _variant_search(options, outputs.columns)
        warnings = [*warning_rows(outputs.warnings), *found.warnings]
        return _formatted(replace(found, warnings=[] if options.quiet else warnings), options)
    from sari.command_line.score_files import score_files

    report, files = score_files(options, outputs)
    if STANDARD_OUTPUT in files:  # which has the scores of segments instead
        return _Answer("\n".join(files.pop(STANDARD_OUTPUT)), _messages(report.warnings, options), files)
    if options.score_only:
        signatures = [] if options.quiet else report.signatures
        return _Answer(_sari_lines(report, options), [*signatures, *_messages(report.warnings, options)], files)
    if options.quiet:  # in JSON and CSV, too
        report = replace(report, warnings=[])
    tables = tabulate_scores(report, by_order=options.by_order, digits=options.width, show=options.show)
    return _formatted(tables, options)._replace(files=files)


def _echoed(options: Options) -> str:
    """Return the sources of a test set, or its references with tabs between them, a line for each segment."""
    sources, references = load_test_set(options.dataset, split=options.split, columns=options.column_names)
    rows = references if options.echo == "references" else [[source] for source in sources]
    return "\n".join("\t".join(" ".join(text.split()) for text in row) for row in rows)


def _sari_lines(report: ScoreReport, options: Options) -> str:
    """Return a line with the SARI of each system by each variant, and where these are several, with both names."""
    rows = [(f"{row.scores['sari']:.{options.width}f}", row.name, row.variant) for row in report.results]
    shown = 1 if len(report.scored_by) == 1 else 3
    return "\n".join("\t".join(row[:shown]) for row in rows)


def _formatted(report: TableReport, options: Options) -> _Answer:
    """Return tables in the format of the options, and their warnings for standard error, which text has itself."""
    warnings = [] if options.format == "text" else report.warnings
    printed = replace(report, warnings=warnings, **options.first_table)
    return _Answer(TABLE_FORMATS[options.format].write(printed), _messages(report.warnings, options))


def _messages(warnings: Sequence[WarningRow], options: Options) -> list[str]:
    """Return warnings as lines for standard error."""
    return [] if options.quiet else [f"warning: {warning_in_words(row)}" for row in warnings]


def _variant_search(options: Options, columns: SystemColumns) -> TableReport:
    """Search for the variant of the figure of `--find-variant`; several outputs are runs whose mean was printed."""
    from sari.reports.variant_search import tabulate_search
    from sari.sari_scorer import Scorer

    scorer = Scorer(**options.choices, variant=options.variant[0] if options.variant else None)
    search = scorer.find_variant(options.find_variant, **columns._asdict(), progress=not options.quiet)
    search["left_out"] = list(map(in_options, search["left_out"]))
    return tabulate_search(search, columns, digits=options.width)


def _explanation(options: Options, outputs: SystemOutputs) -> tuple[str, list[WarningRow]]:
    """Return the explanations of the lines of `--explain`, and warnings about the signature that was given.

    They are JSON, or text with colours on a terminal.
    """
    from sari.corpus_statistics import score_columns
    from sari.reports import terminal
    from sari.reports.explanation import explain

    variant = resolve_variant(options.variants[0], **options.choices)
    (system,) = outputs.rows
    columns, names = outputs.columns.of(system), outputs.names.get(system)
    scored = score_columns(columns, variant, sentences=True)
    warnings = warning_rows([*outputs.warnings, *signature_warnings(options.signature, scored.signature())])
    explained = {
        line: explain(
            source=columns.sources[line - 1],
            prediction=columns.predictions[line - 1],
            references=columns.references[line - 1],
            variant=variant,
        )
        for line in _lines_to_explain(options, scored.sentences()["sari"])
    }
    if options.format == "json":
        rows = [names[line - 1] for line in explained] if names else []
        return terminal.explanations_as_json(list(explained.values()), rows), warnings
    text = "\n\n".join(
        terminal.explanation_as_text(
            explanation,
            title=f"Line {line} of {system}{_row_name(names[line - 1]) if names else ''}",
            by_order=options.by_order,
            digits=options.width,
            colours=sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        )
        for line, explanation in explained.items()
    )
    return text, warnings


def _row_name(name: int | str) -> str:
    """Return the name of the row of a table, or of a document, behind the number of a line."""
    return f" (row {name})" if isinstance(name, int) else f" ({escape_unprintable(name)})"


def _lines_to_explain(options: Options, scores: Sequence[float]) -> list[int]:
    """Return the numbers of lines, which have these scores, each once, in the order of `--explain`."""
    worst = sorted(range(1, len(scores) + 1), key=lambda line: scores[line - 1])
    best = sorted(worst, key=lambda line: -scores[line - 1])
    chosen: list[int] = []
    for which, count, line in re.findall(r"(worst|best)(?: (\d+))?|(\d+)", " ".join(options.explain)):
        number = int(count or line or 1)
        if number > len(scores):
            raise RefusedValueError(fault("--explain", number, f"at most {len(scores)}, the number of lines"))
        chosen += {"worst": worst[:number], "best": best[:number]}.get(which, [number])
    return list(dict.fromkeys(chosen))
