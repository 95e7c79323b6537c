"""Measure what differences between real systems paired tests find: research/power.csv, a table of docs/statistics.md.

    python research/power.py                     prints the table
    python research/power.py FOLDER --store      measures it again, and writes both files

FOLDER has checkouts of ZurichNLP/BLESS, and of feralvam/easse for ASSET. For each variant and difference, 60 random
pairs of BLESS's runs of different models are taken whose scores on ASSET differ by it, give or take .2 points. Their
359 segments are the population: samples are drawn from it with replacement, and each is tested.

A row has the standard error of the difference, as the 10th, 50th and 90th percentile of the pairs that differ by one
point; the difference that is found in 80% of the cases, 2.8 times the median; and by the name of each test the share of
samples that are significant at 5%, for differences of 1, 2 and 3 points. `observed` says how many of the pairs that
differ by one point do so significantly by randomization, on all segments.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.comparison import score_systems  # noqa: E402
from sari.corpus_statistics import CorpusStatistics  # noqa: E402
from sari.reports.published_systems import FILE as SYSTEMS  # noqa: E402
from sari.research.collections_of_ratings import ASSET  # noqa: E402
from sari.research.files import read_runs, read_table, read_test_set, run  # noqa: E402
from sari.significance import TESTS, Sample  # noqa: E402
from sari.validation import SystemColumns  # noqa: E402
from sari.variants import SIGNIFICANT, resolve_variant  # noqa: E402

FILE = Path(__file__).with_name("power.csv")

_VARIANTS, _DIFFERENCES, _SEGMENTS = ("easse", "set", "hf"), (1, 2, 3), (100, 359)

#: How near a pair's difference is to the wanted one; the numbers of pairs, of samples of each, and of resamples.
_NEAR, _PAIRS, _SAMPLES, _RESAMPLES = 0.2, 60, 5, 499

#: One test: of the first system and the second.
_BOTH = np.array([[0, 1]])


def measure_power(folder: Path) -> pd.DataFrame:
    """Test samples of pairs of runs."""
    described = read_table(SYSTEMS).query("test_set == 'ASSET' and outputs.str.contains('/BLESS/')")
    sources, references = read_test_set(folder, *ASSET)
    runs: dict[str, list[str]] = {}
    models: list[str] = []
    for name, pattern in zip(described["name"], described["outputs"], strict=True):
        runs |= read_runs(folder, pattern, sources)
        models += [name] * (len(runs) - len(models))
    others = np.array([(one, two) for one, two in combinations(range(len(runs)), 2) if models[one] != models[two]])
    draws, rows = np.random.default_rng(12345), []
    for variant in _VARIANTS:
        scored = score_systems(SystemColumns(sources, runs, references), resolve_variant(variant), rows=True)
        corpora = list(scored.values())
        scores = np.array([corpus.scores()["sari"] for corpus in corpora])
        sizes = np.abs(scores[others[:, 0]] - scores[others[:, 1]])
        near = {size: others[np.abs(sizes - size) <= _NEAR] for size in _DIFFERENCES}
        pairs = {size: draws.choice(own, _PAIRS, replace=False) for size, own in near.items()}
        rows += [{"variant": variant} | _measured(corpora, pairs, size, draws) for size in _SEGMENTS]
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
    found = (stats.norm.ppf(1 - SIGNIFICANT / 2) + stats.norm.ppf(0.8)) * median
    row = {
        "segments": str(segments),
        "pairs": str(_PAIRS),
        "observed": str(_significant(observed, "randomization").sum()),
    }
    row |= {"error_low": f"{low:.3f}", "error": f"{median:.3f}", "error_high": f"{high:.3f}", "found": f"{found:.3f}"}
    for difference, own in pairs.items():
        samples = [
            sample(population[draws.integers(0, len(population), segments)][:, pair], int(draws.integers(1 << 32)))
            for pair in tqdm(own, disable=None, leave=False)
            for _ in range(_SAMPLES)
        ]
        row |= {f"{name} {difference}": f"{_significant(samples, name).mean():.4f}" for name in TESTS}
    return row


def _significant(samples: list[Sample], test: str) -> np.ndarray:
    return np.array([TESTS[test].p_values(each, _BOTH, _RESAMPLES)[0, 0] for each in samples]) < SIGNIFICANT


def page_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the table of the page."""
    table = pd.DataFrame({"variant": "`" + rows["variant"] + "`", "segments": rows["segments"]})
    table["standard error"] = [
        f"{float(low):.2f}–{float(high):.2f}" for low, high in zip(rows["error_low"], rows["error_high"], strict=True)
    ]
    table["found in 80%"] = rows["found"].astype(float).map("{:.2f}".format)
    for size in _DIFFERENCES:
        shares = [rows[f"{name} {size}"].astype(float).map("{:.0%}".format) for name in TESTS]
        table[f"{size} point{'s' * (size > 1)}"] = shares[0].str.cat(shares[1:], sep=", ")
    return {"power": table}


if __name__ == "__main__":
    run(__doc__, file=FILE, page="statistics.md", compute=measure_power, tables=page_tables)
