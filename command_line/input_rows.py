"""Read the texts that the options name, and the numbers that belong to them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from sari.command_line.options import Options
from sari.data_warnings import SariWarning, TextMismatchWarning
from sari.messages import RefusedValueError, escape_unprintable, fault, short_repr
from sari.text_files.documents import are_folders, read_documents
from sari.text_files.named_sets import read_outputs
from sari.text_files.output_rows import SystemOutputs, look_alike
from sari.text_files.output_tables import OutputTable, read_output_table
from sari.text_files.reading import read_texts, stem
from sari.text_files.table_files import read_numbers
from sari.validation import SystemColumns

#: The name of ratings among the numbers of rows.
RATINGS = "--ratings"


def read_systems(options: Options) -> SystemOutputs:
    """Return the outputs of the files, or of the table or test set.

    Raises:
        FileError: for a file that cannot be read, and for a fault in it.
    """
    if options.table is not None:
        return read_table(options).by_system(stem(options.table))
    if options.dataset is not None:
        places = {"split": options.split, "columns": options.column_names, "encoding": options.encoding}
        return SystemOutputs.of_columns(read_outputs(options.dataset, outputs=options.outputs, **places))
    (sources,) = options.sources
    texts = (sources, options.outputs, options.references)
    if are_folders(*texts):
        if options.tab_separated:
            raise RefusedValueError(fault("--tab-separated", "folders", "files with a line for each segment"))
        return read_documents(*texts, encoding=options.encoding)
    columns = read_texts(*texts, encoding=options.encoding, tab_separated=options.tab_separated)
    return replace(SystemOutputs.of_columns(columns), warnings=list(_tab_warnings(columns)))


def _tab_warnings(columns: SystemColumns) -> Iterator[SariWarning]:
    """Yield a warning where each line of references is separated, and no other line is."""
    lines = list(chain.from_iterable(columns.references))
    others = chain(columns.sources, *columns.predictions.values())
    for mark in ("\t", "|||"):
        if all(mark in line for line in lines) and not any(mark in text for text in others):
            where = "" if mark == "\t" else ", with tabs in its place"
            message = f"each line of references has {short_repr(mark)}, and no other: if it parts references, give"
            yield TextMismatchWarning(f"{message} --tab-separated{where}")


def read_table(options: Options) -> OutputTable:
    """Return the rows of `--table`, with the numbers of own measures and ratings."""
    numbers = {name: (columns or name).split(",") for name, columns in options.own_measure or ()}
    if options.ratings is not None:
        numbers[RATINGS] = options.ratings
    columns = options.column_names
    return read_output_table(
        options.table, columns=columns, numbers=numbers, gaps=[RATINGS], subset=options.by, encoding=options.encoding
    )


def with_own_measures(outputs: SystemOutputs, options: Options) -> SystemOutputs:
    """Return outputs with the numbers of the files of own measures; those of a table have the numbers of its columns.

    Raises:
        FileError: for a file that cannot be read, and for a fault in it.
        ValueError: for numbers that do not fit the outputs.
    """
    for name, path in options.own_measure or () if options.table is None else ():
        outputs = outputs.with_numbers(name, _numbers_of_systems(name, path, outputs, options.encoding))
    return outputs


def _numbers_of_systems(name: str, path: str, outputs: SystemOutputs, encoding: str) -> dict[str, list[float]]:
    """Read the numbers of each system; the only column of a single system may have any name."""
    from sari.companion_measures.columns import check_length  # here, since it is slow to import

    numbers = read_numbers(path, encoding)
    if (same := look_alike(map(escape_unprintable, numbers))) is not None:
        raise RefusedValueError(fault("--own-measure", f"columns of {name} that look like {same}", "one"))
    numbers = {escape_unprintable(system): column for system, column in numbers.items()}
    if len(outputs.rows) == len(numbers) == 1:
        numbers = dict(zip(outputs.rows, numbers.values(), strict=True))
    for system, rows in outputs.rows.items():
        if system not in numbers:
            raise RefusedValueError(
                fault("--own-measure", f"{name} with columns {', '.join(numbers)}", f"also {system}")
            )
        check_length(f"own_measure: {name}: {system}", numbers[system], rows, "outputs")
    return numbers
