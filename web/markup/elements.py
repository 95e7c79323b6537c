"""What all views have in common: remarks, bars and tables."""

import html
from collections.abc import Iterable

from sari.data_warnings import WarningRow
from sari.variants import Score

#: What people call the scores.
NAMES: dict[Score, str] = {"sari": "SARI", "keep": "Keep", "delete": "Delete", "add": "Add"}


def escaped(value: object) -> str:
    """Return what a visitor may have written as text that no browser takes for anything else."""
    return html.escape(str(value), quote=True)


def head(limit: str) -> str:
    """Return the head of the page."""
    return (
        '<header class="sari-head"><h1>SARI, explained</h1><p>SARI scores text simplification: it rewards an output '
        "for what it <b>keeps</b>, <b>deletes</b> and <b>adds</b> as people do in their references. See word by word "
        f"why an output gets its score, under every published variant. {escaped(limit)}</p></header>"
    )


def refusal(message: str) -> str:
    """Return a line that says what is wanted."""
    return f'<p class="sari-refusal" role="status">{escaped(message)}</p>'


def note(message: str) -> str:
    """Return a remark."""
    return f'<p class="sari-note">{escaped(message)}</p>'


def warnings(rows: Iterable[WarningRow]) -> str:
    """Return what there is to say about a score, or nothing."""
    items = "".join(f"<li><b>Warning:</b> {escaped(row['message'])}.</li>" for row in rows)
    return f'<ul class="sari-warnings" aria-label="Warnings">{items}</ul>' if items else ""


def signature(line: str) -> str:
    """Return the signature, small."""
    return f'<p class="sari-signature"><code>{escaped(line)}</code></p>'


def bar(label: str, value: float, kind: str) -> str:
    """Return a score in percent as a bar with its name and number; `kind` gives the colour."""
    return (
        f'<div class="sari-bar"><span>{label}</span>'
        f'<span class="sari-track" role="meter" aria-label="{label}" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{value:.2f}"><i class="{kind}" style="width:{value:.2f}%"></i></span>'
        f"<b>{value:.2f}</b></div>"
    )


def heads(names: Iterable[str]) -> str:
    """Return the heads of a table's columns."""
    return "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in names) + "</tr>"


def scrolling(body: str, kind: str, label: str) -> str:
    """Return a table that scrolls by itself where the screen is too narrow."""
    return f'<div class="sari-table {kind}" role="region" aria-label="{label}" tabindex="0"><table>{body}</table></div>'


def signed(number: float) -> str:
    """Return a difference with its sign, and none where it rounds to 0.

    >>> signed(1.5), signed(-0.001), signed(-2)
    ('+1.50', '0.00', '\u22122.00')
    """
    if abs(number) < 0.005:
        return "0.00"
    return f"{number:+.2f}".replace("-", "−")
