"""The server around the page: bad calls get one line and leave no text in the log, and the first scores are there.

The fixture of the app checks the log.
"""

import json
import logging
import re
import urllib.request

import httpx
import pytest

from sari.web import server
from sari.web.inputs import MAX_CHARACTERS, MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS, RefusedError, offered_options

pytest_plugins = ("web_app",)

#: Certificates would take longer to read than a call takes.
PLAIN = {"timeout": 60, "verify": False}
SECRET = "a text of a visitor"
SEGMENT = [SECRET, SECRET, [SECRET]]
OPTIONS = [{"variant": "hf"}]
#: The values of endpoints that may be left out by clients that know them.
DEFAULTS = {
    "sentence": [None, False],
    "variants": [None],
    "why": ["hf", "easse", None],
    "corpus": [None],
    "compare": [None, None, "randomization"],
}
PAIR = [[SECRET], {"x": [SECRET]}, [[SECRET]]]


def posted(address, path, **content):
    """Return the status and the line of a call that is refused."""
    response = httpx.post(f"{address}gradio_api/{path}", **PLAIN, **content)
    assert SECRET not in response.text
    is_json = response.headers["content-type"] == "application/json"
    answer = response.json() if is_json else {"error": response.text}
    (line,) = (answer.get("error") or answer["detail"]).splitlines()
    return response.status_code, line


def chunks():
    """Yield a body that does not say how large it is."""
    yield from (b"x" * 1_000_000 for _ in range(40))


@pytest.mark.parametrize("way", ["run", "call"])
@pytest.mark.parametrize("content", [b"x" * 20_000_001, chunks], ids=["announced", "in chunks"])
def test_large_calls_are_refused_before_they_are_read(address, way, content):
    found = posted(address, f"{way}/sentence", content=content() if callable(content) else content)
    assert found == (413, "Content Too Large")


@pytest.mark.parametrize(
    ("endpoint", "values", "line"),
    [
        ("sentence", [None, SECRET, [SECRET], *OPTIONS], "source: got a missing value (None), expected str"),
        ("sentence", [SECRET, SECRET, {"a": SECRET}, *OPTIONS], "references: got dict, expected a list of str"),
        ("sentence", [*SEGMENT, {"variant": ["hf"]}], "variant: got ['hf'], expected one of hf, "),
        ("sentence", [*SEGMENT, "hf"], "options: got str, expected an object of scoring options by name"),
        ("sentence", [*SEGMENT, {"tokenize": {"a": 1}}], "tokenize: got {'a': 1}, expected one of 13a, none, intl, "),
        ("sentence", [*SEGMENT, {"lowercase": 1}], "lowercase: got 1, expected True or False"),
        ("sentence", [*SEGMENT, {"max_order": 2.5}], "max_order: got 2.5, expected a whole number of at least 1"),
        ("sentence", [*SEGMENT, {"maxorder": 2}], "maxorder: got an unknown argument; did you mean 'max_order'?"),
        ("variants", [SECRET, None, [SECRET]], "output: got a missing value (None), expected str"),
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
    takes = {"sentence": 5, "variants": 4, "why": 6, "corpus": 4, "compare": 6}[endpoint]
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


def test_the_document_is_compressed_and_has_the_first_scores(address):
    response = httpx.get(address, headers={"Accept-Encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    page = response.text
    assert page.count('<div id="sari-first">') == 1
    with urllib.request.urlopen(address) as plain:  # which asks for no compression
        assert plain.read().decode() == page


def test_refusals_and_faults_are_answered_in_a_line(caplog, monkeypatch):
    @server.answering(str.upper)
    def fail(kind):
        try:
            int(SECRET)
        except ValueError as error:
            raise kind("refused") from error

    monkeypatch.setattr(logging.getLogger("sari.web"), "propagate", True)
    assert fail(RefusedError) == "REFUSED"
    assert caplog.records == []
    assert fail(KeyError) == "THE APP HAS A FAULT HERE, NOT YOUR TEXTS."
    (record,) = caplog.records  # the kinds and the traceback, but nothing of what the errors say
    kinds, *places = record.getMessage().splitlines()
    assert kinds == "KeyError caused by ValueError"
    assert any(re.search(r'test_web_server\.py", line \d+, in fail$', place) for place in places)
    assert SECRET not in record.getMessage()
    assert "'refused'" not in record.getMessage()
