"""The view of a corpus: three ways in, one result; a row of it opens in the sentence view."""

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import gradio as gr

from sari.variants import VARIANTS
from sari.web import corpora
from sari.web.answers import score_corpus, score_corpus_variants
from sari.web.beside import example_file
from sari.web.cleaning import release_memory
from sari.web.downloads import DOWNLOADS
from sari.web.limits import MAX_MEGABYTES, MAX_SEGMENTS, RefusedError
from sari.web.markup import corpus, elements, people, variants
from sari.web.people import count_references, rate_corpus, rate_variants
from sari.web.results import Row, ScoredCorpus
from sari.web.views.controls import (
    LIVE,
    ON_DEMAND,
    PLAIN_TEXT,
    SHOW_SCORE,
    TABLES,
    SentenceView,
    choices,
    data_of,
    downloads,
    file_box,
    left_out,
    opened,
    opening,
    options_of,
    rated,
    write_files,
)

_LIMIT = f"At most {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
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
#: How corpora come in, by the name of the way.
_WAYS: dict[str, Callable[..., corpora.RatedCorpus]] = {
    "files": corpora.corpus_of_files,
    "table": corpora.corpus_of_table,
    "lines": corpora.corpus_of_lines,
}
#: How the table is sorted at first, by what the page calls it.
_ORDERS: dict[str, Callable[[Row], float]] = {
    "Worst first": lambda row: row.sari,
    "Best first": lambda row: -row.sari,
    "As it came": lambda row: row.line,
}
#: Seconds that the page remembers what was scored.
_HOUR = 3600
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


class Scored(NamedTuple):
    """What was scored, to score it again: the way it came in, what came, and the choices."""

    way: str
    inputs: tuple[Any, ...]
    chosen: tuple[str, str, str]

    def corpus(self) -> corpora.RatedCorpus:
        """Return its segments and ratings; files that were cleaned away meanwhile are refused."""
        try:
            return _WAYS[self.way](*self.inputs)
        except FileNotFoundError:
            raise RefusedError("The files are gone by now: please choose them again.") from None


