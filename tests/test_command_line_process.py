"""Programs as processes: pipes, signals, a full disk, a terminal, and their status."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from programs import COMMAND, FILES, ROOT, on_a_terminal, refusal_of, run, write_corpus


def program(path):
    return [sys.executable, str(ROOT / path)]


@pytest.mark.parametrize(
    ("closed", "said"), [("2>&-", b""), (">&-", b"score.py: error: standard output: closed, expected a ")]
)
def test_closed_streams(tmp_path, closed, said):
    process = run(*COMMAND, *FILES, folder=tmp_path, command=["sh", "-c", f'exec "$@" {closed}', "sh"])
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr.startswith(said)
    assert process.stderr.count(b"\n") == bool(said)


def test_names_that_the_terminal_lacks(corpus):
    (corpus / "é.txt").write_bytes((corpus / "o.txt").read_bytes())
    command = ["env", "PYTHONIOENCODING=ascii", *COMMAND]
    assert rb"\xe9" in run(*FILES, "--outputs", "é.txt", folder=corpus, command=command).stdout


def test_missing_packages(corpus):
    """Without the packages of the environment, as with -S, what is missing is said in one line."""
    command = [sys.executable, "-S", str(ROOT / "score.py")]
    message = refusal_of(run(*FILES, folder=corpus, command=command))
    assert re.fullmatch(r"No module named '\w+'.*, expected the packages that requirements.txt lists", message)


@pytest.mark.parametrize("path", ["score.py", "."])
@pytest.mark.parametrize("arguments", [["--help"], FILES])
def test_a_reader_that_has_gone(corpus, path, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    process = run(*arguments, folder=corpus, output=writing, command=program(path))
    os.close(writing)
    assert (process.returncode, process.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("path", "arguments"),
    [("score.py", FILES), ("score.py", ["--citation"]), (".", ["--help"])],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk(corpus, path, arguments, unbuffered):
    command = ["env", f"PYTHONUNBUFFERED={unbuffered}", *program(path)]
    with open("/dev/full", "wb") as full:
        process = run(*arguments, folder=corpus, output=full, command=command)
    name = b"sari" if path == "." else b"score.py"
    assert process.returncode == 2
    assert process.stderr == name + b": error: standard output: No space left on device\n"


INTERRUPTED = """
import atexit, os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background
path, moment = sys.argv[1:3]
del sys.argv[1:3]

def interrupt(event, arguments):
    if event == "import" and arguments[0] == moment:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(interrupt)
if moment == "exit":
    atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv[0] = path
sys.path.insert(0, os.path.dirname(path))
del sys.modules["signal"]
runpy.run_path(path, run_name="__main__")
"""


@pytest.mark.parametrize("path", ["score.py", "."])
@pytest.mark.parametrize("moment", ["signal", "sari.command_line.process", "numpy", "sari.corpus_statistics", "exit"])
def test_interrupts_at_any_moment(corpus, path, moment):
    command = [sys.executable, "-c", INTERRUPTED, str(ROOT / path), moment]
    process = run(*FILES, folder=corpus, command=command)
    assert process.stderr == b""
    # A shell shows 130 for both. When all is done, some Pythons do not hear of it any more.
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT, *[0] * (moment == "exit"))


WRITES_SLOWLY = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP):  # tests may run under nohup
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, sys.argv[1])
import as_package
as_package.make_importable()
from sari.command_line.process import run
from sari.command_line.program import main
from sari.reports import formats

def slow(_scores):
    yield "half"
    print("writing", flush=True)
    for _ in range(600):  # a signal that comes just before a sleep is seen after it
        time.sleep(0.1)

def send_second():
    os.kill(os.getpid(), int(sys.argv[2]))

sys.addaudithook(lambda event, _: send_second() if event == "os.remove" else None)  # before the file is removed
formats.SENTENCE_FORMATS[".tsv"] = slow
sys.exit(run(lambda: main(sys.argv[3:]), "score.py"))
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [(signal.SIGTERM, signal.SIGINT), (signal.SIGHUP, signal.SIGTERM), (signal.SIGINT, signal.SIGINT)],
)
def test_signals_leave_no_half_written_file(corpus, first, second):
    """However soon a second one comes: at once, and while the file is removed."""
    (corpus / "x.tsv").write_text("what stood there before")
    before = sorted(corpus.iterdir())
    command = [sys.executable, "-c", WRITES_SLOWLY, str(ROOT), str(int(second)), *FILES, "--sentences", "x.tsv"]
    with subprocess.Popen(command, cwd=corpus, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"writing\n"
        assert len(list(corpus.iterdir())) == len(before) + 1
        process.send_signal(first)
        with suppress(ProcessLookupError):
            process.send_signal(second)
        assert process.wait(timeout=20) in (128 + first, 128 + second)  # as Python sees the one or the other first
        assert process.stderr.read() == b""
    assert sorted(corpus.iterdir()) == before
    assert (corpus / "x.tsv").read_text() == "what stood there before"


def test_progress_bar_shows_on_a_terminal_when_it_takes_long(corpus):
    write_corpus(corpus, 50_000)
    shown, printed = on_a_terminal(corpus, until=b"B/s")
    assert b"Scoring" in shown
    assert printed.startswith(b"======")


def test_no_progress_bar_when_it_is_quick(corpus):
    shown, printed = on_a_terminal(corpus, until=b"")
    assert shown == b""
    assert printed.startswith(b"======")
