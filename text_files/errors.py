"""Faults of files."""

from sari.messages import RefusedError


class FileError(RefusedError):
    """A fault of a file, in one line: the file, the line, what is there and what was expected."""


class ColumnError(FileError):
    """A fault of a table in which columns have to be named.

    Attributes:
        names: the columns that are missing, with their roles, as `column_names.named_columns` reads them.
    """

    def __init__(self, message: str, names: str):
        super().__init__(message)
        self.names = names


def reason(error: Exception) -> str:
    """Return the message of the operating system or the decoder, or the name of an error without a message."""
    return getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error) or type(error).__name__
