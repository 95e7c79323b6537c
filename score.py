"""Score simplifications in text files with SARI: `python score.py --sources S --outputs O --references R [R ...]`.

Other programs may use `from score import sari`.
"""

import sys

try:
    import signal
except BaseException:  # an interrupt, which would be printed with a traceback
    sys.exit(130)

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback where imports are interrupted

from collections.abc import Sequence
from typing import TYPE_CHECKING

if not __package__:  # in a checkout
    from as_package import make_importable

    make_importable()

from sari.command_line.process import run
from sari.command_line.program import main
from sari.variants import takes_options

if TYPE_CHECKING:  # what `--help` need not wait for
    from typing_extensions import Unpack

    from sari.scores import Result
    from sari.variants import ScoringOptions

__all__ = ["main", "sari"]


class _Function:
    """A class for `takes_options`, which is for methods."""

    @takes_options()
    def sari(
        self,
        sources: Sequence[str],
        predictions: Sequence[str],
        references: Sequence[str] | Sequence[Sequence[str]],
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int = 1_000,
        seed: int = 12345,
        baselines: bool = False,
        **options: "Unpack[ScoringOptions]",
    ) -> "Result":
        """Return the SARI of predictions in percent, without `evaluate`.

        Args:
            sources: the texts to simplify.
            predictions: the output of a system for each.
            references: for each, a list of simplifications by people, or a single one.
            details, confidence, resamples, seed, baselines: as in the metric's `compute`.
            options: see `sari.variants.ScoringOptions`.

        Raises:
            ValueError: for bad input or options, in one line that says what came and what was wanted.
            TypeError: for options of the wrong type.

        >>> round(sari(["a b c"], ["a b"], [["a b", "a"]], variant="easse")["sari"], 2)
        34.37
        """
        from sari.scorer import Scorer

        return Scorer().compute(
            sources=sources,
            predictions=predictions,
            references=references,
            details=details,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
            baselines=baselines,
            **options,
        )


sari = _Function().sari

if __name__ == "__main__":
    sys.exit(run(main, "score.py"))
