"""Answers as HTML: each function turns an answer into plain data and fills a template with it.

The templates are in `templates/`; they escape every text. What the report shows too comes from the report's templates.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

from sari.aggregation import Scores
from sari.reports.explanation import UNSEEN, Explanation
from sari.reports.reasons import EMPTY, MARKS, Token
from sari.reports.report_page import figure, make_environment, score_pictures
from sari.reports.score_report import ScoreReport, ScoreRow
from sari.reports.score_tables import LABELS, tabulate_orders, tabulate_steps
from sari.reports.tables import Cell, Table, make_table
from sari.reports.word_edits import Edit
from sari.significance import SIGNIFICANT
from sari.variant_comparison import VariantDifference
from sari.variants import (
    OPERATIONS,
    VARIANTS,
    Figure,
    Operation,
    Variant,
)
from sari.web.components import choices_of, variant_in_words
from sari.web.inputs import LACKING

#: Systems whose SARI differs by less are tied.
TIE = 0.1
# Changes that are shown as nothing.
_LEAST = 0.005
_RANKING_NOTE = (
    f"In brackets: the rank under the variant. Systems whose SARI differs by less than {TIE} are tied. Differences are "
    f"significant at {SIGNIFICANT:.0%}, corrected for the number of pairs under each variant (Holm 1979)."
)
# The share of words that an output has in common with a reference that it repeats.
_NEARLY = 0.9
_FIGURES = {"precision": "precision", "f1": "F1"}
# What the baselines are called, as labels and in sentences.
_BASELINES = {
    "copy": ("The source, copied", "a copy of the source"),
    "empty": ("No words at all", "an output without words"),
    "unrelated": ("Unrelated text", "an unrelated text"),
    "references": ("People, each against the others (mean)", ""),
}


_ENVIRONMENT = make_environment(Path(__file__).with_name("templates"))
_ENVIRONMENT.globals |= {
    "LABELS": LABELS,
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
    return _ENVIRONMENT.get_template("about.md.j2").render(variants=VARIANTS, lacking=_lacking_variants())


def _lacking_variants() -> dict[str, str]:
    return dict.fromkeys((name for name in VARIANTS if name not in choices_of("variant")), LACKING)


# One segment


def scores(explanation: Explanation, variant: Variant) -> str:
    """Return the four scores; a bar says how it is computed."""
    return render("sentence", "scores", scores=explanation.scores, arithmetic=_arithmetic(explanation, variant))


def answer(explanation: Explanation, variant: Variant, baselines: Mapping[str, Scores]) -> str:
    """Return how SARI is computed, the scores of baselines, and what choices cost and earn.

    Of documents whole sentences come before words.
    """
    lists = {"sentences": explanation.sentences, "costing": explanation.costs, "earning": explanation.earnings}
    return render(
        "sentence",
        "answer",
        explanation=explanation,
        arithmetic=_arithmetic(explanation, variant),
        table=tabulate_orders("Figures by n-gram order", explanation.orders),
        bars={label: baselines[name]["sari"] for name, (label, _) in _BASELINES.items() if name in baselines},
        repeated=_repeats_reference(explanation),
        verdict=verdict(explanation.scores["sari"], baselines),
        **{name: list(map(_edit_row, edits)) for name, edits in lists.items()},
    )


def _repeats_reference(explanation: Explanation) -> bool:
    """Return whether the output shares nearly all words with a reference, as where each choice was tried."""
    words, *people = (Counter(token.text for token in text) for text in (explanation.output, *explanation.references))
    return any((words & row).total() >= _NEARLY * max(words.total(), row.total(), 1) for row in people)


def _arithmetic(explanation: Explanation, variant: Variant) -> dict[str, str]:
    """Return how SARI comes from the scores of operations, and each of these from those of n-gram orders."""
    figures: dict[Operation, Any] = {"keep": "f1", "delete": variant.deletion, "add": variant.addition}
    parts = _mean(explanation.scores[operation] for operation in OPERATIONS)
    lines: dict[str, str] = {"sari": f"SARI = {parts} = {figure(explanation.scores['sari'])}"}
    return lines | {name: _from_orders(explanation, variant, name, counts) for name, counts in figures.items()}


def _from_orders(explanation: Explanation, variant: Variant, operation: Operation, counts: Figure) -> str:
    """Return how an operation's score comes from the figure that counts in it, as the variant averages orders."""

    def mean_of(name: Figure) -> str:
        return _mean(row[operation][name] for row in rows)

    rows, score = explanation.orders, explanation.scores[operation]
    name, result = LABELS[operation], figure(score)
    if variant.averaging == "ratios" and counts == "f1":
        return f"{name} = F1 of precision {mean_of('precision')} and recall {mean_of('recall')} = {result}"
    size = "single words" if len(rows) == 1 else f"1 to {len(rows)} words in a row"
    average = sum(row[operation][counts] for row in rows) / len(rows)
    factor = ""
    if figure(average) != result:
        factor = f" = {figure(average)}, times {score / average:.3f} for length"
    return f"{name} = {mean_of(counts)}{factor} = {result}, by {_FIGURES[counts]} of {size}"


