"""SARI for automatic text simplification: every published variant, as a Hugging Face `evaluate` metric.

This file is the hub: it alone imports the other modules and puts them together, since `evaluate.load` copies those
that it imports here, and no others.
"""

import inspect
import operator
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import version
from itertools import chain, pairwise
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import evaluate
import numpy as np

from .inputs import columns
from .operations import OPERATIONS, count
from .scores import FIGURES, SCORES, exact_sums, exact_value, figures, of_operations, that_count, with_sari
from .tokenization import Text, apply, check, describe, encode, split
from .variants import VARIANTS, Variant, customized, signature

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
Returns:
    A dict of floats in percent: "sari", and "keep", "delete" and "add", of which it is the mean. With `details` also:
    "signature": a str that names every choice behind the scores;
    "orders": for each n-gram order a dict: "order", and for each operation "precision", "recall", "f1" and "score",
        the one of them that counts;
    "sentences": for each of the four scores a list with one score per segment, each scored alone.
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

# Texts are counted in chunks of about this many characters: small enough for the processor's cache, large enough that
# the cost of calling numpy does not matter.
_CHUNK_CHARACTERS = 200_000
_BLOCK_SEGMENTS = 1024

# To free a large block teaches glibc's malloc to keep blocks of up to its size for the next chunk, instead of returning
# them to the system and getting them back page by page (see "dynamic mmap threshold" in malloc(3)). No page is touched.
np.empty(1 << 24, np.uint8)


class _Chunk(NamedTuple):
    """Segments that are counted in one go, with what Python tokenizers had to do already done."""

    parts: list[tuple[list[str], Text]]
    nrefs: np.ndarray


class State:
    """What is left of the segments seen so far: sums, from which the scores are made.

    States of shards merge to exactly the state of the whole, in whatever order, and pickle. Unless `sentences` is set,
    their size does not depend on the number of segments. Made by `Sari.state`.

    Attributes:
        segments: how many segments were seen.
    """

    def __init__(self, metric: "Sari", *, sentences: bool, threads: int | None, options: dict[str, Any]):
        self._metric = metric
        self._options = options
        self._variant = _checked(**options)
        self._threads = threads
        self._threads_here = _checked_threads(threads)
        self._keeps_sentences = sentences
        self._sentences: list[np.ndarray] = []
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
        if other._keeps_sentences != self._keeps_sentences:
            raise ValueError(
                f"other: got a state with sentences={other._keeps_sentences}, wanted sentences={self._keeps_sentences}"
            )
        if other._variant != self._variant:
            raise ValueError(f"other: got a state of {other.signature}, wanted one of {self.signature}")
        self._sentences = self._sentences + other._sentences
        self._totals = self._totals + other._totals
        self._nrefs = self._nrefs | other._nrefs
        self.segments += other.segments

    @property
    def signature(self) -> str:
        """The line that names every choice behind the scores."""
        return _signature(self._variant, self._nrefs)

    def compute(self, *, details: bool = False) -> dict[str, Any]:
        """Return the scores of all segments so far, as `Sari.compute` does.

        Sentence scores are among the details only if the state was made with `sentences=True`.

        Raises:
            ValueError: if there are no segments.
        """
        if not self.segments:
            raise ValueError("sources, predictions, references: got no segments, wanted at least one")
        by_order, operations = self._figures()
        scores = with_sari(operations)
        result: dict[str, Any] = dict(zip(SCORES, scores.tolist(), strict=True))
        if details:
            result["signature"] = self.signature
            result["orders"] = self._orders(by_order)
            if self._keeps_sentences:
                by_segment = np.concatenate(self._sentences).T
                result["sentences"] = dict(zip(SCORES, by_segment.tolist(), strict=True))
        return result

    def add(self, sources: list[str], predictions: list[str], references: list[list[str]]) -> None:
        """Add segments that `inputs.columns` has checked."""
        totals, sentences = self._totals, []  # all or nothing, should a tokenizer fail half-way
        for counts in _counts(sources, predictions, references, self._variant, self._threads_here):
            rows = counts
            if self._variant.level == "sentence" or self._keeps_sentences:
                by_order, operations = _scored(counts, self._variant)
                if self._keeps_sentences:
                    sentences.append(with_sari(operations))
                if self._variant.level == "sentence":
                    rows = np.concatenate([by_order.reshape(len(counts), -1), operations], axis=1)
            totals = totals + exact_sums(rows)
        self._totals = totals
        self._sentences = self._sentences + sentences
        self._nrefs = self._nrefs | set(map(len, references))
        self.segments += len(sources)

    def _figures(self) -> tuple[np.ndarray, np.ndarray]:
        """Return figures per order, float64[order, operation, 3], and the operations' scores, float64[3]."""
        if self._variant.level == "corpus":
            return _scored(exact_value(self._totals), self._variant)
        means = exact_value(self._totals, self.segments)
        size = len(OPERATIONS)
        return means[:-size].reshape(-1, size, len(FIGURES)), means[-size:]

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
        make = operator.methodcaller("state", sentences=self._keeps_sentences, threads=self._threads, **self._options)
        kept = {name: vars(self)[name] for name in ("_sentences", "_totals", "_nrefs", "segments")}
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

    def state(self, *, sentences: bool = False, threads: int | None = None, **options) -> State:
        """Return an empty `State`, to score in batches or shards.

        Args:
            sentences: whether to keep the scores of every segment.
            threads, options: as in `compute`.
        """
        return State(self, sentences=sentences, threads=threads, options=options)

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
        return state.compute(details=True)["sentences"]

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

    def _compute(self, sources, predictions, references, **options):
        state = self._new_state(**options)
        state.add(sources, predictions, references)
        return state.compute(details=options.get("details", False))

    def _new_state(self, *, details: bool = False, **options) -> State:
        if not isinstance(details, bool):
            raise TypeError(f"details: got {details!r}, wanted True or False")
        threads = options.pop("threads", None)
        return State(self, sentences=details, threads=threads, options=options)

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
    if isinstance(threads, bool) or not isinstance(threads, Integral):
        raise TypeError(f"threads: got {threads!r}, wanted a whole number of at least 1")
    if threads < 1:
        raise ValueError(f"threads: got {threads!r}, wanted a whole number of at least 1")
    return threads


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


