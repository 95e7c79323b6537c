"""The arguments of `score.py`: the options, and which of them can be combined.

Imports nothing slow, so that `--help` and errors appear at once.
"""

import argparse
import codecs
import io
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from sari.command_line.options import LEVEL, PAIRED_TESTS, SCORING_OPTIONS, OptionError, Options, flag_of, refusals
from sari.command_line.process import refuse
from sari.companion_measures.registry import MEASURES, SIDE_FILES
from sari.reports.formats import SENTENCE_FORMATS, TABLE_FORMATS
from sari.reports.paragraph import bibliography
from sari.reports.score_tables import SHOWN
from sari.signatures import read_signature
from sari.text_files.named_sets import ALIASES, NAMED_SETS
from sari.text_files.reading import STANDARD_INPUT
from sari.text_files.writing import STANDARD_OUTPUT
from sari.validation import check_choice, check_figure, either, fault, shown
from sari.variants import OPTIONS, PENALTIES, VARIANTS, VERSION, resolve_variant

#: The name of the program in a checkout; that of the installed program is `sari`.
PROGRAM = "score.py"


_PAIRED = tuple(map(flag_of, PAIRED_TESTS))
_TEST_FLAGS = (*_PAIRED, "--all-pairs")
_FILES = ("--sentences", "--report")
_ADDED = ("--baselines", "--why", "--by-references", "--published")
_COMPARISONS = ("--confidence", *_TEST_FLAGS, *_ADDED, "--measures", "--own-measure")


def _formats_but(*names: str) -> list[str]:
    return [f"--format {name}" for name in TABLE_FORMATS if name not in names]


#: The baselines that may be asked for.
BASELINES = ("copy", "empty", "unrelated", "references", "each")

#: Several systems or variants, as the rules below and messages name them.
SEVERAL_SYSTEMS, SEVERAL_VARIANTS = "two or more systems", "two or more names of --variant"
_OF_ONE_VARIANT = ("--explain", "--find-variant", "--report", "--sentences", "--why")


class Rule(NamedTuple):
    """What an option goes with.

    Attributes:
        needs: one of these.
        excludes: none of these.
        unprinted: these only with `--report`, which shows what is not printed.
    """

    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    unprinted: tuple[str, ...] = ()


#: What goes with what: options, some with a value, and several systems or variants.
RULES: dict[str, Rule] = {
    "--table": Rule(excludes=("--sources", "--outputs", "--references", "--dataset")),
    "--dataset": Rule(excludes=("--sources", "--references")),
    "--echo": Rule(needs=("--dataset",)),
    "--split": Rule(needs=("--dataset",)),
    "--columns": Rule(needs=("--dataset", "--table")),
    "--tab-separated": Rule(needs=("--references",)),
    "--signature": Rule(
        # A tokenizer that is imported is given beside the signature that names it.
        excludes=(
            *("--variant", "--all-variants", "--find-variant"),
            *(flag_of(name) for name in SCORING_OPTIONS if name != "tokenize"),
        ),
    ),
    "--all-variants": Rule(excludes=("--variant", *_OF_ONE_VARIANT)),
    SEVERAL_VARIANTS: Rule(excludes=_OF_ONE_VARIANT),
    SEVERAL_SYSTEMS: Rule(excludes=("--explain",)),
    "--resamples": Rule(needs=("--confidence", *_TEST_FLAGS, "--report")),
    "--seed": Rule(needs=("--confidence", *_TEST_FLAGS, "--by-references", "--report")),
    **{flag: Rule((SEVERAL_SYSTEMS,), _PAIRED[place + 1 :]) for place, flag in enumerate(_PAIRED)},
    "--all-pairs": Rule(needs=(SEVERAL_SYSTEMS,)),
    **{flag_of(file.name): Rule(needs=("--measures",)) for file in SIDE_FILES},
    "--stop-words": Rule(needs=("--word-ranks",)),
    "--show": Rule(excludes=("--format csv", "--format json", "--score-only", "--ratings", "--explain")),
    "--show intervals": Rule(needs=("--confidence", "--report")),
    **dict.fromkeys(("--show difference", "--show p"), Rule(needs=_TEST_FLAGS)),
    **dict.fromkeys(("--show group", "--show ranks"), Rule(needs=("--all-pairs",))),
    "--by-order": Rule(excludes=("--format csv",)),
    "--width": Rule(excludes=("--format csv", "--format json")),
    "--format csv": Rule(unprinted=("--by-references", "--published", "--why")),
    "--score-only": Rule(
        excludes=("--explain", "--ratings", "--by-order", *_formats_but("text")), unprinted=_COMPARISONS
    ),
    "--ratings": Rule(excludes=(*_TEST_FLAGS, *_ADDED, "--by-order", *_FILES, "--width")),
    "--explain": Rule(excludes=("--ratings", *_FILES, *_COMPARISONS, *_formats_but("text", "json"))),
    "--find-variant": Rule(
        excludes=("--explain", "--ratings", "--by-order", "--show", "--score-only", *_FILES, *_COMPARISONS)
    ),
    **dict.fromkeys(("--caption", "--label"), Rule(needs=("--format latex", "--report FILE.tex"))),
}


