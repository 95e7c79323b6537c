"""The views of one segment: its scores and marked texts, which follow its boxes as one types; and every variant's."""

import functools
from typing import Any, NamedTuple

import gradio as gr

from sari.web import answers, components, picture, rendering
from sari.web.components import LIVE, UNOPENED, OpenedFrom, SegmentBoxes, SentenceTab
from sari.web.inputs import RefusedError, resolve_every_variant, resolve_options
from sari.web.samples import samples

_COPY, _UNDO = "Make the output a copy of the source", "Undo: put the output back"
#: What the browser does, in `page.js`.
KEEP_LINK = "(...values) => window.sari.keepLink(...values)"
FROM_LINK = "(...values) => window.sari.fromLink(...values)"


class ShownSentence(NamedTuple):
    """What is shown of a segment, as HTML."""

    line: str
    score: str
    costs: str = ""
    texts: str = ""
    orders: str = ""
    grams: str = ""
    sharing: str = ""
    note: str = ""


def show_sentence(source: str, output: str, references: str, *chosen: str | float | None) -> ShownSentence:
    """Return what is shown of a segment, or why it is refused."""
    options, people = components.options_of(chosen), components.lines_of(references)
    try:
        variant = resolve_options(options)
        explanation = answers.explain_segment(source, output, people, variant)
    except RefusedError as refusal:
        return ShownSentence(rendering.line(None), rendering.refusal(refusal))
    notes: dict[tuple[Any, ...], str] = {
        (*sample.texts, *components.initial_choices()): sample.note for sample in samples()
    }
    note = notes.get((source, output, references, *chosen))  # of an example, as long as nothing of it was changed
    program = rendering.python(source, output, people, options, explanation.scores["sari"])
    return ShownSentence(
        rendering.line(explanation.scores),
        rendering.explained_score(explanation, variant, answers.score_segment_baselines(source, people, variant)),
        rendering.costs(explanation),
        rendering.texts(explanation),
        rendering.orders(explanation, variant),
        rendering.grams(explanation),
        rendering.sharing(explanation, program),
        rendering.note(note) if note else "",
    )


def draw_picture(source: str, output: str, references: str, *chosen: str | float | None) -> str:
    """Return the explained score of a segment as a picture."""
    variant = resolve_options(components.options_of(chosen))
    return picture.draw(answers.explain_segment(source, output, components.lines_of(references), variant))


def first_line() -> str:
    """Return the scores that the view opens with, in a line."""
    return _show_first().line


@functools.cache
def _show_first() -> ShownSentence:
    return show_sentence(*samples()[0].texts, *components.initial_choices())


def sentence_tab(tabs: gr.Tabs) -> SentenceTab:
    """Make the view of one segment."""
    first, shown = samples()[0], _show_first()
    with gr.Row(visible=False, elem_id="back") as back:
        buttons = [gr.Button(name, size="sm", scale=0, min_width=90) for name in ("← Back", "‹ Previous", "Next ›")]
        place = gr.HTML(elem_id="place", padding=False)
        opened_from = gr.State(None, time_to_live=components.HOUR)
    outputs = [gr.HTML(shown.line, elem_id="line")]
    with gr.Row(equal_height=False, elem_id="sentence"):
        with gr.Column(scale=5, min_width=300, elem_id="texts-in"):
            with gr.Row(elem_classes="sari-examples"):
                examples = [gr.Button(sample.name, size="sm", scale=0, min_width=60) for sample in samples()]
                clear = gr.Button("Clear", size="sm", scale=0, min_width=60)
            source, output, references = first.texts
            texts = SegmentBoxes(
                gr.Textbox(source, label="Source", info="The sentence to simplify.", lines=2),
                gr.Textbox(output, label="Output", info="What a system made of it.", lines=2, elem_id="output-box"),
                gr.Textbox(references, label="References", info="What people made of it, one per line.", lines=3),
            )
            chosen = components.make_controls()
            note = gr.HTML(shown.note, elem_id="note")
        with gr.Column(scale=6, min_width=300, elem_id="answer"):
            outputs += [gr.HTML(shown.score, elem_id="scores"), gr.HTML(shown.costs, elem_id="costs")]
            outputs.append(gr.HTML(shown.texts, elem_id="texts"))
    with gr.Accordion("Precision, recall and F1 by n-gram order", open=False):
        outputs.append(gr.HTML(shown.orders, elem_id="orders"))
    with gr.Accordion("The n-grams of each figure", open=False):
        outputs.append(gr.HTML(shown.grams, elem_id="grams"))
    with gr.Accordion("Link, signature, Python, picture", open=False):
        outputs += [gr.HTML(shown.sharing, elem_id="sharing"), note]
        components.download_button("picture (SVG)", "sari.svg", draw_picture, [*texts, *chosen.values()])
    for number, button in enumerate(examples):
        button.click(functools.partial(_sample, number), None, [*texts, *chosen.values()], **LIVE)
    clear.click(lambda: ("", "", ""), None, list(texts), **LIVE)
    changes = [box.change for box in (*texts, *chosen.values())]
    gr.on(changes, show_sentence, [*texts, *chosen.values()], outputs, **LIVE)
    gr.on(changes, None, [*texts, *chosen.values()], None, js=KEEP_LINK)
    view = SentenceTab(tabs, texts, chosen, back, place, opened_from)
    returned = buttons[0].click(_go_back, opened_from, [tabs, back], **LIVE)
    returned.then(None, js="() => window.sari.comeBack()")
    for button, step in zip(buttons[1:], (-1, 1), strict=True):
        button.click(functools.partial(_step, step), opened_from, view.opening, **LIVE)
    return view


