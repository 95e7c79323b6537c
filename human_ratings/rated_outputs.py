"""Outputs that people rated, and how scores of them agree with the ratings."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from sari.corpus_statistics import CorpusStatistics
from sari.data_warnings import WarningRow
from sari.human_ratings.correlation import COEFFICIENTS, Agreement, SystemRows, agreement
from sari.human_ratings.correlation_report import AgreementReport, AgreementRow
from sari.significance import Resampling
from sari.validation import Columns
from sari.variants import SCORES

#: The fewest systems whose order can be compared.
_FEWEST_SYSTEMS = 3


class RatedOutputs(NamedTuple):
    """The outputs of all systems, a row each, with the name of the system (empty if unknown) and the rating."""

    texts: Columns
    systems: list[str]
    ratings: list[float]

    @property
    def sources(self) -> int:
        """The number of different sources."""
        return len(set(self.texts.sources))

    @property
    def levels(self) -> list[str]:
        """The levels that can be compared with ratings: segments, and systems if there are enough."""
        return ["segments", "systems"] if len(set(self.systems)) >= _FEWEST_SYSTEMS else ["segments"]


class RatedScore(NamedTuple):
    """A score: its variant (empty for a measure), name, values by row, rows for systems, and signature."""

    variant: str
    name: str
    values: np.ndarray
    of_systems: SystemRows
    signature: str


def rated_scores(corpus: CorpusStatistics) -> list[RatedScore]:
    """Return SARI and its operations from rated outputs that were scored with `sentences=True` and `rows=True`."""
    sentences, rows, variant = corpus.sentences(), corpus.rows(), corpus.variant.label

    def of_sums(sums: np.ndarray, counts: np.ndarray, *, place: int) -> np.ndarray:
        return corpus.scores_of_sums(sums, counts[..., None])[..., place]

    signature = corpus.signature()
    return [
        RatedScore(variant, name, np.array(sentences[name]), SystemRows(rows, partial(of_sums, place=place)), signature)
        for place, name in enumerate(SCORES)
    ]


def report_agreement(
    scores: Sequence[RatedScore],
    outputs: RatedOutputs,
    resampling: Resampling,
    *,
    warnings: Sequence[WarningRow] = (),
    advance: Callable[[str], object] = lambda _: None,
) -> AgreementReport:
    """Return how each score agrees with the ratings at every level, and its difference from the first score.

    Args:
        scores: of all outputs.
        outputs: with their ratings.
        resampling: how intervals are computed.
        warnings: to show with the scores.
        advance: called with the next coefficient and level.

    Raises:
        ValueError: for intervals of a single source.
    """
    rows = []
    for level in outputs.levels:
        of_systems = level == "systems"
        columns = {str(number): score.of_systems if of_systems else score.values for number, score in enumerate(scores)}
        agreements: dict[str, list[Agreement]] = {}
        for coefficient in COEFFICIENTS:
            advance(f"{coefficient}, {level}")
            by_score = agreement(
                columns,
                outputs.ratings,
                groups=outputs.texts.sources,
                systems=outputs.systems if of_systems else None,
                coefficient=coefficient,
                baseline="0",
                confidence=resampling.confidence,
                resamples=resampling.resamples_for(outputs.sources),
                seed=resampling.seed,
            )
            agreements[coefficient] = list(by_score.values())
        for number, score in enumerate(scores):
            coefficients = {name: of_all[number] for name, of_all in agreements.items()}
            rows.append(AgreementRow(level, score.variant, score.name, score.signature, coefficients))
    return AgreementReport(
        rows=rows,
        ratings=len(outputs.ratings),
        sources=outputs.sources,
        systems=list(dict.fromkeys(outputs.systems)),
        confidence=resampling.confidence,
        resamples=resampling.resamples_for(outputs.sources),
        seed=resampling.seed,
        warnings=list(warnings),
    )
