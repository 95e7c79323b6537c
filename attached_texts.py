"""Texts attached to a Trainer: at each evaluation its model generates for them, and SARI is among the metrics.

- Nothing is sampled and there are at most 128 new tokens, unless arguments say otherwise; all else is as the model's
  own configuration says. Without sampling, a text is the one that `model.generate` returns for its prompt alone.
  But where the `pad_token` is the `eos_token` and `batch_size` is above 1, these settings can count padding, too, which
  changes texts: `repetition_penalty`, `encoder_repetition_penalty`, `no_repeat_ngram_size` and
  `encoder_no_repeat_ngram_size`.
- The scores are among the metrics of the evaluation, which the Trainer logs, returns and compares. They are about these
  texts and no others, whatever is evaluated.
- A copy of the Trainer evaluates its own model. The Trainer cannot be pickled, as most that have trained cannot.

What is outside of this is refused in a line that names the remedy. `attach` is a method of `Scorer`.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from inspect import signature
from typing import Any

from .aggregation import Scores
from .data_warnings import TrainingWarning, give_warnings
from .generated_texts import Postprocess, TextTokenizer, check_postprocess, is_chat, score_texts, token_ids
from .messages import count_of, fault, nearest_name, short_repr
from .text_checks import variant_warnings
from .validation import check_whole_number, is_column, validate_shared
from .variants import SCORES, Variant

#: For each argument of `attach` that is a dict: names that are refused in it, and what to give instead.
_REFUSED_NAMES = {
    "generation_kwargs": {
        # These stand in the signatures of `generate`.
        **dict.fromkeys(["self", "args", "kwargs"], "arguments of generate by name"),
        **dict.fromkeys(["inputs", "input_ids", "attention_mask"], "prompts"),
        "generation_config": "its values by name",
        # Other lengths count the padding of prompts.
        "max_length": "max_new_tokens",
        "min_length": "min_new_tokens",
    },
    "chat_template_kwargs": {
        "conversation": "prompts",
        "tokenize": "other arguments, since the processing_class tokenizes",
    },
}
#: Arguments of `generate` that are not in its signature.
_ONLY_IN_KWARGS = ("tokenizer", "assistant_tokenizer", "trust_remote_code")


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
    "eval", which `predict` has not by default. With another prefix nothing is generated. Losses, parameters and random
    numbers, those of the CPU and of the model's GPU, stay as they are without it. A warning says if many outputs are
    cut before their end.

    Args:
        trainer: any `Trainer` whose model generates. Its `processing_class` tokenizes, and needs a `pad_token`.
        sources: the sources.
        references: the references, a list per source or a single text.
        prompts: for each source a text, the messages of a chat without the answer, or token ids; or a function from a
            source to its prompt. None for the sources themselves, if the model has an encoder. The tokenizer adds its
            special tokens to a text, but no second beginning, and no end where the model continues the text.
        generation_kwargs: arguments of the model's `generate`. Unless they say otherwise, nothing is sampled, and there
            are at most 128 new tokens; all else is as the model's own configuration has it, but for one text for each
            prompt. "max_new_tokens" and "min_new_tokens" are the lengths, since others count the padding of prompts.
        chat_template_kwargs: arguments of `apply_chat_template`.
        batch_size: the number of prompts at a time; None for `per_device_eval_batch_size`.
        postprocess: a function from a generated text to the text that is scored.
        evaluation_set: where the Trainer has a dict of evaluation sets, the name of the one whose evaluations have the
            scores, as `eval_NAME_sari`. It is one of the sets that the Trainer has at this call: if `eval_dataset` of
            the Trainer is replaced by sets of other names, their evaluations have no scores.

    Raises:
        ValueError: for bad input, a model that does not generate, names that `generate` does not have, values that
            `GenerationConfig` refuses, prompts and lengths above the `max_position_embeddings` of the model's
            configuration, if it has them, and a second call for the same evaluations. An evaluation raises it for
            scores that are there already, from a `compute_metrics` with the same names. Values that only `generate`
            refuses raise its own errors in the first evaluation.
        TypeError: for a number that is not whole, a postprocess that is no function, a `processing_class` that is no
            tokenizer, and what is no dict of arguments.

    For example::

        sari.attach(trainer, sources=sources, references=references, prompts="Simplify: {}".format)
        trainer.train()
    """
    prefix = _metric_prefix(trainer, evaluation_set)
    if getattr(trainer.model, "generation_config", None) is None:
        raise ValueError(fault("trainer", type(trainer.model).__name__, "a model that generates"))
    check_postprocess(postprocess)
    generation = _checked_arguments("generation_kwargs", generation_kwargs)
    template = _checked_arguments("chat_template_kwargs", chat_template_kwargs)
    size = trainer.args.per_device_eval_batch_size if batch_size is None else batch_size
    sources, references = validate_shared(sources, references)
    if not sources:
        raise ValueError(fault("sources", "no rows", "at least one"))
    tokenizer = TextTokenizer("processing_class", trainer.processing_class)
    texts = AttachedTexts(
        variant=scorer.variant,
        tokenizer=tokenizer,
        sources=sources,
        references=references,
        prompts=_prompts(prompts, sources, tokenizer, template, _has_encoder(trainer.model)),
        generate_arguments=_generate_arguments(trainer.model, tokenizer.tokenizer, generation),
        batch_size=check_whole_number("batch_size", size, least=1),
        postprocess=postprocess,
    )
    texts.check_positions(trainer.model)
    give_warnings([*variant_warnings(scorer.variant), *texts.warnings(trainer.model)])
    _add_to_evaluations(trainer, prefix, texts)


