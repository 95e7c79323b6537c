"""The program that compares hostile texts with the oracle: it finds every difference, says it, and repeats it."""

import random
import re

import pytest

from sari.benchmarks import fuzz
from sari.benchmarks.made_up_corpora import hostile
from sari.benchmarks.scoring_paths import PATHS


def off_by_a_bit(numbers):
    """Return nested numbers with the last one changed."""
    key = list(numbers)[-1] if isinstance(numbers, dict) else -1
    inner, changed = numbers[key], numbers.copy()
    changed[key] = off_by_a_bit(inner) if isinstance(inner, dict | list) else inner + 2e-9
    return changed


def test_a_difference_is_shown_and_can_be_repeated(monkeypatch, capsys):
    def wrong_where_an_output_is_empty(corpus, ours, **options):
        return off_by_a_bit(ours(corpus, **options)) if "" in corpus.predictions else ours(corpus, **options)

    for name, path in PATHS.items():
        wrong = lambda corpus, ours=path.ours, **options: wrong_where_an_output_is_empty(corpus, ours, **options)  # noqa: E731
        monkeypatch.setitem(PATHS, name, path._replace(ours=wrong))
    assert fuzz.main(["--segments", "300"]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert re.match(r"[1-9]\d* corpora differ, of ", last)
    assert re.match(r"seed \d+: 1 of \d+ numbers, first ", lines[0])
    assert lines[3] == "  predictions: ''"  # of the first segment that differs alone
    assert fuzz.main(lines[5].partition("fuzz.py ")[2].split()) == 1
    assert capsys.readouterr().out.splitlines()[:-1] == lines[:6]


@pytest.fixture(scope="module")
def seeds():
    """Return a seed for each path."""
    return {fuzz.check(seed, ["easse"]).path: seed for seed in range(80)}


@pytest.mark.parametrize("name", PATHS)
def test_wrong_numbers_and_errors_of_every_path_are_found(monkeypatch, seeds, name):
    path, seed = PATHS[name], seeds[name]
    assert not fuzz.check(seed, ["easse"]).difference
    monkeypatch.setitem(
        PATHS, name, path._replace(ours=lambda *args, **kwargs: off_by_a_bit(path.ours(*args, **kwargs)))
    )
    assert re.match(r"1 of \d+ numbers, first ", fuzz.check(seed, ["easse"]).difference)
    monkeypatch.setitem(PATHS, name, path._replace(ours=lambda *_, **__: 1 / 0))
    assert fuzz.check(seed, ["easse"]).difference.startswith("the metric raised ZeroDivisionError: ")


def test_texts_are_hostile():
    corpora = [hostile(random.Random(seed)) for seed in range(600)]
    texts = [text for one in corpora for column in one[:2] for text in column]
    assert hostile(random.Random(1)) == hostile(random.Random(1)) != hostile(random.Random(2))
    assert {len(row) for one in corpora for row in one.references} >= {1, 2, 3, 4, 12}
    written = "".join(texts)
    assert "" in texts
    assert "&amp;" in written
    assert {"\t", "\u3000", "\x85", "\0", "İ", "Σ", "\u200d"} <= set(written)
    assert re.search("[\U0001f300-\U0001faff]", written)
