"""What models generate: token ids become texts with scores, and `attach` lets the model of a Trainer generate them.

For each text that is attached to a Trainer, its model generates at each evaluation, and SARI is among the metrics:

- Nothing is sampled and there are at most 128 new tokens, unless arguments say otherwise; all else is as the model's
  own configuration says. Without sampling, a text is the one that `model.generate` returns for its prompt alone. Where
  padding changes what a model generates, it generates for one prompt at a time.
- The scores are among the metrics of the evaluation, which the Trainer logs, returns and compares. They are about these
  texts and no others, whatever is evaluated.
- A copy of the Trainer evaluates its own model. The Trainer cannot be pickled, as most that have trained cannot.

What would be scored wrongly is refused in a line that names the remedy; what transformers refuses, it refuses itself.
`attach` is a method of `Scorer`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice
from statistics import fmean
from typing import Any

import numpy as np

from .aggregation import Scores
from .corpus_statistics import score_columns
from .data_warnings import SariWarning, TrainingWarning, give_warnings
from .messages import RefusedTypeError, RefusedValueError, count_of, fault, short_repr
from .text_checks import variant_warnings
from .validation import Columns, check_flags, check_whole_number, is_column, validate_shared, validate_texts
from .variants import SCORES, Variant

#: What Trainers pad labels, inputs and predictions with.
PADDING = -100
#: So many rows show whether a tokenizer is the right one: to ask all takes a second for each 12,000.
_CHECKED_ROWS = 20
#: There is a warning if more than this part of the outputs is cut.
_MANY_CUT = 0.1
#: There is a warning if outputs share less of their tokens with their sources and references. References of ASSET's
#: validation set share 84% or more with the source and another reference, by BPE, Unigram and WordPiece of 400, 4,000
#: and 16,000 tokens; random ids share at most 18%, and other texts 14 to 52%.
_LEAST_SHARED = 0.4
#: What errors call a chat: see `is_chat`.
CHAT = "a list of messages with role and content"
#: A function from a text of a model to the text that is scored; None for the same text.
Postprocess = Callable[[str], str] | None
#: Arguments of `generate` that are refused, and what to give instead.
_REFUSED_ARGUMENTS = {
    "generation_config": "its values by name",
    # These lengths count the padding of prompts.
    "max_length": "max_new_tokens",
    "min_length": "min_new_tokens",
    "num_return_sequences": "none, since there is one text for each prompt",
    "return_dict_in_generate": "none, since texts alone are scored",
}
#: So many tokens show whether padding changes them: linear attention changes the second one, but not the first.
_TRIED_TOKENS = 4


# ---- Scores ----------------------------------------------------------------------------------------------------------


class OutputScorer:
    """Scores what a model generates: all that is the same whoever lets it generate.

    Attributes:
        processor: the tokenizer as it was given, or a processor that has it.
        tokenizer: the tokenizer itself.
        size: one more than its largest id. Models may have more outputs than there are tokens.
        padding: the ids that pad rows.
    """

    def __init__(
        self, name: str, processor: Any, variant: Variant, postprocess: Postprocess, skip_special_tokens: bool
    ):
        """Take a tokenizer, or a processor that has one; `name` is for errors."""
        check_flags(skip_special_tokens=skip_special_tokens)
        check_types(Callable | None, "a function from a text to a text", postprocess=postprocess)
        self.processor: Any = processor
        self.tokenizer: Any = getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "batch_decode"):
            raise RefusedTypeError(fault(name, type(processor).__name__, "a tokenizer of transformers"))
        self._variant, self._postprocess, self._skips_special = variant, postprocess, skip_special_tokens
        added = self.tokenizer.added_tokens_decoder.items()
        self._special = {*self.tokenizer.all_special_ids, *(number for number, token in added if token.special)}
        self.size: int = 1 + max(self.tokenizer.get_vocab().values())
        self.padding: list[int] = [token for token in (PADDING, self.tokenizer.pad_token_id) if token is not None]

    def without_padding(self, ids: Any) -> bytes:
        """Return the ids of a row without padding of any kind, int64[token], as bytes."""
        row = np.asarray(ids, np.int64)
        return row[~np.isin(row, self.padding)].tobytes()

    def without_end(self, ids: Any) -> list[int]:
        """Return the ids of a row without the padding at its end, and without the end, if the same token pads."""
        row = np.asarray(ids, np.int64)
        return row[: np.flatnonzero(~np.isin(row, self.padding)).max(initial=-1) + 1].tolist()

    def decode(self, rows: Iterable[Iterable[int]]) -> list[str]:
        """Return the texts of rows of ids, without ids that the tokenizer lacks, and without outer spaces."""
        known = [[token for token in row if 0 <= token < self.size] for row in rows]
        return [text.strip() for text in self.tokenizer.batch_decode(known, skip_special_tokens=self._skips_special)]

    def scores(
        self,
        outputs: list[list[int]],
        sources: list[str],
        references: list[list[str]],
        *,
        setting: str,
        length: int,
        by_chance: int = 0,
    ) -> Scores:
        """Return "sari", "keep", "delete" and "add" of outputs in percent, and give warnings about them.

        Args:
            outputs: the ids of each output, without padding at the end.
            setting: what makes outputs longer.
            length: the number of ids of an output that is cut.
            by_chance: so many outputs have this number of ids and are not cut.
        """
        give_warnings(self._foreign_ids(outputs, sources, references))
        cut = sum(len(ids) == length and ids[-1] not in self._special for ids in outputs if ids)
        if cut > max(by_chance, _MANY_CUT * len(outputs)):
            message = f"many outputs are cut before their end: raise {setting}"
            give_warnings([TrainingWarning(message, f"{cut} of {len(outputs)}")])
        texts = apply_postprocess(self._postprocess, self.decode(outputs))
        corpus = score_columns(Columns(sources, texts, references), self._variant)
        give_warnings(corpus.warnings())
        return corpus.scores()

    def _foreign_ids(
        self, outputs: list[list[int]], sources: list[str], references: list[list[str]]
    ) -> Iterator[SariWarning]:
        """Yield warnings if ids of outputs are not of the tokenizer, or look like those of another one."""
        if lacking := sum(max(ids, default=0) >= self.size for ids in outputs):
            message = "outputs have ids that the tokenizer lacks: give the one that made the labels"
            yield TrainingWarning(message, f"{lacking} of {len(outputs)}")
        shares = []
        for row, output in enumerate(outputs[:_CHECKED_ROWS]):
            if ids := {*output} - self._special:
                known = chain(*self.tokenizer(text_target=[sources[row], *references[row]])["input_ids"])
                shares.append(len(ids.intersection(known)) / len(ids))
        if shares and fmean(shares) < _LEAST_SHARED:
            message = "outputs have other tokens than sources and references: give the tokenizer that made the labels"
            yield TrainingWarning(message, f"{fmean(shares):.0%} are the same")

    def first_warnings(self, references: list[list[str]]) -> Iterator[SariWarning]:
        """Yield warnings if the variant rewards copies, or if the tokenizer changes texts, without a postprocess.

        A change of case and spaces does not count, and most texts are changed.
        """
        yield from variant_warnings(self._variant)
        texts = [row[0] for row in references[:_CHECKED_ROWS]] if self._postprocess is None else []
        decoded = self.decode(self.tokenizer(text_target=texts)["input_ids"]) if texts else []
        changed = [
            pair
            for pair in zip(texts, decoded, strict=True)
            if len({tuple(text.casefold().split()) for text in pair}) == 2
        ]
        if 2 * len(changed) > len(texts):
            message = "the tokenizer changes texts: correct them with postprocess"
            yield TrainingWarning(message, " becomes ".join(map(short_repr, changed[0])))


def is_chat(messages: Any) -> bool:
    """Return whether something is a list of the messages of a chat. A message that calls tools may lack a content."""
    return (
        is_column(messages)
        and isinstance(messages, Collection)
        and len(messages) > 0
        and all(isinstance(message, Mapping) and "role" in message for message in messages)
        and all("content" in message or "tool_calls" in message for message in messages)
    )


def token_ids(name: str, ids: Any) -> np.ndarray:
    """Return the token ids of a text, int64[token], or refuse what is none; `name` is for errors.

    >>> token_ids("labels", [5, 1]).tolist(), token_ids("labels", []).tolist()
    ([5, 1], [])
    """
    with suppress(ValueError):  # of lists of several lengths
        row = np.asarray(list(ids) if is_column(ids) else ids)
        if row.ndim == 1 and (row.dtype.kind in "iu" or not row.size):
            numbers = row.astype(np.int64)
            if np.array_equal(numbers, row):  # None is too large for int64.
                return numbers
    raise RefusedValueError(fault(name, short_repr(ids), "a list of token ids"))


def check_types(kind: Any, expected: str, **arguments: Any) -> None:
    """Refuse arguments that are not of this type, or of one of these types."""
    for name, value in arguments.items():
        if not isinstance(value, kind):
            raise RefusedTypeError(fault(name, short_repr(value), expected))


def apply_postprocess(postprocess: Postprocess, texts: list[str]) -> list[str]:
    """Return the texts that are scored."""
    return texts if postprocess is None else validate_texts("postprocess", list(map(postprocess, texts)))


# ---- Texts attached to a Trainer -------------------------------------------------------------------------------------


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
    skip_special_tokens: bool = True,
    evaluation_set: str | None = None,
) -> None:
    """Let the model of a Trainer of transformers or TRL generate for these texts at each evaluation, and score it.

    `eval_sari`, `eval_keep`, `eval_delete` and `eval_add`, in percent, are then among the metrics: logged, returned and
    compared. They are of these texts, whatever rows the Trainer evaluates or predicts with the `metric_key_prefix`
    "eval". `predict` has another one by default, with which nothing is generated. Losses, parameters and random
    numbers, those of the CPU and of the model's GPU, stay as they would be without `attach`. A warning says if many
    outputs are cut before their end.

    The model also generates for a batch of the longest prompt at this call, as many tokens as it may, so that what
    `generate` refuses is refused before training. It generates some tokens for the shortest prompt, too, alone and
    beside the longest one, to find out whether padding changes them. It does neither with FSDP and DeepSpeed, which
    place the model when training begins.

    Args:
        trainer: any `Trainer` whose model generates. Its `processing_class` tokenizes, and needs a `pad_token`.
        sources: the sources.
        references: the references, a list per source or a single text.
        prompts: for each source a text, the messages of a chat without the answer, or token ids; or a function from a
            source to its prompt. None for the sources themselves, if the model has an encoder. The tokenizer adds its
            special tokens to a text, but no second beginning, and no end where the model continues the text.
        generation_kwargs: arguments of the model's `generate`. Unless they say otherwise, nothing is sampled, there are
            at most 128 new tokens, or as many as the Trainer's `generation_max_length` allows, and as many beams as its
            `generation_num_beams`; all else is as the model's own configuration has it, but for one text for each
            prompt. "max_new_tokens" and "min_new_tokens" are the lengths, since others count the padding of prompts:
            without an encoder, a "min_length" of the configuration does not hold either.
        chat_template_kwargs: arguments of `apply_chat_template` and variables of the template; other names are ignored.
        batch_size: the number of prompts at a time; None for `per_device_eval_batch_size`, or 1 if padding changes what
            the model generates.
        postprocess: a function from a generated text to the text that is scored.
        skip_special_tokens: whether generated texts lack special tokens; otherwise `postprocess` removes them.
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
    _check_trainer(trainer)
    prefix = _metric_prefix(trainer, evaluation_set)
    check_types(
        Mapping | None,
        "a dict of arguments",
        generation_kwargs=generation_kwargs,
        chat_template_kwargs=chat_template_kwargs,
    )
    size = trainer.args.per_device_eval_batch_size if batch_size is None else batch_size
    sources, references = validate_shared(sources, references)
    if not sources:
        raise RefusedValueError(fault("sources", "no rows", "at least one"))
    output_scorer = OutputScorer(
        "processing_class", trainer.processing_class, scorer.variant, postprocess, skip_special_tokens
    )
    texts = AttachedTexts(
        output_scorer=output_scorer,
        sources=sources,
        references=references,
        prompts=[
            _ids_of_prompt(f"prompts[{row}]", prompt, output_scorer, chat_template_kwargs or {}, trainer.model)
            for row, prompt in enumerate(_column_of_prompts(prompts, sources, trainer.model))
        ],
        generate_arguments=_generate_arguments(trainer, output_scorer.tokenizer, generation_kwargs or {}),
        batch_size=check_whole_number("batch_size", size, least=1),
    )
    give_warnings(output_scorer.first_warnings(references))
    if not (trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled):
        texts.try_longest_prompt(trainer)
        if texts.batch_size > 1 and texts.is_changed_by_padding(trainer.model):
            what = "set batch_size=1"
            if batch_size is None:
                texts, what = replace(texts, batch_size=1), "it generates for one prompt at a time"
            give_warnings([TrainingWarning(f"padding changes what the model generates: {what}")])
    _add_to_evaluations(trainer, prefix, texts)


