"""The page in a real headless browser: every view fits, the sentence and variants views, and hostile texts."""

import json
import re

import pytest
from playwright.sync_api import expect
from programs import ROOT, score_of
from web_pages import DESKTOP, PHONE, box, cell, choose, expect_score, fill, refusal, view

from sari.variants import VARIANTS
from sari.web.limits import MAX_CHARACTERS

pytest_plugins = ("web_app",)

SAMPLES = [json.loads(line) for line in (ROOT / "examples" / "sentences.jsonl").read_text("utf-8").splitlines()]
HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> ${alert(3)} {{value}} \"'><b>bold</b> &lt;i&gt;"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_view_fits_the_screen(visit, size, scheme):
    page = visit(size, scheme)
    shown = {
        "Sentence": ".sari-legend",
        "Variants": ".sari-spread",
        "File": "text=Score these files",
        "Compare": "text=Compare these systems",
        "About": "#card :text('@article')",
    }
    for name, part in shown.items():
        view(page, name)
        expect(page.locator(part).locator("visible=true").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 3 * 128) == (scheme == "dark")


def test_unbroken_and_foreign_texts_fit_the_screen(visit):
    page = visit(PHONE)
    fill(page, "x" * 900, "\u0645\u0631\u062d\u0628\u0627 \U0001f642 " + "\u4f60" * 300, ["y" * 900, "_" * 400])
    expect(page.locator("#texts .sari-text").nth(1)).to_contain_text("\U0001f642")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    page.get_by_role("button", name="The n-grams behind each figure").click()
    expect(page.locator("#grams li").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    view(page, "Variants")
    expect(page.locator("#variants dd").first).to_have_text("x" * 900)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_typing_scores_at_once(visit, sari):
    page = visit()
    fill(page, "the big cat sat", "the cat sat", ["the cat sat down", "a cat sat"])
    expect_score(page, score_of(sari, "the big cat sat", "the cat sat", ["the cat sat down", "a cat sat"]))
    box(page, "Output").press_sequentially(" down")
    expect_score(page, score_of(sari, "the big cat sat", "the cat sat down", ["the cat sat down", "a cat sat"]))
    token = page.locator("#texts .sari-text").nth(1).get_by_role("listitem").last
    expect(token).to_have_attribute("aria-label", re.compile("^down, added, as references do. Added: 1 of 2"))


def test_choices(visit, sari):
    page = visit(PHONE)
    texts = ("The cat sat.", "the cat sat.", ["The cat."])
    fill(page, *texts)
    choose(page, "Variant", "easse")
    expect_score(page, score_of(sari, *texts, variant="easse"))
    choose(page, "Case", "as written")
    expect_score(page, score_of(sari, *texts, variant="easse", lowercase=False))
    choose(page, "Tokenizer", "none")
    expect_score(page, score_of(sari, *texts, variant="easse", lowercase=False, tokenize="none"))
    expect(page.locator("#scores .sari-signature")).to_contain_text("variant:easse|nrefs:1|case:mixed|tok:none")


def test_examples_to_click(visit, sari):
    page = visit(PHONE, "dark")
    for sample in SAMPLES:
        page.get_by_role("button", name=sample["name"], exact=True).click()
        expect(box(page, "Source")).to_have_value(sample["source"])
        expect(page.get_by_text(sample["note"])).to_be_visible()
        expect_score(page, score_of(sari, sample["source"], sample["prediction"], sample["references"]))
    box(page, "Output").press_sequentially("!")
    expect(page.get_by_text(SAMPLES[-1]["note"])).to_have_count(0)


def test_a_token_says_why(visit):
    page = visit()
    fill(page, "the cat sat", "the cat", ["the cat", "the cat sat"])
    token = page.locator("#texts .sari-text").first.get_by_role("listitem").last
    expect(token).to_have_attribute("aria-label", re.compile("^sat, deleted"))
    why = token.locator(".sari-why")
    expect(why).to_be_hidden()
    token.hover()
    expect(why).to_have_text("sat Deleted: 1 of 2 references deletes it too.")
    expect(why).to_be_visible()
    page.mouse.move(0, 0)
    expect(why).to_be_hidden()
    page.locator("#texts .sari-text").first.get_by_role("listitem").nth(1).focus()
    page.keyboard.press("Tab")
    expect(why).to_be_visible()


def test_figures_and_their_ngrams(visit):
    page = visit()
    fill(page, "the cat sat", "the cat", ["the cat", "the cat sat"])
    expect(page.locator("#orders table").first.locator("tbody tr").first).to_have_text(re.compile(r"1\s*100\.00"))
    page.get_by_role("button", name="The n-grams behind each figure").click()
    page.locator("#grams summary", has_text="2 words in a row").click()
    gram = page.locator("#grams .gram-right", has_text="cat sat").locator("visible=true")
    expect(gram).to_have_attribute("title", re.compile("^right; 1/2 references agree; adds 0.5 of 1 to precision"))


def test_empty_fields_and_long_texts(visit):
    page = visit()
    box(page, "Source").fill("")
    expect(refusal(page, "#scores")).to_have_text("Please enter a source: the sentence to simplify.")
    assert page.locator("#texts").inner_text().strip() == ""
    box(page, "Source").fill("a " * MAX_CHARACTERS)
    expect(refusal(page, "#scores")).to_contain_text("this page takes 10,000 at a time.")
    box(page, "Source").fill("a b")
    box(page, "References").fill(" \n ")
    expect(refusal(page, "#scores")).to_contain_text("Please enter at least one reference")
    box(page, "References").fill("a")
    box(page, "Output").fill("")
    expect(page.locator("#scores .sari-total")).to_be_visible()


def test_variants(visit, sari):
    page = visit(PHONE)
    texts = ("The large cat sat on the mat.", "The big cat sat.", ["The big cat sat on the mat."])
    fill(page, *texts)
    view(page, "Variants")
    expect(page.locator("#variants dd").first).to_have_text(texts[0])
    page.get_by_role("button", name="Make the output a copy of the source").click()
    expect(page.locator("#variants dd").nth(1)).to_have_text(texts[0])
    scores = {name: score_of(sari, texts[0], texts[0], texts[2], variant=name) for name in VARIANTS}
    spread = max(scores.values()) - min(scores.values())
    expect(page.locator(".sari-spread strong")).to_have_text(f"{spread:.1f}")
    rows = page.locator("#variants .sari-bar").all_inner_texts()
    assert [row.split() for row in rows] == [
        [name, f"{scores[name]:.2f}"] for name in sorted(scores, key=lambda name: -scores[name])
    ]
    expect(page.locator("#variants")).to_contain_text(VARIANTS["lens"].summary)
    view(page, "Sentence")
    expect(box(page, "Output")).to_have_value(texts[0])


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_why_two_variants_differ(visit, sari, size):
    page = visit(size, "dark")
    texts = ("The large cat sat on the mat.", "The big cat sat.", ["The big cat sat on the mat."])
    fill(page, *texts)
    view(page, "Variants")

    def expect_steps(one, other):
        columns = {"sources": [texts[0]], "predictions": [texts[1]], "references": [texts[2]]}
        steps = sari.explain_difference(**columns, variant_a=one, variant_b=other)["steps"]
        rows = page.locator("#steps tbody tr")
        expect(rows.first).to_have_text(re.compile(f"^{one}"))
        expect(rows.last).to_have_text(re.compile(f"^{other}"))
        expect(rows.last.locator("td").nth(2)).to_have_text(f"{steps[-1]['sari']:.2f}")
        shown = [row.locator("td").nth(2).inner_text() for row in rows.all()[:-1]]
        assert shown == [f"{step['sari']:.2f}" for step in steps]

    expect_steps("hf", "easse")
    choose(page, "To", "lasertagger")
    expect_steps("hf", "lasertagger")
    choose(page, "From", "lasertagger")
    expect(page.locator("#steps")).to_contain_text("lasertagger and lasertagger are the same.")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_markup_is_shown_and_never_run(visit, tmp_path):
    page = visit()
    fill(page, HOSTILE, HOSTILE + " more", [HOSTILE, "<h1>big</h1>"])
    expect(page.locator("#texts")).to_contain_text("onerror")
    choose(page, "Tokenizer", "none")
    expect(page.locator("#scores")).to_contain_text("tok:none")
    shown = page.locator("#texts .sari-text").first.locator(".sari-token > span:first-child").all_inner_texts()
    assert shown == HOSTILE.lower().split(" ")
    view(page, "Variants")
    expect(page.locator("#variants dd").first).to_have_text(HOSTILE)
    for root in ("#texts", "#grams", "#variants"):
        assert page.locator(root).locator("img, script, h1").count() == 0
    file = tmp_path / "<b>corpus.jsonl"
    file.write_text(json.dumps({"source": HOSTILE, "prediction": HOSTILE, "references": [HOSTILE]}) + "\n")
    view(page, "File")
    view(page, "JSONL")
    page.locator("input[type=file]").last.set_input_files(str(file))
    expect(page.get_by_text("corpus").locator("visible=true").first).to_be_visible()
    page.get_by_role("button", name="Score this file").click()
    expect(cell(page, 1, 5)).to_contain_text("<script>alert(2)</script>")
    assert page.locator("#sentences").locator("img[src=x], script, h1").count() == 0
    cell(page, 1, 5).click()
    expect(box(page, "Source")).to_have_value(HOSTILE)


def test_visitors_at_once_see_their_own_scores(visit, sari):
    pages = [visit() for _ in range(5)]
    texts = [(f"a b {'x ' * number}c", f"a {'x ' * number}d", [f"a {'y ' * number}c"]) for number in range(5)]
    for page, text in zip(pages, texts, strict=True):
        fill(page, *text)
    for page, text in zip(pages, texts, strict=True):
        expect_score(page, score_of(sari, *text))
