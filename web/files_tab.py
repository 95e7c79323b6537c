"""The view of files: texts of systems in; tables, pictures, segments and downloads out."""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal

import gradio as gr
import numpy as np
from gradio.utils import get_upload_folder

from sari.companion_measures.registry import Settings
from sari.data_warnings import warning_rows
from sari.messages import RefusedError, truncate
from sari.reports.formats import SENTENCE_FORMATS, format_of_ending
from sari.reports.paragraph import methods_paragraph, paragraph_as_text
from sari.reports.report_page import figure
from sari.reports.score_report import ScoreReport
from sari.reports.score_tables import tabulate_scores
from sari.text_files.output_rows import SystemOutputs
from sari.validation import Columns, SystemColumns
from sari.variants import Variant
from sari.web import answers, components, inputs, rendering, sentence_tab, visitor_files
from sari.web.answers import Advance
from sari.web.components import AT_ONCE, LIVE, ON_DEMAND, ControlValues, OpenedSegment, SentenceTab
from sari.web.inputs import (
    MAX_MEGABYTES,
    MAX_SEGMENTS,
    MAX_SYSTEMS,
    TABLE,
    TEST_SETS,
    TEXT_FILES,
    FilePaths,
)
from sari.web.samples import example_files
from sari.web.server import refusals_as
from sari.web.visitor_files import MOST_AGE

# What to choose, by the kind of input.
_HINTS = {
    TEXT_FILES: "Plain UTF-8 text, gzipped or not. Line i of every file belongs to segment i: a source, mostly a "
    "sentence, with its outputs and references.",
    TABLE: "CSV, TSV, JSON Lines or a JSON array, gzipped or not, with a row for each output. The columns are source, "
    "prediction and references (in CSV and TSV also reference_1, reference_2 and so on), and system where there are "
    "several.",
    **dict.fromkeys(
        TEST_SETS, "Choose the outputs alone: one file for each system, with a line for each sentence of the test set."
    ),
}
_LIMITS = f"At most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
# The tables to download.
_TABLES = ("sari.csv", "sari.json", "sari.tex")
# The characters of a text that a cell of the table of segments shows.
_CELL = 120
_SEGMENTS = """## Segments

A segment is a source, mostly a sentence, with its outputs and references. Those on which the systems differ most
come first, or, of a single system, those of the lowest SARI. Choose a row to open its segment in the Sentence view."""
_REPORTED = "The report is among the downloads."
# In the browser, so that a change comes before whatever is pressed after it, however slow the server is.
_CHANGED = rendering.note("Files or settings have changed: press Score to score them.")
_HIDE_RESULTS = f"() => [{json.dumps(_CHANGED)}, {{__type__: 'update', visible: false}}]"

#: The options of this view.
NAMES = components.option_names(corpora=True)


@dataclass(frozen=True, eq=False)  # equal to itself alone: Gradio hashes what states have
class Scored:
    """What was scored, kept to show more of it: the files, but not their texts.

    Attributes:
        files: of the visitor.
        chosen: the values of the controls.
        baseline: the system that the others are compared with.
        report: the scores.
        sari: of every segment, by system.
    """

    files: FilePaths
    chosen: ControlValues
    baseline: str
    report: ScoreReport
    sari: dict[str, list[float]]

    @property
    def options(self) -> dict[str, Any]:
        """The scoring options."""
        return components.options_of(NAMES, self.chosen)

    @property
    def variant(self) -> Variant:
        """How the files were scored."""
        return inputs.resolve_options(self.options)

    @property
    def lines(self) -> list[int]:
        """The lines of segments: where systems differ most comes first, or where a single one has the lowest SARI."""
        sari = np.array([*self.sari.values()])
        ranked = -np.ptp(sari, axis=0) if len(sari) > 1 else sari[0]
        return (np.argsort(ranked, kind="stable") + 1).tolist()


#: The components of a result by their names, or their new values.
Parts = dict[str, Any]


