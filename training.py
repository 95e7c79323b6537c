"""The hook for the Trainer of transformers: padded arrays of token ids in, the scores of their texts out.

Nothing is imported from transformers or torch: arrays may be numpy's or torch's, whichever the Trainer hands over.
"""

import os
import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from .model_outputs import (
    PADDING,
    Span,
    are_hidden,
    as_array,
    as_numpy,
    check_prompts,
    has_encoder,
    hide_prompts,
    on_cpu,
    preprocess_logits_for_metrics,
    spans_of,
)

# Two simplifications of one sentence share more than this part of their runs of four letters, unrelated ones do not; on
# ASSET with one exception in a thousand either way.
_RUN = 4
_ENOUGH_RUNS = 0.25
_FEW = 0.1
# Of more rows than this part labels do not hold their sources, unless they hold prompts as well as answers.
_MOST = 0.5
_NOT_LETTERS = re.compile(r"[\W_]+")


class EvaluationSet(NamedTuple):
    """Raw texts in the order of an evaluation set; what is None is decoded from what the Trainer hands over."""

    sources: list[str] | None
    references: list[list[str]] | None


def evaluation_sets(
    sources: Any, references: Any, *, check: Callable[..., tuple[Any, Any]]
) -> dict[str, EvaluationSet]:
    """Return the evaluation sets by name.

    Args:
        sources, references: columns, or dicts of columns by the name of the set, or None.
        check: from the sources and references of one set to lists.

    Raises:
        ValueError, TypeError: for columns that `check` refuses, and for dicts with different names.

    >>> list(evaluation_sets({"news": ["a b"], "web": ["c d"]}, None, check=lambda *columns: columns))
    ['news', 'web']
    """
    sets = {}
    for name, columns in columns_by_set({"sources": sources, "references": references}).items():
        try:
            sets[name] = EvaluationSet(*check(*columns.values()))
        except (ValueError, TypeError) as error:
            raise type(error)(f"{name}: {error}" if name else str(error)) from None
    return sets


