"""What comes in at each door: every kind of column that holds texts, and every kind that is refused, in one line."""

import re
from collections import UserList, deque
from pathlib import Path
from types import MappingProxyType

import datasets
import evaluate
import numpy as np
import oracle
import pandas as pd
import pyarrow as pa
import pytest
from conftest import ROOT

from sari.inputs import validate_columns

SOURCES = ["nearly 40 bridges were standing", "the old cat sat down", "he came ."]
PREDICTIONS = ["nearly 40 bridges were counted", "the cat sat", "he came ."]
REFERENCES = [["40 bridges counted"], ["a cat sat", "the cat sat down", "cats sit"], ["he came .", "he did come ."]]
GOOD = {"sources": SOURCES, "predictions": PREDICTIONS, "references": REFERENCES}
SCORES = oracle.score(**GOOD)
NAMES = tuple(GOOD)

TEXTS = "a list with one str per segment"
ROWS = "a list with, per segment, a list of str or one str"

DOORS = {
    "compute": lambda metric, texts: metric.compute(**texts),
    "add_batch": lambda metric, texts: metric.add_batch(**texts),
    "update": lambda metric, texts: metric.state().update(**texts),
    "score_batch": lambda metric, texts: metric.score_batch(texts),
}
every_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@pytest.fixture(scope="module")
def metric(tmp_path_factory):
    """Return one metric for all tests, with a cache folder of its own: what one leaves behind shows in the next."""
    return evaluate.load(str(ROOT / "sari.py"), cache_dir=str(tmp_path_factory.mktemp("cache")))


def cached(metric):
    return [path.name for path in Path(metric.data_dir).rglob("*.arrow")]


def refuses(kind, message):
    return pytest.raises(kind, match=rf"\A{re.escape(message)}\Z")


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


def with_row(name, row, value):
    column = list(GOOD[name])
    column[row] = value
    return {name: column}


class Text:
    """Not a text, whatever it is called."""


# ---- Refused, at every door -----------------------------------------------------------------------------------------

NOT_A_LIST = [
    ("one text", "str"),
    (b"one text", "bytes"),
    (bytearray(b"one text"), "bytearray"),
    (None, "NoneType"),
    (5, "int"),
    (0.5, "float"),
    ({"a", "b"}, "set"),
    (frozenset("ab"), "frozenset"),
    ({"a": "b"}, "dict"),
    (MappingProxyType({}), "mappingproxy"),
    ({"a": 1}.keys(), "dict_keys"),
    (np.array("one text"), "str"),
    (np.str_("one text"), "str"),
    (Text(), "Text"),
]

NOT_A_TEXT = [
    (None, "NoneType"),
    (float("nan"), "float"),
    (5, "int"),
    (True, "bool"),
    (np.float64(1), "float64"),
    (b"text", "bytes"),
    (["text"], "list"),
    (("text",), "tuple"),
    ({"text"}, "set"),
    (pd.NA, "NAType"),
    (Text(), "Text"),
]

BAD = []
for name in NAMES:
    BAD += [
        ({name: value}, TypeError, f"{name}: got {kind}, wanted {ROWS if name == 'references' else TEXTS}")
        for value, kind in NOT_A_LIST
    ]
for name in NAMES[:2]:
    BAD += [
        (with_row(name, row, value), TypeError, f"{name}[{row}]: got {kind}, wanted str")
        for row in range(3)
        for value, kind in NOT_A_TEXT
    ]
    BAD += [
        (
            with_row(name, 1, "caf\udce9 x"),
            ValueError,
            f"{name}[1]: got a lone surrogate '\\udce9' at character 3, wanted valid Unicode",
        ),
        ({name: np.array([["a"], ["b"], ["c"]])}, TypeError, f"{name}[0]: got list, wanted str"),
        ({name: np.array(["a", "b", None], object)}, TypeError, f"{name}[2]: got NoneType, wanted str"),
        ({name: pd.Series(["a", None, "c"], dtype="string")}, TypeError, f"{name}[1]: got NAType, wanted str"),
        ({name: np.array([1.0, 2.0, 3.0])}, TypeError, f"{name}[0]: got float, wanted str"),
        ({name: np.array([b"a", b"b", b"c"])}, TypeError, f"{name}[0]: got bytes, wanted str"),
        ({name: pa.array(["a", None, "c"])}, TypeError, f"{name}[1]: got NoneType, wanted str"),
    ]
