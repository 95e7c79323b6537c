"""Which SARI agrees with people: docs/ratings.csv, and the tables of docs/ratings.md.

The file has a row for each collection and score, with 95% intervals from 1,000 resamples of the sources, each with all
its outputs:

- `Pearson`: of the scores and ratings of outputs, each scored alone. `at_equal_length` is the partial correlation,
  given the tokens of the output divided by those of its source.
- `Spearman`: of the scores and mean ratings of at least six systems, scored as usual.
- `pairs`: the percentage of pairs of outputs in which the score prefers the one that people prefer.

`number` is that of outputs, systems or pairs. `difference` is that to `easse`.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sacrebleu.metrics import BLEU
from tqdm import tqdm

from sari.companion_measures import translation
from sari.corpus_statistics import score_columns
from sari.human_ratings.correlation import Agreement, Numbers, SystemRows, agreement
from sari.human_ratings.rated_outputs import RatedScore, rated_scores
from sari.research.collections_of_ratings import COLLECTIONS, OTHER, Collection, cochrane_pairs
from sari.research.files import DOCS, Study
from sari.significance import Sample, resolve_resampling
from sari.tokenization import split_into_tokens
from sari.validation import Columns
from sari.variants import VARIANTS, Text, Variant, resolve_variant

FILE = DOCS / "ratings.csv"

#: The score that the others are compared with.
BASELINE = "easse"

#: The variants by name in tables.
_VARIANTS = VARIANTS | {"set, 13a": resolve_variant("set", tokenize="13a")}

#: How intervals are computed, and the fewest systems whose order is compared with that of people.
_RESAMPLING = resolve_resampling(confidence=0.95, resamples=1_000)
_FEWEST_SYSTEMS = 6

_COLUMNS = ["figure", "collection", "number", "score", "signature", "value", "low", "high"]
_COLUMNS += ["difference", "difference_low", "difference_high", "at_equal_length"]


def compute_agreement(folder: Path) -> pd.DataFrame:
    """Score all outputs under all variants. Figures have 6 decimals, so that they are the same everywhere."""
    collections = tqdm(COLLECTIONS.items(), disable=None, leave=False)
    rows = [row for name, collection in collections for row in _rows_of_collection(name, collection, folder)]
    table = pd.DataFrame([*rows, *_rows_of_pairs(folder)])
    numbers = table.select_dtypes("number").map("{:z.6f}".format, na_action="ignore")
    return table.assign(**dict(numbers.items()))[_COLUMNS]


def _rows_of_collection(name: str, collection: Collection, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each score and ratings of outputs, and of systems where there are enough."""
    rated, variants = collection.read(folder), _VARIANTS
    if tokenizer := collection.tokenizer:
        variants = {each: resolve_variant(each, tokenize=tokenizer) for each in VARIANTS}
        variants["easse, 13a"] = resolve_variant("easse")
    lengths = _lengths(rated.texts, tokenizer or "none")
    corpora = {
        each: score_columns(rated.texts, variant, sentences=True, rows=True) for each, variant in variants.items()
    }
    scores = [rated_scores(corpus)[0]._replace(name=each) for each, corpus in corpora.items()]
    scores += [_bleu(rated.texts, tokenizer or "13a"), RatedScore("", "length", lengths, SystemRows(lengths), "")]
    number = len(set(rated.systems))
    for figure in ("Pearson", "Spearman")[: 1 + (number >= _FEWEST_SYSTEMS)]:
        of_systems = figure == "Spearman"
        agreements = agreement(
            {score.name: score.of_systems if of_systems else score.values for score in scores},
            rated.ratings,
            groups=rated.texts.sources,
            systems=rated.systems if of_systems else None,
            coefficient=figure.lower(),
            baseline=BASELINE,
            confidence=_RESAMPLING.confidence,
        )
        for score in scores:
            row: dict[str, Any] = {
                "figure": figure,
                "collection": name,
                "number": str(number if of_systems else len(rated.ratings)),
                "score": score.name,
                "signature": score.signature,
            }
            if not of_systems and score.name != "length":
                row["at_equal_length"] = partial_correlation(score.values, rated.ratings, lengths)
            if not of_systems and score.name in variants:
                row["signature"] = _signature(replace(variants[score.name], level="sentence"), rated.texts)
            yield row | _cells(agreements[score.name])


def _signature(variant: Variant, texts: Columns) -> str:
    return variant.signature(set(map(len, texts.references)))


def _cells(result: Agreement) -> dict[str, Any]:
    low, high = result.interval or (None, None)
    less, more = result.difference_interval or (None, None)
    cells = {"value": result.value, "low": low, "high": high}
    return cells | {"difference": result.difference, "difference_low": less, "difference_high": more}


def _rows_of_pairs(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each score and Cochrane's pairs, and one for the rule to prefer the shorter output."""
    sides, is_second = cochrane_pairs(folder)
    alone = {name: replace(variant, level="sentence") for name, variant in _VARIANTS.items()}
    scores: dict[str, list[Any]] = {
        name: [np.array(score_columns(side, variant, sentences=True).sentences()["sari"]) for side in sides]
        for name, variant in alone.items()
    }
    scores["the shorter one"] = [-_lengths(side) for side in sides]
    agrees = pd.DataFrame({name: (second > first) == is_second for name, (first, second) in scores.items()})
    shares = 100 * agrees.groupby(sides[0].sources).mean().to_numpy()  # all sources have as many pairs
    sample = Sample(shares[..., None], lambda sums: sums / len(shares), _RESAMPLING.seed)
    pairs = np.array([[place, list(scores).index(BASELINE)] for place in range(len(scores))])
    cells = {"value": sample.scores[:, 0], "difference": sample.differences(pairs)[:, 0]}
    cells |= dict(zip(("low", "high"), sample.intervals(_RESAMPLING)[..., 0], strict=True))
    ends = sample.difference_intervals(pairs, _RESAMPLING)[..., 0]
    cells |= dict(zip(("difference_low", "difference_high"), ends, strict=True))
    for place, name in enumerate(scores):
        row = {
            "figure": "pairs",
            "collection": "Cochrane, pairs",
            "number": str(len(is_second)),
            "score": name,
            "signature": _signature(alone[name], sides[0]) if name in alone else "",
        }
        yield row | {key: values[place] for key, values in cells.items()}


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


def ratings_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the page: of outputs and pairs by group, and of systems.

    They have a row for each score, and a column for each collection.
    """
    groups = rows["collection"].map({name: collection.group for name, collection in COLLECTIONS.items()}).fillna(OTHER)
    groups = groups.mask(rows["figure"] == "Spearman", "systems")
    cells = [
        ("{:.1f} [{:.1f}, {:.1f}]" if figure == "pairs" else "{:z.3f} [{:z.3f}, {:z.3f}]").format(*map(float, figures))
        for figure, *figures in rows[["figure", "value", "low", "high"]].to_numpy()  # z: never -0
    ]
    columns = rows["collection"] + " (" + rows["number"] + ")"
    table = pd.DataFrame({"Score": rows["score"], "group": groups, "column": columns, "cell": cells})
    return {
        group: part.pivot_table("cell", "Score", "column", aggfunc="first", sort=False).fillna("").reset_index()
        for group, part in table.groupby("group", sort=False)
    }


STUDY = Study(FILE, ratings_tables, [DOCS / "ratings.md"], compute_agreement)
