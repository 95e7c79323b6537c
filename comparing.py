"""Side by side: systems, with tests and baselines, candidates, and variants, with why they differ."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TypedDict, cast

import numpy as np

from .counting import (
    SegmentCounts,
    count_against_each_other,
    count_candidates,
    count_columns,
    count_systems,
    prepare,
)
from .inputs import Columns, SystemColumns
from .options import Resampling, Settings
from .resampling import P_VALUES, bootstrap, interval, observed, randomization
from .state import Result, Scores, State, named_scores, segment_scores
from .variants import SCORES, ablation_steps


class _Tested(TypedDict, total=False):
    differences: Scores
    p_values: Scores


class SystemResult(Result, _Tested):
    """The result of a system; but for the baseline, and without a test, with differences and p-values."""


class Comparison(TypedDict):
    """Several systems, compared with one of them: see `compare`."""

    baseline: str
    method: str | None
    confidence: float | None
    resamples: int
    seed: int
    segments: int
    signature: str
    systems: dict[str, SystemResult]


class Step(TypedDict):
    """One choice on the way from a variant to another: see `explain_difference`."""

    choice: str | None
    before: str | None
    after: str | None
    sari: float
    keep: float
    delete: float
    add: float
    change: float | None


class Chosen(TypedDict):
    """The candidates of least risk, one per source, and what to expect of all: see `minimum_bayes_risk`."""

    texts: list[str]
    places: list[int]
    expected: list[list[float]]


class Difference(TypedDict):
    """Why two variants differ: see `explain_difference`."""

    variant_a: str
    variant_b: str
    signature_a: str
    signature_b: str
    steps: list[Step]


def score_systems(
    columns: SystemColumns, settings: Settings, *, sentences: bool = False, resampling: bool = False
) -> dict[str, State]:
    """Return the state of each system, by name; sources and references are tokenized once for all of them."""
    states = {name: State(settings, sentences=sentences, resampling=resampling) for name in columns.predictions}
    for name, state in states.items():
        state.observe(columns.of(name))
    for chunk in _counted(columns.sources, list(columns.predictions.values()), columns.references, settings):
        for state, counts in zip(states.values(), chunk, strict=True):
            state.accumulate(counts)
    return states


def compare(
    states: dict[str, State], *, baseline: str | None = None, resampling: Resampling, details: bool = False
) -> Comparison:
    """Test whether systems differ from one of them, the baseline.

    Args:
        states: of each system, by name, of the same segments; made with `resampling=True` if that is wanted.
        baseline: the name of the system that the others are compared with; the first where it is None.
        resampling: how intervals and p-values are made.
        details: whether to add the details of each result.

    Raises:
        ValueError: for a baseline that is no system, and where there are no segments.
    """
    if baseline is None:
        baseline = next(iter(states))
    elif baseline not in states:
        raise ValueError(f"baseline: got {baseline!r}, wanted one of {', '.join(states)}")
    no_intervals = Resampling(confidence=None, method=None, resamples=resampling.resamples, seed=resampling.seed)
    results = {
        name: cast(SystemResult, state.result(details=details, resampling=no_intervals))
        for name, state in states.items()
    }
    if resampling.is_wanted:
        _add_statistics(results, states, baseline, resampling)
    return {
        "baseline": baseline,
        "method": resampling.method,
        "confidence": resampling.confidence,
        "resamples": resampling.resamples,
        "seed": resampling.seed,
        "segments": states[baseline].segments,
        "signature": states[baseline].signature,
        "systems": results,
    }


def baseline_scores(sources: list[str], references: list[list[str]], settings: Settings) -> dict[str, Scores]:
    """Score what any system should be held against.

    Args:
        sources, references: that have been checked.
        settings: how to score.

    Returns:
        The four scores of "copy", the sources themselves; of "empty", outputs of no words; and, where all segments
        have at least two references, of "reference 1" and so on, each against the others, and of "references",
        their mean. The latter have one reference less to be scored by, so that they are a little low.

    Raises:
        ValueError: where there are no segments.
    """
    if not sources:
        raise ValueError("sources, references: got no segments, wanted at least one")

    def scores(predictions: dict[str, list[str]], references: list[list[str]]) -> dict[str, Scores]:
        states = score_systems(SystemColumns(sources, predictions, references), settings)
        return {name: state.scores() for name, state in states.items()}

    found = scores({"copy": sources, "empty": [""] * len(sources)}, references)
    width = min(map(len, references))
    people: dict[str, Scores] = {}
    for place in range(width if width > 1 else 0):
        others = [row[:place] + row[place + 1 :] for row in references]
        people |= scores({f"reference {place + 1}": [row[place] for row in references]}, others)
    if people:
        columns = zip(*(tuple(row[name] for name in SCORES) for row in people.values()), strict=True)
        found["references"] = named_scores(np.array([sum(column) / len(people) for column in columns]))
    return found | people


def candidate_scores(
    sources: list[str], candidates: list[list[str]], references: list[list[str]], settings: Settings
) -> list[list[float]]:
    """Return the SARI of each candidate of each source, each scored alone, in percent.

    Args:
        sources, candidates, references: that have been checked.
        settings: how to score.
    """
    chunks = count_candidates(sources, candidates, references, settings)
    scores = (segment_scores(chunk.counts, settings.variant)[:, 0].tolist() for chunk in chunks)
    flat = chain.from_iterable(scores)
    return [list(islice(flat, len(row))) for row in candidates]


def minimum_bayes_risk(sources: list[str], candidates: list[list[str]], settings: Settings) -> Chosen:
    """Choose of each source's candidates the one with the highest expected SARI: the first of equals.

    Args:
        sources, candidates: that have been checked, at least two candidates each.
        settings: how to score.

    Returns:
        "texts" and "places" of the chosen ones, and "expected", for each candidate the mean of its SARI, in percent,
        with each of the others as the only reference.
    """
    chosen = Chosen(texts=[], places=[], expected=[])
    for source, row in zip(sources, candidates, strict=True):
        scores = segment_scores(count_against_each_other(source, row, settings), settings.variant)[..., 0]
        others = scores[~np.eye(len(row), dtype=bool)].reshape(len(row), -1)
        expected = others.mean(axis=1)
        place = int(expected.argmax())
        chosen["texts"].append(row[place])
        chosen["places"].append(place)
        chosen["expected"].append(expected.tolist())
    return chosen


def explain_difference(columns: Columns, first: Settings, last: Settings) -> Difference:
    """Tell why two variants score the same predictions differently, by changing one choice at a time.

    Args:
        columns: that have been checked.
        first, last: the variants to walk from and to.

    Raises:
        ValueError: where there are no segments.
    """
    if not columns.sources:
        raise ValueError("sources, predictions, references: got no segments, wanted at least one")
    steps: list[Step] = []
    counted: list[SegmentCounts] = []
    walk = [(None, None, None, first.variant), *ablation_steps(first.variant, last.variant)]
    for choice, before, after, variant in walk:
        settings = Settings(variant=variant, threads=first.threads)
        if choice in (None, "text", "counting"):  # all else is made of the same counts
            counted = list(count_columns(*columns, settings))
        state = State(settings)
        for counts in counted:
            state.accumulate(counts)
        scores = state.scores()
        change = scores["sari"] - steps[-1]["sari"] if steps else None
        steps.append({"choice": choice, "before": before, "after": after, **scores, "change": change})
    nrefs = set(map(len, columns.references))
    return {
        "variant_a": first.variant.name,
        "variant_b": last.variant.name,
        "signature_a": first.signature(nrefs),
        "signature_b": last.signature(nrefs),
        "steps": steps,
    }


def _counted(
    sources: list[str], systems: Sequence[list[str]], references: list[list[str]], settings: Settings
) -> Iterator[list[SegmentCounts]]:
    return count_systems(prepare(sources, references, settings, systems), systems, settings)


def _add_statistics(
    results: dict[str, SystemResult], states: dict[str, State], baseline: str, resampling: Resampling
) -> None:
    """Add intervals, differences and p-values to the results of systems."""
    rows = np.stack([state.rows() for state in states.values()], axis=1)
    statistic, place = states[baseline].scores_of_sums, list(states).index(baseline)
    how = {"resamples": resampling.resamples, "seed": resampling.seed}
    if resampling.confidence is not None or resampling.method == "bootstrap":
        drawn = bootstrap(rows, statistic, **how)
    if resampling.confidence is not None:
        ends = interval(drawn, confidence=resampling.confidence).swapaxes(0, 1)
        for result, own in zip(results.values(), ends, strict=True):
            result["confidence_intervals"] = named_scores(own.T)
    if resampling.method is None:
        return
    if resampling.method == "bootstrap":
        differences = drawn - drawn[:, [place]]
    else:
        differences = np.subtract(*randomization(rows, statistic, baseline=place, **how))
    scores = observed(rows, statistic)
    p_values = P_VALUES[resampling.method](differences, scores - scores[place])
    if len(rows) == 1:  # which says nothing about chance, but no bootstrap can tell
        p_values = np.ones_like(p_values)
    for (name, result), own in zip(results.items(), p_values, strict=True):
        if name != baseline:
            gains = [result[score] - results[baseline][score] for score in SCORES]
            result["differences"] = named_scores(np.array(gains))
            result["p_values"] = named_scores(own)
