"""Reports, completed: that the numbers are the metric's and the measures', by length and by segment."""

import json
from itertools import pairwise

import pytest
from programs import EXAMPLE, SYSTEMS
from report_corpus import OUTPUTS, REFERENCES, SOURCES, built, report_of_one, report_of_two

from sari.companion_measures.registry import MEASURES
from sari.reports.score_report import Length
from sari.variants import SCORES

report = pytest.fixture(report_of_two, scope="module")
single = pytest.fixture(report_of_one, scope="module")


def test_all_measures_but_slow_ones_are_in_a_report(report, single):
    system = report.results[1]
    assert {row.name for row in MEASURES if not row.is_slow} == {*system.scores} - {*SCORES}
    assert system.scores["splits"] == 20
    assert all(low <= system.scores[name] <= high for name, (low, high) in system.confidence_intervals.items())
    assert single.results[0].confidence_intervals == {}


@pytest.mark.filterwarnings("ignore::UserWarning")  # some references are empty
def test_scores_of_segments_and_of_classes_of_lengths_are_the_metrics(sari, report):
    """Each segment is in one class."""
    assert sum(length.segments for length in report.lengths) == len(SOURCES)
    assert all(one.longest < other.shortest for one, other in pairwise(report.lengths))
    shortest = {name: values[0] for name, values in report.results[1].lengths.items()}
    place = SOURCES.index("It rains .")
    assert report.lengths[0] == Length(3, report.lengths[0].longest, 1)
    texts = {"sources": SOURCES, "predictions": OUTPUTS["<Simple> & short"], "references": REFERENCES}
    assert sari.compute(**{name: [column[place]] for name, column in texts.items()}, variant="easse") == shortest
    assert sari.compute(**texts, variant="easse", details=True)["sentences"] == report.results[1].sentences


def test_progress_is_told():
    calls = []
    systems = {"a": ["b"], "c": ["d"]}
    built(sources=["x"], systems=systems, references=[["y"]], advance=calls.append)
    assert calls[1:] == ["a", "c"]


def test_a_measure_computed_elsewhere_is_shown_as_others_are(printed, tmp_path):
    """With its interval and, where systems are tested, its p-value."""
    rows = [f"{place}\t{place % 3}\n" for place in range(10)]
    (tmp_path / "own.tsv").write_text("deleting\trewriting\n" + "".join(rows))
    given = ["--own-measure", f"mine={tmp_path / 'own.tsv'}", "--paired-ar", "--confidence"]
    printed(*EXAMPLE, *SYSTEMS, *given, "--report", tmp_path / "x.json")
    deleting, rewriting = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["systems"]
    assert (deleting["scores"]["mine"], rewriting["scores"]["mine"]) == (4.5, 0.9)
    low, high = deleting["confidence_intervals"]["mine"]
    assert low < 4.5 < high
    assert rewriting["p_values"]["mine"] < 0.05
