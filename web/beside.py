"""What lies beside the package and stands on the page: examples to click, and the metric card."""

import functools
import json
import re
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parent.parent


class Sample(NamedTuple):
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
def samples() -> list[Sample]:
    """Return the examples to click, of this project's own sentences."""
    return [Sample(**json.loads(line)) for line in example_file("sentences.jsonl").splitlines()]


def example_file(name: str) -> str:
    """Return the text of a file of the example corpus."""
    return (_ROOT / "examples" / name).read_text(encoding="utf-8")


def metric_card() -> str:
    """Return the README as the page shows it."""
    return card((_ROOT / "README.md").read_text(encoding="utf-8"))


def card(readme: str) -> str:
    r"""Return a README without its front matter, pictures and relative links, which lead nowhere from the page.

    >>> card("---\ntitle: x\n---\n# SARI\n![shot](docs/x.png)\nSee [the code](app.py), [paper](https://x.org).")
    '# SARI\n\nSee the code, [paper](https://x.org).'
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", readme, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?://|#)[^)]*\)", r"\1", text)
