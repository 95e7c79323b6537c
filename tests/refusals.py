"""What is refused, and the exact messages: options, columns of texts, and the good columns that these replace."""

import re
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np
import oracle
import pandas as pd
import pytest

from sari.languages import TOKENIZERS
from sari.messages import short_line, short_repr
from sari.variants import VARIANTS

#: How many characters a refusal has at most.
LONGEST = 200


@contextmanager
def refuses(kind, message):
    """Expect an error of this kind with exactly this message, which fits a line."""
    assert len(message) <= LONGEST
    assert "\n" not in message
    with pytest.raises(kind, match=rf"\A{re.escape(message)}\Z") as error:
        yield error


# ---- Options --------------------------------------------------------------------------------------------------------

TOKENIZER = f", expected one of {', '.join(TOKENIZERS)}, spacy-LANGUAGE, module:function or a callable"
WHOLE = ", expected a whole number of at least 1"
SHARE = ", expected a number from 0 to 1"
VARIANT = f", expected one of {', '.join(VARIANTS)}"
SPLITTER = ", expected one of punkt, module:function or a callable"

#: Name, value, kind of error, and what the message says after the value.
BAD_OPTIONS = [
    ("variant", "HF", ValueError, "; did you mean 'hf'?"),
    ("variant", "essae", ValueError, "; did you mean 'easse'?"),
    ("variant", "x" * 100, ValueError, VARIANT),
    ("variant", ["hf"], TypeError, VARIANT),
    ("level", "document", ValueError, ", expected one of sentence, corpus"),
    ("deletion", True, TypeError, ", expected one of precision, f1"),
    ("penalties", "d-sari", ValueError, "; did you mean 'dsari'?"),
    ("sentence_splitter", "nltk", ValueError, SPLITTER),
    ("sentence_splitter", 1, TypeError, SPLITTER),
    ("zero_division", 1.5, ValueError, SHARE),
    ("zero_division", float("nan"), ValueError, SHARE),
    ("zero_division", "1", TypeError, SHARE),
    ("zero_division", True, TypeError, SHARE),
    ("tokenize", "flores2000", ValueError, "; did you mean 'flores200'?"),
    ("tokenize", b"13a", TypeError, TOKENIZER),
    ("lowercase", 1, TypeError, ", expected True or False"),
    ("max_order", 101, ValueError, ", expected a whole number of at most 100"),
    ("max_order", 0, ValueError, WHOLE),
    ("max_order", 4.0, TypeError, WHOLE),
    ("max_order", True, TypeError, WHOLE),
]


def bad_option(name, value, end):
    """Return the message about an option, as short as messages are."""
    return short_line(f"{name}: got {short_repr(value)}{end}")


# ---- Columns --------------------------------------------------------------------------------------------------------

SOURCES = ["nearly 40 bridges were standing", "the old cat sat down", "he came ."]
PREDICTIONS = ["nearly 40 bridges were counted", "the cat sat", "he came ."]
REFERENCES = [["40 bridges counted"], ["a cat sat", "the cat sat down", "cats sit"], ["he came .", "he did come ."]]
GOOD = {"sources": SOURCES, "predictions": PREDICTIONS, "references": REFERENCES}
SCORES = oracle.score(**GOOD)
NAMES = tuple(GOOD)

TEXTS = "a list with one str per segment"
ROWS = "a list with, per segment, a list of str or one str"
NO_SEGMENTS = "sources, predictions, references: got no segments, expected at least one"


def with_row(name, row, value):
    """Return a column of the good ones with another value in a row."""
    column = list(GOOD[name])
    column[row] = value
    return {name: column}


NOT_A_LIST = [
    ("one text", "str"),
    (bytearray(b"one text"), "bytearray"),
    (None, "nothing"),
    (0.5, "float"),
    ({"a", "b"}, "set"),
    (MappingProxyType({}), "mappingproxy"),
    ({"a": 1}.keys(), "dict_keys"),
    (np.array("one text"), "str"),
]


def texts_instead_of(value):
    """Return what is expected in place of a value where texts belong."""
    return f"{TEXTS}; sentence_score takes a single one" if isinstance(value, str) else TEXTS


