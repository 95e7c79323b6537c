"""Fixtures of the app as visitors meet it, started once: a plugin of the tests of the endpoints and of pages.

Without playwright those of the endpoints still run.
"""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from gradio_client import Client
from programs import ROOT, SECRET

# Now, while this folder comes first: later a checkout that is called like one of its files would be found instead.
with suppress(ModuleNotFoundError):
    from web_pages import DESKTOP, PHONE, start_browser, visiting


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Start `python app.py` on a free port, and see in the end that it never failed."""
    folder = tmp_path_factory.mktemp("app")
    log = folder / "log"
    environment = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_TEMP_DIR": str(folder)}
    with open(log, "wb") as sink:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "app.py")],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        yield address_in(log, process)
    finally:
        process.terminate()
        process.wait(30)
    text = log.read_text()
    assert SECRET not in text
    # Bad calls fail in Gradio, where it reads them; no function of the page failed.
    assert not re.search(r"Traceback|/web/(?!server\.py)\w+\.py", text), text


def address_in(log, process):
    """Wait until the app has printed its address, and return it."""
    for _ in range(1800):  # a machine that does other things too takes its time
        assert process.poll() is None, log.read_text()
        if printed := re.search(r"local URL:\s+(\S+)\n", log.read_text()):
            return f"{printed[1]}/"
        time.sleep(0.1)
    raise TimeoutError(log.read_text())


@pytest.fixture(scope="session")
def client(address):
    return Client(address, verbose=False, ssl_verify=False, httpx_kwargs={"timeout": 60})


@pytest.fixture(scope="session")
def browser():
    with start_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def context(browser):
    """Return a context that has the files of the page, once they were got, and see that pages keep nothing in it."""
    with browser.new_context() as context:
        yield context
        assert context.storage_state() == {"cookies": [], "origins": []}


@pytest.fixture
def visit(context, address):
    """Return a function that opens the page; nothing on it may fail or go to another host."""
    with visiting(context, address) as visit:
        yield visit


@pytest.fixture
def desktop(visit):
    return visit(DESKTOP, "light")


@pytest.fixture
def phone(visit):
    return visit(PHONE, "dark")
