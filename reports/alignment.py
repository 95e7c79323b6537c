"""Align the words of an output with those of its source: phrases first, as a reader would."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

#: Rounds of looking for phrases that moved; then the other words are paired one by one.
_ROUNDS = 8
#: With more pairs of equal words, phrases are not looked for, since that would take seconds.
_MOST_PAIRS = 300_000


class Alignment(NamedTuple):
    """The words that source and output share.

    Attributes:
        pairs: the places of every shared word in source and output, in the order of the source; each place once.
        in_order: the pairs in the same order in both texts; all other words were deleted, added or moved.
    """

    pairs: list[tuple[int, int]]
    in_order: list[tuple[int, int]]


def align(source: Sequence[str], output: Sequence[str]) -> Alignment:
    """Pair the words of a source with equal words of an output, as many as both have.

    >>> align("the seal , the great seal".split(), "the great seal".split()).pairs
    [(3, 0), (4, 1), (5, 2)]
    """
    left, right = list(range(len(source))), list(range(len(output)))
    pairs: list[tuple[int, int]] = []
    in_order: list[tuple[int, int]] = []
    in_source = Counter(source)
    equal_pairs = sum(in_source[word] for word in output)
    for number in range(_ROUNDS if equal_pairs <= _MOST_PAIRS else 0):
        matcher = SequenceMatcher(None, [source[place] for place in left], [output[place] for place in right], False)
        matched = [
            (left[block.a + step], right[block.b + step])
            for block in matcher.get_matching_blocks()
            for step in range(block.size)
        ]
        if not matched:
            break
        pairs += matched
        in_order = in_order if number else matched
        taken_left, taken_right = (set(places) for places in zip(*matched, strict=True))
        left = [place for place in left if place not in taken_left]
        right = [place for place in right if place not in taken_right]
    return Alignment(sorted(pairs + _word_by_word(source, output, left, right)), in_order)


def changes(source: Sequence[str], output: Sequence[str], alignment: Alignment) -> list[tuple[str, int]]:
    """Return source and output as one line, in which aligned words come once, as ("source", place).

    >>> source, output = "a large cat".split(), "a big cat".split()
    >>> changes(source, output, align(source, output))
    [('source', 0), ('source', 1), ('output', 1), ('source', 2)]
    """
    line: list[tuple[str, int]] = []
    begin, output_begin = 0, 0
    for place, output_place in [*alignment.in_order, (len(source), len(output))]:
        line += [("source", gone) for gone in range(begin, place)]
        line += [("output", new) for new in range(output_begin, output_place)]
        if place < len(source):
            line.append(("source", place))
        begin, output_begin = place + 1, output_place + 1
    return line


def _word_by_word(
    source: Sequence[str], output: Sequence[str], left: Sequence[int], right: Sequence[int]
) -> list[tuple[int, int]]:
    """Pair the remaining words: the first with the first equal one, and so on."""
    waiting: dict[str, list[int]] = {}
    for place in reversed(right):
        waiting.setdefault(output[place], []).append(place)
    return [(place, waiting[source[place]].pop()) for place in left if waiting.get(source[place])]
