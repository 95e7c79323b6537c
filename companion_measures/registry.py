"""The companion measures: a row of data for each, with its names, a description and its function.

The command line, reports and the app show every row. Functions are named, not imported, so that the rows can be listed
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sari.languages import BUILT_IN_TOKENIZERS, EXTERNAL_TOKENIZERS, PUNKT, Tokenizer, check_function, version_of
from sari.messages import RefusedImportError
from sari.variants import CHANGES, VERSION

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class SideFile:
    """A file that some measures need.

    Attributes:
        name: the argument of measures that it becomes.
        help: what it holds.
        read: the function of `companion_measures` that reads it, of a path and an encoding.
        default: the function that returns what is used without the file; empty if the file must be given.
    """

    name: str
    help: str
    read: str
    default: str = ""


@dataclass(frozen=True)
class Settings:
    """What the values of measures depend on besides the texts: options, and side files.

    Attributes:
        tokenize: the tokenizer of columns of tokens.
        lowercase: whether tokens are in lower case; None for what each measure has by itself.
        side_data: what was read from side files, by their names.
        nrefs: the number of references of each segment.
    """

    tokenize: Tokenizer = "13a"
    lowercase: bool | None = None
    side_data: Mapping[str, Any] = field(default_factory=dict)
    nrefs: int | str = "?"

    @classmethod
    def of_options(cls, options: Mapping[str, Any], **side_data: Any) -> Settings:
        """Return the settings of scoring options by name, whatever the variant; those that are None are not given."""
        return cls(options.get("tokenize") or cls.tokenize, options.get("lowercase"), side_data)

    def is_lowercase(self, column: str) -> bool:
        """Return whether a column of tokens is in lower case; "cased_" and "lower_" say what it has by itself."""
        if self.lowercase is None or column.startswith("lower_"):
            return not column.startswith("cased_")
        return self.lowercase


@dataclass(frozen=True)
class Measure:
    """A companion measure.

    Attributes:
        name: in files and options.
        label: its name for people.
        about: a description in a line.
        function: the names of a module of `companion_measures` and of its function that computes a number per segment,
            whose mean is the value.
        arguments: the columns that the function takes, and side files: see `Measuring` in `reports.measuring`.
        adds_up: whether the value is computed from sums instead: `function` is then the common part of two names,
            `..._counts`, from columns to numbers per segment, and `..._of_sums`, from their sums to values.
        better: "↑" or "↓" if higher or lower values are better, as the field agrees; else empty.
        digits: after the point, for people.
        unit: "%" for a share of segments, whose function returns for each segment whether it counts; else empty.
        depends: what its value depends on, the parts of its signature: names in `DEPENDENCIES`, or choices that are
            fixed; none for a measure computed elsewhere.
        tool: the program that prints the same number under settings of its own, as papers call it; empty for none.
        title: its name in its signature, if that is another.
        needs: a package that not every installation has, or `languages.PUNKT`; empty for none.
        is_slow: whether it is computed only on request.
        is_english: whether its values have a meaning for English alone.
    """

    name: str
    label: str
    about: str
    function: str
    arguments: tuple[str, ...]
    adds_up: bool = False
    better: str = ""
    digits: int = 2
    unit: str = ""
    depends: str = ""
    tool: str = ""
    title: str = ""
    needs: str = ""
    is_slow: bool = False
    is_english: bool = False

    @property
    def side_files(self) -> list[SideFile]:
        """The files among the arguments."""
        return [file for file in SIDE_FILES if file.name in self.arguments]

    @property
    def missing(self) -> str:
        """How to install what it needs; empty if that is there."""
        if self.needs == PUNKT:
            return "" if _has_punkt() else "NLTK and its data: pip install nltk && python -m nltk.downloader punkt_tab"
        return f"{self.needs}: pip install {self.needs}" if self.needs and find_spec(self.needs) is None else ""

    def is_lowercase(self, settings: Settings) -> bool:
        """Return whether its columns of tokens are in lower case."""
        return settings.is_lowercase(self.arguments[0])

    def signature(self, settings: Settings) -> str:
        """Return the line that names every choice that the value depends on; empty for a measure computed elsewhere."""
        parts = [DEPENDENCIES[name](self, settings) if name in DEPENDENCIES else name for name in self.depends.split()]
        return "|".join([self.title or self.name, *parts]) if parts else ""

    def under(self, settings: Settings) -> Measure:
        """Return the measure as it is under settings: it has its tool only where that can have them, and names it."""
        is_free = {"case", "tok"}.intersection(self.depends.split())
        if not self.tool or (is_free and not TOOLS[self.tool](settings)):
            return replace(self, tool="")
        return replace(self, about=f"as {self.tool} prints it: {self.about}")

    def numbers(self, columns: Mapping[str, Any]) -> np.ndarray:
        """Return what the value is computed from, of columns by name: a number per segment, or a row of them."""
        compute = resolve(f"{self.function}_counts" if self.adds_up else self.function)
        return compute(*(columns[name] for name in self.arguments))

    def values_of_sums(self, sums: np.ndarray, segments: int | np.ndarray) -> np.ndarray:
        """Return the values, float64[...], of sums over so many segments, float64[..., number]."""
        if not self.adds_up:
            return sums[..., 0] / segments
        return resolve(f"{self.function}_of_sums")(sums)

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


def _has_punkt() -> bool:
    try:
        check_function("sentence_splitter", PUNKT)
    except RefusedImportError:
        return False
    return True


def _is_of_sacrebleu(tokenizer: Tokenizer) -> bool:
    row = EXTERNAL_TOKENIZERS.get(tokenizer) if isinstance(tokenizer, str) else None
    return tokenizer in BUILT_IN_TOKENIZERS or (row is not None and row.module.startswith("sacrebleu."))


def _checksum(words: Iterable[str]) -> str:
    return sha256("\n".join(words).encode()).hexdigest()[:8]


#: What the values of measures depend on: the parts of signatures, of a measure and settings.
DEPENDENCIES: dict[str, Callable[[Measure, Settings], str]] = {
    "nrefs": lambda _, settings: f"nrefs:{settings.nrefs}",
    "case": lambda measure, settings: f"case:{'lc' if measure.is_lowercase(settings) else 'mixed'}",
    "tok": lambda _, settings: f"tok:{CHANGES['tokenize'].sign(settings.tokenize)}",
    "punkt": lambda _measure, _settings: f"split:{CHANGES['sentence_splitter'].sign(PUNKT)}",
    "word_ranks": lambda _, settings: f"ranks:{_checksum(settings.side_data['word_ranks'])}",
    "stop_words": lambda _, settings: f"stop:{_checksum(sorted(settings.side_data['stop_words']))}",
    "trees": lambda _, settings: f"trees:{_checksum(map(repr, settings.side_data['trees']))}",
    "sacrebleu": lambda _measure, _settings: f"version:{version_of('sacrebleu')}",
    "sari": lambda _measure, _settings: f"version:{VERSION}",
}
#: The programs that print measures, and whether they can have settings.
TOOLS: dict[str, Callable[[Settings], bool]] = {
    "sacreBLEU": lambda settings: _is_of_sacrebleu(settings.tokenize),
    "EASSE": lambda settings: settings.tokenize == "13a" and settings.lowercase is not False,
}

#: The files that measures need.
SIDE_FILES = (
    SideFile(
        "word_ranks", "a word per line, the most frequent first, for the measure word_rank", "readability.read_ranks"
    ),
    SideFile(
        "stop_words",
        "words that word_rank ignores (default: NLTK's)",
        "readability.read_stop_words",
        default="readability.nltk_stop_words",
    ),
    SideFile("trees", "dependency trees of references, as CoNLL-U, for tree accuracies", "trees.read_trees"),
)

_OF_BLEU = "nrefs case eff:no tok smooth:exp sacrebleu"
_SHARE: dict[str, Any] = {"digits": 1, "unit": "%"}
_near = partial(Measure, arguments=("outputs", "references"), depends="nrefs case tok sari", better="↑")
_score = partial(_near, arguments=("cased_outputs", "cased_references"), adds_up=True)
_accuracy = partial(_near, digits=3, needs="rapidfuzz")
_tree = partial(_accuracy, arguments=("outputs", "references", "trees"), depends="nrefs case tok trees sari")
_reading = partial(Measure, arguments=("raw_outputs",), depends="case:mixed sari")
_change = partial(Measure, arguments=("sources", "outputs"), depends="case tok sari", digits=3)

#: The companion measures, in the order in which they are shown.
MEASURES = (
    _score(
        "bleu",
        "BLEU",
        "n-grams of tokens that the references have, less for short outputs",
        "translation.bleu",
        depends=_OF_BLEU,
        tool="sacreBLEU",
        title="BLEU",
    ),
    _score(
        "bleu_lowercase",
        "BLEU, lowercased",
        "the same of texts in lower case",
        "translation.bleu",
        arguments=("lower_outputs", "lower_references"),
        depends=_OF_BLEU,
        tool="sacreBLEU",
        title="BLEU",
    ),
    _score(
        "ibleu",
        "iBLEU",
        "0.9 × BLEU against the references − 0.1 × BLEU against the source",
        "translation.ibleu",
        arguments=("cased_sources", "cased_outputs", "cased_references"),
        depends=f"alpha:0.9 {_OF_BLEU}",
        title="iBLEU",
    ),
    _score(
        "chrf",
        "chrF2",
        "n-grams of characters that outputs and references share",
        "translation.chrf",
        arguments=("raw_outputs", "raw_references"),
        depends="nrefs case:mixed eff:yes nc:6 nw:0 space:no sacrebleu",
        title="chrF2",
        is_slow=True,
        tool="sacreBLEU",
    ),
    _score(
        "ter",
        "TER",
        "edits, moves among them, per token of the references; lower is nearer",
        "translation.ter",
        arguments=("raw_outputs", "raw_references"),
        depends="nrefs case:lc tok:tercom norm:no punct:yes asian:no sacrebleu",
        title="TER",
        better="↓",
        is_slow=True,
        tool="sacreBLEU",
    ),
    _near(
        "token_f1",
        "Token F1",
        "of the tokens in any order, against the best reference",
        "simplification.token_f1_scores",
        tool="EASSE",
    ),
    _near(
        "edits_to_reference",
        "Edits to the nearest reference",
        "tokens to insert, delete or substitute, per segment",
        "simplification.edit_distances",
        better="↓",
        needs="rapidfuzz",
    ),
    _near(
        "equal_to_reference",
        "Equal to a reference",
        "outputs with the tokens of a reference, in their order",
        "simplification.equal_tokens",
        **_SHARE,
    ),
    _reading(
        "fkgl",
        "Flesch–Kincaid grade",
        "0.39 words per sentence + 11.8 syllables per word − 15.59; marks are words; for English",
        "readability.flesch_kincaid",
        adds_up=True,
        depends="case:lc tok:13a punkt sari",
        needs=PUNKT,
        tool="EASSE",
        is_english=True,
    ),
    _reading(
        "word_rank",
        "Rank of words",
        "third quartile of the log ranks of words by frequency, of segments; lower is simpler",
        "readability.word_ranks",
        arguments=("outputs", "word_ranks", "stop_words"),
        depends="case tok word_ranks stop_words sari",
        digits=3,
    ),
    _reading(
        "sentences",
        "Sentences per output",
        "a sentence also ends at a mark that a capitalized word follows without a space",
        "simplification.sentence_counts",
    ),
    _reading(
        "splits",
        "Inputs split",
        "outputs with more sentences than their sources",
        "simplification.splits",
        arguments=("raw_sources", "raw_outputs"),
        **_SHARE,
    ),
    _change(
        "sentence_splits",
        "Sentence splits",
        "sentences of the output per sentence of the source, by NLTK's Punkt",
        "simplification.sentence_ratios",
        depends="case tok punkt sari",
        needs=PUNKT,
        tool="EASSE",
    ),
    _change(
        "edits_from_source",
        "Edits from the source",
        "tokens inserted, deleted or substituted, per segment",
        "simplification.edit_distances",
        digits=2,
        needs="rapidfuzz",
    ),
    _change(
        "compression_ratio",
        "Compression ratio",
        "characters of the output per character of the source",
        "simplification.compression_ratios",
        tool="EASSE",
    ),
    _change(
        "levenshtein_similarity",
        "Levenshtein similarity",
        "of the characters of source and output, 1 for a copy",
        "simplification.levenshtein_similarities",
        needs="rapidfuzz",
        tool="EASSE",
    ),
    _change(
        "exact_copies",
        "Exact copies",
        "outputs with the tokens of their sources, in their order",
        "simplification.exact_copies",
        tool="EASSE",
        **_SHARE,
    ),
    _change(
        "added",
        "Words added",
        "as a share of the longer of source and output",
        "simplification.added_proportions",
        tool="EASSE",
    ),
    _change(
        "deleted",
        "Words deleted",
        "as a share of the longer of source and output",
        "simplification.deleted_proportions",
        tool="EASSE",
    ),
    _accuracy(
        "simple_string_accuracy",
        "Simple string accuracy",
        "1 − edits ÷ tokens of the nearest reference",
        "accuracy.simple_string_accuracies",
    ),
    _accuracy(
        "generation_string_accuracy",
        "Generation string accuracy",
        "1 − edits ÷ tokens of the nearest reference; a moved word is one edit",
        "accuracy.generation_string_accuracies",
        is_slow=True,
    ),
    _tree(
        "simple_tree_accuracy",
        "Simple tree accuracy",
        "1 − edits ÷ words, over heads with their daughters in the reference's tree",
        "trees.simple_tree_accuracies",
    ),
    _tree(
        "generation_tree_accuracy",
        "Generation tree accuracy",
        "the same; a moved word is one edit",
        "trees.generation_tree_accuracies",
    ),
    _tree(
        "understandability",
        "Understandability",
        "people's judgement, estimated from simple tree accuracy and substitutions",
        "trees.understandability",
    ),
    _tree("quality", "Quality", "estimated likewise", "trees.quality"),
)


def own_measure(name: str, where: str) -> Measure:
    """Return a measure whose numbers the user computed elsewhere, for each segment of each system.

    Args:
        name: the name of the measure, and of its numbers in the side data.
        where: the file or the column of the numbers.
    """
    about = f"mean of the numbers in {where}"
    return Measure(name, name, about, "columns.own_numbers", (f"own_measures:{name}",), digits=3)
