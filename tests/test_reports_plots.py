"""Pictures: the same from the same numbers, names in any script, and axes that hold all values."""

import re
from xml.etree import ElementTree

import pytest

from sari.reports import plots


def words(svg):
    return [element.text.strip() for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_pictures_are_the_same_from_the_same_numbers():
    values = {"a": [1.0, 2.0, 2.0], "b": [3.0]}
    assert plots.histogram(values, "x") == plots.histogram(values, "x")
    assert plots.histogram(values, "x") != plots.histogram({"a": [1.0], "b": [3.0]}, "x")
    shown = plots.lines({"a": [1.0, 2.0]}, ["1–2", "3"], x="x", y="y")
    assert shown.startswith("<?xml")
    assert "</svg>" in shown


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [1, 2, 9])
def test_pictures_take_any_name(number):
    names = [f"{name}{place}" for place, name in enumerate(("_a", "$x$ & <b>", "日本", "") * 3)][:number]
    for shown in (
        plots.histogram({name: [1.0] for name in names}, "x"),
        plots.lines({name: [1.0] for name in names}, ["1"], x="x", y="y"),
    ):
        assert number == 1 or set(names) <= set(words(shown))


def test_axes():
    shown = words(plots.histogram({"a": [0.0, 50.0, 100.0]}, "SARI of a segment", limits=(0, 100)))
    assert {"0", "20", "100", "SARI of a segment", "segments"} <= set(shown)
    assert "a" not in shown  # one system needs no legend
    shown = words(plots.lines({"a": [1.0, 2.0], "b": [2.0, 1.0]}, ["1–4", "5"], x="tokens", y="SARI"))
    assert {"1–4", "5", "tokens", "SARI", "a", "b"} <= set(shown)


def test_a_legend_of_many_systems_stands_below_at_full_length():
    """Within the picture, whose height grows with the legend."""
    few, many = (plots.lines({f"system {n}": [1.0] for n in range(number)}, ["1"], x="x", y="y") for number in (5, 40))
    heights = [float(ElementTree.fromstring(svg).get("viewBox").split()[3]) for svg in (few, many)]
    assert heights[0] < heights[1]
    assert {f"system {n}" for n in range(40)} <= set(words(many))
    places = re.findall(r'<text [^>]*x="([-\d.]+)" y="([-\d.]+)"', many)
    assert len(places) >= 40
    assert all(0 <= float(x) <= 461 and 0 <= float(y) <= heights[1] for x, y in places)
    long = words(plots.lines({"x" * 200: [1.0], "y": [1.0]}, ["1"], x="x", y="y"))
    assert "x" * 69 + "…" in long
