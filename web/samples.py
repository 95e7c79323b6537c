"""Examples to click and to fill in."""

import functools
import json
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parent.parent
#: Files of the example corpus: of systems, by the names that the page gives them, and of references.
_SYSTEMS = {"deleting.txt": "outputs.txt", "rewriting.txt": "outputs.rewriting.txt"}
_REFERENCES = ("references.0.txt", "references.1.txt")


class ClickableExample(NamedTuple):
    """A segment to click: what its button says, what it shows, and its texts."""

    name: str
    note: str
    source: str
    prediction: str
    references: list[str]

    @property
    def texts(self) -> tuple[str, str, str]:
        """What it puts into the boxes of the page: source, output, and a line for each reference."""
        return self.source, self.prediction, "\n".join(self.references)


@functools.cache
def samples() -> list[ClickableExample]:
    """Return the examples to click, of this project's own sentences."""
    return [ClickableExample(**json.loads(line)) for line in example_file("sentences.jsonl").splitlines()]


def example_file(name: str) -> str:
    """Return the text of a file of the example corpus."""
    return (_ROOT / "examples" / name).read_text(encoding="utf-8")


def example_files() -> dict[str, str]:
    """Return the files of the example corpus by the names that the page gives them, which are those of systems."""
    names = {"sources.txt": "sources.txt", **_SYSTEMS, **{name: name for name in _REFERENCES}}
    return {name: example_file(original) for name, original in names.items()}
