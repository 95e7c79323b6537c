"""Reports: what stands in them, that they agree with the metric, and the files and refusals of the command line."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from report.generation import Tree

from report import document, pages, plots, simplification
from report.tables import REPORT_ENDINGS

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("sari", "keep", "delete", "add")

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
TREES = [Tree(tuple(text.split()), (-1, *[0] * (len(text.split()) - 1))) for (text, *_) in REFERENCES]

VOID = {"meta", "img", "br", "link", "hr"}


@pytest.fixture(scope="module")
def report(sari):
    return document.build(sari, sources=SOURCES, systems=OUTPUTS, references=REFERENCES, trees=TREES, confidence=0.9)


@pytest.fixture(scope="module")
def single(sari):
    """Return the report of one system whose segments have one reference, under another variant."""
    first = [row[:1] for row in REFERENCES]
    return document.build(
        sari, sources=SOURCES, systems={"short": OUTPUTS["<Simple> & short"]}, references=first, variant="easse"
    )


class Page(HTMLParser):
    """A page's text, and the faults of its structure."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.addresses, self.tags, self.texts = [], [], [], [], []
        self.feed(text)
        self.close()
        self.faults += self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "srcset", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"/{tag}")

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.texts).split())


# What the numbers are


def test_scores_and_intervals_are_the_metrics(sari, report):
    for system in report.systems:
        columns = {"sources": SOURCES, "predictions": OUTPUTS[system.name], "references": REFERENCES}
        found = sari.compute(**columns, details=True, confidence=0.9, seed=12345)
        assert system.scores == {name: found[name] for name in NAMES}
        assert system.intervals == {name: list(found["confidence_intervals"][name]) for name in NAMES}
        assert system.sentences == found["sentences"]
        assert system.orders == found["orders"]
        assert report.signature == found["signature"]
    assert report.confidence == 0.9
    assert report.references == (1, 3)


def test_options_reach_the_metric(sari, single):
    columns = {"sources": SOURCES, "predictions": OUTPUTS["<Simple> & short"]}
    found = sari.compute(**columns, references=[row[:1] for row in REFERENCES], variant="easse", details=True)
    assert single.systems[0].scores["sari"] == found["sari"]
    assert single.signature == found["signature"]
    assert single.systems[0].intervals is None


def test_measures_are_those_of_the_tokens_that_sari_sees(report):
    system = report.systems[1]
    assert set(system.measures) == {measure.name for measure in document.MEASURES}
    assert None not in system.measures.values()
    lower = [text.lower() for text in OUTPUTS[system.name]]
    distances = simplification.edit_distances([text.lower() for text in SOURCES[:3]], lower[:3])
    assert system.rows["edits_from_source"][:3] == distances.tolist()
    assert system.measures["edits_from_source"] == pytest.approx(np.mean(system.rows["edits_from_source"]))
    assert system.measures["sentences"] == simplification.sentence_counts(OUTPUTS[system.name]).mean()
    assert system.measures["split"] == 20
    assert report.systems[0].measures["exact_copies"] == report.systems[0].measures["unedited"] == 100
    assert report.systems[0].measures["equal_to_reference"] == 20


def test_trees_are_compared_in_the_case_that_sari_sees(sari):
    how = {"sources": SOURCES, "systems": {"a": [row[0] for row in REFERENCES]}, "references": REFERENCES}
    for lowercase in (True, False):
        found = document.build(sari, **how, trees=TREES, lowercase=lowercase, tokenize="none")
        assert found.systems[0].measures["simple_tree_accuracy"] == 1
        assert found.systems[0].measures["understandability"] == pytest.approx(1)


def test_classes_of_lengths(sari, report):
    """Each segment is in one class, and the classes' scores are those of their segments alone."""
    assert sum(length.segments for length in report.lengths) == len(SOURCES)
    ends = [(length.shortest, length.longest) for length in report.lengths]
    assert all(longest < shortest for (_, longest), (shortest, _) in pairwise(ends))
    shortest = report.systems[1].lengths[0]
    place = SOURCES.index("It rains .")
    assert report.lengths[0] == document.Length(3, report.lengths[0].longest, 1)
    alone = sari.compute(
        sources=[SOURCES[place]], predictions=[OUTPUTS["<Simple> & short"][place]], references=[REFERENCES[place]]
    )
    assert {name: shortest[name] for name in NAMES} == alone
    assert shortest["compression_ratio"] == 0


