"""Score simplifications in text files with SARI: `python score.py --sources S --outputs O --references R [R ...]`.

Other programs may use `from score import sari`.
"""

import os
import sys

if __package__:
    from sari import as_package

    as_package.make_importable()
else:  # in a checkout
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # where python -P does not look
    from as_package import make_importable

    make_importable()

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sari.command_line.process import run_program
from sari.command_line.program import main

if TYPE_CHECKING:  # what `--help` need not wait for
    from sari.aggregation import Result

__all__ = ["main", "sari"]


def sari(
    sources: Sequence[str],
    predictions: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    **options: Any,
) -> "Result":
    """Return the SARI of predictions in percent, without `evaluate`.

    Args:
        sources: the texts to simplify.
        predictions: the output of a system for each.
        references: for each, a list of simplifications by people, or a single one.
        options: the options of `sari.sari_scorer.Scorer`, and the other arguments of its method `compute`.

    >>> round(sari(["a b c"], ["a b"], [["a b", "a"]])["sari"], 2)
    34.37
    """
    from sari.sari_scorer import compute

    return compute(sources=sources, predictions=predictions, references=references, **options)


if __name__ == "__main__":
    sys.exit(run_program(main, "score.py"))
