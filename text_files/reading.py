"""Read files of lines into segments, batch by batch.

Every fault of a file is a `FileError`: one line that names the file, the line, what is there and what was expected.
"""

import codecs
import errno
import gzip
import io
import os
import sys
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from sari.text_files.errors import FileError, reason
from sari.validation import SystemColumns, fault

STANDARD_INPUT = "-"

#: The bytes that gzipped data begin with.
GZIP_MAGIC = b"\x1f\x8b"
#: The bytes that data of other kinds begin with.
_NO_TEXTS = {b"PK\x03\x04": "an .xlsx or zip file", b"\xd0\xcf\x11\xe0": "an .xls or .doc file", b"PAR1": "Parquet"}
#: The characters of a line at most, without which an endless one would fill the memory.
LONGEST_LINE = 100_000_000


class Segment(NamedTuple):
    """A source, the output of each system, and the references."""

    source: str
    predictions: tuple[str, ...]
    references: list[str]


class LineFile:
    r"""The lines of one file or of standard input, read once, in order.

    A line ends at `\n` only: a text may contain a lone `\r`, U+0085 or U+2028. One `\r` before `\n` belongs to the end
    of the line. A file of one line with `\r` within it is refused, and so is a line with a NUL. A byte order mark at
    the start is dropped; that of UTF-16 overrides the encoding. Gzipped data are recognized by their first two bytes,
    which UTF-8 never begins with, so that they may also come from a pipe. The file is open while it is read.

    Attributes:
        name: of the file, for messages.
        lines: the number of lines read so far.
    """

    def __init__(self, path: str, encoding: str = "utf-8"):
        self.name = "<stdin>" if path == STANDARD_INPUT else path or repr(path)
        self.lines = 0
        self._texts = self._read(path, encoding)

    def __iter__(self) -> Iterator[str]:
        """Return the one iterator over the texts."""
        return self._texts

    def error(self, message: str) -> FileError:
        """Return a fault of the line that was read last."""
        return FileError(f"{self.name}:{self.lines}: {message}")

    def _read(self, path: str, encoding: str) -> Iterator[str]:
        try:
            with _open_bytes(path) as file:
                stream: Any = gzip.GzipFile(fileobj=file) if file.peek(2).startswith(GZIP_MAGIC) else file
                head = stream.peek(4)
                for magic, kind in _NO_TEXTS.items():
                    if head.startswith(magic):
                        raise FileError(fault(self.name, kind, "text: save it as CSV"))
                if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    encoding = "utf-16"
                with io.TextIOWrapper(stream, encoding, newline="\n") as texts:
                    for text in iter(partial(texts.readline, LONGEST_LINE), ""):
                        text.encode()  # raises UnicodeError for lone surrogates, which some encodings can escape
                        text = text if self.lines else text.removeprefix("\ufeff")
                        if text or self.lines:  # a byte order mark alone is no line
                            self.lines += 1
                            line = self._checked(text).removesuffix("\n").removesuffix("\r")
                            yield line
                    if self.lines == 1 and "\r" in line.rstrip("\r"):
                        raise self.error(r"got \r alone between lines, expected \n: tr '\r' '\n' <FILE >NEW")
        except UnicodeDecodeError as error:
            self.lines += 1 + error.object[: error.start].count(b"\n")
            byte = f"byte 0x{error.object[error.start]:02x} is not {encoding.upper()}"
            raise self.error(f"{byte}, expected {encoding.upper()} text") from None
        except UnicodeError as error:  # a lone surrogate, or no byte order mark
            self.lines += 1
            raise self.error(f"{error}, expected {encoding.upper()} text") from None
        except (OSError, EOFError, zlib.error) as error:
            raise FileError(f"{self.name}: {reason(error)}, expected a file to read") from None

    def _checked(self, text: str) -> str:
        """Refuse a line without an end that is very long, and a line with a NUL, which UTF-16 has."""
        if len(text) >= LONGEST_LINE and not text.endswith("\n"):
            raise self.error(f"got a line of {LONGEST_LINE:,} characters or more, expected a shorter one")
        if "\0" in text:
            raise self.error(r"got the character \0, expected text: is its encoding utf-16le or utf-16be?")
        return text


