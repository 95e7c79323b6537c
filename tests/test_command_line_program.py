"""`score.py`: files that are read or refused, a line explained, the variant of a figure, and commands for a paper."""

import errno
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
from programs import EXAMPLE, FILES, ROOT, SYSTEMS, exit_of, output_of, refusal_of, run
from report_corpus import explained

from sari.command_line import program
from sari.reports import terminal
from sari.reports.formats import TABLE_FORMATS

# What the system says of a folder that is read as a file.
_FOLDER_ERROR = errno.EISDIR if os.name == "posix" else errno.EACCES

EXPLAINED = {
    "s.txt": ["one", "the big cat sat down"],
    "o.txt": ["one", "the cat sat up now"],
    "r0.txt": ["one", "the big cat sat now"],
    "r1.txt": ["one", "a big cat sat now"],
}

EXPLAINED_FILES = ["--sources", "s.txt", "--outputs", "o.txt", "--references", "r0.txt", "r1.txt"]

TEXT = """\
Line 2 of o
SARI 38.35  keep 33.52  delete 69.05  add 12.50

Source    the [-~big~-] cat sat [-down-]
Output    the cat sat {+~up~+} {+now+}
Missed    (a)
"""


# ---- What is read ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:some sources, outputs and references are empty:UserWarning")
def test_text_files_pipes_and_line_endings(tmp_path, sari):
    sources = ["Eins, zwei; drei\x85vier.", "", "Ça\u2028va?\r", "fünf\x1csechs\rsieben"]
    outputs = ["Eins, zwei.", "neu", "", "fünf sechs"]
    references = [["Eins und zwei."], [""], ["Ça va?"], ["fünf"]]
    (tmp_path / "s.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + "\n".join(sources).encode()))
    (tmp_path / "r.txt").write_bytes("".join(f"{row[0]}\r\n" for row in references).encode("utf-8-sig"))
    piped = gzip.compress("".join(f"{text}\n" for text in outputs).encode())
    arguments = ["--sources", "s.txt.gz", "--outputs", "-", "--references", "r.txt", "--format", "json"]
    (system,) = json.loads(output_of(run(*arguments, folder=tmp_path, data=piped)))["systems"]
    assert (system["name"], system["segments"]) == ("stdin", 4)
    sources = [text.removesuffix("\r") for text in sources]
    expected = sari.compute(sources=sources, predictions=outputs, references=references, variant="easse")
    assert system["scores"] == expected


def test_what_needs_several_systems_or_one_is_checked_when_a_table_is_read(run_here, tmp_path):
    header, rows = "system,source,output,reference\n", ["a,s,o,r\n", "b,s,o,r\n"]
    (tmp_path / "one.csv").write_text(header + rows[0])
    (tmp_path / "two.csv").write_text(header + "".join(rows))
    refused = refusal_of(run_here("--table", "one.csv", "--paired-ar", folder=tmp_path))
    assert refused == "--paired-ar needs two or more systems"
    refused = refusal_of(run_here("--table", "two.csv", "--explain", "1", folder=tmp_path))
    assert refused == "--explain does not go with two or more systems"
    assert "Line 1 of a" in output_of(run_here("--table", "one.csv", "--explain", "1", folder=tmp_path))


def test_patterns_are_expanded_where_the_shell_does_not(printed_json):
    patterns = [*EXAMPLE[:3], "examples/references.*.txt", "--outputs", "examples/outputs*.txt", "--variant", "easse"]
    named = printed_json(*EXAMPLE, "--outputs", "examples/outputs.rewriting.txt", "examples/outputs.txt")
    assert printed_json(*patterns) == named


def test_sentence_scores_on_standard_output(printed, tmp_path):
    path = tmp_path / "x.tsv"
    printed(*EXAMPLE, *SYSTEMS, "--sentences", path)
    assert printed(*EXAMPLE, *SYSTEMS, "--sentences", "-") == path.read_text()


def test_only_written_files_are_named(run_here, tmp_path):
    process = run_here("--version", "--report", "x.html", "--sentences", "-", folder=tmp_path)
    assert (process.returncode, process.stdout.startswith(b"SARI "), process.stderr) == (0, True, b"")


def test_texts_of_a_test_set(run_here, tmp_path):
    (tmp_path / "data").mkdir()
    rows = [{"s": "a\nb", "r": ["c", "d"]}, {"s": "e", "r": ["f", "g"]}]
    (tmp_path / "data" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["--dataset", "data", "--columns", "s", "r", "--echo"]
    assert output_of(run_here(*arguments, "sources", folder=tmp_path)) == "a b\ne\n"
    assert output_of(run_here(*arguments, "references", folder=tmp_path)) == "c\td\nf\tg\n"


def test_names_of_strangers_are_harmless(run_here, tmp_path):
    """They hold no escape sequences, in errors neither, and no formulas for spreadsheets."""
    names = ["=1+1", "\x1b[2J\u202ea"]
    rows = [{"system": name, "source": "a b", "output": "a", "references": "a"} for name in names]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for style in TABLE_FORMATS:
        text = output_of(run_here("--table", "t.jsonl", "--format", style, folder=tmp_path))
        assert not {"\x1b", "\u202e"} & {*text}
        assert ("'=1+1," in text) == (style == "csv")
    (tmp_path / "c.csv").write_text("sou\x1b[2Jrce\nx\n")
    assert r"among sou\x1b[2Jrce," in refusal_of(run_here("--table", "c.csv", folder=tmp_path))


# ---- What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"o.txt": None}, "o.txt: No such file or directory, expected a file to read"),
        ({"o.txt": "folder"}, f"o.txt: {os.strerror(_FOLDER_ERROR)}, expected a file to read"),
        ({"s.txt": b"", "o.txt": b"", "r.txt": b""}, "s.txt: no lines, expected at least one"),
        (
            {"o.txt": b"a\n"},
            "o.txt: number of lines: got 1, expected 3 as in s.txt; texts of several lines belong in a table",
        ),
        (
            {"s.txt": b""},
            "o.txt: number of lines: got 3, expected 0 as in s.txt; texts of several lines belong in a table",
        ),
        (
            {"o.txt": b"a\nb\xe9b\nc\n"},
            "o.txt:2: got invalid continuation byte, expected UTF-8 text: save it as UTF-8, or name its encoding",
        ),
        (
            {"r.txt": b"\xff\xfea"},
            "r.txt:1: got truncated data, expected UTF-16 text: save it as UTF-8, or name its encoding",
        ),
        ({"r.txt": b"a\rb\rc\r"}, r"r.txt:1: got \r alone between lines, expected \n: tr '\r' '\n' <FILE >NEW"),
        (
            {"s.txt": gzip.compress(b"a\nb\nc\n")[:-9]},
            "s.txt: Compressed file ended before the end-of-stream marker was reached, expected a file to read",
        ),
        ({"s.txt": b"\x1f\x8b" + bytes(20)}, "s.txt: Unknown compression method, expected a file to read"),
    ],
)
def test_bad_text_files(run_here, corpus, files, message):
    for name, data in files.items():
        (corpus / name).unlink()
        if data == "folder":
            (corpus / name).mkdir()
        elif data is not None:
            (corpus / name).write_bytes(data)
    assert refusal_of(run_here(*FILES, folder=corpus)) == message


