"""The Flesch–Kincaid grade and ranks of words: as EASSE computes them, laws, and what is refused."""

import gzip
from collections import Counter
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs import example_corpus
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from sari.companion_measures import readability as measures
from sari.text_files.errors import FileError

# What EASSE's count_syllables_in_word (6a4352e) returns.
SYLLABLES = {
    **{"the": 1, "The": 1, "beetle": 1, "municipality": 6, "initially": 4, "chronic": 2, "reservoir": 3, "etc": 4},
    **{"1874": 0, ".": 0, "e": 0, "60": 2, "tia": 1, "social": 2, "radius": 3, "mcdonald": 3, "prism": 2, "didn't": 1},
    **{"satiated": 4, "sailmaker": 4, "effaces": 2, "shivered": 2, "coaxial": 4, "aqua": 2, "nationally": 4},
}

texts = st.lists(st.text("abe .-A1", max_size=12), max_size=4)


@pytest.mark.parametrize(("word", "syllables"), SYLLABLES.items())
def test_syllables_of_easse(word, syllables):
    assert measures.easse_syllables(word) == syllables


@given(texts, texts)
def test_counts_add_up_to_the_grade(one, other):
    counts = measures.flesch_kincaid_counts(one + other)
    parts = [measures.flesch_kincaid_counts(part) for part in (one, other)]
    assert counts.tolist() == np.concatenate(parts).tolist()
    assert measures.flesch_kincaid_grade(one + other) == measures.flesch_kincaid_of_sums(counts.sum(axis=0))
    assert counts[:, 0].any() or measures.flesch_kincaid_grade(one + other) == 0


# EASSE's get_wordrank_score (tseval, dea8863) of the first three sources in 13a tokens, lowercased, with the ranks of
# the words of the outputs and the first references, by frequency and alphabet, 200 of them, and these stop words.
WORD_RANKS = [4.209900422703794, 4.489540434723778, 4.3264735561969285]
STOP_WORDS = {"the", "of", "in", "and", "a", "was", "is", "it", "to", "by", "on", "which", "at", "has"}


def test_word_ranks_are_easses():
    corpus, split = example_corpus(), Tokenizer13a()
    texts = [*corpus["predictions"]["deleting"], *(row[0] for row in corpus["references"])]
    counts = Counter(" ".join(split(text.lower()) for text in texts).split())
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:200]
    column = [split(text.lower()) for text in corpus["sources"][:3]]
    found = measures.word_ranks(column, {word: rank for rank, word in enumerate(ranked)}, STOP_WORDS)
    assert found.tolist() == pytest.approx(WORD_RANKS, abs=1e-9)


def test_words_of_files_are_read_as_texts_are(tmp_path, monkeypatch):
    path = tmp_path / "frequencies.tsv"
    path.write_bytes(gzip.compress("The\t10\nof\t9\nThe\t8\nété\t1\n".encode("latin-1")))
    assert measures.read_ranks(path, "latin-1") == {"The": 2, "of": 1, "été": 3}
    monkeypatch.setattr(measures, "RANKED_WORDS", 2)
    assert measures.read_ranks(path, "latin-1") == {"The": 0, "of": 1}
    assert measures.read_stop_words(path, "latin-1") == {"the", "of", "été"}


def test_a_file_without_words_is_refused(tmp_path):
    (tmp_path / "frequencies.tsv").touch()
    with pytest.raises(FileError, match="got no word"):
        measures.read_ranks(tmp_path / "frequencies.tsv")


@pytest.mark.parametrize("kind", [ImportError, LookupError])
def test_stop_words_that_are_not_installed_are_asked_for(kind, monkeypatch):
    monkeypatch.setattr(measures, "import_module", Mock(side_effect=kind))
    with pytest.raises(ImportError, match=r"pip install nltk && python -m nltk.downloader stopwords$"):
        measures.nltk_stop_words()