class Results(NamedTuple):
    """What shows a scored corpus, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    shown: Any
    table: Any
    every_variant: Any
    by_references: Any
    scored: Any


def corpus_view(sentence: SentenceView) -> None:
    """Make the view."""
    gr.HTML(elements.note(f"{_LIMIT} {PLAIN_TEXT}"))
    with gr.Tabs():
        with gr.Tab("Text files"):
            with gr.Row():
                files = [
                    file_box("Sources"),
                    file_box("Outputs"),
                    file_box("References (one file or more)", "multiple"),
                    file_box("Ratings by people (optional)"),
                ]
            started = [_ways(files, example_files, "Score these files", score_text_files)]
        with gr.Tab("Table"):
            gr.HTML(elements.note(TABLES))
            table = [file_box("JSON Lines, CSV or TSV")]
            started.append(_ways(table, example_table, "Score this file", score_table))
        with gr.Tab("Paste"):
            with gr.Row():
                pasted = _boxes()
            started.append(_ways(pasted, example_corpus, "Score these lines", score_pasted_lines))
    chosen = choices()
    results, order, everything = _results()
    for start, inputs, score in started:
        outputs = [*results]
        start.click(score, [order, *chosen, *inputs], outputs, show_progress_on=results.summary, **ON_DEMAND)
    for event in (order.change, everything.click):
        event(sort_rows, [results.scored, order], [results.shown, results.table], **LIVE)
    results.summary.click(choose_bar, [results.scored, order], [results.shown, results.table], **LIVE)
    row = results.table.select(open_row, results.scored, opening(sentence), **LIVE)
    row.then(None, js=SHOW_SCORE)


def _ways(inputs: list[Any], example: Callable, label: str, score: Callable) -> tuple[gr.Button, list[Any], Callable]:
    """Make the buttons of one way in."""
    with gr.Row():
        fill = gr.Button("Fill in an example")
        start = gr.Button(label, variant="primary")
    fill.click(example, None, inputs, **ON_DEMAND)
    return start, inputs, score


def _boxes() -> list[gr.Textbox]:
    """Make the boxes for pasted lines."""
    of_references = "A line for each segment, with tabs between its references."
    labels = {"Sources": "One per line.", "Outputs": "One per line.", "References": of_references}
    return [gr.Textbox(label=label, info=info, lines=6, max_lines=12, min_width=220) for label, info in labels.items()]


def _results() -> tuple[Results, gr.Radio, gr.Button]:
    """Make what shows a scored corpus, empty."""
    summary = gr.HTML(elem_id="corpus", min_height=60, js_on_load=_CHOOSE_BAR)
    scored = gr.State(None, time_to_live=_HOUR)
    with gr.Column(visible=False) as more:
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
        variants_too.click(score_every_variant, scored, every_variant, **ON_DEMAND)
        fewer.click(score_by_references, scored, by_references, **ON_DEMAND)
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature")
        with gr.Row():
            downloads({ending[1:].upper(): ending for ending in DOWNLOADS}, download, [scored], "sari")
    return Results(summary, more, signature, shown, table, every_variant, by_references, scored), order, everything


def score_text_files(order, variant, tokenize, case, sources, outputs, references, ratings, progress=gr.Progress()):  # noqa: B008
    """Score uploaded files of lines."""
    scored = Scored("files", (sources, outputs, tuple(references or ()), ratings), (variant, tokenize, case))
    return _show(scored, order, progress)


def score_table(order, variant, tokenize, case, table, progress=gr.Progress()):  # noqa: B008
    """Score an uploaded table."""
    return _show(Scored("table", (table,), (variant, tokenize, case)), order, progress)


def score_pasted_lines(order, variant, tokenize, case, sources, outputs, references, progress=gr.Progress()):  # noqa: B008
    """Score pasted lines."""
    return _show(Scored("lines", (sources, outputs, references), (variant, tokenize, case)), order, progress)


def _score(scored: Scored) -> ScoredCorpus:
    return score_corpus(scored.corpus().batches, lambda _done, _total: None, **options_of(*scored.chosen))


def _show(scored: Scored, order: str, progress: gr.Progress) -> Results:
    """Return what is shown of a corpus, or of why it was refused."""
    options = options_of(*scored.chosen)
    try:
        given = scored.corpus()
        found = score_corpus(given.batches, lambda done, total: progress((done, total), unit="segments"), **options)
    except RefusedError as refusal:
        return Results(elements.refusal(str(refusal)), gr.Column(visible=False), "", "", None, "", "", None)
    agreement = rated(given.ratings, lambda ratings: rate_corpus(given.batches, ratings, **options))
    return Results(
        summary=corpus.corpus(found, scored.chosen[0], agreement),
        more=gr.Column(visible=True),
        signature=found.result["signature"],
        shown=_HOW_TO_OPEN,
        table=_sorted(found.rows, order),
        every_variant="",
        by_references="",
        scored=scored,
    )


_HOW_TO_OPEN = elements.note("Choose a row to open it in the Sentence view, a bar above to see its sentences alone.")


def _sorted(rows: Iterable[Row], order: str) -> list[list]:
    return [_cells(row) for row in sorted(rows, key=_ORDERS[order])]


def sort_rows(scored: Scored | None, order: str) -> tuple[str, list[list]]:
    """Return all rows, sorted."""
    return (_HOW_TO_OPEN, _sorted(_score(scored).rows, order)) if scored else ("", [])


def choose_bar(scored: Scored | None, order: str, event: gr.EventData) -> tuple[Any, Any]:
    """Return the rows of a bar of the histogram."""
    number = data_of(event).get("bin")
    if scored is None or not isinstance(number, int) or number not in range(corpus.BINS):
        return gr.skip(), gr.skip()
    rows = [row for row in _score(scored).rows if corpus.bin_of(row.sari) == number]
    return corpus.of_bin(number, len(rows)), _sorted(rows, order)


def score_every_variant(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return the scores of the corpus under every variant, and how they agree with its ratings."""
    if scored is None:
        return ""
    try:
        given = scored.corpus()
        results = score_corpus_variants(given.batches, lambda done, total: progress((done, total), unit="segments"))
    except RefusedError as refusal:
        return elements.refusal(str(refusal))
    agreement = rated(given.ratings, lambda ratings: rate_variants(given.batches, ratings, scored.chosen[0]))
    summaries = {name: row.summary for name, row in VARIANTS.items()}
    return variants.comparison(results, summaries) + left_out() + agreement


def score_by_references(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return the scores of the corpus with 1, 2, … of its references."""
    if scored is None:
        return ""
    progress(0, desc="Scoring with fewer references")
    try:
        return people.by_references(count_references(scored.corpus().batches, **options_of(*scored.chosen)))
    except RefusedError as refusal:
        return elements.refusal(str(refusal))
    finally:
        release_memory()


def download(ending: str, scored: Scored | None) -> str:
    """Return a scored corpus as a file."""
    if scored is None:
        raise RefusedError("There is nothing to download by now: please score again.")
    return DOWNLOADS[ending](_score(scored))


def _cells(row: Row) -> list:
    """Return a row of the table; a line in the last cell is a reference."""
    scores = [round(score, 2) for score in row[1:5]]
    references = "\n".join(reference.replace("\n", " ") for reference in row.references)
    return [row.line, *scores, row.source, row.output, references]


def open_row(scored: Scored, event: gr.SelectData) -> tuple:
    """Return what puts the chosen row into the sentence view."""
    return opened(event.row_value[5:8], scored.chosen, "file")


def example_corpus() -> tuple[str, str, str]:
    """Return the example corpus as pasted lines."""
    sources, outputs, *references = map(example_file, _EXAMPLE)
    columns = (text.splitlines() for text in references)
    return sources, outputs, "\n".join(map("\t".join, zip(*columns, strict=True)))


_EXAMPLE = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")


def example_files() -> tuple[str, str, list[str], None]:
    """Return the example corpus as files; nobody rated it."""
    sources, outputs, *references = write_files({name: example_file(name) for name in _EXAMPLE})
    return sources, outputs, references, None


def example_table() -> str:
    """Return the example corpus as a file of JSON objects."""
    rows = zip(*(example_file(name).splitlines() for name in _EXAMPLE), strict=True)
    objects = ({"source": row[0], "prediction": row[1], "references": row[2:]} for row in rows)
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    return write_files({"example.jsonl": lines})[0]
