"""Endpoints for programs: plain data in, plain data out. Their names and parameters are what programs call."""

import inspect
from collections.abc import Callable
from typing import Any

import gradio as gr
import orjson

from sari.significance import TESTS
from sari.validation import either
from sari.variants import Variant
from sari.web import answers
from sari.web.inputs import (
    DEFAULT_VARIANT,
    RefusedError,
    columns_of_lists,
    offered_options,
    resolve_every_variant,
    resolve_options,
    systems_of_lists,
)
from sari.web.server import memory_released


def sentence(source: str, output: str, references: list[str], options: dict | None = None) -> dict:
    """Score one output and say why: the scores, the figures by order, every token with its mark, the n-grams."""
    explanation = answers.explain_segment(source, output, references, _variant(options))
    return orjson.loads(orjson.dumps(explanation))


def variants(source: str, output: str, references: list[str], options: dict | None = None) -> dict:
    """Score one output under every published variant, with the other options: the scores by the variant's name."""
    return answers.score_variants(source, output, references, resolve_every_variant(_checked_options(options)))


def why(
    source: str,
    output: str,
    references: list[str],
    variant_a: str | None = "hf",
    variant_b: str | None = "easse",
    options: dict | None = None,
) -> dict:
    """Explain why two variants, with the other options, score one output differently.

    Returns the scores after each choice that changes between them.
    """
    others = _checked_options(options)
    first, last = (resolve_options({**others, "variant": name}) for name in (variant_a or "hf", variant_b or "easse"))
    return dict(answers.explain_segment_difference(source, output, references, variant_a=first, variant_b=last))


def corpus(sources: list[str], outputs: list[str], references: list[list[str]], options: dict | None = None) -> dict:
    """Score many outputs: scores, signature, figures by order, the scores of every sentence, and warnings."""
    scored = answers.score_each_segment(columns_of_lists(sources, outputs, references), _variant(options))
    return {**scored.result, "warnings": scored.warnings}


def compare(
    sources: list[str],
    outputs: dict[str, list[str]],
    references: list[list[str]],
    options: dict | None = None,
    baseline: str | None = None,
    method: str | None = "randomization",
) -> dict:
    """Compare several systems, outputs by their names: scores, intervals, differences, p-values, warnings."""
    variant = _variant(options)
    with memory_released():
        systems = systems_of_lists(sources, outputs, references)
        comparison = answers.compare_systems(systems, variant, baseline=baseline, method=method or "randomization")
    return {**comparison.result, "warnings": comparison.warnings}


def _variant(options: Any) -> Variant:
    """Return the variant of the scoring options that a program sent."""
    return resolve_options(_checked_options(options))


def _checked_options(options: Any) -> dict[str, Any]:
    if not isinstance(options, dict | None):
        raise RefusedError(f"options: got {type(options).__name__}, expected an object of scoring options by name")
    return options or {}


#: In the order in which the page lists them; each is called by its name.
ENDPOINTS: tuple[Callable[..., dict], ...] = (sentence, variants, why, corpus, compare)

#: What the API page fills in for a value, by its name.
_SEGMENT: dict[str, Any] = {"source": "The cat perched.", "output": "The cat sat.", "references": ["A cat sat."]}
_OPTIONS: dict[str, Any] = {"options": {"variant": DEFAULT_VARIANT}, "variant_a": "hf", "variant_b": "easse"}
_OPTIONS |= {"baseline": "ours", "method": "bootstrap"}
_COLUMNS: dict[str, Any] = {"sources": ["The cat perched.", "It rains."], "outputs": ["The cat sat.", "Rain falls."]}
_COLUMNS |= {"references": [["A cat sat."], ["It is raining.", "Rain falls."]]}
_SYSTEMS = {**_COLUMNS, "outputs": {"ours": _COLUMNS["outputs"], "theirs": ["A cat.", "It rains."]}}
_EXAMPLES = {"corpus": _COLUMNS, "compare": _SYSTEMS}


def _describe_options() -> str:
    """Return what the API page says of the scoring options of this server."""
    rows = []
    for name, option in offered_options().items():
        wanted = "true or false" if option.kind == "flag" else ", ".join(option.choices)
        rows.append(f"{name}: {': '.join(filter(None, (option.help, wanted)))}")
    return f"How to score, an object of any of these, each of which may be null. {'; '.join(rows)}."


#: What the API page says of a value, by its name.
_MEANINGS = {
    "source": "The text to simplify.",
    "output": "What a system made of it.",
    "references": "What people made of it: a list of texts, for each source where there are several.",
    "sources": "One text for each segment.",
    "outputs": "One text for each source; of several systems by their names.",
    "options": _describe_options(),
    "variant_a": "The variant to start from.",
    "variant_b": "The variant to end with.",
    "baseline": "The system that the others are compared with; null for the first.",
    "method": f"The paired test: {either(TESTS)}.",
}


def offer(page: gr.Blocks, endpoint: Callable[..., dict]) -> None:
    """Offer an endpoint on a page that is being built, with a meaning and an example of every value."""
    names = inspect.signature(endpoint).parameters
    meanings = "".join(f"\n- {name}: {_MEANINGS[name]}" for name in names)
    dependency = gr.api(
        endpoint,
        api_name=endpoint.__name__,
        api_description=f"{inspect.getdoc(endpoint)}\n{meanings}",
        concurrency_limit=4,
    )
    examples = {**_OPTIONS, **_EXAMPLES.get(endpoint.__name__, _SEGMENT)}
    for number, name in zip(dependency["inputs"], names, strict=True):
        block: Any = page.blocks[number]
        block.label = name
        block.example_inputs = lambda value=examples[name]: value
