"""What texts of a language need: scripts, tokenizers of other packages, and sentence splitters.

Tokenizers and splitters are imported when they are used. Only small modules are imported here, so that a command line
can list the choices at once.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

# ---- Scripts --------------------------------------------------------------------------------------------------------


class Script(NamedTuple):
    """A script, and what SARI needs to know of it.

    Attributes:
        languages: that are written in it.
        letters: its letters, as the inside of a character class of `re`.
        marks: what ends its sentences.
        tokenizers: values of `tokenize` that fit, the best first.
        spaces: whether spaces part its words.
        users: whose figures have which of these tokens.
    """

    languages: str
    letters: str
    marks: str
    tokenizers: tuple[str, ...]
    spaces: bool = True
    users: str = ""


#: The scripts by name. Documents, warnings and the search for the variant of a figure read this table.
SCRIPTS = {
    "Latin": Script(
        "English, German, French, Spanish, Italian, Portuguese, Turkish, Vietnamese, ...",
        "A-Za-z\u00aa-\u00b6\u00b8-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff",
        ".!?",
        ("13a", "intl"),
        users="`13a`: Hugging Face's module, EASSE, MUSS (French, Spanish, Portuguese); `spacy-de`: EASSE-DE, DEplain",
    ),
    "Greek": Script(
        "Greek", "\u0370-\u0373\u0376-\u037d\u0386\u0388-\u03e1\u03f0-\u03ff\u1f00-\u1fff", ".!;", ("intl", "spacy-el")
    ),
    "Cyrillic": Script("Russian, Ukrainian, Bulgarian, Serbian", "\u0400-\u052f", ".!?", ("intl", "spacy-ru")),
    "Armenian": Script("Armenian", "\u0531-\u0556\u0560-\u0588", "։՞՜", ("intl", "spacy-hy")),
    "Hebrew": Script("Hebrew", "\u05d0-\u05ea\u05ef-\u05f2", ".!?", ("intl", "spacy-he")),
    "Arabic": Script(
        "Arabic, Persian, Urdu, Pashto",
        "\u0620-\u064a\u066e-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9",
        ".!؟۔",
        ("intl", "spacy-ar"),
    ),
    "Devanagari": Script(
        "Hindi, Marathi, Nepali, Sanskrit", "\u0900-\u0963\u0971-\u097f", "।॥.!?", ("intl", "spacy-hi")
    ),
    "Bengali": Script("Bengali, Assamese", "\u0980-\u09e3\u09f0\u09f1", "।॥.!?", ("intl", "spacy-bn")),
    "Gurmukhi": Script("Punjabi", "\u0a01-\u0a5e\u0a70-\u0a75", "।॥.!?", ("intl",)),
    "Gujarati": Script("Gujarati", "\u0a81-\u0ae3\u0af9-\u0aff", ".!?", ("intl", "spacy-gu")),
    "Oriya": Script("Odia", "\u0b01-\u0b63\u0b71", "।॥.!?", ("intl",)),
    "Tamil": Script("Tamil", "\u0b82-\u0bd7", ".!?", ("intl", "spacy-ta")),
    "Telugu": Script("Telugu", "\u0c00-\u0c63", ".!?", ("intl", "spacy-te")),
    "Kannada": Script("Kannada", "\u0c80-\u0ce3\u0cf1-\u0cf3", ".!?", ("intl", "spacy-kn")),
    "Malayalam": Script("Malayalam", "\u0d00-\u0d63\u0d7a-\u0d7f", ".!?", ("intl", "spacy-ml")),
    "Sinhala": Script("Sinhala", "\u0d81-\u0ddf\u0df2\u0df3", ".!?", ("intl", "spacy-si")),
    "Georgian": Script("Georgian", "\u10a0-\u10fa\u10fc-\u10ff\u1c90-\u1cbf", ".!?", ("intl",)),
    "Ethiopic": Script("Amharic, Tigrinya", "\u1200-\u135f\u1380-\u138f", "።፧.!?", ("intl", "spacy-am")),
    "Hangul": Script("Korean", "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3", ".!?", ("ko-mecab", "char")),
    "Kana": Script(
        "Japanese",
        "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff",
        "。！？",
        ("ja-mecab", "spacy-ja", "char"),
        spaces=False,
        users="`ja-mecab`: MATCHA",
    ),
    "Han": Script(
        "Chinese; Japanese, with kana",
        "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
        "。！？",
        ("zh", "jieba:lcut", "char"),
        spaces=False,
        users="`jieba:lcut`: CSS",
    ),
    "Thai": Script("Thai", "\u0e01-\u0e3a\u0e40-\u0e4e", "", ("pythainlp:word_tokenize", "char"), spaces=False),
    "Lao": Script("Lao", "\u0e81-\u0ece\u0edc-\u0edf", "", ("char",), spaces=False),
    "Khmer": Script("Khmer", "\u1780-\u17d3", "។៕", ("khmernltk:word_tokenize", "char"), spaces=False),
    "Myanmar": Script("Burmese", "\u1000-\u103f\u1050-\u108f", "။", ("char",), spaces=False),
    "Tibetan": Script("Tibetan, Dzongkha", "\u0f00\u0f40-\u0fbc", "།༎", ("char",), spaces=False),
}

_LETTERS = re.compile("|".join(f"(?P<{name}>[{row.letters}]+)" for name, row in SCRIPTS.items()))


def count_letters(texts: Iterable[str]) -> Counter[str]:
    """Return how many letters of each script the texts have, by the name of the script.

    >>> count_letters(["Вот 3 cats", "да"])
    Counter({'Cyrillic': 5, 'Latin': 4})
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for match in _LETTERS.finditer(text):
            counts[str(match.lastgroup)] += len(match[0])
    return counts
