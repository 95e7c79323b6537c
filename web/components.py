"""What several views share: the boxes and choices, how their events behave, refusals, and files to download."""

import contextlib
import functools
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import gradio as gr
from gradio.utils import get_upload_folder

from sari.human_ratings.correlation_report import AgreementReport
from sari.reports.report_page import figure
from sari.reports.score_report import ScoreReport
from sari.variants import VARIANTS, Option, Variant
from sari.web import inputs, rendering
from sari.web.inputs import DEFAULT_VARIANT, RatedSystems, RefusedError, label_of, offered_options, resolve_options
from sari.web.samples import example_corpus, example_files
from sari.web.server import memory_released

Asked = TypeVar("Asked")

#: What stands in controls for the variant's own choice, and for flags.
OWN, _FLAGS = "default", {"yes": True, "no": False}
#: The options that are always seen. The others are under "More options".
_MAIN = ("variant", "tokenize", "lowercase")
#: Seconds that the page remembers what was asked for.
HOUR = 3600

#: The id of the tab of a table.
TABLE = "table"
#: What files of lines are, and what a table is.
PLAIN_TEXT = (
    "Plain UTF-8 text, gzipped or not; line i of every file belongs to segment i. Ratings by people are numbers, one "
    "per line."
)
_TABLES = (
    "A row for each output: source, prediction, references (in CSV and TSV also reference_1, reference_2 and so on), "
    "and, where they are known, system and ratings by people. Or a view that was saved here, to open it again."
)

#: What stands for an empty reference in a box of lines.
EMPTY_LINE = "␣"

_STALE = "What is below is of other texts or settings: start again to see these."

#: Events of the page. Those that follow the input as it changes do not wait in Gradio's queue, the newest input wins,
#: and nothing flickers.
ON_DEMAND: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 4}
LIVE: dict[str, Any] = {
    "api_visibility": "private",
    "queue": False,
    "show_progress": "hidden",
    "trigger_mode": "always_last",
}

#: The controls of the scoring options, by the names of the options, in their order.
Controls = dict[str, gr.Dropdown | gr.Number]
#: What is chosen in them.
ControlValues = tuple[str | float | None, ...]


class SegmentBoxes(NamedTuple):
    """The boxes of one segment."""

    source: gr.Textbox
    output: gr.Textbox
    references: gr.Textbox


class SentenceTab(NamedTuple):
    """What other views fill, to open a segment: the tabs, the boxes, the choices, and the way back."""

    tabs: gr.Tabs
    texts: SegmentBoxes
    chosen: Controls
    back: gr.Row
    place: gr.HTML
    opened_from: gr.State

    @property
    def opening(self) -> list[Any]:
        """The outputs of an event that opens a segment: `OpenedFrom.opened` or `UNOPENED`."""
        return [self.tabs, *self.texts, *self.chosen.values(), self.back, self.place, self.opened_from]


#: What leaves the sentence view as it is.
UNOPENED: Any = gr.skip()


class OpenedFrom(NamedTuple):
    """Where a segment was opened from.

    Attributes:
        view: the id of the view.
        list_segments: returns the segments there: the line, the source, the output and the references of each.
        chosen: how they were scored.
        place: of the segment among them.
        system: whose output it is; empty where there is one.
    """

    view: str
    list_segments: Callable[[], list[tuple[int, str, str, Sequence[str]]]]
    chosen: ControlValues
    place: int
    system: str = ""

    def opened(self, step: int = 0) -> tuple[Any, ...]:
        """Return what opens the segment, or one that is some steps further on, with the way back."""
        segments = self.list_segments()
        moved = self._replace(place=(self.place + step) % len(segments))
        line, source, output, references = segments[moved.place]
        people = "\n".join(" ".join(reference.split("\n")) or EMPTY_LINE for reference in references)
        texts = source, output, people
        place = rendering.render("sentence", "place", self.system, line)
        return gr.Tabs(selected="sentence"), *texts, *self.chosen, gr.Row(visible=True), place, moved


