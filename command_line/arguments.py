"""The arguments of `score.py`: the options, and which of them can be combined.

Imports nothing slow, so that `--help` and errors appear at once.
"""

import argparse
import codecs
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any

from sari import __version__
from sari.command_line.options import LEVEL, PAIRED_TESTS, SCORING_OPTIONS, Options, flag_of
from sari.companion_measures.registry import MEASURES, SIDE_FILES
from sari.messages import RefusedValueError, escape_unprintable, fault, join_names, nearest_name, short_repr
from sari.reports.formats import SENTENCE_FORMATS, TABLE_FORMATS
from sari.reports.paragraph import bibliography
from sari.reports.score_report import BASELINES
from sari.reports.score_tables import SHOWN
from sari.reports.tables import TableReport
from sari.signatures import read_signature
from sari.text_files.named_sets import ALIASES, NAMED_SETS
from sari.text_files.output_rows import look_alike
from sari.text_files.reading import STANDARD_INPUT, stem
from sari.text_files.writing import STANDARD_OUTPUT
from sari.validation import check_choice, check_figure
from sari.variants import OPTIONS, PENALTIES, VARIANTS, VERSION, resolve_variant

#: The name of the program in a checkout; that of the installed program is `sari`.
PROGRAM = "score.py"

# ---- What goes with what --------------------------------------------------------------------------------------------

_PAIRED = tuple(map(flag_of, PAIRED_TESTS))
_TEST_FLAGS = (*_PAIRED, "--all-pairs")
_FILES = ("--sentences", "--report")
_ADDED = ("--baselines", "--why", "--by-references", "--published")
_COMPARISONS = ("--confidence", *_TEST_FLAGS, *_ADDED, "--measures", "--own-measure")


def _formats_but(*names: str) -> list[str]:
    return [f"--format {name}" for name in TABLE_FORMATS if name not in names]


#: Several systems or variants, as the rules below and messages name them.
SEVERAL_SYSTEMS, SEVERAL_VARIANTS = "two or more systems", "two or more names of --variant"
_OF_ONE_VARIANT = ("--explain", "--find-variant", "--report", "--sentences", "--why")


#: The options, some with a value, and several systems or variants, that need one of others.
NEEDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("--echo", "--split"), ("--dataset",)),
    "--columns": ("--dataset", "--table"),
    "--by": ("--table",),
    "--tab-separated": ("--references",),
    "--resamples": ("--confidence", *_TEST_FLAGS, "--report"),
    "--seed": ("--confidence", *_TEST_FLAGS, "--by-references", "--report"),
    **dict.fromkeys(_TEST_FLAGS, (SEVERAL_SYSTEMS,)),
    **{
        flag_of(file.name): (
            *(f"--measures {row.name}" for row in MEASURES if file in row.side_files),
            "--measures all",
        )
        for file in SIDE_FILES
        if not file.default
    },
    "--stop-words": ("--word-ranks",),
    **{f"--show {row.name}": (f"--measures {row.name}", "--measures all") for row in MEASURES},
    "--show intervals": ("--confidence", "--report"),
    **dict.fromkeys(("--show difference", "--show p"), _TEST_FLAGS),
    **dict.fromkeys(("--show group", "--show ranks"), ("--all-pairs",)),
    **dict.fromkeys(("--caption", "--label"), ("--format latex", "--report")),
}
#: Those that go with none of others.
EXCLUDES: dict[str, tuple[str, ...]] = {
    "--table": ("--sources", "--outputs", "--references", "--dataset"),
    "--dataset": ("--sources", "--references"),
    "--signature": (
        *("--variant", "--all-variants", "--find-variant"),
        # A tokenizer that is imported is given beside the signature that names it.
        *(flag_of(name) for name in SCORING_OPTIONS if name != "tokenize"),
    ),
    "--echo": ("--outputs", "--ratings", "--explain", "--find-variant", "--score-only", *_FILES, *_formats_but("text")),
    "--all-variants": ("--variant", *_OF_ONE_VARIANT),
    SEVERAL_VARIANTS: _OF_ONE_VARIANT,
    SEVERAL_SYSTEMS: ("--explain",),
    **{flag: _PAIRED[place + 1 :] for place, flag in enumerate(_PAIRED)},
    "--show": ("--format csv", "--format json", "--score-only", "--ratings", "--explain"),
    "--by-order": ("--format csv",),
    "--width": ("--format csv", "--format json"),
    "--format csv": ("--by-references", "--published", "--why"),
    "--by": ("--explain", "--find-variant", "--ratings", "--score-only"),
    "--score-only": ("--explain", "--ratings", "--by-order", *_formats_but("text"), *_COMPARISONS),
    "--sentences -": ("--score-only", *_formats_but("text")),
    "--ratings": (*_TEST_FLAGS, *_ADDED, "--by-order", *_FILES, "--width"),
    "--explain": ("--ratings", *_FILES, *_COMPARISONS, *_formats_but("text", "json")),
    "--find-variant": ("--explain", "--ratings", "--by-order", "--show", "--score-only", *_FILES, *_COMPARISONS),
}


