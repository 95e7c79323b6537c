"""The options that a user chose, what follows from them, and how they are refused."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sari.companion_measures.registry import SIDE_FILES
from sari.reports.tables import Layout, warning_in_words
from sari.text_files.reading import stem
from sari.text_files.writing import STANDARD_OUTPUT
from sari.validation import either, visible
from sari.variants import CHANGES, OPTIONS

if TYPE_CHECKING:  # what `--help` need not wait for
    from sari.data_warnings import WarningRow

#: The level of intervals where none is named.
LEVEL = 0.95
#: The test where none is named, as in Python: its false-positive rate stays near 5% even with few segments.
DEFAULT_TEST = "randomization"
#: The flags for paired tests: the name of each test in Python, and the test in words.
PAIRED_TESTS = {
    "paired_bs": ("bootstrap", "paired bootstrap"),
    "paired_ar": ("randomization", "paired approximate randomization"),
}
#: The scoring options besides the variant. One with a single name, such as `sentence_splitter`, leaves no choice here.
SCORING_OPTIONS = tuple(name for name, option in CHANGES.items() if len(option.choices) != 1)


def flag_of(name: str) -> str:
    """Return the option of a name in Python.

    >>> flag_of("word_ranks")
    '--word-ranks'
    """
    return f"--{name.replace('_', '-')}"


# The arguments of Python that messages may begin with, and the options that they are here.
_ARGUMENTS = ["confidence", "own_measure", "ratings", "references", "resamples", "seed", "show", "signature", "sources"]
_FLAGS = {
    **{name: flag_of(name) for name in (*_ARGUMENTS, *OPTIONS, *(file.name for file in SIDE_FILES))},
    **{"predictions": "--outputs", "figure": "--find-variant", "sentence_splitter": "--variant or --penalties"},
}


class OptionError(Exception):
    """Wrong options, or missing packages, in a message of one line."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn errors of the metric and missing packages into `OptionError`; texts have been checked before."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise OptionError(f"{error}, expected what requirements.txt or the extras install") from error
    except (ValueError, TypeError, ImportError) as error:
        raise OptionError(in_options(str(error))) from error


def in_options(message: str) -> str:
    """Replace the argument at the start of a message by its option.

    >>> in_options("zero_division: got 2.0, expected a number from 0 to 1")
    '--zero-division: got 2.0, expected a number from 0 to 1'
    """
    message = re.sub("(; or pass|, or) a callable.*", "", message)  # which only Python can give
    name = re.split(r"[\[:]", message, maxsplit=1)[0]
    return _FLAGS[name] + message.removeprefix(name) if name in _FLAGS else message


def warning_in_options(row: WarningRow) -> str:
    """Return a warning with its advice as an option.

    >>> advice = {"option": "tokenize", "values": ["zh", "char"]}
    >>> warning_in_options({"category": "", "message": "outputs are Chinese", "detail": "", "advice": advice})
    'outputs are Chinese: set --tokenize zh or char'
    """
    message = warning_in_words({**row, "advice": None})
    if row["advice"] is None:
        return message
    name, values = row["advice"]["option"], row["advice"]["values"]
    flag = flag_of(f"no_{name}" if False in values else name)
    return f"{message}: set {flag} {either(value for value in values if isinstance(value, str))}".rstrip()


class Options(argparse.Namespace):
    """The options by their names in `--help`; None, or False, for those that were not given.

    Attributes:
        systems: their names; none of a table that has not been read.
        given: what the rules of `arguments` name.
    """

    systems: list[str]
    given: set[str]

    @property
    def choices(self) -> dict[str, Any]:
        """The scoring options besides the variant."""
        return {name: getattr(self, name) for name in SCORING_OPTIONS}

    @property
    def variants(self) -> list[str]:
        """The variants that are named, each once."""
        return list(dict.fromkeys(self.variant or [OPTIONS["variant"].default]))

    @property
    def method(self) -> str | None:
        """The paired test, by its name in Python."""
        default = DEFAULT_TEST if self.all_pairs else None
        return next((test for name, (test, _) in PAIRED_TESTS.items() if getattr(self, name)), default)

    @property
    def resampling(self) -> dict[str, Any]:
        """The options of intervals and tests; a report has intervals."""
        level = LEVEL if self.confidence is None and self.report is not None else self.confidence
        chosen = {"confidence": level, "method": self.method, "resamples": self.resamples, "seed": self.seed}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def output_paths(self) -> list[str]:
        """A file of outputs for each system."""
        return [path for _, path in self.outputs or []]

    @property
    def input_paths(self) -> list[str]:
        """The files of texts, and the other files that are read."""
        texts = [self.table, self.sources, *(self.references or []), *self.output_paths]
        side = [getattr(self, file.name) for file in SIDE_FILES] + [path for _, path in self.own_measure or []]
        return [path for path in [*texts, *side] if path is not None]

    @property
    def written_paths(self) -> list[str]:
        """The files that are written."""
        return [path for path in (self.sentences, self.report) if path not in (None, STANDARD_OUTPUT)]

    @property
    def file_systems(self) -> list[str]:
        """The names that the user gave, or those of the files, with their folders where short names are the same."""
        pairs = [("", self.table)] if self.table is not None else self.outputs or []
        short = [visible(name or stem(path)) for name, path in pairs]
        return [
            visible(path) if not name and short.count(system) > 1 else system
            for (name, path), system in zip(pairs, short, strict=True)
        ]

    @property
    def layout(self) -> Layout:
        """The caption and the label of the first LaTeX table."""
        return Layout(self.caption, self.label) if self.label else Layout(self.caption)

    @property
    def needs_texts(self) -> bool:
        """Whether texts are kept until all are read; scores and tests alone do not need them."""
        names = ("baselines", "by_references", "measures", "own_measure", "published", "report", "why")
        has_texts = self.sentences is not None and self.sentences.endswith((".csv", ".jsonl"))
        return has_texts or self.format == "latex" or any(getattr(self, name) not in (None, False) for name in names)
