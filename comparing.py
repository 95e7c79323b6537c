"""Side by side: systems, with tests and baselines, candidates, and variants, with why they differ."""

from dataclasses import replace
from itertools import chain, combinations, islice
from math import fsum
from typing import Any, TypedDict, cast

import numpy as np

from .counting import (
    SegmentCounts,
    count_against_each_other,
    count_candidates,
    count_columns,
    count_systems,
    count_together,
    prepare,
)
from .data_warnings import check_resampling, merge_warnings
from .inputs import Columns, SystemColumns, unrelated_texts, validate_texts
from .options import Resampling, Settings, check_flags
from .resampling import TESTS, Sample, holm, interval
from .results import Result, Scores, named_scores
from .state import State, segment_scores, state_of
from .variants import SCORES, ablation_steps

#: A difference whose corrected p-value is below this is significant.
SIGNIFICANT = 0.05


class _Tested(TypedDict, total=False):
    differences: Scores
    p_values: Scores
    corrected_p_values: Scores
    group: int
    rank: list[int]


class SystemResult(Result, _Tested):
    """The result of a system.

    But for the baseline, and where there is a test, with differences and p-values; where each system is compared with
    each, with its group and its range of ranks instead.
    """


class Pair(TypedDict):
    """Two systems compared: the scores of the first less those of the second."""

    systems: list[str]
    differences: Scores
    p_values: Scores
    corrected_p_values: Scores


class _Pairs(TypedDict, total=False):
    pairs: list[Pair]


class Comparison(_Pairs):
    """Several systems, compared with one of them or each with each: see `compare`."""

    baseline: str | None
    method: str | None
    confidence: float | None
    resamples: int
    trials: int | None
    seed: int
    comparisons: int
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


class Prepared:
    """Sources and references that are tokenized and counted once, for any number of predictions.

    Attributes:
        settings: how segments are scored.
        sources, references: that have been checked.
    """

    def __init__(self, sources: list[str], references: list[list[str]], settings: Settings):
        """Count what all predictions will have in common."""
        self.settings, self.sources, self.references = settings, sources, references
        self._chunks = list(prepare(sources, references, settings))

    def compute(self, predictions: Any, *, details: bool = False) -> Result:
        """Return the scores of predictions: the same, to the last bit, as those of `Sari.compute`.

        Args:
            predictions: one text per source.
            details: whether to add the signature, the figures per order and the scores per segment.

        Raises:
            ValueError, TypeError: for bad input, in one line.
        """
        check_flags(details=details)
        return self.state(predictions, sentences=details).compute(details=details)

    def state(self, predictions: Any, *, sentences: bool = False, resampling: bool = False) -> State:
        """Return the state of predictions; see `State`."""
        predictions = validate_texts("predictions", predictions)
        if len(predictions) != len(self.sources):
            raise ValueError(
                f"predictions: got {len(predictions)} rows, wanted {len(self.sources)}, as many as sources"
            )
        counted = chain.from_iterable(count_systems(self._chunks, [predictions], self.settings))
        columns = Columns(self.sources, predictions, self.references)
        return state_of(columns, self.settings, counted=counted, sentences=sentences, resampling=resampling)


def score_systems(
    columns: SystemColumns, settings: Settings, *, sentences: bool = False, resampling: bool = False
) -> dict[str, State]:
    """Return the state of each system, by name; sources and references are tokenized once for all of them."""
    states = {name: State(settings, sentences=sentences, resampling=resampling) for name in columns.predictions}
    for name, state in states.items():
        state.observe(columns.of(name))
    for chunk in count_together(columns.sources, list(columns.predictions.values()), columns.references, settings):
        for state, counts in zip(states.values(), chunk, strict=True):
            state.accumulate(counts)
    return states