MISSING = [(value, f"a missing value ({value})") for value in (None, float("nan"), pd.NA)]
NOT_A_TEXT = [*MISSING, (True, "bool"), (b"text", "bytes")]

#: A change of the good columns, and the message of the ValueError.
BAD = [
    *(
        ({name: value}, f"{name}: got {kind}, expected {ROWS if name == 'references' else texts_instead_of(value)}")
        for name in NAMES
        for value, kind in NOT_A_LIST
    ),
    *(
        (with_row(name, row % 3, value), f"{name}[{row % 3}]: got {kind}, expected str")
        for name in NAMES[:2]
        for row, (value, kind) in enumerate([*NOT_A_TEXT, (("text",), "tuple")])
    ),
    *(
        (with_row("references", row % 3, value), f"references[{row % 3}]: got {kind}, expected a list of str")
        for row, (value, kind) in enumerate([(5, "int"), MISSING[1], (b"text", "bytes"), ({}, "dict")])
    ),
    *(
        (with_row("references", 2, ["fine", value]), f"references[2][1]: got {kind}, expected str")
        for value, kind in NOT_A_TEXT
    ),
    *(
        (with_row("references", row, none), f"references[{row}]: got no reference, expected at least one")
        for row, none in enumerate([[], (), np.array([], object)])
    ),
    ({"sources": np.array([["a"], ["b"], ["c"]])}, "sources[0]: got list, expected str"),
    ({"sources": pd.Series(["a", None, "c"], dtype="string")}, "sources[1]: got a missing value (<NA>), expected str"),
    ({"predictions": np.array([1.0, 2.0, 3.0])}, "predictions[0]: got float, expected str"),
    ({"references": [[["a"]], ["b"], ["c"]]}, "references[0][0]: got list, expected str"),
    # Lone surrogates
    (
        with_row("predictions", 1, "caf\udce9 x"),
        "predictions[1]: got a lone surrogate '\\udce9' at character 3, expected valid Unicode",
    ),
    (
        with_row("references", 1, ["fine", "é", "\ud83d"]),
        "references[1][2]: got a lone surrogate '\\ud83d' at character 0, expected valid Unicode",
    ),
    # Lists and single texts in one column: what the first row is, the others must be.
    ({"references": [["a"], "b", ["c"]]}, "references[1]: got str, expected a list of str"),
    ({"references": ["a", ["b"], "c"]}, "references[1]: got list, expected str"),
    ({"references": ["a", "b", None]}, "references[2]: got a missing value (None), expected str"),
    # Lists that Python, numpy and pandas print
    *(
        (
            {"references": [text, "b", "c"]},
            f"references[0]: got a list written as text, {text!r}, expected a list of str, or one in JSON",
        )
        for text in (
            *("['a', 'b']", "['a' 'b']", "['a'\n 'b']", "[np.str_('a')]"),
            *("['a', nan]", "['a', None]", "[None, 'a']", "[nan, 'a']", "['a', 5]"),
            *("('a', 'b')", " ('a',)", '("nan b", nan)'),
        )
    ),
    (with_row("references", 1, ["a", '["b", null]']), "references[1][2]: got a missing value (None), expected str"),
    (
        with_row("references", 1, ["a", '["b", "\\ud83d"]']),
        "references[1][2]: got a lone surrogate '\\ud83d' at character 0, expected valid Unicode",
    ),
    (with_row("references", 2, ["[]"]), "references[2]: got no reference, expected at least one"),
    # Lengths
    ({"predictions": ["a"]}, "predictions: got 1 row, expected 3 (as in sources)"),
    ({"references": list("abcd")}, "references: got 4 rows, expected 3 (as in sources)"),
    ({"references": []}, "references: got 0 rows, expected 3 (as in sources)"),
    ({"sources": []}, "predictions: got 3 rows, expected 0 (as in sources)"),
    *(
        (
            {"references": [["a", "b", "c"]] * annotators},
            f"references: got {annotators} rows, expected 3 (one list per segment, not one per annotator)",
        )
        for annotators in (2, 4)
    ),
]
