"""Segments as lists of words, which are their tokens: as numbers for the fast functions, as they are for the oracle."""

import numpy as np
import oracle
from hypothesis import strategies as st

from sari.ngrams import EMPTY, Tokens

#: For each way to count, the oracle's.
ORACLES = {
    "hf": oracle.count_hf,
    "xu2016": oracle.count_xu2016,
    "lens": oracle.count_lens,
    "pooled": oracle.count_easse,
    "weighted_sets": oracle.count_t2t,
    "sets": oracle.count_set,
}


def words_of(text):
    """Return the words between single spaces; "_" stands for the empty one."""
    return ["" if word == "_" else word for word in text.split()]


def tokens_of(sources, references, predictions=()):
    """Return the tokens of lists of words: one per segment, for references a list of them."""
    texts = [*sources, *(text for row in references for text in row), *predictions]
    ids = {"": EMPTY}
    numbers = [ids.setdefault(word, len(ids)) for text in texts for word in text]
    return Tokens(
        np.array(numbers, np.int64),
        np.array(list(map(len, texts)), np.int64),
        np.array(list(map(len, references)), np.int64),
    )


def shared_and_predictions(sources, references, predictions):
    """Return the tokens of sources and references, and the ids and lengths of those of any predictions."""
    tokens = tokens_of(sources, references, predictions)
    shared = tokens_of(sources, references)
    return shared, tokens.ids[len(shared.ids) :], tokens.lengths[len(shared.lengths) :]


def tokens_of_texts(source, references, prediction):
    """Return the tokens of one segment, whose words stand between spaces."""
    return tokens_of([words_of(source)], [list(map(words_of, references))], [words_of(prediction)])


@st.composite
def segments(draw, systems=1, min_segments=1):
    """Draw sources, references, and the predictions of each system, over so few words that n-grams repeat."""
    text = st.text("abc ", max_size=7).map(lambda letters: [letter.strip() for letter in letters])
    row = st.tuples(text, st.lists(text, min_size=1, max_size=3), *[text] * systems)
    rows = draw(st.lists(row, min_size=min_segments, max_size=4))
    return tuple(map(list, zip(*rows, strict=True)))
