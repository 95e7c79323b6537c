"""The paragraph of a paper that says how scores were computed: complete, and taken from the run itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sari.messages import count_of, escape_unprintable, join_names
from sari.variants import CHANGES, CITATION, VERSION

if TYPE_CHECKING:  # slow to import
    from sari.reports.score_report import ScoreReport

# The keys of what is cited for SARI, for this program and for the correction of p-values.
_SARI, _PROGRAM, _HOLM = "xu-etal-2016-optimizing", "sari-software", "holm-1979-simple"
# The keys of the tools of measures.
_TOOLS = {"sacreBLEU": "post-2018-call", "EASSE": "alva-manchego-etal-2019-easse"}
#: Up to so many signatures stand in a footnote.
_IN_FOOTNOTE = 3
# The parts of a paragraph, as in pandoc's Markdown; a backslash stands before what is no markup.
_PARTS = re.compile(
    r"""\[@(?P<citation>[^][]+)]
    | \*(?P<name>(?:\\.|[^*\\])+)\*
    | \^\[(?P<footnote>(?:\\.|[^][\\])+)]
    | (?P<words>(?:\\.|[^[*^\\])+)""",
    re.VERBOSE,
)


def methods_paragraph(report: ScoreReport) -> str:
    """Return in full sentences how the scores of a report were computed.

    Returns:
        Text in pandoc's Markdown: `[@KEY]` is a citation, `*NAME*` the name of a system, variant or program, and
        `^[TEXT]` a footnote. `parts_of` reads it.
    """
    return " ".join([*_of_variants(report), _of_texts(report), *_of_resampling(report), *_of_measures(report)])


def parts_of(paragraph: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a paragraph: "words", "name", "citation" or "footnote", and the text.

    >>> list(parts_of("SARI [@xu-2016] of *a*^[b]"))
    [('words', 'SARI '), ('citation', 'xu-2016'), ('words', ' of '), ('name', 'a'), ('footnote', 'b')]
    """
    for match in _PARTS.finditer(paragraph):
        kind = str(match.lastgroup)
        yield kind, re.sub(r"\\(.)", r"\1", match[kind])


def _literal(text: str) -> str:
    """Return a text that has no markup."""
    return re.sub(r"([][*^\\])", r"\\\1", escape_unprintable(text))


def paragraph_as_text(paragraph: str) -> str:
    """Return a paragraph without markup; its footnote is the last sentence.

    >>> paragraph_as_text("SARI [@xu-etal-2016-optimizing].^[s] More.")
    'SARI (Xu et al., 2016). More. Signature: s.'
    """
    words, notes = "", ""
    for kind, text in parts_of(paragraph):
        if kind == "footnote":
            notes += f" Signature: {text}."
        else:
            words += f"({_entries()[text]})" if kind == "citation" else text
    return words + notes


def bibliography() -> str:
    """Return what to cite, as BibTeX: SARI, its variants, and this program."""
    text = Path(__file__).with_name("citations.bib").read_text(encoding="utf-8")
    return text.replace("CITATION\n", CITATION + "\n").replace("VERSION", VERSION).rstrip()


# The key of an entry, its authors and its year.
_ENTRY = re.compile(r"^@\w+\{(.+),\n(?:.*\n)*?    author = \{(.+)\},\n(?:.*\n)*?    year = \{(\d+)\}", re.MULTILINE)


@cache
def _entries() -> dict[str, str]:
    """Return authors and year by the keys of the bibliography.

    >>> list(_entries().values())[:2], [who for who in _entries().values() if " et al." not in who][1:4]
    (['Xu et al., 2016', 'Alva-Manchego et al., 2019'], ['Zhang and Lapata, 2017', 'Post, 2018', 'Holm, 1979'])
    """
    entries = {}
    for key, authors, year in _ENTRY.findall(bibliography()):
        first, *others = (author.split(",")[0].strip("{}") for author in authors.split(" and "))
        who = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
        entries[key] = f"{who}, {year}"
    return entries


def _of_variants(report: ScoreReport) -> Iterator[str]:
    """Yield the sentence on the metric, its variants and the program, with a footnote of few signatures."""
    if not report.scored_by:
        return
    variants = []
    for label, title in report.titles.items():
        key = report.scored_by[label].cites
        variants.append(f"*{_literal(title)}*" + ("" if key in (_SARI, _PROGRAM) else f" [@{key}]"))
    named = f"variant{'s' if len(variants) > 1 else ''} {join_names(variants, 'and')}"
    software = f"the software of the SARI contributors, version {VERSION} [@{_PROGRAM}]"
    sentence = f"We compute SARI [@{_SARI}] in the {named} with {software}."
    if len(variants) > _IN_FOOTNOTE:
        yield f"{sentence} The appendix has the signature of each variant."
    else:
        yield f"{sentence}^[{_literal(', '.join(report.signatures))}]"


def _of_texts(report: ScoreReport) -> str:
    """Return the sentence on the segments, the test set, the references, and tokens and case."""
    first, *others = report.nrefs
    of = f" of {report.test_set}" if report.test_set else ""
    references = f"{first} to {count_of(others[-1], 'reference')}" if others else count_of(first, "reference")
    columns = [text for variant in report.scored_by.values() for text in (variant.text, variant.source_text)]
    words = []
    for name, otherwise in (("tokenize", "each variant's own tokens"), ("lowercase", "in each variant's own case")):
        choices = {getattr(text, name) for text in columns}
        if len(choices) == 1:
            words.append(_literal(CHANGES[name].words(*choices)))
        elif len(report.scored_by) > 1:
            words.append(otherwise)
    over = f"; the texts are scored as {', '.join(words)}" if words else ""
    return f"The test data are {report.size}{of} with {references} each{over}."


def _of_resampling(report: ScoreReport) -> Iterator[str]:
    """Yield the sentences on intervals and tests, and their seed."""
    draws = report.resampling
    if draws is None:
        return
    if draws.confidence is not None:
        resamples = count_of(draws.resamples or 0, "bootstrap resample")
        named = "Intervals of scores and differences" if draws.comparisons else "Intervals"
        several = "; unlike p-values they are not corrected" if draws.comparisons > 1 else ""
        yield f"{named} are {100 * draws.confidence:g}% percentile intervals of {resamples} of the segments{several}."
    if draws.comparisons:
        others = f"*{_literal(draws.baseline)}*" if draws.baseline else "each other"
        test = f"{draws.test.title[0].lower()}{draws.test.title[1:]} ({count_of(draws.trials or 0, draws.test.draws)})"
        correction = ""
        if draws.comparisons > 1:
            each = "each score of each variant" if len(report.scored_by) > 1 else "each score"
            correction = f"; p-values of {each} are corrected for {draws.comparisons:,} comparisons [@{_HOLM}]"
        yield f"We compare the systems with {others} by two-sided tests with {test}{correction}."
    if draws.confidence is not None or draws.comparisons:
        yield f"The seed of the random draws is {draws.seed}."


def _of_measures(report: ScoreReport) -> Iterator[str]:
    """Yield the sentences on companion measures, which are sacreBLEU's, EASSE's, or explained."""
    for tool, key in _TOOLS.items():
        labels = [measure.label for measure in report.measures if measure.tool == tool]
        if labels:
            yield f"We compute {join_names(labels, 'and')} as {tool} does [@{key}]."
    others = [f"{row.label} ({_literal(row.about)})" for row in report.measures if row.tool not in _TOOLS]
    if others:
        yield f"Further measures: {'; '.join(others)}."
