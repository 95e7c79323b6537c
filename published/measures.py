"""Companion measures of systems, as a table that was published.

Figures belong to texts, not to files: they are shown beside the texts whose digest their row names, and beside no
others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sari.published.checkouts import aligned
from sari.published.outcomes import Outcome, Published

Measure = Callable[[list[str], list[str], list[list[str]]], float]


class Column(NamedTuple):
    """A measure of a table: its name, and how it is made of sources, outputs and references."""

    title: str
    measure: Measure


class Row(NamedTuple):
    """A system of a table.

    Attributes:
        outputs: the file.
        digest: of sources, outputs and references: the texts that the figures belong to.
        printed: the figures as they were printed, in the order of the columns.
    """

    outputs: str
    digest: str
    printed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SystemMeasures(Published):
    """Companion measures of systems.

    Attributes:
        sources, references: files of the repository.
        columns: the measures.
        systems: the rows, by name.
        lowercase: whether texts are lowercased first.
    """

    sources: str
    references: tuple[str, ...]
    columns: tuple[Column, ...]
    systems: Mapping[str, Row]
    lowercase: bool = False

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Measure each system; see `Published.outcomes`."""
        (repository,) = self.repositories
        names = [self.sources, *self.references, *(row.outputs for row in self.systems.values())]
        columns = aligned((name, repository.lines(folder, name)) for name in names)
        if self.lowercase:
            columns = [list(map(str.lower, column)) for column in columns]
        (sources, *references), outputs = columns[: 1 + len(self.references)], columns[1 + len(self.references) :]
        targets = list(map(list, zip(*references, strict=True)))
        for (system, row), own in zip(self.systems.items(), outputs, strict=True):
            known = row.digest == digest([sources, own, *references])
            for column, printed in zip(self.columns, row.printed, strict=True):
                ours = float(column.measure(sources, own, targets))
                yield Outcome(f"{system}: {column.title}", printed if known else "", ours, self.recipe)


def digest(columns: Iterable[Iterable[str]]) -> str:
    """Return what tells texts from others: 16 hexadecimal digits of the SHA-256 of columns of lines.

    >>> digest([["a"], ["b"]]), digest([["a", "b"]])
    ('801cbb5c30a5f3d3', '875adfc46ff54850')
    """
    known = sha256()
    for column in columns:
        known.update("".join(f"{line}\n" for line in column).encode())
        known.update(b"\0")
    return known.hexdigest()[:16]
