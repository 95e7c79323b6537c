"""Warnings are given once, at the caller, to each thread; those of several systems name them."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from clean_texts import CLEAN

from sari.sari_scorer import Scorer, compute


def test_a_warning_is_given_once_for_each_line(sari):
    """However often it is executed, and whatever the figures are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for empty in range(1, 8):
            outputs = [""] * empty + CLEAN["predictions"][empty:]
            sari.compute(**{**CLEAN, "predictions": outputs}, variant="easse", confidence=0.9, resamples=10)
    names = [warning.category.__name__ for warning in caught]
    assert len(names) == len(set(names))
    assert {"EmptyTextsWarning", "ResamplingWarning"} <= set(names)


COPIES = {**CLEAN, "predictions": CLEAN["sources"]}


def test_a_comparison_names_the_system(sari):
    systems = {"good": CLEAN["predictions"], "copies": CLEAN["sources"]}
    columns = {"sources": CLEAN["sources"], "references": [[*row, row[0]] for row in CLEAN["references"]]}
    with sari.collect_warnings() as found:
        sari.with_options(variant="easse").compare(**columns, predictions=systems, resamples=9)
    begins = [str(one)[: str(one).index(" ")] for one in found]
    assert begins == ["two", "copies:", "with", "no"]
    assert found[-1].detail.endswith(" 0.10")  # of 9 resamples


def test_the_standard_filters_silence_and_raise(sari):
    categories = sari.warning_categories
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", categories["SariWarning"])
        sari.compute(**COPIES)
    assert caught == []
    with warnings.catch_warnings():
        warnings.simplefilter("error", categories["CopiedOutputsWarning"])
        with pytest.raises(categories["CopiedOutputsWarning"]):
            sari.compute(**COPIES)


def test_warnings_point_at_the_caller(sari):
    calls = [
        lambda: Scorer().compute(**COPIES),
        lambda: compute(**COPIES),
        lambda: sari.compare(**{**CLEAN, "predictions": {"copies": CLEAN["sources"]}}, resamples=2),
        lambda: sari.compute(**COPIES),
        lambda: (sari.add_batch(**COPIES), sari.compute()),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert {warning.filename for warning in caught} == {__file__}


def test_sentence_scores_of_batches_do_not_warn(sari):
    with sari.collect_warnings() as found:
        sari.score_batch(COPIES)
        sari.with_options(variant="easse").baselines(sources=CLEAN["sources"], references=CLEAN["references"])
    assert found == []


def test_warnings_are_collected_by_each_thread_for_itself(sari):
    together = Barrier(4)

    def collected(empty):
        columns = {"sources": ["a b"] * 8, "predictions": [""] * empty + ["a"] * (8 - empty), "references": ["a"] * 8}
        with sari.collect_warnings() as found:
            together.wait(30)
            sari.compute(**columns, variant="easse")
            together.wait(30)
        return [warning.detail for warning in found]

    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("error")
        assert list(pool.map(collected, range(4))) == [[], ["1 output"], ["2 outputs"], ["3 outputs"]]


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        ({"resamples": 99, "confidence": None}, True),
        ({"method": None}, True),
        ({"method": None, "confidence": None}, False),
    ],
)
def test_few_segments(sari, options, is_told):
    columns = {**CLEAN, "predictions": {"a": CLEAN["predictions"], "b": CLEAN["sources"]}}
    with sari.collect_warnings() as found:
        sari.with_options(variant="easse").compare(**columns, **options)
    details = [one.detail for one in found if type(one).__name__ == "ResamplingWarning"]
    assert details == ["10 segments"] * is_told
