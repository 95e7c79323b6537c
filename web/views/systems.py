"""The view of several systems: their files in, one table, plot and test out."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import gradio as gr

from sari.inputs import SystemColumns
from sari.report.results import ScoreReport
from sari.resampling import TESTS
from sari.web import corpora
from sari.web.answers import compare_systems, report_systems
from sari.web.beside import example_file
from sari.web.cleaning import release_memory
from sari.web.downloads import COMPARISON_DOWNLOADS
from sari.web.limits import MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS, RefusedError
from sari.web.markup import differences, elements, systems
from sari.web.markup.differences import Segment
from sari.web.views.controls import (
    LIVE,
    ON_DEMAND,
    SHOW_SCORE,
    SentenceView,
    choices,
    downloads,
    file_box,
    lines_of,
    opened,
    opening,
    options_of,
    write_files,
)

_METHODS = {test.title: name for name, test in TESTS.items()}
_LIMIT = f"At most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."


#: What there is to download, by its ending.
_DOWNLOADS = {"CSV": ".csv", "JSON": ".json", "LaTeX": ".tex"}
_HOUR = 3600
#: What the browser does: an output that is chosen says which it is.
_CHOOSE_OUTPUT = """
element.addEventListener("click", (event) => {
  const output = event.target.closest("[data-system]");
  if (output) trigger("click", { place: Number(output.dataset.place), system: output.dataset.system });
});
"""


class Compared(NamedTuple):
    """What was compared, for what is asked of it later: the report, the segments that are shown, the files."""

    report: ScoreReport
    segments: dict[int, Segment]
    files: tuple[Any, ...]
    chosen: tuple[str, str, str]


class Results(NamedTuple):
    """What shows compared systems, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    differences: Any
    compared: Any


def systems_view(sentence: SentenceView) -> None:
    """Make the view."""
    plain_text = "Plain UTF-8 text, gzipped or not; line i of every file belongs to segment i."
    gr.HTML(elements.note(f"{_LIMIT} {plain_text}"))
    with gr.Row():
        files = [
            file_box("Sources"),
            file_box("Outputs (one file per system)", "multiple"),
            file_box("References (one file or more)", "multiple"),
        ]
    chosen = choices()
    with gr.Row():
        names = gr.Textbox(
            label="Names of the systems", info="One per line, as the files come.", lines=2, min_width=220
        )
        baseline = gr.Dropdown([], label="Baseline", info="The others are compared with it.", min_width=220)
        method = gr.Radio(
            list(_METHODS), value=next(iter(_METHODS)), label="Test", info="Is a difference chance?", min_width=220
        )
    with gr.Row():
        fill = gr.Button("Fill in an example")
        start = gr.Button("Compare these systems", variant="primary")
    results = _results()
    fill.click(example_systems, None, files, **ON_DEMAND)
    files[1].change(lambda outputs: "\n".join(corpora.system_names(outputs or ())), files[1], names, **LIVE)
    names.change(offer_baselines, [names, baseline], baseline, **LIVE)
    inputs = [*chosen, *files, names, baseline, method]
    start.click(compare_files, inputs, list(results), show_progress_on=results.summary, **ON_DEMAND)
    output = results.differences.click(open_output, results.compared, opening(sentence), **LIVE)
    output.then(None, js=SHOW_SCORE)


def _results() -> Results:
    """Make what shows compared systems, empty."""
    summary = gr.HTML(elem_id="systems", min_height=60)
    compared = gr.State(None, time_to_live=_HOUR)
    with gr.Column(visible=False) as more:
        differences = gr.HTML(elem_id="differences", js_on_load=_CHOOSE_OUTPUT)
        signature = gr.Textbox(
            label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature-of-systems"
        )
        with gr.Row():
            downloads(_DOWNLOADS, download, [compared], "systems")
            downloads({"report": ".html"}, download_report, [compared], "report")
        gr.HTML(elements.note("The report: companion measures, scores by length of source, examples, in one page."))
    return Results(summary, more, signature, differences, compared)


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


def offer_baselines(names: str, baseline: str | None) -> gr.Dropdown:
    """Offer these systems as baselines, the first where the one chosen is not among them."""
    offered = list(dict.fromkeys(lines_of(names)))
    return gr.Dropdown(choices=offered, value=baseline if baseline in offered else next(iter(offered), None))


def compare_files(variant, tokenize, case, sources, outputs, references, names, baseline, method) -> Results:
    """Compare uploaded files of lines, or return why they are refused."""
    chosen, files = (variant, tokenize, case), (sources, tuple(outputs or ()), tuple(references or ()), names)
    try:
        columns = corpora.systems_of_files(*files)
        comparison = compare_systems(
            columns, **options_of(*chosen), baseline=baseline, method=_METHODS[method], details=True
        )
    except RefusedError as refusal:
        return Results(elements.refusal(str(refusal)), gr.Column(visible=False), "", "", None)
    finally:
        release_memory()
    sentences = {name: result["sentences"]["sari"] for name, result in comparison.result["systems"].items()}
    of_baseline = str(comparison.result["baseline"])
    found = differences.extremes(sentences, of_baseline)
    segments = _segments(columns, sentences, chain.from_iterable(chain.from_iterable(found.values())))
    report = comparison.report
    return Results(
        systems.systems(report, comparison.copies),
        gr.Column(visible=True),
        comparison.result["signature"],
        differences.differences(segments, found, of_baseline),
        Compared(report, segments, files, chosen),
    )


def _segments(
    columns: SystemColumns, sentences: Mapping[str, Sequence[float]], places: Iterable[int]
) -> dict[int, Segment]:
    return {
        place: Segment(
            place,
            columns.sources[place],
            columns.references[place],
            {name: outputs[place] for name, outputs in columns.predictions.items()},
            {name: scores[place] for name, scores in sentences.items()},
        )
        for place in sorted(set(places))
    }


def open_output(compared: Compared | None, event: gr.EventData) -> tuple:
    """Return what puts the chosen output into the sentence view."""
    data = event._data if isinstance(event._data, dict) else {}
    segment = compared.segments.get(data.get("place", -1)) if compared else None
    if compared is None or segment is None or data.get("system") not in segment.outputs:
        return (gr.skip(),) * 9
    texts = segment.source, segment.outputs[data["system"]], "\n".join(segment.references)
    return opened(texts, compared.chosen, "compare")


def download(ending: str, compared: Compared | None) -> str:
    """Return compared systems as a file."""
    return COMPARISON_DOWNLOADS[ending](_still_there(compared).report)


def download_report(_ending: str, compared: Compared | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return all there is to say about the systems, as a page."""
    there = _still_there(compared)
    try:
        columns = corpora.systems_of_files(*there.files)
    except FileNotFoundError:
        raise RefusedError("The files are gone by now: please choose them again.") from None
    try:
        return report_systems(
            columns, lambda done, total, step: progress((done, total), desc=step), **options_of(*there.chosen)
        )
    finally:
        release_memory()


def _still_there(compared: Compared | None) -> Compared:
    if compared is None:
        raise RefusedError("There is nothing to download by now: please compare again.")
    return compared
