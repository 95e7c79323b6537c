"""The variants of a printed figure as a table, with notes on what speaks for and against them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from sari.messages import count_of
from sari.reports.score_report import without_empty
from sari.reports.tables import TableReport, make_table
from sari.variants import OPERATIONS, SCORES

if TYPE_CHECKING:  # slow to import
    from sari.validation import SystemColumns
    from sari.variant_comparison import FoundVariant, VariantSearch

_MOST_ROWS = 10
_HEADINGS = ("Variant", "Options", "Verdict", "References", "SARI", "Keep", "Delete", "Add")
_VERDICTS = {
    "several changes": "Several changes: two or more differ, of the options and the number of references.",
    "as published, cut": "Cut: the figure has the first digits of the score, and is not rounded.",
}
_OTHER_CAUSES = (
    "No score that was tried prints as this figure. It may be of other tokens, n-gram lengths, outputs or references, "
    "of a part of the segments, of another version of the texts (tokenized, detokenized, lowercased), or a mean of "
    "several runs."
)


def tabulate_search(search: VariantSearch, columns: SystemColumns, *, digits: int) -> TableReport:
    """Return the hits of a search, or else the nearest scores, as a table.

    Args:
        search: what `Scorer.find_variant` returned.
        columns: the texts that were scored.
        digits: the decimals of scores, at least those of the figure.
    """
    figure, hits = search["figure"], search["hits"]
    rows, most = hits[:_MOST_ROWS] or search["nearest"], max(map(len, columns.references))
    digits = max(digits, len(figure.partition(".")[2]))
    cells = [
        [row["options"]["variant"], _option_text(row), row["verdict"], _reference_text(row, most)]
        + [f"{row[score]:.{digits}f}" for score in SCORES]
        + [f"{row['distance']:+.{digits}f}"] * (not hits)
        for row in rows
    ]
    title = f"Variants that print {figure}" if hits else f"No variant prints {figure}; the nearest scores"
    notes = list(_search_notes(search, len(columns.predictions)))
    table = make_table(title, [*_HEADINGS, *["Distance"] * (not hits)], cells, texts=3, notes=notes)
    return TableReport(
        tables=[table],
        signatures=[row["signature"] for row in hits[:_MOST_ROWS] if row["signature"]],
        records=lambda: [{**row, "variant": row["options"]["variant"], "options": _option_text(row)} for row in rows],
        fields=lambda: without_empty(search),
    )


def _option_text(row: FoundVariant) -> str:
    options = [f"{name}={value}" for name, value in row["options"].items() if name != "variant"]
    return ", ".join([*options, *filter(None, [row["reading"]])])


def _reference_text(row: FoundVariant, most: int) -> str:
    return str(row["nrefs"]) if row["nrefs"] in (most, "var") else f"first of {most}"


def _search_notes(search: VariantSearch, runs: int) -> Iterator[str]:
    """Yield what speaks for and against the rows, which are of so many outputs."""
    hits = search["hits"]
    if runs > 1:
        yield f"The scores are means over {runs} outputs, which are taken for runs of one system."
    if 0 < float(search["figure"]) < 1:
        yield f"Is the figure {Decimal(search['figure']).scaleb(2)}, as a share of 1? Here SARI is in percent."
    if len(hits) > _MOST_ROWS:
        others = count_of(len(hits) - _MOST_ROWS, "further hit")
        yield f"These {_MOST_ROWS} differ least from published variants; not shown: {others}."
    for verdict, meaning in _VERDICTS.items():
        if any(row["verdict"] == verdict for row in hits):
            yield meaning
    if not hits:
        yield _OTHER_CAUSES
    yield (
        f"{search['tried']:,} different scores were tried. By chance alone, about {search['hits_by_chance']:.1f} of "
        f"them print as {search['figure']}."
    )
    if len(hits) > 1:
        apart = sorted(OPERATIONS, key=lambda name: search["distinct"][name], reverse=True)
        counts = ", ".join(f"{name.title()} {search['distinct'][name]}" for name in apart)
        yield f"If printed, Keep, Delete and Add can tell hits apart. Different figures of {len(hits)} hits: {counts}."
    if any(hit["verdict"] == "as published" for hit in hits) and search["left_out"]:
        yield f"Not tried: {'; '.join(search['left_out'])}."
    else:
        yield from (f"Not tried: {reason}." for reason in search["left_out"])