class Request(NamedTuple):
    """What a visitor asked for, kept to answer it again.

    Attributes:
        reader: the function of `inputs` that reads the texts.
        values: its arguments.
        chosen: how to score: the values of the controls.
        settings: all that was set besides the texts, the values of the controls among it.
        texts: identifies the texts, as `fingerprint` does.
        comparing: how to compare: the arguments `baseline` and `method` of `answers.compare_systems`.
        report: the compared systems.
    """

    reader: Callable[..., Any]
    values: tuple[Any, ...]
    chosen: ControlValues
    settings: tuple[Any, ...] = ()
    texts: int = 0
    comparing: Mapping[str, Any] = {}
    report: ScoreReport | None = None

    @property
    def variant(self) -> Variant:
        """How to score."""
        return resolve_options(options_of(self.chosen))

    def read(self) -> Any:
        """Return the texts with their ratings; files that were cleaned away meanwhile are refused."""
        try:
            return self.reader(*self.values)
        except FileNotFoundError:
            raise RefusedError("The files are gone by now: please choose them again.") from None


def request(reader: Callable[..., Any], values: Sequence[Any], *settings: Any) -> Request:
    """Return a request; in its values those of the controls come before what the function reads."""
    number = len(offered_options())
    chosen = tuple(values[:number])
    return Request(reader, tuple(values[number:]), chosen, (*settings, *chosen))


def make_controls() -> Controls:
    """Make the controls of the scoring options."""
    offered = offered_options()
    with gr.Row():
        made = {name: _control(name, offered[name]) for name in _MAIN}
    with gr.Accordion("More options", open=False), gr.Row():
        made |= {name: _control(name, option) for name, option in offered.items() if name not in made}
    return {name: made[name] for name in offered}


def _control(name: str, option: Option) -> gr.Dropdown | gr.Number:
    """Make the control of an option: of its kind."""
    if name == "variant":
        return variant_box(DEFAULT_VARIANT, "Variant")
    label, info = label_of(name), None if name in _MAIN else option.help
    if option.kind == "number":
        return gr.Number(None, label=label, info=info, placeholder=OWN, min_width=160)
    choices = [(choice, choice) for choice in option.choices]
    if option.kind == "flag":
        choices = [(option.words(value), text) for text, value in _FLAGS.items()]
    return gr.Dropdown([(OWN, OWN), *choices], value=OWN, label=label, info=info, min_width=120)


def initial_choices() -> ControlValues:
    """Return what the controls have at first."""
    return tuple(
        DEFAULT_VARIANT if name == "variant" else None if option.kind == "number" else OWN
        for name, option in offered_options().items()
    )


def allowed_choices() -> dict[str, list[str] | None]:
    """Return what can be chosen of each option by name; None for any number."""
    return {
        name: None if option.kind == "number" else [OWN, *_FLAGS] if option.kind == "flag" else [OWN, *option.choices]
        for name, option in offered_options().items()
    }


def options_of(chosen: Iterable[Any]) -> dict[str, Any]:
    """Return scoring options from the values of controls, without those that the variant chooses."""
    options = {}
    for (name, option), value in zip(offered_options().items(), chosen, strict=True):
        if value is None or value == OWN:
            continue
        if option.kind == "flag" and isinstance(value, str):
            value = _FLAGS.get(value, value)
        elif option.kind == "number" and isinstance(value, float) and value.is_integer():
            value = int(value)
        options[name] = value
    return options


def named_choices(chosen: ControlValues) -> dict[str, str | float | None]:
    """Return the values of controls by the names of their options."""
    return dict(zip(offered_options(), chosen, strict=True))


def save_view(rated: RatedSystems, chosen: Mapping[str, str | float | None]) -> str:
    """Return systems as JSON Lines, a table that this page opens again, with the choices in its first row."""
    columns, ratings = rated
    rows: list[dict[str, Any]] = []
    for name in columns.predictions:
        own = zip(*columns.of(name), strict=True)
        rows += [{"system": name, "source": row[0], "prediction": row[1], "references": row[2]} for row in own]
        if ratings is not None:
            for row, rating in zip(rows[-len(columns.sources) :], ratings[name], strict=True):
                row["rating"] = rating
    rows[0] |= chosen
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_choices(path: str | None, allowed: Mapping[str, Sequence[str] | None]) -> list[Any]:
    """Return the choices of a saved view in the order of `allowed`, which has what each can be; None for any number.

    Those that it lacks, or that are not allowed, stay.
    """
    found: Any = {}
    with contextlib.suppress(OSError, ValueError), open(path or "", encoding="utf-8") as file:
        found = json.loads(file.readline())
    chosen = [found.get(name) if isinstance(found, dict) else None for name in allowed]
    return [
        value if (isinstance(value, float | int) if values is None else value in values) else gr.skip()
        for value, values in zip(chosen, allowed.values(), strict=True)
    ]


