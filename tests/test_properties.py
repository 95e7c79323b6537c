"""The metric against the slow oracle on hostile texts, and the laws that every variant obeys."""

import json
import os
import pickle
import random
from fractions import Fraction

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

VARIANTS = list(oracle.VARIANTS)
NAMES = ("sari", "keep", "delete", "add")
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def runs(examples):
    """Return settings for so many examples: the same ones each time in CI, fresh ones everywhere else."""
    return settings(max_examples=examples, deadline=None, derandomize=bool(os.environ.get("CI")))


# ---- Hostile texts --------------------------------------------------------------------------------------------------

# Tokens of up to 8 bytes fit a machine word and longer ones do not: lengths around 8 and 16 with common beginnings, in
# one-byte and in wider characters, and zero bytes, which fixed-width arrays drop from the end.
LENGTHS = [
    stem[:n] + end for stem in ("abcdefgh" * 3, "橋éя" * 8) for n in (3, 7, 8, 15, 16, 24) for end in ("", "x", "y")
]
ZEROS = ["a\0", "a\0\0", "\0", "\0a", "abcdefgh\0", "ÿ", "ÿÿÿÿ", "abcdefg\xff"]
ENTITIES = [
    "&amp;",
    "&amp;lt;",
    "&lt;",
    "&quot;",
    "&amp;amp;quot;",
    "&gt",
    "<skipped>",
    "<ski<skipped>pped>",
    "-\n",
    "&amp-\n;",
]
# Lowercasing may depend on the neighbours (final sigma), change the length (İ, ẞ) or leave the script (Kelvin sign).
SCRIPTS = ["İ", "İstanbul", "ΑΣ", "ΣΑΣ", "Σ", "ΑΣ'", "\u212a", "k", "ſ", "ẞ", "ß", "ﬁ", "ǅ", "É", "E\u0301"]
SCRIPTS += [
    "Привет",
    "привет",
    "مرحبا",
    "नमस्ते",
    "橋を",
    "。",
    "「a」",
    "한국어",
    "🙂",
    "👩\u200d👩\u200d👧",
    "\ufeff",
    "\u200b",
    "\xad",
]
WHITESPACE = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2009\u2028\u2029\u202f\u205f\u3000"

words = st.sampled_from(["a", "b", "c", "the", "The", "cat"])
pieces = st.one_of(
    words,
    words,
    st.sampled_from(LENGTHS + ZEROS),
    st.sampled_from(ENTITIES),
    st.sampled_from(SCRIPTS),
    st.text("0159.,,..--aA ", min_size=1, max_size=8),
    st.text("".join(map(chr, range(32, 127))), min_size=1, max_size=4),
    st.text(max_size=5),
)
separators = st.sampled_from([" "] * 12 + ["", "", "  ", "   "] + list(WHITESPACE))


def texts(vocabulary):
    """Return texts over a small vocabulary, so that n-grams repeat within and between them."""
    pairs = st.lists(st.tuples(st.sampled_from(vocabulary), separators), max_size=14)
    ends = st.sampled_from([""] * 6 + [" ", "\n", "\u3000"])
    text = st.builds(lambda start, pairs: start + "".join(map("".join, pairs)), ends, pairs)
    # Without the last separator more often than with it.
    return st.one_of(text.map(str.rstrip), text)


@st.composite
def corpora(draw, max_segments=4):
    vocabulary = draw(st.lists(pieces, min_size=1, max_size=6, unique=True))
    text = texts(vocabulary)
    rows = draw(
        st.lists(st.tuples(text, text, st.lists(text, min_size=1, max_size=4)), min_size=1, max_size=max_segments)
    )
    return corpus_of(rows)


def corpus_of(rows):
    """Return the keyword arguments for rows of (source, prediction, references)."""
    return dict(zip(("sources", "predictions", "references"), map(list, zip(*rows, strict=True)), strict=True))


def rows_of(corpus):
    return list(zip(*corpus.values(), strict=True))


