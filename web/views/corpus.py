"""The view of a corpus: three ways in, one result; a row of it opens in the sentence view."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import gradio as gr

from sari.inputs import Columns
from sari.web import corpora
from sari.web.answers import score_corpus
from sari.web.beside import example_file
from sari.web.downloads import DOWNLOADS
from sari.web.limits import MAX_MEGABYTES, MAX_SEGMENTS, RefusedError
from sari.web.markup import corpus, elements
from sari.web.results import Row
from sari.web.views.controls import LIVE, ON_DEMAND, Choices, Texts, choices, file_box, options_of, write_files

_LIMIT = f"At most {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
#: The columns of the table of sentences: what each is called, what it holds, and how wide it is.
_TABLE = (
    ("Line", "number", 70),
    ("SARI", "number", 80),
    ("Keep", "number", 80),
    ("Delete", "number", 80),
    ("Add", "number", 80),
    ("Source", "str", 260),
    ("Output", "str", 260),
    ("References", "str", 260),
)


class Results(NamedTuple):
    """What shows a scored corpus, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    csv: Any
    json: Any
    table: Any
    scored_with: Any


def corpus_view(tabs: gr.Tabs, sentence_tab: tuple[Texts, Choices]) -> None:
    """Make the view."""
    gr.HTML(elements.note(f"{_LIMIT} Plain UTF-8 text, line i of every file belongs to segment i."))
    with gr.Tabs():
        with gr.Tab("Text files"):
            with gr.Row():
                plain = [
                    file_box("Sources"),
                    file_box("Outputs"),
                    file_box("References (one file or more)", "multiple"),
                ]
            score_plain = gr.Button("Score these files", variant="primary")
        with gr.Tab("JSONL"):
            jsonl = gr.File(label="A JSON object per line: source, prediction, references", height=170)
            score_jsonl = gr.Button("Score this file", variant="primary")
        with gr.Tab("Paste"):
            with gr.Row():
                pasted = _boxes()
            with gr.Row():
                fill = gr.Button("Fill in an example")
                score_pasted = gr.Button("Score these lines", variant="primary")
    chosen = choices()
    results = _results()
    fill.click(example_corpus, None, pasted, **ON_DEMAND)
    for button, inputs, score in (
        (score_plain, plain, score_text_files),
        (score_jsonl, [jsonl], score_jsonl_file),
        (score_pasted, pasted, score_pasted_lines),
    ):
        button.click(score, [*chosen, *inputs], list(results), show_progress_on=results.summary, **ON_DEMAND)
    texts, sentence_choices = sentence_tab
    results.table.select(open_row, results.scored_with, [tabs, *texts, *sentence_choices], **LIVE)


def _boxes() -> list[gr.Textbox]:
    """Make the boxes for pasted lines."""
    of_references = "A line for each segment, with tabs between its references."
    labels = {"Sources": "One per line.", "Outputs": "One per line.", "References": of_references}
    return [gr.Textbox(label=label, info=info, lines=6, max_lines=12, min_width=220) for label, info in labels.items()]


def _results() -> Results:
    """Make what shows a scored corpus, empty."""
    summary = gr.HTML(elem_id="corpus", min_height=60)
    with gr.Column(visible=False) as more:
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature")
        with gr.Row():
            csv_button, json_button = (gr.DownloadButton(f"Download {ending[1:].upper()}") for ending in DOWNLOADS)
        gr.HTML(elements.note("Sort with ⋮ at the head of a column. Choose a row to open it in the Sentence view."))
        headers, kinds, widths = (list(column) for column in zip(*_TABLE, strict=True))
        table = gr.Dataframe(
            headers=headers,
            datatype=kinds,
            interactive=False,
            max_height=420,
            label="Sentences",
            column_widths=widths,
            max_chars=120,
            elem_id="sentences",
        )
    return Results(summary, more, signature, csv_button, json_button, table, gr.State([]))


def score_text_files(variant, tokenize, case, sources, outputs, references, progress=gr.Progress()):  # noqa: B008
    """Score uploaded files of lines."""
    batches = corpora.batches_of_files(sources, outputs, references or ())
    return _show(batches, (variant, tokenize, case), progress)


def score_jsonl_file(variant, tokenize, case, jsonl, progress=gr.Progress()):  # noqa: B008
    """Score an uploaded file of JSON objects."""
    return _show(corpora.batches_of_jsonl(jsonl), (variant, tokenize, case), progress)


def score_pasted_lines(variant, tokenize, case, sources, outputs, references, progress=gr.Progress()):  # noqa: B008
    """Score pasted lines."""
    batches = corpora.batches_of_lines(sources, outputs, references)
    return _show(batches, (variant, tokenize, case), progress)


def _show(batches: Iterable[Columns], chosen: tuple[str, str, str], progress: gr.Progress) -> Results:
    """Return what is shown of a corpus, or of why it was refused."""

    def show_progress(done: int, total: int) -> None:
        progress((done, total), unit="segments")

    try:
        scored = score_corpus(batches, show_progress, **options_of(*chosen))
    except RefusedError as refusal:
        return Results(elements.refusal(str(refusal)), gr.Column(visible=False), "", None, None, None, [])
    as_csv, as_json = write_files({f"sari{ending}": write(scored) for ending, write in DOWNLOADS.items()})
    return Results(
        summary=corpus.corpus(scored, chosen[0]),
        more=gr.Column(visible=True),
        signature=scored.result["signature"],
        csv=as_csv,
        json=as_json,
        table=[_cells(row) for row in scored.rows],
        scored_with=list(chosen),
    )


def _cells(row: Row) -> list:
    """Return a row of the table; a line in the last cell is a reference."""
    scores = [round(score, 2) for score in row[1:5]]
    references = "\n".join(reference.replace("\n", " ") for reference in row.references)
    return [row.line, *scores, row.source, row.output, references]


def open_row(scored_with: list[str], event: gr.SelectData) -> tuple:
    """Return what puts the chosen row into the sentence view."""
    return gr.Tabs(selected="sentence"), *event.row_value[5:8], *scored_with


def example_corpus() -> tuple[str, str, str]:
    """Return the example corpus as pasted lines."""
    names = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")
    sources, outputs, *references = map(example_file, names)
    columns = (text.splitlines() for text in references)
    return sources, outputs, "\n".join(map("\t".join, zip(*columns, strict=True)))
