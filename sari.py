"""SARI for automatic text simplification: its published variants, as a Hugging Face metric.

`add` and `add_batch` store segments; all other methods are those of `Scorer` in sari_scorer.py, without `evaluate`.
"""

import inspect
import logging
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import datasets
import evaluate
import sacrebleu

if __name__ == "sari":  # `import sari` in this folder finds this file first; the package takes its place
    from as_package import make_importable

    make_importable()
    # The imports below are then from the package; Python wants its name in two places.
    __package__ = "sari"
    __spec__.submodule_search_locations = []

# `evaluate.load` copies the files that are named here, each on a line of its own, and no others. Where only "_" is
# imported, other files need the file.
from .aggregation import __name__ as _
from .comparison import __name__ as _
from .corpus_statistics import score_corpus
from .data_warnings import __name__ as _
from .generated_texts import __name__ as _
from .languages import SentenceSplitter, Tokenizer
from .messages import RefusedTypeError, RefusedValueError, fault, short_repr
from .ngram_statistics import count_ngrams
from .sari_scorer import COLUMNS, RESULTS, ResultRequest, Scorer
from .signatures import __name__ as _
from .significance import SEED
from .states import __name__ as _
from .text_checks import take_sample
from .tokenization import encode_corpus
from .training import __name__ as _
from .validation import refuse_positions, refuse_unknown, validate_columns
from .variant_comparison import __name__ as _
from .variants import CITATION, OPTIONS, VARIANTS

_DESCRIPTION = """\
SARI (Xu et al., 2016) scores automatic text simplification: it compares a system's output with the source and with
human references, and rates the n-grams that the system kept, deleted and added. Public implementations of SARI differ
by tens of points on the same outputs. This module computes published variants, each by its name, and a signature says
which variant a score is of. Without a configuration the variant is `hf`, that of Hugging Face's own `sari` module.
"""

_OPTION_LINES = "\n".join(
    f"    {name}: {option.help}" + (f": {', '.join(option.choices)}" if option.choices else "") + "."
    for name, option in OPTIONS.items()
)
_KWARGS_DESCRIPTION = f"""
Args:
    sources: the texts to simplify: one str per segment.
    predictions: the outputs of a system: one str per segment.
    references: simplifications by people: per segment a list of at least one str, or a single str. A str that is a list
        in JSON, as tables hold it, stands for the texts in it.
{_OPTION_LINES}
        These options can be given to `evaluate.load` too, for all methods. The variant is "hf" by default. Every other
        option that is None has the value that the variant gives it. `tokenize` can also be "spacy-de" and so on;
        "module:function"; or a callable from a text to a str with spaces between tokens, or to the tokens one by one.
        `sentence_splitter` can also be "module:function", or a callable from a text to the list of its sentences.
    details: whether to add the signature, the figures per order and the scores per segment.
    confidence: the level of confidence intervals, such as 0.95; None for none.
    resamples, seed: the number of resamples and the seed of the percentile bootstrap that makes the intervals; None for
        10,000, or fewer, but at least 5,000, for more than 5,000 segments.
    baselines: whether to add the scores of copied sources, empty outputs, unrelated texts and each reference.
Returns:
    A dict of floats in percent: "sari", and "keep", "delete" and "add", of which it is the mean. It is printed with its
    signature, which is also its attribute `signature`. With `details` also:
    "signature": a str that names every choice that the scores depend on;
    "orders": for each n-gram order a dict: "order", and for each operation "precision", "recall", "f1" and "score",
        the one of them that is its score;
    "sentences": for each of the four scores a list with one score per segment, each scored alone.
    With `confidence`: "confidence_intervals": for each of the four scores a list of its lower and its upper end.
    With `baselines`: "baselines": as from `Sari.baselines`.
Warns:
    SariWarning: in one of its categories, where data or variant give reason to doubt the score; see
        `Sari.warning_categories`.
Raises:
    ValueError: for bad input, in one line: the argument, the row, what was given and what was expected.
    TypeError: for an unknown argument, and an option of the wrong type.
    ImportError: for a tokenizer whose package is not installed, and for "dsari" where Punkt or its data are not.
Examples:
    >>> sari = evaluate.load("path/to/sari.py")
    >>> sources = ["Nearly 40 bridges were still standing ."]
    >>> predictions = ["Nearly 40 we later ran off ."]
    >>> references = [["Nearly 40 bridges were still counted .", "Nearly 40 bridges were later standing .",
    ...                "40 bridges were later standing ."]]
    >>> scores = sari.compute(sources=sources, predictions=predictions, references=references)
    >>> {{name: round(score, 2) for name, score in scores.items()}}
    {{'sari': 26.95, 'keep': 22.53, 'delete': 50.0, 'add': 8.33}}
    >>> round(sari.compute(sources=sources, predictions=predictions, references=references, variant="easse")["sari"], 2)
    31.35
"""


