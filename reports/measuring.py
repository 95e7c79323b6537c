"""The companion measures of systems and baselines, with intervals and tests, for the command line and reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean
from typing import Any, TypedDict

import numpy as np

from sari.companion_measures.columns import check_length
from sari.companion_measures.registry import REPORTED_MEASURES, Measure
from sari.comparison import baseline_columns
from sari.reports.score_report import PairTest, ScoredOutputs, ScoreReport, SystemScores
from sari.significance import TESTS, Resampling, Sample, holm
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns
from sari.variants import Variant

SideData = Mapping[str, Any]
Interval = tuple[float, float]


class MeasureTest(TypedDict):
    """A test of whether two systems differ in a measure; the difference is the first value minus the second.

    The interval is None without a confidence. P-values are corrected for the number of pairs, measure by measure.
    """

    difference: float
    difference_interval: Interval | None
    p_value: float
    corrected_p_value: float


@dataclass(frozen=True)
class MeasuredSystems:
    """The companion measures of systems.

    Attributes:
        systems: their names.
        measures: those that have values.
        rows: by measure, the numbers that its value is computed from: float64[segment, system, number].
    """

    systems: list[str]
    measures: list[Measure]
    rows: dict[str, np.ndarray]
    _samples: dict[int, Sample] = field(default_factory=dict)

    def values(self) -> dict[str, dict[str, float]]:
        """Return the values of each system by measure."""
        return {
            system: {measure.name: measure.value(self.rows[measure.name][:, place]) for measure in self.measures}
            for place, system in enumerate(self.systems)
        }

    def intervals(self, how: Resampling) -> dict[str, dict[str, Interval]] | None:
        """Return the two ends of the interval of each system's values.

        They come from the same draws of segments as SARI's intervals with the same seed.

        Returns:
            None without a confidence, without measures, and for a single segment, of which every resample is the same.
        """
        sample = self.sample(how)
        if how.confidence is None or sample is None:
            return None
        names = [measure.name for measure in self.measures]
        low, high = sample.intervals(how).tolist()
        return {
            system: dict(zip(names, zip(*ends, strict=True), strict=True))
            for system, *ends in zip(self.systems, low, high, strict=True)
        }

    def tests(self, pairs: Sequence[tuple[str, str]], how: Resampling) -> list[dict[str, MeasureTest]]:
        """Test for each measure whether pairs of systems differ, by the same draws as SARI's tests.

        Returns:
            For each pair the tests by measure; none without a method, for a single segment, and without measures.
        """
        sample = self.sample(how)
        if how.method is None or sample is None or not pairs:
            return [{} for _ in pairs]
        test = TESTS[how.method]
        places = np.array([[self.systems.index(name) for name in pair] for pair in pairs])
        p_values = test.p_values(sample, places, how.trials or test.resamples_for(len(pairs)))
        differences, corrected = sample.differences(places), holm(p_values)
        ends = None if how.confidence is None else sample.difference_intervals(places, how).tolist()

        def test_of(pair: int, place: int) -> MeasureTest:
            return {
                "difference": float(differences[pair, place]),
                "difference_interval": ends and (ends[0][pair][place], ends[1][pair][place]),
                "p_value": float(p_values[pair, place]),
                "corrected_p_value": float(corrected[pair, place]),
            }

        return [
            {measure.name: test_of(pair, place) for place, measure in enumerate(self.measures)}
            for pair in range(len(pairs))
        ]

    def of_segments(self, classes: Sequence[list[int]]) -> dict[str, dict[str, Any]]:
        """Return the fields of `SystemScores` about the segments of each system.

        Args:
            classes: the places of the segments of each class of lengths.
        """
        return {
            system: {
                "lengths": [
                    {measure.name: measure.value(self.rows[measure.name][own, place]) for measure in self.measures}
                    for own in classes
                ],
                "segment_measures": {
                    measure.name: self.rows[measure.name][:, place, 0].tolist()
                    for measure in self.measures
                    if not measure.adds_up
                },
            }
            for place, system in enumerate(self.systems)
        }

    def sample(self, how: Resampling) -> Sample | None:
        """Return the segments to resample, whose scores are the values of all measures."""
        tables = [self.rows[measure.name] for measure in self.measures]
        if not tables or len(tables[0]) < 2:
            return None
        bounds = np.cumsum([table.shape[-1] for table in tables])[:-1]

        def values(sums: np.ndarray) -> np.ndarray:
            parts = zip(self.measures, np.split(sums, bounds, axis=-1), strict=True)
            return np.stack([measure.values_of_sums(part, len(tables[0])) for measure, part in parts], axis=-1)

        return self._samples.setdefault(how.seed, Sample(np.concatenate(tables, axis=-1), values, how.seed))


class MeasuredSet:
    """A test set whose sources and references are split into tokens once for all systems.

    Attributes:
        sources, references: tokens joined by spaces, in the case that the variant sees.
    """

    def __init__(
        self, sources: list[str], references: list[list[str]], variant: Variant, side_data: SideData | None = None
    ):
        """Split texts that have been checked.

        Args:
            sources, references: one row per segment; rows of references may be empty.
            variant: splits and lowercases texts.
            side_data: what was read from side files, by their names; and under "own_measures", by name, what
                `read_numbers` of `text_files.table_files` returns.

        Raises:
            ValueError: for trees that are not those of the first references.
        """
        self._raw_sources, self._raw_references = sources, references
        self._text = replace(variant.text, splits_on_space=False)
        self._side_data = dict(side_data or {})
        self._own_measures = self._side_data.pop("own_measures", {})
        self.sources = self._split(sources)
        tokens = iter(self._split(chain.from_iterable(references)))
        self.references = [[next(tokens) for _ in row] for row in references]
        if "trees" in self._side_data:
            from sari.companion_measures.accuracy import Tree, check_words  # here, since they need rapidfuzz

            trees = self._side_data["trees"]
            words = split_into_tokens([" ".join(tree.tokens) for tree in trees], replace(self._text, tokenize="none"))
            trees = [Tree(tuple(own), tree.heads) for own, tree in zip(words, trees, strict=True)]
            check_words(trees, [row[0] for row in self.references])
            self._side_data["trees"] = trees

    def measure(
        self,
        systems: Mapping[str, list[str]],
        measures: Iterable[Measure] = REPORTED_MEASURES,
        *,
        advance: Callable[[str], object] = lambda _: None,
    ) -> MeasuredSystems:
        """Measure systems. Measures that lack what they need are left out.

        Functions of measures take these columns by name: "sources", "outputs" and "references" as tokens joined by
        spaces; "raw_sources", "raw_outputs" and "raw_references" as they came; and what was read from side files.

        Args:
            systems: the outputs of each system, checked.
            measures: what to compute. Those that compare with references need one for every segment.
            advance: called with the label of each measure that begins.

        Raises:
            ValueError: for a measure computed elsewhere that has not a number for each segment of each system.
        """
        columns, shape = self._columns(systems), (len(self.sources), len(systems), -1)
        rows: dict[str, np.ndarray] = {}
        known = []
        for measure in measures:
            advance(measure.label)
            if set(measure.arguments) <= columns.keys() and not measure.missing:
                rows[measure.name] = measure.numbers(columns).reshape(shape) * (100.0 if measure.unit == "%" else 1.0)
                known.append(measure)
        return MeasuredSystems(list(systems), known, rows)

    def _columns(self, systems: Mapping[str, list[str]]) -> dict[str, Any]:
        """Return the columns of all systems, segment by segment, so that references are prepared once for all."""

        def repeated(column: Iterable[Any]) -> list[Any]:
            return [row for row in column for _ in systems]

        raw_outputs = list(chain.from_iterable(zip(*systems.values(), strict=True)))
        columns: dict[str, Any] = {
            "sources": repeated(self.sources),
            "outputs": self._split(raw_outputs),
            "raw_sources": repeated(self._raw_sources),
            "raw_outputs": raw_outputs,
            **self._side_data,
        }
        if all(self.references):
            columns |= {"references": repeated(self.references), "raw_references": repeated(self._raw_references)}
        if "trees" in self._side_data:
            columns["trees"] = repeated(self._side_data["trees"])
        for name, numbers in self._own_measures.items():
            if systems.keys() <= numbers.keys():
                for system, outputs in systems.items():
                    check_length(f"own_measure: {name}: {system}", numbers[system], outputs, "outputs")
                columns[name] = np.array([numbers[system] for system in systems], np.float64).T
        return columns

    def _split(self, texts: Iterable[str]) -> list[str]:
        """Return texts as tokens joined by spaces."""
        return list(map(" ".join, split_into_tokens(list(texts), self._text)))


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
        side_data: see `MeasuredSet`.
        classes: the places of the segments of each class of lengths, to measure each of them, too.
        advance: called with the label of each measure that begins, for each way to split texts.

    Raises:
        ValueError: as `MeasuredSet` does.
    """
    baseline = report.resampling.baseline if report.resampling else None
    others = [other for other in columns.predictions if baseline is not None and other != baseline]
    # Variants that split texts in the same way share everything but the order of their pairs.
    found: dict[Any, tuple[Any, ...]] = {}
    results: list[SystemScores] = []
    baselines: list[ScoredOutputs] = []
    pairs: list[PairTest] = []
    for name, variant in variants.items():
        text = replace(variant.text, splits_on_space=False)
        if text not in found:
            test_set = MeasuredSet(columns.sources, columns.references, variant, side_data)
            measured = test_set.measure(columns.predictions, measures, advance=advance)
            tests = measured.tests([(other, str(baseline)) for other in others], how)
            names = {row.name for row in report.baselines}
            of_baselines = _measured_baselines(names, columns, variant, measures, how, side_data)
            of_segments = measured.of_segments(classes) if classes else {}
            found[text] = (
                measured,
                _figures(measured, how),
                dict(zip(others, tests, strict=True)),
                of_baselines,
                of_segments,
            )
        measured, of_systems, against, of_baselines, of_segments = found[text]
        compared = [pair for pair in report.pairs if pair.variant == name]
        tests = measured.tests([(pair.systems[0], pair.systems[1]) for pair in compared], how)
        pairs += [replace(pair, measure_tests=test or None) for pair, test in zip(compared, tests, strict=True)]
        for result in report.results:
            if result.variant == name:
                own = {**of_systems[result.name], **of_segments.get(result.name, {})}
                results.append(replace(result, **own, measure_tests=against.get(result.name) or None))
        baselines += [replace(row, **of_baselines[row.name]) for row in report.baselines if row.variant == name]
    return replace(report, results=results, baselines=baselines, pairs=pairs, measures=list(measures))