for row in range(3):
    BAD += [
        (with_row("references", row, value), TypeError, f"references[{row}]: got {kind}, wanted a list of str")
        for value, kind in [
            (None, "NoneType"),
            (float("nan"), "float"),
            (5, "int"),
            (b"text", "bytes"),
            ({"a", "b"}, "set"),
            ({"a": "b"}, "dict"),
        ]
    ]
    BAD += [
        (with_row("references", row, ["fine", value]), TypeError, f"references[{row}][1]: got {kind}, wanted str")
        for value, kind in NOT_A_TEXT
    ]
    BAD += [
        (with_row("references", row, none), ValueError, f"references[{row}]: got no reference, wanted at least one")
        for none in ([], (), np.array([], object), iter(()))
    ]
    BAD += [
        (
            with_row("references", row, ["fine", "also", "\ud83d"]),
            ValueError,
            f"references[{row}][2]: got a lone surrogate '\\ud83d' at character 0, wanted valid Unicode",
        )
    ]
BAD += [
    # Lists and single texts in one column: what the first row is, the others must be.
    ({"references": [["a"], "b", ["c"]]}, TypeError, "references[1]: got str, wanted a list of str"),
    ({"references": ["a", ["b"], "c"]}, TypeError, "references[1]: got list, wanted str"),
    ({"references": ["a", "b", ("c",)]}, TypeError, "references[2]: got tuple, wanted str"),
    ({"references": ["a", None, "c"]}, TypeError, "references[1]: got NoneType, wanted str"),
    ({"references": ["a", "b", 5]}, TypeError, "references[2]: got int, wanted str"),
    ({"references": ["a", "b", float("nan")]}, TypeError, "references[2]: got float, wanted str"),
    ({"references": [5, 6, 7]}, TypeError, "references[0]: got int, wanted a list of str"),
    ({"references": [[["a"]], ["b"], ["c"]]}, TypeError, "references[0][0]: got list, wanted str"),
    (
        {"references": ["a", "b\ud800", "c"]},
        ValueError,
        "references[1][0]: got a lone surrogate '\\ud800' at character 1, wanted valid Unicode",
    ),
    # Lengths
    ({"predictions": ["a"]}, ValueError, "predictions: got 1 rows, wanted 3, as many as sources"),
    ({"predictions": []}, ValueError, "predictions: got 0 rows, wanted 3, as many as sources"),
    ({"predictions": list("abcd")}, ValueError, "predictions: got 4 rows, wanted 3, as many as sources"),
    ({"references": list("abcd")}, ValueError, "references: got 4 rows, wanted 3, as many as sources"),
    ({"references": []}, ValueError, "references: got 0 rows, wanted 3, as many as sources"),
    ({"references": [["a"], ["b", "c"]]}, ValueError, "references: got 2 rows, wanted 3, as many as sources"),
    ({"sources": []}, ValueError, "predictions: got 3 rows, wanted 0, as many as sources"),
    # One list per annotator
    (
        {"references": [["a", "b", "c"], ["d", "e", "f"]]},
        ValueError,
        "references: got 2 rows, wanted 3, as many as sources (one list per segment, not one per annotator)",
    ),
    (
        {"references": ([*"abc"], [*"def"], [*"ghi"], [*"jkl"])},
        ValueError,
        "references: got 4 rows, wanted 3, as many as sources (one list per segment, not one per annotator)",
    ),
]


@every_door
@pytest.mark.parametrize(("change", "kind", "message"), BAD, ids=[message[:60] for *_, message in BAD])
def test_refused(metric, door, change, kind, message):
    with refuses(kind, message) as error:
        door(metric, {**GOOD, **change})
    assert error.value.__suppress_context__ or error.value.__context__ is None, "another error shows above this one"
    assert len(metric) == 0
    assert cached(metric) == []


