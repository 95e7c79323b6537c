"""Files that are written whole or not at all."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from programs import COMMAND, EXAMPLE, ROOT, SYSTEMS, needs_unix, run

from sari.text_files import writing
from sari.text_files.errors import FileError
from sari.text_files.writing import check_writable, write_files


def _breaking(error):
    yield "half"
    raise error


@pytest.mark.parametrize(("error", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "x"), FileError)])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error, raised):
    monkeypatch.chdir(tmp_path)
    path = Path("(1).tsv")  # which sorts before the name of standard output
    path.write_text("before")

    with pytest.raises(raised):
        write_files({str(path): _breaking(error)})
    assert (list(Path().iterdir()), path.read_text()) == ([path], "before")
    write_files({str(path): ["after"]})
    assert path.read_bytes() == b"after\n"


def test_files_of_one_run_are_written_together(tmp_path):
    """Where the second cannot be written, the first stays, too."""
    paths = [str(tmp_path / name) for name in ("a.tsv", "b.tsv")]
    write_files({path: ["before"] for path in paths})
    with pytest.raises(FileError, match=r"b\.tsv: broken, expected a file to write"):
        write_files({paths[0]: ["after"], paths[1]: _breaking(OSError("broken"))})
    assert [Path(path).read_text() for path in paths] == ["before\n"] * 2
    written = []
    write_files({path: ["after"] for path in paths}, written.append)
    assert written == [f"{path}: written" for path in paths]


@needs_unix
def test_a_link_stays_a_link(tmp_path):
    path, link = tmp_path / "x.tsv", tmp_path / "link.tsv"
    path.write_text("before")
    link.symlink_to(path)
    write_files({str(link): ["after"]})
    assert (link.is_symlink(), path.read_text()) == (True, "after\n")


@needs_unix
def test_modes_and_owners(tmp_path):
    """Nobody else reads what replaces a private file; the file has the mode of the old one, or that of new ones."""
    path, during = tmp_path / "x.tsv", []

    def lines():
        (written,) = (other for other in tmp_path.iterdir() if other != path)
        during.append(written.stat().st_mode & 0o777)
        yield "a"

    before = os.umask(0o026)
    write_files({str(path): lines()})
    os.umask(before)
    assert (during, path.stat().st_mode & 0o777) == ([0o640], 0o640)
    path.chmod(0o604)
    write_files({str(path): lines()})
    assert (during[1], path.stat().st_mode & 0o777) == (0o600, 0o604)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        write_files({str(path): lines()})
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12345)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder", "folder: no regular file, expected a file to write"),
        pytest.param("full.tsv", "full.tsv: no regular file, expected a file to write", marks=needs_unix),
        ("n" * 240 + "/x.tsv", f"{'n' * 49}…{'n' * 44}/x.tsv: No such file or directory, expected a file to write"),
        ("old.tsv", "old.tsv: No such file or directory, expected a file to write"),
        ("./in.tsv", "./in.tsv: is an input, expected another file to write"),
        pytest.param("link.tsv", "link.tsv: is an input, expected another file to write", marks=needs_unix),
    ],
)
def test_what_cannot_be_written_is_refused_beforehand(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "in.tsv").write_text("a")
    (tmp_path / "old.tsv").write_text("a")
    if os.name == "posix":
        (tmp_path / "link.tsv").symlink_to("in.tsv")
        (tmp_path / "full.tsv").symlink_to("/dev/full")
    if path == "old.tsv":  # as where its folder takes no new file
        monkeypatch.setattr(writing, "_temporary", lambda _: Path("none", "x.tmp"))
    with pytest.raises(FileError) as error:
        check_writable(path, ["none.tsv", "in.tsv"])
    assert (str(error.value), (tmp_path / "old.tsv").read_text()) == (message, "a")


TOUCHED = """
import sys
from as_package import make_importable
make_importable()
from sari.text_files.writing import check_writable
changing, path = {"open", "os.remove", "os.rename", "os.truncate", "os.utime", "os.chmod"}, sys.argv[1]
sys.addaudithook(lambda event, details: event in changing and path in map(str, details) and print(event, *details))
check_writable(path, [])
"""


@pytest.mark.parametrize("text", [None, "a"])
def test_a_check_does_not_touch_the_file(tmp_path, text):
    """Another process may create it at any moment, and would find it gone."""
    path = tmp_path / "new.tsv"
    if text is not None:
        path.write_text(text)
    process = run(str(path.resolve()), folder=ROOT, command=[sys.executable, "-c", TOUCHED])
    assert (process.returncode, process.stdout, process.stderr) == (0, b"", b"")


def test_a_check_leaves_nothing(tmp_path):
    path = tmp_path / "new.tsv"
    check_writable(str(path), [__file__])
    assert list(tmp_path.iterdir()) == []
    path.write_text("a")
    check_writable(str(path), [__file__])
    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "a")


#: Writes to the file that is named, and runs Python code between the two lines.
WRITES = """
import os, signal, sys
from as_package import make_importable
make_importable()
from sari.command_line.process import run_program, say
from sari.text_files.writing import write_files

