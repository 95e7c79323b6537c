"""Variants compared: why two of them differ, and which of them gave a printed figure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple, cast

from typing_extensions import TypedDict

from .aggregation import Scores
from .corpus_statistics import score_columns, score_corpora
from .languages import SCRIPTS, SentenceSplitter, Tokenizer, fitting_tokenizers
from .messages import RefusedImportError, RefusedValueError
from .ngram_statistics import COUNTINGS, count_by_each
from .text_checks import NO_TEXTS
from .tokenization import encode_corpus, with_caches
from .validation import Columns, SystemColumns, common_number
from .variants import (
    CHANGES,
    DELETIONS,
    LEVELS,
    OPERATIONS,
    OPTIONS,
    PENALTIES,
    SCORES,
    VARIANTS,
    Variant,
    resolve_variant,
)

# ---- Differences between variants -----------------------------------------------------------------------------------


class Choice(NamedTuple):
    """A field of `Variant` in which variants differ.

    Attributes:
        step: the step in which it changes; fields of one step change together.
        words: a function from its value to words.
        tried: the values that are tried to find the variant of a printed figure; none if it stays as published.
    """

    step: str
    words: Callable[[Any], str]
    tried: tuple[Any, ...] = ()


_AVERAGING_IN_WORDS = {"scores": "F1 of each order, then the mean", "ratios": "mean over orders, then F1"}


def _option(name: str, step: str, *tried: Any) -> Choice:
    return Choice(step, CHANGES[name].words, tried)


#: The fields by name, in the order in which differences are explained.
CHOICES = {
    "tokenize": _option("tokenize", "text", "13a", "intl", "none", "char", "moses"),
    "lowercase": _option("lowercase", "text", True, False),
    "splits_on_space": Choice("text", lambda splits: "an empty text is one token" if splits else ""),
    "source_tokenize": Choice("text", lambda name: "" if name is None else "sources only split"),
    "lowercases_sources": Choice("text", lambda lowercases: "" if lowercases else "sources cased"),
    "zero_division": _option("zero_division", "zero division", 0.0, 1.0),
    "counting": Choice("counting", lambda name: COUNTINGS[name].in_words),
    "source_weight": Choice("counting", lambda weight: f"source and prediction times {weight}" if weight else ""),
    "max_order": _option("max_order", "n-grams"),
    "level": _option("level", "level", *LEVELS),
    "deletion": _option("deletion", "deletion", *DELETIONS),
    "addition": Choice("addition", str),
    "averaging": Choice("averaging", _AVERAGING_IN_WORDS.__getitem__),
    "penalties": _option("penalties", "penalties", *PENALTIES),
    "sentence_splitter": _option("sentence_splitter", "penalties"),
}


def ablation_steps(first: Variant, last: Variant) -> Iterator[tuple[str, str, str, Variant]]:
    """Yield the steps from one variant to another: each changes one of the choices that differ.

    Yields:
        The choice, what it is before and after in words, and the variant after the step. Penalties, which need the
        level "sentence", are removed first or added last.

    >>> for choice, before, after, _ in ablation_steps(VARIANTS["hf"], VARIANTS["paper"]):
    ...     print(f"{choice}: {before} -> {after}")
    text: 13a tokens, lowercased, an empty text is one token -> 13a tokens, lowercased
    zero division: 0/0 = 1 -> 0/0 = 0
    counting: means over n-gram types, keep recall pooled -> all n-grams pooled
    level: mean of sentences -> counts summed over the corpus
    averaging: F1 of each order, then the mean -> mean over orders, then F1
    """
    steps: dict[str, list[str]] = {}
    for name, choice in CHOICES.items():
        steps.setdefault(choice.step, []).append(name)
    if not last.has_penalties:
        steps = {"penalties": steps.pop("penalties"), **steps}
    for step, names in steps.items():
        after = replace(first, **{name: getattr(last, name) for name in names})
        if after != first:
            yield step, _in_words(first, names), _in_words(after, names), after
            first = after


def _in_words(variant: Variant, names: list[str]) -> str:
    """Return the values of choices of a variant in words."""
    words = (CHOICES[name].words(getattr(variant, name)) for name in names)
    return ", ".join(filter(None, words))


class DifferenceStep(Scores):
    """The scores after a choice has changed, and the change of SARI; None for all but the scores of the first step."""

    choice: str | None
    before: str | None
    after: str | None
    change: float | None


class VariantDifference(TypedDict):
    """Why two variants differ: see `Scorer.explain_difference`."""

    variant_a: str
    variant_b: str
    signature_a: str
    signature_b: str
    steps: list[DifferenceStep]


class FoundVariant(Scores):
    """A variant with its options and scores: see `Scorer.find_variant`."""

    options: dict[str, Any]
    reading: str
    nrefs: int | str
    signature: str
    changes: int
    verdict: str
    distance: float


class VariantSearch(TypedDict):
    """The variants that print a figure: see `Scorer.find_variant`."""

    figure: str
    hits: list[FoundVariant]
    nearest: list[FoundVariant]
    distinct: dict[str, int]
    tried: int
    hits_by_chance: float
    left_out: list[str]


def explain_difference(columns: Columns, first: Variant, last: Variant) -> VariantDifference:
    """Explain why two variants score checked texts differently, as `Scorer.explain_difference` does."""
    steps: list[DifferenceStep] = []
    for choice, before, after, variant in [(None, None, None, first), *ablation_steps(first, last)]:
        scores = score_columns(columns, variant).scores()
        change = scores["sari"] - steps[-1]["sari"] if steps else None
        steps.append({"choice": choice, "before": before, "after": after, **scores, "change": change})
    nrefs = set(map(len, columns.references))
    return {
        "variant_a": first.label,
        "variant_b": last.label,
        "signature_a": first.signature(nrefs),
        "signature_b": last.signature(nrefs),
        "steps": steps,
    }


# ---- The variant of a printed figure --------------------------------------------------------------------------------

_NEAREST = 5


class _TestSet(NamedTuple):
    """Texts as programs read them.

    Attributes:
        columns: the texts.
        changes: how many choices they differ in from what was given.
        reading: the last of these choices, in words.
    """

    columns: SystemColumns
    changes: int = 0
    reading: str = ""


def find_variant(columns: SystemColumns, figure: Decimal, *, progress: bool, **options: Any) -> VariantSearch:
    """Find the variants under which checked texts have a printed figure, as `Scorer.find_variant` does."""
    variants, left_out = tried_variants(columns.sources, **options)
    of_one_reference = columns._replace(references=[row[:1] for row in columns.references])
    test_sets = [_TestSet(columns)]
    if of_one_reference != columns:
        test_sets.append(_TestSet(of_one_reference, changes=1))
    rows = [
        _found_variant(variant, scores, test_set, figure)
        for test_set, variant, scores in _scored_by_each(test_sets, variants, progress=progress)
    ]
    by_scores: dict[tuple[float, ...], list[FoundVariant]] = {}
    for row in sorted(rows, key=lambda row: row["changes"]):
        same_scores = by_scores.setdefault(tuple(round(row[score], 9) for score in SCORES), [])
        if not (same_scores and row["changes"]):
            same_scores.append(row)
    candidates = [row for same_scores in by_scores.values() for row in same_scores]
    hits = [
        row for row in candidates if _rounds_to(row["sari"], figure) or _is_cut(row["sari"], figure, row["changes"])
    ]
    nearest_first = sorted((same_scores[0] for same_scores in by_scores.values()), key=lambda row: abs(row["distance"]))
    return {
        "figure": str(figure),
        "hits": sorted(hits, key=lambda row: (row["changes"], row["verdict"])),
        "nearest": [] if hits else nearest_first[:_NEAREST],
        "distinct": {name: len({Decimal(row[name]).quantize(figure) for row in hits}) for name in OPERATIONS},
        "tried": len(by_scores),
        "hits_by_chance": _hits_by_chance(nearest_first, figure),
        "left_out": left_out,
    }


def _found_variant(variant: Variant, scores: Scores, test_set: _TestSet, figure: Decimal) -> FoundVariant:
    nrefs = set(map(len, test_set.columns.references))
    splits = variant.splits_on_space != VARIANTS[variant.name].splits_on_space
    reading = test_set.reading or ("split at single spaces" if splits else "")
    changes = len(variant.changes) + test_set.changes + splits
    verdict = {0: "as published", 1: "one change"}.get(changes, "several changes")
    if _is_cut(scores["sari"], figure, changes):
        verdict += ", cut"
    return {
        **scores,
        "options": {"variant": variant.name, **variant.changes},
        "reading": reading,
        "nrefs": common_number(nrefs),
        "signature": "" if reading else variant.signature(nrefs),  # no option stands for a reading
        "changes": changes,
        "verdict": verdict,
        "distance": scores["sari"] - float(figure),
    }


def _rounds_to(score: float, figure: Decimal, rounding: str = ROUND_HALF_EVEN) -> bool:
    return Decimal(score).quantize(figure, rounding) == figure


def _is_cut(score: float, figure: Decimal, changes: int) -> bool:
    """Return whether a score as published prints as the figure only if its digits are cut instead of rounded."""
    return changes == 0 and not _rounds_to(score, figure) and _rounds_to(score, figure, ROUND_DOWN)


def _scored_by_each(
    test_sets: list[_TestSet], variants: list[Variant], *, progress: bool
) -> Iterator[tuple[_TestSet, Variant, Scores]]:
    """Yield each test set, each variant, and the means of the scores of systems.

    Texts are split once, tokens are numbered once, and n-grams are counted once for all variants that share them.
    Where texts are split at single spaces, they are scored as lines with their breaks, too.
    """
    groups: dict[Any, list[Variant]] = {}
    with_functions: dict[Any, Variant] = {}  # a variant for each tokenizer and splitter, which remember their texts
    for variant in variants:
        groups.setdefault(_numbered_by(variant), []).append(variant)
    as_lines = list(map(_as_lines, test_sets))
    pairs: Iterable[tuple[_TestSet, list[Variant]]]
    pairs = [
        (test_set, group)
        for group in groups.values()
        for test_set in [*test_sets, *(as_lines if _splits_at_spaces(group[0]) else [])]
    ]
    if progress:
        from tqdm.auto import tqdm  # which warns where a notebook cannot show a bar

        pairs = tqdm(pairs, "Searching", leave=False, delay=1, disable=None)
    for test_set, group in pairs:
        first = group[0]
        # Without penalties no splitter is cached.
        functions = (_key_of(first.tokenize), _key_of(first.sentence_splitter), first.has_penalties)
        cached = with_functions.setdefault(functions, with_caches(first))
        first = replace(first, tokenize=cached.tokenize, sentence_splitter=cached.sentence_splitter)
        countings = {variant.counting for variant in group}
        counted = [count_by_each(tokens, first, countings) for tokens in encode_corpus(test_set.columns, first)]
        samples = dict.fromkeys(test_set.columns.predictions, NO_TEXTS)
        for variant in group:
            systems = score_corpora((counts[variant.counting] for counts in counted), variant, samples)
            scores = [corpus.scores() for corpus in systems.values()]
            yield test_set, variant, cast(Scores, {name: fmean(system[name] for system in scores) for name in SCORES})


def _numbered_by(variant: Variant) -> tuple[Any, ...]:
    """Return what tokens and numbers of n-grams depend on."""
    names = ("source_tokenize", "lowercase", "lowercases_sources", "splits_on_space", "source_weight", "max_order")
    functions = _key_of(variant.tokenize), _key_of(variant.sentence_splitter)
    return (*functions, variant.penalties, *(getattr(variant, name) for name in names))


def _key_of(function: Tokenizer | SentenceSplitter) -> object:
    """Return a name as it is, and the identity of a callable, which may have no hash."""
    return function if isinstance(function, str) else id(function)


def _splits_at_spaces(variant: Variant) -> bool:
    return variant.tokenize == "none" and variant.splits_on_space


def _as_lines(test_set: _TestSet) -> _TestSet:
    """Return texts as lines that keep their line breaks, so that a last word is none of the same words elsewhere."""
    sources, systems, references = (
        [f"{text}\n" for text in test_set.columns.sources],
        {name: [f"{text}\n" for text in texts] for name, texts in test_set.columns.predictions.items()},
        [[f"{text}\n" for text in row] for row in test_set.columns.references],
    )
    columns = SystemColumns(sources, systems, references)
    return _TestSet(columns, test_set.changes + 1, "lines with their breaks")


def _hits_by_chance(rows: list[FoundVariant], figure: Decimal) -> float:
    """Return how many scores would print as the figure if those near it were spread evenly.

    Near are scores within one point of the figure, or five units of its last digit if these are more.
    """
    unit = float(Decimal(1).scaleb(int(figure.as_tuple().exponent)))
    width = 2 * max(1, 5 * unit)
    others = sum(abs(row["distance"]) <= width / 2 and not _rounds_to(row["sari"], figure) for row in rows)
    return others * unit / (width - unit)


def tried_variants(sources: list[str], variant: str | None = None, **options: Any) -> tuple[list[Variant], list[str]]:
    """Return the variants that may have given a printed figure, those with the fewest changed options first.

    Args:
        sources: the texts whose script says which tokenizers are tried; penalties are for documents.
        variant: the name of the only one to try; None for all.
        options: those that are known. Each of the others has every value of `Choice.tried`.

    Returns:
        The variants, and what is not tried.
    """
    known = {name: value for name, value in options.items() if value is not None}
    tried, left_out = _tried_values(sources, known)
    variants: list[Variant] = []
    for name in VARIANTS if variant is None else [variant]:
        published, of_variant, reasons = VARIANTS[name].options, [], [_why_not({"variant": name, **known})]
        values = {option: dict.fromkeys([published[option], *others]) for option, others in tried.items()}
        for choices in product(*values.values()) if reasons == [None] else ():
            try:
                of_variant.append(resolve_variant(name, **known, **dict(zip(values, choices, strict=True))))
            except RefusedValueError as error:  # penalties with the level "corpus"
                reasons.append(str(error))
        if not of_variant:
            left_out.append(f"{name}: {reasons[-1]}")
        # As programs do that split texts at single spaces, whose variants do not.
        splitting = [replace(one, splits_on_space=True) for one in of_variant if one.tokenize == "none"]
        variants += [*of_variant, *(one for one in splitting if not VARIANTS[name].splits_on_space)]
    return sorted(variants, key=lambda one: len(one.changes)), list(dict.fromkeys(left_out))


def _tried_values(sources: list[str], known: Mapping[str, Any]) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the values to try of each option that is not known, and why others are not tried."""
    tried = {name: list(CHOICES[name].tried) for name in CHANGES if name not in known}
    left_out: list[str] = []
    if "tokenize" in tried:
        tried["tokenize"] = list(dict.fromkeys([*tried["tokenize"], *fitting_tokenizers(sources)]))
    if "penalties" in tried and not _are_documents(sources):
        del tried["penalties"]
        left_out.append("penalties, which are for documents: most sources are single sentences")
    for name, values in tried.items():
        reasons = {value: _why_not({**known, name: value}) for value in values}
        tried[name] = [value for value, reason in reasons.items() if reason is None]
        left_out += filter(None, reasons.values())
    named = ", ".join(tried.get("tokenize", []))
    order = known.get("max_order", OPTIONS["max_order"].default)
    left_out.append(f"n-grams of up to another length than {order} tokens")
    untried = {
        "zero_division": "values of 0/0 other than 0 and 1",
        "tokenize": f"tokenizers other than {named}: give that of the figure, such as spacy-de",
    }
    return tried, [*left_out, *(words for name, words in untried.items() if name not in known)]


def _why_not(options: Mapping[str, Any]) -> str | None:
    """Return what is not installed that options need; None if they can be used, at least with the level "sentence"."""
    try:
        resolve_variant(**{**options, "level": "sentence"})
    except RefusedImportError as error:
        return str(error)
    return None


def _are_documents(texts: list[str]) -> bool:
    """Return whether in most texts something follows the end of a sentence."""
    marks = {mark for row in SCRIPTS.values() for mark in row.marks}
    end = re.compile(rf"([.!?;]\s|[{''.join(marks - set('.!?;'))}])\s*\w")
    return sum(bool(end.search(text)) for text in texts) > len(texts) / 2
