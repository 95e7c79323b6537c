"""Files that are written whole or not at all."""

import os
from pathlib import Path

import pytest
from programs import needs_unix

from sari.text_files import writing
from sari.text_files.errors import FileError
from sari.text_files.writing import check_writable, write_lines


@pytest.mark.parametrize(("error", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "x"), FileError)])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error, raised):
    monkeypatch.chdir(tmp_path)
    path = Path("(1).tsv")  # which sorts before the name of standard output
    path.write_text("before")

    def breaking():
        yield "half"
        raise error

    with pytest.raises(raised):
        write_lines(str(path), breaking())
    assert (list(Path().iterdir()), path.read_text()) == ([path], "before")
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
def test_modes_and_owners(tmp_path):
    """Nobody else reads what replaces a private file; the file has the mode of the old one, or that of new ones."""
    path, during = tmp_path / "x.tsv", []

    def lines():
        (written,) = (other for other in tmp_path.iterdir() if other != path)
        during.append(written.stat().st_mode & 0o777)
        yield "a"

    before = os.umask(0o026)
    write_lines(str(path), lines())
    os.umask(before)
    assert (during, path.stat().st_mode & 0o777) == ([0o640], 0o640)
    path.chmod(0o604)
    write_lines(str(path), lines())
    assert (during[1], path.stat().st_mode & 0o777) == (0o600, 0o604)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        write_lines(str(path), lines())
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


def test_a_check_leaves_nothing(tmp_path):
    path = tmp_path / "new.tsv"
    check_writable(str(path), [__file__])
    assert list(tmp_path.iterdir()) == []
    path.write_text("a")
    check_writable(str(path), [__file__])
    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "a")
