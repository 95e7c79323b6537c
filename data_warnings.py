"""What a careful colleague would say about the data behind a score: warnings, from tallies and a small sample of texts.

A warning speaks of what most of a column looks like, and needs at least `ENOUGH` segments to judge by.
"""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import chain, combinations
from typing import Any, NamedTuple, TypedDict

from .samples import Observed, Pair, flattened


class SariWarning(UserWarning):
    """The base of all warnings about a score."""


class CopiedOutputsWarning(SariWarning):
    """Most outputs are their sources."""


class EmptyOutputsWarning(SariWarning):
    """Some outputs are empty."""


class BelowCopyWarning(SariWarning):
    """Copying the sources scores higher."""


class BelowUnrelatedWarning(SariWarning):
    """References of other segments score higher."""


class RewardsCopyingWarning(SariWarning):
    """The variant gives full marks for deletion to an output that deletes nothing."""


class CaseMismatchWarning(SariWarning):
    """Some columns are in lower case and others are not, and case counts."""


class AlreadyTokenizedWarning(SariWarning):
    """Texts look tokenized, and are tokenized again."""


class UntokenizedWarning(SariWarning):
    """Texts look untokenized, and are only split on spaces."""


class UnsegmentedTextWarning(SariWarning):
    """Chinese or Japanese, with a tokenizer that leaves whole clauses in one piece."""


class DuplicateReferencesWarning(SariWarning):
    """Two references are the same text nearly everywhere."""


class SwappedColumnsWarning(SariWarning):
    """Sources and outputs look exchanged."""


class ShiftedLinesWarning(SariWarning):
    """Lines of one file belong to neighbouring lines of another."""


class FewSegmentsWarning(SariWarning):
    """Intervals or tests of fewer segments than it takes for them to hold."""


class FewResamplesWarning(SariWarning):
    """So few draws for so many comparisons that no difference could be significant."""


class VariantLeftOutWarning(SariWarning):
    """A variant cannot be had with these options, or without a package that is missing."""


CATEGORIES: dict[str, type[SariWarning]] = {"SariWarning": SariWarning} | {
    category.__name__: category for category in SariWarning.__subclasses__()
}

#: Segments that it takes to speak of most of them.
ENOUGH = 10
_MOST, _NEARLY_ALL, _HARDLY_ANY = 0.5, 0.9, 0.1

# What counts as significant.
_SIGNIFICANT = 0.05

#: Segments that it takes for intervals and the bootstrap to hold: `benchmarks/significance.py` shows it.
ENOUGH_TO_RESAMPLE = 100

# Texts that share so many of their words belong together; how many more a text must share with a neighbour's source
# than with its own, and in how many of the pairs.
_BELONGS, _SHIFT_MARGIN, _SHIFT_SHARE = 0.6, 0.2, 0.3
# How much longer than sources and references outputs are, and how much closer to references, when they are the sources
# in truth. Their words are longer, too; those of a wordy system are not.
_SWAP_LENGTH, _SWAP_MARGIN = 1.05, 0.05

_WORD_TOKENIZERS = ("13a", "intl", "moses", "penn")
_LOOKS_UNTOKENIZED = re.compile(r"\w[,.](?:\s|$)")
_LONG_RUN_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{8}")


# Where warnings go instead of to Python's, whose filters belong to the whole process.
_COLLECTED: ContextVar[list[Warning] | None] = ContextVar("collected", default=None)


class WarningRow(TypedDict):
    """A warning as plain data: the name of its category, and what it says."""

    category: str
    message: str


class _Look(NamedTuple):
    """A sample by columns, and how texts become tokens; of the references only the first where not said otherwise.

    Attributes:
        words: from a text to the set of its words.
    """

    sources: list[str]
    predictions: list[str]
    references: list[str]
    all_references: list[list[str]]
    pairs: list[Pair]
    tokenize: object
    source_tokenize: object
    lowercase: bool
    words: Callable[[str], set[str]]

    def columns(self) -> dict[str, list[str]]:
        return {"sources": self.sources, "predictions": self.predictions, "references": self.references}

    def tokenized_by(self, tokenizers: Sequence[str]) -> dict[str, list[str]]:
        by = {"sources": self.source_tokenize, "predictions": self.tokenize, "references": self.tokenize}
        return {name: texts for name, texts in self.columns().items() if by[name] in tokenizers}


