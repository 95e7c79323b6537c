"""Collections of ratings on made-up checkouts: outputs meet their sources, references and ratings."""

import json

import numpy as np
import pandas as pd
import pytest
from published_trees import ORIGINALS, ORIGINALS_OF_2022, REFERENCES, SENTENCES, SYSTEMS, sentences

from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs

READ = {name: collection.read for name, collection in COLLECTIONS.items()}
ONE, TWO, THREE = map(sentences, SYSTEMS)
ALL = ONE + TWO + THREE


def lists(texts):
    return [[text] for text in texts]


OF_2022, ALL_LOWER, NEW_REFERENCES = (
    [text.lower() for text in texts] for texts in (ORIGINALS_OF_2022, ALL, sentences("references of 2022"))
)
#: Sentences that language models have, too.
PLACES = [place for place in range(SENTENCES) if place % 3 < 2]
#: Sources, outputs and references, without the document that is its reference and outputs that are texts of others.
TEXTS = {
    "ASSET ratings": (ORIGINALS, ONE, REFERENCES),
    "Simplicity-DA": (ORIGINALS * 3, ALL, REFERENCES * 3),
    "SimpEval past": (ORIGINALS * 3, ALL, REFERENCES * 3),
    "SimpEval 2022": (OF_2022 * 3, ALL_LOWER, lists(NEW_REFERENCES) * 3),
    "simpDA 2022": ([*OF_2022[:3], f"{OF_2022[3]} then", *OF_2022[4:]] * 3, ALL_LOWER, lists(NEW_REFERENCES) * 3),
    "Wu and Arase": (
        [ORIGINALS[place].upper() for place in PLACES] * 4,
        [texts[place] for texts in (ONE, TWO, THREE, ORIGINALS) for place in PLACES],
        [REFERENCES[place] for place in PLACES] * 4,
    ),
    "D-Wikipedia, words": (ORIGINALS[:-1], ONE[:-1], lists(TWO[:-1])),
    "OneStopQA": (ORIGINALS, ONE, lists(TWO)),
    "MultiCochrane": (ORIGINALS * 3, ALL, lists(TWO) * 3),
    "JADES": (np.repeat(ORIGINALS, 2).tolist(), np.ravel([ONE, TWO], "F").tolist(), lists(np.repeat(THREE, 2))),
}
#: The systems of outputs, and the distance of outputs that shows each once.
OF_SYSTEMS = {
    "Simplicity-DA": (list(SYSTEMS), SENTENCES),
    "MultiCochrane": (["system1_0", "system2_0.5", "system3_plain"], SENTENCES),
    "Wu and Arase": (["gpt", "llama", "qwen", "t5"], len(PLACES)),
    "JADES": (["BART", "EditNTS"] * SENTENCES, 1),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_those_of_the_files(name, checkouts):
    rated = READ[name](checkouts)
    assert rated.texts == TEXTS[name]
    assert len(rated.ratings) == len(rated.systems) == len(rated.texts.sources)
    systems, distance = OF_SYSTEMS.get(name, ([], None))
    assert not systems or rated.systems[::distance] == systems


def mean_ratings(checkouts):
    """Yield collections with the means of their ratings."""
    rows = pd.read_csv(checkouts / "asset/human_ratings/human_ratings.csv").query("aspect == 'simplicity'")
    yield "ASSET ratings", rows.groupby("simplification", sort=False)["rating"].mean()
    rows = pd.read_csv(checkouts / "LENS/data/simpDA_2022.csv")
    yield "simpDA 2022", rows.groupby("Input.simplified", sort=False)["Answer.simplicity"].mean()
    rows = pd.read_csv(checkouts / "LENS/data/simpeval_past.csv")
    yield "SimpEval past", rows[rows["system"] != "asset.test.simp"].filter(like="z_score").mean(axis=1)
    file = checkouts / "document-simplification/meta_evaluation/eval_datasets/dwiki_final.jsonl"
    rows = [[rating["agg_value"] for rating in json.loads(line)["ratings"]] for line in file.read_text().splitlines()]
    yield "D-Wikipedia, words", [np.mean(row[:2]) for row in rows[:-1]]
    yield "D-Wikipedia, overall", [row[3] for row in rows[:-1]]
    yield "OneStopQA", [100 / 3 * (place % 4) for place in range(SENTENCES)]
    yield "JADES", [2 + place % 2 for place in range(SENTENCES) for _ in range(2)]
    folder = checkouts / "MultiCochrane/data/eval_data/en/spreadsheets"
    sheets = [
        [pd.read_excel(file)["Simplicity"][:-1] for file in folder.glob(f"*/*{own}*")] for own in ("1_0", "2_0", "3_p")
    ]
    yield "MultiCochrane", np.ravel([-np.mean(own, axis=0) for own in sheets])  # near-copies have positive numbers


def test_ratings_are_means_of_raters(checkouts):
    for name, ratings in mean_ratings(checkouts):
        assert READ[name](checkouts).ratings == pytest.approx(list(ratings)), name
    assert set(READ["Wu and Arase"](checkouts).ratings) <= {total / 3 for total in range(3, 10)}  # three raters, 1 to 3


def test_pairs_of_outputs(checkouts):
    sides, is_second = cochrane_pairs(checkouts)
    assert [side.predictions for side in sides] == [ONE, THREE]
    assert is_second.tolist() == [place % 3 == 0 for place in range(SENTENCES)]
