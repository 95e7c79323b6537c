"""What visitors leave behind: empty folders go, whatever is in use or new stays; memory comes back."""

import os
import sys
import time

import numpy as np
import psutil
import pytest

from sari.web import cleaning


def test_old_empty_folders_go(tmp_path):
    old = time.time() - 100
    for name in ("empty/inside", "full", "new"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "full" / "file").write_text("a")
    for name in ("empty/inside", "empty", "full/file", "full"):
        os.utime(tmp_path / name, (old, old))
    cleaning.sweep(tmp_path, 50)
    assert {path.name for path in tmp_path.rglob("*")} == {"empty", "full", "file", "new"}  # what it was in is new now
    cleaning.sweep(tmp_path, -1)
    assert {path.name for path in tmp_path.rglob("*")} == {"full", "file"}
    cleaning.sweep(tmp_path / "gone", 50)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone can be asked for its memory")
def test_memory_comes_back():
    process = psutil.Process()
    blocks = [np.ones(12_000) for _ in range(2_000)]  # each too small to be given back by itself
    kept = blocks[::50]
    held = process.memory_info().rss
    del blocks
    cleaning.release_memory()
    assert process.memory_info().rss < held - 100_000_000
    assert len(kept) == 40
