"""Functions that Trainers call: SARI for `compute_metrics=`, and SARI as a reward.

- `compute_metrics` is for a Trainer that generates. It gets generated ids: int[row, token]. An evaluated row is the row
  of the data set with its label ids and, where the Trainer gives inputs and the data set has them, its input ids. Rows
  with the same ids and other texts are refused. Texts come from columns of the data set, never from ids.
- `reward` is for GRPO. Each completion is scored alone.

What is outside of this is refused in a line that names the remedy; what only looks so is scored, with a warning.
`attach` in `generated_texts` is for all other Trainers. Both functions are methods of `Scorer`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import update_wrapper
from itertools import cycle, islice
from typing import Any, NamedTuple

import numpy as np

from .aggregation import Scores
from .corpus_statistics import score_columns
from .data_warnings import SariWarning, TrainingWarning, give_warnings
from .generated_texts import CHAT, PADDING, OutputScorer, apply_postprocess, check_types, is_chat, token_ids
from .messages import RefusedValueError, count_of, fault, short_line, short_repr
from .states import MadeByScorer
from .text_checks import variant_warnings
from .validation import check_flags, is_column, validate_columns, validate_shared

#: By chance, so many outputs can be the longest: of 10 to 300 references of ASSET's validation set, three or more, and
#: a tenth of all, are in less than 1% of samples.
_LONGEST_BY_CHANCE = 2
#: Ids of logits of a trained model are the labels in more than this part of the columns.
_LIKE_LABELS = 0.25


class TrainerFunction(MadeByScorer):
    """A function that a Trainer calls. It is pickled as the call of the method of a scorer that made it."""

    scorer: Any

    def __init__(self, function: Callable[..., Any], scorer: Any, method: str, arguments: Mapping[str, Any]):
        update_wrapper(self, function)  # Trainers read its name and its parameters.
        self.scorer, self._method, self._arguments = scorer, method, arguments

    def __call__(self, *arguments: Any, **columns: Any) -> Any:
        """Call the function."""
        return self.__wrapped__(*arguments, **columns)  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call(self._method, **self._arguments)


# ---- compute_metrics -------------------------------------------------------------------------------------------------


def compute_metrics(
    scorer: Any,
    tokenizer: Any,
    dataset: Any,
    *,
    sources: str = "source",
    references: str = "references",
    postprocess: Callable[[str], str] | None = None,
    skip_special_tokens: bool = True,
) -> TrainerFunction:
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
        skip_special_tokens: whether predicted texts lack special tokens; otherwise `postprocess` removes them.

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
    check_types(str, "the name of a column", sources=sources, references=references)
    output_scorer = OutputScorer("tokenizer", tokenizer, scorer.variant, postprocess, skip_special_tokens)
    rows_of_sets = RowsOfSets(output_scorer, dataset, sources, references)

    def scores_of_evaluation(evaluated: Any, compute_result: bool | None = None) -> Scores:
        """Return "sari", "keep", "delete" and "add", in percent, of an `EvalPrediction` or a tuple of its arrays.

        Raises:
            ValueError: for what no model generated, for rows that are not of the data set, and for batches.
        """
        predictions, labels, inputs = _arrays(evaluated)
        _check_arrays(predictions, labels, compute_result)
        rows = rows_of_sets.without_repeats(rows_of_sets.find(labels, inputs))
        predictions, labels = predictions[: len(rows)], labels[: len(rows)]
        give_warnings(_doubts(predictions, labels, rows, output_scorer))
        outputs = list(map(output_scorer.without_end, _without_start(predictions, labels, rows_of_sets.label_ids)))
        lengths = [len(output_scorer.without_end(ids)) for ids in labels]
        return output_scorer.scores(
            outputs,
            [row.source for row in rows],
            [row.references for row in rows],
            setting="generation_max_length",
            length=max(map(len, outputs), default=0),
            by_chance=max(_LONGEST_BY_CHANCE, lengths.count(max(lengths, default=0))),
        )

    give_warnings(output_scorer.first_warnings(rows_of_sets.references))
    arguments = {
        "tokenizer": tokenizer,
        "dataset": dataset,
        "sources": sources,
        "references": references,
        "postprocess": postprocess,
        "skip_special_tokens": skip_special_tokens,
    }
    return TrainerFunction(scores_of_evaluation, scorer, "compute_metrics", arguments)


def _arrays(evaluated: Any) -> list[Any]:
    """Return predictions, label ids, and inputs or None, with arrays for tensors."""
    if not isinstance(evaluated, tuple):
        evaluated = evaluated.predictions, evaluated.label_ids, evaluated.inputs
    return [part.cpu().numpy() if hasattr(part, "cpu") else part for part in (*evaluated, None)[:3]]


def _check_arrays(predictions: Any, labels: Any, compute_result: bool | None) -> None:
    """Refuse batches, labels that are no ids, and predictions that no model generated."""
    if compute_result is not None or isinstance(labels, list):
        raise RefusedValueError(
            fault("predictions", "batches", "all rows at once: no batch_eval_metrics, no eval_do_concat_batches=False")
        )
    if len(getattr(labels, "shape", ())) != 2:
        raise RefusedValueError(fault("label_ids", type(labels).__name__, "token ids, int[row, token]"))
    shape: tuple[int, ...] = getattr(predictions, "shape", ())
    if len(shape) != 2 or len(labels) != shape[0] or not shape[1] or predictions.dtype.kind not in "iu":
        wanted = f"token ids of {count_of(len(labels), 'row')}: predict_with_generate=True, or sari.attach"
        raise RefusedValueError(fault("predictions", f"{type(predictions).__name__} of shape {shape}", wanted))


class Row(NamedTuple):
    """A row of a data set: its texts, and its ids without padding, as bytes.

    Where the data set has no inputs, there are no input ids, and no first one. The first one may be padding.
    """

    source: str
    references: list[str]
    labels: bytes
    inputs: bytes
    first_input: int | None

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What distinguishes it from rows that are scored otherwise: its labels, source and references."""
        return self.labels, self.source, *self.references


