"""Programs as processes: pipes, signals, a full disk, and their status."""

import os
import signal
import sys

import pytest
from programs import COMMAND, FILES, ROOT, needs_unix, refusal_of, run

from sari.command_line import program
from sari.command_line.process import run_program


@needs_unix
@pytest.mark.parametrize(("closed", "said"), [("2>&-", b""), (">&-", b"score.py: error: standard output: closed, ")])
def test_closed_streams(tmp_path, closed, said):
    process = run(*COMMAND, *FILES, folder=tmp_path, command=["sh", "-c", f'exec "$@" {closed}', "sh"])
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr.startswith(said)


@needs_unix
def test_what_is_printed_comes_before_what_is_said(corpus):
    command = ["sh", "-c", 'exec "$@" 2>&1', "sh", *COMMAND]
    process = run(*FILES, "--report", "x.md", folder=corpus, command=command)
    assert process.stdout.endswith(b"score.py: x.md: written\n")


@pytest.mark.parametrize(
    ("environment", "name"),
    [({"PYTHONIOENCODING": "ascii"}, rb"\xe9"), ({"PYTHONUTF8": "0", "LC_ALL": "C"}, "é".encode())],
)
def test_pipes_get_utf_8_or_what_python_is_told(corpus, environment, name):
    (corpus / "t.csv").write_text("system,source,output,references\né,a,a,a\no,a,a,a\n", encoding="utf-8")
    process = run("--table", "t.csv", folder=corpus, PYTHONCOERCECLOCALE="0", **environment)
    assert b"\n" + name + b" " in process.stdout


def test_a_home_that_cannot_be_written(corpus):
    """Where matplotlib can keep no files, it has a temporary folder, without a word."""
    where = {"HOME": "/proc/none", "MPLCONFIGDIR": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    process = run(*FILES, "--report", "x.html", "--quiet", folder=corpus, **where)
    assert (process.returncode, process.stderr) == (0, b"")


def test_missing_packages(corpus):
    """Without the packages of the environment, as with -S, what is missing is said in one line."""
    command = [sys.executable, "-S", str(ROOT / "score.py")]
    message = refusal_of(run(*FILES, folder=corpus, command=command))
    assert message == "no package 'sacrebleu', whose version signatures name: python -S finds no installed packages"


@needs_unix
def test_a_reader_that_has_gone(corpus):
    reading, writing = os.pipe()
    os.close(reading)
    process = run(*FILES, folder=corpus, output=writing)
    os.close(writing)
    assert (process.returncode, process.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, as Linux has it")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [FILES, ["--help"]])
def test_a_full_disk(corpus, arguments, unbuffered):
    with open("/dev/full", "wb") as full:
        process = run(*arguments, folder=corpus, output=full, PYTHONUNBUFFERED=unbuffered)
    assert process.returncode == 2
    assert process.stderr == b"score.py: error: standard output: No space left on device\n"


def test_a_fault_keeps_its_traceback(monkeypatch):
    """Only what the project refuses is an error of one line, not what Python's functions refuse."""
    monkeypatch.setattr(program, "read_systems", lambda _: int("?"))
    with pytest.raises(ValueError, match="invalid literal") as caught:
        run_program(lambda: program.main([*FILES]), "score.py")
    assert caught.value.__notes__ == ["score.py: this is a fault of the program: please report it with these lines"]


def test_an_interrupt(capsys):
    def interrupted():
        raise KeyboardInterrupt

    assert run_program(interrupted, "score.py") == 128 + signal.SIGINT
    assert capsys.readouterr() == ("", "")
