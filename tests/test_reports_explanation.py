"""The explanation of one segment: marks, reasons, and n-grams that add up to the metric's own figures."""

import dataclasses
import functools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import OUTPUT, REFERENCES, SOURCE
from report_corpus import explained

from sari.ngram_statistics import COUNTINGS
from sari.reports import word_edits
from sari.reports.alignment import align
from sari.reports.reasons import MARKS
from sari.sari_scorer import Scorer
from sari.tokenization import split_into_tokens
from sari.variants import OPERATIONS, VARIANTS, resolve_variants

WORDS = st.text("abcdB", max_size=7).map(" ".join)


def marks(tokens):
    return [(token.text, token.mark) for token in tokens]


@pytest.fixture
def bridges():
    return explained(source=SOURCE, prediction=OUTPUT, references=REFERENCES)


@pytest.mark.parametrize("variant", ["hf", "easse", "t2t", "lasertagger", "set"])
def test_tokens_are_the_same_without_ngrams(variant):
    texts = {"source": SOURCE, "prediction": OUTPUT, "references": [*REFERENCES, "40 ."]}
    whole, tokens_alone = (explained(**texts, variant=variant, ngrams=ngrams) for ngrams in (True, False))
    assert whole.grams
    assert tokens_alone == dataclasses.replace(whole, grams=[])


def test_every_token_is_marked(bridges):
    source = "kept-rightly kept-rightly deleted-wrongly deleted-wrongly deleted-rightly deleted-wrongly kept-rightly"
    output = "kept kept added-wrongly added-rightly added-wrongly added-wrongly kept"
    assert [token.text for token in bridges.source] == SOURCE.lower().split()
    assert [token.mark for token in bridges.source] == source.split()
    assert [token.mark for token in bridges.output] == output.split()
    assert marks(bridges.missed) == [("counted", "missed")]


def test_scores_are_those_of_the_metric(sari, bridges):
    texts = {"sources": [SOURCE], "predictions": [OUTPUT], "references": [REFERENCES]}
    scores = sari.compute(**texts, variant="easse", details=True)
    assert bridges.scores == {name: scores[name] for name in ("sari", *OPERATIONS)}
    assert bridges.orders == scores["orders"]
    assert bridges.signature == scores["signature"]
    assert bridges.variant == "easse"


COPIES = ("the cat saw the dog", "the dog", ["the dog"])
TOGETHER = ("a a a b", "a b", ["a b", "a a b"])


@pytest.mark.parametrize(
    ("variant", "texts", "place", "mark", "credit", "said"),
    [
        ("hf", ("a b", "a b", ["a"]), 1, "kept-wrongly", 0, "reference deletes"),
        ("hf", ("a b", "a", ["b"]), 1, "deleted-wrongly", 0, "reference keeps"),
        ("hf", ("a b", "a", ["a"]), 1, "deleted-rightly", 1, "reference deletes"),
        ("hf", ("a b", "a", ["a", "b"]), 1, "deleted-rightly", 0.5, "1 2 references deletes"),
        ("hf", ("a b", "a b", ["a", "b"]), 1, "kept-rightly", 0.5, "1 2 references keeps"),
        ("hf", ("a b", "a b", ["a", "a", "b"]), 1, "kept-wrongly", 1 / 3, "2 3 references delete"),
        ("hf", ("a b", "b", ["b b", "a"]), 1, "kept-rightly", 1, "1 2 references keeps 2 full"),
        ("easse", COPIES, 0, "deleted-rightly", 1, "1 2 reference 1 full"),
        ("easse", COPIES, 3, "kept-rightly", 1, "1 2 reference 1 full"),
        ("hf", COPIES, 0, "deleted-wrongly", 0, "1 2 reference 1 references no"),
        ("easse", TOGETHER, 1, "deleted-rightly", 0.75, "2 3 2 references 3 75%"),
        ("easse", TOGETHER, 2, "kept-rightly", 1, "1 3 2 references 3 full"),
        (
            "set",
            ("the cat the", "the", ["the", "a"]),
            2,
            "kept-rightly",
            1,
            "1 2 references keeps reference keeps full",
        ),
    ],
)
def test_marks_and_reasons_of_source_tokens(variant, texts, place, mark, credit, said):
    """A reason says how many did what, and the credit if that does not follow."""
    source, prediction, references = texts
    token = explained(source=source, prediction=prediction, references=references, variant=variant).source[place]
    assert (token.mark, token.credit) == (mark, pytest.approx(credit))
    assert re.findall(r"\d+%?|references?|keeps?|deletes?|(?:full|no)(?= credit)", token.why) == said.split()


