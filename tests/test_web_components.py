"""The controls of the page: one for each scoring option, of the option's kind."""

import gradio as gr
import pytest

from sari.variants import OPTIONS, resolve_variant
from sari.web import components
from sari.web.inputs import RefusedError, offered_options, resolve_options

KINDS = {"choice": gr.Dropdown, "function": gr.Dropdown, "flag": gr.Dropdown, "number": gr.Number}


def test_every_option_that_has_several_values_has_a_control():
    with gr.Blocks():
        controls = components.make_controls()
    assert set(OPTIONS) - set(controls) == {"sentence_splitter"}  # Punkt, or a callable, which only code can give
    assert all(isinstance(control, KINDS[OPTIONS[name].kind]) for name, control in controls.items())
    chosen = tuple(control.value for control in controls.values())
    assert chosen == components.initial_choices()
    assert resolve_options(components.options_of(chosen)) == resolve_variant("easse")


@pytest.mark.parametrize("name", [name for name in offered_options() if name != "variant"])
def test_what_is_chosen_becomes_the_option(name):
    option = offered_options()[name]
    values = {"flag": {"yes": True, "no": False}, "number": {1.0: 1}}.get(option.kind)
    for chosen, value in (values or {choice: choice for choice in option.choices}).items():
        row = [chosen if own == name else None for own in offered_options()]
        assert components.options_of(row) == {name: value}
        resolved = resolve_options({"variant": "hf", **components.options_of(row)})
        assert resolved == resolve_variant("hf", **{name: value})


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"sentence_splitter": "punkt"}, "sentence_splitter: got an unknown argument"),
        ({"tokenize": "moses"}, "tokenize: got 'moses', expected one of 13a, none, intl, char, zh"),
        ({"max_order": 0}, "max_order: got 0, expected a whole number of at least 1"),
        ({"penalties": 3}, "penalties: got 3, expected one of none"),
    ],
)
def test_what_is_not_offered_is_refused_in_a_line(options, line):
    with pytest.raises(RefusedError) as refusal:
        resolve_options(options)
    assert str(refusal.value).startswith(line)
    assert len(str(refusal.value)) <= 200
