"""The view of files: one to twenty systems in; tables, pictures, segments and downloads out."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import gradio as gr
import numpy as np
from gradio.utils import get_upload_folder

from sari.comparison import score_systems
from sari.reports.formats import SENTENCE_FORMATS, Layout, format_of_ending
from sari.reports.ngram_differences import ngram_differences
from sari.reports.report_page import figure
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.significance import TESTS
from sari.validation import SystemColumns
from sari.variants import Variant
from sari.web import answers, components, inputs, rendering
from sari.web.answers import Advance, ComparedSystems
from sari.web.components import HOUR, LIVE, ON_DEMAND, ControlValues, SentenceTab
from sari.web.inputs import (
    MAX_MEGABYTES,
    MAX_SEGMENTS,
    MAX_SYSTEMS,
    TABLE,
    TEST_SETS,
    TEXT_FILES,
    FilePaths,
    RefusedError,
)
from sari.web.samples import example_files
from sari.web.server import answering, memory_released, raise_line

# What to choose, by the kind of input.
_HINTS = {
    TEXT_FILES: "Plain UTF-8 text, gzipped or not. Line i of every file belongs to segment i.",
    TABLE: "CSV, TSV or JSON Lines, gzipped or not, with a row for each output. The columns are source, prediction and "
    "references (in CSV and TSV also reference_1, reference_2 and so on), and system where there are several.",
}
_OF_TEST_SET = "Choose the outputs alone: one file for each system, with a line for each sentence of the test set."
_LIMITS = f"At most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
_METHODS = {test.title: name for name, test in TESTS.items()}
# The files to download, by their names, and what the buttons call them.
_DOWNLOADS = {"sari.csv": "CSV", "sari.json": "JSON", "sari.tex": "LaTeX", "segments.tsv": "scores of all segments"}
# Outputs of all systems that are scored under every variant at once.
_RANKED_AT_ONCE = 5_000
_EXPIRED = "The results have expired: please score the files again."
_RANKING = "Does the ranking hold under other variants?"


class Scored(NamedTuple):
    """What was scored, kept to compute more of it: the files, but not their texts.

    Attributes:
        files: of the visitor.
        chosen: the values of the controls.
        comparing: the arguments `baseline` and `method` of `answers.compare_systems`.
        report: the scores.
    """

    files: FilePaths
    chosen: ControlValues
    comparing: dict[str, str]
    report: ScoreReport

    @property
    def baseline(self) -> str:
        """The system that the others are compared with."""
        return self.comparing["baseline"]

    @property
    def variant(self) -> Variant:
        """How the files were scored."""
        return inputs.resolve_options(components.options_of(self.chosen))

    @property
    def is_small(self) -> bool:
        """Whether the systems are scored under every variant at once."""
        results = self.report.results
        return len(results) * results[0].segments <= _RANKED_AT_ONCE

    def score_segments(self) -> tuple[list[str], dict[str, list[float]]]:
        """Read the files again, and return the sources, and SARI of every segment by system."""
        columns = self.files.read()
        statistics = score_systems(columns, self.variant, sentences=True)
        return columns.sources, {name: own.sentences()["sari"] for name, own in statistics.items()}


class Opened(NamedTuple):
    """A segment in the Sentence view: the lines of all segments in their order, and its place among them."""

    scored: Scored
    system: str
    lines: list[int]
    place: int

    def shown(self) -> tuple[Any, ...]:
        """Return the values of `SentenceTab.opening`, and what keeps the segment."""
        line = self.lines[self.place]
        segment = self.scored.files.read().of(self.system)
        source, output, references = (column[line - 1] for column in segment)
        texts = source, output, components.as_lines(references)
        place = rendering.render("sentence", "place", system=self.system, line=line)
        return gr.Tabs(selected="sentence"), *texts, *self.scored.chosen, gr.Row(visible=True), place, self


class Results(NamedTuple):
    """The components of a result, or their values. All but the first are in a column that is hidden without one."""

    message: Any
    more: Any
    ranking: Any
    rank: Any
    baseline: Any
    systems: Any
    order: Any
    segments: Any
    ngrams: Any
    csv_file: Any
    json_file: Any
    latex_file: Any
    segments_file: Any
    scored: Any


def no_results(message: str = "") -> Results:
    """Return what shows no result, but a message."""
    kept, refusal = gr.skip(), rendering.refusal(message) if message else ""
    return Results(refusal, gr.Column(visible=False), "", kept, kept, "", kept, None, "", None, None, None, None, None)


def files_tab(page: gr.Blocks, sentence: SentenceTab) -> None:
    """Make the view."""
    kind = gr.Radio([TEXT_FILES, TABLE, *TEST_SETS], value=TEXT_FILES, label="Sources and references")
    hint = gr.HTML(rendering.note(_hint(TEXT_FILES)))
    with gr.Row():
        sources = _file_box("Sources")
        outputs = _file_box("Outputs (one file for each system)", "multiple")
        references = _file_box("References (one file or more)", "multiple")
        table = _file_box("Table", visible=False)
    files: list[Any] = [kind, sources, outputs, references, table]
    kind.change(show_boxes, kind, [hint, *files[1:]], **LIVE)
    gr.Button("Fill in an example", size="sm").click(fill_example, None, files[:4], **ON_DEMAND)
    method = gr.Radio(
        list(_METHODS), value=next(iter(_METHODS)), label="Test", info="Is a difference chance?", render=False
    )
    controls = [*components.make_controls(method).values()]
    # Gradio makes 0 of an empty number when it becomes visible, unless the browser has set it.
    numbers = [control for control in controls if isinstance(control, gr.Number)]
    page.load(None, None, numbers, js=f"() => {json.dumps([None] * len(numbers))}")
    start = gr.Button("Score", variant="primary")
    results = _make_results()
    asked = [*files, method, *controls]
    given = [results.baseline, *asked]
    events = [start.click, results.baseline.input]
    scoring = gr.on(events, answer_files, given, [*results], show_progress_on=results.message, **ON_DEMAND)
    scoring.then(None, js="() => window.sari.showPart('files-results', 'files-message')")
    ranking = scoring.then(rank_few, results.scored, results.ranking, **ON_DEMAND)
    # `change` would also come when a number becomes visible.
    changes = [box.change for box in files[1:]] + [control.input for control in (kind, method, *controls)]
    gr.on(changes, no_results, None, [*results], cancels=[scoring, ranking], **LIVE)
    opened = gr.State(None, time_to_live=HOUR)
    opening = [*sentence.opening, opened]
    select = results.segments.select(open_segment, [results.scored, results.order], opening, **LIVE)
    select.then(None, js="() => window.sari.showPart('scores')")
    back, *others = sentence.buttons
    returned = back.click(go_back, None, [sentence.tabs, sentence.back], **LIVE)
    returned.then(None, js="() => window.sari.showPart('segments')")
    for button, step in zip(others, (-1, 1), strict=True):
        button.click(partial(open_next, step), opened, opening, **LIVE)


def _file_box(label: str, count: Literal["single", "multiple"] = "single", *, visible: bool = True) -> gr.File:
    return gr.File(label=label, file_count=count, height=170, min_width=220, visible=visible)


def _make_results() -> Results:
    """Make what shows a result, without one."""
    message = gr.HTML(elem_id="files-message", min_height=60)
    scored = gr.State(None, time_to_live=HOUR)
    with gr.Column(visible=False, elem_id="files-results") as more:
        ranking = gr.HTML(elem_id="ranking")
        rank = gr.Button(_RANKING, visible=False)
        rank.click(show_ranking, scored, ranking, **ON_DEMAND)
        baseline = gr.Dropdown([], label="Baseline", info="The other systems are compared with it.")
        systems = gr.HTML(elem_id="systems", apply_default_css=False)
        with gr.Row():
            csv_file, json_file, latex_file, segments_file = (
                gr.DownloadButton(f"Download {name}") for name in _DOWNLOADS.values()
            )
            report = gr.Button("Download report (HTML)")
            file = gr.DownloadButton(elem_id="report-file", elem_classes="sari-link")
        work = gr.HTML(elem_id="report-work")
        made = report.click(make_report, scored, file, show_progress_on=work, **ON_DEMAND)
        made.success(None, js="() => requestAnimationFrame(() => document.getElementById('report-file').click())")
        gr.HTML(rendering.render("page", "subheading", text="Segments"))
        order = gr.Dropdown([], label="Order", info="Choose a score to open the output in the Sentence view.")
        segments = gr.Dataframe(
            interactive=False,
            max_height=420,
            label="SARI of every segment",
            max_chars=120,
            show_search="search",
            elem_id="segments",
        )
        order.input(sort_segments, [scored, order], segments, **ON_DEMAND)
        gr.HTML(rendering.render("page", "subheading", text="N-grams gained and lost"))
        find = gr.Button("Find n-grams gained and lost")
        ngrams = gr.HTML(elem_id="ngrams")
        find.click(show_ngrams, scored, ngrams, **ON_DEMAND)
    shown = (message, more, ranking, rank, baseline, systems, order, segments, ngrams)
    return Results(*shown, csv_file, json_file, latex_file, segments_file, scored)


def go_back() -> tuple[gr.Tabs, gr.Row]:
    """Return what shows this view again."""
    return gr.Tabs(selected="files"), gr.Row(visible=False)


def _hint(kind: str) -> str:
    return f"{_HINTS.get(kind, _OF_TEST_SET)} {_LIMITS}"


def show_boxes(kind: str) -> tuple[Any, ...]:
    """Show what to choose, and the boxes for it."""
    boxes = [kind == TEXT_FILES, kind != TABLE, kind == TEXT_FILES, kind == TABLE]
    return rendering.note(_hint(kind)), *(gr.File(visible=visible) for visible in boxes)


def fill_example() -> tuple[str, str, list[str], list[str]]:
    """Return the example corpus as text files, with the outputs of two systems."""
    sources, *outputs, first, second = write_files(example_files())
    return TEXT_FILES, sources, outputs, [first, second]


def write_files(texts: Mapping[str, str]) -> list[str]:
    """Write texts to files of these names, where Gradio serves files and cleans them away, and return the paths."""
    cache = Path(get_upload_folder())
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=cache))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [str(folder / name) for name in texts]


def _advance(progress: gr.Progress, steps: int) -> Advance:
    """Return a function that shows the name of each step that begins, of a number of steps."""
    numbers = iter(range(steps))
    return lambda step: progress((next(numbers, steps), steps), desc=step)


def _present(scored: Scored | None) -> Scored:
    if scored is None:
        raise RefusedError(_EXPIRED)
    return scored


@answering(no_results)
def answer_files(
    baseline: str | None,
    kind: str,
    sources: str | None,
    outputs: list[str] | None,
    references: list[str] | None,
    table: str | None,
    test: str,
    *chosen: str | float | None,
    progress=gr.Progress(),  # noqa: B008
) -> Results:
    """Score the files, and return what is shown of them; a baseline of earlier files gives way to the first system."""
    advance = _advance(progress, 6)
    variant = inputs.resolve_options(components.options_of(chosen))
    with memory_released():
        advance("reading")
        files = FilePaths(kind, sources, outputs, references, table)
        columns = files.read()
        names = list(columns.predictions)
        advance("scoring")
        comparing = {"baseline": baseline if baseline in names else names[0], "method": _METHODS[test]}
        compared = answers.compare_systems(columns, variant, **comparing)
        report = answers.report_scores(columns, variant, compared, advance)
        advance("tables and pictures")
        return _results(Scored(files, chosen, comparing, report), columns, compared)


def _results(scored: Scored, columns: SystemColumns, compared: ComparedSystems) -> Results:
    """Return what is shown of scored files."""
    names, tables = list(columns.predictions), tabulate_scores(scored.report)
    sentences = {name: own.sentences() for name, own in compared.statistics.items()}
    sari = {name: own["sari"] for name, own in sentences.items()}
    orders = list(_segment_orders(sari, scored.baseline))
    written = {name: format_of_ending(Path(name).suffix) for name in _DOWNLOADS if name != "segments.tsv"}
    texts = {name: form.write(tables, Layout()) + "\n" for name, form in written.items()}
    texts["segments.tsv"] = "".join(f"{line}\n" for line in SENTENCE_FORMATS[".tsv"](sentences))
    csv_file, json_file, latex_file, segments_file = write_files(texts)
    several = len(names) > 1
    return Results(
        "",
        gr.Column(visible=True),
        rendering.note("Scoring under every variant …") if several and scored.is_small else "",
        gr.Button(visible=several and not scored.is_small),
        gr.Dropdown(names, value=scored.baseline, visible=several),
        rendering.systems(scored.report, tables.tables, sari),
        gr.Dropdown(orders, value=orders[0]),
        _segment_table(columns.sources, sari, orders[0], scored.baseline),
        "",
        csv_file,
        json_file,
        latex_file,
        segments_file,
        scored,
    )


def _segment_orders(sari: Mapping[str, Sequence[float]], baseline: str) -> dict[str, list[int]]:
    """Return the places of segments in several orders, by name."""
    scores = {name: np.array(own) for name, own in sari.items()}
    others = [name for name in scores if name != baseline]
    lowest_first = {"Largest difference between systems": -np.ptp([*scores.values()], axis=0)} if others else {}
    lowest_first |= {f"Lowest SARI of {name}": own for name, own in scores.items()}
    lowest_first |= {f"{name} loses most against {baseline}": scores[name] - scores[baseline] for name in others}
    lowest_first["As in the files"] = np.arange(len(scores[baseline]))
    return {name: np.argsort(values, kind="stable").tolist() for name, values in lowest_first.items()}


def _segment_table(
    sources: Sequence[str], sari: Mapping[str, Sequence[float]], order: str, baseline: str
) -> dict[str, Any]:
    """Return a row for each segment, in an order; scores show two decimals, and sort as numbers."""
    places = _segment_orders(sari, baseline)[order]
    data: list[list[Any]] = [[place + 1, *(own[place] for own in sari.values()), sources[place]] for place in places]
    shown = [[str(line), *(figure(score) for score in scores), source] for line, *scores, source in data]
    styling = [["text-align: right"] * (1 + len(sari)) + [""]] * len(data)
    metadata = {"display_value": shown, "styling": styling}
    return {"headers": ["Line", *sari, "Source"], "data": data, "metadata": metadata}


@answering(raise_line)
def sort_segments(scored: Scored | None, order: str) -> dict[str, Any]:
    """Return the table of segments in another order."""
    scored = _present(scored)
    sources, sari = scored.score_segments()
    return _segment_table(sources, sari, order, scored.baseline)


@answering(raise_line)
def open_segment(scored: Scored | None, order: str, event: gr.SelectData) -> tuple[Any, ...]:
    """Return what opens the output of the chosen score, and of the first system for another cell."""
    scored = _present(scored)
    _, sari = scored.score_segments()
    names, column = list(sari), event.index[1] - 1
    lines = [place + 1 for place in _segment_orders(sari, scored.baseline)[order]]
    place = lines.index(event.row_value[0])
    return Opened(scored, names[column if column in range(len(names)) else 0], lines, place).shown()


@answering(raise_line)
def open_next(step: int, opened: Opened | None) -> tuple[Any, ...]:
    """Return what opens the segment some steps further on; after the last one comes the first."""
    if opened is None:
        raise RefusedError(_EXPIRED)
    return opened._replace(place=(opened.place + step) % len(opened.lines)).shown()


@answering(rendering.refusal)
def rank_few(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return whether the ranking holds, for few outputs, which takes seconds."""
    return _ranking(scored, progress) if scored is not None and scored.is_small else ""


