"""Warnings are given once, at the caller, to each thread; those of several systems name them."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from programs import example_corpus, with_system

from sari.sari_scorer import Scorer, compute

CLEAN = with_system(example_corpus(), "rewriting")
SHARED = {name: CLEAN[name] for name in ("sources", "references")}
COPIES = {**SHARED, "predictions": CLEAN["sources"]}
EASSE = Scorer("easse")


def test_a_warning_is_given_once_for_each_line(sari):
    """However often it is executed, and whatever the figures are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for empty in range(1, 4):
            outputs = [""] * empty + CLEAN["predictions"][empty:]
            sari.compute(**SHARED, predictions=outputs, variant="easse", confidence=0.9, resamples=10)
    assert [warning.category.__name__ for warning in caught] == ["EmptyTextsWarning", "ResamplingWarning"]


def test_a_comparison_names_the_system():
    systems = {"good": CLEAN["predictions"], "copies": CLEAN["sources"]}
    doubled = [[*row, row[0]] for row in CLEAN["references"]]
    with EASSE.collect_warnings() as found:
        EASSE.compare(sources=CLEAN["sources"], predictions=systems, references=doubled, resamples=9)
    assert [str(one).startswith("copies: ") for one in found] == [False, True, False, False]
    assert found[-1].detail.endswith(" 0.10")  # of 9 resamples


def test_the_standard_filters_silence_and_raise(sari):
    categories = sari.warning_categories
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sari.score_batch(COPIES)  # never warns
        warnings.simplefilter("ignore", categories["SariWarning"])
        sari.compute(**COPIES)
        warnings.simplefilter("error", categories["CopiedOutputsWarning"])
        with pytest.raises(categories["CopiedOutputsWarning"]):
            sari.compute(**COPIES)


def test_warnings_point_at_the_caller(sari):
    for call in (
        lambda: Scorer().compute(**COPIES),
        lambda: compute(**COPIES),
        lambda: sari.compare(**SHARED, predictions={"copies": CLEAN["sources"]}, resamples=2),
        lambda: sari.compute(**COPIES),
        lambda: (sari.add_batch(**COPIES), sari.compute()),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert {(one.filename, one.lineno) for one in caught} == {(__file__, call.__code__.co_firstlineno)}


def test_warnings_are_collected_by_each_thread_for_itself(sari):
    together = Barrier(4)

    def collected(empty):
        outputs = [""] * empty + CLEAN["predictions"][empty:]
        with sari.collect_warnings() as found:
            together.wait(30)
            sari.compute(**SHARED, predictions=outputs, variant="easse")
            together.wait(30)
        return [warning.detail for warning in found]

    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("error")
        assert list(pool.map(collected, range(4))) == [[], ["1 output"], ["2 outputs"], ["3 outputs"]]


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        ({"confidence": None, "resamples": 99}, True),
        ({"method": None}, True),
        ({"confidence": None, "method": None}, False),
    ],
)
def test_few_segments_matter_where_they_are_resampled(options, is_told):
    systems = {"a": CLEAN["predictions"], "b": CLEAN["sources"]}
    with EASSE.collect_warnings() as found:
        EASSE.compare(**SHARED, predictions=systems, **options)
    details = [one.detail for one in found if type(one).__name__ == "ResamplingWarning"]
    assert details == ["10 segments"] * is_told
