"""Published figures: the stored ones, and rows computed from made-up checkouts."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from published_trees import COLUMNS, RATINGS, SYSTEMS, sentences, write
from refusals import refuses
from scipy import stats

from sari.research import published
from sari.research.files import TEST_SETS, read_table
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts are words at random
STORED = read_table(published.FILE)
ORIGINAL, REFERENCE = TEST_SETS["ASSET"]


def row(score, outputs="o/muss/one.pred", **cells):
    texts = {"outputs": outputs, "sources": ORIGINAL, "references": REFERENCE, "variant": "easse"}
    figure = {"table": "made-up", "score": score, "printed": "1", "ours": "1.00"}
    return dict.fromkeys(STORED, "") | texts | figure | cells


def score(system, variant="easse", **options):
    return Scorer(variant, **options).compute(predictions=sentences(system), **COLUMNS, details=True)


def test_the_stored_figures_round_to_the_printed_ones_or_have_a_reason():
    figures = published.figures(STORED)
    assert len(figures) > 3_200
    differs = (figures["printed"] != figures["ours"]).groupby(level=0).any()
    assert STORED["system"][differs != (STORED["reason"] != "")].tolist() == []


def test_a_row_that_was_not_computed_is_named():
    with refuses(ValueError, "mine on news: ours: got 0 figures, expected 1, from feralvam/easse and o/muss"):
        published.figures(pd.DataFrame([row("sari", ours="", system="mine", test_set="news")]))


def test_the_table_of_papers_has_stored_figures():
    page = (ROOT / "docs" / "implementations.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| \[.*", page.partition("## Values from popular papers\n")[2].partition("\n#")[0], re.MULTILINE
    )
    stored = {
        "| [{paper}]({url}) | {system} | {test_set} | {printed} | `{variant}` | {ours}".format(**each)
        + f"{'*' * (each['printed'] != each['ours'])} |"
        for each in published.figures(STORED).to_dict("records")
    }
    assert len(rows) == 12
    assert set(rows) <= stored


def test_the_advice_names_the_variants_of_published_figures():
    page = (ROOT / "docs" / "which_sari.md").read_text(encoding="utf-8")
    advised = set(re.findall(r"^\| .* \| `(\w+)`", page, re.MULTILINE))
    assert set(STORED["variant"]) <= advised <= VARIANTS.keys()


def test_rows_are_computed_from_their_files(checkouts):
    def computed(*cells, **more):
        return list(map(float, published.score_row(row(*cells, **more), checkouts).split()))

    one, in_file = score("one"), {"sources": "", "references": ""}
    assert computed("sari") == pytest.approx([one["sari"]], abs=1e-9)
    runs = np.mean([score("two")["sari"], score("three")["sari"]])
    assert computed("sari", "o/muss/t*.pred") == pytest.approx([runs], abs=1e-9)
    changed = score("one", "hf", max_order=1)["add"]
    assert computed("add", variant="hf", options='{"max_order": 1}') == pytest.approx([changed], abs=1e-9)
    assert computed("keep add", "o/BLESS/run.jsonl", **in_file) == pytest.approx([one["keep"], one["add"]], abs=1e-9)
    assert computed("sari", sources="o/apio/test.json") == pytest.approx([one["sari"]], abs=1e-9)


def test_correlations_with_ratings(checkouts):
    file = "metaeval-simplification/data/simplicity_DA.csv"
    computed = published.score_row(row("pearson:simplicity_zscore", f"o/{file}"), checkouts)
    scores = np.ravel([score(name, level="sentence")["sentences"]["sari"] for name in SYSTEMS])
    assert float(computed) == pytest.approx(stats.pearsonr(scores, RATINGS[: len(scores)]).statistic, abs=1e-9)


def test_figures_are_printed_and_stored(checkouts, tmp_path, monkeypatch, capsys):
    file, ours = tmp_path / "published.csv", score("one")["sari"]
    rows = [row("sari", printed=printed, reason="cut", paper="ours") for printed in (f"{ours:.2f}", "99.9")]
    write(file, pd.DataFrame([*rows, row("sari", "o/elsewhere/none", paper="other")]))
    monkeypatch.setattr(published, "FILE", file)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- table: Figures that come out -->\n<!-- end -->\n", encoding="utf-8")
    dataclasses.replace(published.STUDY, file=file, pages=[page]).run(checkouts, store=True)
    printed, said = capsys.readouterr()
    cells = [re.split(r" *\| *", line)[2:-1] for line in printed.split("\n") if ": sari" in line]
    assert cells[:2] == [[f"{ours:.2f}", f"{ours:.2f}", ""], ["99.9", f"{ours:.1f}", "cut"]]
    assert said.endswith(": rows are not computed without o/elsewhere\n")
    assert list(read_table(file)) == list(STORED)
    assert read_table(file)["ours"].tolist() == [f"{ours:.9f}", f"{ours:.9f}", "1.00"]
    summary = [re.split(r" *\| *", line)[1:-1] for line in page.read_text("utf-8").splitlines()]
    assert summary[4:-1] == [["ours,", "2", "1"], ["other,", "1", "1"]]


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_texts_that_look_like_numbers_stay_texts(tmp_path, ending):
    write(tmp_path / f"t.{ending}", pd.DataFrame({"text": ["1.0", "002"]}))
    assert read_table(tmp_path / f"t.{ending}")["text"].tolist() == ["1.0", "002"]


@pytest.mark.parametrize(("column", "number"), [("outputs", "1 segment"), ("references", "13 segments")])
def test_texts_of_another_test_set_are_refused(checkouts, column, number):
    write(checkouts / "wrong/x.pred", ["one"] * int(number.split()[0]))
    with pytest.raises(ValueError, match=rf"x\.pred: got {number}, expected 12, as many as sources"):
        published.score_row(row("sari", **{column: "o/wrong/x.pred"}), checkouts)
