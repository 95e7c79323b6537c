"""The doors for those who train and choose: hook for the Trainer, generation callback, reward, candidates."""

import operator
from collections.abc import Mapping
from typing import Any, cast

from .comparing import Chosen, Prepared, candidate_scores, minimum_bayes_risk
from .data_warnings import check_variant, give_warnings
from .evaluation_sets import columns_by_set, evaluation_sets
from .generation import GenerationCallback, Reward, generation_set
from .inputs import validate_candidates, validate_shared
from .model_outputs import preprocess_logits_for_metrics
from .options import Settings, check_flags, lists_options, settings_of
from .prompts import generation_arguments
from .sentences import SentenceSplitter
from .state import State
from .tokenization import Tokenizer
from .training import TrainerMetric
from .variants import check_whole_number

# What a reward is where no variant is named.
_NO_FRIEND_OF_COPIES = "easse"


class TrainingDoors:
    """The methods of the metric for those who train models and choose among what they say.

    Attributes:
        default_variant: what methods take where no variant is named; None where each takes its own, mostly "hf".
    """

    default_variant: str | None

    @lists_options
    def compute_metrics(
        self,
        tokenizer: Any,
        *,
        sources: Any = None,
        references: Any = None,
        variant: str = "hf",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> TrainerMetric:
        """Return a function for `compute_metrics=` of `Trainer` and `Seq2SeqTrainer` of transformers.

        It decodes token ids, or logits, and returns "sari", "keep", "delete" and "add" in percent. Give the Trainer
        also `preprocess_logits_for_metrics=sari.preprocess_logits_for_metrics`, unless it generates. What a model that
        only decodes says of prompts and answers is aligned where labels hide the prompts, and refused otherwise; see
        `generation_callback`.

        Args:
            tokenizer: what decodes the token ids: `processing_class` of the Trainer.
            sources: the raw sources, in the order of the evaluation set; without them the decoded inputs are taken,
                for which the training arguments need `include_for_metrics=["inputs"]`.
            references: the raw references, likewise; without them the decoded labels are taken, and inputs are
                needed that show the order. For several evaluation sets, sources and references are dicts of columns by
                the name of the set.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Raises:
            ValueError, TypeError: for bad input; the function raises ValueError for an evaluation set whose decoded
                labels or inputs show that it is another one, or in another order.

        For example::

            Seq2SeqTrainer(compute_metrics=sari.compute_metrics(tokenizer, sources=sources, references=references), ...)
        """
        given = locals()
        sets = evaluation_sets(sources, references)
        return TrainerMetric(
            tokenizer, _Scoring(settings_of(given)), sets, remake=_remade("compute_metrics", given, "tokenizer")
        )

    preprocess_logits_for_metrics = staticmethod(preprocess_logits_for_metrics)

    @lists_options
    def generation_callback(
        self,
        tokenizer: Any,
        *,
        sources: Any,
        references: Any,
        prompts: Any = None,
        generation: Any = None,
        batch_size: int | None = None,
        variant: str = "hf",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> GenerationCallback:
        """Return a callback of `Trainer` and of TRL's `SFTTrainer` that generates and scores at every evaluation.

        It logs `eval_sari`, `eval_keep`, `eval_delete` and `eval_add`, in percent, and adds them to the metrics of the
        evaluation, so that `load_best_model_at_end` and `metric_for_best_model="eval_sari"` work. Several processes
        share the rows; the score is that of all, to the last bit. The sets are these, in this order, whatever the
        Trainer evaluates.

        Args:
            tokenizer: the model's: `processing_class` of the Trainer.
            sources: the raw sources.
            references: the raw references, a list per source or a single text. For several evaluation sets, sources
                and references, and prompts if they are not made by a function, are dicts of columns by the name of
                the set.
            prompts: what the model is asked, for each source: a text, or the messages of a chat, without the answer,
                which become text by the tokenizer's chat template; or a function from a source to that. The sources
                where it is None.
            generation: a dict of arguments of the model's `generate`, or a `GenerationConfig`; greedy where it is None.
                There are at most 128 new tokens, unless it says `max_new_tokens` or `max_length`.
            batch_size: prompts at a time; `per_device_eval_batch_size` where it is None.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Raises:
            ValueError, TypeError: for bad input; the Trainer that gets it, for messages and a tokenizer without a chat
                template.

        For example::

            SFTTrainer(callbacks=[sari.generation_callback(tokenizer, sources=sources, references=references)], ...)
        """
        given = locals()
        if batch_size is not None:
            check_whole_number("batch_size", batch_size, least=1)
        of_sets = {"sources": sources, "references": references}
        if not callable(prompts):
            of_sets["prompts"] = prompts
        sets = {
            name: generation_set(**{"prompts": prompts, **columns}) for name, columns in columns_by_set(of_sets).items()
        }
        return GenerationCallback(
            tokenizer,
            sets,
            settings_of(given),
            generation=generation_arguments(generation),
            batch_size=batch_size,
            remake=_remade("generation_callback", given, "tokenizer"),
        )

    @lists_options
    def reward(
        self,
        *,
        source: str = "source",
        references: str = "references",
        unit: bool = False,
        variant: str | None = None,
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> Reward:
        """Return a function for `reward_funcs=` of TRL's `GRPOTrainer`: the SARI of each completion, scored alone.

        Its `__name__`, under which the Trainer logs it, is "sari_" and the variant, and such options and columns as are
        not the usual ones: "sari_easse_max_order-2". Completions may be plain texts or messages. The variant is "easse"
        where none is named, here or when the metric was made, since "hf" pays copies of the source more than what
        people wrote; a variant that does so has to be asked for by name, and warns.

        Args:
            source, references: the columns of the data set that hold the raw source, and a list of references or a
                single one; or None, for a row that gets no reward of this function: None.
            unit: whether rewards go from 0 to 1 instead of to 100.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Raises:
            ValueError, TypeError: for bad options; the function raises them for columns that lack or hold no texts.

        >>> from sari.scoring import Scorer
        >>> reward = Scorer().reward(unit=True)
        >>> rewards = reward(prompts=["a b c"] * 2, completions=["a b", "a b c"], source=["a b c"] * 2,
        ...                  references=[["a b", "a"]] * 2)
        >>> reward.__name__, [round(value, 4) for value in rewards]
        ('sari_easse', [0.3437, 0.0889])
        """
        if variant is None:
            variant = self.default_variant or _NO_FRIEND_OF_COPIES
        given = locals()
        check_flags(unit=unit)
        for argument in ("source", "references"):
            if not isinstance(given[argument], str):
                raise TypeError(f"{argument}: got {given[argument]!r}, wanted the name of a column")
        settings = settings_of(given)
        _warn_of_variant(settings)
        return Reward(settings, source=source, references=references, unit=unit, remake=_remade("reward", given))

    @lists_options
    def prepare(
        self,
        *,
        sources: Any,
        references: Any,
        variant: str = "hf",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> Prepared:
        """Tokenize and count sources and references once, to score any number of predictions of them.

        Args:
            sources, references, variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        >>> from sari.scoring import Scorer
        >>> prepared = Scorer().prepare(sources=["a b c"], references=[["a b", "a"]], variant="easse")
        >>> [round(prepared.compute([text])["sari"], 2) for text in ("a b", "a", "a b c")]
        [34.37, 29.29, 8.89]
        """
        settings = settings_of(locals())
        return Prepared(*validate_shared(sources, references), settings)

    @lists_options
    def score_candidates(
        self,
        *,
        sources: Any,
        candidates: Any,
        references: Any,
        variant: str = "hf",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> list[list[float]]:
        """Score any number of candidates of each source: for best-of-n, reranking and self-training.

        Args:
            sources, references: as in `compute`.
            candidates: for each source a list of texts.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Returns:
            For each source a list with the SARI of each candidate, scored alone, in percent.

        Raises:
            ValueError, TypeError: as `compute` does.

        >>> from sari.scoring import Scorer
        >>> scores = Scorer().score_candidates(
        ...     sources=["a b c"], candidates=[["a b", "a b c"]], references=[["a b", "a"]], variant="easse"
        ... )
        >>> [[round(score, 2) for score in row] for row in scores]
        [[34.37, 8.89]]
        """
        settings = settings_of(locals())
        sources, candidates = validate_candidates(sources, candidates)
        sources, references = validate_shared(sources, references)
        _warn_of_variant(settings)
        return candidate_scores(sources, candidates, references, settings)

    @lists_options
    def minimum_bayes_risk(
        self,
        *,
        sources: Any,
        candidates: Any,
        variant: str = "hf",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> Chosen:
        """Choose of each source's candidates the one with the highest expected SARI, without references.

        The candidates, samples of a model, say, stand in for references: the expected score of one is the mean of its
        SARI with each of the others as the only reference (minimum Bayes risk, Kumar and Byrne 2004,
        https://aclanthology.org/N04-1022). One that is there twice counts twice.

        Args:
            sources: as in `compute`.
            candidates: for each source a list of at least two texts.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Returns:
            A dict of "texts" and "places", the chosen candidate of each source and its place in the list, the first of
            equals, and "expected", for each source a list with the expected score of each candidate, in percent.

        Raises:
            ValueError, TypeError: as `compute` does.

        >>> from sari.scoring import Scorer
        >>> chosen = Scorer().minimum_bayes_risk(
        ...     sources=["a b c"], candidates=[["a b c", "a b", "a b d"]], variant="easse"
        ... )
        >>> chosen["texts"], [round(score, 2) for score in chosen["expected"][0]]
        (['a b'], [12.22, 26.94, 26.94])
        """
        settings = settings_of(locals())
        checked = validate_candidates(sources, candidates, least=2)
        _warn_of_variant(settings)
        return minimum_bayes_risk(*checked, settings)


def _warn_of_variant(settings: Settings) -> None:
    """Warn where copies of the sources would be chosen; on behalf of the caller of a door."""
    if settings.variant.rewards_copying:
        give_warnings([check_variant(settings.variant.name)])


class _Scoring:
    """From texts to scores; sources and references that will come again are counted once."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._prepared: dict[int, Prepared] = {}

    def __call__(self, *, sources: Any, predictions: Any, references: Any, again: bool) -> dict[str, float]:
        if not again:
            state = State(self._settings)
            state.update(sources=sources, predictions=predictions, references=references)
            return cast(dict[str, float], state.compute())
        if id(sources) not in self._prepared:  # which `Prepared` keeps, so that no other has its place
            self._prepared[id(sources)] = Prepared(sources, references, self._settings)
        return cast(dict[str, float], self._prepared[id(sources)].compute(predictions))


def _remade(method: str, given: Mapping[str, Any], *positional: str) -> tuple[Any, ...]:
    """Return what pickle makes the result of a door of: the door, and what was given to it."""
    options = {name: value for name, value in given.items() if name not in ("self", "given", *positional)}
    return operator.methodcaller(method, *(given[name] for name in positional), **options), (given["self"],)