def test_a_repeated_phrase_is_marked_as_one():
    phrase = "the great seal of the united states"
    texts = {"source": f"{phrase} francis hopkinson designed {phrase} .", "references": [f"he designed {phrase} ."]}
    found = explained(**texts, prediction=f"francis hopkinson designed {phrase} .")
    assert [place for place, token in enumerate(found.source) if token.mark.startswith("deleted")] == list(range(7))
    moved = explained(**texts, prediction=f"{phrase} was designed by francis")
    assert [place for place, token in enumerate(moved.source) if token.mark.startswith("kept")] == [*range(8), 9]


def test_references_are_marked_by_what_the_output_did():
    found = explained(source="a b c", prediction="a x", references=["a b y", "x c"])
    assert list(map(marks, found.references)) == [
        [("a", "kept"), ("b", "deleted-rightly"), ("y", "missed")],
        [("x", "added-rightly"), ("c", "deleted-rightly")],
    ]
    assert re.findall(r"\d+|adds?", found.references[0][2].why) == ["1", "2", "adds"]
    assert marks(found.missed) == [("y", "missed")]


def test_ngrams_know_where_they_stand_and_why():
    found = explained(source="a b a b c", prediction="c a b", references=["a b", "b a b"])
    (kept, *_), deleted = (found.grams[1][operation] for operation in ("keep", "delete"))
    assert (kept.text, dataclasses.asdict(kept.places)) == (
        "a b",
        {"source": [0], "output": [1], "references": {0: [0], 1: [1]}},
    )
    assert deleted[0].places.source == [2]
    added = found.grams[1]["add"][0]
    assert [(gram.mark, gram.agree, gram.references) for gram in deleted if gram.text == "b c"] == [("right", 2, 2)]
    assert (added.text, added.mark, added.agree, added.references) == ("c a", "wrong", 0, 2)
    assert "none of the 2" in added.why


def test_references_whose_words_are_not_tried_are_not_aligned(monkeypatch):
    texts = []
    monkeypatch.setattr(word_edits, "align", lambda text, output: texts.append(text) or align(text, output))
    monkeypatch.setattr(word_edits, "CHANGED_TOKENS", 100)  # of three outputs: all texts together have 44 tokens
    references = ["c a", *(f"w{number}" for number in range(38))]
    found = explained(source="a b", prediction="a c", references=references)
    assert texts == [["a", "b"], ["w0"], ["w1"], ["w2"]]
    assert len(found.edits) == 3


def test_a_surplus_copy_is_ignored():
    found = explained(source="a b", prediction="a a", references=["a"])
    assert found.output[1].mark == "kept"
    assert re.search(r"\b2 times.*\bsource 1 time\b.*\bignored\b", found.output[1].why)


def test_an_empty_output():
    found = explained(source="a b", prediction="", references=["a"], variant="hf")
    assert marks(found.source) == [("a", "deleted-wrongly"), ("b", "deleted-rightly")]
    assert marks(found.output) == [("", "added-wrongly")]
    assert explained(source="a b", prediction="", references=["a"], variant="easse").output == []


