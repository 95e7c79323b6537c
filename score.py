"""Score simplifications in text files with SARI: `python score.py --sources S --outputs O --references R [R ...]`.

Other programs may use `from score import sari`.
"""

import sys
from collections.abc import Sequence

if not __package__:  # in a checkout
    from as_package import make_importable

    make_importable()

from sari.command_line.program import main, run
from sari.loading import load_metric

__all__ = ["load_metric", "main", "sari"]


def sari(sources: Sequence[str], predictions: Sequence[str], references: Sequence, **options) -> dict:
    """Return the SARI of predictions in percent.

    Args:
        sources: the texts to simplify.
        predictions: what a system made of each.
        references: for each, a list of simplifications made by people, or just one.
        options: those of the metric's `compute`, such as `variant="easse"` or `details=True`.

    Raises:
        ValueError: for bad input or options, in one line that says what came and what was wanted.
        TypeError: likewise, where the type is wrong.
    """
    return load_metric().compute(sources=sources, predictions=predictions, references=references, **options)


if __name__ == "__main__":
    sys.exit(run())
