"""The paragraph for a paper: complete and true, whatever was scored."""

import re

import pytest
from programs import EXAMPLE, SYSTEMS

from sari.reports.paragraph import bibliography

COPIES = "c=examples/sources.txt"


@pytest.fixture
def paragraph(printed):
    """Return what prints the paragraph of a run, without the signature."""

    def text(*options):
        latex = printed(*EXAMPLE[:-2], *options, "--format", "latex", "--quiet")
        whole = latex[latex.rindex("\nSARI~") + 1 :].strip()
        footnote = re.search(r"\\footnote\{\\raggedright (.*?)\.\}", whole)
        return whole.replace(footnote[0], ""), footnote[1].replace("$|$\\allowbreak{}", "|")

    return text


def test_a_comparison_with_everything(paragraph):
    baselines = ["--baselines", "copy", "unrelated", "references"]
    text, footnote = paragraph(*SYSTEMS, "--variant", "easse", "--confidence", "--paired-ar", *baselines)
    expected = r"""
    SARI~\citep{xu-etal-2016-optimizing} is computed in the variant
    \textit{easse}~\citep{alva-manchego-etal-2019-easse}, with its published options, by the program
    SARI 2.0.0~\citep{sari-software}: 10 segments, 2 references, 13a tokens, lowercased; 95\% percentile-bootstrap
    intervals over segments (10,000 resamples); two-sided paired approximate randomization against
    \textit{deleting} (10,000 trials; one comparison, uncorrected); copied sources score 15.38, references of
    other segments 29.63, each reference against the others on average 50.79."""
    assert text == " ".join(expected.split())
    assert re.fullmatch(r"SARI\|variant:easse\|nrefs:2\|.*\|version:2\.0\.0; seed 12345", footnote)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--tokenize", "intl", "--no-lowercase"], ["with cased, intl tokens, by"]),
        (["--variant", "easse", "--deletion", "precision"], ["with precision of deletions"]),
        (["--variant", "easse", "set"], [r"\textit{easse}", r"and \textit{set}", "with its published options"]),
        ([COPIES, "--paired-bs"], ["paired bootstrap", "2 comparisons, corrected as by Holm (1979)"]),
        (["--all-pairs", "--variant", "hf", "easse"], ["of each pair", "one comparison of each variant, uncorrected"]),
        (["--measures", "bleu"], ["Companion measures: BLEU: sacreBLEU over the same tokens."]),
    ],
)
def test_what_was_chosen_is_said(paragraph, options, facts):
    text, _ = paragraph(*SYSTEMS, *options)
    assert [fact for fact in facts if fact not in text] == []


def test_all_citations_are_in_the_bibliography(paragraph):
    text, _ = paragraph(*SYSTEMS, "--all-variants")
    keys = set(re.findall(r"\\citep\{(.*?)\}", text))
    assert len(keys) > 5
    assert keys <= set(re.findall(r"@\w+\{(.*?),", bibliography()))
