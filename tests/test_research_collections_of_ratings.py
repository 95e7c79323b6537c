"""Collections of ratings on made-up checkouts: outputs meet their sources, references and ratings."""

import numpy as np
import pytest
from published_trees import ALL, OF_2022, ONE, ORIGINALS, RATINGS, REFERENCES, SENTENCES, SYSTEMS, THREE, TWO, lists

from sari.research import files, ratings
from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs

LOWER_2022, REFERENCES_2022, ALL_LOWER = ([text.lower() for text in texts] for texts in (*OF_2022, ALL))
SPELLED_OTHERWISE = [*LOWER_2022[:3], f"{LOWER_2022[3]} then", *LOWER_2022[4:]]
FOUR_EACH = [list(row) for row in zip(ONE, TWO, THREE, ORIGINALS, strict=True)]
NAMED, UNNAMED = np.repeat(SYSTEMS, SENTENCES).tolist(), [""] * SENTENCES
#: Sentences that language models have, too, and the rows of their ratings.
PLACES = [place for place in range(SENTENCES) if place % 3 < 2]
ROWS = [number * SENTENCES + place for number in range(4) for place in PLACES]
#: Sources, outputs, references, systems and ratings, without the document that is its reference, and outputs that are
#: texts of others.
EXPECTED = {
    "ASSET ratings": (ORIGINALS, ONE, REFERENCES, UNNAMED, RATINGS[:12]),
    "Simplicity-DA": (ORIGINALS * 3, ALL, REFERENCES * 3, NAMED, RATINGS[:36]),
    "HSplit, structure": (ORIGINALS * 3, ALL, FOUR_EACH * 3, NAMED, -RATINGS[:36]),
    "SimpEval past": (ORIGINALS * 3, ALL, REFERENCES * 3, NAMED, RATINGS[:36]),
    "SimpEval 2022": (LOWER_2022 * 3, ALL_LOWER, lists(REFERENCES_2022) * 3, NAMED, RATINGS[:36]),
    "simpDA 2022": (SPELLED_OTHERWISE * 3, ALL_LOWER, lists(REFERENCES_2022) * 3, NAMED, RATINGS[:36]),
    "Wu and Arase": (
        [ORIGINALS[place].upper() for place in PLACES] * 4,
        [[*ALL, *ORIGINALS][row] for row in ROWS],
        [REFERENCES[place] for place in PLACES] * 4,
        np.repeat(["gpt", "llama", "qwen", "t5"], len(PLACES)).tolist(),
        RATINGS[ROWS],
    ),
    "D-Wikipedia, words": (ORIGINALS[:-1], ONE[:-1], lists(TWO[:-1]), UNNAMED[:-1], RATINGS[:11]),
    "D-Wikipedia, overall": (ORIGINALS[:-1], ONE[:-1], lists(TWO[:-1]), UNNAMED[:-1], (RATINGS[-12:-1] / 7).round(3)),
    "D-Wikipedia, meaning": (ORIGINALS[:-1], ONE[:-1], lists(TWO[:-1]), UNNAMED[:-1], RATINGS[12:23]),
    "OneStopQA": (ORIGINALS, ONE, lists(TWO), ["ours"] * SENTENCES, RATINGS[:12]),
    "MultiCochrane": (
        ORIGINALS * 3,
        ALL,
        lists(TWO) * 3,
        np.repeat(["system1_0", "system2_0.5", "system3_plain"], SENTENCES).tolist(),
        -RATINGS[:36],  # near-copies have positive numbers there
    ),
    "JADES": (
        np.repeat(ORIGINALS, 2).tolist(),
        np.ravel([ONE, TWO], "F").tolist(),
        lists(np.repeat(THREE, 2)),
        ["BART", "EditNTS"] * SENTENCES,
        np.repeat(RATINGS[:12], 2),
    ),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_what_is_read_and_that_it_is_stored(name, checkouts, monkeypatch):
    read = []
    monkeypatch.setattr(files, "_check_commit", lambda _, repository: read.append(repository))
    rated = COLLECTIONS[name].read(checkouts)
    assert {*read} <= {*files.read_table(files.REPOSITORIES)["repository"]}
    assert name in EXPECTED
    *columns, numbers = EXPECTED[name]
    assert [*rated.texts, rated.systems] == columns
    assert rated.ratings == numbers.tolist()
    assert name in {*files.read_table(ratings.FILE)["collection"]}


def test_pairs_of_outputs(checkouts):
    sides, is_second = cochrane_pairs(checkouts)
    assert [side.predictions for side in sides] == [ONE, THREE]
    assert is_second.tolist() == [place % 3 == 0 for place in range(SENTENCES)]
