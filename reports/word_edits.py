"""What single words of an output cost or earn: SARI of the output with one word more or less.

Words are taken out and put in as tokens. An edit counts only if the tokens of the changed text are exactly those of the
output with this one change; a mark that tokenization would glue to a word, or a word of a cased source that
lowercasing would change, has no edit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sari.comparison import candidate_scores
from sari.reports.alignment import align, pair_words
from sari.reports.reasons import Token
from sari.tokenization import split_into_tokens
from sari.validation import Columns
from sari.variants import Variant

# Points that are shown as nothing.
_LEAST = 0.005
#: The tokens of all changed outputs that are scored.
CHANGED_TOKENS = 300_000


@dataclass(frozen=True)
class Edit:
    """A choice of the output that is undone, and what SARI would be then.

    Attributes:
        choice: what the output did: "kept", "deleted", "added" or "missed".
        text: the word.
        at: the text where it stands, "source", "output" or the number of a reference from 0, and its place there.
        points: how much SARI the choice earns; below 0 for what it costs.
        sari: SARI of the output without the choice, in percent.
        output: the output without the choice.
    """

    choice: str
    text: str
    at: tuple[str | int, int]
    points: float
    sari: float
    output: str

    @property
    def counts(self) -> bool:
        """Whether the points are more than nothing when they are rounded."""
        return abs(self.points) > _LEAST

    def in_words(self, text: str) -> str:
        """Return what the output did to the word, of which `text` is shown."""
        doing = {"kept": "keeping", "deleted": "deleting", "added": "adding", "missed": "not adding"}
        return f"{doing[self.choice]} “{text}”"


Tokens = Sequence[Token]


def score_edits(
    segment: Columns,
    sari: float,
    source: Tokens,
    output: Tokens,
    references: Sequence[Tokens],
    variant: Variant,
) -> list[Edit]:
    """Score what the output would be without each of its choices.

    A kept or added word is taken out. A deleted or missed one is put in where the text that it is from has it; of the
    places of a missed word, the one that earns most counts.

    Args:
        segment: one segment as it is written.
        sari: its score.
        source, output, references: its marked tokens.
        variant: to score by.

    Returns:
        An edit for each word, those that cost most first. Of long texts only `CHANGED_TOKENS` tokens are scored in all:
        first the words that earn the least credit.
    """
    words = _texts_of(output)
    changes = [
        _Change(token, "kept" if token.mark == "kept" else "added", ("output", place), place)
        for place, token in enumerate(output)
    ]
    changes += _put_in("deleted", "source", source, align(_texts_of(source), words))
    most = CHANGED_TOKENS // (len(source) + len(output) + sum(map(len, references)) + 1) + 1
    lacking = [
        (number, reference)
        for number, reference in enumerate(references)
        if any(token.mark == "missed" for token in reference)
    ]
    for number, reference in lacking[:most]:  # each has at least one change
        texts = _texts_of(reference), words
        changes += _put_in("missed", number, reference, pair_words(*texts, align(*texts)))
    changes.sort(key=lambda change: change.token.credit or 0.0)
    tried = list(_exact(changes[:most], segment.predictions[0], words, variant))
    if not tried:
        return []
    (scores,) = candidate_scores(segment.sources, [[text for _, text in tried]], segment.references, variant)
    best: dict[object, Edit] = {}
    for (change, text), score in zip(tried, scores, strict=True):
        token, choice, at = change.token, change.choice, change.at
        key = token.text if choice == "missed" else at
        if key not in best or score > best[key].sari:
            best[key] = Edit(choice, token.text, at, sari - score, score, text)
    return sorted(best.values(), key=lambda edit: edit.points)


class _Change(NamedTuple):
    """A change of the output.

    Attributes:
        token, choice, at: the word, what the output did to it, and where the word stands.
        place: where the output loses it, or before which of its tokens it comes.
    """

    token: Token
    choice: str
    at: tuple[str | int, int]
    place: int

    def of_tokens(self, words: Sequence[str]) -> list[str]:
        """Return the tokens of the changed output."""
        is_inside = self.at[0] == "output"
        return [*words[: self.place], *([] if is_inside else [self.token.text]), *words[self.place + is_inside :]]

    def of_text(self, text: str, begin: int, end: int) -> str:
        """Return the changed output; the token at the place begins and ends there in the text."""
        before, word, after = text[:begin], self.token.text, text[begin:]
        is_glued = bool(before) and not before[-1].isspace()  # such as a full stop to the word before
        if self.at[0] == "output":
            return before + (text[end:] if is_glued else text[end:].removeprefix(" "))
        return f"{before} {word}{after}" if is_glued else f"{before}{word} {after}".rstrip()


def _put_in(choice: str, name: str | int, tokens: Tokens, pairs: Mapping[int, int]) -> Iterator[_Change]:
    """Yield the words of a text that the output lacks: each comes after the paired words before it."""
    after = 0
    for place, token in enumerate(tokens):
        if place in pairs:
            after = max(after, pairs[place] + 1)
        elif token.mark.startswith(choice):
            yield _Change(token, choice, (name, place), after)


def _exact(
    changes: Sequence[_Change], text: str, words: Sequence[str], variant: Variant
) -> Iterator[tuple[_Change, str]]:
    """Yield each change with its text: the output as it is written, or else its tokens, if that has these tokens."""
    ends = _token_spans(words, text)
    for change in changes:
        wanted = change.of_tokens(words)
        written = [change.of_text(text, *ends[change.place])] if ends else []
        texts = [*written, " ".join(wanted)]
        for one, tokens in zip(texts, split_into_tokens(texts, variant.text), strict=True):
            if tokens == wanted:
                yield change, one
                break


def _token_spans(words: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return where tokens begin and end in a text, and the end of the text; nothing where it has them otherwise.

    >>> _token_spans(["a", ",", "b"], "A, b"), _token_spans(["a"], "b")
    ([(0, 1), (1, 2), (3, 4), (4, 4)], [])
    """
    lowered, end = text.lower(), 0
    ends = []
    for word in (word.lower() for word in words):
        begin = lowered.find(word, end)
        if begin < 0 or lowered[end:begin].strip():
            return []
        end = begin + len(word)
        ends.append((begin, end))
    return [*ends, (len(text), len(text))] if len(lowered) == len(text) else []


def _texts_of(tokens: Tokens) -> list[str]:
    return [token.text for token in tokens]
