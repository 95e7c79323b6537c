"""The Space: see why an output gets its SARI.

`python app.py` starts it; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT apply. Every score comes from the metric beside
this file. What visitors send is kept nowhere, except uploaded files and those offered for download, for an hour.
"""

import functools
import json
import os
import re
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing here needs another host

import gradio as gr
from gradio.utils import get_upload_folder

from report import answers, markup
from report.downloads import COMPARISON_DOWNLOADS, DOWNLOADS, as_report
from score import load_metric
from variants import VARIANTS

FOLDER = Path(__file__).resolve().parent

OWN = "default"  # the variant's own
CASES = {OWN: None, "lowercase": True, "as written": False}

METHODS = {"Paired bootstrap": "bootstrap", "Paired randomization": "randomization"}

LIMIT_OF_SENTENCE = f"At most {answers.MAX_CHARACTERS:,} characters in all."
LIMIT_OF_CORPUS = f"At most {answers.MAX_SEGMENTS:,} segments and {answers.MAX_MEGABYTES} MB in all."
LIMIT_OF_SYSTEMS = (
    f"At most {answers.MAX_SYSTEMS} systems, {answers.MAX_SEGMENTS:,} segments and {answers.MAX_MEGABYTES} MB in all."
)
TABLE = ("Line", "SARI", "Keep", "Delete", "Add", "Source", "Output", "References")

THEME = gr.themes.Default(
    font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"], primary_hue="blue", neutral_hue="slate"
)
_HOUR = 3600

# Events of the page. Those that follow the input as it changes let the newest input win, and nothing flickers.
ON_DEMAND: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 4}
LIVE: dict[str, Any] = {**ON_DEMAND, "show_progress": "hidden", "trigger_mode": "always_last"}


# ---- Answers as HTML ------------------------------------------------------------------------------------------------


def show_sentence(source: str, output: str, references: str, *choices: str) -> tuple[str, str, str, str]:
    """Return the scores, the marked texts, the figures by order, and the n-grams."""
    try:
        found = answers.explained(load_metric(), source, output, lines_of(references), **options_of(*choices))
    except answers.RefusedError as refusal:
        return markup.refusal(str(refusal)), "", "", ""
    return (
        markup.scores(found.scores) + markup.signature(found.signature),
        markup.texts(found),
        markup.orders(found.orders, found.variant),
        markup.grams(found),
    )


def show_variants(source: str, output: str, references: str) -> str:
    """Return the scores under every variant, with what was scored."""
    metric = load_metric()
    try:
        results = answers.compared(metric, source, output, lines_of(references))
    except answers.RefusedError as refusal:
        return markup.refusal(str(refusal))
    return markup.comparison(results, metric.variants) + markup.given(source, output, lines_of(references))


def show_difference(source: str, output: str, references: str, one: str, other: str) -> str:
    """Return why two variants differ; nothing for texts that cannot be scored, of which the scores say so."""
    found = {"variant_a": one, "variant_b": other}
    try:
        return markup.difference(answers.differing(load_metric(), source, output, lines_of(references), **found))
    except answers.RefusedError:
        return ""


def lines_of(text: str) -> list[str]:
    """Return the lines that are not blank."""
    return [line for line in text.split("\n") if line.strip()]


def options_of(variant: str, tokenize: str, case: str) -> dict[str, Any]:
    """Turn choices of the page into options of the metric."""
    return {"variant": variant, "tokenize": None if tokenize == OWN else tokenize, "lowercase": CASES[case]}


# ---- Endpoints for programs -----------------------------------------------------------------------------------------


def sentence(
    source: str,
    output: str,
    references: list[str],
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
) -> dict:
    """Score one output and say why: the scores, the figures by order, every token with its mark, the n-grams."""
    options = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase}
    with _refusals_as_errors():
        return asdict(answers.explained(load_metric(), source, output, references, **options))


def variants(source: str, output: str, references: list[str]) -> dict:
    """Score one output under every published variant: the scores by the variant's name."""
    with _refusals_as_errors():
        return answers.compared(load_metric(), source, output, references)


def corpus(
    sources: list[str],
    outputs: list[str],
    references: list[list[str]],
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
) -> dict:
    """Score many outputs: the scores, the signature, the figures by order and the scores of every sentence."""
    options = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase}
    with _refusals_as_errors():
        batches = answers.of_lists(sources, outputs, references)
        return answers.scored(load_metric(), batches, lambda _done, _total: None, **options).result


