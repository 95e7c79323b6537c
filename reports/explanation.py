"""Explain the SARI of one segment as plain data: what became of every token, and the n-grams of each figure.

Scores, and what each n-gram adds to the counts, come from the functions of the metric; here they get words.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from sari.aggregation import OrderFigures, Scores, penalty_factors
from sari.corpus_statistics import score_corpus
from sari.data_warnings import WarningRow, warning_rows
from sari.messages import count_of
from sari.ngram_statistics import SegmentCounts, count_ngrams, ngram_tables
from sari.reports.alignment import align, pair_words
from sari.reports.reasons import Token, say_why, token_done_to, token_of_output, token_of_reference
from sari.reports.segment_ngrams import Ngram, ngrams_of_table
from sari.reports.sentence_edits import score_sentences
from sari.reports.word_edits import Edit, score_edits
from sari.text_checks import take_sample
from sari.tokenization import encode_chunk
from sari.validation import validate_columns
from sari.variants import OPERATIONS, Variant, resolve_variant

#: What no explanation can say.
UNSEEN = (
    "SARI compares words alone: it does not see meaning or grammar, whether an output is cut off, or how easy it is."
)


@dataclass(frozen=True)
class Places:
    """Where an n-gram begins, in tokens from 0.

    Attributes:
        source: in the source, where the output did the operation; if only references did it, all its places.
        output: in the output.
        references: in each reference that has it, by its number from 0.
    """

    source: list[int]
    output: list[int]
    references: dict[int, list[int]]


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
        missed: the tokens that only references added, those of most references first.
        grams: for each order and operation the n-grams of the figures; empty without `ngrams`.
        sentences: what each sentence costs or earns, those that cost most first: see `score_sentences`.
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
    missed: list[Token]
    grams: list[dict[str, list[Gram]]]
    sentences: list[Edit]
    edits: list[Edit]
    warnings: list[WarningRow]

    @property
    def costs(self) -> list[Edit]:
        """The choices that cost SARI, those that cost most first."""
        return [edit for edit in self.edits if edit.counts and edit.points < 0]

    @property
    def earnings(self) -> list[Edit]:
        """The choices that earn SARI, those that earn most first."""
        return [edit for edit in reversed(self.edits) if edit.counts and edit.points > 0]


def explain(
    *, source: str, prediction: str, references: str | Sequence[str], variant: Variant, ngrams: bool = True
) -> Explanation:
    """Explain the SARI of one segment.

    Args:
        source, prediction: the text to simplify, and the output of a system.
        references: simplifications by people, at least one; or one text.
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
    columns = validate_columns([source], [prediction], [references])
    tokens = encode_chunk(columns.sources, columns.references, columns.predictions, variant)
    counted = count_ngrams(tokens, variant)
    corpus = score_corpus([counted], variant, take_sample(*columns))
    of_source, *of_references, of_output = (
        list(tokens.spans.strings(start, stop)) for start, stop in pairwise(tokens.starts.tolist())
    )
    tables = ngram_tables(tokens, variant if ngrams else replace(variant, max_order=1))
    orders = [ngrams_of_table(table, variant, len(of_references)) for table in tables]
    words = {ngram.tokens[0]: ngram for ngram in orders[0]}
    kept = set(pair_words(of_source, of_output, align(of_source, of_output)))
    kept |= {place for place, text in enumerate(of_source) if words[text].output >= words[text].source}
    missed = [ngram for ngram in orders[0] if not ngram.source and not ngram.output]
    source_tokens = [
        token_done_to(words[text], "keep" if place in kept else "delete") for place, text in enumerate(of_source)
    ]
    output_tokens = [token_of_output(words[text]) for text in of_output]
    reference_tokens = [[token_of_reference(words[text]) for text in reference] for reference in of_references]
    scores = corpus.scores()
    return Explanation(
        variant=variant.label,
        signature=corpus.signature(),
        scores=scores,
        penalties=list(_penalties(counted, variant)),
        orders=corpus.orders(),
        source=source_tokens,
        output=output_tokens,
        references=reference_tokens,
        missed=[token_of_reference(ngram) for ngram in sorted(missed, key=lambda ngram: ngram.holders, reverse=True)],
        grams=[
            _grams(of_order, _places([of_source, of_output, *of_references], order), kept)
            for order, of_order in enumerate(orders, 1)
            if ngrams
        ],
        sentences=score_sentences(columns, scores["sari"], variant),
        edits=score_edits(columns, scores["sari"], source_tokens, output_tokens, reference_tokens, variant),
        warnings=warning_rows(corpus.warnings()),
    )


