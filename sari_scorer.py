"""`Scorer`: every public method of the metric but `add` and `add_batch`, without `evaluate`."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self, overload

from typing_extensions import TypedDict, Unpack

from .aggregation import DetailedResult, Result, Scores, SegmentExplanation, SentenceScores, SignedResult
from .comparison import (
    Chosen,
    SystemComparison,
    baseline_scores,
    candidate_scores,
    check_comparison,
    compare_corpora,
    comparison_warnings,
    minimum_bayes_risk,
)
from .corpus_statistics import CorpusStatistics, score_columns, score_systems
from .data_warnings import CATEGORIES, SariWarning, collect_warnings, give_warnings
from .generated_texts import attach
from .languages import SentenceSplitter, Tokenizer
from .messages import RefusedImportError, RefusedTypeError, RefusedValueError, fault, nearest_name, short_repr
from .signatures import read_signature, signature_warnings
from .significance import SEED, Resampling, TestName, resolve_resampling
from .states import State, merge_states, read_state, statistics_of_systems
from .text_checks import layout_warnings, variant_warnings
from .tokenization import with_caches
from .training import compute_metrics, reward
from .validation import (
    COLUMNS,
    Columns,
    check_choice,
    check_figure,
    check_flags,
    check_whole_number,
    columns_of_batch,
    known_arguments_alone,
    refuse_positions,
    refuse_unknown,
    validate_candidates,
    validate_columns,
    validate_shared,
    validate_systems,
)
from .variant_comparison import VariantDifference, VariantSearch, explain_difference, find_variant
from .variants import (
    DEFAULT_VARIANT,
    OPTIONS,
    VARIANTS,
    Deletion,
    Level,
    PenaltiesName,
    Variant,
    VariantName,
    resolve_variant,
)

#: What `compute` takes besides texts and options.
RESULTS = ("details", "baselines", "confidence", "resamples", "seed")

# The explanation needs modules that stand above this one, and that a loaded metric does not have.
_EXPLANATION = "sari.reports.explanation"


class ScoringOptions(TypedDict, total=False):
    """The scoring options of `Scorer`, for type checkers."""

    variant: VariantName | None
    level: Level | None
    deletion: Deletion | None
    zero_division: float | None
    tokenize: Tokenizer | None
    lowercase: bool | None
    max_order: int | None
    penalties: PenaltiesName | None
    sentence_splitter: SentenceSplitter | None


class ResultRequest(NamedTuple):
    """What `Scorer.compute` is to return besides the four scores.

    Attributes:
        details, baselines: whether to return them.
        resampling: of the confidence intervals.
    """

    details: bool
    baselines: bool
    resampling: Resampling

    @classmethod
    def of(
        cls,
        details: Any = False,
        baselines: Any = False,
        confidence: Any = None,
        resamples: Any = None,
        seed: Any = SEED,
    ) -> "ResultRequest":
        """Check the arguments of `Scorer.compute` that are neither texts nor options."""
        check_flags(details=details, baselines=baselines)
        resampling = resolve_resampling(confidence=confidence, resamples=resamples, seed=seed)
        return cls(details, baselines, resampling)

    @property
    def kept(self) -> dict[str, bool]:
        """What `score_corpus` has to keep of every segment."""
        return {"sentences": self.details, "rows": self.resampling.has_intervals}

    def answer(self, columns: Columns, corpus: CorpusStatistics) -> Result:
        """Return the result for a scored corpus, and give the warnings about it."""
        result = corpus.result(details=self.details, resampling=self.resampling)
        warnings = [*layout_warnings(columns.sources, columns.references), *corpus.warnings(self.resampling)]
        if self.baselines:
            warnings += variant_warnings(corpus.variant, columns.sources, columns.references)
            result["baselines"] = baseline_scores(columns.sources, columns.references, corpus.variant)
        give_warnings(warnings)
        signed: Any = SignedResult(result, corpus.signature())
        return signed


class Scorer:
    """SARI of lists of texts, configured once. The metric of `evaluate` is a subclass, which stores texts, too.

    Args:
        variant: which SARI, a key of `VARIANTS`.
        level: "sentence" averages the scores of sentences, "corpus" sums counts over the corpus first.
        deletion: the score of the delete operation, "precision" or "f1".
        zero_division: the value of a precision or recall whose denominator is 0: from 0 to 1.
        tokenize: how texts are split into tokens: a name of `TOKENIZERS`; "spacy-de" for the tokens of
            `spacy.blank("de")`, and so on; "module:function", which is imported; or a callable from a text to its
            tokens, as a str with spaces between them, a list of str, or what spaCy returns.
        lowercase: whether texts are lowercased first.
        max_order: the length of the longest n-grams, in tokens.
        penalties: factors for the length and the number of sentences of documents, a key of `PENALTIES`.
        sentence_splitter: how penalties split sentences: "punkt", "module:function", or a callable from a text to a
            list of sentences.

        The variant is "easse" by default. Every other option that is None has the value that the variant gives it.

    Raises:
        ValueError: for a value that is not valid, in one line, and for penalties with the level "corpus".
        TypeError: for an unknown option, and a value of the wrong type.
        ImportError: for a tokenizer or sentence splitter whose package is not installed.

    >>> scorer = Scorer("easse", lowercase=False)
    >>> scorer
    Scorer(variant='easse', lowercase=False)
    >>> scorer.variant.level, scorer.variants["hf"].level
    ('corpus', 'sentence')
    """

    #: The variant where none is given.
    default_variant = DEFAULT_VARIANT

    @known_arguments_alone
    def __init__(
        self,
        variant: VariantName | None = None,
        *,
        level: Level | None = None,
        deletion: Deletion | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int | None = None,
        penalties: PenaltiesName | None = None,
        sentence_splitter: SentenceSplitter | None = None,
    ) -> None:
        options = {name: value for name, value in locals().items() if name in OPTIONS and value is not None}
        self._options = MappingProxyType(options)
        self._variant = self._resolve()
        self._constructor_arguments: Mapping[str, Any] = self._options  # of an equal object; the metric has more

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change an option, also one that is misspelt: scores and signatures would disagree."""
        if name in OPTIONS or name == "options":
            raise AttributeError(fault(name, "an assignment", "another scorer: scorer.with_options(...)"))
        nearest = None if hasattr(self, name) or name.startswith("_") else nearest_name(name, OPTIONS)
        if nearest is not None:
            raise AttributeError(f"{name}: got an assignment; did you mean scorer.with_options({nearest}=...)?")
        super().__setattr__(name, value)

    def _resolve(self, **changes: Any) -> Variant:
        """Return the variant of the options with changes, of which None changes nothing."""
        changes = {name: value for name, value in changes.items() if value is not None}
        return resolve_variant(**{"variant": self.default_variant, **self._options, **changes})

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that were given, by name. Scorers with equal options are equal."""
        return self._options

    @property
    def variant(self) -> Variant:
        """The `Variant` that the options make: every choice that changes a score."""
        return self._variant

    def with_options(self, **changes: Unpack[ScoringOptions]) -> Self:
        """Return another scorer, with these options changed; None stands for the choice of the variant.

        >>> Scorer("easse", lowercase=False).with_options(variant="paper", lowercase=None)
        Scorer(variant='paper')
        """
        return type(self)(**{**self._constructor_arguments, **changes})

    @classmethod
    def from_signature(
        cls, signature: str, *, tokenize: Tokenizer | None = None, sentence_splitter: SentenceSplitter | None = None
    ) -> Self:
        """Return the scorer of a printed signature. No signature imports a module.

        Args:
            signature: the line that a score is printed with.
            tokenize, sentence_splitter: what the signature names, where that is code: a callable, or the name of a
                function that is imported, such as "jieba:lcut".

        It warns where the signature names other versions or code than those that are here, which may score differently.

        Raises:
            ValueError: for what is not a signature, for code that is missing, and for code that it does not name.

        >>> printed = Scorer("easse", max_order=2).signature()
        >>> Scorer.from_signature(printed).signature() == printed
        True
        """
        scorer = cls(**read_signature(signature, tokenize=tokenize, sentence_splitter=sentence_splitter))
        give_warnings(signature_warnings(signature, scorer.signature()))
        return scorer

    def __repr__(self) -> str:
        options = (f"{name}={getattr(value, '__qualname__', repr(value))}" for name, value in self.options.items())
        return f"{type(self).__name__}({', '.join(options)})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.options == other.options

    def __hash__(self) -> int:
        return hash(self.variant.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._constructor_arguments), (), self.signature()

    def __setstate__(self, signature: str) -> None:
        """Warn where the signature of a pickle names other versions. With it, caches see that a pickle has changed."""
        give_warnings(signature_warnings(signature, self.signature()))

    @property
    def variants(self) -> dict[str, Variant]:
        """The variants by name; the `summary` of each says who published it and what differs."""
        return dict(VARIANTS)

    @property
    def warning_categories(self) -> dict[str, type[SariWarning]]:
        """The categories of warnings by name, for `warnings.filterwarnings`; all derive from "SariWarning"."""
        return dict(CATEGORIES)

    def collect_warnings(self) -> AbstractContextManager[list[SariWarning]]:
        """Collect the warnings about scores in a list instead of giving them.

        Unlike `warnings.catch_warnings`, it does not affect other threads and tasks.

        >>> with Scorer().collect_warnings() as collected:
        ...     _ = Scorer().compute(sources=["a b"], predictions=[""], references=["a"])
        >>> [(type(warning).__name__, str(warning)) for warning in collected]
        [('EmptyTextsWarning', 'some outputs are empty')]
        """
        return collect_warnings()

    @overload
    def compute(
        self,
        *,
        sources: Any,
        predictions: Any,
        references: Any,
        details: Literal[False] = ...,
        confidence: None = ...,
        baselines: Literal[False] = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> Result: ...

    @overload
    def compute(
        self,
        *,
        sources: Any,
        predictions: Any,
        references: Any,
        details: Literal[True],
        confidence: float | None = ...,
        baselines: bool = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> DetailedResult: ...

    @overload
    def compute(
        self,
        *,
        sources: Any,
        predictions: Any,
        references: Any,
        details: bool = ...,
        confidence: float,
        baselines: bool = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> DetailedResult: ...

    @overload
    def compute(
        self,
        *,
        sources: Any,
        predictions: Any,
        references: Any,
        details: bool = ...,
        confidence: float | None = ...,
        baselines: Literal[True],
        resamples: int | None = ...,
        seed: int = ...,
    ) -> DetailedResult: ...

    @overload
    def compute(
        self,
        *,
        sources: Any,
        predictions: Any,
        references: Any,
        details: bool = ...,
        confidence: float | None = ...,
        baselines: bool = ...,
        resamples: int | None = ...,
        seed: int = ...,
    ) -> Result | DetailedResult: ...

    def compute(
        self,
        *texts: Any,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
        details: bool = False,
        confidence: float | None = None,
        resamples: int | None = None,
        seed: int = SEED,
        baselines: bool = False,
        **unknown: Any,
    ) -> Any:
        """Compute the SARI of a system's outputs.

        Args:
            sources: the texts to simplify: one str per segment, in a list or a column of a data frame.
            predictions: the outputs of the system: one str per segment.
            references: simplifications by people: per segment a list of at least one str, or a single str. A str that
                is a list in JSON, as tables hold it, stands for the texts in it.
            details: whether to add the signature, the figures per order and the scores per segment.
            confidence: the level of confidence intervals, such as 0.95; None for none.
            resamples, seed: the number of resamples and the seed of the percentile bootstrap that makes the intervals;
                None for 10,000, or fewer, but at least 5,000, for more than 5,000 segments.
            baselines: whether to add what `baselines` returns.

        Returns:
            A dict of floats in percent: "sari", and "keep", "delete" and "add", of which it is the mean. It is printed
            with its signature, which is also its attribute `signature`. With `details` also "signature"; "orders", for
            each n-gram order a dict with "order", and for each operation "precision", "recall", "f1" and "score", the
            one of them that is its score; and "sentences", for each of the four scores a list with one score per
            segment, scored alone. With `confidence` also "confidence_intervals", for each of the four scores a list of
            its lower and its upper end; a single segment has none. With `baselines` also "baselines".

        Raises:
            ValueError: for bad input, in one line: the argument, the row, what was given and what was expected; and
                where a callable raises, in one line that names the option.
            TypeError: for an unknown argument, one of the wrong type, and for texts without names.

        Warns:
            SariWarning: in one of `warning_categories`, where data or variant give reason to doubt the score.

        >>> texts = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b", "a"]]}
        >>> scores = Scorer().compute(**texts)
        >>> {name: round(score, 2) for name, score in scores.items()}
        {'sari': 34.37, 'keep': 38.1, 'delete': 65.0, 'add': 0.0}
        """
        refuse_positions("compute", texts, COLUMNS)
        for name in unknown:
            if name in OPTIONS:
                raise RefusedTypeError(fault(name, "an option", f"scorer.with_options({name}=...).compute(...)"))
        refuse_unknown(unknown, [*OPTIONS, *COLUMNS, *RESULTS])
        request = ResultRequest.of(details, baselines, confidence, resamples, seed)
        columns = validate_columns(sources, predictions, references)
        corpus = score_columns(columns, self.variant, **request.kept)
        return request.answer(columns, corpus)

    def state(self, *, sentences: bool = False, resampling: bool = False, shard: str | None = None) -> State:
        """Return an empty `State`, to score in batches or shards.

        Args:
            sentences: whether to keep the scores of every segment.
            resampling: whether to keep what confidence intervals need of every segment.
            shard: a name for the segments, such as that of their file. A shard merges once, and intervals do not depend
                on the order of merging. None for no name.
        """
        check_flags(sentences=sentences, resampling=resampling)
        if not isinstance(shard, str | None):
            raise RefusedTypeError(fault("shard", short_repr(shard), "a str"))
        shards = {} if shard is None else {shard: 0}
        statistics = CorpusStatistics(
            variant=self.variant, keeps_sentences=sentences, keeps_rows=resampling, shards=shards
        )
        return State(self, statistics)

    def merge_states(self, states: Iterable[State | bytes]) -> State:
        """Return the state of the segments of any number of states; without any it is empty, with these options.

        Args:
            states: states, or their bytes, such as the tasks of a cluster return.

        Raises:
            ValueError, TypeError: as `State.merge` and `read_state` do.

        >>> states = [Scorer().state(shard=name) for name in ("one", "two")]
        >>> for state in states:
        ...     state.update(sources=["a b c"], predictions=["a b"], references=[["a b", "a"]])
        >>> Scorer().merge_states(states).segments
        2
        """
        return merge_states(states, self)

    def read_state(self, data: bytes) -> State:
        """Return the state that `State.to_bytes` wrote, on this machine or another one.

        The options are those of the state. Callables, which bytes cannot hold, are those of this scorer.

        Raises:
            ValueError: for other bytes, for a state of another version, and for one whose signature is not that of its
                own options here, as with another version of sacreBLEU; or as `Scorer` raises.

        >>> state = Scorer().state()
        >>> state.update(sources=["a b c"], predictions=["a b"], references=[["a b", "a"]])
        >>> Scorer().read_state(state.to_bytes()).compute() == state.compute()
        True
        """
        return read_state(data, self)

    def sentence_score(self, source: str, prediction: str, references: Any) -> Scores:
        """Score a single segment, without warnings.

        Args:
            source: the text to simplify.
            prediction: the output.
            references: a list of simplifications by people, or a single one.

        Returns:
            "sari", "keep", "delete" and "add" in percent. At the level "corpus" the score of a corpus is not the mean
            of these.

        >>> scores = Scorer().sentence_score("a b c", "a b", ["a b", "a"])
        >>> round(scores["sari"], 2)
        34.37
        """
        return score_columns(validate_columns([source], [prediction], [references]), self.variant).scores()

    def score_batch(self, batch: Mapping[str, Any], ids: Any = None) -> SentenceScores | Scores:
        """Score every row of a batch alone, without warnings: for `Dataset.map(sari.score_batch, batched=True)`.

        Args:
            batch: columns "sources", "predictions" and "references"; or a single row of them, for `Dataset.map` without
                `batched`.
            ids: what errors call the rows; `Dataset.map` with `with_indices=True` gives their numbers in the data set.

        Returns:
            Columns "sari", "keep", "delete" and "add": one score in percent per row; or these scores of the row.
        """
        sources, predictions, references = columns_of_batch(batch)
        if isinstance(sources, str) or isinstance(predictions, str):
            return self.sentence_score(sources, predictions, references)
        columns = validate_columns(sources, predictions, references, ids=ids)
        return score_columns(columns, self.variant, sentences=True).sentences()

    def compare(
        self,
        *,
        sources: Any,
        predictions: Mapping[str, Any],
        references: Any,
        baseline: str | None = None,
        method: TestName | None = "randomization",
        confidence: float | None = 0.95,
        resamples: int | None = None,
        seed: int = SEED,
        details: bool = False,
        all_pairs: bool = False,
    ) -> SystemComparison:
        """Score several systems and test whether they differ from one of them, the baseline.

        Args:
            sources, references: as in `compute`.
            predictions: a dict with the predictions of each system by its name.
            baseline: the name of the system with which the others are compared; the first where it is None.
            method: the paired test: "randomization" (approximate randomization) or "bootstrap"; None for no test.
            confidence: the level of the intervals, from a bootstrap over segments; None for no intervals.
            resamples: the number of draws for intervals and test. None for 10,000, fewer for the intervals of more than
                5,000 segments, and more for tests of more than 250 comparisons. Above 10,000 segments, blocks of
                neighbouring segments are drawn.
            seed: the seed of the random numbers; the same seed gives the same result on any machine.
            all_pairs: whether to compare each system with each other, without a baseline.
            details: as in `compute`.

        Returns:
            A dict with "baseline", "method", "confidence", "intervals" (their method), "resamples" (of the intervals),
            "trials" (of the test), "seed", "comparisons", "segments", "signature", and "systems": for each name, in the
            order given, what `compute` returns. With a test, each system but the baseline also has "differences", its
            four scores minus those of the baseline; "difference_intervals", from the same resamples, where intervals
            are wanted; "p_values", two-sided (1 for a single segment); and "corrected_p_values", with Holm's correction
            for the number of comparisons. A difference is significant if its corrected p-value is small.

            With all pairs, systems are sorted by SARI. Each has its "group" and its "rank", the best and the worst one
            that the tests allow. A new group starts where every system above is significantly better than every
            system below.
            "pairs" has a dict for each two systems: "systems", and the results of the test as above.

        >>> systems = {"one": ["a b c"] * 20, "other": ["a b"] * 20}
        >>> comparison = Scorer().compare(sources=["a b c"] * 20, predictions=systems, references=["a b"] * 20)
        >>> comparison["systems"]["other"]["p_values"]["sari"] < 0.001
        True
        """
        check_flags(details=details, all_pairs=all_pairs)
        resampling = resolve_resampling(confidence=confidence, method=method, resamples=resamples, seed=seed)
        columns = validate_systems(sources, predictions, references)
        check_comparison(list(columns.predictions), baseline, resampling.method, all_pairs=all_pairs)
        systems = score_systems(columns, self.variant, sentences=details, rows=resampling.is_wanted)
        comparison = compare_corpora(
            systems, baseline=baseline, resampling=resampling, details=details, all_pairs=all_pairs
        )
        of_layout = layout_warnings(columns.sources, columns.references)
        give_warnings([*of_layout, *comparison_warnings(systems, comparison)])
        return comparison

    def compare_states(
        self,
        states: Mapping[str, State | bytes],
        *,
        baseline: str | None = None,
        method: TestName | None = "randomization",
        confidence: float | None = 0.95,
        resamples: int | None = None,
        seed: int = SEED,
        details: bool = False,
        all_pairs: bool = False,
    ) -> SystemComparison:
        """Compare systems whose segments were scored in shards, exactly as `compare` does.

        Args:
            states: the state of each system by its name, or its bytes: with `resampling=True`, of the same segments in
                the same order or in shards of the same names.
            baseline, method, confidence, resamples, seed, details, all_pairs: as in `compare`. Sentence scores are
                among the details if the states were made with `sentences=True`.

        Raises:
            ValueError: for states of other segments or options, and for those without `resampling=True`.
        """
        check_flags(details=details, all_pairs=all_pairs)
        resampling = resolve_resampling(confidence=confidence, method=method, resamples=resamples, seed=seed)
        systems = statistics_of_systems(states, self)
        if resampling.is_wanted and not all(corpus.keeps_rows for corpus in systems.values()):
            raise RefusedValueError(fault("states", "states without resampling=True", "states with it"))
        comparison = compare_corpora(
            systems, baseline=baseline, resampling=resampling, details=details, all_pairs=all_pairs
        )
        give_warnings(comparison_warnings(systems, comparison))
        return comparison

    def baselines(self, *, sources: Any, references: Any) -> Mapping[str, Scores]:
        """Score the baselines with which to compare any system.

        Args:
            sources, references: as in `compute`.

        Returns:
            The four scores of each baseline by its name: "copy", the sources; "empty", empty outputs; "unrelated", the
            first reference of the next segment, if there are several segments; "perfect", the first references, which
            show how high a score can be; and, if all segments have at least two
            references, "reference 1" and so on, at most ten, each scored against all others, and "references", their
            mean.
        """
        sources, references = validate_shared(sources, references)
        give_warnings([*layout_warnings(sources, references), *variant_warnings(self.variant, sources, references)])
        return baseline_scores(sources, references, self.variant)

    def explain(self, *, source: str, prediction: str, references: Any) -> SegmentExplanation:
        """Explain the score of one segment: what became of every word, and what each choice of a word costs.

        The command line and the app show the same. It needs the whole package: `evaluate.load` copies the metric alone.

        Args:
            source, prediction: the text to simplify, and the output of a system.
            references: a text, or a list of at least one.

        Returns:
            A dict with the fields of `reports.explanation.Explanation` as plain data, such as "scores" in percent; the
            tokens of "source", "output" and "references", each with "mark", "credit" (from 0 to 1) and the reason
            "why"; "missed", the tokens that only references added; "grams", the n-grams of each figure; "sentences"
            and "edits", what each sentence and each word costs, with "points" of SARI.

        >>> explanation = Scorer("easse").explain(source="a large cat", prediction="a cat", references="a big cat")
        >>> [(token["text"], token["mark"]) for token in explanation["source"]]
        [('a', 'kept-rightly'), ('large', 'deleted-rightly'), ('cat', 'kept-rightly')]
        """
        try:
            explanation = import_module(_EXPLANATION)
        except ModuleNotFoundError:
            expected = "the package of this project: see its README"
            raise RefusedImportError(fault("explain", "the metric alone", expected)) from None
        # By name: a metric that `evaluate` has loaded has classes of its own.
        options = {"variant": self.default_variant, **self.options}
        return explanation.explain_as_data(source=source, prediction=prediction, references=references, **options)

    def explain_difference(
        self, other: "VariantName | Scorer", *, sources: Any, predictions: Any, references: Any
    ) -> VariantDifference:
        """Explain why two variants score the same predictions differently, by changing one choice at a time.

        Args:
            other: the variant to end with, under the options of this scorer; or another scorer.
            sources, predictions, references: as in `compute`.

        Returns:
            A dict with "variant_a", "variant_b", "signature_a", "signature_b", and "steps": a list of dicts, each with
            "choice" (what changes: "text", "zero division", "counting", "n-grams", "level", "deletion", "addition",
            "averaging", or "penalties", which are removed first or added last), "before" and "after" (in words),
            "change" (of SARI), and the four scores after the step. The first step has the scores of this scorer, and
            None for the rest. Choices in which the variants agree have no step.
        """
        last: Any = getattr(other, "variant", None)  # of a scorer, which can be of another copy of this module
        if last is None:
            last = resolve_variant(**{**self.options, "variant": check_choice("other", other, VARIANTS)})
        return explain_difference(validate_columns(sources, predictions, references), self.variant, last)

    def find_variant(
        self, figure: float | str, *, sources: Any, predictions: Any, references: Any, progress: bool = True
    ) -> VariantSearch:
        """Find the variants and options under which predictions have a printed SARI.

        All variants are tried, each with every value of `lowercase`, `level` and `deletion`, with `zero_division` 0
        and 1, with common tokenizers and those of docs/languages.md for the script of the sources, as far as they are
        installed ("left_out" says which), for documents with every value of `penalties`, split at single spaces, as
        lines that keep their breaks, and with the first references alone. `max_order` is that of each variant. Options
        that this scorer was given, the variant among them, are not varied.

        Args:
            figure: SARI as it is printed: "41.40" has two digits after the point, 41.4 has one.
            sources, references: as in `compute`.
            predictions: as in `compute`; or a dict of lists, one for each run, if the figure is the mean of runs.
            progress: whether a terminal shows a progress bar.

        Returns:
            A dict with "figure", "hits", "nearest" (the five nearest scores, if there are no hits), "distinct" (for
            each operation, how many figures of so many digits the hits have: with a printed Keep, Delete or Add they
            can be told apart), "tried" (the number of distinct scores), "hits_by_chance" (how many of them would print
            so if those within one point, or five units of the last digit, were spread evenly) and "left_out" (what was
            not tried, and why).

            Hits are dicts, the fewest changes first: the four scores, "options" (for `Scorer`), "reading" ("split at
            single spaces" or "lines with their breaks", where a program reads texts so, which no option does; else
            ""), "nrefs", "signature" (empty for a reading), "changes" (the number of options that differ from those of
            the variant, and 1 each for a reading and for the first references alone), "verdict" ("as published", "one
            change", "several changes"; "as published, cut" where digits are cut instead of rounded) and "distance"
            (SARI minus the figure). Of settings with the same scores those as published are returned, or else the
            first one with the fewest changes.

        >>> texts = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b", "a"]]}
        >>> search = Scorer(tokenize="13a").find_variant(34.37, **texts, progress=False)
        >>> search["hits"][0]["options"], search["hits"][0]["verdict"]
        ({'variant': 'easse'}, 'as published')
        """
        check_flags(progress=progress)
        printed = check_figure(figure)
        if isinstance(predictions, Mapping):
            columns = validate_systems(sources, predictions, references)
        else:
            columns = validate_columns(sources, predictions, references).as_one_system()
        return find_variant(columns, printed, progress=progress, **self.options)

    def signature(self, nrefs: int | str = "?") -> str:
        """Return the signature of scores; `nrefs` is the number of references per segment, "var" if segments differ."""
        if nrefs not in ("?", "var"):
            check_whole_number("nrefs", nrefs, least=1)
        return self.variant.signature({nrefs})

    def score_candidates(self, *, sources: Any, candidates: Any, references: Any) -> list[list[float]]:
        """Score any number of candidates of each source, for best-of-n, reranking and self-training.

        Args:
            sources, references: as in `compute`.
            candidates: for each source a list of texts.

        Returns:
            For each source a list with the SARI of each candidate, scored alone, in percent.

        >>> scores = Scorer().score_candidates(
        ...     sources=["a b c"], candidates=[["a b", "a b c"]], references=[["a b", "a"]]
        ... )
        >>> [[round(score, 2) for score in row] for row in scores]
        [[34.37, 8.89]]
        """
        sources, candidates = validate_candidates(sources, candidates)
        sources, references = validate_shared(sources, references)
        variant = with_caches(self.variant)
        give_warnings([*layout_warnings(sources, references), *variant_warnings(variant, sources, references)])
        return candidate_scores(sources, candidates, references, variant)

    def minimum_bayes_risk(self, *, sources: Any, candidates: Any) -> Chosen:
        """Choose the candidate of each source with the highest expected SARI, without references.

        The other candidates, such as samples of a model, take the place of references: the expected score of a
        candidate is the mean of its SARI with each of the others as the only reference (minimum Bayes risk, Kumar and
        Byrne 2004, https://aclanthology.org/N04-1022). A candidate that occurs twice counts twice.

        Args:
            sources: as in `compute`.
            candidates: for each source a list of at least two texts.

        Returns:
            A dict with "texts", the chosen candidate of each source; "places", its index, the first of equals; and
            "expected", for each source a list with the expected score of each candidate, in percent.

        >>> chosen = Scorer().minimum_bayes_risk(sources=["a b c"], candidates=[["a b c", "a b", "a b d"]])
        >>> chosen["texts"], [round(score, 2) for score in chosen["expected"][0]]
        (['a b'], [12.22, 26.94, 26.94])
        """
        sources, candidates = validate_candidates(sources, candidates, least=2)
        variant = with_caches(self.variant)
        give_warnings(variant_warnings(variant, sources, candidates))
        return minimum_bayes_risk(sources, candidates, variant)

    # The methods for training are functions whose first argument is the scorer: see training.py and generated_texts.py.
    compute_metrics = compute_metrics
    attach = attach
    reward = reward


@overload
def compute(
    *,
    sources: Any,
    predictions: Any,
    references: Any,
    details: Literal[False] = ...,
    confidence: None = ...,
    baselines: Literal[False] = ...,
    resamples: int | None = ...,
    seed: int = ...,
    **options: Unpack[ScoringOptions],
) -> Result: ...


@overload
def compute(
    *,
    sources: Any,
    predictions: Any,
    references: Any,
    details: Literal[True],
    confidence: float | None = ...,
    baselines: bool = ...,
    resamples: int | None = ...,
    seed: int = ...,
    **options: Unpack[ScoringOptions],
) -> DetailedResult: ...


@overload
def compute(
    *,
    sources: Any,
    predictions: Any,
    references: Any,
    details: bool = ...,
    confidence: float,
    baselines: bool = ...,
    resamples: int | None = ...,
    seed: int = ...,
    **options: Unpack[ScoringOptions],
) -> DetailedResult: ...


@overload
def compute(
    *,
    sources: Any,
    predictions: Any,
    references: Any,
    details: bool = ...,
    confidence: float | None = ...,
    baselines: Literal[True],
    resamples: int | None = ...,
    seed: int = ...,
    **options: Unpack[ScoringOptions],
) -> DetailedResult: ...


@overload
def compute(
    *,
    sources: Any,
    predictions: Any,
    references: Any,
    details: bool = ...,
    confidence: float | None = ...,
    baselines: bool = ...,
    resamples: int | None = ...,
    seed: int = ...,
    **options: Unpack[ScoringOptions],
) -> Result | DetailedResult: ...


def compute(*texts: Any, predictions: Any = None, references: Any = None, sources: Any = None, **arguments: Any) -> Any:
    """Compute SARI in one call, and what else the arguments ask for: see `Scorer.compute`.

    Args:
        sources, predictions, references: as in `Scorer.compute`.
        arguments: the scoring options, `variant` ("easse"), `level`, `deletion`, `zero_division`, `tokenize`,
            `lowercase`, `max_order`, `penalties` and `sentence_splitter`: see `Scorer`; and `details`, `confidence`,
            `resamples`, `seed` and `baselines`: see `Scorer.compute`.

    >>> round(compute(sources=["a b c"], predictions=["a b"], references=[["a b", "a"]])["sari"], 2)
    34.37
    """
    options = {name: arguments.pop(name) for name in OPTIONS if name in arguments}
    columns = {"sources": sources, "predictions": predictions, "references": references}
    return Scorer(**options).compute(*texts, **columns, **arguments)