def test_a_tokenizer_that_cannot_be_downloaded_is_refused_in_one_line(corpus, tmp_path, monkeypatch):
    pytest.importorskip("sentencepiece")
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nothing listens
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "models"))
    process = run(*FILES, "--tokenize", "spm", folder=corpus)
    fetched, refused = process.stderr.decode().splitlines()
    assert fetched.startswith("tokenize: 'spm' is fetched from https://")
    assert refused.startswith("score.py: error: --tokenize: 'spm' could not be set up ")
    assert (process.returncode, process.stdout) == (2, b"")


# ---- A line explained -----------------------------------------------------------------------------------------------


@pytest.fixture
def explain(run_here, tmp_path):
    """Return a function that runs `score.py --explain` on two lines."""
    for name, lines in EXPLAINED.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return lambda *arguments: run_here(*EXPLAINED_FILES, "--explain", *arguments, folder=tmp_path)


def test_explanation_as_text(explain):
    text, signature = output_of(explain("2")).rsplit("\n\n", 1)
    assert text.startswith(TEXT)
    assert "\n  down  Deleted: both references delete it too." in text
    assert signature.startswith("SARI|variant:easse|nrefs:2|")


def test_ngrams_on_request(explain):
    lines = output_of(explain("2", "--by-order", "--variant", "easse")).splitlines()
    place = lines.index("2-grams, keep: precision 100.00  recall 40.00  f1 57.14")
    assert lines[place + 1] == "  missed    1/2  precision 0 of 0, recall 0 of 1  the big"


