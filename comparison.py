"""Systems compared with each other and with baselines, and candidates of one source with each other."""

from collections.abc import Iterator
from itertools import combinations, islice
from math import fsum
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from .aggregation import DetailedResult, Intervals, Result, Scores, named_scores, segment_scores
from .corpus_statistics import CorpusStatistics, score_systems
from .data_warnings import SariWarning, merge_warnings
from .messages import RefusedValueError, fault, short_repr
from .ngram_statistics import count_ngrams
from .significance import (
    NO_RESAMPLING,
    SIGNIFICANT,
    TESTS,
    NamedFigures,
    Resampling,
    Sample,
    in_blocks,
    resampling_warnings,
)
from .text_checks import variant_warnings
from .tokenization import encode_corpus, with_caches
from .validation import SystemColumns, check_choice
from .variants import SCORES, Variant

# The references that are scored against the others: as many as any published test set has.
_HELD_OUT = 10
# So many candidates of a source are scored together: n-grams are numbered once, but each sees those of the others.
_AT_ONCE = 8


class PairTest(TypedDict):
    """The test of two systems, of which the second is the baseline."""

    systems: list[str]
    differences: Scores
    difference_intervals: Intervals
    p_values: Scores
    corrected_p_values: Scores


class ComparedSystem(DetailedResult):
    """A system in a comparison: its result, with what was requested of test, groups and ranks."""

    differences: Scores
    difference_intervals: Intervals
    p_values: Scores
    corrected_p_values: Scores
    group: int
    rank: list[int]


class SystemComparison(TypedDict):
    """The comparison of several systems: see `Scorer.compare`; "pairs" is there with `all_pairs`."""

    baseline: str | None
    method: str | None
    confidence: float | None
    intervals: str | None
    resamples: int | None
    trials: int | None
    seed: int
    comparisons: int
    segments: int
    signature: str
    systems: dict[str, ComparedSystem]
    pairs: list[PairTest]


class Chosen(TypedDict):
    """The chosen candidate of each source, and the expected scores of all: see `Scorer.minimum_bayes_risk`."""

    texts: list[str]
    places: list[int]
    expected: list[list[float]]


def check_comparison(names: list[str], baseline: str | None, method: str | None, *, all_pairs: bool) -> None:
    """Refuse a baseline that is no system, and what all pairs cannot have; other arguments are those of `compare`."""
    if baseline is not None:
        check_choice("baseline", baseline, names)
    if all_pairs and baseline is not None:
        raise RefusedValueError(fault("baseline", f"{short_repr(baseline)} with all_pairs=True", "None"))
    if all_pairs and method is None:
        raise RefusedValueError(fault("method", "None with all_pairs=True", f"one of {', '.join(TESTS)}"))


def compare_corpora(
    systems: dict[str, CorpusStatistics],
    *,
    baseline: str | None = None,
    resampling: Resampling,
    details: bool = False,
    all_pairs: bool = False,
) -> SystemComparison:
    """Test whether systems differ, as `Scorer.compare` does.

    The statistics of the systems, by name, are of the same segments, with rows for intervals and tests.
    """
    check_comparison(list(systems), baseline, resampling.method, all_pairs=all_pairs)
    if all_pairs:
        systems = dict(sorted(systems.items(), key=lambda item: -item[1].scores()["sari"]))
    first = next(iter(systems.values()))
    names = list(systems)
    if baseline is None and not all_pairs:
        baseline = names[0]
    pairs = [*combinations(names, 2)] if baseline is None else [(name, baseline) for name in names if name != baseline]
    results: dict[str, Any] = {name: corpus.result(details=details) for name, corpus in systems.items()}
    comparison: Any = {
        "baseline": baseline,
        "method": resampling.method,
        "confidence": resampling.confidence,
        "intervals": None if resampling.confidence is None else "bootstrap",
        "resamples": resampling.resamples_for(first.segments),
        "trials": resampling.trials_for(len(pairs)) if resampling.method else None,
        "seed": resampling.seed,
        "comparisons": len(pairs) if resampling.method else 0,
        "segments": first.segments,
        "signature": first.signature(),
        "systems": results,
    }
    tests: dict[tuple[str, str], NamedFigures] = {}
    if resampling.is_wanted:
        sample = Sample(_blocks_of(systems), first.scores_of_sums, resampling.seed)
        _add_intervals(results, sample, resampling)
        tests = _tests_of_pairs(sample, results, pairs, resampling)
    if all_pairs:
        comparison["pairs"] = [{"systems": list(pair), **fields} for pair, fields in tests.items()]
        rank_systems(results, comparison["pairs"])
    else:
        for (name, _), fields in tests.items():
            results[name].update(fields)
    return comparison


