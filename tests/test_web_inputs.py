"""What visitors send: lists, pasted lines and files, checked against the limits."""

import gzip
import json

import pytest

from sari.variants import VARIANTS
from sari.web import inputs
from sari.web.answers import explain_segment, score_each_segment
from sari.web.file_tab import DOWNLOADS
from sari.web.inputs import MAX_REFERENCES, MAX_SEGMENTS, MAX_SYSTEMS, RefusedError


def refused(function, *arguments):
    """Return why it is refused."""
    with pytest.raises(RefusedError) as refusal:
        function(*arguments)
    return str(refusal.value)


def test_pasted_lines():
    columns = inputs.corpus_of_lines("a\nb\n", "\nc\n", "d\te\nf").columns
    assert columns._asdict() == {"sources": ["a", "b"], "predictions": ["", "c"], "references": [["d", "e"], ["f"]]}
    last_empty = inputs.corpus_of_lines("a\nb\nc\n", "d\n\n", "e\nf\ng").columns
    assert last_empty.predictions == ["d", "", ""]
    assert refused(inputs.corpus_of_lines, "a", " ", "b") == "Please paste the outputs: one line for each segment."
    assert refused(inputs.corpus_of_lines, "a\nb", "c", "d\ne") == (
        "The outputs have 1 line, expected 2 (as in sources)."
    )


@pytest.fixture
def files(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, data):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return str(path)

    return write


def test_text_files_of_one_system(files):
    sources, outputs, references = (files(name, f"{name}\n".encode() * 300) for name in ("s", "o", "r"))
    columns = inputs.corpus_of_files(sources, outputs, [references, sources]).columns
    assert columns.predictions == ["o"] * 300
    assert columns.references[0] == ["r", "s"]
    assert refused(inputs.corpus_of_files, None, outputs, []) == "Please choose the sources."
    assert refused(inputs.corpus_of_files, sources, outputs, []) == "Please choose at least one file of references."


def test_faults_name_files_without_their_folders(files):
    two, one = files("a/two.txt", b"x\ny\n"), files("b/one.txt", b"x\n")
    assert refused(inputs.corpus_of_files, two, one, [two]) == (
        "one.txt:2: the file has 1 line, expected 2 as in two.txt"
    )
    assert refused(inputs.corpus_of_table, one).startswith("one.txt:1: not JSON: ")
    large = files("large.txt", b"x" * 10_000_001)
    assert refused(inputs.corpus_of_table, large).startswith("That is 10.0 MB; this page takes 10 MB at a time.")


def test_gzipped_files_are_read_within_the_limit(files):
    two, packed = files("two.txt", b"x\ny\n"), files("packed.gz", gzip.compress(b"a\nb\n"))
    columns = inputs.corpus_of_files(two, packed, [two]).columns
    assert columns.predictions == ["a", "b"]
    bomb = files("bomb.gz", gzip.compress(b"x" * 30_000_000))
    assert refused(inputs.corpus_of_files, two, bomb, [two]).startswith("That is 10.5 MB; this page takes 10 MB at")
    damaged = files("damaged.gz", gzip.compress(b"a\nb\n")[:-6])
    assert refused(inputs.corpus_of_files, two, damaged, [two]).startswith("damaged.gz:")


def test_tabs_between_the_references_of_a_line(files):
    texts, tabs = files("s.txt", b"a\nb\n"), files("r.tsv", b"c\td\ne\n")
    columns = inputs.corpus_of_files(texts, texts, [tabs]).columns
    assert columns.references == [["c", "d"], ["e"]]


@pytest.mark.parametrize("name", ["..txt", ".txt", ".gz", "a b.txt"])
def test_text_files_with_strange_names(files, name):
    path = files(name, b"a\n")
    columns = inputs.corpus_of_files(path, path, [path]).columns
    assert columns.sources == ["a"]
    assert all(inputs.systems_of_files(path, [path, path], [path]).columns.predictions)


def test_names_of_systems(files):
    texts, first, second = (files(name, name.encode()) for name in ("s.txt", "out.txt", "other.txt"))
    named = inputs.systems_of_files(texts, [first, second], [texts], (), "ours\n\n theirs \n").columns
    assert named.predictions == {"ours": ["out.txt"], "theirs": ["other.txt"]}
    unnamed = inputs.systems_of_files(texts, [first, second], [texts], (), " \n").columns
    assert list(unnamed.predictions) == ["out", "other"]
    for names in ("ours", "a\nb\nc"):
        assert refused(inputs.systems_of_files, texts, [first, second], [texts], (), names) == (
            f"names: got {len(names.split())}, expected 2, one for each system, or none"
        )
    assert refused(inputs.systems_of_files, texts, [first, second], [texts], (), "ours\nours") == (
        "names: got ours, ours, expected names that are all different"
    )


def test_text_files_of_several_systems(files):
    texts, first, second = (files(name, name.encode()) for name in ("s.txt", "a/out.txt", "b/out.txt"))
    assert inputs.systems_of_files(texts, [first, second], [texts]).columns._asdict() == {
        "sources": ["s.txt"],
        "predictions": {"out": ["a/out.txt"], "out (2)": ["b/out.txt"]},
        "references": [["s.txt"]],
    }
    many = [first] * (MAX_SYSTEMS + 1)
    assert refused(inputs.systems_of_files, texts, many, [texts]).startswith("That is 21 systems; this page takes 20")
    long = files("long.txt", b"x\n" * (MAX_SEGMENTS + 1))
    assert refused(inputs.systems_of_files, long, [long], [long]).startswith("That is more than 5,000")


