"""Read files of lines.

Every fault of a file is a `FileError`: one line that names the file, the line, what is there and what was expected.
"""

import codecs
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from sari.messages import LONGEST_NAME, fault, join_names, short_line, short_repr, truncate
from sari.text_files.column_names import ROLES, is_heading
from sari.text_files.errors import FileError, OptionError, reason
from sari.validation import SystemColumns

STANDARD_INPUT = "-"

#: The bytes that gzipped data begin with.
GZIP_MAGIC = b"\x1f\x8b"
#: The endings of tables; for those that are no text, the function of pandas that reads them, and its arguments.
TABLE_ENDINGS: dict[str, tuple[str, dict[str, Any]] | None] = {
    **dict.fromkeys((".csv", ".tsv", ".json", ".jsonl")),
    ".xlsx": ("read_excel", {"sheet_name": None, "keep_default_na": False, "dtype": str}),
    ".parquet": ("read_parquet", {}),
}
#: What files begin with that stand for another one, and what to do with them. `\Z` is for a file without more.
_STAND_INS = {
    rb"version https://git-lfs\.": ("a pointer of Git LFS", "the file that it stands for: git lfs pull"),
    rb"[./]*(\.git)?/annex/objects/": ("a pointer of git-annex", "the file that it stands for: git annex get FILE"),
    rb"(?i:[\s\xef\xbb\xbf]*<(!doctype|html|head|body)\b[^\n<]*>)": ("a page of HTML", "text: download the raw file"),
    rb"(?i:[\s\xef\xbb\xbf]*<(\?xml|((ref|src|tst)set|mteval|doc)\s[^\n<]*=))": (
        "XML or SGML",
        "a text or row per line, or a JSON array of rows",
    ),
    rb"([45]\d\d: [A-Z][A-Za-z ]{2,40}|404 page not found|((Entry|Repository|File) )?[Nn]ot [Ff]ound|Access [Dd]enied|"
    rb"Too Many Requests|Invalid username or password\.|<Error><Code>[^\n]*|"
    rb'\{"(error|message|detail)": ?"[^\n]*\})\s*\Z': ("the error of a server", "text: download the file again"),
}
#: What data of other kinds begin with, and what to do with them.
_NO_TEXTS = {
    rb"PK\x03\x04": ("a workbook, document or zip file", "text, or a table whose name ends in .xlsx"),
    rb"\xd0\xcf\x11\xe0": ("an .xls or .doc file", "text: save it as CSV"),
    rb"PAR1": ("Parquet", "text, or a table whose name ends in .parquet"),
    rb"%PDF": ("a PDF file", "text"),
    rb"\x89PNG|\xff\xd8\xff|GIF8": ("a picture", "text"),
    rb"BZh[1-9]1AY|\xfd7zXZ|7z\xbc\xaf|\x28\xb5\x2f\xfd": ("a compressed file", "text, plain or gzipped"),
    **_STAND_INS,
}
_LONGEST_HEAD = 1_000  # bytes, by which each kind is recognized
#: The share of words of sentences that are about different things; of a simplification and its source it is above.
_UNRELATED = 0.15
#: The characters of the name of another file in a message, and the lines that it names.
_LONGEST_MODEL, _FEW = 40, 3
#: The characters of a line at most, without which an endless one would fill the memory.
LONGEST_LINE = 100_000_000
# How messages name the file of a path.
_NAMING: ContextVar[Callable[[str], str]] = ContextVar("_NAMING", default=str)