def compare(
    sources: list[str],
    outputs: dict[str, list[str]],
    references: list[list[str]],
    baseline: str | None = None,
    method: str = "bootstrap",
    variant: str = "hf",
    tokenize: str | None = None,
    lowercase: bool | None = None,
) -> dict:
    """Compare several systems, outputs by their names: scores, intervals, differences, p-values, notes."""
    options = {"variant": variant, "tokenize": tokenize, "lowercase": lowercase}
    with _refusals_as_errors():
        systems = answers.systems_of_lists(sources, outputs, references)
        return answers.systems_compared(load_metric(), systems, baseline=baseline, method=method, **options)


def why(source: str, output: str, references: list[str], variant_a: str = "hf", variant_b: str = "easse") -> dict:
    """Tell why two variants score one output differently: the scores after each choice that changes between them."""
    with _refusals_as_errors():
        return answers.differing(load_metric(), source, output, references, variant_a=variant_a, variant_b=variant_b)


@contextmanager
def _refusals_as_errors() -> Iterator[None]:
    try:
        yield
    except answers.RefusedError as refusal:
        raise gr.Error(str(refusal), print_exception=False) from None


# ---- Views ----------------------------------------------------------------------------------------------------------


class Texts(NamedTuple):
    """The boxes of one segment."""

    source: gr.Textbox
    output: gr.Textbox
    references: gr.Textbox


class Choices(NamedTuple):
    """The choices of how to score."""

    variant: gr.Dropdown
    tokenize: gr.Dropdown
    case: gr.Dropdown


