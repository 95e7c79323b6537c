"""What a scorer does in training, and texts attached to a Trainer: at each evaluation its model generates for them.

- It generates as `model.generate` does for each prompt alone: without sampling and at most 128 new tokens, unless
  arguments say otherwise, and else as the model's own configuration says. Lengths are those of new tokens.
- The scores are among the metrics of the evaluation, which the Trainer logs, returns and compares. They are about these
  texts and no others, whatever is evaluated.
- A copy of the Trainer evaluates its own model.

What is outside of this is refused in a line that names the remedy.
"""

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

from .data_warnings import TrainingWarning, give_warnings, variant_warnings
from .messages import fault, short_repr
from .training import ComputeMetrics, Postprocess, Reward, TextTokenizer, is_chat, postprocessed, score_texts
from .validation import Columns, check_whole_number, is_column, validate_shared

#: Arguments of `generate` that `attach` refuses, and what to give instead: lengths must not count padded prompts.
_REPLACED = {"max_length": "max_new_tokens", "min_length": "min_new_tokens", "generation_config": "its values by name"}


class TrainingMethods:
    """The methods of a `Scorer` for training."""

    def compute_metrics(
        self: Any,
        tokenizer: Any,
        dataset: Any,
        *,
        sources: str = "source",
        references: str = "references",
        postprocess: Callable[[str], str] | None = None,
    ) -> ComputeMetrics:
        """Return a function for `compute_metrics=` of a Trainer that generates, such as `Seq2SeqTrainer`.

        It returns "sari", "keep", "delete" and "add" in percent. An evaluated row is the row of `dataset` with its
        label ids and, where the Trainer gives them, its input ids: `include_for_metrics=["inputs"]` in the training
        arguments. It warns of outputs that are cut before their end.

        Args:
            tokenizer: the `processing_class` of the Trainer.
            dataset: the tokenized evaluation set that the Trainer gets, with a column "labels", or several sets in a
                dict or a list. The labels are those of a reference, or of a text like it.
            sources: its column of sources.
            references: its column of references, a list per source or a single text.
            postprocess: a function from a predicted text to the text that is scored.

        Raises:
            ValueError: for columns that are missing, labels of another tokenizer, and rows with the same ids but other
                texts. The function raises it for ids of logits, for rows that are not of `dataset`, for rows with the
                same labels but other texts where the Trainer gives no inputs, and for batches.

        For example::

            args = Seq2SeqTrainingArguments(predict_with_generate=True, generation_max_length=128, ...)
            compute_metrics = sari.compute_metrics(tokenizer, evaluation_set)
            Seq2SeqTrainer(model, args, eval_dataset=evaluation_set, compute_metrics=compute_metrics, ...)
        """
        give_warnings(variant_warnings(self.variant))
        return ComputeMetrics(self, tokenizer, dataset, sources, references, postprocess)

    def attach(
        self: Any,
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

        `eval_sari`, `eval_keep`, `eval_delete` and `eval_add`, in percent, are then among the metrics: logged, returned
        and compared. They are of these texts, whatever rows the Trainer evaluates. Nothing is generated under another
        `metric_key_prefix`, and by `predict`. Losses, parameters and random numbers stay as they are without it. A
        warning says if many outputs are cut before their end.

        Args:
            trainer: any `Trainer` whose model generates. Its `processing_class` tokenizes, and needs a `pad_token`.
            sources: the sources.
            references: the references, a list per source or a single text.
            prompts: for each source a text, the messages of a chat without the answer, or token ids; or a function from
                a source to its prompt. None for the sources themselves, if the model has an encoder.
            generation_kwargs: arguments of the model's `generate`. Unless they say otherwise, nothing is sampled, and
                there are at most 128 new tokens; all else is as the model's own configuration has it.
                "max_new_tokens" and "min_new_tokens" are the lengths, since others count the padding of prompts.
            chat_template_kwargs: arguments of `apply_chat_template`.
            batch_size: the number of prompts at a time; None for `per_device_eval_batch_size`.
            postprocess: a function from a generated text to the text that is scored.
            evaluation_set: where the Trainer has a dict of evaluation sets, the name of the one whose evaluations have
                the scores, as `eval_NAME_sari`.

        Raises:
            ValueError: for bad input, and for prompts that are too long for the model. An evaluation raises it for
                metrics that are there already.

        For example::

            sari.attach(trainer, sources=sources, references=references, prompts="Simplify: {}".format)
            trainer.train()
        """
        give_warnings(variant_warnings(self.variant))
        attach(
            self,
            trainer,
            sources=sources,
            references=references,
            prompts=prompts,
            generation_kwargs=generation_kwargs,
            chat_template_kwargs=chat_template_kwargs,
            batch_size=batch_size,
            postprocess=postprocess,
            evaluation_set=evaluation_set,
        )

    def reward(
        self: Any,
        *,
        source: str = "source",
        references: str = "references",
        unit: bool = True,
        postprocess: Callable[[str], str] | None = None,
        name: str | None = None,
    ) -> Reward:
        """Return a function for `reward_funcs=` of TRL's `GRPOTrainer`: the SARI of each completion, scored alone.

        Args:
            source, references: the columns of the data set with the source, and with a list of references or a single
                one. A row without a source or references gets None, which TRL leaves out.
            unit: whether rewards go from 0 to 1, as TRL's own do, or from 0 to 100.
            postprocess: a function from a completion to the text that is scored.
            name: the `__name__` under which the Trainer logs the reward; None for "sari_" and the variant.

        Raises:
            ValueError: by the function, for columns that are missing or hold no texts.

        >>> from .sari_scorer import Scorer
        >>> reward = Scorer().reward()
        >>> rewards = reward(prompts=["a b c"] * 2, completions=["a b", "a b c"], source=["a b c"] * 2,
        ...                  references=[["a b", "a"]] * 2)
        >>> reward.__name__, [round(value, 4) for value in rewards]
        ('sari_easse', [0.3437, 0.0889])
        """
        give_warnings(variant_warnings(self.variant))
        return Reward(self, source, references, unit, postprocess, name)


def attach(scorer: Any, trainer: Any, *, evaluation_set: str | None, **arguments: Any) -> None:
    """Add the scores of attached texts to the metrics of each evaluation; see `Scorer.attach`.

    The Trainer logs, returns and compares what its `evaluation_loop` returns. The Trainer gets a class of its own with
    this method, so that a copy of the Trainer evaluates its own model.
    """
    _prefix(trainer, evaluation_set)
    texts, kind = AttachedTexts(scorer, trainer, **arguments), type(trainer)

    class TrainerWithTexts(kind):  # type: ignore[misc, valid-type]
        def evaluation_loop(self, *arguments: Any, metric_key_prefix: str = "eval", **options: Any) -> Any:
            is_scored = metric_key_prefix == _prefix(self, evaluation_set)
            output = super().evaluation_loop(*arguments, metric_key_prefix=metric_key_prefix, **options)
            if is_scored:
                scores = {f"{metric_key_prefix}_{name}": score for name, score in texts.scores(self).items()}
                if not output.metrics.keys().isdisjoint(scores):
                    known = f"{', '.join(scores)} already"
                    raise ValueError(fault("metrics", known, "one sari.attach, or a compute_metrics of other names"))
                output.metrics.update(scores)
            return output

    TrainerWithTexts.__name__ = TrainerWithTexts.__qualname__ = kind.__name__
    trainer.__class__ = TrainerWithTexts


def _prefix(trainer: Any, evaluation_set: str | None) -> str:
    """Return the prefix of the metrics of the evaluations that are scored."""
    names = list(trainer.eval_dataset) if isinstance(trainer.eval_dataset, Mapping) else [None]
    if evaluation_set not in names:
        raise ValueError(fault("evaluation_set", str(evaluation_set), f"a set of the Trainer: {short_repr(names)}"))
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
        self._scorer, self._postprocess = scorer, postprocess
        self._sources, self._references = validate_shared(sources, references)
        if not self._sources:
            raise ValueError(fault("sources", "no rows", "at least one"))
        size = trainer.args.per_device_eval_batch_size if batch_size is None else batch_size
        self._batch_size = check_whole_number("batch_size", size, least=1)
        #: Whether an encoder reads the prompts, or the model continues them.
        self._encodes = bool(trainer.model.config.is_encoder_decoder)
        self._tokenizer = TextTokenizer("processing_class", trainer.processing_class)
        padding = self._tokenizer.tokenizer.pad_token_id
        if padding is None:
            raise ValueError(fault("processing_class", "no pad_token", "one, such as its eos_token"))
        given = generation_kwargs or {}
        for name in _REPLACED.keys() & given:
            raise ValueError(fault("generation_kwargs", name, _REPLACED[name]))
        self._arguments = {"do_sample": False, "max_new_tokens": 128, "pad_token_id": padding, **given}
        if "stop_strings" in given:  # `generate` needs the tokenizer for them alone.
            self._arguments["tokenizer"] = self._tokenizer.tokenizer
        self._ids = self._prompt_ids(trainer, prompts, chat_template_kwargs or {})
        give_warnings(self._tokenizer.warnings(self._references, postprocess))
        tuning = getattr(trainer.model, "active_peft_config", None)  # of PEFT
        if getattr(tuning, "is_prompt_learning", False) and not self._encodes and self._batch_size > 1:
            message = "with tuned prompts a model can generate other texts at each batch size: set batch_size=1"
            give_warnings([TrainingWarning(message)])

    def _prompt_ids(self, trainer: Any, prompts: Any, template: Mapping[str, Any]) -> list[list[int]]:
        """Return the token ids of a prompt for each source."""
        if prompts is None and not self._encodes:
            raise ValueError(fault("prompts", prompts, 'what the model continues, such as "Simplify: {}\\n".format'))
        column = self._sources if prompts is None else prompts
        column = list(map(column, self._sources)) if callable(column) else column
        if not is_column(column):
            raise ValueError(fault("prompts", short_repr(prompts), "a list, or a function from a source to a prompt"))
        if len(column) != len(self._sources):
            raise ValueError(fault("prompts", f"{len(column)} rows", f"{len(self._sources)} (as in sources)"))
        rows = [self._ids_of(trainer, f"prompts[{row}]", prompt, template) for row, prompt in enumerate(column)]
        positions = getattr(trainer.model.config.get_text_config(), "max_position_embeddings", None)
        longest = max(range(len(rows)), key=lambda row: len(rows[row]))
        most = (positions or 0) - (0 if self._encodes else self._arguments["max_new_tokens"])
        if positions is not None and len(rows[longest]) > most:
            wanted = f"at most {most}: the model has {positions} positions, for prompt and max_new_tokens"
            raise ValueError(fault(f"prompts[{longest}]", f"{len(rows[longest])} tokens", wanted))
        return rows

    def _ids_of(self, trainer: Any, name: str, prompt: Any, template: Mapping[str, Any]) -> list[int]:
        """Return the token ids of a text, or of the messages of a chat; ids stay as they are."""
        tokenizer = self._tokenizer.tokenizer
        if isinstance(prompt, str):
            ids = list(tokenizer(prompt)["input_ids"])
            if len(ids) > 1 and ids[0] == ids[1] == tokenizer.bos_token_id:
                ids = ids[1:]  # The prompt begins with this token already.
            is_ended = not self._encodes and len(ids) > 1 and ids[-1] == tokenizer.eos_token_id
            return ids[:-1] if is_ended else ids
        if is_chat(prompt):
            is_open = bool(template.get("continue_final_message"))
            if not is_open and prompt[-1]["role"] == "assistant":
                raise ValueError(fault(name, "a chat that ends with an answer", "a chat without it"))
            options = {"add_generation_prompt": not is_open, **template}
            text = trainer.processing_class.apply_chat_template(prompt, tokenize=False, **options)
            return list(tokenizer(text, add_special_tokens=False)["input_ids"])
        if is_column(prompt) and len(prompt) and all(isinstance(token, Integral) for token in prompt):
            return list(map(int, prompt))
        raise ValueError(fault(name, short_repr(prompt), "a str, a list of messages, or token ids"))

    def scores(self, trainer: Any) -> dict[str, float]:
        """Generate, each process for its share of the texts, and return the scores in percent."""
        from accelerate.utils import gather_object  # optional

        processes, number = trainer.accelerator.num_processes, trainer.accelerator.process_index
        # The shares are equal: processes wait for each other if the model is spread over them.
        share = -(-len(self._ids) // processes)
        rows = [self._ids[row % len(self._ids)] for row in range(number * share, (number + 1) * share)]
        texts = gather_object(self._generated(trainer, rows))
        texts = postprocessed(texts[: len(self._ids)], self._postprocess)
        return score_texts(self._scorer, Columns(self._sources, texts, self._references))

    def _generated(self, trainer: Any, rows: list[list[int]]) -> list[str]:
        """Return what the model generates for prompts; random numbers go on where they were."""
        import torch  # optional
        from tqdm.auto import tqdm  # which warns where a notebook cannot show a bar

        model, tokenizer, answers = trainer.model, self._tokenizer.tokenizer, []
        batches = [rows[begin : begin + self._batch_size] for begin in range(0, len(rows), self._batch_size)]
        is_quiet = trainer.args.disable_tqdm or not trainer.is_world_process_zero()
        with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
            for batch in tqdm(batches, desc="SARI: generating", leave=False, disable=is_quiet):
                # A model that continues prompts needs their ends in one column.
                options = {"padding_side": "right" if self._encodes else "left", "return_attention_mask": True}
                inputs = tokenizer.pad({"input_ids": batch}, return_tensors="pt", **options).to(model.device)
                ids = model.generate(**inputs, **self._arguments)
                ids = getattr(ids, "sequences", ids)  # with return_dict_in_generate=True
                if len(ids) != len(batch):
                    got = f"{len(ids)} texts for {len(batch)} prompts"
                    raise ValueError(fault("generation_kwargs", got, "one each"))
                answers += ids.tolist() if self._encodes else ids[:, inputs["input_ids"].shape[1] :].tolist()
        limit, most = "max_new_tokens in generation_kwargs", self._arguments["max_new_tokens"]
        give_warnings(self._tokenizer.output_warnings(answers, limit, most))
        return [text.strip() for text in self._tokenizer.decode(answers)]
