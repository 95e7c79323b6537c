"""The page as a whole in a real headless browser: every view fits and is accessible, and texts are shown as texts."""

import json

import pytest
from playwright.sync_api import expect
from web_pages import CONTRAST, RULES, accordion, axe, box, cell, fill, fill_files, fits, rank, score, view

pytest_plugins = ("web_app",)

HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> ${alert(3)} {{value}} \"'><b>bold</b> &lt;i&gt;"
#: Gradio shows results that are pending at a fifth of their opacity, and takes 150 ms more to fade them in.
SETTLED = """
() => !document.querySelector(".pending, .generating") && !document.getAnimations().some(
  (one) => one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime))
"""

#: The boxes that are narrower than what is in them.
CUT = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"

#: The boxes whose edges stand out from their grounds by less than 3 to 1.
FAINT = """boxes => {
  const pen = document.createElement("canvas").getContext("2d");
  const light = colour => {
    pen.fillStyle = colour;
    const parts = pen.fillStyle.match(/\\w\\w/g).map(part => parseInt(part, 16) / 255);
    const [red, green, blue] = parts.map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const isFaint = box => {
    const { borderTopColor, backgroundColor } = getComputedStyle(box);
    const lights = [light(borderTopColor), light(backgroundColor)];
    return !((Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05) >= 3);
  };
  return boxes.filter(isFaint).map(box => box.className);
}"""
BOXES = "textarea, .container > .wrap, .search-input"


def open_sentence(page):
    accordion(page, "More options")
    accordion(page, "Link, signature")
    for part in (".sari-arithmetic", ".sari-baselines"):
        page.locator(f"{part} summary").click()
    page.locator(".sari-bar .sari-pick").first.focus()
    page.keyboard.press("Tab")


def open_files(page):
    fill_files(page)
    accordion(page, "More options")
    score(page)
    rank(page)


OPENED = {
    "Sentence": open_sentence,
    "Variants": lambda page: expect(page.locator("#steps .sari-table")).to_be_visible(),
    "Files": open_files,
    "About": lambda page: expect(page.locator("#card li").first).to_be_visible(),
}


@pytest.mark.parametrize(("look", "rules"), [("desktop", RULES), ("phone", CONTRAST)])
def test_every_view_fits_and_is_accessible(request, look, rules):
    page = request.getfixturevalue(look)
    assert page.locator("body.dark").count() == (look == "phone")
    assert page.get_by_role("tab").all_text_contents() == [*OPENED]
    for name, opened in OPENED.items():
        view(page, name)
        opened(page)
        assert fits(page)
        assert set(page.get_by_role("combobox").evaluate_all(CUT)) <= {"Variant", "From", "To"}
        assert page.locator(".file-preview .stem").evaluate_all(CUT) == []
        assert page.locator(BOXES).locator("visible=true").evaluate_all(FAINT) == []
        page.wait_for_function(SETTLED, polling=50)
        assert axe(page, rules) == []


def stops(page):
    """Press Tab from the first tab to the end of the page, and yield role and name of what has the focus."""
    protocol = page.context.new_cdp_session(page)
    page.get_by_role("tab").first.focus()
    while not page.evaluate("document.activeElement.matches('.show-api')"):  # the last one
        page.keyboard.press("Tab")
        focused = protocol.send("Runtime.evaluate", {"expression": "document.activeElement"})["result"]["objectId"]
        tree = protocol.send("Accessibility.getPartialAXTree", {"objectId": focused, "fetchRelatives": False})
        yield tuple(tree["nodes"][0].get(part, {}).get("value", "") for part in ("role", "name"))


@pytest.mark.parametrize(("name", "number"), [("Sentence", 40), ("Variants", 8), ("Files", 40), ("About", 4)])
def test_the_keyboard_reaches_everything_and_changes_nothing(desktop, name, number):
    view(desktop, name)
    OPENED[name](desktop)
    desktop.wait_for_function(SETTLED, polling=50)
    calls = []
    desktop.on("request", lambda call: calls.append(call.url))
    reached = list(stops(desktop))
    assert [(role, words) for role, words in reached if role in ("none", "RootWebArea") or not words] == []
    assert len(reached) == len({*reached}) >= number  # each name once: no circle, and nothing to be confused with
    desktop.evaluate("new Promise(drawn => setTimeout(drawn, 500))")  # as long as menus and pauses in typing take
    assert calls == []
    assert desktop.get_by_role("option").count() == 0
    assert desktop.locator("#files-results").locator("visible=true").count() == (name == "Files")


