"""The scores of the public implementations, to 1e-9: by the metric, and by the oracle that the other tests trust.

What produced which number stands in data/README.md. The scores of `lens` are those of lowercased texts, except in a
file of their own.
"""

import json
from collections import defaultdict
from math import fsum
from pathlib import Path

import oracle
import pytest

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared"
TEXTS = SHARED / "data"
NAMES = ("sari", "keep", "delete", "add")
TOLERANCE = {"abs": 1e-9, "rel": 0}


def read_jsonl(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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


def of_corpus(scores):
    return {name: scores[name] for name in NAMES}


def as_scored(texts, variant):
    """Return columns as the producer of the scores got them."""
    if variant != "lens":
        return texts
    return {
        "sources": [text.lower() for text in texts["sources"]],
        "predictions": [text.lower() for text in texts["predictions"]],
        "references": [[text.lower() for text in row] for row in texts["references"]],
    }


SENTENCES = by_options(read_jsonl(HERE / "data" / "sentences.jsonl"))
LENS_CASED = by_options(read_jsonl(HERE / "data" / "lens_cased.jsonl"))
CORPORA = read_jsonl(HERE / "data" / "corpora.jsonl") + read_jsonl(HERE / "data" / "star.jsonl")
DOCUMENTS = read_jsonl(HERE / "data" / "dsari.jsonl")
REAL = json.loads((HERE / "data" / "real.json").read_text(encoding="utf-8"))


def test_the_files_are_whole():
    assert {
        name: len(cases) for name, cases in SENTENCES.items() if "moses" in name or name == '{"variant": "hf"}'
    } == {
        '{"variant": "hf"}': 346,
        '{"variant": "hf", "tokenize": "moses"}': 91,
    }
    assert len(SENTENCES) == 10
    assert {name: len(cases) for name, cases in LENS_CASED.items()} == {'{"variant": "lens"}': 63}
    assert [len(CORPORA), sum(len(corpus["cases"]) for corpus in CORPORA)] == [37, 287]
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


@pytest.mark.parametrize("options", SENTENCES)
def test_sentences(sari, options):
    rows, cases = zip(*SENTENCES[options], strict=True)
    given = json.loads(options)
    assert_sentences(sari, as_scored(columns(rows), given["variant"]), cases, **given)


def test_lens_searches_sources_as_they_are_written(sari):
    rows, cases = zip(*LENS_CASED['{"variant": "lens"}'], strict=True)
    assert_sentences(sari, columns(rows), cases, variant="lens")


def assert_orders(table, golden):
    assert [row["order"] for row in table] == [1, 2, 3, 4]
    for row, expected in zip(table, golden, strict=True):
        assert {name: row[name]["score"] for name in expected} == pytest.approx(expected, **TOLERANCE)


WITH_ORDERS = [options for options, group in SENTENCES.items() if "orders" in group[0][1]]


@pytest.mark.parametrize("options", WITH_ORDERS)
def test_orders(sari, options):
    for row, case in SENTENCES[options]:
        # A state has no Arrow file to write, which one call per segment would feel.
        state = sari.state(**json.loads(options))
        state.update(**columns([row]))
        assert_orders(state.compute(details=True)["orders"], case["orders"])


@pytest.mark.parametrize("options", WITH_ORDERS)
def test_orders_are_means_over_segments(sari, options):
    rows, cases = zip(*SENTENCES[options], strict=True)
    means = [oracle.average(column) for column in zip(*(case["orders"] for case in cases), strict=True)]
    assert_orders(sari.compute(**columns(rows), **json.loads(options), details=True)["orders"], means)


@pytest.mark.parametrize("options", WITH_ORDERS)
def test_orders_by_the_oracle(options):
    for row, case in SENTENCES[options]:
        assert_orders(oracle.orders(**columns([row]), **json.loads(options)), case["orders"])


# ---- Corpora --------------------------------------------------------------------------------------------------------


def texts(corpus):
    return {name: corpus[name] for name in ("sources", "predictions", "references")}


@pytest.mark.parametrize("index", range(len(CORPORA)))
def test_corpora(sari, index):
    corpus = CORPORA[index]
    for case in corpus["cases"]:
        result = sari.compute(**as_scored(texts(corpus), case["variant"]), variant=case["variant"], **case["options"])
        assert of_corpus(result) == pytest.approx(case["scores"], **TOLERANCE), case


@pytest.mark.parametrize("index", range(len(CORPORA)))
def test_corpora_by_the_oracle(index):
    corpus = CORPORA[index]
    for case in corpus["cases"]:
        result = oracle.score(**as_scored(texts(corpus), case["variant"]), variant=case["variant"], **case["options"])
        assert result == pytest.approx(case["scores"], **TOLERANCE), case


# ---- Documents ------------------------------------------------------------------------------------------------------


def counted_by_punkt():
    """Return a splitter that knows how many sentences Punkt finds in each text, and needs neither it nor its data."""
    counts = {}
    for row in DOCUMENTS:
        texts = [row["prediction"], *row["references"]]
        numbers = [row["sentences"]["prediction"], *row["sentences"]["references"]]
        counts |= zip(texts, numbers, strict=True)
    return lambda text: [text] * counts.get(text, 1)  # the check for copies looks at the beginnings of texts


@pytest.mark.parametrize("scored", ["metric", "oracle"])
def test_documents(sari, scored):
    options = {"variant": "dsari", "sentence_splitter": counted_by_punkt()}
    texts = columns(DOCUMENTS)
    if scored == "metric":
        result = sari.compute(**texts, **options, details=True)["sentences"]
    else:
        result = oracle.sentences(**texts, **options)
    for name in NAMES:
        golden = [row["cases"][0]["scores"][name] for row in DOCUMENTS]
        assert result[name] == pytest.approx(golden, **TOLERANCE)


def test_a_corpus_of_documents_is_their_mean(sari):
    result = sari.compute(**columns(DOCUMENTS), variant="dsari", sentence_splitter=counted_by_punkt())
    for name in NAMES:
        golden = [row["cases"][0]["scores"][name] for row in DOCUMENTS]
        assert result[name] == pytest.approx(fsum(golden) / len(golden), **TOLERANCE)


# ---- Published texts, which are not ours to ship --------------------------------------------------------------------

needs_texts = pytest.mark.skipif(not SHARED.is_dir(), reason=f"no published texts in {SHARED}")


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
    corpus = published(system)
    for case in system["cases"]:
        result = sari.compute(**as_scored(corpus, case["variant"]), variant=case["variant"], **case["options"])
        assert of_corpus(result) == pytest.approx(case["scores"], **TOLERANCE), case


@needs_texts
def test_published_texts_by_the_oracle():
    # One system of the smaller set: the oracle takes its time.
    system = next(system for system in REAL if system["predictions"].endswith("PBMT-R.txt"))
    corpus = published(system)
    for case in system["cases"]:
        result = oracle.score(**as_scored(corpus, case["variant"]), variant=case["variant"], **case["options"])
        assert result == pytest.approx(case["scores"], **TOLERANCE), case


@needs_texts
@pytest.mark.parametrize("row", range(3))
def test_the_worked_example_of_the_paper(sari, row):
    example = read_jsonl(TEXTS / "paper_example.jsonl")[row]
    for case in example["cases"]:
        texts = as_scored(columns([example]), case["variant"])
        result = sari.compute(**texts, variant=case["variant"], **case["options"], details=True)
        assert of_corpus(result) == pytest.approx(case["scores"], **TOLERANCE), case
        if "orders" in case:
            assert_orders(result["orders"], case["orders"])
