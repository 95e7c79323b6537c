"""What several views share: the controls of the scoring options, how events behave, and the way to open a segment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr

from sari.validation import Columns
from sari.variants import DEFAULT_VARIANT, OPTIONS, VARIANTS, Variant
from sari.web.inputs import MAX_ORDER, offered_options

#: The value of a control for the variant's own choice.
DEFAULT = "default"
#: The options that are always visible. The others are under "More options".
_MAIN = ("variant", "lowercase", "tokenize")
# What controls say of options for people who do not know the field's words.
_INFOS = {
    "lowercase": "whether capitals matter",
    "tokenize": "how texts are split into words; 13a splits off punctuation",
    "max_order": "how many words in a row are compared, at most",
    "zero_division": "the value of 0/0, where there is nothing to keep, delete or add",
}
# The numbers that can be chosen.
_NUMBERS: dict[str, Iterable[int]] = {"max_order": range(1, MAX_ORDER + 1), "zero_division": (0, 1)}
#: The options that change no score of a single sentence, or only those of documents.
OF_CORPORA = ("level", "penalties")
#: What stands for an empty reference in a box, and between references of several lines.
EMPTY_LINE, RULE = "␣", "---"

#: How events behave. What scores waits in Gradio's queue, and at most so many run at the same time.
ON_DEMAND: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 3, "concurrency_id": "on demand"}
#: Those that follow the input as it changes: the newest input wins, and nothing flickers.
LIVE: dict[str, Any] = {
    "api_visibility": "private",
    "concurrency_limit": 3,
    "concurrency_id": "live",
    "show_progress": "hidden",
    "trigger_mode": "always_last",
}
#: Those that score nothing: they show, hide or move something, and do not wait in the queue.
AT_ONCE: dict[str, Any] = {"api_visibility": "private", "queue": False, "show_progress": "hidden"}

#: The controls of scoring options, by the names of the options, and the values of controls.
Controls = dict[str, gr.Dropdown]
ControlValues = tuple[str, ...]


#: What the browser does with what the server sends, in `page.js`.
_TAKE_OVER = "window.sari.begin(element); watch('value', () => window.sari.changed(element))"


class SegmentBoxes(NamedTuple):
    """The boxes of one segment."""

    source: gr.Textbox
    output: gr.Textbox
    references: gr.Textbox


class OpenedSegment(NamedTuple):
    """A segment that another view has opened, as it was scored there.

    Attributes:
        system, line: whose output it is, and the number of the segment from 1.
        segment: the texts; boxes may show them otherwise.
        options: the scoring options that have no control in the Sentence view.
        results: what the other view has of all segments, to open others.
    """

    system: str
    line: int
    segment: Columns
    options: dict[str, Any]
    results: Any

    @property
    def boxes(self) -> tuple[str, str, str]:
        """What the boxes show."""
        (source,), (output,), (references,) = self.segment
        return boxes_of(source, output, references)

    @property
    def words(self) -> list[str]:
        """Whose output it is, and how it was scored, as far as no control says so."""
        return [self.system, f"line {self.line}", *_choices_in_words(self.options)]


class SentenceTab(NamedTuple):
    """The components that another view needs to open a segment.

    Attributes:
        tabs, texts, controls: of the view.
        opened: a state with an `OpenedSegment`.
        back: what is visible while a segment is opened.
        systems: the outputs of all systems for this segment.
        buttons: those that lead back, to the segment before, and to the next one.
    """

    tabs: gr.Tabs
    texts: SegmentBoxes
    controls: Controls
    opened: gr.State
    back: gr.Column
    systems: gr.Dataframe
    buttons: list[gr.Button]

    @property
    def opening(self) -> list[Any]:
        """The outputs of an event that opens a segment."""
        return [self.tabs, *self.texts, *self.controls.values(), self.opened, self.back, self.systems]


def part(html: str = "", *, elem_id: str, **named: Any) -> gr.HTML:
    """Make a part of the page that answers fill; screen readers hear what is new in it."""
    return gr.HTML(html, elem_id=elem_id, js_on_load=_TAKE_OVER, **named)


def make_controls(names: Sequence[str]) -> Controls:
    """Make the controls of scoring options; whoever chooses a variant sees what it chooses for the others."""
    with gr.Row():
        controls = {name: _control(name) for name in _MAIN}
    with gr.Accordion("More options", open=False), gr.Row():
        controls |= {name: _control(name) for name in names if name not in _MAIN}
    others = [name for name in controls if name != "variant"]
    controls["variant"].change(
        lambda variant: [gr.Dropdown(_labelled_choices(name, variant)) for name in others],
        controls["variant"],
        [controls[name] for name in others],
        **AT_ONCE,
    )
    return controls


def option_names(*, corpora: bool) -> list[str]:
    """Return the names of the offered options: of corpora, or of single sentences."""
    return [name for name in offered_options() if corpora or name not in OF_CORPORA]


def _control(name: str) -> gr.Dropdown:
    if name == "variant":
        return variant_box(DEFAULT_VARIANT, "Variant")
    info = _INFOS.get(name, OPTIONS[name].help)
    return gr.Dropdown(_labelled_choices(name, DEFAULT_VARIANT), value=DEFAULT, label=label_of(name), info=info)


def variant_box(value: str, label: str) -> gr.Dropdown:
    """Make a choice of the variants of this server, each with its summary."""
    named = [(f"{name}: {plain(VARIANTS[name].summary)}", name) for name in choices_of("variant")]
    return gr.Dropdown(named, value=value, label=label, elem_classes="sari-variant")


def label_of(name: str) -> str:
    """Return the label of the control of an option."""
    return name.replace("_", " ").capitalize()


def choices_of(name: str) -> dict[str, Any]:
    """Return the values of an option by their names in controls and links."""
    option = offered_options()[name]
    if option.kind == "flag":
        return {"yes": True, "no": False}
    return {str(value): value for value in _NUMBERS.get(name, option.choices)}


def _labelled_choices(name: str, variant: str) -> list[tuple[str, str]]:
    """Return labels and names of choices; the first one is that of the variant."""

    def label(value: Any) -> str:
        return value if isinstance(value, str) else OPTIONS[name].words(value)

    default = label(getattr(VARIANTS[variant], name))
    return [(f"{default} ({DEFAULT})", DEFAULT), *((label(value), text) for text, value in choices_of(name).items())]


def plain(text: str) -> str:
    """Return Markdown as text.

    >>> plain("as `easse`")
    'as easse'
    """
    return text.replace("`", "")


def initial_choices(names: Iterable[str]) -> ControlValues:
    """Return the first values of controls."""
    return tuple(DEFAULT_VARIANT if name == "variant" else DEFAULT for name in names)


def options_of(names: Iterable[str], chosen: Iterable[str]) -> dict[str, Any]:
    """Return scoring options from the values of controls, without those that the variant chooses.

    >>> options_of(["variant", "lowercase", "max_order"], ["hf", "default", "2"])
    {'variant': 'hf', 'max_order': 2}
    """
    chosen_names = zip(names, chosen, strict=True)
    return {name: choices_of(name)[value] for name, value in chosen_names if value != DEFAULT}


def references_of(text: str) -> list[str]:
    r"""Return the references in a box: one per line or, where there are lines of `RULE`, one between them.

    A backslash before a mark, or before nothing, says that the line is a part of a reference.

    >>> references_of("a b\nc\n\n␣"), references_of("a b\n\nc\n---\nd"), references_of("a\nb\n---")
    (['a b', 'c', ''], ['a b\n\nc', 'd'], ['a\nb'])
    >>> references_of("a\n\\---\n\\␣")
    ['a', '---', '␣']
    """
    lines = text.split("\n")
    if not any(line.strip() == RULE for line in lines):
        return [_text_of_lines([line.strip()]) for line in lines if line.strip()]
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == RULE:
            blocks.append([])
        elif line.strip() or blocks[-1]:
            blocks[-1].append(line)
    return list(map(_text_of_lines, filter(None, blocks)))


def _text_of_lines(lines: list[str]) -> str:
    """Return the text of lines without those at the end that have nothing, and without the backslashes of marks."""
    while not lines[-1].strip():
        lines = lines[:-1]
    if [line.strip() for line in lines] == [EMPTY_LINE]:
        return ""
    return "\n".join(line[1:] if line.startswith("\\") and _is_mark(line) else line for line in lines)


def _is_mark(line: str) -> bool:
    return line.lstrip("\\").strip() in (RULE, EMPTY_LINE, "")


def boxes_of(source: str, output: str, references: Iterable[str]) -> tuple[str, str, str]:
    r"""Return what boxes show of a segment; `references_of` reads the last one, with \n for each line break.

    >>> boxes_of("a", "b\r\nc", ["d e", ""]), boxes_of("a", "b", ["c\nd", "e"])
    (('a', 'b\nc', 'd e\n␣'), ('a', 'b', 'c\nd\n---\ne'))
    """
    source, output, *rows = (text.replace("\r\n", "\n").replace("\r", "\n") for text in (source, output, *references))
    written = [_with_backslashes(row) if row else EMPTY_LINE for row in rows]
    if all(row == row.strip() and "\n" not in row for row in rows):
        return source, output, "\n".join(written)
    return source, output, f"\n{RULE}\n".join(written) + (f"\n{RULE}" if len(rows) == 1 else "")


def _with_backslashes(text: str) -> str:
    """Return a text that `references_of` reads as it is: lines that could be marks, or be left out, get a backslash."""
    lines = text.split("\n")
    return "\n".join(
        f"\\{line}" if _is_mark(line) and (line.strip() or place in (0, len(lines) - 1)) else line
        for place, line in enumerate(lines)
    )


def variant_in_words(variant: Variant) -> str:
    """Return what is known of a variant: its summary, or, where options change it, which."""
    if not variant.changes:
        return plain(VARIANTS[variant.name].summary)
    return f"as {variant.name}, but {'; '.join(_choices_in_words(variant.changes))}"


def _choices_in_words(options: Mapping[str, Any]) -> list[str]:
    return [f"{label_of(name)}: {OPTIONS[name].words(value)}" for name, value in options.items()]
