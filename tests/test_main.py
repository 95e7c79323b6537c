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


@pytest.mark.parametrize("port", ["abc", "65536"])
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


@pytest.mark.parametrize(("command", "words"), [("score", "--references"), ("app", "sari app")])
def test_commands_have_their_own_help(dispatch, command, words):
    status, output, error = dispatch(command, "--help")
    assert (status, error, words in output) == (0, "", True)


TEXTS = ["--sources", "sources.txt", "--outputs", "outputs.txt", "--references", "references.0.txt"]
#: What the extra `report` installs.
REPORT = "rapidfuzz,scipy,jinja2,matplotlib"
WITHOUT = """
import runpy, sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
sys.argv[0] = sys.argv.pop(1)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


#: Packages that are missing, arguments, and the beginning and the end of the error; empty where there is none.
MISSING = [
    ("gradio", ["app"], "", "the extra 'app' or requirements.txt"),
    ("scipy", ["score", *TEXTS, "--ratings", "outputs.txt"], "", "what requirements.txt or the extras install"),
    ("datasets", ["--dataset", "asset", *TEXTS[2:4]], "", "the extra 'evaluate' or requirements.txt"),
    ("jinja2", ["score", *TEXTS, "--report", "{}/x.html"], "", "what requirements.txt or the extras install"),
    # Measures import what they alone need.
    (REPORT, [*TEXTS, "--measures", "bleu", "splits", "--own-measure", "x={}/x.tsv"], None, None),
    (REPORT, [*TEXTS, "--measures", "all"], None, None),
    (
        REPORT,
        [*TEXTS, "--measures", "exact_copies", "edits_from_source"],
        "--measures: edits_from_source",
        "needs rapidfuzz: pip install rapidfuzz",
    ),
]


@pytest.mark.parametrize(("packages", "arguments", "beginning", "end"), MISSING)
def test_what_needs_a_missing_package_says_so_in_one_line(tmp_path, packages, arguments, beginning, end):
    (tmp_path / "x.tsv").write_text("x\n" + "1\n" * 10)
    given = [argument.format(tmp_path) for argument in arguments]
    process = run(packages, str(ROOT), *given, folder=ROOT / "examples", command=[sys.executable, "-c", WITHOUT])
    if end is None:
        assert (process.returncode, process.stderr) == (0, b"")
        return
    assert (process.returncode, process.stdout) == (2, b"")
    (line,) = process.stderr.decode().splitlines()
    assert line.startswith(f"sari: error: {beginning}")
    assert line.endswith(end)
    assert packages.partition(",")[0] in line