def _go_back(opened_from: OpenedFrom | None) -> tuple[gr.Tabs, gr.Row]:
    return gr.Tabs(selected=opened_from.view if opened_from else "file"), gr.Row(visible=False)


def _step(step: int, opened_from: OpenedFrom | None) -> tuple[Any, ...]:
    """Return what opens the segment before or after the one that is open; after the last one comes the first."""
    try:
        return opened_from.opened(step) if opened_from else UNOPENED
    except RefusedError:  # the files are gone by now
        return UNOPENED


def _sample(number: int) -> tuple[Any, ...]:
    return *samples()[number].texts, *components.initial_choices()


def show_variants(source: str, output: str, references: str, *chosen: str | float | None) -> str:
    """Return the scores under every variant, with the other options as they are chosen, and what was scored.

    Warnings are those of the variant that is chosen, where the other options allow it.
    """
    people, options = components.lines_of(references), components.options_of(chosen)
    try:
        variants = resolve_every_variant(options)
        scores = answers.score_variants(source, output, people, variants)
        own = variants.get(options.get("variant", ""))
        warnings = answers.segment_warnings(source, output, people, own) if own else []
    except RefusedError as refusal:
        return rendering.refusal(refusal)
    shown = rendering.text_warnings(warnings), rendering.variant_scores(scores), rendering.given(source, output, people)
    return "".join(shown)


def show_difference(
    source: str, output: str, references: str, one: str, other: str, *chosen: str | float | None
) -> str:
    """Return why two variants differ; nothing for texts that cannot be scored, of which the scores say so."""
    others = components.options_of(chosen)
    try:
        first, last = (resolve_options({**others, "variant": name}) for name in (one, other))
        people = components.lines_of(references)
        explained = answers.explain_segment_difference(source, output, people, variant_a=first, variant_b=last)
        return rendering.variant_steps(explained)
    except RefusedError:
        return ""


def copy_or_undo(source: str, output: str, before: str | None) -> tuple[str, str | None, gr.Button]:
    """Return the source as the output, and what to go back to; or, for a copy that was made so, what was before."""
    if before is not None and output == source:
        return before, None, gr.Button(_COPY)
    return source, output, gr.Button(_UNDO)


def variants_tab(tab: gr.Tab, sentence: SentenceTab) -> None:
    """Make the view of the same texts under every variant, and of why two of them differ."""
    first, texts, chosen = samples()[0].texts, sentence.texts, [*sentence.chosen.values()]
    note = "The texts of the Sentence view under every published SARI, with the other options that are chosen there."
    gr.HTML(rendering.note(note))
    with gr.Row(elem_classes="sari-examples"):
        copy = gr.Button(_COPY, size="sm", scale=0)
        before = gr.State(None)
    result = gr.HTML(show_variants(*first, *components.initial_choices()), elem_id="variants")
    gr.HTML(rendering.render("page", "subheading", "Why two variants differ"))
    with gr.Row():
        pair = [components.variant_box("hf", "From"), components.variant_box("easse", "To")]
    steps = gr.HTML(show_difference(*first, "hf", "easse", *components.initial_choices()), elem_id="steps")
    shown = [*texts, *pair, *chosen]
    for_difference: dict[str, Any] = {"fn": show_difference, "inputs": shown, "outputs": steps, **LIVE}
    gr.on([tab.select, *(box.change for box in pair)], **for_difference)
    opened = tab.select(
        show_variants, [*texts, *chosen], result, **{**LIVE, "queue": True}
    )  # only these can be cancelled
    # An answer about the texts of before would come too late.
    changes: dict[str, Any] = {"inputs": [texts.source, texts.output, before], "outputs": [texts.output, before, copy]}
    copied = copy.click(copy_or_undo, **changes, **LIVE, cancels=opened)
    copied.then(show_variants, [*texts, *chosen], result, **LIVE).then(**for_difference)
