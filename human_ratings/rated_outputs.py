"""Outputs that people rated, and how scores of them agree with the ratings."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sari.human_ratings.correlation import COEFFICIENTS, Agreement, SystemRows, agreement, system_agreement
from sari.human_ratings.correlation_report import AgreementRow
from sari.significance import Resampling
from sari.state import CorpusStatistics
from sari.validation import Columns
from sari.variants import SCORES

#: The fewest systems whose order can be compared.
_SYSTEMS = 3


class RatedOutputs(NamedTuple):
    """The outputs of all systems, a row each, with the name of the system (empty if unknown) and the rating."""

    texts: Columns
    systems: list[str]
    ratings: list[float]

    @property
    def levels(self) -> list[str]:
        """The levels that can be compared with ratings: segments, and systems if there are enough."""
        return ["segments", "systems"] if len(set(self.systems)) >= _SYSTEMS else ["segments"]


class RatedScore(NamedTuple):
    """A score: its variant (empty for a measure), name, values by row, rows for systems, and signature."""

    variant: str
    name: str
    values: np.ndarray
    of_systems: SystemRows
    signature: str


def sari_scores(corpus: CorpusStatistics) -> list[RatedScore]:
    """Return SARI and its operations from rated outputs that were scored with `sentences=True` and `rows=True`."""
    sentences, rows, variant = corpus.sentences(), corpus.rows(), corpus.variant.name

    def of_sums(sums: np.ndarray, counts: np.ndarray, *, place: int) -> np.ndarray:
        return corpus.scores_of_sums(sums, counts[..., None])[..., place]

    return [
        RatedScore(
            variant, name, np.array(sentences[name]), SystemRows(rows, partial(of_sums, place=place)), corpus.signature
        )
        for place, name in enumerate(SCORES)
    ]


def agreement_rows(
    scores: Sequence[RatedScore],
    outputs: RatedOutputs,
    how: Resampling,
    *,
    plain: Sequence[str] = (),
    advance: Callable[[str], object] = lambda _: None,
) -> list[AgreementRow]:
    """Return how each score agrees with the ratings at every level, and its difference from the first score.

    Args:
        scores: of all outputs.
        outputs: with their ratings.
        how: how intervals are computed.
        plain: the coefficients without intervals.
        advance: called with the next coefficient and level.

    Raises:
        ValueError: for intervals of a single source.
    """
    rows = []
    for level in outputs.levels:
        found: dict[str, list[Agreement]] = {}
        for coefficient in COEFFICIENTS:
            advance(f"{coefficient}, {level}")
            own = replace(how, confidence=None) if coefficient in plain else how
            found[coefficient] = agreements(scores, outputs, own, level, coefficient)
        rows += [
            AgreementRow(
                level=level,
                variant=score.variant,
                measure=score.name,
                signature=score.signature,
                coefficients={name: of_all[number] for name, of_all in found.items()},
            )
            for number, score in enumerate(scores)
        ]
    return rows


def agreements(
    scores: Sequence[RatedScore],
    outputs: RatedOutputs,
    how: Resampling,
    level: str,
    coefficient: str,
    *,
    baseline: int = 0,
) -> list[Agreement]:
    """Return how each score agrees with the ratings.

    Args:
        scores, outputs, how: as in `agreement_rows`.
        level: "segments" or "systems".
        coefficient: a name in `COEFFICIENTS`.
        baseline: the number of the score that the others are compared with.
    """
    options: dict[str, Any] = {"coefficient": coefficient, "baseline": str(baseline), "confidence": how.confidence}
    options |= {"groups": outputs.texts.sources, "resamples": how.resamples, "seed": how.seed}
    if level == "segments":
        values = {str(number): score.values for number, score in enumerate(scores)}
        return list(agreement(values, outputs.ratings, **options).values())
    rows = {str(number): score.of_systems for number, score in enumerate(scores)}
    return list(system_agreement(rows, outputs.ratings, outputs.systems, **options).values())
