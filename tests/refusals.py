"""Errors of one line."""

import re
from contextlib import contextmanager

import pytest


@contextmanager
def refuses(kind, message):
    """Expect an error of this kind with exactly this message, which fits a line."""
    assert len(message) <= 200
    assert "\n" not in message
    with pytest.raises(kind, match=rf"\A{re.escape(message)}\Z") as error:
        yield error
