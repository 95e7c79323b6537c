"""Public outputs of systems under every variant: docs/systems.csv, the tables of docs/systems.md, and its picture.

A new system is a row of docs/systems.csv with test set, kind "system", name, year, publication, how it was made,
licence of the repository, and the pattern of its outputs; several files are runs.

A system's score is the mean of those of its runs, and its interval that of the mean: a resample draws the same segments
of all runs. `ranks` are the best and the worst by `easse` that tests of all pairs leave possible.

`empty`, `repeated`, `unrelated` and `long` are shares of outputs: see `faulty_outputs`. `faulty` is the share of
outputs with any of these faults. Where it is more than a quarter, the kind becomes "failed": the system is not ranked.
"""

import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd
from scipy import stats
from scipy.spatial.distance import squareform
from tqdm import tqdm

from sari.comparison import baseline_scores
from sari.corpus_statistics import CorpusStatistics, score_systems
from sari.reports.published_systems import FILE, texts_digest
from sari.research.files import DOCS, TEST_SETS, Study, formatted, read_runs, read_table, read_test_set
from sari.significance import SIGNIFICANT, Sample, bootstrap_draws, holm, resolve_resampling
from sari.text_checks import normalize_output, sources_by_output
from sari.validation import SystemColumns
from sari.variants import VARIANTS

#: The variant that ranks come from, and the others that the table shows.
RANKED, IN_TABLE = "easse", ("set", "hf", "xu2016")

#: How often the pairs swap segments; the standard deviation of the differences is then known to within 2%.
TRIALS = 2_000

#: Intervals, the seed of all random numbers, and the resamples of rankings.
_RESAMPLING = resolve_resampling(confidence=0.95, resamples=1_000)
_TAU_DRAWS = 2_000, _RESAMPLING.seed

#: The variants in the picture, neighbours as similar as can be, and the test set that table and picture show.
DRAWN, DRAWN_SET = ("easse", "lasertagger", "set", "paper", "xu2016", "hf"), "ASSET"

#: Systems that the picture names, with a colour that most colour-blind people can distinguish (Okabe and Ito 2008).
NAMED = {
    "GPT-4o": "#0072b2",
    "gpt-3.5-turbo": "#56b4e9",
    "MUSS (WikiLarge + mined)": "#009e73",
    "ACCESS": "#cc79a7",
    "flan-ul2": "#d55e00",
    "SBMT-SARI": "#e69f00",
    "references, one by one": "#000000",
    "sources, copied": "#000000",
}

#: A system with a larger share of faulty outputs is not ranked.
MOST_FAULTY = 0.25

#: An output is unrelated if a smaller share of its words stands in the source, and long if it has more times its words.
RELATED, LONG = 0.2, 2

#: The test set whose texts are lowercased: outputs on it are lowercased, too.
LOWERCASED = "TurkCorpus (tokenized)"

#: The baselines that are stored, by the name that `Scorer.baselines` gives them: their kind, and their name in tables.
_STORED_BASELINES = {
    "copy": ("copy", "sources, copied"),
    "unrelated": ("unrelated", "unrelated references"),
    "references": ("people", "references, one by one"),
}


def score_public_systems(folder: Path) -> pd.DataFrame:
    """Score all outputs that docs/systems.csv describes, with intervals, ranks and baselines."""
    described, rows = read_table(FILE).query("outputs != ''"), []
    for test_set, patterns in TEST_SETS.items():
        sources, references = read_test_set(folder, *patterns)
        known = {"test_set": test_set, "texts": texts_digest(sources, references)}
        records, ranked = described[described["test_set"] == test_set].to_dict("records"), []
        for row in tqdm(records, desc=test_set, disable=None, leave=False):
            runs = read_runs(folder, row["outputs"], sources)
            if test_set == LOWERCASED:
                runs = {path: [output.lower() for output in outputs] for path, outputs in runs.items()}
            columns = SystemColumns(sources, runs, references)
            scored = {
                name: list(score_systems(columns, variant, rows=True).values()) for name, variant in VARIANTS.items()
            }
            row |= known | _cells_of_system(columns, scored) | {"ranks": ""}
            if row["kind"] == "system":
                ranked.append((row, scored[RANKED]))
        for (row, _), ranks in zip(ranked, possible_ranks([scored for _, scored in ranked]), strict=True):
            row["ranks"] = ranks
        rows += records + [known | row for row in _baselines(sources, references)]
    return pd.DataFrame(rows)