def _check_trainer(trainer: Any) -> None:
    """Refuse what is no Trainer of a model that generates, and an evaluation that is not that of `Trainer`."""
    model = getattr(trainer, "model", None)
    if getattr(model, "generation_config", None) is None:
        raise RefusedValueError(
            fault("trainer", type(model or trainer).__name__, "a Trainer with a model that generates")
        )
    if getattr(trainer.args, "use_legacy_prediction_loop", False):  # of transformers 4
        raise RefusedValueError(
            fault("trainer", "use_legacy_prediction_loop=True", "False: with it, no scores are logged")
        )


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
        trainer.__class__ = type(type(trainer).__name__, (EvaluationWithTexts, type(trainer)), {})
    # A new dict: copies of the Trainer keep theirs.
    trainer.attached_texts = {**getattr(trainer, "attached_texts", {}), prefix: texts}


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


def _column_of_prompts(prompts: Any, sources: list[str], model: Any) -> list[Any]:
    """Return a prompt of some kind for each source."""
    if prompts is None and model.config.is_encoder_decoder:
        prompts = sources
    if not callable(prompts) and not is_column(prompts):
        wanted = 'a list, or a function from a source to a prompt, such as "Simplify: {}\\n".format'
        raise RefusedValueError(fault("prompts", short_repr(prompts), wanted))
    column = list(map(prompts, sources) if callable(prompts) else prompts)
    if len(column) != len(sources):
        raise RefusedValueError(fault("prompts", count_of(len(column), "row"), f"{len(sources):,} (as in sources)"))
    return column


