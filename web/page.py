"""The page: its views in tabs, and the endpoints for programs."""

import gc
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gradio as gr
import orjson

from sari.web import server
from sari.web.components import HOUR, allowed_choices
from sari.web.endpoints import ENDPOINTS
from sari.web.files_tab import files_tab
from sari.web.inputs import MAX_MEGABYTES
from sari.web.rendering import about, render
from sari.web.sentence_tab import FROM_LINK, first_sentence, sentence_tab, variants_tab
from sari.web.server import answering, raise_line

TITLE = "SARI, explained"
#: How many visits the server remembers; each takes up to a megabyte.
SESSIONS = 300
#: How many calls are answered at the same time; with more, each takes longer.
THREADS = 8

THEME = gr.themes.Default(
    font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"], primary_hue="blue", neutral_hue="slate"
).set(  # a contrast of at least 4.5
    link_text_color="*primary_700",
    link_text_color_dark="*primary_300",
    block_info_text_color="*neutral_600",
    block_info_text_color_dark="*neutral_300",
    body_text_color_subdued="*neutral_600",
    body_text_color_subdued_dark="*neutral_300",
    button_primary_background_fill="*primary_700",
    button_primary_background_fill_hover="*primary_800",
    button_primary_background_fill_dark="*primary_700",
    button_primary_background_fill_hover_dark="*primary_600",
)


def build() -> gr.Blocks:
    """Make the page."""
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=(HOUR, HOUR)) as page:
        gr.HTML(render("page", "heading"))
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                sentence = sentence_tab(tabs)
                carried = [*sentence.texts, *sentence.controls.values()]
                page.load(None, carried, carried, js=FROM_LINK)
            with gr.Tab("Variants", id="variants") as tab:
                variants_tab(tab, sentence)
            with gr.Tab("Files", id="files"):
                files_tab(page, sentence)
            with gr.Tab("About", id="about"):
                gr.Markdown(about(), elem_id="card")
        for endpoint in ENDPOINTS:
            gr.api(answering(raise_line)(endpoint), api_name=endpoint.__name__, concurrency_limit=4)
    page.queue(status_update_rate=1)  # in seconds; by default everyone who waits is told of every answer
    return page


def launch(page: gr.Blocks, **options: Any) -> str:
    """Start the server and return its address; options are those of `Blocks.launch`."""
    folder = Path(__file__).parent
    program = (folder / "page.js").read_text(encoding="utf-8")
    remember_settings(page)
    gc.freeze()  # so that collections do not look at hundreds of modules again and again
    address = page.launch(
        theme=THEME,
        css_paths=folder / "page.css",
        head=render("page", "script", choices=[*allowed_choices().items()], program=program),
        max_file_size=f"{MAX_MEGABYTES}mb",
        max_threads=THREADS,
        state_session_capacity=SESSIONS,
        run_history=False,
        app_kwargs=server.settings(render("page", "first_view", line=first_sentence().line)),
        footer_links=["api"],
        mcp_server=find_spec("mcp") is not None,  # of Gradio's extra
        ssr_mode=False,
        show_error=True,
        **options,
    )[1]
    tools: Any = page.mcp_server_obj
    if tools:  # Gradio itself writes answers in Python's notation
        tools.postprocess_output_data = lambda answers, _root_url: [
            tools.types.TextContent(type="text", text=orjson.dumps(answer).decode()) for answer in answers
        ]
    return address


def remember_settings(page: gr.Blocks) -> None:
    """Keep the settings of each component: Gradio computes them for every visit, a third of a call's time."""
    for block in page.blocks.values():
        block.get_config = partial(dict, block.get_config())  # type: ignore[method-assign]
