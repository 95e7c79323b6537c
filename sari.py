"""SARI for automatic text simplification: every published variant, as a Hugging Face `evaluate` metric.

This file is the hub: it alone imports the other modules and puts them together, since `evaluate.load` copies those
that it imports here, and no others.
"""

import inspect
import operator
import os
import re
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import version
from itertools import chain, islice, pairwise
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import evaluate
import numpy as np

from .cautions import CATEGORIES, ENOUGH, Pair, copies, flattened, of_copying, of_data, of_variant, sample, thinned
from .inputs import columns, columns_of_systems, given_columns
from .operations import OPERATIONS, count
from .resampling import P_VALUES, RESAMPLES, bootstrap, interval, observed, randomization
from .scores import FIGURES, SCORES, exact_sums, exact_value, figures, of_operations, that_count, with_sari
from .tokenization import Text, apply, check, describe, encode, split
from .training import TrainerMetric, evaluation_sets, preprocess_logits_for_metrics
from .variants import VARIANTS, Variant, customized, signature, steps

_DESCRIPTION = """\
SARI (Xu et al., 2016) scores automatic text simplification: it compares a system's output with the source and with
human references, and rates the n-grams that the system kept, deleted and added. Public implementations of SARI differ
by up to 20 points on the same file; this module computes each published one by name, says in a signature which one it
was, and is by default the one of Hugging Face's own `sari` module, more than 20 times faster.
"""

_CITATION = """\
@article{xu-etal-2016-optimizing,
    title = {Optimizing Statistical Machine Translation for Text Simplification},
    author = {Xu, Wei and Napoles, Courtney and Pavlick, Ellie and Chen, Quanze and Callison-Burch, Chris},
    journal = {Transactions of the Association for Computational Linguistics},
    volume = {4},
    year = {2016},
    url = {https://aclanthology.org/Q16-1029},
    pages = {401--415},
}
"""

_KWARGS_DESCRIPTION = """
Args:
    sources: the sentences to simplify: one str per segment.
    predictions: what the system made of them: one str per segment.
    references: what people made of them: per segment a list of at least one str, or a single str.
    variant: which published SARI: "hf" (the default), "xu2016", "lens", "easse", "easse_legacy", "paper", "t2t",
        "lasertagger" or "set". The options below are the variant's own where they are None.
    level: "sentence" averages the scores of segments, "corpus" sums their counts first.
    deletion: "precision" or "f1": the score of the delete operation.
    zero_division: the value of a precision or recall whose denominator is 0: a number from 0 to 1.
    tokenize: "13a", "intl", "none", "char", "zh", "ja-mecab", "ko-mecab", "moses" and others, or a callable that takes
        a text and returns it with its tokens set apart by spaces.
    lowercase: whether texts are lowercased first.
    max_order: the longest n-grams, 4 by default.
    threads: how many threads count; all of the machine's cores by default. The result is the same, to the last bit.
    details: whether to add the signature, the figures per order and the scores per segment.
    confidence: the level of confidence intervals, such as 0.95; None for none.
    resamples, seed: of the percentile bootstrap over segments that makes the intervals.
    baselines: whether to add what copied sources, empty outputs and each reference would score.
Returns:
    A dict of floats in percent: "sari", and "keep", "delete" and "add", of which it is the mean. With `details` also:
    "signature": a str that names every choice behind the scores;
    "orders": for each n-gram order a dict: "order", and for each operation "precision", "recall", "f1" and "score",
        the one of them that counts;
    "sentences": for each of the four scores a list with one score per segment, each scored alone.
    With `confidence`: "confidence_intervals": for each of the four scores a list of its lower and its upper end.
    With `baselines`: "baselines": as from `Sari.baselines`.
Warns:
    SariWarning: in one of its categories, where data or variant give reason to doubt the score; see
        `Sari.warning_categories`.
Raises:
    ValueError, TypeError: for bad input, in one line: the argument, the row, what came and what was wanted.
    ImportError: for a tokenizer whose package is not installed.
Examples:
    >>> sari = evaluate.load("sari.py")
    >>> sources = ["Nearly 40 bridges were still standing ."]
    >>> predictions = ["Nearly 40 we later ran off ."]
    >>> references = [["Nearly 40 bridges were still counted .", "Nearly 40 bridges were later standing .",
    ...                "40 bridges were later standing ."]]
    >>> scores = sari.compute(sources=sources, predictions=predictions, references=references)
    >>> {name: round(score, 2) for name, score in scores.items()}
    {'sari': 26.95, 'keep': 22.53, 'delete': 50.0, 'add': 8.33}
    >>> round(sari.compute(sources=sources, predictions=predictions, references=references, variant="easse")["sari"], 2)
    31.35
"""

_COLUMNS = ("sources", "predictions", "references")
_OPTIONS = tuple(inspect.signature(customized).parameters)

# Texts are counted in chunks of about this many characters: small enough to bound memory, large enough that the cost of
# calling numpy does not matter, and that threads hardly ever wait for each other.
_CHUNK_CHARACTERS = 400_000
_BLOCK_SEGMENTS = 4096

