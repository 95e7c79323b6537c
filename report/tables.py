"""Results as text, JSON, Markdown, LaTeX or CSV: the only place that knows what a report looks like.

Every format takes results of any number of systems and variants. JSON has one schema, whatever was asked for::

    {"systems": [{"name": str, "variant": str, "segments": int, "signature": str,
                  "scores": {"sari": float, "keep": float, "delete": float, "add": float},
                  "orders": [{"order": int, "keep": {"precision": float, "recall": float, "f1": float, "score": float},
                              "delete": {...}, "add": {...}}, ...],
                  "confidence_intervals": {"sari": [float, float], ...},
                  "differences": {"sari": float, ...}, "p_values": {"sari": float, ...}}, ...],
     "baselines": [{"name": str, "variant": str, "scores": {...}}, ...],
     "explanations": [{"name": str, "variant_a": str, "variant_b": str, "signature_a": str, "signature_b": str,
                       "steps": [{"choice": str, "before": str, "after": str, "sari": float, "keep": float,
                                  "delete": float, "add": float, "change": float}, ...]}, ...],
     "notes": [{"category": str, "message": str}, ...],
     "resampling": {"confidence": float, "method": str, "resamples": int, "seed": int, "baseline": str}}

with one entry of "systems" per system and variant, and all scores in percent at full precision. From
"confidence_intervals" on, what was not asked for, and notes where there are none, are left out.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

SCORES = ("sari", "keep", "delete", "add")
OPERATIONS = SCORES[1:]

#: How the files of reports may end. They are written by `pages`, which is slow to load.
REPORT_ENDINGS = (".html", ".md", ".json")

#: A p-value below this is marked as significant.
SIGNIFICANT = 0.05

_RULE = "=" * 50
_TITLE = "SARI Score Results"
_WORDS = ("System", "Variant", "Operation", "Choice", "From", "To")
_METHODS = {
    "bootstrap": "paired bootstrap, {resamples} resamples",
    "randomization": "paired approximate randomization, {resamples} trials",
}


@dataclass(frozen=True)
class Result:
    """The scores of one system under one variant, in percent."""

    name: str
    variant: str
    segments: int
    signature: str
    scores: dict[str, float]
    orders: list[dict]
    confidence_intervals: dict[str, list[float]] | None = None
    differences: dict[str, float] | None = None
    p_values: dict[str, float] | None = None


def result_of(name: str, variant: str, segments: int, signature: str, found: dict[str, Any]) -> Result:
    """Return what the metric found for a system, with details, as a `Result`."""
    statistics = {field: found.get(field) for field in ("confidence_intervals", "differences", "p_values")}
    scores = {score: found[score] for score in SCORES}
    return Result(name, variant, segments, signature, scores, found["orders"], **statistics)


@dataclass(frozen=True)
class Baseline:
    """What no system made: the scores of copied sources, of empty outputs or of people, under one variant."""

    name: str
    variant: str
    scores: dict[str, float]


@dataclass(frozen=True)
class Resampling:
    """How intervals and p-values were made; None where there are none, and where `baseline` has no others to meet."""

    confidence: float | None
    method: str | None
    resamples: int
    seed: int
    baseline: str


@dataclass(frozen=True)
class Report:
    """Everything there is to show.

    Attributes:
        results: at least one, all of the same segments.
        baselines: for the same variants.
        explanations: for each system what `Sari.explain_difference` returns, and its "name".
        notes: what there is to say about data and variants: "category" and "message".
        resampling: None where nothing was resampled.
    """

    results: list[Result]
    baselines: list[Baseline] = field(default_factory=list)
    explanations: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)
    resampling: Resampling | None = None


class _Cell(NamedTuple):
    text: str
    best: bool = False
    significant: bool = False


class _Table(NamedTuple):
    """A table with a title, which may be empty; columns that are not of `_WORDS` hold figures."""

    title: str
    header: list[str]
    rows: list[list[_Cell]]


def as_text(report: Report, by_order: bool) -> str:
    """Return a report for people: one result as a list of its scores, several as a table; the signatures come last.

    Args:
        report: what to show.
        by_order: whether to add precision, recall and F1 of each n-gram order and operation.
    """
    results = report.results
    lines = [_RULE, _TITLE, _RULE, f"Number of samples: {results[0].segments}", ""]
    lines += _score_list(results[0]) if len(results) == 1 and not report.baselines else _aligned(_score_table(report))
    lines += [_RULE]
    legend = _legend(report, best="^")
    lines += legend
    tables = _further_tables(report, by_order)
    for table in tables:
        lines += ["", table.title, *_aligned(table)]
    lines += [""] if tables or legend else []
    lines += _signatures(report)
    lines += [""] if report.notes else []
    lines += [f"Note: {note['message']}" for note in report.notes]
    return "\n".join(lines)


def as_json(report: Report, _by_order: bool) -> str:
    """Return a report in the schema above, which always has the orders."""
    found = asdict(report)
    found["systems"] = [_without_nothing(result) for result in found.pop("results")]
    return json.dumps({"systems": found.pop("systems"), **_without_nothing(found)}, indent=2, allow_nan=False)


def as_markdown(report: Report, by_order: bool) -> str:
    """Return a report as Markdown, the best scores in bold."""
    blocks = [_markdown_table(_score_table(report))]
    legend = _legend(report, best="bold:")
    if legend:
        blocks.append("\n".join(f"- {_escaped_markdown(line)}" for line in legend))
    blocks += [f"{table.title}\n\n{_markdown_table(table)}" for table in _further_tables(report, by_order)]
    blocks.append("\n".join(f"`{line}`  " for line in _signatures(report)))
    if report.notes:
        blocks.append("\n".join(f"> Note: {_escaped_markdown(note['message'])}  " for note in report.notes))
    return "\n\n".join(blocks)


def as_latex(report: Report, by_order: bool) -> str:
    """Return a report as LaTeX tables that need no package, the best scores in bold; all else is in comments."""
    blocks = [_latex_table(_score_table(report))]
    blocks += [f"% {table.title}\n{_latex_table(table)}" for table in _further_tables(report, by_order)]
    comments = [*_legend(report, best="bold:"), *_signatures(report)]
    comments += [f"Note: {note['message']}" for note in report.notes]
    return "\n\n".join([*blocks, "\n".join(f"% {line}" for line in comments)])


def as_csv(report: Report, _by_order: bool) -> str:
    """Return a row per system, baseline and variant at full precision, the columns the same whatever was asked for."""
    ends = [f"{score}_{end}" for score in SCORES for end in ("low", "high")]
    of_test = [f"{score}_{what}" for what in ("difference", "p_value") for score in SCORES]
    file = io.StringIO()
    header = ["system", "variant", "segments", *SCORES, *ends, *of_test, "signature", "notes"]
    writer = csv.DictWriter(file, header, lineterminator="\n")
    writer.writeheader()
    shared = {"segments": report.results[0].segments, "notes": " ".join(note["message"] for note in report.notes)}
    signatures = {result.variant: result.signature for result in report.results}
    rows: list[Result | Baseline] = [*report.results, *report.baselines]
    for row in rows:
        cells: dict[str, Any] = {"system": row.name, "variant": row.variant, **shared, **row.scores}
        cells["signature"] = signatures[row.variant]
        if isinstance(row, Result):
            for score in SCORES:
                cells[f"{score}_low"], cells[f"{score}_high"] = (row.confidence_intervals or {}).get(score, ("", ""))
                cells[f"{score}_difference"] = (row.differences or {}).get(score, "")
                cells[f"{score}_p_value"] = (row.p_values or {}).get(score, "")
        writer.writerow(cells)
    return file.getvalue().removesuffix("\n")


#: Each takes the report and whether precision, recall and F1 by order are wanted, and returns it as one text.
FORMATS: dict[str, Callable[[Report, bool], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}


def sentences_as_tsv(scores: dict[str, list[float]]) -> Iterator[str]:
    """Yield a line of names and a line per segment: its number, from 1, and its four scores."""
    yield "\t".join(("segment", *SCORES))
    for number, row in _sentences(scores):
        yield "\t".join(map(repr, (number, *row)))


def sentences_as_jsonl(scores: dict[str, list[float]]) -> Iterator[str]:
    """Yield a JSON object per segment: its number, from 1, and its four scores."""
    for number, row in _sentences(scores):
        yield json.dumps({"segment": number, **dict(zip(SCORES, row, strict=True))}, allow_nan=False)


#: How sentence scores are written, by the ending of the file.
SENTENCE_FORMATS: dict[str, Callable[[dict[str, list[float]]], Iterator[str]]] = {
    ".tsv": sentences_as_tsv,
    ".jsonl": sentences_as_jsonl,
}


def _sentences(scores: dict[str, list[float]]) -> Iterator[tuple[int, tuple[float, ...]]]:
    return enumerate(zip(*(scores[name] for name in SCORES), strict=True), 1)


def _without_nothing(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}


# What there is to show, whatever the format


def _score_list(result: Result) -> list[str]:
    labels = ("  SARI:", "    - Keep:", "    - Delete:", "    - Add:")
    return [
        f"{label:<15}{result.scores[name]:.2f}  {_interval(result, name)}".rstrip()
        for label, name in zip(labels, SCORES, strict=True)
    ]


def _score_table(report: Report) -> _Table:
    """Return the table of scores; columns that would say the same in every row, or nothing at all, are left out."""
    variants = list(dict.fromkeys(result.variant for result in report.results))
    rows: list[Result | Baseline] = sorted(
        [*report.results, *report.baselines], key=lambda row: variants.index(row.variant)
    )
    tops = {
        (variant, name): max(result.scores[name] for result in report.results if result.variant == variant)
        for variant in variants
        for name in SCORES
    }
    rivals = len({result.name for result in report.results}) > 1

    def score(row: Result | Baseline, name: str) -> _Cell:
        best = rivals and isinstance(row, Result) and row.scores[name] == tops[row.variant, name]
        significant = name == "sari" and _of_test(row, "p_values", 1) < SIGNIFICANT
        return _Cell(f"{row.scores[name]:.2f}", best, significant)

    resampling = report.resampling
    confidence, method = (resampling.confidence, resampling.method) if resampling else (None, None)
    columns: list[tuple[bool, str, Callable[[Any], _Cell]]] = [
        (len({row.name for row in rows}) > 1 or len(rows) == 1, "System", lambda row: _Cell(row.name)),
        (len({row.variant for row in rows}) > 1, "Variant", lambda row: _Cell(row.variant)),
        (True, "SARI", lambda row: score(row, "sari")),
        (confidence is not None, f"{_percent(confidence or 0)} CI", lambda row: _Cell(_interval(row, "sari"))),
        *((True, name.title(), lambda row, name=name: score(row, name)) for name in OPERATIONS),
        (method is not None, "Diff.", lambda row: _Cell(_shown(_of_test(row, "differences", None), "+.2f"))),
        (method is not None, "p", lambda row: _Cell(_shown(_of_test(row, "p_values", None), ".4f"))),
    ]
    shown = [(name, cell) for wanted, name, cell in columns if wanted]
    return _Table("", [name for name, _ in shown], [[cell(row) for _, cell in shown] for row in rows])


def _further_tables(report: Report, by_order: bool) -> list[_Table]:
    several = len({result.name for result in report.results}) > 1
    return [_order_table(result, several) for result in report.results if by_order] + [
        _explanation_table(explanation, several) for explanation in report.explanations
    ]


def _order_table(result: Result, several: bool) -> _Table:
    figures = ("precision", "recall", "f1", "score")
    rows = [
        [_Cell(str(row["order"])), _Cell(operation), *(_Cell(f"{row[operation][name]:.2f}") for name in figures)]
        for row in result.orders
        for operation in OPERATIONS
    ]
    title = f"By order: {result.variant}" + (f", {result.name}" if several else "")
    return _Table(title, ["Order", "Operation", "Precision", "Recall", "F1", "Score"], rows)


def _explanation_table(explanation: dict[str, Any], several: bool) -> _Table:
    start, *steps = explanation["steps"]
    whose = f", {explanation['name']}" if several else ""
    title = f"From {explanation['variant_a']} to {explanation['variant_b']}, one choice at a time{whose}"
    rows = [[explanation["variant_a"], "", "", f"{start['sari']:.2f}", ""]]
    rows += [
        [step["choice"], step["before"], step["after"], f"{step['sari']:.2f}", f"{step['change']:+.2f}"]
        for step in steps
    ]
    last = explanation["steps"][-1]["sari"]
    rows += [[explanation["variant_b"], "", "", f"{last:.2f}", f"{last - start['sari']:+.2f}"]]
    cells = [[_Cell(text) for text in row] for row in rows]
    return _Table(title, ["Choice", "From", "To", "SARI", "Change"], cells)


def _legend(report: Report, *, best: str) -> list[str]:
    """Return the lines that explain the table of scores."""
    lines = []
    resampling = report.resampling
    if resampling and resampling.confidence is not None:
        percent = _percent(resampling.confidence)
        lines += [
            f"{percent} CI: percentile bootstrap over segments, {resampling.resamples} resamples, "
            f"seed {resampling.seed}"
        ]
    if resampling and resampling.method is not None:
        method = _METHODS[resampling.method].format(resamples=resampling.resamples)
        lines += [
            f"Diff., p: SARI against {resampling.baseline}; two-sided, {method}, seed {resampling.seed}",
            f"Null hypothesis: a system and {resampling.baseline} are equally good, and differ by chance",
            f"* the null hypothesis is rejected: p < {SIGNIFICANT:g}",
        ]
    if len({result.name for result in report.results}) > 1:
        lines += [f"{best} the best system of the column"]
    if report.baselines:
        lines += ["copy: the sources as outputs; empty: no words"]
        if len(report.baselines) > 2 * len({row.variant for row in report.baselines}):
            lines += ["reference: each scored against the other references; references: their mean"]
    return lines


def _signatures(report: Report) -> list[str]:
    """Return the signature of each variant; systems share it."""
    return list(dict.fromkeys(result.signature for result in report.results))


def _interval(row: Result | Baseline, name: str) -> str:
    if isinstance(row, Baseline) or row.confidence_intervals is None:
        return ""
    low, high = row.confidence_intervals[name]
    return f"[{low:.2f}, {high:.2f}]"


def _of_test(row: Result | Baseline, what: str, otherwise: Any) -> Any:
    return (getattr(row, what, None) or {}).get("sari", otherwise)


def _shown(number: float | None, form: str) -> str:
    return "" if number is None else format(number, form)


def _percent(share: float) -> str:
    return f"{100 * share:g}%"


# How each format writes a table


def _aligned(table: _Table) -> list[str]:
    """Return lines whose columns of figures stand to the right and whose columns of words stand to the left."""
    columns = [
        _column(name, [row[place] for row in table.rows], right=name not in _WORDS)
        for place, name in enumerate(table.header)
    ]
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _column(name: str, cells: list[_Cell], *, right: bool) -> list[str]:
    marks = ["*" * cell.significant + "^" * cell.best for cell in cells]
    room = max(map(len, marks), default=0)
    texts = [name + " " * room, *(cell.text + mark.ljust(room) for cell, mark in zip(cells, marks, strict=True))]
    width = max(map(len, texts))
    return [text.rjust(width) if right else text.ljust(width) for text in texts]


def _markdown_table(table: _Table) -> str:
    def shown(cell: _Cell) -> str:
        text = _escaped_markdown(cell.text)
        return (f"**{text}**" if cell.best else text) + r"\*" * cell.significant

    rule = [":---" if name in _WORDS else "---:" for name in table.header]
    rows = [table.header, rule, *([shown(cell) for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _latex_table(table: _Table) -> str:
    def shown(cell: _Cell) -> str:
        text = _escaped_latex(cell.text)
        return (rf"\textbf{{{text}}}" if cell.best else text) + "$^{*}$" * cell.significant

    alignment = "".join("l" if name in _WORDS else "r" for name in table.header)
    header = " & ".join(map(_escaped_latex, table.header))
    rows = [" & ".join(map(shown, row)) for row in table.rows]
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\hline", rf"{header} \\", r"\hline"]
    return "\n".join([*lines, *(rf"{row} \\" for row in rows), r"\hline", r"\end{tabular}"])


def _escaped_markdown(text: str) -> str:
    return "".join(f"\\{character}" if character in r"\|*_`<>" else character for character in text)


def _escaped_latex(text: str) -> str:
    words = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    words |= {character: f"\\{character}" for character in "&%$#_{}"}
    return "".join(words.get(character, character) for character in text)
