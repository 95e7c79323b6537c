"""One door for all programs: `python . COMMAND`."""

import subprocess
import sys

import pytest
from programs import ROOT

COMMANDS = "score, app, reproduce"


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(ROOT), *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], f"got no command, wanted one of {COMMANDS}"),
        (["--sources"], f"got '--sources', wanted one of {COMMANDS}"),
        (["app", "--port"], "app: got '--port', wanted no arguments"),
    ],
)
def test_what_is_no_command_is_refused_in_one_line(arguments, message):
    process = run(*arguments)
    assert (process.returncode, process.stdout, process.stderr) == (2, "", f"sari: error: {message}\n")


def test_help():
    process = run("--help")
    assert (process.returncode, process.stderr) == (0, "")
    assert [line.split()[0] for line in process.stdout.splitlines()] == COMMANDS.split(", ")


@pytest.mark.parametrize("command", ["score", "reproduce"])
def test_commands_have_their_own_help(command):
    process = run(command, "--help")
    assert (process.returncode, process.stderr) == (0, "")
    assert "--references" in process.stdout