@answering(rendering.refusal)
def show_ranking(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return whether the ranking holds under every variant of this server."""
    return _ranking(_present(scored), progress)


def _ranking(scored: Scored, progress: gr.Progress) -> str:
    results = scored.report.results
    if len(results) < 2:
        return ""
    variants = inputs.resolve_every_variant(components.options_of(scored.chosen))
    with memory_released():
        advance = _advance(progress, len(variants))
        ranked = answers.rank_under_variants(scored.files.read(), variants, **scored.comparing, advance=advance)
    copies = [result.name for result in results if result.copies]
    return rendering.ranking(ranked, scored.variant.name, scored.baseline, copies)


@answering(rendering.refusal)
def show_ngrams(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return the n-grams by which systems gain and lose most against the baseline."""
    scored = _present(scored)
    progress(None, desc="comparing n-grams")
    with memory_released():
        found = ngram_differences(scored.files.read(), scored.variant, scored.baseline)
    return rendering.ngrams(found, scored.baseline)


@answering(raise_line)
def make_report(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return the path of the report of the systems."""
    scored = _present(scored)
    advance = _advance(progress, answers.report_steps(len(scored.report.results)))
    with memory_released():
        columns = scored.files.read()
        compared = answers.compare_systems(columns, scored.variant, **scored.comparing)
        page = answers.write_report(columns, scored.variant, compared, advance)
    return write_files({"report.html": page})[0]
