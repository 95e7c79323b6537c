"""Score public outputs of systems under every variant: docs/systems.csv, the tables of docs/systems.md, its picture.

    python research/systems.py                     prints the tables
    python research/systems.py FOLDER --store      computes all rows again, and writes the three files
    python research/systems.py --store             writes tables and picture from docs/systems.csv

FOLDER has checkouts of the repositories that the rows name, each under its own name. A new system is a row of
docs/systems.csv with test set, kind "system", name, year, publication, how it was made, licence of the repository, and
the pattern of its outputs; several files are runs.

A system's score is the mean of those of its runs, and its interval that of the mean: a resample draws the same segments
of all runs. `ranks` are the best and the worst by `easse` that tests of all pairs leave possible.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy import stats
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.comparison import baseline_scores, score_systems  # noqa: E402
from sari.reports.published_systems import FILE, texts_digest  # noqa: E402
from sari.research.checkouts import read_runs, read_test_set  # noqa: E402
from sari.research.collections_of_ratings import ASSET, TURKCORPUS  # noqa: E402
from sari.research.offline_variants import offline_variant  # noqa: E402
from sari.research.stored import DOCS, Row, as_markdown, read_csv, run  # noqa: E402
from sari.significance import Sample, holm, resolve_resampling  # noqa: E402
from sari.validation import SystemColumns  # noqa: E402
from sari.variants import SIGNIFICANT, VARIANTS  # noqa: E402

#: The variant that ranks come from, and the others that the table shows.
RANKED, SHOWN = "easse", ("set", "hf", "xu2016")

#: How often the pairs swap segments; the standard deviation of the differences is then known to within 2%.
TRIALS = 2_000

#: Intervals, and the seed of all random numbers.
_HOW = resolve_resampling(confidence=0.95, resamples=1_000, seed=12345)

#: The variants in the picture, neighbours as similar as can be, and the test set that table and picture show.
DRAWN, DRAWN_SET = ("easse", "lasertagger", "set", "paper", "xu2016", "hf"), "ASSET"

#: Systems that the picture names, with a colour that most colour-blind people can distinguish (Okabe and Ito 2008).
NAMED = {
    "GPT-4o": "#0072b2",
    "gpt-3.5-turbo": "#56b4e9",
    "MUSS (WikiLarge + mined)": "#009e73",
    "ACCESS": "#cc79a7",
    "flan-ul2": "#d55e00",
    "t5-xl-lm-adapt": "#e69f00",
    "references, one by one": "#000000",
    "sources, copied": "#000000",
}

_TESTS = "feralvam/easse/easse/resources/data/test_sets"
_LEGACY = f"{_TESTS}/turkcorpus/legacy/test.8turkers.tok"
_MEDICAL = "ZurichNLP/BLESS/model_outputs_and_evals/ground_truth/med-easi-test.jsonl"

#: The test sets: patterns of sources and references.
TEST_SETS = {
    "ASSET": ASSET,
    "TurkCorpus": TURKCORPUS,
    "TurkCorpus (tokenized)": (f"{_LEGACY}.norm", f"{_LEGACY}.turk.*"),
    "PWKP": (f"{_TESTS}/pwkp/pwkp.test.orig", f"{_TESTS}/pwkp/pwkp.test.simp"),
    "Med-EASi": (_MEDICAL, _MEDICAL),
}

#: The test set whose texts are lowercased: outputs on it are lowercased, too.
LOWERCASED = "TurkCorpus (tokenized)"

#: The baselines that are stored, by the name that `Scorer.baselines` gives them: their kind, and their name in tables.
_BASELINES = {
    "copy": ("copy", "sources, copied"),
    "unrelated": ("unrelated", "unrelated references"),
    "references": ("people", "references, one by one"),
}

#: Sources and references.
Texts = tuple[list[str], list[list[str]]]

#: The columns that describe a row; the others are computed.
_DESCRIPTION = ("test_set", "texts", "kind", "name", "year", "publication", "how", "licence", "outputs")


class RankedSystem(NamedTuple):
    """A system by `RANKED`: score, rows of counts as means of its runs, and the function from their sums to scores."""

    score: float
    rows: np.ndarray
    scores_of_sums: Callable[[np.ndarray], np.ndarray]


def score_public_systems(folder: Path) -> list[Row]:
    """Score all outputs that docs/systems.csv describes, with intervals, ranks and baselines.

    Raises:
        FileError: if a file is missing, cannot be read, or belongs to another test set.
    """
    described, scored = [row for row in read_csv(FILE) if row["kind"] == "system"], []
    for name, patterns in TEST_SETS.items():
        texts = read_test_set(folder, *patterns)
        own = [row for row in described if row["test_set"] == name]
        systems = [score_system(folder, row, texts) for row in tqdm(own, desc=name, disable=None, leave=False)]
        ranks = possible_ranks([ranked for _, ranked in systems])
        scored += [row | {"ranks": f"{best}-{worst}"} for (row, _), (best, worst) in zip(systems, ranks, strict=True)]
        scored += _baselines(name, texts)
    digests = {row["test_set"]: row["texts"] for row in scored}
    return [row | {"texts": digests[row["test_set"]]} for row in scored]


def score_system(folder: Path, row: Row, texts: Texts) -> tuple[Row, RankedSystem]:
    """Score the runs of a system under every variant."""
    sources, references = texts
    runs = read_runs(folder, row["outputs"], sources)
    if row["test_set"] == LOWERCASED:
        runs = {path: [output.lower() for output in outputs] for path, outputs in runs.items()}
    words = np.array([[len(text.split()) for text in outputs] for outputs in runs.values()])
    limits = 2 * np.array([len(text.split()) for text in sources])
    cells = {name: row[name] for name in _DESCRIPTION} | {"runs": str(len(runs))}
    cells |= {"empty": f"{(words == 0).mean():.4f}", "long": f"{(words > limits).mean():.4f}", "ranks": ""}
    ranked = {}
    for name in VARIANTS:
        columns = SystemColumns(sources, runs, references)
        scored = list(score_systems(columns, offline_variant(name), rows=True).values())
        counts, scores_of_sums = np.stack([corpus.rows() for corpus in scored], axis=1), scored[0].scores_of_sums
        drawn = Sample(counts, scores_of_sums, _HOW.seed).bootstrapped(_HOW)[..., 0].mean(axis=1)
        values = [corpus.scores()["sari"] for corpus in scored]
        ranked[name] = RankedSystem(fmean(values), counts.mean(axis=1), scores_of_sums)
        several = len(values) > 1
        cells |= _cells(name, fmean(values), *_HOW.ends(drawn), *[min(values), max(values)] * several)
    return cells, ranked[RANKED]


def _cells(variant: str, value: float, *others: float) -> Row:
    """Return the score, the ends of its interval, the least and the most of the runs; empty for what there is not."""
    shown = [f"{value:.4f}", *(f"{other:.2f}" for other in others), *[""] * (4 - len(others))]
    endings = ("", " low", " high", " least", " most")
    return {f"{variant}{ending}": cell for ending, cell in zip(endings, shown, strict=True)}


def _baselines(test_set: str, texts: Texts) -> Iterator[Row]:
    scored = {name: baseline_scores(*texts, offline_variant(name)) for name in VARIANTS}
    for baseline, (kind, name) in _BASELINES.items():
        if all(baseline in scores for scores in scored.values()):
            row = dict.fromkeys(_DESCRIPTION, "") | {"test_set": test_set, "kind": kind, "name": name}
            row |= {"texts": texts_digest(*texts), "runs": "1", "empty": "0.0000", "long": "0.0000", "ranks": ""}
            for variant, scores in scored.items():
                row |= _cells(variant, scores[baseline]["sari"])
            yield row


def possible_ranks(systems: Sequence[RankedSystem]) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system that tests of all pairs leave possible.

    All pairs are tested by approximate randomization, and the p-values corrected by Holm's method. With thousands of
    pairs only p-values of 0.00001 and less are significant, which would take an hour to draw. So p-values are those of
    a normal distribution with the standard deviation of the differences after swapping. Segments swap the means of
    their runs. A system is below all that are significantly better, and above all that are significantly worse.
    """
    if len(systems) < 2:
        return [(1, 1)] * len(systems)
    of_sums, rows = systems[0].scores_of_sums, np.stack([system.rows for system in systems], axis=1)
    sample = Sample(rows, lambda sums: of_sums(sums)[..., :1], _HOW.seed)
    pairs = np.array(list(combinations(range(len(systems)), 2)))
    squares = sum((chunk**2).sum(axis=0) for chunk in sample.swapped(pairs, TRIALS))
    differences = np.array([system.score for system in systems])[pairs] @ [[1.0], [-1.0]]
    with np.errstate(invalid="ignore"):  # 0/0, where two systems have the same outputs
        p_values = np.nan_to_num(2 * stats.norm.sf(np.abs(differences) / np.sqrt(squares / TRIALS)), nan=1.0)
    significant = holm(p_values)[:, 0] < SIGNIFICANT
    better = np.where(differences > 0, pairs[:, :1], pairs[:, 1:])[significant, 0]
    worse = np.where(differences > 0, pairs[:, 1:], pairs[:, :1])[significant, 0]
    wins, losses = (np.bincount(own, minlength=len(systems)).tolist() for own in (better, worse))
    return [(lost + 1, len(systems) - won) for lost, won in zip(losses, wins, strict=True)]


