"""Pictures: the same from the same numbers, names in any script, and axes that hold all values."""

from xml.etree import ElementTree

import pytest

from sari.reports import plots
from sari.reports.score_report import ScoreRow


def words(svg):
    return [element.text.strip() for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def row(name, sari, ends, kind="system"):
    figures = {"scores": {"sari": sari}, "confidence_intervals": {"sari": ends}}
    return ScoreRow(kind=kind, name=name, variant="easse", segments=2, signature="", **figures)


def test_pictures_are_the_same_from_the_same_numbers():
    values = {"a": [1.0, 22.0, 22.0], "b": [33.0]}
    assert plots.histogram(values, "x") == plots.histogram(values, "x")
    assert plots.histogram(values, "x") != plots.histogram({"a": [1.0], "b": [33.0]}, "x")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [1, 2, 40])
def test_pictures_name_all_systems_whatever_they_are_called(number):
    names = [f"{name}{place}" for place, name in enumerate(("_a", "$x$ & <b>", "日本", "") * 10)][:number]
    for shown in (
        plots.histogram({name: [1.0] for name in names}, "x"),
        plots.lines({name: [1.0] for name in names}, ["1"], x="x", y="y"),
    ):
        assert (set(names) <= set(words(shown))) == (number > 1)  # one system needs no legend
    assert set(names) <= set(words(plots.intervals([row(name, 1.0, [0.5, 2.0]) for name in names], names[0])))
    assert r"a\x1b" in words(plots.lines({"a\x1b": [1.0], "y": [1.0]}, ["1"], x="x", y="y"))
    assert "x" * 34 + "…" + "x" * 35 in words(plots.lines({"x" * 200: [1.0], "y": [1.0]}, ["1"], x="x", y="y"))


def test_axes():
    shown = words(plots.histogram({"a": [0.0, 50.0, 100.0]}, "SARI of a segment"))
    assert {"0", "20", "100", "SARI of a segment", "segments"} <= set(shown)
    rows = [row("copy", 30.0, [20.0, 40.0]), row("copy", 5.0, [5.0, 5.0], kind="baseline")]
    assert {"10", "40", "SARI", "copy", "baseline: copy"} <= set(words(plots.intervals(rows, None)))
    assert [plots.intervals(part, None).count("fill: #ffffff") for part in (rows[:1], rows[1:])] == [0, 1]
