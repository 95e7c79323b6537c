"""The view of several systems: their files in; tables, plots, tests and what differs out."""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gradio as gr

from sari.reports.formats import Layout, format_of_ending
from sari.reports.ngram_differences import ngram_differences
from sari.reports.published_systems import find_standing
from sari.reports.score_tables import tabulate_scores
from sari.significance import TESTS
from sari.validation import SystemColumns
from sari.web import answers, components, inputs, rendering
from sari.web.answers import ComparedSystems
from sari.web.components import LIVE, ON_DEMAND, Request, SentenceTab
from sari.web.inputs import MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS, RatedSystems, RefusedError
from sari.web.server import memory_released

_METHODS = {test.title: name for name, test in TESTS.items()}
_LIMIT = f"At most {MAX_SYSTEMS} systems, {MAX_SEGMENTS:,} segments and {MAX_MEGABYTES} MB in all."
_DOWNLOADS = (
    "The report: tests, companion measures, scores by length, examples, in one page. The comparison: texts and choices "
    "in a file, to open under Table again."
)
#: What the browser does: an output that is chosen says which it is.
_CHOOSE_OUTPUT = """
element.addEventListener("click", (event) => {
  const output = event.target.closest("[data-system]");
  if (output) trigger("click", { place: Number(output.dataset.place), system: output.dataset.system });
});
"""


#: Characters of a comparison that a link carries.
LINKED = 8_000
#: Outputs of all systems that are compared under every variant without being asked.
_RANKED_AT_ONCE = 5_000


