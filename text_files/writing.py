"""Write files atomically."""

import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sari.text_files.errors import FileError, reason

# Temporary files that are being written.
_unfinished: set[Path] = set()


def check_writable(path: str, inputs: Iterable[str]) -> None:
    """Raise FileError for a path that `write_whole` could not write, or that is one of the inputs."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"{path}: Is a directory, expected a file to write")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise FileError(f"{path}: Permission denied, expected a file to write")
    if _is_stream(path):
        return
    if not target.parent.is_dir():
        raise FileError(f"{path}: No such folder, expected a file to write")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FileError(f"{path}: Permission denied, expected a file to write")
    for other in inputs:
        if target.exists() and os.path.exists(other) and target.samefile(other):
            raise FileError(f"{path}: is an input, expected another file to write")


def write_whole(files: Mapping[str, Iterable[str]]) -> None:
    """Write all files, or none if there is an error; then the old files stay.

    Each file is written as a temporary file in the same folder, and renamed at the end. Devices and pipes are written
    directly, before the others.

    Args:
        files: the lines of each file, by path.

    Raises:
        FileError: for a file that cannot be written.
    """
    written: dict[Path, Path] = {}
    try:
        for path in sorted(files, key=_is_stream, reverse=True):
            try:
                if _is_stream(path):
                    _write(path, "w", files[path])
                    continue
                target = Path(os.path.realpath(path))  # so that a link stays a link
                temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
                written[temporary] = target
                _unfinished.add(temporary)
                _write(temporary, "x", files[path])
                if target.exists():
                    shutil.copymode(target, temporary)
            except OSError as error:
                raise FileError(f"{path}: {reason(error)}, expected a file to write") from None
        for temporary, target in written.items():
            os.replace(temporary, target)
    finally:
        remove_unfinished()


def remove_unfinished() -> None:
    """Remove the temporary files, also when a signal ends the program."""
    for temporary in tuple(_unfinished):
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _unfinished.discard(temporary)


def _is_stream(path: str) -> bool:
    """Return whether a path is, or links to, a device, a pipe or an open file, not a regular file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) or path.startswith(("/dev/fd/", "/dev/std", "/proc/"))


def _write(path: str | Path, mode: str, lines: Iterable[str]) -> None:
    with open(path, mode, encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)