@every_door
def test_unharmed_by_refusals(metric, door):
    for change, kind, _ in BAD[::7]:
        with pytest.raises(kind):
            door(metric, {**GOOD, **change})
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
    for door in (metric.compute, metric.add_batch):
        with refuses(TypeError, f"{missing}: got NoneType, wanted {wanted}"):
            door(**some)
    with refuses(ValueError, f"batch: got columns {', '.join(some)}, wanted also {missing}"):
        metric.score_batch(some)
    assert_unharmed(metric)


NO_SEGMENTS = "sources, predictions, references: got no segments, wanted at least one"


@pytest.mark.parametrize("nothing", [{}, dict.fromkeys(NAMES, ()), dict.fromkeys(NAMES, np.array([], object))])
def test_no_segments(metric, nothing):
    with refuses(ValueError, NO_SEGMENTS):
        metric.compute(**nothing)
    with refuses(ValueError, NO_SEGMENTS):
        metric.compute(**nothing, details=True, variant="easse")
    assert_unharmed(metric)


def test_state_of_no_segments(metric):
    state = metric.state()
    state.update(**dict.fromkeys(NAMES, ()))
    with refuses(ValueError, NO_SEGMENTS):
        state.compute()
    with refuses(ValueError, NO_SEGMENTS):
        metric.state(variant="easse", sentences=True).compute(details=True)


def test_batch_of_no_rows(metric):
    assert metric.score_batch(dict.fromkeys(NAMES, ())) == {"sari": [], "keep": [], "delete": [], "add": []}


# ---- Refused by `add`, which takes one segment ----------------------------------------------------------------------

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
    with refuses(TypeError, message):
        metric.add(**{"source": "a", "prediction": "a", "reference": ["a"]} | change)
    assert_unharmed(metric)


def test_segment_without_reference_refused(metric):
    with refuses(ValueError, "references[0]: got no reference, wanted at least one"):
        metric.add(source="a", prediction="a", reference=[])
    assert_unharmed(metric)


def test_what_was_stored_outlives_a_refusal(metric):
    for number in range(3):
        metric.add_batch(**one(number))
        with pytest.raises(TypeError):
            metric.add_batch(sources=["a"], predictions=[None], references=["a"])
        with pytest.raises(TypeError):
            metric.add(source="a", prediction="a", reference=None)
    assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_refusal_by_compute_on_top_of_what_was_stored(metric):
    metric.add_batch(**GOOD)
    with refuses(TypeError, "predictions[0]: got NoneType, wanted str"):
        metric.compute(sources=["a"], predictions=[None], references=["a"])
    assert metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_refusal_leaves_the_files_of_other_metrics_alone(metric):
    other = evaluate.load(str(ROOT / "sari.py"), cache_dir=metric._data_dir_root)
    metric.add_batch(**GOOD)
    metric.compute()
    other.add_batch(**GOOD)  # into the file that `metric` has just let go
    metric.add_batch(**GOOD)
    with pytest.raises(TypeError):
        metric.compute(sources=["a"], predictions=[None], references=["a"])
    assert other.compute() == metric.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_failure_leaves_the_files_of_other_metrics_alone(metric):
    def broken(text):
        raise RuntimeError(text)

    other = evaluate.load(str(ROOT / "sari.py"), cache_dir=metric._data_dir_root)
    metric.add_batch(**GOOD)
    metric.compute()
    other.add_batch(**GOOD)
    metric.add_batch(**GOOD)
    with pytest.raises(RuntimeError):
        metric.compute(tokenize=broken)
    assert other.compute() == pytest.approx(SCORES)
    assert_unharmed(metric)


def test_a_refused_update_leaves_the_state_as_it_was(metric):
    state = metric.state(sentences=True)
    state.update(**GOOD)
    before = state.compute(details=True)
    for change, kind, _ in BAD[::17]:
        with pytest.raises(kind):
            state.update(**{**GOOD, **change})
    assert (state.segments, state.compute(details=True)) == (3, before)


# ---- Taken ----------------------------------------------------------------------------------------------------------

STRANGE_INDEX = [7, -1, 7]


