"""The views of one segment: its scores and marked texts, which follow its boxes as one types; and every variant's."""

import functools
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import gradio as gr

from sari.corpus_statistics import score_columns
from sari.data_warnings import warning_rows
from sari.reports.explanation import explain
from sari.validation import Columns
from sari.variant_comparison import explain_difference
from sari.variants import OPTIONS
from sari.web import answers, components, rendering
from sari.web.components import AT_ONCE, HOUR, LIVE, RULE, OpenedSegment, SegmentBoxes, SentenceTab
from sari.web.inputs import RefusedError, check_size, resolve_every_variant, resolve_options, segment_of
from sari.web.rendering import render
from sari.web.samples import samples
from sari.web.server import refusals_as

#: What the browser does, in `page.js`.
KEEP_LINK = "(_opened, ...values) => window.sari.keepLink(...values)"
READ_LINK = "() => [location.hash]"
REPLACE_OUTPUT = "(source, output) => [window.sari.replaceOutput(source, output), output]"
UNDO = "(output) => [window.sari.undo(output)]"
#: The browser says new scores, and takes over new texts, at first and whenever they change.
SPEAK = "watch('value', () => window.sari.speakScore(element))"
TAKE_OVER = "window.sari.takeOver(element); watch('value', () => window.sari.takeOver(element))"

#: The options of this view.
NAMES = components.option_names(corpora=False)


class SentenceParts(NamedTuple):
    """What the view shows of a segment, as HTML, in the order of the page."""

    place: str
    line: str
    note: str
    score: str
    costs: str = ""
    texts: str = ""
    sharing: str = ""


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

    def segment(self, max_order: int = 4) -> Columns:
        """Return the checked segment: see `segment_of`; one that was scored may lack words."""
        if self.opened is None:
            return segment_of(*self.texts, max_order=max_order)
        check_size(self.opened.segment, max_order)
        return self.opened.segment


def show_sentence(
    opened: OpenedSegment | None, source: str, output: str, references: str, *chosen: str | float | None
) -> SentenceParts:
    """Return what the view shows of a segment."""
    asked = _Asked(opened, source, output, references, chosen)
    place = ""
    if asked.opened is not None:
        place = render("sentence", "place", system=asked.opened.system, line=asked.opened.line)
    try:
        variant = resolve_options(asked.options)
        segment = asked.segment(variant.max_order)
    except RefusedError as refusal:
        return SentenceParts(place, render("sentence", "line", scores=None), "", rendering.refusal(refusal))
    (source_text,), (output_text,), (people,) = segment
    explanation = explain(source=source_text, prediction=output_text, references=people, variant=variant)
    program = rendering.python(*asked.texts, asked.options, explanation.scores["sari"])
    return SentenceParts(
        place,
        render("sentence", "line", scores=explanation.scores),
        _note(source, output, references, chosen),
        rendering.explained_score(explanation, variant, answers.score_segment_baselines(segment, variant)),
        rendering.costs(explanation),
        rendering.texts(explanation),
        render("sentence", "sharing", signature=explanation.signature, program=program),
    )


def _note(source: str, output: str, references: str, chosen: tuple[Any, ...]) -> str:
    """Return the note of an example under the settings that it speaks of, or one about the lines of references."""
    notes = {(*sample.texts, *components.initial_choices(NAMES)): sample.note for sample in samples()}
    note = notes.get((source, output, references, *chosen), "")
    lines = len(components.references_of(references))
    if "\n" in source.strip() and lines > 1 and RULE not in references.split("\n"):
        note = f"Each line is a reference, {lines} in all. If references have several lines, put {RULE} between them."
    return rendering.note(note) if note else ""


@functools.cache
def first_sentence() -> SentenceParts:
    """Return what the view opens with."""
    return show_sentence(None, *samples()[0].texts, *components.initial_choices(NAMES))


def sentence_tab(page: gr.Blocks, tabs: gr.Tabs) -> SentenceTab:
    """Make the view of one segment."""
    first = first_sentence()
    opened = gr.State(None, time_to_live=HOUR)
    with gr.Column(visible=False, elem_id="opened") as back:
        with gr.Row(elem_id="back"):
            names = ("← Back", "‹ Previous", "Next ›")
            buttons = [gr.Button(name, size="sm", scale=0, min_width=90) for name in names]
            place = gr.HTML(elem_id="place", padding=False)
        systems = gr.Dataframe(
            interactive=False, label="Outputs of all systems", wrap=True, max_height=300, elem_id="side-by-side"
        )
    lacking = gr.HTML(elem_id="lacking")
    line = gr.HTML(first.line, elem_id="line")
    with gr.Row(equal_height=False, elem_id="sentence"):
        with gr.Column(scale=5, min_width=300, elem_id="texts-in"):
            source, output, references = samples()[0].texts
            rule = f"What people made of it, one per line; {RULE} between those of several lines."
            texts = SegmentBoxes(
                gr.Textbox(source, label="Source", info="The sentence to simplify.", lines=2, max_lines=20),
                gr.Textbox(
                    output,
                    label="Output",
                    info="What a system made of it.",
                    lines=2,
                    max_lines=20,
                    elem_id="output-box",
                ),
                gr.Textbox(references, label="References", info=rule, lines=3, max_lines=20),
            )
            with gr.Row(elem_classes="sari-row"):
                gr.Examples(
                    [list(sample.texts) for sample in samples()],
                    list(texts),
                    example_labels=[sample.name for sample in samples()],
                    api_visibility="private",
                )
                clear = gr.Button("Clear", size="sm", scale=0, min_width=60)
                undo = gr.Button("Undo", size="sm", scale=0, min_width=60)
            note = gr.HTML(first.note, elem_id="note")
            controls = components.make_controls(NAMES)
        with gr.Column(scale=6, min_width=300, elem_id="answer"):
            score = gr.HTML(first.score, elem_id="scores", js_on_load=SPEAK)
            costs = gr.HTML(first.costs, elem_id="costs")
            marked = gr.HTML(first.texts, elem_id="texts", js_on_load=TAKE_OVER, apply_default_css=False)
    with gr.Accordion("Link, signature, Python", open=False):
        sharing = gr.HTML(first.sharing, elem_id="sharing")
    outputs = [place, line, note, score, costs, marked, sharing]
    carried = [*texts, *controls.values()]
    clear.click(lambda: ("", "", ""), None, list(texts), **AT_ONCE)
    undo.click(str, texts.output, texts.output, js=UNDO, **AT_ONCE)
    changes = [opened.change, *(box.change for box in carried)]
    gr.on(changes, show_sentence, [opened, *carried], outputs, **LIVE)
    gr.on(changes, None, [opened, *carried], None, js=KEEP_LINK)
    link = gr.Textbox(visible=False)
    page.load(read_link, link, [*carried, lacking], js=READ_LINK, **AT_ONCE)
    return SentenceTab(tabs, texts, controls, opened, back, systems, buttons)


