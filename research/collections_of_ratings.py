"""Read public collections of outputs with ratings by people from the files of their authors.

A collection is a row of `COLLECTIONS`. Its files become rows with named columns (see `_rows`), the rows with the same
output of a system for the same item become one with the mean of their ratings, and `without_faults` leaves out what is
no output of a system.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from sari.human_ratings.rated_outputs import FAULTS, RatedOutputs, faulty_rows, letters_of
from sari.messages import RefusedValueError, short_line
from sari.research.files import TEST_SETS, find_files, read_table, read_test_set
from sari.validation import Columns

_METAEVAL = "feralvam/metaeval-simplification/data"
_LENS = "Yao-Dou/LENS"
_DOCUMENTS = "cardiffnlp/document-simplification/meta_evaluation/eval_datasets"
_LIKERT = "WuXuanxin/human-eval-llm-simplification/annotation/likert/exclude_newsela"
_SHEETS = "SebaJoe/MultiCochrane/data/eval_data/en/spreadsheets"

#: Test sets that no system has outputs for here.
_HSPLIT = tuple(f"feralvam/easse/easse/resources/data/test_sets/hsplit/hsplit.tok.{part}" for part in ("src", "[1-4]"))
_OF_2022 = tuple(
    f"{_LENS}/experiments/meta_evaluation/data/simpeval_2022/references/test.{part}" for part in ("src", "dst")
)

#: An output that is more similar to a reference than this, word by word, is nearly a copy of it.
_NEAR = 0.9

#: The groups of collections: by the systems, if outputs are of sentences of Wikipedia.
OLDER, NEWER, OTHER = "older systems", "newer systems", "other texts"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A collection of ratings.

    Attributes:
        group: those that share a table with it.
        files: patterns of its files, separated by spaces.
        source, output: the columns of texts.
        ratings: a pattern of the columns of ratings, whose mean is taken.
        references: the column of references; empty for those of the test set.
        test_set: patterns of sources and references; the sources are taken from there, too.
        system: the column of systems; empty if they have no names.
        item: the columns that tell what was rated, by several people in a row each; none if a row has all ratings.
        query: the rows that are taken; the others are references, other aspects, people or baselines.
        sign: -1 if high ratings are bad.
        drops_near_copies: whether outputs that are nearly copies of a reference are left out.
        tokenizer: that its language needs; empty for English, in which each variant has its own.
    """

    group: str
    files: str
    source: str
    output: str
    ratings: str
    references: str = ""
    test_set: tuple[str, ...] = ()
    system: str = ""
    item: tuple[str, ...] = ()
    query: str = "True"
    sign: int = 1
    drops_near_copies: bool = False
    tokenizer: str = ""

    def read(self, folder: Path) -> RatedOutputs:
        """Return the rated outputs, as they are in the files of a folder of checkouts.

        Raises:
            OSError, ValueError: if files are missing, or do not go together.
        """
        rows = _rows(folder, self.files)
        rows = rows if self.query == "True" else rows.query(self.query, engine="python")
        numbers = rows.filter(regex=f"^({self.ratings})$").apply(pd.to_numeric, errors="coerce")
        rows = rows.assign(rating=numbers.mean(axis=1)).dropna(subset=["rating", self.source, self.output])
        if self.item:
            rating = rows.groupby([*self.item], sort=False)["rating"].transform("mean")
            rows = rows.assign(rating=rating).drop_duplicates([*self.item])
        sources, references = rows[self.source].tolist(), []
        if self.references:
            references = [[one] if isinstance(one, str) else list(one) for one in rows[self.references]]
        else:
            sources, references = _in_test_set(folder, self.test_set, sources)
        outputs = rows[self.output].tolist()
        if self.test_set == _OF_2022:  # its sources and references are lowercased
            outputs = list(map(str.lower, outputs))
        systems = rows[self.system].tolist() if self.system else [""] * len(rows)
        return RatedOutputs(Columns(sources, outputs, references), systems, (self.sign * rows["rating"]).tolist())

    def without_faults(self, rated: RatedOutputs) -> tuple[RatedOutputs, dict[str, int]]:
        """Return outputs without what is no output of a system, and how many outputs have each fault."""
        faults = {name: rows for name, rows in faulty_rows(rated).items() if name != "repeated"}
        if self.drops_near_copies:
            faults["references"] = np.array(list(map(_is_near, rated.texts.predictions, rated.texts.references)))
        kept = rated.where(~np.any([*faults.values()], axis=0))
        once = _with_means(kept)
        numbers = {name: int(np.count_nonzero(rows)) for name, rows in faults.items()}
        numbers["repeated"] = len(kept.ratings) - len(once.ratings)
        return once, {name: numbers[name] for name in FAULTS}


