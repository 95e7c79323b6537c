"""The view of a corpus: three ways in, one result; a row of it opens in the sentence view."""

import csv
import functools
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import gradio as gr

from sari.reports.published_systems import find_standing
from sari.validation import Columns, SystemColumns
from sari.variants import SCORES
from sari.web import answers, components, inputs, rendering
from sari.web.answers import ScoredCorpus, ScoredSegment
from sari.web.components import LIVE, ON_DEMAND, Request, SentenceTab, Way
from sari.web.inputs import MAX_MEGABYTES, MAX_SEGMENTS, RatedCorpus, RatedSystems, RefusedError
from sari.web.samples import example_lines
from sari.web.server import memory_released

_LIMIT = f"At most {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
_HOW_TO_OPEN = "Choose a row to open it in the Sentence view, a bar above to see its sentences alone."
_OF_REFERENCES = "A line for each segment, with tabs between its references."
#: The columns of the table of sentences: what each is called, what it holds, and how wide it is.
_TABLE = (
    ("Line", "number", 90),
    ("SARI", "number", 90),
    ("Keep", "number", 90),
    ("Delete", "number", 100),
    ("Add", "number", 90),
    ("Source", "str", 260),
    ("Output", "str", 260),
    ("References", "str", 260),
)
#: How the table is sorted at first, by what the page calls it.
_ORDERS: dict[str, Callable[[ScoredSegment], float]] = {
    "Worst first": lambda row: row.sari,
    "Best first": lambda row: -row.sari,
    "As it came": lambda row: row.line,
}
#: What the browser does: a bar that is chosen says which it is.
_CHOOSE_BAR = """
const choose = (event) => {
  const bar = event.target.closest("[data-bin]");
  if (bar && (event.type === "click" || event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    trigger("click", { bin: Number(bar.dataset.bin) });
  }
};
element.addEventListener("click", choose);
element.addEventListener("keydown", choose);
"""