def fingerprint(way: int, values: Sequence[Any]) -> int:
    """Return a number that identifies the values of a way in, without a copy of long texts."""
    return hash((way, repr(values)))


class Way(NamedTuple):
    """A way in: the function of `inputs` that reads the texts, its tab, and its boxes."""

    reader: Callable[..., Any]
    tab: gr.Tab
    boxes: Sequence[Any]


def ways_by_files(*, several: bool) -> tuple[Way, Way]:
    """Make the ways in by text files and by a table, for the outputs of several systems or of one."""
    count: Any = "multiple" if several else "single"
    with gr.Tab("Text files") as of_files:
        with gr.Row():
            files = [
                file_box("Sources"),
                file_box("Outputs (one file per system)" if several else "Outputs", count),
                file_box("References (one file or more)", "multiple"),
                file_box("Ratings (optional, one per system)" if several else "Ratings by people (optional)", count),
            ]
        example_button(functools.partial(fill_files, several), files)
    with gr.Tab("Table", id=TABLE) as of_table:
        gr.HTML(rendering.note(_TABLES))
        table = file_box(f"JSON Lines, CSV or TSV{' with a column system' if several else ''}")
        example_button(functools.partial(fill_table, several), [table])
    by_files = inputs.systems_of_files if several else inputs.corpus_of_files
    by_table = inputs.systems_of_table if several else inputs.corpus_of_table
    return Way(by_files, of_files, files), Way(by_table, of_table, [table])


def fill_files(several: bool) -> tuple[str, list[str] | str, list[str], None]:
    """Return the example corpus as files, with the outputs of two systems or of one; nobody rated it."""
    sources, *outputs, first, second = write_files(example_files() if several else example_corpus())
    return sources, outputs if several else outputs[0], [first, second], None


def fill_table(several: bool) -> str:
    """Return the same as a table."""
    sources, outputs, references, _ = fill_files(several)
    columns = inputs.systems_of_files(sources, [outputs] if isinstance(outputs, str) else outputs, references)
    return write_files({"example.jsonl": save_view(columns, {})})[0]


def connect(
    start: gr.Button,
    ways: Sequence[Way],
    score: Callable[..., Any],
    settings: Sequence[Any],
    results: Sequence[Any],
    *,
    seen: gr.State,
    stale: gr.HTML,
    downloads: gr.Row,
    also: Sequence[Any] = (),
) -> Any:
    """Let a button score the texts of the way in that is seen, and say when the results are of others.

    Args:
        start: the button.
        ways: in.
        score: from the function that reads, the values of `also`, `settings` and the boxes to what `results` show.
        settings: components; those of the scoring options come last.
        results: components; the first is brought into view, the last keeps the `Request`.
        seen: keeps the number of the way in that is seen.
        stale: shows the remark that texts or settings have changed.
        downloads: offers files of the results, which are hidden meanwhile.
        also: components on which only the view of the results depends.

    Returns:
        The event after which the results are there.
    """
    for number, way in enumerate(ways):
        way.tab.select(functools.partial(int, number), None, seen, **LIVE)
    shared, boxes = [*also, *settings], [box for way in ways for box in way.boxes]

    def of_way(number: int, values: Sequence[Any]) -> Sequence[Any]:
        """Return the values of a way in from those of all boxes."""
        begin = sum(len(way.boxes) for way in ways[:number])
        return values[begin : begin + len(ways[number].boxes)]

    def score_seen(number: int, *values: Any) -> Any:
        given = of_way(number, values[len(shared) :])
        *shown, asked = score(ways[number].reader, *values[: len(shared)], *given)
        return *shown, asked and asked._replace(texts=fingerprint(number, given))

    def compare_with_now(asked: Request | None, number: int, *values: Any) -> tuple[str, gr.Row]:
        now = values[: len(settings)], fingerprint(number, of_way(number, values[len(settings) :]))
        if asked is None or (asked.settings, asked.texts) == now:
            return "", gr.Row(visible=True)
        return rendering.refusal(_STALE), gr.Row(visible=False)

    scored = start.click(score_seen, [seen, *shared, *boxes], [*results], show_progress_on=results[0], **ON_DEMAND)
    given = [results[-1], seen, *settings, *boxes]
    remark: dict[str, Any] = {"fn": compare_with_now, "inputs": given, "outputs": [stale, downloads], **LIVE}
    gr.on([part.change for part in (seen, *settings, *boxes)], **remark)
    scored.then(None, js=show_part(results[0].elem_id)).then(**remark)
    return scored


