"""Count the warnings that the outputs of real systems cause under each variant.

    python benchmarks/count_warnings.py --sources SOURCES --references FILE ... --outputs FILE ...

Good outputs of good systems should cause none under a variant that wants texts of their form: `hf`, `easse` and `paper`
want sentences as a reader sees them, the others tokenized ones, and `easse_legacy` and `star`, which are cased, also
outputs with the case of their sources. Give the files in the form of the variants of `--variants`.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from as_package import make_importable

make_importable()

from sari.sari_scorer import Scorer  # noqa: E402
from sari.variants import resolve_variants  # noqa: E402


def main() -> None:
    """Print a line for each variant, system and warning, and the number of clean scores."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--sources", required=True)
    parser.add_argument("--references", nargs="+", required=True)
    parser.add_argument("--outputs", nargs="+", required=True)
    parser.add_argument("--variants", nargs="+", default=list(resolve_variants()[0]))
    options = parser.parse_args()
    sources, *references = map(_lines, (options.sources, *options.references))
    columns: dict[str, Any] = {"sources": sources, "references": list(zip(*references, strict=True))}
    clean: Counter[str] = Counter()
    for variant in options.variants:
        scorer = Scorer(variant)
        for path in options.outputs:
            with scorer.collect_warnings() as found:
                score = scorer.compute(**columns, predictions=_lines(path))["sari"]
            clean[variant] += not found
            for warning in found:
                print(f"{variant}\t{Path(path).name}\t{score:.2f}\t{type(warning).__name__}\t{warning}")
    for variant in options.variants:
        print(f"{variant}: {clean[variant]} of {len(options.outputs)} without a warning")


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")


if __name__ == "__main__":
    main()
