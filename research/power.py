"""Measure what differences between real systems paired tests find: research/power.csv, a table of docs/statistics.md.

    python research/power.py                     prints the table
    python research/power.py FOLDER --store      measures it again, and writes both files

FOLDER has checkouts of ZurichNLP/BLESS, and of feralvam/easse for ASSET. For each variant and difference, 60 random
pairs of BLESS's runs of different models are taken whose scores on ASSET differ by it, give or take .2 points. Their
359 segments are the population: samples are drawn from it with replacement, and each is tested.

A row has the standard error of the difference, as the 10th, 50th and 90th percentile of the pairs that differ by one
point; the difference that is found in 80% of the cases, 2.8 times the median; and by the name of each test the share of
samples that are significant at 5%, for differences of 1, 2 and 3 points.
"""

import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.comparison import score_systems  # noqa: E402
from sari.reports.published_systems import FILE as SYSTEMS  # noqa: E402
from sari.research.checkouts import read_runs, read_test_set  # noqa: E402
from sari.research.collections_of_ratings import ASSET  # noqa: E402
from sari.research.stored import Row, as_markdown, read_csv, run  # noqa: E402
from sari.significance import TESTS, Sample  # noqa: E402
from sari.validation import SystemColumns  # noqa: E402
from sari.variants import SIGNIFICANT, resolve_variant  # noqa: E402

FILE = Path(__file__).with_name("power.csv")

_VARIANTS, _DIFFERENCES, _SEGMENTS = ("easse", "set", "hf"), (1, 2, 3), (100, 359)

#: How near a pair's difference is to the wanted one; the numbers of pairs, of samples of each, and of resamples.
_NEAR, _PAIRS, _SAMPLES, _RESAMPLES = 0.2, 60, 5, 499

#: From sums of rows and the number of rows to scores.
Statistic = Callable[[np.ndarray, int], np.ndarray]


def measure_power(folder: Path) -> list[Row]:
    """Test samples of pairs of runs.

    Raises:
        FileError: if a file is missing or cannot be read.
    """
    described = [row for row in read_csv(SYSTEMS) if row["test_set"] == "ASSET" and "/BLESS/" in row["outputs"]]
    sources, references = read_test_set(folder, *ASSET)
    found = {row["name"]: read_runs(folder, row["outputs"], sources) for row in described}
    models = [name for name, runs in found.items() for _ in runs]
    runs = {path: outputs for runs in found.values() for path, outputs in runs.items()}
    draws, rows = np.random.default_rng(12345), []
    for variant in _VARIANTS:
        columns = SystemColumns(sources, runs, references)
        scored = list(score_systems(columns, resolve_variant(variant), rows=True).values())
        scores = np.array([corpus.scores()["sari"] for corpus in scored])
        population = np.stack([corpus.rows() for corpus in scored], axis=1)
        others = np.array([pair for pair in combinations(range(len(runs)), 2) if models[pair[0]] != models[pair[1]]])
        sizes = np.abs(scores[others[:, 0]] - scores[others[:, 1]])
        near = {size: others[np.abs(sizes - size) <= _NEAR] for size in _DIFFERENCES}
        pairs = {size: draws.choice(own, _PAIRS, replace=False) for size, own in near.items()}
        rows += [_measured(variant, population, scored[0].scores_of_sums, pairs, size, draws) for size in _SEGMENTS]
    return rows


def _measured(
    variant: str,
    population: np.ndarray,
    scores_of_sums: Statistic,
    pairs: dict[int, np.ndarray],
    segments: int,
    draws: np.random.Generator,
) -> Row:
    """Return the row of a variant and a number of segments."""

    def sample(pair: np.ndarray) -> Sample:
        rows = population[draws.integers(0, len(population), segments)][:, pair]
        return Sample(rows, lambda sums: scores_of_sums(sums, segments)[..., :1], int(draws.integers(1 << 32)))

    errors = []
    for pair in pairs[_DIFFERENCES[0]]:
        drawn = Sample(population[:, pair], lambda sums: scores_of_sums(sums, len(population))[..., :1], 1)
        error = np.diff(drawn.resampled(_RESAMPLES)[..., 0], axis=1).std()
        errors.append(error * np.sqrt(len(population) / segments))
    low, median, high = np.percentile(errors, [10, 50, 90])
    found = (stats.norm.ppf(1 - SIGNIFICANT / 2) + stats.norm.ppf(0.8)) * median
    row = {"variant": variant, "segments": str(segments), "pairs": str(_PAIRS)}
    row |= {"error_low": f"{low:.3f}", "error": f"{median:.3f}", "error_high": f"{high:.3f}", "found": f"{found:.3f}"}
    both = np.array([[0, 1]])
    for difference, own in pairs.items():
        samples = [sample(pair) for pair in tqdm(own, disable=None, leave=False) for _ in range(_SAMPLES)]
        for name, test in TESTS.items():
            p_values = np.array([test.p_values(each, both, _RESAMPLES)[0, 0] for each in samples])
            row[f"{name} {difference}"] = f"{(p_values < SIGNIFICANT).mean():.4f}"
    return row


def page_tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the table of the page."""
    points = [f"{size} point{'s' * (size > 1)}" for size in _DIFFERENCES]
    table = []
    for row in rows:
        shares = [", ".join(f"{float(row[f'{name} {size}']):.0%}" for name in TESTS) for size in _DIFFERENCES]
        low, high, found = (f"{float(row[name]):.2f}" for name in ("error_low", "error_high", "found"))
        table.append([f"`{row['variant']}`", row["segments"], f"{low}–{high}", found, *shares])
    return {"power": as_markdown(["variant", "segments", "standard error", "found in 80%", *points], table)}


if __name__ == "__main__":
    run(__doc__, file=FILE, page="statistics.md", compute=measure_power, tables=page_tables)
