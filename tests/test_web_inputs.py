"""What visitors send: lists and files, checked against the limits, refused in one line."""

import gzip
import json

import pytest

from sari.web import inputs
from sari.web.inputs import MAX_REFERENCES, MAX_SEGMENTS, MAX_SYSTEMS, TABLE, TEXT_FILES, FilePaths, RefusedError

TABLE_OF_TWO = (
    b"source,system,output,reference_1,reference_2\na,x,b,c,d\ne,x,f,g,\na,x,b2,c,d\ne,y,h,g,\na,y,i,c,d\na,y,j,c,d\n"
)
MANY_REFERENCES = "\t".join("c" * (MAX_REFERENCES + 1))


@pytest.fixture
def files(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, data):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return str(path)

    return write


def lines(sources, outputs, *references):
    return FilePaths(TEXT_FILES, sources, outputs, list(references))


def table(path):
    return FilePaths(TABLE, table=path)


def test_text_files(files):
    texts, first, second = (files(name, name.encode()) for name in ("s.txt", "a/out.txt", "b/out.txt"))
    tabs = files("r.tsv", b"c\td")
    assert lines(texts, [first, second], texts, tabs).read()._asdict() == {
        "sources": ["s.txt"],
        "predictions": {"out": ["a/out.txt"], "out (2)": ["b/out.txt"]},
        "references": [["s.txt", "c", "d"]],
    }
    packed = files("packed.txt.gz", gzip.compress(b"b"))
    assert lines(texts, [packed], texts).read().predictions == {"packed": ["b"]}


@pytest.mark.parametrize("name", ["..txt", ".txt", ".gz", "a b.txt"])
def test_text_files_with_strange_names(files, name):
    path = files(name, b"a\n")
    assert list(lines(path, [path, path], path).read().predictions.values()) == [["a"], ["a"]]


def test_files_that_the_page_hides_are_left_alone(files):
    """Neither their bytes nor their being gone count, whatever kind they are of."""
    good, large, rows = files("a.txt", b"a\n"), files("large.txt", b"x" * 10_000_001), files("t.csv", TABLE_OF_TWO)
    assert FilePaths(TEXT_FILES, good, [good], [good], large).read().sources == ["a"]
    assert FilePaths(TABLE, f"{good}.gone", [large], [large] * 30, rows).read().sources == ["a", "e", "a"]


def test_tables(files):
    assert table(files("t.csv", TABLE_OF_TWO)).read()._asdict() == {
        "sources": ["a", "e", "a"],
        "predictions": {"x": ["b", "f", "b2"], "y": ["i", "h", "j"]},
        "references": [["c", "d"], ["g"], ["c", "d"]],
    }
    one = table(files("muss.jsonl", b'{"source":"a","output":"b","references":"c"}')).read()
    assert one.predictions == {"muss": ["b"]}


def test_a_test_set_by_its_name(tmp_path, files, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files("facebook/asset.txt", b"")  # the folder is there
    rows = [{"original": "a", "simplifications": ["b", "c"]}, {"original": "d", "simplifications": ["e"]}]
    files("facebook/test.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    row = inputs.NAMED_SETS["asset"]._replace(path="facebook", configuration=None)
    monkeypatch.setitem(inputs.NAMED_SETS, "asset", row)
    outputs = [files("o.txt", b"x\ny\n")]
    assert FilePaths("ASSET, test", outputs=outputs).read()._asdict() == {
        "sources": ["a", "d"],
        "predictions": {"o": ["x", "y"]},
        "references": [["b", "c"], ["e"]],
    }


def bad_files(files):
    """Yield files that are refused, and how the line begins."""
    two, one = files("a/two.txt", b"x\ny\n"), files("b/one.txt", b"x\n")
    long, large = files("long.txt", b"x\n" * (MAX_SEGMENTS + 1)), files("large.txt", b"x" * 10_000_001)
    bomb = files("bomb.gz", gzip.compress(b"x" * 30_000_000))
    damaged = files("damaged.gz", gzip.compress(b"a\nb\n")[:-6])
    tabs = files("r.tsv", MANY_REFERENCES.encode())
    header = b"source,system,output,reference\n"
    many = b"".join(b"a,%d,b,c\n" % number for number in range(MAX_SYSTEMS + 1))
    yield FilePaths(TEXT_FILES), "Please choose the sources."
    yield lines(one, [], one), "Please choose the outputs."
    yield lines(one, [one]), "Please choose at least one file of references."
    yield FilePaths("ASSET, test"), "Please choose the outputs."
    yield FilePaths(TABLE), "Please choose a table."
    yield lines(two, [one], two), "one.txt: number of lines: got 1, expected 2 as in two.txt"  # without their folders
    yield lines(one, [one] * (MAX_SYSTEMS + 1), one), "That is more than 20 systems, all that this page takes."
    yield lines(long, [long], long), "That is more than 5,000 segments, all"
    yield lines(one, [large], one), "That is more than 10 MB, all that this page takes."
    yield lines(two, [bomb], two), "That is more than 10 MB, all that this page takes."
    yield lines(two, [damaged], two), "damaged.gz:"
    yield lines(one, [one], tabs), "That is more than 100 references of a segment, all"
    yield lines(f"{one}.gone", [one], one), "The files have been deleted meanwhile: please choose them again."
    yield table(one), "one.txt: no rows, expected at least one"
    yield (
        table(files(f"{'x' * 200}  .csv", b"a,b\n1,2\n")),
        f"{'x' * 29}…{'x' * 24} .csv: no column 'source' among a, b,",
    )
    yield table(files("t.parquet", b"PAR1")), "t.parquet: got a file .parquet, expected CSV, TSV or JSON Lines"
    yield table(files("t1.csv", TABLE_OF_TWO.rpartition(b"a,y")[0])), "t1.csv:"
    yield table(files("t2.csv", header + many)), "That is more than 20 systems, all that this page takes."
    yield (
        table(files("t3.csv", header + b"a,x,b,c\n" * (MAX_SEGMENTS + 1))),
        "That is more than 5,000 segments, all",
    )


def test_what_is_wrong_with_files_is_said_in_a_line(files):
    for paths, beginning in bad_files(files):
        with pytest.raises(RefusedError) as refusal:
            paths.read()
        assert str(refusal.value).startswith(beginning)
        assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (inputs.segment_of, ("a", "b", MANY_REFERENCES.split("\t"))),
        (inputs.columns_of_lists, (["a"], ["b"], [MANY_REFERENCES.split("\t")])),
        (inputs.systems_of_lists, (["a"], {"x": ["b"]}, [MANY_REFERENCES.split("\t")])),
    ],
)
def test_so_many_references_are_refused_wherever_they_come_from(function, values):
    with pytest.raises(
        RefusedError, match=r"^That is more than 100 references of a segment, all that this page takes\."
    ):
        function(*values)