def parse(arguments: Sequence[str] | None, program: str = PROGRAM) -> Options:
    """Return the options, whose `printed` is what is printed alone, such as the help.

    Args:
        arguments: of the command line; None for those of this process.
        program: the name in the help.

    Raises:
        ValueError, TypeError: for wrong options.
    """
    parser = _parser(program)
    try:
        options, unknown = parser.parse_known_args(arguments, namespace=Options())
    except argparse.ArgumentError as error:
        raise RefusedValueError(f"{str(error.argument_name).partition('/')[0]}: {error.message}") from None
    given = set(vars(options))
    vars(options).update((name, value) for name, value in _DEFAULTS.items() if name not in given)
    if options.printed is not None:
        options.printed = options.printed or parser.format_help().rstrip()
        return options
    if unknown:
        nearest = nearest_name(unknown[0].partition("=")[0].strip("-"), _FLAGS)
        hint = "see --help" if nearest is None else f"did you mean {_FLAGS[nearest]}?"
        raise RefusedValueError(f"unknown argument {short_repr(unknown[0])}; {hint}")
    for name in _NAMES_BY_COMMAS:
        if getattr(options, name) is not None:
            setattr(options, name, list(chain.from_iterable(getattr(options, name))))
    _find_files(options)
    options.given = _given(options, given)
    if options.signature is not None and options.given.isdisjoint(EXCLUDES["--signature"]):
        chosen = read_signature(options.signature, tokenize=options.tokenize)
        vars(options).update(chosen, variant=[chosen["variant"]])
    check_rules(options)
    _check_inputs(options)
    _check_values(options)
    return options


def _find_files(options: Options) -> None:
    """Replace patterns by the files that they match, and name the systems; missing outputs come from a pipe."""
    for name in ("sources", "references"):
        if getattr(options, name) is not None:
            setattr(options, name, list(chain.from_iterable(map(_matching, getattr(options, name)))))
    has_texts = options.dataset is not None or None not in (options.sources, options.references)
    if options.outputs is None and has_texts and options.table is None and options.echo is None:
        is_free = sys.stdin is not None and not sys.stdin.isatty() and STANDARD_INPUT not in options.input_paths
        options.outputs = [STANDARD_INPUT] if is_free else None
    if options.outputs is not None:
        options.outputs = _named_files(options.outputs)
        options.systems = list(options.outputs)


def _named_files(outputs: Sequence[str]) -> dict[str, str]:
    """Return files by the names that the user gave, or those of the files, with folders where these are the same."""
    pairs: list[tuple[str, str]] = []
    for output in outputs:
        name, _, path = output.partition("=")
        is_named = name and path and not os.path.exists(output)
        pairs += [(name, path)] if is_named else [("", path) for path in _matching(output)]
    short = [escape_unprintable(name or stem(path)) for name, path in pairs]
    names = [
        escape_unprintable(path) if not name and short.count(system) > 1 else system
        for (name, path), system in zip(pairs, short, strict=True)
    ]
    if (same := look_alike(names)) is not None:
        raise RefusedValueError(fault("--outputs", f"{short_repr(same)} twice", "a name for each: NAME=FILE"))
    return dict(zip(names, (path for _, path in pairs), strict=True))