def _figures(measured: MeasuredSystems, how: Resampling) -> dict[str, dict[str, Any]]:
    """Return the fields of `ScoredOutputs` that hold the measures of each system."""
    intervals = measured.intervals(how)
    return {
        name: {"measures": values, "measure_intervals": intervals and intervals[name]}
        for name, values in measured.values().items()
    }


def _measured_baselines(
    names: Collection[str],
    columns: SystemColumns,
    variant: Variant,
    measures: Sequence[Measure],
    how: Resampling,
    side_data: SideData | None,
) -> dict[str, dict[str, Any]]:
    """Return the same for the baselines of these names; "references" is the mean over the references."""
    first, *people = baseline_columns(columns.sources, columns.references)
    if not people:  # the only reference can be measured, though not compared with others
        others = [row[1:] for row in columns.references]
        people = [SystemColumns(columns.sources, {"reference 1": [row[0] for row in columns.references]}, others)]
    found: dict[str, dict[str, Any]] = {}
    parts = []
    for place, group in enumerate([first, *people]):
        is_mean = bool(place) and "references" in names
        systems = {name: own for name, own in group.predictions.items() if name in names or is_mean}
        if systems:
            # The trees are those of the first references.
            own_data = {key: data for key, data in (side_data or {}).items() if not place or key != "trees"}
            test_set = MeasuredSet(group.sources, group.references, variant, own_data)
            measured = test_set.measure(systems, measures)
            found |= _figures(measured, how)
            parts += [measured] * is_mean
    if not parts:
        return found
    rows = {name: np.concatenate([part.rows[name] for part in parts], axis=1) for name in parts[0].rows}
    together = MeasuredSystems([name for part in parts for name in part.systems], parts[0].measures, rows)
    sample = together.sample(how)
    mean = {name: fmean(own[name] for own in together.values().values()) for name in rows}
    intervals = None
    if how.confidence is not None and sample is not None:
        low, high = how.ends(sample.bootstrapped(how).mean(axis=1)).tolist()
        intervals = dict(zip(mean, zip(low, high, strict=True), strict=True))
    return found | {"references": {"measures": mean, "measure_intervals": intervals}}