def _mean(parts: Iterable[float]) -> str:
    """Return how a mean is computed.

    >>> _mean([50.0, 100.0])
    '(50.00 + 100.00) / 2'
    """
    numbers = [figure(part) for part in parts]
    return f"({' + '.join(numbers)}) / {len(numbers)}"


def texts(explanation: Explanation, language: str = "") -> str:
    """Return source, output and references with every token marked; their language where it is known."""
    points = {_key_of(edit.at): edit.points for edit in explanation.edits}
    people = explanation.references
    named = [("Source", "s", explanation.source), ("Output", "o", explanation.output)]
    for number, tokens in enumerate(people):
        named.append(("Reference" if len(people) == 1 else f"Reference {number + 1}", f"r{number}.", tokens))
    rows = [
        {"label": label, "words": [_word_row(token, f"{key}{place}", points) for place, token in enumerate(tokens)]}
        for label, key, tokens in named
    ]
    data = json.dumps(_gram_rows(explanation), separators=(",", ":"))
    return render("sentence", "texts", texts=rows, data=data, language=language)


def _word_row(token: Token, key: str, points: Mapping[str, float]) -> dict[str, Any]:
    """Return a token of the page: its element, its key, and what screen readers and the panel say of it."""
    why = f"{token.why} {_points_in_words(points[key])}" if key in points else token.why
    label = f"{token.text or EMPTY}, {MARKS[token.mark]}. {why}"
    credit = None if token.mark == "kept" else token.credit
    return {"text": token.text, "mark": token.mark, "credit": credit, "key": key, "label": label, "why": why}


def _points_in_words(points: float) -> str:
    return f"{'Costs' if points < 0 else 'Earns'} {figure(abs(points))}."


def _edit_row(edit: Edit) -> dict[str, Any]:
    """Return a choice of the page: what it is, its points, and the output without it."""
    word = edit.text or EMPTY
    doing = edit.in_words(word)
    return {
        "key": _key_of(edit.at),
        "label": f"{doing[:1].upper()}{doing[1:]} {'costs' if edit.points < 0 else 'earns'}",
        "points": figure(abs(edit.points), 1),
        "words": f"{_points_in_words(edit.points)} SARI is {figure(edit.sari)} without this choice.",
        "output": edit.output,
        "try": f"try it: the output {'with' if edit.choice in ('deleted', 'missed') else 'without'} “{word}”",
    }


def _key_of(at: tuple[str | int, int]) -> str:
    """Return where a word stands, as the page names it.

    >>> _key_of(("source", 2)), _key_of((0, 3))
    ('s2', 'r0.3')
    """
    text, place = at
    return f"{text[0]}{place}" if isinstance(text, str) else f"r{text}.{place}"


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


