"""A real headless browser, and what visitors do on a page in it."""

import os
import re
import shutil
from contextlib import contextmanager, suppress

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, expect, sync_playwright

#: Chromium of the system or, where the path is None, of playwright; and Chrome and Edge, where installers put them.
BROWSERS = [
    *({"executable_path": shutil.which(name)} for name in ("chromium-headless-shell", "chromium", "chromium-browser")),
    *({"channel": name} for name in ("chrome", "msedge")),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
NO_BROWSER = "NO BROWSER: no Chromium, Chrome or Edge starts: install one, or run python -m playwright install chromium"

DESKTOP, PHONE = (1280, 900), (320, 640)
#: A machine that does other things too takes its time: in milliseconds.
PATIENCE = 30_000
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]},
    "resultTypes": ["violations"],
}
#: What dark colours can change of a page that was light before.
CONTRAST = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
#: Rows and items after the first ones look like these, and axe takes its time for each.
FIRST_ONES = "tbody tr:nth-child(n+3), [role=row]:nth-child(n+4), li:nth-child(n+3) { visibility: hidden !important }"
#: What Gradio's program says where a page is left, or a setting changes, while it waits for an answer.
OF_GRADIO = r"AbortError: signal is aborted|status of 422|Connection errored out"
expect.set_options(timeout=PATIENCE)


@contextmanager
def start_browser():
    """Start the first browser that is there and starts; without one, skip the test or, with `CI=true`, fail it."""
    with sync_playwright() as playwright:
        for browser in BROWSERS:
            with suppress(Error):
                started = playwright.chromium.launch(args=FLAGS, **browser)
                break
        else:
            give_up = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            raise give_up.Exception(NO_BROWSER, pytrace=False)
        yield started
        started.close()


@contextmanager
def visiting(context, address):
    """Yield a function that opens the page of the app at an address; nothing on it may fail or go to another host."""
    pages, problems = [], []

    def visit(size, scheme):
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(f"error: {error.stack or error}"))
        page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: problems.append(request.url) if is_foreign(request.url) else None)
        page.goto(address)
        expect(page.locator(".sari-total strong")).to_be_visible()
        return page

    def is_foreign(url):
        return not url.startswith((address, "data:", f"blob:{address}"))

    yield visit
    for page in pages:
        page.close()
    assert [problem for problem in problems if not re.search(OF_GRADIO, problem)] == []


def axe(page, rules=RULES):
    """Return what axe finds wrong with the page: the impact, the rule, and the first place."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # Gradio's arrow of a sorted column has a label that its element does not allow.
    run = "rules => axe.run({exclude: ['.sort-indicator']}, rules).then(found => found.violations)"
    hidden = page.add_style_tag(content=FIRST_ONES)
    found = page.evaluate(run, rules)
    hidden.evaluate("style => style.remove()")
    return [(rule["impact"], rule["id"], rule["nodes"][0]["html"][:200]) for rule in found]


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def view(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def box(page, label):
    return page.get_by_role("textbox", name=re.compile(rf"^{label}\b"))


def fill(page, source, output, references):
    for label, text in (("Source", source), ("Output", output), ("References", "\n".join(references))):
        box(page, label).fill(text)


def choose(page, label, option):
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=re.compile(rf"^{option}\b")).click()
    expect(page.get_by_role("option")).to_have_count(0)


def expect_score(page, score):
    expect(page.locator("#scores .sari-total strong")).to_have_text(f"{score:.2f}")


def accordion(page, name):
    """Open a part of the page that is closed at first."""
    page.get_by_role("button", name=name).locator("visible=true").click()


def fill_files(page):
    """Open the view of files, with those of the example."""
    view(page, "Files")
    page.get_by_role("button", name="Fill in an example").click()
    expect(page.get_by_text("references.1").locator("visible=true")).to_be_visible()


def score(page):
    """Score the files that were chosen, and wait for the scores."""
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.locator("#systems table").first).to_be_visible()


def rank(page):
    """Ask whether the ranking holds, and wait for the table."""
    page.get_by_role("button", name="Does the ranking hold under other variants?").click()
    expect(page.locator("#ranking table")).to_have_count(1)


def cell(page, row, column):
    """Return a cell of the table of segments, whose first row is 1."""
    table = page.get_by_role("grid", name="SARI of every segment")
    return table.get_by_role("row").nth(row).get_by_role("gridcell").nth(column)
