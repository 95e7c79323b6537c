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
from sari.human_ratings.rated_outputs import RatedOutputs, RatedScore, rated_scores  # noqa: E402
from sari.reports.by_references import scores_by_references  # noqa: E402
from sari.research.collections_of_ratings import ASSET, COLLECTIONS, read_collection  # noqa: E402
from sari.research.files import DOCS, read_runs, read_test_set, run, split_sentences  # noqa: E402
from sari.validation import Columns, SystemColumns  # noqa: E402
from sari.variants import VARIANTS, Variant, resolve_variant  # noqa: E402

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
    rated = {name: read_collection(name, folder) for name in COLLECTIONS}
    rows = [row for name in tqdm(rated, disable=None, leave=False) for row in _of_collection(name, rated[name])]
    return pd.DataFrame([*rows, *_by_references(folder)])


def _of_collection(collection: str, rated: RatedOutputs) -> Iterator[dict[str, str]]:
    scores = {name: _sari(rated.texts, variant) for name, variant in _VARIANTS.items()}
    scores |= {"BLEU": _bleu(rated.texts), "length": _length(rated.texts)}
    how: dict[str, Any] = {"groups": rated.texts.sources, "confidence": 0.95, "baseline": BASELINE}
    values = {name: score.values for name, score in scores.items()}
    place = {"figure": "Pearson", "collection": collection, "number": str(len(rated.ratings))}
    for name, own in agreement(values, rated.ratings, **how).items():
        # Each output is scored alone.
        signature = scores[name].signature.replace("|level:corpus|", "|level:sentence|")
        cells = place | {"score": name, "signature": signature} | _numbers(own)
        if name != "length":
            partial = partial_correlation(values[name], rated.ratings, values["length"])
            cells["at_equal_length"] = f"{partial:.6f}"
        yield cells
    if "systems" in rated.levels:
        place |= {"figure": "Spearman", "number": str(len(set(rated.systems)))}
        rows = {name: score.of_systems for name, score in scores.items()}
        found = agreement(rows, rated.ratings, systems=rated.systems, coefficient="spearman", **how)
        for name, own in found.items():
            yield place | {"score": name, "signature": scores[name].signature} | _numbers(own)


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


def _sari(texts: Columns, variant: Variant) -> RatedScore:
    return rated_scores(score_columns(texts, variant, sentences=True, rows=True))[0]


def _bleu(texts: Columns) -> RatedScore:
    """Return sacreBLEU's BLEU of each output alone."""
    metric = BLEU(effective_order=True)
    scores = [metric.sentence_score(*pair) for pair in zip(texts.predictions, texts.references, strict=True)]
    rows = np.array([[own.sys_len, own.ref_len, *own.counts, *own.totals] for own in scores], np.float64)
    of_systems = SystemRows(rows, lambda sums, _: translation.bleu_of_sums(sums))
    return RatedScore("", "BLEU", np.array([own.score for own in scores]), of_systems, "")


def _length(texts: Columns) -> RatedScore:
    """Return the words of each output divided by those of its source."""
    pairs = zip(texts.predictions, texts.sources, strict=True)
    ratios = np.array([len(output.split()) / max(len(source.split()), 1) for output, source in pairs])
    return RatedScore("", "length", ratios, SystemRows(ratios), "")


def partial_correlation(x: Numbers, y: Numbers, given: Numbers) -> float:
    """Return Pearson's correlation of x and y, given a third variable.

    >>> round(partial_correlation([1, 2, 3, 4], [1, 3, 2, 5], [1, 1, 2, 2]), 3)
    0.981
    """
    (_, xy, xz), (_, _, yz), _ = np.corrcoef([x, y, given])
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def page_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page: of outputs by group, of systems, and by the number of references.

    They have a row for each score, and a column for each collection or number of references.
    """
    names = {"Spearman": "systems", "SARI": "references"}
    tables: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows.to_dict("records"):
        table = tables.setdefault(names.get(row["figure"]) or COLLECTIONS[row["collection"]][0], {})
        if row["figure"] == "SARI":
            column, shown = row["number"], f"{float(row['value']):.2f}"
        else:
            column = f"{row['collection']} ({row['number']})"
            shown = "{:.3f} [{:.3f}, {:.3f}]".format(*(float(row[name]) for name in ("value", "low", "high")))
        table.setdefault(column, {})[row["score"]] = shown
    return {name: pd.DataFrame(table).rename_axis("Score").reset_index() for name, table in tables.items()}


if __name__ == "__main__":
    run(__doc__, file=FILE, page="which_sari.md", compute=compute_agreement, tables=page_tables)
