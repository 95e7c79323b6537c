"""Sentences in many languages, as people write them: two sources with an output and a reference each, by language."""

import csv
from pathlib import Path

with Path(__file__).with_name("data").joinpath("languages.csv").open(encoding="utf-8", newline="") as _file:
    _ROWS = list(csv.DictReader(_file))

#: The tokenizers that fit each language, the best first.
TOKENIZERS = {row["language"]: tuple(row["tokenizers"].split()) for row in _ROWS}


def columns_of(language):
    """Return eighteen segments: the sentences of a language, alone and together, with numbers before them."""
    one, other = ((row["source"], row["output"], row["reference"]) for row in _ROWS if row["language"] == language)
    pairs = [tuple(map(" ".join, zip(*pair, strict=True))) for pair in ((one, other), (other, one))]
    numbered = [tuple(f"{number} {text}" for text in row) for number in range(2, 6) for row in (one, other, *pairs)]
    sources, outputs, references = zip(*[one, other, *numbered], strict=True)
    return {"sources": list(sources), "predictions": list(outputs), "references": [[text] for text in references]}