class RowsOfSets:
    """The rows of one or several data sets, which are found by their ids.

    Attributes:
        references: the references of all rows.
        label_ids: all ids of their labels.
    """

    def __init__(self, output_scorer: OutputScorer, dataset: Any, sources: str, references: str):
        """Read the data sets, given the names of their columns."""
        self._output_scorer, self._columns = output_scorer, (sources, references)
        sets = {name: self._read(name, rows) for name, rows in _named_sets(dataset).items()}
        self._sets = list(sets.values())
        if not any(self._sets):
            raise RefusedValueError(fault("dataset", "no rows", "at least one"))
        self.references: list[list[str]] = [row.references for rows in self._sets for row in rows]
        #: The rows of all sets by their labels, and those with the same labels by their inputs.
        self._rows: dict[bytes, dict[bytes, Row]] = {}
        for name, rows in sets.items():
            for number, row in enumerate(rows):
                other = self._rows.setdefault(row.labels, {}).setdefault(row.inputs, row)
                if row.key != other.key:
                    got = "the labels and input_ids of another row, with other texts"
                    raise RefusedValueError(fault(f"{name}[{number}]", got, "other ids, or a function for each set"))
        self.label_ids: set[int] = {*np.frombuffer(b"".join(self._rows), np.int64).tolist()}

    def _read(self, name: str, dataset: Any) -> list[Row]:
        """Return the rows of a data set, checked."""
        rows = _rows_of_set(name, dataset, ["labels", *self._columns])
        try:
            sources, references = validate_shared(*([row[column] for row in rows] for column in self._columns))
        except RefusedValueError as error:
            raise RefusedValueError(short_line(f"{name}: {error}")) from None
        read = []
        for number, row in enumerate(rows):
            labels, inputs = (
                token_ids(f"{column} of {name}[{number}]", row.get(column, ())) for column in ("labels", "input_ids")
            )
            if labels.max(initial=0) >= self._output_scorer.size:
                got = f"{self._output_scorer.size} tokens, and label id {labels.max()} in {name}[{number}]"
                raise RefusedValueError(fault("tokenizer", got, "the one that made the labels"))
            ids = self._output_scorer.without_padding(labels), self._output_scorer.without_padding(inputs)
            read.append(Row(sources[number], references[number], *ids, next(iter(inputs.tolist()), None)))
        return read

    def find(self, labels: np.ndarray, inputs: Any) -> list[Row]:
        """Return the rows with these label ids and, if there are any, input ids."""
        return [
            self._find_row(number, ids, None if inputs is None else inputs[number]) for number, ids in enumerate(labels)
        ]

    def _find_row(self, number: int, labels: np.ndarray, inputs: Any) -> Row:
        same_labels = self._rows.get(self._output_scorer.without_padding(labels), {})
        rows = list(same_labels.values())
        if inputs is not None:  # In a set without inputs, those of each row are b"".
            keys = self._output_scorer.without_padding(inputs), b""
            rows = [same_labels[key] for key in keys if key in same_labels][:1]
        if len({row.key for row in rows}) == 1:
            return rows[0]
        (text,) = self._output_scorer.decode([labels.tolist()])
        got, wanted = short_repr(text), "those of a row of dataset: the set that the Trainer gets"
        if rows:
            wanted = 'include_for_metrics=["inputs"] in the training arguments: several rows have these labels'
        elif same_labels:
            got += " with other inputs"
        elif text in self._output_scorer.decode(np.frombuffer(ids, np.int64).tolist() for ids in self._rows):
            got, wanted = f"{got} as other ids", "those of dataset: no end that a collator adds, no BPE dropout"
        raise RefusedValueError(fault(f"label_ids[{number}]", got, wanted))

    def without_repeats(self, rows: list[Row]) -> list[Row]:
        """Return evaluated rows without those at the end with which several processes fill their last batch.

        These are the first rows, again and again. A row counts as often as the set has it that is evaluated.
        """
        from accelerate import PartialState  # optional

        if PartialState().num_processes == 1:
            return rows
        evaluated = [row.key for row in rows]
        counts = {_number_of_rows(evaluated, [row.key for row in rows_of_set]) for rows_of_set in self._sets}
        counts.discard(0)
        if len(counts) != 1:
            got, wanted = "rows that no set has so often", "rows of one set: give all that is evaluated as dataset"
            if counts:
                got, wanted = "rows that several sets have, not equally often", "a function for each set"
            raise RefusedValueError(fault("label_ids", got, wanted))
        return rows[: counts.pop()]


