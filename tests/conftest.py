"""Shared fixtures: the metric as users load it, and the paths of the test data."""

import os
import tempfile
from pathlib import Path

# Before anything imports evaluate: nothing touches the network or the user's own caches.
os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="sari-tests-")
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_EVALUATE_OFFLINE"] = "1"

import evaluate
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def sari():
    """Return the metric, loaded through the front door."""
    return evaluate.load(str(ROOT / "sari.py"))
