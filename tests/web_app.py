"""Fixtures of the app as visitors meet it, started once: a plugin of the tests of the endpoints and of pages.

Without playwright those of the endpoints still run.
"""

import re
from contextlib import suppress

import pytest
from gradio_client import Client
from programs import SECRET, free_port, running_app

# Now, while this folder comes first: later a checkout that is called like one of its files would be found instead.
with suppress(ModuleNotFoundError):
    from web_pages import DESKTOP, PHONE, start_browser, visiting


@pytest.fixture(scope="session")
def app_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("app")


@pytest.fixture(scope="session")
def address(app_folder):
    """Start `python app.py` on a free port, and see in the end that it never failed."""
    with running_app(app_folder, free_port()) as (address, _):
        yield address
    text = (app_folder / "log").read_text()
    assert SECRET not in text
    # Bad calls fail in Gradio, where it reads them; no function of the page failed.
    assert not re.search(r"Traceback|/web/(?!server|gate)\w+\.py", text), text


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
