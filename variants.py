"""The choices that a score depends on: variants, options and penalties as data, and the signature.

Only small modules are imported here, so that a command line can list the choices at once.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import attrgetter
from typing import Any, Literal

from .languages import (
    PUNKT,
    SPACY,
    TOKENIZERS,
    SentenceSplitter,
    Tokenizer,
    check_function,
    describe,
    is_code,
    version_of,
)
from .messages import RefusedError, RefusedValueError, count_of, fault
from .validation import check_choice, check_flags, check_share, check_whole_number, common_number, refuse_unknown

VERSION = "2.0.0"

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

#: The scores, and the operations of which SARI is the mean.
Score = Literal["sari", "keep", "delete", "add"]
Operation = Literal["keep", "delete", "add"]
Figure = Literal["precision", "recall", "f1", "score"]
SCORES: tuple[Score, ...] = ("sari", "keep", "delete", "add")
OPERATIONS: tuple[Operation, ...] = ("keep", "delete", "add")

#: What a document can be penalized for: see `aggregation.penalty_factors`.
PenaltyFactor = Literal["shortness", "verbosity", "sentences"]

#: The variant where none is chosen; only a metric that `evaluate.load` makes has another: see `Sari`.
DEFAULT_VARIANT = "easse"

LEVELS = ("sentence", "corpus")
DELETIONS = ("precision", "f1")
#: For type checkers, the names of variants, levels, scores of deletion and penalties.
VariantName = Literal[
    "hf",
    "xu2016",
    "lens",
    "easse",
    "easse_legacy",
    "paper",
    "t2t",
    "lasertagger",
    "star",
    "kriz",
    "easse_multi",
    "dsari",
    "set",
]
Level = Literal["sentence", "corpus"]
Deletion = Literal["precision", "f1"]
PenaltiesName = Literal["none", "dsari", "plan_simp"]

_LONGEST_NGRAMS = 100  # longer ones would fill the memory and change no score


# ---- Texts and variants ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Text:
    """How texts become tokens.

    Attributes:
        tokenize: see `Scorer`.
        lowercase: whether texts are lowercased before they are tokenized.
        splits_on_space: whether texts are split at single spaces, so that an empty text is one empty token; otherwise
            they are split at runs of whitespace, and an empty text has no token.
    """

    tokenize: Tokenizer = "none"
    lowercase: bool = True
    splits_on_space: bool = False


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """Factors of at most 1 for documents whose length or number of sentences differs from that of the references.

    Attributes:
        summary: who published them and what they are, in one line.
        keep, delete, add: what the score of the operation is multiplied by.
        of_tokens: whether sentences are split after tokenization and lowercasing, instead of in the raw text.
    """

    summary: str
    keep: tuple[PenaltyFactor, ...] = ()
    delete: tuple[PenaltyFactor, ...] = ()
    add: tuple[PenaltyFactor, ...] = ()
    of_tokens: bool = False


_OF_DSARI = Penalties(
    summary="those of D-SARI (Sun et al. 2021), for length and number of sentences",
    keep=("verbosity", "sentences"),
    delete=("verbosity",),
    add=("shortness",),
)
_OF_PLAN_SIMP = replace(  # https://github.com/liamcripwell/plan_simp, plan_simp/eval/easse_sari.py (cd90ed6)
    _OF_DSARI, summary="those of D-SARI as in plan_simp: sentences are found in the tokenized text", of_tokens=True
)
PENALTIES = {"none": Penalties(summary="no penalties"), "dsari": _OF_DSARI, "plan_simp": _OF_PLAN_SIMP}


@dataclass(frozen=True, kw_only=True)
class Variant(Text):
    """One way to compute SARI: every choice that changes the number. How texts become tokens is inherited from `Text`.

    `variant_comparison.CHOICES` explains the differences between variants, field by field.

    Attributes:
        name: the name that `variant=` takes.
        cites: the key of what to cite for it, in `reports/citations.bib`.
        summary: who published it and what differs, in one line.
        source: where it is defined: repository and commit, or paper.
        source_tokenize: the tokenizer of the sources, if it is another one.
        lowercases_sources: whether `lowercase` applies to sources, too.
        zero_division: the value of a precision or recall whose denominator is 0, from 0 to 1.
        counting: a key of `ngram_statistics.COUNTINGS`: how n-grams become numerators and denominators.
        source_weight: what the counts of source and prediction are multiplied by before they are compared with those of
            all references together; None for the number of references.
        max_order: the longest n-grams, in tokens.
        level: "sentence" averages the scores of segments, "corpus" sums their counts first.
        deletion: "precision" or "f1", the score of the delete operation.
        addition: "precision" or "f1", the score of the add operation.
        averaging: "scores" averages the scores of orders; "ratios" averages precisions and recalls over orders first.
        penalties: a key of `PENALTIES`: what the scores of a segment are multiplied by.
        sentence_splitter: how penalties split sentences: "punkt", "module:function", or a callable from a text to a
            list of sentences.
    """

    name: str
    cites: str
    summary: str
    source: str
    source_tokenize: str | None = None
    lowercases_sources: bool = True
    zero_division: float
    counting: str
    source_weight: int | None = None
    max_order: int = 4
    level: str
    deletion: str = "f1"
    addition: str = "f1"
    averaging: str = "scores"
    penalties: str = "none"
    sentence_splitter: SentenceSplitter = PUNKT

    @property
    def text(self) -> Text:
        """How predictions and references become tokens."""
        return Text(**{field.name: getattr(self, field.name) for field in fields(Text)})

    @property
    def source_text(self) -> Text:
        """How sources become tokens."""
        lowercase = self.lowercase and self.lowercases_sources
        return replace(self.text, tokenize=self.source_tokenize or self.tokenize, lowercase=lowercase)

    @property
    def has_penalties(self) -> bool:
        """Whether scores of segments are multiplied by penalties."""
        return self.penalties != "none"

    @property
    def penalty_rules(self) -> Penalties:
        """The row of `PENALTIES` that applies."""
        return PENALTIES[self.penalties]

    @property
    def options(self) -> dict[str, Any]:
        """The scoring options that make this variant: see `resolve_variant`."""
        return {"variant": self.name, **{name: getattr(self, name) for name in CHANGES}}

    @property
    def changes(self) -> dict[str, Any]:
        """The options that differ from those of the published variant."""
        published = VARIANTS.get(self.name, self)
        return {name: value for name in CHANGES if (value := getattr(self, name)) != getattr(published, name)}

    @property
    def label(self) -> str:
        """The name and, after each "+", the key of an option that differs from the published variant.

        >>> resolve_variant("easse", level="sentence", deletion="precision").label
        'easse+level+del'
        """
        return "+".join([self.name, *(CHANGES[name].key for name in self.changes)])

    def signature(self, nrefs: Iterable[int | str] = ()) -> str:
        """Return the line that names every choice that a score depends on, so that others can repeat it.

        Args:
            nrefs: the numbers of references that segments have.

        >>> VARIANTS["hf"].signature({9})
        'SARI|variant:hf|nrefs:9|case:lc|tok:13a|order:4|level:sentence|del:precision|zero:1|sacrebleu:2.6.0|version:2.0.0'
        """
        parts: dict[str, Any] = {"variant": self.label, "nrefs": common_number(nrefs)}
        used = {name: option for name, option in CHANGES.items() if option.is_used(self)}
        parts |= {option.key: option.sign(getattr(self, name)) for name, option in used.items()}
        parts |= {"sacrebleu": version_of("sacrebleu"), "version": VERSION}
        return "|".join(["SARI", *(f"{key}:{value}" for key, value in parts.items())])


_XU = "https://github.com/cocoxu/simplification (3557046)"
_T2T = "https://github.com/tensorflow/tensor2tensor, utils/sari_hook.py (bafdc1b6)"
_EASSE = "https://github.com/feralvam/easse (6a4352e)"

_AUTHORS = Variant(
    name="xu2016",
    cites="xu-etal-2016-optimizing",
    summary="Xu et al. 2016, the authors' SARI.py: mean of sentence scores; words are split at spaces alone",
    source=f"{_XU}, SARI.py",
    counting="xu2016",
    level="sentence",
    zero_division=0.0,
    deletion="precision",
    splits_on_space=True,
)
_OF_EASSE = Variant(
    name="easse",
    cites="alva-manchego-etal-2019-easse",
    summary="EASSE (Alva-Manchego et al. 2019): n-grams are counted over the whole corpus; Delete is an F1 score",
    source=f"{_EASSE}, easse/sari.py",
    counting="easse",
    level="corpus",
    zero_division=0.0,
    tokenize="13a",
)
_LEGACY = replace(
    _OF_EASSE,
    name="easse_legacy",
    source=f"{_EASSE}, easse/sari.py with legacy=True; without options until 27ac15a, August 2019",
    cites="alva-manchego-etal-2019-easse",
    summary="EASSE's legacy option, after the authors' Java code: as easse, but cased; sources are not tokenized",
    source_tokenize="none",
    lowercase=False,
)
_TENSOR2TENSOR = Variant(
    name="t2t",
    cites="vaswani-etal-2018-tensor2tensor",
    summary="tensor2tensor: each n-gram counts once per sentence, weighed by how many references have it",
    source=_T2T,
    counting="t2t",
    level="sentence",
    zero_division=1.0,
    deletion="precision",
)
_ROWS = (
    replace(
        _AUTHORS,
        name="hf",
        cites="von-werra-etal-2022-evaluate",
        summary="Hugging Face evaluate: mean of sentence scores; Delete is 100 where an output deletes nothing",
        source="https://github.com/huggingface/evaluate, metrics/sari (a7dd338)",
        counting="hf",
        zero_division=1.0,
        tokenize="13a",
    ),
    _AUTHORS,
    replace(
        _AUTHORS,
        name="lens",
        cites="maddela-etal-2023-lens",
        summary="the authors' modified-sari.py: as xu2016, but n-grams that only a deletion made earn nothing in Add",
        source=f"{_XU}, modified-sari.py",
        counting="lens",
    ),
    replace(
        _AUTHORS,
        name="kriz",
        cites="kriz-etal-2019-complexity",
        summary="Kriz et al. 2019: as xu2016, but what an output keeps does not count against what it deletes; 0/0 = 1",
        source="https://github.com/rekriz11/sockeye-recipes, SARI/sari.py (644363b)",
        counting="kriz",
        zero_division=1.0,
    ),
    _OF_EASSE,
    _LEGACY,
    replace(
        _LEGACY,
        name="easse_multi",
        cites="stodden-2024-easse",
        summary="EASSE-DE and EASSE-multi, `easse evaluate`: as easse, but sources are cased and not tokenized",
        source="https://github.com/rstodden/easse-multi, easse/cli.py and easse/sari.py (681c2ed)",
        lowercase=True,
        lowercases_sources=False,
    ),
    replace(
        _LEGACY,
        name="star",
        cites="zhang-lapata-2017-sentence",
        summary="Joshua's STAR.java, as in DRESS: as easse_legacy, but counts of source and output are multiplied by 8",
        source="https://github.com/Sanqiang/text_simplification, STAR.java (c76a522), as in Joshua 5",
        source_weight=8,
    ),
    replace(
        _OF_EASSE,
        name="paper",
        cites="alva-manchego-etal-2019-easse",
        summary="EASSE's reading of equations 4-7 of Xu et al. 2016: F1 of ratios averaged over orders; Delete is "
        "precision",
        source="Xu et al. 2016, https://aclanthology.org/Q16-1029; computed as use_paper_version of "
        f"{_EASSE}, easse/sari.py",
        averaging="ratios",
        deletion="precision",
    ),
    _TENSOR2TENSOR,
    replace(
        _TENSOR2TENSOR,
        name="lasertagger",
        cites="malmi-etal-2019-encode",
        summary="LaserTagger (Malmi et al. 2019) and programs copied from it: as t2t, but Delete is an F1 score",
        source=f"{_T2T} with beta 1 for deletion, as https://github.com/google-research/lasertagger calls it",
        deletion="f1",
    ),
    Variant(
        name="set",
        cites="sari-software",
        summary="asked of this project: references are united, each n-gram counts once per sentence; Add is precision",
        source="the definition that this project was asked to implement, in its docs/definitions.md",
        counting="sets",
        level="sentence",
        zero_division=0.0,
        addition="precision",
    ),
    replace(
        _AUTHORS,
        name="dsari",
        cites="sun-etal-2021-document",
        summary="D-SARI (Sun et al. 2021), for documents: xu2016 with penalties for length and number of sentences",
        source="https://github.com/RLSNLP/Document-level-text-simplification, D_SARI.py (f72cab9)",
        penalties="dsari",
    ),
)

VARIANTS = {row.name: row for row in _ROWS}


# ---- Options --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Option:
    """A scoring option. Each but `variant` is a field of `Variant`.

    Attributes:
        kind: "choice" (a name), "function" (a name, or a callable), "flag" or "number".
        help: what it does.
        choices: the names that it can be.
        others: what else it can be, in words.
        default: its value in every variant; None if that depends on the variant.
        check: a function of the option's name and a value that is refused or not, and returns the value as it is kept.
        key: its name in signatures.
        sign, read: functions from a value to its text in signatures, and back.
        is_used: whether signatures of a variant name it: not where it cannot change the score.
        words: a function from a value to words.
    """

    kind: str
    help: str
    choices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    default: Any = None
    check: Callable[[str, Any], Any]
    key: str
    sign: Callable[[Any], str] = str
    read: Callable[[str], Any] = str
    is_used: Callable[[Variant], bool] = lambda _: True
    words: Callable[[Any], str] = str


def _choice(choices: Iterable[str], **row: Any) -> Option:
    """Return an option that is a name."""
    names = tuple(choices)
    return Option(kind="choice", choices=names, check=partial(check_choice, choices=names), **row)


def _function(choices: Iterable[str], *, pattern: str, in_words: str = "", **row: Any) -> Option:
    """Return an option that is a name, a name that fits a pattern, "module:function", or a callable.

    Signatures may add a version to the name. `in_words` stands for the pattern in errors and help.
    """
    names = tuple(choices)
    other_names = (in_words,) if in_words else ()

    def check(name: str, value: Any) -> Any:
        if is_code(value) or (isinstance(value, str) and re.fullmatch(pattern, value)):
            return value
        return check_choice(name, value, names, *other_names, "module:function or a callable")

    def read(text: str) -> str:
        known = "|".join(map(re.escape, names))
        match = re.match(f"({known}|{pattern})(-|$)", text)
        return match[1] if match else text

    others = (*other_names, "module:function")
    return Option(kind="function", choices=names, others=others, check=check, read=read, **row)


def _flag(no: str = "no", yes: str = "yes", **row: Any) -> Option:
    """Return an option that is True or False; `no` and `yes` stand for them in signatures."""

    def check(name: str, value: Any) -> bool:
        check_flags(**{name: value})
        return bool(value)

    values = {no: False, yes: True}
    return Option(
        kind="flag", check=check, sign=lambda value: yes if value else no, read=lambda text: values[text], **row
    )


def _names_penalties(variant: Variant) -> bool:
    return variant.has_penalties or VARIANTS.get(variant.name, variant).has_penalties


def _tokenizer_in_words(tokenize: Tokenizer) -> str:
    name = tokenize if isinstance(tokenize, str) else "custom"
    return "tokens split on spaces" if name == "none" else f"{name} tokens"


#: The scoring options by name, in the order of signatures. Python, the command line, the app and the metric's
#: description take them from here.
OPTIONS: dict[str, Option] = {
    "variant": _choice(VARIANTS, help="which SARI", default=DEFAULT_VARIANT, key="variant"),
    "lowercase": _flag(
        "mixed",
        "lc",
        help="whether texts are lowercased first",
        key="case",
        words=lambda value: "lowercased" if value else "cased",
    ),
    "tokenize": _function(
        TOKENIZERS,
        pattern=SPACY,
        in_words="spacy-LANGUAGE",
        help="how texts are split into tokens",
        key="tok",
        sign=describe,
        words=_tokenizer_in_words,
    ),
    "max_order": Option(
        kind="number",
        help="the length of the longest n-grams, in tokens",
        default=4,
        check=partial(check_whole_number, least=1, most=_LONGEST_NGRAMS),
        key="order",
        read=int,
        words=lambda value: f"up to {count_of(value, 'token')}",
    ),
    "level": _choice(
        LEVELS,
        help="average the scores of sentences, or sum counts over the corpus first",
        key="level",
        words=lambda value: "mean of sentences" if value == "sentence" else "counts summed over the corpus",
    ),
    "deletion": _choice(DELETIONS, help="the score of the delete operation", key="del"),
    "zero_division": Option(
        kind="number",
        help="the value of a precision or recall whose denominator is 0: from 0 to 1",
        check=check_share,
        key="zero",
        sign=lambda value: repr(float(value)).removesuffix(".0"),
        read=float,
        words=lambda value: f"0/0 = {value:g}",
    ),
    "penalties": _choice(
        PENALTIES,
        help="factors for documents whose length or number of sentences differs from that of the references",
        key="pen",
        is_used=_names_penalties,
        words=lambda value: PENALTIES[value].summary,
    ),
    "sentence_splitter": _function(
        (PUNKT,),
        pattern=PUNKT,
        help="how penalties split sentences",
        default=PUNKT,
        key="split",
        sign=describe,
        is_used=attrgetter("has_penalties"),
        words=lambda value: f"sentences by {value if isinstance(value, str) else 'a callable'}",
    ),
}

#: The options that change a variant: all but `variant`.
CHANGES = {name: option for name, option in OPTIONS.items() if name != "variant"}


def resolve_variant(variant: str = DEFAULT_VARIANT, **options: Any) -> Variant:
    """Return a variant with options in place of its own choices.

    Args:
        variant: the name of a variant.
        options: other options of `OPTIONS`; None stands for the choice of the variant.

    Raises:
        ValueError: for a value that is not valid, and for penalties with the level "corpus".
        TypeError: for an unknown option, and a value of the wrong type.
        ImportError: for a tokenizer or sentence splitter whose package is not installed, and without sacreBLEU.

    >>> resolve_variant("easse", deletion="precision").deletion
    'precision'
    >>> resolve_variant(level="page")
    Traceback (most recent call last):
    ...
    sari.RefusedValueError: level: got 'page', expected one of sentence, corpus
    """
    version_of("sacrebleu")  # before anything is scored
    refuse_unknown([name for name in options if name not in CHANGES], OPTIONS)
    published = VARIANTS[OPTIONS["variant"].check("variant", variant)]
    changes = {name: CHANGES[name].check(name, value) for name, value in options.items() if value is not None}
    resolved = replace(published, **changes)
    if not resolved.has_penalties:
        resolved = replace(resolved, sentence_splitter=PUNKT)  # a splitter that is not used does not set variants apart
    elif resolved.level != "sentence":
        option, other = ("penalties", "level") if "penalties" in changes else ("level", "penalties")
        got = f"{getattr(resolved, option)!r} with {other} {getattr(resolved, other)!r}"
        raise RefusedValueError(fault(option, got, "level 'sentence' or penalties 'none'"))
    else:
        check_function("sentence_splitter", resolved.sentence_splitter)
    check_function("tokenize", resolved.tokenize)
    return resolved


def resolve_variants(**options: Any) -> tuple[dict[str, Variant], dict[str, str]]:
    """Return the variants that are possible with these options and packages, and why the others are not, by name."""
    possible: dict[str, Variant] = {}
    left_out: dict[str, str] = {}
    for name in VARIANTS:
        try:
            possible[name] = resolve_variant(name, **options)
        except RefusedError as error:
            left_out[name] = str(error)
    return possible, left_out
