"""Answers as HTML: each function turns an answer into plain data and fills a template with it.

The templates are in `templates/`; they escape every text. What the report shows too comes from the report's templates.
"""

import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor, log10
from pathlib import Path
from typing import Any, NamedTuple

from sari.aggregation import OrderFigures, Scores
from sari.comparison import VariantDifference
from sari.data_warnings import WarningRow
from sari.human_ratings.correlation_report import AgreementReport, AgreementRow, tabulate_agreement
from sari.reports.by_references import ReferenceCount
from sari.reports.explanation import Explanation, Gram
from sari.reports.ngram_differences import NgramDifference, tabulate_ngrams
from sari.reports.published_systems import Standing
from sari.reports.report_page import LABELS, MISSING, figure, make_environment, span_of
from sari.reports.score_report import Length, ResamplingSummary, ScoreReport, SystemScores, best_scores
from sari.reports.tables import HIGHER, LOWER, Cell, Table, make_table, select_columns, select_rows
from sari.validation import SystemColumns, either
from sari.variants import OPERATIONS, SCORES, SIGNIFICANT, VARIANTS, Figure, Operation, Variant, resolve_variants
from sari.web.answers import RankedVariant, ScoredCorpus
from sari.web.inputs import label_of, offered_options

#: How many bars the histogram has, and how many n-grams of an operation are shown.
BINS, _GRAMS = 20, 60
#: How many choices are shown that cost most, and how many that earn most.
_EDITS = 8
#: How many n-grams with their credits a figure lists.
_CREDITS = 8
#: About how many numbers the axis of a plot has.
_TICKS = 5
#: Why a variant is not offered.
_LACKING = "this server lacks a package or the data that it needs"
_FIGURES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
#: Marks with the credit that is drawn for them, and what they mean.
_LEGEND = (
    ("kept-rightly", 1.0, "kept, as references do"),
    ("kept-wrongly", 0.0, "kept, though they drop it"),
    ("kept-wrongly", 0.44, "44% of the credit"),
    ("deleted-rightly", 1.0, "deleted, as they do"),
    ("deleted-wrongly", 0.0, "deleted, though they keep it"),
    ("added-rightly", 1.0, "added, as they do"),
    ("added-wrongly", 0.0, "added, though none has it"),
    ("missed", 0.0, "only references add it"),
)
#: What the baselines are called, and what an output that is no better did.
_BASELINES = {
    "copy": ("The source, copied", "copying the source"),
    "empty": ("No words at all", "writing nothing"),
    "unrelated": ("Unrelated text", "unrelated text"),
    "references": ("People, each against the others", ""),
}


def signed(number: float, digits: int = 2) -> str:
    """Return a difference with its sign, and none where it rounds to 0.

    >>> signed(1.5), signed(-0.001), signed(-2)
    ('+1.50', '0.00', '\u22122.00')
    """
    shown = f"{number:+.{digits}f}".replace("-", "−")
    return shown if shown.strip("+−0.") else shown[1:]


def difference_of(score: float, other: float) -> str:
    """Return by how much a score is higher than another, as people subtract what they see.

    >>> difference_of(44.649, 39.551), difference_of(1.004, 1.0)
    ('+5.10', '0.00')
    """
    return signed(round(score, 2) - round(other, 2))


