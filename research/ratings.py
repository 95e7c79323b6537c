"""Which SARI agrees with people: docs/ratings.csv, and the tables of docs/ratings.md.

The file has a row for each figure, collection and score, with 95% intervals from 1,000 resamples of the sources, each
with all its outputs. Figures of outputs, each of which is scored alone:

- `Pearson`: the correlation of scores and ratings. `at_equal_length` is the partial correlation, given the tokens of
  the output divided by those of its source.
- `accuracy`: the share of pairs of outputs for one source that scores and ratings put in the same order, with ties.
- `added`: the share of the variance of the ratings that a score explains in addition to length, similarity to the
  source and copying; that of these three is the row `the three`.

Figures of at least six systems, which are scored as usual, and are resampled, too:

- `Spearman`: the correlation of scores and mean ratings.
- `systems`: the share of pairs of systems that scores and mean ratings put in the same order.

`number` is that of outputs, systems or pairs. `difference` is that to `easse`; its p-values are corrected by Holm's
method for all rows of the figure. The rows `left out` have the number of outputs with a fault, and `outputs` those that
remain, of how many sources and systems. `rank by people` is that of a system that is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sacrebleu.metrics import BLEU
from tqdm import tqdm

from sari.companion_measures import simplification, translation
from sari.corpus_statistics import score_columns
from sari.human_ratings.correlation import Agreement, Numbers, SystemRows, agreement, with_correction
from sari.human_ratings.rated_outputs import RatedOutputs, RatedScore, rated_scores
from sari.reports.tables import HIGHER, LOWER
from sari.research.collections_of_ratings import COLLECTIONS, NEWER, OLDER, OTHER, Collection, cochrane_pairs
from sari.research.files import DOCS, Study
from sari.significance import SIGNIFICANT, resolve_resampling
from sari.tokenization import split_into_tokens
from sari.validation import Columns
from sari.variants import VARIANTS, Text, Variant, resolve_variant

FILE = DOCS / "ratings.csv"

#: The score that the others are compared with.
BASELINE = "easse"

#: The variants by name in tables.
_VARIANTS = VARIANTS | {"set, 13a": resolve_variant("set", tokenize="13a")}

#: What can be known of an output without references.
WITHOUT_REFERENCES = ("length", "similarity", "copying")

#: How intervals are computed, and the fewest systems whose order is compared with that of people.
_RESAMPLING = resolve_resampling(confidence=0.95, resamples=1_000)
_FEWEST_SYSTEMS = 6

#: The figures by name: the coefficient, and whether it is of systems.
_FIGURES = {
    "Pearson": ("pearson", False),
    "accuracy": ("accuracy", False),
    "Spearman": ("spearman", True),
    "systems": ("accuracy", True),
}
#: What the collection of pairs is called.
PAIRS = "Cochrane, pairs"

_COLUMNS = ["figure", "collection", "number", "score", "signature", "value", "low", "high"]
_COLUMNS += ["difference", "difference_low", "difference_high", "p_value", "corrected_p_value", "at_equal_length"]

Row = dict[str, Any]


def compute_agreement(folder: Path) -> pd.DataFrame:
    """Score all outputs under all variants. Figures have 6 decimals, so that they are the same everywhere."""
    collections = tqdm(COLLECTIONS.items(), disable=None, leave=False)
    rows = [row for name, collection in collections for row in _rows_of_collection(name, collection, folder)]
    table = pd.DataFrame(_with_cells([*rows, *_rows_of_pairs(folder)]))
    numbers = table.select_dtypes("number").map("{:z.6f}".format, na_action="ignore")
    numbers["p_value"], numbers["corrected_p_value"] = (
        table[name].map("{:.3g}".format, na_action="ignore") for name in ("p_value", "corrected_p_value")
    )
    return table.assign(**dict(numbers.items()))[_COLUMNS]


def _with_cells(rows: list[Row]) -> Iterator[Row]:
    """Yield rows with the cells of their agreement, whose p-values are corrected for all rows of the figure."""
    for figure in dict.fromkeys(row["figure"] for row in rows):
        own = [row for row in rows if row["figure"] == figure]
        tested = [row for row in own if "agreement" in row]
        corrected = with_correction([row.pop("agreement") for row in tested])
        for row, result in zip(tested, corrected, strict=True):
            row.update(_cells(result))
        yield from own


def _cells(result: Agreement) -> Row:
    low, high = result.interval or (None, None)
    less, more = result.difference_interval or (None, None)
    cells = {"value": result.value, "low": low, "high": high, "difference": result.difference}
    cells |= {"difference_low": less, "difference_high": more}
    return cells | {"p_value": result.p_value, "corrected_p_value": result.corrected_p_value}


def _rows_of_collection(name: str, collection: Collection, folder: Path) -> Iterator[Row]:
    """Yield a row for each figure and score, for what is left out, and for what remains."""
    every = collection.read(folder)
    rated, left_out = collection.without_faults(every)
    systems = len({*rated.systems} - {""})
    means = pd.Series(every.ratings).groupby(every.systems).mean()
    for system in {name: None for name in every.systems if name not in rated.systems}:
        rank = f"{(means > means[system]).sum() + 1} of {len(means)}"
        yield {"figure": "rank by people", "collection": name, "score": system, "number": rank}
    remaining = {"outputs": len(rated.ratings), "sources": rated.sources, "systems": systems}
    for figure, numbers in (("left out", left_out), ("outputs", remaining)):
        yield from (
            {"figure": figure, "collection": name, "score": label, "number": str(number)}
            for label, number in numbers.items()
        )
    variants, tokenizer = _VARIANTS, collection.tokenizer
    if tokenizer:
        variants = {each: resolve_variant(each, tokenize=tokenizer) for each in VARIANTS}
        variants["easse, 13a"] = resolve_variant("easse")
    scores = _scores(rated.texts, variants, tokenizer)
    signatures = {each: _signature(variant, rated.texts) for each, variant in variants.items()}
    alone = {each: _signature(replace(variant, level="sentence"), rated.texts) for each, variant in variants.items()}
    three = [scores[each].values for each in WITHOUT_REFERENCES]
    for figure, (coefficient, is_of_systems) in _FIGURES.items():
        if systems < _FEWEST_SYSTEMS if is_of_systems else figure == "accuracy" and rated.sources == len(rated.ratings):
            continue
        agreements = agreement(
            {each: score.of_systems if is_of_systems else score.values for each, score in scores.items()},
            rated.ratings,
            groups=rated.sentences,
            systems=rated.systems if is_of_systems else None,
            coefficient=coefficient,
            baseline=BASELINE,
            confidence=_RESAMPLING.confidence,
        )
        for each, score in scores.items():
            row: Row = {
                "figure": figure,
                "collection": name,
                "number": str(systems if is_of_systems else len(rated.ratings)),
                "score": each,
                "signature": (signatures if is_of_systems else alone).get(each, ""),
                "agreement": agreements[each],
            }
            if figure == "Pearson" and each not in WITHOUT_REFERENCES:
                row["at_equal_length"] = partial_correlation(score.values, rated.ratings, scores["length"].values)
            yield row
    known = explained(three, rated.ratings)
    shares = {each: explained([*three, score.values], rated.ratings) - known for each, score in scores.items()}
    for each, share in {"the three": known, **shares}.items():
        if each not in WITHOUT_REFERENCES:
            number, signature = str(len(rated.ratings)), alone.get(each, "")
            row = {"figure": "added", "collection": name, "number": number, "score": each, "signature": signature}
            yield row | {"value": share}


def _scores(texts: Columns, variants: dict[str, Variant], tokenizer: str) -> dict[str, RatedScore]:
    """Return all scores of outputs by name."""
    corpora = {each: score_columns(texts, variant, sentences=True, rows=True) for each, variant in variants.items()}
    scores = {each: rated_scores(corpus)[0] for each, corpus in corpora.items()}
    scores["BLEU"] = _bleu(texts, tokenizer or "13a")
    numbers = {
        "length": _lengths(texts, tokenizer or "none"),
        "similarity": simplification.levenshtein_similarities(texts.sources, texts.predictions),
        "copying": simplification.exact_copies(texts.sources, texts.predictions).astype(float),
    }
    return scores | {each: RatedScore("", each, column, SystemRows(column), "") for each, column in numbers.items()}


def _signature(variant: Variant, texts: Columns) -> str:
    return variant.signature(set(map(len, texts.references)))


def _rows_of_pairs(folder: Path) -> Iterator[Row]:
    """Yield a row for each score and Cochrane's pairs."""
    sides, is_second = cochrane_pairs(folder)
    pairs = len(is_second)
    texts = Columns(*(one + other for one, other in zip(*sides, strict=True)))
    rated = RatedOutputs(texts, [""] * (2 * pairs), [*(~is_second).astype(float), *is_second.astype(float)])
    variants = {name: replace(variant, level="sentence") for name, variant in _VARIANTS.items()}
    scores = _scores(texts, variants, "")
    agreements = agreement(
        {name: score.values for name, score in scores.items()},
        rated.ratings,
        groups=rated.sentences,
        items=[*range(pairs)] * 2,
        coefficient="accuracy",
        baseline=BASELINE,
        confidence=_RESAMPLING.confidence,
    )
    for name, found in agreements.items():
        signature = _signature(variants[name], texts) if name in variants else ""
        row = {"figure": "accuracy", "collection": PAIRS, "number": str(pairs), "score": name}
        yield row | {"signature": signature, "agreement": found}


