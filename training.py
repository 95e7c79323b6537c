"""SARI in training: a function for `compute_metrics=`, and a reward.

- `compute_metrics` is for a Trainer that generates. It gets generated ids: int[row, token]. An evaluated row is the row
  of the data set with its label ids and, where the Trainer gives inputs and the data set has them, its input ids. Rows
  with the same ids and other texts are refused. Texts come from columns of the data set, never from ids.
- `reward` is for GRPO. Each completion is scored alone.

What is outside of this is refused in a line that names the remedy. `attached_texts` is for all other Trainers.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from .corpus_statistics import MadeByScorer, score_columns
from .data_warnings import TrainingWarning, give_warnings
from .messages import fault, short_repr
from .validation import Columns, check_flags, is_column, validate_columns, validate_shared, validate_texts

#: What the Trainer pads labels, inputs and predictions with.
PADDING = -100
#: How many rows show whether the tokenizer made the labels, and how many whether it changes references.
_CHECKED_LABELS, _CHECKED_REFERENCES = 50, 20
#: Labels share at least this part of their ids with a reference of their row: see `TextTokenizer.check_labels`.
_LEAST_SHARE = 1 / 3
#: There is a warning if more than this part of the outputs is cut.
_MANY_CUT = 0.1
#: From a text of a model to the text that is scored; None for the same text.
Postprocess = Callable[[str], str] | None


# ---- The function for compute_metrics --------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of a data set: its texts, and the key of its input ids."""

    source: str
    references: list[str]
    inputs: bytes


