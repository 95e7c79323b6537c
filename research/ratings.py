"""Compute which SARI agrees with people: docs/which_sari.csv, and the tables of docs/which_sari.md.

    python research/ratings.py                     prints the tables
    python research/ratings.py FOLDER --store      computes all figures again, and writes both files
    python research/ratings.py --store             writes the tables from docs/which_sari.csv

FOLDER has checkouts of the repositories that `collections_of_ratings` names, each under its own name. The file has a
row for each collection and score, with 95% intervals from 1,000 resamples of the sources, each with all its outputs:

- `Pearson`: of the scores and ratings of outputs, each scored alone. `at_equal_length` is the partial correlation,
  given the words of the output divided by those of its source.
- `Spearman`: of the scores and mean ratings of systems, scored as usual.
- `SARI`: of ACCESS's outputs on ASSET, scored with some of the references: means over subsets.

`number` is that of outputs, systems or references. `difference` is that to `set`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sacrebleu.metrics import BLEU
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.companion_measures import translation  # noqa: E402
from sari.corpus_statistics import score_columns  # noqa: E402
from sari.human_ratings.correlation import Numbers, SystemRows  # noqa: E402
from sari.human_ratings.correlation_report import tabulate_agreement  # noqa: E402
from sari.human_ratings.rated_outputs import RatedOutputs, RatedScore, rated_scores, report_agreement  # noqa: E402
from sari.reports.by_references import scores_by_references  # noqa: E402
from sari.research.collections_of_ratings import COLLECTIONS  # noqa: E402
from sari.research.files import ALL_VARIANTS, DOCS, TEST_SETS, formatted, read_runs, read_test_set, run  # noqa: E402
from sari.significance import resolve_resampling  # noqa: E402
from sari.validation import Columns, SystemColumns  # noqa: E402
from sari.variants import resolve_variant  # noqa: E402

FILE = DOCS / "which_sari.csv"

#: The score that the others are compared with.
BASELINE = "set"

#: The variants by name in tables.
_VARIANTS = ALL_VARIANTS | {"set, 13a": resolve_variant("set", tokenize="13a")}

#: How intervals are computed; the coefficients for outputs and for systems, and the names of their figures.
_HOW = resolve_resampling(confidence=0.95, resamples=1_000)
_COEFFICIENTS = {"segments": "Pearson", "systems": "Spearman"}
_FIGURES = ("low", "high", "difference", "difference_low", "difference_high")

#: Those that are computed with fewer references, too, and the outputs.
_BY_REFERENCES = ("hf", "easse", "lasertagger", "set", "set, 13a")
_ACCESS = "feralvam/easse/easse/resources/data/system_outputs/turkcorpus/test/ACCESS"


def compute_agreement(folder: Path) -> pd.DataFrame:
    """Score all outputs under all variants. Figures have 6 decimals, so that they are the same everywhere."""
    collections = tqdm(COLLECTIONS.items(), disable=None, leave=False)
    rows = [row for name, (_, read) in collections for row in _of_collection(name, read(folder))]
    table = pd.DataFrame([*rows, *_by_references(folder)])
    numbers = table.select_dtypes("number").map("{:z.6f}".format, na_action="ignore")
    return table.assign(**dict(numbers.items()))


def _of_collection(collection: str, rated: RatedOutputs) -> Iterator[dict[str, Any]]:
    """Yield a row for each score and ratings of outputs, and of systems where there are enough."""
    corpora = {name: score_columns(rated.texts, how, sentences=True, rows=True) for name, how in _VARIANTS.items()}
    lengths = _lengths(rated.texts)
    scores = [rated_scores(corpus)[0]._replace(name=name) for name, corpus in corpora.items()]
    scores += [_bleu(rated.texts), RatedScore("", "length", lengths, SystemRows(lengths), "")]
    names = [score.name for score in scores]
    partial = {score.name: partial_correlation(score.values, rated.ratings, lengths) for score in scores[:-1]}
    scores.sort(key=lambda score: score.name != BASELINE)  # the others are compared with the first
    records = tabulate_agreement(report_agreement(scores, rated, _HOW, plain=["kendall"])).records
    for record in sorted(records, key=lambda record: (record["level"], names.index(record["measure"]))):
        name, figure = record["measure"], _COEFFICIENTS[record["level"]]
        number = len(rated.ratings) if figure == "Pearson" else len(set(rated.systems))
        row = {"figure": figure, "collection": collection, "number": str(number), "score": name}
        row |= {"signature": record["signature"], "value": record[figure.lower()]}
        row |= {column: record[f"{figure}_{column}".lower()] for column in _FIGURES}
        if figure == "Pearson":  # each output is scored alone
            row["signature"] = row["signature"].replace("|level:corpus|", "|level:sentence|")
            row["at_equal_length"] = partial.get(name)
        yield row


def _by_references(folder: Path) -> Iterator[dict[str, Any]]:
    """Score one system with 1, 2, … of its references: means over subsets."""
    sources, references = read_test_set(folder, *TEST_SETS["ASSET"])
    columns = SystemColumns(sources, read_runs(folder, _ACCESS, sources), references)
    for name in _BY_REFERENCES:
        for row in scores_by_references(columns, _VARIANTS[name], subsets=10):
            place = {"figure": "SARI", "collection": "ACCESS on ASSET", "number": str(row.references), "score": name}
            signature = _VARIANTS[name].signature([row.references])
            yield place | {"signature": signature, "value": row.mean["sari"]}


def _bleu(texts: Columns) -> RatedScore:
    """Return sacreBLEU's BLEU of each output alone, and the rows of systems."""
    metric = BLEU(effective_order=True)
    scores = [metric.sentence_score(*pair) for pair in zip(texts.predictions, texts.references, strict=True)]
    rows = np.array([[own.sys_len, own.ref_len, *own.counts, *own.totals] for own in scores], np.float64)
    of_systems = SystemRows(rows, lambda sums, _: translation.bleu_of_sums(sums))
    return RatedScore("", "BLEU", np.array([own.score for own in scores]), of_systems, "")


