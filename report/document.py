"""What one wants to know about a system, or several side by side, gathered as plain data; `pages` makes files of it."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from report import generation, simplification
from report.explanation import Explanation, explain
from report.generation import Tree
from variants import Variant, customized

SCORES = ("sari", "keep", "delete", "add")

#: The names of what stands beside the systems for comparison.
SOURCE, REFERENCE = "source, unchanged", "first reference"

_LENGTHS = 5
_EXAMPLES, _EXAMPLES_OF_SEVERAL = 8, 4


@dataclass(frozen=True)
class Texts:
    """The texts of one system, as lists with one item per segment.

    Attributes:
        sources, outputs, references: tokens joined by spaces, in the case that SARI sees; no references (None) for the
            only reference itself.
        raw_sources, raw_outputs: the texts as they came.
        trees: of the first references, in the same case; None where there are none.
    """

    sources: list[str]
    outputs: list[str]
    references: list[list[str]] | None
    raw_sources: list[str]
    raw_outputs: list[str]
    trees: list[Tree] | None = None


@dataclass(frozen=True)
class Measure:
    """A companion measure.

    Attributes:
        name, label: in files and for people.
        group: the heading that it stands under.
        digits: after the point, for people.
        unit: "%" or "".
        about: what it tells, in a line.
        of: from texts to a number, or to one per segment, of which the mean is the value.
        needs: the field of `Texts` without which there is no value.
    """

    name: str
    label: str
    group: str
    digits: int
    unit: str
    about: str
    of: Callable[[Texts], float | np.ndarray]
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
        2,
        "",
        "sacreBLEU over the same tokens",
        lambda texts: simplification.bleu(texts.outputs, texts.references),
        "references",
    ),
    Measure(
        "ibleu",
        "iBLEU",
        _NEAR,
        2,
        "",
        "0.9 × BLEU against the references − 0.1 × BLEU against the source",
        lambda texts: simplification.ibleu(texts.sources, texts.outputs, texts.references),
        "references",
    ),
    Measure(
        "fkbleu",
        "FKBLEU",
        _NEAR,
        2,
        "",
        "iBLEU × sigmoid(grade of the output − grade of the source), as Xu et al. 2016 print it: a harder output gains",
        lambda texts: simplification.fkbleu(texts.sources, texts.outputs, texts.references),
        "references",
    ),
    Measure(
        "edits_to_reference",
        "Edits to the nearest reference",
        _NEAR,
        2,
        "",
        "tokens to insert, delete or substitute, per segment",
        lambda texts: simplification.edit_distances(texts.outputs, texts.references),
        "references",
    ),
    Measure(
        "equal_to_reference",
        "Equal to a reference",
        _NEAR,
        1,
        "%",
        "outputs that need no such edit",
        lambda texts: 100 * (simplification.edit_distances(texts.outputs, texts.references) == 0),
        "references",
    ),
    Measure(
        "fkgl",
        "Flesch–Kincaid grade",
        _READ,
        2,
        "",
        "0.39 words per sentence + 11.8 syllables per word − 15.59; syllables by syllapy, for English",
        lambda texts: simplification.flesch_kincaid_grade(texts.raw_outputs),
    ),
    Measure(
        "sentences",
        "Sentences per output",
        _READ,
        2,
        "",
        "also where the next one follows a full stop without a space",
        lambda texts: simplification.sentence_counts(texts.raw_outputs),
    ),
    Measure(
        "split",
        "Inputs split",
        _READ,
        1,
        "%",
        "outputs with more sentences than their sources",
        lambda texts: 100 * simplification.splits(texts.raw_sources, texts.raw_outputs),
    ),
    Measure(
        "edits_from_source",
        "Edits from the source",
        _CHANGED,
        2,
        "",
        "tokens inserted, deleted or substituted, per segment",
        lambda texts: simplification.edit_distances(texts.sources, texts.outputs),
    ),
    Measure(
        "unedited",
        "Without an edit",
        _CHANGED,
        1,
        "%",
        "outputs with the tokens of their sources",
        lambda texts: 100 * (simplification.edit_distances(texts.sources, texts.outputs) == 0),
    ),
    Measure(
        "compression_ratio",
        "Compression ratio",
        _CHANGED,
        3,
        "",
        "characters of the output per character of the source",
        lambda texts: simplification.compression_ratios(texts.sources, texts.outputs),
    ),
    Measure(
        "levenshtein_similarity",
        "Levenshtein similarity",
        _CHANGED,
        3,
        "",
        "of the characters of source and output, 1 for a copy",
        lambda texts: simplification.levenshtein_similarities(texts.sources, texts.outputs),
    ),
    Measure(
        "exact_copies",
        "Exact copies",
        _CHANGED,
        1,
        "%",
        "outputs that are their sources, to the character",
        lambda texts: 100 * simplification.exact_copies(texts.sources, texts.outputs),
    ),
    Measure(
        "added",
        "Words added",
        _CHANGED,
        3,
        "",
        "as a share of the longer of source and output",
        lambda texts: simplification.added_proportions(texts.sources, texts.outputs),
    ),
    Measure(
        "deleted",
        "Words deleted",
        _CHANGED,
        3,
        "",
        "as a share of the longer of source and output",
        lambda texts: simplification.deleted_proportions(texts.sources, texts.outputs),
    ),
    Measure(
        "simple_string_accuracy",
        "Simple string accuracy",
        _REPAIR,
        3,
        "",
        "1 − edits ÷ tokens of the nearest reference",
        lambda texts: generation.simple_string_accuracies(texts.outputs, texts.references),
        "references",
    ),
    Measure(
        "generation_string_accuracy",
        "Generation string accuracy",
        _REPAIR,
        3,
        "",
        "the same, a moved word being one error",
        lambda texts: generation.generation_string_accuracies(texts.outputs, texts.references),
        "references",
    ),
    Measure(
        "simple_tree_accuracy",
        "Simple tree accuracy",
        _REPAIR,
        3,
        "",
        "1 − edits ÷ tokens, over heads with their daughters in the reference's dependency tree",
        lambda texts: generation.simple_tree_accuracies(texts.outputs, texts.trees),
        "trees",
    ),
    Measure(
        "generation_tree_accuracy",
        "Generation tree accuracy",
        _REPAIR,
        3,
        "",
        "the same, a moved word being one error",
        lambda texts: generation.generation_tree_accuracies(texts.outputs, texts.trees),
        "trees",
    ),
    Measure(
        "understandability",
        "Understandability",
        _REPAIR,
        3,
        "",
        "people's judgement, estimated from trees and substitutions; 1 for a perfect sentence",
        lambda texts: generation.understandability(texts.outputs, texts.trees),
        "trees",
    ),
    Measure(
        "quality",
        "Quality",
        _REPAIR,
        3,
        "",
        "likewise",
        lambda texts: generation.quality(texts.outputs, texts.trees),
        "trees",
    ),
)

#: The measures that are shown as histograms beside the sentence scores.
SPREADS = ("compression_ratio", "edits_from_source")


@dataclass(frozen=True)
class System:
    """A system, or what stands beside the systems for comparison.

    Attributes:
        name: of the system.
        scores: "sari", "keep", "delete" and "add" in percent; None for the only reference.
        intervals: the lower and upper bound of each score; None where they were not asked for.
        orders: figures by n-gram order, as in the details of the metric's `compute`.
        sentences: the four scores of every segment; none for the only reference.
        measures: values by the names of `MEASURES`, None where something is missing for them.
        rows: of the measures that are means and have a value, the numbers of every segment.
        lengths: per class of lengths the scores of its segments, their BLEU, and the means of `rows`.
    """

    name: str
    scores: dict[str, float] | None
    intervals: dict[str, list[float]] | None
    orders: list[dict[str, Any]]
    sentences: dict[str, list[float]]
    measures: dict[str, float | None]
    rows: dict[str, list[float]]
    lengths: list[dict[str, float]]


@dataclass(frozen=True)
class Length:
    """A class of segments by the number of tokens in their sources, both ends included."""

    shortest: int
    longest: int
    segments: int


@dataclass(frozen=True)
class Example:
    """A segment to look at: its number, from 1, its texts, and what systems made of it."""

    number: int
    source: str
    references: list[str]
    outputs: dict[str, Explanation]


@dataclass(frozen=True)
class Examples:
    """Segments chosen for a reason."""

    title: str
    segments: list[Example]


@dataclass(frozen=True)
class Report:
    """Everything that a report shows.

    Attributes:
        signature: every choice behind the scores.
        segments: how many there are.
        references: how many a segment has, from the fewest to the most.
        tokens: how texts become the tokens that SARI and the companion measures compare.
        confidence: of the intervals, from 0 to 1; None where there are none.
        cautions: what the metric warned of.
        lengths: the classes of source lengths.
        systems: in the order in which they came.
        beside: the source and the first reference, scored like systems.
        examples: random segments, and for each system the best and the worst.
    """

    signature: str
    segments: int
    references: tuple[int, int]
    tokens: str
    confidence: float | None
    cautions: list[str]
    lengths: list[Length]
    systems: list[System]
    beside: list[System]
    examples: list[Examples]


def build(
    metric,
    *,
    sources: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    trees: Sequence[Tree] | None = None,
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
    advance: Callable[[], None] = lambda: None,
    **options,
) -> Report:
    """Score systems and gather what there is to say about them.

    Args:
        metric: the loaded metric.
        sources: the texts to simplify.
        systems: for each system its name and its outputs.
        references: for each source a list of at least one simplification.
        trees: the dependency trees of the first references, for the measures that compare trees.
        confidence: of intervals around the scores, such as 0.95; None for none.
        resamples: how many the intervals are made of; None for as many as the metric makes.
        seed: of the choice of random segments, and of the intervals.
        advance: called again and again while it works, `steps` times.
        options: which SARI: those of the metric's `compute`.

    Raises:
        ValueError, TypeError: for bad input or options, as the metric does.
    """
    corpus = _Corpus(metric, list(sources), [list(row) for row in references], trees, options, advance)
    resampling = {} if confidence is None else {"confidence": confidence, "seed": seed}
    if resamples is not None:
        resampling["resamples"] = resamples
    outputs = {name: list(column) for name, column in systems.items()}
    with _warnings_kept() as cautions:
        found = {name: corpus.score(column, corpus.references, **resampling) for name, column in outputs.items()}
    with _warnings_kept():
        return Report(
            signature=next(iter(found.values()))["signature"],
            segments=len(corpus.sources),
            references=(min(map(len, corpus.references)), max(map(len, corpus.references))),
            tokens=_in_words(corpus.variant),
            confidence=confidence,
            cautions=cautions,
            lengths=[length for length, _ in corpus.lengths],
            systems=[corpus.system(name, column, corpus.references, found[name]) for name, column in outputs.items()],
            beside=corpus.beside(),
            examples=_examples(corpus, outputs, found, np.random.default_rng(seed)),
        )


def steps(systems: int) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return (systems + 2) * len(MEASURES)


class _Corpus:
    """Sources and references with the options under which outputs are scored against them.

    Attributes:
        lengths: classes of lengths, each with the places of its segments.
    """

    def __init__(self, metric, sources, references, trees, options: dict[str, Any], advance: Callable[[], None]):
        self.metric = metric
        self.sources: list[str] = sources
        self.references: list[list[str]] = references
        self.options = options
        self.variant = customized(**{name: value for name, value in options.items() if name != "threads"})
        self.trees = trees if trees is None else [_cased(tree, self.variant.lowercase) for tree in trees]
        if self.trees is not None and len(self.trees) != len(sources):
            raise ValueError(f"trees: got {len(self.trees)} rows, wanted {len(sources)}, as many as sources")
        self._advance = advance

    @cached_property
    def lengths(self) -> list[tuple[Length, list[int]]]:
        return _lengths(self._texts(self.sources, self.references).sources)

    def score(self, outputs: list[str], references: list[list[str]], **how) -> dict[str, Any]:
        columns = {"sources": self.sources, "predictions": outputs, "references": references}
        return self.metric.compute(**columns, details=True, **how, **self.options)

    def system(self, name: str, outputs: list[str], references: list[list[str]] | None, found) -> System:
        """Describe a system whose scores were found; one without references has no scores."""
        texts = self._texts(outputs, references or self.references)
        if references is None:
            texts = replace(texts, references=None, trees=None)
        measures: dict[str, float | None] = {}
        rows: dict[str, np.ndarray] = {}
        for measure in MEASURES:
            value = None if getattr(texts, measure.needs) is None else measure.of(texts)
            if isinstance(value, np.ndarray):
                rows[measure.name] = value.astype(np.float64)
                value = value.mean()
            measures[measure.name] = value if value is None else float(value)
            self._advance()
        return System(
            name=name,
            scores=found and {score: found[score] for score in SCORES},
            intervals=_intervals(found),
            orders=found["orders"] if found else [],
            sentences=found["sentences"] if found else {},
            measures=measures,
            rows={name: column.tolist() for name, column in rows.items()},
            lengths=[self._part(texts, outputs, rows, places) for _, places in self.lengths] if found else [],
        )

    def _part(self, texts: Texts, outputs: list[str], rows: Mapping[str, np.ndarray], places: list[int]):
        """Return the scores and measures of some segments."""
        columns: dict[str, list] = {"sources": self.sources, "predictions": outputs, "references": self.references}
        scores = self.metric.compute(
            **{name: [column[place] for place in places] for name, column in columns.items()}, **self.options
        )
        near = [texts.references[place] for place in places] if texts.references else []
        return {
            **{score: scores[score] for score in SCORES},
            "bleu": simplification.bleu([texts.outputs[place] for place in places], near),
            **{name: float(column[places].mean()) for name, column in rows.items()},
        }

    def _texts(self, outputs: list[str], references: list[list[str]]) -> Texts:
        """Return the texts of a system as tokens, sources split like the rest whatever the variant does to them."""
        columns = {"sources": self.sources, "predictions": outputs, "references": references}
        how = {"variant": "easse", "tokenize": self.variant.tokenize, "lowercase": self.variant.lowercase}
        in_sources, in_outputs, in_references = self.metric.tokens(**columns, **how)
        return Texts(
            sources=list(map(" ".join, in_sources)),
            outputs=list(map(" ".join, in_outputs)),
            references=[list(map(" ".join, row)) for row in in_references],
            raw_sources=self.sources,
            raw_outputs=outputs,
            trees=self.trees,
        )

    def explain(self, place: int, output: str) -> Explanation:
        options = {name: value for name, value in self.options.items() if name != "threads"}
        return explain(
            self.metric,
            source=self.sources[place],
            prediction=output,
            references=self.references[place],
            **options,
        )

    def beside(self) -> list[System]:
        """Score the source as if it were an output, and the first reference against the others, if there are any."""
        first = [row[0] for row in self.references]
        others = [row[1:] for row in self.references]
        copied = self.system(SOURCE, self.sources, self.references, self.score(self.sources, self.references))
        if all(others):
            return [copied, self.system(REFERENCE, first, others, self.score(first, others))]
        return [copied, self.system(REFERENCE, first, None, None)]


def _intervals(found: Mapping[str, Any] | None) -> dict[str, list[float]] | None:
    if not found or "confidence_intervals" not in found:
        return None
    return {score: list(found["confidence_intervals"][score]) for score in SCORES}


def _cased(tree: Tree, lowercase: bool) -> Tree:
    return Tree(tuple(map(str.lower, tree.tokens)), tree.heads) if lowercase else tree


def _lengths(sources: Sequence[str]) -> list[tuple[Length, list[int]]]:
    """Cut the segments into classes of about the same size by the tokens of their sources."""
    tokens = np.array([len(text.split()) for text in sources])
    edges = np.unique(np.quantile(tokens, np.linspace(0, 1, _LENGTHS + 1), method="closest_observation"))
    edges[-1] += 1
    if len(edges) == 1:
        edges = np.array([edges[0] - 1, edges[0]])
    classes = []
    for begin, end in pairwise(edges.tolist()):
        rows = ((tokens >= begin) & (tokens < end)).nonzero()[0].tolist()
        if rows:
            classes.append((Length(begin, end - 1, len(rows)), rows))
    return classes


def _examples(corpus: _Corpus, systems: Mapping[str, Sequence[str]], found: Mapping, rng) -> list[Examples]:
    """Choose random segments, which all systems show, and for each system the best and the worst."""
    number = min(_EXAMPLES if len(systems) == 1 else _EXAMPLES_OF_SEVERAL, len(corpus.sources))

    def shown(title: str, rows: Sequence[int], names: Sequence[str]) -> Examples:
        return Examples(
            title,
            [
                Example(
                    number=row + 1,
                    source=corpus.sources[row],
                    references=corpus.references[row],
                    outputs={name: corpus.explain(row, systems[name][row]) for name in names},
                )
                for row in rows
            ],
        )

    groups = [shown("Random segments", sorted(rng.permutation(len(corpus.sources))[:number].tolist()), list(systems))]
    for name in systems:
        of = "" if len(systems) == 1 else f" of {name}"
        order = np.argsort(found[name]["sentences"]["sari"], kind="stable").tolist()
        groups.append(shown(f"Best segments{of}", order[::-1][:number], [name]))
        groups.append(shown(f"Worst segments{of}", order[:number], [name]))
    return groups


def _in_words(variant: Variant) -> str:
    tokenizer = variant.tokenize if isinstance(variant.tokenize, str) else "custom"
    return f"{tokenizer} tokens, {'lowercased' if variant.lowercase else 'with case'}"


@contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """Yield a list that in the end holds the warnings that came, each once; none is shown."""
    kept: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield kept
    kept += dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning))
