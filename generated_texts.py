"""Texts that models generate: from token ids to texts, doubts about both, and the scores of the texts."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from .aggregation import Scores
from .corpus_statistics import score_columns
from .data_warnings import TrainingWarning, give_warnings
from .messages import RefusedTypeError, RefusedValueError, fault, short_repr
from .validation import Columns, is_column, validate_texts
from .variants import Variant

#: What Trainers pad labels, inputs and predictions with.
PADDING = -100
#: So many references show whether the tokenizer changes texts: to ask all takes a second for each 12,000.
_CHECKED_REFERENCES = 20
#: There is a warning if more than this part of the outputs is cut.
_MANY_CUT = 0.1
#: What errors call a chat: see `is_chat`.
CHAT = "a list of messages with role and content"
#: A function from a text of a model to the text that is scored; None for the same text.
Postprocess = Callable[[str], str] | None


class TextTokenizer:
    """The tokenizer of a model: what it makes of token ids.

    Attributes:
        processor: the tokenizer as it was given, or a processor that has it.
        tokenizer: the tokenizer itself.
        size: one more than its largest id. Models may have more outputs than there are tokens.
        special: the ids that begin, end, part and pad texts.
    """

    def __init__(self, name: str, processor: Any):
        self.processor, self.tokenizer = processor, getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "batch_decode"):
            raise RefusedTypeError(fault(name, type(processor).__name__, "a tokenizer of transformers"))
        added = self.tokenizer.added_tokens_decoder.items()
        self.special = sorted({*self.tokenizer.all_special_ids, *(number for number, token in added if token.special)})
        self.size = 1 + max(self.tokenizer.get_vocab().values())

    def without_padding(self, ids: Any) -> np.ndarray:
        """Return the ids of a row, int64[token], without padding of any kind."""
        row = np.asarray(ids, np.int64)
        return row[~np.isin(row, [PADDING, self.tokenizer.pad_token_id])]

    def decode(self, rows: Any) -> list[str]:
        """Return the texts of rows of ids, without padding, unknown ids, special tokens and outer spaces."""
        known = [[token for token in row if 0 <= token < self.size] for row in map(list, rows)]
        return [text.strip() for text in self.tokenizer.batch_decode(known, skip_special_tokens=True)]

    def change_warnings(self, references: list[list[str]], postprocess: Postprocess) -> Iterator[Warning]:
        """Yield a warning if the tokenizer changes most texts in more than case and spaces, without a postprocess."""
        if postprocess is not None:
            return
        texts = [row[0] for row in references[:_CHECKED_REFERENCES]]
        decoded = self.decode(self.tokenizer(text_target=texts)["input_ids"])
        changed = [
            pair for pair in zip(texts, decoded, strict=True) if _folded_words(pair[0]) != _folded_words(pair[1])
        ]
        if 2 * len(changed) > len(texts):
            yield TrainingWarning(
                "the tokenizer changes texts: correct them with postprocess",
                " becomes ".join(map(short_repr, changed[0])),
            )

    def cut_warnings(self, rows: Any, setting: str, least: int = 1) -> Iterator[Warning]:
        """Yield a warning if many rows of at least `least` ids have no end; `setting` is what makes them longer.

        Padding does not count, unless the same token ends texts.
        """
        padding = {PADDING, self.tokenizer.pad_token_id} - {self.tokenizer.eos_token_id}
        texts = [[token for token in row if token not in padding] for row in rows]
        cut = sum(len(text) >= least and text[-1] not in self.special for text in texts)
        if cut > _MANY_CUT * len(rows):
            yield TrainingWarning(f"many outputs are cut before their end: raise {setting}", f"{cut} of {len(rows)}")

    def unknown_warnings(self, rows: np.ndarray) -> Iterator[Warning]:
        """Yield a warning if rows have ids that are not in the tokenizer."""
        if unknown := int((rows >= self.size).any(axis=1).sum()):
            message = "outputs have ids that the tokenizer lacks: give the one of the Trainer"
            yield TrainingWarning(message, f"{unknown} of {len(rows)}")


def _folded_words(text: str) -> tuple[str, ...]:
    return tuple(text.casefold().split())


def is_chat(messages: Any) -> bool:
    """Return whether something is a list of the messages of a chat. A message that calls tools may lack a content."""
    return (
        is_column(messages)
        and isinstance(messages, Collection)
        and len(messages) > 0
        and all(isinstance(message, Mapping) and "role" in message for message in messages)
        and all("content" in message or "tool_calls" in message for message in messages)
    )


def token_ids(name: str, ids: Any) -> np.ndarray:
    """Return the token ids of a text, int64[token], or refuse what is none; `name` is for errors.

    >>> token_ids("labels", [5, 1]).tolist(), token_ids("labels", []).tolist()
    ([5, 1], [])
    """
    with suppress(ValueError):  # of lists of several lengths
        row = np.asarray(list(ids) if is_column(ids) else ids)
        if row.ndim == 1 and (row.dtype.kind in "iu" or not row.size):
            numbers = row.astype(np.int64)
            if np.array_equal(numbers, row):  # None is too large for int64.
                return numbers
    raise RefusedValueError(fault(name, short_repr(ids), "a list of token ids"))


def check_postprocess(postprocess: Any) -> None:
    """Refuse what is neither a function nor None."""
    if postprocess is not None and not callable(postprocess):
        raise RefusedTypeError(fault("postprocess", short_repr(postprocess), "a function from a text to a text"))


def apply_postprocess(postprocess: Postprocess, texts: list[str]) -> list[str]:
    """Return the texts that are scored."""
    return texts if postprocess is None else validate_texts("postprocess", list(map(postprocess, texts)))


def score_texts(
    texts: list[str], sources: list[str], references: list[list[str]], *, variant: Variant, postprocess: Postprocess
) -> Scores:
    """Score generated texts: return "sari", "keep", "delete" and "add" in percent, and give warnings about them."""
    corpus = score_columns(Columns(sources, apply_postprocess(postprocess, texts), references), variant)
    give_warnings(corpus.warnings())
    return corpus.scores()
