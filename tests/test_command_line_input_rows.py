"""Tables and folders on the command line: what belongs to a row stays with it, and what is ambiguous is refused."""

import csv
import json
import random

import pandas as pd
import pytest
from programs import example_corpus, with_system

from sari.command_line.program import main
from sari.sari_scorer import Scorer

CORPUS = example_corpus()
SOURCES, OUTPUTS, REFERENCES = CORPUS.values()
DOMAINS = ["news", "wiki"] * 5
#: Names of each field of a table of the example, as it is written below.
SHARED = [
    {"source": source, "reference_1": people[0], "reference_2": people[1], "domain": domain, "id": number}
    for number, (source, people, domain) in enumerate(zip(SOURCES, REFERENCES, DOMAINS, strict=True))
]
SARI = {
    name: Scorer("easse").compute(**with_system(CORPUS, name), details=True)["sentences"]["sari"] for name in OUTPUTS
}
LONG = [
    {**SHARED[place], "model": name, "output": OUTPUTS[name][place], "mine": SARI[name][place]}
    for name in OUTPUTS
    for place in range(10)
]
WIDE = [row | {name: OUTPUTS[name][place] for name in OUTPUTS} for place, row in enumerate(SHARED)]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a function that writes rows as a table and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(rows, name="t.csv"):
        pd.DataFrame(rows).to_csv(name, index=False)
        return name

    return write