def check_copying(sari: float, copied: float, segments: int) -> Iterator[SariWarning]:
    """Yield a warning if the sources themselves score higher on a sample of segments."""
    if copied > sari:
        yield BelowCopyWarning(
            f"in a sample of {segments} segments, copying the sources has a SARI of {copied:.2f}, the predictions "
            f"{sari:.2f}"
        )


def check_unrelated(sari: float, unrelated: float, segments: int) -> Iterator[SariWarning]:
    """Yield a warning if texts that have nothing to do with their sources score higher on a sample of segments."""
    if unrelated > sari:
        yield BelowUnrelatedWarning(
            f"in a sample of {segments} segments, references of other segments have a SARI of {unrelated:.2f}, the "
            f"predictions {sari:.2f}"
        )


def check_variant(name: str) -> SariWarning:
    """Return the warning about a variant that rewards copying."""
    return RewardsCopyingWarning(
        f"variant {name!r} gives full marks for deletion to a prediction that deletes nothing, and so may rank copies "
        "of the sources above every system: compare systems with 'easse' or 'xu2016', or look at baselines"
    )


def check_resampling(
    segments: int, *, intervals: bool, tests: bool, smallest_p_value: float = 0.0
) -> Iterator[SariWarning]:
    """Yield warnings about intervals and tests that say more than they can.

    Args:
        segments: how many there are.
        intervals, tests: whether there are any.
        smallest_p_value: that the tests could give, corrected for their number.
    """
    if segments == 1 and (intervals or tests):
        yield FewSegmentsWarning("a single segment has no interval, and no test can tell what is chance")
    elif segments < ENOUGH_TO_RESAMPLE and (intervals or tests):
        what = " and ".join(["intervals"] * intervals + ["tests"] * tests)
        yield FewSegmentsWarning(
            f"{what} of {segments} segments are less sure than they say: they want {ENOUGH_TO_RESAMPLE} or more"
        )
    if tests and smallest_p_value >= _SIGNIFICANT:
        yield FewResamplesWarning(
            f"no difference could be significant: with so few resamples for so many comparisons no corrected p-value "
            f"is below {smallest_p_value:.2f}"
        )


def check_data(
    observed: Observed,
    *,
    segments: int,
    copied: int,
    tokenize: object,
    source_tokenize: object,
    lowercase: bool,
) -> Iterator[SariWarning]:
    """Yield what sources, predictions and references give reason to say.

    Args:
        observed: what is remembered of the segments.
        segments: how many there are.
        copied: how many of their predictions are copies of the source.
        tokenize, source_tokenize: a tokenizer's name, or a callable, of which nothing is known.
        lowercase: whether texts are lowercased before they are compared.
    """
    pairs, empty = observed
    if empty:
        yield EmptyOutputsWarning(f"{empty} of {segments} predictions {'is' if empty == 1 else 'are'} empty")
    if segments < ENOUGH:
        return
    if copied > _MOST * segments:
        yield CopiedOutputsWarning(f"{copied} of {segments} predictions are the same as their sources")
    sources, predictions, references = flattened(pairs)
    first = [row[0] for row in references]
    words = cache(lambda text: set(text.lower().split()))
    look = _Look(sources, predictions, first, references, pairs, tokenize, source_tokenize, lowercase, words)
    for check in _CHECKS:
        yield from check(look)


@contextmanager
def collect_warnings() -> Iterator[list[Warning]]:
    """Put the warnings about scores into a list instead of giving them, in this thread or task alone.

    Unlike `warnings.catch_warnings`, it is safe where several threads score at once, as in a server.

    >>> with collect_warnings() as collected:
    ...     give_warnings([EmptyOutputsWarning("1 of 1 predictions is empty")])
    >>> warning_rows(collected)
    [{'category': 'EmptyOutputsWarning', 'message': '1 of 1 predictions is empty'}]
    """
    collected: list[Warning] = []
    before = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(before)


