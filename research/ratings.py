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
from sari.companion_measures.columns import Numbers  # noqa: E402
from sari.corpus_statistics import score_columns  # noqa: E402
from sari.human_ratings.correlation import Agreement, SystemRows, agreement  # noqa: E402
from sari.human_ratings.rated_outputs import RatedOutputs, rated_scores  # noqa: E402
from sari.reports.by_references import scores_by_references  # noqa: E402
from sari.research.collections_of_ratings import ASSET, COLLECTIONS  # noqa: E402
from sari.research.files import DOCS, formatted, read_runs, read_test_set, run, split_sentences  # noqa: E402
from sari.validation import Columns, SystemColumns  # noqa: E402
from sari.variants import VARIANTS, resolve_variant  # noqa: E402

FILE = DOCS / "which_sari.csv"

#: The score that the others are compared with.
BASELINE = "set"

#: The variants by name in tables.
_VARIANTS = {name: resolve_variant(name, sentence_splitter=split_sentences) for name in VARIANTS} | {
    "set, 13a": resolve_variant("set", tokenize="13a")
}

#: Those that are computed with fewer references, too, and the outputs.
_BY_REFERENCES = ("hf", "easse", "lasertagger", "set", "set, 13a")
_ACCESS = "feralvam/easse/easse/resources/data/system_outputs/turkcorpus/test/ACCESS"


def compute_agreement(folder: Path) -> pd.DataFrame:
    """Score all outputs under all variants."""
    rated = {name: read(folder) for name, (_, read) in COLLECTIONS.items()}
    rows = [row for name in tqdm(rated, disable=None, leave=False) for row in _of_collection(name, rated[name])]
    return pd.DataFrame([*rows, *_by_references(folder)])


def _of_collection(collection: str, rated: RatedOutputs) -> Iterator[dict[str, str]]:
    """Yield a row for each score and ratings of outputs, and of systems where there are enough."""
    corpora = {name: score_columns(rated.texts, how, sentences=True, rows=True) for name, how in _VARIANTS.items()}
    signatures = {name: corpus.signature for name, corpus in corpora.items()} | {"BLEU": "", "length": ""}
    values: dict[str, Any] = {name: corpus.sentences()["sari"] for name, corpus in corpora.items()}
    of_systems: dict[str, Any] = {name: rated_scores(corpus)[0].of_systems for name, corpus in corpora.items()}
    values["BLEU"], of_systems["BLEU"] = _bleu(rated.texts)
    values["length"] = of_systems["length"] = _lengths(rated.texts)
    how: dict[str, Any] = {"groups": rated.texts.sources, "confidence": 0.95, "baseline": BASELINE}
    place = {"figure": "Pearson", "collection": collection, "number": str(len(rated.ratings))}
    for name, own in agreement(values, rated.ratings, **how).items():
        signature = signatures[name].replace("|level:corpus|", "|level:sentence|")  # each output is scored alone
        row = place | {"score": name, "signature": signature} | _numbers(own)
        if name != "length":
            partial = partial_correlation(values[name], rated.ratings, values["length"])
            row["at_equal_length"] = f"{partial:.6f}"
        yield row
    if "systems" in rated.levels:
        found = agreement(of_systems, rated.ratings, systems=rated.systems, coefficient="spearman", **how)
        place = {"figure": "Spearman", "collection": collection, "number": str(len(set(rated.systems)))}
        yield from (
            place | {"score": name, "signature": signatures[name]} | _numbers(own) for name, own in found.items()
        )


def _numbers(own: Agreement) -> dict[str, str]:
    """Return the cells of a coefficient, with 6 decimals, so that they are the same everywhere."""
    numbers = (own.value, *(own.interval or ()), own.difference, *(own.difference_interval or ()))
    names = ("value", "low", "high", "difference", "difference_low", "difference_high")
    return {
        name: f"{round(number, 6) + 0:.6f}" for name, number in zip(names, numbers, strict=False) if number is not None
    }


def _by_references(folder: Path) -> Iterator[dict[str, str]]:
    """Score one system with 1, 2, … of its references: means over subsets."""
    sources, references = read_test_set(folder, *ASSET)
    columns = SystemColumns(sources, read_runs(folder, _ACCESS, sources), references)
    for name in _BY_REFERENCES:
        for row in scores_by_references(columns, _VARIANTS[name], subsets=10):
            place = {"figure": "SARI", "collection": "ACCESS on ASSET", "number": str(row.references), "score": name}
            signature = _VARIANTS[name].signature([row.references])
            yield place | {"signature": signature, "value": f"{row.mean['sari']:.6f}"}


def _bleu(texts: Columns) -> tuple[list[float], SystemRows]:
    """Return sacreBLEU's BLEU of each output alone, and the rows of systems."""
    metric = BLEU(effective_order=True)
    scores = [metric.sentence_score(*pair) for pair in zip(texts.predictions, texts.references, strict=True)]
    rows = np.array([[own.sys_len, own.ref_len, *own.counts, *own.totals] for own in scores], np.float64)
    return [own.score for own in scores], SystemRows(rows, lambda sums, _: translation.bleu_of_sums(sums))


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


def agreement_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page: of outputs by group, of systems, and by the number of references.

    They have a row for each score, and a column for each collection or number of references.
    """
    groups = rows["collection"].map({name: group for name, (group, _) in COLLECTIONS.items()})
    groups = rows["figure"].map({"Spearman": "systems", "SARI": "references"}).fillna(groups)
    columns = (rows["collection"] + " (" + rows["number"] + ")").where(rows["figure"] != "SARI", rows["number"])
    intervals = formatted("{:.3f} [{:.3f}, {:.3f}]", rows["value"], rows["low"], rows["high"])
    shown = [interval or cell for interval, cell in zip(intervals, formatted("{:.2f}", rows["value"]), strict=True)]
    table = pd.DataFrame({"Score": rows["score"], "group": groups, "column": columns, "shown": shown})
    by_group = table.set_index("Score").groupby("group", sort=False)
    columns_of = {group: own.groupby("column", sort=False)["shown"] for group, own in by_group}
    return {group: pd.DataFrame(dict(iter(own))).reset_index() for group, own in columns_of.items()}


if __name__ == "__main__":
    run(__doc__, file=FILE, compute=compute_agreement, tables=agreement_tables, page="which_sari.md")
