"""Score simplifications in text files with SARI: `python score.py --sources S --outputs O --references R [R ...]`.

Other programs may use `from score import sari`.
"""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if not __package__:  # in a checkout
    from as_package import make_importable

    make_importable()

from sari.command_line.program import main, run

if TYPE_CHECKING:  # what `--help` need not wait for
    from sari.scores import Result

__all__ = ["main", "sari"]


def sari(
    sources: Sequence[str],
    predictions: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    variant: str = "hf",
    level: str | None = None,
    deletion: str | None = None,
    zero_division: float | None = None,
    tokenize: str | Callable[[str], str] | None = None,
    lowercase: bool | None = None,
    max_order: int = 4,
    penalties: str | None = None,
    sentence_splitter: str | Callable[[str], Sequence[str]] = "punkt",
    threads: int | None = None,
    details: bool = False,
    confidence: float | None = None,
    resamples: int = 1_000,
    seed: int = 12345,
    baselines: bool = False,
) -> "Result":
    """Return the SARI of predictions in percent, without `evaluate`.

    Args:
        sources: the texts to simplify.
        predictions: what a system made of each.
        references: for each, a list of simplifications made by people, or just one.
        variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties, sentence_splitter,
            threads, details, confidence, resamples, seed, baselines: as in the metric's `compute`; see
            `sari.scoring.Scorer`.

    Raises:
        ValueError: for bad input or options, in one line that says what came and what was wanted.
        TypeError: likewise, where the type is wrong.

    >>> round(sari(["a b c"], ["a b"], [["a b", "a"]], variant="easse")["sari"], 2)
    34.37
    """
    given = locals()
    from sari.scorer import Scorer

    return Scorer().compute(**given)


if __name__ == "__main__":
    sys.exit(run())
