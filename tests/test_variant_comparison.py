"""Why two variants differ, and which variant gave a printed figure."""

import itertools
import json
from dataclasses import replace

import pytest
from four_segments import TEXTS
from programs import example_corpus, with_system

from sari.corpus_statistics import score_columns
from sari.languages import load_function
from sari.messages import RefusedImportError
from sari.sari_scorer import Scorer, compute
from sari.signatures import read_signature
from sari.validation import validate_columns
from sari.variant_comparison import tried_variants
from sari.variants import SCORES, VARIANTS

# Texts suit some of the variants only.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMES = [*VARIANTS]


@pytest.mark.parametrize("other", [None, 5, "bleu score"])
def test_what_is_neither_variant_nor_scorer_is_refused(other):
    with pytest.raises((TypeError, ValueError), match=f"^other: got {other!r}, expected one of hf, "):
        Scorer().explain_difference(other, **TEXTS)


@pytest.mark.parametrize(
    ("first", "last"), [pair for shift in (1, 5) for pair in zip(NAMES, NAMES[shift:] + NAMES[:shift], strict=True)]
)
def test_every_way_starts_and_ends_at_the_scores_of_compute(scorer, first, last):
    found = scorer.with_options(variant=first).explain_difference(last, **TEXTS)
    steps = found["steps"]
    for end, variant, step in (("a", first, steps[0]), ("b", last, steps[-1])):
        scores = compute(**TEXTS, variant=variant, details=True)
        assert {name: step[name] for name in SCORES} == {name: scores[name] for name in SCORES}
        assert (found[f"variant_{end}"], found[f"signature_{end}"]) == (variant, scores["signature"])
    assert steps[0]["choice"] is steps[0]["before"] is steps[0]["after"] is steps[0]["change"] is None
    choices = [step["choice"] for step in steps[1:]]
    known = ["text", "zero division", "counting", "n-grams", "level", "deletion", "addition", "averaging"]
    known.insert(len(known) if VARIANTS[last].penalties != "none" else 0, "penalties")
    assert choices == [choice for choice in known if choice in choices]
    for before, step in itertools.pairwise(steps):
        assert step["before"] != step["after"]
        assert step["change"] == step["sari"] - before["sari"]
    assert json.loads(json.dumps(found)) == found


def test_steps_say_what_changes():
    first = Scorer("easse", lowercase=False, tokenize="none")
    last = Scorer("easse", tokenize=str.title, max_order=2, level="sentence", deletion="precision", zero_division=1)
    _, *steps = first.explain_difference(last, **TEXTS)["steps"]
    assert {step["choice"]: (step["before"], step["after"]) for step in steps} == {
        "text": ("tokens split on spaces, cased", "custom tokens, lowercased"),
        "zero division": ("0/0 = 0", "0/0 = 1"),
        "n-grams": ("up to 4 tokens", "up to 2 tokens"),
        "level": ("counts summed over the corpus", "mean of sentences"),
        "deletion": ("f1", "precision"),
    }


#: Options that are not varied, so that a search takes no time.
KNOWN = {"tokenize": "13a", "lowercase": True}


def changed(columns, change):
    """Apply a function to every text."""
    return {
        "sources": list(map(change, columns["sources"])),
        "predictions": list(map(change, columns["predictions"])),
        "references": [list(map(change, row)) for row in columns["references"]],
    }


def find(figure, corpus, **options):
    return Scorer(**options).find_variant(figure, **corpus, progress=False)


@pytest.fixture(scope="module")
def printed():
    """Return the example corpus with one system."""
    return with_system(example_corpus(), "rewriting")


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "dsari"])
def test_the_variant_of_a_figure_comes_first(printed, variant):
    row = VARIANTS[variant]
    figure = f"{Scorer(variant).compute(**printed)['sari']:.2f}"
    hits = find(figure, printed, tokenize=row.tokenize, lowercase=row.lowercase)["hits"]
    published = [hit for hit in hits if hit["verdict"] == "as published"]
    assert {"variant": variant} in [hit["options"] for hit in published]
    assert hits[: len(published)] == published
    assert [hit["changes"] for hit in hits] == sorted(hit["changes"] for hit in hits)


