"""The views of one segment: its scores and marked texts, which follow its boxes as one types; and every variant's."""

import json
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import gradio as gr

from sari.corpus_statistics import score_columns
from sari.messages import RefusedError
from sari.reports.explanation import explain
from sari.reports.report_page import language_of
from sari.validation import Columns
from sari.variant_comparison import explain_difference
from sari.web import answers, components, rendering
from sari.web.components import AT_ONCE, LIVE, RULE, OpenedSegment, SegmentBoxes, SentenceTab
from sari.web.inputs import (
    MAX_LINK,
    check_limit,
    check_size,
    resolve_every_variant,
    resolve_options,
    segment_of,
)
from sari.web.samples import samples
from sari.web.server import refusals_as
from sari.web.visitor_files import MOST_AGE

#: The options of this view.
NAMES = components.option_names(corpora=False)

#: What the browser does, in `page.js`; links carry texts and choices by their names.
KEEP_LINK = f"(...values) => window.sari.keepLink({json.dumps([*SegmentBoxes._fields, *NAMES])}, values)"
READ_LINK = "() => [location.hash]"
REPLACE_OUTPUT = "(source, output) => [window.sari.replaceOutput(source, output), output]"
UNDO = "(output) => [window.sari.undo(output)]"
ARRIVE = "(...values) => window.sari.arrive(...values)"


class SentenceParts(NamedTuple):
    """What the view shows of a segment, in the order of its components: HTML, but for the signature."""

    place: str
    note: str
    scores: str
    answer: str = ""
    texts: str = ""
    signature: str = ""


class _Asked:
    """What the boxes and controls ask: the opened segment while the boxes show it, else what they show.

    Attributes:
        opened: the opened segment, if the boxes show it.
        options: the scoring options.
        texts: source, output and references, unchecked.
    """

    def __init__(self, opened: OpenedSegment | None, source: str, output: str, references: str, chosen: Any):
        self.opened = opened if opened is not None and opened.boxes == (source, output, references) else None
        self.options = components.options_of(NAMES, chosen)
        self.texts: tuple[str, str, list[str]] = source, output, components.references_of(references)
        if self.opened is not None:
            self.options |= self.opened.options
            (source,), (output,), (people,) = self.opened.segment
            self.texts = source, output, people

    def segment(self) -> Columns:
        """Return the checked segment: see `segment_of`; one that was scored may lack words."""
        if self.opened is None:
            return segment_of(*self.texts)
        check_size(self.opened.segment)
        return self.opened.segment


def show_sentence(
    opened: OpenedSegment | None, source: str, output: str, references: str, *chosen: str
) -> SentenceParts:
    """Return what the view shows of a segment."""
    asked = _Asked(opened, source, output, references, chosen)
    place = rendering.note(", ".join(asked.opened.words)) if asked.opened else ""
    try:
        variant, segment = resolve_options(asked.options), asked.segment()
    except RefusedError as refusal:
        return SentenceParts(place, "", rendering.refusal(refusal))
    (source_text,), (output_text,), (people,) = segment
    explanation = explain(source=source_text, prediction=output_text, references=people, variant=variant)
    return SentenceParts(
        place,
        _note(source, output, references, chosen),
        rendering.scores(explanation, variant),
        rendering.answer(explanation, variant, answers.score_segment_baselines(segment, variant)),
        rendering.texts(explanation, language_of(variant)),
        explanation.signature,
    )


def _note(source: str, output: str, references: str, chosen: tuple[Any, ...]) -> str:
    """Return the note of an example under the settings that it speaks of, or one about the lines of references."""
    notes = {(*sample.texts, *components.initial_choices(NAMES)): sample.note for sample in samples()}
    note = notes.get((source, output, references, *chosen), "")
    lines = len(components.references_of(references))
    if "\n" in source.strip() and lines > 1 and RULE not in references.split("\n"):
        note = f"Each line is a reference, {lines} in all. If references have several lines, put {RULE} between them."
    return rendering.note(note) if note else ""


def sentence_tab(page: gr.Blocks, tabs: gr.Tabs) -> SentenceTab:
    """Make the view of one segment."""
    sample, *_ = samples()
    first = show_sentence(None, *sample.texts, *components.initial_choices(NAMES))
    opened = gr.State(None, time_to_live=MOST_AGE)
    with gr.Column(visible=False, elem_id="opened") as back:
        with gr.Row():
            buttons = [gr.Button(name, size="sm") for name in ("← Back", "‹ Previous", "Next ›")]
        place = gr.HTML(elem_id="place")
        systems = gr.Dataframe(interactive=False, label="Outputs of all systems", wrap=True)
    lacking = components.part(elem_id="lacking")
    scores = components.part(first.scores, elem_id="scores")
    with gr.Row():
        with gr.Column():
            texts = _text_boxes()
            with gr.Row():
                gr.Examples(
                    [list(sample.texts) for sample in samples()],
                    list(texts),
                    example_labels=[sample.name for sample in samples()],
                    api_visibility="private",
                )
                clear, undo = gr.Button("Clear", size="sm"), gr.Button("Undo", size="sm")
            note = components.part(first.note, elem_id="note")
            controls = components.make_controls(NAMES)
        with gr.Column():
            answer = components.part(first.answer, elem_id="answer")
            marked = components.part(first.texts, elem_id="texts", apply_default_css=False)
    with gr.Accordion("Link, signature", open=False):
        gr.HTML(
            rendering.note("The address of this page is a link to the texts and choices, which are not sent with it.")
        )
        signature = gr.Textbox(first.signature, label="Signature", buttons=["copy"], elem_id="signature")
    outputs = [place, note, scores, answer, marked, signature]
    carried: list[Any] = [*texts, *controls.values()]
    clear.click(lambda: ("", "", ""), None, list(texts), **AT_ONCE)
    undo.click(str, texts.output, texts.output, js=UNDO, **AT_ONCE)
    gr.on([opened.change, *(box.change for box in carried)], show_sentence, [opened, *carried], outputs, **LIVE)
    gr.on([box.change for box in carried], None, carried, lacking, js=KEEP_LINK)
    link = gr.Textbox(visible=False)
    arriving = page.load(read_link, link, [*carried, lacking], js=READ_LINK, **AT_ONCE)
    arriving.then(None, carried, None, js=ARRIVE)
    return SentenceTab(tabs, texts, controls, opened, back, systems, buttons)