def _checked_arguments(name: str, given: Any) -> Mapping[str, Any]:
    """Return an argument of `attach` that is a dict, or refuse it; None for no arguments."""
    arguments = {} if given is None else given
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        raise TypeError(fault(name, short_repr(arguments), "a dict of arguments"))
    for key in arguments:
        if key in _REFUSED_NAMES[name]:
            raise ValueError(fault(name, key, _REFUSED_NAMES[name][key]))
    return arguments


def _has_encoder(model: Any) -> bool:
    """Return whether an encoder reads the prompts; otherwise the model continues them."""
    return bool(model.config.is_encoder_decoder)


# ---- Evaluations -----------------------------------------------------------------------------------------------------


def _metric_prefix(trainer: Any, evaluation_set: str | None) -> str:
    """Return what the Trainer puts before the names of metrics of the evaluations that have the scores."""
    names = list(trainer.eval_dataset) if isinstance(trainer.eval_dataset, Mapping) else [None]
    if evaluation_set not in names:
        wanted = f"a set of the Trainer: {short_repr(names)}"
        raise ValueError(fault("evaluation_set", short_repr(evaluation_set), wanted))
    return "eval" if evaluation_set is None else f"eval_{evaluation_set}"


def _add_to_evaluations(trainer: Any, prefix: str, texts: "AttachedTexts") -> None:
    """Add the scores of texts to the metrics of the evaluations with a prefix."""
    attached: dict[str, AttachedTexts] = getattr(trainer, "attached_texts", {})
    if prefix in attached:
        raise ValueError(fault("trainer", f"a second sari.attach for {prefix}", "one"))
    if not attached:
        kind = type(trainer)
        trainer.__class__ = type(kind.__name__, (EvaluationWithTexts, kind), {})
    trainer.attached_texts = {**attached, prefix: texts}  # a new dict: copies of the Trainer keep theirs


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
        arguments = dataloader, description, prediction_loss_only, ignore_keys, metric_key_prefix
        output = super().evaluation_loop(*arguments)  # type: ignore[misc]
        if texts := self.attached_texts.get(metric_key_prefix):
            if known := output.metrics.keys() & {f"{metric_key_prefix}_{score}" for score in SCORES}:
                got = f"{', '.join(sorted(known))} already"
                raise ValueError(fault("metrics", got, "other names from compute_metrics"))
            scores = texts.scores(self).items()
            output.metrics.update({f"{metric_key_prefix}_{score}": value for score, value in scores})
        return output


# ---- Prompts ---------------------------------------------------------------------------------------------------------


