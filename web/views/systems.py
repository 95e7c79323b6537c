"""The view of several systems: their files in, one table, plot and test out."""

from typing import Any, NamedTuple

import gradio as gr

from sari.resampling import TESTS
from sari.web import corpora
from sari.web.answers import compare_systems
from sari.web.beside import example_file
from sari.web.downloads import COMPARISON_DOWNLOADS
from sari.web.limits import MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS, RefusedError
from sari.web.markup import elements, systems
from sari.web.views.controls import LIVE, ON_DEMAND, choices, file_box, options_of, write_files

_METHODS = {test.title: name for name, test in TESTS.items()}
_LIMIT = f"At most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."


class Results(NamedTuple):
    """What shows compared systems, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    csv: Any
    json: Any
    latex: Any


def systems_view() -> None:
    """Make the view."""
    gr.HTML(elements.note(f"{_LIMIT} Plain UTF-8 text, line i of every file belongs to segment i."))
    with gr.Row():
        files = [
            file_box("Sources"),
            file_box("Outputs (one file per system)", "multiple"),
            file_box("References (one file or more)", "multiple"),
        ]
    chosen = choices()
    with gr.Row():
        baseline = gr.Dropdown([], label="Baseline", info="The others are compared with it.", min_width=220)
        method = gr.Radio(
            list(_METHODS), value=next(iter(_METHODS)), label="Test", info="Is a difference chance?", min_width=220
        )
    with gr.Row():
        fill = gr.Button("Fill in an example")
        start = gr.Button("Compare these systems", variant="primary")
    results = _results()
    fill.click(example_systems, None, files, **ON_DEMAND)
    files[1].change(offer_baselines, [files[1], baseline], baseline, **LIVE)
    inputs = [*chosen, *files, baseline, method]
    start.click(compare_files, inputs, list(results), show_progress_on=results.summary, **ON_DEMAND)


def _results() -> Results:
    """Make what shows compared systems, empty."""
    summary = gr.HTML(elem_id="systems", min_height=60)
    with gr.Column(visible=False) as more:
        signature = gr.Textbox(
            label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature-of-systems"
        )
        with gr.Row():
            buttons = [gr.DownloadButton(f"Download {name}") for name in ("CSV", "JSON", "LaTeX")]
    return Results(summary, more, signature, *buttons)


def example_systems() -> tuple[str, list[str], list[str]]:
    """Return the example corpus with the outputs of two systems, as files."""
    names = {
        "sources.txt": "sources.txt",
        "deleting.txt": "outputs.txt",
        "rewriting.txt": "outputs.rewriting.txt",
        "references.0.txt": "references.0.txt",
        "references.1.txt": "references.1.txt",
    }
    files = write_files({name: example_file(original) for name, original in names.items()})
    return files[0], files[1:3], files[3:]


def offer_baselines(outputs: list[str] | None, baseline: str | None) -> gr.Dropdown:
    """Offer the systems of these files as baselines, the first where the one chosen is not among them."""
    names = corpora.system_names(outputs or ())
    return gr.Dropdown(choices=names, value=baseline if baseline in names else next(iter(names), None))


def compare_files(variant, tokenize, case, sources, outputs, references, baseline, method) -> Results:
    """Compare uploaded files of lines, or return why they are refused."""
    options = {**options_of(variant, tokenize, case), "baseline": baseline, "method": _METHODS[method], "details": True}
    try:
        columns = corpora.systems_of_files(sources, outputs or (), references or ())
        comparison = compare_systems(columns, **options)
    except RefusedError as refusal:
        return Results(elements.refusal(str(refusal)), gr.Column(visible=False), "", None, None, None)
    report = comparison.report
    files = write_files({f"systems{ending}": write(report) for ending, write in COMPARISON_DOWNLOADS.items()})
    return Results(systems.systems(report), gr.Column(visible=True), comparison.result["signature"], *files)
