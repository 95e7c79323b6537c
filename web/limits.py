"""What the page takes, and how it refuses the rest: in one friendly line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Tokenizers that need neither further packages nor downloads.
TOKENIZERS = ("13a", "intl", "none", "char", "zh")

MAX_CHARACTERS = 10_000
MAX_SEGMENTS = 5_000
MAX_MEGABYTES = 10
MAX_SYSTEMS = 20

_ELSEWHERE = "The command line, score.py, has no limit."


class RefusedError(Exception):
    """Input that is not answered, said in one friendly line."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what the metric refuses into refusals."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise RefusedError(str(error)) from error


def check_options(
    variant: str = "hf", tokenize: str | None = None, lowercase: bool | None = None, **_others: Any
) -> None:
    """Refuse options of a wrong kind, and tokenizers that would have the server fetch something."""
    for name, value, kinds in (
        ("variant", variant, str),
        ("tokenize", tokenize, str | None),
        ("lowercase", lowercase, bool | None),
    ):
        if not isinstance(value, kinds):
            wanted = "text" if kinds is str else "text or nothing" if name == "tokenize" else "true, false or nothing"
            raise RefusedError(f"{name}: got {type(value).__name__}, wanted {wanted}")
    if tokenize is not None and tokenize not in TOKENIZERS:
        raise RefusedError(f"tokenize: got {tokenize!r}, wanted one of {', '.join(TOKENIZERS)} on this page")


def check_characters(number: int) -> None:
    """Refuse a segment of too many characters."""
    if number > MAX_CHARACTERS:
        raise RefusedError(f"That is {number:,} characters; this page takes {MAX_CHARACTERS:,} at a time. {_ELSEWHERE}")


def check_segments(number: int) -> None:
    """Refuse a corpus of too many segments."""
    if number > MAX_SEGMENTS:
        raise RefusedError(f"That is {number:,} segments; this page takes {MAX_SEGMENTS:,} at a time. {_ELSEWHERE}")


def check_systems(number: int) -> None:
    """Refuse too many systems."""
    if number > MAX_SYSTEMS:
        raise RefusedError(f"That is {number} systems; this page takes {MAX_SYSTEMS} at a time. {_ELSEWHERE}")


def check_bytes(number: int) -> None:
    """Refuse texts or files that are too large together."""
    if number > MAX_MEGABYTES * 1_000_000:
        raise RefusedError(f"That is {number / 1e6:.1f} MB; this page takes {MAX_MEGABYTES} MB at a time. {_ELSEWHERE}")
