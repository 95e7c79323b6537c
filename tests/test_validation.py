"""Every kind of column that holds texts is taken, and is left as it is; systems and candidates are checked too."""

import json
import re
from collections import UserList

import datasets
import numpy as np
import oracle
import pandas as pd
import pyarrow as pa
import pytest
from refusals import BAD, GOOD, PREDICTIONS, REFERENCES, SCORES, SOURCES, TEXTS, refuses

from sari.messages import fault
from sari.sari_scorer import Scorer
from sari.validation import check_choice, validate_candidates, validate_shared, validate_systems

STRANGE_INDEX = [7, -1, 7]


def objects(rows):
    """Return an object array of the rows as they are."""
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


TEXT_COLUMNS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "user's own list": UserList,
    "numpy object": objects,
    "numpy.str_": lambda texts: [np.str_(text) for text in texts],
    "pandas Series with a strange index": lambda texts: pd.Series(texts, index=STRANGE_INDEX),
    "pandas string": lambda texts: pd.Series(texts, index=STRANGE_INDEX, dtype="string"),
    "pandas category": lambda texts: pd.Series(texts, dtype="category"),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "arrow Array": pa.array,
    "arrow ChunkedArray": lambda texts: pa.chunked_array([texts[:1], texts[1:]]),
    "datasets column": lambda texts: datasets.Dataset.from_dict({"texts": texts})["texts"],
    "datasets column, numpy": lambda texts: datasets.Dataset.from_dict({"t": texts}).with_format("numpy")["t"],
    "datasets column, arrow": lambda texts: datasets.Dataset.from_dict({"t": texts}).with_format("arrow")["t"],
}


ROW_COLUMNS = {
    "list of tuples": lambda rows: list(map(tuple, rows)),
    "generator of generators": lambda rows: (iter(row) for row in rows),
    "numpy of lists": objects,
    "numpy of numpy": lambda rows: objects([objects(row) for row in rows]),
    "rows of all kinds": lambda rows: [rows[0], tuple(rows[1]), pd.Series(rows[2], index=[3, 1])],
    "pandas Series": lambda rows: pd.Series(rows, index=STRANGE_INDEX),
    "pandas Series of numpy": lambda rows: pd.Series([np.array(row) for row in rows], index=STRANGE_INDEX),
    "pandas arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "arrow Array": pa.array,
    "arrow ChunkedArray": lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
    "datasets column": lambda rows: datasets.Dataset.from_dict({"rows": rows})["rows"],
    "datasets column, numpy": lambda rows: datasets.Dataset.from_dict({"r": rows}).with_format("numpy")["r"],
    "datasets column, arrow": lambda rows: datasets.Dataset.from_dict({"r": rows}).with_format("arrow")["r"],
}


# ---- Through the metric ---------------------------------------------------------------------------------------------


def assert_scores(metric, texts, expected):
    """Assert the scores by `compute`, and in two steps; `texts` is called for each."""
    assert metric.compute(**texts()) == pytest.approx(expected)
    metric.add_batch(**texts())
    assert metric.compute() == pytest.approx(expected)


@pytest.mark.parametrize("kind", TEXT_COLUMNS.values(), ids=TEXT_COLUMNS)
def test_columns_of_texts(metric, kind):
    def texts():
        return {"sources": kind(SOURCES), "predictions": kind(PREDICTIONS), "references": REFERENCES}

    assert_scores(metric, texts, SCORES)
    assert metric.score_batch(texts()) == metric.score_batch(GOOD)
    single = [row[0] for row in REFERENCES]
    expected = oracle.score(SOURCES, PREDICTIONS, [[text] for text in single])
    assert_scores(metric, lambda: {**GOOD, "references": kind(single)}, expected)


@pytest.mark.parametrize("kind", ROW_COLUMNS.values(), ids=ROW_COLUMNS)
def test_columns_of_references(metric, kind):
    assert_scores(metric, lambda: {**GOOD, "references": kind(REFERENCES)}, SCORES)
    assert metric.score_batch({**GOOD, "references": kind(REFERENCES)}) == metric.score_batch(GOOD)


class OnlyArrow:
    """A frame, or a column, of a library that is not known here. It has the names of its columns, as frames have."""

    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, schema=None):
        return self.data.__arrow_c_stream__(schema)

    def __iter__(self):
        return iter(["first", "second", "third"])


def test_frames_and_columns_of_any_library(metric):
    """A table has a column per annotator; its names must not be taken for texts."""
    rows = [["a cat", "cats", "cat"], ["he sat", "he did sit", "sat"], ["no", "none", "not"]]
    names = ["first", "second", "third"]
    expected = oracle.score(SOURCES, PREDICTIONS, rows)
    frame = pd.DataFrame(rows, columns=names, index=STRANGE_INDEX)
    table = pa.table(list(zip(*rows, strict=True)), names=names)
    halves = pa.concat_tables([table[:1], table[1:]])
    of_arrow = (table, halves, OnlyArrow(table), OnlyArrow(halves), OnlyArrow(pa.chunked_array([rows])))
    for references in (frame, np.array(rows), np.array(rows, object), *of_arrow):
        assert metric.compute(**{**GOOD, "references": references}) == pytest.approx(expected)
    with refuses(ValueError, "sources[0]: got list, expected str"):
        metric.compute(**{**GOOD, "sources": frame})
    assert metric.compute(**{**GOOD, "sources": OnlyArrow(pa.chunked_array([SOURCES]))}) == pytest.approx(SCORES)