@functools.cache
def samples() -> list[dict[str, Any]]:
    """Return the examples to click, of this project's own sentences: name, note, and a segment."""
    lines = (FOLDER / "examples" / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sample_texts(number: int) -> tuple[str, str, str]:
    """Return what an example puts into the boxes."""
    sample = samples()[number]
    return sample["source"], sample["prediction"], "\n".join(sample["references"])


def choices() -> Choices:
    """Make the choices of how to score."""
    with gr.Row():
        return Choices(
            gr.Dropdown(list(VARIANTS), value="hf", label="Variant", min_width=120),
            gr.Dropdown([OWN, *answers.TOKENIZERS], value=OWN, label="Tokenizer", min_width=120),
            gr.Dropdown(list(CASES), value=OWN, label="Case", min_width=120),
        )


def sentence_view() -> tuple[Texts, Choices]:
    """Make the view of one segment, which follows its boxes."""
    first = sample_texts(0)
    shown = show_sentence(*first, "hf", OWN, OWN)
    buttons = example_buttons()
    note = gr.HTML(markup.note(samples()[0]["note"]))
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            texts = Texts(
                gr.Textbox(first[0], label="Source", info="The sentence to simplify.", lines=2),
                gr.Textbox(first[1], label="Output", info="What a system made of it.", lines=2),
                gr.Textbox(first[2], label="References", info="What people made of it, one per line.", lines=3),
            )
            chosen = choices()
        with gr.Column(scale=6, min_width=300):
            outputs = [gr.HTML(shown[0], elem_id="scores"), gr.HTML(shown[1], elem_id="texts")]
    with gr.Accordion("Precision, recall and F1 by n-gram order", open=True):
        outputs.append(gr.HTML(shown[2], elem_id="orders"))
    with gr.Accordion("The n-grams behind each figure", open=False):
        outputs.append(gr.HTML(shown[3], elem_id="grams"))
    for number, button in enumerate(buttons):
        fill = functools.partial(_sample_and_note, number)
        button.click(fill, None, [*texts, note], **LIVE)
    gr.on([box.input for box in texts], lambda: "", [], note, **LIVE)
    gr.on([box.change for box in (*texts, *chosen)], show_sentence, [*texts, *chosen], outputs, **LIVE)
    return texts, chosen


def example_buttons() -> list[gr.Button]:
    """Make a button for each example."""
    with gr.Row(elem_classes="sari-examples"):
        return [gr.Button(sample["name"], size="sm", scale=0, min_width=60) for sample in samples()]


def _sample_and_note(number: int) -> tuple[str, str, str, str]:
    return *sample_texts(number), markup.note(samples()[number]["note"])


def variants_view(tab: gr.Tab, texts: Texts) -> None:
    """Make the view of the same segment under every variant."""
    gr.HTML(markup.note("The texts of the Sentence view under every published SARI, with its own tokens and case."))
    with gr.Row(elem_classes="sari-examples"):
        copy = gr.Button("Make the output a copy of the source", size="sm", scale=0)
    result = gr.HTML(show_variants(*sample_texts(0)), elem_id="variants")
    gr.HTML('<div class="sari-page"><h3>Why two variants differ</h3></div>')
    with gr.Row():
        pair = [
            gr.Dropdown(list(VARIANTS), value=value, label=label, min_width=120)
            for label, value in (("From", "hf"), ("To", "easse"))
        ]
    steps = gr.HTML(show_difference(*sample_texts(0), "hf", "easse"), elem_id="steps")
    for_difference: dict[str, Any] = {"fn": show_difference, "inputs": [*texts, *pair], "outputs": steps, **LIVE}
    gr.on([tab.select, *(box.change for box in pair)], **for_difference)
    tab.select(show_variants, list(texts), result, **LIVE)
    copied = copy.click(lambda source: source, texts.source, texts.output, **LIVE)
    copied.then(show_variants, list(texts), result, **LIVE).then(**for_difference)


class FileResults(NamedTuple):
    """What shows a scored corpus, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    csv: Any
    json: Any
    table: Any
    scored_with: Any


def file_view(tabs: gr.Tabs, sentence_tab: tuple[Texts, Choices]) -> None:
    """Make the view of a corpus: three ways in, one result; a row of it opens in the sentence view."""
    gr.HTML(markup.note(f"{LIMIT_OF_CORPUS} Plain UTF-8 text, line i of every file belongs to segment i."))
    with gr.Tabs():
        with gr.Tab("Text files"):
            with gr.Row():
                plain = [
                    gr.File(label="Sources", height=170, min_width=220),
                    gr.File(label="Outputs", height=170, min_width=220),
                    gr.File(label="References (one file or more)", file_count="multiple", height=170, min_width=220),
                ]
            score_plain = gr.Button("Score these files", variant="primary")
        with gr.Tab("JSONL"):
            jsonl = gr.File(label="A JSON object per line: source, prediction, references", height=170)
            score_jsonl = gr.Button("Score this file", variant="primary")
        with gr.Tab("Paste"):
            with gr.Row():
                pasted = [
                    gr.Textbox(label="Sources", info="One per line.", lines=6, max_lines=12, min_width=220),
                    gr.Textbox(label="Outputs", info="One per line.", lines=6, max_lines=12, min_width=220),
                    gr.Textbox(
                        label="References",
                        info="A line for each segment, with tabs between its references.",
                        lines=6,
                        max_lines=12,
                        min_width=220,
                    ),
                ]
            with gr.Row():
                fill = gr.Button("Fill in an example")
                score_pasted = gr.Button("Score these lines", variant="primary")
    chosen = choices()
    results = file_results()
    fill.click(example_corpus, None, pasted, **ON_DEMAND)
    for button, inputs, score in (
        (score_plain, plain, score_text_files),
        (score_jsonl, [jsonl], score_jsonl_file),
        (score_pasted, pasted, score_pasted_lines),
    ):
        button.click(score, [*chosen, *inputs], list(results), show_progress_on=results.summary, **ON_DEMAND)
    texts, sentence_choices = sentence_tab
    results.table.select(open_row, results.scored_with, [tabs, *texts, *sentence_choices], **LIVE)


def file_results() -> FileResults:
    """Make what shows a scored corpus, empty."""
    summary = gr.HTML(elem_id="corpus", min_height=60)
    with gr.Column(visible=False) as more:
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature")
        with gr.Row():
            csv_button, json_button = (gr.DownloadButton(f"Download {ending[1:].upper()}") for ending in DOWNLOADS)
        gr.HTML(markup.note("Sort with ⋮ at the head of a column. Choose a row to open it in the Sentence view."))
        table = gr.Dataframe(
            headers=list(TABLE),
            datatype=["number", "number", "number", "number", "number", "str", "str", "str"],
            interactive=False,
            max_height=420,
            label="Sentences",
            column_widths=[70, 80, 80, 80, 80, 260, 260, 260],
            max_chars=120,
            elem_id="sentences",
        )
    return FileResults(summary, more, signature, csv_button, json_button, table, gr.State([]))


def score_text_files(variant, tokenize, case, sources, outputs, references, progress=gr.Progress()):  # noqa: B008
    """Score uploaded files of lines."""
    batches = answers.of_files(sources, outputs, references or ())
    return show_corpus(batches, (variant, tokenize, case), progress)


def score_jsonl_file(variant, tokenize, case, jsonl, progress=gr.Progress()):  # noqa: B008
    """Score an uploaded file of JSON objects."""
    return show_corpus(answers.of_jsonl(jsonl), (variant, tokenize, case), progress)


def score_pasted_lines(variant, tokenize, case, sources, outputs, references, progress=gr.Progress()):  # noqa: B008
    """Score pasted lines."""
    return show_corpus(answers.of_texts(sources, outputs, references), (variant, tokenize, case), progress)


def show_corpus(batches: Iterable[answers.Batch], chosen: tuple[str, str, str], progress: gr.Progress) -> FileResults:
    """Return what is shown of a corpus, or of why it was refused."""

    def show_progress(done: int, total: int) -> None:
        progress((done, total), unit="segments")

    try:
        found = answers.scored(load_metric(), batches, show_progress, **options_of(*chosen))
    except answers.RefusedError as refusal:
        return FileResults(markup.refusal(str(refusal)), gr.Column(visible=False), "", None, None, None, [])
    as_csv, as_json = _files({f"sari{ending}": write(found) for ending, write in DOWNLOADS.items()})
    return FileResults(
        summary=markup.corpus(found.result, [row.sari for row in found.rows], chosen[0], found.notes),
        more=gr.Column(visible=True),
        signature=found.result["signature"],
        csv=as_csv,
        json=as_json,
        table=[_cells(row) for row in found.rows],
        scored_with=list(chosen),
    )


def _files(texts: Mapping[str, str]) -> list[str]:
    """Write texts to files of these names, where Gradio serves files and cleans them away, and return the paths."""
    cache = Path(get_upload_folder())
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=cache))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [str(folder / name) for name in texts]


def _cells(row: answers.Row) -> list:
    """Return a row of `TABLE`; a line in the last cell is a reference."""
    scores = [round(score, 2) for score in row[1:5]]
    references = "\n".join(reference.replace("\n", " ") for reference in row.references)
    return [row.line, *scores, row.source, row.output, references]


def open_row(scored_with: list[str], event: gr.SelectData) -> tuple:
    """Return what puts the chosen row into the sentence view."""
    return gr.Tabs(selected="sentence"), *event.row_value[5:8], *scored_with


def example_corpus() -> tuple[str, str, str]:
    """Return the example corpus as pasted lines."""
    names = ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")
    sources, outputs, *references = ((FOLDER / "examples" / name).read_text(encoding="utf-8") for name in names)
    columns = (text.splitlines() for text in references)
    return sources, outputs, "\n".join(map("\t".join, zip(*columns, strict=True)))


class ComparisonResults(NamedTuple):
    """What shows compared systems, as components or as what they show: all but the first is hidden where none was."""

    summary: Any
    more: Any
    signature: Any
    csv: Any
    json: Any
    latex: Any


def compare_view() -> None:
    """Make the view of several systems: their files in, one table, plot and test out."""
    gr.HTML(markup.note(f"{LIMIT_OF_SYSTEMS} Plain UTF-8 text, line i of every file belongs to segment i."))
    with gr.Row():
        files = [
            gr.File(label="Sources", height=170, min_width=220),
            gr.File(label="Outputs (one file per system)", file_count="multiple", height=170, min_width=220),
            gr.File(label="References (one file or more)", file_count="multiple", height=170, min_width=220),
        ]
    chosen = choices()
    with gr.Row():
        baseline = gr.Dropdown([], label="Baseline", info="The others are compared with it.", min_width=220)
        method = gr.Radio(
            list(METHODS), value=next(iter(METHODS)), label="Test", info="Is a difference chance?", min_width=220
        )
    with gr.Row():
        fill = gr.Button("Fill in an example")
        start = gr.Button("Compare these systems", variant="primary")
    summary = gr.HTML(elem_id="systems", min_height=60)
    with gr.Column(visible=False) as more:
        signature = gr.Textbox(
            label="Signature", buttons=["copy"], interactive=False, max_lines=4, elem_id="signature-of-systems"
        )
        with gr.Row():
            buttons = [gr.DownloadButton(f"Download {name}") for name in ("CSV", "JSON", "LaTeX")]
    results = ComparisonResults(summary, more, signature, *buttons)
    fill.click(example_systems, None, files, **ON_DEMAND)
    files[1].change(offer_baselines, [files[1], baseline], baseline, **LIVE)
    start.click(
        compare_files, [*chosen, *files, baseline, method], list(results), show_progress_on=summary, **ON_DEMAND
    )


def example_systems() -> tuple[str, list[str], list[str]]:
    """Return the example corpus with the outputs of two systems, as files."""
    names = {
        "sources.txt": "sources.txt",
        "deleting.txt": "outputs.txt",
        "rewriting.txt": "outputs.rewriting.txt",
        "references.0.txt": "references.0.txt",
        "references.1.txt": "references.1.txt",
    }
    folder = FOLDER / "examples"
    files = _files({name: (folder / original).read_text(encoding="utf-8") for name, original in names.items()})
    return files[0], files[1:3], files[3:]


def offer_baselines(outputs: list[str] | None, baseline: str | None) -> gr.Dropdown:
    """Offer the systems of these files as baselines, the first where the one chosen is not among them."""
    names = answers.system_names(outputs or ())
    return gr.Dropdown(choices=names, value=baseline if baseline in names else next(iter(names), None))


def compare_files(variant, tokenize, case, sources, outputs, references, baseline, method) -> ComparisonResults:
    """Compare uploaded files of lines, or return why they are refused."""
    options = {**options_of(variant, tokenize, case), "baseline": baseline, "method": METHODS[method], "details": True}
    try:
        systems = answers.systems_of_files(sources, outputs or (), references or ())
        found = answers.systems_compared(load_metric(), systems, **options)
    except answers.RefusedError as refusal:
        return ComparisonResults(markup.refusal(str(refusal)), gr.Column(visible=False), "", None, None, None)
    report = as_report(found, variant)
    files = _files({f"systems{ending}": write(report) for ending, write in COMPARISON_DOWNLOADS.items()})
    return ComparisonResults(markup.systems(found, variant), gr.Column(visible=True), found["signature"], *files)


def about_view() -> None:
    """Make the metric card, which says how to cite."""
    gr.Markdown(card((FOLDER / "README.md").read_text(encoding="utf-8")), elem_id="card")


def card(readme: str) -> str:
    r"""Return a README without its front matter, pictures and relative links, which lead nowhere from the page.

    >>> card("---\ntitle: x\n---\n# SARI\n![shot](docs/x.png)\nSee [the code](app.py), [paper](https://x.org).")
    '# SARI\n\nSee the code, [paper](https://x.org).'
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", readme, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?://|#)[^)]*\)", r"\1", text)


