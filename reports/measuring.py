"""The companion measures of systems and baselines, with intervals and tests as SARI has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np

from sari.companion_measures.columns import check_length
from sari.companion_measures.registry import Measure
from sari.comparison import baseline_columns
from sari.reports.score_report import ScoreReport, ScoreRow
from sari.significance import NamedFigures, Resampling, Sample
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns
from sari.variants import Text, Variant

#: What was read from side files, by their names; and under "own_measures", by name, the numbers of systems by name.
SideData = Mapping[str, Any]


@dataclass(frozen=True)
class MeasuredSystems:
    """The companion measures of systems.

    Attributes:
        systems: their names.
        measures: those that have values.
        rows: by measure, the numbers that its value is computed from: float64[segment, system, number].
        how: intervals and tests are computed: from the same draws of segments as SARI's with the same seed.
    """

    systems: list[str]
    measures: list[Measure]
    rows: dict[str, np.ndarray]
    how: Resampling

    def figures(self, classes: Sequence[list[int]] = ()) -> dict[str, NamedFigures]:
        """Return the values of each system, with intervals if there is a confidence and more than one segment.

        Args:
            classes: the places of the segments of classes whose values, and those of each segment, are returned, too.
        """
        found = {}
        all_intervals = (
            self._sample.named_intervals(list(self.rows), self.how) if self.rows else [{}] * len(self.systems)
        )
        for place, (system, intervals) in enumerate(zip(self.systems, all_intervals, strict=True)):
            found[system] = {"scores": self._values(place), **intervals}
            if classes:
                of_classes = [self._values(place, segments) for segments in classes]
                means = [own.name for own in self.measures if not own.adds_up]
                found[system]["lengths"] = {name: [values[name] for values in of_classes] for name in self.rows}
                found[system]["sentences"] = {name: self.rows[name][:, place, 0].tolist() for name in means}
        return found

    def mean(self) -> NamedFigures:
        """Return the means of the values of all systems, with intervals, as the figures of one."""
        of_systems = [self._values(place) for place in range(len(self.systems))]
        values = {name: fmean(values[name] for values in of_systems) for name in self.rows}
        if not self.rows:
            return {"scores": values}
        statistic = self._sample.statistic
        means = Sample(self._sample.rows, lambda sums: statistic(sums).mean(axis=1, keepdims=True), self.how.seed)
        intervals, *_ = means.named_intervals(list(self.rows), self.how)
        return {"scores": values, **intervals}

    def tests(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], NamedFigures]:
        """Test for each measure whether the systems of each pair differ; this needs a method."""
        if not pairs:
            return {}
        places = [(self.systems.index(one), self.systems.index(other)) for one, other in pairs]
        return dict(zip(pairs, self._sample.named_tests(list(self.rows), places, self.how), strict=True))

    @cached_property
    def _sample(self) -> Sample:
        """The segments to resample, whose scores are the values of all measures."""
        tables = list(self.rows.values())
        bounds = np.cumsum([table.shape[-1] for table in tables])[:-1]

        def values(sums: np.ndarray) -> np.ndarray:
            parts = zip(self.measures, np.split(sums, bounds, axis=-1), strict=True)
            return np.stack([measure.values_of_sums(part, len(tables[0])) for measure, part in parts], axis=-1)

        return Sample(np.concatenate(tables, axis=-1), values, self.how.seed)

    def _values(self, place: int, segments: list[int] | slice = slice(None)) -> dict[str, float]:
        return {own.name: own.value(self.rows[own.name][segments, place]) for own in self.measures}


def measured_text(variant: Variant) -> Text:
    """Return how the tokens that measures compare are made of texts."""
    return replace(variant.text, splits_on_space=False)


def measure_systems(
    columns: SystemColumns,
    text: Text,
    measures: Iterable[Measure],
    *,
    how: Resampling,
    side_data: SideData | None = None,
    advance: Callable[[str], object] = lambda _: None,
) -> MeasuredSystems:
    """Measure systems. Measures that lack what they need are left out.

    Functions of measures take these columns by name: "sources", "outputs" and "references" as tokens joined by spaces;
    "raw_sources", "raw_outputs" and "raw_references" as they came; and what was read from side files.

    Args:
        columns: checked texts; rows of references may be empty, and are then compared with no output.
        text: how tokens are made.
        measures: what to compute.
        how: intervals and tests are computed.
        side_data: what some measures need in addition to the texts.
        advance: called with the label of each measure that begins.

    Raises:
        ValueError: for trees that are not those of the first references, and for a measure computed elsewhere that has
            not a number for each segment of each system.
    """
    found = _columns_of_measures(columns, text, side_data or {})
    shape = (len(columns.sources), len(columns.predictions), -1)
    rows, known = {}, []
    for measure in measures:
        advance(measure.label)
        if set(measure.arguments) <= found.keys() and not measure.missing:
            rows[measure.name] = measure.numbers(found).reshape(shape) * (100.0 if measure.unit == "%" else 1.0)
            known.append(measure)
    return MeasuredSystems(list(columns.predictions), known, rows, how)


def _columns_of_measures(columns: SystemColumns, text: Text, side_data: SideData) -> dict[str, Any]:
    """Return the columns of all systems, segment by segment, so that references are prepared once for all."""
    systems = columns.predictions

    def repeated(column: Iterable[Any]) -> list[Any]:
        return [row for row in column for _ in systems]

    def split(texts: Iterable[str], text: Text = text) -> list[str]:
        return list(map(" ".join, split_into_tokens(list(texts), text)))

    raw_outputs = list(chain.from_iterable(zip(*systems.values(), strict=True)))
    found: dict[str, Any] = {
        "sources": repeated(split(columns.sources)),
        "outputs": split(raw_outputs),
        "raw_sources": repeated(columns.sources),
        "raw_outputs": raw_outputs,
        **side_data,
    }
    tokens = iter(split(chain.from_iterable(columns.references)))
    references = [[next(tokens) for _ in row] for row in columns.references]
    if all(references):
        found |= {"references": repeated(references), "raw_references": repeated(columns.references)}
    if "trees" in side_data:
        from sari.companion_measures.accuracy import Tree, check_words  # here, since they need rapidfuzz

        words = split([" ".join(tree.tokens) for tree in side_data["trees"]], replace(text, tokenize="none"))
        trees = [Tree(tuple(own.split()), tree.heads) for own, tree in zip(words, side_data["trees"], strict=True)]
        check_words(trees, [row[0] for row in references])
        found["trees"] = repeated(trees)
    for name, numbers in found.pop("own_measures", {}).items():
        for system, outputs in systems.items():
            check_length(f"own_measure: {name}: {system}", numbers[system], outputs, "outputs")
        found[name] = np.array([numbers[system] for system in systems], np.float64).T
    return found


def add_measures(
    report: ScoreReport,
    columns: SystemColumns,
    variants: Mapping[str, Variant],
    measures: Sequence[Measure],
    *,
    how: Resampling,
    side_data: SideData | None = None,
    classes: Sequence[list[int]] = (),
    advance: Callable[[str], object] = lambda _: None,
) -> ScoreReport:
    """Return a report with companion measures, which have intervals and tests where scores have them.

    Args:
        report: the scores of the systems, and of baselines.
        columns: the texts.
        variants: by name: measures compare their tokens.
        measures: what to compute, and to show even where nothing can be computed.
        how: intervals and tests are computed.
        side_data: what some measures need in addition to the texts.
        classes: the places of the segments of each class of lengths, to measure each of them and each segment, too.
        advance: called with the label of each measure that begins, for each way to split texts.

    Raises:
        ValueError: as `measure_systems` does.
    """
    baselines = {row.name for row in report.baselines}
    rows: list[ScoreRow] = []
    # Variants that split texts in the same way share everything but the order of their pairs.
    known: dict[Text, tuple[MeasuredSystems, dict[str, dict[str, NamedFigures]]]] = {}
    for label, variant in variants.items():
        text, of_variant = measured_text(variant), [row for row in report.rows if row.variant == label]
        if text not in known:
            measure = partial(measure_systems, text=text, measures=measures, how=how)
            measured = measure(columns, side_data=side_data, advance=advance)
            figures = {"system": measured.figures(classes)}
            known[text] = measured, {**figures, "baseline": _measured_baselines(baselines, columns, side_data, measure)}
        measured, figures = known[text]
        tests = measured.tests([(row.name, row.against) for row in of_variant if row.against is not None])
        for row in of_variant:
            found = figures[row.kind][row.name] if row.kind != "pair" else {}
            found = {**found, **tests.get((row.name, str(row.against)), {})}
            fields: dict[str, Any] = {name: {**getattr(row, name), **values} for name, values in found.items()}
            rows.append(replace(row, **fields))
    return replace(report, rows=rows, measures=list(measures))


def _measured_baselines(
    names: Collection[str],
    columns: SystemColumns,
    side_data: SideData | None,
    measure: Callable[..., MeasuredSystems],
) -> dict[str, NamedFigures]:
    """Return the measures of the baselines of these names; "references" is the mean over the references."""
    first, *people = baseline_columns(columns.sources, columns.references)
    if not people:  # the only reference can be measured, though not compared with others
        others = [row[1:] for row in columns.references]
        people = [SystemColumns(columns.sources, {"reference 1": [row[0] for row in columns.references]}, others)]
    side_data = {name: data for name, data in (side_data or {}).items() if name != "own_measures"}
    # The trees are those of the first references.
    without_trees = {name: data for name, data in side_data.items() if name != "trees"}
    first = first._replace(predictions={name: texts for name, texts in first.predictions.items() if name in names})
    parts = [measure(first, side_data=side_data)] if first.predictions else []
    people = [own for own in people if "references" in names or names & own.predictions.keys()]
    of_people = [measure(own, side_data=without_trees) for own in people]
    found = {name: figures for part in [*parts, *of_people] for name, figures in part.figures().items()}
    if "references" in names:
        rows = {name: np.concatenate([part.rows[name] for part in of_people], axis=1) for name in of_people[0].rows}
        systems = [name for part in of_people for name in part.systems]
        found["references"] = replace(of_people[0], systems=systems, rows=rows).mean()
    return found
