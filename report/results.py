"""The scores of systems and what belongs to them, as plain data: what `formats` writes and the command line prints."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SCORES = ("sari", "keep", "delete", "add")
OPERATIONS = SCORES[1:]

#: A p-value below this is marked as significant.
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Result:
    """The scores of one system under one variant, in percent."""

    name: str
    variant: str
    segments: int
    signature: str
    scores: dict[str, float]
    orders: list[dict]
    confidence_intervals: dict[str, list[float]] | None = None
    differences: dict[str, float] | None = None
    p_values: dict[str, float] | None = None


def result_of(name: str, variant: str, segments: int, signature: str, details: Mapping[str, Any]) -> Result:
    """Return the metric's scores of a system, with details, as a `Result`."""
    statistics = {field: details.get(field) for field in ("confidence_intervals", "differences", "p_values")}
    scores = {score: details[score] for score in SCORES}
    return Result(name, variant, segments, signature, scores, details["orders"], **statistics)


@dataclass(frozen=True)
class Baseline:
    """What no system made: the scores of copied sources, of empty outputs or of people, under one variant."""

    name: str
    variant: str
    scores: dict[str, float]


@dataclass(frozen=True)
class Difference:
    """Why two variants score a system differently, with the fields of what `Sari.explain_difference` returns."""

    name: str
    variant_a: str
    variant_b: str
    signature_a: str
    signature_b: str
    steps: list[dict[str, Any]]


@dataclass(frozen=True)
class Resampling:
    """How intervals and p-values were made; None where there are none, and where `baseline` has no others to meet."""

    confidence: float | None
    method: str | None
    resamples: int
    seed: int
    baseline: str


def resampling_of(comparison: Mapping[str, Any]) -> Resampling:
    """Return what `Sari.compare` says of its intervals and p-values."""
    return Resampling(
        confidence=comparison["confidence"],
        method=comparison["method"],
        resamples=comparison["resamples"],
        seed=comparison["seed"],
        baseline=comparison["baseline"],
    )


@dataclass(frozen=True)
class ScoreReport:
    """Everything there is to show.

    Attributes:
        results: at least one, all of the same segments.
        baselines: for the same variants.
        explanations: for each system why two variants differ.
        notes: what there is to say about data and variants: "category" and "message".
        resampling: None where nothing was resampled.
    """

    results: list[Result]
    baselines: list[Baseline] = field(default_factory=list)
    explanations: list[Difference] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)
    resampling: Resampling | None = None

    @property
    def systems(self) -> list[str]:
        """The names of the systems, each once."""
        return list(dict.fromkeys(result.name for result in self.results))

    @property
    def variants(self) -> list[str]:
        """The names of the variants, each once."""
        return list(dict.fromkeys(result.variant for result in self.results))

    @property
    def signatures(self) -> list[str]:
        """The signature of each variant; systems share it."""
        return list(dict.fromkeys(result.signature for result in self.results))


def without_comparison(notes: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Return the notes that matter where no systems are compared: what a variant is good for is not the question then.

    >>> without_comparison([{"category": "RewardsCopyingWarning", "message": "hf rewards copying"}])
    []
    """
    return [note for note in notes if note["category"] != "RewardsCopyingWarning"]
