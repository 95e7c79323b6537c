"""Progress bars on a terminal."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sari.text_files.reading import Corpus

#: Seconds of work before a bar appears.
_PATIENCE = 2.0


@contextmanager
def reading_bar(corpus: Corpus, *, quiet: bool = False) -> Iterator[Callable[[], object]]:
    """Yield a function that shows how much has been read."""
    with _bar(quiet, desc="Scoring", total=corpus.size, unit="B", unit_scale=True) as bar:
        yield lambda: bar is not None and bar.update(corpus.position - bar.n)


@contextmanager
def step_bar(label: str, steps: int, *, quiet: bool = False) -> Iterator[Callable[[str], object]]:
    """Yield a function that shows the name of the next step."""
    with _bar(quiet, desc=label, total=steps) as bar:

        def begin(step: str) -> None:
            if bar is not None:
                bar.set_postfix_str(step, refresh=False)
                bar.update()

        yield begin


@contextmanager
def _bar(quiet: bool, **how) -> Iterator[Any]:
    """Yield a bar that appears on a terminal when the work takes long; None elsewhere."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    terminal = os.get_terminal_size(sys.stderr.fileno())
    with tqdm(
        delay=_PATIENCE,
        leave=False,
        file=sys.stderr,
        ncols=terminal.columns or 80,  # some terminals claim to have no size
        nrows=terminal.lines or 24,
        **how,
    ) as bar:
        yield bar
