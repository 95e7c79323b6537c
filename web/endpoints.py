"""Endpoints for programs, and tools for language models: plain data in, plain data out.

Their names, parameters and docstrings are what programs and models see.
"""

from collections.abc import Callable
from typing import Any

import orjson

from sari.corpus_statistics import score_columns
from sari.data_warnings import warning_rows
from sari.reports.explanation import explain
from sari.significance import TESTS
from sari.validation import either, fault
from sari.variant_comparison import explain_difference
from sari.variants import Variant
from sari.web import answers
from sari.web.inputs import (
    RefusedError,
    columns_of_lists,
    offered_options,
    resolve_every_variant,
    resolve_options,
    segment_of,
    systems_of_lists,
)
from sari.web.server import memory_released


def sentence(
    source: str, output: str, references: list[str], options: dict | None = None, ngrams: bool = False
) -> dict:
    """Score one output of text simplification by SARI and explain the score: what every word costs or earns, and why.

    Args:
        source: The text to simplify.
        output: What a system made of it.
        references: What people made of it, at least one text.
        options: How to score. OPTIONS
        ngrams: Whether the answer has all n-grams with their reasons and places, too; it is three times as long then.
    """
    variant, segment = _variant(options), segment_of(source, output, references)
    (people,) = segment.references
    explanation = explain(source=source, prediction=output, references=people, variant=variant)
    found = orjson.loads(orjson.dumps(explanation))
    if not ngrams:
        del found["grams"]
    return found


def variants(source: str, output: str, references: list[str], options: dict | None = None) -> dict:
    """Score one output of text simplification under every variant of SARI; return scores by variant.

    Args:
        source: The text to simplify.
        output: What a system made of it.
        references: What people made of it, at least one text.
        options: How to score; its variant is ignored. OPTIONS
    """
    segment, every = segment_of(source, output, references), resolve_every_variant(_checked_options(options))
    return {name: score_columns(segment, variant).scores() for name, variant in every.items()}


def why(
    source: str,
    output: str,
    references: list[str],
    variant_a: str | None = "hf",
    variant_b: str | None = "easse",
    options: dict | None = None,
) -> dict:
    """Explain why two variants of SARI score one output differently: the scores after each choice that changes.

    Args:
        source: The text to simplify.
        output: What a system made of it.
        references: What people made of it, at least one text.
        variant_a: The variant to start from.
        variant_b: The variant to end with.
        options: How to score; its variant is ignored. OPTIONS
    """
    others, segment = _checked_options(options), segment_of(source, output, references)
    first, last = (resolve_options({**others, "variant": name}) for name in (variant_a or "hf", variant_b or "easse"))
    return dict(explain_difference(segment, first, last))


def corpus(sources: list[str], outputs: list[str], references: list[list[str]], options: dict | None = None) -> dict:
    """Score the outputs of one system by SARI: scores of the corpus and of every sentence, signature, warnings.

    Args:
        sources: The texts to simplify, one for each segment.
        outputs: What the system made of each.
        references: What people made of each: a list of texts for each source.
        options: How to score. OPTIONS
    """
    columns = columns_of_lists(sources, outputs, references)
    scored = score_columns(columns, _variant(options), sentences=True)
    return {**scored.result(details=True), "warnings": warning_rows(scored.warnings())}


def compare(
    sources: list[str],
    outputs: dict[str, list[str]],
    references: list[list[str]],
    options: dict | None = None,
    baseline: str | None = None,
    method: str | None = "randomization",
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
    variant = _variant(options)
    if not isinstance(baseline, str | None):
        raise RefusedError(fault("baseline", type(baseline).__name__, "the name of a system"))
    with memory_released():
        columns = systems_of_lists(sources, outputs, references)
        compared = answers.compare_systems(columns, variant, baseline=baseline, method=method or "randomization")
    # Without the scores of each segment.
    details = ("signature", "orders", "sentences")
    systems = {
        name: {key: value for key, value in result.items() if key not in details}
        for name, result in compared.result["systems"].items()
    }
    return {**compared.result, "systems": systems, "warnings": compared.report.warnings}


def _variant(options: Any) -> Variant:
    """Return the variant of the scoring options of a program."""
    return resolve_options(_checked_options(options))


def _checked_options(options: Any) -> dict[str, Any]:
    if not isinstance(options, dict | None):
        raise RefusedError(fault("options", type(options).__name__, "an object of scoring options by name"))
    return options or {}


#: In the order in which the page lists them; each is called by its name.
ENDPOINTS: tuple[Callable[..., dict], ...] = (sentence, variants, why, corpus, compare)


def _describe_options() -> str:
    """Return what the endpoints say of the scoring options of this server."""
    rows = []
    for name, option in offered_options().items():
        values = "true or false" if option.kind == "flag" else ", ".join(option.choices)
        rows.append(f"{name} ({'; '.join(filter(None, (option.help, values)))})")
    return f"An object with any of these, each of which may be null: {', '.join(rows)}."


for endpoint in ENDPOINTS:
    words = {"OPTIONS": _describe_options(), "METHODS": either(TESTS)}
    for name, text in words.items():
        endpoint.__doc__ = str(endpoint.__doc__).replace(name, text)
