"""Options: resolved once, refused in one line, and named in a signature."""

import inspect
import re
from importlib.metadata import version

import pytest
from four_segments import TEXTS, own_tokenizer
from test_variants import OPTIONS as CHOICES

from sari.options import OPTIONS, lists_options, resolve_settings, settings_of
from sari.scoring import Scorer
from sari.variants import VARIANTS, VERSION

DOORS = [
    name
    for name, door in inspect.getmembers(Scorer, inspect.isfunction)
    if "max_order" in inspect.signature(door).parameters
]


def test_signatures_tell_variants_and_options_apart():
    settings = [resolve_settings(name) for name in VARIANTS]
    settings += [resolve_settings("hf", penalties="dsari"), resolve_settings("hf", penalties="plan_simp")]
    settings += [resolve_settings("dsari", sentence_splitter=str.splitlines)]
    settings += [resolve_settings("hf", **{option: value}) for option, value in CHOICES.items() if option != "tokenize"]
    signatures = [row.signature({1}) for row in settings]
    assert len(set(signatures)) == len(settings)
    assert all(re.fullmatch(r"SARI(\|[a-z]+:[^|:\s]+){10}((\|[a-z]+:[^|:\s]+){2})?", line) for line in signatures)


def test_penalties_and_splitter_are_named_only_where_they_are():
    named = resolve_settings("dsari", sentence_splitter=str.splitlines).signature({1})
    assert "|zero:0|pen:dsari|split:custom.str.splitlines|sacrebleu:" in named
    assert f"|pen:plan_simp|split:punkt-{version('nltk')}|" in resolve_settings("hf", penalties="plan_simp").signature()
    assert "pen:" not in resolve_settings("hf", sentence_splitter=str.splitlines).signature()
    assert "pen:" not in resolve_settings("dsari", penalties="none").signature()


def test_every_scoring_method_is_a_door():
    assert len(DOORS) == 14


@pytest.mark.parametrize("door", DOORS)
def test_doors_show_every_option_with_its_default(door):
    shown = inspect.signature(getattr(Scorer, door)).parameters
    wanted = dict(OPTIONS)
    if door == "explain_difference":  # which has two variants
        del wanted["variant"]
    if door == "reward":  # whose variant is "easse" where none was chosen
        wanted["variant"] = None
    if door == "signature":  # which no thread makes faster
        del wanted["threads"]
    assert {name: shown[name].default for name in wanted} == wanted
    assert {shown[name].kind for name in wanted} == {inspect.Parameter.KEYWORD_ONLY}
    assert not [name for name, parameter in shown.items() if parameter.kind is inspect.Parameter.VAR_KEYWORD]


@pytest.mark.parametrize("name", VARIANTS)
def test_settings_are_made_by_the_options_that_they_name(name):
    for given in ({}, {"penalties": "none"}, {"tokenize": "char", "lowercase": False, "max_order": 2, "threads": 3}):
        settings = resolve_settings(name, **given)
        assert resolve_settings(**settings.options) == settings


def test_settings_pass_over_other_arguments():
    assert settings_of({"sources": [], "self": None, "variant": "set"}) == resolve_settings("set")


def test_an_unknown_argument_is_refused_with_those_that_there_are():
    @lists_options
    def door(texts, *, level=None):
        return texts, level

    assert door(["a"], level="corpus") == (["a"], "corpus")
    with pytest.raises(TypeError, match=r"\Alevle: got an unknown argument, wanted one of texts, level\Z"):
        door(["a"], levle="corpus")


# ---- Signatures -----------------------------------------------------------------------------------------------------


def fields(signature):
    name, *pairs = signature.split("|")
    assert name == "SARI"
    return dict(pair.split(":", 1) for pair in pairs)


DEFAULT = {
    "variant": "hf",
    "nrefs": "?",
    "case": "lc",
    "tok": "13a",
    "order": "4",
    "level": "sentence",
    "del": "precision",
    "zero": "1",
    "sacrebleu": version("sacrebleu"),
    "version": VERSION,
}


def test_signature(scorer):
    assert list(fields(scorer.signature()).items()) == list(DEFAULT.items())


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ({"nrefs": 9}, {"nrefs": "9"}),
        ({"nrefs": "var"}, {"nrefs": "var"}),
        ({"lowercase": False}, {"case": "mixed"}),
        ({"tokenize": "intl"}, {"tok": "intl"}),
        ({"tokenize": "moses"}, {"tok": f"moses-{version('sacremoses')}"}),
        ({"tokenize": own_tokenizer}, {"tok": "custom.own_tokenizer"}),
        ({"max_order": 2}, {"order": "2"}),
        ({"level": "corpus"}, {"level": "corpus"}),
        ({"deletion": "f1"}, {"del": "f1"}),
        ({"zero_division": 0}, {"zero": "0"}),
        ({"zero_division": 0.25}, {"zero": "0.25"}),
        ({"variant": "paper"}, {"variant": "paper", "level": "corpus", "zero": "0"}),
        (
            {"variant": "easse_legacy"},
            {"variant": "easse_legacy", "case": "mixed", "level": "corpus", "del": "f1", "zero": "0"},
        ),
        ({"variant": "lens"}, {"variant": "lens", "tok": "none", "zero": "0"}),
        # As if nothing had been said
        ({"variant": "hf", "tokenize": "13a", "zero_division": 1.0, "lowercase": True, "max_order": 4}, {}),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", str(value)),  # an address differs from worker to worker
)
def test_each_option_shows_in_its_field(scorer, options, changes):
    assert fields(scorer.signature(**options)) == {**DEFAULT, **changes}


def test_signatures_of_japanese_and_korean_say_the_dictionary(scorer):
    assert re.fullmatch(r"ja-mecab-[\d.]+-IPA", fields(scorer.signature(tokenize="ja-mecab"))["tok"])
    assert re.fullmatch(r"ko-mecab-[\d./a-z-]+-KO", fields(scorer.signature(tokenize="ko-mecab"))["tok"])


def test_signatures_differ_where_scores_may(scorer):
    zeros = [0.1234567, 0.1234568, 1e-9, 0]
    signatures = [scorer.signature(zero_division=zero) for zero in zeros]
    assert len(set(signatures)) == len(zeros)


def test_signature_counts_references(scorer):
    def nrefs(texts):
        return fields(scorer.compute(**texts, details=True)["signature"])["nrefs"]

    assert nrefs(TEXTS) == "2"
    assert nrefs({**TEXTS, "references": ["a", "b", "c", "d"]}) == "1"
    assert nrefs({**TEXTS, "references": [["a"], ["b"], ["c"], ["d", "e"]]}) == "var"
    state = scorer.state()
    assert fields(state.signature)["nrefs"] == "?"
    state.update(**TEXTS)
    assert fields(state.signature)["nrefs"] == "2"
    other = scorer.state()
    other.update(sources=["a"], predictions=["a"], references=["a"])
    state.merge(other)
    assert fields(state.signature)["nrefs"] == fields(state.compute(details=True)["signature"])["nrefs"] == "var"
