"""The views of one segment: what they show of it, and in a real headless browser marks, choices, keys and links."""

import re

import gradio as gr
import pytest
from playwright.sync_api import expect
from programs import score_of
from report_corpus import Page
from web_pages import PHONE, accordion, box, choose, expect_score, fill, view

from sari.reports.explanation import explain
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS
from sari.web.components import SegmentBoxes, initial_choices, options_of, references_of
from sari.web.inputs import MAX_LINK, RefusedError, offered_options
from sari.web.samples import samples
from sari.web.sentence_tab import NAMES, read_link, show_difference, show_sentence, show_variants

pytest_plugins = ("web_app",)

SAMPLE, *_, LAST = samples()
INITIAL = initial_choices(NAMES)
PARAGRAPHS = ("a b c.\n\nd e f.", "a b.\n\nd.", "a b.\n\nd e.")
CAT = ("The large cat sat on the mat.", "The big cat sat.", "The big cat sat on the mat.")


@pytest.mark.parametrize(
    ("texts", "choices", "note"),
    [
        (SAMPLE.texts, {}, SAMPLE.note),
        (LAST.texts, {"variant": "hf"}, ""),
        (CAT, {"variant": "paper", "lowercase": "no", "tokenize": "none", "max_order": "2"}, ""),
        (("x y", "", "x\n␣"), {"zero_division": "1"}, ""),
        (PARAGRAPHS, {}, "Each line is a reference, 2 in all. If references have several lines, put --- between them."),
        ((*PARAGRAPHS[:2], "a b.\n\nd e.\n---\na c.\nf"), {}, ""),
    ],
)
@pytest.mark.filterwarnings("ignore:some outputs and references are empty:UserWarning")
def test_a_segment_has_the_score_of_the_metric(texts, choices, note):
    chosen = (dict(zip(NAMES, INITIAL, strict=True)) | choices).values()
    parts = show_sentence(None, *texts, *chosen)
    score = score_of(Scorer(), *texts[:2], references_of(texts[2]), **options_of(NAMES, chosen))
    assert Page(parts.scores).words.startswith(f"SARI {score:.2f} Keep ")
    assert Page(parts.note).words == note
    assert f"|nrefs:{len(references_of(texts[2]))}|" in parts.signature


def test_a_refusal_stands_in_the_place_of_the_scores():
    parts = show_sentence(None, "", "a", "b", *INITIAL)
    assert Page(parts.scores).words == "Please enter a source: the sentence to simplify."
    assert (parts.answer, parts.texts, parts.signature) == ("", "", "")
    assert show_variants(None, "", "a", "b", *INITIAL) == parts.scores
    assert show_difference(None, "", "a", "b", "hf", "easse", *INITIAL) == ""


def test_every_variant():
    html = show_variants(None, *CAT, *INITIAL)
    scores = {
        name: score_of(Scorer(), *CAT[:2], [CAT[2]], variant=name) for name in offered_options()["variant"].choices
    }
    ranked = sorted(scores, key=lambda name: -scores[name])
    words = Page(html).words
    found = [words.index(f" {name} {scores[name]:.2f} ") for name in ranked]
    assert found == sorted(found)
    assert words.startswith(f"{scores[ranked[0]] - scores[ranked[-1]]:.2f} points between the highest")
    texts = {"sources": [CAT[0]], "predictions": [CAT[1]], "references": [[CAT[2]]]}
    steps = Scorer("hf").explain_difference("lasertagger", **texts)["steps"]
    rows = Page(show_difference(None, *CAT, "hf", "lasertagger", *INITIAL)).rows
    visible = [f"{step['sari']:.2f}" for step in steps if step["change"] is None or abs(step["change"]) >= 0.005]
    assert [row[1] for row in rows[1:-1]] == visible  # between the header and the whole
    assert "set and set are the same." in show_difference(None, *CAT, "set", "set", *INITIAL)


@pytest.mark.parametrize(
    ("link", "carried", "lacking"),
    [
        (None, {}, ""),
        ("#lowercase=yes&output=b", {"lowercase": "yes"}, ""),
        ("#source=&variant=hf", {"source": "", "output": "", "references": "", "variant": "hf"}, ""),
        ("#variant=x&max_order=3&tokenize=spm", {"max_order": "3"}, "variant x, tokenize spm"),
    ],
)
def test_what_a_link_leaves_out_stays_as_it_is(link, carried, lacking):
    *values, note = read_link(link)
    found = zip([*SegmentBoxes._fields, *NAMES], values, strict=True)
    assert {name: value for name, value in found if value != gr.skip()} == carried
    assert (note != gr.skip()) == (lacking != "")
    assert lacking in str(note)


