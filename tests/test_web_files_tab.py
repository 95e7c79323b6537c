"""The view of files in a real headless browser, and what is kept of them."""

import csv
import io
import json
import re

import gradio as gr
import pytest
from playwright.sync_api import expect
from programs import ROOT, example_corpus, with_system
from web_pages import accordion, box, cell, choose, downloaded, expect_score, rank, refusal, score, upload, view

from sari.web import components, files_tab, sentence_tab
from sari.web.files_tab import open_next, show_ranking, write_files
from sari.web.inputs import TABLE, TEXT_FILES, offered_options

pytest_plugins = ("web_app",)

COLUMNS = example_corpus()
FOLDER = ROOT / "examples"
REFERENCES = [FOLDER / f"references.{place}.txt" for place in (0, 1)]


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """Return the files of three systems: those of the example, and one that copies."""
    folder = tmp_path_factory.mktemp("systems")
    outputs = {**COLUMNS["predictions"], "copying": COLUMNS["sources"]}
    files = {name: folder / f"{name}.txt" for name in outputs}
    for name, texts in outputs.items():
        files[name].write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return files


def as_json_lines(columns):
    """Return the texts of several systems as a table with a row for each output."""
    rows = [
        {"system": name, "source": source, "output": output, "references": people}
        for name, outputs in columns["predictions"].items()
        for source, output, people in zip(columns["sources"], outputs, columns["references"], strict=True)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def choose_kind(page, kind):
    view(page, "Files")
    page.get_by_role("radio", name=kind, exact=True).check()


def rows_of(page, number):
    """Return the rows of a table of scores as lists of cells."""
    rows = page.locator("#systems table").nth(number).locator("tbody tr").all()
    return [[" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()] for row in rows]


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_three_systems_from_text_files(desktop, page_scorer, systems):
    page = desktop
    wanted = page_scorer.compare(
        sources=COLUMNS["sources"],
        predictions={**COLUMNS["predictions"], "copying": COLUMNS["sources"]},
        references=COLUMNS["references"],
        method="randomization",
        details=True,
    )["systems"]
    choose_kind(page, TEXT_FILES)
    upload(page, "Sources", FOLDER / "sources.txt")
    upload(page, "Outputs (one file for each system)", *systems.values())
    upload(page, "References (one file or more)", *REFERENCES)
    score(page)
    rows = {row[0]: row for row in rows_of(page, 0)}
    assert all(f"{own['sari']:.2f}" in rows[name][1] for name, own in wanted.items())
    assert {f"baseline: {name}" for name in ("copy", "empty", "unrelated", "references")} <= set(rows)
    assert {row[0] for row in rows_of(page, 1)} == {"rewriting", "copying"}
    assert any(row[0].startswith("BLEU") for row in rows_of(page, 2))
    expect(page.locator("#systems").get_by_role("list", name="Warnings")).to_contain_text("copying")
    expect(page.locator("#systems img")).to_have_count(2)
    expect(page.locator("#files-results")).to_be_focused()

    rank(page)
    ranking = page.locator("#ranking")
    expect(ranking.locator(".sari-headline")).to_contain_text("of 1 pairs of systems")
    expect(ranking).to_contain_text("copying mostly copies the source")
    expect(ranking.locator("tbody tr")).to_have_count(len(offered_options()["variant"].choices))

    records = list(csv.DictReader(io.StringIO(downloaded(page, "sari.csv"))))
    assert [float(row["sari"]) for row in records[:3]] == [own["sari"] for own in wanted.values()]
    assert json.loads(downloaded(page, "sari.json"))["systems"][1]["scores"]["sari"] == wanted["rewriting"]["sari"]
    assert r"\begin{tabular}" in downloaded(page, "sari.tex")
    segments = list(csv.DictReader(io.StringIO(downloaded(page, "segments.tsv")), delimiter="\t"))
    assert [float(row["sari"]) for row in segments[:10]] == wanted["deleting"]["sentences"]["sari"]
    page.get_by_role("button", name="Make the report (HTML)").click()
    assert "<title>SARI of deleting, rewriting, copying</title>" in downloaded(page, "report.html")

    page.get_by_role("combobox", name="Baseline").click()
    page.get_by_role("option", name="rewriting").click()
    expect(page.locator("#systems table").nth(1).locator("tbody td").first).to_have_text("rewriting")


def test_segments_are_ordered_searched_and_opened(desktop):
    page = desktop
    rewriting = COLUMNS["predictions"]["rewriting"]
    choose_kind(page, TEXT_FILES)
    page.get_by_role("button", name="Fill in an example").click()
    expect(page.get_by_text("references.1").locator("visible=true").first).to_be_visible()
    expect(page.locator("#files-message")).to_contain_text("press Score")
    choose(page, "Lowercase", "cased")
    score(page)
    one, other = ([float(cell(page, row, column).inner_text()) for row in range(1, 11)] for column in (1, 2))
    differences = [abs(a - b) for a, b in zip(one, other, strict=True)]
    assert differences == sorted(differences, reverse=True)
    lines = [int(cell(page, row, 0).inner_text()) for row in range(1, 11)]
    page.get_by_label("Search the segments").fill("reservoir")
    expect(page.get_by_role("grid", name="SARI of every segment").get_by_role("row")).to_have_count(2)
    line, shown = int(cell(page, 1, 0).inner_text()), cell(page, 1, 2).inner_text()
    cell(page, 1, 2).click()
    expect(box(page, "Output")).to_have_value(rewriting[line - 1])
    expect_score(page, float(shown))  # under the options of the files
    expect(page.locator("#place")).to_have_text(f"rewriting, line {line}")
    page.get_by_role("button", name="Next ›").click()
    line = lines[(lines.index(line) + 1) % 10]
    expect(box(page, "Output")).to_have_value(rewriting[line - 1])
    page.get_by_role("button", name="‹ Previous").click()
    page.get_by_role("button", name="← Back").click()
    expect(page.locator("#segments")).to_be_focused()
    expect(cell(page, 1, 0)).to_be_in_viewport()


def test_a_change_that_the_server_hears_of_late_hides_no_newer_results(desktop):
    choose_kind(desktop, TEXT_FILES)
    desktop.get_by_role("button", name="Fill in an example").click()
    expect(desktop.get_by_text("references.1").locator("visible=true").first).to_be_visible()
    late = []
    desktop.route("**/run/**", lambda call: late.append(call))
    choose(desktop, "Lowercase", "cased")
    score(desktop)
    results = desktop.locator("#files-results")
    expect(results).to_be_visible()
    for call in late:
        with desktop.expect_response(call.request.url):
            call.continue_()
    desktop.unroute("**/run/**")
    desktop.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(results).to_be_visible()
    choose(desktop, "Lowercase", "lowercased")
    expect(results).to_be_hidden()


def test_a_test_set_by_its_name_needs_outputs_alone(phone, page_scorer, systems):
    choose_kind(phone, "ASSET, test")
    upload(phone, "Outputs (one file for each system)", systems["rewriting"])
    score(phone)
    wanted = page_scorer.compute(**with_system(COLUMNS, "rewriting"))["sari"]
    assert f"{wanted:.2f}" in next(row for row in rows_of(phone, 0) if row[0] == "rewriting")[1]
    expect(phone.get_by_role("combobox", name="Baseline")).to_have_count(0)
    accordion(phone, "More options")
    expect(phone.locator("#files-results")).to_be_visible()
    choose(phone, "Level", "sentence")
    expect(phone.locator("#files-results")).to_be_hidden()  # the results were of other settings


def test_tables_and_what_is_wrong_with_files(phone, tmp_path):
    table, bad = tmp_path / "table.jsonl", tmp_path / "bad.csv"
    table.write_text(as_json_lines(COLUMNS), encoding="utf-8")
    bad.write_text("source,output\na,b\n")
    choose_kind(phone, "Table")
    upload(phone, "Table", table)
    score(phone)
    assert [row[0] for row in rows_of(phone, 0)][:2] == ["deleting", "rewriting"]
    upload(phone, "Table", bad)
    expect(phone.locator("#files-results")).to_be_hidden()
    score(phone)
    expect(refusal(phone, "#files-message")).to_contain_text("bad.csv: no column 'references'")
    choose_kind(phone, TEXT_FILES)
    short = tmp_path / "short.txt"
    short.write_text("a\n")
    upload(phone, "Sources", FOLDER / "sources.txt")
    upload(phone, "References (one file or more)", *REFERENCES)
    upload(phone, "Outputs (one file for each system)", short)
    score(phone)
    expect(refusal(phone, "#files-message")).to_have_text(
        re.compile("^short.txt: number of lines: got 1, expected 10 as in sources.txt")
    )


# What is kept of files


@pytest.fixture
def scored_files(tmp_path, monkeypatch):
    """Return a function that scores texts as files with options, and returns what is kept of them."""
    monkeypatch.setattr(files_tab, "get_upload_folder", lambda: str(tmp_path))

    def score_files(columns, **options):
        (path,) = write_files({"table.jsonl": as_json_lines(columns)})
        initial = dict(zip(files_tab.NAMES, components.initial_choices(files_tab.NAMES), strict=True))
        chosen = (initial | options).values()
        return files_tab.answer_files(None, TABLE, None, None, None, path, *chosen)["scored"]

    return score_files


def test_paths_are_kept_instead_of_texts(scored_files):
    scored = scored_files(COLUMNS)
    assert COLUMNS["sources"][0] not in repr(scored)
    assert "table.jsonl" in repr(scored)


HARD = {
    "sources": ["The  big cat\nsat .", " a b", "A b. C d.", " "],
    "predictions": {"x": ["The cat\r\nsat .", "", "A b . C d .", "a"], "y": ["  cat  ", "a\rb", "A b.", ""]},
    "references": [["A cat sat .", " "], ["a\n\nb", "a  b", ""], ["A b.\nC d.", "A b."], [" ", ""]],
}


@pytest.mark.parametrize("variant", offered_options()["variant"].choices)
@pytest.mark.parametrize("options", [{}, {"level": "sentence", "lowercase": "no"}, {"max_order": "2"}])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_opened_segment_has_the_score_of_its_cell(scored_files, variant, options):
    scored = scored_files(HARD, variant=variant, **options)
    for line, *row in files_tab._segment_table(scored, scored.files.read())["data"]:
        place = line - 1
        for system, sari in zip(scored.sari, row, strict=False):
            _, *boxes, opened, _, side_by_side = files_tab._opening(scored, system, place + 1)
            html = "".join(sentence_tab.show_sentence(opened, *boxes))
            assert f"<strong>{sari}</strong>" in html
            assert f"{system}, line {place + 1}" in html
            shown = {name: value for name, value, _ in side_by_side.value["data"]}
            assert shown[system] == sari
            other = "".join(sentence_tab.show_sentence(opened, boxes[0], f"{boxes[1]} x", *boxes[2:]))
            assert f"line {place + 1}" not in other


def test_what_has_expired_says_so_in_a_line(scored_files):
    scored = scored_files(COLUMNS)
    files_tab.Path(scored.files.table).unlink()
    assert "The files have been deleted meanwhile: please choose them again." in show_ranking(scored)
    assert "please score the files again" in show_ranking(None)
    with pytest.raises(files_tab.RefusedError, match="please score the files again"):
        open_next(1, None)
    with gr.Blocks():
        baseline = files_tab._make_results()["baseline"]
    assert baseline.preprocess("x") == "x"  # the choices of a visit can be forgotten
