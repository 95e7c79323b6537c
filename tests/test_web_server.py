"""The server around the page: bad calls get one line and leave no text in the log, nothing is kept, previews fit.

The fixture of the app checks the log.
"""

import json
import logging
import re
import sys
import urllib.request

import gradio
import httpx
import numpy as np
import psutil
import pytest

from sari.web import server
from sari.web.inputs import MAX_CHARACTERS, MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS, RefusedError, offered_options
from sari.web.page import SESSIONS

pytest_plugins = ("web_app",)

#: Certificates would take longer to read than a call takes.
PLAIN = {"timeout": 60, "verify": False}
SECRET = "a text of a visitor"
SEGMENT = [SECRET, SECRET, [SECRET]]
OPTIONS = [{"variant": "hf"}]
#: The values of endpoints that may be left out by clients that know them.
DEFAULTS = {
    "sentence": [None],
    "variants": [None],
    "why": ["hf", "easse", None],
    "corpus": [None],
    "compare": [None, None, "randomization"],
}
PAIR = [[SECRET], {"x": [SECRET]}, [[SECRET]]]


def posted(address, path, **content):
    response = httpx.post(f"{address}gradio_api/{path}", **PLAIN, **content)
    assert SECRET not in response.text
    fields = response.json()
    (line,) = (fields.get("detail") or fields["error"]).splitlines()
    return response.status_code, line


def chunks():
    """Yield a body that does not say how large it is."""
    yield from (b"x" * 1_000_000 for _ in range(40))


@pytest.mark.parametrize("way", ["run", "call"])
@pytest.mark.parametrize("content", [b"x" * 20_000_001, chunks], ids=["announced", "in chunks"])
def test_large_calls_are_refused_before_they_are_read(address, way, content):
    found = posted(address, f"{way}/sentence", content=content() if callable(content) else content)
    assert found == (413, "This is too much at once: a request takes 20 MB.")


@pytest.mark.parametrize(
    ("endpoint", "values", "line"),
    [
        ("sentence", [None, SECRET, [SECRET], *OPTIONS], "source: got NoneType, expected str"),
        ("sentence", [SECRET, SECRET, {"a": SECRET}, *OPTIONS], "references: got dict, expected a list of str"),
        ("sentence", [*SEGMENT, {"variant": ["hf"]}], "variant: got ['hf'], expected one of hf, "),
        ("sentence", [*SEGMENT, "hf"], "options: got str, expected an object of scoring options by name"),
        ("sentence", [*SEGMENT, {"tokenize": {"a": 1}}], "tokenize: got {'a': 1}, expected one of 13a, none, intl, "),
        ("sentence", [*SEGMENT, {"lowercase": 1}], "lowercase: got 1, expected True or False"),
        ("sentence", [*SEGMENT, {"max_order": 2.5}], "max_order: got 2.5, expected a whole number of at least 1"),
        ("sentence", [*SEGMENT, {"maxorder": 2}], "maxorder: got an unknown argument; did you mean 'max_order'?"),
        ("variants", [SECRET, None, [SECRET]], "output: got NoneType, expected str"),
        ("why", [*SEGMENT, "hf", ["x"]], "variant: got ['x'], expected one of hf, "),
        (
            "corpus",
            [SECRET, [SECRET], [[SECRET]], *OPTIONS],
            "sources: got str, expected a list with one str per segment",
        ),
        ("compare", [*PAIR, *OPTIONS, [SECRET], "bootstrap"], "baseline: got list, expected the name of a system"),
        ("compare", [[SECRET], None, [[SECRET]], *OPTIONS, None, None], "outputs: got NoneType, expected a dict of "),
        ("sentence", [SECRET, SECRET, [" "]], "Please enter at least one reference"),
        ("sentence", [*SEGMENT, {"variant": "bleu"}], "variant: got 'bleu', expected one of hf, xu2016"),
        ("sentence", [*SEGMENT, {"tokenize": "moses"}], "tokenize: got 'moses', expected "),
        ("variants", ["a" * MAX_CHARACTERS, "b", ["c"]], "That is 10,002 characters; this page takes 10,000 at a time"),
        ("compare", [["a"], {"x": ["a", "b"]}, [["a"]]], "outputs['x']: got 2 rows, expected 1"),
        ("compare", [["a"], {}, [["a"]]], "outputs: got no system, expected at least one"),
        ("compare", [*PAIR, None, "y"], "baseline: got 'y', expected one of x"),
        ("compare", [*PAIR, None, None, "t"], "method: got 't', expected one of randomization, "),
        (
            "compare",
            [["a"], {str(number): ["a"] for number in range(MAX_SYSTEMS + 1)}, [["a"]]],
            "That is 21 systems; this page takes 20 at a time",
        ),
        ("corpus", [["a"], ["a", "b"], [["a"]]], "outputs: got 2 rows, expected 1 (as in sources)"),
        ("corpus", [[""] * (MAX_SEGMENTS + 1)] * 3, "That is 5,001 segments; this page takes 5,000 at a time"),
        ("corpus", [["x" * 1_000_001 * MAX_MEGABYTES], ["a"], [["a"]]], "That is 10.0 MB; this page takes 10 MB"),
    ],
)
def test_values_that_are_refused(address, endpoint, values, line):
    takes = {"sentence": 4, "variants": 4, "why": 6, "corpus": 4, "compare": 6}[endpoint]
    _, found = posted(
        address, f"run/{endpoint}", json={"data": [*values, *DEFAULTS[endpoint][len(values) - takes :]][:takes]}
    )
    assert found[: len(line)] == line


