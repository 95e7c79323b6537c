"""The view of several systems in a real headless browser."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect
from programs import ROOT, example_corpus
from web_pages import box, cell, choose, downloaded, empty_way, expect_score, fill_example, fits, refusal, upload, view

from sari.variants import VARIANTS
from sari.web.answers import rate_systems
from sari.web.inputs import offered_options, systems_of_lists

pytest_plugins = ("web_app",)


def in_this_order(*facts):
    """Return what finds facts in a text, whatever stands between them."""
    return re.compile(".*".join(map(re.escape, facts)))


#: Keeps how many pixels of text are seen of the work on a report, at most.
SEE_WORK = """() => {
  window.workSeen = 0;
  const work = document.getElementById("report-work");
  const look = () => { if (work.innerText.trim()) window.workSeen = Math.max(window.workSeen, work.offsetHeight); };
  new MutationObserver(look).observe(work, { childList: true, subtree: true, characterData: true });
}"""


def in_words(page):
    """Return the items that have the tests of systems in words."""
    return page.locator("#tests-of-systems").get_by_role("listitem").filter(has_text="p = ")


def shown_of(page):
    """Return what is shown of the systems, in lines."""
    return [
        line for part in ("systems", "tests-of-systems") for line in page.locator(f"#{part}").inner_text().split("\n")
    ]


def link_of(page):
    """Return what copies the link to a comparison, where its address has it."""
    return page.locator("#systems").get_by_role("button", name="Copy link")


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_compare(desktop, page_scorer, tmp_path):
    columns = example_corpus()
    columns["predictions"]["copying"] = columns["sources"]
    systems = columns["predictions"]
    wanted = page_scorer.compare(**columns, baseline="rewriting", method="randomization", details=True)
    empty_way(desktop, "Compare", "Text files")
    upload(desktop, "Sources", ROOT / "examples" / "sources.txt")
    upload(
        desktop, "References (one file or more)", *(ROOT / "examples" / f"references.{place}.txt" for place in (0, 1))
    )
    files = [tmp_path / f"{name}.txt" for name in ("deleting", "rewriting", "copying")]
    for file, texts in zip(files, systems.values(), strict=True):
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    upload(desktop, "Outputs (one file per system)", *files)
    baseline = desktop.get_by_role("combobox", name="Baseline")
    expect(baseline).to_have_value("deleting")
    choose(desktop, "Baseline", "rewriting")
    choose(desktop, "Variant", "easse")
    desktop.get_by_role("radio", name="Paired approximate randomization").check()
    desktop.get_by_role("button", name="Compare these systems").click()

    scored = desktop.get_by_role("region", name="Scores of the systems")
    rows = scored.locator("tbody tr")
    expect(rows).to_have_count(3)
    shown = [row.split("\t") for row in rows.all_inner_texts()]
    scores = [system["sari"] for system in wanted["systems"].values()]
    assert [row[0].split()[0] for row in shown] == ["deleting", "rewriting", "copying"]
    assert [float(row[1].split()[0]) for row in shown] == [round(score, 2) for score in scores]
    assert ["best" in row[1] for row in shown] == [score == max(scores[:2]) for score in scores[:2]] + [False]
    low, high = wanted["systems"]["deleting"]["confidence_intervals"]["sari"]
    assert shown[0][2] == f"{low:.2f} to {high:.2f}"
    interval = desktop.get_by_role("list", name="SARI with 95% intervals").get_by_role("img").first
    figures = re.findall(r"[\d.]+", interval.get_attribute("aria-label"))
    assert figures == [f"{scores[0]:.2f}", "95", f"{low:.2f}", f"{high:.2f}"]
    points, p_value = (wanted["systems"]["deleting"][name]["sari"] for name in ("differences", "p_values"))
    assert points < 0
    often = f"{round(p_value * 10_001) - 1 or 'none'} of 10,000 trials"
    corrected = wanted["systems"]["deleting"]["corrected_p_values"]["sari"]
    facts = ("deleting", f"{-points:.2f} lower", "rewriting", often, f"p = {p_value:.4f}", f"{corrected:.4f}")
    expect(in_words(desktop).first).to_contain_text(in_this_order(*facts))
    expect(desktop.get_by_role("list", name="Warnings")).to_contain_text("copying")
    expect(desktop.locator("#signature-of-systems textarea")).to_have_value(wanted["signature"])
    expect(desktop.locator("#systems")).to_be_focused()
    expect(desktop.locator("#sari-live")).to_contain_text(in_this_order("3 systems", "deleting"))
    assert fits(desktop)
    parts = (scored, desktop.get_by_role("button", name="Download CSV"), interval)
    heights = [part.bounding_box()["y"] for part in parts]
    assert heights == sorted(heights)  # downloads are next to the table
    edges = desktop.locator("#tests-of-systems .sari-intervals").evaluate(
        "figure => [...figure.querySelectorAll('.range')].map(range => [range, range.parentElement]"
        ".map(part => part.getBoundingClientRect())).every(([range, track]) => "
        "range.left >= track.left - 1 && range.right <= track.right + 1 && range.width > 3)"
    )
    assert edges

    scored.get_by_role("button", name="SARI").click()
    cells = scored.locator("tbody td:nth-child(2)").all_inner_texts()
    assert [text.strip() for text in cells] == [
        text.strip() for _, text in sorted(zip(scores, (row[1] for row in shown), strict=True), reverse=True)
    ]

    gains = [
        ours - theirs
        for ours, theirs in zip(
            *(wanted["systems"][name]["sentences"]["sari"] for name in ("deleting", "rewriting")), strict=True
        )
    ]
    worst = gains.index(min(gains))
    lengths = desktop.get_by_role("table", name="SARI by length of the source").locator("tbody tr")
    assert sum(int(row.split("\t")[1]) for row in lengths.all_inner_texts()) == 10
    desktop.get_by_role("button", name="Find n-grams gained and lost").click()
    first = desktop.get_by_role("table", name="deleting against rewriting").locator("tbody tr").first
    expect(first).to_be_visible()
    gain, ours, theirs = map(float, first.locator("td").all_inner_texts()[1:])
    assert gain == ours - theirs > 0

    ranking = desktop.locator("#ranking").get_by_role("table").locator("tbody tr")
    expect(ranking).to_have_count(len(offered_options()["variant"].choices))
    chosen = ranking.filter(has_text="chosen")
    expect(chosen).to_contain_text(f"{scores[0]:.2f}")
    assert ("*" in chosen.locator("td").nth(1).inner_text()) == ("*" in shown[0][-1])

    sentences = desktop.locator("#ranking").get_by_role("listitem")
    expect(sentences.filter(has_text="copying")).to_contain_text("copies the source")

    texts = {name: downloaded(desktop, name) for name in ("CSV", "JSON", "LaTeX", "report", "this comparison")}
    desktop.evaluate(SEE_WORK)
    with desktop.expect_download():
        desktop.get_by_role("button", name="Download report").click()
    assert desktop.evaluate("window.workSeen") > 0
    table = list(csv.DictReader(io.StringIO(texts["CSV"])))
    assert [float(row["sari"]) for row in table] == scores
    assert float(table[0]["sari_p_value"]) == p_value
    found = json.loads(texts["JSON"])
    assert [system["confidence_intervals"] for system in found["systems"]] == [
        system["confidence_intervals"] for system in wanted["systems"].values()
    ]
    assert found["resampling"]["baseline"] == "rewriting"
    assert r"\begin{tabular}" in texts["LaTeX"]
    asked = ("against rewriting", "paired approximate randomization", "BLEU", wanted["signature"])
    assert [part for part in ("<!doctype html>", *asked) if part not in texts["report"]] == []

    output = desktop.locator("#differences details").first.locator(f"[data-place='{worst}'][data-system=rewriting]")
    output.click()
    expect(box(desktop, "Output")).to_have_value(systems["rewriting"][worst])
    expect_score(desktop, wanted["systems"]["rewriting"]["sentences"]["sari"][worst])
    expect(desktop.locator("#scores")).to_be_focused()
    desktop.get_by_role("button", name="← Back").click()
    expect(output).to_be_visible()

    compared = sorted(shown_of(desktop))  # its rows were sorted above
    stale = desktop.locator("#stale-compare .sari-refusal")
    expect(stale).to_have_count(0)
    downloads = desktop.get_by_role("button", name="Download").locator("visible=true")
    expect(downloads).to_have_count(5)
    choose(desktop, "Variant", "hf")
    expect(stale).to_be_visible()
    expect(downloads).to_have_count(0)
    choose(desktop, "Variant", "easse")
    expect(stale).to_have_count(0)
    expect(downloads).to_have_count(5)
    other, sources = tmp_path / "other.txt", ROOT / "examples" / "sources.txt"
    other.write_text("a\n", encoding="utf-8")
    upload(desktop, "Sources", other)
    expect(stale).to_be_visible()
    expect(downloads).to_have_count(0)
    upload(desktop, "Sources", sources)
    expect(stale).to_have_count(0)
    choose(desktop, "Baseline", "copying")
    expect(stale).to_be_visible()
    choose(desktop, "Baseline", "rewriting")
    expect(stale).to_have_count(0)
    desktop.get_by_role("radio", name="Paired bootstrap").check()
    expect(stale).to_be_visible()
    choose(desktop, "Variant", "hf")
    expect(downloads).to_have_count(0)
    saved = tmp_path / "comparison.jsonl"
    saved.write_text(texts["this comparison"], encoding="utf-8")
    empty_way(desktop, "Compare", "Table")
    upload(desktop, "JSON Lines, CSV or TSV with a column system", saved)
    expect(baseline).to_have_value("rewriting")
    expect(desktop.get_by_role("combobox", name="Variant")).to_have_value(re.compile("^easse:"))
    expect(desktop.get_by_role("radio", name="Paired approximate randomization")).to_be_checked()
    desktop.get_by_role("button", name="Compare these systems").click()
    expect(desktop.locator("#ngrams")).to_be_empty()
    expect(desktop.locator("#systems")).to_contain_text(in_this_order("10 segments", "easse"))
    expect(downloads).to_have_count(5)
    assert sorted(shown_of(desktop)) == compared


def test_a_link_opens_a_comparison(visit, tmp_path):
    page = visit(apart=True)
    view(page, "Compare")
    fill_example(page)
    expect(box(page, "Names of the systems")).to_have_value("deleting\nrewriting")
    box(page, "Names of the systems").fill("short & <b>\nlong 100%")
    choose(page, "Baseline", "long 100%")
    choose(page, "Variant", "paper")
    page.get_by_role("radio", name="Paired bootstrap").check()
    page.get_by_role("button", name="Compare these systems").click()
    expect(link_of(page)).to_be_visible()
    expect(page).to_have_url(re.compile("#comparison=.*&tab=compare$"))
    shown = shown_of(page)

    other = visit()  # somebody else
    other.goto("about:blank")
    other.goto(page.url)
    expect(link_of(other)).to_be_visible()
    assert shown_of(other) == shown
    expect(other.get_by_role("combobox", name="Baseline")).to_have_value("long 100%")
    expect(other.get_by_role("combobox", name="Variant").locator("visible=true")).to_have_value(re.compile("^paper:"))
    view(other, "About")
    other.go_back()
    expect(other.locator("#systems")).to_be_visible()
    assert other.url == page.url

    long = tmp_path / "long.jsonl"
    rows = [{"system": name, "source": "a " * 3000, "prediction": name, "references": ["b"]} for name in "cd"]
    long.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *rows]), encoding="utf-8")
    empty_way(other, "Compare", "Table")
    upload(other, "JSON Lines, CSV or TSV with a column system", long)
    other.get_by_role("button", name="Compare these systems").click()
    expect(other.locator("#systems")).to_contain_text("2 segments")
    expect(link_of(other)).to_have_count(0)
    expect(other).not_to_have_url(re.compile("comparison="))


def test_files_names_and_every_segment(phone, tmp_path):
    columns = example_corpus()
    empty_way(phone, "Compare", "Text files")
    start = phone.get_by_role("button", name="Compare these systems")
    expect(phone.get_by_role("combobox", name="Baseline")).to_have_value("")
    start.click()
    expect(refusal(phone, "#systems")).to_contain_text("sources")
    fill_example(phone)
    expect(box(phone, "Names of the systems")).to_have_value("deleting\nrewriting")
    box(phone, "Names of the systems").fill("short\nlong & <b>")  # the box of the baseline may still say deleting
    start.click()
    expect(in_words(phone).first).to_contain_text(in_this_order("long & <b>", "16.61 higher", "short"))
    expect(phone.locator("#differences summary").first).to_contain_text(in_this_order("long & <b>", "short"))

    phone.get_by_label("Search the segments").fill("reservoir")
    table = "SARI of every segment"
    expect(phone.get_by_role("grid", name=table).get_by_role("row")).to_have_count(2)
    score = cell(phone, 1, 2, table).inner_text()
    place = int(cell(phone, 1, 0, table).inner_text()) - 1
    cell(phone, 1, 2, table).click()
    expect(box(phone, "Output")).to_have_value(columns["predictions"]["rewriting"][place])
    expect_score(phone, float(score))
    phone.get_by_role("button", name="Next ›").click()
    expect(box(phone, "Output")).to_have_value(columns["predictions"]["rewriting"][place + 1])

    view(phone, "Compare")
    short = tmp_path / "short.txt"
    short.write_text("a\n")
    upload(phone, "Outputs (one file per system)", short)
    start.click()
    expect(refusal(phone, "#systems")).to_contain_text(
        "short.txt:2: the file has 1 line, expected 10 as in sources.txt"
    )
    expect(phone.locator("#signature-of-systems")).to_be_hidden()


def test_a_table_of_rated_systems(phone, tmp_path):
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
    empty_way(phone, "Compare", "Table")
    fill_example(phone)
    expect(box(phone, "Names of the systems")).to_have_value("deleting\nrewriting")
    upload(phone, "JSON Lines, CSV or TSV with a column system", file)
    expect(box(phone, "Names of the systems")).to_have_value("deleting\nrewriting\ncopying")
    choose(phone, "Baseline", "rewriting")
    phone.get_by_role("button", name="Compare these systems").click()
    tables = phone.get_by_role("region", name="Agreement with the ratings of")
    expect(tables).to_have_count(2)
    systems = systems_of_lists(columns["sources"], outputs, columns["references"])
    report = rate_systems(systems, ratings, VARIANTS["easse"])
    for table, level in zip(tables.all(), ("segments", "systems"), strict=True):
        row = next(row for row in report.rows if row.level == level)
        expect(table.locator("tbody td").first).to_contain_text(f"{row.coefficients['pearson'].value:.3f}")
    output = phone.locator("#differences [data-system=deleting]").first
    text = output.locator("span").inner_text()
    output.click()
    expect(box(phone, "Output")).to_have_value(text)
