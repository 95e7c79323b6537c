"""Files of lines in: endings, encodings, pipes of bytes, and every fault in one line."""

import gzip

import pytest
from refusals import refuses

from sari.text_files import reading
from sari.text_files.errors import FileError, OptionError
from sari.text_files.reading import read_lines, read_parallel, read_texts

SAVE = "text: save it as UTF-8"


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
        (
            "utf-8",
            b"../.git/annex/objects/SHA256E-s9--0\n",
            " got a pointer of git-annex, expected .*: git annex get FILE",
        ),
        (
            "utf-8",
            b"<Error><Code>NoSuchKey</Code>",
            " got the error of a server, expected text: download the file again",
        ),
        ("utf-8", b"\n<!DOCTYPE html>\n<html>", " got a page of HTML, expected text: download the raw file"),
        ("utf-8", b'<html lang="en">\n', " got a page of HTML, expected text: download the raw file"),
        (
            "utf-8",
            b'<?xml version="1.0"?>\n<a/>',
            " got XML or SGML, expected a text or row per line, or a JSON array of rows",
        ),
        (
            "utf-8",
            b'<refset setid="a" srclang="en">\n',
            " got XML or SGML, expected a text or row per line, or a JSON array of rows",
        ),
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


@pytest.mark.parametrize(
    ("data", "encoding"),
    [("d\xe9j\xe0 \x93vu\x94\n".encode("latin-1"), "cp1252"), ("это не то\n".encode("cp1251"), "NAME")],
)
def test_the_encoding_to_give(tmp_path, data, encoding):
    path = tmp_path / "texts"
    path.write_bytes(data)
    with pytest.raises(OptionError) as error:
        list(read_lines(str(path)))
    assert (error.value.option, error.value.value) == ("encoding", encoding)


WORDS = ["rain", "snow", "storm", "bridge"]
LINES = [f"The {word} of village {number} was {word}ed." for number, word in enumerate(WORDS)]
SHORT = [line.replace("The", "A") for line in LINES]


@pytest.mark.parametrize(
    ("name", "lines", "models", "hint"),
    [
        ("t.JSON.GZ", ["a"], [LINES], "it seems a table: give it as the table"),
        ("t.gz", ["a b", "c d"], [["e", "f", "g"]], "texts of several lines belong in a table"),
        ("t", [*SHORT, "", " ", ""], [LINES], "the last 3 are empty"),
        ("t", SHORT, [[*LINES, ""]], "the last of s0 is empty"),
        ("t", ["", SHORT[0], "", *SHORT[1:]], [LINES], "lines 1 and 3 are empty"),
        ("t", ["Output", *SHORT], [LINES], "the first looks like a heading"),
        ("t", ["text", *SHORT], [LINES], "the first looks like a heading"),
        ("t", SHORT, [["source", *LINES]], "the first of s0 looks like a heading"),
        ("t", ["source", *SHORT], [LINES, LINES], "the first looks like a heading"),
        ("s", ["source", *LINES], [SHORT, SHORT], "the first looks like a heading"),
        ("t", [*SHORT[:2], *SHORT[3:]], [LINES], "it fits s0 up to line 2"),
        ("t", [*SHORT[:3], "It was bad.", *SHORT[3:]], [LINES], "it fits s0 up to line 3"),
        ("t", SHORT[1:], [LINES], "the first of s0 is missing"),
        ("t", SHORT[:2], [LINES], "the last 2 of s0 are missing"),
        ("t", [*SHORT, "One more.", "And more."], [LINES], "the last 2 are too many"),
    ],
)
def test_where_lines_part(tmp_path, monkeypatch, name, lines, models, hint):
    monkeypatch.chdir(tmp_path)
    names = [f"s{number}" for number in range(len(models))]
    for file, texts in zip([name, *names], [lines, *models], strict=True):
        (tmp_path / file).write_text("".join(f"{text}\n" for text in texts))
    paths = [name, *names] if name == "s" else [*names, name]
    wanted = f"expected {len(models[0])} as in s0"
    with refuses(FileError, f"{name}: number of lines: got {len(lines)}, {wanted}; {hint}"):
        read_parallel(paths)


@pytest.mark.parametrize(("output", "reference"), [("Output", "reference_1\treference_2"), ("muss", "Simple")])
def test_headings_of_all_files_are_refused(tmp_path, output, reference):
    for name, first in {"s": "source", "muss": output, "r": reference}.items():
        (tmp_path / name).write_text(f"{first}\na b\n")
    s, o, r = (str(tmp_path / name) for name in ("s", "muss", "r"))
    with pytest.raises(FileError, match=r"s:1: got the heading 'source', expected a text: remove the first line of "):
        read_texts(s, {"muss": o}, [r], tab_separated=True)
    assert read_texts(s, {"other": s}, [r]).sources == ["source", "a b"]


def test_empty_files_are_refused(tmp_path):
    (tmp_path / "s").touch()
    with pytest.raises(FileError, match=r"s: no lines, expected at least one$"):
        read_texts(str(tmp_path / "s"), {}, [str(tmp_path / "s")])
