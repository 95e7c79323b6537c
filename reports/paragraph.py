"""The paragraph of a paper that says how scores were computed: complete, and taken from the run itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sari.reports.tables import Piece
from sari.variants import CHANGES, CITATION, VARIANTS, VERSION, read_signature

if TYPE_CHECKING:  # slow to import
    from sari.reports.score_report import ScoreReport

# The keys of what is cited for SARI and for this program.
_SARI, _PROGRAM = "xu-etal-2016-optimizing", "sari-software"
#: How the baselines are named in a sentence.
_BASELINES = {
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
    name = "the variants" if len(report.variants) > 1 else "the variant"
    pieces = [Piece("SARI "), Piece(_SARI, "citation"), Piece(f" is computed in {name} ")]
    changes: list[str] = []
    for place, signature in enumerate(report.signatures):
        variant, changed = _variant_and_changes(signature)
        separator = "" if not place else " and " if place == len(report.signatures) - 1 else ", "
        key = _keys_of_variants().get(variant)
        pieces += [Piece(separator), Piece(variant, "name")]
        if key is not None and key not in (_SARI, _PROGRAM):
            pieces += [Piece(" "), Piece(key, "citation")]
        changes += [f"with {changed}" if len(report.variants) == 1 else f"{variant} with {changed}"] * bool(changed)
    how = report.resampling
    draws = f"; seed {how.seed}" if how and (how.confidence is not None or how.comparisons) else ""
    pieces.append(Piece(f", {'; '.join(changes) or 'with its published options'}, by the program SARI {VERSION} "))
    pieces += [Piece(_PROGRAM, "citation"), Piece(f"{', '.join(report.signatures)}{draws}", "footnote")]
    parts = [[Piece(_of_texts(report))], *_of_resampling(report), _of_baselines(report, digits)]
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


@cache
def _keys_of_variants() -> dict[str, str]:
    """Return the key of what is cited for each variant that the comment over an entry names."""
    keys: dict[str, str] = {}
    for comment, key, *_ in _ENTRY.findall(bibliography()):
        named = re.match(r".*?\bvariants? ((?:\w+(?:, | and )?)+)", comment)
        for name in re.findall(r"\w+", named[1]) if named else ():
            if name in VARIANTS:
                keys.setdefault(name, key)
    return keys


def _variant_and_changes(signature: str) -> tuple[str, str]:
    """Return the variant of a signature, and its changed options in words."""
    try:
        options = read_signature(signature)
    except ValueError:  # a callable
        return _fields_of(signature)["variant"].split("+")[0], "options that only its signature names"
    changed = {name: value for name, value in options.items() if name in CHANGES}
    words = [
        f"{value} of deletions" if name == "deletion" else CHANGES[name].words(value) for name, value in changed.items()
    ]
    return options["variant"], ", ".join(words)


def _fields_of(signature: str) -> dict[str, str]:
    return dict(part.split(":", 1) for part in signature.split("|")[1:])


def _of_texts(report: ScoreReport) -> str:
    """Return the number of segments and references, the test set, and the tokens that all variants have in common."""
    fields = [_fields_of(signature) for signature in report.signatures]
    segments = report.results[0].segments
    nrefs = fields[0]["nrefs"]
    words = [f"{segments:,} segment{'s' * (segments != 1)}{report.test_set and f' of {report.test_set}'}"]
    how_many = {"1": "1 reference", "var": "varying numbers of references"}
    words.append(how_many.get(nrefs, f"{nrefs} references"))
    for name in ("tokenize", "lowercase"):
        option = CHANGES[name]
        values = {own[option.key] for own in fields}
        if len(values) == 1:
            text = values.pop()
            words.append("tokens of a callable" if text.startswith("custom.") else option.words(option.read(text)))
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
    if len(report.variants) > 1:
        return []
    scored = [(row.name, row.scores["sari"]) for row in report.baselines if "sari" in row.scores]
    words = [f"{_BASELINES[name]} {score:.{digits}f}" for name, score in scored if name in _BASELINES]
    if not words:
        return []
    first, *others = words
    return [Piece(", ".join([" score ".join(first.rsplit(" ", 1)), *others]))]
