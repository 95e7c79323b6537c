"""The app as visitors meet it: the endpoints through gradio_client, and the page in a real headless Chromium."""

import csv
import gzip
import io
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest
from browser import started
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import expect
from report.answers import MAX_CHARACTERS, MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS
from report.markup import systems as systems_as_html

from variants import VARIANTS

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = [json.loads(line) for line in (ROOT / "examples" / "sentences.jsonl").read_text("utf-8").splitlines()]
HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> ${alert(3)} {{value}} \"'><b>bold</b> &lt;i&gt;"

DESKTOP, PHONE = (1280, 900), (390, 844)


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Start `python app.py` on a free port, and see in the end that it never failed."""
    folder = tmp_path_factory.mktemp("app")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port), "GRADIO_TEMP_DIR": str(folder)}
    log = folder / "log"
    with open(log, "wb") as sink:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "app.py")],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    found = f"http://127.0.0.1:{port}/"
    try:
        wait_for(found, process)
        yield found
    finally:
        process.terminate()
        process.wait(30)
    assert "Traceback" not in log.read_text(), log.read_text()


def wait_for(url, process):
    for _ in range(600):
        assert process.poll() is None
        try:
            urllib.request.urlopen(url).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(url)


@pytest.fixture(scope="session")
def browser():
    with started() as browser:
        yield browser


@pytest.fixture
def visit(browser, address):
    """Return a function that opens the page; nothing on it may fail or go to another host."""
    with visiting(browser, address) as visit:
        yield visit


@contextmanager
def visiting(browser, address):
    problems, contexts = [], []

    def visit(size=DESKTOP, scheme="light"):
        width, height = size
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: problems.append(request.url) if is_foreign(request.url) else None)
        page.goto(address)
        expect(page.locator(".sari-total strong").first).to_be_visible()
        return page

    def is_foreign(url):
        return not url.startswith((address, "data:", f"blob:{address}"))

    yield visit
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def client(address):
    return Client(address, verbose=False)


def box(page, label):
    return page.get_by_role("textbox", name=re.compile(rf"^{label}\b"))


def fill(page, source, output, references):
    for label, text in (("Source", source), ("Output", output), ("References", "\n".join(references))):
        box(page, label).fill(text)


def choose(page, label, option):
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()
    expect(page.get_by_role("option")).to_have_count(0)


def view(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def expect_score(page, score, within="#scores"):
    expect(page.locator(f"{within} .sari-total strong")).to_have_text(f"{score:.2f}")


def score_of(sari, source, prediction, references, **options):
    return sari.compute(sources=[source], predictions=[prediction], references=[references], **options)["sari"]


def refusal(page, within):
    found = page.locator(f"{within} .sari-refusal")
    expect(found).to_be_visible()
    return found


# ---- Endpoints ------------------------------------------------------------------------------------------------------


def test_sentence_endpoint(client, sari):
    segment = {"source": "the cat sat", "output": "a cat sat", "references": ["a cat sat", "the cat was sitting"]}
    found = client.predict(**segment, variant="easse", api_name="/sentence")
    scores = sari.compute(
        sources=["the cat sat"], predictions=["a cat sat"], references=[segment["references"]], variant="easse"
    )
    assert found["scores"] == pytest.approx(scores)
    assert found["signature"].startswith("SARI|variant:easse|nrefs:2|")
    assert found["source"][0] == {
        "text": "the",
        "mark": "deleted-rightly",
        "why": "Deleted: 1 of 2 references deletes it too.",
    }


def test_one_reference_may_come_without_a_list(client):
    found = client.predict("a b", "a", "a b", api_name="/sentence")
    assert found["source"][1]["why"] == "Deleted, but the reference keeps it."


def test_variants_endpoint(client, sari):
    found = client.predict("a b c", "a b", ["a b d"], api_name="/variants")
    assert list(found) == list(VARIANTS)
    for name, scores in found.items():
        assert scores["sari"] == pytest.approx(score_of(sari, "a b c", "a b", ["a b d"], variant=name))


def test_corpus_endpoint(client, sari):
    columns = (["a b c", "d"], ["a b", "d"], [["a b d", "a"], ["e"]])
    found = client.predict(*columns, lowercase=False, tokenize="none", api_name="/corpus")
    wanted = sari.compute(
        **dict(zip(("sources", "predictions", "references"), columns, strict=True)),
        lowercase=False,
        tokenize="none",
        details=True,
    )
    assert found == json.loads(json.dumps(wanted))


def example():
    """Return the example corpus, the outputs of its two systems by name."""
    names = ("sources.txt", "outputs.txt", "outputs.rewriting.txt", "references.0.txt", "references.1.txt")
    columns = [(ROOT / "examples" / name).read_text("utf-8").splitlines() for name in names]
    systems = {"deleting": columns[1], "rewriting": columns[2]}
    return {
        "sources": columns[0],
        "predictions": systems,
        "references": list(map(list, zip(*columns[3:], strict=True))),
    }


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_compare_endpoint(client, sari, method):
    columns = example()
    columns["predictions"]["empty"] = [""] * 10
    options = {"baseline": "rewriting", "method": method, "variant": "easse", "lowercase": False}
    found = client.predict(*columns.values(), **options, api_name="/compare")
    notes = found.pop("notes")
    with sari.collect_warnings() as warned:
        wanted = sari.compare(**columns, **options)
    assert found == json.loads(json.dumps(wanted))
    assert {"category": "EmptyOutputsWarning", "message": "empty: 10 of 10 predictions are empty"} in notes
    assert [note["message"] for note in notes] == list(map(str, warned))


def test_why_endpoint(client, sari):
    found = client.predict("a b c", "a b", ["a b d", "a"], variant_b="paper", api_name="/why")
    texts = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b d", "a"]]}
    assert found == json.loads(json.dumps(sari.explain_difference(**texts, variant_b="paper")))
    assert found["steps"][0]["sari"] == pytest.approx(sari.compute(**texts)["sari"])
    assert found["steps"][-1]["sari"] == pytest.approx(sari.compute(**texts, variant="paper")["sari"])


@pytest.mark.parametrize(
    ("endpoint", "values", "message"),
    [
        ("/sentence", ("", "a", ["a"]), "Please enter a source: the sentence to simplify."),
        ("/sentence", ("a", "a", [" "]), "Please enter at least one reference"),
        ("/sentence", ("a", 5, ["a"]), r"predictions\[0\]: got int, wanted str"),
        ("/sentence", ("a", "a", ["a"], "bleu"), "variant: got 'bleu', wanted one of hf, "),
        ("/sentence", ("a", "a", ["a"], "hf", "13b"), "tokenize: got '13b', wanted "),
        (
            "/variants",
            ("a" * MAX_CHARACTERS, "b", ["c"]),
            "That is 10,002 characters; this page takes 10,000 at a time",
        ),
        ("/why", ("", "a", ["a"]), "Please enter a source: the sentence to simplify."),
        ("/why", ("a", "a", ["a"], "bleu"), "got 'bleu', wanted one of hf, "),
        ("/compare", (["a"], {"x": ["a", "b"]}, [["a"]]), r"predictions\['x'\]: got 2 rows, wanted 1"),
        ("/compare", (["a"], ["a"], [["a"]]), "got list, wanted a dict of names"),
        ("/compare", (["a"], {}, [["a"]]), "got no system, wanted at least one"),
        ("/compare", (["a"], {"x": ["a"]}, [["a"]], "y"), "baseline: got 'y', wanted one of x"),
        ("/compare", (["a"], {"x": ["a"]}, [["a"]], None, "t"), "method: got 't', wanted one of bootstrap, "),
        ("/compare", (["a"], {"x": ["a"]}, [["a"]], None, "bootstrap", "hf", "13b"), "tokenize: got '13b', wanted "),
        (
            "/compare",
            (["a"], {str(number): ["a"] for number in range(MAX_SYSTEMS + 1)}, [["a"]]),
            "That is 21 systems; this page takes 20 at a time",
        ),
        (
            "/compare",
            ([""] * (MAX_SEGMENTS + 1), {"x": [""] * (MAX_SEGMENTS + 1)}, [[""]] * (MAX_SEGMENTS + 1)),
            "That is 5,001 segments; this page takes 5,000 at a time",
        ),
        ("/corpus", (["a"], ["a", "b"], [["a"]]), "predictions: got 2 rows, wanted 1, as many as sources"),
        ("/corpus", (5, ["a"], [["a"]]), "sources: got int, wanted a list"),
        ("/corpus", ([], [], []), "got no segments, wanted at least one"),
        ("/corpus", ([""] * (MAX_SEGMENTS + 1),) * 3, "That is 5,001 segments; this page takes 5,000 at a time"),
        ("/corpus", (["x" * 1_000_001 * MAX_MEGABYTES], ["a"], [["a"]]), r"That is 10\.0 MB; this page takes 10 MB"),
    ],
)
def test_endpoints_refuse_in_one_line(client, endpoint, values, message):
    with pytest.raises(AppError, match=message) as caught:
        client.predict(*values, api_name=endpoint)
    assert "\n" not in str(caught.value)


def test_only_documented_endpoints_are_public(client):
    assert set(client.view_api(return_format="dict", print_info=False)["named_endpoints"]) == {
        "/sentence",
        "/variants",
        "/why",
        "/corpus",
        "/compare",
    }


def test_twenty_programs_at_once_get_their_own_answers(address):
    def ask(number):
        own = Client(address, verbose=False)
        return [
            own.predict(f"a b w{number}", "a w" + str(other), [f"a w{number}"], api_name="/sentence")["output"][-1]
            for other in (number, number + 1)
        ]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    for number, (kept, added) in enumerate(answers):
        assert (kept["text"], kept["mark"]) == (f"w{number}", "kept")
        assert (added["text"], added["mark"]) == (f"w{number + 1}", "added-wrongly")


# ---- The page -------------------------------------------------------------------------------------------------------


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


def cell(page, row, column):
    """Return a cell of the table of sentences, whose first row is 1."""
    table = page.get_by_role("grid", name="Sentences")
    return table.get_by_role("row").nth(row).get_by_role("gridcell").nth(column)


def upload(page, label, *paths):
    page.get_by_role("tabpanel").locator("visible=true").locator(
        ".block", has=page.get_by_text(label, exact=True)
    ).locator("input[type=file]").last.set_input_files([str(path) for path in paths])
    expect(page.get_by_text(paths[-1].stem, exact=False).locator("visible=true").first).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_text_files(visit, sari, size):
    page = visit(size, "dark")
    folder = ROOT / "examples"
    names = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")
    sources, outputs, *references = ((folder / name).read_text("utf-8").splitlines() for name in names)
    wanted = sari.compute(
        sources=sources, predictions=outputs, references=list(zip(*references, strict=True)), details=True
    )
    view(page, "File")
    upload(page, "Sources", folder / names[0])
    upload(page, "Outputs", folder / names[1])
    upload(page, "References (one file or more)", folder / names[2], folder / names[3])
    page.get_by_role("button", name="Score these files").click()
    expect_score(page, wanted["sari"], within="#corpus")
    expect(page.locator("#signature textarea, #signature input")).to_have_value(wanted["signature"])
    expect(page.locator(".sari-histogram rect")).to_have_count(20)
    expect(page.locator("#corpus table")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert [float(row["sari"]) for row in rows] == wanted["sentences"]["sari"]
    assert [row["reference_2"] for row in rows] == references[1]
    assert rows[0]["signature"] == wanted["signature"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    found = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert found["scores"]["sari"] == wanted["sari"]
    assert [segment["output"] for segment in found["segments"]] == outputs

    head = page.get_by_role("grid", name="Sentences").get_by_role("columnheader", name="SARI")
    head.get_by_role("button", name="Open cell menu").click()
    page.get_by_role("menuitem", name="Sort ascending").click()
    lowest = min(range(len(sources)), key=wanted["sentences"]["sari"].__getitem__)
    expect(cell(page, 1, 0)).to_have_text(str(lowest + 1))
    cell(page, 1, 0).click()
    expect(box(page, "Source")).to_have_value(sources[lowest])
    expect(box(page, "References")).to_have_value("\n".join(column[lowest] for column in references))
    expect_score(page, wanted["sentences"]["sari"][lowest])


def test_a_row_opens_under_the_variant_it_was_scored_with(visit, sari, tmp_path):
    rows = [("A b c", "A b", ["A b d", "a"]), ("D e", "f", ["d", "E f"])]
    keys = ("source", "prediction", "references")
    file = tmp_path / "corpus.jsonl"
    file.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    page = visit()
    view(page, "File")
    view(page, "JSONL")
    upload(page, "A JSON object per line: source, prediction, references", file)
    choose(page, "Variant", "t2t")
    choose(page, "Case", "as written")
    page.get_by_role("button", name="Score this file").click()
    options = {"variant": "t2t", "lowercase": False}
    expect(page.locator("#signature textarea, #signature input")).to_have_value(re.compile("variant:t2t.*case:mixed"))
    cell(page, 2, 5).click()
    expect(box(page, "Source")).to_have_value("D e")
    expect_score(page, score_of(sari, *rows[1], **options))


def test_pasted_lines(visit):
    page = visit(PHONE)
    view(page, "File")
    view(page, "Paste")
    page.get_by_role("button", name="Fill in an example").click()
    expect(box(page, "Outputs")).to_have_value(re.compile("lighthouse"))
    page.get_by_role("button", name="Score these lines").click()
    expect(page.locator("#corpus")).to_contain_text("10 segments under hf.")
    box(page, "Outputs").fill("one line")
    page.get_by_role("button", name="Score these lines").click()
    expect(refusal(page, "#corpus")).to_have_text("The outputs have 1 line, wanted 10, as many as sources.")
    expect(page.get_by_role("button", name="Download CSV")).to_be_hidden()


def test_wrong_files(visit, tmp_path):
    good, short, binary, packed = (tmp_path / name for name in ("good.txt", "short.txt", "picture.png", "good.txt.gz"))
    good.write_text("a\nb\n")
    short.write_text("a\n")
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    packed.write_bytes(gzip.compress(b"a\nb\n"))
    page = visit()
    view(page, "File")
    page.get_by_role("button", name="Score these files").click()
    expect(refusal(page, "#corpus")).to_have_text("Please choose the sources.")
    upload(page, "Sources", good)
    upload(page, "References (one file or more)", good)
    for file, message in (
        (short, "short.txt:2: the file has 1 line, wanted 2 as in good.txt"),
        (binary, "picture.png:1: byte 0x89 is not UTF-8, wanted UTF-8 text"),
        (packed, "good.txt.gz is compressed: please unpack it first."),
    ):
        upload(page, "Outputs", file)
        page.get_by_role("button", name="Score these files").click()
        expect(refusal(page, "#corpus")).to_have_text(message)
        page.locator(".block", has=page.get_by_text("Outputs", exact=True)).locator("visible=true").get_by_label(
            "Clear"
        ).click()
    view(page, "JSONL")
    upload(page, "A JSON object per line: source, prediction, references", good)
    page.get_by_role("button", name="Score this file").click()
    expect(refusal(page, "#corpus")).to_contain_text("good.txt:1: not JSON")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_compare(visit, sari, tmp_path, size, scheme):
    columns = example()
    columns["predictions"]["copying"] = columns["sources"]
    systems = columns["predictions"]
    wanted = sari.compare(**columns, baseline="rewriting", method="randomization", variant="easse", details=True)
    page = visit(size, scheme)
    view(page, "Compare")
    upload(page, "Sources", ROOT / "examples" / "sources.txt")
    upload(page, "References (one file or more)", *(ROOT / "examples" / f"references.{place}.txt" for place in (0, 1)))
    files = [tmp_path / f"{name}.txt" for name in ("deleting", "rewriting", "copying")]
    for file, texts in zip(files, systems.values(), strict=True):
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    upload(page, "Outputs (one file per system)", *files)
    baseline = page.get_by_role("combobox", name="Baseline")
    expect(baseline).to_have_value("deleting")
    choose(page, "Baseline", "rewriting")
    choose(page, "Variant", "easse")
    page.get_by_role("radio", name="Paired randomization").check()
    page.get_by_role("button", name="Compare these systems").click()

    rows = page.locator("#systems .sari-systems tbody tr")
    expect(rows).to_have_count(3)
    shown = [row.split("\t") for row in rows.all_inner_texts()]
    scores = [system["sari"] for system in wanted["systems"].values()]
    assert [row[0].split()[0] for row in shown] == ["deleting", "rewriting", "copying"]
    assert [float(row[1].split()[0]) for row in shown] == [round(score, 2) for score in scores]
    assert ["best" in row[1] for row in shown] == [score == max(scores) for score in scores]
    low, high = wanted["systems"]["deleting"]["confidence_intervals"]["sari"]
    assert shown[0][2] == f"{low:.2f} to {high:.2f}"
    expect(page.locator("#systems .sari-intervals li").first.get_by_role("img")).to_have_attribute(
        "aria-label", f"{scores[0]:.2f}, 95% interval from {low:.2f} to {high:.2f}"
    )
    points, p_value = (wanted["systems"]["deleting"][name]["sari"] for name in ("differences", "p_values"))
    assert points < 0
    expect(page.locator("#systems .sari-tests li").first).to_contain_text(
        f"SARI of deleting is {-points:.2f} lower than that of rewriting; chance alone made a difference as large in "
        f"{round(p_value * 10_001) - 1 or 'none'} of 10,000 random swaps (p = {p_value:.4f}):"
    )
    expect(page.get_by_role("list", name="Notes")).to_contain_text("copying: 10 of 10 predictions are the same as")
    expect(page.locator("#signature-of-systems textarea")).to_have_value(wanted["signature"])
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    edges = page.locator("#systems .sari-intervals").evaluate(
        "figure => [...figure.querySelectorAll('.range')].map(range => [range, range.parentElement]"
        ".map(part => part.getBoundingClientRect())).every(([range, track]) => "
        "range.left >= track.left - 1 && range.right <= track.right + 1 && range.width > 3)"
    )
    assert edges

    texts = {}
    for name in ("CSV", "JSON", "LaTeX"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {name}").locator("visible=true").click()
        texts[name] = Path(download.value.path()).read_text("utf-8")
    table = list(csv.DictReader(io.StringIO(texts["CSV"])))
    assert [float(row["sari"]) for row in table] == scores
    assert float(table[0]["sari_p_value"]) == p_value
    found = json.loads(texts["JSON"])
    assert [system["confidence_intervals"] for system in found["systems"]] == [
        system["confidence_intervals"] for system in wanted["systems"].values()
    ]
    assert found["resampling"]["baseline"] == "rewriting"
    assert r"\begin{tabular}" in texts["LaTeX"]


def test_compare_refuses_and_recovers(visit, tmp_path):
    page = visit(PHONE)
    view(page, "Compare")
    start = page.get_by_role("button", name="Compare these systems")
    start.click()
    expect(refusal(page, "#systems")).to_have_text("Please choose the sources.")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(page.get_by_role("combobox", name="Baseline")).to_have_value("deleting")
    start.click()
    expect(page.locator("#systems .sari-tests li")).to_contain_text(
        "SARI of rewriting is 14.84 higher than that of deleting"
    )
    short = tmp_path / "short.txt"
    short.write_text("a\n")
    upload(page, "Outputs (one file per system)", short)
    start.click()
    expect(refusal(page, "#systems")).to_contain_text("short.txt:2: the file has 1 line, wanted 10 as in sources.txt")
    expect(page.locator("#signature-of-systems")).to_be_hidden()


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


def test_notes_of_a_file(visit):
    page = visit()
    view(page, "File")
    view(page, "Paste")
    page.get_by_role("button", name="Fill in an example").locator("visible=true").click()
    expect(box(page, "Outputs")).to_have_value(re.compile("lighthouse"))
    start = page.get_by_role("button", name="Score these lines")
    start.click()
    expect(page.locator("#corpus")).to_contain_text("10 segments under hf.")
    expect(page.get_by_role("list", name="Notes")).to_have_count(0)
    box(page, "Outputs").fill("\n".join(["a"] * 8 + ["", "."]))
    start.click()
    expect(page.get_by_role("list", name="Notes")).to_contain_text("Note: 1 of 10 predictions is empty.")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "chance alone made a difference as large in none of 1,000 resamples"),
        ({"predictions": {"<i>x": ["a"], "y": ["a b"]}}, "a single segment cannot tell"),
        ({"predictions": {"x": ["a"], "y": ["a"]}}, "is the same as that of"),
        ({"predictions": {"x": ["a"]}}, "One system alone is not tested"),
    ],
)
def test_what_is_said_of_chance(sari, change, said):
    columns = {**example(), **({"sources": ["a b"], "references": [["a"]], **change} if change else {})}
    found = {**sari.compare(**columns), "notes": [{"category": "SariWarning", "message": "<script>"}]}
    html = systems_as_html(found, "hf")
    assert said in html
    assert "<script>" not in html
    assert "<i>x" not in html


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


# ---- The Space ------------------------------------------------------------------------------------------------------


def test_front_matter_is_what_is_pinned():
    front = (ROOT / "README.md").read_text("utf-8").split("---\n")[1]
    values = dict(line.split(": ", 1) for line in front.splitlines() if ": " in line)
    pinned = re.search(r"^gradio==(.+)$", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    assert pinned is not None
    assert values["sdk_version"] == pinned[1] == version("gradio")
    assert (values["sdk"], values["app_file"]) == ("gradio", "app.py")
    assert (3, 10) <= tuple(map(int, values["python_version"].strip('"').split("."))) <= (3, 13)
    assert {"- evaluate", "- metric"} <= {line.strip() for line in front.splitlines()}
