"""What the page answers, without a page: scores are the metric's, and what is refused is refused in one line."""

import pytest
from programs import example_corpus

from sari.web import answers
from sari.web.corpora import batches_of_lists, systems_of_lists
from sari.web.limits import MAX_CHARACTERS, MAX_SEGMENTS, RefusedError


def test_a_corpus_is_scored_in_batches(sari):
    texts = [f"a b {number}" for number in range(600)]
    told = []
    scored = answers.score_corpus(batches_of_lists(texts, texts, texts), lambda *done: told.append(done), variant="t2t")
    assert told == [(250, 600), (500, 600), (600, 600)]
    wanted = sari.compute(sources=texts, predictions=texts, references=texts, variant="t2t", details=True)
    assert scored.result == wanted
    assert [row.line for row in scored.rows] == list(range(1, 601))
    assert [row.sari for row in scored.rows] == wanted["sentences"]["sari"]
    assert {row["category"] for row in scored.warnings} == {"CopiedOutputsWarning"}


def test_systems_are_compared_with_warnings(sari):
    columns = example_corpus()
    columns["predictions"]["copy"] = columns["sources"]
    comparison = answers.compare_systems(systems_of_lists(*columns.values()), baseline="copy", resamples=99)
    assert (comparison.variant, comparison.result["baseline"]) == ("hf", "copy")
    assert comparison.result == sari.compare(**columns, baseline="copy", resamples=99)
    assert "CopiedOutputsWarning" in {row["category"] for row in comparison.warnings}


@pytest.mark.parametrize(
    ("segment", "options", "message"),
    [
        (("", "a", ["a"]), {}, "Please enter a source: the sentence to simplify."),
        (
            ("a", "a", []),
            {},
            "Please enter at least one reference: a simplification written by a person, ",
        ),
        (("a" * MAX_CHARACTERS, "", ["a"]), {}, "That is 10,001 characters; this page takes 10,000 at a time. "),
        (("a", "a", ["a"]), {"tokenize": "flores200"}, "tokenize: got 'flores200', wanted one of 13a, "),
        (("a", "a", ["a"]), {"variant": "bleu"}, "variant: got 'bleu', wanted one of hf, xu2016"),
        (("a", None, ["a"]), {}, "predictions[0]: got NoneType, wanted str"),
    ],
)
def test_segments_that_are_refused(segment, options, message):
    with pytest.raises(RefusedError) as refusal:
        answers.explain_segment(*segment, **options)
    assert str(refusal.value).startswith(message)


def test_too_many_segments():
    texts = ["a"] * (MAX_SEGMENTS + 1)
    with pytest.raises(RefusedError, match=r"^That is 5,001 segments; this page takes 5,000 at a time\. "):
        answers.score_corpus(batches_of_lists(texts, texts, texts), print)


def test_the_report_shows_what_was_asked_for():
    systems = systems_of_lists(*example_corpus().values())
    told = []
    page = answers.report_systems(
        systems, lambda *done: told.append(done), baseline="rewriting", method="bootstrap", variant="easse"
    )
    assert "SARI against rewriting; two-sided, paired bootstrap, 1000 resamples" in page
    assert told[-1][0] <= told[-1][1]
    other = answers.report_systems(systems, print, variant="easse")
    assert "SARI against deleting; two-sided, paired approximate randomization, 10000 trials" in other
