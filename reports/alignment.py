"""Align the words of an output with those of its source: phrases first, as a reader would."""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from typing import NamedTuple

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
    in_source = Counter(source)
    blocks: list[Match] = []
    if sum(in_source[word] for word in output) <= _MOST_PAIRS:
        blocks = SequenceMatcher(None, source, output, False).get_matching_blocks()
    in_order = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    # The others are paired one by one: the first with the first equal one, and so on.
    taken, waiting = set(dict(in_order).values()), defaultdict[str, deque[int]](deque)
    for place, word in enumerate(output):
        if place not in taken:
            waiting[word].append(place)
    known = dict(in_order)
    others = [
        (place, waiting[word].popleft()) for place, word in enumerate(source) if place not in known and waiting[word]
    ]
    return Alignment(sorted(in_order + others), in_order)


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
