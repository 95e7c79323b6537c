"""The program that compares hostile segments with the oracle, run small: what it says, and that it sees every fault."""

import copy
import os
import pty
import random
import re
import subprocess
import sys

import pytest
from four_segments import WITHOUT_TRANSFORMERS
from programs import ROOT, run

from sari.benchmarks import fuzz
from sari.benchmarks.hostile import hostile
from sari.benchmarks.ways import OF_CORPORA, WAYS
from sari.variants import VARIANTS

COMMAND = [sys.executable, str(ROOT / "benchmarks" / "fuzz.py")]
LAST = re.compile(
    r"(no difference|[\d,]+ corpora differ): ([\d,]+) segments in ([\d,]+) corpora by (\d) of 8 ways, "
    r"([\d,]+) of ([\d,]+) combinations of variant and options, (\d+) lone surrogates refused, \d+ seconds"
)
#: An evaluate module that asks the oracle, and changes what it says.
PEER = """
import importlib
import sys

import datasets
import evaluate

sys.path.insert(0, {tests!r})
oracle = importlib.import_module("oracle")  # a plain import would be taken for a package to install
TEXT = datasets.Value("string")
FEATURES = {{"sources": TEXT, "predictions": TEXT, "references": datasets.Sequence(TEXT)}}


class Peer(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=datasets.Features(FEATURES)
        )

    def _compute(self, sources, predictions, references):
        score_of_corpus = oracle.score(sources, predictions, references)["sari"]
        return {{"sari": {returned}}}
"""


def tried(*arguments, folder, status=0):
    """Return what the program printed: all of it, and the numbers of its last line."""
    process = run(*map(str, arguments), folder=folder, command=COMMAND)
    assert (process.returncode, process.stderr) == (status, b"")
    output = process.stdout.decode()
    found, *numbers = LAST.fullmatch(output.splitlines()[-1]).groups()
    return output, found, [int(number.replace(",", "")) for number in numbers]


def tried_here(capsys, *arguments, status=0):
    """Return the same, of a run in this process, where `evaluate` is loaded already."""
    capsys.readouterr()
    assert fuzz.main([*map(str, arguments)]) == status
    output = capsys.readouterr()
    assert output.err == ""
    found, *numbers = LAST.fullmatch(output.out.splitlines()[-1]).groups()
    return output.out, found, [int(number.replace(",", "")) for number in numbers]


def peer(folder, returned):
    file = folder / "peer.py"
    file.write_text(PEER.format(tests=str(ROOT / "tests"), returned=returned), encoding="utf-8")
    return file


def test_against_the_oracle(tmp_path):
    alone, two = (tried("--segments", 400, "--processes", n, folder=tmp_path) for n in (1, 2))
    assert alone[1:] == two[1:]
    output, found, (segments, corpora, ways, combinations, every, _) = alone
    assert found == "no difference"
    assert 400 <= segments < 500
    assert 1 < ways <= combinations <= corpora < segments
    # The level of the sentence has three penalties to choose from, that of the corpus has none.
    assert every == len(VARIANTS) * (3 + 1) * 2 * 3 * 9 * 2 * 6
    assert output.startswith(f"{', '.join(VARIANTS)}; tokenizers 13a, none, letters_apart, intl, ")
    assert output.splitlines()[0].endswith("; against the oracle")


def test_a_module_that_agrees(tmp_path, capsys):
    _, found, numbers = tried_here(capsys, "--segments", 100, "--against", peer(tmp_path, "score_of_corpus"))
    assert (found, numbers[3:5]) == ("no difference", [1, 1])