def test_options_and_references_of_a_figure(printed):
    one_reference = {**printed, "references": [row[:1] for row in printed["references"]]}
    changed = Scorer("easse_legacy", lowercase=True, level="sentence")
    score = changed.compute(**one_reference)
    (hit,) = find(f"{score['sari']:.6f}", printed)["hits"]
    wanted = {"options": dict(changed.options), "nrefs": 1, "changes": 3, "verdict": "several changes", **score}
    assert {name: hit[name] for name in wanted} == wanted
    assert Scorer(**read_signature(hit["signature"])).compute(**one_reference) == score


def test_texts_are_read_as_programs_read_them(printed):
    """Split at single spaces, and as lines with their breaks; no option does that, so that there is no signature."""
    wide = changed(printed, lambda text: text.replace(" ", "  ", 1))
    marked = {
        "sources": ["a large cat sat on a mat"],
        "predictions": ["on a mat sat a cat"],
        "references": [["on a mat sat a big cat"]],
    }
    lines = changed(marked, lambda text: f"{text}\n")
    at_spaces = replace(VARIANTS["t2t"], lowercase=False, splits_on_space=True)
    cases = [
        (wide, score_columns(validate_columns(*wide.values()), at_spaces).scores(), "split at single spaces"),
        (marked, Scorer("xu2016").compute(**lines), "lines with their breaks"),
    ]
    for columns, scores, reading in cases:
        found = [hit for hit in find(f"{scores['sari']:.9f}", columns)["hits"] if hit["reading"] == reading]
        assert [(hit["sari"], hit["signature"]) for hit in found][:1] == [(pytest.approx(scores["sari"]), "")]


class Unhashable:
    __hash__ = None

    def __call__(self, text):
        return text.split()


def test_a_callable_needs_no_hash(printed):
    figure = f"{Scorer('easse', tokenize=str.split).compute(**printed)['sari']:.6f}"
    assert find(figure, printed, tokenize=Unhashable(), sentence_splitter=Unhashable())["hits"]


def test_what_is_left_out_is_said(printed, monkeypatch):
    """Also a variant that a known option rules out; a splitter that is given needs no other."""

    def refuse():
        raise RefusedImportError("no punkt")

    documents = [f"{text} It ends." for text in printed["sources"]]
    left_out = find(1, printed, **KNOWN, level="corpus")["left_out"]
    assert [line for line in left_out if line.startswith("dsari: level: got 'corpus' with penalties 'dsari'")]
    assert [line for line in left_out if line.startswith("penalties, which are for documents")]
    monkeypatch.setattr("sari.languages._load_punkt", refuse)
    load_function.cache_clear()
    variants, left_out = tried_variants(documents, **KNOWN, sentence_splitter=str.split)
    load_function.cache_clear()
    assert {variant.penalties for variant in variants} == {"none", "dsari", "plan_simp"}
    assert "no punkt" not in left_out


def test_known_options_are_not_varied(printed):
    search = find(1, printed, variant="t2t", lowercase=False, tokenize=str.split)
    assert {(row["options"]["variant"], row["options"]["lowercase"]) for row in search["nearest"]} == {("t2t", False)}
    assert search["tried"] <= 2 * 2 * 2 * 2  # levels, deletions, zero divisions, references
    known = {**KNOWN, "level": "sentence", "deletion": "f1", "zero_division": 1}
    assert find(1, printed, variant="t2t", **known)["tried"] == 2  # all references, and the first ones


def test_figures_that_are_cut_instead_of_rounded(printed):
    score = Scorer("easse").compute(**printed)["sari"]
    digits = next(digits for digits in range(1, 9) if f"{score:.{digits}f}" != str(score)[: 3 + digits])
    hits = find(str(score)[: 3 + digits], printed, **KNOWN)["hits"]
    assert (hits[0]["options"], hits[0]["verdict"]) == ({"variant": "easse"}, "as published, cut")


def test_without_a_hit_the_nearest_scores_are_returned(printed):
    search = find(99.9, printed, **KNOWN)
    distances = [row["sari"] - 99.9 for row in search["nearest"]]
    assert [row["distance"] for row in search["nearest"]] == pytest.approx(distances)
    assert (search["hits"], len(distances), distances) == ([], 5, sorted(distances, key=abs))