def _rows(folder: Path, files: str) -> pd.DataFrame:
    """Return the rows of tables, and a column `file` with the name of each without that of an annotator.

    In JSON, a list of `{"name": N, "agg_value": V}` is a column for each name, and a dict in a cell has a column for
    each path of keys, such as `label_annotations.annotator_1.simplicity`. A dict of lists is all of their rows.
    """
    tables = []
    for path in [path for pattern in files.split() for path in find_files(folder, pattern)]:
        if path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8"))
            records = content if isinstance(content, list) else [row for part in content.values() for row in part]
            table = pd.json_normalize(records)
        else:
            table = read_table(path)
        if "ratings" in table:
            named = [{rating["name"]: rating["agg_value"] for rating in row} for row in table["ratings"]]
            table = table.join(pd.DataFrame(named))
        tables.append(table.assign(file=re.sub(r"^Copy of |_anno\d+$", "", path.stem)))
    return pd.concat(tables, ignore_index=True)


def _in_test_set(folder: Path, test_set: Sequence[str], sources: Iterable[str]) -> tuple[list[str], list[list[str]]]:
    """Return the sentences of a test set that have the letters of these sources, and their references.

    A sentence that is spelled otherwise is taken for the most similar one. A line may have several references, with
    tabs between them.

    Raises:
        ValueError: for a source that is like none of the test set.
    """
    texts, references = read_test_set(folder, *test_set)
    places = {letters_of(text): place for place, text in enumerate(texts)}
    found = []
    for source in sources:
        letters = letters_of(source)
        near = [letters] if letters in places else get_close_matches(letters, places, n=1, cutoff=_NEAR)
        if not near:
            raise RefusedValueError(short_line(f"{test_set[0]}: no sentence like {source!r}"))
        found.append(places[near[0]])
    split = [[one for text in row for one in text.split("\t")] for row in references]
    if tuple(test_set) == _OF_2022:
        texts, split = list(map(str.lower, texts)), [list(map(str.lower, row)) for row in split]
    return [texts[place] for place in found], [split[place] for place in found]


def _is_near(output: str, references: Sequence[str]) -> bool:
    words = output.split()
    return any(SequenceMatcher(None, words, text.split()).ratio() > _NEAR for text in references)


def _with_means(rated: RatedOutputs) -> RatedOutputs:
    """Return each output of a system for a source once, with the mean of its ratings."""
    keys = list(zip(rated.systems, rated.sentences, map(letters_of, rated.texts.predictions), strict=True))
    means = pd.Series(rated.ratings).groupby(pd.factorize(pd.Series(keys))[0]).transform("mean")
    return rated._replace(ratings=means.tolist()).where(~pd.Series(keys).duplicated())


def cochrane_pairs(folder: Path) -> tuple[list[Columns], np.ndarray]:
    """Read pairs of outputs for medical abstracts.

    Returns:
        The texts with the first outputs, and with the second; and in which pairs most raters prefer the second.
    """
    rows = _rows(folder, f"{_DOCUMENTS}/cochrance_lj.jsonl")
    sources, references = rows["original"].tolist(), rows["references"].tolist()
    sides = [Columns(sources, rows[f"simplification{number}"].tolist(), references) for number in (1, 2)]
    return sides, rows["ratings"].map(lambda row: row[0]["agg_value"] == 1).to_numpy()


_RATED = partial(Collection, source="orig_sent", output="simp_sent", system="sys_name")
_PAST = partial(
    Collection,
    files=f"{_LENS}/data/simpeval_past.csv",
    source="original",
    output="processed_generation",
    ratings=r"rating_\d_z_score",
    test_set=TEST_SETS["ASSET"],
    system="system",
)
_DOCUMENT = partial(
    Collection,
    group=OTHER,
    source="original",
    output="simplification",
    references="references",
    drops_near_copies=True,
)
_WIKIPEDIA = partial(_DOCUMENT, files=f"{_DOCUMENTS}/dwiki_final.jsonl")

