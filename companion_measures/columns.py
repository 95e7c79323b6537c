"""Columns of texts, checked: lists out, or a ValueError of one line."""

from collections.abc import Callable, Iterator, Sized
from typing import Any

import numpy as np

from sari.messages import RefusedValueError, count_of
from sari.validation import validate_references, validate_texts


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
        raise RefusedValueError(
            f"{name}: got {count_of(len(column), 'row')}, expected {len(other):,} (as in {other_name})"
        )


def own_numbers(values: np.ndarray) -> np.ndarray:
    """Return the numbers themselves: the measure of a user who has computed it elsewhere."""
    return values