def faulty_outputs(sources: Sequence[str], outputs: Sequence[str]) -> pd.DataFrame:
    """Return which outputs are no simplifications of their sources: a row for each, and a column for each fault.

    An output is empty; repeated, if it is the output for another source, too; unrelated, if few of its words stand in
    the source; or long.

    >>> faulty_outputs(["a b", "c", "d"], ["e e", "E  e", "d d d"]).astype(int).to_numpy().tolist()
    [[0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    """
    texts = pd.DataFrame({"source": sources, "output": outputs})
    lengths = texts.map(lambda text: len(text.split()))
    words = texts.map(lambda text: set(re.findall(r"\w+", text.lower())))
    shared = np.array([len(one & other) for one, other in words.to_numpy()])
    columns = {
        "empty": lengths["output"] == 0,
        "repeated": texts["output"].map(normalize_output).map(sources_by_output(sources, outputs)) > 1,
        "unrelated": shared < RELATED * words["output"].map(len),
        "long": lengths["output"] > LONG * lengths["source"],
    }
    return pd.DataFrame(columns)


def _cells_of_system(columns: SystemColumns, scored: dict[str, list[CorpusStatistics]]) -> dict[str, str]:
    """Return the cells of a system, whose runs were scored under each variant."""
    by_run = [faulty_outputs(columns.sources, outputs) for outputs in columns.predictions.values()]
    every = pd.concat(by_run)
    shares = every.mean().to_dict() | {"faulty": every.any(axis=1).mean()}
    cells = {"kind": "failed" if shares["faulty"] > MOST_FAULTY else "system", "runs": str(len(by_run))}
    cells |= {name: f"{share:.4f}" for name, share in shares.items()}
    for name, runs in scored.items():
        values = [run.scores()["sari"] for run in runs]
        sample = Sample(np.stack([run.rows() for run in runs], axis=1), runs[0].scores_of_sums, _RESAMPLING.seed)
        low, high = _RESAMPLING.ends(sample.bootstrapped(_RESAMPLING)[..., 0].mean(axis=1))
        least, most = (f"{end(values):.2f}" if len(values) > 1 else "" for end in (min, max))
        cells |= {name: f"{fmean(values):.4f}", f"{name} low": f"{low:.2f}", f"{name} high": f"{high:.2f}"}
        cells |= {f"{name} least": least, f"{name} most": most}
    return cells


def _baselines(sources: list[str], references: list[list[str]]) -> list[dict[str, str]]:
    scored = {name: baseline_scores(sources, references, variant) for name, variant in VARIANTS.items()}
    return [
        {"kind": kind, "name": label, "runs": "1"}
        | {name: f"{scores[baseline]['sari']:.4f}" for name, scores in scored.items()}
        for baseline, (kind, label) in _STORED_BASELINES.items()
        if baseline in scored[RANKED]
    ]


def possible_ranks(systems: Sequence[list[CorpusStatistics]]) -> list[str]:
    """Return the best and the worst rank of each system, a list of runs, that tests of all pairs leave possible: "2-3".

    All pairs are tested by approximate randomization, and the p-values corrected by Holm's method. With thousands of
    pairs only p-values of 0.00001 and less are significant, which would take an hour to draw. So p-values are those of
    a normal distribution with the standard deviation of the differences after swapping. Segments swap the means of
    their runs. A system is below all that are significantly better, and above all that are significantly worse.
    """
    rows = np.stack([np.mean([run.rows() for run in runs], axis=0) for runs in systems], axis=1)
    sample = Sample(rows, lambda sums: systems[0][0].scores_of_sums(sums)[..., :1], _RESAMPLING.seed)
    pairs = np.array(list(combinations(range(len(systems)), 2)))
    squares = sum((chunk**2).sum(axis=0) for chunk in sample.swapped(pairs, TRIALS))
    scores = np.array([fmean(run.scores()["sari"] for run in runs) for runs in systems])
    differences = scores[pairs] @ [[1.0], [-1.0]]
    with np.errstate(invalid="ignore"):  # 0/0, where two systems have the same outputs
        p_values = np.nan_to_num(2 * stats.norm.sf(np.abs(differences) / np.sqrt(squares / TRIALS)), nan=1.0)
    differ = squareform((holm(p_values) < SIGNIFICANT)[:, 0])
    losses = (differ & (scores[:, None] < scores)).sum(axis=1)
    wins = (differ & (scores[:, None] > scores)).sum(axis=1)
    return [f"{lost + 1}-{len(scores) - won}" for lost, won in zip(losses, wins, strict=True)]