def parse(arguments: Sequence[str] | None, program: str = PROGRAM) -> Options:
    """Return the options, or end the program with status 2 and an error of one line.

    Args:
        arguments: of the command line; None for those of this process.
        program: the name at the start of errors.
    """
    parser = _parser(program)
    try:
        options, unknown = parser.parse_known_args(arguments, namespace=Options())
        if unknown:
            nearest = get_close_matches(unknown[0], _FLAGS, n=1)
            hint = f"; did you mean {nearest[0]}?" if nearest else ""
            raise OptionError(f"unknown argument {shown(unknown[0])}{hint}")
        _find_files(options)
        options.given = _given(options, parser)
        options.systems = options.file_systems if options.table is None else []
        with refusals():
            if options.signature is not None and options.given.isdisjoint(RULES["--signature"].excludes):
                chosen = read_signature(options.signature, tokenize=options.tokenize)
                vars(options).update(chosen, variant=[chosen["variant"]])
            check_rules(options)
            _check_inputs(options)
            _check_values(options)
    except argparse.ArgumentError as error:
        parser.error(f"{str(error.argument_name).partition('/')[0]}: {error.message}")
    except OptionError as error:
        parser.error(str(error))
    return options


def _find_files(options: Options) -> None:
    """Replace patterns by the files that they match; outputs that alone are missing come from a pipe."""
    if options.references is not None:
        options.references = list(chain.from_iterable(map(_matching, options.references)))
    if options.outputs is not None:
        outputs = ([pair] if pair[0] else [("", path) for path in _matching(pair[1])] for pair in options.outputs)
        options.outputs = list(chain.from_iterable(outputs))
    elif options.table is None and options.echo is None:
        has_texts = options.dataset is not None or None not in (options.sources, options.references)
        if has_texts and sys.stdin is not None and not sys.stdin.isatty():
            options.outputs = [("", STANDARD_INPUT)]


def check_rules(options: Options) -> None:
    """Refuse options that do not go together (OptionError); those about systems once these are known."""
    given = set(options.given)
    if len(options.systems) > 1:
        given.add(SEVERAL_SYSTEMS)
    for option, rule in RULES.items():
        if option not in given:
            continue
        for other in (*rule.excludes, *(() if "--report" in given else rule.unprinted)):
            if other in given:
                unless = " without --report" if other in rule.unprinted else ""
                raise OptionError(f"{other} does not go with {option}{unless}")
        is_known = options.systems or SEVERAL_SYSTEMS not in rule.needs
        if rule.needs and is_known and given.isdisjoint(rule.needs):
            raise OptionError(f"{option} needs {either(rule.needs)}")


def _given(options: Options, parser: argparse.ArgumentParser) -> set[str]:
    """Return what the rules name: options other than their defaults, some with their values, and several variants."""
    names = {flag_of(name) for name, value in vars(options).items() if value != parser.get_default(name)}
    names |= {f"--format {options.format}", *(f"--show {name}" for name in options.show or ())}
    if options.report is not None:
        names.add(f"--report FILE{Path(options.report).suffix}")
    if len(options.variants) > 1:
        names.add(SEVERAL_VARIANTS)
    return names


