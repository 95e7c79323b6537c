"""The companion measures of systems and baselines, with intervals and tests as SARI has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np

from sari.companion_measures.columns import check_length
from sari.companion_measures.registry import Measure
from sari.comparison import baseline_columns
from sari.data_warnings import warning_rows
from sari.languages import Tokenizer
from sari.reports.score_report import ScoreReport
from sari.significance import NamedFigures, Resampling, Sample
from sari.text_checks import language_warnings
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
        resampling: how intervals and tests are computed: from the same draws of segments as SARI's with the same seed.
    """

    systems: list[str]
    measures: list[Measure]
    rows: dict[str, np.ndarray]
    resampling: Resampling

    def figures(self, classes: Sequence[list[int]] = ()) -> dict[str, NamedFigures]:
        """Return the values of each system, with intervals if there is a confidence and more than one segment.

        Args:
            classes: the places of the segments of classes whose values, and those of each segment, are returned, too.
        """
        if not self.rows:
            return {system: {"scores": {}} for system in self.systems}
        figures = {}
        all_intervals = self._sample.named_intervals(list(self.rows), self.resampling)
        for place, (system, intervals) in enumerate(zip(self.systems, all_intervals, strict=True)):
            figures[system] = {"scores": self._values(place), **intervals}
            if classes:
                of_classes = [self._values(place, segments) for segments in classes]
                means = [measure.name for measure in self.measures if not measure.adds_up]
                figures[system]["lengths"] = {name: [values[name] for values in of_classes] for name in self.rows}
                figures[system]["sentences"] = {name: self.rows[name][:, place, 0].tolist() for name in means}
        return figures

    def mean(self) -> NamedFigures:
        """Return the means of the values of all systems, with intervals, as the figures of one."""
        if not self.rows:
            return {"scores": {}}
        of_systems = [self._values(place) for place in range(len(self.systems))]
        values = {name: fmean(values[name] for values in of_systems) for name in self.rows}
        sample = self._sample
        mean = Sample(sample.rows, lambda sums: sample.statistic(sums).mean(axis=1, keepdims=True), sample.seed)
        intervals, *_ = mean.named_intervals(list(self.rows), self.resampling)
        return {"scores": values, **intervals}

    def tests(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], NamedFigures]:
        """Test for each measure whether the systems of each pair differ; this needs a method."""
        if not pairs or not self.rows:
            return {}
        places = [(self.systems.index(one), self.systems.index(other)) for one, other in pairs]
        return dict(zip(pairs, self._sample.named_tests(list(self.rows), places, self.resampling), strict=True))

    @cached_property
    def _sample(self) -> Sample:
        """The segments to resample, whose scores are the values of all measures."""
        tables = list(self.rows.values())
        bounds = np.cumsum([table.shape[-1] for table in tables])[:-1]

        def values(sums: np.ndarray) -> np.ndarray:
            parts = zip(self.measures, np.split(sums, bounds, axis=-1), strict=True)
            return np.stack([measure.values_of_sums(part, len(tables[0])) for measure, part in parts], axis=-1)

        return Sample(np.concatenate(tables, axis=-1), values, self.resampling.seed)

    def _values(self, place: int, segments: list[int] | slice = slice(None)) -> dict[str, float]:
        return {measure.name: measure.value(self.rows[measure.name][segments, place]) for measure in self.measures}


def chosen_tokenizer(variants: Iterable[Variant]) -> Tokenizer:
    """Return the tokenizer of measures: the one that was chosen in place of a variant's own, else 13a."""
    return next((variant.changes["tokenize"] for variant in variants if "tokenize" in variant.changes), "13a")


