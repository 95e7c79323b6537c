"""The folder of visitors' files, uploaded and for download: of this process alone, swept by age, removed at its end."""

import asyncio
import atexit
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

#: Seconds for which a file is kept, and between sweeps.
MOST_AGE, SWEPT_EVERY = 3600, 600
#: Megabytes and number of the files of all visitors together.
MAX_UPLOADED, MAX_FILES = 1_000, 5_000
#: What visitors read where there is no room.
NO_ROOM = "The server takes no more files at the moment: please try later."


@cache
def folder() -> Path:
    """Make the folder, which only the user of this process can read, where GRADIO_TEMP_DIR says; Gradio then uses it.

    Raises:
        OSError: where none can be made.
    """
    parent = os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir()
    Path(parent).mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="sari-app-", dir=parent)).resolve()
    os.environ["GRADIO_TEMP_DIR"] = str(made)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def has_room(place: Path) -> bool:
    """Return whether a folder takes more files."""
    size = number = 0
    for directory, _, names in os.walk(place):
        number += len(names)
        for name in names:
            with suppress(OSError):  # deleted meanwhile
                size += os.stat(os.path.join(directory, name)).st_size
    return size <= MAX_UPLOADED * 1_000_000 and number < MAX_FILES


def sweep(place: Path, *, before: float) -> None:
    """Delete the files in a folder, whoever made them, that were last written before a time, and folders left empty."""
    for directory, _, names in os.walk(place, topdown=False):
        for path in (*(Path(directory, name) for name in names), Path(directory)):
            with suppress(OSError):  # in use, deleted meanwhile, or a folder with files
                if path.stat().st_mtime < before and path != place:
                    path.rmdir() if path.is_dir() else path.unlink()


@asynccontextmanager
async def swept(_app: Any) -> AsyncIterator[None]:
    """Sweep the folder while a server runs."""

    async def go_on() -> None:
        while True:
            await asyncio.sleep(SWEPT_EVERY)
            await asyncio.to_thread(sweep, folder(), before=time.time() - MOST_AGE)

    task = asyncio.create_task(go_on())
    try:
        yield
    finally:
        task.cancel()