def test_a_link_has_a_limit():
    with pytest.raises(RefusedError, match=r"^That is more than 200,000 characters of a link"):
        read_link("#" + "a=1&" * (MAX_LINK // 4))


# In a browser


def lit(page):
    """Return the words that are lit, by text: of the source, the output, and the references."""
    texts = page.locator("#texts .sari-text").all()
    return [" ".join(text.locator(".sari-lit > span:first-child").all_inner_texts()) for text in texts]


def test_words_and_bars_light_what_belongs_to_them_while_one_types(desktop):
    page, panel = desktop, desktop.locator("#sari-panel")
    fill(page, "the big cat sat", "the cat sat", ["the cat sat down", "the cat sat"])
    box(page, "Output").press_sequentially(" down")
    score = score_of(Scorer(), "the big cat sat", "the cat sat down", ["the cat sat down", "the cat sat"])
    expect_score(page, score)
    expect(page.get_by_role("status")).to_contain_text(f"SARI {score:.2f}, Keep ")  # which screen readers say
    page.locator("#texts [data-at=o3][role=button]").hover()
    expect(panel).to_contain_text("down Added: 1 of 2 references has it too.")
    assert lit(page) == ["", "down", "down", ""]
    page.mouse.move(0, 0)
    expect(panel).to_be_hidden()
    assert lit(page) == ["", "", "", ""]
    page.locator("#scores .sari-bar", has_text="Delete").click()
    expect(panel).to_contain_text("Delete = ")
    assert lit(page) == ["big", "", "", ""]
    page.locator("#texts [tabindex='0']").focus()  # all words are one tab stop
    for key, word in (("ArrowRight", "s1"), ("ArrowDown", "o0"), ("ArrowLeft", "s3"), ("End", "r1.2"), ("Home", "s0")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.at") == word
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # what was chosen stays, with the longer n-grams
    expect(panel).to_contain_text(re.compile("^big Deleted: .*big cat Deleted: both references delete it too."))
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.locator("#texts [data-at=s2][role=button]").click()
    page.get_by_role("button", name="Clear").first.click()
    expect(page.locator("#scores .sari-refusal")).to_contain_text("Please enter a source")
    expect(panel).to_be_hidden()  # it was about other texts


def test_choices_are_tried_and_undone(desktop):
    page, output = desktop, box(desktop, "Output")
    texts = ("the big cat sat down", "the cat sat", ["the big cat sat", "a big cat sat"])
    fill(page, *texts)
    explanation = explain(source=texts[0], prediction=texts[1], references=texts[2], variant=VARIANTS["easse"])
    first, undo = explanation.edits[0], page.get_by_role("button", name="Undo").locator("visible=true")
    chosen, panel = page.locator(".sari-costs .sari-pick").first, page.locator("#sari-panel")
    expect(chosen).to_have_text(f"Deleting “big” costs {-first.points:.1f}")
    chosen.click()
    expect(panel.locator("b").get_by_text("the big cat sat", exact=True)).to_be_visible()  # n-grams of every order
    page.get_by_role("button", name="try it: the output with “big”").click()
    expect_score(page, first.sari)
    undo.click()
    expect(output).to_have_value(texts[1])
    expect(chosen).to_contain_text("Deleting “big”")
    page.locator(".sari-try").first.click()
    page.get_by_role("button", name=LAST.name, exact=True).click()
    expect(page.locator("#note")).to_have_text(LAST.note)
    undo.click()
    expect(output).to_have_value(LAST.prediction)  # the one before was of other texts
    page.locator(".sari-pick").first.click()
    view(page, "Variants")
    expect(panel).to_be_hidden()
    page.get_by_role("button", name="Make the output a copy of the source").click()
    expect(page.locator("#variants dd").nth(1)).to_have_text(LAST.source)
    undo.click()
    expect(page.locator("#variants dd").nth(1)).to_have_text(LAST.prediction)
    choose(page, "To", "lasertagger")
    expect(page.locator("#steps tbody tr").last).to_have_text(re.compile("^lasertagger"))


def test_a_link_carries_texts_and_choices(desktop, visit):
    texts = ("Größe & 100% <b> #1's", "a+b = c", ["“ref” one", "ref\ttwo"])
    fill(desktop, *texts)
    choose(desktop, "Variant", "paper")
    choose(desktop, "Lowercase", "cased")
    desktop.get_by_role("combobox", name="Variant").click()
    desktop.keyboard.press("Tab")  # goes on from an open list
    expect(desktop.get_by_role("combobox", name="Lowercase")).to_be_focused()
    score = score_of(Scorer(), *texts, variant="paper", lowercase=False)
    expect_score(desktop, score)
    expect(desktop).to_have_url(re.compile("#source=.*&variant=paper&lowercase=no$"))
    accordion(desktop, "Link, signature")
    signature = re.compile(r"^SARI\|variant:paper\+case\|nrefs:2\|case:mixed\|")
    expect(desktop.locator("#signature textarea")).to_have_value(signature)
    phone = visit(PHONE, "dark")
    phone.goto(desktop.url)
    expect_score(phone, score)
    for label, text in (("Source", texts[0]), ("Output", texts[1]), ("References", "\n".join(texts[2]))):
        expect(box(phone, label)).to_have_value(text)
    phone.goto(desktop.url.replace("variant=paper", "variant=nonsense"))
    expect_score(phone, score_of(Scorer(), *texts, lowercase=False))
    expect(phone.locator("#lacking .sari-refusal")).to_contain_text("variant nonsense")
    phone.get_by_role("button", name=SAMPLE.name, exact=True).click()  # other texts
    expect(phone.locator("#lacking p")).to_have_count(0)
