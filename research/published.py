"""Compute published figures again, and print what was printed next to ours.

    python research/published.py [TABLE]                      prints what is stored
    python research/published.py [TABLE] FOLDER [--store]     computes it; --store writes it to research/published.csv

FOLDER has checkouts of the repositories that the rows name, each under its own name. The status is 1 where a figure
differs in the printed digits. `reason` says why.

A row of research/published.csv is a system with its scores: `sari`, `keep`, `delete` and `add` under a variant, with
options as JSON; those of `MEASURES`; or `pearson:COLUMN`, the correlation of sentence scores with a column of ratings.
`printed` and `ours` have a figure for each score. Several files of outputs are runs, whose mean is the figure. Where
no sources and references are named, the file of outputs has them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.companion_measures import simplification, translation  # noqa: E402
from sari.corpus_statistics import score_columns  # noqa: E402
from sari.research.collections_of_ratings import rated_by_number  # noqa: E402
from sari.research.files import read_runs, read_table, read_test_set  # noqa: E402
from sari.research.joshua import joshua_scores  # noqa: E402
from sari.validation import Columns  # noqa: E402
from sari.variants import resolve_variant  # noqa: E402

FILE = Path(__file__).with_name("published.csv")


def narayan_scores(texts: Columns) -> dict[str, Any]:
    """Return the measures of Narayan and Gardent 2014, of lowercased texts."""
    sources, outputs = ([text.lower() for text in column] for column in texts[:2])
    references = [[text.lower() for text in row] for row in texts.references]
    to_reference = simplification.edit_distances(outputs, references)
    return {
        "split_percent": 100 * simplification.splits(sources, outputs),
        "sentences": simplification.sentence_counts(outputs),
        "bleu": translation.bleu(outputs, references),
        "unedited": (simplification.edit_distances(sources, outputs) == 0).sum(),
        "edits_to_reference": to_reference,
        "matches": (to_reference == 0).sum(),
    }


#: The measures besides SARI, in the place of a variant: from texts to figures, or numbers whose means are the figures.
MEASURES: dict[str, Callable[[Columns], Mapping[str, Any]]] = {"joshua": joshua_scores, "narayan": narayan_scores}


def rounded(ours: str, printed: str) -> str:
    """Return our figure with as many decimals as were printed.

    >>> rounded("37.9193", "37.91"), rounded("-0.2", "0")
    ('37.92', '0')
    """
    digits = len(printed.partition(".")[2])
    return f"{round(float(ours), digits) + 0:.{digits}f}"  # never -0


def figures(row: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return the figures of a row: the name of the score, what was printed, and ours, rounded to its digits."""
    scores, printed, ours = (row[name].split() for name in ("score", "printed", "ours"))
    return list(zip(scores, printed, map(rounded, ours, printed), strict=True))


def compute(row: dict[str, str], folder: Path) -> str:
    """Return the scores of a row, as means of its runs, with 9 decimals."""
    names, outputs, options = row["score"].split(), row["outputs"], json.loads(row["options"] or "{}")
    if names[0].startswith("pearson:"):
        rated = rated_by_number(folder, outputs, names[0].partition(":")[2], (row["sources"], row["references"]))
        variant = resolve_variant(row["variant"], level="sentence", **options)
        scores = score_columns(rated.texts, variant, sentences=True).sentences()["sari"]
        return f"{stats.pearsonr(scores, rated.ratings).statistic:.9f}"
    sources, references = read_test_set(folder, row["sources"] or outputs, row["references"] or outputs)
    runs = [Columns(sources, run, references) for run in read_runs(folder, outputs, sources).values()]
    if row["variant"] in MEASURES:
        found = [MEASURES[row["variant"]](run) for run in runs]
    else:
        variant = resolve_variant(row["variant"], **options)
        found = [score_columns(run, variant).scores() for run in runs]
    return " ".join(f"{fmean(float(np.mean(scores[name])) for scores in found):.9f}" for name in names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its status: 0, 1 where a figure differs, 2 for bad use."""
    table = read_table(FILE)
    names = list(dict.fromkeys(table["table"]))
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0], epilog=f"tables: {', '.join(names)}")
    parser.add_argument("table", nargs="?", metavar="TABLE", help="one of the tables; all without it")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="with checkouts of the repositories")
    parser.add_argument("--store", action="store_true", help=f"write ours to {FILE.name}")
    options = parser.parse_args(arguments)
    if options.table not in names and options.folder is None:
        options.table, options.folder = None, options.table
    if options.table not in {None, *names}:
        parser.error(f"got {options.table!r}, expected one of {', '.join(names)}")
    chosen = table[table["table"] == options.table] if options.table else table
    if options.folder:
        rows = tqdm(chosen.to_dict("records"), disable=None, leave=False)
        try:
            chosen = chosen.assign(ours=[compute(row, Path(options.folder)) for row in rows])
        except FileNotFoundError as error:
            parser.error(str(error))
    if options.store:
        table.update(chosen)
        table.to_csv(FILE, index=False, lineterminator="\n")
    return _show(chosen)


def _show(table: pd.DataFrame) -> int:
    """Print figures, and return 1 if any differs."""
    differing = []
    for heading, rows in table.groupby(["table", "paper", "url"], sort=False):
        print("\n{}: {}, {}".format(*heading))
        for row in rows.to_dict("records"):
            for score, printed, ours in figures(row):
                differing.append(printed != ours)
                name, mark = f"  {row['system']}, {row['test_set']}: {score}", f"* {row['reason']}" * differing[-1]
                print(name.ljust(70), f"{printed:>9} {ours:>9} {mark}".rstrip())
    same = differing.count(False)
    print(f"\n{same:,} of {len(differing):,} figures come out to the printed digits; * marks the others.")
    return int(any(differing))


if __name__ == "__main__":
    sys.exit(main())
