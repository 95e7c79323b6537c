"""Progress bars on a terminal, which appear when the work takes long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def step_bar(label: str, steps: int, *, quiet: bool) -> Iterator[Callable[[str], object]]:
    """Yield a function that shows the name of the next step."""
    from tqdm import tqdm  # here, since it is slow to import

    hidden = True if quiet or sys.stderr is None else None  # None: shown only on a terminal
    with tqdm(desc=label, total=steps, disable=hidden, delay=2, leave=False) as bar:

        def begin(step: str) -> None:
            bar.set_postfix_str(step, refresh=False)
            bar.update()

        yield begin