@pytest.fixture
def shown(capsys):
    """Return a function that scores a table and returns its JSON."""

    def run(*arguments):
        assert main([*arguments, "--format", "json", "--quiet"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def refused(capsys):
    """Return a function that runs arguments and returns why they are refused."""

    def run(*arguments):
        assert main([*arguments]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert len(line) <= len("score.py: error: ") + 200
        return line.removeprefix("score.py: error: ")

    return run


def test_numbers_and_subsets_stay_with_their_rows(table, shown):
    """A measure whose numbers are SARI's of segments has SARI's tests, in whatever order the rows of a system stand."""
    rows = [*LONG[:10], *random.Random(1).sample(LONG[10:], 10)]
    how = ["--columns", "system=model", "--own-measure", "mine", "--level", "sentence", "--confidence", "--paired-ar"]
    report = shown("--table", table(rows), *how, "--by", "domain")
    assert [(part["value"], part["systems"][0]["segments"]) for part in report["subsets"]] == [("news", 5), ("wiki", 5)]
    for part in (report, *report["subsets"]):
        for field in ("scores", "confidence_intervals", "p_values", "differences"):
            row = part["systems"][1][field]
            assert row["mine"] == pytest.approx(row["sari"])


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (LONG, ["system=model"]),
        (LONG, ["source", "output", "reference_1", "reference_2", "system=model"]),
        (WIDE, ["system=deleting,rewriting"]),
        (WIDE, ["prediction=deleting,rewriting"]),
        (WIDE, ["source", "reference_1", "reference_2", "system=deleting,rewriting"]),
        ([{"sources": row.pop("source"), **row} for row in map(dict, LONG)], ["system=model", "predictions=output"]),
    ],
)
def test_layouts_of_tables(table, shown, rows, columns):
    report = shown("--table", table(rows), "--columns", *columns)
    scores = {row["name"]: row["scores"]["sari"] for row in report["systems"]}
    assert scores == {name: pytest.approx(Scorer().compute(**with_system(CORPUS, name))["sari"]) for name in OUTPUTS}


OTHERS = [{"complex": row["source"], "hyp": row["output"], "simple 1": row["reference_1"]} for row in LONG[:10]]


@pytest.mark.parametrize(
    ("rows", "arguments", "message"),
    [
        (LONG, "", "t.csv: got 10 sources with several outputs, expected a column of systems, such as model; give "
         "--columns system=model"),
        (WIDE, "", "t.csv: no column for prediction among source, reference_1, reference_2, domain, id, deleting, "
         "rewriting; give --columns prediction=deleting,rewriting"),
        (LONG, "--own-measure mine=t.csv", "t.csv: got the file 't.csv', expected a column: the numbers of a table"),
        (LONG, "--ratings t.csv", "t.csv: got the file 't.csv', expected a column: the numbers of a table are its "),
        (OTHERS, "", "t.csv: no column for source, for prediction or for references among complex, hyp, simple 1; give "
         "--columns source=complex prediction=hyp 'references=simple 1'"),
        ([{"input": "a b", "complex": "a", **{f"text {n} {'x' * 50}": "a b" for n in range(9)}}], "", "t.csv: no col"),
        (LONG, "--columns system=team", "t.csv: no column 'team' among source, reference_1, "),
        (LONG, "--columns system=model --own-measure b", "t.csv: no column 'b' among source, reference_1, "),
        (LONG, "--columns system=model --own-measure mine=domain", "t.csv:2: domain: got 'news', expected a number"),
        (WIDE, "--columns system=deleting,rewriting --own-measure id", "t.csv: id: got 1 column, expected 2: one for "),
        (LONG, "--columns system=model --by b", "t.csv: no column 'b' among source, reference_1, "),
        ([*LONG, {**LONG[0], "model": "x", "domain": "wiki"}], "--columns system=model --by domain", "t.csv:2: got"),
    ],
)  # fmt: skip
def test_what_is_ambiguous_or_missing_is_refused(table, refused, rows, arguments, message):
    assert refused("--table", table(rows), *arguments.split()).startswith(message)


@pytest.mark.parametrize(
    ("rows", "warning"),
    [
        ([{**row, "rater": rater} for row in LONG[:10] for rater in "abc"], "are scored once (20 of 30 rows)"),
        ([*LONG[:10], {**LONG[0], "output": "x", "domain": "wiki"}], "would part them (1 of 10 sources)"),
        (LONG[:10] * 3, None),
        ([{**row, "id": number} for number, row in enumerate(LONG[:10] * 3)], None),
    ],
)
def test_rows_that_repeat_others(table, run_here, tmp_path, rows, warning):
    process = run_here("--table", table(rows), "--format", "json", folder=tmp_path)
    said = [line for line in process.stderr.decode().splitlines() if "rows that repeat" in line or "times with" in line]
    assert [line[-len(warning or "") :] for line in said] == ([warning] if warning else [])
    report = json.loads(process.stdout)
    assert report["systems"][0]["segments"] == (10 if warning and "once" in warning else len(rows))


def test_ratings_of_the_same_output_are_said(table, run_here, tmp_path):
    rows = [
        {**row, "rater": rater, "rating": (row["id"] + len(rater)) % 5} for row in LONG[:10] for rater in ("a", "bb")
    ]
    process = run_here("--table", table(rows), "--ratings", "rating", "--format", "json", folder=tmp_path)
    report = json.loads(process.stdout)
    assert [row["detail"] for row in report["warnings"] if "more than once" in row["message"]] == ["10 of 20 outputs"]
    assert report["ratings"] == 20


def test_segments_are_named_by_their_rows(table, shown, capsys):
    rows = [*LONG[:10], *reversed(LONG[10:])]
    given = ["--table", table(rows), "--columns", "system=model"]
    shown(*given, "--sentences", "s.csv", "--report", "r.json", "--by", "domain")
    with open("s.csv", encoding="utf-8", newline="") as file:
        found = [(row["system"], row["segment"], row["row"], row["subset"]) for row in csv.DictReader(file)]
    numbers = {"deleting": range(2, 12), "rewriting": range(21, 11, -1)}
    assert found == [
        (name, str(place + 1), str(number), DOMAINS[place])
        for name, of_system in numbers.items()
        for place, number in enumerate(of_system)
    ]
    with open("r.json", encoding="utf-8") as file:
        segments = json.load(file)["segments"]
    for segment in segments:
        assert segment["rows"] == {name: of_system[segment["number"] - 1] for name, of_system in numbers.items()}
    one = ["--table", table(LONG[10:]), "--explain", "3"]
    assert shown(*one)[0]["row"] == 4
    assert main(one) == 0
    assert capsys.readouterr().out.startswith("Line 3 of t (row 4)\n")


@pytest.mark.parametrize(
    ("name", "is_read"), [("a\x01", True), ("a\u200b", True), ("a\\x01", False), ("a\x01 ", False)]
)
def test_names_that_differ_in_what_is_not_seen(table, shown, refused, name, is_read):
    """They are kept apart, as they are shown; those that look the same are refused."""
    names = {"deleting": "a" if is_read else "a\x01", "rewriting": name}
    arguments = ["--table", table([{**row, "model": names[row["model"]]} for row in LONG]), "--columns", "system=model"]
    if is_read:
        scores = [row["scores"]["sari"] for row in shown(*arguments)["systems"]]
        assert scores == [pytest.approx(Scorer().compute(**with_system(CORPUS, one))["sari"]) for one in OUTPUTS]
    else:
        assert refused(*arguments) == r"t.csv: got several systems whose names look like a\x01, expected one"


@pytest.mark.parametrize(
    ("mark", "end"),
    [("\t", "give --tab-separated"), ("|||", "give --tab-separated, with tabs in its place"), ("|", "")],
)
def test_references_with_marks_between_them(tmp_path, capsys, monkeypatch, mark, end):
    monkeypatch.chdir(tmp_path)
    for name, lines in {"s": ["a b", "c"], "o": ["a", "c"], "r": [f"a{mark}b", f"c{mark}"]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    assert main(["-s", "s", "-o", "o", "-r", "r"]) == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if "each line of references" in line]
    assert [line.endswith(end) for line in warnings] == [True] * bool(end)


def write_documents(folder, name, texts):
    (folder / name).mkdir()
    for place, text in enumerate(texts):
        (folder / name / f"d{place}.txt").write_text(f"{text}\nmore.\n\n", encoding="utf-8")


def test_folders_of_documents(tmp_path, shown, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = {"src": SOURCES, "a": OUTPUTS["deleting"], "b": OUTPUTS["rewriting"]}
    folders |= {f"r{place}": [row[place] for row in REFERENCES] for place in (0, 1)}
    for name, texts in folders.items():
        write_documents(tmp_path, name, texts)
    given = ["--sources", "src/", "--outputs", "a", "x=b", "--references", "r0", "r1"]
    report = shown(*given, "--sentences", "s.jsonl")

    def whole(texts):
        return [f"{text}\nmore." for text in texts]

    corpus = {"sources": whole(SOURCES), "references": list(map(whole, REFERENCES))}
    for row, texts in zip(report["systems"], OUTPUTS.values(), strict=True):
        assert row["scores"]["sari"] == pytest.approx(Scorer().compute(**corpus, predictions=whole(texts))["sari"])
    assert [row["name"] for row in report["systems"]] == ["a", "x"]
    with open("s.jsonl", encoding="utf-8") as file:
        assert [json.loads(line)["row"] for line in file][:2] == ["d0", "d1"]
    one = ["--outputs", "a", "--references", "r0"]
    assert refused("-s", "src/d0.txt", *one).startswith("got a a folder and src/d0.txt a file, expected folders of ")
    assert (
        refused("-s", "src", *one, "--tab-separated")
        == "--tab-separated: got folders, expected files with a line for each segment"
    )
    assert refused("-s", "src/*.txt", *one).startswith("--sources: got 10 files, expected one; for a file for each ")
    (tmp_path / "a" / "d3.txt").rename(tmp_path / "a" / "x.txt")
    assert refused("-s", "src", *one).startswith("a: got no file for 'd3', expected one for each document of src")
    (tmp_path / "src" / "d3.txt").unlink()
    assert refused("-s", "src", *one).startswith("src: got no file for 'x', expected one for each document of a")
