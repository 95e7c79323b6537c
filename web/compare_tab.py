"""The view of several systems: their files in; tables, plots, tests and what differs out."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gradio as gr

from sari.reports.formats import Layout, format_of_ending
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.significance import TESTS
from sari.validation import SystemColumns
from sari.web import inputs, rendering
from sari.web.answers import (
    ComparedSystems,
    compare_ngrams,
    compare_systems,
    find_extremes,
    rate_systems,
    report_systems,
    score_corpus_baselines,
)
from sari.web.components import (
    ALLOWED,
    HOUR,
    LIVE,
    ON_DEMAND,
    PLAIN_TEXT,
    TABLES,
    OpenedFrom,
    SentenceTab,
    agreement,
    choices,
    downloads,
    file_box,
    is_stale,
    lines_of,
    options_of,
    read_again,
    read_choices,
    save_view,
    sent,
    show_part,
    start_buttons,
    write_files,
)
from sari.web.inputs import MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS, RatedSystems, RefusedError
from sari.web.samples import example_files
from sari.web.server import memory_released

_METHODS = {test.title: name for name, test in TESTS.items()}
_LIMIT = f"At most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
#: What the browser does: an output that is chosen says which it is.
_CHOOSE_OUTPUT = """
element.addEventListener("click", (event) => {
  const output = event.target.closest("[data-system]");
  if (output) trigger("click", { place: Number(output.dataset.place), system: output.dataset.system });
});
"""
#: How systems come in, by the name of the way.
_WAYS: dict[str, Callable[..., RatedSystems]] = {"files": inputs.systems_of_files, "table": inputs.systems_of_table}


class AskedComparison(NamedTuple):
    """What was asked for, to do it again: the way that systems came in, what came, and the choices."""

    way: str
    inputs: tuple[Any, ...]
    chosen: tuple[str, str, str]
    baseline: str | None
    method: str

    def systems(self) -> RatedSystems:
        """Return the systems and their ratings."""
        return read_again(_WAYS[self.way], self.inputs)

    @property
    def options(self) -> dict[str, Any]:
        """Options of the metric."""
        return options_of(*self.chosen)

    @property
    def tests(self) -> dict[str, Any]:
        """Options of comparing."""
        return {"baseline": self.baseline, "method": self.method}


class Kept(NamedTuple):
    """What is kept of compared systems for what is asked later: the report, and what was asked for."""

    report: ScoreReport
    asked: AskedComparison

    @property
    def chosen(self) -> tuple[str, str, str]:
        """The choices that were asked for."""
        return self.asked.chosen

    def open(self, system: str, place: int) -> tuple[Any, ...]:
        """Return what puts an output into the sentence view, from where those around it can be opened."""
        if system not in self.report.systems or place not in range(self.report.results[0].segments):
            return (gr.skip(),) * 9
        return OpenedFrom("compare", functools.partial(_texts, self.asked, system), self.chosen, place).opened()


class ShownSystems(NamedTuple):
    """What shows compared systems, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    differences: Any
    table: Any
    ngrams: Any
    kept: Any


