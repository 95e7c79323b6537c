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
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.testclient import TestClient

from sari.web import gate, inputs, server, visitor_files
from sari.web.page import SESSIONS, WAITING

pytest_plugins = ("web_app",)

#: Certificates would take longer to read than a call takes.
PLAIN = {"timeout": 60, "verify": False}


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
@pytest.mark.parametrize(("response", "view"), [(HTMLResponse, "VIEW"), (PlainTextResponse, "")])
def test_the_document_is_compressed_and_has_the_first_view(response, view, encoding):
    app = Starlette(middleware=server.settings("VIEW")["middleware"])
    app.add_route("/", lambda _request: response(f"{'x' * 1000}<gradio-app>"))
    answered = TestClient(app).get("/", headers={"Accept-Encoding": encoding})
    assert answered.text == f"{'x' * 1000}{view}<gradio-app>"
    assert answered.headers.get("content-encoding", "identity") == encoding
    assert answered.headers.get("content-length") in (None, str(answered.num_bytes_downloaded))


@pytest.mark.parametrize("path", ["call/nothing", "run/nothing", "call/v2/nothing", "run/sentence", "queue/join"])
def test_calls_of_what_is_not_there_or_not_open_are_bad_requests(address, path):
    response = httpx.post(f"{address}gradio_api/{path}", json={"data": [SECRET], "fn_index": 9999}, **PLAIN)
    assert 400 <= response.status_code < 500
    assert len(response.text) < 300


def test_no_call_leaves_a_text_in_the_log(address):
    """Values that are too few, or that the page does not offer, of every function of the page."""
    functions = httpx.get(f"{address}config", **PLAIN).json()["dependencies"]
    bad = ([], [SECRET], [SECRET] * 40, [[SECRET]] * 40, [{SECRET: SECRET}] * 40, [f"{SECRET}\ud800"] * 40)
    numbers = [function["id"] for function in functions if function["backend_fn"]]
    assert len(numbers) > 20
    for number in numbers:
        for values in bad:
            call = {"data": values, "fn_index": number, "session_hash": "abc"}
            body = json.dumps(call).encode()  # httpx takes no lone surrogates
            headers = {"Content-Type": "application/json"}
            joined = httpx.post(f"{address}gradio_api/queue/join", content=body, headers=headers, **PLAIN)
            assert joined.status_code < 500 or "full" in joined.text
        with httpx.stream("GET", f"{address}gradio_api/queue/data?session_hash=abc", **PLAIN) as answers:
            assert any("process_completed" in line for line in answers.iter_lines())


@pytest.mark.parametrize(
    ("values", "error", "line"),
    [
        ([f"{SECRET}\ud800"], None, "The text has a lone surrogate, half a character, which is no text."),
        ([SECRET], inputs.RefusedError("no words"), "no words"),
        ([SECRET], gr.Error("none of\nthe choices"), "none of the choices"),
        ([SECRET], KeyError(SECRET), server.FAULT),
    ],
)
def test_what_goes_wrong_is_a_line_for_visitors_and_no_text_in_the_log(caplog, values, error, line):
    def fail(_value):
        raise error from ValueError(SECRET)

    with server.Page() as page:
        box = gr.Textbox()
        box.change(fail, box)
    with pytest.raises(gr.Error) as answer, ThreadPoolExecutor(1) as pool:
        # The browser of other tests has this thread's loop.
        pool.submit(asyncio.run, page.process_api(page.fns[0], values)).result()
    assert (answer.value.message, answer.value.print_exception) == (line, False)
    logged = "".join(record.getMessage() for record in caplog.records)
    assert bool(logged) == (line == server.FAULT)
    assert SECRET not in logged
    if logged:
        assert logged.startswith("KeyError caused by ValueError\n")
        assert re.search(r'test_web_server\.py", line \d+, in fail$', logged, re.MULTILINE)


LIMITS = {
    "docs/app.md": [
        f"at most {inputs.MAX_CHARACTERS:,} characters with all its references",
        f"at most {inputs.MAX_DETAILED:,} characters, and has at most {inputs.MAX_KILOBYTES} kB",
        f"{inputs.MAX_SYSTEMS} systems, {inputs.MAX_SEGMENTS:,} segments, {inputs.MAX_REFERENCES} references for each",
        f"{inputs.MAX_MEGABYTES} MB, gzipped or not. N-grams have at most {inputs.MAX_ORDER} tokens",
        f"links at most {inputs.MAX_LINK:,} characters",
        f"at most {WAITING} wait",
        f"calls of more than {gate.MAX_CALL} MB, {inputs.MAX_VALUES:,} values or {inputs.MAX_DEPTH} levels",
        f"take more than {gate.MAX_SECONDS} seconds to arrive, and all of them while those that are being read have "
        f"{gate.MAX_WAITING} MB",
        f"uploads of more than {gate.MAX_UPLOAD} MB or {gate.MAX_PARTS} files",
        f"more than {visitor_files.MAX_UPLOADED // 1_000} GB or {visitor_files.MAX_FILES:,} files",
    ],
    "SECURITY.md": [
        f"{gate.MAX_CALL} MB and {inputs.MAX_VALUES:,} values a call, {gate.MAX_UPLOAD} MB an upload",
        f"{gate.MAX_WAITING} MB of requests that are being read",
        f"{inputs.MAX_CHARACTERS:,} characters for an explained segment",
        f"{visitor_files.MAX_UPLOADED // 1_000} GB and {visitor_files.MAX_FILES:,} files in all",
    ],
    "web/templates/about.md.j2": [],
}


@pytest.mark.parametrize("document", LIMITS)
def test_documents_state_the_limits(document):
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
    assert [limit for limit in [*LIMITS[document], f"last {SESSIONS} visits"] if limit not in text] == []
