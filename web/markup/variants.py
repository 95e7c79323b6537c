"""One segment under every variant, and why two variants differ."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from sari.scores import Scores
from sari.variants import OPERATIONS
from sari.web.markup.elements import NAMES, bar, difference_of, escaped, heads, note, scrolling


def given(source: str, output: str, references: Iterable[str]) -> str:
    """Return the texts that were scored, unmarked."""
    rows = [("Source", source), ("Output", output), *(("Reference", reference) for reference in references)]
    items = "".join(f'<dt>{label}</dt><dd dir="auto">{escaped(value) or "–"}</dd>' for label, value in rows)
    return f'<div class="sari-page"><h2>The texts</h2><dl class="sari-given">{items}</dl></div>'


def comparison(results: Mapping[str, Scores], summaries: Mapping[str, str]) -> str:
    """Return the scores of one input under several variants, their spread first, the highest score on top."""
    ranked = sorted(results, key=lambda name: -results[name]["sari"])
    low, high = (round(results[name]["sari"], 1) for name in (ranked[-1], ranked[0]))
    items = "".join(_variant(name, results[name], summaries[name]) for name in ranked)
    return (
        '<section class="sari-variants" aria-label="Scores under every variant">'
        f'<p class="sari-spread"><strong>{high - low:.1f}</strong> points between the highest and the lowest SARI '
        f"of the same texts: {low:.1f} under <b>{ranked[-1]}</b>, {high:.1f} under <b>{ranked[0]}</b>.</p>"
        f"<ul>{items}</ul></section>"
    )


def difference(explained: Mapping[str, Any]) -> str:
    """Return the walk from one variant to another as a table: every choice and what it does to SARI."""
    first, *steps = explained["steps"]
    one, other = escaped(explained["variant_a"]), escaped(explained["variant_b"])
    last = explained["steps"][-1]["sari"]
    if not steps:
        return note(f"{explained['variant_a']} and {explained['variant_b']} are the same.")
    rows = "".join(
        f'<tr><th scope="row">{escaped(step["choice"])}</th><td>{escaped(step["before"])}</td>'
        f"<td>{escaped(step['after'])}</td><td>{step['sari']:.2f}</td>"
        f"<td>{difference_of(step['sari'], before['sari'])}</td></tr>"
        for before, step in pairwise(explained["steps"])
    )
    names = ("Choice", "From", "To", "SARI", "Change")
    body = (
        f"<caption>From {one} to {other}, one choice at a time</caption><thead>{heads(names)}</thead>"
        f'<tbody><tr><th scope="row">{one}</th><td></td><td></td><td>{first["sari"]:.2f}</td><td></td></tr>{rows}'
        f'<tr class="total"><th scope="row">{other}</th><td></td><td></td><td>{last:.2f}</td>'
        f"<td>{difference_of(last, first['sari'])}</td></tr></tbody>"
    )
    return scrolling(body, "sari-steps", "Why the two differ")


def _variant(name: str, values: Scores, summary: str) -> str:
    parts = ", ".join(f"{NAMES[operation].lower()} {values[operation]:.2f}" for operation in OPERATIONS)
    return f"<li>{bar(name, values['sari'], 'sari')}<p>{escaped(summary)}. <small>{parts}</small></p></li>"
