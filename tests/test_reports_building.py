"""Reports, gathered: that the numbers are the metric's and the measures', and which segments are chosen."""

import json
from itertools import pairwise

import pytest
from conftest import ROOT
from programs import EXAMPLE, SYSTEMS
from report_corpus import OUTPUTS, REFERENCES, SOURCES, built, document_of_one, document_of_two

from sari.command_line.program import main
from sari.companion_measures import simplification
from sari.companion_measures.registry import MEASURES
from sari.reports import building
from sari.reports.document import Length

NAMES = ("sari", "keep", "delete", "add")


document = pytest.fixture(document_of_two, scope="module")
single = pytest.fixture(document_of_one, scope="module")


def test_scores_and_intervals_are_the_metrics(sari, document):
    for system in document.systems:
        columns = {"sources": SOURCES, "predictions": OUTPUTS[system.name], "references": REFERENCES}
        found = sari.compute(**columns, details=True, confidence=0.9, seed=12345)
        assert system.scores == {name: found[name] for name in NAMES}
        assert system.intervals == {name: list(found["confidence_intervals"][name]) for name in NAMES}
        assert system.sentences == found["sentences"]
        assert system.orders == found["orders"]
        assert document.scored.signatures[0] == found["signature"]
    assert document.scored.resampling.confidence == 0.9
    assert document.references == (1, 3)


def test_companion_measures_are_those_of_the_tokens_that_sari_sees(document, single):
    system = document.systems[1]
    assert set(system.measures) == {measure.name for measure in MEASURES}
    assert {name for name, value in system.measures.items() if value is None} == {"chrf", "ter"}
    distances = simplification.edit_distances(
        *([text.lower() for text in texts[:3]] for texts in (SOURCES, OUTPUTS[system.name]))
    )
    assert system.rows["edits_from_source"][:3] == distances.tolist()
    assert system.measures["splits"] == 20
    for name, (low, high) in system.measure_intervals.items():
        assert low <= system.measures[name] <= high
    assert [system.measure_intervals for system in (*single.systems, *document.baselines)] == [None] * 3


def test_classes_of_lengths(sari, document):
    """Each segment is in one class, and the classes' scores are those of their segments alone."""
    assert sum(length.segments for length in document.lengths) == len(SOURCES)
    ends = [(length.shortest, length.longest) for length in document.lengths]
    assert all(longest < shortest for (_, longest), (shortest, _) in pairwise(ends))
    shortest = document.systems[1].lengths[0]
    place = SOURCES.index("It rains .")
    assert document.lengths[0] == Length(3, document.lengths[0].longest, 1)
    alone = sari.compute(
        sources=[SOURCES[place]], predictions=[OUTPUTS["<Simple> & short"][place]], references=[REFERENCES[place]]
    )
    assert {name: shortest[name] for name in NAMES} == alone
    assert shortest["compression_ratio"] == 0


def test_what_stands_beside_the_systems(sari, document):
    """The source as an output; the first reference against the others, without SARI where it is the only one."""
    copied, reference = document.baselines
    assert (document.systems[0].name, copied.name, reference.name) == ("copy", "copy", "reference 1")
    assert copied.scores == document.systems[0].scores
    assert reference.scores is None
    assert reference.measures["bleu"] is reference.measures["simple_tree_accuracy"] is None
    assert reference.measures["exact_copies"] == 20
    pairs = [["a b c", "a b d"], ["e f", "g f"]]
    found = built(sources=["a b c d", "e f g"], systems={"x": ["a", "b"]}, references=pairs)
    against = sari.compute(sources=["a b c d", "e f g"], predictions=["a b c", "e f"], references=[["a b d"], ["g f"]])
    assert found.baselines[1].scores == against
    assert found.baselines[1].measures["token_f1"] == pytest.approx((200 / 3 + 50) / 2)


def test_progress_is_told():
    calls = []
    systems = {"a": ["b"], "c": ["d"]}
    built(sources=["x"], systems=systems, references=[["y"]], advance=calls.append)
    assert len(calls) == building.steps(len(systems))
    assert calls[0] == "BLEU"
    assert calls[-1] == "Most rewritten of c"


def test_a_measure_computed_elsewhere_is_shown_as_others_are(tmp_path, monkeypatch):
    """With its interval and, where systems are tested, its p-value."""
    monkeypatch.chdir(ROOT)
    rows = [f"{place}\t{place % 3}\n" for place in range(10)]
    (tmp_path / "own.tsv").write_text("deleting\trewriting\n" + "".join(rows))
    report = tmp_path / "report.json"
    given = ["--own-measure", f"mine={tmp_path / 'own.tsv'}", "--paired-ar", "--confidence", "--report", str(report)]
    assert main([*EXAMPLE, *SYSTEMS, *given, "--quiet"]) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    deleting, rewriting = found["systems"]
    assert (deleting["measures"]["mine"], rewriting["measures"]["mine"]) == (4.5, 0.9)
    low, high = deleting["measure_intervals"]["mine"]
    assert low < 4.5 < high
    assert found["scored"]["systems"][1]["measure_tests"]["mine"]["p_value"] < 0.05
