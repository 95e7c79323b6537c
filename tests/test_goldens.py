"""The scores of the public implementations, to 1e-9: by the metric, and by the oracle that the other tests trust.

What produced which number stands in data/README.md. The scores of `lens` are those of lowercased texts, except in a
file of their own.
"""

import json
from collections import defaultdict
from functools import partial
from math import fsum
from pathlib import Path

import oracle
import pytest

from sari.sari_scorer import compute

# Texts are scored as they are, also by variants that expect tokenized ones.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

HERE = Path(__file__).resolve().parent
#: The texts lie next to the checkout, or next to a folder that it is in; they are not ours to ship.
TEXTS = next((path / "shared" / "data" for path in HERE.parents if (path / "shared" / "data").is_dir()), None)
NAMES = ("sari", "keep", "delete", "add")
TOLERANCE = {"abs": 1e-9, "rel": 0}


def read_jsonl(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").strip().split("\n")]


def columns(rows):
    """Return the keyword arguments for segments that are one row each."""
    return {
        "sources": [row["source"] for row in rows],
        "predictions": [row["prediction"] for row in rows],
        "references": [row["references"] for row in rows],
    }


def by_options(rows):
    """Group (row, case) by the options of the case, so that a whole file is one call per group."""
    groups = defaultdict(list)
    for row in rows:
        for case in row["cases"]:
            groups[json.dumps({"variant": case["variant"], **case["options"]})].append((row, case))
    return dict(groups)


def as_scored(texts, variant):
    """Return columns as the producer of the scores got them."""
    if variant != "lens":
        return texts
    return {
        "sources": [text.lower() for text in texts["sources"]],
        "predictions": [text.lower() for text in texts["predictions"]],
        "references": [[text.lower() for text in row] for row in texts["references"]],
    }


SENTENCES = by_options(read_jsonl(HERE / "data" / "sentences.jsonl") + read_jsonl(HERE / "data" / "kriz.jsonl"))
LENS_CASED = read_jsonl(HERE / "data" / "lens_cased.jsonl")
CORPORA = [row for name in ("corpora", "star", "easse_multi") for row in read_jsonl(HERE / "data" / f"{name}.jsonl")]
DOCUMENTS = read_jsonl(HERE / "data" / "dsari.jsonl")
REAL = json.loads((HERE / "data" / "real.json").read_text(encoding="utf-8"))


def test_the_files_are_whole():
    assert [len(SENTENCES), sum(map(len, SENTENCES.values()))] == [11, 3_483]
    assert len(LENS_CASED) == 63
    assert [len(CORPORA), sum(len(corpus["cases"]) for corpus in CORPORA)] == [62, 337]
    assert sum(len(system["cases"]) for system in REAL) == 60
    assert [len(DOCUMENTS), {case["variant"] for row in DOCUMENTS for case in row["cases"]}] == [62, {"dsari"}]


# ---- Single segments ------------------------------------------------------------------------------------------------


def assert_sentences(sari, texts, cases, **options):
    """Assert that the metric and the oracle give these scores for segments, and the metric their mean."""
    result = sari.compute(**texts, **options, details=True)
    by_oracle = oracle.sentences(**texts, **options)
    for name in NAMES:
        golden = [case["scores"][name] for case in cases]
        assert result["sentences"][name] == pytest.approx(golden, **TOLERANCE)
        assert result[name] == pytest.approx(fsum(golden) / len(golden), **TOLERANCE)
        assert by_oracle[name] == pytest.approx(golden, **TOLERANCE)


@pytest.mark.filterwarnings("ignore:.* more like other sources:UserWarning")  # some belong to others
@pytest.mark.parametrize("options", SENTENCES)
def test_sentences(sari, options):
    rows, cases = zip(*SENTENCES[options], strict=True)
    given = json.loads(options)
    assert_sentences(sari, as_scored(columns(rows), given["variant"]), cases, **given)


def test_lens_searches_sources_as_they_are_written(sari):
    assert_sentences(sari, columns(LENS_CASED), [row["cases"][0] for row in LENS_CASED], variant="lens")


WITH_ORDERS = [options for options, group in SENTENCES.items() if "orders" in group[0][1]]


@pytest.mark.parametrize("options", WITH_ORDERS)
def test_orders(options):
    """Those of a corpus are the means of those of its segments."""
    given = json.loads(options)
    rows, cases = zip(*SENTENCES[options], strict=True)
    for found in (score(**columns(rows), **given) for score in (partial(compute, details=True), oracle.details)):
        for order, *expected in zip(found["orders"], *(case["orders"] for case in cases), strict=True):
            means = {name: fsum(row[name] for row in expected) / len(expected) for name in expected[0]}
            assert {name: order[name]["score"] for name in means} == pytest.approx(means, **TOLERANCE)


# ---- Corpora --------------------------------------------------------------------------------------------------------


def assert_cases(corpus, texts, *scorers):
    """Assert that the metric, and perhaps the oracle, give the scores of every case of a corpus."""
    for case in corpus["cases"]:
        for score in scorers:
            found = score(**as_scored(texts, case["variant"]), variant=case["variant"], **case["options"])
            assert {name: found[name] for name in NAMES} == pytest.approx(case["scores"], **TOLERANCE), case


@pytest.mark.parametrize("corpus", CORPORA, ids=range(len(CORPORA)))
def test_corpora(sari, corpus):
    texts = {name: corpus[name] for name in ("sources", "predictions", "references")}
    assert_cases(corpus, texts, sari.compute, oracle.score)


# ---- Documents ------------------------------------------------------------------------------------------------------


def counted_by_punkt():
    """Return a splitter that knows how many sentences Punkt finds in each text, and needs neither it nor its data."""
    counts = {}
    for row in DOCUMENTS:
        texts = [row["prediction"], *row["references"]]
        numbers = [row["sentences"]["prediction"], *row["sentences"]["references"]]
        counts |= zip(texts, numbers, strict=True)
    return lambda text: [text] * counts.get(text, 1)  # the check for copies looks at the beginnings of texts


def test_documents(sari):
    cases = [row["cases"][0] for row in DOCUMENTS]
    assert_sentences(sari, columns(DOCUMENTS), cases, variant="dsari", sentence_splitter=counted_by_punkt())


# ---- Published texts, which are not ours to ship --------------------------------------------------------------------

needs_texts = pytest.mark.skipif(
    TEXTS is None, reason="needs published test sets in shared/data beside the checkout: see tests/data/README.md"
)


def read_lines(name):
    # Not splitlines(): it would also split at characters that are part of a sentence.
    return (TEXTS / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def published(system):
    """Return the texts of one system's output."""
    return {
        "sources": read_lines(system["sources"]),
        "predictions": read_lines(system["predictions"]),
        "references": list(map(list, zip(*map(read_lines, system["references"]), strict=True))),
    }


@needs_texts
@pytest.mark.parametrize("system", REAL, ids=lambda system: Path(system["predictions"]).stem)
def test_published_texts(sari, system):
    # The oracle takes its time: it scores one system of the smaller set.
    oracles = [oracle.score] if system["predictions"].endswith("PBMT-R.txt") else []
    assert_cases(system, published(system), sari.compute, *oracles)


@needs_texts
@pytest.mark.parametrize("row", range(3))
def test_the_worked_example_of_the_paper(sari, row):
    example = read_jsonl(TEXTS / "paper_example.jsonl")[row]
    assert_cases(example, columns([example]), sari.compute, oracle.score)