def answer(address, path, **content):
    """Return what a call gives, made at once or through the queue."""
    response = httpx.post(f"{address}gradio_api/{path}", **PLAIN, **content)
    assert response.status_code == 200
    fields = response.json()
    if "event_id" not in fields:
        return fields["data"]
    told = httpx.get(f"{address}gradio_api/{path}/{fields['event_id']}", **PLAIN).text
    assert told.startswith("event: complete\n")
    return json.loads(told.partition("data: ")[2])


def test_choices_that_the_page_does_not_offer_leave_no_text_in_the_log(address):
    config = httpx.get(f"{address}config", **PLAIN).json()
    most = len(SEGMENT) + len(offered_options())
    wide = [function["id"] for function in config["dependencies"] if len(function["inputs"]) == most]
    assert len(wide) > 1
    for number in wide:
        for choice in (SECRET, [SECRET], {SECRET: SECRET}):
            call = {"data": [SECRET] * 3 + [choice] * len(offered_options()), "fn_index": number, "session_hash": "abc"}
            httpx.post(f"{address}gradio_api/queue/join", json=call, **PLAIN)
    with httpx.stream("GET", f"{address}gradio_api/queue/data?session_hash=abc", **PLAIN) as answers:
        assert any("process_completed" in line for line in answers.iter_lines())


@pytest.mark.parametrize("name", ["..txt", "..", ".", "a/../b", "%2e%2e"])
def test_strange_names_of_files(address, name):
    response = httpx.post(f"{address}gradio_api/upload", files={"files": (name, SECRET.encode())}, **PLAIN)
    assert response.status_code in (200, 400)
    assert len(response.text.splitlines()) == 1


def test_text_files_that_are_too_large(address):
    found = posted(address, "upload", files={"files": ("a.txt", b"x" * 12_000_000)})
    assert found == (413, "This is too much at once: a request takes 11 MB.")


# What the page says of itself


def test_the_page_speaks_of_itself(address):
    response = httpx.get(address, headers={"Accept-Encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    assert int(response.headers.get("content-length", response.num_bytes_downloaded)) < len(response.content) / 3
    page = response.text
    found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', page))
    assert found["title"] == server.TITLE
    assert found["description"] == server.DESCRIPTION
    assert page.count("og:title") == page.count("og:image") == 1
    assert re.findall("<title>(.*?)</title>", page) == [server.TITLE]
    assert str(server.PICTURE.parent) not in page
    picture = httpx.get(f"{address.rstrip('/')}{found['image']}")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content == server.PICTURE.read_bytes()
    with urllib.request.urlopen(address) as plain:  # which asks for no compression
        assert plain.read().decode() == page


def test_on_the_hub_the_picture_has_a_whole_address(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "someone-sari.hf.space")
    assert 'content="https://someone-sari.hf.space/screenshot.png"' in server.preview()


@pytest.mark.parametrize("page", [b"", b"{}"])
def test_what_is_no_page_stays_as_it_is(page):
    assert server.completed(page, "fields", "view") == page


# Logs, files and memory


def test_the_log_has_the_kind_and_the_places_of_an_error_alone(caplog, monkeypatch):
    def fail(error):
        raise error

    monkeypatch.setattr(logging.getLogger("sari.web"), "propagate", True)
    for error, shown in (
        (KeyError(SECRET), "The app has a fault here, not your texts."),
        (RefusedError("refused"), "refused"),
        (gradio.Error("meant for visitors"), "meant for visitors"),
    ):
        with pytest.raises(gradio.Error) as raised:
            server.logging_errors(fail)(error)
        assert raised.value.message == shown
    (record,) = caplog.records
    kind, *places = record.getMessage().splitlines()
    assert kind == "KeyError"
    assert re.search(r"test_web_server\.py:\d+ in fail$", places[-1])
    assert SECRET not in record.getMessage()


def test_the_log_has_the_causes_of_an_error(caplog, monkeypatch):
    def fail():
        try:
            int(SECRET)
        except ValueError as error:
            raise RuntimeError(SECRET) from error

    monkeypatch.setattr(logging.getLogger("sari.web"), "propagate", True)
    with pytest.raises(gradio.Error):
        server.logging_errors(fail)()
    (record,) = caplog.records
    kinds = re.findall(r"^(?:caused by )?(\w+)$", record.getMessage(), re.MULTILINE)
    assert kinds == ["RuntimeError", "ValueError"]
    assert SECRET not in record.getMessage()


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone can be asked for its memory")
def test_memory_comes_back():
    process = psutil.Process()
    blocks = [np.ones(12_000) for _ in range(2_000)]  # each too small to be given back by itself
    kept = blocks[::50]
    held = process.memory_info().rss
    with server.memory_released():
        del blocks
    assert process.memory_info().rss < held - 100_000_000
    assert len(kept) == 40


def test_memory_stays_as_it_is_however_many_programs_call(address):
    """Six hundred sessions, of which the server remembers half."""
    (server_process,) = (child for child in psutil.Process().children() if "app.py" in " ".join(child.cmdline()))
    used = []
    with httpx.Client(base_url=address, **PLAIN) as program:
        for number in range(600):
            call = {"data": ["the cat sat", "a cat sat", ["a cat sat"], None], "session_hash": f"session {number}"}
            assert program.post("gradio_api/run/sentence", json=call).json()["data"][0]["scores"]
            used.append(server_process.memory_info().rss)
    assert used[-1] < used[SESSIONS + 20] + 25_000_000
