"""Columns of every kind are taken, and left as they are; what cannot be scored is refused in one line."""

import copy
import json
import re
import time
import tracemalloc
from contextlib import suppress
from types import MappingProxyType

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from four_segments import TEXTS
from refusals import refuses

from sari.messages import fault
from sari.sari_scorer import Scorer
from sari.validation import (
    check_choice,
    validate_candidates,
    validate_columns,
    validate_references,
    validate_shared,
    validate_systems,
    validate_texts,
)

SOURCES, PREDICTIONS, REFERENCES = TEXTS.values()
STRANGE_INDEX = [7, -1, 7, 0]


# ---- What is taken --------------------------------------------------------------------------------------------------


def objects(values):
    """Return an object array of the values as they are."""
    return np.array([*values, None], object)[:-1]


#: Kinds of columns, of texts and of lists.
COLUMNS = {
    "tuple": tuple,
    "iterator": iter,
    "numpy": objects,
    "pandas": lambda values: pd.Series(values, index=STRANGE_INDEX),
    "pandas, arrow": lambda values: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values))),
    "arrow": pa.array,
    "arrow, in chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    **{
        f"datasets, {kind}": lambda values, kind=kind: datasets.Dataset.from_dict({"a": values}).with_format(kind)["a"]
        for kind in (None, "numpy", "arrow")
    },
}


@pytest.mark.parametrize("kind", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_every_kind(kind):
    assert validate_columns(*map(kind, TEXTS.values())) == (SOURCES, PREDICTIONS, REFERENCES)


def test_references_of_a_segment_are_of_any_kind():
    rows = [REFERENCES[0], tuple(REFERENCES[1]), pd.Series(REFERENCES[2], index=[3, 1]), np.array(REFERENCES[3])]
    assert validate_references(rows) == REFERENCES
    assert validate_references((SOURCES[0], *rows[1:3], SOURCES[3])) == [[SOURCES[0]], *REFERENCES[1:3], [SOURCES[3]]]


class OnlyArrow:
    """A frame, or a column, of a library that is not known here. It has the names of its columns, as frames have."""

    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, schema=None):
        return self.data.__arrow_c_stream__(schema)

    def __iter__(self):
        return iter(["first", "second"])


def test_frames_and_columns_of_any_library():
    """A table has a column per annotator; its names must not be taken for texts."""
    names = ["first", "second"]
    table = pa.table(list(zip(*REFERENCES, strict=True)), names=names)
    halves = pa.concat_tables([table[:1], table[1:]])
    frame = pd.DataFrame(REFERENCES, columns=names, index=STRANGE_INDEX)
    for rows in (frame, np.array(REFERENCES), table, *map(OnlyArrow, (table, halves, pa.chunked_array([REFERENCES])))):
        assert validate_references(rows) == REFERENCES
    assert validate_texts("sources", OnlyArrow(pa.chunked_array([SOURCES]))) == SOURCES


def test_references_that_are_lists_in_json():
    """As tables hold them, and programs that have only texts."""
    written = [f" {json.dumps(row)}\n" for row in REFERENCES]
    assert validate_references(written) == validate_references([[text] for text in written]) == REFERENCES
    assert validate_references([["x", '["y", "z"]'], ['[ "1" ]']]) == [["x", "y", "z"], ["1"]]


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "[citation needed] a",
        '["Stop," he said, "or else"]',
        "['tis",
        "('a')",
        pytest.param("[" * 99_999, id="["),
    ],
)
def test_references_in_brackets_are_texts(text):
    assert validate_references([text]) == [[text]]


def test_columns_are_left_as_they_are(sari):
    single = {**TEXTS, "references": list(SOURCES)}
    before = copy.deepcopy([TEXTS, single])
    for columns in (TEXTS, single):
        sari.compute(**columns)
    assert [TEXTS, single] == before


def test_shared_columns_are_copies():
    sources, references = validate_shared(SOURCES, REFERENCES)
    assert (sources, references) == (SOURCES, REFERENCES)
    assert sources is not SOURCES
    assert not {id(row) for row in references} & {id(row) for row in REFERENCES}


def test_candidates_are_lists_of_any_length():
    candidates = [np.array(["a", "b"]), (), iter(["c"])]
    assert validate_candidates(("x", "y", "z"), candidates) == (["x", "y", "z"], [["a", "b"], [], ["c"]])


def test_long_names_of_systems_that_look_alike_in_messages():
    systems = {f"{'x' * 50}{number}{'y' * 50}": ["b"] for number in range(2)}
    assert validate_systems(["a"], systems, ["c"]).predictions == systems


class Unprintable(str):
    """A text that no message may show."""

    def __repr__(self):
        raise AssertionError("a message was made of it")


def test_good_arguments_are_not_put_into_words():
    """The words of an error are made when it is raised: what is scored may be large."""
    texts = [Unprintable("a b")]
    columns = {"sources": texts, "predictions": {"A": texts}, "references": [texts]}
    assert Scorer("easse").compare(**columns)["segments"] == 1
    assert check_choice("level", Unprintable("corpus"), ["corpus"]) == "corpus"


# ---- What is refused ------------------------------------------------------------------------------------------------

A_LIST = "a list with one str per segment"
LISTS = "a list with, per segment, a list of str or one str"


def with_row(name, row, value):
    """Return a column of the good ones with another value in a row."""
    return {name: [*TEXTS[name][:row], value, *TEXTS[name][row + 1 :]]}


MISSING = [(value, f"a missing value ({value})") for value in (None, float("nan"), pd.NA)]