def _named(parts: Parts, function: Callable[..., Parts]) -> Callable[..., dict[Any, Any]]:
    """Return the function with components in place of their names; those that it does not name stay as they are."""

    @wraps(function)
    def call(*values: Any, **named: Any) -> dict[Any, Any]:
        return {parts[name]: value for name, value in function(*values, **named).items()}

    return call


def files_tab(sentence: SentenceTab) -> None:
    """Make the view."""
    kind = gr.Radio([TEXT_FILES, TABLE, *TEST_SETS], value=TEXT_FILES, label="Sources and references")
    hint = gr.HTML(rendering.note(_hint(TEXT_FILES)))
    with gr.Row():
        sources = _file_box("Sources")
        outputs = _file_box("Outputs (one file for each system)", "multiple")
        references = _file_box("References (one file or more)", "multiple")
        table = _file_box("Table", visible=False)
    files: list[Any] = [sources, outputs, references, table]
    kind.change(show_boxes, kind, [hint, *files], **AT_ONCE)
    gr.Button("Fill in an example", size="sm").click(fill_example, None, [kind, *files[:3]], **ON_DEMAND)
    controls: list[Any] = [*components.make_controls(NAMES).values()]
    start = gr.Button("Score", variant="primary")
    parts = _make_results()
    ranking = parts["rank"].click(show_ranking, parts["scored"], parts["ranking"], **ON_DEMAND)
    kept = [parts["scored"], parts["files"]]
    reporting = parts["report"].click(make_report, kept, parts["files"], **ON_DEMAND)
    reporting.success(None, js=f"() => window.sari.say({json.dumps(_REPORTED)})")
    # The value of the menu changes as results come, too: only another baseline than theirs is asked for.
    asked = gr.State(0)
    parts["baseline"].change(count_asked, [asked, parts["baseline"], parts["scored"]], asked, **LIVE)
    scoring = gr.on(
        [start.click, asked.change],
        _named(parts, answer_files),
        [parts["baseline"], kind, *files, *controls],
        [*parts.values()],
        show_progress_on=parts["message"],
        cancels=[ranking, reporting],  # of the results before
        **ON_DEMAND,
    )
    scoring.then(None, js="() => window.sari.showPart('files-results', 'files-message')")
    changes = [box.change for box in files] + [control.change for control in (kind, *controls)]
    gr.on(
        changes,
        None,
        None,
        [parts["message"], parts["results"]],
        js=_HIDE_RESULTS,
        cancels=[scoring, ranking, reporting],
    )
    _open_segments(sentence, parts)


def _open_segments(sentence: SentenceTab, parts: Parts) -> None:
    """Let rows of the table of segments open in the Sentence view, and its buttons lead on and back."""
    select = parts["segments"].select(open_segment, parts["scored"], sentence.opening, **ON_DEMAND)
    select.then(None, js="() => window.sari.showPart('opened')")
    sentence.systems.select(open_system, sentence.opened, sentence.opening, **ON_DEMAND)
    back, *others = sentence.buttons
    leaving = [sentence.tabs, sentence.back]
    returned = back.click(lambda: (gr.Tabs(selected="files"), gr.Column(visible=False)), None, leaving, **AT_ONCE)
    returned.then(None, js="() => window.sari.showPart('segments')")
    for button, steps in zip(others, (-1, 1), strict=True):
        button.click(partial(open_next, steps), sentence.opened, sentence.opening, **ON_DEMAND)


def _file_box(label: str, count: Literal["single", "multiple"] = "single", *, visible: bool = True) -> gr.File:
    # As wide as the name of a file, its size and its buttons.
    return gr.File(label=label, file_count=count, min_width=300, visible=visible)