def letters_apart(text):
    """Be a user's own tokenizer, one that leaves odd whitespace behind."""
    return text.replace("a", " a\t").replace(".", "")


options = st.fixed_dictionaries(
    {},
    optional={
        "level": st.sampled_from(["sentence", "corpus"]),
        "deletion": st.sampled_from(["precision", "f1"]),
        "zero_division": st.sampled_from([0, 1, 0.5]),
        "tokenize": st.sampled_from(["13a", "none", "intl", "zh", "char", letters_apart]),
        "lowercase": st.booleans(),
        "max_order": st.integers(1, 6),
    },
)
#: With penalties too, which only segments can have.
penalized_options = st.builds(
    lambda options, penalties: {**options, **penalties, "level": "sentence"},
    options,
    st.fixed_dictionaries(
        {"penalties": st.sampled_from(["dsari", "plan_simp"])},
        optional={"sentence_splitter": st.sampled_from([str.splitlines, "punkt"])},
    ),
)


def options_of(variant, options):
    """Return options that the variant takes: one with penalties is about segments."""
    return {**options, "level": None} if variant == "dsari" else options


# ---- Comparing ------------------------------------------------------------------------------------------------------


def flat(value, path=()):
    """Yield (path, number) for all numbers of nested dicts and lists."""
    if not isinstance(value, dict | list):
        yield path, value
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from flat(inner, (*path, key))


def numbers(result):
    return dict(flat({name: value for name, value in result.items() if name != "signature"}))


def by_oracle(corpus, **options):
    return {
        **oracle.score(**corpus, **options),
        "orders": oracle.orders(**corpus, **options),
        "sentences": oracle.sentences(**corpus, **options),
    }


def assert_agrees(sari, corpus, **options):
    """Assert that all numbers of the metric are the oracle's."""
    result = sari.compute(**corpus, **options, details=True)
    assert numbers(result) == pytest.approx(numbers(by_oracle(corpus, **options)), abs=1e-9, rel=0)
    return result


def state_of(sari, corpus, **options):
    state = sari.state(sentences=True, **options)
    state.update(**corpus)
    return state


def details(sari, corpus, **options):
    return state_of(sari, corpus, **options).compute(details=True)


def without_sentences(result):
    return {name: value for name, value in result.items() if name != "sentences"}


# ---- The oracle says the same ---------------------------------------------------------------------------------------


@every_variant
@given(corpus=corpora())
@runs(40)
def test_variants_as_published(sari, variant, corpus):
    assert_agrees(sari, corpus, variant=variant)


@every_variant
@given(corpus=corpora(), options=options)
@runs(60)
def test_variants_with_options(sari, variant, corpus, options):
    options = options_of(variant, options)
    assert_agrees(sari, corpus, variant=variant, **options)


raw_texts = st.lists(st.one_of(pieces, st.sampled_from(WHITESPACE)), max_size=12).map("".join)


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char"])
@given(texts=st.lists(raw_texts, min_size=10, max_size=20))
@runs(50)
def test_tokens_are_those_of_sacrebleu(sari, tokenize, texts):
    # This variant leaves sources untokenized: given sacreBLEU's tokens, they show any difference as deleted or added.
    rows = [(oracle.spaced(text, tokenize), text, [text]) for text in texts]
    result = assert_agrees(sari, corpus_of(rows), variant="easse_legacy", tokenize=tokenize)
    assert (result["delete"], result["add"]) == (0, 0)


@every_variant
@given(corpus=corpora(), options=penalized_options)
@runs(25)
def test_penalties_on_any_variant(sari, variant, corpus, options):
    assert_agrees(sari, corpus, variant=variant, **options)


@every_variant
def test_orders_longer_than_any_text(sari, variant):
    assert_agrees(sari, corpus_of([("a b", "a c", ["a c", "b"]), ("a", "", ["", ""])]), variant=variant, max_order=9)


