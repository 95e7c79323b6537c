"""The hook for the Trainer of transformers: padded arrays of token ids in, the scores of their texts out.

Nothing is imported from transformers or torch: arrays may be numpy's or torch's, whichever the Trainer hands over.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from .evaluation_sets import MOST, EvaluationSet, KnownSet, Row, letters_of
from .model_outputs import (
    PADDING,
    are_hidden,
    are_logits,
    as_array,
    as_numpy,
    check_answers,
    check_prompts,
    has_encoder,
    hide_prompts,
    on_cpu,
    preprocess_logits_for_metrics,
    spans_of,
)

# Of fewer rows chance may say the same.
_SEVERAL = 3


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
        self._sets = {name: KnownSet(texts, self._decoder.round_trip) for name, texts in sets.items()}
        self._batches: list[list[Row]] = []

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
            self._batches.append(self._decoded(evaluated))
            if not compute_result:
                return {}
            batches, self._batches = self._batches, []
            known, rows = self._matching(self._checked(batches))
            _check_labels(rows, known.texts)
            _check_predictions(rows, known.texts)
            known.check_ends(rows)
        except BaseException:
            self._batches = []
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

    def _decoded(self, evaluated: Any) -> list[Row]:
        labels = self._decoder.texts("label_ids", evaluated.label_ids)
        predictions = self._decoder.texts("predictions", evaluated.predictions, evaluated.label_ids)
        sources: Sequence[str | None] = [None] * len(labels)
        if are_hidden(evaluated.label_ids) and self._lack("sources"):
            raise ValueError(
                "sources: got none, wanted the raw sources, since the inputs of a model that only decodes hold its "
                "prompts and answers"
            )
        if getattr(evaluated, "inputs", None) is not None:
            sources = self._decoder.texts("inputs", evaluated.inputs)
        elif self._lack("sources"):
            raise ValueError(
                'sources: got none and no inputs, wanted sources or include_for_metrics=["inputs"] in the arguments of '
                "training"
            )
        elif self._lack("references"):
            raise ValueError(
                "references: got none and no inputs, so that nothing tells whether sources stand in the order of the "
                'evaluation set, wanted references or include_for_metrics=["inputs"] in the arguments of training'
            )
        for name, texts in {"predictions": predictions, "inputs": sources}.items():
            if len(texts) != len(labels):
                hint = ", which batch_eval_metrics does not gather from all processes: pass sources and references"
                raise ValueError(
                    f"{name}: got {len(texts)} rows, wanted {len(labels)}, as many as labels"
                    + (hint if name == "inputs" and _processes() > 1 else "")
                )
        aligned = [are_logits(evaluated.predictions, evaluated.label_ids)] * len(labels)
        return list(map(Row, sources, predictions, labels, spans_of(evaluated.label_ids), aligned))

    def _lack(self, column: str) -> bool:
        return any(getattr(known.texts, column) is None for known in self._sets.values())

    def _checked(self, batches: list[list[Row]]) -> list[Row]:
        """Return the rows of all batches, if their labels are answers, and none is left of another evaluation."""
        rows = [row for batch in batches for row in batch]
        if len(rows) not in [known.length for known in self._sets.values()]:
            _check_begun_once(rows, accumulate(map(len, batches)))
        spans = [row.span for row in rows]
        check_answers(spans)
        check_prompts(spans, left_padding=True)
        return rows

    def _matching(self, rows: list[Row]) -> tuple[KnownSet, list[Row]]:
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


class _Decoder:
    """A tokenizer that copes with whatever ids the Trainer hands over."""

    def __init__(self, tokenizer: Any):
        self._tokenizer = checked_decoder(tokenizer)

    @property
    def _of_texts(self) -> Any:
        """The tokenizer itself, which a processor has."""
        return getattr(self._tokenizer, "tokenizer", self._tokenizer)

    @cached_property
    def _end(self) -> int:
        """The id after the last: models may have more outputs than there are tokens."""
        return 1 + max(self._of_texts.get_vocab().values())

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
        return self._decoded(self._of_texts(texts, verbose=False)["input_ids"]) if texts else []

    def _decoded(self, rows: list[list[int]]) -> list[str]:
        return self._tokenizer.batch_decode(rows, skip_special_tokens=True) if rows else []


def _check_labels(rows: list[Row], texts: EvaluationSet) -> None:
    """Refuse labels that hold prompts as well as answers, as a model that only decodes has them of whole texts."""
    whole = same = 0
    for number, row in enumerate(rows):
        label = letters_of(row.label)
        source = letters_of((row.source or "") if texts.sources is None else texts.sources[number])
        own = () if texts.references is None else map(letters_of, texts.references[number])
        if source and source in label and label not in own:
            whole += source != label
            same += texts.sources is None and source == label
    if same == len(rows):  # which inputs are, all of them
        whole = same
    if whole > MOST * len(rows):
        raise ValueError(
            f"label_ids: got labels that hold the source as well, in {whole} of {len(rows)} rows, wanted the "
            "answer alone, with -100 for the prompt (TRL: columns prompt and completion), or sari.generation_callback"
        )


def _check_predictions(rows: list[Row], texts: EvaluationSet) -> None:
    """Refuse predictions that all begin with one prompt and their source, as a model that only decodes generates."""
    prompts = set()
    for number, row in enumerate(rows):
        prediction = letters_of(row.prediction)
        source = letters_of((row.source or "") if texts.sources is None else texts.sources[number])
        prompt, found, answer = prediction.partition(source) if source else ("", "", "")
        prompts.add(prompt if found and answer else "")
    if len(rows) >= _SEVERAL and len(prompts) == 1 and "" not in prompts:
        raise ValueError(
            "predictions: got texts that hold a prompt and the source before an answer, in all rows, wanted the answer "
            "alone, as sari.generation_callback takes it"
        )


def _check_begun_once(rows: list[Row], ends: Iterable[int]) -> None:
    """Refuse rows that begin again after a batch: those before are of an evaluation that broke off.

    Args:
        rows: of batches that came one by one.
        ends: where the batches end.
    """
    inputs = [(row.source, row.label) for row in rows]
    for end in ends:
        again = inputs[end : end + 1] == inputs[:1] and inputs[end : 2 * end] == inputs[:end]
        if again and len(set(inputs[:end])) > 1:  # one row may be there twice
            raise ValueError(
                f"label_ids: got rows that begin again at row {end}, as after an evaluation that broke off, wanted one "
                "evaluation: evaluate again"
            )


def _without_repeated(rows: list[Row], length: int | None) -> list[Row]:
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