def test_what_stands_beside_the_systems(sari, report):
    """The source as an output; the first reference against the others, without SARI where it is the only one."""
    copied, reference = report.beside
    assert copied.scores == report.systems[0].scores
    assert reference.scores is None
    assert reference.measures["bleu"] is reference.measures["simple_tree_accuracy"] is None
    assert reference.measures["exact_copies"] == 20
    pairs = [["a b c", "a b d"], ["e f", "g f"]]
    found = document.build(sari, sources=["a b c d", "e f g"], systems={"x": ["a", "b"]}, references=pairs)
    against = sari.compute(sources=["a b c d", "e f g"], predictions=["a b c", "e f"], references=[["a b d"], ["g f"]])
    assert found.beside[1].scores == against


def test_examples(report, single):
    titles = [group.title for group in report.examples]
    names = list(OUTPUTS)
    assert titles == [
        "Random segments",
        *(f"{which} segments of {name}" for name in names for which in ("Best", "Worst")),
    ]
    assert [group.title for group in single.examples] == ["Random segments", "Best segments", "Worst segments"]
    assert all(list(example.outputs) == names for example in report.examples[0].segments)
    scores = report.systems[1].sentences["sari"]
    best, worst = ([example.number - 1 for example in group.segments] for group in report.examples[3:])
    assert [scores[place] for place in best] == sorted(scores, reverse=True)[: len(best)]
    assert [scores[place] for place in worst] == sorted(scores)[: len(worst)]
    for group in report.examples:
        for example in group.segments:
            assert example.source == SOURCES[example.number - 1]
            assert example.references == REFERENCES[example.number - 1]
            for name, found in example.outputs.items():
                (system,) = (system for system in report.systems if system.name == name)
                assert found.scores["sari"] == pytest.approx(system.sentences["sari"][example.number - 1])


def test_the_seed_chooses_the_random_segments(sari):
    many = [f"number {number} ." for number in range(60)]
    how = {"sources": many, "systems": {"a": many}, "references": [[text] for text in many]}
    chosen = [
        [example.number for example in document.build(sari, **how, seed=seed).examples[0].segments]
        for seed in (1, 1, 2)
    ]
    assert chosen[0] == chosen[1] != chosen[2]
    assert chosen[0] == sorted(set(chosen[0]))


def test_progress_is_told(sari):
    calls = []
    systems = {"a": ["b"], "c": ["d"]}
    document.build(sari, sources=["x"], systems=systems, references=[["y"]], advance=lambda: calls.append(1))
    assert len(calls) == document.steps(len(systems))


@pytest.mark.parametrize(
    ("sources", "outputs", "references"),
    [
        (["a b ."], ["a ."], [["a ."]]),
        ([""], [""], [[""]]),
        ([" "], ["\u3000"], [["", " "]]),
        (["x"] * 3, ["x"] * 3, [["x"]] * 3),
        (["日本語です。", "😀 é"], ["日本。", "é"], [["日本。"], ["😀"]]),
    ],
)
@pytest.mark.parametrize("variant", ["hf", "easse_legacy", "xu2016"])
def test_every_format_takes_odd_corpora(sari, sources, outputs, references, variant):
    found = document.build(
        sari, sources=sources, systems={"": outputs}, references=references, variant=variant, confidence=0.95
    )
    assert not Page(pages.as_html(found)).faults
    assert pages.as_markdown(found)
    assert json.loads(pages.as_json(found))["segments"] == len(sources)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"systems": {"a": ["x"]}}, ValueError, "predictions: got 1 rows, wanted 5"),
        ({"trees": TREES[:2]}, ValueError, "trees: got 2 rows, wanted 5, as many as sources"),
        ({"variant": "bleu"}, ValueError, "variant: got 'bleu', wanted one of"),
        ({"sources": [None] * 5}, TypeError, "sources[0]: got NoneType, wanted str"),
    ],
)
def test_refusals(sari, change, error, message):
    with pytest.raises(error) as caught:
        document.build(sari, **{"sources": SOURCES, "systems": OUTPUTS, "references": REFERENCES, **change})
    assert str(caught.value).startswith(message)


