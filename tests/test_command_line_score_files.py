"""Scores from files: by a printed signature, of sentences, in reports, and of baselines."""

import csv
import json

import pytest
from programs import EXAMPLE, FILES, ROOT, SYSTEMS, example_corpus, refusal_of, with_system

from sari.sari_scorer import Scorer

ONE = [*EXAMPLE[:-2], *SYSTEMS[:2]]
CORPUS = example_corpus()


def test_a_printed_signature_scores_as_it_says(run_here, printed_json, tmp_path):
    signature = Scorer("easse", lowercase=False, max_order=2).signature(nrefs=2)
    found = printed_json(*ONE, "--signature", signature, "--why", "hf")
    assert found["systems"][0]["signature"] == found["explanations"][0]["signature_a"] == signature
    same = run_here(*ONE, "--signature", signature, "--why", "easse", folder=ROOT)
    assert "--why: got 'easse', which is the variant itself" in refusal_of(same)
    for quiet, said in ([], f"score.py: {signature}\n"), (["--quiet"], ""):
        process = run_here(*ONE, "--signature", signature, "--score-only", *quiet, folder=ROOT)
        assert process.stderr.decode() == said
    other = signature.replace("nrefs:2", "nrefs:1").replace("version:2", "version:1")
    found = printed_json(*ONE, "--signature", other, "--report", tmp_path / "x.json")
    for report in (found, json.loads((tmp_path / "x.json").read_text())):
        assert [row["category"] for row in report["warnings"]].count("SignatureWarning") == 1


def test_sentence_scores_with_texts(printed, tmp_path):
    """A row for every segment scored alone, in order, of each system; each reference is a column of CSV."""
    for name in ("x.jsonl", "x.csv"):
        (tmp_path / name).write_text("what stood there before")
        printed(*EXAMPLE, *SYSTEMS, "--sentences", tmp_path / name)
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    sources, outputs, references = CORPUS.values()
    for name, output in outputs.items():
        scores = Scorer("easse").compute(**with_system(CORPUS, name), details=True)["sentences"]
        columns = {"segment": range(1, 11), **scores, "source": sources, "output": output, "references": references}
        for values in zip(*columns.values(), strict=True):
            assert rows.pop(0) == {"system": name, **dict(zip(columns, values, strict=True))}
    (*_, last) = csv.DictReader((tmp_path / "x.csv").open(encoding="utf-8", newline=""))
    assert (last["system"], last["segment"], last["output"]) == ("rewriting", "10", outputs["rewriting"][9])
    assert [last["reference_1"], last["reference_2"]] == references[9]


def test_a_report_has_what_is_printed(printed_json, tmp_path):
    how = ["--confidence", "0.8", "--resamples", "50", "--measures", "all"]
    printed = printed_json(*EXAMPLE, *SYSTEMS, *how, "--report", tmp_path / "x.json")
    found = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert found["resampling"] == printed["resampling"]
    for row, more in zip(printed["systems"], found["systems"], strict=True):
        assert row.items() <= more.items()
    assert found["resampling"]["confidence"] == 0.8


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("x.md", "x.md: is an input, expected another file to write"),
        ("none", "none: No such file or directory, expected a file to read"),
    ],
)
def test_reports_are_left_alone_where_something_is_wrong(run_here, corpus, path, message):
    (corpus / "x.md").write_text("what stood there before")
    process = run_here(*FILES, "--report", "x.md", "--measures", "all", "--word-ranks", path, folder=corpus)
    assert refusal_of(process).startswith(message)
    assert (corpus / "x.md").read_text() == "what stood there before"


def test_reports_heed_width_order_and_pairs_and_keep_warnings(printed, printed_json, tmp_path):
    path = tmp_path / "report.md"
    options = ["--all-pairs", "--by-order", "--by-references", "--resamples", 499, "--width", 4, "--quiet"]
    said = printed(*EXAMPLE, *SYSTEMS, *options, "--show", "sari", "difference", "group", "--report", path)
    text = path.read_text()
    found = printed_json(*EXAMPLE, *SYSTEMS, "--confidence", "--quiet")
    score = f"{found['systems'][0]['scores']['sari']:.4f}"
    for words in (score, "Differences", "Group:", "SARI by n-gram order: easse", "SARI by number of references"):
        assert words in text
    assert ("Warning" in said, "warnings" in found, "Warning" in text, "Ranks" in text) == (False, False, True, False)


def test_baselines_by_name(printed, printed_json):
    rows = printed_json(*EXAMPLE, *SYSTEMS[:2], "--baselines", "copy", "each")["baselines"]
    assert [row["name"] for row in rows] == ["copy", "reference 1", "reference 2"]
    one = [*EXAMPLE[:4], *SYSTEMS[:2], "--baselines"]
    for names in (["copy", "references"], ["copy", "empty", "unrelated", "perfect", "references"]):
        printed(*one, *names)
        assert "references have no scores: every segment needs at least two" in printed.warnings
    for names in ([], ["copy"]):
        printed(*one, *names)
        assert printed.warnings == []