@dataclass(frozen=True)
class Measuring:
    """Texts of systems that are measured once, whatever asks for their measures.

    Attributes:
        columns: checked texts.
        resampling: how intervals and tests are computed.
        tokenize: the tokenizer of the measures that compare tokens.
        side_data: what some measures need in addition to the texts.
    """

    columns: SystemColumns
    resampling: Resampling
    tokenize: Tokenizer = "13a"
    side_data: SideData = field(default_factory=dict)
    _known: dict[tuple[str, ...], MeasuredColumns] = field(default_factory=dict)

    def measure(
        self, measures: Sequence[Measure], *, advance: Callable[[str], object] = lambda _: None
    ) -> MeasuredSystems:
        """Measure the systems. Measures that lack what they need are left out.

        Args:
            measures: what to compute.
            advance: called with the label of each measure that begins.

        Raises:
            ValueError: for a measure computed elsewhere that has not a number for each segment of each system.
        """
        return self._of("systems", self.columns, self.side_data).measure(measures, advance)

    def add(
        self,
        report: ScoreReport,
        measures: Sequence[Measure],
        *,
        classes: Sequence[list[int]] = (),
        advance: Callable[[str], object] = lambda _: None,
    ) -> ScoreReport:
        """Return a report with companion measures, which have intervals and tests where scores have them.

        Args:
            report: the scores of the systems, and of baselines.
            measures: what to compute, and to show even where nothing can be computed.
            classes: the places of the segments of each class of lengths, to measure each of them and each segment, too.
            advance: called with the label of each measure that begins.

        Raises:
            ValueError: as `measure` does.
        """
        measured = self.measure(measures, advance=advance)
        figures = {"system": measured.figures(classes), "baseline": self._of_baselines(report, measures)}
        pairs = dict.fromkeys((row.name, row.against) for row in report.rows if row.against is not None)
        tests = measured.tests(list(pairs))
        rows = []
        for row in report.rows:
            known = figures[row.kind][row.name] if row.kind != "pair" else {}
            known = {**known, **tests.get((row.name, str(row.against)), {})}
            fields: dict[str, Any] = {name: {**getattr(row, name), **values} for name, values in known.items()}
            rows.append(replace(row, **fields))
        english = [measure.label for measure in measures if measure.is_english]
        warnings = warning_rows(language_warnings(english, self.columns.sources))
        return replace(
            report,
            rows=rows,
            measures=list(measures),
            measure_signatures=self._signatures(measures),
            warnings=report.warnings + [row for row in warnings if row not in report.warnings],
        )

    def _signatures(self, measures: Sequence[Measure]) -> list[str]:
        numbers = {len(row) for row in self.columns.references}
        nrefs = numbers.pop() if len(numbers) == 1 else "var"
        return [line for measure in measures if (line := measure.signature(nrefs=nrefs, tokenize=self.tokenize))]

    def _of_baselines(self, report: ScoreReport, measures: Sequence[Measure]) -> dict[str, NamedFigures]:
        """Return the measures of the baselines of a report; "references" is the mean over the references."""
        names = {row.name for row in report.baselines}
        first, *people = baseline_columns(self.columns.sources, self.columns.references)
        if not people:  # the only reference can be measured, though not compared with others
            texts = {"reference 1": [row[0] for row in self.columns.references]}
            people = [SystemColumns(first.sources, texts, [row[1:] for row in self.columns.references])]
        side_data = {name: data for name, data in self.side_data.items() if name != "own_measures"}
        first = first._replace(predictions={name: texts for name, texts in first.predictions.items() if name in names})
        people = [columns for columns in people if "references" in names or names & columns.predictions.keys()]
        of_people = [self._of("baselines", columns, side_data).measure(measures) for columns in people]
        figures = {name: row for part in of_people for name, row in part.figures().items()}
        if first.predictions:
            figures |= self._of("baselines", first, side_data).measure(measures).figures()
        if "references" in names:
            rows = {name: np.concatenate([part.rows[name] for part in of_people], axis=1) for name in of_people[0].rows}
            systems = [name for part in of_people for name in part.systems]
            figures["references"] = replace(of_people[0], systems=systems, rows=rows).mean()
        return figures

    def _of(self, kind: str, columns: SystemColumns, side_data: SideData) -> MeasuredColumns:
        """Return the columns of systems or baselines, with what was computed of them at earlier calls."""
        key = (kind, *columns.predictions)
        return self._known.setdefault(key, MeasuredColumns(columns, self.tokenize, side_data, self.resampling))


class MeasuredColumns:
    """The columns that functions of measures take, by name, and the numbers that were computed of them.

    Each column has the texts of all systems, segment by segment, so that references are prepared once for all.
    "sources", "outputs" and "references" are tokens in lower case, joined by spaces; those that begin with "cased_"
    keep their case, and those that begin with "raw_" are texts as they came. Further columns are side data.
    """

    def __init__(self, columns: SystemColumns, tokenize: Tokenizer, side_data: SideData, resampling: Resampling):
        """Keep the texts; rows of references may be empty, and are then compared with no output."""
        self.columns, self._side_data, self._resampling = columns, side_data, resampling
        self._texts = {"": Text(tokenize=tokenize), "cased_": Text(tokenize=tokenize, lowercase=False), "raw_": None}
        self._column = cache(self._make_column)
        self._numbers: dict[str, np.ndarray] = {}

    def measure(
        self, measures: Iterable[Measure], advance: Callable[[str], object] = lambda _: None
    ) -> MeasuredSystems:
        """Measure the systems, as `Measuring.measure` does."""
        shape = (len(self.columns.sources), len(self.columns.predictions), -1)
        known = []
        for measure in measures:
            advance(measure.label)
            if measure.missing or not all(map(self._has, measure.arguments)):
                continue
            if measure.name not in self._numbers:
                numbers = measure.numbers({name: self._column(name) for name in measure.arguments})
                self._numbers[measure.name] = numbers.reshape(shape) * (100.0 if measure.unit == "%" else 1.0)
            known.append(measure)
        rows = {measure.name: self._numbers[measure.name] for measure in known}
        return MeasuredSystems(list(self.columns.predictions), known, rows, self._resampling)

    def _has(self, name: str) -> bool:
        """Return whether there is such a column; references are one where every segment has some."""
        if name.endswith("references"):
            return all(self.columns.references)
        is_text = name.endswith(("sources", "outputs"))
        return is_text or name in self._side_data or name in self._side_data.get("own_measures", {})

    def _make_column(self, name: str) -> Any:
        systems, own_measures = self.columns.predictions, self._side_data.get("own_measures", {})
        if name in own_measures:
            for system, outputs in systems.items():
                check_length(f"own_measure: {name}: {system}", own_measures[name][system], outputs, "outputs")
            return np.array([own_measures[name][system] for system in systems], np.float64).T
        if name in self._side_data:
            return self._side_data[name]
        prefix, column = next(
            (prefix, name.removeprefix(prefix)) for prefix in ("cased_", "raw_", "") if name.startswith(prefix)
        )
        text = self._texts[prefix]
        if column == "outputs":
            return _split(list(chain.from_iterable(zip(*systems.values(), strict=True))), text)
        if column == "sources":
            return self._repeated(_split(self.columns.sources, text))
        tokens = iter(_split(list(chain.from_iterable(self.columns.references)), text))
        return self._repeated([[next(tokens) for _ in row] for row in self.columns.references])

    def _repeated(self, column: Iterable[Any]) -> list[Any]:
        return [row for row in column for _ in self.columns.predictions]


def _split(texts: list[str], text: Text | None) -> list[str]:
    """Return texts as tokens joined by spaces, or as they came where no `text` says how."""
    return texts if text is None else list(map(" ".join, split_into_tokens(texts, text)))
