"""Choose the segments that a report shows: random ones, and for each system those that stand out."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sari.companion_measures.simplification import added_proportions, compression_ratios, sentence_counts
from sari.reports.explanation import explain
from sari.reports.score_report import FEW, ScoreRow, ShownSegment
from sari.tokenization import split_into_tokens
from sari.validation import SystemColumns
from sari.variants import Text, Variant

# The words of all segments that are shown.
_WORDS = 30_000
# The segments of a choice for one system; of several, each has fewer.
_OF_ONE = 8


def choose_segments(
    columns: SystemColumns,
    variant: Variant,
    systems: Sequence[ScoreRow],
    text: Text,
    *,
    seed: int,
    names: Mapping[str, Sequence[int | str]],
    advance: Callable[[str], object],
) -> list[ShownSegment]:
    """Choose random segments, and for each system those that stand out: each comes once, with all its reasons.

    Args:
        columns: the texts.
        variant: by which they were scored.
        systems: with the scores of segments.
        text: how texts become words, as those of companion measures.
        seed: of the random segments.
        names: of rows by system, for those that have names.
        advance: called with the name of each system.
    """
    number = max(1, _OF_ONE // len(systems) ** 2)
    sources = _joined_tokens(columns.sources, text)
    # By the place of a segment, the reasons to show it, each with the name of its system; random ones are of all.
    reasons: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for place in np.random.default_rng(seed).permutation(len(columns.sources))[:number].tolist():
        reasons[place] += [(system.name, "random") for system in systems]
    for system in systems:
        advance(system.name)
        for title, note, values in _standing_out(system, systems[0], columns, sources, text):
            for place in np.argsort(-values, kind="stable")[:number].tolist():
                if values[place] > 0:
                    reasons[place].append((system.name, title + note.format(values[place])))
    shown = [_explain_segment(columns, variant, place, reasons[place]) for place in _few(reasons, columns)]
    return [
        replace(segment, rows={name: of_system[segment.number - 1] for name, of_system in names.items()})
        for segment in shown
    ]


def _joined_tokens(texts: list[str], text: Text) -> list[str]:
    return list(map(" ".join, split_into_tokens(texts, text)))


def _standing_out(
    system: ScoreRow, first: ScoreRow, columns: SystemColumns, sources: list[str], text: Text
) -> list[tuple[str, str, np.ndarray]]:
    """Return why segments of a system stand out, among others by wins and losses against the first system.

    Args:
        system, first: with the scores of segments.
        columns: the texts.
        sources: the tokens of the sources, joined by spaces.
        text: how outputs become tokens, too.

    Returns:
        For each reason its title, a note, and a number for each segment. The segments of the highest numbers above 0
        are shown, with their number in the note.
    """
    outputs = columns.predictions[system.name]
    of = f" of {system.name}" if len(columns.predictions) > 1 else ""
    scores = np.array(system.sentences["sari"])
    gains = scores - np.array(first.sentences["sari"])
    tokens = sources, _joined_tokens(outputs, text)
    ratios = compression_ratios(*tokens)
    return [
        (f"best{of}", "", scores),
        (f"worst{of}", "", 100 - scores),
        (f"{system.name} most above {first.name}", " (by {:.1f})", gains),
        (f"{system.name} most below {first.name}", " (by {:.1f})", -gains),
        (f"most splits{of}", " (sentences: {:+g})", sentence_counts(outputs) - sentence_counts(columns.sources)),
        # Empty outputs compress nothing.
        (f"strongest compression{of}", " ({:.0%} fewer characters)", (ratios > 0) * (1 - ratios)),
        (f"most rewritten{of}", " (words added: {:.3f})", added_proportions(*tokens)),
    ]


def _few(reasons: Mapping[int, Sequence[object]], columns: SystemColumns) -> list[int]:
    """Return the places to show, in their order: of long texts, those of most reasons, up to `_WORDS` words in all."""
    texts = [columns.sources, *list(columns.predictions.values())[:FEW]]
    places = sorted(reasons, key=lambda place: (-len(reasons[place]), place))
    words = np.cumsum([sum(len(column[place].split()) for column in texts) for place in places])
    return sorted(places[: max(1, int(np.searchsorted(words, _WORDS, "right")))])


def _explain_segment(
    columns: SystemColumns, variant: Variant, place: int, reasons: Sequence[tuple[str, str]]
) -> ShownSegment:
    chosen = {name for name, _ in reasons}
    # Each of few systems is shown with every segment; of more, those for which it was chosen.
    names = [name for name in columns.predictions if name in chosen or len(columns.predictions) <= FEW]
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
    return ShownSegment(place + 1, source, references, list(dict.fromkeys(why for _, why in reasons)), outputs)