def objects(rows):
    """Return an object array of the rows as they are."""
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


def string_series(texts):
    return pd.Series(texts, index=STRANGE_INDEX, dtype="string")


TEXT_COLUMNS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "map": lambda texts: map(str, texts),
    "deque": deque,
    "user's own list": UserList,
    "dict values": lambda texts: dict(enumerate(texts)).values(),
    "numpy str": np.array,
    "numpy object": objects,
    "numpy strided": lambda texts: np.repeat(np.array(texts), 2)[::2],
    "numpy.str_": lambda texts: [np.str_(text) for text in texts],
    "pandas Series": pd.Series,
    "pandas Series with a strange index": lambda texts: pd.Series(texts, index=STRANGE_INDEX),
    "pandas Series filtered": lambda texts: pd.Series(["dropped", *texts])[[False, True, True, True]],
    "pandas string": string_series,
    "pandas category": lambda texts: pd.Series(texts, dtype="category"),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas Index": pd.Index,
    "arrow Array": pa.array,
    "arrow ChunkedArray": lambda texts: pa.chunked_array([texts[:1], texts[1:]]),
    "datasets column": lambda texts: datasets.Dataset.from_dict({"texts": texts})["texts"],
    "datasets column, numpy": lambda texts: datasets.Dataset.from_dict({"t": texts}).with_format("numpy")["t"],
    "datasets column, pandas": lambda texts: datasets.Dataset.from_dict({"t": texts}).with_format("pandas")["t"],
    "datasets column, arrow": lambda texts: datasets.Dataset.from_dict({"t": texts}).with_format("arrow")["t"],
}

ROW_COLUMNS = {
    "list": list,
    "list of tuples": lambda rows: list(map(tuple, rows)),
    "tuple of lists": tuple,
    "generator of generators": lambda rows: (iter(row) for row in rows),
    "numpy of lists": objects,
    "list of numpy": lambda rows: [np.array(row) for row in rows],
    "numpy of numpy": lambda rows: objects([objects(row) for row in rows]),
    "rows of all kinds": lambda rows: [rows[0], tuple(rows[1]), pd.Series(rows[2], index=[3, 1])],
    "numpy.str_": lambda rows: [[np.str_(text) for text in row] for row in rows],
    "pandas Series": lambda rows: pd.Series(rows, index=STRANGE_INDEX),
    "pandas Series of numpy": lambda rows: pd.Series([np.array(row) for row in rows], index=STRANGE_INDEX),
    "pandas Series of Series": lambda rows: pd.Series([pd.Series(row) for row in rows]),
    "pandas arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "arrow Array": pa.array,
    "arrow ChunkedArray": lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
    "datasets column": lambda rows: datasets.Dataset.from_dict({"rows": rows})["rows"],
    "datasets column, numpy": lambda rows: datasets.Dataset.from_dict({"r": rows}).with_format("numpy")["r"],
    "datasets column, pandas": lambda rows: datasets.Dataset.from_dict({"r": rows}).with_format("pandas")["r"],
    "datasets column, arrow": lambda rows: datasets.Dataset.from_dict({"r": rows}).with_format("arrow")["r"],
}


@pytest.mark.parametrize("kind", TEXT_COLUMNS.values(), ids=TEXT_COLUMNS)
def test_columns_of_texts(metric, kind):
    def texts():
        return {"sources": kind(SOURCES), "predictions": kind(PREDICTIONS), "references": REFERENCES}

    assert metric.compute(**texts()) == pytest.approx(SCORES)
    metric.add_batch(**texts())
    assert metric.compute() == pytest.approx(SCORES)
    state = metric.state()
    state.update(**texts())
    assert state.compute() == pytest.approx(SCORES)
    assert metric.score_batch(texts()) == metric.score_batch(GOOD)


@pytest.mark.parametrize("kind", ROW_COLUMNS.values(), ids=ROW_COLUMNS)
def test_columns_of_references(metric, kind):
    def texts():
        return {**GOOD, "references": kind(REFERENCES)}

    assert metric.compute(**texts()) == pytest.approx(SCORES)
    metric.add_batch(**texts())
    assert metric.compute() == pytest.approx(SCORES)
    assert metric.score_batch(texts()) == metric.score_batch(GOOD)


