"""Answers as HTML: each function turns an answer into plain data and fills a template with it.

The templates are in `templates/`; they escape every text. What the report shows too comes from the report's templates.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sari.aggregation import OrderFigures, Scores
from sari.data_warnings import WarningRow
from sari.reports.explanation import UNSEEN, Explanation
from sari.reports.paragraph import methods_paragraph, paragraph_as_text
from sari.reports.reasons import MARKS, Token
from sari.reports.report_page import LABELS, figure, make_environment, score_pictures
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_orders, tabulate_steps
from sari.reports.tables import Cell, Table, make_table
from sari.reports.word_edits import Edit
from sari.validation import either
from sari.variant_comparison import VariantDifference
from sari.variants import (
    DEFAULT_VARIANT,
    OPERATIONS,
    SIGNIFICANT,
    VARIANTS,
    Figure,
    Operation,
    Variant,
    resolve_variants,
)
from sari.web.answers import TIE, PairRanking, RankedVariant, rank_pairs
from sari.web.components import EMPTY_LINE, variant_in_words
from sari.web.inputs import LACKING, label_of, offered_options

# How many choices of each kind are visible at first.
_EDITS = 8
# Tables with more rows, and lists with more items, are folded.
_LONG, _PAIRS = 25, 10
# Changes that are shown as nothing.
_LEAST = 0.005
_RANKING_NOTE = (
    f"In brackets: the rank under the variant. Systems whose SARI differs by less than {TIE} are tied. Differences are "
    f"significant at {SIGNIFICANT:.0%}, corrected for the number of pairs under each variant (Holm 1979)."
)
_FIGURES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
# Marks with the credit that is drawn for them, and what they mean.
_LEGEND = (
    ("kept-rightly", 1.0, "kept, as references do"),
    ("kept-wrongly", 0.0, "kept, though they drop it"),
    ("kept-wrongly", 0.44, "a longer line: more credit"),
    ("deleted-rightly", 1.0, "deleted, as they do"),
    ("deleted-wrongly", 0.0, "deleted, though they keep it"),
    ("added-rightly", 1.0, "added, as they do"),
    ("added-wrongly", 0.0, "added, though none has it"),
    ("missed", 0.0, "only references add it"),
)
# What the baselines are called, as labels and in sentences.
_BASELINES = {
    "copy": ("The source, copied", "a copy of the source"),
    "empty": ("No words at all", "an output without words"),
    "unrelated": ("Unrelated text", "an unrelated text"),
    "references": ("People, each against the others (mean)", ""),
}


def in_controls(row: WarningRow) -> str:
    """Return a warning in the words of the page.

    >>> advice = {"option": "tokenize", "values": ["zh", "char"]}
    >>> in_controls({"category": "", "message": "outputs are Chinese", "detail": "", "advice": advice})
    'outputs are Chinese: set Tokenizer to zh or char'
    """
    message = f"{row['message']} ({row['detail']})" if row["detail"] else row["message"]
    if row["advice"] is None:
        return message
    name, values = row["advice"]["option"], row["advice"]["values"]
    option = offered_options()[name]
    choices = [str(value) for value in values if value in option.choices] or map(option.words, values)
    return f"{message}: set {label_of(name)} to {either(choices)}"


_ENVIRONMENT = make_environment(Path(__file__).with_name("templates"))
_ENVIRONMENT.filters |= {"in_controls": in_controls, "repr": repr}
_ENVIRONMENT.globals |= {
    "LEGEND": _LEGEND,
    "LONG": _LONG,
    "RANKING_NOTE": _RANKING_NOTE,
    "OPERATIONS": OPERATIONS,
    "UNSEEN": UNSEEN,
}


def render(template: str, macro: str, **named: Any) -> str:
    """Return what a macro of a template makes of data."""
    return str(getattr(_ENVIRONMENT.get_template(f"{template}.html.j2").module, macro)(**named)).strip()


def refusal(message: object) -> str:
    """Return a line that says what is missing or wrong."""
    return render("elements", "refusal", message=str(message))


def note(message: str) -> str:
    """Return a remark."""
    return render("elements", "note", message=message)


def about() -> str:
    """Return what the page says about SARI, as Markdown."""
    lacking = dict.fromkeys(resolve_variants()[1], LACKING)
    return _ENVIRONMENT.get_template("about.md.j2").render(variants=VARIANTS, lacking=lacking)


# One segment


def explained_score(explanation: Explanation, variant: Variant, baselines: Mapping[str, Scores]) -> str:
    """Return the scores of a segment, how SARI comes from them, and the scores of baselines."""
    total = mean([explanation.scores[operation] for operation in OPERATIONS])
    lines = {operation: _from_orders(explanation, variant, operation) for operation in OPERATIONS}
    bars = {label: baselines[name]["sari"] for name, (label, _) in _BASELINES.items() if name in baselines}
    return render(
        "sentence",
        "score",
        explanation=explanation,
        total=total,
        lines=lines,
        table=tabulate_orders("Figures by n-gram order", explanation.orders),
        bars=bars,
        verdict=verdict(explanation.scores["sari"], baselines),
        copying=_copying(explanation.variant, baselines["copy"]),
    )


def _copying(variant: str, copy: Scores) -> str:
    """Say what a copy gets where nothing that is not deleted counts as deleted well."""
    if copy["delete"] < 100:
        return ""
    return (
        f"{variant} gives 100 to Delete where nothing is deleted, so it rewards doing nothing: a copy of the source "
        f"gets {figure(copy['sari'], 1)}. easse and xu2016 do not."
    )


def texts(explanation: Explanation) -> str:
    """Return source, output and references with every token marked."""
    points = {_key_of(edit.at): edit.points for edit in explanation.edits}
    people = explanation.references
    named = [("Source", "s", explanation.source), ("Output", "o", explanation.output)]
    for number, tokens in enumerate(people):
        named.append(("Reference" if len(people) == 1 else f"Reference {number + 1}", f"r{number}.", tokens))
    rows = [
        {"label": label, "words": [_word_row(token, f"{key}{place}", points) for place, token in enumerate(tokens)]}
        for label, key, tokens in named
    ]
    data = json.dumps(_gram_rows(explanation), ensure_ascii=False, separators=(",", ":"))
    sizes = [_size(order) for order in range(1, len(explanation.grams) + 1)]
    return render("sentence", "texts", texts=rows, sizes=sizes, data=data)


def _word_row(token: Token, key: str, points: Mapping[str, float]) -> dict[str, Any]:
    """Return a token of the page: its element, its key, and what screen readers and the panel say of it."""
    label = f"{token.text or EMPTY_LINE}, {MARKS[token.mark]}. {token.why}"
    if key in points:
        label += f" {_points_in_words(points[key])}"
    credit = None if token.mark == "kept" else token.credit
    return {"text": token.text, "mark": token.mark, "credit": credit, "key": key, "label": label}


def _points_in_words(points: float) -> str:
    return f"{'Costs' if points < 0 else 'Earns'} {figure(abs(points))}."


def _size(order: int) -> str:
    return "Single words" if order == 1 else f"{order} words in a row"


def costs(explanation: Explanation) -> str:
    """Return the choices that cost most, and those that earn most, to try what SARI is without them.

    Of documents there are whole sentences first.
    """
    lists = (explanation.sentences, explanation.costs, explanation.earnings)
    sentences, costing, earning = (list(map(_edit_row, edits)) for edits in lists)
    for row in sentences:
        row["key"] = ""  # only words can be lit
    return render("sentence", "costs", sentences=sentences, costing=costing, earning=earning, most=_EDITS)


def _edit_row(edit: Edit) -> dict[str, Any]:
    """Return a choice of the page: what it is, its points, and the output without it."""
    doing = edit.in_words(edit.text or EMPTY_LINE)
    return {
        "key": _key_of(edit.at),
        "label": f"{doing[:1].upper()}{doing[1:]} {'costs' if edit.points < 0 else 'earns'}",
        "points": figure(abs(edit.points), 1),
        "words": f"{_points_in_words(edit.points)} SARI is {figure(edit.sari)} without this choice.",
        "output": edit.output,
        "try": f"Try the output without {doing}",
    }


def _key_of(at: tuple[str | int, int]) -> str:
    """Return where a word stands, as the page names it.

    >>> _key_of(("source", 2)), _key_of((0, 3))
    ('s2', 'r0.3')
    """
    text, place = at
    return f"{text[0]}{place}" if isinstance(text, str) else f"r{text}.{place}"


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
    options = {"variant": DEFAULT_VARIANT, **options}  # that of a metric is another
    texts = {"sources": [source], "predictions": [output], "references": [list(references)]}
    return _ENVIRONMENT.get_template("program.py.j2").render(texts=texts, options=options, score=score)


def _counting(variant: Variant) -> dict[Operation, str]:
    """Return which of the figures counts in each operation."""
    return {"keep": "f1", "delete": variant.deletion, "add": variant.addition}


def mean(parts: Sequence[float]) -> str:
    """Return how a mean is computed.

    >>> mean([50.0, 100.0])
    '(50.00 + 100.00) / 2'
    """
    return f"({' + '.join(f'{part:.2f}' for part in parts)}) / {len(parts)}"


def verdict(score: float, baselines: Mapping[str, Scores]) -> str:
    """Say in words where a score stands."""
    lazy, highest = max(
        ((name, baselines[name]["sari"]) for name in ("copy", "empty", "unrelated") if name in baselines),
        key=lambda pair: pair[1],
    )
    best = f"{_BASELINES[lazy][1]} ({highest:.0f})"
    if score <= highest:
        return f"Not above {best}."
    if "references" not in baselines:
        return f"Above {best}, the best of the outputs that simplify nothing."
    people = baselines["references"]["sari"]
    return f"Above {best}; {'at or above' if score >= people else 'below'} people ({people:.0f})."


def _from_orders(explanation: Explanation, variant: Variant, operation: Operation) -> dict[str, Any]:
    """Return how an operation's score comes from its n-gram orders, as the variant averages them."""
    rows, counts = explanation.orders, _counting(variant)[operation]
    score = explanation.scores[operation]
    line: dict[str, Any] = {"name": LABELS[operation], "score": score}
    if variant.averaging == "ratios" and counts == "f1":
        precision, recall = (_mean_of(rows, operation, figure) for figure in ("precision", "recall"))
        return {**line, "formula": f"F1 of precision {precision} and recall {recall}", "what": ""}
    of: Figure = "precision" if counts == "precision" else "f1"
    size = "single words" if len(rows) == 1 else f"1 to {len(rows)} words in a row"
    average = sum(row[operation][of] for row in rows) / len(rows)
    formula = _mean_of(rows, operation, of)
    if abs(average - score) > 1e-6:
        factor = score / average if average else 0
        formula += f" = {average:.2f}, times {factor:.3f} for length"
    return {**line, "formula": formula, "what": f": {_FIGURES[counts]} of {size}"}


