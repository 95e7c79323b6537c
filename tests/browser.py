"""A browser for the tests of the page: one that is there, else one that is got, else no such tests.

Chromium, Chrome or Edge will do. If none is there, root gets Debian's package, and everybody else what playwright
downloads (root too, if that package fails). If that fails too, the tests are skipped; with `CI=true` they fail.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
HEADLESS = "chromium-headless-shell"
COMMANDS = (HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
#: Chrome and Edge, which playwright finds where installers put them on Linux, macOS and Windows.
CHANNELS = ("chrome", "msedge")
#: Whether packages can be installed: by root, on Debian or Ubuntu.
MAY_INSTALL = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None
#: Seconds that a download and an installation may take.
INSTALLING = 600


class NoBrowserError(Exception):
    """A browser that cannot be got or started, said in one line."""


@contextmanager
def started() -> Iterator[Browser]:
    """Start a browser; without one the tests that need it are skipped, or fail where `CI=true`."""
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except NoBrowserError as problem:
            give_up = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            raise give_up.Exception(f"NO BROWSER: {problem}", pytrace=False) from None
        yield browser
        browser.close()


def launch(playwright: Playwright) -> Browser:
    """Start the first browser that starts: one that is there, else one that is got.

    Raises:
        NoBrowserError: with all that was tried and why each failed, in one line.
    """
    problems = []
    with FileLock(Path(os.environ["SARI_TESTS_HOME"], "browser.lock")):  # other workers would get one too, meanwhile
        for get in (nothing, system_package, download):
            try:
                get()
                return start(playwright)
            except NoBrowserError as problem:
                problems.append(str(problem))
    raise NoBrowserError("; ".join(problems))


def start(playwright: Playwright) -> Browser:
    """Start the first browser that is there and starts."""
    own = playwright.chromium.executable_path
    executables = [*filter(None, map(shutil.which, COMMANDS)), *filter(os.path.isfile, [own])]
    there = [{"executable_path": path} for path in executables]
    for browser in there + [{"channel": channel} for channel in CHANNELS]:
        with suppress(Error):
            return playwright.chromium.launch(args=FLAGS, **browser)
    broken = "".join(f", {path} does not start" for path in executables)
    raise NoBrowserError(f"no Chromium, Chrome or Edge found{broken}")


def nothing() -> None:
    """Get nothing: what is there may do."""


def system_package() -> None:
    """Install the system's Chromium, without a window if it comes like that: it takes less time."""
    if not MAY_INSTALL:
        raise NoBrowserError("apt-get: needs root on Debian or Ubuntu")
    apt = ["apt-get", "-qq", "-oAcquire::Retries=0", "-oAcquire::http::Timeout=15"]
    run(*apt, "update")
    try:
        run(*apt, "install", "-y", HEADLESS)
    except NoBrowserError:
        run(*apt, "install", "-y", "chromium")


def download() -> None:
    """Let playwright download its own Chromium, as root with the libraries that it needs."""
    libraries = ["--with-deps"] if MAY_INSTALL else []
    run(sys.executable, "-m", "playwright", "install", "--no-progress", *libraries, "chromium")


def run(*command: str) -> None:
    """Run a command that gets a browser; what it prints is seen if the tests fail for want of one."""
    environment = {"DEBIAN_FRONTEND": "noninteractive", "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "15000"}
    try:
        subprocess.run(command, env=os.environ | environment, timeout=INSTALLING, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoBrowserError(str(error)) from None
