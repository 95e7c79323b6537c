"""What the Trainer of transformers hands over: logits, labels and inputs, as arrays of token ids.

Nothing is imported from transformers or torch: arrays may be numpy's or torch's, whichever come.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

#: What the Trainer pads predictions, labels and inputs with.
PADDING = -100


class Span(NamedTuple):
    """Where the tokens of a label that were asked for begin and end, and how many there are; 0 where there are none."""

    begin: int
    end: int
    tokens: int


def preprocess_logits_for_metrics(logits: Any, labels: Any) -> Any:
    """Reduce logits to token ids before the Trainer gathers them, so that a large vocabulary does not fill memory.

    Args:
        logits: float[row, token, vocabulary], or a tuple of which it is the first with rows and columns; what is
            generated token ids already, int[row, token], is returned as it is.
        labels: int[row, token]; where they are -100 no token was asked for, and none is returned. Where all rows begin
            with -100, prompts that are not asked for, the model only decodes, and its logits stand one token before
            their labels.

    Returns:
        int[row, token], padded with -100.

    Raises:
        ValueError: where some rows begin with -100 and others do not, unless the states of an encoder come with logits.

    >>> preprocess_logits_for_metrics((np.array([[[0.1, 0.9], [0.7, 0.3]]]),), np.array([[1, -100]]))
    array([[   1, -100]])
    """
    scores = _first(logits)
    if scores.ndim != 3:
        return scores
    ids = scores.argmax(-1)
    labels = _first(labels)
    if labels is not None and labels.shape == ids.shape:
        if not has_encoder(logits):
            check_prompts(spans_of(labels), left_padding=False)
            if hide_prompts(labels):
                # A model that only decodes says at each token what the next one is.
                ids = ids[:, [0, *range(ids.shape[1] - 1)]]
        ids[labels == PADDING] = PADDING
    return ids


def hide_prompts(labels: Any) -> bool:
    """Tell whether labels begin with padding in every row, as those of a model that only decodes: its prompts."""
    return bool(len(labels) and labels.shape[1] and (labels[:, 0] == PADDING).all())


def check_prompts(spans: list[Span], *, left_padding: bool) -> None:
    """Refuse labels of which some begin with a hidden prompt and others do not: not all are the answer alone.

    Args:
        spans: of the labels.
        left_padding: whether labels may begin with padding instead, as those of an encoder-decoder model: they end
            where the longest of their batch does, which begins without.
    """
    whole = {span.end for span in spans if span.begin == 0 < span.end}
    hidden = [span.end for span in spans if span.begin]
    if whole and hidden and not (left_padding and whole.issuperset(hidden)):
        raise ValueError(
            f"label_ids: got -100 at the beginning of {len(hidden)} of {len(spans)} rows, wanted it in all, for the "
            "prompt of a model that only decodes (TRL: columns prompt and completion), or sari.generation_callback"
        )


def check_answers(spans: list[Span]) -> None:
    """Refuse labels that hide prompts between their tokens: the turns of a chat are no single answer.

    Where no prompt comes first, `Seq2SeqTrainer` has put the model's own padding behind that of the batch.
    """
    for row, span in enumerate(spans):
        if span.begin and span.tokens != span.end - span.begin:
            raise ValueError(
                f"label_ids[{row}]: got -100 between tokens, as between the turns of a chat, wanted one answer, "
                "such as the last turn, or sari.generation_callback"
            )


def are_logits(predictions: Any, labels: Any) -> bool:
    """Tell whether predictions are logits, or token ids made of them: padding stands where that of labels does.

    Where nothing is padded, generated rows are told by the token that all of them begin with.
    """
    if isinstance(predictions, list):  # batch by batch
        return all(map(are_logits, predictions, labels))
    if _first(predictions).ndim == 3:
        return True
    ids = as_array(predictions)
    padded = ids == PADDING
    is_told = padded.any() or (ids[:, :1] != ids[:1, :1]).any()
    return bool(is_told) and np.array_equal(padded, as_array(labels) == PADDING)


def spans_of(labels: Any) -> list[Span]:
    """Return where labels begin and end, row by row."""
    if isinstance(labels, list):
        return [span for batch in labels for span in spans_of(batch)]
    places = [np.flatnonzero(row) for row in as_array(labels) != PADDING]
    return [Span(int(own[0]), int(own[-1]) + 1, len(own)) if len(own) else Span(0, 0, 0) for own in places]


def are_hidden(labels: Any) -> bool:
    """Tell whether labels, perhaps batch by batch, begin with padding in every row."""
    return all(map(are_hidden, labels)) if isinstance(labels, list) else hide_prompts(as_array(labels))


def has_encoder(logits: Any) -> bool:
    """Tell whether the states of an encoder come with logits."""
    return isinstance(logits, tuple) and sum(getattr(array, "ndim", 0) == 3 for array in logits) > 1


def _first(arrays: Any) -> Any:
    """Return the first of several arrays that has rows and columns: a mixture of experts says its loss before."""
    if not isinstance(arrays, tuple):
        return arrays
    return next((array for array in arrays if getattr(array, "ndim", 0) > 1), arrays[0])


def as_array(arrays: Any) -> Any:
    """Return a numpy array of what may be tensors, or the inputs of a model by name."""
    arrays = _first(on_cpu(arrays))
    return None if arrays is None else arrays


def on_cpu(arrays: Any) -> Any:
    """Return what may be tensors, several of them, or the inputs of a model by name, as numpy arrays."""
    if isinstance(arrays, Mapping):
        arrays = arrays["input_ids"]
    if isinstance(arrays, tuple):
        return tuple(array if array is None else on_cpu(array) for array in arrays)
    return None if arrays is None else as_numpy(arrays)


def as_numpy(array: Any) -> np.ndarray:
    """Return a numpy array of what may be a tensor."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        array = array.float() if array.is_floating_point() else array  # numpy has no bfloat16
    return np.asarray(array)