def _mean_of(rows: Sequence[OrderFigures], operation: Operation, figure: Figure) -> str:
    return mean([row[operation][figure] for row in rows])


def _gram_rows(explanation: Explanation) -> list[list[dict[str, Any]]]:
    """Return for each order its n-grams, as `page.js` reads them, with their places in every text."""
    return [
        [
            {
                "operation": operation,
                "mark": gram.mark,
                "why": gram.why,
                "places": [gram.places.source, gram.places.output, *gram.places.references],
            }
            for operation in OPERATIONS
            for gram in by_operation[operation]
        ]
        for by_operation in explanation.grams
    ]


# Variants


def variant_scores(results: Mapping[str, Scores], variants: Mapping[str, Variant]) -> str:
    """Return the scores under several variants, and remarks about those that this server cannot score under."""
    reasons = dict.fromkeys(VARIANTS, "it excludes an option that is chosen") | dict.fromkeys(
        resolve_variants()[1], LACKING
    )
    lacking = "".join(note(f"{name} is left out: {why}.") for name, why in reasons.items() if name not in results)
    ranked = sorted(results.items(), key=lambda pair: -pair[1]["sari"])
    (highest, high), (lowest, low) = ranked[0], ranked[-1]
    spread = (
        f" points between the highest and the lowest SARI of the same texts: "
        f"{figure(low['sari'])} under {lowest}, {figure(high['sari'])} under {highest}."
    )
    rows = [
        {
            "name": name,
            "sari": scores["sari"],
            "words": f"{variant_in_words(variants[name])}.",
            "operations": ", ".join(f"{operation} {figure(scores[operation])}" for operation in OPERATIONS),
        }
        for name, scores in ranked
    ]
    points = figure(high["sari"] - low["sari"])
    return render("variants", "comparison", points=points, spread=spread, rows=rows) + lacking


