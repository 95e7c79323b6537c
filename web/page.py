"""The page: its views in tabs, and the endpoints for programs."""

import json
from pathlib import Path

import gradio as gr
from starlette.middleware import Middleware

from sari.variants import VARIANTS
from sari.web.beside import metric_card
from sari.web.cleaning import swept
from sari.web.endpoints import ENDPOINTS
from sari.web.guard import Guard, quieten
from sari.web.limits import MAX_MEGABYTES, TOKENIZERS
from sari.web.markup.elements import head
from sari.web.views.controls import CASES
from sari.web.views.corpus import corpus_view
from sari.web.views.sentence import FROM_LINK, sentence_view
from sari.web.views.systems import systems_view
from sari.web.views.variants import variants_view

THEME = gr.themes.Default(
    font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"], primary_hue="blue", neutral_hue="slate"
).set(  # a contrast of at least 4.5
    block_info_text_color="*neutral_600",
    block_info_text_color_dark="*neutral_300",
    body_text_color_subdued="*neutral_600",
    body_text_color_subdued_dark="*neutral_300",
    button_primary_background_fill="*primary_700",
    button_primary_background_fill_hover="*primary_800",
    button_primary_background_fill_dark="*primary_700",
    button_primary_background_fill_hover_dark="*primary_600",
)
_HOUR = 3600


def build() -> gr.Blocks:
    """Make the page."""
    with gr.Blocks(title="SARI", analytics_enabled=False, delete_cache=(_HOUR, _HOUR)) as page:
        gr.HTML(head())
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                sentence = sentence_view(tabs)
                carried = [*sentence.texts, *sentence.chosen]
                page.load(None, carried, carried, js=FROM_LINK)
            with gr.Tab("Variants", id="variants") as tab:
                variants_view(tab, sentence.texts)
            with gr.Tab("File", id="file"):
                corpus_view(sentence)
            with gr.Tab("Compare", id="compare"):
                systems_view(sentence)
            with gr.Tab("About", id="about"):
                gr.Markdown(metric_card(), elem_id="card")
        for endpoint in ENDPOINTS:
            gr.api(endpoint, api_name=endpoint.__name__, concurrency_limit=4)
    return page


def launch(page: gr.Blocks, **options) -> str:
    """Start the server and return its address; options are those of `Blocks.launch`."""
    quieten()
    return page.launch(
        theme=THEME,
        css_paths=Path(__file__).with_name("page.css"),
        max_file_size=f"{MAX_MEGABYTES}mb",
        head=_in_head(),
        app_kwargs={"middleware": [Middleware(Guard, page=page)], "lifespan": swept},
        footer_links=["api"],
        ssr_mode=False,
        show_error=True,
        **options,
    )[1]


def _in_head() -> str:
    """Return what stands in the head of the page: what previews of links show, and the page's own program."""
    allowed = {"variant": list(VARIANTS), "tokenize": list(TOKENIZERS), "case": list(CASES)}
    program = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
    return f"<script>window.sariChoices = {json.dumps(allowed)};\n{program}</script>"
