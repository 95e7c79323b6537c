"""`score.py --measures`: the same values in every format, which measures there are, and what is refused."""

import csv
import json

import pytest
from conftest import ROOT
from programs import EXAMPLE, SYSTEMS

from sari.command_line.program import main
from sari.companion_measures import readability
from sari.companion_measures.registry import MEASURES
from sari.variants import SCORES

FILES = EXAMPLE[:-2]
ONE = [*FILES, *SYSTEMS[:2]]
BOTH = [*FILES, *SYSTEMS]


def test_measures_are_tested_as_sari_is(printed_json, tmp_path):
    """A measure whose numbers are SARI's sentence scores has SARI's interval, difference and p-value."""
    given = [
        "--variant",
        "hf",
        "--confidence",
        "--paired-ar",
        "--resamples",
        "99",
        "--sentences",
        tmp_path / "s.tsv",
        "--quiet",
    ]
    systems = printed_json(*BOTH, *given)["systems"]
    rows = list(csv.DictReader((tmp_path / "s.tsv").open(encoding="utf-8"), delimiter="\t"))
    scores = {system["name"]: [row["sari"] for row in rows if row["system"] == system["name"]] for system in systems}
    lines = [json.dumps(dict(zip(scores, map(float, row), strict=True))) for row in zip(*scores.values(), strict=True)]
    (tmp_path / "own.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    own = ["--own-measure", f"mine={tmp_path / 'own.jsonl'}", "--measures", "bleu"]
    for system in printed_json(*BOTH, *given, *own)["systems"]:
        for field in {"scores", "confidence_intervals", "differences", "p_values", "corrected_p_values"} & {*system}:
            assert system[field]["mine"] == pytest.approx(system[field]["sari"])
    pairs = printed_json(*BOTH, *given, *own, "--all-pairs")["pairs"]
    assert all(pair["p_values"]["mine"] == pair["p_values"]["sari"] for pair in pairs)


@pytest.mark.parametrize("slow", [[], ["ter"]])
def test_all_are_those_that_can_be_had(printed_json, slow):
    """Slow ones are named besides."""
    (system,) = printed_json(*ONE, "--measures", "all", "bleu", *slow)["systems"]
    fast = {row.name for row in MEASURES if not (row.side_files or row.is_slow)}
    assert {*system["scores"]} - {*SCORES} == {*fast, *slow}


@pytest.mark.usefixtures("without_punkt")
def test_what_lacks_its_data_is_left_out_of_all(printed_json):
    (system,) = printed_json(*ONE, "--measures", "all")["systems"]
    assert "fkgl" not in system["scores"]


def test_ranks_of_words_are_read_from_files(printed_json, tmp_path):
    (tmp_path / "ranks").write_text("the\t9\ntown\t5\nlighthouse\t2\n\xe9\t1\n", encoding="latin-1")
    (tmp_path / "stop").write_text("THE\n", encoding="utf-8")
    given = ["--word-ranks", tmp_path / "ranks", "--stop-words", tmp_path / "stop", "--measures", "word_rank"]
    given += ["--tokenize", "none", "--lowercase", "--encoding", "latin-1"]
    found = printed_json(*ONE, *given)["systems"][0]["scores"]["word_rank"]
    lower = [text.lower() for text in (ROOT / "examples" / "outputs.txt").read_text().splitlines()]
    ranks = {"the": 0, "town": 1, "lighthouse": 2, "\xe9": 3}
    assert found == pytest.approx(readability.word_ranks(lower, ranks, {"the"}).mean())


REFUSED = [
    (["--measures", "nothing"], "--measures: got 'nothing', expected one of all, "),
    (["--measures", "BLEU"], "--measures: got 'BLEU'; did you mean 'bleu'?"),
    (["--measures", "fkgl"], "--measures: fkgl needs NLTK and its data: pip install nltk && python -m nltk."),
    (["--measures", "word_rank"], "--measures: word_rank needs --word-ranks FILE"),
    (
        ["--measures", "all", "--word-ranks", "{folder}/none"],
        "{folder}/none: No such file or directory, expected a file",
    ),
    (["--measures", "all", "--word-ranks", "{folder}/empty"], "{folder}/empty: got no word, expected one in each line"),
    (["--measures", "all", "--word-ranks", "{folder}/words"], "--stop-words: got nothing, expected a file, or NLTK's"),
    *(
        (
            ["--own-measure", f"{name}={{folder}}/words"],
            f"--own-measure: got the name {name}, which is taken, expected another",
        )
        for name in ("sari", "SARI", "bleu", "BLEU_low", "p", "intervals")
    ),
    (["--own-measure", "x={folder}/one.tsv"], "--own-measure: x: deleting: got 1 row, expected 10 (as in outputs)"),
    (["--own-measure", "x={folder}/two.tsv"], "--own-measure: got x with columns a, b, expected also deleting"),
    (["--own-measure", "x={folder}/none"], "{folder}/none: No such file or directory, expected a file"),
    (["--own-measure", "x={folder}/bad.tsv"], "{folder}/bad.tsv:2: deleting: got 'high', expected a number"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
@pytest.mark.usefixtures("without_punkt")
def test_refusals(given, message, capsys, tmp_path, monkeypatch):
    (tmp_path / "empty").touch()
    (tmp_path / "words").write_text("a\n")
    (tmp_path / "bad.tsv").write_text("deleting\nhigh\n")
    (tmp_path / "one.tsv").write_text("a column of any name\n1\n")
    (tmp_path / "two.tsv").write_text("a\tb\n1\t2\n")
    monkeypatch.chdir(ROOT)
    assert main([*ONE, *(part.format(folder=tmp_path) for part in given)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"score.py: error: {message.format(folder=tmp_path)}")
