"""Reports, completed: that the numbers are the metric's, by length and by segment."""

import pytest
from report_corpus import OUTPUTS, REFERENCES, SOURCES, built, report_of_two

from sari.reports.building import group_by_length
from sari.reports.score_report import Length
from sari.text_checks import take_sample
from sari.variants import VARIANTS


@pytest.mark.filterwarnings("ignore::UserWarning")  # some references are empty
def test_scores_of_segments_and_of_classes_of_lengths_are_the_metrics(sari):
    report = report_of_two()
    place = SOURCES.index("It rains .")
    assert report.lengths[0] == Length(3, 3, 1)
    shortest = {name: values[0] for name, values in report.results[1].lengths.items()}
    texts = {"sources": SOURCES, "predictions": OUTPUTS["<Simple> & short"], "references": REFERENCES}
    assert sari.compute(**{name: [column[place]] for name, column in texts.items()}, variant="easse") == shortest
    assert sari.compute(**texts, variant="easse", details=True)["sentences"] == report.results[1].sentences


def test_copies_are_counted_in_all_outputs():
    """Also where the sample that warnings look at has none."""
    sources, people = [f"a {number}" for number in range(100)], [["b"]] * 100
    sampled = take_sample(sources, sources, people).columns()[0]
    outputs = ["b" if source in sampled else source for source in sources]
    assert [row.copies for row in built(sources, {"x": outputs, "y": people[0] * 100}, people).results] == [True, False]


def test_classes_of_lengths_are_of_about_the_same_size():
    sources = ["a " * length for length in range(10, 0, -1)]
    lengths, segments = group_by_length(sources, VARIANTS["easse"])
    assert lengths == [Length(1, 2, 2), Length(3, 4, 2), Length(5, 6, 2), Length(7, 8, 2), Length(9, 10, 2)]
    assert segments == [[8, 9], [6, 7], [4, 5], [2, 3], [0, 1]]