def number_of(number: int, name: str) -> str:
    """Return a number of things.

    >>> number_of(1, "segment"), number_of(2000, "segment")
    ('1 segment', '2,000 segments')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def in_controls(row: WarningRow) -> str:
    """Return a warning in the words of the page.

    >>> advice = {"option": "tokenize", "values": ["zh", "ja-mecab", "char"]}
    >>> in_controls({"category": "", "message": "outputs are Chinese", "detail": "", "advice": advice})
    'outputs are Chinese: set Tokenizer to zh or char'
    """
    said = f"{row['message']} ({row['detail']})" if row["detail"] else row["message"]
    if row["advice"] is None:
        return said
    name, values = row["advice"]["option"], row["advice"]["values"]
    option = offered_options()[name]
    wanted = [str(value) for value in values if value in option.choices] or map(option.words, values)
    return f"{said}: set {label_of(name)} to {either(wanted)}"


_ENVIRONMENT = make_environment(Path(__file__).with_name("templates"))
_ENVIRONMENT.filters |= {"in_controls": in_controls, "difference": difference_of, "number": number_of, "repr": repr}
_ENVIRONMENT.filters |= {"short": lambda value: f"{value:.4g}", "tick": lambda value: f"{value:g}".replace("-", "−")}
_ENVIRONMENT.filters |= {"capitalize_first": lambda text: text[:1].upper() + text[1:]}
_ENVIRONMENT.globals |= {"FIGURES": _FIGURES, "LEGEND": _LEGEND, "OPERATIONS": OPERATIONS, "SIGNIFICANT": SIGNIFICANT}


def render(template: str, macro: str, *arguments: Any, **named: Any) -> str:
    """Return what a macro of a template makes of data."""
    return str(getattr(_ENVIRONMENT.get_template(f"{template}.html.j2").module, macro)(*arguments, **named)).strip()


# What all views have in common


def refusal(message: object) -> str:
    """Return a line that says what is wanted."""
    return render("elements", "refusal", str(message))


def about() -> str:
    """Return what the page says about SARI, as Markdown."""
    lacking = dict.fromkeys(resolve_variants()[1], _LACKING)
    return _ENVIRONMENT.get_template("about.md.j2").render(variants=VARIANTS, lacking=lacking)


def text_warnings(rows: Sequence[WarningRow]) -> str:
    """Return the warnings about texts as a list; nothing where there are none."""
    return render("elements", "text_warnings", rows)


def note(message: str) -> str:
    """Return a remark."""
    return render("elements", "note", message)


class Dot(NamedTuple):
    """A score in a plot: what it is the score of, the score, and the ends of its interval."""

    name: str
    value: float
    low: float
    high: float


def make_dot(name: str, value: float, interval: Sequence[float] | None) -> Dot:
    """Return a dot on its interval; on none where there is none or its ends are unknown."""
    if interval is None or math.isnan(interval[0]):
        interval = (value, value)
    return Dot(name, value, min(interval[0], value), max(interval[1], value))


class Plot(NamedTuple):
    """Scores as dots on their intervals.

    Attributes:
        dots: at least one.
        label: of the plot.
        caption: below it; the range of the scale is added.
        spread: the words before the ends of an interval.
        against: the name of the one whose dot is a square, on a dashed line.
        digits: decimals of the scores.
    """

    dots: Sequence[Dot]
    label: str
    caption: str
    spread: str = "from"
    against: str | None = None
    digits: int = 2

    @property
    def ticks(self) -> list[float]:
        """The numbers of the axis."""
        return ticks(min(dot.low for dot in self.dots), max(dot.high for dot in self.dots))

    def place(self, value: float) -> float:
        """Return how far a value is from the left, in percent of the width."""
        first, *_, last = self.ticks
        return 100 * (value - first) / (last - first)

    def say(self, dot: Dot) -> str:
        """Return the score of a dot and its interval in words."""
        value, low, high = (figure(number, self.digits) for number in dot[1:])
        return value if dot.low == dot.high else f"{value}, {self.spread} {low} to {high}"


def ticks(low: float, high: float) -> list[float]:
    """Return about `_TICKS` round numbers, evenly spaced, from low or below to high or above.

    >>> ticks(31.7, 44.2)
    [30.0, 35.0, 40.0, 45.0]
    >>> ticks(50.0, 50.0)
    [49.0, 49.5, 50.0, 50.5, 51.0]
    """
    if high - low < 0.01:
        low, high = low - 1, high + 1
    rough = (high - low) / _TICKS
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [round(number * step, 6) for number in range(floor(low / step), ceil(high / step) + 1)]


# One segment


def line(scores: Scores | None) -> str:
    """Return the four scores in a line, or that there are none."""
    return render("sentence", "line", scores)


def explained_score(explanation: Explanation, variant: Variant, baselines: Mapping[str, Scores]) -> str:
    """Return the scores of a segment, how SARI comes from them, and what they are held against."""
    parts = [explanation.scores[operation] for operation in OPERATIONS]
    operations = [_from_orders(explanation, variant, operation) for operation in OPERATIONS]
    said = {
        operation: f"{LABELS[operation]} = {row['formula']} = {row['score']:.2f}{row['what']}. "
        f"SARI = {mean(parts)} = {explanation.scores['sari']:.2f}."
        for operation, row in zip(OPERATIONS, operations, strict=True)
    }
    return render(
        "sentence",
        "score",
        explanation,
        {"total": mean(parts), "operations": operations},
        said,
        **_held_against(explanation.scores["sari"], baselines),
    )


def _held_against(score: float, baselines: Mapping[str, Scores]) -> dict[str, Any]:
    """Return what a score is held against, and where it is among that."""
    single = [scores["sari"] for name, scores in baselines.items() if name.startswith("reference ")]
    rows = [
        {
            "label": label,
            "score": baselines[name]["sari"],
            "range": [min(single), max(single)] if name == "references" else None,
        }
        for name, (label, _) in _BASELINES.items()
        if name in baselines
    ]
    return {"rows": rows, "verdict": verdict(score, baselines), "baselines": baselines}


def texts(explanation: Explanation) -> str:
    """Return source, output, both in one line, and references, with every token marked."""
    tokens = {"source": explanation.source, "output": explanation.output}
    data = json.dumps(_gram_rows(explanation), ensure_ascii=False, separators=(",", ":"))
    words = "\n".join(token.text for token in (*explanation.source, *explanation.output))
    return render(
        "sentence",
        "texts",
        explanation,
        points={_key_of(edit.at): edit.points for edit in explanation.edits},
        changes=[(tokens[which][place], f"{which[0]}{place}") for which, place in explanation.changes],
        data=data,
        version=zlib.crc32(f"{explanation.signature}\n{words}\n{data}".encode()),  # identifies these texts
    )


def costs(explanation: Explanation) -> str:
    """Return the choices that cost most, and those that earn most, to try what SARI is without them."""
    edits = explanation.edits
    earning = [edit for edit in reversed(edits) if edit.points > 0.005]
    costing = [edit for edit in edits if edit.points < -0.005]
    return render("sentence", "costs", costing[:_EDITS], len(costing), earning[:_EDITS], _key_of) if edits else ""


def _key_of(at: tuple[str | int, int]) -> str:
    """Return where a word stands, as the page names it.

    >>> _key_of(("source", 2)), _key_of((0, 3))
    ('s2', 'r0.3')
    """
    text, place = at
    return f"{text[0]}{place}" if isinstance(text, str) else f"r{text}.{place}"


def orders(explanation: Explanation, variant: Variant) -> str:
    """Return precision, recall and F1 of every n-gram order, linked to the words."""
    counts = counting(variant)
    said = [
        {operation: _figures_in_words(row, by_operation, operation) for operation in OPERATIONS}
        for row, by_operation in zip(explanation.orders, explanation.grams, strict=True)
    ]
    return render("elements", "orders", explanation.orders, counts, said)


def _figures_in_words(
    row: OrderFigures, by_operation: Mapping[str, Sequence[Gram]], operation: Operation
) -> dict[str, str]:
    """Return how precision, recall and F1 of an n-gram order come about."""
    figures, listed = row[operation], by_operation[operation]
    said = {}
    for place, name in ((0, "precision"), (2, "recall")):
        parts, whole = (sum(gram.counts[place + step] for gram in listed) for step in (0, 1))
        credits = [f"{gram.text} {gram.counts[place]:.3g}" for gram in listed if gram.counts[place]]
        more = f" and {len(credits) - _CREDITS} more" if len(credits) > _CREDITS else ""
        of = f": {', '.join(credits[:_CREDITS])}{more}" if credits else ""
        value = figures["precision" if place == 0 else "recall"]
        ratio = (
            f" = {parts:.4g} of {whole:.4g} = {value:.2f}" if whole else f" = 0 of 0, which counts as {value:.2f} here"
        )
        said[name] = f"{_FIGURES[name]}{ratio}{of}."
    precision, recall = f"{figures['precision']:.2f}", f"{figures['recall']:.2f}"
    said["f1"] = f"F1 = 2 × {precision} × {recall} / ({precision} + {recall}) = {figures['f1']:.2f}."
    return said


def grams(explanation: Explanation) -> str:
    """Return for every n-gram order and operation the n-grams and what they add to precision and recall."""
    shown = []
    for by_operation in explanation.grams:
        begin, lists = 0, []
        for operation in OPERATIONS:
            listed = by_operation[operation]
            sums = [sum(gram.counts[place] for gram in listed) for place in range(4)]
            lists.append({"operation": operation, "grams": listed, "sums": sums, "begin": begin})
            begin += len(listed)
        shown.append(lists)
    return render("sentence", "grams", shown, _GRAMS)


def sharing(explanation: Explanation, program: str) -> str:
    """Return buttons that copy the link, the signature, a sentence for a paper and a program, and what they copy."""
    sentence = (
        f"We report SARI (Xu et al., 2016) of {explanation.scores['sari']:.2f}, signature {explanation.signature}."
    )
    return render("sentence", "sharing", explanation.signature, sentence, program)


def python(source: str, output: str, references: Sequence[str], options: Mapping[str, Any], score: float) -> str:
    """Return a program that computes the score.

    >>> print(python("a b", "a", ["a"], {"variant": "easse"}, 50.0))
    import evaluate
    <BLANKLINE>
    # The path of this project's sari.py, and the scoring options.
    sari = evaluate.load("sari.py", variant='easse')
    scores = sari.compute(
        sources=['a b'],
        predictions=['a'],
        references=[['a']],
    )
    print(scores["sari"])  # 50.00
    """
    texts = {"sources": [source], "predictions": [output], "references": [list(references)]}
    return _ENVIRONMENT.get_template("program.py.j2").render(texts=texts, options=options, score=score)


def counting(variant: Variant) -> dict[Operation, str]:
    """Return which of the figures counts in each operation."""
    return {"keep": "f1", "delete": variant.deletion, "add": variant.addition}


def mean(parts: Sequence[float]) -> str:
    """Return how a mean is computed, with as many digits as it takes for the sum to come out.

    >>> mean([1.004, 1.004, 1.008]), mean([50.0, 100.0]), mean([31.5918, 82.3262, 13.2966])
    ('(1.004 + 1.004 + 1.008) / 3', '(50.00 + 100.00) / 2', '(31.5918 + 82.3262 + 13.2966) / 3')
    """
    shown = Decimal(f"{sum(parts) / len(parts):.2f}")

    def comes_out(digits: int) -> bool:
        """Return whether a calculator gives the mean that is shown, whichever way it rounds halves."""
        total = sum(Decimal(f"{part:.{digits}f}") for part in parts)
        return abs(total - shown * len(parts)) < len(parts) * Decimal("0.005")

    digits = next(filter(comes_out, (2, 3, 4)), 5)
    return f"({' + '.join(f'{part:.{digits}f}' for part in parts)}) / {len(parts)}"


def verdict(score: float, baselines: Mapping[str, Scores]) -> str:
    """Say in words where a score stands."""
    lazy = max(
        (name for name in ("copy", "empty", "unrelated") if name in baselines),
        key=lambda name: baselines[name]["sari"],
    )
    best = baselines[lazy]["sari"]
    if score <= best:
        return f"Not above {_BASELINES[lazy][1]}, {best:.0f}."
    if "references" not in baselines:
        return f"Above copying and doing nothing, up to {best:.0f}."
    people = baselines["references"]["sari"]
    return (
        f"Above doing nothing, up to {best:.0f}; {'at or above' if score >= people else 'below'} people, {people:.0f}."
    )


def _from_orders(explanation: Explanation, variant: Variant, operation: Operation) -> dict[str, Any]:
    """Return how an operation's score comes from its n-gram orders, as the variant averages them."""
    rows, counts = explanation.orders, counting(variant)[operation]
    score = explanation.scores[operation]
    shown: dict[str, Any] = {"name": LABELS[operation], "score": score}
    if variant.averaging == "ratios" and counts == "f1":
        precision, recall = (_mean_of(rows, operation, figure) for figure in ("precision", "recall"))
        return {**shown, "formula": f"F1 of precision {precision} and recall {recall}", "what": ""}
    of: Figure = "precision" if counts == "precision" else "f1"
    size = "single words" if len(rows) == 1 else f"1 to {len(rows)} words in a row"
    average = sum(row[operation][of] for row in rows) / len(rows)
    formula = _mean_of(rows, operation, of)
    if abs(average - score) > 1e-6:
        factor = score / average if average else 0
        formula += f" = {average:.2f}, times {factor:.3f} for length"
    return {**shown, "formula": formula, "what": f": {_FIGURES[counts]} of {size}"}