class ComputeMetrics(MadeByScorer):
    """A function for `compute_metrics=` of a Trainer that generates. Made by `Scorer.compute_metrics`."""

    def __init__(
        self, scorer: Any, tokenizer: Any, dataset: Any, sources: str, references: str, postprocess: Postprocess
    ):
        self.scorer, self._postprocess = scorer, postprocess
        self._arguments = {
            "tokenizer": tokenizer,
            "dataset": dataset,
            "sources": sources,
            "references": references,
            "postprocess": postprocess,
        }
        self._tokenizer = TextTokenizer("tokenizer", tokenizer)
        #: The row by the key of its labels, and by this key and that of its inputs. None where rows with equal keys
        #: have different texts.
        self._rows: dict[Any, Row | None] = {}
        #: For each data set, how many of its rows have each of these keys.
        self._counts: list[Counter[Any]] = []
        for name, rows in _data_sets(dataset).items():
            labels, texts, lists, inputs = _columns(name, rows, "labels", sources, references)
            self._keep_rows(name, labels, texts, lists, inputs)
        references_of_rows = [row.references for row in self._rows.values() if row is not None]
        give_warnings(self._tokenizer.warnings(references_of_rows, postprocess))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call("compute_metrics", **self._arguments)

    def _keep_rows(self, name: str, labels: Any, sources: Any, references: Any, inputs: Any) -> None:
        """Keep the rows of a data set by their keys."""
        sources, references = validate_shared(sources, references)
        labels = [np.asarray(ids, np.int64) for ids in labels]
        self._tokenizer.check_labels(name, labels, references)
        counts: Counter[Any] = Counter()
        for number, (source, texts, *ids) in enumerate(zip(sources, references, labels, inputs, strict=True)):
            label, input_ids = map(self._tokenizer.key, ids)
            row = Row(source, texts, input_ids)
            for key in (label, (label, input_ids)):
                other = self._rows.setdefault(key, row)
                self._rows[key] = other if other is not None and other[:2] == row[:2] else None
                counts[key] += 1
            if self._rows[label, input_ids] is None:
                got = "the labels and input_ids of another row, with other texts"
                raise ValueError(fault(f"{name}[{number}]", got, "other ids, or a function for each set"))
        self._counts.append(counts)

    def __call__(self, evaluated: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Return "sari", "keep", "delete" and "add" of an `EvalPrediction`, in percent.

        Raises:
            ValueError: for what no model generated, for rows that are not of the data set, and for batches.
        """
        predictions, labels, inputs = evaluated.predictions, evaluated.label_ids, evaluated.inputs
        if compute_result is not None or isinstance(labels, list):
            wanted = "all rows at once: without batch_eval_metrics and eval_do_concat_batches=False"
            raise ValueError(fault("predictions", "batches", wanted))
        shape: tuple[int, ...] = getattr(predictions, "shape", ())
        if len(shape) != 2 or len(labels) != shape[0] or predictions.dtype.kind not in "iu":
            got = f"{type(predictions).__name__} of shape {shape}"
            wanted = f"token ids of {len(labels)} rows: predict_with_generate=True, or sari.attach"
            raise ValueError(fault("predictions", got, wanted))
        keys = [self._key_of(number, labels, inputs) for number in range(len(labels))]
        rows: list[Any] = [self._rows[key] for key in keys[: self._number_of_rows(keys)]]
        self._check_generated(predictions[: len(rows)], labels[: len(rows)], rows)
        give_warnings(self._tokenizer.output_warnings(predictions[: len(rows)], "generation_max_length"))
        if lacking := int((predictions >= self._tokenizer.end).any(axis=1).sum()):
            message = "outputs have ids that the tokenizer lacks: give the one of the Trainer"
            give_warnings([TrainingWarning(message, f"{lacking} of {len(predictions)}")])
        texts = postprocessed(self._tokenizer.decode(predictions[: len(rows)]), self._postprocess)
        columns = Columns([row.source for row in rows], texts, [row.references for row in rows])
        return score_texts(self.scorer, columns)

    def _key_of(self, number: int, labels: Any, inputs: Any) -> Any:
        """Return the key of an evaluated row, which has to be that of a row of the data sets."""
        label = self._tokenizer.key(labels[number])
        # A data set may have no inputs.
        keys = [label] if inputs is None else [(label, self._tokenizer.key(inputs[number])), (label, b"")]
        for key in keys:
            if self._rows.get(key) is not None:
                return key
        got = short_repr(self._tokenizer.decode(labels[[number]])[0])
        if inputs is not None:
            got += " with other inputs"
        wanted = "those of a row of dataset: the set that the Trainer gets"
        if inputs is None and label in self._rows:
            wanted = 'include_for_metrics=["inputs"] in the training arguments: several rows have these labels'
        raise ValueError(fault(f"label_ids[{number}]", got, wanted))

    def _number_of_rows(self, keys: list[Any]) -> int:
        """Return how many of the keys are of different rows.

        The others are at the end: several processes fill their last batch with the first rows, again and again.
        """
        from accelerate import PartialState  # optional

        if PartialState().num_processes == 1:
            return len(keys)
        # The set that is evaluated: the smallest one that has all these rows.
        sets = [counts for counts in self._counts if counts.keys() >= set(keys)]
        left = Counter(min(sets, key=Counter.total, default=()))
        rows = 0
        while rows < len(keys) and left[keys[rows]]:
            left[keys[rows]] -= 1
            rows += 1
        if not rows or keys[rows:] != list(islice(cycle(keys[:rows]), len(keys) - rows)):
            wanted = "rows of one set: give all that is evaluated as dataset"
            raise ValueError(fault("label_ids", "rows that no set has so often", wanted))
        return rows

    def _check_generated(self, predictions: Any, labels: Any, rows: list[Row]) -> None:
        """Refuse ids of logits, and texts that begin with their inputs."""
        first = labels[range(len(labels)), (labels != PADDING).argmax(axis=1)]
        # What is generated begins with a special token, after which the first id of the label may come. Ids of logits
        # stand where those of the label do.
        starts = np.isin(predictions[:, 0], self._tokenizer.special)
        as_labels = (predictions[:, 0] == first) & (predictions[:, 1:2] != first[:, None]).all(axis=1)
        if not starts.all() or (as_labels.all() and predictions.shape == labels.shape):
            got = "ids that begin as labels do, like those of logits"
            raise ValueError(fault("predictions", got, "generated ids: no preprocess_logits_for_metrics"))
        longest = max(range(len(rows)), key=lambda number: len(rows[number].inputs))
        inputs, output = rows[longest].inputs, np.asarray(predictions[longest], np.int64).tobytes()
        if inputs and output.startswith(inputs):
            raise ValueError(fault("predictions", "inputs, continued", "a model with an encoder, or sari.attach"))


def _data_sets(dataset: Any) -> dict[str, Any]:
    """Return one data set, or several in a dict or a list, by what errors call them."""
    is_list = isinstance(dataset, list) and not all(isinstance(row, Mapping) for row in dataset)
    sets = dataset if isinstance(dataset, Mapping) else dict(enumerate(dataset)) if is_list else None
    return {"dataset": dataset} if sets is None else {f"dataset[{name!r}]": rows for name, rows in sets.items()}


def _columns(name: str, dataset: Any, *columns: str) -> list[list[Any]]:
    """Return columns of a data set, and its "input_ids", if it has any; it may also be one of torch, or a list."""
    if not hasattr(dataset, "__getitem__") and not hasattr(dataset, "__iter__"):
        raise ValueError(fault(name, dataset, "a data set, or several of them"))
    rows = list(dataset if hasattr(dataset, "__iter__") else map(dataset.__getitem__, range(len(dataset))))
    if hasattr(dataset, "with_format"):  # A format may hide columns, and a transform may make them.
        rows = [{**texts, **row} for texts, row in zip(dataset.with_format(None), rows, strict=True)]
    for row in rows:
        if not isinstance(row, Mapping) or not all(column in list(row) for column in columns):
            raise ValueError(fault(name, f"a row with {short_repr(list(row))}", f"columns {short_repr(columns)}"))
    return [*([row[column] for row in rows] for column in columns), [row.get("input_ids", ()) for row in rows]]


# ---- The reward ------------------------------------------------------------------------------------------------------


class Reward(MadeByScorer):
    """A function for `reward_funcs=` of TRL's `GRPOTrainer`. Made by `Scorer.reward`."""

    def __init__(
        self, scorer: Any, source: str, references: str, unit: bool, postprocess: Postprocess, name: str | None
    ):
        check_flags(unit=unit)
        self._columns = {"source": source, "references": references}
        self.scorer, self._unit, self._postprocess = scorer, unit, postprocess
        #: The Trainer logs the mean of the rewards of one name.
        self.__name__ = name or f"sari_{scorer.variant.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"unit": self._unit, "postprocess": self._postprocess, "name": self.__name__}
        return self._as_call("reward", **self._columns, **options)

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the SARI of each completion, plain or chat, scored alone; None for rows without references."""
        present = [name for name, column in columns.items() if column is not None]
        for name in self._columns.values():
            if name not in present:
                raise ValueError(fault("reward", f"columns {', '.join(present)}", f"also {name!r}"))
            rows, wanted = len(columns[name]), len(completions)
            if rows != wanted:
                raise ValueError(fault(name, f"{rows} rows", f"{wanted} (as in completions)"))
        sources, references = (list(columns[name]) for name in self._columns.values())
        texts = [_completion(row, completion) for row, completion in enumerate(completions)]
        # Lists may be filled up with None to one length; a list without a text counts as no references.
        references = [_without_none(row) for row in references]
        unscored = {row for row, pair in enumerate(zip(sources, references, strict=True)) if None in pair}
        for row in unscored:  # Dummy texts keep row numbers aligned.
            sources[row], references[row] = "", [""]
        checked = validate_columns(sources, postprocessed(texts, self._postprocess), references)
        scores = score_columns(checked, self.scorer.variant, sentences=True).sentences()["sari"]
        return [None if row in unscored else score / (100 if self._unit else 1) for row, score in enumerate(scores)]


def _without_none(references: Any) -> Any:
    """Return the references of a row as a list without None, or None if there are none; what is no list stays."""
    if isinstance(references, str):
        return [references]
    if not is_column(references):
        return references
    return [text for text in references if text is not None] or None


def _completion(row: int, completion: Any) -> str:
    """Return the text of a completion: the last message of a chat, whose content may be parts."""
    if isinstance(completion, str):
        return completion.strip()
    if not is_chat(completion):
        raise ValueError(fault(f"completions[{row}]", short_repr(completion), "a str or a list of messages"))
    content = completion[-1].get("content") or ""  # A call of a tool has None.
    parts = [{"text": content}] if isinstance(content, str) else content
    texts: list[Any] = (
        [isinstance(part, Mapping) and part.get("text") for part in parts] if is_column(parts) else [None]
    )
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(fault(f"completions[{row}]", short_repr(content), "a str or a list of parts with text"))
    return "".join(texts).strip()


# ---- Tokens, texts and scores, also of attached texts ----------------------------------------------------------------


class TextTokenizer:
    """The tokenizer of a processor, or a tokenizer itself.

    Attributes:
        tokenizer: the tokenizer.
        end: one more than the largest id. Models may have more outputs than there are tokens.
        special: the ids that begin, end, part and pad texts.
    """

    def __init__(self, name: str, processor: Any):
        self.tokenizer = getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "batch_decode"):
            raise ValueError(fault(name, type(processor).__name__, "a tokenizer of transformers"))
        added = self.tokenizer.added_tokens_decoder.items()
        self.special = sorted({*self.tokenizer.all_special_ids, *(number for number, token in added if token.special)})
        self.end = 1 + max(self.tokenizer.get_vocab().values())

    def key(self, ids: Any) -> bytes:
        """Return what a row of ids is known by: its ids without padding, as bytes."""
        row = np.asarray(ids, np.int64)
        return row[(row != PADDING) & (row != self.tokenizer.pad_token_id)].tobytes()

    def decode(self, rows: Any) -> list[str]:
        """Return the texts of ids, int[row, token], without padding, unknown ids and special tokens."""
        known = [[token for token in row if 0 <= token < self.end] for row in map(list, rows)]
        return list(self.tokenizer.batch_decode(known, skip_special_tokens=True))

    def check_labels(self, name: str, labels: list[np.ndarray], references: list[list[str]]) -> None:
        """Refuse labels that another tokenizer made: a reference of the row has few of their ids, or they are unknown.

        With BPE, Unigram and WordPiece of 4,000 and 16,000 tokens and ASSET's validation texts, labels share 38% of
        their ids or more with another reference of their row, even in lower case. If another such tokenizer made them,
        they share at most 22%.
        """
        largest = max((ids.max(initial=0) for ids in labels), default=0)
        if largest >= self.end:
            got = f"{self.end} tokens, and label ids up to {largest} in {name}"
            raise ValueError(fault("tokenizer", got, "the one that made the labels"))
        shares = []
        for label, texts in islice(zip(labels, references, strict=True), _CHECKED_LABELS):
            ids = set(label.tolist()) - {PADDING, *self.special}
            shared = [len(ids & set(row)) for row in self.tokenizer(text_target=texts)["input_ids"]]
            shares += [max(shared) / len(ids)] if ids else []
        if shares and fmean(shares) < _LEAST_SHARE:
            got = f"{fmean(shares):.0%} of ids in a reference of the same row"
            raise ValueError(fault(f"labels of {name}", got, "a third or more: the tokenizer that made the labels"))

    def warnings(self, references: list[list[str]], postprocess: Postprocess) -> Iterator[Warning]:
        """Yield a warning if the tokenizer changes most texts, in more than case and spaces, and nothing mends it."""
        texts = [row[0] for row in references[:_CHECKED_REFERENCES]] if postprocess is None else []
        decoded = self.decode(self.tokenizer(text_target=texts)["input_ids"]) if texts else []
        changed = [pair for pair in zip(texts, decoded, strict=True) if len({*map(_words, pair)}) > 1]
        if 2 * len(changed) > len(texts):
            detail = " becomes ".join(map(short_repr, changed[0]))
            yield TrainingWarning("the tokenizer changes texts: correct them with postprocess", detail)

    def output_warnings(self, rows: Any, limit: str, least: int = 0) -> Iterator[Warning]:
        """Yield a warning if many outputs of at least so many tokens have no end; `limit` is the setting to raise."""
        ended = {PADDING, *self.special}
        cut = sum(len(row) >= least and int(row[-1]) not in ended for row in rows)
        if cut > _MANY_CUT * len(rows):
            yield TrainingWarning(f"many outputs are cut before their end: raise {limit}", f"{cut} of {len(rows)}")


def is_chat(messages: Any) -> bool:
    """Return whether something is a list of the messages of a chat."""
    return (
        is_column(messages)
        and len(messages) > 0
        and all(isinstance(message, Mapping) and "role" in message for message in messages)
    )


def postprocessed(texts: list[str], postprocess: Postprocess) -> list[str]:
    """Return the texts that are scored."""
    return texts if postprocess is None else validate_texts("postprocess", list(map(postprocess, texts)))


def score_texts(scorer: Any, columns: Columns) -> dict[str, float]:
    """Return "sari", "keep", "delete" and "add" of checked texts, and give warnings about them."""
    corpus = score_columns(columns, scorer.variant)
    give_warnings(corpus.warnings())
    scores: Any = corpus.result()
    return dict(scores)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.casefold().split())