def compare(
    states: dict[str, State],
    *,
    baseline: str | None = None,
    resampling: Resampling,
    details: bool = False,
    all_pairs: bool = False,
) -> Comparison:
    """Test whether systems differ from one of them, the baseline, or each from each.

    Args:
        states: of each system, by name, of the same segments; made with `resampling=True` if that is wanted.
        baseline: the name of the system that the others are compared with; the first where it is None.
        resampling: how intervals and p-values are made.
        details: whether to add the details of each result.
        all_pairs: whether to compare each system with each, and sort them by score.

    Raises:
        ValueError: for a baseline that is no system, for all pairs with a baseline or without a test, and where there
            are no segments.
    """
    check_compared(list(states), baseline, resampling, all_pairs)
    if all_pairs:
        states = dict(sorted(states.items(), key=lambda item: -item[1].scores()["sari"]))
    first = next(iter(states.values()))
    baseline = None if all_pairs else baseline or next(iter(states))
    names, plain = list(states), replace(resampling, confidence=None)
    pairs = [*combinations(names, 2)] if baseline is None else [(name, baseline) for name in names if name != baseline]
    if resampling.method is not None and resampling.trials is None:
        resampling = replace(resampling, trials=TESTS[resampling.method].resamples_for(len(pairs)))
    results = {
        name: cast(SystemResult, state.result(details=details, resampling=plain)) for name, state in states.items()
    }
    comparison: Comparison = {
        "baseline": baseline,
        "method": resampling.method,
        "confidence": resampling.confidence,
        "resamples": resampling.resamples,
        "trials": resampling.trials if resampling.method else None,
        "seed": resampling.seed,
        "comparisons": len(pairs) if resampling.method else 0,
        "segments": first.segments,
        "signature": first.signature,
        "systems": results,
    }
    tested = _tested(results, states, pairs, resampling) if resampling.is_wanted else []
    if all_pairs:
        comparison["pairs"] = tested
        rank_systems(results, tested)
    else:
        for pair in tested:
            name, _ = pair["systems"]
            own = {field: value for field, value in pair.items() if field != "systems"}
            results[name].update(cast(SystemResult, own))
    return comparison


def check_compared(names: list[str], baseline: str | None, resampling: Resampling, all_pairs: bool) -> None:
    """Refuse a baseline that is no system, and all pairs with a baseline or without a test (ValueError)."""
    if baseline is not None and baseline not in names:
        raise ValueError(f"baseline: got {baseline!r}, wanted one of {', '.join(names)}")
    if all_pairs and baseline is not None:
        raise ValueError(f"baseline: got {baseline!r} with all_pairs=True, wanted None")
    if all_pairs and resampling.method is None:
        raise ValueError(f"method: got None with all_pairs=True, wanted one of {', '.join(TESTS)}")


def comparison_warnings(states: dict[str, State], comparison: Comparison) -> list[Warning]:
    """Return what there is to say about compared systems, and about intervals and tests of them."""
    tests, trials = bool(comparison["comparisons"]), comparison["trials"] or 0
    of_resampling = check_resampling(
        comparison["segments"],
        intervals=comparison["confidence"] is not None,
        tests=tests,
        smallest_p_value=comparison["comparisons"] / (trials + 1),
    )
    return [*merge_warnings({name: state.warnings() for name, state in states.items()}), *of_resampling]


def correct_together(comparisons: list[Comparison]) -> None:
    """Correct the p-values of a table of several variants for all the comparisons in it."""
    if len(comparisons) < 2:
        return
    tested: list[Any] = [
        row
        for comparison in comparisons
        for row in [*comparison.get("pairs", ()), *comparison["systems"].values()]
        if "p_values" in row
    ]
    if not tested:
        return
    corrected = holm(np.array([[row["p_values"][score] for score in SCORES] for row in tested]))
    for row, own in zip(tested, corrected, strict=True):
        row["corrected_p_values"] = named_scores(own)
    for comparison in comparisons:
        comparison["comparisons"] = len(tested)
        if "pairs" in comparison:
            rank_systems(comparison["systems"], comparison["pairs"])


