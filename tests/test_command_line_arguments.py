"""The options: which there are, and which go together."""

import re

import pytest
from programs import EXAMPLE, FILES, ROOT, SYSTEMS

from sari.command_line.arguments import parse
from sari.command_line.program import main
from sari.variants import VARIANTS, VERSION

#: Words of the tables below that stand for files.
TEXTS = {"files": FILES, "two": [*EXAMPLE[:-2], *SYSTEMS]}
TEXTS |= {"table": ["--table", "t"], "dataset": ["--dataset", "x", "--outputs", "o.txt"]}


def arguments_of(line):
    return [argument for word in line.split() for argument in TEXTS.get(word, [word])]


@pytest.fixture
def refusal(capsys):
    """Return a function that runs wrong arguments and returns what is said of them."""

    def refused(line):
        assert main(arguments_of(line)) == 2
        output = capsys.readouterr()
        (line,) = output.err.splitlines()
        assert output.out == ""
        assert len(line) <= len("score.py: error: ") + 200
        return line.removeprefix("score.py: error: ")

    return refused


#: Arguments, and what the error begins with.
WRONG = r"""
--quiet | missing --outputs, --references, --sources: expected --outputs, --references and --sources, or --table
dataset | --dataset: got 'x', expected one of asset, turk, or another with its --columns
dataset --columns a | --columns: got 1, expected those of source and references
dataset --columns source=a | --columns: got source=a, expected those of source and references
dataset --columns a b system=c | --columns: got system, expected source and references alone
table --columns a b | --columns: got 2, expected those of source, prediction and references
table --columns source model_a model_b reference_1 | --columns: got 2 names after those of the
table --columns original output_1 output_2 output_3 | --columns: got 2 names after those of the first roles, expected
table --columns source=a source=b c d | --columns: got source=b, expected source once, source=NAME
table --columns source=a,b c d | --columns: got source=a,b, expected source once, source=NAME
table --columns system=a,b prediction=c | --columns: got prediction=c, expected prediction once, prediction=NAME
table --columns source=a prediction=b references=c d | --columns: got 1, expected none: each role has its column
table --columns a b references=c,c | --columns: got a column of references twice, expected each once
dataset --columns a b b | --columns: got a column of references twice, expected each once
files --outputs o=r.txt o=s.txt | --outputs: got 'o' twice, expected a name for each: NAME=FILE
files --encoding rot13 | --encoding: got 'rot13', expected the name of a text encoding, such as utf-8
files --ratings - --sources - | <stdin>: got - as 2 files, expected one file from there
two --ratings a b c | --ratings: got 3, expected 2: a file for each of --outputs
table --ratings a b | --ratings: got 2, expected 1: a column of --table for each of outputs
table --columns system=a,b c d --ratings r | --ratings: got 1, expected 2: a column of --table for each of outputs
files --own-measure a | --own-measure: got 'a', expected NAME=FILE; a column is one of --table
files --by domain | --by needs --table
table --by domain --ratings r | --ratings does not go with --by
--sources a b --outputs c --references d | --sources: got 2 files, expected one; for a file for each document: -
files --variant bluu | --variant: got 'bluu', expected one of hf, xu2016,
files --variant bleu | --variant: got 'bleu', expected --measures bleu
files --variant f1_token | --variant: got 'f1_token', expected --measures token_f1
files --variant SARI | --variant: got 'SARI', expected a name such as easse
files --variant sari_legacy | --variant: got 'sari_legacy', expected easse_legacy
files --variant all | --variant: got 'all', expected --all-variants
files --measures HF | --measures: got 'HF', expected --variant hf
files --measures sari | --measures: got 'sari', expected other measures
files --measures f1_token | --measures: got 'f1_token', expected token_f1
files --measures sari_legacy | --measures: got 'sari_legacy', expected --variant easse_legacy
files --level word | --level: got 'word', expected one of sentence, corpus
files --max-order 2.5 | --max-order: got '2.5', expected a whole number of at least 1
files --zero-division x | --zero-division: got 'x', expected a number from 0 to 1
files --tokenize 13b | --tokenize: got '13b'; did you mean '13a'?
files --penalties dsari --variant easse | --penalties: got 'dsari' with level 'corpus', expected
files --why bleu | --why: got 'bleu', expected one of hf, xu2016,
files --format JSON | --format: got 'JSON', expected one of text, json,
files --why easse | --why: got 'easse', which is the variant itself, expected another
files --find-variant x | --find-variant: got 'x', expected a score as it is printed, from 0 to 100
files --width 16 | --width: got '16', expected a whole number from 0 to 15
files --explain 0 | --explain: got '0', expected a whole number of at least 1
files --explain last | --explain: got 'last', expected a whole number of at least 1, worst or best
files --confidence 0 | --confidence: got '0', expected a number between 0 and 1, such as 0.95
files --confidence 1 | --confidence: got '1', expected a number between 0 and 1, such as 0.95
files --confidence --resamples 0 | --resamples: got '0', expected a whole number of at least 1
files --confidence --seed -1 | --seed: got '-1', expected a whole number of at least 0
files --format latex --label a}b | --label: got 'a}b', expected letters, digits and : . + / - _
files --sentences x.md | --sentences: got 'x.md', expected a name ending in .tsv,
files --sentences x.csv --report ./x.csv | --report: got './x.csv', which is the file of --sentences, expected another
files --report x.pdf | --report: got 'x.pdf', expected a name ending in .html,
files --own-measure a-b=c | --own-measure: got 'a-b=c', expected NAME=FILE, with letters
files --own-measure a= | --own-measure: got 'a=', expected NAME=FILE, with letters
files --own-measure a.tsv | --own-measure: got 'a.tsv', expected NAME=FILE, with letters
table --own-measure a, | --own-measure: got 'a,', expected NAME=FILE, with letters
files --measures bleu,,fkgl | --measures: got 'bleu,,fkgl', expected names with a comma between two
files --baselines copies | --baselines: got 'copies', expected one of copy, empty, unrelated,
files --form json | unknown argument '--form'; did you mean --format?
files --metrics=bleu | unknown argument '--metrics=bleu'; did you mean --measures?
files -lc | unknown argument '-lc'; did you mean --lowercase?
files --lang | unknown argument '--lang'; see --help
files --refs_sents_paths | unknown argument '--refs_sents_paths'; did you mean --references?
files --split x | --split needs --dataset
files --split test | --split needs --dataset
files --label tab:sari | --label needs --format latex or --report
--sources s.txt --echo sources | --echo needs --dataset
files --columns x y z | --columns needs --dataset or --table
dataset --columns a b --tab-separated | --tab-separated needs --references
files --resamples 9 | --resamples needs --confidence, --paired-bs, --paired-ar, --all-pairs or --report
files --seed 1 | --seed needs --confidence, --paired-bs, --paired-ar, --all-pairs, --by-references or --report
files --paired-bs | --paired-bs needs two or more systems
files --word-ranks x --measures bleu | --word-ranks needs --measures word_rank or --measures all
files --show fkgl | --show fkgl needs --measures fkgl or --measures all
files --stop-words x --measures bleu | --stop-words needs --word-ranks
files --caption x | --caption needs --format latex or --report
files --label x | --label needs --format latex or --report
files --show intervals | --show intervals needs --confidence or --report
files --show difference | --show difference needs --paired-bs, --paired-ar or --all-pairs
files --show p | --show p needs --paired-bs, --paired-ar or --all-pairs
files --show group | --show group needs --all-pairs
files --show ranks | --show ranks needs --all-pairs
"""


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_wrong_arguments(refusal, line):
    arguments, message = line.split(" | ")
    assert refusal(arguments).startswith(message)


