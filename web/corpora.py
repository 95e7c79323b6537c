"""Corpora as they come: lists from programs, pasted lines, and files; checked against the limits, in batches."""

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any

from sari.files import reading
from sari.files.errors import FileError
from sari.inputs import Columns, SystemColumns, validate_columns, validate_systems
from sari.web.limits import MAX_MEGABYTES, RefusedError, check_bytes, check_segments, check_systems, refusals

_BATCH = 250
_GZIP_MAGIC = b"\x1f\x8b"


def batches_of_lists(sources, outputs, references) -> Iterator[Columns]:
    """Yield the segments of three columns.

    Raises:
        RefusedError: past the limits, and for what the metric refuses.
    """
    with refusals():
        sources, outputs, references = validate_columns(sources, outputs, references)
    check_bytes(sum(map(_bytes, [*sources, *outputs])) + sum(_bytes(text) for row in references for text in row))
    for start in range(0, len(sources), _BATCH):
        rows = slice(start, start + _BATCH)
        yield Columns(sources[rows], outputs[rows], references[rows])


def batches_of_lines(sources: str, outputs: str, references: str) -> Iterator[Columns]:
    """Yield the segments of three texts with a line for each; tabs stand between the references of a segment.

    Raises:
        RefusedError: for an empty text, for unequal numbers of lines, and past the limits.
    """
    named = {"sources": sources, "outputs": outputs, "references": references}
    segments = len(sources.rstrip("\n").split("\n"))
    lines = {name: _lines(text, segments) for name, text in named.items()}
    for name, text in named.items():
        if not text.strip():
            raise RefusedError(f"Please paste the {name}: one line for each segment.")
        if len(lines[name]) != len(lines["sources"]):
            wanted = f"{len(lines['sources'])}, as many as sources"
            plural = "" if len(lines[name]) == 1 else "s"
            raise RefusedError(f"The {name} have {len(lines[name])} line{plural}, wanted {wanted}.")
    yield from batches_of_lists(lines["sources"], lines["outputs"], [line.split("\t") for line in lines["references"]])


def batches_of_files(sources: str | None, outputs: str | None, references: Sequence[str]) -> Iterator[Columns]:
    """Yield the segments of text files with a line for each; arguments are paths.

    Raises:
        RefusedError: for a file that is missing or cannot be used, and past the limits.
    """
    needed = {"the sources": sources, "the outputs": outputs, "at least one file of references": references}
    _check_given(needed)
    paths = [str(sources), str(outputs), *references]
    yield from map(_of_one_system, _read(paths, lambda: reading.open_texts(paths[0], paths[1], paths[2:])))


def batches_of_jsonl(path: str | None) -> Iterator[Columns]:
    """Yield the segments of a file with a JSON object for each: source, prediction (or output), references.

    Raises:
        RefusedError: as `batches_of_files`.
    """
    _check_given({"a JSONL file": path})
    yield from map(_of_one_system, _read([str(path)], lambda: reading.open_jsonl(str(path))))


def systems_of_lists(sources, outputs, references) -> SystemColumns:
    """Return three columns, the outputs by the names of their systems.

    Raises:
        RefusedError: past the limits, and for what the metric refuses.
    """
    with refusals():
        columns = validate_systems(sources, outputs, references)
    check_systems(len(columns.predictions))
    check_bytes(sum(map(_bytes, chain(columns.sources, *columns.predictions.values(), *columns.references))))
    return columns


def systems_of_files(
    sources: str | None, outputs: Sequence[str], references: Sequence[str], names: str = ""
) -> SystemColumns:
    """Return the segments of text files with a line for each.

    Args:
        sources, outputs, references: paths.
        names: of the systems, a line for each; the names of the files where there is none.

    Raises:
        RefusedError: as `batches_of_files`.
    """
    needed = {"the sources": sources, "the outputs": outputs, "at least one file of references": references}
    _check_given(needed)
    check_systems(len(outputs))
    paths = [str(sources), *outputs, *references]
    chosen = [name.strip() for name in names.split("\n") if name.strip()] or system_names(outputs)
    if len(chosen) != len(outputs) or len(set(chosen)) != len(chosen):
        wanted = f"{len(outputs)}, one for each file of outputs, all different"
        raise RefusedError(f"names: got {', '.join(chosen)}, wanted {wanted}")
    batches = _read(paths, lambda: reading.open_texts(str(sources), outputs, references))
    return SystemColumns(**reading.gather(_checked(batches), chosen))


def _lines(text: str, wanted: int) -> list[str]:
    r"""Return the lines of a text; empty ones at its end count as far as they are wanted.

    >>> _lines("a\n\n\n", 2), _lines("a", 2)
    (['a', ''], ['a'])
    """
    lines = text.split("\n")
    while len(lines) > wanted and not lines[-1]:
        lines.pop()
    return lines


def system_names(paths: Iterable[str]) -> list[str]:
    """Return the names of files as those of systems; where they repeat, with a number.

    >>> system_names(["a/muss.txt", "b/muss.txt", "b/access.txt"])
    ['muss', 'muss (2)', 'access']
    """
    names: list[str] = []
    for stem in map(reading.stem, paths):
        numbered = chain([stem], (f"{stem} ({number})" for number in count(2)))
        names.append(next(name for name in numbered if name not in names))
    return names


def _check_given(files: dict[str, Any]) -> None:
    for name, path in files.items():
        if not path:
            raise RefusedError(f"Please choose {name}.")


def _checked(batches: Iterable[reading.Batch]) -> Iterator[reading.Batch]:
    """Yield batches until there are too many segments, which is refused before the rest is read."""
    segments = 0
    for batch in batches:
        segments += len(batch["sources"])
        check_segments(segments)
        yield batch


def _read(paths: Sequence[str], opened: Callable[[], reading.Corpus]) -> Iterator[reading.Batch]:
    """Yield the segments of files; messages name them without their folders."""
    check_bytes(sum(map(_unpacked_bytes, paths)))
    try:
        with closing(opened()) as corpus:
            yield from corpus.batches(segments=_BATCH)
    except FileError as error:
        message = str(error)
        for path in paths:
            message = message.replace(path, Path(path).name)
        raise RefusedError(message) from error


def _unpacked_bytes(path: str) -> int:
    """Return how many bytes of text a file has, counted no further than past the limit; gzip may hold any number."""
    with open(path, "rb") as file:
        if file.read(2) != _GZIP_MAGIC:
            return Path(path).stat().st_size
    number = 0
    with (
        gzip.open(path) as unpacked,
        suppress(OSError, EOFError, zlib.error),
    ):  # a damaged file is told of as it is read
        while number <= MAX_MEGABYTES * 1_000_000 and (part := unpacked.read(1 << 20)):
            number += len(part)
    return number


def _of_one_system(batch: reading.Batch) -> Columns:
    (predictions,) = map(list, zip(*batch["predictions"], strict=True))
    return Columns(batch["sources"], predictions, batch["references"])


def _bytes(text: str) -> int:
    return len(text.encode())
