"""Collections of ratings on made-up checkouts: outputs meet their sources, references and ratings."""

import numpy as np
import pytest
from published_trees import (
    ALL,
    GOLD,
    OF_2022,
    OF_MODELS,
    ONE,
    ORIGINALS,
    RATINGS,
    REFERENCES,
    SENTENCES,
    SPLIT,
    SYSTEMS,
    THREE,
    TWO,
    lists,
)

from sari.research import files, ratings
from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs

LOWER_2022, REFERENCES_2022, ALL_LOWER = ([text.lower() for text in texts] for texts in (*OF_2022, ALL))
FOUR_EACH = [list(row) for row in zip(*SPLIT, strict=True)]
NAMED, UNNAMED = np.repeat(SYSTEMS, SENTENCES).tolist(), [""] * SENTENCES
#: Sentences that language models have, too, and the rows of their ratings.
PLACES = [place for place in range(SENTENCES) if place % 3 < 2]
ROWS = [number * SENTENCES + place for number in range(4) for place in PLACES]
#: Sources, outputs, references, systems and ratings, without what is no output of a system.
EXPECTED = {
    "ASSET ratings": (ORIGINALS, ONE, REFERENCES, UNNAMED, RATINGS[:12]),
    "Simplicity-DA": (ORIGINALS * 3, ALL, REFERENCES * 3, NAMED, RATINGS[:36]),
    "HSplit, structure": (ORIGINALS * 3, ALL, FOUR_EACH * 3, NAMED, -RATINGS[:36]),
    "SimpEval past, older": (ORIGINALS * 3, ALL, REFERENCES * 3, NAMED, RATINGS[:36]),
    "SimpEval past, newer": (ORIGINALS, ONE, REFERENCES, ["T5-3B"] * SENTENCES, RATINGS[:12]),
    "SimpEval 2022": (LOWER_2022 * 3, ALL_LOWER, lists(REFERENCES_2022) * 3, NAMED, RATINGS[:36]),
    "simpDA 2022": (LOWER_2022 * 3, ALL_LOWER, lists(REFERENCES_2022) * 3, NAMED, RATINGS[:36]),
    "Wu and Arase": (
        [ORIGINALS[place] for place in PLACES] * 4,
        [np.ravel(OF_MODELS)[row] for row in ROWS],
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
        lists(GOLD) * 3,
        np.repeat(["en_system1_0", "en_system2_0.5", "en_system3_plain"], SENTENCES).tolist(),
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

#: Outputs with a fault: a copy, the person whose texts are the references, and documents that are a reference.
LEFT_OUT = {
    "SimpEval past, older": {"copies": SENTENCES},
    "SimpEval 2022": {"references": SENTENCES},
    **{f"D-Wikipedia, {rating}": {"references": 1} for rating in ("words", "overall", "meaning")},
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_what_is_read_and_that_it_is_stored(name, checkouts, monkeypatch):
    read = []
    monkeypatch.setattr(files, "_check_commit", lambda _, repository: read.append(repository))
    collection = COLLECTIONS[name]
    rated, left_out = collection.without_faults(collection.read(checkouts))
    assert {*read} <= {*files.read_table(files.REPOSITORIES)["repository"]}
    assert name in EXPECTED
    *columns, numbers = map(list, zip(*sorted(zip(*EXPECTED[name], strict=True), key=str), strict=True))
    found = map(list, zip(*sorted(zip(*rated.texts, rated.systems, rated.ratings, strict=True), key=str), strict=True))
    assert [*found] == [*columns, numbers]  # in any order: sheets have their own
    assert {fault: number for fault, number in left_out.items() if number} == LEFT_OUT.get(name, {})
    assert name in {*files.read_table(ratings.FILE)["collection"]}


def test_pairs_of_outputs(checkouts):
    sides, is_second = cochrane_pairs(checkouts)
    assert [side.predictions for side in sides] == [ONE, THREE]
    assert is_second.tolist() == [place % 3 == 0 for place in range(SENTENCES)]
