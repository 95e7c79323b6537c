"""Reports as pages and JSON: what stands in them, and that no text breaks them."""

import json
import re

import pytest
from report_corpus import FAST_MEASURES, Page, built, report_of_one, report_of_two

from sari.reports import report_page, score_report

report = pytest.fixture(report_of_two, scope="module")
single = pytest.fixture(report_of_one, scope="module")


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
    assert score_report.score_fields(found)["systems"][0]["segments"] == len(sources)


# The page


def test_page(report):
    text = report_page.report_as_html(report)
    page = Page(text)
    pictures = [address for address in page.addresses if not address.startswith("#")]
    assert not page.faults
    assert not {"script", "link", "i"} & set(page.tags)
    assert pictures
    assert all(address.startswith("data:image/svg+xml;base64,") for address in pictures)
    assert not re.search(r"url\(|@import", text)
    assert {address[1:] for address in page.addresses if address not in pictures} <= set(re.findall('id="(.*?)"', text))
    facts = ["SARI of copy, <Simple> & short", "< script > alert", "A <i>bold</i> claim .", report.signatures[0]]
    facts += ["5 segments with 1 to 3 references each", "90% CI: percentile bootstrap over segments"]
    facts += ["the dashed line is copy; baselines are hollow"]
    for system in report.results:
        low, high = system.confidence_intervals["bleu"]
        facts.append(f"{system.scores['bleu']:.2f} [{low:.2f}, {high:.2f}]")
    facts += [measure.label for measure in FAST_MEASURES]
    assert [fact for fact in facts if fact not in page.words] == []
    assert ["<Simple> & short", "copy", "4", "1", "0"] in page.rows


def test_page_of_one_system(single):
    page = Page(report_page.report_as_html(single))
    assert not page.faults
    assert not any(absent in page.words for absent in ("CI", "Rank of words", "Wins and losses", "best of"))
    for segment in single.segments:
        for explanation in segment.outputs.values():
            assert all(token.why in page.words for token in explanation.output)


def test_segments_in_which_systems_win_lose_and_are_equal():
    systems = {"one": ["a .", "c .", "x ."], "other": ["a .", "c d .", "x y ."]}
    found = built(sources=["a b .", "c d .", "x y ."], systems=systems, references=[["a ."], ["c ."], ["x y ."]])
    assert ["other", "one", "1", "1", "1"] in Page(report_page.report_as_html(found)).rows


def test_warnings_are_on_the_page():
    found = built(sources=["Some words here ."] * 30, references=[["Words ."]] * 30, systems={"empty": [""] * 30})
    assert found.warnings
    assert all(row["message"] in Page(report_page.report_as_html(found)).words for row in found.warnings)


def test_digits_are_those_that_are_asked_for(report):
    text = report_page.report_as_html(report, digits=4)
    system = report.results[1]
    for value in (system.scores["sari"], system.confidence_intervals["sari"][0], system.lengths["sari"][0]):
        assert f"{value:.4f}" in text


# JSON


def test_json_of_a_report_has_the_schema_of_scores(report):
    """With further keys, all of which the documentation has."""
    fields = json.loads(json.dumps(score_report.score_fields(report)))
    system, explanation = fields["systems"][1], fields["segments"][0]["outputs"]["copy"]
    assert all(f'"{name}":' in score_report.__doc__ for name in (*fields, *system))
    assert (system["lengths"], system["sentences"]) == (report.results[1].lengths, report.results[1].sentences)
    assert set(explanation) == {"variant", "signature", "scores", "source", "output", "missed", "edits"}
    assert set(explanation["source"][0]) == {"text", "mark", "why", "credit"}
