"""What the metric warns of, as notes for reports."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def notes_of(metric) -> Iterator[list[dict[str, str]]]:
    """Yield a list that in the end has what the metric warned of: "category" and "message"."""
    notes: list[dict[str, str]] = []
    base = metric.warning_categories["SariWarning"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", base)
        yield notes
    notes += [
        {"category": warning.category.__name__, "message": str(warning.message)}
        for warning in caught
        if issubclass(warning.category, base)
    ]


def merged(by_variant: Mapping[str, list[dict[str, str]]]) -> list[dict[str, str]]:
    """Return the notes on each variant, each once, and with the variants that it holds for if those are not all."""
    variants: dict[tuple[str, str], list[str]] = {}
    for variant, notes in by_variant.items():
        for note in notes:
            variants.setdefault((note["category"], note["message"]), []).append(variant)
    return [
        {"category": category, "message": message if len(of) == len(by_variant) else f"{', '.join(of)}: {message}"}
        for (category, message), of in variants.items()
    ]
