"""The paragraph of a paper that says how scores were computed: complete, and taken from the run itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sari.reports.tables import Piece
from sari.variants import CHANGES, CITATION, VERSION, Variant, read_signature, resolve_variant

if TYPE_CHECKING:  # slow to import
    from sari.reports.score_report import ScoreReport

# The keys of what is cited for SARI and for this program.
_SARI, _PROGRAM = "xu-etal-2016-optimizing", "sari-software"
#: How the baselines are named in a sentence.
_BASELINES_IN_WORDS = {
    "copy": "copied sources",
    "empty": "outputs without words",
    "unrelated": "references of other segments",
    "references": "each reference against the others on average",
}


def methods_paragraph(report: ScoreReport, digits: int = 2) -> list[Piece]:
    """Return how the scores of a report were computed.

    Args:
        report: of any systems and variants.
        digits: decimals of the scores of baselines.
    """
    variants = [resolve_variant(**read_signature(signature)) for signature in report.signatures]
    several = len(variants) > 1
    pieces = [Piece("SARI "), Piece(_SARI, "citation"), Piece(f" is computed in the variant{'s' * several} ")]
    changes: list[str] = []
    for place, variant in enumerate(variants):
        separator = "" if not place else " and " if place == len(variants) - 1 else ", "
        pieces += [Piece(separator), Piece(variant.name, "name")]
        key = _key_of_variant(variant.name)
        if key not in (_SARI, _PROGRAM):
            pieces += [Piece(" "), Piece(key, "citation")]
        if variant.changes:
            words = ", ".join(_change_in_words(name, value) for name, value in variant.changes.items())
            changes.append(f"{variant.name} with {words}" if several else f"with {words}")
    how = report.resampling
    draws = f"; seed {how.seed}" if how and (how.confidence is not None or how.comparisons) else ""
    pieces.append(Piece(f", {'; '.join(changes) or 'with its published options'}, by the program SARI {VERSION} "))
    pieces += [Piece(_PROGRAM, "citation"), Piece(f"{', '.join(report.signatures)}{draws}", "footnote")]
    parts = [[Piece(_of_texts(report, variants))], *_of_resampling(report), _of_baselines(report, digits)]
    for place, part in enumerate(filter(None, parts)):
        pieces += [Piece("; " if place else ": "), *part]
    pieces.append(Piece("."))
    if report.measures:
        about = "; ".join(f"{measure.label}: {measure.about}" for measure in report.measures)
        pieces.append(Piece(f" Companion measures: {about}."))
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


# The comment over an entry, its key, authors and year.
_ENTRY = re.compile(
    r"^% (.+)\n@\w+\{(.+),\n(?:.*\n)*?    author = \{(.+)\},\n(?:.*\n)*?    year = \{(\d+)\}", re.MULTILINE
)


@cache
def _entries() -> dict[str, str]:
    """Return authors and year by the keys of the bibliography."""
    found = {}
    for _, key, authors, year in _ENTRY.findall(bibliography()):
        first, *others = (author.split(",")[0].strip("{}") for author in authors.split(" and "))
        who = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
        found[key] = f"{who}, {year}"
    return found


def _key_of_variant(name: str) -> str:
    """Return the key of what is cited for a variant: the first entry below a comment that names it."""
    names = re.compile(rf"\bvariants? .*\b{name}\b")
    return next(key for comment, key, *_ in _ENTRY.findall(bibliography()) if names.search(comment))


def _change_in_words(name: str, value: Any) -> str:
    return f"{value} of deletions" if name == "deletion" else CHANGES[name].words(value)


def _of_texts(report: ScoreReport, variants: Sequence[Variant]) -> str:
    """Return the number of segments and references, the test set, and the tokens that all variants have in common."""
    segments = report.rows[0].segments
    nrefs = report.signatures[0].split("|nrefs:")[1].split("|")[0]
    of_set = f" of {report.test_set}" if report.test_set else ""
    words = [f"{segments:,} segment{'' if segments == 1 else 's'}{of_set}"]
    how_many = {"1": "1 reference", "var": "varying numbers of references"}
    words.append(how_many.get(nrefs, f"{nrefs} references"))
    for name in ("tokenize", "lowercase"):
        values = {getattr(variant, name) for variant in variants}
        words += [CHANGES[name].words(value) for value in values if len(values) == 1]
    return ", ".join(words)


def _of_resampling(report: ScoreReport) -> Iterator[list[Piece]]:
    """Yield how intervals and tests were computed."""
    how = report.resampling
    if how is None:
        return
    if how.confidence is not None:
        resamples = f" ({how.resamples:,} resamples)" if how.resamples else ""
        yield [Piece(f"{100 * how.confidence:g}% percentile-bootstrap intervals over segments{resamples}")]
    if how.comparisons:
        of_each = " of each variant" * (len(report.variants) > 1)
        many = f"{how.comparisons:,} comparisons{of_each}, corrected as by Holm (1979)"
        many = many if how.comparisons > 1 else f"one comparison{of_each}, uncorrected"
        title = how.test.title[0].lower() + how.test.title[1:]
        against = [Piece("against "), Piece(how.baseline, "name")] if how.baseline else [Piece("of each pair")]
        yield [Piece(f"two-sided {title} "), *against, Piece(f" ({how.trials:,} {how.test.draws}; {many})")]


def _of_baselines(report: ScoreReport, digits: int) -> list[Piece]:
    """Return the scores of baselines in words; with several variants only the table has them."""
    scored = [row for row in report.baselines if "sari" in row.scores and row.name in _BASELINES_IN_WORDS]
    if len(report.variants) > 1 or not scored:
        return []
    first, *others = ((_BASELINES_IN_WORDS[row.name], f"{row.scores['sari']:.{digits}f}") for row in scored)
    return [Piece(", ".join([" score ".join(first), *map(" ".join, others)]))]
