"""Score simplifications in text files with SARI: `python score.py --sources S --outputs O --references R [R ...]`.

Other programs may use `from score import sari`. Only the standard library is imported at once, so that help and faults
in the arguments or the first lines of a file are answered without waiting for the metric to load.
"""

import argparse
import functools
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

from report import text_files
from report.tables import FORMATS, REPORT_ENDINGS, SCORES, SENTENCE_FORMATS, Result
from variants import DELETIONS, LEVELS, VARIANTS, customized

PROGRAM = "score.py"

#: Seconds of scoring before a progress bar appears.
_PATIENCE = 2.0


class OptionError(Exception):
    """Options that the metric refuses, or packages that it lacks, said in one line."""


def sari(sources: Sequence[str], predictions: Sequence[str], references: Sequence, **options) -> dict:
    """Return the SARI of predictions in percent.

    Args:
        sources: the texts to simplify.
        predictions: what a system made of each.
        references: for each, a list of simplifications made by people, or just one.
        options: those of the metric's `compute`, such as `variant="easse"` or `details=True`.

    Raises:
        ValueError: for bad input or options, in one line that says what came and what was wanted.
        TypeError: likewise, where the type is wrong.
    """
    return load_metric().compute(sources=sources, predictions=predictions, references=references, **options)


@functools.cache
def load_metric():
    """Return the metric that stands beside this file, whatever the working directory."""
    import evaluate

    return evaluate.load(str(Path(__file__).absolute().with_name("sari.py")))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for bad input, said on standard error."""
    options = _parse(arguments)
    try:
        if options.explain is not None:
            print(explain(options))
            return 0
        results = score(options)
    except (text_files.FileError, OptionError) as error:
        return _refuse(str(error))
    print(FORMATS[options.format](results, options.by_order))
    return 0


def score(options: argparse.Namespace) -> list[Result]:
    """Score the files that the options name, in one pass, and write sentence scores and a report where they are wanted.

    Raises:
        text_files.FileError: for a file that cannot be read or written.
        OptionError: for options that the metric refuses, or packages that are missing.
    """
    for path in filter(None, (options.sentences, options.report)):
        text_files.check_writable(path, [*_inputs(options), *filter(None, [options.trees])])
    with closing(_open_corpus(options)) as corpus:
        batches = corpus.batches()
        first = next(batches)  # read before the metric loads, so that most faults of files show at once
        states = _states(options)
        kept = []
        with _progress_bar(corpus) as show_progress:
            for batch in chain([first], batches):
                for state in states.values():
                    state.update(**batch)
                if options.report:
                    kept.append(batch)
                show_progress()
    details = {variant: state.compute(details=True) for variant, state in states.items()}
    if options.sentences:
        lines = SENTENCE_FORMATS[Path(options.sentences).suffix](details[options.variant]["sentences"])
        text_files.write_whole(options.sentences, lines)
    if options.report:
        _write_report(kept, options)
    return [
        Result(
            name=_system_name(options),
            variant=variant,
            segments=states[variant].segments,
            signature=found["signature"],
            scores={score: found[score] for score in SCORES},
            orders=found["orders"],
        )
        for variant, found in details.items()
    ]


def _write_report(batches: Sequence[text_files.Batch], options: argparse.Namespace) -> None:
    sources, outputs, references = (
        list(chain.from_iterable(column)) for column in zip(*(batch.values() for batch in batches), strict=True)
    )
    systems = {_system_name(options): outputs}
    try:
        from report import document, pages

        with _bar(desc="Measuring", total=document.steps(len(systems))) as bar:
            found = document.build(
                load_metric(),
                sources=sources,
                systems=systems,
                references=references,
                trees=_trees(options),
                advance=(lambda: None) if bar is None else bar.update,
                variant=options.variant,
                threads=options.threads,
                **_choices(options),
            )
    except (ValueError, TypeError, ImportError) as error:
        raise OptionError(str(error)) from error
    text_files.write_whole(options.report, [pages.FORMATS[Path(options.report).suffix](found)])


def _trees(options: argparse.Namespace) -> list | None:
    from report.generation import read_trees

    try:
        return options.trees and read_trees(options.trees)
    except OSError as error:
        raise text_files.FileError(f"{options.trees}: {error.strerror}, wanted a file to read") from error


def explain(options: argparse.Namespace) -> str:
    """Return why the line that the options name gets its score: as JSON, or as text with colours on a terminal.

    Raises:
        text_files.FileError: for a file that cannot be read.
        OptionError: for a line that is not there, and for options that the metric refuses.
    """
    from report import explanation, terminal

    with closing(_open_corpus(options)) as corpus:
        segment = _segment(corpus, options.explain)
    try:
        found = explanation.explain(_metric(), **segment, variant=options.variant, **_choices(options))
    except (ValueError, TypeError, ImportError) as error:
        raise OptionError(str(error)) from error
    if options.format == "json":
        return terminal.as_json(found)
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal.as_text(
        found,
        title=f"Line {options.explain} of {_system_name(options)}",
        by_order=options.by_order,
        colours=is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        width=shutil.get_terminal_size().columns if is_terminal else None,
    )


def _segment(corpus: text_files.Corpus, line: int) -> dict:
    """Return the segment of a line, counted from 1, as `report.explanation.explain` takes it."""
    before = 0
    for batch in corpus.batches():
        size = len(batch["sources"])
        if line <= before + size:
            names = {"source": "sources", "prediction": "predictions", "references": "references"}
            return {name: batch[column][line - before - 1] for name, column in names.items()}
        before += size
    raise OptionError(f"--explain: got {line}, wanted a line from 1 to {before}")


def _metric():
    try:
        return load_metric()
    except ImportError as error:
        raise OptionError(f"{error}, wanted what requirements.txt lists") from error


def _states(options: argparse.Namespace) -> dict:
    """Return an empty state for each variant that is asked for."""
    metric = _metric()
    settings = {"sentences": options.sentences is not None, "threads": options.threads, **_choices(options)}
    try:
        return {name: metric.state(variant=name, **settings) for name in _variants(options)}
    except (ValueError, TypeError, ImportError) as error:
        raise OptionError(str(error)) from error


def _open_corpus(options: argparse.Namespace) -> text_files.Corpus:
    if options.jsonl is not None:
        return text_files.open_jsonl(options.jsonl)
    return text_files.open_texts(options.sources, options.outputs, options.references)


def _inputs(options: argparse.Namespace) -> list[str]:
    if options.jsonl is not None:
        return [options.jsonl]
    return [options.sources, options.outputs, *options.references]


def _system_name(options: argparse.Namespace) -> str:
    """Return the name of the file with the outputs, without its folder and the usual endings."""
    path = options.outputs if options.jsonl is None else options.jsonl
    if path == text_files.STANDARD_INPUT:
        return "stdin"
    name = Path(path).name.removesuffix(".gz")
    return name.removesuffix(".txt").removesuffix(".jsonl") or name


def _variants(options: argparse.Namespace) -> list[str]:
    return list(VARIANTS) if options.all_variants else [options.variant]


def _choices(options: argparse.Namespace) -> dict:
    """Return the options that change the score, under any variant."""
    names = ("level", "deletion", "zero_division", "tokenize", "lowercase", "max_order")
    return {name: getattr(options, name) for name in names}


@contextmanager
def _progress_bar(corpus: text_files.Corpus) -> Iterator:
    """Yield a function that shows how much has been read."""
    with _bar(desc="Scoring", total=corpus.size, unit="B", unit_scale=True) as bar:
        yield lambda: bar is not None and bar.update(corpus.position - bar.n)


@contextmanager
def _bar(**how) -> Iterator:
    """Yield a bar that shows on a terminal, and only when it takes long; None elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    terminal = os.get_terminal_size(sys.stderr.fileno())
    with tqdm(
        delay=_PATIENCE,
        leave=False,
        file=sys.stderr,
        ncols=terminal.columns or 80,  # some terminals claim to have no size
        nrows=terminal.lines or 24,
        **how,
    ) as bar:
        yield bar


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; anything wrong with them ends the program with status 2."""
    parser = _parser()
    options = parser.parse_args(arguments)
    texts = {"--sources": options.sources, "--outputs": options.outputs, "--references": options.references}
    if options.jsonl is not None and any(value is not None for value in texts.values()):
        parser.error("--jsonl takes the place of --sources, --outputs and --references")
    if options.jsonl is None and None in texts.values():
        missing = ", ".join(name for name, value in texts.items() if value is None)
        parser.error(f"missing {missing}: wanted --sources, --outputs and --references, or --jsonl")
    if options.sentences is not None and Path(options.sentences).suffix not in SENTENCE_FORMATS:
        parser.error(f"--sentences: got {options.sentences!r}, wanted a name ending in {' or '.join(SENTENCE_FORMATS)}")
    if options.explain is not None and options.explain < 1:
        parser.error(f"--explain: got {options.explain}, wanted a line from 1")
    if options.explain is not None and (options.all_variants or options.sentences is not None):
        parser.error("--explain shows one line under one variant, not --all-variants or --sentences")
    _check_report(parser, options)
    if options.sentences is not None and options.all_variants:
        parser.error("--sentences takes the scores of one variant, not --all-variants")
    try:
        customized(options.variant, **_choices(options))
    except (ValueError, TypeError) as error:
        parser.error(str(error))
    return options


def _check_report(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.report is not None and Path(options.report).suffix not in REPORT_ENDINGS:
        parser.error(f"--report: got {options.report!r}, wanted a name ending in {', '.join(REPORT_ENDINGS)}")
    if options.report is not None and options.all_variants:
        parser.error("--report is about one variant, not --all-variants")
    if options.report is not None and options.explain is not None:
        parser.error("--explain shows one line, and writes no --report")
    if options.trees is not None and options.report is None:
        parser.error("--trees are for measures in a --report")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Score text simplification with SARI. Each line of a file is a segment; files may be gzipped, "
        "and - is standard input.",
        epilog="variants:\n" + "\n".join(f"  {row.name:<14}{row.summary}" for row in VARIANTS.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_input_options(parser.add_argument_group("input"))
    _add_metric_options(parser.add_argument_group("metric", "What is left out is the variant's own."))
    _add_report_options(parser.add_argument_group("report"))
    return parser


def _add_input_options(group) -> None:
    group.add_argument("--sources", metavar="FILE", help="the texts to simplify")
    group.add_argument("--outputs", metavar="FILE", help="what the system made of them")
    group.add_argument(
        "--references", metavar="FILE", nargs="+", action="extend", help="simplifications by people, line by line"
    )
    group.add_argument(
        "--jsonl",
        metavar="FILE",
        help="instead of the above, a JSON object per line: source, prediction (or output), references (a list or one)",
    )


def _add_metric_options(group) -> None:
    choice = group.add_mutually_exclusive_group()
    choice.add_argument(
        "--variant", metavar="NAME", choices=VARIANTS, default="hf", help="which SARI, see below (default: hf)"
    )
    choice.add_argument("--all-variants", action="store_true", help="every SARI there is, one row for each")
    group.add_argument("--level", choices=LEVELS, help="average sentence scores, or sum counts over the corpus first")
    group.add_argument("--deletion", choices=DELETIONS, help="what scores the deleted n-grams")
    group.add_argument("--zero-division", metavar="X", type=float, help="a precision or recall of 0/0, from 0 to 1")
    group.add_argument("--tokenize", metavar="NAME", help="13a, intl, none, char, zh, ja-mecab, ko-mecab, moses, ...")
    group.add_argument(
        "--lowercase", action=argparse.BooleanOptionalAction, default=None, help="lowercase all texts, or none"
    )
    group.add_argument("--max-order", metavar="N", type=int, default=4, help="the longest n-grams (default: 4)")
    group.add_argument("--threads", metavar="N", type=int, help="how many threads count (default: the metric's choice)")


def _add_report_options(group) -> None:
    group.add_argument("--format", choices=FORMATS, default="text", help="how to print the scores (default: text)")
    group.add_argument(
        "--by-order", action="store_true", help="add precision, recall and F1 per n-gram order (JSON always has them)"
    )
    group.add_argument(
        "--explain",
        metavar="N",
        type=int,
        help="instead of scores of the corpus, show why line N gets its own: every token marked, and why; "
        "with --by-order also the n-grams behind each figure",
    )
    group.add_argument(
        "--report", metavar="FILE", help="write all there is to say about the system to an .html, .md or .json file"
    )
    group.add_argument(
        "--trees", metavar="FILE", help="for the report, the dependency trees of the first references as CoNLL-U"
    )
    group.add_argument("--sentences", metavar="FILE", help="write a row of scores per segment to a .tsv or .jsonl file")


def _refuse(message: str) -> int:
    if sys.stderr is not None:  # closed by the caller; `print` would turn to standard output instead
        print(f"{PROGRAM}: error: {' '.join(message.splitlines())}", file=sys.stderr)
    return 2


def _program() -> int:
    """Run `main` as a program that ends quietly when it is interrupted or its reader has gone."""
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing here needs the network
    try:
        try:
            return main()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where a fault can still be caught
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        _discard_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        _discard_output()
        return _refuse(f"{error.filename or 'standard output'}: {error.strerror or error}")


def _discard_output() -> None:
    """Send what is still buffered nowhere, or the interpreter would try, and complain, once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(_program())