def comparison_warnings(systems: dict[str, CorpusStatistics], comparison: SystemComparison) -> list[SariWarning]:
    """Return the warnings about compared systems, and about their intervals and tests."""
    comparisons, trials = comparison["comparisons"], comparison["trials"]
    smallest_p_value = comparisons / (trials + 1) if trials is not None else 0.0
    is_resampled = comparisons or comparison["confidence"] is not None
    of_resampling = resampling_warnings(comparison["segments"], smallest_p_value) if is_resampled else []
    first, *others = systems.values()
    sources, _, references = first.sample.columns()
    of_variant = list(variant_warnings(first.variant, sources, references)) if others else []
    of_systems = {name: [*corpus.warnings(), *of_variant] for name, corpus in systems.items()}
    return [*merge_warnings(of_systems), *of_resampling]


def rank_systems(results: dict[str, Any], pairs: list[dict[str, Any]]) -> None:
    """Add groups and rank ranges to systems that are sorted by score, as WMT does for human scores.

    See `Scorer.compare` for what they are. Barrault et al. 2019, Findings of the 2019 Conference on Machine
    Translation, section 3; Kocmi et al. 2023.
    """
    places = {name: place for place, name in enumerate(results)}
    differ = np.zeros((len(places), len(places)), bool)
    for pair in pairs:
        one, other = (places[name] for name in pair["systems"])
        is_significant = pair["corrected_p_values"]["sari"] < SIGNIFICANT and pair["differences"]["sari"] != 0
        differ[one, other] = differ[other, one] = is_significant
    group = 1
    for place, result in enumerate(results.values()):
        if place and differ[:place, place:].all():
            group += 1
        losses, wins = int(differ[place, :place].sum()), int(differ[place, place:].sum())
        result["group"], result["rank"] = group, [losses + 1, len(places) - wins]


def unrelated_texts(references: list[list[str]]) -> list[str]:
    """Return for each segment the first reference of the next one; the last segment gets that of the first one.

    >>> unrelated_texts([["a", "b"], ["c"], ["d"]])
    ['c', 'd', 'a']
    """
    first = [row[0] for row in references]
    return first[1:] + first[:1]


def baseline_columns(sources: list[str], references: list[list[str]]) -> list[SystemColumns]:
    """Return the baselines as systems: first those scored with all references, then each reference with the others.

    The first reference as the output of a perfect system has the highest score that an output is likely to get.

    At most `_HELD_OUT` references are scored with the others, so that the time is linear in their number.
    """
    unrelated = {"unrelated": unrelated_texts(references)} if len(sources) > 1 else {}
    perfect = [row[0] for row in references]
    outputs = {"copy": sources, "empty": [""] * len(sources), **unrelated, "perfect": perfect}
    columns = [SystemColumns(sources, outputs, references)]
    width = min(map(len, references))
    for place in range(min(width, _HELD_OUT) if width > 1 else 0):
        others = [row[:place] + row[place + 1 :] for row in references]
        columns.append(SystemColumns(sources, {f"reference {place + 1}": [row[place] for row in references]}, others))
    return columns


def baseline_scores(
    sources: list[str], references: list[list[str]], variant: Variant, resampling: Resampling = NO_RESAMPLING
) -> dict[str, Result]:
    """Score the baselines of checked texts, as `Scorer.baselines` does, and with intervals if there is a confidence.

    Returns:
        By name: "copy", "empty", "unrelated", "perfect", "references" (the mean, and its interval), "reference 1", ...

    Raises:
        ValueError: where there are no segments.
    """
    if not sources:
        raise RefusedValueError(fault("sources, references", "no segments", "at least one"))
    variant = with_caches(variant)  # each reference is scored, and is among the references of all others
    with_all, *held_out = baseline_columns(sources, references)
    systems = score_systems(with_all, variant, rows=resampling.has_intervals)
    people: dict[str, CorpusStatistics] = {}
    for columns in held_out:
        people |= score_systems(columns, variant, rows=resampling.has_intervals)

    def with_mean(scores: np.ndarray) -> np.ndarray:
        """Put the mean of the scores of people, who stand last, before them: float64[..., system, score]."""
        if not people:
            return scores
        of_systems, of_people = np.split(scores, [len(systems)], axis=-2)
        return np.concatenate([of_systems, of_people.mean(axis=-2, keepdims=True), of_people], axis=-2)

    corpora = systems | people
    names = [*systems, *(["references"] if people else []), *people]
    scores = with_mean(np.array([[corpus.scores()[score] for score in SCORES] for corpus in corpora.values()]))
    results = dict(zip(names, map(named_scores, scores), strict=True))
    if resampling.has_intervals:
        scores_of_sums = systems["copy"].scores_of_sums
        sample = Sample(_blocks_of(corpora), lambda sums: with_mean(scores_of_sums(sums)), resampling.seed)
        _add_intervals(results, sample, resampling)
    return results


