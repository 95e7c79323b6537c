"""Corpora as they come: lists, pasted lines and files, checked against the limits."""

import gzip

import pytest

from sari.web import corpora
from sari.web.limits import MAX_SEGMENTS, MAX_SYSTEMS, RefusedError


def refused(function, *arguments):
    """Return why it is refused, also where that shows only as one reads."""
    with pytest.raises(RefusedError) as refusal:
        list(function(*arguments))
    return str(refusal.value)


def test_pasted_lines():
    (batch,) = corpora.batches_of_lines("a\nb\n", "\nc\n", "d\te\nf")
    assert batch._asdict() == {"sources": ["a", "b"], "predictions": ["", "c"], "references": [["d", "e"], ["f"]]}
    (last_empty,) = corpora.batches_of_lines("a\nb\nc\n", "d\n\n", "e\nf\ng")
    assert last_empty.predictions == ["d", "", ""]
    assert refused(corpora.batches_of_lines, "a", " ", "b") == "Please paste the outputs: one line for each segment."
    assert refused(corpora.batches_of_lines, "a\nb", "c", "d\ne") == (
        "The outputs have 1 line, wanted 2, as many as sources."
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


def test_files_of_one_system(files):
    sources, outputs, references = (files(name, f"{name}\n".encode() * 300) for name in ("s", "o", "r"))
    batches = list(corpora.batches_of_files(sources, outputs, [references, sources]))
    assert [len(batch.sources) for batch in batches] == [250, 50]
    assert batches[1].predictions == ["o"] * 50
    assert batches[1].references[0] == ["r", "s"]
    assert refused(corpora.batches_of_files, None, outputs, []) == "Please choose the sources."
    assert refused(corpora.batches_of_files, sources, outputs, []) == "Please choose at least one file of references."


def test_faults_name_files_without_their_folders(files):
    two, one = files("a/two.txt", b"x\ny\n"), files("b/one.txt", b"x\n")
    assert refused(corpora.batches_of_files, two, one, [two]) == (
        "one.txt:2: the file has 1 line, wanted 2 as in two.txt"
    )
    assert refused(corpora.batches_of_jsonl, one).startswith("one.txt:1: not JSON: ")
    large = files("large.txt", b"x" * 10_000_001)
    assert refused(corpora.batches_of_jsonl, large).startswith("That is 10.0 MB; this page takes 10 MB at a time.")


def test_gzipped_files_are_read_within_the_limit(files):
    two, packed = files("two.txt", b"x\ny\n"), files("packed.gz", gzip.compress(b"a\nb\n"))
    (batch,) = corpora.batches_of_files(two, packed, [two])
    assert batch.predictions == ["a", "b"]
    bomb = files("bomb.gz", gzip.compress(b"x" * 30_000_000))
    assert refused(corpora.batches_of_files, two, bomb, [two]).startswith("That is 10.5 MB; this page takes 10 MB at")
    damaged = files("damaged.gz", gzip.compress(b"a\nb\n")[:-6])
    assert refused(corpora.batches_of_files, two, damaged, [two]).startswith("damaged.gz:")


def test_tabs_between_the_references_of_a_line(files):
    texts, tabs = files("s.txt", b"a\nb\n"), files("r.tsv", b"c\td\ne\n")
    (batch,) = corpora.batches_of_files(texts, texts, [tabs])
    assert batch.references == [["c", "d"], ["e"]]


@pytest.mark.parametrize("name", ["..txt", ".txt", ".gz", "a b.txt"])
def test_files_with_strange_names(files, name):
    path = files(name, b"a\n")
    (batch,) = corpora.batches_of_files(path, path, [path])
    assert batch.sources == ["a"]
    assert all(corpora.systems_of_files(path, [path, path], [path]).predictions)


def test_names_of_systems(files):
    texts, first, second = (files(name, name.encode()) for name in ("s.txt", "out.txt", "other.txt"))
    named = corpora.systems_of_files(texts, [first, second], [texts], "ours\n\n theirs \n")
    assert named.predictions == {"ours": ["out.txt"], "theirs": ["other.txt"]}
    for names in ("ours", "", "a\nb\nc"):
        assert list(corpora.systems_of_files(texts, [first, second], [texts], names).predictions) == ["out", "other"]
    assert refused(corpora.systems_of_files, texts, [first, second], [texts], "ours\nours") == (
        "names: got ours, ours, wanted names that are all different"
    )


def test_files_of_several_systems(files):
    texts, first, second = (files(name, name.encode()) for name in ("s.txt", "a/out.txt", "b/out.txt"))
    assert corpora.systems_of_files(texts, [first, second], [texts])._asdict() == {
        "sources": ["s.txt"],
        "predictions": {"out": ["a/out.txt"], "out (2)": ["b/out.txt"]},
        "references": [["s.txt"]],
    }
    many = [first] * (MAX_SYSTEMS + 1)
    assert refused(corpora.systems_of_files, texts, many, [texts]).startswith("That is 21 systems; this page takes 20")
    long = files("long.txt", b"x\n" * (MAX_SEGMENTS + 1))
    assert refused(corpora.systems_of_files, long, [long], [long]).startswith("That is 5,")


def test_lists_of_several_systems():
    systems = corpora.systems_of_lists(("a",), {"x": ["b"]}, ["c"])
    assert systems._asdict() == {"sources": ["a"], "predictions": {"x": ["b"]}, "references": [["c"]]}
    assert refused(corpora.systems_of_lists, ["a"], ["b"], ["c"]).startswith("predictions: got list, wanted a dict")
