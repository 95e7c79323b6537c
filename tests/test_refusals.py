"""What is refused wherever texts come in: every kind of column that holds none, in one line, and nothing is harmed."""

from pathlib import Path

import numpy as np
import pytest
from four_segments import load
from refusals import BAD, GOOD, NAMES, NO_SEGMENTS, ROWS, SCORES, TEXTS, refuses

from sari.scorer import Scorer

WAYS = {
    "compute": lambda metric, texts: metric.compute(**texts),
    "add_batch": lambda metric, texts: metric.add_batch(**texts),
    "update": lambda metric, texts: metric.state().update(**texts),
    "score_batch": lambda metric, texts: metric.score_batch(texts),
}


every_way = pytest.mark.parametrize("call", WAYS.values(), ids=WAYS)


@pytest.fixture(scope="module")
def metric(tmp_path_factory):
    """Return one metric for all tests, with a cache folder of its own: what one leaves behind shows in the next."""
    return load(cache_dir=str(tmp_path_factory.mktemp("cache")))


def cached(metric):
    return [path.name for path in Path(metric.data_dir).rglob("*.arrow")]


def assert_unharmed(metric):
    assert len(metric) == 0
    assert cached(metric) == []
    assert metric.compute(**GOOD) == pytest.approx(SCORES)
    metric.add_batch(**GOOD)
    assert metric.compute() == pytest.approx(SCORES)
    assert cached(metric) == []


def one(row):
    """Return a segment as columns of one row."""
    return {name: [column[row]] for name, column in GOOD.items()}


# ---- Wherever texts come in -----------------------------------------------------------------------------------------


@every_way
@pytest.mark.parametrize(("change", "message"), BAD, ids=[message[:60] for _, message in BAD])
def test_refused(metric, call, change, message):
    with refuses(ValueError, message) as error:
        call(metric, {**GOOD, **change})
    assert error.value.__suppress_context__ or error.value.__context__ is None, "another error shows above this one"
    assert len(metric) == 0
    assert cached(metric) == []


@pytest.mark.parametrize(("change", "message"), BAD[::9], ids=[message[:60] for _, message in BAD[::9]])
def test_refused_without_evaluate(change, message):
    for call in (Scorer().compute, Scorer().state().update, Scorer().explain_difference):
        with refuses(ValueError, message):
            call(**{**GOOD, **change})


@every_way
def test_unharmed_by_refusals(metric, call):
    for change, _ in BAD[::7]:
        with pytest.raises(ValueError, match=": got "):
            call(metric, {**GOOD, **change})
        assert_unharmed(metric)


def test_annotators_of_one_segment(metric):
    with refuses(
        ValueError, "references: got 2 rows, wanted 1, as many as sources (one list per segment, not one per annotator)"
    ):
        metric.compute(sources=["a b"], predictions=["a"], references=["a", "b"])


@pytest.mark.parametrize("missing", NAMES)
def test_missing_column(metric, missing):
    wanted = ROWS if missing == "references" else TEXTS
    some = {name: column for name, column in GOOD.items() if name != missing}
    for call in (metric.compute, metric.add_batch):
        with refuses(ValueError, f"{missing}: got NoneType, wanted {wanted}"):
            call(**some)
    with refuses(ValueError, f"batch: got columns {', '.join(some)}, wanted also {missing}"):
        metric.score_batch(some)
    assert_unharmed(metric)


@pytest.mark.parametrize("missing", NAMES)
def test_missing_column_of_the_core(missing):
    wanted = ROWS if missing == "references" else TEXTS
    some = {name: column for name, column in GOOD.items() if name != missing}
    with refuses(ValueError, f"{missing}: got NoneType, wanted {wanted}"):
        Scorer().compute(**some)
    with refuses(ValueError, f"batch: got columns {', '.join(some)}, wanted also {missing}"):
        Scorer().score_batch(some)


@pytest.mark.parametrize("nothing", [{}, dict.fromkeys(NAMES, ()), dict.fromkeys(NAMES, np.array([], object))])
def test_no_segments(metric, nothing):
    with refuses(ValueError, NO_SEGMENTS):
        metric.compute(**nothing)
    with refuses(ValueError, NO_SEGMENTS):
        metric.compute(**nothing, details=True, variant="easse")
    assert_unharmed(metric)