def candidate_scores(
    sources: list[str], candidates: list[list[str]], references: list[list[str]], variant: Variant
) -> list[list[float]]:
    """Score candidates, given as checked texts, as `Scorer.score_candidates` does."""
    scores = _scores_alone(list(zip(sources, references, candidates, strict=True)), variant)
    return [list(islice(scores, len(row))) for row in candidates]


def minimum_bayes_risk(sources: list[str], candidates: list[list[str]], variant: Variant) -> Chosen:
    """Choose candidates, given as checked texts, as `Scorer.minimum_bayes_risk` does."""
    scores_by_references = _scores_alone(
        [(source, [text], row) for source, row in zip(sources, candidates, strict=True) for text in row], variant
    )
    chosen: Chosen = {"texts": [], "places": [], "expected": []}
    for row in candidates:
        # The scores of all candidates by each as the only reference; no candidate is a reference of itself.
        by_reference = [list(islice(scores_by_references, len(row))) for _ in row]
        expected = []
        for place, scores in enumerate(zip(*by_reference, strict=True)):
            others = [*scores[:place], *scores[place + 1 :]]
            expected.append(fsum(others) / len(others))  # equal for equal candidates
        place = expected.index(max(expected))
        chosen["texts"].append(row[place])
        chosen["places"].append(place)
        chosen["expected"].append(expected)
    return chosen


def _scores_alone(segments: list[tuple[str, list[str], list[str]]], variant: Variant) -> Iterator[float]:
    """Yield the SARI, in percent, of each prediction of a source with its references, each scored alone."""
    runs = [
        (source, references, predictions[begin : begin + _AT_ONCE])
        for source, references, predictions in segments
        for begin in range(0, len(predictions), _AT_ONCE)
    ]
    if not runs:
        return
    sources, references, texts = map(list, zip(*runs, strict=True))
    variant = with_caches(variant)
    # Each column is a system; a run with fewer predictions repeats its first one, whose scores are left out again.
    width = max(map(len, texts))
    columns = list(zip(*(row + row[:1] * (width - len(row)) for row in texts), strict=True))
    numbers = iter(map(len, texts))
    systems = {str(place): list(column) for place, column in enumerate(columns)}
    for tokens in encode_corpus(SystemColumns(sources, systems, references), variant):
        scores = segment_scores(count_ngrams(tokens, variant), variant)[:, 0].reshape(width, -1)
        for of_run in scores.T.tolist():
            yield from of_run[: next(numbers)]


def _blocks_of(systems: dict[str, CorpusStatistics]) -> np.ndarray:
    """Return what is drawn of systems, float64[block, system, ...], summed one by one, which takes less memory."""
    return np.stack([in_blocks(corpus.rows()) for corpus in systems.values()], axis=1)


def _add_intervals(results: dict[str, Any], sample: Sample, resampling: Resampling) -> None:
    """Add the intervals of a sample, if there is a confidence, to the results of its systems, in the same order."""
    for result, intervals in zip(results.values(), sample.named_intervals(SCORES, resampling), strict=True):
        result.update(intervals)


def _tests_of_pairs(
    sample: Sample, results: dict[str, Any], pairs: list[tuple[str, str]], resampling: Resampling
) -> dict[tuple[str, str], NamedFigures]:
    """Return the tests of pairs of systems; none without a method."""
    if resampling.method is None or not pairs:
        return {}
    names = list(results)
    places = [(names.index(one), names.index(other)) for one, other in pairs]
    tests = dict(zip(pairs, sample.named_tests(SCORES, places, resampling), strict=True))
    for (one, other), fields in tests.items():
        # Those of the printed scores: the sample's are of rows on a grid, and may differ in the last bit.
        fields["differences"] = {score: results[one][score] - results[other][score] for score in SCORES}
    return tests