def check_rules(options: Options) -> None:
    """Refuse options that do not go together (ValueError); those about systems once these are known."""
    several = {SEVERAL_SYSTEMS: options.systems, SEVERAL_VARIANTS: options.variants}
    given = options.given | {name for name, values in several.items() if len(values) > 1}
    for option in filter(given.__contains__, EXCLUDES):
        for other in filter(given.__contains__, EXCLUDES[option]):
            raise RefusedValueError(f"{other} does not go with {option}")
    for option in filter(given.__contains__, NEEDS):
        is_known = options.systems or SEVERAL_SYSTEMS not in NEEDS[option]
        if is_known and given.isdisjoint(NEEDS[option]):
            raise RefusedValueError(f"{option} needs {join_names(NEEDS[option])}")


def _given(options: Options, given: Iterable[str]) -> set[str]:
    """Return what the rules name: the options that were given, and some with their values."""
    names = set(map(flag_of, given))
    listed = {"--format": [options.format], "--sentences": [options.sentences]}
    listed |= {"--show": options.show, "--measures": options.measures}
    names |= {f"{flag} {value}" for flag, values in listed.items() for value in values or ()}
    return names


def _check_inputs(options: Options) -> None:
    """Refuse texts that are missing, and columns and ratings of another number than there must be."""
    files, others = ["outputs"], ""
    if options.dataset is None:
        files, others = ["outputs", "references", "sources"], ", or --table or --dataset"
    elif options.columns is None and options.dataset not in ALIASES:
        check_choice("--dataset", options.dataset, NAMED_SETS, "or another with its --columns")
    from_pipe = options.input_paths.count(STANDARD_INPUT)
    if from_pipe > 1:
        raise RefusedValueError(fault("<stdin>", f"- as {from_pipe} files", "one file from there"))
    missing = [flag_of(name) for name in files if getattr(options, name) is None]
    if missing and options.table is None and options.echo is None:
        raise RefusedValueError(
            f"missing {', '.join(missing)}: expected {join_names(map(flag_of, files), 'and')}{others}"
        )
    if len(options.sources or ()) > 1:
        folders = "--sources FOLDER --outputs FOLDER --references FOLDER"
        wanted = f"one; for a file for each document: {folders}"
        raise RefusedValueError(fault("--sources", f"{len(options.sources)} files", wanted))
    columns = options.column_names
    if options.dataset is not None and options.columns is not None and not (columns.source and columns.references):
        raise RefusedValueError(fault("--columns", " ".join(options.columns), "those of source and references"))
    for name, column in options.own_measure or ():
        if options.table is None and not column:
            raise RefusedValueError(fault("--own-measure", short_repr(name), "NAME=FILE; a column is one of --table"))
    if options.ratings is not None:
        number, each = len(options.systems), "a file for each of --outputs"
        if options.table is not None:
            number, each = max(len(columns.predictions), 1), "a column of --table for each of outputs"
        if len(options.ratings) != number:
            raise RefusedValueError(fault("--ratings", len(options.ratings), f"{number}: {each}"))


def _check_values(options: Options) -> None:
    """Refuse names and figures that are not possible, before anything is read."""
    for option, meant in _MEANT.items():
        for name in getattr(options, option) or ():
            if name.lower() in meant:
                raise RefusedValueError(fault(flag_of(option), short_repr(name), meant[name.lower()]))
    for name in () if options.all_variants else options.variants:
        resolve_variant(name, **options.choices)
    if options.why in options.variants:
        raise RefusedValueError(fault("--why", f"{short_repr(options.why)}, which is the variant itself", "another"))
    if len(set(map(os.path.realpath, options.written_paths))) < len(options.written_paths):
        raise RefusedValueError(
            fault("--report", f"{short_repr(options.report)}, which is the file of --sentences", "another")
        )


# ---- The options ----------------------------------------------------------------------------------------------------


def _checked(convert: Callable[[str], Any], accepts: Callable[[Any], object], wanted: str) -> Callable[[str], Any]:
    """Return a function for the `type` of argparse, from the text of an argument to a value that is accepted."""

    def value_of(text: str) -> Any:
        with suppress(ValueError, LookupError):
            value = convert(text)
            if accepts(value):
                return value
        raise argparse.ArgumentTypeError(f"got {short_repr(text)}, expected {wanted}")

    return value_of


def _one_of(names: Collection[str]) -> dict[str, Any]:
    return {"choices": names, "type": _checked(str, names.__contains__, f"one of {', '.join(names)}")}


