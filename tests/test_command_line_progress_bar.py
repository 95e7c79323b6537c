"""Progress bars: on a terminal, where the work takes long."""

import io
import itertools

import pytest

from sari.command_line.progress_bar import step_bar


@pytest.mark.parametrize(
    ("is_terminal", "quiet", "seconds", "is_shown"),
    [(True, False, 3, True), (True, False, 0.1, False), (True, True, 3, False), (False, False, 3, False)],
)
def test_bars_of_steps_that_take_so_many_seconds(monkeypatch, is_terminal, quiet, seconds, is_shown):
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("tqdm.std.time", itertools.count(step=seconds).__next__)
    with step_bar("Scoring", 2, quiet=quiet) as begin:
        begin("easse")
        begin("set")
        shown = stream.getvalue()
    assert ("Scoring" in shown and "2/2" in shown and "set" in shown) == is_shown
    assert stream.getvalue().endswith("\r") == is_shown  # the line is left empty
    monkeypatch.setattr("sys.stderr", None)
    with step_bar("Scoring", 1, quiet=False) as begin:
        begin("easse")
