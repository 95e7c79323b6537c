"""The controls of the page: one for each scoring option, of the option's kind."""

import gradio as gr
import pytest

from sari.variants import OPTIONS, resolve_variant
from sari.web import components
from sari.web.inputs import offered_options, resolve_options


def test_every_option_that_has_several_values_has_a_control():
    names = components.option_names(corpora=True)
    with gr.Blocks():
        controls = components.make_controls(names)
    assert set(OPTIONS) - set(controls) == {"sentence_splitter"}  # Punkt, or a callable, which only code can give
    chosen = tuple(control.value for control in controls.values())
    assert chosen == components.initial_choices(names)
    assert resolve_options(components.options_of(names, chosen)) == resolve_variant("easse")
    assert controls["tokenize"].choices[0] == ("13a (default)", "default")
    assert controls["max_order"].choices[:2] == [("up to 4 tokens (default)", "default"), ("up to 1 token", "1")]


@pytest.mark.parametrize("name", [name for name in offered_options() if name != "variant"])
def test_what_is_chosen_becomes_the_option(name):
    for chosen, value in components.choices_of(name).items():
        if chosen.startswith("spacy-") and chosen != "spacy-de":
            continue
        names = components.option_names(corpora=True)
        row = [chosen if own == name else components.DEFAULT for own in names]
        assert components.options_of(names, row) == {name: value}
        resolved = resolve_options({"variant": "hf", **components.options_of(names, row)})
        assert resolved == resolve_variant("hf", **{name: value})


@pytest.mark.parametrize("references", [["a", ""], ["a\nb"], ["a\n\nb", "c"], [" a ", "\n"], ["a\r\nb", "x\ry"]])
def test_boxes_show_what_is_read_from_them(references):
    *_, text = components.boxes_of("", "", references)
    assert components.references_of(text) == ["\n".join(row.strip().splitlines()) for row in references]
