"""SARI in training: a `compute_metrics` function, a callback that generates, and a reward.

Nothing is imported from transformers, TRL or torch before a Trainer calls or a callback is made.
"""

import copy
import importlib
import os
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from tqdm.auto import tqdm

from .comparison import Prepared, candidate_scores
from .data_warnings import TrainingWarning, collect_warnings, give_warnings
from .validation import is_column, one_line, shown, validate_columns, validate_given, validate_shared
from .variants import SCORES, Variant, resolve_variant

#: The variant of the methods for training where none was chosen: "hf" prefers copies of the sources.
DEFAULT_TRAINING_VARIANT = "easse"
#: What the Trainer pads predictions, labels and inputs with.
PADDING = -100
#: A prompt: plain text, or the messages of a chat.
Prompt = str | list[dict[str, Any]]

_GENERATION = ("do_sample", "max_new_tokens", "max_length")
_NO_SOURCES = 'sources: got none and no inputs, wanted sources, or include_for_metrics=["inputs"] in the arguments'
_PROMPTS_IN_INPUTS = "sources: got none, wanted the raw ones: the inputs of a decoder-only model hold prompt and answer"
_UNHIDDEN = (
    "All labels begin with -100, but predictions have tokens there. Decoder-only: pass "
    "preprocess_logits_for_metrics=compute_metrics.preprocess_logits_for_metrics. Other models: pass causal=False."
)
_MAYBE_CAUSAL = (
    "Some labels do not begin with -100: the model is taken for an encoder-decoder. If it is decoder-only, set the "
    "labels of prompts to -100 and pass causal=True. If not, pass causal=False."
)


class _PickledByCall:
    """An object that is pickled as the call of the method that made it: see `state.pickled_call`."""

    call: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call


class _Row(NamedTuple):
    """An evaluated row: its texts, as far as they are needed, and the key of its label."""

    source: str
    prediction: str
    label: str
    key: bytes


