"""Warnings about a score: their categories, those about variants, signatures and resampling, and how they are given.

The text of a warning depends on its cause alone, so that Python's filters show it once for each line of a program;
figures are its `detail`. `text_checks` yields those about texts.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .messages import join_names, value_in_python
from .signatures import differing_parts
from .significance import ENOUGH_SEGMENTS, SIGNIFICANT
from .tokenization import split_into_tokens
from .variants import Variant

#: A warning as plain data: the name of its category, and its attributes.
WarningRow = dict[str, Any]


class Advice(NamedTuple):
    """An option that would help, and the values to give it, the best first."""

    option: str
    values: tuple[str | bool, ...]


class SariWarning(UserWarning):
    """The base of all warnings about a score.

    Attributes:
        message: what to doubt, and what to do about the texts; the same for one cause.
        detail: the figures of this case; may be empty.
        advice: the option to set; None for none.

    >>> str(SariWarning("case matters", "9 of 10 segments", Advice("lowercase", (True,))))
    'case matters: set lowercase=True'
    """

    def __init__(self, message: str, detail: str = "", advice: Advice | None = None):
        super().__init__(message, detail, advice)
        self.message, self.detail, self.advice = message, detail, advice

    def __str__(self) -> str:
        return f"{self.message}: set {value_in_python(*self.advice)}" if self.advice else self.message

    def as_dict(self) -> WarningRow:
        """Return the warning as plain data.

        >>> SariWarning("case matters", advice=Advice("lowercase", (True,))).as_dict()["advice"]
        {'option': 'lowercase', 'values': [True]}
        """
        advice = self.advice and {"option": self.advice.option, "values": [*self.advice.values]}
        return {"category": type(self).__name__, "message": self.message, "detail": self.detail, "advice": advice}


class CopiedOutputsWarning(SariWarning):
    """Most outputs are copies of their sources."""


class RewardsCopyingWarning(SariWarning):
    """Copies of the sources can rank first by the variant."""


class EmptyTextsWarning(SariWarning):
    """Some texts are empty."""


class RepeatedOutputsWarning(SariWarning):
    """One text is the output of different sources."""


class TextMismatchWarning(SariWarning):
    """Most texts of a column have a property that hardly any of another have, such as capitals or the same ending."""


class MisplacedTextsWarning(SariWarning):
    """Texts stand in the wrong column or row."""


class TokenizationWarning(SariWarning):
    """The tokenizer does not fit the texts."""


class EnglishMeasureWarning(SariWarning):
    """A companion measure for English is computed of other texts."""


class ResamplingWarning(SariWarning):
    """There are too few segments or resamples for intervals or tests."""


class LeftOutWarning(SariWarning):
    """A baseline or a variant cannot be computed."""


class SignatureWarning(SariWarning):
    """A printed signature names other versions or numbers of references, which may score differently."""


class TrainingWarning(SariWarning):
    """The tokenizer of a Trainer changes texts or lacks ids, or outputs are cut before their end."""


#: The categories by name.
CATEGORIES: dict[str, type[SariWarning]] = {"SariWarning": SariWarning}
CATEGORIES |= {category.__name__: category for category in SariWarning.__subclasses__()}

# A variant that treats sources otherwise than outputs rewards copies if that changes so many of the first sources.
_MANY_CHANGED, _LOOKED_AT = 0.3, 32

# Collects warnings in place of Python's `warnings`, whose filters are those of the whole process.
_COLLECTED: ContextVar[list[Warning] | None] = ContextVar("collected", default=None)


def variant_warnings(variant: Variant, sources: Sequence[str] | None = None) -> Iterator[SariWarning]:
    """Yield a warning if the variant rewards copying: for systems, candidates or models that are compared by it.

    A variant that only treats sources otherwise than outputs does not reward copies of `sources`, if these are given
    and mostly have the same tokens both ways.
    """
    if variant.deleting_nothing_is_right:
        cause = "gives a delete score of 100 to an output that deletes nothing"
    elif variant.rewards_copying and (sources is None or _share_changed(sources[:_LOOKED_AT], variant) > _MANY_CHANGED):
        steps = [step for step in ("tokenize", "lowercase") if vars(variant.source_text)[step] != vars(variant)[step]]
        cause = f"does not {join_names(steps)} sources as it does outputs"
    else:
        return
    others = tuple(name for name in ("easse", "xu2016") if name != variant.name)
    yield RewardsCopyingWarning(f"the variant {cause}, so that copies can rank first", advice=Advice("variant", others))


def _share_changed(sources: Sequence[str], variant: Variant) -> float:
    """Return the share of sources that have other tokens as outputs."""
    as_sources, as_outputs = (split_into_tokens(sources, text) for text in (variant.source_text, variant.text))
    return sum(map(list.__ne__, as_sources, as_outputs)) / (len(sources) or 1)


def signature_warnings(printed: str | None, here: str) -> Iterator[SariWarning]:
    """Yield a warning if a printed signature names other versions or numbers of references than the one made here."""
    if printed is not None and (differing := differing_parts(printed, here)):
        yield SignatureWarning("the signature differs from the printed one, so scores may differ", ", ".join(differing))


def check_resampling(segments: int, smallest_p_value: float = 0.0) -> Iterator[SariWarning]:
    """Yield warnings about too few segments, or too few resamples, for intervals and tests.

    `smallest_p_value` is the smallest corrected p-value that the tests can give.
    """
    if segments < ENOUGH_SEGMENTS:
        fault = f"with fewer than {ENOUGH_SEGMENTS} segments intervals are too narrow and p-values unreliable"
        detail = "1 segment" if segments == 1 else f"{segments} segments"
        yield ResamplingWarning(f"{fault}; a single one has no interval, and p-value 1", detail)
    if smallest_p_value >= SIGNIFICANT:
        fault = "no difference can be significant with so few resamples for so many comparisons"
        yield ResamplingWarning(fault, f"the smallest possible corrected p-value is {smallest_p_value:.2f}")


# ---- Giving warnings -------------------------------------------------------------------------------------------------


@contextmanager
def collect_warnings() -> Iterator[list[Warning]]:
    """Put the warnings about scores into a list instead of giving them; see `Scorer.collect_warnings`."""
    collected: list[Warning] = []
    before = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(before)


def give_warnings(doubts: Iterable[Warning]) -> None:
    """Give warnings that point at the caller of the scorer; before Python 3.12 not at that of the metric."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected += doubts
        return
    place: Any = {"skip_file_prefixes": _files_of_the_metric()} if sys.version_info >= (3, 12) else {"stacklevel": 3}
    for warning in doubts:
        warnings.warn(warning, **place)


