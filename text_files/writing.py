"""Write files whole."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from sari.text_files.errors import FileError, reason
from sari.text_files.reading import name_of

STANDARD_OUTPUT = "-"


def check_writable(path: str, inputs: Iterable[str]) -> None:
    """Raise FileError for a path that cannot be written or replaced, is no regular file, or is one of the inputs.

    The file itself is not touched, since another process may write it meanwhile.
    """
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            raise FileError(f"{name_of(path)}: no regular file, expected a file to write")
        temporary = _temporary(target)
        try:
            temporary.touch()
        finally:
            temporary.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            target.stat()  # which also finds a name that is too long
            if not os.access(target, os.W_OK):
                raise FileError(f"{name_of(path)}: Permission denied, expected a file to write")
    except OSError as error:
        raise _not_writable(path, error) from None
    if target.exists() and any(os.path.exists(other) and os.path.samefile(target, other) for other in inputs):
        raise FileError(f"{name_of(path)}: is an input, expected another file to write")


def write_files(files: Mapping[str, Iterable[str]], announce: Callable[[str], object] = lambda _: None) -> None:
    """Write files of lines; where one cannot be written, all old files stay.

    All lines are written to temporary files in the same folders first, so that the files are of one run. These are
    renamed then, and have the modes and owners of the old files where the file system allows it. An old file that
    cannot be renamed over, such as one that is mounted into a container, is overwritten.

    Args:
        files: the lines of each file, by its path.
        announce: is called with a line about each file that was written.

    Raises:
        FileError: for a file that cannot be written. Those before it may be written, as announced.
    """
    targets = {path: _target(path) for path in files}
    temporaries = {path: _temporary(target) for path, target in targets.items()}
    path = ""
    try:
        for path, lines in files.items():
            _write_new(temporaries[path], targets[path], lines)
        for path, target in targets.items():
            announce(f"{path}: {_replace(target, temporaries[path])}")
    except OSError as error:
        raise _not_writable(path, error) from None
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def _write_new(temporary: Path, target: Path, lines: Iterable[str]) -> None:
    """Write a new file to take the place of a target, down to the disk: after a power cut it is not empty."""
    old = target.stat() if target.exists() else None
    opener = partial(os.open, mode=0o666 if old is None else 0o600)  # less what the user's mask takes away
    with open(temporary, "x", encoding="utf-8", newline="\n", opener=opener) as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    if old is not None:
        with suppress(OSError, AttributeError):  # only root can give files away; Windows has no owners
            os.chown(temporary, old.st_uid, old.st_gid)
        with suppress(OSError):
            shutil.copymode(target, temporary)


def _replace(target: Path, temporary: Path) -> str:
    """Give a temporary file the name of its target, or its contents to the target, and say which in words."""
    try:
        temporary.replace(target)
    except OSError as error:
        if not target.exists():
            raise
        old = target.read_bytes()
        try:
            _overwrite(target, temporary.read_bytes())
        except BaseException:
            _overwrite(target, old)
            raise
        return f"overwritten, not replaced ({reason(error)}): written"
    return "written"


def _overwrite(target: Path, data: bytes) -> None:
    with open(target, "r+b") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _target(path: str) -> Path:
    """Return the file that is written, so that a link stays a link."""
    return Path(os.path.realpath(path))


def _temporary(target: Path) -> Path:
    """Return the name of a new file in the folder of a file."""
    return target.with_name(f".{os.urandom(8).hex()}.tmp")


def _not_writable(path: str, error: OSError) -> FileError:
    return FileError(f"{name_of(path)}: {reason(error)}, expected a file to write")
