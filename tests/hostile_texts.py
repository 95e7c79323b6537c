"""Hostile corpora small and large, options to score them with, and the numbers of a result beside those of the oracle.

Hypothesis makes up the small ones, so that it can show the smallest that fails.
"""

import random

import oracle
import pytest
from hypothesis import strategies as st

from sari.variants import DELETIONS, LEVELS, PENALTIES, VARIANTS

NAMES = ("sari", "keep", "delete", "add")

every_variant = pytest.mark.parametrize("variant", oracle.VARIANTS)

# ---- Hostile texts --------------------------------------------------------------------------------------------------

# Tokens of up to 8 bytes fit a machine word and longer ones do not: lengths around 8 and 16 with common beginnings, in
# one-byte and in wider characters, and zero bytes, which fixed-width arrays drop from the end.
LENGTHS = [
    stem[:n] + end for stem in ("abcdefgh" * 3, "橋éя" * 8) for n in (3, 7, 8, 15, 16, 24) for end in ("", "x", "y")
]

ZEROS = ["a\0", "a\0\0", "\0", "\0a", "abcdefgh\0", "ÿ", "ÿÿÿÿ", "abcdefg\xff"]

ENTITIES = ["&amp;", "&amp;lt;", "&lt;", "&quot;", "&amp;amp;quot;", "&gt"]
ENTITIES += ["<skipped>", "<ski<skipped>pped>", "-\n", "&amp-\n;"]

# Lowercasing may depend on the neighbours (final sigma), change the length (İ, ẞ) or leave the script (Kelvin sign).
SCRIPTS = ["İ", "İstanbul", "ΑΣ", "ΣΑΣ", "Σ", "ΑΣ'", "\u212a", "k", "ſ", "ẞ", "ß", "ﬁ", "ǅ", "É", "E\u0301"]

# Flags, skin tones, families and keycaps are several characters that show as one.
EMOJI = ["😀", "👍🏽", "🇩🇪", "👩\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "\U0001f3f4\U000e0067\U000e007f"]

WHITESPACE = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2009\u2028\u2029\u202f\u205f\u3000"

_PIECES = (
    *[st.sampled_from(["a", "b", "c", "the", "The", "cat"])] * 3,
    *map(st.sampled_from, (LENGTHS, ZEROS, ENTITIES, SCRIPTS, EMOJI)),
    st.text("0159.,-aA ", max_size=8),
    st.text(st.characters(max_codepoint=126), max_size=4),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
)
_SEPARATORS = st.sampled_from([*[" "] * 20, "", "", "  ", "   ", *WHITESPACE])
_FEW_PIECES = st.lists(st.one_of(_PIECES), min_size=1, max_size=6, unique=True)


@st.composite
def hostile(draw, most=8):
    """Make a corpus of at most so many segments, of few pieces, so that n-grams repeat; some texts are empty.

    Texts have whitespace of every kind, punctuation marks, digits, entities, tokens of all lengths, many scripts, emoji
    and lone combining marks. Segments have different numbers of references.
    """
    pieces = st.tuples(st.sampled_from(draw(_FEW_PIECES)), _SEPARATORS).map("".join)
    texts = st.lists(pieces, max_size=7).map("".join)
    rows = st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=4))
    return corpus_of(draw(st.lists(rows, min_size=1, max_size=most)))


def corpus_of(rows):
    """Return the keyword arguments for rows of (source, prediction, references)."""
    return dict(zip(("sources", "predictions", "references"), map(list, zip(*rows, strict=True)), strict=True))


# ---- Options --------------------------------------------------------------------------------------------------------


def letters_apart(text):
    """Tokenize as a tokenizer of a user could, and leave odd whitespace."""
    return text.replace("a", " a\t").replace(".", "")


def at_periods(text):
    """Split into sentences as a splitter of a user could; there may be none."""
    return [sentence for sentence in text.split(".") if sentence]


#: The values that options are drawn from: all tokenizers that need no download, common ones more often than others.
CHOICES = {
    "level": LEVELS,
    "deletion": DELETIONS,
    "zero_division": (0, 1, 0.5),
    "tokenize": (*["13a", "none", letters_apart] * 3, "intl", "char", "zh", "moses", "ja-mecab", "ko-mecab"),
    "lowercase": (True, False),
    "max_order": (4, 1, 2, 3, 5, 6),
    "penalties": tuple(PENALTIES),
}
_SOME_OPTIONS = st.fixed_dictionaries({}, optional={name: st.sampled_from(own) for name, own in CHOICES.items()})


@st.composite
def options_of(draw, variant):
    """Return a variant with no, some or all options; only the level "sentence" takes penalties."""
    options, row = {"variant": variant, **draw(_SOME_OPTIONS)}, VARIANTS[variant]
    if options.get("level", row.level) == "corpus":
        options["penalties"] = "none"
    if options.get("penalties", row.penalties) != "none":
        options["sentence_splitter"] = draw(st.sampled_from(["punkt", str.splitlines, at_periods]))
    return options


# ---- Large corpora --------------------------------------------------------------------------------------------------


def edited(rng, tokens, vocabulary, rate=0.2):
    """Return the tokens with some of them dropped, repeated or replaced."""
    changed = []
    for token in tokens:
        edits = [[], [token, token], [rng.choice(vocabulary)]]
        changed += rng.choice(edits) if rng.random() < rate else [token]
    return changed


def edited_row(rng, vocabulary, length, references):
    source = rng.choices(vocabulary, k=length)
    versions = [" ".join(edited(rng, source, vocabulary)) for _ in range(references + 1)]
    return " ".join(source), versions[0], versions[1:]


def large_corpus(seed, segments=2_500):
    """Return segments enough for several chunks of work, each with some words of its own."""
    rng = random.Random(seed)
    common = ["the", "a", "of", "İs", "Σας", ",", ".", "1,000.5", "&amp;", "橋"]
    rows = []
    for _ in range(segments):
        own = [f"w{rng.randrange(10**6)}" for _ in range(10)] + [f"some-longer-word-{rng.randrange(10**6)}"]
        rows.append(edited_row(rng, common + own, rng.randrange(40), references=rng.randrange(1, 5)))
    return corpus_of(rows)


def cut(corpus, size):
    """Return the corpus in batches of `size` segments."""
    starts = range(0, len(corpus["sources"]), size)
    return [{name: column[start : start + size] for name, column in corpus.items()} for start in starts]


LARGE = large_corpus(4)


# ---- Comparing ------------------------------------------------------------------------------------------------------


def numbers(value, place=""):
    """Return the numbers of everything that is nested, by their places."""
    if isinstance(value, str):  # a signature
        return {}
    if not isinstance(value, dict | list):
        return {place: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {inner: number for key, one in items for inner, number in numbers(one, f"{place}.{key}").items()}


def assert_agrees(sari, corpus, **options):
    """Assert that all numbers of the metric are the oracle's."""
    result = details(sari, corpus, **options)
    assert numbers(result) == pytest.approx(numbers(oracle.details(**corpus, **options)), abs=1e-9, rel=0)


def details(sari, corpus, **options):
    return sari.with_options(**options).compute(**corpus, details=True)


def without_sentences(result):
    return {name: value for name, value in result.items() if name != "sentences"}
