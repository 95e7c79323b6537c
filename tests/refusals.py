"""What is refused, and in what words: options, columns of texts, and the good columns that these spoil."""

import re
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np
import oracle
import pandas as pd
import pyarrow as pa
import pytest

from sari.validation import shown
from sari.variants import PENALTIES, TOKENIZERS, VARIANTS

#: How many characters a refusal has at most.
LONGEST = 200


@contextmanager
def refuses(kind, message):
    """Expect an error of this kind with exactly this message, which fits a line, and perhaps the nearest name."""
    assert len(message) <= LONGEST
    assert "\n" not in message
    with pytest.raises(kind, match=rf"\A{re.escape(message)}(; did you mean '.+'\?)?\Z") as error:
        yield error


# ---- Options --------------------------------------------------------------------------------------------------------

TOKENIZER = f"wanted one of {', '.join(TOKENIZERS)}"
WHOLE = "wanted a whole number of at least 1"
SHARE = "wanted a number from 0 to 1"
VARIANT = f"wanted one of {', '.join(VARIANTS)}"
PENALTY = f"wanted one of {', '.join(PENALTIES)}"
SPLITTER = "wanted 'punkt' or a callable from a text to the list of its sentences"
LEVEL = "wanted one of sentence, corpus"
DELETION = "wanted one of precision, f1"

#: Name, value, and what is said of it.
BAD_OPTIONS = [
    ("variant", "bleu", ValueError, VARIANT),
    ("variant", "HF", ValueError, VARIANT),
    ("variant", "", ValueError, VARIANT),
    ("variant", "nope", ValueError, VARIANT),
    ("variant", "essae", ValueError, f"{VARIANT}; did you mean 'easse'?"),
    ("variant", "x" * 100, ValueError, VARIANT),
    ("variant", None, TypeError, VARIANT),
    ("variant", ["hf"], TypeError, VARIANT),
    ("level", "document", ValueError, LEVEL),
    ("penalties", "d-sari", ValueError, f"{PENALTY}; did you mean 'dsari'?"),
    ("penalties", 1, TypeError, PENALTY),
    ("sentence_splitter", "nltk", ValueError, SPLITTER),
    ("sentence_splitter", 1, TypeError, SPLITTER),
    ("level", 1, TypeError, LEVEL),
    ("deletion", "recall", ValueError, DELETION),
    ("deletion", True, TypeError, DELETION),
    ("zero_division", 1.5, ValueError, SHARE),
    ("zero_division", -0.1, ValueError, SHARE),
    ("zero_division", 100, ValueError, SHARE),
    ("zero_division", float("nan"), ValueError, SHARE),
    ("zero_division", float("inf"), ValueError, SHARE),
    ("zero_division", "1", TypeError, SHARE),
    ("zero_division", True, TypeError, SHARE),
    ("tokenize", "13b", ValueError, f"{TOKENIZER}; did you mean '13a'?"),
    ("tokenize", 13, TypeError, TOKENIZER),
    ("tokenize", b"13a", TypeError, TOKENIZER),
    ("lowercase", 1, TypeError, "wanted True or False"),
    ("lowercase", "yes", TypeError, "wanted True or False"),
    ("max_order", 101, ValueError, "wanted a whole number of at most 100"),
    ("max_order", 0, ValueError, WHOLE),
    ("max_order", -4, ValueError, WHOLE),
    ("max_order", 4.0, TypeError, WHOLE),
    ("max_order", True, TypeError, WHOLE),
    ("max_order", "4", TypeError, WHOLE),
]


def bad_option(name, value, wanted):
    """Return what is said of an option."""
    return f"{name}: got {shown(value)}, {wanted}"


# ---- Columns --------------------------------------------------------------------------------------------------------

SOURCES = ["nearly 40 bridges were standing", "the old cat sat down", "he came ."]
PREDICTIONS = ["nearly 40 bridges were counted", "the cat sat", "he came ."]
REFERENCES = [["40 bridges counted"], ["a cat sat", "the cat sat down", "cats sit"], ["he came .", "he did come ."]]
GOOD = {"sources": SOURCES, "predictions": PREDICTIONS, "references": REFERENCES}
SCORES = oracle.score(**GOOD)
NAMES = tuple(GOOD)

TEXTS = "a list with one str per segment"
ROWS = "a list with, per segment, a list of str or one str"
NO_SEGMENTS = "sources, predictions, references: got no segments, wanted at least one"