def rank_systems(results: dict[str, SystemResult], pairs: list[Pair]) -> None:
    """Add groups and ranges of ranks to systems that are sorted by score, as WMT's findings do for people's scores.

    A group ends where each system so far is significantly better than each that follows. A system's ranks run from one
    more than the number of systems that are significantly better to that of those that it is not better than itself.
    Barrault et al. 2019, Findings of the 2019 Conference on Machine Translation, section 3; Kocmi et al. 2023.
    """
    names = list(results)
    apart = {
        frozenset(pair["systems"])
        for pair in pairs
        if pair["corrected_p_values"]["sari"] < SIGNIFICANT and pair["differences"]["sari"]
    }
    group = 1
    for place, name in enumerate(names):
        above, below = names[:place], names[place + 1 :]
        if place and all(frozenset((one, other)) in apart for one in above for other in names[place:]):
            group += 1
        losses = sum(frozenset((name, other)) in apart for other in above)
        wins = sum(frozenset((name, other)) in apart for other in below)
        results[name]["group"] = group
        results[name]["rank"] = [losses + 1, len(names) - wins]


def baseline_scores(sources: list[str], references: list[list[str]], settings: Settings) -> dict[str, Scores]:
    """Score what any system should be held against.

    Args:
        sources, references: that have been checked.
        settings: how to score.

    Returns:
        The four scores of "copy", the sources themselves; of "empty", outputs of no words; of "unrelated", the first
        reference of the next segment, where there is one; and, where all segments have at least two references, of
        "reference 1" and so on, each against the others, and of "references", their mean. The latter have one reference
        less to be scored by, so that they are a little low.

    Raises:
        ValueError: where there are no segments.
    """
    if not sources:
        raise ValueError("sources, references: got no segments, wanted at least one")

    def scores(predictions: dict[str, list[str]], references: list[list[str]]) -> dict[str, Scores]:
        states = score_systems(SystemColumns(sources, predictions, references), settings)
        return {name: state.scores() for name, state in states.items()}

    unrelated = {"unrelated": unrelated_texts(references)} if len(sources) > 1 else {}
    found = scores({"copy": sources, "empty": [""] * len(sources), **unrelated}, references)
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
    scores = (segment_scores(chunk, settings)[:, 0].tolist() for chunk in chunks)
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
        scores = segment_scores(count_against_each_other(source, row, settings), settings)[..., 0]
        others = scores[~np.eye(len(row), dtype=bool)].reshape(len(row), -1)
        expected = [fsum(own) / len(own) for own in others.tolist()]  # the same for equals, whatever the order
        place = expected.index(max(expected))
        chosen["texts"].append(row[place])
        chosen["places"].append(place)
        chosen["expected"].append(expected)
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
        asks_more = settings.penalties is not None and any(counts.sizes is None for counts in counted)
        if choice in (None, "text", "counting") or asks_more:  # all else is made of the same counts
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


def _tested(
    results: dict[str, SystemResult], states: dict[str, State], names: list[tuple[str, str]], resampling: Resampling
) -> list[Pair]:
    """Add intervals to the results of systems, and return the tests of pairs of them, if there are to be any."""
    rows = np.stack([state.rows() for state in states.values()], axis=1)
    sample = Sample(rows, next(iter(states.values())).scores_of_sums, resampling.seed)
    if resampling.confidence is not None and len(rows) > 1:
        ends = interval(sample.bootstrap(resampling.resamples), confidence=resampling.confidence).swapaxes(0, 1)
        for result, own in zip(results.values(), ends, strict=True):
            result["confidence_intervals"] = named_scores(own.T)
    if resampling.method is None or resampling.trials is None or not names:
        return []
    places = {name: place for place, name in enumerate(results)}
    pairs = np.array([[places[one], places[other]] for one, other in names])
    if len(rows) > 1:
        p_values = TESTS[resampling.method].p_values(sample, pairs, resampling.trials)
    else:  # which says nothing about chance, but no bootstrap can tell
        p_values = np.ones((len(pairs), len(SCORES)))
    return [
        {
            "systems": [one, other],
            "differences": named_scores(np.array([results[one][score] - results[other][score] for score in SCORES])),
            "p_values": named_scores(own),
            "corrected_p_values": named_scores(corrected),
        }
        for (one, other), own, corrected in zip(names, p_values, holm(p_values), strict=True)
    ]