def _text_boxes() -> SegmentBoxes:
    first, *_ = samples()
    infos = (
        "The sentence to simplify.",
        "What a system made of it.",
        f"What people made of it, one per line; {RULE} between those of several lines.",
    )
    rows = zip(SegmentBoxes._fields, first.texts, infos, strict=True)
    # In a box of one line Enter would begin no new line.
    return SegmentBoxes(
        *(gr.Textbox(text, label=name.capitalize(), info=info, lines=2, elem_id=name) for name, text, info in rows)
    )


def read_link(link: str | None) -> list[Any]:
    """Return the texts and the choices of a link, and a note on what this server does not offer.

    The link is what follows the address of the page, if anything does. The page opens with the initial choices, which
    links leave out; they, and without a source the texts, stay as they are, or as a quick visitor has changed them.
    """
    link = link or ""
    check_limit(len(link), MAX_LINK, "characters of a link")
    asked = dict(parse_qsl(link.removeprefix("#"), keep_blank_values=True))
    texts = [asked.get(name, "") if "source" in asked else gr.skip() for name in SegmentBoxes._fields]
    chosen = {name: asked[name] for name in NAMES if name in asked}
    lacking = [f"{name} {value}" for name, value in chosen.items() if value not in components.choices_of(name)]
    values = [chosen[name] if chosen.get(name) in components.choices_of(name) else gr.skip() for name in NAMES]
    words = f"The link asks for {', '.join(lacking)}, which this server does not offer: scored without it."
    return [*texts, *values, rendering.refusal(words) if lacking else gr.skip()]


# Every variant


@refusals_as(rendering.refusal)
def show_variants(opened: OpenedSegment | None, source: str, output: str, references: str, *chosen: str) -> str:
    """Return the scores under every variant, with the other options as they are chosen, and what was scored."""
    asked = _Asked(opened, source, output, references, chosen)
    variants, segment = resolve_every_variant(asked.options), asked.segment()
    scores = {name: score_columns(segment, variant).scores() for name, variant in variants.items()}
    source, output, people = asked.texts
    texts = [("Source", source), ("Output", output), *(("Reference", reference) for reference in people)]
    return rendering.variant_scores(scores, variants, texts)


@refusals_as(lambda _message: "")  # the scores say what is wrong
def show_difference(
    opened: OpenedSegment | None,
    source: str,
    output: str,
    references: str,
    one: str,
    other: str,
    *chosen: str,
) -> str:
    """Return why two variants differ."""
    asked = _Asked(opened, source, output, references, chosen)
    first, last = (resolve_options({**asked.options, "variant": name}) for name in (one, other))
    return rendering.variant_steps(explain_difference(asked.segment(), first, last))


def variants_tab(tab: gr.Tab, sentence: SentenceTab) -> None:
    """Make the view of the same texts under every variant, and of why two of them differ."""
    gr.HTML(
        rendering.note(
            "The texts of the Sentence view under every variant, with the other options that are chosen there."
        )
    )
    with gr.Row():
        copy = gr.Button("Make the output a copy of the source", size="sm")
        undo = gr.Button("Undo", size="sm")
    scores = components.part(elem_id="variants")
    gr.Markdown("## Why two variants differ")
    with gr.Row():
        pair = [components.variant_box("hf", "From"), components.variant_box("easse", "To")]
    steps = components.part(elem_id="steps")
    texts, chosen = [sentence.opened, *sentence.texts], [*sentence.controls.values()]
    both, output = list(sentence.texts[:2]), sentence.texts.output
    copied = copy.click(lambda new, _old: new, both, output, js=REPLACE_OUTPUT, **AT_ONCE)
    undone = undo.click(str, output, output, js=UNDO, **AT_ONCE)
    events: list[Any] = [tab.select, copied.then, undone.then]
    for event in events:
        event(show_variants, [*texts, *chosen], scores, **LIVE)
    for event in [*events, *(box.change for box in pair)]:
        event(show_difference, [*texts, *pair, *chosen], steps, **LIVE)