def _counts(
    sources: list[str], predictions: list[str], references: list[list[str]], variant: Variant, threads: int
) -> Iterator[np.ndarray]:
    """Yield the counts of checked segments, chunk by chunk: see `operations.count`."""

    def counted(chunk: _Chunk) -> np.ndarray:
        ids, lengths = encode(chunk.parts)
        return count(ids, lengths, chunk.nrefs, counting=variant.counting, max_order=variant.max_order)

    return _in_threads(counted, _chunks(sources, predictions, references, variant), threads)


def _texts(variant: Variant) -> tuple[Text, Text]:
    """Return how predictions and references, and how sources become tokens."""
    text = Text(variant.tokenize, variant.lowercase, variant.splits_on_space)
    return text, text._replace(tokenize=variant.source_tokenize or variant.tokenize)


def _chunks(
    sources: list[str], predictions: list[str], references: list[list[str]], variant: Variant
) -> Iterator[_Chunk]:
    text, source_text = _texts(variant)
    for rows in _cut(sources, predictions, references):
        outputs = [*predictions[rows], *chain.from_iterable(references[rows])]
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
        chunk = np.cumsum(sizes[:segments] + sizes[segments : 2 * segments] + in_references) // _CHUNK_CHARACTERS
        edges = [0, *((chunk[1:] != chunk[:-1]).nonzero()[0] + 1).tolist(), segments]
        for first, last in pairwise(edges):
            yield slice(begin + first, begin + last)


def _in_threads(function: Callable[[Any], Any], items: Iterable[Any], threads: int) -> Iterator[Any]:
    """Map a function over items in threads, in order, with no more items under way than it takes to keep them busy."""
    if threads == 1:
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