def compare_tab(sentence: SentenceTab) -> None:
    """Make the view."""
    gr.HTML(rendering.note(f"{_LIMIT} {PLAIN_TEXT}"))
    with gr.Tabs():
        with gr.Tab("Text files") as of_files:
            with gr.Row():
                files = [
                    file_box("Sources"),
                    file_box("Outputs (one file per system)", "multiple"),
                    file_box("References (one file or more)", "multiple"),
                    file_box("Ratings (optional, one per system)", "multiple"),
                ]
            start = start_buttons("Compare these systems", fill_files, files)
        with gr.Tab("Table") as of_table:
            gr.HTML(rendering.note(TABLES))
            table = file_box("JSON Lines, CSV or TSV with a column system")
            start_table = start_buttons("Compare the systems of this table", fill_table, [table])
    chosen = choices()
    with gr.Row():
        names = gr.Textbox(label="Names of the systems", info="One per line, as they come.", lines=2, min_width=220)
        baseline = gr.Dropdown([], label="Baseline", info="The others are compared with it.", min_width=220)
        method = gr.Radio(
            list(_METHODS), value=next(iter(_METHODS)), label="Test", info="Is a difference chance?", min_width=220
        )
    stale = gr.HTML(elem_id="stale-compare")
    results = _results()
    compare_choices: dict[str, Any] = {"fn": is_stale, "inputs": [results.kept, *chosen], "outputs": stale, **LIVE}
    gr.on([box.change for box in chosen], **compare_choices)
    gr.on([files[1].change, of_files.select], _names_of_files, files[1], names, **LIVE)
    gr.on([table.change, of_table.select], _names_in_table, table, names, **LIVE)
    table.change(restore, table, [*chosen, method, baseline], **LIVE)
    names.change(offer_baselines, [names, baseline], baseline, **LIVE)
    asked = [*chosen, baseline, method]
    for way, button, boxes in (("files", start, files), ("table", start_table, [table])):
        comparing = functools.partial(compare, way)
        given = [*asked, *boxes, names]
        compared = button.click(comparing, given, [*results], show_progress_on=results.summary, **ON_DEMAND)
        compared.then(None, js=show_part("systems")).then(**compare_choices)
    output = results.differences.click(open_output, results.kept, sentence.opening, **LIVE)
    score = results.table.select(open_score, results.kept, sentence.opening, **LIVE)
    for opened in (output, score):
        opened.then(None, js=show_part("scores"))


def _names_of_files(outputs: Sequence[str] | None) -> str:
    return "\n".join(inputs.system_names(outputs or ()))


def _names_in_table(table: str | None) -> str:
    return "\n".join(inputs.names_in_table(table))


def _results() -> ShownSystems:
    """Make what shows compared systems, empty."""
    summary = gr.HTML(elem_id="systems", min_height=60)
    kept = gr.State(None, time_to_live=HOUR)
    with gr.Column(visible=False) as more:
        differences = gr.HTML(elem_id="differences", js_on_load=_CHOOSE_OUTPUT)
        table = gr.Dataframe(
            interactive=False,
            max_height=420,
            label="SARI of every segment: choose a score to open the output",
            max_chars=120,
            show_search="search",
            elem_id="segments",
        )
        find_ngrams = gr.Button("Find n-grams gained and lost")
        ngrams = gr.HTML(elem_id="ngrams")
        find_ngrams.click(show_ngrams, kept, ngrams, **ON_DEMAND)
        signature = gr.Textbox(
            label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature-of-systems"
        )
        with gr.Row():
            downloads({"CSV": ".csv", "JSON": ".json", "LaTeX": ".tex"}, download, [kept], "systems")
            downloads({"report": ".html"}, download_report, [kept], "report")
            downloads({"this comparison": ".jsonl"}, download_view, [kept], "comparison")
        gr.HTML(
            rendering.note(
                "The report: tests, companion measures, scores by length, examples, in one page. The comparison: "
                "texts and choices in a file, to open under Table again."
            )
        )
    return ShownSystems(summary, more, signature, differences, table, ngrams, kept)


def fill_files() -> tuple[str, list[str], list[str], None]:
    """Return the example corpus with the outputs of two systems, as files; nobody rated it."""
    files = write_files(example_files())
    return files[0], files[1:3], files[3:], None


def fill_table() -> str:
    """Return the same as a table."""
    return write_files({"systems.jsonl": save_view(inputs.systems_of_files(*fill_files()), {})})[0]


def offer_baselines(names: str, baseline: str | None) -> gr.Dropdown:
    """Offer these systems as baselines, the first where the one chosen is not among them."""
    offered = list(dict.fromkeys(lines_of(names)))
    return gr.Dropdown(choices=offered, value=baseline if baseline in offered else next(iter(offered), None))


