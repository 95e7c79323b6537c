"""The companion measures: a row of data for each, with its names, a description and its function.

The command line, reports and the app show every row. Functions are named, not imported, so that `--help` can list the
measures and their files at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sari.variants import load_punkt

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class SideFile:
    """A file that some measures need, with an option of the command line.

    Attributes:
        name: the argument of measures that it becomes; its option is the same with hyphens.
        help: what it holds.
        read: the function of `companion_measures` that reads it.
        default: the function that returns what is used without the file; empty if the file must be given.
    """

    name: str
    help: str
    read: str
    default: str = ""

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True)
class Measure:
    """A companion measure.

    Attributes:
        group: the heading that it stands under.
        name: in files and options.
        label, heading: for people, in a row and above a narrow column.
        about: a description in a line.
        function: the function of `companion_measures` that computes a number per segment, whose mean is the value.
        arguments: the columns that the function takes, and side files: see `MeasuredSet.measure`.
        adds_up: whether the value is computed from sums instead: `function` is then the common part of two names,
            `..._counts`, from columns to numbers per segment, and `..._of_sums`, from their sums to values.
        options: more arguments of the functions.
        digits: after the point, for people.
        unit: "%" for a share of segments, whose function tells for each segment whether it counts; else empty.
        needs_punkt: whether it needs NLTK and its Punkt.
        is_slow: whether it is computed only on request.
    """

    group: str
    name: str
    label: str
    heading: str
    about: str
    function: str
    arguments: tuple[str, ...]
    adds_up: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    digits: int = 2
    unit: str = ""
    needs_punkt: bool = False
    is_slow: bool = False

    @property
    def side_files(self) -> list[SideFile]:
        """The files among the arguments."""
        return [file for file in SIDE_FILES if file.name in self.arguments]

    def numbers(self, columns: Mapping[str, Any]) -> np.ndarray:
        """Return what the value is computed from, of columns by name: a number per segment, or a row of them."""
        compute = resolve(f"{self.function}_counts" if self.adds_up else self.function)
        return compute(*(columns[name] for name in self.arguments), **self.options)

    def values_of_sums(self, sums: np.ndarray, segments: int | np.ndarray) -> np.ndarray:
        """Return the values, float64[...], of sums over so many segments, float64[..., number]."""
        return resolve(f"{self.function}_of_sums")(sums, **self.options) if self.adds_up else sums[..., 0] / segments

    def value(self, rows: np.ndarray) -> float:
        """Return the value of rows, float64[segment, number]."""
        return float(self.values_of_sums(rows.sum(axis=0), len(rows)))


def resolve(name: str) -> Callable[..., Any]:
    """Return a function of `companion_measures` by the names of its module and of itself.

    >>> resolve("simplification.splits")(["a . b ."], ["a . b ."])
    array([False])
    """
    module, function = name.split(".")
    return getattr(import_module(f"sari.companion_measures.{module}"), function)


def has_punkt() -> bool:
    """Tell whether NLTK and its Punkt are there."""
    try:
        load_punkt()
    except ImportError:
        return False
    return True


#: The files that measures need.
SIDE_FILES = (
    SideFile(
        "trees", "dependency trees of the first references as CoNLL-U, for tree accuracies", "accuracy.read_trees"
    ),
    SideFile(
        "word_ranks", "a word per line, the most frequent first, for the measure word_rank", "readability.read_ranks"
    ),
    SideFile(
        "stop_words",
        "words that word_rank ignores (default: NLTK's)",
        "readability.read_stop_words",
        default="readability.nltk_stop_words",
    ),
)

_near = partial(Measure, "Nearness to references", arguments=("outputs", "references"))
_reading = partial(Measure, "Ease of reading", arguments=("raw_outputs",))
_change = partial(Measure, "Change of the source", arguments=("sources", "outputs"))
_repair = partial(Measure, "Errors to repair", arguments=("outputs", "references"), digits=3)
_tree = partial(_repair, arguments=("outputs", "trees"))

#: The companion measures, in the order in which they are shown.
MEASURES = (
    _near("bleu", "BLEU", "BLEU", "sacreBLEU over the same tokens", "translation.bleu", adds_up=True),
    _near(
        "ibleu",
        "iBLEU",
        "iBLEU",
        "0.9 × BLEU against the references − 0.1 × BLEU against the source",
        "translation.ibleu",
        arguments=("sources", "outputs", "references"),
        adds_up=True,
    ),
    _near("chrf", "chrF2", "chrF2", "sacreBLEU over the same tokens", "translation.chrf", adds_up=True, is_slow=True),
    _near(
        "ter",
        "TER",
        "TER",
        "sacreBLEU over the same tokens; lower is nearer",
        "translation.ter",
        adds_up=True,
        is_slow=True,
    ),
    _near(
        "fkbleu",
        "FKBLEU",
        "FKBLEU",
        "√(iBLEU × sigmoid(grade of the source − grade of the output)) of segments, as Xu et al. 2016 compute it",
        "xu2016_measures.fkbleu_scores",
        arguments=("raw_sources", "raw_outputs", "raw_references"),
        is_slow=True,
    ),
    _near(
        "token_f1",
        "Token F1",
        "F1",
        "of the tokens in any order, against the best reference, as in EASSE",
        "simplification.token_f1_scores",
    ),
    _near(
        "edits_to_reference",
        "Edits to the nearest reference",
        "Edits to ref.",
        "tokens to insert, delete or substitute, per segment",
        "simplification.edit_distances",
    ),
    _near(
        "equal_to_reference",
        "Equal to a reference",
        "Equal",
        "outputs that need no such edit",
        "simplification.equal_tokens",
        digits=1,
        unit="%",
    ),
    _reading(
        "fkgl",
        "Flesch–Kincaid grade of this project",
        "FKGL (ours)",
        "0.39 words per sentence + 11.8 syllables per word − 15.59; syllables by syllapy, for English; papers report "
        "EASSE's: fkgl_easse",
        "readability.flesch_kincaid",
        adds_up=True,
    ),
    _reading(
        "fkgl_easse",
        "Flesch–Kincaid grade of EASSE",
        "FKGL (EASSE)",
        "what EASSE prints and papers report: marks are words, with EASSE's syllables and Punkt's sentences",
        "readability.flesch_kincaid",
        adds_up=True,
        options={"variant": "easse"},
        needs_punkt=True,
    ),
    _reading(
        "fkgl_xu2016",
        "Flesch–Kincaid grade of Xu et al.",
        "FK (Xu)",
        "the FK of Xu et al. 2016: mean of segments with their case, each a sentence, marks being words",
        "readability.flesch_kincaid_grades",
        options={"variant": "xu2016"},
    ),
    _reading(
        "word_rank",
        "Rank of words",
        "Word rank",
        "EASSE's lexical complexity: third quartile of log ranks by frequency, of segments; lower is simpler",
        "readability.word_ranks",
        arguments=("outputs", "word_ranks", "stop_words"),
        digits=3,
    ),
    _reading(
        "sentences",
        "Sentences per output",
        "Sentences",
        "also where the next one follows a full stop without a space",
        "simplification.sentence_counts",
    ),
    _reading(
        "splits",
        "Inputs split",
        "Split",
        "outputs with more sentences than their sources",
        "simplification.splits",
        arguments=("raw_sources", "raw_outputs"),
        digits=1,
        unit="%",
    ),
    _change(
        "edits_from_source",
        "Edits from the source",
        "Edits",
        "tokens inserted, deleted or substituted, per segment",
        "simplification.edit_distances",
    ),
    _change(
        "unedited",
        "Without an edit",
        "Unedited",
        "outputs with the tokens of their sources",
        "simplification.equal_tokens",
        digits=1,
        unit="%",
    ),
    _change(
        "compression_ratio",
        "Compression ratio",
        "Compr.",
        "characters of the output per character of the source",
        "simplification.compression_ratios",
        digits=3,
    ),
    _change(
        "levenshtein_similarity",
        "Levenshtein similarity",
        "Leven.",
        "of the characters of source and output, 1 for a copy",
        "simplification.levenshtein_similarities",
        digits=3,
    ),
    _change(
        "exact_copies",
        "Exact copies",
        "Copies",
        "outputs that are their sources, to the character",
        "simplification.exact_copies",
        digits=1,
        unit="%",
    ),
    _change(
        "added",
        "Words added",
        "Added",
        "as a share of the longer of source and output",
        "simplification.added_proportions",
        digits=3,
    ),
    _change(
        "deleted",
        "Words deleted",
        "Deleted",
        "as a share of the longer of source and output",
        "simplification.deleted_proportions",
        digits=3,
    ),
    _repair(
        "simple_string_accuracy",
        "Simple string accuracy",
        "Str. acc.",
        "1 − edits ÷ tokens of the nearest reference",
        "accuracy.simple_string_accuracies",
    ),
    _repair(
        "generation_string_accuracy",
        "Generation string accuracy",
        "Gen. str.",
        "the same, a moved word being one error",
        "accuracy.generation_string_accuracies",
    ),
    _tree(
        "simple_tree_accuracy",
        "Simple tree accuracy",
        "Tree acc.",
        "1 − edits ÷ tokens, over heads with their daughters in the reference's dependency tree",
        "accuracy.simple_tree_accuracies",
    ),
    _tree(
        "generation_tree_accuracy",
        "Generation tree accuracy",
        "Gen. tree",
        "the same, a moved word being one error",
        "accuracy.generation_tree_accuracies",
    ),
    _tree(
        "understandability",
        "Understandability",
        "Underst.",
        "people's judgement, estimated from trees and substitutions; 1 for a perfect sentence",
        "accuracy.understandability",
    ),
    _tree("quality", "Quality", "Quality", "likewise", "accuracy.quality"),
)

#: The measures of every report.
REPORTED_MEASURES = tuple(measure for measure in MEASURES if not measure.is_slow)


def own_measure(name: str, path: str) -> Measure:
    """Return the measure of a user who computed a number for each segment of each system elsewhere.

    Args:
        name: of the measure, and of what was read from the file among the side data.
        path: the file, which `columns.read_numbers` reads.
    """
    about = f"mean of the numbers in {path}"
    return Measure("Computed elsewhere", name, name, name, about, "columns.own_numbers", (name,), digits=3)


#: The measures that are shown as histograms beside the sentence scores.
SPREADS = ("compression_ratio", "edits_from_source")