def test_a_figure_can_be_the_mean_of_runs(printed):
    runs = {"one": printed["predictions"], "two": printed["sources"]}
    both = Scorer("easse").compare(**{**printed, "predictions": runs}, method=None, confidence=None)["systems"]
    mean = sum(result["sari"] for result in both.values()) / 2
    hits = find(f"{mean:.4f}", {**printed, "predictions": runs}, **KNOWN)["hits"]
    assert hits[0]["options"] == {"variant": "easse"}


def test_what_tells_hits_apart(printed):
    search = find("60", printed, **KNOWN)
    assert len(search["hits"]) == 2
    assert search["distinct"] == {name: len({f"{hit[name]:.0f}" for hit in search["hits"]}) for name in SCORES[1:]}


@pytest.mark.parametrize(("digits", "reach"), [(2, 1), (0, 5)])
def test_hits_by_chance_are_those_of_scores_near_the_figure(printed, digits, reach):
    """Within a point, or five units of the last digit."""
    known = {**KNOWN, "variant": "t2t", "level": "sentence", "zero_division": 1}
    scores = [row["sari"] for row in find(0, printed, **known)["nearest"]]
    figure, unit = round(scores[0] - 0.9, digits), 10**-digits
    search = find(f"{figure:.{digits}f}", printed, **known)
    near = sum(abs(score - figure) <= reach and round(score, digits) != figure for score in scores)
    assert (search["tried"], near > 0) == (len(scores), True)
    assert search["hits_by_chance"] == pytest.approx(near * unit / (2 * reach - unit))


def test_tokenizers_of_the_script_are_tried_and_others_named():
    texts = {
        "sources": ["彼はきのうの朝、学校へ行きました。"],
        "predictions": ["彼は学校へいった。"],
        "references": ["彼は学校へ行きました。"],
    }
    figure = f"{Scorer('easse', tokenize='ja-mecab').compute(**texts)['sari']:.3f}"
    search = find(figure, texts, lowercase=True, variant="easse")
    assert search["hits"][0]["options"] == {"variant": "easse", "tokenize": "ja-mecab"}
    *missing, others = search["left_out"]
    assert others.startswith("tokenizers other than 13a, intl, none, char, moses, ja-mecab")
    assert any("'spacy-ja' cannot be used" in reason for reason in missing)
    assert missing[-2:] == ["n-grams of up to another length than 4 tokens", "values of 0/0 other than 0 and 1"]
    # Those of the user need no script.
    figure = f"{Scorer('easse', tokenize='spacy-de').compute(**TEXTS)['sari']:.6f}"
    hits = find(figure, TEXTS, tokenize="spacy-de")["hits"]
    assert {"variant": "easse", "tokenize": "spacy-de"} in [hit["options"] for hit in hits]


def test_penalties_of_documents_are_tried():
    documents = {name: [f"{text} And so on ." for text in TEXTS[name]] for name in ("sources", "predictions")}
    documents["references"] = [[f"{text} It ends . Here ." for text in row] for row in TEXTS["references"]]
    options = {"variant": "easse", "level": "sentence", "penalties": "dsari"}
    figure = f"{Scorer(**options).compute(**documents)['sari']:.6f}"
    assert find(figure, documents, **KNOWN)["hits"][0]["options"] == options


@pytest.mark.parametrize(
    ("texts", "are_documents"),
    [
        (["He came. She left."], True),
        (["他来了。她走了。"], True),
        (["It is 1.5 m long."], False),
        (["He came. She left.", "No."], False),  # not most of them
    ],
)
def test_texts_with_several_sentences_are_documents(texts, are_documents):
    variants, _ = tried_variants(texts, "easse", tokenize="none")
    assert any(variant.penalties != "none" for variant in variants) == are_documents


def test_a_progress_bar_can_be_switched_off(printed, monkeypatch):
    disabled = []
    monkeypatch.setattr("tqdm.auto.tqdm", lambda rows, *_, disable, **__: disabled.append(disable) or rows)
    for options in ({}, {"progress": False}):
        Scorer(**KNOWN, level="corpus").find_variant(1, **printed, **options)
    assert disabled == [None]  # a bar, on a terminal alone


@pytest.mark.parametrize("figure", ["x", "", None, True, -1, 100.5, "nan", "1e1", "0.1234567890123456"])
def test_figures_are_scores_as_they_are_printed(printed, figure):
    with pytest.raises(ValueError, match=r"^figure: got .*, expected a score as it is printed, from 0 to 100"):
        find(figure, printed)
