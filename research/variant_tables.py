"""The tables of variants, options and scripts in README.md, docs/variants.md and docs/languages.md.

What they say comes from `variants.py` and `languages.py`, and the scores of PBMT-R for PWKP from docs/systems.csv, or
from a folder of checkouts: that of easse is enough.
"""

from pathlib import Path

import pandas as pd

from sari.corpus_statistics import score_columns
from sari.languages import SCRIPTS
from sari.reports.published_systems import FILE
from sari.research.files import DOCS, ROOT, TEST_SETS, Study, formatted, read_runs, read_table, read_test_set
from sari.validation import Columns
from sari.variants import CHANGES, OPTIONS, VARIANTS, Variant

#: The variants that README shows.
_COMMON = ("hf", "xu2016", "easse", "easse_legacy", "lasertagger")

#: The row whose scores the tables have.
_SHOWN = "test_set == 'PWKP' and name == 'PBMT-R'"

_LETTERS = {"precision": "P", "f1": "F1"}


def variant_tables(systems: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables, from the rows of docs/systems.csv."""
    scores = systems.query(_SHOWN).reindex(columns=list(VARIANTS)).fillna("").iloc[0]
    named = pd.DataFrame(
        {
            "variant": [f"`{name}`" for name in VARIANTS],
            "published by, and what it computes": [row.summary for row in VARIANTS.values()],
            "PBMT-R": formatted("{:.2f}", scores),
        },
        index=list(VARIANTS),
    )
    options = [
        (f"`{name}`", f"`{row.key}`", row.help, ", ".join(f"`{choice}`" for choice in row.choices))
        for name, row in OPTIONS.items()
    ]
    scripts = [
        {
            "script": name,
            "languages": row.languages,
            "spaces part words": "yes" if row.spaces else "no",
            "marks of sentences": " ".join(row.marks),
            "`tokenize`": ", ".join(f"`{one}`" for one in row.tokenizers),
            "used by": row.users,
        }
        for name, row in SCRIPTS.items()
    ]
    return {
        "common variants": named.loc[list(_COMMON)],
        "variants": named,
        "choices": pd.DataFrame(list(map(_choices, VARIANTS.values()))),
        "options": pd.DataFrame(options, columns=["option", "in signatures", "what it is", "names"]),
        "scripts": pd.DataFrame(scripts),
    }


def _choices(row: Variant) -> dict[str, str]:
    """Return the cells of a variant: the choices that set it apart."""
    tokens = CHANGES["tokenize"].words(row.tokenize) if row.tokenize != "none" else "split at whitespace"
    tokens = "split on single spaces" if row.splits_on_space and row.tokenize == "none" else tokens
    tokens += ", lowercased" if row.lowercase else ", cased"
    if row.source_text != row.text:
        tokens += "; sources split at whitespace" + ("" if row.lowercases_sources else ", cased")
    level = CHANGES["level"].words(row.level) + (f", penalties `{row.penalties}`" if row.has_penalties else "")
    return {
        "variant": f"`{row.name}`",
        "counting": f"`{row.counting}`" + (f", *m* = {row.source_weight}" if row.source_weight else ""),
        "level": level + (", orders averaged first" if row.averaging == "ratios" else ""),
        "0/0": f"{row.zero_division:g}",
        "keep · delete · add": f"F1 · {_LETTERS[row.deletion]} · {_LETTERS[row.addition]}",
        "tokens": tokens,
        "source": row.source,
    }


def score_shown_system(folder: Path) -> pd.DataFrame:
    """Return the row of the system in the tables, scored under every variant."""
    row = read_table(FILE).query(_SHOWN)
    sources, references = read_test_set(folder, *TEST_SETS["PWKP"])
    (outputs,) = read_runs(folder, row["outputs"].iloc[0], sources).values()
    texts = Columns(sources, outputs, references)
    scores = {name: f"{score_columns(texts, variant).scores()['sari']:.4f}" for name, variant in VARIANTS.items()}
    return row.assign(**scores)


_PAGES = [ROOT / "README.md", DOCS / "variants.md", DOCS / "languages.md"]
STUDY = Study(FILE, variant_tables, score_shown_system, _PAGES, is_of_another=True)
