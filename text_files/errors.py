"""Faults of files."""

from collections.abc import Iterator
from contextlib import contextmanager


class FileError(Exception):
    """A fault of a file, in one line: the file, the line, what is there and what was expected."""


def reason(error: Exception) -> str:
    """Return the message of the operating system or the decoder."""
    return getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)


@contextmanager
def faults_in(name: str) -> Iterator[None]:
    """Turn errors about checked values into errors that begin with the name of the file they came from."""
    try:
        yield
    except ValueError as error:
        raise FileError(f"{name}: {error}") from None