#: The systems of SimpEval past that are newer than the others, and what is no system there.
_NEW = ["T5-3B", "T5-base", "T5-large", "muss_untokenized", "ControlT5"]
_PEOPLE = ["asset.test.simp", "new_asset.test.simp.second", "new_turk_corpus_random", "new_simple_wiki"]

#: The collections by name, the oldest outputs first.
COLLECTIONS: dict[str, Collection] = {
    "ASSET ratings": Collection(
        group=OLDER,
        files="facebookresearch/asset/human_ratings/human_ratings.csv",
        source="original",
        output="simplification",
        ratings="rating",
        test_set=TEST_SETS["ASSET"],
        item=("original", "simplification"),
        query="aspect == 'simplicity'",
    ),
    "Simplicity-DA": _RATED(
        group=OLDER,
        files=f"{_METAEVAL}/simplicity_DA.csv",
        ratings="simplicity_zscore",
        test_set=TEST_SETS["ASSET"],
    ),
    "HSplit, structure": _RATED(
        group=OLDER,
        files=f"{_METAEVAL}/structural_simplicity.csv",
        ratings="structural_simplicity",
        test_set=_HSPLIT,
    ),
    "SimpEval past, older": _PAST(group=OLDER, query=f"system not in {_PEOPLE + _NEW}"),
    "SimpEval past, newer": _PAST(group=NEWER, query=f"system in {_NEW}"),
    "SimpEval 2022": Collection(
        group=NEWER,
        files=f"{_LENS}/data/simpeval_2022.csv",
        source="original",
        output="generation",
        ratings=r"rating_\d_zscore",
        test_set=_OF_2022,
        system="system",
        query="system != 'Human 2 Writing'",
    ),
    "simpDA 2022": Collection(
        group=NEWER,
        files=f"{_LENS}/data/simpDA_2022.csv",
        source="Input.original",
        output="Input.simplified",
        ratings="Answer.simplicity",
        test_set=_OF_2022,
        system="Input.system",
        item=("Input.id", "Input.system", "Input.simplified"),
        query="`Input.system` != 'Human 2 Writing'",
    ),
    "Wu and Arase": Collection(
        group=NEWER,
        files=f"{_LIKERT}/likert_*.json",
        source="source",
        output="simple",
        ratings=r"label_annotations\..*\.simplicity",
        test_set=TEST_SETS["ASSET"],
        system="model",
        query="source_file in ['asset', 'turk']",
    ),
    "D-Wikipedia, words": _WIKIPEDIA(ratings="simplicity-(word|sent)"),
    "D-Wikipedia, overall": _WIKIPEDIA(ratings="simplicity-overall"),
    "D-Wikipedia, meaning": _WIKIPEDIA(ratings="meaning"),
    "OneStopQA": _DOCUMENT(
        files=f"{_DOCUMENTS}/qa.jsonl",
        ratings="Correct answer.*",
        system="system",
        query="system not in ['Original', 'Elementary']",
        drops_near_copies=False,
    ),
    "MultiCochrane": Collection(
        group=OTHER,
        files=f"{_SHEETS}/anno[1-3]/*en_system*.xlsx",
        source="original english sentence",
        output="simple generated sentence",
        ratings="Simplicity",
        references="simple gold sentence",
        system="file",
        item=("file", "Unnamed: 0", "original english sentence", "simple generated sentence"),
        sign=-1,
    ),
    "JADES": Collection(
        group=OTHER,
        files="naist-nlp/jades/jades_manual_scores.json",
        source="sentence_origin",
        output="sentence_hypothesis",
        ratings=r"score_simplicity_\d",
        references="sentence_reference",
        system="system",
        query="system != 'Reference'",
        tokenizer="ja-mecab",
    ),
}


def rated_in_test_set(folder: Path, file: str, ratings: str, test_set: tuple[str, str]) -> RatedOutputs:
    """Read the files of Alva-Manchego et al. 2021, of outputs for sentences of a test set."""
    return _RATED(group="", files=file, ratings=ratings, test_set=test_set).read(folder)
