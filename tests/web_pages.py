"""What visitors do on a page in a real headless browser."""

import re
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from sari.variants import DEFAULT_VARIANT, VARIANTS
from sari.web.components import plain
from sari.web.samples import samples

DESKTOP, PHONE = (1280, 900), (390, 844)
#: A machine that does other things too takes its time: in milliseconds.
PATIENCE = 15_000
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
def visiting(browser, cache, address):
    """Yield a function that opens the page: in `cache`, a context that has its files, or in one of its own."""
    problems, opened = [], []

    def visit(size=DESKTOP, scheme="light", at=address, *, apart=False):
        width, height = size
        context = browser.new_context() if apart else cache
        page = context.new_page()
        opened.append(context if apart else page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(f"error: {error.stack or error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: problems.append(request.url) if is_foreign(request.url) else None)
        page.goto(at)
        hurry(page)
        expect(page.locator(".sari-total strong").first).to_be_visible()
        return page

    def is_foreign(url):
        return not url.startswith((address, "data:", f"blob:{address}"))

    yield visit
    for one in opened:
        one.close()
    assert [problem for problem in problems if not re.search(OF_GRADIO, problem)] == []


def as_it_was(page):
    """Return the page with the first example in its boxes, single words marked, and nothing chosen."""
    first = samples()[0]
    page.bring_to_front()  # a page behind another draws once a second
    view(page, "Sentence")
    page.keyboard.press("Escape")
    for label, initial in (("Variant", DEFAULT_VARIANT), ("Lowercase", "lowercased (default)")):
        if not page.get_by_role("combobox", name=label).input_value().startswith(initial):
            choose(page, label, initial)
    box(page, "Source").fill("another")  # so that the next source is that of the example, which has come
    page.get_by_role("button", name=first.name, exact=True).click()
    expect(box(page, "Source")).to_have_value(first.source)
    expect(page.locator("#note p")).to_have_text(first.note)  # the last answer is that to these texts
    expect(page.locator("#texts .sari-text").first).to_contain_text(first.source.split()[1])
    return page


def hurry(page):
    """Play the animations of the page, such as menus that slide out, in a tenth of their time."""
    tools = page.context.new_cdp_session(page)
    tools.send("Animation.enable")
    tools.send("Animation.setPlaybackRate", {"playbackRate": 10})


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


def box(page, label):
    return page.get_by_role("textbox", name=re.compile(rf"^{label}\b"))


def fill(page, source, output, references):
    for label, text in (("Source", source), ("Output", output), ("References", "\n".join(references))):
        box(page, label).fill(text)


def choose(page, label, option):
    page.get_by_role("combobox", name=label).click()
    named = f"{option}: {plain(VARIANTS[option].summary)}" if option in VARIANTS else option
    page.get_by_role("option", name=named, exact=True).click()
    expect(page.get_by_role("option")).to_have_count(0)


def view(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def expect_score(page, score, within="#scores"):
    expect(page.locator(f"{within} .sari-total strong")).to_have_text(f"{score:.2f}")


def refusal(page, within):
    found = page.locator(f"{within} .sari-refusal")
    expect(found).to_be_visible()
    return found


def cell(page, row, column):
    """Return a cell of the table of segments, whose first row is 1."""
    table = page.get_by_role("grid", name="SARI of every segment")
    return table.get_by_role("row").nth(row).get_by_role("gridcell").nth(column)


def accordion(page, name):
    """Open a part of the page that is closed at first."""
    button = page.get_by_role("button", name=name)
    if "open" not in button.get_attribute("class").split():
        button.click()


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def upload(page, label, *paths):
    """Put files into a box, in place of those that are in it."""
    block = page.locator(".block", has=page.get_by_text(label, exact=True)).locator("visible=true").last
    clear, field = block.get_by_label("Clear"), block.locator("input[type=file]").last
    expect(clear.or_(field).first).to_be_attached()
    if clear.count():
        clear.first.click()
    field.set_input_files([str(path) for path in paths])
    expect(block.get_by_role("cell", name=paths[-1].name).first).to_be_visible()


def score(page):
    """Score the files that were chosen, and wait for the scores or the refusal."""
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.locator("#systems table, #files-message .sari-refusal").first).to_be_visible()


def rank(page):
    """Ask whether the ranking holds, and wait for the table."""
    page.get_by_role("button", name="Does the ranking hold under other variants?").click()
    expect(page.locator("#ranking table")).to_have_count(1)


def downloaded(page, name):
    """Return the text of a file that is offered by its name."""
    row = page.locator("#files-results").get_by_role("row").filter(has_text=name.partition(".")[0])
    row = row.filter(has_text=f".{name.partition('.')[2]}")
    with page.expect_download() as download:
        row.get_by_role("link").first.click()
    return Path(download.value.path()).read_text("utf-8")