#: Arguments that go with none of those on the right.
APART = """
table: --sources x; --outputs x; --references x; --dataset x
dataset: --sources x; --references x
files --signature x: --variant easse; --all-variants; --find-variant 41.38; --level corpus; --lowercase; \
--max-order 3; --deletion f1; --zero-division 1; --penalties dsari
files --all-variants: --variant easse; --explain 1; --find-variant 41.38; --report x.md; --sentences x.csv; --why easse
files --variant easse,set: --explain 1; --find-variant 41.38; --report x.md; --sentences x.csv; --why easse
two: --explain 1
--dataset asset --echo sources: --outputs x; --ratings a; --explain 1; --find-variant 41.38; --score-only; \
--report x.md; --sentences x.csv; --format csv; --format json; --format latex; --format markdown
files --sentences -: --score-only; --format csv; --format json; --format latex; --format markdown
files --paired-bs: --paired-ar
files --show sari: --format csv; --format json; --score-only; --ratings a b; --explain 1
files --width 3: --format csv; --format json
files --width 2: --format csv; --format json
files --signature x --tokenize 13a: --max-order 4; --variant easse
files --by-order: --format csv; --ratings a b
files --ratings a b: --all-pairs; --paired-ar; --baselines; --why easse; --by-references; --published; \
--sentences x.csv; --report x.md; --width 3; --paired-bs
files --explain 1: --ratings a; --sentences x.csv; --report x.md; --baselines; --why easse; --by-references; \
--published; --confidence; --measures bleu; --own-measure a=b; --format csv; --format latex; --format markdown
files --find-variant 41.38: --explain 1; --ratings a b; --by-order; --show sari; --score-only; --report x.md; \
--confidence; --paired-ar; --paired-bs; --all-pairs; --baselines; --measures bleu; --own-measure a=b; \
--sentences x.csv; --why easse; --by-references; --published
files --score-only: --explain 1; --ratings a b; --by-order; --format csv; --format json; --format latex; \
--format markdown; --confidence; --paired-ar; --all-pairs; --baselines; --by-references; --published; \
--measures bleu; --paired-bs; --why easse; --own-measure a=b
files --format csv: --by-references; --published; --why easse
"""