def test_explanation_as_json(explain):
    found = json.loads(output_of(explain("2", "--format", "json", "--no-lowercase")))
    source, output, *references = (lines[1] for lines in EXPLAINED.values())
    wanted = explained(source=source, prediction=output, references=references, lowercase=False)
    assert found == json.loads(terminal.explanations_as_json([wanted]))


def test_the_best_and_the_worst_lines(explain):
    def lines(*arguments):
        return re.findall(r"^Line (\d) of", output_of(explain(*arguments, "--variant", "easse")), re.MULTILINE)

    assert (lines("worst"), lines("best"), lines("worst", "2"), lines("best", "2")) == (
        ["1"],
        ["2"],
        ["1", "2"],
        ["2", "1"],
    )
    assert lines("best", "worst", "1") == lines("2", "worst", "2") == ["2", "1"]


def test_a_line_that_is_not_there(explain):
    assert refusal_of(explain("3")) == "--explain: got 3, expected at most 2, the number of lines"
    assert refusal_of(explain("worst", "3")) == "--explain: got 3, expected at most 2, the number of lines"


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_on_a_terminal(explain, monkeypatch, environment, coloured):
    for name, value in {"NO_COLOR": "", "TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(program.sys.stdout, "isatty", lambda: True)
    text = output_of(explain("2"))
    assert ("\x1b" in text) == coloured
    line = "Source    the \x1b[33m[-~big~-]\x1b[0m cat sat \x1b[34m[-down-]\x1b[0m\n"
    assert (line in text) == coloured


# ---- The variant of a printed figure --------------------------------------------------------------------------------


def test_the_variant_of_a_printed_figure(run_here):
    def score(*arguments):
        return output_of(run_here(*EXAMPLE[:-2], *SYSTEMS[:2], *arguments, folder=ROOT))

    printed = score("--variant", "easse", "--level", "sentence", "--score-only").strip()
    search = json.loads(score("--find-variant", printed, "--tokenize", "13a", "--format", "json"))
    assert search["hits"][0]["options"] == {"variant": "easse", "level": "sentence"}
    assert score("--signature", search["hits"][0]["signature"], "--score-only").strip() == printed
    text = score("--find-variant", printed, "--variant", "easse", "--tokenize", "13a", "--lowercase")
    assert re.search(rf"^easse +level=sentence +one change +2 +{printed} ", text, re.MULTILINE)
    assert search["hits"][0]["signature"] in text


# ---- The way to a paper ---------------------------------------------------------------------------------------------


def test_commands_of_the_page_on_papers(tmp_path, monkeypatch, capsys):
    """They run as they are, and LaTeX, where there is one, compiles what they make."""
    page = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for number, name in enumerate(("deleting", "rewriting")):
        (tmp_path / f"{name}.ratings").write_text("".join(f"{(7 * line + number) % 11}\n" for line in range(10)))
    for command in re.findall(r"^python score\.py (.+)$", page, re.MULTILINE):
        arguments, _, path = command.partition(" > ")
        assert exit_of(monkeypatch, tmp_path, *shlex.split(arguments)) == 0
        output = capsys.readouterr().out
        assert path or "SARI|" in output
        if path:
            (tmp_path / path).write_text(output)
    if shutil.which("pdflatex") and shutil.which("bibtex"):
        (paper,) = re.findall(r"^```tex\n(.+?)^```", page, re.MULTILINE | re.DOTALL)
        more = r"\input{table}\input{agreement}\nocite{*}"
        (tmp_path / "paper.tex").write_text(paper.replace(r"\input{table}", more))
        for command in (
            "pdflatex -interaction=batchmode paper",
            "bibtex paper",
            *["pdflatex -interaction=batchmode paper"] * 2,
        ):
            assert subprocess.run(command.split(), cwd=tmp_path, capture_output=True, check=False).returncode == 0
        log = (tmp_path / "paper.log").read_text(errors="replace")
        assert "Overfull" not in log
        assert "undefined" not in log