def _gram_rows(explanation: Explanation) -> list[list[dict[str, Any]]]:
    """Return for each order its n-grams, as `page.js` reads them, with their places by the keys of texts."""
    return [
        [
            {
                "operation": operation,
                "mark": gram.mark,
                "why": gram.why,
                "places": {
                    "s": gram.places.source,
                    "o": gram.places.output,
                    **{f"r{number}.": starts for number, starts in gram.places.references.items()},
                },
            }
            for operation in OPERATIONS
            for gram in by_operation[operation]
        ]
        for by_operation in explanation.grams
    ]


# Variants


def variant_scores(
    results: Mapping[str, Scores], variants: Mapping[str, Variant], texts: Sequence[tuple[str, str]]
) -> str:
    """Return the scores of texts under several variants, and which variants this server cannot score under."""
    ranked = sorted(results.items(), key=lambda pair: -pair[1]["sari"])
    reasons = dict.fromkeys(VARIANTS, "it excludes an option that is chosen") | _lacking_variants()
    return render(
        "variants",
        "comparison",
        rows=[(name, variant_in_words(variants[name]), scores) for name, scores in ranked],
        left_out={name: why for name, why in reasons.items() if name not in results},
        texts=texts,
    )


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
        tables=[(table, table.notes_with("Bold:")) for table in tables],
        pictures=score_pictures(report, sari),
    )


def ranking(rows: Sequence[ScoreRow], chosen: str) -> str:
    """Return whether the ranking of systems holds under all variants: in words, and as a table.

    Args:
        rows: of the systems and of all pairs of them, under every variant.
        chosen: the variant whose order is compared with those of the others.
    """
    results: dict[str, dict[str, ScoreRow]] = {}
    for row in rows:
        if row.kind == "system":
            results.setdefault(row.variant, {})[row.name] = row

    def ranked(variant: str, names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: -results[variant][name].scores["sari"])

    names = ranked(chosen, results[chosen])
    competing = [name for name in names if results[chosen][name].competes]
    cells = []
    for variant, of_variant in results.items():
        ranks = {name: rank for rank, name in enumerate(ranked(variant, names), 1)}
        scores = [Cell(figure(of_variant[name].scores["sari"]), small=f"({ranks[name]})") for name in names]
        cells.append([Cell(variant, small="chosen" if variant == chosen else ""), *scores])
    return render(
        "files",
        "ranking",
        number=comb(len(competing), 2),
        pairs=_reversed_pairs(rows, competing),
        variants=len(results),
        copies=[name for name, row in results[chosen].items() if row.copies],
        table=make_table("SARI under every variant", ["Variant", *names], cells),
    )


def _reversed_pairs(rows: Sequence[ScoreRow], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the pairs of systems that variants rank in both orders, those of most opposing variants first.

    Each has the variants that agree with the order of `names`, and those that oppose it, with whether the systems
    differ significantly under them.
    """
    sari = {(row.variant, row.name): row.scores["sari"] for row in rows if row.kind == "system"}
    significant = {
        (row.variant, frozenset((row.name, row.against)))
        for row in rows
        if row.kind == "pair" and row.corrected_p_values["sari"] < SIGNIFICANT
    }
    pairs = []
    for one, other in combinations(names, 2):
        orders: tuple[dict[str, bool], dict[str, bool]] = ({}, {})
        for variant in dict.fromkeys(row.variant for row in rows):
            difference = sari[variant, one] - sari[variant, other]
            if abs(difference) >= TIE:
                orders[difference < 0][variant] = (variant, frozenset((one, other))) in significant
        agreeing, opposing = orders
        if agreeing and opposing:
            is_significant = any(agreeing.values()) and any(opposing.values())
            systems = {"systems": (one, other), "agreeing": agreeing, "opposing": opposing}
            pairs.append({**systems, "reverses_significantly": is_significant})
    return sorted(pairs, key=lambda pair: (-sum(pair["opposing"].values()), -len(pair["opposing"])))
