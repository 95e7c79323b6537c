"""Choose the segments that a report shows: random ones, and for each system those that stand out."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sari.companion_measures.simplification import added_proportions, compression_ratios, sentence_counts
from sari.reports.explanation import explain
from sari.reports.score_report import ScoreRow, ShownSegment
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns
from sari.variants import Text, Variant

# The words of all segments that are shown.
_WORDS = 30_000
# The tokens whose changes are reasons to show a segment.
_TOKENS = Text(tokenize="13a")

# The segments of a choice for one system; of several, each has fewer. Up to `_TOGETHER` systems are shown with every
# segment; of more, those for which it was chosen.
_OF_ONE, _TOGETHER = 8, 4


class _Choice(NamedTuple):
    """A reason to show segments of a system.

    Attributes:
        title: the reason.
        values: a number for each segment; the highest come first.
        note: from the place of a segment to a note about it.
        positive: whether segments whose number is 0 or less are left out.
    """

    title: str
    values: np.ndarray
    note: Callable[[int], str] = lambda _: ""
    positive: bool = True


def _reasons_to_show(system: ScoreRow, first: ScoreRow, columns: SystemColumns) -> list[_Choice]:
    """Return the reasons to show segments of a system, among them wins and losses against the first system."""
    of = f" of {system.name}" if len(columns.predictions) > 1 else ""
    scores = np.array(system.sentences["sari"])
    before, after = (sentence_counts(texts) for texts in (columns.sources, columns.predictions[system.name]))
    source_tokens, output_tokens = (
        list(map(" ".join, split_into_tokens(texts, _TOKENS)))
        for texts in (columns.sources, columns.predictions[system.name])
    )
    compression = compression_ratios(source_tokens, output_tokens)
    added = added_proportions(source_tokens, output_tokens)
    choices = [_Choice(f"best{of}", scores, positive=False), _Choice(f"worst{of}", -scores, positive=False)]
    if system.name != first.name:
        gains = scores - np.array(first.sentences["sari"])
        choices += [
            _Choice(
                f"{system.name} most {word} {first.name}", sign * gains, lambda place: f"by {abs(gains[place]):.1f}"
            )
            for word, sign in (("above", 1), ("below", -1))
        ]
    return [
        *choices,
        _Choice(f"most splits{of}", after - before, lambda place: f"{before[place]:g} → {after[place]:g} sentences"),
        # Empty outputs compress nothing.
        _Choice(
            f"strongest compression{of}",
            np.where(compression > 0, 1 - compression, 0),
            lambda place: f"ratio {compression[place]:.3f}",
        ),
        _Choice(f"most rewritten{of}", added, lambda place: f"words added: {added[place]:.3f}"),
    ]


def choose_segments(
    columns: SystemColumns,
    variant: Variant,
    systems: Sequence[ScoreRow],
    *,
    seed: int,
    advance: Callable[[str], object],
) -> list[ShownSegment]:
    """Choose random segments, and for each system those that stand out: each comes once, with all its reasons.

    Args:
        columns: the texts.
        variant: by which they were scored.
        systems: with the scores of segments.
        seed: of the random segments.
        advance: called with the name of each system.
    """
    number = min(max(1, _OF_ONE // len(systems) ** 2), len(columns.sources))
    reasons: dict[int, dict[str, list[str]]] = {}
    for place in np.random.default_rng(seed).permutation(len(columns.sources))[:number].tolist():
        reasons[place] = {system.name: [] for system in systems} | {"": ["random"]}
    for system in systems:
        advance(system.name)
        for choice in _reasons_to_show(system, systems[0], columns):
            for place in np.argsort(-choice.values, kind="stable")[:number].tolist():
                if choice.values[place] > 0 or not choice.positive:
                    note = choice.note(place)
                    of_system = reasons.setdefault(place, {}).setdefault(system.name, [])
                    of_system.append(f"{choice.title} ({note})" if note else choice.title)
    return [_explain_segment(columns, variant, place, reasons[place]) for place in _few(reasons, columns)]


def _few(reasons: Mapping[int, Mapping[str, list[str]]], columns: SystemColumns) -> list[int]:
    """Return the places to show, in their order: of long texts, those of most reasons, up to `_WORDS` words in all."""
    texts = [columns.sources, *list(columns.predictions.values())[:_TOGETHER]]
    words = {place: sum(len(column[place].split()) for column in texts) for place in reasons}
    places: list[int] = []
    left = _WORDS
    for place in sorted(reasons, key=lambda place: (-sum(map(len, reasons[place].values())), place)):
        left -= words[place]
        if left >= 0 or not places:
            places.append(place)
    return sorted(places)


def _explain_segment(
    columns: SystemColumns, variant: Variant, place: int, reasons: Mapping[str, list[str]]
) -> ShownSegment:
    names = [name for name in columns.predictions if name in reasons or len(columns.predictions) <= _TOGETHER]
    source, references = columns.sources[place], columns.references[place]
    outputs = {
        name: explain(
            source=source,
            prediction=columns.predictions[name][place],
            references=references,
            variant=variant,
            ngrams=False,
        )
        for name in names
    }
    ordered = [*reasons.get("", []), *(reason for name in names for reason in reasons.get(name, []))]
    return ShownSegment(place + 1, source, references, ordered, outputs)
