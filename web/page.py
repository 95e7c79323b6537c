"""The page: its views in tabs, and the endpoints for programs."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gradio as gr

from sari.corpus_statistics import score_columns
from sari.validation import Columns
from sari.variants import DEFAULT_VARIANT, VARIANTS
from sari.web import server, visitor_files
from sari.web.endpoints import ENDPOINTS
from sari.web.files_tab import files_tab
from sari.web.inputs import MAX_MEGABYTES
from sari.web.rendering import about, render
from sari.web.samples import samples
from sari.web.sentence_tab import sentence_tab, variants_tab

#: Of how many visits the server keeps the last texts and answers, at most tens of megabytes each. Programs that name
#: no session make a visit of every call.
SESSIONS = 50
#: How many calls may wait.
WAITING = 100

THEME = gr.themes.Default(
    font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"], primary_hue="blue", neutral_hue="slate"
).set(  # a contrast of at least 4.5 of letters, and of 3 of the edges of what can be pressed or filled
    **{
        f"{edge}{dark}": f"*neutral_{shade}"
        for edge in (
            "input_border_color",
            "checkbox_border_color",
            "button_secondary_border_color",
            "button_secondary_border_color_hover",
        )
        for dark, shade in (("", 500), ("_dark", 400))
    },
    button_border_width="1px",
    input_border_color_focus="*primary_700",
    input_border_color_focus_dark="*primary_300",
    checkbox_border_color_hover="*neutral_600",
    checkbox_border_color_hover_dark="*neutral_300",
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
    """Make the page, and the folder of the files of its visitors.

    Raises:
        OSError: where no folder can be made.
    """
    visitor_files.folder()
    with server.Page(title="SARI, explained") as page:
        gr.HTML(render("page", "heading"))
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                sentence = sentence_tab(page, tabs)
            with gr.Tab("Variants", id="variants") as tab:
                variants_tab(tab, sentence)
            with gr.Tab("Files", id="files"):
                files_tab(sentence)
            with gr.Tab("About", id="about"):
                gr.Markdown(about(), elem_id="card")
        for endpoint in ENDPOINTS:
            gr.api(endpoint, api_name=endpoint.__name__, concurrency_limit=2, concurrency_id="programs")
    # What scores waits in the queue, and who has stopped listening is dropped from it. By default everyone who waits is
    # told of every answer; now once a second.
    page.queue(status_update_rate=1, api_open=False, max_size=WAITING)
    return page


def _first_view() -> str:
    first, *_ = samples()
    segment = Columns([first.source], [first.prediction], [first.references])
    return render("page", "first_view", scores=score_columns(segment, VARIANTS[DEFAULT_VARIANT]).scores())


def launch(page: gr.Blocks, **options: Any) -> str:
    """Start the server and return its address; options are those of `Blocks.launch`."""
    folder = Path(__file__).parent
    # Gradio asks the server whether it runs, which no proxy may answer.
    os.environ["NO_PROXY"] = ",".join(filter(None, [os.environ.get("NO_PROXY"), "localhost,127.0.0.1,0.0.0.0"]))
    return page.launch(
        theme=THEME,
        css_paths=folder / "page.css",
        head=render("page", "head", program=(folder / "page.js").read_text(encoding="utf-8")),
        max_file_size=f"{MAX_MEGABYTES}mb",
        state_session_capacity=SESSIONS,
        run_history=False,
        app_kwargs=server.settings(
            _first_view(),
            functions=page.fns,
            endpoints=[endpoint.__name__ for endpoint in ENDPOINTS],
        ),
        footer_links=["api"],
        mcp_server=find_spec("mcp") is not None,  # of Gradio's extra
        ssr_mode=False,
        show_error=True,
        enable_monitoring=False,
        **options,
    )[1]
