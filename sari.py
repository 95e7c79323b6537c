"""SARI for automatic text simplification: every published variant, as a Hugging Face `evaluate` metric.

What it computes, and all of its other methods, stand in scoring.py, which knows nothing of `evaluate`.
"""

import inspect
import re
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import evaluate
import sacrebleu

# `evaluate.load` copies the files that are named here, each on a line of its own, and no others.
from .candidate_counts import count_each_by_each
from .comparing import compare
from .counting import count_systems
from .countings import COUNTINGS
from .data_warnings import CATEGORIES
from .evaluation_sets import evaluation_sets
from .generation import GenerationCallback
from .hooks import TrainingDoors
from .inputs import validate_columns
from .lookups import look_up
from .model_outputs import preprocess_logits_for_metrics
from .ngram_counts import count_ngrams
from .ngrams import numbered_ngrams
from .options import OPTIONS
from .portable import pack
from .prompts import generation_arguments
from .ranges import ranges_of
from .resampling import bootstrap
from .results import Result
from .samples import sample
from .scores import sari_scores
from .scoring import COLUMNS, Plan, Scorer, compute_checked, plan_of
from .sentences import count_sentences
from .state import State
from .tokenization import encode
from .training import TrainerMetric
from .variants import CITATION, VARIANTS

_DESCRIPTION = """\
SARI (Xu et al., 2016) scores automatic text simplification: it compares a system's output with the source and with
human references, and rates the n-grams that the system kept, deleted and added. Public implementations of SARI differ
by up to 20 points on the same file; this module computes each published one by name, says in a signature which one it
was, and is by default the one of Hugging Face's own `sari` module, more than 20 times faster.
"""

