"""Scores from files: options that reach the metric, sentence scores, and reports."""

import csv
import json
import re

import pytest
from programs import (
    EXAMPLE,
    OUTPUT,
    REFERENCES,
    ROOT,
    SOURCE,
    SYSTEMS,
    example_corpus,
    output_of,
    refusal_of,
    write_example_of_the_paper,
)
from report_corpus import OUTPUTS, SOURCES
from report_corpus import REFERENCES as ROWS

from sari.sari_scorer import Scorer
from sari.variants import SCORES


@pytest.fixture
def paper(tmp_path):
    """Return a folder with the example of the paper as text files, and the arguments that name them."""
    return tmp_path, write_example_of_the_paper(tmp_path)


def test_options_reach_the_metric(run_here, paper, sari):
    folder, arguments = paper
    options = {"variant": "easse", "level": "sentence", "deletion": "precision", "zero_division": 0.5}
    options |= {"tokenize": "intl", "max_order": 3}
    switches = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    options["lowercase"] = False
    switches += ["--no-lowercase", "--format", "json"]
    (system,) = json.loads(output_of(run_here(*arguments, *switches, folder=folder)))["systems"]
    details = sari.compute(sources=[SOURCE], predictions=[OUTPUT], references=[REFERENCES], details=True, **options)
    assert system["scores"] == {name: details[name] for name in SCORES}
    assert system["signature"] == details["signature"]
    assert system["variant"] == "easse+case+tok+order+level+del+zero"


def test_a_printed_signature_scores_as_it_says(run_here, paper, sari):
    folder, arguments = paper
    printed = sari.with_options(variant="easse", lowercase=False, max_order=2).signature(nrefs=len(REFERENCES))

    def found(*options, signature=printed):
        options = ["--signature", signature, "--format", "json", *options]
        return json.loads(output_of(run_here(*arguments, *options, folder=folder)))

    (system,) = found()["systems"]
    assert system["signature"] == printed
    assert found("--why", "hf")["explanations"][0]["signature_a"] == printed
    same = run_here(*arguments, "--signature", printed, "--why", "easse", folder=folder)
    assert "--why: got 'easse', which is the variant itself" in refusal_of(same)
    other = printed.replace(f"nrefs:{len(REFERENCES)}", "nrefs:1").replace("version:2", "version:1")
    names = [row["category"] for row in found(signature=other)["warnings"]]
    assert names.count("SignatureWarning") == 1
    found("--report", "report.json", signature=other)
    report = json.loads((folder / "report.json").read_text())
    assert [row["category"] for row in report["warnings"]].count("SignatureWarning") == 1


# ---- Sentence scores ------------------------------------------------------------------------------------------------


def test_sentence_scores_with_texts(run_here, tmp_path):
    """A row for every segment scored alone, in order, of each system; each reference is a column of CSV."""
    arguments = [*EXAMPLE, *SYSTEMS, "--sentences"]
    for name in ("x.jsonl", "x.csv"):
        (tmp_path / name).write_text("what stood there before")
        output_of(run_here(*arguments, str(tmp_path / name), folder=ROOT))
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    texts = example_corpus()
    for name, outputs in texts["predictions"].items():
        details = Scorer("easse").compute(**{**texts, "predictions": outputs}, details=True)["sentences"]
        for segment in range(10):
            assert rows.pop(0) == {
                **{"system": name, "segment": segment + 1},
                **{score: details[score][segment] for score in SCORES},
                **{"source": texts["sources"][segment], "output": outputs[segment]},
                "references": texts["references"][segment],
            }
    (*_, last) = csv.DictReader((tmp_path / "x.csv").open(encoding="utf-8", newline=""))
    assert (last["system"], last["segment"], last["output"]) == ("rewriting", "10", outputs[9])
    assert [last["reference_1"], last["reference_2"]] == texts["references"][9]


# ---- Reports --------------------------------------------------------------------------------------------------------

TWO_SYSTEMS = ["--sources", "s.txt", "--references", "r.txt", "--outputs", "a.txt", "b.txt"]


@pytest.fixture
def two_systems(tmp_path):
    (tmp_path / "s.txt").write_text("\n".join(SOURCES) + "\n")
    (tmp_path / "a.txt").write_text("\n".join(OUTPUTS["copy"]) + "\n")
    (tmp_path / "b.txt").write_text("\n".join(OUTPUTS["<Simple> & short"]) + "\n")
    (tmp_path / "r.txt").write_text("\n".join(row[0] for row in ROWS) + "\n")
    return tmp_path


@pytest.fixture
def report(run_here, two_systems):
    """Return a function that runs `score.py` on these files, and returns what it prints."""
    return lambda *arguments: output_of(run_here(*TWO_SYSTEMS, *arguments, folder=two_systems))


def test_a_report_has_what_is_printed(two_systems, report, sari):
    how = ["--variant", "easse", "--confidence", "0.8", "--resamples", "50", "--format", "json"]
    output = report(*how, "--report", "x.json", "--measures", "all")
    found = json.loads((two_systems / "x.json").read_text(encoding="utf-8"))
    assert found["resampling"]["confidence"] == 0.8
    printed = json.loads(output)["systems"][1]
    assert printed["confidence_intervals"].items() <= found["systems"][1]["confidence_intervals"].items()
    first = [row[0] for row in ROWS]
    scores = sari.compute(sources=SOURCES, predictions=OUTPUTS["copy"], references=first, variant="easse")
    assert scores.items() <= found["systems"][0]["scores"].items()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measures", "all", "--word-ranks", "x.md"], "x.md: is an input, expected another file to write"),
        (["--measures", "all", "--word-ranks", "none"], "none: No such file or directory, expected a file to read"),
    ],
)
def test_reports_are_left_alone_where_something_is_wrong(run_here, two_systems, arguments, message):
    (two_systems / "x.md").write_text("what stood there before")
    process = run_here(*TWO_SYSTEMS, "--report", "x.md", *arguments, folder=two_systems)
    assert refusal_of(process).startswith(message)
    assert (two_systems / "x.md").read_text() == "what stood there before"


def test_reports_heed_width_order_and_pairs_and_keep_warnings(printed_json, printed, tmp_path):
    path = tmp_path / "report.md"
    options = ["--all-pairs", "--by-order", "--by-references", "--resamples", 499, "--width", 4, "--quiet"]
    said = printed(*EXAMPLE, *SYSTEMS, *options, "--report", path)
    text = path.read_text()
    for words in ("Differences", "Group:", "SARI by n-gram order: easse", "SARI by number of references"):
        assert words in text
    for result in printed_json(*EXAMPLE, *SYSTEMS)["systems"]:
        assert re.search(rf"\| (\*\*)?{result['scores']['sari']:.4f}(\*\*)?(\\\*)? \|", text)
    assert ("Warning" in said, "Warning" in text) == (False, True)


def test_baselines_that_need_several_references(printed):
    one = [*EXAMPLE[:4], *SYSTEMS[:2]]
    printed(*one, "--baselines", "copy", "references")
    assert "references have no scores: every segment needs at least two" in printed.warnings
    printed(*one, "--baselines")
    assert printed.warnings == []
