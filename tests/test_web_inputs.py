"""What visitors send: lists and files, checked against the limits, refused in one line."""

import gzip
import json

import pytest

from sari.web import inputs
from sari.web.inputs import MAX_SYSTEMS, TABLE, TEXT_FILES, FilePaths, RefusedError


@pytest.fixture
def files(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, data):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return str(path)

    return write


def test_text_files(files):
    texts, first, second = (files(name, name.encode()) for name in ("s.txt", "a/out.txt", "b/out.txt"))
    tabs = files("r.tsv", b"c\td")
    assert FilePaths(TEXT_FILES, texts, [first, second], [texts, tabs]).read().columns._asdict() == {
        "sources": ["s.txt"],
        "predictions": {"out": ["a/out.txt"], "out (2)": ["b/out.txt"]},
        "references": [["s.txt", "c", "d"]],
    }
    packed = files("packed.txt.gz", gzip.compress(b"b"))
    assert FilePaths(TEXT_FILES, texts, [packed], [texts]).read().columns.predictions == {"packed": ["b"]}


def test_files_that_the_page_hides_are_left_alone(files):
    """Neither their bytes nor their being gone count, whatever kind they are of."""
    good, large, rows = (
        files("a.txt", b"a\n"),
        files("large.txt", b"x" * 10_000_001),
        files("t.csv", HEADER + b"b,x,c,d"),
    )
    assert FilePaths(TEXT_FILES, good, [good], [good], large).read().columns.sources == ["a"]
    assert FilePaths(TABLE, f"{good}.gone", [large], [large] * 30, rows).read().columns.sources == ["b"]


def test_a_table_of_one_system_gives_it_the_name_of_the_file(files):
    one = files("muss.jsonl", b'{"source":"a","output":"b","references":"c"}')
    assert FilePaths(TABLE, table=one).read().columns.predictions == {"muss": ["b"]}


def test_a_test_set_by_its_name(tmp_path, files, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files("facebook/asset.txt", b"")  # the folder is there
    rows = [{"original": "a", "simplifications": ["b", "c"]}, {"original": "d", "simplifications": ["e"]}]
    files("facebook/test.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    row = inputs.NAMED_SETS["asset"]._replace(path="facebook", configuration=None)
    monkeypatch.setitem(inputs.NAMED_SETS, "asset", row)
    outputs = [files("o.txt", b"x\ny\n")]
    assert FilePaths("ASSET, test", outputs=outputs).read().columns._asdict() == {
        "sources": ["a", "d"],
        "predictions": {"o": ["x", "y"]},
        "references": [["b", "c"], ["e"]],
    }


ONE, TWO = b"x\n", b"x\ny\n"
HEADER = b"source,system,output,reference\n"
TEXTS = {"sources": {"s": ONE}, "outputs": {"o": ONE}, "references": {"r": ONE}}
TOO_MANY = {str(number): ONE for number in range(MAX_SYSTEMS + 1)}
#: The content of files, by the fields of `FilePaths` and the names of files, and how the line begins that refuses them.
BAD_FILES = [
    (TEXT_FILES, {}, "Please choose the sources."),
    (TEXT_FILES, {**TEXTS, "references": {}}, "Please choose at least one file of references."),
    ("ASSET, test", {}, "Please choose the outputs."),
    (TABLE, {}, "Please choose a table."),
    (TEXT_FILES, {**TEXTS, "sources": {"s": TWO}}, "s: number of lines: got 2, expected 1 as in o;"),
    (TEXT_FILES, {**TEXTS, "outputs": TOO_MANY}, "That is more than 20 systems, all"),
    (TEXT_FILES, {**TEXTS, "outputs": {"o": gzip.compress(b"x" * 30_000_000)}}, "That is more than 10 MB, all"),
    (TEXT_FILES, {**TEXTS, "outputs": {"damaged.gz": gzip.compress(TWO)[:-6]}}, "damaged.gz: "),
    (TABLE, {"table": {"t": b"note," + HEADER + b"x" * 10_000_001 + b",a,x,b,c"}}, "That is more than 10 MB, all"),
    (TABLE, {"table": {"t": b"[" + b"[]," * 1_000_000}}, "That is more than 1,000,000 values, all"),
    (TABLE, {"table": {"t": ("\ufeff\u2003" + "[" * 13).encode()}}, "Its values stand more than 12 deep"),
    (TABLE, {"table": {"t": ("[" * 13).encode("utf-16")}}, "Its values stand more than 12 deep"),
    (TABLE, {"table": {"t.gz": gzip.compress(b"[" * 13)}}, "Its values stand more than 12 deep"),
    (TABLE, {"table": {"t": ONE}}, "t: no rows, expected at least one"),
    (
        TABLE,
        {"table": {f"{'x' * 200}.csv": HEADER[1:] + b"a,b,c,d"}},
        f"{'x' * 29}…{'x' * 26}.csv: no column for",
    ),
    (TABLE, {"table": {"t.parquet": b"PAR1"}}, "t.parquet: got a file .parquet, expected CSV, TSV or JSON"),
]


@pytest.mark.parametrize(("kind", "chosen", "line"), BAD_FILES)
def test_what_is_wrong_with_files_is_said_in_a_line(files, kind, chosen, line):
    paths = {field: [files(f"{field}/{name}", data) for name, data in row.items()] for field, row in chosen.items()}
    paths |= {field: paths[field][0] for field in paths.keys() & {"sources", "table"}}
    with pytest.raises(RefusedError) as refusal:
        FilePaths(kind, **paths).read()
    assert str(refusal.value).startswith(line)
    assert len(str(refusal.value).splitlines()) == 1
