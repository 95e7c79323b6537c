"""Functions that Trainers call: SARI for `compute_metrics=`, and SARI as a reward.

- `compute_metrics` is for a Trainer that generates. It gets generated ids: int[row, token]. An evaluated row is the row
  of the data set with its label ids and, where the Trainer gives inputs and the data set has them, its input ids. Rows
  with the same ids and other texts are refused. Texts come from columns of the data set, never from ids.
- `reward` is for GRPO. Each completion is scored alone.

What is outside of this is refused in a line that names the remedy; what only looks so is scored, with a warning.
`attached_texts` is for all other Trainers. Both functions are methods of `Scorer`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import cycle, islice
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from .aggregation import Scores
from .corpus_statistics import score_columns
from .data_warnings import TrainingWarning, give_warnings
from .generated_texts import (
    CHAT,
    PADDING,
    Postprocess,
    TextTokenizer,
    apply_postprocess,
    check_postprocess,
    is_chat,
    score_texts,
    token_ids,
)
from .messages import RefusedTypeError, RefusedValueError, count_of, fault, short_line, short_repr
from .states import MadeByScorer
from .text_checks import variant_warnings
from .validation import check_flags, is_column, validate_columns, validate_shared

#: So many rows of a data set show whether the tokenizer made its labels.
_CHECKED_LABELS = 50
#: Labels share at least this part of their ids with a reference of their row: see `_check_labels`.
_LEAST_SHARE = 1 / 3


# ---- compute_metrics -------------------------------------------------------------------------------------------------


def compute_metrics(
    scorer: Any,
    tokenizer: Any,
    dataset: Any,
    *,
    sources: str = "source",
    references: str = "references",
    postprocess: Callable[[str], str] | None = None,
) -> "ComputeMetrics":
    """Return a function for `compute_metrics=` of a Trainer that generates, such as `Seq2SeqTrainer`.

    It returns "sari", "keep", "delete" and "add" in percent. An evaluated row is the row of `dataset` with its label
    ids and, where the Trainer gives them, its input ids: `include_for_metrics=["inputs"]` in the training arguments. It
    warns of outputs that are cut before their end.

    Args:
        tokenizer: the `processing_class` of the Trainer.
        dataset: the tokenized evaluation set that the Trainer gets, with a column "labels", or several sets in a dict
            or a list. The labels are those of a reference, or of a text like it.
        sources: its column of sources.
        references: its column of references, a list per source or a single text.
        postprocess: a function from a predicted text to the text that is scored.

    Raises:
        ValueError: for no rows, columns that are missing or hold something else, labels of another tokenizer, and rows
            with the same ids but other texts. The function raises it for ids of logits, for rows that are not of
            `dataset`, for rows with the same labels but other texts where the Trainer gives no inputs, and for batches.
        TypeError: for a tokenizer, a name of a column or a postprocess of another type.

    For example::

        args = Seq2SeqTrainingArguments(predict_with_generate=True, generation_max_length=128, ...)
        compute_metrics = sari.compute_metrics(tokenizer, evaluation_set)
        Seq2SeqTrainer(model, args, eval_dataset=evaluation_set, compute_metrics=compute_metrics, ...)
    """
    _check_names(sources=sources, references=references)
    check_postprocess(postprocess)
    function = ComputeMetrics(scorer, tokenizer, dataset, sources, references, postprocess)
    give_warnings([*variant_warnings(scorer.variant), *function.warnings()])
    return function


class Row(NamedTuple):
    """A row of a data set: its texts, and its ids without padding, as bytes.

    Where the data set has no inputs, there are no input ids.
    """

    source: str
    references: list[str]
    labels: bytes
    inputs: bytes

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What tells it from rows that are scored otherwise: its labels, source and references."""
        return self.labels, self.source, *self.references


