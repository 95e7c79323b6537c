"""Files of lines in: endings, encodings, pipes of bytes, batches, and every fault in one line."""

import gzip

import pytest
from programs import write_corpus

from sari.text_files import reading
from sari.text_files.errors import FileError
from sari.text_files.reading import LineFile, batches, gather, read_texts


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
        (b"\xfe\xff" + "a\n".encode("utf-16-be"), ["a"]),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines(tmp_path, data, texts, pack):
    path = tmp_path / "texts"
    path.write_bytes(pack(data))
    file = LineFile(str(path))
    assert list(file) == texts
    assert file.lines == len(texts)


@pytest.mark.parametrize(
    ("encoding", "data", "message"),
    [
        ("utf-8", b"a\n\xff\n", "2: byte 0xff is not UTF-8, expected UTF-8 text"),
        ("utf-7", b"a\nb +2AA-\n", "2: 'utf-8' codec can't encode .*, expected UTF-7 text"),
        ("unicode_escape", b"a \\ud800\n", "1: 'utf-8' codec can't encode .*, expected UNICODE_ESCAPE text"),
        ("utf-16", b"ab", "1: .*, expected UTF-16 text"),
        ("utf-8", b"a\rb", r"1: got \\r alone between lines, expected \\n: .*"),
        ("utf-8", b"\xef\xbb\xbfa\rb\r", r"1: got \\r alone between lines, expected \\n: .*"),
        ("utf-8", b"a\rb\n", r"1: got \\r alone between lines, expected \\n: .*"),
        ("utf-8", b"a\n\0b\n", r"2: got the character \\0, expected text: is its encoding utf-16le or utf-16be\?"),
    ],
)
def test_bytes_that_are_no_text(tmp_path, encoding, data, message):
    path = tmp_path / "texts"
    path.write_bytes(data)
    with pytest.raises(FileError, match=f":{message}$"):
        list(LineFile(str(path), encoding))


def test_batches_end_at_segments_or_characters(tmp_path):
    write_corpus(tmp_path, 10, "1234567")
    paths = [str(tmp_path / name) for name in ("s.txt", "o.txt", "r.txt")]

    def sizes(**limits):
        parts = list(batches(read_texts(paths[0], paths[1:2], paths[2:]), **limits))
        assert [row.source for batch in parts for row in batch] == [f"1234567 {number}" for number in range(10)]
        return list(map(len, parts))

    assert sizes() == [10]
    assert sizes(most=5) == [5, 5]
    assert sizes(most=4) == [4, 4, 2]
    assert sizes(characters=80) == [3, 3, 3, 1]


def test_segments_of_several_systems(tmp_path):
    write_corpus(tmp_path, 5, "x")
    (tmp_path / "o2.txt").write_text("\n".join("abcde"))
    paths = [str(tmp_path / name) for name in ("s.txt", "o.txt", "o2.txt", "r.txt")]
    segments = read_texts(paths[0], paths[1:3], [paths[3], paths[0]])
    columns = gather(batches(segments, most=2), ["one", "other"])
    texts = [f"x {number}" for number in range(5)]
    assert columns == (texts, {"one": texts, "other": list("abcde")}, [[text, text] for text in texts])


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"PK\x03\x04", "an .xlsx or zip file"), (b"PAR1", "Parquet"), (b"\xd0\xcf\x11\xe0", "an .xls or .doc file")],
)
def test_what_is_no_text_is_named(tmp_path, data, kind):
    path = tmp_path / "texts"
    path.write_bytes(data + bytes(99))
    with pytest.raises(FileError, match=f": got {kind}, expected text: save it as CSV$"):
        list(LineFile(str(path)))


def test_a_line_has_a_limit(monkeypatch):
    monkeypatch.setattr(reading, "LONGEST_LINE", 1_000)
    with pytest.raises(
        FileError, match=r"^/dev/zero:1: got a line of 1,000 characters or more, expected a shorter one$"
    ):
        list(LineFile("/dev/zero"))
