"""Draw docs/variants.svg: the example corpus under every variant. `python benchmarks/figure.py`."""

import re
import sys
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from as_package import make_importable  # noqa: E402

make_importable()
from sari.sari_scorer import Scorer  # noqa: E402

FIGURE = ROOT / "docs" / "variants.svg"

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


if __name__ == "__main__":
    FIGURE.write_text(drawn(scores()), encoding="utf-8")