def _prompts(
    prompts: Any, sources: list[str], tokenizer: TextTokenizer, template: Mapping[str, Any], has_encoder: bool
) -> list[list[int]]:
    """Return the token ids of a prompt for each source."""
    if prompts is None:
        if not has_encoder:
            raise ValueError(fault("prompts", prompts, 'what the model continues, such as "Simplify: {}\\n".format'))
        prompts = sources
    if not callable(prompts) and not is_column(prompts):
        raise ValueError(fault("prompts", short_repr(prompts), "a list, or a function from a source to a prompt"))
    column = list(map(prompts, sources) if callable(prompts) else prompts)
    if len(column) != len(sources):
        raise ValueError(fault("prompts", count_of(len(column), "row"), f"{len(sources):,} (as in sources)"))
    rows = []
    for row, prompt in enumerate(column):
        name = f"prompts[{row}]"
        if isinstance(prompt, str):
            ids = _ids_of_text(prompt, tokenizer.tokenizer, has_encoder)
        elif is_chat(prompt):
            ids = _ids_of_chat(name, prompt, tokenizer, template)
        elif is_column(prompt):
            ids = token_ids(name, prompt).tolist()
        else:
            raise ValueError(fault(name, short_repr(prompt), "a str, a list of messages, or token ids"))
        if not ids or min(ids) < 0 or max(ids) >= tokenizer.size:
            raise ValueError(fault(name, short_repr(prompt), f"tokens with ids from 0 to {tokenizer.size - 1}"))
        rows.append(ids)
    return rows


def _ids_of_text(text: str, tokenizer: Any, has_encoder: bool) -> list[int]:
    """Return the token ids of a text with special tokens, but with one beginning, and no end that is continued."""
    ids: list[int] = tokenizer(text)["input_ids"]
    if ids[:2] == [tokenizer.bos_token_id] * 2:
        ids = ids[1:]  # The text begins with this token already.
    if not has_encoder and ids[-1:] == [tokenizer.eos_token_id]:
        plain = tokenizer(text, add_special_tokens=False)["input_ids"]
        # Otherwise the tokenizer added the end. That of an empty text stays, since a prompt needs a token.
        if plain and ids[-len(plain) :] != plain:
            ids = ids[:-1]
    return ids


def _ids_of_chat(name: str, messages: Any, tokenizer: TextTokenizer, template: Mapping[str, Any]) -> list[int]:
    """Return the token ids of the messages of a chat."""
    is_continued = bool(template.get("continue_final_message"))
    if not is_continued and messages[-1]["role"] == "assistant":
        raise ValueError(fault(name, "a chat that ends with an answer", "a chat without it"))
    arguments = {"add_generation_prompt": not is_continued, **template}
    text = tokenizer.processor.apply_chat_template(messages, tokenize=False, **arguments)
    ids: list[int] = tokenizer.tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


# ---- Generation ------------------------------------------------------------------------------------------------------


