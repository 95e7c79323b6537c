"""The variants of a printed figure as a table: hits and what tells them apart, or the nearest scores."""

import pytest
from four_segments import TEXTS

from sari.reports.formats import TABLE_FORMATS
from sari.reports.variant_search import tabulate_search
from sari.sari_scorer import Scorer
from sari.validation import SystemColumns

COLUMNS = SystemColumns(TEXTS["sources"], {"": TEXTS["predictions"]}, TEXTS["references"])
KNOWN = {"tokenize": "13a", "lowercase": True}


def search_for(figure, predictions=TEXTS["predictions"]):
    return Scorer(**KNOWN).find_variant(figure, **TEXTS | {"predictions": predictions}, progress=False)


def notes_for(figure):
    return " ".join(tabulate_search(search_for(figure), COLUMNS, digits=2).tables[0].notes)


def test_hits():
    """They are of other variants, options and numbers of references."""
    alone = {**TEXTS, "references": [row[:1] for row in TEXTS["references"]]}
    figure = f"{Scorer('easse', level='sentence').compute(**alone)['sari']:.3f}"
    report = tabulate_search(search_for(figure), COLUMNS, digits=2)
    (table,) = report.tables
    cells = [cell.text for cell in table.rows[0][: table.texts + 2]]
    assert cells == ["easse", "level=sentence", "several changes", "first of 2", figure]
    assert any(note.startswith("Several changes") for note in table.notes)
    assert [record["signature"] for record in report.records()] == report.signatures
    assert all("75.625" in row.write(report) for row in TABLE_FORMATS.values())  # Delete


def test_a_figure_of_few_digits_has_many_hits():
    """Operations can tell them apart."""
    search = search_for("50")
    search |= {"hits": search["hits"][:1] * 25, "distinct": {"keep": 1, "delete": 3, "add": 2}}
    report = tabulate_search(search, COLUMNS, digits=2)
    (table,) = report.tables
    assert len(table.rows) == len(report.signatures) == len(report.records()) == 10
    assert "These 10 differ least from published variants; not shown: 15 further hits." in table.notes
    assert any(note.endswith("figures of 25 hits: Delete 3, Add 2, Keep 1.") for note in table.notes)


@pytest.mark.parametrize(("figure", "is_share"), [("0.3549", True), ("35.49", False)])
def test_a_share_is_no_percentage(figure, is_share):
    assert ("Is the figure 35.49, as a share of 1?" in notes_for(figure)) == is_share


def test_several_outputs_are_runs():
    predictions = dict.fromkeys(("a", "b"), TEXTS["predictions"])
    columns = COLUMNS._replace(predictions=predictions)
    report = tabulate_search(search_for("50", predictions), columns, digits=2)
    assert report.tables[0].notes[0] == "The scores are means over 2 outputs, which are taken for runs of one system."


def test_without_hits():
    report = tabulate_search(search_for("99.9"), COLUMNS, digits=2)
    (table,) = report.tables
    assert (len(table.rows), table.headings[-1], report.signatures) == (5, "Distance", [])
    assert any("outputs or references" in note for note in table.notes)
