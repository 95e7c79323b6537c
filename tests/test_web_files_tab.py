"""The view of files: what it makes of them, what is kept, and the whole in a real headless browser."""

import csv
import json
from inspect import signature
from pathlib import Path

import gradio as gr
import numpy as np
import pytest
from playwright.sync_api import expect
from programs import ROOT, example_corpus
from report_corpus import Page
from web_pages import box, cell, choose, expect_score, fill_files, score

from sari.sari_scorer import Scorer
from sari.web import components, files_tab, sentence_tab, visitor_files
from sari.web.inputs import TABLE, TEXT_FILES, RefusedError

pytest_plugins = ("web_app",)

COLUMNS = example_corpus()
FOLDER = ROOT / "examples"
COPYING = {**COLUMNS, "predictions": {**COLUMNS["predictions"], "copying": COLUMNS["sources"]}}
HARD = {
    "sources": ["The  big cat\nsat .", " a b", "A b. C d.", " "],
    "predictions": {"x": ["The cat\r\nsat .", "", "A b . C d .", "a"], "y": ["  cat  ", "a\rb", "A b.", ""]},
    "references": [["A cat sat .", " "], ["a\n\nb", "a  b", ""], ["A b.\nC d.", "A b."], [" ", ""]],
}


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """Return a function that scores texts as a table, and returns what is shown and kept of it."""
    monkeypatch.setattr(files_tab, "get_upload_folder", lambda: str(tmp_path))

    def score_table(columns, baseline=None, **options):
        rows = [
            {"system": name, "source": source, "output": output, "references": people}
            for name, outputs in columns["predictions"].items()
            for source, output, people in zip(columns["sources"], outputs, columns["references"], strict=True)
        ]
        (path,) = files_tab.write_files({"table.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
        initial = dict(zip(files_tab.NAMES, components.initial_choices(files_tab.NAMES), strict=True))
        return files_tab.answer_files(baseline, TABLE, None, None, None, path, *(initial | options).values())

    return score_table


def with_steps(function, *values):
    """Return what a function of the view returns, once it has named as many steps as it has said that there are."""
    steps = []
    assert "progress" in signature(function).parameters  # where Gradio looks for it
    found = function(*values, progress=lambda step, **_words: steps.append(step))
    assert steps == [(place, len(steps)) for place in range(len(steps))] != []
    return found


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_scores_and_files_are_those_of_the_metric(answered):
    parts = answered(COPYING, "rewriting")
    how = {"baseline": "rewriting", "method": "randomization"}
    wanted = Scorer().compare(**COPYING, **how, details=True)["systems"]
    page = Page(parts["systems"])
    for name, result in wanted.items():
        assert f"{name} {result['sari']:.2f}" in page.words
    for words in ("baseline: references", "deleting rewriting SARI", "BLEU", "copying: most outputs are the same"):
        assert words in page.words
    assert page.tags.count("img") == 2
    spreads = [np.ptp([float(score) for score in row[1:4]]) for row in parts["segments"]["data"]]
    sari = [result["sentences"]["sari"] for result in wanted.values()]
    assert spreads == pytest.approx(sorted(np.ptp(sari, axis=0), reverse=True), abs=0.011)
    files = {Path(path).name: Path(path).read_text("utf-8") for path in parts["files"]}
    records = list(csv.DictReader(files["sari.csv"].splitlines()))
    assert [float(row["sari"]) for row in records[:3]] == [result["sari"] for result in wanted.values()]
    assert json.loads(files["sari.json"])["systems"][1]["scores"]["sari"] == wanted["rewriting"]["sari"]
    assert r"\begin{tabular}" in files["sari.tex"]
    segments = list(csv.DictReader(files["segments.tsv"].splitlines(), delimiter="\t"))
    assert [float(row["sari"]) for row in segments[:10]] == wanted["deleting"]["sentences"]["sari"]
    scored = parts["scored"]
    assert with_steps(files_tab.answer_files, "rewriting", *scored.files, *scored.chosen)["scored"].sari == scored.sari
    ranking = Page(with_steps(files_tab.show_ranking, scored)).words
    assert "of 1 pairs of systems" in ranking
    assert "copying mostly copies the source" in ranking
    paths = with_steps(files_tab.make_report, scored, ["sari.csv", "old/report.html"])
    assert [Path(path).name for path in paths] == ["sari.csv", "report.html"]
    assert "deleting against rewriting" in Path(paths[1]).read_text("utf-8")


def test_files_for_download_need_room(answered, monkeypatch):
    monkeypatch.setattr(visitor_files, "MAX_FILES", 1)
    parts = answered(COLUMNS)  # where there was room for the table
    assert "takes no more files" in parts["message"]
    assert not parts["results"].visible


def test_a_single_system_is_compared_with_none(answered):
    parts = answered({**COLUMNS, "predictions": {"x": COLUMNS["sources"][1:] + COLUMNS["sources"][:1]}}, "gone")
    assert not parts["rank"].visible
    assert not parts["baseline"].visible
    lowest = [f"{sari:.2f}" for sari in sorted(parts["scored"].sari["x"])]
    assert [row[1] for row in parts["segments"]["data"]] == lowest


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("hf", {}),
        ("xu2016", {}),
        ("easse_multi", {}),
        ("hf", {"level": "corpus", "lowercase": "no"}),
        ("easse", {"level": "sentence", "max_order": "2"}),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_opened_segment_has_the_score_of_its_cell(answered, variant, options):
    scored = answered(HARD, variant=variant, **options)["scored"]
    rows = files_tab._segment_table(scored, scored.files.read().columns)["data"]
    assert len(rows) == 4
    for line, *row in rows:
        for system, sari in zip("xy", row[:2], strict=True):
            _tab, source, output, *boxes, opened, _back, side_by_side = files_tab._opening(scored, system, line)
            parts = sentence_tab.show_sentence(opened, source, output, *boxes)
            assert f"<strong>{sari}</strong>" in parts.scores
            assert f"{system}, line {line}" in parts.place
            assert ("Level: " in parts.place) == ("level" in options)
            assert [system, sari] in [shown[:2] for shown in side_by_side.value["data"]]
            assert side_by_side.visible
            assert sentence_tab.show_sentence(opened, source, f"{output} x", *boxes).place == ""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_cell_opens_the_output_of_its_system(answered):
    scored = answered(HARD)["scored"]
    cells = [gr.SelectData(None, {"index": (0, column), "value": "", "row_value": ["2", ""]}) for column in range(6)]
    opened = [files_tab.open_segment(scored, cell)[-3] for cell in cells]
    assert [(segment.system, segment.line) for segment in opened] == [(name, 2) for name in "xxyxxy"]
    assert scored.lines == [3, 1, 2, 4]
    assert [files_tab.open_next(steps, opened[0])[-3].line for steps in (-1, 1, 2)] == [1, 4, 3]


def test_paths_are_kept_instead_of_texts_until_they_expire(answered):
    scored = answered(COLUMNS)["scored"]
    assert scored in {scored}  # Gradio hashes states
    assert COLUMNS["sources"][0] not in repr(scored)
    Path(scored.files.table).unlink()
    assert "The files have been deleted meanwhile: please choose them again." in files_tab.show_ranking(scored)
    assert "please score the files again" in files_tab.show_ranking(None)
    with pytest.raises(RefusedError, match="please score the files again"):
        files_tab.open_next(1, None)
    with gr.Blocks():
        baseline = files_tab._make_results()["baseline"]
    assert baseline.preprocess("x") == "x"  # the choices of a visit can be forgotten


def test_a_refusal_hides_the_results(answered):
    parts = answered({**COLUMNS, "predictions": {}})
    assert "table.jsonl: no rows, expected at least one" in parts["message"]
    assert not parts["results"].visible
    assert len(parts) == 2


@pytest.mark.parametrize(("kind", "visible"), [(TEXT_FILES, "1110"), (TABLE, "0001"), ("ASSET, validation", "0100")])
def test_a_kind_of_input_shows_the_boxes_that_it_needs(kind, visible):
    hint, *boxes = files_tab.show_boxes(kind)
    assert "".join(str(int(box.visible)) for box in boxes) == visible
    assert "At most 20 systems, 5,000 segments and 10 MB in all." in hint


# In a browser


@pytest.fixture
def scored(desktop):
    """Return the page with the scored files of the example."""
    fill_files(desktop)
    expect(desktop.locator("#files-message")).to_contain_text("press Score")
    score(desktop)
    return desktop


def test_results_are_of_the_baseline_and_come_with_a_report(scored):
    page = scored
    expect(page.locator("#files-results")).to_be_focused()
    page.get_by_role("combobox", name="Baseline").click()
    page.get_by_role("option", name="rewriting").click()
    expect(page.locator("#systems table").nth(1).locator("tbody td").first).to_have_text("rewriting")
    page.get_by_role("button", name="Make the report (HTML)").click()
    with page.expect_download() as download:
        page.locator("#files-results").get_by_role("row").filter(has_text="report").get_by_role("link").click()
    assert "deleting against rewriting" in Path(download.value.path()).read_text("utf-8")


def test_segments_are_searched_and_opened(scored):
    page, rewriting = scored, COLUMNS["predictions"]["rewriting"]
    choose(page, "Lowercase", "cased")
    score(page)
    lines = [int(cell(page, row, 0).inner_text()) for row in range(1, 11)]
    page.get_by_label("Search the segments").fill("reservoir")
    expect(page.get_by_role("grid", name="SARI of every segment").get_by_role("row")).to_have_count(2)
    line, sari = int(cell(page, 1, 0).inner_text()), float(cell(page, 1, 2).inner_text())
    cell(page, 1, 2).click()
    expect(box(page, "Output")).to_have_value(rewriting[line - 1])
    expect_score(page, sari)  # under the options of the files
    page.get_by_role("button", name="Next ›").click()
    line = lines[(lines.index(line) + 1) % 10]
    expect(box(page, "Output")).to_have_value(rewriting[line - 1])
    expect(page.locator("#place")).to_have_text(f"rewriting, line {line}")
    page.get_by_role("button", name="← Back").click()
    expect(page.locator("#segments")).to_be_focused()
    expect(cell(page, 1, 0)).to_be_in_viewport()


def test_a_change_that_the_server_hears_of_late_hides_no_newer_results(scored):
    late, results = [], scored.locator("#files-results")
    scored.route("**/run/**", lambda call: late.append(call))
    choose(scored, "Lowercase", "cased")
    expect(results).to_be_hidden()
    score(scored)
    for call in late:
        with scored.expect_response(call.request.url):
            call.continue_()
    scored.unroute("**/run/**")
    scored.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(results).to_be_visible()