@every_variant
def test_all_that_texts_can_lack(sari, variant):
    some = ["", " ", "a", "a b c d e"]
    rows = [(source, prediction, [reference]) for source in some for prediction in some for reference in some]
    rows += [("a b", "a", ["", "a"]), ("a b", "a", ["", ""]), ("a b c d", "a b", ["a", "a b", "a b c", "a b c d"])]
    assert_agrees(sari, corpus_of(rows), variant=variant)
    assert_agrees(sari, corpus_of(rows), variant=variant, level="sentence", deletion="f1", zero_division=0.25)


# ---- Large inputs ---------------------------------------------------------------------------------------------------


def shuffled_document(rng, vocabulary, length):
    return [rng.choice(vocabulary) for _ in range(length)]


def edited(rng, tokens, vocabulary, rate=0.2):
    """Return the tokens with some of them dropped, repeated or replaced."""
    changed = []
    for token in tokens:
        edits = [[], [token, token], [rng.choice(vocabulary)]]
        changed += rng.choice(edits) if rng.random() < rate else [token]
    return changed


def edited_row(rng, vocabulary, length, references):
    source = shuffled_document(rng, vocabulary, length)
    versions = [" ".join(edited(rng, source, vocabulary)) for _ in range(references + 1)]
    return " ".join(source), versions[0], versions[1:]


@every_variant
def test_documents_of_more_than_a_thousand_tokens(sari, variant):
    rng = random.Random(1)
    vocabulary = [f"{stem}{n}" for stem in ("w", "longer-word-") for n in range(40)] + [".", ",", "İ"]
    rows = [edited_row(rng, vocabulary, length, references=2) for length in (1_100, 3, 1_500)]
    assert_agrees(sari, corpus_of(rows), variant=variant)


@every_variant
def test_a_thousand_words_in_long_ngrams(sari, variant):
    rng = random.Random(2)
    vocabulary = [f"w{n}" for n in range(3_000)]
    rows = [edited_row(rng, vocabulary, length, references=1) for length in (1_600, 4, 2)]
    assert_agrees(sari, corpus_of(rows), variant=variant, max_order=6)


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_tens_of_thousands_of_words_in_one_segment(sari, variant):
    rng = random.Random(3)
    tokens = [f"w{n}" if n % 3 else f"a-longer-word-{n}" for n in range(36_000)]
    versions = [" ".join(edited(rng, tokens, tokens[:50], rate=0.01)) for _ in range(2)]
    rows = [("w1 w2 w3", "w1 w3", ["w2 w3"]), (" ".join(tokens), versions[0], [versions[1]]), ("w1", "w2", ["w2"])]
    assert_agrees(sari, corpus_of(rows), variant=variant, tokenize="none")


@pytest.mark.parametrize("variant", ["hf", "lens", "easse", "t2t"])
def test_one_endless_token_among_many_long_ones(sari, variant):
    # Tables with a column per byte of the longest token would not fit in memory.
    rng = random.Random(6)
    endless = "endless" * 100_000
    vocabulary = [f"some-rather-long-word-{n}" for n in range(500)]
    rows = [edited_row(rng, vocabulary, 20, references=2) for _ in range(50)]
    rows += [(f"a {endless} b", f"a {endless}x b", [f"{endless}x b", f"{endless} b"])]
    assert_agrees(sari, corpus_of(rows), variant=variant)


@every_variant
def test_hundreds_of_references(sari, variant):
    rng = random.Random(7)
    rows = [edited_row(rng, list("abcdefgh"), 12, references=n) for n in (1, 300, 2)]
    assert_agrees(sari, corpus_of(rows), variant=variant)


def large_corpus(seed, segments=2_500):
    """Return segments enough for several chunks of work, each with some words of its own."""
    rng = random.Random(seed)
    common = ["the", "a", "of", "İs", "Σας", ",", ".", "1,000.5", "&amp;", "橋"]
    rows = []
    for _ in range(segments):
        own = [f"w{rng.randrange(10**6)}" for _ in range(10)] + [f"some-longer-word-{rng.randrange(10**6)}"]
        rows.append(edited_row(rng, common + own, rng.randrange(40), references=rng.randrange(1, 5)))
    return corpus_of(rows)


