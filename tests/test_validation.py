"""What is taken: every kind of column that holds texts, checked once and turned into plain lists."""

import re
from collections import UserList, deque

import datasets
import numpy as np
import oracle
import pandas as pd
import pyarrow as pa
import pytest
from four_segments import load
from refusals import BAD, GOOD, NAMES, PREDICTIONS, REFERENCES, SCORES, SOURCES, TEXTS, refuses

from sari.validation import (
    Columns,
    SystemColumns,
    shown,
    validate_candidates,
    validate_columns,
    validate_given,
    validate_references,
    validate_shared,
    validate_systems,
    validate_texts,
)

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


@pytest.fixture(scope="module")
def metric(tmp_path_factory):
    """Return one metric for all tests, with a cache folder of its own: what one leaves behind shows in the next."""
    return load(cache_dir=str(tmp_path_factory.mktemp("cache")))


# ---- At the doors ---------------------------------------------------------------------------------------------------


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
    with pytest.raises(ValueError, match=rf"^{name}(\[0\])?: got "):
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


@pytest.mark.parametrize("text", ["\0", "\ufffe", "\U0010ffff", "🙂", "e\u0301", "\u202e", " ", "", "\n", "\xff\xfe"])
def test_every_valid_text_is_taken(metric, text):
    texts = {"sources": [text], "predictions": [f"a {text}"], "references": [[text, "a"]]}
    expected = oracle.score(**texts)
    assert metric.compute(**texts) == pytest.approx(expected)
    metric.add_batch(**texts)
    assert metric.compute() == pytest.approx(expected)


# ---- What comes out of the checks -----------------------------------------------------------------------------------


def test_plain_lists_come_out():
    result = validate_columns(objects(SOURCES), string_series(PREDICTIONS), pa.array(REFERENCES))
    assert result == (SOURCES, PREDICTIONS, REFERENCES)
    assert [type(column) for column in result] == [list] * 3
    assert {type(row) for row in result[2]} == {list}
    assert validate_columns([], (), iter(())) == ([], [], [])


@pytest.mark.parametrize("kind", TEXT_COLUMNS.values(), ids=TEXT_COLUMNS)
def test_texts_come_out_as_a_list(kind):
    texts = validate_texts("outputs", kind(SOURCES))
    assert (texts, type(texts)) == (SOURCES, list)
    assert validate_references(kind(SOURCES)) == [[text] for text in SOURCES]


@pytest.mark.parametrize("kind", ROW_COLUMNS.values(), ids=ROW_COLUMNS)
def test_references_come_out_as_lists(kind):
    rows = validate_references(kind(REFERENCES))
    assert rows == REFERENCES
    assert [type(row) for row in rows] == [list] * 3


def test_errors_call_texts_by_the_name_given():
    with refuses(ValueError, "outputs[1]: got int, wanted str"):
        validate_texts("outputs", ["a", 5])
    with refuses(ValueError, "outputs: got str, wanted a list with one str per segment"):
        validate_texts("outputs", "a")


def test_columns_have_names():
    columns = validate_columns(**GOOD)
    assert type(columns) is Columns
    assert columns._asdict() == GOOD


# ---- Several systems ------------------------------------------------------------------------------------------------


def test_systems_keep_their_names_and_order():
    columns = validate_systems(tuple(SOURCES), {"b": np.array(PREDICTIONS), "a": pd.Series(SOURCES)}, REFERENCES)
    assert columns == SystemColumns(SOURCES, {"b": PREDICTIONS, "a": SOURCES}, REFERENCES)
    assert list(columns.predictions) == ["b", "a"]
    assert columns.of("b") == Columns(**GOOD)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (PREDICTIONS, "predictions: got list, wanted a dict of names and lists of str"),
        (None, "predictions: got NoneType, wanted a dict of names and lists of str"),
        ({}, "predictions: got no system, wanted at least one"),
        ({"a": PREDICTIONS, 1: PREDICTIONS}, "predictions: got the name 1, wanted a str"),
        ({"a": PREDICTIONS, "b": "text"}, f"predictions['b']: got str, wanted {TEXTS}"),
        ({"a": PREDICTIONS, "b": ["a", None, "c"]}, "predictions['b'][1]: got NoneType, wanted str"),
        ({"a": ["a"]}, "predictions['a']: got 1 rows, wanted 3, as many as sources"),
    ],
    ids=["list", "none", "empty", "name", "text", "row", "length"],
)
def test_systems_refused(predictions, message):
    with refuses(ValueError, message):
        validate_systems(SOURCES, predictions, REFERENCES)


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message[:60] for _, message in BAD])
def test_systems_refused_as_columns_are(change, message):
    sources, predictions, references = {**GOOD, **change}.values()
    with refuses(ValueError, re.sub(r"^predictions", "predictions['a']", message)):
        validate_systems(sources, {"a": predictions}, references)


# ---- Some of the columns --------------------------------------------------------------------------------------------


def test_shared_columns_are_the_callers_no_more():
    sources, references = list(SOURCES), [list(row) for row in REFERENCES]
    for kept in (validate_shared(sources, references), validate_given(sources, references)):
        assert kept == (SOURCES, REFERENCES)
        assert kept[0] is not sources
        assert not {id(row) for row in kept[1]} & {id(row) for row in references}
    assert validate_given(sources=sources)[0] is not sources
    assert validate_shared(iter(sources), (iter(row) for row in references)) == (SOURCES, REFERENCES)


def test_columns_that_are_given():
    assert validate_given() == (None, None)
    assert validate_given(sources=tuple(SOURCES)) == (SOURCES, None)
    assert validate_given(references=pa.array(REFERENCES)) == (None, REFERENCES)
    assert validate_given(SOURCES, REFERENCES) == (SOURCES, REFERENCES)


def test_columns_that_are_given_are_checked():
    with refuses(ValueError, "sources[0]: got NoneType, wanted str"):
        validate_given(sources=[None])
    with refuses(ValueError, "references[1]: got no reference, wanted at least one"):
        validate_given(references=[["a"], []])
    with refuses(ValueError, "references: got 1 rows, wanted 3, as many as sources"):
        validate_given(SOURCES, [["a"]])


# ---- Candidates -----------------------------------------------------------------------------------------------------


def test_candidates_are_lists_of_any_length():
    candidates = [np.array(["a", "b"]), (), iter(["c"])]
    assert validate_candidates(tuple(SOURCES), candidates) == (SOURCES, [["a", "b"], [], ["c"]])


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ("abc", "candidates: got str, wanted a list with, per segment, a list of str"),
        ([["a"]], "candidates: got 1 rows, wanted 3, as many as sources"),
        ([["a", "b"], "text", ["c", "d"]], "candidates[1]: got str, wanted a list of str"),
        ([["a", "b"], ["a", 5], ["c", "d"]], "candidates[1][1]: got int, wanted str"),
        ([["a", "b"], ["a", "b"], ["c"]], "candidates[2]: got 1, wanted at least 2"),
    ],
)
def test_candidates_refused(candidates, message):
    with refuses(ValueError, message):
        validate_candidates(SOURCES, candidates, least=2)


def test_long_values_are_shown_in_part():
    assert shown("short") == "'short'"
    assert len(shown(["word"] * 1_000)) < 70
    assert shown("a" * 500 + "end").endswith("end'")
