"""All programs behind one name: `python . COMMAND`."""

import re
import sys

import pytest
from programs import FILES, ROOT, run

from sari.__main__ import dispatch


@pytest.fixture
def run_here(capsys):
    """Return a function that runs a command in this process, and returns its status and what it printed."""

    def run_command(*arguments):
        try:
            status = dispatch(arguments)
        except SystemExit as end:
            status = end.code
        return (status, *capsys.readouterr())

    return run_command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "got no arguments, expected --sources and others, or one of score, app"),
        (["bleu"], "command: got 'bleu', expected one of score, app"),
        (["app", "--port"], "app: got '--port', expected no arguments"),
        (["score", *FILES], "s.txt: No such file or directory, expected a file to read"),
        (FILES, "s.txt: No such file or directory, expected a file to read"),
    ],
)
def test_refusals_in_one_line(run_here, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run_here(*arguments) == (2, "", f"sari: error: {message}\n")


@pytest.mark.parametrize("port", ["abc", "65536"])
def test_a_bad_port_is_refused(run_here, monkeypatch, port):
    monkeypatch.setenv("GRADIO_SERVER_PORT", port)
    message = f"sari: error: app: GRADIO_SERVER_PORT: got {port!r}, expected the number of a port\n"
    assert run_here("app") == (2, "", message)


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (["--help"], r"commands:\n  score +\w.*\n  app +\w.*\n\nusage: sari .* --references "),
        (["score", "-h"], r"usage: sari .* --references "),
        (["app", "-h"], "usage: sari app\n.* GRADIO_SERVER_PORT"),
    ],
)
def test_help(run_here, arguments, pattern):
    status, output, error = run_here(*arguments)
    assert (status, error) == (0, "")
    assert re.match(pattern, output, re.DOTALL)


TEXTS = ["--sources", "sources.txt", "--outputs", "outputs.txt", "--references", "references.0.txt"]
#: What the extra `report` installs.
REPORT = "rapidfuzz,scipy,jinja2,matplotlib"
WITHOUT = """
import runpy, sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
sys.argv[0] = sys.argv.pop(1)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("packages", "arguments", "pattern"),
    [
        ("gradio", ["app"], r"app: .*gradio.*: pip install '\.\[app\]' in the project's folder"),
        ("datasets", ["--dataset", "asset", *TEXTS[2:4]], r".*datasets.*: pip install '\.\[evaluate\]' in .*"),
        (REPORT, [*TEXTS, "--report", "{}/x.html"], r"--report: .*: pip install '\.\[report\]' in .*"),
        # Measures import what they alone need.
        (REPORT, [*TEXTS, "--measures", "all", "--own-measure", "x={}/x.tsv"], None),
        (REPORT, [*TEXTS, "--measures", "edits_from_source"], "--measures: .* needs rapidfuzz: pip install rapidfuzz"),
    ],
)
def test_what_needs_a_missing_package_says_so_in_one_line(tmp_path, packages, arguments, pattern):
    (tmp_path / "x.tsv").write_text("x\n" + "1\n" * 10)
    given = [packages, str(ROOT), *(argument.format(tmp_path) for argument in arguments)]
    process = run(*given, folder=ROOT / "examples", command=[sys.executable, "-c", WITHOUT])
    said = process.stderr.decode()
    if pattern is None:
        assert (process.returncode, said) == (0, "")
    else:
        assert (process.returncode, process.stdout) == (2, b"")
        assert re.fullmatch(f"sari: error: {pattern}\n", said)
