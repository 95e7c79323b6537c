"""The page of a report as people see it: light and dark, on a phone, and on paper with many systems."""

import pytest
from programs import EXAMPLE, ROOT
from web_pages import CONTRAST, DESKTOP, PHONE, RULES, axe

from sari.command_line.program import main

pytest_plugins = ("web_app",)

#: A4 between the margins of the page, in pixels.
PAPER = {"width": 688, "height": 1000}
#: What stands further right than the page is wide, unless it can be scrolled to.
CUT = """() => [...document.body.querySelectorAll("*")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .filter(one => getComputedStyle(one.closest(".wide") ?? one).overflowX !== "auto")
    .map(one => one.outerHTML.slice(0, 80))"""

MORE_OF_THE_SAME = """for (const kind of [".example", ".wide", "h4 + dl"])
    [...document.querySelectorAll(kind)].slice(6).forEach(one => one.remove())"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Write the report of many systems, and return its address."""
    path = tmp_path_factory.mktemp("reports") / "x.html"
    files = ["outputs", "outputs.rewriting", "sources", "references.0"] * 5
    outputs = [f"a_name_that_is_long_{place}=examples/{file}.txt" for place, file in enumerate(files)]
    more = ["--baselines", "--why", "hf", "--by-order", "--by-references", "--all-pairs", "--confidence"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert main([*EXAMPLE, "--outputs", *outputs, *more, "--resamples", "99", "--report", str(path)]) == 0
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    """Return a function that opens the report in a window of a size."""

    def opened(size, scheme="light"):
        width, height = size
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(address)
        return page

    return opened


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (DESKTOP, "dark")])
def test_axe_finds_nothing(opened, size, scheme):
    """Among other things, that words stand out from their grounds, by 4.5 to 1, light and dark."""
    page, rules = opened(size, scheme), RULES if scheme == "light" else CONTRAST
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    page.locator(".whys summary").first.click()
    page.evaluate(MORE_OF_THE_SAME)
    assert axe(page, rules) == []


def test_nothing_is_cut(opened):
    page = opened(PHONE)
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]  # tables scroll, the page does not
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    assert page.evaluate(CUT) == []
    assert page.evaluate("getComputedStyle(document.querySelector('.wide')).overflowX") == "visible"


def test_paper_shows_what_is_folded_and_no_dark_pictures(opened):
    page = opened(DESKTOP, "dark")
    first, last = page.locator(".whys ul").first, page.locator(".whys ul").last
    colours = "getComputedStyle(document.querySelector('figure img')).filter"
    assert (first.is_visible(), last.is_visible(), "invert" in page.evaluate(colours)) == (False, False, True)
    page.locator(".whys summary").first.click()
    assert "references" in first.inner_text()
    page.emulate_media(media="print")
    assert (last.is_visible(), page.evaluate(colours)) == (True, "none")