class ShownCorpus(NamedTuple):
    """What shows a scored corpus, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    shown: Any
    table: Any
    every_variant: Any
    by_references: Any
    asked: Any


def file_tab(sentence: SentenceTab) -> None:
    """Make the view."""
    gr.HTML(rendering.note(f"{_LIMIT} {components.PLAIN_TEXT}"))
    with gr.Tabs():
        by_files, by_table = components.ways_by_files(several=False)
        with gr.Tab("Paste") as of_lines:
            with gr.Row():
                infos = {"Sources": "One per line.", "Outputs": "One per line.", "References": _OF_REFERENCES}
                pasted = [
                    gr.Textbox(label=label, info=info, lines=6, max_lines=12, min_width=220)
                    for label, info in infos.items()
                ]
            components.example_button(example_lines, pasted)
    chosen = components.make_controls()
    table = by_table.boxes[0]
    table.change(read_corpus_choices, table, [*chosen.values()], **LIVE)
    start = gr.Button("Score these segments", variant="primary")
    stale = gr.HTML(elem_id="stale-file")
    results, downloads, order, everything = _corpus_results()
    ways = (by_files, by_table, Way(inputs.corpus_of_lines, of_lines, pasted))
    choices = [*chosen.values()]
    shown: dict[str, Any] = {"seen": gr.State(0), "stale": stale, "downloads": downloads, "also": [order]}
    components.connect(start, ways, show_corpus, choices, results, **shown)
    for event in (order.change, everything.click):
        event(sort_rows, [results.asked, order], [results.shown, results.table], **LIVE)
    results.summary.click(choose_bar, [results.asked, order], [results.shown, results.table], **LIVE)
    row = results.table.select(open_row, [results.asked, order], sentence.opening, **LIVE)
    row.then(None, js=components.show_part("scores"))


def _corpus_results() -> tuple[ShownCorpus, gr.Row, gr.Radio, gr.Button]:
    """Make what shows a scored corpus, empty, and what it is downloaded and sorted by."""
    summary = gr.HTML(elem_id="corpus", min_height=60, js_on_load=_CHOOSE_BAR)
    asked = gr.State(None, time_to_live=components.HOUR)
    with gr.Column(visible=False) as more:
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature")
        with gr.Row() as downloads:
            for ending in DOWNLOADS:
                write = functools.partial(write_corpus, ending)
                components.download_button(ending[1:].upper(), f"sari{ending}", write, asked)
            components.download_button("this view", "corpus.jsonl", save_corpus, asked)
        gr.HTML(rendering.note("The view: texts and choices in a file, to open under Table again."))
        with gr.Row():
            order = gr.Radio(list(_ORDERS), value="Worst first", label="Sentences", min_width=300)
            everything = gr.Button("Show all sentences", scale=0, min_width=180)
        shown = gr.HTML(elem_id="shown")
        headers, kinds, widths = (list(column) for column in zip(*_TABLE, strict=True))
        table = gr.Dataframe(
            headers=headers,
            datatype=kinds,
            interactive=False,
            max_height=420,
            label="Sentences",
            column_widths=widths,
            max_chars=120,
            show_search="search",
            elem_id="sentences",
        )
        with gr.Row():
            variants_too = gr.Button("Score under every variant")
            fewer = gr.Button("Score by number of references")
        every_variant, by_references = gr.HTML(elem_id="every-variant"), gr.HTML(elem_id="by-references")
        variants_too.click(show_every_variant, asked, every_variant, **ON_DEMAND)
        fewer.click(show_by_references, asked, by_references, **ON_DEMAND)
    results = ShownCorpus(summary, more, signature, shown, table, every_variant, by_references, asked)
    return results, downloads, order, everything


def read_corpus_choices(table: str | None) -> list[Any]:
    """Return the choices of a table that is a saved view."""
    return components.read_choices(table, components.allowed_choices())


def show_corpus(reader: Callable[..., RatedCorpus], order: str, *values: Any) -> ShownCorpus:
    """Score what came in, and return what is shown of it, or why it is refused."""
    asked = components.request(reader, values)
    try:
        variant = asked.variant
        columns, ratings = asked.read()
        scored = answers.score_each_segment(columns, variant)
        baselines = answers.score_corpus_baselines(columns, variant)
        standing = find_standing(columns.sources, columns.references, variant)
    except RefusedError as refusal:
        return ShownCorpus(rendering.refusal(refusal), gr.Column(visible=False), "", "", None, "", "", None)
    agreed = components.agreement_if_rated(ratings, lambda own: answers.rate_corpus(columns, own, variant))
    if reader is inputs.corpus_of_lines:  # which are kept in files, so that memory stays small
        asked = asked._replace(reader=inputs.corpus_of_files, values=_as_files(columns))
    return ShownCorpus(
        summary=rendering.corpus_scores(scored, variant, baselines, standing) + agreed,
        more=gr.Column(visible=True),
        signature=scored.result["signature"],
        shown=rendering.note(_HOW_TO_OPEN),
        table=_sorted(scored.rows, order),
        every_variant="",
        by_references="",
        asked=asked,
    )


def _scored(asked: Request) -> ScoredCorpus:
    return answers.score_each_segment(asked.read().columns, asked.variant)


def _as_files(columns: Columns) -> tuple[str, str, tuple[str], None]:
    """Write pasted lines to files."""
    references = ["\t".join(row) for row in columns.references]
    lines = {"sources.txt": columns.sources, "outputs.txt": columns.predictions, "references.tsv": references}
    files = components.write_files({name: "".join(f"{line}\n" for line in own) for name, own in lines.items()})
    return files[0], files[1], (files[2],), None


def _sorted(rows: Iterable[ScoredSegment], order: str) -> dict[str, Any]:
    """Return the rows of the table, sorted; a line in the last cell is a reference."""
    cells = [
        [
            row.line,
            *(round(score, 2) for score in row[1:5]),
            row.source,
            row.output,
            "\n".join(reference.replace("\n", " ") for reference in row.references),
        ]
        for row in sorted(rows, key=_ORDERS[order])
    ]
    return components.table_of([name for name, *_ in _TABLE], cells)


def sort_rows(asked: Request | None, order: str) -> tuple[str, Any]:
    """Return all rows, sorted."""
    return (rendering.note(_HOW_TO_OPEN), _sorted(_scored(asked).rows, order)) if asked else ("", [])


def choose_bar(asked: Request | None, order: str, event: gr.EventData) -> tuple[Any, Any]:
    """Return the rows of a bar of the histogram."""
    number = components.sent(event, "bin")
    if asked is None or not isinstance(number, int) or number not in range(rendering.BINS):
        return gr.skip(), gr.skip()
    rows = [row for row in _scored(asked).rows if rendering.bin_of(row.sari) == number]
    shown = f"{len(rows):,} with SARI from {rendering.ends_of(number)}. Choose a row to open it in the Sentence view."
    return rendering.note(shown), _sorted(rows, order)


def show_every_variant(asked: Request | None) -> str:
    """Return the scores of the corpus under every variant, and how they agree with its ratings."""
    if asked is None:
        return ""
    try:
        columns, rated = asked.read()
        variants = inputs.resolve_every_variant(components.options_of(asked.chosen))
        scores = answers.score_corpus_variants(columns, variants)
    except RefusedError as refusal:
        return rendering.refusal(refusal)
    name = asked.variant.name
    agreed = components.agreement_if_rated(rated, lambda own: answers.rate_variants(columns, own, variants, name))
    return rendering.variant_scores(scores) + agreed


def show_by_references(asked: Request | None) -> str:
    """Return the scores of the corpus with 1, 2, … of its references."""
    if asked is None:
        return ""
    try:
        with memory_released():
            return rendering.by_references(answers.count_references(asked.read().columns, asked.variant))
    except RefusedError as refusal:
        return rendering.refusal(refusal)


def open_row(asked: Request | None, order: str, event: gr.SelectData) -> tuple:
    """Return what puts the chosen row into the sentence view, from where the rows around it can be opened."""
    rows = _rows(asked, order) if asked else []
    place = next((place for place, row in enumerate(rows) if row.line == event.row_value[0]), None)
    if asked is None or place is None:
        return components.UNOPENED
    return components.OpenedFrom(
        "file", functools.partial(_sorted_segments, asked, order), asked.chosen, place
    ).opened()


def _rows(asked: Request, order: str) -> list[ScoredSegment]:
    return sorted(_scored(asked).rows, key=_ORDERS[order])


def _sorted_segments(asked: Request, order: str) -> list[tuple[int, str, str, Sequence[str]]]:
    return [(row.line, row.source, row.output, row.references) for row in _rows(asked, order)]


def corpus_csv(corpus: ScoredCorpus) -> str:
    """Return a line of names and a line per segment, the references each in a column of their own.

    The last column has the signature, so that the scores never stand alone.
    """
    most = max(len(row.references) for row in corpus.rows)
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    names = [f"reference_{number}" for number in range(1, most + 1)]
    writer.writerow([*ScoredSegment._fields[:-1], *names, "signature"])
    for row in corpus.rows:
        gap = [""] * (most - len(row.references))
        writer.writerow([*row[:-1], *row.references, *gap, corpus.result["signature"]])
    return target.getvalue()


def corpus_json(corpus: ScoredCorpus) -> str:
    """Return the signature, the scores, the figures by order, the warnings, and the segments with scores and texts."""
    result = corpus.result
    fields = {
        "signature": result["signature"],
        "scores": {name: result[name] for name in SCORES},
        "orders": result["orders"],
        "warnings": corpus.warnings,
        "segments": [row._asdict() for row in corpus.rows],
    }
    return json.dumps(fields, ensure_ascii=False, indent=1)


#: How a corpus is written, by the ending of the file.
DOWNLOADS: dict[str, Callable[[ScoredCorpus], str]] = {".csv": corpus_csv, ".json": corpus_json}


def write_corpus(ending: str, asked: Request) -> str:
    """Return a scored corpus as a file."""
    return DOWNLOADS[ending](_scored(asked))


def save_corpus(asked: Request) -> str:
    """Return the corpus and the choices as a file that opens the view again."""
    columns, ratings = asked.read()
    systems = SystemColumns(columns.sources, {"output": columns.predictions}, columns.references)
    rated = RatedSystems(systems, None if ratings is None else {"output": ratings})
    return components.save_view(rated, components.named_choices(asked.chosen))
