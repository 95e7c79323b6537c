"""The view of a corpus in a real headless browser, and its files to keep."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect
from programs import ROOT, example_corpus, score_of
from web_pages import (
    box,
    cell,
    choose,
    downloaded,
    empty_way,
    expect_score,
    fill_example,
    fits,
    refusal,
    upload,
)

from sari.variants import resolve_variants
from sari.web.answers import count_references, rate_corpus
from sari.web.inputs import columns_of_lists

pytest_plugins = ("web_app",)


def test_text_files(desktop, page_scorer):
    folder = ROOT / "examples"
    names = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")
    sources, outputs, *references = ((folder / name).read_text("utf-8").splitlines() for name in names)
    wanted = page_scorer.compute(
        sources=sources, predictions=outputs, references=list(zip(*references, strict=True)), details=True
    )
    empty_way(desktop, "File", "Text files")
    upload(desktop, "Sources", folder / names[0])
    upload(desktop, "Outputs", folder / names[1])
    upload(desktop, "References (one file or more)", folder / names[2], folder / names[3])
    desktop.get_by_role("button", name="Score these segments").click()
    expect_score(desktop, wanted["sari"], within="#corpus")
    expect(desktop.locator("#signature textarea, #signature input")).to_have_value(wanted["signature"])
    expect(desktop.locator("#corpus")).to_be_focused()
    expect(desktop.locator("#corpus .sari-total")).to_be_in_viewport()
    expect(desktop.locator("#sari-live")).to_contain_text(f"SARI {wanted['sari']:.2f}")
    expect(desktop.locator(".sari-histogram rect")).to_have_count(20)
    expect(desktop.locator("#corpus table")).to_have_count(3)
    worst = sorted(range(len(sources)), key=wanted["sentences"]["sari"].__getitem__)
    expect(cell(desktop, 1, 0)).to_have_text(str(worst[0] + 1))
    assert fits(desktop)

    rows = list(csv.DictReader(io.StringIO(downloaded(desktop, "CSV"))))
    assert [float(row["sari"]) for row in rows] == wanted["sentences"]["sari"]
    assert [row["reference_2"] for row in rows] == references[1]
    assert rows[0]["signature"] == wanted["signature"]
    found = json.loads(downloaded(desktop, "JSON"))
    assert found["scores"]["sari"] == wanted["sari"]
    assert [segment["output"] for segment in found["segments"]] == outputs

    head = desktop.get_by_role("grid", name="Sentences").get_by_role("columnheader", name="SARI")
    head.get_by_role("button", name="Open cell menu").click()
    desktop.get_by_role("menuitem", name="Sort ascending").click()
    shown = wanted["sentences"]["delete"][worst[0]]
    expect(cell(desktop, 1, 3)).to_have_text(f"{shown:.2f}")  # two decimals, zeros too
    lowest = min(range(len(sources)), key=wanted["sentences"]["sari"].__getitem__)
    expect(cell(desktop, 1, 0)).to_have_text(str(lowest + 1))
    cell(desktop, 1, 0).click()
    expect(box(desktop, "Source")).to_have_value(sources[lowest])
    expect(box(desktop, "References")).to_have_value("\n".join(column[lowest] for column in references))
    expect_score(desktop, wanted["sentences"]["sari"][lowest])
    expect(desktop.locator("#scores")).to_be_focused()
    expect(desktop.locator("#scores .sari-total")).to_be_in_viewport()
    for button, place in (("Next ›", 1), ("Next ›", 2), ("‹ Previous", 1)):
        desktop.get_by_role("button", name=button).click()
        expect(box(desktop, "Source")).to_have_value(sources[worst[place]])
        expect_score(desktop, wanted["sentences"]["sari"][worst[place]])
    back = desktop.get_by_role("button", name="← Back")
    expect(back).to_be_in_viewport()
    back.click()
    expect(cell(desktop, 1, 0)).to_be_in_viewport()
    desktop.wait_for_function("document.activeElement.closest('#sentences') !== null")


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
def test_bars_search_ratings_and_further_scores(phone, page_scorer, tmp_path):
    ratings = [3, 9, 4, 7, 1, 8, 2, 6, 5, 0]
    file = tmp_path / "ratings.txt"
    file.write_text("".join(f"{rating}\n" for rating in ratings))
    columns = example_corpus()
    texts = (columns["sources"], columns["predictions"]["deleting"], columns["references"])
    empty_way(phone, "File", "Text files")
    fill_example(phone)
    expect(phone.get_by_text("references.1").locator("visible=true").first).to_be_visible()
    upload(phone, "Ratings by people (optional)", file)
    phone.get_by_role("button", name="Score these segments").click()
    expect(phone.locator("#corpus")).to_be_focused()  # what is seen is not of an earlier test
    rows = phone.locator("#corpus .sari-agreement tbody tr")
    expect(rows).to_have_count(4)
    report = rate_corpus(columns_of_lists(*texts), ratings, page_scorer.variant)
    shown = [row.split("\t")[:2] for row in rows.all_inner_texts()]
    assert [[name.strip(), coefficient.split()[0]] for name, coefficient in shown] == [
        [name, f"{row.coefficients['pearson'].value:.3f}".replace("-", "−")]
        for name, row in zip(("SARI", "Keep", "Delete", "Add"), report.rows, strict=True)
    ]

    bars = phone.locator(".sari-histogram [data-bin]")
    name = bars.last.get_attribute("aria-label")
    low, high, count = map(float, re.fullmatch(r"SARI (\d+) to (\d+): (\d+)", name).groups())
    bars.last.press("Enter")
    expect(phone.locator("#shown")).to_contain_text(f"{count:.0f} with SARI from {low:.0f} to {high:.0f}.")
    rows = phone.get_by_role("grid", name="Sentences").get_by_role("row")
    expect(rows).to_have_count(int(count) + 1)
    assert low <= float(cell(phone, 1, 1).inner_text()) <= high
    phone.get_by_role("button", name="Show all sentences").click()
    expect(phone.locator("#shown")).to_contain_text("Choose a row")
    phone.get_by_role("radio", name="As it came").check()
    expect(cell(phone, 1, 0)).to_have_text("1")
    phone.get_by_label("Search the sentences").fill("reservoir")
    expect(rows).to_have_count(2)

    phone.get_by_role("button", name="Score under every variant").click()
    expect(phone.locator("#every-variant .sari-agreement tbody tr")).to_have_count(len(resolve_variants()[0]))
    texts_of_one = {**columns, "predictions": columns["predictions"]["deleting"]}
    for variant in page_scorer.variants:
        shown = phone.locator("#every-variant .sari-bar", has=phone.get_by_text(variant, exact=True))
        expect(shown).to_contain_text(
            f"{page_scorer.with_options(variant=variant).compute(**texts_of_one)['sari']:.2f}"
        )
    phone.get_by_role("button", name="Score by number of references").click()
    counts = count_references(columns_of_lists(*texts), page_scorer.variant)
    dots = phone.locator("#by-references .sari-intervals li b")
    expect(dots).to_have_text([f"{row.mean['sari']:.2f}" for row in counts])
    assert fits(phone)
    file.write_text("1\n2\n")
    upload(phone, "Ratings by people (optional)", file)
    phone.get_by_role("button", name="Score these segments").click()
    expect(refusal(phone, "#corpus")).to_have_text("ratings.txt: the file has 2 lines, expected 10 as in sources.txt")


def test_a_row_opens_under_the_variant_it_was_scored_with(desktop, page_scorer, tmp_path):
    rows = [("A b c", "A b", ["A b d", "a"]), ("D e", "f", ["d", ""])]
    keys = ("source", "prediction", "references")
    file = tmp_path / "corpus.jsonl"
    file.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    empty_way(desktop, "File", "Table")
    upload(desktop, "JSON Lines, CSV or TSV", file)
    choose(desktop, "Variant", "t2t")
    choose(desktop, "Case", "cased")
    desktop.get_by_role("button", name="Score these segments").click()
    options = {"variant": "t2t", "lowercase": False}
    expect(desktop.locator("#signature textarea, #signature input")).to_have_value(
        re.compile("variant:t2t.*case:mixed")
    )
    stale = desktop.locator("#stale-file .sari-refusal")
    expect(stale).to_have_count(0)
    choose(desktop, "Variant", "hf")
    expect(stale).to_be_visible()
    choose(desktop, "Variant", "t2t")
    expect(stale).to_have_count(0)
    saved = [json.loads(line) for line in downloaded(desktop, "this view").splitlines()]
    assert [(row["source"], row["prediction"], row["references"]) for row in saved] == rows
    choices = ("variant", "tokenize", "lowercase")
    assert [saved[0][name] for name in choices] == ["t2t", "default", "no"]
    cell(desktop, 2, 5).click()
    expect(box(desktop, "Source")).to_have_value("D e")
    expect_score(desktop, score_of(page_scorer, *rows[1], **options))


def test_pasted_lines_and_their_warnings(phone):
    empty_way(phone, "File", "Paste")
    fill_example(phone)
    expect(box(phone, "Outputs")).to_have_value(re.compile("lighthouse"))
    start = phone.get_by_role("button", name="Score these segments")
    start.click()
    expect(phone.locator("#corpus")).to_contain_text("10 segments under easse.")
    expect(phone.get_by_role("list", name="Warnings")).to_have_count(0)
    phone.locator("#corpus summary", has_text="Among published systems").click()
    expect(phone.locator("#corpus .sari-published")).to_contain_text("No published systems: the texts are none of ")
    phone.get_by_role("radio", name="As it came").check()
    expect(cell(phone, 1, 0)).to_have_text("1")
    phone.get_by_role("radio", name="Worst first").check()
    download = phone.get_by_role("button", name="Download CSV")
    expect(download).to_be_visible()
    box(phone, "Outputs").fill("\n".join(["a"] * 8 + ["", "."]))
    expect(phone.locator("#stale-file .sari-refusal")).to_be_visible()
    expect(download).to_be_hidden()
    start.click()
    expect(download).to_be_visible()
    expect(phone.get_by_role("list", name="Warnings")).to_contain_text("Warning: some outputs are empty (1 of 10).")
    box(phone, "Outputs").fill("one line")
    start.click()
    expect(refusal(phone, "#corpus")).to_have_text("The outputs have 1 line, expected 10 (as in sources).")
    expect(phone.get_by_role("button", name="Download CSV")).to_be_hidden()