def test_so_many_references_are_refused_wherever_they_come_from(files):
    most, more = "\t".join("c" * MAX_REFERENCES), "\t".join("c" * (MAX_REFERENCES + 1))
    line = "That is 101 references of a segment; this page takes 100 at a time."
    texts, tabs = files("s.txt", b"a\n"), files("r.tsv", more.encode())
    assert len(inputs.corpus_of_lines("a", "b", most).columns.references[0]) == MAX_REFERENCES
    assert refused(inputs.corpus_of_lines, "a", "b", more).startswith(line)
    assert refused(inputs.corpus_of_files, texts, texts, [tabs]).startswith(line)
    table = files("t.jsonl", json.dumps({"source": "a", "output": "b", "references": more.split("\t")}).encode())
    assert refused(inputs.corpus_of_table, table).startswith(line)
    assert refused(inputs.columns_of_lists, ["a"], ["b"], [more.split("\t")]).startswith(line)
    assert refused(inputs.systems_of_lists, ["a"], {"x": ["b"]}, [more.split("\t")]).startswith(line)
    assert refused(explain_segment, "a", "b", more.split("\t"), VARIANTS["easse"]).startswith(line)


TABLE = (
    b"source,system,output,reference_1,reference_2,rating\n"
    b"a,x,b,c,d,1\ne,x,f,g,,2\na,x,b2,c,d,3\n"
    b"e,y,h,g,,4\na,y,i,c,d,5\na,y,j,c,d,6\n"
)


def test_tables_of_one_corpus(files):
    corpus = inputs.corpus_of_table(files("t.csv", TABLE))
    assert corpus.columns.predictions == ["b", "f", "b2", "h", "i", "j"]
    assert corpus.columns.references[:2] == [["c", "d"], ["g"]]
    assert corpus.ratings == [1, 2, 3, 4, 5, 6]
    assert inputs.corpus_of_table(files("t.jsonl", b'{"source":"a","output":"b","references":"c"}')).ratings is None
    some = b'{"source":"a","output":"b","references":"c"}\n{"source":"a","output":"b","references":"c","rating":1}\n'
    assert refused(inputs.corpus_of_table, files("t.jsonl", some)) == "t.jsonl: rating[0]: got None, expected a number"
    assert refused(inputs.corpus_of_table, None) == "Please choose a table."


def test_what_is_downloaded_can_be_opened_again(files):
    texts = (["a, b", "c"], ['a "b"', ""], [["a\nb", "b"], ["c"]])
    scored = score_each_segment(inputs.columns_of_lists(*texts), VARIANTS["hf"])
    columns = inputs.corpus_of_table(files("t.csv", DOWNLOADS[".csv"](scored).encode())).columns
    assert tuple(columns) == texts


def test_tables_of_systems_in_any_order(files):
    columns, ratings = inputs.systems_of_table(files("t.csv", TABLE))
    assert columns._asdict() == {
        "sources": ["a", "e", "a"],
        "predictions": {"x": ["b", "f", "b2"], "y": ["i", "h", "j"]},
        "references": [["c", "d"], ["g"], ["c", "d"]],
    }
    assert ratings == {"x": [1, 2, 3], "y": [5, 4, 6]}
    renamed = inputs.systems_of_table(files("t.csv", TABLE), "first\nsecond")
    assert list(renamed.columns.predictions) == list(renamed.ratings) == ["first", "second"]
    assert inputs.names_in_table(files("t.csv", TABLE)) == ["x", "y"]
    assert inputs.names_in_table(files("bad.csv", b"")) == inputs.names_in_table(None) == []


def test_tables_of_systems_that_are_refused(files):
    none = files("t.csv", b"source,output,reference\na,b,c\n")
    assert refused(inputs.systems_of_table, none).startswith("There is no column system in the table")
    unlike = files("t.csv", TABLE.rpartition(b"a,y")[0])
    assert refused(inputs.systems_of_table, unlike).startswith("y has 2 rows, x has 3, and their sources or references")
    many = b"".join(b"a,%d,b,c\n" % number for number in range(MAX_SYSTEMS + 1))
    assert refused(inputs.systems_of_table, files("t.csv", b"source,system,output,reference\n" + many)).startswith(
        "That is 21 systems; this page takes 20"
    )
    long = files("t.csv", b"source,system,output,reference\n" + b"a,x,b,c\n" * (MAX_SEGMENTS + 1))
    assert refused(inputs.systems_of_table, long).startswith("That is 5,001 segments; this page takes 5,000")


def test_ratings_in_further_files(files):
    texts, ratings, other = files("s.txt", b"a\nb\n"), files("r.txt", b"1\n2.5\n"), files("r2.txt", b"3\n4\n")
    assert inputs.corpus_of_files(texts, texts, [texts], ratings).ratings == [1, 2.5]
    assert inputs.corpus_of_files(texts, texts, [texts]).ratings is None
    rated = inputs.systems_of_files(texts, [texts, texts], [texts], [ratings, other], "x\ny")
    assert rated.ratings == {"x": [1, 2.5], "y": [3, 4]}
    assert inputs.systems_of_files(texts, [texts], [texts]).ratings is None
    assert refused(inputs.systems_of_files, texts, [texts, texts], [texts], [ratings]) == (
        "ratings: got 1 files, expected 2: one for each file of outputs"
    )
    short, words = files("short.txt", b"1\n"), files("words.txt", b"1\ngood\n")
    assert refused(inputs.corpus_of_files, texts, texts, [texts], short) == (
        "short.txt: the file has 1 line, expected 2 as in s.txt"
    )
    assert refused(inputs.corpus_of_files, texts, texts, [texts], words) == (
        "words.txt:2: got 'good', expected a number"
    )
