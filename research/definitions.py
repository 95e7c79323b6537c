"""Printed figures of the documents that define SARI and the measures next to it, and ours: docs/definitions.md.

The rows of research/definitions.csv are figures: where they are printed, what they are of, `printed`, `ours`, and why
they differ. Those of texts in the row (`source`, `output`, `references`) are SARI, by `variant`. The others are
measures of outputs for PWKP, lowercased, with tokens as they are.
"""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from sari.companion_measures import simplification, translation
from sari.research.files import DOCS, TEST_SETS, Study, read_runs, read_table, read_test_set
from sari.sari_scorer import Scorer

FILE = Path(__file__).with_name("definitions.csv")

#: The measures of Narayan and Gardent 2014, tables 3 and 4, of sources, outputs and references.
MEASURES: dict[str, Any] = {
    "BLEU": lambda _, outputs, references: translation.bleu(outputs, references),
    "outputs with a split, %": lambda sources, outputs, _: 100 * np.mean(simplification.splits(sources, outputs)),
    "sentences": lambda _, outputs, __: np.mean(simplification.sentence_counts(outputs)),
    "edits from the source": lambda sources, outputs, _: np.mean(simplification.edit_distances(sources, outputs)),
    "outputs that are the source": lambda sources, outputs, _: _equal(sources, outputs),
    "edits to the reference": lambda _, outputs, refs: np.mean(simplification.edit_distances(outputs, refs)),
    "outputs that are the reference": lambda _, outputs, refs: _equal([row[0] for row in refs], outputs),
}


def _equal(texts: list[str], outputs: list[str]) -> int:
    return int((simplification.edit_distances(texts, outputs) == 0).sum())


def compute_row(row: dict[str, str], folder: Path | None) -> str:
    """Return the figure of a row with 4 decimals; that of public outputs needs a folder of checkouts."""
    if row["source"]:
        references = json.loads(row["references"])
        value = Scorer(cast(Any, row["variant"])).sentence_score(row["source"], row["output"], references)["sari"]
    elif folder is None:
        return row["ours"]
    else:
        sources, references = read_test_set(folder, *TEST_SETS["PWKP"])
        (outputs,) = read_runs(folder, row["output"], sources).values()
        lower = [[text.lower() for text in texts] for texts in (sources, outputs)]
        value = MEASURES[row["figure"]](*lower, [[text.lower() for text in texts] for texts in references])
    return f"{float(value):.4f}"


def compute(folder: Path) -> pd.DataFrame:
    """Return all rows, computed again."""
    return pd.DataFrame([{**row, "ours": compute_row(row, folder)} for row in read_table(FILE).to_dict("records")])


def definition_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the table of figures, ours to the printed digits."""
    digits = [len(printed.partition(".")[2]) for printed in rows["printed"]]
    ours = [f"{float(value):.{places}f}" for value, places in zip(rows["ours"], digits, strict=True)]
    shown = rows[["where", "of", "figure", "printed"]].assign(ours=ours)
    differs = [printed != value for printed, value in zip(rows["printed"], ours, strict=True)]
    return {"definitions": shown.assign(why=rows["why"].where(differs, ""))}


STUDY = Study(FILE, definition_tables, compute, [DOCS / "definitions.md"])
