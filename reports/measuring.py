"""The companion measures of systems and baselines, with intervals and tests as SARI has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np

from sari.companion_measures.columns import case_warnings, check_length
from sari.companion_measures.readability import language_warnings
from sari.companion_measures.registry import Measure, Settings
from sari.comparison import baseline_columns
from sari.data_warnings import SariWarning, warning_rows
from sari.reports.score_report import ScoreReport
from sari.significance import NamedFigures, Resampling, Sample
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns, common_number
from sari.variants import Text

# The columns of texts: see `Measuring`.
_TEXTS = {
    f"{prefix}{column}"
    for prefix in ("", "cased_", "lower_", "raw_")
    for column in ("sources", "outputs", "references")
}


@dataclass(frozen=True)
class MeasuredSystems:
    """The companion measures of systems.

    Attributes:
        systems: their names.
        rows: by measure, the numbers that its value is computed from: float64[segment, system, number].
        signatures: of the measures, by name; a measure computed elsewhere has none.
        warnings: what to doubt about the values.
        resampling: how intervals and tests are computed: from the same draws of segments as SARI's with the same seed.
    """

    systems: list[str]
    rows: dict[Measure, np.ndarray]
    signatures: dict[str, str]
    warnings: list[SariWarning]
    resampling: Resampling

    def figures(self) -> dict[str, NamedFigures]:
        """Return the values of each system, with intervals if there is a confidence and more than one segment."""
        if not self.rows:
            return {}
        names = [measure.name for measure in self.rows]
        intervals = self._sample.named_intervals(names, self.resampling)
        return {
            system: {
                "scores": {measure.name: measure.value(rows[:, place]) for measure, rows in self.rows.items()},
                **intervals[place],
            }
            for place, system in enumerate(self.systems)
        }

    def tests(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], NamedFigures]:
        """Test for each measure whether the systems of each pair differ; this needs a method."""
        if not pairs or not self.rows:
            return {}
        names = [measure.name for measure in self.rows]
        places = [(self.systems.index(one), self.systems.index(other)) for one, other in pairs]
        return dict(zip(pairs, self._sample.named_tests(names, places, self.resampling), strict=True))

    @cached_property
    def _sample(self) -> Sample:
        """The segments to resample, whose scores are the values of all measures."""
        tables = list(self.rows.values())
        bounds = np.cumsum([table.shape[-1] for table in tables])[:-1]

        def values(sums: np.ndarray) -> np.ndarray:
            parts = zip(self.rows, np.split(sums, bounds, axis=-1), strict=True)
            return np.stack([measure.values_of_sums(part, len(tables[0])) for measure, part in parts], axis=-1)

        return Sample(np.concatenate(tables, axis=-1), values, self.resampling.seed)


@dataclass(frozen=True)
class Measuring:
    """How texts of systems are measured.

    The functions of measures take columns by name. Each has the texts of all systems, segment by segment, so that
    references are prepared once for all. "sources", "outputs" and "references" are tokens joined by spaces, in lower
    case unless the settings say otherwise; those that begin with "cased_" keep their case unless the settings say
    otherwise, those that begin with "lower_" are in lower case always, and those that begin with "raw_" are texts as
    they came. Further columns are side data;
    "own_measures:NAME" has the numbers of a measure computed elsewhere.

    Attributes:
        columns: checked texts.
        resampling: how intervals and tests are computed.
        settings: the options and the side files of the measures.
        own_numbers: of measures computed elsewhere, by name: the numbers of systems by name.
    """

    columns: SystemColumns
    resampling: Resampling
    settings: Settings = field(default_factory=Settings)
    own_numbers: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    def measure(
        self, measures: Iterable[Measure], *, advance: Callable[[str], object] = lambda _: None
    ) -> MeasuredSystems:
        """Measure the systems. Measures that lack what they need are left out.

        Args:
            measures: what to compute.
            advance: called with the label of each measure that begins.

        Raises:
            ValueError: for a measure computed elsewhere that has not a number for each segment of each system.
        """
        shape = (len(self.columns.sources), len(self.columns.predictions), -1)
        column = cache(self._column)
        rows = {}
        for measure in measures:
            advance(measure.label)
            if not measure.missing and all(map(self._has, measure.arguments)):
                numbers = measure.numbers({name: column(name) for name in measure.arguments})
                rows[measure] = numbers.reshape(shape) * (100.0 if measure.unit == "%" else 1.0)
        settings = replace(self.settings, nrefs=common_number(map(len, self.columns.references)))
        signatures = {row.name: line for row in rows if (line := row.signature(settings))}
        english = [measure.label for measure in rows if measure.is_english]
        cased = [row.label for row in rows if "case" in row.depends.split() and not row.is_lowercase(settings)]
        warnings: list[SariWarning] = [
            *language_warnings(english, self.columns.sources),
            *case_warnings(cased, self.columns),
        ]
        return MeasuredSystems(list(self.columns.predictions), rows, signatures, warnings, self.resampling)

    def add(
        self,
        report: ScoreReport,
        measures: Sequence[Measure],
        *,
        advance: Callable[[str], object] = lambda _: None,
    ) -> ScoreReport:
        """Return a report with companion measures, which have intervals and tests where scores have them.

        Args:
            report: the scores of the systems, and of baselines.
            measures: what to compute. Those that lack what they need are left out.
            advance: called with the label of each measure that begins.

        Raises:
            ValueError: as `measure` does.
        """
        measured = self.measure(measures, advance=advance)
        baselines = self._of_baselines({row.name for row in report.baselines}, measures)
        figures: dict[str, Any] = {"system": measured.figures(), "baseline": baselines, "pair": {}}
        tests = measured.tests(list({(row.name, row.against): None for row in report.rows if row.against is not None}))
        rows = []
        for row in report.rows:
            measures_of = {**figures[row.kind].get(row.name, {}), **tests.get((row.name, str(row.against)), {})}
            fields: dict[str, Any] = {name: {**getattr(row, name), **values} for name, values in measures_of.items()}
            rows.append(replace(row, **fields))
        return replace(
            report,
            rows=rows,
            measures=[measure.under(self.settings) for measure in measured.rows],
            measure_signatures=measured.signatures,
            warnings=report.warnings + warning_rows(measured.warnings),
        )

    def _of_baselines(self, names: set[str], measures: Sequence[Measure]) -> dict[str, NamedFigures]:
        """Return the measures of baselines by name; "references" has the means of the references, without intervals."""
        figures: dict[str, NamedFigures] = {}
        for columns in baseline_columns(self.columns.sources, self.columns.references):
            wanted = {
                name: texts
                for name, texts in columns.predictions.items()
                if name in names or ("references" in names and name.startswith("reference "))
            }
            if wanted:
                texts = columns._replace(predictions=wanted)
                # A tree is that of a reference, which a baseline that is scored with fewer of them may lack.
                possible = [one for one in measures if "trees" not in one.arguments or "copy" in columns.predictions]
                figures |= replace(self, columns=texts, own_numbers={}).measure(possible).figures()
        references = [row["scores"] for name, row in figures.items() if name.startswith("reference ")]
        if references:
            means = {name: fmean(scores[name] for scores in references) for name in references[0]}
            figures["references"] = {"scores": means}
        return figures

    def _has(self, name: str) -> bool:
        own = name.removeprefix("own_measures:") in self.own_numbers
        return name in _TEXTS or name in self.settings.side_data or own

    def _column(self, name: str) -> Any:
        """Return a column by its name."""
        systems = self.columns.predictions
        kind, _, measure = name.partition(":")
        if kind == "own_measures":
            numbers = self.own_numbers[measure]
            for system, outputs in systems.items():
                check_length(f"own_measure: {measure}: {system}", numbers[system], outputs, "outputs")
            return np.array([numbers[system] for system in systems], np.float64).T
        settings = self.settings
        if name == "trees":
            check_length(name, settings.side_data[name], self.columns.sources, "sources")
        if name in settings.side_data:
            return settings.side_data[name]
        *prefix, column = name.split("_")
        text = Text(tokenize=settings.tokenize, lowercase=settings.is_lowercase(name)) if prefix != ["raw"] else None
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
