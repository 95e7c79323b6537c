"""Files that are written whole or not at all."""

import os
import threading

import pytest

from sari.text_files.errors import FileError
from sari.text_files.writing import check_writable, write_lines


@pytest.mark.parametrize(("error", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "x"), FileError)])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error, raised):
    path, link = tmp_path / "x.tsv", tmp_path / "link.tsv"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)

    def breaking():
        yield "half"
        raise error

    with pytest.raises(raised):
        write_lines(str(link), breaking())
    assert sorted(tmp_path.iterdir()) == [link, path]
    assert path.read_text() == "before"
    write_lines(str(link), ["after"])
    assert (link.is_symlink(), path.read_text(), path.stat().st_mode & 0o777) == (True, "after\n", 0o640)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder", "folder: Is a directory, expected a file to write"),
        ("none/x.tsv", "none/x.tsv: No such folder, expected a file to write"),
        ("./in.tsv", "./in.tsv: is an input, expected another file to write"),
        ("link.tsv", "link.tsv: is an input, expected another file to write"),
    ],
)
def test_what_cannot_be_written_is_refused_beforehand(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "in.tsv").write_text("a")
    (tmp_path / "link.tsv").symlink_to("in.tsv")
    with pytest.raises(FileError) as error:
        check_writable(path, ["none.tsv", "in.tsv"])
    assert str(error.value) == message
    check_writable("new.tsv", ["in.tsv"])


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
