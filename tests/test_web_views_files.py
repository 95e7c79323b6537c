"""The views of files in a real headless browser: a corpus, and several systems."""

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from programs import ROOT, example_corpus, score_of
from web_pages import DESKTOP, PHONE, box, cell, choose, expect_score, refusal, upload, view

from sari.variants import resolve_variants
from sari.web.corpora import batches_of_lists, systems_of_lists
from sari.web.people import count_references, rate_corpus, rate_systems

pytest_plugins = ("web_app",)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_text_files(visit, sari, size):
    page = visit(size, "dark")
    folder = ROOT / "examples"
    names = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")
    sources, outputs, *references = ((folder / name).read_text("utf-8").splitlines() for name in names)
    wanted = sari.compute(
        sources=sources, predictions=outputs, references=list(zip(*references, strict=True)), details=True
    )
    view(page, "File")
    upload(page, "Sources", folder / names[0])
    upload(page, "Outputs", folder / names[1])
    upload(page, "References (one file or more)", folder / names[2], folder / names[3])
    page.get_by_role("button", name="Score these files").click()
    expect_score(page, wanted["sari"], within="#corpus")
    expect(page.locator("#signature textarea, #signature input")).to_have_value(wanted["signature"])
    expect(page.locator(".sari-histogram rect")).to_have_count(20)
    expect(page.locator("#corpus table")).to_have_count(3)
    worst = sorted(range(len(sources)), key=wanted["sentences"]["sari"].__getitem__)
    expect(cell(page, 1, 0)).to_have_text(str(worst[0] + 1))
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert [float(row["sari"]) for row in rows] == wanted["sentences"]["sari"]
    assert [row["reference_2"] for row in rows] == references[1]
    assert rows[0]["signature"] == wanted["signature"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    found = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert found["scores"]["sari"] == wanted["sari"]
    assert [segment["output"] for segment in found["segments"]] == outputs

    head = page.get_by_role("grid", name="Sentences").get_by_role("columnheader", name="SARI")
    head.get_by_role("button", name="Open cell menu").click()
    page.get_by_role("menuitem", name="Sort ascending").click()
    lowest = min(range(len(sources)), key=wanted["sentences"]["sari"].__getitem__)
    expect(cell(page, 1, 0)).to_have_text(str(lowest + 1))
    cell(page, 1, 0).click()
    expect(box(page, "Source")).to_have_value(sources[lowest])
    expect(box(page, "References")).to_have_value("\n".join(column[lowest] for column in references))
    expect_score(page, wanted["sentences"]["sari"][lowest])
    expect(page.locator("#scores")).to_be_focused()
    expect(page.locator("#scores .sari-total")).to_be_in_viewport()
    page.get_by_role("button", name="Back to where this came from").click()
    expect(page.locator("#corpus .sari-total")).to_be_visible()


def test_bars_search_and_every_variant(visit, sari):
    page = visit()
    view(page, "File")
    view(page, "Table")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(page.get_by_role("cell", name="example.jsonl")).to_be_visible()
    page.get_by_role("button", name="Score this file").click()
    bars = page.locator(".sari-histogram [data-bin]")
    expect(bars.first).to_be_visible()
    name = bars.last.get_attribute("aria-label")
    low, high, count = map(float, re.fullmatch(r"SARI (\d+) to (\d+): (\d+)", name).groups())
    bars.last.press("Enter")
    expect(page.locator("#shown")).to_contain_text(f"{count:.0f} with SARI from {low:.0f} to {high:.0f}.")
    rows = page.get_by_role("grid", name="Sentences").get_by_role("row")
    expect(rows).to_have_count(int(count) + 1)
    assert low <= float(cell(page, 1, 1).inner_text()) <= high
    page.get_by_role("button", name="Show all sentences").click()
    expect(page.locator("#shown")).to_contain_text("Choose a row")
    page.get_by_role("radio", name="As it came").check()
    expect(cell(page, 1, 0)).to_have_text("1")
    page.get_by_label("Search the sentences").fill("reservoir")
    expect(rows).to_have_count(2)
    columns = example_corpus()
    texts = {**columns, "predictions": columns["predictions"]["deleting"]}
    page.get_by_role("button", name="Score under every variant").click()
    for variant in sari.variants:
        shown = page.locator("#every-variant .sari-bar", has=page.get_by_text(variant, exact=True))
        expect(shown).to_contain_text(f"{sari.compute(**texts, variant=variant)['sari']:.2f}")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_ratings_and_numbers_of_references(visit, tmp_path, size, scheme):
    ratings = [3, 9, 4, 7, 1, 8, 2, 6, 5, 0]
    file = tmp_path / "ratings.txt"
    file.write_text("".join(f"{rating}\n" for rating in ratings))
    columns = example_corpus()
    texts = (columns["sources"], columns["predictions"]["deleting"], columns["references"])
    page = visit(size, scheme)
    view(page, "File")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(page.get_by_text("references.1").locator("visible=true").first).to_be_visible()
    upload(page, "Ratings by people (optional)", file)
    page.get_by_role("button", name="Score these files").click()
    rows = page.locator("#corpus .sari-agreement tbody tr")
    expect(rows).to_have_count(4)
    report = rate_corpus(batches_of_lists(*texts), ratings)
    assert [[cell.strip() for cell in row.split("\t")[:2]] for row in rows.all_inner_texts()] == [
        [name, f"{row.coefficients['pearson'].value:.3f}".replace("-", "−")]
        for name, row in zip(("SARI", "Keep", "Delete", "Add"), report.rows, strict=True)
    ]
    page.get_by_role("button", name="Score under every variant").click()
    expect(page.locator("#every-variant .sari-agreement tbody tr")).to_have_count(len(resolve_variants()[0]))
    page.get_by_role("button", name="Score by number of references").click()
    counts = count_references(batches_of_lists(*texts))
    dots = page.locator("#by-references .sari-intervals li b")
    expect(dots).to_have_text([f"{row.mean['sari']:.2f}" for row in counts])
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    file.write_text("1\n2\n")
    page.locator(".block", has=page.get_by_text("Ratings by people (optional)", exact=True)).locator(
        "visible=true"
    ).get_by_label("Clear").click()
    upload(page, "Ratings by people (optional)", file)
    page.get_by_role("button", name="Score these files").click()
    expect(refusal(page, "#corpus")).to_have_text("ratings.txt: the file has 2 lines, wanted 10 as in sources.txt")


def test_a_row_opens_under_the_variant_it_was_scored_with(visit, sari, tmp_path):
    rows = [("A b c", "A b", ["A b d", "a"]), ("D e", "f", ["d", "E f"])]
    keys = ("source", "prediction", "references")
    file = tmp_path / "corpus.jsonl"
    file.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    page = visit()
    view(page, "File")
    view(page, "Table")
    upload(page, "JSON Lines, CSV or TSV", file)
    choose(page, "Variant", "t2t")
    choose(page, "Case", "as written")
    page.get_by_role("button", name="Score this file").click()
    options = {"variant": "t2t", "lowercase": False}
    expect(page.locator("#signature textarea, #signature input")).to_have_value(re.compile("variant:t2t.*case:mixed"))
    cell(page, 2, 5).click()
    expect(box(page, "Source")).to_have_value("D e")
    expect_score(page, score_of(sari, *rows[1], **options))


def test_pasted_lines(visit):
    page = visit(PHONE)
    view(page, "File")
    view(page, "Paste")
    page.get_by_role("button", name="Fill in an example").click()
    expect(box(page, "Outputs")).to_have_value(re.compile("lighthouse"))
    page.get_by_role("button", name="Score these lines").click()
    expect(page.locator("#corpus")).to_contain_text("10 segments under hf.")
    box(page, "Outputs").fill("one line")
    page.get_by_role("button", name="Score these lines").click()
    expect(refusal(page, "#corpus")).to_have_text("The outputs have 1 line, wanted 10, as many as sources.")
    expect(page.get_by_role("button", name="Download CSV")).to_be_hidden()


def test_wrong_files(visit, tmp_path):
    good, short, binary, packed = (tmp_path / name for name in ("good.txt", "short.txt", "picture.png", "good.txt.gz"))
    good.write_text("a\nb\n")
    short.write_text("a\n")
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    packed.write_bytes(gzip.compress(b"a\nb\n")[:12])
    page = visit()
    view(page, "File")
    page.get_by_role("button", name="Score these files").click()
    expect(refusal(page, "#corpus")).to_have_text("Please choose the sources.")
    upload(page, "Sources", good)
    upload(page, "References (one file or more)", good)
    for file, message in (
        (short, "short.txt:2: the file has 1 line, wanted 2 as in good.txt"),
        (binary, "picture.png:1: byte 0x89 is not UTF-8, wanted UTF-8 text"),
        (packed, "good.txt.gz:1: cannot be read: "),
    ):
        upload(page, "Outputs", file)
        page.get_by_role("button", name="Score these files").click()
        expect(refusal(page, "#corpus")).to_contain_text(message)
        page.locator(".block", has=page.get_by_text("Outputs", exact=True)).locator("visible=true").get_by_label(
            "Clear"
        ).click()
    view(page, "Table")
    upload(page, "JSON Lines, CSV or TSV", good)
    page.get_by_role("button", name="Score this file").click()
    expect(refusal(page, "#corpus")).to_contain_text("good.txt:1: not JSON")


def test_warnings_of_a_file(visit):
    page = visit()
    view(page, "File")
    view(page, "Paste")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(box(page, "Outputs")).to_have_value(re.compile("lighthouse"))
    start = page.get_by_role("button", name="Score these lines")
    start.click()
    expect(page.locator("#corpus")).to_contain_text("10 segments under hf.")
    expect(page.get_by_role("list", name="Warnings")).to_have_count(0)
    box(page, "Outputs").fill("\n".join(["a"] * 8 + ["", "."]))
    start.click()
    expect(page.get_by_role("list", name="Warnings")).to_contain_text("Warning: 1 of 10 predictions is empty.")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_compare(visit, sari, tmp_path, size, scheme):
    columns = example_corpus()
    columns["predictions"]["copying"] = columns["sources"]
    systems = columns["predictions"]
    wanted = sari.compare(**columns, baseline="rewriting", method="randomization", variant="easse", details=True)
    page = visit(size, scheme)
    view(page, "Compare")
    upload(page, "Sources", ROOT / "examples" / "sources.txt")
    upload(page, "References (one file or more)", *(ROOT / "examples" / f"references.{place}.txt" for place in (0, 1)))
    files = [tmp_path / f"{name}.txt" for name in ("deleting", "rewriting", "copying")]
    for file, texts in zip(files, systems.values(), strict=True):
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    upload(page, "Outputs (one file per system)", *files)
    baseline = page.get_by_role("combobox", name="Baseline")
    expect(baseline).to_have_value("deleting")
    choose(page, "Baseline", "rewriting")
    choose(page, "Variant", "easse")
    page.get_by_role("radio", name="Paired approximate randomization").check()
    page.get_by_role("button", name="Compare these systems").click()

    rows = page.locator("#systems .sari-systems tbody tr")
    expect(rows).to_have_count(3)
    shown = [row.split("\t") for row in rows.all_inner_texts()]
    scores = [system["sari"] for system in wanted["systems"].values()]
    assert [row[0].split()[0] for row in shown] == ["deleting", "rewriting", "copying"]
    assert [float(row[1].split()[0]) for row in shown] == [round(score, 2) for score in scores]
    assert ["best" in row[1] for row in shown] == [score == max(scores[:2]) for score in scores[:2]] + [False]
    low, high = wanted["systems"]["deleting"]["confidence_intervals"]["sari"]
    assert shown[0][2] == f"{low:.2f} to {high:.2f}"
    expect(page.locator("#systems .sari-intervals li").first.get_by_role("img")).to_have_attribute(
        "aria-label", f"{scores[0]:.2f}, 95% interval from {low:.2f} to {high:.2f}"
    )
    points, p_value = (wanted["systems"]["deleting"][name]["sari"] for name in ("differences", "p_values"))
    assert points < 0
    expect(page.locator("#systems .sari-tests li").first).to_contain_text(
        f"SARI of deleting is {-points:.2f} lower than that of rewriting; chance alone made a difference as large in "
        f"{round(p_value * 10_001) - 1 or 'none'} of 10,000 trials (p = {p_value:.4f}, corrected "
        f"{wanted['systems']['deleting']['corrected_p_values']['sari']:.4f}):"
    )
    expect(page.get_by_role("list", name="Warnings")).to_contain_text("copying: 10 of 10 predictions are the same as")
    expect(page.locator("#signature-of-systems textarea")).to_have_value(wanted["signature"])
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    edges = page.locator("#systems .sari-intervals").evaluate(
        "figure => [...figure.querySelectorAll('.range')].map(range => [range, range.parentElement]"
        ".map(part => part.getBoundingClientRect())).every(([range, track]) => "
        "range.left >= track.left - 1 && range.right <= track.right + 1 && range.width > 3)"
    )
    assert edges

    expect(page.locator("#systems .sari-refusal")).to_have_text(re.compile("^copying mostly copies the source: out of"))
    heads = page.locator("#systems .sari-systems thead button")
    heads.nth(1).click()
    cells = page.locator("#systems .sari-systems tbody td:nth-child(2)").all_inner_texts()
    assert [text.strip() for text in cells] == [
        text.strip() for _, text in sorted(zip(scores, (row[1] for row in shown), strict=True), reverse=True)
    ]

    gains = [
        ours - theirs
        for ours, theirs in zip(
            *(wanted["systems"][name]["sentences"]["sari"] for name in ("deleting", "rewriting")), strict=True
        )
    ]
    items = page.locator("#differences details").first.locator("li p b")
    expect(items).to_have_count(sum(gain > 0 for gain in gains) + min(5, sum(gain < 0 for gain in gains)))
    worst = gains.index(min(gains))
    expect(items.nth(sum(gain > 0 for gain in gains))).to_have_text(f"{round(min(gains), 2):+.2f}".replace("-", "−"))

    texts = {}
    for name in ("CSV", "JSON", "LaTeX", "report"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {name}").locator("visible=true").click()
        texts[name] = Path(download.value.path()).read_text("utf-8")
    table = list(csv.DictReader(io.StringIO(texts["CSV"])))
    assert [float(row["sari"]) for row in table] == scores
    assert float(table[0]["sari_p_value"]) == p_value
    found = json.loads(texts["JSON"])
    assert [system["confidence_intervals"] for system in found["systems"]] == [
        system["confidence_intervals"] for system in wanted["systems"].values()
    ]
    assert found["resampling"]["baseline"] == "rewriting"
    assert r"\begin{tabular}" in texts["LaTeX"]
    asked = "SARI against rewriting; two-sided, paired approximate randomization"
    assert all(part in texts["report"] for part in ("<!doctype html>", "BLEU", asked, wanted["signature"]))

    output = page.locator("#differences details").first.locator(f"[data-place='{worst}'][data-system=rewriting]")
    output.click()
    expect(box(page, "Output")).to_have_value(systems["rewriting"][worst])
    expect_score(page, wanted["systems"]["rewriting"]["sentences"]["sari"][worst])
    expect(page.locator("#scores")).to_be_focused()
    page.get_by_role("button", name="Back to where this came from").click()
    expect(output).to_be_visible()


def test_a_table_of_rated_systems(visit, tmp_path):
    columns = example_corpus()
    outputs = {**columns["predictions"], "copying": columns["sources"]}
    ratings = {"deleting": [3, 9, 4, 7, 1, 8, 2, 6, 5, 0], "rewriting": [8] * 10, "copying": [1] * 10}
    rows = [
        (source, name, output, *people, rating)
        for name, texts in outputs.items()
        for source, output, people, rating in zip(
            columns["sources"], texts, columns["references"], ratings[name], strict=True
        )
    ]
    file = tmp_path / "systems.csv"
    with file.open("w", newline="", encoding="utf-8") as target:
        csv.writer(target).writerows([("source", "system", "output", "reference_1", "reference_2", "ratings"), *rows])
    page = visit()
    view(page, "Compare")
    view(page, "Table")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(box(page, "Names of the systems")).to_have_value("deleting\nrewriting")
    page.get_by_label("Clear").locator("visible=true").click()
    upload(page, "JSON Lines, CSV or TSV with a column system", file)
    expect(box(page, "Names of the systems")).to_have_value("deleting\nrewriting\ncopying")
    choose(page, "Baseline", "rewriting")
    page.get_by_role("button", name="Compare the systems of this table").click()
    tables = page.locator("#systems .sari-agreement")
    expect(tables).to_have_count(2)
    report = rate_systems(systems_of_lists(columns["sources"], outputs, columns["references"]), ratings)
    for table, level in zip(tables.all(), ("segments", "systems"), strict=True):
        row = next(row for row in report.rows if row.level == level)
        expect(table.locator("tbody td").first).to_have_text(f"{row.coefficients['pearson'].value:.3f}")
    output = page.locator("#differences [data-system=deleting]").first
    text = output.locator("span").inner_text()
    output.click()
    expect(box(page, "Output")).to_have_value(text)


def test_systems_are_renamed(visit):
    page = visit()
    view(page, "Compare")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(box(page, "Names of the systems")).to_have_value("deleting\nrewriting")
    box(page, "Names of the systems").fill("short\nlong & <b>")
    expect(page.get_by_role("combobox", name="Baseline")).to_have_value("short")
    page.get_by_role("button", name="Compare these systems").click()
    expect(page.locator("#systems .sari-tests li")).to_contain_text(
        "SARI of long & <b> is 14.84 higher than that of short"
    )
    expect(page.locator("#differences summary")).to_have_text("long & <b> next to short")


def test_compare_refuses_and_recovers(visit, tmp_path):
    page = visit(PHONE)
    view(page, "Compare")
    start = page.get_by_role("button", name="Compare these systems")
    start.click()
    expect(refusal(page, "#systems")).to_have_text("Please choose the sources.")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(page.get_by_role("combobox", name="Baseline")).to_have_value("deleting")
    start.click()
    expect(page.locator("#systems .sari-tests li")).to_contain_text(
        "SARI of rewriting is 14.84 higher than that of deleting"
    )
    short = tmp_path / "short.txt"
    short.write_text("a\n")
    upload(page, "Outputs (one file per system)", short)
    start.click()
    expect(refusal(page, "#systems")).to_contain_text("short.txt:2: the file has 1 line, wanted 10 as in sources.txt")
    expect(page.locator("#signature-of-systems")).to_be_hidden()
