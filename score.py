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
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

from report import text_files
from report.tables import FORMATS, REPORT_ENDINGS, SENTENCE_FORMATS, Baseline, Report, Resampling, result_of
from variants import DELETIONS, LEVELS, VARIANTS, customized

PROGRAM = "score.py"

#: Of the intervals in a report, unless another one is asked for.
_CONFIDENCE = 0.95

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
        report = score(options)
    except (text_files.FileError, OptionError) as error:
        return _refuse(str(error))
    print(FORMATS[options.format](report, options.by_order))
    return 0


def score(options: argparse.Namespace) -> Report:
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
        metric = _loaded()
        with _progress_bar(corpus) as show_progress:
            read = _shown(chain([first], batches), show_progress)
            if _is_plain(options):
                report, sentences = _scored_alone(metric, read, options)
            else:
                columns = _gathered(read, _system_names(options))
                report, sentences = _compared(metric, columns, options)
    if options.sentences:
        lines = SENTENCE_FORMATS[Path(options.sentences).suffix](sentences)
        text_files.write_whole(options.sentences, lines)
    if options.report:
        _write_report(metric, columns, options)
    return report


def explain(options: argparse.Namespace) -> str:
    """Return why the line that the options name gets its score: as JSON, or as text with colours on a terminal.

    Raises:
        text_files.FileError: for a file that cannot be read.
        OptionError: for a line that is not there, and for options that the metric refuses.
    """
    from report import explanation, terminal

    with closing(_open_corpus(options)) as corpus:
        segment = _segment(corpus, options.explain)
    (prediction,) = segment.predictions
    metric = _loaded()
    with _refusals(), _notes(metric):  # what there is to say of corpora is not said of one line
        found = explanation.explain(
            metric,
            source=segment.source,
            prediction=prediction,
            references=segment.references,
            variant=options.variant,
            **_choices(options),
        )
    if options.format == "json":
        return terminal.as_json(found)
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal.as_text(
        found,
        title=f"Line {options.explain} of {_system_names(options)[0]}",
        by_order=options.by_order,
        colours=is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        width=shutil.get_terminal_size().columns if is_terminal else None,
    )


def _segment(corpus: text_files.Corpus, line: int) -> text_files.Segment:
    """Return the segment of a line, counted from 1."""
    before = 0
    for batch in corpus.batches():
        size = len(batch["sources"])
        if line <= before + size:
            place = line - before - 1
            return text_files.Segment(batch["sources"][place], batch["predictions"][place], batch["references"][place])
        before += size
    raise OptionError(f"--explain: got {line}, wanted a line from 1 to {before}")


def _loaded():
    try:
        return load_metric()
    except ImportError as error:
        raise OptionError(f"{error}, wanted what requirements.txt lists") from error


def _is_plain(options: argparse.Namespace) -> bool:
    """Tell whether scores are all that is wanted, so that no segment needs to be kept."""
    extras = (options.confidence, options.method, options.why, options.report)
    return len(_system_names(options)) == 1 and set(extras) == {None} and not options.baselines


def _scored_alone(metric, batches: Iterator[text_files.Batch], options: argparse.Namespace) -> tuple[Report, dict]:
    """Score one system batch by batch; return also the sentence scores, where they are wanted."""
    settings = {"sentences": options.sentences is not None, "threads": options.threads, **_choices(options)}
    with _refusals():
        states = {variant: metric.state(variant=variant, **settings) for variant in _variants(options)}
    for batch in batches:
        (predictions,) = zip(*batch["predictions"], strict=True)
        for state in states.values():
            state.update(sources=batch["sources"], predictions=predictions, references=batch["references"])
    (name,) = _system_names(options)
    details, notes = {}, {}
    for variant, state in states.items():
        with _notes(metric) as notes[variant]:
            details[variant] = state.compute(details=True)
    results = [
        result_of(name, variant, states[variant].segments, found["signature"], found)
        for variant, found in details.items()
    ]
    # Without a comparison, what a variant is good for is not the question.
    relevant = [note for note in _merged(notes) if note["category"] != "RewardsCopyingWarning"]
    return Report(results, notes=relevant), details[_variants(options)[0]].get("sentences", {})


