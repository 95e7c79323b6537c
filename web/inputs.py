"""What visitors send: lists from programs, and files; checked against the limits, refused in one line."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from sari.languages import EXTERNAL_TOKENIZERS, TOKENIZERS
from sari.text_files import reading
from sari.text_files.errors import FileError
from sari.text_files.named_sets import ALIASES, NAMED_SETS, read_outputs
from sari.text_files.table_files import read_output_table
from sari.validation import (
    Columns,
    SystemColumns,
    check_choice,
    check_whole_number,
    fault,
    refuse_unknown,
    shown,
    validate_columns,
    validate_systems,
)
from sari.variants import OPTIONS, Option, Variant, resolve_variant

# spaCy's languages that need further packages.
_NEEDING_MORE = {"ja", "ko", "th", "vi"}
# The labels of options whose names are not what people look for.
_LABELS = {"tokenize": "Tokenizer", "lowercase": "Case"}

# Of one segment with all its references: fewer with n-grams of more than four tokens or with many references, so that
# an explanation takes a second or two of processor time, whatever the texts.
MAX_CHARACTERS = 30_000
_MAX_CHARACTERS_BY_REFERENCES = 900_000
MAX_ORDER = 10
MAX_SEGMENTS = 5_000
MAX_MEGABYTES = 10
MAX_SYSTEMS = 20
MAX_REFERENCES = 100

#: Where the texts of the Files view are: in text files, in a table, or, apart from the outputs, in a test set.
TEXT_FILES, TABLE = "Text files", "Table"
# What papers call test sets.
_TITLES = {name: title for title, name in ALIASES.items()}
#: The splits of test sets, by the names of the choices.
TEST_SETS = {
    f"{_TITLES.get(name, name)}, {split}": (name, split) for name in NAMED_SETS for split in ("test", "validation")
}


#: Why a variant or a tokenizer is not offered.
LACKING = "this server lacks a package or the data that it needs"


class RefusedError(Exception):
    """Input that cannot be answered; the message is one line for visitors."""


@contextmanager
def errors_refused() -> Iterator[None]:
    """Turn what the metric refuses into refusals, which call predictions outputs, as the page does."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise RefusedError(re.sub("^predictions", "outputs", str(error))) from error


# Options


@cache
def offered_options() -> dict[str, Option]:
    """Return the scoring options of this server by name, with the choices for which it has all that they need.

    An option with a single name, which only code can set to anything else, is left out.
    """
    offered = {}
    for name, option in OPTIONS.items():
        if name == "tokenize":
            choices = tuple(_installed_tokenizers())
        else:
            choices = tuple(choice for choice in option.choices if _is_possible(name, choice))
        if len(option.choices) != 1:
            offered[name] = replace(option, choices=choices)
    return offered


def label_of(name: str) -> str:
    """Return the label of the control of an option."""
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def _installed_tokenizers() -> list[str]:
    """Return the tokenizers that are installed and need no download: no name that imports a module."""
    fetching = {name for name, row in EXTERNAL_TOKENIZERS.items() if row.fetches}
    names = [name for name in TOKENIZERS if name not in fetching and _is_possible("tokenize", name)]
    with suppress(ImportError):
        spacy = find_spec("spacy")  # to import it takes long
        folders = spacy.submodule_search_locations if spacy is not None else None
        languages = {row.name for row in iter_modules([f"{folder}/lang" for folder in folders or ()]) if row.ispkg}
        names += [f"spacy-{name}" for name in sorted(languages - _NEEDING_MORE)]
    return names


def _is_possible(name: str, choice: str) -> bool:
    try:
        resolve_variant(**{"level": "sentence", name: choice})
    except ImportError:
        return False
    return True


