"""The paragraph of a paper that says how scores were computed: complete, and taken from the run itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sari.reports.tables import Piece
from sari.validation import either
from sari.variants import CHANGES, CITATION, VERSION

if TYPE_CHECKING:  # slow to import
    from sari.reports.score_report import ScoreReport

# The keys of what is cited for SARI, for this program and for the correction of p-values.
_SARI, _PROGRAM, _HOLM = "xu-etal-2016-optimizing", "sari-software", "holm-1979-simple"
# The keys of the tools of measures.
_TOOLS = {"sacreBLEU": "post-2018-call", "EASSE": "alva-manchego-etal-2019-easse"}
#: Up to so many signatures stand in a footnote.
_IN_FOOTNOTE = 3
#: How the baselines are named in a sentence.
_BASELINES_IN_WORDS = {
    "copy": "copied sources",
    "empty": "outputs without words",
    "unrelated": "references of other segments",
    "references": "each reference against the others on average",
}


def methods_paragraph(report: ScoreReport, digits: int = 2) -> list[Piece]:
    """Return in full sentences how the scores of a report were computed.

    Args:
        report: of any systems and variants.
        digits: decimals of the scores of baselines.
    """
    sentences = [_of_variants(report), _of_texts(report), *_of_resampling(report), *_of_measures(report)]
    sentences += _of_baselines(report, digits)
    pieces = []
    for place, sentence in enumerate(sentences):
        pieces += [Piece(" " if place else ""), *sentence]
    return pieces


def paragraph_as_text(pieces: Sequence[Piece]) -> str:
    """Return a paragraph without markup; its footnote is the last sentence.

    >>> paragraph_as_text([Piece("SARI "), Piece("xu-etal-2016-optimizing", "citation"), Piece("s", "footnote")])
    'SARI (Xu et al., 2016) Signature: s.'
    """
    entries, words, notes = _entries(), "", ""
    for piece in pieces:
        if piece.kind == "footnote":
            notes += f" Signature: {piece.text}."
        else:
            words += f"({entries[piece.text]})" if piece.kind == "citation" else piece.text
    return words + notes


def bibliography() -> str:
    """Return what to cite, as BibTeX: SARI, its variants, and this program."""
    text = Path(__file__).with_name("citations.bib").read_text(encoding="utf-8")
    return text.replace("CITATION\n", CITATION + "\n").replace("VERSION", VERSION).rstrip()


# The key of an entry, its authors and its year.
_ENTRY = re.compile(r"^@\w+\{(.+),\n(?:.*\n)*?    author = \{(.+)\},\n(?:.*\n)*?    year = \{(\d+)\}", re.MULTILINE)


@cache
def _entries() -> dict[str, str]:
    """Return authors and year by the keys of the bibliography."""
    entries = {}
    for key, authors, year in _ENTRY.findall(bibliography()):
        first, *others = (author.split(",")[0].strip("{}") for author in authors.split(" and "))
        who = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
        entries[key] = f"{who}, {year}"
    return entries


def _of_variants(report: ScoreReport) -> list[Piece]:
    """Return the sentence on the metric, its variants and the program, with a footnote of few signatures."""
    variants = report.scored_by
    several = "s" if len(variants) > 1 else ""
    pieces = [Piece("We compute SARI "), Piece(_SARI, "citation"), Piece(f" in the variant{several} ")]
    for place, (label, title) in enumerate(report.titles.items()):
        separator = "" if not place else " and " if place == len(variants) - 1 else ", "
        pieces += [Piece(separator), Piece(title, "name")]
        if variants[label].cites not in (_SARI, _PROGRAM):
            pieces += [Piece(" "), Piece(variants[label].cites, "citation")]
    pieces += [
        Piece(" with the Python package "),
        Piece("sari", "name"),
        Piece(f" {VERSION} "),
        Piece(_PROGRAM, "citation"),
    ]
    if len(variants) > _IN_FOOTNOTE:
        return [*pieces, Piece(". The appendix has the signature of each variant.")]
    draws = report.resampling
    seed = f"; seed {draws.seed}" if draws and (draws.confidence is not None or draws.comparisons) else ""
    return [*pieces, Piece("."), Piece(f"{', '.join(report.signatures)}{seed}", "footnote")]


def _of_texts(report: ScoreReport) -> list[Piece]:
    """Return the sentence on the segments, the test set, the references, and the tokens that all variants share."""
    segments, (first, *others) = report.rows[0].segments, report.nrefs
    texts = f"{segments:,} segment{'' if segments == 1 else 's'}"
    if report.test_set:
        texts += f" of {report.test_set}"
    number = f"{first} to {others[-1]}" if others else str(first)
    references = f"{number} reference{'' if report.nrefs == [1] else 's'} each"
    columns = [text for variant in report.scored_by.values() for text in (variant.text, variant.source_text)]
    values = {name: {getattr(text, name) for text in columns} for name in ("tokenize", "lowercase")}
    shared = [CHANGES[name].words(*choices) for name, choices in values.items() if len(choices) == 1]
    over = f"; the texts are scored as {', '.join(shared)}" if shared else ""
    return [Piece(f"The test data are {texts} with {references}{over}.")]


def _of_resampling(report: ScoreReport) -> Iterator[list[Piece]]:
    """Yield the sentences on intervals and tests."""
    resampling = report.resampling
    if resampling is None:
        return
    if resampling.confidence is not None:
        draws = f"{resampling.resamples:,} bootstrap resamples of the segments"
        yield [Piece(f"Intervals are {100 * resampling.confidence:g}% percentile intervals of {draws}.")]
    if resampling.comparisons:
        test, baseline = resampling.test, resampling.baseline
        against = [Piece("with "), Piece(baseline, "name")] if baseline else [Piece("with each other")]
        title = test.title[0].lower() + test.title[1:]
        by = f" by two-sided tests with {title} ({resampling.trials:,} {test.draws})"
        pieces = [Piece("We compare the systems "), *against, Piece(by)]
        if resampling.comparisons > 1:
            within = " of each variant" if len(report.variants) > 1 else ""
            pieces.append(Piece(f"; p-values are corrected for {resampling.comparisons:,} comparisons{within} "))
            pieces.append(Piece(_HOLM, "citation"))
        yield [*pieces, Piece(".")]


def _of_measures(report: ScoreReport) -> Iterator[list[Piece]]:
    """Yield the sentences on companion measures, which are sacreBLEU's, EASSE's, or explained."""
    by_tool: dict[str, list[str]] = {}
    for measure in report.measures:
        by_tool.setdefault(measure.tool, []).append(measure.label)
    for tool, key in _TOOLS.items():
        if labels := by_tool.pop(tool, None):
            verb = "is" if len(labels) == 1 else "are"
            yield [Piece(f"{either(labels, 'and')} {verb} computed as by {tool} "), Piece(key, "citation"), Piece(".")]
    others = [measure for measure in report.measures if measure.tool not in _TOOLS]
    if others:
        names = [f"{measure.label} ({measure.about})" for measure in others]
        yield [Piece(f"Further measures: {'; '.join(names)}.")]


def _of_baselines(report: ScoreReport, digits: int) -> Iterator[list[Piece]]:
    """Yield the sentence on the scores of baselines; with several variants only the table has them."""
    rows = [row for row in report.baselines if "sari" in row.scores and row.name in _BASELINES_IN_WORDS]
    if rows and len(report.variants) == 1:
        scores = [f"{row.scores['sari']:.{digits}f} for {_BASELINES_IN_WORDS[row.name]}" for row in rows]
        yield [Piece(f"For comparison, SARI is {either(scores, 'and')}.")]
