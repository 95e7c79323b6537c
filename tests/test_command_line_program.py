"""`score.py`: files that are read or refused, a line explained, the variant of a figure, and commands for a paper."""

import gzip
import json
import re
import shlex
import shutil
import subprocess

import pytest
from programs import EXAMPLE, FILES, ROOT, SYSTEMS, example_corpus, output_of, refusal_of, run
from report_corpus import explained

from sari.command_line import program
from sari.reports import terminal
from sari.reports.formats import TABLE_FORMATS

ONE = [*EXAMPLE, *SYSTEMS[:2]]


def test_gzipped_texts_from_a_pipe(corpus, run_here):
    data = gzip.compress((corpus / "o.txt").read_bytes())
    piped = run(*FILES[:2], "--outputs", "-", *FILES[4:], "--format", "csv", folder=corpus, data=data)
    named = run_here(*FILES[:2], "--outputs", "stdin=o.txt", *FILES[4:], "--format", "csv", folder=corpus)
    assert output_of(piped) == output_of(named)


def test_what_needs_several_systems_or_one_is_checked_when_a_table_is_read(run_here, tmp_path):
    header, rows = "system,source,output,reference\n", ["a,s,o,r\n", "b,s,o,r\n"]
    (tmp_path / "one.csv").write_text(header + rows[0])
    (tmp_path / "two.csv").write_text(header + "".join(rows))
    refused = refusal_of(run_here("--table", "one.csv", "--paired-ar", folder=tmp_path))
    assert refused == "--paired-ar needs two or more systems"
    refused = refusal_of(run_here("--table", "two.csv", "--explain", "1", folder=tmp_path))
    assert refused == "--explain does not go with two or more systems"
    assert "Line 1 of a (row 2)\n" in output_of(run_here("--table", "one.csv", "--explain", "1", folder=tmp_path))


def test_patterns_are_expanded_where_the_shell_does_not(printed_json):
    patterns = [*EXAMPLE[:3], "examples/references.*.txt", "--outputs", "examples/outputs*.txt", "--variant", "easse"]
    named = printed_json(*EXAMPLE, "--outputs", "examples/outputs.rewriting.txt", "examples/outputs.txt")
    assert printed_json(*patterns) == named


def test_sentence_scores_on_standard_output(printed, tmp_path):
    path = tmp_path / "x.tsv"
    printed(*EXAMPLE, *SYSTEMS, "--sentences", path)
    assert printed(*EXAMPLE, *SYSTEMS, "--sentences", "-") == path.read_text()


