"""The paragraph for a paper: complete and true, whatever was scored."""

import re

import pytest
from programs import EXAMPLE, SYSTEMS

from sari.reports.paragraph import bibliography

COPIES = "c=examples/sources.txt"
BREAK = "$|$\\allowbreak{}"


@pytest.fixture
def paragraph(printed):
    """Return what prints the paragraph of a run, without the signature."""

    def text(*options):
        latex = printed(*EXAMPLE[:-2], *options, "--format", "latex", "--quiet")
        (whole,) = re.findall("^(?:We compute SARI~|The test data).*", latex, re.MULTILINE)
        before, footnote, after = re.fullmatch(r"(.*?)(?:\\footnote\{\\raggedright (.*?)\.\}(.*))?", whole).groups()
        return before + (after or ""), footnote and footnote.replace(BREAK, "|")

    return text


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--variant", "easse"], [r"t \textit{easse}~\citep{alva", "10 segments with 2 references each", "13a tokens"]),
        (["--tokenize", "intl", "--no-lowercase"], ["(cased, intl)}"]),
        (["--variant", "easse", "--deletion", "precision"], ["(precision of deletions)}"]),
        (
            ["--variant", "easse", "set"],
            [r"s \textit{easse}", "{set} with the software of", "each variant's own tokens, lowercased."],
        ),
        (["--confidence", "--seed", "7"], [r"95\% percentile intervals of 10,000 bootstrap resamples", "draws is 7."]),
        (["--paired-ar", "--resamples", "1"], ["randomization (1 trial).", "draws is 12345."]),
        ([COPIES, "--paired-bs"], ["paired bootstrap", r"for 2 comparisons~\citep{holm-1979-simple}"]),
        (
            [COPIES, "--all-pairs", "--variant", "hf", "easse"],
            ["with each other", "each score of each variant are corrected for 3 comp"],
        ),
        (["--paired-ar", "--confidence"], ["Intervals of scores and differences are", "segments. We compare"]),
        (
            [COPIES, "--paired-ar", "--confidence"],
            ["; unlike p-values they are not corrected.", "of each score are cor"],
        ),
        (["--measures", "bleu", "added"], [r"We compute BLEU as sacreBLEU does~\citep{post", "EASSE does~"]),
    ],
)
def test_what_was_chosen_is_said(paragraph, options, facts):
    text, _ = paragraph(*SYSTEMS, *options)
    assert [fact for fact in facts if fact not in text] == []


@pytest.mark.parametrize(
    ("shown", "absent"),
    [
        ("sari p", ["resamples of", "sacreBLEU"]),
        ("keep intervals bleu", []),
        ("bleu", ["SARI", "tokens", "resamples of"]),
    ],
)
def test_what_is_not_shown_is_not_said(paragraph, shown, absent):
    given = [*SYSTEMS, "--paired-ar", "--confidence", "--measures", "bleu", "--resamples", "20", "--show"]
    text, _ = paragraph(*given, *shown.split())
    facts = ["SARI", "tokens", "20 trials", "resamples of", "sacreBLEU"]
    assert [fact for fact in facts if fact not in text] == absent


def test_all_citations_are_in_the_bibliography(paragraph):
    text, footnote = paragraph(*SYSTEMS, "--all-variants")
    assert footnote is None
    assert "The appendix has the signature of each variant." in text
    assert "scored as each variant's own tokens, in each variant's own case." in text
    keys = set(re.findall(r"\\citep\{(.*?)\}", text))
    assert len(keys) > 5
    assert keys <= set(re.findall(r"@\w+\{(.*?),", bibliography()))
