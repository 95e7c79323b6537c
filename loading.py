"""The metric without `evaluate`: the one place where the command line and the app get it from."""

import functools


@functools.cache
def load_metric():
    """Return what scores."""
    from sari.scoring import Scorer

    return Scorer()
