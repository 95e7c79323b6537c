"""What is answered, as plain data: `markup` shows it and `downloads` writes it."""

from typing import Any, NamedTuple

from sari.report.results import ScoreReport, resampling_of, result_of


class Row(NamedTuple):
    """A segment of a corpus: its number from 1, its scores in percent, and its texts."""

    line: int
    sari: float
    keep: float
    delete: float
    add: float
    source: str
    output: str
    references: list[str]


class ScoredCorpus(NamedTuple):
    """A scored corpus: the metric's result with details, a row for each segment, and what there is to note."""

    result: dict[str, Any]
    rows: list[Row]
    notes: list[dict[str, str]]


class Comparison(NamedTuple):
    """Compared systems: the variant, what `Sari.compare` returns, and what there is to note."""

    variant: str
    result: dict[str, Any]
    notes: list[dict[str, str]]

    @property
    def report(self) -> ScoreReport:
        """The report that the command line would give; it needs a result with details."""
        segments, signature = self.result["segments"], self.result["signature"]
        results = [
            result_of(name, self.variant, segments, signature, details)
            for name, details in self.result["systems"].items()
        ]
        return ScoreReport(results, notes=self.notes, resampling=resampling_of(self.result))
