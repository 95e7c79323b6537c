"""Every published SARI as a row of data, and the options that may be set on top of it.

Only the standard library is imported here, so that a command line can list the variants at once.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal

VERSION = "1.0.0"

#: What to cite, as BibTeX.
CITATION = """\
@article{xu-etal-2016-optimizing,
    title = {Optimizing Statistical Machine Translation for Text Simplification},
    author = {Xu, Wei and Napoles, Courtney and Pavlick, Ellie and Chen, Quanze and Callison-Burch, Chris},
    journal = {Transactions of the Association for Computational Linguistics},
    volume = {4},
    year = {2016},
    url = {https://aclanthology.org/Q16-1029},
    pages = {401--415},
}
"""

#: Counts of longer n-grams than these would fill the memory for nothing.
MOST_ORDERS = 100

#: What is scored, and what a segment's n-grams undergo.
Score = Literal["sari", "keep", "delete", "add"]
Operation = Literal["keep", "delete", "add"]
Figure = Literal["precision", "recall", "f1", "score"]
SCORES: tuple[Score, ...] = ("sari", "keep", "delete", "add")
OPERATIONS: tuple[Operation, ...] = ("keep", "delete", "add")

LEVELS = ("sentence", "corpus")
DELETIONS = ("precision", "f1")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to compute SARI: every choice that changes the number.

    Attributes:
        name: the name that `variant=` takes.
        summary: who published it and what differs, in one line.
        source: where it is defined: repository and commit, or paper.
        counting: how the n-grams of a segment become counts; a key of `countings.COUNTINGS`.
        level: "sentence" averages the scores of segments, "corpus" sums their counts first.
        averaging: "scores" averages each order's score; "ratios" averages precisions and recalls over orders first.
        deletion: "precision" or "f1", the score of the delete operation.
        addition: "precision" or "f1", the score of the add operation.
        zero_division: the value of a precision or recall whose denominator is 0, between 0 and 1.
        tokenize: a tokenizer's name, or a callable from text to text with tokens set apart by spaces.
        source_tokenize: the tokenizer of the sources where it is another one; None where it is the same.
        lowercase: whether texts are lowercased before they are tokenized.
        splits_on_space: whether tokens are what stands between single spaces, so that an empty text is one empty
            token; otherwise they are what stands between runs of whitespace, and an empty text has none.
        max_order: the longest n-grams, in tokens.
    """

    name: str
    summary: str
    source: str
    counting: str
    level: str
    zero_division: float
    deletion: str = "f1"
    addition: str = "f1"
    averaging: str = "scores"
    tokenize: str | Callable[[str], str] = "none"
    source_tokenize: str | None = None
    lowercase: bool = True
    splits_on_space: bool = False
    max_order: int = 4

    @property
    def rewards_copying(self) -> bool:
        """Whether a prediction that deletes nothing has full marks for deletion."""
        return self.level == "sentence" and self.deletion == "precision" and bool(self.zero_division)


_XU = "https://github.com/cocoxu/simplification (3557046)"
_T2T = "https://github.com/tensorflow/tensor2tensor, utils/sari_hook.py (bafdc1b6)"
_EASSE = "https://github.com/feralvam/easse (6a4352e)"

_ROWS = (
    Variant(
        name="hf",
        summary="Hugging Face evaluate: xu2016 with 13a tokens, 0/0 = 1 and keep recall pooled over n-grams",
        source="https://github.com/huggingface/evaluate, metrics/sari (a7dd338)",
        counting="hf",
        level="sentence",
        zero_division=1,
        deletion="precision",
        tokenize="13a",
        splits_on_space=True,
    ),
    Variant(
        name="xu2016",
        summary="Xu et al. 2016, the authors' SARI.py: mean of sentences on space-separated tokens, 0/0 = 0",
        source=f"{_XU}, SARI.py",
        counting="xu2016",
        level="sentence",
        zero_division=0,
        deletion="precision",
        splits_on_space=True,
    ),
    Variant(
        name="lens",
        summary="the authors' modified-sari.py: as xu2016, but what deleting alone brings about is not a good addition",
        source=f"{_XU}, modified-sari.py",
        counting="lens",
        level="sentence",
        zero_division=0,
        deletion="precision",
        splits_on_space=True,
    ),
    Variant(
        name="easse",
        summary="EASSE (Alva-Manchego et al. 2019): counts summed over the corpus, F1 for deletion, 13a tokens",
        source=f"{_EASSE}, easse/sari.py",
        counting="pooled",
        level="corpus",
        zero_division=0,
        tokenize="13a",
    ),
    Variant(
        name="easse_legacy",
        summary="EASSE's legacy option, after the authors' Java code: as easse, cased, sources not tokenized",
        source=f"{_EASSE}, easse/sari.py",
        counting="pooled",
        level="corpus",
        zero_division=0,
        tokenize="13a",
        source_tokenize="none",
        lowercase=False,
    ),
    Variant(
        name="paper",
        summary="equations 4-7 of Xu et al. 2016: as easse, but averaged over orders before F1, precision for deletion",
        source="Xu et al. 2016, https://aclanthology.org/Q16-1029; computed as use_paper_version of "
        f"{_EASSE}, easse/sari.py",
        counting="pooled",
        level="corpus",
        averaging="ratios",
        zero_division=0,
        deletion="precision",
        tokenize="13a",
    ),
    Variant(
        name="t2t",
        summary="tensor2tensor: n-gram sets, references weighed by how many hold the n-gram, 0/0 = 1",
        source=_T2T,
        counting="weighted_sets",
        level="sentence",
        zero_division=1,
        deletion="precision",
    ),
    Variant(
        name="lasertagger",
        summary="LaserTagger (Malmi et al. 2019) and what copied it: as t2t, F1 for deletion",
        source=f"{_T2T} with beta 1 for deletion, as https://github.com/google-research/lasertagger calls it",
        counting="weighted_sets",
        level="sentence",
        zero_division=1,
    ),
    Variant(
        name="set",
        summary="plain n-gram sets with the references united, precision for addition",
        source="the definition in this project's docs/variants.md",
        counting="sets",
        level="sentence",
        zero_division=0,
        addition="precision",
    ),
)

VARIANTS = {row.name: row for row in _ROWS}


def resolve_variant(
    variant: str = "hf",
    *,
    level: str | None = None,
    deletion: str | None = None,
    zero_division: float | None = None,
    tokenize: str | Callable[[str], str] | None = None,
    lowercase: bool | None = None,
    max_order: int = 4,
) -> Variant:
    """Return a variant with the given options in place of its own; None leaves the variant's own.

    Raises:
        ValueError: for a value that is not one of the valid ones, which the message lists.
        TypeError: for a value of the wrong type.

    >>> resolve_variant("easse", deletion="precision").deletion
    'precision'
    >>> resolve_variant("bleu")
    Traceback (most recent call last):
    ...
    ValueError: variant: got 'bleu', wanted one of hf, xu2016, lens, easse, easse_legacy, paper, t2t, lasertagger, set
    """
    _check_choice("variant", variant, VARIANTS)
    options = {
        "level": level,
        "deletion": deletion,
        "zero_division": zero_division,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "max_order": max_order,
    }
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name in _CHECKS:
            _CHECKS[name](value)
    return replace(VARIANTS[variant], **given)


def ablation_steps(first: Variant, last: Variant) -> Iterator[tuple[str, str, str, Variant]]:
    """Walk from one variant to another, one choice at a time, passing over choices that they share.

    Yields:
        The name of the choice, what the first variant takes, what the last takes, and a variant that agrees with the
        last in this choice and those before it, and with the first in the others.

    >>> for choice, before, after, _ in ablation_steps(VARIANTS["hf"], VARIANTS["paper"]):
    ...     print(f"{choice}: {before} -> {after}")
    text: 13a tokens, lowercased, an empty text is one token -> 13a tokens, lowercased
    zero division: 0/0 = 1 -> 0/0 = 0
    counting: means over n-gram types, keep recall pooled -> all n-grams pooled
    level: mean of sentences -> counts summed over the corpus
    averaging: F1 of each order, then the mean -> mean over orders, then F1
    """
    for choice, (fields, describe) in _CHOICES.items():
        wanted = {name: getattr(last, name) for name in fields}
        if wanted != {name: getattr(first, name) for name in fields}:
            after = replace(first, **wanted)
            yield choice, describe(first), describe(after), after
            first = after


def _text_in_words(variant: Variant) -> str:
    tokenize = variant.tokenize if isinstance(variant.tokenize, str) else "custom"
    words = [
        ("split on spaces" if tokenize == "none" else f"{tokenize} tokens")
        + (" (sources only split)" if variant.source_tokenize == "none" != tokenize else ""),
        "lowercased" if variant.lowercase else "cased",
    ]
    return ", ".join(words + ["an empty text is one token"] * variant.splits_on_space)


_COUNTINGS_IN_WORDS = {
    "hf": "means over n-gram types, keep recall pooled",
    "xu2016": "means over n-gram types",
    "lens": "means over n-gram types, no credit for additions that deleting made",
    "pooled": "all n-grams pooled",
    "weighted_sets": "n-gram sets, references weighed",
    "sets": "n-gram sets, references united",
}
_LEVELS_IN_WORDS = {"sentence": "mean of sentences", "corpus": "counts summed over the corpus"}
_AVERAGING_IN_WORDS = {"scores": "F1 of each order, then the mean", "ratios": "mean over orders, then F1"}

# What sets variants apart, in the order of the way from text to score: the fields of each choice, and its words.
_CHOICES: dict[str, tuple[tuple[str, ...], Callable[[Variant], str]]] = {
    "text": (("tokenize", "source_tokenize", "lowercase", "splits_on_space"), _text_in_words),
    "zero division": (("zero_division",), lambda variant: f"0/0 = {variant.zero_division:g}"),
    "counting": (("counting",), lambda variant: _COUNTINGS_IN_WORDS[variant.counting]),
    "level": (("level",), lambda variant: _LEVELS_IN_WORDS[variant.level]),
    "deletion": (("deletion",), lambda variant: variant.deletion),
    "addition": (("addition",), lambda variant: variant.addition),
    "averaging": (("averaging",), lambda variant: _AVERAGING_IN_WORDS[variant.averaging]),
}


def _check_choice(name: str, value: object, choices: Collection[str]) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name}: got {value!r}, wanted one of {', '.join(choices)}")
    if value not in choices:
        raise ValueError(f"{name}: got {value!r}, wanted one of {', '.join(choices)}")


def _check_zero_division(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"zero_division: got {value!r}, wanted a number from 0 to 1")
    if not 0 <= float(value) <= 1:
        raise ValueError(f"zero_division: got {value!r}, wanted a number from 0 to 1")


def _check_lowercase(value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"lowercase: got {value!r}, wanted True or False")


def check_whole_number(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number (TypeError), or is less than `least` or more than `most` (ValueError)."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: got {value!r}, wanted a whole number of at least {least}")
    if int(value) < least:
        raise ValueError(f"{name}: got {value!r}, wanted a whole number of at least {least}")
    if most is not None and int(value) > most:
        raise ValueError(f"{name}: got {value!r}, wanted a whole number of at most {most}")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "level": lambda value: _check_choice("level", value, LEVELS),
    "deletion": lambda value: _check_choice("deletion", value, DELETIONS),
    "zero_division": _check_zero_division,
    "lowercase": _check_lowercase,
    "max_order": lambda value: check_whole_number("max_order", value, least=1, most=MOST_ORDERS),
}
