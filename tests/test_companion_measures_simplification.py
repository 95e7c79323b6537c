"""The measures of simplification: sentences, laws of pairs, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sari.companion_measures import simplification as measures

texts = st.text("ab .", max_size=12)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=4).map(
    lambda rows: tuple(map(list, zip(*rows, strict=True)))
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" . . ", 0),
        ("one . two . and a rest", 3),
        ('He said "no." She said "yes."', 2),
        ("Wait ... what ?!", 2),
        ("visit example.io or Node.JS, not it.ended .", 1),
        ("3.5 percent of 1.000 .", 1),
        ("Mr. Smith met Dr. T. Jones .", 1),
        ("The U.S. army , e.g. in Europe .", 1),
        ("mr . smith met dr . jones . he left .", 2),
        ("plan b . plan c .", 2),
        ("He left Apple Inc. headquarters.", 1),
        ("vitamin C. It helps.", 1),
        ("He moved to the U.S.", 1),
        (".NET. It works.", 1),
        ("彼は（行った。）来た！３．５です．", 3),
        ("वह गया। वह आया॥", 2),
        ("Τι είναι; Δεν ξέρω.", 2),
        ("one; two.", 1),
        ("བཀྲ་ཤིས། བདེ་ལེགས།", 2),
    ],
)
def test_sentence_counts(text, count):
    assert measures.sentence_counts([text]).tolist() == [count]


@pytest.mark.parametrize(
    ("repeated", "end", "count"),
    [(".", "a", 1), (". ", "a", 1), ("(aa.Bb", "", 2), ("a.b! ", "", 50_000), (" a .", " ." * 50_000, 50_000)],
)
def test_sentences_take_time_in_proportion_to_the_text(repeated, end, count):
    """With the square of its length, each of these would take minutes."""
    assert measures.sentence_counts([repeated * 50_000 + end]).tolist() == [count]


@given(pairs)
def test_laws_of_pairs(columns):
    sources, outputs = columns
    before, after = ([len(text.split()) for text in column] for column in columns)
    added, deleted = measures.added_proportions(*columns), measures.deleted_proportions(*columns)
    assert (added == measures.deleted_proportions(outputs, sources)).all()
    assert ((added >= 0) & (added <= 1)).all()
    longer = np.maximum(np.maximum(before, after), 1)
    assert ((added - deleted) * longer).round(9).tolist() == np.subtract(after, before).tolist()
    similar = measures.levenshtein_similarities(*columns)
    assert (similar == measures.levenshtein_similarities(outputs, sources)).all()
    assert (measures.exact_copies(*columns) == (similar == 1)).all()
    distances = measures.edit_distances(*columns)
    assert (distances == measures.edit_distances(outputs, sources)).all()
    assert ((distances == 0) == measures.equal_tokens(*columns)).all()


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match=r"^predictions: got 2 rows, expected 1 \(as in sources\)$"):
        measures.splits(["a"], ["a", "b"])
