"""Endpoints for programs: plain data in, plain data out. Their names and parameters are what programs call."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import gradio as gr
import orjson

from sari.variants import OPTIONS
from sari.web import answers
from sari.web.components import refusals_as_errors
from sari.web.inputs import TOKENIZERS, columns_of_lists, systems_of_lists
from sari.web.server import memory_released


def sentence(
    source: str,
    output: str,
    references: list[str],
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
    penalties: str | None = None,
) -> dict:
    """Score one output and say why: the scores, the figures by order, every token with its mark, the n-grams."""
    options: dict[str, Any] = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase, "penalties": penalties}
    return orjson.loads(orjson.dumps(answers.explain_segment(source, output, references, **options)))


def variants(source: str, output: str, references: list[str]) -> dict:
    """Score one output under every published variant: the scores by the variant's name."""
    return answers.score_variants(source, output, references)


def why(source: str, output: str, references: list[str], variant_a: str = "hf", variant_b: str = "easse") -> dict:
    """Tell why two variants score one output differently: the scores after each choice that changes between them."""
    return dict(answers.explain_difference(source, output, references, variant_a=variant_a, variant_b=variant_b))


def corpus(
    sources: list[str],
    outputs: list[str],
    references: list[list[str]],
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
    penalties: str | None = None,
) -> dict:
    """Score many outputs: the scores, the signature, the figures by order and the scores of every sentence."""
    options: dict[str, Any] = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase, "penalties": penalties}
    return dict(answers.score_corpus(columns_of_lists(sources, outputs, references), **options).result)


def compare(
    sources: list[str],
    outputs: dict[str, list[str]],
    references: list[list[str]],
    baseline: str | None = None,
    method: str = "randomization",
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
    penalties: str | None = None,
) -> dict:
    """Compare several systems, outputs by their names: scores, intervals, differences, p-values, warnings."""
    options: dict[str, Any] = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase, "penalties": penalties}
    with memory_released():
        systems = systems_of_lists(sources, outputs, references)
        comparison = answers.compare_systems(systems, baseline=baseline, method=method, **options)
    return {**comparison.result, "warnings": comparison.warnings}


#: In the order in which the page lists them; each is called by its name.
ENDPOINTS: tuple[Callable[..., dict], ...] = (sentence, variants, why, corpus, compare)

#: What the API page fills in for a value, by its name.
_SEGMENT: dict[str, Any] = {"source": "The cat perched.", "output": "The cat sat.", "references": ["A cat sat."]}
_OPTIONS: dict[str, Any] = {"variant": "easse", "variant_a": "hf", "variant_b": "easse", "tokenize": "13a"}
_OPTIONS |= {"lowercase": True, "penalties": "none", "baseline": "ours", "method": "bootstrap"}
_COLUMNS: dict[str, Any] = {"sources": ["The cat perched.", "It rains."], "outputs": ["The cat sat.", "Rain falls."]}
_COLUMNS |= {"references": [["A cat sat."], ["It is raining.", "Rain falls."]]}
_SYSTEMS = {**_COLUMNS, "outputs": {"ours": _COLUMNS["outputs"], "theirs": ["A cat.", "It rains."]}}
_EXAMPLES = {"corpus": _COLUMNS, "compare": _SYSTEMS}


def _meaning(name: str, choices: Iterable[str] = ()) -> str:
    """Return what the API page says of a scoring option; `choices` are those of this server, if it has fewer."""
    option = OPTIONS[name]
    text = ": ".join(filter(None, (option.help, ", ".join(choices or option.choices))))
    return f"{text[0].upper()}{text[1:]}{'; null for the choice of the variant' if option.default is None else ''}."


#: What the API page says of a value, by its name.
_MEANINGS = {
    "source": "The text to simplify.",
    "output": "What a system made of it.",
    "references": "What people made of it: a list of texts, for each source where there are several.",
    "sources": "One text for each segment.",
    "outputs": "One text for each source; of several systems by their names.",
    "variant": _meaning("variant"),
    "variant_a": "The variant to start from.",
    "variant_b": "The variant to end with.",
    "tokenize": _meaning("tokenize", TOKENIZERS),
    "lowercase": _meaning("lowercase"),
    "penalties": _meaning("penalties"),
    "baseline": "The system that the others are compared with; null for the first.",
    "method": "The paired test: bootstrap or randomization.",
}


def offer(page: gr.Blocks, endpoint: Callable[..., dict]) -> None:
    """Offer an endpoint on a page that is being built, with a meaning and an example of every value."""
    names = inspect.signature(endpoint).parameters
    meanings = "".join(f"\n- {name}: {_MEANINGS[name]}" for name in names)
    dependency = gr.api(
        refusals_as_errors()(endpoint),
        api_name=endpoint.__name__,
        api_description=f"{inspect.getdoc(endpoint)}\n{meanings}",
        concurrency_limit=4,
    )
    examples = {**_OPTIONS, **_EXAMPLES.get(endpoint.__name__, _SEGMENT)}
    for number, name in zip(dependency["inputs"], names, strict=True):
        block: Any = page.blocks[number]
        block.label = name
        block.example_inputs = lambda value=examples[name]: value
