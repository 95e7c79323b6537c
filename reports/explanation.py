"""Explain the SARI of one segment as plain data: what became of every token, and the n-grams of each figure.

Scores, and what each n-gram adds to the counts, come from the functions of the metric; here they get words.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sari.aggregation import OrderFigures, Scores, penalty_factors
from sari.corpus_statistics import score_corpus
from sari.data_warnings import WarningRow, warning_rows
from sari.ngram_statistics import COUNTINGS, NgramTable, SegmentCounts, count_ngrams, ngram_tables
from sari.reports.alignment import align, changes, pair_words
from sari.reports.word_edits import Edit, score_edits
from sari.text_checks import take_sample
from sari.tokenization import encode_chunk
from sari.validation import validate_columns
from sari.variants import OPERATIONS, Variant

#: The marks of tokens, and what they mean. A token of the source is kept or deleted "rightly" if that earns at least
#: half of its credit, which usually means that at least half of the references agree.
MARKS = {
    "kept-rightly": "kept, as references do",
    "kept-wrongly": "kept, though references drop it",
    "deleted-rightly": "deleted, as references do",
    "deleted-wrongly": "deleted, though references keep it",
    "kept": "kept from the source",
    "added-rightly": "added, as references do",
    "added-wrongly": "added, though no reference has it",
    "missed": "added by references, missed by the output",
}

#: What no explanation can say.
UNSEEN = "SARI compares words alone: it does not see whether an output is cut off or ungrammatical."

# Points that are shown as nothing.
_LEAST = 0.005
# Shares of credit that differ less are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Token:
    """A token, what became of it, and why.

    Attributes:
        text: the token.
        mark: a key of `MARKS`.
        why: the reason, as a sentence.
        credit: the share of precision that it earns, from 0 to 1; None for missed tokens, which precision ignores.
    """

    text: str
    mark: str
    why: str
    credit: float | None


@dataclass(frozen=True)
class Places:
    """Where an n-gram begins, in tokens from 0.

    Attributes:
        source: in the source, where the output did the operation; if only references did it, all its places.
        output: in the output.
        references: in each reference.
    """

    source: list[int]
    output: list[int]
    references: list[list[int]]


@dataclass(frozen=True)
class Gram:
    """An n-gram that counts in one operation.

    Attributes:
        text: its tokens, joined by spaces.
        mark: "right" or "wrong" if the output did the operation, "missed" if only references did.
        agree: the number of references that did it.
        references: the number of references that count.
        counts: what it adds to the numerator and denominator of precision, then of recall.
        why: the reason, as a sentence.
        places: where it is in the texts.
    """

    text: str
    mark: str
    agree: int
    references: int
    counts: tuple[float, float, float, float]
    why: str
    places: Places


@dataclass(frozen=True)
class Penalty:
    """A factor of scores: its name in `PenaltyFactor`, its value, the operations that it multiplies, and why."""

    name: str
    factor: float
    operations: list[str]
    why: str

    @property
    def sentence(self) -> str:
        """The penalty as a sentence."""
        return f"{' and '.join(self.operations)} × {self.factor:.3g} for {self.name}: {self.why}."


@dataclass(frozen=True)
class Explanation:
    """The SARI of one segment, and why it is what it is.

    Attributes:
        variant: the name of the variant.
        signature: every choice that the scores depend on.
        scores: "sari", "keep", "delete" and "add" in percent.
        penalties: the factors of the scores; most variants have none.
        orders: for each n-gram order the figures in percent without penalties, as in the details of `compute`.
        source: the tokens of the source: kept or deleted, rightly or wrongly.
        output: the tokens of the output: kept, added rightly or added wrongly.
        references: the tokens of each reference, marked by what the output did: kept, deleted, added or missed.
        changes: source and output as one line: for each token "source" or "output", and its place there.
        missed: the tokens that only references added, those of most references first.
        grams: for each order and operation the n-grams of the figures; empty without `ngrams`.
        edits: what each choice of a word costs or earns, those that cost most first: see `score_edits`.
        warnings: about the texts and the variant.
    """

    variant: str
    signature: str
    scores: Scores
    penalties: list[Penalty]
    orders: list[OrderFigures]
    source: list[Token]
    output: list[Token]
    references: list[list[Token]]
    changes: list[tuple[str, int]]
    missed: list[Token]
    grams: list[dict[str, list[Gram]]]
    edits: list[Edit]
    warnings: list[WarningRow]

    @property
    def costs(self) -> list[Edit]:
        """The choices that cost SARI, those that cost most first."""
        return [edit for edit in self.edits if edit.points < -_LEAST]

    @property
    def earnings(self) -> list[Edit]:
        """The choices that earn SARI, those that earn most first."""
        return [edit for edit in reversed(self.edits) if edit.points > _LEAST]


def explain(
    *, source: str, prediction: str, references: Sequence[str], variant: Variant, ngrams: bool = True
) -> Explanation:
    """Explain the SARI of one segment.

    Args:
        source, prediction: the text to simplify, and the output of a system.
        references: simplifications by people, at least one.
        variant: to score by.
        ngrams: whether to explain n-grams too, which takes most of the time.

    Raises:
        ValueError, TypeError: for texts that the metric refuses.

    >>> from sari.variants import resolve_variant
    >>> explanation = explain(
    ...     source="a large cat", prediction="a cat", references=["a big cat", "a cat"], variant=resolve_variant("hf")
    ... )
    >>> [(token.text, token.mark) for token in explanation.source]
    [('a', 'kept-rightly'), ('large', 'deleted-rightly'), ('cat', 'kept-rightly')]
    >>> explanation.missed[0]
    Token(text='big', mark='missed', why='Missed: 1 of 2 references adds it.', credit=None)
    """
    columns = validate_columns([source], [prediction], [list(references)])
    tokens = encode_chunk(columns.sources, columns.references, columns.predictions, variant)
    counted = count_ngrams(tokens, variant)
    corpus = score_corpus([counted], variant, take_sample(*columns))
    of_source, *of_references, of_output = (
        list(tokens.spans.strings(start, stop)) for start, stop in pairwise(tokens.starts.tolist())
    )
    tables = ngram_tables(tokens, variant if ngrams else replace(variant, max_order=1))
    orders = [_ngrams(table, variant, len(of_references)) for table in tables]
    words = {ngram.tokens[0]: ngram for ngram in orders[0]}
    in_order = align(of_source, of_output)
    kept = set(pair_words(of_source, of_output, in_order))
    kept |= {place for place, text in enumerate(of_source) if words[text].output >= words[text].source}
    missed = [ngram for ngram in orders[0] if not ngram.source and not ngram.output]
    texts = [of_source, of_output, *of_references]
    explanation = Explanation(
        variant=variant.label,
        signature=corpus.signature,
        scores=corpus.scores(),
        penalties=list(_penalties(counted, variant)),
        orders=corpus.orders(),
        source=[words[text].marked("keep" if place in kept else "delete") for place, text in enumerate(of_source)],
        output=[words[text].in_output() for text in of_output],
        references=[[words[text].in_reference() for text in reference] for reference in of_references],
        changes=changes(of_source, of_output, in_order),
        missed=[ngram.in_reference() for ngram in sorted(missed, key=lambda ngram: -ngram.holders)],
        grams=[_grams(own, _places(texts, order), kept) for order, own in enumerate(orders, 1) if ngrams],
        edits=[],
        warnings=warning_rows(corpus.warnings()),
    )
    marked = explanation.source, explanation.output, explanation.references
    return replace(explanation, edits=score_edits(columns, explanation.scores["sari"], *marked, variant))


def _penalties(counted: SegmentCounts, variant: Variant) -> Iterator[Penalty]:
    """Yield the penalties of the only segment."""
    rules = variant.penalty_rules
    if rules is None or counted.sizes is None:
        return
    ((source, output, references),), ((ours, theirs),) = (column.tolist() for column in counted.sizes)
    why = {
        "shortness": f"output {output} tokens, references {references}",
        "verbosity": f"output {output} tokens, references {references}, source {source}",
        "sentences": f"output {ours}, references {theirs}",
    }
    for name, factor in penalty_factors(*counted.sizes).items():
        operations: list[str] = [operation for operation in OPERATIONS if name in getattr(rules, operation)]
        yield Penalty(name, float(factor[0]), operations, why[name])


class _Ngram(NamedTuple):
    """An n-gram and what is known of it.

    Attributes:
        tokens: the n-gram.
        source, output, references: how often the source, the output and all references hold it; for variants that
            count presence, 0 or 1 for source and output, and the number of references that hold it.
        scale: the factor that makes counts of source and output comparable with those of the references.
        holders: the number of references that hold it.
        asked: the number of references, without those that the variant ignores because they are too short.
        counts: what it adds to the four counts of each operation.
        rule: see `ngram_statistics.Counting`.
    """

    tokens: tuple[str, ...]
    source: int
    output: int
    references: int
    scale: int
    holders: int
    asked: int
    counts: dict[str, tuple[float, float, float, float]]
    rule: str

    def credit(self, operation: str) -> float:
        """Return the share of precision that it earns."""
        numerator, denominator = self.counts[operation][:2]
        return _share(numerator, denominator)

    def agreeing(self, operation: str) -> int:
        """Return how many references did the same."""
        return self.asked - self.holders if operation == "delete" else self.holders

    def marked(self, operation: str) -> Token:
        """Return a token to which the output did an operation."""
        done, credit = {"keep": "kept", "delete": "deleted", "add": "added"}[operation], self.credit(operation)
        mark = f"{done}-{'rightly' if credit >= 0.5 else 'wrongly'}"
        return Token(self.tokens[0], mark, _why(self, operation), credit)

    def in_output(self) -> Token:
        """Return a token of the output."""
        if not self.source:
            return self.marked("add")
        why = _why(self, "keep")
        if self.output > self.source:
            surplus = f"It stands here {_times(self.output)}, in the source {_times(self.source)}"
            why += f" {surplus}: the surplus is ignored."
        return Token(self.tokens[0], "kept", why, self.credit("keep"))

    def in_reference(self) -> Token:
        """Return a token of a reference, with what the output did to it."""
        if self.output:
            token = self.in_output()
            return token if token.mark != "added-wrongly" else replace(token, mark="kept")
        if self.source:
            return self.marked("delete")
        return Token(self.tokens[0], "missed", _why(self, "add"), None)


def _ngrams(table: NgramTable, variant: Variant, nrefs: int) -> list[_Ngram]:
    """Return the n-grams of one order: those of the source, then those of the output, then those of references."""
    counting = COUNTINGS[variant.counting]
    scale, in_texts = table.weight, [table.in_source, table.in_prediction, table.in_references]
    if counting.as_sets:
        scale, in_texts = 1, [np.minimum(table.in_source, 1), np.minimum(table.in_prediction, 1), table.holders]
    asked = table.long_references if counting.skips_short_references else nrefs
    counts = (dict(zip(OPERATIONS, map(tuple, own), strict=True)) for own in table.counts.tolist())
    rows = zip(table.ngrams, *(column.tolist() for column in (*in_texts, table.holders)), counts, strict=True)
    found = [
        _Ngram(tokens, source, output, references, scale, holders, asked, own, counting.rule)
        for tokens, source, output, references, holders, own in rows
    ]
    return sorted(found, key=lambda ngram: 0 if ngram.source else 1 if ngram.output else 2)


def _places(texts: Sequence[Sequence[str]], order: int) -> dict[tuple[str, ...], Places]:
    """Return where each n-gram begins in the source, the output and the references."""
    starts: dict[tuple[str, ...], list[list[int]]] = defaultdict(lambda: [[] for _ in texts])
    for number, tokens in enumerate(texts):
        for start in range(len(tokens) - order + 1):
            starts[tuple(tokens[start : start + order])][number].append(start)
    return {tokens: Places(source, output, references) for tokens, (source, output, *references) in starts.items()}


def _grams(ngrams: list[_Ngram], places: dict[tuple[str, ...], Places], kept: set[int]) -> dict[str, list[Gram]]:
    """Return the n-grams that count in each operation; `kept` has the places of the source that are kept."""
    grams: dict[str, list[Gram]] = {operation: [] for operation in OPERATIONS}
    for ngram in ngrams:
        for operation, counts in ngram.counts.items():
            _, is_done, _, is_wanted = counts
            if is_done or is_wanted:
                mark = "missed" if not is_done else "right" if ngram.credit(operation) >= 0.5 else "wrong"
                why, here = _why(ngram, operation), _done_at(operation, ngram, places[ngram.tokens], kept)
                text, agree = " ".join(ngram.tokens), ngram.agreeing(operation)
                grams[operation].append(Gram(text, mark, agree, ngram.asked, counts, why, here))
    return grams


def _done_at(operation: str, ngram: _Ngram, places: Places, kept: set[int]) -> Places:
    """Return the places of an operation; an n-gram kept in part is kept where most of its words are kept."""
    if operation == "add" or not ngram.output or ngram.output >= ngram.source:
        return places
    likeliest = sorted(places.source, key=lambda start: -len(kept & set(range(start, start + len(ngram.tokens)))))
    done = likeliest[: ngram.output] if operation == "keep" else likeliest[ngram.output :]
    return replace(places, source=sorted(done))


# ---- Sentences ------------------------------------------------------------------------------------------------------


def _why(ngram: _Ngram, operation: str) -> str:
    """Say what the output did to an n-gram, what the references did, and the credit if it is not obvious."""
    agreeing, credit = ngram.agreeing(operation), ngram.credit(operation)
    agree = _who(agreeing, ngram.asked, f"{operation}s", operation)
    if not ngram.counts[operation][1]:
        missed = {"keep": "Not kept, though", "delete": "Not deleted, though", "add": "Missed:"}
        return f"{missed[operation]} {agree} it."
    have = _who(ngram.holders, ngram.asked, "has", "have")
    if operation == "add":
        if ngram.counts["add"][0]:
            return f"Added: {have} it too."
        but = f" {ngram.rule}, so it does not count." if ngram.holders else ""
        return f"Added{'; ' if ngram.holders else ', but '}{have} it.{but}"
    if ngram.source > 1 or ngram.scale > ngram.asked:
        return _why_repeated(ngram, operation)
    done, opposite = ("Kept", "delete") if operation == "keep" else ("Deleted", "keep")
    if 2 * agreeing >= ngram.asked:
        too = " too" if operation == "delete" else ""
        why = f"{done}: {agree} it{too}."
    else:
        why = f"{done}, but {_who(ngram.asked - agreeing, ngram.asked, f'{opposite}s', opposite)} it."
    if abs(_share(agreeing, ngram.asked) - credit) < _SAME:
        return why
    if ngram.references > ngram.holders:
        return f"{why} Together they have it {_times(ngram.references)}: {_in_words(credit)}."
    return f"{why} {ngram.rule}: {_in_words(credit)}."


def _why_repeated(ngram: _Ngram, operation: str) -> str:
    """Say the same of an n-gram that the source holds more than once, where each copy counts."""
    kept, most = min(ngram.source, ngram.output), ngram.source * ngram.scale
    done, number = ("Kept", kept) if operation == "keep" else ("Deleted", ngram.source - kept)
    copies, theirs = number * ngram.scale, min(most, ngram.references)
    why, they = f"{done} {number} of {_times(ngram.source)}", "the references keep"
    if ngram.scale > 1:
        why += f", {copies} of {most} copies over {ngram.asked} references"
        they = "together they keep"
    if ngram.asked == 1:
        they = "the reference keeps"
    why += f"; {they} {theirs}"
    credit = ngram.credit(operation)
    if operation == "delete":
        may_go, beyond = most - theirs, max(copies - ngram.references, 0)
        if abs(_share(min(copies, may_go), copies) - credit) < _SAME:
            why += f", so {may_go} may go"
        elif abs(_share(beyond, copies) - credit) < _SAME:
            why += ". This variant credits deletions only as far as they outnumber the copies that references keep"
            why += f", {copies} against {ngram.references}"
    return f"{why}: {_in_words(credit)}."


def _in_words(credit: float) -> str:
    if credit > 0.995:
        return "full credit"
    return f"{100 * credit:.0f}% of the credit" if credit >= 0.005 else "no credit"


def _who(number: int, of: int, singular: str, plural: str) -> str:
    """Return how many of the references do something, in words.

    >>> [_who(number, 4, "has", "have") for number in (0, 1, 3, 4)]
    ['none of the 4 references has', '1 of 4 references has', '3 of 4 references have', 'all 4 references have']
    >>> [_who(number, 1, "has", "have") for number in (0, 1)]
    ['no reference has', 'the reference has']
    """
    if of == 1:
        return f"the reference {singular}" if number else f"no reference {singular}"
    if number == of:
        return f"{'both' if of == 2 else f'all {of}'} references {plural}"
    if not number:
        return f"none of the {of} references {singular}"
    return f"{number} of {of} references {singular if number == 1 else plural}"


def _times(number: int) -> str:
    return "1 time" if number == 1 else f"{number} times"


def _share(good: float, whole: float) -> float:
    return good / whole if whole else 0.0
