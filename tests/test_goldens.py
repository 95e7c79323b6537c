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
from hostile_texts import NAMES

# Texts are scored as they are, also by variants that expect tokenized ones.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

HERE = Path(__file__).resolve().parent
#: The texts lie next to the checkout, or next to a folder that it is in; they are not ours to ship.
TEXTS = next((path / "shared" / "data" for path in HERE.parents if (path / "shared" / "data").is_dir()), None)
TOLERANCE = {"abs": 1e-9, "rel": 0}


def read(*names):
    """Return the rows of files of goldens."""
    return [json.loads(line) for name in names for line in (HERE / "data" / name).open(encoding="utf-8")]


def test_no_case_is_lost():
    files = (HERE / "data").glob("*.json*")
    assert sum(file.read_text(encoding="utf-8").count('"variant"') for file in files) == 4_005


def columns(rows):
    """Return the keyword arguments for segments that are one row each."""
    return {f"{name.rstrip('s')}s": [row[name] for row in rows] for name in ("source", "prediction", "references")}


def as_scored(texts, variant):
    """Return columns as the producer of the scores got them."""
    if variant != "lens":
        return texts
    lowered = {name: [text.lower() for text in texts[name]] for name in ("sources", "predictions")}
    return {**lowered, "references": [[text.lower() for text in row] for row in texts["references"]]}


#: Segments with their cases, by the options of the cases, so that they are scored by one call.
SEGMENTS = defaultdict(list)
for _row in read("sentences.jsonl", "kriz.jsonl"):
    for _case in _row["cases"]:
        SEGMENTS[json.dumps({"variant": _case["variant"], **_case["options"]})].append((_row, _case))


def assert_segments(sari, texts, cases, **options):
    """Assert that the metric and the oracle give these scores of segments, and the means of those and of orders."""
    for found in (sari.compute(**texts, **options, details=True), oracle.details(**texts, **options)):
        for name in NAMES:
            golden = [case["scores"][name] for case in cases]
            assert found["sentences"][name] == pytest.approx(golden, **TOLERANCE)
            assert found[name] == pytest.approx(fsum(golden) / len(golden), **TOLERANCE)
        for place, order in enumerate(found["orders"] if "orders" in cases[0] else ()):
            for name in NAMES[1:]:
                golden = [case["orders"][place][name] for case in cases]
                assert order[name]["score"] == pytest.approx(fsum(golden) / len(golden), **TOLERANCE)


@pytest.mark.parametrize("options", SEGMENTS)
def test_segments(sari, options):
    rows, cases = zip(*SEGMENTS[options], strict=True)
    given = json.loads(options)
    assert_segments(sari, as_scored(columns(rows), given["variant"]), cases, **given)


def test_lens_searches_sources_as_they_are_written(sari):
    rows = read("lens_cased.jsonl")
    assert_segments(sari, columns(rows), [row["cases"][0] for row in rows], variant="lens")


def test_documents(sari):
    """With the numbers of sentences that Punkt finds, so that neither it nor its data is needed."""
    rows, counts = read("dsari.jsonl"), {}
    for row in rows:
        numbers = [row["sentences"]["prediction"], *row["sentences"]["references"]]
        counts |= zip([row["prediction"], *row["references"]], numbers, strict=True)

    def split(text):
        return [text] * counts.get(text, 1)  # the check for copies looks at the beginnings of texts

    assert_segments(sari, columns(rows), [row["cases"][0] for row in rows], variant="dsari", sentence_splitter=split)


def assert_cases(corpus, texts, *scorers):
    """Assert that the metric, and perhaps the oracle, give the scores of every case of a corpus."""
    for case in corpus["cases"]:
        for score in scorers:
            found = score(**as_scored(texts, case["variant"]), variant=case["variant"], **case["options"])
            assert {name: found[name] for name in NAMES} == pytest.approx(case["scores"], **TOLERANCE), case


def test_corpora(sari):
    for corpus in read("corpora.jsonl", "star.jsonl", "easse_multi.jsonl"):
        texts = {name: corpus[name] for name in ("sources", "predictions", "references")}
        assert_cases(corpus, texts, sari.compute, oracle.score)


REAL = json.loads((HERE / "data" / "real.json").read_text(encoding="utf-8"))


def read_lines(name):
    # Not splitlines(): it would also split at characters that are part of a sentence.
    return (TEXTS / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.mark.skipif(
    TEXTS is None, reason="needs published test sets in shared/data beside the checkout: see tests/data/README.md"
)
@pytest.mark.parametrize("system", REAL, ids=lambda system: Path(system["predictions"]).stem)
def test_published_texts(sari, system):
    sources, predictions = read_lines(system["sources"]), read_lines(system["predictions"])
    references = list(map(list, zip(*map(read_lines, system["references"]), strict=True)))
    texts = {"sources": sources, "predictions": predictions, "references": references}
    # The oracle takes its time: it scores one system of the smaller set.
    oracles = [oracle.score] if system["predictions"].endswith("PBMT-R.txt") else []
    assert_cases(system, texts, sari.compute, *oracles)
