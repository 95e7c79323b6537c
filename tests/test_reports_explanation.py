"""The explanation of one segment: marks, reasons, and n-grams that add up to the metric's own figures."""

import dataclasses
import re

import pytest
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from programs import OUTPUT, REFERENCES, SOURCE
from report_corpus import explained

from sari.ngram_statistics import COUNTINGS
from sari.reports import sentence_edits, word_edits
from sari.reports.explanation import Places
from sari.reports.reasons import MARKS
from sari.sari_scorer import Scorer
from sari.tokenization import split_into_tokens
from sari.validation import validate_columns
from sari.variants import OPERATIONS, VARIANTS

WORDS = st.text("abcdB", max_size=7).map(" ".join)


#: A variant of each counting, and of each way to tokenize.
DISTINCT = ["hf", "lens", "kriz", "easse_multi", "star", "t2t", "set", "dsari"]


def test_edits_of_whole_sentences():
    """Each sentence of the output is taken out, and each of the source that the output left out is put in."""
    source, output = "One two three. Four five six. Seven eight nine.", "One ten eleven. Ten eleven twelve."
    segment = validate_columns([source], [output], [["One two three. Seven eight."]])
    found = sentence_edits.score_sentences(segment, 50.0, VARIANTS["easse"])
    assert {(edit.choice, edit.at): edit.output for edit in found} == {
        ("kept", ("output", 0)): "Ten eleven twelve.",
        ("added", ("output", 1)): "One ten eleven.",
        ("deleted", ("source", 1)): "One ten eleven. Four five six. Ten eleven twelve.",
        ("deleted", ("source", 2)): "One ten eleven. Ten eleven twelve. Seven eight nine.",
    }
    scorer = Scorer("easse")
    scores = [scorer.sentence_score(source, edit.output, segment.references[0])["sari"] for edit in found]
    assert [edit.sari for edit in found] == pytest.approx(scores, abs=1e-9)
    assert [edit.points for edit in found] == pytest.approx(sorted(50 - score for score in scores), abs=1e-9)


@pytest.mark.parametrize("place", range(5))
def test_a_sentence_that_is_left_out_is_put_back_in_its_own_place(place):
    sentences = [f"Word{number} thing{number}." for number in range(5)]
    texts = [" ".join(sentences)], [" ".join(sentences[:place] + sentences[place + 1 :])], [["Word1."]]
    found = sentence_edits.score_sentences(validate_columns(*texts), 50.0, VARIANTS["easse"])
    assert [edit.output for edit in found if edit.choice == "deleted"] == texts[0]


@pytest.mark.parametrize(
    ("source", "output", "limit", "changed"),
    [
        ("One two.", "One.", 1_000, []),
        ("One two.", "One. Two.", 1_000, ["Two.", "One."]),
        ("One two.", "One. Two. Six.", 1_000, ["Two. Six.", "One. Six.", "One. Two."]),
        ("One two. Six seven.", "One.", 6, ["", "One. Six seven."]),  # six words in all
        ("One two. Six seven.", "One.", 5, [""]),
    ],
)
def test_sentences_are_tried_one_by_one_up_to_a_limit(monkeypatch, source, output, limit, changed):
    monkeypatch.setattr(sentence_edits, "CHANGED_TOKENS", limit)
    found = sentence_edits.score_sentences(validate_columns([source], [output], [["Two."]]), 50.0, VARIANTS["easse"])
    assert sorted(edit.output for edit in found) == sorted(changed)


PAPER = (SOURCE, OUTPUT, REFERENCES)
OF_SOURCE = "kept-rightly kept-rightly deleted-wrongly deleted-wrongly deleted-rightly deleted-wrongly kept-rightly"


