"""Compute published figures again, and print what was printed next to ours.

    python research/published.py [TABLE]                      prints what is stored
    python research/published.py [TABLE] FOLDER [--store]     computes it; --store writes it to research/published.csv

FOLDER has checkouts of the repositories that the rows name, each under its own name. The status is 1 where a figure
differs in the printed digits. `reason` says why.

A row of research/published.csv is a system with its scores: `sari`, `keep`, `delete` and `add` under a variant, with
options as JSON; names in `MEASURES`; or `pearson:COLUMN`, the correlation of sentence scores with a column of ratings.
`printed` and `ours` have a figure for each score. Several files of outputs are runs, whose mean is the figure. Where
no sources and references are named, the file of outputs has them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import cast

import numpy as np
from scipy import stats
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.companion_measures import simplification, translation  # noqa: E402
from sari.corpus_statistics import score_columns  # noqa: E402
from sari.research import joshua  # noqa: E402
from sari.research.checkouts import read_runs, read_test_set  # noqa: E402
from sari.research.collections_of_ratings import rated_by_number  # noqa: E402
from sari.research.stored import Row, read_csv, write_csv  # noqa: E402
from sari.text_files.errors import FileError  # noqa: E402
from sari.validation import Columns  # noqa: E402
from sari.variants import Score, resolve_variant  # noqa: E402

FILE = Path(__file__).with_name("published.csv")

#: From sources, outputs and references to a figure, or to numbers whose mean is the figure.
Formula = Callable[[list[str], list[str], list[list[str]]], float | np.ndarray]


def _lowercased(formula: Formula) -> Formula:
    """Return a measure of lowercased texts."""

    def measure(sources: list[str], outputs: list[str], references: list[list[str]]) -> float | np.ndarray:
        lower = [[text.lower() for text in texts] for texts in (sources, outputs, *references)]
        return formula(lower[0], lower[1], lower[2:])

    return measure


#: The measures besides SARI: of Xu et al. 2016, and of Narayan and Gardent 2014.
MEASURES: dict[str, Formula] = {
    "joshua_fk": joshua.fk_scores,
    "joshua_bleu": joshua.bleu_scores,
    "joshua_ibleu": joshua.ibleu_scores,
    "joshua_fkbleu": joshua.fkbleu_scores,
    "split_percent": _lowercased(lambda sources, outputs, _: 100 * simplification.splits(sources, outputs)),
    "sentences": _lowercased(lambda _, outputs, __: simplification.sentence_counts(outputs)),
    "bleu": _lowercased(lambda _, outputs, references: translation.bleu(outputs, references)),
    "unedited": _lowercased(lambda sources, outputs, _: (simplification.edit_distances(sources, outputs) == 0).sum()),
    "edits_to_reference": _lowercased(lambda _, outputs, texts: simplification.edit_distances(outputs, texts)),
    "matches": _lowercased(lambda _, outputs, texts: (simplification.edit_distances(outputs, texts) == 0).sum()),
}


def rounded(ours: str, printed: str) -> str:
    """Return our figure with as many decimals as were printed.

    >>> rounded("37.9193", "37.91"), rounded("-0.2", "0")
    ('37.92', '0')
    """
    digits = len(printed.partition(".")[2])
    return f"{round(float(ours), digits) + 0:.{digits}f}"  # never -0


def figures(row: Row) -> list[tuple[str, str, str]]:
    """Return the figures of a row: the name of the score, what was printed, and ours, rounded to its digits."""
    scores, printed, ours = (row[name].split() for name in ("score", "printed", "ours"))
    return list(zip(scores, printed, map(rounded, ours, printed), strict=True))


def compute(row: Row, folder: Path) -> list[float]:
    """Return the scores of a row, as means of its runs.

    Raises:
        FileError: if a file is missing or cannot be read.
        ValueError, ImportError: if a table is not as expected, or an option needs a package.
    """
    names, options, outputs = row["score"].split(), json.loads(row["options"] or "{}"), row["outputs"]
    if names[0].startswith("pearson:"):
        rated = rated_by_number(folder, outputs, names[0].partition(":")[2], (row["sources"], row["references"]))
        variant = resolve_variant(row["variant"], level="sentence", **options)
        scores = score_columns(rated.texts, variant, sentences=True).sentences()["sari"]
        return [float(stats.pearsonr(scores, rated.ratings).statistic)]
    sources, references = read_test_set(folder, row["sources"] or outputs, row["references"] or outputs)
    runs = [Columns(sources, run, references) for run in read_runs(folder, outputs, sources).values()]
    if row["variant"]:
        found = [score_columns(run, resolve_variant(row["variant"], **options)).scores() for run in runs]
        return [fmean(scores[cast(Score, name)] for scores in found) for name in names]
    return [fmean(float(np.mean(MEASURES[name](*run))) for run in runs) for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its status: 0, 1 where a figure differs, 2 for bad use."""
    rows = read_csv(FILE)
    tables = list(dict.fromkeys(row["table"] for row in rows))
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0], epilog=f"tables: {', '.join(tables)}")
    parser.add_argument("table", nargs="?", metavar="TABLE", help="one of the tables; all without it")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="with checkouts of the repositories")
    parser.add_argument("--store", action="store_true", help=f"write ours to {FILE.name}")
    options = parser.parse_args(arguments)
    if options.table and options.folder is None and options.table not in tables:
        options.table, options.folder = None, options.table
    if options.table and options.table not in tables:
        parser.error(f"got {options.table!r}, expected one of {', '.join(tables)}")
    if options.store and options.folder is None:
        parser.error("--store: expected a folder with checkouts")
    chosen = [row for row in rows if options.table in (None, row["table"])]
    if options.folder is not None:
        try:
            for row in tqdm(chosen, disable=None, leave=False):
                row["ours"] = " ".join(f"{value:.9f}" for value in compute(row, Path(options.folder)))
        except (FileError, LookupError, ValueError, ImportError) as error:
            parser.error(str(error))
    if options.store:
        write_csv(FILE, rows)
    return _show(chosen)


def _show(rows: Sequence[Row]) -> int:
    """Print figures, and return 1 if any differs."""
    shown, heading, differing = 0, "", 0
    for row in rows:
        before, heading = heading, f"{row['table']}: {row['paper']}, {row['url']}"
        if before != heading:
            print(f"\n{heading}")
        for score, printed, ours in figures(row):
            mark = f"* {row['reason']}" * (printed != ours)
            print(f"  {row['system']}, {row['test_set']}: {score}".ljust(70), f"{printed:>9} {ours:>9} {mark}".rstrip())
            shown, differing = shown + 1, differing + (printed != ours)
    print(f"\n{shown - differing:,} of {shown:,} figures come out to the printed digits; * marks the others.")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
