"""Reports, completed: that the numbers are the metric's and the measures', by length and by segment."""

import json
from itertools import pairwise

import pytest
from programs import EXAMPLE, SYSTEMS
from report_corpus import FAST_MEASURES, OUTPUTS, REFERENCES, SOURCES, built, report_of_one, report_of_two

from sari.companion_measures import simplification
from sari.companion_measures.registry import MEASURES
from sari.reports import building, report_page
from sari.reports.score_report import Length

report = pytest.fixture(report_of_two, scope="module")
single = pytest.fixture(report_of_one, scope="module")


@pytest.mark.filterwarnings("ignore::UserWarning")  # some references are empty
def test_scores_of_segments_are_the_metrics(sari, report):
    for system in report.results:
        columns = {"sources": SOURCES, "predictions": OUTPUTS[system.name], "references": REFERENCES}
        assert sari.compute(**columns, variant="easse", details=True)["sentences"].items() <= system.sentences.items()


def test_companion_measures_are_those_of_13a_tokens_in_lower_case(report, single):
    system = report.results[1]
    assert {measure.name for measure in MEASURES if measure.is_slow} == {row.name for row in MEASURES} - {
        *system.scores
    }
    lowercased = ([text.lower() for text in texts[:3]] for texts in (SOURCES, OUTPUTS[system.name]))
    assert system.sentences["edits_from_source"][:3] == simplification.edit_distances(*lowercased).tolist()
    assert system.scores["splits"] == 20
    for name, (low, high) in system.confidence_intervals.items():
        assert low <= system.scores[name] <= high
    assert single.results[0].confidence_intervals == {}


def test_classes_of_lengths(sari, report):
    """Each segment is in one class, and the classes' scores are those of their segments alone."""
    assert sum(length.segments for length in report.lengths) == len(SOURCES)
    assert all(one.longest < other.shortest for one, other in pairwise(report.lengths))
    shortest = {name: values[0] for name, values in report.results[1].lengths.items()}
    place = SOURCES.index("It rains .")
    assert report.lengths[0] == Length(3, report.lengths[0].longest, 1)
    texts = {"sources": SOURCES, "predictions": OUTPUTS["<Simple> & short"], "references": REFERENCES}
    alone = sari.compute(**{name: [column[place]] for name, column in texts.items()}, variant="easse")
    assert alone.items() <= shortest.items()
    assert shortest["compression_ratio"] == 0


def test_baselines_of_every_report(sari, report):
    """The source as an output; the first reference against the others, without SARI where it is the only one."""
    copied, reference = report.baselines
    assert (copied.name, reference.name) == ("copy", "reference 1")
    assert copied.scores == report.results[0].scores
    assert copied.confidence_intervals == report.results[0].confidence_intervals
    assert {"sari", "bleu", "simple_tree_accuracy"}.isdisjoint(reference.scores)
    assert reference.scores["exact_copies"] == 20
    pairs = [["a b c", "a b d"], ["e f", "g f"]]
    found = built(sources=["a b c d", "e f g"], systems={"x": ["a", "b"]}, references=pairs).baselines[1]
    texts = {"sources": ["a b c d", "e f g"], "predictions": ["a b c", "e f"], "references": [["a b d"], ["g f"]]}
    against = sari.compute(**texts, variant="easse")
    assert against.items() <= found.scores.items()
    assert found.scores["token_f1"] == pytest.approx((200 / 3 + 50) / 2)


def test_a_report_needs_no_measures():
    """Neither its pictures nor the segments that it shows do; some measures alone are shown by length, too."""
    texts = {"sources": ["a b c d", "e f g"], "systems": {"x": ["a", "b"]}, "references": [["a"], ["b"]]}
    for measures in ([], [measure for measure in MEASURES if measure.name == "bleu"]):
        page = report_page.report_as_html(built(**texts, measures=measures))
        assert ("BLEU" in page) == bool(measures)


def test_progress_is_told():
    calls = []
    systems = {"a": ["b"], "c": ["d"]}
    built(sources=["x"], systems=systems, references=[["y"]], advance=calls.append)
    assert len(calls) == building.steps(len(systems), FAST_MEASURES)
    assert (calls[0], calls[-1]) == ("BLEU", "c")


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