def _compared(metric, columns: dict, options: argparse.Namespace) -> tuple[Report, dict]:
    """Score all systems, with what else is wanted; return also the first system's sentence scores."""
    predictions, texts = columns["predictions"], {name: columns[name] for name in ("sources", "references")}
    chosen = {"threads": options.threads, **_choices(options)}
    how = {name: getattr(options, name) for name in ("method", "confidence", "resamples", "seed")}
    results, baselines, found, notes = [], [], {}, {}
    with _refusals():
        for variant in _variants(options):
            with _notes(metric) as notes[variant]:
                found = metric.compare(**texts, predictions=predictions, variant=variant, **how, details=True, **chosen)
            results += [
                result_of(name, variant, found["segments"], found["signature"], system)
                for name, system in found["systems"].items()
            ]
            if options.baselines:
                rows = metric.baselines(**texts, variant=variant, **chosen)
                baselines += [Baseline(name, variant, scores) for name, scores in rows.items()]
        explanations = []
        if options.why is not None:
            pair = {"variant_a": options.variant, "variant_b": options.why}
            for name, own in predictions.items():
                explanation = metric.explain_difference(**texts, predictions=own, **pair, **chosen)
                explanations.append({"name": name, **explanation})
    resampling = None
    if (options.confidence, options.method) != (None, None):
        resampling = Resampling(
            **{name: found[name] for name in ("confidence", "method", "resamples", "seed", "baseline")}
        )
    report = Report(results, baselines, explanations, _merged(notes), resampling)
    return report, next(iter(found["systems"].values()))["sentences"]


def _write_report(metric, columns: dict, options: argparse.Namespace) -> None:
    with _refusals():
        from report import document, pages

        with _bar(desc="Measuring", total=document.steps(len(columns["predictions"]))) as bar:
            found = document.build(
                metric,
                sources=columns["sources"],
                systems=columns["predictions"],
                references=columns["references"],
                trees=_trees(options),
                confidence=options.confidence or _CONFIDENCE,
                resamples=options.resamples,
                seed=options.seed,
                advance=(lambda: None) if bar is None else bar.update,
                variant=options.variant,
                threads=options.threads,
                **_choices(options),
            )
    text_files.write_whole(options.report, [pages.FORMATS[Path(options.report).suffix](found)])


def _trees(options: argparse.Namespace) -> list | None:
    from report.generation import read_trees

    try:
        return options.trees and read_trees(options.trees)
    except OSError as error:
        raise text_files.FileError(f"{options.trees}: {error.strerror}, wanted a file to read") from error


def _gathered(batches: Iterator[text_files.Batch], names: Sequence[str]) -> dict:
    """Return all segments as the columns that `compare` takes."""
    sources, predictions, references = [], [], []
    for batch in batches:
        sources += batch["sources"]
        predictions += batch["predictions"]
        references += batch["references"]
    systems = dict(zip(names, map(list, zip(*predictions, strict=True)), strict=True))
    return {"sources": sources, "predictions": systems, "references": references}


def _shown(batches: Iterator[text_files.Batch], show_progress: Callable[[], None]) -> Iterator[text_files.Batch]:
    for batch in batches:
        yield batch
        show_progress()


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what the metric refuses into faults of the options: the texts have been checked."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise OptionError(str(error)) from error