def warnings(rows: Sequence[WarningRow]) -> str:
    """Return warnings as a list; nothing where there are none."""
    return render("elements", "warnings", rows=rows)


def variant_steps(explained: VariantDifference) -> str:
    """Return the way from one variant to another as a table: every choice and what it does to SARI."""
    steps = explained["steps"]
    if len(steps) == 1:
        return note(f"{explained['variant_a']} and {explained['variant_b']} are the same.")
    visible = [step for step in steps if step["change"] is None or abs(step["change"]) >= _LEAST]
    return render("variants", "steps", table=tabulate_steps([("", {**explained, "steps": visible})]))


# Systems


def systems(report: ScoreReport, tables: Sequence[Table], sari: Mapping[str, Sequence[float]]) -> str:
    """Return warnings, tables and pictures of scored systems; `sari` has that of every segment, by system."""
    return render(
        "files",
        "systems",
        report=report,
        spoken="Scored: " + ", ".join(f"{row.name} {figure(row.scores['sari'])}" for row in report.results),
        tables=[(table, table.notes_with("bold:")) for table in tables],
        pictures=score_pictures(report, sari),
        paragraph=paragraph_as_text(methods_paragraph(report)),
    )


def ranking(rows: Sequence[RankedVariant], chosen: str, copies: Sequence[str]) -> str:
    """Return whether the ranking of systems holds under all variants: in words, and as a table.

    Args:
        rows: of every variant.
        chosen: the variant whose order is compared with those of the others.
        copies: the names of systems that copy the source, which do not compete.
    """
    first = next(row for row in rows if row.variant == chosen)
    names = sorted(first.scores, key=lambda name: -first.scores[name])
    pairs = rank_pairs(rows, chosen, [name for name in names if name not in copies])
    reversing = [pair for pair in pairs if pair.reverses]
    cells = []
    for row in rows:
        ranks = {name: rank for rank, name in enumerate(sorted(names, key=lambda name: -row.scores[name]), 1)}
        scores = [Cell(figure(row.scores[name]), small=f"({ranks[name]})") for name in names]
        cells.append([Cell(row.variant, small="chosen" if row is first else ""), *scores])
    return render(
        "files",
        "ranking",
        pairs=len(pairs),
        significant=sum(pair.reverses_significantly for pair in reversing),
        sentences=[_reversal(pair, len(rows)) for pair in reversing],
        most=_PAIRS,
        copies=copies,
        table=make_table("SARI under every variant", ["Variant", *names], cells),
    )


def _reversal(pair: PairRanking, variants: int) -> dict[str, Any]:
    """Return what variants say of a pair, as parts of a sentence."""

    def side(names: Sequence[str], significantly: Sequence[str]) -> str:
        return f"{len(names)} of {variants} variants ({', '.join(names)}), significantly under {len(significantly)}"

    return {
        "systems": (pair.higher, pair.lower),
        "higher": side(pair.agreeing, pair.agreeing_significantly),
        "lower": side(pair.opposing, pair.opposing_significantly),
    }