def taus(rows: Sequence[Row], variants: Sequence[str], other: str) -> list[float]:
    """Return Kendall's tau of the scores of systems under each variant and another one."""
    scores = {name: [float(row[name]) for row in rows if row["kind"] == "system"] for name in {*variants, other}}
    return [float(stats.kendalltau(scores[name], scores[other]).statistic) for name in variants]


def page_tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the tables of the page: the systems on one test set, and Kendall's tau of rankings."""
    rows = [row for row in rows if row["texts"]]  # others are not scored yet
    others = [name for name in VARIANTS if name != RANKED and name in rows[0]]
    ranked = []
    for test_set in TEST_SETS:
        own = [row for row in rows if row["test_set"] == test_set]
        number = sum(row["kind"] == "system" for row in own)
        ranked.append([f"{test_set} ({number})", *(f"{tau:.2f}" for tau in taus(own, others, RANKED))])
    shown = [row for row in rows if row["test_set"] == DRAWN_SET]
    shown.sort(key=lambda row: -float(row[RANKED]))
    headings = ["System", "Year", "Runs", "Rank", RANKED, "95% CI", "runs from–to", *SHOWN, "empty", "long"]
    return {
        "systems": as_markdown(headings, list(map(_table_row, shown))),
        "taus": as_markdown(["Test set (systems)", *others], ranked),
    }


