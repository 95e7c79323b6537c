"""SARI for automatic text simplification: its published variants, exact and fast.

    import sari
    sari.compute(sources=[...], predictions=[...], references=[[...], ...])

`Scorer` has every method for lists of texts: several systems, baselines, states, batches. The metric of
Hugging Face's `evaluate` is `evaluate.load(sari.path())`; the command line is `sari`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sari.messages import RefusedError, RefusedImportError, RefusedTypeError, RefusedValueError

if TYPE_CHECKING:
    from sari.sari_scorer import Scorer, compute

    __version__: str

__all__ = [
    "RefusedError",
    "RefusedImportError",
    "RefusedTypeError",
    "RefusedValueError",
    "Scorer",
    "__version__",
    "compute",
    "path",
]


def path() -> str:
    """Return what `evaluate.load` takes to load the metric.

    >>> Path(path()).name
    'sari.py'
    """
    return str(Path(__file__).resolve().with_name("sari.py"))


def _on_demand(name: str) -> Any:
    """Import the scorer when it is first used: the command line answers `--help` without it."""
    if name == "__version__":
        from sari.variants import VERSION

        return VERSION
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sari.sari_scorer import Scorer, compute

    globals().update(Scorer=Scorer, compute=compute)
    return globals()[name]


if not TYPE_CHECKING:  # with it, a type checker would accept any name
    __getattr__ = _on_demand


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
