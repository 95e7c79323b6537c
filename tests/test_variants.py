"""Every variant as a row of data, the options on top of it, the signature, and how methods show their options."""

import csv
import dataclasses
import inspect
import re
from importlib.metadata import version

import pytest
from conftest import ROOT
from four_segments import TEXTS, own_tokenizer
from hostile_texts import CHOICES
from refusals import refuses

from sari.reports.published_systems import FILE as SYSTEMS
from sari.sari_scorer import Scorer
from sari.text_checks import rewards_copying
from sari.variant_comparison import CHOICES as COMPARED
from sari.variants import CHANGES, OPTIONS, PENALTIES, VARIANTS, VERSION, resolve_variant, resolve_variants

#: A value of each option that differs from those of most variants.
CHOSEN = {name: values[-1] for name, values in CHOICES.items()} | {"level": "corpus", "tokenize": "char"}
del CHOSEN["penalties"]
PENALIZED = {**CHOSEN, "level": "sentence", "penalties": "plan_simp", "sentence_splitter": str.split}

every_variant = pytest.mark.parametrize("name", VARIANTS)


def test_variants_that_reward_copying():
    """Where copies of the sources of a public test set are above most systems; options can change that."""
    with SYSTEMS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["runs"]]  # those that are scored
    assert not [name for name in VARIANTS if name not in rows[0]], f"{SYSTEMS} lacks them"
    rewarding = set()
    for copies in (row for row in rows if row["kind"] == "copy"):
        systems = [row for row in rows if row["kind"] == "system" and row["test_set"] == copies["test_set"]]
        for name in VARIANTS:
            below = sum(float(row[name]) < float(copies[name]) for row in systems)
            rewarding |= {name} if below > len(systems) / 2 else set()
    assert rewarding == {name for name, row in VARIANTS.items() if rewards_copying(row)}
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("variants [reward copying]")[2]
    assert rewarding == {*re.findall(r"`(\w+)`", readme.partition(".\n")[0])}


@every_variant
def test_options_take_the_place_of_the_variants_own(name):
    row = dataclasses.replace(VARIANTS[name], penalties="none")  # which a corpus-level score cannot have
    for option, value in CHOSEN.items():
        given = {"penalties": "none", option: value}
        assert resolve_variant(name, **given) == dataclasses.replace(row, **{option: value})
    assert resolve_variant(name, **CHOSEN, penalties="none") == dataclasses.replace(row, **CHOSEN)
    assert resolve_variant(name) == resolve_variant(name, **dict.fromkeys(CHOSEN)) == VARIANTS[name]
    for given in ({}, {"penalties": "none"}, {"tokenize": "char", "lowercase": False, "max_order": 2}):
        variant = resolve_variant(name, **given)
        assert resolve_variant(**variant.options) == variant


def test_penalties_are_for_scores_of_segments():
    assert resolve_variant("hf", sentence_splitter=str.splitlines) == resolve_variant("hf")
    assert resolve_variant("dsari", sentence_splitter=str.splitlines) != resolve_variant("dsari")
    assert resolve_variant("easse", level="sentence", penalties="plan_simp").penalties == "plan_simp"
    with refuses(
        ValueError, "level: got 'corpus' with penalties 'dsari', expected level 'sentence' or penalties 'none'"
    ):
        resolve_variant("dsari", level="corpus")
    possible, left_out = resolve_variants(penalties="dsari", sentence_splitter=str.splitlines)
    message = "penalties: got 'dsari' with level 'corpus', expected level 'sentence' or penalties 'none'"
    assert left_out == {name: message for name, row in VARIANTS.items() if row.level == "corpus"}
    assert list(possible) == [name for name in VARIANTS if name not in left_out]
    assert resolve_variants()[0] == VARIANTS


def test_every_option_that_is_given_counts(sari):
    given = {**PENALIZED, "variant": "easse"}
    assert given.keys() == OPTIONS.keys(), "CHOICES of tests/hostile_texts.py"
    for function in (Scorer, sari._compute):
        assert not OPTIONS.keys() - inspect.signature(function).parameters, function.__qualname__
    scorer = Scorer(**given)
    assert scorer.options == given
    assert sari.compute(**TEXTS, **given, details=True)["signature"] == scorer.signature(2)


@pytest.mark.parametrize("name", CHANGES)
def test_every_option_is_described_and_explains_a_difference(sari, name):
    """And an option with a default has it in every variant."""
    assert {CHANGES[name].default} in ({None}, {getattr(row, name) for row in VARIANTS.values()})
    assert f"{name}: {CHANGES[name].help}" in sari.inputs_description
    assert f"\n    {name}: " in inspect.getdoc(Scorer)
    assert name in COMPARED, "CHOICES of variant_comparison.py"
    step = COMPARED[name].step
    first = Scorer("dsari", sentence_splitter=str.splitlines) if step == "penalties" else Scorer("t2t")
    last = first.with_options(**{name: {**PENALIZED, **CHOSEN}[name]})
    assert step in [step["choice"] for step in first.explain_difference(last, **TEXTS)["steps"]]


