"""What all views have in common: remarks, bars and tables."""

import html
from collections.abc import Iterable, Mapping

from sari.data_warnings import WarningRow
from sari.variants import Score

#: What people call the scores.
NAMES: dict[Score, str] = {"sari": "SARI", "keep": "Keep", "delete": "Delete", "add": "Add"}


def escaped(value: object) -> str:
    """Return what a visitor may have written as text that no browser takes for anything else."""
    return html.escape(str(value), quote=True)


def head() -> str:
    """Return the head of the page."""
    return (
        '<header class="sari-head"><h1>SARI, explained</h1><p>See word by word why a simplification gets its score.</p>'
        "</header>"
    )


def refusal(message: str) -> str:
    """Return a line that says what is wanted."""
    return f'<p class="sari-refusal" role="status">{escaped(message)}</p>'


def note(message: str) -> str:
    """Return a remark."""
    return f'<p class="sari-note">{escaped(message)}</p>'


def warnings(rows: Iterable[WarningRow]) -> str:
    """Return warnings as a list, or nothing."""
    items = "".join(f"<li><b>Warning:</b> {escaped(row['message'])}.</li>" for row in rows)
    return f'<ul class="sari-warnings" aria-label="Warnings">{items}</ul>' if items else ""


def text_button(shown: str, data: Mapping[str, str], label: str = "") -> str:
    """Return a button that looks like text, for the page to link; all arguments are escaped already."""
    attributes = "".join(f' data-{name}="{value}"' for name, value in data.items())
    spoken = f' aria-label="{label}"' if label else ""
    return f'<button type="button" class="sari-pick"{attributes}{spoken}>{shown}</button>'


def bar(label: str, value: float, kind: str, pick: str = "") -> str:
    """Return a score in percent as a bar with its name and number; `pick` is the operation that a click chooses."""
    name = text_button(label, {"pick": pick}, f"{label}: light what counts in it") if pick else label
    return (
        f'<div class="sari-bar"><span>{name}</span>'
        f'<span class="sari-track" role="meter" aria-label="{label}" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{value:.2f}"><i class="{kind}" style="width:{value:.2f}%"></i></span>'
        f"<b>{value:.2f}</b></div>"
    )


def heads(names: Iterable[str], *, sortable: bool = False) -> str:
    """Return the heads of a table's columns; with `sortable` they are buttons that `page.js` listens to."""
    shown = ((f'<button type="button" class="sari-pick">{name}</button>' if sortable else name) for name in names)
    return "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in shown) + "</tr>"


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


def difference_of(score: float, other: float) -> str:
    """Return by how much a score is higher than another, as people subtract what they see.

    >>> difference_of(44.649, 39.551), difference_of(1.004, 1.0)
    ('+5.10', '0.00')
    """
    return signed(round(score, 2) - round(other, 2))
