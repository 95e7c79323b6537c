"""Published figures: the stored ones, and rows computed from made-up checkouts."""

import json
import re

import pytest
from conftest import ROOT
from published_trees import ORIGINALS, REFERENCES, TEST_SETS, checkouts, read_rows, sentences, write_lines
from scipy import stats

from sari.research import published
from sari.research.stored import read_csv, write_csv
from sari.sari_scorer import Scorer

ASSET = {"sources": f"feralvam/{TEST_SETS}/asset/asset.test.orig", "references": f"feralvam/{TEST_SETS}/asset/*.simp.*"}
IN_OUTPUTS = {"sources": "", "references": ""}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


def row(score, outputs, variant="easse", options="", **texts):
    told = dict.fromkeys(read_csv(published.FILE)[0], "")
    figures = {name: " ".join(["1.00"] * len(score.split())) for name in ("printed", "ours")}
    return (
        told
        | {"table": "made-up", "score": score, "variant": variant, "options": options}
        | figures
        | {
            "outputs": outputs,
            **(texts or ASSET),
        }
    )


def score(system, **options):
    return Scorer(**{"variant": "easse", **options}).compute(
        sources=ORIGINALS, predictions=sentences(system), references=REFERENCES, details=True
    )


def test_the_stored_figures_round_to_the_printed_ones_or_have_a_reason():
    rows, number = read_csv(published.FILE), 0
    for each in rows:
        shown = published.figures(each)
        number += len(shown)
        assert any(printed != ours for _, printed, ours in shown) == bool(each["reason"]), each
    assert number > 3_200


def test_the_table_of_papers_has_stored_figures():
    page = (ROOT / "docs" / "implementations.md").read_text(encoding="utf-8")
    text = page.partition("## Values from popular papers\n")[2].partition("\n#")[0]
    found = []
    for each in read_csv(published.FILE):
        ((_, printed, ours), *_) = published.figures(each)
        own = (each["system"], each["test_set"], printed, f"`{each['variant']}`", ours + "*" * (printed != ours))
        found.append((f"[{each['paper']}]({each['url']})", *own))
    rows = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in re.findall(r"^\|.*", text, re.MULTILINE)]
    assert len(rows[2:]) == 12
    assert set(rows[2:]) <= set(found)


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (row("sari", "o/muss/one.pred"), lambda: [score("one")["sari"]]),
        (row("sari", "o/muss/t*.pred"), lambda: [(score("two")["sari"] + score("three")["sari"]) / 2]),
        (
            row("sari", "o/muss/one.pred", "hf", '{"lowercase": false}'),
            lambda: [score("one", variant="hf", lowercase=False)["sari"]],
        ),
        (row("keep add", "o/BLESS/run.jsonl", **IN_OUTPUTS), lambda: [score("one")[name] for name in ("keep", "add")]),
        (
            row("sari", "o/muss/one.pred", sources="o/apio/test.json", references="o/apio/test.json"),
            lambda: [score("one")["sari"]],
        ),
        (
            row(
                "matches",
                "o/easse/easse/resources/data/test_sets/asset/asset.test.orig",
                "",
                sources=ASSET["sources"],
                references=ASSET["sources"],
            ),
            lambda: [12],
        ),
    ],
    ids=["a file", "runs", "options", "JSON Lines", "JSON", "a measure"],
)
def test_rows_are_computed_from_their_files(given, expected, folder):
    assert published.compute(given, folder) == pytest.approx(expected(), abs=1e-9)


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
def test_correlations_with_ratings(folder):
    file = "metaeval-simplification/data/simplicity_DA.csv"
    given = row("pearson:simplicity_zscore", f"o/{file}", "easse", '{"deletion": "precision"}')
    scores = [
        value
        for system in ("one", "two", "three")
        for value in score(system, level="sentence", deletion="precision")["sentences"]["sari"]
    ]
    ratings = [float(each["simplicity_zscore"]) for each in read_rows(folder / file)]
    assert published.compute(given, folder) == pytest.approx([stats.pearsonr(scores, ratings).statistic], abs=1e-9)


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
def test_figures_are_printed_and_stored(folder, tmp_path, monkeypatch, capsys):
    file = tmp_path / "published.csv"
    ours = score("one")["sari"]
    rows = [
        row("sari", "o/muss/one.pred") | {"printed": printed, "reason": "cut"} for printed in (f"{ours:.2f}", "99.9")
    ]
    write_csv(file, [*rows, row("sari", "o/muss/none", options=json.dumps({})) | {"table": "other"}])
    monkeypatch.setattr(published, "FILE", file)
    assert published.main(["made-up", str(folder), "--store"]) == 1
    *_, first, second, _, last = capsys.readouterr().out.splitlines()
    assert first.split()[-2:] == [f"{ours:.2f}", f"{ours:.2f}"]
    assert second.split()[-4:] == ["99.9", f"{ours:.1f}", "*", "cut"]
    assert last == "1 of 2 figures come out to the printed digits; * marks the others."
    assert [each["ours"] for each in read_csv(file)] == [f"{ours:.9f}"] * 2 + ["1.00"]
    assert published.main(["other"]) == 0  # stored


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "/tmp"], "got 'nothing', expected one of xu2016, access"),
        (["xu2016", "--store"], "--store: expected a folder with checkouts"),
        (
            ["xu2016", "/no/such"],
            "no simplification/data/turkcorpus/test.8turkers.tok.norm in it, expected a checkout of https://github.com/cocoxu/simplification",
        ),
    ],
)
def test_bad_use_is_refused(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        published.main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("x.pred", ["one"], "x.pred: got 1 segments, expected 12, as many as sources"),
        ("x.jsonl", ["{}"] * 12, "x.jsonl: not as expected: 'model_output'"),
        (
            "x.jsonl",
            ['{"source": "x", "model_output": "y", "references": []}'] * 12,
            "x.jsonl:1: got another source than the test set has",
        ),
    ],
)
def test_other_outputs_are_refused(name, lines, message, folder):
    write_lines(folder / "wrong" / name, lines)
    with pytest.raises(published.FileError, match=message):
        published.compute(row("sari", f"o/wrong/{name}"), folder)
