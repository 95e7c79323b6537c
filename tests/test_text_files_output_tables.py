"""Tables: what separated values, JSON, .xlsx and .parquet hold, and their faults in one line."""

import csv
import gzip
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from sari.text_files.column_names import named_columns
from sari.text_files.errors import FileError, OptionError
from sari.text_files.output_tables import read_output_table
from sari.text_files.reading import naming

TABLE = (
    (['a "big", old\nhouse', "b"], ["a house", ""], [["an old house", "the house"], ["c"]]),
    ["ours", "theirs"],
    [3.5, -1],
)
CSV = (
    "number,Source, output ,reference_1,reference_2,system,rating\n"
    '1,"a ""big"", old\nhouse",a house,an old house,the house,ours,3.5\n\n'
    "2,b,,,c,theirs,-1\n"
)
JSON = """\
{"source": "a \\"big\\", old\\nhouse", "output": "a house", "references": ["an old house", "the house"], \
"system": "ours", "rating": 3.5}

{"source": "b", "output": "", "reference_1": "d", "references": "c", "rating": -1, "system": "theirs", "more": null}
"""
FRAME = pd.DataFrame(
    {
        "Source": TABLE[0][0],
        "output": TABLE[0][1],
        "reference_1": ["an old house", ""],
        "reference_2": ["the house", "c"],
        "system": TABLE[1],
        "rating": TABLE[2],
    }
)


ROWS = "a JSON array of rows, or a row per line"
OBJECT = f": got a JSON object of columns or other values, expected {ROWS}"


def write_table(folder, name, text):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return str(path)


def read(path, *, rating=None, **options):
    """Return texts, systems and ratings."""
    table = read_output_table(path, numbers={"rating": [rating]} if rating else None, **options)
    texts = map(list, zip(*((row.source, row.prediction, row.references) for row in table.rows), strict=True))
    systems = [row.system for row in table.rows] if table.columns.system else None
    return (*texts,), systems, [row.numbers["rating"] for row in table.rows] if rating else None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", CSV),
        ("t.csv.gz", CSV),
        ("t.tsv", FRAME.to_csv(sep=";")),
        ("t.csv", FRAME.to_csv(sep="|")),
        ("t.csv", CSV.replace("rating\n", "rating,,\n")),
        ("t.csv", CSV.replace("theirs,-1", "theirs,-1,,")),
        ("t", FRAME.to_csv(sep="\t")),
        ("t.csv", JSON),
        ("t.json", f"\n [{JSON.replace('}', '},', 1)}]"),
    ],
)
def test_every_kind_of_text_holds_the_same(tmp_path, name, text):
    assert read(write_table(tmp_path, name, text), rating="rating") == TABLE


def test_every_kind_that_pandas_reads_holds_the_same(tmp_path):
    FRAME.to_excel(tmp_path / "t.XLSX", index=False, engine="openpyxl")
    lists = FRAME.rename(columns={"Source": "source"}).assign(references=TABLE[0][2])
    lists.drop(columns=["reference_1", "reference_2"]).to_parquet(tmp_path / "t.parquet")
    FRAME.assign(reference_1=["an old house", None]).to_parquet(tmp_path / "more.parquet")
    for name in ("t.XLSX", "t.parquet", "more.parquet"):
        assert read(str(tmp_path / name), rating="rating") == TABLE
    with pd.ExcelWriter(tmp_path / "sheets.xlsx") as book:
        for name, rows in {"empty": 0, "two": 2, "one": 1}.items():
            FRAME.head(rows).to_excel(book, sheet_name=name)
            book.book.save(tmp_path / f"{name}.xlsx")
    assert read(str(tmp_path / "two.xlsx"), rating="rating") == TABLE
    FRAME.assign(reference_2="").to_excel(tmp_path / "one.xlsx", index=False)
    messages = {"empty": "no rows, ", "sheets": "got sheets 'two', 'one', expected a ", "one": "row 2: references: "}
    (tmp_path / "pointer.xlsx").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    messages["pointer"] = "got a pointer of Git LFS, expected the file that it stands for: git lfs pull"
    for name, message in messages.items():
        with pytest.raises(FileError, match=f"{name}.xlsx: {message}"):
            read(str(tmp_path / f"{name}.xlsx"))
    years = pd.DataFrame({"source": [1999, "NA"], "output": [2000, "b"], "reference": [2001, "c"], "system": [1, 2]})
    years.to_excel(tmp_path / "years.xlsx", index=False)
    assert read(str(tmp_path / "years.xlsx")) == ((["1999", "NA"], ["2000", "b"], [["2001"], ["c"]]), ["1", "2"], None)


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL], ids=["pandas", "R"])
def test_quotes_of_tsv_are_read_as_they_were_written(tmp_path, quoting):
    texts = ['"', 'a "b" c', '"a"', '"a", b', "a\tb", "a\nb", 'a"', '""', "", "a b " * 50_000]
    frame = pd.DataFrame({"source": texts, "output": "x", "reference": "y"})
    path = write_table(tmp_path, "t.tsv", frame.to_csv(sep="\t", index=False, quoting=quoting))
    assert read(path)[0][0] == texts