@dataclass(eq=False)
class ComputeMetrics(MadeByScorer):
    """A function for `compute_metrics=` of a Trainer that generates. Its fields are the arguments that made it."""

    scorer: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    dataset: Any = field(repr=False)
    sources: str
    references: str
    postprocess: Postprocess

    def __post_init__(self) -> None:
        """Read the data sets."""
        self._text_tokenizer = TextTokenizer("tokenizer", self.tokenizer)
        sets = {name: self._read(name, rows) for name, rows in _named_sets(self.dataset).items()}
        self._sets = list(sets.values())
        if not any(self._sets):
            raise RefusedValueError(fault("dataset", "no rows", "at least one"))
        #: The rows of all sets by their labels, and those with the same labels by their inputs.
        self._rows: dict[bytes, dict[bytes, Row]] = {}
        for name, rows in sets.items():
            for number, row in enumerate(rows):
                other = self._rows.setdefault(row.labels, {}).setdefault(row.inputs, row)
                if row.key != other.key:
                    got = "the labels and input_ids of another row, with other texts"
                    raise RefusedValueError(fault(f"{name}[{number}]", got, "other ids, or a function for each set"))

    def _read(self, name: str, dataset: Any) -> list[Row]:
        """Return the rows of a data set, checked."""
        rows = _rows_of_set(name, dataset, ["labels", self.sources, self.references])
        texts = [row[self.sources] for row in rows], [row[self.references] for row in rows]
        try:
            sources, references = validate_shared(*texts)
        except RefusedValueError as error:
            raise RefusedValueError(short_line(f"{name}: {error}")) from None
        labels, inputs = (
            [token_ids(f"{column} of {name}[{number}]", row.get(column, ())) for number, row in enumerate(rows)]
            for column in ("labels", "input_ids")
        )
        _check_labels(name, labels, references, self._text_tokenizer)
        return list(map(Row, sources, references, map(self._as_bytes, labels), map(self._as_bytes, inputs)))

    def _as_bytes(self, ids: Any) -> bytes:
        return self._text_tokenizer.without_padding(ids).tobytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call("compute_metrics", **_arguments(self))

    def warnings(self) -> Iterator[Warning]:
        """Yield what to doubt about the tokenizer."""
        references = [row.references for rows in self._sets for row in rows]
        return self._text_tokenizer.change_warnings(references, self.postprocess)

    def __call__(self, evaluated: Any, compute_result: bool | None = None) -> Scores:
        """Return "sari", "keep", "delete" and "add" of an `EvalPrediction`, in percent.

        Raises:
            ValueError: for what no model generated, for rows that are not of the data set, and for batches.
        """
        predictions, labels, inputs = evaluated.predictions, evaluated.label_ids, evaluated.inputs
        if compute_result is not None or isinstance(labels, list):
            wanted = "all rows at once: without batch_eval_metrics and eval_do_concat_batches=False"
            raise RefusedValueError(fault("predictions", "batches", wanted))
        self._check_ids(predictions, labels)
        rows = [self._evaluated_row(number, labels, inputs) for number in range(len(labels))]
        rows = self._without_repeats(rows)
        predictions, labels = predictions[: len(rows)], labels[: len(rows)]
        give_warnings(self._output_warnings(predictions, labels, rows))
        return score_texts(
            self._text_tokenizer.decode(predictions),
            [row.source for row in rows],
            [row.references for row in rows],
            variant=self.scorer.variant,
            postprocess=self.postprocess,
        )

    def _check_ids(self, predictions: Any, labels: Any) -> None:
        """Refuse labels that are no ids, and predictions that no model generated."""
        if len(getattr(labels, "shape", ())) != 2:
            raise RefusedValueError(fault("label_ids", type(labels).__name__, "token ids, int[row, token]"))
        shape: tuple[int, ...] = getattr(predictions, "shape", ())
        if len(shape) != 2 or len(labels) != shape[0] or not shape[1] or predictions.dtype.kind not in "iu":
            got = f"{type(predictions).__name__} of shape {shape}"
            wanted = f"token ids of {count_of(len(labels), 'row')}: predict_with_generate=True, or sari.attach"
            raise RefusedValueError(fault("predictions", got, wanted))
        if not np.isin(predictions[:, :1], self._text_tokenizer.special).all():  # such a token starts a decoder
            got = "ids that begin with no special token, like those of logits"
            wanted = "generated ids, whose decoder_start_token_id is special: no preprocess_logits_for_metrics"
            raise RefusedValueError(fault("predictions", got, wanted))

    def _evaluated_row(self, number: int, labels: Any, inputs: Any) -> Row:
        """Return the row of the data sets with the ids of an evaluated row."""
        same_labels = self._rows.get(self._as_bytes(labels[number]), {})
        rows = list(same_labels.values())
        if inputs is not None:
            row = same_labels.get(self._as_bytes(inputs[number])) or same_labels.get(b"")  # of a set without inputs
            rows = [row] if row else []
        if rows and all(row.key == rows[0].key for row in rows):
            return rows.pop()
        got = short_repr(*self._text_tokenizer.decode(labels[[number]]))
        wanted = "those of a row of dataset: the set that the Trainer gets"
        if rows:
            wanted = 'include_for_metrics=["inputs"] in the training arguments: several rows have these labels'
        elif same_labels:
            got += " with other inputs"
        raise RefusedValueError(fault(f"label_ids[{number}]", got, wanted))

    def _without_repeats(self, rows: list[Row]) -> list[Row]:
        """Return evaluated rows without those at the end with which several processes fill their last batch.

        These are the first rows, again and again. A row counts as often as the set has it that is evaluated.
        """
        from accelerate import PartialState  # optional

        if PartialState().num_processes == 1:
            return rows
        evaluated = [row.key for row in rows]
        counts = {_number_of_rows(evaluated, [row.key for row in rows_of_set]) for rows_of_set in self._sets}
        counts.discard(0)
        if not counts:
            wanted = "rows of one set: give all that is evaluated as dataset"
            raise RefusedValueError(fault("label_ids", "rows that no set has so often", wanted))
        if len(counts) > 1:
            wanted = "a function for each set"
            raise RefusedValueError(fault("label_ids", "rows that several sets have, not equally often", wanted))
        return rows[: counts.pop()]

    def _output_warnings(self, predictions: Any, labels: Any, rows: list[Row]) -> Iterator[Warning]:
        """Yield warnings if outputs look like ids of logits, or continue inputs, or are cut, or have unknown ids."""
        # Ids of logits have the places of the labels. If a token begins labels, a model generates it after its start.
        is_first_of_label = predictions[:, :2] == labels[:, :1]
        if predictions.shape == labels.shape and (is_first_of_label == [True, False]).all():
            yield TrainingWarning("outputs begin as labels do, like ids of logits: no preprocess_logits_for_metrics")
        pairs = [(self._as_bytes(ids), row.inputs) for ids, row in zip(predictions, rows, strict=True) if row.inputs]
        # A model with an encoder may copy an input, but what it generates ends there.
        if pairs and all(len(output) > len(given) and output.startswith(given) for output, given in pairs):
            yield TrainingWarning("outputs are inputs, continued: take a model with an encoder, or sari.attach")
        yield from self._text_tokenizer.cut_warnings(predictions, "generation_max_length")
        yield from self._text_tokenizer.unknown_warnings(predictions)