def _check_inputs(options: Options) -> None:
    """Refuse texts that are missing, and what does not fit the systems in number or name."""
    files, columns, others = ["outputs"], ["sources", "references"], ""
    if options.dataset is None:
        files, columns = ["outputs", "references", "sources"], ["sources", "outputs", "references"]
        others = ", or --table or --dataset"
    elif options.columns is None and options.dataset not in ALIASES:
        check_choice("--dataset", options.dataset, NAMED_SETS, "or another with its --columns")
    if options.echo is not None:
        return
    missing = [flag_of(name) for name in files if getattr(options, name) is None]
    if missing and options.table is None:
        expected = either(map(flag_of, files), "and")
        raise OptionError(f"missing {', '.join(missing)}: expected {expected}{others}")
    if options.columns is not None and len(options.columns) < len(columns):
        raise ValueError(fault("--columns", len(options.columns), f"those of {either(columns, 'and')}"))
    systems = options.file_systems
    for name in systems:
        if systems.count(name) != 1:
            raise ValueError(fault("--outputs", f"{shown(name)} twice", "a name for each: NAME=FILE"))
    if options.ratings is not None and len(options.ratings) != len(systems):
        each = "the name of a column of --table" if options.table is not None else "a file for each of --outputs"
        raise ValueError(fault("--ratings", len(options.ratings), f"{len(systems)}: {each}"))


def _check_values(options: Options) -> None:
    """Refuse names and figures that are not possible, before anything is read."""
    for name in [] if options.all_variants else options.variants:
        resolve_variant(name, **options.choices)
    if options.find_variant is not None:
        check_figure(options.find_variant)
    if options.why in options.variants and not options.all_variants:
        raise ValueError(fault("--why", f"{shown(options.why)}, which is the variant itself", "another"))
    if options.why is not None:
        check_choice("--why", options.why, VARIANTS)
    for name in options.baselines or ():
        check_choice("--baselines", name, BASELINES)
    paths = list(map(os.path.realpath, options.written_paths))
    if len(paths) != len(set(paths)):
        raise ValueError(fault("--report", f"{shown(options.report)}, which is the file of --sentences", "another"))


class Parser(argparse.ArgumentParser):
    """A parser whose errors have one line."""

    def error(self, message: str) -> NoReturn:
        """End the program with status 2, without the usage, which argparse would print first."""
        sys.exit(refuse(self.prog, message))

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse itself ignores errors of writing."""
        print(self.format_help(), end="", file=file)


class _Print(argparse.Action):
    """Print a text and end the program; the action `version` of argparse ignores errors of writing."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(self.const)
        parser.exit()


class _ExtendByNames(argparse.Action):
    """Collect lists of names in one; without names, that of `const`."""

    def __call__(self, _parser: object, namespace: argparse.Namespace, values: Any, _option: str | None = None) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *chain(*(values or [self.const]))])


def _checked(convert: Callable[[str], Any], accepts: Callable[[Any], object], wanted: str) -> Callable[[str], Any]:
    """Return a function for the `type` of argparse, from the text of an argument to a value that is accepted."""

    def value_of(text: str) -> Any:
        with suppress(ValueError, LookupError):
            value = convert(text)
            if accepts(value):
                return value
        raise argparse.ArgumentTypeError(f"got {shown(text)}, expected {wanted}")

    return value_of


def _named_path(output: str) -> tuple[str, str]:
    """Split NAME=FILE, unless that is the name of a file; the name may be empty."""
    name, equals, path = output.partition("=")
    return (name, path) if name and equals and path and not os.path.exists(output) else ("", output)


def _matching(pattern: str) -> list[str]:
    """Return the files that a pattern such as references.* matches, which shells of Windows leave to programs."""
    return [pattern] if os.path.exists(pattern) else sorted(glob(pattern)) or [pattern]


def _text_encoding(name: str) -> str:
    """Return the usual name of an encoding; raise LookupError if it is not one of text."""
    io.TextIOWrapper(io.BytesIO(), encoding=name)
    return codecs.lookup(name).name


_AT_LEAST_0 = _checked(int, lambda number: number >= 0, "a whole number of at least 0")
_AT_LEAST_1 = _checked(int, lambda number: number >= 1, "a whole number of at least 1")
_LINE_NUMBER = _checked(
    lambda text: text if text in ("worst", "best") else int(text),
    lambda line: line in ("worst", "best") or line >= 1,
    "a whole number of at least 1, worst or best",
)
_DECIMALS = _checked(int, range(16).__contains__, "a whole number from 0 to 15")
_NAMES = _checked(lambda text: text.split(","), all, "names with a comma between two")
_CONFIDENCE = _checked(float, lambda level: 0 < level < 1, "a number between 0 and 1, such as 0.95")
_ENCODING = _checked(_text_encoding, bool, "the name of a text encoding, such as utf-8 or latin-1")
_OWN_MEASURE = _checked(
    lambda text: tuple(text.split("=", 1)),
    lambda pair: len(pair) > 1 and pair[0].isidentifier() and pair[1],
    "NAME=FILE, with letters, digits and _ in the name",
)
_REPORT_ENDINGS = [".html", *(row.ending for row in TABLE_FORMATS.values())]
_REPORT = _checked(
    str, lambda path: Path(path).suffix in _REPORT_ENDINGS, f"a name ending in {either(_REPORT_ENDINGS)}"
)
_SENTENCES = _checked(
    str,
    lambda path: path == STANDARD_OUTPUT or Path(path).suffix in SENTENCE_FORMATS,
    f"a name ending in {either(SENTENCE_FORMATS)}, or -",
)
_LABEL = _checked(str, re.compile(r"[\w:.+/-]+").fullmatch, "letters, digits and : . + / - _")