@pytest.mark.parametrize(
    "text", [['"a', '"b" c'], ['"a b."', 'a, "b"'], ["a", '"b" c'], ['a"', '""a""'], ['"a, b"', 'c"']]
)
def test_quotes_of_plain_texts_are_texts(tmp_path, text):
    path = write_table(tmp_path, "t.tsv", f"source\tprediction\treferences\r\n{text[0]}\t{text[1]}\tc\r\n")
    assert read(path) == (([text[0]], [text[1]], [["c"]]), None, None)


SYSTEMS = """system,source,output,reference_1,reference_2
b,s1,o1,r1,q
a,s2,x2,r2,
b,s2,o2,r2,
a,s1,x1,q,r1
b,s1,o3,r1,q
a,s1,x3,r1,q
"""


def test_systems_stand_in_the_order_of_the_table(tmp_path):
    outputs = {"b": ["o1", "o2", "o3"], "a": ["x1", "x2", "x3"]}
    columns = read_output_table(write_table(tmp_path, "t.csv", SYSTEMS)).by_system("no column of systems").columns
    assert list(columns.predictions) == ["b", "a"]
    assert columns == (["s1", "s2", "s1"], outputs, [["r1", "q"], ["r2"], ["r1", "q"]])
    one = read_output_table(write_table(tmp_path, "one.csv", SYSTEMS.replace("system", "number")))
    with pytest.raises(OptionError, match=r"got 2 sources with several outputs, expected .*such as number$") as error:
        one.by_system("one")
    assert error.value.value == "system=number"


@pytest.mark.parametrize(
    ("change", "line"), [("a,s2,x2,r2,\n", 3), ("a,s1,x3,r1,q\n", 6), ("b,s2,o2,r2,\n", 3), ("b,s1,o3,r1,q\n", 6)]
)
def test_systems_without_the_same_segments_are_refused_by_name_and_line(tmp_path, change, line):
    path = write_table(tmp_path, "t.csv", SYSTEMS.replace(change, ""))
    message = f"{path}:{line}: got a source and references that 'b' and 'a' do not have equally often, expected the"
    with pytest.raises(FileError, match=f"^{re.escape(message)}"):
        read_output_table(path).by_system("x")