class ShownSystems(NamedTuple):
    """What shows compared systems, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    further: Any
    ranking: Any
    differences: Any
    table: Any
    ngrams: Any
    asked: Any


def compare_tab(sentence: SentenceTab) -> None:
    """Make the view."""
    gr.HTML(rendering.note(f"{_LIMIT} {components.PLAIN_TEXT}"))
    with gr.Tabs() as tabs:
        ways = components.ways_by_files(several=True)
    (_, of_files, files), (_, of_table, (table,)) = ways
    chosen = components.make_controls()
    with gr.Row():
        names = gr.Textbox(label="Names of the systems", info="One per line, as they come.", lines=2, min_width=220)
        baseline = gr.Dropdown(
            [],
            label="Baseline",
            info="The others are compared with it.",
            min_width=220,
            allow_custom_value=True,  # the box may still show one of earlier files, which Gradio would refuse
        )
        method = gr.Radio(
            list(_METHODS), value=next(iter(_METHODS)), label="Test", info="Is a difference chance?", min_width=220
        )
    start = gr.Button("Compare these systems", variant="primary", elem_id="compare-systems")
    stale = gr.HTML(elem_id="stale-compare")
    results, downloads = _comparison_results()
    settings = [names, baseline, method, *chosen.values()]
    seen = gr.State(0)
    compared = components.connect(
        start, ways, show_systems, settings, results, seen=seen, stale=stale, downloads=downloads
    )
    compared.then(show_small_ranking, results.asked, results.ranking, **ON_DEMAND)
    gr.on([files[1].change, of_files.select], _names_of_files, files[1], names, **LIVE)
    of_table.select(_names_in_table, table, names, **LIVE)
    told = [names, *chosen.values(), method, baseline]
    table.change(read_comparison_choices, table, told, **LIVE)
    link = gr.Textbox(visible=False)
    from_link = gr.Button(elem_id="comparison-from-link", elem_classes="sari-link")
    linked = from_link.click(open_link, link, [tabs, seen, table], js="() => window.sari.linkedComparison()", **LIVE)
    linked = linked.then(read_comparison_choices, table, told, **LIVE)
    linked.then(None, js="() => window.sari.startComparison()")
    names.change(offer_baselines, [names, baseline], baseline, **LIVE)
    output = results.differences.click(open_output, results.asked, sentence.opening, **LIVE)
    score = results.table.select(open_score, results.asked, sentence.opening, **LIVE)
    for opened in (output, score):
        opened.then(None, js=components.show_part("scores"))


def _names_of_files(outputs: Sequence[str] | None) -> str:
    return "\n".join(inputs.system_names(outputs or ()))


def _names_in_table(table: str | None) -> str:
    return "\n".join(inputs.names_in_table(table))


def _comparison_results() -> tuple[ShownSystems, gr.Row]:
    """Make what shows compared systems, empty, and the row of downloads."""
    summary = gr.HTML(elem_id="systems", min_height=60)
    asked = gr.State(None, time_to_live=components.HOUR)
    with gr.Column(visible=False) as more:
        signature = gr.Textbox(
            label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature-of-systems"
        )
        with gr.Row() as downloads:
            for label, ending in (("CSV", ".csv"), ("JSON", ".json"), ("LaTeX", ".tex")):
                write = functools.partial(write_systems, ending)
                components.download_button(label, f"systems{ending}", write, asked)
            work = gr.HTML(elem_id="report-work", render=False)
            components.download_button("report", "report.html", write_report, asked, progress_on=work)
            components.download_button("this comparison", "comparison.jsonl", save_comparison, asked)
        gr.HTML(rendering.note(_DOWNLOADS))
        work.render()
        further = gr.HTML(elem_id="tests-of-systems")
        rank = gr.Button("Does the ranking hold under other variants?")
        ranking = gr.HTML(elem_id="ranking")
        rank.click(show_ranking, asked, ranking, **ON_DEMAND)
        differences = gr.HTML(elem_id="differences", js_on_load=_CHOOSE_OUTPUT)
        gr.HTML(rendering.note("Choose a score to open the output in the Sentence view."))
        table = gr.Dataframe(
            interactive=False,
            max_height=420,
            label="SARI of every segment",
            max_chars=120,
            show_search="search",
            elem_id="segments",
        )
        find_ngrams = gr.Button("Find n-grams gained and lost")
        ngrams = gr.HTML(elem_id="ngrams")
        find_ngrams.click(show_ngrams, asked, ngrams, **ON_DEMAND)
    return ShownSystems(summary, more, signature, further, ranking, differences, table, ngrams, asked), downloads


def offer_baselines(names: str, baseline: str | None) -> gr.Dropdown:
    """Offer these systems as baselines, the first where the one chosen is not among them."""
    offered = list(dict.fromkeys(components.lines_of(names)))
    return gr.Dropdown(choices=offered, value=baseline if baseline in offered else next(iter(offered), None))


def show_systems(
    reader: Callable[..., RatedSystems],
    names: str,
    baseline: str | None,
    method: str,
    *values: Any,
) -> ShownSystems:
    """Compare the systems that came in, and return what is shown of them, or why they are refused.

    A baseline of earlier files, which the box may still show, is replaced by the first system.
    """
    asked = components.request(reader, (*values, names), names, baseline, method)
    try:
        variant = asked.variant
        with memory_released():
            columns, ratings = asked.read()
            first = next((name for name in columns.predictions if name == baseline), next(iter(columns.predictions)))
            comparing: dict[str, Any] = {"baseline": first, "method": _METHODS[method]}
            compared = answers.compare_systems(columns, variant, **comparing, details=True)
            baselines = answers.score_corpus_baselines(columns, variant)
            standing = find_standing(columns.sources, columns.references, variant)
            agreed = components.agreement_if_rated(ratings, lambda own: answers.rate_systems(columns, own, variant))
    except RefusedError as refusal:
        return ShownSystems(rendering.refusal(refusal), gr.Column(visible=False), "", "", "", "", None, "", None)
    report = compared.report
    asked = asked._replace(comparing=comparing, report=report)
    extremes = answers.find_extremes(compared)
    return ShownSystems(
        rendering.systems(report, baselines) + rendering.link_to_comparison(_for_link(asked, columns)),
        gr.Column(visible=True),
        compared.result["signature"],
        rendering.tests_of_systems(report)
        + rendering.published(standing, {result.name: result.scores["sari"] for result in report.results})
        + rendering.by_length(compared.by_length)
        + agreed,
        "",
        rendering.differences(extremes, first, compared.scores, columns),
        _segment_table(compared, columns),
        "",
        asked,
    )


def _for_link(asked: Request, columns: SystemColumns) -> str:
    """Return what a link carries of a comparison; nothing of a long one."""
    texts = itertools.chain(columns.sources, *columns.predictions.values(), *columns.references)
    return save_comparison(asked) if sum(map(len, texts)) <= LINKED else ""


def open_link(comparison: str) -> tuple[gr.Tabs, int, str]:
    """Return what opens the comparison that a link carries: the tab of a table, its number, and the table."""
    return gr.Tabs(selected=components.TABLE), 1, components.write_files({"comparison.jsonl": comparison})[0]


def _segment_table(compared: ComparedSystems, columns: SystemColumns) -> dict[str, Any]:
    """Return the table of SARI of every segment."""
    rows = zip(columns.sources, *compared.scores.values(), strict=True)
    data = [[line, *(round(score, 2) for score in own), source] for line, (source, *own) in enumerate(rows, 1)]
    return components.table_of(["Line", *compared.scores, "Source"], data)


def show_ranking(asked: Request | None, progress=gr.Progress()) -> str:  # noqa: B008
    """Return whether the ranking holds under every variant of this server."""
    if asked is None or asked.report is None or len(asked.report.results) < 2:
        return ""

    def advance(done: int, total: int, step: str) -> None:
        progress((done, total), desc=step)

    try:
        variants = inputs.resolve_every_variant(components.options_of(asked.chosen))
        with memory_released():
            ranked = answers.rank_under_variants(asked.read().columns, variants, **asked.comparing, advance=advance)
        copies = [result.name for result in asked.report.results if result.copies]
        return rendering.ranking(ranked, asked.variant.name, asked.comparing["baseline"], copies)
    except RefusedError as refusal:
        return rendering.refusal(refusal)


def show_small_ranking(asked: Request | None) -> str:
    """Return the same of few outputs, which takes no long time."""
    if asked is None or asked.report is None:
        return ""
    outputs = len(asked.report.results) * asked.report.results[0].segments
    return show_ranking(asked) if outputs <= _RANKED_AT_ONCE else ""


def show_ngrams(asked: Request | None) -> str:
    """Return the n-grams by which systems gain and lose most against the baseline."""
    if asked is None:
        return ""
    try:
        columns = asked.read().columns
        baseline = asked.comparing["baseline"]
        return rendering.ngrams(ngram_differences(columns, asked.variant, baseline), baseline)
    except RefusedError as refusal:
        return rendering.refusal(refusal)


def _open(asked: Request | None, system: str, place: int) -> tuple[Any, ...]:
    """Return what puts an output into the sentence view, from where those around it can be opened."""
    if asked is None or asked.report is None or system not in asked.report.systems:
        return components.UNOPENED
    if place not in range(asked.report.results[0].segments):
        return components.UNOPENED
    segments = functools.partial(_segments_of, asked, system)
    return components.OpenedFrom("compare", segments, asked.chosen, place, system).opened()


def _segments_of(asked: Request, system: str) -> list[tuple[int, str, str, Sequence[str]]]:
    return [(line, *row) for line, row in enumerate(zip(*asked.read().columns.of(system), strict=True), 1)]


def open_output(asked: Request | None, event: gr.EventData) -> tuple:
    """Return what puts the chosen output into the sentence view."""
    place, system = components.sent(event, "place"), components.sent(event, "system")
    known = isinstance(place, int) and isinstance(system, str)
    return _open(asked, system, place) if known else components.UNOPENED


def open_score(asked: Request | None, event: gr.SelectData) -> tuple:
    """Return what puts the output whose score was chosen into the sentence view; of the first system for a source."""
    if asked is None or asked.report is None:
        return components.UNOPENED
    names, column = asked.report.systems, event.index[1] - 1
    return _open(asked, names[column if column in range(len(names)) else 0], event.row_value[0] - 1)


def write_systems(ending: str, asked: Request) -> str:
    """Return compared systems as a file, as the command line writes them."""
    assert asked.report is not None
    return format_of_ending(ending).write(tabulate_scores(asked.report), Layout()) + "\n"


def write_report(asked: Request, progress=gr.Progress()) -> str:  # noqa: B008
    """Return the report of the systems as a page."""

    def advance(done: int, total: int, step: str) -> None:
        progress((done, total), desc=step)

    with memory_released():
        return answers.report_systems(asked.read().columns, asked.variant, advance, **asked.comparing)


def save_comparison(asked: Request) -> str:
    """Return the systems and the choices as a file that opens the view again."""
    test = next(title for title, name in _METHODS.items() if name == asked.comparing["method"])
    chosen = components.named_choices(asked.chosen)
    return components.save_view(asked.read(), {**chosen, "test": test, "baseline": asked.comparing["baseline"]})


def read_comparison_choices(table: str | None) -> list[Any]:
    """Return the names of the systems of a table, and the choices if it is a saved view."""
    names = inputs.names_in_table(table)
    *chosen, baseline = components.read_choices(
        table, {**components.allowed_choices(), "test": list(_METHODS), "baseline": names}
    )
    if isinstance(baseline, str):
        baseline = gr.Dropdown(choices=names, value=baseline)
    return ["\n".join(names), *chosen, baseline]
