"""A scored corpus: its scores, the histogram of its sentences, and the figures by n-gram order."""

from collections.abc import Sequence

from sari.web.markup.elements import note, warnings
from sari.web.markup.scores import orders, scores
from sari.web.results import ScoredCorpus

#: How many bars the histogram has.
BINS = 20


def corpus(scored: ScoredCorpus, variant: str, agreement: str = "") -> str:
    """Return the scores of a corpus, its warnings, the histogram of its sentences' SARI, and the figures by order.

    Args:
        scored: the corpus.
        variant: under which it was scored.
        agreement: how its scores agree with people, as HTML.
    """
    sentences = [row.sari for row in scored.rows]
    number = len(sentences)
    note = f"{number:,} {'segment' if number == 1 else 'segments'} under {variant}."
    return (
        f'<div class="sari-page">{scores(scored.result, note)}{warnings(scored.warnings)}<h2>Sentence scores</h2>'
        f"{_histogram(sentences)}<h2>By n-gram order</h2>{orders(scored.result['orders'], variant)}</div>{agreement}"
    )


def bin_of(score: float) -> int:
    """Return which bar of the histogram a score is in, from 0.

    >>> bin_of(0.0), bin_of(4.9), bin_of(5.0), bin_of(100.0)
    (0, 0, 1, 19)
    """
    return min(int(score / 100 * BINS), BINS - 1)


def of_bin(number: int, segments: int) -> str:
    """Return a line that says which sentences are shown."""
    low, high = (edge * 100 / BINS for edge in (number, number + 1))
    return note(f"{segments:,} with SARI from {low:g} to {high:g}. Choose a row to open it in the Sentence view.")


def _histogram(values: Sequence[float]) -> str:
    width, height = 400, 120
    counts = [0] * BINS
    for value in values:
        counts[bin_of(value)] += 1
    most = max(counts)
    bars = "".join(_bar(place, count, height * count / most, width / BINS) for place, count in enumerate(counts))
    ticks = "".join(
        f'<text x="{width * tick / 100:g}" y="{height + 16}" text-anchor="middle">{tick}</text>'
        for tick in range(0, 101, 20)
    )
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    label = f"SARI per sentence: from {ordered[0]:.1f} to {ordered[-1]:.1f}, median {median:.1f}"
    return (
        f'<figure class="sari-histogram"><svg viewBox="-12 -4 {width + 24} {height + 26}" role="group" '
        f'aria-label="{label}">{bars}<line x1="0" x2="{width}" y1="{height}" y2="{height}"/>{ticks}</svg>'
        f"<figcaption>{label}. The tallest bar has {most:,}. Choose a bar to see its sentences.</figcaption></figure>"
    )


def _bar(place: int, count: int, tall: float, wide: float) -> str:
    """Return a bar, to choose where there is anything in it."""
    low, high = (edge * 100 / BINS for edge in (place, place + 1))
    said = f"{low:g} to {high:g}: {count}"
    button = f' role="button" tabindex="0" data-bin="{place}" aria-label="SARI {said}"' if count else ""
    return (
        f'<rect x="{place * wide + 1:g}" y="{120 - tall:.1f}" width="{wide - 2:g}" height="{tall:.1f}"{button}>'
        f"<title>{said}</title></rect>"
    )
