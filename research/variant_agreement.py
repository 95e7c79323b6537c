"""Which SARI agrees with people: every variant on every collection of ratings, with intervals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU

from sari.companion_measures import translation
from sari.corpus_statistics import score_columns
from sari.human_ratings.correlation import SystemRows, agreement
from sari.human_ratings.linear_models import linear_model
from sari.human_ratings.rated_outputs import RatedScore, rated_scores
from sari.reports.by_references import scores_by_references
from sari.research.collections_of_ratings import COLLECTIONS, CollectionOfRatings
from sari.research.outcomes import Begin, Outcome, Published
from sari.research.repositories import EASSE, REFERENCE_SETS
from sari.validation import Columns, SystemColumns
from sari.variants import VARIANTS, resolve_variant

#: The variant that the others are compared with.
BASELINE = "set"

#: Variants with an option, which are rated too: the name that tables show, variant and options.
_WITH_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {"set, 13a": ("set", {"tokenize": "13a"})}

#: The rows that are scored with fewer references, too.
_BY_REFERENCES = ("hf", "easse", "lasertagger", "set", *_WITH_OPTIONS)

_OF_SYSTEMS = "Spearman of systems"

# The end of a sentence; the space after it may be missing: "by heat.it melts".
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[^\W\d_][.!?])(?=[^\W\d_])")


@dataclass(frozen=True, kw_only=True)
class VariantAgreement(Published):
    """Correlations of every variant, and some with options, with the ratings of every collection; unpublished."""

    def compute(self, folder: Path, begin: Begin = str) -> list[Outcome]:
        """Score all outputs under all variants; see `Published.compute`."""
        found: list[Outcome] = []
        for collection in COLLECTIONS:
            begin(collection.name)
            found += _outcomes(collection, folder)
        headings = list(dict.fromkeys(outcome.heading for outcome in found))
        found.sort(key=lambda outcome: (outcome.heading.startswith(_OF_SYSTEMS), headings.index(outcome.heading)))
        begin("numbers of references")
        found += _by_references(folder)
        return [outcome.rounded(6) for outcome in found]  # so that stored figures are the same everywhere


def _outcomes(collection: CollectionOfRatings, folder: Path) -> Iterator[Outcome]:
    rated, group = collection.read(folder), collection.group
    length = _length(rated.texts)
    scores = {name: _sari(rated.texts, *own) for name, own in _configurations().items()}
    scores |= {"BLEU": _bleu(rated.texts), "length": length}
    how: dict[str, Any] = {"groups": rated.texts.sources, "confidence": 0.95}
    values = {name: score.values for name, score in scores.items()}
    column = f"{collection.name} ({len(rated.ratings)})"
    for name, own in agreement(values, rated.ratings, baseline=BASELINE, **how).items():
        score = scores[name]
        signature = score.signature.replace("|level:corpus|", "|level:sentence|")  # each output is scored alone
        yield Outcome(name, "", own.value, signature, own.interval, f"Pearson: {group}", column)
        if own.difference is not None:
            heading = f"Pearson less that of {BASELINE}: {group}"
            yield Outcome(name, "", own.difference, signature, own.difference_interval, heading, column)
        if score is not length:
            value, heading = _at_equal_length(score, length, rated.ratings), f"Pearson at equal length: {group}"
            yield Outcome(name, "", value, signature, None, heading, column)
    if "systems" in rated.levels:
        column = f"{collection.name} ({len(set(rated.systems))})"
        rows = {name: score.of_systems for name, score in scores.items()}
        found = agreement(rows, rated.ratings, systems=rated.systems, coefficient="spearman", baseline=BASELINE, **how)
        for name, own in found.items():
            signature = scores[name].signature
            yield Outcome(name, "", own.value, signature, own.interval, _OF_SYSTEMS, column)
            if own.difference is not None:
                heading = f"{_OF_SYSTEMS} less that of {BASELINE}"
                yield Outcome(name, "", own.difference, signature, own.difference_interval, heading, column)


def _by_references(folder: Path) -> Iterator[Outcome]:
    """Score one system with 1, 2, … of its references: means over subsets."""
    texts = EASSE.corpus(folder, REFERENCE_SETS["ASSET"], "system_outputs/turkcorpus/test/ACCESS")
    columns = SystemColumns(texts.sources, {"ACCESS": texts.predictions}, texts.references)
    for name in _BY_REFERENCES:
        base, options = _configurations()[name]
        variant, heading = resolve_variant(base, **options), "SARI of ACCESS on ASSET by number of references"
        for row in scores_by_references(columns, variant, subsets=10):
            signature = variant.signature([row.references])
            yield Outcome(name, "", row.mean["sari"], signature, None, heading, str(row.references))


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, which end in a mark before a space or between two letters.

    >>> split_sentences("It has 2.5 parts. One is made by heat.it melts.")
    ['It has 2.5 parts.', 'One is made by heat.', 'it melts.']
    """
    return [part for part in _SENTENCE_END.split(text) if part.strip()]


def _configurations() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return each variant with no options, and those of `_WITH_OPTIONS`."""
    return {name: (name, {}) for name in VARIANTS} | _WITH_OPTIONS


def _sari(texts: Columns, name: str, options: Mapping[str, Any]) -> RatedScore:
    if VARIANTS[name].penalties != "none":
        options = {**options, "sentence_splitter": split_sentences}
    return rated_scores(score_columns(texts, resolve_variant(name, **options), sentences=True, rows=True))[0]


def _bleu(texts: Columns) -> RatedScore:
    """Return sacreBLEU's BLEU of each output alone."""
    metric = BLEU(effective_order=True)
    scores = [metric.sentence_score(*pair) for pair in zip(texts.predictions, texts.references, strict=True)]
    rows = np.array([[own.sys_len, own.ref_len, *own.counts, *own.totals] for own in scores], np.float64)
    of_systems = SystemRows(rows, lambda sums, _: translation.bleu_of_sums(sums))
    return RatedScore("", "BLEU", np.array([own.score for own in scores]), of_systems, "")


def _length(texts: Columns) -> RatedScore:
    """Return the words of each output divided by those of its source."""
    pairs = zip(texts.predictions, texts.sources, strict=True)
    ratios = np.array([len(output.split()) / max(len(source.split()), 1) for output, source in pairs])
    return RatedScore("", "length", ratios, SystemRows(ratios), "")


def _at_equal_length(score: RatedScore, length: RatedScore, ratings: Sequence[float]) -> float:
    """Return the partial correlation of a score and ratings, given the length of outputs."""
    model = linear_model({"score": score.values, "length": length.values}, ratings)
    t = model.terms[1].t
    return t / float(np.sqrt(t**2 + model.rows - 3))


PEOPLE = VariantAgreement(
    name="people",
    title="Which SARI agrees with people: correlations of every variant with ratings of simplicity",
    paper="docs/which_sari.md",
    repositories=tuple(dict.fromkeys(each for collection in COLLECTIONS for each in collection.repositories)),
    recipe="each variant with its own options; Pearson: each output scored alone; Spearman: systems scored as usual; "
    "95% intervals from 1,000 resamples of the sources, each with all its outputs",
    note="Numbers of outputs, or of systems, are in parentheses. In the row set, 13a, texts are tokenized by 13a. "
    "BLEU is sacreBLEU's. Length is words of the output divided by words of the source. "
    "For dsari, sentences end in a mark before a space or between two letters.",
    unpublished="docs/which_sari.csv and the page made from it are what this command writes with --store.",
    steps=len(COLLECTIONS) + 1,
)
