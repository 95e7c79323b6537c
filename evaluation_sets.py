"""The raw texts of evaluation sets, and whether rows that were evaluated are theirs, in their order."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from .inputs import quoted, validate_given
from .model_outputs import Span

# Two simplifications of one sentence share more than this part of their runs of four letters, unrelated ones do not; on
# ASSET with one exception in a thousand either way.
_RUN = 4
_ENOUGH_RUNS = 0.25
_FEW = 0.1
#: What is so of more rows than this part is so of the set.
MOST = 0.5
_NOT_LETTERS = re.compile(r"[\W_]+")


class EvaluationSet(NamedTuple):
    """Raw texts in the order of an evaluation set; what is None is decoded from what the Trainer hands over."""

    sources: list[str] | None
    references: list[list[str]] | None


def evaluation_sets(sources: Any, references: Any) -> dict[str, EvaluationSet]:
    """Return the evaluation sets by name.

    Args:
        sources, references: columns, or dicts of columns by the name of the set, or None.

    Raises:
        ValueError, TypeError: for columns that `validate_given` refuses, and for dicts with different names.

    >>> evaluation_sets({"news": ["a b"], "web": ["c d"]}, None)["web"]
    EvaluationSet(sources=['c d'], references=None)
    """
    sets = {}
    for name, columns in columns_by_set({"sources": sources, "references": references}).items():
        try:
            sets[name] = EvaluationSet(*validate_given(**columns))
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


class Row(NamedTuple):
    """The decoded texts of an evaluated row, where its label begins and ends, and whether its prediction does, too."""

    source: str | None
    prediction: str
    label: str
    span: Span
    aligned: bool


class KnownSet:
    """An evaluation set, and whether it is the one that was evaluated."""

    def __init__(self, texts: EvaluationSet, round_trip: Callable[[list[str]], list[str]]):
        """Keep the texts.

        Args:
            texts: the raw ones.
            round_trip: from texts to what is left of them once they went through the tokenizer.
        """
        self.texts = texts
        self.length = next((len(column) for column in texts if column is not None), None)
        self._round_trip = round_trip

    @cached_property
    def _columns(self) -> "dict[str, _Column]":
        sources, references = self.texts
        columns = {
            "source": None if sources is None else _Column([[source] for source in sources], self._round_trip),
            "label": None if references is None else _Column(references, self._round_trip),
        }
        return {field: column for field, column in columns.items() if column is not None}

    def mismatch(self, rows: list[Row]) -> str | None:
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

    def check_ends(self, rows: list[Row]) -> None:
        """Refuse labels that lack the ends of their references, where predictions end with labels.

        Raises:
            ValueError: where these are more than a few of the rows.
        """
        aligned = {number for number, row in enumerate(rows) if row.aligned}
        if not aligned or "label" not in self._columns:
            return
        cut = aligned.intersection(self._columns["label"].cut([row.label for row in rows]))
        if len(cut) > _FEW * len(rows):
            raise ValueError(
                f"label_ids: got labels without the ends of their references, in {len(cut)} of {len(rows)} rows, and "
                "logits for no more than that, wanted whole ones: a larger max_length, or sari.generation_callback"
            )


class _Column:
    """The raw texts of rows, and whether decoded ones may have been made of them, row by row.

    What was decoded may have lost characters that the tokenizer does not know, its beginning or its end, and may have
    gained a prefix; letters are compared, without their case and accents.
    """

    def __init__(self, rows: list[list[str]], round_trip: Callable[[list[str]], list[str]]):
        self._rows = rows
        self._round_trip = round_trip
        self._letters = [set(map(letters_of, row)) for row in rows]
        self._home = {text: number for number, row in enumerate(self._letters) for text in row}

    def hint(self, decoded: list[str]) -> str:
        """Return what to do where most rows are those of other places."""
        elsewhere = sum(
            letters in self._home and letters not in self._letters[number]
            for number, letters in enumerate(self._letters_of(decoded))
        )
        if elsewhere <= MOST * len(decoded):
            return ""
        return " (a sampler such as group_by_length has changed it: evaluate without, or use sari.generation_callback)"

    def mismatch(self, decoded: list[str]) -> str | None:
        """Return what is wrong with the first row that stands in another place, or is unlike what it should be."""
        misplaced, foreign, unlike = {}, [], []
        for number, letters, own in self._doubtful(decoded):
            if letters in self._home:
                misplaced[number] = self._home[letters]
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
        home = misplaced.get(number)
        these = f"row {number} of these {quoted(self._rows[number][0])}" if home is None else f"row {home} of these"
        return f"row {number} of it is {quoted(decoded[number])}, {these}"

    def cut(self, decoded: list[str]) -> list[int]:
        """Return the rows of which only the beginning is left."""
        return [
            number for number, letters, own in self._doubtful(decoded) if any(text.startswith(letters) for text in own)
        ]

    def _doubtful(self, decoded: list[str]) -> Iterator[tuple[int, str, set[str]]]:
        """Yield the rows that are none of their texts: number, letters, and those of its texts, in full and decoded."""
        others = [
            (number, letters)
            for number, letters in enumerate(self._letters_of(decoded))
            if letters not in self._letters[number]
        ]
        round_tripped = iter(self._round_trip([text for number, _ in others for text in self._rows[number]]))
        for number, letters in others:
            left = {letters_of(next(round_tripped)) for _ in self._rows[number]}
            if letters not in left:
                yield number, letters, self._letters[number] | left

    def _letters_of(self, decoded: list[str]) -> list[str]:
        """Return the letters of texts, without the prefix of all where there is a text without it."""
        rows = list(map(letters_of, decoded))
        prefix = len(os.path.commonprefix(rows))  # noqa: RUF071 - of any strings
        return [row[prefix:] if row not in self._home and row[prefix:] in self._home else row for row in rows]


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, without case and accents.

    >>> letters_of("Là-bas, 2 Fois.")
    'labas2fois'
    """
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKD", text).casefold())


def _alike(letters: str, others: str) -> bool:
    runs = {letters[begin : begin + _RUN] for begin in range(len(letters) - _RUN + 1)}
    return sum(run in others for run in runs) > _ENOUGH_RUNS * len(runs)
