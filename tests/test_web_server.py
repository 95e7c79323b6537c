"""The server around the page: bad calls get one line and leave no text in the log, and documents state its limits.

The fixture of the app checks the log.
"""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor

import gradio as gr
import httpx
import pytest
from programs import ROOT, SECRET

from sari.web import server
from sari.web.inputs import (
    MAX_CHARACTERS,
    MAX_DETAILED,
    MAX_KILOBYTES,
    MAX_LINK,
    MAX_MEGABYTES,
    MAX_ORDER,
    MAX_REFERENCES,
    MAX_SEGMENTS,
    MAX_SYSTEMS,
)
from sari.web.page import SESSIONS, WAITING, build

pytest_plugins = ("web_app",)

#: Certificates would take longer to read than a call takes.
PLAIN = {"timeout": 60, "verify": False}
JSON = {**PLAIN, "headers": {"Content-Type": "application/json"}}


def answer(address, endpoint, values):
    """Return what a call through the queue ends with: the kind of event, and what it says."""
    call = httpx.post(f"{address}gradio_api/call/{endpoint}", content=json.dumps({"data": values}), **JSON)
    told = httpx.get(f"{address}gradio_api/call/{endpoint}/{call.json()['event_id']}", **PLAIN).text
    event, said = re.findall(r"^event: (\w+)\ndata: (.*)$", told, re.MULTILINE)[-1]
    return event, json.loads(said)


def chunks():
    """Yield a body that does not say how large it is."""
    yield from (b"x" * 1_000_000 for _ in range(40))


@pytest.mark.parametrize("content", [b"x" * 20_000_001, chunks], ids=["announced", "in chunks"])
def test_large_calls_are_refused_before_they_are_read(address, content):
    content = content() if callable(content) else content
    response = httpx.post(f"{address}gradio_api/call/sentence", content=content, **PLAIN)
    assert response.status_code == 413
    assert "Content Too Large" in response.text


@pytest.mark.parametrize("path", ["call/nothing", "run/nothing", "call/v2/nothing", "run/sentence", "queue/join"])
def test_calls_of_what_is_not_there_or_not_open_are_bad_requests(address, path):
    response = httpx.post(f"{address}gradio_api/{path}", json={"data": [SECRET], "fn_index": 9999}, **PLAIN)
    assert 400 <= response.status_code < 500
    assert len(response.text) < 300


@pytest.mark.parametrize(
    ("endpoint", "values", "line"),
    [
        ("corpus", [SECRET, [SECRET], [[SECRET]], None], "sources: got str, expected a list with one str per segment"),
        ("sentence", [SECRET + "\ud800", SECRET, [SECRET], None, False], "The text has a lone surrogate"),
        ("compare", [[SECRET], {"\ud800": [SECRET]}, [[SECRET]], None, None, None], "The text has a lone surrogate"),
    ],
)
def test_a_refusal_is_one_line(address, endpoint, values, line):
    event, said = answer(address, endpoint, values)
    assert event == "error"
    assert said["error"].startswith(line)
    assert len(said["error"].splitlines()) == 1


def test_no_call_leaves_a_text_in_the_log(address):
    """Values that are too few, or that the page does not offer, of every function of the page."""
    functions = httpx.get(f"{address}config", **PLAIN).json()["dependencies"]
    bad = ([], [SECRET], [SECRET] * 40, [[SECRET]] * 40, [{SECRET: SECRET}] * 40, [f"{SECRET}\ud800"] * 40)
    numbers = [function["id"] for function in functions if function["backend_fn"]]
    assert len(numbers) > 20
    for number in numbers:
        for values in bad:
            call = {"data": values, "fn_index": number, "session_hash": "abc"}
            joined = httpx.post(f"{address}gradio_api/queue/join", content=json.dumps(call), **JSON)
            assert joined.status_code < 500 or "full" in joined.text
        with httpx.stream("GET", f"{address}gradio_api/queue/data?session_hash=abc", **PLAIN) as answers:
            assert any("process_completed" in line for line in answers.iter_lines())


def test_the_document_is_compressed(address):
    response = httpx.get(address, headers={"Accept-Encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    assert "SARI, explained" in response.text


@pytest.mark.parametrize(
    ("document", "limits"),
    [
        (
            "docs/app.md",
            [
                f"at most {MAX_CHARACTERS:,} characters with all its references",
                f"at most {MAX_KILOBYTES} kB, of a segment of at most {MAX_DETAILED:,} characters",
                f"at most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB",
                f"at most {MAX_REFERENCES} references; n-grams have at most {MAX_ORDER} tokens",
                f"a link has at most {MAX_LINK:,} characters",
                f"at most {WAITING} wait",
                f"requests of more than {2 * MAX_MEGABYTES} MB",
                f"more than {server.MAX_UPLOADED // 1_000} GB",
            ],
        ),
        (
            "SECURITY.md",
            [
                f"{2 * MAX_MEGABYTES} MB a request, {MAX_MEGABYTES} MB of text",
                f"{MAX_CHARACTERS:,} characters for an explained segment",
                f"{server.MAX_UPLOADED // 1_000} GB of files in all",
            ],
        ),
        ("web/templates/about.md.j2", []),
    ],
)
def test_documents_state_the_limits(document, limits):
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
    assert [limit for limit in [*limits, f"last {SESSIONS} visits"] if limit not in text] == []


def test_every_function_that_fails_is_answered_in_a_line(caplog, monkeypatch):
    def fail(*_values, **_named):
        try:
            int(SECRET)
        except ValueError as error:
            raise KeyError(SECRET) from error

    page, pool = build(), ThreadPoolExecutor(1)
    for function in page.fns.values():
        if function.fn is None:
            continue
        monkeypatch.setattr(function, "fn", fail)
        monkeypatch.setattr(page, "preprocess_data", no_change)
        caplog.clear()
        with pytest.raises(gr.Error) as error:
            # The browser of other tests has this thread's loop.
            pool.submit(asyncio.run, page.process_api(function, [None] * len(function.inputs))).result()
        assert (error.value.message, error.value.print_exception) == (server.FAULT, False)
        (record,) = caplog.records  # the kinds and the traceback, but nothing of what the errors say
        kinds, *places = record.getMessage().splitlines()
        assert kinds == "KeyError caused by ValueError"
        assert any(re.search(r'test_web_server\.py", line \d+, in fail$', place) for place in places)
        assert SECRET not in record.getMessage()


async def no_change(_function, inputs, *_values):
    return inputs
