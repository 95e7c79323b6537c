"""Reports as pages and JSON: what stands in them, and that no text breaks them."""

import json
import re
from base64 import b64decode
from dataclasses import replace

import pytest
from report_corpus import OUTPUTS, SOURCES, Page, built, report_of_one, report_of_two

from sari.reports import score_report
from sari.reports.by_references import scores_by_references
from sari.reports.report_page import language_of, report_as_html
from sari.reports.score_report import Length, score_fields
from sari.validation import SystemColumns
from sari.variants import VARIANTS

PICTURE = "data:image/svg+xml;base64,"
report = pytest.fixture(report_of_two, scope="module")
single = pytest.fixture(report_of_one, scope="module")


@pytest.mark.parametrize(
    ("sources", "outputs", "references"),
    [
        ([""], [""], [[""]]),
        ([" "], ["\u3000"], [["", " "]]),
        (["x"] * 3, ["x"] * 3, [["x"]] * 3),
        (["日本語です。", "😀 é"], ["日本。", "é"], [["日本。"], ["😀"]]),
    ],
)
def test_odd_corpora(sources, outputs, references):
    """The page has what the metric warns of."""
    found = built(sources, {"": outputs}, references, variant="xu2016", confidence=0.95)
    page = Page(report_as_html(found))
    assert not page.faults
    assert found.warnings
    assert [row["message"] for row in found.warnings if row["message"] not in page.words] == []
    assert score_fields(found)["systems"][0]["segments"] == len(sources)


def test_page(report):
    """It needs no other file, and names stay text."""
    text = report_as_html(report)
    page = Page(text)
    assert not page.faults
    assert not {"script", "link", "i"} & set(page.tags)
    assert not re.search(r"url\(|@import", text)
    assert {address.removeprefix("#") for address in page.addresses} <= set(re.findall('id="(.*?)"', text))
    facts = ["SARI of copy, <Simple> & short", "alert", "A <i>bold</i> claim .", report.signatures[0]]
    facts += [
        "5 segments with 1 to 3 references each",
        "90% CI: percentile bootstrap",
        "the dashed line is copy; baselines are hollow",
    ]
    assert [fact for fact in facts if fact not in page.words] == []
    assert ["<Simple> & short", "copy", "4", "1", "0"] in page.rows  # wins and losses


def test_page_of_one_system(single):
    page = Page(report_as_html(single))
    assert not any(
        absent in page.words for absent in ("CI", "Rank of words", "Wins and losses", "best of", "n-gram order")
    )
    for segment in single.segments:
        for explanation in segment.outputs.values():
            assert all(token.why in page.words for token in explanation.output)


def test_pictures(report, single):
    """There is one of lengths or numbers of references only where there are several."""
    by_references = scores_by_references(SystemColumns(SOURCES, OUTPUTS, [["a", "b"]] * 5), VARIANTS["easse"])
    lengths = [*report.lengths[:-1], Length(14, 19, 1)]
    page = Page(report_as_html(replace(report, by_references=by_references, lengths=lengths)))
    assert not [address for address in page.pictures.values() if not address.startswith(PICTURE)]
    _, histogram, of_references, of_lengths = page.pictures
    assert (" the number of references" in of_references, " the length " in of_lengths) == (True, True)
    drawn = b64decode(page.pictures[of_lengths].removeprefix(PICTURE)).decode()
    assert (">3 (1)</text>" in drawn, ">14–19 (1)</text>" in drawn) == (True, True)
    of_one_number = replace(single, by_references=by_references[:1], lengths=lengths[:1])
    assert histogram.startswith("The SARI of segments. copy: half of them from 6 to 14, the middle one 11; <Simple>")
    (only,) = Page(report_as_html(of_one_number)).pictures
    assert only.startswith("The SARI of segments. short: half of them from 44 to 65")


@pytest.mark.parametrize(
    ("tokenize", "language"),
    [("zh", "zh"), ("ja-mecab", "ja"), ("spacy-de", "de"), ("13a", ""), ("intl", ""), ("none", ""), ("char", "")],
)
def test_the_tokenizer_names_the_language_of_texts(tokenize, language):
    assert language_of(replace(VARIANTS["easse"], tokenize=tokenize)) == language


def test_segments_in_which_systems_win_lose_and_are_equal():
    systems = {"one": ["a .", "c .", "x ."], "other": ["a .", "c d .", "x y ."]}
    found = built(["a b .", "c d .", "x y z ."], systems, [["a ."], ["c ."], ["x y ."]])
    page = Page(report_as_html(found))
    assert ["other", "one", "1", "1", "1"] in page.rows
    assert len(page.pictures) == 2  # of segments, and of two classes of lengths
    assert list(found.ngrams) == ["other"]


def test_digits_and_columns_are_those_that_are_asked_for(report):
    text = report_as_html(report, digits=4, show=["sari", "intervals"])
    assert Page(text).rows[0] == ["System", "SARI", "90% CI"]
    system = report.results[1]
    for value in (system.scores["sari"], system.confidence_intervals["sari"][0], system.lengths["sari"][0]):
        assert f"{value:.4f}" in text
    assert ["its interval" in page for page in (text, report_as_html(report, show=["sari"]))] == [True, False]


def test_json_of_a_report_has_the_schema_of_scores(report):
    """With further keys, all of which the documentation has."""
    fields = json.loads(json.dumps(score_fields(report)))
    system, explanation = fields["systems"][1], fields["segments"][0]["outputs"]["copy"]
    assert all(f'"{name}":' in score_report.__doc__ for name in (*fields, *system))
    assert (system["lengths"], system["sentences"]) == (report.results[1].lengths, report.results[1].sentences)
    assert set(explanation) == {"variant", "signature", "scores", "source", "output", "missed", "edits"}
    assert set(explanation["source"][0]) == {"text", "mark", "why", "credit"}
