"""Choose the segments that a report shows: random ones, and for each system those that stand out."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from sari.reports.document import Example, Examples, System
from sari.reports.explanation import Explanation, explain
from sari.validation import SystemColumns
from sari.variants import Variant

#: The segments of a group: for one system; at most and at least for several, which share `_ALL`.
_OF_ONE, _MOST, _FEWEST, _ALL = 8, 4, 1, 20


class _Choice(NamedTuple):
    """A reason to show segments of a system.

    Attributes:
        title: of the segments.
        order: from the system, and the source as another system, to a number for each segment; the highest come first.
        note: from both and the place of a segment to a note about it; None for no note.
        positive: whether segments whose number is 0 or less are left out.
    """

    title: str
    order: Callable[[System, System], np.ndarray]
    note: Callable[[System, System, int], str] | None = None
    positive: bool = True


def _scores(system: System, _source: System) -> np.ndarray:
    assert system.sentences is not None  # only what has no scores has none
    return np.array(system.sentences["sari"])


def _split_off(system: System, source: System) -> np.ndarray:
    return np.array(system.rows["sentences"]) - np.array(source.rows["sentences"])


def _compression(system: System, _source: System) -> np.ndarray:
    """Return the share of the characters that is gone; 0 for empty outputs."""
    ratios = np.array(system.rows["compression_ratio"])
    return np.where(ratios > 0, 1 - ratios, 0)


_CHOICES = (
    _Choice("Best segments", _scores, positive=False),
    _Choice("Worst segments", lambda system, source: -_scores(system, source), positive=False),
    _Choice(
        "Most splits",
        _split_off,
        lambda system, source, place: (
            f"{source.rows['sentences'][place]:g} → {system.rows['sentences'][place]:g} sentences"
        ),
    ),
    _Choice(
        "Strongest compression",
        _compression,
        lambda system, _, place: f"compression ratio {system.rows['compression_ratio'][place]:.3f}",
    ),
    _Choice(
        "Most rewritten",
        lambda system, _: np.array(system.rows["added"]),
        lambda system, _, place: f"words added: {system.rows['added'][place]:.3f}",
    ),
)


def example_groups(systems: int) -> int:
    """Return the number of calls of `advance` by `choose_examples`, for a number of systems."""
    return 1 + systems * len(_CHOICES)


def choose_examples(
    columns: SystemColumns,
    variant: Variant,
    systems: Sequence[System],
    source: System,
    *,
    seed: int,
    advance: Callable[[str], object],
) -> list[Examples]:
    """Choose random segments, shown for all systems, and for each system those that stand out.

    Args:
        columns: the texts.
        variant: by which they were scored.
        systems, source: with their scores and measures; the source as another system.
        seed: of the random segments.
        advance: called with the title of each group.
    """

    @cache  # a segment may stand out for more than one reason
    def explained(name: str, place: int) -> Explanation:
        return explain(
            source=columns.sources[place],
            prediction=columns.predictions[name][place],
            references=columns.references[place],
            variant=variant,
            ngrams=False,
        )

    def example(place: int, names: Sequence[str], note: str = "") -> Example:
        outputs = {name: explained(name, place) for name in names}
        return Example(place + 1, columns.sources[place], columns.references[place], outputs, note)

    advance("Random segments")
    number = min(_number(len(systems)), len(columns.sources))
    at_random = sorted(np.random.default_rng(seed).permutation(len(columns.sources))[:number].tolist())
    names = [system.name for system in systems]
    groups = [Examples("Random segments", [example(place, names) for place in at_random])]
    for system in systems:
        for choice in _CHOICES:
            title = choice.title if len(systems) == 1 else f"{choice.title} of {system.name}"
            advance(title)
            segments = [
                example(place, [system.name], choice.note(system, source, place) if choice.note else "")
                for place in _chosen(choice, system, source, number)
            ]
            if segments:
                groups.append(Examples(title, segments))
    return groups


def _number(systems: int) -> int:
    return _OF_ONE if systems == 1 else max(_FEWEST, min(_MOST, _ALL // systems))


def _chosen(choice: _Choice, system: System, source: System, number: int) -> list[int]:
    values = choice.order(system, source)
    highest = np.argsort(-values, kind="stable")[:number].tolist()
    return [place for place in highest if values[place] > 0 or not choice.positive]
