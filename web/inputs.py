"""What visitors send: lists from programs, pasted lines, and files; checked against the limits, refused in one line."""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from sari.text_files import reading
from sari.text_files.errors import FileError
from sari.text_files.table_files import read_ratings, read_table
from sari.validation import Columns, SystemColumns, check_choice, refuse_unknown, validate_columns, validate_systems
from sari.variants import EXTERNAL_TOKENIZERS, OPTIONS, TOKENIZERS, Option, Variant, resolve_variant

#: The variant where none is chosen. Others may reward copies.
DEFAULT_VARIANT = "easse"
#: Tokenizers that need neither further packages nor downloads.
OFFERED_TOKENIZERS = tuple(
    name for name in TOKENIZERS if name not in EXTERNAL_TOKENIZERS or EXTERNAL_TOKENIZERS[name].install == "sacrebleu"
)

# The labels of options whose names are not what people look for.
_LABELS = {"tokenize": "Tokenizer", "lowercase": "Case"}

MAX_CHARACTERS = 10_000
MAX_SEGMENTS = 5_000
MAX_MEGABYTES = 10
MAX_SYSTEMS = 20
MAX_REFERENCES = 100

_ELSEWHERE = "The command line, score.py, has no limit."


class RefusedError(Exception):
    """Input that is not answered, said in one friendly line."""


