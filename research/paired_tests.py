"""What paired tests find between real outputs on ASSET: research/paired_tests.csv, and tables of docs/statistics.md.

Most figures are of samples. For each variant and difference, 60 random pairs of BLESS's runs of different models are
taken whose scores differ by it, give or take .2 points, or .05 for equal scores. Their 359 segments are the population:
samples are drawn from it with replacement, and each is tested. `value` is

- `swapped: TEST`, `equal: TEST`: the share of samples that are significant at 5%, of pairs that do not differ: because
  the two systems swap their outputs at random in each segment, or because they have equal scores;
- `coverage`: the share of samples in which the 95% interval of a score contains the score of the population;
- `side by side`: the share of swapped samples in which the test of at least one of the variants is significant;
- `1: TEST` and so on: the share of samples that are significant, for differences of 1, 2 and 3 points;
- `error low`, `error`, `error high`: the standard error of the difference, as the 10th, 50th and 90th percentile of the
  pairs that differ by one point; `found` is the true difference that is significant in 80% of the samples, 2.8 times
  the median;
- `observed`: the share of the pairs that differ by one point which do so significantly on all segments.

The other figures are of runs of one system, which are tested on all segments: `other training` is the share of pairs of
MUSS's trainings with other seeds that differ significantly, `other seed` and `other prompt` that of BLESS's runs of one
model. These tests are by randomization.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

from sari.corpus_statistics import CorpusStatistics, score_systems
from sari.reports.published_systems import FILE as SYSTEMS
from sari.research.files import DOCS, TEST_SETS, Study, formatted, read_runs, read_table, read_test_set
from sari.significance import SIGNIFICANT, TESTS, Sample, resolve_resampling
from sari.validation import SystemColumns
from sari.variants import resolve_variant

FILE = Path(__file__).with_name("paired_tests.csv")

_MEASURED = ("easse", "set", "hf")
_DIFFERENCES, _TOLERANCE, _EQUAL = (1, 2, 3), 0.2, 0.05
_SAMPLE_SIZES, _SIZES_OF_POWER = (10, 100, 359), (100, 359)

#: The numbers of pairs, of samples of each, of samples of each if they do not differ, and of draws of a test.
_PAIRS_OF_RUNS, _SAMPLES, _EQUAL_SAMPLES, _DRAWS = 60, 5, 10, 499

#: One test: of the first system and the second.
_BOTH = np.array([[0, 1]])
_RESAMPLING = resolve_resampling(confidence=1 - SIGNIFICANT, resamples=_DRAWS)


class _Run(NamedTuple):
    """A file of outputs: the publication (BLESS or MUSS), the system, and the prompt and the seed of its name."""

    publication: str
    system: str
    prompt: str
    seed: str


class _Scored(NamedTuple):
    """The statistics of all runs under a variant: float64[segment, run, ...], and the scores of all segments."""

    corpus: CorpusStatistics
    rows: np.ndarray
    scores: np.ndarray

    def sample(self, rows: np.ndarray, seed: int) -> Sample:
        """Return segments of two systems as a sample."""
        return Sample(rows, lambda sums: self.corpus.scores_of_sums(sums, len(rows))[..., :1], seed)


def measure_tests(folder: Path) -> pd.DataFrame:
    """Test samples of pairs of runs, and pairs of runs of one system."""
    runs, columns = _read_runs(folder)
    scored = {name: _scored(columns, name) for name in _MEASURED}
    different = [pair for pair in _pairs(runs, "BLESS") if runs[pair[0]].system != runs[pair[1]].system]
    draws, rows = np.random.default_rng(12345), []
    for variant, own in scored.items():
        pairs = _pairs_by_difference(own, np.array(different), draws)
        for segments in _SAMPLE_SIZES:
            figures = [*_errors(own, pairs["0"], segments, draws)]
            figures += _power(own, pairs, segments, draws) if segments in _SIZES_OF_POWER else []
            rows += [
                {"variant": variant, "segments": segments, "figure": name, "value": value} for name, value in figures
            ]
        for name, chosen in _runs_of_one_system(runs).items():
            samples = [own.sample(own.rows[:, pair], 1) for pair in chosen]
            share = _significant_share(samples, "randomization")
            rows.append({"variant": variant, "segments": len(chosen), "figure": name, "value": share})
    share = _side_by_side(scored, different, draws)
    segments = len(columns.sources)
    rows.append({"variant": ", ".join(scored), "segments": segments, "figure": "side by side", "value": share})
    table = pd.DataFrame(rows)
    return table.assign(segments=table["segments"].astype(str), value=table["value"].map("{:.4f}".format))


def _read_runs(folder: Path) -> tuple[list[_Run], SystemColumns]:
    """Return the ranked runs of BLESS and MUSS on ASSET."""
    ranked = read_table(SYSTEMS).query("test_set == 'ASSET' and kind == 'system'")
    sources, references = read_test_set(folder, *TEST_SETS["ASSET"])
    runs, outputs = [], {}
    for system, pattern in zip(ranked["name"], ranked["outputs"], strict=True):
        publication = re.search("/(BLESS|muss)/", pattern)
        if publication is None:
            continue
        for path, texts in read_runs(folder, pattern, sources).items():
            prompt, seed = (re.search(f"_({letter}\\d+)", Path(path).name) for letter in "ps")
            names = [match[1] if match else path for match in (prompt, seed)]
            runs.append(_Run(publication[1].upper(), system, *names))
            outputs[path] = texts
    return runs, SystemColumns(sources, outputs, references)


def _scored(columns: SystemColumns, variant: str) -> _Scored:
    corpora = list(score_systems(columns, resolve_variant(variant), rows=True).values())
    scores = np.array([corpus.scores()["sari"] for corpus in corpora])
    return _Scored(corpora[0], np.stack([corpus.rows() for corpus in corpora], axis=1), scores)


def _pairs(runs: list[_Run], publication: str) -> list[tuple[int, int]]:
    return [*combinations([place for place, run in enumerate(runs) if run.publication == publication], 2)]


def _runs_of_one_system(runs: list[_Run]) -> dict[str, list[tuple[int, int]]]:
    """Return the pairs of runs of one system that differ in one thing, by figure."""

    def alike(pairs: Iterable[tuple[int, int]], *fields: str) -> list[tuple[int, int]]:
        return [
            pair for pair in pairs if all(len({getattr(runs[place], name) for place in pair}) == 1 for name in fields)
        ]

    of_bless = _pairs(runs, "BLESS")
    return {
        "other training": alike(_pairs(runs, "MUSS"), "system"),
        "other seed": alike(of_bless, "system", "prompt"),
        "other prompt": alike(of_bless, "system", "seed"),
    }


def _pairs_by_difference(scored: _Scored, pairs: np.ndarray, draws: np.random.Generator) -> dict[str, np.ndarray]:
    """Return pairs whose scores are equal ("0"), or differ by 1, 2 or 3 points."""
    sizes = np.abs(scored.scores[pairs[:, 0]] - scored.scores[pairs[:, 1]])
    near = {"0": pairs[sizes <= _EQUAL]}
    near |= {str(size): pairs[np.abs(sizes - size) <= _TOLERANCE] for size in _DIFFERENCES}
    return {name: draws.choice(own, _PAIRS_OF_RUNS, replace=False) for name, own in near.items()}


def _samples(
    scored: _Scored,
    pairs: np.ndarray,
    segments: int,
    number: int,
    draws: np.random.Generator,
    change: Callable[[np.ndarray], np.ndarray] = lambda rows: rows,
) -> list[Sample]:
    """Return samples of each pair, drawn with replacement, whose rows a function may change."""
    samples = []
    for pair in pairs:
        for _ in range(number):
            rows = scored.rows[draws.integers(0, len(scored.rows), segments)][:, pair]
            samples.append(scored.sample(change(rows), int(draws.integers(1 << 32))))
    return samples


def _swapped(rows: np.ndarray, swaps: np.ndarray) -> np.ndarray:
    """Let two systems swap their outputs in some segments."""
    return np.where(swaps.reshape(-1, *[1] * (rows.ndim - 1)), rows[:, ::-1], rows)


def _errors(
    scored: _Scored, pairs: np.ndarray, segments: int, draws: np.random.Generator
) -> Iterator[tuple[str, float]]:
    """Yield the figures of pairs that do not differ."""
    nulls: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "swapped": lambda rows: _swapped(rows, draws.integers(0, 2, len(rows)).astype(bool)),
        "equal": lambda rows: rows,
    }
    for null, change in nulls.items():
        samples = _samples(scored, pairs, segments, _EQUAL_SAMPLES, draws, change)
        for test in TESTS:
            yield f"{null}: {test}", _significant_share(samples, test)
    ends = np.array([sample.intervals(_RESAMPLING)[:, 0, 0] for sample in samples])
    truth = np.repeat(scored.scores[pairs[:, 0]], _EQUAL_SAMPLES)
    yield "coverage", float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))


def _power(
    scored: _Scored, pairs: dict[str, np.ndarray], segments: int, draws: np.random.Generator
) -> Iterator[tuple[str, float]]:
    """Yield the figures of pairs that differ."""
    observed = [scored.sample(scored.rows[:, pair], 1) for pair in pairs["1"]]
    errors = [np.diff(each.resampled(_DRAWS)[..., 0], axis=1).std() for each in observed]
    low, median, high = np.percentile(errors, [10, 50, 90]) * np.sqrt(len(scored.rows) / segments)
    yield from zip(("error low", "error", "error high"), (low, median, high), strict=True)
    yield "found", (stats.norm.ppf(1 - SIGNIFICANT / 2) + stats.norm.ppf(0.8)) * median
    yield "observed", _significant_share(observed, "randomization")
    for difference in map(str, _DIFFERENCES):
        samples = _samples(scored, pairs[difference], segments, _SAMPLES, draws)
        for test in TESTS:
            yield f"{difference}: {test}", _significant_share(samples, test)


def _side_by_side(scored: dict[str, _Scored], pairs: list[tuple[int, int]], draws: np.random.Generator) -> float:
    """Return the share of pairs, which swap outputs at random, that differ significantly under at least one variant."""
    found, segments = [], len(next(iter(scored.values())).rows)
    for _ in range(_PAIRS_OF_RUNS * _EQUAL_SAMPLES):
        pair, seed = pairs[draws.integers(0, len(pairs))], int(draws.integers(1 << 32))
        swaps = draws.integers(0, 2, segments).astype(bool)
        samples = [own.sample(_swapped(own.rows[:, pair], swaps), seed) for own in scored.values()]
        found.append(any(_significant_share([sample], "randomization") for sample in samples))
    return float(np.mean(found))


def _significant_share(samples: list[Sample], test: str) -> float:
    """Return the share of samples in which the two systems differ significantly."""
    bar = tqdm(samples, disable=None, leave=False)
    return float(np.mean([TESTS[test].p_values(each, _BOTH, _DRAWS)[0, 0] < SIGNIFICANT for each in bar]))


def tables_of_tests(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page."""
    cells = rows.pivot_table("value", ["variant", "segments"], "figure", aggfunc="first", sort=False)
    cells = cells.fillna("").reset_index()
    of_samples = cells[cells["coverage"] != ""]
    named = {"variant": "`" + of_samples["variant"] + "`", "segments": of_samples["segments"]}

    def shares(table: pd.DataFrame, name: str) -> list[str]:
        return formatted(", ".join(["{:.0%}"] * len(TESTS)), *(table[f"{name}: {test}"] for test in TESTS))

    errors = named | {
        "outputs swapped": _percent(of_samples, "swapped"),
        "equal scores": _percent(of_samples, "equal"),
        "coverage": formatted("{:.1%}", of_samples["coverage"]),
    }
    of_power = cells[cells["found"] != ""]
    power = {
        "variant": "`" + of_power["variant"] + "`",
        "segments": of_power["segments"],
        "standard error": formatted("{:.2f}–{:.2f}", of_power["error low"], of_power["error high"]),
        "found in 80%": formatted("{:.2f}", of_power["found"]),
        **{f"{size} point{'s' * (size > 1)}": shares(of_power, str(size)) for size in _DIFFERENCES},
    }
    of_runs = rows[rows["figure"].str.startswith("other ")]
    other_runs = of_runs.assign(value=formatted("{:.0%}", of_runs["value"]), variant="`" + of_runs["variant"] + "`")
    other_runs = other_runs.pivot_table("value", ["figure", "segments"], "variant", aggfunc="first", sort=False)
    other_runs = other_runs.reset_index().rename(columns={"figure": "differ in", "segments": "pairs"})
    other_runs["differ in"] = other_runs["differ in"].str.removeprefix("other ")
    return {"false positives": pd.DataFrame(errors), "power": pd.DataFrame(power), "other runs": other_runs}


def _percent(table: pd.DataFrame, null: str) -> list[str]:
    return formatted(", ".join(["{:.1%}"] * len(TESTS)), *(table[f"{null}: {test}"] for test in TESTS))


STUDY = Study(FILE, tables_of_tests, measure_tests, [DOCS / "statistics.md"])
