"""The way from one variant to another: it starts and ends where it should, and every step is one choice."""

import itertools
import json
from pathlib import Path

import pytest

from sari.variants import VARIANTS

SCORES = ("sari", "keep", "delete", "add")
ROWS = [json.loads(line) for line in (Path(__file__).parent / "data" / "corpora.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def corpus():
    """Return segments in one corpus, hard cases among them."""
    columns = ("sources", "predictions", "references")
    return {name: [text for row in ROWS[:6] for text in row[name]] for name in columns}


@pytest.mark.parametrize(("first", "last"), list(itertools.permutations(VARIANTS, 2)))
def test_every_way_starts_and_ends_at_the_scores_of_compute(sari, corpus, first, last):
    found = sari.explain_difference(**corpus, variant_a=first, variant_b=last)
    steps = found["steps"]
    ends = {"a": (first, steps[0]), "b": (last, steps[-1])}
    for end, (variant, step) in ends.items():
        scores = sari.compute(**corpus, variant=variant, details=True)
        assert {name: step[name] for name in SCORES} == {name: scores[name] for name in SCORES}
        assert found[f"variant_{end}"] == variant
        assert found[f"signature_{end}"] == scores["signature"]
    assert steps[0]["choice"] is steps[0]["before"] is steps[0]["after"] is steps[0]["change"] is None
    choices = [step["choice"] for step in steps[1:]]
    known = ["text", "zero division", "counting", "level", "deletion", "addition", "averaging"]
    known.insert(len(known) if last == "dsari" else 0, "penalties")
    assert choices == [choice for choice in known if choice in choices]
    for before, step in itertools.pairwise(steps):
        assert step["before"] != step["after"]
        assert step["change"] == step["sari"] - before["sari"]
    assert json.loads(json.dumps(found)) == found


def test_steps_between_are_options_that_compute_has(sari, corpus):
    steps = sari.explain_difference(**corpus)["steps"]
    assert [step["choice"] for step in steps] == [None, "text", "zero division", "counting", "level", "deletion"]
    same = {
        "counting": {"variant": "easse", "level": "sentence", "deletion": "precision"},
        "level": {"variant": "easse", "deletion": "precision"},
        "deletion": {"variant": "easse"},
    }
    for step in steps:
        if step["choice"] in same:
            scores = sari.compute(**corpus, **same[step["choice"]])
            assert {name: step[name] for name in SCORES} == scores


def test_zero_division_step(sari):
    """Without empty texts the first step of hf to easse changes nothing, and the second is an option of hf."""
    columns = {"sources": ["a b c", "d e"], "predictions": ["a b c", "d f"], "references": [["a"], ["d e f"]]}
    start, text, zero, *_ = sari.explain_difference(**columns)["steps"]
    assert text["change"] == 0.0
    assert {name: zero[name] for name in SCORES} == sari.compute(**columns, zero_division=0)
    assert start["sari"] == sari.compute(**columns)["sari"]


def test_from_a_variant_to_itself_is_no_step(sari, corpus):
    (start,) = sari.explain_difference(**corpus, variant_a="paper", variant_b="paper")["steps"]
    assert start["sari"] == sari.compute(**corpus, variant="paper")["sari"]


def test_options_hold_for_both_ends(sari, corpus):
    found = sari.explain_difference(**corpus, tokenize="none", max_order=2, deletion="f1", threads=1)
    assert "deletion" not in [step["choice"] for step in found["steps"]]
    last = sari.compute(**corpus, variant="easse", tokenize="none", max_order=2, deletion="f1")
    assert found["steps"][-1]["sari"] == last["sari"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant_b": "bleu"}, ValueError, "variant: got 'bleu', wanted one of "),
        ({"tokenize": "13b"}, ValueError, "tokenize: got '13b', wanted "),
        ({"predictions": []}, ValueError, "predictions: got 0 rows, wanted "),
        ({"sources": [], "predictions": [], "references": []}, ValueError, "sources, predictions, references: got no "),
    ],
)
def test_refusals(sari, corpus, options, error, message):
    with pytest.raises(error) as raised:
        sari.explain_difference(**{**corpus, **options})
    assert str(raised.value).startswith(message)