@contextmanager
def _notes(metric) -> Iterator[list[dict[str, str]]]:
    """Yield a list that in the end has what the metric warned of."""
    notes: list[dict[str, str]] = []
    base = metric.warning_categories["SariWarning"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", base)
        yield notes
    notes += [
        {"category": warning.category.__name__, "message": str(warning.message)}
        for warning in caught
        if issubclass(warning.category, base)
    ]


def _merged(notes: dict[str, list[dict[str, str]]]) -> list[dict[str, str]]:
    """Return the notes on each variant, each once, and with the variants that it holds for if those are not all."""
    variants: dict[tuple[str, str], list[str]] = {}
    for variant, found in notes.items():
        for note in found:
            variants.setdefault((note["category"], note["message"]), []).append(variant)
    return [
        {"category": category, "message": message if len(of) == len(notes) else f"{', '.join(of)}: {message}"}
        for (category, message), of in variants.items()
    ]


def _open_corpus(options: argparse.Namespace) -> text_files.Corpus:
    if options.jsonl is not None:
        return text_files.open_jsonl(options.jsonl)
    return text_files.open_texts(options.sources, _output_paths(options), options.references)


def _inputs(options: argparse.Namespace) -> list[str]:
    if options.jsonl is not None:
        return [options.jsonl]
    return [options.sources, *_output_paths(options), *options.references]


def _output_paths(options: argparse.Namespace) -> list[str]:
    return [_name_and_path(output)[1] for output in options.outputs]


def _system_names(options: argparse.Namespace) -> list[str]:
    """Return the names that the user gave, or those of the files, with their folders where that tells them apart."""
    pairs = [_name_and_path(output) for output in options.outputs] if options.jsonl is None else [(None, options.jsonl)]
    names = [name or text_files.stem(path) for name, path in pairs]
    return [
        path if name is None and names.count(short) > 1 else short
        for (name, path), short in zip(pairs, names, strict=True)
    ]


def _name_and_path(output: str) -> tuple[str | None, str]:
    """Split NAME=FILE, unless that is the name of a file."""
    name, equals, path = output.partition("=")
    return (name, path) if name and equals and path and not os.path.exists(output) else (None, output)


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
    _check_combinations(parser, options)
    _check_report(parser, options)
    if options.sentences is not None and options.all_variants:
        parser.error("--sentences takes the scores of one variant, not --all-variants")
    try:
        customized(options.variant, **_choices(options))
    except (ValueError, TypeError) as error:
        parser.error(str(error))
    return options


def _check_combinations(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    names = _system_names(options)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        parser.error(f"--outputs: got {twice!r} twice, wanted a name for each: NAME=FILE")
    if options.method is not None and len(names) == 1:
        parser.error("--paired-bs and --paired-ar compare systems, wanted two or more --outputs")
    if options.sentences is not None and len(names) > 1:
        parser.error("--sentences takes the scores of one system")
    if options.why is not None and options.all_variants:
        parser.error("--why explains the difference to --variant, not --all-variants")
    if options.by_order and options.format == "csv":
        parser.error("--by-order goes with the other formats, not csv")
    if options.explain is not None:
        _check_explain(parser, options)


def _check_explain(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.explain < 1:
        parser.error(f"--explain: got {options.explain}, wanted a line from 1")
    if options.format not in ("text", "json"):
        parser.error(f"--explain goes with the formats text and json, not {options.format}")
    others = (options.all_variants, options.sentences, options.confidence, options.method, options.why, options.report)
    if len(_system_names(options)) > 1 or options.baselines or any(others):
        parser.error("--explain shows one line of one system under one variant, and goes with nothing else")


def _check_report(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.report is not None and Path(options.report).suffix not in REPORT_ENDINGS:
        parser.error(f"--report: got {options.report!r}, wanted a name ending in {', '.join(REPORT_ENDINGS)}")
    if options.report is not None and options.all_variants:
        parser.error("--report is about one variant, not --all-variants")
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
    _add_comparison_options(parser.add_argument_group("comparison"))
    _add_report_options(parser.add_argument_group("report"))
    return parser


def _add_input_options(group) -> None:
    group.add_argument("--sources", metavar="FILE", help="the texts to simplify")
    group.add_argument(
        "--outputs",
        metavar="[NAME=]FILE",
        nargs="+",
        action="extend",
        help="what the system made of them; one file for each of several systems, the first being the baseline",
    )
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


def _add_comparison_options(group) -> None:
    group.add_argument(
        "--confidence",
        metavar="LEVEL",
        nargs="?",
        const=0.95,
        type=float,
        help="add confidence intervals, by bootstrap over segments (default level: 0.95)",
    )
    test = group.add_mutually_exclusive_group()
    test.add_argument(
        "--paired-bs",
        dest="method",
        action="store_const",
        const="bootstrap",
        help="test by paired bootstrap whether systems differ from the first",
    )
    test.add_argument(
        "--paired-ar",
        dest="method",
        action="store_const",
        const="randomization",
        help="test by paired approximate randomization whether systems differ from the first",
    )
    group.add_argument(
        "--resamples", metavar="N", type=int, help="how many resamples (default: 1000) or trials (default: 10000)"
    )
    group.add_argument("--seed", metavar="N", type=int, default=12345, help="of the resamples (default: 12345)")
    group.add_argument(
        "--baselines",
        action="store_true",
        help="add the scores of copied sources, empty outputs, and each reference against the others",
    )
    group.add_argument(
        "--why",
        metavar="VARIANT",
        choices=VARIANTS,
        help="explain the difference to another variant, one choice at a time",
    )


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
        "--report", metavar="FILE", help="write all there is to say about the systems to an .html, .md or .json file"
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
