"""Test sets by name, in folders laid out as those of the Hub are."""

import json
import sys

import pytest

from sari.text_files.column_names import ColumnNames
from sari.text_files.errors import FileError
from sari.text_files.named_sets import NAMED_SETS, read_outputs

ROWS = [
    {"original": "a b", "simplifications": ["a", "b"], "other": "c", "number": 1},
    {"original": "c d", "simplifications": ["c"], "other": "d", "number": 2},
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "o.txt").write_text("x\ny\n")
    (tmp_path / "short.txt").write_text("x\n")
    return tmp_path


def opened(*columns, split="test", outputs=("o.txt",)):
    names = ColumnNames(columns[0], (), columns[1:])
    return read_outputs("data", split=split, columns=names, outputs=dict(enumerate(outputs)))


def test_sources_and_references_of_a_folder():
    columns = opened("original", "simplifications", "other", outputs=["o.txt", "o.txt"])
    assert columns == (["a b", "c d"], {0: ["x", "y"], 1: ["x", "y"]}, [["a", "b", "c"], ["c", "d"]])


def test_a_named_set_is_a_row_of_data(monkeypatch):
    row = NAMED_SETS["asset"]
    monkeypatch.setitem(NAMED_SETS, "mine", type(row)(path="data", columns=row.columns))
    columns = read_outputs("mine", split="test", outputs={"one": "o.txt"})
    assert columns.references == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("columns", "how", "message"),
    [
        (("original", "x"), {}, "data: no column 'x' among original, simplifications, other, number"),
        (("original", "number"), {}, "data: references[0][0]: got int, expected str"),
        (("number", "other"), {}, "data: sources[0]: got int, expected str"),
        (("original", "other"), {"split": "dev"}, "data: cannot load split 'dev': Unknown split"),
        (("original", "other"), {"outputs": ["short.txt"]}, "short.txt: number of lines: got 1, expected 2 as in data"),
    ],
)
def test_what_does_not_fit_is_refused(columns, how, message):
    with pytest.raises(FileError) as error:
        opened(*columns, **how)
    assert str(error.value).startswith(message)


def test_a_file_is_no_test_set():
    with pytest.raises(FileError, match=r"^o\.txt: got a file, expected a folder or the name of a data set; "):
        read_outputs("o.txt", split="test", columns=ColumnNames("a", (), ("b",)), outputs={"one": "o.txt"})


def test_without_datasets_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(FileError, match=r"^data: .*: pip install '\.\[evaluate\]'"):
        opened("original", "other")


@pytest.mark.parametrize("name", ["none", "broken"])
def test_a_set_that_cannot_be_loaded_is_refused_in_one_line(tmp_path, name, caplog):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "test.csv").write_text("a,b\n1,2\n1,2,3\n")
    with pytest.raises(FileError, match=f"^{name}: cannot load split 'test': [^\\n]+$"):
        read_outputs(name, split="test", columns=ColumnNames("a", (), ("b",)), outputs={"one": "o.txt"})
    assert caplog.records == []
