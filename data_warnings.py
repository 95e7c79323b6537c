"""Warnings about a score: their categories, how they are given, and how those of several systems are merged.

The text of a warning depends on its cause and on the names of compared systems alone, so that Python's filters show it
once for each line of a program; figures are its `detail`. Modules that know a cause yield its warnings; `text_checks`
those about texts.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import currentframe
from itertools import takewhile
from traceback import walk_stack
from typing import Any, NamedTuple
from warnings import warn

from .messages import advised

#: A warning as plain data: the name of its category, and its attributes.
WarningRow = dict[str, Any]


class Advice(NamedTuple):
    """An option that would help, and the values to give it, the best first."""

    option: str
    values: tuple[str, ...]


class SariWarning(UserWarning):
    """The base of all warnings about a score.

    Attributes:
        message: what to doubt, and what to do about the texts; the same for one cause.
        detail: the figures of this case; may be empty.
        advice: the option to set; None for none.

    >>> str(SariWarning("outputs are Chinese", "9 of 10 segments", Advice("tokenize", ("zh", "char"))))
    'outputs are Chinese: set tokenize to zh or char'
    """

    def __init__(self, message: str, detail: str = "", advice: Advice | None = None):
        super().__init__(message, detail, advice)
        self.message: str = message
        self.detail: str = detail
        self.advice: Advice | None = advice

    def __str__(self) -> str:
        return advised(self.message, *self.advice) if self.advice else self.message

    def as_dict(self) -> WarningRow:
        """Return the warning as plain data.

        >>> SariWarning("outputs are Chinese", advice=Advice("tokenize", ("zh", "char"))).as_dict()["advice"]
        {'option': 'tokenize', 'values': ['zh', 'char']}
        """
        advice = self.advice and {"option": self.advice.option, "values": [*self.advice.values]}
        return {"category": type(self).__name__, "message": self.message, "detail": self.detail, "advice": advice}


class CopiedOutputsWarning(SariWarning):
    """Most outputs are copies of their sources, where no reference is."""


class RewardsCopyingWarning(SariWarning):
    """Copies of the sources can rank first by the variant."""


class EmptyTextsWarning(SariWarning):
    """Some texts are empty, or markers of missing values."""


class RepeatedOutputsWarning(SariWarning):
    """One text is the output, or a reference, of many different sources."""


class LowCeilingWarning(SariWarning):
    """Right outputs have a low score, or may have one by some variants."""


class TextMismatchWarning(SariWarning):
    """Most texts of a column have a property that hardly any of another have, such as capitals or the same ending."""


class MisplacedTextsWarning(SariWarning):
    """Texts stand in the wrong column or row, or are no texts of this corpus."""


class TokenizationWarning(SariWarning):
    """The tokenizer does not fit the texts."""


class ResamplingWarning(SariWarning):
    """There are too few segments or resamples for intervals or tests."""


class SignatureWarning(SariWarning):
    """A printed signature names other versions, code or numbers of references, which may score differently."""


class TrainingWarning(SariWarning):
    """In training: outputs are cut or look like something else, the tokenizer does not fit, or batch sizes matter."""


#: The categories of the warnings that a scorer gives, by name.
CATEGORIES: dict[str, type[SariWarning]] = {"SariWarning": SariWarning}
CATEGORIES |= {category.__name__: category for category in SariWarning.__subclasses__()}

# Collects warnings in place of Python's `warnings`, whose filters are those of the whole process.
_COLLECTED: ContextVar[list[SariWarning] | None] = ContextVar("collected", default=None)


@contextmanager
def collect_warnings() -> Iterator[list[SariWarning]]:
    """Put the warnings about scores into a list instead of giving them; see `Scorer.collect_warnings`."""
    collected: list[SariWarning] = []
    before = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(before)


def give_warnings(warnings: Iterable[SariWarning]) -> None:
    """Give warnings, each once, that point at the line that called the metric, through `evaluate` or not.

    Python shows a warning once for each line, so that each call of a program has its own. The frames are counted here,
    since `skip_file_prefixes` of `warnings.warn` needs Python 3.12.
    """
    different = _each_once(warnings)
    collected = _COLLECTED.get()
    if collected is not None:
        collected += different
        return
    names = (frame.f_globals.get("__name__", "") for frame, _ in walk_stack(currentframe()))
    frames_of_the_metric = len(list(takewhile(_is_of_the_metric, names)))
    for warning in different:
        warn(warning, stacklevel=frames_of_the_metric + 1)


def _is_of_the_metric(module: str) -> bool:
    """Return whether a module is of this package, of the metric as `evaluate` loads it, or of `evaluate`."""
    return f"{module}.".startswith((f"{__package__}.", "evaluate."))


def _each_once(warnings: Iterable[Any]) -> list[Any]:
    return [*{(type(warning), warning.args): warning for warning in warnings}.values()]


def warning_rows(warnings: Iterable[SariWarning]) -> list[WarningRow]:
    """Return warnings as plain data, each once, in their order."""
    return [warning.as_dict() for warning in _each_once(warnings)]


def merge_warnings(warnings: Mapping[str, Iterable[SariWarning]]) -> list[SariWarning]:
    """Return each warning once. It begins with the systems or variants that have it, unless all of them have it.

    >>> x, y = SariWarning("x"), SariWarning("y", "1 of 2")
    >>> merged = merge_warnings({"a": [x, y], "b": [x], "c": [x, SariWarning("y", "2 of 2")]})
    >>> [(warning.message, warning.detail) for warning in merged]
    [('x', ''), ('a, c: y', 'a: 1 of 2; c: 2 of 2')]
    """
    details: dict[tuple[type[SariWarning], str, Advice | None], dict[str, str]] = {}
    for name, warnings_of_name in warnings.items():
        for warning in warnings_of_name:
            details.setdefault((type(warning), warning.message, warning.advice), {})[name] = warning.detail
    merged = []
    for (category, message, advice), by_name in details.items():
        prefix = "" if len(by_name) == len(warnings) else f"{', '.join(by_name)}: "
        figures = list(dict.fromkeys(by_name.values()))
        if len(figures) > 1:
            figures = [f"{name}: {text}" for name, text in by_name.items()]
        merged.append(category(prefix + message, "; ".join(figures), advice))
    return merged