def check_readable(path: str) -> None:
    """Raise FileError if there is no such file; it is not opened, since pipes can be opened only once."""
    if path != STANDARD_INPUT and not os.path.exists(path):
        raise FileError(f"{path or repr(path)}: {os.strerror(errno.ENOENT)}, expected a file to read")


def _open_bytes(path: str) -> io.BufferedReader:
    if path != STANDARD_INPUT:
        return open(path, "rb")
    if sys.stdin is None:  # closed by the caller: descriptor 0 may now be another file
        raise OSError(None, "closed")
    return open(0, "rb", closefd=False)


def batches(segments: Iterable[Segment], *, most: int = 2_000, characters: int = 4_000_000) -> Iterator[list[Segment]]:
    """Yield lists of at most so many segments, which end early after so many characters."""
    batch: list[Segment] = []
    size = 0
    for segment in segments:
        batch.append(segment)
        size += len(segment.source) + sum(map(len, segment.predictions)) + sum(map(len, segment.references))
        if len(batch) >= most or size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def gather(batches: Iterable[list[Segment]], names: Sequence[str]) -> SystemColumns:
    """Join batches, at least one, and give the predictions the names of their systems."""
    sources, predictions, references = map(list, zip(*chain.from_iterable(batches), strict=True))
    by_name = dict(zip(names, map(list, zip(*predictions, strict=True)), strict=True))
    return SystemColumns(sources, by_name, references)


def stem(path: str) -> str:
    """Return the name of a file without folder and usual endings.

    >>> stem("systems/muss.txt.gz")
    'muss'
    """
    if path == STANDARD_INPUT:
        return "stdin"
    name = Path(Path(path).name.removesuffix(".gz"))
    return name.stem if name.suffix in (".txt", ".jsonl", ".csv", ".tsv") else name.name


def read_texts(
    sources: str,
    outputs: Sequence[str],
    references: Sequence[str],
    *,
    encoding: str = "utf-8",
    tab_separated: bool = False,
) -> Iterator[Segment]:
    """Read files of one text per line, which all have the same number of lines, as their segments are needed.

    Args:
        sources, references: the files.
        outputs: a file for each system.
        encoding: of all files, in lower case.
        tab_separated: whether a line of references has several, separated by tabs.

    Raises:
        FileError: for a file that cannot be read, for a fault in it, and if there is no line.
    """
    paths = [sources, *outputs, *references]
    if paths.count(STANDARD_INPUT) > 1:
        raise FileError(fault("<stdin>", f"- as {paths.count(STANDARD_INPUT)} files", "it as one"))
    files = [LineFile(path, encoding) for path in paths]
    try:
        for source, *others in zip(*files, strict=True):
            people = others[len(outputs) :]
            if tab_separated:
                people = [text for line in people for text in line.split("\t")]
            yield Segment(source, tuple(others[: len(outputs)]), people)
    except ValueError:
        deque(files[0], maxlen=0)
        hint = "; texts of several lines belong in a table"
        raise line_faults(files, files[0].lines, files[0].name, hint) from None
    if not files[0].lines:
        raise FileError(f"{files[0].name}: no lines, expected at least one")


def line_faults(files: Sequence[LineFile], lines: int, model: str, hint: str = "") -> FileError:
    """Read the files to their ends, and return the error about the first that has not as many lines as the model."""
    for file in files:
        deque(file, maxlen=0)
    other = next(file for file in files if file.lines != lines)
    place = f"{other.name}:{min(lines, other.lines) + 1}"
    plural = "" if other.lines == 1 else "s"
    return FileError(f"{place}: the file has {other.lines} line{plural}, expected {lines} as in {model}{hint}")
