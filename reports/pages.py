"""Write reports as HTML that needs no other file, as Markdown and as JSON.

JSON has one schema, for one system or many::

    {"signature": str, "segments": int, "references": [int, int], "tokens": str, "confidence": float | null,
     "resamples": int, "seed": int, "intervals": str,
     "warnings": [{"category": str, "message": str}], "lengths": [{"shortest": int, "longest": int, "segments": int}],
     "systems": [SYSTEM], "beside": [SYSTEM],
     "examples": [{"title": str, "segments": [{"number": int, "source": str, "references": [str],
                                               "outputs": {NAME: EXPLANATION}, "note": str}]}],
     "scored": SCORED | null}

where SYSTEM and EXPLANATION have the fields of `document.System` and `explanation.Explanation`, the latter without the
n-grams, the figures of each order, the tokens of references and the line of changes, and SCORED is what `score.py
--format json` prints: see `score_report`.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path

import jinja2

from sari.reports import plots
from sari.reports.companions import SPREADS, Measure
from sari.reports.document import Document, Length, System
from sari.reports.explanation import MARKS, Explanation, Token
from sari.reports.formats import escaped_markdown, markdown_table
from sari.reports.score_report import ResamplingSummary, ScoredOutputs, ScoreReport, score_fields
from sari.reports.score_tables import BASELINES, LABELS, tabulate_scores
from sari.reports.tables import Cell, Table, TableReport, make_table, split_table
from sari.variants import SCORES

#: What stands for a missing value.
MISSING = "–"
_TEMPLATES = Path(__file__).with_name("templates")
# The sign for an empty token, and the number of missed tokens that are shown.
_EMPTY, _MISSED = "␣", 20
# The columns that fit on a sheet of paper, and the systems that fit in a small picture.
_COLUMNS, _SYSTEMS = 10, 4
# A title names up to so many systems.
_NAMED = 4
# What Markdown has before and after a word with a mark.
_IN_MARKDOWN = {
    "kept-rightly": ("", ""),
    "kept": ("", ""),
    "kept-wrongly": ("_", "_"),
    "deleted-rightly": ("~~", "~~"),
    "deleted-wrongly": ("~~", "~~✗"),
    "added-rightly": ("**", "**"),
    "added-wrongly": ("**", "**✗"),
    "missed": ("+", ""),
}


def as_html(document: Document) -> str:
    """Return a page of HTML, with its style and pictures in it."""
    pictures = [(_address(svg), _address(plots.at_night(svg)), words) for svg, words in _pictures(document)]
    return _rendered("report.html.j2", document, pictures=pictures, whys=_whys)


def as_markdown(document: Document) -> str:
    """Return Markdown, without pictures."""
    return _rendered("report.md.j2", document)


def as_json(document: Document) -> str:
    """Return JSON in the schema of this module's docstring."""
    fields = asdict(document)
    for group in fields["examples"]:
        for example in group["segments"]:
            for explanation in example["outputs"].values():
                for field in ("grams", "orders", "references", "changes"):
                    del explanation[field]
    del fields["measures"], fields["by_order"], fields["digits"]  # which are for people
    fields["scored"] = document.scored and score_fields(document.scored)
    return json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False)


def tabulate_document(document: Document, scored: ScoreReport) -> TableReport:
    """Return the tables of a report, for any format of `formats.FORMATS`.

    Args:
        document: the report.
        scored: the printed scores of its systems.
    """
    systems = {system.name: system for system in document.systems}
    variant = scored.results[0].variant
    measures = document.measures
    resampling = replace(
        scored.resampling or ResamplingSummary(seed=document.seed),
        confidence=document.confidence,
        resamples=document.resamples,
        intervals=document.intervals,
    )
    beside = [
        ScoredOutputs(name=system.name, variant=variant, scores=system.scores, measures=_values(system, measures))
        for system in document.beside
        if system.scores is not None
    ]
    report = replace(
        scored,
        results=[
            replace(
                result,
                confidence_intervals=systems[result.name].intervals,
                measures=_values(systems[result.name], measures),
                measure_intervals=systems[result.name].measure_intervals,
            )
            for result in scored.results
        ],
        baselines=scored.baselines or beside,
        measures=measures,
        warnings=document.warnings,
        resampling=resampling,
    )
    return tabulate_scores(report, by_order=document.by_order, digits=document.digits)


def _values(system: System, measures: list[Measure]) -> dict[str, float]:
    values = {measure.name: system.measures[measure.name] for measure in measures}
    return {name: value for name, value in values.items() if value is not None}


#: The formats of reports, by the ending of the file.
FORMATS: dict[str, Callable[[Document], str]] = {".html": as_html, ".md": as_markdown, ".json": as_json}