# The page


def test_page(report):
    text = pages.as_html(report)
    page = Page(text)
    assert not page.faults
    assert not {"script", "link", "i"} & set(page.tags)
    assert page.addresses
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    assert not re.search(r"url\(|@import", text)
    assert "SARI of copy, <Simple> & short" in page.words
    assert "< script > alert" in page.words
    assert "A <i>bold</i> claim ." in page.words
    assert report.signature in page.words
    for system in report.systems:
        low, high = system.intervals["sari"]
        assert f"{system.scores['sari']:.2f} {low:.2f} to {high:.2f}" in page.words
        assert f"{system.measures['bleu']:.2f}" in page.words
    assert all(measure.label in page.words for measure in document.MEASURES)
    assert "5 segments, 1 to 3 references each." in page.words
    assert "intervals at" not in page.words
    assert "90 % confidence" in page.words


def test_page_of_one_system(single):
    page = Page(pages.as_html(single))
    assert not page.faults
    assert "confidence" not in page.words
    assert "Simple tree accuracy" not in page.words
    assert "Best segments of" not in page.words


def test_a_title_does_not_name_many_systems(sari):
    systems = {f"system {number}": ["a"] for number in range(5)}
    page = Page(pages.as_html(document.build(sari, sources=["a b"], systems=systems, references=[["a"]])))
    assert page.words.startswith("SARI of 5 systems")
    assert all(name in page.words for name in systems)


def test_warnings_are_on_the_page(sari):
    how = {"sources": ["Some words here ."] * 30, "references": [["Words ."]] * 30}
    found = document.build(sari, systems={"empty": [""] * 30}, **how)
    assert found.cautions
    assert all(caution in Page(pages.as_html(found)).words for caution in found.cautions)


# Markdown and JSON


def test_markdown_tables_are_even(report):
    text = pages.as_markdown(report)
    tables = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    assert len(tables) == 3
    for table in tables:
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1
    assert r"\<Simple\> & short" in text
    assert r"\<i\>bold\</i\>" in text
    assert "~~subsequently~~" in text


def test_json_has_one_schema(sari, report):
    how = {"sources": SOURCES, "systems": {"copy": SOURCES}, "references": REFERENCES, "trees": TREES}
    several, one = json.loads(pages.as_json(report)), json.loads(pages.as_json(document.build(sari, **how)))

    def schema(value):
        if isinstance(value, dict):
            return {name: schema(inner) for name, inner in value.items() if name not in ("outputs", "intervals")}
        return schema(value[0]) if isinstance(value, list) and value else None

    assert set(one) == set(several)
    assert schema(one["systems"]) == schema(several["systems"])
    assert schema(one["examples"]) == schema(several["examples"])
    explanation = several["examples"][0]["segments"][0]["outputs"]["copy"]
    assert set(explanation) == {"variant", "signature", "scores", "source", "output", "missed"}
    assert set(explanation["source"][0]) == {"text", "mark", "why"}


def test_endings_are_known_without_loading_the_pages():
    assert tuple(pages.FORMATS) == REPORT_ENDINGS


# Pictures


def test_pictures_are_the_same_from_the_same_numbers():
    values = {"a": [1.0, 2.0, 2.0], "b": [3.0]}
    assert plots.histogram(values, "x") == plots.histogram(values, "x")
    assert plots.histogram(values, "x") != plots.histogram({"a": [1.0], "b": [3.0]}, "x")
    shown = plots.lines({"a": [1.0, 2.0]}, ["1–2", "3"], x="x", y="y")
    assert shown.startswith("<?xml")
    assert "</svg>" in shown


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [1, 2, 9])
def test_pictures_take_any_name(number):
    names = [f"{name}{place}" for place, name in enumerate(("_a", "$x$ & <b>", "日本", "") * 3)][:number]
    for shown in (
        plots.histogram({name: [1.0] for name in names}, "x"),
        plots.lines({name: [1.0] for name in names}, ["1"], x="x", y="y"),
    ):
        texts = [
            element.text.strip() for element in ElementTree.fromstring(shown).iter("{http://www.w3.org/2000/svg}text")
        ]
        assert number == 1 or set(names) <= set(texts)


