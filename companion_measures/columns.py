"""Columns of texts, checked: lists out, or a ValueError of one line."""

from collections.abc import Callable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from sari.data_warnings import SariWarning, TextMismatchWarning
from sari.messages import RefusedValueError, count_of
from sari.validation import SystemColumns, validate_references, validate_texts

# As for the warnings about texts: segments, and parts of a column.
_ENOUGH, _MOST, _HARDLY_ANY = 10, 0.5, 0.1


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


def case_warnings(measures: Sequence[str], columns: SystemColumns) -> Iterator[SariWarning]:
    """Yield a warning if measures, by their labels, compare case, and only outputs or only references have capitals.

    It is about systems of at least ten segments, where most texts of one column have capitals and hardly any of the
    other one.
    """
    if not measures or len(columns.sources) < _ENOUGH:
        return
    in_references = _share_with_capitals([row[0] for row in columns.references])
    for name, outputs in columns.predictions.items():
        shares = sorted([_share_with_capitals(outputs), in_references])
        if shares[0] < _HARDLY_ANY and shares[1] > _MOST:
            message = f"{', '.join(measures)}: case counts, and only outputs or only references have capitals"
            yield TextMismatchWarning(f"{message}: restore case, or lowercase all texts", name)


def _share_with_capitals(texts: Sequence[str]) -> float:
    return sum(text != text.lower() for text in texts) / len(texts)


def own_numbers(values: np.ndarray) -> np.ndarray:
    """Return the numbers themselves: the measure of a user who has computed it elsewhere."""
    return values