def _mean_of(rows: Sequence[OrderFigures], operation: Operation, figure: Figure) -> str:
    return mean([row[operation][figure] for row in rows])


def _gram_rows(explanation: Explanation) -> list[list[list[Any]]]:
    """Return for each order a row for each n-gram, as `page.js` reads them."""
    return [
        [
            [
                operation,
                gram.mark,
                round(100 * gram.counts[0] / gram.counts[1]) if gram.counts[1] else None,
                gram.why,
                [bool(gram.counts[1]), bool(gram.counts[3])],
                [gram.places.source, gram.places.output, *gram.places.references],
            ]
            for operation in OPERATIONS
            for gram in by_operation[operation]
        ]
        for by_operation in explanation.grams
    ]


# Variants


def variant_scores(results: Mapping[str, Scores]) -> str:
    """Return the scores under several variants, and remarks about those that this server cannot score under."""
    ranked = sorted(results.items(), key=lambda pair: -pair[1]["sari"])
    reasons = dict.fromkeys(VARIANTS, "it excludes an option that is chosen") | dict.fromkeys(
        resolve_variants()[1], _LACKING
    )
    lacking = "".join(note(f"{name} is left out: {why}.") for name, why in reasons.items() if name not in results)
    summaries = {name: row.summary for name, row in VARIANTS.items()}
    return render("variants", "comparison", ranked, summaries) + lacking


