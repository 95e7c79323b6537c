"""Pictures: the same from the same numbers, names in any script, and axes that hold all values."""

from xml.etree import ElementTree

import pytest

from sari.reports import plots


def words(svg):
    return [element.text.strip() for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_pictures_are_the_same_from_the_same_numbers():
    values = {"a": [1.0, 2.0, 2.0], "b": [3.0]}
    assert plots.histogram(values, "x") == plots.histogram(values, "x")
    assert plots.histogram(values, "x") != plots.histogram({"a": [1.0], "b": [3.0]}, "x")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [1, 2, 40])
def test_pictures_name_all_systems_whatever_they_are_called(number):
    names = [f"{name}{place}" for place, name in enumerate(("_a", "$x$ & <b>", "日本", "") * 10)][:number]
    for shown in (
        plots.histogram({name: [1.0] for name in names}, "x"),
        plots.lines({name: [1.0] for name in names}, ["1"], x="x", y="y"),
    ):
        assert (set(names) <= set(words(shown))) == (number > 1)  # one system needs no legend
    assert set(names) <= set(words(plots.intervals(dict.fromkeys(names, (1.0, [0.5, 2.0])), "x", against=names[0])))
    assert r"a\x1b" in words(plots.lines({"a\x1b": [1.0], "y": [1.0]}, ["1"], x="x", y="y"))
    assert "x" * 69 + "…" in words(plots.lines({"x" * 200: [1.0], "y": [1.0]}, ["1"], x="x", y="y"))


def test_axes():
    shown = words(plots.histogram({"a": [0.0, 50.0, 100.0]}, "SARI of a segment", limits=(0, 100)))
    assert {"0", "20", "100", "SARI of a segment", "segments"} <= set(shown)
    shown = words(plots.lines({"a": [1.0, 2.0], "b": [2.0, 1.0]}, ["1–4", "5"], x="tokens", y="SARI"))
    assert {"1–4", "5", "tokens", "SARI", "a", "b"} <= set(shown)
    shown = words(plots.intervals({"a": (30.0, [20.0, 40.0]), "copy": (5.0, [5.0, 5.0])}, "SARI", baselines=["copy"]))
    assert {"10", "40", "SARI", "a", "copy"} <= set(shown)
