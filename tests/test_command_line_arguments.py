"""The options: which there are, which go together, and that `--help` is complete."""

import re

import pytest
from programs import EXAMPLE, FILES, ROOT, SYSTEMS

from sari.command_line.arguments import parse
from sari.command_line.program import main
from sari.variants import VARIANTS, VERSION

TWO = [*EXAMPLE[:-2], *SYSTEMS]
DATASET = ["--dataset", "x", "--outputs", "o.txt"]


@pytest.fixture
def refusal(capsys):
    """Return a function that runs wrong arguments and returns what is said of them."""

    def refused(arguments):
        assert main(arguments) == 2
        output = capsys.readouterr()
        (line,) = output.err.splitlines()
        assert output.out == ""
        assert len(line) <= len("score.py: error: ") + 200
        return line.removeprefix("score.py: error: ")

    return refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        # Inputs
        ([], "missing --outputs, --references, --sources: expected --outputs, --references and --sources, or --table"),
        (DATASET, "--dataset: got 'x', expected one of asset, turk, or another with its --columns"),
        ([*DATASET, "--columns", "a"], "--columns: got 1, expected those of sources and references"),
        (["--table", "t", "--columns", "a", "b"], "--columns: got 2, expected those of sources, outputs and "),
        ([*FILES, "--columns", "a", "b", "c"], "--columns needs --dataset or --table"),
        ([*FILES, "--outputs", "o=r.txt", "o=s.txt"], "--outputs: got 'o' twice, expected a name for each: NAME=FILE"),
        (
            [*FILES, "--encoding", "rot13"],
            "--encoding: got 'rot13', expected the name of a text encoding, such as utf-8",
        ),
        # Values
        ([*FILES, "--variant", "bluu"], "--variant: got 'bluu', expected one of hf, xu2016, "),
        ([*FILES, "--variant", "bleu"], "--variant: got 'bleu', expected --measures bleu"),
        ([*FILES, "--variant", "f1_token"], "--variant: got 'f1_token', expected --measures token_f1"),
        ([*FILES, "--variant", "SARI"], "--variant: got 'SARI', expected a name such as easse"),
        ([*FILES, "--measures", "sari"], "--measures: got 'sari', expected other measures: SARI is always printed"),
        ([*FILES, "--measures", "sari_legacy"], "--measures: got 'sari_legacy', expected --variant easse_legacy"),
        ([*FILES, "--level", "word"], "--level: got 'word', expected one of sentence, corpus"),
        ([*FILES, "--max-order", "0"], "--max-order: got 0, expected a whole number of at least 1"),
        ([*FILES, "--zero-division", "x"], "--zero-division: got 'x', expected a number"),
        ([*FILES, "--tokenize", "13b"], "--tokenize: got '13b'; did you mean '13a'?"),
        (
            [*FILES, "--penalties", "dsari", "--variant", "easse"],
            "--penalties: got 'dsari' with level 'corpus', expected ",
        ),
        ([*FILES, "--why", "bleu"], "--why: got 'bleu', expected one of hf, xu2016, "),
        ([*FILES, "--why", "easse"], "--why: got 'easse', which is the variant itself, expected another"),
        ([*FILES, "--find-variant", "x"], "--find-variant: got 'x', expected a score as it is printed, from 0 to 100"),
        ([*FILES, "--width", "16"], "--width: got '16', expected a whole number from 0 to 15"),
        ([*FILES, "--explain", "0"], "--explain: got '0', expected a whole number of at least 1"),
        ([*FILES, "--confidence", "1"], "--confidence: got '1', expected a number between 0 and 1, such as 0.95"),
        ([*FILES, "--confidence", "--resamples", "0"], "--resamples: got '0', expected a whole number of at least 1"),
        ([*FILES, "--confidence", "--seed", "-1"], "--seed: got '-1', expected a whole number of at least 0"),
        (
            [*FILES, "--format", "latex", "--label", "a}b"],
            "--label: got 'a}b', expected letters, digits and : . + / - _",
        ),
        (
            [*FILES, "--sentences", "x.md"],
            "--sentences: got 'x.md', expected a name ending in .tsv, .csv or .jsonl, or -",
        ),
        (
            [*FILES, "--sentences", "x.csv", "--report", "./x.csv"],
            "--report: got './x.csv', which is the file of --sentences, expected another",
        ),
        ([*FILES, "--report", "x.pdf"], "--report: got 'x.pdf', expected a name ending in .html, "),
        ([*FILES, "--own-measure", "a-b=c"], "--own-measure: got 'a-b=c', expected NAME=FILE, with letters"),
        ([*FILES, "--own-measure", "a.tsv"], "--own-measure: got 'a.tsv', expected NAME=FILE, with letters"),
        ([*FILES, "--measures", "bleu,,fkgl"], "--measures: got 'bleu,,fkgl', expected names with a comma between two"),
        ([*FILES, "--baselines", "copies"], "--baselines: got 'copies', expected one of copy, empty, unrelated, "),
        # Options that do not go together
        *(
            (["--table", "t", flag, "x"], f"{flag} does not go with --table")
            for flag in ("--sources", "--outputs", "--references", "--dataset")
        ),
        *(([*DATASET, flag, "x"], f"{flag} does not go with --dataset") for flag in ("--sources", "--references")),
        (["--dataset", "asset", *SYSTEMS, "--tab-separated"], "--tab-separated needs --references"),
        ([*FILES[:2], "--echo", "sources"], "--echo needs --dataset"),
        ([*FILES, "--ratings", "-", "--sources", "-"], "<stdin>: got - as 2 files, expected one file from there"),
        ([*TWO, "--ratings", "a", "b", "c"], "--ratings: got 3, expected 2: a file for each of --outputs"),
        ([*FILES, "--form", "json"], "unknown argument '--form'; did you mean --format?"),
        *(
            ([*FILES, given], f"unknown argument '{given}'; {hint}")
            for given, hint in [
                ("--metrics", "did you mean --measures?"),
                ("--metrics=bleu", "did you mean --measures?"),
                ("-lc", "did you mean --lowercase?"),
                ("--lang", "see --help"),
                ("--refs_sents_paths", "did you mean --references?"),
            ]
        ),
        ([*FILES, "--@"], "unknown argument '--@'; see --help"),
        ([*FILES, "--sentence-level"], "unknown argument '--sentence-level'; did you mean --sentences?"),
        ([*FILES, "--explain", "last"], "--explain: got 'last', expected a whole number of at least 1, worst or best"),
    ],
)
def test_wrong_arguments(refusal, arguments, message):
    assert refusal(arguments).startswith(message)