def given(source: str, output: str, references: Iterable[str]) -> str:
    """Return the texts that were scored, unmarked."""
    rows = [("Source", source), ("Output", output), *(("Reference", reference) for reference in references)]
    return render("variants", "given", rows)


def variant_steps(explained: VariantDifference) -> str:
    """Return the way from one variant to another as a table: every choice and what it does to SARI."""
    one, other, (first, *further) = explained["variant_a"], explained["variant_b"], explained["steps"]
    if not further:
        return note(f"{one} and {other} are the same.")
    last = further[-1]["sari"]
    rows = [[one, "", "", figure(first["sari"]), ""]]
    rows += [
        [str(step["choice"]), str(step["before"]), str(step["after"]), figure(step["sari"]), _change(before, step)]
        for before, step in pairwise(explained["steps"])
    ]
    rows.append([other, "", "", figure(last), difference_of(last, first["sari"])])
    title = f"From {one} to {other}, one choice at a time"
    return render("variants", "steps", make_table(title, ["Choice", "From", "To", "SARI", "Change"], rows, texts=3))


def _change(before: Mapping[str, Any], step: Mapping[str, Any]) -> str:
    return difference_of(step["sari"], before["sari"])


# A corpus


def corpus_scores(scored: ScoredCorpus, variant: Variant, baselines: Mapping[str, Scores], standing: Standing) -> str:
    """Return the scores of a corpus, what they are held against, the histogram of its sentences, figures by order."""
    own = {"These outputs": scored.result["sari"]}
    values = sorted(row.sari for row in scored.rows)
    counts = Counter(map(bin_of, values))
    bars = [(ends_of(place), counts[place]) for place in range(BINS)]
    label = f"SARI per sentence: from {values[0]:.1f} to {values[-1]:.1f}, median {values[len(values) // 2]:.1f}"
    held = _held_against(scored.result["sari"], baselines)
    return render(
        "file", "corpus", scored, counting(variant), variant.name, bars, label, **held, **_published(standing, own)
    )


