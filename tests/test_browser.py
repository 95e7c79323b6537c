"""The browser of the tests: one that is there, else one that is got, else one line that says why there is none."""

import sys
from contextlib import nullcontext

import browser
import pytest
from playwright.sync_api import Error

APT = ["apt-get update", "apt-get install"]
PLAYWRIGHT = ["playwright install"]


class Machine:
    """Stands for playwright and the machine: browsers start once something was got, after some commands failed."""

    def __init__(self, *, works_after, fails=()):
        self.works_after, self.fails, self.got = works_after, fails, []
        self.chromium, self.executable_path = self, sys.executable

    def run(self, *command):
        words = [word for word in command if word in ("apt-get", "update", "playwright", "install")]
        self.got.append(" ".join(words))
        if self.got[-1] in self.fails:
            raise browser.NoBrowserError(f"{self.got[-1]}: no network")

    def launch(self, executable_path=None, channel=None, **_options):
        if channel or self.got[-1:] != self.works_after[-1:]:
            raise Error("it does not start")
        return executable_path


@pytest.fixture
def launch(monkeypatch):
    """Return a function that looks for a browser on a machine whose user and commands are known."""

    def launch(machine, user, commands):
        monkeypatch.setattr(browser, "run", machine.run)
        monkeypatch.setattr(browser, "user", lambda: user)
        monkeypatch.setattr(browser.shutil, "which", lambda name: f"/bin/{name}" if name in commands else None)
        return browser.launch(machine)

    return launch


@pytest.mark.parametrize(
    ("user", "commands", "works_after", "fails"),
    [
        (0, ["apt-get", "google-chrome"], [], []),
        (0, ["apt-get"], APT, []),
        (0, ["apt-get"], [APT[0], *PLAYWRIGHT], APT[:1]),
        (0, ["apt-get"], [*APT, APT[1], *PLAYWRIGHT], APT[1:]),
        (1000, ["apt-get"], PLAYWRIGHT, []),
        (None, [], PLAYWRIGHT, []),
    ],
    ids=["one that is there", "root", "no list", "no package", "not root", "no users"],
)
def test_what_is_got(launch, user, commands, works_after, fails):
    machine = Machine(works_after=works_after, fails=fails)
    assert launch(machine, user, commands)
    assert machine.got == works_after


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
