"""The page: its views in tabs, and the endpoints for programs."""

from pathlib import Path

import gradio as gr

from sari.web.beside import metric_card
from sari.web.endpoints import ENDPOINTS
from sari.web.limits import MAX_CHARACTERS, MAX_MEGABYTES
from sari.web.markup.elements import head
from sari.web.views.corpus import corpus_view
from sari.web.views.sentence import sentence_view
from sari.web.views.systems import systems_view
from sari.web.views.variants import variants_view

THEME = gr.themes.Default(
    font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"], primary_hue="blue", neutral_hue="slate"
)
_HOUR = 3600


def build() -> gr.Blocks:
    """Make the page."""
    with gr.Blocks(title="SARI", analytics_enabled=False, delete_cache=(_HOUR, _HOUR)) as page:
        gr.HTML(head(f"At most {MAX_CHARACTERS:,} characters in all."))
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                texts, chosen = sentence_view()
            with gr.Tab("Variants", id="variants") as tab:
                variants_view(tab, texts)
            with gr.Tab("File", id="file"):
                corpus_view(tabs, (texts, chosen))
            with gr.Tab("Compare", id="compare"):
                systems_view()
            with gr.Tab("About", id="about"):
                gr.Markdown(metric_card(), elem_id="card")
        for endpoint in ENDPOINTS:
            gr.api(endpoint, api_name=endpoint.__name__, concurrency_limit=4)
    return page


def launch(page: gr.Blocks, **options) -> str:
    """Start the server and return its address; options are those of `Blocks.launch`."""
    return page.launch(
        theme=THEME,
        css_paths=Path(__file__).with_name("page.css"),
        max_file_size=f"{MAX_MEGABYTES}mb",
        footer_links=["api"],
        ssr_mode=False,
        show_error=True,
        **options,
    )[1]
