"""What those get who ask for scores: dicts, by the names of the scores."""

from typing import Any, TypedDict

import numpy as np

from .variants import SCORES


class Scores(TypedDict):
    """SARI and its operations, in percent."""

    sari: float
    keep: float
    delete: float
    add: float


class Intervals(TypedDict):
    """The lower and the upper end of the interval of each score."""

    sari: list[float]
    keep: list[float]
    delete: list[float]
    add: list[float]


class SentenceScores(TypedDict):
    """The scores of each segment, each scored alone."""

    sari: list[float]
    keep: list[float]
    delete: list[float]
    add: list[float]


class Figures(TypedDict):
    """The figures of one operation and one order, in percent; `score` is the one of the three that counts."""

    precision: float
    recall: float
    f1: float
    score: float


class OrderFigures(TypedDict):
    """The figures of one n-gram order."""

    order: int
    keep: Figures
    delete: Figures
    add: Figures


class _Asked(TypedDict, total=False):
    confidence_intervals: Intervals
    signature: str
    orders: list[OrderFigures]
    sentences: SentenceScores
    baselines: dict[str, Scores]


class Result(Scores, _Asked):
    """Scores, with what else was asked for."""


def named_scores(scores: np.ndarray) -> Any:
    """Return an array of four scores, or of four rows, as a dict by their names."""
    return dict(zip(SCORES, scores.tolist(), strict=True))