#: Options on the left with each of those on the right, and what is said; "two" and "several" are systems and variants.
APART = """
--signature x: --variant easse; --all-variants; --find-variant 41.38; --level corpus; --lowercase; --max-order 3; \
--deletion f1; --zero-division 1; --penalties dsari
--all-variants: --variant easse; --explain 1; --find-variant 41.38; --report x.md; --sentences x.csv; --why easse
several: --explain 1; --find-variant 41.38; --report x.md; --sentences x.csv; --why easse
two: --explain 1
echo: --outputs x; --ratings a; --explain 1; --find-variant 41.38; --score-only; --report x.md; --sentences x.csv; \
--format csv; --format json; --format latex; --format markdown
--sentences -: --score-only; --format csv; --format json; --format latex; --format markdown
--paired-bs: --paired-ar
--show sari: --format csv; --format json; --score-only; --ratings a b; --explain 1
--width 3: --format csv; --format json
--by-order: --format csv; --ratings a b
--ratings a b: --all-pairs; --paired-ar; --baselines; --why easse; --by-references; --published; --sentences x.csv; \
--report x.md; --width 3; --paired-bs
--explain 1: --ratings a; --sentences x.csv; --report x.md; --baselines; --why easse; --by-references; \
--published; --confidence; --measures bleu; --own-measure a=b; --format csv; --format latex; --format markdown
--find-variant 41.38: --explain 1; --ratings a b; --by-order; --show sari; --score-only; --report x.md; --confidence; \
--paired-ar; --paired-bs; --all-pairs; --baselines; --measures bleu; --own-measure a=b; --sentences x.csv; \
--why easse; --by-references; --published
--score-only: --explain 1; --ratings a b; --by-order; --format csv; --format json; --format latex; --format markdown
--format csv: --by-references; --published; --why easse
--score-only: --confidence; --paired-ar; --all-pairs; --baselines; --by-references; --published; --measures bleu; \
--paired-bs; --why easse; --own-measure a=b
""".replace("\\\n", "")


BASES = {"two": [], "several": ["--variant", "easse,set"], "echo": ["--dataset", "asset", "--echo", "sources"]}


