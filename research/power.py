"""What differences between real systems paired tests find: research/power.csv, and a table of docs/statistics.md.

For each variant and difference, 60 random pairs of BLESS's runs of different models are taken whose scores on ASSET
differ by it, give or take .2 points. Their 359 segments are the population: samples are drawn from it with replacement,
and each is tested.

A row has the standard error of the difference, as the 10th, 50th and 90th percentile of the pairs that differ by one
point; the true difference that is significant in 80% of the samples, 2.8 times the median; and by the name of each test
the share of samples that are significant at 5%, for differences of 1, 2 and 3 points. `observed` says how many of the
pairs that differ by one point do so significantly by randomization, on all segments.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

from sari.corpus_statistics import CorpusStatistics, score_systems
from sari.reports.published_systems import FILE as SYSTEMS
from sari.research.files import DOCS, TEST_SETS, Study, formatted, read_runs, read_table, read_test_set
from sari.significance import SIGNIFICANT, TESTS, Sample
from sari.validation import SystemColumns
from sari.variants import resolve_variant

FILE = Path(__file__).with_name("power.csv")

_MEASURED, _METHODS = ("easse", "set", "hf"), ("randomization", "bootstrap")
_DIFFERENCES, _SAMPLE_SIZES = (1, 2, 3), (100, 359)

#: How near a pair's difference is to the wanted one; the numbers of pairs, of samples of each, and of resamples.
_TOLERANCE, _PAIRS_OF_RUNS, _SAMPLES, _RESAMPLES = 0.2, 60, 5, 499

#: One test: of the first system and the second.
_BOTH = np.array([[0, 1]])


def measure_power(folder: Path) -> pd.DataFrame:
    """Test samples of pairs of runs."""
    ranked = read_table(SYSTEMS).query("test_set == 'ASSET' and kind == 'system'")["outputs"]
    sources, references = read_test_set(folder, *TEST_SETS["ASSET"])
    of_models = [read_runs(folder, pattern, sources) for pattern in ranked if "/BLESS/" in pattern]
    models = [model for model, runs in enumerate(of_models) for _ in runs]
    columns = SystemColumns(sources, {path: texts for runs in of_models for path, texts in runs.items()}, references)
    candidates = np.array([pair for pair in combinations(range(len(models)), 2) if models[pair[0]] != models[pair[1]]])
    draws, rows = np.random.default_rng(12345), []
    for variant in _MEASURED:
        corpora = list(score_systems(columns, resolve_variant(variant), rows=True).values())
        scores = np.array([corpus.scores()["sari"] for corpus in corpora])
        sizes = np.abs(scores[candidates[:, 0]] - scores[candidates[:, 1]])
        near = {size: candidates[np.abs(sizes - size) <= _TOLERANCE] for size in _DIFFERENCES}
        pairs = {size: draws.choice(places, _PAIRS_OF_RUNS, replace=False) for size, places in near.items()}
        rows += [{"variant": variant} | _measured(corpora, pairs, size, draws) for size in _SAMPLE_SIZES]
    return pd.DataFrame(rows)


def _measured(
    corpora: list[CorpusStatistics], pairs: dict[int, np.ndarray], segments: int, draws: np.random.Generator
) -> dict[str, str]:
    """Return the row of a variant and a number of segments."""
    population = np.stack([corpus.rows() for corpus in corpora], axis=1)

    def sample(rows: np.ndarray, seed: int) -> Sample:
        return Sample(rows, lambda sums: corpora[0].scores_of_sums(sums, len(rows))[..., :1], seed)

    observed = [sample(population[:, pair], 1) for pair in pairs[_DIFFERENCES[0]]]
    errors = [np.diff(each.resampled(_RESAMPLES)[..., 0], axis=1).std() for each in observed]
    low, median, high = np.percentile(errors, [10, 50, 90]) * np.sqrt(len(population) / segments)
    detectable = (stats.norm.ppf(1 - SIGNIFICANT / 2) + stats.norm.ppf(0.8)) * median
    row = {
        "segments": str(segments),
        "pairs": str(_PAIRS_OF_RUNS),
        "observed": f"{_significant_share(observed, 'randomization') * _PAIRS_OF_RUNS:.0f}",
        "error_low": f"{low:.3f}",
        "error": f"{median:.3f}",
        "error_high": f"{high:.3f}",
        "found": f"{detectable:.3f}",
    }
    for difference, places in pairs.items():
        samples = [
            sample(population[draws.integers(0, len(population), segments)][:, pair], int(draws.integers(1 << 32)))
            for pair in tqdm(places, disable=None, leave=False)
            for _ in range(_SAMPLES)
        ]
        row |= {f"{name} {difference}": f"{_significant_share(samples, name):.4f}" for name in _METHODS}
    return row


def _significant_share(samples: list[Sample], test: str) -> float:
    """Return the share of samples in which the two systems differ significantly."""
    return np.mean([TESTS[test].p_values(each, _BOTH, _RESAMPLES)[0, 0] < SIGNIFICANT for each in samples])


def power_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the table of the page."""
    table = {
        "variant": "`" + rows["variant"] + "`",
        "segments": rows["segments"],
        "standard error": formatted("{:.2f}–{:.2f}", rows["error_low"], rows["error_high"]),
        "found in 80%": formatted("{:.2f}", rows["found"]),
    }
    for size in _DIFFERENCES:
        shares = [rows[f"{name} {size}"] for name in _METHODS]
        table[f"{size} point{'s' * (size > 1)}"] = formatted(", ".join(["{:.0%}"] * len(shares)), *shares)
    return {"power": pd.DataFrame(table)}


STUDY = Study(FILE, power_tables, [DOCS / "statistics.md"], measure_power)
