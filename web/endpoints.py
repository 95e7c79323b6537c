"""Endpoints for programs, and tools for language models: plain data in, plain data out.

Their names, parameters and docstrings are what programs and models see.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from sari.corpus_statistics import score_columns
from sari.data_warnings import warning_rows
from sari.messages import join_names
from sari.reports.explanation import explain
from sari.reports.word_edits import Edit
from sari.significance import TESTS
from sari.web import answers
from sari.web.inputs import (
    MAX_CHARACTERS,
    MAX_DETAILED,
    MAX_KILOBYTES,
    check_limit,
    columns_of_lists,
    offered_options,
    resolve_options,
    segment_of,
    systems_of_lists,
)

#: In the order in which the page lists them; each is called by its name.
ENDPOINTS: list[Callable[..., dict[str, Any]]] = []
# How many choices the short answer about a sentence has of each kind.
_EDITS = 6


def _endpoint(function: Callable[..., dict]) -> Callable[..., dict]:
    """Add a function to the endpoints; OPTIONS and METHODS in its docstring become what this server offers."""
    rows = []
    for name, option in offered_options().items():
        values = "true or false" if option.kind == "flag" else ", ".join(option.choices)
        rows.append(f"{name} ({'; '.join(filter(None, (option.help, values)))})")
    described = f"An object with any of these, each of which may be null: {', '.join(rows)}."
    function.__doc__ = (function.__doc__ or "").replace("OPTIONS", described).replace("METHODS", join_names(TESTS))
    ENDPOINTS.append(function)
    return function


@_endpoint
def sentence(
    source: str, output: str, references: list[str], options: dict | None = None, details: bool = False
) -> dict:
    """Score one output of text simplification by SARI and explain the score: what words cost and earn.

    Args:
        source: The text to simplify.
        output: What a system made of it.
        references: What people made of it, at least one text.
        options: How to score. OPTIONS
        details: Whether the answer has all marked tokens, n-grams and choices, with their reasons; for short texts.
    """
    variant = resolve_options(options)
    segment = segment_of(source, output, references, most=MAX_DETAILED if details else MAX_CHARACTERS)
    (people,) = segment.references
    explanation = explain(source=source, prediction=output, references=people, variant=variant, ngrams=details)
    if details:
        answer = json.dumps(asdict(explanation))
        check_limit(len(answer) / 1000, MAX_KILOBYTES, "kB of details")
        return json.loads(answer)  # whose keys are texts, as Gradio needs them
    return {
        "signature": explanation.signature,
        "scores": explanation.scores,
        "costs": _short(explanation.costs),
        "earns": _short(explanation.earnings),
        "warnings": explanation.warnings,
    }


def _short(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    return [{"choice": edit.choice, "word": edit.text, "points": round(edit.points, 2)} for edit in edits[:_EDITS]]


@_endpoint
def corpus(sources: list[str], outputs: list[str], references: list[list[str]], options: dict | None = None) -> dict:
    """Score the outputs of one system by SARI: scores of the corpus and of every sentence, signature, warnings.

    Args:
        sources: The texts to simplify, one for each segment.
        outputs: What the system made of each.
        references: What people made of each: a list of texts for each source.
        options: How to score. OPTIONS
    """
    columns = columns_of_lists(sources, outputs, references)
    scored = score_columns(columns, resolve_options(options), sentences=True)
    return {**scored.result(details=True), "warnings": warning_rows(scored.warnings())}


@_endpoint
def compare(
    sources: list[str],
    outputs: dict[str, list[str]],
    references: list[list[str]],
    options: dict | None = None,
    baseline: str | None = None,
    method: str | None = answers.METHOD,
) -> dict:
    """Compare systems by SARI: scores with 95% intervals, differences from a baseline with p-values, warnings.

    Args:
        sources: The texts to simplify, one for each segment.
        outputs: What each system made of them, by the names of the systems.
        references: What people made of each: a list of texts for each source.
        options: How to score. OPTIONS
        baseline: The system that the others are compared with; null for the first.
        method: The paired test: METHODS.
    """
    variant = resolve_options(options)
    columns = systems_of_lists(sources, outputs, references)
    compared = answers.compare_systems(columns, variant, baseline=baseline, method=method or answers.METHOD)
    # Without the scores of each segment.
    details = ("signature", "orders", "sentences")
    systems = {
        name: {key: value for key, value in result.items() if key not in details}
        for name, result in compared.result["systems"].items()
    }
    return {**compared.result, "systems": systems, "warnings": compared.report.warnings}