def _matching(pattern: str) -> list[str]:
    """Return the files that a pattern such as references.* matches, which shells of Windows leave to programs."""
    return [pattern] if os.path.exists(pattern) else sorted(glob(pattern)) or [pattern]


_Option = dict[str, Any]
_SWITCH: _Option = {"action": "store_true"}
_PRINTED: _Option = {"action": "store_const", "dest": "printed"}
_SEVERAL: _Option = {"nargs": "+", "action": "extend"}
_FILE: _Option = {"metavar": "FILE"}
_NAME: _Option = {"metavar": "NAME"}
_NUMBER: _Option = {"metavar": "N"}
_NAMES = _NAME | _SEVERAL | {"type": _checked(lambda text: text.split(","), all, "names with a comma between two")}
_REPORT_ENDINGS = [".html", *(row.ending for row in TABLE_FORMATS.values())]


def _scoring_option(name: str) -> _Option:
    """Return the arguments for argparse of a scoring option."""
    option = OPTIONS[name]
    values = ", ".join((*option.choices, *option.others))
    help_text = option.help + (f": {values}" if values else "")
    if option.kind == "flag":
        return {"action": argparse.BooleanOptionalAction, "help": help_text}
    if option.default is not None:
        help_text += f" (default: {option.default})"
    wanted = "a whole number of at least 1" if option.read is int else "a number from 0 to 1"
    kind = _NUMBER | {"type": _checked(option.read, lambda _: True, wanted)} if option.kind == "number" else _NAME
    return kind | {"default": option.default, "help": help_text}


