"""Fixtures of the app as visitors meet it, started once: a plugin of the tests of the endpoints and of the page.

Without playwright those of the endpoints still run.
"""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest
from gradio_client import Client
from programs import ROOT, SECRET

# Now, while this folder comes first: later a checkout that is called like one of its files would be found instead.
with suppress(ModuleNotFoundError):
    from browser import started
    from web_pages import DESKTOP, PHONE, as_it_was, visiting

#: What an app prints as it starts.
STARTED = ("* Running on local URL:", "* To create a public link")


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
    said = [line for line in log.read_text().splitlines() if line and not line.startswith(STARTED)]
    # Bad calls fail in Gradio, where it reads them; no function of the page failed, and Gradio printed nothing.
    assert SECRET not in "".join(said)
    assert not [line for line in said if re.search(r"Traceback|/web/(?!server\.py)\w+\.py", line)], "\n".join(said)


def wait_for(url, process):
    for _ in range(1800):  # a machine that does other things too takes its time
        assert process.poll() is None
        try:
            urllib.request.urlopen(url).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(url)


@pytest.fixture(scope="session")
def client(address):
    return Client(address, verbose=False, ssl_verify=False, httpx_kwargs={"timeout": 60})


@pytest.fixture(scope="session")
def browser():
    with started() as browser:
        yield browser


@pytest.fixture(scope="session")
def cache(browser):
    """Return a context that has the files of the page, once they were got, and see that pages keep nothing in it."""
    context = browser.new_context()
    yield context
    assert context.storage_state() == {"cookies": [], "origins": []}
    context.close()


@pytest.fixture
def visit(browser, cache, address):
    """Return a function that opens the page; nothing on it may fail or go to another host."""
    with visiting(browser, cache, address) as visit:
        yield visit


@pytest.fixture(scope="session")
def shared(browser, cache, address):
    """Return pages that tests share, since opening one takes seconds: by their names."""
    with visiting(browser, cache, address) as visit:
        yield {"desktop": visit(DESKTOP, "light"), "phone": visit(PHONE, "dark")}


@pytest.fixture
def desktop(shared):
    """Return a shared page as it was first, wide and light."""
    return as_it_was(shared["desktop"])


@pytest.fixture
def phone(shared):
    """Return a shared page as it was first, narrow and dark."""
    return as_it_was(shared["phone"])