# The command line


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "s.txt").write_text("\n".join(SOURCES) + "\n")
    (tmp_path / "a.txt").write_text("\n".join(OUTPUTS["copy"]) + "\n")
    (tmp_path / "b.txt").write_text("\n".join(OUTPUTS["<Simple> & short"]) + "\n")
    (tmp_path / "r.txt").write_text("\n".join(row[0] for row in REFERENCES) + "\n")
    with (tmp_path / "t.conllu").open("w") as file:
        for tree in TREES:
            for number, (token, head) in enumerate(zip(tree.tokens, tree.heads, strict=True), 1):
                file.write(f"{number}\t{token}\t_\t_\t_\t_\t{head + 1}\t_\t_\t_\n")
            file.write("\n")
    return tmp_path


FILES = ["--sources", "s.txt", "--references", "r.txt", "--outputs", "a.txt", "b.txt"]


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, str(ROOT / "score.py"), *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )


def test_command_writes_a_page_and_prints_the_scores(folder):
    plain, process = run(folder, *FILES), run(folder, *FILES, "--report", "x.html")
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == plain.stdout
    page = Page((folder / "x.html").read_text(encoding="utf-8"))
    assert not page.faults
    assert "SARI of a, b" in page.words
    assert "95 % confidence" in page.words


def test_command_with_trees(folder, sari):
    how = ["--variant", "easse", "--confidence", "0.8", "--resamples", "50", "--format", "json"]
    process = run(folder, *FILES, *how, "--report", "x.json", "--trees", "t.conllu")
    assert (process.returncode, process.stderr) == (0, "")
    found = json.loads((folder / "x.json").read_text(encoding="utf-8"))
    assert found["confidence"] == 0.8
    printed = json.loads(process.stdout)["systems"][1]
    assert found["systems"][1]["intervals"] == printed["confidence_intervals"]
    assert found["systems"][1]["measures"]["understandability"] < 1
    first = [row[0] for row in REFERENCES]
    scores = sari.compute(sources=SOURCES, predictions=OUTPUTS["copy"], references=first, variant="easse")
    assert found["systems"][0]["scores"] == scores


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--report", "x.pdf"], "--report: got 'x.pdf', wanted a name ending in .html, .md, .json"),
        (["--report", "x.md", "--all-variants"], "--report is about one variant, not --all-variants"),
        (["--report", "x.md", "--explain", "1"], "--explain shows one line of one system"),
        (["--report", "x.md", "--trees", "x.md"], "x.md: is an input, wanted another file to write"),
        (["--trees", "t.conllu"], "--trees are for measures in a --report"),
        (["--report", "x.md", "--trees", "none"], "none: No such file or directory, wanted a file to read"),
        (["--report", "x.md", "--trees", "s.txt"], "s.txt: sentence 1: "),
        (["--report", "x.md", "--trees", "short"], "trees: got 1 rows, wanted 5, as many as sources"),
        (["--report", "none/x.md"], "none/x.md: No such folder, wanted a file to write"),
        (["--report", "own.md", "--jsonl", "own.md"], "own.md: is an input, wanted another file to write"),
    ],
)
def test_command_refuses(folder, arguments, message):
    (folder / "x.md").write_text("what stood there before")
    (folder / "short").write_text("1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n")
    (folder / "own.md").write_text('{"source": "a", "prediction": "b", "references": "c"}\n')
    process = run(folder, *([] if "--jsonl" in arguments else FILES), *arguments)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.splitlines()[-1].startswith(f"score.py: error: {message}")
    assert (folder / "x.md").read_text() == "what stood there before"
