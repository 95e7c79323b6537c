"""The options: which there are, which go together, and that `--help` is complete."""

import re

import pytest
from programs import EXAMPLE, FILES, ROOT, SYSTEMS

from sari.command_line.arguments import (
    EXCLUDES,
    NEEDS,
    SEVERAL_SYSTEMS,
    SEVERAL_VARIANTS,
    SHOWN_BY_REPORTS_ALONE,
    parse,
)
from sari.command_line.options import PAIRED_TESTS, SCORING_OPTIONS, flag_of
from sari.reports import report_page
from sari.variants import OPTIONS, VARIANTS, VERSION

TWO = [*EXAMPLE[:-2], *SYSTEMS]
DATASET = ["--dataset", "x", "--outputs", "o.txt"]


@pytest.fixture
def refusal(capsys):
    """Return a function that parses wrong arguments and returns what is said of them."""

    def parsed(arguments):
        with pytest.raises(SystemExit) as end:
            parse(arguments)
        output = capsys.readouterr()
        (line,) = output.err.splitlines()
        assert (end.value.code, output.out) == (2, "")
        assert len(line) <= len("score.py: error: ") + 200
        return line.removeprefix("score.py: error: ")

    return parsed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        # Inputs
        ([], "missing --outputs, --references, --sources: expected --outputs, --references and --sources, or --table"),
        (FILES[:4], "missing --references: expected --outputs, --references and --sources, or --table"),
        (["--dataset", "asset"], "missing --outputs: expected --outputs"),
        (DATASET, "--dataset: got 'x', expected one of asset, turk, or another with its --columns"),
        ([*DATASET, "--columns", "a"], "--columns: got 1, expected those of sources and references"),
        (["--table", "t", "--columns", "a", "b"], "--columns: got 2, expected those of sources, outputs and "),
        ([*FILES, "--columns", "a", "b", "c"], "--columns needs --dataset or --table"),
        ([*FILES, "--outputs", "o.txt"], "--outputs: got 'o.txt' twice, expected a name for each: NAME=FILE"),
        ([*FILES, "--outputs", "o=r.txt", "o=s.txt"], "--outputs: got 'o' twice, expected a name for each: NAME=FILE"),
        ([*FILES, "--encoding", "x"], "--encoding: got 'x', expected the name of a text encoding, such as utf-8"),
        (
            [*FILES, "--encoding", "rot13"],
            "--encoding: got 'rot13', expected the name of a text encoding, such as utf-8",
        ),
        # Values
        ([*FILES, "--variant", "bleu"], "--variant: got 'bleu', expected one of hf, xu2016, "),
        ([*FILES, "--level", "word"], "--level: got 'word', expected one of sentence, corpus"),
        ([*FILES, "--max-order", "0"], "--max-order: got 0, expected a whole number of at least 1"),
        ([*FILES, "--zero-division", "x"], "--zero-division: got 'x', expected a number"),
        ([*FILES, "--tokenize", "13b"], "--tokenize: got '13b', expected one of 13a, none, "),
        (
            [*FILES, "--penalties", "dsari", "--variant", "easse"],
            "--penalties: got 'dsari' with level 'corpus', expected ",
        ),
        ([*FILES, "--why", "bleu"], "--why: got 'bleu', expected one of hf, xu2016, "),
        ([*FILES, "--why", "hf"], "--why: got 'hf', which is the variant itself, expected another"),
        ([*FILES, "--find-variant", "x"], "--find-variant: got 'x', expected a score as it is printed, from 0 to 100"),
        ([*FILES, "--width", "16"], "--width: got '16', expected a whole number from 0 to 15"),
        ([*FILES, "--explain", "0"], "--explain: got '0', expected a whole number of at least 1"),
        ([*FILES, "--confidence", "95"], "--confidence: got '95', expected a number between 0 and 1, such as 0.95"),
        ([*FILES, "--confidence", "--seed", "-1"], "--seed: got '-1', expected a whole number of at least 0"),
        (
            [*FILES, "--format", "latex", "--label", "a}b"],
            "--label: got 'a}b', expected letters, digits and : . + / - _",
        ),
        ([*FILES, "--sentences", "x.md"], "--sentences: got 'x.md', expected a name ending in .tsv, .csv or .jsonl"),
        ([*FILES, "--sentences", ""], "--sentences: got '', expected a name ending in .tsv, .csv or .jsonl"),
        (
            [*FILES, "--sentences", "x.csv", "--report", "./x.csv"],
            "--report: got './x.csv', which is the file of --sentences, expected another",
        ),
        ([*FILES, "--report", "x.pdf"], "--report: got 'x.pdf', expected a name ending in .html, .txt, .json"),
        ([*FILES, "--own-measure", "a.tsv"], "--own-measure: got 'a.tsv', expected NAME=FILE, with letters"),
        ([*FILES, "--measures", "bleu,,fkgl"], "--measures: got 'bleu,,fkgl', expected names with a comma between two"),
        ([*FILES, "--baselines", "copies"], "--baselines: got 'copies', expected one of copy, empty, unrelated, "),
        # Options that do not go together
        ([*FILES, "--all-variants", "--variant", "set"], "--variant does not go with --all-variants"),
        ([*FILES, "--paired-ar"], "--paired-ar needs two or more files of --outputs"),
        ([*TWO, "--explain", "1"], "--explain does not go with two or more files of --outputs"),
        ([*TWO, "--ratings", "a", "b", "c"], "--ratings: got 3, expected 2: a file for each of --outputs"),
        ([*FILES, "--seed", "1"], "--seed needs --confidence, --paired-bs, "),
        ([*FILES, "--form", "json"], "unrecognized arguments: --form json"),
    ],
)
def test_wrong_arguments(refusal, arguments, message):
    assert refusal(arguments).startswith(message)