#: The options of each group, with their arguments for argparse.
_GROUPS: dict[str, dict[str, _Option]] = {
    "other texts": {
        "--sources": {**_FILE, **_SEVERAL, "help": "the texts to simplify: a file, or a folder of documents"},
        "--outputs": {
            **_SEVERAL,
            "metavar": "[NAME=]FILE",
            "help": "simplifications by systems, a file or folder for each; tests compare the others with the first",
        },
        "--references": {**_FILE, **_SEVERAL, "help": "simplifications by people, in one or several files or folders"},
        "--table": {
            **_FILE,
            "help": "a table instead of these files (CSV, TSV, JSON, .xlsx, .parquet), with the columns source, "
            "prediction, references and, for several systems, system",
        },
        "--dataset": {
            **_NAME,
            "help": "a test set, instead of --sources and --references; other data sets need --columns",
        },
        "--echo": {
            **_one_of(("sources", "references")),
            "help": "print these texts of --dataset, and nothing else",
        },
        "--split": {**_NAME, "default": "test", "help": "the split of --dataset (default: test)"},
        "--columns": {
            "metavar": "[ROLE=]NAME",
            **_SEVERAL,
            "help": "the columns of source, prediction (not with --dataset) and references, in this order or with "
            "their role: system=NAME has names of systems, system=NAME,NAME the outputs of each",
        },
        "--by": {"metavar": "COLUMN", "help": "score also the subset of each value of this column of --table"},
        "--encoding": {
            **_NAME,
            "type": _checked(
                lambda name: codecs.lookup(name).name,
                lambda name: isinstance("".encode(name), bytes),  # raises LookupError for one of no text
                "the name of a text encoding, such as utf-8 or latin-1",
            ),
            "default": "utf-8",
            "help": "the encoding of all files (default: utf-8)",
        },
        "--tab-separated": {**_SWITCH, "help": "each line of --references has several, separated by tabs"},
    },
    "scoring, with defaults that depend on the variant": {
        "--variant": {**_NAMES, "help": _scoring_option("variant")["help"]},
        "--all-variants": {
            **_SWITCH,
            "help": "score by every variant, a row for each (dsari needs NLTK and its Punkt)",
        },
        **{flag_of(name): _scoring_option(name) for name in SCORING_OPTIONS},
        "--signature": {
            "metavar": "TEXT",
            "help": "score as this printed signature says, instead of by these options",
        },
    },
    "tests and comparisons": {
        "--confidence": {
            "metavar": "LEVEL",
            "nargs": "?",
            "const": LEVEL,
            "type": _checked(float, lambda level: 0 < level < 1, "a number between 0 and 1, such as 0.95"),
            "help": f"add bootstrap intervals of this level ({LEVEL} if none is named)",
        },
        **{
            flag_of(name): {**_SWITCH, "help": f"test by {words} whether systems differ from the first"}
            for name, (_, words) in PAIRED_TESTS.items()
        },
        "--all-pairs": {
            **_SWITCH,
            "help": "test each pair, by randomization unless a test is named; sort and group systems",
        },
        "--resamples": {
            **_NUMBER,
            "type": _checked(int, lambda number: number >= 1, "a whole number of at least 1"),
            "help": "the number of resamples (default: 10,000, with --ratings 1,000; fewer for large files)",
        },
        "--seed": {
            **_NUMBER,
            "type": _checked(int, lambda number: number >= 0, "a whole number of at least 0"),
            "help": "the seed of the resamples (default: 12345)",
        },
        "--baselines": {
            **_NAMES,
            "nargs": "*",
            "type": _checked(lambda text: text.split(","), set(BASELINES).issuperset, f"one of {', '.join(BASELINES)}"),
            "help": f"add rows with the scores of {', '.join(BASELINES)} (default: all but each)",
        },
        "--why": {
            **_one_of(VARIANTS),
            "metavar": "VARIANT",
            "help": "explain the difference to another variant, one choice at a time",
        },
    },
    "other measures than SARI": {
        "--measures": {
            **_NAMES,
            "help": f"add companion measures: {', '.join(row.name for row in MEASURES)}, or all (but slow ones)",
        },
        "--own-measure": {
            **_SEVERAL,
            "metavar": "NAME[=FILE]",
            "type": _checked(
                lambda text: (*text.split("=", 1), None)[:2],
                lambda pair: pair[0].isidentifier() and pair[1] != "",
                "NAME=FILE, with letters, digits and _ in the name",
            ),
            "help": "add a measure computed elsewhere: a file with a column per system, or NAME[=COLUMN] of --table",
        },
        **{flag_of(file.name): {**_FILE, "help": file.help} for file in SIDE_FILES},
    },
    "ratings by people": {
        "--ratings": {
            **_FILE,
            **_SEVERAL,
            "help": "show agreement with ratings: a file per system, or a column of --table",
        }
    },
    "what is printed and written": {
        "--format": {**_one_of(TABLE_FORMATS), "default": "text", "help": "how to print the scores (default: text)"},
        "--show": {**_NAMES, "help": f"the columns of the table: {', '.join(SHOWN)}, or measures (default: all)"},
        "--by-order": {
            **_SWITCH,
            "help": "add precision, recall and F1 per n-gram order (JSON always has them)",
        },
        "--by-references": {
            **_SWITCH,
            "help": "add the mean and spread of the scores with 1, 2, ... of the references",
        },
        "--published": {
            **_SWITCH,
            "help": "add the published systems of a known test set, such as ASSET, with their scores",
        },
        "--explain": {
            **_NUMBER,
            "nargs": "+",
            "type": _checked(
                str,
                re.compile("worst|best|0*[1-9][0-9]{,8}").fullmatch,
                "a whole number of at least 1, worst or best",
            ),
            "help": "explain these lines of one system, or its N worst or best (worst N, best N); see --by-order",
        },
        "--find-variant": {
            "metavar": "FIGURE",
            "type": _checked(check_figure, lambda _: True, "a score as it is printed, from 0 to 100, such as 41.38"),
            "help": "find the variants and options that print this SARI, such as 41.38",
        },
        "--report": {
            **_FILE,
            "type": _checked(
                str,
                lambda path: Path(path).suffix in _REPORT_ENDINGS,
                f"a name ending in {join_names(_REPORT_ENDINGS)}",
            ),
            "help": f"write a page, or its tables or data ({', '.join(_REPORT_ENDINGS)}), with intervals",
        },
        "--sentences": {
            **_FILE,
            "type": _checked(
                str,
                lambda path: path == STANDARD_OUTPUT or Path(path).suffix in SENTENCE_FORMATS,
                f"a name ending in {join_names(SENTENCE_FORMATS)}, or -",
            ),
            "help": "write the scores of segments to .csv, .tsv or .jsonl, or print them (-); SARI of a corpus-level "
            "variant is not their mean",
        },
        "--score-only": {**_SWITCH, "help": "print only SARI, one score per line"},
        "--width": {
            **_NUMBER,
            "type": _checked(int, range(16).__contains__, "a whole number from 0 to 15"),
            "default": 2,
            "help": "the decimals of scores (default: 2), not with --ratings",
        },
        "--quiet": {
            **_SWITCH,
            "help": "print no warnings, signatures of -b, names of files or progress bars; reports still have warnings",
        },
    },
    "LaTeX": {
        "--caption": {**_SEVERAL, "metavar": "TEXT", "help": "the captions of the first tables, in their order"},
        "--label": {
            **_NAME,
            "type": _checked(str, re.compile(r"[\w:.+/-]+").fullmatch, "letters, digits and : . + / - _"),
            "default": TableReport.label,
            "help": f"the label of the first table (default: {TableReport.label}); others end in -2, -3, ...",
        },
    },
    "about this program": {
        "--help": {**_PRINTED, "help": "print this help", "const": ""},
        "--version": {
            **_PRINTED,
            "help": "print the version, and that of the scores, which signatures name",
            "const": f"SARI {__version__} (scores: {VERSION})",
        },
        "--citation": {
            **_PRINTED,
            "help": "print what to cite, as BibTeX: SARI, its variants, and this program",
            "const": bibliography(),
        },
        "--list-datasets": {
            **_PRINTED,
            "help": "print the test sets that --dataset knows",
            "const": "\n".join(
                f"{name:<8}{row.path:<26}{row.about}; also {', '.join((*row.aliases, row.title))}"
                for name, row in NAMED_SETS.items()
            ),
        },
    },
}

