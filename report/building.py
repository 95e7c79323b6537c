"""Reports, gathered: every system scored and measured, over all segments and by their lengths, and examples chosen."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from sari.measures import simplification
from sari.measures.generation import Tree
from sari.options import resolve_settings
from sari.report.companions import MEASURES, Texts
from sari.report.document import REFERENCE, SOURCE, Document, Example, Examples, Length, System
from sari.report.explanation import Explanation, explain
from sari.report.results import SCORES
from sari.variants import Variant, resolve_variant

_LENGTHS = 5
_EXAMPLES, _EXAMPLES_OF_SEVERAL = 8, 4


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
    advance: Callable[[], object] = lambda: None,
    **options,
) -> Document:
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
    test_set = _TestSet(metric, list(sources), [list(row) for row in references], trees, options, advance)
    resampling = {} if confidence is None else {"confidence": confidence, "seed": seed}
    if resamples is not None:
        resampling["resamples"] = resamples
    outputs = {name: list(column) for name, column in systems.items()}
    with _warnings_kept() as cautions:
        details = {name: test_set.score(column, test_set.references, **resampling) for name, column in outputs.items()}
    with _warnings_kept():
        return Document(
            signature=next(iter(details.values()))["signature"],
            segments=len(test_set.sources),
            references=(min(map(len, test_set.references)), max(map(len, test_set.references))),
            tokens=_in_words(test_set.variant),
            confidence=confidence,
            cautions=cautions,
            lengths=[length for length, _ in test_set.lengths],
            systems=[
                test_set.system(name, column, test_set.references, details[name]) for name, column in outputs.items()
            ],
            beside=test_set.beside(),
            examples=_examples(test_set, outputs, details, np.random.default_rng(seed)),
        )


def steps(systems: int) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return (systems + 2) * len(MEASURES)


class _TestSet:
    """Sources and references with the options under which outputs are scored against them.

    Attributes:
        lengths: classes of lengths, each with the places of its segments.
    """

    def __init__(self, metric, sources, references, trees, options: dict[str, Any], advance: Callable[[], object]):
        self.metric = metric
        self.sources: list[str] = sources
        self.references: list[list[str]] = references
        self.options = options
        self.variant = resolve_variant(**{name: value for name, value in options.items() if name != "threads"})
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

    def system(
        self,
        name: str,
        outputs: list[str],
        references: list[list[str]] | None,
        details: Mapping[str, Any] | None,
    ) -> System:
        """Describe a system whose scores are known; one without references has no scores."""
        texts = self._texts(outputs, references or self.references)
        if references is None:
            texts = replace(texts, references=None, trees=None)
        measures, rows = self._measured(texts)
        return System(
            name=name,
            scores={score: details[score] for score in SCORES} if details else None,
            intervals=_intervals(details),
            orders=details["orders"] if details else [],
            sentences=details["sentences"] if details else {},
            measures=measures,
            rows={name: column.tolist() for name, column in rows.items()},
            lengths=[self._part(texts, outputs, rows, places) for _, places in self.lengths] if details else [],
        )

    def _measured(self, texts: Texts) -> tuple[dict[str, float | None], dict[str, np.ndarray]]:
        """Return the values of all companion measures, and of those that are means the numbers of every segment."""
        measures: dict[str, float | None] = {}
        rows: dict[str, np.ndarray] = {}
        for measure in MEASURES:
            value = None if getattr(texts, measure.needs) is None else measure.of(texts)
            if isinstance(value, np.ndarray):
                rows[measure.name] = value.astype(np.float64)
                value = value.mean()
            measures[measure.name] = value if value is None else float(value)
            self._advance()
        return measures, rows

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
        return explain(
            source=self.sources[place],
            prediction=output,
            references=self.references[place],
            settings=resolve_settings(**self.options),
        )

    def beside(self) -> list[System]:
        """Score the source as if it were an output, and the first reference against the others, if there are any."""
        first = [row[0] for row in self.references]
        others = [row[1:] for row in self.references]
        copied = self.system(SOURCE, self.sources, self.references, self.score(self.sources, self.references))
        if all(others):
            return [copied, self.system(REFERENCE, first, others, self.score(first, others))]
        return [copied, self.system(REFERENCE, first, None, None)]


def _intervals(details: Mapping[str, Any] | None) -> dict[str, list[float]] | None:
    if not details or "confidence_intervals" not in details:
        return None
    return {score: list(details["confidence_intervals"][score]) for score in SCORES}


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


def _examples(
    test_set: _TestSet, systems: Mapping[str, Sequence[str]], details: Mapping[str, Mapping[str, Any]], rng
) -> list[Examples]:
    """Choose random segments, which all systems show, and for each system the best and the worst."""
    number = min(_EXAMPLES if len(systems) == 1 else _EXAMPLES_OF_SEVERAL, len(test_set.sources))

    def example(place: int, names: Sequence[str]) -> Example:
        outputs = {name: test_set.explain(place, systems[name][place]) for name in names}
        return Example(place + 1, test_set.sources[place], test_set.references[place], outputs)

    def chosen(title: str, places: Sequence[int], names: Sequence[str]) -> Examples:
        return Examples(title, [example(place, names) for place in places])

    at_random = sorted(rng.permutation(len(test_set.sources))[:number].tolist())
    groups = [chosen("Random segments", at_random, list(systems))]
    for name in systems:
        of = "" if len(systems) == 1 else f" of {name}"
        order = np.argsort(details[name]["sentences"]["sari"], kind="stable").tolist()
        groups.append(chosen(f"Best segments{of}", order[::-1][:number], [name]))
        groups.append(chosen(f"Worst segments{of}", order[:number], [name]))
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
