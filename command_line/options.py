"""The options that a user chose, what follows from them, and their names in messages."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence, Set
from typing import Any

from sari.companion_measures.registry import SIDE_FILES
from sari.text_files.column_names import ROLES, ColumnNames, named_columns
from sari.text_files.writing import STANDARD_OUTPUT
from sari.variants import CHANGES, OPTIONS

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
_FLAGS = {
    **{name: flag_of(name) for name in ("columns", "confidence", "own_measure", "ratings", "references", "resamples")},
    **{name: flag_of(name) for name in ("seed", "show", "signature", "sources")},
    **{name: flag_of(name) for name in (*OPTIONS, *(file.name for file in SIDE_FILES))},
    **{"predictions": "--outputs", "figure": "--find-variant", "sentence_splitter": "sentence splitter"},
}


def in_options(message: str) -> str:
    """Replace the argument at the start of a message by its option.

    >>> in_options("zero_division: got 2.0, expected a number from 0 to 1")
    '--zero-division: got 2.0, expected a number from 0 to 1'
    """
    message = re.sub("(; or pass|,? or) a callable[^;]*", "", message)  # which only Python can give
    name = re.split(r"[\[:]", message, maxsplit=1)[0]
    return _FLAGS[name] + message.removeprefix(name) if name in _FLAGS else message


class Options(argparse.Namespace):
    """The options by their names in `--help`; None, or False, for those that were not given.

    Attributes:
        outputs: a file for each system, by its name.
        systems: their names; none of a table that has not been read.
        given: what the rules of `arguments` name.
        printed: what is printed instead of anything else; None for nothing.
    """

    systems: Sequence[str] = ()
    given: Set[str] = frozenset()
    printed: str | None = None

    @property
    def choices(self) -> dict[str, Any]:
        """The scoring options besides the variant."""
        return {name: getattr(self, name) for name in SCORING_OPTIONS}

    @property
    def variants(self) -> list[str]:
        """The variants that are named, each once."""
        return list(dict.fromkeys(self.variant or [OPTIONS["variant"].default]))

    @property
    def resampling(self) -> dict[str, Any]:
        """The options of intervals and tests; a report has intervals."""
        level = LEVEL if self.confidence is None and self.report is not None else self.confidence
        tests = [test for name, (test, _) in PAIRED_TESTS.items() if getattr(self, name)]
        method = tests[0] if tests else DEFAULT_TEST if self.all_pairs else None
        chosen = {"confidence": level, "method": method, "resamples": self.resamples, "seed": self.seed}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def input_paths(self) -> list[str]:
        """The files of texts, and the other files that are read."""
        texts = [self.table, *(self.sources or ()), *(self.references or ()), *(self.outputs or {}).values()]
        side = [getattr(self, file.name) for file in SIDE_FILES]
        if self.table is None:  # else they are its columns
            side += [*(self.ratings or ()), *(path for _, path in self.own_measure or ())]
        return [path for path in [*texts, *side] if path is not None]

    @property
    def column_names(self) -> ColumnNames:
        """The columns that are named; a test set has none of predictions."""
        return named_columns(self.columns or (), roles=ROLES if self.dataset is None else (ROLES[0], ROLES[-1]))

    @property
    def written_paths(self) -> list[str]:
        """The files that are written."""
        return [path for path in (self.sentences, self.report) if path not in (None, STANDARD_OUTPUT)]

    @property
    def first_table(self) -> dict[str, Any]:
        """The captions of the first LaTeX tables, and the label of the first one."""
        return {"captions": tuple(self.caption or ()), "label": self.label}