def taus(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Kendall's tau of the rankings of rows under each two variants."""
    return rows[[name for name in VARIANTS if name in rows]].astype(float).corr("kendall")


def tau_intervals(rows: pd.DataFrame, families: pd.Series) -> pd.DataFrame:
    """Return Kendall's tau of the rankings by `easse` and by each other variant, with 95% intervals.

    Systems of one family, such as a publication, are alike. So the resamples draw families, each with all its systems.
    A system that is drawn twice is not compared with itself.

    Returns:
        A row for each variant, and the columns `tau`, `low` and `high`.
    """
    names = [name for name in VARIANTS if name in rows]
    scores = rows[names].astype(float).to_numpy()
    one, other = np.triu_indices(len(scores), 1)
    signs = np.sign(scores[one] - scores[other])
    agrees, differs = signs * signs[:, [names.index(RANKED)]], signs != 0
    numbers = pd.factorize(families)[0]
    draws = np.concatenate([*bootstrap_draws(int(numbers.max()) + 1, *_TAU_DRAWS)])
    times = np.concatenate([np.ones((1, len(scores)), np.int64), draws[:, numbers]])
    weights = (times[:, one] * times[:, other]).astype(float)
    with np.errstate(invalid="ignore"):  # draws without two systems that differ
        spread = weights @ differs
        found = weights @ agrees / np.sqrt(spread * spread[:, [names.index(RANKED)]])
    low, high = np.nanquantile(found[1:], [0.025, 0.975], axis=0)
    return pd.DataFrame({"tau": found[0], "low": low, "high": high}, index=names).drop(RANKED)


def systems_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page: Kendall's tau of rankings, and the systems on one test set."""
    rows = rows.query("texts != ''")  # others are not scored yet
    by_test_set = rows[rows["kind"] == "system"].groupby("test_set", sort=False)
    rankings = {}
    for name, part in by_test_set:
        families = part["publication"]
        cells = tau_intervals(part, families).apply(lambda tau: "{:.2f} [{:.2f}, {:.2f}]".format(*tau), axis=1)
        rankings[f"{name} ({len(part)}, {families.nunique()})"] = cells
    rows = rows[rows["test_set"] == DRAWN_SET].sort_values(RANKED, key=lambda scores: -scores.astype(float))
    unranked = rows["kind"].map({"system": "", "failed": "failed: "}).fillna("baseline: ")
    is_baseline = unranked == "baseline: "
    table = {
        "System": unranked + rows["name"],
        "Year": rows["year"],
        "Runs": rows["runs"].mask(is_baseline, ""),
        "Rank": rows["ranks"].str.replace("-", "–"),
        RANKED: formatted("{:.2f}", rows[RANKED]),
        "95% CI": formatted("{:.1f}–{:.1f}", rows[f"{RANKED} low"], rows[f"{RANKED} high"]),
        "runs from–to": formatted("{:.1f}–{:.1f}", rows[f"{RANKED} least"], rows[f"{RANKED} most"]),
        **{name: formatted("{:.2f}", rows[name]) for name in IN_TABLE},
        "faulty": formatted("{:.0%}", rows["faulty"]),
    }
    return {
        "taus": pd.DataFrame(rankings).T.rename_axis("Test set (systems, publications)").reset_index(),
        "systems": pd.DataFrame(table),
    }


def draw_ranks(rows: pd.DataFrame, path: Path = DOCS / "systems.svg") -> None:
    """Write a picture of ranks: a column for each variant, and a line for each system and baseline."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows = rows.query("test_set == @DRAWN_SET and kind not in ['unrelated', 'failed'] and runs != ''").set_index("name")
    ranks = rows[list(DRAWN)].astype(float).rank(ascending=False, method="first")
    with rc_context({"svg.hashsalt": "sari", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(9, 6.5), layout="constrained")
        axes = figure.subplots()
        is_named = ranks.index.isin(NAMED)
        axes.plot(ranks[~is_named].T.to_numpy(), color="#c8c8c8", linewidth=0.8)
        for name, places in ranks[is_named].iterrows():
            line = "-" if rows["kind"][name] == "system" else "--"
            axes.plot(places.tolist(), line, color=NAMED[name], linewidth=2.5, marker="o", zorder=3)
        below = -3.0
        for name, place in ranks.loc[list(NAMED), DRAWN[-1]].sort_values().items():
            below = max(place, below + 3.5)  # none on top of another
            axes.text(len(DRAWN) - 0.9, below, name, color=NAMED[name], verticalalignment="center")
        tau = taus(rows[rows["kind"] == "system"])
        for place, pair in enumerate(pairwise(DRAWN)):
            axes.text(place + 0.5, -1.5, f"{tau.loc[pair]:.2f}", color="#555555", horizontalalignment="center")
        axes.set_xticks(range(len(DRAWN)), DRAWN, fontweight="bold")
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.set(yticks=[1, *range(10, len(rows) + 1, 10)], ylim=(len(rows) + 1, -3))
        axes.set_title(f"Ranks on {DRAWN_SET}, the best at the top; between variants, Kendall's tau of the rankings")
        axes.spines[:].set_visible(False)
        figure.savefig(path, metadata={"Date": None})


STUDY = Study(FILE, systems_tables, score_public_systems, [DOCS / "systems.md"], draw=draw_ranks)