def test_a_planted_difference_is_found_and_repeated(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", WITHOUT_TRANSFORMERS["PYTHONPATH"])
    planted = peer(tmp_path, "score_of_corpus + (1e-7 if '' in predictions else 0)")
    output, found, _ = tried("--segments", 300, "--against", planted, folder=tmp_path, status=1)
    assert re.fullmatch(r"[1-9]\d* corpora differ", found)
    difference, *_ = re.split(r"^(?=seed )", output, flags=re.MULTILINE)[1:]
    seed, *_, repeat = difference.splitlines()[:6]
    assert re.match(r"seed \d+: 1 of 1 numbers, first sari: ", seed)
    assert "\n  predictions: ''\n" in difference  # the first segment that differs alone
    arguments = repeat.partition("fuzz.py ")[2].split()
    assert arguments[2:] == ["--segments", "1", "--against", str(planted)]
    assert tried_here(capsys, *arguments, status=1)[0].splitlines()[1:-1] == difference.splitlines()[:6]


def test_another_copy_of_this_module_is_compared_in_detail(capsys):
    output, found, numbers = tried_here(capsys, "--segments", 60, "--against", ROOT / "sari.py")
    assert found == "no difference"
    assert numbers[3] > 1
    assert output.startswith(", ".join(VARIANTS))


def off_by_a_bit(numbers):
    """Return nested numbers with the last one changed."""
    key = list(numbers)[-1] if isinstance(numbers, dict) else -1
    inner = numbers[key]
    changed = dict(numbers) if isinstance(numbers, dict) else list(numbers)
    changed[key] = off_by_a_bit(inner) if isinstance(inner, dict | list) else inner + 2e-9
    return changed


def remembering(function):
    """Return a function that works out what it returns once for equal arguments, and returns copies."""
    results = {}

    def remembered(*arguments):
        key = repr(arguments)
        if key not in results:
            results[key] = function(*arguments)
        return copy.deepcopy(results[key])

    return remembered


@pytest.fixture(scope="module")
def remembering_ways():
    """Return the ways, none of which scores a corpus twice."""
    return {name: way._replace(ours=remembering(way.ours), right=remembering(way.right)) for name, way in WAYS.items()}


@pytest.mark.parametrize("name", WAYS)
def test_every_way_is_watched(monkeypatch, remembering_ways, name):
    for other, remembered in remembering_ways.items():
        monkeypatch.setitem(WAYS, other, remembered)
    way = WAYS[name]
    monkeypatch.setitem(WAYS, name, way._replace(ours=lambda *arguments: off_by_a_bit(way.ours(*arguments))))
    outcomes = fuzz.check([*range(60)], None, list(VARIANTS))
    assert {outcome.way for outcome in outcomes} == set(WAYS)
    assert {outcome.way for outcome in outcomes if outcome.difference} == {name}
    assert all(outcome.difference for outcome in outcomes if outcome.way == name)


@pytest.fixture(scope="module")
def seeds():
    """Return seeds of corpora by the way that scores them."""
    outcomes = fuzz.check([*range(60)], None, list(VARIANTS))
    return {name: [outcome.seed for outcome in outcomes if outcome.way == name] for name in WAYS}


@pytest.mark.parametrize("name", WAYS)
def test_errors_are_differences(monkeypatch, seeds, name):
    def fail(*_):
        raise ZeroDivisionError("of nothing")

    monkeypatch.setitem(WAYS, name, WAYS[name]._replace(ours=fail))
    outcomes = fuzz.check(seeds[name], None, list(VARIANTS))
    assert {outcome.way for outcome in outcomes} == {name}
    assert all(one.difference.startswith("this module raised ZeroDivisionError: of nothing\n") for one in outcomes)


def test_surrogates_have_to_be_refused(monkeypatch, remembering_ways):
    for name, remembered in remembering_ways.items():
        monkeypatch.setitem(WAYS, name, WAYS[name]._replace(right=remembered.right))
    seeds = [*range(50)]
    asked = [outcome.seed for outcome in fuzz.check(seeds, None, ["xu2016"]) if outcome.refused]
    assert asked
    monkeypatch.setattr("sari.validation._check_texts", lambda *_: None)
    outcomes = fuzz.check(seeds, None, ["xu2016"])
    assert [outcome.seed for outcome in outcomes if outcome.difference] == asked
    assert all("a lone surrogate in " in outcome.difference for outcome in outcomes if outcome.difference)


def test_what_corpora_hold():
    corpora = [hostile(random.Random(seed)) for seed in range(3_000)]
    texts = [text for one in corpora for column in one[:2] for text in column]
    assert hostile(random.Random(1)) == hostile(random.Random(1)) != hostile(random.Random(2))
    assert {len(row) for one in corpora for row in one.references} >= {1, 2, 3, 4, 12}
    assert {bool(text) for text in texts} == {True, False}
    written = "".join(texts)
    assert {"\t", "\u3000", "\x85", "\0", "&amp;", "İ", "Σ", "\u200d", " "} <= {*written, *re.findall("&amp;", written)}
    assert re.search("[\u4e00-\u9fff]", written)
    assert re.search("(?:^| )[\u0300-\u036f]", written)  # a mark without a letter
    assert re.search("[\U0001f300-\U0001faff]", written)
    assert max(map(len, written.split())) > 1_000
    assert not re.search("[\ud800-\udfff]", written)


def test_scores_of_corpora_are_what_other_modules_have():
    corpus = hostile(random.Random(4))
    for name, way in WAYS.items():
        assert ("sari" in way.ours(corpus.first(2), {"variant": "easse"})) == (name in {*OF_CORPORA, "explanation"})


def test_the_bar(tmp_path):
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "--segments", "200"], stderr=end, stdout=subprocess.DEVNULL, cwd=tmp_path
    ) as program:
        os.close(end)
        shown = b""
        try:
            while data := os.read(terminal, 65_536):
                shown += data
        except OSError:  # how a terminal says that nobody writes to it any more
            pass
    os.close(terminal)
    assert program.returncode == 0
    assert re.search(rb"\d+%\|.*/200 \[", shown)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--segments", "0"], r"--segments: got 0, wanted at least 1"),
        (["--processes", "-1"], r"--processes: got -1, wanted at least 1"),
        (["--variants", "sari"], r"argument --variants: invalid choice: 'sari' \(choose from .*\)"),
        (["--against", "nowhere.py"], r"--against: nowhere\.py: no such file or folder"),
        (["--against", "broken.py"], r"--against: broken\.py could not be loaded: .+"),
    ],
)
def test_bad_use_is_refused_in_a_line(tmp_path, monkeypatch, capsys, arguments, message):
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit_of:
        fuzz.main(arguments)
    assert exit_of.value.code == 2
    output = capsys.readouterr()
    (line,) = output.err.splitlines()
    assert output.out == ""
    assert re.fullmatch(rf"fuzz\.py: error: {message}", line)
