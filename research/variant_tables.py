"""The tables of variants, options and scripts in README.md, docs/variants.md and docs/languages.md.

What they say comes from `variants.py` and `languages.py`, and the scores of PBMT-R for PWKP from docs/systems.csv.
"""

import pandas as pd

from sari.languages import SCRIPTS
from sari.reports.published_systems import FILE
from sari.research.files import DOCS, ROOT, Study, formatted
from sari.variants import CHANGES, OPTIONS, VARIANTS, Variant

#: The variants that README shows.
_COMMON = ("hf", "xu2016", "easse", "easse_legacy", "lasertagger")

_LETTERS = {"precision": "P", "f1": "F1"}


def variant_tables(systems: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables, from the rows of docs/systems.csv."""
    scores = systems.query("test_set == 'PWKP' and name == 'PBMT-R'").reindex(columns=list(VARIANTS)).fillna("").iloc[0]
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


STUDY = Study(FILE, variant_tables, [ROOT / "README.md", DOCS / "variants.md", DOCS / "languages.md"])
