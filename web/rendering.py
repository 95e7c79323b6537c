"""Answers as HTML: each function turns an answer into plain data and fills a template with it.

The templates are in `templates/`; they escape every text. What the report shows too comes from the report's templates.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sari.aggregation import OrderFigures, Scores
from sari.data_warnings import WarningRow
from sari.reports.explanation import UNSEEN, Explanation, Gram
from sari.reports.ngram_differences import NgramDifference, tabulate_ngrams
from sari.reports.paragraph import methods_paragraph, paragraph_as_text
from sari.reports.report_page import LABELS, figure, make_environment, score_pictures
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_steps
from sari.reports.tables import HIGHER, LOWER, Cell, Table, make_table
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
from sari.web.answers import RankedVariant
from sari.web.inputs import label_of, offered_options

# How many n-grams of an operation, how many choices of each kind, and how many credits of a figure are shown.
_GRAMS, _EDITS, _CREDITS = 60, 8, 8
# Tables with more rows are folded.
_LONG = 25
# Why a variant is not offered.
_LACKING = "this server lacks a package or the data that it needs"
_FIGURES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
# Marks with the credit that is drawn for them, and what they mean.
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
# What the baselines are called, and what an output that is no better did.
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


def in_controls(row: WarningRow) -> str:
    """Return a warning in the words of the page.

    >>> advice = {"option": "tokenize", "values": ["zh", "ja-mecab", "char"]}
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
_ENVIRONMENT.filters |= {"in_controls": in_controls, "repr": repr, "short": lambda value: f"{value:.4g}"}
_ENVIRONMENT.filters |= {"capitalize_first": lambda text: text[:1].upper() + text[1:]}
_ENVIRONMENT.globals |= {
    "FIGURES": _FIGURES,
    "LEGEND": _LEGEND,
    "LONG": _LONG,
    "OPERATIONS": OPERATIONS,
    "SIGNIFICANT": SIGNIFICANT,
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
    lacking = dict.fromkeys(resolve_variants()[1], _LACKING)
    return _ENVIRONMENT.get_template("about.md.j2").render(variants=VARIANTS, lacking=lacking)


# One segment


def line(scores: Scores | None) -> str:
    """Return the four scores in a line, or that there are none."""
    return render("sentence", "line", scores=scores)


def explained_score(explanation: Explanation, variant: Variant, baselines: Mapping[str, Scores]) -> str:
    """Return the scores of a segment, how SARI comes from them, and the scores of baselines."""
    total = mean([explanation.scores[operation] for operation in OPERATIONS])
    lines = {operation: _from_orders(explanation, variant, operation) for operation in OPERATIONS}
    sari = explanation.scores["sari"]
    of_sari = f"SARI = {total} = {sari:.2f}."
    arithmetic = {
        operation: f"{row['name']} = {row['formula']} = {row['score']:.2f}{row['what']}. {of_sari}"
        for operation, row in lines.items()
    }
    single = [scores["sari"] for name, scores in baselines.items() if name.startswith("reference ")]
    bars = [
        {
            "label": label,
            "score": baselines[name]["sari"],
            "range": [min(single), max(single)] if name == "references" else None,
        }
        for name, (label, _) in _BASELINES.items()
        if name in baselines
    ]
    return render(
        "sentence",
        "score",
        explanation=explanation,
        total=total,
        lines=lines.values(),
        arithmetic=arithmetic,
        bars=bars,
        verdict=verdict(sari, baselines),
        copy=baselines["copy"],
    )


def texts(explanation: Explanation) -> str:
    """Return source, output, both in one line, and references, with every token marked."""
    tokens = {"source": explanation.source, "output": explanation.output}
    data = json.dumps(_gram_rows(explanation), ensure_ascii=False, separators=(",", ":"))
    return render(
        "sentence",
        "texts",
        explanation=explanation,
        points={_key_of(edit.at): edit.points for edit in explanation.edits},
        changes=[(tokens[which][place], f"{which[0]}{place}") for which, place in explanation.changes],
        data=data,
    )


def costs(explanation: Explanation) -> str:
    """Return the choices that cost most, and those that earn most, to try what SARI is without them."""
    return render("sentence", "costs", explanation=explanation, most=_EDITS, key_of=_key_of)


def _key_of(at: tuple[str | int, int]) -> str:
    """Return where a word stands, as the page names it.

    >>> _key_of(("source", 2)), _key_of((0, 3))
    ('s2', 'r0.3')
    """
    text, place = at
    return f"{text[0]}{place}" if isinstance(text, str) else f"r{text}.{place}"


def orders(explanation: Explanation, variant: Variant) -> str:
    """Return precision, recall and F1 of every n-gram order, linked to the words."""
    arithmetic = [
        {operation: _figures_in_words(row, by_operation, operation) for operation in OPERATIONS}
        for row, by_operation in zip(explanation.orders, explanation.grams, strict=True)
    ]
    return render("sentence", "orders", rows=explanation.orders, counting=_counting(variant), arithmetic=arithmetic)


def _figures_in_words(
    row: OrderFigures, by_operation: Mapping[str, Sequence[Gram]], operation: Operation
) -> dict[str, str]:
    """Return how precision, recall and F1 of an n-gram order are computed."""
    figures, listed = row[operation], by_operation[operation]
    words = {}
    for place, name in ((0, "precision"), (2, "recall")):
        parts, whole = (sum(gram.counts[place + step] for gram in listed) for step in (0, 1))
        credits = [f"{gram.text} {gram.counts[place]:.3g}" for gram in listed if gram.counts[place]]
        more = f" and {len(credits) - _CREDITS} more" if len(credits) > _CREDITS else ""
        of = f": {', '.join(credits[:_CREDITS])}{more}" if credits else ""
        value = figures["precision" if place == 0 else "recall"]
        ratio = (
            f" = {parts:.4g} of {whole:.4g} = {value:.2f}" if whole else f" = 0 of 0, which counts as {value:.2f} here"
        )
        words[name] = f"{_FIGURES[name]}{ratio}{of}."
    precision, recall = f"{figures['precision']:.2f}", f"{figures['recall']:.2f}"
    words["f1"] = f"F1 = 2 × {precision} × {recall} / ({precision} + {recall}) = {figures['f1']:.2f}."
    return words


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
    return render("sentence", "grams", orders=shown, most=_GRAMS)


def sharing(explanation: Explanation, program: str) -> str:
    """Return buttons that copy the link, the signature, a sentence for a paper and a program, and what they copy."""
    signature = explanation.signature
    sentence = f"We report SARI (Xu et al., 2016) of {explanation.scores['sari']:.2f}, signature {signature}."
    return render("sentence", "sharing", signature=signature, sentence=sentence, program=program)


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
    rows, counts = explanation.orders, _counting(variant)[operation]
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


def _gram_rows(explanation: Explanation) -> list[list[dict[str, Any]]]:
    """Return for each order its n-grams, as `page.js` reads them: what counts each, and where it is in every text."""
    return [
        [
            {
                "operation": operation,
                "mark": gram.mark,
                "why": gram.why,
                "precision": bool(gram.counts[1]),
                "recall": bool(gram.counts[3]),
                "places": [gram.places.source, gram.places.output, *gram.places.references],
            }
            for operation in OPERATIONS
            for gram in by_operation[operation]
        ]
        for by_operation in explanation.grams
    ]


# Variants


def variant_scores(results: Mapping[str, Scores]) -> str:
    """Return the scores under several variants, and remarks about those that this server cannot score under."""
    reasons = dict.fromkeys(VARIANTS, "it excludes an option that is chosen") | dict.fromkeys(
        resolve_variants()[1], _LACKING
    )
    lacking = "".join(note(f"{name} is left out: {why}.") for name, why in reasons.items() if name not in results)
    ranked = sorted(results.items(), key=lambda pair: -pair[1]["sari"])
    return render("variants", "comparison", ranked=ranked, variants=VARIANTS) + lacking


def warnings(rows: Sequence[WarningRow]) -> str:
    """Return warnings as a list; nothing where there are none."""
    return render("elements", "warnings", rows=rows)


def given(source: str, output: str, references: Iterable[str]) -> str:
    """Return the texts that were scored, unmarked."""
    rows = [("Source", source), ("Output", output), *(("Reference", reference) for reference in references)]
    return render("variants", "given", rows=rows)


def variant_steps(explained: VariantDifference) -> str:
    """Return the way from one variant to another as a table: every choice and what it does to SARI."""
    if len(explained["steps"]) == 1:
        return note(f"{explained['variant_a']} and {explained['variant_b']} are the same.")
    return render("variants", "steps", table=tabulate_steps([("", explained)]))


# Systems


def systems(report: ScoreReport, tables: Sequence[Table], sari: Mapping[str, Sequence[float]]) -> str:
    """Return warnings, tables and pictures of scored systems; `sari` has that of every segment, by system."""
    return render(
        "files",
        "systems",
        report=report,
        tables=tables,
        pictures=score_pictures(report, sari),
        paragraph=paragraph_as_text(methods_paragraph(report)),
    )


def ranking(rows: Sequence[RankedVariant], chosen: str, baseline: str, copies: Sequence[str]) -> str:
    """Return whether the ranking of systems under a variant holds under the others: in words, and as a table.

    Args:
        rows: of every variant.
        chosen: the variant that the others are compared with.
        baseline: the name of a system.
        copies: the names of systems that copy the source, which do not compete.
    """
    own = next(row for row in rows if row.variant == chosen)
    names = list(own.differences)
    sentences = [_agreement(rows, own, name, baseline) for name in names if name not in copies]
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
    table = make_table("SARI under every variant", ["Variant", baseline, *names], cells)
    return render("files", "ranking", sentences=sentences, table=table, copies=copies, baseline=baseline)


def _agreement(rows: Sequence[RankedVariant], own: RankedVariant, name: str, baseline: str) -> dict[str, Any]:
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


def ngrams(differences: Mapping[str, list[NgramDifference]], baseline: str) -> str:
    """Return for each system the n-grams by which it gains and loses most against the baseline."""
    return render("files", "ngrams", tables=tabulate_ngrams(differences, baseline))
