"""SARI in training: a `compute_metrics` function, a callback that generates, and a reward.

Nothing is imported from transformers, TRL or torch before a Trainer calls or a callback is made.
"""

import copy
import importlib
import reprlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache, cached_property
from itertools import chain
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from tqdm.auto import tqdm

from .comparison import Prepared, candidate_scores
from .corpus_statistics import MadeByScorer
from .data_warnings import (
    TrainingWarning,
    collect_warnings,
    give_warnings,
)
from .validation import (
    check_flags,
    check_whole_number,
    is_column,
    one_line,
    shown,
    validate_columns,
    validate_references,
    validate_shared,
    validate_texts,
)
from .variants import SCORES, Variant, resolve_variant

#: The default variant of the methods for training, since "hf" prefers copies of the sources.
DEFAULT_TRAINING_VARIANT = "easse"
#: What the Trainer pads predictions, labels and inputs with.
PADDING = -100
#: The `max_length` of `generate` where nothing else is set.
DEFAULT_LENGTH = 20
#: A prompt: plain text, or the messages of a chat.
Prompt = str | list[dict[str, Any]]

_REDUCE = "pass preprocess_logits_for_metrics=compute_metrics.preprocess_logits_for_metrics to the Trainer."
_NO_SOURCES = 'sources: got none and no inputs, expected sources, or include_for_metrics=["inputs"] in the arguments'
_PROMPTS_IN_INPUTS = (
    "sources: got none, expected the raw ones: the inputs of a decoder-only model hold prompt and answer"
)
_PROMPTS_IN_LABELS = "eval_dataset: got labels that hold prompts, expected -100 in their place"
_PROMPTS_IN_OUTPUTS = "predict_with_generate: got True for a decoder-only model, expected sari.generation_callback"
_INPUTS_OF_ONE_PROCESS = "batch_eval_metrics: got True in several processes, expected False: inputs are not gathered"
_INPUTS_WANTED = 'include_for_metrics=["inputs"] in the arguments: several rows have this label'
_ROWS_WANTED = "those of a row of dataset: the set as the Trainer gets it"

_ALL_LOGITS = f"Logits fill the memory. To keep token ids instead, {_REDUCE}"
_OWN_REDUCTION = f"Another preprocess_logits_for_metrics must set -100 where labels are -100. If it does not, {_REDUCE}"
_UNHIDDEN = f"Predictions have tokens where labels are -100, so that padding or prompts are scored: {_REDUCE}"
_TEACHER_FORCING = (
    "The scores are of teacher forcing: each token is predicted after the right ones. To score what the model "
    "generates, set predict_with_generate=True or use sari.generation_callback."
)
_CUT = f"Predictions end after {DEFAULT_LENGTH} tokens, the default of generate: set generation_max_length."
_MAYBE_CAUSAL = (
    "Some labels do not begin with -100: the model is taken for an encoder-decoder. If it is decoder-only, set the "
    "labels of prompts to -100 and pass causal=True. If not, pass causal=False."
)
_OTHER_VOCABULARY = "The tokenizer and the Trainer's processing_class have different vocabularies."


class _TrainingHook(MadeByScorer):
    """The base of the function, the callback and the reward."""

    method: ClassVar[str]
    postprocess: Callable[[str], str] | None

    def _call(self) -> tuple[str, dict[str, Any]]:
        """Return the call that pickling repeats; a Trainer does not pickle."""
        names = [field.name for field in fields(cast(Any, self)) if field.name not in ("scorer", "trainer")]
        return self.method, {name: getattr(self, name) for name in names}

    @property
    def variant(self) -> Variant:
        """How texts are scored."""
        return cast(Variant, self.scorer.variant)

    def __post_init__(self) -> None:
        _expect(self.postprocess is None or callable(self.postprocess), "postprocess", self.postprocess, "a function")

    def _postprocessed(self, texts: list[str]) -> list[str]:
        return texts if self.postprocess is None else validate_texts("postprocess", list(map(self.postprocess, texts)))

    @cached_property
    def _warned(self) -> set[Any]:
        return set()

    def _warn(self, *messages: str) -> None:
        self._give_new(map(TrainingWarning, messages))

    def _give_new(self, found: Iterable[Warning]) -> None:
        """Give each warning about training once, and those about texts once for each category."""
        for warning in found:
            kind = str(warning) if isinstance(warning, TrainingWarning) else type(warning)
            if kind not in self._warned:
                self._warned.add(kind)
                give_warnings([warning])


# ---- The compute_metrics function ------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """A row of an evaluation set: its ids without padding (`_Decoder.keys`), and its texts as far as they are given."""

    label: bytes
    inputs: bytes | None
    source: str | None = None
    references: tuple[str, ...] | None = None
    prediction: str = ""


