"""Scores as bars, and the figures of each n-gram order as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from sari.report.explanation import Penalty
from sari.state import Scores
from sari.variants import OPERATIONS, VARIANTS, Operation
from sari.web.markup.elements import NAMES, bar, escaped, note

_FIGURES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}


def scores(values: Scores, note: str = "") -> str:
    """Return SARI, large, and the operations beside it as bars; values in percent."""
    bars = "".join(bar(NAMES[name], values[name], name) for name in OPERATIONS)
    note = note or "SARI is the mean of the three. More is better, 100 is the most."
    return (
        '<section class="sari-scores" aria-label="Scores">'
        f'<div class="sari-total"><span>SARI</span><strong>{values["sari"]:.2f}</strong></div>'
        f'<div class="sari-bars">{bars}</div><p>{escaped(note)}</p></section>'
    )


def penalties(rows: Sequence[Penalty]) -> str:
    """Return what scores have been multiplied by, each in a line; nothing where there are no penalties."""
    return "".join(note(f"Penalty: {row.sentence}") for row in rows)


def orders(rows: Sequence[Mapping[str, Any]], variant: str) -> str:
    """Return a table per operation: precision, recall and F1 of every n-gram order, with what counts in bold."""
    row = VARIANTS[variant]
    counting = {"keep": "f1", "delete": row.deletion, "add": row.addition}
    tables = "".join(_order_table(rows, operation, counting[operation]) for operation in OPERATIONS)
    return f'<section class="sari-orders" aria-label="Figures by n-gram order">{tables}</section>'


def _order_table(rows: Sequence[Mapping[str, Any]], operation: Operation, counting: str) -> str:
    head = "".join(f'<th scope="col"{_counts(name, counting)}>{label}</th>' for name, label in _FIGURES.items())
    body = "".join(
        f'<tr><th scope="row">{row["order"]}</th>'
        + "".join(f"<td{_counts(name, counting)}>{row[operation][name]:.2f}</td>" for name in _FIGURES)
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{NAMES[operation]} <small>counts: {_FIGURES[counting]}</small></caption>"
        f'<thead><tr><th scope="col">n</th>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _counts(name: str, counting: str) -> str:
    return ' class="counts"' if name == counting else ""
