"""What takes more time than its texts grow: crafted data, in a small run."""

import sys

import pytest

from sari.benchmarks import growth


@pytest.mark.parametrize("subject", ["crafted"])
def test_nothing_takes_more_time_than_it_grows(monkeypatch, capsys, subject):
    monkeypatch.setattr(sys, "argv", ["", "--only", subject, "--words", "1500"])
    assert growth.main() == 0, capsys.readouterr().out