@given(source=WORDS, prediction=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_ngrams_add_up_to_the_figures(variant, source, prediction, references):
    found = explained(source=source, prediction=prediction, references=references, variant=variant)
    for figures, grams in zip(found.orders, found.grams, strict=True):
        for operation in OPERATIONS:
            totals = [sum(gram.counts[place] for gram in grams[operation]) for place in range(4)]
            for name, numerator, denominator in (("precision", *totals[:2]), ("recall", *totals[2:])):
                share = numerator / denominator if denominator else VARIANTS[variant].zero_division
                assert figures[operation][name] == pytest.approx(100 * share, abs=1e-9)


@given(source=WORDS, prediction=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("variant", VARIANTS)
def test_laws_of_the_places(variant, source, prediction, references):
    found = explained(source=source, prediction=prediction, references=references, variant=variant)
    texts = {"source": found.source, "output": found.output}
    for order, grams in enumerate(found.grams, 1):
        done = [
            place
            for name in ("keep", "delete")
            for gram in grams[name]
            if gram.mark != "missed"
            for place in gram.places.source
        ]
        assert sorted(set(done)) == sorted(done)  # each place of the source was kept or deleted, never both
        for gram in (gram for listed in grams.values() for gram in listed):
            for tokens, places in [
                *((texts[name], getattr(gram.places, name)) for name in texts),
                *((found.references[number], starts) for number, starts in gram.places.references.items()),
            ]:
                for place in places:
                    assert " ".join(token.text for token in tokens[place : place + order]) == gram.text


@given(source=WORDS, prediction=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("variant", VARIANTS)
def test_laws_of_the_marks(variant, source, prediction, references):
    found = explained(source=source, prediction=prediction, references=references, variant=variant)
    row = VARIANTS[variant]
    (tokens,), (output,) = split_into_tokens([source], row.source_text), split_into_tokens([prediction], row.text)
    assert [token.text for token in found.source] == tokens
    assert [token.text for token in found.output] == output
    assert {token.mark for token in found.source + found.output + found.missed} <= MARKS.keys()
    for token in found.source:
        kept = sum(token.text == other.text and other.mark.startswith("kept") for other in found.source)
        copies = tokens.count(token.text)
        wanted = (
            copies * (token.text in output)
            if COUNTINGS[row.counting].as_sets
            else min(copies, output.count(token.text))
        )
        assert kept == wanted
    assert [token.mark == "kept" for token in found.output] == [text in tokens for text in output]
    backwards = explained(source=source, prediction=prediction, references=references[::-1], variant=variant)
    assert (backwards.source, backwards.output) == (found.source, found.output)


@pytest.mark.parametrize("variant", resolve_variants()[0])
@pytest.mark.parametrize(
    ("source", "prediction", "references"),
    [
        (
            "The large cat sat, quietly, on the old mat.",
            "The large cat quietly rested on a mat.",
            ["A big cat sat on the mat.", "The cat sat."],
        ),
        ("The  large   cat sat  down ", " The cat  rested ", ["The cat  sat ", "A  cat."]),
        ("In 2005, Hurricane Katrina hit N.O. (U.S.)", "hurricane Katrina's hit", ["Katrina hit.  A Hurricane", ""]),
        ("AT&amp;T bought it\nthen", "AT&amp;T\nbought", ["It bought it", "bought AT&T"]),
        ("İzmir ẞ big", "", ["a big city"]),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_edit_is_one_token_and_costs_what_its_output_does(variant, source, prediction, references):
    scorer, tokens = Scorer(variant), functools.partial(split_into_tokens, steps=VARIANTS[variant].text)

    def sari(output):
        return scorer.compute(sources=[source], predictions=[output], references=[references])["sari"]

    explanation = explained(source, prediction, references, variant=variant)
    (before,) = tokens([prediction])
    for edit in explanation.edits:
        assert edit.sari == pytest.approx(sari(edit.output), abs=1e-9)
        assert edit.points == pytest.approx(sari(prediction) - edit.sari, abs=1e-9)
        (after,) = tokens([edit.output])
        longer, shorter = (before, after) if edit.choice in ("kept", "added") else (after, before)
        assert any(
            word == edit.text and longer[:place] + longer[place + 1 :] == shorter for place, word in enumerate(longer)
        )
    points = [edit.points for edit in explanation.edits]
    assert points == sorted(points)


def test_edits_are_written_as_their_texts_are():
    source, references = "The large cat sat, quietly, on the old mat.", ["A big cat sat on the mat.", "The cat sat."]
    prediction = "The large cat quietly rested on a mat."
    explanation = explained(source, prediction, references, variant="easse")
    undone = {(edit.choice, edit.text.lower()): edit.output for edit in explanation.edits}
    assert undone["added", "rested"] == "The large cat quietly on a mat."
    assert undone["kept", "quietly"] == "The large cat rested on a mat."
    assert undone["deleted", "old"] == "The large cat quietly rested on old a mat."
    assert undone["missed", "big"] == "The large cat quietly rested on a big mat."


def test_a_word_that_moved_and_one_at_the_end_are_put_back_where_they_stood():
    edits = explained("b c d a", "a b c", ["a b c d"], variant="easse", tokenize="none").edits
    assert {edit.text: edit.output for edit in edits if edit.choice == "deleted"} == {"d": "a b c d"}
    assert edits[0].text == "d"


def test_choices_of_texts_whose_words_are_written_otherwise():
    """Tokens stand for such texts: without "&", "AT&amp;T" is not "ATamp;T"."""
    edits = explained("AT&amp;T bought it", "AT&amp;T bought", ["It bought it"], variant="easse").edits
    assert {edit.text: edit.output for edit in edits if edit.choice == "kept"}["&"] == "at t bought"
    assert {edit.text: edit.output for edit in edits if edit.choice == "deleted"} == {"it": "at & t bought it"}


def test_choices_of_long_texts_take_bounded_time():
    words = [f"w{number}" for number in range(2_000)]
    edits = explained(
        " ".join(words), " ".join(words[::2]), [" ".join(words[::3])], variant="easse", ngrams=False
    ).edits
    assert 0 < len(edits) < 200
