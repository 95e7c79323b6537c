"""Reports as pages and JSON: what stands in them, and that no text breaks them."""

import json
import re
from dataclasses import replace

import pytest
from report_corpus import REFERENCES, SIDE_DATA, SOURCES, Page, built, document_of_one, document_of_two

from sari.companion_measures.registry import REPORTED_MEASURES
from sari.reports import report_page

document = pytest.fixture(document_of_two, scope="module")
single = pytest.fixture(document_of_one, scope="module")


@pytest.mark.parametrize(
    ("sources", "outputs", "references"),
    [
        (["a b ."], ["a ."], [["a ."]]),
        ([""], [""], [[""]]),
        ([" "], ["\u3000"], [["", " "]]),
        (["x"] * 3, ["x"] * 3, [["x"]] * 3),
        (["日本語です。", "😀 é"], ["日本。", "é"], [["日本。"], ["😀"]]),
    ],
)
@pytest.mark.parametrize("variant", ["hf", "easse_legacy", "xu2016"])
def test_every_format_takes_odd_corpora(sources, outputs, references, variant):
    found = built(sources=sources, systems={"": outputs}, references=references, variant=variant, confidence=0.95)
    assert not Page(report_page.report_as_html(found)).faults
    assert json.loads(report_page.report_as_json(found))["segments"] == len(sources)


# The page


def test_page(document):
    text = report_page.report_as_html(document)
    page = Page(text)
    assert not page.faults
    assert not {"script", "link", "i"} & set(page.tags)
    assert page.addresses
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    assert not re.search(r"url\(|@import", text)
    assert "SARI of copy, <Simple> & short" in page.words
    assert "< script > alert" in page.words
    assert "A <i>bold</i> claim ." in page.words
    assert document.scored.signatures[0] in page.words
    for system in document.systems:
        low, high = system.intervals["sari"]
        assert f"[{low:.2f}, {high:.2f}]" in page.words
        low, high = system.measure_intervals["bleu"]
        assert f"{system.measures['bleu']:.2f} [{low:.2f}, {high:.2f}]" in page.words
    assert all(measure.label in page.words for measure in REPORTED_MEASURES)
    assert "5 segments, 1 to 3 references each." in page.words
    assert "[ ]: 90% CI, percentile bootstrap over segments" in page.words
    assert "<Simple> & short against copy" in page.words


def test_page_of_one_system(single):
    page = Page(report_page.report_as_html(single))
    assert not page.faults
    assert "CI" not in page.words
    assert "Simple tree accuracy" not in page.words
    assert "Best segments of" not in page.words


def test_warnings_are_on_the_page():
    how = {"sources": ["Some words here ."] * 30, "references": [["Words ."]] * 30}
    found = built(systems={"empty": [""] * 30}, **how)
    assert found.scored.warnings
    assert all(row["message"] in Page(report_page.report_as_html(found)).words for row in found.scored.warnings)


def test_every_reason_stands_on_the_page_once_for_each_text(single):
    page = Page(report_page.report_as_html(single))
    for group in single.examples:
        for example in group.segments:
            for explanation in example.outputs.values():
                assert all(token.why in page.words for token in explanation.output)
    assert "Why, word by word" in page.words


def test_many_systems_are_rows():
    systems = {f"system {number}": ["a b"] for number in range(6)}
    found = built(sources=["a b c"], systems=systems, references=[["a"]])
    text = report_page.report_as_html(found)
    assert not Page(text).faults
    # The scores; the measures of the systems, of the source and of the reference; SARI by length.
    assert [len(re.findall("<th ", row)) for row in re.findall(r"<thead>.*?</thead>", text)] == [5, 9, 8]


def test_digits_are_those_that_are_asked_for(document):
    text = report_page.report_as_html(replace(document, digits=4))
    assert f"{document.systems[1].scores['sari']:.4f}" in text
    assert f"{document.systems[1].intervals['sari'][0]:.4f}" in text
    assert f"{document.systems[1].lengths[0]['sari']:.4f}" in text


# JSON


def test_json_has_the_keys_of_the_documentation_in_their_order(document):
    places = [report_page.__doc__.index(f'"{name}":') for name in json.loads(report_page.report_as_json(document))]
    assert places == sorted(places)


INTERVALS = ("intervals", "measure_intervals")


def test_json_has_one_schema(document):
    how = {"sources": SOURCES, "systems": {"copy": SOURCES}, "references": REFERENCES, "side_data": SIDE_DATA}
    several, one = (
        json.loads(report_page.report_as_json(document)),
        json.loads(report_page.report_as_json(built(**how))),
    )

    def schema(value):
        if isinstance(value, dict):
            return {name: schema(inner) for name, inner in value.items() if name not in ("outputs", *INTERVALS)}
        return schema(value[0]) if isinstance(value, list) and value else None

    assert set(one) == set(several)
    assert schema(one["systems"]) == schema(several["systems"])
    assert schema(one["examples"]) == schema(several["examples"])
    explanation = several["examples"][0]["segments"][0]["outputs"]["copy"]
    assert set(explanation) == {"variant", "signature", "scores", "penalties", "source", "output", "missed", "edits"}
    assert set(explanation["source"][0]) == {"text", "mark", "why", "credit"}
