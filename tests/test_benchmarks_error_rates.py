"""Error rates of tests on made-up corpora: the same arguments always give the same table."""

import sys

from sari.benchmarks import error_rates


def test_error_rates(monkeypatch, capsys):
    arguments = ["", "--trials", "30", "--segments", "5", "20", "--resamples", "39"]
    monkeypatch.setattr(sys, "argv", arguments)
    error_rates.main()
    *_, short, long = capsys.readouterr().out.splitlines()
    assert short.split() == ["5", "0.0%", "10.0%", "3.3%", "30.0%", "83.3%"]
    assert long.split() == ["20", "6.7%", "10.0%", "10.0%", "6.7%", "93.3%"]
