"""A small corpus with texts that are hard to show, its report, and a reader of pages that finds faults of structure."""

from html.parser import HTMLParser

from sari.companion_measures.registry import MEASURES, Settings
from sari.comparison import compare_corpora
from sari.corpus_statistics import score_systems
from sari.reports import building
from sari.reports.explanation import explain
from sari.reports.measuring import Measuring
from sari.reports.score_report import report_of
from sari.significance import resolve_resampling
from sari.validation import validate_systems
from sari.variants import resolve_variant

SOURCES = [
    "The committee subsequently approved the proposal .",
    "He resides in a large dwelling , and he owns two dogs .",
    "It rains .",
    "A <b>bold</b> claim & an *odd* one | here .",
    "The Thames , which passes London , is long .",
]
OUTPUTS = {
    "copy": list(SOURCES),
    "<Simple> & short": [
        "The group then agreed .",
        "He lives in a big house . He owns two dogs .",
        "",
        "A <script>alert(1)</script> claim | `here` .",
        "The Thames is long .",
    ],
}
REFERENCES = [
    ["The group then agreed to the plan .", "The committee agreed ."],
    ["He lives in a big house . He has two dogs ."],
    ["It rains ."],
    ["A <i>bold</i> claim .", "A claim .", ""],
    ["The Thames is long . It passes London ."],
]
SIDE_DATA = {
    "word_ranks": {word: rank for rank, word in enumerate(["the", "a", ".", ",", "he", "group", "house", "dogs"])},
    "stop_words": {"the"},
}
#: The measures that `--measures all` stands for without trees.
FAST_MEASURES = [measure for measure in MEASURES if not (measure.is_slow or "trees" in measure.arguments)]
#: Elements that are never closed.
VOID = {"meta", "img", "br", "link", "hr", "input"}


def built(sources, systems, references, *, side_data=None, confidence=None, seed=12345, **options):
    """Return the report of systems under the options."""
    columns = validate_systems(sources, systems, references)
    variant = resolve_variant(**options)
    states = score_systems(columns, variant, sentences=True, rows=True)
    resampling = resolve_resampling(confidence=confidence, seed=seed)
    compared = compare_corpora(states, resampling=resampling, details=True)
    scored = report_of(columns, {variant.name: compared}, {variant.name: states})
    measuring = Measuring(columns, resampling, Settings.of_options(options, **side_data or {}))
    scored = building.complete_report(
        scored, {variant.name: variant}, measuring, measures=FAST_MEASURES, baselines=["copy"]
    )
    return building.build_report(states, scored, columns, measuring.settings, seed=seed)


def explained(source, prediction, references, *, ngrams=True, **options):
    """Return the explanation of a segment under the options."""
    texts = {"source": source, "prediction": prediction, "references": references}
    return explain(**texts, variant=resolve_variant(**options), ngrams=ngrams)


def report_of_two():
    """Return the report of both systems, with ranks of words and intervals."""
    return built(SOURCES, OUTPUTS, REFERENCES, side_data=SIDE_DATA, confidence=0.9)


def report_of_one():
    """Return the report of one system whose segments have one reference, under another variant."""
    systems = {"short": OUTPUTS["<Simple> & short"]}
    return built(SOURCES, systems, [row[:1] for row in REFERENCES], variant="easse")


class Page(HTMLParser):
    """A page's text, the faults of its structure, and what people find in it.

    Attributes:
        pictures: the address of each picture by its description.
        addresses: of all else.
        rows: the texts of the cells of each row of a table.
    """

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.tags, self.texts = [], [], [], []
        self.pictures, self.addresses, self.rows = {}, [], []
        self.feed(text)
        self.close()
        self.faults += self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        found = dict(attributes)
        if tag == "img":
            self.pictures[found["alt"]] = found.pop("src")
        self.addresses += [found[name] for name in ("src", "href", "srcset", "data") if name in found]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"/{tag}")

    def handle_data(self, data):
        self.texts.append(data)
        if {"th", "td"} & set(self.open):
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())

    @property
    def words(self):
        return " ".join(" ".join(self.texts).split())
