"""Read test sets by name with `datasets.load_dataset`, from the Hub or a folder.

A test set is a row of data. For any other data set, on the Hub or in a local folder, the user names the columns.
"""

import logging
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from sari.messages import RefusedValueError, fault, missing_module, short_line
from sari.text_files.column_names import USUAL_COLUMNS, ColumnNames
from sari.text_files.errors import FileError
from sari.text_files.output_tables import references_in
from sari.text_files.reading import name_of, read_parallel
from sari.text_files.table_files import missing_column
from sari.validation import SystemColumns, validate_shared


class NamedSet(NamedTuple):
    """Where a test set is.

    Attributes:
        path: on the Hub, or a folder.
        columns: the column of sources, then those of references; a cell is a text or a list of texts.
        configuration: of the data set; None if it has only one.
        about: a description of one line.
        title: what papers call it, which is an alias, too.
        aliases: other names.
    """

    path: str
    columns: tuple[str, ...]
    configuration: str | None = None
    about: str = ""
    title: str = ""
    aliases: tuple[str, ...] = ()


#: The test sets by name, with columns and splits from the cards on the Hub.
NAMED_SETS: dict[str, NamedSet] = {
    "asset": NamedSet(
        path="facebook/asset",
        configuration="simplification",
        columns=("original", "simplifications"),
        about="Alva-Manchego et al. 2020, 10 references; splits: validation (2,000), test (359)",
        title="ASSET",
        aliases=("asset_test",),  # as EASSE calls this split, which is the default
    ),
    "turk": NamedSet(
        path="community-datasets/turk",
        configuration="simplification",
        columns=("original", "simplifications"),
        about="Xu et al. 2016, 8 references; splits: validation (2,000), test (359)",
        title="TurkCorpus",
        aliases=("turkcorpus_test", "turkcorpus"),
    ),
}
#: The names of test sets by their aliases.
ALIASES = {alias: name for name, row in NAMED_SETS.items() for alias in (row.title, *row.aliases)}


def load_test_set(name: str, *, split: str, columns: ColumnNames = USUAL_COLUMNS) -> tuple[list[str], list[list[str]]]:
    """Return the sources and references of a test set.

    Args:
        name: in `NAMED_SETS` or `ALIASES`; or a data set on the Hub, or a folder, together with its columns.
        split: of the data set.
        columns: those of sources and references; the usual ones of a test set are its own.

    Raises:
        FileError: for a data set that cannot be loaded, and for a fault in it.
    """
    test_set = NAMED_SETS.get(ALIASES.get(name, name)) or NamedSet(path=name, columns=())
    first, others = columns.source or test_set.columns[0], columns.references or test_set.columns[1:]
    place = name_of(name)
    if os.path.isfile(test_set.path):
        raise FileError(fault(place, "a file", "a folder or the name of a data set; give a file as the table"))
    rows = _loaded(place, test_set, split)
    for column in (first, *others):
        if column not in rows.column_names:
            raise missing_column(place, column, rows.column_names)
    texts = [rows[column] for column in others]
    try:
        return validate_shared(rows[first], [references_in(cells) for cells in zip(*texts, strict=True)])
    except RefusedValueError as error:
        raise FileError(f"{place}: {error}") from None


def read_outputs(
    name: str,
    *,
    split: str,
    columns: ColumnNames = USUAL_COLUMNS,
    outputs: Mapping[str, str],
    encoding: str = "utf-8",
) -> SystemColumns:
    """Read a test set, as `load_test_set` does, and a file of outputs for each system, by its name.

    Raises:
        FileError: for a test set or a file that cannot be read, and for a fault in it.
    """
    sources, references = load_test_set(name, split=split, columns=columns)
    files = read_parallel(list(outputs.values()), encoding, like=(name_of(name), sources))
    return SystemColumns(sources, dict(zip(outputs, files, strict=True)), references)


def _loaded(place: str, test_set: NamedSet, split: str) -> Any:
    """Return the rows of a split; errors begin with `place`."""
    try:
        import datasets
    except ImportError as error:
        raise FileError(missing_module(place, error, "evaluate")) from None
    datasets.disable_progress_bars()
    for library in ("huggingface_hub", "datasets"):  # whose messages stand in the error below, too
        logging.getLogger(library).setLevel(logging.CRITICAL)
    try:
        return datasets.load_dataset(test_set.path, test_set.configuration, split=split)
    except Exception as error:  # of files, networks, builders and splits: whatever its libraries raise
        raise FileError(short_line(f"{place}: cannot load split {split!r}: {error}")) from None
