"""Collections of ratings on made-up checkouts: outputs meet their sources, references and ratings."""

import json

import numpy as np
import pandas as pd
import pytest
from published_trees import ORIGINALS, ORIGINALS_OF_2022, REFERENCES, SENTENCES, SYSTEMS, sentences

from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs

OLDER = ["ASSET ratings", "Simplicity-DA", "SimpEval past"]
READ = {name: collection.read for name, collection in COLLECTIONS.items()}
ONE, TWO, THREE = map(sentences, SYSTEMS)
#: Sources, outputs and references, without the document that is its reference and outputs that are texts of others.
TEXTS = {
    "D-Wikipedia, words": (ORIGINALS[:-1], ONE[:-1], TWO[:-1]),
    "OneStopQA": (ORIGINALS, ONE, TWO),
    "MultiCochrane": (ORIGINALS * 3, ONE + TWO + THREE, TWO * 3),
    "JADES": (np.repeat(ORIGINALS, 2).tolist(), np.ravel([ONE, TWO], "F").tolist(), np.repeat(THREE, 2).tolist()),
}


@pytest.mark.parametrize("name", [*OLDER, "SimpEval 2022", "simpDA 2022"])
def test_outputs_meet_their_sources_and_references(name, checkouts):
    rated, is_lower = READ[name](checkouts), name not in OLDER
    cased = str.lower if is_lower else str
    sources = [text.lower() for text in ORIGINALS_OF_2022] if is_lower else ORIGINALS
    references = [[cased(text)] for text in sentences("references of 2022")] if is_lower else REFERENCES
    places = {cased(text): place for texts in (ONE, TWO, THREE) for place, text in enumerate(texts)}
    assert len(rated.ratings) == len(rated.systems) == len(rated.texts.sources)
    for source, output, own in zip(*rated.texts, strict=True):
        assert source.removesuffix(" then") == sources[places[output]]
        assert own == references[places[output]]


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_those_of_the_files(name, checkouts):
    sources, outputs, references = TEXTS[name]
    assert READ[name](checkouts).texts == (sources, outputs, [[text] for text in references])


def test_ratings_are_means_of_raters(checkouts):
    rows = pd.read_csv(checkouts / "asset/human_ratings/human_ratings.csv").query("aspect == 'simplicity'")
    own = rows.groupby("simplification", sort=False)["rating"].mean()
    assert READ["ASSET ratings"](checkouts).ratings == pytest.approx(own.tolist())
    rows = pd.read_csv(checkouts / "LENS/data/simpDA_2022.csv")
    own = rows.groupby("Input.simplified", sort=False)["Answer.simplicity"].mean()
    assert READ["simpDA 2022"](checkouts).ratings == pytest.approx(own.tolist())
    rows = pd.read_csv(checkouts / "LENS/data/simpeval_past.csv")
    own = rows[rows["system"] != "asset.test.simp"].filter(like="z_score").mean(axis=1)  # references are no outputs
    assert READ["SimpEval past"](checkouts).ratings == pytest.approx(own.tolist())


def test_ratings_of_documents_have_names(checkouts):
    file = checkouts / "document-simplification/meta_evaluation/eval_datasets/dwiki_final.jsonl"
    rows = [json.loads(line)["ratings"] for line in file.read_text().splitlines()[:-1]]
    own = [[rating["agg_value"] for rating in row] for row in rows]
    assert READ["D-Wikipedia, words"](checkouts).ratings == pytest.approx([np.mean(values[:2]) for values in own])
    assert READ["D-Wikipedia, overall"](checkouts).ratings == [values[3] for values in own]
    assert READ["OneStopQA"](checkouts).ratings == pytest.approx([100 / 3 * (place % 4) for place in range(SENTENCES)])


def test_sheets_of_raters_are_joined_by_row(checkouts):
    rated = READ["MultiCochrane"](checkouts)
    assert rated.systems[::SENTENCES] == ["system1_0", "system2_0.5", "system3_plain"]
    files = (checkouts / "MultiCochrane/data/eval_data/en/spreadsheets").glob("anno*/*en_system2_0.5*")
    own = np.mean([pd.read_excel(file)["Simplicity"][:-1] for file in files], axis=0)
    assert rated.ratings[SENTENCES : 2 * SENTENCES] == pytest.approx(-own)  # near-copies have positive numbers


def test_outputs_of_language_models(checkouts):
    rated = READ["Wu and Arase"](checkouts)
    places = [place for place in range(SENTENCES) if place % 3 < 2]  # the others are of another collection
    assert rated.texts.predictions[: len(places)] == [ONE[place] for place in places]
    assert rated.texts.references == [REFERENCES[place] for place in places] * 4
    assert list(dict.fromkeys(rated.systems)) == ["gpt", "llama", "qwen", "t5"]
    assert set(rated.ratings) <= {total / 3 for total in range(3, 10)}  # means of three raters, from 1 to 3


def test_pairs_of_outputs(checkouts):
    sides, is_second = cochrane_pairs(checkouts)
    assert [side.predictions for side in sides] == [ONE, THREE]
    assert is_second.tolist() == [place % 3 == 0 for place in range(SENTENCES)]


def test_japanese_outputs(checkouts):
    rated = READ["JADES"](checkouts)
    assert rated.systems == ["BART", "EditNTS"] * SENTENCES
    assert rated.ratings == [2 + place % 2 for place in range(SENTENCES) for _ in range(2)]
