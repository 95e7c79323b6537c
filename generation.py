"""For those who train by generating: a callback that generates and scores, and a reward for completions.

Nothing is imported from transformers, trl or torch before a model is there.
"""

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

from tqdm.auto import tqdm

from .comparing import Prepared, candidate_scores
from .inputs import is_column, validate_columns, validate_shared
from .options import Settings, resolve_settings
from .prompts import ONE_TEXT, Prompt, content_of, generation_prompts, is_chat
from .results import Scores
from .state import State, read_state
from .training import checked_decoder

_EVAL = "eval"
# The columns of a reward's data set where others are not named.
_COLUMNS = {"source": "source", "references": "references"}


class GenerationSet(NamedTuple):
    """What is generated and scored at an evaluation, row by row."""

    prompts: list[Prompt]
    sources: list[str]
    references: list[list[str]]


class GenerationCallback:
    """A callback of `Trainer` and of TRL's `SFTTrainer`. Made by `Sari.generation_callback`.

    Attributes:
        trainer: set it to the Trainer, and scores go also where it reports to (W&B, TensorBoard); a callback does not
            know its Trainer.
    """

    trainer: Any = None

    def __init__(
        self,
        tokenizer: Any,
        sets: Mapping[str, GenerationSet],
        settings: Settings,
        *,
        generation: Mapping[str, Any],
        batch_size: int | None,
        remake: tuple[Any, ...],
    ):
        """Keep what is needed.

        Args:
            tokenizer: the model's.
            sets: the evaluation sets by name; the name of a single one is "".
            settings: how to score.
            generation: arguments of `generate`, from `prompts.generation_arguments`.
            batch_size: prompts at a time; as the Trainer evaluates where it is None.
            remake: what makes such a callback in another process: a function and its arguments.
        """
        self._tokenizer, self._sets, self._settings = checked_decoder(tokenizer), dict(sets), settings
        self._generation, self._batch_size, self._remake = generation, batch_size, remake
        self._prepared: dict[str, Prepared] = {}

    def on_init_end(self, *_: Any, **__: Any) -> None:
        """Refuse a tokenizer that has no template for chats yet; TRL's trainer may have set one until now."""
        prompts = chain.from_iterable(texts.prompts for texts in self._sets.values())
        chat = next((prompt for prompt in prompts if not isinstance(prompt, str)), None)
        if chat is not None:
            self._chat(chat)

    def on_evaluate(self, args: Any, state: Any, _control: Any, *, model: Any, metrics: Any, **_: Any) -> None:
        """Generate, score, and add the scores to the metrics of this evaluation and to the log."""
        prefix = _prefix(metrics)
        name = self._name(prefix)
        if name is None:
            return
        quiet = bool(getattr(args, "disable_tqdm", False))
        batch_size = self._batch_size or int(args.per_device_eval_batch_size)
        scores = self._evaluated(name, model, batch_size, quiet)
        logs = {f"{prefix}_{score}": value for score, value in scores.items()}
        metrics.update(logs)
        if self.trainer is not None:
            self.trainer.log(dict(logs))
        else:
            state.log_history.append({**logs, "epoch": state.epoch, "step": state.global_step})

    def __getattr__(self, name: str) -> Callable[..., None]:
        # The Trainer calls every event of every callback.
        if name.startswith("on_"):
            return _nothing
        raise AttributeError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._remake

    def _name(self, prefix: str) -> str | None:
        """Return the name of the set that was evaluated, or None where it is none of these."""
        name = prefix.removeprefix(_EVAL).removeprefix("_")
        if prefix not in (_EVAL, f"{_EVAL}_{name}"):
            return None
        if name in self._sets:
            return name
        self._check_sets(name)
        return None

    def _check_sets(self, name: str) -> None:
        """Refuse sets that are not those of the Trainer, which evaluates another one; beside its own it may."""
        known = getattr(self.trainer, "eval_dataset", None)
        names = known if isinstance(known, Mapping) else {""}
        if self._prepared or not (self.trainer is None or name in names):
            return
        if not name:
            listed = ", ".join(map(str, self._sets))
            raise ValueError(
                f"sources: got sets by name, {listed}, wanted one set, since the Trainer evaluates one without a name"
            )
        if "" in self._sets:
            raise ValueError(
                "sources: got one evaluation set, wanted a dict by name, since the Trainer evaluates "
                f"{_EVAL}_{name}; where that is another set beside its own, set callback.trainer"
            )

    def _evaluated(self, name: str, model: Any, batch_size: int, quiet: bool) -> Scores:
        """Generate and score the rows of this process, and return the scores of all."""
        rank, world = _processes()
        texts = self._sets[name]
        if name not in self._prepared:
            self._prepared[name] = Prepared(texts.sources[rank::world], texts.references[rank::world], self._settings)
        predictions = self._generated(texts.prompts, model, batch_size, quiet or rank > 0)
        state = _merged(self._prepared[name].state(predictions), world)
        if rank == 0:  # which warns
            result = state.compute()
            return Scores(sari=result["sari"], keep=result["keep"], delete=result["delete"], add=result["add"])
        return state.scores()

    def _generated(self, prompts: Sequence[Prompt], model: Any, batch_size: int, quiet: bool) -> list[str]:
        """Return what the model makes of the prompts of this process."""
        torch = importlib.import_module("torch")
        model = getattr(model, "module", model)
        rank, world = _processes()
        own = prompts[rank::world]
        # As many batches in every process, which wait for each other where a model is spread over all of them.
        each = -(-len(prompts) // world)
        texts: list[str] = []
        devices = [model.device] if model.device.type == "cuda" else []
        with torch.no_grad(), torch.random.fork_rng(devices=devices), _evaluating(model):
            for begin in tqdm(range(0, each, batch_size), desc="SARI: generating", leave=False, disable=quiet):
                batch = own[begin : begin + batch_size]
                texts += self._completed(batch or prompts[:1], model)[: len(batch)]
        return texts

    def _completed(self, prompts: Sequence[Prompt], model: Any) -> list[str]:
        """Return what the model makes of a batch of prompts."""
        torch = importlib.import_module("torch")
        tokenizer = self._tokenizer
        encodes = bool(model.config.is_encoder_decoder)
        rows = [self._ids(prompt, encodes) for prompt in prompts]
        width = max(map(len, rows))
        padding = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        # What is generated goes on where a prompt ends.
        ids = torch.tensor([_padded(row, width, padding, left=not encodes) for row in rows], device=model.device)
        mask = torch.tensor([_padded([1] * len(row), width, 0, left=not encodes) for row in rows], device=model.device)
        made = model.generate(input_ids=ids, attention_mask=mask, **self._arguments(padding))
        made = getattr(made, "sequences", made)  # of what return_dict_in_generate=True returns
        if len(made) != len(prompts):
            raise ValueError(
                f"generation: got {len(made)} texts for {len(prompts)} prompts, wanted {ONE_TEXT}: "
                "num_return_sequences=1, which may stand in the model's generation_config"
            )
        completions = made if encodes else made[:, width:]
        return [text.strip() for text in tokenizer.batch_decode(completions.tolist(), skip_special_tokens=True)]

    def _arguments(self, padding: int) -> dict[str, Any]:
        """Return the arguments of `generate`, among which is what it pads with."""
        config = self._generation.get("generation_config")
        if config is None:
            return {"pad_token_id": padding, **self._generation}
        if config.pad_token_id is None:
            config.pad_token_id = padding
        return dict(self._generation)

    def _ids(self, prompt: Prompt, encodes: bool) -> list[int]:
        tokenizer = self._tokenizer
        if not isinstance(prompt, str):
            return list(tokenizer(self._chat(prompt), add_special_tokens=False)["input_ids"])
        ids = list(tokenizer(prompt)["input_ids"])
        # Where a text is over, a model that only decodes has nothing to say.
        return ids[:-1] if not encodes and len(ids) > 1 and ids[-1] == tokenizer.eos_token_id else ids

    def _chat(self, messages: list[dict[str, Any]]) -> str:
        """Return the text of a chat, with the beginning of an answer."""
        try:
            return str(self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
        except ValueError:
            if getattr(self._tokenizer, "chat_template", None) is not None:
                raise
            raise ValueError("tokenizer: got no chat_template, wanted one, for prompts that are messages") from None


class Reward:
    """A function for `reward_funcs=` of TRL's `GRPOTrainer`. Made by `Sari.reward`."""

    def __init__(self, settings: Settings, *, source: str, references: str, unit: bool, remake: tuple[Any, ...]):
        """Keep what is needed.

        Args:
            settings: how to score.
            source, references: the names of the columns of the data set.
            unit: whether rewards go from 0 to 1.
            remake: what makes such a reward in another process: a function and its arguments.
        """
        self.__name__ = _reward_name(settings, source, references)
        self._settings, self._columns, self._divisor = settings, (source, references), 100 if unit else 1
        self._remake = remake

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the SARI of each completion, scored alone; None where its references are None: TRL leaves it out.

        Args:
            completions: plain texts, or lists of messages, of which the last is scored.
            columns: of the data set, as long as completions; among them those of sources and references.

        Raises:
            ValueError, TypeError: where a column lacks, or holds what `compute` refuses.
        """
        for name in self._columns:
            if columns.get(name) is None:
                raise ValueError(f"{name}: got columns {', '.join(columns) or 'none'}, wanted also {name!r}")
        sources, references = (columns[name] for name in self._columns)
        left_out = {row for row, own in enumerate(references) if own is None} if is_column(references) else set()
        texts = [_text(f"completions[{row}]", completion) for row, completion in enumerate(completions)]
        checked = validate_columns(_without(sources, left_out), texts, _without(references, left_out))
        # The completions of one prompt share what there is to count.
        groups: dict[tuple[str, ...], list[int]] = {}
        for row, (source, own) in enumerate(zip(checked.sources, checked.references, strict=True)):
            if row not in left_out:
                groups.setdefault((source, *own), []).append(row)
        candidates = [[checked.predictions[row] for row in rows] for rows in groups.values()]
        first = [rows[0] for rows in groups.values()]
        scores = candidate_scores(
            [checked.sources[row] for row in first],
            candidates,
            [checked.references[row] for row in first],
            self._settings,
        )
        rewards: list[float | None] = [None] * len(texts)
        for rows, of_rows in zip(groups.values(), scores, strict=True):
            for row, score in zip(rows, of_rows, strict=True):
                rewards[row] = score / self._divisor
        return rewards

    def __reduce__(self) -> tuple[Any, ...]:
        return self._remake


def _reward_name(settings: Settings, source: str, references: str) -> str:
    """Return the name by which a reward is told from others: the variant, and all that is not as it is by default."""
    usual = {**resolve_settings(settings.variant.name).options, "threads": settings.threads, **_COLUMNS}
    chosen = {**settings.options, "source": source, "references": references}
    named = [f"{option}-{_named(value)}" for option, value in chosen.items() if value != usual[option]]
    return "_".join(["sari", settings.variant.name, *named])


def _named(value: Any) -> Any:
    return getattr(value, "__name__", type(value).__name__) if callable(value) else value


def generation_set(sources: Any, references: Any, prompts: Any) -> GenerationSet:
    """Check the columns of an evaluation set and return it.

    Raises:
        ValueError, TypeError: for bad columns, and where there are no segments.
    """
    sources, references = validate_shared(sources, references)
    if not sources:
        raise ValueError("sources, references: got no segments, wanted at least one")
    return GenerationSet(generation_prompts(prompts, sources), sources, references)


def _text(name: str, completion: Any) -> str:
    """Return what a completion says."""
    if not isinstance(completion, str):
        if not is_chat(completion):
            raise TypeError(f"{name}: got {type(completion).__name__}, wanted a str or a list of messages")
        completion = content_of(name, completion[-1].get("content"))
    return completion.strip()


def _without(column: Any, rows: set[int]) -> Any:
    """Return a column with empty texts, or lists of one, in some rows, so that the others keep their numbers."""
    if not rows or not is_column(column):
        return column
    kept = next((texts for row, texts in enumerate(column) if row not in rows), "")
    return [([""] if is_column(kept) else "") if row in rows else texts for row, texts in enumerate(column)]


def _padded(row: list[int], width: int, padding: int, *, left: bool) -> list[int]:
    more = [padding] * (width - len(row))
    return more + row if left else row + more


@contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    """Put a model into the mode of evaluation, and each of its parts back into its own afterwards."""
    training = [part for part in model.modules() if part.training]
    model.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _prefix(metrics: Mapping[str, Any]) -> str:
    """Return what the names of an evaluation's metrics begin with; users may have metrics that end as the Trainer's."""
    prefixes = [name.removesuffix("_runtime") for name in metrics if name.endswith("_runtime")]
    timed = [prefix for prefix in prefixes if f"{prefix}_samples_per_second" in metrics]
    return min(timed or prefixes, key=len, default=_EVAL)


def _merged(state: State, world: int) -> State:
    """Return the state of the rows of all processes."""
    if world == 1:
        return state
    distributed = importlib.import_module("torch.distributed")
    gathered: list[Any] = [None] * world
    distributed.all_gather_object(gathered, state.to_bytes())  # without callables, which need not pickle
    first, *others = (read_state(data, **state.callables, loader=None) for data in gathered)
    for other in others:
        first.merge(other)
    return first


def _processes() -> tuple[int, int]:
    """Return which of the processes of a training this is, and how many there are."""
    if int(os.environ.get("WORLD_SIZE") or 1) == 1:
        return 0, 1
    distributed = importlib.import_module("torch.distributed")
    if not (distributed.is_available() and distributed.is_initialized()):
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing at an event."""
