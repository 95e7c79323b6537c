"""Write files whole."""

import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from sari.text_files.errors import FileError, reason
from sari.text_files.reading import name_of

STANDARD_OUTPUT = "-"


def check_writable(path: str, inputs: Iterable[str]) -> None:
    """Raise FileError for a path that cannot be written or replaced, is no regular file, or is one of the inputs."""
    try:
        is_new = not os.path.exists(path)
        if not is_new and not os.path.isfile(path):
            raise FileError(f"{name_of(path)}: no regular file, expected a file to write")
        open(path, "ab").close()
        if is_new:
            os.remove(os.path.realpath(path))
        temporary = _temporary(Path(path))
        temporary.touch()
        temporary.unlink()
    except OSError as error:
        raise FileError(f"{name_of(path)}: {reason(error)}, expected a file to write") from None
    if not is_new and any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        raise FileError(f"{name_of(path)}: is an input, expected another file to write")


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write the lines of a file; if there is an error, the old file stays.

    A temporary file in the same folder is written and renamed. It gets the mode and the owner of the old file.

    Raises:
        FileError: for a file that cannot be written.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    target = Path(os.path.realpath(path))  # so that a link stays a link
    written = _temporary(target)
    try:
        old = target.stat() if target.exists() else None
        opener = partial(os.open, mode=0o666 if old is None else 0o600)  # less what the user's mask takes away
        with open(written, "x", encoding="utf-8", newline="\n", opener=opener) as file:
            file.writelines(f"{line}\n" for line in lines)
        if old is not None:
            with suppress(PermissionError, AttributeError):  # only root can give files away; Windows has no owners
                os.chown(written, old.st_uid, old.st_gid)
            shutil.copymode(target, written)
        written.replace(target)
    except OSError as error:
        raise FileError(f"{name_of(path)}: {reason(error)}, expected a file to write") from None
    finally:
        written.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    """Return the name of a new file in the folder of a file, or of the one that a link names."""
    return Path(os.path.realpath(path)).with_name(f".{os.urandom(8).hex()}.tmp")
