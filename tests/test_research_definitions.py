"""Printed figures of definitions: those of texts in the table are computed again, and all have a reason to differ."""

import pytest

from sari.research import definitions
from sari.research.files import TEST_SETS, read_table

STORED = read_table(definitions.FILE).to_dict("records")


@pytest.mark.parametrize("row", [row for row in STORED if row["source"]], ids=lambda row: row["of"])
def test_figures_of_texts_are_ours(row):
    assert definitions.compute_row(row, None) == row["ours"]
    assert f"{float(row['ours']):.2f}" == row["printed"]


def test_figures_that_differ_have_a_reason():
    (table,) = definitions.definition_tables(read_table(definitions.FILE)).values()
    assert ((table["printed"] == table["ours"]) == (table["why"] == "")).all()


def test_measures_of_public_outputs(tmp_path):
    """Copies of the references, in capitals."""
    sources, references = TEST_SETS["PWKP"]
    texts = ["A cat sat . It ran .", "The dogs sleep ."]
    for pattern, lines in ((sources, ["A cat sat and ran .", *texts[1:]]), (references, texts)):
        path = tmp_path / pattern.split("/", 1)[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    outputs = references.rpartition("/")[0] + "/upper"
    (tmp_path / outputs.split("/", 1)[1]).write_text("\n".join(texts).upper() + "\n")
    expected = dict(zip(definitions.MEASURES, (100, 50, 1.5, 1, 1, 0, 2), strict=True))
    found = {
        figure: float(definitions.compute_row({"source": "", "output": outputs, "figure": figure}, tmp_path))
        for figure in definitions.MEASURES
    }
    assert found == pytest.approx(expected)