def _make_results() -> Parts:
    """Make what shows a result, without one."""
    parts: Parts = {"message": components.part(elem_id="files-message")}
    parts["scored"] = gr.State(None, time_to_live=MOST_AGE)
    with gr.Column(visible=False, elem_id="files-results") as parts["results"]:
        # Any value, since Gradio may have forgotten the choices of this visit.
        parts["baseline"] = gr.Dropdown(
            [], label="Baseline", info="The other systems are compared with it.", allow_custom_value=True
        )
        parts["systems"] = components.part(elem_id="systems")
        parts["rank"] = gr.Button("Does the ranking hold under other variants?")
        parts["ranking"] = components.part(elem_id="ranking")
        parts["paragraph"] = gr.Textbox(label="For a paper", buttons=["copy"])
        parts["files"] = gr.File(label="Downloads", file_count="multiple", interactive=False)
        parts["report"] = gr.Button("Make the report (HTML)")
        gr.Markdown(_SEGMENTS)
        parts["segments"] = gr.Dataframe(
            interactive=False,
            label="SARI of every segment",
            show_search="search",
            elem_id="segments",
        )
    return parts


def count_asked(number: int, baseline: str | None, scored: Scored | None) -> int:
    """Return how often another baseline than that of the results was chosen: once more where this one is."""
    return number + (scored is not None and baseline != scored.baseline)


def _hint(kind: str) -> str:
    return f"{_HINTS[kind]} {_LIMITS}"


def show_boxes(kind: str) -> tuple[Any, ...]:
    """Show what to choose, and the boxes for it."""
    boxes = ("sources", "outputs", "references", "table")
    return rendering.note(_hint(kind)), *(gr.File(visible=name in inputs.needed_files(kind)) for name in boxes)


def fill_example() -> tuple[str, str, list[str], list[str]]:
    """Return the example corpus as text files, with the outputs of two systems."""
    sources, *outputs, first, second = write_files(example_files())
    return TEXT_FILES, sources, outputs, [first, second]


def write_files(texts: Mapping[str, str]) -> list[str]:
    """Write texts to files of these names, where Gradio serves files and cleans them away, and return the paths."""
    cache = Path(get_upload_folder())
    if not visitor_files.has_room(cache):
        raise RefusedError(visitor_files.NO_ROOM)
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=cache))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [str(folder / name) for name in texts]


def _advance(progress: gr.Progress, steps: int) -> Advance:
    """Return a function that shows the name of each step that begins, of a number of steps."""
    numbers = iter(range(steps))
    return lambda step: progress((next(numbers, steps), steps), desc=step)


def _present(state: Any) -> Any:
    if state is None:
        raise RefusedError("The results have expired: please score the files again.")
    return state


@refusals_as(lambda line: {"message": rendering.refusal(line), "results": gr.Column(visible=False)})
def answer_files(
    baseline: str | None,
    kind: str,
    sources: str | None,
    outputs: list[str] | None,
    references: list[str] | None,
    table: str | None,
    *chosen: str,
    progress=gr.Progress(),  # noqa: B008
) -> Parts:
    """Score the files, and return what is shown.

    A baseline that is none of the systems gives way to the first one.
    """
    advance = _advance(progress, answers.SCORE_STEPS + 3)
    options = components.options_of(NAMES, chosen)
    variant = inputs.resolve_options(options)
    advance("reading")
    files = FilePaths(kind, sources, outputs, references, table)
    systems = files.read()
    columns = systems.columns
    advance("scoring")
    baseline = baseline if baseline in columns.predictions else next(iter(columns.predictions))
    compared = answers.compare_systems(columns, variant, baseline=baseline)
    report = answers.report_scores(compared, Settings.of_options(options), advance)
    report = replace(report, warnings=[*warning_rows(systems.warnings), *report.warnings])
    advance("tables and pictures")
    sentences = {name: statistics.sentences() for name, statistics in compared.statistics.items()}
    sari = {name: scores["sari"] for name, scores in sentences.items()}
    return _results(Scored(files, chosen, baseline, report, sari), systems, sentences)