def read_link(link: str) -> list[Any]:
    """Return the texts and the choices of a link, and a note on what this server does not offer.

    The link is what follows the address of the page; without a source the texts stay as they are.
    """
    asked = dict(parse_qsl((link or "").removeprefix("#"), keep_blank_values=True))
    texts = [asked.get(name, "") if "source" in asked else gr.skip() for name in SegmentBoxes._fields]
    values, lacking = dict(zip(NAMES, components.initial_choices(NAMES), strict=True)), []
    for name in values.keys() & asked.keys():
        value: Any = asked[name]
        try:
            if OPTIONS[name].kind == "number":
                value = float(value)
            resolve_options(components.options_of([name], [value]))
        except (RefusedError, ValueError):
            lacking.append(f"{name} {value}")
        else:
            values[name] = value
    words = f"The link asks for {', '.join(sorted(lacking))}, which this server does not offer: scored without it."
    return [*texts, *values.values(), rendering.refusal(words) if lacking else gr.skip()]


# Every variant


@refusals_as(rendering.refusal)
def show_variants(
    opened: OpenedSegment | None, source: str, output: str, references: str, *chosen: str | float | None
) -> str:
    """Return the scores under every variant, with the other options as they are chosen, and what was scored.

    Warnings are those of the variant that is chosen, where the other options allow it.
    """
    asked = _Asked(opened, source, output, references, chosen)
    variants, segment = resolve_every_variant(asked.options), asked.segment()
    scores = {name: score_columns(segment, variant).scores() for name, variant in variants.items()}
    variant = variants.get(asked.options.get("variant", ""))
    # The list of variants shows which of them reward copies.
    rows = warning_rows(score_columns(segment, variant).warnings()) if variant else []
    warnings = rendering.warnings([row for row in rows if row["category"] != "RewardsCopyingWarning"])
    source, output, people = asked.texts
    texts = [("Source", source), ("Output", output), *(("Reference", reference) for reference in people)]
    return warnings + rendering.variant_scores(scores, variants) + render("variants", "given", rows=texts)


@refusals_as(lambda _message: "")  # the scores say what is wrong
def show_difference(
    opened: OpenedSegment | None,
    source: str,
    output: str,
    references: str,
    one: str,
    other: str,
    *chosen: str | float | None,
) -> str:
    """Return why two variants differ."""
    asked = _Asked(opened, source, output, references, chosen)
    first, last = (resolve_options({**asked.options, "variant": name}) for name in (one, other))
    return rendering.variant_steps(explain_difference(asked.segment(), first, last))


def variants_tab(tab: gr.Tab, sentence: SentenceTab) -> None:
    """Make the view of the same texts under every variant, and of why two of them differ."""
    first, initial = samples()[0].texts, components.initial_choices(NAMES)
    note = "The texts of the Sentence view under every variant, with the other options that are chosen there."
    gr.HTML(rendering.note(note))
    with gr.Row(elem_classes="sari-row"):
        copy = gr.Button("Make the output a copy of the source", size="sm", scale=0, min_width=200)
        undo = gr.Button("Undo", size="sm", scale=0, min_width=60)
    scores = gr.HTML(show_variants(None, *first, *initial), elem_id="variants")
    gr.HTML(render("page", "subheading", text="Why two variants differ"))
    with gr.Row():
        pair = [components.variant_box("hf", "From"), components.variant_box("easse", "To")]
    steps = gr.HTML(show_difference(None, *first, "hf", "easse", *initial), elem_id="steps")
    texts, chosen = [sentence.opened, *sentence.texts], [*sentence.controls.values()]
    both, output = list(sentence.texts[:2]), sentence.texts.output
    copied = copy.click(lambda new, _old: new, both, output, js=REPLACE_OUTPUT, **AT_ONCE)
    undone = undo.click(str, output, output, js=UNDO, **AT_ONCE)
    events: list[Any] = [tab.select, copied.then, undone.then]
    for event in events:
        event(show_variants, [*texts, *chosen], scores, **LIVE)
    for event in [*events, *(box.change for box in pair)]:
        event(show_difference, [*texts, *pair, *chosen], steps, **LIVE)