LARGE = large_corpus(4)


@every_variant
def test_segments_of_a_large_corpus(sari, variant):
    got = details(sari, LARGE, variant=variant)["sentences"]
    some = slice(None, None, 50)
    expected = oracle.sentences(*(column[some] for column in LARGE.values()), variant=variant)
    assert {name: len(got[name]) for name in NAMES} == dict.fromkeys(NAMES, len(LARGE["sources"]))
    for name in NAMES:
        assert got[name][some] == pytest.approx(expected[name], abs=1e-9, rel=0)


@every_variant
def test_threads_change_nothing(sari, variant):
    one, two, three = (details(sari, LARGE, variant=variant, threads=threads) for threads in (1, 2, 3))
    assert one == two == three
    assert sari.compute(**LARGE, variant=variant, threads=2, details=True) == one


def cut(corpus, size):
    """Return the corpus in batches of `size` segments."""
    starts = range(0, len(corpus["sources"]), size)
    return [{name: column[start : start + size] for name, column in corpus.items()} for start in starts]


@every_variant
@pytest.mark.parametrize("size", [37, 1_000])
def test_batch_sizes_change_nothing(sari, variant, size):
    state = sari.state(sentences=True, variant=variant)
    for batch in cut(LARGE, size):
        state.update(**batch)
    assert state.compute(details=True) == details(sari, LARGE, variant=variant)


def test_added_batches_are_the_whole(sari):
    for batch in cut(LARGE, 400):
        sari.add_batch(**batch)
    assert sari.compute(details=True) == sari.compute(**LARGE, details=True)


# ---- Laws -----------------------------------------------------------------------------------------------------------


@every_variant
@given(corpus=corpora(), options=options)
@runs(15)
def test_scores_are_percentages(sari, variant, corpus, options):
    options = options_of(variant, options)
    result = details(sari, corpus, variant=variant, **options)
    assert json.loads(json.dumps(result)) == result
    assert all(-1e-9 <= number <= 100 + 1e-9 for path, number in numbers(result).items() if path[-1] != "order")
    mean = (result["keep"] + result["delete"] + result["add"]) / 3
    assert result["sari"] == pytest.approx(mean, abs=1e-9, rel=0)


@every_variant
@given(corpus=corpora(max_segments=6), options=options, data=st.data())
@runs(15)
def test_the_order_of_segments_changes_nothing(sari, variant, corpus, options, data):
    options = options_of(variant, options)
    order = data.draw(st.permutations(range(len(corpus["sources"]))))
    shuffled = {name: [column[i] for i in order] for name, column in corpus.items()}
    before = details(sari, corpus, variant=variant, **options)
    after = details(sari, shuffled, variant=variant, **options)
    assert without_sentences(after) == without_sentences(before)
    for name in NAMES:
        assert after["sentences"][name] == [before["sentences"][name][i] for i in order]


@every_variant
@given(corpus=corpora(), options=options, data=st.data())
@runs(15)
def test_the_order_of_references_changes_nothing(sari, variant, corpus, options, data):
    options = options_of(variant, options)
    shuffled = [data.draw(st.permutations(references)) for references in corpus["references"]]
    result = details(sari, {**corpus, "references": shuffled}, variant=variant, **options)
    assert result == details(sari, corpus, variant=variant, **options)


@every_variant
@given(corpus=corpora(), options=options)
@runs(15)
def test_a_segment_scores_the_same_in_any_company(sari, variant, corpus, options):
    options = options_of(variant, options)
    together = details(sari, corpus, variant=variant, **options)["sentences"]
    for i, row in enumerate(rows_of(corpus)):
        alone = details(sari, corpus_of([row]), variant=variant, **options)
        assert {name: alone["sentences"][name] for name in NAMES} == {name: [together[name][i]] for name in NAMES}
        assert {name: alone[name] for name in NAMES} == pytest.approx({name: together[name][i] for name in NAMES})


