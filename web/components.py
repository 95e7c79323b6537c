"""What several views share: the controls of the scoring options, how events behave, and the way to open a segment."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import gradio as gr

from sari.variants import DEFAULT_VARIANT, VARIANTS, Option
from sari.web.inputs import label_of, offered_options

#: What stands in controls for the variant's own choice, and for flags.
OWN, _FLAGS = "default", {"yes": True, "no": False}
#: The options that are always visible. The others are under "More options".
_MAIN = ("variant", "tokenize", "lowercase")
#: Seconds for which results and files are kept.
HOUR = 3600
#: What stands for an empty reference in a box of lines.
EMPTY_LINE = "␣"

#: How events behave. Those that follow the input as it changes do not wait in Gradio's queue, the newest input wins,
#: and nothing flickers.
ON_DEMAND: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 4}
LIVE: dict[str, Any] = {
    "api_visibility": "private",
    "queue": False,
    "show_progress": "hidden",
    "trigger_mode": "always_last",
}

#: The controls of the scoring options, by the names of the options, and the values of controls.
Controls = dict[str, gr.Dropdown | gr.Number]
ControlValues = tuple[str | float | None, ...]


class SegmentBoxes(NamedTuple):
    """The boxes of one segment."""

    source: gr.Textbox
    output: gr.Textbox
    references: gr.Textbox


class SentenceTab(NamedTuple):
    """The components that another view needs to open a segment; the buttons lead back, and to the segments around."""

    tabs: gr.Tabs
    texts: SegmentBoxes
    controls: Controls
    back: gr.Row
    place: gr.HTML
    buttons: list[gr.Button]

    @property
    def opening(self) -> list[Any]:
        """The outputs of an event that opens a segment."""
        return [self.tabs, *self.texts, *self.controls.values(), self.back, self.place]


def make_controls(*more: Any) -> Controls:
    """Make the controls of the scoring options, and put more components under "More options"."""
    offered = offered_options()
    with gr.Row():
        made = {name: _control(name, offered[name]) for name in _MAIN}
    with gr.Accordion("More options", open=False), gr.Row():
        made |= {name: _control(name, option) for name, option in offered.items() if name not in made}
        for component in more:
            component.render()
    return {name: made[name] for name in offered}


def _control(name: str, option: Option) -> gr.Dropdown | gr.Number:
    if name == "variant":
        return variant_box(DEFAULT_VARIANT, "Variant")
    label, info = label_of(name), None if name in _MAIN else option.help
    if option.kind == "number":
        return gr.Number(None, label=label, info=info, placeholder=OWN, min_width=160)
    choices = [(choice, choice) for choice in option.choices]
    if option.kind == "flag":
        choices = [(option.words(value), text) for text, value in _FLAGS.items()]
    return gr.Dropdown([(OWN, OWN), *choices], value=OWN, label=label, info=info, min_width=120)


def variant_box(value: str, label: str) -> gr.Dropdown:
    """Make a choice of the variants of this server, each with its summary."""
    named = [(f"{name}: {VARIANTS[name].summary}", name) for name in offered_options()["variant"].choices]
    return gr.Dropdown(named, value=value, label=label, min_width=400, scale=2)


def initial_choices() -> ControlValues:
    """Return the first values of the controls."""
    return tuple(
        DEFAULT_VARIANT if name == "variant" else None if option.kind == "number" else OWN
        for name, option in offered_options().items()
    )


def allowed_choices() -> dict[str, list[str] | None]:
    """Return what can be chosen of each option by name; None for any number."""
    return {
        name: None if option.kind == "number" else [OWN, *_FLAGS] if option.kind == "flag" else [OWN, *option.choices]
        for name, option in offered_options().items()
    }


def options_of(chosen: Iterable[Any]) -> dict[str, Any]:
    """Return scoring options from the values of controls, without those that the variant chooses."""
    options = {}
    for (name, option), value in zip(offered_options().items(), chosen, strict=True):
        if value is None or value == OWN:
            continue
        if option.kind == "flag" and isinstance(value, str):
            value = _FLAGS.get(value, value)
        elif option.kind == "number" and isinstance(value, float) and value.is_integer():
            value = int(value)
        options[name] = value
    return options


def lines_of(text: str) -> list[str]:
    r"""Return the lines that are not blank.

    >>> lines_of("a b\n\n␣\n")
    ['a b', '']
    """
    return ["" if line.strip() == EMPTY_LINE else line for line in text.split("\n") if line.strip()]


def as_lines(texts: Iterable[str]) -> str:
    """Return texts as lines, which `lines_of` reads."""
    return "\n".join(" ".join(text.split("\n")) or EMPTY_LINE for text in texts)
