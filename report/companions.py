"""The companion measures of a report, a row of data for each: what it is called, what it tells and how it is made."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sari.measures import generation, simplification
from sari.measures.generation import Tree
from sari.tokenization import Text, split_into_tokens
from sari.variants import Variant


class BleuCounts(NamedTuple):
    """What BLEU of each segment is made of, against the references and against the source: see `bleu_counts`."""

    near: np.ndarray
    copied: np.ndarray


@dataclass(frozen=True)
class Texts:
    """The texts of one system, as lists with one item per segment.

    Attributes:
        sources, outputs, references: tokens joined by spaces, in the case that SARI sees; no references (None) for the
            only reference itself.
        raw_sources, raw_outputs: the texts as they came.
        trees: of the first references, in the same case; None where there are none.
        bleu: what BLEU is made of, where it is known already.
    """

    sources: list[str]
    outputs: list[str]
    references: list[list[str]] | None
    raw_sources: list[str]
    raw_outputs: list[str]
    trees: list[Tree] | None = None
    bleu: BleuCounts | None = None

    @cached_property
    def bleu_counts(self) -> np.ndarray:
        """What BLEU against the references is made of: see `simplification.bleu_counts`."""
        return self.bleu.near if self.bleu else simplification.bleu_counts(self.outputs, self.references)

    @cached_property
    def copied_counts(self) -> np.ndarray:
        """What BLEU against the source is made of."""
        return self.bleu.copied if self.bleu else simplification.bleu_counts(self.outputs, self.sources)

    @cached_property
    def ibleu(self) -> float:
        """BLEU against the references, less a part of BLEU against the source."""
        return simplification.ibleu_of(*map(simplification.bleu_of, (self.bleu_counts, self.copied_counts)))

    @cached_property
    def edits_to_reference(self) -> np.ndarray:
        """The edits of each segment to its nearest reference."""
        return simplification.edit_distances(self.outputs, self.references)

    @cached_property
    def edits_from_source(self) -> np.ndarray:
        """The edits of each segment from its source."""
        return simplification.edit_distances(self.sources, self.outputs)


def spaced(texts: list[str], variant: Variant) -> list[str]:
    """Return texts with spaces between their tokens, in the case that a variant sees."""
    how = Text(variant.tokenize, variant.lowercase, splits_on_space=False)
    return list(map(" ".join, split_into_tokens(texts, how)))


@dataclass(frozen=True)
class Measure:
    """A companion measure.

    Attributes:
        name, label: in files and for people.
        group: the heading that it stands under.
        about: what it tells, in a line.
        of: from texts to a number, or to one per segment, of which the mean is the value.
        digits: after the point, for people.
        unit: "%" or "".
        needs: the field of `Texts` without which there is no value.
    """

    name: str
    label: str
    group: str
    about: str
    of: Callable[[Texts], float | np.ndarray]
    digits: int = 2
    unit: str = ""
    needs: str = "outputs"


_NEAR, _READ, _CHANGED, _REPAIR = (
    "Nearness to references",
    "Ease of reading",
    "Change of the source",
    "Errors to repair",
)

#: The companion measures, in the order in which they are shown.
MEASURES = (
    Measure(
        "bleu",
        "BLEU",
        _NEAR,
        "sacreBLEU over the same tokens",
        lambda texts: simplification.bleu_of(texts.bleu_counts),
        needs="references",
    ),
    Measure(
        "ibleu",
        "iBLEU",
        _NEAR,
        "0.9 × BLEU against the references − 0.1 × BLEU against the source",
        lambda texts: texts.ibleu,
        needs="references",
    ),
    Measure(
        "fkbleu",
        "FKBLEU",
        _NEAR,
        "iBLEU × sigmoid(grade of the output − grade of the source), as Xu et al. 2016 print it: a harder output gains",
        lambda texts: simplification.fkbleu_of(texts.ibleu, texts.sources, texts.outputs),
        needs="references",
    ),
    Measure(
        "edits_to_reference",
        "Edits to the nearest reference",
        _NEAR,
        "tokens to insert, delete or substitute, per segment",
        lambda texts: texts.edits_to_reference,
        needs="references",
    ),
    Measure(
        "equal_to_reference",
        "Equal to a reference",
        _NEAR,
        "outputs that need no such edit",
        lambda texts: 100 * (texts.edits_to_reference == 0),
        digits=1,
        unit="%",
        needs="references",
    ),
    Measure(
        "fkgl",
        "Flesch–Kincaid grade",
        _READ,
        "0.39 words per sentence + 11.8 syllables per word − 15.59; syllables by syllapy, for English",
        lambda texts: simplification.flesch_kincaid_grade(texts.raw_outputs),
    ),
    Measure(
        "sentences",
        "Sentences per output",
        _READ,
        "also where the next one follows a full stop without a space",
        lambda texts: simplification.sentence_counts(texts.raw_outputs),
    ),
    Measure(
        "split",
        "Inputs split",
        _READ,
        "outputs with more sentences than their sources",
        lambda texts: 100 * simplification.splits(texts.raw_sources, texts.raw_outputs),
        digits=1,
        unit="%",
    ),
    Measure(
        "edits_from_source",
        "Edits from the source",
        _CHANGED,
        "tokens inserted, deleted or substituted, per segment",
        lambda texts: texts.edits_from_source,
    ),
    Measure(
        "unedited",
        "Without an edit",
        _CHANGED,
        "outputs with the tokens of their sources",
        lambda texts: 100 * (texts.edits_from_source == 0),
        digits=1,
        unit="%",
    ),
    Measure(
        "compression_ratio",
        "Compression ratio",
        _CHANGED,
        "characters of the output per character of the source",
        lambda texts: simplification.compression_ratios(texts.sources, texts.outputs),
        digits=3,
    ),
    Measure(
        "levenshtein_similarity",
        "Levenshtein similarity",
        _CHANGED,
        "of the characters of source and output, 1 for a copy",
        lambda texts: simplification.levenshtein_similarities(texts.sources, texts.outputs),
        digits=3,
    ),
    Measure(
        "exact_copies",
        "Exact copies",
        _CHANGED,
        "outputs that are their sources, to the character",
        lambda texts: 100 * simplification.exact_copies(texts.sources, texts.outputs),
        digits=1,
        unit="%",
    ),
    Measure(
        "added",
        "Words added",
        _CHANGED,
        "as a share of the longer of source and output",
        lambda texts: simplification.added_proportions(texts.sources, texts.outputs),
        digits=3,
    ),
    Measure(
        "deleted",
        "Words deleted",
        _CHANGED,
        "as a share of the longer of source and output",
        lambda texts: simplification.deleted_proportions(texts.sources, texts.outputs),
        digits=3,
    ),
    Measure(
        "simple_string_accuracy",
        "Simple string accuracy",
        _REPAIR,
        "1 − edits ÷ tokens of the nearest reference",
        lambda texts: generation.simple_string_accuracies(texts.outputs, texts.references),
        digits=3,
        needs="references",
    ),
    Measure(
        "generation_string_accuracy",
        "Generation string accuracy",
        _REPAIR,
        "the same, a moved word being one error",
        lambda texts: generation.generation_string_accuracies(texts.outputs, texts.references),
        digits=3,
        needs="references",
    ),
    Measure(
        "simple_tree_accuracy",
        "Simple tree accuracy",
        _REPAIR,
        "1 − edits ÷ tokens, over heads with their daughters in the reference's dependency tree",
        lambda texts: generation.simple_tree_accuracies(texts.outputs, texts.trees),
        digits=3,
        needs="trees",
    ),
    Measure(
        "generation_tree_accuracy",
        "Generation tree accuracy",
        _REPAIR,
        "the same, a moved word being one error",
        lambda texts: generation.generation_tree_accuracies(texts.outputs, texts.trees),
        digits=3,
        needs="trees",
    ),
    Measure(
        "understandability",
        "Understandability",
        _REPAIR,
        "people's judgement, estimated from trees and substitutions; 1 for a perfect sentence",
        lambda texts: generation.understandability(texts.outputs, texts.trees),
        digits=3,
        needs="trees",
    ),
    Measure(
        "quality",
        "Quality",
        _REPAIR,
        "likewise",
        lambda texts: generation.quality(texts.outputs, texts.trees),
        digits=3,
        needs="trees",
    ),
)

#: The measures that are shown as histograms beside the sentence scores.
SPREADS = ("compression_ratio", "edits_from_source")