#: A change of the good columns, and the message of the ValueError.
BAD = [
    *(
        ({"sources": value}, f"sources: got {kind}, expected {A_LIST}")
        for value, kind in [
            (bytearray(b"one text"), "bytearray"),
            (None, "nothing"),
            (0.5, "float"),
            ({"a", "b"}, "set"),
            (MappingProxyType({}), "mappingproxy"),
            ({"a": 1}.keys(), "dict_keys"),
            (np.array("one text"), "str"),
        ]
    ),
    ({"predictions": "one text"}, f"predictions: got str, expected {A_LIST}; sentence_score takes a single one"),
    ({"references": "one text"}, f"references: got str, expected {LISTS}"),
    *(
        (with_row("predictions", row, value), f"predictions[{row}]: got {kind}, expected str")
        for row, (value, kind) in enumerate([*MISSING, (True, "bool")])
    ),
    (with_row("sources", 1, b"text"), "sources[1]: got bytes, expected str"),
    ({"sources": np.array([["a"], ["b"], ["c"], ["d"]])}, "sources[0]: got list, expected str"),
    # References
    *(
        (with_row("references", row, value), f"references[{row}]: got {kind}, expected a list of str or one str")
        for row, (value, kind) in enumerate([(5, "int"), MISSING[1], (b"text", "bytes"), (None, "nothing")])
    ),
    (with_row("references", 2, ["fine", None]), "references[2][1]: got a missing value (None), expected str"),
    (with_row("references", 0, [["a"]]), "references[0][0]: got list, expected str"),
    (with_row("references", 2, np.array([], object)), "references[2]: got no reference, expected at least one"),
    (
        with_row("references", 1, ["fine", "é", "caf\udce9 x"]),
        "references[1][2]: got a lone surrogate '\\udce9' at character 3, expected valid Unicode",
    ),
    # Lists that Python, numpy and pandas print
    *(
        (
            with_row("references", 0, [text]),
            f"references[0]: got a list written as text, {text!r}, expected a list of str, or one in JSON",
        )
        for text in (
            *("['a', 'b']", "['a'\n 'b']", "[np.str_('a')]", "[['a']]", "array(['a'], dtype='<U1')", "['a' ... 'b']"),
            *("['a', nan]", "[None, 'a']", "[nan, 'a']", "['a', 5]", " ('a',)", '("nan b", nan)', '[["b"]]'),
            '["a", {"b": 1e5}]',
        )
    ),
    (with_row("references", 1, ["a", '["b", null]']), "references[1][2]: got a missing value (None), expected str"),
    (with_row("references", 2, ["[]"]), "references[2]: got no reference, expected at least one"),
    # Lengths
    ({"predictions": ["a"]}, "predictions: got 1 row, expected 4 (as in sources)"),
    ({"references": list("abc")}, "references: got 3 rows, expected 4 (as in sources)"),
    ({"sources": []}, "predictions: got 4 rows, expected 0 (as in sources)"),
    (
        {"references": [SOURCES, PREDICTIONS]},
        "references: got 2 rows, expected 4 (one list per segment, not one per annotator: list(zip(*references)))",
    ),
    (
        {"sources": ["a"], "predictions": ["b"], "references": ["x", "y"]},
        "references: got 2 rows, expected 1 (as in sources)",
    ),
]


def test_columns_refused():
    """The columns of several systems are refused as those of one."""
    for change, message in BAD:
        sources, predictions, references = {**TEXTS, **change}.values()
        with refuses(ValueError, message) as error:
            validate_columns(sources, predictions, references)
        assert error.value.__suppress_context__ or error.value.__context__ is None, "another error shows above this one"
        with refuses(ValueError, re.sub(r"^predictions", "predictions['a']", message)):
            validate_systems(sources, {"a": predictions}, references)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (PREDICTIONS, "predictions: got list, expected a dict of names and lists of str"),
        ({}, "predictions: got no system, expected at least one"),
        ({"a": PREDICTIONS, 1: PREDICTIONS}, "predictions: got the name 1, expected a str"),
    ],
    ids=["list", "none", "name"],
)
def test_systems_refused(predictions, message):
    with refuses(ValueError, message):
        validate_systems(SOURCES, predictions, REFERENCES)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ("ab", "candidates: got str, expected a list with, per segment, a list of str"),
        ([["a"]], "candidates: got 1 row, expected 2 (as in sources)"),
        ([["a", "b"], "text"], "candidates[1]: got str, expected a list of str"),
        ([["a", "b"], ["a", 5]], "candidates[1][1]: got int, expected str"),
        ([["a", "b"], ["c"]], "candidates[1]: got 1, expected at least 2"),
    ],
)
def test_candidates_refused(candidates, message):
    with refuses(ValueError, message):
        validate_candidates(["x", "y"], candidates, least=2)


def test_a_long_name_leaves_room_for_what_is_wrong():
    assert re.fullmatch("n+…n+: got a file, expected a folder", fault("n" * 240, "a file", "a folder"))


@pytest.mark.parametrize("text", ["['a',f'{1}{1}", "['a',1,1,", '["a",[],', "[", "['\\'", '["\\"', "['a' 'b' "])
def test_what_looks_like_a_list_takes_as_long_as_it_is(text):
    """Four times as long takes about four times as long, and little memory."""

    def cost(size):
        hostile = ["['a'," + text * (size // len(text))]
        tracemalloc.start()
        begin = time.process_time()
        with suppress(ValueError):
            validate_columns(["a"], ["b"], [hostile])
        seconds, (_, most) = time.process_time() - begin, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return seconds, most

    (short, _), (long, most) = cost(250_000), cost(1_000_000)
    assert long < max(10 * short, 0.5)
    assert most < 30e6
