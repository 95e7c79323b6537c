"""Align the words of an output with those of its source: phrases first, as a reader would."""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

#: How many words and pairs of equal words are looked at, so that long or repetitive texts take no more than a second.
_STEPS = 1_000_000


def align(source: Sequence[str], output: Sequence[str]) -> dict[int, int]:
    """Return the places of words that source and output share in the same order, from source to output.

    The longest phrase that both texts have comes first, then the longest ones before and after it, and so on. All
    other words were deleted, added or moved; so are those of parts that would take more than `_STEPS` in all.

    >>> align("the seal , the great seal".split(), "the great seal".split())
    {3: 0, 4: 1, 5: 2}
    """
    matcher, in_output = SequenceMatcher(None, source, output, False), Counter(output)
    # What it takes to look at the words before each place: each word, and its equals in the output.
    steps, left = [0, *accumulate(1 + in_output[word] for word in source)], _STEPS
    aligned: dict[int, int] = {}
    parts = deque([(0, len(source), 0, len(output))])
    while parts:
        begin, end, output_begin, output_end = parts.popleft()
        if steps[end] - steps[begin] > left:
            continue
        left -= steps[end] - steps[begin]
        phrase = matcher.find_longest_match(begin, end, output_begin, output_end)
        if phrase.size:
            aligned.update((phrase.a + step, phrase.b + step) for step in range(phrase.size))
            parts.append((begin, phrase.a, output_begin, phrase.b))
            parts.append((phrase.a + phrase.size, end, phrase.b + phrase.size, output_end))
    return dict(sorted(aligned.items()))


def pair_words(source: Sequence[str], output: Sequence[str], in_order: Mapping[int, int]) -> dict[int, int]:
    """Return the places of all words that both texts have: those in order, and those that moved.

    Words that moved are paired one by one: the first with the first equal one, and so on.

    >>> source, output = "x y a b a".split(), "a b x a".split()
    >>> pairs = pair_words(source, output, align(source, output))
    >>> sorted(pairs.items())
    [(0, 2), (2, 0), (3, 1), (4, 3)]
    """
    taken, waiting = set(in_order.values()), defaultdict[str, deque[int]](deque)
    for place, word in enumerate(output):
        if place not in taken:
            waiting[word].append(place)
    moved = (place for place in range(len(source)) if place not in in_order)
    return {**in_order, **{place: waiting[source[place]].popleft() for place in moved if waiting[source[place]]}}
