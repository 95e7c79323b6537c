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


@pytest.fixture(scope="module")
def metric(tmp_path_factory):
    """Return one metric for all tests, with a cache folder of its own: what one leaves behind shows in the next."""
    return load(cache_dir=str(tmp_path_factory.mktemp("cache")))


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
        assert len(metric) == 0
        assert cached(metric) == []
    assert_unharmed(metric)


@pytest.mark.parametrize("missing", NAMES)
def test_missing_column(metric, missing):
    wanted = ROWS if missing == "references" else TEXTS
    some = {name: column for name, column in GOOD.items() if name != missing}
    for call in (metric.compute, metric.add_batch, Scorer().compute):
        with refuses(ValueError, f"{missing}: got NoneType, expected {wanted}"):
            call(**some)
    for scorer in (metric, Scorer()):
        with refuses(ValueError, f"batch: got columns {', '.join(some)}, expected also {missing}"):
            scorer.score_batch(some)
    assert_unharmed(metric)


@pytest.mark.filterwarnings("ignore:the variant gives a delete score of 100:UserWarning")
def test_no_segments(metric):
    nothing = dict.fromkeys(NAMES, ())
    for call in (metric.compute, Scorer().compute, partial(Scorer().explain_difference, "easse")):
        with refuses(ValueError, NO_SEGMENTS):
            call(**nothing)
    with refuses(ValueError, NO_SEGMENTS):
        metric.compute()
    with refuses(ValueError, "sources, references: got no segments, expected at least one"):
        Scorer().baselines(sources=[], references=[])
    assert_unharmed(metric)
    assert metric.score_batch(nothing) == {"sari": [], "keep": [], "delete": [], "add": []}
    state = metric.state(sentences=True)
    state.update(**nothing)
    with refuses(ValueError, NO_SEGMENTS):
        state.compute(details=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": None}, "sources[0]: got NoneType, expected str"),
        ({"prediction": ["a"]}, "predictions[0]: got list, expected str"),
        ({"reference": None}, "references[0]: got NoneType, expected a list of str"),
        ({"reference": {"a"}}, "references[0]: got set, expected a list of str"),
        ({"reference": ["a", 5]}, "references[0][1]: got int, expected str"),
        ({"reference": []}, "references[0]: got no reference, expected at least one"),
    ],
)
def test_refused_by_add(metric, change, message):
    with refuses(ValueError, message):
        metric.add(**{"source": "a", "prediction": "a", "reference": ["a"]} | change)
    assert_unharmed(metric)


# ---- What was there before ------------------------------------------------------------------------------------------


def test_what_was_stored_outlives_a_refusal(metric):
    for number in range(3):
        metric.add_batch(**{name: [column[number]] for name, column in GOOD.items()})
        with pytest.raises(ValueError, match="NoneType"):
            metric.add_batch(sources=["a"], predictions=[None], references=["a"])
        with pytest.raises(ValueError, match="NoneType"):
            metric.add(source="a", prediction="a", reference=None)
    with refuses(ValueError, "predictions[0]: got NoneType, expected str"):
        metric.compute(sources=["a"], predictions=[None], references=["a"])
    assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_errors_leave_the_files_of_other_metrics_alone(metric):
    def broken(text):
        raise RuntimeError(text)

    other = load(cache_dir=str(Path(metric.data_dir).parent.parent))
    for error, arguments in (
        (ValueError, {"sources": ["a"], "predictions": [None], "references": ["a"]}),
        (RuntimeError, {"tokenize": broken}),
    ):
        metric.add_batch(**GOOD)
        metric.compute()
        other.add_batch(**GOOD)  # into the file that `metric` has just let go
        metric.add_batch(**GOOD)
        with pytest.raises(error):
            metric.compute(**arguments)
        assert other.compute() == pytest.approx(SCORES)
        if error is ValueError:
            assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_failed_update_leaves_the_state_as_it_was(scorer):
    state = scorer.with_options(tokenize=Breaks(1_500, RuntimeError("out of words"))).state(sentences=True)
    state.update(**GOOD)
    before = state.compute(details=True)
    for change, _ in BAD[::5]:
        with pytest.raises(ValueError, match=": got "):
            state.update(**{**GOOD, **change})
    with refuses(RuntimeError, "out of words"):
        state.update(**{name: column * 200 for name, column in GOOD.items()})
    assert (state.segments, state.compute(details=True)) == (3, before)
