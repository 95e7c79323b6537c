"""Files that are written whole or not at all."""

import os
import threading

import pytest
from programs import needs_unix

from sari.text_files.errors import FileError
from sari.text_files.writing import check_writable, write_lines


@pytest.mark.parametrize(("error", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "x"), FileError)])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error, raised):
    path = tmp_path / "x.tsv"
    path.write_text("before")

    def breaking():
        yield "half"
        raise error

    with pytest.raises(raised):
        write_lines(str(path), breaking())
    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "before")
    write_lines(str(path), ["after"])
    assert path.read_bytes() == b"after\n"


@needs_unix
def test_a_link_stays_a_link(tmp_path):
    path, link = tmp_path / "x.tsv", tmp_path / "link.tsv"
    path.write_text("before")
    link.symlink_to(path)
    write_lines(str(link), ["after"])
    assert (link.is_symlink(), path.read_text()) == (True, "after\n")


@needs_unix
def test_modes_and_owners(tmp_path, monkeypatch):
    """Nobody else can read what is being written; then the file has the mode of the old one, or that of new ones."""
    path, during = tmp_path / "x.tsv", []

    def lines():
        (written,) = (other for other in tmp_path.iterdir() if other != path)
        during.append(written.stat().st_mode & 0o777)
        yield "a"

    before = os.umask(0o027)
    write_lines(str(path), lines())
    os.umask(before)
    assert (during, path.stat().st_mode & 0o777) == ([0o600], 0o640)
    path.chmod(0o604)
    given = []
    monkeypatch.setattr(os, "chown", lambda _, *owner: given.append(owner))
    write_lines(str(path), lines())
    assert (during[1], path.stat().st_mode & 0o777, given) == (0o600, 0o604, [])
    if os.geteuid() == 0:
        monkeypatch.undo()
        os.chown(path, 12345, 12345)
        write_lines(str(path), lines())
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12345)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_link_of_somebody_else_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "link.tsv").symlink_to("x.tsv")
    tmp_path.chmod(0o1777)
    check_writable(str(tmp_path / "link.tsv"), [])
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    os.chown(tmp_path, 1, 1)
    with pytest.raises(FileError, match="a link of somebody else in a shared folder"):
        check_writable(str(tmp_path / "link.tsv"), [])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder", "folder: Is a directory, expected a file to write"),
        ("none/x.tsv", "none/x.tsv: No such folder, expected a file to write"),
        ("./in.tsv", "./in.tsv: is an input, expected another file to write"),
        pytest.param("link.tsv", "link.tsv: is an input, expected another file to write", marks=needs_unix),
    ],
)
def test_what_cannot_be_written_is_refused_beforehand(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "in.tsv").write_text("a")
    if path == "link.tsv":
        (tmp_path / path).symlink_to("in.tsv")
    with pytest.raises(FileError) as error:
        check_writable(path, ["none.tsv", "in.tsv"])
    assert str(error.value) == message
    check_writable("new.tsv", ["in.tsv"])


@needs_unix
def test_devices_and_pipes_are_written_directly(tmp_path):
    full, pipe = tmp_path / "full.tsv", tmp_path / "pipe.tsv"
    full.symlink_to("/dev/full")
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    check_writable(str(pipe), [])
    write_lines(str(pipe), ["a", "b"])
    reader.join()
    assert (read, pipe.is_fifo()) == (["a\nb\n"], True)
    check_writable(str(full), [])
    with pytest.raises(FileError, match=r"full\.tsv: No space left on device, expected a file to write$"):
        write_lines(str(full), ["a"])
    assert full.is_char_device()