# What `evaluate` once took, and programs still give; it means nothing here.
_IGNORED = ["trust_remote_code", "use_auth_token", "token"]
# What a metric can be loaded with, besides options.
_OF_EVALUATE = [
    name
    for function in (evaluate.Metric, evaluate.load)
    for name in inspect.signature(function).parameters
    if name not in ("kwargs", "init_kwargs", "path", "config_name")
] + _IGNORED


@cache
def _say_which_sari() -> None:
    """Log once that the metric was loaded without a configuration, and which SARI it is then."""
    default = Sari.default_variant
    summary = VARIANTS[default].summary
    logging.getLogger("sari").warning(
        "SARI is the variant %r (%s); evaluate.load(path, NAME) has others", default, summary
    )


@cache
def _arguments_of(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Return the names of the arguments of a method; None where it takes others, too."""
    _, *parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return tuple(parameter.name for parameter in parameters)


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Sari(Scorer, evaluate.Metric):
    """SARI as a metric of Hugging Face's `evaluate`: `evaluate.load(path, "easse", lowercase=False)`.

    Without a configuration it takes the place of Hugging Face's module, and the variant is "hf".
    """

    # Attributes of `evaluate.Metric` that describe its cache files.
    writer: Any
    cache_file_name: str | None
    file_paths: list[str] | None
    filelock: Any
    filelocks: list[Any] | None

    default_variant = "hf"  # it takes the place of the `sari` module of `evaluate`

    def __init__(self, config_name: str | None = None, *, hash: str | None = None, **arguments: Any):
        """Take the options of `Scorer`, of which the configuration's name is `variant`, and arguments of `evaluate`."""
        if config_name not in (None, "default"):
            variant = arguments.get("variant")
            if variant not in (None, config_name):
                raise RefusedValueError(
                    fault("variant", short_repr(variant), f"{short_repr(config_name)} (as the configuration)")
                )
            arguments["variant"] = config_name
        options = {name: value for name, value in arguments.items() if name in OPTIONS}
        unknown = [name for name in arguments if name not in OPTIONS and name not in _OF_EVALUATE]
        refuse_unknown(unknown, [*OPTIONS, *_OF_EVALUATE])
        Scorer.__init__(self, **options)
        self._constructor_arguments = MappingProxyType(arguments)
        of_metric = {
            name: arguments[name] for name in inspect.signature(evaluate.Metric).parameters if name in arguments
        }
        evaluate.Metric.__init__(self, options.get("variant"), hash=hash, **of_metric)

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

    @property
    def name(self) -> str:
        """The name of the module and of the variant, by which `evaluate.combine` tells the results of two apart."""
        return f"sari_{self.variant.label}"

    __repr__ = evaluate.Metric.__repr__
    __eq__, __hash__ = object.__eq__, object.__hash__  # metrics of equal options may store different segments

    def _compute(
        self,
        sources: Any,
        predictions: Any,
        references: Any,
        *,
        details: bool = False,
        confidence: float | None = None,
        resamples: int | None = None,
        seed: int = SEED,
        baselines: bool = False,
        variant: str | None = None,
        level: str | None = None,
        deletion: str | None = None,
        zero_division: float | None = None,
        tokenize: Tokenizer | None = None,
        lowercase: bool | None = None,
        max_order: int | None = None,
        penalties: str | None = None,
        sentence_splitter: SentenceSplitter | None = None,
    ) -> Any:
        """Count the n-grams that predictions keep, delete and add, and compute SARI of the counts.

        Each step is a function of the module that its import names.
        """
        chosen = self._resolve(**{name: value for name, value in locals().items() if name in OPTIONS})
        if not (variant or "variant" in self.options):
            _say_which_sari()
        request = ResultRequest.of(details, baselines, confidence, resamples, seed)
        columns = validate_columns(sources, predictions, references)
        tokens = encode_corpus(columns.as_one_system(), chosen)
        counts = (count_ngrams(chunk, chosen) for chunk in tokens)
        corpus = score_corpus(counts, chosen, take_sample(*columns), **request.kept)
        return request.answer(columns, corpus)

    def compute(
        self, *texts: Any, predictions: Any = None, references: Any = None, sources: Any = None, **arguments: Any
    ) -> Any:
        """Compute SARI of the arguments, of what `add` and `add_batch` stored, or of both.

        It checks the arguments, and `_compute` computes; that of a subclass may take other arguments.
        """
        refuse_positions("compute", texts, COLUMNS)
        arguments = {name: value for name, value in arguments.items() if name not in _IGNORED}
        known = _arguments_of(type(self)._compute)
        refuse_unknown([] if known is None else [name for name in arguments if name not in known], known or ())
        has_texts = not (sources is None and predictions is None and references is None)
        columns = {"sources": sources, "predictions": predictions, "references": references}
        if not has_texts:
            columns = {name: [] for name in COLUMNS}
        is_alone = self.num_process == 1 and not len(self)  # nothing is gathered, which would need a cache file
        if is_alone and type(self)._compute is Sari._compute:  # which checks the texts itself
            return self._compute(**columns, **arguments)
        checked = validate_columns(**columns)._asdict()
        if is_alone:
            return self._compute(**checked, **arguments)
        # All this is checked before an error could delete what is stored.
        self._resolve(**{name: value for name, value in arguments.items() if name in OPTIONS})
        ResultRequest.of(**{name: value for name, value in arguments.items() if name in RESULTS})
        # Without texts only what is stored counts; where nothing is, other processes wait for a file of this one.
        added = checked if has_texts or self.writer is None else {}
        self.file_paths = self.filelocks = None  # the files of an earlier call can belong to another metric by now
        try:
            return evaluate.Metric.compute(self, **added, **arguments)
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

        `sources`, `predictions` and `references` are other names for the arguments, as in other modules of `evaluate`.
        """
        segment = {
            "sources": (source, sources),
            "predictions": (prediction, predictions),
            "references": (reference, references),
        }
        for name, both in segment.items():
            if all(value is not None for value in both):
                raise RefusedValueError(fault(name, f"two values, as {name} and as {name[:-1]}", "one"))
        columns = {name: [one if other is None else other] for name, (one, other) in segment.items()}
        (text,), (output,), (texts,) = validate_columns(**columns)
        super().add(sources=text, prediction=output, reference=texts)

    def _infer_feature_from_batch(self, _batch: Any) -> datasets.Features:
        return self.features[0]  # single references are lists by now

    _infer_feature_from_example = _infer_feature_from_batch

    def _discard(self) -> None:
        """Delete the stored segments and their files, which `evaluate` keeps after an error."""
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

    def __reduce__(self) -> tuple[Any, ...]:
        if len(self):
            raise RefusedTypeError(
                fault("metric", f"{len(self)} stored segments", "none: call compute() before a copy")
            )
        # A new process knows this module only after `evaluate.load`.
        load = partial(evaluate.load, str(Path(__file__).resolve()), **self._constructor_arguments)
        return load, (), self.signature()
