"""What models generate: from token ids to texts, what to doubt about both, and the scores of the texts."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np

from .aggregation import Scores
from .corpus_statistics import score_columns
from .data_warnings import TrainingWarning, give_warnings
from .messages import RefusedTypeError, RefusedValueError, fault, short_repr
from .text_checks import variant_warnings
from .validation import Columns, check_flags, is_column, validate_texts
from .variants import Variant

#: What Trainers pad labels, inputs and predictions with.
PADDING = -100
#: So many rows show whether a tokenizer is the right one: to ask all takes a second for each 12,000.
_CHECKED_ROWS = 20
#: There is a warning if more than this part of the outputs is cut.
_MANY_CUT = 0.1
#: There is a warning if outputs share less of their tokens with their sources and references. References of ASSET's
#: validation set share 84% or more with the source and another reference, by BPE, Unigram and WordPiece of 400, 4,000
#: and 16,000 tokens; random ids share at most 18%, and other texts 14 to 52%.
_LEAST_SHARED = 0.4
#: What errors call a chat: see `is_chat`.
CHAT = "a list of messages with role and content"
#: A function from a text of a model to the text that is scored; None for the same text.
Postprocess = Callable[[str], str] | None


class OutputScorer:
    """Scores what a model generates: all that is the same whoever lets it generate.

    Attributes:
        processor: the tokenizer as it was given, or a processor that has it.
        tokenizer: the tokenizer itself.
        size: one more than its largest id. Models may have more outputs than there are tokens.
        padding: the ids that pad rows.
    """

    def __init__(
        self, name: str, processor: Any, variant: Variant, postprocess: Postprocess, skip_special_tokens: bool
    ):
        """Take a tokenizer, or a processor that has one; `name` is for errors."""
        check_flags(skip_special_tokens=skip_special_tokens)
        check_postprocess(postprocess)
        self.processor, self.tokenizer = processor, getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "batch_decode"):
            raise RefusedTypeError(fault(name, type(processor).__name__, "a tokenizer of transformers"))
        self._variant, self._postprocess, self._skips_special = variant, postprocess, skip_special_tokens
        added = self.tokenizer.added_tokens_decoder.items()
        self._special = {*self.tokenizer.all_special_ids, *(number for number, token in added if token.special)}
        self.size = 1 + max(self.tokenizer.get_vocab().values())
        self.padding = [token for token in (PADDING, self.tokenizer.pad_token_id) if token is not None]

    def without_padding(self, ids: Any) -> np.ndarray:
        """Return the ids of a row, int64[token], without padding of any kind."""
        row = np.asarray(ids, np.int64)
        return row[~np.isin(row, self.padding)]

    def without_end(self, ids: Any) -> list[int]:
        """Return the ids of a row without the padding at its end, and without the end, if the same token pads."""
        row = np.asarray(ids, np.int64)
        return row[: np.flatnonzero(~np.isin(row, self.padding)).max(initial=-1) + 1].tolist()

    def decode(self, rows: Iterable[Iterable[int]]) -> list[str]:
        """Return the texts of rows of ids, without ids that the tokenizer lacks, and without outer spaces."""
        known = [[token for token in row if 0 <= token < self.size] for row in rows]
        return [text.strip() for text in self.tokenizer.batch_decode(known, skip_special_tokens=self._skips_special)]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of texts as a model generates them."""
        rows: list[list[int]] = self.tokenizer(text_target=list(texts))["input_ids"]
        return rows

    def scores(
        self,
        outputs: list[list[int]],
        sources: list[str],
        references: list[list[str]],
        *,
        setting: str,
        length: int,
        by_chance: int = 0,
    ) -> Scores:
        """Return "sari", "keep", "delete" and "add" of outputs in percent, and give warnings about them.

        Args:
            outputs: the ids of each output, without padding at the end.
            setting: what makes outputs longer.
            length: the number of ids of an output that is cut.
            by_chance: so many outputs have this number of ids and are not cut.
        """
        give_warnings(self._foreign_ids(outputs, sources, references))
        cut = sum(len(ids) == length and ids[-1] not in self._special for ids in outputs if ids)
        if cut > max(by_chance, _MANY_CUT * len(outputs)):
            message = f"many outputs are cut before their end: raise {setting}"
            give_warnings([TrainingWarning(message, f"{cut} of {len(outputs)}")])
        texts = apply_postprocess(self._postprocess, self.decode(outputs))
        corpus = score_columns(Columns(sources, texts, references), self._variant)
        give_warnings(corpus.warnings())
        return corpus.scores()

    def _foreign_ids(
        self, outputs: list[list[int]], sources: list[str], references: list[list[str]]
    ) -> Iterator[Warning]:
        """Yield warnings if ids of outputs are not of the tokenizer, or look like those of another one."""
        if lacking := sum(max(ids, default=0) >= self.size for ids in outputs):
            message = "outputs have ids that the tokenizer lacks: give the one that made the labels"
            yield TrainingWarning(message, f"{lacking} of {len(outputs)}")
        shares = []
        for row, output in enumerate(outputs[:_CHECKED_ROWS]):
            if ids := {*output} - self._special:
                known = chain(*self._encode([sources[row], *references[row]]))
                shares.append(len(ids.intersection(known)) / len(ids))
        if shares and fmean(shares) < _LEAST_SHARED:
            message = "outputs have other tokens than sources and references: give the tokenizer that made the labels"
            yield TrainingWarning(message, f"{fmean(shares):.0%} are the same")

    def first_warnings(self, references: list[list[str]]) -> Iterator[Warning]:
        """Yield warnings if the variant rewards copies, or if the tokenizer changes texts, without a postprocess.

        A change of case and spaces does not count, and most texts are changed.
        """
        yield from variant_warnings(self._variant)
        texts = [row[0] for row in references[:_CHECKED_ROWS]] if self._postprocess is None else []
        pairs = zip(texts, self.decode(self._encode(texts)) if texts else [], strict=True)
        changed = [pair for pair in pairs if _folded_words(pair[0]) != _folded_words(pair[1])]
        if 2 * len(changed) > len(texts):
            message = "the tokenizer changes texts: correct them with postprocess"
            yield TrainingWarning(message, " becomes ".join(map(short_repr, changed[0])))


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