def ends_of(place: int) -> str:
    """Return from which score to which a bar of the histogram goes.

    >>> ends_of(1)
    '5 to 10'
    """
    return f"{place * 100 / BINS:g} to {(place + 1) * 100 / BINS:g}"


def bin_of(score: float) -> int:
    """Return which bar of the histogram a score is in, from 0.

    >>> bin_of(0.0), bin_of(4.9), bin_of(5.0), bin_of(100.0)
    (0, 0, 1, 19)
    """
    return min(int(score / 100 * BINS), BINS - 1)


# Published systems, ratings by people, and numbers of references


def published(standing: Standing, own: Mapping[str, float]) -> str:
    """Return where SARI of one's own systems, by name, stands among published ones, to open."""
    return render("elements", "published", **_published(standing, own))


def _published(standing: Standing, own: Mapping[str, float]) -> dict[str, Any]:
    """Return what the macro `published` takes: the table without its empty columns."""
    table = standing.table(own)
    filled = [
        number for number, column in enumerate(zip(*table.rows, strict=True)) if any(cell.text for cell in column)
    ]
    return {"standing": standing, "own": own, "shown": select_columns(table, filled)}


def ratings_agreement(report: AgreementReport) -> str:
    """Return how scores agree with ratings: for each level a plot of Pearson's correlation, and a table.

    Scores of one variant are shown in their order, SARI of several variants from the best to the worst.
    """
    by_level = {level: [row for row in report.rows if row.level == level] for level in ("segments", "systems")}
    tables = zip(tabulate_agreement(report).tables, filter(None, by_level.values()), strict=True)
    return render("people", "agreement", report, [_level(table, rows, report.confidence) for table, rows in tables])