#: The values of options that are not given.
_DEFAULTS = {
    flag.strip("-").replace("-", "_"): option.get("default", False if option.get("action") == "store_true" else None)
    for options in _GROUPS.values()
    for flag, option in options.items()
    if "dest" not in option
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
    "--help": ("-h",),
}
#: The options whose values may be separated by commas.
_NAMES_BY_COMMAS = ("variant", "measures", "show", "baselines")
#: The options by their names without dashes, and those that stand for options of sacreBLEU and EASSE.
_FLAGS = {
    **{flag.strip("-"): flag for flag in chain(*_GROUPS.values())},
    **{"metrics": "--measures", "lc": "--lowercase", "tokenizer": "--tokenize", "input": "--outputs"},
    **{"sys_sents_path": "--outputs", "orig_sents_path": "--sources", "refs_sents_paths": "--references"},
    **dict.fromkeys(("test-set", "test_set"), "--dataset"),
    **dict.fromkeys(("confidence-n", "paired-ar-n", "paired-bs-n"), "--resamples"),
}
#: Names of measures and variants that belong to another option, or to another program, and what they are here.
_MEANT = {
    "variant": {
        **{row.name: f"--measures {row.name}" for row in MEASURES},
        **{
            "f1_token": "--measures token_f1",
            "sari": "a name such as easse",
            "sari_legacy": "easse_legacy",
            "all": "--all-variants",
        },
    },
    "measures": {
        **{name: f"--variant {name}" for name in VARIANTS},
        **{"f1_token": "token_f1", "sari_legacy": "--variant easse_legacy"},
        "sari": "other measures: SARI is always printed",
    },
}


def _listing(title: str, rows: Mapping[str, Any]) -> str:
    return f"{title}:\n" + "\n".join(f"  {name:<14}{row.summary}" for name, row in rows.items())


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program,
        usage=f"{program} --sources FILE --outputs FILE [FILE ...] --references FILE [FILE ...] [OPTION ...]",
        description="Score text simplification with SARI. Each line of a file is a segment; files may be gzipped, "
        "and - is standard input.",
        epilog=_listing("variants", VARIANTS) + "\n\n" + _listing("penalties", PENALTIES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    every = {flag: option for options in _GROUPS.values() for flag, option in options.items()}
    groups = {title: [flag for flag in options if flag not in _FIRST] for title, options in _GROUPS.items()}
    for title, flags in {"most used": _FIRST, **groups}.items():
        group = parser.add_argument_group(title)
        for flag in flags:
            group.add_argument(flag, *_OTHER_NAMES.get(flag, ()), **every[flag] | {"default": argparse.SUPPRESS})
    return parser