_KWARGS_DESCRIPTION = """
Args:
    sources: the sentences to simplify: one str per segment.
    predictions: what the system made of them: one str per segment.
    references: what people made of them: per segment a list of at least one str, or a single str.
    variant: which published SARI: "hf" (the default), "xu2016", "lens", "easse", "easse_legacy", "star", "paper",
        "t2t", "lasertagger", "set" or "dsari". The options below are the variant's own where they are None.
    level: "sentence" averages the scores of segments, "corpus" sums their counts first.
    deletion: "precision" or "f1": the score of the delete operation.
    zero_division: the value of a precision or recall whose denominator is 0: a number from 0 to 1.
    tokenize: "13a", "intl", "none", "char", "zh", "ja-mecab", "ko-mecab", "moses" and others, or a callable that takes
        a text and returns it with its tokens set apart by spaces.
    lowercase: whether texts are lowercased first.
    max_order: the longest n-grams, 4 by default.
    penalties: "none", "dsari" or "plan_simp": factors for documents that are too short, too long, or have too few or
        too many sentences, where the level is the sentence; the variant's own where it is None.
    sentence_splitter: how penalties find sentences: "punkt", NLTK's English Punkt where it and its data are installed,
        or a callable that takes a text and returns the list of its sentences.
    threads: how many threads count; one by default. The result is the same, to the last bit.
    details: whether to add the signature, the figures per order and the scores per segment.
    confidence: the level of confidence intervals, such as 0.95; None for none.
    resamples, seed: of the percentile bootstrap over segments that makes the intervals.
    baselines: whether to add what copied sources, empty outputs, unrelated texts and each reference would score.
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
    ImportError: for a tokenizer whose package is not installed, and for "dsari" where Punkt or its data are not.
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


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Sari(Scorer, evaluate.Metric):
    """SARI as a metric of Hugging Face's `evaluate`."""

    # What `evaluate` keeps of its cache files.
    writer: Any
    cache_file_name: str | None
    file_paths: list[str] | None
    filelock: Any
    filelocks: list[Any] | None

    def __init__(self, config_name: str | None = None, **options: Any):
        variant = None if config_name == "default" else config_name
        if variant is not None and (not isinstance(variant, str) or variant not in VARIANTS):
            shown = "; ".join(f"{name} ({row.summary})" for name, row in VARIANTS.items())
            raise ValueError(f"config_name: got {config_name!r}, wanted one of {shown}")
        evaluate.Metric.__init__(self, config_name, **options)
        Scorer.__init__(self, variant)
        defaults = {name: known.default for name, known in inspect.signature(evaluate.Metric).parameters.items()}
        self._options = {
            name: value for name, value in options.items() if name != "hash" and value != defaults.get(name)
        }
        self.loader = partial(evaluate.load, str(Path(__file__).resolve()))
        for name in ("compute", "add", "add_batch"):  # which `evaluate` has copied, but not what `help` shows of them
            door, copy = getattr(type(self), name), getattr(self, name).__func__
            copy.__wrapped__, copy.__doc__ = door, f"{door.__doc__}{self.inputs_description}"

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=CITATION,
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

    def _compute(
        self, sources: Any, predictions: Any, references: Any, plan: Plan | None = None, **options: Any
    ) -> Result:
        columns = validate_columns(sources, predictions, references)
        return compute_checked(
            columns, plan_of({"variant": self.default_variant or "hf", **options}) if plan is None else plan
        )

    def compute_planned(self, sources: Any, predictions: Any, references: Any, plan: Plan) -> Any:
        """Score the arguments of `compute`, or what `add` and `add_batch` stored, or both.

        Returns:
            The scores; None on the other processes of a distributed evaluation.
        """
        given = dict(zip(COLUMNS, (sources, predictions, references), strict=True))
        nothing = all(column is None for column in given.values())
        columns = validate_columns([], [], []) if nothing else validate_columns(**given)
        if self.num_process == 1 and not len(self):
            # Nothing to gather, neither from earlier calls nor from other processes: no need of a cache file.
            return compute_checked(columns, plan)
        # Other processes wait for the file of this one, even if it has nothing to say.
        silent = nothing and self.writer is not None
        self.file_paths = self.filelocks = None  # those of an earlier call may be another metric's by now
        try:
            return evaluate.Metric.compute(self, **({} if silent else columns._asdict()), plan=plan)
        except BaseException:
            self._discard()
            raise

    def add_batch(self, *, predictions: Any = None, references: Any = None, sources: Any = None) -> None:
        """Store segments for `compute`."""
        columns = validate_columns(sources, predictions, references)
        if columns.sources or self.num_process > 1:
            super().add_batch(**columns._asdict())

    def add(
        self,
        *,
        prediction: Any = None,
        reference: Any = None,
        source: Any = None,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
    ) -> None:
        """Store one segment for `compute`: its source, its prediction, and its references or its only reference.

        As in other modules of `evaluate`, the columns' names (`sources` and so on) will do as well.
        """
        segment = {"sources": (source, sources), "predictions": (prediction, predictions)}
        segment["references"] = (reference, references)
        given = {name: [one if other is None else other] for name, (one, other) in segment.items()}
        (text,), (output,), (texts,) = validate_columns(**given)
        super().add(sources=text, prediction=output, reference=texts)

    def _infer_feature_from_batch(self, _batch: Any) -> datasets.Features:
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

    def _stored(self) -> dict[str, Any] | None:
        """Return what `add` and `add_batch` stored, and store it again."""
        if not len(self):
            return None
        if self.num_process > 1:
            raise TypeError(f"metric: got stored segments of {self.num_process} processes, wanted compute() before")
        self._finalize()
        data: Any = self.data
        stored = {name: data[name][:] for name in COLUMNS}
        self._discard()
        super().add_batch(**stored)
        return stored

    def __reduce__(self) -> tuple[Any, ...]:
        # A new process knows this module only after `evaluate.load`.
        config = () if self.config_name == "default" else (self.config_name,)
        load = partial(evaluate.load, **self._options) if self._options else evaluate.load
        of_loader = self.loader.args if self.loader else ()
        return load, (*of_loader, *config), self._stored()

    def __setstate__(self, stored: dict[str, Any]) -> None:
        super().add_batch(**stored)
