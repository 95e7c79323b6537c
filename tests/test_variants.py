"""Every variant as a row of data: the choices that set it apart, and the options on top of it."""

import dataclasses
import re

import pytest

from sari.countings import COUNTINGS
from sari.tokenization import TOKENIZERS
from sari.variants import DELETIONS, LEVELS, PENALTIES, PENALTY_FACTORS, VARIANTS, resolve_variant

# What sets each one apart, as published: counting, level, value of 0/0, scores of keep, delete and add, tokens, case.
PUBLISHED = {
    "hf": ("hf", "sentence", 1, "F·P·F", "13a", "lower"),
    "xu2016": ("xu2016", "sentence", 0, "F·P·F", "none", "lower"),
    "lens": ("lens", "sentence", 0, "F·P·F", "none", "lower"),
    "easse": ("pooled", "corpus", 0, "F·F·F", "13a", "lower"),
    "easse_legacy": ("pooled", "corpus", 0, "F·F·F", "13a", "mixed"),
    "star": ("pooled", "corpus", 0, "F·F·F", "13a", "mixed"),
    "paper": ("pooled", "corpus", 0, "F·P·F", "13a", "lower"),
    "t2t": ("weighted_sets", "sentence", 1, "F·P·F", "none", "lower"),
    "lasertagger": ("weighted_sets", "sentence", 1, "F·F·F", "none", "lower"),
    "set": ("sets", "sentence", 0, "F·F·P", "none", "lower"),
    "dsari": ("xu2016", "sentence", 0, "F·P·F", "none", "lower"),
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
    assert [name for name, row in VARIANTS.items() if row.source_tokenize] == ["easse_legacy", "star"]
    assert {name: row.source_weight for name, row in VARIANTS.items() if row.source_weight} == {"star": 8}
    assert {name: row.penalties for name, row in VARIANTS.items() if row.penalties != "none"} == {"dsari": "dsari"}
    assert [name for name, row in VARIANTS.items() if row.splits_on_space] == ["hf", "xu2016", "lens", "dsari"]


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
    row = dataclasses.replace(VARIANTS[name], penalties="none")  # which a corpus-level score cannot have
    for option, value in OPTIONS.items():
        given = {"penalties": "none", option: value}
        assert resolve_variant(name, **given) == dataclasses.replace(row, **{option: value})
    assert resolve_variant(name, **OPTIONS, penalties="none") == dataclasses.replace(row, **OPTIONS)
    assert resolve_variant(name) == VARIANTS[name]
    assert resolve_variant(name, **dict.fromkeys(OPTIONS)) == VARIANTS[name]


def test_one_tokenizer_asked_for_is_for_predictions_and_references():
    # easse_legacy leaves sources as they are whatever the tokenizer, as EASSE's legacy option does.
    assert resolve_variant("easse_legacy", tokenize="intl").source_tokenize == "none"


@pytest.mark.parametrize("penalties", ["dsari", "plan_simp"])
def test_penalties_are_for_scores_of_segments(penalties):
    assert resolve_variant("easse", level="sentence", penalties=penalties).penalties == penalties
    message = f"penalties: got '{penalties}' with level 'corpus', wanted level 'sentence', or penalties 'none'"
    for variant in ("easse", "star"):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            resolve_variant(variant, penalties=penalties)
    with pytest.raises(ValueError, match=r"^penalties: got 'dsari' with level 'corpus', "):
        resolve_variant("dsari", level="corpus")


def test_what_penalties_there_are():
    assert list(PENALTIES) == ["none", "dsari", "plan_simp"]
    for row in PENALTIES.values():
        assert {*row.keep, *row.delete, *row.add} <= set(PENALTY_FACTORS)
        assert "\n" not in row.summary
    assert PENALTIES["dsari"].source == VARIANTS["dsari"].source


def test_without_penalties_no_splitter_tells_variants_apart():
    assert resolve_variant("hf", sentence_splitter=str.splitlines) == resolve_variant("hf")
    assert resolve_variant("dsari", sentence_splitter=str.splitlines) != resolve_variant("dsari")


@pytest.mark.parametrize(("option", "value"), [("variant", "bleu"), ("penalties", "d-sari")])
def test_what_there_is_is_shown_with_its_summary_in_one_line(option, value):
    with pytest.raises(ValueError, match=f"^{option}: got '{value}', wanted one of ") as raised:
        resolve_variant(**{option: value})
    (line,) = str(raised.value).splitlines()
    shown = line.partition(" wanted one of ")[2]
    rows = {"variant": VARIANTS, "penalties": PENALTIES}[option]
    assert shown == "; ".join(f"{name} ({row.summary})" for name, row in rows.items())
