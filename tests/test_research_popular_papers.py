"""Figures of popular papers: those of the published tables, and the metric card shows the stored ones."""

import csv
import re

import pytest
from conftest import ROOT
from published_trees import checkouts

from sari.research.catalogue import TABLES
from sari.research.popular_papers import PAPERS
from sari.research.stored_figures import PAPERS_CSV, read_figures
from sari.variants import VARIANTS


def test_figures_are_those_of_the_published_tables(tmp_path):
    folder = checkouts(tmp_path)
    steps = []
    found = PAPERS.compute(folder, steps.append)
    assert sorted(steps) == sorted({figure.table for figure in PAPERS.figures})
    for figure, outcome in zip(PAPERS.figures, found, strict=True):
        (own,) = (
            each
            for each in TABLES[figure.table].outcomes(folder)
            if re.split(",|:", each.name)[0] == figure.outcome and figure.name == outcome.name
        )
        assert (outcome.published, outcome.recipe) == (own.published, own.recipe)
        assert outcome.ours == pytest.approx(own.ours, abs=1e-6)


def test_the_metric_card_shows_the_stored_figures():
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("#### Values from popular papers")[2]
    rows = re.findall(r"^\| \[(.+?)\].* \| (.+) \| (.+) \| (.+) \| `(\w+)` \| ([\d.]+)(\*?) \|$", text, re.MULTILINE)
    assert len(rows) == len(PAPERS.figures) == len(read_figures(PAPERS_CSV))
    with open(PAPERS_CSV, encoding="utf-8", newline="") as file:
        stored = {row["name"]: row for row in csv.DictReader(file)}
    for paper, system, test_set, printed, variant, ours, mark in rows:
        row = stored[f"{paper}: {system} on {test_set}"]
        decimals = len(printed.partition(".")[2])
        assert (row["published"], f"{float(row['ours']):.{decimals}f}") == (printed, ours)
        assert f"|variant:{variant}|" in row["recipe"]
        assert variant in VARIANTS
        assert bool(mark) == (printed != ours)
