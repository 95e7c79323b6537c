"""Shared fixtures: the metric as users load it, and the paths of the test data."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# Before anything imports evaluate: nothing touches the network or the user's own caches.
if "SARI_TESTS_HOME" not in os.environ:  # processes that the tests start share the folder
    os.environ["SARI_TESTS_HOME"] = tempfile.mkdtemp(prefix="sari-tests-")
    atexit.register(shutil.rmtree, os.environ["SARI_TESTS_HOME"], ignore_errors=True)
os.environ["HF_HOME"] = os.environ["SARI_TESTS_HOME"]
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_EVALUATE_OFFLINE"] = "1"

import evaluate
import pytest

from as_package import make_importable

make_importable()

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def sari():
    """Return the metric, loaded through the front door."""
    return evaluate.load(str(ROOT / "sari.py"))
