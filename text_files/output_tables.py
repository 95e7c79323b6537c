"""Read tables of outputs: a row for each output, or a row for each segment with a column for each system.

A cell of references is a text, or in JSON and Parquet a list of texts; one without a text is no reference. Columns that
are not read are ignored, but for what they say about rows that repeat others.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from sari.data_warnings import SariWarning
from sari.messages import count_of, escape_unprintable, fault, join_names, short_repr
from sari.text_files.column_names import USUAL_COLUMNS, ColumnNames, find_columns
from sari.text_files.errors import FileError, OptionError
from sari.text_files.output_rows import OutputRow, SystemOutputs, look_alike, number_repeats
from sari.text_files.table_files import Table, read_table
from sari.validation import validate_columns, validate_texts

#: The share of rows that repeat others, or of sources with several outputs, from which this is how the table is made:
#: each output was rated twice or more, or has a row for each system.
_MANY_REPEATS = 0.5


class RepeatedRowsWarning(SariWarning):
    """Rows of a table repeat the outputs of others, or are different outputs of the same sources."""


@dataclass(frozen=True)
class OutputTable:
    """The rows of a table, as they stand there.

    Attributes:
        file: the table.
        columns: those that were read.
        rows: the outputs of all systems, whose names are empty where the table has none.
    """

    file: Table
    columns: ColumnNames
    rows: list[OutputRow]

    def by_system(self, name: str) -> SystemOutputs:
        """Return the rows of each system in the order of the segments of the first system, each output once.

        Args:
            name: of the only system of a table that names none.

        Raises:
            FileError: for systems without the same sources and references or whose names look the same, and for the
                outputs of several systems without their names.
        """
        repeats = self._repeats([(row.system, row.segment, row.prediction, *row.numbers.values()) for row in self.rows])
        rows = [row for row, is_repeat in zip(self.rows, repeats, strict=True) if not is_repeat]
        warnings = _repeat_warnings(repeats)
        if len(self.columns.predictions) == 1 and not self.columns.system:
            warnings += self._check_one_system(rows)
        systems = self._paired(rows)
        shown = [escape_unprintable(system or name) for system in systems]
        if (same := look_alike(shown)) is not None:
            raise FileError(fault(self.file.name, f"several systems whose names look like {same}", "one"))
        return SystemOutputs(dict(zip(shown, systems.values(), strict=True)), warnings)

    def _repeats(self, keys: Sequence[Any]) -> list[bool]:
        """Return for each row whether it repeats another one; none does if few do.

        Args:
            keys: what is read of each row.
        """
        if len(set(keys)) <= (1 - _MANY_REPEATS) * len(keys) and len(self.columns.predictions) == 1:
            # Rows without other columns, or with their own number alone, are copies of segments.
            unread = (list(map(str, self.file.cells(column))) for column in self._unread())
            if any(len(set(cells)) < len(cells) and _differ(keys, cells) for cells in unread):
                return [time > 1 for _, time in number_repeats(keys)]
        return [False] * len(keys)

    def _unread(self) -> list[str]:
        """Return the columns that are neither texts nor names of systems."""
        source, predictions, references, system = self.columns
        return [column for column in self.file.columns if column not in (source, *predictions, *references, system)]

    def _check_one_system(self, rows: Sequence[OutputRow]) -> list[SariWarning]:
        """Refuse outputs of several systems without their names; what may be such outputs gets a warning."""
        outputs = defaultdict(set)
        for row in rows:
            outputs[row.segment].add(row.prediction)
        several = sum(len(texts) > 1 for texts in outputs.values())
        if not several:
            return []
        parting = list(self._parting(rows)) if several >= _MANY_REPEATS * len(outputs) else []
        if parting or several == len(outputs):
            got = f"{count_of(several, 'source')} with several outputs"
            wanted = f"a column of systems{f', such as {join_names(parting)}' if parting else ''}"
            raise OptionError(fault(self.file.name, got, wanted), "columns", f"system={(parting or ['NAME'])[0]}")
        message = "some sources stand there several times with other outputs; a column of systems would part them"
        return [RepeatedRowsWarning(message, f"{several:,} of {count_of(len(outputs), 'source')}")]

    def _parting(self, rows: Sequence[OutputRow]) -> Iterator[str]:
        """Yield the columns by whose values each segment has one output, or all values have the same segments."""
        cells_of: dict[Any, dict[str, Any]] = {row.number: row.cells for row in self.file.rows}
        for column in self._unread():
            values = [str(cells_of[row.name].get(column)) for row in rows]
            segments: dict[str, Counter[Any]] = defaultdict(Counter)
            outputs: dict[Any, set[str]] = defaultdict(set)
            for row, value in zip(rows, values, strict=True):
                segments[value][row.segment] += 1
                outputs[value, row.segment].add(row.prediction)
            first, *others = segments.values()
            is_own = all(len(texts) == 1 for texts in outputs.values()) and len(segments) < len(rows)
            if others and (is_own or all(each == first for each in others)):
                yield column

    def _paired(self, rows: Sequence[OutputRow]) -> dict[str, list[OutputRow]]:
        """Return the rows of each system, by its name, in the order of those of the first system."""
        systems: dict[str, dict[Any, OutputRow]] = defaultdict(dict)
        segments = number_repeats([(row.system, row.segment) for row in rows])  # a segment may stand there twice
        for row, ((system, segment), time) in zip(rows, segments, strict=True):
            systems[system][segment, time] = row
        first, wanted = next(iter(systems.items()))
        for system, others in systems.items():
            unshared = wanted.keys() ^ others.keys()
            if unshared:
                row = min(((wanted | others)[segment] for segment in unshared), key=attrgetter("name"))
                pair = f"{short_repr(first)} and {short_repr(system)}"
                got = f"a source and references that {pair} do not have equally often"
                raise FileError(fault(self.file.place(row.name), got, "the same for each system"))
        return {system: [others[segment] for segment in wanted] for system, others in systems.items()}


def read_output_table(
    path: str,
    *,
    columns: ColumnNames = USUAL_COLUMNS,
    numbers: Mapping[str, Sequence[str]] | None = None,
    gaps: Collection[str] = (),
    subset: str | None = None,
    encoding: str = "utf-8",
) -> OutputTable:
    """Read a table of outputs.

    Args:
        path: of the table.
        columns: those of texts and of the names of systems.
        numbers: by a name, a column of numbers; of systems with a column each, one for each of them.
        gaps: the names of numbers that rows may lack: they are nan there.
        subset: the column that parts the segments; None for none.
        encoding: of the file, in lower case.

    Raises:
        FileError: for a file that cannot be read, and for a fault in it.
    """
    file = read_table(path, encoding)
    found = find_columns(file.columns, columns, file.name, _columns_of_words(file))
    sources = file.cells(found.source)
    people = [references_in(row.cells.get(name) for name in found.references) for row in file.rows]
    systems = _names_in(file, found.system) if found.system else [""] * len(file.rows)
    subsets = list(map(_subset_in, file.cells(subset))) if subset is not None else [""] * len(file.rows)
    for name, others in (numbers or {}).items():
        if len(others) != len(found.predictions):
            wanted = f"{len(found.predictions)}: one for each column of outputs"
            raise FileError(fault(f"{file.name}: {name}", count_of(len(others), "column"), wanted))
    rows: list[OutputRow] = []
    for place, column in enumerate(found.predictions):
        names = {"sources": found.source, "predictions": column}
        texts = file.checked(validate_columns, sources, file.cells(column), people, names=names)
        own = {name: file.numbers(others[place], has_gaps=name in gaps) for name, others in (numbers or {}).items()}
        own_of_rows = [dict(zip(own, values, strict=True)) for values in zip(*own.values(), strict=True)]
        of_system = systems if len(found.predictions) == 1 else [column] * len(file.rows)
        numbered = [row.number for row in file.rows]
        rows += map(OutputRow, numbered, of_system, *texts, subsets, own_of_rows or [{}] * len(file.rows))
    return OutputTable(file, found, rows)


def references_in(cells: Iterable[Any]) -> list[Any]:
    """Return the references in the cells of a row, each a text or a list; a cell without text is none."""
    lists = [cell.tolist() if hasattr(cell, "tolist") else cell for cell in cells]  # numpy's arrays in Parquet
    filled = [cell for cell in lists if cell is not None and str(cell).strip()]
    return [text for cell in filled for text in (cell if isinstance(cell, list) else [cell])]


def _names_in(file: Table, column: str) -> list[str]:
    """Return the names of systems, of which JSON and Parquet may have numbers."""
    cells = [str(cell) if type(cell) is int else cell for cell in file.cells(column)]
    names = file.checked(partial(validate_texts, "system"), cells, names={"system": column})
    if not all(map(str.strip, names)):
        row = next(row for row, name in zip(file.rows, names, strict=True) if not name.strip())
        raise FileError(fault(f"{file.place(row.number)}: {column}", "no name", "that of a system"))
    return names


def _subset_in(cell: object) -> str:
    """Return the subset that a cell names: a row without one is in that of no name."""
    return "(none)" if cell is None or not str(cell).strip() else escape_unprintable(str(cell).strip())


def _repeat_warnings(repeats: Sequence[bool]) -> list[SariWarning]:
    """Return the warning about rows that repeat others, if any do."""
    if not any(repeats):
        return []
    message = "rows that repeat the texts of others, such as those of several ratings, are scored once"
    return [RepeatedRowsWarning(message, f"{sum(repeats):,} of {count_of(len(repeats), 'row')}")]


def _differ(keys: Sequence[Any], cells: Sequence[str]) -> bool:
    """Return whether any two rows with the same key have different cells."""
    first: dict[Any, str] = {}
    return any(first.setdefault(key, cell) != cell for key, cell in zip(keys, cells, strict=True))


def _columns_of_words(file: Table) -> Iterator[str]:
    """Yield the columns of which most cells have several words."""
    for column in file.columns:
        texts = [cell for cell in file.cells(column) if isinstance(cell, str)]
        if sum(len(text.split()) > 1 for text in texts) * 2 > len(file.rows):
            yield column