def _results(scored: Scored, systems: SystemOutputs, sentences: Mapping[str, Mapping[str, list[float]]]) -> Parts:
    """Return what is shown of scored files; `sentences` has the scores of every segment, by system."""
    tables = tabulate_scores(scored.report)
    texts = {name: format_of_ending(Path(name).suffix).write(tables) + "\n" for name in _TABLES}
    texts["segments.tsv"] = "".join(f"{line}\n" for line in SENTENCE_FORMATS[".tsv"](sentences, systems))
    _, *others = names = list(scored.sari)
    return {
        "message": "",
        "results": gr.Column(visible=True),
        "ranking": "",
        "rank": gr.Button(visible=bool(others)),
        "baseline": gr.Dropdown(names, value=scored.baseline, visible=bool(others)),
        "systems": rendering.systems(scored.report, tables.tables, scored.sari),
        "paragraph": paragraph_as_text(methods_paragraph(scored.report)),
        "segments": _segment_table(scored, systems.columns),
        "files": write_files(texts),
        "scored": scored,
    }


def _segment_table(scored: Scored, columns: SystemColumns) -> dict[str, Any]:
    """Return a row for each segment."""
    texts = {"Source": columns.sources, **{f"Output of {name}": row for name, row in columns.predictions.items()}}
    rows = [
        [
            line,
            *(figure(sari[line - 1]) for sari in scored.sari.values()),
            *(truncate(column[line - 1], _CELL) for column in texts.values()),
        ]
        for line in scored.lines
    ]
    return {"headers": ["Line", *scored.sari, *texts], "data": rows}


def open_segment(scored: Scored | None, event: gr.SelectData) -> list[Any]:
    """Return what opens the output of the chosen score or text, and of the first system for another cell."""
    scored = _present(scored)
    names, column = list(scored.sari), event.index[1] - 1
    column -= len(names) + 1 if column > len(names) else 0  # after the scores and the source come the outputs
    system = names[column] if column in range(len(names)) else names[0]
    return _opening(scored, system, int(event.row_value[0]))


def open_next(steps: int, opened: OpenedSegment | None) -> list[Any]:
    """Return what opens the segment some steps further on in the table; after the last one comes the first."""
    opened = _present(opened)
    lines = opened.results.lines
    place = (lines.index(opened.line) + steps) % len(lines)
    return _opening(opened.results, opened.system, lines[place])


def open_system(opened: OpenedSegment | None, event: gr.SelectData) -> list[Any]:
    """Return what opens the output of another system for the same segment."""
    opened = _present(opened)
    return _opening(opened.results, event.row_value[0], opened.line)


def _opening(scored: Scored, system: str, line: int) -> list[Any]:
    """Return the values of `SentenceTab.opening`."""
    columns, row = scored.files.read().columns, slice(line - 1, line)
    segment = Columns(columns.sources[row], columns.predictions[system][row], columns.references[row])
    of_corpora = {name: value for name, value in scored.options.items() if name not in sentence_tab.NAMES}
    opened = OpenedSegment(system, line, segment, of_corpora, scored)
    values = dict(zip(NAMES, scored.chosen, strict=True))
    rows = [[name, figure(sari[line - 1]), columns.predictions[name][line - 1]] for name, sari in scored.sari.items()]
    side_by_side = gr.Dataframe({"headers": ["System", "SARI", "Output"], "data": rows}, visible=len(rows) > 1)
    controls = [values[name] for name in sentence_tab.NAMES]
    return [gr.Tabs(selected="sentence"), *opened.boxes, *controls, opened, gr.Column(visible=True), side_by_side]


@refusals_as(rendering.refusal)
def show_ranking(scored: Scored | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return whether the ranking of several systems holds under every variant of this server."""
    scored = _present(scored)
    variants = inputs.resolve_every_variant(scored.options)
    advance = _advance(progress, len(variants))
    ranked = answers.rank_under_variants(scored.files.read().columns, variants, advance)
    return rendering.ranking(ranked, scored.variant.name)


def make_report(scored: Scored | None, files: list[str], progress: gr.Progress = gr.Progress()) -> list[str]:  # noqa: B008
    """Return the files for download with the report of the systems."""
    scored = _present(scored)
    advance = _advance(progress, answers.SCORE_STEPS + 2 + len(scored.sari))
    compared = answers.compare_systems(scored.files.read().columns, scored.variant, baseline=scored.baseline)
    page = answers.write_report(compared, Settings.of_options(scored.options), advance)
    return [*(path for path in files if Path(path).name != "report.html"), *write_files({"report.html": page})]