def columns_by_set(given: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the columns of each evaluation set by the set's name; the name of a single one is "".

    Args:
        given: columns, or dicts of columns by the name of the set, or None, by the name of the argument; whether there
            are several sets is told by the first that is not None.

    Raises:
        ValueError: for dicts with different names, or none, and where one argument is a dict and another is not.

    >>> columns_by_set({"sources": {"news": ["a b"], "web": ["c d"]}, "references": None})
    {'news': {'sources': ['a b'], 'references': None}, 'web': {'sources': ['c d'], 'references': None}}
    """
    columns = {argument: column for argument, column in given.items() if column is not None}
    first = next(iter(columns), None)
    if first is None or not isinstance(columns[first], Mapping):
        return {"": given}
    names = list(columns[first])
    if not names:
        raise ValueError(f"{first}: got a dict without an evaluation set, wanted at least one")
    for argument, column in columns.items():
        if not isinstance(column, Mapping) or set(column) != set(names):
            got = ", ".join(map(str, column)) if isinstance(column, Mapping) else type(column).__name__
            each = ", ".join(map(str, names))
            raise ValueError(f"{argument}: got {got}, wanted a dict with a column for each of {each}")
    return {name: {argument: column and column[name] for argument, column in given.items()} for name in names}


class TrainerMetric:
    """A function for `compute_metrics=` of `Trainer` and `Seq2SeqTrainer`. Made by `Sari.compute_metrics`."""

    preprocess_logits_for_metrics = staticmethod(preprocess_logits_for_metrics)

    def __init__(
        self,
        tokenizer: Any,
        score: Callable[..., dict[str, float]],
        sets: Mapping[str, EvaluationSet],
        *,
        remake: tuple[Any, ...],
    ):
        """Keep what is needed.

        Args:
            tokenizer: what decodes the ids, a tokenizer of transformers.
            score: from sources, predictions and references, and whether those will come again, to scores.
            sets: the evaluation sets by name.
            remake: what makes such a function in another process: a function and its arguments.
        """
        self._remake = remake
        self._decoder = _Decoder(tokenizer)
        self._score = score
        self._sets = {name: _Known(texts, self._decoder) for name, texts in sets.items()}
        self._rows: list[_Row] = []

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Score what the Trainer evaluated.

        Args:
            evaluated: an `EvalPrediction`: token ids, or logits, as `predictions`, and `label_ids`; perhaps `inputs`.
            compute_result: False for all but the last batch, with `batch_eval_metrics=True`.

        Returns:
            "sari", "keep", "delete" and "add" in percent; nothing before the last batch.

        Raises:
            ValueError: where what was evaluated is not the evaluation set, in its order, or lacks what is needed.
        """
        try:
            self._rows += self._decoded(evaluated)
            if not compute_result:
                return {}
            rows, self._rows = self._rows, []
            check_prompts([row.span for row in rows], left_padding=True)
            known, rows = self._matching(rows)
            _check_labels(rows, known.texts)
        except BaseException:
            self._rows = []
            raise
        sources, references = known.texts
        return self._score(
            sources=[row.source for row in rows] if sources is None else sources,
            predictions=[row.prediction for row in rows],
            references=[[row.label] for row in rows] if references is None else references,
            again=sources is not None and references is not None,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return self._remake

    def _decoded(self, evaluated: Any) -> "list[_Row]":
        labels = self._decoder.texts("label_ids", evaluated.label_ids)
        predictions = self._decoder.texts("predictions", evaluated.predictions, evaluated.label_ids)
        sources: Sequence[str | None] = [None] * len(labels)
        if are_hidden(evaluated.label_ids) and any(known.texts.sources is None for known in self._sets.values()):
            raise ValueError(
                "sources: got none, wanted the raw sources, since the inputs of a model that only decodes hold its "
                "prompts and answers"
            )
        if getattr(evaluated, "inputs", None) is not None:
            sources = self._decoder.texts("inputs", evaluated.inputs)
        elif any(known.texts.sources is None for known in self._sets.values()):
            raise ValueError(
                'sources: got none and no inputs, wanted sources or include_for_metrics=["inputs"] in the arguments of '
                "training"
            )
        for name, texts in {"predictions": predictions, "inputs": sources}.items():
            if len(texts) != len(labels):
                hint = ", which batch_eval_metrics does not gather from all processes: pass sources instead"
                raise ValueError(
                    f"{name}: got {len(texts)} rows, wanted {len(labels)}, as many as labels"
                    + (hint if name == "inputs" and _processes() > 1 else "")
                )
        return list(map(_Row, sources, predictions, labels, spans_of(evaluated.label_ids)))

    def _matching(self, rows: "list[_Row]") -> "tuple[_Known, list[_Row]]":
        """Return the set that was evaluated and its rows, without those that the Trainer repeats."""
        mismatches, matching = {}, []
        for name, known in self._sets.items():
            own = _without_repeated(rows, known.length)
            mismatch = known.mismatch(own)
            if mismatch is None:
                matching.append((known, own))
            mismatches[name] = mismatch
        if not matching and len(mismatches) == 1:
            raise ValueError(*mismatches.values())
        if not matching:
            listed = "; ".join(f"{name}: {mismatch}" for name, mismatch in mismatches.items())
            raise ValueError(f"got an evaluation set that is none of {', '.join(mismatches)}: {listed}")
        if any(known.texts != matching[0][0].texts for known, _ in matching):
            names = [name for name, mismatch in mismatches.items() if mismatch is None]
            raise ValueError(
                f"got an evaluation set that may be any of {', '.join(names)}, wanted sets that their references or, "
                'with include_for_metrics=["inputs"], their sources tell apart'
            )
        return matching[0]


def checked_decoder(tokenizer: Any) -> Any:
    """Return a tokenizer of transformers, and refuse what is none."""
    if not callable(getattr(tokenizer, "batch_decode", None)):
        raise TypeError(f"tokenizer: got {type(tokenizer).__name__}, wanted a tokenizer of transformers")
    return tokenizer


class _Row(NamedTuple):
    """The decoded texts of an evaluated row, and where its label begins and ends."""

    source: str | None
    prediction: str
    label: str
    span: "Span"


class _Decoder:
    """A tokenizer that copes with whatever ids the Trainer hands over."""

    def __init__(self, tokenizer: Any):
        self._tokenizer = checked_decoder(tokenizer)

    @cached_property
    def _end(self) -> int:
        """The id after the last: models may have more outputs than there are tokens."""
        tokenizer = getattr(self._tokenizer, "tokenizer", self._tokenizer)  # a processor has one of its own
        return 1 + max(tokenizer.get_vocab().values())

    def texts(self, name: str, arrays: Any, labels: Any = None) -> list[str]:
        """Decode token ids, or logits, of rows; `name` is for messages, `labels` tell where logits are padding."""
        if isinstance(arrays, list):  # eval_do_concat_batches=False: batch by batch
            of_batches = labels if isinstance(labels, list) else [labels] * len(arrays)
            return [text for batch in map(self.texts, [name] * len(arrays), arrays, of_batches) for text in batch]
        logits, labels = on_cpu(arrays), as_array(labels)
        ids = as_numpy(preprocess_logits_for_metrics(logits, labels))
        if ids.ndim != 2 or ids.dtype.kind not in "iu":
            raise ValueError(
                f"{name}: got {ids.dtype} of shape {ids.shape}, wanted token ids (row, token) or logits (row, token, "
                "vocabulary)"
            )
        hidden = labels is not None and hide_prompts(labels) and not has_encoder(logits)
        if hidden and (ids.shape != labels.shape or (ids[labels == PADDING] != PADDING).any()):
            raise ValueError(
                f"{name}: got token ids that do not stand where labels do, wanted for a model that only decodes "
                "preprocess_logits_for_metrics=sari.preprocess_logits_for_metrics, or sari.generation_callback; for "
                "another one labels that are padded on the right"
            )
        real = (ids >= 0) & (ids < self._end)
        return self._decoded([row[mask].tolist() for row, mask in zip(ids, real, strict=True)])

    def round_trip(self, texts: list[str]) -> list[str]:
        """Return what is left of texts that go through the tokenizer."""
        return self._decoded(self._tokenizer(texts, verbose=False)["input_ids"]) if texts else []

    def _decoded(self, rows: list[list[int]]) -> list[str]:
        return self._tokenizer.batch_decode(rows, skip_special_tokens=True) if rows else []


class _Known:
    """An evaluation set, and whether it is the one that was evaluated."""

    def __init__(self, texts: EvaluationSet, decoder: _Decoder):
        self.texts = texts
        self.length = next((len(column) for column in texts if column is not None), None)
        self._decoder = decoder

    @cached_property
    def _columns(self) -> "dict[str, _Column]":
        sources, references = self.texts
        columns = {
            "source": None if sources is None else _Column([[source] for source in sources], self._decoder),
            "label": None if references is None else _Column(references, self._decoder),
        }
        return {field: column for field, column in columns.items() if column is not None}

    def mismatch(self, rows: list[_Row]) -> str | None:
        """Return what shows that the rows are not those of this set in its order, in one line, or None."""
        if self.length is None:
            return None
        names = {"source": "sources", "label": "references"}
        if len(rows) != self.length:
            name = names["label" if self.texts.sources is None else "source"]
            return f"{name}: got {self.length} rows, wanted {len(rows)}, as many as the evaluation set has"
        for field, column in self._columns.items():
            decoded = [getattr(row, field) for row in rows]
            if None not in decoded:
                mismatch = column.mismatch(decoded)
                if mismatch is not None:
                    return (
                        f"{names[field]}: wanted the order of the evaluation set{column.hint(decoded)}, but {mismatch}"
                    )
        return None


class _Column:
    """The raw texts of rows, and whether decoded ones may have been made of them, row by row.

    What was decoded may have lost characters that the tokenizer does not know, its beginning or its end, and may have
    gained a prefix; letters are compared, without their case and accents.
    """

    def __init__(self, rows: list[list[str]], decoder: _Decoder):
        self._rows = rows
        self._decoder = decoder
        self._letters = [set(map(_letters, row)) for row in rows]
        self._home = {text: number for number, row in enumerate(self._letters) for text in row}

    def hint(self, decoded: list[str]) -> str:
        """Return what to do where most rows are those of other places."""
        elsewhere = sum(
            letters in self._home and letters not in self._letters[number]
            for number, letters in enumerate(map(_letters, decoded))
        )
        if elsewhere <= _MOST * len(decoded):
            return ""
        return " (a sampler such as group_by_length has changed it: evaluate without, or use sari.generation_callback)"

    def mismatch(self, decoded: list[str]) -> str | None:
        """Return what is wrong with the first row that stands in another place, or is unlike what it should be."""
        doubtful = [
            (number, letters)
            for number, letters in enumerate(map(_letters, decoded))
            if letters not in self._letters[number]
        ]
        round_tripped = iter(self._decoder.round_trip([text for number, _ in doubtful for text in self._rows[number]]))
        misplaced, foreign, unlike = [], [], []
        for number, letters in doubtful:
            own = self._letters[number]
            if letters in [_letters(next(round_tripped)) for _ in self._rows[number]]:
                continue
            if letters in self._home:
                misplaced.append(number)
            elif not any(letters in text or text in letters for text in own):
                foreign.append(number)
                if not any(_alike(letters, text) for text in own):
                    unlike.append(number)
        # Decoded texts may be others than these on purpose, as are labels that are none of the references: then a few
        # are by chance like those of another row, or unlike their own.
        few = _FEW * len(decoded)
        if len(misplaced) + len(unlike) <= few and not (misplaced and len(foreign) <= few):
            return None
        number = min(misplaced or unlike)
        home = self._home.get(_letters(decoded[number]))
        these = f"row {number} of these {_short(self._rows[number][0])}" if home is None else f"row {home} of these"
        return f"row {number} of it is {_short(decoded[number])}, {these}"


def _check_labels(rows: list[_Row], texts: EvaluationSet) -> None:
    """Refuse labels that hold prompts as well as answers, as a model that only decodes has them of whole texts."""
    whole = 0
    for number, row in enumerate(rows):
        label = _letters(row.label)
        source = _letters((row.source or "") if texts.sources is None else texts.sources[number])
        own = () if texts.references is None else map(_letters, texts.references[number])
        same = texts.sources is None and source == label
        whole += bool(source) and source in label and (same or source != label) and label not in own
    if whole > _MOST * len(rows):
        raise ValueError(
            f"label_ids: got labels that hold the source as well, in {whole} of {len(rows)} rows, wanted the "
            "answer alone, with -100 for the prompt (TRL: columns prompt and completion), or sari.generation_callback"
        )


def _without_repeated(rows: list[_Row], length: int | None) -> list[_Row]:
    """Drop the rows that `Seq2SeqTrainer` repeats from the first on, so that all processes have as many."""
    if _processes() == 1:
        return rows
    inputs = [(row.source, row.label) for row in rows]
    for period in range(1, len(rows)) if length is None else [length]:
        if inputs[period:] == inputs[: len(rows) - period]:
            return rows[:period]
    return rows


def _processes() -> int:
    return int(os.environ.get("WORLD_SIZE") or 1)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKD", text).casefold())


def _alike(letters: str, others: str) -> bool:
    runs = {letters[begin : begin + _RUN] for begin in range(len(letters) - _RUN + 1)}
    return sum(run in others for run in runs) > _ENOUGH_RUNS * len(runs)


def _short(text: str) -> str:
    return repr(textwrap.shorten(text, 60, placeholder=" ..."))