OF_DOCUMENTS = {"sentence_splitter": str.splitlines}
#: Options, and the parts of the signature that they change.
CHANGED_PARTS = [
    ({"lowercase": False}, ["variant:hf+case", "case:mixed"]),
    ({"tokenize": own_tokenizer}, ["variant:hf+tok", "tok:four_segments:own_tokenizer"]),
    ({"level": "corpus"}, ["variant:hf+level", "level:corpus"]),
    ({"deletion": "f1", "max_order": 1}, ["variant:hf+order+del", "order:1", "del:f1"]),
    ({"zero_division": 0.1234567}, ["variant:hf+zero", "zero:0.1234567"]),
    ({"variant": "paper"}, ["variant:paper", "level:corpus", "zero:0"]),
    ({"penalties": "plan_simp"}, ["variant:hf+pen", "pen:plan_simp", f"split:punkt-{version('nltk')}"]),
    ({**OF_DOCUMENTS, "penalties": "dsari"}, ["variant:hf+pen+split", "pen:dsari", "split:custom.str.splitlines"]),
    ({"variant": "hf", "tokenize": "13a", "zero_division": 1.0, "lowercase": True, "max_order": 4}, []),
]


@pytest.mark.parametrize(("options", "parts"), CHANGED_PARTS, ids=lambda value: ",".join(value))
def test_each_option_shows_in_its_part(scorer, options, parts):
    plain = scorer.signature().split("|")
    assert [part for part in scorer.with_options(**options).signature().split("|") if part not in plain] == parts


def test_signature_counts_references(scorer):
    def nrefs(signature):
        return re.search(r"\|nrefs:(\w+|\?)\|", signature)[1]

    for references, number in (
        (TEXTS["references"], "2"),
        (list("abcd"), "1"),
        ([["a"], ["b"], ["c"], ["d", "e"]], "var"),
    ):
        texts = {**TEXTS, "references": references}
        assert nrefs(scorer.compute(**texts, details=True)["signature"]) == number
    assert (nrefs(scorer.signature()), nrefs(scorer.signature(1))) == ("?", "1")
    state = scorer.state()
    assert nrefs(state.signature()) == "?"
    state.update(**TEXTS)
    assert nrefs(state.signature()) == "2"
    state.update(sources=["a"], predictions=["a"], references=["a"])
    assert nrefs(state.signature()) == nrefs(state.compute(details=True)["signature"]) == "var"


def test_a_signature_restores_its_scorer(scorer):
    variants = [*VARIANTS.values(), *(resolve_variant("hf", **{name: CHOSEN[name]}) for name in CHOSEN)]
    variants += [resolve_variant("dsari", penalties=name) for name in PENALTIES]
    for variant in variants:
        printed = variant.signature({2})
        with scorer.collect_warnings() as collected:
            restored = scorer.from_signature(printed)
        assert (restored.variant.options, restored.signature(2), collected) == (variant.options, printed, [])
        assert type(restored) is type(scorer)
        assert scorer.from_signature(printed.replace("|", " |\n")).variant == restored.variant  # as in a paper
    assert scorer.from_signature(VARIANTS["easse"].signature()).options == {"variant": "easse"}


@pytest.mark.parametrize("tokenize", [str.title, own_tokenizer, "four_segments:own_tokenizer"])
def test_a_signature_restores_code_where_the_caller_gives_it(scorer, tokenize):
    given = scorer.with_options(tokenize=tokenize)
    printed = given.signature(2)
    part = re.search(r"tok:[^|]+", printed)[0]
    with refuses(ValueError, f"signature: got {part}, which is code: give it, too, as tokenize=..."):
        scorer.from_signature(printed)
    restored = scorer.from_signature(printed, tokenize=tokenize)
    assert (restored.signature(2), restored.options["tokenize"]) == (printed, tokenize)
    with scorer.collect_warnings() as collected:
        scorer.from_signature(printed, tokenize=str.split)
    assert [warning.detail for warning in collected] == [f"{part} (here custom.str.split)"]
    with pytest.raises(ValueError, match=r"^tokenize: got .*, expected nothing, or what the signature says: 'SARI"):
        scorer.from_signature(scorer.signature(), tokenize=tokenize)


def test_signatures_of_changed_variants_are_read_with_and_without_the_names_of_the_changes(scorer):
    changed = resolve_variant("easse", level="sentence", deletion="precision")
    printed = changed.signature({2})
    assert printed.startswith("SARI|variant:easse+level+del|nrefs:2|")
    for line in (printed, printed.replace("+level+del", "")):
        with scorer.collect_warnings() as collected:
            restored = scorer.from_signature(line)
        assert (restored.variant.options, collected) == (changed.options, [])
    for part, other in (("variant:easse+level+del", "variant:easse+level"), (f"version:{VERSION}", "version:1.0.0")):
        with scorer.collect_warnings() as collected:
            scorer.from_signature(printed.replace(part, other))
        assert [warning.detail for warning in collected] == [f"{other} (here {part.partition(':')[2]})"]


KEYS = ", ".join(option.key for option in OPTIONS.values())
NO_SIGNATURE = "the line that a score is printed with: SARI|variant:...|nrefs:...|..."


@pytest.mark.parametrize(
    ("line", "got", "expected"),
    [
        *((line, line, NO_SIGNATURE) for line in ("", "BLEU|variant:hf", "SARI|easse", "SARI|nrefs:1")),
        ("SARI|variant:hf|x:1", "x", f"some of {KEYS}, nrefs, sacrebleu, version"),
        ("SARI|variant:hf|level:document", "level:document", "sentence, corpus"),
        ("SARI|variant:hf|case:up", "case:up", f"a value of lowercase, {OPTIONS['lowercase'].help}"),
        ("SARI|variant:hf|zero:7", "zero:7", f"a value of zero_division, {OPTIONS['zero_division'].help}"),
    ],
)
def test_what_is_no_signature_is_refused(line, got, expected):
    with refuses(ValueError, f"signature: got {got!r}, expected {expected}"):
        Scorer.from_signature(line)