def _level(table: Table, rows: Sequence[AgreementRow], confidence: float | None) -> dict[str, Any]:
    """Return the plot of segments, or of systems, and their table without empty columns."""
    several = len({row.variant for row in rows}) > 1
    found = [row.coefficients["pearson"] for row in rows]
    places = [place for place, own in enumerate(found) if not math.isnan(own.value)]
    unknown = [place for place, own in enumerate(found) if math.isnan(own.value)]
    if several:
        places.sort(key=lambda place: -found[place].value)
    names = [row.variant if several else {**LABELS}[row.measure] for row in rows]
    dots = [make_dot(names[place], found[place].value, found[place].interval) for place in places]
    spread = "" if confidence is None else f"{100 * confidence:g}% interval"
    label = f"{table.title}: Pearson's correlation{f', and its {spread}' if spread else ''}"
    plot = Plot(dots, label, f"{label}.", f"{spread} from", names[0] if several else None, 3) if dots else None
    filled = [number for number in range(len(table.columns)) if any(row[number].text for row in table.rows)]
    table = select_columns(select_rows(table, places + unknown if several else range(len(rows))), filled)
    cells = [[cell._replace(text=cell.text.replace("-", "−")) for cell in row] for row in table.rows]  # a true minus
    table = replace(table, rows=cells)
    return {"plot": plot, "table": table, "lacks": any(MISSING in cell.text for row in table.rows for cell in row)}


