"""Write what documents show of every variant and option: docs/variants.svg, and the tables between markers.

    python benchmarks/variant_tables.py [FOLDER]

FOLDER has the PWKP test set and PBMT-R's output for it, from which the scores in README.md are computed. Without it
they stay as they are, and a new variant has none.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from as_package import make_importable  # noqa: E402

make_importable()
from sari.sari_scorer import Scorer  # noqa: E402
from sari.variants import CHANGES, OPTIONS, VARIANTS, Variant, resolve_variants  # noqa: E402

FIGURE = ROOT / "docs" / "variants.svg"
README, DEFINITIONS = ROOT / "README.md", ROOT / "docs" / "variants.md"
LETTERS = {"precision": "P", "f1": "F1"}

# Colours that most colour-blind people can distinguish (Okabe and Ito 2008), and a shape each.
SYSTEMS = {
    "a system that rewrites": ("outputs.rewriting", "#0072b2", "circle"),
    "a system that deletes": ("outputs", "#d55e00", "square"),
    "the sources, copied": ("sources", "#666666", "cross"),
}


def scores() -> dict[str, dict[str, float]]:
    """Return SARI by variant and system."""
    scorer = Scorer(sentence_splitter=re.compile(r"(?<=[.!?])\s+").split)  # the texts are simple; it needs no data
    names = {"sources", "references.0", "references.1", *(name for name, *_ in SYSTEMS.values())}
    texts = {name: (ROOT / "examples" / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in names}
    columns: dict[str, Any] = {
        "sources": texts["sources"],
        "predictions": {label: texts[name] for label, (name, *_) in SYSTEMS.items()},
        "references": list(map(list, zip(texts["references.0"], texts["references.1"], strict=True))),
    }
    found = {}
    for variant in scorer.variants:
        with scorer.collect_warnings():
            systems = scorer.with_options(variant=variant).compare(**columns, method=None, confidence=None)["systems"]
        found[variant] = {name: system["sari"] for name, system in systems.items()}
    return found


def drawn(by_variant: dict[str, dict[str, float]]) -> str:
    """Return the figure: a row for each variant, a mark for each system, SARI from left to right."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    marks = {label: style for label, (_, *style) in SYSTEMS.items()}
    return templates.get_template("figure.svg.j2").render(scores=by_variant, marks=marks) + "\n"


def documents(pwkp: Path | None = None) -> dict[Path, str]:
    """Return the text of each document with its tables as they should be."""
    readme, definitions = (path.read_text(encoding="utf-8") for path in (README, DEFINITIONS))
    printed = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \|$", readme, re.MULTILINE))
    printed |= scores_of_pbmt_r(pwkp) if pwkp is not None else {}
    rows = [(f"`{name}`", row.summary, printed.get(name, "–")) for name, row in VARIANTS.items()]
    readme = with_table(readme, "variants", ("variant", "published by, and what it computes", "PBMT-R"), rows)
    heads = ("variant", "counting", "level", "0/0", "keep · delete · add", "tokens", "source")
    definitions = with_table(definitions, "variants", heads, map(_choices, VARIANTS.values()))
    options = [
        (f"`{name}`", f"`{row.key}`", row.help, ", ".join(f"`{choice}`" for choice in row.choices))
        for name, row in OPTIONS.items()
    ]
    definitions = with_table(definitions, "options", ("option", "in signatures", "what it is", "names"), options)
    return {README: readme, DEFINITIONS: definitions, FIGURE: drawn(scores())}


def _choices(row: Variant) -> tuple[str, ...]:
    """Return the cells of a variant: the choices that set it apart."""
    tokens = CHANGES["tokenize"].words(row.tokenize) if row.tokenize != "none" else "split at whitespace"
    tokens = "split on single spaces" if row.splits_on_space and row.tokenize == "none" else tokens
    tokens += ", lowercased" if row.lowercase else ", cased"
    if row.source_text != row.text:
        tokens += "; sources split at whitespace" + ", cased" * (not row.lowercases_sources)
    counting = f"`{row.counting}`" + f", *m* = {row.source_weight}" * bool(row.source_weight)
    level = CHANGES["level"].words(row.level) + f", penalties `{row.penalties}`" * (row.penalties != "none")
    return (
        *(f"`{row.name}`", counting, level + ", orders averaged first" * (row.averaging == "ratios")),
        *(f"{row.zero_division:g}", f"F1 · {LETTERS[row.deletion]} · {LETTERS[row.addition]}", tokens, row.source),
    )


def with_table(text: str, name: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a document with another table between the markers of this name."""
    lines = ["| " + " | ".join(row) + " |" for row in (heads, *rows)]
    table = "\n".join([lines[0], re.sub("[^|]+", "---", lines[0]), *lines[1:]])
    before, start, after = text.partition(f"<!-- table: {name} -->\n")
    return f"{before}{start}\n{table}\n\n{after[after.index('<!-- end -->') :]}"


def scores_of_pbmt_r(folder: Path) -> dict[str, str]:
    """Return SARI by variant, as far as the packages that they need are here."""
    texts: dict[str, Any] = {}
    for name, file in {"sources": "sources", "predictions": "outputs/PBMT-R", "references": "references"}.items():
        texts[name] = (folder / f"{file}.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    scorer = Scorer()
    with scorer.collect_warnings():
        return {
            name: f"{scorer.with_options(variant=name).compute(**texts)['sari']:.2f}" for name in resolve_variants()[0]
        }


if __name__ == "__main__":
    for path, text in documents(*map(Path, sys.argv[1:2])).items():
        path.write_text(text, encoding="utf-8")
