"""axe-core in every view, at both widths, light and dark: no finding that is serious or critical."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect
from web_pages import DESKTOP, PHONE, axe, box, expect_score, upload, view, visiting

pytest_plugins = ("web_app",)

#: Gradio shows results that are pending at a fifth of their opacity, and takes 150 ms more to fade them in.
SETTLED = """
() => !document.querySelector(".pending, .generating") && !document.getAnimations().some(
  (one) => one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime))
"""


def findings(page):
    """Return what axe finds: how grave it is, the rule, and the first place."""
    page.wait_for_function(SETTLED, polling=50)
    return [(rule["impact"], rule["id"], rule["nodes"][0]["html"][:200]) for rule in axe(page)]


@pytest.fixture(scope="module", params=[(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def look(request):
    return request.param


@pytest.fixture(scope="module")
def page(browser, cache, address, look):
    """Return the page that tests share which only read or have a view of their own: opening it takes a second."""
    with visiting(browser, cache, address) as visit:
        yield visit(*look)


def graver(found):
    return [finding for finding in found if finding[0] in ("serious", "critical")]


def test_axe_finds_what_is_wrong(visit):
    page = visit()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=data:,>')")
    assert [rule for _, rule, _ in graver(findings(page))] == ["image-alt"]


def test_headings_are_in_order(page):
    levels = page.locator("h1, h2, h3, h4").evaluate_all("heads => heads.map(head => Number(head.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_sentence(page):
    view(page, "Sentence")
    for name in (
        "Precision, recall and F1 by n-gram order",
        "The n-grams behind each figure",
        "Link, signature, Python",
    ):
        page.get_by_role("button", name=name).click()
    page.locator(".sari-baselines summary").click()
    expect(page.locator("#grams .sari-pick").first).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="3 words in a row").click()
    page.locator(".sari-bar .sari-pick").first.focus()
    page.keyboard.press("Tab")
    assert graver(findings(page)) == []


def test_variants(page):
    view(page, "Variants")
    expect(page.locator("#steps table")).to_be_visible()
    assert graver(findings(page)) == []


@pytest.mark.parametrize(
    ("tab", "start", "shown"),
    [
        ("File", "Score these files", "#corpus .sari-histogram"),
        ("Compare", "Compare these systems", "#differences .sari-pair >> nth=0"),
    ],
)
def test_files(page, tab, start, shown):
    view(page, tab)
    assert graver(findings(page)) == []
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(page.get_by_text("references.1").locator("visible=true").first).to_be_visible()
    page.get_by_role("button", name=start).click()
    expect(page.locator(shown)).to_be_visible()
    assert graver(findings(page)) == []


def test_agreement_with_people(visit, look, tmp_path):
    page = visit(*look)
    table = tmp_path / "rated.tsv"
    rows = [("a b c", "a b", "a b d", "a", 3), ("d e f", "d", "d f", "e", 5), ("g h", "g", "g", "h", 1)]
    names = ("source", "output", "reference_1", "reference_2", "rating")
    table.write_text("".join("\t".join(map(str, row)) + "\n" for row in (names, *rows)))
    view(page, "File")
    view(page, "Table")
    upload(page, "JSON Lines, CSV or TSV", table)
    page.get_by_role("button", name="Score this file").click()
    expect(page.locator("#corpus .sari-agreement")).to_be_visible()
    page.get_by_role("button", name="Score by number of references").click()
    expect(page.locator("#by-references .sari-counts")).to_be_visible()
    assert graver(findings(page)) == []


def test_about(page):
    view(page, "About")
    expect(page.locator("#card pre").first).to_be_visible()
    assert graver(findings(page)) == []


def test_scores_are_said_as_they_change(visit):
    page = visit()
    box(page, "Output").fill("The committee delayed its decision.")
    expect(page.locator("#note p")).to_have_count(0)
    score = page.locator("#scores .sari-total strong").inner_text()
    expect(page.locator("#sari-live[role=status]")).to_have_text(re.compile(f"^SARI {score}, keep [0-9.]+, delete "))
    expect_score(page, float(score))