@pytest.mark.parametrize(
    ("variant", "texts", "column", "marks"),
    [
        ("easse", PAPER, "source", OF_SOURCE),
        ("easse", PAPER, "output", "kept kept added-wrongly added-rightly added-wrongly added-wrongly kept"),
        ("easse", PAPER, "missed", "missed"),
        # An empty output has one empty token, or none.
        ("hf", ("a b", "", ["a"]), "source", "deleted-wrongly deleted-rightly"),
        ("hf", ("a b", "", ["a"]), "output", "added-wrongly"),
        ("easse", ("a b", "", ["a"]), "output", ""),
        # Of two equal phrases one is deleted as a whole; moved words are kept.
        ("easse", ("p q r x y z p q r .", "x y z p q r .", ["p"]), "source", "d d d k k k k k k k"),
        ("easse", ("p q r x y z p q r .", "p q r v z w x", ["p"]), "source", "k k k k d k d d d d"),
    ],
)
def test_marks_of_tokens(variant, texts, column, marks):
    """`k` is kept and `d` deleted, rightly or wrongly."""
    tokens = getattr(explained(*texts, variant=variant), column)
    assert all(token.mark.startswith(mark) for token, mark in zip(tokens, marks.split(), strict=True))


def test_marks_of_references():
    first, second = explained("a b c", "a x", ["a b y", "x c"]).references
    marks = ["kept", "deleted-rightly", "missed", "added-rightly", "deleted-rightly"]
    assert [token.mark for token in (*first, *second)] == marks


COPIES = ("the cat saw the dog", "the dog", ["the dog"])
TOGETHER = ("a a a b", "a b", ["a b", "a a b"])


@pytest.mark.parametrize(
    ("variant", "texts", "place", "mark", "credit", "said"),
    [
        ("hf", ("a b", "a b", ["a"]), 1, "kept-wrongly", 0, "but reference deletes"),
        ("set", ("a b", "a b", ["a"]), 1, "kept-wrongly", 0, "but reference deletes"),
        ("hf", ("a b", "a", ["b"]), 1, "deleted-wrongly", 0, "but reference keeps"),
        ("hf", ("a b", "a", ["a", "b"]), 1, "deleted-rightly", 0.5, "1 2 references deletes too"),
        ("hf", ("a b", "a b", ["a", "b"]), 1, "kept-rightly", 0.5, "1 2 references keeps"),
        ("hf", ("a b", "a b", ["a", "a", "b"]), 1, "kept-wrongly", 1 / 3, "but 2 3 references delete"),
        ("hf", ("a b", "b", ["b b", "a"]), 1, "kept-rightly", 1, "1 2 references keeps 2 full"),
        ("easse", COPIES, 0, "deleted-rightly", 1, "1 2 reference 1 full"),
        ("hf", COPIES, 0, "deleted-wrongly", 0, "1 2 reference 1 references no"),
        ("easse", TOGETHER, 1, "deleted-rightly", 0.75, "2 3 2 references 3 75%"),
        ("easse", ("a a b", "a b", ["a a"]), 0, "deleted-wrongly", 0, "1 2 reference 2 no"),
        ("star", ("a b", "a b", ["a b"] * 7 + ["a"] * 3), 1, "kept-rightly", 0.875, "1 1 10 references 7 8 88%"),
        ("set", ("a b a", "a", ["a", "c"]), 2, "kept-rightly", 1, "1 2 references keeps reference keeps full"),
        ("easse", ("b", "a b b", ["b"]), "output", "kept", 1, "reference keeps 2 1 surplus"),
        ("easse", ("a b", "a x", ["a"]), "output", "added-wrongly", 0, "but reference"),
        ("easse", ("a b c", "a x", ["a b y", "x c"]), "output", "added-rightly", 1, "1 2 references too"),
        ("easse", ("a b c", "a x", ["a b y", "x c"]), "missed", "missed", None, "1 2 references adds"),
    ],
)
def test_marks_and_reasons_of_tokens(variant, texts, place, mark, credit, said):
    """A reason says how many did what, and the credit if that does not follow."""
    explanation = explained(*texts, variant=variant)
    token = getattr(explanation, place)[-1] if isinstance(place, str) else explanation.source[place]
    assert (token.mark, token.credit) == (mark, credit and pytest.approx(credit))
    facts = r"\d+%?|references?|keeps?|deletes?|adds|too|but|surplus|(?:full|no)(?= credit)"
    assert re.findall(facts, token.why) == said.split()