def build() -> gr.Blocks:
    """Make the page."""
    warnings.simplefilter("ignore", load_metric().warning_categories["SariWarning"])  # nobody would see them here
    with gr.Blocks(title="SARI", analytics_enabled=False, delete_cache=(_HOUR, _HOUR)) as page:
        gr.HTML(markup.head(LIMIT_OF_SENTENCE))
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                texts, chosen = sentence_view()
            with gr.Tab("Variants", id="variants") as tab:
                variants_view(tab, texts)
            with gr.Tab("File", id="file"):
                file_view(tabs, (texts, chosen))
            with gr.Tab("Compare", id="compare"):
                compare_view()
            with gr.Tab("About", id="about"):
                about_view()
        for endpoint in (sentence, variants, why, corpus, compare):
            gr.api(endpoint, api_name=endpoint.__name__, concurrency_limit=4)
    return page


def launch(page: gr.Blocks, **options) -> str:
    """Start the server and return its address; options are those of `Blocks.launch`."""
    return page.launch(
        theme=THEME,
        css_paths=FOLDER / "report" / "page.css",
        max_file_size=f"{answers.MAX_MEGABYTES}mb",
        footer_links=["api"],
        ssr_mode=False,
        show_error=True,
        **options,
    )[1]


if __name__ == "__main__":
    launch(build())