def test_no_segments_for_the_core():
    nothing = dict.fromkeys(NAMES, ())
    for call in (Scorer().compute, Scorer().explain_difference):
        with refuses(ValueError, NO_SEGMENTS):
            call(**nothing)
    with refuses(ValueError, "sources, references: got no segments, wanted at least one"):
        Scorer().baselines(sources=[], references=[])


def test_state_of_no_segments(scorer):
    state = scorer.state()
    state.update(**dict.fromkeys(NAMES, ()))
    with refuses(ValueError, NO_SEGMENTS):
        state.compute()
    with refuses(ValueError, NO_SEGMENTS):
        scorer.state(variant="easse", sentences=True).compute(details=True)


def test_batch_of_no_rows(scorer):
    assert scorer.score_batch(dict.fromkeys(NAMES, ())) == {"sari": [], "keep": [], "delete": [], "add": []}


# ---- By `add`, which takes one segment ------------------------------------------------------------------------------


BAD_SEGMENTS = [
    ({"source": None}, "sources[0]: got NoneType, wanted str"),
    ({"source": ["a"]}, "sources[0]: got list, wanted str"),
    ({"prediction": 5}, "predictions[0]: got int, wanted str"),
    ({"prediction": b"a"}, "predictions[0]: got bytes, wanted str"),
    ({"reference": None}, "references[0]: got NoneType, wanted a list of str"),
    ({"reference": {"a"}}, "references[0]: got set, wanted a list of str"),
    ({"reference": ["a", 5]}, "references[0][1]: got int, wanted str"),
    ({"reference": [["a"]]}, "references[0][0]: got list, wanted str"),
]


@pytest.mark.parametrize(("change", "message"), BAD_SEGMENTS)
def test_segment_refused(metric, change, message):
    with refuses(ValueError, message):
        metric.add(**{"source": "a", "prediction": "a", "reference": ["a"]} | change)
    assert_unharmed(metric)


def test_segment_without_reference_refused(metric):
    with refuses(ValueError, "references[0]: got no reference, wanted at least one"):
        metric.add(source="a", prediction="a", reference=[])
    assert_unharmed(metric)


# ---- What was there before ------------------------------------------------------------------------------------------


def test_what_was_stored_outlives_a_refusal(metric):
    for number in range(3):
        metric.add_batch(**one(number))
        with pytest.raises(ValueError, match="NoneType"):
            metric.add_batch(sources=["a"], predictions=[None], references=["a"])
        with pytest.raises(ValueError, match="NoneType"):
            metric.add(source="a", prediction="a", reference=None)
    assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_refusal_by_compute_on_top_of_what_was_stored(metric):
    metric.add_batch(**GOOD)
    with refuses(ValueError, "predictions[0]: got NoneType, wanted str"):
        metric.compute(sources=["a"], predictions=[None], references=["a"])
    assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_refusal_leaves_the_files_of_other_metrics_alone(metric):
    other = load(cache_dir=metric._data_dir_root)
    metric.add_batch(**GOOD)
    metric.compute()
    other.add_batch(**GOOD)  # into the file that `metric` has just let go
    metric.add_batch(**GOOD)
    with pytest.raises(ValueError, match="NoneType"):
        metric.compute(sources=["a"], predictions=[None], references=["a"])
    assert other.compute() == metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_failure_leaves_the_files_of_other_metrics_alone(metric):
    def broken(text):
        raise RuntimeError(text)

    other = load(cache_dir=metric._data_dir_root)
    metric.add_batch(**GOOD)
    metric.compute()
    other.add_batch(**GOOD)
    metric.add_batch(**GOOD)
    with pytest.raises(RuntimeError):
        metric.compute(tokenize=broken)
    assert other.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_refused_update_leaves_the_state_as_it_was(scorer):
    state = scorer.state(sentences=True)
    state.update(**GOOD)
    before = state.compute(details=True)
    for change, _ in BAD[::17]:
        with pytest.raises(ValueError, match=": got "):
            state.update(**{**GOOD, **change})
    assert (state.segments, state.compute(details=True)) == (3, before)