def with_row(name, row, value):
    """Return a column of the good ones with another value in a row."""
    column = list(GOOD[name])
    column[row] = value
    return {name: column}


class Text:
    """Not a text, whatever it is called."""


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

#: A change of the good columns, and what the ValueError says of it.
BAD = []
for name in NAMES:
    BAD += [
        ({name: value}, f"{name}: got {kind}, wanted {ROWS if name == 'references' else TEXTS}")
        for value, kind in NOT_A_LIST
    ]
for name in NAMES[:2]:
    BAD += [
        (with_row(name, row, value), f"{name}[{row}]: got {kind}, wanted str")
        for row in range(3)
        for value, kind in NOT_A_TEXT
    ]
    BAD += [
        (
            with_row(name, 1, "caf\udce9 x"),
            f"{name}[1]: got a lone surrogate '\\udce9' at character 3, wanted valid Unicode",
        ),
        ({name: np.array([["a"], ["b"], ["c"]])}, f"{name}[0]: got list, wanted str"),
        ({name: np.array(["a", "b", None], object)}, f"{name}[2]: got NoneType, wanted str"),
        ({name: pd.Series(["a", None, "c"], dtype="string")}, f"{name}[1]: got NAType, wanted str"),
        ({name: np.array([1.0, 2.0, 3.0])}, f"{name}[0]: got float, wanted str"),
        ({name: np.array([b"a", b"b", b"c"])}, f"{name}[0]: got bytes, wanted str"),
        ({name: pa.array(["a", None, "c"])}, f"{name}[1]: got NoneType, wanted str"),
    ]
for row in range(3):
    BAD += [
        (with_row("references", row, value), f"references[{row}]: got {kind}, wanted a list of str")
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
        (with_row("references", row, ["fine", value]), f"references[{row}][1]: got {kind}, wanted str")
        for value, kind in NOT_A_TEXT
    ]
    BAD += [
        (with_row("references", row, none), f"references[{row}]: got no reference, wanted at least one")
        for none in ([], (), np.array([], object), iter(()))
    ]
    BAD += [
        (
            with_row("references", row, ["fine", "also", "\ud83d"]),
            f"references[{row}][2]: got a lone surrogate '\\ud83d' at character 0, wanted valid Unicode",
        )
    ]
BAD += [
    # Lists and single texts in one column: what the first row is, the others must be.
    ({"references": [["a"], "b", ["c"]]}, "references[1]: got str, wanted a list of str"),
    ({"references": ["a", ["b"], "c"]}, "references[1]: got list, wanted str"),
    ({"references": ["a", "b", ("c",)]}, "references[2]: got tuple, wanted str"),
    ({"references": ["a", None, "c"]}, "references[1]: got NoneType, wanted str"),
    ({"references": ["a", "b", 5]}, "references[2]: got int, wanted str"),
    ({"references": ["a", "b", float("nan")]}, "references[2]: got float, wanted str"),
    ({"references": [5, 6, 7]}, "references[0]: got int, wanted a list of str"),
    ({"references": [[["a"]], ["b"], ["c"]]}, "references[0][0]: got list, wanted str"),
    (
        {"references": ["a", "b\ud800", "c"]},
        "references[1][0]: got a lone surrogate '\\ud800' at character 1, wanted valid Unicode",
    ),
    # Lengths
    ({"predictions": ["a"]}, "predictions: got 1 rows, wanted 3, as many as sources"),
    ({"predictions": []}, "predictions: got 0 rows, wanted 3, as many as sources"),
    ({"predictions": list("abcd")}, "predictions: got 4 rows, wanted 3, as many as sources"),
    ({"references": list("abcd")}, "references: got 4 rows, wanted 3, as many as sources"),
    ({"references": []}, "references: got 0 rows, wanted 3, as many as sources"),
    ({"references": [["a"], ["b", "c"]]}, "references: got 2 rows, wanted 3, as many as sources"),
    ({"sources": []}, "predictions: got 3 rows, wanted 0, as many as sources"),
    # One list per annotator
    (
        {"references": [["a", "b", "c"], ["d", "e", "f"]]},
        "references: got 2 rows, wanted 3, as many as sources (one list per segment, not one per annotator)",
    ),
    (
        {"references": ([*"abc"], [*"def"], [*"ghi"], [*"jkl"])},
        "references: got 4 rows, wanted 3, as many as sources (one list per segment, not one per annotator)",
    ),
]
