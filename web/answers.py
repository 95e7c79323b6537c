"""What the page and its endpoints answer: the metric's results, for input that is checked against the limits."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from sari.files.reading import Columns
from sari.inputs import validate_columns
from sari.options import resolve_settings
from sari.report.explanation import Explanation, explain
from sari.report.results import SCORES, without_comparison
from sari.web.corpora import Batch
from sari.web.limits import RefusedError, check_characters, check_segments, check_tokenizer, refusals
from sari.web.results import Comparison, Row, ScoredCorpus


def explain_segment(source: str, output: str, references: Sequence[str], **options) -> Explanation:
    """Explain the SARI of one segment; options are those of the metric.

    Raises:
        RefusedError: for empty fields, past the limit, and for what the metric refuses.
    """
    with refusals():
        check_tokenizer(**options)
        segment = _segment(source, output, references)
        return explain(
            source=segment["sources"][0],
            prediction=segment["predictions"][0],
            references=segment["references"][0],
            settings=resolve_settings(**options),
        )


def score_variants(metric, source: str, output: str, references: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the scores of one segment under every variant, by name.

    Raises:
        RefusedError: as in `explain_segment`.
    """
    with refusals():
        segment = _segment(source, output, references)
        return {name: metric.compute(**segment, variant=name, threads=1) for name in metric.variants}


def explain_difference(
    metric, source: str, output: str, references: Sequence[str], *, variant_a: str, variant_b: str
) -> dict[str, Any]:
    """Tell why two variants score one segment differently, as `Sari.explain_difference` does.

    Raises:
        RefusedError: as in `explain_segment`.
    """
    with refusals():
        segment = _segment(source, output, references)
        return metric.explain_difference(**segment, variant_a=variant_a, variant_b=variant_b, threads=1)


def score_corpus(
    metric, batches: Iterable[Batch], show_progress: Callable[[int, int], object], **options
) -> ScoredCorpus:
    """Score a corpus.

    Args:
        metric: the loaded metric.
        batches: its segments, as the functions of `corpora` yield them.
        show_progress: called with the number of segments scored so far, and of all.
        options: those of the metric.

    Raises:
        RefusedError: past the limits, and for what the metric or the files refuse.
    """
    with refusals():
        check_tokenizer(**options)
        batches = list(batches)
        total = sum(len(batch["sources"]) for batch in batches)
        check_segments(total)
        state = metric.state(sentences=True, threads=1, **options)
        for batch in batches:
            state.update(**batch)
            show_progress(state.segments, total)
        with metric.collect_warnings() as warned:
            result = state.compute(details=True)
    scores = zip(*(result["sentences"][name] for name in SCORES), strict=True)
    texts = chain.from_iterable(zip(*batch.values(), strict=True) for batch in batches)
    rows = [Row(line, *values, *text) for line, (values, text) in enumerate(zip(scores, texts, strict=True), 1)]
    return ScoredCorpus(result, rows, without_comparison(_notes(warned)))


def compare_systems(metric, systems: Columns, *, variant: str = "hf", **options) -> Comparison:
    """Compare systems.

    Args:
        metric: the loaded metric.
        systems: what to compare, as the functions of `corpora` return it.
        variant: the name of the SARI.
        options: more of those of `Sari.compare`.

    Raises:
        RefusedError: past the limits, and for what the metric refuses.
    """
    with refusals():
        check_tokenizer(**options)
        check_segments(len(systems["sources"]))
        with metric.collect_warnings() as warned:
            result = metric.compare(**systems, variant=variant, **options, threads=1)
    return Comparison(variant, result, _notes(warned))


def _segment(source: str, output: str, references: Sequence[str]) -> Batch:
    """Return one segment as a batch, or refuse what is missing."""
    (source,), (output,), (references,) = validate_columns([source], [output], [references or [""]])
    if not source.strip():
        raise RefusedError("Please enter a source: the sentence to simplify.")
    if not any(reference.strip() for reference in references):
        raise RefusedError("Please enter at least one reference: a simplification written by a person, one per line.")
    check_characters(len(source) + len(output) + sum(map(len, references)))
    return Batch(sources=[source], predictions=[output], references=[references])


def _notes(warned: Iterable[Warning]) -> list[dict[str, str]]:
    return [{"category": type(warning).__name__, "message": str(warning)} for warning in warned]
