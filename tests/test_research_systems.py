"""Public outputs on made-up checkouts: scores, baselines and ranks; and what is stored."""

import pytest
from published_trees import COLUMNS, REFERENCES, sentences, write

from sari.research import systems
from sari.research.files import TEST_SETS, read_table
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS

OUTPUTS = {"winner": "o/best/best.txt", "two": "o/muss/two.pred", "runs": "o/muss/t*.pred"}


@pytest.fixture(scope="module")
def rows(checkouts):
    write(checkouts / "best/best.txt", [row[0] for row in REFERENCES])
    described = read_table(systems.FILE)[:0].reindex(range(3)).assign(test_set="ASSET", kind="system")
    write(checkouts / "systems.csv", described.assign(name=OUTPUTS.keys(), outputs=OUTPUTS.values()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(systems, "FILE", checkouts / "systems.csv")
        patch.setattr(systems, "TEST_SETS", {"ASSET": TEST_SETS["ASSET"]})
        return systems.score_public_systems(checkouts).set_index("name").T


def test_scores_are_means_of_runs(rows):
    cells = rows["runs"]
    for variant in VARIANTS.keys() - {"dsari"}:
        runs = [Scorer(variant).compute(predictions=sentences(name), **COLUMNS)["sari"] for name in ("two", "three")]
        assert float(cells[variant]) == pytest.approx(sum(runs) / 2, abs=5.1e-5)
        assert cells[f"{variant} least"] == f"{min(runs):.2f}"
        assert float(cells[f"{variant} low"]) < sum(runs) / 2 < float(cells[f"{variant} high"])
    assert (cells["runs"], rows["two"]["runs"], rows["two"]["easse least"]) == ("2", "1", "")


def test_baselines(rows):
    expected = Scorer("easse").baselines(**COLUMNS)
    found = {row["kind"]: row["easse"] for _, row in rows.items() if row["kind"] != "system"}
    names = {"copy": "copy", "unrelated": "unrelated", "people": "references"}
    assert found == {kind: f"{expected[name]['sari']:.4f}" for kind, name in names.items()}


def test_ranks_are_those_of_a_comparison_of_all_pairs(rows):
    predictions = {"winner": [row[0] for row in REFERENCES], "two": sentences("two")}
    compared = Scorer("easse").compare(predictions=predictions, **COLUMNS, all_pairs=True)["systems"]
    assert compared["winner"]["rank"] == [1, 1]
    assert [rows[name]["ranks"] for name in ("winner", "two", "runs")] == ["1-1", "2-3", "2-3"]


def test_the_picture_is_drawn_from_the_stored_rows(tmp_path):
    systems.draw_ranks(read_table(systems.FILE), tmp_path / "systems.svg")
    text = (tmp_path / "systems.svg").read_text(encoding="utf-8")
    assert [name for name in (*systems.NAMED, *systems.DRAWN) if name not in text] == []


def test_stored_rows_say_how_systems_were_made_and_where_their_files_are():
    told = ["year", "publication", "how", "licence", "outputs"]
    assert (read_table(systems.FILE).query("kind == 'system'")[told] != "").all(axis=None)