def _named_sets(dataset: Any) -> dict[str, Any]:
    """Return one data set, or several in a dict, list or tuple, by what errors call them."""
    if isinstance(dataset, Mapping):
        sets = dict(dataset)
    elif isinstance(dataset, list | tuple) and not any(isinstance(row, Mapping) for row in dataset):
        sets = dict(enumerate(dataset))
    else:
        return {"dataset": dataset}
    return {f"dataset[{name!r}]": rows for name, rows in sets.items()}


def _rows_of_set(name: str, dataset: Any, columns: list[str]) -> list[Mapping[str, Any]]:
    """Return the rows of a data set, which have these columns at least. The set may be of datasets or torch, or a list.

    Columns that the format of a set hides are there, and those that its transform makes.
    """
    if not hasattr(dataset, "__getitem__") and not hasattr(dataset, "__iter__"):
        raise RefusedValueError(fault(name, dataset, "a data set, or several of them"))
    rows = list(dataset if hasattr(dataset, "__iter__") else map(dataset.__getitem__, range(len(dataset))))
    if hasattr(dataset, "with_format"):
        rows = [{**texts, **row} for texts, row in zip(dataset.with_format(None), rows, strict=True)]
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or not all(column in row for column in columns):
            got = f"columns {short_repr(list(row))}" if isinstance(row, Mapping) else short_repr(row)
            raise RefusedValueError(fault(f"{name}[{number}]", got, f"columns {short_repr(columns)}"))
    return rows


