"""SARI in training: a function for `compute_metrics=`, texts attached to a Trainer, and a reward.

Nothing of transformers or torch is imported before texts are attached to a Trainer.
"""

import copy
import functools
import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from .comparison import Prepared, candidate_scores
from .corpus_statistics import MadeByScorer
from .data_warnings import TrainingWarning, collect_warnings, give_warnings
from .validation import (
    check_flags,
    check_whole_number,
    expect,
    fault,
    is_column,
    shown,
    validate_columns,
    validate_references,
    validate_shared,
    validate_texts,
)
from .variants import SCORES

#: What the Trainer pads labels and predictions with.
PADDING = -100
#: From a text of a model to the text that is scored; None for the same text.
Postprocess = Callable[[str], str] | None


# ---- The function ----------------------------------------------------------------------------------------------------


class ComputeMetrics(MadeByScorer):
    """A function for `compute_metrics=` of a Trainer that generates. Made by `Scorer.compute_metrics`.

    A row is known by its label ids or, where rows with other texts have these too, by its label and input ids, both
    without padding.
    """

    def __init__(
        self, scorer: Any, tokenizer: Any, dataset: Any, sources: str, references: str, postprocess: Postprocess
    ):
        self.scorer, self._tokenizer, self._postprocess = scorer, tokenizer, postprocess
        self._arguments = {
            "tokenizer": tokenizer,
            "dataset": dataset,
            "sources": sources,
            "references": references,
            "postprocess": postprocess,
        }
        sets = _data_sets(dataset)
        #: The source and the references of labels, and of labels with inputs; None where rows have others, too.
        self._texts: dict[Any, Any] = {}
        #: How many rows of a set have these ids.
        self._counts: Counter[Any] = Counter()
        for name, rows in sets.items():
            self._counts |= Counter(self._read(name, *_columns(name, rows, "labels", sources, references)))
        #: Counts sources and references, and keeps the counts for the next evaluation of the same rows.
        self._prepared = functools.lru_cache(maxsize=len(sets))(self._prepare)
        given = [own[1] for own in self._texts.values() if own is not None]
        give_warnings(_tokenizer_warnings(tokenizer, given, postprocess))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._as_call("compute_metrics", **self._arguments)

    def _read(self, name: str, labels: Any, sources: Any, references: Any, inputs: Any) -> Iterator[Any]:
        """Keep the texts of a data set, and yield what its rows are known by."""
        texts = zip(validate_texts("sources", sources), map(tuple, validate_references(references)), strict=True)
        end = _vocabulary_end(self._tokenizer)
        for row, (own, label, given) in enumerate(zip(texts, labels, inputs, strict=True)):
            largest = max(label, default=0)
            expect(
                largest < end,
                "tokenizer",
                f"{end} tokens, and label ids up to {largest} in {name}[{row}]",
                "the one that made the labels",
            )
            keys = self._keys(label, given)
            for key in keys:
                self._texts[key] = own if self._texts.setdefault(key, own) == own else None
            expect(
                self._texts[keys[1]] is not None,
                f"{name}[{row}]",
                "the labels and input_ids of another row, with other texts",
                "other labels",
            )
            yield from keys

    def _keys(self, labels: Any, inputs: Any) -> tuple[bytes, tuple[bytes, bytes]]:
        """Return what a row may be known by: its labels, or its labels and inputs."""
        padding = _text_tokenizer(self._tokenizer).pad_token_id
        both = (np.asarray(ids, np.int64) for ids in (labels, inputs))
        own, given = (ids[(ids != PADDING) & (ids != padding)].tobytes() for ids in both)
        return own, (own, given)

    def __call__(self, evaluated: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Return "sari", "keep", "delete" and "add" of an `EvalPrediction`, in percent.

        Raises:
            ValueError: for logits, for rows that are not of the data set, and for batches.
        """
        predictions, labels, inputs = evaluated.predictions, evaluated.label_ids, getattr(evaluated, "inputs", None)
        expect(compute_result is None, "batch_eval_metrics", "True", "False, which is the default")
        expect(not isinstance(labels, list), "eval_do_concat_batches", "False", "True, which is the default")
        shape: tuple[int, ...] = getattr(predictions, "shape", ())
        are_ids = len(shape) == 2 and len(labels) == shape[0] and predictions.dtype.kind in "iu"
        expect(
            are_ids,
            "predictions",
            f"{type(predictions).__name__} of shape {shape}",
            f"token ids of {len(labels)} rows: predict_with_generate=True, or sari.attach",
        )

        keys = [self._known(row, labels, inputs) for row in range(len(labels))]
        rows_of: dict[Any, list[int]] = {}
        for row, key in enumerate(keys):
            rows_of.setdefault(key, []).append(row)
        # Several processes repeat rows to fill their last batch.
        kept = sorted(row for key, rows in rows_of.items() for row in rows[: self._counts[key]])
        prepared = self._prepared(tuple(self._texts[keys[row]] for row in kept))
        scores: Any = prepared.compute(_postprocessed(_decoded(self._tokenizer, predictions[kept]), self._postprocess))
        return dict(scores)

    def _known(self, row: int, labels: Any, inputs: Any) -> Any:
        """Return by what the texts of an evaluated row are known."""
        keys = self._keys(labels[row], () if inputs is None else inputs[row])
        for key in keys:
            if self._texts.get(key) is not None:
                return key
        wanted = (
            'include_for_metrics=["inputs"] in the training arguments: several rows have these labels'
            if inputs is None and keys[0] in self._texts
            else "those of a row of dataset: the set that the Trainer gets"
        )
        raise ValueError(fault(f"label_ids[{row}]", shown(_decoded(self._tokenizer, labels[[row]])[0]), wanted))

    def _prepare(self, texts: Any) -> Prepared:
        return Prepared(self.scorer, [source for source, _ in texts], [list(references) for _, references in texts])


def _data_sets(dataset: Any) -> dict[str, Any]:
    """Return one data set, or several in a dict or a list, by what errors call them."""
    is_list = isinstance(dataset, list) and not all(isinstance(row, Mapping) for row in dataset)
    sets = dataset if isinstance(dataset, Mapping) else dict(enumerate(dataset)) if is_list else None
    return {"dataset": dataset} if sets is None else {f"dataset[{name!r}]": rows for name, rows in sets.items()}


def _columns(name: str, dataset: Any, *columns: str) -> list[list[Any]]:
    """Return columns of a data set, and its "input_ids", if it has any; it may also be one of torch, or a list."""
    if hasattr(dataset, "with_format"):
        dataset = dataset.with_format(None)  # A format may hide columns.
    expect(
        hasattr(dataset, "__getitem__") or hasattr(dataset, "__iter__"), name, dataset, "a data set, or several of them"
    )
    rows = list(dataset if hasattr(dataset, "__iter__") else map(dataset.__getitem__, range(len(dataset))))
    for row in rows:
        expect(
            isinstance(row, Mapping) and all(column in list(row) for column in columns),
            name,
            f"a row with {shown(list(row))}",
            f"columns {shown(columns)}",
        )
    return [*([row[column] for row in rows] for column in columns), [row.get("input_ids", ()) for row in rows]]


# ---- Texts attached to a Trainer -------------------------------------------------------------------------------------


def attach(scorer: Any, trainer: Any, *, evaluation_set: str | None, **given: Any) -> None:
    """Add the scores of attached texts to the metrics of each evaluation; see `Scorer.attach`.

    The Trainer logs, returns and compares what its `evaluation_loop` returns; so this method is wrapped.
    """
    _prefix(trainer, evaluation_set)
    texts, loop = AttachedTexts(scorer, trainer, **given), trainer.evaluation_loop

    @functools.wraps(loop)
    def evaluation_loop(*arguments: Any, metric_key_prefix: str = "eval", **options: Any) -> Any:
        is_scored = metric_key_prefix == _prefix(trainer, evaluation_set)
        output = loop(*arguments, metric_key_prefix=metric_key_prefix, **options)
        if is_scored:
            names = [f"{metric_key_prefix}_{score}" for score in SCORES]
            known = ", ".join(name for name in names if name in output.metrics)
            expect(not known, "metrics", f"{known} already", "one sari.attach, or a compute_metrics with other names")
            output.metrics.update(zip(names, texts.scores(), strict=True))
        return output

    trainer.evaluation_loop = evaluation_loop


def _prefix(trainer: Any, evaluation_set: str | None) -> str:
    """Return the prefix of the metrics of the evaluations that are scored."""
    names = list(trainer.eval_dataset) if isinstance(trainer.eval_dataset, Mapping) else [None]
    expect(evaluation_set in names, "evaluation_set", evaluation_set, f"a set of the Trainer: {shown(names)}")
    return "eval" if evaluation_set is None else f"eval_{evaluation_set}"


class AttachedTexts:
    """Texts for which the model of a Trainer generates. The arguments are those of `Scorer.attach`."""

    def __init__(
        self,
        scorer: Any,
        trainer: Any,
        *,
        sources: Any,
        references: Any,
        prompts: Any,
        generation_kwargs: Mapping[str, Any] | None,
        chat_template_kwargs: Mapping[str, Any] | None,
        batch_size: int | None,
        postprocess: Postprocess,
    ):
        self._trainer, self._postprocess = trainer, postprocess
        self._tokenizer = _text_tokenizer(trainer.processing_class)
        self._prepared = Prepared(scorer, *validate_shared(sources, references))
        expect(bool(self._prepared.sources), "sources", "no rows", "at least one")
        size = trainer.args.per_device_eval_batch_size if batch_size is None else batch_size
        self._batch_size = check_whole_number("batch_size", size, least=1)
        self._config, self._arguments = _generation_config(**(generation_kwargs or {}))
        padding = self._tokenizer.pad_token_id
        self._padding = self._tokenizer.eos_token_id if padding is None else padding
        expect(self._padding is not None, "processing_class", "no pad_token and no eos_token", "one to pad with")
        self._config.update(pad_token_id=self._padding, defaults_only=True)
        #: Whether an encoder reads the prompts, or the model continues them.
        self._encodes = bool(trainer.model.config.is_encoder_decoder)
        #: The texts of the warnings that were given.
        self._warned: set[str] = set()
        self._warn(_tokenizer_warnings(self._tokenizer, self._prepared.references, postprocess))
        is_open = bool((chat_template_kwargs or {}).get("continue_final_message"))
        template = {"add_generation_prompt": not is_open, **(chat_template_kwargs or {})}
        asked = _prompts(prompts, self._prepared.sources, is_open=is_open)
        self._ids = self._fitting([self._prompt_ids(prompt, template) for prompt in asked])

    def _warn(self, found: Iterable[Warning]) -> None:
        """Give each warning once, on the first process."""
        new = [warning for warning in found if str(warning) not in self._warned]
        self._warned.update(map(str, new))
        give_warnings(new if self._trainer.is_world_process_zero() else [])

    def _prompt_ids(self, prompt: Any, template: Mapping[str, Any]) -> list[int]:
        """Return the token ids of a text, or of the messages of a chat."""
        if not isinstance(prompt, str):
            text = self._trainer.processing_class.apply_chat_template(prompt, tokenize=False, **template)
            return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        ids = list(self._tokenizer(prompt)["input_ids"])
        if len(ids) > 1 and ids[0] == ids[1] == self._tokenizer.bos_token_id:
            ids = ids[1:]  # The prompt begins with this token already.
        is_ended = not self._encodes and len(ids) > 1 and ids[-1] == self._tokenizer.eos_token_id
        return ids[:-1] if is_ended else ids

    def _fitting(self, rows: list[list[int]]) -> list[list[int]]:
        """Return the token ids of prompts, without the beginning of those that are too long for the model."""
        config, new = self._trainer.model.config.get_text_config(), self._config.max_new_tokens or 1
        both = getattr(config, "max_position_embeddings", None)
        read, written = (getattr(config, f"max_{side}_position_embeddings", both) for side in ("encoder", "decoder"))
        expect(
            written is None or new < written,
            "generation_kwargs",
            f"max_new_tokens={new}",
            f"fewer than the model's {written} positions",
        )
        most = max(map(len, rows)) if read is None else read if self._encodes else read - new
        cut = sum(len(row) > most for row in rows)
        if cut:
            detail = f"{cut} of {len(rows)} have more than {most} tokens"
            self._warn([TrainingWarning("some prompts are too long for the model and lose their beginning", detail)])
        return [row[-most:] for row in rows]

    def scores(self) -> list[float]:
        """Generate, each process for its share of the texts, and return the scores in percent, as in `SCORES`."""
        processes, number = self._trainer.accelerator.num_processes, self._trainer.accelerator.process_index
        # The shares are equal: processes wait for each other if the model is spread over them.
        share = -(-len(self._ids) // processes)
        own = [self._ids[row % len(self._ids)] for row in range(number * share, (number + 1) * share)]
        texts = importlib.import_module("accelerate.utils").gather_object(self._generated(own))[: len(self._ids)]
        with collect_warnings() as found:
            scores = self._prepared.compute(_postprocessed(texts, self._postprocess))
        self._warn(found)
        return [scores[score] for score in SCORES]

    def _generated(self, rows: list[list[int]]) -> list[str]:
        """Return what the model generates for prompts; random numbers go on where they were."""
        torch, model, size = importlib.import_module("torch"), self._trainer.model, self._batch_size
        devices, texts = [model.device] if model.device.type == "cuda" else [], []
        is_quiet = self._trainer.args.disable_tqdm or not self._trainer.is_world_process_zero()
        with torch.random.fork_rng(devices=devices):
            for begin in tqdm(range(0, len(rows), size), desc="SARI: generating", leave=False, disable=is_quiet):
                inputs = self._padded(rows[begin : begin + size], torch)
                made = model.generate(**inputs, generation_config=self._config, **self._arguments)
                made = getattr(made, "sequences", made)  # with return_dict_in_generate=True
                prompts = len(inputs["input_ids"])
                expect(
                    len(made) == prompts, "generation_kwargs", f"{len(made)} texts for {prompts} prompts", "one each"
                )
                answers = made if self._encodes else made[:, inputs["input_ids"].shape[1] :]
                texts += [text.strip() for text in _decoded(self._tokenizer, answers)]
        return texts

    def _padded(self, rows: list[list[int]], torch: Any) -> dict[str, Any]:
        """Return a batch of prompts as tensors; where the model continues them, they are padded on the left."""
        ids = [torch.tensor(row, dtype=torch.long) for row in rows]
        columns = {"input_ids": (ids, self._padding), "attention_mask": (list(map(torch.ones_like, ids)), 0)}
        side, pad = "right" if self._encodes else "left", torch.nn.utils.rnn.pad_sequence
        padded = {name: pad(column, True, value, side) for name, (column, value) in columns.items()}
        return {name: tensor.to(self._trainer.model.device) for name, tensor in padded.items()}


def _prompts(prompts: Any, sources: list[str], *, is_open: bool) -> list[Any]:
    """Return a prompt for each source; with `is_open`, a chat may end with the beginning of an answer."""
    made = sources if prompts is None else list(map(prompts, sources)) if callable(prompts) else prompts
    expect(is_column(made), "prompts", prompts, "a list, or a function from a source to a prompt")
    made = list(made)
    expect(len(made) == len(sources), "prompts", f"{len(made)} rows", f"{len(sources)} (as in sources)")
    for row, prompt in enumerate(made):
        expect(isinstance(prompt, str) or _is_chat(prompt), f"prompts[{row}]", prompt, "a str or a list of messages")
        is_answered = not isinstance(prompt, str) and prompt[-1]["role"] == "assistant"
        expect(is_open or not is_answered, f"prompts[{row}]", "a chat that ends with its answer", "what is before it")
    return made


def _generation_config(*, generation_config: Any = None, **arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Return a `GenerationConfig` of arguments of `generate`, and the arguments that are no part of it.

    Unless they say otherwise, nothing is sampled, and there are at most 128 new tokens.
    """
    config = copy.deepcopy(generation_config) or importlib.import_module("transformers").GenerationConfig()
    others = config.update(**arguments)
    config.update(do_sample=False, defaults_only=True)
    if config.max_length is None:
        config.update(max_new_tokens=128, defaults_only=True)
    return config, others


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
        there = [name for name, column in columns.items() if column is not None]
        for name in self._columns.values():
            expect(name in there, "reward", f"columns {', '.join(there)}", f"also {name!r}")
            rows = len(columns[name])
            expect(rows == len(completions), name, f"{rows} rows", f"{len(completions)} (as in completions)")
        sources, references = (list(columns[name]) for name in self._columns.values())
        texts = [_completion(f"completions[{row}]", completion) for row, completion in enumerate(completions)]
        # Lists may be filled up with None to one length; a list without a text counts as no references.
        lists = [[row] if isinstance(row, str) else row for row in references]
        references = [[text for text in row if text is not None] or None if is_column(row) else row for row in lists]
        unscored = {row for row, pair in enumerate(zip(sources, references, strict=True)) if None in pair}
        for row in unscored:  # Dummy texts keep row numbers aligned.
            sources[row], references[row] = "", [""]
        sources, texts, references = validate_columns(sources, _postprocessed(texts, self._postprocess), references)
        scores = candidate_scores(sources, [[text] for text in texts], references, self.scorer.variant)
        return [None if row in unscored else score / (100 if self._unit else 1) for row, (score,) in enumerate(scores)]


def _completion(name: str, completion: Any) -> str:
    """Return the text of a completion: the last message of a chat, whose content may be parts."""
    if isinstance(completion, str):
        return completion.strip()
    expect(_is_chat(completion), name, completion, "a str or a list of messages")
    content = completion[-1].get("content") or ""  # A call of a tool has None.
    parts = [{"text": content}] if isinstance(content, str) else content
    texts: list[Any] = (
        [isinstance(part, Mapping) and part.get("text") for part in parts] if is_column(parts) else [None]
    )
    expect(all(isinstance(text, str) for text in texts), name, content, "a str or a list of parts with text")
    return "".join(texts).strip()


# ---- Arguments and texts of all three --------------------------------------------------------------------------------


def _is_chat(messages: Any) -> bool:
    return (
        is_column(messages)
        and len(messages) > 0
        and all(isinstance(message, Mapping) and "role" in message for message in messages)
    )


def _text_tokenizer(processor: Any) -> Any:
    """Return the tokenizer of a processor, or the tokenizer itself."""
    tokenizer = getattr(processor, "tokenizer", processor)
    expect(hasattr(tokenizer, "batch_decode"), "tokenizer", type(processor).__name__, "a tokenizer of transformers")
    return tokenizer


def _vocabulary_end(tokenizer: Any) -> int:
    """Return one more than the largest token id; models may have more outputs than there are tokens."""
    return 1 + int(max(_text_tokenizer(tokenizer).get_vocab().values()))


def _decoded(tokenizer: Any, rows: Any) -> list[str]:
    """Return the texts of token ids, int[row, token], without padding, unknown ids and special tokens."""
    end = _vocabulary_end(tokenizer)
    known = [[token for token in row if 0 <= token < end] for row in rows.tolist()]
    return list(_text_tokenizer(tokenizer).batch_decode(known, skip_special_tokens=True))


def _postprocessed(texts: list[str], postprocess: Postprocess) -> list[str]:
    return texts if postprocess is None else validate_texts("postprocess", list(map(postprocess, texts)))


def _tokenizer_warnings(tokenizer: Any, references: Any, postprocess: Postprocess) -> Iterator[Warning]:
    """Yield a warning if a tokenizer changes most texts, in more than case and spaces at the ends."""
    tokenizer, texts = _text_tokenizer(tokenizer), [row[0] for row in references[:20]]
    decoded = tokenizer.batch_decode(tokenizer(text_target=texts)["input_ids"], skip_special_tokens=True)
    changed = [
        (text, new)
        for text, *others, new in zip(texts, _postprocessed(decoded, postprocess), decoded, strict=True)
        if text.casefold().split() not in [other.casefold().split() for other in (*others, new)]
    ]
    if 2 * len(changed) > len(texts):
        detail = " becomes ".join(map(shown, changed[0]))
        yield TrainingWarning("the tokenizer changes texts: correct them with postprocess", detail)
