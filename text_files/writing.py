"""Write files whole."""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from sari.text_files.errors import FileError, reason

STANDARD_OUTPUT = "-"


def check_writable(path: str, inputs: Iterable[str]) -> None:
    """Raise FileError for a path that `write_lines` could not write, or that is one of the inputs."""
    target = Path(os.path.realpath(path))
    written = [target] if _is_stream(path) else [target, target.parent]
    if target.is_dir():
        raise FileError(f"{path}: {os.strerror(errno.EISDIR)}, expected a file to write")
    if not written[-1].exists():
        raise FileError(f"{path}: No such folder, expected a file to write")
    if not all(os.access(each, os.W_OK) for each in written if each.exists()):
        raise FileError(f"{path}: {os.strerror(errno.EACCES)}, expected a file to write")
    if target.is_file() and any(os.path.exists(other) and target.samefile(other) for other in inputs):
        raise FileError(f"{path}: is an input, expected another file to write")


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write the lines of a file; if there is an error, the old file stays.

    A temporary file in the same folder is written and renamed. Devices and pipes are written directly.

    Raises:
        FileError: for a file that cannot be written.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    target = written = Path(path)
    if not _is_stream(path):
        target = Path(os.path.realpath(path))  # so that a link stays a link
        written = target.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        with open(written, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in lines)
        if written != target:
            if target.exists():
                shutil.copymode(target, written)
            written.replace(target)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}, expected a file to write") from None
    finally:
        if written != target:
            written.unlink(missing_ok=True)


def _is_stream(path: str) -> bool:
    """Return whether a path is, or links to, a device, a pipe or an open file, not a regular file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) or path.startswith(("/dev/fd/", "/dev/std", "/proc/"))
