"""The controls of the page: one for each scoring option, of the option's kind."""

import random

import gradio as gr
import pytest
from conftest import ROOT

from sari.variants import OPTIONS, resolve_variant
from sari.web import components, sentence_tab, visitor_files
from sari.web.inputs import offered_options, resolve_options
from sari.web.page import build
from sari.web.samples import samples


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


def test_the_page_opens_with_the_first_example_and_without_results():
    page, (first, *_) = build(), samples()
    parts = {block.elem_id or getattr(block, "label", None): block for block in page.blocks.values()}
    shown = sentence_tab.show_sentence(None, *first.texts, *components.initial_choices(sentence_tab.NAMES))
    wanted = {**dict(zip(components.SegmentBoxes._fields, first.texts, strict=True)), **shown._asdict()}
    assert {name: parts[name].value or "" for name in wanted} == wanted
    assert not any((parts["Downloads"].interactive, parts["files-results"].visible, parts["Table"].visible))
    assert not any(block.open for block in page.blocks.values() if isinstance(block, gr.Accordion))
    longest = visitor_files.MOST_AGE + visitor_files.SWEPT_EVERY
    assert f"{longest / 60:g} minutes at the latest" in (ROOT / "docs" / "app.md").read_text(encoding="utf-8")


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


#: Lines that could be taken for marks, or be lost.
LINES = [
    "a",
    "",
    " ",
    "---",
    " ---",
    "␣",
    "\\",
    "\\---",
    "\\\\␣ ",
    " a ",
    "\t",
    '["a"]',
    "\u2028",
    "\x85",
    "\\n",
    "a\\",
]


def test_references_come_back_from_boxes_as_they_went():
    choose = random.Random(0)
    lists = [[], *([line] for line in LINES), ["a\r\nb", "x\ry"]]
    for _ in range(3_000):
        texts = ("\n".join(choose.choices(LINES, k=choose.choice([1, 1, 1, 2, 4]))) for _ in range(choose.randrange(5)))
        lists.append(list(texts))
    for references in lists:
        *_, text = components.boxes_of("", "", references)
        written = [row.replace("\r\n", "\n").replace("\r", "\n") for row in references]
        assert components.references_of(text) == written, text


@pytest.mark.parametrize(
    ("text", "references"),
    [
        (" a \n\nb\n", ["a", "b"]),
        ("a\n\n---\n\n\nb\nc\n\n", ["a", "b\nc"]),
        ("---\n---", []),
        (" ␣ \na", ["", "a"]),
        ("a\n ␣\n --- ", ["a\n ␣"]),
        (" \n", []),
    ],
)
def test_what_people_write_into_the_box(text, references):
    assert components.references_of(text) == references
