"""What visitors send: lists from programs, and files; checked against the limits, refused in one line."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

import numpy as np

from sari.languages import EXTERNAL_TOKENIZERS, TOKENIZERS
from sari.messages import RefusedError, RefusedImportError, fault, short_repr, truncate
from sari.text_files import reading
from sari.text_files.named_sets import NAMED_SETS, read_outputs
from sari.text_files.output_rows import SystemOutputs
from sari.text_files.output_tables import read_output_table
from sari.validation import (
    Columns,
    SystemColumns,
    check_choice,
    check_whole_number,
    refuse_unknown,
    validate_columns,
    validate_systems,
)
from sari.variants import OPTIONS, Option, Variant, resolve_variant

# spaCy's languages that need further packages.
_NEEDING_MORE = {"ja", "ko", "th", "vi"}

#: The characters of one segment with all its references: an explanation takes up to 2.5 s of processor time and
#: 15 MB, which words of one letter and n-grams of 10 need.
MAX_CHARACTERS = 15_000
#: Those of a segment whose whole explanation a program gets, and the kilobytes of that: the server keeps some answers.
MAX_DETAILED, MAX_KILOBYTES = 3_000, 500
#: The characters of a link after the address, in which a letter of another script has six or more.
MAX_LINK = 200_000
MAX_ORDER = 10
MAX_SEGMENTS = 5_000
MAX_MEGABYTES = 10
MAX_SYSTEMS = 20
#: The values of a call or of a table in JSON, such as texts and lists, and how deep they stand in one another.
MAX_VALUES, MAX_IN_TABLE, MAX_DEPTH = 200_000, 1_000_000, 12
MAX_REFERENCES = 100

#: Where the texts of the Files view are: in text files, in a table, or, apart from the outputs, in a test set.
TEXT_FILES, TABLE = "Text files", "Table"
#: The splits of test sets, by the names of the choices.
TEST_SETS = {
    f"{row.title}, {split}": (name, split) for name, row in NAMED_SETS.items() for split in ("test", "validation")
}

#: Why a variant or a tokenizer is not offered.
LACKING = "this server lacks a package or the data that it needs"


# What the metric calls the texts of visitors, and what these call them.
_OF_CORPORA = {"predictions": "outputs"}
_OF_SEGMENTS = {"sources[0]": "source", "predictions[0]": "output", "references[0]": "references"}


@contextmanager
def errors_refused(names: Mapping[str, str] = _OF_CORPORA) -> Iterator[None]:
    """Turn what the metric refuses into refusals, with other names of arguments."""
    try:
        yield
    except RefusedError as error:
        message = str(error)
        for name, visitors_name in names.items():
            message = re.sub(f"^{re.escape(name)}", visitors_name, message)
        raise RefusedError(message) from error


# Options


@cache
def offered_options() -> dict[str, Option]:
    """Return the scoring options of this server by name, with the choices for which it has all that they need.

    An option with a single name, which only code can set to anything else, is left out.
    """
    offered = {name: option for name, option in OPTIONS.items() if len(option.choices) != 1}
    for name, option in offered.items():
        choices = filter(partial(_is_possible, name), option.choices)
        offered[name] = replace(option, choices=tuple(_installed_tokenizers() if name == "tokenize" else choices))
    return offered


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
    except RefusedImportError:
        return False
    return True


def resolve_options(options: Mapping[str, Any] | None) -> Variant:
    """Return the variant of scoring options, by name; those that are None count as not given.

    Options that this server does not offer are refused.
    """
    options = {} if options is None else options
    if not isinstance(options, dict):
        raise RefusedError(fault("options", type(options).__name__, "an object of scoring options by name"))
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
    variants = {}
    for name in offered_options()["variant"].choices:
        with suppress(RefusedError):
            variants[name] = resolve_options({**options, "variant": name})
    if not variants:
        resolve_options(options)  # says why
    return variants


# Limits


def check_limit(number: float, most: int, units: str) -> None:
    """Refuse more of some units, such as segments or MB, than `most`."""
    if number > most:
        raise RefusedError(f"That is more than {most:,} {units}, all that this page takes. score.py has no limit.")


# A text in JSON; one that does not end goes to the end, so that nothing is read twice.
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def check_json(data: bytes | bytearray, *, values: int = MAX_VALUES) -> None:
    """Refuse JSON of too many values, or too deep, or not in UTF-8, before it is parsed.

    >>> check_json(b'[["a, [b"], 1]', values=4)
    >>> check_json(b'[["a, [b"], 1]', values=3)
    Traceback (most recent call last):
    ...
    sari.RefusedError: That is more than 3 values, all that this page takes. score.py has no limit.
    """
    if b"\0" in data:  # of UTF-16 and UTF-32, whose texts end elsewhere
        raise RefusedError("It is not JSON in UTF-8.")
    marks = _TEXT.sub(b"", data)
    check_limit(1 + sum(map(marks.count, (b",", b"[", b"{"))), values, "values")
    brackets = np.frombuffer(re.sub(rb"[^][{}]", b"", marks), np.uint8)
    opens = (brackets == ord("[")) | (brackets == ord("{"))
    if np.where(opens, 1, -1).cumsum().max(initial=0) > MAX_DEPTH:
        raise RefusedError(f"Its values stand more than {MAX_DEPTH} deep in one another.")


def _checked_systems(columns: SystemColumns) -> SystemColumns:
    if not columns.sources:
        raise RefusedError(fault("sources", "no segments", "at least one"))
    for name in columns.predictions:
        if not name.isprintable():
            raise RefusedError(fault("outputs", f"the name {short_repr(name)}", "a name without line breaks and such"))
    check_limit(len(columns.predictions), MAX_SYSTEMS, "systems")
    check_limit(len(columns.sources), MAX_SEGMENTS, "segments")
    check_limit(max(map(len, columns.references)), MAX_REFERENCES, "references of a segment")
    texts = chain(columns.sources, *columns.predictions.values(), *columns.references)
    check_limit(sum(len(text.encode()) for text in texts) / 1e6, MAX_MEGABYTES, "MB")
    return columns


# Texts. Each function raises RefusedError past the limits and for what the metric refuses.


def segment_of(source: Any, output: Any, references: Any, *, most: int = MAX_CHARACTERS) -> Columns:
    """Return one segment of at most so many characters, whose references may be one text.

    A source or references without words are refused.
    """
    texts = [source, output, *(references if isinstance(references, list) else [references])]
    check_limit(sum(len(text) for text in texts if isinstance(text, str)), most, "characters")
    with errors_refused(_OF_SEGMENTS):
        segment = validate_columns([source], [output], [references or [""]])
    check_size(segment, most)
    (text,), _, (people,) = segment
    if not text.strip():
        raise RefusedError("Please enter a source: the sentence to simplify.")
    if not any(map(str.strip, people)):
        raise RefusedError(
            "Please enter at least one reference: a simplification written by a person, one per line. "
            "You can write one, or score outputs of a test set, which has references."
        )
    return segment


def check_size(segment: Columns, most: int = MAX_CHARACTERS) -> None:
    """Refuse a segment that takes too long to explain."""
    (source,), (output,), (people,) = segment
    check_limit(len(people), MAX_REFERENCES, "references of a segment")
    check_limit(sum(map(len, (source, output, *people))), most, "characters")


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


def needed_files(kind: str) -> dict[str, str]:
    """Return the files that a kind of input needs: by the names in `FilePaths`, in words."""
    needed = {"sources": "the sources", "outputs": "the outputs", "references": "at least one file of references"}
    if kind in TEST_SETS:
        return {"outputs": needed["outputs"]}
    return {"table": "a table"} if kind == TABLE else needed


class FilePaths(NamedTuple):
    """The files of a visitor.

    Attributes:
        kind: `TEXT_FILES`, `TABLE` or a name in `TEST_SETS`.
        sources, outputs, references: text files with a line for each segment.
        table: CSV, TSV, JSON Lines or a JSON array, with a row for each output.
    """

    kind: str
    sources: str | None = None
    outputs: list[str] | None = None
    references: list[str] | None = None
    table: str | None = None

    def read(self) -> SystemOutputs:
        """Return the outputs; systems have the names of their files, or those in the column `system`.

        The files of other kinds of input, which the page hides, are left alone.
        """
        files: list[str] = []
        for name, words in needed_files(self.kind).items():
            chosen = getattr(self, name)
            if not chosen:
                raise RefusedError(f"Please choose {words}.")
            files += [chosen] if isinstance(chosen, str) else chosen
        try:
            contents = list(map(_unpacked, files))
            check_limit(sum(map(len, contents)) / 1e6, MAX_MEGABYTES, "MB")
            with reading.naming(lambda path: truncate(Path(path).name)):  # visitors know no folder of ours
                outputs = self._systems_of_table() if self.kind == TABLE else self._systems_of_lines()
                _checked_systems(outputs.columns)
                return outputs
        except FileNotFoundError:
            raise RefusedError("The files have been deleted meanwhile: please choose them again.") from None

    def _systems_of_table(self) -> SystemOutputs:
        path = self.table or ""
        ending = Path(path).suffix.lower()
        if reading.TABLE_ENDINGS.get(ending):  # a few kilobytes of what pandas reads can hold gigabytes
            raise RefusedError(fault(truncate(Path(path).name), f"a file {ending}", "CSV, TSV or JSON"))
        text = "\n".join(reading.read_lines(path)).lstrip()  # of any encoding that the table may have
        if text.startswith(("[", "{")):
            check_json(text.encode(), values=MAX_IN_TABLE)
        return read_output_table(path).by_system(*system_names([path]))

    def _systems_of_lines(self) -> SystemOutputs:
        references, paths = self.references or [], self.outputs or []
        check_limit(len(paths), MAX_SYSTEMS, "systems")
        outputs = dict(zip(system_names(paths), paths, strict=True))
        if self.kind in TEST_SETS:
            name, split = TEST_SETS[self.kind]
            return SystemOutputs.of_columns(read_outputs(name, split=split, outputs=outputs))
        tabs = any(name.removesuffix(".gz").endswith(".tsv") for name in references)
        texts = reading.read_texts(self.sources or "", outputs, references, tab_separated=tabs)
        return SystemOutputs.of_columns(texts)


def system_names(paths: Iterable[str]) -> list[str]:
    """Return the names of files as those of systems; where they repeat, with a number.

    >>> system_names(["a/muss.txt", "b/muss.txt", "b/access.txt", " .txt"])
    ['muss', 'muss (2)', 'access', 'system']
    """
    names: list[str] = []
    for stem in (reading.stem(path).strip() or "system" for path in paths):
        numbered = chain([stem], (f"{stem} ({number})" for number in count(2)))
        names.append(next(name for name in numbered if name not in names))
    return names


def _unpacked(path: str) -> bytes:
    """Return the bytes of text of a file, no more than past the limit; gzip may hold any number."""
    with open(path, "rb") as file, suppress(OSError, EOFError, zlib.error):
        stream: Any = gzip.GzipFile(fileobj=file) if file.peek(2).startswith(reading.GZIP_MAGIC) else file
        return stream.read(MAX_MEGABYTES * 1_000_000 + 1)
    return b""  # a damaged file is refused when it is read
