"""What whole sentences of an output cost or earn: SARI of the output with one sentence more or less."""

from collections.abc import Sequence
from math import ceil

from sari.companion_measures.simplification import split_sentences
from sari.comparison import candidate_scores
from sari.reports.word_edits import CHANGED_TOKENS, Edit
from sari.tokenization import split_into_tokens
from sari.validation import Columns
from sari.variants import Variant


def score_sentences(segment: Columns, sari: float, variant: Variant) -> list[Edit]:
    """Score what the output of a document would be without each of its sentences, and with each one that it left out.

    A sentence of the source is left out if the output has less than half of its words. It is put in where it would
    stand if sentences kept their order and distance; where it is the only one that is left out, in its own place.

    Args:
        segment: one segment as it is written.
        sari: its score.
        variant: to score by.

    Returns:
        An edit for each sentence, those that cost most first: its choice is "kept" or "added" for one of the output,
        "deleted" for one of the source, and it stands at the number of its sentence, from 0. Nothing where source and
        output have one sentence each; of very long texts, the first sentences alone.
    """
    (source,), (output,) = segment.sources, segment.predictions
    before, after = (list(split_sentences(text)) for text in (source, output))
    if len(before) < 2 and len(after) < 2:
        return []
    in_source, in_output = (set(tokens) for tokens in split_into_tokens([source, output], variant.text))
    length = sum(len(text.split()) for text in (source, output, *segment.references[0]))
    most = CHANGED_TOKENS // length + 1
    changes: list[tuple[str, str, tuple[str, int], str]] = []
    for number, sentence in enumerate(after[:most]):
        choice = "kept" if _is_mostly_in(in_source, sentence, variant) else "added"
        changes.append((choice, sentence, ("output", number), " ".join(after[:number] + after[number + 1 :])))
    for number, sentence in enumerate(before):
        if len(changes) < most and not _is_mostly_in(in_output, sentence, variant):
            place = ceil(number * len(after) / len(before))
            text = " ".join([*after[:place], sentence, *after[place:]])
            changes.append(("deleted", sentence, ("source", number), text))
    (scores,) = candidate_scores(segment.sources, [[text for *_, text in changes]], segment.references, variant)
    edits = [
        Edit(choice, sentence, at, sari - score, score, text)
        for (choice, sentence, at, text), score in zip(changes, scores, strict=True)
    ]
    return sorted(edits, key=lambda edit: edit.points)


def _is_mostly_in(others: set[str], sentence: str, variant: Variant) -> bool:
    """Return whether at least half of the words of a sentence are among others."""
    words: Sequence[str] = split_into_tokens([sentence], variant.text)[0]
    return 2 * sum(word in others for word in words) >= len(words)