def test_the_focus_stays_where_one_was(desktop):
    menu = desktop.get_by_role("combobox", name="Lowercase")
    menu.focus()
    desktop.keyboard.press("ArrowDown")
    desktop.keyboard.press("ArrowDown")
    desktop.keyboard.press("Enter")
    expect(menu).to_be_focused()
    expect(desktop.get_by_role("option")).to_have_count(0)
    fill(desktop, "the big cat sat", "the cat sat", ["the cat sat down"])
    expect(desktop.locator(".sari-costs .sari-try").first).to_have_accessible_name("try it: the output with “down”")
    desktop.locator(".sari-costs .sari-try").first.focus()
    desktop.keyboard.press("Enter")
    expect(desktop.get_by_role("heading", name="No word costs points")).to_be_focused()
    word = desktop.locator("#texts [data-at=o3]")
    word.hover()
    panel = desktop.locator("#sari-panel")
    panel.hover()
    desktop.evaluate("new Promise(left => setTimeout(left, 1200))")
    expect(panel).to_contain_text("down Added")  # it can be read under a glass
    word.click()
    expect(word).to_have_attribute("aria-pressed", "true")


LINE = "getComputedStyle(document.querySelector('#texts .deleted-wrongly')).backgroundImage"
CHOSEN = "([one, other]) => getComputedStyle(one).backgroundColor !== getComputedStyle(other).backgroundColor"
EDGES = "tabs => tabs.map(tab => getComputedStyle(tab).borderBottomWidth)"
IS_CUT = "boxes => boxes.some(box => box.scrollHeight > box.clientHeight + 1)"


def test_the_system_s_colours_and_paper_lose_nothing(visit):
    page = visit((700, 900), "light")
    fill(page, "the big cat sat", "the cat sat", ["x " * 900])
    page.emulate_media(media="print", color_scheme="light")
    assert not page.locator("#source, #output, #references").locator("textarea").evaluate_all(IS_CUT)
    assert page.locator("#texts").evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"
    page.emulate_media(media="screen", forced_colors="active")
    box(page, "References").fill("the big cat sat")
    expect(page.locator("#texts .deleted-wrongly")).to_have_count(3)  # with the legend
    assert "gradient" in page.evaluate(LINE)
    assert box(page, "References").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"  # it has the focus
    view(page, "Files")
    assert page.get_by_role("radio").evaluate_all(CHOSEN)
    assert len({*page.get_by_role("tab").evaluate_all(EDGES)}) == 2  # that of the view, and those of others
    edge = page.get_by_role("button", name="Score", exact=True).evaluate("one => getComputedStyle(one).borderTopWidth")
    assert edge == "1px"


def test_unbroken_and_right_to_left_texts(phone):
    fill(phone, "x" * 900, "القطة الكبيرة \U0001f642 " + "\u4f60" * 300, ["y" * 900, "_" * 400])
    expect(phone.locator("#texts .sari-text").nth(1)).to_contain_text("\U0001f642")
    assert fits(phone)
    first, last = (phone.locator(f"#texts [data-at=o{place}]").bounding_box()["x"] for place in (0, 1))
    assert first > last
    phone.locator("#texts [data-at=o0]").focus()
    phone.keyboard.press("ArrowLeft")
    assert phone.evaluate("document.activeElement.dataset.at") == "o1"
    view(phone, "Variants")
    expect(phone.locator("#variants dd").first).to_have_text("x" * 900)
    assert fits(phone)


def test_markup_is_shown_and_never_run(desktop, tmp_path):
    fill(desktop, HOSTILE, HOSTILE + " more", [HOSTILE, "<h1>big</h1>"])
    expect(desktop.locator("#texts")).to_contain_text("onerror")
    view(desktop, "Variants")
    expect(desktop.locator("#variants dd").first).to_have_text(HOSTILE)
    file = tmp_path / "<b>corpus.jsonl"
    row = {"system": HOSTILE, "source": HOSTILE, "prediction": HOSTILE, "references": [HOSTILE]}
    rows = [row, {**row, "system": "other", "prediction": "x"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    view(desktop, "Files")
    desktop.get_by_role("radio", name="Table", exact=True).check()
    desktop.locator(".block:has-text('Table') input[type=file]").last.set_input_files(file)
    expect(desktop.get_by_role("cell", name=file.name, exact=True)).to_be_visible()
    score(desktop)
    expect(desktop.locator("#systems table").first).to_contain_text(HOSTILE)
    rank(desktop)
    expect(cell(desktop, 1, 3)).to_contain_text("<script>alert(2)</script>")
    cell(desktop, 1, 3).click()
    expect(box(desktop, "Source")).to_have_value(HOSTILE)
    expect(desktop.locator("#place")).to_contain_text(HOSTILE)
    for root in ("#texts", "#variants", "#systems", "#ranking", "#segments", "#place"):
        assert desktop.locator(root).locator("img[src=x], script, h1, b:text-is('bold')").count() == 0


def test_the_first_scores_are_there_before_the_app(context, address, desktop):
    with context.new_page() as page:
        page.route("**/assets/**", lambda route: route.abort())
        page.goto(address)
        content = "getComputedStyle(document.body, '::before').content"
        first = desktop.locator(".sari-total strong").inner_text()
        assert f"SARI {first}, Keep" in page.evaluate(content)
    assert desktop.evaluate(content) == "none"