def _without_start(predictions: np.ndarray, labels: np.ndarray, label_ids: set[int]) -> np.ndarray:
    """Return generated ids without the token that starts a decoder.

    It is the first one of all rows, and is in no label, or begins the labels, which then follow.
    """
    starts = {*predictions[:, 0].tolist()}
    if len(starts) == 1 and (not starts & label_ids or (predictions[:, :2] == labels[:, :1]).all()):
        return predictions[:, 1:]
    return predictions


def _doubts(
    predictions: np.ndarray, labels: np.ndarray, rows: list[Row], output_scorer: OutputScorer
) -> Iterator[SariWarning]:
    """Yield warnings if ids look like those of logits, or like inputs that are continued."""
    if predictions.shape == labels.shape and _are_of_logits(predictions, labels, output_scorer):
        yield TrainingWarning("outputs are in the places of labels, like ids of logits: let the model generate")
    # A model with an encoder starts with a token of its own. Where the end pads, nothing shows that a row ends at once.
    end_pads = output_scorer.tokenizer.eos_token_id in output_scorer.padding
    outputs = [output_scorer.without_padding(ids) for ids in predictions]
    continued = [
        bool(row.inputs) and ids.startswith(row.inputs) and (end_pads or ids != row.inputs)
        for ids, row in zip(outputs, rows, strict=True)
    ]
    begin_alike = any(ids[0] == row.first_input for ids, row in zip(predictions, rows, strict=True))
    if begin_alike and 2 * sum(continued) > len(rows):
        yield TrainingWarning("outputs are inputs, continued: take a model with an encoder, or sari.attach")