def read_lines(path: str, encoding: str = "utf-8") -> Iterator[str]:
    r"""Yield the lines of a file or of standard input, which is open meanwhile.

    A line ends at `\n` only: a text may contain a lone `\r`, U+0085 or U+2028. One `\r` before `\n` belongs to the end
    of the line. A byte order mark at the start is dropped; that of UTF-16 overrides the encoding. Gzipped data are
    recognized by their first two bytes, which UTF-8 never begins with, so that they may also come from a pipe.

    Raises:
        FileError: for a file that cannot be read, bytes that are no text, a NUL, a line without an end, and a single
            line with `\r` within it.
    """
    name, number, line = name_of(path), 0, ""
    try:
        with open(0 if path == STANDARD_INPUT else path, "rb", closefd=path != STANDARD_INPUT) as file:
            stream: Any = gzip.GzipFile(fileobj=file) if file.peek(2).startswith(GZIP_MAGIC) else file
            head = stream.peek(_LONGEST_HEAD)[:_LONGEST_HEAD]
            _refuse_kinds(name, head, _NO_TEXTS)
            if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                encoding = "utf-16"
            texts = io.TextIOWrapper(stream, "utf-8-sig" if encoding == "utf-8" else encoding, newline="\n")
            for number, line in enumerate(iter(partial(texts.readline, LONGEST_LINE), ""), 1):
                if len(line) == LONGEST_LINE:
                    raise FileError(fault(f"{name}:{number}", f"a line of {LONGEST_LINE:,} characters", "shorter ones"))
                if "\0" in line:
                    raise FileError(
                        fault(f"{name}:{number}", r"the character \0", "text: is its encoding utf-16le or utf-16be?")
                    )
                yield line.removesuffix("\n").removesuffix("\r")
            if number == 1 and "\r" in line.rstrip("\r\n"):
                raise FileError(fault(f"{name}:1", r"\r alone between lines", r"\n: tr '\r' '\n' <FILE >NEW"))
    except UnicodeError as error:
        data, end = (error.object, error.start) if isinstance(error, UnicodeDecodeError) else (b"", 0)
        place = f"{name}:{number + data[:end].count(10) + 1}"
        is_binary = encoding == "utf-8" and re.search(rb"[\0-\x08\x0e-\x1a]", data)  # bytes that stand in no text
        got = "binary data" if is_binary else reason(error)
        message = fault(place, got, f"{encoding.upper()} text: save it as UTF-8")
        raise (FileError(message) if is_binary else OptionError(message, "encoding", _likely_encoding(data))) from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{name}: {reason(error)}, expected a file to read") from None


def _likely_encoding(data: bytes) -> str:
    r"""Return the encoding that bytes may have: of western texts, in which letters beyond ASCII mostly stand alone.

    >>> _likely_encoding("déjà".encode("latin-1")), _likely_encoding("это".encode("cp1251"))
    ('cp1252', 'NAME')
    """
    runs = re.findall(rb"[\x80-\xff]+", data)
    return "cp1252" if sum(len(run) == 1 for run in runs) * 2 > len(runs) else "NAME"


def refuse_stand_in(path: str) -> None:
    """Refuse a file that stands for another one: a pointer of Git LFS, a page of HTML, or the error of a server."""
    with open(path, "rb") as file:
        _refuse_kinds(name_of(path), file.read(_LONGEST_HEAD), _STAND_INS)


def _refuse_kinds(name: str, head: bytes, kinds: Mapping[bytes, tuple[str, str]]) -> None:
    for pattern, (kind, wanted) in kinds.items():
        if re.match(pattern, head):
            raise FileError(fault(name, kind, wanted))


def name_of(path: str) -> str:
    """Return the name of a file in messages, without the middle of a long one."""
    return "<stdin>" if path == STANDARD_INPUT else truncate(_NAMING.get()(path), LONGEST_NAME) or repr(path)


@contextmanager
def naming(name: Callable[[str], str]) -> Iterator[None]:
    """Let messages name files by a function of their paths, for those who do not know the folders."""
    before = _NAMING.set(name)
    try:
        yield
    finally:
        _NAMING.reset(before)


def stem(path: str) -> str:
    """Return the name of a file without its folder, `.gz`, and the ending of a text file or table.

    >>> stem("systems/muss.txt.gz"), stem("T5.XLSX"), stem("v1.5")
    ('muss', 'T5', 'v1.5')
    """
    file = _without_gz(path)
    is_known = file.suffix.lower() in (".txt", *TABLE_ENDINGS)
    return "stdin" if path == STANDARD_INPUT else file.stem if is_known else file.name


def _without_gz(path: str) -> Path:
    file = Path(path)
    return file.with_suffix("") if file.suffix.lower() == ".gz" else file


def read_parallel(
    paths: Sequence[str], encoding: str = "utf-8", *, like: tuple[str, Sequence[str]] | None = None
) -> list[list[str]]:
    """Return the lines of files that have the same number of lines.

    Args:
        paths: of the files.
        encoding: of all files, in lower case.
        like: the name and the lines of what has this number; None for the first file of those that are as long as most.

    Raises:
        FileError: for a file that cannot be read, for another number of lines, and for none.
    """
    columns = {path: list(read_lines(path, encoding)) for path in paths}
    for path, lines in columns.items():
        if not lines:
            raise FileError(f"{name_of(path)}: no lines, expected at least one")
    if like is None:
        ((number, _),) = Counter(len(columns[path]) for path in paths).most_common(1)
        like = next((name_of(path), columns[path]) for path in paths if len(columns[path]) == number)
    model, others = truncate(like[0], _LONGEST_MODEL), like[1]
    for path, lines in columns.items():
        if len(lines) != len(others):
            is_table = _without_gz(path).suffix.lower() in TABLE_ENDINGS
            why = "it seems a table: give it as the table" if is_table else _parting(lines, others, model)
            counts = f"number of lines: got {len(lines)}, expected {len(others)} as in {model}"
            raise FileError(short_line(f"{name_of(path)}: {counts}; {why}"))
    return [columns[path] for path in paths]


