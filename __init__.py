"""SARI for automatic text simplification: its published variants, exact and fast.

    import sari
    sari.compute(sources=[...], predictions=[...], references=[[...], ...])

`Scorer` has every method for lists of texts: several systems, baselines, states, batches. The metric of
Hugging Face's `evaluate` is `evaluate.load(sari.path())`; the command line is `sari`. The names of this module are
public: docs/python.md says what stays from version to version.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sari.aggregation import (
        DetailedResult,
        EditData,
        Intervals,
        OperationFigures,
        OrderFigures,
        Result,
        Scores,
        SegmentExplanation,
        SentenceScores,
        TokenData,
    )
    from sari.comparison import Chosen, ComparedSystem, PairTest, SystemComparison
    from sari.data_warnings import SariWarning
    from sari.messages import RefusedError
    from sari.sari_scorer import Scorer, compute
    from sari.states import State
    from sari.variant_comparison import DifferenceStep, FoundVariant, VariantDifference, VariantSearch
    from sari.variants import SCORES, VARIANTS, Variant

__all__ = [
    "SCORES",
    "VARIANTS",
    "Chosen",
    "ComparedSystem",
    "DetailedResult",
    "DifferenceStep",
    "EditData",
    "FoundVariant",
    "Intervals",
    "OperationFigures",
    "OrderFigures",
    "PairTest",
    "RefusedError",
    "Result",
    "SariWarning",
    "Scorer",
    "Scores",
    "SegmentExplanation",
    "SentenceScores",
    "State",
    "SystemComparison",
    "TokenData",
    "Variant",
    "VariantDifference",
    "VariantSearch",
    "__version__",
    "compute",
    "path",
]

#: The version of the package, with ".dev" between releases. Signatures name that of the scores, `variants.VERSION`.
__version__ = "2.1.0.dev0"

# The modules of the names that are imported when they are first used: the command line answers `--help` without them.
_MODULES = {
    "aggregation": [
        *("DetailedResult", "EditData", "Intervals", "OperationFigures", "OrderFigures", "Result", "Scores"),
        *("SegmentExplanation", "SentenceScores", "TokenData"),
    ],
    "comparison": ["Chosen", "ComparedSystem", "PairTest", "SystemComparison"],
    "data_warnings": ["SariWarning"],
    "messages": ["RefusedError"],
    "sari_scorer": ["Scorer", "compute"],
    "states": ["State"],
    "variant_comparison": ["DifferenceStep", "FoundVariant", "VariantDifference", "VariantSearch"],
    "variants": ["SCORES", "VARIANTS", "Variant"],
}


def path() -> str:
    """Return what `evaluate.load` takes to load the metric.

    >>> Path(path()).name
    'sari.py'
    """
    return str(Path(__file__).resolve().with_name("sari.py"))


def _on_demand(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"sari.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not TYPE_CHECKING:  # with it, a type checker would accept any name
    __getattr__ = _on_demand


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