@pytest.mark.parametrize("line", APART.strip().splitlines())
def test_options_that_exclude_each_other(refusal, line):
    option, others = line.split(": ")
    for other in others.split("; "):
        files = [] if option == "echo" else FILES if "--explain" in option + other and option != "two" else TWO
        first = BASES.get(option, option.split())
        message = refusal([*files, *first, *other.split()])
        assert " does not go with " in message
        assert message.startswith(other.split()[0]) or message.startswith(option.split()[0]), message


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ("--split x", "--dataset"),
        ("--columns x y z", "--dataset or --table"),
        ("--resamples 9", "--confidence, --paired-bs, --paired-ar, --all-pairs or --report"),
        ("--seed 1", "--confidence, --paired-bs, --paired-ar, --all-pairs, --by-references or --report"),
        ("--paired-bs", "two or more systems"),
        ("--paired-ar", "two or more systems"),
        ("--all-pairs", "two or more systems"),
        ("--word-ranks x --measures bleu", "--measures word_rank or --measures all"),
        ("--show fkgl", "--measures fkgl or --measures all"),
        ("--stop-words x --measures bleu", "--word-ranks"),
        ("--caption x", "--format latex or --report"),
        ("--label x", "--format latex or --report"),
        ("--show intervals", "--confidence or --report"),
        ("--show difference", "--paired-bs, --paired-ar or --all-pairs"),
        ("--show p", "--paired-bs, --paired-ar or --all-pairs"),
        ("--show group", "--all-pairs"),
        ("--show ranks", "--all-pairs"),
    ],
)
def test_options_that_need_others(refusal, given, needed):
    assert refusal([*FILES, *given.split()]).endswith(f" needs {needed}")


@pytest.mark.parametrize("given", [["--all-pairs", "--show", "sari", "p"], ["--paired-ar", "--show", "difference"]])
def test_options_that_go_together(given):
    assert parse([*TWO, *given]).show


def test_the_last_value_of_an_option_counts():
    options = parse([*TWO, "--level", "corpus", "--level=sentence", "--lowercase", "--no-lowercase", "--outputs", "c"])
    assert (options.level, options.lowercase, len(options.systems)) == ("sentence", False, 3)


def test_short_names():
    options = parse(["-s", "s", "-o", "o", "-r", "r", "-v", "easse", "-m", "bleu", "-f", "json", "-q"])
    assert (options.sources, options.systems, options.references) == ("s", ["o"], ["r"])
    assert (options.variant, options.measures, options.format, options.quiet) == (["easse"], ["bleu"], "json", True)
    options = parse([*FILES, "-b", "-w", "3"])
    assert (options.score_only, options.width) == (True, 3)


def test_outputs_come_from_a_pipe_where_none_are_named(monkeypatch, refusal):
    piped = [*FILES[:2], *FILES[4:]]
    assert parse(piped).outputs == {"stdin": "-"}
    assert parse(["--dataset", "asset"]).outputs == {"stdin": "-"}
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert refusal(piped).startswith("missing --outputs: expected --outputs")
    assert refusal(["--dataset", "asset"]).startswith("missing --outputs: expected --outputs")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert refusal(["--sources", "-", *FILES[4:]]).startswith("missing --outputs: expected --outputs")


def test_what_reports_show_goes_with_them():
    assert parse([*TWO, "--report", "x.tex", "--label", "a"]).label == "a"
    assert all(
        parse([*TWO, "--report", f"x{ending}"]).report for ending in (".html", ".json", ".tex", ".csv", ".md", ".txt")
    )


def test_help_names_every_variant_and_what_tokenizers_can_be(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"  {row.name:<14}{row.summary}\n" in text for row in VARIANTS.values())
    assert "spacy-LANGUAGE, module:function" in " ".join(text.split())


def test_citations_are_complete(capsys):
    """Every variant is named, and the program has title, version, and the year of its release."""
    assert main(["--citation"]) == 0
    text = capsys.readouterr().out
    comments = " ".join(line for line in text.splitlines() if line.startswith("%"))
    assert not [name for name in VARIANTS if not re.search(rf"\b{name}\b", comments)]
    entries = dict(re.findall(r"^@\w+\{([\w-]+),\n(.*?)^\}", text, re.DOTALL | re.MULTILINE))
    assert len(entries) == text.count("\n@") + text.startswith("@")
    for key, body in entries.items():
        year = re.search(r"^    year = \{(\d{4})\},$", body, re.MULTILINE)[1]
        assert f"-{year}-" in key or key == "sari-software", key
        assert all(f"    {field} = {{" in body for field in ("title", "author"))
        assert "url = {https://" in body or key == "sari-software", key
    released = re.search(r"^date-released: (\d{4})-", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)[1]
    assert f"year = {{{released}}}" in entries["sari-software"]
    assert f"Version {VERSION}" in entries["sari-software"]


@pytest.mark.parametrize(("flag", "begin"), [("-V", "SARI "), ("--list-datasets", "asset "), ("-h", "usage: score.py")])
def test_what_is_said_without_files(capsys, flag, begin):
    assert main([flag]) == 0
    assert capsys.readouterr().out.startswith(begin)
