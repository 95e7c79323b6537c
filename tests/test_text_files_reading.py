"""Files of lines in: endings, encodings, pipes of bytes, and every fault in one line."""

import gzip

import pytest

from sari.text_files import reading
from sari.text_files.errors import FileError
from sari.text_files.reading import read_lines, read_texts

SAVE = "text: save it as UTF-8, or name its encoding"


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r", ["a", "b"]),
        (b"a\r\r\n", ["a\r"]),
        (b"a\rb\x0bc\x0cd\x1cef\n\n", ["a\rb\x0bc\x0cd\x1cef", ""]),
        ("a\x85b\u2028c\u2029d\n".encode(), ["a\x85b\u2028c\u2029d"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\x1f", ["\x1f"]),
        ("a \u6f22\r\nb\n".encode("utf-16"), ["a \u6f22", "b"]),
        (b"404: Not Found\nb\n", ["404: Not Found", "b"]),
        (b"404 people\n", ["404 people"]),
        (b"<b>HTML</b> is old.\n", ["<b>HTML</b> is old."]),
        (b"\xfe\xff" + "a\n".encode("utf-16-be"), ["a"]),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines(tmp_path, data, texts, pack):
    path = tmp_path / "texts"
    path.write_bytes(pack(data))
    assert list(read_lines(str(path))) == texts


@pytest.mark.parametrize(
    ("encoding", "data", "message"),
    [
        ("utf-8", b"a\n\xff\n", f"2: got invalid start byte, expected UTF-8 {SAVE}"),
        ("utf-8", b"a\n" * 5_000 + b"\xff\n", f"5001: got invalid start byte, expected UTF-8 {SAVE}"),
        ("utf-8", b"\x7fELF\x02\x01\xff", f"1: got binary data, expected UTF-8 {SAVE}"),
        ("utf-16", b"ab", f"1: .*, expected UTF-16 {SAVE}"),
        ("utf-8", b"a\rb", r"1: got \\r alone between lines, expected \\n: .*"),
        ("utf-8", b"\xef\xbb\xbfa\rb\r", r"1: got \\r alone between lines, expected \\n: .*"),
        ("utf-8", b"a\rb\n", r"1: got \\r alone between lines, expected \\n: .*"),
        ("utf-8", b"\xff\xfea", f"1: got truncated data, expected UTF-16 {SAVE}"),
        ("utf-8", gzip.compress(b"a\nb\n", mtime=0)[:-9], " Compressed file ended before .*, expected a file to read"),
        ("utf-8", b"\x1f\x8b" + bytes(20), " Unknown compression method, expected a file to read"),
        ("utf-8", b"a\n\0b\n", r"2: got the character \\0, expected text: is its encoding utf-16le or utf-16be\?"),
        ("utf-8", b"PK\x03\x04" + bytes(26), " got a workbook, document or zip file, expected text, or a table .*xlsx"),
        ("utf-8", b"PAR1", " got Parquet, expected text, or a table whose name ends in .parquet"),
        ("utf-8", b"\xd0\xcf\x11\xe0", " got an .xls or .doc file, expected text: save it as CSV"),
        ("utf-8", b"%PDF-1.4\n", " got a PDF file, expected text"),
        ("utf-8", b"\x89PNG\r\n", " got a picture, expected text"),
        ("utf-8", b"\xfd7zXZ", " got a compressed file, expected text, plain or gzipped"),
        (
            "utf-8",
            b"version https://git-lfs.github.com/spec/v1\n",
            " got a pointer of Git LFS, expected .*: git lfs pull",
        ),
        ("utf-8", b"/annex/objects/SHA256E-s9--0\n", " got a pointer of git-annex, expected .*: git annex get FILE"),
        ("utf-8", b"\n<!DOCTYPE html>\n<html>", " got a page of HTML, expected text: download the raw file"),
        ("utf-8", b'<html lang="en">\n', " got a page of HTML, expected text: download the raw file"),
        ("utf-8", b'<?xml version="1.0"?>\n<a/>', " got XML or SGML, expected a text per line"),
        ("utf-8", b'<refset setid="a" srclang="en">\n', " got XML or SGML, expected a text per line"),
        ("utf-8", b"404: Not Found", " got the error of a server, expected text: download the file again"),
        ("utf-8", b'{"message":"Not Found"}\n', " got the error of a server, expected text: download the file again"),
    ],
)
def test_bytes_that_are_no_text(tmp_path, encoding, data, message):
    path = tmp_path / "texts"
    path.write_bytes(data)
    with pytest.raises(FileError, match=f":{message}$"):
        list(read_lines(str(path), encoding))


def test_a_line_has_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "texts"
    path.write_text("a" * 2_000)
    monkeypatch.setattr(reading, "LONGEST_LINE", 1_000)
    with pytest.raises(FileError, match=r":1: got a line of 1,000 characters, expected shorter ones"):
        list(read_lines(str(path)))


def test_columns_of_files(tmp_path):
    """Outputs by system, and references of several files, or of one with tabs."""
    for name, texts in {"s": "a\nb", "o": "c\nd\n", "p": "e\nf", "r": "g\ti\nh"}.items():
        (tmp_path / name).write_text(texts)
    s, o, p, r = (str(tmp_path / name) for name in "sopr")
    outputs = {"one": ["c", "d"], "other": ["e", "f"]}
    columns = read_texts(s, {"one": o, "other": p}, [r, p])
    assert columns == (["a", "b"], outputs, [["g\ti", "e"], ["h", "f"]])
    assert read_texts(s, {}, [r, p], tab_separated=True).references == [["g", "i", "e"], ["h", "f"]]


@pytest.mark.parametrize(("name", "hint"), [("t.JSON.GZ", "it seems a table: "), ("t.gz", "texts of several lines ")])
def test_a_table_is_no_file_of_lines(tmp_path, name, hint):
    (tmp_path / "s").write_text("a\nb\n")
    (tmp_path / name).write_text("source,output\na,b\nb,c\n")
    with pytest.raises(FileError, match=rf"{name}: number of lines: got 3, expected 2 as in .*\Ws; {hint}"):
        read_texts(str(tmp_path / "s"), {"t": str(tmp_path / name)}, [])


def test_empty_files_are_refused(tmp_path):
    (tmp_path / "s").touch()
    with pytest.raises(FileError, match=r"s: no lines, expected at least one$"):
        read_texts(str(tmp_path / "s"), {}, [str(tmp_path / "s")])