@every_variant
@given(corpus=corpora(max_segments=6), options=options, data=st.data())
@runs(15)
def test_shards_are_the_whole(sari, variant, corpus, options, data):
    options = options_of(variant, options)
    whole = details(sari, corpus, variant=variant, **options)
    shards = [state_of(sari, batch, variant=variant, **options) for batch in cut(corpus, data.draw(st.integers(1, 3)))]

    in_order = sari.state(sentences=True, variant=variant, **options)
    for shard in shards:
        in_order.merge(pickle.loads(pickle.dumps(shard)))
    assert in_order.compute(details=True) == whole

    first, *rest = data.draw(st.permutations(shards))
    for shard in rest:
        first.merge(shard)
    assert without_sentences(first.compute(details=True)) == without_sentences(whole)


@every_variant
def test_large_shards_are_the_whole_in_any_order(sari, variant):
    # Enough terms that an ordinary sum of floats would betray the order it was taken in.
    whole = without_sentences(details(sari, LARGE, variant=variant))
    shards = [state_of(sari, batch, variant=variant) for batch in cut(LARGE, 300)]
    for seed in range(3):
        order = random.Random(seed).sample(shards, len(shards))
        merged = sari.state(sentences=True, variant=variant)
        for shard in order:
            merged.merge(shard)
        assert without_sentences(merged.compute(details=True)) == whole


@every_variant
def test_large_shards_with_weights_of_many_denominators(sari, variant):
    # Corpus-level sums of fractions: thirds, sevenths and their like are where rounding depends on the order.
    rng = random.Random(5)
    corpus = corpus_of([edited_row(rng, list("abcdefghij"), 12, references=rng.randrange(1, 12)) for _ in range(300)])
    summed = {"variant": variant, "level": "corpus", "penalties": "none"}
    whole = details(sari, corpus, **summed)
    assert numbers(without_sentences(whole)) == pytest.approx(
        numbers(without_sentences(by_oracle(corpus, **summed))), abs=1e-9, rel=0
    )
    backwards = sari.state(sentences=True, **summed)
    for batch in reversed(cut(corpus, 7)):
        backwards.merge(state_of(sari, batch, **summed))
    assert without_sentences(backwards.compute(details=True)) == without_sentences(whole)


# ---- What the definitions give for simple systems -------------------------------------------------------------------

# Eight words, of which the reference has the first four: of order n both have 9 - n n-grams, 5 - n of them in common,
# which makes 13 - n in all.
SOURCE = "a b c d e f g h"
REFERENCE = "a b c d w x y z"
ORDERS = range(1, 5)


def percent(*values):
    """Return the mean of exact values as a percentage."""
    return float(100 * sum(map(Fraction, values)) / len(values))


def harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall)


def scores_of(sari, source, prediction, *references, **options):
    result = sari.compute(sources=[source], predictions=[prediction], references=[list(references)], **options)
    return tuple(result[name] for name in NAMES[1:])


def assert_scores(got, expected):
    assert got == pytest.approx(expected, abs=1e-9, rel=0)


UNION = percent(*(harmonic(1, Fraction(5 - n, 13 - n)) for n in ORDERS))
# A reference weighs an eighth of the source for `star`: what is kept is kept 8 times, and is wanted once.
EIGHTH = percent(harmonic(Fraction(1, 8), 1))


def deleted_by_star(deleted, kept):
    """Return the F1 of deleting all that the reference lacks: of what it has, 7 of 8 were to go as well."""
    return harmonic(1, Fraction(8 * deleted, 8 * deleted + 7 * kept))


STAR = (EIGHTH, percent(*(deleted_by_star(4, 5 - n) for n in ORDERS)), 100)
PERFECT = dict.fromkeys(VARIANTS, (100, 100, 100)) | {"set": (UNION, 100, 100), "star": STAR}