class ComputeMetrics(_PickledByCall):
    """A function for `compute_metrics=` of `Trainer` and `Seq2SeqTrainer`. Made by `Sari.compute_metrics`."""

    def __init__(
        self,
        variant: Variant,
        *,
        tokenizer: Any,
        dataset: Any,
        sources: Any,
        references: Any,
        causal: bool | None,
        postprocess: Any,
    ):
        """Check and keep the arguments of `Sari.compute_metrics`."""
        _expect(causal is None or isinstance(causal, bool), "causal", causal, "True, False or None")
        _expect_function(postprocess)
        self._variant, self._postprocess = variant, postprocess
        #: As given, and as `check` settles it.
        self._given_causal = self._causal = causal
        self._decoder = _Decoder(tokenizer)
        columns = columns_by_set(dataset=dataset, sources=sources, references=references)
        self._sets = {name: _EvaluationSet(name, self._decoder, **column) for name, column in columns.items()}
        self._needs_inputs, self._needs_labels = sources is None, references is None
        self._batches: list[list[_Row]] = []
        #: The order in which sets with equal labels are evaluated, and the one that was evaluated last.
        self._turn, self._last = list(self._sets), ""
        self._warned: set[str] = set()
        self._categories: set[type[Warning]] = set()

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Return the four scores of an `EvalPrediction`, in percent; before the last batch nothing."""
        batches, self._batches = self._batches, []
        batches.append(self._read(evaluated))
        if not compute_result:
            self._batches = batches
            return {}
        rows = [row for batch in batches for row in batch]
        distributed = _distributed() is not None
        # Several processes repeat fewer rows than each of their batches has.
        spare = max(map(len, batches)) - 1 if distributed else 0
        name, located = self._located([row.key for row in rows], spare)
        self._last, known = name, self._sets[name]
        scored = sum(number >= 0 for number in located)
        if known.length is None and distributed:
            self._warn("Rows that several processes repeat may be scored twice: pass dataset=.")
        if known.length is not None and scored < known.length:
            of_set = f" of {name}" if name else ""
            self._warn(f"Only {scored} of {known.length} rows{of_set} were evaluated: the scores are theirs.")
        with collect_warnings() as found:
            scores = dict(known.score(self._variant, rows, located))
        _give_new(found, self._categories)
        return scores

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """Reduce logits to token ids; see the function of this name."""
        return _reduced(logits, labels, self._causal, self._warn)

    def check(self, trainer: Any) -> None:
        """Raise ValueError, in one line, for the first thing that will not work in this Trainer, before training.

        What an evaluation that was interrupted left behind is forgotten, and the first set has its turn.
        """
        self._batches, self._turn, self._last = [], list(self._sets), ""
        args, config = trainer.args, getattr(trainer.model, "config", None)
        generates = getattr(args, "predict_with_generate", False)
        decoder_only = config is not None and not config.is_encoder_decoder
        if generates and decoder_only:
            raise ValueError(
                "predict_with_generate: got True for a decoder-only model, wanted sari.generation_callback"
            )
        if self._needs_inputs and "inputs" not in args.include_for_metrics:
            raise ValueError(_NO_SOURCES)
        if self._needs_inputs and decoder_only:
            raise ValueError(_PROMPTS_IN_INPUTS)
        if self._needs_inputs and args.batch_eval_metrics and args.world_size > 1:
            raise ValueError("sources: got none, wanted the raw ones: batch_eval_metrics does not gather inputs")
        is_known = generates or config is None or self._given_causal in (None, decoder_only)
        _expect(is_known, "causal", self._given_causal, f"{decoder_only} or None")
        sets = columns_by_set(rows=trainer.eval_dataset)
        if len(self._sets) > 1 and isinstance(trainer.eval_dataset, Mapping):
            is_subset = set(sets).issubset(self._sets)
            _expect(
                is_subset, "eval_dataset", f"sets {_listed(sets)}", f"those of compute_metrics: {_listed(self._sets)}"
            )
            self._turn = list(sets)
        _check_best_metric(args, sets)
        for own in sets.values():
            # A set that is streamed has columns and no length.
            if hasattr(own["rows"], "__len__") and "labels" in (getattr(own["rows"], "column_names", None) or ()):
                self._check_labels(_column(own["rows"], "labels", "eval_dataset"), args, decoder_only)
        self._causal = decoder_only if self._given_causal is None and config is not None else self._given_causal

    def _check_labels(self, labels: list[Any], args: Any, decoder_only: bool) -> None:
        """Look for the rows of an evaluation set of the Trainer, as an evaluation will."""
        if decoder_only and any(len(label) and label[0] != PADDING for label in labels):
            raise ValueError("eval_dataset: got labels that hold prompts, wanted -100 in their place")
        if args.dataloader_drop_last:
            batch = args.eval_batch_size * args.world_size
            labels = labels[: len(labels) // batch * batch]
        name, _ = self._located(self._decoder.keys(labels, "eval_dataset labels"), spare=0)
        known = self._sets[name]
        if args.train_sampling_strategy != "group_by_length" or known.length is None:
            return
        if known.numbers is None:
            raise ValueError("dataset: got none, wanted the evaluation set, since group_by_length changes its order")
        if len(known.numbers) < known.length:
            self._warn("Rows with equal labels may be exchanged by group_by_length: evaluate without it.")

    def _read(self, evaluated: Any) -> list[_Row]:
        """Decode what the Trainer evaluated, as far as it is needed."""
        given, inputs = evaluated.label_ids, getattr(evaluated, "inputs", None)
        if isinstance(given, list):  # eval_do_concat_batches=False: batch by batch
            parts = zip(evaluated.predictions, given, inputs or [None] * len(given), strict=True)
            batches = (SimpleNamespace(predictions=one, label_ids=two, inputs=three) for one, two, three in parts)
            return [row for batch in batches for row in self._read(batch)]
        labels = _as_array(given)
        ids = {"predictions": self._predicted(evaluated.predictions, labels)}
        if self._needs_inputs:
            ids["inputs"] = inputs = _as_array(inputs)
            if inputs is None:
                raise ValueError(_NO_SOURCES)
            is_same = self._causal is None and _hide_prompts(labels) and inputs.shape == labels.shape
            if self._causal or (is_same and (inputs == labels)[labels != PADDING].all()):
                raise ValueError(_PROMPTS_IN_INPUTS)
        if self._needs_labels:
            ids["label_ids"] = labels
        for name, rows in ids.items():
            _expect(len(rows) == len(labels), name, f"{len(rows)} rows", f"{len(labels)}, as many as labels")
        texts = {name: self._decoder.texts(rows) for name, rows in ids.items()}
        texts["predictions"] = _postprocessed(texts["predictions"], self._postprocess)
        none = [""] * len(labels)
        columns = (texts.get(name, none) for name in ("inputs", "predictions", "label_ids"))
        return list(map(_Row, *columns, self._decoder.keys(labels, "label_ids")))

    def _predicted(self, predictions: Any, labels: np.ndarray) -> np.ndarray:
        """Return the predicted token ids."""
        ids = _as_array(_reduced(_on_cpu(predictions), labels, self._causal, self._warn))
        if ids.ndim != 2 or ids.dtype.kind not in "iu":
            got, wanted = f"{ids.dtype} of shape {ids.shape}", "token ids (row, token) or logits (row, token, id)"
            raise ValueError(f"predictions: got {got}, wanted {wanted}")
        is_unsure = self._causal is not False and _hide_prompts(labels) and ids.shape == labels.shape
        if is_unsure and (ids[labels == PADDING] != PADDING).any():
            wanted = "those of compute_metrics.preprocess_logits_for_metrics"
            _expect(not self._causal, "predictions", "token ids where labels are -100", wanted)
            self._warn(_UNHIDDEN)
        return ids

    def _located(self, keys: list[bytes], spare: int) -> tuple[str, list[int]]:
        """Return the name of the set that was evaluated, and for each row its number in it."""
        found, reasons = {}, []
        for name, known in self._sets.items():
            try:
                found[name] = known.locate(keys, spare)
            except ValueError as error:
                reasons.append(str(error))
        if not found:
            several = f"got rows of none of the sets {_listed(self._sets)}; " if len(self._sets) > 1 else ""
            raise ValueError(one_line(f"{several}{reasons[0]}"))
        whole = [name for name in found if self._sets[name].length in (None, len({*found[name]} - {-1}))]
        names = whole or list(found)
        if len(names) > 1:
            order = [*self._turn, *(name for name in self._sets if name not in self._turn)]
            names.sort(key=order.index)
            listed = _listed(names)
            self._warn(f"The labels of {listed} do not tell these sets apart: evaluate them in turn, in this order.")
            start = self._turn.index(self._last) + 1 if self._last in self._turn else 0
            turn = self._turn[start:] + self._turn[:start]
            names.sort(key=lambda name: turn.index(name) if name in turn else len(turn))
        return names[0], found[names[0]]

    def _warn(self, message: str) -> None:
        """Warn, once for each message."""
        if message not in self._warned:
            self._warned.add(message)
            _warn(message)


def _warn(message: str) -> None:
    give_warnings([TrainingWarning(message)])


def _give_new(found: Iterable[Warning], given: set[type[Warning]]) -> None:
    """Give the warnings whose categories were not given before, and remember these."""
    new = [warning for warning in found if type(warning) not in given]
    given.update(map(type, new))
    give_warnings(new)


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
    return _reduced(logits, labels, causal, _warn)


def _reduced(logits: Any, labels: Any, causal: bool | None, warn: Callable[[str], None]) -> Any:
    scores, labels = _first(logits), _first(labels)
    if scores.ndim != 3:
        return scores
    ids = scores.argmax(-1)
    if labels is None or labels.shape != ids.shape:
        return ids
    hidden = bool(_hide_prompts(labels))
    has_encoder = isinstance(logits, tuple) and sum(getattr(array, "ndim", 0) == 3 for array in logits) > 1
    if causal and not hidden:
        raise ValueError("label_ids: got labels that do not begin with -100, wanted -100 in place of every prompt")
    if causal is None and not has_encoder and not hidden:
        warn(_MAYBE_CAUSAL)
    if causal or (causal is None and hidden and not has_encoder):
        ids = ids[:, [0, *range(ids.shape[1] - 1)]]
    ids[labels == PADDING] = PADDING
    return ids


class _EvaluationSet:
    """The texts of an evaluation set, and with `dataset` the numbers of its rows by their labels."""

    def __init__(self, name: str, decoder: "_Decoder", *, dataset: Any, sources: Any, references: Any):
        """Check columns, which may be given by their names in the data set."""
        self._name, self._decoder = f"{name}: " if name else "", decoder
        given = {"sources": sources, "references": references}
        columns = {
            argument: _column(dataset, column, argument) if isinstance(column, str) else column
            for argument, column in given.items()
        }
        self.sources, self.references = _of_set(name, validate_given, **columns)
        self.numbers: dict[bytes, list[int]] | None = None
        lengths = {"sources": self.sources, "references": self.references}
        if dataset is not None:
            keys = decoder.keys(_column(dataset, "labels", "dataset"), f"{self._name}dataset labels")
            self.numbers, lengths = {}, {"dataset": keys, **lengths}
            for number, key in enumerate(keys):
                self.numbers.setdefault(key, []).append(number)
        known = {argument: len(column) for argument, column in lengths.items() if column is not None}
        self.length = next(iter(known.values()), None)
        for argument, length in known.items():
            if length != self.length:
                raise ValueError(f"{self._name}{argument}: got {length} rows, wanted {self.length}, those of dataset")
        self._prepared: Any = None

    def locate(self, keys: list[bytes], spare: int) -> list[int]:
        """Return the number of each evaluated row in this set, and -1 for up to `spare` rows that processes repeat."""
        if self.length is None:
            return list(range(len(keys)))
        if self.numbers is None:
            if self.length <= len(keys) <= self.length + spare:
                return [number if number < self.length else -1 for number in range(len(keys))]
            name = self._name + ("references" if self.sources is None else "sources")
            wanted = f"{len(keys)}, as many as were evaluated, or dataset= to score a subset"
            raise ValueError(f"{name}: got {self.length} rows, wanted {wanted}")
        left, located = {key: iter(numbers) for key, numbers in self.numbers.items()}, []
        for row, key in enumerate(keys):
            if key not in left:
                label = shown(self._decoder.texts(np.frombuffer(key, np.int64)[None])[0])
                raise ValueError(f"{self._name}label_ids[{row}]: got {label}, wanted the labels of a row of dataset")
            located.append(next(left[key], -1))
        again = located.count(-1)
        if again > spare:
            wanted = "each row once; after an evaluation that was interrupted, evaluate again"
            raise ValueError(
                f"{self._name}label_ids: got {again} rows more often than dataset has them, wanted {wanted}"
            )
        return located

    def score(self, variant: Variant, rows: list[_Row], located: list[int]) -> Any:
        """Return the scores of evaluated rows, in the order of the set."""
        order = sorted((number, row) for row, number in enumerate(located) if number >= 0)
        predictions = [rows[row].prediction for _, row in order]
        sources = [rows[row].source if self.sources is None else self.sources[number] for number, row in order]
        references = [
            [rows[row].label] if self.references is None else self.references[number] for number, row in order
        ]
        if None in (self.sources, self.references) or len(order) != self.length:
            return Prepared(sources, references, variant).compute(predictions)
        self._prepared = self._prepared or Prepared(sources, references, variant)  # counted once for all evaluations
        return self._prepared.compute(predictions)


class _Decoder:
    """A tokenizer that copes with the ids that the Trainer passes on."""

    def __init__(self, tokenizer: Any):
        is_one = callable(getattr(tokenizer, "batch_decode", None))
        _expect(is_one, "tokenizer", type(tokenizer).__name__, "a tokenizer of transformers")
        self.tokenizer = tokenizer
        #: The tokenizer itself, where a processor was given.
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

    def texts(self, ids: np.ndarray) -> list[str]:
        """Decode rows, without padding, unknown ids and special tokens."""
        known = (ids >= 0) & (ids < self._end)
        return self.decoded([row[mask].tolist() for row, mask in zip(ids, known, strict=True)])

    def keys(self, labels: Any, name: str) -> list[bytes]:
        """Return the token ids of labels, without padding at either end, as keys."""
        keys, padding = [], self.padding
        for row, label in enumerate(labels):
            ids = np.asarray(label, np.int64)
            places = np.flatnonzero((ids != PADDING) & (ids != padding))
            ids = ids[places[0] : places[-1] + 1] if len(places) else ids[:0]
            if (ids == PADDING).any():
                raise ValueError(f"{name}[{row}]: got -100 between tokens, wanted one answer, as a chat's last turn")
            keys.append(ids.tobytes())
        return keys

    def decoded(self, rows: list[list[int]]) -> list[str]:
        """Decode token ids."""
        return list(self.tokenizer.batch_decode(rows, skip_special_tokens=True)) if rows else []


@dataclass
class _GenerationSet:
    """The texts of an evaluation set; token ids of prompts and counts are added when they are first needed."""

    sources: list[str]
    references: list[list[str]]
    prompts: list[Prompt]
    ids: list[list[int]] = field(default_factory=list)
    prepared: Any = None


class GenerationCallback(_PickledByCall):
    """A `TrainerCallback` that generates and scores at every evaluation. Made by `Sari.generation_callback`."""

    def __init__(
        self,
        variant: Variant,
        *,
        tokenizer: Any,
        sources: Any,
        references: Any,
        prompts: Any,
        generation_kwargs: Any,
        chat_template_kwargs: Any,
        batch_size: int | None,
        postprocess: Any,
        trainer: Any,
    ):
        """Check and keep the arguments of `Sari.generation_callback`."""
        is_number = batch_size is None or (isinstance(batch_size, int) and batch_size > 0)
        _expect(is_number, "batch_size", batch_size, "a whole number of at least 1")
        is_dict = chat_template_kwargs is None or isinstance(chat_template_kwargs, Mapping)
        _expect(is_dict, "chat_template_kwargs", chat_template_kwargs, "a dict")
        template = dict(chat_template_kwargs or {})
        _expect("tokenize" not in template, "chat_template_kwargs", "tokenize", "none: the callback tokenizes")
        _expect_function(postprocess)
        self._decoder, self._variant, self.trainer = _Decoder(tokenizer), variant, trainer
        self._is_given = trainer is not None
        self._template = {"add_generation_prompt": not template.get("continue_final_message"), **template}
        self._generation = generation_arguments(generation_kwargs)
        self._batch_size, self._postprocess = batch_size, postprocess
        self._sets = {
            name: _of_set(name, self._checked_set, **columns)
            for name, columns in columns_by_set(sources=sources, references=references, prompts=prompts).items()
        }
        self._is_checked = False
        self._categories: set[type[Warning]] = set()

    def on_init_end(self, *_: Any, **__: Any) -> None:
        """Go before the Trainer's other callbacks, so that they see the scores."""
        self._join_trainer()

    def on_train_begin(self, args: Any, _state: Any, _control: Any, *, model: Any, **_: Any) -> None:
        """Check what evaluations will need, and generate for the longest prompt, before training."""
        self._join_trainer()
        self._check(args, model)
        if args.eval_strategy == "no":
            _warn('eval_strategy is "no": only trainer.evaluate() will generate.')
        longest = max((ids for texts in self._sets.values() for ids in texts.ids), key=len)
        _postprocessed(self._generated([longest], model, batch_size=1, quiet=True), self._postprocess)

    def on_evaluate(self, args: Any, _state: Any, _control: Any, *, model: Any, metrics: Any, **_: Any) -> None:
        """Generate, score, and add the scores to the metrics of this evaluation and to the log."""
        self._join_trainer()
        self._check(args, model)
        for name, texts in self._sets.items():
            prefix = f"eval_{name}" if name else "eval"
            if f"{prefix}_runtime" in metrics and f"{prefix}_samples_per_second" in metrics:
                logs = {f"{prefix}_{score}": value for score, value in self._scores(texts, args, model).items()}
                metrics.update(logs)
                if self.trainer is not None:
                    self.trainer.log(logs)

    def _checked_set(self, *, sources: Any, references: Any, prompts: Any) -> "_GenerationSet":
        sources, references = validate_shared(sources, references)
        if not sources:
            raise ValueError("sources: got no rows, wanted at least one")
        made = _prompts(prompts, sources, is_open=bool(self._template.get("continue_final_message")))
        return _GenerationSet(sources, references, made)

    def _join_trainer(self) -> None:
        """Find the Trainer, which events do not pass on and which may be another now, and become its first callback."""
        frame: Any = None if self._is_given else sys._getframe()
        while frame is not None:
            caller, frame = frame.f_locals.get("self"), frame.f_back
            callbacks = getattr(getattr(caller, "callback_handler", None), "callbacks", ())
            if any(callback is self for callback in callbacks):
                self._is_checked = self._is_checked and caller is self.trainer
                self.trainer = caller
                break
        callbacks = getattr(getattr(self.trainer, "callback_handler", None), "callbacks", [])
        if self in callbacks:
            callbacks.remove(self)
            callbacks.insert(0, self)

    def _check(self, args: Any, model: Any) -> None:
        """Check, once, what depends on the Trainer, its model and its tokenizer, and tokenize the prompts."""
        if self._is_checked:
            return
        known = getattr(self.trainer, "eval_dataset", None)
        names = list(map(str, known)) if isinstance(known, Mapping) else [""]
        if known is not None and not set(self._sets).issubset(names):
            got = "one set" if "" in self._sets else f"sets {_listed(self._sets)}"
            wanted = f"a dict of the Trainer's sets {_listed(names)}" if isinstance(known, Mapping) else "one set"
            raise ValueError(f"sources: got {got}, wanted {wanted}")
        _check_best_metric(args, self._sets)
        if isinstance(getattr(self.trainer, "compute_metrics", None), ComputeMetrics):
            _warn("compute_metrics and generation_callback both write eval_sari: use one of them.")
        model = getattr(model, "module", model)
        _expect(self._decoder.padding is not None, "tokenizer", "no pad_token and no eos_token", "one to pad with")
        if "eos_token_id" not in self._generation and model.generation_config.eos_token_id is None:
            message = "The model has no eos_token_id, so that all texts run on to max_new_tokens"
            _warn(f"{message}: give the tokenizer an eos_token.")
        for name, texts in self._sets.items():
            texts.ids = _of_set(name, self._tokenized, texts.prompts, model)
        self._is_checked = True

    def _tokenized(self, prompts: list[Prompt], model: Any) -> list[list[int]]:
        """Return the token ids of prompts, without the beginning of those that are too long for the model."""
        encodes = bool(model.config.is_encoder_decoder)
        rows = [self._ids(prompt, encodes) for prompt in prompts]
        positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        if positions is None:
            return rows
        config = self._generation.get("generation_config")
        new = 0 if encodes else self._generation.get("max_new_tokens", getattr(config, "max_new_tokens", None)) or 1
        room = positions - new
        _expect(room > 0, "generation_kwargs", f"max_new_tokens={new}", f"fewer than the model's {positions} positions")
        cut = sum(len(row) > room for row in rows)
        if cut:
            message = f"{cut} of {len(rows)} prompts lose their beginning: the model has room for {room} tokens before "
            _warn(f"{message}{new} new ones. Shorten the prompts, or max_new_tokens.")
        return [row[-room:] for row in rows]

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
            ids = ids[1:]  # of a prompt that begins with it already
        # After the end of a text a decoder-only model has nothing to say.
        return ids[:-1] if not encodes and len(ids) > 1 and ids[-1] == tokenizer.eos_token_id else ids

    def _scores(self, texts: "_GenerationSet", args: Any, model: Any) -> dict[str, float]:
        """Generate for the rows of this process, gather the texts of all, and return the scores of the set."""
        distributed = _distributed()
        rank, world = (distributed.get_rank(), distributed.get_world_size()) if distributed else (0, 1)
        # As many rows in every process: they wait for each other where a model is spread over them.
        own = [texts.ids[row % len(texts.ids)] for row in range(rank, -(-len(texts.ids) // world) * world, world)]
        size = self._batch_size or int(args.per_device_eval_batch_size)
        gathered: list[Any] = [self._generated(own, model, size, quiet=rank > 0 or bool(args.disable_tqdm))]
        if distributed:
            made, gathered = gathered[0], [None] * world
            distributed.all_gather_object(gathered, made)
        predictions = [gathered[row % world][row // world] for row in range(len(texts.ids))]
        texts.prepared = texts.prepared or Prepared(texts.sources, texts.references, self._variant)
        with collect_warnings() as found:
            scores = dict(texts.prepared.compute(_postprocessed(predictions, self._postprocess)))
        if rank == 0:
            _give_new(found, self._categories)
        return scores

    def _generated(self, rows: list[list[int]], model: Any, batch_size: int, quiet: bool) -> list[str]:
        """Return what the model generates for prompts; random numbers go on where they were."""
        torch, model = importlib.import_module("torch"), getattr(model, "module", model)
        devices, texts = [model.device] if model.device.type == "cuda" else [], []
        model.eval()  # which the Trainer ends itself
        with torch.no_grad(), torch.random.fork_rng(devices=devices):
            for begin in tqdm(range(0, len(rows), batch_size), desc="SARI: generating", leave=False, disable=quiet):
                texts += self._completed(rows[begin : begin + batch_size], model, torch)
        return texts

    def _completed(self, rows: list[list[int]], model: Any, torch: Any) -> list[str]:
        """Return what the model generates for a batch of prompts."""
        padding, arguments = self._decoder.padding, dict(self._generation)
        encodes, width = bool(model.config.is_encoder_decoder), max(map(len, rows))
        ids, mask = torch.full((len(rows), width), padding), torch.zeros((len(rows), width), dtype=torch.long)
        for number, row in enumerate(rows):  # a decoder-only model goes on where a prompt ends
            place = slice(0, len(row)) if encodes else slice(width - len(row), width)
            ids[number, place], mask[number, place] = torch.tensor(row, dtype=torch.long), 1
        if "generation_config" not in arguments:
            arguments.setdefault("pad_token_id", padding)
        elif arguments["generation_config"].pad_token_id is None:
            arguments["generation_config"].pad_token_id = padding
        made = model.generate(input_ids=ids.to(model.device), attention_mask=mask.to(model.device), **arguments)
        made = getattr(made, "sequences", made)  # with return_dict_in_generate=True
        got, wanted = f"{len(made)} texts for {len(rows)} prompts", "one each: num_return_sequences=1"
        _expect(len(made) == len(rows), "generation_kwargs", got, wanted)
        return [text.strip() for text in self._decoder.decoded((made if encodes else made[:, width:]).tolist())]


@cache
def callback_class() -> Any:
    """Return `GenerationCallback` as a `TrainerCallback`; transformers is imported when a callback is made."""
    base = importlib.import_module("transformers").TrainerCallback
    return type("GenerationCallback", (GenerationCallback, base), {"__doc__": GenerationCallback.__doc__})


def _prompts(prompts: Any, sources: list[str], is_open: bool) -> list[Prompt]:
    """Return a prompt for each source; a chat may end with the beginning of an answer where it is open."""
    if prompts is None:
        return list(sources)
    is_valid = callable(prompts) or is_column(prompts)
    _expect(is_valid, "prompts", prompts, "a list, or a function from a source to a prompt")
    made = list(map(prompts, sources)) if callable(prompts) else list(prompts)
    _expect(len(made) == len(sources), "prompts", f"{len(made)} rows", f"{len(sources)}, as many as sources")
    for row, prompt in enumerate(made):
        if not isinstance(prompt, str):
            _expect(_is_chat(prompt), f"prompts[{row}]", prompt, "a str or a list of messages")
            is_asked = is_open or prompt[-1]["role"] != "assistant"
            _expect(is_asked, f"prompts[{row}]", "a chat that ends with the answer", "the messages before it")
    return made


def generation_arguments(given: Any) -> dict[str, Any]:
    """Return arguments of `generate`: without sampling and at most 128 new tokens, unless they say otherwise.

    >>> generation_arguments({"num_beams": 2})
    {'num_beams': 2, 'do_sample': False, 'max_new_tokens': 128}
    """
    _expect(given is None or isinstance(given, Mapping), "generation_kwargs", given, "a dict of arguments of generate")
    arguments = dict(given or {})
    config = copy.deepcopy(arguments.pop("generation_config", None))
    chosen = {name: arguments.get(name, getattr(config, name, None)) for name in _GENERATION}
    if chosen["do_sample"] is None:
        arguments["do_sample"] = False
    if chosen["max_new_tokens"] is None and chosen["max_length"] is None:
        arguments["max_new_tokens"] = 128
    if config is None:
        return arguments
    return {**config.update(**arguments), "generation_config": config}  # beside which transformers wants no others


class Reward(_PickledByCall):
    """A function for `reward_funcs=` of TRL's `GRPOTrainer`. Made by `Sari.reward`."""

    def __init__(self, variant: Variant, *, source: str, references: str, unit: bool, postprocess: Any):
        """Check and keep the arguments of `Sari.reward`."""
        for argument, column in {"source": source, "references": references}.items():
            _expect(isinstance(column, str), argument, column, "the name of a column")
        _expect(isinstance(unit, bool), "unit", unit, "True or False")
        self._variant, self._columns, self._divisor = variant, (source, references), 100 if unit else 1
        _expect_function(postprocess)
        self._postprocess = postprocess
        # The name tells rewards apart: the variant, and what differs from its defaults.
        usual = {**resolve_variant(variant.name).options, "source": "source", "references": "references"}
        chosen = {**variant.options, "source": source, "references": references}
        names = {name: value for name, value in chosen.items() if value != usual[name]}
        named = [f"{name}-{getattr(value, '__name__', value)}" for name, value in names.items()]
        self.__name__ = "_".join(["sari", variant.name, *named])

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the SARI of each completion, plain or chat, scored alone; None for rows without references."""
        for name in self._columns:
            _expect(columns.get(name) is not None, name, f"columns {_listed(columns)}", f"also {name!r}")
        sources, references = (list(columns[name]) for name in self._columns)
        texts = [_completion(f"completions[{row}]", completion) for row, completion in enumerate(completions)]
        texts = _postprocessed(texts, self._postprocess, "completions")
        left_out = {row for row, own in enumerate(references) if own is None or (is_column(own) and not len(own))}
        # Rows without references keep their places until all are checked, so that errors name the right row.
        sources = ["" if row in left_out else source for row, source in enumerate(sources)]
        references = [[""] if row in left_out else own for row, own in enumerate(references)]
        references = [[own] if isinstance(own, str) else own for own in references]
        checked = _of_set("", validate_columns, sources, texts, references)
        rows = [row for row in range(len(texts)) if row not in left_out]
        sources, texts, references = ([column[row] for row in rows] for column in checked)
        scores = candidate_scores(sources, [[text] for text in texts], references, self._variant)
        rewards: list[float | None] = [None] * len(completions)
        for row, (score,) in zip(rows, scores, strict=True):
            rewards[row] = score / self._divisor
        return rewards


def _completion(name: str, completion: Any) -> str:
    """Return the text of a completion: the last message of a chat, whose content may be parts."""
    if not isinstance(completion, str):
        _expect(_is_chat(completion), name, completion, "a str or a list of messages")
        content = completion[-1].get("content") or ""  # None in a call of a tool
        parts = [{"text": content}] if isinstance(content, str) or not is_column(content) else content
        texts = [part.get("text", "") if isinstance(part, Mapping) else None for part in parts]
        is_text = all(isinstance(text, str) for text in texts)
        _expect(is_text, name, content, "a message with a str or a list of parts with text")
        completion = "".join(map(str, texts))
    return str(completion).strip()


def columns_by_set(**given: Any) -> dict[str, dict[str, Any]]:
    """Return the columns of each evaluation set by the set's name, which is "" for a single one.

    >>> columns_by_set(sources={"news": ["a b"], "web": ["c d"]}, references=None)
    {'news': {'sources': ['a b'], 'references': None}, 'web': {'sources': ['c d'], 'references': None}}
    """
    first = next((argument for argument, value in given.items() if isinstance(value, Mapping)), None)
    if first is None:
        return {"": given}
    names = list(given[first])
    _expect(bool(names), first, "an empty dict", "at least one evaluation set")
    for argument, value in given.items():
        if isinstance(value, Mapping):
            same = set(value) == set(names)
            _expect(same, argument, f"sets {_listed(value)}", f"the sets of {first}: {_listed(names)}")
        else:
            is_shared = value is None or isinstance(value, str) or callable(value)  # and so the same for all sets
            _expect(is_shared, argument, type(value).__name__, f"a dict of the sets {_listed(names)}")
    return {
        str(name): {key: own[name] if isinstance(own, Mapping) else own for key, own in given.items()} for name in names
    }


def _column(dataset: Any, name: str, argument: str) -> list[Any]:
    """Return a column of a data set: one of `datasets`, or any sequence of rows."""
    _expect(dataset is not None, argument, f"{name!r}", "a column, or dataset= with a column of this name")
    is_one = hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")
    _expect(is_one, "dataset", type(dataset).__name__, "a data set with a length")
    names = getattr(dataset, "column_names", None) or (list(dataset[0]) if len(dataset) else [name])
    if name not in names:
        raise ValueError(
            one_line(f"{argument}: wanted a data set with {name!r}, got one with columns {_listed(names)}")
        )
    if hasattr(dataset, "with_format"):  # one of `datasets`, whose format may hide columns
        return list(dataset.with_format(None)[name])
    return [dataset[row][name] for row in range(len(dataset))]


def _postprocessed(texts: list[str], postprocess: Any, name: str = "predictions") -> list[str]:
    """Return what a user's function makes of texts."""
    if postprocess is None:
        return texts
    made = []
    for row, text in enumerate(texts):
        try:
            made.append(postprocess(text))
        except Exception as error:
            raise ValueError(one_line(f"postprocess: got {shown(error)} for {name}[{row}], wanted a str")) from error
        _expect(isinstance(made[row], str), "postprocess", f"{type(made[row]).__name__} for {name}[{row}]", "a str")
    return made


def _check_best_metric(args: Any, sets: Mapping[str, Any]) -> None:
    """Refuse a score as `metric_for_best_model` that no set will have: the Trainer would fail after an epoch."""
    metric = str(args.metric_for_best_model)
    score = metric.rpartition("_")[2]
    names = [f"{name}_{score}" if name else score for name in sets]
    # Others can have metrics whose names end in "_keep", but not in "_sari".
    is_ours = score == "sari" or metric.removeprefix("eval_") in SCORES
    is_there = not is_ours or metric.removeprefix("eval_") in names
    _expect(is_there, "metric_for_best_model", metric, f"one of {_listed(names)}" if "" not in sets else score)


def _is_chat(messages: Any) -> bool:
    listed = isinstance(messages, Sequence) and not isinstance(messages, str) and len(messages) > 0
    return listed and all(isinstance(message, Mapping) and "role" in message for message in messages)


def _expect(is_valid: bool, argument: str, got: Any, wanted: str) -> None:
    """Raise ValueError, in one line, unless an argument is valid."""
    if not is_valid:
        shortened = got if isinstance(got, str) else reprlib.repr(got)
        raise ValueError(one_line(f"{argument}: got {shortened}, wanted {wanted}"))


def _expect_function(postprocess: Any) -> None:
    is_one = postprocess is None or callable(postprocess)
    _expect(is_one, "postprocess", postprocess, "a function from text to text")


def _of_set(name: str, check: Any, *arguments: Any, **columns: Any) -> Any:
    """Call a function for an evaluation set, whose name its errors begin with."""
    try:
        return check(*arguments, **columns)
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from None


def _listed(names: Any) -> str:
    return ", ".join(map(str, names))


def _hide_prompts(labels: Any) -> bool:
    """Tell whether labels begin with -100 in every row."""
    return bool(len(labels) and labels.shape[1] and (labels[:, 0] == PADDING).all())


def _first(arrays: Any) -> Any:
    """Return the first of several arrays that has rows and columns: a mixture of experts has its loss before."""
    if not isinstance(arrays, tuple):
        return arrays
    return next((array for array in arrays if getattr(array, "ndim", 0) > 1), arrays[0])


def _on_cpu(arrays: Any) -> Any:
    """Return what may be tensors, several of them, or the inputs of a model by name, as numpy arrays."""
    if isinstance(arrays, Mapping):
        arrays = arrays["input_ids"]
    if isinstance(arrays, tuple):
        return tuple(map(_on_cpu, arrays))
    if hasattr(arrays, "detach"):
        arrays = arrays.detach().cpu()
        arrays = arrays.float() if arrays.is_floating_point() else arrays  # numpy has no bfloat16
    return None if arrays is None else np.asarray(arrays)


def _as_array(arrays: Any) -> Any:
    return _first(_on_cpu(arrays))


def _distributed() -> Any:
    """Return `torch.distributed` where several processes work together, or None."""
    if int(os.environ.get("WORLD_SIZE") or 1) == 1:
        return None
    distributed = importlib.import_module("torch.distributed")
    return distributed if distributed.is_available() and distributed.is_initialized() else None