def resolve_options(options: Mapping[str, Any]) -> Variant:
    """Return the variant of scoring options, by name; those that are None count as not given.

    Options that this server does not offer are refused.
    """
    offered = offered_options()
    with errors_refused():
        refuse_unknown(options.keys() - offered.keys(), offered)
        given = {name: value for name, value in options.items() if value is not None}
        for name, value in given.items():
            if value in OPTIONS[name].choices and value not in offered[name].choices:
                raise RefusedError(f"{name}: {value!r} is not offered here, since {LACKING}")
            if offered[name].choices:
                check_choice(name, value, offered[name].choices)
        if "max_order" in given:
            check_whole_number("max_order", given["max_order"], least=1, most=MAX_ORDER)
        return resolve_variant(**given)


def resolve_every_variant(options: Mapping[str, Any]) -> dict[str, Variant]:
    """Return every variant of this server by name, with the other options; those that exclude one are missing.

    Options that no variant takes are refused.
    """
    variants, refusal = {}, RefusedError()
    for name in offered_options()["variant"].choices:
        try:
            variants[name] = resolve_options({**options, "variant": name})
        except RefusedError as error:
            refusal = error
    if not variants:
        raise refusal
    return variants


# Limits


def check_limit(number: int, most: int, units: str, *, all_read: bool = True) -> None:
    """Refuse more segments, systems or characters than `most`; there may be even more where not all was read."""
    if number > most:
        size = f"{number:,}" if all_read else f"more than {most:,}"
        raise RefusedError(f"That is {size} {units}; this page takes {most:,} at a time. score.py has no limit.")


def _check_references(references: Iterable[Sequence[str]]) -> None:
    check_limit(max(map(len, references), default=0), MAX_REFERENCES, "references of a segment")


def _check_bytes(number: int) -> None:
    if number > MAX_MEGABYTES * 1_000_000:
        raise RefusedError(f"That is more than {MAX_MEGABYTES} MB, all that this page takes. score.py has no limit.")


def _checked_systems(columns: SystemColumns) -> SystemColumns:
    if not columns.sources:
        raise RefusedError(fault("sources", "no segments", "at least one"))
    for name in columns.predictions:
        if not name.isprintable():
            raise RefusedError(fault("outputs", f"the name {shown(name)}", "a name without line breaks and such"))
    check_limit(len(columns.predictions), MAX_SYSTEMS, "systems")
    check_limit(len(columns.sources), MAX_SEGMENTS, "segments")
    _check_references(columns.references)
    texts = chain(columns.sources, *columns.predictions.values(), *columns.references)
    _check_bytes(sum(len(text.encode()) for text in texts))
    return columns


# Texts. Each function raises RefusedError past the limits and for what the metric refuses.


def segment_of(source: Any, output: Any, references: Any, *, max_order: int = 4) -> Columns:
    """Return one segment, whose references may be one text; what is missing is refused.

    `max_order` is that of the variant by which the segment will be explained.
    """
    people = [references] if isinstance(references, str) else references or [""]
    try:
        segment = validate_columns([source], [output], [people])
    except (TypeError, ValueError) as error:
        named = str(error).replace("predictions[0]", "output").replace("sources[0]", "source")
        raise RefusedError(named.replace("references[0]", "references")) from error
    check_size(segment, max_order)
    (source,), _, (references,) = segment
    if not source.strip():
        raise RefusedError("Please enter a source: the sentence to simplify.")
    if not any(reference.strip() for reference in references):
        raise RefusedError("Please enter at least one reference: a simplification written by a person, one per line.")
    return segment


def check_size(segment: Columns, max_order: int) -> None:
    """Refuse a segment that is too long to explain by a variant with n-grams of up to `max_order` tokens."""
    (source,), (output,), (references,) = segment
    most, units = MAX_CHARACTERS, "characters"
    if max_order > 4:
        most, units = most * 4 // max_order, f"characters with n-grams of up to {max_order} tokens"
    _check_references([references])
    if _MAX_CHARACTERS_BY_REFERENCES // len(references) < most:
        most, units = _MAX_CHARACTERS_BY_REFERENCES // len(references), f"characters with {len(references)} references"
    check_limit(len(source) + len(output) + sum(map(len, references)), most, units)


def columns_of_lists(sources: Any, outputs: Any, references: Any) -> Columns:
    """Return three columns, the outputs of one system."""
    with errors_refused():
        columns = validate_columns(sources, outputs, references)
    _checked_systems(SystemColumns(columns.sources, {"": columns.predictions}, columns.references))
    return columns


