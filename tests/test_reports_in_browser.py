"""The page of a report as people see it: light and dark, on a phone, and on paper with many systems."""

from contextlib import ExitStack

import pytest
from programs import EXAMPLE, ROOT
from web_pages import CONTRAST, DESKTOP, PHONE, RULES, axe

from sari.command_line.program import main

pytest_plugins = ("web_app",)

#: A4 between the margins of the page, in pixels.
PAPER = (688, 1000)
FILES = ["outputs", "outputs.rewriting", "sources", "references.0"]
#: What stands further right than the page is wide, unless it can be scrolled to.
CUT = """() => [...document.body.querySelectorAll("*")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .filter(one => getComputedStyle(one.closest(".wide") ?? one).overflowX !== "auto")
    .map(one => one.outerHTML.slice(0, 80))"""

FILTER = "getComputedStyle(document.querySelector('figure img')).filter"


def written(folder, systems, *options):
    outputs = [f"a_name_that_is_long_{place}=examples/{FILES[place % 4]}.txt" for place in range(systems)]
    path = folder / f"{systems}.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert main([*EXAMPLE, "--outputs", *outputs, *options, "--report", str(path)]) == 0
    return path.as_uri()


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    more = ("--baselines", "--why", "hf", "--by-order", "--by-references", "--all-pairs", "--confidence")
    return {3: written(folder, 3, "--paired-ar"), 20: written(folder, 20, *more, "--resamples", "99")}


@pytest.fixture
def opened(browser, addresses):
    """Return a function that opens the report of so many systems, in a context of its own."""
    with ExitStack() as contexts:

        def opened(systems, size, scheme="light"):
            viewport = dict(zip(("width", "height"), size, strict=True))
            page = contexts.enter_context(browser.new_context(viewport=viewport, color_scheme=scheme)).new_page()
            page.goto(addresses[systems])
            return page

        yield opened


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (DESKTOP, "dark")])
def test_axe_finds_nothing(opened, size, scheme):
    """Among other things, that words stand out from their grounds, by 4.5 to 1, light and dark."""
    page, rules = opened(3, size, scheme), RULES if scheme == "light" else CONTRAST
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    page.locator(".whys summary").first.click()
    more_of_the_same = "[...document.querySelectorAll('.example')].slice(6)"
    page.evaluate(f"{more_of_the_same}.forEach(one => one.remove())")
    assert axe(page, rules) == []


@pytest.mark.parametrize("systems", [3, 20])
def test_nothing_is_cut(opened, systems):
    page = opened(systems, PHONE)
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]  # tables scroll, the page does not
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER[0], "height": PAPER[1]})
    assert page.evaluate(CUT) == []
    assert page.evaluate("getComputedStyle(document.querySelector('.wide')).overflowX") == "visible"


def test_reasons_and_later_segments_are_folded_but_not_on_paper(opened):
    page = opened(3, DESKTOP)
    for reasons in (page.locator(".whys ul").first, page.locator(".whys ul").last):
        assert not reasons.is_visible()
    page.locator(".whys summary").first.click()
    assert "references" in page.locator(".whys ul").first.inner_text()
    page.emulate_media(media="print")
    assert page.locator(".whys ul").last.is_visible()


def test_dark_pictures_stay_off_paper(opened):
    page = opened(3, DESKTOP, "dark")
    assert "invert" in page.evaluate(FILTER)
    page.emulate_media(media="print")
    assert page.evaluate(FILTER) == "none"
