"""Columns of texts and of numbers, checked: lists and arrays out, or a ValueError of one line."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from sari.validation import validate_references, validate_texts

Numbers = Sequence[float] | np.ndarray


def texts_and_references(texts: Any, references: Any, name: str = "predictions") -> tuple[list[str], list[list[str]]]:
    """Check a column of texts and one of references, of one length; `name` is that of the texts in errors."""
    texts, references = validate_texts(name, texts), validate_references(references)
    check_length("references", references, texts, name)
    return texts, references


def best_of_references(
    best: Callable[[Iterator[Any]], Any],
    function: Callable[[list[str], list[str]], Any],
    texts: Any,
    references: Any,
    name: str = "predictions",
) -> np.ndarray:
    """Compare each text with its references, and return the best value.

    Args:
        best: the function that chooses from the values for the references of a text, such as `max`.
        function: from the tokens of a text and those of a reference to a value.
        texts, references, name: as in `texts_and_references`.
    """
    texts, references = texts_and_references(texts, references, name)
    pairs = ((text.split(), map(str.split, row)) for text, row in zip(texts, references, strict=True))
    return np.array([best(function(text, other) for other in others) for text, others in pairs])


def check_length(name: str, column: Sized, other: Sized, other_name: str) -> None:
    """Refuse a column that is not as long as the other one (ValueError)."""
    if len(column) != len(other):
        raise ValueError(f"{name}: got {len(column)} rows, expected {len(other)} (as in {other_name})")


def check_numbers(columns: Mapping[str, Any], ratings: Numbers) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return columns of finite numbers, all of one length.

    Args:
        columns: by name, at least one.
        ratings: at least two.

    Raises:
        ValueError: in one line that names the column.
    """
    target = as_numbers(ratings, "ratings")
    if not columns:
        raise ValueError("scores: got none, expected at least one column of numbers")
    if len(target) < 2:
        raise ValueError(f"ratings: got {len(target)}, expected at least two")
    checked = {name: as_numbers(column, name) for name, column in columns.items()}
    for name, column in checked.items():
        check_length(name, column, target, "ratings")
    return checked, target


def own_numbers(values: np.ndarray) -> np.ndarray:
    """Return the numbers themselves: the measure of a user who has computed it elsewhere."""
    return values


def as_numbers(values: Numbers, name: str) -> np.ndarray:
    """Return a column of finite numbers, float64[row], or refuse it (ValueError)."""
    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: got something else in it, expected numbers") from None
    if column.ndim != 1:
        raise ValueError(f"{name}: got {column.ndim} dimensions, expected one number per row")
    wrong = next(iter((~np.isfinite(column)).nonzero()[0].tolist()), None)
    if wrong is not None:
        raise ValueError(f"{name}[{wrong}]: got {column[wrong]}, expected a finite number")
    return column
