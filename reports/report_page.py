"""Write reports as HTML that needs no other file, and as JSON.

JSON has one schema, for one system or many::

    {"signature": str, "segments": int, "warnings": [WARNING],
     "confidence": float | null, "resamples": int, "seed": int, "intervals": str,
     "scored": SCORED, "references": [int, int], "tokens": str,
     "lengths": [{"shortest": int, "longest": int, "segments": int}], "systems": [SYSTEM], "baselines": [SYSTEM],
     "examples": [{"title": str, "segments": [{"number": int, "source": str, "references": [str],
                                               "outputs": {NAME: EXPLANATION}, "note": str}]}]}

where SCORED is the JSON of scores with intervals and measures, and WARNING a warning in it: see `score_report`. SYSTEM
and EXPLANATION have the fields of `document.System` and `explanation.Explanation`, the latter without the n-grams, the
figures of each order, the tokens of references, the line of changes, the warnings and edited outputs.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2

from sari.companion_measures.registry import SPREADS
from sari.reports import plots
from sari.reports.document import Document, Length
from sari.reports.explanation import MARKS, Explanation
from sari.reports.ngram_differences import NGRAM_NOTE
from sari.reports.score_report import score_fields
from sari.reports.score_tables import LABELS, tabulate_scores
from sari.reports.tables import Table, TableReport, make_table, warning_in_words
from sari.variants import SCORES

#: What stands for a missing value.
MISSING = "–"
_TEMPLATES = Path(__file__).with_name("templates")
# The sign for an empty token, and the number of missed tokens that are shown.
_EMPTY, _MISSED = "␣", 20
# How many of the choices that cost SARI are shown.
_COSTS = 3
# The systems that fit in a small picture.
_SYSTEMS = 4
# A title names up to so many systems.
_NAMED = 4


def report_as_html(document: Document) -> str:
    """Return a page of HTML, with its style and pictures in it."""
    names = [system.name for system in document.systems]
    shown = _ENVIRONMENT.get_template("report.html.j2").render(
        document=document,
        digits=document.digits,
        is_wide=len(names) > _SYSTEMS,
        of=", ".join(names) if len(names) <= _NAMED else f"{len(names)} systems",
        tables=tabulate_document(document, all_intervals=True).tables,
        by_length=_length_table(document),
        pictures=[(plots.data_url(svg), words) for svg, words in _pictures(document)],
        whys=_whys,
    )
    return shown.rstrip()


def report_as_json(document: Document) -> str:
    """Return JSON in the schema of this module's docstring."""
    scored, examples = document.scored, list(map(asdict, document.examples))
    for group in examples:
        for example in group["segments"]:
            for explanation in example["outputs"].values():
                for field in ("grams", "orders", "references", "changes", "warnings"):
                    del explanation[field]
                for edit in explanation["edits"]:
                    del edit["output"]
    fields: dict[str, Any] = {
        "signature": scored.signatures[0],
        "segments": scored.results[0].segments,
        "warnings": scored.warnings,
        **{name: getattr(scored.resampling, name) for name in ("confidence", "resamples", "seed", "intervals")},
        "scored": score_fields(scored),
        "references": document.references,
        "tokens": document.tokens,
        "lengths": list(map(asdict, document.lengths)),
        "systems": list(map(asdict, document.systems)),
        "baselines": list(map(asdict, document.baselines)),
        "examples": examples,
    }
    return json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False)


def tabulate_document(document: Document, *, all_intervals: bool = False) -> TableReport:
    """Return the tables of a report, for any format of `TABLE_FORMATS`; for `all_intervals` see `tabulate_scores`."""
    return tabulate_scores(
        document.scored, by_order=document.by_order, digits=document.digits, all_intervals=all_intervals
    )


#: The formats of reports, by the ending of the file.
REPORT_FORMATS: dict[str, Callable[[Document], str]] = {".html": report_as_html, ".json": report_as_json}


def make_environment(*folders: Path) -> jinja2.Environment:
    """Return an environment for the templates of folders and those of reports; HTML is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"figure": figure, "span": span_of, "warning_in_words": warning_in_words}
    environment.globals |= {"SCORES": SCORES, "LABELS": LABELS, "MARKS": MARKS, "EMPTY": _EMPTY}
    environment.globals |= {"MISSED": _MISSED, "MISSING": MISSING, "COSTS": _COSTS, "NGRAM_NOTE": NGRAM_NOTE}
    return environment


def _length_table(document: Document) -> Table:
    """Return a row for each class of source lengths: all scores of one system, or SARI of several."""
    first, *others = document.systems
    columns = [
        ("Tokens", [span_of(length) for length in document.lengths]),
        ("Segments", [str(length.segments) for length in document.lengths]),
    ]
    if others:
        shown = [(system.name, system, "sari", document.digits) for system in document.systems]
    else:
        shown = [(label, first, name, document.digits) for name, label in LABELS.items()]
        shown += [("BLEU", first, "bleu", 2), ("Compression ratio", first, "compression_ratio", 3)]
    columns += [
        (heading, [figure(row[name], digits) for row in system.lengths]) for heading, system, name, digits in shown
    ]
    headings, figures = zip(*columns, strict=True)
    return make_table("", headings, zip(*figures, strict=True))


def _pictures(document: Document) -> list[tuple[str, str]]:
    """Return pictures as SVG, each with its description."""
    systems = document.systems
    sari = {system.name: system.sentences["sari"] for system in systems if system.sentences}
    pictures = [(plots.histogram(sari, "SARI of a segment", limits=(0, 100)), "SARI of segments: how many have which")]
    by_references = document.scored.by_references
    numbers = sorted({row.references for row in by_references})
    if len(numbers) > 1:
        by_number = {
            system.name: [row.mean["sari"] for row in by_references if row.name == system.name] for system in systems
        }
        line = plots.lines(by_number, list(map(str, numbers)), x="number of references", y="SARI")
        pictures.append((line, "SARI by the number of references: means over subsets of them"))
    if len(document.lengths) > 1:
        by_length = {system.name: [row["sari"] for row in system.lengths] for system in systems}
        classes = list(map(span_of, document.lengths))
        line = plots.lines(by_length, classes, x="tokens of the source", y="SARI")
        pictures.append((line, "SARI by the length of the source"))
    for measure in document.scored.measures:
        if measure.name in SPREADS:
            values = {system.name: system.rows[measure.name] for system in systems}
            words = f"{measure.label}: how many segments have which{plots.rest_of(values)}"
            pictures.append((plots.histogram(values, measure.label), words))
    return pictures


def _whys(explanation: Explanation, missed: int) -> list[tuple[str, list[str]]]:
    """Return each reason once, with its words in the source, in the output and among the first missed ones."""
    words: dict[str, dict[str, None]] = {}
    for token in (*explanation.source, *explanation.output, *explanation.missed[:missed]):
        words.setdefault(token.why, {})[token.text or _EMPTY] = None
    return [(why, list(texts)) for why, texts in words.items()]


def figure(value: float | None, digits: int = 2, unit: str = "") -> str:
    """Return a number with a true minus and its unit, or a sign for a missing value."""
    if value is None:
        return MISSING
    shown = f"{value:.{digits}f}".replace("-", "−")
    return f"{shown}\N{NO-BREAK SPACE}{unit}" if unit else shown


def span_of(length: Length) -> str:
    """Return the name of a class of lengths."""
    return f"{length.shortest}" if length.shortest == length.longest else f"{length.shortest}–{length.longest}"


_ENVIRONMENT = make_environment()