@every_variant
def test_a_perfect_copy_of_the_only_reference(sari, variant):
    # All three operations have something to do. Only `set` wants what is in source and reference, united, to be kept.
    assert_scores(scores_of(sari, SOURCE, REFERENCE, REFERENCE, variant=variant), PERFECT[variant])


ZERO = dict.fromkeys(VARIANTS, 0) | dict.fromkeys(["hf", "t2t", "lasertagger"], 100)


@every_variant
def test_a_perfect_copy_with_nothing_to_keep(sari, variant):
    assert_scores(scores_of(sari, "a b c d", "w x y z", "w x y z", variant=variant), (ZERO[variant], 100, 100))


@every_variant
def test_a_perfect_copy_with_nothing_to_change(sari, variant):
    kept = EIGHTH if variant == "star" else 100
    assert_scores(scores_of(sari, SOURCE, SOURCE, SOURCE, variant=variant), (kept, ZERO[variant], ZERO[variant]))


@every_variant
def test_a_perfect_copy_that_only_deletes(sari, variant):
    # "a c" and its like are new n-grams, which `lens` does not reward; there is no new word.
    copy = "a c e g i"
    _, delete, add = scores_of(sari, "a b c d e f g h i", copy, copy, variant=variant)
    assert delete == pytest.approx(percent(deleted_by_star(4, 5), 1, 1, 1) if variant == "star" else 100)
    orders_above_1 = 0 if variant == "lens" else 75
    assert add == pytest.approx(orders_above_1 + ZERO[variant] / 4)


TYPES = {"hf": 50, "xu2016": 50, "lens": 50, "t2t": 100, "lasertagger": 100, "set": 100, "dsari": 50}
COUNTS = {"easse": 100, "easse_legacy": 100, "paper": 100, "star": percent(harmonic(1, Fraction(16, 37)))}


@every_variant
def test_a_perfect_copy_that_deletes_a_repeated_word(sari, variant):
    # One of two a's went; the other one, which the reference has, speaks against it where a type has one vote.
    copy = "b c a"
    _, delete, _ = scores_of(sari, "a x b c a", copy, copy, variant=variant, max_order=1)
    assert delete == pytest.approx((TYPES | COUNTS)[variant])


KEPT = [Fraction(5 - n, 9 - n) for n in ORDERS]
COPY = percent(*(harmonic(precision, 1) for precision in KEPT))
COPIES = dict.fromkeys(VARIANTS, (COPY, 0, 0)) | {
    # Nothing is deleted: 0/0, which is 1 in these, and where recall counts it is 0.
    "hf": (COPY, 100, 0),
    "t2t": (COPY, 100, 0),
    "paper": (percent(harmonic(sum(KEPT) / 4, 1)), 0, 0),
    "star": (percent(*(harmonic(precision / 8, 1) for precision in KEPT)), 0, 0),
    "set": (percent(*(harmonic(p, Fraction(5 - n, 13 - n)) for n, p in zip(ORDERS, KEPT, strict=True))), 0, 0),
}


@every_variant
def test_copying_the_source(sari, variant):
    assert_scores(scores_of(sari, SOURCE, SOURCE, REFERENCE, variant=variant), COPIES[variant])


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "star"])
@given(corpus=corpora())
@runs(10)
def test_a_reference_given_twice_weighs_no_more_than_once(sari, variant, corpus):
    # What counts is the share of the references, in all variants but one.
    doubled = {**corpus, "references": [references * 2 for references in corpus["references"]]}
    once, twice = (numbers(details(sari, texts, variant=variant)) for texts in (corpus, doubled))
    assert twice == pytest.approx(once, abs=1e-9, rel=0)


@given(corpus=corpora())
@runs(20)
def test_star_with_eight_references_is_easse_legacy(sari, corpus):
    eight = {**corpus, "references": [(references * 8)[:8] for references in corpus["references"]]}
    star, legacy = (numbers(details(sari, eight, variant=variant)) for variant in ("star", "easse_legacy"))
    assert star == legacy