def give_warnings(found: Iterable[Warning]) -> None:
    """Warn on behalf of the first caller outside of these modules and of `evaluate`."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected += found
        return
    for warning in found:
        warnings.warn(warning, stacklevel=_callers_level())


def warning_rows(found: Iterable[Warning]) -> list[WarningRow]:
    """Return warnings as plain data, each once, in the order in which they came."""
    pairs = dict.fromkeys((type(warning).__name__, str(warning)) for warning in found)
    return [WarningRow(category=category, message=message) for category, message in pairs]


def merge_warnings(found: Mapping[str, Iterable[Warning]]) -> list[Warning]:
    """Return each warning once, and with the names of what it is about where that is not everything.

    Args:
        found: warnings by the name of what they are about: of systems, say, or of variants.

    >>> x, y = SariWarning("x"), SariWarning("y")
    >>> [str(warning) for warning in merge_warnings({"a": [x, y], "b": [x], "c": [x, y]})]
    ['x', 'a, c: y']
    """
    names: dict[tuple[type[Warning], str], list[str]] = {}
    for name, own in found.items():
        for warning in own:
            names.setdefault((type(warning), str(warning)), []).append(name)
    return [
        category(message if len(of) == len(found) else f"{', '.join(of)}: {message}")
        for (category, message), of in names.items()
    ]


def without_comparison(found: Iterable[Warning]) -> list[Warning]:
    """Return the warnings that matter where no systems are compared: there a variant's merits are not the question."""
    return [warning for warning in found if not isinstance(warning, RewardsCopyingWarning)]


_folder = cache(os.path.dirname)


def _callers_level() -> int:
    """Return how far up the stack, seen from the function that asks, is the first caller outside of here."""
    here, level, frame = _folder(__file__), 0, sys._getframe()
    while frame.f_back and (
        _folder(frame.f_code.co_filename) == here or frame.f_globals.get("__name__", "").partition(".")[0] == "evaluate"
    ):
        level, frame = level + 1, frame.f_back
    return level


def _case(look: _Look) -> Iterator[SariWarning]:
    if look.lowercase:
        return
    shares = {name: _share(texts, lambda text: text != text.lower()) for name, texts in look.columns().items()}
    lower = [name for name, share in shares.items() if share < _HARDLY_ANY]
    cased = [name for name, share in shares.items() if share > _MOST]
    if lower and cased:
        yield CaseMismatchWarning(
            f"{_listed(lower)} are in lower case, {_listed(cased)} are not, and case counts: set lowercase=True"
        )


def _tokenized(look: _Look) -> Iterator[SariWarning]:
    columns = look.tokenized_by(_WORD_TOKENIZERS)
    names = [name for name, texts in columns.items() if _share(texts, _looks_tokenized) > _MOST]
    if names:
        yield AlreadyTokenizedWarning(
            f"{_listed(names)} look tokenized already, and are tokenized once more: detokenize them, or set "
            'tokenize="none" if all texts were tokenized alike'
        )


def _untokenized(look: _Look) -> Iterator[SariWarning]:
    columns = look.tokenized_by(("none",))
    names = [name for name, texts in columns.items() if _share(texts, _LOOKS_UNTOKENIZED.search) > _MOST]
    if names:
        yield UntokenizedWarning(
            f"{_listed(names)} do not look tokenized, and are only split on spaces: tokenize them, or set "
            'tokenize="13a"'
        )


def _unsegmented(look: _Look) -> Iterator[SariWarning]:
    columns = look.tokenized_by((*_WORD_TOKENIZERS, "none"))
    names = [name for name, texts in columns.items() if _share(texts, _has_long_run) > _MOST]
    if names:
        yield UnsegmentedTextWarning(
            f"{_listed(names)} have Chinese or Japanese, which tokenize={look.tokenize!r} leaves in long pieces: set "
            'tokenize="zh", "ja-mecab" or "char"'
        )