_Option = dict[str, Any]


def _switch(help_text: str) -> _Option:
    return {"action": "store_true", "help": help_text}


def _value(metavar: str, help_text: str, **more: Any) -> _Option:
    return {"metavar": metavar, "help": help_text, **more}


def _values(metavar: str, help_text: str, **more: Any) -> _Option:
    return _value(metavar, help_text, nargs="+", action="extend", **more)


def _names(help_text: str, **more: Any) -> _Option:
    """Return the arguments for argparse of an option with names that commas or spaces separate."""
    return _value("NAME", help_text, **{"nargs": "+", "type": _NAMES, "action": _ExtendByNames, **more})


def _scoring_option(name: str) -> _Option:
    """Return the arguments for argparse of a scoring option."""
    option = OPTIONS[name]
    help_text = f"{option.help}: {', '.join(option.choices)}" if option.choices else option.help
    if option.default is not None:
        help_text += f" (default: {option.default})"
    if option.kind == "flag":
        return {"action": argparse.BooleanOptionalAction, "help": help_text}
    if option.kind == "number":
        read = _checked(option.read, lambda _: True, "a number")
        return _value("N", help_text, type=read, default=option.default)
    return _value("NAME", help_text, default=option.default)


#: The options of each group, with their arguments for argparse.
_GROUPS: dict[str, dict[str, _Option]] = {
    "other texts": {
        "--sources": _value("FILE", "the texts to simplify"),
        "--outputs": _values(
            "[NAME=]FILE", "simplifications by systems, a file each; tests compare with the first", type=_named_path
        ),
        "--references": _values("FILE", "simplifications by people, in one or several files"),
        "--table": _value(
            "FILE",
            "a table instead of these files (CSV, TSV, JSON, .xlsx, .parquet): source, prediction, references, system",
        ),
        "--dataset": _value("NAME", "a test set, instead of --sources and --references; other data need --columns"),
        "--echo": {"choices": ("sources", "references"), "help": "print these texts of --dataset, and nothing else"},
        "--split": _value("NAME", "the split of --dataset (default: test)"),
        "--columns": _values("NAME", "the columns of sources, of outputs (not with --dataset), and of references"),
        "--encoding": _value("NAME", "the encoding of all files (default: utf-8)", type=_ENCODING, default="utf-8"),
        "--tab-separated": _switch("each line of --references has several, separated by tabs"),
    },
    "scoring, with defaults that depend on the variant": {
        "--variant": _names(_scoring_option("variant")["help"]),
        "--all-variants": _switch("score by every variant, a row for each (dsari needs NLTK and its Punkt)"),
        **{flag_of(name): _scoring_option(name) for name in SCORING_OPTIONS},
        "--signature": _value("TEXT", "score as this printed signature says, instead of by these options"),
    },
    "tests and comparisons": {
        "--confidence": _value(
            "LEVEL", "add bootstrap intervals (default: 0.95)", nargs="?", const=LEVEL, type=_CONFIDENCE
        ),
        **{
            flag_of(name): _switch(f"test by {words} whether systems differ from the first")
            for name, (_, words) in PAIRED_TESTS.items()
        },
        "--all-pairs": _switch("test each pair, by randomization unless a test is named; sort and group systems"),
        "--resamples": _value(
            "N", "the number of resamples (default: 10,000; fewer for intervals of large files)", type=_AT_LEAST_1
        ),
        "--seed": _value("N", "the seed of the resamples (default: 12345)", type=_AT_LEAST_0),
        "--baselines": _names(
            f"add rows with the scores of {', '.join(BASELINES)} (default: all but each)",
            nargs="*",
            const=BASELINES[:-1],
        ),
        "--why": _value("VARIANT", "explain the difference to another variant, one choice at a time"),
    },
    "other measures than SARI": {
        "--measures": _names(f"add companion measures: {', '.join(row.name for row in MEASURES)}, or all"),
        "--own-measure": _values(
            "NAME=FILE", "add a measure computed elsewhere, from a file with a column per system", type=_OWN_MEASURE
        ),
        **{flag_of(file.name): _value("FILE", file.help) for file in SIDE_FILES},
    },
    "ratings by people": {
        "--ratings": _values("FILE", "show agreement with ratings: a file per system, or a column of --table")
    },
    "what is printed and written": {
        "--format": {"choices": TABLE_FORMATS, "default": "text", "help": "how to print the scores (default: text)"},
        "--show": _names(f"the columns of the table: {', '.join(SHOWN)}, or measures (default: all)"),
        "--by-order": _switch("add precision, recall and F1 per n-gram order (JSON always has them)"),
        "--by-references": _switch("add the mean and spread of the scores with 1, 2, ... of the references"),
        "--published": _switch("add the published systems of a known test set, such as ASSET, with their scores"),
        "--explain": _value(
            "N",
            "explain these lines alone, or the N worst or best (worst N, best N); with --by-order also n-grams",
            nargs="+",
            type=_LINE_NUMBER,
            action="append",
        ),
        "--find-variant": _value("FIGURE", "find the variants and options that print this SARI, such as 41.38"),
        "--report": _value(
            "FILE", "write a page (.html, .json) or its tables (.txt, .tex, .csv, .md), with intervals", type=_REPORT
        ),
        "--sentences": _value(
            "FILE",
            "write the scores of segments to .csv, .tsv or .jsonl, or print them (-); SARI of a corpus-level variant "
            "is not their mean",
            type=_SENTENCES,
        ),
        "--score-only": _switch("print only SARI, one score per line"),
        "--width": _value("N", "the decimals of scores (default: 2)", type=_DECIMALS, default=2),
        "--quiet": _switch("print no warnings, names of files or progress bars; a report still has its warnings"),
    },
    "LaTeX": {
        "--caption": _value("TEXT", "the caption of the first table"),
        "--label": _value("NAME", "the label of the first table; those of the others end in -2, -3, ...", type=_LABEL),
    },
}


