"""A scored corpus: its scores, the histogram of its sentences, and the figures by n-gram order."""

from collections.abc import Sequence

from sari.web.markup.elements import warnings
from sari.web.markup.scores import orders, scores
from sari.web.results import ScoredCorpus

_BINS = 20


def corpus(scored: ScoredCorpus, variant: str) -> str:
    """Return the scores of a corpus, its warnings, the histogram of its sentences' SARI, and the figures by order."""
    sentences = [row.sari for row in scored.rows]
    number = len(sentences)
    note = f"{number:,} {'segment' if number == 1 else 'segments'} under {variant}."
    return (
        f'<div class="sari-page">{scores(scored.result, note)}{warnings(scored.warnings)}<h3>Sentence scores</h3>'
        f"{_histogram(sentences)}<h3>By n-gram order</h3>{orders(scored.result['orders'], variant)}</div>"
    )


def _histogram(values: Sequence[float]) -> str:
    width, height, step = 400, 120, 100 / _BINS
    counts = [0] * _BINS
    for value in values:
        counts[min(int(value / step), _BINS - 1)] += 1
    most = max(counts)
    bars = "".join(
        f'<rect x="{place * width / _BINS + 1:g}" y="{height - height * count / most:.1f}" '
        f'width="{width / _BINS - 2:g}" height="{height * count / most:.1f}">'
        f"<title>{place * step:g} to {(place + 1) * step:g}: {count}</title></rect>"
        for place, count in enumerate(counts)
    )
    ticks = "".join(
        f'<text x="{width * tick / 100:g}" y="{height + 16}" text-anchor="middle">{tick}</text>'
        for tick in range(0, 101, 20)
    )
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    label = f"SARI per sentence: from {ordered[0]:.1f} to {ordered[-1]:.1f}, median {median:.1f}"
    return (
        f'<figure class="sari-histogram"><svg viewBox="-12 -4 {width + 24} {height + 26}" role="img" '
        f'aria-label="{label}">{bars}<line x1="0" x2="{width}" y1="{height}" y2="{height}"/>{ticks}</svg>'
        f"<figcaption>{label}. The tallest bar has {most:,}.</figcaption></figure>"
    )
