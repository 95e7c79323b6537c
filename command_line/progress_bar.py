"""Progress bars on a terminal, which appear when the work takes long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sari.text_files.reading import Corpus


@contextmanager
def reading_bar(corpus: Corpus, *, quiet: bool = False) -> Iterator[Callable[[], object]]:
    """Yield a function that shows how much has been read."""
    with _bar(quiet, desc="Scoring", total=corpus.size, unit="B", unit_scale=True) as bar:
        yield lambda: bar.update(corpus.position - bar.n)


@contextmanager
def step_bar(label: str, steps: int, *, quiet: bool = False) -> Iterator[Callable[[str], object]]:
    """Yield a function that shows the name of the next step."""
    with _bar(quiet, desc=label, total=steps) as bar:

        def begin(step: str) -> None:
            bar.set_postfix_str(step, refresh=False)
            bar.update()

        yield begin


def _bar(quiet: bool, **how: Any) -> Any:
    from tqdm import tqdm  # here, since it is slow to import

    hidden = quiet or sys.stderr is None
    return tqdm(disable=True if hidden else None, delay=2, leave=False, **how)  # None: only on a terminal
