"""Outputs of systems with everything that belongs to each: one record, which is sorted and selected as a whole."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from sari.data_warnings import SariWarning
from sari.messages import in_one_line
from sari.validation import SystemColumns


class OutputRow(NamedTuple):
    """An output of a system for a segment.

    Attributes:
        name: its number in the table, or the name of its document; None in files with a segment in each line.
        system: the name of the system.
        source, prediction, references: the texts.
        subset: the value in the column that parts the segments; empty without one.
        numbers: ratings and other measures of the output, by name.
    """

    name: int | str | None
    system: str
    source: str
    prediction: str
    references: list[str]
    subset: str = ""
    numbers: Mapping[str, float] = {}

    @property
    def segment(self) -> tuple[Any, ...]:
        """What outputs of the same segment share."""
        return self.source, self.subset, *sorted(self.references)


@dataclass(frozen=True)
class SystemOutputs:
    """The outputs of systems for the same segments.

    Attributes:
        rows: of each system, by its name, in the same order of segments; at least one of each.
        warnings: about the table.
    """

    rows: dict[str, list[OutputRow]]
    warnings: Sequence[SariWarning] = ()

    @classmethod
    def of_columns(cls, columns: SystemColumns, names: Sequence[str] | None = None) -> "SystemOutputs":
        """Return checked texts as rows; `names` are those of documents."""
        row_names: Sequence[str | None] = names or [None] * len(columns.sources)
        shared = list(zip(row_names, columns.sources, columns.references, strict=True))
        return cls(
            {
                system: [
                    OutputRow(name, system, source, prediction, references)
                    for (name, source, references), prediction in zip(shared, predictions, strict=True)
                ]
                for system, predictions in columns.predictions.items()
            }
        )

    @cached_property
    def columns(self) -> SystemColumns:
        """The texts; sources and references are those of the first system."""
        first = next(iter(self.rows.values()))
        predictions = {system: [row.prediction for row in rows] for system, rows in self.rows.items()}
        return SystemColumns([row.source for row in first], predictions, [row.references for row in first])

    @property
    def names(self) -> dict[str, list[int | str]]:
        """The names of the rows by system; none where rows have no names."""
        named = {system: [row.name for row in rows if row.name is not None] for system, rows in self.rows.items()}
        return {system: names for system, names in named.items() if names}

    @property
    def numbers(self) -> dict[str, dict[str, list[float]]]:
        """The numbers of rows by their names, and by system."""
        first, *_ = next(iter(self.rows.values()))
        return {
            name: {system: [row.numbers[name] for row in rows] for system, rows in self.rows.items()}
            for name in first.numbers
        }

    def with_numbers(self, name: str, numbers: Mapping[str, Sequence[float]]) -> "SystemOutputs":
        """Return the rows with further numbers, which have as many for each system as it has rows."""
        rows = {
            system: [
                row._replace(numbers={**row.numbers, name: number})
                for row, number in zip(rows, numbers[system], strict=True)
            ]
            for system, rows in self.rows.items()
        }
        return replace(self, rows=rows)

    def subsets(self) -> dict[str, "SystemOutputs"]:
        """Return the rows of each subset, in the order of the first system."""
        first = next(iter(self.rows.values()))
        return {
            subset: SystemOutputs(
                {system: [row for row in rows if row.subset == subset] for system, rows in self.rows.items()}
            )
            for subset in dict.fromkeys(row.subset for row in first)
        }


def look_alike(names: Iterable[str]) -> str | None:
    r"""Return the first name that looks like one before it, as all characters become visible; None for none.

    >>> look_alike(["a", "a\x01", "a "]), look_alike(["a", "b"])
    ('a', None)
    """
    seen = set()
    for name in map(in_one_line, names):
        if name in seen:
            return name
        seen.add(name)
    return None


def number_repeats(items: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return each item with the number of times that it has stood there.

    >>> number_repeats(["a", "b", "a"])
    [('a', 1), ('b', 1), ('a', 2)]
    """
    times: Counter[Any] = Counter()
    numbered = []
    for item in items:
        times[item] += 1
        numbered.append((item, times[item]))
    return numbered
