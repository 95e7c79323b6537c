"""Where systems differ: the segments that each system gains and loses most in, next to the baseline."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sari.web.markup.elements import difference_of, escaped, note

_SHOWN = 5


class Segment(NamedTuple):
    """A segment to look at: its place in the corpus, from 0, and of each system the output and its SARI."""

    place: int
    source: str
    references: list[str]
    outputs: dict[str, str]
    scores: dict[str, float]


def extremes(scores: Mapping[str, Sequence[float]], baseline: str) -> dict[str, tuple[list[int], list[int]]]:
    """Return for each system but the baseline the places of its biggest wins and of its biggest losses.

    >>> extremes({"a": [1.0, 2.0, 3.0], "b": [5.0, 2.0, 1.0]}, "a")
    {'b': ([0], [2])}
    """
    found = {}
    for name, own in scores.items():
        if name != baseline:
            gains = [score - other for score, other in zip(own, scores[baseline], strict=True)]
            order = sorted(range(len(gains)), key=lambda place: -gains[place])
            wins = [place for place in order[:_SHOWN] if gains[place] > 0]
            losses = [place for place in order[: -_SHOWN - 1 : -1] if gains[place] < 0]
            found[name] = wins, losses
    return found


def differences(
    segments: Mapping[int, Segment], chosen: Mapping[str, tuple[list[int], list[int]]], baseline: str
) -> str:
    """Return for each system its biggest wins and losses, side by side with the baseline; outputs are to click."""
    parts = []
    for number, (name, (wins, losses)) in enumerate(chosen.items()):
        lists = _list("Biggest wins", [segments[place] for place in wins], name, baseline)
        lists += _list("Biggest losses", [segments[place] for place in losses], name, baseline)
        opened = "" if number else " open"
        parts.append(
            f"<details{opened}><summary>{escaped(name)} next to {escaped(baseline)}</summary>"
            f"{lists or note('No segment differs.')}</details>"
        )
    if not parts:
        return ""
    hint = note("Choose an output to open it in the Sentence view, word by word.")
    return f'<section class="sari-page sari-differences"><h2>Where they differ</h2>{hint}{"".join(parts)}</section>'


def _list(title: str, segments: Sequence[Segment], name: str, baseline: str) -> str:
    items = "".join(_item(segment, name, baseline) for segment in segments)
    return f"<h3>{title}</h3><ol>{items}</ol>" if items else ""


def _item(segment: Segment, name: str, baseline: str) -> str:
    by = difference_of(segment.scores[name], segment.scores[baseline])
    outputs = "".join(_output(segment, system) for system in (name, baseline))
    return (
        f'<li><p><b>{by}</b> in line {segment.place + 1}: <span dir="auto">{escaped(segment.source)}</span></p>'
        f'<div class="sari-pair">{outputs}</div></li>'
    )


def _output(segment: Segment, system: str) -> str:
    shown = escaped(segment.outputs[system]) or "No words."
    return (
        f'<button type="button" data-place="{segment.place}" data-system="{escaped(system)}"><b>{escaped(system)} '
        f'{segment.scores[system]:.2f}</b><span dir="auto">{shown}</span></button>'
    )
