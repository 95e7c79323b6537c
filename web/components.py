"""What several views share: the boxes and choices, how their events behave, refusals, and files to download."""

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import gradio as gr
from gradio.utils import get_upload_folder

from sari.human_ratings.correlation_report import AgreementReport
from sari.variants import VARIANTS, resolve_variants
from sari.web import rendering
from sari.web.inputs import TOKENIZERS, RatedSystems, RefusedError
from sari.web.server import memory_released

Asked = TypeVar("Asked")

OWN = "default"  # the variant's own
CASES = {OWN: None, "lowercase": True, "as written": False}
#: Seconds that the page remembers what was asked for.
HOUR = 3600

#: What files of lines are, and what a table is.
PLAIN_TEXT = (
    "Plain UTF-8 text, gzipped or not; line i of every file belongs to segment i. Ratings by people are numbers, one "
    "per line."
)
TABLES = (
    "A row for each output: source, prediction, references (in CSV and TSV also reference_1, reference_2 and so on), "
    "and, where they are known, system and ratings by people. Or a view that was saved here, to open it again."
)

#: What stands for an empty reference in a box of lines.
EMPTY_LINE = "␣"

#: Events of the page. Those that follow the input as it changes let the newest input win, and nothing flickers.
ON_DEMAND: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 4}
LIVE: dict[str, Any] = {**ON_DEMAND, "show_progress": "hidden", "trigger_mode": "always_last"}


class SegmentBoxes(NamedTuple):
    """The boxes of one segment."""

    source: gr.Textbox
    output: gr.Textbox
    references: gr.Textbox


class Choices(NamedTuple):
    """The choices of how to score."""

    variant: gr.Dropdown
    tokenize: gr.Dropdown
    case: gr.Dropdown


class SentenceTab(NamedTuple):
    """What other views fill, to open a segment: the tabs, the boxes, the choices, and the way back."""

    tabs: gr.Tabs
    texts: SegmentBoxes
    chosen: Choices
    back: gr.Row
    opened_from: gr.State

    @property
    def opening(self) -> list[Any]:
        """The outputs of an event that opens a segment; `opened` returns what goes there."""
        return [self.tabs, *self.texts, *self.chosen, self.back, self.opened_from]


class OpenedFrom(NamedTuple):
    """Where a segment was opened from: the view, what lists the segments there, their choices, and its place."""

    view: str
    list_segments: Callable[[], list[tuple[str, str, Sequence[str]]]]
    chosen: tuple[str, str, str]
    place: int

    def opened(self, step: int = 0) -> tuple[Any, ...]:
        """Return what opens the segment, or one that is some steps further on, with the way back."""
        segments = self.list_segments()
        moved = self._replace(place=(self.place + step) % len(segments))
        source, output, references = segments[moved.place]
        people = "\n".join(" ".join(reference.split("\n")) or EMPTY_LINE for reference in references)
        return gr.Tabs(selected="sentence"), source, output, people, *self.chosen, gr.Row(visible=True), moved


def choices() -> Choices:
    """Make the choices of how to score."""
    with gr.Row():
        return Choices(
            variant_box("hf", "Variant"),
            gr.Dropdown([OWN, *TOKENIZERS], value=OWN, label="Tokenizer", min_width=120),
            gr.Dropdown(list(CASES), value=OWN, label="Case", min_width=120),
        )


def save_view(rated: RatedSystems, chosen: Mapping[str, str | None]) -> str:
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


def read_choices(path: str | None, allowed: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return the choices of a saved view by their names; those that it lacks, or that are not allowed, stay."""
    found: Any = {}
    with contextlib.suppress(OSError, ValueError), open(path or "", encoding="utf-8") as file:
        found = json.loads(file.readline())
    chosen = [found.get(name) if isinstance(found, dict) else None for name in allowed]
    return [value if value in values else gr.skip() for value, values in zip(chosen, allowed.values(), strict=True)]


#: What may be chosen of how to score.
ALLOWED: dict[str, list[str]] = {"variant": list(VARIANTS), "tokenize": [OWN, *TOKENIZERS], "case": list(CASES)}


def is_stale(asked: Any, *chosen: str) -> str:
    """Return a remark where results are of other choices than those that are chosen now."""
    stale = asked is not None and tuple(asked.chosen) != chosen
    return rendering.note("What is below was scored with other choices: start again to see these.") if stale else ""


def variant_box(value: str, label: str) -> gr.Dropdown:
    """Make a choice of the variants that this server has all for, which says of each what it is."""
    named = [(f"{name}: {VARIANTS[name].summary}", name) for name in resolve_variants()[0]]
    return gr.Dropdown(named, value=value, label=label, min_width=400, scale=2)


def file_box(label: str, count: Literal["single", "multiple"] = "single") -> gr.File:
    """Make a box for one file, or for "multiple" ones."""
    return gr.File(label=label, file_count=count, height=170, min_width=220)


def start_buttons(label: str, fill: Callable[[], Any], inputs: Sequence[Any]) -> gr.Button:
    """Make a button that fills in an example, and return the one beside it, which starts."""
    with gr.Row():
        example = gr.Button("Fill in an example")
        start = gr.Button(label, variant="primary")
    example.click(fill, None, list(inputs), **ON_DEMAND)
    return start


def options_of(variant: str, tokenize: str, case: str) -> dict[str, Any]:
    """Turn choices of the page into options of the metric."""
    return {"variant": variant, "tokenize": None if tokenize == OWN else tokenize, "lowercase": CASES[case]}


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


def agreement(ratings: Asked | None, agree: Callable[[Asked], AgreementReport]) -> str:
    """Return how scores agree with ratings, or why that cannot be told; nothing where there are none."""
    if ratings is None:
        return ""
    try:
        with memory_released():
            return rendering.agreement(agree(ratings))
    except RefusedError as refusal:
        return rendering.refusal(f"No agreement with people: {refusal}")


def read_again(read: Callable[..., Asked], inputs: Sequence[Any]) -> Asked:
    """Read files; those that were cleaned away meanwhile are refused."""
    try:
        return read(*inputs)
    except FileNotFoundError:
        raise RefusedError("The files are gone by now: please choose them again.") from None


@contextlib.contextmanager
def refusals_as_errors() -> Iterator[None]:
    """Show refusals as Gradio's errors, which are not printed."""
    try:
        yield
    except RefusedError as refusal:
        raise gr.Error(str(refusal), print_exception=False) from None


def downloads(kinds: Mapping[str, str], write: Callable[..., str], inputs: Sequence[Any], row: str) -> None:
    """Make buttons for files that are made when they are asked for.

    Args:
        kinds: what each button offers, and the ending of its file.
        write: from the ending and the values of `inputs` to the text of the file.
        inputs: components.
        row: the beginning of the files' names.
    """
    for name, ending in kinds.items():
        button = gr.Button(f"Download {name}")
        file = gr.DownloadButton(visible="hidden", elem_id=f"{row}-{ending[1:]}")

        def make(*values: Any, name: str = f"{row}{ending}", ending: str = ending) -> str:
            with refusals_as_errors():
                return write_files({name: write(ending, *values)})[0]

        made = button.click(make, list(inputs), file, **ON_DEMAND)
        made.success(None, js=f"() => window.sari.download('{row}-{ending[1:]}')")


def write_files(texts: Mapping[str, str]) -> list[str]:
    """Write texts to files of these names, where Gradio serves files and cleans them away, and return the paths."""
    cache = Path(get_upload_folder())
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=cache))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [str(folder / name) for name in texts]