@pytest.mark.parametrize("line", APART.strip().splitlines())
def test_options_that_exclude_each_other(refusal, line):
    arguments, others = line.split(": ")
    for other in others.split("; "):
        message = refusal(f"{arguments} {other}")
        assert " does not go with " in message
        assert other.split()[0] in message


@pytest.mark.parametrize(
    "line",
    [
        "two --all-pairs --show sari p",
        "two --paired-ar --show difference --max-order 3 --zero-division 1",
        "two --report x.tex --label a",
        *(f"two --report x{ending}" for ending in (".html", ".json", ".csv", ".md", ".txt")),
    ],
)
def test_options_that_go_together(line):
    assert parse(arguments_of(line)).given


def test_the_last_value_of_an_option_counts():
    options = parse(arguments_of("two --level corpus --level=sentence --lowercase --no-lowercase --outputs c"))
    assert (options.level, options.lowercase, len(options.systems)) == ("sentence", False, 3)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (
            "-s s -o o -r r -v easse -m bleu -f json -q",
            "--sources s --outputs o --references r --variant easse --measures bleu --format json --quiet",
        ),
        ("files -b -w 3", "files --score-only --width 3"),
    ],
)
def test_short_names(short, long):
    assert parse(arguments_of(short)) == parse(arguments_of(long))


@pytest.mark.parametrize("line", ["--sources s.txt --references r.txt", "--dataset asset"])
def test_outputs_come_from_a_pipe_where_none_are_named(monkeypatch, refusal, line):
    assert parse(line.split()).outputs == {"stdin": "-"}
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert refusal(line).startswith("missing --outputs: expected --outputs")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert refusal("--sources - --references r.txt").startswith("missing --outputs: expected --outputs")


def test_citations(capsys):
    """They name every variant, and the version and the year of this program."""
    assert main(["--citation"]) == 0
    text = capsys.readouterr().out
    comments = " ".join(line for line in text.splitlines() if line.startswith("%"))
    assert [name for name in VARIANTS if not re.search(rf"\b{name}\b", comments)] == []
    _, program = text.split("{sari-software,")
    released = re.search(r"^date-released: (\d{4})-", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)[1]
    assert f"year = {{{released}}}" in program
    assert f"Version {VERSION}" in program


@pytest.mark.parametrize(
    ("flag", "pattern"),
    [("-V", "SARI "), ("--list-datasets", "asset "), ("-h", f"usage: .*: precision, f1.*{'.*'.join(VARIANTS)}")],
)
def test_what_is_said_without_files(capsys, flag, pattern):
    assert main([flag]) == 0
    assert re.match(pattern, capsys.readouterr().out, re.DOTALL)
