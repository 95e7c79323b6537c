"""Tables: what CSV, TSV and JSON Lines hold, and their faults in one line."""

import gzip
import json
from contextlib import closing

import pytest

from sari.text_files.errors import FileError
from sari.text_files.reading import Segment
from sari.text_files.table_files import TableRow, open_table, read_table

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
        ("t.csv", "", 't.csv:0: no "source" among none, expected source, prediction (or output) and references'),
        ("t.csv", "source,output,reference\n", "t.csv: no rows, expected at least one below the first line"),
        ("t.csv", "source,reference\na,b\n", 't.csv:1: no "prediction" among source, reference, expected '),
        ("t.csv", "source,output,prediction,reference\na,b,c,d\n", 't.csv:1: both "prediction" and "output" came'),
        ("t.csv", "output,reference\n", 't.csv:1: no "source" among output, reference, '),
        ("t.csv", f"source,{'x' * 300}\n", f't.csv:1: no "prediction" among source, {"x" * 52}…, expected source, '),
        ("t.csv", "source,output\na,b\n", 't.csv:1: no "references" among source, output, '),
        ("t.csv", "source,output,source,reference\n", "t.csv:1: the column 'source' came twice, expected it once"),
        ("t.csv", "source,output,reference\na,b\n", "t.csv:2: got 2 cells, expected 3 (as in the first line)"),
        ("t.csv", "source,output,reference\na,b, \n", "t.csv:2: no reference in the row, expected at least one"),
        ("t.csv", 'source,output,reference\n"a"b,c,d\n', "t.csv:2: not CSV: "),
        ("t.csv", "source,output,reference,rating\na,b,c,\n", "t.csv:2: got '', expected a number"),
        ("t.csv", "source,output,reference,rating\na,b,c,nan\n", "t.csv:2: got 'nan', expected a number"),
        ("t.csv", "source,output,reference,rating,ratings\na,b,c,1,2\n", "t.csv:2: both ratings and rating came, "),
        ("t.tsv", "source\toutput\treference\tsystem\na\tb\tc\t \n", "t.tsv:2: system: got ' ', expected the name of "),
        ("t.jsonl", "", "t.jsonl: no rows, expected at least one"),
        ("t.jsonl", '{"source": "a", "output": "b"}\n', 't.jsonl:1: no "references" among source, output, '),
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
    (row,) = read_table(path, rating="fluency")
    assert row.rating == 5
    with pytest.raises(FileError, match=r'jsonl:1: no "grammar" in the row, expected a rating there$'):
        list(read_table(path, rating="grammar"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "Source,simple,Label,ref b,ref a\na,x,5,y,b\nc,,6,z,\n"),
        ("t.tsv", "Label\tref b\tref a\tSource\tsimple\n5\ty\tb\ta\tx\n6\tz\t\tc\t\n"),
        (
            "t.jsonl",
            '{"Source": "a", "simple": "x", "ref a": "b", "ref b": ["y"], "Label": 5, "output": 1, "references": 2}\n'
            '{"Source": "c", "simple": "", "ref a": [], "ref b": "z", "Label": "6"}\n',
        ),
    ],
)
def test_columns_of_other_names(tmp_path, name, text):
    path = write_table(tmp_path, name, text)
    columns = ["Source", "simple", "ref a", "ref b"]
    rows = [TableRow("a", "x", ["b", "y"], None, 5), TableRow("c", "", ["z"], None, 6)]
    assert list(read_table(path, columns=columns, rating="Label")) == rows
    with closing(open_table(path, columns=columns)) as corpus:
        (batch,) = corpus.batches()
    assert batch == [Segment(row.source, (row.prediction,), row.references) for row in rows]
    with pytest.raises(FileError, match=r'1: no "simpler" among .*, expected Source, simpler, ref a$'):
        list(read_table(path, columns=["Source", "simpler", "ref a"]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"source": "a"', "not JSON: Expecting ',' delimiter at column 15, expected a JSON object"),
        ("[1]", "got a list, expected a JSON object"),
        ("[" * 100_000, "JSON that is too large to read, expected a JSON object"),
        ("1" * 5_000, "JSON that is too large to read, expected a JSON object"),
        ("{}", 'no "source" among none, expected source, prediction (or output) and references'),
        (
            '{"source": "a", "references": "b"}',
            'no "prediction" among source, references, expected source, ',
        ),
        (
            '{"source": "a", "prediction": "b"}',
            'no "references" among source, prediction, expected source, ',
        ),
        ('{"prediction": "b", "output": "b", REST', 'both "prediction" and "output" came, expected one of them'),
        ('{"source": "b", "output": "b", REST', 'the key "source" came twice in one object, expected it once'),
        ('{"source": null, "prediction": "b", "references": "c"}', '"source" is null, expected a string'),
        ('{"output": 5.5, REST', '"output" is a number, expected a string'),
        (
            '{"source": "a", "output": "b", "references": {}}',
            '"references" is an object, expected a string or a list of',
        ),
        ('{"source": "a", "output": "b", "references": []}', "no reference in the row, expected at least one"),
        (
            '{"source": "a", "output": "b", "references": ["c", true]}',
            '"references item 2" is true or false, expected a',
        ),
        ('{"output": "a\\ud83d", REST', '"output" has the lone surrogate U+D83D, expected Unicode text'),
    ],
)
def test_bad_jsonl(tmp_path, line, message):
    path = tmp_path / "in.jsonl"
    rest = '"source": "a", "references": ["c"]}'
    path.write_text('{"output": "b", ' + rest + "\n" + line.replace("REST", rest) + "\n")
    with closing(open_table(str(path))) as corpus, pytest.raises(FileError) as error:
        list(corpus.batches())
    assert str(error.value).startswith(f"{path}:2: {message}")