@dataclass(eq=False)
class ComputeMetrics(_TrainingHook):
    """A function for `compute_metrics=` of `Trainer` and `Seq2SeqTrainer`. Made by `Sari.compute_metrics`."""

    method: ClassVar[str] = "compute_metrics"

    scorer: Any
    tokenizer: Any
    dataset: Any
    sources: Any
    references: Any
    causal: bool | None
    postprocess: Callable[[str], str] | None

    def __post_init__(self) -> None:
        super().__post_init__()
        _expect(self.causal in (None, True, False), "causal", self.causal, "True, False or None")
        self._decoder = _Decoder(self.tokenizer)
        columns = {"dataset": self.dataset, "sources": self.sources, "references": self.references}
        self._sets = _EvaluationSets(self._decoder, **columns)
        self._needs_inputs = self.sources is None or bool(self._sets.shared)
        #: Whether logits are shifted: as given until `check` knows the model.
        self._causal = self.causal
        self._was_called = False
        #: The rows so far, if the Trainer passes them on batch by batch, and the data loader that they come from.
        self._rows: list[_Row] = []
        self._loader: Any = None

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Return the four scores of an `EvalPrediction`, in percent; before the last batch nothing."""
        before, self._rows = self._rows, []
        if before or not compute_result:  # Each evaluation has its own loader: others were interrupted.
            loader, self._loader = self._loader, _active_loader()
            before = before if loader is self._loader else []
        rows = [*before, *self._read(evaluated)]
        if not compute_result:
            self._rows = rows
            return {}
        self._loader = None
        rows, doubts = self._sets.find(rows, _processes()[1])
        self._warn(*doubts)
        sources, references = self._texts(rows)
        predictions = self._postprocessed([row.prediction for row in rows])
        with collect_warnings() as found:
            scores: Any = Prepared(self.scorer, sources, references).compute(predictions)
        if not self._was_called:
            self._look(references)
        self._was_called = True
        self._give_new(found)
        return dict(scores)

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """Reduce logits to token ids; see the function of this name."""
        with collect_warnings() as found:
            ids = preprocess_logits_for_metrics(logits, labels, causal=self._causal)
        self._give_new(found)
        return ids

    def check(self, trainer: Any) -> None:
        """Raise ValueError, in one line, for the first thing that will not work in this Trainer, before training.

        Doubts are warnings. Rows of an interrupted evaluation are forgotten.
        """
        _expect(hasattr(trainer, "args"), "trainer", trainer, "a Trainer")
        self._rows = []
        args: Any = trainer.args
        config: Any = getattr(trainer.model, "config", None)
        decoder_only = config is not None and not config.is_encoder_decoder
        causal = self.causal if config is None else decoder_only
        # A prediction_step of the user's own may generate, and return answers without prompts.
        is_own_step = not type(trainer).prediction_step.__module__.startswith(("transformers.", "trl."))
        generates = getattr(args, "predict_with_generate", False)
        forces, no_sources = not (generates or is_own_step), self.sources is None
        faults = [
            (generates and decoder_only and not is_own_step, _PROMPTS_IN_OUTPUTS),
            (no_sources and "inputs" not in args.include_for_metrics, _NO_SOURCES),
            (no_sources and decoder_only and not is_own_step, _PROMPTS_IN_INPUTS),
            (self._needs_inputs and args.batch_eval_metrics and args.world_size > 1, _INPUTS_OF_ONE_PROCESS),
            (trainer.compute_metrics is None, "compute_metrics: got none in the Trainer, expected this function"),
            (args.prediction_loss_only, "prediction_loss_only: got True, expected False: nothing would be scored"),
            (forces and self.causal not in (None, causal), f"causal: got {self.causal}, expected {causal} or None"),
        ]
        for message in (message for is_there, message in faults if is_there):
            raise ValueError(message)
        sets = make_by_set(lambda rows: rows, rows=trainer.eval_dataset)
        if trainer.compute_metrics is self:  # and not in a function that may rename the scores
            _check_best_metric(args, sets)
        reduction, config = trainer.preprocess_logits_for_metrics, getattr(trainer.model, "generation_config", None)
        ours = (None, self.preprocess_logits_for_metrics, preprocess_logits_for_metrics)
        limits = [getattr(config, name, None) for name in ("max_new_tokens", "max_length")]
        is_cut = generates and args.generation_max_length is None and limits in ([None, None], [None, DEFAULT_LENGTH])
        doubts = [
            (forces, _TEACHER_FORCING),
            (forces and reduction is None, _ALL_LOGITS),
            (forces and reduction not in ours, _OWN_REDUCTION),
            (is_cut, _CUT),
            (not self._decoder.agrees(trainer.processing_class), _OTHER_VOCABULARY),
        ]
        self._warn(*(message for is_there, message in doubts if is_there))
        for rows in (rows for rows in sets.values() if rows is not None):
            self._check_set(rows, args, hides_prompts=decoder_only and not is_own_step)
        self._causal = causal

    def _check_set(self, dataset: Any, args: Any, *, hides_prompts: bool) -> None:
        """Check that the rows of an evaluation set of the Trainer can be found, and look at its texts."""
        labels, inputs = (_column(dataset, name) for name in ("labels", "input_ids"))
        if labels and inputs and hides_prompts and any(map(np.array_equal, labels, inputs)):
            raise ValueError(_PROMPTS_IN_LABELS)
        if labels:
            batch = args.eval_batch_size * args.world_size if args.dataloader_drop_last else 1
            labels = labels[: len(labels) // batch * batch]
            passed = inputs if inputs and "inputs" in args.include_for_metrics else None
            rows, _ = self._sets.find(self._decoder.rows(labels, passed, "eval_dataset labels"), 1)
            if rows:
                self._look(self._texts(rows)[1])
        workers = args.dataloader_num_workers
        orders = [
            (args.train_sampling_strategy == "group_by_length" and _is_indexed(dataset), "group_by_length"),
            (not args.dataloader_in_order and workers > 1, "dataloader_in_order=False"),
            (not _is_indexed(dataset) and min(workers, getattr(dataset, "num_shards", 2)) > 1, "reading it in workers"),
        ]
        for is_there, what in orders if self._sets.are_in_order else ():
            _expect(not is_there, "dataset", "none", f"the evaluation set, since {what} changes its order")

    def _read(self, evaluated: Any) -> list[_Row]:
        """Read the rows of an `EvalPrediction`."""
        given, inputs = evaluated.label_ids, getattr(evaluated, "inputs", None)
        if isinstance(given, list):  # eval_do_concat_batches=False: batch by batch
            parts = zip(evaluated.predictions, given, inputs or [None] * len(given), strict=True)
            batches = (SimpleNamespace(predictions=one, label_ids=two, inputs=three) for one, two, three in parts)
            return [row for batch in batches for row in self._read(batch)]
        labels, inputs = _as_array(given), cast(Any, _as_array(inputs) if self._needs_inputs else None)
        predictions = _as_array(self.preprocess_logits_for_metrics(evaluated.predictions, given))
        got, wanted = f"{predictions.dtype} of shape {predictions.shape}", "token ids (row, token) or logits"
        _expect(predictions.ndim == 2 and predictions.dtype.kind in "iu", "predictions", got, wanted)
        if inputs is None and self.sources is None:
            raise ValueError(_NO_SOURCES)
        ids = {"predictions": (predictions, ""), "inputs": (inputs, "; batch_eval_metrics gathers none of others")}
        for name, (array, but) in ids.items():
            got, wanted = f"{0 if array is None else len(array)} rows", f"{len(labels)} (as in labels{but})"
            _expect(array is None or len(array) == len(labels), name, got, wanted)
        are_same = self.sources is None and inputs.shape == labels.shape and (inputs == labels)[labels != PADDING].all()
        if are_same and self._causal is not False:
            raise ValueError(_PROMPTS_IN_INPUTS)
        self._warn(*self._doubts_about_ids(predictions, labels))
        rows = self._decoder.rows(labels, inputs, "label_ids")
        texts = self._decoder.texts(predictions)
        return [row._replace(prediction=text) for row, text in zip(rows, texts, strict=True)]

    def _doubts_about_ids(self, predictions: np.ndarray, labels: np.ndarray) -> Iterator[str]:
        """Yield what the ids of predictions show about how they were made."""
        tokens, is_aligned = self._decoder.are_tokens(predictions), predictions.shape == labels.shape
        hidden = labels == PADDING if is_aligned else np.zeros_like(tokens)
        # What an encoder-decoder generates begins with a special token.
        is_generated = np.isin(predictions[:, :1], self._decoder.of_texts.all_special_ids).all()
        may_be_causal = self._causal is not False and _hide_prompts(labels, predictions)
        unhidden = hidden & (predictions != PADDING) if is_aligned else hidden
        if hidden.any() and not unhidden.any():
            yield _TEACHER_FORCING
        elif (may_be_causal or not is_generated) and 2 * tokens[unhidden].sum() > unhidden.sum():
            yield _UNHIDDEN
        elif predictions.shape[1] == DEFAULT_LENGTH and tokens[:, -1].mean() > 0.5:
            yield _CUT

    def _texts(self, rows: list[_Row]) -> tuple[list[str], list[list[str]]]:
        """Return the sources and the references of rows; ids are decoded where no texts are given."""
        sources: Any = [row.source for row in rows]
        if self.sources is None:
            sources = self._decoder.texts(row.inputs for row in rows)
        if self.references is None:
            return sources, [[text] for text in self._decoder.texts(row.label for row in rows)]
        return sources, [list(row.references or ()) for row in rows]

    def _look(self, references: list[list[str]]) -> None:
        """Warn if the tokenizer changes most texts, in more than case, when it encodes and decodes them."""
        sample = [row[0] for row in references[:20]]
        decoded = self._postprocessed(self._decoder.decoded(self._decoder.of_texts(text_target=sample)["input_ids"]))
        pairs = zip(sample, decoded, strict=True)
        changed = [pair for pair in pairs if len({" ".join(text.casefold().split()) for text in pair}) > 1]
        if 2 * len(changed) > len(sample):
            text, new = map(shown, changed[0])
            self._warn(f"The tokenizer turns {text} into {new}, and predictions likewise: correct them first.")


def preprocess_logits_for_metrics(logits: Any, labels: Any, *, causal: bool | None = None) -> Any:
    """Reduce logits to token ids before the Trainer gathers them, so that a large vocabulary does not fill memory.

    Args:
        logits: float[row, token, vocabulary], or a tuple in which they come first; generated token ids, int[row,
            token], are returned as they are.
        labels: int[row, token]; predictions are -100 where labels are.
        causal: whether the model is decoder-only, so that its logits are one token ahead of the labels. None for yes
            if labels begin with -100 in every row, and no states of an encoder come with the logits.

    Returns:
        int[row, token], padded with -100.

    >>> preprocess_logits_for_metrics(np.array([[[0.1, 0.9], [0.7, 0.3]]]), np.array([[1, -100]]), causal=False)
    array([[   1, -100]])
    """
    scores, labels = _first(logits), _first(labels)
    if scores.ndim != 3:
        return scores
    ids = scores.argmax(-1)
    if labels is not None and ids.shape[1] > labels.shape[1] and causal:
        ids = ids[:, -labels.shape[1] :]  # Soft prompts stand before the text.
    if labels is None or labels.shape != ids.shape:
        return ids
    hidden = _hide_prompts(labels, ids)
    if causal and not hidden:
        raise ValueError("label_ids: got labels that do not begin with -100, expected -100 in place of every prompt")
    if causal is None:
        has_encoder = isinstance(logits, tuple) and sum(getattr(array, "ndim", 0) == 3 for array in logits) > 1
        if not has_encoder and not hidden:
            give_warnings([TrainingWarning(_MAYBE_CAUSAL)])
        causal = hidden and not has_encoder
    if causal:
        ids = ids[:, [0, *range(ids.shape[1] - 1)]]
    ids[labels == PADDING] = PADDING
    return ids


class _EvaluationSets:
    """The rows of the evaluation sets, found by their label ids and, where these are not unique, their input ids.

    Attributes:
        are_in_order: whether rows are taken in order, since there is no data set.
        shared: the labels of several rows whose texts differ, so that input ids have to tell them apart.
    """

    def __init__(self, decoder: "_Decoder", *, dataset: Any, sources: Any, references: Any):
        """Check columns, which may be given by their names in the data sets."""
        self._decoder, self.are_in_order = decoder, dataset is None
        self._are_known = not (dataset is sources is references is None)
        #: Whether texts are lists, which may be in another order than the labels, and not columns of a data set.
        self.has_lists = False
        sets = make_by_set(self._checked, dataset=dataset, sources=sources, references=references)
        wanted = "their data sets, in which rows are found by their ids"
        _expect(len(sets) == 1 or not self.are_in_order, "dataset", f"none for the sets {_joined(sets)}", wanted)
        self._rows = next(iter(sets.values()))
        texts_of: dict[bytes, set[Any]] = {}
        for row in chain(*sets.values()):
            texts_of.setdefault(row.label, set()).add((row.source, row.references))
        self.shared = {label for label, texts in texts_of.items() if len(texts) > 1 and not self.are_in_order}
        #: The rows by their keys, and how often each set has each key.
        self._known: dict[Any, _Row] = {}
        self._times = {name: Counter(map(self._key, rows)) for name, rows in sets.items()}
        for name, rows in () if self.are_in_order else sets.items():
            for number, row in enumerate(rows):
                known = self._known.setdefault(self._key(row), row)
                equal = "labels" if row.inputs is None else "labels and inputs"
                wanted = "a column 'input_ids'" if row.inputs is None else "other labels, or a function for each set"
                got = f"the {equal} of another row, with other texts, in {name}[{number}]"
                _expect(known[2:4] == row[2:4], "dataset", got, wanted)

    def _checked(self, *, dataset: Any, sources: Any, references: Any) -> list[_Row]:
        """Return the rows of a set; without a data set they have no ids."""
        columns: dict[str, Any] = {}
        if sources is not None:
            texts = _required(dataset, sources, "sources") if isinstance(sources, str) else sources
            columns["sources"] = validate_texts("sources", texts)
        if references is not None:
            lists = _required(dataset, references, "references") if isinstance(references, str) else references
            columns["references"] = list(map(tuple, validate_references(lists)))
            self.has_lists |= not isinstance(references, str)
        length, whose = next(map(len, columns.values()), 0), "sources"
        rows = [_Row(b"", None)] * length
        if dataset is not None:
            labels, inputs = _required(dataset, "labels", "dataset"), _column(dataset, "input_ids")
            rows, whose = self._decoder.rows(labels, inputs, "dataset labels"), "dataset"
        for argument, column in columns.items():
            _expect(len(column) == len(rows), argument, f"{len(column)} rows", f"{len(rows)} (as in {whose})")
            field = "source" if argument == "sources" else argument
            rows = [row._replace(**{field: value}) for row, value in zip(rows, column, strict=True)]
        return rows

    def _key(self, row: _Row) -> Any:
        return (row.label, row.inputs) if row.label in self.shared else row.label

    def find(self, rows: list[_Row], processes: int) -> tuple[list[_Row], list[str]]:
        """Return each evaluated row once, with its texts, and doubts; several processes may repeat rows."""
        if self.are_in_order:
            return self._in_order(rows, processes)
        found, times = [], Counter[Any]()
        for number, row in enumerate(rows):
            key = self._key(row)
            if key not in self._known:
                wanted = _INPUTS_WANTED if row.inputs is None and row.label in self.shared else _ROWS_WANTED
                _expect(False, f"label_ids[{number}]", shown(self._decoder.texts([row.label])[0]), wanted)
            times[key] += 1
            if times[key] <= max(counts[key] for counts in self._times.values()):
                known = self._known[key]
                found.append(known._replace(prediction=row.prediction, inputs=row.inputs or known.inputs))
        again = f"{len(rows) - len(found)} rows more often than dataset has them"
        wanted = "each row once; after an evaluation that was interrupted, evaluate again"
        _expect(len(found) == len(rows) or processes > 1, "label_ids", again, wanted)
        sizes = {counts.total(): name for name, counts in self._times.items() if times.keys() <= counts.keys()}
        if len(found) in sizes or not sizes:
            return found, []
        size, name = min(sizes.items())
        whose = f"rows of {name}" if name else "rows"
        return found, [f"Only {len(found)} of {size} {whose} were evaluated, and only they are scored."]

    def _in_order(self, rows: list[_Row], processes: int) -> tuple[list[_Row], list[str]]:
        """Return evaluated rows with the texts of the same places, as `find` does."""
        if not self._are_known:
            return rows, ["Rows that several processes repeat may be scored twice: pass dataset=."] * (processes > 1)
        length = len(self._rows)
        # Several processes repeat the first rows to fill the last batch.
        is_repeated = processes > 1 and {row.label for row in rows[length:]} <= {row.label for row in rows[:length]}
        argument = "references" if self._rows and self._rows[0].source is None else "sources"
        wanted = f"{len(rows)} (as in the evaluation), or dataset= to score a subset"
        _expect(length == len(rows) or (length < len(rows) and is_repeated), argument, f"{length} rows", wanted)
        pairs = zip(rows, self._rows, strict=False)
        return [row._replace(source=known.source, references=known.references) for row, known in pairs], []


class _Decoder:
    """A tokenizer for the ids that the Trainer passes on, padded and perhaps unknown."""

    def __init__(self, tokenizer: Any):
        is_one = callable(getattr(tokenizer, "batch_decode", None))
        _expect(is_one, "tokenizer", type(tokenizer).__name__, "a tokenizer of transformers")
        self.tokenizer = tokenizer
        #: The tokenizer, also of a processor.
        self.of_texts = getattr(tokenizer, "tokenizer", tokenizer)

    @property
    def padding(self) -> Any:
        """The id that sequences are padded with, by the Trainer too."""
        padding = self.of_texts.pad_token_id
        return self.of_texts.eos_token_id if padding is None else padding

    @cached_property
    def _end(self) -> int:
        """One more than the last id: models may have more outputs than there are tokens."""
        return 1 + int(max(self.of_texts.get_vocab().values()))

    def rows(self, labels: Any, inputs: Any, name: str) -> list[_Row]:
        """Return rows of label ids and, unless there are none, input ids."""
        keys = self._keys(labels, name), [None] * len(labels) if inputs is None else self._keys(inputs, "input_ids")
        return list(map(_Row, *keys))

    def _keys(self, labels: Any, name: str) -> list[bytes]:
        """Return token ids without padding at either end, as bytes."""
        keys, padding = [], self.padding
        for row, label in enumerate(labels):
            ids = np.asarray(label, np.int64)
            places = np.flatnonzero((ids != PADDING) & (ids != padding))
            ids = ids[places[0] : places[-1] + 1] if len(places) else ids[:0]
            is_one = PADDING not in ids
            _expect(is_one, f"{name}[{row}]", "-100 between tokens", "one answer, as a chat's last turn")
            keys.append(ids.tobytes())
        return keys

    def texts(self, rows: Iterable[np.ndarray | bytes | None]) -> list[str]:
        """Decode rows of ids, or keys, without padding, unknown ids and special tokens; None is decoded as ""."""
        ids = (row if isinstance(row, np.ndarray) else np.frombuffer(row or b"", np.int64) for row in rows)
        return self.decoded([row[(row >= 0) & (row < self._end)].tolist() for row in ids])

    def decoded(self, rows: list[list[int]]) -> list[str]:
        """Decode token ids."""
        return list(self.tokenizer.batch_decode(rows, skip_special_tokens=True)) if rows else []

    def are_tokens(self, ids: np.ndarray) -> np.ndarray:
        """Return which ids are neither padding nor the end of a text: bool[...]."""
        return ~np.isin(ids, [PADDING, self.padding, self.of_texts.eos_token_id])

    def agrees(self, other: Any) -> bool:
        """Return whether another tokenizer, if it is one, has the same ids; either may have added tokens."""
        other = getattr(other, "tokenizer", other)
        if other is self.of_texts or not hasattr(other, "get_vocab"):
            return True
        one, two = self.of_texts.get_vocab(), other.get_vocab()
        return len(one.items() & two.items()) > 0.99 * min(len(one), len(two))


# ---- The callback ----------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class GenerationCallback(_TrainingHook):
    """A `TrainerCallback` that generates and scores at every evaluation. Made by `Sari.generation_callback`."""

    method: ClassVar[str] = "generation_callback"

    scorer: Any
    tokenizer: Any
    sources: Any
    references: Any
    prompts: Any
    generation_kwargs: Mapping[str, Any] | None
    chat_template_kwargs: Mapping[str, Any] | None
    batch_size: int | None
    postprocess: Callable[[str], str] | None
    trainer: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size is not None:
            check_whole_number("batch_size", self.batch_size, least=1)
        for argument in ("generation_kwargs", "chat_template_kwargs"):
            given = getattr(self, argument)
            _expect(given is None or isinstance(given, Mapping), argument, given, "a dict of arguments")
        template = dict(self.chat_template_kwargs or {})
        _expect("tokenize" not in template, "chat_template_kwargs", "tokenize", "none: the callback tokenizes")
        self._template = {"add_generation_prompt": not template.get("continue_final_message"), **template}
        self._config, self._arguments = generation_config(**(self.generation_kwargs or {}))
        self._decoder = _Decoder(self.tokenizer)
        texts = {"sources": self.sources, "references": self.references, "prompts": self.prompts}
        self._sets = make_by_set(self._checked_set, **texts)
        #: The scores of the evaluation that goes on, by prefix.
        self._logged: dict[str, dict[str, float]] = {}
        #: The token ids of the prompts of each set, once the Trainer was checked.
        self._prompt_ids: dict[str, list[list[int]]] = {}

    def on_train_begin(self, args: Any, _state: Any, _control: Any, **given: Any) -> None:
        """Check what evaluations will need, and generate for the longest prompt, before training."""
        self._check(args, **given)
        if args.eval_strategy == "no":
            self._warn('eval_strategy is "no": only trainer.evaluate() will generate.')
        if args.report_to and self.trainer is None:
            self._warn(f"{_joined(args.report_to)} will not get the scores: pass trainer=trainer to the callback.")
        longest = max(chain(*self._prompt_ids.values()), key=len)
        generated = self._generated([longest], given["model"], batch_size=1, quiet=True)
        validate_texts("postprocess", self._postprocessed(generated))

    def on_prediction_step(self, *_: Any, **__: Any) -> None:
        """Go before the other callbacks of a known Trainer, so that they see the scores."""
        callbacks = [] if self.trainer is None else self.trainer.callback_handler.callbacks
        if self in callbacks[1:]:
            callbacks.remove(self)
            callbacks.insert(0, self)

    def on_log(self, args: Any, state: Any, _control: Any, *, logs: Any, **given: Any) -> None:
        """Generate and score where an evaluation is logged: its log is what `evaluate` returns."""
        for name in self._sets:
            prefix = _prefix(name)
            if f"{prefix}_runtime" in logs and f"{prefix}_samples_per_second" in logs:
                self._check(args, **given)
                scores = self._scores(name, args, given["model"])
                named = {f"{prefix}_{score}": value for score, value in scores.items()}
                if not logs.keys().isdisjoint(named):
                    self._warn(f"compute_metrics or another callback writes {prefix}_sari too: use one of them.")
                self._logged[prefix] = named
                for entry in (logs, *state.log_history[-1:]):
                    entry.update(named)

    def on_evaluate(self, _args: Any, _state: Any, _control: Any, *, metrics: Any, **__: Any) -> None:
        """Add scores where a Trainer logs copies; say where nothing was generated, for another set or prefix."""
        own = list(map(_prefix, self._sets))
        for prefix, timed, _ in [name.partition("_samples_per_second") for name in metrics]:
            if timed and prefix not in own:
                self._warn(f"Nothing was generated for {prefix}: the callback scores its own texts, as {_joined(own)}.")
            elif timed:
                metrics.update(self._logged.pop(prefix, {}))

    on_predict = on_evaluate

    def _checked_set(self, *, sources: Any, references: Any, prompts: Any) -> tuple[Prepared, list[Prompt]]:
        sources, references = validate_shared(sources, references)
        _expect(bool(sources), "sources", "no rows", "at least one")
        made = _prompts(prompts, sources, is_open=bool(self._template.get("continue_final_message")))
        return Prepared(self.scorer, sources, references), made

    def _check(self, args: Any, *, model: Any, processing_class: Any, **_: Any) -> None:
        """Check, once, what depends on the Trainer, its model and its tokenizer, and tokenize the prompts."""
        if self._prompt_ids:
            return
        known = getattr(self.trainer, "eval_dataset", None)
        if known is not None:
            names = list(make_by_set(lambda rows: rows, rows=known))
            got = "one set" if "" in self._sets else f"sets {_joined(self._sets)}"
            wanted = f"a dict of the Trainer's sets {_joined(names)}" if isinstance(known, Mapping) else "one set"
            _expect(set(self._sets) <= set(names), "sources", got, wanted)
        _check_best_metric(args, self._sets)
        if not self._decoder.agrees(processing_class):
            self._warn(_OTHER_VOCABULARY)
        model = getattr(model, "module", model)
        _expect(self._decoder.padding is not None, "tokenizer", "no pad_token and no eos_token", "one to pad with")
        if self._config.eos_token_id is None and model.generation_config.eos_token_id is None:
            message = "The model has no eos_token_id, so that all texts run on to max_new_tokens"
            self._warn(f"{message}: give the tokenizer an eos_token.")
        self._prompt_ids = {name: self._tokenized(prompts, model) for name, (_, prompts) in self._sets.items()}

    def _tokenized(self, prompts: list[Prompt], model: Any) -> list[list[int]]:
        """Return the token ids of prompts, without the beginning of those that are too long for the model."""
        encodes, config = bool(model.config.is_encoder_decoder), model.config.get_text_config()
        rows = [self._ids(prompt, encodes) for prompt in prompts]
        both = getattr(config, "max_position_embeddings", None)
        prompted, generated = (
            getattr(config, f"max_{side}_position_embeddings", both) for side in ("encoder", "decoder")
        )
        new, wanted = self._config.max_new_tokens or 1, f"fewer than the model's {generated} positions"
        _expect(generated is None or new < generated, "generation_kwargs", f"max_new_tokens={new}", wanted)
        if prompted is None:
            return rows
        most = prompted if encodes else prompted - new
        cut = sum(len(row) > most for row in rows)
        if cut:
            wanted = "Shorten them." if encodes else f"Shorten them, or max_new_tokens, which is {new}."
            self._warn(f"{cut} of {len(rows)} prompts lose their beginning: the model takes {most} tokens. {wanted}")
        return [row[-most:] for row in rows]

    def _ids(self, prompt: Prompt, encodes: bool) -> list[int]:
        """Return the token ids of a prompt."""
        tokenizer, template = self._decoder.of_texts, self._decoder.tokenizer
        if not isinstance(prompt, str):
            is_there = getattr(template, "chat_template", None) is not None
            _expect(is_there, "tokenizer", "no chat_template", "one, for prompts of messages")
            text = template.apply_chat_template(prompt, tokenize=False, **self._template)
            return list(tokenizer(text, add_special_tokens=False)["input_ids"])
        ids = list(tokenizer(prompt)["input_ids"])
        if len(ids) > 1 and ids[0] == ids[1] == tokenizer.bos_token_id:
            ids = ids[1:]  # The prompt begins with this token already.
        # A decoder-only model continues the prompt, which must not end with the end of a text.
        return ids[:-1] if not encodes and len(ids) > 1 and ids[-1] == tokenizer.eos_token_id else ids

    def _scores(self, name: str, args: Any, model: Any) -> dict[str, float]:
        """Generate for the rows of this process, gather the texts of all, and return the scores of a set."""
        (prepared, _), ids, (rank, world) = self._sets[name], self._prompt_ids[name], _processes()
        # Each process needs the same number of rows: they wait for each other if the model is spread over them.
        own = [ids[row % len(ids)] for row in range(rank, -(-len(ids) // world) * world, world)]
        size = self.batch_size or int(args.per_device_eval_batch_size)
        gathered: list[Any] = [self._generated(own, model, size, quiet=rank > 0 or bool(args.disable_tqdm))]
        if world > 1:
            made, gathered = gathered[0], [None] * world
            importlib.import_module("torch.distributed").all_gather_object(gathered, made)
        predictions = [gathered[row % world][row // world] for row in range(len(ids))]
        with collect_warnings() as found:
            scores: Any = prepared.compute(self._postprocessed(predictions))
        if rank == 0:
            self._give_new(found)
        return scores

    def _generated(self, rows: list[list[int]], model: Any, batch_size: int, quiet: bool) -> list[str]:
        """Return what the model generates for prompts; random numbers go on where they were."""
        torch, model = importlib.import_module("torch"), getattr(model, "module", model)
        devices, texts = [model.device] if model.device.type == "cuda" else [], []
        model.eval()  # The Trainer itself sets it back to training.
        with torch.no_grad(), torch.random.fork_rng(devices=devices):
            for begin in tqdm(range(0, len(rows), batch_size), desc="SARI: generating", leave=False, disable=quiet):
                texts += self._completed(rows[begin : begin + batch_size], model, torch)
        return texts

    def _completed(self, rows: list[list[int]], model: Any, torch: Any) -> list[str]:
        """Return what the model generates for a batch of prompts."""
        padding, width, encodes = self._decoder.padding, max(map(len, rows)), bool(model.config.is_encoder_decoder)
        ids, mask = torch.full((len(rows), width), padding), torch.zeros((len(rows), width), dtype=torch.long)
        for number, row in enumerate(rows):  # A decoder-only model continues the prompt: pad on the left.
            place = slice(0, len(row)) if encodes else slice(width - len(row), width)
            ids[number, place], mask[number, place] = torch.tensor(row, dtype=torch.long), 1
        self._config.update(pad_token_id=padding, defaults_only=True)
        tensors = {"input_ids": ids.to(model.device), "attention_mask": mask.to(model.device)}
        made = model.generate(**tensors, generation_config=self._config, **self._arguments)
        made = getattr(made, "sequences", made)  # with return_dict_in_generate=True
        got, wanted = f"{len(made)} texts for {len(rows)} prompts", "one each: num_return_sequences=1"
        _expect(len(made) == len(rows), "generation_kwargs", got, wanted)
        return [text.strip() for text in self._decoder.decoded((made if encodes else made[:, width:]).tolist())]


@cache
def callback_class() -> Any:
    """Return `GenerationCallback` as a `TrainerCallback`; transformers is imported when a callback is made."""
    base = importlib.import_module("transformers").TrainerCallback
    return type("GenerationCallback", (GenerationCallback, base), {"__doc__": GenerationCallback.__doc__})


def _prefix(name: str) -> str:
    return f"eval_{name}" if name else "eval"


def _prompts(prompts: Any, sources: list[str], is_open: bool) -> list[Prompt]:
    """Return a prompt for each source; with `is_open`, a chat may end with the beginning of an answer."""
    if prompts is None:
        return list(sources)
    is_valid = callable(prompts) or is_column(prompts)
    _expect(is_valid, "prompts", prompts, "a list, or a function from a source to a prompt")
    made = list(map(prompts, sources)) if callable(prompts) else list(prompts)
    _expect(len(made) == len(sources), "prompts", f"{len(made)} rows", f"{len(sources)} (as in sources)")
    for row, prompt in enumerate(made):
        if not isinstance(prompt, str):
            _expect(_is_chat(prompt), f"prompts[{row}]", prompt, "a str or a list of messages")
            is_asked = is_open or prompt[-1]["role"] != "assistant"
            _expect(is_asked, f"prompts[{row}]", "a chat that ends with the answer", "the messages before it")
    return made


def generation_config(*, generation_config: Any = None, **arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Return a `GenerationConfig` of arguments of `generate`, and the arguments that are no part of it.

    Unless they say otherwise, nothing is sampled, and there are at most 128 new tokens.
    """
    kind = importlib.import_module("transformers").GenerationConfig
    given = generation_config or {}
    _expect(isinstance(given, kind | Mapping), "generation_config", given, "a GenerationConfig or a dict")
    config = kind(**given) if isinstance(given, Mapping) else copy.deepcopy(given)
    others = config.update(**arguments)
    config.update(do_sample=False, defaults_only=True)
    if config.max_length is None:
        config.update(max_new_tokens=128, defaults_only=True)
    return config, others