def test_a_test_set(run_here, tmp_path):
    (tmp_path / "data").mkdir()
    rows = [{"s": "a\nb", "r": ["c", "d"]}, {"s": "e", "r": ["f", "g"]}]
    (tmp_path / "data" / "validation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "o.txt").write_text("c\nf\n")
    arguments = ["--dataset", "data", "--split", "validation", "--columns", "s", "r"]
    assert output_of(run_here(*arguments, "--echo", "sources", folder=tmp_path)) == "a b\ne\n"
    assert output_of(run_here(*arguments, "--echo", "references", folder=tmp_path)) == "c\td\nf\tg\n"
    assert "nrefs:2" in output_of(run_here(*arguments, "--outputs", "o.txt", folder=tmp_path))


def test_names_of_strangers_are_harmless(run_here, tmp_path):
    """They hold no escape sequences, in errors neither, and no formulas for spreadsheets."""
    names = ["=1+1", "＝1", "\x1b[2J\u202ea", "&lt;", "https://a.b", "www.a.b"]
    rows = [{"system": name, "source": "a b", "output": "a", "references": "a"} for name in names]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for style in TABLE_FORMATS:
        text = output_of(run_here("--table", "t.jsonl", "--format", style, folder=tmp_path))
        assert not {"\x1b", "\u202e"} & {*text}
        assert ("'=1+1," in text) == ("'＝1," in text) == (style == "csv")
        assert style != "markdown" or all(name in text for name in (r"\&lt;", r"https\://a.b", r"www\.a.b"))
    (tmp_path / "c.csv").write_text("sou\x1b[2Jrce\nx\n")
    assert r"among sou\x1b[2Jrce;" in refusal_of(run_here("--table", "c.csv", folder=tmp_path))


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


@pytest.fixture
def explain(run_here):
    """Return a function that runs `score.py --explain` on the example."""
    return lambda *arguments: run_here(*ONE, "--explain", *arguments, folder=ROOT)


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_explanation_as_text(explain, monkeypatch, environment, coloured):
    for name, value in {"NO_COLOR": "", "TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(program.sys.stdout, "isatty", lambda: True)
    text = output_of(explain("8", "--by-order"))
    codes = ["\x1b", "\x1b[1mSARI 16.55\x1b[0m", "  \x1b[34m[-word-]\x1b[0m  ", "  \x1b[35m(word)\x1b[0m "]
    assert [code in text for code in codes] == [coloured] * 4
    marked = "\x1b[33m~{}~\x1b[0m" if coloured else "~{}~"
    assert f"\nSource    {marked.format('owing')} {marked.format('to')} " in text
    plain = re.sub("\x1b.+?m", "", text)
    assert plain.startswith("Line 8 of deleting\nSARI 16.55  keep 49.66  delete 0.00  add 0.00\n")
    assert "\n  its           Kept, but both references delete it.\n" in plain
    assert "\n  missed    2/2  precision 0 of 0, recall 0 of 1  high ,\n" in plain
    assert plain.splitlines()[-1].startswith("SARI|variant:easse|nrefs:2|")


def test_explanation_as_json(explain):
    found = json.loads(output_of(explain("2", "--format", "json", "--no-lowercase")))
    sources, outputs, references = example_corpus().values()
    wanted = explained(sources[1], outputs["deleting"][1], references[1], variant="easse", lowercase=False)
    assert found == json.loads(terminal.explanations_as_json([wanted]))


def test_an_explanation_under_a_signature_of_other_references_warns(run_here):
    process = run_here(
        *EXAMPLE[:-2], *SYSTEMS[:2], "--explain", "2", "--signature", "SARI|variant:easse|nrefs:8", folder=ROOT
    )
    assert b"warning: the signature differs from the printed one" in process.stderr


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ("worst", [8]),
        ("worst 3", [8, 6, 7]),
        ("best 5", [1, 9, 3, 4, 10]),
        ("best worst 1", [1, 8]),
        ("6 worst 2", [6, 8]),
    ],
)
def test_the_best_and_the_worst_lines(explain, arguments, lines):
    text = output_of(explain(*arguments.split()))
    assert list(map(int, re.findall(r"^Line (\d+) of", text, re.MULTILINE))) == lines


@pytest.mark.parametrize("arguments", ["11", "worst 11"])
def test_a_line_that_is_not_there(explain, arguments):
    refused = refusal_of(explain(*arguments.split()))
    assert refused == "--explain: got 11, expected at most 10, the number of lines"


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


def test_commands_of_the_page_on_papers(run_here, tmp_path):
    """They run as they are, and LaTeX, where there is one, compiles what they make."""
    page = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for number, name in enumerate(("deleting", "rewriting")):
        (tmp_path / f"{name}.ratings").write_text("".join(f"{(7 * line + number) % 11}\n" for line in range(10)))
    commands = re.findall(r"^python score\.py (.+)$", page, re.MULTILINE)
    assert len(commands) > 5
    for command in commands:
        arguments, _, path = command.partition(" > ")
        output = output_of(run_here(*shlex.split(arguments), folder=tmp_path))
        assert path or "SARI|" in output
        (tmp_path / (path or "printed")).write_text(output)
    if shutil.which("pdflatex") and shutil.which("bibtex"):
        (paper,) = re.findall(r"^```tex\n(.+?)^```", page, re.MULTILINE | re.DOTALL)
        more = r"\input{table}\input{agreement}\nocite{*}"
        (tmp_path / "paper.tex").write_text(paper.replace(r"\input{table}", more))
        latex = "pdflatex -interaction=batchmode paper"
        for command in (latex, "bibtex paper", latex, latex):
            subprocess.run(command.split(), cwd=tmp_path, capture_output=True, check=True)
        log = (tmp_path / "paper.log").read_text(errors="replace")
        assert "Overfull" not in log
        assert "undefined" not in log