def _number_of_rows(evaluated: Sequence[Hashable], rows: Sequence[Hashable]) -> int:
    """Return how many evaluated rows are those of a set, if the others repeat the first ones; 0 if they do not.

    >>> _number_of_rows([1, 2, 3, 1, 2], [1, 2, 3]), _number_of_rows([1, 2, 3, 3], [1, 2, 3])
    (3, 0)
    """
    left, count = Counter(rows), 0
    while count < len(evaluated) and left[evaluated[count]]:
        left[evaluated[count]] -= 1
        count += 1
    repeats = evaluated[count:]
    return count if repeats == list(islice(cycle(evaluated[:count]), len(repeats))) else 0


def _check_labels(name: str, labels: list[np.ndarray], references: list[list[str]], tokenizer: TextTokenizer) -> None:
    """Refuse labels that another tokenizer made: a reference of the row has few of their ids, or they are unknown.

    With BPE, Unigram and WordPiece of 4,000 and 16,000 tokens and ASSET's validation texts, labels share 38% of their
    ids or more with another reference of their row, even in lower case. If another such tokenizer made them, they share
    at most 22%.
    """
    largest = max((ids.max(initial=0) for ids in labels), default=0)
    if largest >= tokenizer.size:
        got = f"{tokenizer.size} tokens, and label ids up to {largest} in {name}"
        raise RefusedValueError(fault("tokenizer", got, "the one that made the labels"))
    shares = []
    for label, texts in islice(zip(labels, references, strict=True), _CHECKED_LABELS):
        ids = set(label.tolist()) - {PADDING, *tokenizer.special}
        shared = [len(ids & set(row)) for row in tokenizer.tokenizer(text_target=texts)["input_ids"]]
        shares += [max(shared) / len(ids)] if ids else []
    if shares and fmean(shares) < _LEAST_SHARE:
        got = f"{fmean(shares):.0%} of ids in a reference of the same row"
        raise RefusedValueError(fault(f"labels of {name}", got, "a third or more: the tokenizer that made the labels"))


# ---- The reward ------------------------------------------------------------------------------------------------------


def reward(
    scorer: Any,
    *,
    source: str = "source",
    references: str = "references",
    unit: bool = True,
    postprocess: Callable[[str], str] | None = None,
    name: str | None = None,
) -> "Reward":
    """Return a function for `reward_funcs=` of TRL's `GRPOTrainer`: the SARI of each completion, scored alone.

    Args:
        source, references: the columns of the data set with the source, and with a list of references or a single one.
            A row without a source or references gets None, which TRL leaves out.
        unit: whether rewards go from 0 to 1, as TRL's own do, or from 0 to 100.
        postprocess: a function from a completion to the text that is scored.
        name: the `__name__` under which the Trainer logs the reward; None for "sari_" and the variant.

    Raises:
        TypeError: for arguments of another type. The function raises ValueError for columns that are missing, that have
            more or fewer rows than there are completions, or that hold no texts.

    >>> from .sari_scorer import Scorer
    >>> reward = Scorer().reward()
    >>> rewards = reward(prompts=["a b c"] * 2, completions=["a b", "a b c"], source=["a b c"] * 2,
    ...                  references=[["a b", "a"]] * 2)
    >>> reward.__name__, [round(value, 4) for value in rewards]
    ('sari_easse', [0.3437, 0.0889])
    """
    check_flags(unit=unit)
    if not isinstance(name, str | None):
        raise RefusedTypeError(fault("name", short_repr(name), "a str"))
    _check_names(source=source, references=references)
    check_postprocess(postprocess)
    give_warnings(variant_warnings(scorer.variant))
    return Reward(scorer, source, references, unit, postprocess, name)