def _bleu(texts: Columns, tokenizer: str) -> RatedScore:
    """Return sacreBLEU's BLEU of each output alone, and the rows of systems."""
    metric = BLEU(effective_order=True, tokenize=tokenizer)
    scores = [metric.sentence_score(*pair) for pair in zip(texts.predictions, texts.references, strict=True)]
    rows = np.array([[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores], np.float64)
    of_systems = SystemRows(rows, lambda sums, _: translation.bleu_of_sums(sums))
    return RatedScore("", "BLEU", np.array([score.score for score in scores]), of_systems, "")


def _lengths(texts: Columns, tokenizer: str = "none") -> np.ndarray:
    """Return the tokens of each output divided by those of its source."""
    text = Text(tokenize=tokenizer, lowercase=False)
    sources, outputs = (np.array(list(map(len, split_into_tokens(column, text)))) for column in texts[:2])
    return outputs / np.maximum(sources, 1)


def partial_correlation(x: Numbers, y: Numbers, given: Numbers) -> float:
    """Return Pearson's correlation of x and y, given a third variable.

    >>> round(partial_correlation([1, 2, 3, 4], [1, 3, 2, 5], [1, 1, 2, 2]), 3)
    0.981
    """
    (_, xy, xz), (_, _, yz), _ = np.corrcoef([x, y, given])
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def explained(columns: Sequence[Numbers], ratings: Numbers) -> float:
    """Return the share of the variance of ratings that a linear function of columns explains (R²).

    >>> round(explained([[1, 2, 3, 4], [1, 1, 2, 2]], [1, 3, 2, 5]), 3)
    0.971
    """
    design, target = np.column_stack([np.ones(len(ratings)), *columns]), np.asarray(ratings)
    left = target - design @ np.linalg.lstsq(design, target)[0]
    return float(1 - left.var() / target.var())


# ---- Tables ---------------------------------------------------------------------------------------------------------


def ratings_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page: of each figure, of what is left out, and how often a score is better or worse."""
    groups = {name: collection.group for name, collection in COLLECTIONS.items()} | {PAIRS: OTHER}
    rows = rows.assign(group=rows["collection"].map(groups))
    tables = {"left out": _left_out(rows), "better or worse": _better_or_worse(rows)}
    for figure in ("Pearson", "accuracy", "added", "Spearman", "systems"):
        own = rows[rows["figure"] == figure]
        tables[figure] = _by_collection(own, _interval_cell if figure in ("Spearman", "systems") else _marked_cell)
    return tables


def mark_of(row: Row) -> str:
    """Return the mark of a score that is significantly better or worse than `easse`, empty for others."""
    if not row["corrected_p_value"] or float(row["corrected_p_value"]) >= SIGNIFICANT:
        return ""
    return HIGHER if float(row["difference"]) > 0 else LOWER


def _marked_cell(row: Row) -> str:
    return f"{float(row['value']):z.3f}{mark_of(row)}" if row["value"] else ""  # no output is a copy


def _interval_cell(row: Row) -> str:
    if not row["value"]:
        return ""
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    return f"{value:z.2f}{mark_of(row)} [{low:z.2f}, {high:z.2f}]"


def _by_collection(rows: pd.DataFrame, cell: Any) -> pd.DataFrame:
    columns = rows["collection"] + " (" + rows["number"] + ")"
    table = pd.DataFrame({"Score": rows["score"], "column": columns, "cell": [*map(cell, rows.to_dict("records"))]})
    return table.pivot_table("cell", "Score", "column", aggfunc="first", sort=False).fillna("").reset_index()


def _left_out(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what remains of each collection, and the outputs with each fault."""
    own = rows[rows["figure"].isin(["outputs", "left out"])].sort_values("figure", ascending=False, kind="stable")
    table = own.pivot_table("number", "collection", "score", aggfunc="first", sort=False)
    table = table.replace("0", "").loc[list(dict.fromkeys(own["collection"]))]
    return table.loc[:, (table != "").any()].rename_axis("Collection").reset_index()


def _better_or_worse(rows: pd.DataFrame) -> pd.DataFrame:
    """Return in how many collections of each group a score is better than `easse`, equal, and worse."""
    rows = rows[rows["figure"].isin(["Pearson", "accuracy"]) & (rows["score"] != BASELINE)]
    marks = pd.Series([*map(mark_of, rows.to_dict("records"))], rows.index)
    columns, cells = rows["group"] + ", " + rows["figure"], {}
    for column in [f"{group}, {figure}" for group in (OLDER, NEWER, OTHER) for figure in ("Pearson", "accuracy")]:
        own = marks[columns == column].groupby(rows["score"], sort=False)
        cells[column] = own.agg(lambda part: "–".join(str((part == mark).sum()) for mark in (HIGHER, "", LOWER)))
    return pd.DataFrame(cells).reindex(rows["score"].unique()).fillna("").rename_axis("Score").reset_index()


STUDY = Study(FILE, ratings_tables, compute_agreement, [DOCS / "ratings.md"])
