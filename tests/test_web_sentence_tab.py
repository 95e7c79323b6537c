"""The views of one segment in a real headless browser: scores, marks, choices, links, and every variant."""

import re

import gradio as gr
import pytest
from playwright.sync_api import expect
from programs import score_of
from web_pages import accordion, box, choose, expect_score, fill, fits, refusal, view

from sari.reports.explanation import explain
from sari.variants import VARIANTS
from sari.web.components import SegmentBoxes
from sari.web.inputs import MAX_CHARACTERS, MAX_LINK, RefusedError
from sari.web.samples import samples
from sari.web.sentence_tab import NAMES, read_link

pytest_plugins = ("web_app",)


def fill_and_wait(page, source, output, references):
    """Fill in texts that are their own tokens, and wait for their marks."""
    fill(page, source, output, references)
    for text, wanted in zip(page.locator("#texts .sari-text").all(), (source, output), strict=False):
        expect(text.locator(".sari-token > span:first-child")).to_have_count(len(wanted.split()))
    last = page.locator(f"#texts [aria-label='Reference {len(references)}'] .sari-token > span:first-child")
    expect(last).to_have_text(references[-1].split())


def lit(page):
    """Return the words that are lit, by text: of the source, the output, and the references."""
    texts = page.locator("#texts .sari-text").all()
    return [" ".join(text.locator(".sari-lit > span:first-child").all_inner_texts()) for text in texts]


def test_typing_scores_at_once(desktop, page_scorer):
    page = desktop
    fill(page, "the big cat sat", "the cat sat", ["the cat sat down", "a cat sat"])
    expect_score(page, score_of(page_scorer, "the big cat sat", "the cat sat", ["the cat sat down", "a cat sat"]))
    box(page, "Output").press_sequentially(" down")
    score = score_of(page_scorer, "the big cat sat", "the cat sat down", ["the cat sat down", "a cat sat"])
    expect_score(page, score)
    token = page.locator("#texts .sari-text").nth(1).get_by_role("button").last
    expect(token).to_have_attribute("aria-label", re.compile("^down, added, as references do. Added: 1 of 2"))
    expect(page.locator("#scores [role=status]")).to_contain_text(f"{score:.2f}")  # which screen readers say

    page.locator("#texts [data-at=s2][role=button]").click()  # what stays has the longer n-grams
    expect(page.locator("#sari-panel")).to_have_text(
        re.compile(
            "^cat Kept: .*cat sat Kept: both references keep it.*big cat Deleted: both references delete it too."
        )
    )
    assert lit(page) == ["cat", "cat", "cat", "cat"]
    box(page, "Output").fill("the cat")
    expect(page.locator("#sari-panel")).to_be_hidden()  # it was about other texts


def test_choices(phone, page_scorer):
    page = phone
    texts = ("The cat sat.", "the cat sat.", ["The cat."])
    fill(page, *texts)
    choose(page, "Variant", "paper")
    choose(page, "Lowercase", "cased")
    choose(page, "Tokenize", "none")
    accordion(page, "More options")
    choose(page, "Max order", "up to 2 tokens")
    options = {"variant": "paper", "lowercase": False, "tokenize": "none", "max_order": 2}
    expect_score(page, score_of(page_scorer, *texts, **options))
    page.get_by_role("combobox", name="Variant").focus()
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Tab")  # goes on from an open list
    expect(page.get_by_role("combobox", name="Lowercase")).to_be_focused()


def test_examples_to_click(phone, page_scorer):
    page, sample = phone, samples()[-1]
    page.get_by_role("button", name=sample.name, exact=True).click()
    expect(box(page, "Source")).to_have_value(sample.source)
    expect(page.get_by_text(sample.note)).to_be_visible()
    expect_score(page, score_of(page_scorer, sample.source, sample.prediction, sample.references))
    box(page, "Output").press_sequentially("!")
    expect(page.get_by_text(sample.note)).to_have_count(0)


def test_right_to_left_texts_run_right_to_left(desktop):
    page = desktop
    fill(page, "القطة الكبيرة نامت", "القطة نامت", ["القطة نامت"])
    expect(page.locator("#texts [data-at=s2]").first).to_have_text("نامت")
    expect(page.locator("#texts [data-at=s3]")).to_have_count(0)
    first, last = (page.locator(f"#texts [data-at=s{place}]").first.bounding_box()["x"] for place in (0, 2))
    assert first > last
    page.locator("#texts [data-at=s0][role=button]").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.at") == "s1"