@dataclass(eq=False)
class Reward(MadeByScorer):
    """A function for `reward_funcs=` of TRL's `GRPOTrainer`. Its fields are the arguments that made it."""

    scorer: Any = field(repr=False)
    source: str
    references: str
    unit: bool
    postprocess: Postprocess
    name: str | None

    def __post_init__(self) -> None:
        """Set the name: the Trainer logs the mean of the rewards of one `__name__`."""
        self.__name__ = f"sari_{self.scorer.variant.name}" if self.name is None else self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call("reward", **_arguments(self))

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the SARI of each completion, plain or chat, scored alone; None without a source or references."""
        columns["completions"] = completions
        names = ("completions", self.source, self.references)
        for name in names:
            column = columns.get(name)
            if column is None:
                got = f"columns {', '.join(given for given in columns if columns[given] is not None)}"
                raise RefusedValueError(fault("reward", got, f"also {name!r}"))
            if not is_column(column):
                raise RefusedValueError(fault(name, type(column).__name__, "a list with a row per completion"))
            columns[name] = list(column)
            count, wanted = len(columns[name]), len(columns["completions"])
            if count != wanted:
                raise RefusedValueError(fault(name, count_of(count, "row"), f"{wanted:,} (as in completions)"))
        completions, sources, references = (columns[name] for name in names)
        texts = [_text_of(f"completions[{row}]", completion) for row, completion in enumerate(completions)]
        references = list(map(_without_none, references))
        unscored = [row for row in range(len(texts)) if sources[row] is None or references[row] is None]
        for row in unscored:  # These texts are not used; with them, errors name the right row.
            sources[row], references[row] = "", [""]
        checked = validate_columns(sources, apply_postprocess(self.postprocess, texts), references)
        scores = score_columns(checked, self.scorer.variant, sentences=True).sentences()["sari"]
        rewards: list[float | None] = [score / (100 if self.unit else 1) for score in scores]
        for row in unscored:
            rewards[row] = None
        return rewards


def _text_of(name: str, completion: Any) -> str:
    """Return the text of a completion: a str, or the last message of a chat, whose content may be parts."""
    if isinstance(completion, str):
        return completion.strip()
    if not is_chat(completion):
        raise RefusedValueError(fault(name, short_repr(completion), f"a str or {CHAT}"))
    content = completion[-1].get("content") or ""  # A call of a tool has None.
    if isinstance(content, str):
        return content.strip()
    parts = content if is_column(content) else [content]
    texts: list[Any] = [part.get("text") if isinstance(part, Mapping) else None for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise RefusedValueError(fault(name, short_repr(content), "a str or a list of parts with text"))
    return "".join(texts).strip()


def _without_none(references: Any) -> Any:
    """Return the references of a row without None, to which TRL fills up lists; None if there are none.

    A single text becomes a list. What is no list stays, to be refused.
    """
    if isinstance(references, str):
        return [references]
    if not is_column(references):
        return references
    return [text for text in references if text is not None] or None


def _check_names(**columns: Any) -> None:
    """Refuse what is no name of a column."""
    for name, column in columns.items():
        if not isinstance(column, str):
            raise RefusedTypeError(fault(name, short_repr(column), "the name of a column"))


def _arguments(made: Any) -> dict[str, Any]:
    """Return the arguments of a method of a scorer that made something."""
    return {field.name: getattr(made, field.name) for field in fields(made) if field.name != "scorer"}
