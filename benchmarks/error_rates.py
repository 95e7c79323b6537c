"""Measure false-positive rates of paired tests, and the coverage of intervals, by the number of segments.

    python benchmarks/error_rates.py --variant easse

Samples of made-up segments are drawn with replacement. 5% of the tests of equal systems should be significant at 5%.
Systems are equal in two ways. In each segment, the outputs of two systems change places at random ("swaps"). Or a
system is compared with one of the same score but of another variance ("unequal"): references of other segments, with as
many first references of their own among them as it takes. The true score is that of all segments: 95% of the intervals
should contain it.
"""

import argparse
import sys
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from as_package import make_importable

make_importable()

from sari.benchmarks.made_up_corpora import made_up  # noqa: E402
from sari.comparison import unrelated_texts  # noqa: E402
from sari.corpus_statistics import CorpusStatistics, score_systems  # noqa: E402
from sari.significance import TESTS, Sample, resolve_resampling  # noqa: E402
from sari.validation import SystemColumns  # noqa: E402
from sari.variants import Variant, resolve_variant  # noqa: E402

_SIZES = (5, 10, 20, 50, 100, 359)
_PAIR = np.array([[1, 0]])
_LEVEL = 0.05


def main() -> None:
    """Print a row for each number of segments."""
    options = _parsed()
    variant = resolve_variant(options.variant)
    columns = _made_up_systems()
    unequal = _with_references(columns, unrelated_texts(columns.references), variant, options.seed)
    nulls = {"swaps": columns, "unequal": unequal}
    systems = {name: score_systems(texts, variant, rows=True) for name, texts in nulls.items()}
    margin = 196 * (_LEVEL * (1 - _LEVEL) / options.trials) ** 0.5
    print(f"{options.variant}, {len(columns.sources):,} segments, {options.trials} samples")
    for name, corpora in systems.items():
        one, other = (corpus.scores()["sari"] for corpus in corpora.values())
        print(f"{name}: SARI {one:.2f} and {other:.2f}")
    print(
        f"tests that are significant at 5% (expected of equal systems: 5 ± {margin:.1f}), and coverage of 95% intervals"
    )
    heads = [f"{name} {test[:4]}" for name in systems for test in TESTS]
    print(f"{'segments':>8}  " + "  ".join(f"{head:>13}" for head in [*heads, "coverage"]))
    for size in options.segments:
        shares = [share for name in systems for share in _significant(systems[name], name, size, options)]
        shares.append(_covering(systems["swaps"]["one"], size, options))
        print(f"{size:>8}  " + "  ".join(f"{share:>13.1%}" for share in shares), flush=True)


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--variant", default="easse")
    parser.add_argument("--segments", type=int, nargs="+", default=_SIZES)
    parser.add_argument("--trials", type=int, default=1_000, help="samples for each number of segments")
    parser.add_argument("--resamples", type=int, default=999)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _made_up_systems() -> SystemColumns:
    """Return made-up texts of two systems, "one" and "other"."""
    corpus = made_up(2_000, references=4, tokens=20)
    systems = {"one": corpus.predictions, "other": [row[0] for row in corpus.references]}
    return SystemColumns(corpus.sources, systems, [row[1:] for row in corpus.references])


def _with_references(columns: SystemColumns, texts: list[str], variant: Variant, seed: int) -> SystemColumns:
    """Return the first system, and texts with as many first references as give them its score."""
    order = np.random.default_rng(seed).permutation(len(texts))

    def mixed(number: int) -> SystemColumns:
        chosen = set(order[:number].tolist())
        other = [row[0] if place in chosen else texts[place] for place, row in enumerate(columns.references)]
        return columns._replace(predictions={"one": columns.predictions["one"], "other": other})

    def score(number: int, name: str = "other") -> float:
        return score_systems(mixed(number), variant)[name].scores()["sari"]

    return mixed(bisect_right(range(len(texts)), score(0, "one"), key=score) - 1)


def _significant(
    systems: dict[str, CorpusStatistics], null: str, size: int, options: argparse.Namespace
) -> list[float]:
    """Return the share of significant results of each test."""
    pool = np.stack([system.rows() for system in systems.values()], axis=1)
    draws = np.random.default_rng(options.seed)
    significant = np.zeros(len(TESTS))
    for trial in range(options.trials):
        rows = pool[draws.integers(0, len(pool), size)]
        if null == "swaps":
            swaps = draws.integers(0, 2, size).astype(bool)
            rows[swaps] = rows[swaps][:, ::-1]
        sample = Sample(rows, _scores_of(systems["one"], size), trial)
        p_values = [test.p_values(sample, _PAIR, options.resamples)[0, 0] for test in TESTS.values()]
        significant += np.array(p_values) < _LEVEL
    return (significant / options.trials).tolist()


def _covering(corpus: CorpusStatistics, size: int, options: argparse.Namespace) -> float:
    """Return the share of intervals that contain the true score."""
    pool, truth = corpus.rows()[:, None], corpus.scores()["sari"]
    draws = np.random.default_rng(options.seed)
    resampling = resolve_resampling(confidence=1 - _LEVEL, resamples=options.resamples)
    covering = 0
    for trial in range(options.trials):
        rows = pool[draws.integers(0, len(pool), size)]
        low, high = Sample(rows, _scores_of(corpus, size), trial).intervals(resampling)[:, 0, 0]
        covering += int(low <= truth <= high)
    return covering / options.trials


def _scores_of(corpus: CorpusStatistics, size: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda sums: corpus.scores_of_sums(sums, segments=size)[..., :1]


if __name__ == "__main__":
    main()