def lines():
    yield "after"
    exec(sys.argv[2])
    yield "after"

def main():
    write_files({sys.argv[1]: lines()}, lambda message: say("x", message))
    return 0

sys.exit(run_program(main, "x"))
"""


@needs_unix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_leave_the_old_file_and_nothing_else(tmp_path, name):
    path, number = tmp_path / "x.tsv", getattr(signal, name)
    path.write_text("before")
    command = [sys.executable, "-c", WRITES]
    process = run(str(path), f"os.kill(os.getpid(), {number})", folder=ROOT, command=command)
    assert (process.returncode, process.stdout, process.stderr) == (128 + number, b"", b"")
    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "before")


@needs_unix
def test_a_signal_that_is_ignored_ends_nothing(tmp_path):
    path = tmp_path / "x.tsv"
    command = ["nohup", sys.executable, "-c", WRITES]
    process = run(str(path), "os.kill(os.getpid(), signal.SIGHUP)", folder=ROOT, command=command)
    assert (process.returncode, path.read_text()) == (0, "after\nafter\n")


def _in_a_container(folder, script, *arguments):
    """Run a script of the shell where a user is root of nothing but its own mounts, as in a rootless container."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs namespaces, as Linux has them where they are allowed")
    return run(*arguments, folder=folder, command=[*unshare, "sh", "-ec", script, "sh"])


#: How a file cannot be replaced as on a usual disk: what makes it so, the status, what is said, and what it holds then.
MACHINES = {
    "an owner that is nobody here": ("true", 0, "{}: written", "new"),
    "a file that is mounted": (
        "mount --bind x.tsv x.tsv",
        0,
        "{}: overwritten, not replaced (Device or resource busy): written",
        "new",
    ),
    "a full disk": (
        "mkdir full; mount -t tmpfs -o size=4k none full; cp x.tsv full; cd full",
        2,
        "error: {}: No space left on device, expected a file to write",
        "old",
    ),
}


@needs_unix
@pytest.mark.parametrize(("before", "status", "said", "held"), MACHINES.values(), ids=MACHINES)
def test_scores_are_printed_and_files_whole_on_real_machines(tmp_path, before, status, said, held):
    corpus = [argument.replace("examples/", f"{ROOT}/examples/") for argument in [*EXAMPLE, *SYSTEMS[:2]]]
    (tmp_path / "x.tsv").write_text("old\n")
    (tmp_path / "x.tsv").chmod(0o666)
    if os.geteuid() == 0:
        os.chown(tmp_path / "x.tsv", 12345, 12345)
    command = [*COMMAND, *corpus, "--sentences", "x.tsv", "--report", "x.md", "--score-only"]
    process = _in_a_container(tmp_path, f'{before}; "$@" || status=$?; ls -A; cat x.tsv; exit $status', *command)
    printed, *files = process.stdout.decode().splitlines()
    assert (process.returncode, printed) == (status, "56.40")
    assert process.stderr.decode().splitlines()[-1] == "score.py: " + said.format("x.tsv" if status == 0 else "x.md")
    files = [file for file in files if file != "full"]
    if held == "new":
        assert (files[:2], len(files)) == (["x.md", "x.tsv"], 2 + 1 + 10)
    else:
        assert files == ["x.tsv", "old"]
