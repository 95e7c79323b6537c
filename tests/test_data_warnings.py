"""Warnings are given once, at the caller, to each thread; variants and numbers of segments cause some."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from clean_texts import CLEAN, changed, tokenized

from sari.data_warnings import CATEGORIES
from sari.sari_scorer import Scorer


@pytest.fixture(scope="module")
def clean():
    return CLEAN


def test_a_warning_is_given_once_for_each_line(sari, clean):
    """However often it is executed, and whatever the figures are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for empty in range(1, 8):
            outputs = [""] * empty + clean["predictions"][empty:]
            sari.compute(**{**clean, "predictions": outputs}, variant="easse", confidence=0.9, resamples=10)
    names = [warning.category.__name__ for warning in caught]
    assert len(names) == len(set(names))
    assert {"EmptyTextsWarning", "ResamplingWarning"} <= set(names)


@pytest.mark.parametrize("variant", ["hf", "t2t", "easse_multi", "easse_legacy", "star"])
def test_rewarded_copies_are_a_warning_where_they_can_mislead(clean, variant):
    columns = changed(clean, tokenized) if variant in ("hf", "t2t") else clean
    texts, copies = columns["predictions"], {**columns, "predictions": columns["sources"]}
    shared = {"sources": columns["sources"], "references": columns["references"]}

    def rewarded(use, name):
        with Scorer.collect_warnings(Scorer()) as found:
            use(Scorer(name))
        return [one.advice for one in found if type(one).__name__ == "RewardsCopyingWarning"]

    for use in (
        lambda scorer: scorer.compute(**columns),
        lambda scorer: scorer.compare(**shared, predictions={"a": texts}, confidence=None),
    ):
        assert rewarded(use, variant) == []
    for use in (
        lambda scorer: scorer.compute(**columns, baselines=True),
        lambda scorer: scorer.compute(**copies),
        lambda scorer: scorer.compare(**shared, predictions={"a": texts, "b": texts}, confidence=None),
        lambda scorer: scorer.baselines(**shared),
        lambda scorer: scorer.score_candidates(**shared, candidates=[[text] for text in texts]),
        lambda scorer: scorer.reward(),
    ):
        assert rewarded(use, variant) == [("variant", ("easse", "xu2016"))]
        assert rewarded(use, "easse") == []


@pytest.mark.parametrize("variant", ["easse_multi", "easse_legacy", "star"])
def test_variants_that_treat_sources_otherwise_reward_no_copies_of_tokenized_lowercased_texts(clean, variant):
    columns = changed(clean, lambda text: tokenized(text).lower())
    scorer, shared = Scorer(variant), {"sources": columns["sources"], "references": columns["references"]}
    with scorer.collect_warnings() as found:
        scorer.baselines(**shared)
        scorer.score_candidates(**shared, candidates=[[text] for text in columns["predictions"]])
        scorer.compare(**shared, predictions=dict.fromkeys("ab", columns["predictions"]), confidence=None)
    assert [one for one in found if type(one).__name__ != "ResamplingWarning"] == []


@pytest.mark.parametrize(
    ("variant", "lowercases_alike"), [("easse_multi", False), ("easse_legacy", True), ("star", True)]
)
def test_rewarded_copies_are_explained_by_what_differs(variant, lowercases_alike):
    """Two of the variants lowercase neither sources nor outputs."""
    with Scorer(variant).collect_warnings() as found:
        Scorer(variant).reward()
    assert ["lowercase" in warning.message for warning in found] == [not lowercases_alike]


def test_all_categories_can_be_filtered_by_one(sari):
    base = sari.warning_categories["SariWarning"]
    assert all(issubclass(category, base) for category in sari.warning_categories.values())
    assert set(sari.warning_categories) == set(CATEGORIES)


def test_a_comparison_names_the_system(sari, clean):
    systems = {"good": clean["predictions"], "copies": clean["sources"]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doubled = [[*row, row[0]] for row in clean["references"]]
        sari.with_options(variant="easse").compare(
            sources=clean["sources"], predictions=systems, references=doubled, resamples=9
        )
    assert [warning.category.__name__ for warning in caught] == [
        *("MisplacedTextsWarning", "CopiedOutputsWarning", "ResamplingWarning", "ResamplingWarning")
    ]
    assert [str(warning.message).startswith("copies: ") for warning in caught] == [False, True, False, False]
    assert caught[-1].message.detail.endswith(" 0.10")  # of 9 resamples


def test_the_standard_filters_silence_and_raise(sari, clean):
    copies = {**clean, "predictions": clean["sources"]}
    categories = sari.warning_categories
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", categories["SariWarning"])
        sari.compute(**copies)
    assert caught == []
    with warnings.catch_warnings():
        warnings.simplefilter("error", categories["CopiedOutputsWarning"])
        with pytest.raises(categories["CopiedOutputsWarning"]):
            sari.compute(**copies)


def test_warnings_point_at_the_caller(sari, clean):
    copies = {**clean, "predictions": clean["sources"]}
    calls = [
        lambda: Scorer().compute(**copies),
        lambda: sari.compare(**{**clean, "predictions": {"copies": clean["sources"]}}, resamples=2),
    ]
    if sys.version_info >= (3, 12):
        calls += [lambda: sari.compute(**copies), lambda: (sari.add_batch(**copies), sari.compute())]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert {warning.filename for warning in caught} == {__file__}


def test_sentence_scores_of_batches_do_not_warn(sari, clean):
    with sari.collect_warnings() as found:
        sari.score_batch({**clean, "predictions": clean["sources"]})
        sari.with_options(variant="easse").baselines(sources=clean["sources"], references=clean["references"])
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
def test_few_segments(sari, clean, options, is_told):
    columns = {**clean, "predictions": {"a": clean["predictions"], "b": clean["sources"]}}
    with sari.collect_warnings() as found:
        sari.with_options(variant="easse").compare(**columns, **options)
    details = [one.detail for one in found if type(one).__name__ == "ResamplingWarning"]
    assert details == ["10 segments"] * is_told
