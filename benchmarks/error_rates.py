"""Measure false-positive rates of paired tests, and the coverage of intervals, by the number of segments.

    python benchmarks/error_rates.py
    python benchmarks/error_rates.py --sources S --outputs A B --references R [R ...] --variant easse

Samples of segments are drawn with replacement. In each segment, the outputs of two systems change places at random, so
that the systems are equal: 5% of the tests should be significant at 5%. The true score is that of all segments: 95% of
the intervals should contain it. Without files, the segments are made up.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from as_package import make_importable

make_importable()

from sari.benchmarks.made_up_corpora import made_up  # noqa: E402
from sari.comparison import score_systems  # noqa: E402
from sari.significance import TESTS, Sample, resolve_resampling  # noqa: E402
from sari.state import CorpusStatistics  # noqa: E402
from sari.text_files.reading import gather, open_texts  # noqa: E402
from sari.validation import SystemColumns  # noqa: E402
from sari.variants import resolve_variant  # noqa: E402

_SIZES = (5, 10, 20, 50, 100, 200, 400)
_PAIR = np.array([[1, 0]])
_LEVEL = 0.05


def main() -> None:
    """Print a row for each number of segments."""
    options = _options()
    systems = score_systems(_columns(options), resolve_variant(options.variant), rows=True)
    corpus = systems["one"]
    pool = np.stack([system.rows() for system in systems.values()], axis=1)
    margin = 196 * (_LEVEL * (1 - _LEVEL) / options.trials) ** 0.5
    print(f"{options.variant}, {len(pool):,} segments to draw from, {options.trials} samples, seed {options.seed}")
    print(f"equal systems called different at 5% (expected: 5 ± {margin:.1f}), and intervals that have the true score")
    print(f"{'segments':>8}  " + "  ".join(f"{name:>13}" for name in [*TESTS, "95% intervals"]))
    for size in options.segments:
        shares = _shares(pool, corpus, size, options)
        print(f"{size:>8}  " + "  ".join(f"{share:>13.1%}" for share in shares), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--sources")
    parser.add_argument("--outputs", nargs=2)
    parser.add_argument("--references", nargs="+")
    parser.add_argument("--variant", default="hf")
    parser.add_argument("--segments", type=int, nargs="+", default=_SIZES)
    parser.add_argument("--trials", type=int, default=1_000, help="samples for each number of segments")
    parser.add_argument("--resamples", type=int, default=999)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _columns(options: argparse.Namespace) -> SystemColumns:
    if options.sources is None:
        made = made_up(2_000, references=4, tokens=20)
        systems = {"one": made.predictions, "other": [row[0] for row in made.references]}
        return SystemColumns(made.sources, systems, [row[1:] for row in made.references])
    corpus = open_texts(options.sources, options.outputs, options.references)
    return gather(corpus.batches(), ["one", "other"])


def _shares(pool: np.ndarray, corpus: CorpusStatistics, size: int, options: argparse.Namespace) -> list[float]:
    """Return the share of significant results of each test, and the share of intervals that contain the true score."""
    truth = corpus.scores()["sari"]
    draws = np.random.default_rng(options.seed)
    significant, covering = np.zeros(len(TESTS)), 0
    for trial in range(options.trials):
        rows = pool[draws.integers(0, len(pool), size)]
        swaps = draws.integers(0, 2, size).astype(bool)
        shuffled = rows.copy()
        shuffled[swaps] = rows[swaps][:, ::-1]

        def scores(sums: np.ndarray) -> np.ndarray:
            return corpus.scores_of_sums(sums, segments=size)[..., :1]

        sample = Sample(shuffled, scores, trial)
        p_values = [test.p_values(sample, _PAIR, options.resamples)[0, 0] for test in TESTS.values()]
        significant += np.array(p_values) < _LEVEL
        how = resolve_resampling(confidence=1 - _LEVEL, resamples=options.resamples)
        low, high = Sample(rows, scores, trial).intervals(how)[:, 0, 0]
        covering += int(low <= truth <= high)
    return [*(significant / options.trials).tolist(), covering / options.trials]


if __name__ == "__main__":
    main()
