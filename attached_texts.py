"""Texts attached to a Trainer: at each evaluation its model generates for them, and SARI is among the metrics.

- It generates as `model.generate` does for each prompt alone. Nothing is sampled and there are at most 128 new tokens,
  unless arguments say otherwise; all else is as the model's own configuration says. Lengths are those of new tokens.
- The scores are among the metrics of the evaluation, which the Trainer logs, returns and compares. They are about these
  texts and no others, whatever is evaluated.
- A copy of the Trainer evaluates its own model. The Trainer cannot be pickled, as most that have trained cannot.

What is outside of this is refused in a line that names the remedy. `attach` is a method of `Scorer`.
"""

from collections.abc import Callable, Iterator, Mapping
from numbers import Integral
from typing import Any

from .aggregation import Scores
from .data_warnings import TrainingWarning, give_warnings
from .generated_texts import TextTokenizer, check_postprocess, is_chat, score_texts
from .messages import count_of, fault, short_repr
from .text_checks import variant_warnings
from .validation import check_whole_number, is_column, validate_shared
from .variants import SCORES

#: Arguments of `generate` that `attach` refuses, and what to give instead: lengths must not count padded prompts.
_REPLACED = {"max_length": "max_new_tokens", "min_length": "min_new_tokens", "generation_config": "its values by name"}


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
            are at most 128 new tokens; all else is as the model's own configuration has it. "max_new_tokens" and
            "min_new_tokens" are the lengths, since others count the padding of prompts.
        chat_template_kwargs: arguments of `apply_chat_template`.
        batch_size: the number of prompts at a time; None for `per_device_eval_batch_size`.
        postprocess: a function from a generated text to the text that is scored.
        evaluation_set: where the Trainer has a dict of evaluation sets, the name of the one whose evaluations have the
            scores, as `eval_NAME_sari`.

    Raises:
        ValueError: for bad input, and for prompts that are too long for the model. An evaluation raises it for metrics
            that are there already.
        TypeError: for a number that is not whole.

    For example::

        sari.attach(trainer, sources=sources, references=references, prompts="Simplify: {}".format)
        trainer.train()
    """
    _metric_prefix(trainer, evaluation_set)  # refuses an unknown set
    check_postprocess(postprocess)
    for name, options in {"generation_kwargs": generation_kwargs, "chat_template_kwargs": chat_template_kwargs}.items():
        if options is not None and not isinstance(options, Mapping):
            raise ValueError(fault(name, short_repr(options), "a dict of arguments"))
    sources, references = validate_shared(sources, references)
    if not sources:
        raise ValueError(fault("sources", "no rows", "at least one"))
    tokenizer = TextTokenizer("processing_class", trainer.processing_class)
    generator = Generator(trainer, tokenizer, batch_size, generation_kwargs or {})
    has_encoder, template = generator.has_encoder, chat_template_kwargs or {}
    column = _prompt_column(prompts, sources, has_encoder)
    ids = [
        _prompt_ids(f"prompts[{row}]", prompt, tokenizer, template, has_encoder) for row, prompt in enumerate(column)
    ]
    generator.check_lengths(trainer.model, ids)
    give_warnings(variant_warnings(scorer.variant))
    give_warnings(tokenizer.change_warnings(references, postprocess))
    give_warnings(generator.tuning_warnings(trainer.model))

    def score(evaluating_trainer: Any) -> Scores:
        texts = generator.texts(evaluating_trainer, ids)
        return score_texts(texts, sources, references, variant=scorer.variant, postprocess=postprocess)

    _add_scores(trainer, evaluation_set, score)


def _add_scores(trainer: Any, evaluation_set: str | None, score: Callable[[Any], Scores]) -> None:
    """Add scores to the metrics of each evaluation; `score` is a function of the Trainer that evaluates.

    The Trainer logs, returns and compares what its `evaluation_loop` returns. The Trainer gets a class of its own with
    this method, so that a copy of the Trainer evaluates its own model.
    """
    kind = type(trainer)

    class TrainerWithTexts(kind):  # type: ignore[misc, valid-type]
        def evaluation_loop(self, *arguments: Any, metric_key_prefix: str = "eval", **options: Any) -> Any:
            is_scored = metric_key_prefix == _metric_prefix(self, evaluation_set)
            output = super().evaluation_loop(*arguments, metric_key_prefix=metric_key_prefix, **options)
            if is_scored:
                known = output.metrics.keys() & {f"{metric_key_prefix}_{name}" for name in SCORES}
                if known:
                    got = f"{', '.join(sorted(known))} already"
                    raise ValueError(fault("metrics", got, "one sari.attach, or a compute_metrics of other names"))
                output.metrics.update({f"{metric_key_prefix}_{name}": value for name, value in score(self).items()})
            return output

    TrainerWithTexts.__name__ = TrainerWithTexts.__qualname__ = kind.__name__
    trainer.__class__ = TrainerWithTexts


def _metric_prefix(trainer: Any, evaluation_set: str | None) -> str:
    """Return the prefix of the metrics of the evaluations that are scored."""
    names = list(trainer.eval_dataset) if isinstance(trainer.eval_dataset, Mapping) else [None]
    if evaluation_set not in names:
        wanted = f"a set of the Trainer: {short_repr(names)}"
        raise ValueError(fault("evaluation_set", short_repr(evaluation_set), wanted))
    return "eval" if evaluation_set is None else f"eval_{evaluation_set}"


# ---- Prompts ---------------------------------------------------------------------------------------------------------


def _prompt_column(prompts: Any, sources: list[str], has_encoder: bool) -> list[Any]:
    """Return a prompt for each source: a text, a chat or token ids."""
    if prompts is None:
        if not has_encoder:
            raise ValueError(fault("prompts", prompts, 'what the model continues, such as "Simplify: {}\\n".format'))
        return sources
    if not callable(prompts) and not is_column(prompts):
        raise ValueError(fault("prompts", short_repr(prompts), "a list, or a function from a source to a prompt"))
    column = list(map(prompts, sources) if callable(prompts) else prompts)
    if len(column) != len(sources):
        raise ValueError(fault("prompts", count_of(len(column), "row"), f"{len(sources):,} (as in sources)"))
    return column


def _prompt_ids(
    name: str, prompt: Any, tokenizer: TextTokenizer, template: Mapping[str, Any], has_encoder: bool
) -> list[int]:
    """Return the token ids of a text, or of the messages of a chat; ids stay as they are."""
    if isinstance(prompt, str):
        ids = list(tokenizer.tokenizer(prompt)["input_ids"])
        if ids[:2] == [tokenizer.tokenizer.bos_token_id] * 2:
            ids = ids[1:]  # The prompt begins with this token already.
        if not ids:
            raise ValueError(fault(name, short_repr(prompt), "a text with tokens"))
        if not has_encoder and ids[-1] == tokenizer.tokenizer.eos_token_id:  # The model continues the prompt.
            plain = list(tokenizer.tokenizer(prompt, add_special_tokens=False)["input_ids"])
            ids = ids[:-1] if plain and ids[-len(plain) :] != plain else ids  # without an end that the tokenizer adds
        return ids
    if is_chat(prompt):
        is_open = bool(template.get("continue_final_message"))
        if not is_open and prompt[-1]["role"] == "assistant":
            raise ValueError(fault(name, "a chat that ends with an answer", "a chat without it"))
        options = {"add_generation_prompt": not is_open, **template}
        text = tokenizer.processor.apply_chat_template(prompt, tokenize=False, **options)
        return list(tokenizer.tokenizer(text, add_special_tokens=False)["input_ids"])
    ids = list(prompt) if is_column(prompt) else []
    if ids and all(isinstance(token, Integral) for token in ids):
        return list(map(int, ids))
    raise ValueError(fault(name, short_repr(prompt), "a str, a list of messages, or token ids"))


# ---- Generation ------------------------------------------------------------------------------------------------------


class Generator:
    """Generates texts with the model of a Trainer.

    Attributes:
        has_encoder: whether an encoder reads the prompts; otherwise the model continues them.
    """

    def __init__(self, trainer: Any, tokenizer: TextTokenizer, batch_size: int | None, arguments: Mapping[str, Any]):
        size = trainer.args.per_device_eval_batch_size if batch_size is None else batch_size
        self._batch_size = check_whole_number("batch_size", size, least=1)
        self.has_encoder = bool(trainer.model.config.is_encoder_decoder)
        self._tokenizer = tokenizer
        padding = tokenizer.tokenizer.pad_token_id
        if padding is None:
            raise ValueError(fault("processing_class", "no pad_token", "one, such as its eos_token"))
        for name in _REPLACED.keys() & arguments:
            raise ValueError(fault("generation_kwargs", name, _REPLACED[name]))
        self._arguments = {"do_sample": False, "max_new_tokens": 128, "pad_token_id": padding, **arguments}
        check_whole_number("max_new_tokens", self._arguments["max_new_tokens"], least=1)
        if "stop_strings" in arguments:  # `generate` needs the tokenizer for them alone.
            self._arguments["tokenizer"] = tokenizer.tokenizer

    def check_lengths(self, model: Any, prompts: list[list[int]]) -> None:
        """Refuse prompts for which the model has too few positions."""
        config = getattr(model.config, "encoder", model.config) if self.has_encoder else model.config.get_text_config()
        positions = getattr(config, "max_position_embeddings", None)
        if positions is None:
            return
        longest = max(range(len(prompts)), key=lambda row: len(prompts[row]))
        length, got = len(prompts[longest]), f"{len(prompts[longest])} tokens"
        if not self.has_encoder:  # What is generated takes positions, too.
            length += self._arguments["max_new_tokens"]
            got += f" and max_new_tokens={self._arguments['max_new_tokens']}"
        if length > positions:
            raise ValueError(fault(f"prompts[{longest}]", got, f"at most {positions}, the positions of the model"))

    def tuning_warnings(self, model: Any) -> Iterator[Warning]:
        """Yield a warning if padding can change what the model generates."""
        tuning = getattr(model, "active_peft_config", None)  # of PEFT
        if getattr(tuning, "is_prompt_learning", False) and not self.has_encoder and self._batch_size > 1:
            message = "with tuned prompts a model can generate other texts at each batch size: set batch_size=1"
            yield TrainingWarning(message)

    def texts(self, trainer: Any, prompts: list[list[int]]) -> list[str]:
        """Return what the model of a Trainer generates for prompts; each process generates for its share of them.

        The Trainer is the one that evaluates: a copy has its own model.
        """
        from accelerate.utils import gather_object  # optional

        processes, process = trainer.accelerator.num_processes, trainer.accelerator.process_index
        # The shares are equal: processes wait for each other if the model is spread over them.
        share = -(-len(prompts) // processes)
        rows = [prompts[row % len(prompts)] for row in range(process * share, (process + 1) * share)]
        texts: list[str] = gather_object(self._share_of_texts(trainer, rows))
        return texts[: len(prompts)]

    def _share_of_texts(self, trainer: Any, prompts: list[list[int]]) -> list[str]:
        """Return what the model generates in this process; random numbers go on where they were."""
        import torch  # optional
        from tqdm.auto import tqdm  # which warns where a notebook cannot show a bar

        model, tokenizer, answers = trainer.model, self._tokenizer.tokenizer, []
        batches = [prompts[begin : begin + self._batch_size] for begin in range(0, len(prompts), self._batch_size)]
        is_quiet = trainer.args.disable_tqdm or not trainer.is_world_process_zero()
        with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
            for batch in tqdm(batches, desc="SARI: generating", leave=False, disable=is_quiet):
                # A model that continues prompts needs their ends in one column.
                options = {"padding_side": "right" if self.has_encoder else "left", "return_attention_mask": True}
                inputs = tokenizer.pad({"input_ids": batch}, return_tensors="pt", **options).to(model.device)
                ids = model.generate(**inputs, **self._arguments)
                ids = getattr(ids, "sequences", ids)  # with return_dict_in_generate=True
                if len(ids) != len(batch):
                    got = f"{count_of(len(ids), 'text')} for {count_of(len(batch), 'prompt')}"
                    raise ValueError(fault("generation_kwargs", got, "one each"))
                answers += ids.tolist() if self.has_encoder else ids[:, inputs["input_ids"].shape[1] :].tolist()
        limit, most = "max_new_tokens in generation_kwargs", self._arguments["max_new_tokens"]
        give_warnings(self._tokenizer.cut_warnings(answers, limit, most))
        return self._tokenizer.decode(answers)