def test_ngrams_know_where_they_stand_and_why():
    found = explained("a b a b c", "c a b", ["a b", "b a b"])
    (kept, missed), deleted = (found.grams[1][operation] for operation in ("keep", "delete"))
    assert (kept.text, kept.places) == ("a b", Places([0], [1], {0: [0], 1: [1]}))
    assert deleted[0].places.source == [2]
    assert (missed.text, missed.mark, missed.places.source) == ("b a", "missed", [1])
    added = found.grams[1]["add"][0]
    assert [(gram.mark, gram.agree, gram.references) for gram in deleted if gram.text == "b c"] == [("right", 2, 2)]
    assert (added.text, added.mark, added.agree, added.references) == ("c a", "wrong", 0, 2)
    assert "none of the 2" in added.why
    (later, *_) = explained("a b c a b d", "a b d", ["a b"]).grams[1]["keep"]
    assert (later.text, later.places.source) == ("a b", [3])


@pytest.mark.parametrize(("variant", "number"), [("hf", 2), ("easse", 2), ("t2t", 1), ("lasertagger", 1)])
def test_references_too_short_for_an_ngram_count_unless_the_variant_skips_them(variant, number):
    (kept, *_) = explained("a b c", "a b", ["a b", "a"], variant=variant).grams[1]["keep"]
    assert kept.references == number