def variant_box(value: str, label: str) -> gr.Dropdown:
    """Make a choice of the variants that this server has all for, which says of each what it is."""
    named = [(f"{name}: {VARIANTS[name].summary}", name) for name in offered_options()["variant"].choices]
    return gr.Dropdown(named, value=value, label=label, min_width=400, scale=2)


def file_box(label: str, count: Literal["single", "multiple"] = "single") -> gr.File:
    """Make a box for one file, or for "multiple" ones."""
    return gr.File(label=label, file_count=count, height=170, min_width=220)


def example_button(fill: Callable[[], Any], boxes: Sequence[Any]) -> None:
    """Make a button that fills in an example."""
    gr.Button("Fill in an example").click(fill, None, list(boxes), **ON_DEMAND)


def table_of(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return what a table shows: numbers on the right, and scores with two decimals, which it sorts as numbers."""
    shown = [[figure(cell) if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    styles = [["text-align: right" if isinstance(cell, float | int) else "" for cell in row] for row in rows]
    metadata = {"display_value": shown, "styling": styles}
    return {"headers": list(headers), "data": [list(row) for row in rows], "metadata": metadata}


def lines_of(text: str) -> list[str]:
    r"""Return the lines that are not blank.

    >>> lines_of("a b\n\n␣\n")
    ['a b', '']
    """
    return ["" if line.strip() == EMPTY_LINE else line for line in text.split("\n") if line.strip()]


def show_part(name: str) -> str:
    """Return the program of the browser that brings a part of the page into view, in `page.js`."""
    return f"() => window.sari.showPart('{name}')"


def sent(event: gr.EventData, name: str) -> Any:
    """Return a value that the browser sends with an event; None where there is none."""
    try:
        return getattr(event, name, None)
    except TypeError:  # it did not send an object
        return None


def agreement_if_rated(ratings: Asked | None, agree: Callable[[Asked], AgreementReport]) -> str:
    """Return how scores agree with ratings, or why that cannot be told; nothing where there are none."""
    if ratings is None:
        return ""
    try:
        with memory_released():
            return rendering.ratings_agreement(agree(ratings))
    except RefusedError as refusal:
        return rendering.refusal(f"No agreement with people: {refusal}")


def download_button(
    label: str,
    name: str,
    write: Callable[..., str],
    given: gr.State | Sequence[Any],
    *,
    progress_on: Any = None,
) -> None:
    """Make a button that offers a file.

    Args:
        label: of the button.
        name: of the file.
        write: makes the text of the file, of the values of `given`, when the button is clicked.
        given: components, or what keeps a request, which may be None by now.
        progress_on: the component on which the work is seen, for a file that takes time.
    """
    link = name.replace(".", "-")
    button = gr.Button(f"Download {label}")
    file = gr.DownloadButton(elem_id=link, elem_classes="sari-link")

    def make(*values: Any) -> str:
        if values[0] is None:
            raise RefusedError("There is nothing to download by now: please start again.")
        return write_files({name: write(*values)})[0]

    made = button.click(make, given, file, show_progress_on=progress_on, **ON_DEMAND)
    made.success(None, js=f"() => window.sari.download('{link}')")


def write_files(texts: Mapping[str, str]) -> list[str]:
    """Write texts to files of these names, where Gradio serves files and cleans them away, and return the paths."""
    cache = Path(get_upload_folder())
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=cache))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [str(folder / name) for name in texts]
