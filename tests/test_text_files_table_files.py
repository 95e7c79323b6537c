"""Tables: what CSV, TSV and JSON Lines hold, and their faults in one line."""

import gzip
import json

import pytest

from sari.text_files.errors import FileError
from sari.text_files.table_files import OutputTable, read_output_table

TABLE = OutputTable(
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
"system": "ours", "ratings": 3.5}

{"source": "b", "output": "", "Source": 1, "references": "c", "ratings": -1, "system": "theirs", "more": null}
"""


def write_table(folder, name, text):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"), [("t.csv", CSV), ("t.CSV", CSV), ("t.csv.gz", CSV), ("t.jsonl", JSON), ("t", JSON)]
)
def test_csv_and_json_lines_hold_the_same(tmp_path, name, text):
    assert read_output_table(write_table(tmp_path, name, text)) == TABLE


def test_quotes_of_tsv_are_quotes(tmp_path):
    path = write_table(tmp_path, "t.tsv", 'source\tprediction\treferences\r\n"a\tb"\t"c"\r\n')
    assert read_output_table(path) == ((['"a'], ['b"'], [['"c"']]), None, None)


def row(**change):
    return json.dumps({"source": "a", "output": "b", "references": "c", **change})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", ": no rows, expected at least one below the first line"),
        ("t.csv", "source,output,reference\n", ": no rows, expected at least one below the first line"),
        ("t.csv", "source,reference\na,b\n", ": no column 'prediction' among source, reference, expected source, "),
        (
            "t.csv",
            "source,output,prediction,reference\na,b,c,d\n",
            ": columns: got output and prediction, expected one of them",
        ),
        ("t.csv", "source,output\na,b\n", ": no column 'references' among source, output, expected "),
        (
            "t.csv",
            "source,output,source,reference\na,b,c,d\n",
            ": columns: got source and source, expected one of them",
        ),
        ("t.csv", "source,output,reference\na,b\n", ":2: got 2 cells, expected 3 (as in the first line)"),
        ("t.csv", "source,output,reference\na,b, \n", ": references[0]: got no reference, expected at least one"),
        ("t.csv", 'source,output,reference\n"a"b,c,d\n', ":2: not CSV: "),
        ("t.csv", "source,output,reference,rating\na,b,c,\n", ": ratings[0]: got '', expected a number"),
        ("t.csv", "source,output,reference,rating\na,b,c,nan\n", ": ratings[0]: got 'nan', expected a number"),
        (
            "t.csv",
            "source,output,reference,rating,ratings\na,b,c,1,2\n",
            ": columns: got rating and ratings, expected one of them",
        ),
        ("t.jsonl", "", ": no rows, expected at least one"),
        ("t.jsonl", '{"source": "a"', ":1: not JSON: Expecting ',' delimiter: line 1 column 15"),
        ("t.jsonl", "[1]", ":1: got [1], expected a JSON object in each line, or a name that ends in .csv or .tsv"),
        ("t.jsonl", '{"output": "a", "prediction": "b"}', ": columns: got output and prediction, expected one of them"),
        ("t.jsonl", '{"Source": "a"}', ": no column 'source' among Source, expected source, "),
        ("t.jsonl", "[" * 100_000, ":1: not JSON: "),
        ("t.jsonl", "1" * 5_000, ":1: not JSON: "),
        ("t.jsonl", "{}", ": no column 'source' among none, expected source, prediction (or output) and references"),
        ("t.jsonl", row() + "\n" + row(source=None), ": sources[1]: got a missing value (None), expected str"),
        ("t.jsonl", row() + '\n{"source": "a"}', ": predictions[1]: got a missing value (None), expected str"),
        ("t.jsonl", row(references=["c", True]), ": references[0][1]: got bool, expected str"),
        ("t.jsonl", row(references=[]), ": references[0]: got no reference, expected at least one"),
        ("t.jsonl", row(output="a\ud83d"), ": predictions[0]: got a lone surrogate '\\ud83d' at character 1"),
        ("t.jsonl", row(system=5), ": system[0]: got int, expected str"),
        ("t.jsonl", row(ratings=[1]), ": ratings[0]: got [1], expected a number"),
    ],
)
def test_faults(tmp_path, name, text, message):
    path = write_table(tmp_path, name, text)
    with pytest.raises(FileError) as fault:
        read_output_table(path)
    assert str(fault.value).startswith(f"{path}{message}")
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "Source,simple,Label,ref b,ref a\na,x,5,y,b\nc,,6,z,\n"),
        ("t.tsv", "Label\tref b\tref a\tSource\tsimple\n5\ty\tb\ta\tx\n6\tz\t\tc\t\n"),
        (
            "t.jsonl",
            '{"Source": "a", "simple": "x", "ref a": "b", "ref b": ["y"], "Label": 5, "output": 1, "rating": "x"}\n'
            '{"Source": "c", "simple": "", "ref a": [], "ref b": "z", "Label": "6"}\n',
        ),
    ],
)
def test_columns_of_other_names(tmp_path, name, text):
    path = write_table(tmp_path, name, text)
    columns = ["Source", "simple", "ref a", "ref b"]
    found = read_output_table(path, columns=columns, rating="Label")
    assert found == ((["a", "c"], ["x", ""], [["b", "y"], ["z"]]), None, [5, 6])
    with pytest.raises(FileError, match=r": no column 'simpler' among .*, expected Source, simpler, ref a$"):
        read_output_table(path, columns=["Source", "simpler", "ref a"])
    with pytest.raises(FileError, match=r": no column 'grammar' among .*, expected ratings there$"):
        read_output_table(path, columns=columns, rating="grammar")
