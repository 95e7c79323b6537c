"""The views of one segment: its scores and marked texts, which follow its boxes as one types; and every variant's."""

import functools
from typing import Any, NamedTuple

import gradio as gr

from sari.corpus_statistics import score_columns
from sari.data_warnings import warning_rows
from sari.reports.explanation import explain
from sari.variant_comparison import explain_difference
from sari.web import answers, components, rendering
from sari.web.components import LIVE, SegmentBoxes, SentenceTab
from sari.web.inputs import resolve_every_variant, resolve_options, segment_of
from sari.web.samples import samples
from sari.web.server import answering

#: What the browser does, in `page.js`.
KEEP_LINK = "(...values) => window.sari.keepLink(...values)"
FROM_LINK = "(...values) => window.sari.fromLink(...values)"
#: The browser says new scores, and takes over new texts, at first and whenever they change.
SPEAK = "watch('value', () => window.sari.speakScore(element))"
TAKE_OVER = "window.sari.takeOver(element); watch('value', () => window.sari.takeOver(element))"


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


def _refused_sentence(message: str) -> ShownSentence:
    return ShownSentence(rendering.line(None), rendering.refusal(message))


@answering(_refused_sentence)
def show_sentence(source: str, output: str, references: str, *chosen: str | float | None) -> ShownSentence:
    """Return what is shown of a segment."""
    options, people = components.options_of(chosen), components.lines_of(references)
    variant, segment = resolve_options(options), segment_of(source, output, people)
    explanation = explain(source=source, prediction=output, references=people, variant=variant)
    notes = {(*sample.texts, *components.initial_choices()): sample.note for sample in samples()}
    note = notes.get((source, output, references, *chosen))  # of an example, as long as nothing of it was changed
    program = rendering.python(source, output, people, options, explanation.scores["sari"])
    return ShownSentence(
        rendering.line(explanation.scores),
        rendering.explained_score(explanation, variant, answers.score_segment_baselines(segment, variant)),
        rendering.costs(explanation),
        rendering.texts(explanation),
        rendering.orders(explanation, variant),
        rendering.grams(explanation),
        rendering.sharing(explanation, program),
        rendering.note(note) if note else "",
    )


@functools.cache
def first_sentence() -> ShownSentence:
    """Return what the view opens with."""
    return show_sentence(*samples()[0].texts, *components.initial_choices())


def sentence_tab(tabs: gr.Tabs) -> SentenceTab:
    """Make the view of one segment."""
    shown = first_sentence()
    with gr.Row(visible=False, elem_id="back") as back:
        names = ("← Back", "‹ Previous", "Next ›")
        buttons = [gr.Button(name, size="sm", scale=0, min_width=90) for name in names]
        place = gr.HTML(elem_id="place", padding=False)
    outputs = [gr.HTML(shown.line, elem_id="line")]
    with gr.Row(equal_height=False, elem_id="sentence"):
        with gr.Column(scale=5, min_width=300, elem_id="texts-in"):
            with gr.Row(elem_classes="sari-examples"):
                examples = [gr.Button(sample.name, size="sm", scale=0, min_width=60) for sample in samples()]
                clear = gr.Button("Clear", size="sm", scale=0, min_width=60)
            source, output, references = samples()[0].texts
            texts = SegmentBoxes(
                gr.Textbox(source, label="Source", info="The sentence to simplify.", lines=2),
                gr.Textbox(output, label="Output", info="What a system made of it.", lines=2, elem_id="output-box"),
                gr.Textbox(references, label="References", info="What people made of it, one per line.", lines=3),
            )
            controls = components.make_controls()
            note = gr.HTML(shown.note, elem_id="note")
        with gr.Column(scale=6, min_width=300, elem_id="answer"):
            outputs += [gr.HTML(shown.score, elem_id="scores", js_on_load=SPEAK), gr.HTML(shown.costs, elem_id="costs")]
            outputs.append(gr.HTML(shown.texts, elem_id="texts", js_on_load=TAKE_OVER, apply_default_css=False))
    with gr.Accordion("Precision, recall and F1 by n-gram order", open=False):
        outputs.append(gr.HTML(shown.orders, elem_id="orders"))
    with gr.Accordion("The n-grams of each figure", open=False):
        outputs.append(gr.HTML(shown.grams, elem_id="grams"))
    with gr.Accordion("Link, signature, Python", open=False):
        outputs += [gr.HTML(shown.sharing, elem_id="sharing"), note]
    carried = [*texts, *controls.values()]
    for number, button in enumerate(examples):
        button.click(functools.partial(_sample, number), None, carried, **LIVE)
    clear.click(lambda: ("", "", ""), None, list(texts), **LIVE)
    changes = [box.change for box in carried]
    gr.on(changes, show_sentence, carried, outputs, **LIVE)
    gr.on(changes, None, carried, None, js=KEEP_LINK)
    return SentenceTab(tabs, texts, controls, back, place, buttons)


def _sample(number: int) -> tuple[Any, ...]:
    return *samples()[number].texts, *components.initial_choices()


# Every variant


@answering(rendering.refusal)
def show_variants(source: str, output: str, references: str, *chosen: str | float | None) -> str:
    """Return the scores under every variant, with the other options as they are chosen, and what was scored.

    Warnings are those of the variant that is chosen, where the other options allow it.
    """
    people, options = components.lines_of(references), components.options_of(chosen)
    variants, segment = resolve_every_variant(options), segment_of(source, output, people)
    scores = {name: score_columns(segment, variant).scores() for name, variant in variants.items()}
    variant = variants.get(options.get("variant", ""))
    # The list of variants shows which of them reward copies.
    rows = warning_rows(score_columns(segment, variant).warnings()) if variant else []
    warnings = rendering.warnings([row for row in rows if row["category"] != "RewardsCopyingWarning"])
    return warnings + rendering.variant_scores(scores) + rendering.given(source, output, people)


@answering(lambda _message: "")  # the scores say what is wrong
def show_difference(
    source: str, output: str, references: str, one: str, other: str, *chosen: str | float | None
) -> str:
    """Return why two variants differ."""
    options = components.options_of(chosen)
    first, last = (resolve_options({**options, "variant": name}) for name in (one, other))
    segment = segment_of(source, output, components.lines_of(references))
    return rendering.variant_steps(explain_difference(segment, first, last))


def variants_tab(tab: gr.Tab, sentence: SentenceTab) -> None:
    """Make the view of the same texts under every variant, and of why two of them differ."""
    first, initial = samples()[0].texts, components.initial_choices()
    note = "The texts of the Sentence view under every variant, with the other options that are chosen there."
    gr.HTML(rendering.note(note))
    copy = gr.Button("Make the output a copy of the source", size="sm", elem_classes="sari-narrow")
    scores = gr.HTML(show_variants(*first, *initial), elem_id="variants")
    gr.HTML(rendering.render("page", "subheading", text="Why two variants differ"))
    with gr.Row():
        pair = [components.variant_box("hf", "From"), components.variant_box("easse", "To")]
    steps = gr.HTML(show_difference(*first, "hf", "easse", *initial), elem_id="steps")
    texts, chosen = [*sentence.texts], [*sentence.controls.values()]
    copied = copy.click(str, sentence.texts.source, sentence.texts.output, **LIVE)
    events: list[Any] = [tab.select, copied.then]
    for event in events:
        event(show_variants, [*texts, *chosen], scores, **LIVE)
    for event in [*events, *(box.change for box in pair)]:
        event(show_difference, [*texts, *pair, *chosen], steps, **LIVE)