def _parting(lines: Sequence[str], others: Sequence[str], model: str) -> str:
    """Return which lines of a file, or of its model, seem to be too many."""
    longer, shorter, of = (lines, others, "") if len(lines) > len(others) else (others, lines, f" of {model}")
    number = len(longer) - len(shorter)
    which, are = (f" {number}", "are") if number > 1 else ("", "is")
    empty = [place for place, line in enumerate(longer, 1) if not line.strip()]
    if not any(map(str.strip, longer[-number:])):
        return f"the last{which}{of} {are} empty"
    if len(empty) == number <= _FEW and all(map(str.strip, shorter)):
        return f"line{'s' * (number > 1)} {join_names(map(str, empty), 'and')}{of} {are} empty"
    place = _last_fitting(shorter, longer)
    if number == 1 and not place and _looks_like_heading(longer) and not _looks_like_heading(shorter):
        return f"the first{of} looks like a heading"
    if place is None:
        return "texts of several lines belong in a table"
    if place in (0, len(shorter)):
        missing = "are missing" if of and number > 1 else "is missing" if of else f"{are} too many"
        return f"the {'last' if place else 'first'}{which}{of} {missing}"
    return f"it fits {model} up to line {place}"


def _looks_like_heading(lines: Sequence[str]) -> bool:
    """Return whether the first line is the name of a column, or a word where the second line is none."""
    first, second = [*lines, ""][:2]
    return any(is_heading(first, role) for role in ROLES) or first.isidentifier() > second.isidentifier()


def _last_fitting(shorter: Sequence[str], longer: Sequence[str]) -> int | None:
    """Return the number of lines at the start that share words; those after them share words with later lines.

    None where no such place is clear.
    """
    words, of_longer = ([set(line.lower().split()) for line in lines] for lines in (shorter, longer))
    same = list(map(_shared, words, of_longer))
    later = list(map(_shared, words, of_longer[len(longer) - len(shorter) :]))
    gains = [0.0, *accumulate(one - max(other, _UNRELATED) for one, other in zip(same, later, strict=True))]
    place = gains.index(max(gains))
    is_clear = sum(same[:place]) >= 2 * sum(later[:place]) and sum(later[place:]) >= 2 * sum(same[place:])
    return place if is_clear and sum(same[:place]) + sum(later[place:]) > _UNRELATED * len(shorter) else None


def _shared(one: set[str], other: set[str]) -> float:
    """Return the share of words that two lines have in common."""
    return len(one & other) / max(len(one | other), 1)


def read_texts(
    sources: str,
    outputs: Mapping[str, str],
    references: Sequence[str],
    *,
    encoding: str = "utf-8",
    tab_separated: bool = False,
) -> SystemColumns:
    """Read files of one text per line.

    Args:
        sources, references: the files.
        outputs: a file for each system, by its name.
        encoding: of all files, in lower case.
        tab_separated: whether a line of references has several, separated by tabs.

    Raises:
        FileError: as `read_parallel` does, and where all files begin with the name of a column.
    """
    paths = [sources, *outputs.values(), *references]
    texts, *others = read_parallel(paths, encoding)
    lines = zip(*others[len(outputs) :], strict=True)
    people = ["\t".join(row).split("\t") if tab_separated else list(row) for row in lines]
    named = zip(outputs, others, strict=False)
    headings = [
        is_heading(texts[0], "source"),
        *(is_heading(lines[0], "prediction") or lines[0].strip() == system for system, lines in named),
        *(is_heading(text, "references") for text in people[0]),
    ]
    if all(headings):
        got = f"the heading {short_repr(texts[0])}"
        raise FileError(fault(f"{name_of(sources)}:1", got, "a text: remove the first line of each file"))
    return SystemColumns(texts, dict(zip(outputs, others, strict=False)), people)
