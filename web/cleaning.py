"""What visitors leave behind: folders whose files are gone, and memory of large answers."""

import asyncio
import ctypes
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from gradio.utils import get_upload_folder

#: Seconds between two sweeps, and the age of what is swept.
_EVERY, _AGE = 600, 3600


def sweep(folder: Path, age: float) -> None:
    """Delete empty folders that nothing was put into for `age` seconds; Gradio deletes the files, and leaves them."""
    old = time.time() - age
    for path in sorted(folder.rglob("*"), reverse=True):  # what is inside comes before what it is in
        with suppress(OSError):  # it is not empty, or somebody else deleted it
            if path.is_dir() and path.lstat().st_mtime < old:
                path.rmdir()


@asynccontextmanager
async def swept(_app: object) -> AsyncIterator[None]:
    """Sweep the folder of uploads and downloads as long as the server runs."""

    async def sweep_regularly() -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await asyncio.to_thread(sweep, Path(get_upload_folder()), _AGE)

    task = asyncio.create_task(sweep_regularly())
    try:
        yield
    finally:
        task.cancel()


def release_memory() -> None:
    """Give memory back to the system, which glibc's malloc keeps otherwise (see malloc_trim(3))."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
