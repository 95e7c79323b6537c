"""Progress bars: on a terminal, where the work takes long."""

import io
import itertools

import pytest

from sari.command_line.progress_bar import step_bar


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "quiet", "seconds", "is_shown"),
    [
        (Terminal(), False, 3, True),
        (Terminal(), False, 0.1, False),
        (Terminal(), True, 3, False),
        (io.StringIO(), False, 3, False),
    ],
)
def test_bars_on_a_terminal(monkeypatch, stream, quiet, seconds, is_shown):
    """A step takes so many seconds."""
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("tqdm.std.time", itertools.count(step=seconds).__next__)
    with step_bar("Scoring", 2, quiet=quiet) as begin:
        begin("easse")
        begin("set")
        shown = stream.getvalue()
    assert ("Scoring" in shown and "2/2" in shown and "set" in shown) == is_shown
    assert stream.getvalue().endswith("\r") == is_shown  # the line is left empty


def test_no_bar_where_standard_error_is_closed(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    with step_bar("Scoring", 1, quiet=False) as begin:
        begin("easse")
