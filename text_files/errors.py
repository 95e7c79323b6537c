"""Faults of files."""

from sari.messages import RefusedError


class FileError(RefusedError):
    """A fault of a file, in one line: the file, the line, what is there and what was expected."""


class OptionError(FileError):
    """A fault of a file that an option mends.

    Attributes:
        option: its name in Python.
        value: what to give it.
    """

    def __init__(self, message: str, option: str, value: str):
        super().__init__(message)
        self.option: str = option
        self.value: str = value


def reason(error: Exception) -> str:
    """Return the message of the operating system or the decoder, or the name of an error without a message."""
    return getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error) or type(error).__name__
