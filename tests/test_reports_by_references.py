"""Scores with 1, 2, … of the references: against scoring each subset by itself."""

from itertools import combinations

import numpy as np
import pytest
from programs import EXAMPLE, SYSTEMS

from sari.reports.by_references import scores_by_references
from sari.sari_scorer import Scorer
from sari.validation import SystemColumns
from sari.variants import SCORES, resolve_variant

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
        scored = [
            Scorer(variant).compute(
                sources=SOURCES,
                predictions=OUTPUTS[row.name],
                references=[[own[place] for place in subset] for own in REFERENCES],
            )
            for subset in combinations(range(4), row.references)
        ]
        table = np.array([[scores[score] for score in SCORES] for scores in scored])
        for found, wanted in (
            (row.mean, table.mean(axis=0)),
            (row.deviation, table.std(axis=0)),
            (row.lowest, table.min(axis=0)),
            (row.highest, table.max(axis=0)),
        ):
            assert list(found.values()) == pytest.approx(wanted, abs=1e-9)


def test_on_the_command_line(printed, printed_json, tmp_path):
    given = [*EXAMPLE, *SYSTEMS[:2], "--by-references"]
    report = printed_json(*given)
    one, two = report["by_references"]
    assert (one["references"], one["subsets"], two["references"], two["subsets"]) == (1, 2, 2, 1)
    assert two["mean"] == pytest.approx(report["systems"][0]["scores"])
    shown = printed(*given, "--report", tmp_path / "x.html")
    assert "SARI by number of references: easse" in shown
    assert f"{one['mean']['sari']:.2f}" in shown
    assert "SARI by the number of references: means" in (tmp_path / "x.html").read_text(encoding="utf-8")