@contextmanager
def errors_refused() -> Iterator[None]:
    """Turn what the metric refuses into refusals, which call predictions outputs, as the page does."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise RefusedError(re.sub("^predictions", "outputs", str(error))) from error


@cache
def offered_options() -> dict[str, Option]:
    """Return the scoring options of this server by name, with the choices for which it has all that they need.

    An option with a single name, which only code can set to anything else, is left out.
    """
    offered = {}
    for name, option in OPTIONS.items():
        names = OFFERED_TOKENIZERS if name == "tokenize" else option.choices
        choices = tuple(choice for choice in names if _is_possible(name, choice))
        if len(option.choices) != 1:
            offered[name] = replace(option, choices=choices)
    return offered


def label_of(name: str) -> str:
    """Return the label of the control of an option."""
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def _is_possible(name: str, choice: str) -> bool:
    try:
        resolve_variant(**{name: choice})
    except ImportError:
        return False
    return True


def resolve_options(options: Mapping[str, Any]) -> Variant:
    """Return the variant of scoring options, by name, which may be None as if not given.

    Those that this server does not offer are refused.
    """
    offered = offered_options()
    with errors_refused():
        refuse_unknown(options.keys() - offered.keys(), offered)
        given = {name: value for name, value in options.items() if value is not None}
        for name, value in given.items():
            if offered[name].choices:
                check_choice(name, value, offered[name].choices)
        return resolve_variant(**{"variant": DEFAULT_VARIANT, **given})


def resolve_every_variant(options: Mapping[str, Any]) -> dict[str, Variant]:
    """Return every variant of this server by name, with the other options; those that exclude one are missing.

    Options that no variant takes are refused.
    """
    found, refusal = {}, RefusedError()
    for name in offered_options()["variant"].choices:
        try:
            found[name] = resolve_options({**options, "variant": name})
        except RefusedError as error:
            refusal = error
    if not found:
        raise refusal
    return found


def check_limit(number: int, most: int, units: str, *, all_read: bool = True) -> None:
    """Refuse more segments, systems or characters than `most`; there may be even more where not all was read."""
    if number > most:
        said = f"{number:,}" if all_read else f"more than {most:,}"
        raise RefusedError(f"That is {said} {units}; this page takes {most:,} at a time. {_ELSEWHERE}")


def check_references(references: Iterable[Sequence[str]]) -> None:
    """Refuse a segment with too many references."""
    check_limit(max(map(len, references), default=0), MAX_REFERENCES, "references of a segment")


def check_bytes(number: int) -> None:
    """Refuse texts or files that are too large together."""
    if number > MAX_MEGABYTES * 1_000_000:
        raise RefusedError(f"That is {number / 1e6:.1f} MB; this page takes {MAX_MEGABYTES} MB at a time. {_ELSEWHERE}")


# Each function returns checked texts, or raises RefusedError: past the limits, for a file that is missing or cannot be
# used, and for what the metric refuses.


class RatedCorpus(NamedTuple):
    """Segments with one output each, and the ratings of the outputs, where there are any."""

    columns: Columns
    ratings: list[float] | None = None


class RatedSystems(NamedTuple):
    """Segments with outputs of systems, and the ratings of the outputs by system, where there are any."""

    columns: SystemColumns
    ratings: dict[str, list[float]] | None = None


def columns_of_lists(sources: Any, outputs: Any, references: Any) -> Columns:
    """Check three columns."""
    with errors_refused():
        columns = validate_columns(sources, outputs, references)
    _check_size(columns.sources, columns.predictions, *columns.references)
    check_limit(len(columns.sources), MAX_SEGMENTS, "segments")
    check_references(columns.references)
    return columns


def systems_of_lists(sources: Any, outputs: Any, references: Any) -> SystemColumns:
    """Check three columns, the outputs by system."""
    with errors_refused():
        columns = validate_systems(sources, outputs, references)
    check_limit(len(columns.predictions), MAX_SYSTEMS, "systems")
    _check_size(columns.sources, *columns.predictions.values(), *columns.references)
    check_references(columns.references)
    return columns


def corpus_of_lines(sources: str, outputs: str, references: str) -> RatedCorpus:
    """Read three texts with a line for each segment; tabs separate the references of a segment."""
    named = {"sources": sources, "outputs": outputs, "references": references}
    segments = len(sources.rstrip("\n").split("\n"))
    lines = {name: _lines(text, segments) for name, text in named.items()}
    for name, text in named.items():
        if not text.strip():
            raise RefusedError(f"Please paste the {name}: one line for each segment.")
        if len(lines[name]) != segments:
            plural = "" if len(lines[name]) == 1 else "s"
            wanted = f"{segments} (as in sources)"
            raise RefusedError(f"The {name} have {len(lines[name])} line{plural}, expected {wanted}.")
    people = [line.split("\t") for line in lines["references"]]
    return RatedCorpus(columns_of_lists(lines["sources"], lines["outputs"], people))


def corpus_of_files(
    sources: str | None, outputs: str | None, references: Sequence[str] | None, ratings: str | None = None
) -> RatedCorpus:
    """Read text files with a line for each segment; arguments are paths."""
    columns, rated = systems_of_files(sources, [outputs] if outputs else [], references, [ratings] if ratings else [])
    (name,) = columns.predictions
    return RatedCorpus(columns.of(name), None if rated is None else rated[name])


def systems_of_files(
    sources: str | None,
    outputs: Sequence[str] | None,
    references: Sequence[str] | None,
    ratings: Sequence[str] | None = None,
    names: str = "",
) -> RatedSystems:
    """Read text files with a line for each segment.

    Args:
        sources, outputs, references: paths; references in files called .tsv have tabs between several of a line.
        ratings: no paths, or one for each file of outputs, in the same order.
        names: of the systems, a line for each; where there are none, those of the files.
    """
    _check_given({"the sources": sources, "the outputs": outputs, "at least one file of references": references})
    outputs, references = outputs or [], references or []
    check_limit(len(outputs), MAX_SYSTEMS, "systems")
    chosen = _chosen_names(names, system_names(outputs))
    tabs = any(name.removesuffix(".gz").endswith(".tsv") for name in references)
    with (
        _naming_no_folders([str(sources), *outputs, *references]),
        closing(reading.open_texts(str(sources), list(outputs), references, tab_separated=tabs)) as corpus,
    ):
        columns = reading.gather(_limited(corpus.batches(segments=MAX_SEGMENTS)), chosen)
    if not ratings:
        return RatedSystems(columns)
    if len(ratings) != len(outputs):
        raise RefusedError(f"ratings: got {len(ratings)} files, expected {len(outputs)}: one for each file of outputs")
    with _naming_no_folders([*ratings, str(sources)]):
        rated = [read_ratings(path, len(columns.sources), str(sources)) for path in ratings]
    return RatedSystems(columns, dict(zip(columns.predictions, rated, strict=True)))


def corpus_of_table(path: str | None) -> RatedCorpus:
    """Read a table, JSON Lines, CSV or TSV, with the ratings that it may have."""
    rows = _read_rows(path)
    columns = zip(*((row.source, row.prediction, row.references) for row in rows), strict=True)
    return RatedCorpus(columns_of_lists(*map(list, columns)), _ratings(rows))


def systems_of_table(path: str | None, names: str = "") -> RatedSystems:
    """Read a table with a column `system`, with the ratings that it may have.

    Args:
        path: of the table; its rows may be in any order, but all systems need the same segments.
        names: of the systems, a line for each; where there are none, those of the table.
    """
    rows = _read_rows(path)
    by_system: dict[str, dict[_Key, TableRow]] = {}
    repeats: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    for row in rows:
        if row.system is None:
            raise RefusedError("There is no column system in the table, or a row without: whose outputs are they?")
        segment = (row.system, row.source, tuple(row.references))
        by_system.setdefault(row.system, {})[(*segment[1:], repeats[segment])] = row
        repeats[segment] += 1
    check_limit(len(by_system), MAX_SYSTEMS, "systems")
    segments = list(next(iter(by_system.values())))
    for name, own in by_system.items():
        if own.keys() != set(segments):
            raise RefusedError(
                f"{name} has {len(own)} rows, {next(iter(by_system))} has {len(segments)}, and their sources or "
                "references differ: expected the same segments of every system."
            )
    check_limit(len(segments), MAX_SEGMENTS, "segments")
    chosen = _chosen_names(names, list(by_system))
    ordered = {name: [own[key] for key in segments] for name, own in zip(chosen, by_system.values(), strict=True)}
    outputs = {name: [row.prediction for row in own] for name, own in ordered.items()}
    columns = SystemColumns([key[0] for key in segments], outputs, [list(key[1]) for key in segments])
    rated = None if _ratings(rows) is None else {name: _ratings(own) or [] for name, own in ordered.items()}
    return RatedSystems(columns, rated)


def names_in_table(path: str | None) -> list[str]:
    """Return the names of the systems of a table; none for one that cannot be read, which is refused later."""
    try:
        return list(dict.fromkeys(row.system for row in _read_rows(path) if row.system is not None))
    except RefusedError:
        return []


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


#: What identifies a segment of a table: source, references, and how often both came before.
_Key = tuple[str, tuple[str, ...], int]


def _lines(text: str, wanted: int) -> list[str]:
    r"""Return the lines of a text; empty ones at its end count as far as they are wanted.

    >>> _lines("a\n\n\n", 2), _lines("a", 2)
    (['a', ''], ['a'])
    """
    lines = text.split("\n")
    while len(lines) > wanted and not lines[-1]:
        lines.pop()
    return lines


def _chosen_names(names: str, own: list[str]) -> list[str]:
    chosen = [name.strip() for name in names.split("\n") if name.strip()]
    if not chosen:
        return own
    if len(chosen) != len(own):
        raise RefusedError(f"names: got {len(chosen)}, expected {len(own)}, one for each system, or none")
    if len(set(chosen)) != len(chosen):
        raise RefusedError(f"names: got {', '.join(chosen)}, expected names that are all different")
    return chosen


class TableRow(NamedTuple):
    """A row of a table, with the system and the rating where it has them."""

    source: str
    prediction: str
    references: list[str]
    system: str | None
    rating: float | None


def _read_rows(path: str | None) -> list[TableRow]:
    """Return the rows of a table."""
    _check_given({"a table": path})
    with _naming_no_folders([str(path)]):
        texts, systems, ratings = read_table(str(path))
    check_limit(-(-len(texts.sources) // MAX_SYSTEMS), MAX_SEGMENTS, "segments", all_read=False)
    check_references(texts.references)
    nothing: list[None] = [None] * len(texts.sources)
    return list(map(TableRow, *texts, systems or nothing, ratings or nothing))


def _ratings(rows: Iterable[TableRow]) -> list[float] | None:
    """Return the ratings of rows, which all have one or none."""
    ratings = [row.rating for row in rows]
    given = [rating for rating in ratings if rating is not None]
    if given and len(given) < len(ratings):
        raise RefusedError(f"{len(given)} of {len(ratings)} rows have a rating, expected all of them or none.")
    return given or None


@contextmanager
def _naming_no_folders(paths: Sequence[str]) -> Iterator[None]:
    """Refuse files that are too large together, and what is wrong with them, named without their folders."""
    check_bytes(sum(map(_unpacked_bytes, paths)))
    try:
        yield
    except FileError as error:
        message = str(error)
        for path in paths:
            message = message.replace(path, Path(path).name)
        raise RefusedError(message) from error


def _check_given(files: dict[str, Any]) -> None:
    for name, path in files.items():
        if not path:
            raise RefusedError(f"Please choose {name}.")


def _check_size(*columns: Iterable[str]) -> None:
    check_bytes(sum(len(text.encode()) for text in chain(*columns)))


def _limited(batches: Iterable[list[reading.Segment]]) -> Iterator[list[reading.Segment]]:
    """Yield batches until there are too many segments, which is refused before the rest is read."""
    segments = 0
    for batch in batches:
        segments += len(batch)
        check_references(segment.references for segment in batch)
        yield batch
        check_limit(segments, MAX_SEGMENTS, "segments", all_read=False)


def _unpacked_bytes(path: str) -> int:
    """Return how many bytes of text a file has, counted no further than past the limit; gzip may hold any number."""
    with open(path, "rb") as file:
        if file.read(2) != _GZIP_MAGIC:
            return Path(path).stat().st_size
    number = 0
    with (
        gzip.open(path) as unpacked,
        suppress(OSError, EOFError, zlib.error),
    ):  # a damaged file is refused as it is read
        while number <= MAX_MEGABYTES * 1_000_000 and (part := unpacked.read(1 << 20)):
            number += len(part)
    return number


_GZIP_MAGIC = b"\x1f\x8b"