def _ids_of_prompt(
    name: str, prompt: Any, output_scorer: OutputScorer, template: Mapping[str, Any], model: Any
) -> list[int]:
    """Return the token ids of a prompt, or refuse it; `name` is for errors."""
    if isinstance(prompt, str):
        ids = _ids_of_text(prompt, output_scorer.tokenizer, model.config.is_encoder_decoder)
    elif is_chat(prompt):
        ids = _ids_of_chat(name, prompt, output_scorer, template)
    elif is_column(prompt) and not any(isinstance(part, Mapping) for part in prompt):
        ids = token_ids(name, prompt).tolist()
    else:
        raise RefusedValueError(fault(name, short_repr(prompt), f"a str, {CHAT}, or token ids"))
    size = model.get_input_embeddings().num_embeddings
    if not ids or min(ids) < 0 or max(ids) >= size:
        raise RefusedValueError(fault(name, short_repr(prompt), f"tokens with ids from 0 to {size - 1}"))
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


def _ids_of_chat(name: str, messages: Any, output_scorer: OutputScorer, template: Mapping[str, Any]) -> list[int]:
    """Return the token ids of the messages of a chat."""
    is_continued = bool(template.get("continue_final_message"))
    if not is_continued and messages[-1]["role"] == "assistant":
        raise RefusedValueError(fault(name, "a chat that ends with an answer", "a chat without it"))
    text = output_scorer.processor.apply_chat_template(
        messages, tokenize=False, **{"add_generation_prompt": not is_continued, **template}
    )
    return list(output_scorer.tokenizer(text, add_special_tokens=False)["input_ids"])


