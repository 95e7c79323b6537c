"""Endpoints for programs: plain data in, plain data out. Their names and parameters are what programs call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import gradio as gr

from sari.web import answers, corpora
from sari.web.limits import RefusedError


def sentence(
    source: str,
    output: str,
    references: list[str],
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
) -> dict:
    """Score one output and say why: the scores, the figures by order, every token with its mark, the n-grams."""
    options: dict[str, Any] = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase}
    with _refusals_as_errors():
        return asdict(answers.explain_segment(source, output, references, **options))


def variants(source: str, output: str, references: list[str]) -> dict:
    """Score one output under every published variant: the scores by the variant's name."""
    with _refusals_as_errors():
        return answers.score_variants(source, output, references)


def why(source: str, output: str, references: list[str], variant_a: str = "hf", variant_b: str = "easse") -> dict:
    """Tell why two variants score one output differently: the scores after each choice that changes between them."""
    pair = {"variant_a": variant_a, "variant_b": variant_b}
    with _refusals_as_errors():
        return dict(answers.explain_difference(source, output, references, **pair))


def corpus(
    sources: list[str],
    outputs: list[str],
    references: list[list[str]],
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
) -> dict:
    """Score many outputs: the scores, the signature, the figures by order and the scores of every sentence."""
    options: dict[str, Any] = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase}
    with _refusals_as_errors():
        batches = corpora.batches_of_lists(sources, outputs, references)
        return dict(answers.score_corpus(batches, lambda _done, _total: None, **options).result)


def compare(
    sources: list[str],
    outputs: dict[str, list[str]],
    references: list[list[str]],
    baseline: str | None = None,
    method: str = "randomization",
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
) -> dict:
    """Compare several systems, outputs by their names: scores, intervals, differences, p-values, warnings."""
    options: dict[str, Any] = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase}
    with _refusals_as_errors():
        systems = corpora.systems_of_lists(sources, outputs, references)
        comparison = answers.compare_systems(systems, baseline=baseline, method=method, **options)
    return {**comparison.result, "warnings": comparison.warnings}


#: In the order in which the page lists them; each is called by its name.
ENDPOINTS: tuple[Callable[..., dict], ...] = (sentence, variants, why, corpus, compare)


@contextmanager
def _refusals_as_errors() -> Iterator[None]:
    try:
        yield
    except RefusedError as refusal:
        raise gr.Error(str(refusal), print_exception=False) from None
