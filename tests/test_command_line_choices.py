"""`score.py --measures`: tests of measures, which measures there are, and what is refused."""

import pandas as pd
import pytest
from conftest import ROOT
from programs import EXAMPLE, SYSTEMS, example_corpus, with_system

from sari.command_line.program import main
from sari.companion_measures import readability
from sari.companion_measures.registry import MEASURES
from sari.sari_scorer import Scorer
from sari.variants import SCORES, VARIANTS

FILES = EXAMPLE[:-2]
ONE = [*FILES, *SYSTEMS[:2]]
CORPUS = example_corpus()


def test_measures_are_tested_as_sari_is(printed_json, tmp_path):
    """A measure whose numbers are SARI's sentence scores has SARI's interval, difference and p-value."""
    scorer = Scorer("hf")
    scores = {
        name: scorer.compute(**with_system(CORPUS, name), details=True)["sentences"]["sari"]
        for name in CORPUS["predictions"]
    }
    pd.DataFrame(scores).to_csv(tmp_path / "own.csv", index=False)
    given = [*FILES, *SYSTEMS, "--own-measure", f"mine={tmp_path / 'own.csv'}", "--variant", "hf"]
    given += ["--confidence", "--paired-ar", "--resamples", "99"]
    for system in printed_json(*given)["systems"]:
        for field in {"scores", "confidence_intervals", "differences", "p_values", "corrected_p_values"} & {*system}:
            assert system[field]["mine"] == pytest.approx(system[field]["sari"])
    for pair in printed_json(*given, "--all-pairs")["pairs"]:
        assert pair["p_values"]["mine"] == pair["p_values"]["sari"]


@pytest.mark.parametrize("slow", [[], ["ter"]])
def test_all_are_those_that_can_be_had(printed_json, slow):
    """Slow ones are named besides."""
    (system,) = printed_json(*ONE, "--measures", "all", "bleu", *slow)["systems"]
    fast = {row.name for row in MEASURES if not (row.side_files or row.is_slow)}
    assert {*system["scores"]} - {*SCORES} == {*fast, *slow}


@pytest.mark.usefixtures("without_punkt")
def test_what_lacks_its_data_is_left_out_without_a_warning(printed_json):
    report = printed_json(*ONE, "--all-variants", "--measures", "all")
    assert {row["variant"] for row in report["systems"]} == {*VARIANTS} - {"dsari"}
    assert not [row for row in report["systems"] if "fkgl" in row["scores"]]
    assert "LeftOutWarning" not in {row["category"] for row in report["warnings"]}


@pytest.mark.usefixtures("without_punkt")
def test_what_lacks_its_data_is_left_out_with_a_warning_where_its_file_is_given(printed_json, tmp_path):
    (tmp_path / "ranks").write_text("the\n")
    report = printed_json(*ONE, "--measures", "all", "--word-ranks", tmp_path / "ranks")
    assert not [row for row in report["systems"] if "word_rank" in row["scores"]]
    (warning,) = [row["message"] for row in report["warnings"] if row["category"] == "LeftOutWarning"]
    assert warning.startswith("word_rank is left out: it needs --stop-words: ")


@pytest.mark.parametrize("name", ["ter", "bleu"])
def test_what_is_shown_of_all_is_computed(printed, name):
    assert "Companion measures" in printed(*ONE, "--measures", "all", "--show", "sari", name)


def test_ranks_of_words_are_read_from_files(printed_json, tmp_path):
    (tmp_path / "ranks").write_text("the\t9\ntown\t5\nlighthouse\t2\n\xe9\t1\n", encoding="latin-1")
    (tmp_path / "stop").write_text("THE\n")
    given = ["--word-ranks", tmp_path / "ranks", "--stop-words", tmp_path / "stop", "--measures", "word_rank"]
    given += ["--tokenize", "none", "--lowercase", "--encoding", "latin-1"]
    found = printed_json(*ONE, *given)["systems"][0]["scores"]["word_rank"]
    lower = [text.lower() for text in CORPUS["predictions"]["deleting"]]
    ranks = {"the": 0, "town": 1, "lighthouse": 2, "\xe9": 3}
    assert found == pytest.approx(readability.word_ranks(lower, ranks, {"the"}).mean())


#: Arguments, with {} for a folder, and what the error begins with.
REFUSED = """
--measures nothing | --measures: got 'nothing', expected one of all,
--measures BLEU | --measures: got 'BLEU'; did you mean 'bleu'?
--measures fkgl | --measures: fkgl needs NLTK and its data: pip install nltk && python -m nltk.
--measures word_rank | --measures: word_rank needs --word-ranks FILE
--measures quality | --measures: quality needs --trees FILE
--measures all --word-ranks {}/empty | {}/empty: got no word, expected one in each line
--measures word_rank --word-ranks {}/words | --measures: word_rank needs --stop-words: got nothing, expected a file
--measures all --show fkgl | --measures: fkgl needs NLTK and its data
--measures all --show quality | --measures: quality needs --trees FILE
--own-measure SARI={}/words | --own-measure: got the name SARI, which is taken, expected another
--own-measure BLEU_low={}/words | --own-measure: got the name BLEU_low, which is taken, expected another
--own-measure intervals={}/words | --own-measure: got the name intervals, which is taken, expected another
--own-measure x={}/one.tsv | --own-measure: x: deleting: got 1 row, expected 10 (as in outputs)
--own-measure x={}/two.tsv | --own-measure: got x with columns a, b, expected also deleting
--own-measure x={}/bad.tsv | {}/bad.tsv:2: deleting: got 'high', expected a number
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
@pytest.mark.usefixtures("without_punkt")
def test_refusals(line, capsys, tmp_path, monkeypatch):
    (tmp_path / "empty").touch()
    (tmp_path / "words").write_text("a\n")
    (tmp_path / "bad.tsv").write_text("deleting\nhigh\n")
    (tmp_path / "one.tsv").write_text("a column of any name\n1\n")
    (tmp_path / "two.tsv").write_text("a\tb\n1\t2\n")
    monkeypatch.chdir(ROOT)
    given, message = line.split(" | ")
    assert main([*ONE, *(part.replace("{}", str(tmp_path)) for part in given.split())]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("score.py: error: " + message.replace("{}", str(tmp_path)))