# Options of `compute` that say what to make of the counts, not how to count.
_OF_RESULT = ("details", "confidence", "resamples", "seed")

# A copy deletes and adds nothing well, so that its SARI is a third of its keep score; 0/0 = 1 adds little to that,
# but for the variants that reward copying.
_HIGHEST_OF_COPIES = 100 / 3

# Filled once the process has been warned of a variant that rewards copying.
_VARIANT_WARNED: list[bool] = []

# Where warnings go instead of to Python's, whose filters belong to the whole process.
_COLLECTED: ContextVar[list[Warning] | None] = ContextVar("collected", default=None)

# To free a large block teaches glibc's malloc to keep blocks of up to its size for the next chunk, instead of returning
# them to the system and getting them back page by page (see "dynamic mmap threshold" in malloc(3)). No page is touched.
np.empty(1 << 24, np.uint8)


class _Chunk(NamedTuple):
    """Segments that are counted in one go, with what Python tokenizers had to do already done."""

    parts: list[tuple[list[str], Text]]
    nrefs: np.ndarray


class State:
    """What is left of the segments seen so far: sums, from which the scores are made, and a small sample of texts.

    States of shards merge to exactly the state of the whole, in whatever order, and pickle. Unless `sentences` or
    `resampling` is set, their size does not depend on the number of segments. Made by `Sari.state`.

    Attributes:
        segments: how many segments were seen.
    """

    def __init__(
        self,
        metric: "Sari",
        *,
        sentences: bool,
        resampling: bool = False,
        threads: int | None,
        options: dict[str, Any],
    ):
        self._metric = metric
        self._options = options
        self._variant = _checked(**options)
        self._threads = threads
        self._threads_here = _checked_threads(threads)
        self._keeps_sentences = sentences
        self._keeps_resampling = resampling
        self._sentences: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []
        self._sample: list[Pair] = []
        self._tallies: Counter[str] = Counter()
        self._totals: Any = 0
        self._nrefs: set[int | str] = set()
        self.segments = 0

    def update(self, *, sources, predictions, references) -> None:
        """Add segments; the arguments are those of `Sari.compute`. A batch of no segments adds none."""
        self.add(*columns(sources, predictions, references))

    def merge(self, other: "State") -> None:
        """Add the segments of another state, which must have been made with the same options.

        Sentence scores of `other` follow those of this state.

        Raises:
            ValueError: where the options differ.
        """
        if not isinstance(other, State):
            raise TypeError(f"other: got {type(other).__name__}, wanted a State")
        for name in ("sentences", "resampling"):
            own, others = vars(self)[f"_keeps_{name}"], vars(other)[f"_keeps_{name}"]
            if others != own:
                raise ValueError(f"other: got a state with {name}={others}, wanted {name}={own}")
        if other._variant != self._variant:
            raise ValueError(f"other: got a state of {other.signature}, wanted one of {self.signature}")
        self._sentences = self._sentences + other._sentences
        self._rows = self._rows + other._rows
        self._sample = thinned(self._sample + other._sample)
        self._tallies = self._tallies + other._tallies
        self._totals = self._totals + other._totals
        self._nrefs = self._nrefs | other._nrefs
        self.segments += other.segments

    @property
    def signature(self) -> str:
        """The line that names every choice behind the scores."""
        return _signature(self._variant, self._nrefs)

    def compute(
        self,
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int = RESAMPLES["bootstrap"],
        seed: int = 12345,
    ) -> dict[str, Any]:
        """Return the scores of all segments so far, as `Sari.compute` does.

        Sentence scores are among the details only if the state was made with `sentences=True`, and intervals can be
        had only if it was made with `resampling=True`.

        Raises:
            ValueError: if there are no segments.
        """
        result = self._result(details=details, confidence=confidence, resamples=resamples, seed=seed)
        _warn(self._cautions(result["sari"]))
        return result

    def add(self, sources: list[str], predictions: list[str], references: list[list[str]]) -> None:
        """Add segments that `inputs.columns` has checked."""
        # All or nothing, should a tokenizer fail half-way.
        keeps = {"sentences": self._keeps_sentences, "resampling": self._keeps_resampling}
        more = State(self._metric, **keeps, threads=self._threads, options=self._options)
        more._see(sources, predictions, references)
        for (counts,) in _counts(sources, [predictions], references, self._variant, self._threads_here):
            more._take(counts)
        self.merge(more)

    def _see(self, sources: list[str], predictions: list[str], references: list[list[str]]) -> None:
        """Remember of texts what their counts do not tell."""
        self._nrefs |= set(map(len, references))
        self._sample = sample(sources, predictions, references)
        self._tallies["empty"] += sum(not text or text.isspace() for text in predictions)

    def _take(self, counts: np.ndarray) -> None:
        """Add the counts of segments."""
        summands = rows = counts
        if self._variant.level == "sentence" or self._keeps_sentences:
            by_order, operations = _scored(counts, self._variant)
            scores = with_sari(operations)
            if self._keeps_sentences:
                self._sentences.append(scores)
            if self._variant.level == "sentence":
                summands, rows = _row_by_row(by_order, operations), scores
        if self._keeps_resampling:
            self._rows.append(rows)
        self._totals = self._totals + exact_sums(summands)
        self._tallies["copied"] += copies(counts)
        self.segments += len(counts)

    def _result(self, *, details: bool, confidence: float | None, resamples: int, seed: int) -> dict[str, Any]:
        _check_resampling(confidence, resamples, seed)
        if not self.segments:
            raise ValueError("sources, predictions, references: got no segments, wanted at least one")
        by_order, operations = _figures(self._totals, self.segments, self._variant)
        result: dict[str, Any] = _named(with_sari(operations))
        if confidence is not None:
            if not self._keeps_resampling:
                raise ValueError("confidence: got a state without resampling=True, wanted one with it")
            rows = np.concatenate(self._rows)[:, None]
            drawn = bootstrap(rows, self._statistic(), resamples=resamples, seed=seed)
            result["confidence_intervals"] = _named(interval(drawn[:, 0], confidence=confidence).T)
        if details:
            result["signature"] = self.signature
            result["orders"] = self._orders(by_order)
            if self._keeps_sentences:
                result["sentences"] = _named(np.concatenate(self._sentences).T)
        return result

    def _statistic(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function from sums of `_rows` to scores."""
        if self._variant.level == "corpus":
            return lambda sums: with_sari(_scored(sums, self._variant)[1])
        return lambda sums: sums / self.segments

    def _cautions(self, sari: float) -> list[Warning]:
        """Return what there is to say about data and variant, given the score."""
        variant = self._variant
        found: list[Warning] = list(
            of_data(
                self._sample,
                segments=self.segments,
                copied=self._tallies["copied"],
                empty=self._tallies["empty"],
                tokenize=variant.tokenize,
                source_tokenize=variant.source_tokenize or variant.tokenize,
                lowercase=variant.lowercase,
            )
        )
        sources, predictions, references = flattened(self._sample)
        if variant.level == "sentence" and variant.deletion == "precision" and variant.zero_division:
            found.append(of_variant(variant.name))
        elif len(sources) >= ENOUGH and sari < _HIGHEST_OF_COPIES:
            chunks = _counts(sources, [predictions, sources], references, variant, threads=1)
            own, copied = map(list, zip(*chunks, strict=True))
            found += of_copying(_scores(own, variant)["sari"], _scores(copied, variant)["sari"], len(sources))
        return found

    def _orders(self, by_order: np.ndarray) -> list[dict[str, Any]]:
        counting = that_count(by_order, deletion=self._variant.deletion, addition=self._variant.addition)
        named = np.concatenate([by_order, counting[..., None]], axis=-1) * 100
        return [
            {"order": order}
            | {
                operation: dict(zip((*FIGURES, "score"), row, strict=True))
                for operation, row in zip(OPERATIONS, rows, strict=True)
            }
            for order, rows in enumerate(named.tolist(), start=1)
        ]

    def __reduce__(self):
        # The class lives in a module that a new process knows only after `evaluate.load`, so unpickling goes there.
        keeps = {"sentences": self._keeps_sentences, "resampling": self._keeps_resampling}
        make = operator.methodcaller("state", **keeps, threads=self._threads, **self._options)
        names = ("_sentences", "_rows", "_sample", "_tallies", "_totals", "_nrefs", "segments")
        kept = {name: vars(self)[name] for name in names}
        return make, (self._metric,), kept


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Sari(evaluate.Metric):
    """SARI as a metric of Hugging Face's `evaluate`."""

    # What `evaluate` keeps of its cache files.
    writer: Any
    cache_file_name: str | None
    file_paths: list[str] | None
    filelock: Any
    filelocks: list[Any] | None

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features({"sources": text, "predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"sources": text, "predictions": text, "references": text}),
            ],
            homepage="https://aclanthology.org/Q16-1029",
            license="Apache-2.0",
            codebase_urls=sorted(
                {url for row in VARIANTS.values() for url in re.findall(r"https://github[^\s,;]+", row.source)}
            ),
            reference_urls=["https://aclanthology.org/Q16-1029"],
        )

    @property
    def variants(self) -> dict[str, str]:
        """Every published SARI by name: who published it and what differs, in a line."""
        return {name: row.summary for name, row in VARIANTS.items()}

    def signature(self, nrefs: int | str = "?", **options) -> str:
        """Return the signature that scores with these options have; options as in `compute`.

        Args:
            nrefs: references per segment, "var" where segments differ.
        """
        return _signature(_checked(**options), {nrefs})

    @property
    def warning_categories(self) -> dict[str, type[Warning]]:
        """The categories of warnings by name, for `warnings.filterwarnings`; "SariWarning" is the base of all."""
        return dict(CATEGORIES)

    @contextmanager
    def collect_warnings(self) -> Iterator[list[Warning]]:
        """Put the warnings about scores into a list instead of giving them, in this thread or task alone.

        Unlike `warnings.catch_warnings`, it is safe where several threads score at once, as in a server.

        >>> sari = evaluate.load("sari.py")
        >>> with sari.collect_warnings() as found:
        ...     _ = sari.compute(sources=["a b"], predictions=[""], references=["a"], variant="easse")
        >>> [(type(warning).__name__, str(warning)) for warning in found]
        [('EmptyOutputsWarning', '1 of 1 predictions is empty')]
        """
        found: list[Warning] = []
        before = _COLLECTED.set(found)
        try:
            yield found
        finally:
            _COLLECTED.reset(before)

    def state(
        self, *, sentences: bool = False, resampling: bool = False, threads: int | None = None, **options
    ) -> State:
        """Return an empty `State`, to score in batches or shards.

        Args:
            sentences: whether to keep the scores of every segment.
            resampling: whether to keep of every segment what confidence intervals are made of.
            threads, options: as in `compute`.
        """
        return State(self, sentences=sentences, resampling=resampling, threads=threads, options=options)

    def score_batch(self, batch: Mapping[str, Any], *, threads: int | None = None, **options) -> dict[str, list[float]]:
        """Score every row of a batch alone: what `Dataset.map(sari.score_batch, batched=True)` wants.

        Args:
            batch: columns "sources", "predictions" and "references".
            threads, options: as in `compute`, without `details`.

        Returns:
            Columns "sari", "keep", "delete" and "add": one score in percent per row.
        """
        names = getattr(batch, "column_names", batch)  # of an Arrow table
        missing = [name for name in _COLUMNS if name not in names]
        if missing:
            raise ValueError(f"batch: got columns {', '.join(names)}, wanted also {', '.join(missing)}")
        state = State(self, sentences=True, threads=threads, options=options)
        state.update(**{name: batch[name] for name in _COLUMNS})
        if not state.segments:
            return {name: [] for name in SCORES}
        return _named(np.concatenate(state._sentences).T)

    def compute_metrics(self, tokenizer, *, sources=None, references=None, **options) -> TrainerMetric:
        """Return a function for `compute_metrics=` of `Trainer` and `Seq2SeqTrainer` of transformers.

        It decodes token ids, or logits, and returns "sari", "keep", "delete" and "add" in percent. Give the Trainer
        also `preprocess_logits_for_metrics=sari.preprocess_logits_for_metrics`, unless it generates. For models with an
        encoder and a decoder.

        Args:
            tokenizer: what decodes the token ids: `processing_class` of the Trainer.
            sources: the raw sources, in the order of the evaluation set; without them the decoded inputs are taken,
                for which the training arguments need `include_for_metrics=["inputs"]`.
            references: the raw references, likewise; without them the decoded labels are taken. For several
                evaluation sets, sources and references are dicts of columns by the name of the set.
            options: as in `compute`, without `details`.

        Raises:
            ValueError, TypeError: for bad input; the function raises ValueError for an evaluation set whose decoded
                labels or inputs show that it is another one, or in another order.

        Examples:
            >>> sari = evaluate.load("sari.py")
            >>> trainer = Seq2SeqTrainer(  # doctest: +SKIP
            ...     compute_metrics=sari.compute_metrics(tokenizer, sources=sources, references=references), ...
            ... )
        """
        self.state(**options)  # refuses bad options now

        def score(**segments):
            state = self.state(**options)
            state.update(**segments)
            return state.compute()

        return TrainerMetric(tokenizer, score, evaluation_sets(sources, references, check=given_columns))

    preprocess_logits_for_metrics = staticmethod(preprocess_logits_for_metrics)

    def tokens(
        self, *, sources, predictions, references, **options
    ) -> tuple[list[list[str]], list[list[str]], list[list[list[str]]]]:
        """Return the texts as the tokens that are scored; the arguments are those of `compute`, without `details`.

        Where a variant splits on single spaces, what stands between two of them, or in an empty text, is a token: "".

        Returns:
            The tokens of each source, of each prediction, and of each segment's references.

        >>> sari = evaluate.load("sari.py")
        >>> sari.tokens(sources=["A cat, asleep."], predictions=["A cat."], references=[["One cat."]])
        ([['a', 'cat', ',', 'asleep', '.']], [['a', 'cat', '.']], [[['one', 'cat', '.']]])
        """
        variant = _checked(**options)
        sources, predictions, references = columns(sources, predictions, references)
        text, source_text = _texts(variant)
        of_references = iter(split([*chain.from_iterable(references)], text))
        return (
            split(sources, source_text),
            split(predictions, text),
            [[next(of_references) for _ in row] for row in references],
        )

    def compute(self, *, predictions=None, references=None, sources=None, **options) -> dict[str, Any] | None:
        """Compute SARI, of the arguments or of what `add` and `add_batch` stored.

        Returns:
            The scores; None on the other processes of a distributed evaluation.
        """
        self._new_state(**options)  # refuses bad options while nothing is lost by it
        given = dict(zip(_COLUMNS, (sources, predictions, references), strict=True))
        nothing = all(column is None for column in given.values())
        checked = ([], [], []) if nothing else columns(**given)
        if self.num_process == 1 and not len(self):
            # Nothing to gather, neither from earlier calls nor from other processes: no need of a cache file.
            return self._compute(*checked, **options)
        # Other processes wait for the file of this one, even if it has nothing to say.
        silent = nothing and self.writer is not None
        self.file_paths = self.filelocks = None  # those of an earlier call may be another metric's by now
        try:
            return super().compute(**({} if silent else dict(zip(_COLUMNS, checked, strict=True))), **options)
        except BaseException:
            self._discard()
            raise

    def add_batch(self, *, predictions=None, references=None, sources=None) -> None:
        """Store segments for `compute`."""
        batch = dict(zip(_COLUMNS, columns(sources, predictions, references), strict=True))
        if batch["sources"] or self.num_process > 1:
            super().add_batch(**batch)

    def add(self, *, prediction=None, reference=None, source=None, **named_as_columns) -> None:
        """Store one segment for `compute`: its source, its prediction, and its references or its only reference.

        As in other modules of `evaluate`, the columns' names (`sources` and so on) will do as well.
        """
        unknown = sorted(set(named_as_columns) - set(_COLUMNS))
        if unknown:
            raise TypeError(f"{unknown[0]}: got an unknown name, wanted source, prediction and reference")
        segment = {"sources": source, "predictions": prediction, "references": reference} | named_as_columns
        (text,), (output,), (references,) = columns(**{name: [value] for name, value in segment.items()})
        super().add(sources=text, prediction=output, reference=references)

    def compare(
        self,
        *,
        sources,
        predictions: Mapping[str, Any],
        references,
        baseline: str | None = None,
        method: str | None = "bootstrap",
        confidence: float | None = 0.95,
        resamples: int | None = None,
        seed: int = 12345,
        details: bool = False,
        threads: int | None = None,
        **options,
    ) -> dict[str, Any]:
        """Score several systems and test whether they differ from one of them, the baseline.

        Args:
            sources, references: as in `compute`.
            predictions: for each system its name and its predictions.
            baseline: the name of the system that the others are compared with; the first where it is None.
            method: the paired test: "bootstrap" or "randomization" (approximate randomization); None for no test.
            confidence: the level of the intervals, from a bootstrap over segments; None for no intervals.
            resamples: how many resamples, or trials; 1,000 for the bootstrap and 10,000 for randomization where None.
            seed: of the random numbers: the same seed gives the same result on any machine.
            details, threads, options: as in `compute`.

        Returns:
            A dict with "baseline", "method", "confidence", "resamples", "seed", "segments", "signature", and "systems":
            for each name, in the order given, what `compute` returns, and, except for the baseline and without a
            method, "differences", the four scores minus the baseline's, and "p_values", the chance of differences at
            least that large, in either direction, between equal systems; 1 for a single segment.

        Raises:
            ValueError, TypeError: as `compute` does.

        >>> sari = evaluate.load("sari.py")
        >>> found = sari.compare(
        ...     sources=["He arrived subsequently .", "She commenced work ."] * 10,
        ...     predictions={"one": ["He arrived ."] * 20, "other": ["He arrived later .", "She began work ."] * 10},
        ...     references=["He arrived later .", "She began work ."] * 10,
        ...     variant="easse",
        ... )
        >>> other = found["systems"]["other"]
        >>> round(other["differences"]["sari"], 2), round(other["p_values"]["sari"], 3)
        (41.48, 0.001)
        """
        resamples = _checked_method(method, resamples)
        _check_resampling(confidence, resamples, seed)
        keeps = confidence is not None or method is not None
        sources, predictions, references = columns_of_systems(sources, predictions, references)
        if baseline is None:
            baseline = next(iter(predictions))
        elif baseline not in predictions:
            raise ValueError(f"baseline: got {baseline!r}, wanted one of {', '.join(predictions)}")
        states = {
            name: State(self, sentences=details, resampling=keeps, threads=threads, options=options)
            for name in predictions
        }
        for name, state in states.items():
            state._see(sources, predictions[name], references)
        some = states[baseline]
        for chunk in _counts(sources, list(predictions.values()), references, some._variant, some._threads_here):
            for state, counts in zip(states.values(), chunk, strict=True):
                state._take(counts)
        results = {
            name: state._result(details=details, confidence=None, resamples=resamples, seed=seed)
            for name, state in states.items()
        }
        _add_statistics(results, states, baseline, method, confidence, resamples, seed)
        cautions = {name: state._cautions(results[name]["sari"]) for name, state in states.items()}
        _warn(_of_systems(cautions))
        return {
            "baseline": baseline,
            "method": method,
            "confidence": None if confidence is None else float(confidence),
            "resamples": int(resamples),
            "seed": int(seed),
            "segments": some.segments,
            "signature": some.signature,
            "systems": results,
        }

    def baselines(self, *, sources, references, threads: int | None = None, **options) -> dict[str, dict[str, float]]:
        """Score what any system should be held against.

        Args:
            sources, references, threads, options: as in `compute`.

        Returns:
            The four scores of "copy", the sources themselves; of "empty", outputs of no words; and, where all segments
            have at least two references, of "reference 1" and so on, each against the others, and of "references",
            their mean. The latter have one reference less to be scored by, so that they are a little low.
        """
        sources, _, references = columns(sources, sources, references)
        variant, threads = _checked(**options), _checked_threads(threads)
        if not sources:
            raise ValueError("sources, references: got no segments, wanted at least one")

        def scores(named: dict[str, list[str]], references: list[list[str]]) -> dict[str, dict[str, float]]:
            chunks = _counts(sources, list(named.values()), references, variant, threads)
            by_system = zip(*chunks, strict=True)
            return {name: _scores(list(own), variant) for name, own in zip(named, by_system, strict=True)}

        found = scores({"copy": sources, "empty": [""] * len(sources)}, references)
        width = min(map(len, references))
        people: dict[str, dict[str, float]] = {}
        for place in range(width if width > 1 else 0):
            others = [row[:place] + row[place + 1 :] for row in references]
            people |= scores({f"reference {place + 1}": [row[place] for row in references]}, others)
        if people:
            found["references"] = {name: sum(row[name] for row in people.values()) / len(people) for name in SCORES}
        return found | people

    def explain_difference(
        self,
        *,
        sources,
        predictions,
        references,
        variant_a: str = "hf",
        variant_b: str = "easse",
        threads: int | None = None,
        **options,
    ) -> dict[str, Any]:
        """Tell why two variants score the same predictions differently, by changing one choice at a time.

        Args:
            sources, predictions, references, threads: as in `compute`.
            variant_a, variant_b: the variants to walk from and to.
            options: as in `compute`, for both variants.

        Returns:
            A dict with "variant_a", "variant_b", "signature_a", "signature_b", and "steps": a list of dicts, each with
            "choice" (what changes: "text", "zero division", "counting", "level", "deletion", "addition" or
            "averaging"), "before" and "after" (in words), the four scores after the step, and "change", what it did to
            SARI. The first step is variant_a as it is, with None for these words; choices that agree have no step.
        """
        first, last = _checked(variant=variant_a, **options), _checked(variant=variant_b, **options)
        sources, predictions, references = columns(sources, predictions, references)
        if not sources:
            raise ValueError("sources, predictions, references: got no segments, wanted at least one")
        threads = _checked_threads(threads)
        rows: list[dict[str, Any]] = []
        chunks: list[np.ndarray] = []
        for choice, before, after, variant in [(None, None, None, first), *steps(first, last)]:
            if choice in (None, "text", "counting"):  # all else is made of the same counts
                chunks = [counts for (counts,) in _counts(sources, [predictions], references, variant, threads)]
            scores = _scores(chunks, variant)
            change = scores["sari"] - rows[-1]["sari"] if rows else None
            rows.append({"choice": choice, "before": before, "after": after, **scores, "change": change})
        nrefs: set[int | str] = set(map(len, references))
        return {
            "variant_a": variant_a,
            "variant_b": variant_b,
            "signature_a": _signature(first, nrefs),
            "signature_b": _signature(last, nrefs),
            "steps": rows,
        }

    def _compute(self, sources, predictions, references, *, baselines=False, **options):
        of_result = {name: options.pop(name) for name in _OF_RESULT if name in options}
        state = self._new_state(**of_result, **options)
        state.add(sources, predictions, references)
        result = state.compute(**of_result)
        if baselines:
            result["baselines"] = self.baselines(sources=sources, references=references, **options)
        return result

    def _new_state(self, *, details=False, confidence=None, resamples=1, seed=0, baselines=False, **options) -> State:
        for name, value in {"details": details, "baselines": baselines}.items():
            if not isinstance(value, bool):
                raise TypeError(f"{name}: got {value!r}, wanted True or False")
        _check_resampling(confidence, resamples, seed)
        threads = options.pop("threads", None)
        keeps = confidence is not None
        return State(self, sentences=details, resampling=keeps, threads=threads, options=options)

    def _infer_feature_from_batch(self, _batch):
        return self.features[0]  # single references have become lists by now

    _infer_feature_from_example = _infer_feature_from_batch

    def _discard(self) -> None:
        """Forget what was stored and remove its files, which `evaluate` leaves behind after an error."""
        if self.writer is not None:
            self.writer.close()
        files = {self.cache_file_name, *(self.file_paths or ())} - {None}
        locks = [self.filelock, *(self.filelocks or ())]
        self.writer = self.buf_writer = self.data = self.selected_feature_format = None
        self.cache_file_name = self.filelock = self.file_paths = self.filelocks = None
        for file in files:
            Path(file).unlink(missing_ok=True)
        for lock in locks:
            if lock is not None:
                lock.release()

    def __reduce__(self):
        # A new process knows this module only after `evaluate.load`.
        return evaluate.load, (str(Path(__file__).resolve()),)


def _checked(**options) -> Variant:
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise TypeError(f"{unknown[0]}: got an unknown option, wanted one of {', '.join(_OPTIONS)}")
    variant = customized(**options)
    check(variant.tokenize)
    return variant


def _checked_threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    _check_whole("threads", threads, least=1)
    return threads


def _check_whole(name: str, value: Any, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: got {value!r}, wanted a whole number of at least {least}")
    if value < least:
        raise ValueError(f"{name}: got {value!r}, wanted a whole number of at least {least}")


def _check_resampling(confidence: Any, resamples: Any, seed: Any) -> None:
    if confidence is not None:
        if isinstance(confidence, bool) or not isinstance(confidence, Real):
            raise TypeError(f"confidence: got {confidence!r}, wanted a number between 0 and 1")
        if not 0 < float(confidence) < 1:
            raise ValueError(f"confidence: got {confidence!r}, wanted a number between 0 and 1")
    _check_whole("resamples", resamples, least=1)
    _check_whole("seed", seed, least=0)


def _checked_method(method: Any, resamples: int | None) -> int:
    """Refuse an unknown method, and return the number of resamples."""
    if method is not None and method not in RESAMPLES:
        raise ValueError(f"method: got {method!r}, wanted one of {', '.join(RESAMPLES)}, or None")
    return RESAMPLES[method or "bootstrap"] if resamples is None else resamples


def _signature(variant: Variant, nrefs: set[int | str]) -> str:
    """Make the signature for segments with these numbers of references."""
    number = next(iter(nrefs)) if len(nrefs) == 1 else "var" if nrefs else "?"
    return signature(variant, nrefs=number, tokenizer=describe(variant.tokenize), sacrebleu=version("sacrebleu"))


def _scored(counts: np.ndarray, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Return figures, float64[..., order, operation, 3], and the operations' scores, float64[..., operation]."""
    by_order = figures(counts, zero_division=variant.zero_division)
    operations = of_operations(
        by_order, averaging=variant.averaging, deletion=variant.deletion, addition=variant.addition
    )
    return by_order, operations


def _row_by_row(by_order: np.ndarray, operations: np.ndarray) -> np.ndarray:
    """Put what `_scored` makes of segments into a row for each, float64[segment, figure]."""
    return np.concatenate([by_order.reshape(len(operations), -1), operations], axis=1)


def _figures(totals: Any, segments: int, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Return what `_scored` does, of sums over segments of counts or, for means of sentences, of `_row_by_row`."""
    if variant.level == "corpus":
        return _scored(exact_value(totals), variant)
    means = exact_value(totals, segments)
    size = len(OPERATIONS)
    return means[:-size].reshape(-1, size, len(FIGURES)), means[-size:]


def _scores(chunks: list[np.ndarray], variant: Variant) -> dict[str, float]:
    """Return the four scores of counted segments."""
    by_segment = variant.level == "sentence"
    totals = sum(exact_sums(_row_by_row(*_scored(counts, variant)) if by_segment else counts) for counts in chunks)
    return _named(with_sari(_figures(totals, sum(map(len, chunks)), variant)[1]))


def _named(scores: np.ndarray) -> dict[str, Any]:
    return dict(zip(SCORES, scores.tolist(), strict=True))


def _add_statistics(
    results: dict[str, dict[str, Any]],
    states: dict[str, State],
    baseline: str,
    method: str | None,
    confidence: float | None,
    resamples: int,
    seed: int,
) -> None:
    """Add intervals, differences and p-values to the results of systems."""
    if confidence is None and method is None:
        return
    rows = np.stack([np.concatenate(state._rows) for state in states.values()], axis=1)
    statistic, place = states[baseline]._statistic(), list(states).index(baseline)
    scores = observed(rows, statistic)
    if confidence is not None or method == "bootstrap":
        drawn = bootstrap(rows, statistic, resamples=resamples, seed=seed)
    if confidence is not None:
        for result, ends in zip(results.values(), interval(drawn, confidence=confidence).swapaxes(0, 1), strict=True):
            result["confidence_intervals"] = _named(ends.T)
    if method == "bootstrap":
        differences = drawn - drawn[:, [place]]
    elif method == "randomization":
        differences = np.subtract(*randomization(rows, statistic, baseline=place, resamples=resamples, seed=seed))
    if method is not None:
        p_values = P_VALUES[method](differences, scores - scores[place])
        if len(rows) == 1:  # which says nothing about chance, but no bootstrap can tell
            p_values = np.ones_like(p_values)
    for number, (name, result) in enumerate(results.items()):
        if method is not None and name != baseline:
            result["differences"] = {score: result[score] - results[baseline][score] for score in SCORES}
            result["p_values"] = _named(p_values[number])


def _warn(cautions: Iterable[Warning]) -> None:
    """Warn on behalf of the first caller outside this module and `evaluate`; of the variant once per process."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected += cautions
        return
    for caution in cautions:
        if isinstance(caution, CATEGORIES["RewardsCopyingWarning"]):
            if _VARIANT_WARNED:
                continue
            _VARIANT_WARNED.append(True)
        warnings.warn(caution, stacklevel=_callers_level())


def _callers_level() -> int:
    """Return how far up the stack, seen from the function that asks, is the first caller outside of here."""
    inside = {os.path.dirname(__file__), *evaluate.__path__}
    level, frame = 0, sys._getframe()
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) in inside:
        level, frame = level + 1, frame.f_back
    return level


def _of_systems(cautions: dict[str, list[Warning]]) -> list[Warning]:
    """Put the system's name before what is not said of every system, and say the rest once."""
    numbers = Counter(str(caution) for found in cautions.values() for caution in found)
    said = {str(caution): caution for found in cautions.values() for caution in found}
    shared = [caution for text, caution in said.items() if numbers[text] == len(cautions)]
    own = [
        type(caution)(f"{name}: {caution}")
        for name, found in cautions.items()
        for caution in found
        if numbers[str(caution)] < len(cautions)
    ]
    return shared + own


def _counts(
    sources: list[str], systems: list[list[str]], references: list[list[str]], variant: Variant, threads: int
) -> Iterator[list[np.ndarray]]:
    """Yield the counts of each system's predictions for checked segments, chunk by chunk: see `operations.count`."""

    def counted(chunk: _Chunk) -> list[np.ndarray]:
        ids, lengths = encode(chunk.parts)
        return [
            count(ids, lengths, chunk.nrefs, counting=variant.counting, max_order=variant.max_order)
            for ids, lengths in _by_system(ids, lengths, len(chunk.nrefs), len(systems))
        ]

    return _in_threads(counted, _chunks(sources, systems, references, variant), threads)


def _by_system(
    ids: np.ndarray, lengths: np.ndarray, segments: int, systems: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield ids and lengths of the tokens of the sources, the predictions of one system, and the references."""
    if systems == 1:
        yield ids, lengths
        return
    ends = segments * np.arange(1, systems + 2)
    lengths_by_column = np.split(lengths, ends)
    ids_by_column = np.split(ids, np.cumsum(lengths)[ends - 1])
    sources, *predictions, references = zip(ids_by_column, lengths_by_column, strict=True)
    for prediction in predictions:
        columns_of_one = zip(sources, prediction, references, strict=True)
        yield tuple(map(np.concatenate, columns_of_one))  # type: ignore[misc]


def _texts(variant: Variant) -> tuple[Text, Text]:
    """Return how predictions and references, and how sources become tokens."""
    text = Text(variant.tokenize, variant.lowercase, variant.splits_on_space)
    return text, text._replace(tokenize=variant.source_tokenize or variant.tokenize)


def _chunks(
    sources: list[str], systems: list[list[str]], references: list[list[str]], variant: Variant
) -> Iterator[_Chunk]:
    text, source_text = _texts(variant)
    of_all_systems = systems[0] if len(systems) == 1 else list(map("".join, zip(*systems, strict=True)))
    for rows in _cut(sources, of_all_systems, references):
        outputs = [*chain.from_iterable(own[rows] for own in systems), *chain.from_iterable(references[rows])]
        if source_text == text:
            parts = [apply([*sources[rows], *outputs], text)]
        else:
            parts = [apply(sources[rows], source_text), apply(outputs, text)]
        yield _Chunk(parts, np.fromiter(map(len, references[rows]), np.int64))


def _cut(sources: list[str], predictions: list[str], references: list[list[str]]) -> Iterator[slice]:
    """Cut the segments into chunks of about the same number of characters."""
    for begin in range(0, len(sources), _BLOCK_SEGMENTS):
        block = slice(begin, begin + _BLOCK_SEGMENTS)
        texts = chain(sources[block], predictions[block], chain.from_iterable(references[block]))
        sizes = np.fromiter(map(len, texts), np.int64)
        nrefs = np.fromiter(map(len, references[block]), np.int64)
        segments = len(nrefs)
        in_references = np.add.reduceat(sizes[2 * segments :], np.cumsum(nrefs) - nrefs)
        characters = np.cumsum(sizes[:segments] + sizes[segments : 2 * segments] + in_references)
        chunks = max(1, round(int(characters[-1]) / _CHUNK_CHARACTERS))
        chunk = characters * chunks // (characters[-1] + 1)
        edges = [0, *((chunk[1:] != chunk[:-1]).nonzero()[0] + 1).tolist(), segments]
        for first, last in pairwise(edges):
            yield slice(begin + first, begin + last)


def _in_threads(function: Callable[[Any], Any], items: Iterable[Any], threads: int) -> Iterator[Any]:
    """Map a function over items in threads, in order, with no more items under way than it takes to keep them busy."""
    items = iter(items)
    first = list(islice(items, 2))
    items = chain(first, items)
    if threads == 1 or len(first) < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[Future] = deque()
        for item in items:
            under_way.append(pool.submit(function, item))
            if len(under_way) > 2 * threads:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
