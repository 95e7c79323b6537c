"""The doors: SARI of lists, in batches, of several systems, and in training, without `evaluate`.

Each door says in its signature what it takes, has it checked once, and leaves the work to the floors below.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from .comparing import (
    Comparison,
    Difference,
    baseline_scores,
    check_compared,
    compare,
    comparison_warnings,
    explain_difference,
    score_systems,
)
from .data_warnings import CATEGORIES, collect_warnings, give_warnings
from .hooks import TrainingDoors
from .inputs import Columns, validate_columns, validate_shared, validate_systems
from .options import Resampling, Settings, check_flags, lists_options, resolve_resampling, settings_of
from .results import Result, Scores, SentenceScores
from .sentences import SentenceSplitter
from .state import State, read_state, state_of
from .tokenization import Tokenizer, split_into_tokens
from .variants import VARIANTS, resolve_variant

COLUMNS = ("sources", "predictions", "references")


class Plan(NamedTuple):
    """What `compute` is to do, with everything checked.

    Attributes:
        settings: how to score.
        resampling: how intervals are made.
        details, baselines: whether they are wanted.
    """

    settings: Settings
    resampling: Resampling
    details: bool
    baselines: bool


class Tokenized(NamedTuple):
    """The tokens of each source, of each prediction, and of each segment's references."""

    sources: list[list[str]]
    predictions: list[list[str]]
    references: list[list[list[str]]]


