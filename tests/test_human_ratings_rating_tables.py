"""Tables: what CSV, TSV and JSON Lines say, and their faults in one line."""

import gzip
import json

import pytest

from sari.human_ratings.rating_tables import TableRow, read_objects, read_table
from sari.text_files.errors import FileError

ROWS = [
    TableRow('a "big", old\nhouse', "a house", ["an old house", "the house"], "ours", 3.5),
    TableRow("b", "", ["c"], "theirs", -1.0),
]
CSV = (
    "number,Source, output ,reference_1,reference_2,system,rating\n"
    '1,"a ""big"", old\nhouse",a house,an old house,the house,ours,3.5\n\n'
    "2,b,,,c,theirs,-1\n"
)


def write_table(folder, name, text):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return str(path)


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz"])
def test_csv(tmp_path, name):
    assert list(read_table(write_table(tmp_path, name, CSV))) == ROWS


def test_json_lines_say_the_same(tmp_path):
    objects = [json.dumps(row._asdict()).replace('"rating"', '"ratings"') for row in ROWS]
    path = write_table(tmp_path, "t.jsonl", "\n".join(objects))
    assert list(read_table(path)) == ROWS


def test_quotes_of_tsv_are_quotes(tmp_path):
    path = write_table(tmp_path, "t.tsv", 'source\tprediction\treferences\r\n"a\tb"\t"c"\r\n')
    assert list(read_table(path)) == [TableRow('"a', 'b"', ['"c"'], None, None)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "t.csv:0: no column prediction or output among none, expected it in the first line"),
        ("t.csv", "source,output,reference\n", "t.csv: no rows, expected at least one below the names of the columns"),
        ("t.csv", "source,reference\na,b\n", "t.csv:1: no column prediction or output among source, reference, "),
        ("t.csv", "source,output,prediction,reference\na,b,c,d\n", 't.csv:2: both "prediction" and "output" came'),
        ("t.csv", "output,reference\n", "t.csv:1: no column source among output, reference, "),
        ("t.csv", "source,output\na,b\n", "t.csv:1: no column of references among source, output, "),
        ("t.csv", "source,output,source,reference\n", "t.csv:1: the column 'source' came twice, expected it once"),
        ("t.csv", "source,output,reference\na,b\n", "t.csv:2: got 2 cells, expected 3 (as in the first line)"),
        ("t.csv", "source,output,reference\na,b, \n", "t.csv:2: no reference in the row, expected at least one"),
        ("t.csv", 'source,output,reference\n"a"b,c,d\n', "t.csv:2: not CSV: "),
        ("t.csv", "source,output,reference,rating\na,b,c,\n", "t.csv:2: got '', expected a number"),
        ("t.csv", "source,output,reference,rating\na,b,c,nan\n", "t.csv:2: got 'nan', expected a number"),
        ("t.csv", "source,output,reference,rating,ratings\na,b,c,1,2\n", "t.csv:2: both ratings and rating came, "),
        ("t.tsv", "source\toutput\treference\tsystem\na\tb\tc\t \n", "t.tsv:2: system: got ' ', expected the name of "),
        ("t.jsonl", "", "t.jsonl: no lines, expected at least one"),
        ("t.jsonl", '{"source": "a", "output": "b"}\n', 't.jsonl:1: no "references" in the object, '),
        ("t.jsonl", '{"source": "a", "output": "b", "references": "c", "system": 5}\n', "t.jsonl:1: system: got 5, "),
        (
            "t.jsonl",
            '{"source": "a", "output": "b", "references": "c", "ratings": [1]}\n',
            "t.jsonl:1: got [1], expected a number",
        ),
    ],
)
def test_faults(tmp_path, name, text, message):
    with pytest.raises(FileError) as fault:
        list(read_table(write_table(tmp_path, name, text)))
    said = str(fault.value)
    assert said[said.index(name) :].startswith(message)
    assert "\n" not in said


def test_a_rating_under_another_key(tmp_path):
    path = write_table(
        tmp_path, "t.jsonl", '{"source": "a", "output": "b", "references": "c", "fluency": 5, "rating": 1}\n'
    )
    (row,) = read_objects(path, rating="fluency")
    assert row.rating == 5
    with pytest.raises(FileError, match=r'jsonl:1: no "grammar" in the object, expected a rating there$'):
        list(read_objects(path, rating="grammar"))