def _lengths(texts: Columns) -> np.ndarray:
    """Return the words of each output divided by those of its source."""
    sources, outputs = (np.array([len(text.split()) for text in column]) for column in texts[:2])
    return outputs / np.maximum(sources, 1)


def partial_correlation(x: Numbers, y: Numbers, given: Numbers) -> float:
    """Return Pearson's correlation of x and y, given a third variable.

    >>> round(partial_correlation([1, 2, 3, 4], [1, 3, 2, 5], [1, 1, 2, 2]), 3)
    0.981
    """
    (_, xy, xz), (_, _, yz), _ = np.corrcoef([x, y, given])
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def ratings_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page: of outputs by group, of systems, and by the number of references.

    They have a row for each score, and a column for each collection or number of references.
    """
    groups = rows["collection"].map({name: group for name, (group, _) in COLLECTIONS.items()})
    groups = rows["figure"].map({"Spearman": "systems", "SARI": "references"}).fillna(groups)
    columns = (rows["collection"] + " (" + rows["number"] + ")").where(rows["figure"] != "SARI", rows["number"])
    intervals = formatted("{:.3f} [{:.3f}, {:.3f}]", rows["value"], rows["low"], rows["high"])
    shown = [interval or cell for interval, cell in zip(intervals, formatted("{:.2f}", rows["value"]), strict=True)]
    table = pd.DataFrame({"Score": rows["score"], "group": groups, "column": columns, "shown": shown})
    return {
        group: own.pivot_table("shown", "Score", "column", aggfunc="first", sort=False).reset_index()
        for group, own in table.groupby("group", sort=False)
    }


if __name__ == "__main__":
    run(__doc__, file=FILE, compute=compute_agreement, tables=ratings_tables, page="which_sari.md")
