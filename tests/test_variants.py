"""Every variant as a row of data: the choices that set it apart, and the options on top of it."""

import dataclasses

import pytest

from sari.countings import COUNTINGS
from sari.tokenization import TOKENIZERS
from sari.variants import DELETIONS, LEVELS, VARIANTS, resolve_variant

# What sets each one apart, as published: counting, level, value of 0/0, scores of keep, delete and add, tokens, case.
PUBLISHED = {
    "hf": ("hf", "sentence", 1, "F·P·F", "13a", "lower"),
    "xu2016": ("xu2016", "sentence", 0, "F·P·F", "none", "lower"),
    "lens": ("lens", "sentence", 0, "F·P·F", "none", "lower"),
    "easse": ("pooled", "corpus", 0, "F·F·F", "13a", "lower"),
    "easse_legacy": ("pooled", "corpus", 0, "F·F·F", "13a", "mixed"),
    "paper": ("pooled", "corpus", 0, "F·P·F", "13a", "lower"),
    "t2t": ("weighted_sets", "sentence", 1, "F·P·F", "none", "lower"),
    "lasertagger": ("weighted_sets", "sentence", 1, "F·F·F", "none", "lower"),
    "set": ("sets", "sentence", 0, "F·F·P", "none", "lower"),
}

OPTIONS = {
    "level": "corpus",
    "deletion": "f1",
    "zero_division": 0.5,
    "tokenize": "char",
    "lowercase": False,
    "max_order": 2,
}

every_variant = pytest.mark.parametrize("name", VARIANTS)


@every_variant
def test_as_published(name):
    row = VARIANTS[name]
    letters = {"f1": "F", "precision": "P"}
    scores = f"F·{letters[row.deletion]}·{letters[row.addition]}"
    case = "lower" if row.lowercase else "mixed"
    assert (row.counting, row.level, row.zero_division, scores, row.tokenize, case) == PUBLISHED[name]
    assert row.max_order == 4


def test_what_only_some_do():
    assert [name for name, row in VARIANTS.items() if row.averaging == "ratios"] == ["paper"]
    assert [name for name, row in VARIANTS.items() if row.source_tokenize] == ["easse_legacy"]
    assert [name for name, row in VARIANTS.items() if row.splits_on_space] == ["hf", "xu2016", "lens"]


@every_variant
def test_rows_are_sound(name):
    row = VARIANTS[name]
    assert row.name == name
    assert row.counting in COUNTINGS
    assert row.level in LEVELS
    assert row.deletion in DELETIONS
    assert row.tokenize in TOKENIZERS
    assert row.averaging in ("scores", "ratios")
    assert row.source
    assert "\n" not in row.summary
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.level = "corpus"


def test_all_countings_are_used():
    assert {row.counting for row in VARIANTS.values()} == set(COUNTINGS)


@every_variant
def test_options_take_the_place_of_the_variants_own(name):
    for option, value in OPTIONS.items():
        assert resolve_variant(name, **{option: value}) == dataclasses.replace(VARIANTS[name], **{option: value})
    assert resolve_variant(name, **OPTIONS) == dataclasses.replace(VARIANTS[name], **OPTIONS)
    assert resolve_variant(name) == VARIANTS[name]
    assert resolve_variant(name, **dict.fromkeys(OPTIONS)) == VARIANTS[name]


def test_one_tokenizer_asked_for_is_for_predictions_and_references():
    # easse_legacy leaves sources as they are whatever the tokenizer, as EASSE's legacy option does.
    assert resolve_variant("easse_legacy", tokenize="intl").source_tokenize == "none"
