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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.companion_measures import translation  # noqa: E402
from sari.companion_measures.columns import Numbers  # noqa: E402
from sari.corpus_statistics import score_columns  # noqa: E402
from sari.human_ratings.correlation import Agreement, SystemRows, agreement  # noqa: E402
from sari.human_ratings.rated_outputs import RatedScore, rated_scores  # noqa: E402
from sari.reports.by_references import scores_by_references  # noqa: E402
from sari.research.checkouts import read_runs, read_test_set  # noqa: E402
from sari.research.collections_of_ratings import ASSET, COLLECTIONS, read_collection  # noqa: E402
from sari.research.offline_variants import offline_variant  # noqa: E402
from sari.research.stored import DOCS, Row, as_markdown, run  # noqa: E402
from sari.validation import Columns, SystemColumns  # noqa: E402
from sari.variants import VARIANTS  # noqa: E402

FILE = DOCS / "which_sari.csv"

#: The score that the others are compared with.
BASELINE = "set"

#: The scores: names in tables, with variant and options.
CONFIGURATIONS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in VARIANTS} | {
    "set, 13a": ("set", {"tokenize": "13a"})
}

#: Those that are computed with fewer references, too, and the outputs.
BY_REFERENCES = ("hf", "easse", "lasertagger", "set", "set, 13a")
_ACCESS = "feralvam/easse/easse/resources/data/system_outputs/turkcorpus/test/ACCESS"

_COLUMNS = (
    *("figure", "collection", "number", "score", "signature", "value", "low", "high"),
    *("difference", "difference_low", "difference_high", "at_equal_length"),
)


def compute_agreement(folder: Path) -> list[Row]:
    """Score all outputs under all variants.

    Raises:
        FileError: if a file is missing, cannot be read or is not as expected.
        ImportError: if the package that reads Excel files is missing.
    """
    rows = [row for name in tqdm(COLLECTIONS, disable=None, leave=False) for row in _of_collection(name, folder)]
    return [dict.fromkeys(_COLUMNS, "") | row for row in (*rows, *_by_references(folder))]


def _of_collection(name: str, folder: Path) -> Iterator[Row]:
    rated = read_collection(name, folder)
    scores = {score: _sari(rated.texts, *own) for score, own in CONFIGURATIONS.items()}
    scores |= {"BLEU": _bleu(rated.texts), "length": _length(rated.texts)}
    how: dict[str, Any] = {"groups": rated.texts.sources, "confidence": 0.95, "baseline": BASELINE}
    values = {score: own.values for score, own in scores.items()}
    found = agreement(values, rated.ratings, **how)
    for row in _rows("Pearson", name, len(rated.ratings), scores, found):
        # Each output is scored alone.
        row["signature"] = row["signature"].replace("|level:corpus|", "|level:sentence|")
        if row["score"] != "length":
            partial = partial_correlation(values[row["score"]], rated.ratings, values["length"])
            row["at_equal_length"] = f"{partial:.6f}"
        yield row
    if "systems" in rated.levels:
        by_system = {score: own.of_systems for score, own in scores.items()}
        found = agreement(by_system, rated.ratings, systems=rated.systems, coefficient="spearman", **how)
        yield from _rows("Spearman", name, len(set(rated.systems)), scores, found)


def _rows(
    figure: str, collection: str, number: int, scores: dict[str, RatedScore], found: dict[str, Agreement]
) -> Iterator[Row]:
    """Yield a row for each score; its numbers have 6 digits, so that they are the same everywhere."""
    for score, own in found.items():
        place = (figure, collection, str(number), score, scores[score].signature)
        missing = (None, None)
        numbers = (own.value, *(own.interval or missing), own.difference, *(own.difference_interval or missing))
        shown = ("" if each is None else f"{round(each, 6) + 0:.6f}" for each in numbers)
        yield dict(zip(_COLUMNS, (*place, *shown), strict=False))


def _by_references(folder: Path) -> Iterator[Row]:
    """Score one system with 1, 2, … of its references: means over subsets."""
    sources, references = read_test_set(folder, *ASSET)
    (outputs,) = read_runs(folder, _ACCESS, sources).values()
    for score in BY_REFERENCES:
        name, options = CONFIGURATIONS[score]
        variant = offline_variant(name, **options)
        for row in scores_by_references(SystemColumns(sources, {"": outputs}, references), variant, subsets=10):
            signature = variant.signature([row.references])
            cells = ("SARI", "ACCESS on ASSET", str(row.references), score, signature, f"{row.mean['sari']:.6f}")
            yield dict(zip(_COLUMNS, cells, strict=False))


def _sari(texts: Columns, name: str, options: dict[str, Any]) -> RatedScore:
    return rated_scores(score_columns(texts, offline_variant(name, **options), sentences=True, rows=True))[0]


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


def page_tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the tables of the page: of outputs by group, of systems, and by the number of references."""
    tables: dict[str, list[Row]] = {}
    for row in rows:
        name = {"Spearman": "systems", "SARI": "references"}.get(row["figure"]) or COLLECTIONS[row["collection"]][0]
        tables.setdefault(name, []).append(row)
    return {name: _page_table(own) for name, own in tables.items()}


def _page_table(rows: Sequence[Row]) -> str:
    """Return a row for each score and a column for each collection, or number of references."""
    shown = {}
    for row in rows:
        of_references = row["figure"] == "SARI"
        column = row["number"] if of_references else f"{row['collection']} ({row['number']})"
        interval = f" [{float(row['low']):.3f}, {float(row['high']):.3f}]" if row["low"] else ""
        shown[row["score"], column] = f"{float(row['value']):.{2 if of_references else 3}f}{interval}"
    names, columns = (list(dict.fromkeys(part)) for part in zip(*shown, strict=True))
    return as_markdown(["Score", *columns], [[name, *(shown[name, column] for column in columns)] for name in names])


if __name__ == "__main__":
    run(__doc__, file=FILE, page="which_sari.md", compute=compute_agreement, tables=page_tables)