def by_references(counts: Sequence[ReferenceCount]) -> str:
    """Return the score with 1, 2, … of the references, as a plot and a table."""
    most = number_of(max(row.subsets for row in counts), "subset")
    caption = (
        f"SARI with some of the references: the mean of up to {most} of each number, and from the lowest to the "
        "highest of them."
    )
    header = ["References", "Subsets", *(LABELS[name] for name in SCORES), "SD of SARI"]
    rows = [
        [
            str(row.references),
            str(row.subsets),
            *(figure(row.mean[name]) for name in SCORES),
            figure(row.deviation["sari"]),
        ]
        for row in counts
    ]
    dots = [
        make_dot(number_of(row.references, "reference"), row.mean["sari"], (row.lowest["sari"], row.highest["sari"]))
        for row in counts
    ]
    plot = Plot(dots, "SARI by number of references", caption)
    return render("people", "by_references", plot, make_table("Means over subsets", header, rows))


# Systems


def systems(report: ScoreReport, baselines: Mapping[str, Scores]) -> str:
    """Return compared systems: warnings and a table of scores.

    Args:
        report: of one variant, with intervals and, where there are several systems, tests.
        baselines: what the systems are held against.
    """
    resampling, results = report.resampling, report.results
    assert resampling is not None
    return render(
        "compare",
        "systems",
        report,
        [result.name for result in results if result.copies],
        _system_table(results, _percent(resampling), resampling.baseline),
        _baseline_table(baselines),
        baselines,
        _tested(report),
    )


def tests_of_systems(report: ScoreReport) -> str:
    """Return a plot of the intervals of compared systems, and the tests in words; `report` is as for `systems`."""
    resampling, results = report.resampling, report.results
    assert resampling is not None
    percent, baseline = _percent(resampling), resampling.baseline
    caption = f"SARI and its {percent} interval, from a bootstrap over segments."
    caption += f" The square and the dashed line stand for the baseline, {baseline}." if len(results) > 1 else ""
    dots = [make_dot(result.name, result.scores["sari"], _interval(result)) for result in results]
    plot = Plot(dots, f"SARI with {percent} intervals", caption, f"{percent} interval from", baseline)
    return render("compare", "tests", resampling, plot, _tested(report))


def _percent(resampling: ResamplingSummary) -> str:
    return f"{100 * (resampling.confidence or 0):g}%"


def _tested(report: ScoreReport) -> list[SystemScores]:
    """Return the systems that are tested against the baseline."""
    resampling = report.resampling
    if resampling is None or resampling.method is None:
        return []
    return [result for result in report.results if result.name != resampling.baseline]


def differences(
    extremes: Mapping[str, Mapping[str, Sequence[int]]],
    baseline: str,
    scores: Mapping[str, Sequence[float]],
    columns: SystemColumns,
) -> str:
    """Return for each system its biggest wins and losses against the baseline.

    Args:
        extremes: the wins and losses, as `answers.find_extremes` returns them; their outputs are to click.
        baseline: the name of a system.
        scores: SARI of every segment by system.
        columns: the texts.
    """
    return render("compare", "differences", extremes, baseline, scores, columns)


def ranking(rows: Sequence[RankedVariant], chosen: str, baseline: str, copies: Sequence[str]) -> str:
    """Return whether what a variant says of systems holds under the others: in words, and as a table.

    Args:
        rows: of every variant.
        chosen: the variant that the others are held against.
        baseline: the name of a system.
        copies: the names of systems that copy the source, which do not compete.
    """
    own = next(row for row in rows if row.variant == chosen)
    names = list(own.differences)
    sentences = [_holds(rows, own, name, baseline) for name in names if name not in copies]
    header = ["Variant", baseline, *names]
    cells = []
    for row in rows:
        shown = [
            Cell(
                figure(row.scores[name]),
                mark={1: HIGHER, -1: LOWER, 0: ""}[row.verdict(name)],
                small=signed(row.differences[name]),
            )
            for name in names
        ]
        cells.append([Cell(row.variant, small="chosen" * (row is own)), Cell(figure(row.scores[baseline])), *shown])
    table = make_table("SARI under every variant, and the difference from the baseline", header, cells)
    return render("compare", "ranking", sentences, table, copies)