def test_a_word_says_why_and_lights_what_it_counts_in(desktop):
    page = desktop
    fill_and_wait(page, "the cat sat", "the cat", ["the cat", "the cat sat"])
    token = page.locator("#texts [data-at=s2][role=button]")
    expect(token).to_have_attribute("aria-label", re.compile("^sat, deleted"))
    panel = page.locator("#sari-panel")
    token.hover()
    expect(panel).to_contain_text("sat Deleted: 1 of 2 references deletes it too.")
    assert lit(page) == ["sat", "", "", "sat"]
    page.mouse.move(0, 0)
    expect(panel).to_be_hidden()
    assert lit(page) == ["", "", "", ""]

    assert page.locator("#texts [tabindex='0']").count() == 1
    page.locator("#texts [tabindex='0']").focus()
    for key, word in (("ArrowRight", "s1"), ("ArrowDown", "o0"), ("ArrowLeft", "s2"), ("End", "r1.2"), ("Home", "s0")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.at") == word
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(panel).to_contain_text("the Kept: both references keep it.")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_what_a_word_costs_can_be_seen_and_tried(desktop):
    page = desktop
    texts = ("the big cat sat down", "the cat sat", ["the big cat sat", "a big cat sat"])
    fill_and_wait(page, *texts)
    explanation = explain(source=texts[0], prediction=texts[1], references=texts[2], variant=VARIANTS["easse"])
    first = explanation.edits[0]
    assert (first.choice, first.text) == ("deleted", "big")
    chosen = page.locator(".sari-costs .sari-pick").first
    expect(chosen).to_have_text(f"Deleting “big” costs {-first.points:.1f}")
    chosen.click()
    panel = page.locator("#sari-panel")
    for text in ("big", "the big", "big cat", "the big cat", "the big cat sat"):  # n-grams of every order
        expect(panel.locator("b").get_by_text(text, exact=True).first).to_be_visible()
    expect(page.locator("#texts [data-at=s1][role=button]")).to_have_class(re.compile("sari-lit"))
    page.get_by_role("button", name="Try the output without deleting “big”").click()
    expect(box(page, "Output")).to_have_value("the big cat sat")
    expect_score(page, first.sari)
    view(page, "Variants")
    expect(panel).to_be_hidden()  # the explanation does not stay over another view


def test_bars_light_their_words(desktop):
    page = desktop
    fill_and_wait(page, "the cat sat", "the cat", ["the cat", "the cat sat"])
    page.locator("#scores .sari-bar", has_text="Delete").first.click()
    expect(page.locator("#sari-panel")).to_contain_text("Delete = (66.67 + 66.67 + 66.67 + 0.00) / 4 = 50.00")
    assert lit(page) == ["sat", "", "", "sat"]
    page.locator(".sari-arithmetic summary").click()
    row = page.get_by_role("table", name="Figures by n-gram order").locator("tbody tr").nth(3)
    expect(row).to_have_text(re.compile(r"2\s*keep\s*100.00\s*66.67\s*80.00"))


def test_a_link_carries_texts_and_choices(visit, page_scorer):
    page = visit(apart=True)
    texts = ("Größe & 100% <b> #1's", "a+b = c", ["“ref” one", "ref\ttwo"])
    fill(page, *texts)
    choose(page, "Variant", "paper")
    score = score_of(page_scorer, *texts, variant="paper")
    expect_score(page, score)
    expect(page).to_have_url(re.compile("#source=.*&variant=paper$"))
    accordion(page, "Link, signature")
    expect(page.locator("#signature textarea")).to_have_value(re.compile(r"^SARI\|variant:paper\|nrefs:2\|"))

    other = visit(at=page.url)  # somebody else
    expect_score(other, score)
    for label, text in (("Source", texts[0]), ("Output", texts[1]), ("References", "\n".join(texts[2]))):
        expect(box(other, label)).to_have_value(text)
    other.goto(page.url.replace("variant=paper", "variant=nonsense").replace("#", "?again#"))
    expect_score(other, score_of(page_scorer, *texts))
    expect(refusal(other, "#lacking")).to_contain_text("variant nonsense")
    box(other, "Output").press_sequentially("!")
    expect(other.locator("#lacking p")).to_have_count(0)


@pytest.mark.parametrize(
    ("link", "carried"),
    [
        (None, {}),
        ("", {}),
        ("#lowercase=yes&output=b", {"lowercase": "yes"}),
        ("#source=a&variant=hf", {"source": "a", "output": "", "references": "", "variant": "hf"}),
    ],
)
def test_what_a_link_leaves_out_stays_as_it_is(link, carried):
    values = dict(zip([*SegmentBoxes._fields, *NAMES, "lacking"], read_link(link), strict=True))
    assert {name: value for name, value in values.items() if value != gr.skip()} == carried


def test_a_link_has_a_limit():
    with pytest.raises(RefusedError, match=r"^That is more than 200,000 characters of a link"):
        read_link("#" + "a=1&" * (MAX_LINK // 4))


def test_undo_brings_back_the_output(desktop):
    page = desktop
    before = box(page, "Output").input_value()
    page.get_by_role("button", name=re.compile("^Try the output")).first.click()
    expect(box(page, "Output")).not_to_have_value(before)
    page.get_by_role("button", name="Undo").locator("visible=true").click()
    expect(box(page, "Output")).to_have_value(before)
    view(page, "Variants")
    page.get_by_role("button", name="Make the output a copy of the source").click()
    expect(page.locator("#variants dd").nth(1)).to_have_text(samples()[0].source)
    page.get_by_role("button", name="Undo").locator("visible=true").click()
    expect(page.locator("#variants dd").nth(1)).to_have_text(before)


def test_references_of_several_lines(desktop, page_scorer):
    page = desktop
    texts = ("a b c.\n\nd e f.", "a b.\n\nd.")
    for label, text in zip(("Source", "Output"), texts, strict=True):
        box(page, label).fill(text)
    box(page, "References").fill("a b.\n\nd e.")
    expect(page.locator("#note")).to_contain_text("Each line is a reference, 2 in all")
    box(page, "References").fill("a b.\n\nd e.\n---\na c.\nf")
    expect_score(page, score_of(page_scorer, *texts, ["a b.\n\nd e.", "a c.\nf"]))


def test_empty_fields_and_long_texts(desktop):
    page = desktop
    page.get_by_role("button", name="Clear").first.click()
    expect(refusal(page, "#scores")).to_have_text("Please enter a source: the sentence to simplify.")
    expect(page.locator("#texts .sari-text")).to_have_count(0)
    box(page, "Source").fill("a " * MAX_CHARACTERS)
    expect(refusal(page, "#scores")).to_contain_text("That is more than 15,000 characters, all that this page takes.")
    box(page, "Source").fill("a b")
    box(page, "References").fill(" \n ")
    expect(refusal(page, "#scores")).to_contain_text("Please enter at least one reference")
    box(page, "References").fill("a")
    box(page, "Output").fill("")
    expect(page.locator("#scores .sari-total")).to_be_visible()


def test_variants(phone, page_scorer):
    page = phone
    texts = ("The large cat sat on the mat.", "The big cat sat.", ["The big cat sat on the mat."])
    fill(page, *texts)
    view(page, "Variants")
    expect(page.locator("#variants dd").first).to_have_text(texts[0])

    choose(page, "To", "lasertagger")
    columns = {"sources": [texts[0]], "predictions": [texts[1]], "references": [texts[2]]}
    steps = page_scorer.with_options(variant="hf").explain_difference("lasertagger", **columns)["steps"]
    rows = page.locator("#steps tbody tr")
    expect(rows.last).to_have_text(re.compile("^lasertagger"))
    shown = [row.locator("td").first.inner_text() for row in rows.all()[:-1]]
    assert shown == [f"{step['sari']:.2f}" for step in steps if step["change"] is None or abs(step["change"]) >= 0.005]
    choose(page, "From", "lasertagger")
    expect(page.locator("#steps")).to_contain_text("lasertagger and lasertagger are the same.")
    assert fits(page)

    page.get_by_role("button", name="Make the output a copy of the source").click()
    expect(page.locator("#variants dd").nth(1)).to_have_text(texts[0])
    scores = {name: score_of(page_scorer, texts[0], texts[0], texts[2], variant=name) for name in VARIANTS}
    expect(page.locator(".sari-spread strong")).to_have_text(f"{max(scores.values()) - min(scores.values()):.2f}")
    rows = page.locator("#variants .sari-bar").all_inner_texts()
    assert [row.split() for row in rows] == [
        [name, f"{scores[name]:.2f}"] for name in sorted(scores, key=lambda name: -scores[name])
    ]