def compare(
    way: str, variant: str, tokenize: str, case: str, baseline: str | None, method: str, *given_inputs: Any
) -> ShownSystems:
    """Compare the systems that came in, and return what is shown of them, or why they are refused."""
    asked = AskedComparison(way, given_inputs, (variant, tokenize, case), baseline, _METHODS[method])
    try:
        with memory_released():
            columns, ratings = asked.systems()
            compared = compare_systems(columns, **asked.options, **asked.tests, details=True)
            baselines = score_corpus_baselines(columns, **asked.options)
            agreed = agreement(ratings, lambda own: rate_systems(columns, own, **asked.options))
    except RefusedError as refusal:
        return ShownSystems(rendering.refusal(refusal), gr.Column(visible=False), "", "", None, "", None)
    report = compared.report
    return ShownSystems(
        rendering.systems(report, compared.copies, baselines) + rendering.by_length(compared.by_length) + agreed,
        gr.Column(visible=True),
        compared.result["signature"],
        rendering.differences(find_extremes(compared, columns), str(compared.result["baseline"]), compared.scores),
        _table(compared, columns),
        "",
        Kept(report, asked),
    )


def _table(compared: ComparedSystems, columns: SystemColumns) -> dict[str, Any]:
    """Return the table of SARI of every segment."""
    rows = zip(columns.sources, *compared.scores.values(), strict=True)
    data = [[line, *(round(score, 2) for score in own), source] for line, (source, *own) in enumerate(rows, 1)]
    return {"headers": ["Line", *compared.scores, "Source"], "data": data}


def show_ngrams(kept: Kept | None) -> str:
    """Return the n-grams by which systems gain and lose most against the baseline."""
    if kept is None or kept.report.resampling is None:
        return ""
    try:
        columns = kept.asked.systems().columns
        segments, found = compare_ngrams(columns, baseline=kept.asked.baseline, **kept.asked.options)
    except RefusedError as refusal:
        return rendering.refusal(refusal)
    return rendering.ngrams(segments, found, str(kept.report.resampling.baseline))


def _texts(asked: AskedComparison, system: str) -> list[tuple[str, str, Sequence[str]]]:
    return list(zip(*asked.systems().columns.of(system), strict=True))


def open_output(kept: Kept | None, event: gr.EventData) -> tuple:
    """Return what puts the chosen output into the sentence view."""
    place, system = sent(event, "place"), sent(event, "system")
    if kept is None or not isinstance(place, int) or not isinstance(system, str):
        return (gr.skip(),) * 9
    return kept.open(system, place)


def open_score(kept: Kept | None, event: gr.SelectData) -> tuple:
    """Return what puts the output whose score was chosen into the sentence view; of the first system for a source."""
    if kept is None:
        return (gr.skip(),) * 9
    names, column = kept.report.systems, event.index[1] - 1
    return kept.open(names[column if column in range(len(names)) else 0], event.row_value[0] - 1)


def download(ending: str, kept: Kept | None) -> str:
    """Return compared systems as a file, as the command line writes them."""
    return format_of_ending(ending).write(tabulate_scores(_still_there(kept).report), Layout()) + "\n"


def download_report(_ending: str, kept: Kept | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return the report of the systems as a page."""
    asked = _still_there(kept).asked

    def advance(done: int, total: int, step: str) -> None:
        progress((done, total), desc=step)

    with memory_released():
        return report_systems(asked.systems().columns, advance, **asked.options, **asked.tests)


def download_view(_ending: str, kept: Kept | None) -> str:
    """Return the systems and the choices as a file that opens the view again."""
    asked = _still_there(kept).asked
    test = next(title for title, name in _METHODS.items() if name == asked.method)
    chosen = dict(zip(ALLOWED, asked.chosen, strict=True))
    return save_view(asked.systems(), {**chosen, "test": test, "baseline": asked.baseline})


def restore(table: str | None) -> list[Any]:
    """Return the choices of a saved view."""
    names = inputs.names_in_table(table)
    *chosen, baseline = read_choices(table, {**ALLOWED, "test": list(_METHODS), "baseline": names})
    return [*chosen, gr.Dropdown(choices=names, value=baseline) if isinstance(baseline, str) else gr.skip()]


def _still_there(kept: Kept | None) -> Kept:
    if kept is None:
        raise RefusedError("There is nothing to download by now: please compare again.")
    return kept