def _generate_arguments(model: Any, tokenizer: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `generate` but for its inputs, or refuse their names or what `GenerationConfig` does."""
    from transformers import GenerationMixin  # optional

    if tokenizer.pad_token_id is None:
        raise ValueError(fault("processing_class", "no pad_token", "one, such as its eos_token"))
    defaults = {"do_sample": False, "max_new_tokens": 128, "num_return_sequences": 1}
    arguments = {**defaults, "pad_token_id": tokenizer.pad_token_id, **given}
    check_whole_number("max_new_tokens in generation_kwargs", arguments["max_new_tokens"], least=1)
    check_whole_number("num_return_sequences in generation_kwargs", arguments["num_return_sequences"], least=1, most=1)
    settings = deepcopy(model.generation_config)
    # The method of a model may have more arguments than that of all models; that of PEFT names none.
    of_methods = [*signature(GenerationMixin.generate).parameters, *signature(model.generate).parameters]
    known, refused = {*vars(settings), *_ONLY_IN_KWARGS, *of_methods}, _REFUSED_NAMES["generation_kwargs"]
    unknown = [name for name in given if name not in known]
    if unknown and "custom_generate" not in given:  # a function with arguments of its own
        nearest = nearest_name(unknown[0], {*known, *refused}) or "arguments of generate"
        raise ValueError(fault("generation_kwargs", unknown[0], refused.get(nearest, nearest)))
    settings.update(**arguments)  # It refuses values that do not go together.
    if settings.stop_strings:  # `generate` needs a tokenizer for them alone.
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
    tokenizer: TextTokenizer
    sources: list[str]
    references: list[list[str]]
    prompts: list[list[int]]
    generate_arguments: dict[str, Any]
    batch_size: int
    postprocess: Postprocess

    def check_positions(self, model: Any) -> None:
        """Refuse prompts and lengths above the `max_position_embeddings` of a model, if it has them."""
        row = max(range(len(self.prompts)), key=lambda row: len(self.prompts[row]))
        longest, most = len(self.prompts[row]), self.generate_arguments["max_new_tokens"]
        name, got = f"prompts[{row}]", f"{longest} tokens"
        if _has_encoder(model):
            encoder, decoder = (getattr(model.config, part, model.config) for part in ("encoder", "decoder"))
            needs = [(encoder, longest, name, got), (decoder, most, "max_new_tokens", str(most))]
        else:
            read = longest + most - 1  # The last token is not read again.
            needs = [(model.config.get_text_config(), read, name, f"{got} and max_new_tokens={most}")]
        for config, length, place, value in needs:
            positions = getattr(config, "max_position_embeddings", None)
            if positions is not None and length > positions:
                raise ValueError(fault(place, value, f"at most {positions}, the positions of the model"))

    def warnings(self, model: Any) -> Iterator[Warning]:
        """Yield warnings if the tokenizer changes texts, or if padding can change what a model generates."""
        yield from self.tokenizer.change_warnings(self.references, self.postprocess)
        tuning = getattr(model, "active_peft_config", None)  # of PEFT
        if getattr(tuning, "is_prompt_learning", False) and not _has_encoder(model) and self.batch_size > 1:
            message = "with tuned prompts a model can generate other texts at each batch size: set batch_size=1"
            yield TrainingWarning(message)

    def scores(self, trainer: Any) -> Scores:
        """Return the scores of what the model of a Trainer generates, in each process for a part of the prompts."""
        from accelerate.utils import gather_object  # optional

        processes, process = trainer.accelerator.num_processes, trainer.accelerator.process_index
        # The parts are of one size: processes wait for each other if the model is spread over them.
        count, size = len(self.prompts), -(-len(self.prompts) // processes)
        rows = [row % count for row in range(process * size, (process + 1) * size)]
        texts = gather_object(self._generate(trainer, [self.prompts[row] for row in rows]))[:count]
        variant, postprocess = self.variant, self.postprocess
        return score_texts(texts, self.sources, self.references, variant=variant, postprocess=postprocess)

    def _generate(self, trainer: Any, prompts: list[list[int]]) -> list[str]:
        """Return what the model of a Trainer generates for prompts; random numbers go on where they were."""
        import torch  # optional
        from tqdm.auto import tqdm  # which warns where a notebook cannot show a bar

        model, arguments, answers = trainer.model, self.generate_arguments, []
        has_encoder = _has_encoder(model)
        padding = {"padding_side": "right" if has_encoder else "left"}  # What is continued ends in the last column.
        batches = [prompts[start : start + self.batch_size] for start in range(0, len(prompts), self.batch_size)]
        is_quiet = trainer.args.disable_tqdm or not trainer.is_world_process_zero()
        with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
            for batch in tqdm(batches, desc="SARI: generating", leave=False, disable=is_quiet):
                tensors = {"return_attention_mask": True, "return_tensors": "pt", **padding}
                inputs = self.tokenizer.tokenizer.pad({"input_ids": batch}, **tensors).to(model.device)
                ids = model.generate(**inputs, **arguments)
                ids = getattr(ids, "sequences", ids)  # with return_dict_in_generate=True
                answers += ids.tolist() if has_encoder else ids[:, inputs["input_ids"].shape[1] :].tolist()
        limit, most = "max_new_tokens in generation_kwargs", arguments["max_new_tokens"]
        give_warnings(self.tokenizer.cut_warnings(answers, limit, most))
        return self.tokenizer.decode(answers)
