"""The contents of a report about one or several systems, as plain data.

`building` makes it, and `report_page` writes it to files.
"""

from dataclasses import dataclass

from sari.aggregation import Intervals, OrderFigures, Scores, SentenceScores
from sari.reports.explanation import Explanation
from sari.reports.score_report import ScoreReport
from sari.reports.tables import Table


@dataclass(frozen=True)
class System:
    """A system, or a baseline.

    Attributes:
        name: of the system.
        scores: "sari", "keep", "delete" and "add" in percent; None for the only reference.
        intervals: the lower and upper bound of each score; None without a confidence.
        orders: figures by n-gram order, as in the details of `compute`.
        sentences: the four scores of every segment; None for the only reference.
        measures: values of companion measures by name; None for those that lack something.
        measure_intervals: the lower and upper bound of each value; None without a confidence.
        rows: the numbers of every segment, for measures that are means and have a value.
        lengths: the scores and measures of each class of lengths.
    """

    name: str
    scores: Scores | None
    intervals: Intervals | None
    orders: list[OrderFigures]
    sentences: SentenceScores | None
    measures: dict[str, float | None]
    measure_intervals: dict[str, tuple[float, float]] | None
    rows: dict[str, list[float]]
    lengths: list[dict[str, float]]

    @property
    def known_measures(self) -> dict[str, float]:
        """The measures that have a value."""
        return {name: value for name, value in self.measures.items() if value is not None}


@dataclass(frozen=True)
class Length:
    """A class of segments by the number of tokens in their sources, both ends included."""

    shortest: int
    longest: int
    segments: int


@dataclass(frozen=True)
class Example:
    """A segment: its number, from 1, its texts, the explained outputs of systems, and a note."""

    number: int
    source: str
    references: list[str]
    outputs: dict[str, Explanation]
    note: str = ""


@dataclass(frozen=True)
class Examples:
    """Segments chosen for the reason in the title."""

    title: str
    segments: list[Example]


@dataclass(frozen=True)
class Document:
    """Everything that a report shows.

    Attributes:
        scored: the scores of the systems and of the baselines, with intervals and measures, and with the tests,
            baselines and explanations that were asked for.
        references: the least and the greatest number of references of a segment.
        tokens: a description of the tokens that SARI and the companion measures compare.
        lengths: the classes of source lengths.
        systems: in the order of the options.
        baselines: the source and the first reference, scored like systems.
        ngrams: a table for each other system of the n-grams that it gains and loses against the first, or against the
            baseline of the tests.
        examples: random segments, and for each system the best, the worst, and others that stand out.
        by_order: whether to show figures by n-gram order.
        digits: decimals of scores.
    """

    scored: ScoreReport
    references: tuple[int, int]
    tokens: str
    lengths: list[Length]
    systems: list[System]
    baselines: list[System]
    ngrams: list[Table]
    examples: list[Examples]
    by_order: bool = False
    digits: int = 2
