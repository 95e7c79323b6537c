"""Texts attached to a Trainer: at each evaluation its model generates for them, and SARI is among the metrics.

- Nothing is sampled and there are at most 128 new tokens, unless arguments say otherwise; all else is as the model's
  own configuration says. Without sampling, a text is the one that `model.generate` returns for its prompt alone, if
  padding does not change what the model generates; docs/training.md names what it changes.
- The scores are among the metrics of the evaluation, which the Trainer logs, returns and compares. They are about these
  texts and no others, whatever is evaluated.
- A copy of the Trainer evaluates its own model. The Trainer cannot be pickled, as most that have trained cannot.

What would be scored wrongly is refused in a line that names the remedy; what transformers refuses, it refuses itself.
`attach` is a method of `Scorer`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .aggregation import Scores
from .data_warnings import TrainingWarning, give_warnings
from .generated_texts import CHAT, Postprocess, TextTokenizer, check_postprocess, is_chat, score_texts, token_ids
from .messages import RefusedTypeError, RefusedValueError, count_of, fault, short_repr
from .text_checks import variant_warnings
from .validation import check_whole_number, is_column, validate_shared
from .variants import SCORES, Variant

#: Arguments of `generate` that are refused, and what to give instead.
_REFUSED_ARGUMENTS = {
    "generation_config": "its values by name",
    # These lengths count the padding of prompts.
    "max_length": "max_new_tokens",
    "min_length": "min_new_tokens",
    "num_return_sequences": "none, since there is one text for each prompt",
    "return_dict_in_generate": "none, since texts alone are scored",
}


def attach(
    scorer: Any,
    trainer: Any,
    *,
    sources: Any,
    references: Any,
    prompts: Any = None,
    generation_kwargs: Mapping[str, Any] | None = None,
    chat_template_kwargs: Mapping[str, Any] | None = None,
    batch_size: int | None = None,
    postprocess: Callable[[str], str] | None = None,
    evaluation_set: str | None = None,
) -> None:
    """Let the model of a Trainer of transformers or TRL generate for these texts at each evaluation, and score it.

    `eval_sari`, `eval_keep`, `eval_delete` and `eval_add`, in percent, are then among the metrics: logged, returned and
    compared. They are of these texts, whatever rows the Trainer evaluates or predicts with the `metric_key_prefix`
    "eval". `predict` has another one by default, with which nothing is generated. Losses, parameters and random
    numbers, those of the CPU and of the model's GPU, stay as they would be without `attach`. A warning says if many
    outputs are cut before their end.

    The model also generates for a batch of the longest prompt at this call, as many tokens as it may, so that what
    `generate` refuses is refused before training. It does not with FSDP and DeepSpeed, which place the model when
    training begins.

    Args:
        trainer: any `Trainer` whose model generates. Its `processing_class` tokenizes, and needs a `pad_token`.
        sources: the sources.
        references: the references, a list per source or a single text.
        prompts: for each source a text, the messages of a chat without the answer, or token ids; or a function from a
            source to its prompt. None for the sources themselves, if the model has an encoder. The tokenizer adds its
            special tokens to a text, but no second beginning, and no end where the model continues the text.
        generation_kwargs: arguments of the model's `generate`. Unless they say otherwise, nothing is sampled, and there
            are at most 128 new tokens; all else is as the model's own configuration has it, but for one text for each
            prompt. "max_new_tokens" and "min_new_tokens" are the lengths, since others count the padding of prompts:
            without an encoder, a "min_length" of the configuration does not hold either.
        chat_template_kwargs: arguments of `apply_chat_template` and variables of the template; other names are ignored.
        batch_size: the number of prompts at a time; None for `per_device_eval_batch_size`.
        postprocess: a function from a generated text to the text that is scored.
        evaluation_set: where the Trainer has a dict of evaluation sets, the name of the one whose evaluations have the
            scores, as `eval_NAME_sari`. It is one of the sets that the Trainer has at this call: if `eval_dataset` of
            the Trainer is replaced by sets of other names, their evaluations have no scores.

    Raises:
        ValueError: for bad input, a model that does not generate, and a second call for the same evaluations. An
            evaluation raises it for scores that are there already, from a `compute_metrics` with the same names.
        TypeError: for a number that is not whole, a postprocess that is no function, a `processing_class` that is no
            tokenizer, and what is no dict of arguments.
        Exception: as `apply_chat_template`, `pad` and `generate` raise it, for what they refuse; that of `generate` has
            a note with the lengths, and the row of the longest prompt.

    For example::

        sari.attach(trainer, sources=sources, references=references, prompts="Simplify: {}".format)
        trainer.train()
    """
    model = getattr(trainer, "model", None)
    if getattr(model, "generation_config", None) is None:
        raise RefusedValueError(
            fault("trainer", type(model or trainer).__name__, "a Trainer with a model that generates")
        )
    prefix = _metric_prefix(trainer, evaluation_set)
    has_encoder = _has_encoder(model)
    check_postprocess(postprocess)
    _check_dicts(generation_kwargs=generation_kwargs, chat_template_kwargs=chat_template_kwargs)
    size = trainer.args.per_device_eval_batch_size if batch_size is None else batch_size
    sources, references = validate_shared(sources, references)
    if not sources:
        raise RefusedValueError(fault("sources", "no rows", "at least one"))
    text_tokenizer = TextTokenizer("processing_class", trainer.processing_class)
    texts = AttachedTexts(
        variant=scorer.variant,
        text_tokenizer=text_tokenizer,
        sources=sources,
        references=references,
        prompts=[
            _ids_of_prompt(f"prompts[{row}]", prompt, text_tokenizer, chat_template_kwargs or {}, has_encoder)
            for row, prompt in enumerate(_column_of_prompts(prompts, sources, has_encoder))
        ],
        generate_arguments=_generate_arguments(model, text_tokenizer.tokenizer, generation_kwargs or {}),
        batch_size=check_whole_number("batch_size", size, least=1),
        postprocess=postprocess,
    )
    if not (trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled):
        texts.try_longest_prompt(trainer)
    give_warnings([*variant_warnings(scorer.variant), *texts.warnings(model)])
    _add_to_evaluations(trainer, prefix, texts)


def _check_dicts(**arguments: Any) -> None:
    """Refuse what is neither a dict nor None."""
    for name, given in arguments.items():
        if given is not None and not isinstance(given, Mapping):
            raise RefusedTypeError(fault(name, short_repr(given), "a dict of arguments"))


def _has_encoder(model: Any) -> bool:
    """Return whether an encoder reads the prompts; otherwise the model continues them."""
    return bool(model.config.is_encoder_decoder)


# ---- Evaluations -----------------------------------------------------------------------------------------------------


def _metric_prefix(trainer: Any, evaluation_set: str | None) -> str:
    """Return what the Trainer puts before the names of metrics of the evaluations that have the scores."""
    names = list(trainer.eval_dataset) if isinstance(trainer.eval_dataset, Mapping) else [None]
    if evaluation_set not in names:
        wanted = (
            "None, as eval_dataset is no dict" if names == [None] else f"a name in eval_dataset: {short_repr(names)}"
        )
        raise RefusedValueError(fault("evaluation_set", short_repr(evaluation_set), wanted))
    prefix = "eval" if evaluation_set is None else f"eval_{evaluation_set}"
    if prefix in getattr(trainer, "attached_texts", {}):
        raise RefusedValueError(fault("trainer", f"a second sari.attach for {prefix}", "one"))
    return prefix


def _add_to_evaluations(trainer: Any, prefix: str, texts: "AttachedTexts") -> None:
    """Add the scores of texts to the metrics of the evaluations with a prefix."""
    if not isinstance(trainer, EvaluationWithTexts):
        kind = type(trainer)
        trainer.__class__ = type(kind.__name__, (EvaluationWithTexts, kind), {})
        trainer.attached_texts = {}
    trainer.attached_texts = {**trainer.attached_texts, prefix: texts}  # a new dict: copies of the Trainer keep theirs


class EvaluationWithTexts:
    """A Trainer that has attached texts: a base class before its own one, whose methods a copy of the Trainer has, too.

    A Trainer logs, returns and compares what its `evaluation_loop` returns.
    """

    attached_texts: "dict[str, AttachedTexts]"

    def evaluation_loop(
        self,
        dataloader: Any,
        description: str,
        prediction_loss_only: bool | None = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> Any:
        """Return the rows, predictions and metrics of an evaluation, with the scores among the metrics."""
        output = super().evaluation_loop(  # type: ignore[misc]
            dataloader, description, prediction_loss_only, ignore_keys, metric_key_prefix
        )
        if texts := self.attached_texts.get(metric_key_prefix):
            if known := output.metrics.keys() & {f"{metric_key_prefix}_{score}" for score in SCORES}:
                got = f"{', '.join(sorted(known))} already"
                raise RefusedValueError(fault("metrics", got, "other names from compute_metrics"))
            output.metrics.update(
                {f"{metric_key_prefix}_{score}": value for score, value in texts.scores(self).items()}
            )
        return output


# ---- Prompts ---------------------------------------------------------------------------------------------------------


def _column_of_prompts(prompts: Any, sources: list[str], has_encoder: bool) -> list[Any]:
    """Return a prompt of some kind for each source."""
    if prompts is None:
        if not has_encoder:
            raise RefusedValueError(
                fault("prompts", prompts, 'what the model continues, such as "Simplify: {}\\n".format')
            )
        prompts = sources
    if not callable(prompts) and not is_column(prompts):
        raise RefusedValueError(
            fault("prompts", short_repr(prompts), "a list, or a function from a source to a prompt")
        )
    column = list(map(prompts, sources) if callable(prompts) else prompts)
    if len(column) != len(sources):
        raise RefusedValueError(fault("prompts", count_of(len(column), "row"), f"{len(sources):,} (as in sources)"))
    return column


def _ids_of_prompt(
    name: str, prompt: Any, text_tokenizer: TextTokenizer, template: Mapping[str, Any], has_encoder: bool
) -> list[int]:
    """Return the token ids of a prompt, or refuse it; `name` is for errors."""
    if isinstance(prompt, str):
        ids = _ids_of_text(prompt, text_tokenizer.tokenizer, has_encoder)
    elif is_chat(prompt):
        ids = _ids_of_chat(name, prompt, text_tokenizer, template)
    elif is_column(prompt) and not any(isinstance(part, Mapping) for part in prompt):
        ids = token_ids(name, prompt).tolist()
    else:
        raise RefusedValueError(fault(name, short_repr(prompt), f"a str, {CHAT}, or token ids"))
    if not ids or min(ids) < 0 or max(ids) >= text_tokenizer.size:
        raise RefusedValueError(fault(name, short_repr(prompt), f"tokens with ids from 0 to {text_tokenizer.size - 1}"))
    return ids


def _ids_of_text(text: str, tokenizer: Any, has_encoder: bool) -> list[int]:
    """Return the token ids of a text with special tokens, but with one beginning, and no end that is continued."""
    ids: list[int] = tokenizer(text)["input_ids"]
    if not has_encoder:
        # An empty text has no more than its beginning.
        plain = tokenizer(text, add_special_tokens=False)["input_ids"] or [tokenizer.bos_token_id]
        if ids[-len(plain) :] != plain:
            ids = ids[:-1]  # The tokenizer added the end.
    if ids[:2] == [tokenizer.bos_token_id] * 2:
        ids = ids[1:]  # The text begins with this token already.
    return ids


def _ids_of_chat(name: str, messages: Any, text_tokenizer: TextTokenizer, template: Mapping[str, Any]) -> list[int]:
    """Return the token ids of the messages of a chat."""
    is_continued = bool(template.get("continue_final_message"))
    if not is_continued and messages[-1]["role"] == "assistant":
        raise RefusedValueError(fault(name, "a chat that ends with an answer", "a chat without it"))
    text = text_tokenizer.processor.apply_chat_template(
        messages, tokenize=False, **{"add_generation_prompt": not is_continued, **template}
    )
    ids: list[int] = text_tokenizer.tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


# ---- Generation ------------------------------------------------------------------------------------------------------


def _generate_arguments(model: Any, tokenizer: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `generate` but for its inputs."""
    if refused := [name for name in given if name in _REFUSED_ARGUMENTS]:
        raise RefusedValueError(fault("generation_kwargs", refused[0], _REFUSED_ARGUMENTS[refused[0]]))
    arguments = {
        "do_sample": False,
        "max_new_tokens": 128,
        "num_return_sequences": 1,
        "return_dict_in_generate": False,
        "pad_token_id": tokenizer.pad_token_id,
        **given,
    }
    if model.generation_config.min_length and not _has_encoder(model):
        arguments["min_length"] = 0  # It counts the padding, too.
    check_whole_number("max_new_tokens in generation_kwargs", arguments["max_new_tokens"], least=1)
    if given.get("stop_strings", model.generation_config.stop_strings):  # `generate` needs a tokenizer for them alone.
        arguments.setdefault("tokenizer", tokenizer)
    return arguments