def make_environment(*folders: Path) -> jinja2.Environment:
    """Return an environment for the templates of folders and those of reports; HTML is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"figure": figure, "markdown": escaped_markdown, "marked": _marked, "span": span_of}
    environment.filters["markdown_table"] = markdown_table
    environment.globals |= {"SCORES": SCORES, "LABELS": LABELS, "MARKS": MARKS, "EMPTY": _EMPTY}
    environment.globals |= {"MISSED": _MISSED, "MISSING": MISSING}
    return environment


def _rendered(template: str, document: Document, **more) -> str:
    names = [system.name for system in document.systems]
    of = ", ".join(names) if len(names) <= _NAMED else f"{len(names)} systems"
    shown = _ENVIRONMENT.get_template(template).render(
        document=document,
        digits=document.digits,
        is_wide=len(document.systems) > _SYSTEMS,
        of=of,
        more=_more(document),
        beside_note="; ".join(
            f"{system.name}: {BASELINES[system.name]}" for system in document.beside if system.scores
        ),
        measure_tables=list(_measure_tables(document)),
        scores=_score_table(document),
        by_length=_length_table(document),
        **more,
    )
    return shown.rstrip()


def _score_table(document: Document) -> Table:
    """Return the scores of the systems, and of what is shown beside them, with their intervals."""
    rows = []
    for system in (*document.systems, *document.beside):
        if system.scores is not None:
            row = [Cell(system.name)]
            for name in SCORES:
                between = ""
                if system.intervals is not None:
                    between = " to ".join(figure(end, document.digits) for end in system.intervals[name])
                row.append(Cell(figure(system.scores[name], document.digits), small=between))
            rows.append(row)
    return make_table("", ["System", *LABELS.values()], rows)


def _length_table(document: Document) -> Table:
    """Return scores by length of the source: all scores of one system, or SARI of several."""
    lengths = [
        (span_of(length), f"{length.segments} segment{'' if length.segments == 1 else 's'}")
        for length in document.lengths
    ]
    if len(document.systems) > 1:
        header = ["System", *(f"{tokens} tokens, {segments}" for tokens, segments in lengths)]
        rows = [
            [system.name, *(figure(row["sari"], document.digits) for row in system.lengths)]
            for system in document.systems
        ]
    else:
        header = ["Tokens", "Segments", *LABELS.values(), "BLEU", "Compression ratio"]
        rows = [
            [
                span_of(length),
                str(length.segments),
                *(figure(row[name], document.digits) for name in SCORES),
                figure(row["bleu"]),
                figure(row["compression_ratio"], 3),
            ]
            for length, row in zip(document.lengths, document.systems[0].lengths, strict=True)
        ]
    return make_table("", header, rows)


def _measure_tables(document: Document) -> Iterator[tuple[Table, list[Measure]]]:
    """Yield a table for each group of measures, with a row for each system."""
    columns: list[System] = [*document.systems, *document.beside]
    for group, of_group in groupby(document.measures, key=lambda measure: measure.group):
        measures = list(of_group)
        rows = [[system.name, *(_measure_cell(system, measure) for measure in measures)] for system in columns]
        yield make_table(group, ["System", *(measure.label for measure in measures)], rows), measures


def _more(document: Document) -> list[Table]:
    """Return the tables of tests, baselines and differences between variants."""
    scored = document.scored
    if scored is None:
        return []
    tables = tabulate_scores(scored, by_order=document.by_order, digits=document.digits).tables
    return [part for table in tables for part in split_table(table, [1] * len(table.columns), _COLUMNS)]


def _measure_cell(system: System, measure: Measure) -> str:
    """Return a value, with its interval if it has one."""
    shown = figure(system.measures[measure.name], measure.digits, measure.unit)
    if system.measure_intervals is None or measure.name not in system.measure_intervals:
        return shown
    low, high = (figure(end, measure.digits) for end in system.measure_intervals[measure.name])
    return f"{shown} ({low} to {high})"


def _pictures(document: Document) -> list[tuple[str, str]]:
    """Return pictures as SVG, each with its description."""
    systems = document.systems
    sari = {system.name: system.sentences["sari"] for system in systems if system.sentences}
    pictures = [(plots.histogram(sari, "SARI of a segment", limits=(0, 100)), "SARI of segments: how many have which")]
    by_references = document.scored.by_references if document.scored is not None else []
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
    for measure in document.measures:
        if measure.name in SPREADS:
            values = {system.name: system.rows[measure.name] for system in systems}
            words = f"{measure.label}: how many segments have which{plots.rest_of(values)}"
            pictures.append((plots.histogram(values, measure.label), words))
    return pictures


def _address(svg: str) -> str:
    """Return a picture as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


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


def _marked(tokens: Iterable[Token]) -> str:
    """Return tokens in Markdown, with their marks."""
    shown = []
    for token in tokens:
        before, after = _IN_MARKDOWN[token.mark]
        shown.append(f"{before}{escaped_markdown(token.text)}{after}")
    return " ".join(shown)


_ENVIRONMENT = make_environment()