def systems_of_lists(sources: Any, outputs: Any, references: Any) -> SystemColumns:
    """Return three columns, the outputs by system."""
    with errors_refused():
        return _checked_systems(validate_systems(sources, outputs, references))


class FilePaths(NamedTuple):
    """The files of a visitor.

    Attributes:
        kind: `TEXT_FILES`, `TABLE` or a name in `TEST_SETS`.
        sources, outputs, references: text files with a line for each segment.
        table: CSV, TSV or JSON Lines with a row for each output.
    """

    kind: str
    sources: str | None = None
    outputs: list[str] | None = None
    references: list[str] | None = None
    table: str | None = None

    def read(self) -> SystemColumns:
        """Return the texts; systems have the names of their files, or those in the column `system`."""
        files = [path for path in (self.sources, *(self.outputs or ()), *(self.references or ()), self.table) if path]
        try:
            _check_bytes(sum(map(_unpacked_bytes, files)))
            if self.kind == TABLE:
                return _systems_of_table(_required("a table", self.table))
            return _checked_systems(self._systems_of_lines())
        except FileNotFoundError:
            raise RefusedError("The files have been deleted meanwhile: please choose them again.") from None
        except FileError as error:
            message = str(error)
            for path in files:
                message = message.replace(path, Path(path).name)
            raise RefusedError(message) from error

    def _systems_of_lines(self) -> SystemColumns:
        if self.kind in TEST_SETS:
            name, split = TEST_SETS[self.kind]
            outputs = _required("the outputs", self.outputs)
            segments = read_outputs(name, split=split, columns=None, outputs=outputs)
        else:
            sources, outputs = _required("the sources", self.sources), _required("the outputs", self.outputs)
            references = _required("at least one file of references", self.references)
            tabs = any(name.removesuffix(".gz").endswith(".tsv") for name in references)
            segments = reading.read_texts(sources, outputs, references, tab_separated=tabs)
        check_limit(len(outputs), MAX_SYSTEMS, "systems")
        return reading.gather(_limited(reading.batches(segments, most=MAX_SEGMENTS)), system_names(outputs))


def _required(name: str, files: Any) -> Any:
    if not files:
        raise RefusedError(f"Please choose {name}.")
    return files


def _systems_of_table(path: str) -> SystemColumns:
    """Read a table whose rows may be in any order; all systems need the same segments."""
    table = read_output_table(path)
    check_limit(-(-len(table.places) // MAX_SYSTEMS), MAX_SEGMENTS, "segments", all_read=False)
    return _checked_systems(table.by_system(*system_names([path])))


def system_names(paths: Iterable[str]) -> list[str]:
    """Return the names of files as those of systems; where they repeat, with a number.

    >>> system_names(["a/muss.txt", "b/muss.txt", "b/access.txt"])
    ['muss', 'muss (2)', 'access']
    """
    names: list[str] = []
    for stem in (reading.stem(path).strip() or "system" for path in paths):
        numbered = chain([stem], (f"{stem} ({number})" for number in count(2)))
        names.append(next(name for name in numbered if name not in names))
    return names


def _limited(batches: Iterable[list[reading.Segment]]) -> Iterator[list[reading.Segment]]:
    """Yield batches until there are too many segments, which is refused before the rest is read."""
    segments = 0
    for batch in batches:
        segments += len(batch)
        check_limit(segments, MAX_SEGMENTS, "segments", all_read=False)
        yield batch


def _unpacked_bytes(path: str) -> int:
    """Return how many bytes of text a file has, counted no further than past the limit; gzip may hold any number."""
    with open(path, "rb") as file:
        if file.read(2) != reading.GZIP_MAGIC:
            return Path(path).stat().st_size
    number = 0
    with gzip.open(path) as unpacked, suppress(OSError, EOFError, zlib.error):  # damaged files are refused when read
        while number <= MAX_MEGABYTES * 1_000_000 and (part := unpacked.read(1 << 20)):
            number += len(part)
    return number
