"""An explained score as a picture for a slide: SVG that needs no other file."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from sari.reports.explanation import Explanation, Token
from sari.web import rendering

#: How many references, and how many of the choices that cost most, are shown.
_REFERENCES, _COSTS = 2, 3
#: The widths of a line and of letters, in halves of the font's size: about those of Arial; added words are bold.
_LINE, _WIDE, _NARROW, _BOLD = 66, 2.0, 1.05, 1.15
#: Characters that XML does not allow.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Word(NamedTuple):
    """A token of a picture, or a part of a long one, and its mark."""

    text: str
    mark: str


class Row(NamedTuple):
    """A line of a picture: what stands before it, and its words."""

    label: str
    words: list[Word]


def draw(explanation: Explanation) -> str:
    """Return scores, what costs most, and the marked texts as SVG."""
    people = explanation.references
    texts = [("Source", explanation.source), ("Output", explanation.output)]
    texts += [(f"Reference {number}" if len(people) > 1 else "Reference", own) for number, own in enumerate(people, 1)]
    rows = [row for label, tokens in texts[: 2 + _REFERENCES] for row in _rows(label, tokens)]
    costing = [edit for edit in explanation.edits if edit.points < -0.05][:_COSTS]
    svg = rendering.render("picture", "picture", explanation, rows, costing, max(0, len(people) - _REFERENCES))
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", svg)


def _rows(label: str, tokens: Iterable[Token]) -> list[Row]:
    """Break a text into lines. Of references only what the output lacks is marked."""
    rows, left = [Row(label, [])], float(_LINE)
    for token in tokens:
        mark = "kept" if label.startswith("Reference") and token.mark != "missed" else token.mark
        for part in _parts(token.text):
            width = _BOLD * _width(f"+{part} ") if mark.startswith("added") else _width(f"{part} ")
            if left < width and rows[-1].words:
                rows.append(Row("", []))
                left = _LINE
            left -= width
            rows[-1].words.append(Word(part, mark))
    return rows


def _parts(text: str) -> Sequence[str]:
    """Break a token that is longer than a line.

    >>> list(map(len, _parts("\N{CJK UNIFIED IDEOGRAPH-4E00}" * 40))), _parts("cat")
    ([27, 13], ['cat'])
    """
    most = _LINE / _BOLD - 4
    ends = [0.0, *accumulate(map(_width, text))]
    places = groupby(range(len(text)), lambda place: int(ends[place] // most))
    return ["".join(text[place] for place in own) for _, own in places] or [""]


def _width(text: str) -> float:
    return sum(_WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW for letter in text)
