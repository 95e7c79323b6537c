"""Bad columns are refused wherever texts come in, in one line, and nothing that was there before is lost."""

from functools import partial
from pathlib import Path

import pytest
from four_segments import Breaks, load
from refusals import BAD, GOOD, NAMES, NO_SEGMENTS, ROWS, SCORES, TEXTS, refuses

from sari.sari_scorer import Scorer

WAYS = {
    "compute": lambda metric, texts: metric.compute(**texts),
    "add_batch": lambda metric, texts: metric.add_batch(**texts),
    "update": lambda metric, texts: metric.state().update(**texts),
    "score_batch": lambda metric, texts: metric.score_batch(texts),
    "without evaluate": lambda _, texts: Scorer().compute(**texts),
    "two variants": lambda _, texts: Scorer().explain_difference("easse", **texts),
}


def cached(metric):
    return [path.name for path in Path(metric.data_dir).rglob("*.arrow")]


def assert_unharmed(metric):
    assert len(metric) == 0
    assert cached(metric) == []
    metric.add_batch(**GOOD)
    assert metric.compute() == pytest.approx(SCORES)


@pytest.mark.parametrize("call", WAYS.values(), ids=WAYS)
def test_refused(metric, call):
    for change, message in BAD:
        with refuses(ValueError, message) as error:
            call(metric, {**GOOD, **change})
        assert error.value.__suppress_context__ or error.value.__context__ is None, "another error shows above this one"
        assert cached(metric) == []
    assert_unharmed(metric)


@pytest.mark.parametrize("missing", NAMES)
def test_missing_column(metric, missing):
    some = {name: column for name, column in GOOD.items() if name != missing}
    for call in (metric.compute, metric.add_batch, Scorer().compute):
        with refuses(ValueError, f"{missing}: got nothing, expected {ROWS if missing == 'references' else TEXTS}"):
            call(**some)
    with refuses(ValueError, f"batch: got columns {', '.join(some)}, expected also {missing}"):
        metric.score_batch(some)
    assert_unharmed(metric)


def test_no_segments(metric):
    nothing = dict.fromkeys(NAMES, ())
    state = metric.state()
    state.update(**nothing)
    compare = partial(Scorer().explain_difference, "easse", **nothing)
    for call in (metric.compute, state.compute, compare, partial(metric.compute, **nothing)):
        with refuses(ValueError, NO_SEGMENTS):
            call()
    assert_unharmed(metric)
    assert metric.score_batch(nothing) == {"sari": [], "keep": [], "delete": [], "add": []}


# ---- What was there before ------------------------------------------------------------------------------------------


def test_what_was_stored_outlives_a_refusal(metric):
    metric.add_batch(**GOOD)
    bad = {"sources": ["a"], "predictions": [None], "references": ["a"]}
    for call in (metric.add_batch, metric.compute):
        with refuses(ValueError, "predictions[0]: got a missing value (None), expected str"):
            call(**bad)
    with refuses(ValueError, "references[0][1]: got int, expected str"):
        metric.add(source="a", prediction="a", reference=["a", 5])
    assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_errors_leave_the_files_of_other_metrics_alone(metric):
    other = load(cache_dir=str(Path(metric.data_dir).parent.parent))
    metric.add_batch(**GOOD)
    metric.compute()
    other.add_batch(**GOOD)  # into the file that `metric` has just let go
    metric.add_batch(**GOOD)
    with pytest.raises(RuntimeError):
        metric.compute(tokenize=Breaks(1, RuntimeError("out of words")))
    assert other.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_failed_update_leaves_the_state_as_it_was(scorer):
    state = scorer.with_options(tokenize=Breaks(1_500, RuntimeError("out of words"))).state(sentences=True)
    state.update(**GOOD)
    before = state.compute(details=True)
    with refuses(RuntimeError, "out of words"):
        state.update(**{name: column * 200 for name, column in GOOD.items()})
    assert (state.segments, state.compute(details=True)) == (3, before)