@cache
def _files_of_the_metric() -> tuple[str, ...]:
    """Return the beginnings of the files of shipped modules, and the folder of `evaluate` where it is imported."""
    files = [str(path).removesuffix("py") for path in Path(__file__).parent.glob("*.py")]  # a whole name is no prefix
    evaluate = getattr(sys.modules.get("evaluate"), "__file__", None)
    return (*files, str(Path(evaluate).parent)) if evaluate else tuple(files)


def warning_rows(doubts: Iterable[SariWarning]) -> list[WarningRow]:
    """Return warnings as plain data, each once, in their order."""
    return [warning.as_dict() for warning in {(type(one), one.args): one for one in doubts}.values()]


def merge_warnings(doubts: Mapping[str, Iterable[SariWarning]]) -> list[SariWarning]:
    """Return each warning once. It begins with the systems or variants that have it, unless all of them have it.

    >>> x, y = SariWarning("x"), SariWarning("y", "1 of 2")
    >>> merged = merge_warnings({"a": [x, y], "b": [x], "c": [x, SariWarning("y", "2 of 2")]})
    >>> [(warning.message, warning.detail) for warning in merged]
    [('x', ''), ('a, c: y', 'a: 1 of 2; c: 2 of 2')]
    """
    details: dict[tuple[type[SariWarning], str, Advice | None], dict[str, str]] = {}
    for name, warnings_of_name in doubts.items():
        for warning in warnings_of_name:
            details.setdefault((type(warning), warning.message, warning.advice), {})[name] = warning.detail
    merged = []
    for (category, message, advice), by_name in details.items():
        prefix = "" if len(by_name) == len(doubts) else f"{', '.join(by_name)}: "
        figures = list(dict.fromkeys(by_name.values()))
        if len(figures) > 1:
            figures = [f"{name}: {text}" for name, text in by_name.items()]
        detail = "; ".join(figures)
        merged.append(category(prefix + message, detail, advice))
    return merged