def row(**change):
    return json.dumps({"source": "a", "output": "b", "references": "c", **change})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", ": no rows, expected at least one"),
        ("t.csv", "source,reference\na,b\n", ": no column for prediction among source, reference"),
        ("t.csv", "output,prediction\na,b\n", ": got columns 'output' and 'prediction', expected one of them"),
        ("t.csv", "source,source\na,b\n", ": got columns 'source' and 'source', expected one of them"),
        ("t.csv", "source,output\na,b\n", ": no column for references among source, output"),
        ("t.csv", "source,output,reference\na,b\n", ":2: got 2 cells, expected 3 (as in the first line)"),
        ("t.csv", "source,output,reference\na,b,c,d\n", ":2: got 4 cells, expected 3 (as in the first line)"),
        ("t.html", FRAME.to_html(), f": got HTML or XML, expected {ROWS}"),
        *(("t.json", FRAME.to_json(orient=orient), OBJECT) for orient in ("columns", "index", "split", "table")),
        ("t.json", FRAME.to_json(orient="columns", indent=1), OBJECT),
        ("t.json", json.dumps(FRAME.to_dict("list")), OBJECT),
        ("t.json", json.dumps({"status": "ok", "data": FRAME.to_dict("records")}), OBJECT),
        ("t.json", FRAME[:1].to_json(orient="records", lines=True, indent=1), OBJECT),
        ("t.csv", 'source,output,reference\n"a"b,c,d\n', ":2: not CSV: "),
        ("t.csv", 'source,output,reference\n"a\nb",c,d\n"e\nf",g, \n', ":4: references: got no reference, "),
        ("t.csv", "source,output,reference,rating\na,b,c,?\n", ":2: rating: got '?', expected a number"),
        ("t.tsv", 'source\toutput\treference\n"a, b"\tc\td\n', ":2: got '\"a, b\"', expected CSV or JSON, "),
        ("t.tsv", 'source\toutput\treference\nb\t"a \\"b\\""\td\n', ':2: got \'"a \\\\"b\\\\""\', expected CSV or '),
        ("t.xlsx", "", ": "),
        ("t.jsonl", '{"source": "a"', ":1: not JSON: Expecting ',' delimiter: line 1 column 15"),
        ("t.jsonl", "[1]", ": row 1: got 1, expected a JSON array of rows, or a row per line"),
        ("t.csv", '[{"source": "a",\n]', ": not JSON: "),
        ("t.jsonl", "[" * 9_999, ": not JSON: "),
        ("t.jsonl", "{}", OBJECT),
        ("t.jsonl", row() + '\n{"source": "a"}', ":2: output: got a missing value (None), expected str"),
        ("t.jsonl", row(references=[True]), ":1: references[0]: got bool, expected str"),
        ("t.jsonl", row(system=5.0), ":1: system: got float, expected str"),
        ("t.csv", "source,output,reference,system\na,b,c, \n", ":2: system: got no name, expected that of a system"),
    ],
)
def test_faults(tmp_path, name, text, message):
    path = write_table(tmp_path, name, text)
    with naming(lambda path: Path(path).name), pytest.raises(FileError) as fault:
        read(path, rating="rating" if "rating" in text else None)
    assert str(fault.value).startswith(f"{name}{message}")
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("(1).csv", "Source,System,Label,ref b,ref a\na,x,5,y,b\nc,,6,z,\n"),
        (
            "(1).jsonl",
            '{"Source": "a", "System": "x", "ref a": "b", "ref b": ["y"], "Label": 5, "output": 1, "rating": "x"}\n'
            '{"Source": "c", "System": "", "ref a": [], "ref b": "z", "Label": "6"}\n',
        ),
    ],
)
def test_columns_of_other_names(tmp_path, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)  # a long path would leave less of a message
    path = write_table(Path(), name, text)
    columns = named_columns(["Source", "System", "ref a", "ref b"])
    found = read(path, columns=columns, rating="Label")
    assert found == ((["a", "c"], ["x", ""], [["b", "y"], ["z"]]), None, [5, 6])
    with pytest.raises(FileError, match=r": no column 'Systems' among Source, "):
        read(path, columns=named_columns(["Source", "Systems", "ref a"]))
    with pytest.raises(FileError, match=r": no column 'grammar' among Source, "):
        read(path, columns=columns, rating="grammar")


@pytest.mark.parametrize("name", ["Rating", "simplicity"])
def test_ratings_are_read_where_they_are_asked_for(tmp_path, name):
    path = write_table(tmp_path, "t.jsonl", row(**{name: 2}) + "\n" + row(**{name: True}))
    assert read(path)[2] is None
    with pytest.raises(FileError, match=f":2: {name}: got True, expected a number$"):
        read(path, rating=name)
