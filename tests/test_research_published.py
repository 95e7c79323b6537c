"""Published figures: the stored ones, and rows computed from made-up checkouts."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from published_trees import ORIGINALS, REFERENCES, TEST_SETS, checkouts, sentences, write
from scipy import stats

from sari.research import published
from sari.research.files import read_table
from sari.sari_scorer import Scorer

pytestmark = pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
STORED = read_table(published.FILE).to_dict("records")
ORIGINAL, REFERENCE = (f"feralvam/{TEST_SETS}/asset/asset.test.{ending}" for ending in ("orig", "simp.*"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


def row(score, outputs, variant="easse", options="", sources=ORIGINAL, references=REFERENCE, **more):
    texts = {"outputs": outputs, "sources": sources, "references": references}
    cells = {"table": "made-up", "score": score, "variant": variant, "options": options, "printed": "1", "ours": "1.00"}
    return dict.fromkeys(STORED[0], "") | texts | cells | more


def score(system, variant="easse", **options):
    columns = {"sources": ORIGINALS, "predictions": sentences(system), "references": REFERENCES}
    return Scorer(variant, **options).compute(**columns, details=True)


def test_the_stored_figures_round_to_the_printed_ones_or_have_a_reason():
    rows = [(each["reason"], published.figures(each)) for each in STORED]
    assert sum(len(figures) for _, figures in rows) > 3_200
    for reason, figures in rows:
        assert any(printed != ours for _, printed, ours in figures) == bool(reason), figures


def test_the_table_of_papers_has_stored_figures():
    page = (ROOT / "docs" / "implementations.md").read_text(encoding="utf-8")
    text = page.partition("## Values from popular papers\n")[2].partition("\n#")[0]
    found = set()
    for each in STORED:
        _, printed, ours = published.figures(each)[0]
        shown = (printed, f"`{each['variant']}`", ours + "*" * (printed != ours))
        found.add((f"[{each['paper']}]({each['url']})", each["system"], each["test_set"], *shown))
    rows = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in re.findall(r"^\|.*", text, re.MULTILINE)]
    assert len(rows[2:]) == 12
    assert set(rows[2:]) <= found


ROWS = {
    "a file": (row("sari", "o/muss/one.pred"), lambda: [score("one")["sari"]]),
    "runs": (row("sari", "o/muss/t*.pred"), lambda: [(score("two")["sari"] + score("three")["sari"]) / 2]),
    "options": (
        row("add", "o/muss/one.pred", "hf", '{"max_order": 1}'),
        lambda: [score("one", "hf", max_order=1)["add"]],
    ),
    "JSON Lines": (
        row("keep add", "o/BLESS/run.jsonl", sources="", references=""),
        lambda: [score("one")[name] for name in ("keep", "add")],
    ),
    "JSON": (row("sari", "o/muss/one.pred", sources="o/apio/test.json"), lambda: [score("one")["sari"]]),
    "a measure": (row("matches", ORIGINAL, "narayan", references=ORIGINAL), lambda: [12]),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_computed_from_their_files(name, folder):
    given, expected = ROWS[name]
    assert list(map(float, published.compute(given, folder).split())) == pytest.approx(expected(), abs=1e-9)


def test_correlations_with_ratings(folder):
    file = "metaeval-simplification/data/simplicity_DA.csv"
    found = published.compute(row("pearson:simplicity_zscore", f"o/{file}"), folder)
    scores = [score(name, level="sentence")["sentences"]["sari"] for name in ("one", "two", "three")]
    ratings = pd.read_csv(folder / file)["simplicity_zscore"]
    assert float(found) == pytest.approx(stats.pearsonr(np.ravel(scores), ratings).statistic, abs=1e-9)


def test_figures_are_printed_and_stored(folder, tmp_path, monkeypatch, capsys):
    file, ours = tmp_path / "published.csv", score("one")["sari"]
    rows = [row("sari", "o/muss/one.pred", printed=printed, reason="cut") for printed in (f"{ours:.2f}", "99.9")]
    write(file, pd.DataFrame([*rows, row("sari", "o/muss/none", table="other")]))
    monkeypatch.setattr(published, "FILE", file)
    assert published.main(["made-up", str(folder), "--store"]) == 1
    *_, first, second, _, last = capsys.readouterr().out.splitlines()
    assert first.split()[-2:] == [f"{ours:.2f}", f"{ours:.2f}"]
    assert second.split()[-4:] == ["99.9", f"{ours:.1f}", "*", "cut"]
    assert last == "1 of 2 figures come out to the printed digits; * marks the others."
    assert read_table(file)["ours"].tolist() == [f"{ours:.9f}", f"{ours:.9f}", "1.00"]
    assert published.main(["other"]) == 0  # stored


MISSING = (
    "no simplification/data/turkcorpus/test.8turkers.tok.turk.*, expected a checkout of https://github.com/cocoxu/"
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["nothing", "/tmp"], "got 'nothing', expected one of xu2016, access"), (["/no/such"], MISSING)],
)
def test_bad_use_is_refused(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        published.main(arguments)
    assert message in capsys.readouterr().err


def test_outputs_of_another_test_set_are_refused(folder):
    write(folder / "wrong/x.pred", ["one"])
    with pytest.raises(ValueError, match=r"x\.pred: got 1 segments, expected 12, as many as sources"):
        published.compute(row("sari", "o/wrong/x.pred"), folder)
