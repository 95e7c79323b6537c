"""Split words and count syllables as the implementations of published figures do.

`dictionary_syllables` is ours; `easse_syllables` is EASSE's (commit 6a4352e, easse/utils/text.py), which follows Greg
Fast's Lingua::EN::Syllable; `joshua_tokens` and `joshua_syllables` are those of the Joshua that Xu et al. 2016 released
(ppdb-simplification-release-joshua5.0, in https://github.com/Sanqiang/text_simplification at 9632eee: JoshuaEval.java
and GradeLevelBLEU.java). All are made for English.
"""

import re
from functools import lru_cache

import syllapy

_REMEMBERED = 1 << 17

_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"}
_MARKS = re.compile(r"""([!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])""")
# A period or comma, unless digits stand on both sides; a hyphen after a digit.
_BETWEEN = re.compile(r"(?<![0-9])([.,])|([.,])(?![0-9])|(?<=[0-9])(-)")
_OTHER_WHITESPACE = re.compile(r"[^\S \t\n\x0b\f\r]")
_JOSHUA_SYLLABLE, _JOSHUA_SILENT_E = re.compile("[^aeiouy]*[aeiouy]+"), re.compile("[^aeiou]e$")

_EASSE_WORDS = {
    word: syllables
    for syllables, words in {
        1: "the chummed peeped sheered flapped mimes ms st foamed brutes h'm gaped lb",
        2: "tottered moustaches bepatched caressed trespassed pencilled motioned poleman slandered sombre sidespring "
        "mr mrs dr sr jr truckle fringed clattered capered mangroves suavely reclined effaced quivered deafened "
        "unstained stammered gravesend 60 greyish messieurs effaces shivered",
        3: "shamefully disinterred sepulchre hemispheres veriest manoeuvred discoloured unexpressed",
        4: "satiated sailmaker etc sententiously",
        5: "particularized unostentatious",
        6: "propitiatory",
    }.items()
    for word in words.split()
}
_EASSE_ADDS = (
    *("ia", "riet", "dien", "iu", "io", "ii", "[aeiouy]bl$", "mbl$", "[aeiou]{3}", "^mc", "ism$"),
    *(r"(.)(?!\1)([aeiouy])\2l$", "[^l]llien", "^coad.", "^coag.", "^coal.", "^coax."),
    *(r"(.)(?!\1)[gq]ua(.)(?!\2)[aeiou]", "dnt$"),
)
_EASSE_SUBTRACTS = ("cial", "tia", "cius", "cious", "gui", "ion", "iou", "sia$", ".ely$")
_VOWELS = re.compile("[aeiouy]+")


def has_letter_or_digit(text: str) -> bool:
    """Return whether a text has a letter or digit: a word has, a mark has not.

    >>> has_letter_or_digit("it's"), has_letter_or_digit("--")
    (True, False)
    """
    return any(map(str.isalnum, text))


@lru_cache(_REMEMBERED)
def dictionary_syllables(word: str) -> int:
    """Return how many syllables a word has: by syllapy's dictionary, and for others its vowel groups, at least one.

    >>> dictionary_syllables("simplification"), dictionary_syllables("hmm")
    (5, 1)
    """
    return max(syllapy.count(word), 1)


@lru_cache(_REMEMBERED)
def easse_syllables(word: str) -> int:
    """Return EASSE's count: vowel groups without final e's, corrected by patterns. It may be 0 or negative.

    >>> easse_syllables("simplification"), easse_syllables("there"), easse_syllables(".")
    (5, 1, 0)
    """
    word = word.lower().strip()
    if word in _EASSE_WORDS:
        return _EASSE_WORDS[word]
    word = word.rstrip("e")
    more, fewer = (sum(bool(re.search(own, word)) for own in rules) for rules in (_EASSE_ADDS, _EASSE_SUBTRACTS))
    return len(_VOWELS.findall(word)) + more - fewer


@lru_cache(_REMEMBERED)
def joshua_syllables(word: str) -> int:
    """Return Joshua's count: vowel groups without a silent e, at least one in each part between hyphens.

    Only lowercase vowels count.

    >>> joshua_syllables("simplification"), joshua_syllables("thirty-five"), joshua_syllables(".")
    (5, 3, 1)
    """
    parts = word.split("-") if word != "-" else [word]
    while parts and not parts[-1]:  # as Java splits
        parts.pop()
    return sum(max(len(_JOSHUA_SYLLABLE.findall(part)) - bool(_JOSHUA_SILENT_E.search(part)), 1) for part in parts)


def joshua_tokens(text: str, *, normalize: bool = True) -> list[str]:
    """Split a text into tokens as JoshuaEval does: at ASCII whitespace, and marks from words.

    Args:
        text: any text.
        normalize: whether marks are split from words; if not, only whitespace splits.

    >>> joshua_tokens("It's 3.5 (or 4-5).")
    ["It's", '3.5', '(', 'or', '4', '-', '5', ')', '.']
    """
    if normalize:
        for entity, mark in _ENTITIES.items():
            text = text.replace(entity, mark)
        text = _BETWEEN.sub(r" \g<0> ", _MARKS.sub(r" \1 ", text))
    return _OTHER_WHITESPACE.sub("\ufffc", text).split()
