"""The view of the same segment under every variant, and of why two of them differ."""

from typing import Any

import gradio as gr

from sari.variants import VARIANTS, resolve_variants
from sari.web.answers import explain_difference, score_variants
from sari.web.beside import samples
from sari.web.limits import RefusedError
from sari.web.markup import elements, variants
from sari.web.views.controls import LIVE, Texts, left_out, lines_of, variant_box

_COPY, _UNDO = "Make the output a copy of the source", "Undo: put the output back"


def show_variants(source: str, output: str, references: str) -> str:
    """Return the scores under every variant, with what was scored."""
    try:
        results = score_variants(source, output, lines_of(references))
    except RefusedError as refusal:
        return elements.refusal(str(refusal))
    return (
        variants.comparison(results, {name: row.summary for name, row in VARIANTS.items()})
        + left_out()
        + variants.given(source, output, lines_of(references))
    )


def show_difference(source: str, output: str, references: str, one: str, other: str) -> str:
    """Return why two variants differ; nothing for texts that cannot be scored, of which the scores say so."""
    lacking = resolve_variants()[1]
    for name in (one, other):
        if name in lacking:
            return elements.refusal(lacking[name])
    pair = {"variant_a": one, "variant_b": other}
    try:
        return variants.difference(explain_difference(source, output, lines_of(references), **pair))
    except RefusedError:
        return ""


def copy_or_undo(source: str, output: str, before: str | None) -> tuple[str, str | None, gr.Button]:
    """Return the source as the output, and what to go back to; or, for a copy that was made so, what was before."""
    if before is not None and output == source:
        return before, None, gr.Button(_COPY)
    return source, output, gr.Button(_UNDO)


def variants_view(tab: gr.Tab, texts: Texts) -> None:
    """Make the view, of the texts of the sentence view."""
    first = samples()[0].texts
    gr.HTML(elements.note("The texts of the Sentence view under every published SARI, with its own tokens and case."))
    with gr.Row(elem_classes="sari-examples"):
        copy = gr.Button(_COPY, size="sm", scale=0)
        before = gr.State(None)
    result = gr.HTML(show_variants(*first), elem_id="variants")
    gr.HTML('<div class="sari-page"><h2>Why two variants differ</h2></div>')
    with gr.Row():
        pair = [variant_box("hf", "From"), variant_box("easse", "To")]
    steps = gr.HTML(show_difference(*first, "hf", "easse"), elem_id="steps")
    for_difference: dict[str, Any] = {"fn": show_difference, "inputs": [*texts, *pair], "outputs": steps, **LIVE}
    gr.on([tab.select, *(box.change for box in pair)], **for_difference)
    opened = tab.select(show_variants, list(texts), result, **LIVE)
    # An answer about the texts of before would come too late.
    changes: dict[str, Any] = {"inputs": [texts.source, texts.output, before], "outputs": [texts.output, before, copy]}
    copied = copy.click(copy_or_undo, **changes, **LIVE, cancels=opened)
    copied.then(show_variants, list(texts), result, **LIVE).then(**for_difference)
