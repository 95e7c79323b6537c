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
        ([], f"got no arguments, wanted --sources and others, or one of {COMMANDS}"),
        (["bleu"], f"got 'bleu', wanted one of {COMMANDS}"),
        (["app", "--port"], "app: got '--port', wanted no arguments"),
    ],
)
def test_what_is_no_command_is_refused_in_one_line(arguments, message):
    process = run(*arguments)
    assert (process.returncode, process.stdout, process.stderr) == (2, "", f"sari: error: {message}\n")


def test_help():
    process = run("--help")
    assert (process.returncode, process.stderr) == (0, "")
    commands, usage = process.stdout.split("\n\n", maxsplit=1)
    assert [line.split()[0] for line in commands.splitlines()[1:]] == COMMANDS.split(", ")
    assert usage.startswith("usage: sari [-h]")


@pytest.mark.parametrize("command", [["score"], []])
def test_options_alone_are_those_of_score(command):
    process = run(*command, "--sources", "none", "--outputs", "o", "--references", "r")
    message = "sari: error: none: No such file or directory, wanted a file to read\n"
    assert (process.returncode, process.stdout, process.stderr) == (2, "", message)


FILES = ["--sources", "sources.txt", "--outputs", "outputs.txt", "--references", "references.0.txt"]
WITHOUT = """
import runpy, sys
sys.modules[sys.argv.pop(1)] = None
sys.argv[0] = sys.argv.pop(1)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("arguments", "package", "begin", "extra"),
    [
        (["app"], "gradio", "app: ", "app"),
        (["reproduce"], "scipy", "reproduce: ", "report"),
        (["score", *FILES, "--ratings", "outputs.txt"], "scipy", "--ratings: ", "report"),
        (["score", "--dataset", "asset", "--outputs", "outputs.txt"], "datasets", "--dataset asset: ", "evaluate"),
        (["score", *FILES, "--report", "{}/x.html"], "jinja2", "--report: ", "report"),
    ],
)
def test_a_missing_extra_is_said_in_one_line(tmp_path, arguments, package, begin, extra):
    process = subprocess.run(
        [sys.executable, "-c", WITHOUT, package, str(ROOT), *(argument.format(tmp_path) for argument in arguments)],
        cwd=ROOT / "examples",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stdout) == (2, "")
    (line,) = process.stderr.splitlines()
    assert line.startswith(f"sari: error: {begin}")
    assert package in line
    assert line.endswith(f"wanted the extra {extra!r} or requirements.txt")


@pytest.mark.parametrize(
    ("command", "shown"), [("score", "--references"), ("app", "sari app"), ("reproduce", "FOLDER")]
)
def test_commands_have_their_own_help(command, shown):
    process = run(command, "--help")
    assert (process.returncode, process.stderr) == (0, "")
    assert shown in process.stdout
