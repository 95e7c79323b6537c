"""The contents of a report about a system, or several side by side, as plain data.

`building` makes it, `pages` makes files of it.
"""

from dataclasses import dataclass

from sari.data_warnings import WarningRow
from sari.reports.companions import Measure
from sari.reports.explanation import Explanation
from sari.reports.score_report import ScoreReport
from sari.scores import Intervals, OrderFigures, Scores, SentenceScores
from sari.significance import INTERVAL_METHODS

#: What stands beside the systems for comparison, as tables call it; a system may have such a name, too.
SOURCE, REFERENCE = "copy", "reference 1"


@dataclass(frozen=True)
class System:
    """A system, or what stands beside the systems for comparison.

    Attributes:
        name: of the system.
        scores: "sari", "keep", "delete" and "add" in percent; None for the only reference.
        intervals: the lower and upper bound of each score; None where they were not asked for.
        orders: figures by n-gram order, as in the details of the metric's `compute`.
        sentences: the four scores of every segment; none for the only reference.
        measures: values of companion measures by name, None where something is missing for them.
        measure_intervals: the lower and upper bound of each value; None where they were not asked for.
        rows: of the measures that are means and have a value, the numbers of every segment.
        lengths: per class of lengths the scores and the measures of its segments.
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


@dataclass(frozen=True)
class Length:
    """A class of segments by the number of tokens in their sources, both ends included."""

    shortest: int
    longest: int
    segments: int


@dataclass(frozen=True)
class Example:
    """A segment to look at: its number, from 1, its texts, what systems made of it, what is notable."""

    number: int
    source: str
    references: list[str]
    outputs: dict[str, Explanation]
    note: str = ""


@dataclass(frozen=True)
class Examples:
    """Segments chosen for a reason."""

    title: str
    segments: list[Example]


@dataclass(frozen=True)
class Document:
    """Everything that a report shows.

    Attributes:
        signature: every choice behind the scores.
        segments: how many there are.
        references: how many a segment has, from the fewest to the most.
        tokens: how texts become the tokens that SARI and the companion measures compare.
        confidence: of the intervals, from 0 to 1; None where there are none.
        resamples, seed: of the intervals.
        intervals: their method, a name in `significance.INTERVAL_METHODS`.
        warnings: about the texts.
        lengths: the classes of source lengths.
        systems: in the order in which they came.
        beside: the source and the first reference, scored like systems.
        measures: the companion measures that the systems have.
        examples: random segments, and for each system the best, the worst, and others that stand out.
        scored: what was asked for besides: tests, baselines, why variants differ; None where nothing was.
        by_order: whether figures by n-gram order are among that.
        digits: of scores, after the point, for people.
    """

    signature: str
    segments: int
    references: tuple[int, int]
    tokens: str
    confidence: float | None
    resamples: int
    seed: int
    intervals: str
    warnings: list[WarningRow]
    lengths: list[Length]
    systems: list[System]
    beside: list[System]
    measures: list[Measure]
    examples: list[Examples]
    scored: ScoreReport | None = None
    by_order: bool = False
    digits: int = 2

    @property
    def described_intervals(self) -> str:
        """How the intervals were computed, in words."""
        return INTERVAL_METHODS[self.intervals].describe(self.resamples, self.seed, over="segments")
