"""A browser for the tests of the page: Chromium, Chrome or Edge, where one is there; nothing is installed.

Without one these tests are skipped, and one line says how to get one; with `CI=true` they fail.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
COMMANDS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
#: Chrome and Edge, which playwright finds where installers put them on Linux, macOS and Windows.
CHANNELS = ("chrome", "msedge")
NONE = "NO BROWSER: no Chromium, Chrome or Edge starts: install one, or run python -m playwright install chromium"


@contextmanager
def started() -> Iterator[Browser]:
    """Start a browser, or skip the tests that need it."""
    with sync_playwright() as playwright:
        browser = start(playwright)
        if browser is None:
            give_up = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            raise give_up.Exception(NONE, pytrace=False) from None
        yield browser
        browser.close()


def start(playwright: Playwright) -> Browser | None:
    """Start the first browser that is there and starts."""
    own = playwright.chromium.executable_path
    executables = [*filter(None, map(shutil.which, COMMANDS)), *filter(os.path.isfile, [own])]
    there = [{"executable_path": path} for path in executables]
    for browser in there + [{"channel": channel} for channel in CHANNELS]:
        with suppress(Error):
            return playwright.chromium.launch(args=FLAGS, **browser)
    return None
