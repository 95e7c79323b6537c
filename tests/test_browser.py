"""The browser of the tests: one that is there, else one that is got, else one line that says why there is none."""

import sys
from contextlib import nullcontext

import browser
import pytest


def test_commands_complain_in_one_line():
    with pytest.raises(browser.NoBrowserError, match=r": E: Failed to fetch x$"):
        browser.run(sys.executable, "-c", "print('Get:1 x'); print('E: Failed to fetch x'); exit(100)")


def unavailable(_):
    raise browser.NoBrowserError("none")


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_without_a_browser_tests_are_skipped_or_fail(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(browser, "sync_playwright", nullcontext)  # there is one at a time in a process
    monkeypatch.setattr(browser, "launch", unavailable)
    with pytest.raises(outcome, match=r"^NO BROWSER: none$"), browser.started():
        pass
