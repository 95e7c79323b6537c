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
from sari.measures.bleu import BleuReferences
from sari.measures.generation import Tree
from sari.options import Resampling, Settings, resolve_resampling
from sari.report.companions import MEASURES, BleuCounts, Texts, spaced
from sari.report.document import REFERENCE, SOURCE, Document, Length, System
from sari.report.examples import choose_examples, example_groups
from sari.report.results import ScoreReport
from sari.state import State
from sari.variants import Variant

_LENGTHS = 5


def build(
    columns: SystemColumns,
    states: Mapping[str, State],
    *,
    warnings: Sequence[WarningRow] = (),
    scored: ScoreReport | None = None,
    trees: Sequence[Tree] | None = None,
    resampling: Resampling | None = None,
    advance: Callable[[str], object] = lambda _: None,
) -> Document:
    """Gather what there is to say about scored systems.

    Args:
        columns: the texts, which have been checked.
        states: of each system, by name, made with `sentences=True` and `resampling=True`.
        warnings: what there is to say about the texts.
        scored: what is printed of the systems, where it has more than scores: tests, baselines, why variants differ.
        trees: the dependency trees of the first references, for the measures that compare trees.
        resampling: how intervals around the scores are made; None for no intervals. Its seed also chooses segments.
        advance: called again and again while it works, `steps` times, with what begins.

    Raises:
        ValueError: for trees that are not as many as the segments.
    """
    some = next(iter(states.values()))
    resampling = resampling or resolve_resampling()
    test_set = _TestSet(columns, some.settings, trees, advance)
    nrefs = list(map(len, columns.references))
    systems = [test_set.system(name, columns.predictions[name], state, resampling) for name, state in states.items()]
    beside = test_set.beside()
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
        systems=systems,
        beside=beside,
        examples=choose_examples(columns, some.settings, systems, beside[0], seed=resampling.seed, advance=advance),
        scored=scored,
    )


def steps(systems: int) -> int:
    """Return how often `build` calls `advance` for a number of systems."""
    return (systems + 2) * len(MEASURES) + example_groups(systems)


class _References:
    """References as tokens joined by spaces, prepared for BLEU once."""

    def __init__(self, texts: list[list[str]]):
        self.texts = texts
        self.prepared = BleuReferences(texts)


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
        advance: Callable[[str], object],
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

    def system(self, name: str, outputs: list[str], state: State, resampling: Resampling) -> System:
        """Describe a system."""
        return self._described(name, self._texts(outputs, self._references), state, resampling)

    def _described(self, name: str, texts: Texts, state: State | None, resampling: Resampling) -> System:
        """Describe what has such texts; what has no state, the only reference itself, has no scores."""
        measures, rows = self._measured(name, texts)
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
        copied = self.system(SOURCE, self.sources, self._scored(self.sources, self.references), plain)
        if not all(others):
            texts = replace(self._texts(first, None), trees=None)
            return [copied, self._described(REFERENCE, texts, None, plain)]
        texts = self._texts(first, _References([row[1:] for row in self._references.texts]))
        return [copied, self._described(REFERENCE, texts, self._scored(first, others), plain)]

    def _scored(self, outputs: list[str], references: list[list[str]]) -> State:
        columns = SystemColumns(self.sources, {"": outputs}, references)
        return score_systems(columns, self.settings, sentences=True, resampling=True)[""]

    def _measured(self, name: str, texts: Texts) -> tuple[dict[str, float | None], dict[str, np.ndarray]]:
        """Return the values of all companion measures, and of those that are means the numbers of every segment."""
        measures: dict[str, float | None] = {}
        rows: dict[str, np.ndarray] = {}
        for measure in MEASURES:
            self._advance(f"{name}: {measure.label}")
            value = None if getattr(texts, measure.needs) is None else measure.of(texts)
            if isinstance(value, np.ndarray):
                rows[measure.name] = value.astype(np.float64)
                value = value.mean()
            measures[measure.name] = value if value is None else float(value)
        return measures, rows

    @cached_property
    def _source_tokens(self) -> list[str]:
        return self._spaced(self.sources)

    @cached_property
    def _references(self) -> "_References":
        tokens = iter(self._spaced([*chain.from_iterable(self.references)]))
        return _References([[next(tokens) for _ in row] for row in self.references])

    @cached_property
    def _sources_as_references(self) -> BleuReferences:
        return BleuReferences(self._source_tokens)

    def _texts(self, outputs: list[str], references: "_References | None") -> Texts:
        """Return the texts of a system as tokens, sources split like the rest whatever the variant does to them."""
        tokens = self._spaced(outputs)
        bleu = references and BleuCounts(references.prepared.counts(tokens), self._sources_as_references.counts(tokens))
        return Texts(
            sources=self._source_tokens,
            outputs=tokens,
            references=references and references.texts,
            raw_sources=self.sources,
            raw_outputs=outputs,
            trees=self.trees,
            bleu=bleu,
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


def _in_words(variant: Variant) -> str:
    tokenizer = variant.tokenize if isinstance(variant.tokenize, str) else "custom"
    return f"{tokenizer} tokens, {'lowercased' if variant.lowercase else 'with case'}"