def _table_row(row: Row) -> list[str]:
    value, *others = (f"{float(row[name]):.2f}" for name in (RANKED, *SHOWN))
    if row["kind"] != "system":
        return [f"baseline: {row['name']}", "", "", "", value, "", "", *others, "", ""]
    interval, spread = (
        f"{float(row[one]):.1f}–{float(row[other]):.1f}" if row[one] else ""
        for one, other in ((f"{RANKED} low", f"{RANKED} high"), (f"{RANKED} least", f"{RANKED} most"))
    )
    shares = [f"{float(row[name]):.0%}" for name in ("empty", "long")]
    return [
        row["name"],
        row["year"],
        row["runs"],
        row["ranks"].replace("-", "–"),
        value,
        interval,
        spread,
        *others,
        *shares,
    ]


def draw_ranks(rows: Sequence[Row], path: Path) -> None:
    """Write a picture of ranks: a column for each variant, and a line for each system and baseline."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    shown = [row for row in rows if row["test_set"] == DRAWN_SET and row["kind"] != "unrelated" and row["texts"]]
    orders = {name: sorted(shown, key=lambda row: -float(row[name])) for name in DRAWN}
    ranks = {row["name"]: [orders[name].index(row) + 1 for name in DRAWN] for row in shown}
    dashed = {row["name"] for row in shown if row["kind"] != "system"}
    with pyplot.rc_context({"svg.hashsalt": "sari", "svg.fonttype": "none", "font.size": 10}):
        figure, axes = pyplot.subplots(figsize=(9, 6.5), layout="constrained")
        for name, places in ranks.items():
            style = {"linewidth": 2.5, "marker": "o", "zorder": 3} if name in NAMED else {"linewidth": 0.8}
            axes.plot(places, color=NAMED.get(name, "#c8c8c8"), linestyle="--" if name in dashed else "-", **style)
        below = -3.0
        for name in sorted(NAMED.keys() & ranks.keys(), key=lambda name: ranks[name][-1]):
            below = max(ranks[name][-1], below + 3.5)  # none on top of another
            axes.text(len(DRAWN) - 0.9, below, name, color=NAMED[name], verticalalignment="center")
        for place, (one, other) in enumerate(pairwise(DRAWN)):
            (tau,) = taus(shown, [one], other)
            axes.text(place + 0.5, -1.5, f"{tau:.2f}", color="#555555", horizontalalignment="center")
        axes.set_xticks(range(len(DRAWN)), DRAWN, fontweight="bold")
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.set_yticks([1, *range(10, len(shown) + 1, 10)])
        axes.set_ylim(len(shown) + 1, -3)
        axes.spines[:].set_visible(False)
        axes.set_title(f"Ranks on {DRAWN_SET}, the best at the top; between variants, Kendall's tau of the rankings")
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


if __name__ == "__main__":
    stored = run(__doc__, file=FILE, page="systems.md", compute=score_public_systems, tables=page_tables)
    if stored:
        draw_ranks(stored, DOCS / "systems.svg")
