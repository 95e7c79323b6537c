"""Reports, gathered: what is known of the scored systems, companion measures, lengths of sources, and examples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from sari.comparing import score_systems
from sari.data_warnings import WarningRow
from sari.inputs import SystemColumns
from sari.measures import simplification
from sari.measures.generation import Tree
from sari.options import Resampling, Settings, resolve_resampling
from sari.report.by_references import ReferenceCount
from sari.report.companions import MEASURES, Texts, spaced
from sari.report.document import REFERENCE, SOURCE, Document, Example, Examples, Length, System
from sari.report.explanation import explain
from sari.report.results import ScoreReport
from sari.state import State
from sari.variants import Variant

_LENGTHS = 5
_EXAMPLES, _EXAMPLES_OF_SEVERAL = 8, 4


def build(
    columns: SystemColumns,
    states: Mapping[str, State],
    *,
    warnings: Sequence[WarningRow] = (),
    scored: ScoreReport | None = None,
    trees: Sequence[Tree] | None = None,
    resampling: Resampling | None = None,
    by_references: Sequence[ReferenceCount] = (),
    advance: Callable[[], object] = lambda: None,
) -> Document:
    """Gather what there is to say about scored systems.

    Args:
        columns: the texts, which have been checked.
        states: of each system, by name, made with `sentences=True` and `resampling=True`.
        warnings: what there is to say about the texts.
        scored: what is printed of the systems, where it has more than scores: tests, baselines, why variants differ.
        trees: the dependency trees of the first references, for the measures that compare trees.
        resampling: how intervals around the scores are made; None for no intervals. Its seed also chooses segments.
        by_references: the scores with 1, 2, … of the references, where they are wanted.
        advance: called again and again while it works, `steps` times.

    Raises:
        ValueError: for trees that are not as many as the segments.
    """
    some = next(iter(states.values()))
    resampling = resampling or resolve_resampling()
    test_set = _TestSet(columns, some.settings, trees, advance)
    nrefs = list(map(len, columns.references))
    return Document(
        signature=some.signature,
        segments=some.segments,
        references=(min(nrefs), max(nrefs)),
        tokens=_in_words(some.settings.variant),
        confidence=resampling.confidence,
        resamples=resampling.resamples,
        seed=resampling.seed,
        warnings=list(warnings),
        lengths=[length for length, _ in test_set.lengths],
        systems=[
            test_set.system(name, columns.predictions[name], columns.references, state, resampling)
            for name, state in states.items()
        ],
        beside=test_set.beside(),
        examples=_examples(columns, states, np.random.default_rng(resampling.seed)),
        scored=scored,
        by_references=list(by_references),
    )


def steps(systems: int) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return (systems + 2) * len(MEASURES)


class _TestSet:
    """Sources and references, and how outputs are scored against them.

    Attributes:
        lengths: classes of lengths, each with the places of its segments.
    """

    def __init__(
        self,
        columns: SystemColumns,
        settings: Settings,
        trees: Sequence[Tree] | None,
        advance: Callable[[], object],
    ):
        self.sources, _, self.references = columns
        self.settings = settings
        self.trees = trees if trees is None else [_cased(tree, settings.variant.lowercase) for tree in trees]
        if self.trees is not None and len(self.trees) != len(self.sources):
            raise ValueError(f"trees: got {len(self.trees)} rows, wanted {len(self.sources)}, as many as sources")
        self._advance = advance

    @cached_property
    def lengths(self) -> list[tuple[Length, list[int]]]:
        return _lengths(self._source_tokens)

    def system(
        self,
        name: str,
        outputs: list[str],
        references: list[list[str]],
        state: State | None,
        resampling: Resampling,
    ) -> System:
        """Describe a system; what has no state, the only reference itself, has no scores."""
        texts = self._texts(outputs, references)
        if state is None:
            texts = replace(texts, references=None, trees=None)
        measures, rows = self._measured(texts)
        result = state.result(details=True, resampling=resampling) if state else None
        return System(
            name=name,
            scores=state.scores() if state else None,
            intervals=result.get("confidence_intervals") if result else None,
            orders=result["orders"] if result else [],
            sentences=result["sentences"] if result else None,
            measures=measures,
            rows={name: column.tolist() for name, column in rows.items()},
            lengths=[_part(state, texts, rows, places) for _, places in self.lengths] if state else [],
        )

    def beside(self) -> list[System]:
        """Score the source as if it were an output, and the first reference against the others, if there are any."""
        plain = resolve_resampling()
        first = [row[0] for row in self.references]
        others = [row[1:] for row in self.references]
        copied = self.system(SOURCE, self.sources, self.references, self._scored(self.sources, self.references), plain)
        if all(others):
            return [copied, self.system(REFERENCE, first, others, self._scored(first, others), plain)]
        return [copied, self.system(REFERENCE, first, self.references, None, plain)]

    def _scored(self, outputs: list[str], references: list[list[str]]) -> State:
        columns = SystemColumns(self.sources, {"": outputs}, references)
        return score_systems(columns, self.settings, sentences=True, resampling=True)[""]

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

    @cached_property
    def _source_tokens(self) -> list[str]:
        return self._spaced(self.sources)

    def _texts(self, outputs: list[str], references: list[list[str]]) -> Texts:
        """Return the texts of a system as tokens, sources split like the rest whatever the variant does to them."""
        of_references = iter(self._spaced([*chain.from_iterable(references)]))
        return Texts(
            sources=self._source_tokens,
            outputs=self._spaced(outputs),
            references=[[next(of_references) for _ in row] for row in references],
            raw_sources=self.sources,
            raw_outputs=outputs,
            trees=self.trees,
        )

    def _spaced(self, texts: list[str]) -> list[str]:
        """Return texts with spaces between their tokens."""
        return spaced(texts, self.settings.variant)


def _part(state: State, texts: Texts, rows: Mapping[str, np.ndarray], places: list[int]) -> dict[str, float]:
    """Return the scores and measures of some segments."""
    scores: dict[str, Any] = {**state.scores_of(places)}
    return {
        **scores,
        "bleu": simplification.bleu_of(texts.bleu_counts[places]),
        **{name: float(column[places].mean()) for name, column in rows.items()},
    }


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


def _examples(columns: SystemColumns, states: Mapping[str, State], rng: np.random.Generator) -> list[Examples]:
    """Choose random segments, which all systems show, and for each system the best and the worst."""
    number = min(_EXAMPLES if len(states) == 1 else _EXAMPLES_OF_SEVERAL, len(columns.sources))

    def example(place: int, names: Sequence[str]) -> Example:
        source, references = columns.sources[place], columns.references[place]
        outputs = {
            name: explain(
                source=source,
                prediction=columns.predictions[name][place],
                references=references,
                settings=states[name].settings,
            )
            for name in names
        }
        return Example(place + 1, source, references, outputs)

    def chosen(title: str, places: Sequence[int], names: Sequence[str]) -> Examples:
        return Examples(title, [example(place, names) for place in places])

    at_random = sorted(rng.permutation(len(columns.sources))[:number].tolist())
    groups = [chosen("Random segments", at_random, list(states))]
    for name, state in states.items():
        of = "" if len(states) == 1 else f" of {name}"
        order = np.argsort(state.sentences()["sari"], kind="stable").tolist()
        groups.append(chosen(f"Best segments{of}", order[::-1][:number], [name]))
        groups.append(chosen(f"Worst segments{of}", order[:number], [name]))
    return groups


def _in_words(variant: Variant) -> str:
    tokenizer = variant.tokenize if isinstance(variant.tokenize, str) else "custom"
    return f"{tokenizer} tokens, {'lowercased' if variant.lowercase else 'with case'}"