# ---- The reward ------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Reward(_TrainingHook):
    """A function for `reward_funcs=` of TRL's `GRPOTrainer`. Made by `Sari.reward`."""

    method: ClassVar[str] = "reward"

    scorer: Any
    source: str
    references: str
    unit: bool
    postprocess: Callable[[str], str] | None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(unit=self.unit)
        for argument in ("source", "references"):
            given = getattr(self, argument)
            _expect(isinstance(given, str), argument, given, "the name of a column")
        # The name has the variant and all that is not the default, to tell rewards apart.
        own = {"source": "source", "references": "references", "unit": True, "postprocess": None}
        usual = resolve_variant(self.variant.name).options | own
        chosen = self.variant.options | {name: getattr(self, name) for name in own}
        differing = {name: value for name, value in chosen.items() if value != usual[name]}
        named = [f"{name}-{getattr(value, '__name__', value)}" for name, value in differing.items()]
        self.__name__ = "_".join(["sari", self.variant.name, *named])

    def check(self, trainer: Any) -> None:
        """Raise ValueError, in one line, for what will not work in this Trainer, before training."""
        names = [getattr(function, "__name__", "") for function in trainer.reward_funcs]
        wanted = "names that differ, since their mean is logged: set __name__ of one"
        _expect(names.count(self.__name__) < 2, "reward_funcs", f"two of the name {self.__name__}", wanted)
        columns = getattr(trainer.train_dataset, "column_names", None)
        if columns is not None:
            self._check_columns(columns)

    def _check_columns(self, columns: Iterable[str]) -> None:
        for name in (self.source, self.references):
            _expect(name in columns, name, f"columns {_joined(columns)}", f"also {name!r}")

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the SARI of each completion, plain or chat, scored alone; None for rows without references."""
        self._check_columns([name for name, column in columns.items() if column is not None])
        for name in (self.source, self.references):
            _expect(
                len(columns[name]) == len(completions),
                name,
                f"{len(columns[name])} rows",
                f"{len(completions)} (as in completions)",
            )
        sources, references = list(columns[self.source]), list(columns[self.references])
        texts = [_completion(f"completions[{row}]", completion) for row, completion in enumerate(completions)]
        texts = self._postprocessed(texts)
        # Lists may be filled up with None to one length; a list without a text counts as no references.
        lists = [[row] if isinstance(row, str) else row for row in references]
        references = [[text for text in row if text is not None] or None if is_column(row) else row for row in lists]
        unscored = {row for row, pair in enumerate(zip(sources, references, strict=True)) if None in pair}
        for row in unscored:  # Dummy texts keep row numbers aligned.
            sources[row], references[row] = "", [""]
        sources, texts, references = validate_columns(sources, texts, references)
        scores = candidate_scores(sources, [[text] for text in texts], references, self.variant)
        percent = 100 if self.unit else 1
        return [None if row in unscored else score / percent for row, (score,) in enumerate(scores)]


def _completion(name: str, completion: Any) -> str:
    """Return the text of a completion: the last message of a chat, whose content may be parts."""
    if isinstance(completion, str):
        return completion.strip()
    _expect(_is_chat(completion), name, completion, "a str or a list of messages")
    content = completion[-1].get("content") or ""  # A call of a tool has None.
    try:
        return (content if isinstance(content, str) else "".join(part["text"] for part in content)).strip()
    except (KeyError, TypeError):
        raise ValueError(
            one_line(f"{name}: got {shown(content)}, expected a str or a list of parts with text")
        ) from None


# ---- Arguments of all of them ----------------------------------------------------------------------------------------


def make_by_set(make: Callable[..., Any], **given: Any) -> dict[str, Any]:
    """Call a function with the columns of each evaluation set; return its results by name, "" for a single set.

    >>> make_by_set(dict, sources={"news": ["a b"], "web": ["c d"]}, references=None)
    {'news': {'sources': ['a b'], 'references': None}, 'web': {'sources': ['c d'], 'references': None}}
    """
    by_name = [argument for argument, value in given.items() if isinstance(value, Mapping)]
    if not by_name:
        return {"": make(**given)}
    names, made = list(given[by_name[0]]), {}
    _expect(bool(names), by_name[0], "an empty dict", "at least one evaluation set")
    for argument, value in given.items():
        if argument in by_name:
            wanted = f"the sets of {by_name[0]}: {_joined(names)}"
            _expect(set(value) == set(names), argument, f"sets {_joined(value)}", wanted)
        else:
            is_shared = value is None or isinstance(value, str) or callable(value)  # by all sets
            _expect(is_shared, argument, type(value).__name__, f"a dict of the sets {_joined(names)}")
    for name in names:
        columns = {argument: value[name] if argument in by_name else value for argument, value in given.items()}
        try:
            made[str(name)] = make(**columns)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return made


def _is_indexed(dataset: Any) -> bool:
    return hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")


def _column(dataset: Any, name: str) -> list[Any] | None:
    """Return a column of a data set, one of `datasets` or any sequence of rows; None if it has none."""
    if not _is_indexed(dataset):
        return None
    if hasattr(dataset, "with_format"):  # one of `datasets`, whose format may hide columns
        return list(dataset.with_format(None)[name]) if name in dataset.column_names else None
    rows = [dataset[row] for row in range(len(dataset))]
    return [row[name] for row in rows] if all(isinstance(row, Mapping) and name in row for row in rows) else None


def _required(dataset: Any, name: str, argument: str) -> list[Any]:
    """Return a column of a data set that it must have."""
    _expect(dataset is not None, argument, f"{name!r}", "a column, or dataset= with a column of this name")
    _expect(_is_indexed(dataset), "dataset", type(dataset).__name__, "a data set with a length")
    column, columns = _column(dataset, name), getattr(dataset, "column_names", None) or next(iter(dataset), ())
    _expect(column is not None, argument, f"a data set with columns {_joined(columns)}", f"one with {name!r}")
    return column or []


def _check_best_metric(args: Any, sets: Collection[str]) -> None:
    """Refuse a `metric_for_best_model` that no set will have, before the Trainer fails after an epoch."""
    metric = str(args.metric_for_best_model).removeprefix("eval_")
    known = {f"{own}_{score}" if own else score: score for own in sets for score in SCORES}
    of_set = next((own for own in sets if own and metric.startswith(f"{own}_")), "")
    score = metric.removeprefix(f"{of_set}_")
    # Others may return any name, but hardly one that is nearly ours.
    is_ours = "sari" in score.lower() or bool(get_close_matches(score, SCORES, 1, 0.8))
    wanted = [name for name in known if known[name] == score.rpartition("_")[2]] or known
    _expect(
        not is_ours or metric in known,
        "metric_for_best_model",
        str(args.metric_for_best_model),
        _joined(wanted),
    )
    highest = "True: otherwise the model with the lowest score is kept"
    _expect(not is_ours or args.greater_is_better is not False, "greater_is_better", "False", highest)


def _is_chat(messages: Any) -> bool:
    listed = isinstance(messages, Sequence) and not isinstance(messages, str) and len(messages) > 0
    return listed and all(isinstance(message, Mapping) and "role" in message for message in messages)


def _expect(is_valid: bool, argument: str, got: Any, wanted: str) -> None:
    """Raise ValueError, in one line, unless an argument is valid."""
    if not is_valid:
        shortened = got if isinstance(got, str) else reprlib.repr(got)
        raise ValueError(one_line(f"{argument}: got {shortened}, expected {wanted}"))


def _joined(names: Any) -> str:
    return ", ".join(map(str, names))


# ---- What the Trainer passes on --------------------------------------------------------------------------------------


def _hide_prompts(labels: Any, ids: Any) -> bool:
    """Return whether labels have the shape of ids and begin with -100 in every row, as for decoder-only models."""
    return labels.shape == ids.shape and 0 not in ids.shape and bool((labels[:, 0] == PADDING).all())


def _first(arrays: Any) -> Any:
    """Return the first array with rows and columns: the outputs of a mixture of experts begin with its loss."""
    if not isinstance(arrays, tuple):
        return arrays
    return next((array for array in arrays if getattr(array, "ndim", 0) > 1), arrays[0])


def _as_array(value: Any) -> Any:
    """Return a numpy array of a tensor, of the first of several, or of "input_ids" in a dict."""
    value = _first(value["input_ids"] if isinstance(value, Mapping) else value)
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _active_loader() -> Any:
    """Return the data loader that the Trainer is reading."""
    return importlib.import_module("accelerate.state").GradientState().active_dataloader


def _processes() -> tuple[int, int]:
    """Return the number of this process, and how many work together."""
    distributed = importlib.import_module("torch.distributed")
    is_one = not (distributed.is_available() and distributed.is_initialized())
    return (0, 1) if is_one else (distributed.get_rank(), distributed.get_world_size())
