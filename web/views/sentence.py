"""The view of one segment, which follows its boxes as one types."""

import functools
from typing import NamedTuple

import gradio as gr

from sari.web.answers import explain_segment
from sari.web.beside import samples
from sari.web.limits import RefusedError
from sari.web.markup import elements, scores, sentence
from sari.web.views.controls import LIVE, OWN, Choices, Texts, choices, lines_of, options_of


class Shown(NamedTuple):
    """What is shown of a segment, as HTML: the scores, the marked texts, the figures by order, and the n-grams."""

    scores: str
    texts: str = ""
    orders: str = ""
    grams: str = ""


def show_sentence(source: str, output: str, references: str, *chosen: str) -> Shown:
    """Return what is shown of a segment, or why it is refused."""
    try:
        explanation = explain_segment(source, output, lines_of(references), **options_of(*chosen))
    except RefusedError as refusal:
        return Shown(elements.refusal(str(refusal)))
    return Shown(
        scores.scores(explanation.scores)
        + scores.penalties(explanation.penalties)
        + elements.signature(explanation.signature),
        sentence.texts(explanation),
        scores.orders(explanation.orders, explanation.variant),
        sentence.grams(explanation),
    )


def sentence_view() -> tuple[Texts, Choices]:
    """Make the view of one segment."""
    first = samples()[0]
    shown = show_sentence(*first.texts, "hf", OWN, OWN)
    with gr.Row(elem_classes="sari-examples"):
        buttons = [gr.Button(sample.name, size="sm", scale=0, min_width=60) for sample in samples()]
    note = gr.HTML(elements.note(first.note))
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            texts = _boxes(*first.texts)
            chosen = choices()
        with gr.Column(scale=6, min_width=300):
            outputs = [gr.HTML(shown.scores, elem_id="scores"), gr.HTML(shown.texts, elem_id="texts")]
    with gr.Accordion("Precision, recall and F1 by n-gram order", open=True):
        outputs.append(gr.HTML(shown.orders, elem_id="orders"))
    with gr.Accordion("The n-grams behind each figure", open=False):
        outputs.append(gr.HTML(shown.grams, elem_id="grams"))
    for number, button in enumerate(buttons):
        button.click(functools.partial(_sample_and_note, number), None, [*texts, note], **LIVE)
    gr.on([box.input for box in texts], lambda: "", [], note, **LIVE)
    gr.on([box.change for box in (*texts, *chosen)], show_sentence, [*texts, *chosen], outputs, **LIVE)
    return texts, chosen


def _boxes(source: str, output: str, references: str) -> Texts:
    return Texts(
        gr.Textbox(source, label="Source", info="The sentence to simplify.", lines=2),
        gr.Textbox(output, label="Output", info="What a system made of it.", lines=2),
        gr.Textbox(references, label="References", info="What people made of it, one per line.", lines=3),
    )


def _sample_and_note(number: int) -> tuple[str, str, str, str]:
    sample = samples()[number]
    return *sample.texts, elements.note(sample.note)