def explain_as_data(*, source: str, prediction: str, references: Sequence[str] | str, **options: Any) -> dict[str, Any]:
    """Explain the SARI of one segment by scoring options, as plain data: `Scorer.explain` calls it."""
    variant = resolve_variant(**options)
    return asdict(explain(source=source, prediction=prediction, references=references, variant=variant))


def _penalties(counted: SegmentCounts, variant: Variant) -> Iterator[Penalty]:
    """Yield the penalties of the only segment."""
    if counted.sizes is None:
        return
    ((source, output, references),), ((of_output, of_references),) = (column.tolist() for column in counted.sizes)
    why = {
        "shortness": f"output {count_of(output, 'token')}, references {references}",
        "verbosity": f"output {count_of(output, 'token')}, references {references}, source {source}",
        "sentences": f"output {of_output}, references {of_references}",
    }
    rules = variant.penalty_rules
    for name, factor in penalty_factors(*counted.sizes).items():
        operations: list[str] = [operation for operation in OPERATIONS if name in getattr(rules, operation)]
        yield Penalty(name, float(factor[0]), operations, why[name])


def _places(texts: Sequence[Sequence[str]], order: int) -> dict[tuple[str, ...], Places]:
    """Return where each n-gram begins in the source, the output and the references."""
    starts_of: dict[tuple[str, ...], dict[int, list[int]]] = defaultdict(dict)
    for number, tokens in enumerate(texts, -2):  # the source is -2, the output -1
        for start in range(len(tokens) - order + 1):
            starts_of[tuple(tokens[start : start + order])].setdefault(number, []).append(start)
    return {ngram: Places(starts.pop(-2, []), starts.pop(-1, []), starts) for ngram, starts in starts_of.items()}


def _grams(ngrams: list[Ngram], places: dict[tuple[str, ...], Places], kept: set[int]) -> dict[str, list[Gram]]:
    """Return the n-grams that count in each operation; `kept` has the places of the source that are kept."""
    grams: dict[str, list[Gram]] = {operation: [] for operation in OPERATIONS}
    for ngram in ngrams:
        for operation, counts in ngram.counts.items():
            _, is_done, _, is_wanted = counts
            if is_done or is_wanted:
                mark = "missed" if not is_done else "right" if ngram.credit(operation) >= 0.5 else "wrong"
                why, done_at = say_why(ngram, operation), _done_at(operation, ngram, places[ngram.tokens], kept)
                text, agree = " ".join(ngram.tokens), ngram.agreeing(operation)
                grams[operation].append(Gram(text, mark, agree, ngram.nrefs, counts, why, done_at))
    return grams


def _done_at(operation: str, ngram: Ngram, places: Places, kept: set[int]) -> Places:
    """Return the places of an operation; an n-gram kept in part is kept where most of its words are kept."""
    if operation == "add" or not ngram.output or ngram.output >= ngram.source:
        return places
    order = len(ngram.tokens)
    likeliest = sorted(places.source, key=lambda start: len(kept & {*range(start, start + order)}), reverse=True)
    done = likeliest[: ngram.output] if operation == "keep" else likeliest[ngram.output :]
    return replace(places, source=sorted(done))
