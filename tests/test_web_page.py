"""The page as a whole in a real headless browser: every view fits and is accessible, and visitors are kept apart."""

import json
import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect
from web_pages import CONTRAST, RULES, accordion, axe, box, cell, fill, fits, rank, score, upload, view

pytest_plugins = ("web_app",)

HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> ${alert(3)} {{value}} \"'><b>bold</b> &lt;i&gt;"
#: Gradio shows results that are pending at a fifth of their opacity, and takes 150 ms more to fade them in.
SETTLED = """
() => !document.querySelector(".pending, .generating") && !document.getAnimations().some(
  (one) => one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime))
"""

#: The menus whose choice is wider than they are.
CUT = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"


def open_sentence(page):
    accordion(page, "More options")
    accordion(page, "Link, signature")
    for part in (".sari-arithmetic", ".sari-baselines"):
        page.locator(f"{part} summary").click()
    expect(page.locator("#answer table")).to_be_visible()
    page.locator(".sari-bar .sari-pick").first.focus()
    page.keyboard.press("Tab")


def open_variants(page):
    expect(page.locator("#steps .sari-table, #steps .sari-note")).to_be_visible()


def open_files(page):
    page.get_by_role("radio", name="Text files", exact=True).check()
    page.get_by_role("button", name="Fill in an example").click()
    expect(page.get_by_text("references.1").locator("visible=true").first).to_be_visible()
    accordion(page, "More options")
    score(page)
    rank(page)


def open_about(page):
    expect(page.locator("#card li").first).to_be_visible()


OPENED = {
    "Sentence": open_sentence,
    "Variants": open_variants,
    "Files": open_files,
    "About": open_about,
}


@pytest.mark.parametrize(("look", "rules"), [("desktop", RULES), ("phone", CONTRAST)])
def test_every_view_fits_and_is_accessible(request, look, rules):
    page = request.getfixturevalue(look)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 3 * 128) == (look == "phone")
    levels = page.locator("h1, h2, h3, h4").evaluate_all("heads => heads.map(head => Number(head.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for name, opened in OPENED.items():
        view(page, name)
        opened(page)
        assert fits(page)
        assert set(page.get_by_role("combobox").evaluate_all(CUT)) <= {"Variant", "From", "To"}
        page.wait_for_function(SETTLED, polling=50)
        assert axe(page, rules) == []


def test_unbroken_and_foreign_texts_fit(phone):
    fill(phone, "x" * 900, "\u0645\u0631\u062d\u0628\u0627 \U0001f642 " + "\u4f60" * 300, ["y" * 900, "_" * 400])
    expect(phone.locator("#texts .sari-text").nth(1)).to_contain_text("\U0001f642")
    assert fits(phone)
    view(phone, "Variants")
    expect(phone.locator("#variants dd").first).to_have_text("x" * 900)
    assert fits(phone)


def test_markup_is_shown_and_never_run(desktop, tmp_path):
    fill(desktop, HOSTILE, HOSTILE + " more", [HOSTILE, "<h1>big</h1>"])
    expect(desktop.locator("#texts")).to_contain_text("onerror")
    view(desktop, "Variants")
    expect(desktop.locator("#variants dd").first).to_have_text(HOSTILE)
    for root in ("#texts", "#variants"):
        assert desktop.locator(root).locator("img, script, h1").count() == 0
    file = tmp_path / "<b>corpus.jsonl"
    row = {"system": HOSTILE, "source": HOSTILE, "prediction": HOSTILE, "references": [HOSTILE]}
    rows = [row, {**row, "system": "other", "prediction": "x"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    view(desktop, "Files")
    desktop.get_by_role("radio", name="Table", exact=True).check()
    upload(desktop, "Table", file)
    score(desktop)
    expect(desktop.locator("#systems table").first).to_contain_text(HOSTILE)
    rank(desktop)
    expect(cell(desktop, 1, 3)).to_contain_text("<script>alert(2)</script>")
    for root in ("#systems", "#ranking", "#segments"):
        assert desktop.locator(root).locator("img[src=x], script, h1").count() == 0
    assert desktop.locator("#segments").get_by_text("bold", exact=True).count() == 0
    cell(desktop, 1, 3).click()
    expect(box(desktop, "Source")).to_have_value(HOSTILE)
    expect(desktop.locator("#place")).to_contain_text(HOSTILE)


def test_the_first_scores_are_there_before_the_app(browser, address, desktop):
    page = browser.new_page()
    page.route("**/assets/**", lambda route: route.abort())
    page.goto(address)
    content = "getComputedStyle(document.body, '::before').content"
    first = desktop.locator(".sari-total strong").first.inner_text()
    assert f"SARI {first}, Keep" in page.evaluate(content)
    page.close()
    assert desktop.evaluate(content) == "none"
