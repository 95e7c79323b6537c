"""Why a text gets its SARI: every token with what became of it, and the n-grams behind each figure, as plain data.

Scores, tokens and what each n-gram adds to the counts come from the functions that score; here they are put into words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sari.counting import NgramTable, SegmentCounts, count_columns, ngram_table
from sari.inputs import validate_columns
from sari.ngram_counts import NgramAmounts
from sari.options import Settings
from sari.scores import penalty_factors
from sari.state import OrderFigures, Scores, State
from sari.tokenization import split_into_tokens
from sari.variants import OPERATIONS

#: What may become of a token, and what that means. In the source each token is kept or deleted; "rightly" is where at
#: least half of the credit is earned, which as a rule is where at least half of the references agree.
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


@dataclass(frozen=True)
class Token:
    """A token, what became of it (a key of `MARKS`), and the sentence that says why."""

    text: str
    mark: str
    why: str


@dataclass(frozen=True)
class Gram:
    """An n-gram in the account of one operation.

    Attributes:
        text: its tokens, joined by spaces.
        mark: "right" or "wrong" where the output did it to the n-gram, "missed" where only references did.
        agree: how many references did it.
        references: how many references were asked.
        counts: what it adds to the numerator and denominator of precision, and to those of recall.
    """

    text: str
    mark: str
    agree: int
    references: int
    counts: tuple[float, float, float, float]


@dataclass(frozen=True)
class Penalty:
    """What scores of operations have been multiplied by: a name of `PENALTY_FACTORS`, the factor, and why, in words."""

    name: str
    factor: float
    operations: list[str]
    why: str

    @property
    def sentence(self) -> str:
        """All of it in a sentence."""
        return f"{' and '.join(self.operations)} × {self.factor:.3g} for {self.name}: {self.why}."


@dataclass(frozen=True)
class Explanation:
    """Everything behind the SARI of one segment.

    Attributes:
        variant: the name of the variant.
        signature: every choice behind the scores.
        scores: "sari", "keep", "delete" and "add" in percent.
        penalties: what the scores have been multiplied by; none for most variants.
        orders: for each n-gram order the figures in percent, as in the details of the metric's `compute`: without
            penalties.
        source: the tokens of the source: kept or deleted, rightly or wrongly.
        output: the tokens of the output: kept, added rightly or added wrongly.
        missed: what references added and the output did not, most wanted first.
        grams: for each order and operation, the n-grams behind the figures, as they appear in the texts.
    """

    variant: str
    signature: str
    scores: Scores
    penalties: list[Penalty]
    orders: list[OrderFigures]
    source: list[Token]
    output: list[Token]
    missed: list[Token]
    grams: list[dict[str, list[Gram]]]


def explain(*, source: str, prediction: str, references: Sequence[str], settings: Settings) -> Explanation:
    """Explain the SARI of one segment.

    Args:
        source, prediction: the text to simplify, and what a system made of it.
        references: what people made of it, at least one.
        settings: how to score.

    Raises:
        ValueError, TypeError: as the metric does.

    >>> from sari.options import resolve_settings
    >>> explanation = explain(
    ...     source="a large cat", prediction="a cat", references=["a big cat", "a cat"], settings=resolve_settings("hf")
    ... )
    >>> [(token.text, token.mark) for token in explanation.source]
    [('a', 'kept-rightly'), ('large', 'deleted-rightly'), ('cat', 'kept-rightly')]
    >>> explanation.missed[0]
    Token(text='big', mark='missed', why='Missed: 1 of 2 references adds it.')
    """
    columns = validate_columns([source], [prediction], [list(references)])
    state = State(settings)
    state.observe(columns)
    (counted,) = count_columns(*columns, settings)
    state.accumulate(counted)
    (source_tokens,) = split_into_tokens(columns.sources, settings.source_text)
    (output_tokens,) = split_into_tokens(columns.predictions, settings.text)
    orders = _entries(ngram_table(source, prediction, references, settings))
    unigrams = {entry.tokens[0]: entry for entry in orders[0]}
    return Explanation(
        variant=settings.variant.name,
        signature=state.signature,
        scores=state.scores(),
        penalties=list(_penalties(counted, settings)),
        orders=state.orders(),
        source=_source_tokens(source_tokens, output_tokens, unigrams),
        output=[_output_token(token, unigrams[token]) for token in output_tokens],
        missed=_missed(unigrams.values()),
        grams=[_grams(entries) for entries in orders],
    )


def _penalties(counted: SegmentCounts, settings: Settings) -> Iterator[Penalty]:
    """Yield the penalties of the only segment."""
    penalties = settings.penalties
    if penalties is None or counted.sentences is None:
        return
    ((source, output, references),), ((ours, theirs),) = counted.lengths.tolist(), counted.sentences.tolist()
    why = {
        "shortness": f"output {output} tokens, references {references}",
        "verbosity": f"output {output} tokens, references {references}, source {source}",
        "sentences": f"output {ours}, references {theirs}",
    }
    for name, factor in penalty_factors(counted.lengths, counted.sentences).items():
        operations: list[str] = [operation for operation in OPERATIONS if name in getattr(penalties, operation)]
        yield Penalty(name, float(factor[0]), operations, why[name])


class _Entry(NamedTuple):
    """An n-gram and what is known of it.

    Attributes:
        tokens: the n-gram.
        source, output, references: how much of it the source, the output and all references hold, as the variant
            counts: occurrences, or presence.
        scale: what source and output are multiplied by to compare them with the references.
        holders: how many references hold it.
        asked: how many references there are, less those that the variant leaves out because they are too short.
        counts: for each operation what it adds to the four counts.
    """

    tokens: tuple[str, ...]
    source: int
    output: int
    references: int
    scale: int
    holders: int
    asked: int
    counts: dict[str, tuple[float, float, float, float]]


def _entries(table: NgramTable) -> list[list[_Entry]]:
    """Return the n-grams of each order: those of the source, then those of the output, then those of references."""
    orders = [_of_order(*row) for row in zip(table.ngrams, table.amounts, strict=True)]
    return [sorted(entries, key=lambda entry: 0 if entry.source else 1 if entry.output else 2) for entries in orders]


def _of_order(ngrams: Iterable[tuple[str, ...]], amounts: NgramAmounts) -> Iterator[_Entry]:
    columns = (amounts.in_source, amounts.in_prediction, amounts.in_references, amounts.holders, amounts.counts)
    rows = zip(ngrams, *(column.tolist() for column in columns), strict=True)
    for tokens, source, output, references, holders, counts in rows:
        by_operation = dict(zip(OPERATIONS, map(tuple, counts), strict=True))
        yield _Entry(tokens, source, output, references, amounts.scale, holders, amounts.asked, by_operation)


def _ngrams(tokens: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1)]


def _share(good: float, whole: float) -> float:
    return good / whole if whole else 0.0


def _grams(entries: Iterable[_Entry]) -> dict[str, list[Gram]]:
    """Return for each operation the n-grams that count in it."""
    grams: dict[str, list[Gram]] = {operation: [] for operation in OPERATIONS}
    for entry in entries:
        for operation in OPERATIONS:
            counts = entry.counts[operation]
            if counts[1] or counts[3]:
                mark = ("right" if _credit(entry, operation) >= 0.5 else "wrong") if counts[1] else "missed"
                grams[operation].append(
                    Gram(" ".join(entry.tokens), mark, _agreeing(entry, operation), entry.asked, counts)
                )
    return grams


def _credit(entry: _Entry, operation: str) -> float:
    numerator, denominator = entry.counts[operation][:2]
    return _share(numerator, denominator)


def _agreeing(entry: _Entry, operation: str) -> int:
    return entry.asked - entry.holders if operation == "delete" else entry.holders


def _source_tokens(source: Sequence[str], output: Sequence[str], unigrams: dict[str, _Entry]) -> list[Token]:
    kept = _kept_places(source, output, unigrams)
    tokens = []
    for place, text in enumerate(source):
        operation, done = ("keep", "kept") if place in kept else ("delete", "deleted")
        right = _credit(unigrams[text], operation) >= 0.5
        mark = f"{done}-{'rightly' if right else 'wrongly'}"
        tokens.append(Token(text, mark, _why_in_source(unigrams[text], operation, right)))
    return tokens


def _kept_places(source: Sequence[str], output: Sequence[str], unigrams: dict[str, _Entry]) -> set[int]:
    """Return which tokens of the source were kept; of one that was kept in part, those with the same neighbours."""
    pairs = set(_ngrams(output, 2))
    shared = [pair in pairs for pair in _ngrams(source, 2)]
    likeness = [before + after for before, after in zip([False, *shared], [*shared, False], strict=False)]
    places: dict[str, list[int]] = {}
    for place, token in enumerate(source):
        places.setdefault(token, []).append(place)
    kept: set[int] = set()
    for token, here in places.items():
        entry = unigrams[token]
        wanted = len(here) if entry.output >= entry.source else entry.output
        kept.update(sorted(here, key=lambda place: -likeness[place])[:wanted])
    return kept


def _output_token(text: str, entry: _Entry) -> Token:
    if not entry.source:
        right = bool(entry.counts["add"][0])
        if right:
            return Token(text, "added-rightly", f"Added: {_verb(entry.holders, entry.asked, 'has', 'have')} it too.")
        return Token(text, "added-wrongly", f"Added, but {_verb(entry.holders, entry.asked, 'has', 'have')} it.")
    why = _why_in_source(entry, "keep", _credit(entry, "keep") >= 0.5)
    if entry.output > entry.source:
        why += f" It stands here {_times(entry.output)}, in the source {_times(entry.source)}: the surplus is ignored."
    return Token(text, "kept", why)


def _missed(entries: Iterable[_Entry]) -> list[Token]:
    missed = [entry for entry in entries if not entry.source and not entry.output]
    missed.sort(key=lambda entry: -entry.holders)
    return [
        Token(entry.tokens[0], "missed", f"Missed: {_verb(entry.holders, entry.asked, 'adds', 'add')} it.")
        for entry in missed
    ]


def _why_in_source(entry: _Entry, operation: str, right: bool) -> str:
    """Say what was done to a token of the source, and what the references do."""
    done = "Kept" if operation == "keep" else "Deleted"
    share = _share(_agreeing(entry, operation), entry.asked)
    credit = _credit(entry, operation)
    in_credit = f" Credit: {100 * credit:.0f} %."
    if entry.source > 1 or entry.scale > entry.asked:
        copies = min(entry.source, entry.output)
        times = copies if operation == "keep" else entry.source - copies
        meant, most = min(entry.source * entry.scale, entry.references), entry.source * entry.scale
        every = "the reference keeps" if entry.asked == 1 else f"the {entry.asked} references together keep"
        return f"{done} {times} of {_times(entry.source)}; {every} it {meant} of {_times(most)}.{in_credit}"
    if right and operation == "keep":
        why = f"Kept: {_verb(entry.holders, entry.asked, 'keeps', 'keep')} it."
    elif right:
        why = f"Deleted: {_verb(_agreeing(entry, operation), entry.asked, 'deletes', 'delete')} it too."
    elif operation == "keep":
        why = f"Kept, but {_verb(_agreeing(entry, 'delete'), entry.asked, 'deletes', 'delete')} it."
    else:
        why = f"Deleted, but {_verb(entry.holders, entry.asked, 'keeps', 'keep')} it."
    return why if abs(share - credit) < 1e-9 else why + in_credit


def _verb(number: int, of: int, singular: str, plural: str) -> str:
    """Return who does something.

    >>> [_verb(number, 4, "has", "have") for number in (0, 1, 3, 4)]
    ['none of the 4 references has', '1 of 4 references has', '3 of 4 references have', 'all 4 references have']
    >>> [_verb(number, 1, "has", "have") for number in (0, 1)]
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