# ---- Generation ------------------------------------------------------------------------------------------------------


def _generate_arguments(trainer: Any, tokenizer: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `generate` but for its inputs."""
    if refused := [name for name in given if name in _REFUSED_ARGUMENTS]:
        raise RefusedValueError(fault("generation_kwargs", refused[0], _REFUSED_ARGUMENTS[refused[0]]))
    configuration, has_encoder = trainer.model.generation_config, trainer.model.config.is_encoder_decoder
    # Of Seq2SeqTrainingArguments. This length counts the token that starts a decoder, or the padding of prompts.
    beams, length = (getattr(trainer.args, f"generation_{name}", None) for name in ("num_beams", "max_length"))
    if length and not has_encoder and "max_new_tokens" not in given:
        raise RefusedValueError(
            fault("trainer", f"generation_max_length={length}", "max_new_tokens in generation_kwargs")
        )
    arguments = {
        "do_sample": False,
        "max_new_tokens": length - 1 if length else 128,
        "num_return_sequences": 1,
        "return_dict_in_generate": False,
        "pad_token_id": tokenizer.pad_token_id,
        **({"num_beams": beams} if beams else {}),
        **({"min_length": 0} if configuration.min_length and not has_encoder else {}),  # It counts the padding, too.
        **given,
    }
    check_whole_number("max_new_tokens in generation_kwargs", arguments["max_new_tokens"], least=1)
    if given.get("stop_strings", configuration.stop_strings):  # `generate` needs a tokenizer for them alone.
        arguments.setdefault("tokenizer", tokenizer)
    return arguments


@dataclass(frozen=True)
class AttachedTexts:
    """Texts for which the model of a Trainer generates, and how it does. What is not named here is as in `attach`.

    Attributes:
        prompts: the token ids of a prompt for each source.
        generate_arguments: the arguments of `generate` but for its inputs.
    """

    output_scorer: OutputScorer
    sources: list[str]
    references: list[list[str]]
    prompts: list[list[int]]
    generate_arguments: dict[str, Any]
    batch_size: int

    def scores(self, trainer: Any) -> Scores:
        """Return the scores of what the model of a Trainer generates, in each process for a part of the prompts."""
        from accelerate.utils import gather_object  # optional

        # The parts are of one size: processes wait for each other if the model is spread over them.
        size = -(-len(self.prompts) // trainer.accelerator.num_processes)
        start = size * trainer.accelerator.process_index
        outputs = self.generate(trainer, list(islice(cycle(self.prompts), start, start + size)))
        return self.output_scorer.scores(
            list(map(self.output_scorer.without_end, gather_object(outputs)[: len(self.prompts)])),
            self.sources,
            self.references,
            setting="max_new_tokens in generation_kwargs",
            length=self.generate_arguments["max_new_tokens"],
        )

    def try_longest_prompt(self, trainer: Any) -> None:
        """Generate as many tokens as the model may, so that it needs all positions and memory that it can need."""
        prompts = [max(self.prompts, key=len)] * min(self.batch_size, len(self.prompts))
        self.generate(trainer, prompts, min_new_tokens=self.generate_arguments["max_new_tokens"])

    def is_changed_by_padding(self, model: Any) -> bool:
        """Return whether the model scores the first tokens for the shortest prompt otherwise beside the longest one.

        The scores show what a model that has learned nothing does not generate yet. They differ by rounding, too, by
        far less.
        """
        import torch  # optional

        shortest, longest = min(self.prompts, key=len), max(self.prompts, key=len)
        count = min(_TRIED_TOKENS, self.generate_arguments["max_new_tokens"])
        options: dict[str, Any] = {"do_sample": False, "min_new_tokens": count, "max_new_tokens": count}
        is_learning = model.training
        model.eval()
        alone, beside = (
            self._generate_batch(model, prompts, **options, return_dict_in_generate=True, output_scores=True).scores
            for prompts in ([shortest], [shortest, longest])
        )
        model.train(is_learning)
        for one, other in zip(alone, beside, strict=True):
            finite = one[0].isfinite() & other[0].isfinite()
            difference = (one[0] - other[0])[finite].square().mean().sqrt() / one[0][finite].std()
            if difference > torch.finfo(model.dtype).eps ** 0.5:
                return True
            if one[0].argmax() != other[0].argmax():  # The tokens are almost equally probable.
                break
        return False

    def generate(self, trainer: Any, prompts: list[list[int]], **arguments: Any) -> list[list[int]]:
        """Return the ids that the model of a Trainer generates for prompts; random numbers go on where they were.

        The arguments of `generate` replace those that are attached.
        """
        import torch  # optional
        from tqdm.auto import tqdm  # which warns where a notebook cannot show a bar

        model, size = trainer.model, self.batch_size
        outputs: list[list[int]] = []
        batches = [prompts[start : start + size] for start in range(0, len(prompts), size)]
        is_quiet = trainer.args.disable_tqdm or not trainer.is_world_process_zero()
        with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
            for batch in tqdm(batches, desc="SARI: generating", leave=False, disable=is_quiet):
                ids = self._generate_batch(model, batch, **arguments)
                # What stands before the output is the decoder's start, or the prompts.
                outputs += ids[:, 1 if model.config.is_encoder_decoder else max(map(len, batch)) :].tolist()
        return outputs

    def _generate_batch(self, model: Any, prompts: list[list[int]], **arguments: Any) -> Any:
        """Return what the model generates for prompts. Errors name the longest one."""
        inputs = self.output_scorer.tokenizer.pad(
            {"input_ids": prompts},
            padding_side="right" if model.config.is_encoder_decoder else "left",  # The last column is continued.
            return_attention_mask=True,
            return_tensors="pt",
        ).to(model.device)
        arguments = {**self.generate_arguments, **arguments}
        try:
            return model.generate(**inputs, **arguments)
        except Exception as error:
            longest = max(prompts, key=len)
            note = (
                f"sari.attach: for prompts[{self.prompts.index(longest)}] of {len(longest)} tokens "
                f"in a batch of {len(prompts)}, max_new_tokens={arguments['max_new_tokens']}"
            )
            if positions := getattr(model.config, "max_position_embeddings", None):
                note += f"; the model has {positions} positions"
            error.add_note(note)
            raise