@pytest.mark.parametrize("kind", TEXT_COLUMNS.values(), ids=TEXT_COLUMNS)
def test_one_reference_per_segment(metric, kind):
    single = [row[0] for row in REFERENCES]
    expected = oracle.score(SOURCES, PREDICTIONS, [[text] for text in single])
    assert metric.compute(**{**GOOD, "references": kind(single)}) == pytest.approx(expected)
    metric.add_batch(**{**GOOD, "references": kind(single)})
    assert metric.compute() == pytest.approx(expected)


@pytest.mark.parametrize("kind", [np.array, lambda rows: np.array(rows, object)], ids=["str", "object"])
def test_references_as_a_rectangle(metric, kind):
    rows = [["a cat", "cats"], ["he sat", "he did sit"], ["no", "none"]]
    expected = oracle.score(SOURCES, PREDICTIONS, rows)
    assert metric.compute(**{**GOOD, "references": kind(rows)}) == pytest.approx(expected)


def test_table_of_references(metric):
    """A table has a column per annotator; its names must not be taken for texts."""
    rows = [["a cat", "cats", "cat"], ["he sat", "he did sit", "sat"], ["no", "none", "not"]]
    table = pd.DataFrame(rows, columns=["first", "second", "third"], index=STRANGE_INDEX)
    expected = oracle.score(SOURCES, PREDICTIONS, rows)
    assert metric.compute(**{**GOOD, "references": table}) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES[:2])
def test_table_of_texts(metric, name):
    table = pd.DataFrame({name: GOOD[name], "more": "x", "columns": "y"})
    with pytest.raises(TypeError, match=rf"^{name}(\[0\])?: got "):
        metric.compute(**{**GOOD, name: table})


def test_segments_one_by_one(metric):
    for source, prediction, references in zip(*GOOD.values(), strict=True):
        metric.add(source=source, prediction=prediction, reference=references)
    assert metric.compute() == pytest.approx(SCORES)


@pytest.mark.parametrize("reference", ["he sat", ["he sat"], ("he sat",), np.array(["he sat"]), np.str_("he sat")])
def test_reference_of_a_segment(metric, reference):
    metric.add(source="he sat down", prediction="he sat", reference=reference)
    assert metric.compute() == pytest.approx(oracle.score(["he sat down"], ["he sat"], [["he sat"]]))


def test_strings_of_other_classes(metric):
    class Sentence(str):
        __slots__ = ()

    texts = {name: list(map(Sentence, column)) for name, column in GOOD.items() if name != "references"}
    assert metric.compute(**texts, references=REFERENCES) == pytest.approx(SCORES)


def test_what_comes_in_is_left_as_it_is(metric):
    texts = {"sources": [*SOURCES], "predictions": [*PREDICTIONS], "references": [[*row] for row in REFERENCES]}
    metric.compute(**texts)
    metric.add_batch(**texts)
    metric.compute()
    metric.score_batch(texts)
    assert texts == GOOD
    single = ["a", "b", "c"]
    metric.compute(**{**GOOD, "references": single})
    assert single == ["a", "b", "c"]


def test_plain_lists_come_out():
    result = validate_columns(objects(SOURCES), string_series(PREDICTIONS), pa.array(REFERENCES))
    assert result == (SOURCES, PREDICTIONS, REFERENCES)
    assert [type(column) for column in result] == [list] * 3
    assert {type(row) for row in result[2]} == {list}
    assert validate_columns([], (), iter(())) == ([], [], [])


@pytest.mark.parametrize("text", ["\0", "\ufffe", "\U0010ffff", "🙂", "e\u0301", "\u202e", " ", "", "\n", "\xff\xfe"])
def test_every_valid_text_is_taken(metric, text):
    texts = {"sources": [text], "predictions": [f"a {text}"], "references": [[text, "a"]]}
    expected = oracle.score(**texts)
    assert metric.compute(**texts) == pytest.approx(expected)
    metric.add_batch(**texts)
    assert metric.compute() == pytest.approx(expected)