def test_references_that_are_lists_in_json(metric):
    """As tables hold them, and programs that have only texts."""
    written = [f" {json.dumps(row)}\n" for row in REFERENCES]
    assert metric.compute(**{**GOOD, "references": written}) == pytest.approx(SCORES)
    assert metric.compute(**{**GOOD, "references": [[text] for text in written]}) == pytest.approx(SCORES)
    assert validate_shared(["a", "b"], [["x", '["y", "z"]'], ['[ "1" ]']]) == (["a", "b"], [["x", "y", "z"], ["1"]])


@pytest.mark.parametrize(
    "text",
    ["[1]", "[citation needed] a", '["Stop," he said, "or else"]', "['tis", pytest.param("[" * 99_999, id="many")],
)
def test_references_in_brackets_are_texts(text):
    assert validate_shared(["a"], [text]) == (["a"], [[text]])


def test_columns_are_left_as_they_are(metric):
    texts = {"sources": [*SOURCES], "predictions": [*PREDICTIONS], "references": [[*row] for row in REFERENCES]}
    single = {**texts, "references": ["a", "b", "c"]}
    metric.compute(**texts)
    metric.add_batch(**texts)
    metric.compute(**single)
    assert texts == GOOD
    assert single["references"] == ["a", "b", "c"]


# ---- Several systems ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (PREDICTIONS, "predictions: got list, expected a dict of names and lists of str"),
        ({}, "predictions: got no system, expected at least one"),
        ({"a": PREDICTIONS, 1: PREDICTIONS}, "predictions: got the name 1, expected a str"),
        (
            {"a": PREDICTIONS, "b": "text"},
            f"predictions['b']: got str, expected {TEXTS}; sentence_score takes a single one",
        ),
    ],
    ids=["list", "none", "name", "text"],
)
def test_systems_refused(predictions, message):
    with refuses(ValueError, message):
        validate_systems(SOURCES, predictions, REFERENCES)


def test_systems_refused_as_columns_are():
    for change, message in BAD:
        sources, predictions, references = {**GOOD, **change}.values()
        with refuses(ValueError, re.sub(r"^predictions", "predictions['a']", message)):
            validate_systems(sources, {"a": predictions}, references)


def test_long_names_of_systems_that_look_alike_in_messages():
    systems = {f"{'x' * 50}{number}{'y' * 50}": ["b"] for number in range(2)}
    assert validate_systems(["a"], systems, ["c"]).predictions == systems


def test_shared_columns_are_copies():
    sources, references = list(SOURCES), [list(row) for row in REFERENCES]
    kept = validate_shared(sources, references)
    assert kept == (SOURCES, REFERENCES)
    assert kept[0] is not sources
    assert not {id(row) for row in kept[1]} & {id(row) for row in references}


# ---- Candidates -----------------------------------------------------------------------------------------------------


def test_candidates_are_lists_of_any_length():
    candidates = [np.array(["a", "b"]), (), iter(["c"])]
    assert validate_candidates(tuple(SOURCES), candidates) == (SOURCES, [["a", "b"], [], ["c"]])


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ("abc", "candidates: got str, expected a list with, per segment, a list of str"),
        ([["a"]], "candidates: got 1 row, expected 3 (as in sources)"),
        ([["a", "b"], "text", ["c", "d"]], "candidates[1]: got str, expected a list of str"),
        ([["a", "b"], ["a", 5], ["c", "d"]], "candidates[1][1]: got int, expected str"),
        ([["a", "b"], ["a", "b"], ["c"]], "candidates[2]: got 1, expected at least 2"),
    ],
)
def test_candidates_refused(candidates, message):
    with refuses(ValueError, message):
        validate_candidates(SOURCES, candidates, least=2)


class Unprintable(str):
    """A text that no message may show."""

    def __repr__(self):
        raise AssertionError("a message was made of it")


class UnprintableBatch(dict):
    __repr__ = Unprintable.__repr__


def test_a_long_name_leaves_room_for_what_is_wrong():
    assert re.fullmatch("n+…n+: got a file, expected a folder", fault("n" * 240, "a file", "a folder"))


def test_good_arguments_are_not_put_into_words():
    """The words of an error are made when it is raised: what is scored may be large."""
    texts = [Unprintable("a b")]
    columns = {"sources": texts, "predictions": texts, "references": [texts]}
    assert Scorer("easse").score_batch(UnprintableBatch(columns))["sari"]
    assert Scorer("easse").compare(**columns | {"predictions": {"A": texts}})["segments"] == 1
    assert check_choice("level", Unprintable("corpus"), ["corpus"]) == "corpus"