@dataclass(frozen=True)
class AttachedTexts:
    """Texts for which the model of a Trainer generates, and how it does. What is not named here is as in `attach`.

    Attributes:
        prompts: the token ids of a prompt for each source.
        generate_arguments: the arguments of `generate` but for its inputs.
    """

    variant: Variant
    text_tokenizer: TextTokenizer
    sources: list[str]
    references: list[list[str]]
    prompts: list[list[int]]
    generate_arguments: dict[str, Any]
    batch_size: int
    postprocess: Postprocess

    def warnings(self, model: Any) -> Iterator[Warning]:
        """Yield warnings if the tokenizer changes texts, or if padding can change what a model generates."""
        yield from self.text_tokenizer.change_warnings(self.references, self.postprocess)
        tuning = getattr(model, "active_peft_config", None)  # of PEFT
        if getattr(tuning, "is_prompt_learning", False) and not _has_encoder(model) and self.batch_size > 1:
            yield TrainingWarning(
                "with tuned prompts a model can generate other texts at each batch size: set batch_size=1"
            )

    def scores(self, trainer: Any) -> Scores:
        """Return the scores of what the model of a Trainer generates, in each process for a part of the prompts."""
        from accelerate.utils import gather_object  # optional

        # The parts are of one size: processes wait for each other if the model is spread over them.
        count = len(self.prompts)
        size = -(-count // trainer.accelerator.num_processes)
        start = size * trainer.accelerator.process_index
        rows = [row % count for row in range(start, start + size)]
        answers = gather_object(self.generate(trainer, rows))[:count]
        most = self.generate_arguments["max_new_tokens"]
        give_warnings(self.text_tokenizer.cut_warnings(answers, "max_new_tokens in generation_kwargs", most))
        return score_texts(
            self.text_tokenizer.decode(answers),
            self.sources,
            self.references,
            variant=self.variant,
            postprocess=self.postprocess,
        )

    def try_longest_prompt(self, trainer: Any) -> None:
        """Generate as many tokens as the model may, so that it needs all positions and memory that it can need."""
        longest = max(range(len(self.prompts)), key=lambda row: len(self.prompts[row]))
        most = self.generate_arguments["max_new_tokens"]
        self.generate(trainer, [longest] * min(self.batch_size, len(self.prompts)), min_new_tokens=most)

    def generate(self, trainer: Any, rows: list[int], **arguments: Any) -> list[list[int]]:
        """Return the ids that the model of a Trainer generates for rows; random numbers go on where they were.

        The arguments of `generate` replace those that are attached.
        """
        import torch  # optional
        from tqdm.auto import tqdm  # which warns where a notebook cannot show a bar

        model = trainer.model
        answers: list[list[int]] = []
        has_encoder = _has_encoder(model)
        arguments = {**self.generate_arguments, **arguments}
        batches = [rows[start : start + self.batch_size] for start in range(0, len(rows), self.batch_size)]
        is_quiet = trainer.args.disable_tqdm or not trainer.is_world_process_zero()
        with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
            for batch in tqdm(batches, desc="SARI: generating", leave=False, disable=is_quiet):
                inputs = self.text_tokenizer.tokenizer.pad(
                    {"input_ids": [self.prompts[row] for row in batch]},
                    padding_side="right" if has_encoder else "left",  # What is continued ends in the last column.
                    return_attention_mask=True,
                    return_tensors="pt",
                ).to(model.device)
                length = inputs["input_ids"].shape[1]
                try:
                    ids = model.generate(**inputs, **arguments)
                except Exception as error:
                    longest = next(row for row in batch if len(self.prompts[row]) == length)
                    place = f"prompts[{longest}] of {length} tokens in a batch of {len(batch)}"
                    note = f"sari.attach: for {place}, max_new_tokens={arguments['max_new_tokens']}"
                    if positions := getattr(model.config, "max_position_embeddings", None):
                        note += f"; the model has {positions} positions"
                    error.add_note(note)
                    raise
                answers += ids.tolist() if has_encoder else ids[:, length:].tolist()
        return answers
