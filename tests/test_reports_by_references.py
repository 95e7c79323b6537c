"""Scores with 1, 2, … of the references: against scoring each subset by itself."""

import re
from itertools import combinations

import numpy as np
import pytest
from programs import EXAMPLE, SYSTEMS

from sari.reports.by_references import scores_by_references
from sari.sari_scorer import Scorer
from sari.validation import SystemColumns
from sari.variants import resolve_variant

SOURCES = ["the old house was made of large stones", "a committee saw it", "he was big and he was old"]
OUTPUTS = {"one": ["the house was made of stones", "a group saw it", "he was old"], "copy": SOURCES}
REFERENCES = [
    ["the house was of stone", "an old house of stones", "the house was made of large stones", "stones made the house"],
    ["they saw it", "a group saw it", "it was seen", "a committee saw"],
    ["he was big", "he was old", "he was big , he was old", "an old man", "one more"],
]


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_all_subsets_where_they_are_few(variant):
    columns = SystemColumns(SOURCES, OUTPUTS, REFERENCES)
    rows = scores_by_references(columns, resolve_variant(variant))
    assert [(row.name, row.references, row.subsets) for row in rows] == [
        (name, number, subsets) for name in OUTPUTS for number, subsets in ((1, 4), (2, 6), (3, 4), (4, 1))
    ]
    for row in rows:
        subsets = combinations(range(4), row.references)
        references = [[[own[place] for place in subset] for own in REFERENCES] for subset in subsets]
        texts = {"sources": SOURCES, "predictions": OUTPUTS[row.name]}
        scores = [list(Scorer(variant).compute(**texts, references=own).values()) for own in references]
        for figures, of in ((row.mean, np.mean), (row.deviation, np.std), (row.lowest, np.min), (row.highest, np.max)):
            assert list(figures.values()) == pytest.approx(of(scores, axis=0), abs=1e-9)


def test_of_many_subsets_some_are_drawn():
    columns = SystemColumns(SOURCES, {"one": OUTPUTS["one"]}, REFERENCES)
    one, same, other = (
        scores_by_references(columns, resolve_variant("easse"), subsets=3, seed=seed) for seed in (1, 1, 2)
    )
    assert [(row.references, row.subsets) for row in one] == [(1, 3), (2, 3), (3, 3), (4, 1)]
    assert one == same != other


def test_on_the_command_line(printed, printed_json):
    given = [*EXAMPLE, *SYSTEMS[:2], "--by-references"]
    report = printed_json(*given)
    one, two = report["by_references"]
    assert (one["references"], one["subsets"], two["references"], two["subsets"]) == (1, 2, 2, 1)
    assert two["mean"] == pytest.approx(report["systems"][0]["scores"])
    figures = [one["mean"]["sari"], *(one[name]["sari"] for name in ("deviation", "lowest", "highest"))]
    row = ["1", "2", *(f"{figure:.2f}" for figure in figures)]
    assert f"| {' | '.join(row)} | " in re.sub(" +", " ", printed(*given, "--format", "markdown"))