WRITTEN = """--why set --show sari --width 3 --explain 1 --confidence 0.9 --sentences x.tsv --report x.md --resamples 9
--seed 1 --own-measure x=y --table in.csv --ratings a,b --variant easse --find-variant 41.38"""
VALUES = dict(zip(WRITTEN.split()[::2], WRITTEN.split()[1::2], strict=True))
VALUES |= {flag_of(name): (*OPTIONS[name].choices, "1")[0] for name in SCORING_OPTIONS}
FLAGS = """--all-variants --by-order --by-references --published --score-only --baselines --tab-separated --booktabs
--all-pairs"""
SCORING_FLAGS = [name for name in SCORING_OPTIONS if OPTIONS[name].kind == "flag"]
PLAIN = [*FLAGS.split(), *map(flag_of, [*PAIRED_TESTS, *SCORING_FLAGS])]


def given(option):
    """Return an option with a value that it takes; there are two systems already."""
    if option in (SEVERAL_SYSTEMS, SEVERAL_VARIANTS):
        return ["--variant", "easse,set"] if option == SEVERAL_VARIANTS else []
    name, *value = option.split()
    return [option] if name in PLAIN else [name, *(value or VALUES.get(name, "x").split(","))]


@pytest.mark.parametrize("table", [EXCLUDES, SHOWN_BY_REPORTS_ALONE])
def test_options_that_exclude_each_other(refusal, table):
    for option, others in table.items():
        for other in others:
            message = refusal([*TWO, *given(option), *given(other)])
            assert " does not go with " in message
            assert option.split()[0] in message or other.split()[0] in message


def test_options_that_need_others(refusal):
    for option, needed in NEEDS.items():
        files = ["--dataset", "asset", *SYSTEMS] if option == "--tab-separated" else TWO
        files = FILES if SEVERAL_SYSTEMS in needed else files
        assert refusal([*files, *given(option)]).startswith(f"{option} needs {needed[0]}")


def test_the_last_value_of_an_option_counts():
    options = parse([*TWO, "--level", "corpus", "--level=sentence", "--lowercase", "--no-lowercase", "--outputs", "c"])
    assert (options.level, options.lowercase, len(options.systems)) == ("sentence", False, 3)


def test_what_reports_show_goes_with_them():
    assert parse([*TWO, "--report", "x.md", "--format", "csv", "--by-references"]).by_references
    assert parse([*TWO, "--report", "x.md", "--score-only", "--confidence"]).score_only
    assert parse([*TWO, "--report", "x.tex", "--booktabs"]).booktabs
    assert all(parse([*TWO, "--report", f"x{ending}"]).report for ending in report_page.REPORT_FORMATS)


def test_help_names_every_variant(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    text = capsys.readouterr().out
    assert all(f"  {row.name:<14}{row.summary}\n" in text for row in VARIANTS.values())


def test_citations_are_complete(capsys):
    """Every variant is named, and the program has title, version, and the year of its release."""
    with pytest.raises(SystemExit):
        parse(["--citation"])
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


@pytest.mark.parametrize(
    ("flag", "begin"),
    [
        ("--version", "SARI "),
        ("--citation", "% SARI"),
        ("--list-datasets", "asset "),
    ],
)
def test_what_is_said_without_files(capsys, flag, begin):
    with pytest.raises(SystemExit) as end:
        parse([flag])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(begin)
