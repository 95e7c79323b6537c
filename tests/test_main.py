"""All programs behind one name: `python . COMMAND`."""

import importlib
import sys

import pytest
from programs import FILES, ROOT, run

COMMANDS = "score, app"


@pytest.fixture
def dispatch(capsys):
    """Return a function that runs a command in this process, and returns its status and what it printed."""
    main = importlib.import_module("sari.__main__")

    def run_command(*arguments):
        try:
            status = main.dispatch(arguments)
        except SystemExit as end:
            status = end.code
        return (status, *capsys.readouterr())

    return run_command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], f"got no arguments, expected --sources and others, or one of {COMMANDS}"),
        (["bleu"], f"command: got 'bleu', expected one of {COMMANDS}"),
        (["app", "--port"], "app: got '--port', expected no arguments"),
        (["score", *FILES], "s.txt: No such file or directory, expected a file to read"),
        (FILES, "s.txt: No such file or directory, expected a file to read"),
    ],
)
def test_refusals_in_one_line(dispatch, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert dispatch(*arguments) == (2, "", f"sari: error: {message}\n")


@pytest.mark.parametrize("port", ["abc", "70000"])
def test_a_port_that_is_none(dispatch, monkeypatch, port):
    monkeypatch.setenv("GRADIO_SERVER_PORT", port)
    message = f"sari: error: app: GRADIO_SERVER_PORT: got {port!r}, expected the number of a port\n"
    assert dispatch("app") == (2, "", message)


def test_help(dispatch):
    status, output, error = dispatch("--help")
    assert (status, error) == (0, "")
    commands, usage = output.split("\n\n", maxsplit=1)
    assert [line.split()[0] for line in commands.splitlines()[1:]] == COMMANDS.split(", ")
    assert usage.startswith("usage: sari ")


@pytest.mark.parametrize(("command", "shown"), [("score", "--references"), ("app", "sari app")])
def test_commands_have_their_own_help(dispatch, command, shown):
    status, output, error = dispatch(command, "--help")
    assert (status, error) == (0, "")
    assert shown in output


TEXTS = ["--sources", "sources.txt", "--outputs", "outputs.txt", "--references", "references.0.txt"]
WITHOUT = """
import runpy, sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
sys.argv[0] = sys.argv.pop(1)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("arguments", "package", "expected"),
    [
        (["app"], "gradio", "the extra 'app' or requirements.txt"),
        (["score", *TEXTS, "--ratings", "outputs.txt"], "scipy", "what requirements.txt or the extras install"),
        (
            ["score", "--dataset", "asset", "--outputs", "outputs.txt"],
            "datasets",
            "the extra 'evaluate' or requirements.txt",
        ),
        (["score", *TEXTS, "--report", "{}/x.html"], "jinja2", "what requirements.txt or the extras install"),
    ],
)
def test_a_missing_extra_is_said_in_one_line(tmp_path, arguments, package, expected):
    given = [argument.format(tmp_path) for argument in arguments]
    process = run(package, str(ROOT), *given, folder=ROOT / "examples", command=[sys.executable, "-c", WITHOUT])
    assert (process.returncode, process.stdout) == (2, b"")
    (line,) = process.stderr.decode().splitlines()
    assert line.startswith("sari: error: ")
    assert package in line
    assert line.endswith(f"expected {expected}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--measures", "bleu", "splits", "--own-measure", "x={}/x.tsv"], b""),
        (["--measures", "all"], b""),
        (
            ["--measures", "exact_copies", "edits_from_source"],
            b"edits_from_source needs rapidfuzz: pip install rapidfuzz\n",
        ),
    ],
)
def test_measures_import_what_they_alone_need(tmp_path, options, message):
    """Without the packages of the extra `report`."""
    (tmp_path / "x.tsv").write_text("x\n" + "1\n" * 10)
    arguments = [
        "rapidfuzz,scipy,jinja2,matplotlib",
        str(ROOT),
        *TEXTS,
        *(own.format(tmp_path) for own in options),
    ]
    process = run(*arguments, folder=ROOT / "examples", command=[sys.executable, "-c", WITHOUT])
    assert process.stderr.startswith(b"sari: error: --measures: " + message if message else b"")
    assert bool(process.stderr) == bool(message)
    assert process.returncode == (2 if message else 0)
