"""Published figures next to ours: research/published.csv.

A figure that differs in the printed digits has a `reason`. A row whose repositories are not in the folder keeps what is
stored.

A row of research/published.csv is a system with its scores: `sari`, `keep`, `delete` and `add` under a variant, with
options as JSON; or `pearson:COLUMN`, the correlation of sentence scores with a column of ratings. `printed` and `ours`
have a figure for each score. Several files of outputs are runs, whose mean is the figure. Where no sources and
references are named, the file of outputs has them.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd
from scipy import stats
from tqdm import tqdm

from sari.corpus_statistics import score_columns
from sari.messages import RefusedValueError, count_of, fault
from sari.research.collections_of_ratings import rated_in_test_set
from sari.research.files import Study, read_runs, read_table, read_test_set
from sari.validation import Columns
from sari.variants import resolve_variant

FILE = Path(__file__).with_name("published.csv")


def rounded(ours: str, printed: str) -> str:
    """Return our figure with as many decimals as were printed.

    >>> rounded("37.9193", "37.91"), rounded("-0.2", "0")
    ('37.92', '0')
    """
    digits = len(printed.partition(".")[2])
    return f"{float(ours):z.{digits}f}"  # never -0


def figures(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each score of each row, with ours rounded to the printed digits.

    Raises:
        ValueError: for a row that lacks a figure, such as a new one that was not computed.
    """
    columns = ["score", "printed", "ours"]
    rows = rows.assign(**{name: rows[name].str.split() for name in columns})
    for row in rows.to_dict("records"):
        for name in columns:
            if len(row[name]) != len(row["score"]):
                place, got = f"{row['system']} on {row['test_set']}: {name}", count_of(len(row[name]), "figure")
                raise RefusedValueError(
                    fault(place, got, f"{len(row['score'])}, from {' and '.join(_repositories(row))}")
                )
    rows = rows.explode(columns)
    return rows.assign(ours=list(map(rounded, rows["ours"], rows["printed"])))


def _repositories(row: dict[str, str]) -> list[str]:
    """Return the repositories of the files of a row."""
    patterns = " ".join([row["sources"], row["references"], row["outputs"]]).split()
    return sorted({"/".join(pattern.split("/")[:2]) for pattern in patterns})


def score_row(row: dict[str, str], folder: Path) -> str:
    """Return the scores of a row, as means of its runs, with 9 decimals."""
    names, outputs, options = row["score"].split(), row["outputs"], json.loads(row["options"] or "{}")
    if names[0].startswith("pearson:"):
        rated = rated_in_test_set(folder, outputs, names[0].partition(":")[2], (row["sources"], row["references"]))
        variant = resolve_variant(row["variant"], level="sentence", **options)
        scores = score_columns(rated.texts, variant, sentences=True).sentences()["sari"]
        return f"{stats.pearsonr(scores, rated.ratings).statistic:.9f}"
    sources, references = read_test_set(folder, row["sources"] or outputs, row["references"] or outputs)
    variant = resolve_variant(row["variant"], **options)
    columns = [Columns(sources, run, references) for run in read_runs(folder, outputs, sources).values()]
    runs: list[Mapping[str, Any]] = [score_columns(texts, variant).scores() for texts in columns]
    return " ".join(f"{fmean(run[name] for run in runs):.9f}" for name in names)


def compute_figures(folder: Path) -> pd.DataFrame:
    """Compute the rows whose repositories are in a folder, and return all."""
    rows, absent = read_table(FILE).to_dict("records"), set()
    for row in tqdm(rows, disable=None, leave=False):
        lacking = {name for name in _repositories(row) if not (folder / name.split("/")[1]).is_dir()}
        if not lacking:
            row["ours"] = score_row(row, folder)
        absent |= lacking
    if absent:
        print(f"{folder}: rows are not computed without {', '.join(sorted(absent))}", file=sys.stderr)
    return pd.DataFrame(rows)


def figures_by_paper(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the figures of each paper, with reasons for those that differ, and how many come out."""
    scores = figures(rows)
    same, titles = scores["printed"] == scores["ours"], scores["paper"] + ", " + scores["url"]
    columns = {
        "figure": scores["system"] + ", " + scores["test_set"] + ": " + scores["score"],
        "printed": scores["printed"],
        "ours": scores["ours"],
        "why it differs": scores["reason"].mask(same, ""),
    }
    summary = pd.DataFrame({"paper": titles, "figures": 1, "to the printed digits": same.astype(int)})
    summary = summary.groupby("paper", sort=False, as_index=False).sum().astype(str)
    return dict(iter(pd.DataFrame(columns).groupby(titles, sort=False))) | {"Figures that come out": summary}


STUDY = Study(FILE, figures_by_paper, compute_figures)