@given(source=WORDS, prediction=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
@runs(25)
@pytest.mark.parametrize("variant", DISTINCT)
def test_laws(variant, source, prediction, references):
    found, row = explained(source, prediction, references, variant=variant), VARIANTS[variant]
    (tokens,), (output,) = split_into_tokens([source], row.source_text), split_into_tokens([prediction], row.text)
    texts = [[token.text for token in text] for text in (found.source, found.output, *found.references)]
    assert texts[:2] == [tokens, output]
    assert {token.mark for token in found.source + found.output + found.missed} <= MARKS.keys()
    for word in tokens:
        kept = sum(token.text == word and token.mark.startswith("kept") for token in found.source)
        in_both = min(tokens.count(word), output.count(word))
        assert kept == (tokens.count(word) * (word in output) if COUNTINGS[row.counting].as_sets else in_both)
    assert [token.mark == "kept" for token in found.output] == [text in tokens for text in output]
    without_ngrams = explained(source, prediction, references, variant=variant, ngrams=False)
    assert without_ngrams == dataclasses.replace(found, grams=[])
    backwards = explained(source, prediction, references[::-1], variant=variant)
    assert (backwards.source, backwards.output) == (found.source, found.output)
    for order, (figures, grams) in enumerate(zip(found.orders, found.grams, strict=True), 1):
        done = []
        for operation in OPERATIONS:
            totals = [sum(gram.counts[place] for gram in grams[operation]) for place in range(4)]
            for name, numerator, denominator in (("precision", *totals[:2]), ("recall", *totals[2:])):
                share = numerator / denominator if denominator else row.zero_division
                assert figures[operation][name] == pytest.approx(100 * share, abs=1e-9)
            missed = [gram.mark == "missed" for gram in grams[operation]]
            assert operation != "add" or missed == sorted(missed)  # those of the output come first
            for gram in grams[operation]:
                done += gram.places.source if gram.mark != "missed" and operation != "add" else []
                starts = [gram.places.source, gram.places.output]
                starts += [gram.places.references.get(number, []) for number in range(len(references))]
                for text, places in zip(texts, starts, strict=True):
                    assert {" ".join(text[place : place + order]) for place in places} <= {gram.text}
        assert len(set(done)) == len(done)  # each place of the source was kept or deleted, never both


@pytest.mark.parametrize("variant", DISTINCT)
@pytest.mark.parametrize(
    ("source", "prediction", "references"),
    [
        ("The  large   cat sat  down ", " The cat  rested ", ["The cat  sat ", "A  cat."]),
        ("In 2005, Hurricane Katrina hit N.O. (U.S.)", "hurricane Katrina's hit", ["Katrina hit.  A Hurricane", ""]),
        ("AT&amp;T bought it\nthen", "AT&amp;T\nbought", ["It bought it", "bought AT&T"]),
        ("İzmir ẞ big", "", ["a big city"]),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_edit_is_one_token_and_costs_what_its_output_does(variant, source, prediction, references):
    explanation = explained(source, prediction, references, variant=variant)
    whole = Scorer(variant).sentence_score(source, prediction, references)["sari"]
    for edit in explanation.edits:
        assert edit.sari == pytest.approx(Scorer(variant).sentence_score(source, edit.output, references)["sari"])
        assert edit.points == pytest.approx(whole - edit.sari, abs=1e-9)
        before, after = split_into_tokens([prediction, edit.output], VARIANTS[variant].text)
        longer, shorter = (before, after) if edit.choice in ("kept", "added") else (after, before)
        assert any(
            word == edit.text and longer[:place] + longer[place + 1 :] == shorter for place, word in enumerate(longer)
        )
    points = [edit.points for edit in explanation.edits]
    assert points == sorted(points)
    assert [edit.points for edit in explanation.costs] == [one for one in points if one < -0.005]
    assert [edit.points for edit in explanation.earnings] == [one for one in reversed(points) if one > 0.005]


CAT = (
    "The large cat sat, quietly, on the old mat.",
    "The large cat quietly rested on a mat.",
    ["A big cat sat on the mat.", "The cat sat."],
)


@pytest.mark.parametrize(
    ("texts", "tokenize", "choice", "word", "output"),
    [
        (CAT, "13a", "added", "rested", "The large cat quietly on a mat."),
        (CAT, "13a", "kept", "quietly", "The large cat rested on a mat."),
        (CAT, "13a", "deleted", "old", "The large cat quietly rested on old a mat."),
        (CAT, "13a", "missed", "big", "The large cat quietly rested on a big mat."),
        # The last word comes last again, though the first ones have moved.
        (("b c d a", "a b c", ["a b c d"]), "none", "deleted", "d", "a b c d"),
        # Tokens stand for texts that are written otherwise: without "&", "AT&amp;T" is not "ATamp;T".
        (("AT&amp;T bought it", "AT&amp;T bought", ["It bought it"]), "13a", "kept", "&", "at t bought"),
        (("AT&amp;T bought it", "AT&amp;T bought", ["It bought it"]), "13a", "deleted", "it", "at & t bought it"),
    ],
)
def test_outputs_of_edits(texts, tokenize, choice, word, output):
    edits = explained(*texts, variant="easse", tokenize=tokenize).edits
    assert [edit.output for edit in edits if (edit.choice, edit.text) == (choice, word)] == [output]


@pytest.mark.parametrize(("limit", "words"), [(6, ["c"]), (7, ["c", "d"])])  # there are six, and one is put in
def test_of_long_texts_the_words_of_least_credit_are_tried(monkeypatch, limit, words):
    monkeypatch.setattr(word_edits, "CHANGED_TOKENS", limit)
    assert sorted(edit.text for edit in explained("a b", "a c", ["a d"], variant="easse").edits) == words


def test_a_missed_word_is_put_where_it_earns_most():
    edits = explained("a b c", "a b c", ["d a b c", "a b d c"], variant="easse").edits
    assert [edit.output for edit in edits if edit.choice == "missed"] == ["a b d c"]


def test_penalties():
    (shortness, *_) = explained("a b c d", "a b", ["a b c", "a b c"], variant="dsari").penalties
    assert shortness.sentence == "add × 0.607 for shortness: output 2 tokens, references 3."