def _duplicate_references(look: _Look) -> Iterator[SariWarning]:
    if _share(look.all_references, lambda row: len(set(row)) < len(row)) <= _NEARLY_ALL:
        return
    width = min(map(len, look.all_references))
    columns = list(zip(*(row[:width] for row in look.all_references), strict=True))
    for (one, texts), (other, others) in combinations(enumerate(columns, 1), 2):
        same = sum(map(str.__eq__, texts, others))
        if same > _NEARLY_ALL * len(texts):
            yield DuplicateReferencesWarning(
                f"references {one} and {other} are the same in {same} of {len(texts)} segments looked at"
            )
            return


def _swapped(look: _Look) -> Iterator[SariWarning]:
    length_s, length_p, length_r = (sum(map(len, texts)) for texts in look.columns().values())
    if length_p <= _SWAP_LENGTH * max(length_s, length_r):
        return
    sources, predictions, references = (list(map(look.words, texts)) for texts in look.columns().values())
    gain = sum(map(_likeness, references, predictions)) - sum(map(_likeness, references, sources))
    if gain > _SWAP_MARGIN * len(references) and _word_length(predictions) > _word_length(sources):
        yield SwappedColumnsWarning(
            "predictions are longer than sources, and references are more like predictions: are the two swapped?"
        )


def _shifted(look: _Look) -> Iterator[SariWarning]:
    pairs = [pair for pair in look.pairs if len(pair[0]) > 1]
    if 2 * len(pairs) < ENOUGH:
        return
    sources = [list(map(look.words, pair[0])) for pair in pairs]
    columns = {
        "predictions": [list(map(look.words, pair[1])) for pair in pairs],
        "references": [[look.words(row[0]) for row in pair[2]] for pair in pairs],
    }
    shares = {name: max(_shares_of_shift(sources, column)) for name, column in columns.items()}
    names = [name for name, share in shares.items() if share > _SHIFT_SHARE]
    if names:
        yield ShiftedLinesWarning(
            f"{_listed(names)} look shifted by one line against sources, in {max(shares.values()):.0%} of the places "
            "looked at: does a line lack, or is there one too many?"
        )


def _shares_of_shift(sources: list[list[set[str]]], column: list[list[set[str]]]) -> tuple[float, float]:
    """Return the share of pairs where a text fits the source before, and the source after it, better than its own."""
    before = after = 0
    for (source, next_source), (text, next_text) in zip(sources, column, strict=True):
        own = (_likeness(text, source) + _likeness(next_text, next_source)) / 2
        if own < _BELONGS:
            before += _likeness(next_text, source) > own + _SHIFT_MARGIN
            after += _likeness(text, next_source) > own + _SHIFT_MARGIN
    return before / len(sources), after / len(sources)


_CHECKS: tuple[Callable[[_Look], Iterator[SariWarning]], ...] = (
    _shifted,
    _swapped,
    _case,
    _tokenized,
    _untokenized,
    _unsegmented,
    _duplicate_references,
)


def _looks_tokenized(text: str) -> bool:
    return " ." in text or " ," in text or "@-@" in text or "-lrb-" in text or "-LRB-" in text


def _has_long_run(text: str) -> bool:
    return not text.isascii() and _LONG_RUN_WITHOUT_SPACES.search(text) is not None


def _word_length(column: list[set[str]]) -> float:
    """Return the mean number of characters of words."""
    words = list(chain.from_iterable(column))
    return sum(map(len, words)) / (len(words) or 1)


def _likeness(one: set[str], other: set[str]) -> float:
    """Return the share of words in common: the coefficient of Dice."""
    return 2 * len(one & other) / (len(one) + len(other) or 1)


def _share(texts: Sequence[Any], test: Callable[[Any], object]) -> float:
    return sum(map(bool, map(test, texts))) / len(texts)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
