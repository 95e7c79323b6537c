"""The gate before the app: what goes no further, what nothing is left of, and what is a fault of the server."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from programs import ROOT, SECRET, free_port, needs_unix, running_app

from sari.messages import RefusedError
from sari.web import gate, inputs, visitor_files

pytest_plugins = ("web_app",)

#: Certificates would take longer to read than a call takes.
PLAIN = {"timeout": 60, "verify": False}
JSON = {"Content-Type": "application/json"}


def upload(files, end=b"--x--\r\n"):
    """Return the headers and the body of an upload: pairs of a name and a content."""
    head = 'Content-Disposition: form-data; name="files"; filename="{}"\r\n\r\n'
    parts = [b"--x\r\n" + head.format(name).encode() + content + b"\r\n" for name, content in files]
    return {"headers": {"Content-Type": "multipart/form-data; boundary=x"}, "content": b"".join([*parts, end])}


def files_in(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file() and path.name != "log"]


CLOSED = [
    ("GET", "gradio_api/deep_link?session_hash=a"),
    ("GET", "gradio_api/file=http://127.0.0.1:9/"),
    ("GET", f"gradio_api/file={ROOT}/README.md"),
    ("GET", "gradio_api/proxy=http://127.0.0.1:9/"),
    ("POST", "gradio_api/run/sentence"),
    ("POST", "gradio_api/call/v2/sentence"),
    ("POST", "gradio_api/stream/a"),
    ("PUT", "gradio_api/upload"),
    ("GET", "monitoring/summary"),
    ("GET", "a/route/of/a/newer/gradio"),
]


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_what_the_page_does_not_need_is_closed(address, app_folder, method, path):
    before = files_in(app_folder)
    answered = httpx.request(method, f"{address}{path}", **PLAIN)
    assert (answered.status_code, answered.json()) == (404, {"detail": "There is no such page or endpoint."})
    assert files_in(app_folder) == before


NOT_TAKEN = [
    (b'{"data": [' + b"[]," * 2_000_000 + b"[]]}", 413, "That is more than 200,000 values, all"),
    (b'{"data": ' + b"[" * 13 + b"]" * 13 + b"}", 413, "Its values stand more than 12 deep"),
    (b'{"data": ["' + b"x" * 12_000_000 + b'"]}', 413, "That is more than 12 MB, all"),
    (b'{"data": ["' + b'\\"' * 4_000_000, 400, "The call is not"),
    (b'{"data": ["' + b"[{," * 2_000_000 + b'"], "session_hash": "a b"}', 400, "The call is not"),
    (('{"data": ["\\"", "", ' + "[]," * 200_000 + "[]]}").encode("utf-16-le"), 413, "It is not JSON in UTF-8"),
    (b"", 400, "The call is not"),
    (b"[" * 12, 400, "The call is not"),
    (b'{"data": [], "fn_index": true, "session_hash": "a"}', 400, "The call is not"),
]


@pytest.mark.parametrize(("body", "status", "line"), NOT_TAKEN)
@pytest.mark.parametrize("path", ["queue/join", "call/sentence"])
def test_calls_that_are_too_large_or_none_go_no_further(address, path, body, status, line):
    answered = httpx.post(f"{address}gradio_api/{path}", content=body, headers=JSON, **PLAIN)
    assert answered.status_code == status
    assert answered.json()["detail"].startswith(line)


def test_others_do_not_wait_for_hostile_calls(address):
    """Three calls of 6 MB of lists, which took 15 seconds of everybody when they were parsed."""
    body = NOT_TAKEN[0][0]
    threads = [
        threading.Thread(target=httpx.post, args=[f"{address}gradio_api/queue/join"], kwargs={"content": body, **PLAIN})
        for _ in range(3)
    ]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    assert httpx.get(f"{address}config", **PLAIN).status_code == 200
    assert time.monotonic() - begin < 5
    for thread in threads:
        thread.join()


def test_json_is_counted_and_not_parsed():
    """At the limits, and as fast for texts that do not end."""
    inputs.check_json(b"[" + b"0," * (inputs.MAX_VALUES - 2) + b"0]")
    inputs.check_json(b"[" * inputs.MAX_DEPTH + b'"' + b"[" * 100)
    for hostile in (b"[" + b"0," * (inputs.MAX_VALUES - 1) + b"0]", b"{" * (inputs.MAX_DEPTH + 1)):
        with pytest.raises(RefusedError):
            inputs.check_json(hostile)
    seconds = []
    for size in (1_000_000, 4_000_000):
        begin = time.process_time()
        inputs.check_json(b'"' + b'\\"' * size)
        seconds.append(time.process_time() - begin)
    assert seconds[1] < max(10 * seconds[0], 0.5)


NO_UPLOADS = [
    (upload([("a", b"x")] * 101), 413, "That is more than 100 files"),
    (upload([("a", b"x" * 20_000_000)]), 413, "That is more than 20 MB"),
    (upload([("a", b"x")], end=b""), 400, "An upload is not"),
    ({**upload([("a", b"x")]), "headers": {}}, 400, "An upload is not"),
    ({**upload([]), "content": upload([("a", b"x")])["content"].replace(b"; filename", b"; name")}, 400, "An upload"),
]


@pytest.mark.parametrize(("request_", "status", "line"), NO_UPLOADS)
def test_uploads_that_are_not_taken_leave_nothing(address, app_folder, request_, status, line):
    before = files_in(app_folder)
    answered = httpx.post(f"{address}gradio_api/upload", **request_, **PLAIN)
    assert answered.status_code == status
    assert answered.json()["detail"].startswith(line)
    assert files_in(app_folder) == before


def test_uploads_that_break_off_leave_nothing(address, app_folder):
    before, log = files_in(app_folder), (app_folder / "log").read_text()
    host, port = re.search(r"//(.+):(\d+)/", address).groups()
    for _ in range(5):
        with socket.create_connection((host, int(port))) as one:
            head = "POST /gradio_api/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 9900000\r\n"
            part = upload([("a", b"x" * 1_000_000)], end=b"")
            kind = part["headers"]["Content-Type"]
            one.sendall(f"{head}Content-Type: {kind}\r\n\r\n".encode() + part["content"])
    assert httpx.get(f"{address}config", **PLAIN).status_code == 200
    assert files_in(app_folder) == before
    assert (app_folder / "log").read_text() == log


def test_values_of_files_are_those_that_were_uploaded(tmp_path):
    kept = {"path": str(tmp_path / "a" / "b"), "url": "http://127.0.0.1:9/"}
    gate.check_files([[kept], {"x": ["path"]}], tmp_path)
    assert kept["url"] is None  # nothing fetches it
    for path in ("http://127.0.0.1:9/a", "https://a", "/etc/passwd", f"{tmp_path}/../a", f"{tmp_path}x", "", "a"):
        with pytest.raises(RefusedError, match="choose it again"):
            gate.check_files([{"x": [{"path": path, "meta": {"_type": "gradio.FileData"}}]}], tmp_path)


def test_an_address_in_place_of_a_file_is_refused(address):
    config = httpx.get(f"{address}config", **PLAIN).json()
    kinds = {component["id"]: component["type"] for component in config["components"]}
    (number, inputs) = next(
        (row["id"], row["inputs"])
        for row in config["dependencies"]
        if row["backend_fn"] and "file" in map(kinds.get, row["inputs"]) and len(row["inputs"]) > 5
    )
    value = {"path": "http://127.0.0.1:9/a", "meta": {"_type": "gradio.FileData"}}
    call = {"data": [value if kinds[one] == "file" else None for one in inputs], "fn_index": number}
    assert httpx.post(f"{address}gradio_api/queue/join", json={**call, "session_hash": "file"}, **PLAIN).is_success
    with httpx.stream("GET", f"{address}gradio_api/queue/data?session_hash=file", **PLAIN) as answers:
        assert any("A file is not one that was uploaded here" in line for line in answers.iter_lines())


# ---- The folder of files, and faults of the server -------------------------------------------------------------------


def test_the_folder_is_swept_by_age_whoever_made_a_file(tmp_path):
    for name, age in (("a/old", 2), ("b/old", 2), ("b/new", 0), ("rest of an upload", 2), ("new", 0)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
        os.utime(path, (0, time.time() - age * visitor_files.MOST_AGE))
    os.utime(tmp_path / "a", (0, 0))
    visitor_files.sweep(tmp_path, before=time.time() - visitor_files.MOST_AGE)
    visitor_files.sweep(tmp_path, before=1)  # a folder is as old as the last change of its files
    assert sorted(path.name for path in files_in(tmp_path)) == ["new", "new"]


def test_bytes_and_files_are_counted(tmp_path):
    assert visitor_files.has_room(tmp_path)
    with open(tmp_path / "large", "wb") as large:
        large.truncate(visitor_files.MAX_UPLOADED * 1_000_000 + 1)  # takes no space
    assert not visitor_files.has_room(tmp_path)
    (tmp_path / "large").unlink()
    for number in range(visitor_files.MAX_FILES):
        (tmp_path / str(number)).touch()
    assert not visitor_files.has_room(tmp_path)
    (tmp_path / "0").unlink()
    assert visitor_files.has_room(tmp_path)


@needs_unix
def test_faults_of_the_server_are_its_own(tmp_path):
    """They are logged without a text of visitors. A port that is taken is said, and no file outlives the server."""
    port = free_port()
    (tmp_path / "of another user").mkdir()
    with running_app(tmp_path, port) as (address, process):
        (folder,) = tmp_path.glob("sari-app-*")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert httpx.post(f"{address}gradio_api/upload", **upload([("a", b"x")]), **PLAIN).is_success
        other = subprocess.run(
            [sys.executable, str(ROOT / "app.py")],
            env={**os.environ, "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        line = f"sari: error: app: GRADIO_SERVER_PORT: got {port}, which another program uses, expected a free port\n"
        assert (other.returncode, other.stdout, other.stderr) == (2, "", line)
        folder.rename(tmp_path / "moved")
        folder.write_text("")
        answered = httpx.post(f"{address}gradio_api/upload", **upload([(SECRET, b"x")]), **PLAIN)
        assert (answered.status_code, answered.json()) == (500, {"detail": "The server has a fault here."})
        log = (tmp_path / "log").read_text()
        assert re.search(r"^FileExistsError \(File exists\)\n  File .+, in upload_fn$", log, re.MULTILINE | re.DOTALL)
        assert SECRET not in log
        folder.unlink()
        (tmp_path / "moved").rename(folder)
    assert process.returncode == 128 + signal.SIGTERM
    assert not folder.exists()
