"""Read public collections of outputs with ratings by people from the files of their authors."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pandas as pd

from sari.human_ratings.rated_outputs import RatedOutputs
from sari.research.files import TEST_SETS, find_files, read_table, read_test_set
from sari.validation import Columns

_LENS = "Yao-Dou/LENS"
_DOCUMENTS = "cardiffnlp/document-simplification/meta_evaluation/eval_datasets"

#: Outputs that are more similar to a reference than this, word by word, are left out as copies of it.
_NEAR = 0.9

#: The names under which SimpEval past has references of ASSET.
_OWN_REFERENCES = ["asset.test.simp", "new_asset.test.simp.second"]

#: A source and its references.
Sentence = tuple[str, list[str]]


def rated_in_test_set(folder: Path, file: str, rating: str, test_set: tuple[str, str]) -> RatedOutputs:
    """Read the files of Alva-Manchego et al. 2021, of outputs for sentences of a test set."""
    rows = _rows(folder, file)
    return _rated(_sentences(folder, test_set, rows["orig_sent"]), rows["simp_sent"], rows[rating], rows["sys_name"])


def _rows(folder: Path, files: str) -> pd.DataFrame:
    return pd.concat(map(read_table, find_files(folder, files)))


def _sentences(folder: Path, test_set: tuple[str, str], sources: Iterable[str]) -> list[Sentence]:
    """Return the sentences of a test set that have the letters and digits of these sources."""
    sentences = {_letters(row[0]): row for row in zip(*read_test_set(folder, *test_set), strict=True)}
    return [sentences[_letters(source)] for source in sources]


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text.lower())


def _asset_ratings(folder: Path) -> RatedOutputs:
    rows = _rows(folder, "facebookresearch/asset/human_ratings/human_ratings.csv").query("aspect == 'simplicity'")
    rows = _mean_of_raters(rows, ["original", "simplification"], "rating")
    return _rated(_sentences(folder, TEST_SETS["ASSET"], rows["original"]), rows["simplification"], rows["rating"])


def _simpeval_past(folder: Path) -> RatedOutputs:
    rows = _rows(folder, f"{_LENS}/data/simpeval_past.csv").query(f"system not in {_OWN_REFERENCES}")
    sentences = _sentences(folder, TEST_SETS["ASSET"], rows["original"])
    return _rated(sentences, rows["processed_generation"], rows.filter(regex="z_score"), rows["system"])


def _simpeval_2022(folder: Path) -> RatedOutputs:
    rows = _rows(folder, f"{_LENS}/data/simpeval_2022.csv")
    sentences = _sentences_of_2022(folder, rows["original"], rows["original"])
    return _rated(sentences, rows["generation"].str.lower(), rows.filter(regex="zscore"), rows["system"])


def _simpda_2022(folder: Path) -> RatedOutputs:
    """Read ratings of the outputs of SimpEval 2022. Numbers find the references: a source is spelled differently."""
    originals = _rows(folder, f"{_LENS}/data/simpeval_2022.csv").groupby("original_id")["original"].first()
    keys, rating = ["Input.id", "Input.system", "Input.original", "Input.simplified"], "Answer.simplicity"
    rows = _mean_of_raters(_rows(folder, f"{_LENS}/data/simpDA_2022.csv"), keys, rating)
    sentences = _sentences_of_2022(folder, rows["Input.id"].map(originals), rows["Input.original"])
    return _rated(sentences, rows["Input.simplified"].str.lower(), rows[rating], rows["Input.system"])


def _sentences_of_2022(folder: Path, originals: Iterable[str], sources: Iterable[str]) -> list[Sentence]:
    """Return sources with the references of the originals in SimpEval 2022, a line each, lowercased."""
    under = f"{_LENS}/experiments/meta_evaluation/data/simpeval_2022/references/test"
    rows = _sentences(folder, (f"{under}.src", f"{under}.dst"), originals)
    return [(source.lower(), line.lower().split("\t")) for source, (_, (line,)) in zip(sources, rows, strict=True)]


def _dwikipedia(folder: Path, ratings: Sequence[str]) -> RatedOutputs:
    """Read documents, without outputs that are nearly copies of a reference."""
    rows = _rows(folder, f"{_DOCUMENTS}/dwiki_final.jsonl")
    rows = rows[[not _is_near(*pair) for pair in zip(rows["simplification"], rows["references"], strict=True)]]
    by_name = pd.DataFrame([{rating["name"]: rating["agg_value"] for rating in row} for row in rows["ratings"]])
    sentences = zip(rows["original"], rows["references"], strict=True)
    return _rated(sentences, rows["simplification"], by_name[list(ratings)])


def _onestopqa(folder: Path) -> RatedOutputs:
    """Read paragraphs of news, each with the share of three questions that a reader of the output answered rightly.

    The source and the reference are no outputs.
    """
    rows = _rows(folder, f"{_DOCUMENTS}/qa.jsonl").query("system not in ['Original', 'Elementary']")
    answered = rows["ratings"].map(lambda row: row[0]["agg_value"])
    sentences = zip(rows["original"], rows["references"], strict=True)
    return _rated(sentences, rows["simplification"], answered, rows["system"])


def cochrane_pairs(folder: Path) -> tuple[list[Columns], np.ndarray]:
    """Read pairs of outputs for medical abstracts.

    Returns:
        The texts with the first outputs, and with the second; and in which pairs most raters prefer the second.
    """
    rows = _rows(folder, f"{_DOCUMENTS}/cochrance_lj.jsonl")
    sources, references = rows["original"].tolist(), rows["references"].tolist()
    sides = [Columns(sources, rows[f"simplification{number}"].tolist(), references) for number in (1, 2)]
    return sides, rows["ratings"].map(lambda row: row[0]["agg_value"] == 1).to_numpy()


def _jades(folder: Path) -> RatedOutputs:
    """Read Japanese sentences of two systems, each rated by three people. References are no outputs."""
    parts = read_table(find_files(folder, "naist-nlp/jades/jades_manual_scores.json")[0])
    rows = pd.DataFrame([row for part in parts for row in parts[part]]).query("system != 'Reference'")
    sentences = zip(rows["sentence_origin"], rows[["sentence_reference"]].to_numpy().tolist(), strict=True)
    return _rated(sentences, rows["sentence_hypothesis"], rows.filter(regex="score_simplicity"), rows["system"])


def _is_near(output: str, references: Sequence[str]) -> bool:
    words = output.split()
    return any(SequenceMatcher(None, words, text.split()).ratio() > _NEAR for text in references)


def _multicochrane(folder: Path) -> RatedOutputs:
    """Read English sentences of three systems, each rated by the same three people, row by row.

    The ratings of a fourth do not correlate with those of others. The authors' scale has positive numbers for
    near-copies, so the sign is reversed.
    """
    texts = ["original english sentence", "simple generated sentence", "simple gold sentence"]
    in_rows, parts = dict.fromkeys(texts, "first") | {"Simplicity": "mean"}, []
    for system in ("system1_0", "system2_0.5", "system3_plain"):
        sheets = _rows(folder, f"SebaJoe/MultiCochrane/data/eval_data/en/spreadsheets/anno[1-3]/*en_{system}*.xlsx")
        parts.append(sheets.groupby(level=0).agg(in_rows).assign(system=system))
    rows = pd.concat(parts).dropna()  # below the sentences are sums
    sentences = zip(rows[texts[0]], rows[texts[2:]].to_numpy().tolist(), strict=True)
    return _rated(sentences, rows[texts[1]], -rows["Simplicity"], rows["system"])


def _language_models(folder: Path) -> RatedOutputs:
    """Read outputs for sentences of ASSET and TurkCorpus, which share them, with the references of ASSET."""
    under = "WuXuanxin/human-eval-llm-simplification/annotation/likert/exclude_newsela"
    rows = _rows(folder, f"{under}/likert_*.json")
    rows = rows[rows["source_file"].isin(["asset", "turk"])]
    ratings = rows["label_annotations"].map(lambda row: fmean(rater["simplicity"] for rater in row.values()))
    references = [row for _, row in _sentences(folder, TEST_SETS["ASSET"], rows["source"])]
    return _rated(zip(rows["source"], references, strict=True), rows["simple"], ratings, rows["model"])


def _rated(
    sentences: Iterable[Sentence],
    outputs: Iterable[str],
    ratings: pd.DataFrame | pd.Series,
    systems: Iterable[str] | None = None,
) -> RatedOutputs:
    """Return outputs with their ratings, or with the means of several ratings in each row."""
    sources, references = map(list, zip(*sentences, strict=True))
    named = [""] * len(ratings) if systems is None else list(systems)
    means = pd.DataFrame(ratings).astype(float).mean(axis=1).tolist()
    return RatedOutputs(Columns(sources, list(outputs), references), named, means)


def _mean_of_raters(rows: pd.DataFrame, keys: list[str], rating: str) -> pd.DataFrame:
    """Return one row for each output, in order of appearance, with the mean of its ratings."""
    return rows.astype({rating: float}).groupby(keys, sort=False)[rating].mean().reset_index()


class Collection(NamedTuple):
    """A collection of ratings.

    Attributes:
        group: those that share a table with it.
        read: from a folder of checkouts to the outputs.
        tokenizer: that its language needs; empty for English, in which each variant has its own.
    """

    group: str
    read: Callable[[Path], RatedOutputs]
    tokenizer: str = ""


_METAEVAL, _HSPLIT = "feralvam/metaeval-simplification/data", "feralvam/easse/easse/resources/data/test_sets/hsplit"
_SIMPLICITY_DA = partial(
    rated_in_test_set,
    file=f"{_METAEVAL}/simplicity_DA.csv",
    rating="simplicity_zscore",
    test_set=TEST_SETS["ASSET"],
)
_STRUCTURE = partial(
    rated_in_test_set,
    file=f"{_METAEVAL}/structural_simplicity.csv",
    rating="structural_simplicity",
    test_set=(f"{_HSPLIT}/hsplit.tok.src", f"{_HSPLIT}/hsplit.tok.[1-4]"),
)
#: The groups.
WIKIPEDIA, OTHER = "sentences of Wikipedia", "other texts"

#: The collections by name, the oldest outputs first.
COLLECTIONS = {
    "ASSET ratings": Collection(WIKIPEDIA, _asset_ratings),
    "Simplicity-DA": Collection(WIKIPEDIA, _SIMPLICITY_DA),
    "HSplit, structure": Collection(WIKIPEDIA, _STRUCTURE),
    "SimpEval past": Collection(WIKIPEDIA, _simpeval_past),
    "SimpEval 2022": Collection(WIKIPEDIA, _simpeval_2022),
    "simpDA 2022": Collection(WIKIPEDIA, _simpda_2022),
    "Wu and Arase": Collection(WIKIPEDIA, _language_models),
    "D-Wikipedia, words": Collection(OTHER, partial(_dwikipedia, ratings=("simplicity-word", "simplicity-sent"))),
    "D-Wikipedia, overall": Collection(OTHER, partial(_dwikipedia, ratings=("simplicity-overall",))),
    "D-Wikipedia, meaning": Collection(OTHER, partial(_dwikipedia, ratings=("meaning",))),
    "OneStopQA": Collection(OTHER, _onestopqa),
    "MultiCochrane": Collection(OTHER, _multicochrane),
    "JADES": Collection(OTHER, _jades, "ja-mecab"),
}
