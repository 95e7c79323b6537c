"""Pictures: the same from the same numbers, names in any script, and axes that hold all values."""

from xml.etree import ElementTree

import pytest

from sari.report import plots


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
        texts = [
            element.text.strip() for element in ElementTree.fromstring(shown).iter("{http://www.w3.org/2000/svg}text")
        ]
        assert number == 1 or set(names) <= set(texts)


def words(svg):
    return [element.text.strip() for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_axes():
    shown = words(plots.histogram({"a": [0.0, 50.0, 100.0]}, "SARI of a segment", limits=(0, 100)))
    assert {"0", "20", "100", "SARI of a segment", "segments"} <= set(shown)
    shown = words(plots.lines({"a": [1.0, 2.0], "b": [2.0, 1.0]}, ["1–4", "5"], x="tokens", y="SARI"))
    assert {"1–4", "5", "tokens", "SARI", "a", "b"} <= set(shown)


def test_one_system_needs_no_legend():
    assert "only" not in words(plots.histogram({"only": [1.0, 2.0]}, "x"))