#: What everybody uses; it comes first in the help.
_FIRST = (
    *("--sources", "--outputs", "--references", "--table", "--variant"),
    *("--confidence", "--paired-ar", "--measures", "--format", "--report"),
)
#: Further names of options: the short ones are those of sacreBLEU where it has them.
_OTHER_NAMES = {
    "--table": ("--jsonl",),
    **{f"--{name}": (f"-{name[0]}",) for name in ("sources", "outputs", "references", "variant", "measures")},
    **{f"--{name}": (f"-{name[0]}",) for name in ("format", "width", "quiet")},
    "--score-only": ("-b",),
    "--version": ("-V",),
}
_PRINTED = {
    "--version": (f"SARI {VERSION}", "print the version, which signatures name"),
    "--citation": (bibliography(), "print what to cite, as BibTeX: SARI, its variants, and this program"),
    "--list-datasets": (
        "\n".join(
            f"{name:<8}{row.path:<26}{row.about}; also {', '.join(row.aliases)}" for name, row in NAMED_SETS.items()
        ),
        "print the test sets that --dataset knows",
    ),
}
_FLAGS = [*chain(*_GROUPS.values()), *_PRINTED, *chain(*_OTHER_NAMES.values())]


def _listing(title: str, rows: Mapping[str, Any]) -> str:
    return f"{title}:\n" + "\n".join(f"  {name:<14}{row.summary}" for name, row in rows.items())


def _parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        usage=f"{program} --sources FILE --outputs FILE [FILE ...] --references FILE [FILE ...] [OPTION ...]",
        description="Score text simplification with SARI. Each line of a file is a segment; files may be gzipped, "
        "and - is standard input.",
        epilog=_listing("variants", VARIANTS) + "\n\n" + _listing("penalties", PENALTIES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        exit_on_error=False,
    )
    every = {flag: option for options in _GROUPS.values() for flag, option in options.items()}
    groups = {title: [flag for flag in options if flag not in _FIRST] for title, options in _GROUPS.items()}
    for title, flags in {"most used": _FIRST, **groups}.items():
        group = parser.add_argument_group(title)
        for flag in flags:
            group.add_argument(flag, *_OTHER_NAMES.get(flag, ()), **every[flag])
    group = parser.add_argument_group("about this program")
    for flag, (text, help_text) in _PRINTED.items():
        group.add_argument(flag, *_OTHER_NAMES.get(flag, ()), action=_Print, nargs=0, const=text, help=help_text)
    return parser