class Scorer(TrainingDoors):
    """SARI without `evaluate`; the metric of `evaluate` is one too, and does the same.

    Attributes:
        default_variant: what methods take where no variant is named; None where each takes its own, mostly "hf".
        loader: what loads this module in a process that does not know it; None where `import sari` does.

    >>> Scorer("easse").signature(nrefs=1) == Scorer().signature(nrefs=1, variant="easse")
    True
    """

    loader: partial[Any] | None = None

    def __init__(self, variant: str | None = None):
        self.default_variant = variant if variant is None else resolve_variant(variant).name

    @property
    def variants(self) -> dict[str, str]:
        """Every published SARI by name: who published it and what differs, in a line."""
        return {name: row.summary for name, row in VARIANTS.items()}

    @property
    def warning_categories(self) -> dict[str, type[Warning]]:
        """The categories of warnings by name, for `warnings.filterwarnings`; "SariWarning" is the base of all."""
        return dict(CATEGORIES)

    def collect_warnings(self) -> AbstractContextManager[list[Warning]]:
        """Put the warnings about scores into a list instead of giving them, in this thread or task alone.

        Unlike `warnings.catch_warnings`, it is safe where several threads score at once, as in a server.

        >>> with Scorer().collect_warnings() as collected:
        ...     _ = Scorer().compute(sources=["a b"], predictions=[""], references=["a"], variant="easse")
        >>> [(type(warning).__name__, str(warning)) for warning in collected]
        [('EmptyOutputsWarning', '1 of 1 predictions is empty')]
        """
        return collect_warnings()

    @lists_options
    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
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
        details: bool = False,
        confidence: float | None = None,
        resamples: int = 1_000,
        seed: int = 12345,
        baselines: bool = False,
    ) -> Result:
        """Compute SARI of lists of texts: arguments, results and errors are those of the metric, see its description.

        >>> texts = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b", "a"]]}
        >>> scores = Scorer().compute(**texts, variant="easse")
        >>> {name: round(score, 2) for name, score in scores.items()}
        {'sari': 34.37, 'keep': 38.1, 'delete': 65.0, 'add': 0.0}
        """
        return self.compute_planned(sources, predictions, references, plan_of(locals()))

    def compute_planned(self, sources: Any, predictions: Any, references: Any, plan: Plan) -> Result:
        """Compute what the plan asks for; see `compute`."""
        return compute_checked(validate_columns(sources, predictions, references), plan)

    @lists_options
    def state(
        self,
        *,
        sentences: bool = False,
        resampling: bool = False,
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
    ) -> State:
        """Return an empty `State`, to score in batches or shards.

        Args:
            sentences: whether to keep the scores of every segment.
            resampling: whether to keep of every segment what confidence intervals are made of.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.
        """
        return State(settings_of(locals()), sentences=sentences, resampling=resampling, loader=self.loader)

    def read_state(
        self,
        data: bytes,
        *,
        tokenize: Callable[[str], str] | None = None,
        sentence_splitter: Callable[[str], Sequence[str]] | None = None,
    ) -> State:
        """Return the state of which `State.to_bytes` made bytes, on this machine or another one.

        Args:
            data: the bytes.
            tokenize, sentence_splitter: the callables, if the state was made with some.

        Raises:
            ValueError: for other bytes, and where version or signature are not those that scores have here.

        >>> state = Scorer().state(variant="easse")
        >>> state.update(sources=["a b c"], predictions=["a b"], references=[["a b", "a"]])
        >>> Scorer().read_state(state.to_bytes()).compute() == state.compute()
        True
        """
        return read_state(data, tokenize=tokenize, sentence_splitter=sentence_splitter, loader=self.loader)

    @lists_options
    def score_batch(
        self,
        batch: Mapping[str, Any],
        *,
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
    ) -> SentenceScores:
        """Score every row of a batch alone: what `Dataset.map(sari.score_batch, batched=True)` wants.

        Args:
            batch: columns "sources", "predictions" and "references".
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Returns:
            Columns "sari", "keep", "delete" and "add": one score in percent per row.
        """
        settings = settings_of(locals())
        names = getattr(batch, "column_names", batch)  # of an Arrow table
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise ValueError(f"batch: got columns {', '.join(names)}, wanted also {', '.join(missing)}")
        state = State(settings, sentences=True)
        state.update(**{name: batch[name] for name in COLUMNS})
        return state.sentences()

    @lists_options
    def compare(
        self,
        *,
        sources: Any,
        predictions: Mapping[str, Any],
        references: Any,
        baseline: str | None = None,
        method: str | None = "randomization",
        confidence: float | None = 0.95,
        resamples: int | None = None,
        seed: int = 12345,
        details: bool = False,
        all_pairs: bool = False,
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
    ) -> Comparison:
        """Score several systems and test whether they differ from one of them, the baseline.

        Args:
            sources, references: as in `compute`.
            predictions: for each system its name and its predictions.
            baseline: the name of the system that the others are compared with; the first where it is None.
            method: the paired test: "randomization" (approximate randomization) or "bootstrap"; None for no test.
            confidence: the level of the intervals, from a bootstrap over segments; None for no intervals.
            resamples: how many draws for each; where None, 1,000 resamples for intervals and the bootstrap, 10,000
                trials for randomization, and more where more than 25 or 250 comparisons want them.
            seed: of the random numbers: the same seed gives the same result on any machine.
            all_pairs: whether to compare each system with each instead, without a baseline.
            details, variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Returns:
            A dict with "baseline", "method", "confidence", "resamples" (of the intervals), "trials" (of the test),
            "seed", "comparisons", "segments", "signature", and "systems": for each name, in the order given, what
            `compute` returns, and, except for the baseline and without a method, "differences", the four scores minus
            the baseline's, "p_values", the chance of differences at least that large, in either direction, between
            equal systems (1 for a single segment), and "corrected_p_values", the same after Holm's correction for the
            number of comparisons, which tell what is significant.

            With all pairs, systems come sorted by SARI, each with its "group", which ends where all systems so far are
            significantly better than all that follow, and the first and the last of the ranks that it may have,
            "rank"; and "pairs" has a dict for each two of them: "systems", "differences", "p_values" and
            "corrected_p_values".

        Raises:
            ValueError, TypeError: as `compute` does.

        >>> comparison = Scorer().compare(
        ...     sources=["He arrived subsequently .", "She commenced work ."] * 10,
        ...     predictions={"one": ["He arrived ."] * 20, "other": ["He arrived later .", "She began work ."] * 10},
        ...     references=["He arrived later .", "She began work ."] * 10,
        ...     variant="easse",
        ... )
        >>> other = comparison["systems"]["other"]
        >>> round(other["differences"]["sari"], 2), round(other["corrected_p_values"]["sari"], 4)
        (41.48, 0.0001)
        """
        plan = resolve_resampling(confidence=confidence, method=method, resamples=resamples, seed=seed)
        check_flags(details=details, all_pairs=all_pairs)
        settings = settings_of(locals())
        columns = validate_systems(sources, predictions, references)
        check_compared(list(columns.predictions), baseline, plan, all_pairs)
        states = score_systems(columns, settings, sentences=details, resampling=plan.is_wanted)
        comparison = compare(states, baseline=baseline, resampling=plan, details=details, all_pairs=all_pairs)
        give_warnings(comparison_warnings(states, comparison))
        return comparison

    @lists_options
    def baselines(
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
    ) -> dict[str, Scores]:
        """Score what any system should be held against; see `comparing.baseline_scores`.

        Args:
            sources, references, variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`.

        Returns:
            The four scores of "copy", the sources themselves; of "empty", outputs of no words; of "unrelated", the
            first reference of the next segment, where there is one; and, where all segments have at least two
            references, of "reference 1" and so on, each against the others, and of "references", their mean.
        """
        settings = settings_of(locals())
        return baseline_scores(*validate_shared(sources, references), settings)

    @lists_options
    def explain_difference(
        self,
        *,
        sources: Any,
        predictions: Any,
        references: Any,
        variant_a: str = "hf",
        variant_b: str = "easse",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
        threads: int | None = None,
    ) -> Difference:
        """Tell why two variants score the same predictions differently, by changing one choice at a time.

        Args:
            sources, predictions, references: as in `compute`.
            variant_a, variant_b: the variants to walk from and to.
            level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter, threads: as in `compute`, for both variants.

        Returns:
            A dict with "variant_a", "variant_b", "signature_a", "signature_b", and "steps": a list of dicts, each with
            "choice" (what changes: "text", "zero division", "counting", "level", "deletion", "addition", "averaging",
            or "penalties", which are taken off first and put on last), "before" and "after" (in words), the four
            scores after the step, and "change", what it did to SARI. The first step is variant_a as it is, with None
            for these words; choices that agree have no step.
        """
        given = locals()
        first, last = (settings_of({**given, "variant": name}) for name in (variant_a, variant_b))
        return explain_difference(validate_columns(sources, predictions, references), first, last)

    @lists_options
    def tokens(
        self,
        *,
        sources: Any,
        predictions: Any,
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
    ) -> Tokenized:
        """Return the texts as the tokens that are scored; arguments as in `compute`.

        Where a variant splits on single spaces, what stands between two of them, or in an empty text, is a token: "".

        >>> Scorer().tokens(sources=["A cat, asleep."], predictions=["A cat."], references=[["One cat."]]).sources
        [['a', 'cat', ',', 'asleep', '.']]
        """
        settings = settings_of(locals())
        columns = validate_columns(sources, predictions, references)
        of_references = iter(split_into_tokens([*chain.from_iterable(columns.references)], settings.text))
        return Tokenized(
            split_into_tokens(columns.sources, settings.source_text),
            split_into_tokens(columns.predictions, settings.text),
            [[next(of_references) for _ in row] for row in columns.references],
        )

    @lists_options
    def signature(
        self,
        nrefs: int | str = "?",
        *,
        variant: str = "hf",
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int = 4,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter = "punkt",
    ) -> str:
        """Return the signature that scores with these options have; options as in `compute`.

        Args:
            nrefs: references per segment, "var" where segments differ.
            variant, level, deletion, zero_division, tokenize, lowercase, max_order, penalties,
                sentence_splitter: as in `compute`.
        """
        return settings_of(locals()).signature({nrefs})


def plan_of(arguments: Mapping[str, Any]) -> Plan:
    """Return what the arguments of `compute` ask for, `locals()` at its beginning, with everything checked."""
    flags = {name: arguments.get(name, False) for name in ("details", "baselines")}
    check_flags(**flags)
    names = ("confidence", "resamples", "seed")
    resampling = resolve_resampling(**{name: arguments[name] for name in names if name in arguments})
    return Plan(settings_of(arguments), resampling, **flags)


def compute_checked(columns: Columns, plan: Plan) -> Result:
    """Return the scores of checked segments, with what else the plan asks for, and warn where there is reason to."""
    drawn = plan.resampling.confidence is not None
    state = state_of(columns, plan.settings, sentences=plan.details, resampling=drawn)
    result = state.result(details=plan.details, resampling=plan.resampling)
    give_warnings([*state.warnings(), *state.warnings_of_intervals(plan.resampling)])
    if plan.baselines:
        result["baselines"] = baseline_scores(columns.sources, columns.references, plan.settings)
    return result