def _holds(rows: Sequence[RankedVariant], own: RankedVariant, name: str, baseline: str) -> dict[str, Any]:
    """Return what the variants say of a system and the baseline, as parts of a sentence."""
    sign = own.verdict(name)
    agreeing = [row.variant for row in rows if row.verdict(name) == sign]
    reversing = [row.variant for row in rows if sign and row.differences[name] * sign < 0]
    words = {1: "above", -1: "below"}
    better = {word: [row.variant for row in rows if row.verdict(name) == value] for value, word in words.items()}
    return {
        "name": name,
        "baseline": baseline,
        "variant": own.variant,
        "verdict": {1: "significantly above", -1: "significantly below", 0: "not significantly different from"}[sign],
        "agreeing": len(agreeing),
        "all": len(rows),
        "reversing": reversing,
        "significantly": [row.variant for row in rows if row.variant in reversing and row.verdict(name) == -sign],
        "otherwise": {} if sign else {word: found for word, found in better.items() if found},
    }


def link_to_comparison(comparison: str) -> str:
    """Return a button that copies a link to a comparison, and what the link carries; nothing if that is empty."""
    return render("compare", "link", comparison) if comparison else ""


def by_length(rows: Sequence[tuple[Length, Mapping[str, float]]]) -> str:
    """Return SARI of every system by the length of the source, in tokens."""
    header = ["Tokens", "Segments", *rows[0][1]]
    cells = [[span_of(length), f"{length.segments:,}", *map(figure, own.values())] for length, own in rows]
    return render("compare", "by_length", make_table("SARI by length of the source", header, cells))


def ngrams(found: Mapping[str, list[NgramDifference]], baseline: str) -> str:
    """Return for each system the n-grams by which it gains and loses most against the baseline."""
    return render("compare", "ngrams", tabulate_ngrams(found, baseline))


def _system_table(results: list[SystemScores], percent: str, baseline: str | None) -> Table:
    """Return a row for each system; copies of the source do not compete for the best of a column."""
    best = {name: best_scores(results, name) for name in SCORES}
    rows = []
    for result in results:
        remarks = ["baseline"] if len(results) > 1 and result.name == baseline else []
        remarks += ["copies the source"] if result.copies else []
        sari, *operations = (
            Cell(figure(result.scores[name]), not result.copies and result.scores[name] in best[name])
            for name in SCORES
        )
        difference, p_value = Cell(""), Cell("")
        if result.differences is not None and result.corrected_p_values is not None:
            p = result.corrected_p_values["sari"]
            difference = Cell(signed(result.differences["sari"]))
            sign = HIGHER if result.differences["sari"] > 0 else LOWER
            p_value = Cell(figure(p, 4), mark=sign if p < SIGNIFICANT else "")
        between = " to ".join(map(figure, _interval(result) or ()))
        rows.append([Cell(result.name, small=" ".join(remarks)), sari, Cell(between), *operations, difference, p_value])
    header = ["System", "SARI", f"{percent} interval", *(LABELS[name] for name in OPERATIONS), "Difference", "p"]
    return make_table(f"{number_of(results[0].segments, 'segment')} under {results[0].variant}", header, rows)


def _baseline_table(baselines: Mapping[str, Scores]) -> Table:
    rows = [
        [label, *(figure(baselines[name][score]) for score in SCORES)]
        for name, (label, _) in _BASELINES.items()
        if name in baselines
    ]
    return make_table("For comparison", ["Text", *(LABELS[name] for name in SCORES)], rows)


def _interval(result: SystemScores) -> list[float] | None:
    return None if result.confidence_intervals is None else result.confidence_intervals["sari"]
