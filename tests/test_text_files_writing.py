"""Files that are written whole or not at all."""

import os
import threading

import pytest

from sari.text_files.errors import FileError
from sari.text_files.writing import check_writable, write_whole


def test_write_whole_leaves_nothing_behind(tmp_path):
    path = tmp_path / "x.tsv"
    link = tmp_path / "link.tsv"
    path.write_text("before")
    link.symlink_to(path)

    def breaking(error):
        yield "half"
        raise error

    for error, seen in [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "No space left"), FileError)]:
        with pytest.raises(seen):
            write_whole({str(link): breaking(error)})
        assert sorted(tmp_path.iterdir()) == [link, path]
        assert path.read_text() == "before"
    write_whole({str(link): ["after"]})
    assert link.is_symlink()
    assert path.read_text() == "after\n"


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


def test_devices_and_pipes_are_written_first_and_directly(tmp_path):
    full, pipe, other = (tmp_path / name for name in ("full.tsv", "pipe.tsv", "other.tsv"))
    full.symlink_to("/dev/full")
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    check_writable(str(pipe), [])
    write_whole({str(pipe): ["a", "b"]})
    reader.join()
    assert read == ["a\nb\n"]
    assert pipe.is_fifo()
    check_writable(str(full), [])
    with pytest.raises(FileError, match=r"full\.tsv: No space left on device, expected a file to write$"):
        write_whole({str(other): ["b"], str(full): ["a"]})
    assert full.is_symlink()
    assert full.is_char_device()
    assert sorted(tmp_path.iterdir()) == [full, pipe]