def _are_of_logits(predictions: np.ndarray, labels: np.ndarray, output_scorer: OutputScorer) -> bool:
    """Return whether many ids are those of the label in their column, or of a language model, in the next one.

    Where labels are padded, ids of logits are of any kind. Those of a model that has no start token are padding.
    """
    is_label = ~np.isin(labels, output_scorer.padding)
    same = ((predictions == labels) & is_label).sum()
    next_one = ((predictions[:, :-1] == labels[:, 1:]) & is_label[:, 1:]).sum()
    beyond = predictions[(labels == PADDING) & (predictions != PADDING)]
    ends = 2 * np.isin(beyond, output_scorer.padding).sum() > beyond.size
    return bool(max(same, next_one) > _LIKE_LABELS * is_label.sum() and not ends)


def _named_sets(dataset: Any) -> dict[str, Any]:
    """Return one data set, or several in a dict, list or tuple, by what errors call them."""
    if isinstance(dataset, list | tuple) and not any(isinstance(row, Mapping) for row in dataset):
        dataset = dict(enumerate(dataset))
    if not isinstance(dataset, Mapping):
        return {"dataset": dataset}
    return {f"dataset[{name!r}]": rows for name, rows in dataset.items()}


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


# ---- The reward ------------------------------------------------------------------------------------------------------


def reward(
    scorer: Any,
    *,
    source: str = "source",
    references: str = "references",
    unit: bool = True,
    postprocess: Callable[[str], str] | None = None,
    name: str | None = None,
) -> TrainerFunction:
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
    check_types(str | None, "a str", name=name)
    check_types(str, "the name of a column", source=source, references=references)
    check_types(Callable | None, "a function from a text to a text", postprocess=postprocess)

    def rewards(*, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the SARI of each completion, plain or chat, scored alone.

        None without a source or references, and for a chat whose last message is not the assistant's.
        """
        columns["completions"] = completions
        completions, sources, rows = _columns_of_reward(columns, ["completions", source, references])
        texts: list[Any] = [_text_of(f"completions[{row}]", completion) for row, completion in enumerate(completions)]
        rows = list(map(_without_none, rows))
        is_scored = [None not in segment for segment in zip(texts, sources, rows, strict=True)]
        # Texts of other rows are not used; with them, errors name the right row.
        texts, sources, rows = (
            [text if scored else filler for text, scored in zip(column, is_scored, strict=True)]
            for column, filler in ((texts, ""), (sources, ""), (rows, [""]))
        )
        checked = validate_columns(sources, apply_postprocess(postprocess, texts), rows)
        scores = score_columns(checked, scorer.variant, sentences=True).sentences()["sari"]
        most = 100 if unit else 1
        return [score / most if scored else None for score, scored in zip(scores, is_scored, strict=True)]

    rewards.__name__ = f"sari_{scorer.variant.name}" if name is None else name  # Trainers log one mean for each name.
    give_warnings(variant_warnings(scorer.variant))
    arguments = {"source": source, "references": references, "unit": unit, "postprocess": postprocess, "name": name}
    return TrainerFunction(rewards, scorer, "reward", arguments)


def _columns_of_reward(columns: Mapping[str, Any], names: list[str]) -> list[list[Any]]:
    """Return the columns with these names as lists, with as many rows as the first one: the completions."""
    for name in names:
        column = columns.get(name)
        if column is None:
            got = f"columns {', '.join(given for given in columns if columns[given] is not None)}"
            raise RefusedValueError(fault("reward", got, f"also {name!r}"))
        if not is_column(column):
            raise RefusedValueError(fault(name, type(column).__name__, "a list with a row per completion"))
    lists = [list(columns[name]) for name in names]
    for name, rows in zip(names, lists, strict=True):
        if len(rows) != len(lists[0]):
            raise RefusedValueError(fault(name, count_of(len(rows), "row"), f"{len(lists[0]):,} (as in completions)"))
    return lists


def _text_of(name: str, completion: Any) -> str | None:
    """Return the text of a completion: a str, or the last message of a chat, whose content may be parts.

    None if the last message is of somebody else, such as a tool.
    """
    if isinstance(completion, str):
        return completion.strip()
    if not is_chat(completion):
        raise RefusedValueError(fault(name, short_repr(completion), f"a str or {CHAT}"))
    if completion[-1]["role"] != "assistant":
        return None
    content = completion[-1].get("content") or ""  # A call of a tool has None.
    parts = [{"text": content}] if isinstance(content, str) else content if is_column(content) else [content]
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
