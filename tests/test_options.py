"""Options: resolved once, refused in one line, and named in a signature."""

import inspect
import re
from importlib.metadata import version

import pytest
from test_variants import OPTIONS as CHOICES

from sari.options import OPTIONS, lists_options, resolve_settings, settings_of
from sari.scoring import Scorer
from sari.variants import VARIANTS

DOORS = [
    name
    for name, door in vars(Scorer).items()
    if inspect.isfunction(door) and "max_order" in inspect.signature(door).parameters
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
    assert len(DOORS) == 9


@pytest.mark.parametrize("door", DOORS)
def test_doors_show_every_option_with_its_default(door):
    shown = inspect.signature(getattr(Scorer, door)).parameters
    wanted = dict(OPTIONS)
    if door == "explain_difference":  # which has two variants
        del wanted["variant"]
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
