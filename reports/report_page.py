"""Write reports as HTML that needs no other file."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import jinja2
import numpy as np

from sari.messages import truncate
from sari.reports import plots
from sari.reports.explanation import Explanation
from sari.reports.ngram_differences import tabulate_ngrams
from sari.reports.paragraph import paragraph_as_text
from sari.reports.reasons import EMPTY, MARKS
from sari.reports.score_report import FEW, Length, ScoreReport, ScoreRow
from sari.reports.score_tables import only_shown, tabulate_scores
from sari.reports.tables import Table, make_table, warning_in_words
from sari.variants import Variant

_TEMPLATES = Path(__file__).with_name("templates")
# The number of missed tokens that are shown.
_MISSED = 20


def report_as_html(
    report: ScoreReport, *, by_order: bool = False, digits: int = 2, show: Collection[str] | None = None
) -> str:
    """Return a page of HTML, with its style and pictures in it.

    Args:
        report: made by `building.build_report`.
        by_order, digits, show: of the tables, as `tabulate_scores` takes them. Without intervals among what is shown,
            no picture has them; the rest of the page has all scores.

    Raises:
        ValueError: where no table is left to show.
    """
    names = report.systems
    tables = tabulate_scores(report, by_order=by_order, digits=digits, show=show)
    return _ENVIRONMENT.get_template("report.html.j2").render(
        report=report,
        digits=digits,
        is_wide=len(names) > FEW,
        of=", ".join(names) if len(names) <= FEW else f"{len(names)} systems",
        paragraph=paragraph_as_text(tables.paragraph),
        tables=tables.tables,
        methods=tables.methods,
        signatures=tables.signatures,
        wins=_win_table(report),
        ngrams=tabulate_ngrams(report.ngrams, report.baseline_system or names[0]),
        language=language_of(next(iter(report.scored_by.values()))),
        pictures=_pictures(report if show is None else only_shown(report, show)),
        whys=_whys,
    )


def make_environment(*folders: Path) -> jinja2.Environment:
    """Return an environment for the templates of folders and those of reports; HTML is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "figure": figure,
        "warning_in_words": warning_in_words,
        "picture": plots.data_url,
        "truncate": truncate,
        # So that letters that run from right to left do not move the figures behind them.
        "isolated": "\u2068{}\u2069".format,
    }
    environment.globals |= {"MARKS": MARKS, "EMPTY": EMPTY, "MISSED": _MISSED}
    return environment


def _win_table(report: ScoreReport) -> Table:
    """Return for pairs of systems in how many segments each has the higher SARI; all pairs, or those with the first."""
    scores = {row.name: np.array(row.sentences["sari"]).round(9) for row in report.results}
    pairs = [(one, other) for one, other in combinations(scores, 2) if report.pairs or one == report.systems[0]]
    rows = []
    for one, other in pairs:
        wins, losses = (int((sign * (scores[other] - scores[one]) > 0).sum()) for sign in (1, -1))
        rows.append([other, one, *map(str, (wins, losses, len(scores[one]) - wins - losses))])
    return make_table(
        "Segments by which system is better", ["System", "Against", "Higher", "Lower", "Equal"], rows, texts=2
    )


def language_of(variant: Variant) -> str:
    """Return the language that the tokenizer of a variant names, as HTML's `lang`; empty where it names none."""
    found = re.fullmatch(r"(?:spacy-)?([a-z]{2})(?:-mecab)?", str(variant.tokenize))
    return found[1] if found else ""


def score_pictures(report: ScoreReport, sari: Mapping[str, Sequence[float]]) -> dict[str, tuple[str, str]]:
    """Return pictures of SARI by their captions, each as SVG and in words.

    `sari` has that of every segment, by system.
    """
    quartiles = {name: np.percentile(column, [25, 50, 75]) for name, column in sari.items()}
    halves = (
        f"{name}: half of them from {low:.0f} to {high:.0f}, the middle one {middle:.0f}"
        for name, (low, middle, high) in quartiles.items()
    )
    shown = f"The SARI of segments. {'; '.join(halves)}."
    pictures = {"Segments by their SARI": (plots.histogram(sari, "SARI of a segment"), shown)}
    if not any(row.confidence_intervals for row in report.results):
        return pictures
    against = report.baseline_system
    words = "SARI with its interval"
    words += f"; the dashed line is {against}" if against else ""
    words += "; baselines are hollow" if report.baselines else ""
    rows = [*report.results, *report.baselines]
    shown = "; ".join(map(_interval_in_words, rows))
    return {words: (plots.intervals(rows, against), f"SARI with its interval. {shown}."), **pictures}


def _interval_in_words(row: ScoreRow) -> str:
    ends = row.confidence_intervals.get("sari")
    return f"{row.title}: {figure(row.scores['sari'])}" + (
        f", from {figure(ends[0])} to {figure(ends[1])}" if ends else ""
    )


def _lines(values: Mapping[str, Sequence[float]], classes: Sequence[str], words: str, x: str) -> tuple[str, str]:
    """Return a picture with a line per system over classes, as SVG and in words."""
    shown = "; ".join(f"{name}: {', '.join(map(figure, column))}" for name, column in values.items())
    return plots.lines(values, classes, x=x, y="SARI"), f"{words}, for {', '.join(classes)} {x}. {shown}."


def _pictures(report: ScoreReport) -> dict[str, tuple[str, str]]:
    """Return the same and pictures of further figures."""
    pictures = score_pictures(report, {row.name: row.sentences["sari"] for row in report.results})
    numbers = sorted({row.references for row in report.by_references})
    if len(numbers) > 1:
        by_number = {
            name: [row.mean["sari"] for row in report.by_references if row.name == name] for name in report.systems
        }
        words = "SARI by the number of references, as means over subsets"
        pictures[words] = _lines(by_number, list(map(str, numbers)), words, "number of references")
    if len(report.lengths) > 1:
        by_length = {row.name: row.lengths["sari"] for row in report.results}
        words = "SARI by the length of the source"
        pictures[words] = _lines(
            by_length, list(map(_span_of, report.lengths)), words, "tokens of the source (segments)"
        )
    return pictures


def _whys(explanation: Explanation, missed: int) -> list[tuple[str, list[str]]]:
    """Return each reason once, with its words in the source, in the output and among the first missed ones."""
    words: dict[str, dict[str, None]] = {}
    for token in (*explanation.source, *explanation.output, *explanation.missed[:missed]):
        words.setdefault(token.why, {})[token.text or EMPTY] = None
    return [(why, list(texts)) for why, texts in words.items()]


def figure(value: float, digits: int = 2) -> str:
    """Return a number with a true minus."""
    return f"{value:.{digits}f}".replace("-", "−")


def _span_of(length: Length) -> str:
    """Return the name of a class of lengths, with the number of its segments."""
    tokens = f"{length.shortest}" if length.shortest == length.longest else f"{length.shortest}–{length.longest}"
    return f"{tokens} ({length.segments})"


_ENVIRONMENT = make_environment()
