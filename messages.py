"""What messages say: values, names and texts in one short line; and the errors of what is refused."""

import sys
from collections.abc import Collection, Iterable
from difflib import get_close_matches

_LONGEST_VALUE = 60
#: The characters of a name at most, so that what is said of it follows in the same line.
LONGEST_NAME = 100
_LONGEST_MESSAGE = 200


class RefusedError(Exception):
    """What is refused, with a line that says why: input, options, files, and packages that are missing.

    An error of any other class is a fault of the program. Other processes, which may not have loaded these classes, get
    the error of Python that each of them is.

    >>> from pickle import dumps, loads
    >>> loads(dumps(RefusedValueError("alpha: got 2, expected a number below 1")))
    ValueError('alpha: got 2, expected a number below 1')
    """

    __module__ = "sari"  # as tracebacks name it, wherever `evaluate` has put this file

    def __reduce__(self) -> tuple[type[BaseException], tuple[object, ...]]:
        return next(base for base in type(self).__mro__ if base.__module__ == "builtins"), self.args


class RefusedValueError(RefusedError, ValueError):
    """A value that cannot be used."""

    __module__ = "sari"


class RefusedTypeError(RefusedError, TypeError):
    """A value of another type, and an argument that is not known."""

    __module__ = "sari"


class RefusedImportError(RefusedError, ImportError):
    """A package, or its data, that is missing."""

    __module__ = "sari"


def truncate(text: str, longest: int = _LONGEST_VALUE) -> str:
    """Return a text of at most so many characters: of a longer one the beginning and the end, with "…" between them.

    >>> truncate("abcde", 5), truncate("abcdef", 5), truncate("ab", 1), truncate("ab", 0)
    ('abcde', 'ab…ef', '…', '')
    """
    beginning, end = text[: (longest - 1) // 2], text[len(text) - longest // 2 :]
    return text if len(text) <= longest else f"{beginning}…{end}"[:longest]


def short_repr(value: object) -> str:
    """Return the `repr` of a value in one line of at most 60 characters.

    >>> short_repr("0123456789" * 10)
    "'0123456789012345678901234567…12345678901234567890123456789'"
    """
    return truncate(" ".join(repr(value).splitlines()))


def escape_unprintable(text: str) -> str:
    r"""Return a text with escapes for characters that are not seen, which could change what stands around them.

    >>> escape_unprintable("a\x1b[2Jb\u202e")
    'a\\x1b[2Jb\\u202e'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def in_one_line(text: str) -> str:
    r"""Return a text in one line, in which all characters are visible.

    >>> in_one_line("a\x1b  b")
    'a\\x1b b'
    """
    return escape_unprintable(" ".join(text.split()))


def short_line(message: str) -> str:
    """Return a message in one line of at most 200 characters, all of them visible; its end is cut off.

    >>> short_line("batch: got   two words"), len(short_line("a" * 200)), short_line("a" * 201)[195:]
    ('batch: got two words', 200, 'aaaa…')
    """
    line = in_one_line(message)
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[: _LONGEST_MESSAGE - 1]}…"


def fault(name: str, got: object, expected: str) -> str:
    """Return the message of an error in one line: where something is, what is there, and what was expected.

    It is called when the error is raised, never before: what it shows may be large.

    Args:
        name: the argument, with its row if there is one, or the file and its line.
        got: what is there, in words; or a value that is no text.
        expected: what was expected, in words.

    >>> fault("alpha", 2, "a number below 1"), fault("ratings", "2 rows", "3 (as in references)")
    ('alpha: got 2, expected a number below 1', 'ratings: got 2 rows, expected 3 (as in references)')
    >>> len(fault("n" * 100, 2, "3")), len(fault("n" * 101, 2, "3"))  # a longer name is cut
    (119, 119)
    """
    place, value = truncate(name, LONGEST_NAME), got if isinstance(got, str) else short_repr(got)
    return short_line(f"{place}: got {value}, expected {expected}")


def how_to_install(what: str) -> str:
    """Return the command that installs something that is missing, or why it is missing though it is installed.

    >>> how_to_install("spacy")
    "pip install 'spacy'"
    """
    return "python -S finds no installed packages" if sys.flags.no_site else f"pip install '{what}'"


def missing_module(name: str, error: ImportError, extra: str = "") -> str:
    """Return the message of an error: what `name` names, empty for nothing, needs a module, of an extra or of scoring.

    >>> missing_module("app", ImportError("No module named 'gradio'"), "app")
    "app: No module named 'gradio': pip install '.[app]' in the project's folder"
    """
    place, remedy = f"{name}: " if name else "", how_to_install(f".[{extra}]" if extra else ".")
    where = " in the project's folder" if remedy.startswith("pip") else ""
    return short_line(f"{place}{error}: {remedy}{where}")


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural but for one.

    >>> count_of(1, "segment"), count_of(1000, "segment")
    ('1 segment', '1,000 segments')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def unknown_name(name: str, got: str, value: str, names: Collection[str], *others: str) -> str:
    """Return the message of an error about a name that is not known: with the nearest known name, or with all of them.

    Args:
        name, got: see `fault`.
        value: the name that is not known.
        names: the known names.
        others: what else would do, in words.

    >>> unknown_name("deletion", "'recall'", "recall", ["precision", "f1"])
    "deletion: got 'recall', expected one of precision, f1"
    >>> unknown_name("deletion", "'Precison'", "Precison", ["precision", "f1"])
    "deletion: got 'Precison'; did you mean 'precision'?"
    """
    nearest = nearest_name(value, names)
    if nearest is None:
        return fault(name, got, f"one of {', '.join([*names, *others])}")
    return short_line(f"{name}: got {got}; did you mean {nearest!r}?")


def nearest_name(name: str, names: Collection[str]) -> str | None:
    """Return the name that is most similar, whatever its case; None where none is similar.

    >>> nearest_name("Tokenise", ["tokenize", "level"]), nearest_name("alpha", ["tokenize", "level"])
    ('tokenize', None)
    """
    lower = {known.lower(): known for known in names}
    nearest = get_close_matches(name[:_LONGEST_VALUE].lower(), lower, n=1, cutoff=0.6)
    return lower[nearest[0]] if nearest else None


def join_names(names: Iterable[str], word: str = "or") -> str:
    """Return names, at least one, as a choice or, with another word, as an enumeration.

    >>> join_names(["a"]), join_names(["a", "b", "c"]), join_names(["a", "b"], "and")
    ('a', 'a, b or c', 'a and b')
    """
    *others, last = names
    return f" {word} ".join(filter(None, [", ".join(others), last]))


def advised(message: str, option: str, values: Iterable[str]) -> str:
    """Return a message with the option to set and the values to choose from, whose names Python and commands share.

    >>> advised("outputs are Chinese", "tokenize", ["zh", "char"])
    'outputs are Chinese: set tokenize to zh or char'
    """
    return f"{message}: set {option} to {join_names(values)}"
