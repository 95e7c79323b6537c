"""Sentences: those of NLTK's Punkt, most of them found without it, and those of a callable."""

import subprocess
import sys
from itertools import product
from math import prod

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import PunktTokenizer

from sari.options import resolve_settings
from sari.sentences import check_splitter, count_sentences, describe_splitter

#: Of the small model: abbreviations, collocations, sentence starters, and words with all kinds of places.
WORDS = ["The", "the", "It", "Mr", "dr", "e.g", "p.m", "U.S", "Inc", "St", "Louis", "b", "B", "J", "June", "3", "1990"]
WORDS += ["a", "cat", "Cat", "cat's", "well-known", "x-mr", "é", "Été", "中", "1.5", "##number##"]
MARKS = [
    *".....",
    "?",
    "!",
    "..",
    "...",
    ". .",
    ". . .",
    "?!",
    ".)",
    "!)",
    ',"',
    ".'",
    ".\u201d",
    ")",
    ",",
    ":",
    "--",
    "(",
    "%",
]
SPACES = [*[" "] * 9, "", "  ", "\n", "\n\n", "\t", "\x0b", "\x1c", "\xa0", "\u3000", "\r\n", "\x85"]

#: Half of the words are those above, half are any short texts with marks and spaces in them.
SHORT = ["".join(letters) for length in range(5) for letters in product("ab.?! \n", repeat=length)]
EITHER = WORDS * (len(SHORT) // len(WORDS)) + SHORT
#: Of what a text is made, piece by piece: a word, a mark or none, and a space.
TABLES = [EITHER + [word.capitalize() for word in EITHER], MARKS + [""] * len(MARKS), SPACES]


def written(numbers):
    """Return the text that numbers stand for, each for an entry of every table."""
    text = ""
    for number in numbers:
        for table in TABLES:
            number, place = divmod(number, len(table))
            text += table[place]
    return text


# A draw for each word with all that follows is many times faster than one for each part.
texts = st.lists(st.integers(0, prod(map(len, TABLES)) - 1), max_size=14).map(written)


@pytest.fixture(scope="module")
def punkt():
    return PunktTokenizer("english").tokenize


@given(text=texts)
@settings(max_examples=1_500)
def test_sentences_are_those_of_nltk(punkt, text):
    assert count_sentences([text], "punkt").tolist() == [len(punkt(text))]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", 0),
        (" \n", 0),
        ("No mark", 1),
        ("One. Two! Three? Four", 4),
        ("one . two ! three ?", 3),
        ("Mr. Hale met Dr. B. Smith. They left.", 2),
        ("At 5 p.m. It rained.", 2),
        ("In St. Louis it rained.", 1),
        ('He said "go." (She did.) It was 1.5 m.', 3),
        ("Wait... what? Yes.", 2),
        (".", 1),
        ("...", 1),
    ],
)
def test_known_sentences(punkt, text, sentences):
    assert len(punkt(text)) == sentences
    assert count_sentences([text], "punkt").tolist() == [sentences]


def test_a_callable_is_asked_for_every_text():
    assert count_sentences(["a\nb", "", "a"], str.splitlines).tolist() == [2, 0, 1]
    assert describe_splitter(str.splitlines) == "custom.str.splitlines"
    assert describe_splitter(resolve_settings) == "custom.resolve_settings"


@pytest.mark.parametrize("splitter", [str.upper, len, lambda text: iter([text])])
def test_a_callable_that_returns_no_list_is_refused(splitter):
    with pytest.raises(TypeError, match=r"\Asentence_splitter: the callable returned \w+, wanted a list of the text's"):
        count_sentences(["a b"], splitter)


@pytest.mark.parametrize(("splitter", "error"), [("nltk", ValueError), (None, TypeError), (3, TypeError)])
def test_what_is_no_splitter_is_refused(splitter, error):
    message = rf"\Asentence_splitter: got {splitter!r}, wanted 'punkt' or a callable from a text to the list of its sen"
    with pytest.raises(error, match=message):
        check_splitter(splitter)


@pytest.mark.parametrize("lacks", ["nltk", "data"])
def test_without_punkt_one_line_says_how_to_get_it(lacks, tmp_path):
    """Nothing is downloaded, and what asks for no penalties goes on working."""
    hide = "sys.modules['nltk'] = None\n" if lacks == "nltk" else f"os.environ['NLTK_DATA'] = {str(tmp_path)!r}\n"
    program = (
        f"import os, sys\n{hide}"
        f"import score\n"
        "print(score.sari(['a b'], ['a'], ['a'], variant='xu2016')['sari'] > 0)\n"
        "print(score.sari(['a b'], ['a'], ['a'], variant='dsari', sentence_splitter=str.splitlines)['sari'] > 0)\n"
        "try:\n    score.sari(['a b'], ['a'], ['a'], variant='dsari')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    home = {"HOME": str(tmp_path), "PATH": "", "PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, cwd=ROOT, env=home, capture_output=True, text=True, check=True)
    assert process.stdout.splitlines() == [
        "True",
        "True",
        "sentence_splitter: 'punkt' needs NLTK and its data: pip install nltk && python -m nltk.downloader punkt_tab; "
        "or give a callable from a text to the list of its sentences",
    ]
