"""Write files whole."""

import errno
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
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
    if _is_planted(path):
        raise FileError(f"{path}: a link of somebody else in a shared folder, expected a file to write")
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
        mode = "w" if written == target else "x"
        with open(written, mode, encoding="utf-8", newline="\n", opener=partial(os.open, mode=0o600)) as file:
            file.writelines(line + "\n" for line in lines)
        if written != target:
            _set_mode(written, target)
            written.replace(target)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}, expected a file to write") from None
    finally:
        if written != target:
            written.unlink(missing_ok=True)


def _set_mode(written: Path, target: Path) -> None:
    """Give a file the mode and the owner of the one that it replaces, or what the user gives to new files."""
    if target.exists():
        old = target.stat()
        if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (written.stat().st_uid, written.stat().st_gid):
            with suppress(PermissionError):  # only root can give files away
                os.chown(written, old.st_uid, old.st_gid)
        written.chmod(stat.S_IMODE(old.st_mode))
    else:
        mask = os.umask(0)
        os.umask(mask)
        written.chmod(0o666 & ~mask)


def _is_planted(path: str) -> bool:
    """Return whether a path is somebody's link in a folder such as /tmp, which Linux does not follow either."""
    folder = os.stat(os.path.dirname(path) or ".")
    is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    return bool(is_shared) and os.path.islink(path) and os.lstat(path).st_uid not in (os.geteuid(), folder.st_uid)


def _is_stream(path: str) -> bool:
    """Return whether a path is, or links to, a device, a pipe or an open file, not a regular file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) or path.startswith(("/dev/fd/", "/dev/std", "/proc/"))
